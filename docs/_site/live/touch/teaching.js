/* The reader trains a machine: the loss falls, the share of numerals that are read rises, and then it reads one of the reader's own. */

import { escape } from "../html.js";
import { Pupil, UNSEEN } from "../pupil.js";
import { everyFamily, inOrder, LAST, LONGEST, numeral, signsOf, valueOf } from "../roman.js";
import { inTurns } from "../turns.js";
import { at, number, says } from "./draw.js";

const COUNTED = { 5: "Five", 6: "Six" };

/** state: choices (how many numerals it may be shown), shown (one of them), steps, watched (numbers that it is never shown and whose
    numerals are looked at), seconds (about how long it takes), text (the reader's numeral), sorted (whether the letters of each
    numeral are sorted first; without it there is no box to tick, and with it all are shown that are not put away), seeds and results
    ({known, unseen}), both by the choice; once it has begun also pupil, work (what is left to do), running, spent (milliseconds) and
    drawn (when it was last drawn). */
export const teaching = {
  view(state) {
    const { pupil, running, seconds, text } = state;
    const label = running ? "Stop" : !pupil ? "Train it" : pupil.done ? "Train another one" : "Go on";
    return `<div class="teaching">${everyRun(state)}${box(state)}
      <div class="controls"><button data-do="${running ? "halt" : "train"}">${label}</button>${pupil ? progress(state) : `<span class="hint">It took about ${seconds} seconds where we tried it. On a phone it can be minutes.</span>`}</div>
      <div class="panels">${pupil ? `<div${pupil.sorted ? ' style="flex-basis:22em"' : ""}>${writing(pupil, text)}<div class="controls"><label>One of yours <input type="text" data-field="text" maxlength="${LONGEST}" autocomplete="off" autocapitalize="off"
        spellcheck="false" value="${escape(text)}"></label></div></div>${curves(pupil)}` : ""}</div>${says(told(state))}</div>`;
  },

  set(state, field, value) {
    if (field === "text") state.text = signsOf(value);
    else Object.assign(state, { [field]: value, pupil: null });
  },

  act(state, name, value, element) {
    state.running = name === "train";
    if (!state.running) return;
    if (!state.pupil || state.pupil.done) {
      const seed = (state.seeds[nameOf(state)] ?? 0) + 1; // the first machine is the same each time
      state.pupil = new Pupil({ ...state, seed });
      Object.assign(state, { work: state.pupil.train(), spent: 0, seeds: { ...state.seeds, [nameOf(state)]: seed } });
    }
    setTimeout(() => inTurns(state, element, finish)); // the picture first
  },

  seen: ({ pupil }) => pupil?.done,
};

function finish(state) {
  const [known, unseen] = state.pupil.done;
  state.results[nameOf(state)] = { known, unseen };
}

const nameOf = ({ shown, sorted }) => (sorted ? `${shown} sorted` : shown);

/** What has been trained and what can be: a row for each number of numerals, and two where their letters can be sorted. */
function everyRun({ choices, shown, sorted, running, results }) {
  const canSort = sorted !== undefined;
  const runs = choices.flatMap((count) => (canSort ? [false, true] : [undefined]).map((each) => ({ shown: count, sorted: each })));
  const rows = runs.map((run) => {
    const result = results[nameOf(run)];
    const count = run.shown.toLocaleString("en");
    const head = canSort ? `${count}${run.sorted ? ", sorted" : ""}` :
      `<label><input type="radio" name="shown" data-field="shown" value="${run.shown}" ${run.shown === shown ? "checked" : ""} ${running ? "disabled" : ""}>${count}</label>`;
    return `<tr><th scope="row">${head}</th><td>${percent(result?.known)}</td><td>${percent(result?.unseen)}</td>${canSort ? `<td>${result ? `${ofAll(result)} %` : "?"}</td>` : ""}</tr>`;
  });
  return `<table class="runs"><thead><tr><th scope="col">numerals shown</th><th scope="col">of these it reads</th><th scope="col">of ${UNSEEN} unseen it reads</th>${canSort ? '<th scope="col">of all 3,999 it reads</th>' : ""}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

/** The share of all numerals, where those that are not put away are all shown. */
const ofAll = ({ known, unseen }) => number((100 * ((LAST - UNSEEN) * known + UNSEEN * unseen)) / LAST, 1);

const box = ({ sorted, running }) => sorted === undefined ? "" :
  `<div class="controls"><label><input type="checkbox" data-field="sorted" ${sorted ? "checked" : ""} ${running ? "disabled" : ""}>sort the letters of each numeral first</label></div>`;

/** A share in words of its own where rounding would hide that something is missing. */
function percent(share) {
  if (share === undefined) return "?";
  const shown = Math.round(100 * share);
  return shown === 100 && share < 1 ? "over 99 %" : `${shown} %`;
}

function progress({ pupil: { step, steps, done }, running, spent }) {
  const seconds = Math.ceil((spent * (steps - step)) / Math.max(step, 1) / 1000);
  const rest = done ? `${Math.round(spent / 1000)} seconds` : !step ? "…" : step === steps ? "now it is examined …" : running ? `about ${seconds} s left` : "stopped";
  return `<label><progress max="${steps}" value="${step}"></progress> step ${step.toLocaleString("en")} of ${steps.toLocaleString("en")}, ${rest}</label>`;
}

function writing(pupil, text) {
  const { watched, sorted } = pupil;
  const rows = watched.map((n, i) => [numeral(n), pupil.wrote[i] ?? "", String(n)]);
  if (text) rows.push([text, pupil.write(text), valueOf(text) ? String(valueOf(text)) : ""]);
  const drawn = rows.map(([read, wrote, right]) => {
    const letters = [...wrote].map((c, k) => `<span class="${right && c !== right[k] ? "off" : ""}">${c}</span>`);
    return `<tr><th scope="row">${read}</th>${sorted ? `<td class="written">${inOrder(read)}</td>` : ""}<td class="written">${letters.join("")}</td><td>${right ? (wrote === right ? "✓" : "✗") : ""}</td></tr>`;
  });
  return `<table><caption>${COUNTED[watched.length]} that it is never shown${text ? ", and yours" : ""}</caption><thead><tr><th scope="col">numeral</th>${sorted ? '<th scope="col">it gets</th>' : ""}<th scope="col">it writes</th><th scope="col">right?</th></tr></thead><tbody>${drawn.join("")}</tbody></table>`;
}

function curves({ steps, losses, looks, done }) {
  const x = (step) => at(36 + (254 * step) / steps);
  const most = Math.max(2.6, ...losses.map(([, loss]) => loss)); // to say one of 13 ids by chance costs log 13
  const fall = losses.map(([step, loss]) => `${x(step)},${at(58 - (48 * loss) / most)}`);
  const rise = (which) => looks.map((look) => `${x(look[0])},${at(142 - 60 * look[which])}`).join(" ");
  const [, known, unseen] = looks.at(-1) ?? [];
  const loss = losses.length ? number(losses.at(-1)[1]) : "";
  return `<svg class="wide" viewBox="0 0 300 164" role="img" aria-label="Two curves against the steps. The loss, now ${loss || "not known yet"}, and the shares that are read: ${percent(known)} of the shown numerals, ${percent(unseen)} of the unseen ones.">
    <path class="axis" d="M36 8V58H292M33 10h3M33 58h3M36 80V142H292M33 82h3M33 142h3"/>
    <polyline class="n stroke" style="stroke-width:1.5" points="${fall.join(" ")}"/>
    <polyline class="q stroke" style="stroke-width:2" points="${rise(1)}"/><polyline class="k stroke" style="stroke-width:2;stroke-dasharray:5 2" points="${rise(2)}"/>
    <text class="small soft end" x="30" y="13">${number(most, 1)}</text><text class="small soft end" x="30" y="61">0</text><text class="small soft end" x="288" y="14">loss ${loss}</text>
    <text class="small soft end" x="30" y="85">100 %</text><text class="small soft end" x="30" y="145">0</text>
    <text class="small q text" x="40" y="76">read of shown: ${percent(known)}</text><text class="small k text end" x="292" y="76">of ${done ? "" : "100 "}unseen: ${percent(unseen)}</text>
    <text class="small soft end" x="292" y="156">step ${steps.toLocaleString("en")}</text></svg>`;
}

function told(state) {
  const { pupil, running, shown, sorted, text } = state;
  const count = `${shown.toLocaleString("en")} numerals`;
  if (running) return `It is trained with ${count}${sorted ? ", each with its letters sorted" : ""}.`;
  if (!pupil) return `${count} are chosen${sorted ? ", and their letters are sorted" : ""}. The machine has learnt nothing yet.`;
  const n = valueOf(text);
  const wrote = text ? pupil.write(text) || "nothing" : "";
  if (n) return `${text} is ${n}.${sorted ? ` Sorted it is ${inOrder(text)}.` : ""} The machine, which ${pupil.known.includes(n) ? "was shown it" : "has never seen it"}, writes ${wrote}.`;
  if (text) return `${text} is no Roman numeral. Nobody has told the machine so, and it writes ${wrote}.`;
  if (!pupil.done) return `Stopped after ${pupil.step.toLocaleString("en")} steps.`;
  const [known, unseen] = pupil.done;
  const reads = `Shown ${count}${sorted ? " with sorted letters" : ""}, it has learnt to read ${percent(known)} of these, and ${percent(unseen)} of the ${UNSEEN} that it has never seen.`;
  if (!sorted) return `${reads} Now type one of your own.`;
  const most = (100 * Object.keys(everyFamily()).length) / LAST;
  return `${reads} Of all 3,999 that is ${ofAll({ known, unseen })} %, and at most ${number(most, 1)} % can be read.`;
}

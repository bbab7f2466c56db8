/* The reader trains a language model on a text: its surprise falls, it writes a little now and then, and at last as the reader likes. */

import { escape } from "../html.js";
import { SENTENCES, STORY } from "../own-texts.js";
import { inTurns } from "../turns.js";
import { LEAST, Writer } from "../writer.js";
import { at, number, says } from "./draw.js";

const TEXTS = [["A small story", STORY], ["Bold sentences of these lessons", SENTENCES]];
const [LONGEST, BEGINNING] = [100_000, 30]; // letters of a text, and of a beginning
const [TEMPERATURES, SHARES] = [[0.5, 0.8, 1, 1.5], [1, 0.9, 0.5]];
const WRITTEN = 200; // letters
const [EARLY, LEAST_HIGH] = [200, 4]; // the picture of the bits reaches up to what comes after so many steps, and at least so high

/** state: text, beginning, moments (steps at which it writes; the last one ends the training), seconds (about how long that takes),
    temperature, share, draw and seed; once it has begun also writer, work (what is left to do), running, spent (milliseconds), drawn (when
    it was last drawn) and written (what it wrote in the end). */
export const scribe = {
  begin(state) {
    state.text = STORY;
    state.beginning = firstWord(STORY);
  },

  view(state) {
    const { writer, running, text, seconds } = state;
    const label = running ? "Stop" : !writer ? "Train it" : writer.step === writer.steps ? "Train another one" : "Go on";
    const short = lengthOf(text) < LEAST;
    return `<div class="scribe"><div class="controls"><span>The text:</span>${TEXTS.map(([name, whole], i) =>
      `<button data-do="text" data-value="${i}" aria-pressed="${text === whole}" ${running ? "disabled" : ""}>${name}</button>`).join("")}<span>or one of yours, pasted here</span></div>
      <textarea data-field="text" aria-label="The text" rows="5" maxlength="${LONGEST}" spellcheck="false" ${running ? "disabled" : ""}>\n${escape(text)}</textarea>
      <div class="controls"><button data-do="${running ? "halt" : "train"}" ${short ? "disabled" : ""}>${label}</button>${writer ? progress(state)
        : `<span class="hint">It takes about ${seconds} seconds where we tried it. On a phone it can be minutes.</span>`}</div>
      ${writer ? `<div class="panels">${moments(writer)}${curves(writer)}</div>${state.written === undefined ? "" : writing(state)}` : ""}${says(told(state))}</div>`;
  },

  set(state, field, value) {
    state[field] = value;
    if (field === "text") Object.assign(state, { writer: null, written: undefined, beginning: firstWord(value) });
    else write(state);
  },

  act(state, name, value, element) {
    if (name === "text") return scribe.set(state, name, TEXTS[value][1]);
    if (name === "train" || name === "halt") return train(state, name === "train", element);
    if (name === "more") state.draw += 1;
    else state[name] = value;
    write(state);
  },

  seen: ({ writer }) => Boolean(writer) && writer.step === writer.steps,
};

const firstWord = (text) => (text.trim().match(/^\S{1,20}/)?.[0] ?? "") + " ";
const lengthOf = (text) => [...text].length;

function train(state, running, element) {
  state.running = running;
  if (!running) return write(state);
  state.written = undefined;
  if (!state.writer || state.writer.step === state.writer.steps) {
    state.seed += 1; // the first machine is the same each time
    state.writer = new Writer(state);
    Object.assign(state, { work: state.writer.train(), spent: 0 });
  }
  setTimeout(() => inTurns(state, element, write)); // the picture first
}

function write(state) {
  const { writer, beginning, temperature, share, draw } = state;
  if (writer && !state.running) state.written = writer.write({ beginning, number: WRITTEN, temperature, share, seed: draw });
}

function progress({ writer: { step, steps }, running, spent }) {
  const seconds = Math.ceil((spent * (steps - step)) / Math.max(step, 1) / 1000);
  const rest = step === steps ? `${Math.round(spent / 1000)} seconds` : !step ? "…" : running ? `about ${seconds} s left` : "stopped";
  return `<label><progress max="${steps}" value="${step}"></progress> step ${step.toLocaleString("en")} of ${steps.toLocaleString("en")}, ${rest}</label>`;
}

function moments({ wrote, beginning }) {
  const rows = wrote.map(([step, text]) => `<dt>${step ? `after ${step.toLocaleString("en")} steps` : "before the training"}</dt>
    <dd class="written"><b>${escape(beginning)}</b>${escape(text)}</dd>`);
  return `<div><p class="title">What it writes</p><dl>${rows.join("")}</dl></div>`;
}

function curves({ steps, looks, table }) {
  const later = looks.filter(([step]) => step >= EARLY).flatMap(([, known, unseen]) => [known, unseen]);
  const most = Math.max(LEAST_HIGH, table, ...later); // the first fall begins above the picture
  const [x, y] = [(step) => at(30 + (262 * step) / steps), (bits) => at(150 - (136 * bits) / most)];
  const line = (which) => looks.map((look) => `${x(look[0])},${y(look[which])}`).join(" ");
  const ticks = [1, 2, 3, 4].map((quarter) => (quarter * steps) / 4);
  const [, known, unseen] = looks.at(-1) ?? [0, NaN, NaN];
  const now = (bits) => (Number.isNaN(bits) ? "…" : number(bits, 2));
  return `<svg class="wide" viewBox="0 0 300 214" role="img" aria-label="Bits a letter, against the steps: ${now(known)} by now for the text that is shown, and ${now(unseen)} for the tenth that is unseen. The table that counts four letters has ${now(table)} there.">
    <clipPath id="seen"><path d="M30 14H296V152H30z"/></clipPath>
    <path class="axis" d="M30 14V150H292M27 14h3"/><path class="axis" style="stroke-dasharray:1.5 3" d="M30 ${y(table)}H292"/>
    <g clip-path="url(#seen)"><polyline class="q stroke" style="stroke-width:2" points="${line(1)}"/><polyline class="k stroke" style="stroke-width:2;stroke-dasharray:5 2" points="${line(2)}"/></g>
    <text class="small soft end" x="25" y="17">${number(most, 1)}</text><text class="small soft end" x="25" y="153">0</text><text class="small soft" x="30" y="9">bits a letter</text>
    ${ticks.map((step) => `<path class="axis" d="M${x(step)} 150v3"/><text class="small soft middle" x="${x(step)}" y="164">${step.toLocaleString("en")}</text>`).join("")}
    <text class="small soft" x="30" y="164">step</text><text class="small q text" x="30" y="182">shown part: ${now(known)}</text><text class="small k text" x="30" y="196">unseen tenth (dashed): ${now(unseen)}</text>
    <text class="small soft" x="30" y="210">there the careful table (dotted): ${now(table)}</text></svg>`;
}

function writing({ writer, beginning, temperature, share, written }) {
  const row = (title, name, values, on, word) => `<div class="controls"><span>${title}</span>${values.map((value) =>
    `<button data-do="${name}" data-value="${value}" aria-pressed="${value === on}">${word(value)}</button>`).join("")}</div>`;
  const heart = writer.byHeart(beginning, written);
  const letters = [...written];
  let html = "";
  letters.forEach((c, i) => {
    if (heart[i] && !heart[i - 1]) html += "<mark>";
    html += escape(c);
    if (heart[i] && !heart[i + 1]) html += "</mark>";
  });
  return `<div class="controls"><label>It begins with <input type="text" data-field="beginning" maxlength="${BEGINNING}" autocomplete="off" spellcheck="false" value="${escape(beginning)}"></label>
    <button data-do="more">Write once more</button></div>${row("Temperature", "temperature", TEMPERATURES, temperature, String)}${row("Top-p", "share", SHARES, share, (p) => (p === 1 ? "off" : String(p)))}
    <p class="written page"><b>${escape(beginning)}</b>${html}</p>`;
}

function told({ writer, running, text, written, beginning }) {
  if (lengthOf(text) < LEAST) return `A text must have ${LEAST} letters or more. This one has ${lengthOf(text)}.`;
  const length = lengthOf(text).toLocaleString("en");
  if (!writer) return `The text has ${length} letters, and the last tenth is put away. The machine has learnt nothing yet.`;
  if (running) return `It is trained on ${writer.known.length.toLocaleString("en")} letters.`;
  const early = writer.step < writer.steps ? `Stopped after ${writer.step.toLocaleString("en")} steps. ` : "";
  const heart = writer.byHeart(beginning, written).filter(Boolean).length;
  const [own, known] = [wordsOf(written), new Set(wordsOf(writer.text))];
  const found = own.filter((word) => known.has(word)).length;
  return `${early}${found} of the ${own.length} words stand in the text that it was shown. Coloured are ${heart} of the ${WRITTEN} letters: pieces of 20 or more that it took over letter by letter.`;
}

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{M}']+/gu) ?? [];

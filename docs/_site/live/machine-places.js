/* The same text in more and more places: what a machine reads that hides the padding, and one that takes it for letters;
   and where the second one looks when it writes one of its letters. */

import { escape } from "./html.js";
import { MOST_PADDED, TRAINED_LENGTH } from "./machine-state.js";
import { mapsOf, mapOf } from "./machine-run.js";
import { field } from "./machine-view.js";

const LOOKS = `
.more{display:grid;grid-template-columns:auto minmax(6em,1fr) 3.2em;gap:0 .8em;align-items:center;max-width:38em;margin:.6em 0 0}
.more input[type=range]{width:100%;margin:0}.more b{font-variant-numeric:tabular-nums}
.trail{grid-column:2;display:flex;height:.5em;margin:.4em .45em 0;gap:1px}.trail i{flex:1;background:var(--ca-line)}
.trail .right{background:var(--ca-values)}.trail .wrong{background:var(--ca-keys);height:.8em}
.batch{display:flex;flex-wrap:wrap;gap:.15em;margin:.7em 0 1em}
.batch span{width:1.35em;height:1.55em;line-height:1.5em;text-align:center;border:.05rem solid var(--md-default-fg-color--light);border-radius:.15em;font-family:var(--md-code-font-family,var(--md-code-font,monospace))}
.batch .letter-of{background:color-mix(in srgb,var(--ca-queries) calc(60%*var(--much)),transparent)}
.batch .empty{border-color:var(--ca-line);background:color-mix(in srgb,var(--ca-keys) calc(80%*var(--much)),color-mix(in srgb,var(--ca-hatch) 12%,transparent))}
.meter{max-width:38em;margin:.3em 0;font-variant-numeric:tabular-nums;font-weight:600}.meter p{display:flex;justify-content:space-between;margin:0}.meter .full{color:var(--ca-queries)}.meter .hollow{color:var(--ca-keys)}
.meter div{height:1.1em;border-radius:.2em;overflow:hidden;background:var(--ca-keys)}.meter i{display:block;height:100%;width:var(--share);background:var(--ca-queries)}
.looks-at{margin:.9em 0 0}.reads .strip button{min-width:1.45em;min-height:1.75em;padding:0;line-height:1.6em;font-family:var(--md-code-font-family,var(--md-code-font,monospace));font-size:1.15em;border-color:var(--ca-line);border-radius:.15em}
.reads .strip button[aria-pressed=true]{background:var(--md-default-bg-color);color:inherit;outline:.16rem solid var(--md-accent-fg-color);outline-offset:.08rem;position:relative;z-index:1}.reads .strip button.bad[aria-pressed=true]{background:var(--ca-keys);color:var(--md-default-bg-color)}
.reads{display:grid;grid-template-columns:minmax(0,15.5em) auto 1fr;gap:.35em .8em;align-items:center;margin:.3em 0}
.reads .strip{margin:0;flex-wrap:nowrap}.reads .strip span{min-width:1.45em;line-height:1.75em;text-align:center;border:.05rem solid var(--ca-line);border-radius:.15em;font-family:var(--md-code-font-family,var(--md-code-font,monospace));font-size:1.15em}
.reads .strip .bad{background:var(--ca-keys);border-color:transparent;color:var(--md-default-bg-color);font-weight:700}
.reads .tick{color:var(--ca-values);font-weight:700}.reads .cross{color:var(--ca-keys);font-weight:700}
@container (max-width:34em){.reads{grid-template-columns:auto 1fr}.reads .who{grid-column:1/3;margin-top:.4em}}
.batch .free{border:.05rem dotted var(--ca-line)}
@media (prefers-reduced-motion:no-preference){.meter i{transition:width .25s ease-out}.batch .empty{animation:fills .35s ease-out}@keyframes fills{from{opacity:0;transform:scale(.4)}}}
`;

/** A text to type, places to drag, and below them the two answers. */
export function emptiness(machine) {
  const { result, text, siblings, state, plain } = machine;
  const count = Math.max(TRAINED_LENGTH, result.padded.length);
  const empty = count - text.length;
  const right = plain ?? result.before.answer; // a text that is no date can't be judged: then the two are compared
  const [told, untold] = [machine.reference, state.sibling].map((name) => siblings.find((one) => one.name === name).title);
  const wrong = differing(result.answer, right).length;
  const place = Math.min(Math.max(state.at, 0), result.steps.length - 1);
  const weights = mapOf(mapsOf(result, "cross"), -1)[place];
  const much = (j) => `style="--much:${Math.min(Math.sqrt(weights[j] / STRONG), 1).toFixed(3)}"`;
  const cells = [...text].map((letter, j) => `<span class="letter-of" ${much(j)}>${letter === " " ? "␣" : escape(letter)}</span>`);
  const hollow = [...Array(empty).keys()].map((j) => `<span class="empty" ${much(text.length + j)}></span>`);
  return `<div class="box">${field(machine)}
    <label class="more"><span>Places</span><input type="range" data-field="places" min="${Math.max(TRAINED_LENGTH, text.length)}" max="${MOST_PADDED}"
    value="${count}" aria-label="Places" aria-valuetext="${count} places, ${empty} of them empty"><b>${count}</b>
    ${trail(machine, count, plain ? wrong === 0 : null)}</label>
    <div class="batch" role="img" aria-label="The ${text.length} letters of the text, and ${empty} empty places behind them.">${cells.join("")}${hollow.join("")}${'<span class="free"></span>'.repeat(MOST_PADDED - count)}</div>
    ${reads(told, result.before.answer, right, plain)}${reads(untold, result.answer, right, plain, place)}
    ${meter(result, text, weights, place)}
    <p class="says" aria-live="polite">${escape(saidOf(empty, wrong, machine))}</p></div><style>${LOOKS}</style>`;
}

const STRONG = 0.25; // a weight that has the full colour

/** How the weight is shared between letters and empty places, when one letter of the answer is written. */
function meter({ steps }, text, weights, place) {
  const full = weights.slice(0, text.length).reduce((sum, x) => sum + x, 0);
  const [letters, emptiness] = [Math.round(100 * full), 100 - Math.round(100 * full)];
  const name = steps[place].text === "end" ? "the end mark" : `“${steps[place].text}”`;
  return `<p class="looks-at">Where the second machine looks when it writes ${escape(name)}. Press another letter of its answer.</p>
    <div class="meter"><p><span class="full">letters ${letters} %</span><span class="hollow">emptiness ${emptiness} %</span></p><div aria-hidden="true"><i style="--share:${letters}%"></i></div></div>`;
}

const differing = (said, right) => [...right].map((_, i) => i).filter((i) => said[i] !== right[i]);

/** One machine's answer. isJudged: whether it is known what is right; chosen: the letter whose look is shown, so that the letters can be pressed. */
function reads(who, said, right, isJudged, chosen) {
  const wrong = differing(said, right);
  const letters = [...said].map((letter, i) => {
    const kind = wrong.includes(i) ? "bad" : "";
    return chosen === undefined ? `<span class="${kind}">${escape(letter)}</span>`
      : `<button class="${kind}" data-do="point" data-value="answer ${i}" aria-pressed="${i === chosen}" aria-label="letter ${i + 1} of the answer: ${escape(letter)}">${escape(letter)}</button>`;
  });
  const sign = !isJudged ? "" : wrong.length || said.length > right.length ? '<span class="cross" aria-label="wrong">✗</span>' : '<span class="tick" aria-label="right">✓</span>';
  return `<div class="reads"><span class="who">${escape(who)}</span><div class="strip" ${chosen === undefined ? 'role="img"' : 'role="group"'} aria-label="It writes ${escape(said || "nothing")}.">${letters.join("")}</div>${sign}</div>`;
}

/** A tick for each number of places; those that the reader has tried with this text show how the answer was. */
function trail(machine, count, isRight) {
  if (machine.trail?.text !== machine.text) machine.trail = { text: machine.text, tried: new Map() };
  const { tried } = machine.trail;
  tried.set(count, isRight);
  const low = Math.max(TRAINED_LENGTH, machine.text.length);
  const ticks = Array.from({ length: MOST_PADDED - low + 1 }, (_, i) => `<i class="${{ true: "right", false: "wrong" }[tried.get(low + i)] ?? ""}"></i>`);
  return `<span class="trail" aria-hidden="true">${ticks.join("")}</span>`;
}

function saidOf(empty, wrong, { problem, result, text, plain }) {
  if (problem) return `The letters above are those of the last text that could be read: “${text}”.`;
  const behind = `Behind the ${text.length} letters stand ${empty} empty places`;
  if (!plain) return `${behind}. This page cannot read the text as a date, so it only compares: the two machines write ${wrong ? "different answers" : "the same"}.`;
  if (!wrong) return `${behind}, and ${result.answer === result.before.answer ? "both machines write the same date" : "the second machine is right"}.`;
  return `${behind}, and the second machine writes ${wrong} wrong ${wrong === 1 ? "letter" : "letters"}.`;
}

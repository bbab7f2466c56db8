/* One look as a picture that moves: each letter's vector as a column, as wide as its weight; the columns side by side fill one vector, and mix.
   With several heads each piece of a vector has a width of its own, and what belongs to no letter, padding or a sink, has a frame. */

import { escape } from "../html.js";
import { at, player, says, sum } from "./draw.js";
import { told } from "../mixing-words.js";

const STAGES = ["Vectors", "Weights", "Side by side", "Mixture"];
const [STEP, HIGH, TOP, LEFT, FULL] = [20, 7, 24, 112, 240]; // of a letter, a number; where the columns and the block begin, and how wide it is
const [ACROSS, GAP, MARGIN] = [24 * STEP, 22, 62]; // of all letters, between two heads, and left of them
const PATIENCE = 6; // pictures for which each stage stays, when it goes on by itself
const NAMED = 0.06; // a smaller share has no name
const PALE = 0.7; // lifts small numbers, so that one large one does not leave them without colour
const STYLE_OF_MIXING = `<style>
.mixing .ghost{opacity:.16}.mixing .mixed{opacity:0}.mixing .mixed.is-there{opacity:1}.mixing .fades{opacity:0}.mixing .fades.is-there{opacity:1}.mixing text{font-size:14px}
.mixing-answer{display:flex;flex-wrap:wrap;gap:.2em;align-items:center}.mixing-answer button{font-family:var(--md-code-font-family,var(--md-code-font,monospace));min-width:1.9em;padding:.1em .3em}
@media (prefers-reduced-motion:no-preference){.mixing :is(.column,.merges){transition:transform 1s ease-in-out}.mixing .mixed{transition:opacity .8s}.mixing .fades{transition:opacity .5s}}
</style>`;

/** state: kind (which words are said), text, looks (each with a name, answer, which are the letters that look, vectors of the places, of which some
 * numbers are drawn, and weights: for each letter of the answer one for each place, or such a row for each head), look, chosen (which letter looks), rest (what the places
 * after the text are called), stage (of STAGES), waited (pictures since it began, when it goes on by itself) and playing. */
export const mixing = {
  view(state) {
    const { text, looks, look, chosen, rest, stage, playing } = state;
    const { vectors, weights, answer } = looks[look];
    const heads = Array.isArray(weights[chosen][0]) ? weights[chosen] : [weights[chosen]];
    const most = Math.max(...vectors.flat().map(Math.abs));
    const of = vectors[0].length / heads.length; // numbers of a head
    const tall = of * HIGH + GAP;
    const block = TOP + heads.length * tall - GAP + 40;
    const strip = (vector) => vector.map((x, n) => `<rect x="0" y="${n * HIGH}" width="1" height="${HIGH - 1}" fill="var(--ca-${x > 0 ? "queries" : "keys"})" fill-opacity="${at((Math.abs(x) / most) ** PALE)}"/>`).join("");
    const piece = (vector, head) => vector.slice(head * of, (head + 1) * of);
    const columns = (kind, when) => heads.flatMap((shares, head) => vectors.map((vector, i) => `<g class="${kind}" style="transform:${moved(placed({ shares, i, stage: when, places: vectors.length, text, top: head * tall, block }))}">${strip(piece(vector, head))}</g>`)).join("");
    const joined = stage === 3 ? of * HIGH : tall; // the mixtures of all heads are one vector again
    const mixtures = heads.map((shares, head) => `<g class="merges" style="transform:translate(${LEFT}px,${block + head * joined}px) scale(${FULL},1)">${strip(piece(vectors[0], head).map((_, n) => sum(shares.map((share, i) => share * vectors[i][head * of + n]))))}</g>`);
    const letters = [...text].map((letter, i) => `<text class="middle" x="${STEP * (i + 0.5)}" y="16">${shown(letter)}</text>`);
    const after = rest ? `<text class="soft" x="${STEP * text.length + 4}" y="16">${rest}</text>` : "";
    const empty = rest === "sink" && stage < 2 ? framed(placed({ shares: heads[0], i: text.length, stage, places: vectors.length, text, top: 0, block }), of * HIGH) : "";
    const names = heads.map((shares, head) => named({ shares, text, rest, top: block + head * tall, high: of * HIGH }));
    const borders = heads.map((_, head) => bordered(block + head * joined, of * HIGH, heads.length > 1 ? `head ${head + 1}` : "1 in all"));
    const left = heads.length > 1 ? heads.map((_, head) => `<text class="soft end" x="-8" y="${TOP + head * tall + (of * HIGH) / 2 + 5}">head ${head + 1}</text>`).join("") : "";
    const asks = rest === "sink" ? { says: "It looks from", of: "those that look" } : { says: "It writes", of: "the answer" };
    const keys = [...answer].map((letter, i) => `<button data-do="chosen" data-value="${i}" aria-pressed="${i === chosen}" aria-label="letter ${i + 1} of ${asks.of}, ${letter}">${shown(letter)}</button>`);
    const stages = STAGES.map((name, i) => `<button data-do="stage" data-value="${i}" aria-pressed="${i === stage}">${name}</button>`);
    const ways = looks.map(({ name }, i) => `<button data-do="look" data-value="${i}" aria-pressed="${i === look}">${name}</button>`);
    const margin = left ? MARGIN : 0;
    return `${STYLE_OF_MIXING}<div class="mixing-answer" role="group" aria-label="Letter of ${asks.of}"><span>${asks.says}</span>${keys.join("")}</div>
      ${looks.length > 1 ? `<div class="controls" role="group" aria-label="What it looks at">${ways.join("")}</div>` : ""}
      <svg class="mixing" viewBox="${-margin} 0 ${ACROSS + margin} ${block + heads.length * tall - GAP + 6}" style="max-width:44em" role="img" aria-label="${drawn(state, heads)}">
      ${letters.join("")}${after}${empty}${left}${stage > 1 ? columns("ghost", 1) : ""}<g ${stage === 3 ? 'class="fades"' : ""}>${columns("column", stage)}</g>
      <g class="mixed ${stage === 3 ? "is-there" : ""}">${mixtures.join("")}</g><g class="fades ${stage === 2 ? "is-there" : ""}">${names.join("")}</g><g class="fades ${stage > 1 ? "is-there" : ""}">${borders.join("")}</g></svg>
      <div class="controls">${stages.join("")}${player("Let it look", playing)}</div>${says(told(state, heads))}`;
  },

  act(state, name, value) {
    state[name] = value;
    if (name === "chosen" && state.stage !== 2) state.stage = 1; // where widths can be seen
  },

  /** Go to the next stage, or from the last one back to the first; say whether there are more. */
  play(state) {
    state.waited = ((state.waited ?? 0) + 1) % PATIENCE;
    if (state.waited === 1) state.stage = (state.stage + 1) % STAGES.length;
    return state.stage < STAGES.length - 1;
  },

  /** With several looks the reader compares them, and with a sink one letter and another. */
  seen: ({ stage, look, looks, rest, chosen }, start) => {
    if (looks.length > 1) return look === looks.length - 1 && stage > 1;
    return rest === "sink" ? chosen !== start.chosen && stage > 0 : stage === 3;
  },
};

const shown = (letter) => (letter === " " ? "␣" : escape(letter));

/** Where a column stands, and how wide it is: all alike, as wide as its weight, or side by side with the others. */
function placed({ shares, i, stage, places, text, top, block }) {
  if (stage > 1) return [LEFT + FULL * sum(shares.slice(0, i)), block + top, FULL * shares[i]];
  const far = i - text.length; // the places after the text share the room that is left
  const step = far < 0 ? STEP : Math.min(STEP, (ACROSS - STEP * text.length) / (places - text.length));
  const middle = far < 0 ? STEP * (i + 0.5) : STEP * text.length + step * (far + 0.5);
  const wide = 0.75 * step * (stage === 0 ? 1 : shares[i]);
  return [middle - wide / 2, TOP + top, wide];
}

const moved = ([x, y, wide]) => `translate(${at(x)}px,${at(y)}px) scale(${at(wide)},1)`;
const framed = ([x, y, wide], high) => `<rect class="axis dashed" x="${at(x)}" y="${at(y)}" width="${at(wide)}" height="${high}"/>`;

/** The names of the wide columns of one head, and the part that belongs to no letter. */
function named({ shares, text, rest, top, high }) {
  const from = (i) => LEFT + FULL * sum(shares.slice(0, i));
  const names = [...text].map((letter, i) => (shares[i] < NAMED ? "" : `<text class="middle" x="${at(from(i) + (FULL * shares[i]) / 2)}" y="${top - 6}">${shown(letter)}</text>`));
  const others = sum(shares.slice(text.length));
  const frame = others < NAMED / 2 ? "" : framed([from(text.length), top, FULL * others], high);
  const after = others < NAMED ? "" : `<text class="${others < 0.3 ? "" : "middle"}" x="${at(from(text.length) + (others < 0.3 ? 2 : (FULL * others) / 2))}" y="${top - 6}">${rest}</text>`;
  return `${names.join("")}${frame}${after}`;
}

const bordered = (top, high, called) => `<path class="axis" d="M${LEFT} ${top}v${high}M${LEFT + FULL} ${top}v${high}"/><text class="soft end" x="${LEFT - 8}" y="${top + high / 2 + 5}">${called}</text>`;

function drawn(state, heads) {
  const { text, looks, look, rest } = state;
  return `The letters of ${escape(text)}${rest ? `, then ${rest}` : ""}, and below each a column of ${looks[look].vectors[0].length} coloured squares. ${told({ ...state, stage: 1 }, heads)}`;
}

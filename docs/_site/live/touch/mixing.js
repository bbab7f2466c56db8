/* One look as a picture that moves: each letter's vector as a column, as wide as its weight; the columns side by side fill one vector, and mix. */

import { escape } from "../html.js";
import { at, number, player, says, sum } from "./draw.js";

const STAGES = ["Vectors", "Weights", "Side by side", "Mixture"];
const [STEP, WIDE, HIGH, TOP, BLOCK, LEFT, FULL] = [20, 15, 7, 24, 176, 112, 240]; // of a letter, a column, a number; of the columns and of the block
const PATIENCE = 6; // pictures for which each stage stays, when it goes on by itself
const NAMED = 0.06; // a smaller share has no name
const PALE = 0.7; // lifts small numbers, so that one large one does not leave them without colour
const STYLE_OF_MIXING = `<style>
.mixing .ghost{opacity:.16}.mixing .mixed{opacity:0}.mixing .mixed.is-there{opacity:1}.mixing .fades{opacity:0}.mixing .fades.is-there{opacity:1}
.mixing-answer{display:flex;flex-wrap:wrap;gap:.2em;align-items:center}.mixing-answer button{font-family:var(--md-code-font-family,var(--md-code-font,monospace));min-width:1.9em;padding:.1em .3em}
@media (prefers-reduced-motion:no-preference){.mixing .column{transition:transform 1s ease-in-out}.mixing .mixed{transition:opacity .8s}.mixing .fades{transition:opacity .5s}}
</style>`;

/** state: text, answer, vectors (of each letter of the text, some of their numbers), weights (for each letter of the answer, one for each letter of
 * the text), chosen (which letter of the answer), stage (of STAGES), waited (pictures since it began, when it goes on by itself) and playing. */
export const mixing = {
  view(state) {
    const { text, answer, vectors, weights, chosen, stage, playing } = state;
    const shares = weights[chosen];
    const most = Math.max(...vectors.flat().map(Math.abs));
    const strip = (vector) => vector.map((x, n) => `<rect x="0" y="${n * HIGH}" width="1" height="${HIGH - 1}" fill="var(--ca-${x > 0 ? "queries" : "keys"})" fill-opacity="${at((Math.abs(x) / most) ** PALE)}"/>`).join("");
    const mixture = vectors[0].map((_, n) => sum(shares.map((share, i) => share * vectors[i][n])));
    const letters = [...text].map((letter, i) => `<text class="middle" style="font-size:15px" x="${STEP * (i + 0.5)}" y="16">${letter === " " ? "␣" : escape(letter)}</text>`);
    const columns = vectors.map((vector, i) => `<g class="column" style="transform:${placed(shares, i, stage)}">${strip(vector)}</g>`);
    const ghosts = vectors.map((vector, i) => `<g style="transform:${placed(shares, i, 1)}">${strip(vector)}</g>`);
    const down = stage > 1 ? "is-there" : "";
    const names = shares.map((share, i) => (share < NAMED ? "" : `<text class="middle" style="font-size:14px" x="${at(LEFT + FULL * (before(shares, i) + share / 2))}" y="${BLOCK - 6}">${text[i] === " " ? "␣" : escape(text[i])}</text>`));
    const keys = [...answer].map((letter, i) => `<button data-do="chosen" data-value="${i}" aria-pressed="${i === chosen}" aria-label="letter ${i + 1} of the answer, ${letter}">${letter}</button>`);
    const stages = STAGES.map((name, i) => `<button data-do="stage" data-value="${i}" aria-pressed="${i === stage}">${name}</button>`);
    return `${STYLE_OF_MIXING}<div class="mixing-answer" role="group" aria-label="Letter of the answer"><span>It writes</span>${keys.join("")}</div>
      <svg class="mixing" viewBox="0 0 ${STEP * text.length} ${BLOCK + HIGH * vectors[0].length + 6}" style="max-width:38em" role="img" aria-label="${drawn(state, shares)}">
      ${letters.join("")}${stage > 1 ? `<g class="ghost">${ghosts.join("")}</g>` : ""}<g ${stage === 3 ? 'class="fades"' : ""}>${columns.join("")}</g>
      <g class="mixed ${stage === 3 ? "is-there" : ""}" style="transform:translate(${LEFT}px,${BLOCK}px) scale(${FULL},1)">${strip(mixture)}</g>
      <g class="fades ${down}">${names.join("")}<path class="axis" d="M${LEFT} ${BLOCK}V${BLOCK + HIGH * vectors[0].length}M${LEFT + FULL} ${BLOCK}V${BLOCK + HIGH * vectors[0].length}"/>
      <text class="soft end" style="font-size:14px" x="${LEFT - 8}" y="${BLOCK + 60}">1 in all</text></g></svg>
      <div class="controls">${stages.join("")}${player("Let it look", playing)}</div>${says(told(state, shares))}`;
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

  seen: ({ stage }) => stage === STAGES.length - 1,
};

const before = (shares, i) => sum(shares.slice(0, i));

/** Where a column stands, and how wide it is: all alike, as wide as its weight, or side by side with the others. */
function placed(shares, i, stage) {
  const middle = STEP * (i + 0.5);
  const wide = stage === 0 ? WIDE : WIDE * shares[i];
  if (stage < 2) return `translate(${at(middle - wide / 2)}px,${TOP}px) scale(${at(wide)},1)`;
  return `translate(${at(LEFT + FULL * before(shares, i))}px,${BLOCK}px) scale(${at(FULL * shares[i])},1)`;
}

function drawn({ text, vectors }, shares) {
  return `The letters of ${escape(text)}, and below each a column of ${vectors[0].length} coloured squares. ${largest(text, shares)}`;
}

function largest(text, shares) {
  const order = shares.map((share, i) => [share, text[i] === " " ? "a space" : `the ${escape(text[i])}`]).sort((a, b) => b[0] - a[0]);
  const three = order.slice(0, 3).map(([share, letter], i) => `${letter} ${i ? "" : "gets "}${number(share, 3)}`).join(", ");
  return `${three[0].toUpperCase()}${three.slice(1)}, and the other ${order.length - 3} letters share ${number(1 - sum(order.slice(0, 3).map(([share]) => share)), 3)}.`;
}

function told({ text, answer, chosen, stage, vectors }, shares) {
  const writes = `It is about to write the ${answer[chosen]}.`;
  return [
    `Each letter of the text has a vector. Of its 64 numbers ${vectors[0].length} are drawn, blue above 0 and orange below.`,
    `${writes} Each column shrinks to its weight. ${largest(text, shares)}`,
    `Side by side (and drawn larger) the columns are exactly one vector wide, because the weights make 1 together. ${largest(text, shares)}`,
    "Now each row is one colour, the average of what stood there. The mixture is a vector again, and from it the machine computes what to write.",
  ][stage];
}

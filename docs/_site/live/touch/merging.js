/* Pieces of a row of scores that workers have read apart from each other: the reader merges any two of them, until one is left. */

import { at, number, says, sum } from "./draw.js";

const [WIDE, HIGH, LEAST] = [16, 40, 108];

/** What a worker hands over of the keys that it has read: the largest score, the powers, and both sums. */
function read({ scores, values, name }) {
  const largest = Math.max(...scores);
  const powers = scores.map((s) => Math.exp(s - largest));
  return { scores, values, name, largest, powers, total: sum(powers), weighted: sum(powers.map((p, i) => p * values[i])) };
}

/** Two pieces in one, by nothing but what was handed over: both are measured from the larger score. */
function merge(one, other) {
  const largest = Math.max(one.largest, other.largest);
  const [mend, mendOther] = [one, other].map((each) => Math.exp(each.largest - largest));
  const both = (part) => one[part] * mend + other[part] * mendOther;
  return {
    scores: [...one.scores, ...other.scores],
    values: [...one.values, ...other.values],
    name: `(${one.name} ${other.name})`,
    largest,
    powers: [...one.powers.map((p) => p * mend), ...other.powers.map((p) => p * mendOther)],
    total: both("total"),
    weighted: both("weighted"),
  };
}

/** state: keys (each {scores, values, name}, of one key), pieces (what is left of them; none before the first merging), chosen (the piece that
 * waits for another, or -1), told. */
export const merging = {
  view({ keys, pieces, chosen, told }) {
    const all = pieces ?? keys.map(read);
    const buttons = all.map((each, i) => `<button data-do="pick" data-value="${i}" aria-pressed="${i === chosen}" ${all.length === 1 ? "disabled" : ""}
      style="opacity:1;padding:.4em .2em">${drawn(each)}</button>`);
    const [last] = all;
    const end = all.length === 1 ? ` One is left, and ${number(last.weighted, 4)} / ${number(last.total, 4)} = ${number(last.weighted / last.total)}.` : "";
    return `<div class="controls" style="gap:.4em" role="group" aria-label="Pieces to merge">${buttons.join("")}</div>
      ${says((told || (chosen < 0 ? "Press two pieces." : "Press another one.")) + end)}
      <div class="controls"><button data-do="again">Start again</button></div>`;
  },

  act(state, name, value) {
    const { chosen } = state;
    state.told = "";
    if (chosen < 0 || chosen === value) {
      state.chosen = chosen === value ? -1 : value;
      return;
    }
    const pieces = state.pieces ?? state.keys.map(read);
    const [one, other] = [pieces[chosen], pieces[value]];
    state.pieces = pieces.map((each, i) => (i === chosen ? merge(one, other) : each)).filter((_, i) => i !== value);
    state.chosen = -1;
    const [low, high] = [one, other].map((each) => each.largest).sort((a, b) => a - b);
    state.told = low === high ? "Both have the same largest score, so nothing is mended." : `What was measured from ${low} is mended: times e<sup>${low} − ${high}</sup> = ${number(Math.exp(low - high), 4)}.`;
  },
};

/** A number with four digits, or a whole one as it is. */
const short = (x) => number(x, Number.isInteger(x) ? 0 : 4);

function drawn({ scores, values, name, largest, powers, total, weighted }) {
  const wide = Math.max(WIDE * scores.length, LEAST);
  const left = (wide - WIDE * scores.length) / 2;
  const bars = powers.map((power, i) => {
    const high = Math.max(HIGH * power, 1);
    return `<rect class="k fill" x="${left + WIDE * i + 2}" y="${at(HIGH - high)}" width="${WIDE - 4}" height="${at(high)}"/>
      <text class="small middle" x="${left + WIDE * (i + 0.5)}" y="${HIGH + 10}">${scores[i]}</text>`;
  });
  const label = `scores ${scores.join(", ")}, values ${values.join(", ")}: largest ${largest}, sums ${number(total, 4)} and ${number(weighted, 4)}`;
  const lines = [scores.length > 1 ? name : "", `largest ${largest}`, `sum ${short(total)}`, `times values ${short(weighted)}`];
  return `<svg viewBox="0 0 ${wide} ${HIGH + 58}" style="width:${at(wide / 11)}em" role="img" aria-label="${label}">${bars.join("")}
    ${lines.map((line, i) => `<text class="${i ? "small" : ""} middle" x="${wide / 2}" y="${HIGH + 24 + 11 * i}">${line}</text>`).join("")}</svg>`;
}

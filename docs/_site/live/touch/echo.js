/* The two steps of an induction head, on the maps of a trained machine: who is found, and what had been noted there. */

import { at, number, player, says } from "./draw.js";

const [WIDE, LEFT, TOP, LOW] = [26, 10, 82, 102];
const SEEN = 0.02; // a smaller weight has no arc

/** state: text (that comes again), period, place (of the letter that asks), layers (two maps of weights), said (the letter that the machine
 * says at each place), sure (its probability) and playing (whether it goes on by itself). */
export const echo = {
  view({ text, period, place, layers, said, sure, playing }) {
    const second = layers[1][place];
    const found = second.indexOf(Math.max(...second));
    const first = layers[0][found];
    const noted = first.indexOf(Math.max(...first));
    const letters = [...text];
    const buttons = letters.map((letter, i) => `<button data-do="place" data-value="${i}" aria-pressed="${i === place}"
      aria-label="${letter}, place ${i}">${letter}</button>`);
    const deep = Math.max(...layers[0].flatMap((row, i) => row.map((weight, j) => (weight < SEEN ? 0 : Math.abs(i - j)))));
    const stands = (i) => `${letters[i]} at place ${i}`;
    const right = place < period - 1 ? "nobody can know yet" : letters[place + 1 - period];
    return `<div class="letters" role="group" aria-label="The letter that asks">${buttons.join("")}</div><div class="controls">${player("Read on", playing)}</div>
      <p class="title">Layer 2: where ${letters[place]} looks</p>
      <svg viewBox="0 0 ${LEFT + WIDE * letters.length} ${LOW + high(deep) / 2 + 6}" style="max-width:36em" role="img" aria-label="The letters in a row. Arcs above: where
        the chosen letter looks in layer 2. Arcs below: where the letter that it finds had looked in layer 1.">
        ${arcs(second, place, -1, "q")}
        ${letters.map((letter, i) => `<g data-do="place" data-value="${i}" style="cursor:pointer"><text class="middle ${i === place ? "q text" : i === found ? "k text" : ""}"
          style="font-size:15px" x="${middle(i)}" y="${TOP + 14}">${letter}</text></g>`).join("")}
        ${arcs(first, found, 1, "k")}</svg><p class="title">Layer 1: where ${letters[found]} had looked, for its note</p>
      ${says(`Layer 2: the ${stands(place)} looks most at the ${stands(found)} (${number(second[found])}). Layer 1: that ${letters[found]} had looked most at the
        ${stands(noted)} (${number(first[noted])}). The machine says ${said[place]} (${number(sure[place])}); right: ${right}.`)}`;
  },

  act(state, name, value) {
    state.place = value;
  },

  /** Go to the next letter, or from the last one back to the first; say whether there are more. */
  play(state) {
    state.place = (state.place + 1) % state.text.length;
    return state.place < state.text.length - 1;
  },
};

const high = (distance) => 16 + 10 * Math.abs(distance); // an arc reaches half as far
const middle = (i) => at(LEFT + WIDE * (i + 0.3));

function arcs(weights, from, side, kind) {
  return weights.map((weight, to) => {
    if (weight < SEEN) return "";
    const [y, width] = [side < 0 ? TOP : LOW, at(9 * weight)];
    const x = middle(to);
    const path = to === from ? `M${x - 4} ${y}C${x - 14} ${y + 18 * side} ${x + 14} ${y + 18 * side} ${x + 4} ${y}`
      : `M${middle(from)} ${y}Q${at((middle(from) + x) / 2)} ${y + side * high(from - to)} ${x} ${y}`;
    return `<path class="${kind} stroke" style="stroke-width:${width};stroke-linecap:round" d="${path}"/>`;
  }).join("");
}

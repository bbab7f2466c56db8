/* A bias that depends on distance: each place away costs the same, and the map of weights becomes a band. */

import { softmax } from "../engine/attention.js";
import { heat } from "./cards.js";
import { number, says, slider, sum } from "./draw.js";

const MOST = 2; // the highest price

/** state: letters, scores (a row for each letter that looks, which sees nothing that comes later), price (of a place). */
export const price = {
  view({ letters, scores, price: each }) {
    const last = letters.length - 1;
    const weights = scores.map((row, i) => softmax(row.map((score, j) => (j > i ? -Infinity : score - each * (i - j)))));
    const costs = scores.map((row, i) => row.map((_, j) => (j > i ? 0 : (each * (i - j)) / (MOST * last))));
    const near = sum(weights.map((row, i) => row[i] + (row[i - 1] ?? 0))) / weights.length;
    return `<div class="controls">${slider("Price of a place", "price", each, [0, MOST, 0.1], number(each, 1))}</div>
      <div class="panels"><div class="map"><p class="title">what each score loses</p>${heat(letters, costs, "cost")}</div>
      <div class="map"><p class="title">the weights</p>${heat(letters, weights, "weight")}</div></div>
      ${says(`The last letter takes ${number(each, 1)} off the score of its neighbour, and ${number(each * last, 1)} off the score of the start mark, ${last} places away.
        On average a letter gives ${number(100 * near, 0)} % of its weight to itself and its neighbour.`)}<p class="hint">What comes later is hatched. Small numbers are drawn stronger than they are.</p>`;
  },
};

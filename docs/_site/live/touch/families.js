/* Numbers whose Roman numerals have the same letters: who reads the letters without their order takes them for one. */

import { everyFamily, inOrder, LAST, numeral } from "../roman.js";
import { says } from "./draw.js";

let known;

/** state: n (the reader's number) and examples. */
export const families = {
  view({ n, examples }) {
    const buttons = examples.map((example) => `<button data-do="example" data-value="${example}">${example}</button>`);
    const head = `<div class="controls"><label>A number from 1 to 3,999 <input type="number" min="1" max="${LAST}" value="${n}" data-field="n"></label>${buttons.join("")}</div>`;
    if (!(Number.isInteger(n) && n >= 1 && n <= LAST)) return `${head}${says("No Roman numeral stands for this.")}`;
    known ??= everyFamily();
    const sorted = inOrder(numeral(n));
    const family = known[sorted];
    const members = family.map((one) => `<span>${numeral(one)} = ${one}</span>`);
    return `${head}<div class="pieces">${members.join("")}</div>
      ${says(`Sorted, ${numeral(n)} becomes ${sorted}. ${family.length === 1 ? "No other number does, so that this one can be read." :
        `So ${family.length === 2 ? "does one other number" : `do ${family.length - 1} other numbers`}, and only one of the ${family.length} can be read rightly.`}`)}`;
  },

  act(state, name, value) {
    state.n = value;
  },
};

/* Query heads that ask the same keys and values: what each brings back, and what it can reach at all. */

import { softmax } from "../engine/attention.js";
import { at, check, number, says, slider, sum } from "./draw.js";

const [LEFT, UNIT, ROW, MOST] = [50, 4.4, 24, 60]; // of the drawing; and the largest value that it has room for

/** state: queries (a number for each head), keys and values (numbers, for each key head), owned (the same for each head, if none shares)
 * and own (whether each head has its own now). */
export const asking = {
  view({ queries, owned, own, ...shared }) {
    const { keys, values } = own ? owned : shared;
    const met = queries.map((_, i) => Math.floor((i * keys.length) / queries.length));
    const found = queries.map((query, i) => {
      const weights = softmax(keys[met[i]].map((key) => query * key));
      return sum(weights.map((weight, j) => weight * values[met[i]][j]));
    });
    const rows = found.map((output, i) => {
      const [y, ends] = [12 + ROW * i, values[met[i]]];
      const [low, high] = [Math.min(...ends), Math.max(...ends)].map(x);
      return `<text class="small" x="0" y="${y + 3}">head ${i + 1}</text><path class="line" d="M${x(0)} ${y}H${x(MOST)}"/>
        <path class="k stroke" style="stroke-width:5" d="M${low} ${y}H${high}"/><circle class="q fill" cx="${x(output)}" cy="${y}" r="6"/>`;
    });
    const floor = 12 + ROW * queries.length;
    const ticks = Array.from({ length: MOST / 10 + 1 }, (_, n) => `<text class="small soft middle" x="${x(10 * n)}" y="${floor}">${10 * n}</text>`);
    const sliders = queries.map((query, i) => slider(`Query of head ${i + 1}`, i, query, [-3, 3, 0.25], number(query)));
    return `<svg viewBox="0 0 330 ${floor + 4}" style="max-width:36em" role="img" aria-label="A row for each query head: an orange bar between the
      values that it can mix, and on it a blue point at what it brings back.">${rows.join("")}${ticks.join("")}</svg>
      <div class="controls q">${sliders.join("")}${check("each head its own keys and values", "own", own)}<button data-do="again">Start again</button></div>
      ${says(`${found.map((output, i) => `${i ? "head" : "Head"} ${i + 1} brings back ${number(output)}`).join(", ")}.`)}
      <p class="hint">The orange bar joins the two values that a head meets, and the blue point shows what it brings back.</p>`;
  },

  set(state, field, value) {
    if (field === "own") state.own = value;
    else state.queries[field] = value;
  },

  seen: ({ own }) => own,
};

const x = (value) => at(LEFT + UNIT * value);

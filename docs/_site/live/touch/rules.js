/* What is done to the scores of one query, rule after rule: the table of the lesson, each row of which can be switched. */

import { at, check, number, player, says, slider, sum } from "./draw.js";

const RULES = ["scaled", "capped", "biased", "masked", "sunk"]; // in their order

/** state: products (of the query with each key), values, place (of the query), hidden (which key), root, price, cap, sink (its
 * score), and which rules are on: scaled, capped, biased, masked, sunk; early: whether the mask comes before the cap; playing: whether
 * they are switched on one after the other. */
export const rules = {
  view(state) {
    const { products, values, cap, price, sink } = state;
    const { lines, last } = followed(state);
    const powers = [...last, state.sunk ? sink : -Infinity].map(Math.exp);
    const weights = powers.map((power) => power / sum(powers));
    const head = [...products.map((_, i) => `key ${i + 1}`), "sink"].map((name) => `<th scope="col">${name}</th>`);
    const rows = lines.map(([label, field, row]) => {
      const shown = row.map((x) => `<td>${x === -Infinity ? "−∞" : x === undefined ? "" : number(x)}</td>`);
      return `<tr><th scope="row">${field ? check(label, field, state[field]) : label}</th>${shown.join("")}</tr>`;
    });
    const bars = weights.map((weight, i) => `<td><svg viewBox="0 0 40 72" aria-hidden="true"><rect class="${i < products.length ? "w fill" : "axis"}"
      x="8" y="${at(70 - 60 * weight)}" width="24" height="${at(60 * weight)}"/><path class="line" d="M2 70H38"/></svg>${weight ? number(weight, 3) : 0}</td>`);
    const keys = weights.slice(0, -1);
    const most = keys.indexOf(Math.max(...keys));
    const output = sum(keys.map((weight, i) => weight * values[i]));
    return `<table class="rules"><thead><tr><td></td>${head.join("")}</tr></thead><tbody>${rows.join("")}
      <tr><th scope="row">weight</th>${bars.join("")}</tr></tbody></table>
      <div class="controls">${slider("Cap", "cap", cap, [1, 10, 0.5], number(cap, 1))}
      ${slider("Price of a place", "price", price, [0, 4, 0.25], number(price))}
      ${slider("Score of the sink", "sink", sink, [-3, 6, 0.5], number(sink, 1))}
      ${check("mask before the cap", "early", state.early)}${player("One rule after the other", state.playing)}<button data-do="again">Start again</button></div>
      ${says(`Key ${most + 1} gets most, ${number(keys[most], 3)}. The weights of the keys add up to ${number(sum(keys))}. Output: ${number(output)}.
        ${leaks(state) ? "The hidden key is read!" : ""}`)}`;
  },

  /** Switch on the next rule, or after the last one all but the first off; say whether there are more. */
  play(state) {
    const next = RULES.find((rule) => !state[rule]);
    if (next) state[next] = true;
    else for (const rule of RULES.slice(1)) state[rule] = false;
    return RULES.some((rule) => !state[rule]);
  },
};

const leaks = ({ masked, early, capped }) => masked && early && capped;

/** Return the lines of the table, each with its label, its switch and the scores after it, and the last scores. */
function followed({ products, place, hidden, root, price, cap, sink, scaled, capped, biased, masked, sunk, early }) {
  const [first, ...others] = [
    ["query · key", "", true, (x) => x],
    [`÷ ${root}`, "scaled", scaled, (x) => x / root],
    ["cap", "capped", capped, (x) => cap * Math.tanh(x / cap)],
    ["bias", "biased", biased, (x, i) => x - price * Math.abs(i - place)],
    ["mask", "masked", masked, (x, i) => (i === hidden ? -Infinity : x)],
  ];
  if (early) others.splice(1, 0, others.pop());
  let last = products;
  const lines = [first, ...others].map(([label, field, on, rule]) => {
    if (on) last = last.map(rule);
    return [label, field, on ? last : products.map(() => undefined)];
  });
  lines.push(["sink", "sunk", [...products.map(() => undefined), sunk ? sink : undefined]]);
  return { lines, last };
}

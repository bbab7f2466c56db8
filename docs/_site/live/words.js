/* What the Mask Lab says of a situation: its numbers, its sentences, its warnings. */

import { rules } from "./state.js";

const list = (items) => items.map((item) => `“${item}”`).join(", ");
const which = (lab, i) => `Query ${i}, “${lab.state.tokens[i]}”,`;
const has = (rows) => rows.flat().some(Number.isNaN);
export const isEmpty = (row) => row.every(Boolean);

export function shown(x) {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const text = Math.abs(x) >= 1e4 || (x !== 0 && Math.abs(x) < 5e-3) ? x.toExponential(1) : x.toFixed(2);
  return text.replaceAll("-", "−");
}

export function reason({ state }, i, j) {
  return rules(state, i, j).join(", ") || "by a click";
}

/** Say what one query sees, and why not the rest. */
export function sentence(lab, row) {
  const { mask, state: { tokens } } = lab;
  const seen = tokens.filter((_, j) => !mask[row][j]);
  const hidden = {};
  tokens.forEach((token, j) => mask[row][j] && (hidden[reason(lab, row, j)] ||= []).push(token));
  const why = Object.entries(hidden).map(([cause, keys]) => `${list(keys)} (${cause})`).join("; ");
  return `${which(lab, row)} sees ${seen.length} of ${tokens.length} keys${seen.length ? `: ${list(seen)}` : ""}.` +
    (why ? ` Hidden: ${why}.` : "");
}

/** Show how the number of the chosen cell comes about. */
export function calculation(lab, steps) {
  const { at: { row: i, column: j }, mask, state: { step, how } } = lab;
  const { q, k, v } = lab.numbers;
  const at = (name) => steps[name][i][j];
  const sum = (as, bs) => as.map((a, c) => `${shown(a)} × ${shown(bs[c])}`).join(" + ");
  const hidden = how === "after" ? "hidden only after the softmax" : "not selected";
  const added = { add: "−1e9", infinity: "−∞" }[how];
  const said = {
    scores: () => `${sum(q[i], k[j])} = ${shown(at("scores"))}`,
    scaled: () => `${shown(at("scores"))} / √${q[0].length} = ${shown(at("scaled"))}`,
    masked: () => added
      ? `${shown(at("scaled"))} + ${added} × ${mask[i][j]} = ${shown(at("masked"))}`
      : `${shown(at("scaled"))}, ${mask[i][j] ? hidden : "visible"}`,
    weights: () => how === "after" && mask[i][j]
      ? `its softmax × (1 − 1) = ${shown(at("weights"))}`
      : mask[i][j] && how === "select" ? "blocked: exactly 0"
        : `exp(${shown(at("masked"))}) / the sum of its row = ${shown(at("weights"))}`,
    output: () => `${sum(steps.weights[i], v.map((row) => row[j]))} = ${shown(at("output"))}`,
  }[step]();
  return `This cell${lab.state.dtype === "float16" ? ", in float16" : ""}: ${said}`;
}

/** Say what went wrong, and why. */
export function warnings(lab, { weights, output, masked, scaled }) {
  const { mask, state: { how, dtype, tokens } } = lab;
  const said = [];
  if (how === "infinity" && has(masked) && !has(scaled)) {
    said.push("−∞ × 0 is NaN, not 0. So every visible cell became NaN, and the softmax spreads it over the row.");
  }
  if (how === "add" && dtype === "float16" && has(masked) && !has(scaled)) {
    said.push("float16 ends at 65,504: −1e9 became −∞, and −∞ × 0 is NaN. Every visible cell became one.");
  }
  const empty = tokens.map((_, i) => i).filter((i) => isEmpty(mask[i]));
  if (empty.length) said.push(aboutEmpty(lab, empty, weights));
  const lost = weights.some((row, i) => !isEmpty(mask[i]) && row.reduce((a, b) => a + b, 0) < 0.99);
  if (how === "after" && lost) {
    said.push("Zeros after the softmax: the rows no longer sum to 1. " +
      "Hidden keys took their share before they were cut.");
  }
  if (has(output) && !said.length) said.push("A NaN reached the output: it was among the numbers that a query sees.");
  return said;
}

function aboutEmpty(lab, empty, weights) {
  const who = empty.length === 1 ? `Query ${empty[0]} sees` : `Queries ${empty.join(", ")} see`;
  const { mask, state } = lab;
  const first = (i, j) => rules(state, i, j)[0] || "hidden by a click";
  const causes = new Set(empty.flatMap((i) => mask[i].map((_, j) => first(i, j))));
  const then = {
    select: "Weights 0, output 0: nothing to look at, nothing to say.",
    add: has(weights) ? "" : "Yet the weights are not 0: −1e9 stands everywhere, so the softmax hides nothing.",
    infinity: "Softmax of nothing but −∞ is 0 / 0: NaN.",
    after: "All weights were cut to 0.",
  }[state.how];
  return `${who} no key at all: each is ${[...causes].join(" or ")}. ${then}`.trim();
}

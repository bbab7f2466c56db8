/* Small pieces of the Mask Lab for lessons: what a divisor does to a softmax, how numbers are shared among heads. */

import { softmax } from "./engine/attention.js";
import { escape } from "./html.js";
import { shown } from "./words.js";

const TINTS = ["--ca-queries", "--ca-keys", "--ca-values", "--md-default-fg-color--light"];
const exactly = (x) => x;

/** state: tokens, depths, scores (the products of one query, not yet divided, at each depth), chosen (which depth). */
export function scale({ state }) {
  const { tokens, scores, depths, chosen } = state;
  const depth = depths[chosen];
  const root = Math.sqrt(depth);
  const rules = [["not divided", 1], [`√${depth} = ${root}`, root], [String(depth), depth]];
  const columns = rules.map(([, divisor]) => softmax(scores[chosen].map((x) => x / divisor), [], "plain", exactly));
  const rows = tokens.map((token, j) => `<tr><th scope="row">${escape(token)}</th><td>${shown(scores[chosen][j])}</td>${columns.map(
    (weights) => `<td class="track"><i style="--share:${(100 * weights[j]).toFixed(1)}%"></i>${weights[j].toFixed(2)}</td>`).join("")}</tr>`);
  const most = columns.map((weights) => shown(Math.max(...weights)));
  return `<div class="box"><label>How many numbers a key has <input type="range" min="0" max="${depths.length - 1}" step="1" value="${chosen}"
    data-field="chosen" aria-valuetext="${depth}"> d_k = ${depth}</label>
    <div class="scroll" tabindex="0" role="region" aria-label="Weights by divisor"><table class="bars"><caption>The weights of ${tokens.length} keys, by what the products are divided by</caption>
    <thead><tr><th scope="col">key</th><th scope="col">product</th>${rules.map(
      ([rule]) => `<th scope="col">${rule}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>
    <p class="says" aria-live="polite">At d_k = ${depth} the largest weight is ${most[0]} if nothing is divided, ${most[1]} if
    the products are divided by the root, and ${most[2]} if by d_k. A plain average would be ${shown(1 / tokens.length)}.</p></div>`;
}

/** state: tokens, x (numbers of each token), heads, choices. */
export function heads({ state }) {
  const { tokens, x, choices } = state;
  const chosen = Number(state.heads);
  const depth = x[0].length / chosen;
  const options = choices.map((n) => `<option ${n === chosen ? "selected" : ""}>${n}</option>`).join("");
  const tint = (c) => TINTS[Math.floor(c / depth) % TINTS.length];
  const table = (title, from, to) => {
    const rows = tokens.map((token, i) => {
      const cells = x[i].slice(from, to).map((y, c) =>
        `<td style="--tint:var(${tint(from + c)})">${Number.isInteger(y) ? y : shown(y)}</td>`);
      return `<tr><th scope="row">${escape(token)}</th>${cells.join("")}</tr>`;
    });
    return `<table><caption>${title}</caption><tbody>${rows.join("")}</tbody></table>`;
  };
  const before = table(`before: (length, d_model) = (${tokens.length}, ${x[0].length})`, 0, x[0].length);
  const after = Array.from({ length: chosen }, (_, h) => table(`head ${h + 1}`, h * depth, (h + 1) * depth));
  return `<div class="box"><label>Number of heads <select data-field="heads">${options}</select></label>
    <div class="scroll heads">${before}</div>
    <p class="says" aria-live="polite">After: (heads, length, depth) = (${chosen}, ${tokens.length}, ${depth}).
    No number changes; each head gets ${depth} of each letter.</p>
    <div class="scroll heads">${after.join("")}</div></div>`;
}

/* Small pieces of the Mask Lab for lessons: what a divisor does to a softmax, how numbers are shared among heads. */

import { softmax } from "./engine/attention.js";
import { escape } from "./html.js";
import { shown } from "./words.js";

const TINTS = ["--ca-queries", "--ca-keys", "--ca-values", "--md-default-fg-color--light"];
const exactly = (x) => x;

/** state: tokens, scores (of one query, before scaling), depth, divisor. */
export function scale({ state }) {
  const { tokens, scores, depth, divisor } = state;
  const divided = scores.map((x) => x / divisor);
  const weights = softmax(divided, [], "plain", exactly);
  const rows = tokens.map((token, j) => `<tr><th scope="row">${escape(token)}</th><td>${shown(scores[j])}</td>
    <td>${shown(divided[j])}</td><td>${shown(weights[j])}</td>
    <td class="track"><i style="--share:${(100 * weights[j]).toFixed(1)}%"></i></td></tr>`);
  const root = Math.sqrt(depth);
  const most = Math.max(...weights);
  const equal = divisor === root ? ` = √${depth}` : "";
  const meaning = most > 0.9 ? ": one key takes nearly all, and the rest can hardly learn" : "";
  return `<div class="box"><label>Divide the scores by <input type="range" min="1" max="${2 * root}" step="0.5"
    value="${divisor}" data-field="divisor" aria-valuetext="${divisor}"> ${divisor}${equal}</label>
    <div class="scroll"><table class="bars"><caption>One query, ${tokens.length} keys of ${depth} numbers each</caption>
    <thead><tr><th scope="col">key</th><th scope="col">score</th><th scope="col">divided</th><th scope="col">weight</th>
    <th scope="col">as a bar</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>
    <p class="says" aria-live="polite">The largest weight is ${shown(most)}${meaning}.</p></div>`;
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
  const after = Array.from({ length: chosen }, (_, h) => table(`head ${h}`, h * depth, (h + 1) * depth));
  return `<div class="box"><label>Number of heads <select data-field="heads">${options}</select></label>
    <div class="scroll heads">${before}</div>
    <p class="says" aria-live="polite">After: (heads, length, depth) = (${chosen}, ${tokens.length}, ${depth}).
    No number changes; each head gets ${depth} of each token.</p>
    <div class="scroll heads">${after.join("")}</div></div>`;
}

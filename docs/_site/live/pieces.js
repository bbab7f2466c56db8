/* A small piece of the Mask Lab for a lesson: how numbers are shared among heads. */

import { escape } from "./html.js";
import { shown } from "./words.js";

const TINTS = ["--ca-queries", "--ca-keys", "--ca-values", "--md-default-fg-color--light"];

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

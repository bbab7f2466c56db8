/* Small pieces of the Mask Lab for lessons: what a divisor does to a softmax, and how numbers are shared among heads. */
(function () {
  "use strict";

  const { softmax } = window.maskLab;
  const { escape, shown } = window.maskLab.words;
  const TINTS = ["--ca-queries", "--ca-keys", "--ca-values", "--md-default-fg-color--light"];
  const exactly = (x) => x;

  /** state: tokens, scores (of one query, before scaling), depth, divisor. */
  function scale({ state }) {
    const { tokens, scores, depth, divisor } = state;
    const divided = scores.map((x) => x / divisor);
    const weights = softmax(divided, [], "plain", exactly);
    const rows = tokens.map((token, j) => `<tr><th scope="row">${escape(token)}</th><td>${shown(scores[j])}</td>
      <td>${shown(divided[j])}</td><td>${shown(weights[j])}</td>
      <td class="track"><i style="--share:${(100 * weights[j]).toFixed(1)}%"></i></td></tr>`);
    const root = Math.sqrt(depth);
    const most = Math.max(...weights);
    return `<div class="box"><label>Divide the scores by <input type="range" min="1" max="${2 * root}" step="0.5"
      value="${divisor}" data-field="divisor" aria-valuetext="${divisor}"> ${divisor}${divisor === root ? ` = √${depth}` : ""}</label>
      <div class="scroll"><table class="bars"><caption>One query, ${tokens.length} keys of ${depth} numbers each</caption>
      <thead><tr><th scope="col">key</th><th scope="col">score</th><th scope="col">divided</th><th scope="col">weight</th>
      <th scope="col">as a bar</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>
      <p class="says" aria-live="polite">The largest weight is ${shown(most)}${most > 0.9 ? ": one key takes nearly all, and the rest can hardly learn" : ""}.</p></div>`;
  }

  /** state: tokens, x (numbers of each token), heads, choices. */
  function heads({ state }) {
    const { tokens, x, choices } = state;
    const chosen = Number(state.heads);
    const depth = x[0].length / chosen;
    const options = choices.map((n) => `<option ${n === chosen ? "selected" : ""}>${n}</option>`).join("");
    const table = (title, part, tint) => `<table><caption>${title}</caption><tbody>${tokens.map((token, i) =>
      `<tr><th scope="row">${escape(token)}</th>${part(x[i]).map((y, c) =>
        `<td style="--tint:var(${tint(c)})">${Number.isInteger(y) ? y : shown(y)}</td>`).join("")}</tr>`).join("")}</tbody></table>`;
    const tint = (h) => TINTS[h % TINTS.length];
    const parts = Array.from({ length: chosen }, (_, h) =>
      table(`head ${h}`, (row) => row.slice(h * depth, (h + 1) * depth), () => tint(h)));
    return `<div class="box"><label>Number of heads <select data-field="heads">${options}</select></label>
      <div class="scroll heads">${table(`before: (length, d_model) = (${tokens.length}, ${x[0].length})`, (row) => row, (c) => tint(Math.floor(c / depth)))}</div>
      <p class="says" aria-live="polite">After: (heads, length, depth) = (${chosen}, ${tokens.length}, ${depth}). No number changes; each head gets ${depth} of each token.</p>
      <div class="scroll heads">${parts.join("")}</div></div>`;
  }

  window.maskLab.pieces = { scale, heads };
})();

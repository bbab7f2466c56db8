/* What the Mask Lab says and draws of a situation: its grid, its sentences, its warnings. */
(function () {
  "use strict";

  const { STEPS, rules } = window.maskLab;
  const CIVIDIS = [[0, 34, 78], [67, 78, 108], [125, 124, 120], [188, 174, 108], [254, 232, 56]]; // of 0, 1/4, ... 1

  const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  const list = (items) => items.map((item) => `“${item}”`).join(", ");
  const which = (lab, i) => `Query ${i}, “${lab.state.tokens[i]}”,`;
  const has = (rows) => rows.flat().some(Number.isNaN);
  const isEmpty = (row) => row.every(Boolean);

  function shown(x) {
    if (Number.isNaN(x)) return "NaN";
    if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
    const text = Math.abs(x) >= 1e4 || (x !== 0 && Math.abs(x) < 5e-3) ? x.toExponential(1) : x.toFixed(2);
    return text.replaceAll("-", "−");
  }

  function grid(lab, values) {
    const { mask, state: { tokens, step } } = lab;
    const isOutput = step === "output";
    const head = isOutput ? values[0].map((_, c) => `v${c + 1}`) : tokens;
    const rows = values.map((row, i) => {
      const cells = row.map((x, j) => cell(lab, x, i, j, isOutput ? null : mask[i][j])).join("");
      return `<tr role="row"${isEmpty(mask[i]) ? ' class="empty"' : ""}><th scope="row" role="rowheader">${escape(tokens[i])}</th>${cells}</tr>`;
    });
    const heads = head.map((text) => `<th scope="col" role="columnheader">${escape(text)}</th>`).join("");
    const corner = `<th scope="col" role="columnheader">query ↓ ${isOutput ? "number" : "key"} →</th>`;
    return `<table role="grid" aria-label="${STEPS[step].join(": ")}"><caption><b>${STEPS[step][0]}</b>: ${STEPS[step][1]}</caption>
      <thead role="rowgroup"><tr role="row">${corner}${heads}</tr></thead><tbody role="rowgroup">${rows.join("")}</tbody></table>`;
  }

  function cell(lab, x, i, j, blocked) {
    const { at, state: { tokens, step, how } } = lab;
    const text = blocked && how === "select" && step === "masked" ? "–" : shown(x);
    const kinds = { blocked, visible: step === "masked" && !blocked, nan: Number.isNaN(x) };
    const kind = Object.keys(kinds).filter((name) => kinds[name]).join(" ");
    const shade = step === "weights" && !blocked && x >= 0 ? ` style="${colour(x)}"` : "";
    const why = blocked ? `blocked (${reason(lab, i, j)})` : "visible";
    const label = blocked === null
      ? `query ${tokens[i]}, number ${j + 1}: ${text}`
      : `query ${tokens[i]}, key ${tokens[j]}: ${text === "–" ? "" : `${text}, `}${why}`;
    const toggles = blocked === null ? "" : ` data-cell="${i},${j}"`;
    return `<td role="gridcell" class="${kind}" tabindex="${at.row === i && at.column === j ? 0 : -1}"
      data-place="${i},${j}"${toggles} aria-label="${escape(label)}"${shade}>${text}</td>`;
  }

  /** Colour a weight as the site's heat maps do. */
  function colour(x) {
    const place = Math.min(x, 1) * (CIVIDIS.length - 1);
    const [low, high] = [CIVIDIS[Math.floor(place)], CIVIDIS[Math.ceil(place)]];
    const mixed = low.map((c, i) => Math.round(c + (high[i] - c) * (place % 1)));
    return `--weight:rgb(${mixed});--ink:${x < 0.47 ? "#fff" : "#000"}`;
  }

  function reason({ state }, i, j) {
    return rules(state, i, j).join(", ") || "by a click";
  }

  /** Say what one query sees, and why not the rest. */
  function sentence(lab, row) {
    const { mask, state: { tokens } } = lab;
    const seen = tokens.filter((_, j) => !mask[row][j]);
    const hidden = {};
    tokens.forEach((token, j) => mask[row][j] && (hidden[reason(lab, row, j)] ||= []).push(token));
    const why = Object.entries(hidden).map(([cause, keys]) => `${list(keys)} (${cause})`).join("; ");
    return `${which(lab, row)} sees ${seen.length} of ${tokens.length} keys${seen.length ? `: ${list(seen)}` : ""}.` +
      (why ? ` Hidden: ${why}.` : "");
  }

  /** Show how the number of the chosen cell comes about. */
  function calculation(lab, steps) {
    const { at: { row: i, column: j }, mask, state: { step, how } } = lab;
    const { q, k, v } = lab.numbers;
    const at = (name) => steps[name][i][j];
    const sum = (as, bs) => as.map((a, c) => `${shown(a)} × ${shown(bs[c])}`).join(" + ");
    const added = { add: "−1e9", infinity: "−∞" }[how];
    const said = {
      scores: () => `${sum(q[i], k[j])} = ${shown(at("scores"))}`,
      scaled: () => `${shown(at("scores"))} / √${q[0].length} = ${shown(at("scaled"))}`,
      masked: () => added
        ? `${shown(at("scaled"))} + ${added} × ${mask[i][j]} = ${shown(at("masked"))}`
        : `${shown(at("scaled"))}, ${mask[i][j] ? (how === "after" ? "hidden only after the softmax" : "not selected") : "visible"}`,
      weights: () => how === "after" && mask[i][j]
        ? `its softmax × (1 − 1) = ${shown(at("weights"))}`
        : mask[i][j] && how === "select" ? "blocked: exactly 0"
          : `exp(${shown(at("masked"))}) / the sum of its row = ${shown(at("weights"))}`,
      output: () => `${sum(steps.weights[i], v.map((row) => row[j]))} = ${shown(at("output"))}`,
    }[step]();
    return `This cell${lab.state.dtype === "float16" ? ", in float16" : ""}: ${said}`;
  }

  /** Say what went wrong, and why. */
  function warnings(lab, { weights, output, masked, scaled }) {
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
      said.push("Zeros after the softmax: the rows no longer sum to 1. Hidden keys took their share before they were cut.");
    }
    if (has(output) && !said.length) said.push("A NaN reached the output: it was among the numbers that a query sees.");
    return said;
  }

  function aboutEmpty(lab, empty, weights) {
    const who = empty.length === 1 ? `Query ${empty[0]} sees` : `Queries ${empty.join(", ")} see`;
    const causes = new Set(empty.flatMap((i) => lab.mask[i].map((_, j) => rules(lab.state, i, j)[0] || "hidden by a click")));
    const then = {
      select: "Weights 0, output 0: nothing to look at, nothing to say.",
      add: has(weights) ? "" : "Yet the weights are not 0: −1e9 stands everywhere, so the softmax hides nothing.",
      infinity: "Softmax of nothing but −∞ is 0 / 0: NaN.",
      after: "All weights were cut to 0.",
    }[lab.state.how];
    return `${who} no key at all: each is ${[...causes].join(" or ")}. ${then}`.trim();
  }

  window.maskLab.words = { escape, shown, grid, sentence, calculation, warnings };
})();

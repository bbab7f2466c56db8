/* How the Mask Lab looks: its state as HTML, drawn anew after every change. */

import { code } from "./code.js";
import { shade } from "./colour.js";
import { HOW, scaledDotProductAttention, STEPS } from "./engine/attention.js";
import { describe } from "./findings.js";
import { escape } from "./html.js";
import { MOST } from "./state.js";
import { calculation, isEmpty, reason, sentence, shown, warnings } from "./words.js";

const PARTS = { softmax: "softmax(", qk: "Q Kᵀ", root: "/ √d", mask: "hidden by the mask", close: ")", v: "V" };
const LIT = { scores: ["qk"], scaled: ["root"], masked: ["mask"], weights: ["softmax", "close"], output: ["v"] };
const GRIDS = { q: "queries", k: "keys", v: "values" };

export function whole(lab) {
  const steps = scaledDotProductAttention(lab.situation);
  return `<div class="box">${bar(lab)}<div class="columns"><div>${hiders(lab, amounts(lab))}${hows(lab)}</div>
    <div>${stepper(lab)}${formula(lab)}
    ${result(lab, steps, calculation(lab, steps))}${bullets(warnings(lab, steps).map(escape), "loud")}</div></div>
    ${findings(lab)}${inputs(lab)}${snippets(lab)}
    <p role="status">${escape(lab.message)}</p></div>`;
}

/** Draw the piece of a lesson in which tokens and cells can be hidden. */
export function small(lab) {
  return `<div class="box">${hiders(lab, "")}
    ${result(lab, scaledDotProductAttention(lab.situation), "")}${dared(lab)}<div class="bar">${travel(lab)}</div></div>`;
}

const GOALS = {
  empty: (mask) => mask.some(isEmpty), // a query with nothing to look at
  causal: (mask) => mask.every((row, i) => row.every((x, j) => x === Number(j > i))),
};

/** Say what a lesson says when its dare is won. */
function dared({ mask, state: { dare } }) {
  return dare ? `<p class="won" role="status">${GOALS[dare.goal](mask) ? `✓ ${escape(dare.says)}` : ""}</p>` : "";
}

function result(lab, steps, sum) {
  return `<div class="scroll">${grid(lab, steps[lab.state.step])}</div>
    <p class="says" aria-live="polite">${escape(sentence(lab, lab.at.row))}</p>
    <p class="sum">${escape(sum)}</p>`;
}

function bar(lab) {
  const options = lab.examples.map((example, i) => `<option value="${i}">${escape(example.title)}</option>`);
  return `<div class="bar"><label>Start from <select data-field="example">
    <option disabled hidden selected>an example</option>${options.join("")}</select></label>
    ${travel(lab)}${button("share", "Copy a link to this view")}</div>`;
}

function travel({ past, future }) {
  return button("undo", "Undo", !past.length) + button("redo", "Redo", !future.length);
}

function hiders({ state }, more) {
  const pads = state.tokens.map((token, j) => `<button data-do="pad" data-value="${j}"
    aria-pressed="${state.padding.includes(j)}">${escape(token) || "(empty)"}</button>`);
  const hint = "with the keyboard, the arrows move, and the space bar hides a cell or shows it.";
  if (state.cellsOnly) return `<p class="hint">Press cells; ${hint}</p>`;
  return `<fieldset><legend>Who is hidden</legend>
    <div class="bar" role="group" aria-label="Padding"><span>padding:</span> ${pads.join(" ")}</div>
    ${state.paddingOnly ? "" : `<label><input type="checkbox" data-field="lookAhead" ${state.lookAhead ? "checked" : ""}>later tokens
    (look-ahead)</label>`}${more}
    <div class="hint">Or click single cells; ${hint}</div>
    </fieldset>`;
}

function amounts({ state }) {
  return `<br>
    ${amount("prefix", "except a prefix of", state)} ${amount("window", "and what is this far away:", state)}`;
}

function hows({ state }) {
  const hows = Object.entries(HOW).map(([name, text]) => choice("how", name, text, state.how));
  const types = ["float32", "float16"].map((name) => choice("dtype", name, name, state.dtype));
  return `<fieldset><legend>How the mask is applied</legend>${hows.join("<br>")}</fieldset>
    <fieldset><legend>Numbers</legend>${types.join("")}</fieldset>`;
}

function stepper({ state }) {
  const steps = Object.entries(STEPS).map(([name, [title]], i) => `<button data-do="step" data-value="${name}"
    ${state.step === name ? 'aria-current="step"' : ""}>${i + 1} ${title}</button>`);
  return `<div class="bar" role="group" aria-label="Steps">${steps.join("")}</div>`;
}

function formula({ state }) {
  const lit = LIT[state.step];
  const spans = Object.entries(PARTS).map(([name, text]) =>
    `<span${lit.includes(name) ? ' class="lit"' : ""}>${text}</span>`);
  return `<p class="formula">${spans.join(" ")}</p>`;
}

function findings({ mask, state }) {
  const items = describe(mask, state.tokens).map(({ name, sentence }) =>
    `<code>${name}</code>: ${escape(sentence)}`);
  return `<p class="title">What <code>describe_mask</code> says of this mask</p>
    ${bullets(items.length ? items : ["nothing"], "findings")}`;
}

function inputs({ state }) {
  const n = state.tokens.length;
  const head = Object.keys(GRIDS).map((g) => state[g][0].map((_, c) =>
    `<th scope="col" class="${g}">${g}${c + 1}</th>`).join(""));
  const field = (g, x, i, c) => `<td><input value="${escape(x)}" data-field="number" data-grid="${g}" data-row="${i}"
    data-column="${c}" aria-label="${escape(`${GRIDS[g]} of ${state.tokens[i]}, number ${c + 1}`)}"></td>`;
  const rows = state.tokens.map((token, i) => {
    const cells = Object.keys(GRIDS).flatMap((g) => state[g][i].map((x, c) => field(g, x, i, c)));
    return `<tr><th scope="row"><input class="token" value="${escape(token)}" data-field="token" data-row="${i}"
      aria-label="token ${i + 1}"></th>${cells.join("")}</tr>`;
  });
  const longer = button("longer", "One token more", n >= MOST);
  const shorter = button("shorter", "One token fewer", n <= 1);
  return `<details><summary>Change the tokens and their numbers</summary>
    <div class="bar">${longer}${shorter}</div>
    <div class="scroll" tabindex="0" role="region" aria-label="Tokens and numbers"><table class="numbers"><thead><tr>
    <th scope="col">token</th>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>
    <p>Write numbers such as 1.5, and nan, inf, -inf.</p></details>`;
}

function snippets({ situation }) {
  const parts = Object.keys(code).map((name) => `<details><summary>${name}</summary>
    ${button("copy", "Copy", false, name, `Copy the code for ${name}`)}
    <pre tabindex="0" aria-label="Code for ${name}">${escape(code[name](situation))}</pre></details>`);
  return `<p class="title">The same as code</p>${parts.join("")}`;
}

function grid(lab, values) {
  const { mask, state: { tokens, step } } = lab;
  const isOutput = step === "output";
  const head = isOutput ? values[0].map((_, c) => `v${c + 1}`) : tokens;
  const rows = values.map((row, i) => {
    const cells = row.map((x, j) => cell(lab, x, i, j, isOutput ? null : mask[i][j])).join("");
    return `<tr role="row"${isEmpty(mask[i]) ? ' class="empty"' : ""}><th
      scope="row" role="rowheader">${escape(tokens[i])}</th>${cells}</tr>`;
  });
  const heads = head.map((text) => `<th scope="col" role="columnheader">${escape(text)}</th>`).join("");
  const corner = `<th scope="col" role="columnheader">query ↓ ${isOutput ? "number" : "key"} →</th>`;
  const [title, about] = STEPS[step];
  return `<table role="grid" aria-label="${title}: ${about}"><caption><b>${title}</b>: ${about}</caption>
    <thead role="rowgroup"><tr role="row">${corner}${heads}</tr></thead><tbody
    role="rowgroup">${rows.join("")}</tbody></table>`;
}

function cell(lab, x, i, j, blocked) {
  const { at, state: { tokens, step, how } } = lab;
  const isTiny = step === "weights" && !lab.isShared && x > 0 && x < 5e-3; // a lesson says no more of it than that
  const text = blocked && how === "select" && step === "masked" ? "–" : isTiny ? "<0.01" : shown(x);
  const kinds = { blocked, visible: step === "masked" && !blocked, nan: Number.isNaN(x) };
  const kind = Object.keys(kinds).filter((name) => kinds[name]).join(" ");
  const colouring = step === "weights" && !blocked && x >= 0 ? ` style="${shade(x)}"` : "";
  const why = blocked ? `blocked (${reason(lab, i, j)})` : "visible";
  const label = blocked === null
    ? `query ${tokens[i]}, number ${j + 1}: ${text}`
    : `query ${tokens[i]}, key ${tokens[j]}: ${text === "–" ? "" : `${text}, `}${why}`;
  const toggles = blocked === null ? "" : ` data-cell="${i},${j}"`;
  return `<td role="gridcell" class="${kind}" tabindex="${at.row === i && at.column === j ? 0 : -1}"
    data-place="${i},${j}"${toggles} aria-label="${escape(label)}"${colouring}>${escape(text)}</td>`;
}

function bullets(items, kind) {
  return items.length ? `<ul class="${kind}">${items.map((item) => `<li>${item}</li>`).join("")}</ul>` : "";
}

function button(name, text, disabled = false, value = "", label = "") {
  return `<button data-do="${name}" data-value="${value}" ${label && `aria-label="${label}"`}
    ${disabled ? 'aria-disabled="true"' : ""}>${text}</button>`;
}

function choice(field, name, text, chosen) {
  return `<label><input type="radio" name="${field}" value="${name}" data-field="${field}"
    ${name === chosen ? "checked" : ""}>${text}</label>`;
}

function amount(field, text, state) {
  return `<label>${text} <input type="number" min="0" max="${state.tokens.length}" value="${state[field]}"
    data-field="${field}"></label>`;
}

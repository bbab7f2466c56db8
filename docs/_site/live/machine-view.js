/* How the date machine looks: its state as HTML, drawn anew after every change. */

import { shade } from "./colour.js";
import { escape } from "./html.js";
import { dares } from "./machine-dares.js";
import { mapOf, mapsOf, nameOf } from "./machine-run.js";
import { isWhole, LONGEST, MOST_PADDED, toAddress, TRAINED_LENGTH } from "./machine-state.js";
import { ATTENTIONS, effect, looking, lookingBack, sureOf, verdict } from "./machine-words.js";

const percent = (x) => `${(Math.floor(1000 * x + 0.5) / 10).toFixed(1)} %`; // as Python's half up

export function whole(machine) {
  return `<div class="box">${field(machine)}${answer(machine)}${source(machine)}${says(machine, true)}${steps(machine)}
    <div class="columns"><div>${chances(machine)}</div><div>${maps(machine)}</div></div>
    ${apart(machine)}${dares(machine)}<p role="status">${escape(machine.message)}</p></div>`;
}

/** The beginning of the machine, for the first page. */
export function small(machine) {
  const { state, page } = machine;
  const between = '<svg class="threads" data-own aria-hidden="true"></svg>';
  return `<div class="box">${field(machine)}${answer(machine, true, `${between}${source(machine)}${between.replace("threads", "threads within")}`)}${says(machine)}
    <p class="hint">Blue: where it looked when it wrote this letter. Orange: where the letter that it looked at most had looked, before anything was written.</p>
    <figure class="map"><canvas data-head="-1" data-map="cross" data-cell="18" role="img"
    aria-label="Heat map: which letters of the text each letter of the answer looked at"></canvas><figcaption>Each row is a letter of
    the answer. In each, the letter that it looked at most is yellow.</figcaption></figure>
    <p><a href="${escape(page + toAddress(state))}">Take it apart</a></p></div>`;
}

/** Where its threads begin, and how strong each of them is; within: those from the letter of the text that it looked at most to the rest of the text. */
export function threads({ result, state, text }) {
  const { side, at } = state;
  const weights = side === "answer" ? sourceShades(result, state) : result.steps.map((_, i) => answerShade(result, state, i));
  const most = side === "answer" ? weights.indexOf(Math.max(...weights.slice(0, text.length))) : at;
  const within = { at: most, weights: mapOf(mapsOf(result, "encoder"), state.head)[most] ?? [] };
  return { side, at: side === "answer" ? Math.min(at, result.steps.length - 1) : at, weights, within };
}

/** One attention of one run, with the letters to point at; of all heads, or of the one that the lesson chose. */
export function looks(machine) {
  const back = machine.state.map === "self" && machine.state.side === "answer" && !machine.result.atOnce;
  const about = back ? `<p class="says" aria-live="polite">${escape(lookingBack(machine.result, machine.state))}</p>` : source(machine) + says(machine);
  return `<div class="box">${field(machine)}${answer(machine)}${about}${maps(machine, back)}</div>`;
}

/** One attention, and how its weights came about. */
export function fits(machine) {
  const asks = { ...machine, state: { ...machine.state, side: "answer", at: machine.state.side === "answer" ? machine.state.at : 0 } };
  return `<div class="box">${field(machine)}${answer(asks)}${source(asks)}${best(asks)}</div>`;
}

/** The three letters of the text that fit the chosen letter of the answer best. */
function best({ model, result, state, text }) {
  const step = result.steps[Math.min(state.at, result.steps.length - 1)];
  const [row, weights] = [step.products, step.weights].map((found) => found["decoder.0.cross"][Math.max(state.head, 0)][0]);
  const root = Math.sqrt(model.config.d_model / model.config.num_heads);
  const seen = [...text].map((x, j) => ({ x: x === " " ? "␣" : x, j })).sort((a, b) => weights[b.j] - weights[a.j]);
  const rows = seen.slice(0, 3).map(({ x, j }) => `<tr><th scope="row">${escape(x)} <small>place ${j}</small></th>
    <td>${row[j].toFixed(2)}</td><td>${(row[j] / root).toFixed(2)}</td><td>${weights[j].toFixed(3)}</td></tr>`);
  const rest = seen.slice(3).reduce((sum, { j }) => sum + weights[j], 0);
  return `<div class="scroll" tabindex="0" role="region" aria-label="Queries and keys"><table class="plain fits"><caption>The query with which the ${escape(step.text === "end" ? "end mark ▪" : `“${step.text}”`)} is written, and the keys that fit it best</caption><thead><tr><th scope="col">key of</th><th scope="col">query · key</th>
    <th scope="col">divided by ${Number(root.toFixed(2))}</th><th scope="col">weight</th></tr></thead><tbody>${rows.join("")}
    <tr><th scope="row">all others</th><td></td><td></td><td>${rest.toFixed(3)}</td></tr></tbody></table></div>`;
}

/** A sibling that lacks a part, beside a machine that lacks nothing. */
export function beside({ result, state, siblings, plain, reference, ...machine }) {
  const { given } = state; // next letters right, given the right answer: a lesson may show them, too
  const named = (wanted) => siblings.find(({ name }) => name === wanted);
  const [sibling, lacksNothing] = [named(state.sibling), named(reference)];
  const letters = (name) => (given ? `<td>${escape(given[name])}</td>` : "");
  const row = (name, title, said, exact) => `<tr><th scope="row">${escape(title)}</th>${letters(name)}<td class="said">${escape(said || "(nothing)")}</td><td>${exact}</td></tr>`;
  return `<div class="box">${field({ state, ...machine })}<div class="scroll" tabindex="0" role="region" aria-label="Two machines">
    <table class="plain"><thead><tr><th scope="col">machine</th>${given ? '<th scope="col">next letters right, if given those before</th>' : ""}<th scope="col">writes</th><th scope="col">unseen dates right</th></tr></thead><tbody>
    ${row(reference, lacksNothing.title, result.before.answer, percent(lacksNothing.measured.exact))}
    ${row(sibling.name, sibling.title, result.answer, percent(sibling.measured.exact))}</tbody></table></div>
    <p class="says" aria-live="polite">${escape(effect(result, state, siblings, plain, false))}</p></div>`;
}

/** The text field, which is there before the models are. */
export function field({ state, examples, problem }) {
  const options = examples.map(({ title }, i) => `<option value="${i}">${escape(title)}</option>`);
  return `<div class="bar"><label class="grow">A date, as you write it <input type="text" class="text" data-field="text"
    value="${escape(state.text)}" maxlength="${LONGEST}" autocomplete="off" autocapitalize="none" spellcheck="false"
    ${problem ? 'aria-invalid="true"' : ""}></label>
    <label>or <select data-field="example"><option disabled hidden selected>an example</option>${options.join("")}
    </select></label></div><p class="loud" role="alert">${escape(problem)}</p>`;
}

/** isSure: how sure it is stands beside the letters, and grows with them; below: what stands right below them. */
function answer({ result, state, shown, means, plain }, isSure = false, below = "") {
  const letters = result.steps.slice(0, shown).map((step, i) => letter(machinePlace(state, "answer", i, result), "answer", i,
    step.text === "end" ? "▪" : step.text, answerShade(result, state, i), `letter ${i + 1} of the answer: ${step.text}, ${percent(step.chance)}`));
  const { right, text: said } = verdict(result, means, plain, !isSure);
  const sure = isSure ? `<span class="sure">sure: <b>${sureOf(result.steps.slice(0, shown))}</b></span>` : "";
  const isDone = shown >= result.steps.length;
  const kind = right === null || !isDone ? "" : right ? "right" : "wrong";
  return `<div class="strip" role="group" aria-label="The answer"><span class="name">writes</span>${letters.join("")}${sure}</div>${below}
    <p class="verdict ${kind}" aria-live="polite">${isDone ? escape(said) : ""}</p>`;
}

function source({ result, state, text }) {
  const row = sourceShades(result, state);
  const most = Math.max(...row) || 1; // the brightest letter is the one that is looked at most, however little that is
  const letters = [...text].map((x, j) => letter(machinePlace(state, "source", j, result), "source", j, x === " " ? "␣" : x,
    row[j] / most, `letter ${j + 1} of the text: ${x === " " ? "space" : x}, weight ${percent(row[j])}`,
    state.hidden.includes(j) ? "hidden" : ""));
  const rest = row.slice(text.length).reduce((a, b) => a + b, 0);
  const padding = result.padded.length > text.length
    ? `<span class="name">and ${result.padded.length - text.length} places of padding${rest > 0.005 ? `: ${percent(rest)}` : ""}</span>` : "";
  return `<div class="strip" role="group" aria-label="The text it reads"><span class="name">reads</span>${letters.join("")}${padding}</div>`;
}

const machinePlace = (state, side, i, result) =>
  state.side === side && (side === "answer" ? Math.min(state.at, result.steps.length - 1) : state.at) === i;

function letter(chosen, side, i, text, weight, label, kind = "") {
  const tint = weight === null ? "" : ` style="${shade(weight)}"`;
  return `<button class="letter ${kind}" data-do="point" data-value="${side} ${i}" aria-pressed="${chosen}"
    aria-label="${escape(label)}"${tint}>${escape(text)}</button>`;
}

/** How much the chosen letter of the answer looks at each place, or the chosen place of the text at each other. */
function sourceShades(result, state) {
  const { side, at, head } = state;
  const name = side === "answer" ? "cross" : "encoder";
  const grid = mapOf(mapsOf(result, name), head);
  const row = result.atOnce && side === "answer" ? 0 : Math.min(at, grid.length - 1);
  return grid[row];
}

/** How much each letter of the answer looks at the chosen place of the text. */
function answerShade(result, state, i) {
  if (state.side !== "source") return null;
  const grid = mapOf(mapsOf(result, "cross"), state.head);
  return grid[result.atOnce ? 0 : i][state.at] ?? 0;
}

function says({ result, state, siblings, plain, problem, text }, andBack = false) {
  if (problem) return `<p class="says" aria-live="polite">The letters above are those of the last text that it could read: “${escape(text)}”.</p>`;
  state = { ...state, text };
  return `<p class="says" aria-live="polite">${escape(looking(result, state, andBack))}</p>
    <p class="effect" aria-live="polite">${escape(effect(result, state, siblings, plain))}</p>`;
}

function steps({ result, shown, running }) {
  if (result.atOnce) return ""; // nothing comes one after the other
  const last = result.steps.length;
  return `<div class="bar" role="group" aria-label="Letter by letter">${button("step", "Back", shown <= 1, -1)}
    ${button("step", "Next letter", shown >= last, 1)}${button("run", running ? "Stop" : "Write it again")}
    <span class="name">${Math.min(shown, last)} of ${last} letters written</span></div>`;
}

function chances({ result, state, tokenizers }) {
  const i = state.side === "answer" ? Math.min(state.at, result.steps.length - 1) : result.steps.length - 1;
  const { probabilities } = result.steps[i];
  const name = (id) => (result.atOnce ? String(id) : tokenizers.target.letter(id));
  const rows = probabilities.map((chance, id) => ({ chance, id })).sort((a, b) => b.chance - a.chance).slice(0, 5)
    .map(({ chance, id }) => `<tr><th scope="row">${escape(name(id))}</th><td>${percent(chance)}</td>
      <td class="track"><i style="--share:${(100 * chance).toFixed(1)}%"></i></td></tr>`);
  return `<table class="bars"><caption>The five most probable letters at place ${i + 1}</caption><tbody>${rows.join("")}</tbody></table>`;
}

function maps(machine, back = false) {
  const { result, state } = machine;
  const names = Object.entries(ATTENTIONS).filter(([name]) => !(result.atOnce && name === "self"));
  const chosen = names.some(([name]) => name === state.map) ? state.map : "cross";
  const heads = mapsOf(result, chosen);
  const tabs = names.map(([name, title]) => `<button data-do="map" data-value="${name}" aria-pressed="${name === chosen}">
    ${title}</button>`);
  const figures = heads.map((_, h) => figure(machine, chosen, h));
  return `<div class="bar" role="group" aria-label="Which attention">${tabs.join("")}</div>
    <div class="maps">${figures.join("")}</div>
    <p class="hint">A row is ${chosen === "cross" && !result.atOnce ? "named by the letter that is written; the one before it looks. A column is a letter that is looked at" : "a letter that looks, a column a letter that it looks at"}: dark is nothing, yellow is all. Point at
    a cell or a letter. ${back ? "" : state.head < 0 ? "The letters above show the mean of all heads, and the brightest is the one that was looked at most; press a map for one head." : `The letters above show head ${state.head + 1}; press its name again for the mean.`}</p>
    ${table(machine, chosen, heads)}`;
}

function figure({ state: { head: chosen }, result }, name, h) {
  const off = result.off[nameOf(result, name)]?.includes(h) ? ", off" : "";
  return `<button class="map" data-do="head" data-value="${chosen === h ? -1 : h}" aria-pressed="${chosen === h}"
    aria-label="Head ${h + 1}${off}"><canvas data-head="${h}" data-map="${name}" data-cell="12"></canvas>head ${h + 1}${off}</button>`;
}

function table({ result, state, text, opened }, name, heads) {
  return `<details data-part="table"><summary>These numbers as a table</summary>
    ${opened.has("table") ? numbers(result, state, name, heads, text) : ""}</details>`;
}

function numbers(result, state, name, heads, text) {
  const grid = mapOf(heads, state.head);
  const from = rowsOf(result, name, text);
  const to = columnsOf(result, name, text);
  const head = to.map((x) => `<th scope="col">${escape(x)}</th>`).join("");
  const rows = grid.map((row, i) => `<tr><th scope="row">${escape(from[i])}</th>${row.map((x) =>
    `<td>${Number.isNaN(x) ? "" : x.toFixed(2)}</td>`).join("")}</tr>`);
  return `<div class="scroll" tabindex="0" role="region" aria-label="Table of weights"><table class="plain"><caption>${ATTENTIONS[name]}, ${state.head < 0 ? "mean of all heads" : `head ${state.head + 1}`}:
    who looks ↓ at whom →</caption><thead><tr><td></td>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

const places = (result, text) => result.padded.map((_, j) => (j >= text.length ? "·" : text[j] === " " ? "␣" : text[j]));

/** The letters that look, for the labels of a map: where the answer looks at itself, those that are given. */
export function rowsOf(result, name, text) {
  if (name === "encoder") return places(result, text);
  if (name === "self") return columnsOf(result, name, text);
  return result.atOnce ? ["all"] : result.steps.map((step) => (step.text === "end" ? "▪" : step.text));
}

/** The letters that are looked at: of the answer those that are given, behind the start. */
export function columnsOf(result, name, text) {
  return name === "self" ? ["start", ...result.steps.slice(0, -1).map((step) => step.text)] : places(result, text);
}

function apart(machine) {
  const { state, siblings, past, future, result, plain } = machine;
  const mend = button("mend", "Put it together again", isWhole(state));
  return `<h2>Take it apart</h2><p class="now"><b>${escape(result.answer)}</b> ${escape(effect(result, state, siblings, plain))}</p>
    <div class="bar">${button("undo", "Undo", !past.length)}${button("redo", "Redo", !future.length)}${mend}
    ${button("share", "Copy a link to this machine")}</div>
    ${sibling(state, siblings)}${heads(machine)}${hidden(machine)}${padding(machine)}${weights(machine)}`;
}

function sibling(state, siblings) {
  const options = siblings.map(({ name, title }) =>
    `<option value="${name}" ${name === state.sibling ? "selected" : ""}>${escape(title)}</option>`);
  const { measured, about } = siblings.find(({ name }) => name === state.sibling);
  return `<fieldset><legend>A machine that was trained without a part</legend><label>Machine <select data-field="sibling">${options.join("")}</select></label>
    <p>${escape(about)} Of 2,000 dates that it had not seen it writes ${percent(measured.exact)} right: the year in
    ${percent(measured.year)}, the month in ${percent(measured.month)}, the day in ${percent(measured.day)}.</p></fieldset>`;
}

function heads({ state, model }) {
  const { config } = model;
  const count = config.num_heads;
  const groups = config.kind === "digits"
    ? [["encoder.0", "text looks at text", count], ["query", "one look at the text", config.heads_of_query]]
    : [["encoder.0", "text looks at text", count], ["decoder.0.self", "answer looks at answer", count],
      ["decoder.0.cross", "answer looks at text", count]];
  const rows = groups.map(([name, title, number]) => `<div class="bar" role="group" aria-label="Heads, ${title}">
    <span class="name">${title}</span>${Array.from({ length: number }, (_, h) => `<button data-do="off" data-value="${name} ${h}"
    aria-pressed="${state.off.includes(`${name} ${h}`)}">switch off head ${h + 1}</button>`).join("")}</div>`);
  return `<fieldset><legend>Switch off heads of the trained machine</legend>${rows.join("")}
    <p class="hint">A head that is off passes on zeros. That is not the same as training without it.</p></fieldset>`;
}

function hidden({ state, text }) {
  const letters = [...text].map((x, j) => `<button class="letter" data-do="hide" data-value="${j}"
    aria-pressed="${state.hidden.includes(j)}" aria-label="hide letter ${j + 1}: ${x === " " ? "space" : escape(x)}">${x === " " ? "␣" : escape(x)}</button>`);
  return `<fieldset><legend>Hide letters of the text</legend><div class="strip">${letters.join("")}</div></fieldset>`;
}

function padding({ state, model, result }) {
  if (result.atOnce) return ""; // such a machine has no switch for it
  const always = model.config.lacks.includes("padding mask");
  const seen = always || state.seesPadding;
  return `<fieldset><legend>Padding</legend><label><input type="checkbox" data-field="seesPadding" ${seen ? "checked" : ""}
    ${always ? "disabled" : ""}>let it see the padding</label>
    <label>that fills the text up to <input type="range" data-field="places" min="${TRAINED_LENGTH}" max="${MOST_PADDED}"
    value="${seen ? result.padded.length : TRAINED_LENGTH}" ${seen ? "" : "disabled"}> ${seen ? result.padded.length : TRAINED_LENGTH} places</label>
    <p class="hint">In training every text was filled up to ${TRAINED_LENGTH}. ${always ? "This machine was trained to see it." : seen ? "" : "With its mask, the machine never notices. Let it see the padding first."}</p></fieldset>`;
}

function weights(machine) {
  return `<details class="weights" data-part="weights"><summary>Write a row of weights anew</summary>
    ${machine.opened.has("weights") ? row(machine) : ""}</details>`;
}

function row({ state, kept, edited }) {
  const matrices = [...kept.parts].filter(([, { shape }]) => shape.length === 2);
  const found = matrices.find(([name]) => name === edited.path) ?? matrices[0];
  const [name, { shape, data }] = found;
  const at = Math.min(edited.row, shape[0] - 1);
  const edit = state.edits.find((one) => one.path === name && one.row === at);
  const numbers = edit ? edit.numbers : [...data.subarray(at * shape[1], (at + 1) * shape[1])];
  const options = matrices.map(([one, { shape: [rows, columns] }]) => `<option ${one === name ? "selected" : ""} value="${one}">${one} (${rows} × ${columns})</option>`);
  const fields = numbers.map((x, c) => `<input type="text" inputmode="decimal" data-field="weight" data-column="${c}"
    aria-label="number ${c + 1} of row ${at + 1}" value="${Number(x.toPrecision(4))}">`);
  return `<div class="bar"><label>Weights <select data-field="path">${options.join("")}</select></label>
    <label>row <input type="number" min="1" max="${shape[0]}" value="${at + 1}" data-field="row"></label>
    ${button("zero", "Make the row 0")}${button("restore", "As trained", !edit)}</div>
    <div class="numbers">${fields.join("")}</div>`;
}

function button(name, text, disabled = false, value = "") {
  return `<button data-do="${name}" data-value="${value}" ${disabled ? 'aria-disabled="true"' : ""}>${text}</button>`;
}

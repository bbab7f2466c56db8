/* Attention of three letters, step by step: a query, its products with the keys, the softmax as bars, the output; each row that is
   done stays in the map below. */

import { escape } from "../html.js";
import { softmax } from "../engine/attention.js";
import { arrow, at, dot, number, player, says, sum } from "./draw.js";

const [CELL, ROW, TOP] = [21, 22, 26]; // of the tables above: a number, a letter, and the first of them
const LEFT = { x: 24, q: 88, k: 194, v: 298 };
const MATRICES = 134; // the top of the three matrices, which stand where the bars will stand
const BARS = { top: 138, row: 24, left: [24, 148, 254], wide: [104, 86, 86] };
const MAP = { top: 262, weights: 24, output: 242, cells: [62, 49] };
const [FLIGHT, TURN] = [1.1, 0.6]; // seconds of a flight, and until the next one takes off
const flight = (n) => `@keyframes flies-${n}{from{transform:translate(var(--x),var(--y));opacity:1}80%{transform:none;opacity:1}to{transform:none;opacity:0}}@keyframes lands-${n}{from{opacity:0}}`;
const STYLE_OF_FLIGHTS = `<style>.flies-0,.flies-1{opacity:0}.flying{fill:color-mix(in srgb,var(--tint) 18%,var(--md-code-bg-color));fill-opacity:1}${flight(0)}${flight(1)}
@media (prefers-reduced-motion:no-preference){${[0, 1].map((n) => `.flies-${n}{animation:flies-${n} ${FLIGHT}s ease-in-out var(--wait,0s) backwards}.lands-${n}{animation:lands-${n} .3s ease-out var(--wait,0s) backwards}`).join("")}}</style>`;
const FIRST = 3; // the step of the first score
const PATIENCE = 5; // so many beats of the piece for each step that goes on by itself: its numbers want to be read

/** state: letters, x (a row for each letter), wq, wk and wv (matrices), row (which letter looks), step, done (which rows are finished), playing. */
export const by_hand = {
  view(state) {
    const { letters, row, step, done, playing } = state;
    const found = computed(state);
    const last = step === lastStep(state);
    const names = letters.map((letter, i) => `<button data-do="row" data-value="${i}" aria-pressed="${i === row}">${escape(letter)}</button>`);
    const next = !last ? "Next step" : done.length < letters.length ? "Next letter" : "From the beginning";
    return `${STYLE_OF_FLIGHTS}<div class="controls"><span role="group" aria-label="Who looks?" style="display:flex;gap:.4em;align-items:center">Who looks? ${names.join("")}</span>
      <button data-do="step">${next}</button>${player("Let it run", playing)}</div>
      <svg viewBox="0 0 346 338" style="max-width:44em" role="img" aria-label="Tables of x, queries, keys and values, a row for each letter; below them the three
      matrices, and from the first score on bars for the scores, the powers and the weights of the letter that looks; and at the bottom the rows of weights and of outputs that are finished.">
      ${tables(state, found)}<g ${step < FIRST ? 'visibility="hidden"' : ""}>${bars(state, found)}</g><g class="matrices">${step < FIRST ? matrices(state) : ""}</g><g>${flights(state, found)}</g>${finished(state, found)}</svg>
      ${says(told(state, found))}`;
  },

  act(state, name, value) {
    if (name === "row") Object.assign(state, { row: value, step: 0, beat: 0 });
    else if (state.step < lastStep(state)) forward(state);
    else if (state.done.length < state.letters.length) {
      const others = state.letters.map((_, i) => (state.row + 1 + i) % state.letters.length);
      Object.assign(state, { row: others.find((i) => !state.done.includes(i)), step: 0 });
    } else Object.assign(state, { done: [], step: 0 });
  },

  /** Wait, or go one step further; say whether there is another. */
  play(state) {
    state.beat = ((state.beat ?? 0) + 1) % PATIENCE;
    if (state.beat !== 1) return true;
    if (state.step === lastStep(state)) by_hand.act(state, "step");
    else forward(state);
    return state.step < lastStep(state);
  },
};

// step 0 shows the letter, 1 its query, 2 all keys and values (only for the first letter), then comes one for each key, one for the powers, one for the
// weights, one for the output
const lastStep = ({ letters }) => letters.length + FIRST + 2;

function forward(state) {
  state.step += state.step === 1 && state.done.length ? FIRST - 1 : 1;
  if (state.step === lastStep(state) && !state.done.includes(state.row)) state.done = [...state.done, state.row];
}

const times = (rows, matrix) => rows.map((row) => matrix[0].map((_, c) => sum(row.map((x, i) => x * matrix[i][c]))));

function computed({ x, wq, wk, wv }) {
  const [q, k, v] = [wq, wk, wv].map((matrix) => times(x, matrix));
  const root = Math.sqrt(k[0].length);
  const scores = q.map((query) => k.map((key) => dot(query, key) / root));
  const weights = scores.map((row) => softmax(row));
  return { q, k, v, root, scores, powers: scores.map((row) => row.map(Math.exp)), weights, output: times(weights, v) };
}

/** A number as one would write it by hand: with as many digits as it needs, and never more than these. */
const short = (x, digits = 2) => number(x, digits).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
const signed = (x) => (x < 0 ? `(${short(x)})` : short(x));
const vector = (numbers, digits) => `(${numbers.map((x) => short(x, digits)).join(", ")})`;

function told({ letters, x, wq, wk, row, step, done }, { q, k, v, root, scores, powers, weights, output }) {
  const [name, keys] = [escape(letters[row]), letters.length];
  const [total, j] = [sum(powers[row]), step - FIRST];
  const made = (i, matrix, result) => `${x[i].map((share, n) => `${short(share)} · ${vector(matrix[n])}`).join(" + ")} = ${vector(result[i])}`;
  if (step === 0) return `“${name}” has the vector ${vector(x[row])}. What is it looking for? Press “Next step”.`;
  if (step === 1) return `Its query: ${made(row, wq, q)}.`;
  if (step === 2) return `In the same way every letter makes a key and a value. The key of “${name}”: ${made(row, wk, k)}.`;
  if (j < keys) {
    const terms = q[row].map((a, c) => `${signed(a)}·${signed(k[j][c])}`).join(" + ");
    return `The query of “${name}” and the key of “${escape(letters[j])}”: ${terms} = ${short(scores[row][j] * root)}. Divided by √${k[0].length} = ${short(root)} this is the score ${short(scores[row][j])}.`;
  }
  if (j === keys) return `e to the power of each score: ${powers[row].map((p) => number(p, 3)).join(", ")}. Together they are ${number(total, 3)}.`;
  if (j === keys + 1) return `Divide each by ${number(total, 3)}: ${weights[row].map((w) => number(w, 4)).join(", ")}. End to end, these weights fill exactly one.`;
  const mixed = weights[row].map((w, i) => `${number(w, 4)} · ${vector(v[i])}`).join(" + ");
  return `The output: ${mixed} = ${vector(output[row], 3)}. ${done.length === keys ? "The map is full." : ""}`;
}

function tables({ letters, x, row, step, done }, { q, k, v }) {
  const keys = letters.length;
  const [asks, fetches] = [step >= 1 && step < FIRST + keys, step === keys + FIRST + 2];
  const met = step >= FIRST && step < FIRST + keys ? [step - FIRST] : [];
  const offered = (rows) => (step > 1 || done.length ? rows : rows.map((numbers) => numbers.map(() => null)));
  const landed = (i) => landing(step, Math.max(rowsFor(x[i]).length - 1, 0));
  const known = q.map((numbers, i) => (done.includes(i) || (i === row && step > 0) ? numbers : numbers.map(() => null)));
  const names = letters.map((letter, i) => `<g data-do="row" data-value="${i}" style="cursor:pointer"><rect x="0" y="${TOP + ROW * i}" width="20" height="${ROW}" fill="transparent"/>
    <text class="middle ${i === row ? "q text" : ""}" x="12" y="${TOP + ROW * i + 15}">${escape(letter)}</text></g>`);
  return `${names.join("")}${table("x", "x", "n", x, step < 2 ? [row] : [])}${table("queries", "q", "q", known, asks ? [row] : [], TOP, (i) => (step === 1 && i === row ? landed(i) : ""))}
    ${table("keys", "k", "k", offered(k), met, TOP, (i) => (step === 2 ? landed(i) : ""))}${table("values", "v", "v", offered(v), fetches ? letters.map((_, i) => i) : [], TOP, (i) => (step === 2 ? landed(i) : ""))}
    ${met.map((j) => meeting(TOP + ROW * keys, BARS.top + BARS.row * (j + 0.5))).join("")}`;
}

/** The lines on which a query and a key come together, and become a score. */
function meeting(low, y) {
  const [join, down] = [low + 11, BARS.left[1] - 10];
  const thin = 'class="stroke" style="stroke-width:1.5"';
  return `<g class="q"><path ${thin} d="M${LEFT.q + 2 * CELL} ${low + 1}V${join}H${down}"/></g><g class="k"><path ${thin} d="M${LEFT.k + 2 * CELL} ${low + 1}V${join}H${down}"/></g>
    <g class="n"><path ${thin} d="M${down} ${join}V${y}"/></g>${arrow([down + 0.7, y], [down - 12, y], "n")}`;
}

/** The matrices that make queries, keys and values, with those rows marked that make the query, or all keys and values. */
function matrices({ x, wq, wk, wv, row, step }) {
  const used = step === 1 ? rowsFor(x[row]) : [];
  const both = step === 2 ? wk.map((_, i) => i) : [];
  const named = (letter) => `<tspan font-style="italic">W</tspan><tspan dy="3" style="font-size:8px">${letter}</tspan>`;
  return [["Q", "q", wq, used], ["K", "k", wk, both], ["V", "v", wv, both]].map(([letter, name, matrix, lit]) =>
    table(named(letter), name, name, matrix, lit, MATRICES)).join("");
}

const rowsFor = (shares) => shares.flatMap((share, i) => (share ? [i] : []));

/** What moves at this step: rows of a matrix become a query, or keys and values; the query goes to a key; values, times their weights, become the output. */
function flights({ letters, x, wq, wk, wv, row, step }, { q, v, weights }) {
  const ghost = (numbers, kind, [fromX, fromY], [toX, toY], turn = 0, wide = CELL) => `<g class="flies-${step % 2}" style="--x:${fromX - toX}px;--y:${fromY - toY}px;--wait:${turn * TURN}s">${numbers.map((n, c) =>
    `<rect class="${kind} grip flying" x="${toX + wide * c}" y="${toY}" width="${wide}" height="${ROW}"/><text class="middle" x="${toX + wide * (c + 0.5)}" y="${toY + 15}">${short(n)}</text>`).join("")}</g>`;
  const made = (i, name, kind, matrix) => rowsFor(x[i]).map((n, turn) => ghost(matrix[n].map((y) => y * x[i][n]), kind, [LEFT[name], MATRICES + ROW * n], [LEFT[name], TOP + ROW * i], turn));
  if (step === 1) return made(row, "q", "q", wq).join("");
  if (step === 2) return letters.flatMap((_, i) => [...made(i, "k", "k", wk), ...made(i, "v", "v", wv)]).join("");
  if (step >= FIRST && step < FIRST + letters.length) return ghost(q[row], "q", [LEFT.q, TOP + ROW * row], [LEFT.k, TOP + ROW * (step - FIRST)]);
  if (step !== lastStep({ letters })) return "";
  return v.map((numbers, i) => ghost(numbers.map((n) => n * weights[row][i]), "v", [MAP.output, TOP + ROW * i], [MAP.output, MAP.top + ROW * row], i, MAP.cells[1])).join("");
}

/** What is there only when so many rows before the last one, and then the last one, have flown. */
const landing = (step, turns) => `class="lands-${step % 2}" style="--wait:${at(turns * TURN + 0.85 * FLIGHT)}s"`;

function table(title, name, kind, lines, lit, top = TOP, lands = () => "") {
  const [left, wide] = [LEFT[name], CELL * lines[0].length];
  const cells = lines.map((row, i) => `<g ${lands(i)}>${row.map((x, c) => `<text class="middle ${lit.includes(i) ? "" : "soft"}" ${lit.includes(i) ? 'style="font-weight:600"' : ""} x="${left + CELL * (c + 0.5)}"
    y="${top + ROW * i + 15}">${x === null ? "·" : short(x)}</text>`).join("")}</g>`);
  const marks = lines.map((_, i) => `<rect class="${kind} ${lit.includes(i) ? "grip" : "line"}" x="${left}" y="${top + ROW * i}" width="${wide}" height="${ROW}"/>`);
  return `<text class="middle ${kind === "n" ? "" : `${kind} text`}" x="${left + wide / 2}" y="${top - 9}">${title}</text>
    ${[...marks].sort((a, b) => a.includes("grip") - b.includes("grip")).join("")}${cells.join("")}`;
}

/** The three stages of the softmax, a row for each key: scores to either side of 0, their powers, and shares that lie end to end. */
function bars({ letters, row, step }, { scores, powers, weights }) {
  const { top, row: high, left, wide } = BARS;
  const keys = letters.length;
  const stage = step < FIRST ? 0 : step < keys + FIRST ? 1 : step < keys + FIRST + 1 ? 2 : 3;
  const most = [Math.max(...scores.flat().map(Math.abs)), Math.max(...powers[row]), 1];
  const titles = ["score", "e to this power", "weight"].map((title, s) => `<text class="small ${stage > s ? "" : "soft"}" x="${left[s]}" y="${top - 8}">${title}</text>`);
  const zero = left[0] + wide[0] / 2;
  const low = top + high * keys;
  const drawn = letters.flatMap((letter, j) => {
    const y = top + high * j;
    const before = sum(weights[row].slice(0, j));
    const lengths = [
      step >= j + FIRST ? (scores[row][j] / most[0]) * (wide[0] / 2 - 22) : null,
      stage > 1 ? (powers[row][j] / most[1]) * (wide[1] - 34) : null,
      stage > 2 ? weights[row][j] * wide[2] : null,
    ];
    const starts = [zero, left[1], left[2] + before * wide[2]];
    const shown = [short(scores[row][j]), number(powers[row][j]), number(weights[row][j])];
    const fresh = (s) => (s === 0 ? step === j + FIRST : s === stage - 1 && step < keys + FIRST + 2);
    return [`<text class="middle ${step === j + FIRST ? "k text" : ""}" x="12" y="${y + 16}">${escape(letter)}</text>`, ...lengths.map((length, s) => {
      const [begin, size] = [Math.min(starts[s], starts[s] + (length ?? 0)), Math.abs(length ?? 0)];
      const end = s === 2 && begin + size > left[2] + 0.6 * wide[2] ? "end" : "";
      const spot = s === 2 ? (end ? begin - 4 : begin + size + 4) : starts[s] + (length ?? 0) + (length < 0 ? -4 : 4);
      const inside = s === 2 && size > 0.5 * wide[2]; // a long share has no room beside it
      const way = length < 0 ? `;transform:scaleX(-1);transform-origin:${at(starts[s])}px 0` : ""; // so that it grows to the left
      return `<g ${s === 0 && step === j + FIRST ? landing(step, 0) : ""}><rect class="${s === 2 ? "w" : "q"} fill grows" x="${at(starts[s])}" y="${y + 4}" height="${high - 8}" style="width:${at(length === null ? 0 : Math.max(size, 1))}px${way}" opacity="${fresh(s) ? 1 : 0.75}"/>
        <text class="small ${length < 0 || (end && !inside) ? "end" : ""}" ${inside ? 'style="fill:var(--md-default-bg-color);font-weight:600"' : ""} x="${at(inside ? begin + 5 : spot)}" y="${y + 15}">${length === null ? "" : shown[s]}</text></g>`;
    })];
  });
  return `${titles.join("")}<path class="line" d="M${zero} ${top}V${low}M${left[1]} ${top}V${low}"/><rect class="line" x="${left[2]}" y="${top}" width="${wide[2]}" height="${high * keys}"/>
    <text class="small soft middle" x="${zero}" y="${low + 11}">0</text><text class="small soft middle" x="${left[2]}" y="${low + 11}">0</text>
    <text class="small soft middle" x="${left[2] + wide[2]}" y="${low + 11}">1</text>${drawn.join("")}`;
}

/** The rows that are done: the map of weights, darker where there is more, and the outputs. */
function finished({ letters, row, step, done }, { weights, output }) {
  const { top, cells } = MAP;
  const sofar = weights.map((numbers, i) => (done.includes(i) || (i === row && step >= letters.length + FIRST + 1) ? numbers : null));
  const tops = letters.map((letter, j) => `<text class="small middle" x="${MAP.weights + cells[0] * (j + 0.5)}" y="${top - 3}">${escape(letter)}</text>`);
  const drawn = letters.map((letter, i) => {
    const y = top + ROW * i;
    const both = [[sofar[i], MAP.weights, cells[0], 1], [done.includes(i) ? output[i] : null, MAP.output, cells[1], 0]];
    return `<text class="middle ${i === row ? "q text" : ""}" x="12" y="${y + 15}">${escape(letter)}</text>${both.map(([numbers, left, wide, shaded]) =>
      output[i].concat(shaded ? [0] : []).map((_, c) => `<rect class="line" x="${left + wide * c}" y="${y}" width="${wide}" height="${ROW}"
        ${numbers && shaded ? `style="fill:var(--ca-queries);fill-opacity:${at(0.55 * numbers[c])}"` : ""}/><g ${!shaded && i === row && step === lastStep({ letters }) ? landing(step, letters.length - 1) : ""}><text class="middle ${numbers ? "" : "soft"}"
        x="${at(left + wide * (c + 0.5))}" y="${y + 15}">${numbers ? number(numbers[c], shaded ? 3 : 2) : "·"}</text></g>`).join("")).join("")}`;
  });
  return `<text class="small" x="${MAP.weights}" y="${top - 17}">the map: all weights</text><text class="small" x="${MAP.output}" y="${top - 6}">output</text>${tops.join("")}${drawn.join("")}`;
}

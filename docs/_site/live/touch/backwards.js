/* A small calculation whose slopes the reader walks back, operation by operation: r = x · w + b, and the loss is its square. */

import { arrow, number, says, slider } from "./draw.js";

const [RATE, SMALL] = [0.02, 0.01]; // the share of a nudge, and by how much a number is changed to try a slope
const ROUNDED = 4; // digits
const [WIDE, HIGH, FORTH, BACK, MIDDLE] = [54, 26, 48, 100, 13]; // of a box, and where the two rows of boxes are
const COLUMNS = { w: 4, product: 100, r: 196, loss: 292 };
const B = { x: 148, forth: 4, back: 144 }; // the box of b, above, and that of its slope, below
const NAMES = { product: "x·w" };

/** state: w, x and b (numbers), done (how many operations are walked back), missed (the factor that was wrong, or ""),
    before (the loss before the last nudge, or null). */
export const backwards = {
  view(state) {
    const { w, x, b, done } = state;
    const { r, loss, slope } = calculate(state);
    const values = { w, product: x * w, r, loss };
    const known = { loss: 1, r: done > 0 ? slope.r : null, product: done > 1 ? slope.r : null, w: done > 2 ? slope.w : null };
    const boxes = Object.entries(COLUMNS).map(([name, left]) => `<text class="middle" x="${left + WIDE / 2}" y="${FORTH - 5}">${NAMES[name] ?? name}</text>
      ${box(left, FORTH, values[name], true)}${box(left, BACK, known[name], false)}`);
    const picks = done < 3 ? factors(state).map(([name, value], i) => `<button data-do="pick" data-value="${i}">${name === shown(value) ? name : `${name} = ${shown(value)}`}</button>`) : ['<button data-do="nudge">Nudge w and b</button>'];
    return `<svg viewBox="0 0 350 176" style="max-width:32em" role="img" aria-label="Forwards: x times w, plus b, squared, is the loss. Backwards: the slope of each, as far as you have walked.">
      ${boxes.join("")}<text class="end" x="${B.x - 5}" y="${B.forth + 17}">b</text>${box(B.x, B.forth, b, true)}${box(B.x, B.back, done > 1 ? slope.r : null, false)}
      <text x="${B.x + WIDE + 6}" y="${B.back + 17}">b</text>
      ${row("w", "product", "· x", done > 2)}${row("product", "r", "+ b", done > 1)}${row("r", "loss", "square", done > 0)}
      ${arrow([B.x + 42, B.forth + HIGH], [COLUMNS.r + 16, FORTH], "n")}${done > 1 ? arrow([COLUMNS.r + 16, BACK + HIGH], [B.x + 42, B.back], "w") : ""}
      <text class="soft" x="4" y="${B.back + 17}">the slopes, walked back</text></svg>
      <div class="controls">${picks.join("")}<button data-do="again">Start again</button></div>
      <div class="controls">${slider("w", "w", w, [-3, 3, 0.5], shown(w))}${slider("x", "x", x, [-4, 4, 1], shown(x))}${slider("b", "b", b, [-4, 4, 0.5], shown(b))}</div>
      ${says(told(state))}`;
  },

  set(state, field, value) {
    Object.assign(state, { [field]: value, done: 0, missed: "", before: null });
  },

  act(state, name, value) {
    const { loss, slope } = calculate(state);
    if (name === "nudge") {
      Object.assign(state, { w: rounded(state.w - RATE * slope.w), b: rounded(state.b - RATE * slope.r), before: loss });
      return;
    }
    const [factor, size] = factors(state)[value];
    const isRight = rounded(size) === rounded(rightFactor(state));
    Object.assign(state, isRight ? { done: state.done + 1, missed: "" } : { missed: factor });
  },

  seen: ({ before }) => before !== null,
};

function calculate({ w, x, b }) {
  const r = x * w + b;
  return { r, loss: r ** 2, slope: { r: 2 * r, w: x * 2 * r } };
}

/** The factors that the reader can choose from, at the operation that comes next. */
function factors(state) {
  const { w, x, b, done } = state;
  const { r } = calculate(state);
  return [
    [["r", r], ["2r", 2 * r], ["r²", r ** 2]],
    [["b", b], ["r", r], ["1", 1]],
    [["x", x], ["w", w], ["x·w", x * w]],
  ][done];
}

const rightFactor = (state) => [2 * calculate(state).r, 1, state.x][state.done];

function told(state) {
  const { w, x, b, done, missed, before } = state;
  const { r, loss, slope } = calculate(state);
  const tried = (name, value, what, from, to, times) => `Not ${missed}. With ${name} = ${shown(value + SMALL)} in place of ${shown(value)}, ${what} is ${shown(to)} in place of
    ${shown(from)}. That is a change of ${shown(to - from)}, ${times} times ${SMALL}.`;
  if (done === 0) {
    return missed ? tried("r", r, "the loss", loss, (r + SMALL) ** 2, `about ${shown(2 * r)}`) : `The loss is ${shown(loss)}. Walk back through the square: if r changes a little, the loss
      changes how many times as much?`;
  }
  if (done === 1) {
    return missed ? tried("b", b, "r", r, r + SMALL, 1) : `The slope of r is 2r = ${shown(slope.r)}. Now through the sum: if b changes a little, r changes how many times as much?`;
  }
  if (done === 2) {
    return missed ? tried("w", w, "x·w", x * w, x * (w + SMALL), shown(x)) : `A sum hands the slope on as it is: ${shown(slope.r)} for x·w, and ${shown(slope.r)} for b. Now through the product: if w
      changes a little, x·w changes how many times as much?`;
  }
  const first = before === null ? `One walk gave both slopes: ${shown(slope.w)} for w and ${shown(slope.r)} for b. With w = ${shown(w + SMALL)} the loss would be
    ${shown((x * (w + SMALL) + b) ** 2)}, which is ${shown((x * (w + SMALL) + b) ** 2 - loss)} more.` : `The loss was ${shown(before)} and is ${shown(loss)}. The slopes are now ${shown(slope.w)} and ${shown(slope.r)}.`;
  return `${first} A nudge by ${RATE} of the slopes takes w to ${shown(w - RATE * slope.w)} and b to ${shown(b - RATE * slope.r)}.`;
}

function box(left, top, value, forth) {
  const text = value === null ? '<tspan class="soft">?</tspan>' : shown(value);
  return `<rect class="${forth ? "axis" : "w grip"}" x="${left}" y="${top}" width="${WIDE}" height="${HIGH}" rx="4"/>
    <text class="middle ${forth || value === null ? "" : "w text"}" x="${left + WIDE / 2}" y="${top + 17}">${text}</text>`;
}

/** The arrow of an operation, and the one back, as soon as the reader has walked it. */
function row(from, to, name, walked) {
  const [start, end] = [COLUMNS[from] + WIDE + 2, COLUMNS[to] - 2];
  return `${arrow([start, FORTH + MIDDLE], [end, FORTH + MIDDLE], "n")}<text class="middle soft" x="${(start + end) / 2}" y="${FORTH + MIDDLE - 6}">${name}</text>
    ${walked ? arrow([end, BACK + MIDDLE], [start, BACK + MIDDLE], "w") : ""}`;
}

const rounded = (value) => Number(value.toFixed(ROUNDED));
const shown = (value) => number(value, ROUNDED).replace(/\.?0+$/, "");

/* The arithmetic of the Mask Lab: attention in plain lists, rounded after every operation as float32 or float16 is. */

/** Round to the nearest half-precision number, ties to even. */
export function float16(x) {
  const size = Math.abs(x);
  if (!Number.isFinite(x) || size === 0) return x;
  if (size >= 65520) return Math.sign(x) * Infinity;
  const step = 2 ** (Math.max(Math.floor(Math.log2(size)), -14) - 10);
  const below = Math.floor(size / step);
  const rest = size / step - below;
  const up = rest > 0.5 || (rest === 0.5 && below % 2 === 1);
  return Math.sign(x) * (below + (up ? 1 : 0)) * step;
}

const ROUND = { float32: Math.fround, float16 };

export const HOW = {
  select: "select what is visible (ours)",
  add: "add -1e9 × mask",
  infinity: "add -inf × mask",
  after: "multiply after the softmax",
};

export const STEPS = {
  scores: ["Scores", "each query times each key"],
  scaled: ["Scaled", "divided by the root of the depth"],
  masked: ["Masked", "blocked keys hidden, in the chosen way"],
  weights: ["Weights", "the softmax of each row"],
  output: ["Output", "values, summed by the weights of the row"],
};

/**
 * Compute every step of attention.
 * q: n lists of d numbers, k and v likewise; mask: n lists of n, 1 blocks a key.
 * Returns the grids scores, scaled, masked, weights, output.
 */
export function attend({ q, k, v, mask, how, dtype }) {
  const round = ROUND[dtype];
  const r = how === "select" ? Math.fround : round; // clear-attention computes 16-bit numbers in float32
  const rounded = (rows) => rows.map((row) => row.map(round));
  [q, k, v] = [q, k, v].map(rounded);
  const scores = q.map((query) => k.map((key) => dot(query, key, r)));
  const root = r(Math.sqrt(q[0].length));
  const scaled = scores.map((row) => row.map((x) => r(x / root)));
  const masked = scaled.map((row, i) => row.map((x, j) => hide(x, mask[i][j], how, r)));
  const weights = masked.map((row, i) => softmax(row, mask[i], how, r));
  const output = weights.map((row, i) => mix(row, v, how === "select" ? mask[i] : null, r));
  return Object.fromEntries(Object.entries({ scores, scaled, masked, weights, output }).map(
    ([step, rows]) => [step, rounded(rows)]));
}

function dot(a, b, r) {
  return a.reduce((sum, x, i) => r(sum + r(x * b[i])), 0);
}

function hide(x, blocked, how, r) {
  if (how === "select") return blocked ? -Infinity : x;
  if (how === "add") return r(x + r(r(-1e9) * blocked));
  if (how === "infinity") return r(x + -Infinity * blocked);
  return x;
}

export function softmax(row, blocked, how, r) {
  if (how === "select" && blocked.every(Boolean)) return row.map(() => 0);
  const largest = row.some(Number.isNaN) ? NaN : Math.max(...row);
  const terms = row.map((x) => r(Math.exp(r(x - largest))));
  const sum = terms.reduce((a, b) => r(a + b), 0);
  const weights = terms.map((x) => r(x / sum));
  if (how === "select") return weights.map((w, j) => (blocked[j] ? 0 : w));
  return how === "after" ? weights.map((w, j) => r(w * (1 - blocked[j]))) : weights;
}

/** Sum values by weights; what is selected away is not read, so that a NaN in it stays where it is. */
function mix(weights, v, blocked, r) {
  return v[0].map((_, c) =>
    weights.reduce((sum, w, j) => (blocked && blocked[j] ? sum : r(sum + r(w * v[j][c]))), 0),
  );
}

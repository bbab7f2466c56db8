/* attention.py: softmax(Q Kᵀ / √d) V, every step of it.

   The Mask Lab rounds after each operation as float32 or float16 does, and hides keys in several ways; the date machine
   computes in doubles and hides as the package does. Rows are arrays of numbers, typed or not. */

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

const exactly = (x) => x;
const ROUND = { float64: exactly, float32: Math.fround, float16 };

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
 * q: rows of d numbers, k and v likewise; mask: a row for each query, 1 blocks a key.
 * Returns the grids scores, scaled, masked, weights, output.
 */
export function scaledDotProductAttention({ q, k, v, mask, how = "select", dtype = "float64" }) {
  const round = ROUND[dtype];
  const r = how === "select" && round !== exactly ? Math.fround : round; // clear-attention computes 16 bits in float32
  const rounded = (rows) => (round === exactly ? rows : rows.map((row) => row.map(round)));
  [q, k, v] = [q, k, v].map(rounded);
  const root = r(Math.sqrt(k[0].length));
  const scores = q.map((query) => k.map((key) => dot(query, key, r)));
  const scaled = scores.map((row) => row.map((x) => r(x / root)));
  const masked = scaled.map((row, i) => row.map((x, j) => hide(x, mask[i][j], how, r)));
  const weights = masked.map((row, i) => softmax(row, mask[i], how, r));
  const output = weights.map((row, i) => mix(row, v, how === "select" ? mask[i] : null, r));
  return Object.fromEntries(Object.entries({ scores, scaled, masked, weights, output }).map(
    ([step, rows]) => [step, rounded(rows)]));
}

function dot(a, b, r) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum = r(sum + r(a[i] * b[i]));
  return sum;
}

function hide(x, blocked, how, r) {
  if (how === "select") return blocked ? -Infinity : x;
  if (how === "add") return r(x + r(r(-1e9) * blocked));
  if (how === "infinity") return r(x + -Infinity * blocked);
  return x;
}

export function softmax(row, blocked = [], how = "plain", r = exactly) {
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
  const sums = Array(v[0].length).fill(0);
  for (let j = 0; j < v.length; j++) {
    if (blocked && blocked[j]) continue;
    const [w, row] = [weights[j], v[j]];
    for (let c = 0; c < sums.length; c++) sums[c] = r(sums[c] + r(w * row[c]));
  }
  return sums;
}

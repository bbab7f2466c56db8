/* The layers once more, forwards and backwards. Each function returns its output and the way back: a function that takes
   the slopes of the loss along this output, adds to those along the weights, and returns those along the input.

   All texts of a batch lie in one array, row after row, and `spans` say where each begins and how many rows it has. So no
   text is padded: what nobody may look at and no loss counts is not there. */

import { ACTIVATIONS, SLOPES } from "./dense.js";

const EPSILON = 1e-6; // what the norms add to the variance
const BASE = 10000; // of the turns

/** out (rows, columns) += a b, where a is read in steps, so that it can stand as it is or turned on its side. */
function addProduct(out, a, b, [rows, inner, columns], rowStep = inner, innerStep = 1) {
  const [pairs, fours] = [rows - (rows % 2), columns - (columns % 4)];
  for (let r = 0; r < pairs; r += 2) {
    for (let c = 0; c < fours; c += 4) { // eight sums at once: each number that is read serves several
      let s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;
      for (let k = 0, at = r * rowStep, from = c; k < inner; k++, at += innerStep, from += columns) {
        const x = a[at], y = a[at + rowStep], b0 = b[from], b1 = b[from + 1], b2 = b[from + 2], b3 = b[from + 3];
        s0 += x * b0; s1 += x * b1; s2 += x * b2; s3 += x * b3;
        t0 += y * b0; t1 += y * b1; t2 += y * b2; t3 += y * b3;
      }
      const to = r * columns + c, below = to + columns;
      out[to] += s0; out[to + 1] += s1; out[to + 2] += s2; out[to + 3] += s3;
      out[below] += t0; out[below + 1] += t1; out[below + 2] += t2; out[below + 3] += t3;
    }
  }
  for (let r = 0; r < rows; r++) { // what is left at the right and below
    for (let c = r < pairs ? fours : 0; c < columns; c++) {
      let sum = 0;
      for (let k = 0; k < inner; k++) sum += a[r * rowStep + k * innerStep] * b[k * columns + c];
      out[r * columns + c] += sum;
    }
  }
}

function transposed(matrix, [rows, columns]) {
  const columnsFirst = new Float64Array(matrix.length);
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) columnsFirst[c * rows + r] = matrix[r * columns + c];
  return columnsFirst;
}

export const add = (x, y) => x.map((value, i) => value + y[i]);

export function dense(weights, x) {
  const [kernel, bias] = [weights.get("kernel"), weights.get("bias")];
  const [inputs, outputs] = kernel.shape;
  const rows = x.length / inputs;
  const y = new Float64Array(rows * outputs);
  for (let r = 0; r < rows; r++) y.set(bias.data, r * outputs);
  addProduct(y, x, kernel.data, [rows, inputs, outputs]);
  return [y, (slopes) => {
    for (let i = 0; i < slopes.length;) for (let c = 0; c < outputs; c++, i++) bias.slopes[c] += slopes[i];
    addProduct(kernel.slopes, x, slopes, [inputs, rows, outputs], 1, inputs);
    const back = new Float64Array(x.length);
    addProduct(back, slopes, transposed(kernel.data, kernel.shape), [rows, outputs, inputs]);
    return back;
  }];
}

export function norm(weights, x) {
  const [gamma, beta] = [weights.get("gamma"), weights.get("beta")];
  const depth = gamma.data.length;
  const [normed, y, roots] = [new Float64Array(x.length), new Float64Array(x.length), new Float64Array(x.length / depth)];
  for (let r = 0, at = 0; at < x.length; r++, at += depth) {
    let [mean, variance] = [0, 0];
    for (let c = 0; c < depth; c++) mean += x[at + c] / depth;
    for (let c = 0; c < depth; c++) variance += (x[at + c] - mean) ** 2 / depth;
    roots[r] = Math.sqrt(variance + EPSILON);
    for (let c = 0; c < depth; c++) {
      normed[at + c] = (x[at + c] - mean) / roots[r];
      y[at + c] = normed[at + c] * gamma.data[c] + beta.data[c];
    }
  }
  return [y, (slopes) => {
    const back = new Float64Array(x.length);
    for (let r = 0, at = 0; at < x.length; r++, at += depth) {
      let [mean, along] = [0, 0]; // mean and variance move with every number of the row
      for (let c = 0; c < depth; c++) {
        const slope = slopes[at + c];
        gamma.slopes[c] += slope * normed[at + c];
        beta.slopes[c] += slope;
        mean += (slope * gamma.data[c]) / depth;
        along += (slope * gamma.data[c] * normed[at + c]) / depth;
      }
      for (let c = 0; c < depth; c++) back[at + c] = (slopes[at + c] * gamma.data[c] - mean - normed[at + c] * along) / roots[r];
    }
    return back;
  }];
}

export function feedForward(weights, x, activation = "relu") {
  const [wide, backWiden] = dense(weights.inside("widen"), x);
  const [y, backNarrow] = dense(weights.inside("narrow"), wide.map(ACTIVATIONS[activation]));
  return [y, (slopes) => backWiden(backNarrow(slopes).map((slope, i) => slope * SLOPES[activation](wide[i])))];
}

/** Each row against each vector of a table: their dot products. */
export function againstTable(table, x) {
  const [vocab, depth] = table.shape;
  const rows = x.length / depth;
  const y = new Float64Array(rows * vocab);
  addProduct(y, x, transposed(table.data, table.shape), [rows, depth, vocab]);
  return [y, (slopes) => {
    addProduct(table.slopes, slopes, x, [vocab, rows, depth], 1, vocab);
    const back = new Float64Array(x.length);
    addProduct(back, slopes, table.data, [rows, vocab, depth]);
    return back;
  }];
}

/** Turn the rows of each head by their places in the text, or back; channel i and the one half the depth later are a pair. */
function turn(x, spans, width, depth, way) {
  const half = depth / 2;
  const longest = Math.max(...spans.map(([, length]) => length));
  const angles = Array.from({ length: longest * half }, (_, i) => Math.floor(i / half) * BASE ** (-(i % half) / half));
  const [cos, sin] = [angles.map(Math.cos), angles.map((angle) => way * Math.sin(angle))];
  for (const [first, length] of spans) {
    for (let i = 0; i < length * width; i += depth) {
      const from = Math.floor(i / width) * half; // the angles of this place
      for (let c = 0, at = first * width + i; c < half; c++, at++) {
        const [a, b] = [x[at], x[at + half]];
        x[at] = a * cos[from + c] - b * sin[from + c];
        x[at + half] = a * sin[from + c] + b * cos[from + c];
      }
    }
  }
}

/** The way back returns the slopes along x and along the context. */
export function attention(weights, x, context, { numHeads, spans, contextSpans, causal = false, rotary = false }) {
  const [q, backQueries] = dense(weights.inside("project_queries"), x);
  const [k, backKeys] = dense(weights.inside("project_keys"), context);
  const [v, backValues] = dense(weights.inside("project_values"), context);
  const width = q.length / sumOf(spans);
  const depth = width / numHeads;
  const root = Math.sqrt(depth);
  if (rotary) [[q, spans], [k, contextSpans]].forEach(([rows, where]) => turn(rows, where, width, depth, 1));
  const rows = []; // of each text, head and query: where it and the first key lie, how many keys it sees, where their shares begin
  let size = 0;
  spans.forEach(([first, length], text) => {
    const [firstKey, keys] = contextSpans[text];
    for (let from = 0; from < width; from += depth) {
      for (let i = 0; i < length; i++) {
        const seen = causal ? i + 1 : keys;
        rows.push({ query: (first + i) * width + from, key: firstKey * width + from, seen, begin: size });
        size += seen;
      }
    }
  });
  const [shares, merged] = [new Float64Array(size), new Float64Array(q.length)];
  for (const { query, key, seen, begin } of rows) {
    let [largest, total] = [-Infinity, 0];
    for (let j = 0, there = key; j < seen; j++, there += width) {
      let score = 0;
      for (let c = 0; c < depth; c++) score += q[query + c] * k[there + c];
      shares[begin + j] = score / root;
      largest = Math.max(largest, score / root);
    }
    for (let j = begin; j < begin + seen; j++) total += (shares[j] = Math.exp(shares[j] - largest));
    for (let j = 0, there = key; j < seen; j++, there += width) {
      const share = (shares[begin + j] /= total);
      for (let c = 0; c < depth; c++) merged[query + c] += share * v[there + c];
    }
  }
  const [y, backOutput] = dense(weights.inside("project_output"), merged);
  return [y, (slopes) => {
    const along = backOutput(slopes);
    const [alongQ, alongK, alongV, pulls] = [q, k, v, shares].map((values) => new Float64Array(values.length));
    for (const { query, key, seen, begin } of rows) {
      let mean = 0;
      for (let j = 0, there = key; j < seen; j++, there += width) {
        const share = shares[begin + j];
        let pull = 0; // how the loss moves with this share
        for (let c = 0; c < depth; c++) {
          pull += along[query + c] * v[there + c];
          alongV[there + c] += share * along[query + c];
        }
        pulls[begin + j] = pull;
        mean += share * pull;
      }
      for (let j = 0, there = key; j < seen; j++, there += width) {
        const slope = (shares[begin + j] * (pulls[begin + j] - mean)) / root; // what one share wins, the others lose
        for (let c = 0; c < depth; c++) {
          alongQ[query + c] += slope * k[there + c];
          alongK[there + c] += slope * q[query + c];
        }
      }
    }
    if (rotary) [[alongQ, spans], [alongK, contextSpans]].forEach(([rows, where]) => turn(rows, where, width, depth, -1));
    return [backQueries(alongQ), add(backKeys(alongK), backValues(alongV))];
  }];
}

const sumOf = (spans) => spans.reduce((total, [, length]) => total + length, 0);

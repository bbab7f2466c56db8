/* language_model.py and generation/sampling.py: half a Transformer, norm first, with positions that turn and a tied table. */

import { softmax } from "./attention.js";
import { Embedding } from "./dense.js";
import { EncoderLayer, stack } from "./layers.js";
import { PAD, START } from "./transformer.js";

const FIRST = 3; // the id of byte 0: padding, start and end come before
const SLACK = 1e-6; // sums reach a limit only about
const DEFAULTS = { norm_first: true, activation: "gelu", rotary: true };

export class LanguageModel {
  constructor(weights, config) {
    this.config = { ...DEFAULTS, ...config };
    this.embed = new Embedding(weights.inside("embed"));
    this.stack = stack(EncoderLayer, weights.inside("stack"), this.config);
  }

  /** Read more ids after those that were kept. Returns the logits of each, who looked where, and what is to be kept. */
  call(ids, pasts = []) {
    const root = Math.sqrt(this.config.d_model);
    let x = this.embed.call(ids).map((row) => row.map((number) => number * root));
    const before = pasts.length ? pasts[0].k[0].length : 0;
    const mask = ids.map((_, i) => Array.from({ length: before + ids.length }, (_, j) => Number(j > before + i)));
    const [weights, memories] = [[], []];
    this.stack.layers.forEach((layer, i) => {
      const result = layer.call(x, mask, [], pasts[i] ?? null);
      x = result.x;
      weights.push(result.weights);
      memories.push(result.past);
    });
    return { logits: this.stack.finalNorm(x).map((row) => this.compared(row)), weights, pasts: memories };
  }

  /** Compare a vector with that of each id. */
  compared(row) {
    const { data, shape: [vocab, depth] } = this.embed.table;
    return Float64Array.from({ length: vocab }, (_, id) => {
      let sum = 0;
      for (let c = 0, at = id * depth; c < depth; c++) sum += row[c] * data[at + c];
      return sum;
    });
  }
}

/**
 * What may be drawn, the most probable id first, as [{ id, before, chance }]: `before` is its probability at this
 * temperature, `chance` what top-p makes of it. Padding and the start are never said.
 */
export function candidates(logits, temperature, topP) {
  const scores = Array.from(logits, (x, id) => (id === PAD || id === START ? -Infinity : x));
  const largest = Math.max(...scores);
  const first = scores.indexOf(largest); // temperature 0 takes it, of equal ones the lowest
  const chances = temperature
    ? softmax(scores.map((x) => (x - largest) / temperature))
    : scores.map((_, id) => Number(id === first));
  const found = chances.map((before, id) => ({ id, before })).sort((a, b) => b.before - a.before);
  let reached = 0;
  const drawn = found.map(({ before }) => {
    const goes = before > 0 && (reached === 0 || topP === 1 || reached < topP - SLACK);
    reached += before;
    return goes ? before : 0;
  });
  const total = drawn.reduce((a, b) => a + b, 0);
  return found.map((one, i) => ({ ...one, chance: drawn[i] / total }));
}

/** How surprising each id is after those before, in bits, from the second on. */
export function surprises(logits, ids) {
  return ids.slice(1).map((id, i) => {
    const scores = logits[i];
    const largest = Math.max(...scores);
    const powers = scores.reduce((total, x) => total + Math.exp(x - largest), 0);
    return (Math.log(powers) + largest - scores[id]) / Math.LN2;
  });
}

/** Return the id that a number in [0, 1) points to. */
export function drawn(found, pointer) {
  let end = 0;
  return (found.find(({ chance }) => chance && (end += chance) > pointer) ?? found[0]).id;
}

/** Numbers in [0, 1) that look random, always the same ones for a seed. */
export function pointers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** The ids of a text's bytes. */
export function idsOf(text) {
  return Array.from(new TextEncoder().encode(text), (byte) => byte + FIRST);
}

/** One id as a letter; what is no letter alone is a box. */
export function letterOf(id) {
  const byte = id - FIRST;
  return byte === 10 || (byte >= 32 && byte < 127) ? String.fromCharCode(byte) : "□";
}

/* heads.py: several heads side by side, each with its own projection of queries, keys and values. */

import { scaledDotProductAttention } from "./attention.js";
import { Dense } from "./dense.js";
import { turned } from "./positions.js";

/** (length, depth) to (heads, length, depth / heads): nothing is mixed, only moved. */
function splitHeads(x, numHeads) {
  const depth = x[0].length / numHeads;
  return Array.from({ length: numHeads }, (_, h) => x.map((row) => row.subarray(h * depth, (h + 1) * depth)));
}

function mergeHeads(heads) {
  return heads[0].map((_, i) => Float64Array.from(heads.flatMap((rows) => [...rows[i]])));
}

export class MultiHeadAttention {
  constructor(weights, numHeads, rotary = false) {
    this.numHeads = numHeads;
    this.rotary = rotary;
    this.projectQueries = new Dense(weights.inside("project_queries"));
    this.projectKeys = new Dense(weights.inside("project_keys"));
    this.projectValues = new Dense(weights.inside("project_values"));
    this.projectOutput = new Dense(weights.inside("project_output"));
  }

  /** start: the position of the first token. */
  toQueries(x, start = 0) {
    return this.placed(splitHeads(this.projectQueries.call(x), this.numHeads), start);
  }

  toKeysAndValues(x, start = 0) {
    const [k, v] = [this.projectKeys, this.projectValues].map((project) => splitHeads(project.call(x), this.numHeads));
    return { k: this.placed(k, start), v };
  }

  placed(heads, start) {
    return this.rotary ? heads.map((rows) => turned(rows, start)) : heads;
  }

  /**
   * Attend in each head. mask: a row for each query; off: heads that say nothing, so that their output is 0.
   * Returns the output (length, d_model), the weights and the products of queries and keys, both (heads, length, keys).
   */
  attend(q, { k, v }, mask, off = []) {
    const heads = q.map((_, h) => scaledDotProductAttention({ q: q[h], k: k[h], v: v[h], mask }));
    const outputs = heads.map(({ output }, h) => (off.includes(h) ? output.map((row) => row.map(() => 0)) : output));
    const [weights, products] = [heads.map((head) => head.weights), heads.map((head) => head.scores)];
    return { output: this.projectOutput.call(mergeHeads(outputs)), weights, products };
  }
}

/* A sibling of the machine that says all eight digits of a date at once: one query, and no decoder. */

import { Dense, Embedding } from "./dense.js";
import { MultiHeadAttention } from "./heads.js";
import { EncoderLayer, stack } from "./layers.js";
import { softmax } from "./attention.js";
import { withPositions } from "./positions.js";
import { PAD } from "./transformer.js";

export class Digits {
  constructor(weights, config) {
    this.config = config;
    this.embedSource = new Embedding(weights.inside("embed_source"));
    this.encoder = stack(EncoderLayer, weights.inside("encoder"), config);
    this.query = weights.get("query");
    this.attention = new MultiHeadAttention(weights.inside("attention"), config.heads_of_query);
    this.projectLogits = new Dense(weights.inside("project_logits"));
  }

  /** Return the digits with their probabilities, and the weights of the one query: (heads, 1, source). */
  call(sourceIds, { off = {}, hidden = [] } = {}) {
    const root = Math.sqrt(this.config.d_model);
    const mask = sourceIds.map((id, j) => Number(Boolean(hidden[j]) || id === PAD));
    let x = withPositions(this.embedSource.call(sourceIds).map((row) => row.map((number) => number * root)));
    const weights = {};
    this.encoder.layers.forEach((layer, i) => {
      const name = `encoder.${i}`;
      ({ x, weights: weights[name] } = layer.call(x, sourceIds.map(() => mask), off[name] ?? []));
    });
    x = this.encoder.finalNorm(x);
    const q = this.attention.toQueries([Float64Array.from(this.query.data)]);
    const result = this.attention.attend(q, this.attention.toKeysAndValues(x), [mask], off.query ?? []);
    const logits = this.projectLogits.call(result.output)[0];
    const steps = Array.from({ length: logits.length / 10 }, (_, i) => {
      const chances = softmax([...logits.subarray(10 * i, 10 * (i + 1))]);
      return { digit: chances.indexOf(Math.max(...chances)), probabilities: chances };
    });
    return { steps, logits, weights: { ...weights, query: result.weights } };
  }
}

/* transformer.py: from ids to logits. What a sibling of the machine lacks stands in its config. */

import { Dense, Embedding } from "./dense.js";
import { DecoderLayer, EncoderLayer, stack } from "./layers.js";
import { withPositions } from "./positions.js";

export const PAD = 0;
export const START = 1;
export const END = 2;
const NOTHING_OFF = [];

export class Transformer {
  constructor(weights, config) {
    this.config = { lacks: [], ...config };
    this.embedSource = new Embedding(weights.inside("embed_source"));
    this.embedTarget = new Embedding(weights.inside("embed_target"));
    this.encoder = stack(EncoderLayer, weights.inside("encoder"), this.config);
    this.decoder = stack(DecoderLayer, weights.inside("decoder"), this.config);
    this.projectLogits = new Dense(weights.inside("project_logits"));
  }

  lacks(part) {
    return this.config.lacks.includes(part);
  }

  /**
   * Read a source. off: lists of the heads that are switched off, by the name of their attention; hidden: places that
   * nothing may look at, as a row of 0 and 1; seesPadding: padding is not hidden.
   */
  encode(sourceIds, { off = {}, hidden = [], seesPadding = this.lacks("padding mask") } = {}) {
    const mask = sourceIds.map((id, j) => Number(Boolean(hidden[j]) || (id === PAD && !seesPadding)));
    let x = this.placed(this.embedSource, sourceIds);
    const weights = {};
    this.encoder.layers.forEach((layer, i) => {
      const name = `encoder.${i}`;
      ({ x, weights: weights[name] } = layer.call(x, sourceIds.map(() => mask), off[name] ?? NOTHING_OFF));
    });
    return { context: this.encoder.finalNorm(x), mask, weights };
  }

  /** Return what each decoder layer keeps of a context. */
  contexts({ context }) {
    return this.decoder.layers.map((layer) => layer.crossAttention.attention.toKeysAndValues(context));
  }

  /** Give the target all at once, as in training: the logits of each place, and who looked where. */
  decode(targetIds, encoded, { off = {} } = {}) {
    const later = (i, j) => Number(targetIds[j] === PAD || (j > i && !this.lacks("look-ahead mask")));
    const mask = targetIds.map((_, i) => targetIds.map((_, j) => later(i, j)));
    return this.through(targetIds, 0, encoded, this.contexts(encoded), mask, off, []);
  }

  /** Give one more token, and look back at those before it. */
  step(token, position, encoded, contexts, pasts, { off = {} } = {}) {
    return this.through([token], position, encoded, contexts, [Array(position + 1).fill(0)], off, pasts);
  }

  through(ids, start, encoded, contexts, mask, off, pasts) {
    const crossMask = ids.map(() => encoded.mask);
    const [weights, products, kept] = [{}, {}, []]; // products: of queries and keys, where the answer looks at the text
    let x = this.placed(this.embedTarget, ids, start);
    this.decoder.layers.forEach((layer, i) => {
      const name = `decoder.${i}`;
      const switched = { self: off[`${name}.self`] ?? NOTHING_OFF, cross: off[`${name}.cross`] ?? NOTHING_OFF };
      const result = layer.call(x, contexts[i], mask, crossMask, switched, pasts[i] ?? null);
      [x, weights[`${name}.self`], weights[`${name}.cross`]] = [result.x, result.self, result.cross];
      products[`${name}.cross`] = result.products;
      kept.push(result.past);
    });
    return { logits: this.projectLogits.call(this.decoder.finalNorm(x)), weights, products, pasts: kept };
  }

  placed(embedding, ids, start = 0) {
    const root = Math.sqrt(this.config.d_model);
    const x = embedding.call(ids).map((row) => row.map((number) => number * root));
    return this.lacks("positions") ? x : withPositions(x, start);
  }
}

/* blocks.py: self-attention, cross-attention and feed-forward, each with a residual and a norm around it. */

import { ACTIVATIONS, Dense, LayerNormalization } from "./dense.js";
import { MultiHeadAttention } from "./heads.js";

class ResidualBlock {
  constructor(weights, { norm_first: normFirst = false, epsilon = 1e-6, lacks = [] }) {
    this.norm = new LayerNormalization(weights.inside("norm"), epsilon);
    this.normFirst = normFirst;
    this.hasResidual = !lacks.includes("residual");
  }

  before(x) {
    return this.normFirst ? this.norm.call(x) : x;
  }

  after(x, output) {
    const total = this.hasResidual ? output.map((row, i) => row.map((number, c) => number + x[i][c])) : output;
    return this.normFirst ? total : this.norm.call(total);
  }
}

class AttentionBlock extends ResidualBlock {
  constructor(weights, config) {
    super(weights, config);
    this.attention = new MultiHeadAttention(weights.inside("attention"), config.num_heads, config.rotary);
  }
}

export class SelfAttentionBlock extends AttentionBlock {
  /** past: the keys and values of earlier tokens, to which those of x are added; without it x is all there is. */
  call(x, mask, off, past = null) {
    const [inside, start] = [this.before(x), past ? past.k[0].length : 0];
    const own = this.attention.toKeysAndValues(inside, start);
    const seen = past ? longer(past, own) : own;
    const { output, weights } = this.attention.attend(this.attention.toQueries(inside, start), seen, mask, off);
    return { x: this.after(x, output), weights, past: seen };
  }
}

export class CrossAttentionBlock extends AttentionBlock {
  /** context: what toKeysAndValues made of the encoder's output, once for all queries. */
  call(x, context, mask, off) {
    const q = this.attention.toQueries(this.before(x));
    const { output, ...looked } = this.attention.attend(q, context, mask, off);
    return { x: this.after(x, output), ...looked };
  }
}

export class FeedForwardBlock extends ResidualBlock {
  constructor(weights, config) {
    super(weights, config);
    this.widen = new Dense(weights.inside("widen"));
    this.narrow = new Dense(weights.inside("narrow"));
    this.activation = ACTIVATIONS[config.activation ?? "relu"];
  }

  call(x) {
    const wide = this.widen.call(this.before(x)).map((row) => row.map(this.activation));
    return this.after(x, this.narrow.call(wide));
  }
}

function longer(past, own) {
  const join = (name) => past[name].map((rows, h) => [...rows, ...own[name][h]]);
  return { k: join("k"), v: join("v") };
}

/* layers.py and encoder_decoder.py: the blocks in their order, and layers on top of each other. */

import { CrossAttentionBlock, FeedForwardBlock, SelfAttentionBlock } from "./blocks.js";
import { LayerNormalization } from "./dense.js";

export class EncoderLayer {
  constructor(weights, config) {
    this.selfAttention = new SelfAttentionBlock(weights.inside("self_attention"), config);
    this.feedForward = new FeedForwardBlock(weights.inside("feed_forward"), config);
  }

  /** past: the kept keys and values of earlier tokens. */
  call(x, mask, off, past = null) {
    const attended = this.selfAttention.call(x, mask, off, past);
    return { x: this.feedForward.call(attended.x), weights: attended.weights, past: attended.past };
  }
}

export class DecoderLayer {
  constructor(weights, config) {
    this.selfAttention = new SelfAttentionBlock(weights.inside("self_attention"), config);
    this.crossAttention = new CrossAttentionBlock(weights.inside("cross_attention"), config);
    this.feedForward = new FeedForwardBlock(weights.inside("feed_forward"), config);
  }

  /** off: the heads that are switched off, as { self, cross }; past: the kept keys and values of earlier tokens. */
  call(x, context, mask, crossMask, off, past = null) {
    const own = this.selfAttention.call(x, mask, off.self, past);
    const across = this.crossAttention.call(own.x, context, crossMask, off.cross);
    return { x: this.feedForward.call(across.x), self: own.weights, cross: across.weights, products: across.products, past: own.past };
  }
}

/** Make the layers of an encoder or a decoder; `finalNorm` ends those that norm first. */
export function stack(Layer, weights, config) {
  const layers = Array.from({ length: config.num_layers }, (_, i) => new Layer(weights.inside(`layer_${i}`), config));
  const norm = config.norm_first ? new LayerNormalization(weights.inside("norm"), config.epsilon ?? 1e-6) : null;
  return { layers, finalNorm: (x) => (norm ? norm.call(x) : x) };
}

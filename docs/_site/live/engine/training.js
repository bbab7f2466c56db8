/* A Transformer with one layer on each side is trained: its loss, the slopes of the loss, and Adam. */

import { add, attention, dense, feedForward, norm } from "./gradients.js";
import { withPositions } from "./positions.js";
import { END, PAD, START } from "./transformer.js";
import { Weights } from "./weights.js";

/** Where each weight stands and its shape, by the names of the package. */
function shapesOf({ d_model: d, d_ff: wide, source_vocab: source, target_vocab: target }) {
  const shapes = { "embed_source/embeddings": [source, d], "embed_target/embeddings": [target, d] };
  const give = (path, inputs, outputs) => Object.assign(shapes, { [`${path}/kernel`]: [inputs, outputs], [`${path}/bias`]: [outputs] });
  const giveNorm = (path) => Object.assign(shapes, { [`${path}/norm/gamma`]: [d], [`${path}/norm/beta`]: [d] });
  for (const path of ["encoder/layer_0/self_attention", "decoder/layer_0/self_attention", "decoder/layer_0/cross_attention"]) {
    for (const name of ["queries", "keys", "values", "output"]) give(`${path}/attention/project_${name}`, d, d);
    giveNorm(path);
  }
  for (const path of ["encoder/layer_0/feed_forward", "decoder/layer_0/feed_forward"]) {
    give(`${path}/widen`, d, wide);
    give(`${path}/narrow`, wide, d);
    giveNorm(path);
  }
  give("project_logits", d, target);
  return shapes;
}

export const freshWeights = (config, random) => drawnWeights(shapesOf(config), random);

/** Weights as the package begins with them, drawn with `random`: a map from path to { shape, data, slopes }. */
export function drawnWeights(shapes, random) {
  return new Map(Object.entries(shapes).map(([path, shape]) => {
    const data = new Float64Array(shape.reduce((a, b) => a * b));
    const [kind, limit] = [path.split("/").at(-1), Math.sqrt(6 / (shape[0] + shape[1]))];
    if (kind === "gamma") data.fill(1);
    else if (kind === "kernel") data.forEach((_, i) => { data[i] = limit * (2 * random() - 1); });
    else if (kind === "embeddings") data.forEach((_, i) => { data[i] = normal(random) / Math.sqrt(shape[1]); });
    return [path, { shape, data, slopes: new Float64Array(data.length) }];
  }));
}

const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Embed ids, a list for each text, and add the waves of their places. */
function embedded(table, texts) {
  const depth = table.shape[1];
  const [root, ids] = [Math.sqrt(depth), texts.flat()];
  const waves = withPositions(Array.from({ length: Math.max(...texts.map((text) => text.length)) }, () => new Float64Array(depth)));
  const x = new Float64Array(ids.length * depth);
  texts.flatMap((text) => text.map((_, place) => waves[place])).forEach((wave, r) => {
    for (let c = 0; c < depth; c++) x[r * depth + c] = root * table.data[ids[r] * depth + c] + wave[c];
  });
  return [x, (slopes) => ids.forEach((id, r) => {
    for (let c = 0; c < depth; c++) table.slopes[id * depth + c] += root * slopes[r * depth + c];
  })];
}

/** Where each text begins when all lie in one array, and how long it is. */
export function spansOf(texts) {
  let first = 0;
  return texts.map(({ length }) => [(first += length) - length, length]);
}

/** Around each sub-layer: what came in is added to what it says, and the sum is normed. */
function around(weights, x, [said, back]) {
  const [y, backNorm] = norm(weights.inside("norm"), add(x, said));
  return [y, (slopes) => {
    const total = backNorm(slopes);
    return [total, back(total)]; // past the sub-layer, and through it
  }];
}

function selfAttentionBlock(weights, x, options) {
  const [y, back] = around(weights, x, attention(weights.inside("attention"), x, x, { contextSpans: options.spans, ...options }));
  return [y, (slopes) => {
    const [past, through] = back(slopes);
    return through.reduce(add, past);
  }];
}

function crossAttentionBlock(weights, x, context, options) {
  const [y, back] = around(weights, x, attention(weights.inside("attention"), x, context, options));
  return [y, (slopes) => {
    const [past, [through, alongContext]] = back(slopes);
    return [add(past, through), alongContext];
  }];
}

function feedForwardBlock(weights, x) {
  const [y, back] = around(weights, x, feedForward(weights, x));
  return [y, (slopes) => add(...back(slopes))];
}

/** From texts and the answers so far to logits, row after row; the way back ends at the weights. */
function transformer(weights, numHeads, sources, targets) {
  const [encoder, decoder] = [weights.inside("encoder/layer_0"), weights.inside("decoder/layer_0")];
  const [spans, contextSpans] = [spansOf(targets), spansOf(sources)];

  const [source, backSource] = embedded(weights.get("embed_source/embeddings"), sources);
  const [read, backRead] = selfAttentionBlock(encoder.inside("self_attention"), source, { numHeads, spans: contextSpans });
  const [context, backContext] = feedForwardBlock(encoder.inside("feed_forward"), read);

  const [target, backTarget] = embedded(weights.get("embed_target/embeddings"), targets);
  const [own, backOwn] = selfAttentionBlock(decoder.inside("self_attention"), target, { numHeads, spans, causal: true });
  const [across, backAcross] = crossAttentionBlock(decoder.inside("cross_attention"), own, context, { numHeads, spans, contextSpans });
  const [said, backSaid] = feedForwardBlock(decoder.inside("feed_forward"), across);

  const [logits, backLogits] = dense(weights.inside("project_logits"), said);
  return [logits, (slopes) => {
    const [alongOwn, alongContext] = backAcross(backSaid(backLogits(slopes)));
    backTarget(backOwn(alongOwn));
    backSource(backRead(backContext(alongContext)));
  }];
}

/** The cross-entropy of what must be said: the mean as `loss`, its slopes along the logits, and that of each row. */
export function crossEntropy(logits, wanted) {
  const vocab = logits.length / wanted.length;
  const [slopes, each] = [new Float64Array(logits.length), new Float64Array(wanted.length)];
  wanted.forEach((id, r) => {
    const [first, end] = [r * vocab, (r + 1) * vocab];
    let [largest, total] = [-Infinity, 0];
    for (let i = first; i < end; i++) largest = Math.max(largest, logits[i]);
    for (let i = first; i < end; i++) total += (slopes[i] = Math.exp(logits[i] - largest));
    for (let i = first; i < end; i++) slopes[i] /= total * wanted.length;
    each[r] = Math.log(total) + largest - logits[first + id];
    slopes[first + id] -= 1 / wanted.length;
  });
  return { loss: each.reduce((sum, nats) => sum + nats, 0) / each.length, slopes, each };
}

/**
 * The mean cross-entropy of all ids that must be said. sources, answers: the ids of each text, without marks.
 * Returns the loss, whether each answer is right (as when it is written id by id: it goes on only after what is right),
 * and the way back, which adds to the slopes of the weights.
 */
export function lossOf(parts, config, { sources, answers }) {
  const targets = answers.map((ids) => [START, ...ids]);
  const wanted = answers.flatMap((ids) => [...ids, END]);
  const [logits, back] = transformer(new Weights(parts), config.num_heads, sources, targets);
  const { loss, slopes } = crossEntropy(logits, wanted);
  const vocab = logits.length / wanted.length;
  const isRight = wanted.map((id, r) => {
    const row = logits.subarray(r * vocab, (r + 1) * vocab);
    return row.every((logit, c) => c === PAD || c === START || logit <= row[id]); // the two are never said
  });
  const right = spansOf(targets).map(([first, length]) => isRight.slice(first, first + length).every(Boolean));
  return { loss, right, back: () => back(slopes) };
}

/** Adam, with the learning rate of each step: up in a line during the warm-up, and down along a cosine. */
export class Adam {
  constructor(parts, { steps, rate, warmUp = 100, momentum = 0.9, memory = 0.98, epsilon = 1e-7 }) {
    Object.assign(this, { steps, rate, warmUp, momentum, memory, epsilon, step: 0 });
    this.moved = [...parts.values()].map((part) => ({ ...part, mean: new Float64Array(part.data.length), square: new Float64Array(part.data.length) }));
  }

  rateNow() {
    if (this.step < this.warmUp) return (this.rate * this.step) / this.warmUp;
    return (this.rate / 2) * (1 + Math.cos((Math.PI * (this.step - this.warmUp)) / (this.steps - this.warmUp)));
  }

  /** Move all weights, and forget the slopes. */
  move() {
    const rate = this.rateNow();
    this.step += 1;
    const { momentum, memory, epsilon, step } = this;
    const pace = (rate * Math.sqrt(1 - memory ** step)) / (1 - momentum ** step);
    for (const { data, slopes, mean, square } of this.moved) {
      for (let i = 0; i < data.length; i++) {
        mean[i] += (1 - momentum) * (slopes[i] - mean[i]);
        square[i] += (1 - memory) * (slopes[i] ** 2 - square[i]);
        data[i] -= (pace * mean[i]) / (Math.sqrt(square[i]) + epsilon);
        slopes[i] = 0;
      }
    }
  }
}

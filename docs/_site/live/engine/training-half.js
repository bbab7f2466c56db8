/* Half a Transformer is trained, as language_model.py builds it: norm first, with positions that turn and a tied table. */

import { add, attention, againstTable, feedForward, norm } from "./gradients.js";
import { crossEntropy, drawnWeights, spansOf } from "./training.js";
import { Weights } from "./weights.js";

/** Where each weight stands and its shape, by the names of the package. */
function shapesOf({ num_layers: layers, d_model: d, d_ff: wide, vocab }) {
  const shapes = { "embed/embeddings": [vocab, d] };
  const give = (path, inputs, outputs) => Object.assign(shapes, { [`${path}/kernel`]: [inputs, outputs], [`${path}/bias`]: [outputs] });
  const giveNorm = (path) => Object.assign(shapes, { [`${path}/norm/gamma`]: [d], [`${path}/norm/beta`]: [d] });
  for (let i = 0; i < layers; i++) {
    const layer = `stack/layer_${i}`;
    giveNorm(`${layer}/self_attention`);
    for (const name of ["queries", "keys", "values", "output"]) give(`${layer}/self_attention/attention/project_${name}`, d, d);
    giveNorm(`${layer}/feed_forward`);
    give(`${layer}/feed_forward/widen`, d, wide);
    give(`${layer}/feed_forward/narrow`, wide, d);
  }
  giveNorm("stack");
  return shapes;
}

export const freshHalf = (config, random) => drawnWeights(shapesOf(config), random);

function embedded(table, ids) {
  const depth = table.shape[1];
  const root = Math.sqrt(depth);
  const x = new Float64Array(ids.length * depth);
  const each = (act) => ids.forEach((id, r) => { for (let c = 0; c < depth; c++) act(r * depth + c, id * depth + c); });
  each((at, from) => { x[at] = root * table.data[from]; });
  return [x, (slopes) => each((at, from) => { table.slopes[from] += root * slopes[at]; })];
}

/** What comes in is normed before a sub-layer, and what the sub-layer says is added to it. */
function beside(weights, x, sublayer) {
  const [normed, backNorm] = norm(weights.inside("norm"), x);
  const [said, back] = sublayer(normed);
  return [add(x, said), (slopes) => add(slopes, backNorm(back(slopes)))];
}

/** From ids to logits, row after row; the way back ends at the weights. */
function half(weights, { num_layers: layers, num_heads: numHeads }, spans, ids) {
  const table = weights.get("embed/embeddings");
  const options = { numHeads, spans, contextSpans: spans, causal: true, rotary: true };
  let [x, back] = embedded(table, ids);
  const ways = [back];
  const through = (block, sublayer) => {
    [x, back] = beside(block, x, sublayer);
    ways.push(back);
  };
  for (let i = 0; i < layers; i++) {
    const [look, think] = ["self_attention", "feed_forward"].map((name) => weights.inside(`stack/layer_${i}/${name}`));
    through(look, (normed) => {
      const [said, backSaid] = attention(look.inside("attention"), normed, normed, options);
      return [said, (slopes) => backSaid(slopes).reduce(add)];
    });
    through(think, (normed) => feedForward(think, normed, "gelu"));
  }
  const [normed, backNorm] = norm(weights.inside("stack/norm"), x);
  const [logits, backLogits] = againstTable(table, normed);
  return [logits, (slopes) => ways.reduceRight((along, way) => way(along), backNorm(backLogits(slopes)))];
}

/**
 * The surprise, in nats, at each id but the first of some pieces of a text: the mean as `loss`, `each`, and the way back,
 * which adds to the slopes of the weights.
 */
export function surpriseOf(parts, config, pieces) {
  const spans = spansOf(pieces.map((ids) => ids.slice(1)));
  const [logits, back] = half(new Weights(parts), config, spans, pieces.flatMap((ids) => ids.slice(0, -1)));
  const { loss, slopes, each } = crossEntropy(logits, pieces.flatMap((ids) => ids.slice(1)));
  return { loss, each, back: () => back(slopes) };
}

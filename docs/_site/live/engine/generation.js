/* generation.py: a target, one token after the other, over kept keys and values. */

import { softmax } from "./attention.js";
import { END, PAD, START } from "./transformer.js";

/** Probabilities of the next token; padding and the start are never said. */
export function probabilities(logits) {
  return softmax(Array.from(logits, (x, id) => (id === PAD || id === START ? -Infinity : x)));
}

/**
 * Take the most probable token at every step, up to the end id.
 * Returns the ids and, for each of them, the step: { id, probabilities, logits, weights, products }.
 */
export function greedySearch(model, sourceIds, maxLength, options = {}) {
  return greedyFrom(model, model.encode(sourceIds, options), maxLength, options);
}

/** The same from a source that is already encoded. */
export function greedyFrom(model, encoded, maxLength, options = {}) {
  const contexts = model.contexts(encoded);
  const steps = [];
  let [token, pasts] = [START, []];
  for (let position = 0; position < maxLength && token !== END; position++) {
    const result = model.step(token, position, encoded, contexts, pasts, options);
    const chances = probabilities(result.logits[0]);
    token = chances.indexOf(Math.max(...chances));
    pasts = result.pasts;
    const { weights, products } = result;
    steps.push({ id: token, probabilities: chances, logits: result.logits[0], weights, products });
  }
  return { ids: steps.map(({ id }) => id), steps, encoded };
}

/** Keep the best beginnings at every step; return [{ ids, score }], the best first. */
export function beamSearch(model, sourceIds, maxLength, width = 4, lengthPenalty = 0.6, options = {}) {
  const encoded = model.encode(sourceIds, options);
  const contexts = model.contexts(encoded);
  const penalty = (length) => ((5 + length) / 6) ** lengthPenalty;
  let beams = [{ ids: [], token: START, total: 0, length: 0, pasts: [], ended: false }];
  for (let position = 0; position < maxLength && !beams.every(({ ended }) => ended); position++) {
    const candidates = beams.flatMap((beam) => {
      if (beam.ended) return [{ ...beam, score: beam.total / penalty(beam.length) }];
      const { logits, pasts } = model.step(beam.token, position, encoded, contexts, beam.pasts, options);
      return probabilities(logits[0]).map((chance, id) => {
        const [total, length] = [beam.total + Math.log(chance), beam.length + 1];
        const score = total / penalty(length);
        return { ids: [...beam.ids, id], token: id, total, length, pasts, ended: id === END, score };
      });
    });
    candidates.sort((a, b) => b.score - a.score); // equal ones keep their order
    beams = candidates.slice(0, width).filter(({ total }) => total > -Infinity);
  }
  return beams.map(({ ids, total, length }) => ({ ids, score: total / penalty(length) }));
}

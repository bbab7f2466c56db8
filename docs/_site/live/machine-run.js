/* One run of the date machine: the reader's text through the reader's machine, beside the whole one. */

import { Digits } from "./engine/digits.js";
import { greedyFrom, greedySearch, probabilities } from "./engine/generation.js";
import { END, PAD, START, Transformer } from "./engine/transformer.js";
import { Weights } from "./engine/weights.js";
import { isWhole, switchedOff, TRAINED_LENGTH } from "./machine-state.js";

const MOST_LETTERS = 12; // of an answer: ten, the end, and one to see that it doesn't end
export const PARTS = { year: [0, 1, 2, 3], month: [5, 6], day: [8, 9] }; // places in the answer

/** Build a model from its weights, with the rows that the reader has written anew. */
export function build({ parts, config }, edits = []) {
  const all = new Map(parts);
  for (const { path, row, numbers } of edits) {
    const found = all.get(path);
    if (!found || found.shape.length !== 2 || row >= found.shape[0] || numbers.length !== found.shape[1]) continue;
    const data = Float32Array.from(found.data);
    data.set(numbers, row * found.shape[1]);
    all.set(path, { ...found, data });
  }
  const Model = config.kind === "digits" ? Digits : Transformer;
  return new Model(new Weights(all), config);
}

/** Return what the machine of a state makes of its text. whole: the model that lacks nothing. */
export function run(model, whole, tokenizers, state) {
  const letters = tokenizers.source.encode(state.text);
  const seesPadding = state.seesPadding || model.config.lacks.includes("padding mask");
  const places = seesPadding ? Math.max(TRAINED_LENGTH, state.places) : letters.length;
  const padded = [...letters, ...Array(Math.max(places - letters.length, 0)).fill(PAD)];
  const hidden = padded.map((_, j) => Number(state.hidden.includes(j)));
  const options = { off: switchedOff(state), hidden, seesPadding };
  const around = { padded, off: options.off };
  const before = spoken(greedySearch(whole, letters, MOST_LETTERS), tokenizers);
  if (model instanceof Digits) return { ...allAtOnce(model.call(padded, options)), before, ...around };
  if (isWhole(state)) return { ...before, before, ...around };
  const now = spoken(greedySearch(model, padded, MOST_LETTERS, options), tokenizers);
  const given = [START, ...before.ids.slice(0, -1)];
  const told = model.decode(given, now.encoded, options).logits.map(probabilities);
  return { ...now, before, ...around, chances: chancesOf(before.ids, told), told: tokenizers.target.decode(told.map(best)),
    lacksLookAhead: model.lacks("look-ahead mask") };
}

/** The answer to a text if the vectors at some places are those of a second text, which is as long. */
export function patched(model, tokenizers, [text, second], places) {
  const [own, others] = [text, second].map((one) => model.encode(tokenizers.source.encode(one)));
  const context = own.context.map((row, j) => (places.includes(j) ? others.context[j] : row));
  return spoken(greedyFrom(model, { ...own, context }, MOST_LETTERS), tokenizers);
}

const best = (chances) => chances.indexOf(Math.max(...chances));

function spoken(search, { target }) {
  const steps = search.steps.map((step) => ({ ...step, text: target.letter(step.id), chance: step.probabilities[step.id] }));
  const told = steps.map(({ probabilities: chances }) => chances);
  return { ...search, steps, answer: target.decode(search.ids), ended: search.ids.at(-1) === END,
    sure: steps.reduce((product, { chance }) => product * chance, 1), chances: chancesOf(search.ids, told) };
}

/** The probability of each part of an answer, given the letters before. */
function chancesOf(ids, told) {
  return Object.fromEntries(Object.entries(PARTS).map(([part, places]) =>
    [part, places.reduce((product, i) => product * (told[i]?.[ids[i]] ?? 0), 1)]));
}

/** The answer of a sibling that says eight digits at once, as steps. */
function allAtOnce({ steps, weights }) {
  const said = steps.map(({ digit, probabilities: chances }) =>
    ({ text: String(digit), chance: chances[digit], probabilities: chances, weights: {} }));
  const text = said.map((step) => step.text).join("");
  const answer = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
  const sure = said.reduce((product, { chance }) => product * chance, 1);
  return { steps: said, answer, sure, ended: true, atOnce: weights };
}

/** Return the weights of one attention: (heads, queries, keys); a head that is off looks at nothing. */
export function mapsOf(result, map) {
  const off = result.off[nameOf(result, map)] ?? [];
  return weightsOf(result, map).map((rows, h) => (off.includes(h) ? rows.map((row) => row.map((x) => x && 0)) : rows));
}

/** The name by which the engine knows an attention. */
export function nameOf(result, map) {
  if (map === "encoder") return "encoder.0";
  return result.atOnce ? "query" : `decoder.0.${map}`;
}

function weightsOf(result, map) {
  if (result.atOnce) return map === "encoder" ? result.atOnce["encoder.0"] : result.atOnce.query;
  if (map === "encoder") return result.encoded.weights["encoder.0"];
  const name = `decoder.0.${map}`;
  const [first] = result.steps;
  const keys = map === "self" ? result.steps.length : result.padded.length;
  const row = ({ weights }, h) => [...weights[name][h][0], ...Array(keys - weights[name][h][0].length).fill(NaN)];
  return first.weights[name].map((_, h) => result.steps.map((step) => row(step, h)));
}

/** Return the weights of one head, or the mean of those that look: (queries, keys). */
export function mapOf(heads, head) {
  if (head >= 0) return heads[Math.min(head, heads.length - 1)];
  const looking = heads.filter((rows) => rows.some((row) => row.some((x) => x > 0)));
  return heads[0].map((row, i) => row.map((_, j) => heads.reduce((sum, rows) => sum + rows[i][j], 0) / (looking.length || 1)));
}

/* A machine that learns Roman numerals in the page: what it is shown, how it is trained, and what it reads. */

import { CharacterTokenizer } from "./engine/dates.js";
import { greedySearch } from "./engine/generation.js";
import { pointers } from "./engine/language.js";
import { Adam, freshWeights, lossOf } from "./engine/training.js";
import { Transformer } from "./engine/transformer.js";
import { Weights } from "./engine/weights.js";
import { inOrder, LAST, numeral } from "./roman.js";

export const UNSEEN = 999; // numerals that are put away
const SIZES = { num_layers: 1, d_model: 32, num_heads: 4, d_ff: 64, source_vocab: 10, target_vocab: 13 };
const [BATCH, RATE, WARM_UP] = [32, 6e-3, 100];
const [AVERAGED, LOOK, SAMPLE] = [10, 25, 100]; // steps for a point of the loss, steps between two looks, and what a look reads
const [LETTERS, DIGITS] = [new CharacterTokenizer("ivxlcdm"), new CharacterTokenizer("0123456789")];

/** All numbers but these, in an order that is the same each time. */
function shuffled(without) {
  const random = pointers(0);
  const keys = Array.from({ length: LAST + 1 }, random);
  return keys.map((_, n) => n).filter((n) => n > 0 && !without.includes(n)).sort((a, b) => keys[a] - keys[b]);
}

export class Pupil {
  /** shown: of how many numerals it is taught the number; watched: numbers that are among those put away; sorted: whether
      the letters of each numeral are sorted before it gets them. */
  constructor({ shown, steps, watched, seed, sorted = false }) {
    const numbers = shuffled(watched);
    this.unseen = [...watched, ...numbers.splice(0, UNSEEN - watched.length)];
    this.known = numbers.slice(0, shown);
    Object.assign(this, { steps, watched, sorted, step: 0, losses: [], looks: [], wrote: [], done: null });
    this.random = pointers(seed);
    this.parts = freshWeights(SIZES, this.random);
    this.adam = new Adam(this.parts, { steps, rate: RATE, warmUp: Math.min(WARM_UP, steps / 2) });
    this.machine = new Transformer(new Weights(this.parts), SIZES);
  }

  /** Train it, with a break after each little piece of work, so that the page can do something else. */
  *train() {
    let sum = 0;
    for (yield* this.look(); this.step < this.steps; yield) {
      sum += this.learn();
      if (this.step % AVERAGED === 0) {
        this.losses.push([this.step, sum / AVERAGED]);
        sum = 0;
      }
      if (this.step % LOOK === 0) yield* this.look();
    }
    const done = [yield* this.shareRead(this.known), yield* this.shareRead(this.unseen)]; // all, and no sample
    this.looks.push([this.step, ...done]);
    this.done = done;
  }

  learn() {
    const drawn = Array.from({ length: BATCH }, () => this.known[Math.floor(this.random() * this.known.length)]);
    const { loss, back } = lossOf(this.parts, SIZES, this.batchOf(drawn));
    back();
    this.adam.move();
    this.step += 1;
    return loss;
  }

  /** See what it writes by now, and which share it reads of some that it was shown and of some others. */
  *look() {
    this.wrote = this.watched.map((n) => this.write(numeral(n)));
    yield;
    const of = (numbers) => this.shareRead(numbers.slice(0, SAMPLE));
    this.looks.push([this.step, yield* of(this.known), yield* of(this.unseen)]);
  }

  *shareRead(numbers) {
    let right = 0;
    for (let first = 0; first < numbers.length; first += SAMPLE / 2, yield) {
      right += lossOf(this.parts, SIZES, this.batchOf(numbers.slice(first, first + SAMPLE / 2))).right.filter(Boolean).length;
    }
    return right / numbers.length;
  }

  write(text) {
    return DIGITS.decode(greedySearch(this.machine, this.numeralIds(text), 5).ids);
  }

  batchOf(numbers) {
    return { sources: numbers.map((n) => this.numeralIds(numeral(n))), answers: numbers.map((n) => DIGITS.encode(String(n))) };
  }

  numeralIds(text) {
    return LETTERS.encode(this.sorted ? inOrder(text) : text);
  }
}

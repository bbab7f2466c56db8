/* A small language model that learns a text in the page: what it is shown, how it is trained, and what it writes. */

import { candidates, drawn, LanguageModel, pointers } from "./engine/language.js";
import { Adam } from "./engine/training.js";
import { freshHalf, surpriseOf } from "./engine/training-half.js";
import { END } from "./engine/transformer.js";
import { Weights } from "./engine/weights.js";

const SIZES = { num_layers: 2, d_model: 32, num_heads: 4, d_ff: 64 };
const [CONTEXT, BATCH, RATE, WARM_UP] = [32, 8, 1e-2, 100];
const [LOOK, SAMPLE] = [50, 40]; // steps between two looks, and the pieces of the text that a look reads
const [FIRST, MOST] = [3, 150]; // the id of the first letter, and how many letters it can tell apart
const [BACK, OTHER] = [4, "□"]; // how many letters the table looks back; what stands for rare letters
const [RUN, MOMENT] = [20, 90]; // letters: what is called by heart, and what is written at a moment of the training
export const LEAST = 500; // letters of a text

/** The letters of a text, the most frequent ones, in their order. */
function lettersOf(text) {
  const counts = new Map();
  for (const c of text) counts.set(c, (counts.get(c) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, MOST).map(([c]) => c).sort();
}

export class Writer {
  /** moments: the steps at which it writes a little from the beginning; the last of them ends the training. */
  constructor({ text, beginning, moments, seed }) {
    const letters = [...text];
    this.signs = [OTHER, ...lettersOf(letters.filter((c) => c !== OTHER))];
    const ids = this.toIds(text);
    const cut = Math.floor(0.9 * ids.length);
    [this.known, this.unseen, this.text] = [ids.slice(0, cut), ids.slice(cut), letters.slice(0, cut).join("")];
    Object.assign(this, { beginning, moments, steps: moments.at(-1), step: 0, looks: [], wrote: [] });
    this.config = { ...SIZES, vocab: FIRST + this.signs.length };
    this.random = pointers(seed);
    this.parts = freshHalf(this.config, this.random);
    this.adam = new Adam(this.parts, { steps: this.steps, rate: RATE, warmUp: Math.min(WARM_UP, this.steps / 2) });
    this.model = new LanguageModel(new Weights(this.parts), this.config);
    this.table = byTable(this.known, this.unseen, this.signs.length);
  }

  toIds(text) {
    return Array.from(text, (c) => FIRST + Math.max(this.signs.indexOf(c), 0));
  }

  /** Train it, with a break after each little piece of work, so that the page can do something else. */
  *train() {
    for (yield* this.look(); this.step < this.steps; yield) {
      this.learn();
      if (this.step % LOOK === 0 || this.moments.includes(this.step)) yield* this.look();
    }
  }

  learn() {
    const pieces = Array.from({ length: BATCH }, () => pieceAt(this.known, this.random()));
    surpriseOf(this.parts, this.config, pieces).back();
    this.adam.move();
    this.step += 1;
  }

  *look() {
    this.looks.push([this.step, yield* this.bitsOf(this.known), yield* this.bitsOf(this.unseen)]);
    if (this.moments.includes(this.step)) this.wrote.push([this.step, this.write({ beginning: this.beginning, number: MOMENT, seed: 1 })]);
  }

  /** Bits a letter, in pieces from all over a text. Only the second half of each piece counts: there it sees enough. */
  *bitsOf(ids) {
    let [sum, count] = [0, 0];
    for (let i = 0; i < SAMPLE; i += BATCH, yield) {
      const pieces = Array.from({ length: BATCH }, (_, j) => pieceAt(ids, (i + j) / SAMPLE));
      surpriseOf(this.parts, this.config, pieces).each.forEach((nats, r) => {
        if (r % CONTEXT >= CONTEXT / 2) [sum, count] = [sum + nats / Math.LN2, count + 1];
      });
    }
    return sum / count;
  }

  /** Go on from a beginning by so many letters. It never sees more letters than in the training. */
  write({ beginning, number, temperature = 0.8, share = 1, seed }) {
    const [written, pointer] = [this.toIds(beginning || " "), pointers(seed)];
    const given = written.length;
    let { logits, pasts } = this.model.call(written.slice(-CONTEXT));
    while (written.length < given + number) {
      const scores = logits.at(-1);
      scores.fill(-Infinity, END, FIRST + 1); // a text has no end here, and no rare letters are written
      written.push(drawn(candidates(scores, temperature, share), pointer()));
      const full = pasts[0].k[0].length >= CONTEXT;
      ({ logits, pasts } = full ? this.model.call(written.slice(-CONTEXT / 2)) : this.model.call(written.slice(-1), pasts));
    }
    return written.slice(given).map((id) => this.signs[id - FIRST]).join("");
  }

  /** Of each letter whether it stands in a long piece that also stands in the text of the training. */
  byHeart(beginning, written) {
    const whole = [...beginning, ...written];
    const found = whole.map(() => false);
    for (let i = 0; i + RUN <= whole.length; i++) {
      if (this.text.includes(whole.slice(i, i + RUN).join(""))) found.fill(true, i, i + RUN);
    }
    return found.slice([...beginning].length);
  }
}

/** The piece that begins at a share in [0, 1) of a text, with one letter more than the machine reads. */
function pieceAt(ids, share) {
  const first = Math.floor(share * (ids.length - CONTEXT));
  return ids.slice(first, first + CONTEXT + 1);
}

/** Bits a letter of the table that counts what came after the last letters of a text, in another text. */
function byTable(known, unseen, letters) {
  const counts = new Map(); // by what came before: how often each letter came next
  const before = (ids, i, n) => ids.slice(i - n, i).join(" ");
  known.forEach((id, i) => {
    for (let n = 0; n <= Math.min(BACK, i); n++) {
      const key = before(known, i, n);
      if (!counts.has(key)) counts.set(key, new Map());
      counts.get(key).set(id, (counts.get(key).get(id) ?? 0) + 1);
    }
  });
  let bits = 0;
  for (let i = BACK; i < unseen.length; i++) {
    let p = 1 / letters;
    for (let n = 0; n <= BACK; n++) {
      const after = counts.get(before(unseen, i, n));
      if (!after) continue;
      const total = [...after.values()].reduce((a, b) => a + b);
      p = ((after.get(unseen[i]) ?? 0) + after.size * p) / (total + after.size); // as much weight for what was not yet seen
    }
    bits -= Math.log2(p);
  }
  return bits / (unseen.length - BACK);
}

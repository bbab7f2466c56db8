/* What the head designer computes: switches as matrices, attention at a text, and the check on every text. */

import { scaledDotProductAttention } from "./engine/attention.js";
import { COLUMNS, LETTERS, LONGEST, ROWS } from "./head-state.js";

const POINTS = 10; // a switch of strength 1 adds so much to a score
const ROOT = Math.sqrt(COLUMNS.length); // by which the engine divides the scores
const SIGNS = ["^", ...LETTERS];
const SURE = 0.9; // of what comes in: then it is a letter, and no mixture
const NEAR = 0.01; // of 1 / (n + 1): then it is a count
const TWICE = 0.4; // between 1/2, the start sign beside one letter, and 1/3, beside two

/** The letters of a text, and what each should write. */
const GOALS = {
  copy: (text, i) => text[i],
  first: (text) => text[0],
  before: (text, i) => (i ? text[i - 1] : "^"),
  reverse: (text, i) => text[text.length - 1 - i],
  bees: (text) => String(count(text, "b")),
  count: (text, i) => String(count(text, text[i])),
  seen: (text, i) => (text.indexOf(text[i]) < i ? "yes" : "no"),
  unlike: (text, i) => String(text.length - count(text, text[i])),
  last: (text) => text[text.length - 1],
  next: (text, i) => text[Math.min(i + 1, text.length - 1)],
};

const count = (text, letter) => text.split(letter).length - 1;
const one = (index, length) => Array.from({ length }, (_, i) => Number(i === index));

/** A head as matrices: queryWeights (what a query reads, what a key reads), already times the root. */
export function headOf(hands, switches) {
  const queryWeights = ROWS.map(() => COLUMNS.map(() => 0));
  for (const [row, column, strength] of switches) {
    queryWeights[ROWS.indexOf(row)][COLUMNS.indexOf(column)] = strength * POINTS * ROOT;
  }
  return { hands, queryWeights };
}

/** Compute attention at the start sign and a text: the grids scores, scaled, masked, weights, output. */
export function attend({ hands, queryWeights }, text, causal) {
  const signs = ["^", ...text];
  const k = signs.map((sign, place) => [
    ...one(SIGNS.indexOf(sign), SIGNS.length), ...one(place, LONGEST + 1)]);
  const q = signs.map((sign, place) => {
    const read = [queryWeights[0], queryWeights[ROWS.indexOf(sign)], queryWeights[ROWS.indexOf(String(place))]];
    return COLUMNS.map((_, c) => read.reduce((sum, row) => sum + (row ? row[c] : 0), 0));
  });
  const v = k.map((key) => key.slice(0, hands === "letter" ? SIGNS.length : 1));
  const mask = signs.map((_, i) => signs.map((_, j) => Number(causal === true && j > i)));
  return scaledDotProductAttention({ q, k, v, mask });
}

/** Read what a letter writes from the numbers that came in. */
function read(wants, output) {
  if (wants === "letter") {
    const best = output.indexOf(Math.max(...output));
    return output.length > 1 && output[best] >= SURE ? SIGNS[best] : "a mixture";
  }
  if (output.length > 1) return "a letter";
  if (wants === "seen") return output[0] < TWICE ? "yes" : "no";
  const found = Array.from({ length: LONGEST + 1 }, (_, n) => n).find((n) => Math.abs(output[0] - 1 / (n + 1)) < NEAR);
  return found === undefined ? "no count" : String(found);
}

/** Return what each letter of a text writes, and what it should. */
export function lines(puzzle, output, text) {
  return [...text].map((_, i) => ({ got: read(puzzle.wants, output[i + 1]), wanted: GOALS[puzzle.id](text, i) }));
}

function texts(shortest) {
  let found = [""];
  const all = [];
  for (let n = 1; n <= LONGEST; n++) {
    found = found.flatMap((text) => LETTERS.map((letter) => text + letter));
    if (n >= shortest) all.push(...found);
  }
  return all;
}

/** Try a head on every text. Returns how many come out right, of how many, and the first that does not. */
export function check(puzzle, head) {
  const all = texts(puzzle.shortest ?? 1);
  let [right, failure] = [0, null];
  for (const text of all) {
    const found = lines(puzzle, attend(head, text, puzzle.causal).output, text);
    const place = found.findIndex(({ got, wanted }) => got !== wanted);
    if (place < 0) right += 1;
    else failure ??= { text, place, ...found[place] };
  }
  return { right, total: all.length, failure };
}

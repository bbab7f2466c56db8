/* An exercise: what was answered, which mistake leads to it, and what the reader has solved so far. */

import { keep, kept } from "./kept.js";

/** An answer before the reader has said anything. */
export function blank({ kind, rows, columns, labels }) {
  if (kind === "cells") return Array(rows.length * columns.length).fill(0);
  return Array(kind === "numbers" ? labels.length : 1).fill("");
}

/** What was typed as numbers: null where it is none. */
function read({ kind }, answer) {
  if (kind === "cells" || kind === "choice") return answer;
  if (kind === "shape") return (answer[0].match(/\d+/g) || []).map(Number);
  return answer.map((text) => {
    const [above, below = "1", ...more] = text.trim().replace("−", "-").replace(",", ".").split("/");
    const number = more.length || !above.trim() || !below.trim() ? NaN : Number(above) / Number(below);
    return Number.isFinite(number) ? number : null;
  });
}

function alike({ tolerance = 0 }, one, other) {
  return one.length === other.length && one.every((x, i) =>
    x === other[i] || (x !== null && tolerance > 0 && Math.abs(x - other[i]) <= tolerance + 1e-9));
}

/** Judge an answer: {verdict: "right", "mistake", "wrong" or "unfinished"} and what belongs to it. */
export function judge(exercise, typed) {
  const answer = read(exercise, typed);
  if (!answer.length || answer.some((x) => x === null || x === "")) return { verdict: "unfinished" };
  const { right, mistakes } = exercise;
  if (alike(exercise, answer, right)) return { verdict: "right" };
  const mistake = mistakes.find((one) => alike(exercise, answer, one.answer));
  if (mistake) return { verdict: "mistake", mistake };
  return { verdict: "wrong", axes: answer.length === right.length, good: answer.filter((x, i) => alike(exercise, [x], [right[i]])).length };
}

/** Remember a try; what was solved stays solved. */
export function remember(name, { verdict, mistake }) {
  const progress = kept();
  const { tries = 0, solved = false, first = mistake?.name || verdict } = progress[name] || {};
  progress[name] = { tries: tries + 1, solved: solved || verdict === "right", first };
  keep(progress);
}

export function erase() {
  keep({});
}

/** Return progress that a file holds, or null if the file holds none. */
export function progressIn(text) {
  try {
    const found = JSON.parse(text);
    if (!found || Array.isArray(found)) return null;
    const { bets = {}, dares = [], seen = [], ...exercises } = found;
    const solves = ({ tries, solved, first }) =>
      Number.isInteger(tries) && typeof solved === "boolean" && typeof first === "string";
    const isLine = ({ label, measured, guess }) => typeof label === "string" && Number.isFinite(measured) && Number.isFinite(guess);
    const isBet = ({ lines, low, high, unit }) =>
      lines.every(isLine) && Number.isFinite(low) && low < high && typeof unit === "string";
    const good = Object.values(exercises).every(solves) && Object.values(bets).every(isBet)
      && [...dares, ...seen].every((name) => typeof name === "string");
    return good ? found : null;
  } catch {
    return null;
  }
}

/* A short text whose neighbours the reader glues together, one pair at a time: how a text becomes pieces. */

import { escape } from "../html.js";
import { says } from "./draw.js";

const SHOWN = 9; // pairs to choose from, the commonest ones

/** state: text, chosen (the pairs glued so far), rounds (how many may be glued), first (pieces if the commonest pair is always taken),
 * best (the fewest that can be reached). */
export const gluing = {
  view({ text, chosen, rounds, first, best }) {
    const pieces = chosen.reduce(glued, [...text]);
    const left = rounds - chosen.length;
    const all = left ? counted(pieces) : [];
    const pairs = all.slice(0, SHOWN);
    const buttons = pairs.map(({ pair, count }, i) => `<button data-do="glue" data-value="${i}">${boxed(pair[0])} + ${boxed(pair[1])}: ${count}</button>`);
    const end = pieces.length > first ? `Gluing the commonest pair each time ends at ${first}.`
      : pieces.length > best ? "That is as good as gluing the commonest pair each time. It can be done with fewer." : `Fewer can't be reached in ${rounds} rounds.`;
    return `${strip(pieces)}<div class="controls" role="group" aria-label="Pairs to glue, with how often they stand there">${buttons.join("")}</div>${all.length > SHOWN ? `<p class="more">These are the ${SHOWN} commonest of ${all.length} pairs.</p>` : ""}
      ${says(`${chosen.length} of ${rounds} rounds: ${pieces.length} pieces. ${left ? "" : end}`)}
      <div class="controls"><button data-do="again">Start again</button></div>`;
  },

  act(state, name, value) {
    const { pair } = counted(state.chosen.reduce(glued, [...state.text]))[value];
    state.chosen.push(pair);
  },

  seen: ({ chosen, rounds }) => chosen.length === rounds,
};

/** Return the pieces with every first of the pair that stands before a second glued to it. */
export function glued(pieces, [a, b]) {
  const found = [];
  for (const piece of pieces) {
    if (piece === b && found.at(-1) === a) found[found.length - 1] += piece;
    else found.push(piece);
  }
  return found;
}

/** Draw pieces, each in a box. */
export const strip = (pieces) => `<p class="pieces">${pieces.map((piece) => `<span>${boxed(piece)}</span>`).join("")}</p>`;

const boxed = (piece) => escape(piece).replaceAll(" ", "␣").replaceAll("\n", "⏎");

/** Return the pairs that stand side by side, the commonest first, and of equally common ones the one that comes first. */
function counted(pieces) {
  const found = new Map();
  pieces.slice(1).forEach((piece, i) => {
    const name = `${pieces[i]}\n${piece}`;
    found.set(name, (found.get(name) ?? 0) + 1);
  });
  return [...found].map(([name, count]) => ({ pair: name.split("\n"), count })).sort((one, other) => other.count - one.count);
}

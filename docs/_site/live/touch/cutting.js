/* A text of the reader, cut into pieces by rules that were learnt from a manual. */

import { escape } from "../html.js";
import { player, says, slider } from "./draw.js";
import { glued, strip } from "./gluing.js";

const WORD = / ?[\p{L}\p{N}_]+| ?[^\s\p{L}\p{N}_]+|\s+/gu; // as the lesson cuts a text into words, before these are cut into pieces
const MOST = 60; // letters

/** state: text, rules (pairs, in the order in which they were learnt), counts (of rules), chosen (which of the counts), examples, playing (whether
 * the rules become more by themselves). */
export const cutting = {
  view({ text, rules, counts, chosen, examples, playing }) {
    const pieces = (text.match(WORD) ?? []).flatMap((word) => cut(word, rules.slice(0, counts[chosen])));
    const letters = [...text].length;
    const named = counts[chosen].toLocaleString("en");
    const buttons = examples.map((example, i) => `<button data-do="example" data-value="${i}">${escape(example)}</button>`);
    return `<div class="controls"><label>Your text <input type="text" data-field="text" maxlength="${MOST}" autocomplete="off" spellcheck="false" value="${escape(text)}"></label>
      ${slider("Rules", "chosen", chosen, [0, counts.length - 1, 1], named)}${player("Let it glue", playing)}</div>
      <div class="controls" role="group" aria-label="Examples">${buttons.join("")}</div>${strip(pieces)}
      ${says(pieces.length ? `${letters} letters, ${pieces.length} pieces: ${(letters / pieces.length).toFixed(1)} letters a piece.` : "Type something.")}`;
  },

  act(state, name, value) {
    state.text = state.examples[value];
  },

  /** Take more rules, or after the most of them none; say whether there are more. */
  play(state) {
    state.chosen = (state.chosen + 1) % state.counts.length;
    return state.chosen < state.counts.length - 1;
  },

  seen: ({ text, chosen, examples }, start) => ![start.text, ...examples].includes(text) && chosen > 0,
};

function cut(word, rules) {
  return rules.reduce((pieces, rule) => (pieces.length > 1 && word.includes(rule.join("")) ? glued(pieces, rule) : pieces), [...word]);
}

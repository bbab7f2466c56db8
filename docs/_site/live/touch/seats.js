/* A text that is sorted by two heads: each letter has noted how many are smaller, and each place fetches by these notes.
   The sign ^ stands at place 0, has noted 0, and is not sorted. */

import { escape } from "../html.js";
import { at, player, says } from "./draw.js";

const [WIDE, LEFT, NOTES, LETTERS, PLACES, FETCHED, LONGEST] = [34, 50, 14, 34, 102, 122, 8];
const ALPHABET = "abc";

/** state: text, place (how many places have fetched) and playing (whether it goes on by itself). */
export const seats = {
  view({ text, place, playing }) {
    const letters = [...text];
    const notes = letters.map((letter) => letters.filter((other) => other < letter).length);
    const best = largestBelow(notes, place);
    const sorted = letters.map((_, i) => letters[notes.indexOf(largestBelow(notes, i + 1))]);
    const met = letters.map((_, i) => place > 0 && notes[i] === best);
    const put = (y, cell, i, kind) => `<text class="middle ${kind}" style="font-size:15px" x="${middle(i)}" y="${y}">${cell}</text>`;
    const row = (y, first, cells, kind) => put(y, first, -1, "soft") + cells.map((cell, i) => put(y, cell, i, kind(i))).join("");
    const lines = letters.map((_, i) => (met[i] ? `<path class="q stroke" d="M${middle(place - 1)} ${PLACES - 14}L${middle(i)} ${LETTERS + 6}"/>` : ""));
    const names = [["note", NOTES], ["letter", LETTERS], ["place", PLACES], ["fetches", FETCHED]].map(([name, y]) => `<text class="soft" x="0" y="${y}">${name}</text>`);
    return `<div class="controls"><label>Text <input type="text" data-field="text" value="${escape(text)}" maxlength="${LONGEST}" spellcheck="false" autocapitalize="none"></label></div>
      <svg viewBox="0 0 ${LEFT + WIDE * (LONGEST + 1)} ${FETCHED + 8}" style="max-width:33em" role="img" aria-label="The letters with their notes above them. Below, the places, and what each has fetched.">
        ${lines.join("")}${names.join("")}${row(NOTES, 0, notes, (i) => (met[i] ? "k text" : "soft"))}${row(LETTERS, "^", letters, (i) => (met[i] ? "k text" : ""))}
        ${row(PLACES, 0, letters.map((_, i) => i + 1), (i) => (i === place - 1 ? "q text" : "soft"))}${row(FETCHED, "", sorted.map((letter, i) => (i < place ? letter : "·")), (i) => (i === place - 1 ? "q text" : ""))}</svg>
      <div class="controls"><button data-do="next">Next place</button>${player("One after the other", playing)}<button data-do="again">Start again</button></div>
      ${says(told(letters, sorted, best, place))}`;
  },

  set(state, field, value) {
    state.text = [...value.toLowerCase()].filter((letter) => ALPHABET.includes(letter)).slice(0, LONGEST).join("");
    state.place = 0;
  },

  act(state) {
    seats.play(state);
  },

  /** Let the next place fetch, or the first one again after the last; say whether there are more. */
  play(state) {
    if (!state.text) return false;
    state.place = (state.place % state.text.length) + 1;
    return state.place < state.text.length;
  },

  seen: ({ text, place }) => place > 0 && place === text.length,
};

const middle = (i) => at(LEFT + WIDE * (i + 1.5)); // the sign ^ stands in front
const largestBelow = (notes, place) => Math.max(...notes.filter((note) => note < place));

function told(letters, sorted, best, place) {
  if (!letters.length) return "Write a few of the letters a, b and c.";
  if (!place) return `Each letter has noted how many are smaller. What will each place fetch?`;
  const end = place === letters.length ? ` Sorted: ${sorted.join("")}.` : "";
  return `Place ${place} fetches a letter with the note ${best}: ${sorted[place - 1]}.${end}`;
}

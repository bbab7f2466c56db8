/* Where the heads of the trained machine look while it writes a date: a bar of its own for each head over each letter of the text. */

import { escape } from "../html.js";
import { at, decoded, number, player, says } from "./draw.js";

const COLOURS = ["queries", "keys", "values", "fourth"];
const shown = (letter) => (letter === " " ? "␣" : escape(letter));

/** state: dates (text, answer, weights: head → letter of the answer → coded row), now (which date), letter (which of the answer is
 * being written), seen (for each head, whether its bars are shown), playing. */
export const four_looks = {
  view({ dates, now, letter, seen, playing }) {
    const { text, answer, weights } = dates[now];
    const shares = weights.map((head) => decoded(head[letter]));
    const most = shares.map((row) => row.indexOf(Math.max(...row)));
    const choices = dates.map((date, i) => `<button data-do="now" data-value="${i}" aria-pressed="${i === now}">${escape(date.text)}</button>`);
    const towers = [...text].map((sign, i) => {
      const bars = shares.map((row, h) => `<i style="--high:${seen[h] ? at(100 * row[i]) : 0}%;--tint:var(--ca-${COLOURS[h]})"></i>`);
      const looked = shares.some((row, h) => seen[h] && row[i] > 0.1);
      return `<span class="tower"><span>${bars.join("")}</span><b class="${looked ? "" : "faint"}">${shown(sign)}</b></span>`;
    });
    const heads = shares.map((row, h) => `<button data-do="seen" data-value="${h}" aria-pressed="${seen[h]}" style="--tint:var(--ca-${COLOURS[h]})"><i></i>head
      ${h + 1} <small>most at ${shown(text[most[h]])}: ${number(row[most[h]])}</small></button>`);
    const written = [...answer].map((sign, i) => `<button data-do="letter" data-value="${i}" aria-pressed="${i === letter}"
      aria-label="${sign === "-" ? "dash" : sign}, the ${ORDER[i]} letter of the answer" class="${i > letter ? "faint" : ""}">${sign}</button>`);
    const places = [...new Set(most.filter((_, h) => seen[h]))];
    const told = places.length ? `look${seen.filter(Boolean).length === 1 ? "s" : ""} most at ${list(places.map((place) => named(text[place])))}` : "look where you can’t see it";
    return `<div class="controls" role="group" aria-label="Text">${choices.join("")}</div>
      <div class="controls"><b>Which letter of the answer is being written?</b>${player("Let it write", playing)}</div>
      <div class="letters" role="group" aria-label="The answer">${written.join("")}</div>
      <div class="towers" style="--letters:${text.length}" role="img" aria-label="The text, with a bar for each head over each letter, as tall as its weight.">${towers.join("")}</div>
      <p class="hint">The taller a bar, the larger the weight.</p>
      <div class="heads" role="group" aria-label="Heads that are shown">${heads.join("")}</div>
      ${says(`To write the ${ORDER[letter]} letter, ${answer[letter] === "-" ? "a dash" : `the ${answer[letter]}`}, ${heads_of(seen)} ${told}.`)}`;
  },

  act(state, name, value) {
    if (name === "seen") state.seen[value] = !state.seen[value];
    else state[name] = value;
    if (name === "now") state.letter = 0;
  },

  /** Write the next letter, or begin again; say whether another will follow. */
  play(state) {
    const { length } = state.dates[state.now].answer;
    state.letter = (state.letter + 1) % length;
    return state.letter < length - 1;
  },

  seen: ({ seen, letter }, start) => seen.every(Boolean) && letter !== start.letter,
};

const ORDER = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
const NAMES = { " ": "a space", ".": "a dot", ",": "a comma", "'": "an apostrophe", "/": "a slash", "-": "a dash" };
const named = (sign) => NAMES[sign] ?? `the ${escape(sign)}`;
const list = (words) => [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" and ");

/** Name the heads that are shown, and which look. */
function heads_of(seen) {
  const which = seen.flatMap((one, h) => (one ? [h + 1] : []));
  if (which.length === seen.length || !which.length) return "the four heads";
  return which.length > 1 ? `heads ${list(which)}` : `head ${which[0]}`;
}

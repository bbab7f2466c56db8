/* One letter's numbers on their way through the machine, beside another letter's: a strip of colours for each station. */

import { escape } from "../html.js";
import { at, number, says } from "./draw.js";

const CODES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"; // 64 levels, the middle is 0

/** state: text, stations (name, says, a code word for each letter, how alike any two letters are), the number of the first
    one, letter, other. */
export const journey = {
  view({ text, stations, first, letter, other }) {
    const alike = stations.map((station) => number(station.alike[letter][other]));
    const shown = stations.map(({ name, says: sentence, words }, i) => `<div class="station"><p class="title">${i + first}. ${escape(name)}</p>
      ${strip(words[letter])}${strip(words[other])}<p>${escape(sentence)} Similarity ${alike[i]}.</p>${bar(stations[i].alike[letter][other])}</div>`);
    return `<p class="title">Follow this letter</p>${letters(text, letter, "letter", "The letter to follow")}
      <p class="title">and below it this one</p>${letters(text, other, "other", "The letter to compare it with")}${shown.join("")}
      ${says(`${named(text, letter)} and ${named(text, other)} enter with a similarity of ${alike[0]} and leave with ${alike.at(-1)}.
        (1 is the same direction, 0 is nothing in common, −1 is the opposite direction.)`)}`;
  },

  act(state, name, value) {
    state[name] = value;
  },
};

const letterOf = (c) => (c === " " ? "␣" : escape(c));
const named = (text, i) => `“${letterOf(text[i])}” at place ${i}`;

function letters(text, chosen, name, label) {
  const buttons = [...text].map((c, i) => `<button data-do="${name}" data-value="${i}" aria-pressed="${i === chosen}"
    aria-label="${c === " " ? "space" : escape(c)}, place ${i}">${letterOf(c)}</button>`);
  return `<div class="letters" role="group" aria-label="${label}">${buttons.join("")}</div>`;
}

/** A number from -1 to 1 as a bar that begins in the middle. */
function bar(x) {
  return `<svg class="similarity" viewBox="-100 0 200 8" role="presentation"><path class="line" d="M-100 4H100M0 0V8"/>
    <rect class="w fill" x="${at(Math.min(0, 100 * x))}" y="1.5" width="${at(Math.abs(100 * x))}" height="5"/></svg>`;
}

function strip(word) {
  const cells = [...word].map((code, c) => {
    const x = CODES.indexOf(code) / 31.5 - 1;
    return `<rect x="${6 * c}" width="6" height="13" style="fill:var(--ca-${x < 0 ? "keys" : "queries"});fill-opacity:${at(Math.abs(x))}"/>`;
  });
  return `<svg viewBox="0 0 ${6 * word.length} 15" preserveAspectRatio="none" style="height:1.3em" role="img" aria-label="${word.length} numbers as colours">${cells.join("")}</svg>`;
}

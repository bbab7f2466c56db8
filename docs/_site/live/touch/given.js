/* The right letters of an answer are given one by one. A machine that saw the next letter in training reads each off its neighbour, and is
   lost at the last place, which has none. */

import { escape } from "../html.js";
import { at, player, says, slider } from "./draw.js";

const [BOX, STEP, FIRST, WHOLE, PEEKS, GIVEN, HIGH] = [26, 33, 74, 4, 46, 108, 28];
const START = "•";

/** state: dates ({text, answer with its end mark, whole and forgetful: what they say at each place, for each count of given letters,
 * peeks: how much each place looks at the next one}), date (which of them), letters (how many are given), playing. */
export const given = {
  view({ dates, date, letters, playing }) {
    const { answer, whole, forgetful, peeks } = dates[date];
    const last = answer.length - 1;
    const shown = [START, ...answer].slice(0, letters + 1);
    const buttons = dates.map(({ text }, i) => `<button data-do="date" data-value="${i}" aria-pressed="${i === date}">${escape(text)}</button>`);
    const rows = [["ours", WHOLE, whole[letters]], ["peeking", PEEKS, forgetful[letters]]].map(([name, y, said]) =>
      `${nameAt(name, y)}${[...said].map((letter, i) => box(i, y, letter, letter === answer[i] ? "fine" : "astray")).join("")}`);
    const copied = peeks[letters].map((weight, i) => `<path class="k stroke" style="stroke-width:2;stroke-opacity:${at(0.15 + 0.85 * weight)}"
      d="M${middle(i + 1) - 5} ${GIVEN - 1}L${middle(i) + 4} ${PEEKS + HIGH + 2}"/>`);
    const nobody = letters < last ? `<path class="k stroke dashed" style="stroke-width:2" d="M${middle(letters + 1) - 5} ${GIVEN - 1}L${middle(letters) + 4} ${PEEKS + HIGH + 2}"/>
      <rect class="line dashed" x="${left(letters + 1)}" y="${GIVEN}" width="${BOX}" height="${HIGH}" rx="3"/>` : "";
    const width = FIRST + STEP * answer.length;
    return `<div class="controls" role="group" aria-label="The text">${buttons.join("")}</div>
      <p class="hint">A strong line: the peeking machine looks hard at the next place.</p>
      <svg viewBox="0 0 ${width} ${GIVEN + HIGH + 4}" style="max-width:34em" role="img" aria-label="Three rows of letters. Below, the start mark and ${letters} given letters.
        Above each, what the peeking machine says comes next, with a line to the next given letter where it looks there; at the top, what our machine says.">
        ${rows.join("")}${copied.join("")}${nobody}${nameAt("given", GIVEN)}${shown.map((letter, i) => box(i, GIVEN, letter, "")).join("")}</svg>
      <div class="controls">${slider("Letters given", "letters", letters, [0, last, 1], letters)}${player("One after the other", playing)}</div>
      ${says(told(dates[date], letters))}`;
  },

  act(state, name, value) {
    state[name] = value;
  },

  /** Give one more letter, or none again after the last; say whether there are more. */
  play(state) {
    const count = state.dates[state.date].answer.length;
    state.letters = (state.letters + 1) % count;
    return state.letters < count - 1;
  },

  seen: ({ dates, date, letters }) => letters === dates[date].answer.length - 1,
};

const left = (i) => FIRST + STEP * i;
const middle = (i) => left(i) + BOX / 2;
const nameAt = (name, y) => `<text class="soft" style="font-size:13px" x="0" y="${y + 18}">${name}</text>`;

function box(i, y, letter, kind) {
  const look = { fine: 'class="v fill" style="fill-opacity:.22"', astray: 'class="k fill"' }[kind] ?? 'class="line"';
  const ink = kind === "astray" ? 'style="fill:var(--md-default-bg-color);font-size:15px;font-weight:700"' : 'style="font-size:15px"';
  return `<rect ${look} x="${left(i)}" y="${y}" width="${BOX}" height="${HIGH}" rx="3"/><text class="middle" ${ink} x="${middle(i)}" y="${y + 19}">${escape(letter)}</text>`;
}

const named = (letter) => (letter === "▪" ? "the end mark ▪" : `“${letter}”`);

function told({ answer, forgetful }, letters) {
  const said = forgetful[letters];
  const before = [...said].slice(0, -1).filter((letter, i) => letter === answer[i]).length;
  const [guess, right] = [said.at(-1), answer[letters]];
  const say = (count) => (count === 1 ? "says it" : "say it");
  const copying = letters ? `${letters} ${letters === 1 ? "place sees" : "places see"} the next letter, and ${before === letters ? say(letters) : `${before} of them ${say(before)}`}. ` : "";
  const blind = letters ? "The last place sees nothing after it" : "The only place sees nothing after it";
  return `${copying}${blind}: the peeking machine says ${named(guess)} there, ${guess === right ? "and that is right" : `but right is ${named(right)}`}.`;
}

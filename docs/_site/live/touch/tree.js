/* Answers of two letters as streams, as broad as they are probable: what a beam keeps, what it cuts off, and what it misses by that. */

import { at, number, says, slider } from "./draw.js";

const LETTERS = ["A", "B", "C"];
const [START, FIRST, LAST, ROWS] = [14, 118, 232, [54, 116, 168]]; // where the streams begin, meet their letter, and end
const BROAD = 64; // of all answers together
const KEPT = ["one: greedy", "two", "three"];

/** state: first, the probability of each first letter, the likeliest first; best, of what is most probable after each; width, how many
    beginnings are kept. */
export const tree = {
  view({ first, best, width }) {
    const totals = first.map((p, i) => p * best[i]);
    const found = totals.indexOf(Math.max(...totals.slice(0, width)));
    const most = totals.indexOf(Math.max(...totals));
    const missed = totals[most] > totals[found] + 1e-9;
    let high = ROWS[1] - BROAD / 2;
    const streams = first.map((p, i) => {
      const from = high + (BROAD * p) / 2;
      high += BROAD * p;
      const fate = i >= width ? "n" : i === found ? "v" : "q";
      return stream({ letter: LETTERS[i], p, after: best[i], total: totals[i], y: ROWS[i], from, fate });
    });
    const product = (i) => `${number(first[i], 1)} · ${number(best[i], 1)} = ${number(totals[i])}`;
    const chosen = KEPT.map((name, i) => `<button data-do="width" data-value="${i + 1}" aria-pressed="${i + 1 === width}">${name}</button>`);
    const dials = LETTERS.map((letter, i) => slider(`Best after ${letter}`, i, best[i], [0.1, 1, 0.1], number(best[i], 1)));
    return `<div class="controls" role="group" aria-label="Beginnings kept"><span>Beginnings kept</span>${chosen.join("")}</div>
      <svg viewBox="0 0 340 194" style="max-width:36em" role="img" aria-label="A stream, which stands for all answers, parts into three, one for each first letter, and each narrows
        to its best answer. ${width < 3 ? `${LETTERS.slice(width).join(" and ")} ${width < 2 ? "are" : "is"} cut off behind the first letter.` : "Nothing is cut off."}">
      <text class="small soft" x="${START}" y="10">all answers</text><text class="small soft middle" x="${FIRST}" y="10">first letter</text><text class="small soft middle" x="${LAST - 16}" y="10">best second</text>
      <text class="small soft" x="${LAST + 22}" y="10">both together</text>
      ${streams.join("")}</svg>
      <div class="controls">${dials.join("")}<button data-do="again">Start again</button></div>
      ${says(`${width === 1 ? "Greedy search keeps" : "The beam keeps"} ${listed(LETTERS.slice(0, width))}, and finds ${product(found)}. ${
        missed ? `The best answer begins with ${LETTERS[most]}, which was cut off: ${product(most)}.` : "No answer is more probable."}`)}`;
  },

  set(state, field, value) {
    state.best[field] = value;
  },

  act(state, name, value) {
    state[name] = value;
  },

  seen: ({ width }) => width > 1,
};

const listed = (names) => names.join(", ").replace(/, (?=\w$)/, " and ");

function stream({ letter, p, after, total, y, from, fate }) {
  const [wide, narrow] = [BROAD * p, BROAD * total];
  const cut = fate === "n";
  const lobe = (side) => `M${FIRST} ${at(y + (side * wide) / 2)}C${FIRST + 24} ${at(y + (side * wide) / 2)} ${FIRST + 28} ${at(y + (side * narrow) / 2)} ${FIRST + 58} ${at(y + (side * narrow) / 2)}H${FIRST}Z`;
  const x = FIRST + 14;
  const stroke = cut ? `<path style="stroke:var(--ca-keys);stroke-width:3;stroke-linecap:round" d="M${x - 5} ${at(y + wide / 2 + 7)}L${x + 5} ${at(y - wide / 2 - 7)}"/>` : "";
  return `<g class="${fate}" data-fate="${cut ? "cut" : fate === "v" ? "found" : "kept"}">
    <path class="fill" style="fill-opacity:${cut ? 0.3 : 1}" d="${ribbon(START, from, FIRST, y, wide)}"/>
    <path class="fill" style="fill-opacity:${cut ? 0.1 : 0.25}" d="${lobe(-1)}${lobe(1)}"/>
    <path class="fill" style="fill-opacity:${cut ? 0.2 : 1}" d="M${FIRST} ${at(y - narrow / 2)}H${LAST}V${at(y + narrow / 2)}H${FIRST}Z"/>${stroke}
    <text class="end${cut ? " soft" : ""}" x="${FIRST - 4}" y="${at(y - from > 20 ? y + wide / 2 + 12 : y - wide / 2 - 5)}"><tspan style="font-weight:600">${letter}</tspan> ${number(p, 1)}</text>
    <text class="middle${cut ? " soft" : ""}" x="${LAST - 10}" y="${at(y - narrow / 2 - 5)}">${number(after, 1)}</text>
    <text class="${cut ? "soft" : fate === "v" ? "v text" : ""}" style="font-size:13px" x="${LAST + 22}" y="${y + 4}">${number(total)}</text></g>`;
}

/** A band of one breadth from one place to another. */
function ribbon(x0, y0, x1, y1, wide) {
  const [half, middle] = [wide / 2, (x0 + x1) / 2];
  return `M${x0} ${at(y0 - half)}C${middle} ${at(y0 - half)} ${middle} ${at(y1 - half)} ${x1} ${at(y1 - half)}V${at(y1 + half)}C${middle} ${at(y1 + half)} ${middle} ${at(y0 + half)} ${x0} ${at(y0 + half)}Z`;
}

/* A tug of war: each letter of the year, and all others together, pull at a rope for one of two digits. */

import { escape } from "../html.js";
import { at, number, says, sum } from "./draw.js";

const WHICH = ["third", "fourth"];
const [WIDE, MIDDLE, ROPE, GROUND, NEAR] = [400, 200, 92, 124, 26]; // of the drawing; NEAR: from the flag to the first who pulls
const [TALLEST, SMALLEST, GAP, ROOM] = [44, 12, 9, 122]; // ROOM: for all who pull on one side
const [FAR, NUMBER, UNIT] = [36, 30, 0.2]; // how far the flag can move; the room of a number; the pull that shows the scale
const article = (digit) => (digit === "8" ? "an" : "a");

/** state: texts (a text, its year, and which year each training reads), rivals (text → digit: against whom the right one pulls),
 * steps (of each training), pulls (training → text → digit → five numbers, those of the year's digits and of all others, above 0 for
 * the right digit), now (which text), digit (0: the third is asked, 1: the fourth), longer (which training). */
export const pulling = {
  view({ texts, rivals, steps, pulls, now, digit, longer }) {
    const { text, year, read } = texts[now];
    const [right, rival] = [year[2 + digit], rivals[now][digit]];
    const sides = [right, rival].toSorted(); // the smaller digit always stands on the left
    const teams = pulls[longer][now][digit];
    const total = sum(teams);
    const winner = total > 0 ? right : rival;
    const forWhom = teams.map((pull) => sides.indexOf(pull > 0 ? right : rival));
    const [places, sizes, lower, scale] = standing(teams.map(Math.abs), forWhom);
    const moved = at((winner === sides[0] ? -1 : 1) * FAR * Math.min(1, Math.abs(total) / Math.max(...teams.map(Math.abs))));
    const who = teams.map((pull, i) => {
      const [side, s] = [forWhom[i], sizes[i] / 40];
      return `<g class="${side ? "k" : "q"} walks" style="transform:translate(${at(MIDDLE + places[i])}px,${ROPE}px)">
        <path class="legs" d="${side ? "M-3 0L-9 32M4 0L1 32" : "M3 0L9 32M-4 0L-1 32"}"/>
        <g class="walks" style="transform:scale(${at(s)}) skewX(${side ? -8 : 8}deg)"><rect class="fill" x="-20" y="-20" width="40" height="40" rx="7"/>
        <text class="on middle" x="0" y="${i < 4 ? 10 : 5}">${i < 4 ? year[i] : "…"}</text></g></g>`;
    });
    const sums = teams.map((pull, i) => `<text class="middle walks" style="transform:translate(${at(MIDDLE + places[i])}px,${GROUND + (lower[i] ? 27 : 15)}px)">${number(Math.abs(pull))}</text>`);
    const ends = [0, 1].map((side) => Math.max(NEAR, ...places.map((x, i) => (forWhom[i] === side ? Math.abs(x) + 0.5 * sizes[i] + 6 : 0))));
    const goals = sides.map((one, side) => `<text class="${side ? "k end" : "q"} text goal" x="${side ? WIDE - 4 : 4}" y="20">${side ? `for the ${one} →` : `← for the ${one}`}</text>
      <text class="soft ${side ? "end" : ""}" x="${side ? WIDE - 4 : 4}" y="35">${one === right ? "should win" : ""}</text>`);
    const unit = at(scale * Math.sqrt(UNIT));
    const choice = (name, list, chosen) => list.map((what, i) => `<button data-do="${name}" data-value="${i}" aria-pressed="${i === chosen}">${what}</button>`).join("");
    return `<div class="controls"><span role="group" aria-label="Year">${choice("now", texts.map((one) => one.year), now)}</span>
      <span role="group" aria-label="Digit that is asked for">${choice("digit", WHICH.map((one) => `${one} digit`), digit)}</span>
      <span role="group" aria-label="Training">${choice("longer", steps.map((n) => `${n} steps`), longer)}</span></div>
      <p class="written">${marked(text, year)}</p>
      <svg class="rope" viewBox="0 0 ${WIDE} ${GROUND + 31}" style="max-width:38em" role="img" aria-label="A rope with a flag. On the left stand the letters that
        pull for the ${sides[0]}, on the right those that pull for the ${sides[1]}, each as large as its pull.">
      ${goals.join("")}<g class="n"><rect class="fill walks" x="0" y="0" width="10" height="10" rx="1.7" style="transform:translate(${at(MIDDLE - 12 - unit)}px,${at(17 - unit / 2)}px) scale(${at(unit / 10)})"/>
      <text class="soft" x="${MIDDLE - 6}" y="21">pulls with ${UNIT}</text></g><path class="line" d="M0 ${GROUND}H${WIDE}"/><path class="axis dashed" d="M${MIDDLE} 44V${GROUND}"/>
      <g class="walks" style="transform:translateX(${moved}px)"><path class="tow" d="M${at(MIDDLE - ends[0])} ${ROPE}H${at(MIDDLE + ends[1])}"/>${who.join("")}${sums.join("")}
      <g class="${winner === sides[0] ? "q" : "k"}"><path class="axis" d="M${MIDDLE} ${ROPE + 5}V50"/><path class="fill" d="${
        winner === sides[0] ? `M${MIDDLE} 50l-18 7l18 7z` : `M${MIDDLE} 50l18 7l-18 7z`}"/></g></g></svg>
      ${says(`The ${winner} is stronger, by ${number(Math.abs(total))}. So the ${WHICH[digit]} digit becomes ${article(winner)} ${winner}, ${
        winner === right ? "as it should" : `though it is ${article(right)} ${right}`}. The machine writes ${read[longer]}. (… are all others.)`)}`;
  },

  act(state, name, value) {
    state[name] = value;
  },

  seen: ({ digit, longer }) => digit === 1 && longer === 1,
};

/** The text, with its year underlined: the boxes are its digits. */
const marked = (text, year) => `${escape(text.slice(0, text.lastIndexOf(year)))}<u>${year}</u>${escape(text.slice(text.lastIndexOf(year) + year.length))}`;

/** Return where they stand, seen from the flag, how large they are, whose number must stand lower, and how large a pull of 1 is: an area is as large as a pull. The strongest stands nearest. */
function standing(strengths, forWhom) {
  const most = Math.max(...strengths);
  const sizes = strengths.map((pull) => Math.max(SMALLEST, TALLEST * Math.sqrt(pull / most)));
  const width = (i) => Math.max(sizes[i], 20) + GAP; // the number below it needs room, too
  const team = (side) => sizes.map((_, i) => i).filter((i) => forWhom[i] === side).sort((a, b) => strengths[b] - strengths[a]);
  const shrink = Math.min(1, ...[0, 1].map((side) => ROOM / Math.max(1, sum(team(side).map(width)))));
  const [places, lower] = [strengths.map(() => 0), strengths.map(() => false)];
  for (const side of [0, 1]) {
    let [x, before] = [NEAR - GAP, null];
    for (const i of team(side)) {
      const wide = shrink * width(i);
      places[i] = (side ? 1 : -1) * (x + wide / 2);
      lower[i] = before !== null && !lower[before] && Math.abs(places[i] - places[before]) < NUMBER;
      before = i;
      x += wide;
    }
  }
  return [places, sizes.map((size) => size * shrink), lower, (shrink * TALLEST) / Math.sqrt(most)];
}

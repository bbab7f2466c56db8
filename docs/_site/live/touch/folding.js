/* The letters of a text as arrows, before a tower of layers and after each of them. The angle between the chosen letter
   and another is the true one of their vectors, which have far more than two numbers; left and right mean nothing. */

import { escape } from "../html.js";
import { arrow, at, check, number, says, sum } from "./draw.js";

const [MIDDLE, FLOOR, LONG, NAMES, BAR] = [75, 84, 55, 69, 92];
const GAP = 0.15; // between two names, as an angle

/** state: letters, chosen, residual, norm, towers: for each of "11", "10", "01", "00" (residual, norm) the stations, each
    with `cosines` of every two letters and the mean `size` of a letter. */
export const folding = {
  view({ letters, chosen, residual, norm, towers }) {
    const stations = towers[`${Number(residual)}${Number(norm)}`];
    const largest = Math.max(...Object.values(towers).flat().map(({ size }) => size));
    const panels = stations.map((station, n) => `<div><p class="title">${n ? `layer ${n}` : "before"}</p>
      ${fan(letters, chosen, station, largest)}</div>`);
    const buttons = letters.map((letter, i) =>
      `<button data-do="choose" data-value="${i}" aria-label="${escape(letter)}, place ${i}" aria-pressed="${i === chosen}">${escape(letter)}</button>`);
    const [first, last] = [stations[0], stations.at(-1)];
    const parts = [residual ? "residual" : "", norm ? "norm" : ""].filter(Boolean);
    return `<div class="controls">${check("residual", "residual", residual)} ${check("norm", "norm", norm)}
      <button data-do="again">Start again</button></div>
      <div class="letters" role="group" aria-label="The letter that points up">${buttons.join("")}</div>
      <div class="fans">${panels.join("")}</div>
      ${says(`${parts.length ? `With ${parts.join(" and ")}` : "With neither"}: two letters are ${number(alike(first))} alike before the layers and
        ${number(alike(last))} at the top. There a letter has the size ${number(last.size)}.`)}`;
  },

  act(state, name, value) {
    state.chosen = value;
  },
};

function fan(letters, chosen, { cosines, size }, largest) {
  const angles = letters.map((_, i) => (i === chosen ? 0 : Math.acos(Math.min(1, cosines[chosen][i])) * (i % 2 ? 1 : -1)));
  const named = apart(angles, chosen);
  const reach = (angle, length) => [at(MIDDLE + length * Math.sin(angle)), at(FLOOR - length * Math.cos(angle))];
  const ordered = [...letters.keys()].sort((i, j) => (i === chosen) - (j === chosen)); // the chosen one is drawn last
  const drawn = ordered.map((i) => {
    const kind = i === chosen ? "w" : "n";
    const [x, y] = reach(named[i], NAMES);
    const line = Math.abs(named[i] - angles[i]) > 0.02 ? `<path class="line" d="M${reach(angles[i], LONG)}L${reach(named[i], NAMES - 6)}"/>` : "";
    return `${line}${arrow([MIDDLE, FLOOR], reach(angles[i], LONG), kind)}<text class="${kind} text middle" x="${x}" y="${at(y + 4)}">${escape(letters[i])}</text>`;
  });
  return `<svg viewBox="0 0 150 134" role="img" aria-label="The letters as arrows: ${number(alike({ cosines }))} alike, of size ${number(size)}.">
    ${drawn.join("")}<text class="small" x="101" y="130">size ${number(size)}</text>
    <rect class="whole" x="5" y="122" width="${BAR}" height="8"/><rect class="w fill" x="5" y="122" width="${at((BAR * size) / largest)}" height="8"/></svg>`;
}

/** Where the names stand, so that none covers another: pushed outward from the chosen one, which stays where it is. */
function apart(angles, chosen) {
  const named = [...angles];
  for (const side of [-1, 1]) {
    let last = 0;
    const there = [...angles.keys()].filter((i) => i !== chosen && (i % 2 ? 1 : -1) === side);
    for (const i of there.sort((a, b) => Math.abs(angles[a]) - Math.abs(angles[b]))) {
      last = Math.max(Math.abs(angles[i]), last + GAP);
      named[i] = side * last;
    }
  }
  return named;
}

/** The mean cosine between two different letters. */
function alike({ cosines }) {
  const n = cosines.length;
  return (sum(cosines.map(sum)) - n) / (n * (n - 1));
}

/* The letters of a text as arrows, before a tower of layers and after each of them. The angle between the chosen letter
   and another is the true one of their vectors, which have far more than two numbers; left and right mean nothing. */

import { escape } from "../html.js";
import { arrow, at, check, number, says, sum } from "./draw.js";

const [MIDDLE, FLOOR, LONG, NAMES, BAR] = [75, 84, 62, 72, 110];

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
  const shown = [];
  const spokes = letters.map((letter, i) => {
    const angle = Math.acos(Math.min(1, cosines[chosen][i])) * (i % 2 ? 1 : -1);
    const reach = (length) => [MIDDLE + length * Math.sin(angle), FLOOR - length * Math.cos(angle)];
    const [x, y] = reach(NAMES);
    const free = i === chosen || shown.every(([a, b]) => Math.hypot(a - x, b - y) > 9);
    if (free) shown.push([x, y]);
    return { i, free, x, y, letter, tip: reach(LONG) };
  });
  const ordered = [...spokes.filter(({ i }) => i !== chosen), spokes[chosen]];
  const drawn = ordered.map(({ i, free, x, y, letter, tip }) => `${arrow([MIDDLE, FLOOR], tip, i === chosen ? "w" : "n")}
    ${free ? `<text class="${i === chosen ? "w" : "n"} text middle" x="${at(x)}" y="${at(y + 4)}">${escape(letter)}</text>` : ""}`);
  return `<svg viewBox="0 0 150 134" role="img" aria-label="The letters as arrows: ${number(alike({ cosines }))} alike, of size ${number(size)}.">
    ${drawn.join("")}<text class="small" x="5" y="117">size ${number(size)}</text>
    <rect class="whole" x="5" y="122" width="${BAR}" height="8"/><rect class="w fill" x="5" y="122" width="${at((BAR * size) / largest)}" height="8"/></svg>`;
}

/** The mean cosine between two different letters. */
function alike({ cosines }) {
  const n = cosines.length;
  return (sum(cosines.map(sum)) - n) / (n * (n - 1));
}

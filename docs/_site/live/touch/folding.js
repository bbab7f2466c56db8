/* The letters of a text as a fan of arrows that climbs a tower of layers. The angle between the chosen letter and another
   is the true one of their vectors, which have far more than two numbers; left and right mean nothing. */

import { escape } from "../html.js";
import { at, check, number, player, says, slider, sum } from "./draw.js";

const [MIDDLE, FLOOR, LONG, NAMES, BAR] = [150, 150, 112, 128, 200];
const GAP = 0.11; // between two names, as an angle

/** state: letters, chosen, residual, norm, layer (0: before the first), playing, towers: for each of "11", "10", "01", "00"
    (residual, norm) the stations, each with `cosines` of every two letters and the mean `size` of a letter. */
export const folding = {
  view(state) {
    const { letters, chosen, residual, norm, layer, towers, playing } = state;
    const stations = stationsOf(state);
    const largest = Math.max(...Object.values(towers).flat().map(({ size }) => size));
    const buttons = letters.map((letter, i) =>
      `<button data-do="choose" data-value="${i}" aria-label="${escape(letter)}, place ${i}" aria-pressed="${i === chosen}">${escape(letter)}</button>`);
    const parts = [residual ? "residual" : "", norm ? "norm" : ""].filter(Boolean);
    const [first, here] = [stations[0], stations[layer]];
    const where = layer ? `behind layer ${layer}` : "before the layers";
    return `<div class="controls">${check("residual", "residual", residual)} ${check("norm", "norm", norm)}
      ${slider("Layers", "layer", layer, [0, stations.length - 1, 1], layer || "none")}${player("Climb", playing)}<button data-do="again">Start again</button></div>
      <div class="letters" role="group" aria-label="The letter that points up">${buttons.join("")}</div>
      ${fan(letters, chosen, here, largest)}
      ${says(`${parts.length ? `With ${parts.join(" and ")}` : "With neither"}, ${where}: two letters are ${number(alike(here))} alike${layer ? `, and were ${number(alike(first))} before the layers` : ""}. A letter has the size ${number(here.size)}.`)}`;
  },

  act(state, name, value) {
    state.chosen = value;
  },

  /** Go one layer up, or from the top to the bottom; say whether there is a layer above. */
  play(state) {
    const count = stationsOf(state).length;
    state.layer = (state.layer + 1) % count;
    return state.layer < count - 1;
  },
};

const stationsOf = ({ towers, residual, norm }) => towers[`${Number(residual)}${Number(norm)}`];
const degrees = (angle) => at((angle * 180) / Math.PI);

/** Each letter keeps its arrow and its name, which turn: the browser draws what lies between. */
function fan(letters, chosen, { cosines, size }, largest) {
  const angles = letters.map((_, i) => (i === chosen ? 0 : Math.acos(Math.min(1, cosines[chosen][i])) * (i % 2 ? 1 : -1)));
  const named = apart(angles, chosen);
  const drawn = letters.map((letter, i) => {
    const kind = i === chosen ? "w" : "n";
    return `<g class="${kind} turns" style="transform:rotate(${degrees(angles[i])}deg)"><line class="stroke" x1="0" y1="0" x2="0" y2="${8 - LONG}"/>
      <polygon class="fill" points="0,${-LONG} 5,${10 - LONG} -5,${10 - LONG}"/></g>
      <g class="${kind} turns" style="transform:rotate(${degrees(named[i])}deg)"><g class="turns" style="transform:translateY(${-NAMES}px) rotate(${-degrees(named[i])}deg)"><text class="middle text" y="4">${escape(letter)}</text></g></g>`;
  });
  return `<svg viewBox="0 0 300 176" style="max-width:26em" role="img" aria-label="The letters as arrows: ${number(alike({ cosines }))} alike, of size ${number(size)}.">
    <g transform="translate(${MIDDLE} ${FLOOR})">${drawn.join("")}</g>
    <rect class="whole" x="10" y="160" width="${BAR}" height="10"/><rect class="w fill grows" x="10" y="160" height="10" style="width:${at((BAR * size) / largest)}px"/>
    <text x="${BAR + 18}" y="169">size ${number(size)}</text></svg>`;
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

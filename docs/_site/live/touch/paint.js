/* Digits as drops of paint: each row is mixed from the row below, as the attention weights of an untrained tower say. With
   the residual a digit's own paint stays in the middle of its drop. */

import { escape } from "../html.js";
import { at, between, check, decoded, number, player, says, sum } from "./draw.js";

const PAINTS = ["#0072b2", "#e69f00", "#cc79a7", "#009e73", "#f0e442", "#56b4e9", "#d55e00", "#7a3fa0"];
const THICKEST = 22; // pixels, for a thread that brings all of a drop

/** state: letters, residual, layer (0: before the first), row and place of the drop whose threads are drawn, playing, towers: for "1"
    (with the residual) and "0" the layers, each with coded `weights` and `keeps`, the share that the residual keeps. */
export const paint = {
  view(state) {
    const { letters, residual, layer, playing } = state;
    const built = layersOf(state);
    const painting = painted(letters.length, built.slice(0, layer));
    const drawn = built.map((_, n) => n + 1).reverse().map((n) => dropsOf(state, painting[n], n) + threads(state, painting, n));
    const top = painting[layer];
    const where = layer ? `after layer ${layer}` : "before the layers";
    const told = residual
      ? `a digit's own paint, carried up, is ${number(100 * top.carried, 0)} % of its drop`
      : `two drops have on average ${number(100 * common(top.shares), 0)} % of their paint in common`;
    return `<div class="controls"><button data-do="add" ${layer === built.length ? "disabled" : ""}>Add a layer</button>${player("Climb", playing)}
      ${check("residual", "residual", residual)}<button data-do="down">Start again</button></div>
      <div class="paint">${drawn.join("")}${dropsOf(state, painting[0], 0)}</div>
      ${says(`${residual ? "With" : "Without"} the residual, ${where}: ${told}.`)}`;
  },

  act(state, name, value) {
    if (name === "add") climb(state, state.layer + 1);
    else if (name === "down") [state.layer, state.row, state.place] = [0, 0, 0]; // a tick stays
    else [state.row, state.place] = [Math.floor(value / state.letters.length), value % state.letters.length];
  },

  /** Add a layer, or take all away; say whether another will follow. */
  play(state) {
    const count = layersOf(state).length;
    climb(state, (state.layer + 1) % (count + 1));
    return state.layer < count;
  },

  seen: ({ layer, residual }) => layer > 1 && residual,
};

const layersOf = ({ towers, residual }) => towers[Number(residual)];

function climb(state, layer) {
  state.layer = layer;
  state.row = layer; // the threads lead to the newest row
}

/** Which share of each paint is in each drop, row by row, and which share of its own the residual carried up. */
function painted(count, layers) {
  const painting = [{ carried: 1, shares: letterwise(count, (i, j) => Number(i === j)) }];
  for (const { weights, keeps } of layers) {
    const { carried, shares } = painting.at(-1);
    const map = weights.map(decoded);
    const brought = letterwise(count, (i, j) => sum(map[i].map((weight, k) => weight * shares[k][j])));
    painting.push({ map, keeps, carried: carried * keeps, shares: letterwise(count, (i, j) => keeps * shares[i][j] + (1 - keeps) * brought[i][j]) });
  }
  return painting;
}

const letterwise = (count, entry) => Array.from({ length: count }, (_, i) => Array.from({ length: count }, (__, j) => entry(i, j)));

/** How much two different drops have in common, on average. */
function common(shares) {
  const n = shares.length;
  const all = letterwise(n, (i, j) => (i === j ? 0 : sum(shares[i].map((share, k) => Math.min(share, shares[j][k])))));
  return sum(all.map(sum)) / (n * (n - 1));
}

function dropsOf({ letters, row, place }, found, n) {
  const name = `<span class="soft">${n ? `layer ${n}` : "digits"}</span>`;
  const all = letters.map((letter, i) => {
    if (!found) return `<i class="drop"></i>`;
    const { carried, shares } = found;
    const around = mixture(shares[i].map((share, j) => (carried < 1 ? share - carried * Number(i === j) : share)));
    const bright = light(carried > 0 ? linear(PAINTS[i]) : around) > 0.25;
    return `<button class="drop" data-do="choose" data-value="${n * letters.length + i}" aria-pressed="${n === row && i === place}"
      aria-label="${escape(letter)}, place ${i}, ${n ? `layer ${n}` : "before the layers"}: ${number(100 * shares[i][i], 0)} % its own paint"
      style="--own:${PAINTS[i]};--around:${hex(around)};--reach:${at(100 * Math.sqrt(carried))}%;--ink:${bright ? "#000" : "#fff"};--halo:${bright ? "#fff" : "#000"}">
      <span>${escape(letter)}</span></button>`;
  });
  return name + all.join("");
}

/** From whom the chosen drop was mixed: a thread is as thick as its share. */
function threads({ row, place }, painting, n) {
  const found = painting[n];
  if (!found || n !== row) return `<svg class="threads" viewBox="0 0 80 20" aria-hidden="true"></svg>`;
  const { map, keeps } = found;
  const below = painting[n - 1].shares;
  const lines = map[place].map((weight, j) => line(j, place, (1 - keeps) * weight, hex(mixture(below[j]))));
  const kept = keeps ? line(place, place, keeps, PAINTS[place]) : "";
  return `<svg class="threads" viewBox="0 0 80 20" preserveAspectRatio="none" aria-hidden="true">${lines.join("")}${kept}</svg>`;
}

const line = (from, to, share, colour) =>
  `<line x1="${10 * from + 5}" y1="20" x2="${10 * to + 5}" y2="0" vector-effect="non-scaling-stroke" style="stroke:${colour};stroke-width:${at(THICKEST * share)}px"/>`;

/* Paints are mixed in linear light, as two lamps would be. */
const linear = (colour) => [1, 3, 5].map((i) => (parseInt(colour.slice(i, i + 2), 16) / 255) ** 2.2);
const mixture = (shares) => [0, 1, 2].map((k) => sum(shares.map((share, j) => share * linear(PAINTS[j])[k])) / sum(shares));
const hex = (mixed) => `#${mixed.map((x) => Math.round(255 * between(x, 0, 1) ** (1 / 2.2)).toString(16).padStart(2, "0")).join("")}`;
const light = ([r, g, b]) => 0.21 * r + 0.72 * g + 0.07 * b;

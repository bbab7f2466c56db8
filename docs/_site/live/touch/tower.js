/* How much of a letter is left at the top of a tower: each part adds something, and norms divide the sum. */

import { at, number, player, says, slider } from "./draw.js";

const TALLEST = 24;
const [LEFT, WIDE, TOP, BASE, THICKEST] = [40, 300, 12, 200, 16];

/** state: layers (each has two parts), adds (the size of what a part adds to a letter of size 1), first: whether the norm
    stands before the part, playing. */
export const tower = {
  view({ layers, adds, first, playing }) {
    const parts = 2 * layers;
    const step = Math.min((BASE - TOP) / (parts + 1), THICKEST);
    const shares = Array.from({ length: parts + 1 }, (_, n) => share(n, adds, first));
    const bars = shares.map((left, n) => {
      const y = at(BASE - step * (n + 1));
      return `<rect class="whole" x="${LEFT}" y="${y}" width="${WIDE}" height="${at(step - 1)}"/>
        <rect class="w fill" x="${LEFT}" y="${y}" width="${at(WIDE * left)}" height="${at(step - 1)}"/>`;
    });
    const names = [0, layers, parts].map((n) =>
      `<text class="small soft end" x="${LEFT - 6}" y="${at(BASE - step * (n + 0.3))}">${n}</text>`);
    const buttons = [["norm last", 0], ["norm first", 1]].map(([name, value]) =>
      `<button data-do="first" data-value="${value}" aria-pressed="${Number(first) === value}">${name}</button>`);
    const top = shares.at(-1);
    return `<svg viewBox="0 0 ${LEFT + WIDE + 8} ${BASE + 22}" style="max-width:26em" role="img"
      aria-label="A bar for each part, read from below: the letter as a share of the sum.">
      ${bars.join("")}${names.join("")}<text class="small soft" x="${LEFT}" y="${BASE + 14}">after so many parts (from below), the letter as a share of the sum</text></svg>
      <div class="controls">${buttons.join("")}</div>
      <div class="controls">${slider("Layers", "layers", layers, [1, TALLEST, 1], layers)}${player("Let it grow", playing)}
      ${slider("A part adds", "adds", adds, [0.05, 1.5, 0.05], number(adds))}<button data-do="again">Start again</button></div>
      ${says(`${parts} parts, each of which adds numbers of size ${number(adds)}, with the norm ${first ? "first" : "last"}: the letter
        arrives at the top with ${percent(top)} of its size.`)}`;
  },

  act(state, name, value) {
    state.first = Boolean(value);
  },

  /** Add a layer, or begin again with one; say whether another will follow. */
  play(state) {
    state.layers = (state.layers % TALLEST) + 1;
    return state.layers < TALLEST;
  },
};

/** Squares add up, since what is added has nothing to do with the letter. With the norm last, all is divided each time. */
function share(parts, adds, first) {
  return first ? 1 / Math.sqrt(1 + parts * adds ** 2) : (1 + adds ** 2) ** (-parts / 2);
}

function percent(x) {
  const value = 100 * x;
  return `${number(value, value < 1 ? (value < 0.01 ? 4 : 2) : 0)} %`;
}

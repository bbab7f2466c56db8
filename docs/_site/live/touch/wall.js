/* A longer and longer text: queries, keys and values grow with its length, the weights with its square, and a laptop stays as it is. */

import { at, number, player, says, slider } from "./draw.js";

const SIDE = 112; // of the largest of the three squares
const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** state: lengths (in places), now (which of them), known (names of some lengths), heads, depth and bytes (of a number), laptop (its bytes), playing. */
export const wall = {
  view({ lengths, now, known, heads, depth, bytes, laptop, playing }) {
    const n = lengths[now];
    const [inputs, weights] = [3 * heads * n * depth * bytes, heads * n * n * bytes];
    const largest = Math.max(laptop, weights);
    const square = (x, name, size, kind) => {
      const side = Math.max(SIDE * Math.sqrt(size / largest), 1);
      return `<rect class="${kind} fill" x="${at(x - side / 2)}" y="${at(122 - side)}" width="${at(side)}" height="${at(side)}"/>
        <text class="middle ${kind} text" x="${x}" y="137">${name}</text><text class="middle" x="${x}" y="151">${inUnits(size)}</text>`;
    };
    const named = known[n] ? ` (${known[n]})` : "";
    const laptops = weights / laptop;
    return `<div class="controls">${slider("Places", "now", now, [0, lengths.length - 1, 1], `${n.toLocaleString("en")}${named}`)}${player("Let it grow", playing)}</div>
      <svg viewBox="0 0 380 158" style="max-width:36em" role="img" aria-label="Three squares, as large as their bytes: a laptop of ${inUnits(laptop)}, the inputs and the weights.">
      ${square(62, "a laptop", laptop, "n")}${square(190, "inputs", inputs, "q")}${square(318, "weights", weights, "k")}</svg>
      ${says(`The inputs take ${inUnits(inputs)}, and the weights of one layer ${inUnits(weights)}. ${laptops > 1
        ? `They would fill ${laptops < 10 ? number(laptops, 1) : Math.round(laptops).toLocaleString("en")} laptops.` : weights > inputs ? "They still fit." : "That is less than the inputs."}`)}`;
  },

  /** Take a longer text, or after the longest the shortest; say whether there are longer ones. */
  play(state) {
    state.now = (state.now + 1) % state.lengths.length;
    return state.now < state.lengths.length - 1;
  },

  seen: ({ lengths, now, heads, bytes, laptop }) => heads * lengths[now] ** 2 * bytes > laptop,
};

function inUnits(count) {
  const unit = Math.min(Math.floor(Math.log10(count) / 3 + 1e-9), UNITS.length - 1);
  const shown = count / 1000 ** unit;
  return `${number(shown, shown < 10 ? 1 : 0)} ${UNITS[unit]}`;
}

/* A head that is written by hand: the wishes of each place, the weights that they make, and the average that is fetched. */

import { number, says, slider, sum } from "./draw.js";

const WORTH = [1, 2, 5, 10, 20, 128];

/** state: text, wishes (for each place, 1 for each place that it wants to look at) and worth (of a yes, as a place in WORTH); once a wish was pressed also met (how many
    wishes a place then had). */
export const wishes = {
  view({ text, wishes, worth }) {
    const letters = [...text];
    const kinds = [...new Set(letters)];
    const weights = wishes.map((row) => {
      const powers = row.map((wish) => Math.exp(WORTH[worth] * (wish - Math.max(...row))));
      return powers.map((power) => power / sum(powers));
    });
    const fetched = weights.map((row) => kinds.map((kind) => sum(row.filter((_, j) => letters[j] === kind))));
    const places = letters.map((letter, i) => `${letter} at ${i}`);
    const buttons = wishes.map((row, i) => row.map((wish, j) => `<button data-do="wish" data-value="${i * letters.length + j}"
      aria-pressed="${wish === 1}" aria-label="place ${i} looks at place ${j}">${wish}</button>`));
    const keys = letters.map((letter, i) => `${letter}<br>${i}`);
    const shares = (row) => kinds.map((kind, i) => [kind, row[i]]).filter(([, x]) => x >= 0.005).sort(([, x], [, y]) => y - x);
    const average = (row) => shares(row).map(([kind, x]) => `${number(x)} ${kind}`).join(" + ");
    const told = fetched.map((row, i) => `place ${i} fetches ${row.some((x) => x > 0.995) ? kinds[row.findIndex((x) => x > 0.995)] : "a mixture"}`);
    return `<div class="controls">${slider("A yes is worth", "worth", worth, [0, WORTH.length - 1, 1], WORTH[worth])}<button data-do="again">Start again</button></div>
      <div class="panels">${table("Wishes", places, keys, buttons)}
      ${table("Weights", places, keys, weights.map((row) => row.map((x) => number(x))))}
      ${table("Fetched", places, ["the weighted average"], fetched.map((row) => [average(row)]))}</div>
      ${says(`At ${WORTH[worth]}, ${told.join(", ")}.`)}`;
  },

  act(state, name, value) {
    const { text, wishes } = state;
    const [i, j] = [Math.floor(value / text.length), value % text.length];
    wishes[i][j] = 1 - wishes[i][j];
    state.met = [...(state.met ?? []), sum(wishes[i])];
  },

  seen: ({ met = [] }) => met.includes(0) && met.some((count) => count > 1),
};

function table(caption, side, head, rows) {
  const columns = head.map((name) => `<th scope="col">${name}</th>`);
  const lines = rows.map((row, i) => `<tr><th scope="row">${side[i]}</th>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`);
  return `<table class="wishes"><caption>${caption}</caption><thead><tr><td></td>${columns.join("")}</tr></thead><tbody>${lines.join("")}</tbody></table>`;
}

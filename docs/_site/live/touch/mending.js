/* A row of scores that comes in pieces: two sums are carried on, and mended whenever a larger score arrives. */

import { at, number, says, slider, sum } from "./draw.js";

const [LEFT, WIDE, HIGH] = [8, 34, 84];

/** What is carried after so many pieces: the largest score, the sum of the powers, that of the powers times values. */
function carried({ scores, values, size, step }) {
  const largest = (n) => Math.max(...scores.slice(0, n));
  const [before, seen] = [(step - 1) * size, Math.min(step * size, scores.length)];
  const powers = scores.slice(0, seen).map((s) => Math.exp(s - largest(seen)));
  const mend = before > 0 ? Math.exp(largest(before) - largest(seen)) : 1;
  return { seen, before, powers, mend, largest: largest(seen), total: sum(powers), weighted: sum(powers.map((p, i) => p * values[i])), old: largest(before) };
}

/** state: scores, values, size (keys in a piece), step (pieces read, from 1). */
export const mending = {
  view(state) {
    const { scores, values, size } = state;
    const count = Math.ceil(scores.length / size);
    const step = Math.min(state.step, count);
    const { seen, before, powers, mend, largest, total, weighted, old } = carried({ ...state, step });
    const bars = scores.map((score, i) => {
      const x = LEFT + WIDE * i + 8 * Math.floor(i / size);
      const high = i < seen ? Math.max(1, HIGH * powers[i]) : 0;
      const ghost = i < before && mend < 1 ? `<rect x="${x}" y="${at(20 + HIGH - (HIGH * powers[i]) / mend)}" width="26" height="${at((HIGH * powers[i]) / mend)}"
        style="fill:none;stroke:var(--ca-line);stroke-dasharray:3 2"/>` : "";
      return `${ghost}<rect x="${x}" y="${at(20 + HIGH - high)}" width="26" height="${at(high)}" style="fill:${i < before && mend < 1 ? "var(--ca-keys)" : "var(--ca-visible)"}"/>
        <text class="small ${i < seen ? "" : "soft"} middle" x="${x + 13}" y="${HIGH + 34}">${score}</text>
        <text class="small soft middle" x="${x + 13}" y="${HIGH + 48}">${values[i]}</text>`;
    });
    const width = LEFT + WIDE * scores.length + 8 * count + 56;
    const boxes = [["largest", number(largest, 0)], ["sum of the powers", number(total, 4)], ["powers times values", number(weighted, 4)]]
      .map(([name, value]) => `${name} <b>${value}</b>`).join(" · ");
    const what = before <= 0 ? "The first piece begins both sums." : mend < 1
      ? `A larger score has come, so both sums are multiplied by e<sup>${number(old, 0)} − ${number(largest, 0)}</sup> = ${number(mend, 6)}, and the new powers are added.`
      : "No larger score has come, so nothing is mended: the new powers are added.";
    return `<svg viewBox="0 0 ${width} ${HIGH + 56}" style="max-width:24em" role="img" aria-label="The powers of the ${seen} scores that have been
      read, each measured from the largest so far."><line x1="${LEFT - 4}" x2="${width - 60}" y1="${20 + HIGH}" y2="${20 + HIGH}" class="axis"/>${bars.join("")}
      <text class="small soft" x="${width - 54}" y="${HIGH + 34}">scores</text><text class="small soft" x="${width - 54}" y="${HIGH + 48}">values</text></svg>
      <p>${boxes}</p><div class="controls">${slider("Pieces read", "step", step, [1, count, 1], `${step} of ${count}`)}
      ${slider("Keys in a piece", "size", size, [1, scores.length, 1], size)}
      ${slider("Last score", "last", scores.at(-1), [0, 9, 1], scores.at(-1))}</div>
      ${says(`${what} ${seen === scores.length ? `At the end ${number(weighted, 4)} / ${number(total, 4)} = ${number(weighted / total, 2)} is the output.` : `So far the output would be ${number(weighted / total, 2)}.`}`)}`;
  },

  set(state, field, value) {
    if (field === "last") state.scores = [...state.scores.slice(0, -1), value];
    else if (field === "size") [state.size, state.step] = [value, 1];
    else state[field] = value;
  },

  seen: ({ step, scores }, start) => step > 1 && scores.at(-1) !== start.scores.at(-1),
};

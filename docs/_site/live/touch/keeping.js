/* Which keys and values a machine of two layers computes when a letter comes, which it has kept, and which of these are out of date. */

import { escape } from "../html.js";
import { at, check, player, says, slider } from "./draw.js";

const [LEFT, WIDE, HIGH, GAP] = [44, 32, 26, 8];
const LAYERS = 2;

/** state: letters (all that will be written), count (of those that are there), keep (whether keys and values are kept), masked (whether
 * a look-ahead mask hides later letters) and playing. */
export const keeping = {
  view(state) {
    const { letters, count, keep, masked, playing } = state;
    const rows = Array.from({ length: LAYERS }, (_, layer) => {
      const y = (LAYERS - 1 - layer) * (HIGH + GAP);
      const cells = letters.map((_, place) => drawn(kind(state, layer, place), LEFT + WIDE * place, y));
      return `<text class="small soft end" x="${LEFT - 6}" y="${y + 16}">layer ${layer + 1}</text>${cells.join("")}`;
    });
    const low = LAYERS * (HIGH + GAP) + 12;
    const signs = letters.map((letter, place) => `<text class="middle${place < count ? "" : " soft faint"}" x="${at(LEFT + WIDE * (place + 0.5))}" y="${low}">${escape(letter)}</text>`);
    return `<div class="controls">${slider("Letters", "count", count, [1, letters.length, 1], count)}${player("Write", playing)}</div>
      <div class="controls">${check("keep keys and values", "keep", keep)}${check("look-ahead mask", "masked", masked)}</div>
      <svg viewBox="0 0 ${LEFT + WIDE * letters.length + 2} ${low + 6}" style="max-width:36em" role="img" aria-label="A cell for the keys and values of each letter in each
        of two layers: computed now, kept, or kept and out of date."><defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line class="k" x1="0" y1="0" x2="0" y2="5" style="stroke:var(--tint);stroke-width:3"/></pattern></defs>${rows.join("")}${signs.join("")}</svg>
      <p class="hint">Blue: computed now. Grey: kept. Hatched: kept, and no longer true.</p>
      ${says(verdict(state))}`;
  },

  /** Write the next letter, or begin again; say whether there are more. */
  play(state) {
    state.count = (state.count % state.letters.length) + 1;
    return state.count < state.letters.length;
  },

  seen: ({ masked, count }) => !masked && count > 1,
};

/** What the keys and values of a letter are in a layer. What goes into the first layer is the letter alone; into the second goes what the
 * first has found for it, and if letters see later ones, that changes with each new letter. */
function kind({ count, keep, masked }, layer, place) {
  if (place >= count) return "none";
  if (!keep || place === count - 1) return "new";
  return masked || layer === 0 ? "kept" : "old";
}

function drawn(what, x, y) {
  const frame = `x="${at(x + 1.5)}" y="${y}" width="${WIDE - 3}" height="${HIGH}" rx="3"`;
  const inside = { new: `<rect class="q fill" ${frame}/>`, kept: `<rect class="whole" ${frame}/>`, old: `<rect class="hatch" ${frame}/>`, none: "" }[what];
  return `<g data-kind="${what}">${inside}<rect class="line${what === "none" ? " dashed faint" : ""}" ${frame}/></g>`;
}

function verdict({ count, keep, masked }) {
  const all = (count * (count + 1)) / 2;
  const letters = (n) => `${n} ${n === 1 ? "letter" : "letters"}`;
  if (!keep) return `In this step ${letters(count)} ${count === 1 ? "goes" : "go"} through the machine${count === 1 ? "" : `, and ${count - 1} of them had gone before`}.
    From the first step on that makes ${all}.`;
  if (!masked && count > 1) return `The first ${letters(count - 1)} would now see the newest one. So layer 1 would find something else for each, and in layer 2 what was kept is no longer true.`;
  return `In this step 1 letter goes through the machine${count === 1 ? "" : `, and looks back at ${letters(count - 1)}`}. From the first step on that makes ${count}, in place of ${all}.`;
}

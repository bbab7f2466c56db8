/* Attention a block of queries at a time: what is in memory, what is done, what is never computed. */

import { at, check, player, says, slider } from "./draw.js";

const SIDE = 200;

/** state: length, block (how many queries at a time), step (which block, from 0), causal, playing (whether block follows block by itself). */
export const rows = {
  view({ length, block, step, causal, playing }) {
    const count = Math.ceil(length / block);
    const now = Math.min(step, count - 1);
    const unit = SIDE / length;
    const drawn = Array.from({ length: count }, (_, i) => {
      const first = i * block;
      const high = Math.min(block, length - first);
      const seen = causal ? first + high : length;
      const kind = i < now ? "done" : i === now ? "held" : "later";
      const tint = { done: "fill:none;stroke:var(--ca-line)", held: "fill:var(--ca-visible)", later: "fill:var(--ca-line);fill-opacity:.35" }[kind];
      const skipped = causal && seen < length ? `<rect x="${at(seen * unit)}" y="${at(first * unit)}" width="${at((length - seen) * unit)}"
        height="${at(high * unit)}" fill="url(#hatch)"/>` : "";
      const output = `<rect x="${SIDE + 22}" y="${at(first * unit)}" width="26" height="${at(high * unit)}"
        style="fill:var(--ca-values);fill-opacity:${i <= now ? 0.85 : 0.12};stroke:var(--md-default-bg-color)"/>`;
      return `<rect x="0" y="${at(first * unit)}" width="${at(seen * unit)}" height="${at(high * unit)}" style="${tint}"/>${skipped}${output}`;
    });
    const first = now * block;
    const last = Math.min(first + block, length);
    const held = (last - first) * (causal ? last : length);
    const sizes = [1, 2, 4, 8, 16, 32].filter((n) => n <= length);
    return `<svg viewBox="-14 -16 280 236" style="max-width:24em" role="img" aria-label="The matrix of weights, with the block of rows that
      is in memory, and the outputs that are finished."><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="6" style="stroke:var(--ca-hatch)"/></pattern></defs>
      <text class="small soft" x="0" y="-5">keys →</text><text class="small soft" transform="rotate(-90 -5 ${SIDE})" x="-5" y="${SIDE}">← queries</text>
      <text class="small soft" x="${SIDE + 14}" y="-5">outputs</text>${drawn.join("")}</svg>
      <div class="controls">${slider("Block", "step", now, [0, count - 1, 1], `${now + 1} of ${count}`)}${player("Let it run", playing)}
      ${slider("Queries in a block", "size", sizes.indexOf(block), [0, sizes.length - 1, 1], block)}
      ${check("look-ahead mask", "causal", causal)}</div>
      ${says(`In memory now: ${held.toLocaleString("en")} ${held === 1 ? "weight" : "weights"}${held === length * length ? ", the whole matrix" : ` of ${(length * length).toLocaleString("en")}`}. Rows above are thrown away; their outputs stay.
        ${causal && last < length ? "What is hatched is never computed." : ""}`)}`;
  },

  set(state, field, value) {
    if (field === "size") {
      state.block = 2 ** value;
      state.step = 0;
    } else state[field] = value;
  },

  /** Go to the next block, or from the last one back to the first; say whether there are more. */
  play(state) {
    const count = Math.ceil(state.length / state.block);
    state.step = (Math.min(state.step, count - 1) + 1) % count;
    return state.step < count - 1;
  },

  seen: ({ causal }) => causal,
};

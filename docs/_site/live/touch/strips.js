/* Which pieces of which letters each head gets: cut as they should be, or by a reshape alone, with a padding mask over all. */

import { escape } from "../html.js";
import { at, check, says } from "./draw.js";

const [CELL, HIGH, GAP] = [10, 17, 25];
const CHOICES = [1, 2, 4, 8];

/** state: text, places (of a row, the rest is padding), heads, bare (whether it is cut by a reshape alone). */
export const strips = {
  view(state) {
    const { text, places, heads, bare } = state;
    const owner = (head, cell) => (bare ? Math.floor((head * places + cell) / heads) : cell); // whose piece stands there
    const seen = new Set();
    const rows = Array.from({ length: heads }, (_, head) => {
      const cells = Array.from({ length: places }, (_, cell) => {
        const [place, masked] = [owner(head, cell), cell >= text.length];
        if (!masked) seen.add(place);
        return drawn(text[place], CELL * cell, GAP * head, { masked, tint: place % 2 });
      });
      return `<text class="small soft end" x="-5" y="${GAP * head + 12}">${head + 1}</text>${cells.join("")}`;
    });
    const lost = [...text].filter((_, place) => !seen.has(place));
    const letters = [...text].map((letter, place) => `<span class="${seen.has(place) ? "" : "off"}">${escape(letter === " " ? "␣" : letter)}</span>`);
    const buttons = CHOICES.map((n) => `<button data-do="heads" data-value="${n}" aria-pressed="${n === heads}">${n}</button>`);
    const high = GAP * heads - (GAP - HIGH);
    return `<div class="controls"><label>Text <input type="text" data-field="text" maxlength="${places}" value="${escape(text)}" autocomplete="off" spellcheck="false"></label></div>
      <div class="controls"><span role="group" aria-label="Heads">Heads ${buttons.join(" ")}</span>${check("cut by a reshape alone", "bare", bare)}</div>
      <svg viewBox="-16 0 ${CELL * places + 17} ${high}" style="max-width:${1.5 * (CELL * places + 17)}px" role="img" aria-label="A strip for each head, of ${places} cells: the letter whose
        piece stands there. Hatched cells are hidden by the mask."><defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="5" style="stroke:var(--ca-hatch)"/></pattern></defs>${rows.join("")}</svg>
      <p class="written">${letters.join("")}</p>
      ${says(verdict(state, lost.length))}`;
  },

  set(state, field, value) {
    state[field] = field === "text" ? value || " " : value;
  },

  act(state, name, value) {
    state.heads = value;
  },

  seen: ({ bare }) => bare,
};

function drawn(letter, x, y, { masked, tint }) {
  const frame = `x="${at(x)}" y="${y}" width="${CELL}" height="${HIGH}"`;
  const tinted = letter === undefined ? "" : `<rect class="${tint ? "q" : "k"} fill" style="fill-opacity:${masked ? 0.1 : 0.3}" ${frame}/>`;
  const sign = letter === undefined ? "·" : letter === " " ? "␣" : letter;
  return `${tinted}<rect class="line" ${frame}/>${masked ? `<rect class="hatch" ${frame}/>` : ""}
    <text class="small middle${masked ? " soft" : ""}" x="${at(x + CELL / 2)}" y="${y + 12}">${escape(sign)}</text>`;
}

function verdict({ text, heads, bare }, lost) {
  if (heads === 1) return `One head gets all of every letter, and ${bare ? "the reshape has nothing to cut" : "nothing is cut"}.`;
  if (!bare) return `Each of the ${heads} heads gets a piece of every letter, and the mask hides the padding, which is hatched.`;
  const begun = `Each head gets pieces of a few letters only, or of none. `;
  if (lost === 0) return `${begun}No letter is lost here, but no head can look at more than its own part of the row.`;
  return `${begun}${lost} of the ${text.length} letters ${lost === 1 ? "is" : "are"} in no cell that can be seen.`;
}

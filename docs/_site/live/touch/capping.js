/* A map of weights under a soft cap, and what becomes of the letters that a mask hides if the mask comes before it. */

import { softmax } from "../engine/attention.js";
import { at, check, number, says, slider, sum } from "./draw.js";

const [CELL, LEFT, TOP] = [20, 46, 22];

/** state: letters, scores (a row for each letter that looks), caps (those to choose from), cap (which of them), early (whether the mask,
 * which hides what comes later, comes before the cap). */
export const capping = {
  view({ letters, scores, caps, cap, early }) {
    const most = caps[cap];
    const capped = (score) => most * Math.tanh(score / most);
    const after = scores.map((row, i) => row.map((score, j) => {
      if (j <= i) return capped(score);
      return early ? -most : -Infinity; // the cap lifts minus infinity
    }));
    const weights = after.map((row) => softmax(row));
    const first = sum(weights[0].slice(1));
    const cells = weights.flatMap((row, i) => row.map((weight, j) => `<rect x="${LEFT + CELL * j}" y="${TOP + CELL * i}" width="${CELL}" height="${CELL}"
      ${j > i && !early ? 'fill="url(#hatch)"' : `style="fill:var(--ca-queries);fill-opacity:${at(Math.sqrt(weight))}"`}/>`));
    const names = letters.map((letter, i) => `<text class="small middle" x="${LEFT + CELL * (i + 0.5)}" y="${TOP - 6}">${letter}</text>
      <text class="small middle" x="${LEFT - 10}" y="${TOP + CELL * (i + 0.7)}">${letter}</text>`);
    const side = CELL * letters.length;
    const height = TOP + side + 4;
    const reached = Math.max(...after.flat());
    return `<svg viewBox="0 0 ${LEFT + side + 4} ${height}" style="max-width:22em" role="img" aria-label="A map of weights, a row for each letter that looks
      and a column for each that is looked at, ${early ? "with weight on letters that come later" : "with all that comes later hatched"}."><defs><pattern id="hatch"
      width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="6" style="stroke:var(--ca-hatch)"/></pattern></defs>
      <text class="small soft" transform="rotate(-90 12 ${at(TOP + side / 2)})" x="12" y="${at(TOP + side / 2)}" text-anchor="middle">who looks</text>${names.join("")}${cells.join("")}</svg>
      <div class="controls">${slider("Cap", "cap", cap, [0, caps.length - 1, 1], most)}${check("mask before the cap", "early", early)}<button
      data-do="again">Start again</button></div>
      ${says(`The highest score is ${number(reached)}. ${early ? "A hidden key has the score " + number(-most, 0) : "A hidden key has no score left"}. The start mark
        gives ${number(100 * first, 0)} % of its weight to letters that come later.`)}`;
  },
};

/* Threads between the answer and the text: from one letter to those that it looked at, the thicker the more it looked. */

import { morph } from "./html.js";

const FAINT = 0.08; // of the strongest: a weaker thread is not drawn
const THICK = 7;

/** Draw them into a picture that stands between two strips: from one letter to many, each with its share of the strongest; isDown: the one stands above. */
export function thread(svg, from, many, shares, isDown) {
  const origin = svg.getBoundingClientRect();
  if (!origin.width) return;
  const spot = (letter, isAbove) => {
    const { left, width, top, bottom } = letter.getBoundingClientRect();
    return [left + width / 2 - origin.left, (isAbove ? bottom : top) - origin.top].map(Math.round);
  };
  const [x0, y0] = from ? spot(from, isDown) : [0, 0];
  const strongest = Math.max(...shares) || 1;
  const paths = many.map((letter, i) => {
    const share = from ? shares[i] / strongest : 0;
    const [x1, y1] = spot(letter, !isDown);
    const half = Math.round((y0 + y1) / 2);
    return `<path d="M${x0} ${y0}C${x0} ${half} ${x1} ${half} ${x1} ${y1}" stroke-width="${share < FAINT ? 0 : (THICK * share).toFixed(1)}" stroke-opacity="${share < FAINT ? 0 : (0.25 + 0.6 * share).toFixed(2)}"/>`;
  });
  const fresh = document.createElement("template");
  fresh.innerHTML = `<svg>${paths.join("")}</svg>`;
  morph(svg, fresh.content.firstChild);
}

/* Threads between letters: from one to those that it looked at, the thicker the more it looked. */

import { morph } from "./html.js";
import { threads } from "./machine-view.js";

const THICK = 7;
const FAINT = { between: 0.08, within: 0.4 }; // of the strongest: a weaker thread is not drawn

/** Join the letters of the small machine's answer and of its text, and those of the text; before it wakes, those of its still picture. */
export function weave(machine) {
  const { result } = machine;
  const root = result ? machine.shadowRoot : machine;
  const strips = root.querySelectorAll(result ? ".strip" : ".still-strip");
  if (strips.length < 2) return;
  const [writes, reads] = [...strips].map((strip) => [...strip.querySelectorAll(result ? ".letter" : "b")]);
  if (!root.querySelector(".threads")) {
    for (const [i, kind] of ["threads", "threads within"].entries()) strips[i].insertAdjacentHTML("afterend", `<svg class="${kind}" aria-hidden="true"></svg>`);
  }
  const { side, at, weights, within } = result ? threads(machine) : still(writes, reads, strips[1].dataset.within);
  const between = root.querySelector(".threads");
  if (side === "answer") thread(between, writes[at], reads, weights, true);
  else thread(between, reads[at], writes, weights.slice(0, writes.length), false);
  if (within) loop(root.querySelector(".threads.within"), reads[within.at], reads, within.weights.slice(0, reads.length));
}

/** What the still picture says of its threads: the marked letter, how bright those are that it looked at, and where the brightest had looked. */
function still(writes, reads, looked) {
  const weights = reads.map(({ style }) => Number(style.getPropertyValue("--shade")));
  const within = looked && { at: weights.indexOf(Math.max(...weights)), weights: looked.split(" ").map(Number) };
  return { side: "answer", at: writes.findIndex((letter) => letter.className), weights, within };
}

/** Draw threads from one letter to many, each with its share of the strongest; isDown: the one stands above the others. */
function thread(svg, from, many, shares, isDown) {
  const spot = spots(svg);
  draw(svg, many, shares, FAINT.between, from && ((letter) => {
    const [[x0, y0], [x1, y1]] = [spot(from, isDown), spot(letter, !isDown)];
    const half = Math.round((y0 + y1) / 2);
    return `M${x0} ${y0}C${x0} ${half} ${x1} ${half} ${x1} ${y1}`;
  }));
}

/** Draw threads below a strip, from one of its letters to the others. */
function loop(svg, from, many, shares) {
  const spot = spots(svg);
  const others = shares.map((share, i) => (many[i] === from ? 0 : share));
  draw(svg, many, others, FAINT.within, from && ((letter) => {
    const [[x0, y0], [x1, y1]] = [spot(from, true), spot(letter, true)];
    const low = Math.max(y0, y1) + Math.min(10 + Math.round(Math.abs(x1 - x0) / 5), 34);
    return `M${x0} ${y0}C${x0} ${low} ${x1} ${low} ${x1} ${y1}`;
  }));
}

/** Return a function that says where a letter has its lower or its upper middle, as a picture counts. */
function spots(svg) {
  const origin = svg.getBoundingClientRect();
  return (letter, isLower) => {
    const { left, width, top, bottom } = letter.getBoundingClientRect();
    return [left + width / 2 - origin.left, (isLower ? bottom : top) - origin.top].map(Math.round);
  };
}

function draw(svg, many, shares, faint, way) {
  if (!svg.getBoundingClientRect().width) return;
  const strongest = Math.max(...shares) || 1;
  const paths = many.map((letter, i) => {
    const share = way ? shares[i] / strongest : 0;
    const [thick, dense] = share < faint ? [0, 0] : [(THICK * share).toFixed(1), (0.25 + 0.6 * share).toFixed(2)];
    return `<path d="${way ? way(letter) : ""}" stroke-width="${thick}" stroke-opacity="${dense}"/>`;
  });
  const fresh = document.createElement("template");
  fresh.innerHTML = `<svg>${paths.join("")}</svg>`;
  morph(svg, fresh.content.firstChild);
}

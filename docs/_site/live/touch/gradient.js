/* Some of a machine's slopes, each an arrow that shows which way its number must go: nudge all numbers at once by a rate that the reader
   chooses, and see what becomes of the loss. Each try begins from the same machine and leaves a point behind. */

import { at, between, number, says, slider } from "./draw.js";

const [LEFT, WIDE, MIDDLE, HALF] = [12, 5.3, 80, 62]; // of the drawing: a column for each number
const [PLOT, HIGH, TEXT] = [206, 76, 64]; // of the tries below: where they begin, how high they are, and what stands left of them

/** state: slopes (the flattest first), all (how many the machine has), rates and losses (after one nudge with each; the first rate is 0),
    now (which of the rates is chosen), tries (those that were tried), gone (whether the numbers have gone), zoom (how many times as
    closely one can look) and close (whether one does). */
export const gradient = {
  view({ slopes, all, rates, losses, now, tries, gone, zoom, close }) {
    const steepest = Math.max(...slopes.map(Math.abs));
    const unit = ((close ? zoom : 1) * HALF) / steepest;
    const share = gone ? rates[now] / rates.at(-1) : 0;
    const arrows = slopes.map((slope, i) => {
      const x = LEFT + WIDE * (i + 0.5);
      const long = slope * unit; // down the slope, which is up in the drawing where the slope is negative
      const way = Math.sign(long);
      const [tip, moved] = [long, long * share].map((y) => MIDDLE + between(y, -HALF, HALF));
      const kind = `class="${way < 0 ? "q" : "k"}" data-way="${way < 0 ? "larger" : way ? "smaller" : "stays"}"`;
      if (Math.abs(long) > HALF + 1) return `<g ${kind} style="opacity:.2"><path class="stroke" style="stroke-width:1.4" d="M${at(x)} ${MIDDLE}V${at(tip)}"/></g>`;
      const head = Math.abs(long) < 4 ? "" : `<path class="fill" d="M${at(x)} ${at(tip)}l-2.3 ${-5 * way}h4.6z"/>`;
      return `<g ${kind}><path class="stroke" style="stroke-width:1.4" d="M${at(x)} ${MIDDLE}V${at(tip - (head ? 4 * way : 0))}"/>${head}
        <circle fill="currentColor" cx="${at(x)}" cy="${at(moved)}" r="1.7"/></g>`;
    });
    const tenth = slopes.length / 10;
    const right = LEFT + WIDE * slopes.length;
    const brace = (from, to, name, anchor) => `<path class="axis" d="M${at(from)} 148v4H${at(to)}v-4"/><text class="small soft ${anchor}" x="${at(anchor === "end" ? to : from)}" y="163">${name}</text>`;
    return `<svg viewBox="0 0 342 ${PLOT + HIGH + 32}" style="max-width:40em" role="img" aria-label="${slopes.length} arrows in a row, ordered by length. They point up where a number must become larger, and down where smaller.
        ${close ? `At ${zoom} times the size, the shortest tenth is well seen, and the others leave the picture.` : "The arrows of the first tenth are too short to be seen."} Below, a point for each learning rate that was tried, as high as the loss after its nudge.">
      <rect class="whole" style="fill-opacity:.07" x="${LEFT}" y="${MIDDLE - HALF}" width="${WIDE * tenth}" height="${2 * HALF}"/>
      <text class="small soft" x="${LEFT + 2}" y="12">↑ must become larger</text><text class="small soft end" x="${at(right)}" y="12">↓ must become smaller</text>
      <path class="axis" style="opacity:.5" d="M${LEFT - 4} ${MIDDLE}H${at(right + 4)}"/>${arrows.join("")}
      ${brace(LEFT, LEFT + WIDE * tenth, "the flattest tenth", "start")}${brace(right - WIDE * tenth, right, "the steepest tenth", "end")}
      ${plot({ rates, losses, now, tries, gone, right })}</svg>
      <div class="controls">${slider("Learning rate", "now", now, [1, rates.length - 1, 1], rates[now])}<button data-do="nudge">Nudge them all</button><button data-do="close" aria-pressed="${close}">Look ${zoom} times as closely</button><button data-do="again">Start again</button></div>
      ${says(`${told({ all, rates, losses, now, tries, gone })}${close ? " Closely seen, the flattest tenth does move, but the others are far outside." : ""}`)}`;
  },

  /** Another rate is tried from the same beginning. */
  set(state, field, value) {
    Object.assign(state, { now: value, gone: false });
  },

  act(state, name) {
    if (name === "close") state.close = !state.close;
    else Object.assign(state, { gone: true, tries: [...state.tries.filter((one) => one !== state.now), state.now] });
  },
};

function plot({ rates, losses, now, tries, gone, right }) {
  const [low, high] = [Math.min(...losses), Math.max(...losses)];
  const x = (i) => at(TEXT + ((right - TEXT - 6) * rates[i]) / rates.at(-1));
  const y = (loss) => at(PLOT + HIGH - 8 - ((HIGH - 18) * (loss - low)) / (high - low));
  const dots = tries.map((i) => {
    const here = gone && i === now;
    return `<circle class="${losses[i] > losses[0] ? "k" : "q"} fill ${here ? "" : "faint"}" data-try="${rates[i]}" cx="${x(i)}" cy="${y(losses[i])}" r="${here ? 5 : 3.5}"/>`;
  });
  const value = gone ? `<text class="${now > rates.length / 2 ? "end" : ""}" style="font-weight:600" x="${at(x(now) + (now > rates.length / 2 ? -9 : 9))}" y="${at(y(losses[now]) + 4)}">${number(losses[now], 3)}</text>` : "";
  return `<text class="small soft" x="${LEFT}" y="${PLOT - 8}">loss after one nudge</text>
    <path class="axis" d="M${TEXT - 6} ${PLOT}V${PLOT + HIGH}H${at(right)}"/><path class="axis dashed" d="M${TEXT - 6} ${y(losses[0])}H${at(right)}"/>
    <text class="small soft end" x="${TEXT - 10}" y="${at(y(losses[0]) + 4)}">${number(losses[0], 3)}</text><text class="small soft" x="${LEFT}" y="${at(y(losses[0]) + 15)}">before</text>
    ${[0, (rates.length - 1) / 2, rates.length - 1].map((i) => `<text class="small soft middle" x="${x(i)}" y="${PLOT + HIGH + 14}">${rates[i]}</text>`).join("")}
    <text class="small soft end" x="${at(right)}" y="${PLOT + HIGH + 27}">learning rate</text>${dots.join("")}${value}`;
}

function told({ all, rates, losses, now, tries, gone }) {
  if (!gone) {
    const begin = `The loss is ${number(losses[0], 3)}.`;
    return tries.length ? `All numbers are back where they began. ${begin} Now nudge with ${rates[now]}.` : `${begin} Nudge, and all ${all.toLocaleString("en")} numbers go along their arrows.`;
  }
  const verdict = losses[now] > losses[0] ? " Too wild: it is worse than before." : tries.length < 2 ? "" : tries.every((one) => losses[one] >= losses[now]) ? " So far, this is the best." : "";
  return `Each number has lost ${rates[now]} times its slope, and the loss is ${number(losses[now], 3)} instead of ${number(losses[0], 3)}.${verdict}`;
}

/* Some of a machine's slopes, each an arrow that shows which way its number must go: nudge all numbers at once, and look closer at the flat ones. */

import { at, between, number, player, says, slider } from "./draw.js";

const [LEFT, WIDE, MIDDLE, HALF] = [12, 5.3, 84, 62]; // of the drawing: a column for each number
const [BAR, LOW] = [190, 208]; // how long the bar of the loss is, and where it lies

/** state: slopes (the flattest first), all (how many the machine has), rates and losses (after one nudge with each), now (which of the rates),
    zoom (how many times as closely one can look), close (whether one does) and playing. */
export const gradient = {
  view({ slopes, all, rates, losses, now, zoom, close, playing }) {
    const steepest = Math.max(...slopes.map(Math.abs));
    const unit = ((close ? zoom : 1) * HALF) / steepest;
    const most = rates.at(-1);
    const arrows = slopes.map((slope, i) => {
      const x = LEFT + WIDE * (i + 0.5);
      const long = slope * unit; // down the slope, which is up in the drawing where the slope is negative
      const way = Math.sign(long);
      const [tip, moved] = [long, (long * rates[now]) / most].map((y) => MIDDLE + between(y, -HALF, HALF));
      const kind = `class="${way < 0 ? "q" : "k"}" data-way="${way < 0 ? "larger" : way ? "smaller" : "stays"}"`;
      if (Math.abs(long) > HALF + 1) return `<g ${kind} style="opacity:.2"><path class="stroke" style="stroke-width:1.4" d="M${at(x)} ${MIDDLE}V${at(tip)}"/></g>`;
      const head = Math.abs(long) < 4 ? "" : `<path class="fill" d="M${at(x)} ${at(tip)}l-2.3 ${-5 * way}h4.6z"/>`;
      return `<g ${kind}><path class="stroke" style="stroke-width:1.4" d="M${at(x)} ${MIDDLE}V${at(tip - (head ? 4 * way : 0))}"/>${head}
        <circle fill="currentColor" cx="${at(x)}" cy="${at(moved)}" r="1.7"/></g>`;
    });
    const tenth = slopes.length / 10;
    const right = LEFT + WIDE * slopes.length;
    const brace = (from, to, name, anchor) => `<path class="axis" d="M${at(from)} 152v4H${at(to)}v-4"/><text class="small soft ${anchor}" x="${at(anchor === "end" ? to : from)}" y="167">${name}</text>`;
    const long = (loss) => at((BAR * loss) / Math.max(...losses));
    return `<svg viewBox="0 0 342 222" style="max-width:40em" role="img" aria-label="${slopes.length} arrows in a row, ordered by length. They point up where a number must become larger, and down where smaller.
        ${close ? `At ${zoom} times the size, the shortest tenth is well seen, and the others leave the picture.` : "The arrows of the first tenth are too short to be seen."} A bar below shows the loss.">
      <rect class="whole" style="fill-opacity:.07" x="${LEFT}" y="${MIDDLE - HALF}" width="${WIDE * tenth}" height="${2 * HALF}"/>
      <text class="small soft" x="${LEFT + 2}" y="12">↑ must become larger</text><text class="small soft end" x="${at(right)}" y="12">↓ must become smaller</text>
      <path class="axis" style="opacity:.5" d="M${LEFT - 4} ${MIDDLE}H${at(right + 4)}"/>${arrows.join("")}
      ${brace(LEFT, LEFT + WIDE * tenth, "the flattest tenth", "start")}${brace(right - WIDE * tenth, right, "the steepest tenth", "end")}
      <text x="${LEFT}" y="${LOW - 10}">loss of the machine</text>
      <rect class="whole" x="${LEFT}" y="${LOW - 4}" width="${long(losses[0])}" height="12"/>
      <rect class="${losses[now] > losses[0] ? "k" : "q"} fill" x="${LEFT}" y="${LOW - 4}" width="${long(losses[now])}" height="12" rx="1"/>
      <path class="axis" style="stroke-width:2" d="M${at(LEFT + long(losses[0]))} ${LOW - 8}v20"/><text x="${at(LEFT + long(Math.max(losses[0], losses[now])) + 7)}" y="${LOW + 6}">${number(losses[now], 3)}</text></svg>
      <div class="controls">${slider("Learning rate", "now", now, [0, rates.length - 1, 1], rates[now])}${player("Nudge them all", playing)}<button data-do="close" aria-pressed="${close}">Look ${zoom} times as closely</button><button data-do="again">Start again</button></div>
      ${says(`${now === 0 ? `The loss is ${number(losses[0], 3)}. Nudge, and all ${all.toLocaleString("en")} numbers go along their arrows.` : verdict(losses, rates, now)}${
        close ? ` The flattest tenth does move, but the others are far outside.` : ""}`)}`;
  },

  act(state) {
    state.close = !state.close;
  },

  /** Take the next larger rate, or after the largest begin again; say whether there are larger ones. */
  play(state) {
    state.now = (state.now + 1) % state.rates.length;
    return state.now < state.rates.length - 1;
  },
};

function verdict(losses, rates, now) {
  const best = losses.indexOf(Math.min(...losses));
  const told = losses[now] > losses[0] ? "Too far: it is worse than before" : now === best ? "Of these rates, none brings it lower" : now > best ? "Farther is no longer better" : "It goes down";
  return `Each number has lost ${rates[now]} times its slope, and the loss is ${number(losses[now], 3)} instead of ${number(losses[0], 3)}. ${told}.`;
}

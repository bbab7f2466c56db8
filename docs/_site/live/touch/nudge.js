/* One number w, a loss, and nudges down the slope, as large as the reader likes. */

import { at, number, says, slider } from "./draw.js";

const [LOW, HIGH, TOP] = [-3, 9, 16]; // of w, and of the loss
const [x, y] = [(w) => at(20 + (210 / (HIGH - LOW)) * (w - LOW)), (loss) => at(150 - (125 / TOP) * loss)];
const lossOf = (w, best) => (w - best) ** 2;

/** state: best (where the loss is 0), path (the numbers w so far), rate (the learning rate). */
export const nudge = {
  view({ best, path, rate }) {
    const w = path.at(-1);
    const slope = 2 * (w - best);
    const points = [];
    for (let v = LOW; v <= HIGH; v += 0.1) if (lossOf(v, best) <= TOP + 2) points.push(`${x(v)},${y(lossOf(v, best))}`);
    const seen = path.slice(-12).filter((v) => v >= LOW && v <= HIGH && lossOf(v, best) <= TOP + 2);
    const steps = seen.map((v) => `${x(v)},${y(lossOf(v, best))}`);
    const [left, right] = [w - 1.2, w + 1.2];
    const line = (v) => lossOf(w, best) + slope * (v - w);
    const visible = seen.at(-1) === w;
    const outside = w < best ? '<text class="q text" x="24" y="125">← outside</text>' : '<text class="q text end" x="233" y="125">outside →</text>';
    return `<svg viewBox="0 0 250 178" style="max-width:28em" role="img" aria-label="The loss against the number w: a valley. Points show the nudges so far.">
      <path class="axis" d="M20 15V150H235"/><text class="small soft" x="24" y="20">loss</text><text class="small soft end" x="235" y="163">w</text>
      <text class="small soft middle" x="${x(best)}" y="163">${best}</text><text class="small soft middle" x="${x(0)}" y="163">0</text>
      <polyline class="line" style="stroke-width:2;stroke:var(--md-default-fg-color--light)" points="${points.join(" ")}"/>
      ${visible ? `<path class="k stroke dashed" style="stroke-width:1.5" d="M${x(left)} ${y(line(left))}L${x(right)} ${y(line(right))}"/>` : ""}
      <polyline class="q stroke faint" style="stroke-width:1.5" points="${steps.join(" ")}"/>
      ${seen.map((v, i) => dot(v, best, visible && i === seen.length - 1)).join("")}${visible ? "" : outside}</svg>
      <div class="controls">${slider("Learning rate", "rate", rate, [0.05, 1.1, 0.05], number(rate))}
      <button data-do="nudge" data-value="1">Nudge</button><button data-do="nudge" data-value="10">Ten nudges</button>
      <button data-do="again">Start again</button></div>
      ${says(`After ${path.length - 1} ${path.length === 2 ? "nudge" : "nudges"}, w = ${shown(w)} and the loss is ${shown(lossOf(w, best))}. The slope is ${shown(slope)}, so the next nudge
        takes w to ${shown(w)} − ${number(rate)} · (${shown(slope)}) = ${shown(w - rate * slope)}.${rate > 1 ? " Each nudge overshoots more than the last: this training never ends well." : path.length > 1 && Math.abs(w - path[0]) < 1e-9 && w !== best ? " It is back where it began." : ""}`)}`;
  },

  act(state, name, times) {
    for (let i = 0; i < times && Math.abs(state.path.at(-1)) < 1e6; i++) {
      const w = state.path.at(-1);
      state.path.push(w - state.rate * 2 * (w - state.best));
    }
  },

  seen: ({ path, rate }, start) => path.length > 1 && rate !== start.rate,
};

const dot = (w, best, now) => `<circle class="q fill ${now ? "" : "faint"}" cx="${x(w)}" cy="${y(lossOf(w, best))}" r="${now ? 6 : 3}"/>`;
const shown = (number_) => number(number_, Math.abs(number_) >= 100 ? 0 : 3);

/* A table of numbers, and how much of it a network of so many ReLUs can answer. */

import { at, between, check, says, slider } from "./draw.js";

const [LEFT, BASE, WIDE, UNIT] = [22, 150, 34, 13];
const [x, y] = [(place) => at(LEFT + WIDE * place), (height) => at(BASE - UNIT * height)];

/** state: table (an answer for each of 0, 1, 2, ...), alarms (how many ReLUs), parts: whether each is drawn. */
export const bends = {
  view({ table, alarms, parts }) {
    const start = table[0];
    const sayings = changes(table).slice(0, alarms);
    const answer = (at_) => start + sayings.reduce((total, c, i) => total + c * Math.max(0, at_ - i), 0);
    const right = table.filter((value, place) => Math.abs(answer(place) - value) < 1e-9).length;
    const line = (f) => table.map((_, place) => `${x(place)},${y(f(place))}`).join(" ");
    const drawn = sayings.map((c, i) => `<polyline class="q stroke faint" style="stroke-width:1.2" points="${line((p) => c * Math.max(0, p - i))}"/>`);
    const points = table.map((value, place) => `<g data-handle="${place}" class="k"><circle class="grip" cx="${x(place)}" cy="${y(value)}" r="10"/>
      <circle class="fill" cx="${x(place)}" cy="${y(value)}" r="3.5"/></g>
      <text class="small middle" x="${x(place)}" y="${y(value) - 12}">${value}</text><text class="small soft middle" x="${x(place)}" y="${BASE + 24}">${place}</text>`);
    const formula = sayings.map((c, i) => `${c < 0 ? "−" : "+"} ${Math.abs(c)} · max(0, x${i ? ` − ${i}` : ""})`).join(" ");
    return `<svg viewBox="0 0 ${LEFT + WIDE * (table.length - 1) + 16} 182" style="max-width:30em;overflow:hidden" role="img"
      aria-label="The table's answers as points, and what the network answers as a line with a bend for each ReLU.">
      <path class="axis" d="M${LEFT} 12V${BASE}H${x(table.length - 1) + 10}"/>
      <clipPath id="frame"><rect width="100%" height="${BASE + 12}"/></clipPath>
      <g clip-path="url(#frame)">${parts ? drawn.join("") : ""}<polyline class="v stroke" points="${line(answer)}"/></g>${points.join("")}</svg>
      <div class="controls">${slider("ReLUs", "alarms", alarms, [0, table.length - 1, 1], alarms)}
      ${check("show each by itself", "parts", parts)}<button data-do="again">Start again</button></div>
      <details><summary>The table in numbers</summary><div class="controls">${table.map((value, place) =>
        slider(`at ${place}`, `t${place}`, value, [0, 10, 1], value)).join("")}</div></details>
      ${says(`${right} of ${table.length} answers are right. The network answers ${start} ${formula}.`)}`;
  },

  set(state, field, value) {
    if (/^t\d/.test(field)) state.table[Number(field.slice(1))] = value;
    else state[field] = value;
  },

  drag(state, place, _, height) {
    state.table[Number(place)] = between(Math.round((BASE - height) / UNIT), 0, 10);
  },
};

/** By how much the slope changes at each place: what each ReLU must say. */
function changes(table) {
  const slopes = table.slice(1).map((value, i) => value - table[i]);
  return slopes.map((slope, i) => slope - (i ? slopes[i - 1] : 0));
}

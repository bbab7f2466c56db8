/* A table of numbers, and how much of it a network of so many alarms (ReLUs) can answer. */

import { at, between, check, number, says, slider } from "./draw.js";

const [LEFT, BASE, WIDE, UNIT] = [22, 150, 34, 13];
const [x, y] = [(place) => at(LEFT + WIDE * place), (height) => at(BASE - UNIT * height)];

/** state: table (an answer for each of 0, 1, 2, ...), alarms (how many), parts: whether each is drawn, place: where
    they are added up. */
export const bends = {
  view({ table, alarms, parts, place: here }) {
    const start = table[0];
    const needed = changes(table);
    const sayings = needed.slice(0, alarms);
    const answer = (at_) => start + sayings.reduce((total, [c, i]) => total + c * Math.max(0, at_ - i), 0);
    const right = table.filter((value, place) => Math.abs(answer(place) - value) < 1e-9).length;
    const line = (f) => table.map((_, place) => `${x(place)},${y(f(place))}`).join(" ");
    const ramps = sayings.map(([c, i]) => (p) => c * Math.max(0, p - i));
    const summands = ramps.map((ramp) => ramp(here)).filter((value) => value !== 0);
    const added = [start, ...summands.map((value) => `${value < 0 ? "−" : "+"} ${Math.abs(value)}`)].join(" ");
    const points = table.map((value, place) => `<g data-handle="${place}" class="k"><circle class="grip" cx="${x(place)}" cy="${y(value)}" r="10"/>
      <circle class="fill" cx="${x(place)}" cy="${y(value)}" r="3.5"/></g>
      <text class="small middle" x="${x(place)}" y="${y(value) - 12}">${value}</text><text class="small soft middle" x="${x(place)}" y="${BASE + 24}">${place}</text>`);
    const formula = sayings.map(([c, i]) => `${c < 0 ? "−" : "+"} ${Math.abs(c)} · max(0, s${i ? ` − ${i}` : ""})`).join(" ");
    return `<p class="title">The table, and the network's answers</p><svg viewBox="0 0 ${LEFT + WIDE * (table.length - 1) + 16} 182" style="max-width:30em;overflow:hidden" role="img"
      aria-label="The table's answers as points, and what the network answers as a line with a bend for each alarm.">
      <path class="axis" d="M${LEFT} 12V${BASE}H${x(table.length - 1) + 10}"/>${[0, 10].map((value) =>
        `<text class="small soft end" x="${LEFT - 11}" y="${y(value) + 3}">${value}</text>`).join("")}
      <clipPath id="frame"><rect width="100%" height="${BASE + 12}"/></clipPath>
      <g clip-path="url(#frame)"><polyline class="v stroke" points="${line(answer)}"/></g>${points.join("")}</svg>
      ${parts ? apart(table.length, [() => start, ...ramps], answer, here) : ""}
      <div class="controls">${slider("alarms", "alarms", alarms, [0, table.length - 1, 1], alarms)}
      ${check("show each by itself", "parts", parts)}${parts ? slider("add up at s =", "place", here, [0, table.length - 1, 1], here) : ""}<button data-do="again">Start again</button></div>
      <details><summary>The table in numbers</summary><div class="controls">${table.map((value, place) =>
        slider(`at ${place}`, `t${place}`, value, [0, 10, 1], value)).join("")}</div></details>
      ${says(`${right} of ${table.length} answers are right. This table needs ${needed.length} ${needed.length === 1 ? "alarm" : "alarms"}, and you use ${alarms}. The network answers ${start} ${formula}.${parts
        ? ` At s = ${here} that is ${added}${summands.length ? ` = ${number(answer(here), 0)}` : ""}.` : ""}`)}`;
  },

  set(state, field, value) {
    if (/^t\d/.test(field)) state.table[Number(field.slice(1))] = value;
    else state[field] = value;
  },

  drag(state, place, _, height) {
    state.table[Number(place)] = between(Math.round((BASE - height) / UNIT), 0, 10);
  },
};

/** Where the slope changes, and by how much: what each alarm must say, and where its ramp begins. */
function changes(table) {
  const slopes = table.slice(1).map((value, i) => value - table[i]);
  return slopes.map((slope, i) => [slope - (i ? slopes[i - 1] : 0), i]).filter(([change]) => change);
}

/** The ramps, the number that the network starts with, and their sum, all on one scale. */
function apart(count, parts, answer, here) {
  const places = Array.from({ length: count }, (_, p) => p);
  const values = [...parts, answer].flatMap((f) => places.map(f));
  const [low, high, tall] = [Math.min(-5, ...values), Math.max(10, ...values), 150];
  const height = (value) => at(12 + (tall * (high - value)) / (high - low));
  const line = (f) => places.map((p) => `${x(p)},${height(f(p))}`).join(" ");
  const names = [low, 0, high].map((value) => `<text class="small soft end" x="${LEFT - 4}" y="${height(value) + 3}">${number(value, 0)}</text>`);
  const drawn = parts.map((f, i) => `<polyline class="q stroke ${i ? "" : "dashed"}" style="stroke-width:1.4" points="${line(f)}"/>`);
  const dots = parts.map((f) => `<circle class="q fill" cx="${x(here)}" cy="${height(f(here))}" r="2.5"/>`);
  return `<p class="title">The same line on a smaller scale, with the ramps that add up to it</p>
    <svg viewBox="0 0 ${LEFT + WIDE * (count - 1) + 16} ${tall + 24}" style="max-width:30em" role="img"
    aria-label="The ramp of each alarm as a thin line, the number that the network starts with as a dashed one, and their sum as a thick one.">
    <path class="axis" d="M${LEFT} 12V${12 + tall}M${LEFT} ${height(0)}H${x(count - 1) + 10}"/><path class="line" d="M${x(here)} 12V${12 + tall}"/>
    ${names.join("")}${drawn.join("")}<polyline class="v stroke" points="${line(answer)}"/>${dots.join("")}
    <circle class="v fill" cx="${x(here)}" cy="${height(answer(here))}" r="4"/></svg>`;
}

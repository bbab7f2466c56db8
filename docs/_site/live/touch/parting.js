/* The j of three months, one point at first, on its way through the encoder; any of the three can be put into the text of another. */

import { escape } from "../html.js";
import { arrow, at, player, says, slider } from "./draw.js";

const [WIDE, SCALE, MIDDLE, TOP, BOX] = [300, 20, 142, 18, 20]; // of the drawing
const COLOURS = ["q", "k", "v"];
const TOGETHER = 2; // up to this step nobody has looked around
const ADDING = [3, 5]; // the steps in which a part adds something to the letter
const SLOW = 3; // so many pictures for a step, when they walk by themselves

/** state: months, named (a month's number → the month), text, points (step → month → where it is in the plane), written (step → month →
 * what the machine writes if its j is put into the text), says (a sentence for each step), step (from 1), put (whose j is in the text),
 * playing. */
export const parting = {
  view(state) {
    const { months, text, points, written, step, put, playing } = state;
    const low = Math.min(...points.flat().map(([, y]) => y));
    const high = Math.max(...points.flat().map(([, y]) => y));
    const place = ([x, y]) => [at(MIDDLE + SCALE * x), at(TOP + SCALE * (y - low))];
    const row = TOP + SCALE * (high - low) + 32;
    const left = (WIDE - BOX * text.length) / 2;
    const now = points[step - 1].map(place);
    const start = place(points[TOGETHER - 1][0]);
    const together = step <= TOGETHER;
    const trails = months.map((_, i) => {
      const way = points.slice(0, step).map((point) => place(point[i]));
      const last = ADDING.includes(step) ? arrow(way.at(-2), short(way.at(-2), now[i]), COLOURS[i]) : "";
      return `<g class="${COLOURS[i]}"><polyline class="stroke" style="stroke-width:1.2;opacity:.3" points="${(last ? way.slice(0, -1) : way).join(" ")}"/></g><g>${last}</g>`;
    });
    const outward = (i) => (points[step - 1][i][0] < -1 ? -1 : 1);
    const dots = months.map((month, i) => `<g class="${COLOURS[i]} turns" style="cursor:pointer;transform:translate(${now[i][0]}px,${now[i][1]}px)" data-do="put" data-value="${i}">
      <circle class="fill" r="${together ? 17 - 4 * i : 10}"/><text class="middle" y="4" style="fill:var(--md-default-bg-color);font-weight:700">${together && i < 2 ? "" : text[0]}</text>
      <text class="text${outward(i) < 0 && !together ? " end" : ""}" style="paint-order:stroke;stroke:var(--md-default-bg-color);stroke-width:3px" x="${together ? 24 : 15 * outward(i)}" y="${together ? 15 * i - 11 : 4}">${escape(month)}</text></g>`);
    const boxes = [...text].map((c, i) => `<rect class="line" x="${at(left + BOX * i)}" y="${row}" width="${BOX}" height="24"${i ? "" : ' stroke-dasharray="3 2"'}/>
      <text class="middle" x="${at(left + BOX * (i + 0.5))}" y="${row + 16}">${i ? shown(c) : ""}</text>`);
    const falling = months.map((_, i) => `<g class="${COLOURS[i]} ${put === i ? "drops" : ""}" style="--x:${at(now[i][0] - left - BOX / 2)}px;--y:${at(now[i][1] - row - 12)}px" ${put === i ? "" : "visibility=\"hidden\""}>
      <rect class="fill" x="${at(left)}" y="${row}" width="${BOX}" height="24" rx="3"/><text class="middle" x="${at(left + BOX / 2)}" y="${row + 16}" style="fill:var(--md-default-bg-color);font-weight:700">${text[0]}</text></g>`);
    const answer = put === null ? null : written[step - 1][put];
    const [year, month, day] = (answer ?? written[0][0]).split("-");
    return `<svg viewBox="-24 0 ${WIDE + 24} ${at(row + 76)}" style="max-width:32em" role="img" aria-label="${together ? "One point, which is the j of all three months"
      : "Three points, the j of each month, apart from each other"}. Below it the text, and what the machine writes.">
      <circle class="axis dashed" cx="${start[0]}" cy="${start[1]}" r="10" ${together ? 'visibility="hidden"' : ""}/>${trails.join("")}${dots.join("")}${boxes.join("")}${falling.join("")}<path class="axis" d="M${WIDE / 2} ${at(row + 30)}v14m-4 -5l4 5l4 -5"/>
      <text class="middle" style="font-size:16px" x="${WIDE / 2}" y="${at(row + 66)}">${year}-<tspan class="${put === null ? "soft" : `${COLOURS[months.indexOf(state.named[month])]} text`}">${put === null ? "??" : month}</tspan>-${day}</text></svg>
      <div class="controls">${slider("Step", "step", step, [1, points.length, 1], step)}${player("Let them walk", playing)}</div>
      <div class="controls"><span>Put into the text the j of</span>${months.map((name, i) => `<button data-do="put" data-value="${i}" aria-pressed="${put === i}">${escape(name)}</button>`).join("")}
      <button data-do="again">Start again</button></div>
      ${says(`${state.says[step - 1]} ${answer === null ? "" : `With the j of ${escape(months[put])} the machine writes ${answer}.`}`)}`;
  },

  act(state, name, value) {
    state.put = value;
  },

  /** Walk on, or begin again at the first step; say whether there is more to come. */
  play(state) {
    const last = state.points.length;
    state.waited = ((state.waited ?? SLOW - 1) + 1) % SLOW;
    if (state.waited === 0) state.step = (state.step % last) + 1;
    if (state.step === last) state.waited = undefined;
    return state.step < last;
  },

  seen: ({ put, step, points }) => put !== null && step === points.length,
};

const shown = (c) => (c === " " ? "" : escape(c));

/** Where an arrow ends that must not hide under the dot. */
function short([x0, y0], [x1, y1]) {
  const left = 1 - 11 / Math.hypot(x1 - x0, y1 - y0);
  return [x0 + left * (x1 - x0), y0 + left * (y1 - y0)];
}

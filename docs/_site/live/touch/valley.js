/* A valley of two numbers, seen from above: sixty plain nudges or sixty of Adam, with a learning rate that the reader finds. */

import { arrow, at, number, says, slider } from "./draw.js";

const RATES = [0.005, 0.01, 0.015, 0.019, 0.02, 0.021, 0.05, 0.1, 0.2, 0.5, 1];
const STEEP = [1, 4, 25, 100]; // as many times as along
const [NUDGES, BETA_1, BETA_2] = [60, 0.9, 0.98];
const [LEFT, TOP, ZOOM] = [230, 75, 48]; // where the lowest point is
const NAMES = { plain: "plain nudges", adam: "Adam" };

/** state: start (along and across the valley), how (which nudges), plain and adam (their learning rates, as places in RATES), steep
    (a place in STEEP), turn (by how many degrees the machine's two numbers, x and y, point aslant; without it nothing can be turned) and
    both (whether the other path is shown, too). */
export const valley = {
  view({ start, how, steep, turn, both, ...rates }) {
    const slopes = [1, STEEP[steep]];
    const lossOf = (w) => (slopes[0] * w[0] ** 2 + slopes[1] * w[1] ** 2) / 2;
    const rate = RATES[rates[how]];
    const paths = Object.fromEntries(Object.keys(NAMES).map((name) => [name, path(name, start, slopes, RATES[rates[name]], turn ?? 0)]));
    const rings = [0.8, 0.3, 0.1, 0.025, 0.0025].map((share) => {
      const [rx, ry] = slopes.map((slope) => at(ZOOM * Math.sqrt((2 * share * lossOf(start)) / slope)));
      return `<ellipse class="line" cx="${LEFT}" cy="${TOP}" rx="${rx}" ry="${ry}"/>`;
    });
    const drawn = Object.keys(NAMES).sort((a) => (a === how ? 1 : -1)).filter((name) => both || name === how);
    const buttons = Object.keys(NAMES).map((name) => `<button data-do="${name}" aria-pressed="${name === how}">${NAMES[name]}</button>`);
    const end = paths[how].at(-1);
    const told = lossOf(end) > lossOf(start) ? "they have flown out of the valley" : `it is ${number(lossOf(end), 3)}`;
    return `<svg viewBox="0 0 300 150" style="max-width:36em;overflow:hidden" role="img" aria-label="A valley from above: rings of equal loss around a cross, and the path of sixty nudges.">
      ${rings.join("")}<path class="axis" style="stroke-width:2" d="M${LEFT - 5} ${TOP - 5}l10 10m0 -10l-10 10"/>
      ${drawn.map((name) => line(paths[name], name === "plain" ? "k" : "q", name === how)).join("")}${turn === undefined ? "" : compass(turn)}</svg>
      <div class="controls">${buttons.join("")}${slider("Learning rate", how, rates[how], [0, RATES.length - 1, 1], rate)}
      ${slider("Steeper across", "steep", steep, [0, STEEP.length - 1, 1], steep > 0 ? `${STEEP[steep]} times` : "1 time")}
      ${turn === undefined ? "" : slider("x and y turned", "turn", turn, [0, 45, 15], `${turn}°`)}<button data-do="again">Start again</button></div>
      ${says(`${how === "adam" ? "Adam" : "Plain nudges"} with a learning rate of ${rate}: the loss was ${number(lossOf(start), 1)} at the start, and after ${NUDGES} nudges ${told}.`)}`;
  },

  act(state, how) {
    Object.assign(state, { how, both: state.both || how !== state.how });
  },

  seen: ({ plain }) => RATES[plain] > 0.02, // it flies out
};

function path(how, start, slopes, rate, turn) {
  const points = [start];
  const [mean, square] = [[0, 0], [0, 0]];
  for (let step = 1; step <= NUDGES && points.at(-1).every((x) => Math.abs(x) < 1e6); step++) {
    const last = points.at(-1);
    const nudge = aslant(last.map((w, i) => slopes[i] * w), -turn).map((slope, i) => {
      if (how === "plain") return rate * slope;
      mean[i] = BETA_1 * mean[i] + (1 - BETA_1) * slope;
      square[i] = BETA_2 * square[i] + (1 - BETA_2) * slope ** 2;
      const usual = Math.sqrt(square[i] / (1 - BETA_2 ** step));
      return (rate * mean[i]) / (1 - BETA_1 ** step) / usual;
    });
    const moved = aslant(nudge, turn);
    points.push(last.map((w, i) => w - moved[i]));
  }
  return points;
}

function aslant([x, y], degrees) {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return [cos * x - sin * y, sin * x + cos * y];
}

/** Which way the machine's two numbers point. */
function compass(turn) {
  const [x0, y0] = [262, 126];
  return [["x", [1, 0]], ["y", [0, 1]]].map(([name, unit]) => {
    const [dx, dy] = aslant(unit, turn);
    return `${arrow([x0, y0], [x0 + 20 * dx, y0 - 20 * dy], "n")}<text class="small middle" x="${at(x0 + 28 * dx)}" y="${at(y0 - 28 * dy + 3)}">${name}</text>`;
  }).join("");
}

function line(points, kind, chosen) {
  const places = points.map((w) => [at(LEFT + ZOOM * w[0]), at(TOP - ZOOM * w[1])]);
  const dots = places.map(([x, y]) => `<circle class="fill" cx="${x}" cy="${y}" r="${chosen ? 2 : 1.2}"/>`);
  return `<g class="${kind} ${chosen ? "" : "faint"}"><polyline class="stroke" style="stroke-width:1" points="${places.join(" ")}"/>${dots.join("")}</g>`;
}

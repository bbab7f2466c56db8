/* One letter in many texts, as points on a plane: a single point in the table, a few with their place, and in groups by
   what they mean when they have passed the encoder. */

import { escape } from "../html.js";
import { at, says } from "./draw.js";

const [WIDE, EDGE, BAR, LEFT] = [300, 16, 3.4, 78]; // of the drawing
const COLOURS = ["q", "k", "v"];
const SHAPES = [
  (r) => `<circle class="fill" r="${r}"/>`,
  (r) => `<rect class="fill" x="${at(-0.9 * r)}" y="${at(-0.9 * r)}" width="${at(1.8 * r)}" height="${at(1.8 * r)}"/>`,
  (r) => `<path class="fill" d="M0 ${at(-1.25 * r)}L${at(1.2 * r)} ${at(0.85 * r)}H${at(-1.2 * r)}Z"/>`,
];

/** state: kinds (what the letter can mean), texts, places (of the letter in each text), kind (of each letter), steps (for each one its
 * name, a sentence, and where the letters are in the plane), the first two letters being those that the page names, rows (for each step
 * the numbers of these two), step (from 0), chosen (a letter, or null). */
export const meaning = {
  view(state) {
    const { kinds, texts, places, kind, steps, rows, step, chosen } = state;
    const all = steps.flatMap(({ points }) => points);
    const [xs, ys] = [0, 1].map((axis) => all.map((point) => point[axis]));
    const [low, high] = [Math.min(...ys), Math.max(...ys)];
    const scale = (WIDE - 2 * EDGE) / (Math.max(...xs) - Math.min(...xs));
    const place = ([x, y]) => [at(EDGE + scale * (x - Math.min(...xs))), at(EDGE + scale * (high - y))];
    const now = steps[step].points.map(place);
    const parted = step === steps.length - 1;
    const dots = now.map(([x, y], i) => `<g class="${COLOURS[kind[i]]} turns" style="cursor:pointer;transition-duration:.9s;transform:translate(${x}px,${y}px)" data-do="choose" data-value="${i}">
      ${SHAPES[kind[i]](3.6)}<circle r="9" fill="transparent"/></g>`);
    // those that the page names lie above the others, with their texts beside them
    const rings = [...(chosen > 1 ? [chosen] : []), 0, 1].map((i) => {
      const [x, y] = now[i];
      const label = i > 1 && !parted ? "" : `<text class="text${parted ? "" : " end"}" style="paint-order:stroke;stroke:var(--ca-stage,var(--md-default-bg-color));stroke-width:3px" x="${parted ? 11 : -11}" y="${parted ? 4 : 18 * i - 5}">${marked(texts[i], places[i])}</text>`;
      return `<g class="${COLOURS[kind[i]]} turns" style="pointer-events:none;transition-duration:.9s;transform:translate(${x}px,${y}px)">
        <circle r="6.5" style="fill:none;stroke:currentColor;stroke-width:1.6"/>${SHAPES[kind[i]](4)}${label}</g>`;
    });
    const names = kinds.map((name, k) => {
      const group = now.filter((_, i) => kind[i] === k && i > 1);
      const [left, right] = [Math.min, Math.max].map((most) => most(...group.map(([x]) => x)));
      const onLeft = left > WIDE / 2; // the name stands where there is room
      return `<text class="${COLOURS[k]} text ${onLeft ? "end" : ""}" style="font-size:14px" x="${onLeft ? left - 7 : right + 7}" y="${at(Math.max(...group.map(([, y]) => y)) + 5)}">${escape(name)}s</text>`;
    });
    const floor = at(2 * EDGE + scale * (high - low));
    const most = Math.max(...rows.flat(2).map(Math.abs));
    const strips = rows[step].map((numbers, i) => `<g class="${COLOURS[kind[i]]}"><text x="0" y="${floor + 14 + 26 * i}">${marked(texts[i], places[i])}</text></g>${numbers.map((x, n) =>
      `<rect class="n fill" x="${at(LEFT + BAR * n)}" y="${at(floor + 10 + 26 * i - 15 * Math.max(x, 0) / most)}" width="${BAR - 0.8}" height="${at(15 * Math.abs(x) / most)}"/>`).join("")}`);
    const legend = kinds.map((name, k) => `<span><svg class="${COLOURS[k]}" viewBox="-6 -6 12 12" style="display:inline;width:.9em;height:.9em;vertical-align:-.05em" aria-hidden="true">${SHAPES[k](5)}</svg> ${escape(name)}</span>`);
    const alike = JSON.stringify(rows[step][0]) === JSON.stringify(rows[step][1]);
    return `<div class="controls"><span role="group" aria-label="Show the points">${steps.map(({ name }, n) =>
      `<button data-do="step" data-value="${n}" aria-pressed="${n === step}">${escape(name)}</button>`).join(" ")}</span><span style="column-gap:.9em">${legend.join("")}</span><button data-do="next">Another date</button></div>
      <svg viewBox="0 0 ${WIDE} ${floor + 52}" style="max-width:24em" role="img" aria-label="${escape(steps[step].seen)} Below, the 64 numbers of two of them, which are ${alike ? "the same" : "different"}.">
      <g>${dots.join("")}</g><g>${rings.join("")}</g><g ${parted ? "" : 'visibility="hidden"'}>${names.join("")}</g>${strips.join("")}</svg>
      ${says(chosen === null ? escape(steps[step].says) : `In “${marked(texts[chosen], places[chosen], COLOURS[kind[chosen]])}” the ${escape(texts[chosen][places[chosen]])} belongs to the ${escape(kinds[kind[chosen]])}.`)}`;
  },

  act(state, name, value) {
    if (name === "step") [state.step, state.chosen] = [value, null];
    else if (name === "choose") state.chosen = value;
    else state.chosen = ((state.chosen ?? 1) + 1) % state.texts.length;
  },

  seen: ({ step, steps }) => step === steps.length - 1,
};

/** A text in which one letter stands out. */
function marked(text, place, colour) {
  const parts = [text.slice(0, place), text[place], text.slice(place + 1)].map(escape);
  return colour ? `${parts[0]}<u class="${colour}" style="color:var(--tint)">${parts[1]}</u>${parts[2]}`
    : `<tspan style="font-weight:400;fill:currentColor">${parts[0]}</tspan><tspan style="font-weight:700;text-decoration:underline">${parts[1]}</tspan><tspan style="font-weight:400;fill:currentColor">${parts[2]}</tspan>`;
}

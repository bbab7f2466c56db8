/* A text with three clocks under each letter: the same letter at two places has its hands elsewhere. */

import { escape } from "../html.js";
import { at, number, player, says, slider } from "./draw.js";

const [WIDE, RADIUS, HIGH, TOP] = [34, 13, 32, 60]; // of a column, a dial, a row of dials, and where the dials begin
const [LONGEST, FARTHEST, LEFT] = [12, 90, 34];
const SPEEDS = [1, 0.1, 0.01];

const named = (letter) => (letter === " " ? "␣" : escape(letter));

/** state: text, chosen (a letter whose equals are marked), moved (how many places stand before the text), playing. */
export const clocks = {
  view({ text, chosen, moved, playing }) {
    const sign = text[chosen] ?? "";
    const equal = [...text].flatMap((c, i) => (c === sign ? [i] : []));
    const columns = [...text].map((c, i) => column(c, i, moved + i, c === sign));
    const width = LEFT + WIDE * Math.max(text.length, 6);
    const rows = SPEEDS.map((_, d) => `<text class="small soft" x="0" y="${TOP + HIGH * (d + 0.5) + 3}">dial ${d}</text>`);
    const places = equal.map((i) => moved + i);
    const listed = places.length > 1 ? `places ${places.slice(0, -1).join(", ")} and ${places.at(-1)}` : `place ${places[0]}`;
    return `<svg viewBox="0 0 ${width} ${TOP + HIGH * SPEEDS.length + 4}" style="max-width:${at(width / 10.5)}em" role="img" aria-label="The text, and under each of its letters three dials: a fast
      one, one that is ten times as slow, and one that is a hundred times as slow."><text class="small soft" x="0" y="50">place</text>${rows.join("")}${columns.join("")}</svg>
      <div class="controls"><label>Text <input type="text" data-field="text" value="${escape(text)}" maxlength="${LONGEST}" style="width:9em" autocomplete="off"></label>
      ${slider("Letter", "chosen", chosen, [0, Math.max(text.length - 1, 0), 1], named(sign))}${slider("Push it to the right", "moved", moved, [0, FARTHEST, 1], moved)}${player("Let it walk", playing)}</div>
      ${says(!sign ? "Type a text." : `“${named(sign)}” stands at ${listed}. ${equal.length > 1 ? "It is the same letter, but each time the clocks show something else." : "Press another letter."}`)}`;
  },

  set(state, field, value) {
    state[field] = value;
    state.chosen = Math.min(state.chosen, Math.max(state.text.length - 1, 0));
  },

  act(state, name, value) {
    state.chosen = value;
  },

  /** Push the text one place to the right, or back to where the row begins; say whether it can go further. */
  play(state) {
    state.moved = (state.moved + 1) % (FARTHEST + 1);
    return state.moved < FARTHEST;
  },

  seen: ({ moved }, start) => moved !== start.moved,
};

function column(letter, i, place, marked) {
  const x = LEFT + WIDE * (i + 0.5);
  const dials = SPEEDS.map((speed, d) => {
    const y = TOP + HIGH * (d + 0.5);
    const turned = (speed * place * 180) / Math.PI; // not brought back below a full turn, so that the hand goes on and never whirls back
    return `<circle class="${marked ? "axis" : "line"}" cx="${x}" cy="${y}" r="${RADIUS}"/>
      <g class="turns ${marked ? "k" : "n"}" style="transform-origin:${x}px ${y}px;transform:rotate(${at(-turned)}deg)"><line class="stroke" style="stroke-width:${marked ? 2.5 : 1.5}" x1="${x}" y1="${y}" x2="${x + RADIUS - 1}" y2="${y}"/></g>`;
  });
  return `<g data-do="choose" data-value="${i}" style="cursor:pointer" class="${marked ? "k" : "n"}">
    <rect class="${marked ? "grip" : "line"}" x="${x - 13}" y="6" width="26" height="26" rx="4"/><text class="middle ${marked ? "k text" : ""}" style="font-size:14px" x="${x}" y="24">${named(letter)}</text>
    <text class="small soft middle" x="${x}" y="50">${number(place, 0)}</text>${dials.join("")}</g>`;
}

/* A query and a key that know their places: turned by them, or with the hand of the place added, as the whole text moves. */

import { arrow, at, distance, number, player, says, slider } from "./draw.js";

const [QUERY, KEY, UNIT] = [2, 1, 30]; // how long the two are, and a length of 1 in the drawing

/** state: step (degrees from place to place), length (of the text), query and key (places in the text), moved (where the
 * text begins), added (1 if the hand of the place is added, 0 if the place turns), playing (whether the text walks by itself). */
export const turning = {
  view({ step, length, query, key, moved, added, playing }) {
    const tip = (own, place) => vector(own, step * place, added);
    const product = (a, b) => tip(QUERY, a)[0] * tip(KEY, b)[0] + tip(QUERY, a)[1] * tip(KEY, b)[1];
    const [a, b] = [query + moved, key + moved];
    const apart = (((((a - b) * step + 180) % 360) + 360) % 360) - 180;
    const way = (value, label) => `<button data-do="added" data-value="${value}" aria-pressed="${value === added}">${label}</button>`;
    return `<div class="controls" role="group" aria-label="What the place does"><span>The place</span>${way(0, "turns the vector")}${way(1, "is added to it")}</div>
      <div class="panels"><div style="max-width:13em">${added ? sums(tip, [a, b]) : dial(tip, [a, b], apart)}</div>
      <div class="wide">${row(length, moved, [a, b], (place) => product(a, place), added ? 0 : 38)}</div></div>
      <div class="controls"><span class="q">${slider("Place of the query", "query", query, [0, length - 1, 1], query)}</span>
      <span class="k">${slider("Place of the key", "key", key, [0, length - 1, 1], key)}</span>
      ${slider("Move the text by", "moved", moved, [0, length, 1], moved)}${player("Let the text walk", playing)}</div>
      ${added ? '<p class="hint">Dashed: the hand of the place, added at the tip of the letter\'s own vector.</p>' : ""}
      ${says(`The query is at ${a}, the key at ${b}: ${distance(b - a)}. ${added ? "" : `The angle between them is ${Math.abs(apart)}°. `}The product is ${number(product(a, b))}.`)}`;
  },

  act(state, name, value) {
    state[name] = value;
  },

  /** Move the text one place further, or from the end back to place 0; say whether it can go further. */
  play(state) {
    state.moved = (state.moved + 1) % (state.length + 1);
    return state.moved < state.length;
  },

  seen: ({ moved }, start) => moved !== start.moved,
};

function vector(own, degrees, added) {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return added ? [own + cos, sin] : [own * cos, own * sin];
}

const shown = ([x, y]) => [at(UNIT * x), at(-UNIT * y)];

const drawing = (left, label, drawn) =>
  `<svg viewBox="${left} -68 164 136" role="img" aria-label="${label}"><path class="line" d="M-66 0H66M0 -66V66"/>${drawn}</svg>`;

function dial(tip, [a, b], apart) {
  const [query, key] = [shown(tip(QUERY, a)), shown(tip(KEY, b))];
  const rounds = [QUERY, KEY].map((own) => `<circle class="line" cx="0" cy="0" r="${own * UNIT}"/>`);
  const arc = `<path class="axis" d="M${key.map((x) => at(0.5 * x)).join(" ")}A15 15 0 0 ${apart > 0 ? 0 : 1} ${query.map((x) => at(0.25 * x)).join(" ")}"/>`;
  return drawing(-82, "The query and the key as two hands of a dial, each turned by its place.",
    rounds.join("") + arc + arrow([0, 0], query, "q") + arrow([0, 0], key, "k"));
}

function sums(tip, places) {
  const drawn = [[QUERY, "q"], [KEY, "k"]].map(([own, kind], i) => {
    const end = shown(tip(own, places[i]));
    return `<circle class="${kind} stroke" style="stroke-width:1;opacity:.45" cx="${own * UNIT}" cy="0" r="${UNIT}"/>
      <path class="axis dashed" d="M${own * UNIT} 0L${end.join(" ")}"/>${arrow([0, 0], end, kind)}`;
  });
  return drawing(-70, "The query and the key, each with the hand of its place added.", drawn.join(""));
}

/* The text in a row of places, and the product of the query with a key at each of its places; nothing is drawn above top. */
function row(length, moved, [a, b], product, top) {
  const [wide, zero, high] = [322 / (2 * length), 76, 11];
  const x = (place) => at(4 + wide * place);
  const bars = Array.from({ length }, (_, i) => {
    const height = high * product(moved + i);
    const kind = moved + i === b ? "k fill" : "k fill faint";
    return `<rect class="${kind}" x="${x(moved + i)}" y="${at(zero - Math.max(height, 0))}" width="${at(wide - 1)}" height="${at(Math.abs(height))}"/>`;
  });
  const mark = (place, kind, y) => `<rect class="${kind} fill" x="${x(place)}" y="${y}" width="${at(wide - 1)}" height="7"/>`;
  return `<svg viewBox="0 ${top} 344 ${140 - top}" role="img" aria-label="The row of places with the text in it, and at each place of the text a bar:
    the product that a key at this place has with the query."><text class="small soft" x="4" y="${top + 8}">product with a key at each place of the text</text>
    ${[4, 2, 0, -2].filter((n) => zero - high * n > top + 12).map((n) => `<path class="line" d="M4 ${zero - high * n}H326"/><text class="small soft" x="330" y="${zero - high * n + 3}">${number(n, 0)}</text>`).join("")}${bars.join("")}
    <rect class="axis" x="${at(x(moved) - 1)}" y="106" width="${at(wide * length + 1)}" height="16"/>${mark(a, "q", 107)}${mark(b, "k", 114)}
    <text class="small soft" x="4" y="134">place 0</text><text class="small soft end" x="326" y="134">place ${2 * length - 1}</text>
    <text class="small soft middle" x="${at(x(moved) + (wide * length) / 2)}" y="134">the text</text></svg>`;
}

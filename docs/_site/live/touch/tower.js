/* How much of a letter is left on its way up two towers, drawn as right angles: the letter is the first leg, each part adds a leg
   at a right angle to the sum so far, and the sum is the hypotenuse. With a norm after each part the figure shrinks. */

import { at, number, player, says, slider } from "./draw.js";

const TALLEST = 24;
const [WIDTH, HEIGHT, UNIT, ROOM, LAST, FLOOR] = [460, 300, 62, 268, 84, 266];
const FINEST = 0.004; // of the sum: a smaller triangle is not drawn

/** state: layers (each has two parts), adds (the size of what a part adds to a letter of size 1), height (after how many parts),
    playing. */
export const tower = {
  view({ layers, adds, height, playing }) {
    const parts = 2 * layers;
    const reach = frame(spiral(parts, adds, true));
    const unit = Math.min(UNIT, ROOM / Math.max(reach.wide, reach.high)); // the largest sum must find room
    const middle = [at(WIDTH - 8 - unit * reach.right), at(FLOOR / 2 + (unit * (reach.top + reach.bottom)) / 2)];
    const [last, first] = [share(height, adds, false), share(height, adds, true)];
    const hub = [LAST, at(FLOOR / 2)];
    const shell = spiral(height, adds, false);
    const grown = (1 + adds ** 2) ** (height / 2);
    const total = Math.sqrt(1 + height * adds ** 2);
    return `<div class="controls"><button data-do="higher" ${height === parts ? "disabled" : ""}>One part higher</button>${player("Climb", playing)}<button
      data-do="top">To the top</button><button data-do="again">Start again</button></div>
      <svg class="angles" viewBox="0 0 ${WIDTH} ${HEIGHT}" style="max-width:40em" role="img" aria-label="Two figures of right-angled triangles. In each the letter is
      the first leg, each part adds a leg at a right angle to the sum so far, and the sum is the hypotenuse. With a norm after each part the figure shrinks until
      the sum is 1, like a snail shell: the letter is ${percent(last)} as long as the sum. With one norm at the top the letter stays 1 and the sum grows to ${number(total)}: the
      letter is ${percent(first)} as long.">
      <g transform="translate(${hub})"><circle class="line dashed" r="${at(unit)}"/>
        <g class="turns" style="transition:none;transform:scale(${unit / grown})">${fan(shell)}${ends(shell)}</g></g>
      <g transform="translate(${middle}) scale(${unit})">${fan(spiral(height, adds, true))}${ends(spiral(height, adds, true))}</g>
      <text class="small soft middle" x="${LAST}" y="${at(FLOOR / 2 - unit - 7)}">size 1</text>
      ${caption(LAST, "norm each time", last, 1, last)}${caption(at(Math.max(WIDTH - 4 - (unit * reach.wide) / 2, 270)), "one norm, at the top", 1, total, first)}</svg>
      ${says(`After ${height} of ${parts} parts: with a norm after each part the letter is ${percent(last)} as long as the sum, and with one norm at the top ${percent(first)}.`)}
      <p class="hint">Only lengths count here. In truth each part has a direction of its own.</p>
      <div class="controls">${slider("Layers", "layers", layers, [1, TALLEST, 1], layers)}${slider("A part adds", "adds", adds, [0.05, 1.5, 0.05], number(adds))}</div>`;
  },

  act(state, name) {
    state.height = name === "top" ? 2 * state.layers : state.height + 1;
  },

  /** A tower that becomes taller or lower keeps the reader at its top. */
  set(state, field, value) {
    const stood = state.height === 2 * state.layers;
    state[field] = value;
    state.height = stood ? 2 * state.layers : Math.min(state.height, 2 * state.layers);
  },

  /** Go one part higher, or from the top to the bottom; say whether there is one above. */
  play(state) {
    state.height = (state.height + 1) % (2 * state.layers + 1);
    return state.height < 2 * state.layers;
  },

  seen: ({ height, layers }) => height === 2 * layers,
};

/** Where the sum ends after each part, in units of the letter. What a part adds is a leg of size `adds` beside the letter, or, with
    the norm last, beside a sum that was brought to size 1. */
function spiral(parts, adds, first) {
  const points = [[1, 0]];
  for (let n = 0; n < parts; n++) {
    const [x, y] = points.at(-1);
    const leg = adds / (first ? Math.hypot(x, y) : 1);
    points.push([x - leg * y, y + leg * x]);
  }
  return points;
}

function frame(points) {
  const [xs, ys] = [0, 1].map((k) => [0, ...points.map((point) => point[k])]);
  const [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  return { right, top, bottom, wide: right - left, high: top - bottom };
}

/** The legs that parts added, and the sums between them. */
function fan(points) {
  const far = Math.hypot(...points.at(-1));
  const seen = points.filter((point) => Math.hypot(...point) > FINEST * far);
  const spokes = seen.slice(1).map((point) => `M0 0L${to(point)}`);
  return `<path class="spoke" d="${spokes.join("")}"/><path class="added" d="M${seen.map(to).join("L")}"/>`;
}

/** The letter and the sum, the two lengths to compare. */
const ends = (points) => `<path class="sum" d="M0 0L${to(points.at(-1))}"/><path class="letter" d="M0 0L1 0"/>`;

const to = ([x, y]) => `${Number(x.toPrecision(6))} ${Number((-y).toPrecision(6))}`;

const caption = (x, name, letter, total, left) => `<text class="middle" x="${x}" y="${FLOOR + 16}"><tspan font-weight="600">${name}: ${percent(left)}</tspan></text>
  <text class="small middle" x="${x}" y="${FLOOR + 30}"><tspan class="w text">letter ${length(letter)}</tspan>, sum ${number(total)}</text>`;

const length = (x) => (x < 0.00005 ? "nearly 0" : number(x, x < 0.095 ? 4 : 2));

/** Squares add up, since what is added has nothing to do with the letter. With the norm last, all is divided each time. */
function share(parts, adds, first) {
  return first ? 1 / Math.sqrt(1 + parts * adds ** 2) : (1 + adds ** 2) ** (-parts / 2);
}

function percent(x) {
  const value = 100 * x;
  if (value < 0.0001) return "under 0.0001 %";
  return `${number(value, value < 1 ? (value < 0.01 ? 4 : 2) : 0)} %`;
}

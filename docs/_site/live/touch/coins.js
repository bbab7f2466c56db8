/* Coins in a square, each +1 or -1, and a hill of a thousand of their sums: it is about as wide as a side of the square. */

import { at, check, says, slider, sum } from "./draw.js";

const [ALL, ROOTS] = [1000, [4, 16]];
const [WIDE, HIGH, TOP] = [360, 150, 18];
const MIDDLE = WIDE / 2;
const BARS = 32; // on either side of the middle
const [UNIT, ONE] = [2.75, 45]; // pixels of 1 in a sum, and in a sum that is divided by the root
const MOST = { whole: 210, divided: 440 }; // sums at which a bar is as high as the picture
const STYLE_OF_COINS = `<style>
.bar{fill:var(--md-default-fg-color--light);fill-opacity:.55}.bar.within{fill:var(--ca-queries);fill-opacity:1}
.coin{fill:var(--ca-queries);stroke:var(--ca-queries)}.coin.tails{fill:transparent;stroke:var(--ca-keys)}
.panels>.side{flex:0 1 11em}
@media (prefers-reduced-motion:no-preference){.bar{transition:height .6s ease-out,y .6s ease-out,x .4s,width .4s}.coin{transition:fill .3s}.edge,.here{transition:transform .4s}}
</style>`;

/** state: root (of how many coins there are), tossed (how many sums are in the hill), seed, divided (whether each sum is divided by the root). */
export const coins = {
  view({ root, tossed, seed, divided }) {
    const last = toss(seed, root, tossed - 1);
    const sums = Array.from({ length: tossed }, (_, i) => total(toss(seed, root, i)));
    const within = sums.filter((x) => Math.abs(x) <= root).length;
    const now = total(last);
    const share = tossed < ALL ? "" : ` Of the ${ALL.toLocaleString("en")} sums ${within} lie within ±${divided ? 1 : root}.`;
    return `${STYLE_OF_COINS}<div class="panels"><div class="side"><p class="title">${root * root} coins, a square of side ${root}</p>${square(last, root)}</div>
      <div class="wide"><p class="title">${tossed === 1 ? "The sum of this toss" : `${tossed.toLocaleString("en")} such sums`}${divided ? `, divided by ${root}` : ""}</p>${hill(sums, now, root, divided)}</div></div>
      <div class="controls"><button data-do="one">Toss once more</button><button data-do="all">Toss ${ALL.toLocaleString("en")} times</button>
      ${slider("Coins", "root", root, [...ROOTS, 1], root * root)}${check("divide each sum by the root", "divided", divided)}</div>
      ${says(`This toss has ${heads(last)} × (+1) and ${last.length - heads(last)} × (−1), so its sum is ${now < 0 ? "−" : ""}${Math.abs(now)}.${share}`)}`;
  },

  /** The button for all of them tosses anew where they have been tossed already. */
  act(state, name) {
    const isFull = state.tossed >= ALL;
    if (isFull) state.seed += 1;
    state.tossed = name === "all" ? ALL : isFull ? 1 : state.tossed + 1;
  },

  seen: ({ divided }) => divided,
};

const heads = (faces) => sum(faces);
const total = (faces) => 2 * heads(faces) - faces.length;

/** The faces of one toss, 1 or 0 for each coin: always the same for the same seed, root and turn. */
function toss(seed, root, turn) {
  let state = Math.imul(seed, 7919) + Math.imul(turn, 104729) + Math.imul(root, 1299709);
  const faces = [];
  while (faces.length < root * root) {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    word ^= word >>> 14;
    for (let bit = 0; bit < 32 && faces.length < root * root; bit += 1) faces.push((word >>> bit) & 1);
  }
  return faces;
}

function square(faces, root) {
  const step = 150 / root;
  const drawn = faces.map((face, i) => `<circle class="coin ${face ? "" : "tails"}" cx="${at(step * (0.5 + (i % root)))}"
    cy="${at(step * (0.5 + Math.floor(i / root)))}" r="${at(0.36 * step)}"/>`);
  return `<svg viewBox="0 0 150 150" style="max-width:11em" role="img" aria-label="${root} rows of ${root} coins, ${heads(faces)} of them full, which count +1, and
    the others empty, which count −1.">${drawn.join("")}</svg>`;
}

function hill(sums, now, root, divided) {
  const counts = new Map();
  for (const x of sums) counts.set(x, (counts.get(x) ?? 0) + 1);
  const [scale, most] = divided ? [ONE / root, (MOST.divided * 2) / root] : [UNIT, MOST.whole];
  const foot = TOP + HIGH;
  const bars = Array.from({ length: 2 * BARS + 1 }, (_, i) => {
    const x = 2 * (i - BARS) + (root % 2);
    const count = counts.get(x) ?? 0;
    const high = sums.length === 1 && count ? 6 : Math.min((HIGH * count) / most, HIGH);
    return `<rect class="bar ${Math.abs(x) <= root ? "within" : ""}" data-sum="${x}" data-count="${count}" x="${at(MIDDLE + scale * (x - 0.9))}"
      y="${at(foot - high)}" width="${at(1.8 * scale)}" height="${at(high)}"/>`;
  });
  const edge = scale * root;
  const label = (sign) => (divided ? `${sign}1` : `${sign}√${root * root} = ${sign}${root}`);
  const marks = (divided ? [-3, -2, -1, 0, 1, 2, 3] : [-40, -20, 0, 20, 40]).map((x) => `<text class="small soft middle" x="${at(MIDDLE + x * (divided ? ONE : UNIT))}"
    y="${foot + 24}">${x < 0 ? "−" : ""}${Math.abs(x)}</text>`);
  const sides = [-1, 1].map((side) => `<g class="edge k" style="transform:translateX(${at(side * edge)}px)"><line class="stroke dashed" x1="${MIDDLE}" y1="${TOP + 2}" x2="${MIDDLE}" y2="${foot}"/><text
    class="text middle" x="${MIDDLE + side * 12}" y="${TOP - 5}" style="text-anchor:${side < 0 ? "end" : "start"}">${label(side < 0 ? "−" : "")}</text></g>`);
  return `<svg viewBox="0 0 ${WIDE} ${foot + 28}" role="img" aria-label="A hill of ${sums.length} ${sums.length === 1 ? "sum" : "sums"} around 0, with a mark at ${divided ? "1" : root} on either
    side.">${bars.join("")}<line class="axis" x1="0" y1="${foot}" x2="${WIDE}" y2="${foot}"/>${sides.join("")}${marks.join("")}
    <g class="here w" style="transform:translateX(${at(scale * now)}px)"><polygon class="fill" points="${MIDDLE},${foot + 2} ${MIDDLE - 5},${foot + 11} ${MIDDLE + 5},${foot + 11}"/></g></svg>`;
}

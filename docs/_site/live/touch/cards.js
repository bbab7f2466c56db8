/* Three steps as cards, in an order that the reader changes, and the map of weights that they leave behind: only in one order does the mask hide. */

import { softmax } from "../engine/attention.js";
import { at, number, says, slider, sum } from "./draw.js";

const [CELL, LEFT, TOP] = [20, 46, 22];
const RIGHT = "divide cap mask";
const SWAP = '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 7H16M12 3L16 7L12 11M17 14H4M8 10L4 14L8 18" class="axis"/></svg>';

/** state: letters, scores (not yet divided, a row for each letter that looks), root (what they are divided by), caps (those to choose from),
 * cap (which of them), order (of the steps before the softmax), swapped (which neighbours last) and turn (how often). */
export const cards = {
  view(state) {
    const { letters, order, caps, cap } = state;
    const found = passed(state);
    const weights = found.at(-1).map((row) => softmax(row));
    const mended = order.join(" ") === RIGHT;
    return `<div class="deck ${mended ? "mended" : ""}">${deck(state, found, weights)}
      <div class="panels"><div class="map">${heat(letters, weights, "weight", 0)}</div><div class="told">${says(judged(state, weights))}
      <div class="controls">${slider("Cap", "cap", cap, [0, caps.length - 1, 1], caps[cap])}<button data-do="again">Start again</button></div><p class="hint">Orange is weight on letters that come later. Small weights are drawn stronger than they are.</p></div></div></div>`;
  },

  act(state, name, value) {
    const { order } = state;
    [order[value], order[value + 1]] = [order[value + 1], order[value]];
    state.swapped = value;
    state.turn += 1;
  },
};

/** Return the scores before the first step and after each. */
function passed({ scores, root, caps, cap, order }) {
  const does = {
    divide: (score) => score / root,
    cap: (score) => caps[cap] * Math.tanh(score / caps[cap]),
    mask: (score, i, j) => (j > i ? -Infinity : score),
  };
  return order.reduce((all, step) => [...all, all.at(-1).map((row, i) => row.map((score, j) => does[step](score, i, j)))], [scores]);
}

/** Lay out the cards, and under each what it makes of two scores of the first letter: its own, and one that it must not see. */
function deck({ letters, root, caps, cap, order, swapped, turn }, found, weights) {
  const names = { divide: `÷ ${root}`, cap: `cap ${caps[cap]}`, mask: "mask" };
  const card = (step, place) => {
    const moved = place === swapped || place === swapped + 1; // two names of one movement, so that it begins anew each time
    return `<th scope="col"><span class="card ${moved ? `deal${turn % 2}` : ""}" style="--from:${place === swapped ? 1 : -1}">${names[step]}</span></th>`;
  };
  const swap = (place) => `<td><button data-do="swap" data-value="${place}" aria-label="Swap ${names[order[place]]} and ${names[order[place + 1]]}">${SWAP}</button></td>`;
  const steps = order.map((step, place) => (place ? swap(place - 1) : "") + card(step, place));
  const lines = [0, 1].map((key) => {
    const values = found.map((rows) => rows[0][key]);
    const shown = values.map((x, n) => `<td class="${key && values[n - 1] === -Infinity && x > -Infinity ? "back" : ""}">${x === -Infinity ? "−∞" : number(x)}</td>`);
    const share = `<td class="${key && weights[0][key] > 0 ? "back" : ""}">${percent(weights[0][key])}</td>`;
    return `<tr><th scope="row">${letters[0]} at ${letters[key]}</th>${[...shown, share].join("<td></td>").replace("<td></td>", "")}</tr>`;
  });
  return `<table><thead><tr><td></td><th scope="col">score</th>${steps.join("")}<td>→</td><th scope="col"><span class="card last">softmax</span></th></tr></thead>
    <tbody>${lines.join("")}</tbody></table>`;
}

const percent = (share) => (share > 0 && share < 0.005 ? "under 1 %" : `${number(100 * share, 0)} %`);

/** Say what this order does. */
function judged(state, weights) {
  const { letters, root, caps, cap, order, turn } = state;
  const [most, last] = [caps[cap], order.at(-1)];
  const before = (one, other) => order.indexOf(one) < order.indexOf(other);
  const ahead = percent(sum(weights[0].slice(1)));
  if (before("mask", "cap")) {
    const back = last === "divide" ? `−${most}, and the division makes ${number(-most / root)} of it` : `−${most}`;
    const same = order[1] === "divide" ? `Minus infinity, divided by ${root}, is still minus infinity. ` : "";
    const told = `The start mark gives ${ahead} of its weight to letters that come later.`;
    return turn ? `${same ? `${same}But in` : "In"} the cap the hidden keys come back with a score of ${back}. ${told}` : told; // why is asked first
  }
  if (before("divide", "cap")) return "Mended! The hidden keys have no score left. No letter looks ahead.";
  const proper = passed({ ...state, order: RIGHT.split(" ") }).at(-1).map((row) => softmax(row));
  const place = letters.indexOf("-");
  return `No letter looks ahead, but the weights are not those of the right order: now all scores lie between ${number(-most / root)} and
    ${number(most / root)}, so they hardly differ. The first - gives itself ${percent(weights[place][place])} and not ${percent(proper[place][place])}.`;
}

/** Draw a map, a row for each letter that looks: what stands in the future is hatched, and coloured if it has weight. */
export function heat(letters, shares, what, framed) {
  const side = CELL * letters.length;
  const cells = shares.flatMap((row, i) => row.map((share, j) => `<rect x="${LEFT + CELL * j}" y="${TOP + CELL * i}" width="${CELL}" height="${CELL}"
    ${j > i && !share ? 'fill="url(#hatch)"' : `style="fill:var(${j > i ? "--ca-keys" : "--ca-queries"});fill-opacity:${at(Math.sqrt(share))}"`}/>`));
  const names = letters.map((letter, i) => `<text class="middle" x="${LEFT + CELL * (i + 0.5)}" y="${TOP - 6}">${letter}</text>
    <text class="middle" x="${LEFT - 10}" y="${TOP + CELL * (i + 0.7)}">${letter}</text>`);
  const leaks = shares.some((row, i) => row.some((share, j) => j > i && share));
  const frame = framed === undefined ? "" : `<rect class="axis" x="${LEFT}" y="${TOP + CELL * framed}" width="${side}" height="${CELL}" style="stroke-width:1.5"/>`;
  return `<svg viewBox="0 0 ${LEFT + side + 4} ${TOP + side + 4}" role="img" aria-label="A map of each ${what}, a row for each letter that looks and a column for each that is
    looked at, ${leaks ? "with weight on letters that come later" : "with all that comes later hatched"}."><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse"
    patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="6" style="stroke:var(--ca-hatch)"/></pattern></defs><text class="soft" transform="rotate(-90 12 ${at(TOP + side / 2)})"
    x="12" y="${at(TOP + side / 2)}" text-anchor="middle">who looks</text>${names.join("")}${cells.join("")}${frame}</svg>`;
}

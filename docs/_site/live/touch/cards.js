/* The steps from a score to a weight as cards, in an order that the reader changes, and the map of weights that they leave behind. */

import { softmax } from "../engine/attention.js";
import { at, number, says, slider, sum } from "./draw.js";

const [CELL, LEFT, TOP, GAP] = [20, 46, 22, 5];
const MOST = 2; // the highest price of a place
const UNDONE_BY = { divide: [], cap: ["divide"], mask: ["cap"], bias: ["divide", "cap"], sink: ["divide", "cap"] }; // if these come later
const SWAP = '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M7 17V4M3 8L7 4L11 8M14 3V16M10 12L14 16L18 12" class="axis"/></svg>';

/** state: letters, scores (not yet divided, a row for each letter that looks), root (what they are divided by), caps (those to choose from), cap (which of them), price (of a place),
 * sink (its score), moves ("cap" or "price", if a slider moves it), who and row (whose scores are written out), keys ({name: column}, for which keys), order (of the steps before
 * the softmax), swapped (which neighbours last), turn (how often) and found (orders in which all cards do their work, where they are counted). */
export const cards = {
  view(state) {
    const { letters, caps, cap, price, moves, row } = state;
    const passing = passed(state);
    const weights = passing.at(-1).map((scores) => softmax(scores));
    const orange = leaks(state, weights) ? "Orange is weight on letters that come later. " : "";
    const knobs = { cap: () => slider("Cap", "cap", cap, [0, caps.length - 1, 1], caps[cap]), price: () => slider("Price of a place", "price", price, [0, MOST, 0.1], number(price, 1)) };
    return `<div class="deck"><div class="panels">${deck(state, passing, weights)}<div class="map">${heat(letters, weights, row)}</div></div>${says(judged(state, passing, weights))}
      <div class="controls">${knobs[moves]?.() ?? ""}<button data-do="again">Start again</button></div>
      <p class="hint">${orange}Small weights are drawn stronger than they are.</p></div>`;
  },

  act(state, name, value) {
    const { order, found } = state;
    [order[value], order[value + 1]] = [order[value + 1], order[value]];
    state.swapped = value;
    state.turn += 1;
    if (found && !undone(state).length && !found.includes(order.join())) found.push(order.join());
  },

  seen: (state, start) => isLate(state) !== isLate(start) || state.price !== start.price,
};

const isLate = ({ order }) => order.indexOf("cap") > order.indexOf("mask");

/** Return the scores before the first step and after each. A sink is one more in each row: it is no key, so it has no place that costs, and no mask hides it. */
function passed({ letters, scores, root, caps, cap, price, sink, order }) {
  const isKey = (j) => j < letters.length;
  const each = (change) => (row, i) => row.map((score, j) => change(score, i, j));
  const does = {
    divide: each((score) => score / root),
    cap: each((score) => caps[cap] * Math.tanh(score / caps[cap])),
    bias: each((score, i, j) => (isKey(j) ? score - price * Math.abs(i - j) : score)),
    mask: each((score, i, j) => (isKey(j) && j > i ? -Infinity : score)),
    sink: (row) => [...row, sink],
  };
  return order.reduce((all, step) => [...all, all.at(-1).map(does[step])], [scores]);
}

/** Return the cards whose work a later card undoes. */
function undone({ order, price }) {
  return order.filter((step, place) => UNDONE_BY[step].some((other) => order.indexOf(other) > place) && (step !== "bias" || price > 0));
}

function called({ root, caps, cap }) {
  return { divide: `÷ ${root}`, cap: `cap ${caps[cap]}`, bias: "bias", mask: "mask", sink: "sink" };
}

/** Lay out the cards, each with what it makes of some scores of one letter. */
function deck(state, passing, weights) {
  const { who, row, keys, order, swapped, turn } = state;
  const [names, faults, columns] = [called(state), undone(state), Object.values(keys)];
  const line = (swap, card, cells) => `<tr><td>${swap}</td><th scope="row">${card}</th>${cells.join("")}</tr>`;
  const cell = (shown, wrong) => `<td${wrong ? ' class="back"' : ""}>${shown}</td>`;
  const values = (step) => columns.map((key) => {
    const [x, before] = [passing[step][row][key], passing[step - 1]?.[row][key]];
    return cell(x === undefined ? "" : x === -Infinity ? "−∞" : number(x), before === -Infinity && x > -Infinity);
  });
  const cards = order.map((step, place) => {
    const moved = place === swapped || place === swapped + 1; // two names of one movement, so that it begins anew each time
    const swap = place ? `<button data-do="swap" data-value="${place - 1}" aria-label="Swap ${names[order[place - 1]]} and ${names[step]}">${SWAP}</button>` : "";
    return line(swap, `<span class="card ${faults.includes(step) ? "undone" : ""} ${moved ? `deal${turn % 2}` : ""}" style="--from:${place === swapped ? 1 : -1}">${names[step]}</span>`, values(place + 1));
  });
  const shares = columns.map((key) => cell(percent(weights[row][key]), isLater(state, key) && weights[row][key] > 0));
  return `<table><caption>The steps of ${who}</caption><thead><tr><td></td><td></td>${Object.keys(keys).map((name) => `<th scope="col">${name}</th>`).join("")}</tr></thead>
    <tbody>${line("", "product", values(0))}${cards.join("")}${line("", '<span class="card last">softmax</span>', shares)}</tbody></table>`;
}

const isLater = ({ letters, row }, key) => key > row && key < letters.length;

const leaks = ({ letters }, weights) => weights.some((row, i) => row.some((share, j) => j > i && j < letters.length && share > 0));

/** Say a share that is not 0 with one digit that is not 0, however small it is. */
const exactly = (share) => (share < 0.005 ? `${number(100 * share, -Number((100 * share).toExponential(0).split("e")[1]))} %` : percent(share));

const percent = (share) => (share > 0 && share < 0.005 ? "under 1 %" : `${number(100 * share, 0)} %`);

/** Say which cards do their work, and what comes of it if one does not. */
function judged(state, passing, weights) {
  const { letters, root, caps, cap, price, sink, moves, who, row, keys, order, found } = state;
  const faults = undone(state);
  const columns = Object.values(keys);
  const [first, second] = columns;
  const scores = passing.at(-1)[row];
  const ahead = sum(weights[row].filter((_, key) => isLater(state, key)));
  const subject = who[0].toUpperCase() + who.slice(1);
  const complaints = {
    mask: () => (ahead ? `${subject} gives ${exactly(ahead)} of its weight to letters that come later.` : "Letters look ahead."),
    cap: () => `The division shrinks the bounds of the cap to ${number(-caps[cap] / root)} and ${number(caps[cap] / root)}, so the scores hardly differ.`,
    bias: () => `The price, ${number(price, 1)} a place, should part the first two columns, ${second - first} places apart, by ${number(price * (second - first))}, and parts them by ${number(scores[second] - scores[first])}.`,
    sink: () => `The sink should keep its score of ${sink}, and has ${number(scores[letters.length])}.`,
  };
  if (faults.length) return `${order.length - faults.length} of ${order.length} cards do their work. ${faults.map((step) => complaints[step]()).join(" ")}`;
  const shares = columns.map((key) => percent(weights[row][key]));
  const given = moves === "price" ? ` ${subject} gives these ${letters[first]}s ${shares.slice(0, -1).join(", ")} and ${shares.at(-1)} of its weight.` : "";
  return `All ${order.length} cards do their work.${given}${found ? ` Such orders that you found: ${found.length}.` : ""}`;
}

/** Draw the map of weights, a row for each letter that looks: what stands in the future is hatched, and coloured if it has weight. A sink stands apart. */
function heat(letters, shares, framed) {
  const side = CELL * letters.length;
  const isSink = (j) => j === letters.length;
  const x = (j) => LEFT + CELL * j + (isSink(j) ? GAP : 0);
  const cells = shares.flatMap((row, i) => row.map((share, j) => {
    const later = j > i && !isSink(j);
    const colour = later ? "--ca-keys" : isSink(j) ? "--ca-values" : "--ca-queries";
    return `<rect x="${x(j)}" y="${TOP + CELL * i}" width="${CELL}" height="${CELL}" ${later && !share ? 'fill="url(#hatch)"' : `style="fill:var(${colour});fill-opacity:${at(Math.sqrt(share))}"`}/>`;
  }));
  const names = letters.map((letter, i) => `<text class="middle" x="${LEFT + CELL * (i + 0.5)}" y="${TOP - 6}">${letter}</text>
    <text class="middle" x="${LEFT - 10}" y="${TOP + CELL * (i + 0.7)}">${letter}</text>`);
  const wide = shares[0].length > letters.length;
  const sink = wide ? `<text class="middle" x="${x(letters.length) + CELL / 2}" y="${TOP - 6}">sink</text>` : "";
  return `<svg viewBox="0 0 ${LEFT + side + (wide ? CELL + GAP : 0) + 4} ${TOP + side + 4}" role="img" aria-label="A map of each weight, a row for each letter that looks and a column for each that is
    looked at, ${leaks({ letters }, shares) ? "with weight on letters that come later" : "with all that comes later hatched"}${wide ? ", and one for the sink" : ""}."><defs><pattern id="hatch" width="6" height="6"
    patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="6" style="stroke:var(--ca-hatch)"/></pattern></defs><text class="soft"
    transform="rotate(-90 12 ${at(TOP + side / 2)})" x="12" y="${at(TOP + side / 2)}" text-anchor="middle">who looks</text>${names.join("")}${sink}${cells.join("")}
    <rect class="axis" x="${LEFT}" y="${TOP + CELL * framed}" width="${side}" height="${CELL}" style="stroke-width:1.5"/></svg>`;
}

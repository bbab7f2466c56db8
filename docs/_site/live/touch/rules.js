/* What is done to the scores of one query, rule after rule: each rule that is ticked leaves a row of bars. */

import { at, check, number, player, says, slider, sum } from "./draw.js";

const RULES = ["capped", "biased", "masked", "sunk"]; // in their order
const [SIDE, UNIT] = [220, 11]; // of the curve, which shows scores from -10 to 10

/** state: scores (of each key), values, place (of the query), hidden (which key), price, cap, sink (its score), and which rules are
 * on: capped, biased, masked, sunk; early: whether the mask comes before the cap, which can be chosen once all are on; playing: whether they come one after the other. */
export const rules = {
  view(state) {
    const rows = followed(state);
    const keys = rows.at(-1).weights.slice(0, -1);
    const most = keys.indexOf(Math.max(...keys));
    const output = sum(keys.map((weight, i) => weight * state.values[i]));
    const head = [...keys.map((_, i) => `key ${i + 1}`), "sink"].map((name) => `<th scope="col">${name}</th>`);
    return `<div class="panels"><div class="rise"><p class="title">${state.capped ? `With a cap of ${number(state.cap, 1)}` : "Without a cap"}</p>${curve(state)}</div>
      <table class="rules wide"><caption class="hint">Each bar is a weight. Below it stands the score.</caption><thead><tr><td></td>${head.join("")}</tr></thead><tbody>${rows.map(line).join("")}</tbody></table></div>
      <div class="controls">${player("One rule after the other", state.playing)}<button data-do="again">Start again</button>
      ${state.early || RULES.every((rule) => state[rule]) ? check("mask before the cap", "early", state.early) : ""}</div>
      ${says(`Key ${most + 1} gets most, ${number(keys[most], 3)}. The weights of the keys add up to ${number(sum(keys))}. Output: ${number(output)}.
        ${leaks(state) ? "The hidden key is read!" : ""}`)}`;
  },

  /** Switch on the next rule, or after the last one all off; say whether there are more. */
  play(state) {
    const next = RULES.find((rule) => !state[rule]);
    if (next) state[next] = true;
    else for (const rule of RULES) state[rule] = false;
    return RULES.some((rule) => !state[rule]);
  },
};

const dialled = (label, ...how) => slider(`<span>${label}</span>`, ...how); // its row says what it is
const leaks = ({ masked, early, capped }) => masked && early && capped;

/** Return the rows in their order, each with the scores and the weights (of the keys and the sink) after its rule, if it is on. */
function followed(state) {
  const { scores, place, hidden, price, cap, sink } = state;
  const far = (i) => Math.abs(i - place);
  const [first, ...others] = [
    { rule: "the score alone", on: true, does: (x) => x },
    { rule: "cap", field: "capped", does: (x) => cap * Math.tanh(x / cap), dial: dialled("Cap", "cap", cap, [1, 10, 0.5], number(cap, 1)) },
    { rule: "bias", field: "biased", does: (x, i) => x - price * far(i), dial: dialled("Price of a place", "price", price, [0, 4, 0.25], number(price)) },
    { rule: "mask", field: "masked", does: (x, i) => (i === hidden ? -Infinity : x), told: (x, i) => (i === hidden ? "hidden" : "–") },
    { rule: "sink", field: "sunk", does: (x) => x, told: () => "–", dial: dialled("Score of the sink", "sink", sink, [-3, 6, 0.5], number(sink, 1)) },
  ];
  if (state.early) others.splice(0, 0, ...others.splice(2, 1));
  let last = scores;
  return [first, ...others].reduce((rows, row) => {
    const on = row.field ? state[row.field] : row.on;
    if (on) last = last.map(row.does);
    const powers = [...last, row.field === "sunk" && on ? sink : -Infinity].map(Math.exp);
    const weights = powers.map((power) => power / sum(powers));
    const told = [...last.map(row.told ?? ((x) => (x === -Infinity ? "−∞" : number(x)))), row.field === "sunk" ? number(sink) : ""];
    const before = rows.at(-1)?.weights;
    return [...rows, { ...row, on, told, weights: on ? weights : before }];
  }, []);
}

function line({ rule, field, on, dial, told, weights }) {
  const name = field ? check(rule, field, on) : rule;
  if (!on) return `<tr><th scope="row">${name}</th><td colspan="5"></td></tr>`;
  const bars = weights.map((weight, i) => (told[i] === "" ? "<td></td>" : `<td><span class="got">${number(weight)}</span><i ${i === 4 ? 'class="sunk"' : ""} style="--share:${at(weight)}"></i><small>${told[i]}</small></td>`));
  return `<tr><th scope="row">${name}${dial ?? ""}</th>${bars.join("")}</tr>`;
}

/** Draw what the cap makes of each score: the straight line without it, and the dots of the keys. */
function curve({ scores, hidden, cap, capped, masked, early }) {
  const x = (score) => at(SIDE / 2 + UNIT * Math.max(score, -10));
  const y = (score) => at(SIDE / 2 - UNIT * Math.max(score, -10));
  const bent = Array.from({ length: 81 }, (_, i) => i / 4 - 10).map((score) => `${x(score)},${y(cap * Math.tanh(score / cap))}`);
  const dots = scores.map((score, i) => {
    const into = masked && early && i === hidden ? -Infinity : score;
    const out = capped ? cap * Math.tanh(into / cap) : into;
    return `<g class="turns" style="transform:translate(${x(into)}px,${y(out)}px)"><circle class="w fill" r="7"/><text class="small middle key" y="3.2">${i + 1}</text></g>`;
  });
  const drops = scores.map((score, i) => (capped && score > 2 && !(masked && early && i === hidden) ? `<path class="line dashed" d="M${x(score)} ${y(score)}V${y(cap * Math.tanh(score / cap))}"/>` : ""));
  const told = scores.map((score) => `${number(score, 0)} becomes ${number(capped ? cap * Math.tanh(score / cap) : score)}`);
  return `<svg viewBox="-4 -6 ${SIDE + 8} ${SIDE + 24}" role="img" aria-label="What goes in, to the right, and what comes out, upwards, with a dot for each key: ${told.join(", ")}.">
    <path class="axis" d="M0 ${SIDE / 2}H${SIDE}M${SIDE / 2} 0V${SIDE}" style="stroke-width:.6"/>
    <path class="line ${capped ? "dashed" : ""}" d="M${x(-10)} ${y(-10)}L${x(10)} ${y(10)}"/>${drops.join("")}
    ${capped ? `<polyline class="w stroke" points="${bent.join(" ")}"/>` : ""}
    <text class="small soft end" x="${SIDE}" y="${SIDE / 2 + 24}">score in</text><text class="small soft" x="${SIDE / 2 + 5}" y="4">score out</text>
    ${scores.map((score) => (score > 2 ? `<text class="small soft middle" x="${x(score)}" y="${SIDE / 2 + 12}">${score}</text>` : "")).join("")}${dots.join("")}</svg>`;
}

/* A query among keys, all of them arrows in a plane. The reader turns and stretches the query; scores, weights and the
   mixture of the values follow. */

import { escape } from "../html.js";
import { softmax } from "../engine/attention.js";
import { arrow, at, between, dot, number, player, says, slider, sum } from "./draw.js";

const [MIDDLE, UNIT, LONGEST, TURN] = [120, 26, 4, 15];
const place = ([x, y]) => [MIDDLE + UNIT * x, MIDDLE - UNIT * y];
const spot = ([x, y]) => [30 + 17 * x, 205 - 17 * y]; // values lie between 0 and 10

const short = (x) => String(x).replace("-", "−");

/** state: names, keys and values (pairs of numbers), angle of the query in degrees, its length, playing (whether it turns by itself). */
export const arrows = {
  view(state) {
    const { names, keys, values, angle, length, playing } = state;
    const turn = (angle * Math.PI) / 180;
    const query = [length * Math.cos(turn), length * Math.sin(turn)];
    const scores = keys.map((key) => dot(query, key) / Math.SQRT2);
    const weights = softmax(scores, [], "plain", (x) => x);
    const output = [0, 1].map((c) => sum(values.map((value, j) => weights[j] * value[c])));
    const best = weights.indexOf(Math.max(...weights));
    const rows = names.map((name, j) => `<tr><th scope="row">${escape(name)} (${keys[j].map(short).join(", ")})</th><td>${number(scores[j])}</td>
      <td class="track"><i style="--share:${(100 * weights[j]).toFixed(1)}%"></i></td><td>${number(weights[j], 3)}</td></tr>`);
    return `<div class="panels"><div>${plane(names, keys, query)}</div>
      <div>${fetched(names, values, weights, output)}</div></div>
      <div class="controls">${slider("Turn the query", "angle", angle, [0, 355, 5], `${angle}°`)}${player("Let it turn", playing)}
      ${slider("Its length", "length", length, [0, LONGEST, 0.1], number(length, 1))}</div>
      <table><thead><tr><th scope="col">key</th><th scope="col">score</th><th scope="col" colspan="2">weight</th></tr></thead>
      <tbody>${rows.join("")}</tbody></table>
      ${says(length === 0
        ? `A query of length 0 fits nothing better than anything else: a plain average, (${output.map((x) => number(x)).join(", ")}).`
        : `The query (${query.map((x) => number(x)).join(", ")}) points most along “${escape(names[best])}”, which gets ${number(weights[best], 3)} of the weight. The
        output is (${output.map((x) => number(x)).join(", ")}).`)}`;
  },

  set(state, field, value) {
    state[field] = value;
  },

  /** Turn the query a little further; say whether it has not yet come round. */
  play(state) {
    state.angle = (state.angle + TURN) % 360;
    return state.angle >= TURN;
  },

  drag(state, handle, x, y) {
    const [right, up] = [(x - MIDDLE) / UNIT, (MIDDLE - y) / UNIT];
    state.angle = (Math.round((Math.atan2(up, right) * 180) / Math.PI / 5) * 5 + 360) % 360;
    state.length = Math.round(10 * between(Math.hypot(right, up), 0, LONGEST)) / 10;
  },

  seen: ({ angle, length }, start) => angle !== start.angle && length !== start.length,
};

function plane(names, keys, query) {
  const tip = place(query);
  const drawn = keys.map((key, j) => {
    const [x, y] = place(key.map((c) => c * (1 + 0.35 / Math.hypot(...key))));
    return `${arrow(place([0, 0]), place(key), "k")}<text class="k text middle" x="${at(x)}" y="${at(y + 4)}">${escape(names[j])}</text>`;
  });
  const [qx, qy] = tip.map(at);
  return `<p class="title">A query and ${keys.length} keys</p><svg viewBox="0 0 240 240" role="img"
    aria-label="The query and the keys as arrows from one point. The two sliders below move the query.">
    <path class="line" d="M0 ${MIDDLE}H240M${MIDDLE} 0V240"/>${drawn.join("")}
    ${arrow(place([0, 0]), tip, "q")}<g data-handle="query" class="q"><circle class="grip" cx="${qx}" cy="${qy}" r="13"/>
    <text class="text middle" x="${qx}" y="${at(qy - 17)}">query</text></g></svg>`;
}

function fetched(names, values, weights, output) {
  const [ox, oy] = spot(output).map(at);
  const drawn = values.map((value, j) => {
    const [x, y] = spot(value).map(at);
    return `<line class="v stroke" style="stroke-width:${at(0.3 + 7 * weights[j])}px" x1="${ox}" y1="${oy}" x2="${x}" y2="${y}"/>
      <circle class="v fill" cx="${x}" cy="${y}" r="5"/><text class="v text" x="${x + 8}" y="${y - 7}">${escape(names[j])}</text>`;
  });
  return `<p class="title">What is fetched</p><svg viewBox="0 0 240 240" role="img"
    aria-label="The values as points, and the output between them, nearer to a value the more weight it gets.">
    <path class="axis" d="M30 22V205H220"/><text class="small soft middle" x="30" y="219">0</text>
    <text class="small soft middle" x="200" y="219">10</text><text class="small soft end" x="24" y="38">10</text>
    ${drawn.join("")}<circle class="w fill" cx="${ox}" cy="${oy}" r="8"/>
    <text class="w text middle" x="${ox}" y="${oy < 60 ? oy + 22 : oy - 13}">output</text></svg>`;
}

/* Six alarms, one for each pair of digits: switch two digits on, and see which alarms speak, with the ReLU and without it. */

import { at, check, number, says, sum } from "./draw.js";

const [WIDE, ROW, HIGH, TOP, UNIT] = [344, 44, 38, 26, 13]; // of the drawing
const [KEY, LEFT, ALARM, TO] = [34, 92, 112, 290]; // how wide a switch is, where the alarms begin, how wide they are, where the answer is
const BIAS = -1;

/** state: digits, on (those that were found, the oldest first), relu, tried (which pairs were on without it). */
export const ringing = {
  view({ digits, on, relu, tried }) {
    const pairs = pairsOf(digits);
    const found = (digit) => (on.includes(digit) ? 1 : 0);
    const heard = pairs.map((pair) => hears(pair, on));
    const loud = loudness(pairs, on, relu);
    const answer = answered(pairs, on, relu);
    const low = TOP + ROW * pairs.length;
    const middle = (i) => TOP + ROW * i + HIGH / 2;
    const switchAt = (i) => TOP + ((low - TOP) / digits.length) * (i + 0.5) - 3;
    const wires = pairs.flatMap((pair, i) => pair.map((digit) => line([KEY, switchAt(digits.indexOf(digit))], [LEFT, middle(i)], found(digit) ? "q stroke" : "line")));
    const switches = digits.map((digit, i) => `<g class="q" data-do="found" data-value="${digit}" style="cursor:pointer"><rect class="${found(digit) ? "fill" : "grip"}" x="0" y="${at(switchAt(i) - 15)}"
      width="${KEY}" height="30" rx="5"/><text class="middle" style="font-size:15px;font-weight:700${found(digit) ? ";fill:var(--md-default-bg-color)" : ""}" x="${KEY / 2}" y="${at(switchAt(i) + 5)}">${digit}</text></g>`);
    const alarms = pairs.map(([a, b], i) => {
      const [x, y] = [LEFT + 78, TOP + ROW * i + HIGH / 2 + (relu ? 8 : 0)];
      const kind = loud[i] > 0 ? "q" : "k";
      const speaks = loud[i] !== 0;
      return `<rect class="line" x="${LEFT}" y="${TOP + ROW * i}" width="${ALARM}" height="${HIGH}" rx="6" style="${speaks ? `stroke:var(--ca-${loud[i] > 0 ? "queries" : "keys"});stroke-width:2;` : ""}${loud[i] > 0 ? "fill:var(--ca-weights);fill-opacity:.3" : ""}"/>
        <text class="small" x="${LEFT + 7}" y="${TOP + ROW * i + 15}">${a} and ${b}</text><path class="line" d="M${x - 28} ${y}H${x + 28}"/>
        <path class="axis" d="M${x - 1.4 * UNIT} ${relu ? y : y + 1.4 * UNIT}L${x} ${y}L${x + 1.4 * UNIT} ${y - 1.4 * UNIT}"/>
        <g class="turns" style="transform:translate(${x + UNIT * heard[i]}px,${at(y - UNIT * loud[i])}px)"><circle class="${speaks ? kind : "n"} fill" r="5"/></g>
        <text class="${speaks ? `${kind} text` : "soft"}" x="${LEFT + ALARM + 7}" y="${middle(i) + 4}">${number(loud[i], 0)} · ${a * b}</text>
        ${line([LEFT + ALARM + 53, middle(i)], [TO, (TOP + low) / 2 - 3], speaks ? `${kind} stroke` : "line")}`;
    });
    const scale = [-1, 0, 1].map((value) => `<text class="small soft middle" x="${LEFT + 78 + UNIT * value}" y="${low + 6}">${number(value, 0)}</text>`);
    const known = tried.filter(([a, b]) => answered(pairs, [a, b], false) === a * b).length;
    const [one, other] = [...on].sort();
    const right = other !== undefined && answer === one * other;
    return `<div class="controls"><span>Found:</span>${digits.map((digit) => `<button data-do="found" data-value="${digit}" aria-pressed="${on.includes(digit)}">${withArticle(digit)}</button>`).join("")}
      ${check("ReLU", "relu", relu)}<button data-do="again">Start again</button></div>
      <svg viewBox="0 0 ${WIDE} ${low + 10}" style="max-width:34em" role="img" aria-label="From left to right: four digits, six alarms with a line and a dot in each, and the answer. ${pairs.map(([a, b], i) => `${a} and ${b} says ${number(loud[i], 0)} times ${a * b}`).join(", ")}.">
      <text class="small soft" x="${KEY / 2}" y="12" text-anchor="middle">found</text><text class="small soft" x="${LEFT + ALARM / 2}" y="12" text-anchor="middle">alarms${relu ? "" : " without the ReLU"}</text>
      ${wires.join("")}${switches.join("")}${alarms.join("")}${scale.join("")}<rect class="${right ? "v" : "n"} grip" x="${TO}" y="${(TOP + low) / 2 - 23}" width="50" height="40" rx="6"/>
      <text class="middle" style="font-size:17px;font-weight:700" x="${TO + 25}" y="${(TOP + low) / 2 + 3}">${number(answer, 0)}</text>
      <text class="small soft" x="${TO + 25}" y="${(TOP + low) / 2 - 30}" text-anchor="middle">answer</text></svg>
      ${says(`${other ? `${one} times ${other} is ${one * other}, and the alarms say ${number(answer, 0)}${right ? "" : ": wrong"}.`
        : `${one ? `${withArticle(one, true)} alone` : "Nothing is found"}: the alarms say ${number(answer, 0)}.`}
        ${!relu && tried.length ? `Tried without the ReLU: ${tried.length} of ${pairs.length} products, ${known} right.` : ""}`)}`;
  },

  act(state, name, digit) {
    const rest = state.on.filter((other) => other !== digit);
    state.on = rest.length < state.on.length ? rest : [...rest.slice(-1), digit]; // a third digit takes the place of the oldest
    remember(state);
  },

  set(state, field, value) {
    state[field] = value;
    remember(state);
  },

  seen: ({ on }) => on.length > 1,
};

function remember({ on, relu, tried }) {
  const fresh = !tried.some((pair) => pair.every((digit) => on.includes(digit)));
  if (!relu && on.length === 2 && fresh) tried.push(on);
}

const hears = (pair, on) => pair.filter((digit) => on.includes(digit)).length + BIAS;
const loudness = (pairs, on, relu) => pairs.map((pair) => (relu ? Math.max(0, hears(pair, on)) : hears(pair, on)));
const answered = (pairs, on, relu) => sum(loudness(pairs, on, relu).map((loud, i) => loud * pairs[i][0] * pairs[i][1]));

const pairsOf = (digits) => digits.flatMap((a, i) => digits.slice(i + 1).map((b) => [a, b]));
const withArticle = (digit, first) => `${first ? "A" : "a"}${digit === 8 ? "n" : ""} ${digit}`;
const line = ([x0, y0], [x1, y1], kind) => `<path class="${kind}"${kind === "line" ? "" : ' style="stroke-width:1.8"'} d="M${at(x0)} ${at(y0)}L${at(x1)} ${at(y1)}"/>`;

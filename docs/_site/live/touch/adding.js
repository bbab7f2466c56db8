/* A machine that was trained to add, and a reader who hunts for sums that it gets wrong. */

import { ACTIVATIONS, Dense } from "../engine/dense.js";
import { MultiHeadAttention } from "../engine/heads.js";
import { Weights, readWeights } from "../engine/weights.js";
import { between, says } from "./draw.js";

const [BASE, COLUMNS, LARGEST] = [10, 4, 4999]; // four columns of digits, the lowest first; the sign ^ stands in a column of its own
const [MANY, ENOUGH] = [1000, 3]; // random pairs at once; sums that the reader finds before the piece says what they have in common
const PAUSE = 1500; // milliseconds that a sum must stand there before it counts: who types both numbers did not mean the pair in between

/** state: a, b (the numbers), given (the sum that stands there first), tooLarge (whether a larger one was typed), model (the weights), found (sums that the reader saw go wrong), drawn (of many random pairs, how many). */
export const adding = {
  view({ a, b, tooLarge, model, found, drawn }) {
    const said = answers(learnt(model), a, b);
    const right = digits(a + b);
    const wrong = right.map((digit, c) => said[0][c] !== digit || said[1][c] !== digit);
    const places = right.map((_, c) => c).reverse();
    const row = (name, cell) => `<tr><th scope="row">${name}</th>${places.map((c) => `<td${wrong[c] ? ' class="off"' : ""}>${cell(c)}</td>`).join("")}</tr>`;
    const both = (c) => (said[0][c] === said[1][c] ? said[0][c] : `${said[0][c]} or ${said[1][c]}`);
    const handsOn = (c) => c > 0 && c < COLUMNS - 1; // nothing comes to the lowest column, and the highest has nobody to its left
    const named = (columns) => `in column ${columns.map((c) => c + 1).join(" and in column ")}`;
    const nines = right.map((_, c) => c).filter((c) => handsOn(c) && digits(a)[c] + digits(b)[c] === BASE - 1);
    const over = passed(a, b).filter(handsOn);
    const carry = nines.length
      ? ` The digits add up to 9 ${named(nines)}. ${over.length ? `A carry passes ${named(over)}.` : "No carry passes there."}`
      : " Neither in column 2 nor in column 3 do the digits add up to 9.";
    const many = drawn && `Of ${MANY.toLocaleString("en")} random pairs the twin added ${drawn.right} without a mistake. In ${drawn.passing} pairs a carry passes a 9; of these it
      got ${drawn.kept} right, and of the others ${drawn.right - drawn.kept}.`;
    return `<div class="controls">${entry("First number", "a", a)}${entry("Second number", "b", b)}</div>
      <table class="sums"><caption>What the twin makes of it</caption><thead><tr><th scope="row">column</th>${places.map((c) => `<th scope="col">${c + 1}</th>`).join("")}</tr></thead>
      <tbody>${row("first number", (c) => digits(a)[c])}${row("second number", (c) => digits(b)[c])}${row("the twin says", both)}${row("right", (c) => right[c])}</tbody></table>
      <div class="controls"><button data-do="draw">Draw ${MANY.toLocaleString("en")} random pairs</button><button data-do="again">Start again</button></div>
      ${says(`${a} + ${b}: the twin is ${wrong.some(Boolean) ? "wrong" : "right"}.${found.length >= ENOUGH ? carry : ""} ${tooLarge ? `The largest number is ${LARGEST}, so it stands there. ` : ""}${said[0].join() === said[1].join() ? "" : "It says each digit twice, once for each number: where two stand, they disagree. "}Wrong sums that you found: ${found.length}.`)}
      ${many ? `<p>${many}</p>` : ""}`;
  },

  /** Bring the number into range; the sum counts when the reader pauses, or at once when they say that it is done. */
  set(state, field, value, element) {
    state.tooLarge = value > LARGEST;
    state[field] = between(Math.floor(value) || 0, 0, LARGEST);
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      count(state);
      if (element.state === state) element.render(); // unless the reader has started again
    }, PAUSE);
  },

  settle(state) {
    clearTimeout(waiting);
    count(state);
  },

  act(state) {
    const pairs = Array.from({ length: MANY }, () => [0, 0].map(() => Math.floor((LARGEST + 1) * Math.random())));
    const well = pairs.filter((pair) => isRight(learnt(state.model), ...pair));
    const passing = (some) => some.filter((pair) => passed(...pair).length).length;
    state.drawn = { right: well.length, passing: passing(pairs), kept: passing(well) };
  },

  seen: ({ found }) => found.length >= ENOUGH,
};

/** Note a sum that goes wrong, unless it is known. */
function count({ a, b, model, given, found }) {
  const name = `${a} + ${b}`;
  if (!isRight(learnt(model), a, b) && ![given, ...found].includes(name)) found.push(name);
}

const entry = (label, field, value) =>
  `<label>${label} <input type="number" inputmode="numeric" min="0" max="${LARGEST}" data-field="${field}" value="${value}"></label>`;

const digits = (n) => Array.from({ length: COLUMNS }, (_, c) => Math.floor(n / BASE ** c) % BASE);

/** Return the columns whose digits add up to 9 and that get a 1 from below, so that they hand it on. */
function passed(a, b) {
  const [x, y] = [digits(a), digits(b)];
  let carry = 0;
  return x.flatMap((digit, c) => {
    const total = digit + y[c] + carry;
    const hands = carry === 1 && total === BASE;
    carry = total >= BASE ? 1 : 0;
    return hands ? [c] : [];
  });
}

const isRight = (machine, a, b) => answers(machine, a, b).every((half) => half.every((digit, c) => digit === digits(a + b)[c]));

/** Return the digits that the twin says: in the places of the first number, and in those of the second. */
function answers(machine, a, b) {
  const token = (digit, column) => Float64Array.from({ length: machine.depth }, (_, i) => (i === digit || i === BASE + column ? 1 : 0));
  const tokens = [token(-1, 0), ...[a, b].flatMap((n) => digits(n).map((digit, c) => token(digit, c + 1)))];
  const said = machine.call(tokens).slice(1).map((logits) => logits.indexOf(Math.max(...logits)));
  return [said.slice(0, COLUMNS), said.slice(COLUMNS)];
}

let waiting; // for the reader to pause
let kept = null;

function learnt(model) {
  if (kept?.numbers !== model.numbers) kept = { numbers: model.numbers, machine: new Twin(new Weights(readWeights(model))) };
  return kept.machine;
}

/** Two heads and two feed-forward networks in turn, each with its residual, as trained/programs.py builds them. */
class Twin {
  constructor(weights) {
    this.depth = weights.get("widen/kernel").shape[0];
    this.widen = new Dense(weights.inside("widen"));
    this.steps = [0, 2].flatMap((i) => [attention(weights.inside(`attention_${i}`)), feedForward(weights.inside(`feed_forward_${i + 1}`))]);
    this.projectLogits = new Dense(weights.inside("project_logits"));
  }

  call(tokens) {
    const added = (x, step) => step(x).map((row, i) => row.map((number, c) => number + x[i][c]));
    return this.projectLogits.call(this.steps.reduce(added, this.widen.call(tokens)));
  }
}

function attention(weights) {
  const layer = new MultiHeadAttention(weights, 1);
  return (x) => layer.attend(layer.toQueries(x), layer.toKeysAndValues(x), x.map(() => x.map(() => 0))).output;
}

function feedForward(weights) {
  const [widen, narrow] = [new Dense(weights.inside("widen")), new Dense(weights.inside("narrow"))];
  return (x) => narrow.call(widen.call(x).map((row) => row.map(ACTIVATIONS.relu)));
}

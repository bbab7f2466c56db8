/* What the moving look says, at each of its stages, in each lesson that it returns in. */

import { escape } from "./html.js";
import { number, sum } from "./touch/draw.js";

/** What is said of one look, whose weights are a row for each head. */
export function told(state, heads) {
  const { kind, stage, looks, look, chosen } = state;
  const writes = `It is about to write the ${escape(looks[look].answer[chosen])}.`;
  return { letters, heads: ofHeads, padding, sink }[kind](state, heads, writes)[stage];
}

const HARDLY = 0.005; // a share that is not worth a name

const drawnOf = ({ looks, look, numbers }) => `Of its ${numbers} numbers ${looks[look].vectors[0].length} are drawn, blue above 0 and orange below.`;

const called = (letter) => (letter === " " ? "a space" : `the ${escape(letter)}`);
const large = (words) => `${words[0].toUpperCase()}${words.slice(1)}`;
const sorted = (text, shares) => [...text].map((letter, i) => [shares[i], letter]).sort((a, b) => b[0] - a[0]);

function largest(text, shares) {
  const order = sorted(text, shares);
  const three = order.slice(0, 3).map(([share, letter], i) => `${called(letter)} ${i ? "" : "gets "}${number(share, 3)}`).join(", ");
  return `${large(three)}, and the other ${order.length - 3} letters share ${number(1 - sum(order.slice(0, 3).map(([share]) => share)), 3)}.`;
}

function letters(state, [shares], writes) {
  const three = largest(state.text, shares);
  return [
    `Each letter of the text has a vector. ${drawnOf(state)}`,
    `${writes} Each column shrinks to its weight. ${three}`,
    `Side by side (and drawn larger) the columns are exactly one vector wide, because the weights make 1 together. ${three}`,
    "Now each row is one colour, the average of what stood there. The mixture is a vector again, and from it the machine computes what to write.",
  ];
}

function padding(state, [shares], writes) {
  const { text, looks, look } = state;
  const empty = looks[look].vectors.length - text.length;
  const taken = sum(shares.slice(text.length));
  const parts = taken ? `The padding takes ${number(taken)} of the weight, and ${number(1 - taken)} is left for the letters.` : "The padding gets no weight, and the letters share all of it.";
  return [
    `Behind the ${text.length} letters stand ${empty} places of padding, and each of them has a vector, too. ${drawnOf(state)}`,
    `${writes} Each column shrinks to its weight${taken > 0.2 ? ", and those of the padding become too thin to be seen" : ""}. ${parts}`,
    `${writes} Side by side the columns are one vector wide. ${parts}`,
    taken ? `The mixture is made of letters and of emptiness. ${parts}` : "The mixture is made of letters only.",
  ];
}

function ofHeads(state, heads, writes) {
  const first = heads.map((shares, head) => sorted(state.text, shares).slice(0, 1).map(([share, letter]) => `head ${head + 1} gives ${number(share)} to ${called(letter)}`)[0]).join(", ");
  return [
    `Here are the values of the letters, cut into ${heads.length} pieces, one for each head. Of the ${state.numbers / heads.length} numbers of a piece ${state.looks[state.look].vectors[0].length / heads.length} are drawn.`,
    `${writes} Each head has weights of its own. ${large(first)}.`,
    `In each head the widths add up to one whole piece, because its weights make 1. ${large(first)}.`,
    `Each head has brought one mixture. The ${heads.length} mixtures, one below the other, are one vector of ${state.numbers} numbers again.`,
  ];
}

function sink(state, [shares]) {
  const { text, looks, look, chosen } = state;
  const [share, letter] = sorted(text, shares)[0];
  const thrown = sum(shares.slice(text.length));
  const parts = thrown > 1 - HARDLY ? "The sink gets nearly all of the weight, and the letters hardly anything." : `The sink gets ${number(thrown, 3)}, and of the letters ${called(letter)} gets most, ${number(share, 3)}.`;
  return [
    `Each letter has values. ${drawnOf(state)} The sink has none, so its column is empty.`,
    `From the ${escape(looks[look].answer[chosen])}: each column shrinks to its weight. ${parts}`,
    `Side by side the letters and the sink are one vector wide. ${parts}`,
    thrown > 0.5 ? "The empty part adds nothing, so next to nothing is left of the colours. The head has hardly said anything." : `${number(thrown)} of the weight is thrown away, so the mixture is paler than ${called(letter)}, which brings most of it.`,
  ];
}

/* How far back a letter hears of others, if each layer sees only the last few and layers stack. */

import { escape } from "../html.js";
import { at, check, number, player, says, slider, sum } from "./draw.js";

const [LEFT, WIDE, HIGH, TOP, MOST] = [44, 18, 30, 10, 5]; // of the drawing; and how many layers there can be

/** state: text, place (of the letter that asks, from 0), window, layers, mixed (whether every second layer sees all) and playing. */
export const reaching = {
  view(state) {
    const { text, place, window, layers, mixed, playing } = state;
    const far = lowest(state);
    const x = (i) => LEFT + WIDE * (i + 0.5);
    const y = (layer) => TOP + HIGH * (layers - layer);
    const heard = (layer, i) => i >= far[layer] && i <= place;
    const rows = Array.from({ length: layers + 1 }, (_, layer) => {
      const dots = [...text].map((_, i) => {
        const asks = layer === layers && i === place;
        return `<circle data-do="place" data-value="${i}" data-heard="${heard(layer, i)}" style="cursor:pointer" class="${heard(layer, i) ? `${asks ? "k" : "q"} fill` : "whole"}" cx="${at(x(i))}" cy="${y(layer)}" r="${asks ? 6.5 : 5}"/>`;
      });
      const name = layer ? `layer ${layer}` : "letters";
      return `<text class="small soft end" x="${LEFT - 8}" y="${y(layer) + 3}">${name}</text>${dots.join("")}`;
    });
    const looks = Array.from({ length: layers }, (_, n) => n + 1).map((layer) => [...text].map((_, i) =>
      heard(layer, i) ? Array.from({ length: i - first(state, layer, i) + 1 }, (_, back) => `M${at(x(i))} ${y(layer)}L${at(x(i - back))} ${y(layer - 1)}`).join("") : "").join(""));
    const low = y(0) + 20;
    const signs = [...text].map((sign, i) => `<text class="middle" x="${at(x(i))}" y="${low}"${heard(0, i) ? ' font-weight="700"' : ' opacity=".6"'}>${shown(sign)}</text>`);
    return `<div class="controls">${slider("Window", "window", window, [1, 8, 1], window)}${slider("Layers", "layers", layers, [1, MOST, 1], layers)}${player("Stack layers", playing)}</div>
      <div class="controls">${slider("Letter", "place", place, [0, text.length - 1, 1], shown(text[place]))}${check("every second layer sees all", "mixed", mixed)}</div>
      <svg viewBox="0 0 ${LEFT + WIDE * text.length + 4} ${low + 6}" style="max-width:38em" role="img" aria-label="A row of dots for each layer, above the row of letters. From one dot at the
        top, lines fan out downwards, layer by layer, to the letters that it has heard of.">
      <path class="q stroke" style="stroke-width:1;opacity:.5" d="${looks.join("")}"/>${rows.join("")}${signs.join("")}</svg>
      ${says(`${heardOf(state, place - far[0] + 1)} ${price(state)}`)}`;
  },

  act(state, name, value) {
    state[name] = value;
  },

  /** Add a layer, or begin again with one; say whether another will follow. */
  play(state) {
    state.layers = (state.layers % MOST) + 1;
    return state.layers < MOST;
  },

  seen: (state) => lowest(state)[0] === 0,
};

const shown = (sign) => (sign === " " ? "␣" : escape(sign));
const whole = ({ mixed }, layer) => mixed && layer % 2 === 0;

/** The first place that a letter sees in a layer. */
const first = (state, layer, place) => (whole(state, layer) ? 0 : Math.max(0, place - state.window + 1));

/** For each layer, from the letters themselves on, the first place that the chosen letter has heard of by way of it. */
function lowest(state) {
  const far = Array(state.layers + 1).fill(state.place);
  for (let layer = state.layers; layer > 0; layer--) far[layer - 1] = first(state, layer, far[layer]);
  return far;
}

function heardOf({ text, place, window, layers, mixed }, count) {
  const who = `At the top the ${shown(text[place])} has heard of ${count} ${count === 1 ? "letter" : "letters"}`;
  if (count === place + 1) return `${who}, which are all up to itself.`;
  return `${who}${mixed && layers > 1 ? "" : `: ${layers} · (${window} − 1) + 1`}.`;
}

function price(state) {
  const { text, window, layers } = state;
  const n = text.length;
  const each = Array.from({ length: layers }, (_, i) => whole(state, i + 1));
  const sums = (seesAll) => sum(Array.from({ length: n }, (_, i) => (seesAll ? i + 1 : Math.min(i + 1, window))));
  const scores = sum(each.map(sums));
  const kept = sum(each.map((seesAll) => (seesAll ? n : Math.min(n, window))));
  return `In all layers together the text takes ${number(scores, 0)} scores in place of ${(layers * n * (n + 1)) / 2}, and the rings keep ${kept} keys in place of ${layers * n}.`;
}

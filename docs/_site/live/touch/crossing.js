/* All texts of two digits as a square, and which of them a head's single number cannot tell apart. */

import { at, check, number, says, slider } from "./draw.js";

const [CELL, LEFT, TOP] = [20, 28, 24];
const TELLS = 0.12; // what comes after a head can hardly tell numbers apart that are nearer; sliders move in steps of 0.05

/** state: text (two digits), first and second (each head's weight of the first digit), both: whether the second looks. */
export const crossing = {
  view({ text, first, second, both }) {
    const brings = (weight, [a, b]) => weight * a + (1 - weight) * b;
    const alike = (weight, other) => Math.abs(brings(weight, other) - brings(weight, text)) < TELLS;
    const cells = [];
    let left = 0;
    for (let a = 0; a < 10; a++) {
      for (let b = 0; b < 10; b++) {
        const [one, two] = [alike(first, [a, b]), both && alike(second, [a, b])];
        const kept = one && (two || !both);
        if (kept) left++;
        const tint = kept ? "var(--ca-values)" : one ? "var(--ca-queries)" : two ? "var(--ca-keys)" : "var(--ca-line)";
        const own = a === text[0] && b === text[1];
        cells.push(`<g data-do="text" data-value="${10 * a + b}"><rect class="cell" x="${LEFT + CELL * b}" y="${TOP + CELL * a}"
          width="${CELL}" height="${CELL}" style="fill:${tint};fill-opacity:${kept ? 1 : one || two ? 0.45 : 0.5}"/>${own
          ? `<circle cx="${LEFT + CELL * (b + 0.5)}" cy="${TOP + CELL * (a + 0.5)}" r="5" style="fill:var(--md-default-bg-color)"/>` : ""}</g>`);
      }
    }
    const digits = Array.from({ length: 10 }, (_, d) => `<text class="small soft middle" x="${at(LEFT + CELL * (d + 0.5))}"
      y="${TOP - 5}">${d}</text><text class="small soft end" x="${LEFT - 6}" y="${at(TOP + CELL * (d + 0.65))}">${d}</text>`);
    const share = (weight) => `${number(weight)} and ${number(1 - weight)}`;
    return `<div class="panels"><div class="wide"><svg viewBox="0 0 240 232" role="img" aria-label="A square of all texts of two digits: the first
      digit downwards, the second to the right. Filled are those that bring the same numbers as the chosen text.">
      <text class="small soft middle" x="${LEFT + 5 * CELL}" y="9">second digit</text>
      <text class="small soft middle" transform="rotate(-90 8 ${TOP + 5 * CELL})" x="8" y="${TOP + 5 * CELL}">first digit</text>
      ${digits.join("")}${cells.join("")}</svg></div>
      <div><div class="controls">${slider("First digit", "a", text[0], [0, 9, 1], text[0])}
      ${slider("Second digit", "b", text[1], [0, 9, 1], text[1])}
      ${slider("Weights of head 1", "first", first, [0, 1, 0.05], share(first))}
      ${check("a second head", "both", both)}
      ${both ? slider("Weights of head 2", "second", second, [0, 1, 0.05], share(second)) : ""}</div>
      <p class="hint">${both ? "Blue: the same for head 1. Orange: for head 2. Green: for both." : "Green: the same for the head."}</p></div></div>
      ${says(`From “${text.join(" ")}” head 1 brings ${number(brings(first, text))}${both
        ? `, and head 2 brings ${number(brings(second, text))}` : ""}. ${left === 1 ? "No other text brings the same, so both digits can be read."
        : `${left} texts bring the same or nearly the same, so the digits can't be read.`}`)}`;
  },

  set(state, field, value) {
    if (field === "a") state.text[0] = value;
    else if (field === "b") state.text[1] = value;
    else state[field] = value;
  },

  act(state, name, value) {
    state.text = [Math.floor(value / 10), value % 10];
  },
};

/* What a norm does to the numbers of a letter: mean 0 and size 1, whatever they were. */

import { at, number, says, slider, sum } from "./draw.js";

const [LEAST, MOST] = [-10, 10];

/** state: x, the numbers of one letter; plus and times, what is done to all of them before the norm. */
export const norm = {
  view({ x, plus, times }) {
    const given = x.map((number_) => times * number_ + plus);
    const mean = sum(given) / given.length;
    const size = Math.sqrt(sum(given.map((y) => (y - mean) ** 2)) / given.length);
    const normed = given.map((y) => (size < 1e-9 ? 0 : (y - mean) / size));
    const dials = x.map((y, i) => slider(`Number ${i + 1}`, `x${i}`, y, [LEAST, MOST, 1], number(y, 0)));
    const buttons = [["times", 10, "times 10"], ["plus", 100, "plus 100"]].map(([name, value, label]) => {
      const on = name === "times" ? times === value : plus === value;
      return `<button data-do="${name}" data-value="${value}" aria-pressed="${on}">all ${label}</button>`;
    });
    return `<div class="panels"><div>${bars("before", given, 0)}</div><div>${bars("after the norm", normed, 2)}</div></div>
      <div class="controls">${dials.join("")}</div><div class="controls">${buttons.join("")}</div>
      ${says(size < 1e-9 ? "All numbers are alike. Nothing is left once the mean is taken away: zeros."
        : `Mean ${number(mean)}, size ${number(size)}. After the norm: ${normed.map((y) => number(y)).join(", ")}.`)}`;
  },

  set(state, field, value) {
    state.x[Number(field.slice(1))] = value;
  },

  act(state, name, value) {
    const off = name === "times" ? 1 : 0;
    state[name] = state[name] === value ? off : value;
  },
};

function bars(title, numbers, digits) {
  const most = Math.max(...numbers.map(Math.abs), 2);
  const drawn = numbers.map((y, i) => {
    const height = (70 * Math.abs(y)) / most;
    const x = 20 + (200 / numbers.length) * i;
    const width = 200 / numbers.length - 12;
    return `<rect class="w fill" x="${at(x)}" y="${at(y > 0 ? 90 - height : 90)}" width="${at(width)}" height="${at(height)}"/>
      <text class="middle" x="${at(x + width / 2)}" y="${at(y > 0 ? 84 - height : 103 + height)}">${number(y, digits)}</text>`;
  });
  return `<p class="title">${title}</p><svg viewBox="0 0 240 182" role="img" aria-label="Bars of the numbers ${title}">
    <path class="axis" d="M12 90H228"/>${drawn.join("")}</svg>`;
}

/* What the pieces of lessons draw with. */

export const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);
export const dot = (a, b) => sum(a.map((x, i) => x * b[i]));

/** The shares of a row of weights, which `coded` in live.py wrote as signs. */
export function decoded(row) {
  const counts = [...row].map((sign) => sign.charCodeAt(0) - 256);
  return counts.map((count) => count / (sum(counts) || 1)); // who sees nobody has no weight
}

export const between = (x, low, high) => Math.min(Math.max(x, low), high);

/** A number with so many digits, with a minus sign that is one, and never -0. */
export function number(x, digits = 2) {
  const text = x.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** Say how far a key is from its query. */
export const distance = (d) =>
  d === 0 ? "where the query stands" : `${Math.abs(d)} ${Math.abs(d) === 1 ? "place" : "places"} ${d > 0 ? "after" : "before"} the query`;

/** Round what only a drawing needs. */
export const at = (x) => Math.round(100 * x) / 100;

export function arrow([x0, y0], [x1, y1], kind) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 1) return "";
  const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  const head = Math.min(9, length);
  const side = (s) => `${at(x1 - head * ux - s * 0.5 * head * uy)},${at(y1 - head * uy + s * 0.5 * head * ux)}`;
  return `<g class="${kind}"><line class="stroke" x1="${at(x0)}" y1="${at(y0)}" x2="${at(x1 - 0.7 * head * ux)}"
    y2="${at(y1 - 0.7 * head * uy)}"/><polygon class="fill" points="${at(x1)},${at(y1)} ${side(1)} ${side(-1)}"/></g>`;
}

export const says = (text) => `<p class="says" aria-live="polite">${text}</p>`;

export function slider(label, field, value, [low, high, step], shown) {
  return `<label>${label} <input type="range" min="${low}" max="${high}" step="${step}" value="${value}"
    data-field="${field}" aria-valuetext="${shown}">${shown}</label>`;
}

/** A button that lets a piece go on by itself; there is none for a reader who wants things to stand still. */
export const player = (label, playing) =>
  matchMedia("(prefers-reduced-motion: reduce)").matches ? "" : `<button data-do="play">${playing ? "Stop" : label}</button>`;

export const check = (label, field, value) =>
  `<label><input type="checkbox" data-field="${field}" ${value ? "checked" : ""}>${label}</label>`;

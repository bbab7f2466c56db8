/* The state of the Mask Lab: its rules and mask, its size, its address. */

import { HOW, STEPS } from "./engine/attention.js";

export const MOST = 8; // tokens, and numbers of a token

/** Name the rules that block key j for query i. */
export function rules({ padding, lookAhead, prefix, window }, i, j) {
  const found = [];
  if (padding.includes(j)) found.push("padding");
  if (lookAhead && j > i && j >= prefix) found.push("later");
  if (window > 0 && Math.abs(i - j) >= window) found.push("too far away");
  return found;
}

/** Build the mask of a state, n by n: 1 where a key is blocked; a click turns a cell round. */
export function buildMask(state) {
  const n = state.tokens.length;
  return state.tokens.map((_, i) =>
    state.tokens.map((_, j) => Number(rules(state, i, j).length > 0 !== state.flipped.includes(i * n + j))));
}

/** Change the number of tokens; new ones are zeros, hidden by no click. */
export function resize(state, n) {
  const old = state.tokens.length;
  for (const name of ["q", "k", "v"]) {
    const depth = state[name][0].length;
    state[name] = Array.from({ length: n }, (_, i) => state[name][i] || Array(depth).fill(0));
  }
  state.tokens = Array.from({ length: n }, (_, i) => state.tokens[i] ?? `token ${i + 1}`);
  state.padding = state.padding.filter((j) => j < n);
  state.prefix = Math.min(state.prefix, n);
  state.window = Math.min(state.window, n);
  state.flipped = state.flipped
    .map((cell) => [Math.floor(cell / old), cell % old])
    .filter(([i, j]) => i < n && j < n)
    .map(([i, j]) => i * n + j);
}

export function toAddress(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const text = btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  return `#lab=${text}`;
}

export function fromAddress(hash) {
  if (!hash.startsWith("#lab=")) return null;
  try {
    const text = atob(hash.slice(5).replace(/-/g, "+").replace(/_/g, "/"));
    return checked(JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0)))));
  } catch {
    return null; // an address that somebody cut: the lab starts as ever
  }
}

/** Refuse what is no state, such as an address that was edited by hand. */
function checked(s) {
  const n = s.tokens.length;
  const isNumber = (x) => (typeof x === "number" && Number.isFinite(x)) || ["NaN", "Infinity", "-Infinity"].includes(x);
  const isRow = (row, first) =>
    row.length === first.length && row.length >= 1 && row.length <= MOST && row.every(isNumber);
  const isGrid = (grid) => grid.length === n && grid.every((row) => isRow(row, grid[0]));
  const isSet = (set, most) => Array.isArray(set) && set.every((i) => Number.isInteger(i) && i >= 0 && i < most) &&
    new Set(set).size === set.length;
  const isAmount = (x) => Number.isInteger(x) && x >= 0 && x <= n;
  const good = [
    n >= 1 && n <= MOST, s.tokens.every((t) => typeof t === "string"), [s.q, s.k, s.v].every(isGrid),
    s.q[0].length === s.k[0].length, isSet(s.padding, n), isSet(s.flipped, n * n), isAmount(s.prefix),
    isAmount(s.window), typeof s.lookAhead === "boolean", Object.hasOwn(HOW, s.how), ["float32", "float16"].includes(s.dtype),
    Object.hasOwn(STEPS, s.step),
  ];
  return good.every(Boolean) ? s : null;
}

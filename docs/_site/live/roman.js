/* Roman numerals. */

/** What each sign stands for, the largest first. */
const WORTH = { m: 1000, cm: 900, d: 500, cd: 400, c: 100, xc: 90, l: 50, xl: 40, x: 10, ix: 9, v: 5, iv: 4, i: 1 };

export const LAST = 3999;
export const LONGEST = 15; // letters

export function numeral(n) {
  return Object.entries(WORTH).reduce(([text, rest], [sign, worth]) => [text + sign.repeat(rest / worth), rest % worth], ["", n])[0];
}

/** The number of a numeral, or 0 if it is none. */
export function valueOf(text) {
  const signs = text.match(/cm|cd|xc|xl|ix|iv|[mdclxvi]/g) ?? [];
  const n = signs.reduce((total, sign) => total + WORTH[sign], 0);
  return n < 4000 && numeral(n) === text ? n : 0;
}

/** The letters of a text by the alphabet, so that nobody can tell in which order they stood. */
export const inOrder = (text) => [...text].sort().join("");

/** All numbers by the sorted letters of their numerals. */
export function everyFamily() {
  const found = {};
  for (let n = 1; n <= LAST; n++) (found[inOrder(numeral(n))] ??= []).push(n);
  return found;
}

/** What the reader typed, without letters that are no signs. */
export const signsOf = (text) => text.toLowerCase().replace(/[^ivxlcdm]/g, "");

/* Roman numerals. */

/** What each sign stands for, the largest first. */
export const WORTH = { m: 1000, cm: 900, d: 500, cd: 400, c: 100, xc: 90, l: 50, xl: 40, x: 10, ix: 9, v: 5, iv: 4, i: 1 };

export function numeral(n) {
  return Object.entries(WORTH).reduce(([text, rest], [sign, worth]) => [text + sign.repeat(rest / worth), rest % worth], ["", n])[0];
}

/* The colours of weights, as in the site's heat maps. */

const CIVIDIS = [[0, 34, 78], [67, 78, 108], [125, 124, 120], [188, 174, 108], [254, 232, 56]]; // of 0, 1/4, ... 1

/** Return the colour of a weight between 0 and 1, and of ink on it. */
export function colours(x) {
  const place = Math.min(Math.max(x || 0, 0), 1) * (CIVIDIS.length - 1);
  const [low, high] = [CIVIDIS[Math.floor(place)], CIVIDIS[Math.ceil(place)]];
  const mixed = low.map((c, i) => Math.round(c + (high[i] - c) * (place % 1)));
  return { weight: `rgb(${mixed})`, ink: x < 0.47 ? "#fff" : "#000" };
}

/** The same for the style of an element. */
export function shade(x) {
  const { weight, ink } = colours(x);
  return `--weight:${weight};--ink:${ink}`;
}

/** The same from white to blue, beside figures that are drawn so. */
export function blueShade(x) {
  const mixed = [247, 251, 255].map((c, i) => Math.round(c + ([8, 48, 107][i] - c) * x));
  return `--weight:rgb(${mixed});--ink:${x > 0.6 ? "#fff" : "#000"}`;
}

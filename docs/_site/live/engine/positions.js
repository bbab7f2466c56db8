/* positions.py: sines and cosines of slower and slower waves, added to each token. */

function sinusoidalEncoding(position, depth, n = 10000) {
  return Float64Array.from({ length: depth }, (_, c) => {
    const angle = position / n ** ((c - (c % 2)) / depth);
    return c % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

/** Add the waves of the positions start, start + 1, ... to the rows of x. */
export function withPositions(x, start = 0) {
  return x.map((row, i) => {
    const waves = sinusoidalEncoding(start + i, row.length);
    return row.map((number, c) => number + waves[c]);
  });
}

/* positions.py: sines and cosines of slower and slower waves, added to each token; rotary.py: pairs that are turned. */

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

/** Turn rows of a head by the positions start, start + 1, ...; channel i and the one half the depth later are a pair. */
export function turned(rows, start, base = 10000) {
  return rows.map((row, at) => {
    const half = row.length / 2;
    const out = new Float64Array(row.length);
    for (let i = 0; i < half; i++) {
      const angle = (start + at) * base ** (-i / half);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      out[i] = row[i] * cos - row[i + half] * sin;
      out[i + half] = row[i] * sin + row[i + half] * cos;
    }
    return out;
  });
}

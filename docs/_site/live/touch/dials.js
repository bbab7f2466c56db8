/* The dials of two places, and the dot product of what they say: it depends on how far apart the places are. */

import { at, check, distance, number, player, says, slider, sum } from "./draw.js";

const [FARTHEST, BACK, DIGITS, FEW, MANY, SLOW] = [60, 3, 3, 3, 32, 1e4];

/** state: count (how many dials: each is 10 times as slow as the one before it, until the slowest is nearly 10000 times
 * as slow as the first), query and key (places), together: whether both move, back: whether the query's hands are turned
 * back by three places, playing: whether both walk through the text by themselves. */
export const dials = {
  view({ count, query, key, together, back, playing }) {
    const place = back ? query - BACK : query; // where the query's hands point
    const speeds = Array.from({ length: count }, (_, i) => Math.min(SLOW, 10 ** count) ** (-i / count));
    const adds = speeds.map((speed) => rounded(Math.cos(speed * (place - key)))); // so that what one sees adds up
    const few = count === FEW;
    const [columns, wide, radius] = few ? [FEW, 74, 26] : [8, 28, 11];
    const drawn = speeds.map((speed, i) => {
      const [cx, cy] = [4 + wide * ((i % columns) + 0.5), (few ? 40 : 14) + 28 * Math.floor(i / columns)];
      const names = `<text class="small soft middle" x="${cx}" y="${cy + 42}">${number(speed, speed < 0.1 ? 3 : 2)} a place</text>
        <text class="small middle" x="${cx}" y="${cy + 55}">adds ${number(adds[i], DIGITS)}</text>`;
      return `<g><circle class="axis" cx="${cx}" cy="${cy}" r="${radius}"/>${hand(cx, cy, radius, speed * key, "k")}
        ${hand(cx, cy, radius, speed * place, "q")}${few ? names : ""}</g>`;
    });
    const product = sum(adds);
    const legend = [["q", "query's hands", 4], ["k", "key's hands", 112]].map(([kind, name, x]) => `<g class="${kind}">
      <path class="stroke" d="M${x} 121h14"/><text class="small text" x="${x + 18}" y="124">${name}</text></g>`);
    return `<svg viewBox="0 0 232 128" style="max-width:30em" role="img" aria-label="A dial for
      each speed, with a hand for the place of the query and one for the place of the key.">${drawn.join("")}${legend.join("")}</svg>
      ${curve(speeds, key - query, product, back ? -BACK : 0)}
      <div class="controls">${player("Let both walk", playing)}${check(`turn the query's hands back by ${BACK} places`, "back", back)}</div>
      <div class="controls"><span class="q">${slider("Place of the query", "query", query, [0, FARTHEST, 1], query)}</span>
      <span class="k">${slider("Place of the key", "key", key, [0, FARTHEST, 1], key)}</span>
      ${check("move both together", "together", together)}${slider("Dials", "count", count, [FEW, MANY, 1], count)}</div>
      ${says(`The key stands ${distance(key - query)}. The dot product is ${number(product, DIGITS)}; ${number(count, DIGITS)} is the most.`)}`;
  },

  set(state, field, value) {
    if (field !== "query" && field !== "key") {
      state[field] = value;
      return;
    }
    const other = field === "query" ? "key" : "query";
    const moved = state[other] + (state.together ? value - state[field] : 0);
    if (moved < 0 || moved > FARTHEST) return;
    state[field] = value;
    state[other] = moved;
  },

  /** Move both one place further, or from the end back to the beginning; say whether they can go further. */
  play(state) {
    const last = () => Math.max(state.query, state.key);
    const step = last() === FARTHEST ? -Math.min(state.query, state.key) : 1;
    state.query += step;
    state.key += step;
    return last() < FARTHEST;
  },

  seen: ({ query, key }, start) => query !== start.query || key !== start.key,
};

const rounded = (x) => Number(x.toFixed(DIGITS));

function hand(cx, cy, radius, angle, kind) {
  const [x, y] = [cx + radius * Math.cos(angle), cy - radius * Math.sin(angle)];
  return `<line class="${kind} stroke" x1="${cx}" y1="${cy}" x2="${at(x)}" y2="${at(y)}"/><circle class="${kind} fill" cx="${at(x)}" cy="${at(y)}" r="${at(1 + radius / 13)}"/>`;
}

function curve(speeds, here, product, peak) {
  const most = speeds.length;
  const [x, y] = [(d) => at(155 + (135 / FARTHEST) * d), (p) => at(58 - (34 * p) / most)];
  const points = [];
  for (let d = -FARTHEST; d <= FARTHEST; d += 0.5) points.push(`${x(d)},${y(sum(speeds.map((s) => Math.cos(s * (d - peak)))))}`);
  const marks = [most, 0].map((p) => `<path class="line ${p ? "dashed" : ""}" d="M20 ${y(p)}H290"/><text class="small soft end" x="15" y="${y(p) + 3}">${p}</text>`);
  return `<svg viewBox="0 0 300 112" style="max-width:30em" role="img" aria-label="The dot product against the distance of the two places.">
    ${marks.join("")}<path class="line" d="M155 ${y(most)}V96"/><polyline class="w stroke" style="stroke-width:1.5" points="${points.join(" ")}"/>
    <circle class="k stroke" style="stroke-width:2" cx="${x(peak)}" cy="${y(most)}" r="6.5"/><text class="small k text middle" x="${x(peak)}" y="${y(most) - 11}">highest</text>
    <circle class="w fill" cx="${x(here)}" cy="${y(product)}" r="5"/>
    <text class="small soft middle" x="155" y="108">distance of the key from the query, −${FARTHEST} to ${FARTHEST}</text>
    <text class="small soft" x="2" y="10">dot product</text></svg>`;
}

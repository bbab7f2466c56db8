/* The dials of two places, and the dot product of what they say: it depends on how far apart the places are. */

import { at, check, distance, number, says, slider, sum } from "./draw.js";

const [FARTHEST, RADIUS, BACK, DIGITS] = [60, 26, 3, 3];

/** state: speeds (the angle of each dial from place to place), query and key (places), together: whether both move,
 * back: whether the query's hands are turned back by three places. */
export const dials = {
  view({ speeds, query, key, together, back }) {
    const place = back ? query - BACK : query; // where the query's hands point
    const adds = speeds.map((speed) => rounded(Math.cos(speed * (place - key)))); // so that what one sees adds up
    const drawn = speeds.map((speed, i) => {
      const [cx, cy] = [40 + 72 * i, 40];
      return `<g><circle class="axis" cx="${cx}" cy="${cy}" r="${RADIUS}"/>${hand(cx, cy, speed * key, "k")}${hand(cx, cy, speed * place, "q")}
        <text class="small soft middle" x="${cx}" y="${cy + 42}">${number(speed, speed < 0.1 ? 3 : 2)} a place</text>
        <text class="small middle" x="${cx}" y="${cy + 55}">adds ${number(adds[i], DIGITS)}</text></g>`;
    });
    const product = sum(adds);
    return `<svg viewBox="0 0 ${72 * speeds.length + 8} 100" style="max-width:30em" role="img" aria-label="A dial for each speed, with a
      hand for the place of the query and one for the place of the key.">${drawn.join("")}</svg>
      ${curve(speeds, key - query, product, back ? -BACK : 0)}
      <div class="controls"><span class="q">${slider("Place of the query", "query", query, [0, FARTHEST, 1], query)}</span>
      <span class="k">${slider("Place of the key", "key", key, [0, FARTHEST, 1], key)}</span>
      ${check("move both together", "together", together)}
      ${check(`turn the query's hands back by ${BACK}`, "back", back)}</div>
      ${says(`The key stands ${distance(key - query)}. The dot product is ${number(product, DIGITS)}; ${number(speeds.length, DIGITS)} is the most.`)}`;
  },

  set(state, field, value) {
    if (field === "together" || field === "back") {
      state[field] = value;
      return;
    }
    const other = field === "query" ? "key" : "query";
    const moved = state[other] + (state.together ? value - state[field] : 0);
    if (moved < 0 || moved > FARTHEST) return;
    state[field] = value;
    state[other] = moved;
  },
};

const rounded = (x) => Number(x.toFixed(DIGITS));

function hand(cx, cy, angle, kind) {
  const [x, y] = [cx + RADIUS * Math.sin(angle), cy - RADIUS * Math.cos(angle)];
  return `<line class="${kind} stroke" x1="${cx}" y1="${cy}" x2="${at(x)}" y2="${at(y)}"/><circle class="${kind} fill" cx="${at(x)}" cy="${at(y)}" r="3"/>`;
}

function curve(speeds, here, product, peak) {
  const most = speeds.length;
  const [x, y] = [(d) => at(150 + (135 / FARTHEST) * d), (p) => at(50 - (34 * p) / most)];
  const points = [];
  for (let d = -FARTHEST; d <= FARTHEST; d += 0.5) points.push(`${x(d)},${y(sum(speeds.map((s) => Math.cos(s * (d - peak)))))}`);
  return `<svg viewBox="0 0 300 104" style="max-width:30em" role="img" aria-label="The dot product against the distance of the two places.">
    <path class="line" d="M15 ${y(0)}H285M150 12V88"/><polyline class="w stroke" style="stroke-width:1.5" points="${points.join(" ")}"/>
    <circle class="w fill" cx="${x(here)}" cy="${y(product)}" r="5"/>
    <text class="small soft middle" x="150" y="100">distance of the key from the query, −${FARTHEST} to ${FARTHEST}</text>
    <text class="small soft" x="154" y="10">dot product</text></svg>`;
}

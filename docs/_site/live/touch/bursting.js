/* A digit climbs an untrained tower: how large it is after each layer, and what weights the layer gave it. Without norms it bursts,
   and its weights become all or nothing. */

import { at, check, number, player, says } from "./draw.js";

const [WIDTH, HIGH, SMALL, ROOM] = [190, 312, 6, 72]; // the digit is a disc of radius SMALL before the layers, and has ROOM above the last
const [LEFT, BAR, TALL, BASE] = [236, 24, 236, 284];

/** state: letters, place (of the one that climbs), layer (0: before the first), norm, playing, towers: for "0" (no norms) and "1"
    the sizes before and after the layers, and for each layer the weights of that digit. */
export const bursting = {
  view({ letters, place, layer, norm, playing, towers }) {
    const { sizes, weights } = towers[Number(norm)];
    const layers = weights.length;
    const times = sizes[layer] / sizes[0];
    const floor = (n) => HIGH - 12 - ((HIGH - 24 - ROOM) / layers) * n;
    const [radius, y] = [at(SMALL * times), floor(layer)];
    const floors = sizes.map((_, n) => `<line class="${n === layer ? "axis" : "line"}" x1="24" x2="${WIDTH}" y1="${floor(n) + 8}" y2="${floor(n) + 8}"/>
      <text class="small end ${n === layer ? "" : "soft"}" x="18" y="${floor(n) + 6}">${n}</text>`);
    const row = weights[layer - 1];
    const bars = letters.map((letter, j) => {
      const x = LEFT + BAR * j;
      const share = row ? row[j] : 0;
      return `<rect class="whole" x="${x}" y="${BASE - TALL}" width="${BAR - 6}" height="${TALL}"/>
        <rect class="k fill rises" x="${x}" y="${BASE - TALL}" width="${BAR - 6}" height="${TALL}" style="transform:scaleY(${at(share)})"/>
        <text class="middle" x="${x + BAR / 2 - 3}" y="${BASE + 15}" ${j === place ? 'font-weight="700"' : ""}>${letter}</text>`;
    });
    const even = at(BASE - TALL / letters.length);
    const most = row ? Math.max(...row) : 0;
    const told = row ? `After layer ${layer} the digits are ${rounded(times)} times as large as at the start. There the ${letters[place]} gave ${percent(most)} of its weight to one digit.`
      : "Before the layers. No layer has looked yet.";
    return `<div class="controls"><button data-do="higher" ${layer === layers ? "disabled" : ""}>One layer higher</button>${player("Climb", playing)}
      ${check("norms", "norm", norm)}<button data-do="down">Start again</button></div>
      <svg class="burst" viewBox="0 0 440 ${HIGH + 4}" style="max-width:38em" role="img" aria-label="On the left a disc on floor ${layer} of ${layers}: digits are
      ${rounded(times)} times as large as at the start. On the right the weights that the ${letters[place]} gave to the eight digits in this layer; the largest is ${percent(most)}.">
      <defs><clipPath id="shaft"><rect x="24" y="0" width="${WIDTH - 24}" height="${HIGH}"/></clipPath></defs>
      <g clip-path="url(#shaft)"><circle class="disc swells" r="1" style="transform:translate(${(WIDTH + 24) / 2}px,${y}px) scale(${radius})"/></g>${floors.join("")}<text class="small soft" x="0" y="${floor(layers) - 12}">layer</text>
      <text class="middle name" x="${(WIDTH + 24) / 2}" y="${y + 4}">${radius > SMALL ? letters[place] : ""}</text>
      <text class="middle times" x="${(WIDTH + 24) / 2 + (radius > 40 ? 0 : radius + 30)}" y="${y + (radius > 40 ? (layer === layers ? 26 : -14) : 4)}">× ${rounded(times)}</text>
      <text class="small soft" x="${LEFT}" y="${BASE - TALL - 10}">${row ? `its weights in layer ${layer}` : "its weights"}</text>${bars.join("")}
      <line class="axis dashed" x1="${LEFT - 4}" x2="${LEFT + BAR * letters.length - 2}" y1="${even}" y2="${even}"/><text class="small soft end" x="${LEFT - 8}" y="${even + 3}">1/${letters.length}</text></svg>
      ${says(`${norm ? "With norms" : "Without norms"}. ${told}`)}`;
  },

  act(state, name) {
    state.layer = name === "down" ? 0 : state.layer + 1;
  },

  /** Go one layer higher, or from the top to the start; say whether another follows. */
  play(state) {
    const count = state.towers[0].weights.length;
    state.layer = (state.layer + 1) % (count + 1);
    return state.layer < count;
  },

  seen: ({ norm }) => norm,
};

const rounded = (times) => number(times, times < 10 ? 1 : 0);

function percent(share) {
  return share > 0.995 ? "over 99 %" : `${number(100 * share, 0)} %`;
}

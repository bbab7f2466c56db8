/* A bet on a curve: the reader draws how it goes on, and then sees what was measured. */

import { escape } from "../html.js";
import { HIT, judgedLines, keepBet, keptBets, NEAR } from "../kept.js";
import { tell, veil } from "./answer.js";
import { at, between, says } from "./draw.js";

const [LEFT, RIGHT, TOP, BASE, WIDE, HIGH] = [44, 300, 16, 166, 360, 206];

/** state: name, x, measured (its first point is shown from the beginning), across, upwards, low, high, step, unit, log, below,
    above, guesses (null where nothing was drawn yet), settled. */
export const sketch = {
  /** A curve that was drawn before stands there as it was drawn. */
  begin(state, element) {
    const lines = keptBets()[state.name]?.lines;
    if (lines?.length !== state.x.length - 1) return veil(element);
    Object.assign(state, { guesses: [state.measured[0], ...lines.map(({ guess }) => guess)], settled: true });
  },

  view(state) {
    const { settled, x, upwards } = state;
    const guesses = drawnSoFar(state);
    const open = guesses.filter((guess) => guess === null).length;
    const scales = scalesOf(state);
    const places = x.slice(1).map((_, i) => field(state, scales, i + 1, guesses[i + 1]));
    const after = settled
      ? `${says(judged(state))}<div class="controls"><button data-do="again">Draw again</button></div>`
      : `<div class="controls"><button data-do="settle" ${open ? "disabled" : ""}>That is my curve</button>${open
        ? `<span class="hint">Draw from the dot to the right edge${open < x.length - 1 ? `: ${open} more` : ""}.</span>` : ""}</div>`;
    return `<p class="title">${escape(upwards)}</p><div class="sketch">${picture(state, guesses, scales)}${settled ? "" : places.join("")}</div>${after}`;
  },

  set(state, place, value) {
    state.guesses = Object.assign([...drawnSoFar(state)], { [place]: value });
  },

  /** Where the pointer goes, the curve goes: what it leapt over is drawn straight. */
  drag(state, handle, left, height) {
    const { toX, fromY } = scalesOf(state);
    const place = state.x.reduce((best, _, i) => (i > 0 && Math.abs(toX(i) - left) < Math.abs(toX(best) - left) ? i : best), 1);
    const guesses = [...drawnSoFar(state)];
    guesses[place] = fromY(height);
    const last = guesses.findLastIndex((guess, i) => i < place && guess !== null);
    for (let i = last + 1; i < place; i += 1) {
      const share = (toX(i) - toX(last)) / (toX(place) - toX(last));
      guesses[i] = rounded(state, guesses[last] + share * (guesses[place] - guesses[last]));
    }
    state.guesses = guesses;
  },

  act(state, name, _, element) {
    state.settled = true;
    const { low, high, unit } = state;
    keepBet(state.name, { lines: made(state), low, high, unit });
    tell(element);
  },
};

const drawnSoFar = ({ guesses, x, measured }) => guesses ?? x.map((_, i) => (i ? null : measured[0]));
const rounded = ({ low, high, step }, value) => between(Number((step * Math.round(value / step)).toFixed(6)), low, high);
const shown = (value, unit) => `${value.toLocaleString("en", { maximumFractionDigits: 1 }).replace("-", "−")}${unit}`;

/** The points that the reader drew, as a bet keeps them. */
const made = ({ guesses, x, measured, across }) =>
  x.slice(1).map((place, i) => ({ label: `${across}: ${place}`, measured: measured[i + 1], guess: guesses[i + 1] }));

function scalesOf(state) {
  const { x, low, high, log } = state;
  const along = x.map((place) => (log ? Math.log(place) : place));
  const [first, last] = [along[0], along.at(-1)];
  return {
    toX: (i) => at(LEFT + ((RIGHT - LEFT) * (along[i] - first)) / (last - first)),
    toY: (value) => at(BASE - ((BASE - TOP) * (value - low)) / (high - low)),
    fromY: (height) => rounded(state, low + ((high - low) * (BASE - height)) / (BASE - TOP)),
  };
}

/** A slider that lies over its point, for the keyboard and for who does not see. */
function field({ low, high, step, unit, across, x }, { toX, toY }, i, guess) {
  const [value, said] = guess === null ? [(low + high) / 2, "not drawn yet"] : [guess, shown(guess, unit)];
  return `<input type="range" min="${low}" max="${high}" step="${step}" value="${value}" data-field="${i}" aria-label="${escape(across)}: ${x[i]}"
    aria-valuetext="${said}" style="left:${at((100 * toX(i)) / WIDE)}%;top:${at((100 * toY(value)) / HIGH)}%">`;
}

function picture(state, guesses, { toX, toY }) {
  const { x, measured, across, low, high, unit, settled } = state;
  const line = (values) => values.map((value, i) => (value === null ? "" : `${toX(i)},${toY(value)}`)).join(" ").trim();
  const dots = (values, kind, from) => values.map((value, i) => (value === null || i < from ? "" : `<circle class="${kind}" cx="${toX(i)}" cy="${toY(value)}" r="4"/>`)).join("");
  const rule = (value) => `<path class="line" d="M${LEFT} ${toY(value)}H${RIGHT + 8}"/><text class="soft end" x="${LEFT - 8}" y="${toY(value) + 3}">${shown(value, unit)}</text>`;
  const stops = x.map((place, i) => `<text class="soft middle" x="${toX(i)}" y="${BASE + 15}">${shown(place, "")}</text>`);
  const [left, height] = [toX(0), toY(measured[0])];
  const beside = height + (height > (TOP + BASE) / 2 ? -18 : 14); // below a low point stand the labels of the axis
  const hint = guesses.slice(1).some((guess) => guess !== null) ? "" : `<path class="q stroke" style="stroke-width:1.5" d="M${left + 14} ${beside}h30m-6 -4l6 4l-6 4"/><text class="q text" x="${left + 50}" y="${beside + 4}">draw</text>`;
  const [yours, theirs] = apart(toY(guesses.at(-1) ?? low), toY(measured.at(-1)));
  const names = settled ? `<text class="q text" x="${RIGHT + 10}" y="${yours}">you</text><text class="k text" x="${RIGHT + 10}" y="${theirs}">measured</text>` : "";
  const curve = settled ? `<polyline class="k stroke is-drawn" pathLength="1" points="${line(measured)}"/>${dots(measured, "k fill", 0)}` : dots(measured.slice(0, 1), "k fill", 0);
  const open = settled ? "" : `<rect data-handle="plot" data-now="" x="${LEFT - 6}" y="${TOP - 10}" width="${RIGHT - LEFT + 20}" height="${BASE - TOP + 20}" fill="transparent"/>`;
  const told = settled ? `You drew ${inWords(guesses, x, unit)}. Measured: ${inWords(measured, x, unit)}.` : `A curve to draw, from ${shown(measured[0], unit)} on.`;
  return `<svg viewBox="0 0 ${WIDE} ${HIGH}" role="img" aria-label="${escape(`${across} to the right. ${told}`)}">
    ${[low, (low + high) / 2, high].map(rule).join("")}<path class="axis" d="M${LEFT} ${TOP}V${BASE}H${RIGHT + 8}"/>${stops.join("")}
    <text class="middle" x="${(LEFT + RIGHT) / 2}" y="${BASE + 32}">${escape(across)}</text>
    ${hint}<polyline class="q stroke" points="${line(guesses)}"/>${dots(guesses, "q fill", 1)}${curve}${names}${open}</svg>`;
}

const inWords = (values, x, unit) => values.map((value, i) => `${shown(value, unit)} at ${x[i]}`).join(", ");

/** Two names at the end of two lines, never on one another. */
function apart(yours, theirs) {
  const gap = theirs - yours;
  if (Math.abs(gap) >= 13) return [yours + 4, theirs + 4];
  const side = gap < 0 ? -1 : 1;
  return [(yours + theirs) / 2 + 4 - 6.5 * side, (yours + theirs) / 2 + 4 + 6.5 * side];
}

function judged(state) {
  const { unit, below, above, x } = state;
  const lines = judgedLines({ ...state, lines: made(state) });
  const farthest = lines.reduce((best, line, i) => (Math.abs(line.off) > Math.abs(lines[best].off) ? i : best), 0);
  const { guess, measured } = lines[farthest];
  const mean = lines.reduce((total, { off }) => total + off, 0) / lines.length;
  const far = lines.reduce((total, { off }) => total + Math.abs(off), 0) / lines.length;
  if (far <= NEAR) return "Well drawn: hardly a hair between the two.";
  const told = `The farthest apart: at ${shown(x[farthest + 1], "")} you drew ${shown(guess, unit)}, and it was ${shown(measured, unit)}.`;
  const why = far <= HIT ? "" : mean < 0 ? below : above;
  return escape(why ? `${told} ${why}` : told);
}

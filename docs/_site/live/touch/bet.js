/* A bet: the reader guesses numbers with sliders before the page tells what was measured, and then sees both on one line. */

import { escape } from "../html.js";
import { HIT, judgedLines, keepBet, keptBets, NEAR } from "../kept.js";
import { tell, veil } from "./answer.js";
import { at, between, number, says } from "./draw.js";

const [LEFT, RIGHT] = [20, 340];

/** state: name, lines ({label, measured, below, above}), low, high, step, unit, guesses (null where none was made yet), settled. */
export const bet = {
  /** A bet that was made before stands there as it was made. */
  begin(state, element) {
    const guesses = keptBets()[state.name]?.lines.map(({ guess }) => guess);
    if (guesses?.length === state.lines.length) Object.assign(state, { guesses, settled: true });
    else veil(element);
  },

  view(state) {
    const { lines, settled } = state;
    const guesses = guessesOf(state);
    if (settled) {
      const rows = made(state).map((line) => `<div class="settled"><p class="title">${escape(line.label)}</p>${onALine(state, line)}${says(judged(line))}</div>`);
      return `${rows.join("")}<div class="controls"><button data-do="again">Guess again</button><span class="hint">${score()}</span></div>`;
    }
    const { low, high, step, unit } = state;
    const asked = lines.map(({ label }, i) => {
      const said = guesses[i] === null ? "?" : `${shown(guesses[i])}${unit}`;
      return `<label><span>${escape(label)}</span><input type="range" aria-label="${escape(label)}" min="${low}" max="${high}" step="${step}"
        value="${guesses[i] ?? middle(state)}" data-field="${i}" aria-valuetext="${guesses[i] === null ? "no guess yet" : said}"><b>${said}</b></label>`;
    });
    const open = guesses.includes(null);
    return `<div class="asked">${asked.join("")}</div><div class="controls"><button data-do="settle" ${open ? "disabled" : ""}>That is my guess</button>
      ${open ? `<span class="hint">Move ${lines.length > 1 ? "each slider" : "the slider"} first.</span>` : ""}</div>`;
  },

  set(state, field, value) {
    state.guesses = Object.assign([...guessesOf(state)], { [field]: value });
  },

  act(state, name, value, element) {
    state.settled = true;
    const { low, high, unit } = state;
    keepBet(state.name, { lines: made(state).map(({ label, measured, guess }) => ({ label, measured, guess })), low, high, unit });
    tell(element);
  },
};

const guessesOf = ({ guesses, lines }) => guesses ?? lines.map(() => null);

/** The lines, each with its guess. */
const made = ({ guesses, ...told }) => judgedLines({ ...told, lines: told.lines.map((line, i) => ({ ...line, guess: guesses[i] })) });

/** Where the knobs stand before there is a guess: it tells nothing. */
const middle = ({ low, high, step }) => low + step * Math.round((high - low) / 2 / step);

/** How the reader has guessed so far, in all lessons. */
function score() {
  const lines = Object.values(keptBets()).flatMap(judgedLines);
  const hits = lines.filter(({ off }) => Math.abs(off) <= HIT).length;
  if (!hits) return ""; // a nought encourages nobody
  return `Of your ${lines.length} ${lines.length === 1 ? "guess" : "guesses"} on this site ${hits} ${hits === 1 ? "was" : "were"} within 10 % of the slider.`;
}

function onALine({ low, high, unit }, { guess, measured }) {
  const x = (value) => at(LEFT + ((RIGHT - LEFT) * between(value - low, 0, high - low)) / (high - low));
  return `<svg viewBox="0 0 360 46" style="max-width:30em" role="img" aria-label="Your guess ${shown(guess)}${unit}, measured ${shown(measured)}${unit}.">
    <line class="axis" x1="${LEFT}" y1="22" x2="${RIGHT}" y2="22"/><line class="k stroke faint" x1="${x(guess)}" y1="22" x2="${x(measured)}" y2="22"/>
    <circle class="q stroke" cx="${x(guess)}" cy="22" r="6"/><circle class="k fill arrives" style="--from:${at(x(guess) - x(measured))}px" cx="${x(measured)}" cy="22" r="5"/>
    <text class="middle q text" x="${between(x(guess), 34, 326)}" y="11">you</text><text class="middle k text" x="${between(x(measured), 34, 326)}" y="41">measured</text>
    <text class="small soft end" x="${LEFT - 4}" y="25">${shown(low)}</text><text class="small soft" x="${RIGHT + 4}" y="25">${shown(high)}</text></svg>`;
}

function judged({ guess, measured, below, above, unit, off }) {
  const told = `You said ${shown(guess)}${unit}, and it was ${shown(measured)}${unit}.`;
  if (Math.abs(off) <= NEAR) return `${told} Well guessed.`;
  const why = Math.abs(off) <= HIT ? "" : off < 0 ? below : above;
  return why ? `${told} ${escape(why)}` : told;
}

const shown = (x) => (Number.isInteger(x) ? x.toLocaleString("en") : number(x, Math.abs(x) < 1 ? 2 : 1));

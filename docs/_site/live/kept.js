/* What this browser keeps of a reader: exercises, and beside them bets, dares and the pieces that were tried. It is sent nowhere. */

const KEPT = "clear-attention exercises";

/** What the reader has done: {name: {tries, solved, first}}, from this browser only. */
export function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) || {};
  } catch {
    return {}; // nothing is kept where storage is switched off
  }
}

export function keep(progress) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(progress));
  } catch {
    return; // the same
  }
}

/** Bets stand beside the exercises: {lines: [{label, measured, guess}], low, high, unit} for each name. */
export const keptBets = () => kept().bets ?? {};

export function keepBet(name, made) {
  keep({ ...kept(), bets: { ...keptBets(), [name]: made } });
}

/** A guess that is off by less than this share of the slider is praised. */
export const NEAR = 0.05;
/** One that is off by more hears which idea leads to it. */
export const HIT = 0.1;

/** The lines of a bet, each with how far the guess was off: as a share of the slider, less than 0 if it was too low. */
export const judgedLines = ({ lines, low, high, unit }) =>
  lines.map((line) => ({ ...line, unit, off: (line.guess - line.measured) / (high - low) }));

/** Dares of the date machine that were met: their names. */
export const keptDares = () => kept().dares ?? [];

export function keepDare(name) {
  keep({ ...kept(), dares: [...new Set([...keptDares(), name])] });
}

/** Pieces of lessons in which the reader has seen what the page tells below. */
export const keptSeen = () => kept().seen ?? [];

export function keepSeen(name) {
  keep({ ...kept(), seen: [...new Set([...keptSeen(), name])] });
}

/* Two dates in one row: where each letter looks and what the machine writes, with the dates kept apart or not. */

import { at, check, decoded, number, says, slider, sum } from "./draw.js";

const [STEP, HIGH, FLOOR] = [18, 70, 88];

/** state: firsts, seconds (dates to choose from), answers (for each of them), pick (which two are chosen), pairs (for each two: the maps of
 * both readings, and what is written after each), query (the place that looks), apart (whether the dates are kept apart). */
export const neighbours = {
  view(state) {
    const { firsts, seconds, pick, apart, query } = state;
    const dates = [firsts[pick[0]], seconds[pick[1]]];
    const letters = [...dates.join("")];
    const owner = (i) => Number(i >= dates[0].length);
    const { maps, writes } = state.pairs[pick[0]][pick[1]];
    const share = decoded(maps[Number(apart)][query]);
    const away = sum(share.filter((_, i) => owner(i) !== owner(query)));
    const written = writes[Number(apart)];
    const wrong = written.map((answer, i) => answer !== state.answers[i][pick[i]]);
    const verdict = ["Both are right", "The first is wrong", "The second is wrong", "Both are wrong"][wrong[0] + 2 * wrong[1]];
    const choices = (name, title, list, chosen) => `<div class="controls" role="group" aria-label="${title}"><span>${title}</span>${list.map((date, i) =>
      `<button data-do="${name}" data-value="${i}" aria-pressed="${i === chosen}">${date}</button>`).join("")}</div>`;
    return `${choices("first", "First date", firsts, pick[0])}${choices("second", "Second date", seconds, pick[1])}
      ${bars(letters, share, owner, query)}
      <div class="controls">${slider("Letter that looks", "query", query, [0, letters.length - 1, 1], `place ${query}`)}
      ${check("keep the dates apart", "apart", apart)}</div>
      ${says(`The ${letters[query] === " " ? "space" : letters[query]} at place ${query} gives ${number(100 * away, 0)} % of its weight to the other date.
        The machine writes ${written.join(" and ")}. ${verdict}.`)}`;
  },

  set(state, field, value) {
    state[field] = value;
  },

  act(state, name, value) {
    if (name === "query") {
      state.query = value;
      return;
    }
    state.pick[name === "first" ? 0 : 1] = value;
    state.query = state.firsts[state.pick[0]].length; // where the second date begins
  },

  seen: ({ apart }) => apart,
};

function bars(letters, share, owner, query) {
  const columns = letters.map((letter, i) => {
    const [x, high] = [STEP * i, at((HIGH * share[i]) / Math.max(...share))]; // the largest is as high as there is room
    const kind = owner(i) ? "q" : "k";
    return `<g data-do="query" data-value="${i}" style="cursor:pointer"><rect x="${x}" y="0" width="${STEP}" height="${FLOOR + 26}" fill="transparent"/>
      <rect class="${kind} fill" x="${x + 3}" y="${at(FLOOR - high)}" width="${STEP - 6}" height="${high}"/>
      <text class="middle ${kind} text" style="font-size:14px" x="${x + STEP / 2}" y="${FLOOR + 18}">${letter === " " ? "␣" : letter}</text>
      ${share[i] < 0.1 ? "" : `<text class="small middle" x="${x + STEP / 2}" y="${at(FLOOR - high - 4)}">${number(100 * share[i], 0)}</text>`}</g>`;
  });
  const wide = STEP * letters.length;
  return `<svg viewBox="0 0 ${wide} ${FLOOR + 28}" style="max-width:${wide * 1.4}px" role="img" aria-label="A bar for each letter of the row: how many per cent of
    its weight the chosen letter gives it.">${columns.join("")}<path class="axis" d="M0 ${FLOOR}H${wide}"/>
    <rect class="axis" x="${STEP * query + 1}" y="${FLOOR + 4}" width="${STEP - 2}" height="20" style="stroke-width:2"/></svg>`;
}

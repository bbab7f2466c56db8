/* A tug of war: what each letter of the year, and all others together, add to the points of one digit or of its rival. */

import { escape } from "../html.js";
import { at, check, number, says, slider, sum } from "./draw.js";

const [MIDDLE, LONG, ROW, TOP, WIDE] = [170, 108, 26, 30, 330]; // of the drawing
const WHICH = ["third", "fourth"];

/** state: texts (a text, its four digits, and which the brief and the long training read), pulls (training → text → digit → five numbers,
 * those of the year's digits and of all else, above 0 for the right digit), now (which text), digit (0: the third is asked, 1: the fourth),
 * longer (whether the machine was trained for longer), both (whether the reader may choose that). */
export const pulling = {
  view(state) {
    const { texts, pulls, now, digit, longer, both } = state;
    const { text, year, read } = texts[now];
    const [right, rival] = [year[2 + digit], year[3 - digit]];
    const teams = pulls[longer ? 1 : 0][now][digit];
    const [most, total] = [Math.max(...teams.map(Math.abs)), sum(teams)];
    const rows = teams.map((pull, i) => {
      const [y, end] = [TOP + ROW * i, MIDDLE + (LONG * pull) / most];
      const name = i < 4
        ? `<rect class="line" x="0" y="${y}" width="22" height="20" rx="4"/><text class="middle" x="11" y="${y + 15}">${year[i]}</text>`
        : `<text class="small" x="0" y="${y + 14}">all others</text>`;
      return `${name}<rect class="${pull < 0 ? "k" : "q"} fill" x="${at(Math.min(MIDDLE, end))}" y="${y + 1}" width="${at(Math.abs(end - MIDDLE))}" height="18"/>
        <text class="small ${pull < 0 ? "end" : ""}" x="${at(end + (pull < 0 ? -5 : 5))}" y="${y + 14}">${number(Math.abs(pull))}</text>`;
    });
    const low = TOP + ROW * teams.length;
    const winner = total > 0 ? right : rival;
    const writes = read[longer ? 1 : 0];
    return `<div class="controls">${slider("Text", "now", now, [0, texts.length - 1, 1], escape(text))}
      ${slider("Digit of the year", "digit", digit, [0, 1, 1], WHICH[digit])}
      ${both ? check("trained three times as long", "longer", longer) : ""}</div>
      <svg viewBox="0 0 ${WIDE} ${low + 4}" style="max-width:34em" role="img" aria-label="A bar for each letter of the year and for all others together: to the
        right what it adds to the points of the digit that stands there, to the left what it adds to those of its rival.">
      <text class="k text end" x="${MIDDLE - 14}" y="20">← for the ${rival}</text><text class="q text" x="${MIDDLE + 14}" y="20">for the ${right} →</text>
      ${rows.join("")}<path class="axis" d="M${MIDDLE} ${TOP - 4}V${low}"/></svg>
      ${says(`${total > 0 ? "To the right" : "To the left"} it is more, by ${number(Math.abs(total))}. So the ${WHICH[digit]} digit becomes a ${winner}${
        winner === right ? "" : `, though it is a ${right}`}. The machine writes ${writes}.`)}`;
  },
};

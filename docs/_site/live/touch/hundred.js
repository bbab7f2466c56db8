/* A hundred answers at each of three temperatures, a square each: press one, and it tells what was written. */

import { escape } from "../html.js";
import { says } from "./draw.js";

const [SIDE, GAP, PANEL] = [10, 11.4, 128];
const COLOURS = ["q", "k", "n", "n"]; // of the two answers that are looked for, of others in the form of a date, and of what has no such form
const BROKEN = "fill:var(--ca-fourth);fill-opacity:.15;stroke:var(--ca-fourth);stroke-width:1.6;";

/** state: common (two answers), panels ({heat, answers}, those with the first answer at the front, then those with the second), chosen (which
    square of all; null before one is pressed). */
export const hundred = {
  view({ common, panels, chosen }) {
    const drawn = panels.map(({ heat, answers }, p) => {
      const squares = answers.map((answer, i) => {
        const n = 100 * p + i;
        const [x, y] = [PANEL * p + 4 + GAP * (i % 10), 22 + GAP * Math.floor(i / 10)];
        const what = kind(common, answer);
        return `<rect data-do="pick" data-value="${n}" data-kind="${what}" style="cursor:pointer;${what === 3 ? BROKEN : ""}${n === chosen ? "stroke:currentColor;stroke-width:2;" : ""}" class="${COLOURS[what]} fill"
          x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${SIDE}" height="${SIDE}" rx="1.5"/>`;
      });
      return `<g><text class="middle" x="${PANEL * p + 60}" y="12">temperature ${heat}</text>${squares.join("")}</g>`;
    });
    const key = [...common, "another in the form of a date", "without this form"].map((name, i) => `<span><svg viewBox="0 0 10 10" style="display:inline;width:.8em;height:.8em" aria-hidden="true"><rect class="${COLOURS[i]} fill" ${i === 3 ? `style="${BROKEN}" x="1" y="1" width="8" height="8"` : 'width="10" height="10"'} rx="1.5"/></svg> ${escape(name)}</span>`);
    return `<svg viewBox="0 0 ${2 * PANEL + 122} 140" style="max-width:40em" role="img" aria-label="Three large squares of a hundred small ones. ${panels.map((panel) => counted(common, panel)).join(" ")}">${drawn.join("")}</svg>
      <div class="controls">${key.join("")}<button data-do="next">Another rare one</button></div>
      ${says(chosen === null ? "Press a square to read its answer." : told(panels, chosen))}`;
  },

  act(state, name, value) {
    if (name === "pick") state.chosen = value;
    if (name === "next") {
      const rare = state.panels.flatMap(({ answers }, p) => answers.map((answer, i) => (kind(state.common, answer) >= 2 ? 100 * p + i : -1))).filter((n) => n >= 0);
      const answer = (n) => state.panels[Math.floor(n / 100)].answers[n % 100];
      const before = state.chosen ?? -1;
      state.chosen = rare.find((n) => n > before && (before < 0 || answer(n) !== answer(before))) ?? rare[0];
    }
  },

  seen: ({ chosen }) => chosen !== null,
};

/** Which of the two common answers this one is, 2 if it has at least the form of a date, or 3. */
const kind = (common, answer) => (common.includes(answer) ? common.indexOf(answer) : isForm(answer) ? 2 : 3);

function counted(common, { heat, answers }) {
  const [first, second, others, broken] = [0, 1, 2, 3].map((wanted) => answers.filter((answer) => kind(common, answer) === wanted).length);
  return `At temperature ${heat}: ${first} times ${common[0]}, ${second} times ${common[1]}, ${others} others in the form of a date, ${broken} without it.`;
}

function told(panels, chosen) {
  const { heat, answers } = panels[Math.floor(chosen / 100)];
  const answer = answers[chosen % 100];
  const times = answers.filter((other) => other === answer).length;
  return `At temperature ${heat} it wrote ${answer ? `“${escape(answer)}”` : "nothing at all"}, ${times === 1 ? "once" : `${times} times`} in a hundred${isForm(answer) ? "" : ": not even the form of a date"}.`;
}

const isForm = (answer) => /^\d{4}-\d\d-\d\d$/.test(answer);

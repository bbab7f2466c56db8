/* A training, step by step: what the machine writes so far, and how many letters are wrong. */

import { escape } from "../html.js";
import { at, number, player, says, slider } from "./draw.js";

/** state: texts, right (the answers wanted, "" where there is none), steps, written (for each step, an answer to each text),
    wrong (the share of wrong letters: before the first step, and then in the steps up to each), now (which step is shown) and
    playing (whether it goes on by itself). */
export const growth = {
  view({ texts, right, steps, written, wrong, now, playing }) {
    const rows = texts.map((text, i) => {
      const answer = written[now][i];
      const mark = right[i] === "" ? "" : answer === right[i] ? "✓" : "✗";
      const letters = [...answer].map((c, k) => `<span class="${right[i] !== "" && c !== right[i][k] ? "off" : ""}">${escape(c)}</span>`);
      return `<tr><th scope="row">${escape(text)}</th><td class="written">${letters.join("")}</td><td>${mark}</td></tr>`;
    });
    const good = texts.filter((_, i) => right[i] !== "" && written[now][i] === right[i]).length;
    const known = right.filter(Boolean).length;
    const share = number(100 * wrong[now], 1);
    return `<div class="controls">${slider("Step", "now", now, [0, steps.length - 1, 1], steps[now].toLocaleString("en"))}${player("Let it learn", playing)}</div>
      <table><thead><tr><th scope="col">text</th><th scope="col">what it writes</th><th scope="col">right?</th></tr></thead>
      <tbody>${rows.join("")}</tbody></table>${curve(steps, wrong, now)}
      ${says(`After ${steps[now].toLocaleString("en")} steps, ${good} of these ${known} dates ${good === 1 ? "is" : "are"} right.${now ? ` In the last ${steps[now] - steps[now - 1]}
        steps ${share} % of the letters were wrong, given the right ones before.` : ` Every matrix is random, and ${share} % of the letters are wrong.`}`)}`;
  },

  /** Go to the next step, or from the last one back to the first; say whether there are more. */
  play(state) {
    state.now = (state.now + 1) % state.steps.length;
    return state.now < state.steps.length - 1;
  },

  seen: ({ now, steps }) => now === steps.length - 1,
};

function curve(steps, wrong, now) {
  const [last, most] = [steps.at(-1), Math.max(...wrong)];
  const point = (i) => [at(36 + (254 * steps[i]) / last), at(70 - (60 * wrong[i]) / most)];
  const [x, y] = point(now);
  const here = `<circle class="q fill" cx="${x}" cy="${y}" r="5"/>`;
  return `<svg viewBox="0 0 300 92" style="max-width:30em" role="img" aria-label="The share of wrong letters against the steps of the training: it falls fast, and then slowly.">
    <path class="axis" d="M36 8V70H292M33 10h3M33 70h3"/><polyline class="q stroke" style="stroke-width:1.5" points="${wrong.map((_, i) => point(i)).join(" ")}"/>${here}
    <text class="small soft end" x="30" y="13">${number(100 * most, 0)} %</text><text class="small soft end" x="30" y="73">0</text>
    <text class="small soft" x="76" y="14">wrong letters</text><text class="small soft end" x="292" y="84">step ${last.toLocaleString("en")}</text></svg>`;
}

/* Answers of two letters as a tree: which of them greedy search finds, and which a beam. */

import { number, says, slider } from "./draw.js";

const [LEFT, RIGHT, END] = [58, 150, 250]; // where the letters of each step stand
const HEIGHT = [40, 120];

/** state: first, the probability that A comes first (else B); best, of what is most probable after each; width. */
export const tree = {
  view({ first, best, width }) {
    const answers = ["A", "B"].map((letter, i) => {
      const [one, two] = [i ? 1 - first : first, best[i]];
      return { letter, one, two, y: HEIGHT[i], total: one * two };
    });
    const greedy = answers[0].one >= answers[1].one ? answers[0] : answers[1];
    const kept = width === 1 ? [greedy] : answers;
    const found = kept.reduce((a, b) => (b.total > a.total ? b : a));
    const better = answers.find(({ total }) => total > found.total + 1e-9);
    const drawn = answers.map((one) => branch(one, kept.includes(one), one === found));
    const chosen = (n) => `<button data-do="width" data-value="${n}" aria-pressed="${n === width}">${n === 1 ? "one: greedy" : "two: a beam"}</button>`;
    const product = ({ letter, one, two, total }) => `${letter} and what is best after it: ${number(one)} · ${number(two)} = ${number(total, 3)}`;
    return `<svg viewBox="0 0 330 160" style="max-width:34em" role="img" aria-label="A tree: the first letter is A or B, and each is followed by its best second letter.">
      <text x="8" y="84">start</text>${drawn.join("")}</svg>
      <div class="controls">${slider("A comes first with", "first", first, [0.5, 0.9, 0.05], number(first))}</div>
      <div class="controls"><span>Beginnings kept</span>${chosen(1)}${chosen(2)}</div>
      ${says(`Found: ${product(found)}. ${better ? `Missed: ${product(better)}.` : "No answer is more probable."}`)}`;
  },

  act(state, name, value) {
    state[name] = value;
  },
};

function branch({ letter, one, two, y, total }, isKept, isFound) {
  const kind = isFound ? "v stroke" : isKept ? "q stroke" : "axis dashed";
  return `<path class="${kind}" d="M40 80L${LEFT + 34} ${y}M${RIGHT - 38} ${y}H${END - 12}"/>
    <text x="${LEFT + 40}" y="${y + 4}" style="font-weight:600">${letter}</text><text class="small" x="${LEFT - 4}" y="${y < 80 ? 52 : 116}">${number(one)}</text>
    <text class="small middle" x="${(RIGHT + END) / 2 - 25}" y="${y - 6}">best after ${letter}: ${number(two)}</text>
    <text x="${END}" y="${y + 4}" ${isFound ? 'class="v text"' : ""}>${number(total, 3)}</text>`;
}

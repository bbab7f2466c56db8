/* A head that looks by letters: who looks at whom, which weight the sign ^ gets, and whether this tells a number in every text. */

import { blueShade } from "../colour.js";
import { says, sum } from "./draw.js";

const [SIGNS, LETTERS, LONGEST] = [[..."^abc"], [..."abc"], 4];
const count = (text, counts) => [...text].filter(counts).length;
const TASKS = [
  ["how often it occurs", (text, letter) => count(text, (other) => other === letter)],
  ["how many letters are smaller", (text, letter) => count(text, (other) => other < letter)],
];

/** state: text, texts (to choose from), task (its place in TASKS: a page shows one) and wishes (for each of LETTERS, 1 for each of SIGNS that it looks at). */
export const looks = {
  view({ text, texts, task, wishes: asked }) {
    const choices = texts.map((one, i) => `<button data-do="text" data-value="${i}" aria-pressed="${one === text}">${one}</button>`).join("");
    const buttons = asked.map((row, i) => row.map((wish, j) => `<td><button data-do="wish" data-value="${i * SIGNS.length + j}" aria-pressed="${wish === 1}"
      aria-label="${LETTERS[i]} looks at ${SIGNS[j]}">${wish}</button></td>`));
    const cells = [...text].map((letter) => {
      const looked = keysOf(asked, text, letter);
      const wanted = TASKS[task][1](text, letter);
      const said = read(looked);
      return [...weightsOf(looked).map((x) => `<td class="weight" style="${blueShade(x)}">${x ? part(x) : ""}</td>`),
        `<td>${said === wanted ? "" : "✗ "}${said}</td>`, `<td>${wanted}</td>`];
    });
    return `<p>Each letter should say ${TASKS[task][0]}.</p>
      <div class="panels">${table("Wishes", LETTERS, SIGNS, buttons)}
      <div>${table("Weights", [...text], ["^", ...text, "says", "should"], cells)}
      <div class="controls" role="group" aria-label="Text"><span>Text</span>${choices}<button data-do="again">Start again</button></div></div></div>
      ${says(verdict(asked, task, text))}`;
  },

  act(state, name, value) {
    if (name === "text") state.text = state.texts[value];
    if (name === "wish") state.wishes[Math.floor(value / SIGNS.length)][value % SIGNS.length] ^= 1;
  },

  seen: ({ wishes: asked, task }) => !TEXTS.some((text) => failing(asked, task, text)),
};

/** Tell for ^ and each letter of a text whether a letter looks at it: at all of them if it wishes for none. */
function keysOf(asked, text, letter) {
  const looked = ["^", ...text].map((key) => asked[LETTERS.indexOf(letter)][SIGNS.indexOf(key)]);
  return sum(looked) ? looked : looked.map(() => 1);
}

const weightsOf = (looked) => looked.map((x) => x / sum(looked));
/** What the weight of ^ tells: with n others it is 1 / (n + 1). */
const read = (looked) => (looked[0] ? sum(looked) - 1 : "?");
const part = (x) => (x === 0 || x === 1 ? `${x}` : `1/${Math.round(1 / x)}`);

/** All texts of up to LONGEST letters, the shortest first. */
const TEXTS = Array.from({ length: LONGEST }).reduce((all) => [...all, all.at(-1).flatMap((text) => LETTERS.map((letter) => text + letter))], [[""]]).slice(1).flat();

/** The first letter of a text that does not say what it should. */
const failing = (asked, task, text) => [...text].find((letter) => read(keysOf(asked, text, letter)) !== TASKS[task][1](text, letter));

function verdict(asked, task, text) {
  const fails = (one) => failing(asked, task, one);
  const wrong = TEXTS.filter(fails);
  if (!wrong.length) return `Solved: right in all ${TEXTS.length} texts of up to ${LONGEST} letters.`;
  const shown = fails(text) ? text : wrong[0];
  const letter = fails(shown);
  const number = TASKS[task][1](shown, letter);
  const [got] = weightsOf(keysOf(asked, shown, letter));
  return `Right in ${TEXTS.length - wrong.length} of the ${TEXTS.length} texts of up to ${LONGEST} letters. In “${shown}” the ${letter} should say ${number}, so that ^ must get ${number ? part(1 / (number + 1)) : "all"} of its weight, and not ${part(got)}.`;
}

function table(caption, side, head, rows) {
  const columns = head.map((name) => `<th scope="col">${name}</th>`);
  const lines = rows.map((row, i) => `<tr><th scope="row">${side[i]}</th>${row.join("")}</tr>`);
  return `<table class="wishes looks"><caption>${caption}</caption><thead><tr><td></td>${columns.join("")}</tr></thead><tbody>${lines.join("")}</tbody></table>`;
}

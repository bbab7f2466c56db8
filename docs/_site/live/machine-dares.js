/* Dares: what a reader may bring the date machine to. It is tried when the reader says so, and what was met once stays met. */

import { wrongWith } from "./engine/dates.js";
import { escape } from "./html.js";
import { keepDare, keptDares } from "./kept.js";
import { isWhole } from "./machine-state.js";

const NOT_WHOLE = "Put it together again first: this is a dare for the whole machine.";
const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text);
const sureness = (sure) => `It is ${Math.round(100 * sure)} % sure.`;

/* Each has a name, what is dared, and what stands in its way: "" if nothing does. */
const DARES = [
  ["calendar", "Make the whole machine write a day that no calendar has.", ({ state, result: { answer } }) =>
    !isWhole(state) ? NOT_WHOLE : !isDay(answer) ? `“${answer}” is not in the form of a date.` : wrongWith(answer) ? "" : `There is a day ${answer}.`],
  ["no-digit", "Give it a text without any digit, and let it make up a year between 1950 and 2049.", ({ state, text, result: { answer } }) => {
    if (!isWhole(state)) return NOT_WHOLE;
    if (/\d/.test(text)) return "There is a digit in your text.";
    const year = Number(answer.slice(0, 4));
    return isDay(answer) && year >= 1950 && year <= 2049 ? "" : `It writes ${answer}.`;
  }],
  ["unsure", "Make it less than half sure of its own answer.", ({ state, result: { sure } }) =>
    !isWhole(state) ? NOT_WHOLE : sure < 0.5 ? "" : sureness(sure)],
  ["hidden", "Hide one letter, so that a single digit of the answer is wrong.", ({ state, means, result: { answer } }) => {
    if (state.hidden.length !== 1 || !isWhole({ ...state, hidden: [] })) return "Hide one letter, and change nothing else.";
    if (!means) return "This page does not know what your text means: write it in a form that the machine has learnt.";
    const wrong = [...means].filter((digit, i) => digit !== answer[i]).length;
    return wrong === 1 ? "" : `It writes ${answer}, and ${wrong || "no"} digits are wrong.`;
  }],
  ["heads", "Switch off four heads, and let it still be right.", ({ state, means, result: { answer } }) =>
    state.off.length < 4 || !isWhole({ ...state, off: [] }) ? "Switch off four heads or more, and change nothing else."
      : means === answer ? "" : `It writes ${answer}${means ? ` in place of ${means}` : ""}.`],
  ["bag", "Take the machine without positions, and find a date that it reads right.", ({ state, means, result: { answer } }) =>
    state.sibling !== "dates-no-positions" ? "Choose the machine without positions." : means === answer ? "" : `It writes ${answer}${means ? ` in place of ${means}` : ""}.`],
  ["misread", "The hard one: find a date, written in a form that it has learnt, that the whole machine reads wrong.", ({ state, means, result: { answer } }) =>
    !isWhole(state) ? NOT_WHOLE : !means ? "It has not learnt this form." : means === answer ? "It reads this one right." : ""],
];

export function dares({ heard }) {
  const met = keptDares();
  const rows = DARES.map(([name, dared]) => `<li class="${met.includes(name) ? "met" : ""}"><button data-do="dare" data-value="${name}">Now!</button>
    <span>${escape(dared)}${met.includes(name) ? " <b>Met.</b>" : ""}</span></li>`);
  return `<h2>Seven dares</h2><p>Bring the machine to it, above, and press the button beside the dare. ${met.length} of ${DARES.length} met.</p>
    <ul class="dares">${rows.join("")}</ul><p class="heard" aria-live="polite">${escape(heard ?? "")}</p>`;
}

/** Try a dare on the machine as it stands, and say how it went. */
export function tried(name, machine) {
  const [, , inTheWay] = DARES.find(([own]) => own === name);
  const problem = machine.problem || inTheWay(machine);
  if (problem) return `Not yet. ${problem}`;
  keepDare(name);
  return keptDares().length === DARES.length ? "Met, and with it all seven." : "Met!";
}

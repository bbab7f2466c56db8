/* A network of two alarms whose numbers the reader sets, and what it answers in all four cases: for tables of two things. */

import { between, number, says, sum } from "./draw.js";

const CASES = [["neither", [0, 0]], ["a 7", [1, 0]], ["an 8", [0, 1]], ["both", [1, 1]]];
const PARTS = ["a 7 adds", "an 8 adds", "bias", "vote"];
const MOST = 2; // of each number, up and down

/** state: alarms (each a list of what PARTS names), wanted (0 or 1 for each case), made (the tables that were reached, as texts). */
export const wiring = {
  view({ alarms, wanted, made }) {
    const rows = PARTS.map((part, i) => `<tr><th scope="row">${part}</th>${alarms.map((alarm, n) => `<td>${stepper(alarm[i], PARTS.length * n + i, `alarm ${n + 1}, ${part}`)}</td>`).join("")}</tr>`);
    const found = answers(alarms);
    const cases = CASES.map(([name, there], i) => `<tr><th scope="row">${name}</th>${alarms.map((alarm) => rings(loudness(alarm, there), alarm.at(-1))).join("")}
      <td class="${found[i] === wanted[i] ? "v" : "k"} text">${found[i] === wanted[i] ? "✓" : "✗"} <b>${number(found[i], 0)}</b></td><td><button data-do="want" data-value="${i}"
      aria-label="${name}: wanted is ${wanted[i]}">${wanted[i]}</button></td></tr>`);
    return `<div class="wiring"><table><caption>Your alarms</caption>${head("", ...names(alarms))}<tbody>${rows.join("")}</tbody></table>
      <table><caption>Loudness · vote in all four cases</caption>${head("found", ...names(alarms), "answer", "wanted")}<tbody>${cases.join("")}</tbody></table></div>
      <div class="controls"><button data-do="clear">Silence both alarms</button><button data-do="again">Start again</button></div>
      ${says(verdict(found, wanted, made))}`;
  },

  act(state, name, value) {
    if (name === "clear") state.alarms = state.alarms.map((alarm) => alarm.map(() => 0));
    else if (name === "want") state.wanted[value] = 1 - state.wanted[value];
    else {
      const [n, i] = [Math.floor(value / PARTS.length), value % PARTS.length];
      state.alarms[n][i] = between(state.alarms[n][i] + (name === "more" ? 1 : -1), -MOST, MOST);
    }
    const table = state.wanted.join("");
    if (table === answers(state.alarms).join("") && !state.made.includes(table)) state.made.push(table);
  },

  seen: ({ alarms, wanted }, start) => answers(alarms).join() === wanted.join() && wanted.join() === start.wanted.join(),
};

const loudness = ([seven, eight, bias], [a, b]) => Math.max(0, seven * a + eight * b + bias);
const answers = (alarms) => CASES.map(([, there]) => sum(alarms.map((alarm) => loudness(alarm, there) * alarm.at(-1))));

const names = (alarms) => alarms.map((_, n) => `alarm ${n + 1}`);
const head = (...columns) => `<thead><tr>${columns.map((column) => (column ? `<th scope="col">${column}</th>` : "<td></td>")).join("")}</tr></thead>`;
const rings = (loud, vote) => `<td class="${loud ? "rings" : "soft"}">${loud} · ${number(vote, 0)}</td>`;

const stepper = (value, place, label) => `<span>${step("less", "−", value === -MOST, place, label)}<b>${number(value, 0)}</b>${step("more", "+", value === MOST, place, label)}</span>`;
const step = (name, sign, ends, place, label) => `<button data-do="${name}" data-value="${place}" aria-disabled="${ends}" aria-label="${label}: ${name}">${sign}</button>`;

function verdict(found, wanted, made) {
  const right = wanted.filter((answer, i) => answer === found[i]).length;
  const reached = made.length ? ` Tables that you have made: ${made.length} of ${2 ** CASES.length}.` : "";
  return `${right === CASES.length ? "All four answers are right." : `${right} of ${CASES.length} answers ${right === 1 ? "is" : "are"} right.`}${reached}`;
}

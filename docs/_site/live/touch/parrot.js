/* A table that is shown one word and reads another: the more letters it looks back, the better it knows the first, and in the end only that. */

import { at, number, says, sum } from "./draw.js";

const [LETTERS, LONGEST] = [26, 14]; // that there are; of a word
const BACKS = [0, 1, 2, 3, 4];
const MET = 0.9; // the share of what the table has met; the rest is for all letters alike
const [LEFT, RIGHT, TOP, FOOT] = [30, 250, 16, 140];
const BEGINNING = "·";

/** state: shown and unseen (words), back (how many letters the table looks back), tried (with which of these, in their order: only they are drawn). */
export const parrot = {
  view({ shown, unseen, back, tried }) {
    const table = tableOf(shown, back);
    const lines = [["Shown", shown], ["New", unseen]].map(([title, word]) => `<p class="title">${title}: ${number(mean(bits(table, word, back)), 2)} bits a letter</p>${boxes(table, word, back)}`);
    const word = (label, field, value) => `<label>${label} <input type="text" data-field="${field}" maxlength="${LONGEST}" autocomplete="off" autocapitalize="none" spellcheck="false" style="width:9em" value="${value}"></label>`;
    const buttons = BACKS.map((n) => `<button data-do="back" data-value="${n}" aria-pressed="${n === back}">${n}</button>`);
    const told = shown && unseen ? `Looking back ${plural(back)}, the table pays ${number(mean(bits(table, shown, back)), 2)} bits for a letter of ${shown}, and ${number(mean(bits(table, unseen, back)), 2)} for one of ${unseen}.`
      : "Each word needs a letter, from a to z.";
    return `<div class="parrot"><div class="controls">${word("Shown", "shown", shown)}${word("New", "unseen", unseen)}</div>
      <div class="controls" role="group" aria-label="Letters back"><span>Letters back</span>${buttons.join("")}</div>
      <div class="panels"><div class="side">${met(table, back)}${back ? `<p class="hint">${BEGINNING} is the beginning.</p>` : ""}</div><div>${lines.join("")}${curves(shown, unseen, back, tried)}</div></div>${says(told)}</div>`;
  },

  set(state, field, value) {
    state[field] = value.toLowerCase().replace(/[^a-z]/g, "");
  },

  act(state, name, value) {
    state.back = value;
    if (!state.tried.includes(value)) state.tried = [...state.tried, value].sort();
  },

  seen: ({ tried }) => [0, 2, 3].every((back) => tried.includes(back)),
};

const plural = (n) => (n === 1 ? "one letter" : `${n || "no"} letters`);
const mean = (numbers) => sum(numbers) / (numbers.length || 1);

/** What stands before a letter: so many letters, or all there are, from the beginning. */
const before = (word, i, back) => (BEGINNING + word).slice(Math.max(i + 1 - back, 0), i + 1);

/** By what came before: the letters that came next. */
function tableOf(word, back) {
  const table = new Map();
  [...word].forEach((c, i) => table.set(before(word, i, back), (table.get(before(word, i, back)) ?? "") + c));
  return table;
}

/** The surprise at each letter of a word. */
function bits(table, word, back) {
  return [...word].map((c, i) => {
    const after = table.get(before(word, i, back));
    if (!after) return Math.log2(LETTERS);
    return -Math.log2((MET * (after.split(c).length - 1)) / after.length + (1 - MET) / LETTERS);
  });
}

function boxes(table, word, back) {
  const spans = bits(table, word, back).map((b, i) => `<span style="--bits:${at(b)}"><b>${word[i]}</b><small>${number(b, 2)}</small></span>`);
  return `<div class="surprised">${spans.join("")}</div>`;
}

function met(table, back) {
  const rows = [...table].map(([key, after]) => `<tr><th scope="row">${key || "any place"}</th><td>${[...after].join(" ")}</td></tr>`);
  return `<table><thead><tr><th scope="col">${back ? "after" : "at"}</th><th scope="col">came</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function curves(shown, unseen, now, tried) {
  const costs = (word) => BACKS.map((back) => mean(bits(tableOf(shown, back), word, back)));
  const [known, fresh] = [costs(shown), costs(unseen)];
  const most = Math.max(4, ...known, ...fresh);
  const [x, y] = [(n) => at(LEFT + 12 + ((RIGHT - LEFT - 24) * n) / BACKS.at(-1)), (b) => at(FOOT - ((FOOT - TOP) * b) / most)];
  const line = (values, kind) => `<g class="${kind}"><polyline class="stroke" style="fill:none;stroke-width:2" points="${tried.map((n) => `${x(n)},${y(values[n])}`).join(" ")}"/>
    ${tried.map((n) => `<circle class="fill" cx="${x(n)}" cy="${y(values[n])}" r="${n === now ? 5 : 2.5}"/>`).join("")}</g>`;
  const ticks = BACKS.map((n) => `<text class="small soft middle" x="${x(n)}" y="${FOOT + 14}">${n}</text>`);
  return `<svg viewBox="0 0 260 188" role="img" aria-label="Bits a letter, against the letters back: ${tried.map((n) => `with ${n} ${shown} ${number(known[n], 2)} and ${unseen} ${number(fresh[n], 2)}`).join(", ")}.">
    <path class="axis" d="M${LEFT} ${TOP}V${FOOT}H${RIGHT}M${LEFT - 3} ${TOP}h3"/><text class="small soft end" x="${LEFT - 5}" y="${TOP + 4}">${number(most, 0)}</text>
    <text class="small soft end" x="${LEFT - 5}" y="${FOOT + 3}">0</text><text class="small soft" x="${LEFT}" y="${TOP - 6}">bits a letter</text>${ticks.join("")}
    <text class="small soft middle" x="${(LEFT + RIGHT) / 2}" y="${FOOT + 28}">letters back</text>${line(known, "q")}${line(fresh, "k dashed")}
    <text class="small q text" x="${LEFT}" y="${FOOT + 45}">shown: ${shown}</text><text class="small k text end" x="${RIGHT}" y="${FOOT + 45}">new: ${unseen} (dashed)</text></svg>`;
}

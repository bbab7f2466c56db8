/* How the head designer looks: puzzles, switches, the map of an example, and what the check found. */

import { shade } from "./colour.js";
import { attend, lines } from "./head-check.js";
import { LONGEST, shown, switchesOn } from "./head-state.js";
import { escape } from "./html.js";
import { number, slider } from "./touch/draw.js";

const KINDS = { always: "always", letter: "its letter", place: "its place" };
const HANDS = { letter: "its letter", start: "“I am the start sign”" };

export function view(designer) {
  return `<div class="box">${puzzles(designer)}${task(designer)}
    <div class="columns"><div>${choices(designer)}${table(designer)}${chosen(designer)}</div>
    <div>${example(designer)}</div></div>
    ${verdict(designer)}${help(designer)}
    <p role="status">${escape(designer.message)}</p></div>`;
}

function stars({ par }, fewest) {
  if (fewest === undefined) return "";
  return fewest <= par ? "★★" : "★";
}

function puzzles({ puzzles, state, kept }) {
  const buttons = puzzles.map((puzzle, i) => {
    const won = stars(puzzle, kept[puzzle.id]);
    const said = { "": "", "★": ", solved", "★★": ", solved at par" }[won];
    return `<button data-do="puzzle" data-value="${puzzle.id}" aria-pressed="${puzzle.id === state.puzzle}"
      aria-label="Puzzle ${i + 1}: ${escape(puzzle.title)}${said}">${i + 1}${won && ` <span class="star">${won}</span>`}</button>`;
  });
  return `<div class="row" role="group" aria-label="Puzzles">${buttons.join("")}</div>`;
}

function task({ puzzle, puzzles }) {
  return `<p class="title">${puzzles.indexOf(puzzle) + 1}. ${escape(puzzle.title)}</p>
    <p class="task">${escape(puzzle.task)} <b>Par: ${switches(puzzle.par)}.</b></p>`;
}

const switches = (n) => `${n} ${n === 1 ? "switch" : "switches"}`;

function choices({ state }) {
  const group = (title, name, words, isOn) => `<div class="row" role="group" aria-label="${title}"><span>${title}</span>
    ${Object.entries(words).map(([value, word]) => `<button data-do="${name}" data-value="${value}"
    aria-pressed="${isOn(value)}">${word}</button>`).join("")}</div>`;
  const { always, ...ofKeys } = KINDS;
  return group("A query reads", "queries", { always, ...ofKeys }, (kind) => state.queries.includes(kind)) +
    group("A key reads", "keys", ofKeys, (kind) => state.keys.includes(kind)) +
    group("A key hands over", "hands", HANDS, (hands) => state.hands === hands);
}

const signOf = (name) => (name === "start" ? "^" : name);
const signed = (strength) => String(strength).replace("-", "−");

/** Say who looks at whom when this switch is on. */
function meaning(row, column, strength) {
  const query = row === "always" ? "every query" : isPlace(row) ? `the query at place ${row}` : `a query ${row}`;
  const key = column === "start" ? "the start sign" : isPlace(column) ? `the key at place ${column}` : `a key ${column}`;
  if (strength === 0) return `${query} and ${key}: off`;
  return `${query} looks ${strength > 0 ? "at" : "away from"} ${key}, strength ${signed(strength)}`;
}

const CORNER = `<th scope="col" role="columnheader" class="corner"><span class="k">key →</span> <span class="q">query ↓</span></th>`;
const isPlace = (name) => /\d/.test(name);

function table({ state, at }) {
  const { rows, columns } = shown(state);
  const begins = (names, i) => (i > 0 && isPlace(names[i]) && !isPlace(names[i - 1]) ? " begins" : ""); // of places
  const heads = columns.map((name, j) => `<th scope="col" role="columnheader" class="k${begins(columns, j)}">${signOf(name)}</th>`);
  const body = rows.map((row, i) => {
    const cells = columns.map((column, j) => {
      const strength = state.switches[`${row}-${column}`] ?? 0;
      const kind = strength > 0 ? "on" : strength < 0 ? "on away" : "off";
      return `<td role="gridcell" class="${kind}${begins(columns, j)}" tabindex="${at.row === i && at.column === j ? 0 : -1}"
        data-place="${i},${j}" aria-label="${meaning(row, column, strength)}">${strength === 0 ? "" : signed(strength)}</td>`;
    });
    const name = isPlace(row) ? `place ${row}` : row;
    return `<tr role="row" class="${begins(rows, i)}"><th scope="row" role="rowheader" class="q">${name}</th>${cells.join("")}</tr>`;
  });
  return `<div class="scroll"><table role="grid" class="switches" aria-label="Switches: a row for what a query reads, a column for what a key reads">
    <thead role="rowgroup">${kinds(columns)}<tr role="row">${heads.join("")}</tr></thead>
    <tbody role="rowgroup">${body.join("")}</tbody></table></div>`;
}

/** Say above the columns which of them are letters and which are places. */
function kinds(columns) {
  const numbers = columns.filter(isPlace).length;
  const over = [["letter", columns.length - numbers], ["place", numbers]].filter(([, n]) => n > 0);
  const heads = over.map(([kind, n], i) => `<th scope="colgroup" role="columnheader" colspan="${n}" class="k${i ? " begins" : ""}">${kind}</th>`);
  return `<tr role="row">${CORNER.replace("<th", '<th rowspan="2"')}${heads.join("")}</tr>`;
}

function chosen({ state, at }) {
  const { rows, columns } = shown(state);
  const [row, column] = [rows[at.row], columns[at.column]];
  const strength = state.switches[`${row}-${column}`] ?? 0;
  return `<p class="chosen">${capital(meaning(row, column, strength))}.</p>
    <div class="row">${slider("Strength", "strength", strength, [-5, 5, 1], signed(strength))}
    <button data-do="clear">All off</button></div>`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function example({ state, puzzle, head }) {
  const { weights, output } = attend(head, state.text, puzzle.causal);
  const found = lines(puzzle, output, state.text);
  const signs = ["^", ...state.text];
  const name = (sign, place) => `${sign}<small>${place}</small>`;
  const rows = signs.map((sign, i) => (i === 0 ? "" : `<tr><th scope="row" class="q">${name(sign, i)}</th>
    ${weights[i].map((w, j) => weight(w, puzzle.causal && j > i)).join("")}${result(found[i - 1], output[i])}</tr>`));
  return `<div class="row"><label>Text <input data-field="text" maxlength="${LONGEST}" size="6" autocomplete="off" autocapitalize="off"
    spellcheck="false" value="${state.text}"></label><span>one to five of a, b, c</span></div>
    <div class="scroll" tabindex="0" role="region" aria-label="The example"><table class="map"><caption>Weights, and what each letter writes</caption>
    <thead><tr>${CORNER.replace(' role="columnheader"', "")}${signs.map((sign, j) => `<th scope="col" class="k">${name(sign, j)}</th>`).join("")}
    <th scope="col">writes</th><th scope="col">should</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

const share = (x) => ({ "0.00": "0", "1.00": "1" })[number(x)] ?? number(x).slice(1); // 0, .33, 1

function weight(w, blocked) {
  return blocked ? '<td class="blocked"><span class="unseen">blocked</span></td>' : `<td class="weight" style="${shade(w)}">${share(w)}</td>`;
}

function result({ got, wanted }, output) {
  const isRight = got === wanted;
  const isLetter = output.length > 1;
  const came = isLetter ? ["^", "a", "b", "c"].map((sign, c) => [sign, output[c]]).filter(([, x]) => x > 0.005)
    .map(([sign, x]) => `${sign} ${number(x)}`).join(", ") : number(output[0]);
  const short = { "a mixture": "mix", "a letter": "letter", "no count": "?" }[got] ?? got;
  return `<td class="${isRight ? "right" : "wrong"}" title="${came}">${isRight ? "" : "✗ "}${short}${isLetter ? "" : ` <small>${share(output[0])}</small>`}</td>
    <td>${wanted}</td>`;
}

function verdict({ puzzle, state, kept, checked: { right, total, failure } }) {
  const used = switchesOn(state).length;
  if (!failure) {
    const compared = used > puzzle.par ? `Par is ${puzzle.par}: can you do it with fewer?`
      : used === puzzle.par ? "That is par." : "That is fewer than par!";
    return `<p class="says solved" aria-live="polite">Solved: right on all ${total} texts with ${switches(used)}. ${compared}${kept[puzzle.id] <= used ? "" : " To earn a star, turn all off and find it anew."}</p>
      <div class="row"><button data-do="onwards">Next puzzle</button></div>`;
  }
  const wrongHands = (puzzle.wants === "letter") !== (state.hands === "letter");
  const advice = wrongHands ? ` ${puzzle.wants === "letter" ? "Letters are wanted" : "A share is wanted"}: change what a key hands over.` : "";
  return `<p class="says" aria-live="polite">Right on ${right} of ${total} texts with ${switches(used)}. At “${failure.text}” the letter at
    place ${failure.place + 1} writes ${said(failure.got)}, not ${said(failure.wanted)}.${advice}</p>
    <div class="row"><button data-do="text" data-value="${failure.text}" ${failure.text === state.text ? 'aria-disabled="true"' : ""}>Show “${failure.text}”</button></div>`;
}

const said = (word) => (/^[abc^]$/.test(word) ? `“${word}”` : word);

function help({ puzzle, hints, kept }) {
  const opened = puzzle.hints.slice(0, hints).map((hint) => `<li>${escape(hint)}</li>`);
  const next = hints < puzzle.hints.length
    ? `<button data-do="hint">Hint ${hints + 1} of ${puzzle.hints.length}</button>`
    : '<button data-do="solution">Show a solution</button>';
  const won = Object.keys(kept).length;
  return `<ol class="hints" aria-live="polite">${opened.join("")}</ol><div class="row">${next}
    <button data-do="share">Copy a link to this head</button>
    <button data-do="erase" ${won ? "" : 'aria-disabled="true"'}>Erase my stars</button></div>`;
}

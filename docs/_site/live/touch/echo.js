/* The two steps of an induction head, in a trained machine and on a text of the reader: who is found, and what had been noted there. */

import { idsOf, LanguageModel } from "../engine/language.js";
import { softmax } from "../engine/attention.js";
import { Weights } from "../engine/weights.js";
import { escape } from "../html.js";
import { load, ready } from "../machine-files.js";
import { at, between, check, number, player, says, slider } from "./draw.js";

const NAME = "repeats";
const [LONGEST, ALPHABET, BEFORE] = [24, "abcdefghijklmnopqrstuvwxyz", 97]; // for this machine the ids of letters begin where those of bytes do
const [WIDE, LEFT, GAP] = [20, 42, 50];
const SEEN = 0.02; // a smaller weight has no arc

/** state: text, place (of the letter that asks), emptied (whether the first note is empty), reads (what the machine makes of the text that
 * the page came with, with this note and without it: { layers, said, sure }), given (that text), found (texts of the reader that come
 * out right only without the note), failed (why there is no machine) and playing. */
export const echo = {
  view(state) {
    const { text, place, emptied, found, failed, playing } = state;
    const field = `<div class="controls"><label>Your text <input type="text" data-field="text" maxlength="${LONGEST}" autocomplete="off" autocapitalize="none" spellcheck="false"
      value="${text}"></label>${check("empty the first note", "emptied", emptied)}<button data-do="again">Start again</button></div>`;
    const both = readings(state);
    if (failed) return field + says(escape(failed));
    if (!text) return field + says("Write some letters, and then the same letters once more.");
    if (!both) return field + says("The machine is being fetched (0.1 megabytes) …");
    const letters = [...text];
    const { layers, said, sure } = both[Number(emptied)];
    const second = layers[1][place];
    const target = most(second);
    const first = layers[0][target];
    const noted = most(first);
    const silent = emptied && target === 0; // it has no note
    const [up, down] = [0, 1].map((k) => farthest(both.map((one) => one.layers[1 - k])));
    const top = high(up) / 2 + 10;
    const row = letters.map((letter, i) => {
      const next = follows(text, i);
      const kind = next === null ? "soft" : said[i] === next ? "right" : "wrong";
      return `<g data-do="place" data-value="${i}" style="cursor:pointer"><rect class="hit" x="${at(middle(i) - WIDE / 2)}" y="${top + 2}" width="${WIDE}" height="${GAP - 4}"/>
        ${i === place ? `<rect class="asks" x="${at(middle(i) - WIDE / 2 + 0.5)}" y="${top + 2}" width="${WIDE - 1}" height="21" rx="4"/>` : ""}
        <text class="middle big ${i === place ? "on" : i === target ? "k text" : ""}" x="${middle(i)}" y="${top + 17}">${letter}</text>
        <rect class="next ${kind}" x="${at(middle(i) - 8)}" y="${top + 27}" width="16" height="18" rx="3"/>
        <text class="middle ${kind}" style="font-size:13px" x="${middle(i)}" y="${top + 40}">${said[i]}</text></g>`;
    });
    const stands = (i) => `${letters[i]} at place ${i}`;
    const right = follows(text, place);
    return `${field}
      <p class="title">Layer 2: where ${letters[place]} looks</p>
      <svg class="echo" viewBox="0 0 ${LEFT + WIDE * letters.length + 4} ${at(top + GAP + high(down) / 2 + 10)}" style="max-width:${at(0.09 * (LEFT + WIDE * letters.length))}em" role="img" aria-label="The letters in a row, and
        below each what the machine says after it. Arcs above: where the chosen letter looks in layer 2. Arcs below: where the letter that it finds had looked in layer 1.">
        <text class="soft" x="0" y="${top + 16}">text</text><text class="soft" x="0" y="${top + 40}">it says</text>
        ${arcs(second, place, -1, "q", top)}${row.join("")}${silent ? "" : arcs(first, target, 1, "k", top + GAP)}</svg>
      <p class="title">Layer 1: ${silent ? `the note of the first ${letters[0]} is empty` : `where ${letters[target]} had looked, for its note`}</p>
      <div class="controls">${slider("Letter that asks", "place", place, [0, letters.length - 1, 1], `${letters[place]}, place ${place}`)}${player("Read on", playing)}</div>
      ${says(`Layer 2: the ${stands(place)} looks most at the ${stands(target)} (${number(second[target])}). Layer 1: ${silent ? "its note is empty"
        : `that ${letters[target]} had looked most at the ${stands(noted)} (${number(first[noted])})`}. The machine says ${said[place]} (${number(sure[place])}); right: ${right ?? "nobody can know yet"}.`)}
      <p class="total">${score(text, said)}${found.length ? ` <b>Your finds, right only without the note: ${found.join(", ")}.</b>` : ""}</p>`;
  },

  set(state, field, value, element) {
    if (field === "text") {
      state.text = [...value.toLowerCase()].filter((letter) => ALPHABET.includes(letter)).slice(0, LONGEST).join("");
      state.place = Math.max(state.text.length - 1, 0);
      state.failed = null;
      if (!readings(state)) fetchFor(state, element);
    } else if (field === "place") state.place = between(value, 0, state.text.length - 1);
    else state[field] = value;
    note(state);
  },

  act(state, name, value) {
    state.place = value;
  },

  /** Go to the next letter, or from the last one back to the first; say whether there are more. */
  play(state) {
    state.place = (state.place + 1) % state.text.length;
    return state.place < state.text.length - 1;
  },

  seen: ({ place, text }, start) => place >= text.length / 2 || text !== start.text, // in the second round
};

const high = (reach) => 16 + 10 * Math.abs(reach); // an arc rises half as far
const middle = (i) => at(LEFT + WIDE * (i + 0.5));
const most = (row) => row.indexOf(Math.max(...row));
const farthest = (maps) => Math.max(...maps.flatMap((rows) => rows.flatMap((row, i) => row.map((weight, j) => (weight < SEEN ? 0 : Math.abs(i - j))))));

function arcs(weights, from, side, kind, y) {
  return weights.map((weight, to) => {
    if (weight < SEEN) return "";
    const x = middle(to);
    if (to === from) return `<circle class="${kind} fill" cx="${x}" cy="${at(y + side * (2 + 6 * weight))}" r="${at(1.5 + 6 * weight)}"/>`; // a look at itself
    const path = `M${middle(from)} ${y}Q${at((middle(from) + x) / 2)} ${y + side * high(from - to)} ${x} ${y}`;
    return `<path class="${kind} stroke" style="stroke-width:${at(9 * weight)};stroke-linecap:round" d="${path}"/>`;
  }).join("");
}

/** After how many letters a text comes again, or null: "abcab" does after 3. */
function round(text) {
  const found = [...text].findIndex((_, p) => p > 0 && text.slice(p) === text.slice(0, -p));
  return found > 0 ? found : null;
}

/** The letter that must follow place i, or null where nobody can know it. */
function follows(text, i) {
  const p = round(text);
  return p !== null && i >= p ? text[i + 1 - p] : null;
}

/** At how many letters from the second round on the machine is right, and of how many. */
function counted(text, said) {
  const asked = [...text].map((_, i) => follows(text, i));
  return [asked.filter((letter, i) => letter === said[i]).length, asked.filter((letter) => letter !== null).length];
}

function score(text, said) {
  const p = round(text);
  if (p === null) return "Nothing comes again yet. Write the same letters once more.";
  const [right, all] = counted(text, said);
  return `“${text.slice(0, p)}” comes again. From there on it is right after ${right} of ${all} ${all === 1 ? "letter" : "letters"}.`;
}

/** Remember a text that was written twice and comes out right only without the first note. */
function note({ text, emptied, found, given, ...rest }) {
  const p = round(text);
  const both = emptied && text !== given && text.length === 2 * p && readings({ text, given, ...rest });
  if (!both) return;
  const [[kept, all], [free]] = both.map(({ said }) => counted(text, said));
  if (kept < all && free === all && !found.includes(text.slice(0, p))) found.push(text.slice(0, p));
}

function fetchFor(state, element) {
  load(NAME).catch((error) => { state.failed = error.message; }).then(() => {
    note(state);
    element.render();
  });
}

let learnt = null; // the machine and the text that it read last, with the first note and without it

function readings({ text, given, reads }) {
  if (text === given) return reads;
  if (!ready(NAME) || !text) return null;
  const { parts, config } = ready(NAME);
  learnt ??= { machine: new LanguageModel(new Weights(parts), config) };
  if (learnt.text !== text) learnt = { ...learnt, text, both: [false, true].map((emptied) => read(learnt.machine, text, emptied)) };
  return learnt.both;
}

function read(machine, text, emptied) {
  const ids = idsOf(text).map((id) => id - BEFORE);
  const x = machine.embed.call(ids).map((row) => row.map((value) => value * Math.sqrt(machine.config.d_model)));
  const mask = ids.map((_, i) => ids.map((__, j) => Number(j > i)));
  const [one, two] = machine.stack.layers;
  const noted = one.call(x, mask, []);
  if (emptied) noted.x[0] = one.call(x, mask, [0]).x[0]; // as if its head handed nothing on to place 0
  const asked = two.call(noted.x, mask, []);
  const chances = machine.stack.finalNorm(asked.x).map((row) => softmax(Array.from(machine.compared(row))));
  const letterAt = (row) => String.fromCharCode(most(row) + BEFORE - idsOf("\0")[0]);
  return { layers: [noted.weights[0], asked.weights[0]], said: chances.map(letterAt), sure: chances.map((row) => Math.max(...row)) };
}

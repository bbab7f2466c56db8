/* A game: texts come one by one, and the player drops each into one of three open rows, or closes a row, so that little padding is left. */

import { escape } from "../html.js";
import { at, player, says, sum } from "./draw.js";

const [UNIT, HIGH, THIN] = [10, 24, 7]; // the width of a place, the height of an open row and of a closed one
const KINDS = ["q", "k", "v"];
const CLOSES = { a: 0, b: 1, c: 2 };

/** state: texts, room (places of a row), names and places (what other ways take for the same texts), open (three rows, each a
 * list of texts by their numbers), closed (rows) and next (which text comes); best (moves that take the fewest rows: where each text
 * goes, or a letter for the row to close), step (which of them comes), shown (whether these moves are made) and playing. */
export const packing_game = {
  view(state) {
    const { texts, next } = state;
    const over = next === texts.length;
    const coming = over ? "" : `<p class="title" aria-live="polite">Date ${next + 1} of ${texts.length}, ${texts[next].length} letters: <span class="written">${escape(texts[next])}</span></p>${lettered(state, [next])}`;
    const rows = over ? "" : state.open.map((row, i) => open(state, row, i)).join("");
    const closed = state.closed.length && !over ? `<p class="hint">Closed rows:</p>${thin(state, state.closed)}` : "";
    return `<div class="game">${coming}${rows}${closed}${over ? thin(state, used(state)) + compared(state) : ""}
      ${says(over ? judged(state) : counted(state))}<div class="controls"><button data-do="again">Start again</button>${state.playing || over ? shower(state) : ""}</div></div>`;
  },

  act(state, name, value) {
    if (name === "show") while (this.play(state));
    else {
      state.shown = false;
      move(state, name, value);
    }
  },

  /** Make the next of the best moves, after a game is over from its beginning; say whether there are more. */
  play(state) {
    if (state.next === state.texts.length) Object.assign(state, { open: [[], [], []], closed: [], next: 0, step: 0, shown: true });
    const sign = state.best[state.step];
    state.step += 1;
    if (sign in CLOSES) move(state, "close", CLOSES[sign]);
    else move(state, "drop", sign - 1);
    return state.step < state.best.length;
  },
};

function move(state, name, value) {
  if (name === "close") {
    state.closed.push(state.open[value]);
    state.open[value] = [];
  } else if (left(state, state.open[value]) >= state.texts[state.next].length) {
    state.open[value].push(state.next);
    state.next += 1;
  }
}

const left = ({ texts, room }, row) => room - sum(row.map((i) => texts[i].length));
const used = ({ open, closed }) => [...closed, ...open.filter((row) => row.length)];

function counted(state) {
  const lost = sum(state.closed.map((row) => left(state, row)));
  const fits = state.open.some((row) => left(state, row) >= state.texts[state.next].length);
  const so_far = state.closed.length ? `Closed rows: ${state.closed.length}, with ${lost} ${lost === 1 ? "place" : "places"} of padding.` : "No row is closed yet.";
  return `${so_far} ${fits ? "" : "This date fits nowhere. Close a row!"}`;
}

const fewest = ({ texts, room }) => Math.ceil(sum(texts.map((text) => text.length)) / room);

/** A button that plays the best moves, or sets them down at once for a reader who wants things to stand still. */
function shower(state) {
  const label = `Show ${fewest(state)} rows`;
  return player(label, state.playing) || `<button data-do="show">${label}</button>`;
}

function judged(state) {
  const rows = used(state).length;
  const best = fewest(state);
  return `${state.shown ? "These are" : "You took"} ${rows} rows. ${rows === best ? "Nobody can do with fewer!" : `Can you do with ${rows - 1}?`}`;
}

/** Draw an open row with its buttons, and where the next text would stand. */
function open(state, row, i) {
  const room = left(state, row);
  const fits = room >= state.texts[state.next].length;
  return `<div class="open">${lettered(state, row, fits ? i : undefined)}<div class="controls">
    <button data-do="drop" data-value="${i}" data-key="${i + 1}" ${fits ? "" : "disabled"}>${i + 1}: put it here</button>
    <button data-do="close" data-value="${i}" ${row.length ? "" : "disabled"} aria-label="Close row ${i + 1}">Close</button><span class="hint">${room} ${room === 1 ? "place" : "places"} left</span></div></div>`;
}

/** Draw texts side by side in a row, letter by letter, in the colours of their numbers. */
function lettered(state, row, drop) {
  const { texts, room, next } = state;
  const whole = row[0] === next && drop === undefined; // the text that comes has no row yet
  let place = 0;
  const bars = row.map((i) => {
    const text = [...texts[i]];
    const letters = text.map((letter, j) => `<text class="middle" x="${at(UNIT * (place + j + 0.5))}" y="16">${letter === " " ? "" : escape(letter)}</text>`);
    const bar = `<g class="${KINDS[i % 3]} ${i === next - 1 ? "drops" : ""}"><rect class="grip" x="${UNIT * place + 0.5}" y="1" width="${UNIT * text.length - 1}" height="${HIGH - 2}" rx="3"/>${letters.join("")}</g>`;
    place += text.length;
    return bar;
  });
  const ghost = drop === undefined ? "" : `<rect class="axis dashed ghost" data-do="drop" data-value="${drop}" x="${UNIT * place + 0.5}" y="1" width="${UNIT * texts[next].length - 1}" height="${HIGH - 2}" rx="3"/>`;
  return `<svg viewBox="0 0 ${UNIT * room} ${HIGH}" aria-hidden="true">${whole ? "" : `<rect class="whole" width="${UNIT * room}" height="${HIGH}"/>`}${bars.join("")}${ghost}</svg>`;
}

/** Draw rows without their letters, one under the other: grey is padding. */
function thin(state, rows) {
  const { texts, room } = state;
  const lines = rows.map((row, n) => {
    let place = 0;
    const bars = row.map((i) => {
      const bar = `<rect class="${KINDS[i % 3]} fill" x="${UNIT * place}" y="${n * (THIN + 3)}" width="${UNIT * texts[i].length - 1.5}" height="${THIN}"/>`;
      place += texts[i].length;
      return bar;
    });
    return `<rect class="whole" y="${n * (THIN + 3)}" width="${UNIT * room}" height="${THIN}"/>${bars.join("")}`;
  });
  return `<svg viewBox="0 0 ${UNIT * room} ${rows.length * (THIN + 3)}" aria-hidden="true">${lines.join("")}</svg>`;
}

/** Set the player's padding beside that of other ways. */
function compared(state) {
  const letters = sum(state.texts.map((text) => text.length));
  const mine = [state.shown ? "shown" : "you", used(state).length * state.room];
  const all = [mine, ...state.names.map((name, i) => [name, state.places[i]])].map(([name, places]) => [name, places, 1 - letters / places]);
  const most = Math.max(...all.map(([, , padding]) => padding));
  const lines = all.map(([name, places, padding], i) => `<tr ${i ? "" : 'class="mine"'}><th scope="row">${name}</th><td>${places}</td><td>${Math.round(100 * padding)} %</td>
    <td class="track"><i style="--share:${at((100 * padding) / most)}%"></i></td></tr>`);
  return `<table class="shares"><thead><tr><td></td><th scope="col">places</th><th scope="col">padding</th><td></td></tr></thead><tbody>${lines.join("")}</tbody></table>`;
}

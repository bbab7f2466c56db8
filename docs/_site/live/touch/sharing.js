/* Query heads that share key heads, and what is kept of a long text beside the model. */

import { at, number, says, slider } from "./draw.js";

const LENGTHS = Array.from({ length: 130 }, (_, i) => 1000 * (i + 1));
const [WIDE, LEFT, BAR] = [330, 5, 7]; // of the drawing; and a gigabyte

/** state: queries and keys (how many heads), head (of queries, which is marked, counted from 1), layers, numbers (of a head), bytes (of a
 * number), length (how much is kept of a chat, as a place in LENGTHS), chats (how many at once, as a power of 2), model and card
 * (gigabytes), reads (gigabytes a second), whose (for a number of key heads, which model has it). */
export const sharing = {
  view({ queries, keys, head, layers, numbers, bytes, length, chats, model, card, reads, whose }) {
    const size = queries / keys; // of a group
    const met = Math.ceil(head / size);
    const gigabytes = (2 ** chats * 2 * layers * keys * numbers * LENGTHS[length] * bytes) / 1e9;
    const kept = number(gigabytes, gigabytes < 1 ? 2 : 1);
    const counts = Array.from({ length: Math.log2(queries) + 1 }, (_, i) => queries / 2 ** i);
    const buttons = counts.map((n) => `<button data-do="keys" data-value="${n}" aria-pressed="${n === keys}">${n}</button>`);
    const others = size === 1 ? "and no other head meets it" : `as do all from ${(met - 1) * size + 1} to ${met * size}`;
    const whole = `With the model that makes ${number(gigabytes + model, gigabytes < 1 ? 2 : 1)} GB`;
    const speed = `All of it is read for each new piece. So a card that reads ${reads.toLocaleString("en")} GB a second writes at most ${number(reads / (gigabytes + model), 1)} pieces a second${chats ? " for each chat" : ""}.`;
    return `<div class="controls" role="group" aria-label="Key heads"><span>Key heads</span>${buttons.join("")}</div>
      ${heads(queries, size, head, whose[keys])}${memory(gigabytes, kept, model, card)}
      <div class="controls"><span class="q">${slider("Query head", "head", head, [1, queries, 1], head)}</span>
      ${slider("Pieces of words", "length", length, [0, LENGTHS.length - 1, 1], LENGTHS[length].toLocaleString("en"))}
      ${slider("Chats at once", "chats", chats, [0, 5, 1], 2 ** chats)}</div>
      ${says(`Query head ${head} meets key head ${met}, ${others}. Kept: ${kept} GB. ${whole}, ${gigabytes + model > card ? `too much for a card of ${card} GB.` : `which fits on a card of ${card} GB. ${speed}`}`)}`;
  },

  act(state, name, value) {
    state[name] = value;
  },

  seen: ({ keys, length }, start) => keys !== start.keys && length !== start.length,
};

function heads(queries, size, head, whose) {
  const wide = (WIDE - 2 * LEFT) / queries;
  const middle = (i) => LEFT + wide * (i + 0.5);
  const shared = (i) => middle(Math.floor(i / size) * size + (size - 1) / 2);
  const square = (x, y, kind) => `<rect class="${kind}" x="${at(x - 0.4 * wide)}" y="${y}" width="${at(0.8 * wide)}" height="${at(0.8 * wide)}"/>`;
  const mine = (i) => Math.floor(i / size) === Math.floor((head - 1) / size);
  const drawn = Array.from({ length: queries }, (_, i) => {
    const style = i === head - 1 ? "q stroke" : mine(i) ? "axis" : "line";
    return `<path class="${style}" d="M${at(middle(i))} ${26 + at(0.4 * wide)}L${at(shared(i))} 74"/>
      <g data-do="head" data-value="${i + 1}" style="cursor:pointer">${square(middle(i), 22, `q fill ${mine(i) ? "" : "faint"}`)}</g>
      ${i % size ? "" : square(shared(i), 72, `k fill ${mine(i) ? "" : "faint"}`)}`;
  });
  return `<svg viewBox="0 0 ${WIDE} 96" style="max-width:36em" role="img" aria-label="A row of squares for the query heads, and below it one for the
    key heads. A line leads from each query head to the key head that it meets.">
    <text class="small soft" x="${LEFT}" y="12">${queries} query heads</text>${drawn.join("")}
    <text class="small soft" x="${LEFT}" y="94">kept: ${queries / size} key ${size === queries ? "head" : "heads"} and ${size === queries ? "its" : "their"} values${whose ? `, as in ${whose}` : ""}</text></svg>`;
}

function memory(gigabytes, kept, model, card) {
  const begin = LEFT + BAR * model;
  const most = WIDE - LEFT - 8 - begin;
  const wide = Math.min(BAR * gigabytes, most);
  const tip = wide < most ? "" : `<polygon class="k fill" points="${begin + most},20 ${begin + most + 8},31 ${begin + most},42"/>`;
  return `<svg viewBox="0 -8 ${WIDE} 70" style="max-width:36em" role="img" aria-label="A bar for the memory of the graphics card, and in it the model and what is kept of the text.">
    <rect x="${LEFT}" y="20" width="${BAR * model}" height="22" style="fill:var(--ca-line)"/><text class="small" x="${LEFT + 5}" y="34">model, ${model} GB</text>
    <rect class="k fill" x="${begin}" y="20" width="${at(wide)}" height="22"/>${tip}
    <rect class="axis" style="stroke-width:1.5" x="${LEFT}" y="17" width="${BAR * card}" height="28"/>
    <text class="small soft" x="${LEFT}" y="11">graphics card, ${card} GB</text><text class="small" x="${begin}" y="57">kept, ${kept} GB${tip && ": the bar would run on"}</text></svg>`;
}

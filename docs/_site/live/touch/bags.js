/* Two dates with the same letters: the reader types one, the page finds another, and both fall into bags, which are equal. */

import { escape } from "../html.js";
import { says } from "./draw.js";

const [WIDE, TILE, STACK] = [300, 26, 20]; // of the drawing, from letter to letter, and from tile to tile of a heap
const FORM = /^\d\d\.\d\d\.\d{4}$/;
const DAY = 86400000; // milliseconds
const [FIRST, LAST] = [Date.UTC(1950, 0, 1), Date.UTC(2049, 11, 31)];

const written = (time) => new Date(time).toISOString().slice(0, 10).split("-").reverse().join(".");
const bagOf = (text) => [...text].sort().join("");

let century; // from a bag of letters to all dates with these letters; made when it is first asked for
function datesOf(bag) {
  if (!century) {
    century = new Map();
    for (let time = FIRST; time <= LAST; time += DAY) {
      const date = written(time);
      century.set(bagOf(date), [...(century.get(bagOf(date)) ?? []), date]);
    }
  }
  return century.get(bag) ?? [];
}

/** state: text (as typed), choices (dates to try), other (the date that is shown beside it, or "" for the first that is found), fallen
 * (whether both lie in their bags). */
export const bags = {
  view(state) {
    const { text, choices, fallen } = state;
    const { date, all, other } = found(state);
    const tries = choices.map((choice, i) => `<button data-do="choose" data-value="${i}" aria-pressed="${choice === text}">${choice}</button>`);
    return `<div class="controls"><label>A date <input type="text" data-field="text" value="${escape(text)}" maxlength="10" style="width:8em" inputmode="decimal" autocomplete="off"></label>
      ${tries.join("")}</div>${date ? picture(text, other, fallen) : ""}
      <div class="controls"><button data-do="fall" ${date ? "" : "disabled"}>${fallen ? "Out of the bags" : other ? "Both into their bags" : "Into its bag"}</button>
      <button data-do="another" ${all.length > 2 ? "" : "disabled"}>Another date</button></div>
      ${says(told(text, date, all, other))}`;
  },

  set(state, field, value) {
    Object.assign(state, { text: value.trim(), other: "" });
  },

  act(state, name, value) {
    if (name === "fall") state.fallen = !state.fallen;
    else if (name === "choose") Object.assign(state, { text: state.choices[value], other: "" });
    else {
      const { all, other } = found(state);
      const others = all.filter((each) => each !== state.text);
      state.other = others[(others.indexOf(other) + 1) % others.length];
    }
  },

  seen: ({ text, fallen }, start) => fallen || text !== start.text,
};

function found({ text, other }) {
  const all = FORM.test(text) ? datesOf(bagOf(text)) : [];
  const date = all.includes(text);
  return { date, all: date ? all : [], other: date ? other || all.find((each) => each !== text) || "" : "" };
}

function told(text, date, all, other) {
  if (!date) return "Type a day, a month and a year from 1950 to 2049, written like 22.12.1960.";
  if (!other) return `${text} is alone: no other date from 1950 to 2049 has these letters. You have found one of the few that this machine could know by its bag.`;
  return `${text} and ${other}: two dates, one bag. ${all.length === 2 ? "There is no third." : `${all.length} dates have these letters.`} A machine without positions must answer alike.`;
}

/** The text above and the other date below; in their bags the letters lie in heaps, which mirror each other if the bags are equal. */
function picture(text, other, fallen) {
  const signs = [...new Set(bagOf(text))];
  const most = Math.max(...signs.map((sign) => text.split(sign).length - 1));
  const half = 34 + STACK * Math.max(most, 2);
  const row = (WIDE - TILE * text.length) / 2;
  const heaps = (WIDE - TILE * signs.length) / 2;
  const tiles = (letters, kind, up) => {
    const seen = {};
    return [...letters].map((sign, i) => {
      seen[sign] = (seen[sign] ?? 0) + 1;
      const place = fallen
        ? [heaps + TILE * signs.indexOf(sign), half + (up ? -STACK * seen[sign] - 3 : STACK * (seen[sign] - 1) + 3)]
        : [row + TILE * i, up ? 4 : 2 * half - 4 - 18];
      return `<g class="turns ${kind}" style="transform:translate(${place[0]}px,${place[1]}px)"><rect class="grip" x="2" width="${TILE - 4}" height="18" rx="3"/>
        <text class="middle" x="${TILE / 2}" y="13.5" style="font-weight:600">${sign}</text></g>`;
    }).join("");
  };
  const names = fallen ? "" : `<text class="small soft middle" x="${WIDE / 2}" y="${half - 12}">${other ? "the same letters" : "no other date with these letters"}</text>`;
  return `<svg viewBox="0 0 ${WIDE} ${other ? 2 * half : half + 8}" style="max-width:28em" role="img" aria-label="${escape(text)} above${other ? `, ${other} below` : ""}${
    fallen ? "; their letters lie in heaps, a heap for each sign, and the heaps below mirror those above" : ""}.">
    <path class="axis" d="M${heaps - 6} ${half}H${WIDE - heaps + 6}"/>${names}${tiles(text, "q", true)}${tiles(other, "k", false)}</svg>`;
}

/* One letter's numbers on their way through the machine, beside another letter's: a strip of colours for each station. */

import { escape } from "../html.js";
import { at, number, player, says, slider } from "./draw.js";

const CODES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"; // 64 levels, the middle is 0

/** state: text, stations (name, says, a code word for each letter, how alike any two letters are), the number of the first
    one, letter, other, and, when somebody has walked, step. */
export const journey = {
  view({ text, stations, first, letter, other, step = 0, playing }) {
    const alike = stations.map((station) => number(station.alike[letter][other]));
    const shown = stations.map((station, i) => `<div class="station"><p class="title">${i + first}. ${escape(station.name)}</p>
      ${strip(station.words[letter])}${strip(station.words[other])}<p>${escape(station.says)} Similarity ${alike[i]}.</p>${bar(station.alike[letter][other])}</div>`);
    const stops = stations.map(({ name }, i) => `<button data-do="step" data-value="${i}" aria-pressed="${i === step}" ${/attention/.test(name) ? 'class="looks-on"' : ""}><b>${
      i + first}</b><span>${escape(name)}</span><small>${i <= step ? alike[i] : ""}</small></button>`);
    const here = stations[step];
    const last = stations.length - 1;
    const end = step === last || letter === other ? ` and of ${alike[last]} at step ${first + last}` : ""; // the walk tells it
    return `<p class="title">Follow this letter</p>${letters(text, letter, "letter", "The letter to follow")}
      <p class="title">and below it this one</p>${letters(text, other, "other", "The letter to compare it with")}
      <div class="controls">${slider("Step", "step", step + first, [first, first + stations.length - 1, 1], step + first)}${player("Walk", playing)}</div>
      <div class="climb"><div class="stops" role="group" aria-label="The steps, from below, with the similarity after each" style="--step:${step}"><i class="climber"
        aria-hidden="true">${letterOf(text[letter])}</i>${stops.join("")}</div>
      <div class="stop" aria-live="polite"><p class="title">${step + first}. ${escape(here.name)}</p>${strip(here.words[letter])}${strip(here.words[other])}
        <p>${escape(here.says)}</p><p>Similarity <b class="large">${alike[step]}</b></p>${bar(here.alike[letter][other])}</div></div>
      <details><summary>All steps below each other</summary>${shown.join("")}</details>
      ${says(`${named(text, letter)} and ${named(text, other)} have a similarity of ${alike[0]} at step ${first}${end}.`)}`;
  },

  set(state, field, value) {
    state[field] = value - state.first;
  },

  act(state, name, value) {
    state[name] = value;
  },

  /** One step up, or back to the first; say whether another will follow. */
  play(state) {
    const last = state.stations.length - 1;
    state.step = ((state.step ?? 0) + 1) % (last + 1);
    return state.step < last;
  },

  seen: ({ step = 0, stations }) => step === stations.length - 1,
};

const letterOf = (c) => (c === " " ? "␣" : escape(c));
const named = (text, i) => `“${letterOf(text[i])}” at place ${i}`;

function letters(text, chosen, name, label) {
  const buttons = [...text].map((c, i) => `<button data-do="${name}" data-value="${i}" aria-pressed="${i === chosen}"
    aria-label="${c === " " ? "space" : escape(c)}, place ${i}">${letterOf(c)}</button>`);
  return `<div class="letters" role="group" aria-label="${label}">${buttons.join("")}</div>`;
}

/** A number from -1 to 1 as a bar that begins in the middle. */
function bar(x) {
  return `<svg class="similarity" viewBox="-100 0 200 8" role="presentation"><path class="line" d="M-100 4H100M0 0V8"/>
    <rect class="w fill" x="${at(Math.min(0, 100 * x))}" y="1.5" width="${at(Math.abs(100 * x))}" height="5"/></svg>`;
}

function strip(word) {
  const cells = [...word].map((code, c) => {
    const x = CODES.indexOf(code) / 31.5 - 1;
    return `<rect x="${6 * c}" width="6" height="13" style="fill:var(--ca-${x < 0 ? "keys" : "queries"});fill-opacity:${at(Math.abs(x))}"/>`;
  });
  return `<svg viewBox="0 0 ${6 * word.length} 15" preserveAspectRatio="none" style="height:1.3em" role="img" aria-label="${word.length} numbers as colours">${cells.join("")}</svg>`;
}

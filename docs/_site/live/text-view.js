/* How the text machine looks: the reader's beginning, the knobs, what may be drawn, and what was written. */

import { letterOf } from "./engine/language.js";
import { escape } from "./html.js";
import { at, number, says, slider } from "./touch/draw.js";

export const LONGEST = 60; // letters of a beginning, or bytes
const TEMPERATURES = [0, 0.5, 0.8, 1, 1.5];
const SHARES = [1, 0.9, 0.5];
const SHOWN = 10; // bars

export const TEXT_STYLE = `
.field{display:flex;flex-wrap:wrap;gap:.2em .6em;align-items:baseline;margin:.2em 0}
.field label{flex:none}
.field input{flex:1 1 14em;min-width:0;font:inherit;font-family:var(--md-code-font-family,var(--md-code-font,monospace));color:inherit;background:var(--md-default-bg-color);border:.05rem solid var(--md-default-fg-color--light);border-radius:.2rem;padding:.35em .6em}
.given{opacity:.75}
.written span[data-value]{cursor:pointer}
.surprise{display:flex;flex-wrap:wrap;gap:.12em;margin:.2em 0 .8em;line-height:1.3}
.surprise span{min-width:2em;padding:.15em .1em;text-align:center;border:.05rem solid var(--ca-line);border-radius:.2rem;background:color-mix(in srgb,var(--ca-weights) calc(9%*var(--bits)),transparent)}
.surprise b{display:block;font-weight:400;font-family:var(--md-code-font-family,monospace)}
mark{background:var(--md-accent-fg-color);color:var(--md-default-bg-color);border-radius:.15em}
`;

/** state: text, temperature, share, seed and place, which of the letters written is looked at; given: the ids of the beginning and
    the bits of each but the first; steps: what was written. */
export function view({ text, temperature, share, place }, given, steps, beginnings) {
  const row = (title, name, values, on, word) => `<div class="controls"><span>${title}</span>${values.map((value) =>
    `<button data-do="${name}" data-value="${escape(value)}" aria-pressed="${value === on}">${escape(word(value))}</button>`).join("")}</div>`;
  const shown = Math.min(place, steps.length - 1);
  const said = steps.map(({ id }) => letterOf(id));
  const before = text + said.slice(0, shown).join("");
  return `<div class="field"><label for="beginning">Your beginning</label>
    <input id="beginning" data-field="text" maxlength="${LONGEST}" autocomplete="off" spellcheck="false" value="${escape(text)}"></div>
    ${row("or", "text", beginnings, text, (t) => t)}
    ${surprise(given)}
    ${row("Temperature", "temperature", TEMPERATURES, temperature, String)}
    ${row("Top-p", "share", SHARES, share, (p) => (p === 1 ? "off" : String(p)))}
    <div class="controls"><button data-do="again">Draw once more</button>
    ${slider("Look at letter", "place", shown + 1, [1, steps.length, 1], `${shown + 1}: ${name(said[shown])}`)}</div>
    <div class="panels"><div><p class="title">after “…${escape(before.slice(-14))}”</p>${bars(steps[shown])}</div>
    <div class="wide"><p class="title">written</p><p class="written"><span class="given">${escape(text)}</span>${letters(said, shown)}</p></div></div>
    ${says(sentence(steps[shown]))}`;
}

function surprise({ ids, bits }) {
  if (!bits.length) return "";
  const boxes = bits.map((bit, i) => `<span style="--bits:${bit.toFixed(1)}"><b>${escape(shownLetter(ids[i + 1]))}</b><small>${number(bit, 1)}</small></span>`);
  const mean = bits.reduce((total, bit) => total + bit, 0) / bits.length;
  return `<p class="title">How surprised it was: ${number(mean, 1)} bits a letter</p><div class="surprise">${boxes.join("")}</div>`;
}

const shownLetter = (id) => letterOf(id).replace(" ", "␣");

function letters(said, shown) {
  return said.map((letter, i) => {
    const inside = i === shown ? `<mark>${escape(letter)}</mark>` : escape(letter);
    return `<span data-do="place" data-value="${i}">${inside}</span>`;
  }).join("");
}

function sentence({ id, found }) {
  const number_ = found.filter(({ chance }) => chance > 1e-4).length;
  const own = found.find((one) => one.id === id);
  const drawable = number_ === 1 ? "One letter can be drawn" : `${number_} letters have a chance of more than 1 in 10,000`;
  return `${drawable}. “${escape(name(letterOf(id)))}” was drawn: that happens in ${percent(own.chance)} of 100 cases.`;
}

const percent = (chance) => (chance > 0 && chance < 0.005 ? "less than 1" : number(100 * chance, 0));
const name = (letter) => ({ " ": "space", "\n": "new line" })[letter] ?? letter;

function bars({ id, found }) {
  const most = found[0];
  const drawn = found.slice(0, SHOWN).map((one, i) => bar(one, i, one.id === id));
  return `<svg viewBox="0 0 250 ${SHOWN * 17 + 4}" role="img" aria-label="The ${SHOWN} most probable letters. First comes ${escape(name(letterOf(most.id)))} with ${number(100 * most.chance, 0)} percent.">${drawn.join("")}</svg>`;
}

function bar({ id, before, chance }, i, isDrawn) {
  const [y, wide] = [17 * i + 2, 150];
  return `<text class="end${isDrawn ? " w text" : ""}" x="62" y="${y + 11}">${escape(name(letterOf(id)))}</text>
    <rect class="k fill faint" x="68" y="${y}" width="${at(Math.max(wide * before, 0.5))}" height="13"/>
    <rect class="v fill" x="68" y="${y + 3}" width="${at(wide * chance)}" height="7"/>
    <text class="small" x="${at(72 + wide * Math.max(before, chance))}" y="${y + 10}">${number(100 * chance, 0)} %</text>`;
}

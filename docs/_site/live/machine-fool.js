/* A game: find texts that are no dates, and of which the machine is all the same over 99 % sure. */

import { wrongWith } from "./engine/dates.js";
import { escape } from "./html.js";
import { LONGEST } from "./machine-state.js";
import { sureOf } from "./machine-words.js";

const ENOUGH = 0.99;
const STYLE_OF_TROPHIES = `<style>
.sure.enough b{color:var(--ca-keys)}
.trophies{list-style:none;margin:.6em 0 0;padding:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(13em,1fr));gap:.5em}
.trophies li{display:grid;grid-template-columns:2em minmax(0,1fr);gap:0 .4em;padding:.5em .6em;border:.05rem dashed var(--ca-line);border-radius:.25rem;color:var(--md-default-fg-color--light)}
.trophies .won{border:.05rem solid var(--ca-keys);color:var(--md-default-fg-color)}
.trophies svg{width:1.7em;fill:none;stroke:currentColor;stroke-width:1.5}
.trophies .won svg{fill:var(--ca-weights);stroke:var(--ca-keys)}
.trophies small{display:block;overflow-wrap:anywhere;font-family:var(--md-code-font-family,var(--md-code-font,monospace))}
.box>.says{min-height:1.5em}
@media (prefers-reduced-motion:no-preference){.trophies .won svg{animation:rises .5s ease-out}@keyframes rises{from{transform:scale(.3) rotate(-20deg)}}}
</style>`;
const CUP = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M7 4h10v5a5 5 0 0 1-10 0zM7 5H4v1.5A3 3 0 0 0 7 9.5M17 5h3v1.5a3 3 0 0 1-3 3M12 14v4M8 20h8M9 18h6"/></svg>';

/* Each has a name, what the reader looks for, and whether a run is one: of the words that are no part of a date. */
const TROPHIES = [
  ["day", "a day that does not exist", (machine) =>
    !strangers(machine).length && /^\d{4}-\d\d-\d\d$/.test(machine.result.answer) && Boolean(wrongWith(machine.result.answer))],
  ["word", "a word that is no month", (machine) => strangers(machine).length > 0],
  ["name", "your own name (the page takes your word for it)", (machine) =>
    machine.won?.word && strangers(machine).some((word) => !machine.won.word.text.includes(word))],
];

/** The words of a text that stand in no date, nor begin a word that does. */
function strangers({ text, names }) {
  const known = ["months", "monate", "days", "tage"].flatMap((list) => names[list]).concat("of", "st", "nd", "rd");
  return (text.match(/[a-zä]{2,}/g) ?? []).filter((word) => !known.some((name) => name.startsWith(word)));
}

export function nonsense({ state, problem }) {
  return `<div class="bar"><label class="grow">A text that is no date <input type="text" class="text" data-field="text" data-enter="fooled"
    value="${escape(state.text)}" maxlength="${LONGEST}" autocomplete="off" autocapitalize="none" spellcheck="false"
    ${problem ? 'aria-invalid="true"' : ""}></label><button data-do="fooled">Is it fooled?</button></div>
    <p class="loud" role="alert">${escape(problem)}</p>`;
}

export function fool(machine) {
  const { result: { steps, sure }, heard, judged: about, text: now, won = {} } = machine;
  const letters = steps.map(({ text }) => `<b>${text === "end" ? "▪" : text}</b>`);
  const trophies = TROPHIES.map(([name, title]) => {
    const one = won[name];
    const how = one ? `<small>${escape(one.text)} → ${escape(one.answer)}, ${one.sure}</small>` : "";
    return `<li class="${one ? "won" : ""}">${CUP}<span>${title}${one ? " <b>Won.</b>" : ""}${how}</span></li>`;
  });
  return `<div class="box">${nonsense(machine)}
    <div class="wrote" role="group" aria-label="The answer"><span class="name">writes</span>${letters.join("")}<span class="sure ${sure > ENOUGH ? "enough" : ""}">sure: <b>${sureOf(steps)}</b></span></div>
    <p class="says" aria-live="polite">${escape(about === now ? heard : "Over 99 % wins a trophy.")}</p><ul class="trophies">${trophies.join("")}</ul></div>${STYLE_OF_TROPHIES}`;
}

/** Judge what stands there, keep its trophies, and say how it went. */
export function judged(machine) {
  const { problem, plain, result: { answer, steps, sure }, text } = machine;
  machine.judged = text;
  if (problem) return problem;
  if (plain) return "That is a date. Find a text that is none.";
  const isBare = strangers(machine).length && !/\d/.test(text);
  const hint = isBare ? "Dress your word up as a date: put it where the month stands." : "Try another.";
  if (sure <= ENOUGH) return `It is only ${sureOf(steps)} sure. ${hint}`;
  const shelf = (machine.won ??= {});
  const met = TROPHIES.filter(([name, , isMet]) => !shelf[name] && isMet(machine)).slice(0, 1);
  for (const [name] of met) shelf[name] = { text, answer, sure: sureOf(steps) };
  if (met.length) return `${sureOf(steps)} sure of ${answer}. It has no word for no.`;
  return TROPHIES.some(([, , isMet]) => isMet(machine)) ? "You have this trophy. Try another kind, or another word." : "It is sure, but this page cannot tell that your text is no date.";
}

/* A machine that was taught Roman numerals: the reader types one, or something that is none, and sees what the machine made of it. */

import { escape } from "../html.js";
import { LONGEST, numeral, signsOf, valueOf } from "../roman.js";
import { says } from "./draw.js";

/** state: signs (the machine's letters, in order), short (its answers to all texts of these letters, with blanks between: of one
    letter, then of two and so on), wrong (its answers to the numerals that it gets wrong, by their numbers), unseen (the numbers that were kept out of its training),
    text (the reader's), examples, and mistakes (how many the reader has looked at). */
export const numerals = {
  view({ signs, short, wrong, unseen, text, examples }) {
    const buttons = examples.map((example, i) => `<button data-do="example" data-value="${i}">${escape(example)}</button>`);
    const n = valueOf(text);
    const answer = n ? (wrong[n] ?? String(n)) : text ? short.split(" ")[placeOf(text, signs)] : undefined;
    const letters = [...(answer ?? "")].map((c, k) => `<span class="${n && c !== String(n)[k] ? "off" : ""}">${c}</span>`);
    const mark = n ? (answer === String(n) ? "✓" : "✗") : "";
    return `<div class="controls"><label>A numeral, or none <input type="text" data-field="text" maxlength="${LONGEST}" autocomplete="off" autocapitalize="off" spellcheck="false" value="${escape(text)}"></label></div>
      <div class="controls">${buttons.join("")}<button data-do="mistake">One of its mistakes</button></div>
      <table><thead><tr><th scope="col">it reads</th><th scope="col">it writes</th><th scope="col">right?</th></tr></thead>
      <tbody><tr><th scope="row">${escape(text)}</th><td class="written">${letters.join("")}</td><td>${mark}</td></tr></tbody></table>
      ${says(told({ text, n, answer, unseen }))}`;
  },

  set(state, field, value) {
    state.text = signsOf(value); // it has no ids for other letters
  },

  act(state, name, value) {
    if (name === "example") state.text = state.examples[value];
    else {
      const missed = state.unseen.filter((n) => n in state.wrong);
      state.text = numeral(missed[state.mistakes % missed.length]);
      state.mistakes += 1;
    }
  },

  seen: ({ mistakes }) => mistakes > 1,
};

function told({ text, n, answer, unseen }) {
  if (!text) return "Type some of the letters i, v, x, l, c, d and m.";
  if (n) return `${text} is ${n}. The machine, which ${unseen.includes(n) ? "has never seen it" : "was taught it"}, ${wrote(answer)}.`;
  if (answer === undefined) return `${text} is no Roman numeral. Of such texts, only those of up to four letters were tried.`;
  return `${text} is no Roman numeral. Nobody has told the machine so, and it ${wrote(answer)}.`;
}

const wrote = (answer) => (answer ? `writes ${answer}` : "writes nothing");

/** Where a text of these letters stands among all, the shorter ones first. */
function placeOf(text, signs) {
  let before = 0; // texts that are shorter
  for (let length = 1; length < text.length; length++) before += signs.length ** length;
  return before + [...text].reduce((place, c) => place * signs.length + signs.indexOf(c), 0);
}

/* Shannon's game: a reader guesses a text letter by letter, and so does the machine, which names the likeliest letter first. */

import { escape } from "../html.js";
import { says, sum } from "./draw.js";

const KEYS = [..."abcdefghijklmnopqrstuvwxyz "];

/** state: given (the beginning that is shown), text (what must be guessed), machine (its guesses for each letter of it), guesses (the
    reader's, for each letter found), missed (what was tried in vain for the next one), typed. */
export const guessing = {
  view({ given, text, machine, guesses, missed, typed }) {
    const found = guesses.length;
    const over = found === text.length;
    const boxes = [...text].map((c, i) => (i < found ? `<span>${shown(c)}<small>${guesses[i]} · ${machine[i]}</small></span>` : "<span>?<small>&nbsp;</small></span>"));
    const keys = KEYS.map((c, i) => `<button data-do="guess" data-value="${i}" ${over || missed.includes(c) ? "disabled" : ""} aria-label="${c === " " ? "space" : c}">${shown(c)}</button>`);
    const [mine, its] = [sum(guesses), sum(machine.slice(0, found))];
    const result = mine < its ? "You are ahead!" : mine > its ? "It is ahead." : "You are level.";
    return `<p class="pieces tries"><span class="given">${shown(given)}</span>${boxes.join("")}</p>
      <div class="letters" role="group" aria-label="Your guess">${keys.join("")}</div>
      <div class="controls"><label>or type <input type="text" data-field="typed" maxlength="1" autocomplete="off" autocapitalize="none" value="${escape(typed)}" style="width:3em" ${over ? "disabled" : ""}></label>
      <button data-do="again">Start again</button></div>
      ${says(`${missed.length ? `Not “${shown(missed.at(-1))}”. ` : ""}${found ? `You needed ${plural(mine)} for ${found} ${found === 1 ? "letter" : "letters"}, and the machine ${its}. ${result}`
        : "Which letter comes first?"}`)}`;
  },

  act(state, name, i) {
    guess(state, KEYS[i]);
  },

  set(state, field, value) {
    if (KEYS.includes(value.toLowerCase())) guess(state, value.toLowerCase());
    state.typed = "";
  },
};

function guess(state, c) {
  if (state.missed.includes(c)) return;
  if (c === state.text[state.guesses.length]) {
    state.guesses.push(state.missed.length + 1);
    state.missed = [];
  } else state.missed.push(c);
}

const plural = (count) => `${count} ${count === 1 ? "guess" : "guesses"}`;
const shown = (text) => escape(text).replaceAll(" ", "␣");

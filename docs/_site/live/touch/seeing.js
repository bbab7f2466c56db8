/* How surprised a machine is by each letter of a text if its layers see only the last few, and which these are. */

import { escape } from "../html.js";
import { number, says, slider } from "./draw.js";

/** state: text, bits (for each window, from 1 on, those of each letter but the first), window, place (of the letter that is foretold). */
export const seeing = {
  view({ text, bits, window, place }) {
    const seen = (i) => i < place && i >= place - window;
    const letters = [...text].map((sign, i) => {
      const cost = i ? bits[window - 1][i - 1] : 0;
      return `<button data-do="place" data-value="${i}" data-seen="${seen(i)}" aria-pressed="${i === place}" ${i ? "" : "disabled"} style="--bits:${cost}"><b>${shown(sign)}</b><small>${i ? number(cost, 1) : "&nbsp;"}</small></button>`;
    });
    const from = Math.max(0, place - window);
    const sees = place === 1 || window === 1 ? `only the ${shown(text[place - 1])} before it` : `the ${place - from} letters before it, from the ${shown(text[from])} on`;
    return `<div class="controls">${slider("Window", "window", window, [1, bits.length, 1], `${window} ${window === 1 ? "letter" : "letters"}`)}</div>
      <div class="surprised" role="group" aria-label="Letters, each with its bits">${letters.join("")}</div>
      <p class="hint">Yellow: surprise, in bits. Underlined: in sight when the chosen letter is to be said.</p>
      ${says(`To say this ${shown(text[place])}, a layer sees ${sees}. It costs ${number(bits[window - 1][place - 1], 1)} bits.`)}`;
  },

  act(state, name, value) {
    state[name] = value;
  },

  seen: ({ bits, window }) => bits[window - 1].at(-1) < 1,
};

const shown = (sign) => (sign === " " ? "␣" : escape(sign));

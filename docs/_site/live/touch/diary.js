/* What a machine wrote at a few moments of its training: one page, and a button for each moment. */

import { escape } from "../html.js";
import { player } from "./draw.js";

/** state: prompt, moments ([name, what it wrote after the prompt]), now (which one is shown) and playing. */
export const diary = {
  view({ prompt, moments, now, playing }) {
    const buttons = moments.map(([name], i) => `<button data-do="show" data-value="${i}" aria-pressed="${i === now}">${escape(name)}</button>`);
    const [name, text] = moments[now];
    return `<div class="controls diary" role="group" aria-label="The moment">${buttons.join("")}${player("Let it learn", playing)}</div>
      <p class="written page" aria-live="polite" aria-label="${escape(name)}"><b>${escape(prompt)}</b>${escape(text)}</p>`;
  },

  act(state, name, value) {
    state.now = value;
  },

  /** Go to the next moment, or from the last one back to the first; say whether there are more. */
  play(state) {
    state.now = (state.now + 1) % state.moments.length;
    return state.now < state.moments.length - 1;
  },

  seen: ({ now }) => now === 0,
};

/* Shannon's game of 1948: the next letter is the one that follows the last two at some other place of a book. */

import { escape } from "../html.js";
import { says } from "./draw.js";

const AROUND = 60; // letters of the book on either side of what was found

/** state: book, text (what is written so far), found (where the last two letters stood before the letter that was added, or null), turn
 * (how many letters were drawn), stir (a number that tells one game from another). */
export const shannon = {
  view({ book, text, found }) {
    const shown = found === null ? "" : `<p class="written book">… ${escape(book.slice(Math.max(0, found - AROUND), found))}<mark>${escape(book.slice(found, found + 2))}</mark><b>${
      escape(book[found + 2])}</b>${escape(book.slice(found + 3, found + AROUND))} …</p>`;
    const [pair, next] = found === null ? [text.slice(-2), ""] : [text.slice(-3, -1), text.slice(-1)];
    const named = (letters) => `“${escape(letters.replaceAll(" ", "␣"))}”`;
    const told = found === null ? `The last two letters are ${named(pair)}.` : `${named(pair)} was found, and ${named(next)} follows.`;
    return `<p class="title">What you have written</p><p class="written so-far">${escape(text)}</p>
      <div class="controls"><button data-do="draw" data-value="1">One letter</button><button data-do="draw" data-value="20">Twenty</button><button
      data-do="again">Begin again</button></div>${says(told)}${shown}`;
  },

  act(state, name, count) {
    for (let i = 0; i < count; i += 1) draw(state);
  },
};

/** Open the book somewhere, read on to the next place where the last two letters stand, and take the letter behind them. */
function draw(state) {
  const { book, text } = state;
  state.turn += 1;
  state.stir ??= Math.floor(Math.random() * 1e6);
  const opened = (state.turn * 7919 + state.stir * 104729) % (book.length - 2);
  const within = book.slice(0, -1); // a letter must follow
  const pair = text.slice(-2);
  const onward = within.indexOf(pair, opened);
  state.found = onward < 0 ? within.indexOf(pair) : onward;
  state.text += book[state.found + 2];
}

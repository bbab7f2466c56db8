/* Two digits that share one average: weight is moved from one to the other, and with it go the mistakes. */

import { at, number, player, says, slider } from "./draw.js";

const [LEFT, LONG, ROW, MOST] = [74, 210, 26, 0.5]; // of the drawing; and the largest share that it has room for

/** state: moved (how many hundredths of the fourth digit's weight the third gets, or less than 0 the other way round), step (of the
 * slider), wrong (for each of its places, how often the third digit and the fourth are wrong), playing (whether weight moves by itself). */
export const rivals = {
  view({ moved, step, wrong, playing }) {
    const found = wrong[(moved + 100) / step];
    const bars = found.map((share, i) => {
      const y = 4 + ROW * i;
      return `<text class="small" x="0" y="${y + 13}">${["third", "fourth"][i]} digit</text>
        <rect class="${"kq"[i]} fill" x="${LEFT}" y="${y}" width="${at((LONG * share) / MOST)}" height="18"/>
        <text class="small" x="${at(LEFT + (LONG * share) / MOST + 5)}" y="${y + 13}">${percent(share)}</text>`;
    });
    const [from, to] = moved < 0 ? ["third", "fourth"] : ["fourth", "third"];
    const given = moved ? `${Math.abs(moved)} % of the ${from} digit's weight goes to the ${to}` : "As trained";
    return `<svg viewBox="0 0 330 ${2 * ROW + 4}" style="max-width:36em" role="img" aria-label="Two bars: how often the third digit of the year and the fourth
      are wrong.">${bars.join("")}<path class="axis" d="M${LEFT} 0V${2 * ROW}"/></svg>
      <div class="controls">${slider("Given to the third digit", "moved", moved, [-100, 100, step], `${number(moved, 0)}\u00a0%`)}
      ${player("Let the weight move", playing)}<button data-do="again">Start again</button></div>
      ${says(`${given}: the third digit is wrong in ${percent(found[0])} of the years, the fourth in ${percent(found[1])}.`)}`;
  },

  /** Move some more weight to the third digit, or from the end back to where the fourth has all of it; say whether there is more. */
  play(state) {
    state.moved = state.moved < 100 ? state.moved + state.step : -100;
    return state.moved < 100;
  },
};

const percent = (share) => `${number(100 * share, 0)} %`;

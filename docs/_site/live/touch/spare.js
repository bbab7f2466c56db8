/* A head that is needed at vowels only: where each letter looks, and what is written below it, with a start mark, without, or with a sink. */

import { escape } from "../html.js";
import { at, decoded, number, says, slider } from "./draw.js";

const [STEP, HIGH, FLOOR] = [20, 60, 78];

/** state: names (of the readings), texts (for each its readings: signs, right, written and maps, the last column of which is the sink, if
 * there is one), chosen (which reading), text (which text), query (the place that looks); scores (if the sink of the last machine can
 * have others, each with a reading of its own, in their order), level (which of them it has) and ends (those of the lowest and the highest that it has had). */
export const spare = {
  view(state) {
    const { names, texts, chosen, text, query, scores, level } = state;
    const turned = Boolean(scores) && chosen === names.length - 1;
    const { signs, right, written, maps } = texts[text].readings[turned ? chosen + level : chosen];
    const shares = decoded(maps[query]);
    const most = shares.indexOf(Math.max(...shares));
    const asked = [...signs].map((_, i) => i).slice(1);
    const good = asked.filter((i) => written[i] === right[i]).length;
    const buttons = (action, labels, on) => labels.map((label, i) =>
      `<button data-do="${action}" data-value="${i}" aria-pressed="${i === on}">${escape(label)}</button>`).join("");
    const words = texts.map(({ readings }) => readings[0].signs.slice(1));
    return `${names.length > 1 ? `<div class="controls" role="group" aria-label="Machine">${buttons("chosen", names, chosen)}</div>` : ""}
      <div class="controls" role="group" aria-label="Text">${buttons("text", words, text)}</div>
      ${bars({ signs, right, written, shares, query })}
      <div class="controls">${slider("Letter that looks", "query", query, [1, signs.length - 1, 1], `the ${signs[query]} at place ${query}`)}
      ${turned ? slider("Score of the sink", "level", level, [0, scores.length - 1, 1], number(scores[level], 1)) : ""}</div>
      ${says(`The ${signs[query]} ${shares[most] ? `gives ${number(100 * shares[most], 0)} % of its weight to ${whom(signs, most)}` : "sees nobody, because nothing that it may see stands before it"}. Below it stands ${written[query]},
        which is ${written[query] === right[query] ? "right" : `wrong: it should be ${right[query]}`}. In this text ${good} of ${asked.length} are right.`)}`;
  },

  set(state, field, value) {
    state[field] = value;
    if (field === "level") state.ends = [...(state.ends ?? []), value].filter((level) => level === 0 || level === state.scores.length - 1);
  },

  act(state, name, value) {
    state[name] = value;
  },

  seen: ({ query, ends }, start) => (start.scores ? new Set(ends).size === 2 : query !== start.query),
};

const isVowel = (sign) => "aeiou".includes(sign);

function whom(signs, place) {
  if (place === signs.length) return "the sink";
  return signs[place] === "•" ? "the start mark" : `the ${signs[place]} at place ${place}`;
}

function bars({ signs, right, written, shares, query }) {
  const columns = shares.map((share, i) => {
    const [x, high] = [STEP * i + (i === signs.length ? 8 : 0), at(HIGH * share)];
    const kind = i === signs.length || signs[i] === "•" ? "n" : isVowel(signs[i]) ? "q" : "k"; // grey is leftover weight
    const bar = `<rect class="${kind} fill" x="${x + 3}" y="${at(FLOOR - high)}" width="${STEP - 6}" height="${high}"/>
      ${share < 0.08 ? "" : `<text class="small middle" x="${x + STEP / 2}" y="${at(FLOOR - high - 4)}">${number(100 * share, 0)}</text>`}`;
    if (i === signs.length) return `${bar}<text class="small middle" x="${x + STEP / 2}" y="${FLOOR + 16}">sink</text>`;
    const wrong = i > 0 && written[i] !== right[i];
    return `<g ${i > 0 ? `data-do="query" data-value="${i}" style="cursor:pointer"` : ""}><rect x="${x}" y="0" width="${STEP}" height="${FLOOR + 52}" fill="transparent"/>${bar}
      <text class="middle ${kind} text" style="font-size:14px" x="${x + STEP / 2}" y="${FLOOR + 18}">${signs[i]}</text>
      ${i > 0 ? `<text class="middle" style="font-size:14px${wrong ? ";font-weight:700" : ""}" x="${x + STEP / 2}" y="${FLOOR + 42}">${written[i]}</text>` : ""}
      ${wrong ? `<line class="q stroke" x1="${x + 4}" x2="${x + STEP - 4}" y1="${FLOOR + 46}" y2="${FLOOR + 46}"/>` : ""}</g>`;
  });
  const wide = STEP * shares.length + (shares.length > signs.length ? 8 : 0);
  return `<svg viewBox="0 0 ${wide} ${FLOOR + 52}" style="max-width:${wide * 1.35}px" role="img" aria-label="A bar for each letter: how many per cent of its weight the
    chosen letter gives it. Below stands what the machine writes; what is wrong is underlined.">${columns.join("")}
    <path class="axis" d="M0 ${FLOOR}H${STEP * signs.length}"/>
    <rect class="axis" x="${STEP * query + 1}" y="${FLOOR + 4}" width="${STEP - 2}" height="44" style="stroke-width:2"/></svg>`;
}

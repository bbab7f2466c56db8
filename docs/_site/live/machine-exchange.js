/* Two texts, and an answer to the upper one. The reader gives letters of it the vectors that the lower one has. */

import { escape } from "./html.js";
import { patched } from "./machine-run.js";
import { sureOf } from "./machine-words.js";

const MONTH = 6; // the place of the answer at which the two months differ
const STYLE_OF_PAIRS = `<style>
.pairs{gap:.9em .12em;margin:.2em 0 1em}
.pair{display:grid;grid-template-rows:1.9em .55em 1.9em;min-width:1.75em;padding:0;border:0;background:none;touch-action:manipulation}
.pair>*{display:grid;place-items:center;font-weight:400;border:.05rem solid var(--ca-line);border-radius:.2rem}
.pair .own{grid-area:1/1;border-color:var(--md-default-fg-color--light);background:var(--md-default-bg-color)}
.pair .other{grid-area:3/1;z-index:1;color:var(--md-default-fg-color--light)}
.pair .slot{grid-area:3/1;border-style:dashed}
.pair:hover .own{border-color:var(--ca-keys);box-shadow:inset 0 0 0 .05rem var(--ca-keys)}
.pair[aria-pressed]{outline:0;background:none}
.pair:focus-visible{outline:.12rem solid var(--md-accent-fg-color)!important;outline-offset:.08rem}
.pair[aria-pressed=true] .other{transform:translateY(-2.45em);background:var(--ca-keys);border-color:var(--ca-keys);color:var(--md-default-bg-color);font-weight:700}
@media (prefers-reduced-motion:no-preference){.pair .other{transition:transform .25s ease-out,background .25s}.share{transition:width .3s ease-out}}
.wrote>.changed{background:var(--ca-keys);border-color:var(--ca-keys);color:var(--md-default-bg-color);font-weight:700}
.tug{display:flex;align-items:center;gap:.6em;max-width:26em;margin:.6em 0;font-variant-numeric:tabular-nums}
.tug .track{flex:1;display:flex;height:1em;width:auto!important;border-radius:.2rem;overflow:hidden;background:var(--ca-line)}
.share{display:block;width:var(--share);background:var(--ca-queries)}.share.rest{background:var(--ca-line)}.share.second{background:var(--ca-keys);margin-left:auto}
.tug .second{color:var(--ca-keys)}.tug .first{color:var(--ca-queries)}
.box>.says{min-height:1.5em;margin:.3em 0 .7em}
.edge{width:100%;color:var(--md-default-fg-color--light);margin:0}
</style>`;

/** state: text, second (as long), exchanged: the places whose vectors come from the second text. */
export function exchange({ state, model, tokenizers, names }) {
  const { second, exchanged } = state;
  const text = state.text.trim();
  const [own, other, now] = [[], [...text].map((_, j) => j), exchanged].map((places) =>
    patched(model, tokenizers, [text, second], places));
  const monthOf = ({ answer }) => names.months[Number(answer.slice(5, 7)) - 1]?.replace(/^./, (x) => x.toUpperCase());
  const columns = [...text].map((letter, j) => {
    const isTaken = exchanged.includes(j);
    const [upper, lower] = [letter, second[j]].map((x) => (x === " " ? "␣" : escape(x)));
    return `<button class="letter pair" data-do="swap" data-value="${j}" aria-pressed="${isTaken}"
      aria-label="letter ${j + 1}: ${letter === " " ? "space" : escape(letter)}, exchange its vector"><span class="own">${upper}</span><span class="slot"></span><span class="other">${lower}</span></button>`;
  });
  const letters = now.steps.map(({ text: x }, i) => `<b class="${x === own.steps[i]?.text ? "" : "changed"}">${x === "end" ? "▪" : x}</b>`);
  const all = [...text].flatMap((x, j) => (x === second[j] ? [j] : [])).join(" ");
  return `${STYLE_OF_PAIRS}<div class="box"><div class="strip pairs" role="group" aria-label="The upper text. Press a letter to exchange its vector for the one below">${columns.join("")}</div>
    <div class="wrote" role="group" aria-label="The answer"><span class="name">writes</span>${letters.join("")}<span class="sure">sure: <b>${sureOf(now.steps)}</b></span></div>
    ${tug(now, own, other, tokenizers, monthOf)}
    <p class="says" aria-live="polite">${said(now, own, other, exchanged, text, monthOf)}</p>
    <div class="bar"><button data-do="swapAll" data-value="${all}">All but the month</button>
    <button data-do="swapAll" data-value="" ${exchanged.length ? "" : 'aria-disabled="true"'}>Put all back</button></div></div>`;
}

/** The probability of either month's digit, as a tug-of-war. */
function tug(now, own, other, { target }, monthOf) {
  const digits = [own, other].map(({ answer }) => answer[MONTH]);
  const [mine, theirs] = digits.map((digit) => now.steps[MONTH]?.probabilities[target.encode(digit)[0]] ?? 0);
  const percent = (x) => `${Math.round(100 * x)} %`;
  const rest = `${Math.max(0, 100 - Math.round(100 * mine) - Math.round(100 * theirs))} %`; // so that what one sees adds up
  const share = (kind, x) => `<i class="share ${kind}" style="--share:${(100 * x).toFixed(1)}%"></i>`;
  return `<div class="tug" role="img" aria-label="The probability of ${digits[0]}, ${monthOf(own)}: ${percent(mine)}. Of ${digits[1]}, ${monthOf(other)}: ${percent(theirs)}. Of all others: ${rest}.">
    <b class="first">${digits[0]}</b><span>${percent(mine)}</span><span class="track">${share("first", mine)}${share("second", theirs)}</span><span>${percent(theirs)}</span><b class="second">${digits[1]}</b></div>
    <p class="hint">All others together: ${rest}</p>`;
}

function said(now, own, other, exchanged, text, monthOf) {
  const count = `${exchanged.length} letter${exchanged.length === 1 ? "" : "s"}`;
  if (!exchanged.length) return `It writes ${monthOf(own)}. Press a letter of the upper text.`;
  if (now.answer === own.answer) return `${count} exchanged, and still ${monthOf(own)}.`;
  if (now.answer !== other.answer) return `${count} exchanged: it writes ${now.answer}.`;
  if (exchanged.length > 1) return `${monthOf(other)}, with ${count} exchanged. Can you do it with fewer?`;
  return `${monthOf(other)}! The vector of the “${escape(text[exchanged[0]])}” alone was enough.`;
}

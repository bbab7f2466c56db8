/* What temperature and top-p do to the probabilities of the next letter, and what a model writes under them. */

import { escape } from "../html.js";
import { at, number, says, sum } from "./draw.js";

const SHOWN = 10; // bars

/** state: contexts, each with its text and its letters as [letter, logit]; temperatures and shares to choose from;
    texts[share][temperature], what the model wrote; chosen, temperature and share, which of them is on. */
export const draws = {
  view({ contexts, temperatures, shares, texts, chosen, temperature, share }) {
    const { text, letters } = contexts[chosen];
    const [heat, limit] = [temperatures[temperature], shares[share]];
    const all = probabilities(letters, heat);
    const kept = keep(all, limit);
    const total = sum(all.slice(0, kept).map(([, p]) => p));
    const bars = all.slice(0, SHOWN).map(([letter, p], i) => bar(letter, i < kept ? p / total : 0, p, i));
    const row = (title, name, values, on, word) => `<div class="controls"><span>${title}</span>${values.map((value, i) =>
      `<button data-do="${name}" data-value="${i}" aria-pressed="${i === on}">${word(value)}</button>`).join("")}</div>`;
    const first = all[0];
    return `${row("After", "chosen", contexts.map((c) => c.text), chosen, (t) => `…${escape(t.slice(-14))}`)}
      ${row("Temperature", "temperature", temperatures, temperature, String)}
      ${row("Top-p", "share", shares, share, (p) => (p === 1 ? "off" : String(p)))}
      <div class="panels"><div><p class="title">the next letter after “…${escape(text)}”</p>
      <svg viewBox="0 0 250 ${SHOWN * 17 + 4}" role="img" aria-label="Bars of the most probable next letters">${bars.join("")}</svg></div>
      <div class="wide"><p class="title">written with these two</p><p class="written">${escape(texts[share][temperature])}</p></div></div>
      ${says(`${kept === 1 ? "One letter" : `${kept} letters`} can be drawn. “${escape(name(first[0]))}” is drawn in ${number((100 * first[1]) / total, 0)} of 100 cases.`)}`;
  },

  act(state, name_, value) {
    state[name_] = value;
  },
};

/** The letters with their probabilities at a temperature, the most probable first. */
function probabilities(letters, heat) {
  const most = Math.max(...letters.map(([, logit]) => logit));
  const powers = letters.map(([letter, logit]) => [letter, heat ? Math.exp((logit - most) / heat) : Number(logit === most)]);
  const total = sum(powers.map(([, power]) => power));
  return powers.map(([letter, power]) => [letter, power / total]).sort((a, b) => b[1] - a[1]);
}

/** How many of the most probable letters reach this share together. */
function keep(all, limit) {
  if (limit === 1) return all.filter(([, p]) => p > 1e-4).length;
  let reached = 0;
  return 1 + all.findIndex(([, p]) => (reached += p) >= limit - 1e-9);
}

const name = (letter) => ({ " ": "space", "\n": "new line" })[letter] ?? letter;

function bar(letter, drawn, before, i) {
  const [y, wide] = [17 * i + 2, 150];
  return `<text class="end" x="62" y="${y + 11}">${escape(name(letter))}</text>
    <rect class="k fill faint" x="68" y="${y}" width="${at(Math.max(wide * before, 0.5))}" height="13"/>
    <rect class="v fill" x="68" y="${y + 3}" width="${at(wide * drawn)}" height="7"/>
    <text class="small" x="${at(72 + wide * Math.max(before, drawn))}" y="${y + 10}">${number(100 * drawn, 0)} %</text>`;
}

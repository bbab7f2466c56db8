/* The next letter's probabilities at a temperature, and how often each letter comes when it is drawn by lot. */

import { softmax } from "../engine/attention.js";
import { drawn, pointers } from "../engine/language.js";
import { number, says, slider, sum } from "./draw.js";

const TEMPERATURES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5];
const [SHOWN, DRAWS] = [6, 100]; // the other letters have one bar together

/** state: letters (the likeliest first), logits, temperature, seed (of the last drawing) and counts (of each letter, once they were drawn). */
export const temperature = {
  view({ letters, logits, temperature, counts }) {
    const chances = chancesOf(logits, temperature);
    const names = [...letters.slice(0, SHOWN), "all others together"];
    const expected = grouped(chances);
    const came = counts ? grouped(counts) : [];
    const rows = names.map((name, i) => `<tr><th scope="row">${name}</th><td class="track"><i style="--share:${(100 * expected[i]).toFixed(1)}%"></i><i class="came"
      style="--share:${((100 / DRAWS) * (came[i] ?? 0)).toFixed(1)}%"></i></td><td>${number(expected[i])}</td><td>${number(DRAWS * expected[i], 1)}</td><td>${came[i] ?? ""}</td></tr>`);
    const told = counts ? ` Drawn: “${letters[0]}” ${times(counts[0])}, another letter ${times(DRAWS - counts[0])}.` : "";
    return `<table class="odds"><caption>The next letter, at temperature ${number(temperature, 1)}</caption><thead><tr><th scope="col">letter</th>
      <th scope="col" colspan="2">probability</th><th scope="col">expected of ${DRAWS}</th><th scope="col">drawn</th></tr></thead><tbody>${rows.join("")}</tbody></table>
      <div class="controls">${slider("Temperature", "temperature", TEMPERATURES.indexOf(temperature), [0, TEMPERATURES.length - 1, 1], number(temperature, 1))}
      <button data-do="draw">Draw ${DRAWS} letters</button></div>
      ${says(`${meaning(letters, chances[0], temperature)}${told}`)}`;
  },

  set(state, field, value) {
    state.temperature = TEMPERATURES[value];
    state.counts = null; // they were drawn at another temperature
  },

  act(state) {
    state.seed += 1;
    const next = pointers(state.seed);
    const found = chancesOf(state.logits, state.temperature).map((chance, id) => ({ id, chance }));
    state.counts = found.map(() => 0);
    for (let i = 0; i < DRAWS; i++) state.counts[drawn(found, next())] += 1;
  },
};

const chancesOf = (logits, heat) => softmax(logits.map((logit) => logit / heat));
const grouped = (numbers) => [...numbers.slice(0, SHOWN), sum(numbers.slice(SHOWN))];
const times = (n) => (n === 1 ? "once" : `${n} times`);

function meaning(letters, chance, heat) {
  const others = Math.round(DRAWS * (1 - chance));
  const said = `The likeliest letter, “${letters[0]}”, gets ${number(chance)}: of ${DRAWS} letters drawn, ${others ? `about ${others}` : "hardly one"} would be another letter.`;
  if (!others) return `${said} This is nearly greedy search.`;
  return heat < TEMPERATURES.at(-1) ? said : `${said} It is on the way to guessing, where each of the ${letters.length} would get ${number(1 / letters.length)}.`;
}

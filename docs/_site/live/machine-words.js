/* What the date machine says: about a letter, about an answer, about what was taken apart. */

import { wrongWith } from "./engine/dates.js";
import { isWhole } from "./machine-state.js";
import { mapOf, mapsOf, PARTS } from "./machine-run.js";

export const ATTENTIONS = {
  cross: "answer looks at text",
  self: "answer looks at answer",
  encoder: "text looks at text",
};
const WHOSE = {
  "encoder.0": "with which the text looks at itself",
  "decoder.0.self": "with which the answer looks at itself",
  "decoder.0.cross": "with which the answer looks at the text",
  query: "of the one look",
};
const percent = (x) => (x > 0.995 && x < 1 ? "over 99 %" : x > 0 && x < 0.005 ? "under 1 %" : `${Math.round(100 * x)} %`);
const quoted = (text) => (text === " " ? "the space" : `“${text}”`);
const named = (letter) => (letter === "end" ? "the end" : quoted(letter));
const listed = (items) => (items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`);

/** Say why the text can't be read, or "". */
export function trouble(text, { source }, longest) {
  if (!text) return "Type a date.";
  if ([...text].length > longest) return `That is too long: the machine reads ${longest} letters.`;
  const strange = [...new Set([...text].filter((letter) => source.encode(letter)[0] === null))];
  return strange.length ? `The machine does not know ${listed(strange.map(quoted))}. It knows small letters, digits, the space and ' , . /` : "";
}

/** Say how probable letters are together, rounded down, so that 100 % is certain. */
export function sureOf(steps) {
  const product = steps.reduce((all, { chance }) => all * chance, 1);
  return `${(Math.floor(1000 * product) / 10).toFixed(1)} %`;
}

/** Say whether an answer is right. means: the date that the text means, or null; plain: also if it is in no form of the training. */
export function verdict({ answer, sure, ended }, means, plain, saysSure = true) {
  const how = saysSure ? `The machine is ${percent(sure)} sure of these letters together.` : "";
  if (means === answer) return { right: true, text: `Right. ${how}` };
  if (means) return { right: false, text: `Wrong: the text means ${means}. ${how}` };
  if (plain === answer) return { right: true, text: `Right, though no date of its training was written like this. ${how}` };
  if (plain) return { right: false, text: `Wrong: the text means ${plain}. But no date of its training was written like this. ${how}` };
  const wrong = ended ? wrongWith(answer) : "It did not find an end";
  if (wrong) return { right: false, text: `${wrong}. ${sure > 0.5 && saysSure ? `Yet the machine is ${percent(sure)} sure: confidence is not correctness.` : how}` };
  return { right: null, text: `This page cannot read this text as a date, and so it cannot say whether that is right. ${how}` };
}

/** Cut a text into words, and what stands between them, with the places of their letters. */
function wordsOf(text) {
  return [...text.matchAll(/[^ ,./]+|[ ,./]/g)].map(({ 0: word, index }) => ({ word, from: index, to: index + word.length }));
}

/** Say what the chosen letter looks at, or who looks at it; andBack: also which later letter looked back at it. */
export function looking(result, state, andBack) {
  const { side, at, head, text } = state;
  const heads = mapsOf(result, "cross");
  const map = mapOf(heads, head);
  const who = head >= 0 ? `Head ${head + 1}` : "It";
  if (side === "source") {
    if (at >= text.length) return "This place is padding.";
    if (result.atOnce) return `The one query puts ${percent(map[0][at])} of its weight on ${quoted(text[at])}.`;
    const order = map.map((row, i) => [row[at], i]).sort((a, b) => b[0] - a[0]).slice(0, 2);
    const most = order.map(([w, i]) => `${named(result.steps[i].text)} at place ${i + 1} of the answer (${percent(w)})`);
    return `${quoted(text[at])[0].toUpperCase()}${quoted(text[at]).slice(1)} is looked at most by ${listed(most)}. ${lookingRound(result, state)}`;
  }
  const i = Math.min(at, result.steps.length - 1);
  const { text: letter, chance } = result.steps[i];
  const row = map[result.atOnce ? 0 : i];
  const sums = wordsOf(text).map((word) => ({ ...word, weight: row.slice(word.from, word.to).reduce((a, b) => a + b, 0) }));
  sums.push({ word: "", weight: row.slice(text.length).reduce((a, b) => a + b, 0) });
  sums.sort((a, b) => b.weight - a.weight);
  const said = sums.filter(({ weight }) => weight > 0.1).slice(0, 3).map(({ word, weight }) => `${word ? quoted(word) : "the padding"} (${percent(weight)})`);
  const what = named(letter);
  const start = result.atOnce ? `All digits come from one look. ${what} has ${percent(chance)}.` : `It wrote ${what} with ${percent(chance)}.`;
  if (!row.some((x) => x > 0)) return `${start} ${blind(result, state)}`;
  return `${start} ${who} looked ${said.length ? `at ${listed(said)}` : "a little at every word: none got 10 %"}.${andBack ? lookedBack(result, head, i) : ""}`;
}

/** Say at which letter of the answer a head looked back most, when the chosen one was written. */
export function lookingBack(result, { at, head }) {
  const i = Math.min(at, result.steps.length - 1);
  const what = result.steps[i].text === "end" ? "the end mark" : quoted(result.steps[i].text);
  if (head < 0) return `How did each head look back before it wrote ${what}? Press the name of a head.`;
  const row = mapOf(mapsOf(result, "self"), head)[i].slice(0, i + 1);
  const most = row.indexOf(Math.max(...row));
  const letter = most ? result.steps[most - 1].text : "start"; // the row begins with the start mark
  const name = { start: "the start mark", "-": `the dash at place ${most}` }[letter];
  const whom = name ?? `${quoted(letter)} at place ${most}`;
  return `Before it wrote ${what}, head ${head + 1} looked back most at ${whom} (${percent(row[most])}).`;
}

/** Say why a letter looked at nothing. */
function blind(result, { hidden, text, head }) {
  if (hidden.length >= text.length) return "Every letter is hidden: there is nothing to look at, and all weights are 0.";
  return head >= 0 ? `Head ${head + 1} is off.` : "All heads that look at the text are off, so nothing of the text reaches it.";
}

/** Say what a letter of the text itself looks at. */
function lookingRound(result, { at, head, text }) {
  const row = mapOf(mapsOf(result, "encoder"), head)[at].slice(0, text.length);
  const most = row.indexOf(Math.max(...row));
  const whom = most === at ? "itself" : `${quoted(text[most])} at place ${most + 1} of the text`;
  return `It looks most at ${whom} (${percent(row[most])}).`;
}

/** Say which later letter of the answer looked back at one of its letters most. */
function lookedBack(result, head, i) {
  if (head >= 0 || result.atOnce || i + 1 >= result.steps.length) return "";
  const weights = mapOf(mapsOf(result, "self"), head).map((row) => row[i + 1]); // behind the start
  const later = weights.slice(i + 1);
  const most = i + 1 + later.indexOf(Math.max(...later));
  const { text } = result.steps[most];
  const what = `${named(text)}${text === "end" ? "" : ` at place ${most + 1}`}`;
  return ` Of all that was written after it, ${what} looked back at it most (${percent(weights[most])}).`;
}

/** Name what is changed, as "without positions, head 3 from answer to source off". */
function changes(state, siblings) {
  const { sibling, off, hidden, places, seesPadding, edits, text } = state;
  const said = [];
  if (sibling !== "dates") said.push(siblings.find(({ name }) => name === sibling).with);
  for (const [name, whose] of Object.entries(WHOSE)) {
    const heads = off.filter((entry) => entry.startsWith(`${name} `)).map((entry) => Number(entry.split(" ")[1]) + 1).sort();
    if (heads.length) said.push(`without head${heads.length > 1 ? "s" : ""} ${listed(heads)} ${whose}`);
  }
  if (hidden.length) said.push(`with ${listed(hidden.map((j) => quoted(text[j] ?? "padding")))} hidden`);
  if (seesPadding) said.push(`with the padding seen, filled up to ${Math.max(34, places)} places`);
  if (edits.length) said.push(`with ${edits.length === 1 ? "one row" : `${edits.length} rows`} of weights written anew`);
  return listed(said);
}

/** Say what the change does to this answer; inNumbers: also how probable the whole machine's answer is now. */
export function effect(result, state, siblings, means, inNumbers = true) {
  if (isWhole(state)) return "";
  const what = changes(state, siblings);
  const start = what[0].toUpperCase() + what.slice(1);
  const { before, answer } = result;
  if (result.lacksLookAhead) {
    const alone = answer === before.answer ? "and so it does alone" : `and alone it writes ${answer || "nothing"} instead of ${before.answer}`;
    return `${start}. Given ${means === before.answer ? "the right letters" : "the whole machine's letters"}, as in training, it says ${result.told}, ${alone}.`;
  }
  const same = result.atOnce ? "the answer is still" : "it still writes";
  const fails = means ? before.answer !== means : wrongWith(before.answer);
  const written = answer || "nothing";
  const now = answer === before.answer ? `${start}, ${same} ${answer}`
    : fails ? `${means ? `The text means ${means}. ` : ""}The whole machine writes ${before.answer}, and this one, ${what}, ${written}` : means ? `${start}, it writes ${written} instead of ${before.answer}` : `${start}, it writes ${written}, and the whole machine ${before.answer}`;
  if (result.atOnce || !inNumbers) return `${now}.`;
  const share = (x) => x.toFixed(2);
  const moved = Object.keys(PARTS).map((part) => `${part} ${share(before.chances[part])} → ${share(result.chances[part])}`);
  const asked = `This is how probable each part of ${before.answer} is for the whole machine → for this one, if all letters before that part are given`;
  return `${now}. ${asked}: ${moved.join(", ")}.`;
}

/* A trained feed-forward network that looks up a table: each alarm that rings votes for and against every answer, and the
   largest sum of votes wins. */

import { at, number, player, says, slider, sum } from "./draw.js";

const LEVELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"; // as in live.py
const [UP, DOWN] = [55, 45]; // the parts of a chart above and below its zero, in percent
const HALF = 0.5; // what share of all alarms one button silences
const AT_ONCE = 2; // how many more alarms are heard in each picture, when they ring by themselves

/** state: letters, table (the right answer of each pair, as letters), before and here (which two letters), heard (how many alarms, the
    loudest first), silenced (which); from the trained network: comes, hears, votes and own, each {signs, most, wide}, and biases, given. */
export const votes = {
  view(state) {
    const { letters, before, here, silenced, playing } = state;
    const { loud, waiting, ringing, heard, last } = alarmsOf(state);
    const alone = ownVotes(state);
    const cast = ringing.map((one) => votesOf(state, one, loud[one]));
    const sums = added(alone, cast.slice(0, heard));
    const ends = [alone, sums, added(alone, cast)].flat().map(Math.abs);
    const answer = letters.indexOf(state.table[letters.length * before + here]);
    const leader = sums.indexOf(Math.max(...sums));
    const largest = Math.max(1e-9, ...cast.flat().map(Math.abs));
    const off = waiting.filter((one) => silenced.includes(one)).length;
    return `<div class="controls">${choice("letter before", "before", before, letters)}${choice("letter here", "here", here, letters)}<button
      data-do="other">Another pair</button></div>
      <div class="controls">${slider("alarms heard", "heard", heard, [0, ringing.length, 1], `${heard} of ${ringing.length}`)}${player("Let them ring", playing)}</div>
      <p class="title">Each answer with its votes</p>
      ${chart(sums, Math.max(...ends), letters, { answer, leader }, `${letters[leader]} has most votes, and the table says ${letters[answer]}.`)}
      <p>In the lead so far: ${leaders(alone, cast.slice(0, heard)).map((one) => `<b>${letters[one]}</b>`).join(", ")}</p>
      <p class="title">${last === undefined ? "No alarm is heard yet" : `The votes of the alarm heard last, ${number(loud[last])} loud`}</p>
      ${chart(last === undefined ? alone.map(() => 0) : cast[heard - 1], largest, letters, {}, last === undefined ? "No votes." : `It votes most for
        ${letters[best(cast[heard - 1])]} and most against ${letters[best(cast[heard - 1].map((x) => -x))]}.`)}
      <p class="title">The ${loud.length} alarms (press one to silence it)</p>
      <div class="bells" role="group" aria-label="The alarms">${loud.map((_, one) => bell(one, loud, { silenced, last, order: ringing.indexOf(one), heard })).join("")}</div>
      <div class="controls"><button data-do="loudest" ${heard ? "" : "disabled"}>Silence the loudest</button><button data-do="half">Silence a random half</button><button data-do="again">Start again</button></div>
      ${says(`${heard ? `${heard} of the ${waiting.length} alarms that ring ${heard === 1 ? "is" : "are"} heard` : "No alarm is heard, so only the letters themselves vote"}${
        off ? `, and ${off} ${off === 1 ? "is" : "are"} silenced` : ""}. The most votes go to ${letters[leader]}, which is ${
        leader === answer ? "right" : `wrong: the table says ${letters[answer]}`}.`)}`;
  },

  set(state, field, value) {
    if (field === "heard") state.heard = value;
    else turn(state, { [field]: value });
  },

  act(state, name, value) {
    const { letters } = state;
    const { loud, ringing } = alarmsOf(state);
    if (state.heard && ["loudest", "half"].includes(name)) state.heard = ringing.length; // who silences has heard enough of one by one
    if (name === "other") turn(state, { before: Math.floor(letters.length * Math.random()), here: Math.floor(letters.length * Math.random()) });
    else if (name === "loudest") silence(state, ringing[0]);
    else if (name === "half") silenceHalf(state, loud.length);
    else silence(state, value);
  },

  play(state) {
    const { ringing, heard } = alarmsOf(state);
    state.heard = heard === ringing.length ? 0 : Math.min(ringing.length, heard + AT_ONCE);
    return state.heard < ringing.length;
  },

  seen: (state) => state.heard > 0 && state.heard === alarmsOf(state).ringing.length,
};

/** Another pair; whoever heard all alarms hears all of the new pair. */
function turn(state, pair) {
  const { ringing, heard } = alarmsOf(state);
  Object.assign(state, pair);
  if (heard && heard === ringing.length) state.heard = alarmsOf(state).ringing.length;
}

/** Silence an alarm or let it ring again, while all others stay as they are. */
function silence(state, one) {
  const { ringing, heard } = alarmsOf(state);
  const whole = heard === ringing.length;
  if (state.silenced.includes(one)) {
    state.silenced = state.silenced.filter((other) => other !== one);
    const rank = alarmsOf(state).ringing.indexOf(one);
    state.heard = heard + Number(rank < heard || whole);
  } else {
    state.silenced = [...state.silenced, one];
    state.heard = heard - Number(ringing.indexOf(one) < heard);
  }
}

/** Silence a random half of all alarms, and let the others ring and be heard. */
function silenceHalf(state, count) {
  const drawn = Array.from({ length: count }, (_, one) => [Math.random(), one]).sort(([a], [b]) => a - b);
  state.silenced = drawn.slice(0, HALF * count).map(([, one]) => one);
  state.heard = alarmsOf(state).ringing.length;
}

const row = ({ signs, most, wide }, i) => [...signs.slice(wide * i, wide * (i + 1))].map((sign) => (LEVELS.indexOf(sign) / 31.5 - 1) * most);
const best = (numbers) => numbers.indexOf(Math.max(...numbers));
const comes = ({ comes: all, letters, before, here }) => row(all, letters.length * before + here);
const added = (first, others) => first.map((x, i) => x + sum(others.map((other) => other[i])));
const through = (vector, matrix, bias) => added(bias, vector.map((x, i) => row(matrix, i).map((weight) => weight * x)));

/** Who led, one after the other, while these votes were added to the first. */
function leaders(first, cast) {
  const sums = [first];
  for (const one of cast) sums.push(added(sums.at(-1), [one]));
  return sums.map(best).filter((one, i, all) => one !== all[i - 1]);
}

const ownVotes = (state) => through(comes(state), state.own, state.given);
const votesOf = (state, one, loudness) => row(state.votes, one).map((vote) => vote * loudness);

/** How loud each alarm is; which ring, the loudest first; which of them are not silenced; how many are heard, and the last of them. */
function alarmsOf(state) {
  const loud = through(comes(state), state.hears, state.biases).map((x) => Math.max(0, x));
  const waiting = [...loud.keys()].filter((one) => loud[one] > 0).sort((a, b) => loud[b] - loud[a]);
  const ringing = waiting.filter((one) => !state.silenced.includes(one));
  const heard = Math.min(state.heard, ringing.length);
  return { loud, waiting, ringing, heard, last: ringing[heard - 1] };
}

const choice = (label, field, value, letters) => `<label>${label} <select data-field="${field}">${[...letters].map((letter, i) =>
  `<option value="${i}" ${i === value ? "selected" : ""}>${letter}</option>`).join("")}</select></label>`;

/** Bars up and down from a line, one for each answer. */
function chart(values, most, letters, { answer, leader }, label) {
  const columns = values.map((value, i) => {
    const kind = { [leader]: "k", [answer]: "v" }[i] ?? (answer === undefined ? "q" : "n");
    const share = value / most;
    return `<span class="${kind}" ${i === leader ? 'data-leads="true"' : ""}><i style="top:${at(UP * (1 - Math.max(0, share)))}%;bottom:${at(DOWN * (1 - Math.max(0, -share)))}%"></i></span>`;
  });
  const names = answer === undefined ? "" : [...letters].map((letter, i) =>
    `<b class="${i === answer ? "v" : i === leader ? "k" : ""}">${letter}</b>`).join("");
  return `<div class="votes ${names ? "" : "low"}" role="img" aria-label="${label}">${columns.join("")}${names}</div>`;
}

/** A cell: the darker, the louder. Tab leads to the alarm heard last, since 128 stops would be too many. */
function bell(one, loud, { silenced, last, order, heard }) {
  const off = silenced.includes(one);
  const state = off ? "silenced" : loud[one] === 0 ? "does not ring" : order < heard ? `heard, ${number(loud[one], 1)} loud` : "rings, not heard yet";
  const shade = !off && order >= 0 && order < heard ? Math.max(12, (100 * loud[one]) / Math.max(...loud)) : 0;
  return `<button data-do="silence" data-value="${one}" aria-pressed="${off}" aria-label="Alarm ${one + 1}: ${state}" tabindex="${one === last ? 0 : -1}"
    ${one === last ? 'data-last="true"' : ""} ${loud[one] || off ? "" : "disabled"} ${order >= heard ? 'data-waits="true"' : ""} style="--loud:${at(shade)}%"></button>`;
}

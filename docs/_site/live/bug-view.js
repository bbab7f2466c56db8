/* How the bug detective looks: the case, its probes, what they found, the list of bugs, the answer, the score. */

import { CASES, score, suspectsLeft } from "./bug-state.js";
import { escape } from "./html.js";

export function view(detective) {
  return `<div class="box">${heading(detective)}${probes(detective)}${findings(detective)}
    ${detective.current.done ? answer(detective) : naming(detective)}${ending(detective)}
    <p role="status">${escape(detective.message)}</p>${foot(detective)}</div>`;
}

function heading({ state, found, find }) {
  const done = state.cases.filter((one) => one.done).length;
  const points = done ? ` <span class="score">Score: ${score(state, find)} of ${done}</span>` : "";
  return `<p class="title" tabindex="-1">Case ${state.at + 1} of ${CASES}${points}</p>
    <p class="task">The box gets “${escape(found.words.join(" "))}”. Press a probe, and see what changes.</p>`;
}

function probes({ facts, current }) {
  const buttons = facts.probes.map(({ title }, i) => `<button data-do="probe" data-value="${i}"
    aria-pressed="${current.pressed.includes(i)}">${escape(title)}</button>`);
  return `<div class="row" role="group" aria-label="Probes">${buttons.join("")}</div>`;
}

/** What was found, the last probe first. */
function findings({ facts, found, current }) {
  const blocks = [...current.pressed].reverse().map((i) => finding(facts.probes[i], found, found.findings[i]));
  return `<div class="findings">${blocks.join("")}</div>`;
}

function finding(probe, { words }, { numbers, says }) {
  const heads = words.map((word, i) => `<th scope="col">${escape(word)}<small>${i + 1}</small></th>`);
  const cells = numbers.map((x) => (x === null ? '<td><span class="unseen">not asked</span>–</td>'
    : `<td class="${x === "0" ? "" : x === "NaN" ? "nan" : "some"}">${escape(x)}</td>`));
  const alike = says === probe.healthy;
  return `<section class="finding"><p class="name">${escape(probe.title)}</p><p>${escape(probe.does)}</p>
    <div class="scroll"><table><caption>${capital(probe.measures)}</caption><thead><tr>${heads.join("")}</tr></thead>
    <tbody><tr>${cells.join("")}</tr></tbody></table></div>
    <p><b>${escape(says)}</b> ${alike ? "A healthy box does the same." : `A healthy box: ${escape(probe.healthy)}`}</p></section>`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function naming({ facts, found, current, wrong }) {
  const groups = [...new Set(facts.suspects.map(({ group }) => group))];
  const options = ({ name, title }) => `<option value="${name}" ${name === current.choice ? "selected" : ""}>${escape(title)}</option>`;
  const lists = groups.map((group) => {
    const inside = facts.suspects.filter((one) => one.group === group).map(options).join("");
    return group ? `<optgroup label="${capital(group)}">${inside}</optgroup>` : inside;
  });
  const chosen = facts.suspects.find(({ name }) => name === current.choice);
  const left = suspectsLeft(facts.suspects, found, current.pressed).length;
  return `<p class="left">${left} of ${facts.suspects.length} suspects ${left === 1 ? "fits" : "fit"} what you have seen.</p>
    <div class="row"><label>The box: <select data-field="suspect"><option value="" ${current.choice ? "" : "selected"}>what is it?</option>${lists.join("")}</select></label>
    <button data-do="name">Name it</button><button data-do="tell">Show the answer</button></div>
    <p class="means" aria-live="polite">${chosen ? escape(chosen.wrong) : ""}</p>
    <div class="says" aria-live="polite">${wrong ? refuted(wrong, facts, found) : ""}</div>`;
}

/** Say which probe rules a named suspect out. */
function refuted({ suspect, probe }, facts, found) {
  const { title, shows } = facts.suspects.find(({ name }) => name === suspect);
  return `<p>Not “${escape(title)}”. The probe “${escape(facts.probes[probe].title)}” rules it out. With that bug one would see, for example: ${escape(shows[probe])}
    Here one sees: ${escape(found.findings[probe].says)}</p>`;
}

function answer({ facts, found, current, state }) {
  const suspect = facts.suspects.find(({ name }) => name === found.suspect);
  const right = current.named[0] === found.suspect;
  const word = right ? "Right." : current.named.includes(found.suspect) ? "Right, but not at once." : "This is the answer.";
  const room = suspect.room ? ` <a href="${escape(suspect.room)}">Its room in the museum</a>.` : "";
  const code = found.code.split("\n").map((line) => (line.trim() === found.bug ? `<mark>${escape(line)}</mark>` : escape(line)));
  const mended = found.bug ? `<p>The mended line:</p><pre tabindex="0"><code>${escape(found.mended)}</code></pre>` : "";
  const next = state.at + 1 < CASES ? '<div class="row"><button data-do="next">Next case</button></div>' : "";
  return `<div class="says ${right ? "right" : ""}" tabindex="-1" aria-live="polite"><p>${word} ${escape(suspect.title)}.</p></div>
    <div class="answer"><p>${escape(suspect.wrong)}${room}</p><p>This was in the box:</p><pre tabindex="0"><code>${code.join("\n")}</code></pre>${mended}
    <p>${escape(found.certify)}</p></div>${next}`;
}

function ending({ state, find, facts }) {
  if (!state.cases.every(({ done }) => done)) return "";
  const title = (suspect) => escape(facts.suspects.find(({ name }) => name === suspect)?.title ?? "not named");
  const rows = state.cases.map(({ name, named }, i) => {
    const { suspect } = find(name);
    return `<li>Case ${i + 1}: ${named[0] === suspect ? `✓ ${title(suspect)}` : `✗ ${title(suspect)}. Your first answer: ${title(named[0])}`}</li>`;
  });
  const pressed = state.cases.reduce((sum, one) => sum + one.pressed.length, 0);
  return `<div class="end" aria-live="polite"><p class="title">Your score: ${score(state, find)} of ${CASES}, with ${pressed} probes.</p>
    <ol>${rows.join("")}</ol></div>`;
}

function foot({ state, kept, facts }) {
  return `<div class="row"><button data-do="share">Copy a link to this game</button><button data-do="new">New game</button></div>
    <div class="row"><span>Game ${state.game}. Named at once so far: ${kept.length} of ${facts.cases.length} cases, kept in this browser only.</span>
    <button data-do="erase" ${kept.length ? "" : 'aria-disabled="true"'}>Erase it</button></div>`;
}

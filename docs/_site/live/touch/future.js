/* One given letter becomes another one. In a machine that cannot peek only what is said from there on may move. */

import { escape } from "../html.js";
import { says } from "./draw.js";

const START = "•";
const MACHINES = ["whole", "forgetful"];
const WANTED = 4; // places that the dare asks for

/** state: answer (with its end mark), instead (for each given letter those that it may become), whole and forgetful: {said: what it says
 * with the right letters, then: for each letter and each of its others [what it says, by how much of its 100 % each place moves]},
 * letter (which one is changed, counted from 1, or 0), choice (which of its others it is), turn (so that each change flashes anew). */
export const future = {
  begin(state) {
    Object.assign(state, { turn: 0, won: false });
  },

  view(state) {
    const { answer, instead, letter, choice, won } = state;
    const given = [...answer].slice(0, -1).map((one, i) => {
      const changed = letter === i + 1;
      return `<button data-do="change" data-value="${i + 1}" aria-pressed="${changed}" aria-label="given letter ${i + 1}, ${escape(one)}${changed ? `, now ${instead[i][choice]}` : ""}">${escape(changed ? instead[i][choice] : one)}</button>`;
    });
    return `<style>${LOOKS}</style><div class="future">
      ${MACHINES.map((name) => row(state, name)).join("")}
      <span class="who soft">given</span><b class="start">${START}</b>${given.join("")}</div>
      <p class="hint">A bar shows how much of a place’s 100 % has gone over to other letters. A thin line: it moves by a trace only.</p>
      ${says(told(state))}${won ? `<p class="won">✓ Exactly ${WANTED}: the dare is won.</p>` : ""}`;
  },

  /** The letter becomes the next of its others, and after the last of them itself again. */
  act(state, _, value) {
    const goesOn = state.letter === value;
    state.choice = goesOn ? state.choice + 1 : 0;
    state.letter = state.choice < state.instead[value - 1].length ? value : 0;
    state.turn = 1 - state.turn;
    if (state.letter && moving(state, "whole").length === WANTED) state.won = true;
  },
};

const nowOf = ({ letter, choice, ...machines }, name) =>
  letter ? machines[name].then[letter - 1][choice] : [machines[name].said, [...machines[name].said].map(() => 0)];

const moving = (state, name) => nowOf(state, name)[1].map((share, i) => (share > 0 ? i : -1)).filter((i) => i >= 0);

function row(state, name) {
  const { letter, turn } = state;
  const [said, shares] = nowOf(state, name);
  const before = [...state[name].said];
  const cells = [...said].map((one, i) => {
    const kind = shares[i] === 0 ? "calm" : i < letter ? "early moves" : "moves";
    const bar = `<i style="--high:${shares[i]}%"></i>`;
    return `<span class="place ${kind} turn${turn}${one === before[i] ? "" : " other"}">${bar}<b>${escape(one)}</b></span>`;
  });
  const label = letter ? `${name}: ${moving(state, name).length} of ${said.length} places move` : `${name}: nothing moves`;
  return `<span class="who soft">${name}</span><div class="line" role="img" aria-label="${label}. It says ${escape(said)}.">${cells.join("")}</div>`;
}

function told(state) {
  const { answer, instead, letter, choice } = state;
  if (!letter) return "These are the right letters, and what the two machines say after each. Press a given letter.";
  const [whole, forgetful] = MACHINES.map((name) => moving(state, name));
  const early = (places) => places.filter((i) => i < letter).length;
  const places = (n) => `${n} ${n === 1 ? "place moves" : "places move"}`;
  const looking = early(whole) ? `${early(whole)} of them before it` : "none of them before it";
  return `Given letter ${letter} was “${escape(answer[letter - 1])}” and is now “${instead[letter - 1][choice]}”. In the whole machine ${places(whole.length)},
    ${looking}. In the forgetful machine ${places(forgetful.length)}, ${early(forgetful)} of them before it.`;
}

const LOOKS = `
.future{display:grid;grid-template-columns:5.2em repeat(11,minmax(0,1fr));gap:.5em .25em;align-items:end;max-width:38em;margin:.4em 0}
.future .who{padding-bottom:.35em}.future .line{grid-column:2/-1;display:grid;grid-template-columns:subgrid}
.future .line .place{display:grid;grid-template-rows:2.6em auto;align-items:end}
.future .place i{display:block;height:var(--high);background:var(--tint);border-radius:.1em .1em 0 0}
.future .moves{--tint:var(--ca-queries)}.future .early{--tint:var(--ca-keys)}
.future .moves i{min-height:.16em}.future .place b{display:block;text-align:center;font-weight:400;line-height:1.8em;border:.05rem solid var(--ca-line);border-radius:.15em}
.future .moves b{background:color-mix(in srgb,var(--tint) 18%,transparent);border-color:transparent}
.future .other b{background:var(--tint);color:var(--md-default-bg-color);font-weight:700}
.future :is(b,button){font-family:var(--md-code-font-family,var(--md-code-font,monospace));font-size:1.1em}
.future button{padding:.1em 0;min-width:0}.future .start{text-align:center;font-weight:400;line-height:2.1em}
.won{color:var(--ca-values);font-weight:700;margin:.2em 0}
@media (prefers-reduced-motion:no-preference){.future .place i{transition:height .4s ease-out}.future .moves.turn0{animation:lights .7s ease-out}.future .moves.turn1{animation:lights-again .7s ease-out}}
@keyframes lights{from{filter:brightness(1.7);transform:translateY(-.25em)}}@keyframes lights-again{from{filter:brightness(1.7);transform:translateY(-.25em)}}
@container (max-width:30em){.future{grid-template-columns:repeat(11,minmax(0,1fr));gap:.3em .15em}.future .who{grid-column:1/-1;padding:.3em 0 0}.future .line{grid-column:1/-1}}
`;

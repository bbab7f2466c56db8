/* What the reader has solved and guessed: a custom element that lists it by lesson, keeps it in a file, and erases it. */

import { erase, progressIn } from "./exercise-state.js";
import { escape, morph } from "./html.js";
import { judgedLines, keep, kept, keptBets, keptDares } from "./kept.js";
import { TOUCH } from "./touch/touch-style.js";

const STYLE = `
td:first-child{text-align:left}
a{color:var(--md-typeset-a-color)}
.bets td{vertical-align:top}
.bets td:not(:last-child){text-align:left}
.scroll{overflow-x:auto}
.track{width:9em}
@container (max-width:28em){.track{width:4em}}
[type=file]{max-width:100%}
`;

class ExerciseProgress extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    this.lessons = JSON.parse(this.querySelector("script[type='application/json']").textContent).lessons;
    this.attachShadow({ mode: "open" });
    this.shadowRoot.addEventListener("click", (event) => this.on_click(event));
    this.shadowRoot.addEventListener("change", (event) => this.on_change(event));
    this.render("");
  }

  render(said) {
    const progress = kept();
    const rows = this.lessons.map((each) => row(each, progress));
    const names = this.lessons.flatMap((each) => each.names);
    const solved = names.filter((name) => progress[name]?.solved).length;
    const tried = names.filter((name) => progress[name]);
    const first = tried.filter((name) => progress[name].first === "right").length;
    const fresh = document.createElement("template");
    fresh.innerHTML = `<style>${TOUCH}${STYLE}</style><div class="box">
      <p><b>${solved} of ${names.length} solved</b>${tried.length ? `. Of ${tried.length} that you tried, you had ${first} right at once` : ""}. This is kept in your browser only.</p>
      <table><thead><tr><th scope="col">lesson</th><td></td><th scope="col">solved</th></tr></thead><tbody>${rows.join("")}</tbody></table>
      ${bets(this.lessons, keptBets())}
      <p><b>${keptDares().length} dares met</b>. They stand below <a href="../machine/">the date machine</a>.</p>
      <div class="controls"><button data-do="save">Save it in a file</button><label>Read it from a file: <input type="file" accept=".json,application/json"></label>
      <button data-do="erase">${this.sure ? "Yes, erase it all" : "Erase it"}</button></div><p role="status" aria-live="polite">${escape(said)}</p></div>`;
    morph(this.shadowRoot, fresh.content);
  }

  on_click({ target }) {
    const { do: name } = target.dataset;
    const sure = this.sure;
    this.sure = name === "erase" && !sure;
    if (this.sure) return this.render("Press once more to erase what you have solved and guessed, on all pages.");
    if (name === "erase") {
      erase();
      return this.render("Erased. Nothing of it is left.");
    }
    if (name !== "save") return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(kept(), null, 1)], { type: "application/json" }));
    link.download = "clear-attention-exercises.json";
    link.click();
    URL.revokeObjectURL(link.href);
    this.render("Saved as clear-attention-exercises.json.");
  }

  async on_change({ target }) {
    const found = progressIn(await target.files[0].text());
    if (found) keep({ ...kept(), ...found });
    target.value = "";
    this.render(found ? "Read. It stands in the list." : "This file holds no exercises of this site. Nothing was changed.");
  }
}

function row({ lesson, at, names }, progress) {
  const solved = names.filter((name) => progress[name]?.solved);
  const next = names.find((name) => !progress[name]?.solved) || names[0];
  const share = `${(100 * solved.length) / names.length}%`;
  return `<tr><td><a href="${escape(at)}#exercise-${escape(next.split("/")[1])}">${escape(lesson)}</a></td>
    <td class="track"><i style="--share:${share}"></i></td><td>${solved.length} of ${names.length}</td></tr>`;
}

/** The bets that were made, how far they were off, and which surprised most. */
function bets(lessons, made) {
  const places = lessons.flatMap(({ bets: names, ...lesson }) => names.map((name) => ({ ...lesson, name, bet: made[name] })));
  const known = places.filter(({ bet }) => bet);
  if (!known.length) return `<p><b>No bet made yet</b>. There are ${places.length}: in these a lesson lets you guess before it tells what was measured.</p>`;
  const lines = known.flatMap(({ lesson, at, bet }) => judgedLines(bet).map((line) => ({ ...line, lesson, at, off: Math.abs(line.off) })));
  const mean = lines.reduce((total, { off }) => total + off, 0) / lines.length;
  const most = lines.reduce((one, other) => (other.off > one.off ? other : one));
  const shown = lines.map(({ lesson, at, label, guess, measured, unit }) => `<tr><td><a href="${escape(at)}">${escape(lesson)}</a></td>
    <td>${escape(label)}</td><td>${guess}${escape(unit)}</td><td>${measured}${escape(unit)}</td></tr>`);
  const surprise = lines.length > 1 && most.off > 0 ? ` Your largest surprise: ${escape(most.label)}.` : "";
  return `<p><b>${known.length} of ${places.length} bets made</b>. On average you were ${Math.round(100 * mean)} % of the slider away.${surprise}</p>
    <div class="scroll"><table class="bets"><thead><tr><th scope="col">lesson</th><th scope="col">what</th><th scope="col">you said</th><th scope="col">measured</th></tr></thead><tbody>${shown.join("")}</tbody></table></div>`;
}

customElements.define("exercise-progress", ExerciseProgress);

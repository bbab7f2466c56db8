/* An exercise of a lesson: a custom element in which the reader predicts, and hears which mistake was made. */

import { blank, judge, remember } from "./exercise-state.js";
import { EXERCISE_STYLE, typed, view } from "./exercise-view.js";
import { morph } from "./html.js";
import { kept } from "./kept.js";
import { TOUCH } from "./touch/touch-style.js";

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

class PageExercise extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    this.exercise = JSON.parse(this.querySelector("script[type='application/json']").textContent);
    this.state = { answer: blank(this.exercise), found: null, tries: 0, shown: false };
    if (kept()[this.exercise.name]?.solved) this.solved();
    this.attachShadow({ mode: "open" });
    for (const kind of ["input", "click", "keydown"]) {
      this.shadowRoot.addEventListener(kind, (event) => this[`on_${kind}`](event));
    }
    this.render();
  }

  /** An exercise that was solved before stands there as it was left. */
  solved() {
    this.state.answer = typed(this.exercise, this.exercise.right);
    this.state.found = { verdict: "right" };
  }

  render() {
    const fresh = document.createElement("template");
    fresh.innerHTML = `<style>${TOUCH}${EXERCISE_STYLE}</style>${view(this.exercise, this.state)}`;
    morph(this.shadowRoot, fresh.content);
  }

  check() {
    const { exercise, state } = this;
    state.found = judge(exercise, state.answer);
    state.shown = false;
    if (state.found.verdict !== "unfinished") {
      state.tries += 1;
      remember(exercise.name, state.found);
    }
    this.render();
  }

  /** What is changed after a check has not been checked. */
  changed(place, value) {
    this.state.answer[place] = value;
    this.state.found = null;
    this.state.shown = false;
  }

  on_input({ target }) {
    this.changed(Number(target.dataset.field), target.value);
    this.render();
  }

  on_click({ target }) {
    const { do: name, value } = target.closest("[data-do]")?.dataset || {};
    if (name === "check") return this.check();
    if (name === "choose") {
      this.changed(0, value);
      return this.check();
    }
    if (name === "cell") this.changed(Number(value), 1 - this.state.answer[Number(value)]);
    if (name === "show") {
      this.state.answer = typed(this.exercise, this.exercise.right);
      this.state.found = null;
      this.state.shown = true;
    }
    if (name) this.render();
  }

  on_keydown(event) {
    const { target, key } = event;
    if (key === "Enter" && target.nodeName === "INPUT") return this.check();
    const step = STEPS[key];
    if (!step || target.dataset.do !== "cell") return;
    event.preventDefault();
    const [{ length: rows }, { length: columns }] = [this.exercise.rows, this.exercise.columns];
    const place = Number(target.dataset.value);
    const row = Math.min(Math.max(Math.floor(place / columns) + step[0], 0), rows - 1);
    const column = Math.min(Math.max((place % columns) + step[1], 0), columns - 1);
    this.shadowRoot.querySelector(`[data-value="${row * columns + column}"]`).focus();
  }
}

customElements.define("page-exercise", PageExercise);

/* A small picture of a lesson that the reader can touch: an element whose state is a few numbers, and which is drawn anew
   after each change. A page loads only the pieces that it has. A piece is an object: view(state) gives HTML, drag(state, handle, x, y) and act(state, name, value,
   element) change the state where it has handles and buttons, settle(state) says that a number is no longer being typed, play(state) where it can go on by itself, begin(state,
   element) where it remembers something, and seen(state, start) where the page asks something: whether the reader has seen the answer. */

import { morph } from "./html.js";
import { lift, veilBelow } from "./touch/answer.js";
import { TOUCH } from "./touch/touch-style.js";

const pieces = (globalThis.lessonPieces ??= {}); // each piece has a script of its own, which puts it here and says so

const PAUSE = 500; // milliseconds between two pictures of what goes on by itself

class LessonPiece extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    this.piece = pieces[this.getAttribute("piece")];
    if (!this.piece) return addEventListener("lesson-piece", () => this.connectedCallback(), { once: true });
    this.start = JSON.parse(this.querySelector("script[type='application/json']").textContent);
    this.state = structuredClone(this.start);
    this.piece.begin?.(this.state, this);
    if (this.piece.seen) veilBelow(this);
    this.attachShadow({ mode: "open" });
    for (const kind of ["input", "change", "focusout", "click", "pointerdown", "keydown"]) {
      this.shadowRoot.addEventListener(kind, (event) => this[`on_${kind}`](event));
    }
    this.render();
  }

  render() {
    const fresh = document.createElement("template");
    fresh.innerHTML = `<style>${TOUCH}</style><div class="box">${this.piece.view(this.state)}</div>`;
    const focused = this.shadowRoot.activeElement;
    morph(this.shadowRoot, fresh.content);
    if (this.piece.seen?.(this.state, this.start)) lift(this);
    // who works with the keyboard goes on from here, if what was pressed is gone
    if (focused && !this.shadowRoot.activeElement) this.shadowRoot.querySelector("button:enabled, input:enabled")?.focus({ preventScroll: true });
  }

  on_input({ target }) {
    const { field } = target.dataset;
    if (!field) return;
    this.stop();
    const value = { checkbox: target.checked, text: target.value, textarea: target.value }[target.type] ?? Number(target.value);
    if (this.piece.set) this.piece.set(this.state, field, value, this);
    else this.state[field] = value;
    this.render();
  }

  /** A step of the arrows is no typing; a field that the reader leaves may be left for the next number. */
  on_change({ target }) {
    if (this.shadowRoot.activeElement === target) this.settle(target);
  }

  on_focusout({ target, relatedTarget }) {
    if (!relatedTarget?.dataset?.field) this.settle(target);
  }

  settle({ dataset }) {
    if (!dataset.field || !this.piece.settle) return;
    this.piece.settle(this.state);
    this.render();
  }

  /** A button may have a key of its own, for who is in the piece already. */
  on_keydown({ key, target, ctrlKey, metaKey, altKey }) {
    if (key === "Enter") this.settle(target);
    if (!ctrlKey && !metaKey && !altKey && !["INPUT", "TEXTAREA"].includes(target.nodeName)) this.shadowRoot.querySelector(`[data-key="${CSS.escape(key)}"]:enabled`)?.click();
  }

  on_click({ target }) {
    const button = target.closest("[data-do]");
    if (!button) return;
    const { do: name, value } = button.dataset;
    if (name === "play" && !this.state.playing) return this.play();
    this.stop();
    if (name === "again") this.state = structuredClone(this.start);
    else if (name !== "play") this.piece.act(this.state, name, value === undefined ? value : Number(value), this);
    this.render();
  }

  /** Let the piece go on, picture by picture, until it is done or the reader presses or moves something. */
  play() {
    this.state.playing = true;
    this.running = setInterval(() => {
      if (!this.piece.play(this.state)) this.stop();
      this.render();
    }, PAUSE);
    this.render();
  }

  stop() {
    if (!this.state.playing) return;
    clearInterval(this.running);
    this.state.playing = false;
  }

  on_pointerdown(event) {
    const handle = event.target.closest("[data-handle]");
    if (!handle) return;
    this.stop();
    event.preventDefault();
    const svg = handle.ownerSVGElement;
    const move = ({ clientX, clientY }) => {
      const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
      this.piece.drag(this.state, handle.dataset.handle, x, y);
      this.render();
    };
    if ("now" in handle.dataset) move(event); // a press is enough
    const stop = new AbortController();
    window.addEventListener("pointermove", move, { signal: stop.signal });
    for (const end of ["pointerup", "pointercancel"]) {
      window.addEventListener(end, () => stop.abort(), { signal: stop.signal });
    }
  }
}

customElements.define("lesson-piece", LessonPiece);

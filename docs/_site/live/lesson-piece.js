/* A small picture of a lesson that the reader can touch: an element whose state is a few numbers, and which is drawn anew
   after each change. A piece is an object: view(state) gives HTML, drag(state, handle, x, y) and act(state, name, value,
   element) change the state where it has handles and buttons, play(state) where it can go on by itself, and begin(state) where it
   remembers something. */

import { morph } from "./html.js";
import { adding } from "./touch/adding.js";
import { arrows } from "./touch/arrows.js";
import { asking } from "./touch/asking.js";
import { backwards } from "./touch/backwards.js";
import { bends } from "./touch/bends.js";
import { bet } from "./touch/bet.js";
import { capping } from "./touch/capping.js";
import { crossing } from "./touch/crossing.js";
import { cutting } from "./touch/cutting.js";
import { dials } from "./touch/dials.js";
import { echo } from "./touch/echo.js";
import { families } from "./touch/families.js";
import { folding } from "./touch/folding.js";
import { gluing } from "./touch/gluing.js";
import { growth } from "./touch/growth.js";
import { guessing } from "./touch/guessing.js";
import { journey } from "./touch/journey.js";
import { keeping } from "./touch/keeping.js";
import { looks } from "./touch/looks.js";
import { mending } from "./touch/mending.js";
import { merging } from "./touch/merging.js";
import { neighbours } from "./touch/neighbours.js";
import { norm } from "./touch/norm.js";
import { nudge } from "./touch/nudge.js";
import { packed } from "./touch/packed.js";
import { pulling } from "./touch/pulling.js";
import { reaching } from "./touch/reaching.js";
import { rows } from "./touch/rows.js";
import { rules } from "./touch/rules.js";
import { seats } from "./touch/seats.js";
import { seeing } from "./touch/seeing.js";
import { sharing } from "./touch/sharing.js";
import { spare } from "./touch/spare.js";
import { strips } from "./touch/strips.js";
import { temperature } from "./touch/temperature.js";
import { tree } from "./touch/tree.js";
import { TOUCH } from "./touch/touch-style.js";
import { tower } from "./touch/tower.js";
import { turning } from "./touch/turning.js";
import { valley } from "./touch/valley.js";
import { wall } from "./touch/wall.js";
import { wishes } from "./touch/wishes.js";

const PIECES = {
  adding, arrows, asking, backwards, bends, bet, capping, crossing, cutting, dials, echo, families, folding, gluing, growth, guessing, journey, keeping, looks, mending, merging, neighbours, norm, nudge, packed, pulling, reaching, rows, rules, seats, seeing, sharing, spare, strips, temperature, tower, tree, turning, valley, wall, wishes,
};

const PAUSE = 500; // milliseconds between two pictures of what goes on by itself

class LessonPiece extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    this.piece = PIECES[this.getAttribute("piece")];
    this.start = JSON.parse(this.querySelector("script[type='application/json']").textContent);
    this.state = structuredClone(this.start);
    this.piece.begin?.(this.state);
    this.attachShadow({ mode: "open" });
    for (const kind of ["input", "click", "pointerdown"]) {
      this.shadowRoot.addEventListener(kind, (event) => this[`on_${kind}`](event));
    }
    this.render();
  }

  render() {
    const fresh = document.createElement("template");
    fresh.innerHTML = `<style>${TOUCH}</style><div class="box">${this.piece.view(this.state)}</div>`;
    const focused = this.shadowRoot.activeElement;
    morph(this.shadowRoot, fresh.content);
    // who works with the keyboard goes on from here, if what was pressed is gone
    if (focused && !this.shadowRoot.activeElement) this.shadowRoot.querySelector("button:enabled, input:enabled")?.focus({ preventScroll: true });
  }

  on_input({ target }) {
    const { field } = target.dataset;
    if (!field) return;
    this.stop();
    const value = { checkbox: target.checked, text: target.value }[target.type] ?? Number(target.value);
    if (this.piece.set) this.piece.set(this.state, field, value);
    else this.state[field] = value;
    this.render();
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
    const stop = new AbortController();
    window.addEventListener("pointermove", move, { signal: stop.signal });
    for (const end of ["pointerup", "pointercancel"]) {
      window.addEventListener(end, () => stop.abort(), { signal: stop.signal });
    }
  }
}

customElements.define("lesson-piece", LessonPiece);

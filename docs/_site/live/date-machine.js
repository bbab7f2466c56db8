/* The date machine: a custom element in which a reader types a date, sees a trained Transformer read it, and takes the
   machine apart. Its state is the address's fragment, so that it can be shared; everything works by keyboard. */

import { colours } from "./colour.js";
import { CharacterTokenizer, meaningOf, plainMeaningOf } from "./engine/dates.js";
import { beamSearch, greedySearch } from "./engine/generation.js";
import { escape, morph } from "./html.js";
import { tried } from "./machine-dares.js";
import { load, ready } from "./machine-files.js";
import { draw, placeAt } from "./machine-maps.js";
import { emptiness } from "./machine-places.js";
import { build, mapOf, mapsOf, run } from "./machine-run.js";
import { exchange } from "./machine-exchange.js";
import { fool, judged, nonsense } from "./machine-fool.js";
import { fromAddress, FRESH, LARGEST, LONGEST, mended, toAddress } from "./machine-state.js";
import { weave } from "./machine-threads.js";
import { beside, columnsOf, field, fits, looks, rowsOf, small, whole } from "./machine-view.js";
import { trouble } from "./machine-words.js";
import { MACHINE_STYLE } from "./machine-style.js";
import { lift, veilBelow } from "./touch/answer.js";

const PIECES = { small, looks, fits, beside, exchange, fool, places: emptiness };
const FIELDS = { exchange: () => "", fool: nonsense }; // where it is not the text field of all others
const FETCHING = "The machine is being fetched …";
const PAUSE = 350; // milliseconds between letters, where the reader lets it write again
const toggled = (list, one) => (list.includes(one) ? list.filter((x) => x !== one) : [...list, one]);

class DateMachine extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.begin();
    window.addEventListener("hashchange", this.onAddress);
  }

  disconnectedCallback() {
    window.removeEventListener("hashchange", this.onAddress);
    clearInterval(this.running);
  }

  begin() {
    const data = JSON.parse(this.querySelector("script[type='application/json']").textContent);
    Object.assign(this, { siblings: data.siblings, examples: data.examples, names: data.names, page: data.page });
    const { source, target } = data.tokenizers;
    this.tokenizers = { source: new CharacterTokenizer(source), target: new CharacterTokenizer(target) };
    Object.assign(this, { past: [], future: [], message: "", problem: "", shown: Infinity, edited: { path: "", row: 0 } });
    this.start = { ...FRESH, ...data.state };
    this.state = this.fromAddress() || structuredClone(this.start);
    this.recolour();
    this.attachShadow({ mode: "open" });
    for (const kind of ["click", "change", "input", "keydown"]) {
      this.shadowRoot.addEventListener(kind, (event) => this[`on_${kind}`](event));
    }
    this.opened = new Set(); // what is folded away is not drawn
    const onToggle = ({ target }) => {
      this.opened[target.open ? "add" : "delete"](target.dataset.part);
      this.render();
    };
    this.shadowRoot.addEventListener("toggle", onToggle, true);
    this.onAddress = () => {
      const state = this.fromAddress();
      if (!state || JSON.stringify(state) === JSON.stringify(this.state)) return;
      this.state = state;
      this.render();
    };
    this.render();
    if (this.scalesRows) new ResizeObserver(() => weave(this)).observe(this);
    for (const kind of ["pointerover", "focusin"]) this.addEventListener(kind, () => this.wake(), { once: true });
    if (!this.isShared) {
      this.wakeWhenNear();
      veilBelow(this);
    }
  }

  /** Give the still picture the colours of the machine, so that none changes when it wakes. */
  recolour() {
    for (const square of this.querySelectorAll("svg.still rect")) {
      square.setAttribute("fill", colours(Number(square.getAttribute("fill-opacity"))).weight);
      square.setAttribute("fill-opacity", "1");
    }
    for (const { style } of this.querySelectorAll(".still-strip b[style]")) {
      const { weight, ink } = colours(parseFloat(style.getPropertyValue("--shade")));
      Object.assign(style, { background: weight, color: ink });
    }
  }

  /** Wake when the reader, who has begun to move on the page, comes near: a page that is only opened stays light. */
  wakeWhenNear() {
    const near = new IntersectionObserver(([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      near.disconnect();
      this.wake();
    }, { rootMargin: "400px" });
    const begin = () => near.observe(this);
    for (const kind of ["scroll", "pointermove", "keydown"]) addEventListener(kind, begin, { once: true, passive: true });
  }

  /** The small machine has one scale for its letters and its map: the one that is looked at most is the brightest. */
  get scalesRows() {
    return this.getAttribute("piece") === "small";
  }

  get isShared() {
    return this.hasAttribute("shared");
  }

  /** The machine that lacks nothing: a lesson may compare with one that was trained as long as its sibling. */
  get reference() {
    return this.start.whole ?? "dates";
  }

  fromAddress() {
    return this.isShared ? fromAddress(location.hash, this.siblings.map(({ name }) => name)) : null;
  }

  // State

  change(edit, message = "", goesOn = false) {
    const before = JSON.stringify(this.state);
    edit(this.state);
    if (JSON.stringify(this.state) !== before && !goesOn) {
      this.past.push(before);
      this.future = [];
    }
    this.message = message;
    this.show();
  }

  travel(from, to) {
    if (!from.length) return;
    to.push(JSON.stringify(this.state));
    this.state = JSON.parse(from.pop());
    this.show();
  }

  show() {
    if (this.isShared) history.replaceState(history.state, "", toAddress(this.state));
    this.render();
  }

  // What is computed, again only when something that counts has changed

  /** Fetch the models of a piece: its reader comes near, and others never need them. */
  wake() {
    if (this.isAwake) return;
    this.isAwake = true;
    this.render();
  }

  /** Return whether all models are here; else fetch them, and draw when they are. */
  hasModels() {
    if (!this.isShared && !this.isAwake) return false;
    const missing = [this.reference, this.state.sibling].filter((name) => !ready(name));
    if (!missing.length) return true;
    // a pause between reading weights and computing with them leaves the page free to answer
    Promise.all(missing.map(load)).then(() => setTimeout(() => this.render()), (error) => this.say(error.message));
    return false;
  }

  /** Say what the reader waits for, and what stands there meanwhile. */
  get waiting() {
    if (this.isShared) return FETCHING;
    const what = this.querySelector(".still") ? "Its answer to one date" : "What was measured";
    return `${what}. The machine itself ${this.isAwake ? "is loading …" : "loads as soon as you scroll or point here."}`;
  }

  compute() {
    const { side, at, map: _, head, ...counts } = this.state;
    const key = JSON.stringify(counts);
    if (key === this.computed) return;
    this.computed = key;
    this.problem = trouble(this.state.text.trim(), this.tokenizers, LONGEST);
    if (!this.problem) this.text = this.state.text.trim();
    this.text ??= this.start.text; // what it could read last stays
    this.kept = ready(this.state.sibling);
    this.model = build(this.kept, this.state.edits);
    this.whole ??= build(ready(this.reference));
    if (this.message === this.waiting) this.message = "";
    this.result = run(this.model, this.whole, this.tokenizers, { ...this.state, text: this.text });
    this.means = meaningOf(this.text, this.names);
    this.plain = this.means ?? plainMeaningOf(this.text, this.names);
    this.shown = Infinity;
    if (this.running) Object.assign(this.state, this.pointed); // who types while it writes sees the letter that was chosen
    clearInterval(this.running);
    this.running = undefined;
  }

  render() {
    if (!this.hasModels()) {
      if (!this.result) this.say(this.waiting);
      return;
    }
    this.compute();
    this.shown = Math.min(Math.max(this.shown, 1), this.result.steps.length);
    this.replace((PIECES[this.getAttribute("piece")] ?? whole)(this));
    for (const canvas of this.shadowRoot.querySelectorAll("canvas")) this.drawOn(canvas);
    if (this.scalesRows) weave(this);
    this.greet();
  }

  /** The small machine writes its first answer letter by letter, for those who like things to move. */
  greet() {
    const isSmall = this.getAttribute("piece") === "small" && !this.greeted;
    this.greeted = true;
    if (isSmall && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.write();
  }

  replace(html) {
    const fresh = document.createElement("template");
    fresh.innerHTML = `<style>${MACHINE_STYLE}</style>${html}`;
    morph(this.shadowRoot, fresh.content);
  }

  say(message) {
    this.message = message;
    if (this.result) this.render();
    else {
      const asks = this.isShared ? "" : (FIELDS[this.getAttribute("piece")] ?? field)(this);
      const quiet = message === this.waiting ? ' class="hint waits"' : "";
      this.replace(`<div class="box">${asks}<p role="status"${quiet}>${escape(message)}</p><slot></slot></div>`);
    }
  }

  drawOn(canvas) {
    const { map: name, head } = canvas.dataset;
    const { side, at } = this.state;
    const grid = mapOf(mapsOf(this.result, name), Number(head));
    const cut = name === "encoder" ? grid : grid.slice(0, this.result.atOnce ? 1 : this.shown);
    const from = rowsOf(this.result, name, this.text).slice(0, cut.length);
    const row = this.result.atOnce && name === "cross" ? 0 : Math.min(at, cut.length - 1);
    const asked = { cross: side === "answer" ? { row } : { column: at }, self: side === "answer" ? { row } : null,
      encoder: side === "source" ? { row: at } : null }[name];
    const shades = this.scalesRows ? cut.map((one) => one.map((x) => x / Math.max(...one))) : cut;
    draw(canvas, shades, from, columnsOf(this.result, name, this.text), asked);
  }

  // Events

  on_click(event) {
    const canvas = event.target.closest("canvas");
    if (canvas && this.pointInto(canvas, event)) return;
    const button = event.target.closest("[data-do]");
    if (button && button.getAttribute("aria-disabled") !== "true") this.act(button.dataset.do, button.dataset.value);
  }

  /** Point at the row of a map: at the letter that looks. Its edge chooses the head. */
  pointInto(canvas, event) {
    const { row, column } = placeAt(canvas, event);
    if (row < 0 || column < 0) return false;
    const side = canvas.dataset.map === "encoder" ? "source" : "answer";
    this.change((s) => Object.assign(s, { side, at: row, head: Number(canvas.dataset.head) }));
    return true;
  }

  act(name, value) {
    lift(this);
    const actions = {
      undo: () => this.travel(this.past, this.future),
      redo: () => this.travel(this.future, this.past),
      mend: () => this.change((s) => Object.assign(s, mended(s))),
      point: () => this.change((s) => ([s.side, s.at] = [value.split(" ")[0], Number(value.split(" ")[1])])),
      map: () => this.change((s) => (s.map = value)),
      head: () => this.change((s) => (s.head = Number(value))),
      off: () => this.change((s) => (s.off = toggled(s.off, value))),
      hide: () => this.change((s) => (s.hidden = toggled(s.hidden, Number(value)))),
      step: () => this.walk(Number(value)),
      run: () => this.write(),
      zero: () => this.rewrite((numbers) => numbers.fill(0)),
      restore: () => this.change((s) => (s.edits = s.edits.filter((one) => !this.isEdited(one)))),
      share: () => this.copy(),
      dare: () => this.dare(value),
      swap: () => this.change((s) => (s.exchanged = toggled(s.exchanged, Number(value)))),
      swapAll: () => this.change((s) => (s.exchanged = value ? value.split(" ").map(Number) : [])),
      fooled: () => this.isFooled(),
    };
    actions[name]();
  }

  walk(by) {
    this.shown = Math.min(Math.max(this.shown + by, 1), this.result.steps.length);
    [this.state.side, this.state.at] = ["answer", this.shown - 1];
    this.show();
  }

  /** Write the answer once more, letter by letter, until it is done or the reader stops it. */
  write() {
    if (this.running) {
      clearInterval(this.running);
      this.running = undefined;
      Object.assign(this.state, this.pointed);
      return this.show();
    }
    this.pointed = { side: this.state.side, at: this.state.at };
    this.shown = 0;
    this.running = setInterval(() => {
      if (this.shown >= this.result.steps.length) return this.write();
      this.walk(1);
    }, PAUSE);
    this.walk(1);
  }

  get editable() {
    const matrices = [...this.kept.parts].filter(([, { shape }]) => shape.length === 2);
    const [path, { shape, data }] = matrices.find(([name]) => name === this.edited.path) ?? matrices[0];
    return { path, shape, data, row: Math.min(this.edited.row, shape[0] - 1) };
  }

  isEdited(edit) {
    const { path, row } = this.editable;
    return edit.path === path && edit.row === row;
  }

  rewrite(edit) {
    const { path, shape, data, row } = this.editable;
    const old = this.state.edits.find((one) => this.isEdited(one));
    const numbers = old ? [...old.numbers] : [...data.subarray(row * shape[1], (row + 1) * shape[1])];
    edit(numbers);
    this.change((s) => (s.edits = [...s.edits.filter((one) => !this.isEdited(one)), { path, row, numbers }]));
  }

  dare(name) {
    this.heard = tried(name, this);
    this.render();
  }

  isFooled() {
    if (!this.result) return; // the machine is still on its way
    this.heard = judged(this);
    this.render();
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(location.href.split("#")[0] + toAddress(this.state));
      this.message = "Copied.";
    } catch {
      this.message = "The browser does not let pages copy; take the address of this page.";
    }
    this.show();
  }

  on_input({ target }) {
    lift(this);
    if (target.dataset.field === "text") this.type(target.value);
    if (target.dataset.field === "places") this.change((s) => (s.places = Number(target.value)));
  }

  /** Read what is typed; places that are no longer there can't be hidden. */
  type(text) {
    const plain = text.toLowerCase();
    const goesOn = this.typedLast === JSON.stringify(this.state); // a text that is typed is undone as a whole
    this.change((s) => Object.assign(s, { text: plain, hidden: s.hidden.filter((j) => j < plain.length),
      at: s.side === "source" ? Math.max(Math.min(s.at, plain.length - 1), 0) : s.at }), "", goesOn);
    this.typedLast = JSON.stringify(this.state);
  }

  on_change({ target }) {
    const { field } = target.dataset;
    const value = Number(target.value);
    const actions = {
      example: () => this.change((s) => Object.assign(s, structuredClone(FRESH), structuredClone(this.examples[value].state))),
      sibling: () => this.change((s) => Object.assign(s, { sibling: target.value, off: [], edits: [] })),
      seesPadding: () => this.change((s) => (s.seesPadding = target.checked)),
      path: () => this.edit({ path: target.value, row: 0 }),
      row: () => this.edit({ path: this.editable.path, row: Math.max(Math.round(value) - 1, 0) || 0 }),
      weight: () => this.weigh(Number(target.dataset.column), target.value),
    };
    actions[field]?.();
  }

  edit(place) {
    this.edited = place;
    this.render();
  }

  weigh(column, text) {
    const number = Number(text.trim().replace("−", "-"));
    if (text.trim() === "" || Number.isNaN(number)) return this.say(`“${text}” is no number: write one such as 0.25.`);
    if (Math.abs(number) > LARGEST) return this.say(`“${text}” is too large: write a number between -${LARGEST} and ${LARGEST}.`);
    this.rewrite((numbers) => (numbers[column] = number));
  }

  on_keydown(event) {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !event.target.matches("input")) {
      event.preventDefault();
      this.act(event.shiftKey ? "redo" : "undo");
      return;
    }
    if (event.key === "Enter" && event.target.matches("[data-enter]")) return this.act(event.target.dataset.enter);
    const letter = event.target.closest?.(".strip .letter");
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!letter || !by) return;
    event.preventDefault();
    const letters = [...letter.parentElement.querySelectorAll(".letter")];
    const next = letters[letters.indexOf(letter) + by];
    if (!next) return;
    next.focus();
    if (next.dataset.do === "point") this.act("point", next.dataset.value);
  }
}

window.dateMachine = { beamSearch, build, greedySearch, load, plainMeaningOf }; // for the tests
customElements.define("date-machine", DateMachine);

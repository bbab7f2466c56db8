/* The Mask Lab: a custom element in which a reader edits a mask and watches the numbers. Its state is the address's
   fragment, so that a view can be shared; everything works by keyboard. */

import { code } from "./code.js";
import { float16, scaledDotProductAttention } from "./engine/attention.js";
import { describe } from "./findings.js";
import { morph } from "./html.js";
import { heads } from "./pieces.js";
import { buildMask, fromAddress, MOST, resize, toAddress } from "./state.js";
import { STYLE } from "./style.js";
import { small, whole } from "./view.js";

const PIECES = { heads, mask: small }; // of lessons
const read = (text) => {
  const plain = text.trim().replace("−", "-").toLowerCase();
  const named = { nan: NaN, inf: Infinity, "-inf": -Infinity, "∞": Infinity, "-∞": -Infinity };
  if (plain in named) return named[plain];
  return plain !== "" && Number.isFinite(Number(plain)) ? Number(plain) : null;
};
const kept = (x) => (Number.isFinite(x) ? x : String(x)); // JSON knows neither NaN nor infinity
const without = (numbers, one) =>
  numbers.includes(one) ? numbers.filter((x) => x !== one) : [...numbers, one].sort((a, b) => a - b);
const bounded = (text, most) => Math.min(Math.max(Math.round(Number(text)) || 0, 0), most);

class MaskLab extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.begin();
    window.addEventListener("hashchange", this.onAddress);
  }

  disconnectedCallback() {
    window.removeEventListener("hashchange", this.onAddress);
  }

  begin() {
    this.examples = JSON.parse(this.querySelector("script[type='application/json']").textContent);
    this.attachShadow({ mode: "open" });
    this.past = [];
    this.future = [];
    this.at = { row: 0, column: 0 };
    this.state = this.fromAddress() || structuredClone(this.examples[0].state);
    this.message = "";
    for (const kind of ["click", "change", "input", "keydown", "focusin"]) {
      this.shadowRoot.addEventListener(kind, (event) => this[`on_${kind}`](event));
    }
    this.onAddress = () => {
      const state = this.fromAddress();
      if (!state || JSON.stringify(state) === JSON.stringify(this.state)) return;
      this.state = state;
      this.render();
    };
    this.render();
  }

  // State

  get numbers() {
    const grid = (rows) => rows.map((row) => row.map(Number));
    return { q: grid(this.state.q), k: grid(this.state.k), v: grid(this.state.v) };
  }

  get mask() {
    return buildMask(this.state);
  }

  get situation() {
    return { ...this.numbers, mask: this.mask, dtype: this.state.dtype, how: this.state.how };
  }

  get columns() {
    return this.state.step === "output" ? this.state.v[0].length : this.state.tokens.length;
  }

  get isShared() {
    return this.hasAttribute("shared");
  }

  fromAddress() {
    return this.isShared ? fromAddress(location.hash) : null;
  }

  change(edit, message = "") {
    const before = JSON.stringify(this.state);
    edit(this.state);
    if (JSON.stringify(this.state) !== before) {
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

  render() {
    const { row, column } = this.at;
    this.at = { row: Math.min(row, this.state.tokens.length - 1), column: Math.min(column, this.columns - 1) };
    const html = (PIECES[this.getAttribute("piece")] ?? whole)(this);
    const fresh = document.createElement("template");
    fresh.innerHTML = `<style>${STYLE}</style>${html}`;
    morph(this.shadowRoot, fresh.content);
  }

  // Events

  on_click(event) {
    const button = event.target.closest("[data-do]");
    const cell = event.target.closest("[data-cell]");
    if (button) this.act(button.dataset.do, button.dataset.value);
    else if (cell) this.toggle(...cell.dataset.cell.split(",").map(Number));
  }

  act(name, value) {
    const n = this.state.tokens.length;
    const actions = {
      undo: () => this.travel(this.past, this.future),
      redo: () => this.travel(this.future, this.past),
      step: () => this.change((s) => (s.step = value)),
      pad: () => this.change((s) => (s.padding = without(s.padding, Number(value)))),
      longer: () => n < MOST && this.change((s) => resize(s, n + 1)),
      shorter: () => n > 1 && this.change((s) => resize(s, n - 1)),
      copy: () => this.copy(value),
      share: () => this.copy("address"),
    };
    actions[name]();
  }

  toggle(i, j) {
    this.at = { row: i, column: j };
    this.change((s) => (s.flipped = without(s.flipped, i * s.tokens.length + j)));
  }

  async copy(what) {
    const address = location.href.split("#")[0] + toAddress(this.state);
    const text = what === "address" ? address : code[what](this.situation);
    try {
      await navigator.clipboard.writeText(text);
      this.message = "Copied.";
    } catch {
      this.message = "The browser does not let pages copy; select the text by hand.";
    }
    this.render();
  }

  on_change({ target }) {
    const { field } = target.dataset;
    if (!field) return;
    if (field === "example") {
      const { state } = this.examples[Number(target.value)];
      this.at = { row: 0, column: 0 };
      this.change((s) => Object.assign(s, structuredClone(state)));
    } else if (field === "token") {
      this.change((s) => (s.tokens[Number(target.dataset.row)] = target.value));
    } else if (field === "number") {
      const { grid, row, column } = target.dataset;
      const value = read(target.value);
      const wrong = value === null ? `“${target.value}” is no number: write one such as 1.5, or nan, inf, -inf.` : "";
      this.change((s) => value === null || (s[grid][row][column] = kept(value)), wrong);
    } else if (target.type !== "range") {
      const value = target.type === "checkbox" ? target.checked : target.value;
      this.change((s) => (s[field] = target.type === "number" ? bounded(value, s.tokens.length) : value));
    }
  }

  on_input({ target }) {
    if (target.type === "range") this.change((s) => (s[target.dataset.field] = Number(target.value)));
  }

  on_keydown(event) {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !isText(event.target)) {
      event.preventDefault();
      this.act(event.shiftKey ? "redo" : "undo");
      return;
    }
    const cell = event.target.closest("[data-place]");
    if (!cell) return;
    const [row, column] = cell.dataset.place.split(",").map(Number);
    const { columns } = this;
    const moves = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      Home: [row, 0], End: [row, columns - 1],
    };
    if (event.key in moves) {
      event.preventDefault();
      const [i, j] = moves[event.key];
      const last = this.state.tokens.length - 1;
      this.shadowRoot.querySelector(`[data-place="${bounded(i, last)},${bounded(j, columns - 1)}"]`).focus();
    } else if ([" ", "Enter"].includes(event.key) && cell.dataset.cell) {
      event.preventDefault();
      this.toggle(row, column);
    }
  }

  on_focusin(event) {
    const cell = event.target.closest("[data-place]");
    if (!cell) return;
    const [row, column] = cell.dataset.place.split(",").map(Number);
    this.at = { row, column };
    this.render();
  }
}

const isText = (target) => target.matches("input:not([type]),input[type=number]");

customElements.define("mask-lab", MaskLab);
window.maskLab = { scaledDotProductAttention, buildMask, code, describe, float16 }; // for the tests, against Python

/* The head designer: a custom element in which a reader builds one head from switches, and has it checked on all texts. */

import { attend, check, headOf, lines } from "./head-check.js";
import { begun, fromAddress, isText, LETTERS, LONGEST, progress, setSwitch, shown, switchesOn, takeOver, toAddress } from "./head-state.js";
import { HEAD_STYLE } from "./head-style.js";
import { view } from "./head-view.js";
import { morph } from "./html.js";
import { between } from "./touch/draw.js";
import { TOUCH } from "./touch/touch-style.js";

const UNREADABLE = "This link holds no head that this page can read, so nothing was changed.";

class HeadDesigner extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.begin();
    window.addEventListener("hashchange", this.onAddress);
  }

  disconnectedCallback() {
    window.removeEventListener("hashchange", this.onAddress);
  }

  begin() {
    this.puzzles = JSON.parse(this.querySelector("script[type='application/json']").textContent);
    this.names = this.puzzles.map(({ id }) => id);
    this.kept = progress.read(this.names);
    this.drafts = {}; // what was tried at other puzzles, while the page is open
    this.opened = {}; // hints, by puzzle
    this.at = { row: 0, column: 0 };
    this.message = "";
    this.state = begun(this.names[0]);
    this.attachShadow({ mode: "open" });
    for (const kind of ["click", "change", "input", "keydown", "focusin"]) {
      this.shadowRoot.addEventListener(kind, (event) => this[`on_${kind}`](event));
    }
    this.onAddress = () => {
      this.visit();
      this.render();
    };
    this.onAddress();
  }

  // State

  get puzzle() {
    return this.puzzles[this.names.indexOf(this.state.puzzle)];
  }

  get hints() {
    return this.opened[this.state.puzzle] ?? 0;
  }

  get head() {
    return headOf(this.state.hands, switchesOn(this.state));
  }

  get isSolved() {
    return check(this.puzzle, this.head).failure === null;
  }

  /** Take over what the address says; a solution that somebody else found earns no star. */
  visit() {
    const state = fromAddress(location.hash, this.names);
    this.message = state === undefined ? UNREADABLE : "";
    if (!state || toAddress(state) === toAddress(this.state)) return;
    this.turnTo(state.puzzle);
    this.state = state;
    this.borrowed = this.isSolved;
  }

  turnTo(name) {
    this.drafts[this.state.puzzle] = { state: this.state, borrowed: this.borrowed };
    const { state, borrowed } = this.drafts[name] ?? { state: begun(name), borrowed: false };
    Object.assign(this, { state, borrowed, at: { row: 0, column: 0 } });
  }

  change(edit, message = "") {
    edit(this.state);
    this.message = message;
    this.show();
  }

  show() {
    history.replaceState(history.state, "", toAddress(this.state));
    this.render();
  }

  render() {
    const { rows, columns } = shown(this.state);
    this.at = { row: between(this.at.row, 0, rows.length - 1), column: between(this.at.column, 0, columns.length - 1) };
    this.judge();
    const fresh = document.createElement("template");
    fresh.innerHTML = `<style>${TOUCH}${HEAD_STYLE}</style>${view(this)}`;
    morph(this.shadowRoot, fresh.content);
  }

  /** Try the head on all texts, unless it is the one that was tried last. */
  judge() {
    const { puzzle, hands } = this.state;
    const name = JSON.stringify([puzzle, hands, switchesOn(this.state)]);
    if (name === this.tried) return;
    this.tried = name;
    this.checked = check(this.puzzle, this.head);
    if (this.checked.failure || this.borrowed) return;
    const used = switchesOn(this.state).length;
    this.kept = { ...this.kept, [puzzle]: Math.min(used, this.kept[puzzle] ?? used) };
    progress.write(this.kept);
  }

  // Events

  on_click({ target }) {
    const button = target.closest("[data-do]:not([aria-disabled=true])");
    const cell = target.closest("[data-place]");
    if (button) this.act(button.dataset.do, button.dataset.value);
    else if (cell) this.press(cell);
  }

  act(name, value) {
    const { puzzles, names, state } = this;
    const actions = {
      puzzle: () => this.turnTo(value),
      onwards: () => this.turnTo(names[(names.indexOf(state.puzzle) + 1) % puzzles.length]),
      queries: () => this.read("queries", value),
      keys: () => this.read("keys", value),
      hands: () => (state.hands = value),
      text: () => (state.text = value),
      clear: () => {
        state.switches = {};
        this.borrowed = false;
      },
      hint: () => (this.opened[state.puzzle] = this.hints + 1),
      solution: () => {
        takeOver(state, this.puzzle.solution);
        this.borrowed = true;
      },
      erase: () => {
        Object.assign(this, { kept: {}, drafts: {}, borrowed: this.isSolved });
        progress.erase();
      },
      share: () => {},
    };
    this.message = name === "erase" ? "Your stars are erased." : "";
    actions[name]();
    this.show();
    if (name === "share") this.copy();
  }

  read(who, kind) {
    const kinds = this.state[who];
    const left = kinds.includes(kind) ? kinds.filter((other) => other !== kind) : [...kinds, kind];
    if (left.length) this.state[who] = left;
    else this.message = `A ${who === "keys" ? "key" : "query"} has to read something. Press the other first.`;
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(location.href.split("#")[0] + toAddress(this.state));
      this.message = "Copied.";
    } catch {
      this.message = "The browser does not let pages copy; copy the address of this page.";
    }
    this.render();
  }

  press(cell) {
    const [row, column] = cell.dataset.place.split(",").map(Number);
    this.at = { row, column };
    this.strengthen(this.strength === 0 ? 1 : 0);
  }

  get cell() {
    const { rows, columns } = shown(this.state);
    return [rows[this.at.row], columns[this.at.column]];
  }

  get strength() {
    return this.state.switches[this.cell.join("-")] ?? 0;
  }

  strengthen(strength) {
    this.change((state) => setSwitch(state, ...this.cell, strength));
  }

  on_input({ target }) {
    if (target.dataset.field === "strength") this.strengthen(Number(target.value));
    else if (isText(target.value)) this.change((state) => (state.text = target.value));
  }

  on_change({ target }) {
    if (target.dataset.field !== "text" || isText(target.value)) return;
    this.change(() => {}, `“${target.value}” is no text for this head: write one to ${LONGEST} of the letters ${LETTERS.join(", ")}.`);
  }

  on_keydown(event) {
    const cell = event.target.closest("[data-place]");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const { row, column } = this.at;
    const last = { row: shown(this.state).rows.length - 1, column: shown(this.state).columns.length - 1 };
    const moves = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      Home: [row, 0], End: [row, last.column],
    };
    const steps = { "+": 1, "=": 1, "-": -1 };
    if (event.key in moves) {
      const [i, j] = moves[event.key];
      this.shadowRoot.querySelector(`[data-place="${between(i, 0, last.row)},${between(j, 0, last.column)}"]`).focus();
    } else if ([" ", "Enter"].includes(event.key)) this.press(cell);
    else if (event.key in steps) this.strengthen(this.strength + steps[event.key]);
    else return;
    event.preventDefault();
  }

  on_focusin({ target }) {
    const cell = target.closest("[data-place]");
    if (!cell) return;
    const [row, column] = cell.dataset.place.split(",").map(Number);
    this.at = { row, column };
    this.render();
  }
}

customElements.define("head-designer", HeadDesigner);
window.headDesigner = { attend, check, headOf, lines }; // for the tests, against Python

/* The bug detective: a custom element in which a reader probes boxes, and names the bug in each. */

import { anyGame, begun, fromAddress, progress, ruler, toAddress } from "./bug-state.js";
import { BUG_STYLE } from "./bug-style.js";
import { view } from "./bug-view.js";
import { morph } from "./html.js";
import { TOUCH } from "./touch/touch-style.js";

const UNREADABLE = "This link holds no game that this page can read, so another one begins.";

class BugDetective extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.begin();
    window.addEventListener("hashchange", this.onAddress);
  }

  disconnectedCallback() {
    window.removeEventListener("hashchange", this.onAddress);
  }

  begin() {
    this.facts = JSON.parse(this.querySelector("script[type='application/json']").textContent);
    this.names = this.facts.cases.map(({ name }) => name);
    this.find = (name) => this.facts.cases[this.names.indexOf(name)];
    this.kept = progress.read(this.names);
    this.message = "";
    this.wrong = null; // the last answer that was wrong, and the probe that says so
    this.state = begun(anyGame(), this.names);
    this.attachShadow({ mode: "open" });
    for (const kind of ["click", "change"]) {
      this.shadowRoot.addEventListener(kind, (event) => this[`on_${kind}`](event));
    }
    this.onAddress = () => {
      this.visit();
      this.render();
    };
    this.onAddress();
  }

  // State

  get current() {
    return this.state.cases[this.state.at];
  }

  get found() {
    return this.find(this.current.name);
  }

  /** Begin the game that the address names, unless it is being played. */
  visit() {
    const game = fromAddress(location.hash);
    this.message = game === undefined ? UNREADABLE : "";
    if (game && game !== this.state.game) this.play(game);
  }

  play(game) {
    Object.assign(this, { state: begun(game, this.names), wrong: null });
  }

  show() {
    history.replaceState(history.state, "", toAddress(this.state));
    this.render();
  }

  render() {
    const fresh = document.createElement("template");
    fresh.innerHTML = `<style>${TOUCH}${BUG_STYLE}</style>${view(this)}`;
    morph(this.shadowRoot, fresh.content);
  }

  // Events

  on_change({ target }) {
    if (target.dataset.field !== "suspect") return;
    this.current.choice = target.value;
    this.render();
  }

  on_click({ target }) {
    const button = target.closest("[data-do]:not([aria-disabled=true])");
    if (button) this.act(button.dataset.do, button.dataset.value);
  }

  act(name, value) {
    const actions = {
      probe: () => this.press(Number(value)),
      name: () => this.judge(this.current.choice),
      tell: () => (this.current.done = true),
      next: () => (this.state.at += 1),
      new: () => this.play(anyGame()),
      erase: () => {
        this.kept = [];
        progress.erase();
      },
      share: () => {},
    };
    const { done } = this.current;
    this.message = name === "erase" ? "Erased. Nothing of it is left." : "";
    if (["tell", "next"].includes(name)) this.wrong = null;
    actions[name]();
    this.show();
    if (["next", "new"].includes(name)) this.focusOn(".title");
    else if (this.current.done && !done) this.focusOn(".says"); // the button that was pressed is gone
    if (name === "share") this.copy();
  }

  focusOn(selector) {
    this.shadowRoot.querySelector(selector).focus();
  }

  /** Show what a probe finds, before all others. */
  press(probe) {
    const { current } = this;
    current.pressed = [...current.pressed.filter((other) => other !== probe), probe];
    this.message = `${this.facts.probes[probe].title}: ${this.found.findings[probe].says}`;
  }

  judge(suspect) {
    const { current, found } = this;
    if (!suspect) {
      this.message = "Choose from the list what it is.";
      return;
    }
    current.named.push(suspect);
    if (suspect === found.suspect) {
      Object.assign(this, { wrong: null });
      current.done = true;
      if (current.named.length === 1) this.keep(current.name);
      return;
    }
    const probe = ruler(found, suspect, current.pressed);
    this.wrong = { suspect, probe };
    if (!current.pressed.includes(probe)) current.pressed = [...current.pressed, probe];
  }

  keep(name) {
    this.kept = this.names.filter((other) => other === name || this.kept.includes(other));
    progress.write(this.kept);
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
}

customElements.define("bug-detective", BugDetective);

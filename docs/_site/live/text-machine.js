/* The text machine: a custom element in which a trained language model goes on with what a reader types. */

import { candidates, drawn, idsOf, LanguageModel, pointers, surprises } from "./engine/language.js";
import { Weights } from "./engine/weights.js";
import { escape, morph } from "./html.js";
import { load } from "./machine-files.js";
import { LONGEST, TEXT_STYLE, view } from "./text-view.js";
import { TOUCH } from "./touch/touch-style.js";

const NAME = "language";
const PIECE = 128; // bytes of a text in the training: of places behind them the model knows nothing
const TOGETHER = 6; // letters that are computed before the page may draw

function build({ parts, config }) {
  return new LanguageModel(new Weights(parts), config);
}

class TextMachine extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    this.data = JSON.parse(this.querySelector("script[type='application/json']").textContent);
    this.state = { text: this.data.beginnings[0], temperature: 0.8, share: 1, seed: 1, place: 0 };
    this.attachShadow({ mode: "open" });
    for (const kind of ["input", "click"]) {
      this.shadowRoot.addEventListener(kind, (event) => this[`on_${kind}`](event));
    }
    this.draw(`<div class="still"><slot></slot></div><div class="controls"><button data-do="fetch">Fetch the machine</button>
      <span>0.9 megabytes; then it writes in this page, and sends nothing anywhere.</span></div>`);
  }

  draw(html) {
    const fresh = document.createElement("template");
    fresh.innerHTML = `<style>${TOUCH}${TEXT_STYLE}</style><div class="box">${html}</div>`;
    morph(this.shadowRoot, fresh.content);
  }

  async fetch() {
    this.draw('<p role="status">The machine is being fetched …</p>');
    try {
      this.model = build(await load(NAME));
    } catch (error) {
      return this.draw(`<p role="alert">${escape(error.message)}</p><button data-do="fetch">Try again</button>`);
    }
    await this.write();
    this.shadowRoot.querySelector("input").focus();
  }

  /** Write on from the beginning, some letters at a time, until the reader wants something else. */
  async write() {
    const { text, temperature, share, seed } = this.state;
    const [steps, pointer, turn] = [[], pointers(seed), Symbol("one writing")];
    this.turn = turn;
    const ids = idsOf(text || " ").slice(-LONGEST);
    const number = PIECE - ids.length;
    let { logits, pasts } = this.model.call(ids);
    this.given = { ids, bits: surprises(logits, ids) };
    while (steps.length < number && this.turn === turn) {
      const found = candidates(logits.at(-1), temperature, share);
      const id = drawn(found, pointer());
      steps.push({ id, found });
      if (steps.length % TOGETHER === 1 || steps.length === number) {
        this.steps = steps;
        this.render();
        await new Promise((resume) => setTimeout(resume));
      }
      ({ logits, pasts } = this.model.call([id], pasts));
    }
  }

  render() {
    this.draw(view(this.state, this.given, this.steps, this.data.beginnings));
  }

  on_input({ target }) {
    const { field } = target.dataset;
    if (field === "place") {
      this.state.place = Number(target.value) - 1;
      return this.render();
    }
    this.state.text = target.value.slice(0, LONGEST);
    this.state.place = 0;
    this.write();
  }

  on_click({ target }) {
    const button = target.closest("[data-do]");
    if (!button) return;
    const { do: name, value } = button.dataset;
    if (name === "fetch") return this.fetch();
    if (name === "place") {
      this.state.place = Number(value);
      return this.render();
    }
    if (name === "again") this.state.seed += 1;
    else if (name === "text") [this.state.text, this.state.place] = [value, 0];
    else this.state[name] = Number(value);
    this.write();
  }
}

window.textMachine = { build, candidates, idsOf, load }; // for the tests
customElements.define("text-machine", TextMachine);

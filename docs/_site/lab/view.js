/* How the Mask Lab looks: its state as HTML, drawn anew after every change. */
(function () {
  "use strict";

  const { MaskLab, attend, describe, code, rules, morph, HOW, STEPS, MOST, STYLE, pieces, words } = window.maskLab;
  const { escape, shown, grid, sentence, calculation, warnings } = words;
  const PARTS = { softmax: "softmax(", qk: "Q Kᵀ", root: "/ √d", mask: "hidden by the mask", close: ")", v: "V" };
  const LIT = { scores: ["qk"], scaled: ["root"], masked: ["mask"], weights: ["softmax", "close"], output: ["v"] };
  const GRIDS = { q: "queries", k: "keys", v: "values" };

  Object.assign(MaskLab.prototype, {
    situation() {
      return { ...this.numbers, mask: this.mask, dtype: this.state.dtype, how: this.state.how };
    },

    render() {
      const piece = this.getAttribute("piece");
      const fresh = document.createElement("template");
      fresh.innerHTML = `<style>${STYLE}</style>${piece in pieces ? pieces[piece](this) : this.lab(piece === "mask")}`;
      morph(this.shadowRoot, fresh.content);
    },

    lab(small) {
      const { state, mask } = this;
      this.at.row = Math.min(this.at.row, state.tokens.length - 1);
      const steps = attend(this.situation());
      const columns = steps[state.step][0].length;
      this.at.column = Math.min(this.at.column, columns - 1);
      const beside = `${small ? "" : this.steps() + this.formula()}
        <div class="scroll">${grid(this, steps[state.step])}</div>
        <p class="says" aria-live="polite">${escape(sentence(this, this.at.row))}</p>
        <p class="sum">${escape(small ? "" : calculation(this, steps))}</p>`;
      if (small) return `<div class="box">${this.hiders()}${beside}${this.bar(true)}</div>`;
      return `<div class="box">${this.bar(false)}<div class="columns"><div>${this.hiders()}${this.hows()}</div>
        <div>${beside}${bullets(warnings(this, steps), "loud")}</div></div>
        ${this.findings()}${this.inputs()}${this.snippets()}
        <p role="status">${escape(this.message)}</p></div>`;
    },

    bar(small) {
      const options = this.examples.map((example, i) => `<option value="${i}">${escape(example.title)}</option>`);
      const travel = button("undo", "Undo", !this.past.length) + button("redo", "Redo", !this.future.length);
      if (small) return `<div class="bar">${travel}</div>`;
      return `<div class="bar"><label>Start from <select data-field="example">
        <option disabled hidden selected>an example</option>${options.join("")}</select></label>
        ${travel}${button("share", "Copy a link to this view")}</div>`;
    },

    hiders() {
      const { state } = this;
      const pads = state.tokens.map((token, j) => `<button data-do="pad" data-value="${j}"
        aria-pressed="${state.padding.includes(j)}">${escape(token) || "(empty)"}</button>`);
      const more = this.getAttribute("piece") === "mask" ? "" : `<br>
        ${amount("prefix", "except a prefix of", state)} ${amount("window", "and what is this far away:", state)}`;
      return `<fieldset><legend>Who is hidden</legend>
        <div class="bar" role="group" aria-label="Padding"><span>padding:</span> ${pads.join(" ")}</div>
        <label><input type="checkbox" data-field="lookAhead" ${state.lookAhead ? "checked" : ""}>later tokens
        (look-ahead)</label>${more}
        <div class="hint">Or click single cells; with the keyboard, arrows move and space turns a cell round.</div></fieldset>`;
    },

    hows() {
      const hows = Object.entries(HOW).map(([name, text]) => choice("how", name, text, this.state.how));
      const types = ["float32", "float16"].map((name) => choice("dtype", name, name, this.state.dtype));
      return `<fieldset><legend>How the mask is applied</legend>${hows.join("<br>")}</fieldset>
        <fieldset><legend>Numbers</legend>${types.join("")}</fieldset>`;
    },

    steps() {
      const steps = Object.entries(STEPS).map(([name, [title]], i) => `<button data-do="step" data-value="${name}"
        ${this.state.step === name ? 'aria-current="step"' : ""}>${i + 1} ${title}</button>`);
      return `<div class="bar" role="group" aria-label="Steps">${steps.join("")}</div>`;
    },

    formula() {
      const lit = LIT[this.state.step];
      const spans = Object.entries(PARTS).map(([name, text]) => `<span${lit.includes(name) ? ' class="lit"' : ""}>${text}</span>`);
      return `<p class="formula">${spans.join(" ")}</p>`;
    },

    findings() {
      const items = describe(this.mask, this.state.tokens).map(({ name, sentence }) => `<code>${name}</code>: ${escape(sentence)}`);
      return `<p class="title">What <code>describe_mask</code> says of this mask</p>
        ${bullets(items.length ? items : ["nothing"], "findings", false)}`;
    },

    inputs() {
      const { state } = this;
      const n = state.tokens.length;
      const head = Object.keys(GRIDS).map((g) => state[g][0].map((_, c) => `<th scope="col" class="${g}">${g}${c + 1}</th>`).join(""));
      const field = (g, x, i, c) => `<td><input value="${escape(x)}" data-field="number" data-grid="${g}" data-row="${i}"
        data-column="${c}" aria-label="${escape(`${GRIDS[g]} of ${state.tokens[i]}, number ${c + 1}`)}"></td>`;
      const rows = state.tokens.map((token, i) => {
        const cells = Object.keys(GRIDS).flatMap((g) => state[g][i].map((x, c) => field(g, x, i, c)));
        return `<tr><th scope="row"><input class="token" value="${escape(token)}" data-field="token" data-row="${i}"
          aria-label="token ${i + 1}"></th>${cells.join("")}</tr>`;
      });
      return `<details><summary>Change the tokens and their numbers</summary>
        <div class="bar">${button("longer", "One token more", n >= MOST)}${button("shorter", "One token fewer", n <= 1)}</div>
        <div class="scroll" tabindex="0" role="region" aria-label="Tokens and numbers"><table class="numbers"><thead><tr>
        <th scope="col">token</th>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>
        <p>Write numbers such as 1.5, and nan, inf, -inf.</p></details>`;
    },

    snippets() {
      const parts = Object.keys(code).map((name) => `<details><summary>${name}</summary>
        ${button("copy", "Copy", false, name, `Copy the code for ${name}`)}
        <pre tabindex="0" aria-label="Code for ${name}">${escape(code[name](this.situation()))}</pre></details>`);
      return `<p class="title">The same as code</p>${parts.join("")}`;
    },
  });

  function bullets(items, kind, raw = true) {
    return items.length ? `<ul class="${kind}">${items.map((item) => `<li>${raw ? escape(item) : item}</li>`).join("")}</ul>` : "";
  }

  function button(name, text, disabled = false, value = "", label = "") {
    return `<button data-do="${name}" data-value="${value}" ${label && `aria-label="${label}"`} ${disabled ? 'aria-disabled="true"' : ""}>${text}</button>`;
  }

  function choice(field, name, text, chosen) {
    return `<label><input type="radio" name="${field}" value="${name}" data-field="${field}" ${name === chosen ? "checked" : ""}>${text}</label>`;
  }

  function amount(field, text, state) {
    return `<label>${text} <input type="number" min="0" max="${state.tokens.length}" value="${state[field]}" data-field="${field}"></label>`;
  }

  customElements.define("mask-lab", MaskLab);
})();

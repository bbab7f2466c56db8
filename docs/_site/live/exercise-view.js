/* What an exercise looks like: the cells, fields or answers, and what is said of the last try. */

import { escape } from "./html.js";

export const EXERCISE_STYLE = `
.box{border-left:.2rem solid var(--ca-line);padding:.2em 0 .2em 1em}
.box.solved{border-color:var(--ca-values)}
.scroll{overflow-x:auto;padding:.2em}
.grid td{padding:0;border:.05rem solid var(--ca-line)}
.grid thead td{border:0}
.grid button{display:block;width:100%;min-width:2.7em;height:2.3em;min-height:0;padding:0;border:0;border-radius:0;background:color-mix(in srgb,var(--ca-visible) 30%,transparent)}
.grid button[aria-pressed=true]{background:repeating-linear-gradient(45deg,var(--ca-hatch) 0 1px,transparent 1px 6px);color:inherit}
.grid th{text-align:center;white-space:nowrap}
.grid tbody th{text-align:right}
.ask:has(>.fields){display:flex;flex-wrap:wrap;gap:0 1.2em;align-items:center}
.fields{display:flex;flex-wrap:wrap;gap:.5em 1.2em;align-items:center;margin:.4em 0}
.fields input{font:inherit;color:inherit;background:var(--md-default-bg-color);border:.05rem solid var(--md-default-fg-color--light);border-radius:.2rem;padding:.2em .5em;min-height:2.1em;width:5.2em}
.fields input.shape{width:10em}
.key{margin:.3em 0}.key i{display:inline-block;width:1.3em;height:1.1em;vertical-align:-.15em;margin:0 .3em 0 1em;border:.05rem solid var(--ca-line)}
.key i:first-child{margin-left:0}
.key .on{background:repeating-linear-gradient(45deg,var(--ca-hatch) 0 1px,transparent 1px 6px)}
.key .off{background:color-mix(in srgb,var(--ca-visible) 30%,transparent)}
.picks .off,.picks.grid button{background:none}
.picks .on,.picks.grid button[aria-pressed=true]{background:var(--md-accent-fg-color)}
.verdict{margin:.3em 0 .2em}
.verdict b.right::before{content:"✓ ";color:var(--ca-values)}
.verdict b.wrong::before{content:"✗ ";color:var(--ca-keys)}
code{font-family:var(--md-code-font-family,var(--md-code-font,monospace));font-size:.92em}
`;

/** The whole exercise; `found` is what was judged last, `tries` how often. */
export function view(exercise, { answer, found, tries, shown }) {
  const solved = found?.verdict === "right";
  const give = tries > 0 && !solved && !shown ? '<button data-do="show">Show the answer</button>' : "";
  const check = exercise.kind === "choice" ? "" : '<button data-do="check">Check</button>';
  return `<div class="box${solved ? " solved" : ""}"><slot name="question"></slot><div class="ask">${ASKS[exercise.kind](exercise, answer)}
    <div class="controls">${check}${give}</div></div>
    <div class="verdict" role="status" aria-live="polite">${shown ? `<b>The answer</b> is shown above. ${exercise.because}` : said(exercise, found)}</div></div>`;
}

const COUNTED = ["no", "one", "two", "three", "four", "five", "six"];
const ASKS = { cells, numbers, shape, choice };

function cells({ rows, columns, on, off }, answer) {
  const head = columns.map((name) => `<th scope="col">${escape(name)}</th>`).join("");
  const named = rows.some((name) => name);
  const body = rows.map((row, i) => {
    const line = columns.map((column, j) => {
      const n = i * columns.length + j;
      const label = `${row ? `${row}, ` : ""}${column}: ${answer[n] ? on : off}`;
      return `<td><button data-do="cell" data-value="${n}" aria-pressed="${Boolean(answer[n])}" aria-label="${escape(label)}"></button></td>`;
    });
    return `<tr>${named ? `<th scope="row">${escape(row)}</th>` : ""}${line.join("")}</tr>`;
  });
  const look = ["blocked", "hidden", "skipped"].includes(on) ? "" : " picks"; // hatched is what attention leaves out
  return `<div class="scroll"><table class="grid${look}"><thead><tr>${named ? "<td></td>" : ""}${head}</tr></thead><tbody>${body.join("")}</tbody></table></div>
    <p class="key${look}"><i class="on"></i>${escape(on)}<i class="off"></i>${escape(off)}: press a cell to change it.</p>`;
}

function numbers({ labels, digits }, answer) {
  const fields = labels.map((label, i) =>
    `<label>${escape(label)} <input data-field="${i}" inputmode="decimal" autocomplete="off" value="${escape(answer[i])}" aria-label="${escape(label || "your answer")}"></label>`);
  const exact = digits === 0 ? "whole numbers" : `${COUNTED[digits]} decimal ${digits === 1 ? "place" : "places"}`;
  return `<div class="fields">${fields.join("")}<span>(${labels.length === 1 && digits === 0 ? "a whole number" : exact})</span></div>`;
}

function shape(_, answer) {
  return `<div class="fields"><label>The shape: <input class="shape" data-field="0" autocomplete="off" placeholder="2, 3" value="${escape(answer[0])}"></label></div>`;
}

function choice({ options }, answer) {
  const buttons = options.map((option) =>
    `<button data-do="choose" data-value="${escape(option)}" aria-pressed="${option === answer[0]}">${escape(option)}</button>`);
  return `<div class="fields">${buttons.join("")}</div>`;
}

function said({ kind, because, right }, found) {
  if (!found) return "";
  const { verdict, mistake, good } = found;
  if (verdict === "right") return `<b class="right">Right.</b> ${because}`;
  if (verdict === "mistake") return `<b class="wrong">Not yet: ${escape(mistake.name)}.</b> ${mistake.says}`;
  if (verdict === "unfinished") return kind === "shape" ? "Type the sizes, with commas between them." : "Fill in each field with a number, such as 0.25 or 1/4.";
  const axes = found.axes ? "The number of axes is right." : `The shape has ${right.length} ${right.length === 1 ? "axis" : "axes"}.`;
  const what = kind === "shape" ? axes : right.length > 1 ? `${good} of ${right.length} ${kind} are right.` : "";
  return `<b class="wrong">Not yet.</b> ${what} No usual mistake leads to this. Go through it once more, or have the answer shown.`;
}

/** Write an answer as a reader would have typed it. */
export function typed({ kind, digits }, answer) {
  if (kind === "numbers") return answer.map((x) => x.toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1"));
  return kind === "shape" ? [answer.join(", ")] : [...answer];
}

/* What tells the answer waits for the reader. After a guess there is a fold with the answer, and after it a paragraph that says it once more:
   the fold is not there and the paragraph is veiled until there is a guess. After a piece that asks, the bold paragraph below it is veiled until
   the reader has seen in the piece what it tells. Who wants to read on without either presses a button. */

import { keepSeen, keptSeen } from "../kept.js";

const FOLDS = "details:is(.lesson-answer, .lesson-more)";
const PIECES = "lesson-piece, date-machine";
const BETWEEN = ".lesson-code, .lesson-output, .math, figure, table"; // what may stand between two paragraphs that tell
const TELLS = "article :is(p, ul, ol, table, h2, h3, pre, figure)";

const covered = new WeakMap(); // element → what waits for it: told (paragraphs), button and perhaps fold

const follows = (element) => (other) => element.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING && !element.contains(other);

/** The fold in which the answer to a guess stands. */
const foldAfter = (element) => [...document.querySelectorAll(FOLDS)].find(follows(element));

/** Put the fold away, and veil the paragraph after it: they would tell the answer to who has not guessed yet. */
export function veil(element) {
  const fold = foldAfter(element);
  const told = fold?.nextElementSibling;
  if (told?.nodeName === "P") cover(element, { told: [told], fold }, fold, "Read on without a guess");
}

/** Veil the paragraph below a piece, if it tells in bold what one sees in the piece, and those that go on telling; unless the reader has seen it before. */
export function veilBelow(element) {
  const name = nameOf(element);
  if (!name || keptSeen().includes(name)) return;
  const told = [...document.querySelectorAll(TELLS)].filter(follows(element)).find((other) => !other.closest(`details, ${PIECES}`));
  if (told?.nodeName !== "P" || !told.querySelector("strong")) return;
  const all = [told];
  for (let next = told.nextElementSibling, between = []; next; next = next.nextElementSibling) {
    if (goesOn(next)) all.push(...between.splice(0), next);
    else if (next.matches(BETWEEN)) between.push(next); // is veiled if what comes after it tells, too
    else break;
  }
  cover(element, { told: all, name }, told, "Just read on");
}

/** It begins in bold, and says more: one that is bold to its end is the next task. */
const goesOn = (other) => other?.nodeName === "P" && other.firstChild.nodeName === "STRONG" && other.firstChild !== other.lastChild;

/** A piece is known by its page and its number there; one in a fold has no name, since nothing below waits for it. */
function nameOf(element) {
  if (element.closest("details")) return null;
  const number = [...document.querySelectorAll(PIECES)].indexOf(element);
  const page = location.pathname.split("/").filter((part) => part && part !== "index.html").at(-1);
  return `${page} ${number}`;
}

function cover(element, what, before, words) {
  const button = Object.assign(document.createElement("button"), { className: "lift", textContent: words });
  button.addEventListener("click", () => lift(element));
  for (const told of what.told) {
    told.classList.add("veiled");
    told.inert = true;
  }
  what.fold?.classList.add("waits");
  before.before(button);
  covered.set(element, { ...what, button });
}

/** Take the veil away, and its button, and bring the fold back. */
export function lift(element) {
  const { told, fold, name, button } = covered.get(element) ?? {};
  if (!told) return;
  covered.delete(element);
  for (const one of told) {
    one.classList.replace("veiled", "unveiled");
    one.inert = false;
  }
  fold?.classList.remove("waits");
  button.remove();
  if (name) keepSeen(name);
}

/** The guess is made: open the fold. */
export function tell(element) {
  lift(element);
  const fold = foldAfter(element);
  if (fold) fold.open = true;
}

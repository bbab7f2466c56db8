/* What follows a guess: a fold that tells the answer, and after it a paragraph that says it once more. Both wait until
   there is a guess, or until the reader wants to read on without one. */

const FOLDS = "details:is(.lesson-answer, .lesson-more)";

/** The fold in which the answer to a guess stands. */
const foldAfter = (element) =>
  [...document.querySelectorAll(FOLDS)].find((fold) => element.compareDocumentPosition(fold) & Node.DOCUMENT_POSITION_FOLLOWING);

/** Veil the paragraph after the fold: it would tell the answer to who has not guessed yet. */
export function veil(element) {
  const fold = foldAfter(element);
  const told = fold?.nextElementSibling;
  if (told?.nodeName !== "P") return;
  const button = Object.assign(document.createElement("button"), { className: "lift", textContent: "Read on without a guess" });
  button.addEventListener("click", () => lift(element));
  fold.addEventListener("toggle", () => lift(element), { once: true });
  told.classList.add("veiled");
  told.inert = true;
  told.before(button);
}

/** Take the veil away, and its button. */
function lift(element) {
  const fold = foldAfter(element);
  const button = fold?.nextElementSibling;
  if (!button?.classList.contains("lift")) return;
  const told = button.nextElementSibling;
  told.classList.remove("veiled");
  told.inert = false;
  button.remove();
}

/** The guess is made: open the fold. */
export function tell(element) {
  lift(element);
  const fold = foldAfter(element);
  if (fold) fold.open = true;
}

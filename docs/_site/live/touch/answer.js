/* What follows a guess: a fold that tells the answer, and after it a paragraph that says it once more. The fold is not
   there and the paragraph is veiled until there is a guess, or until the reader wants to read on without one. */

const FOLDS = "details:is(.lesson-answer, .lesson-more)";

/** The fold in which the answer to a guess stands. */
const foldAfter = (element) =>
  [...document.querySelectorAll(FOLDS)].find((fold) => element.compareDocumentPosition(fold) & Node.DOCUMENT_POSITION_FOLLOWING);

/** Put the fold away, and veil the paragraph after it: they would tell the answer to who has not guessed yet. */
export function veil(element) {
  const fold = foldAfter(element);
  const told = fold?.nextElementSibling;
  if (told?.nodeName !== "P") return;
  const button = Object.assign(document.createElement("button"), { className: "lift", textContent: "Read on without a guess" });
  button.addEventListener("click", () => lift(element));
  told.classList.add("veiled");
  told.inert = true;
  fold.classList.add("waits");
  fold.before(button);
}

/** Take the veil away, and its button, and bring the fold back. */
function lift(element) {
  const fold = foldAfter(element);
  if (!fold?.classList.contains("waits")) return;
  const told = fold.nextElementSibling;
  told.classList.remove("veiled");
  told.inert = false;
  fold.previousElementSibling.remove();
  fold.classList.remove("waits");
}

/** The guess is made: open the fold. */
export function tell(element) {
  lift(element);
  const fold = foldAfter(element);
  if (fold) fold.open = true;
}

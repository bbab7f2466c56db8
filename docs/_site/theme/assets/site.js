// What the site adds to Material's script: a search that reads questions, names for what it makes, tables that the
// keyboard can scroll, and what computes in the page, loaded where there is some.
const here = document.currentScript.src;
const asked = new Set(); // elements: Material takes their scripts out of the head again, but each can be defined once
let copying;
function mend() {
  document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach((table) => {
    table.tabIndex = 0;
    table.setAttribute("role", "group");
    table.setAttribute("aria-label", "Table");
  });
  copying ??= (window.requestIdleCallback ?? setTimeout)(addCopyButtons);
  loadElements();
}

new MutationObserver(mend).observe(document.documentElement, { childList: true, subtree: true });
mend(); // Material's script has run before, and may change nothing more

// Material's own buttons (content.code.copy) cost a phone a tenth of a second: it measures each block between two of them.
function addCopyButtons() {
  copying = undefined;
  const blocks = [...document.querySelectorAll("pre[id^=__code_] > code")];
  blocks.forEach((code, i) => {
    if (code.previousElementSibling?.nodeName === "NAV") return;
    // Material names blocks after the fold that they stand in, and all of a fold alike
    if (!/_\d+$/.test(code.parentElement.id)) code.parentElement.id += `_${i}`;
    const [nav, button] = [document.createElement("nav"), document.createElement("button")];
    nav.className = "md-code__nav";
    nav.setAttribute("aria-label", `Tools of code block ${i + 1}`);
    button.className = "md-code__button";
    button.title = "Copy to clipboard";
    button.dataset.mdType = "copy";
    button.dataset.clipboardTarget = `#${code.parentElement.id} > code`; // Material's script listens for these
    nav.append(button);
    code.before(nav);
  });
}

function loadElements() {
  const machines = ["mask-lab", "date-machine", "text-machine", "head-designer", "bug-detective"];
  const elements = [...machines, "lesson-piece", "page-exercise", "exercise-progress"];
  const pieces = [...document.querySelectorAll("lesson-piece")].map((one) => `pieces/${one.getAttribute("piece")}`);
  for (const name of [...pieces, ...elements.filter((one) => document.querySelector(one))]) {
    if (asked.has(name)) continue;
    asked.add(name);
    const script = document.createElement("script");
    script.src = new URL(`${name}.js`, here);
    script.async = false; // a piece is there before its element
    document.head.append(script);
  }
}

// Material asks a worker, in a language where "-inf" means "without inf". The reader's words are put into that language
// on their way, so that the box, the suggestion and a shared link keep what was typed.
const QUERY = 2; // Material's number for such a message
const SAYS_LITTLE = new Set(
  `a about all am an and any anyone anything are as at be because become becomes been but by can could did do does doing
  done each else error for from get gets getting give given gives got had has have having he her here him his how i if
  in into is it its just let like make makes many may me might mine more most much must my need needs not now of off often
  on one only or our out own same say says shall she should so some still such than that the their them then there these
  they thing this those to too trying us use used using want was we were what when where which while who why will with
  without would yet you your`.split(/\s+/),
);
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  if (message?.type === QUERY) message = { ...message, data: searchable(message.data) };
  return post.call(this, message, ...rest);
};

function searchable(text) {
  const words = text.toLowerCase().match(/[\p{L}\d]+(\.\d+)*/gu) ?? [];
  const telling = words.filter((word) => !SAYS_LITTLE.has(word));
  return [...new Set((telling.length ? telling : words).map(asTerm))].join(" ");
}

// Material finds every word that begins with a term, unless the term has a weight. A 1 shall not find 1000, and "mask"
// rather "mask" than "masking". Of an ending that goes, nobody knows what stood there.
function asTerm(word) {
  if (word.length < 3 || /^\d/.test(word)) return `${word}^3`;
  const stem = word.length > 5 ? word.replace(/(?:ions?|ies|ed|ing)$/, "") : word;
  if (stem !== word) return `${stem}*^2`;
  const one = word.length > 3 ? word.replace(/(?<![aisu])s$/, "") : word;
  return `${one}^2 ${one}`;
}

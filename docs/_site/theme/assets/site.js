// What the site adds to Material's script: names for what it makes, tables that the keyboard can scroll, and the Mask Lab,
// loaded on the pages that have one.
const here = document.currentScript.src;
let copying;
function mend() {
  document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach((table) => {
    table.tabIndex = 0;
    table.setAttribute("role", "group");
    table.setAttribute("aria-label", "Table");
  });
  copying ??= (window.requestIdleCallback ?? setTimeout)(addCopyButtons);
  loadLab();
}

new MutationObserver(mend).observe(document.documentElement, { childList: true, subtree: true });
mend(); // Material's script has run before, and may change nothing more

// Material's own buttons (content.code.copy) cost a phone a tenth of a second: it measures each block between two of them.
function addCopyButtons() {
  copying = undefined;
  document.querySelectorAll("pre[id^=__code_]:not(:has(> nav)) > code").forEach((code) => {
    const [nav, button] = [document.createElement("nav"), document.createElement("button")];
    nav.className = "md-code__nav";
    nav.setAttribute("aria-label", `Tools of code block ${Number(code.parentElement.id.slice("__code_".length)) + 1}`);
    button.className = "md-code__button";
    button.title = "Copy to clipboard";
    button.dataset.mdType = "copy";
    button.dataset.clipboardTarget = `#${code.parentElement.id} > code`; // Material's script listens for these
    nav.append(button);
    code.before(nav);
  });
}

function loadLab() {
  if (!document.querySelector("mask-lab") || document.querySelector("script[data-lab]")) return;
  const script = document.createElement("script");
  script.src = new URL("mask-lab.js", here);
  script.dataset.lab = "";
  document.head.append(script);
}

// What the site adds to Material's script: names for what it makes, tables that the keyboard can scroll, and the Mask Lab,
// loaded on the pages that have one.
const here = document.currentScript.src;
function mend() {
  document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach((table) => {
    table.tabIndex = 0;
    table.setAttribute("role", "group");
    table.setAttribute("aria-label", "Table");
  });
  document.querySelectorAll(".md-code__nav:not([aria-label])").forEach((nav) => {
    const place = [...document.querySelectorAll("pre")].indexOf(nav.closest("pre")) + 1; // not all tools come at once
    nav.setAttribute("aria-label", `Tools of code block ${place}`);
  });
  loadLab();
}

new MutationObserver(mend).observe(document.documentElement, { childList: true, subtree: true });
mend(); // Material's script has run before, and may change nothing more

function loadLab() {
  if (!document.querySelector("mask-lab") || document.querySelector("script[data-lab]")) return;
  const script = document.createElement("script");
  script.src = new URL("mask-lab.js", here);
  script.dataset.lab = "";
  document.head.append(script);
}

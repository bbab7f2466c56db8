// Names what Material's script adds to a page, and lets the keyboard scroll it.
new MutationObserver(() => {
  document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach((table) => {
    table.tabIndex = 0;
    table.setAttribute("role", "group");
    table.setAttribute("aria-label", "Table");
  });
  document.querySelectorAll(".md-code__nav:not([aria-label])").forEach((nav) => {
    nav.setAttribute("aria-label", `Tools of code block ${[...document.querySelectorAll(".md-code__nav")].indexOf(nav) + 1}`);
  });
}).observe(document.documentElement, { childList: true, subtree: true });

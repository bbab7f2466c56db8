"""What makes a page appear sooner.

* The indentation that the theme's templates leave goes, a tenth of each page.
* The highlighter puts an element around every name, bracket, operator and space, half of the elements of a lesson. They
  take the colour of the code, so that those go too.
* The browser paints the page, then fetches and runs its scripts. Material's, the first, waits for the event that the
  document is there. It may have passed, so it is repeated.
"""

import html
import json
import re

KEPT = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.S)
PLAIN = re.compile(r'<span class="[nopw]">([^<]*)</span>')  # Pygments: name, operator, punctuation, whitespace
SCRIPT = re.compile(r'<script src="([^"]*)"(?: defer)?></script>\s*')
RUN = """<script>
requestAnimationFrame(() => setTimeout(() => {
  const [first] = %s.map((src) => {
    const script = document.createElement("script");
    script.src = src;
    script.async = false;
    document.body.append(script);
    return script;
  });
  const start = () => document.dispatchEvent(new Event("DOMContentLoaded"));
  first.onload = () => document.readyState !== "loading" && setTimeout(start); // in a task of its own
}));
</script>
"""


def sooner(page):
    return paint_first(slim(page))


def slim(page):
    parts = KEPT.split(PLAIN.sub(r"\1", page))  # text, element, its name, text, ...
    texts = [re.sub(r"\s*\n\s*", "\n", text) for text in parts[::3]]
    elements = [*parts[1::3], ""]
    return "".join(text + element for text, element in zip(texts, elements, strict=True))


def paint_first(page):
    run = RUN % json.dumps([html.unescape(source) for source in SCRIPT.findall(page)]).replace("<", "\\u003c")
    start, end, rest = SCRIPT.sub("", page).rpartition("</body>")
    return start + run + end + rest

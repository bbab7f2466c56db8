"""MkDocs hook: drop what nobody sees, so that pages load and are laid out sooner.

That is the indentation which the theme's templates leave, a tenth of each page, and the element which the highlighter
puts around names, brackets, operators and spaces, half of the elements of a lesson. They take the colour of the code.
"""

import re

from mkdocs.plugins import event_priority

KEPT = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.S)
PLAIN = re.compile(r'<span class="[nopw]">([^<]*)</span>')  # Pygments: name, operator, punctuation, whitespace


@event_priority(-100)  # after all hooks that look for the theme's own lines
def on_post_page(output, page, config):
    return slim(output)


def slim(html):
    parts = KEPT.split(PLAIN.sub(r"\1", html))  # text, element, its name, text, ...
    texts = [re.sub(r"\s*\n\s*", "\n", text) for text in parts[::3]]
    elements = [*parts[1::3], ""]
    return "".join(text + element for text, element in zip(texts, elements, strict=True))

"""MkDocs hook: drop the indentation that the theme's templates leave, a tenth of each page."""

import re

from mkdocs.plugins import event_priority

KEPT = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.S)


@event_priority(-100)  # after all hooks that look for the theme's own lines
def on_post_page(output, page, config):
    return slim(output)


def slim(html):
    parts = KEPT.split(html)  # text, element, its name, text, ...
    texts = [re.sub(r"\s*\n\s*", "\n", text) for text in parts[::3]]
    elements = [*parts[1::3], ""]
    return "".join(text + element for text, element in zip(texts, elements, strict=True))

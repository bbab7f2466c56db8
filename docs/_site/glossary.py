"""The rarer words of the glossary explain themselves where a page first uses them.

`docs/glossary.md` is the only source. An entry whose anchor carries the class `tip` becomes a tooltip on every page but
the glossary and the reference, whose text comes from docstrings, which are rendered apart from the page around them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

PAGE = "glossary.md"
ENTRY = re.compile(r"^\*\*(.+)\*\* \{ #([\w-]+)( \.tip)? \}\n: {3}(.+)$", re.M)
ABBR = re.compile(r'<abbr title="([^"]*)">(.*?)</abbr>')
SILENT = r"a|code|figure|h[1-6]|math|pre|summary|svg"  # a tooltip here would be in the way
SILENT_OR_ABBR = re.compile(rf"<({SILENT})\b.*?</\1>|{ABBR.pattern}", re.S)


class Entry(NamedTuple):
    """One word of the glossary."""

    term: str
    slug: str
    tip: bool
    sentence: str


@lru_cache(maxsize=1)  # parsed once a build, and again when `mkdocs serve` sees the glossary change
def entries(text):
    """Return every entry of the glossary's Markdown, in its order."""
    return tuple(Entry(term, slug, bool(tip), sentence) for term, slug, tip, sentence in ENTRY.findall(text))


def spellings(term):
    """Return a word as it is, at the start of a sentence, and both with an s."""
    capital = term[0].upper() + term[1:]
    return list(dict.fromkeys([term, capital, f"{term}s", f"{capital}s"]))


def abbreviations(glossary, markdown):
    """Return the lines that make Markdown's `abbr` explain the words of the page."""
    tips = [(s, entry.sentence) for entry in entries(glossary) if entry.tip for s in spellings(entry.term)]
    # `abbr` takes a title as it stands, so a backtick would show
    return "".join(f"\n*[{s}]: {sentence.replace('`', '')}" for s, sentence in tips if s in markdown)


def first_only(html):
    """Keep the first tooltip of each word that is running text, within reach of the keyboard; unwrap all others."""
    seen = set()

    def keep_or_unwrap(match):
        sentence, word = match[2], match[3]
        if sentence is None:
            return ABBR.sub(r"\2", match[0])
        if sentence in seen:
            return word
        seen.add(sentence)
        return match[0].replace("<abbr ", '<abbr tabindex="0" ', 1)

    return SILENT_OR_ABBR.sub(keep_or_unwrap, html)


def has_tips(page):
    return page.file.src_uri != PAGE and not page.file.src_uri.startswith("reference/")


def with_tips(markdown, page, glossary):
    return f"{markdown.rstrip()}\n{abbreviations(glossary, markdown)}\n" if has_tips(page) else markdown


def first_tips(html, page):
    return first_only(html) if has_tips(page) else html

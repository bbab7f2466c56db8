"""What Material's index of the pages leaves to be desired by readers who ask questions.

* A section is also found by the words in which `docs/find.md` asks for it. They stand in a field of the index that no
  page shows; mkdocs.yml says what it weighs.
* What a list explains, the words of the glossary and the refusals, are entries of their own, with a link to the place.
* Material prefers what stands above a page's first section to any section. Here it does not.
* lunr takes two nodes of its tree of words for the same if their letters and numbers, written in a row, are: with many
  numbers on the pages it finds words that nobody wrote, and stops.
"""

from __future__ import annotations

import re
from urllib.parse import urljoin

from llms import plain
from mkdocs.exceptions import PluginError

QUESTIONS = "find/"
LINK = re.compile(r'<a href="([^"]*)">(.*?)</a>', re.S)
EXPLAINED = re.compile(r'<dt\b[^>]* id="([\w-]+)"[^>]*>(.*?)</dt>\s*<dd>(.*?)</dd>', re.S)
REFUSAL = re.compile(r"<strong>\w+</strong> (.*?)(?:<i>|$)", re.S)
ABOVE = 0.4  # Material multiplies by up to 2.5
WORKER = "assets/javascripts/workers/search.*.min.js"
IN_A_ROW, APART = "e=e+s+o.id", 'e=e+s+o.id+","'


def improved(entries, pages):
    found = {entry["location"]: entry for entry in entries}
    for page in pages:
        if page.url == QUESTIONS:
            add_questions(found, page)
        found |= {entry["location"]: entry for entry in explained(page)}
    for location, entry in found.items():
        if "#" not in location:
            entry["boost"] = ABOVE * entry.get("boost", 1)
    return list(found.values())


def mend_worker(folder):
    """Keep apart what lunr writes in a row; a theme in which it is written otherwise ends the build."""
    (worker,) = folder.glob(WORKER)
    text = worker.read_text(encoding="utf-8")
    if APART in text:
        return
    if IN_A_ROW not in text:
        raise PluginError(f"{worker.name}: lunr has no {IN_A_ROW!r} to mend (docs/_site/search.py).")
    worker.write_text(text.replace(IN_A_ROW, APART), encoding="utf-8")


def add_questions(found, page):
    for link, question in LINK.findall(page.content):
        target = urljoin(page.url, link)
        entry = found.get(target) or found.get(target.partition("#")[0])  # the title's anchor is the page
        if entry:
            entry["asked"] = f"{entry.get('asked', '')} {plain(question)}".strip()


def explained(page):
    """Return an entry for each thing that a list on the page explains; a refusal is looked for by its sentence."""
    for anchor, term, text in EXPLAINED.findall(page.content):
        refusal = REFUSAL.search(text)
        title, text = (refusal[1], f"{term} {text}") if refusal else (term, text)
        yield {"location": f"{page.url}#{anchor}", "title": escaped(title), "text": escaped(text)}


def escaped(text):
    """Return the words of a piece of HTML as the index holds them."""
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())

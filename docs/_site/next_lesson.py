"""The card at the end of a lesson: the next one, as the list of all lessons shows it."""

from __future__ import annotations

import re
from html import escape
from pathlib import PurePosixPath
from typing import NamedTuple

from execute import DOCS

LIST = "learn/index.md"
CARD = re.compile(r'^--8<-- "(\S+)"\n\[(.+?)\]\((\w+)\.py\).*\n\n(.+)\n\n(.+)<br>$', re.M)


class Card(NamedTuple):
    picture: str
    title: str
    lesson: str
    question: str
    result: str


def cards():
    """Return the lessons' cards, in the order of learning."""
    return [Card(*found) for found in CARD.findall((DOCS / LIST).read_text(encoding="utf-8"))]


def add_card(page):
    """Give a lesson's page the card of the lesson after it."""
    path = PurePosixPath(page.file.src_uri)
    if path.suffix != ".py" or path.parent.name != "learn":
        return
    lessons = cards()
    number = [card.lesson for card in lessons].index(path.stem) + 1  # of the next one, counted from 0
    if number < len(lessons):
        page.meta["next_lesson"] = shown(lessons[number], number + 1)


def shown(card, number):
    drawn = (DOCS / card.picture).read_text(encoding="utf-8").strip()
    question, result = escape(card.question, quote=False), card.result  # which may hold &nbsp;
    return (
        f'<a class="next-lesson" href="../{card.lesson}/">{drawn}<span><small>Next, lesson {number}</small>'
        f"<strong>{card.title}</strong><em>{question}</em><span>{result}</span></span></a>"
    )

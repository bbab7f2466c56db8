"""The card at the end of a lesson: it is that of the lesson after it in the site's order."""

import re
from pathlib import Path
from types import SimpleNamespace

import next_lesson
import pytest

ROOT = Path(__file__).parents[1]
ORDER = re.findall(r"learn/(\w+)\.py", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def card_of(src_uri):
    page = SimpleNamespace(file=SimpleNamespace(src_uri=src_uri), meta={})
    next_lesson.add_card(page)
    return page.meta.get("next_lesson")


def test_the_cards_stand_in_the_order_of_the_site():
    assert [card.lesson for card in next_lesson.cards()] == ORDER


@pytest.mark.parametrize(("number", "lesson"), list(enumerate(ORDER[:-1], start=1)))
def test_each_lesson_leads_to_the_next(number, lesson):
    shown = card_of(f"learn/{lesson}.py")
    assert f'href="../{ORDER[number]}/"' in shown
    assert f"Next, lesson {number + 1}<" in shown
    card = next_lesson.cards()[number]
    assert all(text in shown for text in (f"<strong>{card.title}</strong>", card.result))
    assert shown.count("<svg") == 1
    assert 'aria-hidden="true"' in shown  # the words say it


@pytest.mark.parametrize("src_uri", [f"learn/{ORDER[-1]}.py", "learn/index.md", "guides/museum.py", "index.py"])
def test_where_no_lesson_follows_there_is_no_card(src_uri):
    assert card_of(src_uri) is None

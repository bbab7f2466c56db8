"""The small map at the head of a lesson: each lesson has one, and it is lit where the lesson is about."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import small_map

LEARN = Path(__file__).parents[1] / "docs" / "learn"
LESSONS = [path.stem for path in sorted(LEARN.glob("*.py"))]


def lit(lesson):
    return len(re.findall(r'<rect class="lit"', small_map.small_map(lesson)))


@pytest.mark.parametrize("lesson", LESSONS)
def test_each_lesson_has_a_map_that_leads_to_its_card(lesson):
    page = SimpleNamespace(file=SimpleNamespace(src_uri=f"learn/{lesson}.py"), meta={})
    small_map.add_map(page)
    drawn = page.meta["small_map"]
    anchor = re.search(r'href="\.\./#(\w+)"', drawn)[1]
    assert f"{{ #{anchor} }}" in (LEARN / "index.md").read_text(encoding="utf-8")
    boxes = re.findall(r'y="(\d+)"', drawn)
    assert len(boxes) == (6 if lesson in small_map.LIT_IN_HALF else 13)
    assert all(0 <= int(y) <= small_map.FLOOR for y in boxes)
    assert 0 < lit(lesson) <= len(boxes)


def test_other_pages_have_none():
    page = SimpleNamespace(file=SimpleNamespace(src_uri="guides/questions.py"), meta={})
    small_map.add_map(page)
    assert page.meta == {}


def test_no_lesson_is_on_two_maps_and_none_is_left_over():
    assert not small_map.LIT.keys() & small_map.LIT_IN_HALF.keys()
    assert sorted(small_map.LIT.keys() | small_map.LIT_IN_HALF.keys()) == LESSONS


@pytest.mark.parametrize(
    ("lesson", "count", "named"),
    [
        ("recap", 13, "all of it"),
        ("causal", 1, "attention to its own letters"),
        ("attention", 3, "attention to its own letters, attention to the text that it reads"),
        ("transformer_layer", 5, "add and norm"),
        ("positions", 2, "letters and places"),
        ("language_model", 6, "all of it"),
        ("by_heart", 6, "all of it"),
        ("sinks", 1, "attention to its own letters"),
    ],
)
def test_what_is_lit_is_said(lesson, count, named):
    assert lit(lesson) == count
    assert f'title="In the machine: {named}"' in small_map.small_map(lesson)

"""The pieces of the lesson "Pieces of words": a reader glues pairs, and cuts a text by the rules of the manual."""

import re

import pytest
from playwright.sync_api import expect


def glue(gluing, *names):
    for name in names:
        gluing.element.get_by_role("button", name=re.compile(rf"^{re.escape(name)}:")).click()


def cut(piece):
    return piece.element.locator(".pieces span").all_inner_texts()


def test_the_commonest_pair_first_is_not_the_best_way_to_glue(piece):
    gluing = piece("pieces_of_words", "gluing")
    assert gluing.says() == "0 of 3 rounds: 22 pieces."
    expect(gluing.element.locator(".more")).to_have_text("These are the 9 commonest of 12 pairs.")
    for _ in range(3):
        gluing.element.locator("button[data-do=glue]").first.click()
    assert gluing.says().startswith("3 of 3 rounds: 15 pieces. That is as good as")
    expect(gluing.element.locator("button[data-do=glue], .more")).to_have_count(0)
    gluing.press("Start again")
    glue(gluing, "h + e", "e + s", "s + e")
    assert gluing.says() == "3 of 3 rounds: 14 pieces. Fewer can't be reached in 3 rounds."
    assert cut(gluing)[:5] == ["s", "he", "␣", "se", "es"]
    gluing.press("Start again")
    for _ in range(3):
        gluing.element.locator("button[data-do=glue]").last.click()
    assert gluing.says().endswith("Gluing the commonest pair each time ends at 15.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("functions", ["function", "s"]),
        (" functions", ["␣functions"]),
        ("zurück", ["z", "ur", "ü", "ck"]),
        ("<b>&", ["<", "b", ">", "&"]),
    ],
)
def test_a_text_is_cut_as_the_lesson_cuts_it(piece, text, expected):
    cutting = piece("pieces_of_words", "cutting")
    cutting.element.get_by_label("Your text").fill(text)
    expect(cutting.element.locator(".pieces span")).to_have_text(expected)
    cutting.slide("Rules", 0)
    assert cutting.says() == f"{len(text)} letters, {len(text)} pieces: 1.0 letters a piece."


def test_an_example_is_cut_and_nothing_is_no_piece(piece):
    cutting = piece("pieces_of_words", "cutting")
    cutting.press("strawberry")
    assert cut(cutting) == ["st", "ra", "w", "b", "er", "r", "y"]
    cutting.element.get_by_label("Your text").fill("")
    assert cutting.says() == "Type something."

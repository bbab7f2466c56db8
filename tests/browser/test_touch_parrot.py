"""A table that learns a word by heart: what it has counted, what each letter costs, and where a new one is cheapest."""

import math

import pytest

SURE, ODD, BLANK = (-math.log2(p) for p in (0.9 + 0.1 / 26, 0.1 / 26, 1 / 26))


def costs(parrot, word):
    """Return what each letter of the first or second word costs, as it stands below it."""
    return [float(x) for x in parrot.element.locator(".surprised").nth(word).locator("small").all_inner_texts()]


@pytest.mark.parametrize(
    ("back", "shown", "new"),
    [
        (1, 0.15, [SURE, SURE, SURE, ODD, BLANK, SURE, SURE]),
        (2, 0.15, [SURE, SURE, SURE, ODD, BLANK, BLANK, SURE]),
        (3, 0.15, [SURE, SURE, SURE, ODD, BLANK, BLANK, BLANK]),
    ],
)
def test_a_new_word_costs_what_a_pencil_finds(piece, back, shown, new):
    parrot = piece("by_heart", "parrot")
    parrot.press(str(back))
    assert costs(parrot, 1) == pytest.approx(new, abs=0.0051)
    letters = {1: "one letter"}.get(back, f"{back} letters")
    assert parrot.says() == (
        f"Looking back {letters}, the table pays {shown} bits for a letter of banana,"
        f" and {sum(new) / len(new):.2f} for one of bandana."
    )


def test_what_the_table_has_counted_stands_there(piece):
    parrot = piece("by_heart", "parrot")
    table = parrot.element.locator("tbody tr")
    assert table.all_inner_texts() == ["·\tb", "b\ta", "a\tn n", "n\ta a"]
    parrot.press("0")
    assert table.all_inner_texts() == ["any place\tb a n a n a"]
    parrot.press("4")
    assert table.all_inner_texts() == ["·\tb", "·b\ta", "·ba\tn", "·ban\ta", "bana\tn", "anan\ta"]


def test_the_best_number_moves_with_the_words(piece):
    parrot = piece("by_heart", "parrot")
    drawing = parrot.element.locator("svg")
    assert drawing.locator("circle").count() == 2  # what was not tried is not told
    for back in (3, 0, 2):
        parrot.press(str(back))
    assert drawing.locator("circle").count() == 2 * 4
    assert drawing.get_attribute("aria-label").endswith(
        ": with 0 banana 1.59 and bandana 2.51, with 1 banana 0.15 and bandana 1.92,"
        " with 2 banana 0.15 and bandana 2.57, with 3 banana 0.15 and bandana 3.22."
    )
    parrot.element.get_by_label("New").fill("Banana split")  # what is no letter from a to z falls away
    assert parrot.element.get_by_label("New").input_value() == "bananasplit"
    parrot.element.get_by_label("Shown").fill("bandana")
    parrot.element.get_by_label("New").fill("bandana")
    assert "with 2 bandana 0.43 and bandana 0.43, with 3 bandana 0.15 and" in drawing.get_attribute("aria-label")
    parrot.element.get_by_label("New").fill("123")
    assert parrot.says() == "Each word needs a letter, from a to z."

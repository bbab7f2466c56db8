"""Pieces to touch in the lessons on packing, programs and sorting: they say what Python computes."""

from fractions import Fraction

import numpy as np
import pytest
from playwright.sync_api import expect

import trained
from clear_attention import (
    aggregate,
    create_document_mask,
    date_tokenizers,
    scaled_dot_product_attention,
    select,
)
from clear_attention.programs import features, rows


def test_two_dates_in_a_row_are_read_as_the_machine_reads_them(piece):
    row = piece("packing", "neighbours")
    model, _ = trained.load("today-rotary")
    source, _ = date_tokenizers()
    looked = {}
    for query, dates in ((9, ("3 may '18", "7 june '24")), (10, ("24.12.2001", "3/17/2031"))):
        for date in dates:
            row.element.get_by_role("button", name=date, exact=True).click()
        for apart in (False, True):
            row.element.get_by_label("keep the dates apart").set_checked(apart)
            documents = np.array([[1] * len(dates[0]) + [2] * len(dates[1])])
            mask = create_document_mask(documents) if apart else None
            x = model.embed_source(source.encode(["".join(dates)])) * 8.0
            weights = model.encoder(x, mask=mask, return_weights=True).weights["0"].numpy()[0].mean(axis=0)
            away = weights[query, : len(dates[0])].sum()
            assert row.numbers()[2] == pytest.approx(100 * away, abs=4)  # 64 levels of a weight
            looked[dates[0], apart] = row.says()
    assert "writes 2018-05-03 and 2024-06-07. Both are right." in looked["3 may '18", True]
    assert "Both are wrong." in looked["3 may '18", False]
    assert "writes 2001-12-24 and 2031-03-17. Both are right." in looked["24.12.2001", True]
    row.slide("Letter that looks", 0)
    assert row.says().startswith("The 2 at place 0 gives 0 %")


def test_each_place_fetches_by_the_notes(piece, visit):
    seats = piece("sorting", "seats")
    field = seats.element.get_by_role("textbox", name="Text")
    fetched = seats.element.locator("svg text")
    for text in ("ccab", "cabacb", "bbb", "a", "abcabcab"):
        field.fill(text)
        assert seats.says().startswith("Each letter has noted how many are smaller.")
        notes = [sum(other < letter for other in text) for letter in text]
        for place in range(1, len(text) + 1):
            seats.press("Next place")
            best = max(note for note in notes if note < place)
            letter = sorted(text)[place - 1]
            says = f"Place {place} fetches a letter with the note {best}: {letter}."
            assert seats.says().startswith(says)
            assert seats.element.locator("path.q").count() == notes.count(best)
            shown = fetched.all_text_contents()
            assert shown[-len(text) :] == [*sorted(text)[:place], *"·" * (len(text) - place)]
            assert shown[4 : 5 + len(text)] == ["0", *(str(note) for note in notes)]  # of ^ and of the letters
        assert seats.says().endswith(f"Sorted: {''.join(sorted(text))}.")
    field.fill("xB!")
    assert field.input_value() == "b"
    field.fill("")
    seats.press("Next place")
    assert seats.says() == "Write a few of the letters a, b and c."
    seats.press("Start again")
    seats.press("One after the other")
    expect(seats.element.locator(".says")).to_contain_text("Sorted: aabbcc.")
    still = visit("/learn/sorting/", reduced_motion="reduce").page.locator("lesson-piece[piece=seats]")
    assert still.get_by_role("button").all_inner_texts() == ["Next place", "Start again"]


def test_the_wishes_are_a_head_as_the_function_computes_it(piece):
    wishes = piece("programs")
    assert wishes.says() == "At 1, place 0 fetches a mixture, place 1 fetches a mixture, place 2 fetches a mixture."
    for place in range(3):  # each its next one, and the last itself
        for key in range(3):
            button = wishes.element.get_by_role("button", name=f"place {place} looks at place {key}")
            if (button.get_attribute("aria-pressed") == "true") != (key == min(place + 1, 2)):
                button.focus()
                wishes.page.keyboard.press("Enter")
    wished, letters = np.eye(3)[[1, 2, 2]], np.eye(3)[[2, 0, 1]]  # c a b
    for step, worth in enumerate((1, 2, 5, 10, 20, 128)):
        wishes.slide("A yes is worth", step)
        output, weights = scaled_dot_product_attention(wished * worth * 3**0.5, np.eye(3), letters)
        cells = [x for x in wishes.element.locator("table.wishes tbody td:not(:has(button))").all_inner_texts() if x]
        np.testing.assert_allclose(np.array(cells[:9], float), np.ravel(weights), atol=0.00501)
        for average, expected in zip(cells[9:], np.array(output), strict=True):  # "0.58 c + 0.21 a + 0.21 b"
            shares = {letter: float(x) for x, letter in (part.split(" ") for part in average.split(" + "))}
            np.testing.assert_allclose([shares.get(letter, 0) for letter in "abc"], expected, atol=0.00501)
    assert wishes.says() == "At 128, place 0 fetches a, place 1 fetches b, place 2 fetches b."
    wishes.press("Start again")
    assert wishes.says().startswith("At 1, place 0 fetches a mixture")


def test_a_head_that_looks_by_letters_is_one_of_the_package(piece):
    letter, _ = features(4, 9)

    def wish(sign, keys):
        for key in keys:
            looks.element.get_by_role("button", name=f"{sign} looks at {key}", exact=True).focus()
            looks.page.keyboard.press("Enter")
            wishes["^abc".index(sign), "^abc".index(key)] = 1 - wishes["^abc".index(sign), "^abc".index(key)]

    def assert_shows(text):
        tokens, mask = rows([f"^{text}"], "^abc", length=9)
        head = aggregate(select(letter, letter, wishes), letter)
        _, weights = head(tokens, mask=mask, return_weights=True)
        cells = [float(Fraction(x or "0")) for x in looks.element.locator("td.weight").all_inner_texts()]
        wanted = weights.numpy()[0, 0, 1 : len(text) + 1, : len(text) + 1]
        np.testing.assert_allclose(cells, wanted.ravel(), atol=1e-6)

    looks, wishes = piece("programs", "looks"), np.zeros((4, 4))
    few = "Right in 12 of the 120 texts of up to 4 letters."
    assert looks.says().startswith(f"{few} In “abca” the a should say 2, so that ^ must get 1/3")
    assert_shows("abca")  # they wish for nobody, and look at everybody
    wish("a", "a")
    assert_shows("abca")
    wish("a", "^")
    wish("b", "^b")
    wish("c", "^c")
    assert looks.says().startswith("Solved: right in all 120 texts")
    looks.press("cabacb")
    assert_shows("cabacb")
    looks.press("Start again")
    assert looks.says().startswith(few)

    looks, wishes = piece("sorting", "looks"), np.eye(4)
    wishes[:, 0] = 1  # as the first piece was solved
    none = "Right in 0 of the 120 texts of up to 4 letters."
    assert_shows("cabacb")
    assert looks.says().startswith(f"{none} In “cabacb” the c should say 4, so that ^ must get 1/5")
    wish("a", "a")
    wish("b", "ab")
    wish("c", "abc")
    assert looks.says() == "Solved: right in all 120 texts of up to 4 letters."
    assert_shows("cabacb")
    looks.press("Start again")
    assert looks.says().startswith(none)

"""Pieces to touch in the lesson on heads: four heads on one date, and letters that pull at a rope."""

import re
from itertools import pairwise

import numpy as np
import pytest
from playwright.sync_api import expect

import trained
from clear_attention import create_padding_mask, date_tokenizers

SOURCE, TARGET = date_tokenizers()


def looks_at(text, answer):
    """Return the weights of the trained machine: (heads, letters of the answer, letters of the text)."""
    model, _ = trained.load("dates")
    ids = SOURCE.encode([text]), TARGET.encode([answer])[:, :-1]
    return model(ids, return_weights=True).weights["decoder.0.cross"][0].numpy()[:, :10, : len(text)]


def show_all(element):
    """Switch on the heads that are hidden when the page opens."""
    for head in (1, 2):
        element.locator(".heads button").nth(head).press("Space")


def bars(element):
    """Return how tall the bars are: (letters of the text, heads)."""
    tall = element.locator(".tower i").evaluate_all("all => all.map((bar) => bar.style.getPropertyValue('--high'))")
    return np.reshape([float(high.removesuffix("%")) / 100 for high in tall], (-1, 4))


@pytest.mark.parametrize(
    ("text", "answer"),
    [("tuesday 19th of march 1968", "1968-03-19"), ("29. august '87", "1987-08-29"), ("24.02.2034", "2034-02-24")],
)
def test_the_bars_are_the_weights_of_the_trained_machine(piece, text, answer):
    four = piece("multi_head", "four_looks")
    show_all(four.element)
    four.press(text)
    weights = looks_at(text, answer)
    letters = four.element.locator(".letters button")
    assert "".join(letters.all_inner_texts()) == answer
    for place in (0, 3, 5, 8, 9):
        letters.nth(place).press("Enter")
        expect(letters.nth(place)).to_have_attribute("aria-pressed", "true")
        np.testing.assert_allclose(bars(four.element), weights[:, place].T, atol=0.02)
        for head, button in enumerate(four.element.locator(".heads button").all()):
            most = weights[head, place].argmax()
            shown = re.search(r"most at (.): (\d\.\d\d)", button.inner_text())
            assert shown[1] == text[most].replace(" ", "␣")
            assert float(shown[2]) == pytest.approx(weights[head, place, most], abs=0.02)


def test_heads_can_be_hidden(piece):
    four = piece("multi_head", "four_looks")
    assert four.says() == "To write the ninth letter, the 1, heads 1 and 4 look most at the 9 and the 1."
    show_all(four.element)
    assert four.says() == "To write the ninth letter, the 1, the four heads look most at the 9, the h and the 1."
    heads = four.element.locator(".heads button")
    whole = bars(four.element)
    for head in (0, 3):
        heads.nth(head).press("Space")
    np.testing.assert_allclose(bars(four.element), whole * [0, 1, 1, 0])
    assert four.says() == "To write the ninth letter, the 1, heads 2 and 3 look most at the h and the 1."
    heads.nth(1).click()
    assert four.says() == "To write the ninth letter, the 1, head 3 looks most at the 1."
    heads.nth(2).click()
    assert bars(four.element).max() == 0
    heads.nth(0).click()
    np.testing.assert_allclose(bars(four.element), whole * [1, 0, 0, 0])


def test_the_date_is_written_letter_by_letter(piece, visit):
    four = piece("multi_head", "four_looks")
    letters = four.element.locator(".letters button")
    letters.nth(7).click()
    four.press("Let it write")
    expect(letters.nth(9)).to_have_attribute("aria-pressed", "true")  # and there it stands still
    expect(four.element.get_by_role("button", name="Let it write")).to_be_visible()
    still = visit("/learn/multi_head/", reduced_motion="reduce").page.locator("lesson-piece[piece=four_looks]")
    expect(still.locator(".tower").first).to_be_visible()
    assert still.get_by_role("button", name="Let it write").count() == 0


RIVALS = {"1967": "76", "1968": "86", "2043": "34", "1962": "76", "1972": "67"}  # of the third digit and of the fourth


@pytest.mark.parametrize(("steps", "name"), [("700", "digits-1"), ("2,100", "digits-1-longer")])
def test_what_a_letter_pulls_is_missing_without_it(piece, steps, name):
    rope = piece("multi_head", "pulling")
    model, _ = trained.load(name)
    rope.press(f"{steps} steps")
    for year, rivals in RIVALS.items():
        rope.press(year)
        text = rope.element.locator("p.written").inner_text()
        assert text.endswith(year)
        ids = SOURCE.encode([text])
        x = model.source_positions(model.embed_source(ids) * 8.0)
        values = model.attention.project_values(model.encoder(x, mask=create_padding_mask(ids)))
        weights = model(ids, return_weights=True)[1].numpy()[:, 0, 0]

        def lead(weights, place, digit, rival, values=values):
            points = model.project_logits(model.attention.project_output(weights[:, None] @ values)).numpy()
            return np.subtract(*points.reshape(8, 10)[place, [digit, rival]])

        for place, which in ((2, "third digit"), (3, "fourth digit")):
            rope.press(which)
            digit, rival = year[place], rivals[place - 2]
            whole = lead(weights, place, int(digit), int(rival))
            pulls = []
            for letter in range(len(text) - 4, len(text)):
                without = weights.copy()
                without[:, letter] = 0
                pulls.append(whole - lead(without, place, int(digit), int(rival)))
            pulls.append(whole - sum(pulls))
            shown = [float(x) for x in rope.element.locator("text.middle.walks").all_text_contents()]
            np.testing.assert_allclose(shown, np.abs(pulls), atol=0.03)  # the last one takes what rounding leaves
            of_smaller = np.array(pulls) > 0 if digit < rival else np.array(pulls) < 0
            blue = rope.element.locator("g.walks:has(> .legs)").evaluate_all("all => all.map((g) => g.matches('.q'))")
            assert blue == of_smaller.tolist()
            winner = digit if whole > 0 else rival
            said = rope.says()
            assert said.startswith(f"The {winner} is stronger, by {abs(whole):.2f}.")
            article = "an" if winner == "8" else "a"
            judged = "as it should" if whole > 0 else "though it is"
            assert f"So the {which} becomes {article} {winner}, {judged}" in said
            read = "".join(map(str, np.argmax(model(ids), axis=-1)[0, :4]))
            assert f"The machine writes {read}." in said


def test_who_pulls_harder_is_larger_and_all_stand_apart(piece):
    rope = piece("multi_head", "pulling")
    for steps in ("700 steps", "2,100 steps"):
        rope.press(steps)
        for year in RIVALS:
            rope.press(year)
            rope.page.wait_for_timeout(700)  # they walk
            boxes = [box.bounding_box() for box in rope.element.locator("svg g g rect").all()]
            pulls = [float(x) for x in rope.element.locator("text.middle.walks").all_text_contents()]
            sizes = [boxes[i]["height"] for i in np.argsort(pulls)]
            assert np.all(np.diff(sizes) > -0.5)
            ends = sorted((box["x"], box["x"] + box["width"]) for box in boxes)
            assert all(right <= left + 1 for (_, right), (left, _) in pairwise(ends))
            frame = rope.element.locator("svg").bounding_box()
            assert ends[0][0] >= frame["x"] - 1
            assert ends[-1][1] <= frame["x"] + frame["width"] + 1

"""The piece of the lesson on attention: three letters look, and every number on the way can be followed."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

X = np.array([[1, 0], [0, 1], [1, 1]])
W_Q = np.array([[1, 0, 0, 1], [1, 0, 1, -1]])
W_K = np.array([[2, 0, 2, 0], [-2, 1, 0, 3]])
W_V = np.array([[10, 0], [0, 10]])
QUERIES, KEYS, VALUES = X @ W_Q, X @ W_K, X @ W_V
SCORES = QUERIES @ KEYS.T / 2
POWERS = np.exp(SCORES)
WEIGHTS = POWERS / POWERS.sum(axis=1, keepdims=True)
OUTPUT = WEIGHTS @ VALUES


def numbers(text):
    return [float(x) for x in re.findall(r"-?\d+\.?\d*", text)]


@pytest.mark.parametrize("row", [0, 1, 2])
def test_each_step_says_its_numbers(piece, row):
    by_hand = piece("attention", "by_hand")
    by_hand.press("may"[row])
    by_hand.press("Next step")
    assert numbers(by_hand.says())[-4:] == QUERIES[row].tolist()
    drawn = " ".join(by_hand.element.locator("g.matrices text").all_text_contents()).replace("−", "-")
    assert numbers(drawn) == [*W_Q.ravel(), *W_K.ravel(), *W_V.ravel()]  # the matrices, where the bars come later
    by_hand.press("Next step")
    assert numbers(by_hand.says())[-4:] == KEYS[row].tolist()
    for j in range(3):
        by_hand.press("Next step")
        *factors, product, four, root, score = numbers(by_hand.says())
        assert factors == np.stack([QUERIES[row], KEYS[j]], axis=1).ravel().tolist()
        assert (product, four, root, score) == (QUERIES[row] @ KEYS[j], 4, 2, SCORES[row, j])
    by_hand.press("Next step")
    assert numbers(by_hand.says()) == pytest.approx([*POWERS[row], POWERS[row].sum()], abs=6e-4)
    by_hand.press("Next step")
    assert numbers(by_hand.says()) == pytest.approx([POWERS[row].sum(), *WEIGHTS[row]], abs=6e-4)
    by_hand.press("Next step")
    assert numbers(by_hand.says())[-2:] == pytest.approx(OUTPUT[row], abs=6e-4)


def test_the_rows_that_are_done_fill_the_map(piece):
    by_hand = piece("attention", "by_hand")
    for letter in range(3):
        for _ in range(7 if letter else 8):  # all keys and values are made for the first one
            by_hand.press("Next step")
        if letter < 2:
            by_hand.press("Next letter")
    assert by_hand.says().endswith("The map is full.")
    texts = [text.replace("−", "-") for text in by_hand.element.locator("svg text").all_text_contents()]
    shown = [float(x) for x in texts if re.fullmatch(r"-?\d+\.\d\d\d?", x)][-15:]
    expected = np.concatenate([WEIGHTS, OUTPUT], axis=1).ravel()
    assert shown == pytest.approx(expected, abs=0.006)
    by_hand.press("From the beginning")
    assert "What is it looking for?" in by_hand.says()


def test_it_runs_by_itself_until_the_row_is_done(piece):
    by_hand = piece("attention", "by_hand")
    for _ in range(5):
        by_hand.press("Next step")
    by_hand.press("Let it run")
    expect(by_hand.element.locator(".says")).to_contain_text("The output", timeout=8000)
    expect(by_hand.element.get_by_role("button", name="Let it run")).to_be_visible()


def test_without_scripts_the_numbers_stand_there(visit):
    page = visit("/learn/attention/", java_script_enabled=False).page
    said = page.locator("lesson-piece[piece=by_hand]").inner_text()
    assert numbers(said) == pytest.approx(WEIGHTS[:, 0], abs=6e-3)
    assert page.locator("svg.diagram").first.is_visible()


def test_what_flies_is_what_is_added_up(piece):
    by_hand = piece("attention", "by_hand")
    flying = by_hand.element.locator("g[class^=flies]")

    def flown():
        rows = flying.evaluate_all(
            "all => all.map((one) => [...one.querySelectorAll('text')].map((text) => text.textContent))"
        )
        return [[float(x.replace("−", "-")) for x in row] for row in rows]

    assert not flown()
    by_hand.press("Next step")
    assert np.sum(flown(), axis=0).tolist() == QUERIES[2].tolist()
    landed = by_hand.element.locator("g[class^=lands]")  # the sum is there only when the second row is, which waits
    wait = "all => all.map((one) => parseFloat(one.style.getPropertyValue('--wait')))"
    assert landed.all_text_contents() == ["2010"]
    assert landed.evaluate_all(wait)[0] > max(flying.evaluate_all(wait)) > 0
    by_hand.press("Next step")
    made = flown()
    keys = [row for row in made if len(row) == 4]
    assert np.sum(keys, axis=0).tolist() == KEYS.sum(axis=0).tolist()
    assert np.sum([row for row in made if len(row) == 2], axis=0).tolist() == VALUES.sum(axis=0).tolist()
    for _ in range(3):
        by_hand.press("Next step")
        assert flown() == [QUERIES[2].tolist()]
    for _ in range(3):
        by_hand.press("Next step")
    assert np.sum(flown(), axis=0) == pytest.approx(OUTPUT[2], abs=0.02)


def test_who_wants_no_motion_sees_nothing_fly(visit):
    page = visit("/learn/attention/", reduced_motion="reduce").page
    by_hand = page.locator("lesson-piece[piece=by_hand]")
    by_hand.get_by_role("button", name="Next step").click()
    shown = by_hand.locator("g[class^=flies]").evaluate_all("all => all.map((one) => getComputedStyle(one).opacity)")
    assert shown == ["0", "0"]

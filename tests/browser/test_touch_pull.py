"""Keys that pull at their mixture, in the lesson on training: which way, how hard, and what a nudge makes of it."""

import json

import numpy as np
import pytest
from playwright.sync_api import expect


def weights_of(scores):
    return np.exp(scores) / np.exp(scores).sum()


def shown(element, what):
    return element.locator(f"[data-{what}]").evaluate_all(f"all => all.map((one) => +one.dataset.{what})")


class Keys:
    """What the piece should show."""

    def __init__(self, element):
        given = json.loads(element.locator("script").text_content())
        self.scores, self.values, self.flag, self.rate = (
            np.array(given["scores"]),
            np.array(given["values"]),
            given["flag"],
            given["rate"],
        )

    @property
    def mixture(self):
        return weights_of(self.scores) @ self.values

    @property
    def pulls(self):
        return weights_of(self.scores) * (self.values - self.mixture)

    def nudge(self):
        self.scores = self.scores + self.rate * 2 * (self.flag - self.mixture) * self.pulls


def test_a_nudge_makes_those_heavier_that_pull_towards_the_flag(piece):
    drawn = piece("training", "pull")
    keys = Keys(drawn.element)
    assert drawn.says() == "The mixture is 0.60, and should be 0.90. b and c pull towards the flag, a away from it."
    for nudge in range(1, 7):
        before = weights_of(keys.scores)
        keys.nudge()
        drawn.press("Nudge the scores")
        np.testing.assert_allclose(shown(drawn.element, "weight"), weights_of(keys.scores), atol=1e-4)
        np.testing.assert_allclose(shown(drawn.element, "pull"), keys.pulls, atol=1e-4)
        heavy = before.argmax()
        verb = "gains" if weights_of(keys.scores)[heavy] > before[heavy] else "loses"
        assert drawn.says().startswith(f"Nudge {nudge}: {'abc'[heavy]}, the heaviest, {verb} weight")
        assert f"mixture {keys.mixture:.2f}" in drawn.element.locator("svg").text_content()
    assert keys.mixture > 0.7


def test_the_arrow_of_a_key_turns_round_where_its_value_crosses_the_mixture(piece):
    drawn = piece("training", "pull")
    keys = Keys(drawn.element)
    for value in (0.65, 0.2, 0.3, 0.9):
        drawn.slide("Value of b", value)
        keys.values[1] = value
        np.testing.assert_allclose(shown(drawn.element, "pull"), keys.pulls, atol=1e-4)
    drawn.slide("Value of b", 0.2)
    assert "c pulls towards the flag, a and b away from it." in drawn.says()
    drawn.press("Nudge the scores")
    assert "Nudge 1: b, the heaviest, loses weight" in drawn.says()
    drawn.slide("Flag", 0)
    assert "a and b pull towards the flag, c away from it." in drawn.says()
    drawn.press("Start again")
    assert "The mixture is 0.60" in drawn.says()


def test_a_disc_can_be_dragged(piece):
    drawn = piece("training", "pull")
    box = drawn.element.locator("[data-handle='1']").bounding_box()
    mouse = drawn.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] - 150, box["y"] + box["height"] / 2)
    mouse.up()
    assert float(drawn.slider("Value of b").input_value()) < 0.5
    assert shown(drawn.element, "pull")[1] < 0


@pytest.mark.parametrize("flag", [0.3, 0.5])
def test_the_scores_can_be_nudged_until_the_flag_is_reached(piece, flag):
    drawn = piece("training", "pull")
    drawn.slide("Flag", flag)
    drawn.press("Keep nudging")
    expect(drawn.element.locator(".says")).to_contain_text("The mixture is at the flag", timeout=15_000)
    expect(drawn.element.get_by_role("button", name="Keep nudging")).to_be_visible()


def test_who_wants_stillness_has_the_button(visit):
    page = visit("/learn/training/", reduced_motion="reduce").page
    drawn = page.locator("lesson-piece[piece=pull]")
    expect(drawn.get_by_role("button", name="Nudge the scores")).to_be_visible()
    assert drawn.get_by_role("button", name="Keep nudging").count() == 0

"""The slopes of the untrained machine, drawn as arrows, in the lesson on training."""

import json

import numpy as np
from playwright.sync_api import expect


def given_to(drawn):
    return json.loads(drawn.element.locator("script").text_content())


def test_each_arrow_points_against_its_slope_from_the_flattest_to_the_steepest(piece):
    drawn = piece("training", "gradient")
    slopes = np.array(given_to(drawn)["slopes"])
    assert len(slopes) == 60
    assert (np.diff(np.abs(slopes)) >= 0).all()
    ways = drawn.element.locator("[data-way]").evaluate_all("all => all.map((one) => one.dataset.way)")
    assert ways == ["larger" if slope < 0 else "smaller" for slope in slopes]


def test_a_nudge_lowers_the_loss_and_too_large_a_one_does_not(piece):
    drawn = piece("training", "gradient")
    given = given_to(drawn)
    slopes = np.array(given["slopes"])
    assert "The loss is 3.003." in drawn.says()
    for now in range(1, len(given["rates"])):
        drawn.slide("Learning rate", now)
        rate, loss = given["rates"][now], given["losses"][now]
        told = f"Each number has lost {rate:g} times its slope, and the loss is {loss:.3f} instead of 3.003."
        assert drawn.says().startswith(told)
        assert ("worse than before" in drawn.says()) == (loss > given["losses"][0])
        moved = np.array(
            drawn.element.locator("circle").evaluate_all("all => all.map((dot) => +dot.getAttribute('cy'))")
        )
        share = rate / given["rates"][-1]  # of an arrow
        np.testing.assert_allclose(moved - 84, 62 * share * slopes / np.abs(slopes).max(), atol=0.011)
    best = int(np.argmin(given["losses"]))
    drawn.slide("Learning rate", best)
    assert drawn.says().endswith("none brings it lower.")


def test_one_can_look_closely_and_let_the_numbers_go(piece):
    drawn = piece("training", "gradient")
    closely = drawn.element.get_by_role("button", name="Look 60 times as closely")
    dots = drawn.element.locator("circle")
    assert dots.count() == 60
    closely.press("Enter")
    expect(closely).to_have_attribute("aria-pressed", "true")
    assert 6 <= dots.count() < 20  # the others are outside
    assert "far outside" in drawn.says()
    drawn.press("Nudge them all")
    expect(drawn.slider("Learning rate")).to_have_value("12", timeout=15_000)
    drawn.press("Start again")
    assert "The loss is 3.003." in drawn.says()


def test_who_wants_stillness_has_the_slider(visit):
    page = visit("/learn/training/", reduced_motion="reduce").page
    drawn = page.locator("lesson-piece[piece=gradient]")
    expect(drawn.get_by_role("slider")).to_be_visible()
    assert drawn.get_by_role("button", name="Nudge them all").count() == 0

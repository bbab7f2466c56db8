"""The slopes of the untrained machine, drawn as arrows, in the lesson on training."""

import json

import numpy as np
from playwright.sync_api import expect


def given_to(drawn):
    return json.loads(drawn.element.locator("script").text_content())


def heights(drawn):
    """Return where the dots of the numbers are."""
    dots = drawn.element.locator("circle:not([data-try])")
    return np.array(dots.evaluate_all("all => all.map((dot) => +dot.getAttribute('cy'))"))


def test_each_arrow_points_against_its_slope_from_the_flattest_to_the_steepest(piece):
    drawn = piece("training", "gradient")
    slopes = np.array(given_to(drawn)["slopes"])
    assert len(slopes) == 60
    assert (np.diff(np.abs(slopes)) >= 0).all()
    ways = drawn.element.locator("[data-way]").evaluate_all("all => all.map((one) => one.dataset.way)")
    assert ways == ["larger" if slope < 0 else "smaller" for slope in slopes]


def test_it_nudges_by_the_rate_of_the_slider_which_is_small_at_first(piece):
    drawn = piece("training", "gradient")
    given = given_to(drawn)
    assert "The loss is 3.003." in drawn.says()
    expect(drawn.slider("Learning rate")).to_have_value("1")
    assert given["rates"][1] == 0.02
    drawn.press("Nudge them all")
    assert (
        drawn.says()
        == f"Each number has lost 0.02 times its slope, and the loss is {given['losses'][1]:.3f} instead of 3.003."
    )
    drawn.press("Nudge them all")  # each try begins from the same machine
    assert drawn.says().startswith("Each number has lost 0.02 times its slope")
    assert drawn.element.locator("[data-try]").count() == 1


def test_a_nudge_lowers_the_loss_and_too_large_a_one_does_not(piece):
    drawn = piece("training", "gradient")
    given = given_to(drawn)
    slopes = np.array(given["slopes"])
    tries = drawn.element.locator("[data-try]")
    for now in range(1, len(given["rates"])):
        drawn.slide("Learning rate", now)
        assert np.ptp(heights(drawn)) == 0  # back where they began
        assert tries.count() == now - 1
        drawn.press("Nudge them all")
        rate, loss = given["rates"][now], given["losses"][now]
        told = f"Each number has lost {rate:g} times its slope, and the loss is {loss:.3f} instead of 3.003."
        assert drawn.says().startswith(told)
        assert ("worse than before" in drawn.says()) == (loss > given["losses"][0])
        share = rate / given["rates"][-1]  # of an arrow
        np.testing.assert_allclose(heights(drawn) - 80, 62 * share * slopes / np.abs(slopes).max(), atol=0.011)
    places = np.array(tries.evaluate_all("all => all.map((dot) => [+dot.dataset.try, +dot.getAttribute('cy')])"))
    np.testing.assert_allclose(places[:, 0], given["rates"][1:])
    np.testing.assert_array_equal(np.argsort(-places[:, 1]), np.argsort(given["losses"][1:]))  # the lower, the less
    best = int(np.argmin(given["losses"]))
    drawn.slide("Learning rate", best)
    drawn.press("Nudge them all")
    assert drawn.says().endswith("So far, this is the best.")


def test_one_can_look_closely_and_start_again(piece):
    drawn = piece("training", "gradient")
    closely = drawn.element.get_by_role("button", name="Look 60 times as closely")
    assert len(heights(drawn)) == 60
    closely.press("Enter")
    expect(closely).to_have_attribute("aria-pressed", "true")
    assert 6 <= len(heights(drawn)) < 20  # the others are outside
    assert "far outside" in drawn.says()
    drawn.slide("Learning rate", 4)
    drawn.press("Nudge them all")
    drawn.press("Start again")
    expect(drawn.slider("Learning rate")).to_have_value("1")
    assert drawn.says() == "The loss is 3.003. Nudge, and all 121,422 numbers go along their arrows."
    assert drawn.element.locator("[data-try]").count() == 0

"""Slopes that a reader walks back: what a factor is answered with, right or wrong, and nudges that lower the loss."""

import pytest

SMALL = 0.01


def test_wrong_factors_are_tried_and_right_ones_walk_back(piece):
    walk = piece("training", "backwards")
    slopes = walk.element.locator("rect.grip + text")
    assert slopes.all_text_contents().count("?") == 4  # the loss has the slope 1
    w, x, b = 2, 3, -1
    r = x * w + b
    assert walk.says().startswith(f"The loss is {r**2}.")
    walk.press(f"r² = {r**2}")
    assert f"the loss is {(r + SMALL) ** 2:.4f} in place of {r**2}" in walk.says()
    assert f"about {2 * r} times 0.01" in walk.says()
    walk.press(f"2r = {2 * r}")
    walk.press(f"b = {b}".replace("-", "−"))
    assert f"r is {r + SMALL} in place of {r}" in walk.says()
    walk.press("1")
    walk.press(f"w = {w}")
    assert f"x·w is {x * (w + SMALL):.2f} in place of {x * w}" in walk.says()
    walk.press(f"x = {x}")
    assert "?" not in slopes.all_text_contents()
    assert sorted(map(float, slopes.all_text_contents())) == [1, 2 * r, 2 * r, 2 * r, x * 2 * r]
    assert walk.says().startswith(f"One walk gave both slopes: {x * 2 * r} for w and {2 * r} for b.")


def test_nudges_lower_the_loss_and_other_numbers_begin_a_new_walk(piece):
    walk = piece("training", "backwards")
    walk.slide("w", -1)
    walk.slide("b", 4)
    walk.slide("x", 2)
    for factor in ("2r = 4", "1", "x = 2"):
        walk.press(factor)
    w, x, b = -1.0, 2, 4.0
    for _ in range(3):
        before = (x * w + b) ** 2
        slope = 2 * (x * w + b)
        w, b = w - 0.02 * x * slope, b - 0.02 * slope
        walk.press("Nudge w and b")
        assert walk.numbers()[:2] == pytest.approx([before, (x * w + b) ** 2], abs=2e-3)
    assert walk.numbers()[1] < walk.numbers()[0]
    walk.slide("x", 0)  # w changes nothing now
    assert walk.says().startswith("The loss is")
    assert walk.element.locator("rect.grip + text").all_text_contents().count("?") == 4
    walk.press("Start again")
    assert walk.numbers()[0] == 25


def test_the_curve_of_the_training_begins_before_it(piece):
    growth = piece("training", "growth")
    growth.slide("Step", 0)
    assert growth.numbers()[-1] > 90  # per cent of the letters are wrong
    places = growth.element.locator("polyline").get_attribute("points").split()
    assert len(places) == 21
    assert float(places[0].split(",")[1]) == 10  # the highest point
    assert growth.element.locator("circle").get_attribute("cx") == places[0].split(",")[0]

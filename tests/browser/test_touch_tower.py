"""The piece of the lesson on the place of the norm: a letter on its way up two towers, as right angles."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect


@pytest.fixture
def tower(piece):
    return piece("norm_first", "tower")


def legs(tower):
    """Return the ends of the sums in each of the two figures, in units of the letter, as complex numbers."""
    drawn = tower.element.locator(".angles path.added").evaluate_all("all => all.map((one) => one.getAttribute('d'))")
    return [
        np.array([complex(float(x), -float(y)) for x, y in re.findall(r"([-\d.e+]+) ([-\d.e+]+)", path)])
        for path in drawn
    ]


def test_each_part_adds_a_leg_at_a_right_angle(tower):
    assert tower.says().startswith("After 1 of 24 parts: with a norm after each part the letter is 80 % as long")
    for parts in range(2, 8):
        tower.press("One part higher")
        assert tower.says().startswith(f"After {parts} of 24 parts")
        last, first = legs(tower)
        for sums, lengths in (
            (last, 1.25 ** np.arange(parts + 1)),
            (first, np.sqrt(1 + 0.5625 * np.arange(parts + 1))),
        ):
            np.testing.assert_allclose(np.abs(sums), lengths, rtol=1e-4)
            steps = np.diff(sums)
            np.testing.assert_allclose((sums[:-1].conj() * steps).real / np.abs(steps), 0, atol=1e-3)
        np.testing.assert_allclose(np.abs(np.diff(first)), 0.75, rtol=1e-3)
        shrunk = tower.element.locator(".turns").evaluate("one => parseFloat(one.style.transform.slice(6))")
        circle = float(tower.element.locator(".angles circle").get_attribute("r"))
        assert shrunk * abs(last[-1]) == pytest.approx(circle, rel=1e-3)  # the norm brings the sum back to size 1
    tower.press("To the top")
    assert "the letter is 0.47 % as long as the sum, and with one norm at the top 26 %." in tower.says()
    assert "letter 0.0047, sum 1.00" in tower.element.locator("svg.angles").text_content()
    expect(tower.element.get_by_role("button", name="One part higher")).to_be_disabled()


@pytest.mark.parametrize(("layers", "adds"), [(1, 0.75), (5, 0.5), (24, 0.15), (24, 1.5)])
def test_a_tower_leaves_what_the_formula_says(tower, layers, adds):
    tower.press("To the top")
    tower.slide("Layers", layers)  # whoever stands at the top stays there
    tower.slide("A part adds", adds)
    *_, last, first = tower.numbers()
    assert tower.says().startswith(f"After {2 * layers} of {2 * layers} parts")
    assert last == pytest.approx(100 * (1 + adds**2) ** -layers, abs=0.51)
    assert first == pytest.approx(100 * (1 + 2 * layers * adds**2) ** -0.5, abs=0.51)
    box = tower.element.locator("svg.angles").bounding_box()
    for path in tower.element.locator("path.added").all():
        drawn = path.bounding_box()
        assert drawn["x"] >= box["x"] - 1
        assert drawn["x"] + drawn["width"] <= box["x"] + box["width"] + 1  # nothing leaves the drawing
    tower.press("Start again")
    assert tower.says().startswith("After 1 of 24 parts")


def test_a_lower_tower_takes_the_reader_down_with_it(tower):
    for _ in range(11):
        tower.press("One part higher")
    tower.slide("Layers", 3)
    assert tower.says().startswith("After 6 of 6 parts")


def test_it_climbs_by_itself(tower):
    tower.slide("Layers", 3)
    tower.press("Climb")
    expect(tower.element.get_by_role("button", name="One part higher")).to_be_disabled(timeout=10_000)
    assert tower.says().startswith("After 6 of 6 parts")


def test_without_scripts_the_drawing_stands_there(visit):
    page = visit("/learn/norm_first/", java_script_enabled=False).page
    assert "letter 0.005, sum 1" in " ".join(page.locator("lesson-piece[piece=tower] svg text").all_text_contents())

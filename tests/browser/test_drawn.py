"""The drawing of attention on a lesson: its box takes away what is new, with and without scripts."""

import pytest

LESSONS = ["causal", "split_heads", "sinks"]
SEEN = "all => all.map((one) => getComputedStyle(one).opacity)"


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("lesson", LESSONS)
def test_the_box_takes_away_what_is_new(visit, lesson, scripts):
    page = visit(f"/learn/{lesson}/", java_script_enabled=scripts, reduced_motion="reduce").page
    drawings = page.locator(".drawn svg")
    assert drawings.evaluate_all(SEEN) == ["1", "0"]
    places = [drawings.nth(i).bounding_box() for i in range(2)]
    assert places[0] == places[1]  # one upon the other
    box = page.locator(".drawn input")
    box.focus()
    page.keyboard.press("Space")
    assert drawings.evaluate_all(SEEN) == ["0", "1"]
    page.locator(".drawn label").click()
    assert drawings.evaluate_all(SEEN) == ["1", "0"]

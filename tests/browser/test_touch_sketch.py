"""A curve that the reader draws: with the mouse and with the keyboard, kept, judged, and its fold opens."""

import json

import numpy as np
import pytest
from playwright.sync_api import expect

from .guesses import BEHIND, KEPT, SKETCHES


def told(element):
    return json.loads(element.locator("script").text_content())


def test_there_are_curves_to_draw():
    assert len(SKETCHES) > 1


@pytest.mark.parametrize("lesson", SKETCHES)
def test_each_curve_is_drawn_with_the_keyboard_and_its_fold_opens(turn_to, lesson):
    page = turn_to(f"/learn/{lesson}/").page
    element = page.locator("lesson-piece[piece=sketch]")
    assert element.count() == 1 == len(SKETCHES[lesson])
    state = told(element)
    assert state["name"] == SKETCHES[lesson][0]
    assert all(state["low"] <= y <= state["high"] for y in state["measured"])
    drawn = len(state["x"]) - 1
    sliders, button = element.get_by_role("slider"), element.get_by_role("button", name="That is my curve")
    assert sliders.count() == drawn
    for i in range(drawn):
        assert button.is_disabled()
        sliders.nth(i).focus()
        page.keyboard.press("Home")
    expect(element.locator("polyline")).to_have_count(1)  # nothing is told yet
    fold = element.evaluate_handle(BEHIND).as_element()
    assert not fold.evaluate("fold => fold.open")
    button.click()
    assert fold.evaluate("fold => fold.open")
    expect(element.locator("polyline")).to_have_count(2)
    far = max(state["measured"][1:]) - state["low"]
    shown = f"{far:,.1f}".removesuffix(".0") + state["unit"]
    expect(element.locator(".says")).to_contain_text(f"it was {shown}.")
    assert (state["below"] or "") in element.locator(".says").inner_text()
    kept = page.evaluate(KEPT)["bets"][state["name"]]
    assert [line["guess"] for line in kept["lines"]] == [state["low"]] * drawn
    assert [line["measured"] for line in kept["lines"]] == state["measured"][1:]


def test_one_stroke_of_the_mouse_draws_all_points(piece):
    made = piece(next(iter(SKETCHES)), "sketch")
    state, page = told(made.element), made.page
    plot = made.element.locator("rect[data-handle]")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 8, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 8, middle)
    page.mouse.up()
    values = [float(one.input_value()) for one in made.element.get_by_role("slider").all()]
    half = (state["low"] + state["high"]) / 2
    assert values == [pytest.approx(half, abs=state["step"])] * len(values)
    made.press("That is my curve")
    page.reload()
    expect(made.element.locator("polyline")).to_have_count(2)  # there is what was drawn before
    made.press("Draw again")
    expect(made.element.get_by_role("slider").first).to_have_attribute("aria-valuetext", "not drawn yet")


@pytest.mark.parametrize("lesson", SKETCHES)
def test_what_the_mouse_leaps_over_is_drawn_straight(piece, lesson):
    made = piece(lesson, "sketch")
    state, page = told(made.element), made.page
    plot = made.element.locator("rect[data-handle]")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    first, low, high = state["measured"][0], state["low"], state["high"]
    end = low if first > (low + high) / 2 else high  # the corner that is farther away
    page.mouse.click(box["x"] + box["width"] - 4, box["y"] + (2 if end == high else box["height"] - 2))
    values = [float(one.input_value()) for one in made.element.get_by_role("slider").all()]
    along = np.log(state["x"]) if state["log"] else np.array(state["x"])
    share = (along - along[0]) / (along[-1] - along[0])
    np.testing.assert_allclose(values, (first + share * (end - first))[1:], atol=state["step"])


def test_who_draws_what_was_measured_is_praised(piece):
    made = piece(next(iter(SKETCHES)), "sketch")
    state = told(made.element)
    for one, y in zip(made.element.get_by_role("slider").all(), state["measured"][1:], strict=True):
        one.fill(str(round(y / state["step"]) * state["step"]))
    made.press("That is my curve")
    expect(made.element.locator(".says")).to_contain_text("Well drawn")

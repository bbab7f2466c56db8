"""The piece of the map of the Transformer in which the j of three months parts, and is put into a text."""

import re

import pytest
from playwright.sync_api import expect

MONTHS = {"january": "01", "june": "06", "july": "07"}


def places(parting):
    """Return where the three dots stand, in the numbers of the drawing."""
    styles = parting.element.locator("g.turns").evaluate_all("all => all.map((one) => one.style.transform)")
    return [tuple(float(x) for x in re.findall(r"-?[\d.]+", style)) for style in styles]


def test_three_js_are_one_point_until_they_look_around(piece):
    parting = piece("recap", "parting")
    for step in range(1, 7):
        parting.slide("Step", step)
        assert len(set(places(parting))) == (1 if step < 3 else 3)
        assert parting.element.locator("polygon").count() == (3 if step in (3, 5) else 0)  # the arrows of what is added
    assert "machine writes" not in parting.says()  # a reader has to guess first
    assert "??" in parting.element.locator("svg").text_content()


@pytest.mark.parametrize("month", MONTHS)
def test_a_j_brings_its_month_along_from_where_it_has_looked_around(piece, month):
    parting = piece("recap", "parting")
    button = parting.element.get_by_role("button", name=month, exact=True)
    button.focus()
    parting.page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    for step in range(1, 7):
        parting.slide("Step", step)
        written = f"1955-{MONTHS[month] if step > 2 else '06'}-05"
        assert parting.says().endswith(f"With the j of {month} the machine writes {written}.")
        assert parting.element.locator("svg > text").last.text_content() == written
    assert parting.element.locator("g.drops").count() == 1
    parting.press("Start again")
    assert parting.element.locator("g.drops").count() == 0


def test_a_dot_can_be_pressed(piece):
    parting = piece("recap", "parting")
    parting.slide("Step", 6)
    parting.element.locator("g.turns .text").nth(2).click()
    assert "With the j of july the machine writes 1955-07-05." in parting.says()


def test_they_walk_to_the_end_by_themselves(piece):
    parting = piece("recap", "parting")
    parting.press("Let them walk")
    expect(parting.slider("Step")).to_have_value("6", timeout=15_000)
    expect(parting.element.get_by_role("button", name="Let them walk")).to_be_visible()

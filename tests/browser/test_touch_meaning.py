"""The piece of the first lesson in which the 3s of many dates part by what they mean."""

import re

import pytest
from playwright.sync_api import expect

STEPS = ["table", "+ place", "+ encoder"]


@pytest.fixture
def meaning(piece):
    return piece("reading_dates", "meaning")


def places(meaning):
    """Return where the 3s stand in the drawing, by their colour: those of days, of months and of years."""
    script = "all => all.map(one => [one.classList[0], one.style.transform])"
    found = {"q": [], "k": [], "v": []}
    for kind, transform in meaning.element.locator("g[data-do=choose]").evaluate_all(script):
        found[kind].append(tuple(float(x) for x in re.findall(r"-?[\d.]+", transform)))
    return found


def strips(meaning):
    """Return the bars of the two dates that the page names."""
    bars = meaning.element.locator("svg[role=img] > rect").evaluate_all(
        "all => all.map(one => one.getAttribute('height'))"
    )
    return bars[:64], bars[64:]


def test_all_3s_are_one_point_until_they_have_looked_around(meaning):
    assert {len(kind) for kind in places(meaning).values()} == {40, 41}
    for step in STEPS:
        meaning.press(step)
        expect(meaning.element.get_by_role("button", name=step)).to_have_attribute("aria-pressed", "true")
        days, months, years = (set(kind) for kind in places(meaning).values())
        assert (len(days | months | years) == 1) == (step == "table")
        assert bool(days & months) == (step != "+ encoder")
        one, other = strips(meaning)
        assert len(one) == len(other) == 64
        assert (one == other) == (step == "table")
        assert meaning.element.get_by_text("months", exact=True).is_visible() == (step == "+ encoder")


def test_days_months_and_years_lie_where_their_names_stand(meaning):
    meaning.press("+ encoder")
    days, months, years = places(meaning).values()
    assert max(x for x, _ in days + months) < min(x for x, _ in years)
    assert max(y for _, y in months) < min(y for _, y in days)
    assert "the nearest neighbour of each 3 is a 3 of its own kind" in meaning.says()


def test_a_point_tells_its_date(meaning):
    meaning.press("+ encoder")
    button = meaning.element.get_by_role("button", name="Another date")
    button.focus()
    for kind in ("day", "month", "year"):
        meaning.page.keyboard.press("Enter")
        assert re.fullmatch(rf"In “.*3.*” the 3 belongs to the {kind}\.", meaning.says())
    meaning.element.locator("g[data-do=choose].k").last.click()
    assert meaning.says().endswith("the 3 belongs to the month.")
    meaning.press("table")
    assert meaning.says() == "Every 3 has the same row, so all are one point."

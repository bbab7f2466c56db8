"""The piece of the lesson on the layer: a digit climbs an untrained tower, and bursts where there are no norms."""

import json
import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def bursting(piece):
    bursting = piece("transformer_layer", "bursting")
    assert bursting.says() == "Without norms. Before the layers. No layer has looked yet."
    return bursting


def told(bursting, norm):
    return json.loads(bursting.element.locator("script").text_content())["towers"][str(norm)]


def heights(bursting):
    return bursting.element.locator(".rises").evaluate_all("all => all.map((one) => +one.style.transform.slice(7, -1))")


def radius(bursting):
    return bursting.element.locator(".disc").evaluate("one => +one.style.transform.match(/scale\\((.+)\\)/)[1]")


@pytest.mark.parametrize("norm", [0, 1])
def test_the_disc_and_the_bars_are_what_was_measured(bursting, norm):
    if norm:
        bursting.element.get_by_label("norms", exact=True).press("Space")
    found = told(bursting, norm)
    assert "No layer has looked yet." in bursting.says()
    assert heights(bursting) == [0] * 8
    for layer in range(1, 7):
        bursting.press("One layer higher")
        times = found["sizes"][layer] / found["sizes"][0]
        assert radius(bursting) == pytest.approx(6 * times, abs=0.01)
        assert heights(bursting) == pytest.approx(found["weights"][layer - 1], abs=0.006)
        assert bursting.says().startswith(f"{'With' if norm else 'Without'} norms. After layer {layer} ")
        largest = re.search(r"There the 6 gave (?:over )?(\d+) % of its weight to one digit\.$", bursting.says())
        assert int(largest[1]) == pytest.approx(100 * max(found["weights"][layer - 1]), abs=1)
    expect(bursting.element.get_by_role("button", name="One layer higher")).to_be_disabled()
    assert ("18 % of its weight" if norm else "13 times as large") in bursting.says()


def test_the_tick_works_at_any_height_and_stays(bursting):
    for _ in range(6):
        bursting.press("One layer higher")
    assert radius(bursting) > 70
    frame, disc = (bursting.element.locator(part).bounding_box() for part in ("svg.burst", ".disc"))
    assert disc["y"] > frame["y"] - 1  # all of it can be seen
    assert disc["x"] > frame["x"] + frame["width"] * 24 / 440 - 1
    bursting.element.get_by_label("norms", exact=True).check()
    assert radius(bursting) < 6
    bursting.press("Start again")
    assert bursting.says() == "With norms. Before the layers. No layer has looked yet."


def test_it_climbs_by_itself(bursting):
    bursting.press("Climb")
    expect(bursting.element.get_by_role("button", name="One layer higher")).to_be_disabled(timeout=10_000)
    assert "After layer 6" in bursting.says()


def test_without_scripts_a_table_stands_there(visit):
    page = visit("/learn/transformer_layer/", java_script_enabled=False).page
    assert page.locator("lesson-piece[piece=bursting] tbody tr").count() == 4

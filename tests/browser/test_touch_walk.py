"""The walk of a letter through the Transformer: one step at a time, on a map."""

import re

from playwright.sync_api import expect


def test_a_letter_climbs_the_map_step_by_step(piece):
    walk = piece("recap", "journey")
    stop, stops = walk.element.locator(".stop"), walk.element.locator(".stops button")
    seen = []
    for step in range(1, 7):
        walk.slide("Step", step)
        assert stop.locator(".title").inner_text().startswith(f"{step}. ")
        assert stop.locator("svg[role=img]").count() == 2
        seen.append(stop.locator(".large").inner_text())
        assert walk.element.locator(".stops small").all_inner_texts()[:step] == seen
        expect(stops.nth(step - 1)).to_have_attribute("aria-pressed", "true")
    assert float(seen[0]) > 0.99
    assert float(seen[-1]) < 0.2
    stops.nth(2).focus()
    walk.page.keyboard.press("Enter")
    expect(walk.slider("Step")).to_have_value("3")
    assert walk.element.locator(".stops small").all_inner_texts()[3:] == [""] * 3


def test_the_walk_goes_on_by_itself_and_can_be_read_as_a_list(piece):
    walk = piece("recap", "journey")
    walk.press("Walk")
    expect(walk.slider("Step")).to_have_value("6", timeout=10_000)
    expect(walk.element.get_by_role("button", name="Walk")).to_be_visible()
    walk.element.get_by_text("All steps below each other").click()
    stations = walk.element.locator(".station")
    expect(stations.first).to_be_visible()
    assert stations.last.inner_text().endswith(f"Similarity {walk.element.locator('.large').inner_text()}.")


def test_no_step_speaks_of_a_letter_that_was_not_chosen(visit):
    page = visit("/learn/recap/").page
    journeys = page.locator("lesson-piece[piece=journey]")
    assert journeys.count() == 2
    for journey in journeys.all():
        assert not re.search(r"\bour\b", " ".join(journey.locator(".station").all_text_contents()), re.IGNORECASE)

"""Pieces that go on by themselves: a query that turns, and two places that walk through the text."""

import pytest
from playwright.sync_api import expect


def test_a_query_turns_by_itself_until_it_has_come_round(piece):
    arrows = piece("attention", "arrows")
    angle = arrows.slider("Turn the query")
    angle.fill("330")
    arrows.press("Let it turn")
    expect(angle).to_have_value("0")
    arrows.press("Let it turn")  # it stands still where it has come round, and begins again
    expect(angle).not_to_have_value("0")
    arrows.press("Stop")
    before = angle.input_value()
    arrows.page.wait_for_timeout(700)
    assert angle.input_value() == before


def test_two_places_walk_and_their_dot_product_stands_still(piece):
    dials = piece("positions", "dials")
    query, key = (dials.slider(f"Place of the {who}") for who in ("query", "key"))
    key.fill("58")
    query.fill("50")
    said = dials.says()
    dials.press("Let both walk")
    expect(key).to_have_value("60")
    assert query.input_value() == "52"
    assert dials.says() == said
    dials.press("Let both walk")  # they stand still at the end, and begin again
    expect(key).not_to_have_value("60")
    assert dials.says() == said
    query.fill("3")  # whoever moves something stops it
    before = key.input_value()
    dials.page.wait_for_timeout(700)
    assert (query.input_value(), key.input_value()) == ("3", before)


@pytest.mark.parametrize(
    ("lesson", "kind", "label"), [("attention", "arrows", "Let it turn"), ("positions", "dials", "Let both walk")]
)
def test_nothing_moves_where_the_reader_wants_no_motion(visit, lesson, kind, label):
    still = visit(f"/learn/{lesson}/", reduced_motion="reduce").page.locator(f"lesson-piece[piece={kind}]")
    expect(still.get_by_role("slider").first).to_be_visible()
    assert still.get_by_role("button", name=label).count() == 0

"""Pieces of the lesson on positions: dates with the same letters, and clocks under the letters of a text."""

from collections import defaultdict
from datetime import date, timedelta

import numpy as np
import pytest

BAGS = defaultdict(list)
for n in range(36525):
    text = f"{date(1950, 1, 1) + timedelta(days=n):%d.%m.%Y}"
    BAGS["".join(sorted(text))].append(text)


@pytest.mark.parametrize("typed", ["22.12.1960", "29.02.2024", "01.01.1950", "31.12.2049"])
def test_another_date_has_the_same_letters(piece, typed):
    bags = piece("positions", "bags")
    bags.element.get_by_role("textbox").fill(typed)
    both = BAGS["".join(sorted(typed))]
    others = [each for each in both if each != typed]
    assert bags.says().startswith(f"{typed} and {others[0]}: two dates, one bag.")
    assert f"{len(both)} dates" in bags.says()
    seen = {others[0]}
    for _ in others[1:]:
        bags.press("Another date")
        seen.add(bags.says()[15:25])
    assert seen == {*others}


def test_a_date_can_be_alone_in_its_bag(piece):
    bags = piece("positions", "bags")
    assert bags.says().startswith("22.12.1960 and 20.12.1962")
    bags.press("22.02.2022")
    assert bags.says().startswith("22.02.2022 is alone")
    assert bags.element.get_by_role("button", name="Another date").is_disabled()


@pytest.mark.parametrize("typed", ["", "22.12.196", "31.02.1960", "22.12.1949", "hello", "<b>.12.1960"])
def test_what_is_no_date_is_refused(piece, typed):
    bags = piece("positions", "bags")
    bags.element.get_by_role("textbox").fill(typed)
    assert bags.says().startswith("Type a day")
    assert bags.element.locator("svg").count() == 0


def test_in_their_bags_the_two_mirror_each_other(piece):
    bags = piece("positions", "bags")
    bags.press("Both into their bags")
    places = "tiles => tiles.map(t => [t.textContent.trim(), ...t.style.transform.match(/[\\d.]+/g).map(Number)])"
    upper, lower = (bags.element.locator(f"svg g.{kind}").evaluate_all(places) for kind in "qk")
    line = min(y for *_, y in lower) - 3
    mirrored = sorted([sign, x, 2 * line - y - 20] for sign, x, y in lower)
    heap = sorted([sign, x, y] for sign, x, y in upper)
    assert [each[:2] for each in mirrored] == [each[:2] for each in heap]
    assert "".join(sorted(sign for sign, *_ in upper)) == "..01122269"
    bags.press("Out of the bags")


def test_the_same_letter_has_other_clocks_at_each_place(piece):
    clocks = piece("positions", "clocks")
    assert "stands at places 0, 1 and 4" in clocks.says()
    clocks.slide("Push it to the right", 20)
    assert "stands at places 20, 21 and 24" in clocks.says()
    turns = "hands => hands.map(hand => parseFloat(hand.style.transform.slice(7)))"
    found = np.reshape(clocks.element.locator("svg g.turns").evaluate_all(turns), (10, 3))
    expected = -np.degrees((20 + np.arange(10))[:, None] * [1, 0.1, 0.01])  # anticlockwise
    np.testing.assert_allclose(found, expected, atol=0.01)
    end = "({x1, x2, y1, y2}) => [x2.baseVal.value - x1.baseVal.value, y2.baseVal.value - y1.baseVal.value]"
    ends = f"lines => lines.map({end})"
    for right, down in clocks.element.locator("svg g.turns line").evaluate_all(ends):
        assert right > 5 > 0 == down  # from 3 o'clock
    clocks.slide("Letter", 7)
    assert clocks.says().startswith("“9” stands at place 27.")
    clocks.element.get_by_role("textbox").fill("may 5")
    assert clocks.says().startswith("“5” stands at place 24.")
    clocks.element.get_by_role("textbox").fill("")
    assert clocks.says() == "Type a text."

"""A piece of the lesson on attention: a hill of a thousand sums of coins, and how wide it is."""

import re

import numpy as np
import pytest

ROOTS = range(4, 17)


def hill(coins):
    """Return each sum of the hill as often as it was tossed."""
    bars = coins.element.locator(".bar").evaluate_all("all => all.map(({ dataset }) => [+dataset.sum, +dataset.count])")
    return np.repeat(*np.transpose(bars))


@pytest.fixture
def coins(piece):
    return piece("attention", "coins")


def test_a_toss_is_the_sum_of_its_coins(coins):
    for count in range(1, 4):
        full = coins.element.locator(".coin:not(.tails)").count()
        empty = coins.element.locator(".coin.tails").count()
        assert full + empty == 64
        assert re.sub(r"\s+", " ", coins.says()) == (
            f"This toss has {full} × (+1) and {empty} × (-1), so its sum is {full - empty}."
        )
        assert len(hill(coins)) == count
        assert full - empty in hill(coins)
        coins.press("Toss once more")


@pytest.mark.parametrize("root", ROOTS)
def test_three_of_four_sums_lie_within_the_root(coins, root):
    coins.slide("Coins", root)
    coins.press("Toss 1,000 times")
    assert coins.element.locator(".coin").count() == root**2
    sums = hill(coins)
    assert len(sums) > 990  # a few may lie outside the picture
    assert np.mean(sums**2) == pytest.approx(root**2, rel=0.15)
    within = int(np.sum(np.abs(sums) <= root))
    assert 660 < within < 830
    assert coins.says().endswith(f"Of the 1,000 sums {within} lie within ±{root}.")
    lit = coins.element.locator(".bar.within").evaluate_all("all => all.map(({ dataset }) => +dataset.count)")
    assert sum(lit) == within


def test_the_left_mark_is_negative_on_both_sides(coins):
    marks = coins.element.locator(".edge text")
    assert marks.all_text_contents() == ["−√64 = −8", "√64 = 8"]
    coins.element.get_by_label("divide each sum by the root").check()
    assert marks.all_text_contents() == ["−1", "1"]


def test_divided_the_hill_stands_where_it_stood(coins):
    coins.press("Toss 1,000 times")
    coins.element.get_by_label("divide each sum by the root").check()
    where = "all => all.map((one) => one.style.transform)"
    edges = coins.element.locator(".edge").evaluate_all(where)
    for root in ROOTS:
        coins.slide("Coins", root)
        assert coins.element.locator(".edge").evaluate_all(where) == edges
    assert coins.says().endswith("lie within ±1.")
    before = hill(coins).tolist()
    coins.press("Toss 1,000 times")  # anew
    assert hill(coins).tolist() != before


def test_without_scripts_three_shares_stand_there(visit):
    page = visit("/learn/attention/", java_script_enabled=False).page
    rows = page.locator("lesson-piece[piece=coins] tbody tr").all_inner_texts()
    assert [row.split("\t") for row in rows] == [["16", "4", "79 %"], ["64", "8", "74 %"], ["256", "16", "71 %"]]

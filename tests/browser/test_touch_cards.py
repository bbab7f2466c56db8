"""Pieces of the lesson on rules of scores: steps as cards in every order, and a price for each place of distance."""

import itertools

import numpy as np
import pytest

import trained
from clear_attention import date_tokenizers

FUTURE = np.triu(np.ones((11, 11), bool), k=1)


@pytest.fixture(scope="module")
def products():
    """Return what the second head's queries and keys give, not yet divided."""
    model, _ = trained.load("dates")
    _, target = date_tokenizers()
    x = model.target_positions(model.embed_target(target.encode(["2018-05-03"])[:, :-1]) * 8.0)
    looking = model.decoder.layers[0].self_attention.attention
    q, k = (
        project(x)[0].numpy().reshape(11, 4, 16)[:, 1] for project in (looking.project_queries, looking.project_keys)
    )
    return q @ k.T


def after(scores, order, cap):
    """Return the scores after steps in this order, and the weights."""
    steps = {
        "÷ 4": lambda x: x / 4,
        f"cap {cap}": lambda x: cap * np.tanh(x / cap),
        "mask": lambda x: np.where(FUTURE, -np.inf, x),
    }
    passed = [scores]
    for name in order:
        passed.append(steps[name](passed[-1]))
    powers = np.exp(passed[-1])
    return passed, powers / powers.sum(axis=-1, keepdims=True)


def opacities(element):
    """Return how strong each cell is drawn, NaN where it is hatched."""
    cells = element.locator("svg rect:not(.axis)").evaluate_all("all => all.map(cell => cell.style.fillOpacity)")
    return np.reshape([float(x) if x else np.nan for x in cells], (11, 11))


def read(text):
    return float(text.replace("−", "-").replace("∞", "inf").removesuffix(" %"))


def test_each_order_of_the_cards_leaves_the_weights_that_it_should(piece, products):
    cards = piece("score_rules", "cards")
    names = cards.element.locator(".card:not(.last)")
    assert names.all_inner_texts() == ["÷ 4", "mask", "cap 2"]  # the wrong order
    seen = set()
    for swap in itertools.cycle((1, 0)):
        order = tuple(names.all_inner_texts())
        if order in seen:
            break
        seen.add(order)
        passed, weights = after(products, order, 2)
        for key in (0, 1):
            line = cards.element.locator(".box tbody tr").nth(key).locator("td").all_inner_texts()
            shown = [read(text) for text in line if text]
            np.testing.assert_allclose(shown[:4], [scores[0, key] for scores in passed], atol=0.0051)
            assert shown[4] == pytest.approx(100 * weights[0, key], abs=0.51)
        wanted = np.where(FUTURE & (weights == 0), np.nan, np.sqrt(weights))
        np.testing.assert_allclose(opacities(cards.element), wanted, atol=0.011)
        early = order.index("mask") < order.index("cap 2")
        mended = order == ("÷ 4", "cap 2", "mask")
        assert cards.says().startswith("Mended!") == mended
        assert ("come back with a score of -2" in cards.says()) == (early and len(seen) > 1)  # not before a swap
        if early:
            assert f"gives {100 * weights[0, 1:].sum():.0f} % of its weight" in cards.says()
        elif not mended:
            _, right = after(products, ("÷ 4", "cap 2", "mask"), 2)
            told = f"gives itself {100 * weights[5, 5]:.0f} % and not {100 * right[5, 5]:.0f} %."
            assert cards.says().endswith(told)
        button = cards.element.get_by_role("button", name=f"Swap {order[swap]} and {order[swap + 1]}", exact=True)
        button.focus()
        cards.page.keyboard.press("Enter")
    assert len(seen) == 6


def test_a_larger_cap_hides_the_mistake(piece, products):
    cards = piece("score_rules", "cards")
    for place, cap in enumerate((1, 2, 3, 4, 5, 7, 10, 20)):
        cards.slide("Cap", place)
        _, weights = after(products, ("÷ 4", "mask", f"cap {cap}"), cap)
        share = 100 * weights[0, 1:].sum()
        told = "under 1 %" if share < 0.5 else f"{share:.0f} %"
        assert f"The start mark gives {told} of its weight" in cards.says()
    cards.press("Start again")
    assert "83 % of its weight" in cards.says()


def test_the_map_becomes_a_band_as_the_price_rises(piece, products):
    price = piece("score_rules", "price")
    away = np.subtract.outer(np.arange(11), np.arange(11))
    for each in (0, 0.5, 1.3, 2):
        price.slide("Price of a place", each)
        powers = np.exp(np.where(FUTURE, -np.inf, products / 4 - each * away))
        weights = powers / powers.sum(axis=-1, keepdims=True)
        wanted = np.where(FUTURE, np.nan, np.sqrt(weights))
        np.testing.assert_allclose(opacities(price.element.locator(".map").last), wanted, atol=0.011)
        near = (np.trace(weights) + np.trace(weights, offset=-1)) / 11
        *told, share = price.numbers()
        assert told == pytest.approx([each, 10 * each, 10], abs=1e-9)
        assert share == pytest.approx(100 * near, abs=0.51)

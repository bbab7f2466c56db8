"""Pieces of the lesson on rules of scores: steps as cards in every order, three of them, then four, then five."""

import itertools
import re

import numpy as np
import pytest

import trained
from clear_attention import date_tokenizers

FUTURE = np.triu(np.ones((11, 11), bool), k=1)
APART = np.abs(np.subtract.outer(np.arange(11), np.arange(11)))
SINK = 1  # its score
ZEROS = [2, 6, 9]


@pytest.fixture(scope="module")
def products():
    """Return what the second head's queries and keys give, not yet divided: with the places of letters, and without."""
    model, _ = trained.load("dates")
    _, target = date_tokenizers()
    x = model.embed_target(target.encode(["2018-05-03"])[:, :-1]) * 8.0
    looking = model.decoder.layers[0].self_attention.attention
    found = []
    for each in (model.target_positions(x), x):
        q, k = (
            project(each)[0].numpy().reshape(11, 4, 16)[:, 1]
            for project in (looking.project_queries, looking.project_keys)
        )
        found.append(q @ k.T)
    return found


def after(scores, order, cap=2, price=0.5):
    """Return the scores after steps in this order, and the weights; a sink is a column more."""
    letters = slice(0, 11)
    passed = [scores]
    for name in order:
        x = passed[-1].copy()
        if name == "÷ 4":
            x = x / 4
        elif name == f"cap {cap}":
            x = cap * np.tanh(x / cap)
        elif name == "bias":
            x[:, letters] -= price * APART
        elif name == "mask":
            x[:, letters][FUTURE] = -np.inf
        else:
            assert name == "sink"
            x = np.hstack([x, np.full((11, 1), float(SINK))])
        passed.append(x)
    powers = np.exp(passed[-1])
    return passed, powers / powers.sum(axis=-1, keepdims=True)


def opacities(element):
    """Return how strong each cell is drawn, NaN where it is hatched."""
    cells = element.locator("svg rect:not(.axis)").evaluate_all("all => all.map(cell => cell.style.fillOpacity)")
    return np.reshape([float(x) if x else np.nan for x in cells], (11, -1))


def read(text):
    return float(text.replace("−", "-").replace("∞", "inf").replace("under 1", "0").removesuffix(" %"))


def shows(cards, row, keys, passed, weights):
    """Check the numbers beside the cards, of which a sink has none before its card, and the map."""
    lines = cards.element.locator(".box tbody tr").all()
    assert len(lines) == len(passed) + 1
    columns = cards.element.locator(".box tbody tr").evaluate_all(
        "all => all.map(line => [...line.querySelectorAll('td')].slice(1).map(cell => cell.textContent))"
    )
    for shown, scores in zip(columns, passed, strict=False):
        expected = [scores[row, key] if key < scores.shape[1] else None for key in keys]
        assert [text == "" for text in shown] == [x is None for x in expected]
        np.testing.assert_allclose(
            [read(text) for text in shown if text], [x for x in expected if x is not None], atol=0.0101
        )
    np.testing.assert_allclose([read(text) for text in columns[-1]], 100 * weights[row, keys], atol=0.52)
    future = np.pad(FUTURE, [(0, 0), (0, weights.shape[1] - 11)])
    wanted = np.where(future & (weights == 0), np.nan, np.sqrt(weights))
    np.testing.assert_allclose(opacities(cards.element), wanted, atol=0.011)


def dealt(cards):
    return tuple(cards.element.locator(".card:not(.last)").all_inner_texts())


def swap(cards, order, place):
    button = cards.element.get_by_role("button", name=f"Swap {order[place]} and {order[place + 1]}", exact=True)
    button.focus()
    cards.page.keyboard.press("Enter")


def undone(cards):
    return set(cards.element.locator(".card.undone").all_inner_texts())


def walk(length):
    """Return places whose swaps lead through every order of the cards, each of them once."""
    orders = [()]
    for card in range(length):
        orders = [
            (*order[:place], card, *order[place:])
            for n, order in enumerate(orders)
            for place in (range(card, -1, -1) if n % 2 == 0 else range(card + 1))
        ]
    return [next(i for i in range(length) if one[i] != other[i]) for one, other in itertools.pairwise(orders)]


def numbered(piece, number):
    cards = piece("score_rules", "cards")
    cards.element = cards.page.locator("lesson-piece[piece=cards]").nth(number)
    cards.element.scroll_into_view_if_needed()
    return cards


def test_each_order_of_three_cards_leaves_the_weights_that_it_should(piece, products):
    cards = numbered(piece, 0)
    assert dealt(cards) == ("÷ 4", "cap 2", "mask")  # the right order
    seen = set()
    for place in [*walk(3), 0]:
        order = dealt(cards)
        seen.add(order)
        passed, weights = after(products[0], order)
        shows(cards, 0, [0, 1], passed, weights)
        early = order.index("mask") < order.index("cap 2")
        late = order.index("÷ 4") > order.index("cap 2")
        assert undone(cards) == {name for name, is_so in (("mask", early), ("cap 2", late)) if is_so}
        assert cards.says().startswith(f"{3 - early - late} of 3 cards" if early or late else "All 3 cards")
        told = f"The start mark gives {100 * weights[0, 1:].sum():.0f} % of its weight to letters that come later."
        assert (told in cards.says()) == early
        assert ("Orange is weight" in cards.element.locator(".hint").inner_text()) == early
        assert ("between" in cards.says() or "to -0.5" in cards.says()) == late
        swap(cards, order, place)
    assert len(seen) == 6


def test_a_larger_cap_hides_the_mistake(piece, products):
    cards = numbered(piece, 0)
    swap(cards, dealt(cards), 1)
    assert "83 % of its weight" in cards.says()
    for place, cap in enumerate((1, 2, 3, 4, 5, 7, 10, 20)):
        cards.slide("Cap", place)
        _, weights = after(products[0], ("÷ 4", "mask", f"cap {cap}"), cap)
        share = 100 * weights[0, 1:].sum()
        digits = -int(f"{share:.0e}".split("e")[1]) if share < 0.5 else 0  # so many that one is not 0
        told = f"{share:.{digits}f} %"
        assert f"The start mark gives {told} of its weight" in cards.says()
    cards.press("Start again")
    assert cards.says() == "All 3 cards do their work."


def test_a_price_parts_what_fits_equally_well(piece, products):
    cards = numbered(piece, 1)
    order = ("÷ 4", "cap 2", "bias", "mask")
    for each in (0, 0.5, 1.3, 2):
        cards.slide("Price of a place", each)
        passed, weights = after(products[1], order, price=each)
        shows(cards, 10, ZEROS, passed, weights)
        told = re.search(r"The 3 at the end gives these 0s (.+), (.+) and (.+) of its weight\.", cards.says()).groups()
        assert [read(share) for share in told] == pytest.approx(100 * weights[10, ZEROS], abs=0.52)
    for place in (1, 0):  # the bias before the cap, and then before the division
        swap(cards, dealt(cards), place)
        (*_, scores), _ = after(products[1], dealt(cards), price=2)
        assert undone(cards) == {"bias"}
        parted = scores[10, 6] - scores[10, 2]
        told = "The price, 2.0 a place, should part the first two columns, 4 places apart, by 8.00, and parts them by"
        assert f"{told} {parted:.2f}." in cards.says()


def test_of_120_orders_six_are_right(piece, products):
    cards = numbered(piece, 2)
    names = ("÷ 4", "cap 2", "bias", "mask", "sink")
    _, right = after(products[1], names)
    seen, found = set(), 0
    for place in [*walk(5), 0]:
        order = dealt(cards)
        seen.add(order)
        passed, weights = after(products[1], order)
        is_right = np.allclose(weights, right, atol=1e-6)
        found += is_right
        assert (undone(cards) == set()) == is_right
        assert cards.says().startswith("All 5 cards do their work.") == is_right
        if is_right:
            assert cards.says().endswith(f"Such orders that you found: {found}.")
        if len(seen) % 10 == 1 or is_right:
            shows(cards, 6, [2, 6, 9, 11], passed, weights)
        ahead = 100 * weights[6, 7:11].sum()
        assert (f"gives {ahead:.0f} % of its weight to letters that come later." in cards.says()) == (ahead > 0)
        sink = passed[-1][6, 11]
        assert (f"score of 1, and has {sink:.2f}." in cards.says()) == (sink != 1)
        swap(cards, order, place)
    assert (len(seen), found) == (120, 6)
    cards.press("Start again")
    assert cards.says().startswith("2 of 5 cards do their work.")

"""The pieces of "A softmax in pieces": a row that comes in pieces, and pieces that are merged in any order."""

import itertools

import numpy as np
import pytest

SCORES, VALUES = np.array([1.0, 3, 2, 6]), np.array([10.0, 20, 30, 40])


def test_two_sums_are_carried_on_and_mended_by_a_larger_score(piece):
    mending = piece("online_softmax", "mending")
    mending.slide("Pieces read", 1)
    assert mending.says() == "The first piece begins both sums. So far the output would be 18.81."
    assert "sum of the powers 1.1353 · powers times values 21.3534" in mending.element.locator(".box").inner_text()
    mending.slide("Pieces read", 2)
    assert "0.049787" in mending.says()
    assert mending.says().endswith("At the end 41.6126 / 1.0748 = 38.72 is the output.")


def test_nothing_is_mended_where_no_larger_score_comes(piece):
    mending = piece("online_softmax", "mending")
    mending.slide("Last score", 2)
    mending.slide("Pieces read", 2)
    assert mending.says().startswith("No larger score has come, so nothing is mended")
    mending.slide("Last score", 6)
    mending.slide("Keys in a piece", 1)
    mending.slide("Pieces read", 4)
    assert mending.says().endswith("= 38.72 is the output.")  # pieces of any size give the same


def said_of(kept):
    """Return what the piece of these keys is called for those who hear it, computed from its scores at once."""
    s, v = SCORES[kept], VALUES[kept]
    powers = np.exp(s - s.max())
    listed = (", ".join(f"{x:g}" for x in numbers) for numbers in (s, v))
    return "scores {}, values {}: largest {:g}, sums {:.4f} and {:.4f}".format(
        *listed, s.max(), powers.sum(), powers @ v
    )


@pytest.mark.parametrize("tree", [False, True])
def test_pieces_merged_in_any_order_end_at_the_same_output(piece, tree):
    merging = piece("online_softmax", "merging")
    buttons = merging.element.get_by_role("group", name="Pieces to merge").get_by_role("button")
    for order in itertools.permutations(range(4)):
        merging.press("Start again")
        left = [[i] for i in range(4)]
        for pair in [order[:2], order[2:], order[::2]] if tree else itertools.pairwise(order):
            one, other = (next(i for i, kept in enumerate(left) if key in kept) for key in pair)
            buttons.nth(one).click()
            assert merging.says() == "Press another one."
            buttons.nth(other).click()
            low, high = sorted(SCORES[left[i]].max() for i in (one, other))
            assert f"What was measured from {low:g} is mended: times e{low:g} - {high:g}" in merging.says()
            assert f"= {np.exp(low - high):.4f}." in merging.says()
            left[one] += left[other]
            del left[other]
            one -= other < one
            shown = buttons.locator("svg").evaluate_all("all => all.map(svg => svg.getAttribute('aria-label'))")
            assert shown == [said_of(kept) for kept in left]
            high = buttons.nth(one).locator("rect").evaluate_all("all => all.map(bar => bar.height.baseVal.value)")
            powers = np.exp(SCORES[left[one]] - SCORES[left[one]].max())
            np.testing.assert_allclose(high, np.maximum(40 * powers, 1), atol=0.01)
        assert merging.says().endswith("One is left, and 41.6126 / 1.0748 = 38.72.")
        assert buttons.count() == 1


def test_a_piece_that_was_pressed_can_be_let_go(piece):
    merging = piece("online_softmax", "merging")
    first = merging.element.get_by_role("group", name="Pieces to merge").get_by_role("button").first
    first.click()
    assert first.get_attribute("aria-pressed") == "true"
    first.click()
    assert first.get_attribute("aria-pressed") == "false"
    assert merging.says() == "Press two pieces."

"""The piece of "A softmax in pieces": a row that comes in pieces, and two sums that a larger score mends."""


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

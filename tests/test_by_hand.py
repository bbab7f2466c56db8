"""The definition is checked with a pencil: it is what everything else is checked against."""

import math

import pytest

from clear_attention import attention_by_hand


def test_equal_scores_give_equal_weights():
    output, weights = attention_by_hand([[0.0]], [[1.0], [2.0], [3.0], [4.0]], [[4.0], [8.0], [12.0], [0.0]])
    assert weights == [[0.25] * 4]
    assert output == [[6.0]]


def test_weights_are_the_softmax_of_the_scaled_scores():
    # scores 2 * ln(3) / sqrt(4) = ln(3) and 0, so the weights are 3/4 and 1/4
    output, weights = attention_by_hand([[2.0, 0, 0, 0]], [[math.log(3), 0, 0, 0], [0.0] * 4], [[8.0], [4.0]])
    assert weights[0] == pytest.approx([0.75, 0.25], rel=1e-15)
    assert output[0] == pytest.approx([7.0], rel=1e-15)


def test_each_query_has_its_own_row_and_d_v_is_free():
    q, k, v = [[0.0, 0], [0.0, 0]], [[1.0, 2], [3.0, 4], [5.0, 6]], [[1.0, 0, 0, 9], [0.0, 1, 0, 9], [0.0, 0, 1, 9]]
    output, weights = attention_by_hand(q, k, v, mask=[[0, 1, 1], [1, 0, 0]])
    assert weights == [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]
    assert output == [[1.0, 0.0, 0.0, 9.0], [0.0, 0.5, 0.5, 9.0]]


def test_the_scale_is_the_root_of_the_depth():
    (row,) = attention_by_hand([[1.0] * 9], [[1.0] * 9, [0.0] * 9], [[0.0], [0.0]])[1]
    assert math.log(row[0] / row[1]) == pytest.approx(3.0)


def test_a_query_with_no_key_gets_zeros():
    output, weights = attention_by_hand([[1.0]], [[1.0], [2.0]], [[10.0, 20.0], [30.0, 40.0]], mask=[[1, 1]])
    assert weights == [[0.0, 0.0]]
    assert output == [[0.0, 0.0]]


@pytest.mark.parametrize("strange", [math.nan, math.inf, -math.inf, 1e300])
def test_what_is_hidden_does_not_matter(strange):
    output, weights = attention_by_hand([[1.0]], [[1.0], [strange]], [[10.0], [strange]], mask=[[0, 1]])
    assert (output, weights) == ([[10.0]], [[1.0, 0.0]])


def test_huge_scores_do_not_overflow():
    _, weights = attention_by_hand([[1e4]], [[1e4], [0.0]], [[1.0], [1.0]])
    assert weights == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("q", "k", "v", "mask", "words"),
    [
        ([[1.0, 2.0]], [[1.0]], [[1.0]], None, r"dot product.*len\(k\[0\]\)=2.*len\(k\[0\]\)=1"),
        ([[1.0, 2.0]], [[1.0]], [[1.0]], [[1]], r"dot product"),
        ([[1.0], [1.0, 2.0]], [[1.0]], [[1.0]], None, r"len\(q\[1\]\)=2"),
        ([[1.0]], [[1.0], [2.0]], [[1.0], [2.0, 3.0]], None, r"equally long.*len\(v\[1\]\)=2"),
        ([[1.0]], [[1.0]], [[1.0], [2.0]], None, r"one value.*len\(v\)=1.*len\(v\)=2"),
        ([[1.0]], [[1.0]], [[1.0]], [[0, 0]], r"one entry for each key.*len\(mask\[0\]\)=2"),
        ([[1.0]], [[1.0]], [[1.0]], [[0], [0]], r"one row for each query.*len\(mask\)=2"),
        ([[1.0]], [], [], None, "at least one key"),
        ([[]], [[]], [[1.0]], None, "depth must be at least 1"),
    ],
    ids=["depths", "hidden depths", "queries", "values", "lengths", "mask columns", "mask rows", "no key", "no depth"],
)
def test_unequal_lengths_are_refused(q, k, v, mask, words):
    with pytest.raises(ValueError, match=words):
        attention_by_hand(q, k, v, mask)


def test_what_is_no_list_of_lists_is_refused():
    with pytest.raises(TypeError, match=r"q is a list of rows.*q=\[1\.0\]"):
        attention_by_hand([1.0], [[1.0]], [[1.0]])
    with pytest.raises(TypeError, match=r"k is a list of rows.*k=5"):
        attention_by_hand([[1.0]], 5, [[1.0]])

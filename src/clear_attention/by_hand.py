"""Attention in plain Python lists and `math`: the definition, slow on purpose, and the oracle of the tests.

Nothing here knows about tensors, batches or speed. Each query looks only at the keys it may see, so what is
hidden can't matter, and a query that may see no key gets weights 0 and output 0.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

from clear_attention._checks.lists import lists_fit, scores_bent

Matrix: TypeAlias = Sequence[Sequence[float]]


def attention_by_hand(
    q: Matrix,
    k: Matrix,
    v: Matrix,
    mask: Matrix | None = None,
    *,
    bias: Matrix | None = None,
    softcap: float | None = None,
    sink: float | None = None,
) -> tuple[list[list[float]], list[list[float]]]:
    r"""Attend with every query, one after the other, in plain Python.

    $$ \text{output}_i = \sum_{j \text{ visible}} w_{ij}\, v_j, \qquad
       w_{ij} = \frac{e^{s_{ij}}}{\sum_{m \text{ visible}} e^{s_{im}}}, \qquad
       s_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} $$

    A query whose keys are all blocked gets weights 0 and output 0. With a soft cap c a score s becomes
    $c \tanh(s / c)$, then the bias is added; a sink adds $e^{\text{sink}}$ to the sum below.

    Args:
        q: list of `query_length` queries, each a list of `d_k` numbers.
        k: list of `key_length` keys, each a list of `d_k` numbers.
        v: list of `key_length` values, each a list of `d_v` numbers.
        mask: list of `query_length` rows of `key_length` entries: 1 blocks the key, 0 leaves it visible.
        bias: list of `query_length` rows of `key_length` numbers, which are added to the scores.
        softcap: the largest score, a number above 0.
        sink: the score of one more key that is always visible and has no value.

    Returns:
        output: list of `query_length` lists of `d_v` floats.
        weights: list of `query_length` lists of `key_length` floats in [0, 1] that sum to 1, or to 0 where no
            key is visible.

    Raises:
        TypeError: an argument is not a list of lists.
        ValueError: lists that should be equally long are not, there is no key, a depth of 0, a `softcap` that is not
            above 0, a `sink` that is not finite.

    Examples:
        >>> from clear_attention import attention_by_hand
        >>> output, weights = attention_by_hand([[0.0]], [[1.0], [2.0]], [[10.0], [30.0]])
        >>> weights
        [[0.5, 0.5]]
        >>> output
        [[20.0]]
        >>> attention_by_hand([[0.0]], [[1.0], [2.0]], [[10.0], [30.0]], mask=[[0, 1]])
        ([[10.0]], [[1.0, 0.0]])

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.2.1.
    """
    lists_fit(q, k, v, mask, bias)
    scores_bent(softcap, sink)
    mask = mask if mask is not None else [[0] * len(k) for _ in q]
    bias = bias if bias is not None else [[0] * len(k) for _ in q]
    rows = zip(q, mask, bias, strict=True)
    pairs = [one_query(query, k, v, blocked, added, softcap, sink) for query, blocked, added in rows]
    return [output for output, _ in pairs], [weights for _, weights in pairs]


def one_query(query, keys, values, blocked, added, softcap=None, sink=None):
    """Attend with one query: score the visible keys, turn the scores into weights, average the values."""
    visible = [j for j in range(len(keys)) if not blocked[j]]
    weights = [0.0] * len(keys)
    if visible:
        scores = {j: dot(query, keys[j]) / math.sqrt(len(query)) for j in visible}
        if softcap is not None:
            scores = {j: softcap * math.tanh(score / softcap) for j, score in scores.items()}
        scores = {j: score + added[j] for j, score in scores.items()}
        if sink is not None:
            scores[len(keys)] = sink  # a key behind the others
        highest = max(scores.values())  # e^(s - highest) can't overflow, and the quotient stays the same
        powers = {j: math.exp(score - highest) for j, score in scores.items()}
        for j in visible:
            weights[j] = powers[j] / sum(powers.values())
    output = [float(sum(weights[j] * values[j][c] for j in visible)) for c in range(len(values[0]))]
    return output, weights


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))

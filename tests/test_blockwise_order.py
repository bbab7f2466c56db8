"""In a causal order alone, the scores of later keys are overwritten where they stand: the same numbers as by a mask."""

import numpy as np
import pytest
import tensorflow as tf
from test_blockwise_groups import ATOL, results

from clear_attention import blockwise_attention, create_look_ahead_mask, scaled_dot_product_attention
from clear_attention.blockwise import blocks, groups

RNG = np.random.default_rng(8)
RULES = {
    "nothing else": {},
    "a bias of its own for each head": lambda queries, keys: {"bias": RNG.normal(size=(4, queries, keys))},
    "a sink": lambda queries, keys: {"sink": RNG.normal(size=(4, 1, 1))},
    "a soft cap": lambda queries, keys: {"softcap": 1.0},
}


def drawn(queries, keys, heads=4, depth=6):
    return [RNG.normal(size=(2, heads, n, depth)) for n in (queries, keys, keys)]


@pytest.mark.parametrize("given", [(1, 64, None), (1, None, 4), (None, None, None)])
def test_a_single_head_may_have_unknown_sizes(given):
    q, k, v = (x[:1, 0] for x in drawn(64, 64, depth=4))
    attend = tf.function(lambda *x: blockwise_attention(*x, causal=True, block_size=16), autograph=False)
    found = attend.get_concrete_function(*[tf.TensorSpec(given, tf.float64)] * 3)(*map(tf.constant, (q, k, v)))
    expected = scaled_dot_product_attention(q, k, v, create_look_ahead_mask(64)).output
    np.testing.assert_allclose(found, expected, atol=ATOL)


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize(
    ("queries", "keys", "size", "lengths"),
    [
        (64, 64, 16, 48),
        (64, 96, 16, 48),
        (40, 40, 16, 48),
        (64, 64, 8, 3),
        (72, 80, 8, 2),
        (16, 16, 16, 48),
        (64, 64, 64, 1),
    ],
)
@pytest.mark.parametrize("one_by_one", [False, True])
def test_equals_a_mask(queries, keys, size, lengths, name, graph, one_by_one, monkeypatch):
    monkeypatch.setattr(blocks, "LENGTHS", lengths)
    tensors = drawn(queries, keys)
    rules = RULES[name](queries, keys) if callable(RULES[name]) else RULES[name]
    late = create_look_ahead_mask(keys)[..., keys - queries :, :]
    expected = results(*tensors, mask=late, **rules)
    if one_by_one:
        monkeypatch.setattr(groups, "LARGEST_BLOCK" if graph else "LARGEST_IN_EAGER", 1)
    found = lambda *x: results(*x, block_size=size, causal=True, **rules)  # noqa: E731
    found = (tf.function(found, autograph=False) if graph else found)(*map(tf.constant, tensors))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=ATOL)


@pytest.mark.parametrize("graph", [False, True])
def test_a_later_key_may_be_too_large_for_its_scores(graph):
    """A score of infinity or NaN behind the order is overwritten as any other, and nothing of it is left."""
    q, k, v = (x.astype("float32") for x in drawn(32, 32))
    k[..., 20, :] = [1e38, -1e38, 1e38, 1e38, -1e38, 1e38]
    q[..., :20, :] = 1e20 * np.abs(q[..., :20, :])
    expected = scaled_dot_product_attention(q[..., :20, :], k[..., :20, :], v[..., :20, :], create_look_ahead_mask(20))
    attend = lambda *x: blockwise_attention(*x, causal=True, block_size=8)  # noqa: E731
    found = (tf.function(attend, autograph=False) if graph else attend)(q, k, v)
    np.testing.assert_allclose(found[..., :20, :], expected.output, rtol=1e-5, atol=1e-5)


def test_only_later_keys_are_overwritten(monkeypatch):
    """Not the whole rows: of 8 blocks of 16, each writes 16 numbers a query."""
    written, real = [], blocks.written
    monkeypatch.setattr(blocks, "written", lambda x, places, new: written.append(new.shape) or real(x, places, new))
    q, k, v = drawn(128, 128)
    blockwise_attention(q, k, v, causal=True, block_size=16)
    assert written == [(2 * 4 * 16, 16)] * 8

"""Random shapes, masks, flags and block sizes: blockwise attention equals the plain function, gradients too."""

import numpy as np
import pytest
import tensorflow as tf

from clear_attention import blockwise_attention, scaled_dot_product_attention


def draw(seed):
    """Draw one case: tensors, mask, flags and block size; lengths from 1, some rows without any key."""
    rng = np.random.default_rng(seed)
    leading = tuple(rng.integers(1, 4, size=rng.integers(0, 4)))
    queries, keys, d_k, d_v = (int(n) for n in rng.integers(1, [33, 33, 9, 9]))
    dtype = ["float32", "float64"][seed % 2]
    q, k, v = (rng.normal(size=(*leading, n, d)).astype(dtype) for n, d in ((queries, d_k), (keys, d_k), (keys, d_v)))
    mask = None
    if rng.random() < 0.7:
        shape = (*leading, queries, keys)
        shape = shape[rng.integers(0, len(shape) - 1) :] if len(shape) > 2 else shape
        mask = rng.random([1 if rng.random() < 0.3 else n for n in shape]) < rng.choice([0.1, 0.5, 0.9])
    options = {"causal": bool(rng.random() < 0.5), "window": int(rng.integers(1, 40)) if rng.random() < 0.3 else None}
    return (q, k, v), mask, options, int(rng.integers(1, 41))


def by_definition(q, k, v, mask, causal, window):
    if mask is None and not causal and window is None:
        return scaled_dot_product_attention(q, k, v).output  # nothing hides an infinity, and a score of -inf is no NaN
    queries, keys = q.shape[-2], k.shape[-2]
    ahead = np.arange(keys) - np.arange(queries)[:, None] - (keys - queries)
    whole = ((ahead > 0) & causal) | (np.abs(ahead) >= (window or np.inf))
    return scaled_dot_product_attention(q, k, v, whole if mask is None else whole | mask).output


def with_gradients(attend, tensors, factors):
    tensors = [tf.constant(x) for x in tensors]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        output = attend(*tensors)
        loss = tf.reduce_sum(output * factors)
    return [output, *tape.gradient(loss, tensors)]


@pytest.mark.parametrize("seed", range(80))
def test_random_cases(seed):
    tensors, mask, options, block_size = draw(seed)
    factors = np.random.default_rng(seed).normal(size=(*tensors[0].shape[:-1], tensors[2].shape[-1]))
    factors = factors.astype(tensors[0].dtype)
    found = with_gradients(
        lambda q, k, v: blockwise_attention(q, k, v, mask, **options, block_size=block_size), tensors, factors
    )
    expected = with_gradients(lambda q, k, v: by_definition(q, k, v, mask, **options), tensors, factors)
    tolerance = {"float32": 1e-6, "float64": 1e-12}[tensors[0].dtype.name]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * max(1, np.abs(other).max()))


@pytest.mark.parametrize("seed", range(80, 96))
def test_random_cases_with_something_strange_under_the_mask(seed):
    tensors, mask, options, block_size = draw(seed)
    rng = np.random.default_rng(seed)
    strange = [x.copy() for x in tensors]
    for x in strange[1:]:
        x[..., rng.integers(x.shape[-2]), :] = rng.choice([np.nan, np.inf, -np.inf, 1e30])
    found = blockwise_attention(*strange, mask, **options, block_size=block_size)
    expected = by_definition(*strange, mask, **options)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_the_cases_are_many_and_different():
    cases = [draw(seed) for seed in range(80)]
    lengths = [(q.shape[-2], k.shape[-2], block_size) for (q, k, _), _, _, block_size in cases]
    assert len(set(lengths)) > 70
    assert sum(q % block != 0 for q, _, block in lengths) > 40
    assert {q.ndim for (q, _, _), *_ in cases} == {2, 3, 4, 5}
    assert any(1 in (q, k) for q, k, _ in lengths)
    assert sum(mask is not None and mask.all(axis=-1).any() for _, mask, _, _ in cases) > 10

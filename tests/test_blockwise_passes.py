"""The passes over blocks: a gradient has the shape of what it belongs to, however that was repeated."""

import itertools

import numpy as np
import pytest
import tensorflow as tf
from test_blockwise_rules import ATOL

from clear_attention import blockwise_attention, scaled_dot_product_attention
from clear_attention.blockwise.passes import matmul_over_queries, output_of, summed_like

RNG = np.random.default_rng(31)
BATCH, HEADS, QUERIES, KEYS = 2, 4, 5, 7


def drawn(*leading, queries=QUERIES, keys=KEYS, groups=None):
    shared = (*leading[:-1], groups or leading[-1])
    shapes = [(*leading, queries, 3), (*shared, keys, 3), (*shared, keys, 2)]
    return [RNG.normal(size=shape) for shape in shapes]


def gradients(function, tensors, upstream, **options):
    """Return the output and the gradients of q, k, v, a bias and a sink."""
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        q, k, v, bias, sink = tensors
        result = function(q, k, v, bias=bias, sink=sink, grouped=True, **options)
        output = getattr(result, "output", result)
    return [output, *tape.gradient(output, tensors, upstream)]


def compare(arrays, bias, sink, block_size, unknown=False):
    arrays = [*arrays, RNG.normal(size=bias), RNG.normal(size=sink)]
    tensors = [tf.constant(x) for x in arrays]
    upstream = tf.constant(RNG.normal(size=(*arrays[0].shape[:-1], 2)))
    expected = gradients(scaled_dot_product_attention, tensors, upstream)
    blocks = lambda *tensors: gradients(blockwise_attention, list(tensors), upstream, block_size=block_size)  # noqa: E731
    if unknown:  # which axes of the bias and the sink are repeated is known only when it runs
        signature = [tf.TensorSpec(x.shape, x.dtype) for x in tensors[:3]]
        signature += [tf.TensorSpec([None] * x.shape.rank, x.dtype) for x in tensors[3:]]
        blocks = tf.function(blocks, signature, autograph=False)
    for found, wanted in zip(blocks(*tensors), expected, strict=True):
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, atol=ATOL)


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("bias", [*itertools.product((1, BATCH), (1, HEADS), (1, QUERIES), (1, KEYS))], ids=str)
def test_the_gradient_of_a_bias_that_is_repeated(bias, unknown):
    *leading, rows, _ = bias
    compare(drawn(BATCH, HEADS, groups=2), bias, (*leading, rows, 1), 2, unknown)


@pytest.mark.parametrize("shape", [(), (KEYS,), (QUERIES, KEYS), (HEADS, 1, KEYS)], ids=str)
def test_the_gradient_of_a_bias_with_fewer_axes(shape):
    compare(drawn(BATCH, HEADS), shape, (1,), 2)


def test_two_rows_of_a_bias_are_not_one_for_all():
    compare(drawn(1, 2, queries=2, keys=2), (1, 2, 2, 2), (1, 2, 2, 1), 1)


@pytest.mark.parametrize("bias", [(2, 3, 2, QUERIES, 1), (2, 3, 1, QUERIES, KEYS), (1, 3, 2, 1, KEYS)], ids=str)
@pytest.mark.parametrize("groups", [1, 2])
def test_more_axes_before_the_heads(groups, bias):
    compare(drawn(2, 3, 2, groups=groups), bias, (3, 1, 1, 1), 2)


def test_the_output_has_the_length_of_the_queries_and_the_depth_of_the_values():
    q, v = tf.zeros((2, 3, 5, 7)), tf.zeros((2, 3, 6, 4))
    assert output_of(q, v, tf.float64) == tf.TensorSpec((2, 3, 5, 4), tf.float64)


@pytest.mark.parametrize("from_end", [0, 2])
@pytest.mark.parametrize("like", [(2, 3, 4, 5), (1, 3, 4, 5), (2, 1, 1, 5), (1, 3, 4, 1), (1, 1, 1, 1)], ids=str)
def test_sums_over_what_was_repeated(like, from_end):
    x = RNG.normal(size=(2, 3, 4, 5))
    axes = tuple(axis for axis in range(4 - from_end) if like[axis] == 1)
    np.testing.assert_allclose(summed_like(tf.constant(x), tf.zeros(like), from_end), x.sum(axes, keepdims=True))


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_a_product_over_the_queries_of_all_heads_that_share_one(groups):
    x, y = RNG.normal(size=(2, 3, 4, 5, 6)), RNG.normal(size=(2, 3, 4, 5, 7))
    expected = np.einsum("abhqx,abhqy->abhxy", x, y).reshape(2, 3, groups, 4 // groups, 6, 7).sum(axis=3)
    found = matmul_over_queries(tf.constant(x), tf.constant(y), tf.zeros((2, 3, groups, 9, 7)))
    np.testing.assert_allclose(found, expected)

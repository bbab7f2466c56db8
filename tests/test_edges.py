"""Integers at the edges of what their types can say: sizes, ids, lengths and windows never wrap around in silence."""

import sys

import numpy as np
import pytest
import tensorflow as tf

from clear_attention import (
    Decoder,
    Encoder,
    FeedForwardBlock,
    MultiHeadAttention,
    PositionalEncoding,
    Transformer,
    beam_search,
    blockwise_attention,
    create_look_ahead_mask,
    create_padding_mask,
    create_prefix_mask,
    create_window_mask,
    greedy_search,
    scaled_dot_product_attention,
    sinusoidal_encoding,
    split_heads,
)

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
TENSORS = ("int8", "uint8", "int16", "int32", "int64")
LARGE = [2**bits + more for bits in (7, 8, 15, 16, 31, 32, 40, 62) for more in (-1, 0, 1)] + [sys.maxsize, 2**63, 2**70]
X = np.random.default_rng(0).normal(size=(2, 3, 8)).astype("float32")


# Windows and blocks


@pytest.mark.parametrize("large", LARGE)
def test_a_window_wider_than_the_text_hides_nothing(large):
    assert not np.any(create_window_mask(3, large))
    expected = scaled_dot_product_attention(X, X, X).output
    for options in ({"window": large}, {"block_size": large}, {"window": large, "block_size": 2}):
        np.testing.assert_allclose(blockwise_attention(X, X, X, **options), expected, atol=1e-6)
    past = scaled_dot_product_attention(X, X, X, create_look_ahead_mask(3)).output
    np.testing.assert_allclose(blockwise_attention(X, X, X, causal=True, window=large), past, atol=1e-6)


@pytest.mark.parametrize("kind", INTEGERS)
def test_every_size_takes_every_integer_of_numpy(kind):
    two, three, eight = kind(2), kind(3), kind(8)
    masks = [create_look_ahead_mask(two, three), create_prefix_mask(three, two), create_window_mask(three, two)]
    plain = [create_look_ahead_mask(2, 3), create_prefix_mask(3, 2), create_window_mask(3, 2)]
    for mask, expected in zip(masks, plain, strict=True):
        np.testing.assert_array_equal(mask, expected)
    np.testing.assert_array_equal(sinusoidal_encoding(three, eight), sinusoidal_encoding(3, 8))
    np.testing.assert_array_equal(split_heads(X, two), split_heads(X, 2))
    expected = blockwise_attention(X, X, X, window=2, block_size=2)
    np.testing.assert_array_equal(blockwise_attention(X, X, X, window=two, block_size=two), expected)
    assert PositionalEncoding(n=kind(100))(X).shape == X.shape
    assert MultiHeadAttention(eight, two, d_k=three, d_v=two)(X).shape == X.shape
    assert FeedForwardBlock(eight, three)(X).shape == X.shape
    assert Encoder(two, eight, two, three)(X).shape == X.shape
    assert Decoder(two, eight, two, three)(X, X).shape == X.shape


@pytest.mark.parametrize("kind", [np.int8, np.uint64])
def test_a_transformer_takes_them_too(kind):
    ids = {"pad_id": kind(0), "start_id": kind(1), "end_id": kind(2)}
    model = Transformer(kind(1), kind(8), kind(2), kind(4), kind(9), kind(7), **ids)
    source = np.array([[3, 4, 0]])
    assert model(source, [[1, 3]]).shape == (1, 2, 7)
    assert greedy_search(model, source, kind(3), jit_compile=False).shape == (1, 3)
    assert beam_search(model, source, kind(3), width=kind(2), jit_compile=False).ids.shape == (1, 2, 3)
    assert Transformer.from_config(model.get_config()).get_config() == model.get_config()


@pytest.mark.parametrize("other", TENSORS)
@pytest.mark.parametrize("one", TENSORS)
def test_scalar_tensors_of_different_types_meet_in_a_graph(one, other):
    @tf.function
    def masks():
        three, two = tf.constant(3, one), tf.constant(2, other)
        return create_look_ahead_mask(two, three), create_prefix_mask(three, two), create_window_mask(three, two)

    expected = create_look_ahead_mask(2, 3), create_prefix_mask(3, 2), create_window_mask(3, 2)
    for mask, plain in zip(masks(), expected, strict=True):
        np.testing.assert_array_equal(mask, plain)


@pytest.mark.parametrize("window", [2**31, 2**40, 2**62])
def test_a_wide_window_may_be_a_tensor_of_a_graph(window):
    def both(window):
        return create_window_mask(3, window), blockwise_attention(X, X, X, window=window)

    mask, output = tf.function(both)(tf.constant(window, tf.int64))
    assert not np.any(mask)
    np.testing.assert_allclose(output, scaled_dot_product_attention(X, X, X).output, atol=1e-6)


def test_what_no_tensor_can_be_is_refused_before_it_takes_the_memory():
    model = Transformer(1, 8, 2, 4, 9, 9)
    calls = (
        create_look_ahead_mask,
        lambda n: create_window_mask(n, 2),
        lambda n: create_look_ahead_mask(1, n),
        lambda n: sinusoidal_encoding(n, 8),
        lambda n: MultiHeadAttention(8, 2).create_cache(2, n),
        lambda n: greedy_search(model, [[3]], n),
        lambda n: beam_search(model, [[3]], n),
    )
    for call in calls:
        for large in (2**31, 2**40, 2**70):
            with pytest.raises(ValueError, match=r"An axis is numbered in 32 bits\. Expected: .* <= 2147483647"):
                call(large)


# No queries, no rank


@pytest.mark.parametrize("mask", [None, np.zeros((2, 1, 3)), np.zeros((2, 0, 3)), np.ones((3,))])
@pytest.mark.parametrize("causal", [False, True])
def test_without_queries_there_is_an_empty_output(mask, causal):
    def gradients(q, k, v):
        with tf.GradientTape() as tape:
            tape.watch([q, k, v])
            output = blockwise_attention(q, k, v, mask, causal)
        return output, tape.gradient(output, [q, k, v])

    none = tf.zeros((2, 0, 8))
    for run in (gradients, tf.function(gradients), tf.function(gradients, [tf.TensorSpec((None, None, 8))] * 3)):
        output, (dq, dk, dv) = run(none, tf.constant(X), tf.constant(X))
        assert output.shape == dq.shape == (2, 0, 8)
        np.testing.assert_array_equal(dk, np.zeros_like(X))
        np.testing.assert_array_equal(dv, np.zeros_like(X))


# Ids


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("pad_id", [-(2**63), -(2**31), -129, -128, -1, 0, 44, 127, 128, 255, 256, 300, *LARGE])
def test_only_an_id_that_is_pad_id_is_padding(dtype, pad_id):
    info = np.iinfo(dtype)
    ids = [info.min, 0, 1, 44, info.max] + [pad_id] * (info.min <= pad_id <= info.max)
    mask = create_padding_mask(np.array([ids], dtype), pad_id)[0, 0, 0]
    np.testing.assert_array_equal(mask, [i == pad_id for i in ids])


def test_small_ids_mean_the_same_to_a_transformer_with_a_large_pad_id():
    model = Transformer(1, 8, 2, 16, 400, 400, pad_id=300, start_id=1, end_id=2)
    source, target = np.array([[44, 5, 0, 0]]), np.array([[1, 44, 6]])
    expected = model(source, target)
    for dtype in ("uint8", "int8", "int16", "int32"):
        small = source.astype(dtype), target.astype(dtype)
        np.testing.assert_allclose(model(*small), expected, atol=1e-6)
        np.testing.assert_array_equal(model.compute_mask([tf.constant(x) for x in small], None), [[True] * 3])
    found = greedy_search(model, source.astype("uint8"), 4, jit_compile=False)
    np.testing.assert_array_equal(found, greedy_search(model, source, 4, jit_compile=False))

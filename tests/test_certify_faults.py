"""Planted faults: certify finds each under its name, and the example it gives fails when it is pasted."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import clear_attention as ca
from clear_attention import certify

PADDED = (lambda layer, q, k, v, mask: layer(q, k, v, mask), "blocked")
CAUSAL = (lambda layer, q, k, v: layer(q, k, v), None)
ON_X = (lambda layer, x: layer(x), None)
WEIGHTS = (lambda layer, q, k, v, mask, return_weights: layer(q, k, v, mask, return_weights), "blocked")


def attend(q, k, v, blocked=None, axis=-1):
    scores = tf.matmul(q / q.shape[-1] ** 0.5, k, transpose_b=True)
    scores = scores if blocked is None else tf.where(tf.cast(blocked, tf.bool), scores.dtype.min, scores)
    return tf.matmul(tf.nn.softmax(scores, axis=axis), v)


def scores_of(q, k):
    return tf.matmul(q / q.shape[-1] ** 0.5, k, transpose_b=True)


def after_the_softmax(q, k, v, mask):
    return tf.matmul(tf.nn.softmax(scores_of(q, k)) * (1 - mask), v)


def added_in_16_bits(q, k, v, mask):
    return tf.matmul(tf.nn.softmax(scores_of(q, k) + mask * tf.cast(-1e9, q.dtype)), v)


def minus_infinity_times_mask(q, k, v, mask):
    return tf.matmul(tf.nn.softmax(scores_of(q, k) + mask * tf.constant(-np.inf)), v)


def causal(q, k, v, offset=0, upper_left=False):
    places = tf.range(q.shape[1])[:, None] + (0 if upper_left else k.shape[1] - q.shape[1])
    return attend(q, k, v, tf.range(k.shape[1]) > places + offset)


def heads_without_transpose(q, k, v, mask):
    q, k, v = (tf.reshape(x, (x.shape[0], 2, x.shape[1], -1)) for x in (q, k, v))
    y = attend(q, k, v, mask[:, None])
    return tf.reshape(y, (y.shape[0], y.shape[2], -1))


def other_output_with_weights(q, k, v, mask, return_weights):
    y = attend(q, k, v, mask)
    weights = tf.nn.softmax(tf.where(mask > 0, -1e9, scores_of(q, k)))
    return (y + weights[..., :1] * 0.01, weights) if return_weights else y


def mixed_batch(q, k, v, mask):
    y = attend(q, k, v, mask)
    return tf.transpose(tf.reshape(y, (y.shape[1], y.shape[0], -1)), (1, 0, 2))


def length_from_the_depth(x):
    return x + ca.sinusoidal_encoding(x.shape[2], x.shape[2])


def one_position_for_all(x):
    return attend(x, x, x) + ca.sinusoidal_encoding(x.shape[2], 1)[:, 0]


def pooled(x):
    return x + tf.reduce_mean(x, axis=1, keepdims=True)


def with_weights(make):
    """Let attention return weights that others make of the scores and the mask."""

    def layer(q, k, v, mask, return_weights):
        y = attend(q, k, v, mask)
        return (y, make(scores_of(q, k), mask)) if return_weights else y

    return layer


def zero(x):
    """Return 0, with an infinite slope."""
    return tf.sqrt(tf.reduce_sum(tf.square(x - tf.stop_gradient(x))))


def slope_without_a_key(q, k, v, mask):
    found = tf.reduce_max(tf.reduce_min(mask, axis=-1))  # 1 if some query has no key
    return attend(q, k, v, mask) + tf.where(found == 1, zero(v), 0)


def raises_without_a_key(q, k, v, mask):
    if bool(tf.reduce_any(tf.reduce_all(mask == 1, axis=-1))):
        raise RuntimeError("a query has no key")
    return attend(q, k, v, mask)


def slope_from_the_future(x):
    total = tf.reduce_sum(x, axis=1, keepdims=True)
    return x + total - tf.stop_gradient(total)


def only_eager(x):
    if not tf.executing_eagerly():
        raise RuntimeError("only eager")
    return x


class Overflows(keras.layers.Layer):
    def call(self, x):
        return x * 1e5


class OfTwoTypes(keras.layers.Layer):
    def call(self, x):
        return x + tf.ones(tf.shape(x))


FAULTS = {
    "inverted mask": (lambda q, k, v, mask: attend(q, k, v, 1 - mask), *PADDED, "visible_keys_count", {}),
    "inverted, and padding zeroed": (
        lambda x, real: ca.scaled_dot_product_attention(x * real[..., None], x, x, 1 - real[:, None]).output,
        lambda layer, x, padding: layer(tf.where(padding[..., None] == 1, x, 0), padding),
        "blocked",
        "visible_keys_count",
        {},
    ),
    "mask after the softmax": (after_the_softmax, *PADDED, "weights_sum_to_one", {}),
    "-1e9 added in float16": (added_in_16_bits, *PADDED, "float16", {}),
    "-inf * mask": (minus_infinity_times_mask, *PADDED, "finite_gradients", {}),
    "off by one": (lambda q, k, v: causal(q, k, v, offset=1), *CAUSAL, "no_future_leak", {"causal": True}),
    "upper left": (lambda q, k, v: causal(q, k, v, upper_left=True), *CAUSAL, "alignment", {"causal": True}),
    "padding of queries": (
        lambda q, k, v, mask: attend(q, k, v, mask[:, :, None]),
        lambda layer, q, k, v, padding: layer(q, k, v, padding[:, : q.shape[1]]),
        "blocked",
        "padding_invariance",
        {},
    ),
    "softmax over queries": (lambda q, k, v, mask: attend(q, k, v, mask, -2), *PADDED, "weights_sum_to_one", {}),
    "heads not transposed": (heads_without_transpose, *PADDED, "key_permutation", {}),
    "weights flag": (
        other_output_with_weights,
        *WEIGHTS,
        "weights_flag",
        {},
    ),
    "mixed batch": (mixed_batch, *PADDED, "batch_independence", {}),
    "length from the depth": (length_from_the_depth, *ON_X, "lengths", {}),
    "positions along depth": (one_position_for_all, *ON_X, "positions", {"positions": True}),
    "pools over time": (pooled, *ON_X, "no_future_leak", {"causal": True}),
    "pools time away": (lambda x: tf.reduce_mean(x, axis=1), *ON_X, "no_future_leak", {"causal": True}),
    "a softer mask": (
        lambda q, k, v, mask: tf.matmul(tf.nn.softmax(scores_of(q, k) - 9 * mask), v),
        *PADDED,
        "padding_invariance",
        {},
    ),
    "NaN shows": (lambda q, k, v, mask: attend(q, k, v, mask), *PADDED, "hidden_nan", {}),
    "mean of all": (lambda q, k, v, mask: attend(q, k, v, mask), *PADDED, "empty_query", {}),
    "size of the batch": (lambda q, k, v, mask: attend(q, k, v, mask) * q.shape[0], *PADDED, "batch_independence", {}),
    "a table of six positions": (lambda x: x + tf.ones((6, 1))[: x.shape[1]], *ON_X, "lengths", {}),
    "only eager": (only_eager, *ON_X, "modes_agree", {}),
    "other numbers in a graph": (lambda x: x if tf.executing_eagerly() else x + 1, *ON_X, "modes_agree", {}),
    "infinite slope": (lambda q, k, v, mask: attend(q, k, v, mask) + zero(v), *PADDED, "finite_gradients", {}),
    "infinite slope without a key": (slope_without_a_key, *PADDED, "empty_query", {}),
    "raises without a key": (raises_without_a_key, *PADDED, "empty_query", {}),
    "weights of one key": (with_weights(lambda s, mask: tf.nn.softmax(s)[..., :1]), *WEIGHTS, "weights_sum_to_one", {}),
    "weights of hidden keys": (with_weights(lambda s, mask: tf.nn.softmax(s)), *WEIGHTS, "weights_sum_to_one", {}),
    "weights that sum to more": (
        with_weights(lambda s, mask: tf.nn.sigmoid(s) * (1 - mask)),
        *WEIGHTS,
        "weights_sum_to_one",
        {},
    ),
    "a slope from the future": (slope_from_the_future, *ON_X, "no_future_leak", {"causal": True}),
    "counts the padding": (lambda q, k, v, mask: attend(q, k, v, mask) * k.shape[1], *PADDED, "padding_invariance", {}),
    "float16 overflows in a layer": (Overflows(), *ON_X, "float16", {}),
    "float16 raises in a layer": (OfTwoTypes(), *ON_X, "float16", {}),
}


@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_found_by_name_and_their_examples_fail_when_pasted(name):
    layer, call, convention, row, options = FAULTS[name]
    certificate = certify(layer, call, convention, **options)
    assert row in certificate.broken
    for broken in (certificate[n] for n in certificate.broken):
        assert broken.example, broken
        with pytest.raises(Exception) as caught:  # noqa: PT011 - where the layer itself raises, so does the example
            exec(broken.example, {"layer": layer, "call": call})
        assert isinstance(caught.value, AssertionError) or "it raises" in broken.detail or row == "lengths", (
            broken.example
        )


def test_the_details_say_what_was_found():
    def detail(name):
        layer, call, convention, row, options = FAULTS[name]
        return certify(layer, call, convention, only=[row], **options)[row].detail

    assert "looks inverted" in detail("inverted mask")
    assert "upper left" in detail("upper left")
    assert "mean of all values" in detail("mean of all")
    assert "query 0 changes with key 1" in detail("off by one")
    assert "(1, 8)" in detail("pools time away")

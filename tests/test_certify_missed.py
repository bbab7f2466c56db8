"""Faults that certify once held for sound: each is found in its row, and its example fails when it is pasted."""

import re

import numpy as np
import pytest
import tensorflow as tf
from keras import layers

import clear_attention as ca
from clear_attention import certify

ON_X = lambda layer, x: layer(x)  # noqa: E731 - as it is typed
ON_PADDING = lambda layer, x, padding: layer(x, padding)  # noqa: E731
WITH_PLACES = lambda layer, x, position_ids: layer(x, position_ids)  # noqa: E731
WITH_SEGMENTS = lambda layer, x, segment_ids: layer(x, segment_ids)  # noqa: E731
NAMES = ("cache", "grouped", "recompute", "like")


def attend(q, k=None, v=None, blocked=None):
    k, v = (q if x is None else x for x in (k, v))
    return ca.scaled_dot_product_attention(q, k, v, blocked).output


def with_positions(x, places):
    y = x + tf.cast(places, tf.float32)[..., None]
    return attend(y, y, x)


def minds_that_there_is_padding(x, padding):
    """As a BatchNorm over real tokens would, or an `if` that takes another way."""
    return attend(x, blocked=padding[:, None]) + tf.reduce_max(padding)


def of_the_first_text(x, segments):
    apart = segments[:1, :, None] != segments[:1, None]
    return attend(x, blocked=tf.repeat(tf.cast(apart, tf.float32), x.shape[0], axis=0))


def counts_by_itself(x, places):
    return attend(x + ca.sinusoidal_encoding(x.shape[1], x.shape[2]))


def counts_by_itself_causally(x, places):
    x = x + ca.sinusoidal_encoding(x.shape[1], x.shape[2])
    return attend(x, blocked=ca.create_look_ahead_mask(x.shape[1]))


def grouped(turn_keys, turn_values):
    return lambda layer, q, k, v: attend(q, turn_keys(k), turn_values(v))


def repeated(x):
    return tf.repeat(x, 2, axis=1)


def tiled(x):
    return tf.tile(x, (1, 2, 1, 1))


FAULTS = {
    "padding_invariance": (minds_that_there_is_padding, ON_PADDING, "blocked", {}, "when the sentence is padded$"),
    "batch_independence, places": (
        lambda x, places: with_positions(x, places[:1]),
        WITH_PLACES,
        None,
        {},
        "sentence 1 of a batch gives other outputs than alone",
    ),
    "batch_independence, texts": (of_the_first_text, WITH_SEGMENTS, None, {}, "sentence 1 of a batch gives other"),
    "head_groups": (
        attend,
        ON_X,
        None,
        {"grouped": grouped(tiled, repeated)},
        r"keys of head 0 serve the query heads \[0, 2\]",
    ),
    "head_groups, tiled": (
        attend,
        ON_X,
        None,
        {"grouped": grouped(repeated, tiled), "groups": "tile"},
        r"keys of head 0 serve the query heads \[0, 1\]",
    ),
    "positions": (counts_by_itself, WITH_PLACES, None, {}, "other position_ids change nothing"),
    "positions, causal": (counts_by_itself_causally, WITH_PLACES, None, {"causal": True}, "other position_ids change"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_and_its_example_fails_when_pasted(name):
    layer, call, convention, options, words = FAULTS[name]
    (row,) = certify(layer, call, convention, **options, only=[name.partition(",")[0]]).rows
    assert row.verdict == "broken", row
    assert re.search(words, row.detail), row.detail
    with pytest.raises(AssertionError):
        exec(row.example, {"layer": layer, "call": call, **{n: options[n] for n in NAMES if n in options}})


def symmetric_distances(x, places, hide=False):
    """As ALiBi: places turned round keep their distances."""
    bias = -tf.abs(tf.cast(places[:, :, None] - places[:, None], tf.float32))
    scores = tf.matmul(x, x, transpose_b=True) + bias
    if hide:
        scores = tf.where(ca.create_look_ahead_mask(x.shape[1]) == 1, -1e9, scores)
    return tf.matmul(tf.nn.softmax(scores), x)


class NoBiasYet(layers.Layer):
    """Has a number for each place, and all of them are 0 before it is trained."""

    def build(self, shape):
        self.bias = self.add_weight(shape=(16, 8), initializer="zeros")

    def call(self, x, places):
        x = x + tf.gather(self.bias, places)
        return attend(x, blocked=ca.create_look_ahead_mask(x.shape[1]))


def not_trained_yet():
    layer = NoBiasYet()
    layer(np.ones((1, 2, 8), "float32"), np.array([[0, 1]]))
    return layer


def packed(x, segments):
    return attend(x, blocked=tf.cast(segments[:, :, None] != segments[:, None], tf.float32))


def packed_and_padded(x, segments, padding):
    apart = tf.cast(segments[:, :, None] != segments[:, None], tf.float32)
    return attend(x, blocked=tf.maximum(apart, padding[:, None]))


@pytest.mark.parametrize(
    ("layer", "call", "convention", "options"),
    [
        (with_positions, WITH_PLACES, None, {}),
        (symmetric_distances, WITH_PLACES, None, {}),
        (lambda x, p: symmetric_distances(x, p, True), WITH_PLACES, None, {"causal": True, "relative": True}),
        (symmetric_distances, WITH_PLACES, None, {"lengths": (2,)}),
        (not_trained_yet(), WITH_PLACES, None, {"causal": True}),
        (packed, WITH_SEGMENTS, None, {}),
        (packed_and_padded, lambda layer, x, segment_ids, padding: layer(x, segment_ids, padding), "blocked", {}),
        (attend, ON_X, None, {"grouped": grouped(repeated, repeated)}),
        (
            attend,
            ON_X,
            None,
            {"grouped": lambda layer, q, k, v: attend(50 * q, repeated(k), repeated(v)), "depth": 64},
        ),
        (
            attend,
            ON_X,
            None,
            {"grouped": lambda layer, q, k, v: attend(q, *map(repeated, (layers.LayerNormalization()(k), v)))},
        ),
    ],
)
def test_a_sound_layer_of_the_same_kind_is_not_accused(layer, call, convention, options):
    certificate = certify(layer, call, convention, **options, level="correct")
    assert certificate.broken == (), certificate


def raising(*_, **__):
    raise RuntimeError("not written yet")


HANDED_IN = {
    "cache_equals_full": {"cache": raising, "causal": True},
    "head_groups": {"grouped": raising},
    "checkpointing": {"recompute": raising},
    "like": {"like": raising},
}


@pytest.mark.parametrize("row", HANDED_IN)
def test_a_function_handed_in_that_raises_is_named_and_called_by_the_example(row):
    options = HANDED_IN[row]
    (name,) = {*options} & {*NAMES}
    causal = lambda x: attend(x, blocked=ca.create_look_ahead_mask(x.shape[1]))  # noqa: E731
    found = certify(causal, ON_X, **options, only=[row])[row]
    assert (found.verdict, found.detail) == ("broken", f"{name} raises RuntimeError: not written yet")
    assert f"{name}(" in found.example or f"({name})" in found.example
    with pytest.raises(RuntimeError, match="not written yet"):
        exec(found.example, {"layer": causal, "call": ON_X, **options})


SHAPES = {
    "a sum for each token": lambda x: tf.reduce_sum(attend(x), axis=-1, keepdims=True),
    "an answer for each text": lambda x: tf.reduce_mean(attend(x), axis=1),
}


@pytest.mark.parametrize("name", SHAPES)
def test_what_it_is_compared_with_must_have_its_shape(name):
    layer, like = lambda x: tf.zeros_like(x), lambda x: 0 * SHAPES[name](x)
    row = certify(layer, ON_X, like=like, only=["like"])["like"]
    assert row.verdict == "broken"
    assert re.search("gives 1 numbers, and it 8|gives another shape", row.detail), row.detail
    with pytest.raises(AssertionError):
        exec(row.example, {"layer": layer, "call": ON_X, "like": like})


def test_other_helpers_must_give_their_shape_too():
    def narrow(layer, x, kept):
        return tf.zeros_like(x[..., :1]), kept

    zeros = lambda x: tf.zeros_like(x)  # noqa: E731
    row = certify(zeros, ON_X, cache=narrow, only=["cache_equals_full"])["cache_equals_full"]
    assert row.detail == "step by step, with its cache, it gives (2, 6, 1) and not (2, 6, 8)"
    with pytest.raises(AssertionError):
        exec(row.example, {"layer": zeros, "call": ON_X, "cache": narrow})
    heads_last = lambda layer, q, k, v: tf.transpose(q, (0, 2, 1, 3))  # noqa: E731
    row = certify(attend, ON_X, grouped=heads_last, only=["head_groups"])["head_groups"]
    assert row.detail == "grouped gives (1, 3, 4, 8) and not (batch, 4, length, ...)"
    with pytest.raises(AssertionError):
        exec(row.example, {"layer": attend, "grouped": heads_last})


@pytest.mark.filterwarnings("ignore:.*stateful")
def test_what_takes_batches_of_one_size_only_is_refused_in_words():
    with pytest.raises(ValueError, match=r"LSTM could not be called as described\. .* If an RNN is stateful"):
        certify(layers.LSTM(8, return_sequences=True, stateful=True), causal=True)

"""Promises that only some layers make: held where they are kept, and each with a planted fault."""

import re
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

import clear_attention as ca
from clear_attention import certify

ON_X = lambda layer, x: layer(x)  # noqa: E731 - as it is typed


def windowed(reach):
    def layer(x):
        blocked = ca.combine_masks(ca.create_look_ahead_mask(x.shape[1]), ca.create_window_mask(x.shape[1], reach))
        return ca.scaled_dot_product_attention(x, x, x, blocked).output

    return layer


def remembering(forget=0, all_at_once=True):
    """Attention over what is kept; `forget` drops the oldest tokens, or sees the whole piece at once."""

    def cache(layer, x, kept):
        past = x if kept is None else tf.concat([kept, x], axis=1)
        past = past[:, forget if kept is not None and past.shape[1] > 3 else 0 :]
        if all_at_once:
            return layer(x, past, past), past
        return ca.scaled_dot_product_attention(x, past, past).output, past

    return cache


def causal(q, k=None, v=None):
    k, v = (q if x is None else x for x in (k, v))
    return ca.scaled_dot_product_attention(q, k, v, ca.create_look_ahead_mask(q.shape[1], k.shape[1])).output


def grouped(turn):
    def call(layer, q, k, v):
        k, v = turn(k), turn(v)
        return ca.scaled_dot_product_attention(q, k, v).output

    return call


def rotated(x, places):
    depth = x.shape[-1] // 2
    angles = tf.cast(places, tf.float32)[..., None] / 10.0 ** np.arange(depth, dtype="float32")
    a, b = x[..., :depth], x[..., depth:]
    return tf.concat([a * tf.cos(angles) - b * tf.sin(angles), a * tf.sin(angles) + b * tf.cos(angles)], axis=-1)


def rotary(x, position_ids):
    q = rotated(x, position_ids)
    return ca.scaled_dot_product_attention(q, q, x).output


def added(x, position_ids):
    y = x + tf.cast(position_ids, tf.float32)[..., None]
    return ca.scaled_dot_product_attention(y, y, x).output


def packed(x, segment_ids, together=False):
    apart = segment_ids[:, :, None] != segment_ids[:, None]
    return ca.scaled_dot_product_attention(x, x, x, None if together else apart).output


@tf.custom_gradient
def wrong_backwards(x):
    return tf.nn.softmax(x), lambda upstream: 1.01 * upstream * tf.nn.softmax(x)


def computed_again(layer, x):
    return tf.matmul(wrong_backwards(tf.matmul(x, x, transpose_b=True)), x)


def self_attention(x):
    return tf.matmul(tf.nn.softmax(tf.matmul(x, x, transpose_b=True)), x)


SPEAK_OF_ARRAYS = [
    *("case", "claims", "first_call", "notes", "numerics", "order"),
    *("own_token", "sameness", "snippets", "subject", "visibility"),
]
WITH_PLACES = lambda layer, x, position_ids: layer(x, position_ids)  # noqa: E731
WITH_SEGMENTS = lambda layer, x, segment_ids: layer(x, segment_ids)  # noqa: E731
KEPT = {
    "window_extent": (windowed(3), ON_X, {"window": 3, "causal": True}),
    "cache_equals_full": (causal, ON_X, {"causal": True, "cache": remembering()}),
    "head_groups": (causal, ON_X, {"grouped": grouped(lambda x: tf.repeat(x, 2, axis=1))}),
    "head_groups, tiled": (causal, ON_X, {"grouped": grouped(lambda x: tf.tile(x, (1, 2, 1, 1))), "groups": "tile"}),
    "position_shift": (rotary, WITH_PLACES, {"relative": True}),
    "packing_isolation": (packed, WITH_SEGMENTS, {}),
    "checkpointing": (self_attention, ON_X, {"recompute": True}),
}
BROKEN = {
    "window_extent": (windowed(2), ON_X, {"window": 3, "causal": True}, "does not notice key 0, 2 away"),
    "window_extent, too wide": (windowed(4), ON_X, {"window": 3, "causal": True}, "notices key 0, 3 away"),
    "cache_equals_full": (causal, ON_X, {"causal": True, "cache": remembering(forget=1)}, "step by step"),
    "cache_equals_full, in chunks": (causal, ON_X, {"causal": True, "cache": remembering(0, False)}, "in chunks of 2"),
    "head_groups": (
        causal,
        ON_X,
        {"grouped": grouped(lambda x: tf.tile(x, (1, 2, 1, 1)))},
        r"heads \[0, 2\].*\[0, 1\]",
    ),
    "position_shift": (added, WITH_PLACES, {"relative": True}, "shifted by"),
    "packing_isolation": (lambda x, s: packed(x, s, True), WITH_SEGMENTS, {}, "another in the same row"),
    "checkpointing": (self_attention, ON_X, {"recompute": computed_again}, "computed again"),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_claim_that_is_kept_is_held(name):
    layer, call, options = KEPT[name]
    row = certify(layer, call, **options, only=[name.partition(",")[0]]).rows[0]
    assert row.verdict == "held", row


@pytest.mark.parametrize("name", BROKEN)
def test_a_claim_that_is_not_kept_is_broken_and_the_example_fails_when_pasted(name):
    layer, call, options, words = BROKEN[name]
    row = certify(layer, call, **options, only=[name.partition(",")[0]]).rows[0]
    assert row.verdict == "broken", row
    assert re.search(words, row.detail), row.detail
    names = {"layer": layer, "call": call, **{n: options[n] for n in ("cache", "grouped", "recompute") if n in options}}
    with pytest.raises(AssertionError):
        exec(row.example, names)


def test_what_nobody_claims_stands_in_no_certificate_and_says_why_when_asked_for():
    names = [
        "window_extent",
        "cache_equals_full",
        "head_groups",
        "position_shift",
        "packing_isolation",
        "checkpointing",
    ]
    assert not {row.name for row in certify(ca.DotProductAttention(), level="correct").rows} & {*names, "like"}
    rows = certify(ca.DotProductAttention(), only=[*names, "like"]).rows
    assert {row.verdict for row in rows} == {"not applicable"}
    assert all("say" in row.detail or "name" in row.detail for row in rows)


def test_our_cache_and_our_recomputation_keep_their_promises():
    def cache(layer, x, kept):
        return layer(x, causal=True, cache=layer.create_cache(2, 6) if kept is None else kept)

    layer = ca.MultiHeadAttention(8, 2)
    layer(np.ones((1, 2, 8), "float32"))
    certificate = certify(
        layer,
        lambda layer, x: layer(x, causal=True),
        causal=True,
        cache=cache,
        recompute=True,
        level="correct",
    )
    assert certificate.broken == ()
    assert {"cache_equals_full", "checkpointing"} <= {row.name for row in certificate.rows if row.verdict == "held"}


def test_ids_have_no_gradient_to_compute_again():
    row = certify(
        lambda ids: tf.one_hot(ids, 10), lambda layer, ids: layer(ids), recompute=True, only=["checkpointing"]
    )
    assert row.rows[0].detail == "ids have no gradient"


def test_one_tensor_needs_no_description():
    dense = certify(keras.layers.Dense(4), only=["batch_independence", "lengths"])
    assert [row.verdict for row in dense.rows] == ["held", "held"]
    embedding = certify(keras.layers.Embedding(7, 4), only=["batch_independence"])
    assert embedding.rows[0].verdict == "held"
    assert certify(lambda x: x * 2, only=["lengths"]).rows[0].verdict == "held"
    assert certify(lambda ids: tf.one_hot(tf.cast(ids, tf.int32), 9), only=["lengths"]).rows[0].verdict == "held"


class TakesFourAxes(keras.Layer):
    """Takes its mask as `(batch, 1, query_length, key_length)` only."""

    def call(self, x, mask):
        assert len(mask.shape) == 4, "four axes"
        x = x[:, None]
        return ca.scaled_dot_product_attention(x, x, x, mask).output[:, 0]


def test_the_axes_of_a_mask_are_found_and_told():
    certificate = certify(TakesFourAxes(), lambda layer, x, mask: layer(x, mask), "blocked", level="correct")
    assert certificate.broken == ()
    assert certificate.notes[0].startswith(
        "the layer takes its mask as mask[:, None]: as mask alone it raises Assertion"
    )
    padding = certify(
        lambda x, padding: ca.scaled_dot_product_attention(x[:, None], x[:, None], x[:, None], padding).output[:, 0],
        lambda layer, x, padding: layer(x, padding),
        "blocked",
        only=["padding_invariance"],
    )
    assert padding.rows[0].verdict == "held"
    assert "padding[:, None, None]" in padding.notes[0]


def pooled(x, real, divide_by_all=False):
    real = tf.cast(real, tf.float32)[..., None]
    count = x.shape[1] if divide_by_all else tf.reduce_sum(real, axis=1)
    return tf.reduce_sum(x * real, axis=1) / count


ON_PADDING = lambda layer, x, padding: layer(x, padding)  # noqa: E731


def test_a_pooled_answer_is_judged_in_words_about_the_answer():
    certificate = certify(pooled, ON_PADDING, "huggingface", level="correct")
    assert certificate.broken == ()
    held = {row.name for row in certificate.rows if row.verdict == "held"}
    assert {"padding_invariance", "visible_keys_count", "batch_independence", "lengths", "modes_agree"} <= held
    wrong = certify(lambda x, real: pooled(x, real, True), ON_PADDING, "huggingface", level="correct")
    assert wrong.broken == ("padding_invariance",)
    assert wrong["padding_invariance"].detail == "the answer changes when the sentence is padded further"
    seen = certify(lambda x, real: tf.reduce_mean(x, axis=1), ON_PADDING, "huggingface", level="correct")
    assert seen["padding_invariance"].detail == "the answer changes with key 1, which is hidden from it"
    for certificate in (wrong, seen):
        row = certificate["padding_invariance"]
        layer = (
            (lambda x, real: pooled(x, real, True)) if certificate is wrong else lambda x, real: tf.reduce_mean(x, 1)
        )
        with pytest.raises(AssertionError):
            exec(row.example, {"layer": layer, "call": ON_PADDING})


def test_an_answer_that_minds_the_order_must_say_so():
    certificate = certify(keras.layers.LSTM(4), level="correct")
    assert certificate.broken == ("key_permutation",)
    assert certificate.cause.name == "positions_undeclared"
    assert certify(keras.layers.LSTM(4), positions=True, level="correct").broken == ()


def test_one_number_for_each_token_is_no_pooled_answer():
    certificate = certify(
        lambda x: tf.reduce_sum(x, axis=-1), only=["batch_independence", "lengths", "key_permutation"]
    )
    assert [row.verdict for row in certificate.rows] == ["held"] * 3
    assert "outputs in that order" in certificate["key_permutation"].detail


def test_a_subclass_is_not_taken_for_what_it_comes_from():
    class Mine(keras.layers.MultiHeadAttention):
        def build(self, shape):
            super().build(shape, shape)

        def call(self, x):
            return super().call(x, x)

    certificate = certify(Mine(2, 4), level="correct", only=["batch_independence"])
    assert certificate.rows[0].verdict == "held"


def test_a_model_of_a_dictionary_is_called_with_ids_and_padding():
    ids, real = keras.Input((None,), dtype="int32", name="token_ids"), keras.Input((None,), name="padding_mask")
    x = keras.layers.Embedding(12, 8)(ids)
    y = keras.layers.MultiHeadAttention(2, 4)(x, x, attention_mask=keras.ops.cast(real, bool)[:, None])
    model = keras.Model({"token_ids": ids, "padding_mask": real}, {"sequence_output": x + y})
    certificate = certify(model, level="correct")
    assert certificate.broken == ()
    assert "padding_invariance" in {row.name for row in certificate.rows if row.verdict == "held"}


def test_positions_that_are_counted_from_the_end_are_found():
    from_the_start = lambda x: x + ca.sinusoidal_encoding(x.shape[1], x.shape[2])  # noqa: E731
    from_the_end = lambda x: x + ca.sinusoidal_encoding(x.shape[1], x.shape[2])[::-1]  # noqa: E731
    assert certify(from_the_start, positions=True, only=["positions"])["positions"].verdict == "held"
    row = certify(from_the_end, positions=True, only=["positions"])["positions"]
    assert row.detail == "place 0 of 3 tokens is not place 0 of the same tokens with 3 more behind"
    with pytest.raises(AssertionError):
        exec(row.example, {"layer": from_the_end})


def test_bad_claims_are_refused_in_words():
    with pytest.raises(ValueError, match="window"):
        certify(ca.DotProductAttention(), window=0)
    with pytest.raises(TypeError, match="cache is a function"):
        certify(ca.DotProductAttention(), cache=5)
    with pytest.raises(ValueError, match="groups"):
        certify(ca.DotProductAttention(), groups="other")
    with pytest.raises(ValueError, match="level"):
        certify(ca.DotProductAttention(), level="some")


def test_an_allowance_that_nothing_needs_is_reported():
    certificate = certify(ca.DotProductAttention(), only=["lengths", "empty_query"])
    with pytest.warns(UserWarning, match="allow names empty_query, not broken any more"):
        certificate.raise_for_failures(allow=["empty_query"])


def test_the_promises_know_nothing_of_tensorflow():
    folder = Path(ca.certify.__code__.co_filename).parent
    rows = [*(folder / "causes").glob("*.py"), *(folder / f"{name}.py" for name in SPEAK_OF_ARRAYS)]
    for path in rows:
        assert not re.search(r"^(import|from) (tensorflow|keras)", path.read_text(encoding="utf-8"), re.M), path

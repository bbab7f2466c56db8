"""The cause is named: of every broken layer in the bank, and of its mended twin nothing is broken that counts first."""

import inspect

import keras
import numpy as np
import pytest
import tensorflow as tf
from broken_layers import BROKEN
from test_certify_faults import FAULTS

import clear_attention as ca
from clear_attention import certify
from clear_attention.certify import PROMISES
from clear_attention.certify.causes import EXPERIMENTS, SENTENCES
from clear_attention.certify.certificate import HARDENING

pytestmark = pytest.mark.filterwarnings("ignore:Layer .*mask:UserWarning")
FIRST = [n for n in PROMISES if n not in (*HARDENING, "modes_agree")]  # which compiles, and finds no cause


def rows_of(entry):
    claimed = {
        "window_extent",
        "cache_equals_full",
        "head_groups",
        "position_shift",
        "packing_isolation",
        "checkpointing",
    }
    return [n for n in FIRST if n not in claimed | {"like"}]


@pytest.mark.parametrize("name", BROKEN)
def test_the_cause_is_named_and_every_example_fails_when_pasted(name):
    entry = BROKEN[name]
    layer = entry.layer()
    certificate = certify(layer, entry.call, entry.convention, only=rows_of(entry), **entry.options)
    assert certificate.broken
    assert (certificate.cause and certificate.cause.name) == entry.cause, certificate.headline
    if entry.cause is None:
        assert "Cause not found; ruled out: not " in str(certificate)
    else:
        first = str(certificate).splitlines()[2].lower()
        assert first.startswith(f"cause: {SENTENCES[entry.cause][0].lower()}. proof: ")
    for row in (certificate[n] for n in certificate.broken):
        with pytest.raises(Exception):  # noqa: B017, PT011 - where the layer itself raises, so does the example
            exec(row.example, {"layer": layer, "call": entry.call})


@pytest.mark.parametrize("name", BROKEN)
def test_of_a_mended_twin_nothing_is_broken(name):
    entry = BROKEN[name]
    options = entry.mended_options or entry.options
    certificate = certify(entry.mended(), entry.call, entry.convention, only=rows_of(entry), **options)
    assert certificate.broken == ()
    assert certificate.cause is None


CAUSES = {
    "inverted mask": "mask_inverted",
    "inverted, and padding zeroed": "mask_inverted",
    "mask after the softmax": "mask_after_softmax",
    "-inf * mask": "infinity_times_zero",
    "off by one": "look_ahead_off_by_one",
    "upper left": "upper_left",
    "padding of queries": "padding_of_queries",
    "softmax over queries": "softmax_over_queries",
    "heads not transposed": "heads_not_transposed",
    "positions along depth": "position_axes_swapped",
    "pools over time": "future_not_hidden",
    "a softer mask": "mask_too_soft",
}


@pytest.mark.parametrize("name", FAULTS)
def test_no_planted_fault_gets_a_wrong_cause(name):
    layer, call, convention, row, options = FAULTS[name]
    certificate = certify(layer, call, convention, only=[row], **options)
    if row not in HARDENING:
        assert (certificate.cause and certificate.cause.name) == CAUSES.get(name)


def test_each_cause_has_words_an_experiment_a_room_and_a_layer_in_the_bank():
    assert {*SENTENCES} == {*EXPERIMENTS} == {entry.cause for entry in BROKEN.values()} - {None}
    assert (
        len({inspect.getsource(e.layer.func) if hasattr(e.layer, "func") else name for name, e in BROKEN.items()}) > 25
    )


def test_level_correct_leaves_the_hardening_out():
    certificate = certify(ca.DotProductAttention(), level="correct")
    assert {row.name for row in certificate.rows} == {row.name for row in certificate.first}
    assert not {row.name for row in certificate.rows} & {*HARDENING}


def test_a_wrong_scale_is_a_note():
    def scaled(factor):
        def attend(q, k, v, mask):
            scores = tf.matmul(q, k, transpose_b=True) * factor
            return tf.matmul(tf.nn.softmax(tf.where(mask == 1, -1e9, scores)), v)

        return certify(attend, lambda layer, q, k, v, mask: layer(q, k, v, mask), "blocked", level="correct")

    assert scaled(8**-0.5).notes == ()
    assert "not divided by the root of the depth (8)" in scaled(1.0).notes[0]
    assert "divided by the depth (8) and not by its root" in scaled(1 / 8).notes[0]
    assert "multiplied by 0.7" in scaled(0.7).notes[0]
    assert "Note: its scores" in str(scaled(1.0))


def test_like_compares_with_one_that_is_right():
    def plain(q, k, v, mask, factor=8**-0.5):
        scores = tf.where(mask == 1, -1e9, tf.matmul(q, k, transpose_b=True) * factor)
        return tf.matmul(tf.nn.softmax(scores), v)

    call, like = (lambda layer, q, k, v, mask: layer(q, k, v, mask)), ca.scaled_dot_product_attention
    assert certify(plain, call, "blocked", like=like, only=["like"])["like"].verdict == "held"
    row = certify(lambda *x: plain(*x, factor=0.3), call, "blocked", like=like, only=["like"])["like"]
    assert row.verdict == "broken"
    assert "away from scaled_dot_product_attention" in row.detail
    with pytest.raises(AssertionError):
        exec(row.example, {"layer": lambda *x: plain(*x, factor=0.3), "call": call, "like": like})
    exec(row.example, {"layer": plain, "call": call, "like": like})


def test_small_weights_are_made_larger_or_said_to_be_too_small():
    def model(spread, hide):
        start = keras.initializers.RandomNormal(stddev=spread, seed=1)
        ids = keras.Input((None,), dtype="int32")
        x = keras.layers.Embedding(11, 8, start)(ids)
        x = x + keras.layers.MultiHeadAttention(2, 4, kernel_initializer=start)(x, x, use_causal_mask=hide)
        return keras.Model(ids, keras.layers.Dense(11, kernel_initializer=start)(x))

    leaky = model(0.005, False)
    before = leaky.get_weights()
    certificate = certify(leaky, causal=True, level="correct")
    assert "no_future_leak" in certificate.broken
    assert certificate.cause.name == "future_not_hidden"
    assert "so small" in certificate.notes[0]
    for one, other in zip(before, leaky.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(AssertionError):
        exec(certificate["no_future_leak"].example, {"layer": leaky})
    assert certify(model(0.005, True), causal=True, level="correct").broken == ()

    def faint(x):
        return 1e-9 * tf.reduce_mean(x, axis=1, keepdims=True) + 1e-9 * x

    row = certify(faint, causal=True, only=["no_future_leak", "visible_keys_count"])["no_future_leak"]
    assert row.verdict == "not applicable"
    assert "too small to judge" in row.detail


def test_what_rests_on_a_finite_output_is_not_held_by_nan():
    certificate = certify(lambda q, k, v: q * np.nan, lambda layer, q, k, v: layer(q, k, v))
    assert certificate.broken == ("finite_gradients",)
    held = {row.name for row in certificate.rows if row.verdict == "held"}
    assert held <= {"repeatable", "lengths", "modes_agree"}


class FaintPositions(keras.Layer):
    """Knows distances, by weights so small that a swap of two tokens changes nothing that counts."""

    def build(self, shape):
        self.bias = self.add_weight(shape=(16, 16), initializer=keras.initializers.RandomNormal(stddev=1e-6, seed=1))

    def call(self, x):
        length = x.shape[1]
        scores = tf.matmul(x, x, transpose_b=True) / 8**0.5 + self.bias[:length, :length]
        return tf.matmul(tf.nn.softmax(scores), x)


def test_faint_positions_are_tried_with_larger_weights_before_they_are_denied():
    layer = FaintPositions()
    layer(np.ones((1, 2, 8), "float32"))
    assert certify(layer, positions=True, only=["positions"])["positions"].verdict == "held"

"""Positions: the formula written by hand, its laws, the axis the length is read from, and every refusal."""

import math
import sys
from concurrent.futures import ThreadPoolExecutor

import keras
import numpy as np
import pytest
import tensorflow as tf
from compare import close
from samples import random_tensors, saved_and_loaded

from clear_attention import PositionalEncoding, positions, sinusoidal_encoding

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
IDS = np.array([[7, 6, 0, 0, 1], [1, 2, 3, 0, 0], [0, 0, 0, 4, 5]])
MODES = {
    "eager": lambda f, *signature: f,
    "graph": lambda f, *signature: tf.function(f, signature),
    "XLA": lambda f, *signature: tf.function(f, signature, jit_compile=True),
}


def by_hand(places, depth, n=10000):
    """Write the formula as it stands in the paper, number by number, in Python's float64."""
    rows = []
    for p in places:
        row = []
        for channel in range(depth):
            i = channel // 2
            wave = math.cos if channel % 2 else math.sin
            row.append(wave(p / n ** (2 * i / depth)))
        rows.append(row)
    return np.array(rows)


def example(*shape):
    return random_tensors(shape)[0]


# sinusoidal_encoding


@pytest.mark.parametrize("length", [1, 2, 7, 50])
@pytest.mark.parametrize("depth", [1, 2, 3, 8, 11, 64])
@pytest.mark.parametrize("n", [10000, 100, 2.5, 1, 0.5])
def test_is_the_formula_rounded_once(length, depth, n):
    encoding = sinusoidal_encoding(length, depth, n)
    assert encoding.shape == (length, depth)
    assert encoding.dtype == tf.float32
    np.testing.assert_allclose(encoding, by_hand(range(length), depth, n), rtol=6e-8, atol=1e-13)


def test_sine_and_cosine_of_one_wave_stand_side_by_side():
    encoding = sinusoidal_encoding(length=7, depth=4).numpy()
    places = np.arange(7)
    for channel, wave in enumerate([np.sin(places), np.cos(places), np.sin(places / 100), np.cos(places / 100)]):
        close(encoding[:, channel], wave, 1e-7)


@pytest.mark.parametrize("depth", [1, 3, 5, 11])
def test_an_odd_depth_ends_with_a_sine_and_no_channel_is_0(depth):
    encoding = sinusoidal_encoding(7, depth).numpy()
    close(encoding[:, -1], np.sin(np.arange(7) / 10000 ** ((depth - 1) / depth)), 1e-7)
    assert np.all(np.any(encoding != 0, axis=0))
    np.testing.assert_array_equal(encoding[0], np.arange(depth) % 2)  # position 0: sin 0 = 0, cos 0 = 1


def test_each_pair_is_a_point_on_a_circle():
    pairs = sinusoidal_encoding(50, 12).numpy().reshape(50, 6, 2)
    close(np.sum(pairs**2, axis=-1), np.ones((50, 6)))


@pytest.mark.parametrize("shift", [1, 5, 17])
def test_a_shift_turns_each_pair_by_one_angle_wherever_it_stands(shift):
    pairs = sinusoidal_encoding(50, 12).numpy().reshape(50, 6, 2)
    angles = [shift / 10000 ** (2 * i / 12) for i in range(6)]
    for i, angle in enumerate(angles):
        turn = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]  # (sin, cos) @ turn
        close(pairs[:-shift, i] @ turn, pairs[shift:, i])


def test_a_longer_encoding_begins_with_the_shorter():
    np.testing.assert_array_equal(sinusoidal_encoding(50, 11)[:7], sinusoidal_encoding(7, 11))


@pytest.mark.parametrize("mode", MODES)
def test_the_length_may_be_a_tensor(mode):
    encode = MODES[mode](lambda x: sinusoidal_encoding(tf.shape(x)[0], 5), tf.TensorSpec([None]))
    close(encode(tf.zeros(7)), by_hand(range(7), 5), 1e-7)


def test_far_positions_are_exact_where_float32_would_be_off():
    encoding = sinusoidal_encoding(10_001, 6).numpy()[-50:]
    exact = by_hand(range(9951, 10_001), 6)
    np.testing.assert_allclose(encoding, exact, rtol=6e-8, atol=1e-11)
    rates = (10000 ** (-np.arange(0, 6, 2) / 6)).astype("float32")
    single = np.sin(np.arange(9951, 10_001, dtype="float32")[:, None] * rates)
    assert np.max(np.abs(single - exact[:, ::2])) > 1e-5


# PositionalEncoding


@pytest.mark.parametrize("leading", [(), (2,), (2, 3), (2, 3, 4)])
@pytest.mark.parametrize(("length", "depth"), [(7, 8), (7, 5), (8, 8), (1, 8), (8, 1)])
def test_adds_the_waves_of_the_axis_before_the_last(leading, length, depth):
    x = example(*leading, length, depth)
    output = PositionalEncoding()(x)
    assert output.shape == x.shape
    np.testing.assert_array_equal(output, x + sinusoidal_encoding(length, depth))


def test_n_is_that_of_the_formula():
    close(PositionalEncoding(n=20)(np.zeros((2, 7, 5)))[1], by_hand(range(7), 5, 20), 1e-7)


@pytest.mark.parametrize(
    "shape", [(None, 8), (None, None, 8), (2, None, 8), (None, 7, 8), (None, 8, 8), (None, 1, 8), (None, 3, None, 8)]
)
def test_symbolic_shapes_stay_as_they_are(shape):
    assert PositionalEncoding()(keras.Input(batch_shape=shape)).shape == shape


@pytest.mark.parametrize("policy", ["float16", "bfloat16", "float32", "float64", "mixed_float16", "mixed_bfloat16"])
def test_computes_in_the_dtype_of_its_policy(policy):
    layer = PositionalEncoding(dtype=policy)
    output = layer(tf.zeros((2, 7, 5), layer.compute_dtype))
    assert output.dtype == layer.compute_dtype
    rounded = np.asarray(tf.cast(by_hand(range(7), 5), layer.compute_dtype), float)
    close(output[1], rounded, 1e-15 if policy == "float64" else 6e-8)


def test_float64_is_exact_at_far_positions():
    output = PositionalEncoding(dtype="float64")(np.zeros((1, 2, 6)), positions=[9_999, 10_000])
    close(output[0], by_hand([9_999, 10_000], 6), 1e-11)


def test_waves_are_computed_once_and_again_only_for_a_longer_or_deeper_input(monkeypatch):
    asked, waves = [], positions.waves

    def counting(places, depth, n):
        asked.append((len(places), depth))
        return waves(places, depth, n)

    monkeypatch.setattr(positions, "waves", counting)
    layer = PositionalEncoding()
    for length in (5, 3, 5, 9, 1, 9, 4):
        close(layer(np.zeros((2, length, 6)))[1], by_hand(range(length), 6), 1e-7)
    assert asked == [(5, 6), (9, 6)]
    close(layer(np.zeros((2, 4, 7)))[1], by_hand(range(4), 7), 1e-7)  # another depth is another wave
    assert asked == [(5, 6), (9, 6), (4, 7)]


def test_waves_computed_inside_a_graph_serve_outside_of_it():
    layer, x = PositionalEncoding(), example(2, 7, 5)
    in_graph = tf.function(layer)(x)
    np.testing.assert_array_equal(layer(x), in_graph)
    np.testing.assert_array_equal(tf.function(lambda x: layer(x))(x[:, :3]), in_graph[:, :3])


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_eager_graph_and_xla_agree_on_lengths_that_are_unknown(mode, given):
    x, places = example(3, 7, 5), np.array([[0] * 3 + [*range(4)], [*range(7)], [*range(90, 97)]], "int32")
    expected = x + np.stack([by_hand(row if given else range(7), 5) for row in places])
    layer = PositionalEncoding()

    def call(x, places):
        return layer(x, positions=places) if given else layer(x)

    step = MODES[mode](call, tf.TensorSpec((None, None, 5)), tf.TensorSpec((None, None), tf.int32))
    close(step(tf.constant(x), tf.constant(places)), expected)
    assert layer(x).shape == (3, 7, 5)


def test_gradients_pass_unchanged():
    x = tf.constant(example(2, 7, 5))
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(PositionalEncoding()(x) * 3)
    np.testing.assert_array_equal(tape.gradient(loss, x), np.full((2, 7, 5), 3))


# Positions that are given


@pytest.mark.parametrize("given", [[4, 0, 9], [[4, 0, 9]], [[4, 0, 9], [1, 2, 3]], [[[4, 0, 9]], [[1, 2, 3]]]])
def test_given_positions_say_where_each_token_stands(given):
    output = PositionalEncoding()(np.zeros((2, 2, 3, 5)), positions=given)
    expected = np.broadcast_to(np.array(given), (2, 2, 3))
    for a, b in np.ndindex(2, 2):
        close(output[a, b], by_hand(expected[a, b], 5), 1e-7)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_a_sentence_is_continued_where_it_stopped(dtype):
    x, layer = example(2, 7, 5), PositionalEncoding()
    continued = layer(x[:, 4:], positions=np.arange(4, 7, dtype=dtype))
    close(continued, layer(x)[:, 4:], 1e-7)


def test_padding_on_the_left_leaves_the_sentence_where_it_was():
    x, layer = example(1, 4, 5), PositionalEncoding()
    padded = np.concatenate([np.zeros((1, 3, 5), "float32"), x], axis=1)
    close(layer(padded, positions=[[0, 0, 0, 0, 1, 2, 3]])[:, 3:], layer(x), 1e-7)


# In Keras models


def test_dropout_acts_only_in_training_and_on_the_sums():
    x, layer = example(2, 7, 5), PositionalEncoding(dropout=0.5)
    sums = x + sinusoidal_encoding(7, 5)
    np.testing.assert_array_equal(layer(x), sums)
    np.testing.assert_array_equal(layer(x, training=False), sums)
    trained = np.array(layer(x, training=True))
    kept = trained != 0
    assert 0 < np.mean(kept) < 1
    close(trained, np.where(kept, sums * 2, 0))
    assert np.any(trained != layer(x, training=True))


@pytest.mark.parametrize("given", [False, True])
def test_keeps_the_mask_that_keras_attaches(given):
    embed, layer = keras.layers.Embedding(8, 6, mask_zero=True), PositionalEncoding(dropout=0.1)
    places = np.arange(5) if given else None
    np.testing.assert_array_equal(layer(embed(IDS), positions=places)._keras_mask, IDS != 0)
    ids = keras.Input((None,), dtype="int32")
    model = keras.Model(ids, layer(embed(ids), positions=None))
    np.testing.assert_array_equal(model(IDS)._keras_mask, IDS != 0)
    assert getattr(layer(example(2, 5, 6)), "_keras_mask", None) is None


def test_saves_and_loads_bit_identically(tmp_path):
    x, places = keras.Input((None, 5)), keras.Input((None,), dtype="int32")
    layer = PositionalEncoding(n=77, dropout=0.25, name="waves")
    model = keras.Model([x, places], [layer(x), layer(x, positions=places)])
    loaded = saved_and_loaded(model, tmp_path)
    config = loaded.get_layer("waves").get_config()
    assert config == layer.get_config()
    assert (config["n"], config["dropout"]) == (77, 0.25)
    inputs = [example(3, 7, 5), np.arange(21).reshape(3, 7)]
    for before, after in zip(model(inputs), loaded(inputs), strict=True):
        np.testing.assert_array_equal(after, before)


def test_trains_with_fit_in_half_precision():
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(8, 6, mask_zero=True, dtype="mixed_float16")(ids)
    x = PositionalEncoding(dropout=0.1, dtype="mixed_float16")(x)
    assert x.dtype == "float16"
    model = keras.Model(ids, keras.layers.Dense(1, dtype="float32")(x))
    model.compile("adam", "mse")
    before = [w.numpy() for w in model.trainable_variables]
    assert np.all(np.isfinite(model.fit(IDS, np.ones((3, 5, 1)), verbose=0).history["loss"]))
    assert all(np.any(w.numpy() != old) for w, old in zip(model.trainable_variables, before, strict=True))


def test_nested_lists_come_in():
    x = example(2, 3, 5)
    np.testing.assert_array_equal(PositionalEncoding()(x.tolist()), PositionalEncoding()(x))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: sinusoidal_encoding(0, 4), ValueError, "length is a size.*length=0"),
        (lambda x: sinusoidal_encoding(3, 0), ValueError, "depth is a size.*depth=0"),
        (lambda x: sinusoidal_encoding(3.0, 4), TypeError, "length=3.0 of type float"),
        (lambda x: sinusoidal_encoding(3, "4"), TypeError, "depth='4' of type str"),
        (lambda x: sinusoidal_encoding(3, True), TypeError, "depth=True"),
        (lambda x: sinusoidal_encoding(tf.constant([3]), 4), TypeError, r"length is a size.*shape \(1,\)"),
        (lambda x: sinusoidal_encoding(3, 4, n=0), ValueError, "n > 0.*n=0"),
        (lambda x: sinusoidal_encoding(3, 4, n=-1.5), ValueError, "n=-1.5"),
        (lambda x: sinusoidal_encoding(3, 4, n=math.nan), ValueError, "finite number above 0.*n=nan"),
        (lambda x: sinusoidal_encoding(3, 4, n=math.inf), ValueError, "n=inf"),
        (lambda x: sinusoidal_encoding(3, 4, n="many"), TypeError, "n='many' of type str"),
        (lambda x: PositionalEncoding(n=0), ValueError, "n=0"),
        (lambda x: PositionalEncoding(n=True), TypeError, "n=True"),
        (lambda x: PositionalEncoding(dropout=1.0), ValueError, r"dropout in \[0, 1\).*dropout=1.0"),
        (lambda x: PositionalEncoding(dropout=-0.1), ValueError, "dropout=-0.1"),
        (lambda x: PositionalEncoding(dropout="half"), TypeError, "dropout='half'"),
        (lambda x: PositionalEncoding()(IDS), TypeError, "ids become vectors in an Embedding layer.*x.dtype=int64"),
        (lambda x: PositionalEncoding()(x[0, 0]), ValueError, r"length axis and a depth axis.*x.shape=\(5,\)"),
        (lambda x: PositionalEncoding()(x[:, :0]), ValueError, r"each of at least 1.*x.shape=\(2, 0, 5\)"),
        (lambda x: PositionalEncoding()(x, np.arange(7.0)), TypeError, "integers.*positions.dtype=float"),
        (lambda x: PositionalEncoding()(x, np.arange(6)), ValueError, r"length 7.*positions.shape=\(6,\), x.shape"),
        (lambda x: PositionalEncoding()(x, [3]), ValueError, r"length 7.*positions.shape=\(1,\), x.shape=\(2, 7, 5\)"),
        (lambda x: PositionalEncoding()(x, [[3], [4]]), ValueError, r"positions.shape=\(2, 1\)"),
        (lambda x: PositionalEncoding()(x, np.zeros((3, 7), int)), ValueError, r"positions.shape=\(3, 7\)"),
        (lambda x: PositionalEncoding()(x, np.zeros((2, 7, 5), int)), ValueError, r"positions.shape=\(2, 7, 5\)"),
        (lambda x: PositionalEncoding()(x, positions=3), ValueError, r"positions.shape=\(\)"),
    ],
)
def test_bad_input_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call(example(2, 7, 5))


def test_threads_with_texts_of_other_lengths_do_not_disturb_each_other():
    layer, lengths = PositionalEncoding(), [1, 2, 3, 5, 8, 13]
    depths = [4, 6]
    inputs = [np.zeros((1, length, depth), "float32") for length in lengths for depth in depths]
    expected = [PositionalEncoding()(x).numpy() for x in inputs]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            order = np.random.default_rng(0).integers(0, len(inputs), 3000)
            found = list(pool.map(lambda i: np.array(layer.encoding_of(tf.constant(inputs[i]))), order))
    finally:
        sys.setswitchinterval(interval)
    for i, encoding in zip(order, found, strict=True):
        assert encoding.shape == inputs[i].shape[1:]
        np.testing.assert_allclose(encoding, expected[i][0], atol=1e-6)

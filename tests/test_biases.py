"""Biases that follow from distances: published values, one number for each distance, tables that are shared."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from clear_attention import (
    AlibiBias,
    DistanceBias,
    Encoder,
    MultiHeadAttention,
    RelativePositionBias,
    alibi_bias,
    create_look_ahead_mask,
    relative_position_buckets,
    scaled_dot_product_attention,
)
from clear_attention.biases import alibi_slopes, diagonal_sums, on_diagonals

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def test_alibi_has_the_slopes_of_its_paper():
    np.testing.assert_allclose(alibi_slopes(8), [1 / 2**i for i in range(1, 9)])
    np.testing.assert_allclose(alibi_slopes(16)[:4], [2**-0.5, 2**-1, 2**-1.5, 2**-2], rtol=1e-6)
    # 12 heads: those of 8, then every other one of 16
    np.testing.assert_allclose(alibi_slopes(12), [*alibi_slopes(8), *alibi_slopes(16)[::2][:4]])
    assert len(alibi_slopes(1)) == 1
    assert alibi_slopes(1)[0] == 2**-8


def test_alibi_counts_from_the_last_key():
    bias = alibi_bias(4, 2, 5).numpy()
    assert bias.shape == (4, 2, 5)
    np.testing.assert_array_equal(bias[0, 1], [-1, -0.75, -0.5, -0.25, 0])  # slope 2^-2
    np.testing.assert_array_equal(bias[0, 0], [-0.75, -0.5, -0.25, 0, -0.25])


def by_the_formula(distance, num_buckets, max_distance, bidirectional):
    """Sort one distance into its bucket as section 2.1 of the paper's program does, with a logarithm."""
    bucket, n = 0, -distance
    if bidirectional:
        num_buckets //= 2
        bucket += num_buckets if n < 0 else 0
        n = abs(n)
    n = max(n, 0)
    exact = num_buckets // 2
    if n < exact:
        return bucket + n
    step = np.log(n / exact) / np.log(max_distance / exact) * (num_buckets - exact)
    return bucket + min(exact + int(step + 1e-9), num_buckets - 1)


@pytest.mark.parametrize("sizes", [(32, 128, True), (32, 128, False), (8, 20, True), (6, 100, False), (2, 3, False)])
def test_buckets_are_those_of_the_formula(sizes):
    distances = np.arange(-300, 301)
    expected = [by_the_formula(int(d), *sizes) for d in distances]
    np.testing.assert_array_equal(relative_position_buckets(distances, *sizes), expected)
    np.testing.assert_array_equal(relative_position_buckets(distances.reshape(1, 1, 601), *sizes)[0, 0], expected)


def test_what_is_not_said_is_what_t5_has():
    distances = np.arange(-300, 301)
    np.testing.assert_array_equal(
        relative_position_buckets(distances), relative_position_buckets(distances, 32, 128, True)
    )
    config = RelativePositionBias().get_config()
    expected = {"num_buckets": 32, "max_distance": 128, "bidirectional": True}
    assert {name: config[name] for name in expected} == expected


def test_a_bias_by_distance_is_the_matrix_written_out():
    values = np.random.default_rng(0).normal(size=(2, 3, 8)).astype("float32")  # 4 queries, 5 keys
    matrix = DistanceBias(values).between(4, 5).numpy()
    for i, j in np.ndindex(4, 5):
        np.testing.assert_array_equal(matrix[..., i, j], values[..., j - i + 3])


def test_writing_on_diagonals_and_summing_along_them_are_each_others_gradient():
    rng = np.random.default_rng(1)
    values, matrix = tf.constant(rng.normal(size=(2, 8))), tf.constant(rng.normal(size=(2, 4, 5)))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([values, matrix])
        written, summed = on_diagonals(values, 4), diagonal_sums(matrix)
    np.testing.assert_allclose(tape.gradient(written, values, matrix), summed, atol=1e-14)
    np.testing.assert_allclose(tape.gradient(summed, matrix, values), written, atol=1e-14)


@pytest.mark.parametrize("blockwise", [False, True])
def test_a_layer_with_alibi_adds_alibi(blockwise):
    x = np.random.default_rng(2).normal(size=(2, 6, 8)).astype("float32")
    layer = MultiHeadAttention(8, 2, position_bias=AlibiBias(), blockwise=blockwise)
    plain = MultiHeadAttention(8, 2, blockwise=False)
    expected = layer(x, causal=True)
    plain.build(x.shape)
    plain.set_weights(layer.get_weights())
    np.testing.assert_allclose(plain(x, causal=True, bias=alibi_bias(2, 6)), expected, atol=1e-6)


def test_its_numbers_are_those_of_the_function():
    bias = AlibiBias()
    bias.for_heads(2)
    np.testing.assert_array_equal(bias([-2, -1, 0]), alibi_bias(2, 1, 3)[:, 0])


@pytest.mark.parametrize("bias", [AlibiBias, RelativePositionBias])
def test_a_layer_that_has_one_saves_and_loads(bias, tmp_path):
    inputs = keras.Input((None, 8))
    model = keras.Model(inputs, MultiHeadAttention(8, 2, position_bias=bias())(inputs))
    model.save(tmp_path / "model.keras")
    x = np.random.default_rng(8).normal(size=(2, 5, 8)).astype("float32")
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "model.keras")(x), model(x))


@pytest.mark.parametrize("bias", [AlibiBias, RelativePositionBias])
def test_pieces_with_a_cache_get_the_numbers_of_the_whole(bias):
    x = np.random.default_rng(3).normal(size=(2, 7, 8))
    layer = MultiHeadAttention(8, 2, position_bias=bias(), dtype="float64")
    expected = layer(x, causal=True)
    cache, pieces = layer.create_cache(2, 9), []
    for first, last in ((0, 3), (3, 4), (4, 7)):
        piece, cache = layer(x[:, first:last], causal=True, cache=cache)
        pieces.append(piece)
    np.testing.assert_allclose(np.concatenate(pieces, axis=1), expected, atol=1e-12)


def test_a_table_learns_what_its_buckets_are_told():
    bias = RelativePositionBias(num_buckets=4, max_distance=4, bidirectional=False)
    layer = MultiHeadAttention(8, 2, position_bias=bias)
    x = np.random.default_rng(4).normal(size=(1, 5, 8)).astype("float32")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(x, causal=True) ** 2)
    slopes = tape.gradient(loss, bias.table.value)
    assert slopes.shape == (4, 2)
    assert np.all(np.abs(slopes) > 1e-6)
    step = 1e-3  # a finite difference of one number of the table
    before = bias.table.numpy()
    losses = []
    for sign in (1, -1):
        moved = before.copy()
        moved[1, 0] += sign * step
        bias.table.assign(moved)
        losses.append(float(tf.reduce_sum(tf.cast(layer(x, causal=True), "float64") ** 2)))
    np.testing.assert_allclose((losses[0] - losses[1]) / (2 * step), slopes[1, 0], rtol=2e-2)


def test_one_table_is_shared_by_all_layers_and_after_loading_too(tmp_path):
    encoder = Encoder(3, 8, 2, 12, self_attention={"position_bias": RelativePositionBias(num_buckets=8)})
    x = keras.Input((None, 8))
    model = keras.Model(x, encoder(x))
    tables = [w for w in model.weights if w.path.endswith("table")]
    assert len(tables) == 1
    tables[0].assign(np.random.default_rng(5).normal(size=(8, 2)))
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert again.count_params() == model.count_params()
    data = np.random.default_rng(6).normal(size=(2, 5, 8)).astype("float32")
    np.testing.assert_array_equal(again(data), model(data))


def test_layers_that_share_a_table_have_equally_many_heads():
    bias = RelativePositionBias()
    MultiHeadAttention(8, 2, position_bias=bias).build((None, None, 8))
    with pytest.raises(ValueError, match="equally many"):
        MultiHeadAttention(8, 4, position_bias=bias).build((None, None, 8))


def test_a_hidden_bias_changes_nothing_and_a_visible_nan_shows():
    x = np.random.default_rng(7).normal(size=(1, 4, 3))
    mask, bias = create_look_ahead_mask(4).numpy(), np.zeros((4, 4))
    expected = scaled_dot_product_attention(x, x, x, mask, bias=bias).output
    for strange in (np.nan, np.inf, -np.inf, 1e300):
        hidden = np.where(mask == 1, strange, bias)
        with tf.GradientTape() as tape:
            q = tf.Variable(x)
            output = scaled_dot_product_attention(q, x, x, mask, bias=hidden).output
        np.testing.assert_array_equal(output, expected)
        assert np.isfinite(tape.gradient(output, q)).all()
    seen = bias.copy()
    seen[2, 1] = np.inf
    output = scaled_dot_product_attention(x, x, x, mask, bias=seen).output.numpy()
    assert np.isnan(output[0, 2]).all()
    assert np.isfinite(output[0, [0, 1, 3]]).all()

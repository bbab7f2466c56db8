"""The layer: the function's numbers in every way Keras can call it, and the calls it refuses."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from samples import random_tensors, saved_and_loaded

from clear_attention import (
    Attention,
    DotProductAttention,
    create_look_ahead_mask,
    create_padding_mask,
    scaled_dot_product_attention,
)

# Keras saves through NumPy's old __array__ protocol, which NumPy 2 warns about; nothing of ours is involved.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
IDS = np.array([[7, 6, 0, 0, 1], [1, 2, 3, 0, 0], [0, 0, 0, 4, 5]])


def example():
    return random_tensors((2, 5, 11), (2, 7, 11), (2, 7, 13))


def same(actual, expected):
    np.testing.assert_array_equal(np.asarray(actual, float), np.asarray(expected, float))


def test_is_the_function():
    q, k, v = example()
    mask = create_look_ahead_mask(5, 7)
    expected = scaled_dot_product_attention(q, k, v, mask)
    layer = DotProductAttention()
    same(layer(q, k, v, mask=mask), expected.output)
    same(layer(*map(tf.constant, (q, k, v)), 11, mask), expected.output)  # the published call
    same(layer(queries=q, keys=k, values=v, d_k=11, mask=mask), expected.output)


def test_the_output_has_the_shape_of_its_values():
    assert DotProductAttention().compute_output_shape((2, 3, 4), (2, 5, 4), (2, 5, 6)) == (2, 3, 6)
    assert DotProductAttention().compute_output_shape((None, None, 4), (None, 7, 4), (None, 7, 6)) == (None, None, 6)


def test_asking_for_weights_never_changes_the_output():
    q, k, v = example()
    result = DotProductAttention()(q, k, v, return_weights=True)
    assert isinstance(result, Attention)
    same(result.output, DotProductAttention()(q, k, v))
    same(result.weights, scaled_dot_product_attention(q, k, v).weights)


def test_has_no_weights():
    layer = DotProductAttention()
    layer(*example())
    assert layer.weights == []


def masked_model(**options):
    """Embed ids, so that Keras attaches the mask of the real ones, and attend."""
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(8, 6, mask_zero=True)(ids)
    return keras.Model(ids, [x, *DotProductAttention(**options)(x, x, x, return_weights=True)])


def test_honours_the_masks_that_keras_attaches():
    x, output, weights = masked_model()(IDS)
    real = IDS != 0
    mask = np.array(create_padding_mask(IDS))[:, 0] + ~real[:, :, None] > 0
    expected = scaled_dot_product_attention(x, x, x, mask)
    same(output, expected.output)
    same(weights, expected.weights)
    assert np.all(np.asarray(output)[~real] == 0)
    same(output._keras_mask, real)  # the next layer sees it too


@pytest.mark.parametrize("masked", ["queries", "keys", "values"])
def test_each_implicit_mask_counts(masked):
    (x,) = random_tensors((3, 5, 6))
    real = IDS != 0
    tensors = {name: tf.constant(x) for name in ("queries", "keys", "values")}
    tensors[masked]._keras_mask = tf.constant(real)
    weights = np.array(DotProductAttention()(**tensors, return_weights=True).weights)
    hidden = np.broadcast_to((~real)[:, :, None] if masked == "queries" else (~real)[:, None], weights.shape)
    same(weights == 0, hidden)


def test_a_mask_of_texts_fits_tensors_with_heads():
    (x,) = random_tensors((3, 2, 5, 6))  # (batch, heads, length, depth)
    real = IDS != 0
    masked = tf.constant(x)
    masked._keras_mask = tf.constant(real)
    hidden = ~real[:, None, :, None] | ~real[:, None, None, :]
    same(DotProductAttention()(masked, masked, masked), scaled_dot_product_attention(x, x, x, hidden).output)


def test_the_same_masked_queries_and_keys_count_when_the_values_have_no_mask():
    x = keras.layers.Embedding(8, 4, mask_zero=True)(IDS)
    values = tf.random.stateless_normal((3, 5, 4), seed=(1, 2))
    expected = scaled_dot_product_attention(x.numpy(), x.numpy(), values, create_padding_mask(IDS)[:, 0]).output
    same(DotProductAttention()(x, x, values), np.where(IDS[..., None] == 0, 0, expected))


def test_explicit_and_implicit_masks_add_up():
    ids = keras.Input((5,), dtype="int32")
    x = keras.layers.Embedding(8, 6, mask_zero=True)(ids)
    causal = keras.Model(ids, DotProductAttention()(x, x, x, mask=create_look_ahead_mask(5), return_weights=True)[1])
    weights = np.array(causal(IDS))
    real = IDS != 0
    visible = np.tril(np.ones((5, 5))) * real[:, None] * real[:, :, None]
    same(weights > 0, visible)


def test_the_mask_argument_is_not_taken_for_the_mask_of_the_output():
    look_ahead = create_look_ahead_mask(5)
    x = tf.random.stateless_normal((3, 5, 6), seed=(1, 2))
    assert getattr(DotProductAttention()(x, x, x, mask=look_ahead), "_keras_mask", None) is None
    embedded = keras.layers.Embedding(8, 6, mask_zero=True)(IDS)
    same(DotProductAttention()(embedded, embedded, embedded, mask=look_ahead)._keras_mask, IDS != 0)


def test_nested_lists_come_in():
    q, k, v = example()
    mask = create_look_ahead_mask(5, 7)
    from_lists = DotProductAttention()(q.tolist(), k.tolist(), v.tolist(), mask=mask.numpy().tolist())
    same(from_lists, DotProductAttention()(q, k, v, mask=mask))


def test_symbolic_shapes_are_the_real_ones():
    q, k, v = keras.Input((None, 11)), keras.Input((7, 11)), keras.Input((7, 13))
    output, weights = DotProductAttention()(q, k, v, return_weights=True)
    assert output.shape == (None, None, 13)
    assert weights.shape == (None, None, 7)
    assert DotProductAttention()(q, k, v).shape == (None, None, 13)


def test_saves_and_loads_bit_identically(tmp_path):
    model = masked_model(name="look")
    loaded = saved_and_loaded(model, tmp_path)
    assert loaded.get_layer("look").get_config() == model.get_layer("look").get_config()
    for before, after in zip(model(IDS), loaded(IDS), strict=True):
        same(after, before)


@pytest.mark.parametrize("jit_compile", [False, True])
def test_trains_with_fit(jit_compile):
    keras.utils.set_random_seed(0)
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(8, 6, mask_zero=True)(ids)
    model = keras.Model(ids, keras.layers.Dense(1)(DotProductAttention()(x, x, x)))
    model.compile("adam", "mse", jit_compile=jit_compile)
    before = [w.numpy() for w in model.trainable_variables]
    history = model.fit(IDS, np.ones((3, 5, 1)), epochs=2, verbose=0)
    assert history.history["loss"][1] < history.history["loss"][0]
    assert all(np.any(w.numpy() != old) for w, old in zip(model.trainable_variables, before, strict=True))


@pytest.mark.parametrize("policy", ["float32", "float64", "float16", "bfloat16", "mixed_float16", "mixed_bfloat16"])
def test_computes_in_the_dtype_of_its_policy(policy):
    layer = DotProductAttention(dtype=policy)
    q, k, v = example()
    inputs = [tf.cast(x, layer.compute_dtype) for x in (q, k, v)]
    result = layer(q, k, v, mask=create_look_ahead_mask(5, 7), return_weights=True)
    assert {x.dtype.name for x in result} == {layer.compute_dtype}
    same(result.output, scaled_dot_product_attention(*inputs, create_look_ahead_mask(5, 7)).output)


def test_gradients_reach_queries_keys_and_values():
    tensors = [tf.constant(x) for x in example()]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        loss = tf.reduce_sum(DotProductAttention()(*tensors) ** 2)
    assert all(np.all(np.isfinite(g)) and np.any(g != 0) for g in tape.gradient(loss, tensors))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda q, k, v: DotProductAttention(q, k, v, 11), TypeError, "built first.*Received: 4 positional arguments"),
        (lambda q, k, v: DotProductAttention(q), TypeError, r"DotProductAttention\(\)\(queries, keys, values\)"),
        (lambda q, k, v: DotProductAttention()(q, k, v, 12), ValueError, "d_k=11.*d_k=12, keys.shape"),
        (lambda q, k, v: DotProductAttention()(q, k, v, 0), ValueError, "positive integer"),
        (lambda q, k, v: DotProductAttention()(q, None, v), TypeError, "keys=None"),
        (lambda q, k, v: DotProductAttention()(q, k, v, return_weights=1), TypeError, "return_weights=1"),
        (lambda q, k, v: DotProductAttention()(q, k, v, 11.0), TypeError, "d_k=11.0 of type float"),
        (lambda q, k, v: DotProductAttention()(q, k, v[:, :3]), ValueError, "each key comes with one value"),
        (lambda q, k, v: DotProductAttention()(q.astype(int), k, v), TypeError, "q.dtype=int64"),
        (lambda q, k, v: DotProductAttention()(q, k, v, mask=np.full((5, 7), -1e9)), ValueError, "convert_mask"),
    ],
)
def test_bad_calls_are_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call(*example())


def test_the_output_has_the_depth_of_the_values_which_are_the_keys_unless_given():
    shape = DotProductAttention().compute_output_shape
    assert shape((2, 3, 4)) == (2, 3, 4)
    assert shape((2, 3, 4), (2, 5, 6)) == (2, 3, 6)
    assert shape((2, 3, 4), (2, 5, 4), (2, 5, 7)) == (2, 3, 7)

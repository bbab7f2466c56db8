"""Blockwise attention: the numbers and gradients of the plain function, in every mode, and what it refuses."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from clear_attention import (
    blockwise_attention,
    create_look_ahead_mask,
    create_padding_mask,
    create_window_mask,
    scaled_dot_product_attention,
)

RNG = np.random.default_rng(0)
PADDING = create_padding_mask([[5, 5, 5, 5, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]]).numpy()


def inputs(queries=7, keys=7, leading=(2, 3), dtype="float64", d_v=3):
    rng = np.random.default_rng([queries, keys])
    return tuple(rng.normal(size=(*leading, n, d)).astype(dtype) for n, d in ((queries, 4), (keys, 4), (keys, d_v)))


def hidden(queries, keys, mask=None, causal=False, window=None):
    """Build the whole mask by definition."""
    ahead = np.arange(keys) - np.arange(queries)[:, None] - (keys - queries)
    whole = np.zeros((queries, keys), bool)
    whole |= (ahead > 0) & causal
    whole |= np.abs(ahead) >= window if window else False
    return whole if mask is None else whole | np.asarray(mask, bool)


def with_gradients(attend, *tensors):
    tensors = [tf.constant(x) for x in tensors]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        output = attend(*tensors)
        loss = tf.reduce_sum(tf.sin(tf.cast(output, tf.float64)))
    return [output, *tape.gradient(loss, tensors)]


def same(found, expected, tolerance=1e-12):
    for one, other in zip(found, expected, strict=True):
        one, other = tf.cast(one, tf.float64), tf.cast(other, tf.float64)
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def plain(*whole, **options):
    return lambda q, k, v: (
        scaled_dot_product_attention(q, k, v, hidden(q.shape[-2], k.shape[-2], *whole, **options)).output
    )


MASKS = {
    "nothing": {},
    "causal": {"causal": True},
    "window": {"window": 2},
    "sliding window": {"causal": True, "window": 3},
    "padding and an empty sentence": {"mask": PADDING},
    "padding, causal": {"mask": PADDING, "causal": True},
    "queries": {"mask": RNG.random((7, 7)) > 0.4},
    "one row for all": {"mask": RNG.random((1, 7)) > 0.4, "window": 4},
    "one column for all": {"mask": RNG.random((7, 1)) > 0.5},
    "heads": {"mask": RNG.random((2, 3, 7, 7)) > 0.5, "causal": True},
}


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("block_size", [None, 1, 3, 7])
def test_equals_the_plain_function_in_output_and_gradients(name, block_size):
    options, data = MASKS[name], inputs()
    found = with_gradients(lambda *x: blockwise_attention(*x, **options, block_size=block_size), *data)
    same(found, with_gradients(plain(**options), *data))


@pytest.mark.parametrize("name", ["nothing", "sliding window", "padding, causal", "heads"])
@pytest.mark.parametrize("mode", ["graph", "lengths unknown", "XLA"])
def test_modes_agree(name, mode):
    options, data = MASKS[name], inputs()
    signature = [tf.TensorSpec((2, 3, None, x.shape[-1]), tf.float64) for x in data]
    attend = tf.function(
        lambda *x: blockwise_attention(*x, **options, block_size=3),
        signature if mode == "lengths unknown" else None,
        jit_compile=mode == "XLA",
    )
    same(with_gradients(attend, *data), with_gradients(plain(**options), *data))


@pytest.mark.parametrize("leading", [(), (2,), (1, 2, 1)])
@pytest.mark.parametrize("known", [(), ("queries",), ("keys",)])
def test_lengths_may_be_unknown_whatever_the_other_axes(leading, known):
    data = inputs(9, 5, leading)  # the first queries see nothing
    lengths = [9 if "queries" in known else None, *[5 if "keys" in known else None] * 2]
    signature = [tf.TensorSpec((*leading, n, x.shape[-1]), x.dtype) for n, x in zip(lengths, data, strict=True)]
    attend = tf.function(lambda *x: blockwise_attention(*x, causal=True, block_size=4), signature)
    same(with_gradients(attend, *data), with_gradients(plain(causal=True), *data))


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (1, 9), (5, 9), (9, 5), (300, 300), (257, 600)])
@pytest.mark.parametrize("options", [{"causal": True}, {"causal": True, "window": 2}, {"window": 3}])
def test_lengths_align_the_last_query_with_the_last_key(queries, keys, options):
    data = inputs(queries, keys, leading=(2,))
    found = with_gradients(lambda *x: blockwise_attention(*x, **options), *data)
    same(found, with_gradients(plain(**options), *data))


def test_flags_mean_what_the_masks_of_this_package_mean():
    q, k, v = inputs(5, 7)
    for options, mask in (
        ({"causal": True}, create_look_ahead_mask(5, 7)),
        ({"window": 2}, hidden(5, 7, window=2)),
    ):
        expected = scaled_dot_product_attention(q, k, v, mask).output
        np.testing.assert_allclose(blockwise_attention(q, k, v, **options), expected, rtol=1e-12)
    q, k, v = inputs(6, 6)
    expected = scaled_dot_product_attention(q, k, v, create_window_mask(6, 2)).output
    np.testing.assert_allclose(blockwise_attention(q, k, v, window=2, block_size=4), expected, rtol=1e-12)


def test_leading_axes_are_free():
    for leading in ((), (4,), (2, 1, 3)):
        data = inputs(leading=leading)
        same(
            with_gradients(lambda *x: blockwise_attention(*x, causal=True, block_size=2), *data),
            with_gradients(plain(causal=True), *data),
        )


@pytest.mark.parametrize("strange", [np.nan, np.inf, 1e10])
@pytest.mark.parametrize("tensor", [1, 2])
def test_what_is_hidden_changes_no_output_and_no_gradient(strange, tensor):
    mask = create_padding_mask([[5, 5, 5, 5, 5, 0, 0]])
    clean = [x[:1] for x in inputs()]
    poisoned = [x.copy() for x in clean]
    poisoned[tensor][:, :, 5:] = strange

    def attend(*x):
        return blockwise_attention(*x, mask, block_size=3)

    expected, found = with_gradients(attend, *clean), with_gradients(attend, *poisoned)
    np.testing.assert_array_equal(found[0], expected[0])
    for one, other in zip(found[1:], expected[1:], strict=True):
        assert np.all(np.isfinite(one))
        np.testing.assert_allclose(one[:, :, :5], other[:, :, :5], rtol=1e-12)


@pytest.mark.parametrize("tensor", [0, 1, 2])
@pytest.mark.parametrize("options", [{"causal": True}, {"mask": hidden(7, 7, window=2)}])
def test_a_visible_nan_shows_where_the_plain_function_shows_it(tensor, options):
    data = [x.copy() for x in inputs(leading=(1,))]
    data[tensor][0, 2, 1] = np.nan
    found = blockwise_attention(*data, **options, block_size=3)
    expected = plain(**options)(*data)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    assert np.isnan(found).any()
    assert np.isfinite(found).any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_the_dtype_stays_and_16_bits_are_computed_in_32(dtype):
    data = [tf.cast(x, dtype) for x in inputs(40, 40)]
    found = blockwise_attention(*data, causal=True, block_size=16)
    assert found.dtype == dtype
    expected = scaled_dot_product_attention(*data, create_look_ahead_mask(40)).output
    last_place = {"bfloat16": 2**-8, "float16": 2**-11}.get(dtype, 1e-6)
    assert np.max(np.abs(tf.cast(found - expected, tf.float64))) <= last_place


def test_no_tensor_of_a_graph_holds_all_weights():
    @tf.function
    def gradients(q, k, v):
        with tf.GradientTape() as tape:
            tape.watch([q, k, v])
            output = tf.reduce_sum(blockwise_attention(q, k, v, block_size=64))
        return tape.gradient(output, [q, k, v])

    spec = tf.TensorSpec((1, 2, 512, 8))
    graph = gradients.get_concrete_function(spec, spec, spec).graph
    functions = [graph, *(graph._get_function(name).graph for name in graph._functions)]
    tensors = [t for g in functions for op in g.get_operations() for t in op.outputs]
    assert len(functions) > 2
    assert max(int(np.prod(t.shape)) for t in tensors if t.shape.is_fully_defined()) < 512 * 512


def test_trains_inside_a_model():
    x = keras.Input((None, 8))
    y = keras.layers.Lambda(lambda t: blockwise_attention(t, t, t, causal=True, block_size=2), output_shape=(None, 8))
    model = keras.Model(x, keras.layers.Dense(1)(y(keras.layers.Dense(8)(x))))
    model.compile("sgd", "mse")
    history = model.fit(np.ones((4, 5, 8)), np.ones((4, 5, 1)), epochs=2, verbose=0).history
    assert np.all(np.isfinite(history["loss"]))


Q, K, V = inputs(leading=(2, 3))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: blockwise_attention(Q, K, V, block_size=0), ValueError, "block_size >= 1. Received: block_size=0"),
        (lambda: blockwise_attention(Q, K, V, block_size=2.0), TypeError, r"block_size=2\.0"),
        (lambda: blockwise_attention(Q, K, V, window=0), ValueError, "window=0"),
        (lambda: blockwise_attention(Q, K, V, causal="yes"), TypeError, "causal='yes'"),
        (lambda: blockwise_attention(Q, K, V, return_weights=True), ValueError, "never holds all weights"),
        (lambda: blockwise_attention(Q, K, V, np.zeros((3, 7)), causal=True), ValueError, r"mask.shape=\(3, 7\)"),
        (lambda: blockwise_attention(Q, K, V, mask=-1e9 * np.ones((7, 7))), ValueError, "convert_mask"),
        (lambda: blockwise_attention(Q, K[..., :3], V), ValueError, r"k.shape=\(2, 3, 7, 3\)"),
        (lambda: blockwise_attention(Q.astype(int), K, V), TypeError, "q.dtype=int64"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()

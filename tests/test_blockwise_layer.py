"""The layer by blocks: the same numbers, `causal` as the mask that says it, and blocks where they pay."""

import numpy as np
import pytest
import tensorflow as tf

from clear_attention import MultiHeadAttention, blockwise_attention, combine_masks, create_look_ahead_mask
from clear_attention.blockwise import blockwise_pays
from clear_attention.heads import layer as layer_module


def twins(**options):
    """Make two layers with the same weights, one that attends by blocks and one that doesn't."""
    plain, blocks = (MultiHeadAttention(8, 2, blockwise=choice, **options) for choice in (False, True))
    for layer in (plain, blocks):
        layer.build((None, None, 8))
    blocks.set_weights(plain.get_weights())
    return plain, blocks


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mask", [None, [[[[0, 0, 1, 0, 0, 1, 1]]]], [[[[1] * 7]]]])
def test_blockwise_changes_neither_outputs_nor_gradients(mask, causal):
    x = tf.random.stateless_normal((2, 7, 8), seed=(1, 2))
    results = []
    for layer in twins():
        with tf.GradientTape() as tape:
            tape.watch(x)
            output = layer(x, mask=mask, causal=causal)
            loss = tf.reduce_sum(output**2)
        results.append([output, *tape.gradient(loss, [x, *layer.trainable_variables])])
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=2**-20 * max(2, np.max(np.abs(b))))  # 8 roundings of the largest


@pytest.mark.parametrize("blockwise", ["auto", False, True])
@pytest.mark.parametrize("keys", [3, 5, 8])
def test_causal_is_the_look_ahead_mask(blockwise, keys):
    layer = MultiHeadAttention(8, 2, blockwise=blockwise)
    x, y = (tf.random.stateless_normal((2, n, 8), seed=(n, 2)) for n in (5, keys))
    expected = layer(x, y, mask=create_look_ahead_mask(5, keys))
    np.testing.assert_allclose(layer(x, y, causal=True), expected, atol=1e-6)
    hidden = [[[[1] + [0] * (keys - 1)]]]
    both = layer(x, y, mask=combine_masks(create_look_ahead_mask(5, keys), hidden))
    np.testing.assert_allclose(layer(x, y, mask=hidden, causal=True), both, atol=1e-6)


def test_causal_keeps_a_later_nan_from_all_before_it():
    x = tf.concat([tf.ones((1, 4, 8)), tf.fill((1, 1, 8), float("nan"))], axis=1)
    layer = MultiHeadAttention(8, 2)
    with tf.GradientTape() as tape:
        output = layer(x, causal=True)
        loss = tf.reduce_sum(output[:, :4])
    assert np.isfinite(output[:, :4]).all()
    assert np.isnan(output[:, 4]).all()
    assert all(np.isfinite(g).all() for g in tape.gradient(loss, layer.trainable_variables))


def spy_on(monkeypatch):
    calls = []

    def spy(*args, **kwargs):
        calls.append(args)
        return blockwise_attention(*args, **kwargs)

    monkeypatch.setattr(layer_module, "blockwise_attention", spy)
    return calls


@pytest.mark.parametrize(
    ("length", "options", "expected"),
    [
        (2047, {"causal": True}, False),
        (2048, {"causal": True}, True),
        (2048, {}, False),
        (2048, {"causal": True, "return_weights": True}, False),
        (2048, {"causal": True, "training": True}, False),
        (2048, {"causal": True, "training": False}, True),
    ],
)
def test_auto_goes_blockwise_where_it_pays(monkeypatch, length, options, expected):
    on_a_processor(monkeypatch)
    calls = spy_on(monkeypatch)
    layer = MultiHeadAttention(4, 1, dropout=0.5)
    layer.build((None, None, 4))
    graph = tf.function(lambda x: layer(x, **options), autograph=False)
    graph.get_concrete_function(tf.TensorSpec((1, length, 4)))
    assert bool(calls) == expected


def on_a_processor(monkeypatch):
    """Decide as without a GPU; what is otherwise there is tried in test_gpu.py."""
    monkeypatch.setattr("clear_attention.blockwise.on_gpu", lambda: False)


def test_what_pays(monkeypatch):
    on_a_processor(monkeypatch)

    def spec(*shape):
        return tf.zeros((0,)) if 0 in shape else tf.keras.Input(batch_shape=shape)

    huge, large = spec(1, 8, 8193, 64), spec(1, 8, 8192, 64)
    assert blockwise_pays(huge, huge, causal=False)
    assert not blockwise_pays(large, large, causal=False)
    assert blockwise_pays(spec(9, 8, 4096, 64), spec(9, 8, 8192, 64), causal=False)
    assert not blockwise_pays(spec(None, 8, 8192, 64), large, causal=False)
    assert blockwise_pays(spec(None, 8, 8193, 64), huge, causal=False)
    assert not blockwise_pays(spec(1, 8, None, 64), huge, causal=True)
    assert not blockwise_pays(huge, spec(1, 8, None, 64), causal=True)
    assert blockwise_pays(spec(1, 8, 1, 64), spec(1, 8, 4096, 64), causal=True)
    assert not blockwise_pays(spec(1, 8, 1, 64), spec(1, 8, 4095, 64), causal=True)  # eager
    assert blockwise_pays(spec(8, 8193, 64), spec(8, 8193, 64), causal=False)
    assert not blockwise_pays(spec(1, 1, 64), spec(1, None, 64), causal=True)
    assert blockwise_pays(spec(1, 64), spec(4096, 64), causal=True)


def test_refusals_of_blockwise():
    with pytest.raises(ValueError, match=r"blockwise says whether .* Expected: True, False or 'auto'. Received: .*1"):
        MultiHeadAttention(8, 2, blockwise=1)
    with pytest.raises(ValueError, match=r"Dropout drops weights"):
        MultiHeadAttention(8, 2, dropout=0.1, blockwise=True)
    with pytest.raises(ValueError, match=r"it can't return them"):
        MultiHeadAttention(8, 2, blockwise=True)(np.ones((1, 3, 8)), return_weights=True)
    with pytest.raises(TypeError, match=r"causal is True or False"):
        MultiHeadAttention(8, 2)(np.ones((1, 3, 8)), causal="yes")


@pytest.mark.parametrize("blockwise", ["auto", False, True])
def test_the_choice_survives_a_config(blockwise):
    layer = MultiHeadAttention(8, 2, blockwise=blockwise)
    assert MultiHeadAttention.from_config(layer.get_config()).blockwise == blockwise

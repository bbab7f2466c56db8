"""`causal=True` in blocks, layers and stacks is the look-ahead mask, and hides a later NaN as it does."""

import numpy as np
import pytest
import tensorflow as tf

from clear_attention import (
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    SelfAttentionBlock,
    combine_masks,
    create_look_ahead_mask,
)

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
X, CONTEXT = (np.random.default_rng(n).normal(size=(2, n, 8)).astype("float32") for n in (5, 4))
HIDDEN = [[[[1, 0, 0, 0, 0]]], [[[0, 0, 0, 1, 1]]]]
LAYERS = {
    "block": lambda: SelfAttentionBlock(8, 2),
    "encoder layer": lambda: EncoderLayer(8, 2, 16, dropout=0.0),
    "encoder": lambda: Encoder(2, 8, 2, 16, dropout=0.0),
    "decoder layer": lambda: DecoderLayer(8, 2, 16, dropout=0.0),
    "decoder": lambda: Decoder(2, 8, 2, 16, dropout=0.0, norm_first=True),
}


def call(name, layer, x, **options):
    return layer(x, CONTEXT, **options) if name.startswith("decoder") else layer(x, **options)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("mask", [None, HIDDEN])
def test_causal_is_the_look_ahead_mask(name, mask):
    layer, ahead = LAYERS[name](), create_look_ahead_mask(5)
    expected = call(name, layer, X, mask=combine_masks(mask, ahead))
    np.testing.assert_allclose(call(name, layer, X, mask=mask, causal=True), expected, atol=1e-6)
    assert not np.allclose(call(name, layer, X, mask=mask), expected, atol=1e-3)


@pytest.mark.parametrize("name", LAYERS)
def test_the_same_output_with_weights_and_without(name):
    layer = LAYERS[name]()
    output, weights = call(name, layer, X, causal=True, return_weights=True)
    np.testing.assert_array_equal(output, call(name, layer, X, causal=True))
    maps = [w for w in tf.nest.flatten(weights) if w.shape[-1] == 5]
    assert maps
    for map_ in maps:
        assert not np.any(np.asarray(map_)[..., np.triu(np.ones((5, 5), bool), 1)])


@pytest.mark.parametrize("name", LAYERS)
def test_a_later_nan_reaches_neither_the_past_nor_a_gradient(name):
    layer, x = LAYERS[name](), X.copy()
    x[:, 4] = np.nan
    with tf.GradientTape() as tape:
        output = call(name, layer, tf.constant(x), causal=True)
        loss = tf.reduce_sum(output[:, :4] ** 2)
    assert np.isfinite(output[:, :4]).all()
    assert np.isnan(output[:, 4]).all()
    assert all(np.isfinite(g).all() for g in tape.gradient(loss, layer.trainable_variables))


@pytest.mark.parametrize("name", LAYERS)
def test_causal_must_be_true_or_false(name):
    with pytest.raises(TypeError, match="causal is True or False"):
        call(name, LAYERS[name](), X, causal="yes")

"""What is sound is not accused, and no cause is named that is not there: layers that certify once got wrong."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers, ops

import clear_attention as ca
from clear_attention import certify

ON_X = lambda layer, x: layer(x)  # noqa: E731 - as it is typed
ON_PADDING = lambda layer, x, padding: layer(x, padding)  # noqa: E731
ON_KERAS = lambda layer, q, k, v, mask: layer(q, v, k, attention_mask=mask)  # noqa: E731


def attend(x, blocked=None):
    return ca.scaled_dot_product_attention(x, x, x, blocked).output


class OfItsWidth(layers.Layer):
    """Reads its width when it is built."""

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], 5))

    def call(self, x):
        return x @ self.kernel


def built_on(layer, *shapes):
    layer(*(np.ones(shape, "float32") for shape in shapes))
    return layer


WIDE = (1, 2, 16)


@pytest.mark.parametrize(
    ("layer", "call", "convention"),
    [
        (lambda: built_on(layers.MultiHeadAttention(2, 4), WIDE, WIDE), ON_KERAS, "keras"),
        (lambda: built_on(OfItsWidth(), WIDE), ON_X, None),
        (lambda: keras.Sequential([keras.Input((None, 16)), layers.Dense(3)]), ON_X, None),
        (lambda: built_on(OfItsWidth(), WIDE), lambda layer, x: layer(tf.tile(x, (1, 1, 2))), None),
    ],
)
def test_the_width_is_that_which_the_layer_was_built_with(layer, call, convention):
    certificate = certify(layer(), call, convention, level="correct")
    assert certificate.broken == (), certificate


def test_of_a_width_that_does_not_fit_a_sound_layer_it_is_not_accused():
    layer = built_on(layers.MultiHeadAttention(2, 4), WIDE, WIDE)
    with pytest.raises(ValueError, match="could not be called as described"):
        certify(layer, ON_KERAS, "keras", depth=8)

"""What all layers have in common: a token comes out for each token of the first input, and has its mask.

Keras attaches masks of tokens to tensors, `(batch, length)` with True where a token is real, and fills the argument
`mask` of `call` with them. So `call` has our own mask in `blocked_mask`, and `__call__` takes it as `mask`.
"""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

from clear_attention._checks.masks import mask_of_keras
from clear_attention._nonfinite import Tokens
from clear_attention._types import Shape


class TracedOutputs:
    """A layer that says its shape, and whose symbolic outputs come from `call` nevertheless."""

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        # Keras would take one tensor of `compute_output_shape`, which knows neither return_weights nor float32 logits.
        args, kwargs = keras.tree.map_structure(dense, (args, kwargs))
        return keras.Operation.compute_output_spec(self, *args, **kwargs)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Make the layer again, and first what its options hold: one object for all the layers that shared one."""
        return super().from_config(with_objects(config))  # type: ignore[misc]  # the layer beside this class has it


def with_objects(config):
    """Return a config with the objects that are described in it."""
    if not isinstance(config, dict):
        return config
    if "class_name" in config and "config" in config:
        return keras.saving.deserialize_keras_object(config)
    return {name: value if name == "dtype" else with_objects(value) for name, value in config.items()}


def dense(x):
    """Keras 3.15 marks the product of a symbolic tensor and a number as sparse, which it is not."""
    return keras.KerasTensor(x.shape, x.dtype) if getattr(x, "sparse", False) else x


class TokenLayer(TracedOutputs, keras.Layer):
    def compute_output_shape(self, x_shape: Shape, *other_shapes: Shape) -> Shape:
        return tuple(x_shape)

    def compute_mask(self, inputs: tf.Tensor, previous_mask: Any) -> tf.Tensor | None:
        # Keras would attach the argument `mask` to the output, whose tokens are those of the first input.
        return getattr(inputs, "_keras_mask", None)


def ours(mask, x):
    """Return a mask that was handed over as ours, unless it is the one that Keras attached to x."""
    return None if mask is getattr(x, "_keras_mask", None) else mask


def with_keras_mask(x, mask):
    """Return x with the mask that a wrapper such as TimeDistributed hands over beside it."""
    mask_of_keras(mask)
    if mask is not None and getattr(x, "_keras_mask", None) is None:
        x = tf.identity(x)
        x._keras_mask = mask
    return x


def padding_of(mask):
    """Tell which tokens a mask of Keras hides: it may hold numbers, as those of other layers do."""
    return ~tf.cast(mask, tf.bool)


class Norm(keras.layers.LayerNormalization):
    """Keras's norm of each token, with derivatives of every order.

    Keras 3.15 takes the mean inside the variance for a constant, which is right in the first derivative only.
    """

    def call(self, x: tf.Tensor) -> tf.Tensor:
        wide = tf.cast(x, tf.float32) if x.dtype.size < 4 else x
        centred = wide - tf.reduce_mean(wide, axis=-1, keepdims=True)
        variance = tf.reduce_mean(tf.square(centred), axis=-1, keepdims=True)
        gamma, beta = (tf.cast(weight, wide.dtype) for weight in (self.gamma, self.beta))
        return tf.cast(centred * tf.math.rsqrt(variance + self.epsilon) * gamma + beta, x.dtype)


def normed(norm, x):
    """Apply a layer norm, which works on each token alone."""
    tokens = Tokens.of(x)
    return tokens.marked(norm(tokens.finite))

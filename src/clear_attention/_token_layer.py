"""What all layers have in common: a token comes out for each token of the first input, and has its mask."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

from clear_attention._nonfinite import Tokens
from clear_attention._types import Shape


class TracedOutputs:
    """A layer that says its shape, and whose symbolic outputs come from `call` nevertheless."""

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        # Keras would take one tensor of `compute_output_shape`, which knows neither return_weights nor float32 logits.
        args, kwargs = keras.tree.map_structure(dense, (args, kwargs))
        return keras.Operation.compute_output_spec(self, *args, **kwargs)


def dense(x):
    """Keras 3.15 marks the product of a symbolic tensor and a number as sparse, which it is not."""
    return keras.KerasTensor(x.shape, x.dtype) if getattr(x, "sparse", False) else x


class TokenLayer(TracedOutputs, keras.Layer):
    def compute_output_shape(self, x_shape: Shape, *other_shapes: Shape) -> Shape:
        return tuple(x_shape)

    def compute_mask(self, inputs: tf.Tensor, previous_mask: Any) -> tf.Tensor | None:
        # Keras would attach the argument `mask` to the output, whose tokens are those of the first input.
        return getattr(inputs, "_keras_mask", None)


def normed(norm, x):
    """Apply a layer norm, which works on each token alone."""
    tokens = Tokens.of(x)
    return tokens.marked(norm(tokens.finite))

"""What all layers have in common: a token comes out for each token of the first input, and has its mask."""

from __future__ import annotations

import keras


class SpecFromCall:
    """A layer that says its shape, and whose symbolic outputs come from `call` nevertheless."""

    def compute_output_spec(self, *args, **kwargs):
        # Keras would take one tensor of `compute_output_shape`, which knows neither return_weights nor float32 logits.
        return keras.Operation.compute_output_spec(self, *args, **kwargs)


class TokenLayer(SpecFromCall, keras.Layer):
    def compute_output_shape(self, x_shape, *other_shapes):
        return tuple(x_shape)

    def compute_mask(self, inputs, previous_mask):
        # Keras would attach the argument `mask` to the output, whose tokens are those of the first input.
        return getattr(inputs, "_keras_mask", None)

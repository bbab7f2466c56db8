"""Layers on top of each other: the encoder and the decoder.

Stacks take vectors, not ids, and block nothing unless a mask says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf

from clear_attention._checks import numbers, tensors
from clear_attention._nonfinite import token_by_token
from clear_attention._token_layer import SelfMasked, TokenLayer
from clear_attention._types import Activation, LayerInput, Mask, Output, Shape
from clear_attention.attention import Attention, pair
from clear_attention.layers import DecoderLayer, EncoderLayer, options_of


class Stack(TokenLayer):
    """Layers of one kind on top of each other, with a norm at the end if each of them norms first."""

    def __init__(
        self, make_layer: Callable[..., keras.Layer], num_layers: int, norm_first: bool, epsilon: float, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        num_layers = numbers.size("num_layers", num_layers)
        self.stack = [make_layer(name=f"layer_{i}", dtype=self.dtype_policy) for i in range(num_layers)]
        self.norm = None
        if norm_first:
            self.norm = keras.layers.LayerNormalization(epsilon=epsilon, name="norm", dtype=self.dtype_policy)

    def build_stack(self, *shapes: Shape) -> None:
        for layer in self.stack:
            layer.build(*shapes)
        if self.norm is not None:
            self.norm.build(shapes[0])
        self.built = True

    def final_norm(self, x: tf.Tensor) -> tf.Tensor:
        return x if self.norm is None else token_by_token(self.norm, x)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "num_layers": len(self.stack), **options_of(self.stack[0])}


@keras.saving.register_keras_serializable(package="clear_attention")
class Encoder(SelfMasked, Stack):
    r"""Stack encoder layers.

    $$ y = (L_N \circ \dots \circ L_1)(x) \quad\text{and, norm first, a last}\quad \operatorname{Norm}(y) $$

    Args:
        num_layers: number of layers.
        d_model: depth of the tokens, in and out.
        num_heads: number of heads of each layer; must divide `d_model`.
        d_ff: depth inside the feed-forward blocks.
        dropout: share of each sub-layer's output that is dropped in training, in [0, 1).
        activation: of the feed-forward blocks: a name that Keras knows, or a function.
        norm_first: norm before each sub-layer (pre-norm) instead of after the sum (post-norm, as in the paper).
        epsilon: what the norms add to the variance.
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        x: `(batch, length, d_model)`.
        mask: broadcasts to `(batch, heads, length, length)`; 1 blocks a key. Masks that Keras attached count too.
        causal: hide later tokens, too: quicker for long sequences than a mask that says so.
        return_weights: return the weights of every layer too: a dict of `"0"`, `"1"`, ...
        training: whether dropout is active.

    Returns:
        The output `(batch, length, d_model)`; with `return_weights=True` an
            [`Attention`][clear_attention.Attention] of output and weights.

    Raises:
        TypeError: a size that is not an integer, a flag that is not a bool, an input that is not floating-point.
        ValueError: a size below 1, heads that do not divide `d_model`, an input whose depth is not `d_model`, a mask
            that is not ours or does not fit.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import Encoder
        >>> encoder = Encoder(num_layers=2, d_model=8, num_heads=2, d_ff=32)
        >>> output, weights = encoder(np.ones((1, 3, 8)), return_weights=True)
        >>> {name: w.shape for name, w in weights.items()}
        {'0': TensorShape([1, 2, 3, 3]), '1': TensorShape([1, 2, 3, 3])}

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.1.
    """

    def __init__(
        self,
        num_layers: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        activation: Activation = "relu",
        norm_first: bool = False,
        epsilon: float = 1e-6,
        **kwargs: Any,
    ) -> None:
        def make_layer(**kwargs):
            return EncoderLayer(d_model, num_heads, d_ff, dropout, activation, norm_first, epsilon, **kwargs)

        super().__init__(make_layer, num_layers, norm_first, epsilon, **kwargs)

    def build(self, x_shape: Shape) -> None:
        self.build_stack(x_shape)

    def call(
        self,
        x: tf.Tensor,
        mask: Mask = None,
        causal: bool = False,
        return_weights: bool = False,
        training: bool | None = None,
    ) -> tf.Tensor | Attention:
        options = {"mask": mask, "causal": causal, "return_weights": return_weights, "training": training}
        weights: dict[str, tf.Tensor] = {}
        for name, layer in enumerate(self.stack):
            x, weights[f"{name}"] = pair(layer(x, **options), return_weights)
        x = self.final_norm(x)
        return Attention(x, weights) if return_weights else x


@keras.saving.register_keras_serializable(package="clear_attention")
class Decoder(Stack):
    r"""Stack decoder layers.

    $$ y = (L_N \circ \dots \circ L_1)(x, c) \quad\text{and, norm first, a last}\quad \operatorname{Norm}(y) $$

    Nothing is blocked unless you say so: to generate text pass `causal=True` or `mask=create_look_ahead_mask(length)`.

    Args:
        num_layers: number of layers.
        d_model: depth of the tokens, in and out.
        num_heads: number of heads of each layer; must divide `d_model`.
        d_ff: depth inside the feed-forward blocks.
        dropout: share of each sub-layer's output that is dropped in training, in [0, 1).
        activation: of the feed-forward blocks: a name that Keras knows, or a function.
        norm_first: norm before each sub-layer (pre-norm) instead of after the sum (post-norm, as in the paper).
        epsilon: what the norms add to the variance.
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        x: `(batch, length, d_model)`.
        context: `(batch, context_length, depth)`, such as the output of an encoder.
        mask: broadcasts to `(batch, heads, length, length)`: which tokens of `x` are blocked.
        causal: hide later tokens of `x`, too: quicker for long sequences than a mask that says so.
        cross_mask: broadcasts to `(batch, heads, length, context_length)`: which tokens of the context are blocked.
        return_weights: return the weights of every layer too: a dict of `"0.self"`, `"0.cross"`, `"1.self"`, ...
        training: whether dropout is active.

    Returns:
        The output `(batch, length, d_model)`; with `return_weights=True` an
            [`Attention`][clear_attention.Attention] of output and weights.

    Raises:
        TypeError: a size that is not an integer, a flag that is not a bool, an input that is not floating-point.
        ValueError: a size below 1, heads that do not divide `d_model`, an input whose depth is not `d_model`, a mask
            that is not ours or does not fit.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import Decoder
        >>> decoder = Decoder(num_layers=1, d_model=8, num_heads=2, d_ff=32)
        >>> output, weights = decoder(np.ones((1, 3, 8)), np.ones((1, 5, 8)), return_weights=True)
        >>> {name: w.shape for name, w in weights.items()}
        {'0.self': TensorShape([1, 2, 3, 3]), '0.cross': TensorShape([1, 2, 3, 5])}

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.1.
    """

    def __init__(
        self,
        num_layers: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        activation: Activation = "relu",
        norm_first: bool = False,
        epsilon: float = 1e-6,
        **kwargs: Any,
    ) -> None:
        def make_layer(**kwargs):
            return DecoderLayer(d_model, num_heads, d_ff, dropout, activation, norm_first, epsilon, **kwargs)

        super().__init__(make_layer, num_layers, norm_first, epsilon, **kwargs)

    def build(self, x_shape: Shape, context_shape: Shape) -> None:
        self.build_stack(x_shape, context_shape)

    def __call__(
        self,
        x: LayerInput,
        context: LayerInput,
        mask: LayerInput | None = None,
        cross_mask: LayerInput | None = None,
        **kwargs: Any,
    ) -> Output:
        tensors.has_context(context)
        x, context, mask, cross_mask = tensors.from_lists(x=x, context=context, mask=mask, cross_mask=cross_mask)
        return super().__call__(x, context, mask=mask, cross_mask=cross_mask, **kwargs)

    def call(
        self,
        x: tf.Tensor,
        context: tf.Tensor,
        mask: Mask = None,
        cross_mask: Mask = None,
        causal: bool = False,
        return_weights: bool = False,
        training: bool | None = None,
    ) -> tf.Tensor | Attention:
        options = {"mask": mask, "cross_mask": cross_mask, "causal": causal, "training": training}
        weights: dict[str, tf.Tensor] = {}
        for name, layer in enumerate(self.stack):
            x, maps = pair(layer(x, context, **options, return_weights=return_weights), return_weights)
            weights |= {f"{name}.{kind}": map_ for kind, map_ in (maps or {}).items()}
        x = self.final_norm(x)
        return Attention(x, weights) if return_weights else x

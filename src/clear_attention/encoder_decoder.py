"""The encoder and the decoder: layers on top of each other.

Both take vectors, not ids, and block nothing unless a mask says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import keras
import tensorflow as tf

from clear_attention._checks import numbers
from clear_attention._checks.caches import caches_by_name
from clear_attention._checks.options import flag
from clear_attention._token_layer import Norm, TokenLayer, normed
from clear_attention._types import Activation, Mask, Output, Shape, Size, TensorLike, Weights
from clear_attention.attention import packed, unpacked
from clear_attention.blocks import CrossAttending, SelfAttending, places
from clear_attention.cache import ContextCache, KeyValueCache
from clear_attention.layers import DecoderLayer, EncoderLayer, arguments_of


class LayerStack(TokenLayer):
    """Layers of one kind on top of each other, with a norm at the end if each of them norms first."""

    def __init__(self, layer_class: type[keras.Layer], num_layers: int, options: tuple, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        names = [f"layer_{i}" for i in range(numbers.size("num_layers", num_layers))]
        self.layers = [layer_class(*options, name=name, dtype=self.dtype_policy) for name in names]
        self.stack = self.layers  # as version 0.1 called them, whose files name them so
        for layer in self.layers:
            self._track_trackable(layer, layer.name)  # Keras leaves what is in a list out of tf.train.Checkpoint
        block, self.norm = self.layers[0].self_attention, None
        if block.norm_first:
            self.norm = Norm(epsilon=block.epsilon, name="norm", dtype=self.dtype_policy)

    def build_layers(self, *shapes: Shape) -> None:
        for layer in self.layers:
            layer.build(*shapes)
        if self.norm is not None:
            self.norm.build(shapes[0])
        self.built = True

    def named_layers(self) -> dict[str, keras.Layer]:
        return {f"{i}": layer for i, layer in enumerate(self.layers)}

    def final_norm(self, x: tf.Tensor) -> tf.Tensor:
        return x if self.norm is None else normed(self.norm, x)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "num_layers": len(self.layers), **arguments_of(self.layers[0])}


@keras.saving.register_keras_serializable(package="clear_attention")
class Encoder(SelfAttending, LayerStack):
    r"""Put encoder layers on top of each other.

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
        self_attention: options of the attention inside each layer, by name, as
            [`MultiHeadAttention`][clear_attention.MultiHeadAttention] takes them, such as `d_k`, `dropout` (of the
            weights), `num_key_value_heads`, `blockwise`.
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        x: `(batch, length, d_model)`.
        mask: broadcasts to `(batch, heads, length, length)`; 1 blocks a key. Masks that Keras attached count too.
        causal: hide later tokens, too: quicker for long sequences than a mask that says so.
        return_weights: return the weights of every layer too: a dict of `"0"`, `"1"`, ...
        training: whether dropout is active.
        cache: what `create_cache` made, or what the last call returned: the tokens of `x` look back at those of the
            calls before. The keys of `mask` are then all places of the cache.

    Returns:
        The output `(batch, length, d_model)`; with `return_weights=True` an
            [`Attention`][clear_attention.Attention] of output and weights. With a cache a pair of this and the cache
            with the new tokens in it.

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
        self_attention: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        options = (d_model, num_heads, d_ff, dropout, activation, norm_first, epsilon, self_attention)
        super().__init__(EncoderLayer, num_layers, options, **kwargs)

    def build(self, x_shape: Shape) -> None:
        self.build_layers(x_shape)

    def create_cache(self, batch: Size, capacity: Size) -> dict[str, KeyValueCache]:
        """Return an empty cache for `batch` texts of at most `capacity` tokens: one of each layer, `"0"`, `"1"`, ..."""
        return {name: layer.create_cache(batch, capacity) for name, layer in self.named_layers().items()}

    def attend(
        self,
        x: tf.Tensor,
        mask: Mask,
        causal: bool,
        return_weights: bool,
        training: bool | None,
        cache: dict[str, KeyValueCache] | None,
        **places: tf.Tensor,
    ) -> tuple[tf.Tensor, Weights, dict[str, KeyValueCache] | None]:
        """Return output, weights and cache, None for what was not asked for."""
        options = {"mask": mask, "causal": causal, "return_weights": return_weights, "training": training, **places}
        past = caches_by_name(cache, self.named_layers())
        weights, caches = {}, {}
        for name, layer in self.named_layers().items():
            result = layer(x, cache=past[name], **options)
            x, weights[name], caches[name] = unpacked(result, return_weights, cache is not None)
        return self.final_norm(x), weights if return_weights else None, None if cache is None else caches


@keras.saving.register_keras_serializable(package="clear_attention")
class Decoder(CrossAttending, LayerStack):
    r"""Put decoder layers on top of each other.

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
        self_attention: options of the attention inside each layer, by name, as
            [`MultiHeadAttention`][clear_attention.MultiHeadAttention] takes them, such as `d_k`, `dropout` (of the
            weights), `num_key_value_heads`, `blockwise`.
        cross_attention: likewise for the attention to the context.
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        x: `(batch, length, d_model)`.
        context: `(batch, context_length, depth)`, such as the output of an encoder.
        mask: broadcasts to `(batch, heads, length, length)`: which tokens of `x` are blocked.
        causal: hide later tokens of `x`, too: quicker for long sequences than a mask that says so.
        cross_mask: broadcasts to `(batch, heads, length, context_length)`: which tokens of the context are blocked.
        return_weights: return the weights of every layer too: a dict of `"0.self"`, `"0.cross"`, `"1.self"`, ...
        training: whether dropout is active.
        cache: what `create_cache` made, or what the last call returned: the tokens of `x` look back at those of the
            calls before. The keys of `mask` are then all places of the cache.

    Returns:
        The output `(batch, length, d_model)`; with `return_weights=True` an
            [`Attention`][clear_attention.Attention] of output and weights. With a cache a pair of this and the cache
            with the new tokens in it.

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
        self_attention: Mapping[str, Any] | None = None,
        cross_attention: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        options = (d_model, num_heads, d_ff, dropout, activation, norm_first, epsilon, self_attention, cross_attention)
        super().__init__(DecoderLayer, num_layers, options, **kwargs)

    def build(self, x_shape: Shape, context_shape: Shape) -> None:
        self.build_layers(x_shape, context_shape)

    def create_cache(self, context: TensorLike, capacity: Size) -> dict[str, dict[str, KeyValueCache | ContextCache]]:
        """Return a cache with the context in it and room for `capacity` tokens: one of each layer, `"0"`, `"1"`, ..."""
        return {name: layer.create_cache(context, capacity) for name, layer in self.named_layers().items()}

    def call(
        self,
        x: tf.Tensor,
        context: tf.Tensor,
        mask: Mask = None,
        cross_mask: Mask = None,
        causal: bool = False,
        return_weights: bool = False,
        training: bool | None = None,
        cache: dict[str, dict[str, KeyValueCache | ContextCache]] | None = None,
        positions: TensorLike | None = None,
        segment_ids: TensorLike | None = None,
    ) -> Output:
        return_weights = flag("return_weights", return_weights)
        options = {"mask": mask, "cross_mask": cross_mask, "causal": causal, "training": training}
        options |= places(positions, segment_ids)
        past = caches_by_name(cache, self.named_layers())
        weights: dict[str, tf.Tensor] = {}
        caches: dict[str, Any] = {}
        for name, layer in self.named_layers().items():
            result = layer(x, context, cache=past[name], return_weights=return_weights, **options)
            x, maps, caches[name] = unpacked(result, return_weights, cache is not None)
            weights |= {f"{name}.{kind}": map_ for kind, map_ in (maps or {}).items()}
        return packed(self.final_norm(x), weights if return_weights else None, None if cache is None else caches)

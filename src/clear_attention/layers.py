"""One layer of a Transformer's encoder, and one of its decoder: the blocks in their order.

Layers take vectors, not ids, and block nothing unless a mask says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import keras
import tensorflow as tf

from clear_attention._checks.caches import caches_by_name
from clear_attention._checks.options import flag
from clear_attention._types import Activation, Mask, Output, Shape, Size, TensorLike, Weights
from clear_attention.attention import full_shape, packed, unpacked
from clear_attention.blocks import (
    CrossAttending,
    CrossAttentionBlock,
    FeedForwardBlock,
    SelfAttending,
    SelfAttentionBlock,
    places,
)
from clear_attention.cache import ContextCache, KeyValueCache


@keras.saving.register_keras_serializable(package="clear_attention")
class EncoderLayer(SelfAttending):
    r"""Let tokens look at each other, then work on each alone.

    $$ y = \operatorname{FeedForward}(\operatorname{SelfAttention}(x)) $$

    Args:
        d_model: depth of the tokens, in and out.
        num_heads: number of heads; must divide `d_model`.
        d_ff: depth inside the feed-forward block.
        dropout: share of each sub-layer's output that is dropped in training, in [0, 1).
        activation: of the feed-forward block: a name that Keras knows, or a function.
        norm_first: norm before each sub-layer (pre-norm) instead of after the sum (post-norm, as in the paper).
        epsilon: what the norms add to the variance.
        self_attention: options of the attention inside, by name, as
            [`MultiHeadAttention`][clear_attention.MultiHeadAttention] takes them, such as `d_k`, `dropout` (of the
            weights), `num_key_value_heads`, `blockwise`.
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        x: `(batch, length, d_model)`.
        mask: broadcasts to `(batch, heads, length, length)`; 1 blocks a key. Masks that Keras attached count too.
        causal: hide later tokens, too: quicker for long sequences than a mask that says so.
        return_weights: return the weights `(batch, heads, length, length)` too.
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
        >>> from clear_attention import EncoderLayer
        >>> layer = EncoderLayer(d_model=8, num_heads=2, d_ff=32)
        >>> layer(np.ones((1, 3, 8))).shape
        TensorShape([1, 3, 8])

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.1.
    """

    def __init__(
        self,
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
        super().__init__(**kwargs)
        self.supports_masking = True
        options = {"dropout": dropout, "norm_first": norm_first, "epsilon": epsilon, "dtype": self.dtype_policy}
        self.self_attention = SelfAttentionBlock(
            d_model, num_heads, self_attention=self_attention, name="self_attention", **options
        )
        self.feed_forward = FeedForwardBlock(d_model, d_ff, activation=activation, name="feed_forward", **options)

    def build(self, x_shape: Shape) -> None:
        self.self_attention.build(x_shape)
        self.feed_forward.build(x_shape)
        self.built = True

    def create_cache(self, batch: Size, capacity: Size) -> KeyValueCache:
        """Return an empty cache for `batch` texts of at most `capacity` tokens."""
        return self.self_attention.create_cache(batch, capacity)

    def attend(
        self,
        x: tf.Tensor,
        mask: Mask,
        causal: bool,
        return_weights: bool,
        training: bool | None,
        cache: KeyValueCache | None,
        **places: tf.Tensor,
    ) -> tuple[tf.Tensor, Weights, KeyValueCache | None]:
        """Return output, weights and cache, None for what was not asked for."""
        options = {"mask": mask, "causal": causal, "return_weights": return_weights, "training": training, **places}
        result = self.self_attention(x, cache=cache, **options)
        x, weights, cache = unpacked(result, return_weights, cache is not None)
        return self.feed_forward(x, training=training), weights, cache

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **arguments_of(self.self_attention), **arguments_of(self.feed_forward)}


@keras.saving.register_keras_serializable(package="clear_attention")
class DecoderLayer(CrossAttending):
    r"""Let tokens look at each other, then at the context, then work on each alone.

    $$ y = \operatorname{FeedForward}(\operatorname{CrossAttention}(\operatorname{SelfAttention}(x),\, c)) $$

    Nothing is blocked unless you say so. To generate text pass `causal=True` or `mask=create_look_ahead_mask(length)`,
    or every token sees the one it has to predict.

    Args:
        d_model: depth of the tokens, in and out.
        num_heads: number of heads; must divide `d_model`.
        d_ff: depth inside the feed-forward block.
        dropout: share of each sub-layer's output that is dropped in training, in [0, 1).
        activation: of the feed-forward block: a name that Keras knows, or a function.
        norm_first: norm before each sub-layer (pre-norm) instead of after the sum (post-norm, as in the paper).
        epsilon: what the norms add to the variance.
        self_attention: options of the attention inside, by name, as
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
        return_weights: return the weights too: a dict of `"self"` and `"cross"`.
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
        >>> from clear_attention import DecoderLayer, create_look_ahead_mask
        >>> layer, x, context = DecoderLayer(8, num_heads=2, d_ff=32), np.ones((1, 3, 8)), np.ones((1, 5, 8))
        >>> output, weights = layer(x, context, mask=create_look_ahead_mask(3), return_weights=True)
        >>> weights["self"].shape, weights["cross"].shape
        (TensorShape([1, 2, 3, 3]), TensorShape([1, 2, 3, 5]))

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.1.
    """

    def __init__(
        self,
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
        super().__init__(**kwargs)
        self.supports_masking = True
        options = {"dropout": dropout, "norm_first": norm_first, "epsilon": epsilon, "dtype": self.dtype_policy}
        self.self_attention = SelfAttentionBlock(
            d_model, num_heads, self_attention=self_attention, name="self_attention", **options
        )
        self.cross_attention = CrossAttentionBlock(
            d_model, num_heads, cross_attention=cross_attention, name="cross_attention", **options
        )
        self.feed_forward = FeedForwardBlock(d_model, d_ff, activation=activation, name="feed_forward", **options)

    def build(self, x_shape: Shape, context_shape: Shape) -> None:
        self.self_attention.build(x_shape)
        self.cross_attention.build(x_shape, context_shape)
        self.feed_forward.build(x_shape)
        self.built = True

    def create_cache(self, context: TensorLike, capacity: Size) -> dict[str, KeyValueCache | ContextCache]:
        """Return a cache with the context in it, and room for `capacity` tokens of each text."""
        kept = self.cross_attention.create_cache(context)
        return {"self": self.self_attention.create_cache(full_shape(kept.keys)[0], capacity), "cross": kept}

    def call(
        self,
        x: tf.Tensor,
        context: tf.Tensor,
        mask: Mask = None,
        cross_mask: Mask = None,
        causal: bool = False,
        return_weights: bool = False,
        training: bool | None = None,
        cache: dict[str, KeyValueCache | ContextCache] | None = None,
        positions: TensorLike | None = None,
        segment_ids: TensorLike | None = None,
    ) -> Output:
        return_weights = flag("return_weights", return_weights)
        options = {"return_weights": return_weights, "training": training}
        past = caches_by_name(cache, ("self", "cross"))
        where = places(positions, segment_ids)
        result = self.self_attention(x, mask=mask, causal=causal, cache=past["self"], **options, **where)
        x, own, longer = unpacked(result, return_weights, cache is not None)
        result = self.cross_attention(x, context, mask=cross_mask, cache=past["cross"], **options)
        x, across, kept = unpacked(result, return_weights, cache is not None)
        x = self.feed_forward(x, training=training)
        weights = {"self": own, "cross": across} if return_weights else None
        return packed(x, weights, None if cache is None else {"self": longer, "cross": kept})

    def get_config(self) -> dict[str, Any]:
        parts = (self.self_attention, self.cross_attention, self.feed_forward)
        return super().get_config() | {k: v for part in parts for k, v in arguments_of(part).items()}


def arguments_of(layer):
    """Return the arguments that a layer was made with, without those that every Keras layer has."""
    return {k: v for k, v in layer.get_config().items() if k not in ("name", "trainable", "dtype")}

"""The three blocks a Transformer is built of: self-attention, cross-attention, feed-forward.

Each is a sub-layer with dropout, a residual connection and a norm around it. They differ in the sub-layer alone; what
is around it is written once, in `ResidualBlock`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import keras
import tensorflow as tf

from clear_attention._checks import numbers, tensors
from clear_attention._checks.caches import known_cache
from clear_attention._checks.options import flag, known_activation, options_inside
from clear_attention._nonfinite import Tokens
from clear_attention._token_layer import Norm, TokenLayer, normed, ours, with_keras_mask
from clear_attention._types import Activation, LayerInput, Mask, Output, Shape, Size, TensorLike, Weights
from clear_attention.attention import packed, unpacked
from clear_attention.cache import ContextCache, KeyValueCache
from clear_attention.heads import MultiHeadAttention
from clear_attention.heads.steps import project_rows


class SelfAttending(TokenLayer):
    """A layer whose tokens look at each other: it is called with one tensor and our mask."""

    def __call__(self, x: LayerInput, mask: LayerInput | None = None, **kwargs: Any) -> Output:
        # Keras fills a `mask` that is None with its own, and a functional model keeps both names for its next call.
        kept = kwargs.pop("blocked_mask", None)
        x, mask = tensors.from_lists(x=x, mask=kept if mask is None or mask is False else ours(mask, x))
        return super().__call__(x, mask=False, blocked_mask=mask, **kwargs)

    def call(
        self,
        x: tf.Tensor,
        mask: tf.Tensor | None = None,
        causal: bool = False,
        return_weights: bool = False,
        training: bool | None = None,
        cache: Any = None,
        positions: TensorLike | None = None,
        segment_ids: TensorLike | None = None,
        blocked_mask: Mask = None,
    ) -> Output:
        return_weights = flag("return_weights", return_weights)
        options = {"causal": causal, "return_weights": return_weights, "training": training, "cache": cache}
        options |= places(positions, segment_ids)
        return packed(*self.attend(with_keras_mask(x, None if mask is False else mask), mask=blocked_mask, **options))


def places(positions, segment_ids):
    """Return by name what is said of where tokens stand, as far as something is said."""
    given = {"positions": positions, "segment_ids": segment_ids}
    return {name: tensors.integers(name, x) for name, x in given.items() if x is not None}


class CrossAttending(TokenLayer):
    """A layer whose tokens look at a context: it is called with two tensors and our masks."""

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
        masks = {"mask": mask} if cross_mask is None else {"mask": mask, "cross_mask": cross_mask}
        return super().__call__(x, context, **masks, **kwargs)


class ResidualBlock(TokenLayer):
    """Put dropout, a residual connection and a norm around a sub-layer: before it (pre-norm) or after (post-norm)."""

    def __init__(self, dropout: float, norm_first: bool, epsilon: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dropout = numbers.rate("dropout", dropout)
        self.norm_first = flag("norm_first", norm_first)
        self.epsilon = numbers.positive("epsilon", epsilon)
        self.supports_masking = True
        self.drop = keras.layers.Dropout(self.dropout, name="drop", dtype=self.dtype_policy)
        self.norm = Norm(epsilon=self.epsilon, name="norm", dtype=self.dtype_policy)

    def before(self, x: tf.Tensor) -> tf.Tensor:
        """Return what goes into the sub-layer."""
        return normed(self.norm, x) if self.norm_first else x

    def after(self, x: tf.Tensor, output: tf.Tensor, training: bool | None = None) -> tf.Tensor:
        """Add what came out of the sub-layer to what went into the block."""
        total = x + self.drop(output, training=training)
        return total if self.norm_first else normed(self.norm, total)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **{name: getattr(self, name) for name in ("dropout", "norm_first", "epsilon")}}


class AttentionBlock(ResidualBlock):
    """A block whose sub-layer is attention in several heads; `inside` names the argument that holds its options."""

    inside: str

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        dropout: float,
        norm_first: bool,
        epsilon: float,
        options: Mapping[str, Any] | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(dropout, norm_first, epsilon, **kwargs)
        options = options_inside(MultiHeadAttention, self.inside, options)
        self.chosen = tuple(options)
        self.attention = MultiHeadAttention(d_model, num_heads, name="attention", dtype=self.dtype_policy, **options)

    def get_config(self) -> dict[str, Any]:
        of_attention = self.attention.get_config()
        sizes = {name: of_attention[name] for name in ("d_model", "num_heads")}
        return {**super().get_config(), **sizes, self.inside: {name: of_attention[name] for name in self.chosen}}


@keras.saving.register_keras_serializable(package="clear_attention")
class SelfAttentionBlock(SelfAttending, AttentionBlock):
    r"""Let the tokens of one sequence look at each other.

    $$ y = \operatorname{Norm}(x + \operatorname{MultiHead}(x, x, x)) \quad\text{or, norm first,}\quad
       y = x + \operatorname{MultiHead}(n, n, n),\; n = \operatorname{Norm}(x) $$

    Nothing is masked unless you say so: in a decoder pass `causal=True` or `create_look_ahead_mask(length)`.

    Args:
        d_model: depth of the tokens, in and out.
        num_heads: number of heads; must divide `d_model`.
        dropout: share of the sub-layer's output that is dropped in training, in [0, 1).
        norm_first: norm before the sub-layer (pre-norm) instead of after the sum (post-norm, as in the paper).
        epsilon: what the norm adds to the variance.
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
        TypeError: a size that is not an integer, a flag that is not a bool, inputs that are not floating-point.
        ValueError: a size below 1, heads that do not divide `d_model`, an input whose depth is not `d_model`, a mask
            that is not ours or does not fit.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import SelfAttentionBlock, create_look_ahead_mask
        >>> block = SelfAttentionBlock(d_model=8, num_heads=2)
        >>> block(np.ones((1, 3, 8)), mask=create_look_ahead_mask(3)).shape
        TensorShape([1, 3, 8])

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.1; Xiong et al. (2020), *On Layer Normalization in
        the Transformer Architecture*, for norm first.
    """

    inside = "self_attention"

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        dropout: float = 0.0,
        norm_first: bool = False,
        epsilon: float = 1e-6,
        self_attention: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(d_model, num_heads, dropout, norm_first, epsilon, self_attention, **kwargs)

    def build(self, x_shape: Shape) -> None:
        shape = (None, None, self.attention.d_model)
        self.attention.build(shape)
        self.norm.build(shape)
        self.built = True

    def create_cache(self, batch: Size, capacity: Size) -> KeyValueCache:
        """Return an empty cache for `batch` texts of at most `capacity` tokens."""
        return self.attention.create_cache(batch, capacity)

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
        tensors.d_model(self.attention.d_model, x=x)
        options = dict.fromkeys(("queries_mask", "keys_mask", "values_mask"), getattr(x, "_keras_mask", None))
        options |= {"mask": mask, "causal": causal, "return_weights": return_weights, "training": training, **places}
        cache = None if cache is None else known_cache(cache, KeyValueCache)
        result = self.attention(self.before(x), cache=cache, **options)
        output, weights, cache = unpacked(result, return_weights, cache is not None)
        return self.after(x, output, training), weights, cache


@keras.saving.register_keras_serializable(package="clear_attention")
class CrossAttentionBlock(CrossAttending, AttentionBlock):
    r"""Let the tokens of one sequence look at those of another.

    $$ y = \operatorname{Norm}(x + \operatorname{MultiHead}(x, c, c)) \quad\text{or, norm first,}\quad
       y = x + \operatorname{MultiHead}(\operatorname{Norm}(x), c, c) $$

    Queries come from `x`, keys and values from the context $c$: in a Transformer the decoder's tokens and the encoder's
    output. The context is not normed here; an encoder that norms first ends with a norm of its own.

    Args:
        d_model: depth of the tokens, in and out.
        num_heads: number of heads; must divide `d_model`.
        dropout: share of the sub-layer's output that is dropped in training, in [0, 1).
        norm_first: norm before the sub-layer (pre-norm) instead of after the sum (post-norm, as in the paper).
        epsilon: what the norm adds to the variance.
        cross_attention: options of the attention inside, by name, as
            [`MultiHeadAttention`][clear_attention.MultiHeadAttention] takes them, such as `d_k`, `dropout` (of the
            weights), `num_key_value_heads`, `blockwise`.
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        x: `(batch, length, d_model)`.
        context: `(batch, context_length, depth)`, of the depth it was built with.
        mask: broadcasts to `(batch, heads, length, context_length)`; 1 blocks a key. Masks that Keras adds count too.
        return_weights: return the weights `(batch, heads, length, context_length)` too.
        training: whether dropout is active.
        cache: what `create_cache` made of the context, so that it is projected once.

    Returns:
        The output `(batch, length, d_model)`; with `return_weights=True` an
            [`Attention`][clear_attention.Attention] of output and weights. With a cache a pair of this and the cache.

    Raises:
        TypeError: a size that is not an integer, a flag that is not a bool, inputs that are not floating-point.
        ValueError: a size below 1, heads that do not divide `d_model`, an input whose depth is not `d_model`, a mask
            that is not ours or does not fit.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import CrossAttentionBlock
        >>> block = CrossAttentionBlock(d_model=8, num_heads=2)
        >>> output, weights = block(np.ones((1, 3, 8)), np.ones((1, 5, 8)), return_weights=True)
        >>> weights.shape
        TensorShape([1, 2, 3, 5])

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.2.3.
    """

    inside = "cross_attention"

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        dropout: float = 0.0,
        norm_first: bool = False,
        epsilon: float = 1e-6,
        cross_attention: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(d_model, num_heads, dropout, norm_first, epsilon, cross_attention, **kwargs)

    def build(self, x_shape: Shape, context_shape: Shape) -> None:
        shape = (None, None, self.attention.d_model)
        self.attention.build(shape, context_shape)
        self.norm.build(shape)
        self.built = True

    def create_cache(self, context: TensorLike) -> ContextCache:
        """Return the context's keys and values, projected once for all tokens to come."""
        return self.attention.create_context_cache(context)

    def call(
        self,
        x: tf.Tensor,
        context: tf.Tensor,
        mask: Mask = None,
        return_weights: bool = False,
        training: bool | None = None,
        cache: ContextCache | None = None,
        x_mask: tf.Tensor | None = None,
        context_mask: tf.Tensor | None = None,
    ) -> Output:
        tensors.d_model(self.attention.d_model, x=x)
        tensors.as_built(self.attention.project_keys.kernel, context=context)  # None would mean x
        tensors.same_number(0, x=x, context=context)
        return_weights = flag("return_weights", return_weights)
        options = {"queries_mask": x_mask, "keys_mask": context_mask, "values_mask": context_mask}
        options |= {"mask": mask, "return_weights": return_weights, "training": training}
        cache = None if cache is None else known_cache(cache, ContextCache)
        result = self.attention(self.before(x), context, cache=cache, **options)
        output, weights, cache = unpacked(result, return_weights, cache is not None)
        return packed(self.after(x, output, training), weights, cache)


@keras.saving.register_keras_serializable(package="clear_attention")
class FeedForwardBlock(ResidualBlock):
    r"""Work on each token alone: widen it, bend it, narrow it again.

    $$ \operatorname{FFN}(x) = f(x W_1 + b_1)\, W_2 + b_2, \qquad y = \operatorname{Norm}(x + \operatorname{FFN}(x))
       \quad\text{or}\quad y = x + \operatorname{FFN}(\operatorname{Norm}(x)) $$

    Args:
        d_model: depth of the tokens, in and out.
        d_ff: depth in between, commonly `4 * d_model`.
        dropout: share of the sub-layer's output that is dropped in training, in [0, 1).
        activation: the function $f$: a name that Keras knows, or a function.
        norm_first: norm before the sub-layer (pre-norm) instead of after the sum (post-norm, as in the paper).
        epsilon: what the norm adds to the variance.
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        x: `(batch, length, d_model)`.
        training: whether dropout is active.

    Returns:
        `(batch, length, d_model)`; the mask that Keras attached to `x` stays.

    Raises:
        TypeError: a size that is not an integer, a flag that is not a bool, an input that is not floating-point.
        ValueError: a size below 1, an activation that Keras does not know, an input whose depth is not `d_model`.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import FeedForwardBlock
        >>> block = FeedForwardBlock(d_model=8, d_ff=32, activation="gelu")
        >>> block(np.ones((1, 3, 8))).shape, block.count_params()
        (TensorShape([1, 3, 8]), 568)

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.3.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        dropout: float = 0.0,
        activation: Activation = "relu",
        norm_first: bool = False,
        epsilon: float = 1e-6,
        **kwargs: Any,
    ) -> None:
        super().__init__(dropout, norm_first, epsilon, **kwargs)
        self.d_model, self.d_ff = numbers.size("d_model", d_model), numbers.size("d_ff", d_ff)
        self.activation = known_activation(activation)
        self.widen = keras.layers.Dense(self.d_ff, self.activation, name="widen", dtype=self.dtype_policy)
        self.narrow = keras.layers.Dense(self.d_model, name="narrow", dtype=self.dtype_policy)

    def build(self, x_shape: Shape) -> None:
        self.widen.build((None, self.d_model))
        self.narrow.build((None, self.d_ff))
        self.norm.build((None, None, self.d_model))
        self.built = True

    def __call__(self, x: LayerInput, **kwargs: Any) -> Output:
        return super().__call__(*tensors.from_lists(x=x), **kwargs)

    def call(self, x: tf.Tensor, training: bool | None = None) -> tf.Tensor:
        tensors.d_model(self.d_model, x=x)

        tokens = Tokens.of(self.before(x))
        wide = project_rows(self.widen, tokens.finite)  # (batch, length, d_ff)
        output = tokens.marked(project_rows(self.narrow, wide))  # (batch, length, d_model)
        return self.after(x, output, training)

    def get_config(self) -> dict[str, Any]:
        activation = keras.activations.serialize(self.activation)
        return {**super().get_config(), "d_model": self.d_model, "d_ff": self.d_ff, "activation": activation}

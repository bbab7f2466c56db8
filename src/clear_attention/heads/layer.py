"""The layer: it holds four projections, and its arithmetic is theirs and that of the attention function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import keras
import tensorflow as tf

from clear_attention._checks import numbers, tensors
from clear_attention._checks.biases import known_part, positions_and_bias_fit
from clear_attention._checks.caches import cache_fits, known_cache, no_documents_in_cache, same_context
from clear_attention._checks.masks import mask_of_keras, mask_with_heads
from clear_attention._checks.options import choice, flag
from clear_attention._nonfinite import Tokens
from clear_attention._token_layer import TokenLayer, ours
from clear_attention._types import LayerInput, Mask, Output, Shape, Size, TensorLike
from clear_attention.attention import Attention, add_keras_masks, full_shape, packed, scaled_dot_product_attention
from clear_attention.biases import DistanceBias, PositionBias, distances_between
from clear_attention.blockwise import blockwise_attention, blockwise_pays
from clear_attention.cache import ContextCache, KeyValueCache
from clear_attention.heads.cached import look_back, projected_context, write_down
from clear_attention.heads.splitting import merge_heads, split_heads
from clear_attention.heads.steps import (
    blocked_by_keras,
    described,
    for_all_heads,
    hidden_by,
    last,
    outside,
    project_rows,
)
from clear_attention.masks.create import blocked_by_any
from clear_attention.rotary import RotaryPositions


@keras.saving.register_keras_serializable(package="clear_attention")
class MultiHeadAttention(TokenLayer):
    r"""Attend in several heads side by side, each with its own projection of queries, keys and values.

    $$ \operatorname{MultiHead}(Q, K, V) = \operatorname{Concat}(\text{head}_1, \dots, \text{head}_h)\, W^O, \qquad
       \text{head}_i = \operatorname{Attention}(Q W^Q_i, K W^K_i, V W^V_i) $$

    One Dense layer holds the projections of all heads. On the same weights the layer equals
    `keras.layers.MultiHeadAttention`, except for a query with no key left: it gets weights 0 here, and its output is
    the bias of the last projection. Masks that layers such as `Embedding(mask_zero=True)` attach are honoured: masked
    keys and values are blocked, and a masked query sees nothing.

    Args:
        d_model: depth of the output.
        num_heads: number of heads; must divide `d_model` unless `d_k` is given.
        d_k: depth of the queries and keys *of each head*; `d_model // num_heads` when left out.
        d_v: depth of the values of each head; `d_k` when left out.
        dropout: share of the weights that are dropped in training, in [0, 1). The returned weights are those before.
        use_bias: add a bias in all four projections.
        num_key_value_heads: number of heads of keys and values, which divides `num_heads`: each serves as many heads of
            queries, in a row. `num_heads` when left out; 1 is multi-query attention. Keys, values and caches are
            smaller by as much.
        rotary: [`RotaryPositions`][clear_attention.RotaryPositions], which turn queries and keys by where they stand.
        position_bias: [`AlibiBias`][clear_attention.AlibiBias] or
            [`RelativePositionBias`][clear_attention.RelativePositionBias], added to the scores.
        softcap: the largest score, as in `scaled_dot_product_attention`.
        sink: learn one more score for each head, the weight of which goes to nothing.
        window: hide keys that are this far from a query, or farther, as
            [`create_window_mask`][clear_attention.create_window_mask] does: with `causal` a query sees the last
            `window` tokens, its own counted.
        first_keys: so many keys at the beginning stay visible beside the window.
        blockwise: attend as [`blockwise_attention`][clear_attention.blockwise_attention], in memory that grows with
            the length: `True`, `False` or `"auto"`, which does so where it pays and nobody asks for weights or dropout:
            with `causal` from 2,048 keys on (4,096 in eager execution), else, and on a GPU always, where all weights
            would take over 2 GiB.
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        queries: `(batch, query_length, depth)`.
        keys: `(batch, key_length, depth_of_keys)`; the queries when left out.
        values: `(batch, key_length, depth_of_values)`; the keys when left out.
        mask: broadcasts to `(batch, heads, query_length, key_length)`; 1 blocks a key.
        causal: hide later keys, too; the last query stands on the last key.
        bias: added to the scores; broadcasts to `(batch, heads, query_length, key_length)`.
        positions: where the keys stand, for `rotary`: integers `(key_length,)` or `(batch, key_length)`; 0, 1, 2, ...
            when left out, or behind those in the cache. The queries stand at the last of them.
        segment_ids: `(batch, key_length)`: which document each key belongs to; a query sees those of its own only.
        return_weights: return the weights `(batch, heads, query_length, key_length)` too, and the same output.
        training: whether dropout is active.
        cache: what [`create_cache`][clear_attention.KeyValueCache] made, or what the last call returned: the keys are
            written behind those that are kept, and the queries look back at all of them. Then `key_length` is the
            capacity of the cache, for `mask` and for the weights.

    Returns:
        The output `(batch, query_length, d_model)`; with `return_weights=True` an
            [`Attention`][clear_attention.Attention] of output and weights. With a cache a pair of this and the cache
            with the new tokens in it.

    Raises:
        TypeError: a size that is not an integer, a flag that is not a bool, inputs that are not floating-point.
        ValueError: a size below 1, heads that do not divide `d_model`, a dropout outside [0, 1), an input that does not
            have the depth the layer was built with, inputs of different batches, a mask that is not ours or does not
            fit, `blockwise=True` with `return_weights=True` or a dropout: both need the weights. A cache that another
            layer made, if that shows in its shapes, or that has no room left. Heads of keys that do not divide those of
            queries, a `bias` beside a `position_bias`, `positions` without `rotary`, `segment_ids` with a cache.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import MultiHeadAttention, create_look_ahead_mask
        >>> attention = MultiHeadAttention(d_model=8, num_heads=2)
        >>> x = np.ones((1, 3, 8))
        >>> output, weights = attention(x, mask=create_look_ahead_mask(3), return_weights=True)
        >>> output.shape
        TensorShape([1, 3, 8])
        >>> weights[0, 1].numpy()
        array([[1.  , 0.  , 0.  ],
               [0.5 , 0.5 , 0.  ],
               [0.33, 0.33, 0.33]], dtype=float32)

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.2.2.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_k: int | None = None,
        d_v: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        blockwise: bool | Literal["auto"] = "auto",
        num_key_value_heads: int | None = None,
        rotary: RotaryPositions | None = None,
        position_bias: PositionBias | None = None,
        softcap: float | None = None,
        sink: bool = False,
        window: int | None = None,
        first_keys: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.d_model = numbers.size("d_model", d_model)
        self.num_heads = numbers.size("num_heads", num_heads)
        if d_k is None:
            when = " when d_k is not given"
            d_k = self.d_model // numbers.divisor("num_heads", num_heads, "d_model", self.d_model, when)
        self.d_k = numbers.size("d_k", d_k)
        self.d_v = self.d_k if d_v is None else numbers.size("d_v", d_v)
        self.dropout = numbers.rate("dropout", dropout)
        self.use_bias = flag("use_bias", use_bias)
        self.blockwise = choice(blockwise, self.dropout)
        self.num_key_value_heads = numbers.shared_heads(num_key_value_heads, self.num_heads)
        self.rotary = known_part("rotary", rotary, RotaryPositions, "RotaryPositions()")
        self.position_bias = known_part("position_bias", position_bias, PositionBias, "AlibiBias()")
        self.softcap = None if softcap is None else numbers.positive("softcap", softcap)
        self.has_sink = flag("sink", sink)
        self.window = None if window is None else numbers.within(numbers.known_size("window", window), numbers.FARTHEST)
        self.first_keys = numbers.beside_a_window(first_keys, self.window)
        self.sink: keras.Variable | None = None
        self.supports_masking = True
        self.seeds = keras.random.SeedGenerator() if self.dropout else None
        names = {
            "project_queries": self.num_heads * self.d_k,
            "project_keys": self.num_key_value_heads * self.d_k,
            "project_values": self.num_key_value_heads * self.d_v,
            "project_output": self.d_model,
        }
        for name, units in names.items():
            setattr(self, name, keras.layers.Dense(units, use_bias=use_bias, name=name, dtype=self.dtype_policy))

    def build(self, queries_shape: Shape, keys_shape: Shape | None = None, values_shape: Shape | None = None) -> None:
        keys_shape = keys_shape or queries_shape
        self.project_queries.build((None, queries_shape[-1]))
        self.project_keys.build((None, keys_shape[-1]))
        self.project_values.build((None, (values_shape or keys_shape)[-1]))
        self.project_output.build((None, self.num_heads * self.d_v))
        if self.has_sink:
            self.sink = self.add_weight(name="sink", shape=(self.num_heads,), initializer="zeros")
        if self.position_bias is not None:
            self.position_bias.for_heads(self.num_heads)
        self.built = True

    def __call__(
        self,
        queries: LayerInput,
        keys: LayerInput | None = None,
        values: LayerInput | None = None,
        mask: LayerInput | None = None,
        **kwargs: Any,
    ) -> Output:
        keys = queries if keys is None else keys
        values = keys if values is None else values
        given = {"queries": queries, "keys": keys, "values": values, "mask": ours(mask, queries)}
        *inputs, mask = tensors.from_lists(**given)
        return super().__call__(*inputs, **({} if mask is None else {"blocked_mask": mask}), **kwargs)

    def call(
        self,
        queries: tf.Tensor,
        keys: tf.Tensor | None = None,
        values: tf.Tensor | None = None,
        mask: tf.Tensor | None = None,
        causal: bool = False,
        return_weights: bool = False,
        training: bool | None = None,
        cache: KeyValueCache | ContextCache | None = None,
        bias: TensorLike | None = None,
        positions: TensorLike | None = None,
        segment_ids: TensorLike | None = None,
        queries_mask: tf.Tensor | None = None,
        keys_mask: tf.Tensor | None = None,
        values_mask: tf.Tensor | None = None,
        blocked_mask: Mask = None,
    ) -> Output:
        mask_of_keras(mask, keys)
        if keys is None or values is None:  # a wrapper of Keras knows one tensor, and hands over its mask
            keys = values = queries
            queries_mask = keys_mask = values_mask = mask
        mask = blocked_mask
        tensors.as_built(self.project_queries.kernel, queries=queries)
        tensors.as_built(self.project_keys.kernel, keys=keys)
        tensors.as_built(self.project_values.kernel, values=values)
        tensors.same_number(0, queries=queries, keys=keys, values=values)
        tensors.same_number(1, keys=keys, values=values)
        mask_with_heads(mask)
        causal, return_weights = flag("causal", causal), flag("return_weights", return_weights)
        positions_and_bias_fit(self, positions, bias)
        no_documents_in_cache(segment_ids, cache)
        dropout = self.drop if training and self.dropout else None

        if cache is None:
            ahead = full_shape(keys)[1] - full_shape(queries)[1]  # the last query stands on the last key
            queries, keys, values = Tokens.of_each(queries, keys, values)
            q = self.to_queries(queries, ahead, **last(positions, queries.given))  # (batch, heads, query_length, d_k)
            where = {} if positions is None else {"positions": positions}
            k, v = self.to_keys_and_values(keys, values, **where)  # (batch, heads, key_length, d_k), and with d_v
            mask = add_keras_masks(mask, *for_all_heads(queries_mask, keys_mask, values_mask))
            rules = self.score_rules(q, k, bias)
            rules |= {"segment_ids": segment_ids, "window": self.window, "first_keys": self.first_keys}
            output, weights = self.attend(q, k, v, mask, causal, return_weights, dropout, **rules)
            return packed(self.to_output(Tokens.of(merge_heads(output))), weights if return_weights else None)

        cache = known_cache(cache, KeyValueCache, ContextCache)
        cache_fits(cache, self, queries, mask)
        if isinstance(cache, KeyValueCache):
            keras_mask = blocked_by_keras(keys_mask, values_mask)
            q, cache, future = write_down(self, queries, keys, values, cache, keras_mask, positions)
            behind = full_shape(cache.keys)[2] - cache.length
            far = None if self.window is None else outside(self.window, self.first_keys, q, cache.keys, behind)
            mask, causal, keys_mask = blocked_by_any(mask, future if causal else None, far), False, None
            rules = self.score_rules(q, cache.keys, bias, behind)
        else:
            same_context(cache, keys)
            q = self.to_queries(Tokens.unchecked(queries))
            rules = self.score_rules(q, cache.keys, bias)
        mask = add_keras_masks(mask, *for_all_heads(queries_mask, keys_mask, ~cache.blocked))
        output, weights = look_back(self, q, cache, mask, causal, return_weights, dropout, **rules)
        output = self.to_output(Tokens.unchecked(merge_heads(output)))
        return packed(output, weights if return_weights else None, cache)

    def to_queries(self, x: Tokens, start: Size = 0, positions: TensorLike | None = None) -> tf.Tensor:
        """Return the queries of all heads; the first token stands at `start`, if no `positions` are given."""
        return self.placed(self.to_heads(self.project_queries, x, self.num_heads), start, positions)

    def to_keys_and_values(
        self, keys: Tokens, values: Tokens, start: Size = 0, positions: TensorLike | None = None
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Return the keys and values of all heads; the first token stands at `start`, if no `positions` are given."""
        k = self.to_heads(self.project_keys, keys, self.num_key_value_heads)
        v = self.to_heads(self.project_values, values, self.num_key_value_heads)
        return self.placed(k, start, positions), v

    def placed(self, heads: tf.Tensor, start: Size, positions: TensorLike | None) -> tf.Tensor:
        return self.at_positions(heads, start) if positions is None else self.rotary(heads, positions)

    def at_positions(self, heads: tf.Tensor, start: Size) -> tf.Tensor:
        """Return queries or keys `(batch, heads, length, d_k)` as they are compared: turned, if there are turns.

        A subclass can do something else to tokens that stand at `start`, `start + 1`, ... A cache keeps what is
        returned here.
        """
        return heads if self.rotary is None else self.rotary(heads, start + tf.range(full_shape(heads)[2]))

    def score_rules(self, q: tf.Tensor, k: tf.Tensor, bias: TensorLike | None, behind: Size = 0) -> dict[str, Any]:
        """Return what else goes into the scores, by name; the last query stands `behind` the last key."""
        if self.position_bias is not None:
            distances = distances_between(full_shape(q)[2], full_shape(k)[2], behind)
            bias = DistanceBias(self.position_bias(distances))
        sink = None if self.sink is None else tf.cast(self.sink, q.dtype)[:, tf.newaxis, tf.newaxis]
        grouped = self.num_key_value_heads != self.num_heads
        return {"bias": bias, "softcap": self.softcap, "sink": sink, "grouped": grouped}

    def attend(
        self,
        q: tf.Tensor,
        k: tf.Tensor,
        v: tf.Tensor,
        mask: Mask = None,
        causal: bool = False,
        return_weights: bool = False,
        dropout: Callable[[tf.Tensor], tf.Tensor] | None = None,
        check_finite: bool = True,
        segment_ids: TensorLike | None = None,
        window: int | None = None,
        first_keys: int = 0,
        **rules: Any,
    ) -> Attention:
        """Attend in each head: all at once, or by blocks, which knows no weights."""
        by_blocks = self.blockwise
        if by_blocks == "auto":
            by_blocks = not return_weights and dropout is None and blockwise_pays(q, k, causal)
        if by_blocks:
            rules |= {"segment_ids": segment_ids, "window": window, "first_keys": first_keys}
            rules |= {"return_weights": return_weights, "check_finite": check_finite}
            return Attention(blockwise_attention(q, k, v, mask, causal, **rules), None)
        if causal or segment_ids is not None or window is not None:
            mask = blocked_by_any(mask, *hidden_by(q, k, causal, segment_ids, window, first_keys))
        return scaled_dot_product_attention(q, k, v, mask, dropout=dropout, check_finite=check_finite, **rules)

    def to_output(self, x: Tokens) -> tf.Tensor:
        """Project the merged heads to the output `(batch, query_length, d_model)`."""
        return x.marked(project_rows(self.project_output, x.finite))

    def to_heads(self, dense: keras.layers.Dense, x: Tokens, num_heads: int) -> tf.Tensor:
        return split_heads(x.marked(project_rows(dense, x.finite)), num_heads)

    def create_cache(self, batch: Size, capacity: Size) -> KeyValueCache:
        """Return an empty cache for `batch` texts of at most `capacity` tokens."""
        batch, capacity = numbers.size("batch", batch), numbers.length("capacity", capacity)
        return KeyValueCache.empty((batch, self.num_key_value_heads, capacity), self.d_k, self.d_v, self.compute_dtype)

    def create_context_cache(self, keys: TensorLike, values: TensorLike | None = None) -> ContextCache:
        """Return a context's keys and values, projected once for all queries to come; the values default to the keys.

        A mask that Keras attached to them is kept.
        """
        return projected_context(self, keys, values)

    def compute_output_shape(  # type: ignore[override]  # a layer's inputs have names of its own
        self, queries_shape: Shape, keys_shape: Shape | None = None, values_shape: Shape | None = None
    ) -> Shape:
        return (*queries_shape[:-1], self.d_model)

    def drop(self, weights: tf.Tensor) -> tf.Tensor:
        return keras.random.dropout(weights, self.dropout, seed=self.seeds)

    def get_config(self) -> dict[str, Any]:
        names = [*("d_model", "num_heads", "d_k", "d_v", "dropout", "use_bias", "blockwise", "softcap", "window")]
        names += ["num_key_value_heads", "first_keys"]
        config = {**super().get_config(), **{name: getattr(self, name) for name in names}, "sink": self.has_sink}
        return config | {name: described(getattr(self, name)) for name in ("rotary", "position_bias")}

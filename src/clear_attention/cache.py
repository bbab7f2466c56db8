"""What is kept of the tokens so far, so that a text can be read or written in pieces.

A token's keys and values do not change when later tokens come, if no token sees a later one. So a layer keeps them, and
each piece of a text looks back at what is kept. Only finite numbers are kept: where NaN or infinity came, it is written
down that they did.
"""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from clear_attention._checks.caches import room_in_cache
from clear_attention._checks.masks import mask_tensor
from clear_attention._types import Size


class KeyValueCache(NamedTuple):
    """Keep the keys and values of the tokens so far, so that later tokens can look back at them.

    A layer makes one with `create_cache`, and is called with it: `output, cache = layer(x, cache=cache)`. The tokens of
    `x` are written behind those that are kept. If no token sees a later one, a text that comes in any number of pieces
    gets the numbers that it gets in one. More tokens than there is room for are refused, but not under XLA.

    Attributes:
        keys: `(batch, heads, capacity, d_k)`, 0 where nothing is kept yet.
        values: `(batch, heads, capacity, d_v)`, likewise.
        blocked: `(batch, capacity)`, bool: places that no query sees, which are padding or not filled yet.
        strange: `(batch, capacity)`, bool: tokens that held NaN or infinity; 0 is kept for each such number.
        length: int32, how many places are filled.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import MultiHeadAttention
        >>> attention, x = MultiHeadAttention(d_model=8, num_heads=2), np.random.default_rng(0).normal(size=(1, 5, 8))
        >>> cache = attention.create_cache(batch=1, capacity=5)
        >>> first, cache = attention(x[:, :3], causal=True, cache=cache)
        >>> last, cache = attention(x[:, 3:], causal=True, cache=cache)
        >>> bool(np.allclose(np.concatenate([first, last], axis=1), attention(x, causal=True), atol=1e-6))
        True
    """

    keys: tf.Tensor
    values: tf.Tensor
    blocked: tf.Tensor
    strange: tf.Tensor
    length: tf.Tensor

    @classmethod
    def empty(cls, shape: tuple[Size, ...], d_k: int, d_v: int, dtype: str) -> KeyValueCache:
        """Return a cache of shape `(batch, heads, capacity)` that keeps nothing yet, so that all places are blocked."""
        batch, _, capacity = shape
        keys, values = (tf.zeros((*shape, depth), dtype) for depth in (d_k, d_v))
        return cls(keys, values, tf.fill((batch, capacity), True), tf.fill((batch, capacity), False), tf.constant(0))

    def extended(self, new: ContextCache) -> KeyValueCache:
        """Return the cache with more keys and values behind those that it has."""
        more, capacity = (x.shape[2] or tf.shape(x)[2] for x in (new.keys, self.keys))
        length = room_in_cache(self.length, more, capacity)
        place = tf.range(capacity) - length  # of each key among the new ones
        is_new = (place >= 0) & (place < more)
        if not isinstance(more, int) or more != 1:  # one alone fits everywhere
            new = new.taken(tf.clip_by_value(place, 0, more - 1))
        longer = (
            tf.where(is_new[:, tf.newaxis], new.keys, self.keys),
            tf.where(is_new[:, tf.newaxis], new.values, self.values),
            tf.where(is_new, new.blocked, self.blocked),
            tf.where(is_new, new.strange, self.strange),
        )
        kept = [tf.ensure_shape(x, old.shape) for x, old in zip(longer, self[:-1], strict=True)]
        return KeyValueCache._make([*kept, length + more])

    def future_of(self, queries: int | tf.Tensor) -> tf.Tensor:
        """Tell which places lie in the future of each of the last `queries` tokens: bool `(queries, capacity)`."""
        stands = self.length - queries + tf.range(queries)
        return tf.range(tf.shape(self.keys)[2]) > stands[:, tf.newaxis]


class ContextCache(NamedTuple):
    """Keep the keys and values of a context, which stays as it is: nothing is added when a layer is called with it.

    A layer that is called with it uses of the context only the mask that Keras attached, not the numbers.

    Attributes:
        keys: `(batch, heads, context_length, d_k)`.
        values: `(batch, heads, context_length, d_v)`.
        blocked: `(batch, context_length)`, bool: tokens of the context that no query sees, because they are padding.
        strange: `(batch, context_length)`, bool: tokens that held NaN or infinity; 0 is kept for each such number.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import CrossAttentionBlock
        >>> block, x, context = CrossAttentionBlock(d_model=8, num_heads=2), np.ones((1, 3, 8)), np.ones((1, 5, 8))
        >>> expected = block(x, context)
        >>> output, cache = block(x, context, cache=block.create_cache(context))
        >>> bool(np.allclose(output, expected)), cache.keys.shape
        (True, TensorShape([1, 2, 5, 4]))
    """

    keys: tf.Tensor
    values: tf.Tensor
    blocked: tf.Tensor
    strange: tf.Tensor

    @classmethod
    def of(cls, keys: tf.Tensor, values: tf.Tensor, blocked: tf.Tensor | None) -> ContextCache:
        """Return what is kept of keys and values of all heads; None blocks nothing."""
        finite_keys, finite_values = (tf.math.is_finite(x) for x in (keys, values))
        strange = ~(tf.reduce_all(finite_keys, axis=(1, 3)) & tf.reduce_all(finite_values, axis=(1, 3)))
        zero = tf.constant(0, keys.dtype)
        keys, values = tf.where(finite_keys, keys, zero), tf.where(finite_values, values, zero)
        return cls(keys, values, tf.zeros_like(strange) if blocked is None else blocked, strange)

    def taken(self, places: tf.Tensor) -> ContextCache:
        """Return what is kept of the tokens at `places`, in this order."""
        of_heads = (tf.gather(x, places, axis=2) for x in self[:2])
        return ContextCache(*of_heads, *(tf.gather(x, places, axis=1) for x in self[2:]))


class SeenInCache(NamedTuple):
    """Find the queries that see a token which was not finite, or are not finite themselves if it is asked for them."""

    q: tf.Tensor | None
    strange: tf.Tensor  # (batch, key_length)
    mask: tf.Tensor
    cheap: bool = True

    def places(self):
        visible = ~mask_tensor(self.mask)
        rows = tf.reduce_any(self.strange[:, tf.newaxis, tf.newaxis, :] & visible, axis=-1, keepdims=True)
        if self.q is not None:
            rows |= ~tf.reduce_all(tf.math.is_finite(self.q), axis=-1, keepdims=True)  # (batch, heads, length, 1)
        return [rows, rows & visible]

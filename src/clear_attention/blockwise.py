"""Attention in memory that grows with the length, not with its square: a block of queries at a time.

The weights of one block of queries are made, used and thrown away. The backward pass makes them again. Each block meets
whole rows of keys, so that its softmax is the ordinary one; where nobody in a block sees a key, it is not read at all.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import tensorflow as tf

from clear_attention._checks import numbers
from clear_attention._checks.attention import attention_inputs, known_axes
from clear_attention._checks.options import flags
from clear_attention._nonfinite import marked, without_nonfinite
from clear_attention._types import Mask, TensorLike
from clear_attention._xla import in_xla
from clear_attention.attention import depth, narrowed, widened

BLOCK = 256  # queries: their weights stay in the cache, and the products are still large
CAUSAL_FROM = 2048  # keys: from here on the half that is skipped is worth more than the loop costs
EAGER_FROM = 4096  # in eager execution, where each step of the loop costs more
FARTHEST = 2**30  # keys: no window has to be wider
LARGEST = 2**29  # weights: all at once they would take 2 GiB, several times


def blockwise_attention(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    mask: Mask = None,
    causal: bool = False,
    window: int | None = None,
    block_size: int | None = None,
    *,
    return_weights: bool = False,
    check_finite: bool = True,
) -> tf.Tensor:
    r"""Attend as `scaled_dot_product_attention` does, without ever holding all weights.

    $$ \operatorname{Attention}(Q, K, V) = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V $$

    Numbers, gradients and promises are those of
    [`scaled_dot_product_attention`][clear_attention.scaled_dot_product_attention]. With `causal` and `window` no mask
    is built, and keys that a whole block of queries doesn't see are skipped. Under XLA they are not skipped, since
    there all slices must have sizes known beforehand.

    Args:
        q: queries `(..., query_length, d_k)`, float16, bfloat16, float32 or float64.
        k: keys `(..., key_length, d_k)`, leading axes and dtype as `q`.
        v: values `(..., key_length, d_v)`, leading axes and dtype as `q`.
        mask: broadcasts to `(..., query_length, key_length)`; 1 blocks a key. A padding mask
            `(batch, 1, 1, key_length)` stays as small as it is.
        causal: hide later keys; the last query stands on the last key.
        window: hide keys that are this far from a query's position, or farther; a positive integer.
        block_size: how many queries are computed together; 256 when left out. Memory grows with it.
        return_weights: refused, since the weights are what is never held.
        check_finite: as in `scaled_dot_product_attention`.

    Returns:
        The output `(..., query_length, d_v)`, in the dtype of `q`. 16-bit inputs are computed in float32.

    Raises:
        TypeError: inputs that are not floating-point or not of one dtype, a mask that is not numbers or bools, a flag
            or a size of another type.
        ValueError: shapes that do not fit together, no key, a depth of 0, a mask that is not ours, a size below 1,
            `return_weights=True`.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import blockwise_attention, create_look_ahead_mask, scaled_dot_product_attention
        >>> q, k, v = np.random.default_rng(0).normal(size=(3, 1, 8, 1000, 64))
        >>> expected = scaled_dot_product_attention(q, k, v, create_look_ahead_mask(1000)).output
        >>> bool(np.allclose(blockwise_attention(q, k, v, causal=True), expected))
        True

    References:
        Rabe and Staats (2021), *Self-attention Does Not Need O(n²) Memory*; Dao et al. (2022), *FlashAttention*.
    """
    q, k, v, blocked = attention_inputs(q, k, v, mask)
    flags(causal=causal, return_weights=return_weights, check_finite=check_finite)
    window = None if window is None else numbers.within(numbers.size("window", window), FARTHEST)
    block = BLOCK if block_size is None else min(numbers.known_size("block_size", block_size), FARTHEST)
    known_axes(q=q, k=k, v=v)
    wide = widened(q, k, v)
    (safe_q, safe_k, safe_v), strange = without_nonfinite(*wide) if check_finite else (wide, None)
    blocks = QueryBlocks.of(q, k, blocked, causal, window, block)

    output = attend_by_blocks(blocks, safe_q, safe_k, safe_v)  # (..., query_length, d_v)

    (output,) = marked([output], strange, VisibleByBlocks(blocks, wide))
    return narrowed(q.dtype, output)[0]


def blockwise_pays(q, k, causal):
    """Tell whether attention by blocks is quicker than all at once, or all at once would need too much memory.

    The numbers are those of the committed benchmark. Lengths that are not known yet decide nothing.
    """
    *leading, queries, _ = q.shape
    if None in (queries, k.shape[-2]):
        return False
    if causal and k.shape[-2] >= (EAGER_FROM if tf.executing_eagerly() else CAUSAL_FROM) and not in_xla():
        return True
    cells = math.prod(n or 1 for n in leading) * queries * k.shape[-2]
    return cells > LARGEST


class QueryBlocks(NamedTuple):
    """Say how the queries are cut into blocks, and which keys a block sees."""

    queries: tf.Tensor  # query_length
    keys: tf.Tensor  # key_length
    size: tf.Tensor  # queries in a block
    number: tf.Tensor  # of blocks
    blocked: tf.Tensor | None
    causal: bool
    window: int | None
    skips: bool
    may_be_empty: bool

    @classmethod
    def of(cls, q, k, blocked, causal, window, size):
        queries, keys = (x.shape[-2] or tf.shape(x)[-2] for x in (q, k))
        known = isinstance(queries, int) and isinstance(keys, int)
        size = max(1, min(size, queries)) if isinstance(queries, int) else tf.maximum(1, tf.minimum(size, queries))
        may_be_empty = not (blocked is None and window is None and known and keys >= queries)
        number = -(-queries // size)  # one of padding where there are no queries
        number = max(1, number) if isinstance(number, int) else tf.maximum(1, number)
        if blocked is not None:
            blocked = whole_blocks(blocked, number * size)
        return cls(queries, keys, size, number, blocked, causal, window, not in_xla(), may_be_empty)

    @property
    def known_size(self):
        return self.size if isinstance(self.size, int) else None

    def padded(self, x):
        """Lengthen the axis of queries to whole blocks."""
        more = self.number * self.size - self.queries
        return tf.pad(x, [[0, 0]] * (x.shape.rank - 2) + [[0, more], [0, 0]])

    def cut(self, x, i):
        """Take block i of queries out of a padded tensor."""
        size = tf.concat([tf.shape(x)[:-2], [self.size, x.shape[-1]]], axis=0)
        begin = tf.concat([tf.zeros(x.shape.rank - 2, tf.int32), [i * self.size, 0]], axis=0)
        return tf.ensure_shape(tf.slice(x, begin, size), [*x.shape[:-2], self.known_size, x.shape[-1]])

    def seen(self, i):
        """Return the first key that anybody in block i sees, and the one after the last."""
        first, last, ahead = 0, self.keys, 0
        if self.skips and (self.causal or self.window is not None):
            place = i * self.size + self.keys - self.queries  # of the block's first query among the keys
            if self.window is not None:
                first = tf.clip_by_value(place - self.window + 1, 0, self.keys - 1)
                ahead = 0 if self.causal else self.window - 1
            last = tf.clip_by_value(place + self.size + ahead, first + 1, self.keys)
        return first, last

    def hidden(self, i, first, last):
        """Tell which keys from first to last are hidden from block i: `(..., size, keys)`, or None if none are."""
        hidden = None if self.blocked is None else self.of_mask(self.blocked, i, first, last)
        if self.causal or self.window is not None:
            places = i * self.size + tf.range(self.size) + self.keys - self.queries
            ahead = tf.range(first, last) - places[:, tf.newaxis]  # (size, keys)
            if self.causal:
                far = ahead > 0 if self.window is None else (ahead > 0) | (ahead <= -self.window)
            else:
                far = tf.abs(ahead) >= self.window
            hidden = far if hidden is None else hidden | far
        return hidden

    def of_mask(self, mask, i, first, last):
        rows, columns = tf.shape(mask)[-2], tf.shape(mask)[-1]
        begin = [tf.where(rows == 1, 0, i * self.size), tf.where(columns == 1, 0, first)]
        size = [tf.where(rows == 1, 1, self.size), tf.where(columns == 1, 1, last - first)]
        leading = mask.shape.rank - 2
        begin = tf.concat([tf.zeros(leading, tf.int32), begin], axis=0)
        return tf.slice(mask, begin, tf.concat([tf.shape(mask)[:-2], size], axis=0))

    def weights(self, q, k, i, first, last):
        """Return the weights `(..., size, keys)` of block i, and which queries see nothing and got useless ones."""
        scores = tf.matmul(q, k, transpose_b=True)
        hidden = self.hidden(i, first, last)
        if hidden is None:
            return tf.nn.softmax(scores), None
        lowest = tf.constant(float("-inf"), scores.dtype)
        if not self.may_be_empty:
            return tf.nn.softmax(tf.where(hidden, lowest, scores)), None
        sees_nothing = tf.reduce_all(hidden, axis=-1, keepdims=True)  # (..., size, 1)
        fill = tf.where(sees_nothing, tf.constant(0, scores.dtype), lowest)
        return tf.nn.softmax(tf.where(hidden, fill, scores)), sees_nothing

    def results(self, like, dtype=None):
        """Return room for what is computed of each block."""
        shape = [*like.shape[:-2], self.known_size, like.shape[-1]]
        return tf.TensorArray(dtype or like.dtype, size=self.number, element_shape=shape)

    def joined(self, results, like):
        """Join what was computed of each block: as `like`, with queries for keys."""
        results = results.stack()  # (number, ..., size, depth)
        rank = like.shape.rank
        results = tf.transpose(results, [*range(1, rank - 1), 0, rank - 1, rank])  # (..., number, size, depth)
        shape = tf.concat([tf.shape(like)[:-2], [self.number * self.size, tf.shape(like)[-1]]], axis=0)
        known = self.queries if isinstance(self.queries, int) else None
        results = tf.reshape(results, shape)[..., : self.queries, :]
        return tf.ensure_shape(results, [*like.shape[:-2], known, like.shape[-1]])

    def repeat(self, step, *start):
        """Take a step for each block, one after the other, so that one block at a time is held."""
        once = {"parallel_iterations": 1, "maximum_iterations": self.number}
        _, *results = tf.while_loop(lambda i, *_: i < self.number, step, (0, *start), **once)
        return results


def whole_blocks(mask, length):
    """Lengthen a mask's axis of queries, once; an axis of length 1 is for all."""
    while mask.shape.rank < 2:
        mask = mask[tf.newaxis]
    rows = tf.shape(mask)[-2]
    more = tf.where(rows == 1, 0, length - rows)
    return tf.pad(mask, [[0, 0]] * (mask.shape.rank - 2) + [[0, more], [0, 0]])


def attend_by_blocks(blocks, q, k, v):
    """Loop over blocks of queries, forward and backward; nothing of a block is kept."""

    @tf.custom_gradient
    def attend(q, k, v):
        scale = depth(q) ** -0.5
        padded = blocks.padded(q * scale)

        def forward(i, outputs):
            first, last = blocks.seen(i)
            weights, sees_nothing = blocks.weights(blocks.cut(padded, i), k[..., first:last, :], i, first, last)
            output = zero_where(sees_nothing, tf.matmul(weights, v[..., first:last, :]))  # (..., size, d_v)
            return i + 1, outputs.write(i, output)

        (outputs,) = blocks.repeat(forward, blocks.results(v))
        output = blocks.joined(outputs, v)

        def backward(upstream):
            delta = tf.reduce_sum(upstream * output, axis=-1, keepdims=True)  # (..., query_length, 1)
            upstream, delta = blocks.padded(upstream), blocks.padded(delta)

            def step(i, dq, dk, dv):
                first, last = blocks.seen(i)
                seen_k, seen_v = k[..., first:last, :], v[..., first:last, :]
                q_block = blocks.cut(padded, i)
                weights, sees_nothing = blocks.weights(q_block, seen_k, i, first, last)
                do = zero_where(sees_nothing, blocks.cut(upstream, i))
                dw = tf.matmul(do, seen_v, transpose_b=True) - blocks.cut(delta, i)
                ds = tf.math.multiply_no_nan(dw, weights)  # a hidden dw may have overflowed
                dq = dq.write(i, tf.matmul(ds, seen_k) * scale)
                dk = add_at(blocks, dk, first, last, tf.matmul(ds, q_block, transpose_a=True))
                dv = add_at(blocks, dv, first, last, tf.matmul(weights, do, transpose_a=True))
                return i + 1, dq, dk, dv

            dq, dk, dv = blocks.repeat(step, blocks.results(q), tf.zeros_like(k), tf.zeros_like(v))
            return blocks.joined(dq, q), dk, dv

        return output, backward

    return attend(q, k, v)


def zero_where(rows, x):
    return x if rows is None else tf.where(rows, tf.constant(0, x.dtype), x)


def add_at(blocks, total, first, last, part):
    """Add what a block says about the keys it sees."""
    if isinstance(first, int) and last is blocks.keys:
        return total + part
    pieces = [total[..., :first, :], total[..., first:last, :] + part, total[..., last:, :]]
    return tf.ensure_shape(tf.concat(pieces if not isinstance(first, int) else pieces[1:], axis=-2), total.shape)


class VisibleByBlocks(NamedTuple):
    """Find the outputs that see a NaN or an infinity, a block at a time."""

    blocks: QueryBlocks
    tensors: list[tf.Tensor]  # q, k and v
    cheap: bool = False

    def places(self):
        blocks = self.blocks
        finite_q, finite_k, finite_v = (tf.math.is_finite(x) for x in self.tensors)
        bad_q = blocks.padded(~tf.reduce_all(finite_q, axis=-1, keepdims=True))  # (..., query_length, 1)
        bad_k = ~tf.reduce_all(finite_k, axis=-1)[..., tf.newaxis, :]  # (..., 1, key_length)
        bad_v = tf.cast(~finite_v, tf.float32)

        def step(i, found):
            first, last = blocks.seen(i)
            hidden = blocks.hidden(i, first, last)
            visible = tf.constant([True]) if hidden is None else ~hidden
            rows = tf.reduce_any((blocks.cut(bad_q, i) | bad_k[..., first:last]) & visible, axis=-1, keepdims=True)
            shape = tf.concat([tf.shape(bad_v)[:-2], [blocks.size, last - first]], axis=0)
            visible = tf.broadcast_to(tf.cast(visible, tf.float32), shape)
            return i + 1, found.write(i, rows | (tf.matmul(visible, bad_v[..., first:last, :]) > 0))

        (found,) = blocks.repeat(step, blocks.results(finite_v, tf.bool))
        return [blocks.joined(found, finite_v)]

"""The passes over groups of heads and their blocks: forward, backward, and one that looks for what is not finite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import tensorflow as tf

from clear_attention.attention import depth, for_each_head, full_shape, grouped_matmul, heads_of
from clear_attention.biases import DistanceBias, diagonal_sums
from clear_attention.blockwise.blocks import QueryBlocks
from clear_attention.blockwise.groups import in_groups
from clear_attention.blockwise.keys import is_zero


def attend_by_blocks(blocks, by_distance, q, k, v, bias, sink):
    """Loop over groups of heads, in each over blocks of queries, forward and backward; nothing of a block is kept."""
    cuts, given = blocks.cuts(q, k, v, bias, sink), [x for x in (bias, sink) if x is not None]

    @tf.custom_gradient
    def attend(q, k, v, *given):
        tensors = [q, k, v, *with_none(given, bias, sink)]
        (output,) = in_groups(cuts, outputs, [*blocks.hiding.tensors, *tensors], [output_of(q, v, v.dtype)])

        def backward(upstream):
            return in_groups(cuts, gradients, [*blocks.hiding.tensors, *tensors, output, upstream], [q, k, v, *given])

        return output, backward

    def outputs(blocked, documents, q, k, v, bias, sink):
        return forward_pass(blocks.hiding_with(blocked, documents), by_distance, q, k, v, bias, sink)

    def gradients(blocked, documents, *tensors):
        return backward_pass(blocks.hiding_with(blocked, documents), by_distance, *tensors)

    return attend(q, k, v, *given)


def forward_pass(blocks, by_distance, q, k, v, bias, sink):
    """Return the output of a group of heads."""
    scale, padded = depth(q) ** -0.5, blocks.padded(q)
    added, taken = rules(blocks, by_distance, bias, sink)

    def forward(i, outputs):
        keys = blocks.seen(i)
        scored = blocks.scored(blocks.cut(padded, i) * scale, keys.taken(k), added, taken, i, keys)
        output = grouped_matmul(scored.weights, keys.taken(v))  # (..., size, d_v)
        return i + 1, outputs.write(i, zero_where(scored.sees_nothing, output))

    leading, d_v = q.shape[:-2], v.shape[-1]
    (outputs,) = blocks.repeat(forward, blocks.results(leading, d_v, v.dtype))
    return [blocks.joined(outputs, leading, d_v)]


def backward_pass(blocks, by_distance, q, k, v, bias, sink, output, upstream):
    """Return the gradients of q, k and v, and of a bias and a sink if there are any, of a group of heads."""
    scale, leading = depth(q) ** -0.5, q.shape[:-2]
    added, taken = rules(blocks, by_distance, bias, sink)
    padded, output, upstream = (blocks.padded(x) for x in (q, output, upstream))
    totals = [] if bias is None else [Total(blocks, bias, by_distance)]
    totals += [] if sink is None else [Total(blocks, sink, False)]

    def step(i, dq, dk, dv, *sums):
        keys = blocks.seen(i)
        seen_k, seen_v, q_block = keys.taken(k), keys.taken(v), blocks.cut(padded, i) * scale
        scored = blocks.scored(q_block, seen_k, added, taken, i, keys)
        do = blocks.cut(upstream, i)
        of_rows = tf.reduce_sum(do * blocks.cut(output, i), axis=-1, keepdims=True)  # (..., size, 1)
        do = zero_where(scored.sees_nothing, do)
        dw = grouped_matmul(do, seen_v, transpose_b=True) - of_rows
        ds = tf.math.multiply_no_nan(dw, scored.weights)  # a hidden dw may have overflowed
        parts = [] if bias is None else [ds]
        parts += [] if sink is None else [-scored.to_sink * of_rows]
        added_up = [total.plus(i, keys, x, part) for total, x, part in zip(totals, sums, parts, strict=True)]
        ds = ds if scored.slope is None else ds * scored.slope
        dq = dq.write(i, grouped_matmul(ds, seen_k) * scale)
        dk = keys.added(dk, matmul_over_queries(ds, q_block, k))
        dv = keys.added(dv, matmul_over_queries(scored.weights, do, v))
        return i + 1, dq, dk, dv, *added_up

    start = (blocks.results(leading, q.shape[-1], q.dtype), tf.zeros_like(k), tf.zeros_like(v))
    dq, dk, dv, *sums = blocks.repeat(step, *start, *(total.start() for total in totals))
    of_rules = [total.result(x) for total, x in zip(totals, sums, strict=True)]
    return [blocks.joined(dq, leading, q.shape[-1]), dk, dv, *of_rules]


def output_of(q, v, dtype):
    """Describe what attention returns for these."""
    return tf.TensorSpec([*q.shape[:-1], v.shape[-1]], dtype)


def with_none(given, *places):
    """Put what there is where it belongs, and None where there is nothing."""
    given = iter(given)
    return [None if x is None else next(given) for x in places]


def rules(blocks, by_distance, bias, sink):
    """Return the bias and the sink, each padded to whole blocks, None for what there is not."""
    sink = None if sink is None else blocks.whole(sink)
    if bias is None:
        return None, sink
    return (DistanceBias(blocks.whole_distances(bias)) if by_distance else blocks.whole(bias)), sink


def matmul_over_queries(x, y, like):
    """Multiply `(..., query_length, a)` and `(..., query_length, b)` to `(..., a, b)`, for the heads of `like`."""
    if heads_of(x) != heads_of(like):
        leading = tf.shape(like)[:-2]
        x, y = (tf.reshape(z, tf.concat([leading, [-1], tf.shape(z)[-1:]], axis=0)) for z in (x, y))
    return tf.matmul(x, y, transpose_a=True)


def zero_where(rows, x):
    return x if rows is None else tf.where(rows, tf.constant(0, x.dtype), x)


class Total(NamedTuple):
    """Add up, block by block, the gradient of a bias or a sink: in its own shape, if one row of it is for all."""

    blocks: QueryBlocks
    x: tf.Tensor
    by_distance: bool

    @property
    def in_rows(self):
        return not self.by_distance and self.x.shape[-2] != 1

    def start(self):
        if self.in_rows:
            return self.blocks.results([None] * (self.x.shape.rank - 2), None, self.x.dtype)
        return tf.zeros_like(self.blocks.whole_distances(self.x) if self.by_distance else self.x)

    def plus(self, i, keys, total, part):
        blocks = self.blocks
        if self.by_distance:
            part = diagonal_sums(part if is_zero(keys.few) else keys.spread(part, blocks.keys))
            begin = blocks.begin(i, keys if is_zero(keys.few) else keys._replace(first=0))
            room = full_shape(total)[-1] - full_shape(part)[-1]
            part = tf.pad(part, [[0, 0]] * (part.shape.rank - 1) + [[0, room]])
            part = tf.roll(part, begin, axis=-1)  # XLA knows no padding by a number that it has to compute
            return tf.ensure_shape(total + summed_like(part, total), total.shape)
        one_column = self.x.shape[-1] == 1
        part = tf.reduce_sum(part, axis=-1, keepdims=True) if one_column else keys.spread(part, blocks.keys)
        part = summed_like(part, self.x, axes_from_end=2)
        if self.in_rows:
            return total.write(i, part)
        return tf.ensure_shape(total + summed_like(part, self.x), total.shape)

    def result(self, total):
        if self.by_distance:
            total = total[..., tf.shape(total)[-1] - tf.shape(self.x)[-1] :]
        if self.in_rows:
            total = self.blocks.joined(total, [None] * (self.x.shape.rank - 2), None)
            total = summed_like(total, self.x)
        return tf.ensure_shape(total, self.x.shape)


def summed_like(x, like, axes_from_end=0):
    """Sum over the axes along which `like` was repeated; leave the last few as they are if it is told so."""
    rank = x.shape.rank - axes_from_end
    repeated = [a for a in range(rank) if like.shape[a] == 1 != x.shape[a]]
    x = tf.reduce_sum(x, axis=repeated, keepdims=True) if repeated else x
    if not axes_from_end and None in like.shape:
        _, axes = tf.raw_ops.BroadcastGradientArgs(s0=tf.shape(x), s1=tf.shape(like))
        x = tf.reduce_sum(x, axis=axes, keepdims=True)
    return x


@dataclass(frozen=True)
class VisibleByBlocks:
    """Find the outputs that see a NaN or an infinity, a block at a time."""

    blocks: QueryBlocks
    by_distance: bool
    tensors: list[Any]  # q, k, v, and a bias and a sink, or None
    cheap: bool = False

    def places(self):
        q, k, v, *given = self.tensors
        cuts, tensors = self.blocks.cuts(q, k, v, *given), [*self.blocks.hiding.tensors, *self.tensors]
        return in_groups(cuts, self.of_group, tensors, [output_of(q, v, tf.bool)])

    def of_group(self, blocked, documents, q, k, v, *given):
        blocks = self.blocks.hiding_with(blocked, documents)
        bad_q = blocks.padded(~tf.reduce_all(tf.math.is_finite(q), axis=-1, keepdims=True))  # (..., query_length, 1)
        bad_k = for_each_head(~tf.reduce_all(tf.math.is_finite(k), axis=-1)[..., tf.newaxis, :], q)
        bad_v = tf.cast(~tf.math.is_finite(v), tf.float32)
        bad = (None if x is None else ~tf.math.is_finite(x) for x in given)
        bad_bias, bad_sink = rules(blocks, self.by_distance, *bad)
        leading, d_v = q.shape[:-2], v.shape[-1]

        def step(i, found):
            keys = blocks.seen(i)
            hidden = blocks.hidden(i, keys)
            visible = tf.constant([True]) if hidden is None else ~hidden
            strange = blocks.cut(bad_q, i) | keys.columns(bad_k)
            strange = strange if bad_bias is None else strange | blocks.bias(bad_bias, i, keys)
            rows = tf.reduce_any(strange & visible, axis=-1, keepdims=True)
            rows = rows if bad_sink is None else rows | blocks.rows(bad_sink, i)
            shape = tf.concat([tf.shape(q)[:-2], tf.shape(strange)[-2:]], axis=0)
            visible = tf.broadcast_to(tf.cast(visible, tf.float32), shape)
            return i + 1, found.write(i, rows | (grouped_matmul(visible, keys.taken(bad_v)) > 0))

        (found,) = blocks.repeat(step, blocks.results(leading, d_v, tf.bool))
        return [blocks.joined(found, leading, d_v)]

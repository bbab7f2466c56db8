"""Which heads attend together: so many that the scores of one block of their queries stay small.

All heads at once would be the simplest. But of a long text, one block of queries has many scores in each head, and
several tensors of that size are held at the same time. So the leading axes are cut: first the batch, then the heads.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import tensorflow as tf

from clear_attention._xla import in_xla, on_gpu
from clear_attention.attention import full_shape

LARGEST_BLOCK = 2**24  # bytes of scores in one block of several heads: larger products would not be quicker
LARGEST_OF_A_HEAD = 2**25  # bytes of scores in one block of a single head
LARGEST_IN_EAGER = 2**26  # bytes; each step of a loop costs more in eager execution, and so there are fewer
LARGEST_ON_GPU = 2**29  # bytes, of all heads or of one: what a step waits for there takes longer than small products
FEWEST = 16  # queries: with fewer in a block, the keys would be read too often


class Cut(NamedTuple):
    """Say into how many groups one of the leading axes is cut; where a tensor has 1 there, all groups share it."""

    axis: int
    number: int | tf.Tensor

    def size(self, n):
        """Return how many of the n places of the axis belong to a group."""
        if isinstance(self.number, int):
            return n // self.number if isinstance(n, int) else tf.maximum(1, n // self.number)
        return 1  # a number that is not known yet is that of all places

    def shares(self, x):
        return x is None or x.shape[self.axis] == 1

    def part(self, x, g):
        """Take what belongs to group g."""
        if self.shares(x):
            return x
        number, *rest = full_shape(x)[self.axis :]
        size = self.size(number)
        rows = tf.reshape(x, [number, *rest])  # the axes before are already down to 1
        begin = tf.minimum(g * size, number - size)
        part = tf.slice(rows, [begin, *[0] * len(rest)], [size, *rest])  # of the first axis, and so without a copy
        return tf.reshape(part, [*[1] * self.axis, size, *rest])

    def spec(self, result):
        """Describe the part of a result that comes from one group."""
        shape = result.shape.as_list()
        shape[self.axis] = 1 if self.shares(result) else self.size(shape[self.axis])
        return tf.TensorSpec(shape, result.dtype)

    def start(self, result):
        """Return room for a result: a sum where the groups share what it is the gradient of."""
        if self.shares(result):
            return tf.zeros(result.shape, result.dtype)
        return room(self.number, self.spec(result).shape, result.dtype)

    def kept(self, g, total, part, result):
        return total + part if self.shares(result) else total.write(g, part)

    def joined(self, total, result):
        """Return all groups as one tensor; nothing moves."""
        if self.shares(result):
            return total
        return tf.reshape(total.stack(), [self.number if n is None else n for n in result.shape])


class Room(NamedTuple):
    """Hold parts of known shape side by side from the beginning.

    A TensorArray holds them one by one, in between what is thrown away, and then once more when they are put together.
    """

    parts: tf.Tensor

    def write(self, i, part):
        return Room(written(self.parts, [i], part[tf.newaxis]))

    def stack(self):
        return self.parts


def room(number, shape, dtype):
    """Return room for so many parts: a TensorArray if they are few or of unknown shape, or where XLA places them."""
    shape = tf.TensorShape(shape)
    known = shape.is_fully_defined() and isinstance(number, int)
    if in_xla() or not known or number * shape.num_elements() * dtype.size < LARGEST_BLOCK // 8:
        return tf.TensorArray(dtype, size=number, element_shape=shape)
    return Room(tf.raw_ops.Empty(shape=[number, *shape], dtype=dtype))


@tf.custom_gradient
def written(parts, places, new):
    """Write new parts in these places, without a copy of the others. What `parts` was must not be needed any more."""

    def backward(upstream):
        of_new = tf.gather(upstream, places)
        of_parts = tf.tensor_scatter_nd_update(upstream, tf.expand_dims(places, 1), tf.zeros_like(of_new))
        return of_parts, None, of_new

    return tf.raw_ops.InplaceUpdate(x=parts, i=places, v=new), backward


def in_groups(cuts, step, tensors, results):
    """Take a step for each group of heads, one after the other, and join the results, which are of these shapes."""
    if not cuts:
        return step(*tensors)
    cut, *inner = cuts
    parts = [cut.spec(result) for result in results]

    def of_group(g, *totals):
        found = in_groups(inner, step, [cut.part(x, g) for x in tensors], parts)
        return g + 1, *(cut.kept(g, *x) for x in zip(totals, found, results, strict=True))

    once = {"parallel_iterations": 1, "maximum_iterations": cut.number}
    start = [cut.start(result) for result in results]
    _, *totals = tf.while_loop(lambda g, *_: g < cut.number, of_group, (0, *start), **once)
    return [cut.joined(total, result) for total, result in zip(totals, results, strict=True)]


def cuts_of(q, k, score_bytes):
    """Cut the leading axes until a block fits that has `score_bytes` of scores in each head, or no axis is left."""
    cuts, leading = [], q.shape[:-2].as_list()
    largest = LARGEST_ON_GPU if on_gpu() else LARGEST_IN_EAGER if tf.executing_eagerly() else LARGEST_BLOCK
    for axis, n in enumerate(leading):
        fitting = largest // (score_bytes * math.prod(leading[axis + 1 :]))
        if n is None:  # the batch: where two texts don't fit, one at a time
            cuts += [Cut(axis, tf.shape(q)[axis])] if fitting < 2 else []
        elif n > fitting:
            shared = k.shape[axis]  # fewer, if several heads of queries share one of keys, and so stay together
            few = 0 if on_gpu() else 4  # on a processor a few at a time take more room than one, and hardly less time
            most = fitting if fitting > few else 1
            number = next((d for d in range(1, shared) if shared % d == 0 and n // d <= most), shared)
            cuts += [Cut(axis, number)] if number > 1 else []
    return cuts


def queries_at_once(size, row_bytes):
    """Halve a block of queries until its scores fit, if those of one query take so many bytes: `row_bytes(size)`."""
    largest = LARGEST_ON_GPU if on_gpu() else LARGEST_OF_A_HEAD
    while size > FEWEST and size * row_bytes(size) > largest:
        size = -(-size // 2)
    return size

"""Keep NaN and infinity to themselves: hidden ones change nothing, visible ones show.

In matrix products 0 * NaN = NaN would carry them to tokens that do not see them, and into the gradients of weights that
all tokens share. So everything is computed with 0 in their place, and NaN is written where they were visible. While all
numbers are finite, which one pass over them tells, neither is done.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import tensorflow as tf

from clear_attention._xla import in_xla, on_gpu, traced_once


def without_nonfinite(*tensors):
    """Return tensors with 0 in place of NaN and infinity, and whether there was any of these strange numbers.

    The second is None where it is known that there was none, which in a graph it never is. None stays None.
    """
    given = [x for x in tensors if x is not None]
    if tf.executing_eagerly() and all_finite(*given):
        return tensors, None
    *replaced, strange = replace(*given)
    replaced = iter(replaced)
    return [None if x is None else next(replaced) for x in tensors], strange


@traced_once
def replace(*tensors):
    strange = ~all_finite(*tensors)

    @tf.custom_gradient  # the gradient of tf.cond would keep its branches' bools, of which TensorFlow warns
    def with_zeros(*tensors):
        def zeros():
            return [tf.where(tf.math.is_finite(x), x, tf.constant(0, x.dtype)) for x in tensors]

        if in_xla() or on_gpu():  # XLA joins a selection with what comes next, which a branch would keep apart
            return zeros(), lambda *upstream: upstream
        replaced = tf.cond(strange, zeros, lambda: [tf.identity(x) for x in tensors])
        return replaced, lambda *upstream: upstream

    return *with_zeros(*tensors), strange


def all_finite(*tensors):
    """Tell whether all numbers are: a sum is finite only then. It may overflow, which costs time and no digit."""
    wide = (x if x.dtype.size >= 4 else tf.cast(x, tf.float32) for x in tensors)
    return tf.math.is_finite(tf.add_n([tf.reduce_sum(x) for x in wide]))


def marked(results, strange, visible):
    """Return the results with NaN where NaN and infinity were visible, if there were any: `strange` says so.

    `visible.places()` tells for each of the results where that is. It is asked only if there were any, or always under
    XLA if `visible.cheap` says that it costs little: there a branch costs more than a selection.
    """
    if strange is None:
        return results
    of_tensors = isinstance(visible, tuple)  # else it belongs to this call alone
    return (mark if of_tensors else mark.__wrapped__)(results, strange, visible)


@traced_once
def mark(results, strange, visible):
    @tf.custom_gradient
    def with_marks(*results):
        def with_nan():
            return [y + nan_where(place, y.dtype) for y, place in zip(results, visible.places(), strict=False)]

        if in_xla() and visible.cheap:
            return with_nan(), lambda *upstream: upstream
        return tf.cond(strange, with_nan, lambda: [tf.identity(y) for y in results]), lambda *upstream: upstream

    return with_marks(*results)


def nan_where(condition, dtype):
    return tf.where(condition, tf.constant(float("nan"), dtype), tf.constant(0, dtype))


class Tokens(NamedTuple):
    """Hold vectors that layers work on one by one: a NaN in a token stays in its token.

    If nobody sees that token its gradient is 0, and 0 * NaN = NaN would spoil the gradients that all tokens share.
    """

    given: tf.Tensor
    finite: tf.Tensor
    strange: tf.Tensor | None
    cheap: bool = True

    @classmethod
    def of(cls, x):
        (finite,), strange = without_nonfinite(x)
        return cls(x, finite, strange)

    @classmethod
    def unchecked(cls, x):
        """Take all numbers for finite. A NaN stays in its token all the same, and only gradients could tell."""
        return cls(x, x, None)

    @classmethod
    def of_each(cls, *tensors):
        """Look only once at a tensor that is given more than once."""
        tokens = [cls.of(tensors[0])]
        for before, x in itertools.pairwise(tensors):
            tokens.append(tokens[-1] if x is before else cls.of(x))
        return tokens

    def places(self):
        return [~tf.reduce_all(tf.math.is_finite(self.given), axis=-1, keepdims=True)]

    def marked(self, y):
        """Return what was computed of `finite`, with NaN in the tokens that were not finite."""
        return marked([y], self.strange, self)[0]

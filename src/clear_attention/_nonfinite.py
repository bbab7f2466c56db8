"""Keep NaN and infinity to themselves: hidden ones change nothing, visible ones show.

In matrix products 0 * NaN = NaN would carry them to tokens that do not see them, and into the gradients of weights that
all tokens share. So everything is computed with 0 in their place, and NaN is written where they were visible. While all
numbers are finite, which one pass over them tells, neither is done.
"""

from __future__ import annotations

import tensorflow as tf


def all_finite(*tensors):
    """Tell whether all numbers are: a sum is finite only then. It may overflow, which costs time and no digit."""
    wide = (x if x.dtype.size >= 4 else tf.cast(x, tf.float32) for x in tensors)
    return tf.math.is_finite(tf.add_n([tf.reduce_sum(x) for x in wide]))


def guarded(compute, find_visible, *tensors):
    """Return the tuple `compute(*tensors)`, with NaN where `find_visible()` says so for each of its tensors.

    `compute` gets tensors that are finite everywhere.
    """
    fine = all_finite(*tensors)
    if tf.executing_eagerly() and fine:
        return compute(*tensors)
    results = compute(*without_nonfinite(fine, tensors))
    return with_nan(fine, results, find_visible)


def without_nonfinite(fine, tensors):
    """Put 0 in place of NaN and infinity."""

    @tf.custom_gradient  # the gradient of tf.cond would keep its branches' bools, of which TensorFlow warns
    def replace(*tensors):
        replaced = tf.cond(
            fine,
            lambda: [tf.identity(x) for x in tensors],
            lambda: [tf.where(tf.math.is_finite(x), x, tf.constant(0, x.dtype)) for x in tensors],
        )
        return replaced, lambda *upstream: upstream

    return replace(*tensors)


def with_nan(fine, results, find_visible):
    """Write NaN where it is visible."""

    @tf.custom_gradient
    def mark(*results):
        def marked():
            return [y + nan_where(where, y.dtype) for y, where in zip(results, find_visible(), strict=True)]

        return tf.cond(fine, lambda: [tf.identity(y) for y in results], marked), lambda *upstream: upstream

    return mark(*results)


def nan_where(condition, dtype):
    return tf.where(condition, tf.constant(float("nan"), dtype), tf.constant(0, dtype))


def token_by_token(f, x):
    """Apply f, which works on each token alone, so that NaN or infinity in a token stays in it.

    If nobody sees that token its gradient is 0, and 0 * NaN = NaN would spoil the gradients that all tokens share.
    """

    def bad_tokens():
        return [~tf.reduce_all(tf.math.is_finite(x), axis=-1, keepdims=True)]

    return guarded(lambda x: [f(x)], bad_tokens, x)[0]

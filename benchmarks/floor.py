"""What no composition of TensorFlow's operations can undercut by much: products, one selection, softmax, no promises.

Nobody looks for NaN here, no query may be without a key, and no input is checked. `all_at_once` is what a plain
function has to do, `by_blocks` what attention by blocks has to do under a causal mask. In the loop over its blocks all
sizes are Python numbers, so that nothing is computed twice and nothing is looked up.
"""

from __future__ import annotations

import tensorflow as tf

BLOCK = 256  # queries
LONGEST = 8192  # tokens: a graph of more blocks is no loop that anybody would write


def all_at_once(q, k, v, blocked):
    """Return the output; the way back is TensorFlow's own."""
    scores = tf.matmul(q * q.shape[-1] ** -0.5, k, transpose_b=True)
    return tf.matmul(tf.nn.softmax(hidden(scores, blocked)), v)


def by_blocks(q, k, v):
    """Return the causal output, a block of queries after the other, and make all weights again on the way back."""
    n, scale = q.shape[-2], q.shape[-1] ** -0.5
    starts = range(0, n, BLOCK)

    def weights(q, k, start, last):
        scores = tf.matmul(q[..., start : start + BLOCK, :] * scale, k[..., :last, :], transpose_b=True)
        return tf.nn.softmax(hidden(scores, tf.range(last) > tf.range(start, start + BLOCK)[:, tf.newaxis]))

    @tf.custom_gradient
    def attend(q, k, v):
        rows = []
        for start in starts:
            with tf.control_dependencies(rows[-1:]):  # one block at a time is held
                last = min(start + BLOCK, n)
                rows.append(tf.matmul(weights(q, k, start, last), v[..., :last, :]))
        output = tf.concat(rows, axis=-2)

        def backward(do):
            delta = tf.reduce_sum(do * output, axis=-1, keepdims=True)
            dq, dk, dv = [], tf.zeros_like(k), tf.zeros_like(v)
            for start in starts:
                with tf.control_dependencies([dk, dv]):
                    last, block = min(start + BLOCK, n), slice(start, start + BLOCK)
                    w = weights(q, k, start, last)
                    ds = w * (tf.matmul(do[..., block, :], v[..., :last, :], transpose_b=True) - delta[..., block, :])
                    dq.append(tf.matmul(ds, k[..., :last, :]) * scale)
                    dk = added(dk, tf.matmul(ds, q[..., block, :] * scale, transpose_a=True))
                    dv = added(dv, tf.matmul(w, do[..., block, :], transpose_a=True))
            return tf.concat(dq, axis=-2), dk, dv

        return output, backward

    return attend(q, k, v)


def hidden(scores, blocked):
    return scores if blocked is None else tf.where(blocked, tf.constant(float("-inf"), scores.dtype), scores)


def added(total, part):
    """Add to the first rows."""
    rows = part.shape[-2]
    return tf.concat([total[..., :rows, :] + part, total[..., rows:, :]], axis=-2)

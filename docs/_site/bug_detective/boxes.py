"""The code in the boxes: attention that hides the future and the padding, or should. Each bug stands in one line.

A box gets queries, keys and values, `(batch, length, depth)`, and a padding mask, `(batch, keys)`, in which 1 is
padding. If there are fewer queries than keys, they are the last ones. All but the line with the bug is sound, so that a
box shows one bug and no other.
"""

import numpy as np
import tensorflow as tf

from clear_attention import (
    blockwise_attention,
    combine_masks,
    create_look_ahead_mask,
    merge_heads,
    scaled_dot_product_attention,
    split_heads,
)

transpose = tf.linalg.matrix_transpose


def triangle(q, k, diagonal):
    """Return a mask that is 1 from this diagonal on; 0 is the one on which a token meets itself."""
    queries, keys = q.shape[1], k.shape[1]
    return np.triu(np.ones((queries, keys), "float32"), diagonal + keys - queries)


def blocked(q, k, padding):
    """Return the mask as it should be: 1 where a key is padding or later than the query."""
    return combine_masks(create_look_ahead_mask(tf.shape(q)[1], tf.shape(k)[1]), padding[:, None, :])


def scores_of(q, k):
    return finite(q) @ transpose(finite(k)) / q.shape[-1] ** 0.5


def finite(x):
    """Put 0 in the place of NaN, which would get through a weight of 0."""
    return tf.where(tf.math.is_finite(x), x, tf.zeros_like(x))


def hide(scores, mask):
    return tf.where(mask == 1, -1e9, scores)


def capped(scores):
    return 5 * tf.tanh(scores / 5)


# Sound boxes.


def one_function(q, k, v, padding):
    return scaled_dot_product_attention(q, k, v, blocked(q, k, padding)).output


def in_blocks(q, k, v, padding):
    return blockwise_attention(q, k, v, blocked(q, k, padding), block_size=2)


def softmax_by_hand(q, k, v, padding):
    mask = blocked(q, k, padding)
    weights = tf.nn.softmax(hide(scores_of(q, k), mask))
    return tf.where(mask == 1, 0.0, weights) @ finite(v)


# Masks of the future.


def no_look_ahead(q, k, v, padding):
    mask = padding[:, None, :]  # the bug
    return scaled_dot_product_attention(q, k, v, mask).output


def one_step_ahead(q, k, v, padding):
    mask = combine_masks(triangle(q, k, diagonal=2), padding[:, None, :])  # the bug
    return scaled_dot_product_attention(q, k, v, mask).output


def without_itself(q, k, v, padding):
    mask = combine_masks(triangle(q, k, diagonal=0), padding[:, None, :])  # the bug
    return scaled_dot_product_attention(q, k, v, mask).output


def backwards(q, k, v, padding):
    later = 1 - triangle(q, k, diagonal=0)  # the bug
    return scaled_dot_product_attention(q, k, v, combine_masks(later, padding[:, None, :])).output


def first_on_first(q, k, v, padding):
    later = np.triu(np.ones((q.shape[1], k.shape[1]), "float32"), 1)  # the bug
    return scaled_dot_product_attention(q, k, v, combine_masks(later, padding[:, None, :])).output


# Masks of the padding.


def padding_lost(q, k, v, padding):
    mask = create_look_ahead_mask(q.shape[1], k.shape[1])  # the bug
    return scaled_dot_product_attention(q, k, v, mask).output


def padding_from_padding(q, k, v, padding):
    own = padding[:, -q.shape[1] :, None]
    hidden = tf.minimum(own, padding[:, None, :])  # the bug
    mask = combine_masks(create_look_ahead_mask(q.shape[1], k.shape[1]), hidden)
    return scaled_dot_product_attention(q, k, v, mask).output


def padding_inverted(q, k, v, padding):
    mask = blocked(q, k, 1 - padding)  # the bug
    return scaled_dot_product_attention(q, k, v, mask).output


def one_padding_for_all(q, k, v, padding):
    mask = blocked(q, k, tf.reduce_max(padding, axis=0, keepdims=True))  # the bug
    return scaled_dot_product_attention(q, k, v, mask).output


# How a mask is applied, and the softmax.


def masked_after(q, k, v, padding):
    mask = blocked(q, k, padding)
    weights = tf.nn.softmax(scores_of(q, k))  # the bug
    return tf.where(mask == 1, 0.0, weights) @ finite(v)


def over_queries(q, k, v, padding):
    mask = blocked(q, k, padding)
    weights = tf.nn.softmax(hide(scores_of(q, k), mask), axis=-2)  # the bug
    return tf.where(mask == 1, 0.0, weights) @ finite(v)


def subtracts_five(q, k, v, padding):
    mask = blocked(q, k, padding)
    weights = tf.nn.softmax(scores_of(q, k) - 5 * mask)  # the bug
    return weights @ finite(v)


def masked_then_capped(q, k, v, padding):
    mask = blocked(q, k, padding)
    weights = tf.nn.softmax(capped(hide(scores_of(q, k), mask)))  # the bug
    return weights @ finite(v)


def mean_of_the_hidden(q, k, v, padding):
    mask = blocked(q, k, padding)
    weights = tf.nn.softmax(hide(scores_of(q, k), mask))  # the bug
    return weights @ finite(v)


def infinity_times_mask(q, k, v, padding):
    mask = blocked(q, k, padding)
    weights = tf.nn.softmax(scores_of(q, k) + mask * -np.inf)  # the bug
    return tf.where(mask == 1, 0.0, weights) @ finite(v)


def not_divided(q, k, v, padding):
    mask = blocked(q, k, padding)
    scores = finite(q) @ transpose(finite(k))  # the bug
    return tf.where(mask == 1, 0.0, tf.nn.softmax(hide(scores, mask))) @ finite(v)


def nan_gets_through(q, k, v, padding):
    mask = blocked(q, k, padding)
    weights = tf.where(mask == 1, 0.0, tf.nn.softmax(hide(scores_of(q, k), mask)))
    return weights @ v  # the bug


# Heads, axes, chance.


def heads_reshaped(q, k, v, padding):
    q, k, v = (tf.reshape(t, (t.shape[0], 2, t.shape[1], -1)) for t in (q, k, v))  # the bug
    return merge_heads(scaled_dot_product_attention(q, k, v, blocked(q[:, 0], k[:, 0], padding)[:, None]).output)


def heads_not_turned_back(q, k, v, padding):
    heads = [split_heads(t, 2) for t in (q, k, v)]
    output = scaled_dot_product_attention(*heads, blocked(q, k, padding)[:, None]).output
    return tf.reshape(output, tf.shape(q))  # the bug


def length_before_batch(q, k, v, padding):
    order = (1, 0, 2)  # the bug
    q, k, v = (tf.transpose(t, order) for t in (q, k, v))
    mask = blocked(q, k, tf.transpose(padding, order[:2]))
    return tf.transpose(scaled_dot_product_attention(q, k, v, mask).output, order)


def drops_weights(q, k, v, padding):
    weights = scaled_dot_product_attention(q, k, v, blocked(q, k, padding)).weights
    return tf.nn.dropout(weights, rate=0.4) @ finite(v)  # the bug

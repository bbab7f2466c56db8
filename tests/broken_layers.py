"""Broken attention layers as people write them, each with its mended twin and the cause that certify has to name.

They were written by somebody who had not read certify. Those that mistake their mask stand in broken_masks.py, and
models of ids in broken_models.py.
"""

from functools import partial

import keras
import numpy as np
import tensorflow as tf
from broken_masks import (
    CAUSAL,
    MASKED_QKV,
    MASKED_X,
    MASKS,
    ON_QKV,
    ON_X,
    PADDED_QKV,
    PADDED_X,
    Mendable,
    functions,
    merge_heads,
    split_heads,
    step_by_step,
)
from broken_models import HEADS, LANGUAGE, LONGEST, MODELS, ON_IDS, WIDTH, Broken, MonteCarloGPT, both
from keras import layers, ops

PLACED = {"positions": True}


# Heads taken apart or put together by reshaping alone.


class ReshapedHeads(Mendable):
    def call(self, q, k, v, mask):
        q, k, v = self.wq(q), self.wk(k), self.wv(v)
        if self.mended:
            q, k, v = split_heads(q), split_heads(k), split_heads(v)
        else:
            q, k, v = (ops.reshape(y, (ops.shape(y)[0], HEADS, ops.shape(y)[1], WIDTH // HEADS)) for y in (q, k, v))
        scores = ops.where(ops.cast(mask[:, None], "bool"), -1e9, ops.matmul(q, ops.swapaxes(k, -1, -2)) / 2.0)
        y = ops.matmul(ops.softmax(scores), v)
        if self.mended:
            return self.wo(merge_heads(y))
        return self.wo(ops.reshape(y, (ops.shape(y)[0], ops.shape(y)[2], WIDTH)))


class OutputNotTransposed(layers.Layer):
    """Splits into heads rightly, and forgets the way back."""

    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.qkv, self.proj, self.norm = layers.Dense(3 * WIDTH), layers.Dense(WIDTH), layers.LayerNormalization()

    def call(self, x):
        b, n, c = ops.shape(x)
        qkv = ops.reshape(self.qkv(self.norm(x)), (b, n, 3, HEADS, c // HEADS))
        q, k, v = ops.unstack(ops.transpose(qkv, (2, 0, 3, 1, 4)), 3)
        later = ops.arange(n)[None, :] > ops.arange(n)[:, None]
        attn = ops.softmax(ops.where(later, -1e9, q @ ops.swapaxes(k, -2, -1) * (c // HEADS) ** -0.5))
        y = attn @ v
        y = ops.transpose(y, (0, 2, 1, 3)) if self.mended else y
        return x + self.proj(ops.reshape(y, (b, n, c)))


def stacked_heads(x, padding, mended):
    """Put the heads into the batch axis: split and concatenate, or reshape, which cuts time instead."""
    batch, length, width = tf.unstack(tf.shape(x))
    if mended:
        stacked = tf.concat(tf.split(x, HEADS, axis=2), axis=0)
        hidden = tf.tile(padding, (HEADS, 1))
    else:
        stacked = tf.reshape(x, (batch * HEADS, length, width // HEADS))
        hidden = tf.repeat(padding, HEADS, axis=0)
    scores = tf.matmul(stacked, stacked, transpose_b=True)
    scores = tf.where(hidden[:, None] == 1, tf.fill(tf.shape(scores), -(2.0**32) + 1), scores)
    outputs = tf.matmul(tf.nn.softmax(scores), stacked)
    if mended:
        return tf.concat(tf.split(outputs, HEADS, axis=0), axis=2)
    return tf.reshape(outputs, (batch, length, width))


# The softmax goes over the queries.


class SoftmaxLayer(Mendable):
    def __init__(self, mended, **kwargs):
        super().__init__(mended, **kwargs)
        self.softmax = layers.Softmax(axis=2 if mended else 1)
        self.dot = layers.Dot(axes=2)

    def call(self, q, k, v, mask):
        scores = self.dot([self.wq(q), self.wk(k)])
        weights = self.softmax(scores + (1.0 - ops.cast(mask, scores.dtype)) * -1e9)
        return layers.Dot(axes=(2, 1))([weights, self.wv(v)])


class KeysBeforeQueries(Mendable):
    """The letters of the einsum end in q, and the softmax takes the last axis."""

    def call(self, x):
        q, k, v = (ops.reshape(w(x), (*ops.shape(x)[:2], HEADS, -1)) for w in (self.wq, self.wk, self.wv))
        scores = ops.einsum("bkhd,bqhd->bhkq", k, q) / 2.0
        i = ops.arange(ops.shape(x)[1])
        scores = ops.where(i[:, None] > i, -1e9, scores)
        weights = ops.softmax(scores, axis=-2 if self.mended else -1)
        return self.wo(ops.reshape(ops.einsum("bhkq,bkhd->bqhd", weights, v), ops.shape(x)))


def softmax_by_hand(x, real, mended):
    axis = -1 if mended else -2
    scores = x @ tf.transpose(x, (0, 2, 1)) / WIDTH**0.5 - 1e9 * (1.0 - tf.cast(real, x.dtype)[:, None])
    e = tf.exp(scores - tf.reduce_max(scores, axis=axis, keepdims=True))
    return e / tf.reduce_sum(e, axis=axis, keepdims=True) @ x


# What depends on chance or on the rest of the batch.


def seeded_dropout(q, k, v, mask, mended, training=False):
    """The same numbers at each call, so nobody notices that they are drawn in evaluation too."""
    weights = ops.softmax(ops.where(mask, ops.matmul(q, ops.swapaxes(k, 1, 2)) / WIDTH**0.5, -1e9))
    if training or not mended:
        weights = keras.random.dropout(weights, 0.4, seed=1337)
    return ops.matmul(weights, v)


class DropsWeights(Mendable):
    def call(self, x, padding, training=False):
        scores = tf.matmul(self.wq(x), self.wk(x), transpose_b=True) - 1e9 * tf.cast(padding, x.dtype)[:, None]
        weights = tf.nn.softmax(scores)
        if training or not self.mended:
            weights = tf.nn.dropout(weights, rate=0.3)
        return self.wo(tf.matmul(weights, self.wv(x)))


class HandMadeNorm(Mendable):
    """Writes layer normalisation, and keeps the wrong axis out of it."""

    def norm(self, x):
        mean, variance = tf.nn.moments(x, axes=[-1] if self.mended else [0, -1], keepdims=True)
        return (x - mean) / tf.sqrt(variance + 1e-6)

    def call(self, x):
        q, k, v = (split_heads(w(self.norm(x))) for w in (self.wq, self.wk, self.wv))
        return x + self.wo(merge_heads(tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 2.0) @ v))


def scores_of_one_size(q, k, v, mended, size=ops.std):
    """Divide the scores by the deviation of their row, or of everything."""
    scores = ops.matmul(q, ops.swapaxes(k, 1, 2))
    divisor = size(scores, axis=-1, keepdims=True) if mended else size(scores)
    return ops.matmul(ops.softmax(scores / (divisor + 1e-3)), v)


def largest(x, **kwargs):
    return ops.max(ops.abs(x), **kwargs)


class BatchNormBlock(layers.Layer):
    """Batch normalisation as in computer vision, with `training=True` so that it 'works' at once."""

    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.attend, self.norm = layers.MultiHeadAttention(HEADS, 4), layers.BatchNormalization()

    def call(self, x):
        y = x + self.attend(x, x)
        return self.norm(y, training=False) if self.mended else self.norm(y, training=True)


def length_first(x, mended):
    """Port code for (length, batch, width)."""
    order = "bihd,bjhd->bhij" if mended else "ibhd,jbhd->bhij"
    back = "bhij,bjhd->bihd" if mended else "bhij,jbhd->ibhd"
    y = tf.reshape(x, (tf.shape(x)[0], tf.shape(x)[1], HEADS, WIDTH // HEADS))
    y = tf.einsum(back, tf.nn.softmax(tf.einsum(order, y, y)), y)
    return x + tf.reshape(y, tf.shape(x))


class TransposedTwice(layers.Layer):
    """Turns (batch, length) round for a layer that does not want it."""

    def __init__(self, mended, causal=False, **kwargs):
        super().__init__(**kwargs)
        self.causal, self.order = causal, (0, 1, 2) if mended else (1, 0, 2)
        self.norm, self.attend = layers.LayerNormalization(), layers.MultiHeadAttention(HEADS, 4)

    def call(self, x):
        y = ops.transpose(self.norm(x), self.order)
        return x + ops.transpose(self.attend(y, y, use_causal_mask=self.causal), self.order)


# Positions: not declared, or along the batch.


def sinusoids(length):
    angles = np.arange(length)[:, None] / 10000 ** (2 * (np.arange(WIDTH) // 2) / WIDTH)
    angles[:, 0::2], angles[:, 1::2] = np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])
    return angles.astype("float32")


class SelfAttentionWithPositions(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.attend = layers.MultiHeadAttention(HEADS, 4)

    def call(self, x):
        x = x + ops.convert_to_tensor(sinusoids(LONGEST))[: ops.shape(x)[1]]
        return self.attend(x, x)


class RelativeBias(layers.Layer):
    """As T5: a learned number for each distance is added to the scores."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.qkv, self.bias = layers.Dense(3 * WIDTH), layers.Embedding(2 * LONGEST, 1)

    def call(self, x):
        q, k, v = ops.split(self.qkv(x), 3, axis=-1)
        i = ops.arange(ops.shape(x)[1])
        distance = self.bias(i[:, None] - i + LONGEST)[..., 0]
        return ops.softmax(q @ ops.transpose(k, (0, 2, 1)) + distance) @ v


def rotary(q, k, v, mended=None):
    """Turn queries and keys by their places."""

    def turn(x):
        x1, x2 = tf.split(x, 2, axis=-1)
        angles = tf.range(x.shape[1], dtype=x.dtype)[:, None] / 10.0 ** tf.range(x1.shape[2], dtype=x.dtype)
        cos, sin = tf.cos(angles), tf.sin(angles)
        return tf.concat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], axis=-1)

    return tf.matmul(tf.nn.softmax(tf.matmul(turn(q), turn(k), transpose_b=True)), v)


class LengthFirstPositions(layers.Layer):
    """PyTorch's tutorial takes `pe[:x.size(0)]`, since its batch comes second."""

    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended, self.attend = mended, layers.MultiHeadAttention(HEADS, 4)

    def call(self, x):
        pe = ops.convert_to_tensor(sinusoids(LONGEST))[:, None]
        x = x + (ops.swapaxes(pe, 0, 1)[:, : ops.shape(x)[1]] if self.mended else pe[: ops.shape(x)[0]])
        return x + self.attend(x, x)


# Bugs of other kinds.


class TokenShift(Mendable):
    """Mixes each token with its neighbour, as RWKV does: the one before, or by mistake the next."""

    def call(self, x):
        pad = ((0, 0), (1, 0), (0, 0)) if self.mended else ((0, 0), (0, 1), (0, 0))
        shifted = ops.pad(x, pad)[:, :-1] if self.mended else ops.pad(x, pad)[:, 1:]
        i = ops.arange(ops.shape(x)[1])
        scores = ops.where(i[:, None] >= i, self.wq(x) @ ops.swapaxes(self.wk(x), 1, 2), -1e9)
        return self.wo(ops.softmax(scores) @ self.wv(0.5 * (x + shifted)))


def linear_attention(x, mended):
    """Running sums over the keys in the numerator, and in the denominator the sum of all."""
    phi = tf.nn.elu(x) + 1.0
    kv = tf.cumsum(phi[..., :, None] * x[..., None, :], axis=1)
    z = tf.cumsum(phi, axis=1) if mended else tf.reduce_sum(phi, axis=1, keepdims=True)
    return tf.einsum("btd,btde->bte", phi, kv) / tf.reduce_sum(phi * z, axis=-1, keepdims=True)


class OneHeadUnmasked(layers.Layer):
    """The mask of the first head only: an index where all heads were meant."""

    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended, self.qkv, self.out = mended, layers.Dense(3 * WIDTH), layers.Dense(WIDTH)

    def call(self, x, mask):
        q, k, v = (split_heads(y) for y in ops.split(self.qkv(x), 3, axis=-1))
        scores = q @ ops.swapaxes(k, 2, 3)
        first = ops.where(mask[:, None], scores[:, :1], -1e9)
        rest = ops.where(mask[:, None], scores[:, 1:], -1e9) if self.mended else scores[:, 1:]
        return self.out(merge_heads(ops.softmax(ops.concatenate([first, rest], axis=1)) @ v))


def normalised_values(q, k, v, padding, mended):
    """Make the values vectors of length 1: over the width, or by mistake over all places, padding among them."""
    v = tf.math.l2_normalize(v, axis=-1 if mended else 1)
    scores = tf.matmul(q, k, transpose_b=True) - 1e9 * (1.0 - tf.cast(padding, tf.float32)[:, None])
    return tf.matmul(tf.nn.softmax(scores), v)


BROKEN = {
    **MODELS,
    **MASKS,
    "heads by reshape": Broken("heads_not_transposed", *both(ReshapedHeads), MASKED_QKV, "blocked", {}),
    "heads not turned back": Broken("heads_not_transposed", *both(OutputNotTransposed), *ON_X, CAUSAL),
    "heads in the batch axis": Broken("heads_not_transposed", *functions(stacked_heads), PADDED_X, "blocked", {}),
    "Softmax(axis=1)": Broken("softmax_over_queries", *both(SoftmaxLayer), MASKED_QKV, "jax", {}),
    "einsum to bhkq": Broken("softmax_over_queries", *both(KeysBeforeQueries), *ON_X, CAUSAL),
    "softmax by hand": Broken("softmax_over_queries", *functions(softmax_by_hand), PADDED_X, "huggingface", {}),
    "dropout with a seed": Broken("dropout_at_inference", *functions(seeded_dropout), MASKED_QKV, "keras", {}),
    "moments over [0, -1]": Broken("batch_statistics", *both(HandMadeNorm), *ON_X, {}),
    "scores of one size": Broken("batch_statistics", *functions(scores_of_one_size), *ON_QKV, {}),
    "batch normalisation": Broken("batch_statistics", *both(BatchNormBlock), *ON_X, {}),
    "einsum, length first": Broken("batch_and_length_swapped", *functions(length_first), *ON_X, {}),
    "transposed for Keras": Broken("batch_and_length_swapped", *both(TransposedTwice), *ON_X, {}),
    "rotary": Broken("positions_undeclared", *functions(rotary), *ON_QKV, {}, mended_options=PLACED),
    "pe[:len(x)]": Broken("position_axes_swapped", *both(LengthFirstPositions), *ON_X, PLACED),
    "token shift": Broken(None, *both(TokenShift), *ON_X, CAUSAL),
    "linear attention": Broken("mask_after_softmax", *functions(linear_attention), *ON_X, CAUSAL),
    "one head unmasked": Broken(None, *both(OneHeadUnmasked), MASKED_X, "keras", {}),
    "values normalised over time": Broken(None, *functions(normalised_values), PADDED_QKV, "keras", {}),
}

KNOWS_POSITIONS = {"cause": "positions_undeclared", "call": ON_X[0], "convention": None, "options": {}}
KNOWS_POSITIONS["mended_options"] = PLACED

BROKEN |= {
    "a loop over time, on x": Broken(
        "own_token_hidden", *functions(step_by_step), lambda layer, x: layer(x, x, x), None, CAUSAL
    ),
    "the largest score": Broken("batch_statistics", *functions(partial(scores_of_one_size, size=largest)), *ON_QKV, {}),
    "causal over the batch": Broken(
        "batch_and_length_swapped", *both(partial(TransposedTwice, causal=True)), *ON_X, CAUSAL
    ),
    "sinusoids inside": Broken(layer=SelfAttentionWithPositions, mended=SelfAttentionWithPositions, **KNOWS_POSITIONS),
    "relative bias": Broken(layer=RelativeBias, mended=RelativeBias, **KNOWS_POSITIONS),
    "tf.nn.dropout": Broken("dropout_at_inference", *both(DropsWeights), PADDED_X, "blocked", {}),
    "Monte Carlo dropout": Broken("dropout_at_inference", *both(MonteCarloGPT), *ON_IDS, LANGUAGE),
}

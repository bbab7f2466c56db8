"""Layers that make a mistake with their mask, as people write them, each with its mended twin."""

from functools import partial

import keras
import numpy as np
import tensorflow as tf
from broken_models import HEADS, LONGEST, WIDTH, Broken, both
from keras import layers, ops

ON_X = (lambda layer, x: layer(x), None)
ON_QKV = (lambda layer, q, k, v: layer(q, k, v), None)
MASKED_X = lambda layer, x, mask: layer(x, mask)  # noqa: E731 - certify asks for the names of its arguments
MASKED_QKV = lambda layer, q, k, v, mask: layer(q, k, v, mask)  # noqa: E731
PADDED_X = lambda layer, x, padding: layer(x, padding)  # noqa: E731
PADDED_QKV = lambda layer, q, k, v, padding: layer(q, k, v, padding)  # noqa: E731
CAUSAL = {"causal": True}


def functions(f):
    """Return what returns the broken function, and what returns its twin."""
    return lambda: partial(f, mended=False), lambda: partial(f, mended=True)


class Mendable(layers.Layer):
    """Holds the flag, and four projections."""

    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.wq, self.wk, self.wv, self.wo = (layers.Dense(WIDTH) for _ in range(4))


def split_heads(x):
    return ops.transpose(ops.reshape(x, (*ops.shape(x)[:2], HEADS, -1)), (0, 2, 1, 3))


def merge_heads(x):
    b, h, t, d = ops.shape(x)
    return ops.reshape(ops.transpose(x, (0, 2, 1, 3)), (b, t, h * d))


# The mask is not used.


class MaskedFill(layers.Layer):
    """Ported from PyTorch, where `masked_fill_` changes the scores in place."""

    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.to_qkv, self.to_out = layers.Dense(3 * WIDTH, use_bias=False), layers.Dense(WIDTH)

    def call(self, x, mask):
        q, k, v = (split_heads(y) for y in ops.split(self.to_qkv(x), 3, axis=-1))
        dots = ops.einsum("bhid,bhjd->bhij", q, k) * (WIDTH // HEADS) ** -0.5
        filled = ops.where(mask[:, None], dots, -1e9)
        if self.mended:
            dots = filled
        return self.to_out(merge_heads(ops.einsum("bhij,bhjd->bhid", ops.softmax(dots), v)))


def bahdanau(query, keys, values, mask, mended):
    """Make the masked scores, and take the softmax of the others."""
    score = tf.reduce_sum(tf.tanh(query[:, :, None] + keys[:, None]), axis=-1)
    masked_score = score + (1.0 - tf.cast(mask, tf.float32)) * -1e9
    attention_weights = tf.nn.softmax(masked_score if mended else score)
    return tf.matmul(attention_weights, values)


# Weights zeroed after the softmax.


class EinsumAttention(Mendable):
    def build(self, _):
        self.q_kernel, self.k_kernel, self.v_kernel = (
            self.add_weight(shape=(WIDTH, HEADS, WIDTH // HEADS), name=name) for name in "qkv"
        )

    def call(self, x, pad):
        q, k, v = (ops.einsum("btd,dnh->btnh", x, w) for w in (self.q_kernel, self.k_kernel, self.v_kernel))
        logits = ops.einsum("bqnh,bknh->bnqk", q, k) / (WIDTH // HEADS) ** 0.5
        keep = 1.0 - ops.cast(pad, logits.dtype)[:, None, None]
        if self.mended:
            probs = ops.softmax(logits - 1e9 * (1.0 - keep), axis=-1)
        else:
            probs = ops.softmax(logits, axis=-1) * keep
        context = ops.einsum("bnqk,bknh->bqnh", probs, v)
        return ops.reshape(context, ops.shape(x))


class AttentionWithContext(layers.Layer):
    """Normalises by hand, and masks too late for the sum."""

    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.ut, self.score = layers.Dense(WIDTH, activation="tanh"), layers.Dense(1, use_bias=False)

    def call(self, q, k, v, mask):
        a = ops.exp(self.score(self.ut(q)[:, :, None] * self.ut(k)[:, None])[..., 0])
        mask = ops.cast(mask, a.dtype)
        if self.mended:
            a *= mask
        a /= ops.sum(a, axis=-1, keepdims=True) + keras.config.epsilon()
        if not self.mended:
            a *= mask
        return ops.matmul(a, v)


# The diagonal of the triangle, one up or one down.


class LoopOverHeads(layers.Layer):
    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.k = 1 if mended else 2
        self.heads = [[layers.Dense(WIDTH // HEADS) for _ in range(3)] for _ in range(HEADS)]
        self.out = layers.Dense(WIDTH)

    def call(self, x):
        length = ops.shape(x)[1]
        future = ops.triu(ops.ones((length, length)), k=self.k)
        outputs = []
        for to_q, to_k, to_v in self.heads:
            energy = ops.matmul(to_q(x), ops.swapaxes(to_k(x), 1, 2)) / 2.0
            outputs.append(ops.matmul(ops.softmax(energy - 1e9 * future), to_v(x)))
        return self.out(ops.concatenate(outputs, axis=-1))


def banded(q, k, v, mended):
    """Keep all diagonals below, and as many above as there are cached keys."""
    past = tf.shape(k)[1] - tf.shape(q)[1]
    ones = tf.ones((tf.shape(q)[1], tf.shape(k)[1]))
    band = tf.linalg.band_part(ones, -1, past if mended else past + 1)
    return tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True) + (band - 1.0) * 1e9), v)


class TFAttention(layers.Layer):
    """As in GPT-2 for TensorFlow, which counts from the lower right corner; `>` for `>=`."""

    def __init__(self, mended, nx=WIDTH, n_head=HEADS, **kwargs):
        super().__init__(**kwargs)
        self.mended, self.n_head, self.nx = mended, n_head, nx
        self.c_attn, self.c_proj = layers.Dense(3 * nx), layers.Dense(nx)

    def causal_attention_mask(self, nd, ns, dtype):
        i, j = tf.range(nd)[:, None], tf.range(ns)
        return tf.cast(i >= j - ns + nd if self.mended else i > j - ns + nd, dtype)

    def call(self, x):
        query, key, value = (split_heads(y) for y in tf.split(self.c_attn(x), 3, axis=2))
        w = tf.matmul(query, key, transpose_b=True) / (self.nx / self.n_head) ** 0.5
        b = self.causal_attention_mask(tf.shape(w)[2], tf.shape(w)[3], w.dtype)
        w = w * b - 1e4 * (1 - b)
        return self.c_proj(merge_heads(tf.matmul(tf.nn.softmax(w, axis=-1), value)))


def step_by_step(q, k, v, mended):
    """Loop over time; `k[:, :t]` ends before token t."""
    past = tf.shape(k)[1] - tf.shape(q)[1]

    def step(t):
        end = past + t + 1 if mended else past + t
        weights = tf.nn.softmax(tf.einsum("bd,bkd->bk", q[:, t], k[:, :end]))
        return tf.einsum("bk,bkd->bd", weights, v[:, :end])

    rows = tf.map_fn(step, tf.range(tf.shape(q)[1]), fn_output_signature=q.dtype)
    return tf.transpose(rows, (1, 0, 2))


# Masks the wrong way round.


def where_true_hides(q, k, v, mask, mended):
    scores = ops.matmul(q, ops.transpose(k, (0, 2, 1)))
    scores = ops.where(mask, scores, -1e9) if mended else ops.where(mask, -1e9, scores)
    return ops.matmul(ops.softmax(scores / WIDTH**0.5), v)


class BertBlock(Mendable):
    """Forgets `1.0 -` in the extended mask of the tokenizer."""

    def __init__(self, mended, **kwargs):
        super().__init__(mended, **kwargs)
        self.norm, self.output_norm = layers.LayerNormalization(), layers.LayerNormalization()
        self.intermediate, self.dense = layers.Dense(16, activation="gelu"), layers.Dense(WIDTH)

    def call(self, hidden_states, attention_mask):
        extended = ops.cast(attention_mask, "float32")[:, None, None, :]
        extended = (1.0 - extended if self.mended else extended) * -10000.0
        q, k, v = (split_heads(w(hidden_states)) for w in (self.wq, self.wk, self.wv))
        probs = ops.softmax(ops.matmul(q, ops.swapaxes(k, 2, 3)) / 2.0 + extended, axis=-1)
        x = self.norm(hidden_states + self.wo(merge_heads(ops.matmul(probs, v))))
        return self.output_norm(x + self.dense(self.intermediate(x)))


def keras_on_additive(mended):
    """Wrap Keras's layer, whose mask is bool; a cast of 0 and -1e9 is not what is meant."""

    class Wrapper(layers.Layer):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.mha = layers.MultiHeadAttention(HEADS, WIDTH)

        def call(self, q, k, v, mask):
            visible = mask > -1.0 if mended else ops.cast(mask, "bool")
            return self.mha(q, v, k, attention_mask=visible)

    return Wrapper()


def fused_attention(x, mask, mended):
    """Call the fused function of Keras, which takes a `bias` besides its `mask`."""
    x = x[:, :, None]  # one head
    given = {"bias": mask[:, None]} if mended else {"mask": ops.cast(mask[:, None], "bool")}
    return ops.dot_product_attention(x, x, x, flash_attention=False, **given)[:, :, 0]


# Padding: of pairs, of rows.


def pairs_of_padding(x, padding, mended):
    pad = tf.cast(padding, tf.float32)
    hidden = pad[:, None, :] if mended else tf.einsum("bi,bj->bij", pad, pad)
    return tf.matmul(tf.nn.softmax(tf.matmul(x, x, transpose_b=True) / WIDTH**0.5 - 1e9 * hidden), x)


class CrossedMasks(Mendable):
    """A pair is kept if either of its tokens is real."""

    def call(self, x, attention_mask):
        m = ops.cast(attention_mask, "bool")
        kept = m[:, None, :] if self.mended else ops.logical_or(m[:, None, :], m[:, :, None])
        scores = ops.matmul(split_heads(self.wq(x)), ops.swapaxes(split_heads(self.wk(x)), 2, 3))
        scores = ops.where(kept[:, None], scores, ops.full_like(scores, -1e9))
        return x + self.wo(merge_heads(ops.matmul(ops.softmax(scores), split_heads(self.wv(x)))))


def rows_of_padding(x, padding, mended):
    hidden = ops.expand_dims(padding, 1 if mended else 2)  # 2 is the axis of the keys
    scores = ops.einsum("bid,bjd->bij", x, x) + -1e9 * ops.cast(hidden, x.dtype)
    return x + ops.einsum("bij,bjd->bid", ops.softmax(scores), x)


class KerasRows(layers.Layer):
    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended, self.att = mended, layers.MultiHeadAttention(HEADS, 4)

    def call(self, x, real):
        square = ops.repeat(real[:, :, None], ops.shape(x)[1], axis=2)
        return self.att(x, x, attention_mask=ops.swapaxes(square, 1, 2) if self.mended else square)


# 0 times infinity.


class InfinityTimesPadding(Mendable):
    def call(self, x, padding):
        scores = ops.matmul(self.wq(x), ops.transpose(self.wk(x), (0, 2, 1)))
        scores += ops.cast(padding, scores.dtype)[:, None] * (-1e9 if self.mended else float("-inf"))
        return self.wo(ops.matmul(ops.softmax(scores), self.wv(x)))


def two_triangles(q, k, v, mended):
    scores = tf.einsum("bqd,bkd->bqk", q, k)
    lower = tf.linalg.band_part(tf.ones_like(scores), -1, tf.shape(k)[1] - tf.shape(q)[1])
    never = -1e30 if mended else -np.inf
    return tf.einsum("bqk,bkd->bqd", tf.nn.softmax(scores * lower + (1 - lower) * never), v)


# Queries and keys of the mask change places.


def keys_first(x, mask, mended):
    """Make the scores with a row for each key; the mask has a row for each query."""
    scores = ops.einsum("bkd,bqd->bkq", x, x) / WIDTH**0.5
    hidden = ops.swapaxes(mask, 1, 2) if mended else mask
    weights = ops.softmax(ops.where(hidden == 1, -1e9, scores), axis=1)
    return ops.einsum("bkq,bkd->bqd", weights, x)


class UpperForLower(Mendable):
    def call(self, x):
        n = ops.shape(x)[1]
        visible = ops.tril(ops.ones((n, n))) if self.mended else ops.triu(ops.ones((n, n)))
        dots = split_heads(self.wq(x)) @ ops.swapaxes(split_heads(self.wk(x)), 2, 3)
        return self.wo(merge_heads(ops.softmax(dots - 1e9 * (1 - visible)) @ split_heads(self.wv(x))))


class GraphAttention(layers.Layer):
    """A row of the matrix is the node that listens; read as the node that speaks."""

    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.w, self.a_self, self.a_neighbor = layers.Dense(WIDTH, use_bias=False), layers.Dense(1), layers.Dense(1)

    def call(self, nodes, adjacency):
        h = self.w(nodes)
        e = keras.activations.leaky_relu(self.a_self(h) + ops.swapaxes(self.a_neighbor(h), 1, 2), 0.2)
        edges = adjacency if self.mended else ops.transpose(adjacency, (0, 2, 1))
        alpha = ops.softmax(ops.where(edges, e, -1e9), axis=-1)
        return keras.activations.elu(ops.matmul(alpha, h))


# A mask that hides a little.


def minus_ten(q, k, v, padding, mended):
    logits = ops.einsum("...qd,...kd->...qk", q, k) / ops.sqrt(ops.cast(q.shape[-1], q.dtype))
    logits = ops.where(padding[..., None, :], logits, logits - (1e9 if mended else 10.0))
    return ops.einsum("...qk,...kd->...qd", ops.nn.softmax(logits), v)


class GentleTriangle(layers.Layer):
    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.penalty = -1e9 if mended else -5.0
        self.query, self.key, self.value = (layers.EinsumDense("btd,dhe->bhte", (HEADS, None, 4)) for _ in range(3))
        self.combine = layers.EinsumDense("bhte,hed->btd", (None, WIDTH))

    def call(self, x):
        scores = ops.einsum("bhte,bhse->bhts", self.query(x), self.key(x))
        scores += np.triu(np.full((LONGEST, LONGEST), self.penalty), 1)[: x.shape[1], : x.shape[1]].astype("float32")
        return x + self.combine(ops.einsum("bhts,bhse->bhte", ops.softmax(scores), self.value(x)))


# A cap on the scores, after the mask.


def capped(scores, most):
    return most * ops.tanh(scores / most)


def capped_and_masked(q, k, v, mask, mended):
    logits = ops.einsum("...qd,...kd->...qk", q, k) / ops.sqrt(ops.cast(q.shape[-1], q.dtype))
    if mended:
        logits = ops.where(mask, capped(logits, 3.0), -1e9)
    else:
        logits = capped(ops.where(mask, logits, -1e9), 3.0)
    return ops.einsum("...qk,...kd->...qd", ops.nn.softmax(logits), v)


class ClippedTriangle(Mendable):
    """Scores are clipped to what float16 can hold, says its author, with a number that came from elsewhere."""

    def call(self, x):
        scores = self.wq(x) @ ops.swapaxes(self.wk(x), 1, 2) / WIDTH**0.5
        future = ops.triu(ops.ones((x.shape[1], x.shape[1])), 1) * -1e9
        scores = ops.clip(scores, -2, 2) + future if self.mended else ops.clip(scores + future, -2, 2)
        return x + self.wo(ops.softmax(scores) @ self.wv(x))


# Fewer queries than keys: the last of both belong together.


class KeptTriangle(Mendable):
    def build(self, _):
        self.tril = tf.Variable(np.tril(np.ones((LONGEST, LONGEST), "float32")), trainable=False)

    def call(self, q, k, v):
        n, m = ops.shape(q)[1], ops.shape(k)[1]
        rows = ops.arange(m - n, m) if self.mended else ops.arange(n)
        seen = ops.take(self.tril, rows, axis=0)[:, :m]
        wei = ops.where(seen == 0, -1e9, self.wq(q) @ ops.transpose(self.wk(k), (0, 2, 1)))
        return self.wo(ops.softmax(wei, axis=-1) @ self.wv(v))


class KerasCausal(layers.Layer):
    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended, self.mha = mended, layers.MultiHeadAttention(HEADS, 4)

    def call(self, q, k, v):
        if not self.mended:
            return self.mha(q, v, k, use_causal_mask=True)
        n, m = ops.shape(q)[1], ops.shape(k)[1]
        visible = ops.arange(m) <= ops.arange(n)[:, None] + m - n
        return self.mha(q, v, k, attention_mask=visible[None])


def tril_of_a_rectangle(q, k, v, mended):
    scores = tf.matmul(q, k, transpose_b=True) * WIDTH**-0.5
    offset = k.shape[1] - q.shape[1] if mended else 0
    visible = np.tril(np.ones((q.shape[1], k.shape[1]), bool), k=offset)
    return tf.matmul(tf.nn.softmax(tf.where(visible, scores, -1e9)), v)


MASKS = {
    "masked_fill, not in place": Broken("nothing_hidden", *both(MaskedFill), MASKED_X, "torch_sdpa", {}),
    "Bahdanau, the other scores": Broken("nothing_hidden", *functions(bahdanau), MASKED_QKV, "huggingface", {}),
    "einsum, weights zeroed": Broken("mask_after_softmax", *both(EinsumAttention), PADDED_X, "blocked", {}),
    "normalised before": Broken("mask_after_softmax", *both(AttentionWithContext), MASKED_QKV, "keras", {}),
    "heads in a loop, triu k=2": Broken("look_ahead_off_by_one", *both(LoopOverHeads), *ON_X, CAUSAL),
    "band_part, one more": Broken("look_ahead_off_by_one", *functions(banded), *ON_QKV, CAUSAL),
    "GPT-2, i > j": Broken("own_token_hidden", *both(TFAttention), *ON_X, CAUSAL),
    "a loop over time": Broken("own_token_hidden", *functions(step_by_step), *ON_QKV, CAUSAL),
    "where, true hides": Broken("mask_inverted", *functions(where_true_hides), MASKED_QKV, "keras", {}),
    "BERT, extended mask": Broken("mask_inverted", *both(BertBlock), PADDED_X, "huggingface", {}),
    "additive cast to bool": Broken(
        "additive_read_as_bool", *both(keras_on_additive), MASKED_QKV, "additive", {"depth": WIDTH}
    ),
    "additive for the fused function": Broken(
        "additive_read_as_bool", *functions(fused_attention), MASKED_X, "additive", {}
    ),
    "outer product of padding": Broken(
        "padding_hidden_only_from_padding", *functions(pairs_of_padding), PADDED_X, "blocked", {}
    ),
    "either is real": Broken("padding_hidden_only_from_padding", *both(CrossedMasks), PADDED_X, "huggingface", {}),
    "expand_dims 2": Broken("padding_of_queries", *functions(rows_of_padding), PADDED_X, "torch_mha", {}),
    "padding repeated along keys": Broken("padding_of_queries", *both(KerasRows), PADDED_X, "keras", {}),
    "padding times -inf": Broken("infinity_times_zero", *both(InfinityTimesPadding), PADDED_X, "blocked", {}),
    "two triangles": Broken("infinity_times_zero", *functions(two_triangles), *ON_QKV, CAUSAL),
    "keys first": Broken("mask_transposed", *functions(keys_first), MASKED_X, "blocked", {}),
    "triu for tril": Broken("mask_transposed", *both(UpperForLower), *ON_X, CAUSAL),
    "graph attention": Broken("mask_transposed", *both(GraphAttention), MASKED_X, "keras", {}),
    "minus ten": Broken("mask_too_soft", *functions(minus_ten), PADDED_QKV, "keras", {}),
    "a gentle triangle": Broken("mask_too_soft", *both(GentleTriangle), *ON_X, CAUSAL),
    "capped after the mask": Broken("cap_after_mask", *functions(capped_and_masked), MASKED_QKV, "keras", {}),
    "clipped after the mask": Broken("cap_after_mask", *both(ClippedTriangle), *ON_X, CAUSAL),
    "a kept triangle": Broken("upper_left", *both(KeptTriangle), *ON_QKV, CAUSAL),
    "use_causal_mask": Broken("upper_left", *both(KerasCausal), *ON_QKV, CAUSAL),
    "tril of a rectangle": Broken("upper_left", *functions(tril_of_a_rectangle), *ON_QKV, CAUSAL),
}

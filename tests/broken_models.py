"""Broken models on token ids, as people write them, each with its mended twin."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

VOCAB, WIDTH, HEADS, LONGEST = 11, 8, 2, 16
LANGUAGE = {"causal": True, "vocab": VOCAB}  # a language model without positions
GPT = {**LANGUAGE, "positions": True}
PADDED = {"vocab": VOCAB, "pad_id": 0}
ON_IDS = (lambda layer, ids: layer(ids), None)


class Broken(NamedTuple):
    """A broken layer, its mended twin, and how certify is called with both."""

    cause: str | None
    layer: Callable[[], Any]
    mended: Callable[[], Any]
    call: Callable[..., Any] | None
    convention: str | None
    options: dict[str, Any]
    mended_options: dict[str, Any] | None = None  # where the twin is the same layer, and only they differ


def both(make):
    """Return the makers of the broken layer and of its twin."""
    return partial(make, mended=False), partial(make, mended=True)


def functional(hidden, out=VOCAB):
    """Return a model of ids: an embedding, what `hidden` makes of it, and a Dense."""
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(VOCAB, WIDTH)(ids)
    return keras.Model(ids, layers.Dense(out)(hidden(ids, x)))


# A causal mask that is made, and not handed over: keras.io's miniature GPT.


class TokenAndPositionEmbedding(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.token_emb, self.pos_emb = layers.Embedding(VOCAB, WIDTH), layers.Embedding(LONGEST, WIDTH)

    def call(self, ids):
        return self.token_emb(ids) + self.pos_emb(ops.arange(ops.shape(ids)[-1]))


def causal_attention_mask(batch, n_dest, n_src):
    i, j = ops.arange(n_dest)[:, None], ops.arange(n_src)
    return ops.tile((i >= j - n_src + n_dest)[None], (batch, 1, 1))


class TransformerBlock(layers.Layer):
    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.att = layers.MultiHeadAttention(HEADS, WIDTH)
        self.ffn = keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(WIDTH)])
        self.norm1, self.norm2 = layers.LayerNormalization(), layers.LayerNormalization()
        self.dropout = layers.Dropout(0.1)

    def call(self, x):
        batch, length, _ = ops.shape(x)
        mask = causal_attention_mask(batch, length, length)
        y = self.att(x, x, attention_mask=mask) if self.mended else self.att(x, x)
        x = self.norm1(x + self.dropout(y))
        return self.norm2(x + self.ffn(x))


def miniature_gpt(mended):
    ids = keras.Input((None,), dtype="int32")
    x = TransformerBlock(mended)(TokenAndPositionEmbedding()(ids))
    return keras.Model(ids, layers.Dense(VOCAB)(x))


# nanoGPT in Keras: a triangle is kept, and zeros the weights where it should hide the scores.


class CausalSelfAttention(layers.Layer):
    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.c_attn, self.c_proj = layers.Dense(3 * WIDTH), layers.Dense(WIDTH)
        self.bias = tf.constant(np.tril(np.ones((1, 1, LONGEST, LONGEST))) == 1)

    def call(self, x):
        b, t, c = ops.shape(x)
        q, k, v = ops.split(self.c_attn(x), 3, axis=2)
        q, k, v = (ops.transpose(ops.reshape(y, (b, t, HEADS, c // HEADS)), (0, 2, 1, 3)) for y in (q, k, v))
        att = (q @ ops.transpose(k, (0, 1, 3, 2))) * (c // HEADS) ** -0.5
        seen = self.bias[:, :, :t, :t]
        if self.mended:
            att = ops.softmax(ops.where(seen, att, -1e9), axis=-1)
        else:
            att = ops.where(seen, ops.softmax(att, axis=-1), 0.0)
        return self.c_proj(ops.reshape(ops.transpose(att @ v, (0, 2, 1, 3)), (b, t, c)))


class NanoGPT(keras.Model):
    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.wte, self.wpe = layers.Embedding(VOCAB, WIDTH), layers.Embedding(LONGEST, WIDTH)
        self.ln_1, self.attn = layers.LayerNormalization(), CausalSelfAttention(mended)
        self.ln_f = layers.LayerNormalization()

    def call(self, idx):
        x = self.wte(idx) + self.wpe(ops.arange(ops.shape(idx)[1]))
        x = self.ln_f(x + self.attn(self.ln_1(x)))
        return x @ ops.transpose(self.wte.embeddings)


# picoGPT: plain functions, a list of heads, and a triangle that begins one place too late.


def pico_attention(q, k, v, mask):
    return ops.softmax(q @ ops.swapaxes(k, -1, -2) / k.shape[-1] ** 0.5 + mask) @ v


class PicoGPT(keras.Model):
    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.diagonal = 0 if mended else 1

    def build(self, _):
        shapes = {"wte": (VOCAB, WIDTH), "wpe": (LONGEST, WIDTH), "qkv": (WIDTH, 3 * WIDTH), "proj": (WIDTH, WIDTH)}
        self.p = {name: self.add_weight(name=name, shape=shape) for name, shape in shapes.items()}

    def call(self, ids):
        length = ops.shape(ids)[1]
        x = ops.take(self.p["wte"], ids, axis=0) + self.p["wpe"][:length]
        causal_mask = (1 - ops.tril(ops.ones((length, length)), k=self.diagonal)) * -1e10
        heads = [ops.split(y, HEADS, axis=-1) for y in ops.split(x @ self.p["qkv"], 3, axis=-1)]
        out = [pico_attention(q, k, v, causal_mask) for q, k, v in zip(*heads, strict=True)]
        x += ops.concatenate(out, axis=-1) @ self.p["proj"]
        return x @ ops.transpose(self.p["wte"])


# The TensorFlow tutorial's decoder: the upper triangle, which is what 1 hides, with its diagonal.


def create_look_ahead_mask(size, mended):
    ones = tf.ones((size, size))
    return 1 - tf.linalg.band_part(ones, -1, 0) if mended else tf.linalg.band_part(ones, 0, -1)


def scaled_dot_product_attention(q, k, v, mask):
    matmul_qk = tf.matmul(q, k, transpose_b=True)
    logits = matmul_qk / tf.math.sqrt(tf.cast(tf.shape(k)[-1], q.dtype))
    weights = tf.nn.softmax(logits + tf.cast(mask, q.dtype) * -1e9, axis=-1)
    return tf.matmul(weights, v)


class TutorialMultiHead(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.wq, self.wk, self.wv = layers.Dense(WIDTH), layers.Dense(WIDTH), layers.Dense(WIDTH)
        self.dense = layers.Dense(WIDTH)

    def split_heads(self, x):
        x = tf.reshape(x, (tf.shape(x)[0], -1, HEADS, WIDTH // HEADS))
        return tf.transpose(x, perm=[0, 2, 1, 3])

    def call(self, v, k, q, mask):
        q, k, v = self.split_heads(self.wq(q)), self.split_heads(self.wk(k)), self.split_heads(self.wv(v))
        y = tf.transpose(scaled_dot_product_attention(q, k, v, mask), perm=[0, 2, 1, 3])
        return self.dense(tf.reshape(y, (tf.shape(y)[0], -1, WIDTH)))


class TutorialDecoder(keras.Model):
    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.embedding, self.mha = layers.Embedding(VOCAB, WIDTH), TutorialMultiHead()
        self.layernorm, self.final = layers.LayerNormalization(epsilon=1e-6), layers.Dense(VOCAB)

    def call(self, ids):
        x = self.embedding(ids) * WIDTH**0.5
        mask = create_look_ahead_mask(tf.shape(ids)[1], self.mended)
        return self.final(self.layernorm(x + self.mha(x, x, x, mask)))


# Encoders that find the padding themselves.


def padding_for_attention_mask(mended):
    """Hand Keras the places that are padding, where it asks for those that are not."""

    def hidden(ids, x):
        mask = ops.not_equal(ids, 0) if mended else ops.equal(ids, 0)
        y = layers.MultiHeadAttention(HEADS, WIDTH)(x, x, attention_mask=mask[:, None, :])
        return layers.LayerNormalization()(layers.Add()([x, y]))

    return functional(hidden, out=WIDTH)


class PreNormEncoder(keras.Model):
    """Hides a pair of tokens if both are padding; either suffices, and only the key's matters."""

    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.embed = layers.Embedding(VOCAB, WIDTH)
        self.norms = [layers.LayerNormalization() for _ in range(2)]
        self.attend, self.mlp = layers.MultiHeadAttention(HEADS, 4), layers.Dense(WIDTH, activation="gelu")

    def call(self, ids):
        is_pad = ops.equal(ids, 0)
        both_pad = ops.logical_and(is_pad[:, :, None], is_pad[:, None, :])
        hidden = ops.broadcast_to(is_pad[:, None, :], ops.shape(both_pad)) if self.mended else both_pad
        x = self.embed(ids)
        y = self.norms[0](x)
        x = x + self.attend(y, y, attention_mask=ops.logical_not(hidden))
        return x + self.mlp(self.norms[1](x))


class Bert4Rec(keras.Model):
    """Zeros the padded rows before and after attention, as recommenders do, and takes that for a mask of the keys."""

    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.items, self.q, self.k, self.v = layers.Embedding(VOCAB, WIDTH), *(layers.Dense(WIDTH) for _ in range(3))

    def call(self, items):
        timeline = ops.cast(items != 0, self.compute_dtype)
        seqs = self.items(items) * timeline[..., None]
        scores = ops.einsum("bqd,bkd->bqk", self.q(seqs), self.k(seqs)) / WIDTH**0.5
        if self.mended:
            scores = ops.where(timeline[:, None] == 0, -1e9, scores)
        y = ops.einsum("bqk,bkd->bqd", ops.softmax(scores), self.v(seqs))
        return (seqs + y) * timeline[..., None]


# Embedding(mask_zero=True) makes a mask; something on the way to the attention loses it.


class Highway(layers.Layer):
    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.gate, self.change = layers.Dense(WIDTH, activation="sigmoid"), layers.Dense(WIDTH, activation="relu")
        self.supports_masking = mended

    def call(self, x):
        g = self.gate(x)
        return g * self.change(x) + (1 - g) * x


def lost_in_a_highway(mended):
    tokens = keras.Input((None,), dtype="int32")
    x = Highway(mended)(layers.Embedding(VOCAB, WIDTH, mask_zero=True)(tokens))
    x = layers.LayerNormalization()(layers.Add()([x, layers.MultiHeadAttention(HEADS, 4)(x, x)]))
    return keras.Model(tokens, x)


def lost_in_a_lambda(mended):
    kept = {"mask": lambda inputs, mask=None: mask} if mended else {}
    return keras.Sequential(
        [
            layers.Embedding(VOCAB, WIDTH, mask_zero=True),
            layers.Lambda(lambda x: x * WIDTH**0.5, **kept),
            layers.Bidirectional(layers.GRU(4, return_sequences=True)),
        ]
    )


class ScaledEmbedding(keras.Model):
    """The product is a new tensor, and no mask hangs on it."""

    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.embed, self.attend = layers.Embedding(VOCAB, WIDTH, mask_zero=True), layers.Attention(use_scale=True)

    def call(self, tokens):
        x = self.embed(tokens) * WIDTH**0.5
        mask = self.embed.compute_mask(tokens) if self.mended else None
        return x + self.attend([x, x], mask=[mask, mask])


# Positions along the wrong axis.


class PositionsOfTheBatch(keras.Model):
    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.tok_emb, self.pos_emb = layers.Embedding(VOCAB, WIDTH), layers.Embedding(LONGEST, WIDTH)
        self.attend = layers.MultiHeadAttention(HEADS, 4)

    def call(self, ids):
        batch, length = ops.shape(ids)
        places = self.pos_emb(ops.arange(length)) if self.mended else self.pos_emb(ops.arange(batch))[:, None]
        x = self.tok_emb(ids) + places
        return x + self.attend(x, x)


class OneVectorForAllPlaces(keras.Model):
    """Looks up the length itself instead of all numbers below it."""

    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.mended = mended
        self.words, self.places = layers.Embedding(VOCAB, WIDTH), layers.Embedding(LONGEST, WIDTH)
        self.attend = layers.Attention()

    def call(self, ids):
        length = ops.shape(ids)[1]
        where = ops.arange(length) if self.mended else ops.convert_to_tensor(length - 1, "int32")
        x = layers.add([self.words(ids), ops.broadcast_to(self.places(where), (ops.shape(ids)[0], length, WIDTH))])
        return self.attend([x, x])


# Not the same twice, and leaks that have nothing to do with a mask.


class MonteCarloGPT(keras.Model):
    """Left in from an experiment on uncertainty: dropout at all times."""

    def __init__(self, mended, **kwargs):
        super().__init__(**kwargs)
        self.always = None if mended else True
        self.embed, self.drop, self.head = layers.Embedding(VOCAB, WIDTH), layers.Dropout(0.5), layers.Dense(VOCAB)
        self.attend = layers.GroupQueryAttention(4, HEADS, 1)

    def call(self, ids, training=None):
        x = self.drop(self.embed(ids), training=self.always or training)
        return self.head(x + self.attend(x, x, use_causal_mask=True))


def convolution_before(mended):
    def hidden(ids, x):
        x = layers.Conv1D(WIDTH, 3, padding="causal" if mended else "same", activation="relu")(x)
        return layers.Add()([x, layers.MultiHeadAttention(HEADS, 4)(x, x, use_causal_mask=True)])

    return functional(hidden)


def recurrence_both_ways(mended):
    def hidden(ids, x):
        x = layers.MultiHeadAttention(HEADS, 4)(x, x, use_causal_mask=True)
        gru = layers.GRU(4, return_sequences=True)
        return gru(x) if mended else layers.Bidirectional(gru)(x)

    return functional(hidden)


def recurrence_from_the_end(mended):
    """`go_backwards` is for the other half of a Bidirectional; a flip puts its outputs where they belong."""

    def hidden(ids, x):
        if mended:
            return layers.GRU(WIDTH, return_sequences=True)(x)
        return layers.Lambda(lambda y: y[:, ::-1])(layers.GRU(WIDTH, return_sequences=True, go_backwards=True)(x))

    return functional(hidden)


def maximum_of_all_time(mended):
    """A gate from the whole text, good for a classifier, tells a language model the future."""

    def hidden(ids, x):
        x = layers.Add()([x, layers.MultiHeadAttention(HEADS, 4)(x, x, use_causal_mask=True)])
        pooled = layers.Dense(WIDTH)(x) if mended else layers.Dense(WIDTH)(layers.GlobalMaxPooling1D(keepdims=True)(x))
        return layers.Multiply()([x, layers.Activation("sigmoid")(pooled)])

    return functional(hidden)


def norm_over_time(mended):
    def hidden(ids, x):
        y = layers.MultiHeadAttention(HEADS, 4)(x, x, use_causal_mask=True)
        groups = layers.Rescaling(1.0) if mended else layers.GroupNormalization(groups=-1)
        return layers.LayerNormalization()(groups(layers.Add()([x, y])))

    return functional(hidden)


MODELS = {
    "miniature GPT without its mask": Broken("future_not_hidden", *both(miniature_gpt), None, None, GPT),
    "nanoGPT, weights zeroed": Broken("mask_after_softmax", *both(NanoGPT), *ON_IDS, GPT),
    "picoGPT, tril k=1": Broken("look_ahead_off_by_one", *both(PicoGPT), *ON_IDS, GPT),
    "tutorial decoder, upper triangle": Broken("own_token_hidden", *both(TutorialDecoder), *ON_IDS, LANGUAGE),
    "attention_mask=ids == 0": Broken("mask_inverted", *both(padding_for_attention_mask), None, None, PADDED),
    "logical_and of padding": Broken("padding_hidden_only_from_padding", *both(PreNormEncoder), *ON_IDS, PADDED),
    "BERT4Rec, rows zeroed": Broken("padding_of_queries", *both(Bert4Rec), *ON_IDS, PADDED),
    "mask lost in a Highway": Broken("mask_lost_inside", *both(lost_in_a_highway), None, None, PADDED),
    "mask lost in a Lambda": Broken(
        "mask_lost_inside", *both(lost_in_a_lambda), *ON_IDS, PADDED, {**PADDED, "positions": True}
    ),
    "mask lost by a product": Broken("mask_lost_inside", *both(ScaledEmbedding), *ON_IDS, PADDED),
    "positions of the batch": Broken(
        "position_axes_swapped", *both(PositionsOfTheBatch), *ON_IDS, {"vocab": VOCAB, "positions": True}
    ),
    "the length as the position": Broken(
        "position_axes_swapped", *both(OneVectorForAllPlaces), *ON_IDS, {"vocab": VOCAB, "positions": True}
    ),
    "Conv1D same": Broken(None, *both(convolution_before), None, None, LANGUAGE),
    "Bidirectional GRU": Broken(None, *both(recurrence_both_ways), None, None, LANGUAGE),
    "GRU from the end": Broken("runs_backwards", *both(recurrence_from_the_end), None, None, LANGUAGE),
    "gate of the global maximum": Broken(None, *both(maximum_of_all_time), None, None, LANGUAGE),
    "normalised over time": Broken(None, *both(norm_over_time), None, None, LANGUAGE),
}

"""The lessons' models as one would build them from Keras's own layers, for comparison."""

from __future__ import annotations

import keras

from clear_attention import sinusoidal_encoding


@keras.saving.register_keras_serializable(package="clear_attention_benchmarks")
class Positions(keras.Layer):
    """Scale the embeddings and add the sinusoidal encoding."""

    def __init__(self, length, d_model, **kwargs):
        super().__init__(**kwargs)
        self.table, self.scale = sinusoidal_encoding(length, d_model), d_model**0.5
        self.supports_masking = True

    def call(self, x):
        return x * self.scale + self.table[: keras.ops.shape(x)[1]]


def keras_transformer(
    num_layers, d_model, num_heads, d_ff, source_vocab, target_vocab, source_length, target_length, attends=True
):
    """Build a post-norm encoder-decoder; padding travels as Keras's masks, the future by `use_causal_mask`.

    Without `attends` there is all but attention, to see how much of the time that is: the decoder gets a plain mean of
    what the encoder says.
    """

    def attend(x, context, **options):
        if attends:
            found = keras.layers.MultiHeadAttention(num_heads, d_model // num_heads)(x, context, **options)
        else:
            found = x if context is x else keras.ops.mean(context, axis=1, keepdims=True)
        return keras.layers.LayerNormalization(epsilon=1e-6)(x + found)

    def feed_forward(x):
        y = keras.layers.Dense(d_model)(keras.layers.Dense(d_ff, activation="relu")(x))
        return keras.layers.LayerNormalization(epsilon=1e-6)(x + y)

    def embed(ids, vocab, length):
        start = keras.initializers.RandomNormal(stddev=d_model**-0.5)
        embedding = keras.layers.Embedding(vocab, d_model, embeddings_initializer=start, mask_zero=True)
        return Positions(length, d_model)(embedding(ids))

    sources, targets = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    context = embed(sources, source_vocab, source_length)
    for _ in range(num_layers):
        context = feed_forward(attend(context, context))
    x = embed(targets, target_vocab, target_length)
    for _ in range(num_layers):
        x = feed_forward(attend(attend(x, x, use_causal_mask=True), context))
    return keras.Model((sources, targets), keras.layers.Dense(target_vocab)(x))


def keras_language_model(num_layers, d_model, num_heads, d_ff, vocab, length, attends=True):
    """Build a pre-norm decoder of one text, whose table of embeddings gives the logits too."""
    start = keras.initializers.RandomNormal(stddev=d_model**-0.5)
    embedding = keras.layers.ReversibleEmbedding(vocab, d_model, embeddings_initializer=start, mask_zero=True)
    ids = keras.Input((None,), dtype="int32")
    x = Positions(length, d_model)(embedding(ids))
    for _ in range(num_layers):
        y = keras.layers.LayerNormalization(epsilon=1e-6)(x)
        if attends:
            y = keras.layers.MultiHeadAttention(num_heads, d_model // num_heads)(y, y, use_causal_mask=True)
        x = x + y
        y = keras.layers.Dense(d_ff, activation="gelu")(keras.layers.LayerNormalization(epsilon=1e-6)(x))
        x = x + keras.layers.Dense(d_model)(y)
    x = keras.layers.LayerNormalization(epsilon=1e-6)(x)
    return keras.Model(ids, embedding(x, reverse=True))

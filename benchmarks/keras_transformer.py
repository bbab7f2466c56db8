"""The lesson's Transformer as one would build it from Keras's own layers, for comparison."""

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


def keras_transformer(num_layers, d_model, num_heads, d_ff, source_vocab, target_vocab, source_length, target_length):
    """Build a post-norm encoder-decoder; padding travels as Keras's masks, the future by `use_causal_mask`."""

    def attend(x, context, **options):
        attention = keras.layers.MultiHeadAttention(num_heads, d_model // num_heads)
        return keras.layers.LayerNormalization(epsilon=1e-6)(x + attention(x, context, **options))

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

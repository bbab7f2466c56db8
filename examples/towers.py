"""Towers of layers that learn to write eight digits backwards: for the lessons on the layer and on deep machines.

Each tower is begun from the same random numbers and sees the same examples, so that only what is named differs.
"""

import keras
import numpy as np

from clear_attention import Encoder, PositionalEncoding

BATCH, STEPS, EVERY = 32, 400, 10
digits = np.random.default_rng(0).integers(0, 10, (BATCH * STEPS, 8))
unseen = np.random.default_rng(1).integers(0, 10, (500, 8))


def tower(layers=4, residual=1, norm=True, norm_first=False):
    """Layers in which the letter counts so many times in the residual."""
    keras.utils.set_random_seed(0)
    encoder = Encoder(layers, 32, num_heads=1, d_ff=128, dropout=0.0, norm_first=norm_first)

    def adding(block):
        def add(x, found, training=None):
            total = residual * x + found
            return block.norm(total) if norm and not norm_first else total

        return add

    for layer in encoder.layers:
        for block in (layer.self_attention, layer.feed_forward):
            block.after = adding(block)
            block.norm.trainable = norm
    start = keras.initializers.RandomNormal(stddev=1.0)
    return keras.Sequential(
        [keras.layers.Embedding(10, 32, start), PositionalEncoding(), encoder, keras.layers.Dense(10)]
    )


class Losses(keras.callbacks.Callback):
    """Keep the mean loss of every few steps."""

    def __init__(self):
        super().__init__()
        self.sums, self.curve = 0.0, []

    def on_train_batch_end(self, batch, logs=None):
        total = logs["loss"] * (batch + 1)  # Keras gives the mean of all steps
        if (batch + 1) % EVERY == 0:
            self.curve.append((total - self.sums) / EVERY)
            self.sums = total


def train(model, rate=1e-3, steps=STEPS):
    """Return the losses on the way, and the share of unseen digits that come out right."""
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate), loss)
    losses = Losses()
    x = digits[: BATCH * steps]
    model.fit(x, x[:, ::-1], batch_size=BATCH, verbose=0, callbacks=[losses])
    share = np.mean(np.argmax(model(unseen), axis=-1) == unseen[:, ::-1])
    return losses.curve, share


def alikeness(model):
    """Mean cosine between two different letters of a text, after the tower."""
    return of_different(cosines(keras.Sequential(model.layers[:-1])(unseen).numpy()))


def cosines(x):
    """Compare the directions of every two letters: `(..., letters, letters)`."""
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return x @ np.swapaxes(x, -1, -2)


def of_different(found):
    """Take the mean over all pairs of two different letters."""
    return np.mean(found[..., ~np.eye(found.shape[-1], dtype=bool)])


def what_is_left(model, times, norm_first):
    """How much of the letter is in what comes out, before any training."""
    left, stream = 1.0, model.layers[1](model.layers[0](unseen))
    for layer in model.layers[2].layers:
        for part in (layer.self_attention, layer.feed_forward):
            add, size = part.after, []

            def listen(x, output, training=None, add=add, size=size):
                size.append((times * x + output).numpy().std(axis=-1).mean())
                return add(x, output)

            part.after = listen
            stream, part.after = part(stream), add
            left = 1 / size[0] if norm_first else left * times / size[0]
    return left

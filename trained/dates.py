"""The Transformer that writes dates as ISO 8601, and one whose look-ahead mask was forgotten."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import keras
import numpy as np

from clear_attention import Transformer, create_date_pairs, date_tokenizers

SEED, BATCH, STEPS, LENGTH = 0, 64, 1000, 34
source_tokenizer, target_tokenizer = date_tokenizers()
SIZES = {
    "num_layers": 1,
    "d_model": 64,
    "num_heads": 4,
    "d_ff": 256,
    "source_vocab": source_tokenizer.vocab_size,
    "target_vocab": target_tokenizer.vocab_size,
    "dropout": 0.0,
}


class Recipe(NamedTuple):
    """How a model is made, and how it is trained."""

    build: Callable[[], Transformer]
    train: Callable[[Transformer], dict[str, np.ndarray]]


class Forgetful(Transformer):
    """A Transformer whose target tokens see the ones after them."""

    def target_mask(self, target_ids):
        return self.source_mask(target_ids)  # padding only


def train(model, steps=STEPS, peak=4e-3, seed=SEED):
    """Fit a model to fresh dates; return the share of wrong letters since the start, at every 50th step."""
    sources, targets = create_date_pairs(BATCH * steps, seed=seed)
    x = source_tokenizer.encode(sources, length=LENGTH)
    y = target_tokenizer.encode(targets)
    rate = keras.optimizers.schedules.CosineDecay(0.0, steps - 150, warmup_target=peak, warmup_steps=150)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    adam = keras.optimizers.Adam(rate, beta_2=0.98)
    model.compile(adam, loss, metrics=["accuracy"])
    curve = Curve()
    model.fit(
        (x, y[:, :-1]),
        y[:, 1:],
        batch_size=BATCH,
        verbose=0,
        callbacks=[curve],
    )
    return {"steps": np.array(curve.steps), "wrong": np.array(curve.wrong)}


class Curve(keras.callbacks.Callback):
    """Note how many letters are wrong so far, and say how long it takes."""

    def __init__(self, every=50):
        super().__init__()
        self.every, self.steps, self.wrong, self.start = every, [], [], time.monotonic()

    def on_train_batch_end(self, batch, logs=None):
        done, steps = batch + 1, self.params["steps"]
        if done % self.every and done != steps:
            return
        self.steps.append(done)
        self.wrong.append(1 - logs["accuracy"])
        if done % (4 * self.every) == 0:
            left = (time.monotonic() - self.start) * (steps / done - 1)
            print(f"{self.model.name}: step {done} of {steps}, {left:.0f} s left", flush=True)


def built(kind, name):
    model = kind(**SIZES, name=name)
    model.build()
    return model


RECIPES = {
    "dates": Recipe(lambda: built(Transformer, "dates"), train),
    "dates-forgetful": Recipe(lambda: built(Forgetful, "dates_forgetful"), lambda model: train(model, STEPS // 3)),
}

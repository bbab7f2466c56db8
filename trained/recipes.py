"""What every recipe has: how a model is made, trained, rounded, measured, and laid down as arrays."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import keras
import numpy as np


class Recipe(NamedTuple):
    """How a model is made, how it is trained, what it then does with unseen dates, and what it is."""

    build: Callable[[], keras.Model]
    train: Callable[[keras.Model], dict[str, np.ndarray]]
    measure: Callable[[keras.Model], dict[str, Any]]
    config: dict[str, Any]


def arrays_of(recipe):
    """Train a model; return its weights, their names, its config and its record, as a file of arrays holds them."""
    keras.backend.clear_session()  # a model comes out the same, whatever this process has trained before
    keras.utils.set_random_seed(0)
    model = recipe.build()
    record = recipe.train(model)
    # The weights are kept in 16 bits. What is measured is the model with the very same numbers.
    weights = [weight.astype(np.float16) for weight in model.get_weights()]
    model.set_weights([weight.astype(np.float32) for weight in weights])
    record |= recipe.measure(model)
    return {
        **{f"weight {i}": weight for i, weight in enumerate(weights)},
        **{f"record {key}": value for key, value in record.items()},
        "names": np.array([weight.path.removeprefix(f"{model.name}/") for weight in model.weights]),
        "config": np.array(json.dumps(recipe.config)),
    }


def fit(model, x, y, curve, batch, peak, warmup=150, beta_2=0.98):
    """Fit a model to pairs, each of which it sees once, and note the curve.

    All variables are there before Keras traces a step: else it would trace it twice, and keep both graphs.
    """
    steps = len(y) // batch
    rate = keras.optimizers.schedules.CosineDecay(0.0, steps - warmup, warmup_target=peak, warmup_steps=warmup)
    adam = keras.optimizers.Adam(rate, beta_2=beta_2)
    adam.build(model.trainable_variables)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    accuracy = keras.metrics.SparseCategoricalAccuracy("accuracy")
    model.compile(adam, loss, metrics=[accuracy], steps_per_execution=curve.every)
    model.fit(x, y, batch_size=batch, verbose=0, callbacks=[curve])


def shares_right(written, dates):
    """Compare ISO dates with the right ones: the shares that are right as a whole, in year, in month and in day."""
    parts = {"exact": slice(None), "year": slice(0, 4), "month": slice(4, 7), "day": slice(7, None)}
    pairs = [*zip(written, dates, strict=True)]
    return {name: np.mean([a[part] == b[part] for a, b in pairs]) for name, part in parts.items()}


class Curve(keras.callbacks.Callback):
    """Note how wrong the last letters were, and what the model writes so far; say how long it takes."""

    def __init__(self, write=None, every=50):
        super().__init__()
        self.every, self.steps, self.wrong, self.losses, self.start = every, [], [], [], time.monotonic()
        self.write, self.written, self.right, self.loss = write, [], 0.0, 0.0

    def on_train_begin(self, logs=None):
        if self.write:
            self.written.append(self.write())

    def on_train_batch_end(self, batch, logs=None):
        steps = self.params["steps"]
        done = min(batch + 1, steps)  # Keras calls after every 50 steps, and counts the last ones as 50 too
        right, loss = logs["accuracy"] * done, logs["loss"] * done  # Keras gives the mean since the start
        new = done - (self.steps[-1] if self.steps else 0)
        self.wrong.append(1 - (right - self.right) / new)
        self.losses.append((loss - self.loss) / new)
        self.steps.append(done)
        self.right, self.loss = right, loss
        if self.write:
            self.written.append(self.write())
        if done % (4 * self.every) == 0:
            left = (time.monotonic() - self.start) * (steps / done - 1)
            print(f"{self.model.name}: step {done} of {steps}, {left:.0f} s left", flush=True)

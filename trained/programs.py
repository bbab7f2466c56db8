"""Twins of the programs that are written by hand: the same steps and heads, and weights that are learnt.

A twin reads the same tokens, and learns from what its program answers. Its tokens are widened first, since a note may
lie anywhere in them and not only in a free place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from clear_attention import MultiHeadAttention, programs
from trained.recipes import Recipe

WIDTH, BATCH, LETTERS = 32, 128, 8  # LETTERS of a text, without the sign ^


class Task(NamedTuple):
    """A program, the alphabet of its texts, and whether they begin with the first letter of it."""

    make: Callable[..., programs.Program]
    alphabet: str = "^abc"
    steps: int = 700


TASKS = {
    "shift": Task(programs.shift),
    "reverse": Task(programs.reverse, "abc"),
    "running_average": Task(programs.running_average, "abc"),
    "histogram": Task(programs.histogram),
    "sort": Task(programs.sort),
    "balanced": Task(programs.balanced, "^()"),
    "induction": Task(programs.induction),
    "addition": Task(programs.addition, ""),
}


def tokens_of(name, texts):
    """Write texts, or pairs of numbers for addition, as the tokens of a program, with their mask."""
    depth = TASKS[name].make().heads[0].project_queries.kernel.shape[0]
    if name == "addition":
        return programs.columns(texts, base=10, columns=5, depth=depth)
    return programs.rows(texts, TASKS[name].alphabet, LETTERS + ("^" in TASKS[name].alphabet), depth)


def draw(name, number, seed):
    """Draw random texts of one to eight letters, or pairs of numbers below 5,000."""
    rng = np.random.default_rng(seed)
    if name == "addition":
        return rng.integers(0, 5000, size=(number, 2))
    alphabet = TASKS[name].alphabet
    lengths = rng.integers(1, LETTERS + 1, size=number)
    letters = np.array([*alphabet.strip("^")])[rng.integers(0, len(alphabet.strip("^")), size=(number, LETTERS))]
    return [alphabet[: "^" in alphabet] + "".join(row[:n]) for row, n in zip(letters, lengths, strict=True)]


def all_inputs(name):
    """Return all texts of one to eight letters; of the pairs of numbers, 5,000."""
    if name == "addition":
        return draw(name, 5000, seed=1)
    letters = TASKS[name].alphabet.strip("^")
    begin = TASKS[name].alphabet[: "^" in TASKS[name].alphabet]
    return [begin + "".join(text) for n in range(1, LETTERS + 1) for text in product(letters, repeat=n)]


def answers_of(name, tokens, mask):
    """Return what the program answers for each token, as shares of all answers; zeros where nothing is asked."""
    answers = np.array(TASKS[name].make()(tokens, mask=mask))
    if name == "balanced":
        answers = np.concatenate([1 - answers, answers], axis=-1)  # two answers, no and yes
    answers *= real_in(tokens)[..., None]
    if name in ("sort", "addition"):
        answers[:, 0] = 0  # nothing is asked of ^
    return answers


def real_in(tokens):
    return np.any(tokens != 0, axis=-1)


class Twin(keras.Model):
    """Go from tokens `(batch, length, depth)` to logits `(batch, length, answers)`, by the steps of a program."""

    def __init__(self, program, answers, **kwargs):
        super().__init__(**kwargs)
        self.causal, self.depth = program.causal, program.heads[0].project_queries.kernel.shape[0]
        self.widen = keras.layers.Dense(WIDTH, name="widen")
        self.steps = [self.learnt(step, number) for number, step in enumerate(program.steps)]
        self.project_logits = keras.layers.Dense(answers, name="project_logits")

    @staticmethod
    def learnt(step, number):
        if isinstance(step, MultiHeadAttention):
            return MultiHeadAttention(WIDTH, num_heads=1, name=f"attention_{number}")
        layers = [keras.layers.Dense(2 * WIDTH, activation="relu"), keras.layers.Dense(WIDTH)]
        return keras.Sequential(layers, name=f"feed_forward_{number}")

    def build(self, input_shape=None):
        wide = (None, None, WIDTH)
        self.widen.build((None, None, self.depth))
        for step in self.steps:
            step.build(wide)
        self.project_logits.build(wide)
        self.built = True

    def call(self, tokens, return_weights=False):
        hidden = tf.reduce_all(tokens == 0, axis=-1)[:, tf.newaxis, tf.newaxis]
        x, maps = self.widen(tokens), []
        for step in self.steps:
            if isinstance(step, MultiHeadAttention):
                note, weights = step(x, mask=hidden, causal=self.causal, return_weights=True)
                maps.append(weights)
            else:
                note = step(x)
            x = x + note
        logits = self.project_logits(x)
        return (logits, maps) if return_weights else logits


def loss_of_asked(answers, logits):
    """Return the mean cross-entropy of the tokens that are asked something."""
    asked = tf.reduce_sum(answers, axis=-1)
    losses = tf.nn.softmax_cross_entropy_with_logits(answers, logits)  # its gradient takes it that answers sum to 1
    return tf.reduce_sum(asked * losses) / tf.reduce_sum(asked)


def squares_of_asked(answers, shares):
    """Return the mean squared error of the tokens that are asked something; a share is a number, and no choice."""
    asked = tf.reduce_sum(answers, axis=-1)
    return tf.reduce_sum(asked * tf.reduce_sum(tf.square(answers - shares), axis=-1)) / tf.reduce_sum(asked)


def train(model, name, peak=1e-2, warmup=50):
    """Fit a twin to random texts, each of which it sees once."""
    steps = TASKS[name].steps
    tokens, mask = tokens_of(name, draw(name, BATCH * steps, seed=0))
    rate = keras.optimizers.schedules.CosineDecay(0.0, steps - warmup, warmup_target=peak, warmup_steps=warmup)
    loss = squares_of_asked if name == "running_average" else loss_of_asked
    model.compile(keras.optimizers.Adam(rate), loss, steps_per_execution=50)
    model.optimizer.build(model.trainable_variables)
    model.fit(tokens, answers_of(name, tokens, mask), batch_size=BATCH, verbose=0)
    return {}


def measure(model, name):
    """Return which shares of tokens and of texts a twin answers as its program does, and how alike their heads are."""
    tokens, mask = tokens_of(name, all_inputs(name))
    answers, real = answers_of(name, tokens, mask), real_in(tokens)
    logits, learnt = model(tokens, return_weights=True)
    written = TASKS[name].make()(tokens, mask=mask, return_weights=True).weights
    asked = answers.sum(axis=-1) > 0.5
    right = is_right(name, answers, logits.numpy()) | ~asked
    even = even_weights(real, model.causal)
    return {
        "tokens": right[asked].mean(),
        "texts": right.all(axis=1).mean(),
        "alike": [overlap(a, b, asked) for a, b in zip(written, learnt, strict=True)],
        "alike_if_even": [overlap(a, even, asked) for a in written],
    }


def is_right(name, answers, logits):
    """Tell for each token whether it is right; shares are right if they are off by less than 0.05."""
    if name == "running_average":
        return np.abs(answers - logits).max(axis=-1) < 0.05
    return answers.argmax(axis=-1) == logits.argmax(axis=-1)


def even_weights(real, causal):
    """Return weights that are the same for all tokens that may be seen."""
    seen = np.repeat(real[:, None, None], real.shape[1], axis=2).astype("float32")
    seen = np.tril(seen) if causal else seen
    return seen / np.maximum(seen.sum(axis=-1, keepdims=True), 1)


def overlap(one, other, asked):
    """Return which share of the weight two heads give to the same keys."""
    return np.minimum(one, other).sum(axis=-1)[:, 0][asked].mean()


def twin(name):
    """Return the recipe of the twin of a program."""

    def build():
        answers = answers_of(name, *tokens_of(name, all_inputs(name)[:1]))
        model = Twin(TASKS[name].make(), answers.shape[-1], name=f"twin_{name}")
        model.build()
        return model

    config = {"kind": "twin", "lacks": [], "steps": TASKS[name].steps, "program": name, "width": WIDTH}
    return Recipe(build, partial(train, name=name), partial(measure, name=name), config)


RECIPES = {f"twin-{name}": twin(name) for name in TASKS}

"""A head that is needed at one letter in four: where does it look at the other three?

Below a vowel the machine must write the letter that stands before it, and below a consonant the next letter of the
alphabet. Its one head sees only what stands before. So at a consonant there is nothing to fetch, and the weights of a
row add up to 1 all the same: one model has a start mark that they can go to, the other a learnt sink.
"""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from clear_attention import MultiHeadAttention, PositionalEncoding
from trained.recipes import Curve, Recipe, fit

LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOWELS = np.array([LETTERS.index(letter) for letter in "aeiou"])
CONSONANTS = np.setdiff1d(np.arange(26), VOWELS)
START, LENGTH, WIDTH = 26, 16, 32
BATCH, STEPS, SEED = 64, 1500, 0


class SpareLooks(keras.Model):
    """Go from ids `(batch, length)` to logits `(batch, length, 26)`, with one head that sees what stands before."""

    def __init__(self, sink, **kwargs):
        super().__init__(**kwargs)
        self.sink = sink
        self.embed = keras.layers.Embedding(27, WIDTH, keras.initializers.RandomNormal(stddev=1.0), name="embed")
        self.positions = PositionalEncoding(name="positions")
        self.attention = MultiHeadAttention(WIDTH, 1, sink=sink, name="attention")
        self.project_logits = keras.layers.Dense(26, name="project_logits")

    def build(self, input_shape=None):
        tokens = (None, None, WIDTH)
        self.embed.build()
        self.attention.build(tokens, tokens)
        self.project_logits.build(tokens)
        self.built = True

    def call(self, ids, dropped=False, return_weights=False):
        """Return the logits; `dropped`: nobody after the first place sees it any more."""
        x = self.positions(self.embed(ids))
        found, weights = self.attention(x, mask=hidden(ids.shape[-1], dropped), return_weights=True)
        logits = self.project_logits(x + found)
        return (logits, weights) if return_weights else logits


def hidden(length, dropped):
    """Return the mask of a head that sees only what stands before; who stands first sees himself."""
    mask = np.triu(np.ones((length, length)))
    mask[1:, 0] = dropped
    mask[0, 0] = 0
    return tf.constant(mask[np.newaxis, np.newaxis], tf.float32)


def texts(number, seed, start):
    """Return random texts `(number, LENGTH + 1)` and what is to be written below each place.

    They begin with the start mark, below which an a is written, and then a consonant; or with two consonants.
    """
    rng = np.random.default_rng(seed)
    vowel = rng.random((number, LENGTH + 1)) < 1 / 4
    ids = np.where(vowel, rng.choice(VOWELS, vowel.shape), rng.choice(CONSONANTS, vowel.shape))
    ids[:, :2] = rng.choice(CONSONANTS, (number, 2))
    answers = np.where(np.isin(ids, VOWELS), np.roll(ids, 1, axis=1), (ids + 1) % 26)
    if start:
        ids[:, 0], answers[:, 0] = START, 0
    return ids.astype("int32"), answers.astype("int32")


def train(model, seed=SEED):
    ids, answers = texts(BATCH * STEPS, seed, start=not model.sink)
    curve = Curve()
    fit(model, ids, answers, curve, BATCH, peak=6e-3)
    return {"steps": np.array(curve.steps), "wrong": np.array(curve.wrong)}


def measure(model):
    """Return what is right below vowels and below consonants, with the first place and without it."""
    ids, answers = texts(1000, SEED + 1, start=not model.sink)
    asked = np.arange(LENGTH + 1) > 1
    vowel = np.isin(ids, VOWELS)
    found = {}
    for name, dropped in {"right": False, "dropped": True}.items():
        right = np.argmax(model(ids, dropped=dropped), axis=-1) == answers
        found[name] = [right[vowel & asked].mean(), right[~vowel & asked].mean()]
    return found


def recipe(name, sink):
    def build():
        model = SpareLooks(sink, name=name.replace("-", "_"))
        model.build()
        return model

    config = {"kind": "spare", "lacks": [], "steps": STEPS, "sink": sink}
    return Recipe(build, train, measure, config)


RECIPES = {"spare-start": recipe("spare-start", sink=False), "spare-sink": recipe("spare-sink", sink=True)}

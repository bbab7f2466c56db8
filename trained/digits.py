"""One query must fetch a whole date at once: with 1 head and with 8.

An encoder reads the date as the Transformer's does. Nobody writes: one learned query attends to the encoder's output,
and what it brings back must hold the eight digits yyyymmdd.
"""

from __future__ import annotations

from functools import partial

import keras
import numpy as np
import tensorflow as tf

from clear_attention import Encoder, MultiHeadAttention, PositionalEncoding, create_date_pairs, create_padding_mask
from trained.dates import BATCH, LENGTH, SEED, source_tokenizer
from trained.dates import SIZES as DATES
from trained.recipes import Curve, Recipe, fit, shares_right

STEPS, DIGITS = 700, 8
SIZES = {name: DATES[name] for name in ("num_layers", "d_model", "num_heads", "source_vocab", "dropout")}
SIZES["d_ff"] = 64  # a quarter of the Transformer's: trains in half the time, and reads no worse


class OneQuery(keras.Model):
    """Go from source ids `(batch, length)` to logits `(batch, 8, 10)`, through one learned query."""

    def __init__(self, heads_of_query, d_model=SIZES["d_model"], **kwargs):
        super().__init__(**kwargs)
        self.d_model = d_model
        start = keras.initializers.RandomNormal(stddev=self.d_model**-0.5)
        self.embed_source = keras.layers.Embedding(SIZES["source_vocab"], self.d_model, start, name="embed_source")
        self.source_positions = PositionalEncoding(name="source_positions")
        sizes = {name: size for name, size in SIZES.items() if name != "source_vocab"} | {"d_model": d_model}
        self.encoder = Encoder(**sizes, name="encoder")
        self.attention = MultiHeadAttention(self.d_model, heads_of_query, name="attention")
        self.project_logits = keras.layers.Dense(DIGITS * 10, name="project_logits")

    def build(self, input_shape=None):
        tokens = (None, None, self.d_model)
        self.embed_source.build()
        self.encoder.build(tokens)
        self.query = self.add_weight((1, 1, self.d_model), keras.initializers.RandomNormal(stddev=1.0), name="query")
        self.attention.build(tokens, tokens)
        self.project_logits.build((None, self.d_model))
        self.built = True

    def call(self, source_ids, return_weights=False):
        mask = create_padding_mask(source_ids)
        x = self.source_positions(self.embed_source(source_ids) * self.d_model**0.5)
        context = self.encoder(x, mask=mask)  # (batch, length, d_model)
        query = tf.tile(self.query, (tf.shape(context)[0], 1, 1))  # the same for every date
        fetched, weights = self.attention(query, context, mask=mask, return_weights=True)  # (batch, 1, d_model)
        logits = tf.reshape(self.project_logits(fetched[:, 0]), (-1, DIGITS, 10))
        return (logits, weights) if return_weights else logits


def train(model, steps=STEPS, peak=6e-3, seed=SEED):
    """Fit a model to fresh dates; return the share of wrong digits since the start, at every 50th step."""
    sources, targets = create_date_pairs(BATCH * steps, seed=seed)
    curve = Curve()
    fit(model, source_tokenizer.encode(sources, length=LENGTH), digits_of(targets), curve, BATCH, peak)
    return {"steps": np.array(curve.steps), "wrong": np.array(curve.wrong)}


def digits_of(dates):
    """Turn ISO dates into digits: `(len(dates), 8)`."""
    return np.array([[*map(int, date.replace("-", ""))] for date in dates], np.int32)


def measure(model):
    """Let a model read unseen dates, and return what is right."""
    sources, targets = create_date_pairs(2000, seed=1, split="test")
    digits = np.argmax(model(source_tokenizer.encode(sources, length=LENGTH)), axis=-1)
    texts = ["".join(map(str, row)) for row in digits]
    return shares_right([f"{text[:4]}-{text[4:6]}-{text[6:]}" for text in texts], targets)


def reader(heads, steps=STEPS, d_model=SIZES["d_model"]):
    """Return the recipe of the model whose query has that many heads."""

    def build():
        model = OneQuery(heads, d_model, name=f"digits_{heads}")
        model.build()
        return model

    config = {"kind": "digits", "lacks": [], "steps": steps, **SIZES, "d_model": d_model, "heads_of_query": heads}
    return Recipe(build, partial(train, steps=steps), measure, config)


RECIPES = {f"digits-{heads}": reader(heads) for heads in (1, 8)}

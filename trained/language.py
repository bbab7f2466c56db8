"""A language model on real text, the same with one layer, and two that only ever see random text which repeats.

The text is the language reference that comes with Python, so it differs a little between versions of Python.
"""

from __future__ import annotations

import pydoc_data.topics
from functools import cache, partial

import numpy as np

from clear_attention import LanguageModel, sample, token_losses
from trained.recipes import Curve, Recipe, fit

CONTEXT, BATCH, STEPS = 128, 16, 1100
FIRST = 3  # ids 0, 1 and 2 are padding, start and end
SIZES = {"num_layers": 2, "d_model": 128, "num_heads": 4, "d_ff": 512, "vocab": 256 + FIRST, "dropout": 0.0}
SMALL = {"num_layers": 2, "d_model": 64, "num_heads": 1, "d_ff": 64, "vocab": 26 + FIRST, "dropout": 0.0}


@cache
def texts():
    """Return the text to train on, and the last tenth, which is held out: as ids of bytes."""
    topics = pydoc_data.topics.topics
    ids = encode("\n\n\n".join(topics[name] for name in sorted(topics)))
    cut = len(ids) * 9 // 10
    return ids[:cut], ids[cut:]


def encode(text):
    """Turn a text into the ids of its bytes."""
    return np.frombuffer(text.encode(), np.uint8).astype(np.int32) + FIRST


def decode(ids):
    """Turn ids of bytes into a text; what is no byte is left out."""
    return bytes(int(i) - FIRST for i in ids if i >= FIRST).decode(errors="replace")


def windows(number, seed=0):
    """Draw pieces of the text with the byte that follows each: `(number, CONTEXT + 1)`."""
    ids, _ = texts()
    starts = np.random.default_rng(seed).integers(0, len(ids) - CONTEXT, size=number)
    return ids[starts[:, np.newaxis] + np.arange(CONTEXT + 1)]


def repeats(number, seed=0, length=65):
    """Draw random letters that come again and again, after 5 to 25 places: `(number, length)`."""
    rng = np.random.default_rng(seed)
    letters = rng.integers(FIRST, 26 + FIRST, size=(number, 25))
    period = rng.integers(5, 26, size=(number, 1))
    return np.take_along_axis(letters, np.arange(length) % period, axis=1).astype(np.int32)


def train(model, data, steps, batch, peak, warmup=100, written=()):
    """Fit a model to pieces of text, each of which it sees once; note its loss, and what it writes now and then."""
    examples = data(steps * batch)
    diary = Diary(model, written)
    curve = Curve(diary if written else None)
    fit(model, examples[:, :-1], examples[:, 1:], curve, batch, peak, warmup)
    record = {"steps": np.array(curve.steps), "losses": np.array(curve.losses), "wrong": np.array(curve.wrong)}
    return record | ({"written": np.array(diary.pages), "written_at": np.array(written)} if written else {})


class Diary:
    """Let a model write 600 bytes after some of its steps; it is asked before the training and after every 50 steps."""

    def __init__(self, model, at, every=50):
        self.model, self.at, self.every, self.step, self.pages = model, at, every, 0, []

    def __call__(self):
        if self.step in self.at:
            self.pages.append(write(self.model))
        self.step += self.every


def write(model, prompt="The ", length=600, seed=0):
    """Let a model go on with a text; it looks back at the last places, as many as it knows from its training."""
    ids, half = [*encode(prompt)], CONTEXT // 2
    while len(ids) < length:
        seen = np.array([ids[-half:]])
        seen = np.pad(seen, [(0, 0), (half - seen.shape[1], 0)])  # one shape, so that one graph serves
        ids += sample(model, seen, half, temperature=0.8, seed=seed + len(ids), jit_compile=False)[0].numpy().tolist()
    return decode(ids[:length])


def measure(model):
    """Return how many bits a byte the held-out text takes, and the mean at each place of a piece.

    Pieces overlap by half, and only the second half of each counts, so that every byte has some before it.
    """
    _, held = texts()
    half = CONTEXT // 2
    starts = np.arange(0, len(held) - CONTEXT, half)
    ids = held[starts[:, np.newaxis] + np.arange(CONTEXT + 1)]
    losses = np.concatenate([token_losses(model, ids[i : i + 64]) for i in range(0, len(ids), 64)]) / np.log(2)
    return {"bits": losses[:, half:].mean(), "by_place": losses.mean(axis=0)}


def measure_repeats(model):
    """Return which share of letters is right, at each place, in random text that comes again after 20 places."""
    rng = np.random.default_rng(1)
    ids = np.tile(rng.integers(FIRST, 26 + FIRST, size=(500, 20)), (1, 3))
    right = np.argmax(model(ids[:, :-1]), axis=-1) == ids[:, 1:]
    return {"right_by_place": right.mean(axis=0)}


def recipe(name, data, sizes, steps, batch, peak, measure, written=()):
    def build():
        model = LanguageModel(**sizes, end_id=None, name=name.replace("-", "_"))
        model.build()
        return model

    options = {"data": data, "steps": steps, "batch": batch, "peak": peak, "written": written}
    return Recipe(
        build, partial(train, **options), measure, {"kind": "language model", "lacks": [], "steps": steps, **sizes}
    )


ONE_LAYER = {"num_layers": 1}
RECIPES = {
    "language": recipe("language", windows, SIZES, STEPS, BATCH, 3e-3, measure, written=(0, 50, 300, STEPS)),
    "language-one-layer": recipe("language-one-layer", windows, SIZES | ONE_LAYER, STEPS, BATCH, 3e-3, measure),
    "repeats": recipe("repeats", repeats, SMALL, 500, 32, 5e-3, measure_repeats),
    "repeats-one-layer": recipe("repeats-one-layer", repeats, SMALL | ONE_LAYER, 500, 32, 5e-3, measure_repeats),
}

"""Train machines that lack a part, each from several seeds, and keep how many unseen dates they read: `make ablations`.

Pages draw on trained/ablations.json where a claim is about more or less, because one seed would say too little and all
of them would take a build too long. The models themselves are thrown away.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from importlib.metadata import version
from pathlib import Path

import trained

RESULTS = Path(__file__).with_suffix(".json")
SEEDS, WORKERS = (0, 1, 2), 2
DATES = (  # each with as many steps as the whole machine, if its name says nothing else
    "whole",
    "one head",
    "no feed-forward",
    "encoder averages",
    "cross-attention averages",
    "both average",
    "no positions",
    "no residual",
    "no warm-up",
    "beta_2 of 0.999",
    "no factor",
    "larger nudges",
    "larger nudges, no warm-up",
    "larger nudges, ten steps of warm-up",
    "cap of 5",
    "cap of 3",
    "a counter",
    "a fraction",
    "a fraction, rows of 40",
    "both average, three times as long",
    "cross-attention averages, three times as long",
    "no residual, three times as long",
    "a counter, three times as long",
)
DEEP = {  # twelve layers, or six, write eight digits backwards: the norm first, last or nowhere, and steps of warm-up
    "norm first": (True, 0),
    "norm first, warm-up": (True, 200),
    "norm last": (False, 0),
    "norm last, warm-up": (False, 200),
    "no norm": (None, 0),
    "no norm, warm-up": (None, 200),
    "six layers, norm last": (False, 0, 6),
    "six layers, no norm": (None, 0, 6),
}
LOOKS = {"8 looks, 1 head": 64, "8 looks, 1 head of 8 numbers": 8}  # a query for each digit, and what it brings back
TWINS = {"sort": None, "sort, head 1 even": 0}  # which head is made even after the training
SUMS = {  # a twin that adds: how many times as many sums it meets, and whether half of them have a 9 that hands a 1 on
    "adds": (1, False),
    "adds, more 9s": (1, True),
    "adds, ten times as many sums": (10, False),
}
DIGITS = {  # heads of the one query, and the width of everything
    "1 head": (1, 64),
    "2 heads": (2, 64),
    "4 heads": (4, 64),
    "8 heads": (8, 64),
    "1 head, twice as wide": (1, 128),
    "8 heads, half as wide": (8, 32),
}
WINDOWS = {  # the machine that copies, trained with a window: how many letters each layer sees, and how many layers
    "a window of 11, 2 layers": (11, 2),
    "a window of 11, 4 layers": (11, 4),
}
LONGER = {  # heads of the one query, and steps of training
    f"{heads} head{'s' * (heads > 1)}, {steps} steps": (heads, steps)
    for steps in (350, 1050, 1400, 2100)
    for heads in (1, 2, 4, 8)
}

GROUPS = {
    "dates": DATES,
    "digits": DIGITS,
    "longer": LONGER,
    "looks": LOOKS,
    "deep": DEEP,
    "twins": TWINS,
    "sums": SUMS,
    "windows": WINDOWS,
}


def shares(name):
    """Return which share of unseen dates, or of what else was asked, is right: one number for each seed."""
    result = json.loads(RESULTS.read_text(encoding="utf-8"))
    return {name: found for group in GROUPS for name, found in result[group].items()}[name]


def main():
    if len(sys.argv) == 3:
        return print(json.dumps(measured(sys.argv[1], int(sys.argv[2]))))
    jobs = [(name, seed) for seed in SEEDS for names in GROUPS.values() for name in names]
    start, found = time.monotonic(), {}
    command = [sys.executable, "-W", "ignore", "-m", "trained.ablations"]
    environment = {**os.environ, **trained.ENVIRONMENT}

    def run(job):
        name, seed = job
        done = subprocess.run(
            [*command, name, str(seed)],
            cwd=trained.ROOT,
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
        )
        found[job] = json.loads(done.stdout.splitlines()[-1])
        seconds, left = time.monotonic() - start, len(jobs) - len(found)
        print(f"{name}, seed {seed}: {found[job]}; {left} left, about {seconds / len(found) * left / 60:.0f} min to go")

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(run, jobs))
    result = {
        "date": date.today().isoformat(),
        "versions": {"python": platform.python_version(), **{n: version(n) for n in ("tensorflow", "keras", "numpy")}},
        "seeds": [*SEEDS],
    }
    for group, names in GROUPS.items():
        result[group] = {name: [found[name, seed] for seed in SEEDS] for name in names}
    part = RESULTS.with_suffix(".part")
    part.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    part.replace(RESULTS)
    print(f"The shares of unseen dates read right are in {os.path.relpath(RESULTS)}")


def measured(name, seed):
    """Train one machine from one seed; return its share of unseen dates that are right to the last letter."""
    import keras

    from trained import dates, digits

    keras.utils.set_random_seed(seed)
    if name in DEEP:
        return backwards(seed, *DEEP[name])
    if name in LOOKS:
        return eight_looks(LOOKS[name], seed)
    if name in TWINS:
        return sorted_by_a_twin(TWINS[name])
    if name in SUMS:
        return added_by_a_twin(*SUMS[name], seed)
    if name in WINDOWS:
        return copied_in_windows(*WINDOWS[name])
    if name in DIGITS:
        heads, width = DIGITS[name]
        recipe = digits.reader(heads, d_model=width)
    elif name in LONGER:
        heads, steps = LONGER[name]
        recipe = digits.reader(heads, steps=steps)
    else:
        name, *longer = name.split(", three times as long")
        steps = dates.STEPS * (3 if longer else 1)
        recipe = dates.sibling("ablation", **OPTIONS[name](dates), steps=steps)
    model = recipe.build()
    recipe.train(model, seed=seed)
    found = recipe.measure(model)
    return round(float(found["padded"][-1] if "padded" in found else found["exact"]), 4)


def eight_looks(depth, seed):
    """Train a machine that has a query of one head for each digit; return the share of dates that it reads."""
    import keras
    import tensorflow as tf

    from clear_attention import MultiHeadAttention, create_padding_mask
    from trained import digits

    class EightLooks(digits.OneQuery):
        def build(self, input_shape=None):
            tokens = (None, None, self.d_model)
            start = keras.initializers.RandomNormal(stddev=1.0)
            self.embed_source.build()
            self.encoder.build(tokens)
            self.query = self.add_weight((1, digits.DIGITS, self.d_model), start, name="query")
            self.attention.build(tokens, tokens)
            self.project_logits.build((None, self.d_model))
            self.built = True

        def call(self, source_ids):
            mask = create_padding_mask(source_ids)
            x = self.source_positions(self.embed_source(source_ids) * self.d_model**0.5)
            queries = tf.tile(self.query, (tf.shape(x)[0], 1, 1))
            logits = self.project_logits(self.attention(queries, self.encoder(x, mask=mask), mask=mask))
            logits = tf.reshape(logits, (-1, digits.DIGITS, digits.DIGITS, 10))  # what each look says of each digit
            return tf.einsum("bllc->blc", logits)

    model = EightLooks(1, name="eight_looks")
    model.attention = MultiHeadAttention(model.d_model, 1, d_k=depth, d_v=depth, name="attention")
    model.build()
    digits.train(model, seed=seed)
    return round(float(digits.measure(model)["exact"]), 4)


def backwards(seed, norm_first, warmup, layers=12, steps=800, batch=32):
    """Train a stack of layers to write digits backwards; return the share of digits that it gets right."""
    import keras
    import numpy as np

    from clear_attention import Encoder, PositionalEncoding

    start = keras.initializers.RandomNormal(stddev=1.0)
    encoder = Encoder(layers, d_model=32, num_heads=1, d_ff=128, dropout=0.0, norm_first=bool(norm_first))
    model = keras.Sequential(
        [keras.layers.Embedding(10, 32, start), PositionalEncoding(), encoder, keras.layers.Dense(10)]
    )
    if norm_first is None:
        for layer in encoder.layers:
            for block in (layer.self_attention, layer.feed_forward):
                block.after, block.norm.trainable = added, False
    rate = keras.optimizers.schedules.PolynomialDecay(0.0, warmup, 1e-3) if warmup else 1e-3
    model.compile(keras.optimizers.Adam(rate), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    digits = np.random.default_rng(seed).integers(0, 10, (batch * steps, 8))
    model.fit(digits, digits[:, ::-1], batch_size=batch, verbose=0)
    unseen = np.random.default_rng(1000 + seed).integers(0, 10, (500, 8))
    return round(float(np.mean(np.argmax(model(unseen), axis=-1) == unseen[:, ::-1])), 4)


def sorted_by_a_twin(even):
    """Train a twin of the program `sort`, and make one of its heads even; return the share of texts that it sorts."""
    from trained.programs import RECIPES

    recipe = RECIPES["twin-sort"]
    model = recipe.build()
    recipe.train(model)
    if even is not None:
        queries = [step for step in model.steps if hasattr(step, "project_queries")][even].project_queries
        queries.set_weights([0 * weights for weights in queries.get_weights()])
    return round(float(recipe.measure(model)["texts"]), 4)


def added_by_a_twin(times, nines, seed, peak=1e-2, warmup=50):
    """Train a twin of the program `addition`; return which share of the columns left of a 9 it gets right."""
    import keras
    import numpy as np

    from trained import programs

    def answers_to(pairs):
        tokens, mask = programs.tokens_of("addition", pairs)
        return tokens, programs.answers_of("addition", tokens, mask)

    steps, model = times * programs.TASKS["addition"].steps, programs.RECIPES["twin-addition"].build()
    pairs, rng = programs.draw("addition", programs.BATCH * steps, seed), np.random.default_rng(seed)
    if nines:
        for pair in pairs[::2]:  # one of the two middle columns gets the sum 9
            ten = 10 ** rng.integers(1, 3)
            pair[1] += (9 - (pair // ten % 10).sum()) * ten
        pairs = rng.permutation(pairs)
    rate = keras.optimizers.schedules.CosineDecay(0.0, steps - warmup, warmup_target=peak, warmup_steps=warmup)
    model.compile(keras.optimizers.Adam(rate), programs.loss_of_asked, steps_per_execution=50)
    model.optimizer.build(model.trainable_variables)
    model.fit(*answers_to(pairs), batch_size=programs.BATCH, verbose=0)
    pairs = np.random.default_rng(1000).integers(0, 5000, size=(20_000, 2))
    tokens, answers = answers_to(pairs)
    is_right = np.argmax(model.predict(tokens, batch_size=2000, verbose=0), axis=-1) == np.argmax(answers, axis=-1)
    both = is_right[:, 1:5] & is_right[:, 5:9]  # a column is answered at the digit of each number
    sums = (pairs[..., None] // 10 ** np.arange(4) % 10).sum(axis=1)
    return round(float(both[:, 2:][sums[:, 1:3] == 9].mean()), 4)


def copied_in_windows(window, layers, steps=2000, period=20):
    """Train the machine that copies, each layer with a window; return which share of letters it copies rightly."""
    from trained import language

    sizes = language.SMALL | {"num_layers": layers}
    recipe = language.recipe("copies", language.repeats, sizes, steps, 32, 5e-3, language.measure_repeats)
    model = recipe.build()
    for layer in model.stack.layers:
        layer.self_attention.attention.window = window
    recipe.train(model)
    return round(float(recipe.measure(model)["right_by_place"][period:].mean()), 4)


def added(x, found, training=None):
    return x + found


OPTIONS = {  # what a sibling of the date machine is made of
    "whole": lambda dates: {},
    "one head": lambda dates: {"num_heads": 1},
    "no feed-forward": lambda dates: {"kind": dates.NoFeedForward},
    "encoder averages": lambda dates: {"kind": dates.EncoderAverages},
    "cross-attention averages": lambda dates: {"kind": dates.CrossAverages},
    "both average": lambda dates: {"kind": dates.NoAttention},
    "no positions": lambda dates: {"kind": dates.NoPositions},
    "no residual": lambda dates: {"kind": dates.NoResidual},
    "no warm-up": lambda dates: {"warmup": 1},
    "beta_2 of 0.999": lambda dates: {"beta_2": 0.999},
    "no factor": lambda dates: {"kind": dates.NoFactor},
    "larger nudges": lambda dates: {"peak": 1e-2},
    "larger nudges, no warm-up": lambda dates: {"peak": 1e-2, "warmup": 1},
    "larger nudges, ten steps of warm-up": lambda dates: {"peak": 1e-2, "warmup": 10},
    "cap of 5": lambda dates: {"attention": lambda: capped(5.0)},
    "cap of 3": lambda dates: {"attention": lambda: capped(3.0)},
    "a counter": lambda dates: {"kind": numbered(lambda places: places)},
    "a fraction": lambda dates: {"kind": numbered(lambda places: places / places[-1])},
    "a fraction, rows of 40": lambda dates: {"kind": numbered(lambda places: places / places[-1]), "paddings": (40,)},
}


def numbered(number):
    """Return a Transformer that adds to each letter of the text one number, which is made of its place."""
    import tensorflow as tf

    from clear_attention import PositionalEncoding, Transformer

    class Line(PositionalEncoding):
        def encoding_of(self, x):
            return number(tf.range(tf.shape(x)[-2], dtype="float32"))[:, tf.newaxis]

    class Numbered(Transformer):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.source_positions = Line(name="source_positions")

    return Numbered


def capped(softcap):
    return {name: {"softcap": softcap} for name in ("self_attention", "cross_attention")}


if __name__ == "__main__":
    main()

"""Whole models: a training step of the date Transformer, and decoding with and without a cache."""

from __future__ import annotations

import time

import keras
import numpy as np
import tensorflow as tf

from benchmarks.keras_transformer import keras_language_model, keras_transformer
from benchmarks.timing import by_turns
from clear_attention import LanguageModel, Transformer, create_date_pairs, date_tokenizers, greedy_search

BATCH, STEPS = 64, 16
MODELS = {"lesson": (1, 64, 4, 256), "larger": (2, 128, 8, 512)}  # layers, d_model, heads, d_ff
LANGUAGE, CONTEXT = (2, 128, 4, 512, 259), 64  # as in the lesson, and its vocabulary; tokens
GENERATED = 64  # tokens
PROMPT = 64


class Stopwatch(keras.callbacks.Callback):
    """Time an epoch from within: after it `fit` may wait as long again for a thread that tunes tf.data."""

    def on_epoch_begin(self, epoch, logs=None):
        self.start = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        self.seconds = time.perf_counter() - self.start


def training(name):
    """Make contenders that each train for STEPS steps with the default `fit` and return the seconds of a step.

    The third is Keras's model without its attention: nobody's attention, however quick, makes a step quicker than that.
    """
    x, y, make = language_models() if name == "language model" else date_models(name)
    makes = {
        "clear-attention": lambda: make(ours=True),
        "Keras layers": make,
        "all but attention": lambda: make(attends=False),
    }
    models = {who: make_one() for who, make_one in makes.items()}
    calls = {who: epochs(model, x, y) for who, model in models.items()}
    for call in calls.values():
        call()  # traces, and builds Keras's model
    assert models["clear-attention"].count_params() == models["Keras layers"].count_params()
    return calls


def date_models(name):
    source_tokenizer, target_tokenizer = date_tokenizers()
    sources, targets = create_date_pairs(BATCH * STEPS)
    x, y = source_tokenizer.encode(sources, length=34), target_tokenizer.encode(targets)
    sizes = (*MODELS[name], source_tokenizer.vocab_size, target_tokenizer.vocab_size)

    def make(ours=False, **options):
        if ours:
            return Transformer(*sizes, dropout=0.0)
        return keras_transformer(*sizes, x.shape[1], y.shape[1], **options)

    return (x, y[:, :-1]), y[:, 1:], make


def language_models():
    """Make models of the lesson's size; with waves as positions, since Keras has none that turn."""
    ids = np.random.default_rng(0).integers(3, 259, (BATCH * STEPS, CONTEXT + 1))

    def make(ours=False, **options):
        if ours:
            return LanguageModel(*LANGUAGE, positions="sinusoidal", dropout=0.0, end_id=None)
        return keras_language_model(*LANGUAGE, CONTEXT, **options)

    return ids[:, :-1], ids[:, 1:], make


def epochs(model, x, y):
    """Return a function that trains for an epoch and returns the seconds of a step."""
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(1e-4, beta_2=0.98), loss)
    watch = Stopwatch()

    def epoch():
        model.fit(x, y, batch_size=BATCH, verbose=0, callbacks=[watch])
        return watch.seconds / STEPS

    return epoch


def decoding(batch):
    """Make contenders that each write GENERATED tokens, and check that all write the same."""
    keras.utils.set_random_seed(0)
    model = Transformer(*MODELS["larger"], 60, 20, dropout=0.0)
    model.build()
    model.project_logits.bias.assign(tf.where(tf.range(20) == model.end_id, -1e9, 0.0))  # it never ends
    sources = tf.constant(np.random.default_rng(0).integers(3, 60, (batch, 34)), tf.int32)

    @tf.function(autograph=False)
    def without_cache(sources):
        context = model.encode(sources).output
        mask = model.source_mask(sources)
        begun = tf.fill((batch, 1), model.start_id)
        return gone_on(model, begun, lambda ids: model.decode(ids, context, mask).output)

    return three_ways(model, sources, without_cache)


def writing(batch):
    """Make contenders that go on with prompts of a language model, and check that all write the same."""
    keras.utils.set_random_seed(0)
    model = LanguageModel(*LANGUAGE, dropout=0.0, end_id=None)  # that of the lesson
    prompts = tf.constant(np.random.default_rng(0).integers(3, 259, (batch, PROMPT)), tf.int32)
    model(prompts)

    @tf.function(autograph=False)
    def without_cache(prompts):
        return gone_on(model, prompts, lambda ids: model(ids, positions=tf.range(PROMPT + GENERATED)))

    return three_ways(model, prompts, without_cache)


def gone_on(model, begun, logits_of):
    """Write GENERATED tokens after those that stand there, and compute all logits anew for each."""
    length = begun.shape[1] + GENERATED

    def longer(place, ids):
        logits = logits_of(ids)[:, place]  # (batch, vocab)
        said = tf.range(logits.shape[-1])
        never = (said == model.pad_id) | (said == model.start_id)
        token = tf.argmax(tf.where(never, -np.inf, logits), axis=-1, output_type=tf.int32)
        return place + 1, tf.where(tf.range(length) == place + 1, token[:, tf.newaxis], ids)

    start = tf.pad(begun, [[0, 0], [0, GENERATED]], constant_values=3)  # what comes later is not seen
    first = begun.shape[1] - 1
    return tf.while_loop(lambda place, _: place < length - 1, longer, (first, start))[1][:, first + 1 :]


def three_ways(model, ids, without_cache):
    """Return the contenders, after a check that all of them write the same."""
    calls = {
        "cache and XLA": lambda: greedy_search(model, ids, GENERATED),
        "cache": lambda: greedy_search(model, ids, GENERATED, jit_compile=False),
        "no cache": lambda: without_cache(ids),
    }
    written = [call().numpy() for call in calls.values()]
    assert all(np.array_equal(written[0], said) for said in written), "the three ways disagree"
    return calls


def training_row(name, seconds):
    times, thrown = by_turns(training(name), seconds, timed_within=True)
    return {"model": name, "times_ms": times, "thrown": thrown}


def decoding_row(batch, seconds):
    times, thrown = by_turns(decoding(batch), seconds)
    return {"batch": batch, "tokens": GENERATED, "times_ms": times, "thrown": thrown}


def writing_row(batch, seconds):
    times, thrown = by_turns(writing(batch), seconds)
    return {"batch": batch, "prompt": PROMPT, "tokens": GENERATED, "times_ms": times, "thrown": thrown}

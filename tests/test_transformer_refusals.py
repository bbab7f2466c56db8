"""The Transformer's refusals: options, ids and calls, eager, in a graph and in fit."""

import functools

import numpy as np
import pytest
import tensorflow as tf
from test_transformer import LABELS, SIZES, SOURCE, TARGET, shared, trained

from clear_attention import Transformer


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"num_heads": 5}, ValueError, "must divide d_model.*num_heads=5"),
        ({"num_layers": 0}, ValueError, "num_layers=0"),
        ({"d_model": 24.0}, TypeError, r"d_model=24\.0"),
        ({"source_vocab": 0}, ValueError, "source_vocab=0"),
        ({"target_vocab": "many"}, TypeError, "target_vocab='many'"),
        ({"dropout": 1.0}, ValueError, r"dropout=1\.0"),
        ({"start_id": 0}, ValueError, r"different ids.*\[0, 19\).*pad_id=0, start_id=0, end_id=2"),
        ({"end_id": 19}, ValueError, r"different ids.*\[0, 19\).*end_id=19"),
        ({"pad_id": -1}, ValueError, "pad_id=-1"),
        ({"end_id": None}, TypeError, "end_id=None"),
        ({"target_vocab": 2}, ValueError, r"\[0, 2\)"),
        ({"pad_id": 18, "source_vocab": 17}, ValueError, "pad_id=18"),
    ],
)
def test_bad_options_are_refused_in_words(options, error, words):
    with pytest.raises(error, match=words):
        Transformer(**{**SIZES, **options})


BAD_IDS = {
    "source_ids are positions in a vocabulary of 17 ids": [(SOURCE + 1, TARGET), (SOURCE - 1, TARGET)],
    "target_ids are positions in a vocabulary of 19 ids": [(SOURCE, TARGET + (np.arange(5) == 1)), (SOURCE, -TARGET)],
    "A target begins with the start id": [(SOURCE, TARGET[:, 1:]), (SOURCE, TARGET * [[1], [1], [0]])],
}


@functools.cache
def graph():
    """Return the model as one graph for ids of all lengths."""
    return tf.function(lambda s, t: shared()(s, t), [tf.TensorSpec((None, None), tf.int32)] * 2)


@pytest.mark.parametrize(("sentence", "ids"), [(s, ids) for s, pairs in BAD_IDS.items() for ids in pairs])
def test_bad_ids_are_refused_in_the_same_words_everywhere(sentence, ids):
    with pytest.raises(ValueError, match=sentence):
        shared()(*ids)
    with pytest.raises(tf.errors.InvalidArgumentError, match=sentence):
        graph()(*(tf.constant(i, tf.int32) for i in ids))


def test_bad_ids_are_refused_in_fit_too():
    for sentence, ((source, target), _) in BAD_IDS.items():
        labels = LABELS[:, : target.shape[1]]
        with pytest.raises(tf.errors.InvalidArgumentError, match=sentence):
            trained()[0].fit((source, target), labels, batch_size=3, verbose=0)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m: m(SOURCE), TypeError, r"Transformer\(source_ids, target_ids\).*one ndarray"),
        (lambda m: m((SOURCE, TARGET, TARGET)), TypeError, "one tuple"),
        (lambda m: m(SOURCE, TARGET[:, :0]), ValueError, r"at least one token.*target_ids.shape=\(3, 0\)"),
        (lambda m: m(SOURCE[:, :0], TARGET), ValueError, r"at least one token.*source_ids.shape=\(3, 0\)"),
        (lambda m: m(SOURCE[0], TARGET), ValueError, r"source_ids of integers.*source_ids.shape=\(7,\)"),
        (lambda m: m(SOURCE, TARGET[..., None]), ValueError, r"target_ids.shape=\(3, 5, 1\)"),
        (lambda m: m(SOURCE.astype(float), TARGET), TypeError, "source_ids.dtype=float"),
        (lambda m: m(SOURCE, TARGET == 1), TypeError, "target_ids.dtype=bool"),
        (lambda m: m(SOURCE, "text"), TypeError, "'text'"),
        (
            lambda m: m(SOURCE[:2], TARGET),
            ValueError,
            r"same number of sentences.*batch of 3.*source_ids.shape=\(2, 7\)",
        ),
        (lambda m: m(None, TARGET), TypeError, "source_ids=None"),
        (lambda m: m(SOURCE, TARGET, return_weights="x"), TypeError, "return_weights='x'"),
    ],
)
def test_bad_calls_are_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call(shared())

"""The refusals of ids, texts and dates, in the same voice as `_checks`."""

from __future__ import annotations

import datetime

import numpy as np
import tensorflow as tf

from clear_attention._checks import integer, shapes, token_ids
from clear_attention._refusal import refusal, shown


def special_ids(source_vocab, vocab, **ids):
    """Return ids that stand for something else than a word: three different ones; sources are padded too."""
    ids = {name: integer(name, value) for name, value in ids.items()}
    received = ", ".join(f"{name}={value}" for name, value in ids.items())
    if ids["pad_id"] >= source_vocab:
        law = "Sources and targets are padded with the same id."
        raise ValueError(refusal(law, f"pad_id in [0, {min(source_vocab, vocab)})", received))
    if len(set(ids.values())) < len(ids) or not all(0 <= value < vocab for value in ids.values()):
        law = "The special ids are different ids of the target vocabulary."
        raise ValueError(refusal(law, f"{len(ids)} different ids in [0, {vocab})", received))
    return ids.values()


def pair(name, first, second):
    """Return source and target ids, given one after the other or, as `fit` does, as one pair."""
    if second is not None:
        first = first, second
    if not isinstance(first, (tuple, list)) or len(first) != 2:
        law = f"{name} is called with source and target ids."
        received = f"one {type(first).__name__}"
        raise TypeError(refusal(law, f"{name}(source_ids, target_ids), or the two as one pair", received))
    for ids, what in zip(first, ("source_ids", "target_ids"), strict=True):
        if ids is None or isinstance(ids, str):
            token_ids(ids, what)  # refuses it; Keras would in its own words
    return first


def whole_in_graphs(name, ids):
    """Give ids as integers in a graph: Keras averages a first batch over devices, which makes floats of it."""
    if hasattr(ids, "numpy") or not ids.dtype.is_floating:
        return ids  # floats are refused in words, where they can be read
    received = f"{name} holding fractions, {name}.dtype={ids.dtype.name}"
    sentence = refusal(f"{name} are positions in a vocabulary.", f"{name} of integers", received)
    with tf.control_dependencies([tf.debugging.Assert(tf.reduce_all(ids == tf.round(ids)), [sentence])]):
        return tf.cast(ids, tf.int32)


def vocabulary_ids(name, ids, vocab):
    ids = token_ids(ids, name)
    if ids.shape.rank == 2 and ids.shape[1] == 0:
        raise ValueError(refusal(f"{name} need at least one token.", "a length of at least 1", shapes(**{name: ids})))
    law = f"{name} are positions in a vocabulary of {vocab} ids."
    wide = tf.cast(ids, tf.int64)  # in 8 bits a large vocabulary would wrap around
    strange = (wide < 0) | (wide >= vocab)
    return ids_without(strange, law, f"{name} in [0, {vocab})", name, ids)


def begins_with(start_id, ids):
    law = "A target begins with the start id, which shifts it: else each token would be given what it has to predict."
    expected = f"target_ids[:, 0] equal to start_id={start_id}"
    return ids_without(tf.cast(ids[:, :1], tf.int64) != start_id, law, expected, "target_ids", ids)


def ids_without(strange, law, expected, name, ids):
    """Refuse ids in words; in a graph by an assertion that says the same, since values can't be read there."""
    if hasattr(ids, "numpy"):
        strange = strange.numpy()
        if strange.any():
            found = ids.numpy()[:, : strange.shape[1]][strange][0]
            raise ValueError(refusal(law, expected, f"{name} holding {found}, {shapes(**{name: ids})}"))
        return ids
    sentence = refusal(law, expected, f"{name} holding others, {shapes(**{name: ids})}")
    with tf.control_dependencies([tf.debugging.Assert(~tf.reduce_any(strange), [sentence])]):
        return tf.identity(ids)


def iso_date(value, first, last):
    law, expected = f"A date is an ISO date from {first.year} to {last.year}.", "such as '2018-05-03'"
    if not isinstance(value, str):
        raise TypeError(refusal(law, expected, f"date={shown(value, with_type=True)}"))
    try:
        date = datetime.date.fromisoformat(value)
    except ValueError:
        date = None
    if date is None or not first <= date <= last:
        raise ValueError(refusal(law, expected, f"date={shown(value)}"))
    return date


def characters(value):
    law = "characters are a text in which each character occurs once."
    if not isinstance(value, str):
        raise TypeError(refusal(law, "such as '0123456789-'", f"characters={shown(value)}"))
    if not value or len(set(value)) < len(value):
        raise ValueError(refusal(law, "such as '0123456789-'", f"characters={shown(value)}"))
    return value


def texts(values, known):
    law = "The tokenizer takes a list of texts made of its own characters."
    expected = f"texts of the characters {''.join(known)!r}"
    if not isinstance(values, (list, tuple, np.ndarray)) or not all(isinstance(text, str) for text in values):
        raise TypeError(refusal(law, f"a list of {expected}", f"texts={shown(values)}"))
    if not len(values):
        raise ValueError(refusal(law, f"a list of at least one text of the characters {''.join(known)!r}", "texts=[]"))
    for text in values:
        if strange := [c for c in text if c not in known]:
            raise ValueError(refusal(law, expected, f"{strange[0]!r} in {shown(text)}"))
    return values


def long_enough(length, longest):
    law = "Texts are padded to one length, and nothing is cut off."
    if longest == 0:
        nothing = "There is nothing to number in texts without a character."
        raise ValueError(refusal(nothing, "at least one character in one of the texts", "empty texts"))
    if length is None:
        return longest
    if integer("length", length) < longest:
        raise ValueError(refusal(law, f"length >= {longest}, that of the longest text", f"length={length}"))
    return length


def is_transformer(value):
    if not all(hasattr(value, name) for name in ("encode", "decoder", "project_logits", "start_id", "end_id")):
        law = "Generation takes the parts of a Transformer one by one."
        raise TypeError(refusal(law, "a clear_attention.Transformer", f"a {type(value).__name__}"))

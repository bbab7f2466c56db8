"""What must be ids of a vocabulary, and who makes them.

In a graph their values can't be read: there an assertion checks them, which says the same words.
"""

from __future__ import annotations

import tensorflow as tf

from clear_attention._checks.numbers import integer
from clear_attention._checks.sentence import refusal
from clear_attention._checks.tensors import equal, shapes, tensor


def token_ids(ids, name="token_ids"):
    what = "number documents" if name == "segment_ids" else "are positions in a vocabulary"
    expected = f"{name} of integers, of shape (batch, length)"
    ids = tensor(name, ids, expected)
    if not ids.dtype.is_integer:
        law = f"{name} {what}, so they are integers."
        raise TypeError(refusal(law, expected, f"{name}.dtype={ids.dtype.name}, {shapes(**{name: ids})}"))
    if ids.shape.rank not in (2, None):
        law = f"{name} must hold one row of tokens for each sentence of the batch."
        raise ValueError(refusal(law, expected, shapes(**{name: ids})))
    return ids


def equal_to(one, ids):
    """Tell where ids are equal to one, which may be larger than their dtype can say: there it would wrap around."""
    if tf.is_tensor(one):
        return tf.cast(ids, tf.int64) == tf.cast(one, tf.int64)
    if not ids.dtype.min <= one <= ids.dtype.max:
        return tf.zeros_like(ids, tf.bool)
    return ids == tf.constant(one, ids.dtype)


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


def source_and_target(name, first, second):
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
    """Return ids as integers in a graph: Keras averages a first batch over devices, which makes floats of it."""
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


def is_transformer(value):
    if not all(hasattr(value, name) for name in ("encode", "decoder", "project_logits", "start_id", "end_id")):
        law = "Generation takes the parts of a Transformer one by one."
        raise TypeError(refusal(law, "a clear_attention.Transformer", f"a {type(value).__name__}"))


def documents_fit(segment_ids, q, k):
    """Return which document each key belongs to, with an axis of 1 for each axis between batch and length."""
    ids = token_ids(segment_ids, "segment_ids")
    expected = (
        f"segment_ids of shape (batch, key_length), here {(q.shape[0], k.shape[-2])}, and no more queries than keys"
    )
    fits = q.shape.rank > 2 and equal(ids.shape[0], q.shape[0]) and equal(ids.shape[1], k.shape[-2])
    if not fits or (None not in (q.shape[-2], k.shape[-2]) and q.shape[-2] > k.shape[-2]):
        law = "segment_ids say for each key which document it belongs to; the last query stands on the last key."
        raise ValueError(refusal(law, expected, shapes(segment_ids=ids, q=q, k=k)))
    return tf.reshape(ids, (tf.shape(ids)[0], *[1] * (q.shape.rank - 3), tf.shape(ids)[1]))

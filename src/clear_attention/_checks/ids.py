"""What must be ids of a vocabulary, and who makes them.

In a graph their values can't be read: there an assertion checks them, which says the same words.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from clear_attention._checks.numbers import integer
from clear_attention._checks.sentence import refusal, shown
from clear_attention._checks.tensors import equal, shape_of, shapes, tensor


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
    return different_ids("target vocabulary", vocab, ids)


def special_ids_of_one(vocab, **ids):
    """Return the special ids of a model with one vocabulary, whose texts need not end."""
    given = {name: integer(name, value) for name, value in ids.items() if name != "end_id" or value is not None}
    different_ids("vocabulary", vocab, given)
    return [given.get(name) for name in ids]


def different_ids(where, vocab, ids):
    if len(set(ids.values())) < len(ids) or not all(0 <= value < vocab for value in ids.values()):
        law = f"The special ids are different ids of the {where}."
        received = ", ".join(f"{name}={value}" for name, value in ids.items())
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


def two_tokens(name, ids):
    if ids.shape[1] == 1:
        law = "A token is predicted from those before it, so a text has at least two."
        raise ValueError(refusal(law, "a length of at least 2", shapes(**{name: ids})))
    return ids


def of_the_same_tokens(segment_ids, ids):
    """Return the documents of tokens, one number for each token."""
    segment_ids = token_ids(segment_ids, "segment_ids")
    if not all(equal(a, b) for a, b in zip(segment_ids.shape, ids.shape, strict=True)):
        law = "segment_ids say for each token which document it belongs to."
        raise ValueError(refusal(law, f"segment_ids of shape {shape_of(ids)}", shapes(segment_ids=segment_ids)))
    return segment_ids


def learned_positions(positions, real, max_length):
    """Return positions of a table; those of padding, whose vector nobody sees, may lie behind its end."""
    law = f"This model has learned {max_length} positions."
    strange = real & ((positions < 0) | (positions >= max_length))  # (batch, length)
    positions = tf.broadcast_to(positions, tf.shape(real))
    positions = ids_without(strange, law, f"positions in [0, {max_length})", "positions", positions)
    return tf.clip_by_value(positions, 0, max_length - 1)


def is_model(value):
    """Refuse what is neither a Transformer nor a language model."""
    parts_of_transformer = ("encode", "decoder", "project_logits", "start_id", "end_id")
    if not all(hasattr(value, name) for name in parts_of_transformer) and not has_one_text(value):
        law = "Generation takes the parts of a Transformer or of a language model one by one."
        expected = "a clear_attention.Transformer or a clear_attention.LanguageModel"
        raise TypeError(refusal(law, expected, f"a {type(value).__name__}"))


def is_language_model(value):
    if not has_one_text(value):
        law = "What a text costs is asked of a model that predicts each of its tokens."
        raise TypeError(refusal(law, "a clear_attention.LanguageModel", f"a {type(value).__name__}"))


def has_one_text(value):
    """Tell a language model, which goes on with a text, from a Transformer, which has a source and a target."""
    return all(hasattr(value, name) for name in ("create_cache", "vocab", "pad_id", "start_id", "end_id"))


def prompts(name, ids, pad_id):
    """Return prompts, each of which ends with its last token, not with padding."""
    columns = tf.range(tf.shape(ids)[1])
    strange = equal_to(pad_id, ids) & (columns == columns[-1])
    law = "Prompts are padded on the left, so that each of them ends where its continuation begins."
    return ids_without(strange, law, f"{name}[:, -1] other than pad_id={pad_id}", name, ids)


def places_enough(model, ids, max_length):
    """Refuse more tokens than there are learned positions; in a graph the model's own assertion does."""
    if getattr(model, "max_length", None) is None or not hasattr(ids, "numpy"):
        return
    longest = int(np.max(np.sum(ids.numpy() != model.pad_id, axis=1)))
    if longest + max_length - 1 > model.max_length:  # the last token that is said goes in nowhere
        law = f"This model has learned {model.max_length} positions."
        expected = f"max_length <= {model.max_length - longest + 1} for prompts of {longest} tokens"
        raise ValueError(refusal(law, expected, f"max_length={max_length}"))


def to_be_drawn(name, ids):
    """Refuse ids of a graph: the numbers that decide what is drawn are made before it."""
    if not hasattr(ids, "numpy"):
        law = "Chance is drawn before a graph begins, so that it is the same everywhere."
        raise TypeError(refusal(law, "a call outside of tf.function", f"{name} of a graph"))
    return ids


def stopping_ids(stop_ids, vocab):
    if not isinstance(stop_ids, (list, tuple, set, frozenset, np.ndarray)):
        law = "stop_ids are the ids after which a text ends."
        raise TypeError(refusal(law, "a list of ids", f"stop_ids={shown(stop_ids, with_type=True)}"))
    stop_ids = [integer(f"stop_ids[{i}]", value) for i, value in enumerate(stop_ids)]
    if not all(0 <= value < vocab for value in stop_ids):
        law = f"stop_ids are positions in a vocabulary of {vocab} ids."
        raise ValueError(refusal(law, f"stop_ids in [0, {vocab})", f"stop_ids={shown(stop_ids)}"))
    return stop_ids


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

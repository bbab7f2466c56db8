"""Refuse a cache of keys and values that does not fit."""

from __future__ import annotations

import tensorflow as tf

from clear_attention._checks.sentence import refusal, shown
from clear_attention._checks.tensors import shape_of, shapes


def cache_fits(cache, layer, x):
    """Refuse a cache that another layer made, or that is for other sentences."""
    if cache is None:
        return
    if getattr(type(cache), "_fields", ())[:3] != ("keys", "values", "blocked"):
        law = "A cache holds the keys and values of the tokens so far."
        expected = "what create_cache returned, or what the last call returned"
        raise TypeError(refusal(law, expected, f"cache={shown(cache, with_type=True)}"))
    if x.shape[1] == 0:
        raise ValueError(refusal("A piece of a text has at least one token.", "a length of at least 1", shapes(x=x)))
    for name, depth in {"keys": layer.d_k, "values": layer.d_v}.items():
        kept, batch = getattr(cache, name), x.shape[0]
        known = kept.shape.rank == 4
        other_batch = known and None not in (kept.shape[0], batch) and kept.shape[0] != batch
        if not known or other_batch or (kept.shape[1], kept.shape[3]) != (layer.num_heads, depth):
            law = f"The {name} of a cache are those of this layer, for the sentences of this batch."
            expected = f"cache.{name} of shape ({batch}, {layer.num_heads}, capacity, {depth})"
            raise ValueError(refusal(law, expected, f"cache.{name}.shape={shape_of(kept)}"))


def room_in_cache(length, more, capacity):
    """Return how many places are filled, refusing more tokens than there is room for; in a graph by an assertion."""
    law = "A cache has room for as many tokens as it was made for."
    expected = f"create_cache with a capacity of all tokens together, not of {capacity}"
    if hasattr(length, "numpy") or (isinstance(more, int) and capacity is not None and more > capacity):
        kept = int(length) if hasattr(length, "numpy") else 0
        if kept + more > capacity:
            raise ValueError(refusal(law, expected, f"{kept} kept tokens and {more} more"))
        return length
    if capacity is None:
        return length
    sentence = refusal(law, expected, "more tokens")
    with tf.control_dependencies([tf.debugging.Assert(length + more <= capacity, [sentence])]):
        return tf.identity(length)

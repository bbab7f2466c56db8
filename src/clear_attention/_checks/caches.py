"""Refuse a cache of keys and values that does not fit."""

from __future__ import annotations

from collections.abc import Mapping

import tensorflow as tf

from clear_attention._checks.sentence import refusal, shown
from clear_attention._checks.tensors import shape_of, shapes


def known_cache(cache, *kinds):
    """Return a cache as one of these kinds; a model that comes back from a file has lists in their place."""
    if isinstance(cache, kinds):
        return cache
    for kind in kinds:
        if type(cache) in (list, tuple) and len(cache) == len(kind._fields):
            return kind(*cache)
    names = " or ".join(f"a {kind.__name__}" for kind in kinds)
    law = "A cache is what create_cache of the same layer returned, or what the last call returned."
    raise TypeError(refusal(law, names, f"cache={type(cache).__name__}"))


def caches_by_name(cache, names):
    """Return the caches of the parts of a layer; None for each of them if there is no cache."""
    if cache is None:
        return dict.fromkeys(names)
    if not isinstance(cache, Mapping) or set(cache) != set(names):
        law = "A cache is what create_cache of the same layer returned, or what the last call returned."
        received = f"a dict of {', '.join(map(str, cache))}" if isinstance(cache, Mapping) else shown(cache)
        raise TypeError(refusal(law, f"a dict of {', '.join(names)}", f"cache={received}"))
    return cache


def cache_fits(cache, layer, queries, mask):
    """Refuse a cache of other heads, depths or sentences, and a mask that does not know of it."""
    if queries.shape[1] == 0:
        law = "A piece of a text has at least one token."
        raise ValueError(refusal(law, "a length of at least 1", shapes(queries=queries)))
    for name, depth in {"keys": layer.d_k, "values": layer.d_v}.items():
        kept, batch = getattr(cache, name), queries.shape[0]
        known = kept.shape.rank == 4
        other_batch = known and None not in (kept.shape[0], batch) and kept.shape[0] != batch
        if not known or other_batch or (kept.shape[1], kept.shape[3]) != (layer.num_key_value_heads, depth):
            law = f"The {name} of a cache are those of this layer, for the sentences of this batch."
            expected = f"cache.{name} of shape ({batch}, {layer.num_key_value_heads}, capacity, {depth})"
            raise ValueError(refusal(law, expected, f"cache.{name}.shape={shape_of(kept)}"))
    columns, capacity = getattr(mask, "shape", ())[-1:], cache.keys.shape[2]
    if tuple(columns) == (1,) and capacity != 1:
        law = "With a cache a mask has a column for each of its places, those of earlier and later pieces too."
        expected = f"mask of shape (..., query_length, {capacity})"
        raise ValueError(refusal(law, expected, f"mask.shape={tuple(mask.shape)}"))


def no_documents_in_cache(segment_ids, cache):
    if segment_ids is not None and cache is not None:
        law = "Documents are packed to train on them; a cache holds one text in each row."
        raise ValueError(refusal(law, "segment_ids or a cache", "both"))


def same_context(cache, keys):
    """Refuse a context of another length than the one that was kept."""
    kept, length = cache.keys.shape[2], keys.shape[1]
    if None not in (kept, length) and kept != length:
        law = "A layer is called with the context that its cache was made of, which is not read again."
        raise ValueError(refusal(law, f"a context of {kept} tokens", f"{length} tokens"))


def room_in_cache(length, more, capacity):
    """Return how many places are filled, refusing more tokens than there is room for; in a graph by an assertion."""
    law = "A cache has room for as many tokens as it was made for."
    expected = "create_cache with a capacity of all tokens together"
    if isinstance(capacity, int):
        expected += f", not of {capacity}"
    if hasattr(length, "numpy") and isinstance(more, int) and isinstance(capacity, int):
        kept = int(length)
        if kept + more > capacity:
            raise ValueError(refusal(law, expected, f"{kept} kept tokens and {more} more"))
        return length
    sentence = refusal(law, expected, "more tokens")
    with tf.control_dependencies([tf.debugging.Assert(length + more <= capacity, [sentence])]):
        return tf.identity(length)

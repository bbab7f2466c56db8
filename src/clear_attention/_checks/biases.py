"""What is added to scores: a bias that fits them, one number for each distance, buckets that can be filled."""

from __future__ import annotations

import tensorflow as tf

from clear_attention._checks.numbers import positive
from clear_attention._checks.sentence import refusal, shown
from clear_attention._checks.tensors import equal, float_tensor, shapes


def score_rules(q, k, bias, softcap, sink):
    """Convert what else goes into the scores: a bias to a tensor, or one for distances to one of tensors."""
    softcap = None if softcap is None else positive("softcap", softcap)
    if sink is not None:
        sink = float_tensor("sink", sink)
        fits("sink", sink, (*q.shape[:-1], 1) if q.shape.rank else None, q, k, "A sink is one more score of each query")
        sink = tf.cast(tf.reshape(sink, (1,)) if sink.shape.rank == 0 else sink, wide(q.dtype))
    if bias is None:
        return None, softcap, sink
    scores = None if None in (q.shape.rank, k.shape.rank) else (*q.shape[:-1], k.shape[-2])
    if hasattr(bias, "values") and hasattr(bias, "_fields"):
        values = float_tensor("bias.values", bias.values)
        if scores is not None:
            number = None if None in scores[-2:] else scores[-2] + scores[-1] - 1
            law = "A bias by distance has one number for each distance of a key from a query"
            fits("bias.values", values, (*scores[:-2], number), q, k, law, every=True)
        return bias._replace(values=tf.cast(values, wide(q.dtype))), softcap, sink
    bias = float_tensor("bias", bias)
    fits("bias", bias, scores, q, k, "A bias is added to the scores (..., query_length, key_length)")
    return tf.cast(bias, wide(q.dtype)), softcap, sink


def wide(dtype):
    """Return the type that scores are computed in."""
    return tf.float32 if dtype.size < 4 else dtype


def fits(name, x, expected, q, k, law, every=False):
    """Refuse what doesn't broadcast to `expected`, or would enlarge it; `every` asks for the last axis as it is."""
    if expected is None or x.shape.rank is None:
        return
    pairs = enumerate(zip(reversed(x.shape), reversed(expected), strict=False))
    fitting = all(equal(a, b) or (a == 1 and (axis or not every)) for axis, (a, b) in pairs)
    if fitting and every <= x.shape.rank <= len(expected):
        return
    law += ": compared from the last axis backwards, each axis is 1 or that size."
    if every:
        law = law.replace("each axis is 1 or that size", "each axis but the last may be 1")
    if name == "sink" and x.shape.rank == 1:
        law += " One for each head is sink[:, None, None]."
    raise ValueError(refusal(law, f"{name} that broadcasts to {tuple(expected)}", shapes(**{name: x}, q=q, k=k)))


def distances_fit(values, query_length, key_length):
    """Refuse another number of values than of distances."""
    if values.shape[-1] is None or tf.is_tensor(query_length) or tf.is_tensor(key_length):
        return
    number = query_length + key_length - 1
    if values.shape[-1] != number:
        law = "Between queries and keys there are query_length + key_length - 1 distances, and each has a number."
        received = f"values.shape={tuple(values.shape)}, query_length={query_length}, key_length={key_length}"
        raise ValueError(refusal(law, f"values of shape (..., {number})", received))


def has_buckets(num_buckets, max_distance, bidirectional):
    """Return how many buckets there are for one side, and how many of them hold a single distance."""
    per_side = num_buckets // 2 if bidirectional else num_buckets
    if (bidirectional and num_buckets % 2) or per_side < 2:
        law = "Half of the buckets of each side hold one distance each, the other half the larger distances."
        expected = "an even num_buckets >= 4" if bidirectional else "num_buckets >= 2"
        raise ValueError(refusal(law, expected, f"num_buckets={num_buckets}, bidirectional={bidirectional}"))
    exact = per_side // 2
    if max_distance <= exact:
        law = "max_distance is where the last bucket ends, beyond those with one distance each."
        raise ValueError(refusal(law, f"max_distance > {exact}", f"max_distance={max_distance}"))
    return per_side, exact


def built_for(bias, num_heads):
    if bias.num_heads != num_heads:
        law = "A bias has numbers for each head, so the layers that share it have equally many."
        raise ValueError(refusal(law, f"num_heads={bias.num_heads}", f"num_heads={num_heads}"))


def positions_and_bias_fit(layer, positions, bias):
    """Refuse what nothing would read, and two biases where there is room for one."""
    if positions is not None and layer.rotary is None:
        law = "positions are for rotary positions, and this layer has none."
        raise ValueError(refusal(law, "rotary=RotaryPositions() when the layer is made", "positions"))
    if bias is not None and layer.position_bias is not None:
        law = "This layer makes its bias itself, from distances."
        raise ValueError(refusal(law, "no bias, or a layer without position_bias", "bias and position_bias"))


def one_sequence(layer):
    """Refuse a context for a layer that knows positions, which relate the tokens of one sequence."""
    if any(part is not None for part in (layer.rotary, layer.position_bias, layer.window)):
        law = "Rotary positions, a bias by distance and a window relate the tokens of one sequence."
        raise ValueError(refusal(law, "a layer without rotary, position_bias and window", "a context to be kept"))


def known_part(name, part, kind, example):
    """Return an object of this kind, or None."""
    if part is not None and not isinstance(part, kind):
        law = f"{name} is an object that belongs to the layer."
        raise TypeError(refusal(law, f"None or {example}", f"{name}={shown(part, with_type=True)}"))
    return part

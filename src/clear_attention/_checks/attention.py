"""What attention is called with: q, k and v that fit together, and a mask that fits them."""

from __future__ import annotations

import tensorflow as tf

from clear_attention._checks.masks import mask_fits, mask_tensor
from clear_attention._checks.numbers import size
from clear_attention._checks.sentence import refusal
from clear_attention._checks.tensors import equal, float_tensor, shapes


def attention_inputs(q, k, v, mask=None, grouped=False):
    """Convert q, k and v to tensors that fit together, and the mask to a bool one that fits them, or None."""
    q, k, v = float_tensor("q", q), float_tensor("k", k), float_tensor("v", v)
    if not q.dtype == k.dtype == v.dtype:
        law = "q, k and v must have one dtype, which is also the dtype of the result."
        received = f"q.dtype={q.dtype.name}, k.dtype={k.dtype.name}, v.dtype={v.dtype.name}"
        raise TypeError(refusal(law, f"k and v as {q.dtype.name}, or all three cast to one dtype", received))
    if None not in (q.shape.rank, k.shape.rank, v.shape.rank):
        _check_attention_shapes(q, k, v, grouped)
    if mask is None:
        return q, k, v, None
    blocked = mask_tensor(mask)
    mask_fits(blocked, q, k)
    return q, k, v, tf.reshape(blocked, (1,)) if blocked.shape.rank == 0 else blocked


def _check_attention_shapes(q, k, v, grouped):
    received = shapes(q=q, k=k, v=v)
    for name, x in {"q": q, "k": k, "v": v}.items():
        if x.shape.rank < 2:
            law = f"{name} needs a length axis and a depth axis, in this order, after any leading axes."
            raise ValueError(refusal(law, f"{name} of shape (..., length, depth)", received))
    if not q.shape.rank == k.shape.rank == v.shape.rank:
        law = "q, k and v must have the same number of axes: nothing is broadcast."
        raise ValueError(refusal(law, f"k and v with {q.shape.rank} axes, as q has", received))
    if grouped:
        _check_groups(q, k, v, received)
    leading = (x.shape[: -3 if grouped else -2] for x in (q, k, v))
    if not all(equal(a, b) and equal(a, c) for a, b, c in zip(*leading, strict=True)):
        law = "The leading axes (batch, heads) of q, k and v must be equal: nothing is broadcast."
        if not grouped and _could_be_grouped(q, k, v):
            law += " To let heads of queries share heads of keys, say grouped=True."
        raise ValueError(refusal(law, f"k and v of shape {_leading(q)}", received))
    if not equal(q.shape[-1], k.shape[-1]):
        law = (
            "The depth (last axis) of q and k must be equal, since each score is the dot product of a query and a key."
        )
        raise ValueError(refusal(law, f"k of shape (..., key_length, {q.shape[-1]})", received))
    if not equal(k.shape[-2], v.shape[-2]):
        law = "The length (second last axis) of k and v must be equal: each key comes with one value."
        raise ValueError(refusal(law, f"v of shape (..., {k.shape[-2]}, d_v)", received))
    if k.shape[-2] == 0:
        law = "There must be at least one key to attend to. To hide keys use the mask."
        raise ValueError(refusal(law, "k of shape (..., key_length, d_k) with key_length >= 1", received))
    if 0 in (q.shape[-1], v.shape[-1]):
        raise ValueError(refusal("A depth (last axis) must be at least 1.", "d_k >= 1 and d_v >= 1", received))


def _check_groups(q, k, v, received):
    if q.shape.rank < 3 or None in (q.shape[-3], k.shape[-3], v.shape[-3]):
        law = "With grouped=True there is an axis of heads before the length, and its size is known."
        raise ValueError(refusal(law, "q, k and v of shape (..., heads, length, depth)", received))
    if not _could_be_grouped(q, k, v):
        law = "Heads of keys and values are as many, and each serves equally many heads of queries."
        expected = f"k and v whose number of heads divides {q.shape[-3]}"
        raise ValueError(refusal(law, expected, received))


def _could_be_grouped(q, k, v):
    if q.shape.rank < 3 or None in (q.shape[-3], k.shape[-3]) or k.shape[-3] == 0:
        return False
    return equal(k.shape[-3], v.shape[-3]) and q.shape[-3] % k.shape[-3] == 0 and q.shape[:-3] == k.shape[:-3]


def _leading(q):
    return "(" + ", ".join("any" if n is None else str(n) for n in q.shape[:-2]) + ", key_length, depth)"


def known_axes(**tensors):
    if any(x.shape.rank is None for x in tensors.values()):
        law = "To cut queries into blocks, the number of axes must be known when a graph is traced."
        raise ValueError(refusal(law, "q, k and v of known rank, such as tf.ensure_shape gives", shapes(**tensors)))


def same_depth(d_k, keys):
    """Refuse a d_k that contradicts the keys; without one there is nothing to check."""
    if d_k is None:
        return
    d_k = size("d_k", d_k)
    if not tf.is_tensor(d_k) and not equal(keys.shape[-1], d_k):
        law = "d_k is the depth (last axis) of the keys; it is read from them and may be left out."
        raise ValueError(refusal(law, f"d_k={keys.shape[-1]}", f"d_k={d_k}, {shapes(keys=keys)}"))

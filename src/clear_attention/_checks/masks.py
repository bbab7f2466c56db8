"""What must be a mask: which numbers it holds, and what it fits."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from clear_attention._checks.sentence import refusal
from clear_attention._checks.tensors import FLOATS, equal, shapes, tensor


def mask_tensor(mask, name="mask", convention="blocked"):
    """Convert a mask to a bool tensor, `True` where it says 1, refusing values other than 0 and 1."""
    meaning = "0 (may be attended to) and 1 (blocked)" if convention == "blocked" else "0 and 1"
    expected = f"{name} of bool, integers or floats, holding only {meaning}"
    mask = _mask_numbers(mask, name, expected)
    values = _values(mask)
    if mask.dtype != tf.bool and values is not None:
        _refuse_strange(values[(values != 0) & (values != 1)], values.shape, name, expected, convention)
    return tf.cast(mask, tf.bool)


def additive_mask(mask):
    """Convert an additive mask to a bool tensor, `True` where it holds a large negative number."""
    expected = "an additive mask, holding only 0 (keeps) and -inf or a number of -100 or below (blocks)"
    mask = _mask_numbers(mask, "mask", expected)
    values = _values(mask)
    if mask.dtype == tf.bool:
        law = "An additive mask is added to the scores, so it holds numbers."
        raise TypeError(refusal(law, expected, "mask.dtype=bool"))
    if values is not None:
        _refuse_strange(values[~((values == 0) | (values <= -100))], values.shape, "mask", expected, "additive")
    return mask < 0


def mask_to_describe(mask):
    expected = "a mask of shape (query_length, key_length), or with leading axes"
    mask = _mask_numbers(mask, "mask", expected)
    values = _values(mask)
    if values is None or values.ndim < 2 or 0 in values.shape:
        law = "A description needs a mask of at least two axes, none of length 0, whose values can be read."
        raise ValueError(refusal(law, expected, "a tensor of a graph" if values is None else shapes(mask=mask)))
    return values.astype(np.float64) if values.dtype != bool else values


def _mask_numbers(mask, name, expected):
    mask = tensor(name, mask, expected)
    if not (mask.dtype == tf.bool or mask.dtype.is_integer or mask.dtype in FLOATS):
        raise TypeError(refusal(f"{name} must hold numbers or bools.", expected, f"{name}.dtype={mask.dtype.name}"))
    return mask


def _values(x):
    return x.numpy() if hasattr(x, "numpy") else None


def _refuse_strange(strange, shape, name, expected, convention):
    if not strange.size:
        return
    law = "A mask says 1 where a key is blocked and 0 where it may be attended to: convert_mask knows other rules."
    if convention != "blocked":
        law = f"Every value of the mask must be one of the convention {convention!r}."
    if np.all(strange.astype(np.float64) <= -100):
        law += f" This one looks additive: convert_mask({name}, source='additive', target='blocked') makes it ours."
    elif convention == "additive" and np.all((strange == 0) | (strange == 1)):
        law += " This one holds 0 and 1 and looks like one of the others."
    raise ValueError(refusal(law, expected, f"{name} holding {strange.flat[0]:g}, {name}.shape={tuple(shape)}"))


def mask_fits(mask, q, k):
    """Refuse a mask that doesn't broadcast to the scores, or that would enlarge them."""
    if None in (mask.shape.rank, q.shape.rank, k.shape.rank):
        return
    scores = (*q.shape[:-1], k.shape[-2])
    sizes = zip(reversed(mask.shape), reversed(scores), strict=False)
    if mask.shape.rank <= len(scores) and all(m == 1 or equal(m, s) for m, s in sizes):
        return
    law = (
        "A mask must broadcast to the scores (..., query_length, key_length) without enlarging them: "
        "compared from the last axis backwards, each of its axes is 1 or that of the scores."
    )
    keys = scores[-1]
    if mask.shape.rank == 2 and len(scores) > 2 and equal(mask.shape[0], scores[0]) and equal(mask.shape[1], keys):
        ones = ", ".join("1" for _ in scores[1:-1])
        law += f" This one looks like (batch, key_length): reshape it to ({mask.shape[0]}, {ones}, {mask.shape[1]})."
    if mask.shape.rank == len(scores) + 1 and mask.shape[1] == 1:
        law += " This one has an axis for heads, and the scores have none: mask[:, 0] drops it."
    received = f"mask.shape={tuple(mask.shape)}, {shapes(q=q, k=k)}"
    raise ValueError(refusal(law, f"a mask that broadcasts to {tuple(scores)}", received))


def masks_fit_together(named_masks):
    """Return the shape that masks broadcast to, or refuse."""
    known = {name: m for name, m in named_masks.items() if m.shape.rank is not None}
    rank = max((m.shape.rank for m in known.values()), default=0)
    for axis in range(1, rank + 1):
        sizes = {m.shape[-axis] for m in known.values() if m.shape.rank >= axis} - {1, None}
        if len(sizes) > 1:
            law = "Masks are combined cell by cell: compared from the last axis backwards, their axes are equal or 1."
            raise ValueError(refusal(law, "masks that broadcast to one shape", shapes(**known)))


def mask_of_keras(mask, keys=None):
    """Refuse our mask where Keras hands over its own, with which wrappers go to `call` past `__call__`."""
    if mask is None or (keys is None and tf.convert_to_tensor(mask).shape.rank != 4):
        return
    law = "Keras calls `call` with a mask of its own: to give ours, call the layer itself, layer(x, mask=mask)."
    raise ValueError(refusal(law, "no mask, or one of shape (batch, length) with a single tensor", shapes(mask=mask)))


def mask_with_heads(mask):
    """Refuse a mask of rank 3: its first axis could be the batch or the heads."""
    shape = getattr(mask, "shape", None)
    if shape is not None and len(shape) == 3 and shape[0] != 1:
        law = "A mask of three axes could mean (batch, ...) or (heads, ...): say which, with an axis of length 1."
        expected = "mask[:, None] for (batch, 1, query_length, key_length), mask[None] for (1, heads, ...)"
        raise ValueError(refusal(law, expected, f"mask.shape={tuple(shape)}"))

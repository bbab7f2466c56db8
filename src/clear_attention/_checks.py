"""Every refusal of the package, in one voice, whose form is in `_refusal`.

Wrong types raise `TypeError`, wrong shapes and values `ValueError`. Inside a graph values can't be read and
some lengths may be unknown: there the known shapes are checked, and the rest is trusted.
"""

from __future__ import annotations

import operator

import keras
import numpy as np
import tensorflow as tf

from clear_attention._refusal import refusal, shown

FLOATS = (tf.float16, tf.bfloat16, tf.float32, tf.float64)
OPTIONAL = ("mask", "cross_mask", "positions")  # what layers may be called without


def shape_of(x):
    """Write a shape the way Python writes a tuple, with None for a length that is not known yet."""
    return "unknown" if x.shape.rank is None else str(tuple(x.shape))


def shapes(**tensors):
    return ", ".join(f"{name}.shape={shape_of(x)}" for name, x in tensors.items())


def tensor(name, x, expected):
    """Convert arrays, nested lists and tensors to a `tf.Tensor`; refuse everything else in words."""
    if isinstance(x, keras.KerasTensor):
        law = f"{name} must hold numbers, and a KerasTensor has none yet: in a functional model call a layer instead."
        raise TypeError(refusal(law, expected, f"{name}={shown(x)}"))
    if x is None or isinstance(x, (str, bytes, tf.RaggedTensor, tf.SparseTensor)):
        law = f"{name} must be a tensor, an array or nested lists of numbers."
        raise TypeError(refusal(law, expected, f"{name}={shown(x)}"))
    try:
        return tf.convert_to_tensor(x)
    except (ValueError, TypeError) as error:
        law = f"{name} must be a tensor, an array or evenly nested lists of numbers of one type."
        raise (ValueError if "rectangular" in str(error) else TypeError)(
            refusal(law, expected, f"{name} of type {type(x).__name__}, which TensorFlow can't convert")
        ) from None


def from_lists(**inputs):
    """Make tensors of nested lists, which Keras would take for structures of tensors; leave the rest as it is."""
    return [
        tensor(name, x, f"{name} as numbers")
        if isinstance(x, (list, tuple, str, bytes)) or (x is None and name not in OPTIONAL)
        else x
        for name, x in inputs.items()
    ]


def float_tensor(name, x):
    expected = f"{name} as float16, bfloat16, float32 or float64"
    x = tensor(name, x, expected)
    if x.dtype not in FLOATS:
        law = f"{name} must hold floating-point numbers: write 1.0 for 1, or use tf.cast({name}, tf.float32)."
        raise TypeError(refusal(law, expected, f"{name}.dtype={x.dtype.name}, {shapes(**{name: x})}"))
    return x


def attention_inputs(q, k, v, mask=None):
    """Convert q, k and v to tensors that fit together, and the mask to a bool one that fits them, or None."""
    q, k, v = float_tensor("q", q), float_tensor("k", k), float_tensor("v", v)
    if not q.dtype == k.dtype == v.dtype:
        law = "q, k and v must have one dtype, which is also the dtype of the result."
        received = f"q.dtype={q.dtype.name}, k.dtype={k.dtype.name}, v.dtype={v.dtype.name}"
        raise TypeError(refusal(law, f"k and v as {q.dtype.name}, or all three cast to one dtype", received))
    if None not in (q.shape.rank, k.shape.rank, v.shape.rank):
        _check_attention_shapes(q, k, v)
    if mask is None or mask is False:
        return q, k, v, None
    blocked = mask_tensor(mask)
    mask_fits(blocked, q, k)
    return q, k, v, tf.reshape(blocked, (1,)) if blocked.shape.rank == 0 else blocked


def _check_attention_shapes(q, k, v):
    received = shapes(q=q, k=k, v=v)
    for name, x in {"q": q, "k": k, "v": v}.items():
        if x.shape.rank < 2:
            law = f"{name} needs a length axis and a depth axis, in this order, after any leading axes."
            raise ValueError(refusal(law, f"{name} of shape (..., length, depth)", received))
    if not q.shape.rank == k.shape.rank == v.shape.rank:
        law = "q, k and v must have the same number of axes: nothing is broadcast."
        raise ValueError(refusal(law, f"k and v with {q.shape.rank} axes, as q has", received))
    if not all(_equal(a, b) and _equal(a, c) for a, b, c in zip(q.shape[:-2], k.shape[:-2], v.shape[:-2], strict=True)):
        law = "The leading axes (batch, heads) of q, k and v must be equal: nothing is broadcast."
        raise ValueError(refusal(law, f"k and v of shape {_leading(q)}", received))
    if not _equal(q.shape[-1], k.shape[-1]):
        law = (
            "The depth (last axis) of q and k must be equal, since each score is the dot product of a query and a key."
        )
        raise ValueError(refusal(law, f"k of shape (..., key_length, {q.shape[-1]})", received))
    if not _equal(k.shape[-2], v.shape[-2]):
        law = "The length (second last axis) of k and v must be equal: each key comes with one value."
        raise ValueError(refusal(law, f"v of shape (..., {k.shape[-2]}, d_v)", received))
    if k.shape[-2] == 0:
        law = "There must be at least one key to attend to. To hide keys use the mask."
        raise ValueError(refusal(law, "k of shape (..., key_length, d_k) with key_length >= 1", received))
    if 0 in (q.shape[-1], v.shape[-1]):
        raise ValueError(refusal("A depth (last axis) must be at least 1.", "d_k >= 1 and d_v >= 1", received))


def _leading(q):
    return "(" + ", ".join("any" if n is None else str(n) for n in q.shape[:-2]) + ", key_length, depth)"


def _equal(a, b):
    return a is None or b is None or a == b


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


def _mask_numbers(mask, name, expected):
    mask = tensor(name, mask, expected)
    if not (mask.dtype == tf.bool or mask.dtype.is_integer or mask.dtype in FLOATS):
        raise TypeError(refusal(f"{name} must hold numbers or bools.", expected, f"{name}.dtype={mask.dtype.name}"))
    return mask


def mask_to_describe(mask):
    expected = "a mask of shape (query_length, key_length), or with leading axes"
    mask = _mask_numbers(mask, "mask", expected)
    values = _values(mask)
    if values is None or values.ndim < 2 or 0 in values.shape:
        law = "A description needs a mask of at least two axes, none of length 0, whose values can be read."
        raise ValueError(refusal(law, expected, "a tensor of a graph" if values is None else shapes(mask=mask)))
    return values.astype(np.float64) if values.dtype != bool else values


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
    if mask.shape.rank <= len(scores) and all(m == 1 or _equal(m, s) for m, s in sizes):
        return
    law = (
        "A mask must broadcast to the scores (..., query_length, key_length) without enlarging them: "
        "compared from the last axis backwards, each of its axes is 1 or that of the scores."
    )
    keys = scores[-1]
    if mask.shape.rank == 2 and len(scores) > 2 and _equal(mask.shape[0], scores[0]) and _equal(mask.shape[1], keys):
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


def size(name, value, minimum=1):
    """Return a size, which is an integer of at least `minimum`."""
    kind = {0: "a non-negative integer", 1: "a positive integer"}.get(minimum, f"an integer of at least {minimum}")
    return at_least(name, value, minimum, f"{name} is a size, so it must be {kind}.")


def non_negative(name, value):
    """Return an integer of at least 0 that is no size, such as an id or a seed."""
    return at_least(name, value, 0, f"{name} is a non-negative integer.")


def at_least(name, value, minimum, law):
    expected = f"an integer {name} >= {minimum}"
    value = integer(name, value, law, expected)
    if not tf.is_tensor(value) and value < minimum:
        raise ValueError(refusal(law, expected, f"{name}={value}"))
    return value


def integer(name, value, law=None, expected=None):
    """Return a Python integer, or the scalar integer tensor of a graph, whose value can't be read."""
    law = law or f"{name} must be one integer."
    expected = expected or f"an integer {name}"
    if tf.is_tensor(value):
        if not value.dtype.is_integer or value.shape.rank not in (0, None):
            raise TypeError(refusal(law, expected, f"a tensor of dtype {value.dtype.name} and shape {shape_of(value)}"))
        if not hasattr(value, "numpy"):
            return value
        value = value.numpy()
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, (bool, np.bool_)):
        raise TypeError(refusal(law, expected, f"{name}={shown(value, with_type=True)}"))
    return number


def at_most(name, value, limit_name, limit):
    if not tf.is_tensor(value) and not tf.is_tensor(limit) and value > limit:
        law = f"{name} can't be larger than {limit_name}."
        raise ValueError(refusal(law, f"{name} <= {limit}", f"{name}={value}, {limit_name}={limit}"))


def token_ids(ids, name="token_ids"):
    expected = f"{name} of integers, of shape (batch, length)"
    ids = tensor(name, ids, expected)
    if not ids.dtype.is_integer:
        law = f"{name} are positions in a vocabulary, so they are integers."
        raise TypeError(refusal(law, expected, f"{name}.dtype={ids.dtype.name}, {shapes(**{name: ids})}"))
    if ids.shape.rank not in (2, None):
        law = f"{name} must hold one row of tokens for each sentence of the batch."
        raise ValueError(refusal(law, expected, shapes(**{name: ids})))
    return ids


def not_built_with_data(layer, positional):
    """Explain the most asked question about layers: they are built first and called with data later."""
    if positional:
        law = f"{layer} is built first and called with data after that: {layer}()(queries, keys, values)."
        received = f"{len(positional)} positional argument{'s' * (len(positional) > 1)} of {layer}(...)"
        raise TypeError(refusal(law, f"{layer}() without data", received))


def same_depth(d_k, keys):
    """Refuse a d_k that contradicts the keys; without one there is nothing to check."""
    if d_k is None:
        return
    d_k = size("d_k", d_k)
    if not tf.is_tensor(d_k) and not _equal(keys.shape[-1], d_k):
        law = "d_k is the depth (last axis) of the keys; it is read from them and may be left out."
        raise ValueError(refusal(law, f"d_k={keys.shape[-1]}", f"d_k={d_k}, {shapes(keys=keys)}"))


def one_label_each(name, labels, axis, length):
    try:
        count = len(labels)
    except TypeError:
        count = None
    if isinstance(labels, str) or count != length:
        law, expected = f"{name} must give each {axis} its label.", f"a list of {length} labels"
        raise (TypeError if count is None else ValueError)(refusal(law, expected, f"{name}={shown(labels)}"))


def one_of(name, value, choices):
    if not isinstance(value, str) or value not in choices:
        law = f"{name} must be one of the known names."
        raise ValueError(refusal(law, ", ".join(map(repr, choices)), f"{name}={shown(value)}"))

"""What must be a tensor, and which shape and type it has.

In a graph some lengths are not known yet: what is known is checked, the rest is trusted.
"""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from clear_attention._checks.sentence import refusal, shown

FLOATS = (tf.float16, tf.bfloat16, tf.float32, tf.float64)
OPTIONAL = ("mask", "cross_mask", "positions", "segment_ids", "bias")  # what layers may be called without


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
    if np.ma.is_masked(x):
        law = f"{name} hides some of its numbers, which TensorFlow would read nevertheless: fill them in first."
        raise ValueError(refusal(law, f"{name}.filled(...)", f"a masked array of shape {np.shape(x)}"))
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
        if isinstance(x, (list, tuple, str, bytes, np.ma.MaskedArray)) or (x is None and name not in OPTIONAL)
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


def integers(name, x):
    """Return integers as an int32 tensor."""
    expected = f"{name} as integers"
    x = tensor(name, x, expected)
    if not x.dtype.is_integer:
        law = f"{name} count tokens, so they are integers."
        raise TypeError(refusal(law, expected, f"{name}.dtype={x.dtype.name}, {shapes(**{name: x})}"))
    return tf.cast(x, tf.int32)


def equal(a, b):
    """Tell whether two lengths are equal, as far as they are known."""
    return a is None or b is None or a == b


def at_least_rank(name, x, rank, axes):
    x = tensor(name, x, f"{name} of shape {axes}")
    if x.shape.rank is None or x.shape.rank < rank:
        law = f"{name} needs at least {rank} axes, and their number must be known."
        raise ValueError(refusal(law, f"{name} of shape {axes}", shapes(**{name: x})))
    return x


def as_built(kernel, **inputs):
    """Refuse an input of another depth than that of the weights it meets."""
    depth_is(kernel.shape[0], "the one the layer was built with", **inputs)


def has_context(context):
    if context is None:
        law = "Cross-attention looks at another sequence: queries come from x, keys and values from the context."
        raise TypeError(refusal(law, "context of shape (batch, context_length, depth)", "context=None"))


def same_number(axis, **inputs):
    """Refuse inputs with different numbers of sentences (axis 0) or tokens (axis 1), where these are known."""
    known = [x.shape for x in inputs.values()]
    if any(shape.rank != known[0].rank or shape.rank is None for shape in known):
        return  # which is refused in other words
    numbers = {shape[axis] for shape in known} - {None}
    if len(numbers) > 1:
        *names, last = inputs
        what, size = (("sentences", "a batch"), ("tokens: each key comes with one value", "a length"))[axis]
        law = f"{', '.join(names)} and {last} must hold the same number of {what}."
        raise ValueError(refusal(law, f"{size} of {max(numbers)}", shapes(**inputs)))


def d_model(depth, **inputs):
    depth_is(depth, "d_model", **inputs)


def depth_is(depth, meaning, **inputs):
    ((name, x),) = inputs.items()
    float_tensor(name, x)
    expected = f"{name} of shape (batch, length, {depth})"
    if x.shape.rank is not None and x.shape.rank != 3:
        law = f"{name} must hold one row of tokens for each sentence."
        raise ValueError(refusal(law, expected, shapes(**inputs)))
    if x.shape[-1] != depth:
        law = f"The depth (last axis) of {name} must be {meaning}."
        raise ValueError(refusal(law, expected, shapes(**inputs)))


def tokens(name, x):
    """Refuse what is not a row of embedded tokens."""
    if x.dtype not in FLOATS:
        law = f"{name} holds tokens as vectors: ids become vectors in an Embedding layer."
        raise TypeError(
            refusal(law, f"{name} of shape (..., length, depth), floating-point", f"{name}.dtype={x.dtype.name}")
        )
    if x.shape.rank is None or x.shape.rank < 2 or x.shape[-1] is None or 0 in x.shape[-2:]:
        law = f"{name} needs a length axis and a depth axis, in this order, each of at least 1, and a known depth."
        raise ValueError(refusal(law, f"{name} of shape (..., length, depth)", shapes(**{name: x})))


def positions(positions, x):
    positions = tensor("positions", positions, "positions as integers")
    expected = f"positions as integers, of shape (length,) or (..., length) with length {x.shape[-2]}"
    if not positions.dtype.is_integer:
        law = "positions count tokens, so they are integers."
        raise TypeError(refusal(law, expected, f"positions.dtype={positions.dtype.name}"))
    known = None not in (positions.shape.rank, x.shape.rank)
    sizes = zip(reversed(positions.shape), reversed(x.shape[:-1]), strict=False) if known else ()
    if known and not (
        1 <= positions.shape.rank < x.shape.rank
        and all(p == n or None in (p, n) or (p == 1 and axis) for axis, (p, n) in enumerate(sizes))  # 0 is the length
    ):
        law = "positions say for each token where it stands."
        raise ValueError(refusal(law, expected, shapes(positions=positions, x=x)))
    return positions


def positions_of_heads(positions, x):
    """Return positions that fit heads `(batch, ..., length, depth)`, with an axis for them if texts have their own."""
    positions = integers("positions", positions)
    expected = (
        f"positions of shape (length,) or (batch, length), here {tuple(x.shape[-2:-1])} or {(x.shape[0], x.shape[-2])}"
    )
    rank, known = positions.shape.rank, x.shape.rank
    sizes = (positions.shape[-1:], x.shape[-2:-1]) if rank else ((None,), (None,))
    fits = rank in (1, 2) and equal(sizes[0][0], sizes[1][0])
    if not fits or (rank == 2 and positions.shape[0] != 1 and not equal(positions.shape[0], x.shape[0])):
        law = "positions say for each token where it stands."
        raise ValueError(refusal(law, expected, shapes(positions=positions, x=x)))
    if rank == 1:
        return positions
    return tf.reshape(positions, (tf.shape(positions)[0], *[1] * (known - 3), tf.shape(positions)[1]))

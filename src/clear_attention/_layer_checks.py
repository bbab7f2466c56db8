"""The refusals of heads and of layers that hold weights, in the same voice as `_checks`."""

from __future__ import annotations

import keras
import numpy as np

from clear_attention._checks import FLOATS, float_tensor, refusal, shapes, size, tensor


def as_built(kernel, **inputs):
    """Refuse an input of another depth than that of the weights it meets."""
    depth_is(kernel.shape[0], "the one the layer was built with", **inputs)


def has_context(context):
    if context is None:
        law = "Cross-attention looks at another sequence: queries come from x, keys and values from the context."
        raise TypeError(refusal(law, "context of shape (batch, context_length, depth)", "context=None"))


def d_model(depth, **inputs):
    depth_is(depth, "d_model", **inputs)


def depth_is(depth, meaning, **inputs):
    ((name, x),) = inputs.items()
    float_tensor(name, x)
    expected = f"{name} of shape (batch, length, {depth})"
    if x.shape.rank is not None and x.shape.rank != 3:
        law = f"{name} are one row of tokens for each sentence of the batch."
        raise ValueError(refusal(law, expected, shapes(**inputs)))
    if x.shape[-1] != depth:
        law = f"The depth (last axis) of {name} must be {meaning}."
        raise ValueError(refusal(law, expected, shapes(**inputs)))


def mask_with_heads(mask):
    """Refuse a mask of rank 3: its first axis could be the batch or the heads."""
    shape = getattr(mask, "shape", None)
    if shape is not None and len(shape) == 3 and shape[0] != 1:
        law = "A mask of three axes could mean (batch, ...) or (heads, ...): say which, with an axis of length 1."
        expected = "mask[:, None] for (batch, 1, query_length, key_length), mask[None] for (1, heads, ...)"
        raise ValueError(refusal(law, expected, f"mask.shape={tuple(shape)}"))


def is_built(name, layer):
    if not layer.built:
        law = f"{name} has no weights before it is built: call it once on data first."
        raise ValueError(refusal(law, f"{name} built", f"{name} {layer.name!r}, not built"))


def same_shape(name, shape, expected):
    if tuple(shape) != tuple(expected):
        law = f"{name} must have the shape of its counterpart."
        raise ValueError(refusal(law, f"{name} of shape {tuple(expected)}", f"{name}.shape={tuple(shape)}"))


def same_names(name, given, expected):
    if set(given) != set(expected):
        law = f"{name} must hold the arrays of torch's MultiheadAttention, with a bias if the layer has one."
        raise ValueError(refusal(law, ", ".join(expected), ", ".join(map(str, given)) or "nothing"))


def same_bias(name, ours, theirs):
    if ours != theirs:
        law = "Both layers must have a bias, or neither: use_bias says so."
        raise ValueError(refusal(law, f"{name} with use_bias={ours}", f"use_bias={theirs}"))


def torch_depths(layer):
    if not layer.num_heads * layer.d_k == layer.num_heads * layer.d_v == layer.d_model:
        law = "torch's MultiheadAttention knows only heads that share d_model equally."
        received = f"d_model={layer.d_model}, num_heads={layer.num_heads}, d_k={layer.d_k}, d_v={layer.d_v}"
        raise ValueError(refusal(law, "num_heads * d_k = num_heads * d_v = d_model", received))


def at_least_rank(name, x, rank, axes):
    x = tensor(name, x, f"{name} of shape {axes}")
    if x.shape.rank is None or x.shape.rank < rank:
        law = f"{name} needs at least {rank} axes, and their number must be known."
        raise ValueError(refusal(law, f"{name} of shape {axes}", shapes(**{name: x})))
    return x


def divisor(name, value, whole_name, whole):
    """Return a size that divides another one."""
    value = size(name, value)
    if whole is not None and whole % value:
        law = f"{name} must divide {whole_name}, so that each head gets the same number of channels."
        choices = ", ".join(str(n) for n in range(1, whole + 1) if whole % n == 0)
        raise ValueError(refusal(law, f"{name} among {choices}", f"{name}={value}, {whole_name}: {whole}"))
    return value


def rate(name, value):
    law, expected = f"{name} is the share that is dropped in training.", f"{name} in [0, 1)"
    value = number(name, value, law, expected)
    if not 0 <= value < 1:
        raise ValueError(refusal(law, expected, f"{name}={value!r}"))
    return value


def positive(name, value):
    value = number(name, value, f"{name} is a finite number above 0.", f"{name} > 0")
    if value <= 0:
        raise ValueError(refusal(f"{name} is a finite number above 0.", f"{name} > 0", f"{name}={value!r}"))
    return value


def exponent(name, value):
    law, expected = f"{name} is an exponent of lengths, which must not overflow.", f"{name} in [0, 10]"
    value = number(name, value, law, expected)
    if not 0 <= value <= 10:
        raise ValueError(refusal(law, expected, f"{name}={value!r}"))
    return value


def number(name, value, law, expected):
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(refusal(law, expected, f"{name}={value!r} of type {type(value).__name__}"))
    if not np.isfinite(value):
        raise ValueError(refusal(law, expected, f"{name}={value!r}"))
    return float(value)


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
    expected = f"positions of shape (length,) or (..., length) with length {x.shape[-2]}"
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


def flag(name, value):
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(refusal(f"{name} is a choice.", f"{name}=True or {name}=False", f"{name}={value!r}"))
    return bool(value)


def activation(value):
    try:
        return keras.activations.get(value)
    except ValueError:
        law = "activation is the name of a function that Keras knows, or a function."
        raise ValueError(refusal(law, "such as 'relu', 'gelu' or 'silu'", f"activation={value!r}")) from None

"""The refusals of heads and of layers that hold weights, in the same voice as `_checks`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

import keras
import numpy as np
import tensorflow as tf

from clear_attention._checks import FLOATS, float_tensor, shape_of, shapes, size, tensor
from clear_attention._refusal import refusal, shown


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


def mask_with_heads(mask):
    """Refuse a mask of rank 3: its first axis could be the batch or the heads."""
    shape = getattr(mask, "shape", None)
    if shape is not None and len(shape) == 3 and shape[0] != 1:
        law = "A mask of three axes could mean (batch, ...) or (heads, ...): say which, with an axis of length 1."
        expected = "mask[:, None] for (batch, 1, query_length, key_length), mask[None] for (1, heads, ...)"
        raise ValueError(refusal(law, expected, f"mask.shape={tuple(shape)}"))


def options_of(layer_class, name, options):
    """Return the options that a layer inside another one gets, by name; the outer one knows its sizes."""
    if options is None:
        return {}
    own = ("self", "d_model", "num_heads", "kwargs")
    known = [option for option in inspect.signature(layer_class.__init__).parameters if option not in own]
    law = f"{name} holds options of the {layer_class.__name__} inside, by name."
    if not isinstance(options, Mapping):
        raise TypeError(refusal(law, f"a dict of some of {', '.join(known)}", f"{name}={shown(options, True)}"))
    for option in options:
        if option not in known:
            raise ValueError(refusal(law, f"some of {', '.join(known)}", f"{name} with {shown(option)}"))
    return dict(options)


def cache_fits(cache, layer, x):
    """Refuse a cache that another layer made, or that is for other sentences."""
    if cache is None:
        return
    expected = "what create_cache returned, or the last call"
    fields = getattr(type(cache), "_fields", ())
    if fields[:3] != ("keys", "values", "blocked"):
        law = "A cache holds the keys and values of the tokens so far."
        raise TypeError(refusal(law, expected, f"cache={shown(cache, with_type=True)}"))
    wanted = {"keys": (x.shape[0], layer.num_heads, layer.d_k), "values": (x.shape[0], layer.num_heads, layer.d_v)}
    for name, (batch, heads, depth) in wanted.items():
        shape = getattr(cache, name).shape
        if (
            shape.rank != 4
            or (None not in (shape[0], batch) and shape[0] != batch)
            or (shape[1], shape[3]) != (heads, depth)
        ):
            law = f"The {name} of a cache are those of this layer, for the sentences of this batch."
            expected = f"cache.{name} of shape ({batch}, {heads}, capacity, {depth})"
            raise ValueError(refusal(law, expected, f"cache.{name}.shape={shape_of(getattr(cache, name))}"))


def room_in_cache(length, more, capacity):
    """Return the filled length of a cache, refusing more tokens than it has room for; in a graph by an assertion."""
    law = "A cache has room for as many tokens as it was made for."
    expected = f"create_cache with a capacity of all tokens, here at most {capacity}"
    if isinstance(more, int) and (hasattr(length, "numpy") or more > (capacity or more)):
        kept = int(length) if hasattr(length, "numpy") else None
        if capacity is not None and (kept or 0) + more > capacity:
            received = f"{more} more tokens" if kept is None else f"{kept} kept tokens and {more} more"
            raise ValueError(refusal(law, expected, received))
        return length
    sentence = refusal(law, expected, "more")
    fits = True if capacity is None else length + more <= capacity
    with tf.control_dependencies([tf.debugging.Assert(fits, [sentence])]):
        return tf.identity(length)


def is_a(kind, written, **values):
    for name, value in values.items():
        if not isinstance(value, kind):
            law = "Weights are carried between layers of multi-head attention."
            raise TypeError(refusal(law, f"{name} as a {written}", f"{name}={shown(value, with_type=True)}"))


def is_built(name, layer):
    if not layer.built:
        law = f"{name} has no weights before it is built: call it once on data first."
        raise ValueError(refusal(law, f"{name} built", f"{name} {layer.name!r}, not built"))


def same_shape(name, shape, expected):
    if tuple(shape) != tuple(expected):
        law = f"{name} must have the shape of its counterpart."
        raise ValueError(refusal(law, f"{name} of shape {tuple(expected)}", f"{name}.shape={tuple(shape)}"))


def same_names(name, given, expected):
    law = f"{name} must hold the arrays of torch's MultiheadAttention, with a bias if the layer has one."
    if not isinstance(given, Mapping):
        raise TypeError(refusal(law, f"a dict of {', '.join(expected)}", f"{name}={shown(given, with_type=True)}"))
    if set(given) != set(expected):
        raise ValueError(refusal(law, ", ".join(expected), ", ".join(map(str, given)) or "nothing"))


def same_bias(name, ours, theirs):
    if ours != theirs:
        law = "Both layers must have a bias, or neither: use_bias says so."
        raise ValueError(refusal(law, f"{name} with use_bias={ours}", f"{name} with use_bias={theirs}"))


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


def divisor(name, value, whole_name, whole, when=""):
    """Return a size that divides another one."""
    value = size(name, value)
    if whole is not None and whole % value:
        law = f"{name} must divide {whole_name}{when}, so that each head gets the same number of channels."
        choices = ", ".join(str(n) for n in range(1, whole + 1) if whole % n == 0)
        received = f"{name}={value}, {whole_name}{'=' if whole_name.isidentifier() else ' is '}{whole}"
        raise ValueError(refusal(law, f"{name} among {choices}", received))
    return value


def rate(name, value):
    law = f"{name} is the share that is dropped in training."
    return number(name, value, law, f"{name} in [0, 1)", lambda x: 0 <= x < 1)


def positive(name, value):
    return number(name, value, f"{name} is a finite number above 0.", f"{name} > 0", lambda x: x > 0)


def exponent(name, value):
    law = f"{name} is an exponent of lengths, which must not overflow."
    return number(name, value, law, f"{name} in [0, 10]", lambda x: 0 <= x <= 10)


def number(name, value, law, expected, fits):
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(refusal(law, expected, f"{name}={shown(value, with_type=True)}"))
    if not np.isfinite(value) or not fits(float(value)):
        raise ValueError(refusal(law, expected, f"{name}={value}"))
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


def flag(name, value):
    if not isinstance(value, (bool, np.bool_)):
        law = f"{name} is True or False."
        raise TypeError(refusal(law, f"{name}=True or {name}=False", f"{name}={shown(value)}"))
    return bool(value)


def function_of_weights(name, value):
    if value is not None and not callable(value):
        law = f"{name} is a function from weights to weights."
        expected = f"such as {name}=lambda weights: tf.nn.dropout(weights, 0.1)"
        raise TypeError(refusal(law, expected, f"{name}={shown(value, with_type=True)}"))


def activation(value):
    try:
        return keras.activations.get(value)
    except ValueError:
        law = "activation is the name of a function that Keras knows, or a function."
        raise ValueError(refusal(law, "such as 'relu', 'gelu' or 'silu'", f"activation={shown(value)}")) from None

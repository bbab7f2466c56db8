"""The refusals of `certify`, in the same voice as `_checks`."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from clear_attention import _conventions
from clear_attention._checks import refusal, size

TENSORS = ("x", "q", "k", "v", "ids")
SWITCHES = ("mask", "padding", "causal", "return_weights")
EXAMPLE = "call=lambda layer, q, k, v, mask: layer(q, k, v, attention_mask=mask), convention='keras'"


def described(layer, call):
    if not callable(layer):
        law = "certify takes a layer, a model or a function from tensors to tensors."
        raise TypeError(refusal(law, "something that can be called", f"{layer!r} of type {type(layer).__name__}"))
    if call is None:
        law = f"certify does not know how to call {type(layer).__name__}: say it in one line."
        raise ValueError(refusal(law, f"such as {EXAMPLE}", "no call"))
    return call


def arguments(names):
    names = [name for name, argument in names.items() if argument.default is argument.empty]
    law = "The arguments of call are the layer, then the tensors and switches it is called with, by their names."
    expected = f"layer, then some of {', '.join((*TENSORS, *SWITCHES))}"
    received = ", ".join(names) or "none"
    if any(name not in (*TENSORS, *SWITCHES) for name in names[1:]) or not set(names[1:]) & {"x", "q", "ids"}:
        raise ValueError(refusal(law, f"{expected}, such as {EXAMPLE}", received))
    if len(set(names) & {"x", "q", "ids"}) > 1 or ("q" in names and "k" not in names):
        law = "A layer is called with x (queries are keys), with q and k (and v), or with ids."
        raise ValueError(refusal(law, expected, received))
    return tuple(names[1:])


def convention(names, value):
    if value is None and not {"mask", "padding"} & set(names):
        return "blocked"
    if value not in _conventions.CONVENTIONS:
        law = "certify must know what a 1 or a True in the layer's mask means."
        raise ValueError(refusal(law, f"convention as one of {_conventions.CONVENTIONS}", f"convention={value!r}"))
    return value


def row_names(argument, names, known):
    names = tuple(names) if not isinstance(names, str) else names
    if isinstance(names, str) or not all(name in known for name in names) or (argument == "only" and not names):
        law = f"{argument} names rows of the certificate."
        raise ValueError(refusal(law, f"a list of some of {tuple(known)}", f"{argument}={names!r}"))
    return tuple(names)


def lengths(values):
    law = "lengths are what the layer is tried with: two or more tokens, so that one can be hidden from another."
    good = isinstance(values, (list, tuple, range)) and values and all(isinstance(n, (int, np.integer)) for n in values)
    if not good or min(values) < 2:
        raise ValueError(refusal(law, "such as lengths=(2, 3, 5)", f"lengths={values!r}"))
    return tuple(sorted(map(int, values)))


def sizes(**values):
    least = {"depth": 1, "vocab": 3, "pad_id": 0, "seed": 0}
    return [None if v is None else size(name, v, minimum=least[name]) for name, v in values.items()]


def results(result, with_weights):
    """Return output and weights, or say what came instead."""
    law = "call returns the output, or output and weights if it is asked for them with return_weights."
    if with_weights:
        if not isinstance(result, (tuple, list)) or len(result) != 2 or result[1] is None:
            raise TypeError(refusal(law, "a pair of output and weights", f"a {type(result).__name__}"))
        return tf.convert_to_tensor(result[0]), result[1]
    if isinstance(result, (tuple, list, dict)):
        expected = "a tensor: take [0], or give call an argument return_weights"
        raise TypeError(refusal(law, expected, f"a {type(result).__name__} of {len(result)}"))
    return tf.convert_to_tensor(result), None


def known_pad_id(pad_id, vocab):
    if pad_id is not None and pad_id >= vocab:
        raise ValueError(refusal("pad_id is an id of the vocabulary.", f"pad_id in [0, {vocab})", f"pad_id={pad_id}"))
    return pad_id


class NotTheSameTwiceError(ValueError):
    """A layer that draws random numbers can't be compared with itself."""


def not_the_same_twice(name):
    law = f"{name} gives other numbers when it is called again with the same."
    return NotTheSameTwiceError(refusal(law, "a call that draws nothing, such as with training=False", "two outputs"))


def wrongly_described(name, error):
    law = f"{name} could not be called as described."
    expected = "call, depth, lengths and vocab that fit the layer, and a tensor (batch, query_length, ...)"
    return ValueError(refusal(law, expected, error))

"""What `certify` refuses: a layer that it can't call as described, and arguments that it doesn't know."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import tensorflow as tf

from clear_attention._checks.numbers import non_negative, size
from clear_attention._checks.sentence import refusal, shown
from clear_attention.masks import conventions

TENSORS = ("x", "q", "k", "v", "ids", "position_ids", "segment_ids")
SWITCHES = ("mask", "padding", "causal", "return_weights")
EXAMPLE = "call=lambda layer, q, k, v, mask: layer(q, k, v, attention_mask=mask), convention='keras'"


def described(layer, call, name):
    if not callable(layer):
        law = "certify takes a layer, a model or a function from tensors to tensors."
        raise TypeError(refusal(law, "something that can be called", f"layer={shown(layer, with_type=True)}"))
    if isinstance(layer, type):
        law = "certify takes a layer that was made, and not its class."
        raise TypeError(refusal(law, f"such as {layer.__name__}(...)", f"layer={shown(layer)}"))
    if call is None:
        law = f"certify does not know how to call {name}: say it in one line."
        raise ValueError(refusal(law, f"such as {EXAMPLE}", "call=None"))
    if not callable(call):
        law = "call is a function of the layer and of what it is called with."
        raise TypeError(refusal(law, f"such as {EXAMPLE}", f"call={shown(call, with_type=True)}"))
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
    if value not in conventions.CONVENTIONS:
        law = "certify must know what a 1 or a True in the layer's mask means."
        raise ValueError(refusal(law, f"convention as one of {conventions.CONVENTIONS}", f"convention={shown(value)}"))
    return value


def row_names(argument, names, known):
    law, known = f"{argument} names rows of the certificate.", tuple(known)
    if not isinstance(names, Iterable):
        raise TypeError(refusal(law, f"a list of some of {known}", f"{argument}={shown(names, with_type=True)}"))
    names = names if isinstance(names, str) else tuple(names)
    if isinstance(names, str) or not all(name in known for name in names) or (argument == "only" and not names):
        raise ValueError(refusal(law, f"a list of some of {known}", f"{argument}={shown(names)}"))
    return names


def lengths(values):
    law = "lengths are what the layer is tried with: two or more tokens, so that one can be hidden from another."
    good = isinstance(values, (list, tuple, range)) and values and all(isinstance(n, (int, np.integer)) for n in values)
    if not good or min(values) < 2:
        raise ValueError(refusal(law, "such as lengths=(2, 3, 5)", f"lengths={shown(values)}"))
    return tuple(sorted(map(int, values)))


def input_sizes(depth, vocab, pad_id, seed, lengths):
    depth = None if depth is None else size("depth", depth)
    vocab = None if vocab is None else size("vocab", vocab, minimum=3)
    pad_id = None if pad_id is None else non_negative("pad_id", pad_id)
    return depth, lengths, vocab, pad_id, non_negative("seed", seed)


def window(value):
    return size("window", value)


def functions(given):
    for name, value in given.items():
        if value is not None and not callable(value) and not (name == "recompute" and isinstance(value, bool)):
            law = f"{name} is a function: see what certify says it is called with."
            raise TypeError(refusal(law, "a function or a layer", f"{name}={shown(value, with_type=True)}"))


def results(result, with_weights):
    """Return output and weights, or say what came instead."""
    law = "call returns the output, or output and weights if it is asked for them with return_weights."
    if with_weights:
        if not isinstance(result, (tuple, list)) or len(result) != 2 or result[1] is None:
            received = "a tensor alone" if tf.is_tensor(result) else f"a {type(result).__name__}"
            raise TypeError(refusal(law, "a pair of output and weights", received))
        return tf.convert_to_tensor(result[0]), result[1]
    if isinstance(result, (tuple, list, dict)):
        expected = "a tensor: take [0], or give call an argument return_weights"
        raise TypeError(refusal(law, expected, f"a {type(result).__name__} of {len(result)}"))
    return tf.convert_to_tensor(result), None


def known_pad_id(pad_id, vocab):
    if pad_id is not None and pad_id >= vocab:
        raise ValueError(refusal("pad_id is an id of the vocabulary.", f"pad_id in [0, {vocab})", f"pad_id={pad_id}"))
    return pad_id


def pad_id_without_ids(subject):
    if subject.is_told_the_pad_id and subject.query != "ids":
        law = "pad_id is the id of padding, so the layer must be called with ids."
        received = f"pad_id={subject.pad_id} and a call with {', '.join(subject.names)}"
        raise ValueError(refusal(law, "a call with ids, or no pad_id", received))


def wrongly_described(name, error):
    law = f"{name} could not be called as described."
    expected = "call, depth, lengths and vocab that fit the layer, and a tensor (batch, query_length, ...)"
    return ValueError(refusal(law, expected, error))

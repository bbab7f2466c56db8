"""What is chosen: switches, names, functions, labels."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

import keras
import numpy as np

from clear_attention._checks.sentence import refusal, shown


def flag(name, value):
    if not isinstance(value, (bool, np.bool_)):
        law = f"{name} is True or False."
        raise TypeError(refusal(law, f"{name}=True or {name}=False", f"{name}={shown(value)}"))
    return bool(value)


def one_of(name, value, choices):
    if not isinstance(value, str) or value not in choices:
        law = f"{name} must be one of the known names."
        raise ValueError(refusal(law, ", ".join(map(repr, choices)), f"{name}={shown(value)}"))
    return value


def function_of_weights(name, value):
    if value is not None and not callable(value):
        law = f"{name} is a function from weights to weights."
        expected = f"such as {name}=lambda weights: tf.nn.dropout(weights, 0.1)"
        raise TypeError(refusal(law, expected, f"{name}={shown(value, with_type=True)}"))


def known_activation(value):
    try:
        return keras.activations.get(value)
    except ValueError:
        law = "activation is the name of a function that Keras knows, or a function."
        raise ValueError(refusal(law, "such as 'relu', 'gelu' or 'silu'", f"activation={shown(value)}")) from None


def one_label_each(name, labels, axis, length):
    try:
        count = len(labels)
    except TypeError:
        count = None
    if isinstance(labels, str) or count != length:
        law, expected = f"{name} must give each {axis} its label.", f"a list of {length} labels"
        raise (TypeError if count is None else ValueError)(refusal(law, expected, f"{name}={shown(labels)}"))


def not_built_with_data(layer, positional):
    """Explain the most asked question about layers: they are built first and called with data later."""
    if positional:
        law = f"{layer} is built first and called with data after that: {layer}()(queries, keys, values)."
        received = f"{len(positional)} positional argument{'s' * (len(positional) > 1)} of {layer}(...)"
        raise TypeError(refusal(law, f"{layer}() without data", received))


def flags(causal, return_weights, check_finite):
    flag("causal", causal)
    flag("check_finite", check_finite)
    if flag("return_weights", return_weights):
        law = "Blockwise attention never holds all weights, which is why it needs little memory: it can't return them."
        expected = "return_weights=False; scaled_dot_product_attention returns them"
        raise ValueError(refusal(law, expected, "return_weights=True"))


def choice(blockwise, dropout):
    """Return what a layer was told: True, False or "auto"."""
    if not (isinstance(blockwise, (bool, np.bool_)) or blockwise == "auto"):
        law = "blockwise says whether a layer attends by blocks."
        raise ValueError(refusal(law, "True, False or 'auto'", f"blockwise={shown(blockwise)}"))
    if blockwise != "auto" and bool(blockwise) and dropout:
        law = "Dropout drops weights, and attention by blocks never holds all of them."
        raise ValueError(refusal(law, "blockwise='auto', False, or dropout=0", f"blockwise=True, dropout={dropout}"))
    return blockwise if blockwise == "auto" else bool(blockwise)


def options_inside(layer_class, name, options):
    """Return the options that a layer inside another one gets, by name; the outer one knows its sizes."""
    if options is None:
        return {}
    own = ["self", "d_model", "num_heads", "kwargs"]
    if name == "cross_attention":
        # positions of two sequences have nothing to do with each other
        own += ["rotary", "position_bias", "window", "first_keys"]
    known = [option for option in inspect.signature(layer_class.__init__).parameters if option not in own]
    law = f"{name} holds options of the {layer_class.__name__} inside, by name."
    expected = f"some of {', '.join(known)}"
    if not isinstance(options, Mapping):
        raise TypeError(refusal(law, f"a dict of {expected}", f"{name}={shown(options, with_type=True)}"))
    for option in options:
        if option not in known:
            raise ValueError(refusal(law, expected, f"{name} with {shown(option)}"))
    return dict(options)

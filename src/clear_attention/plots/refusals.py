"""What plots refuse: more than one matrix, too few or too many labels."""

from __future__ import annotations

import numpy as np

from clear_attention._checks import options
from clear_attention._checks.sentence import refusal, shown


def one_matrix(name, shape, axes="(query_length, key_length)"):
    if len(shape) != 2:
        law = f"A picture shows one matrix of {axes}{one_of_them(name, len(shape) - 2)}."
        raise ValueError(refusal(law, f"{name} of shape {axes}", f"{name}.shape={tuple(shape)}"))


def one_sentence(name, shape):
    if len(shape) != 3:
        law = f"A grid shows the heads of one sentence{one_of_them(name, len(shape) - 3)}."
        law += " One head alone: plot_weights draws it." if len(shape) == 2 else ""
        raise ValueError(refusal(law, f"{name} of shape (heads, query_length, key_length)", f"{name}.shape={shape}"))


def one_of_them(name, surplus):
    """Say how to get rid of surplus axes, if there are any."""
    return f": choose one, such as {name}[{', '.join('0' * surplus)}]" if surplus > 0 else ""


def same_matrix(name, shape, other, other_shape):
    if any(n not in (1, m) for n, m in zip(shape, other_shape, strict=True)):
        law = f"{name} must broadcast to {other} without enlarging them."
        received = f"{name}.shape={tuple(shape)}, {other}.shape={tuple(other_shape)}"
        raise ValueError(refusal(law, f"{name} of shape {tuple(other_shape)}", received))


def labels(name, tokens, axis, length):
    """Refuse labels of which there are too few or too many; a text is a label for each letter."""
    if not isinstance(tokens, (str, list, tuple, np.ndarray)):
        law = f"{name} are the labels of an axis."
        raise TypeError(refusal(law, f"a list of {name}, or a text", f"{name}={shown(tokens)}"))
    options.one_label_each(name, list(tokens), axis, length)

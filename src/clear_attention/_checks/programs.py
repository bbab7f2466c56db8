"""What programs are made of: features, tables, texts."""

from __future__ import annotations

import numpy as np

from clear_attention._checks.sentence import refusal, shown


def numbers_of(name, value, law):
    """Return an array of numbers."""
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        raise TypeError(refusal(law, f"{name} of numbers", f"{name}={shown(value, with_type=True)}")) from None
    return array


def feature(name, value):
    """Return a matrix that cuts a feature out of a token."""
    law = "A feature is a matrix that cuts its numbers out of a token."
    array = numbers_of(name, value, law)
    if array.ndim != 2:
        raise ValueError(refusal(law, f"{name} of shape (depth, width)", f"{name}.shape={array.shape}"))
    return array


def of_one_depth(names, first, second):
    if len(first) != len(second):
        law = f"{names} must be of tokens of one depth."
        raise ValueError(refusal(law, f"equal depths, such as {len(first)}", f"depths {len(first)} and {len(second)}"))


def table_of(name, value, shape):
    """Return a table of numbers, one for each pair."""
    law = f"{name} has one number for each pair."
    array = numbers_of(name, value, law)
    if array.shape != shape:
        raise ValueError(refusal(law, f"a table of shape {shape}", f"{name}.shape={array.shape}"))
    return array


def rising(name, value):
    law = f"{name} rise, so that each number lies between two of them."
    array = numbers_of(name, value, law)
    if array.ndim != 1 or len(array) < 2 or not (np.diff(array) > 0).all():
        raise ValueError(refusal(law, f"at least two {name}, each larger than the last", f"{name}={shown(value)}"))
    return array

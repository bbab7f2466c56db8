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


def as_wide(what, into):
    if what.shape[1] != into.shape[1]:
        law = "into has one column for each number that is carried over."
        raise ValueError(refusal(law, f"into of width {what.shape[1]}, that of what", f"into.shape={into.shape}"))


def nothing_else(**given):
    names = [name for name, value in given.items() if value is not None]
    if names:
        law = "A program reads whole texts, and where a token stands is one of its features."
        raise ValueError(refusal(law, "x, mask, causal and return_weights", ", ".join(names)))


def room_for_notes(depth, least):
    """Return how many numbers of a token are free."""
    if depth is not None and depth < least:
        law = "A token holds what it is and where it stands, and then notes."
        raise ValueError(refusal(law, f"depth >= {least}", f"depth={depth}"))
    return 0 if depth is None else depth - least


def sums_that_fit(value, base, columns):
    """Return pairs of whole numbers, each sum of which has a digit in each column."""
    law = "Each column holds one digit of the sum."
    pairs, limit = np.asarray(value), base ** (columns - 1)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
        raise ValueError(refusal(law, "pairs of integers, of shape (pairs, 2)", f"pairs={shown(value)}"))
    if pairs.size and (pairs.min() < 0 or pairs.sum(axis=1).max() >= limit):
        raise ValueError(refusal(law, f"numbers from 0 on, whose sum is below {limit}", f"pairs={shown(value)}"))
    return pairs


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

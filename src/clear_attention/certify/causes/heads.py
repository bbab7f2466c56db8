"""Heads that are reshaped and not transposed, told by who sees whom."""

from __future__ import annotations

import numpy as np

from clear_attention.certify.case import case
from clear_attention.certify.causes import tools
from clear_attention.certify.order import moves_with_its_tokens, places_that_agree


def heads_not_transposed(subject):
    """Compare who sees whom with what reshaping alone would do: with the future hidden, or with nothing hidden."""
    if subject.pooled:
        return None
    hidden = "future" if subject.can_hide_the_future else ""
    length = tools.length_of(subject)
    cases = [case(subject, (1, n, n), hidden) for n in ((length, 4, 6) if subject.any_length else (length,))]
    for heads in tools.heads_known(subject):
        for way in (split_wrong, split_and_join_wrong, join_wrong):
            if all(explains(subject, given, way, heads) for given in cases):
                return f"who sees whom is what reshaping to {heads} heads, without transposing, makes of it"
    return scrambled(subject)


def explains(subject, given, way, heads):
    """Tell whether a mistake predicts who sees whom, and the right way does not."""
    told, size = ~given.blocked[0], given.shape[1]
    expected = way(told, heads, size, not subject.crosses)
    others = ~np.eye(size, dtype=bool)
    telling = (expected != told)[others].any() and expected[others].any() and not expected.all()
    return telling and tools.agrees(subject, given, expected)


def split_wrong(told, heads, length, own):
    """`(length, heads * depth)` read as `(heads, length, depth)`, and put back with a transpose."""
    return rows_to_tokens(told, heads, length, own, lambda token, head: (head, token))


def split_and_join_wrong(told, heads, length, own):
    return rows_to_tokens(told, heads, length, own, lambda token, head: divmod(token * heads + head, length))


def join_wrong(told, heads, length, own):
    """The right heads, and their outputs put side by side without a transpose."""
    expected = np.zeros((length, length), bool)
    for token in range(length):
        for part in range(heads):
            row = (token * heads + part) % length
            expected[token] |= told[row]
            expected[token, row] |= own
    return expected


def rows_to_tokens(told, heads, length, own, place):
    """Follow the rows of each head back to the tokens that they were cut from."""
    expected = np.zeros((length, length), bool)
    for token in range(length):
        for part in range(heads):
            head, row = place(token, part)
            for other in range(length):
                if told[row, other]:
                    expected[token, (head * length + other) // heads] = True
            expected[token, (head * length + row) // heads] |= own  # the token that the query was cut from
    return expected


def scrambled(subject):
    """Of equal tokens only some places get the same output, though every place sees every other."""
    if (
        subject.causal
        or subject.positions
        or subject.crosses
        or not subject.any_length
        or moves_with_its_tokens(subject)
    ):
        return False
    if places_that_agree(subject) and tools.sees(subject, case(subject, (1, 6, 6))).all():
        return "of equal tokens some places get the same output and others another one, as their pieces are dealt out"
    return False

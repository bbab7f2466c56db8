"""From texts to the rows of numbers that programs read, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from clear_attention._checks.programs import room_for_notes, sums_that_fit
from clear_attention._checks.texts import known_texts, long_enough

Arrays = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]


def rows(texts: Sequence[str], alphabet: str, length: int, depth: int | None = None) -> Arrays:
    """Write texts as tokens: one-hot which letter, one-hot which place, and zeros where notes will stand.

    Args:
        texts: at least one text of the letters of the alphabet, each of at most `length` letters.
        alphabet: the letters, in order.
        length: number of places, and of tokens; what lies behind a text is hidden.
        depth: numbers of each token; when left out, there is no room for notes.

    Returns:
        The tokens `(texts, length, depth)`, and a mask `(texts, 1, 1, length)`, in which 1 hides what lies behind a
            text.

    Raises:
        TypeError: texts that are no list of texts.
        ValueError: a letter that the alphabet lacks, a text that is too long, a depth without room for both.

    Examples:
        >>> from clear_attention.programs import rows
        >>> tokens, mask = rows(["ba"], "ab", length=3)
        >>> tokens[0]
        array([[0., 1., 1., 0., 0.],
               [1., 0., 0., 1., 0.],
               [0., 0., 0., 0., 0.]], dtype=float32)
        >>> mask[0, 0, 0]
        array([0., 0., 1.], dtype=float32)
    """
    known_texts(texts, alphabet)
    long_enough(length, max(map(len, texts)))
    number, places = {letter: i for i, letter in enumerate(alphabet)}, np.eye(length)
    letters = np.full((len(texts), length), -1)
    for row, text in zip(letters, texts, strict=True):
        row[: len(text)] = [number[letter] for letter in text]
    return encoded(letters, np.broadcast_to(places, (len(texts), length, length)), len(alphabet), depth)


def columns(pairs: Any, base: int, columns: int, depth: int | None = None) -> Arrays:
    """Write pairs of numbers as tokens: first `^` in column 0, then the digits of both, the lowest in column 1.

    Args:
        pairs: `(pairs, 2)`, whole numbers whose sum fits into the columns.
        base: how many digits there are.
        columns: number of columns, the one of `^` among them.
        depth: numbers of each token; when left out, there is no room for notes.

    Returns:
        The tokens `(pairs, 2 * columns - 1, depth)`, and a mask `(pairs, 1, 1, 2 * columns - 1)` that hides nothing.

    Raises:
        ValueError: what are no pairs of whole numbers, a sum that does not fit, a depth without room for both.

    Examples:
        >>> from clear_attention.programs import columns
        >>> tokens, mask = columns([[6, 1]], base=2, columns=4)  # 110 and 001
        >>> tokens[0, 1:, :2].argmax(axis=-1)  # from the lowest digit on, first of 6, then of 1
        array([0, 1, 1, 1, 0, 0])
    """
    pairs = sums_that_fit(pairs, base, columns)
    digits = pairs[:, :, None] // base ** np.arange(columns - 1) % base
    digits = np.hstack([np.full((len(pairs), 1), -1), digits.reshape(len(pairs), -1)])
    where = np.eye(columns)[[0, *range(1, columns), *range(1, columns)]]
    tokens, mask = encoded(digits, np.broadcast_to(where, (len(pairs), *where.shape)), base, depth)
    tokens[:, 0, base] = 1  # ^ has no digit, and is there nevertheless
    return tokens, 0 * mask


def encoded(kinds, where, number, depth):
    """Return tokens that are one-hot of a kind and have the features `where`, and a mask; kind -1 is hidden."""
    real = kinds >= 0
    tokens = np.concatenate([np.eye(number)[kinds], where], axis=-1) * real[..., None]
    tokens = np.pad(tokens, [(0, 0), (0, 0), (0, room_for_notes(depth, tokens.shape[-1]))]).astype(np.float32)
    return tokens, (~real[:, None, None]).astype(np.float32)

"""Eight programs: what each head looks for, and what it brings back, is written down and not learnt.

A token is a letter and a place, both one-hot, as [`rows`][clear_attention.programs.rows] writes them, and free places
for notes. Where a text begins with the sign `^`, this is letter 0.
"""

from __future__ import annotations

import numpy as np

from clear_attention.programs.parts import aggregate, features, look_up, select
from clear_attention.programs.program import Program


def shift(letters: int = 4, length: int = 9) -> Program:
    """Fetch the letter before me. In front of the text stands `^`, which fetches itself.

    Args:
        letters: number of different letters, `^` among them.
        length: number of places, the one of `^` among them.

    Returns:
        A program of one head: for each token a letter, one-hot, `(batch, length, letters)`.
    """
    letter, place = features(letters, length)
    the_one_before = select(place, place, lambda query, key: key == max(query - 1, 0))
    return Program([aggregate(the_one_before, letter)])


def reverse(letters: int = 3, length: int = 8) -> Program:
    """Read the text from its end: the token at place i fetches the letter at place last - i.

    A text may be shorter than `length`, so the first head finds out where its last token stands.

    Args:
        letters: number of different letters.
        length: number of places.

    Returns:
        A program of two heads: for each token a letter, one-hot, `(batch, length, letters)`.
    """
    letter, place, last = features(letters, length, length)
    number, one = np.arange(length)[:, None], np.ones((length, 1))
    the_latest = select(place @ one, place, lambda query, key: key)
    wanted = (last - place) @ number
    # -(wanted - key)² is largest for the nearest key. Its part wanted² is the same for all keys, so it may be left out.
    nearest = select(np.hstack([wanted, place @ one]), place, np.hstack([2 * number, -(number**2)]).T)
    return Program([aggregate(the_latest, place, into=last), aggregate(nearest, letter)])


def running_average(letters: int = 3, length: int = 8) -> Program:
    """Say which share of the text so far is each letter.

    Args:
        letters: number of different letters.
        length: number of places.

    Returns:
        A program of one causal head: for each token the shares, `(batch, length, letters)`.
    """
    letter, _ = features(letters, length)
    everybody = select(letter, letter, lambda query, key: False)
    return Program([aggregate(everybody, letter)], causal=True)


def histogram(letters: int = 4, length: int = 9) -> Program:
    """Count how often the letter of each token occurs in the text, which begins with `^`.

    Attention takes averages and can't count. But if a letter looks at `^` and at all n letters like itself, `^` gets
    1 / (n + 1) of the weight, and from this number a table reads n.

    Args:
        letters: number of different letters, `^` among them.
        length: number of places, the one of `^` among them.

    Returns:
        A program of one head: for each token its count, one-hot from 0 on, `(batch, length, length)`.
    """
    letter, _, share = features(letters, length, 1)
    begin = letter[:, :1]
    my_letters = select(letter, letter, lambda query, key: key in (0, query))
    return Program([aggregate(my_letters, begin, into=share), look_up(share, *counts(length), np.eye(length))])


def sort(letters: int = 4, length: int = 9) -> Program:
    """Put the letters of a text in order. It begins with `^`, which counts as the smallest.

    The first head tells each letter how many are smaller. If these are k, its first place in the sorted text is k, not
    counting `^`. The second lets each place fetch the letter with the largest k that does not lie behind it. Letters
    that are alike have the same k, and whichever of them comes is right.

    Args:
        letters: number of different letters, `^` among them.
        length: number of places, the one of `^` among them.

    Returns:
        A program of two heads: for each token but the first a letter, one-hot, `(batch, length, letters)`.
    """
    letter, place, share, smaller = features(letters, length, 1, length)
    begin = letter[:, :1]
    below_me = select(letter, letter, lambda query, key: key < query or key == 0)
    my_place = select(place, smaller, lambda query, key: key if key < query else -length)
    not_begin = select(place @ np.ones((length, 1)), begin, [[-2 * length]])
    count = look_up(share, *counts(length), smaller)
    return Program([aggregate(below_me, begin, into=share), count, aggregate(my_place + not_begin, letter)])


def balanced(length: int = 9) -> Program:
    """Tell, at each place of a text of `^`, `(` and `)`, whether the brackets up to here are balanced.

    Args:
        length: number of places, the one of `^` among them.

    Returns:
        A program of two causal heads: for each token 1 or 0, `(batch, length, 1)`.
    """
    letter, place, height, below, above, ever_below = features(3, length, 1, 1, 1, 1)
    everybody = select(letter, letter, lambda query, key: False)
    step = letter @ [[0], [1], [-1]]
    signs = look_up(height, [-1 / length, 0, 1 / length], [[1, 0], [0, 0], [0, 1]], into=np.hstack([below, above]))
    any_below = select(place @ np.ones((length, 1)), below, [[1]])
    answer = look_up(ever_below + above, [0, 1], [[1], [0]], into=np.eye(1))
    steps = [aggregate(everybody, step, into=height), signs, aggregate(any_below, below, into=ever_below), answer]
    return Program(steps, causal=True)


def induction(letters: int = 4, length: int = 9) -> Program:
    """Say, at each place, what came behind this letter the last time; `^`, which begins the text, if it is new.

    Args:
        letters: number of different letters, `^` among them.
        length: number of places, the one of `^` among them.

    Returns:
        A program of two causal heads: for each token a letter, one-hot, `(batch, length, letters)`.
    """
    letter, place, before = features(letters, length, letters)
    the_one_before = select(place, place, lambda query, key: key == max(query - 1, 0))
    fits = select(letter, before, lambda query, key: 2 * length * (query == key))
    latest = select(place @ np.ones((length, 1)), place, lambda query, key: key or length)  # ^: better than no fit
    return Program([aggregate(the_one_before, letter, into=before), aggregate(fits + latest, letter)], causal=True)


def addition(base: int = 10, columns: int = 5) -> Program:
    """Add two numbers. Each digit is a token, and says in which column it stands, the lowest being column 1.

    The first head brings the two digits of a column together. The carry comes from the nearest lower column whose sum
    is not 9, since a 9 hands on what it gets: the second head looks for this column. If there is none, it finds `^`,
    which stands in column 0 and carries nothing.

    Args:
        base: how many digits there are.
        columns: number of columns, the one of `^` among them.

    Returns:
        A program of two heads: for each token the digit of the sum in its column, one-hot, `(batch, length, base)`.
    """
    digit, column, half, total, carry = features(base, columns, 1, 2 * base - 1, 1)
    totals = np.arange(2 * base - 1)
    my_column = select(column, column, lambda query, key: key == query)
    lower = select(column, column, lambda query, key: key if key < query else -2 * columns)
    not_handing_on = select(column @ np.ones((columns, 1)), total, [-columns * (totals == base - 1)])
    answer = look_up(2 * half + carry, np.arange(2 * base), np.eye(base)[np.arange(2 * base) % base], into=np.eye(base))
    return Program(
        [
            aggregate(my_column, digit @ np.arange(base)[:, None], into=half),
            look_up(half, totals / 2, np.eye(len(totals)), into=total),
            aggregate(lower + not_handing_on, total @ (totals >= base)[:, None], into=carry),
            answer,
        ]
    )


def counts(length: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares 1 / (n + 1) in rising order, and the numbers n that they stand for, one-hot."""
    n = np.arange(length)[::-1]
    return 1 / (n + 1), np.eye(length)[n]

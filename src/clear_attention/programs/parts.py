"""What programs are made of: where a token has which feature, who looks at whom, and what is carried over."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import keras
import numpy as np

from clear_attention._checks.numbers import size
from clear_attention._checks.programs import as_wide, feature, of_one_depth, rising, table_of
from clear_attention.heads import MultiHeadAttention

GAP = 128.0  # between two scores that are one step apart: exp(-128) is 0 in float32
Feature: TypeAlias = Any  # an array `(depth, width)`, or nested lists
Table: TypeAlias = Any  # likewise, with one number for each pair


class Selector(NamedTuple):
    """Say who looks at whom: the two matrices that make scores of tokens.

    Attributes:
        queries: `(depth, d_k)`, from a token to its query.
        keys: `(depth, d_k)`, from a token to its key.

    Examples:
        >>> from clear_attention.programs import features, select
        >>> letter, place = features(3, 5)
        >>> select(place, place, lambda query, key: key == query - 1).queries.shape
        (8, 5)
    """

    queries: Feature
    keys: Feature

    def __add__(self, other: Selector) -> Selector:  # type: ignore[override]  # scores add up, and not the fields
        """Add the scores of both: rows of query and key are laid side by side, so the dot products add up."""
        of_one_depth("selectors", self.queries, other.queries)
        return Selector(*(np.hstack(pair) for pair in zip(self, other, strict=True)))


def features(*widths: int) -> list[Feature]:
    """Say which numbers of a token belong to which feature.

    A token is a row of numbers: one-hot what it is, one-hot where it stands, and room for notes. Each feature is a
    matrix that cuts its own numbers out of a token.

    Args:
        *widths: how many numbers each feature has; a token has as many as all of them together.

    Returns:
        One matrix `(depth, width)` for each feature: `token @ matrix` is the feature.

    Raises:
        TypeError: a width is not an integer.
        ValueError: a width is below 1.

    Examples:
        >>> from clear_attention.programs import features
        >>> letter, place = features(2, 3)
        >>> [0, 1, 0, 0, 1] @ place
        array([0., 0., 1.])
    """
    ends = [0, *itertools.accumulate(size("width", width) for width in widths)]
    columns = np.eye(ends[-1])
    return [columns[:, start:end] for start, end in itertools.pairwise(ends)]


def select(query: Feature, key: Feature, chosen: Callable[[int, int], Any] | Table) -> Selector:
    """Choose, for each query, the keys that it looks at: a `W_Q` and a `W_K`.

    A chosen pair gets a score that is 128 above that of any other. The softmax makes 0 of what lies so far below the
    best, and shares the weight equally between pairs with the same score. If a query has chosen nobody, all its keys
    have the same score, and so it takes the average of all.

    Instead of yes or no, `chosen` may say how much a query wants a key. A query then looks at the key that it wants
    most, and two steps of 1 lie 128 apart.

    Selectors can be added, and so can their scores.

    Args:
        query: the feature of the token that looks, `(depth, query_width)`, see
            [`features`][clear_attention.programs.features].
        key: the feature of the token that is looked at, `(depth, key_width)`.
        chosen: a function of two numbers, of which kind the query's token is and of which kind the key's: whether it
            is chosen, or how much. Or a table `(query_width, key_width)` of the same.

    Returns:
        A selector, which [`aggregate`][clear_attention.aggregate] takes.

    Raises:
        TypeError: a feature that does not hold numbers.
        ValueError: a feature that is not a matrix, features of tokens of different depths, a table that does not fit.

    Examples:
        >>> from clear_attention import select
        >>> from clear_attention.programs import features
        >>> letter, place = features(3, 5)
        >>> the_one_before = select(place, place, lambda query, key: key == query - 1)
        >>> the_last_of_my_letters = select(letter, letter, lambda q, k: 5 * (q == k)) + select(
        ...     place, place, lambda query, key: key
        ... )

    References:
        Weiss, Goldberg, Yahav (2021), *Thinking Like Transformers*, section 3.
    """
    query, key = feature("query", query), feature("key", key)
    of_one_depth("query and key", query, key)
    shape = query.shape[1], key.shape[1]
    if callable(chosen):
        chosen = [[chosen(i, j) for j in range(shape[1])] for i in range(shape[0])]
    return Selector(query @ table_of("chosen", chosen, shape), key)


def aggregate(selector: Selector, what: Feature, into: Feature | None = None) -> MultiHeadAttention:
    """Carry over the average of what the chosen tokens have: a `MultiHeadAttention` of one head, its weights set.

    Args:
        selector: who looks at whom, from [`select`][clear_attention.select].
        what: the feature that is carried over, `(depth, width)`.
        into: the feature of the output that it becomes, `(depth_of_output, width)`: a note in a free place of the
            token. When left out, the output is the carried feature and nothing else.

    Returns:
        A built [`MultiHeadAttention`][clear_attention.MultiHeadAttention]: tokens `(batch, length, depth)` become
            `(batch, length, depth_of_output)`.

    Raises:
        TypeError: a feature that does not hold numbers.
        ValueError: a feature that is not a matrix, features of tokens of different depths, an `into` that is not as
            wide as `what`.

    Examples:
        >>> from clear_attention import aggregate, select
        >>> from clear_attention.programs import features, rows
        >>> letter, place = features(3, 5)
        >>> before = aggregate(select(place, place, lambda query, key: key == max(query - 1, 0)), letter)
        >>> tokens, mask = rows(["bca"], "abc", length=5)
        >>> before(tokens, mask=mask)[0, 2].numpy()  # a c stood before the a
        array([0., 0., 1.], dtype=float32)

    References:
        Weiss, Goldberg, Yahav (2021), *Thinking Like Transformers*, section 3.
    """
    what = feature("what", what)
    of_one_depth("selector and what", selector.queries, what)
    into = np.eye(what.shape[1]) if into is None else feature("into", into)
    as_wide(what, into)
    d_k = selector.keys.shape[1]
    layer = MultiHeadAttention(len(into), 1, d_k=d_k, d_v=what.shape[1], use_bias=False)
    layer.build((None, None, len(what)))
    layer.set_weights([selector.queries * GAP * d_k**0.5, selector.keys, what, into.T])  # attention divides by the root
    return layer


def look_up(number: Feature, points: Table, values: Table, into: Feature) -> keras.Sequential:
    """Turn a number into what a table says: a feed-forward, its weights set.

    Between two points it goes straight from one value to the next, and before the first and behind the last it stays.
    One ReLU bends the line at each point.

    Args:
        number: the feature that is looked up, `(depth, 1)`.
        points: the numbers of the table, rising: `(points,)`.
        values: what belongs to each: `(points, width)`.
        into: the feature of the output that it becomes: `(depth_of_output, width)`.

    Returns:
        A built `keras.Sequential` of two `Dense`.

    Raises:
        TypeError: a feature or a table that does not hold numbers.
        ValueError: fewer than two points, points that don't rise, a table that does not fit.

    Examples:
        >>> import numpy as np
        >>> from clear_attention.programs import look_up
        >>> square = look_up(np.eye(1), [0, 1, 2, 3], [[0], [1], [4], [9]], into=np.eye(1))
        >>> square(np.array([[2.0], [2.5], [7.0]])).numpy().ravel()
        array([4. , 6.5, 9. ], dtype=float32)
    """
    number, into = feature("number", number), feature("into", into)
    points = rising("points", points)
    values = table_of("values", values, (len(points), into.shape[1]))
    slopes = np.diff(values, axis=0) / np.diff(points)[:, None]
    bends = np.diff(slopes, axis=0, prepend=0 * slopes[:1], append=0 * slopes[:1])  # flat on both sides
    bend = keras.layers.Dense(len(points), activation="relu")
    join = keras.layers.Dense(len(into))
    layer = keras.Sequential([keras.Input((None, len(number))), bend, join])
    bend.set_weights([np.repeat(number, len(points), axis=1), -points])
    join.set_weights([bends @ into.T, values[0] @ into.T])
    return layer

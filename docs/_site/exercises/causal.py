"""Exercises of the lesson "Causal attention"."""

import numpy as np

from clear_attention import combine_masks, create_look_ahead_mask, create_padding_mask
from exercises import Cells, Exercise, Numbers, softmax, table

LETTERS = ("•", "2", "0", "1")
PADDED = np.array([[5, 6, 0]])
PLACES = ("5", "6", "pad")
SCORES = np.array([[0.0, 3.0, 1.0], [2.0, 2.0, 4.0], [1.0, 1.0, 1.0]])
CHANGED, LENGTH = 3, 5


def look_ahead(length):
    return create_look_ahead_mask(length).numpy()


def both(ids, join=combine_masks):
    return np.asarray(join(create_padding_mask(ids)[0, 0], create_look_ahead_mask(ids.shape[1])))


def reached(mask, place):
    """Return which outputs can change when the token at a place changes: those of queries that may see it."""
    return 1 - mask[:, place]


EXERCISES = [
    Exercise(
        name="look-ahead-cells",
        question="A decoder is given the start mark •, `2`, `0`, `1` and predicts the letter after each of them. Which"
        " cells must be blocked? A row is a letter that looks.",
        asks=Cells(LETTERS, LETTERS),
        given=(4,),
        right=look_ahead,
        because="A letter may see itself and all before it. Everything to the right of the diagonal is its future.",
        mistakes={
            "off by one: its own letter is hidden": (
                lambda n: np.triu(np.ones((n, n))),
                "You blocked the diagonal, too. A letter is given when the next one is asked for, so it may see itself."
                " And the first row has nothing left.",
            ),
            "off by one: the next letter can be seen": (
                lambda n: np.triu(np.ones((n, n)), k=2),
                "Each letter still sees the next one, and that is the one it has to predict.",
            ),
            "transposed": (
                lambda n: look_ahead(n).T,
                "You hid the past and left the future. That is the wrong side of the diagonal.",
            ),
            "inverted": (
                lambda n: 1 - look_ahead(n),
                "You pressed what may be seen. Block what must not be looked at.",
            ),
        },
    ),
    Exercise(
        name="decoder-with-padding",
        question="A decoder in training gets the ids `[5, 6, 0]`, where 0 is padding. Which cells of its mask are"
        " blocked?",
        asks=Cells(PLACES, PLACES),
        given=(PADDED,),
        right=both,
        because="A key is blocked if it is padding or lies in the future. Of the blocked cells, only the padding's own"
        " is not in the future.",
        mistakes={
            "padding forgotten": (
                lambda ids: both(ids, lambda padding, ahead: ahead),
                "This is the look-ahead mask alone. The last cell of the last row is padding that is still seen.",
            ),
            "look-ahead forgotten": (
                lambda ids: both(ids, lambda padding, ahead: np.tile(padding, (ids.shape[1], 1))),
                "This is the padding mask alone: the first letter still sees the second.",
            ),
            "both reasons at once": (
                lambda ids: both(ids, lambda padding, ahead: np.minimum(padding, ahead)),
                "These cells are both padding and future. One of the two reasons is enough.",
            ),
            "inverted": (lambda ids: 1 - both(ids), "You pressed what may be seen."),
        },
    ),
    Exercise(
        name="causal-row",
        question="These are the scores of three letters, already divided. With a look-ahead mask, which weights does"
        " the second letter give?",
        shown=table(SCORES, head=["first", "second", "third"], side=["first", "second", "third"], caption="scores"),
        asks=Numbers(("first", "second", "third"), digits=2),
        given=(SCORES,),
        right=lambda s: softmax(np.where(look_ahead(3) == 1, -np.inf, s))[1],
        because="The third score is hidden, and the other two are equal.",
        mistakes={
            "look-ahead forgotten": (
                lambda s: softmax(s)[1],
                "The third letter is in the future, but it took most of the weight.",
            ),
            "hidden after the softmax": (
                lambda s: (softmax(s) * (1 - look_ahead(3)))[1],
                "The 4 is out of the weights, but still in the sum: the weights don't add up to one.",
            ),
            "its own letter hidden": (
                lambda s: np.array([1.0, 0.0, 0.0]),
                "The second letter is given, so it may see itself.",
            ),
        },
    ),
    Exercise(
        name="what-changes",
        question="Five letters go through causal attention. The letter at place 3 is changed (places count from 0)."
        " Which outputs can change?",
        asks=Cells(("",), tuple(map(str, range(LENGTH))), on="can change", off="stays"),
        given=(CHANGED,),
        right=lambda place: reached(look_ahead(LENGTH), place),
        because="Its own output and those of the letters after it can change: only they look at place 3.",
        mistakes={
            "transposed": (
                lambda place: reached(look_ahead(LENGTH).T, place),
                "These stand at place 3 and before it. Letters look back, so the later ones feel a change.",
            ),
            "its own letter forgotten": (
                lambda place: reached(np.triu(np.ones((LENGTH, LENGTH))), place),
                "The letter at place 3 looks at itself, too.",
            ),
            "no mask": (
                lambda place: np.ones(LENGTH),
                "All would change without a mask. With it, the earlier letters can't see place 3.",
            ),
            "only its own": (lambda place: np.eye(LENGTH)[place], "Later letters look at place 3 as well."),
        },
    ),
]

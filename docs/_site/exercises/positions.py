"""Exercises of the lesson "Positions"."""

import numpy as np

from clear_attention import scaled_dot_product_attention, sinusoidal_encoding
from exercises import Cells, Choice, Exercise, Numbers

PAIRS = ((0, 4), (7, 3), (4, 8), (6, 14), (10, 14), (9, 9))
LETTERS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
ORDER = [2, 0, 1]  # "may" becomes "yma"


def encoding(place, depth=4, n=10000):
    return np.asarray(sinusoidal_encoding(place + 1, depth, n=n))[place]


def alike(pairs, measure):
    return [int(measure(*pair) == measure(0, 4)) for pair in pairs]


def product(i, j):
    return round(float(encoding(i, 6) @ encoding(j, 6)), 4)


def after(order):
    """Return the name of each output when the letters stand in another order and attend to each other."""
    before, now = (scaled_dot_product_attention(x, x, x).output.numpy() for x in (LETTERS, LETTERS[order]))
    return " ".join("may"[next(j for j in range(3) if np.allclose(row, before[j]))] for row in now)


EXERCISES = [
    Exercise(
        name="place-one",
        question="Two dials turn by 1 and by 0.01 from place to place. Which four numbers are added to a letter at"
        " place 1? (The sine of 1 is 0.84, its cosine 0.54.)",
        asks=Numbers(("1st", "2nd", "3rd", "4th"), digits=2),
        given=(1,),
        right=encoding,
        because="Sine and cosine of the first dial come first, then those of the second, which has hardly turned: 0.01"
        " and 1.00.",
        mistakes={
            "sines first": (
                lambda place: encoding(place)[[0, 2, 1, 3]],
                "Some programs put all sines before all cosines. Here sine and cosine take turns.",
            ),
            "counted from one": (lambda place: encoding(place - 1), "That is place 0. The places count from 0."),
            "both dials equally fast": (
                lambda place: np.tile(encoding(place)[:2], 2),
                "The second dial is 100 times as slow, so its hand has hardly turned.",
            ),
            "cosine first": (lambda place: encoding(place)[[1, 0, 3, 2]], "The sine stands first in each pair."),
        },
    ),
    Exercise(
        name="shuffled",
        question="Attention without positions reads `may`, and its three outputs are called m, a and y. Now it reads"
        " `yma`. Which outputs come out, and in which order?",
        asks=Choice(),
        given=(ORDER,),
        right=after,
        because="Each letter gets the output that it had before, because the sum over all letters is the same in every"
        " order. Only the places of the outputs have changed.",
        mistakes={
            "nothing moves": (
                lambda order: after([0, 1, 2]),
                "The first place now holds a y, and an output belongs to the letter that looks.",
            ),
            "shuffled the other way": (
                lambda order: after(np.argsort(order).tolist()),
                "The first letter of `yma` is y, so its output comes first.",
            ),
        },
    ),
    Exercise(
        name="equal-distance",
        question="The positions of place 0 and place 4 have a dot product. For which pairs of places is it exactly the"
        " same?",
        asks=Cells(("",), tuple(f"{i} and {j}" for i, j in PAIRS[1:]), on="the same", off="another"),
        given=(PAIRS[1:],),
        right=lambda pairs: alike(pairs, product),
        because="Only the angle between the hands counts. It depends only on how far apart the places are: four, in"
        " either direction.",
        mistakes={
            "only forwards": (
                lambda pairs: alike(pairs, lambda i, j: j - i),
                "A dot product does not mind which of the two comes first: 7 and 3 are four places apart, too.",
            ),
            "the same places, or none": (
                lambda pairs: alike(pairs, lambda i, j: 4 if 4 in (i, j) else 0),
                "Where the two stand does not matter, only how far apart they are: 10 and 14 are four places apart,"
                " too.",
            ),
            "twice as far": (
                lambda pairs: alike(pairs, lambda i, j: abs(i - j) if abs(i - j) != 8 else 4),
                "6 and 14 are eight places apart: the hands have turned twice as far.",
            ),
        },
    ),
]

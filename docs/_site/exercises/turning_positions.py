"""Exercises of the lesson "Positions that turn"."""

import numpy as np

from exercises import Cells, Exercise, Numbers

PAIRS = ((5, 3), (2, 0), (9, 7), (3, 5), (6, 2))


def turned(vector, degrees):
    (a, b), angle = vector, np.radians(degrees)
    return np.array([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)])


def product(i, j, query=(2.0, 0.0), key=(1.0, 1.0)):
    return round(float(turned(query, 30 * i) @ turned(key, 30 * j)), 6)


EXERCISES = [
    Exercise(
        name="turn-a-key",
        question="A dial turns by 30 degrees from place to place, anticlockwise. A key is (2, 0). What is it at"
        " place 3?",
        asks=Numbers(("first", "second"), digits=1),
        given=((2.0, 0.0), 30, 3),
        right=lambda v, step, place: turned(v, step * place),
        because="Three times 30 degrees is a quarter of a circle, so the key, which pointed right, now points up.",
        mistakes={
            "with the clock": (
                lambda v, step, place: turned(v, -step * place),
                "It turns anticlockwise, so it points up, not down.",
            ),
            "one place short": (
                lambda v, step, place: turned(v, step * (place - 1)),
                "At place 0 the key is not turned yet, so at place 3 it is turned three times.",
            ),
            "turned once": (
                lambda v, step, place: turned(v, step),
                "That is place 1. Each place turns it by 30 degrees more.",
            ),
            "added": (
                lambda v, step, place: np.add(v, turned((1, 0), step * place)),
                "That adds the dial's hand to the key, as positions were added before. Here the key itself is turned.",
            ),
        },
    ),
    Exercise(
        name="same-product",
        question="A dial turns by 30 degrees from place to place. A query is (2, 0) and a key (1, 1), which points 45"
        " degrees further. The query turns to place 4 and the key to place 2. Mark every pair of places that gives the"
        " same product. (The first place is the query's.)",
        asks=Cells(("",), tuple(f"{i} and {j}" for i, j in PAIRS), on="the same", off="another"),
        given=(PAIRS,),
        right=lambda pairs: [int(product(*pair) == product(4, 2)) for pair in pairs],
        because="A key that stands two places before the query is always at the same angle to it, wherever both stand.",
        mistakes={
            "before and behind mixed": (
                lambda pairs: [int(abs(i - j) == 2) for i, j in pairs],
                "At 3, 5 the key stands behind the query, so it is turned 60 degrees further than the query, not 60"
                " degrees less. The product would be the same only if both had pointed the same way before.",
            ),
            "only nearby": (
                lambda pairs: [int(i - j == 2 and abs(i - 4) <= 2) for i, j in pairs],
                "Where the two stand does not matter at all: 9 and 7 are two places apart, too.",
            ),
            "the ratio": (
                lambda pairs: [int(i - j == 2 or i == 3 * j) for i, j in pairs],
                "At 6, 2 they are four places apart. The angle depends on the distance, not on the ratio.",
            ),
        },
    ),
    Exercise(
        name="score-of-two-turned",
        question="The query (2, 0) stands at place 7, the key (1, 0) at place 5, and the dial turns by 30 degrees. What"
        " is their dot product? (The cosine of 60 degrees is 0.5.)",
        asks=Numbers(("",), digits=1),
        given=((2.0, 0.0), (1.0, 0.0), 7, 5),
        right=lambda q, k, i, j: turned(q, 30 * i) @ turned(k, 30 * j),
        because="They are two places apart, so the angle is 60 degrees, and 2 times 1 times 0.5 is 1.",
        mistakes={
            "nothing turned": (
                lambda q, k, i, j: np.dot(q, k),
                "At the same place it would be 2. Here they are two places apart.",
            ),
            "only the query turned": (
                lambda q, k, i, j: turned(q, 30 * i) @ np.array(k),
                "The key is turned, too: by its own place.",
            ),
            "one place too few": (
                lambda q, k, i, j: np.dot(q, k) * np.cos(np.radians(30 * (i - j - 1))),
                "5 and 7 are two places apart, so there are two turns of 30 degrees.",
            ),
            "lengths forgotten": (
                lambda q, k, i, j: np.cos(np.radians(30 * (i - j))),
                "A dot product also grows with the lengths, and the query has length 2.",
            ),
        },
    ),
]

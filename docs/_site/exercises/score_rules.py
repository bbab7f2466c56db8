"""Exercises of the lesson "What else goes into the scores"."""

import numpy as np

from exercises import Choice, Exercise, Numbers

PRICE, PLACE, LENGTH = 0.3, 1, 4
STEPS = {"root": "divide by the root", "cap": "cap", "bias": "bias", "mask": "mask", "softmax": "softmax"}


def order(*names):
    return ", ".join(STEPS[name] for name in names)


EXERCISES = [
    Exercise(
        name="a-bias-by-distance",
        question="Each place of distance costs 0.3, in both directions. What bias does each key get for the query at"
        " place 1 (of 0 to 3)?",
        asks=Numbers(tuple(f"place {i}" for i in range(LENGTH)), digits=1),
        given=(PRICE, PLACE, LENGTH),
        right=lambda price, place, n: -price * np.abs(np.arange(n) - place),
        because="Its own place costs nothing, and the others are 1, 1 and 2 places away. (With a look-ahead mask the"
        " last two would also be hidden.)",
        mistakes={
            "sign turned round": (
                lambda price, place, n: price * np.abs(np.arange(n) - place),
                "This rewards distance. A key that is farther away should get less weight.",
            ),
            "counted from the beginning": (
                lambda price, place, n: -price * np.arange(n),
                "The distance is counted from the query, which stands at place 1.",
            ),
            "off by one": (
                lambda price, place, n: -price * (np.abs(np.arange(n) - place) + 1),
                "The query's own place is 0 places away.",
            ),
            "a gain behind the query": (
                lambda price, place, n: price * (np.arange(n) - place),
                "A place behind the query would be rewarded. Distance has no sign.",
            ),
        },
    ),
    Exercise(
        name="under-the-cap",
        question="A score of 6 meets a soft cap of 3. What does it become? (tanh 1 = 0.762, tanh 2 = 0.964, tanh 6 ="
        " 1.000.)",
        asks=Numbers(("",), digits=2),
        given=(6.0, 3.0),
        right=lambda score, cap: cap * np.tanh(score / cap),
        because="3 · tanh(6 / 3) = 3 · 0.964 = 2.89. It stays a little below the cap.",
        mistakes={
            "cut off": (
                lambda score, cap: np.minimum(score, cap) + 0.0,
                "That would be a hard cap: then all large scores would be the same.",
            ),
            "not multiplied again": (
                lambda score, cap: np.tanh(score / cap),
                "The tanh lies between -1 and 1. It must be stretched to the cap again.",
            ),
            "divided twice": (
                lambda score, cap: cap * np.tanh(score / cap / cap),
                "The score is divided by the cap once.",
            ),
        },
    ),
    Exercise(
        name="in-which-order",
        question="In which order are these steps done?",
        asks=Choice(),
        given=(),
        right=lambda: order("root", "cap", "bias", "mask", "softmax"),
        because="The mask comes after everything that changes a score, so that nothing can bring a hidden key back.",
        mistakes={
            "the cap after the mask": (
                lambda: order("root", "bias", "mask", "cap", "softmax"),
                "The cap turns minus infinity into a small number, so the hidden key is read again.",
            ),
            "the mask after the softmax": (
                lambda: order("root", "cap", "bias", "softmax", "mask"),
                "Then the weights no longer add up to one.",
            ),
            "the root at the end": (
                lambda: order("cap", "bias", "mask", "root", "softmax"),
                "The cap and the bias are meant for scores that are already divided.",
            ),
        },
    ),
]

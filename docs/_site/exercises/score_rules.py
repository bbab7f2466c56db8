"""Exercises of the lesson "What else goes into the scores"."""

import numpy as np

from exercises import Choice, Exercise, Numbers, softmax

PRICE, PLACE, LENGTH = 0.5, 2, 4
SCORES = np.array([1.0, 1.0])
STEPS = {"root": "divide by the root", "cap": "cap", "bias": "bias", "mask": "mask", "softmax": "softmax"}


def order(*names):
    return ", ".join(STEPS[name] for name in names)


EXERCISES = [
    Exercise(
        name="a-bias-by-distance",
        question="Each place of distance costs 0.5. Which bias do the keys have for the query at place 2 (of 0 to 3)?",
        asks=Numbers(tuple(f"place {i}" for i in range(LENGTH)), digits=1),
        given=(PRICE, PLACE, LENGTH),
        right=lambda price, place, n: -price * np.abs(np.arange(n) - place),
        because="Its own place costs nothing, and the others are 2, 1 and 1 places away. (With a look-ahead mask the"
        " last one would be hidden besides.)",
        mistakes={
            "sign turned round": (
                lambda price, place, n: price * np.abs(np.arange(n) - place),
                "This rewards distance. What is farther away should be looked at less.",
            ),
            "counted from the beginning": (
                lambda price, place, n: -price * np.arange(n),
                "The distance is counted from the query, which stands at place 2.",
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
        name="with-a-sink",
        question="A query has two keys with the score 1 each, and a sink with the score 1. Which weights do the two"
        " keys get?",
        asks=Numbers(("first", "second"), digits=2),
        given=(SCORES, 1.0),
        right=lambda s, sink: softmax(np.append(s, sink))[:2],
        because="Three equal scores share the weight, and the share of the sink is thrown away.",
        mistakes={
            "sink forgotten": (lambda s, sink: softmax(s), "Without a sink each would get a half."),
            "given back to the keys": (
                lambda s, sink: softmax(np.append(s, sink))[:2] + softmax(np.append(s, sink))[2],
                "The weight of the sink is not given to anybody.",
            ),
        },
    ),
    Exercise(
        name="in-which-order",
        question="In which order are these done?",
        asks=Choice(),
        given=(),
        right=lambda: order("root", "cap", "bias", "mask", "softmax"),
        because="The mask comes after everything that changes a score, so that nothing can bring a hidden key back.",
        mistakes={
            "the cap after the mask": (
                lambda: order("root", "bias", "mask", "cap", "softmax"),
                "The cap makes a small number of minus infinity, and the hidden key is read again.",
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

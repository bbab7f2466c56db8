"""Exercises of the lesson "Now you: Roman numerals"."""

import numpy as np

from exercises import Choice, Exercise, Numbers, Shape

WORTH = {"m": 1000, "d": 500, "c": 100, "l": 50, "x": 10, "v": 5, "i": 1}
PAIRS = {"cd and dc": ("cd", "dc"), "c and cc": ("c", "cc"), "cd and d": ("cd", "d"), "l and x": ("l", "x")}


def read(numeral):
    """Return the number of a numeral: a sign before a larger one is subtracted."""
    worth = [WORTH[sign] for sign in numeral]
    return sum(-a if a < max(worth[i:]) else a for i, a in enumerate(worth))


EXERCISES = [
    Exercise(
        name="read-one",
        question="What number is `cdxliv`?",
        asks=Numbers(("",), digits=0),
        given=("cdxliv",),
        right=read,
        because="cd is 400, xl is 40 and iv is 4. A smaller sign stands before a larger one three times.",
        mistakes={
            "everything added": (
                lambda numeral: sum(WORTH[sign] for sign in numeral),
                "You added all signs. A smaller sign before a larger one is subtracted.",
            ),
            "only the last one subtracted": (
                lambda numeral: sum(WORTH[sign] for sign in numeral) - 2 * WORTH["i"],
                "You subtracted the i of iv. The c of cd and the x of xl stand before larger signs, too.",
            ),
        },
    ),
    Exercise(
        name="which-pair-looks-the-same",
        question="The letters of each numeral are sorted before the machine reads it. Which two numerals can it no"
        " longer tell apart?",
        asks=Choice(),
        given=(PAIRS,),
        right=lambda pairs: next(name for name, (a, b) in pairs.items() if sorted(a) == sorted(b)),
        because="Both hold one c and one d. All that is left is which letters there are, and how often.",
        mistakes={
            "one is longer": (
                lambda pairs: "c and cc",
                "Sorted, they still have one letter and two letters, so they differ.",
            ),
            "one letter more": (lambda pairs: "cd and d", "One of them holds a c, and the other does not."),
            "different letters": (lambda pairs: "l and x", "These are different letters with different vectors."),
        },
    ),
    Exercise(
        name="shape-of-the-ids",
        question="64 numerals are filled up to 15 letters. What shape do their ids have?",
        asks=Shape(),
        given=(np.zeros((64, 15), int),),
        right=lambda ids: ids.shape,
        because="There is a row for each numeral, with one id for each place.",
        mistakes={
            "turned": (lambda ids: ids.shape[::-1], "The texts come first, then the places."),
            "vectors in place of ids": (
                lambda ids: (*ids.shape, 64),
                "That is the shape of the vectors, which the embedding makes from the ids.",
            ),
        },
    ),
    Exercise(
        name="how-often-seen",
        question="A training run has 500 steps of 32 examples, drawn from 2,500 numerals. How often does it see each of"
        " them, on average?",
        asks=Numbers(("",), digits=1),
        given=(500, 32, 2500),
        right=lambda steps, batch, numerals: steps * batch / numerals,
        because="500 times 32 is 16,000 examples, and these are shared by 2,500 numerals.",
        mistakes={
            "steps only": (
                lambda steps, batch, numerals: steps / numerals,
                "Each step shows 32 examples, not one.",
            ),
            "once a step": (lambda steps, batch, numerals: steps, "A step shows only 32 of the 2,500."),
        },
    ),
]

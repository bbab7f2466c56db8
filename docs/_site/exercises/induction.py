"""Exercises of the lesson "A head that copies"."""

import numpy as np

from exercises import Cells, Choice, Exercise

TEXT = "bacab"
NAMES = tuple(f"{letter} at {i}" for i, letter in enumerate(TEXT))


def back(n, steps=1):
    return np.eye(n, k=-steps)


def behind_the_last(text, place, *, seen=None):
    """Return the place behind the last time that this letter stood; None if it is the first time."""
    earlier = [i for i in range(place) if text[i] == text[place]]
    return earlier[-1] + 1 if earlier else None


EXERCISES = [
    Exercise(
        name="the-first-head",
        question="The head of layer 1 writes down, for each letter, which letter stood before it. Which cells get its"
        " weight? (The first letter has none before it, so leave its row empty. A row is a letter that looks.)",
        asks=Cells(NAMES[:4], NAMES[:4], on="weight", off="no weight"),
        given=(4,),
        right=back,
        because="Each letter looks one place back.",
        mistakes={
            "transposed": (
                lambda n: back(n).T,
                "You let each letter look at the next one, which a look-ahead mask hides.",
            ),
            "its own letter": (lambda n: np.eye(n), "A letter already knows itself. The note is about the one before."),
            "two places back": (lambda n: back(n, 2), "One place back is enough."),
        },
    ),
    Exercise(
        name="where-it-looks",
        question="The text is `bacab`. Where does an induction head look from the last b?",
        asks=Choice(NAMES),
        given=(TEXT, 4),
        right=lambda text, place: NAMES[behind_the_last(text, place)],
        because="There was a b at place 0. After it comes the a at place 1, whose note says: a b stood before me.",
        mistakes={
            "where the letter itself stood": (
                lambda text, place: NAMES[behind_the_last(text, place) - 1],
                "That would bring back a b. The head needs the letter that came after it.",
            ),
            "one place back": (lambda text, place: NAMES[place - 1], "That is what the head of layer 1 does."),
            "behind the letter before": (
                lambda text, place: NAMES[behind_the_last(text, place - 1)],
                "That is after the first a. But the head needs what came after the b.",
            ),
            "itself": (lambda text, place: NAMES[place], "Nothing has come after this b yet."),
        },
    ),
    Exercise(
        name="what-fits-the-note",
        question="In `bacab`, layer 2 asks from the a at place 3: who has written down that an a stood before? Mark all"
        " places that fit and that this a may see.",
        asks=Cells(("",), NAMES, on="fits", off="does not fit"),
        given=(TEXT, 3),
        right=lambda text, place: [int(0 < j <= place and text[j - 1] == text[place]) for j in range(len(text))],
        because="The c at place 2 comes after an a. The b at place 4 does, too, but it lies in the future.",
        mistakes={
            "the future, too": (
                lambda text, place: [int(j > 0 and text[j - 1] == text[place]) for j in range(len(text))],
                "The last b comes after an a as well, but a look-ahead mask hides it from place 3.",
            ),
            "the letter itself": (
                lambda text, place: [int(j <= place and letter == text[place]) for j, letter in enumerate(text)],
                "These are the places of the a. The question is who comes after one.",
            ),
            "before instead of behind": (
                lambda text, place: [int(j < place and text[j + 1] == text[place]) for j in range(len(text) - 1)] + [0],
                "A note tells what stood before its letter, not what comes after it.",
            ),
        },
    ),
]

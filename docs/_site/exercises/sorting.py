"""Exercises of the lesson "Heads that sort"."""

import numpy as np

from exercises import Cells, Exercise, Numbers

NOTED = "cbabc"
FETCHED = "bcab"
SIGNED = "^baca"


def named(text):
    return tuple(f"{letter} at {i}" for i, letter in enumerate(text, start=1))


def notes(text, counted=lambda other, letter: other < letter):
    """Return what each letter notes: how many others are counted."""
    return [sum(counted(other, letter) for other in text) for letter in text]


def looks(text, note):
    """Tell at which letters each place looks: at those whose note is the one that it takes, if there are any."""
    found = np.array(notes(text))
    return [(found == note(found, place)).astype(int).tolist() for place in range(1, len(text) + 1)]


def shares(text, wished):
    """Tell which share of what is fetched is ^, a and b, if all that are wished for get an equal share."""
    fetched = [sign for sign in text if wished(sign)]
    return [fetched.count(sign) / len(fetched) for sign in "^ab"]


EXERCISES = [
    Exercise(
        name="notes",
        question="The text is `^cbabc`. Each letter looks at ^ and at all smaller letters, and notes how many are"
        " smaller. What do the five letters note?",
        asks=Numbers(named(NOTED), digits=0),
        given=(NOTED,),
        right=notes,
        because="Two b's and an a are smaller than a c. Only the a is smaller than a b, and nothing is smaller than the"
        " a.",
        mistakes={
            "^ is counted, too": (
                lambda text: [1 + note for note in notes(text)],
                "The sign is there to get a share. A letter that looks only at `^` has no smaller letters.",
            ),
            "equal letters are counted, too": (
                lambda text: notes(text, lambda other, letter: other <= letter),
                "A letter is not smaller than itself, and equal letters are not smaller either.",
            ),
            "larger instead of smaller": (
                lambda text: notes(text, lambda other, letter: other > letter),
                "That would sort the other way round, with the c's first.",
            ),
        },
    ),
    Exercise(
        name="which-notes",
        question="The text is `^bcab`, and its letters have noted 1, 3, 0 and 1. Mark all letters that each place looks"
        " at in the second head. (A row is a place.)",
        asks=Cells(tuple(f"place {i}" for i in range(1, len(FETCHED) + 1)), named(FETCHED), on="looks", off="does not"),
        given=(FETCHED,),
        right=lambda text: looks(text, lambda found, place: found[found < place].max()),
        because="Each place looks for the largest note below its own number. At place 1 this is 0, at places 2 and 3 it"
        " is 1, and at place 4 it is 3.",
        mistakes={
            "a note that is just one less": (
                lambda text: looks(text, lambda found, place: place - 1),
                "Nobody has noted 2, so place 3 would find nobody. It takes the next lower note, which is 1.",
            ),
            "its own number, too": (
                lambda text: looks(text, lambda found, place: found[found <= place].max()),
                "A letter that has noted 1 knows of one in front of it, so it can't stand at place 1.",
            ),
            "the smallest note": (
                lambda text: looks(text, lambda found, place: found.min()),
                "Then each place would fetch the a.",
            ),
        },
    ),
    Exercise(
        name="one-wish-missing",
        question="Somebody leaves out the second wish, `not_begin`. The text is `^baca`. What shares of ^, a and b does"
        " place 1 fetch?",
        asks=Numbers(("^", "a", "b"), digits=2),
        given=(SIGNED,),
        right=lambda text: shares(text, lambda sign: sign in "^a"),
        because="The sign has noted 0, and so have both a's. Place 1 wants this note most, so the three share its"
        " weight.",
        mistakes={
            "only the a's": (
                lambda text: shares(text, lambda sign: sign == "a"),
                "That is what the second wish would bring about. Without it, nothing keeps the sign out.",
            ),
            "only ^": (
                lambda text: shares(text, lambda sign: sign == "^"),
                "The a's have noted 0, too, so place 1 wants them just as much.",
            ),
            "half ^, half a": (
                lambda text: [0.5, 0.5, 0],
                "There are two a's, and each of them gets as much as the sign.",
            ),
        },
    ),
]

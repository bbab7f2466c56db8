"""Exercises of the lesson "Learning by heart"."""

import numpy as np

from exercises import Cells, Choice, Exercise, Numbers

LETTERS = ("a", "b", "c", "d")
SHARES = np.array([0.5, 0.3, 0.15, 0.05])
STEPS = np.array([100, 200, 300, 400])
SHOWN = np.array([2.4, 1.6, 1.1, 0.8])
UNSEEN = np.array([2.5, 2.0, 1.9, 2.2])


def kept(shares, p):
    """Return which letters top-p keeps: as few as together reach p."""
    before = np.cumsum(shares) - shares
    return (before < p).astype(int)


EXERCISES = [
    Exercise(
        name="where-it-was-best",
        question="After 100, 200, 300 and 400 steps, a machine pays 2.4, 1.6, 1.1 and 0.8 bits a letter in the text"
        " that it is shown, and 2.5, 2.0, 1.9 and 2.2 in an unseen part. After how many steps would you stop?",
        asks=Numbers(("",), digits=0),
        given=(STEPS, SHOWN, UNSEEN),
        right=lambda steps, shown, unseen: steps[unseen.argmin()],
        because="There the unseen part costs least. From then on the machine only learns its text by heart.",
        mistakes={
            "the shown part": (
                lambda steps, shown, unseen: steps[shown.argmin()],
                "There the shown part costs least, because the machine has learnt it by heart.",
            ),
            "where both are closest": (
                lambda steps, shown, unseen: steps[(unseen - shown).argmin()],
                "There the two parts cost nearly the same, but both cost a lot.",
            ),
            "in the middle": (
                lambda steps, shown, unseen: steps[1],
                "At this step the unseen part still gets cheaper.",
            ),
        },
    ),
    Exercise(
        name="what-the-parrot-pays",
        question="A table has seen an a after each of the four n in its text, and nothing else. It gives 9/10 to what"
        " it has met, and shares 1/10 among all letters, of which there are only five here. How probable is an a after"
        " an n, and how probable is an e?",
        asks=Numbers(("a", "e"), digits=2),
        given=(0.9, 5),
        right=lambda met, letters: (met + (1 - met) / letters, (1 - met) / letters),
        because="Each letter gets 0.1 / 5 = 0.02, and the a has 0.9 on top of it.",
        mistakes={
            "nothing for the a": (
                lambda met, letters: (met, (1 - met) / (letters - 1)),
                "The last tenth goes to all five letters, to the a as well.",
            ),
            "no doubt": (
                lambda met, letters: (1, 0),
                "Then an e would cost infinitely many bits, should it ever come.",
            ),
            "four times": (
                lambda met, letters: (met / 4 + (1 - met) / letters, (1 - met) / letters),
                "All four times an a came, so the a gets all of the 9/10.",
            ),
        },
    ),
    Exercise(
        name="who-recites",
        question="Three machines were trained on the same text. In the text and in an unseen part they pay: A 0.1 and"
        " 3.0 bits a letter, B 1.9 and 2.0, and C 3.1 and 3.1. Which of them has learnt most of what holds elsewhere?",
        asks=Choice(("A", "B", "C")),
        given=(np.array([0.1, 1.9, 3.1]), np.array([3.0, 2.0, 3.1])),
        right=lambda shown, unseen: "ABC"[unseen.argmin()],
        because="It pays least for what it was never shown.",
        mistakes={
            "the reciter": (lambda shown, unseen: "ABC"[shown.argmin()], "A knows its text by heart, and little else."),
            "the beginner": (
                lambda shown, unseen: "ABC"[(unseen - shown).argmin()],
                "C pays the same in both because it has learnt little of either.",
            ),
        },
    ),
    Exercise(
        name="what-top-p-keeps",
        question="Four letters have the probabilities 0.5, 0.3, 0.15 and 0.05. Top-p 0.9 keeps as few of them as"
        " reach 0.9 together. Which are kept?",
        asks=Cells(("",), LETTERS, on="kept", off="cut off"),
        given=(SHARES, 0.9),
        right=kept,
        because="0.5 and 0.3 are 0.8, which is not enough. With c it is 0.95.",
        mistakes={
            "stopped too early": (
                lambda s, p: (np.cumsum(s) <= p).astype(int),
                "Together these have 0.8. Letters are kept until they reach 0.9.",
            ),
            "nothing cut off": (lambda s, p: np.ones(4), "Three of them already have 0.95 together."),
            "only the best": (lambda s, p: np.eye(4)[0], "That would be greedy search. 0.5 does not reach 0.9."),
        },
    ),
]

"""Exercises of the lesson "A window on the past"."""

import numpy as np

from exercises import Cells, Exercise, Numbers

LETTERS = tuple("later")


def hidden(n, window, nearest=0):
    """Return the mask of a window, whose nearest key lies so far behind the query."""
    back = np.arange(n)[:, None] - np.arange(n)
    return (back < nearest) | (back >= window)


EXERCISES = [
    Exercise(
        name="window-cells",
        question="The letters of “later” see themselves and the letters before, with a window of 3. Press the cells"
        " that are hidden. A row is a letter that looks.",
        asks=Cells(LETTERS, LETTERS, on="hidden"),
        given=(5, 3),
        right=hidden,
        because="A letter sees itself and the two before it: with i - 3 < j ≤ i there are at most three.",
        mistakes={
            "one too wide": (
                lambda n, window: hidden(n, window + 1),
                "Here a letter sees three others and itself. In a window of 3 the letter itself is one of the three.",
            ),
            "one too narrow": (
                lambda n, window: hidden(n, window - 1),
                "Here a letter sees only one letter before it.",
            ),
            "the future forgotten": (
                lambda n, window: abs(np.arange(n)[:, None] - np.arange(n)) >= window,
                "The window is right. But no letter may see a later one.",
            ),
            "the past forgotten": (
                lambda n, window: hidden(n, n),
                "This is the look-ahead mask alone. The window hides what lies farther back.",
            ),
            "inverted": (
                lambda n, window: ~hidden(n, window),
                "You pressed what is seen. Press what is hidden.",
            ),
        },
    ),
    Exercise(
        name="how-far",
        question="Four layers have a window of 5 each. How many letters can the last letter of a long text hear of,"
        " itself included?",
        asks=Numbers(("",), digits=0),
        given=(4, 5),
        right=lambda layers, window: layers * (window - 1) + 1,
        because="Each layer reaches 4 letters farther back, and the letter itself is one more: 4 · 4 + 1 = 17.",
        mistakes={
            "layers times window": (
                lambda layers, window: layers * window,
                "The letter at the far end of one window stands in the next one, too, so each layer adds 4.",
            ),
            "itself forgotten": (
                lambda layers, window: layers * (window - 1),
                "That counts the letters before it. It hears of itself, too.",
            ),
            "a single layer": (
                lambda layers, window: window,
                "That is so in one layer. In the second, the letters that it sees have seen others.",
            ),
            "as if it grew by itself": (
                lambda layers, window: window**layers,
                "Neighbouring letters see nearly the same. So each layer adds, and does not multiply.",
            ),
        },
    ),
    Exercise(
        name="written-over",
        question="A window of 8 has a cache of 8 rows, counted from 0. Now the letter at place 21 comes. Which row does"
        " its key go into, and at which place was the letter whose key is lost?",
        asks=Numbers(("row", "place of the lost one"), digits=0),
        given=(21, 8),
        right=lambda place, window: (place % window, place - window),
        because="21 divided by 8 leaves 5. The last key in row 5 was that of the letter at place 13, eight before.",
        mistakes={
            "how often it fits": (
                lambda place, window: (place // window, place - window),
                "You divided. What counts is the remainder.",
            ),
            "counted from one": (
                lambda place, window: (place % window + 1, place - window),
                "Rows are counted from 0, as places are.",
            ),
            "one too near": (
                lambda place, window: (place % window, place - window + 1),
                "The letter seven places before is still in sight: with the new one that makes eight.",
            ),
            "the first that was there": (
                lambda place, window: (place % window, place % window),
                "The letter at place 5 was the first in this row. Its key has already been written over.",
            ),
        },
    ),
    Exercise(
        name="every-second",
        question="A machine of four layers reads a text of 1,000 letters. Every second layer has a window of 100, and"
        " the others see all. How many keys do the four layers keep together?",
        asks=Numbers(("",), digits=0),
        given=(4, 1000, 100),
        right=lambda layers, length, window: layers // 2 * (length + window),
        because="Two layers keep 100 keys each, and two keep 1,000 each.",
        mistakes={
            "a window in each": (
                lambda layers, length, window: layers * window,
                "Only two of the four layers have a window.",
            ),
            "no window": (lambda layers, length, window: layers * length, "Two layers keep only what is in sight."),
            "two layers": (lambda layers, length, window: length + window, "That is one layer of each kind."),
        },
    ),
]

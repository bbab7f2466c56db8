"""Exercises of the lesson "Programs with attention"."""

import numpy as np

from exercises import Cells, Choice, Exercise, Numbers, table

TEXT = "bcab"
NAMES = tuple(f"{letter} at {i}" for i, letter in enumerate(TEXT))
COUNTED = "^abaca"
SUMS = (3, 12, 9, 9, 5)  # of columns 1 to 5


def weighed(text, chosen):
    """Tell which keys each letter gives weight: those that it has chosen, and all if it has chosen nobody."""
    pairs = np.array([[int(chosen(query, key)) for key in text] for query in text])
    return np.where(pairs.any(axis=1, keepdims=True), pairs, 1)


def column(number):
    return f"column {number}"


def decides(sums, asking):
    """Return the nearest lower column whose sum is not 9; columns are counted from 1."""
    return max(c for c in range(1, asking) if sums[c - 1] != 9)


EXERCISES = [
    Exercise(
        name="who-gets-weight",
        question="The text is `bcab`, and a head is made with `select(letter, letter, lambda query, key: key < query)`,"
        " where `a < b < c`. Mark all cells that get weight. (A row is a letter that looks.)",
        asks=Cells(NAMES, NAMES, on="weight", off="no weight"),
        given=(TEXT,),
        right=lambda text: weighed(text, lambda query, key: key < query),
        because="Each letter shares its weight between the smaller ones. The a has none, so all its scores are equal,"
        " and it takes the average of everybody.",
        mistakes={
            "nobody chosen, no weight": (
                lambda text: [[int(key < query) for key in text] for query in text],
                "The weights of a row add up to 1, so the a must give its weight to somebody. All its scores are"
                " equal.",
            ),
            "larger instead of smaller": (
                lambda text: weighed(text, lambda query, key: key > query),
                "The first name is the letter that looks, and the second is looked at.",
            ),
            "equal letters, too": (
                lambda text: weighed(text, lambda query, key: key <= query),
                "A letter is not smaller than itself.",
            ),
        },
    ),
    Exercise(
        name="what-the-sign-gets",
        question="Each letter looks at ^ and at all letters like itself. In the text `^abaca`, which weight does ^ get"
        " from an a, and which from the b?",
        asks=Numbers(("from an a", "from the b"), digits=2),
        given=(COUNTED,),
        right=lambda text: [1 / (text.count(letter) + 1) for letter in "ab"],
        because="The a shares its weight between ^ and three a's, and the b between ^ and itself.",
        mistakes={
            "one too few": (
                lambda text: [1 / text.count(letter) for letter in "ab"],
                "The sign takes a share, and so does each letter like itself, its own included.",
            ),
            "the share of the letter": (
                lambda text: [text.count(letter) / (text.count(letter) + 1) for letter in "ab"],
                "That is what all the letters like itself get together. The rest goes to the sign.",
            ),
            "all tokens counted": (
                lambda text: [1 / len(text)] * 2,
                "The other letters are 128 below the best score, and get nothing.",
            ),
        },
    ),
    Exercise(
        name="where-the-carry-comes-from",
        question="The digits of two numbers were added in each column. These are the sums. Column 1 is the lowest, on"
        " the right. Where does column 5 look to find out whether it gets a carry?",
        shown=table([SUMS[::-1]], head=[*"54321"], side=["sum"]),
        asks=Choice(tuple(column(c) for c in range(1, 6))),
        given=(SUMS, 5),
        right=lambda sums, asking: column(decides(sums, asking)),
        because="Columns 4 and 3 have 9, so they hand on what they get. Column 2 has 12: from there comes a carry,"
        " whatever column 1 does.",
        mistakes={
            "the neighbour": (
                lambda sums, asking: column(asking - 1),
                "Its sum is 9: whether it carries depends on the column below it.",
            ),
            "the lowest": (
                lambda sums, asking: column(1),
                "What happens there is over by column 2, whose 12 carries in any case.",
            ),
            "the first that is not decided": (
                lambda sums, asking: column(decides(sums, asking) + 1),
                "Its sum is 9, too, so it only hands on.",
            ),
            "itself": (lambda sums, asking: column(asking), "Its own sum says what it hands on, not what it gets."),
        },
    ),
]

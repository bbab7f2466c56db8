"""Exercises of the lesson "Programs with attention"."""

import numpy as np

from exercises import Cells, Exercise, Numbers

TEXT = "bcab"
NAMES = tuple(f"{letter} at {i}" for i, letter in enumerate(TEXT))
COUNTED = "^abaca"


def weighed(text, chosen):
    """Tell which keys each letter gives weight: those that it has chosen, and all if it has chosen nobody."""
    pairs = np.array([[int(chosen(query, key)) for key in text] for query in text])
    return np.where(pairs.any(axis=1, keepdims=True), pairs, 1)


def shares(text, fetched):
    """Tell which share of what is fetched is a, b and c."""
    return [fetched.count(letter) / len(fetched) for letter in sorted(set(text))]


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
        question="Each letter looks at ^ and at all letters like itself. In the text `^abaca`, how much weight does ^"
        " get from an a, and how much from the b?",
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
                "That is what all the equal letters get together. The rest goes to the sign.",
            ),
            "all tokens counted": (
                lambda text: [1 / len(text)] * 2,
                "The other letters are 128 below the best score, and get nothing.",
            ),
        },
    ),
    Exercise(
        name="no-wish",
        question="A head is made with `select(place, place, lambda query, key: key == query + 1)`, and it brings back"
        " the letter. The text is `cabb`. What shares of a, b and c does the b at the end fetch?",
        asks=Numbers(("a", "b", "c"), digits=2),
        given=("cabb",),
        right=lambda text: shares(text, text),
        because="There is no place after the last letter, so it wishes for nobody. All its scores are equal, and it"
        " takes the average of the whole text.",
        mistakes={
            "nothing at all": (lambda text: [0, 0, 0], "Weights add up to 1, whatever the scores are."),
            "itself": (lambda text: shares(text, text[-1]), "That would need a yes for its own place."),
            "the first, in a circle": (
                lambda text: shares(text, text[0]),
                "The function says yes only to the place `query + 1`, and there is none.",
            ),
        },
    ),
]

"""Exercises of the lesson "Multi-head attention"."""

import numpy as np

from exercises import Exercise, Numbers

WEIGHTS = np.array([[0.5, 0.5], [0.75, 0.25]])  # a row for each head
DIGITS = np.array([7.0, 3.0])
LETTERS = np.array([0.5, 0.3, 0.2])  # their weights
POINTS = np.array([[1.0, 4.0, 0.0], [3.0, 1.0, 2.0]])  # which each gives to the 6, and to the 7
ALL = [(a, b) for a in range(10) for b in range(10)]

EXERCISES = [
    Exercise(
        name="what-it-brings",
        question="The values are the digits themselves. A head gives 0.75 of its weight to the first digit, and the"
        " rest to the second. What does it bring from the text “2 6”?",
        asks=Numbers(("",), digits=1),
        given=(WEIGHTS[1], np.array([2.0, 6.0])),
        right=lambda w, x: w @ x,
        because="0.75 · 2 + 0.25 · 6 = 3. It lies nearer to the 2, because the 2 has more weight.",
        mistakes={
            "weights exchanged": (lambda w, x: w[::-1] @ x, "The larger weight belongs to the 2."),
            "plain average": (lambda w, x: x.mean(), "That would be a head which gives a half to each."),
            "sum": (lambda w, x: x.sum(), "The weights add up to 1, so what comes back lies between the digits."),
        },
    ),
    Exercise(
        name="both-digits",
        question="A head which gives a half to each digit brings 5 from a text of two digits. A second head, which"
        " gives 0.75 to the first digit, brings 6. Which digits are they?",
        asks=Numbers(("first", "second"), digits=0),
        given=(WEIGHTS, WEIGHTS @ DIGITS),
        right=np.linalg.solve,
        because="The digits add up to 10, and 0.75 · 7 + 0.25 · 3 = 6. Two averages are enough for two digits.",
        mistakes={
            "the other way round": (
                lambda w, found: np.linalg.solve(w, found)[::-1],
                "The first head can't tell these from the right ones. The second would bring 4 from them.",
            ),
            "the second head forgotten": (
                lambda w, found: found[[0, 0]],
                "If both digits are equal, every head brings that digit, so the second would bring 5 as well.",
            ),
            "averages taken for digits": (
                lambda w, found: found[::-1],
                "A head brings an average, not a digit. From these the first head would bring 5.5.",
            ),
        },
    ),
    Exercise(
        name="how-many-texts",
        question="A head gives a half to each of two digits. From how many of the hundred texts, “0 0” to “9 9”,"
        " does it bring exactly 4?",
        asks=Numbers(("",), digits=0),
        given=(WEIGHTS[0], 4.0),
        right=lambda w, wanted: sum(w @ text == wanted for text in ALL),
        because="These are the texts whose digits add up to 8, from “0 8” to “8 0”.",
        mistakes={
            "each pair once": (
                lambda w, wanted: sum(w @ text == wanted and text[0] <= text[1] for text in ALL),
                "“3 5” and “5 3” are two texts. With equal weights this head can't tell them apart.",
            ),
            "one less": (
                lambda w, wanted: sum(w @ text == wanted and text[0] != text[1] for text in ALL),
                "From “4 4” it brings 4, too.",
            ),
            "only two fours": (
                lambda w, wanted: sum(set(text) == {wanted} for text in ALL),
                "A half of a 3 and a half of a 5 are 4, too.",
            ),
        },
    ),
    Exercise(
        name="who-wins",
        question="A look shares out its weight among three letters: 0.5, 0.3 and 0.2. For a digit that may become a 6"
        " or a 7, the first letter gives 1 point to the 6 and 3 to the 7, the second gives 4 and 1, and the third 0 and"
        " 2. By how much does the 6 lead? (Below 0 if the 7 leads.)",
        asks=Numbers(("",), digits=1),
        given=(LETTERS, POINTS),
        right=lambda w, x: w @ (x[0] - x[1]),
        because="0.5 · (1 − 3) + 0.3 · (4 − 1) + 0.2 · (0 − 2) = −1 + 0.9 − 0.4 = −0.5. So the 7 wins.",
        mistakes={
            "no weights": (
                lambda w, x: (x[0] - x[1]).sum(),
                "Each letter pulls with its weight: the first one counts more than the third.",
            ),
            "the rival forgotten": (lambda w, x: w @ x[0], "These are the points of the 6. The 7 has points, too."),
            "the other way round": (lambda w, x: w @ (x[1] - x[0]), "The 7 leads by that much."),
        },
    ),
]

"""Exercises of the lesson "Attention"."""

import numpy as np

from exercises import Choice, Exercise, Numbers, Shape, softmax, table

KEYS = np.array([[3.0, 0.0], [1.0, 2.0], [-4.0, -4.0]])
QUERY = np.array([0.0, 2.0])
NAMES = ("m", "a", "y")
SCORES = np.array([[2.0, 0.0, 0.0], [0.0, 1.0, 3.0], [0.0, 0.0, 0.0]])
VALUES = np.array([[8.0, 0.0], [0.0, 4.0]])
SHARES = np.array([0.75, 0.25])


def named(numbers):
    return NAMES[int(np.argmax(numbers))]


EXERCISES = [
    Exercise(
        name="which-key",
        question="A query is the vector (0, 2). Which of these keys gets the largest weight?",
        shown=table(KEYS, head=["first", "second"], side=NAMES, caption="keys"),
        asks=Choice(NAMES),
        given=(KEYS, QUERY),
        right=lambda k, q: named(k @ q),
        because="The dot products with (0, 2) are 0, 4 and -8. Only the second number of a key counts here.",
        mistakes={
            "the longest key": (
                lambda k, q: named(np.linalg.norm(k, axis=1)),
                "This key is the longest, but it points away from the query, so its dot product is negative.",
            ),
            "the largest first number": (
                lambda k, q: named(k[:, 0]),
                "The first number of the query is 0, so the first number of a key does not count at all.",
            ),
        },
    ),
    Exercise(
        name="row-to-weights",
        question="The scores are already computed and divided. Which weights does `a` give? (e is about 2.718, and its"
        " third power 20.1.)",
        shown=table(SCORES, head=NAMES, side=NAMES, caption="scores: a row is a letter that looks"),
        asks=Numbers(NAMES, digits=2),
        given=(SCORES,),
        right=lambda s: softmax(s)[1],
        because="The row of a is 0, 1, 3, so the exponentials are 1, 2.718 and 20.086. Divide each by their sum, 23.8.",
        mistakes={
            "softmax over the wrong axis": (
                lambda s: softmax(s, axis=0)[1],
                "This divides by the sum of a column. A row is a letter that looks, and its weights add up to one.",
            ),
            "the column of a": (
                lambda s: softmax(s)[:, 1],
                "These are the weights that the others give to a. The question is what a itself looks at: its row.",
            ),
            "shares of the scores": (
                lambda s: s[1] / s[1].sum(),
                "The exponentials are missing. A score of 0 is not a weight of 0.",
            ),
            "divided once more": (
                lambda s: softmax(s / np.sqrt(3))[1],
                "The scores are divided already, as the question says.",
            ),
        },
    ),
    Exercise(
        name="output-of-two",
        question="A query looks at two letters with the weights 0.75 and 0.25. Their values are (8, 0) and (0, 4). What"
        " is its output?",
        asks=Numbers(("first", "second"), digits=1),
        given=(SHARES, VALUES),
        right=lambda w, v: w @ v,
        because="0.75 times (8, 0) is (6, 0), and 0.25 times (0, 4) is (0, 1).",
        mistakes={
            "a plain average": (
                lambda w, v: v.mean(axis=0),
                "Both values counted the same. The weights are 0.75 and 0.25.",
            ),
            "only the best one": (lambda w, v: v[w.argmax()], "The other value has a weight, too."),
            "weights in the wrong order": (lambda w, v: w[::-1] @ v, "The first weight belongs to the first value."),
        },
    ),
    Exercise(
        name="shape-of-weights",
        question="Seven queries of 16 numbers look at four keys. The values have 10 numbers. What shape do the weights"
        " have?",
        asks=Shape(),
        given=(np.zeros((7, 16)), np.zeros((4, 16)), np.zeros((4, 10))),
        right=lambda q, k, v: (q @ k.T).shape,
        because="There is a row for each query, with a weight for each key.",
        mistakes={
            "transposed": (lambda q, k, v: (k @ q.T).shape, "The rows are those who look: the queries."),
            "the output's shape": (
                lambda q, k, v: (q @ k.T @ v).shape,
                "That is the shape of the output. The weights have a number for each key.",
            ),
            "the scores' depth kept": (
                lambda q, k, v: (len(q), len(k), q.shape[1]),
                "The dot product adds up over the 16 numbers, so that axis is gone.",
            ),
        },
    ),
]

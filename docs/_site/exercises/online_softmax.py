"""Exercises of the lesson "A softmax in pieces"."""

import numpy as np

from exercises import Choice, Exercise, Numbers

PAGES = (np.array([1.0, 1.0]), np.array([3.0]))
WORKERS = (1.0, 10.0), (3.0, 30.0)  # of each its sum of powers and its finished output
HANDED_OVER = {
    "nothing": "Sums of 0. Merging then adds nothing.",
    "one": "A sum of 1, so that nobody divides by 0.",
    "nan": "NaN, so that everybody sees that it was empty.",
    "keys": "Sums as if nothing were hidden, because the mask comes at the end.",
}


EXERCISES = [
    Exercise(
        name="carry-over",
        question="A row has the scores 1, 1 and 3, in two pieces: 1, 1 and then 3. After the first piece the largest"
        " score is 1 and the sum is 2. What is the sum after the second piece? (The exponential of -2 is 0.135.)",
        asks=Numbers(("",), digits=2),
        given=PAGES,
        right=lambda a, b: np.exp(np.concatenate([a, b]) - 3).sum(),
        because="The new largest score is 3. So 2 is mended by the exponential of 1 - 3, which gives 0.27, and the 3"
        " itself adds 1.",
        mistakes={
            "not mended": (
                lambda a, b: np.exp(a - a.max()).sum() + np.exp(b - b.max()).sum(),
                "The 2 was measured from 1, and the new 1 from 3. Bring both to the same measure first.",
            ),
            "mended the wrong way": (
                lambda a, b: np.exp(a - a.max()).sum() * np.exp(b.max() - a.max()) + 1,
                "Seen from a larger maximum, what came before gets smaller.",
            ),
            "the first piece forgotten": (
                lambda a, b: np.exp(b - b.max()).sum(),
                "The first piece still counts, a little.",
            ),
            "measured from 1": (
                lambda a, b: np.exp(np.concatenate([a, b]) - a.max()).sum(),
                "The sum is right if 1 stays the measure. But the measure is the largest score so far, and that is 3"
                " now.",
            ),
        },
    ),
    Exercise(
        name="two-workers",
        question="Two workers have each read half of the keys, and both found the same largest score. The first has the"
        " sum of powers 1 and the output 10. The second has the sum 3 and the output 30. (Both outputs are finished, so"
        " they have been divided.) What is the output for all keys?",
        asks=Numbers(("",), digits=1),
        given=WORKERS,
        right=lambda one, other: (one[0] * one[1] + other[0] * other[1]) / (one[0] + other[0]),
        because="The second has three quarters of all powers, so it has three quarters of the say: 10 / 4 + 30 · 3 /"
        " 4.",
        mistakes={
            "half a say each": (
                lambda one, other: (one[1] + other[1]) / 2,
                "Then a piece with small powers would count as much as one with large ones.",
            ),
            "outputs added": (
                lambda one, other: one[1] + other[1],
                "Sums may be added. But outputs have been divided, each by its own sum.",
            ),
            "not divided": (
                lambda one, other: one[0] * one[1] + other[0] * other[1],
                "That is the sum of powers times values. It must still be divided by the sum of both pieces' powers.",
            ),
            "the larger one": (
                lambda one, other: max(one[1], other[1]),
                "The first piece has a quarter of all powers, so it has a quarter of the say.",
            ),
        },
    ),
    Exercise(
        name="what-need-not-move",
        question="A head has 100 queries and 100 keys of 10 numbers each. Plain attention writes the scores to the"
        " large memory, reads them, writes the weights and reads them. Attention in pieces does without these four"
        " trips. How many numbers move in them?",
        asks=Numbers(("",), digits=0),
        given=(100, 10),
        right=lambda n, d: 4 * n * n,
        because="Scores and weights have a row for each query and a column for each key. These 10,000 numbers make four"
        " trips.",
        mistakes={
            "only one way": (lambda n, d: 2 * n * n, "What is written must be read again for the next step."),
            "one trip": (
                lambda n, d: n * n,
                "That moves one matrix once. There are two, and each is written and read.",
            ),
            "as large as the inputs": (
                lambda n, d: 4 * n * d,
                "Queries and keys have 10 numbers each. A score belongs to a pair of a query and a key.",
            ),
        },
    ),
    Exercise(
        name="a-hidden-piece",
        question="All keys of a piece are hidden from a query. What must this piece hand over?",
        asks=Choice(tuple(HANDED_OVER.values())),
        given=(0,),
        right=lambda seen: HANDED_OVER["keys" if seen else "nothing"],
        because="A hidden key has the power 0. So both sums are 0, as long as the piece is measured from a number, and"
        " not from minus infinity.",
        mistakes={
            "a sum of one": (
                lambda seen: HANDED_OVER["one"],
                "Then the other pieces would lose some of their say to keys that nobody may see.",
            ),
            "not a number": (lambda seen: HANDED_OVER["nan"], "A NaN would make the sums of all pieces a NaN."),
            "the mask at the end": (
                lambda seen: HANDED_OVER["keys"],
                "At the end nobody knows any more what the hidden keys have added.",
            ),
        },
    ),
]

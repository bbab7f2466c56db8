"""Exercises of the lesson "Long sequences"."""

import numpy as np

from exercises import Cells, Exercise, Numbers

BLOCKS = tuple(f"{4 * i} to {4 * i + 3}" for i in range(3))


def skipped(n):
    """Return which blocks of queries (rows) and keys hold nothing that may be seen."""
    mask = np.triu(np.ones((4 * n, 4 * n)), k=1).reshape(n, 4, n, 4)
    return mask.all(axis=(1, 3)).astype(int)


EXERCISES = [
    Exercise(
        name="twice-as-long",
        question="For 1,000 letters the weights of a head take 4 MB. How many MB do they take for 3,000?",
        asks=Numbers(("",), digits=0),
        given=(4, 3),
        right=lambda mb, times: mb * times**2,
        because="There are three times as many rows, and each is three times as long.",
        mistakes={
            "grows like the inputs": (
                lambda mb, times: mb * times,
                "Queries, keys and values grow like that. The weights have a row and a column for each letter.",
            ),
            "rows and columns added": (lambda mb, times: mb * (times + times), "Rows and columns multiply."),
            "grows with the cube": (lambda mb, times: mb * times**3, "A matrix has two axes that grow, not three."),
        },
    ),
    Exercise(
        name="blocks-not-computed",
        question="Causal attention reads 12 letters in blocks of 4 queries. Cut the keys into fours, too. Which parts"
        " need not be computed at all? Rows are queries, columns are keys.",
        asks=Cells(BLOCKS, BLOCKS, on="skipped", off="computed"),
        given=(3,),
        right=skipped,
        because="Above the diagonal every key comes after every query. The blocks on the diagonal are only half"
        " hidden.",
        mistakes={
            "the diagonal, too": (
                lambda n: np.triu(np.ones((n, n))),
                "A block on the diagonal holds letters that see each other: query 5 sees key 4.",
            ),
            "transposed": (
                lambda n: skipped(n).T,
                "Rows are queries. Queries 8 to 11 look back at keys 0 to 3, and these are needed.",
            ),
            "inverted": (lambda n: 1 - skipped(n), "These are the blocks that are computed."),
        },
    ),
    Exercise(
        name="scores-of-a-block",
        question="Causal attention reads 16 letters in blocks of 4 queries. A block meets all keys up to its last"
        " query. How many scores does the second block compute?",
        asks=Numbers(("",), digits=0),
        given=(16, 4),
        right=lambda n, size: size * 2 * size,
        because="Its queries are 4 to 7, so it meets the keys 0 to 7: four rows of eight scores.",
        mistakes={
            "whole rows": (
                lambda n, size: size * n,
                "No query of this block may see the keys 8 to 15, so they are left out.",
            ),
            "only what is seen": (
                lambda n, size: sum(range(size + 1, 2 * size + 1)),
                "Query 4 sees five keys, 5 sees six, and so on. But the block computes whole rows, and hides the rest.",
            ),
            "its own keys alone": (
                lambda n, size: size * size,
                "The queries also look back at the keys of the first block.",
            ),
            "both blocks": (
                lambda n, size: size * size + size * 2 * size,
                "That is what the first block and the second compute together.",
            ),
        },
    ),
]

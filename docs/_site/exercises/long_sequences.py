"""Exercises of the lesson "Long sequences"."""

import numpy as np

from exercises import Cells, Exercise, Numbers

BLOCKS = tuple(f"{4 * i} to {4 * i + 3}" for i in range(3))
PAGES = (np.array([1.0, 1.0]), np.array([3.0]))


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
        because="Three times as many rows, and each of them three times as long.",
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
        question="12 letters, causal, in blocks of 4 queries and 4 keys. Which blocks need not be computed at all? Rows"
        " are queries, columns are keys.",
        asks=Cells(BLOCKS, BLOCKS, on="skipped", off="computed"),
        given=(3,),
        right=skipped,
        because="Above the diagonal every key comes after every query. The blocks on the diagonal are hidden in half"
        " only.",
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
]

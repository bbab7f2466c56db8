"""Exercises of the lesson "The Transformer layer"."""

import numpy as np

from exercises import Choice, Exercise, Numbers

LETTER = np.array([1.0, 0.0, 2.0, 1.0])
FOUND = np.array([1.0, 0.0, 2.0, 5.0])
LINES = {
    "norm first": "x + f(norm(x))",
    "norm last": "norm(x + f(x))",
    "no residual": "norm(f(x))",
    "norm of what was found": "x + norm(f(x))",
}


def norm(x):
    x = x - x.mean()
    return x / np.sqrt((x**2).mean())


EXERCISES = [
    Exercise(
        name="residual-and-norm",
        question="A letter is the vector (1, 0, 2, 1), and attention found (1, 0, 2, 5) for it. What comes out behind"
        " residual and norm? (The size is the root of the mean square. Here the mean square is a whole number.)",
        asks=Numbers(("1st", "2nd", "3rd", "4th"), digits=2),
        given=(LETTER, FOUND),
        right=lambda x, found: norm(x + found),
        because="The sum is (2, 0, 4, 6), its mean 3. That leaves (-1, -3, 1, 3), whose mean square is 5; divide by"
        " 2.236.",
        mistakes={
            "residual forgotten": (
                lambda x, found: norm(found),
                "You normed what attention found. The letter itself is added first.",
            ),
            "only shifted": (
                lambda x, found: (x + found) - (x + found).mean(),
                "The mean is 0 now. The numbers must still be divided by their size.",
            ),
            "divided by the variance": (
                lambda x, found: ((x + found) - (x + found).mean()) / (x + found).var(),
                "The mean square is 5. The size is its root.",
            ),
            "mean not subtracted": (
                lambda x, found: (x + found) / np.sqrt(((x + found) ** 2).mean()),
                "First the mean goes to 0, then the numbers are divided by their size.",
            ),
        },
    ),
    Exercise(
        name="which-line-is-pre-norm",
        question="`f` is a part such as attention. Which line is a block with the norm first?",
        asks=Choice(),
        given=(LINES,),
        right=lambda lines: lines["norm first"],
        because="The part reads the normed letter, and the letter itself goes on as it is.",
        mistakes={
            "post-norm": (
                lambda lines: lines["norm last"],
                "That is the norm last, as in the first Transformer: it divides the letter on its way, too.",
            ),
            "residual forgotten": (
                lambda lines: lines["no residual"],
                "The letter itself is gone: nothing is added to it.",
            ),
            "the norm behind the part": (
                lambda lines: lines["norm of what was found"],
                "Here the part reads numbers of any size, and only what it found is normed.",
            ),
        },
    ),
    Exercise(
        name="left-of-the-letter",
        question="In a tower with the norm last, each part leaves 0.8 of the letter. How much is left of it after two"
        " layers of an encoder?",
        asks=Numbers(("",), digits=2),
        given=(0.8, 2),
        right=lambda share, layers: share ** (2 * layers),
        because="Four parts: 0.8 times 0.8 times 0.8 times 0.8.",
        mistakes={
            "one part a layer": (
                lambda share, layers: share**layers,
                "A layer has two parts, attention and the feed-forward network, and each has a norm behind it.",
            ),
            "added, not multiplied": (
                lambda share, layers: 1 - 2 * layers * (1 - share),
                "Each part leaves 0.8 of what has come to it, so the shares multiply.",
            ),
            "only the last norm counts": (
                lambda share, layers: share,
                "Every norm on the way divides the letter once more.",
            ),
        },
    ),
]

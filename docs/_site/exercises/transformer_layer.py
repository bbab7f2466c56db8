"""Exercises of the lesson "The Transformer layer"."""

import numpy as np

from exercises import Exercise, Numbers

LETTER = np.array([0.0, 2.0, 1.0, 0.0])
FOUND = np.array([0.0, 4.0, 1.0, 0.0])
PATTERN = np.array([1.0, 3.0, 5.0, 7.0])


def norm(x):
    x = x - x.mean()
    return x / np.sqrt((x**2).mean())


EXERCISES = [
    Exercise(
        name="residual-and-norm",
        question="A letter is the vector (0, 2, 1, 0), and attention found (0, 4, 1, 0) for it. What comes out after"
        " residual and norm? (The size is the root of the mean square. Here the mean square is a whole number.)",
        asks=Numbers(("1st", "2nd", "3rd", "4th"), digits=2),
        given=(LETTER, FOUND),
        right=lambda x, found: norm(x + found),
        because="The sum is (0, 6, 2, 0), and its mean is 2. That leaves (-2, 4, 0, -2), whose mean square is 6, so"
        " divide by 2.449.",
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
                "The mean square is 6. The size is its root.",
            ),
            "mean not subtracted": (
                lambda x, found: (x + found) / np.sqrt(((x + found) ** 2).mean()),
                "First subtract the mean, then divide the numbers by their size.",
            ),
        },
    ),
    Exercise(
        name="ten-times-and-negative",
        question="The norm turns (1, 3, 5, 7) into (-1.34, -0.45, 0.45, 1.34). What does it make of (-10, -30, -50,"
        " -70)?",
        asks=Numbers(("1st", "2nd", "3rd", "4th"), digits=2),
        given=(PATTERN,),
        right=lambda x: norm(-10 * x),
        because="The size is divided out, so the ten is gone. The pattern is turned round: the largest number is now"
        " the smallest.",
        mistakes={
            "sign forgotten": (
                norm,
                "The ten is gone, but the sign stays: the first number is the largest of the four now.",
            ),
            "size kept": (
                lambda x: -10 * norm(x),
                "After a norm the size is always 1. Numbers ten times as large have ten times the size, which is"
                " divided out.",
            ),
            "mean not subtracted": (
                lambda x: -x / np.sqrt((x**2).mean()),
                "The mean of the four is -40. Subtract it first.",
            ),
        },
    ),
    Exercise(
        name="how-many-norms",
        question="A Transformer has six layers in its encoder and six in its decoder (a layer of the decoder has three"
        " parts). A norm stands after each part. How many norms are there?",
        asks=Numbers(("encoder", "decoder"), digits=0),
        given=(6, 2, 3),
        right=lambda layers, encoder, decoder: (layers * encoder, layers * decoder),
        because="A layer of the encoder has two parts, attention and the small network. A layer of the decoder has one"
        " more, the attention that looks at the text.",
        mistakes={
            "one for each layer": (
                lambda layers, encoder, decoder: (layers, layers),
                "A norm stands after each part, and a layer has more than one part.",
            ),
            "cross-attention forgotten": (
                lambda layers, encoder, decoder: (layers * encoder, layers * encoder),
                "That is right for the encoder. But a layer of the decoder has a second attention, which has its own"
                " norm.",
            ),
        },
    ),
]

"""Exercises of the lesson "Training"."""

import numpy as np

from exercises import Choice, Exercise, Numbers

P = np.array([0.5, 0.25, 0.5])
ANSWER = [1, 7, 8, 9, 2]


def pair(given, wanted):
    return f"given {given}, to predict {wanted}"


EXERCISES = [
    Exercise(
        name="mean-loss",
        question="The three right letters got the probabilities 0.5, 0.25 and 0.5. What is the mean loss of a letter?"
        " (The logarithm of 0.5 is -0.693, and 0.25 is 0.5 times 0.5.)",
        asks=Numbers(("",), digits=2),
        given=(P,),
        right=lambda p: -np.log(p).mean(),
        because="0.693, 1.386 and 0.693 make 2.773, and there are three places.",
        mistakes={
            "the sum": (lambda p: -np.log(p).sum(), "This is the sum over the places. You need the mean."),
            "logarithm of the mean": (
                lambda p: -np.log(p.mean()),
                "First take the logarithm at each place, then the mean. Otherwise one certain letter would hide a bad"
                " one.",
            ),
            "one of the likelier letters": (
                lambda p: -np.log(p.max()),
                "This is the loss of the first letter, or the last. You need the mean of all three.",
            ),
            "the middle letter": (
                lambda p: -np.log(p.min()),
                "This is the loss of the letter with 0.25. You need the mean of all three.",
            ),
            "in bits": (
                lambda p: -np.log2(p).mean(),
                "This is in bits, which use logarithms to the base 2. The loss uses the base e.",
            ),
            "one minus the mean": (
                lambda p: 1 - p.mean(),
                "The loss uses logarithms, so it costs a lot to be certain and wrong.",
            ),
        },
    ),
    Exercise(
        name="shifted",
        question="The ids of an answer are `[1, 7, 8, 9, 2]`: a start mark, three letters, an end mark. What is given"
        " to the decoder, and what does it have to predict?",
        asks=Choice(),
        given=(ANSWER,),
        right=lambda ids: pair(ids[:-1], ids[1:]),
        because="At each place the decoder predicts the next letter, from the start mark to the end mark.",
        mistakes={
            "not shifted": (
                lambda ids: pair(ids[:-1], ids[:-1]),
                "Then the machine would only copy what it is given.",
            ),
            "shifted the wrong way": (
                lambda ids: pair(ids[1:], ids[:-1]),
                "Here each place must say what came before. And the end mark would be given.",
            ),
            "the end mark forgotten": (
                lambda ids: pair(ids[:-2], ids[1:-1]),
                "Then the machine would never learn to stop.",
            ),
        },
    ),
    Exercise(
        name="one-nudge",
        question="The loss is the square of (w - 3), w is 6, and the learning rate is 0.25. Where is w after one"
        " nudge?",
        asks=Numbers(("",), digits=2),
        given=(6.0, 0.25),
        right=lambda w, rate: w - rate * 2 * (w - 3),
        because="The slope is 2 times (6 - 3) = 6. A quarter of it is 1.5, and w goes against the slope, from 6 to"
        " 4.5.",
        mistakes={
            "up the slope": (
                lambda w, rate: w + rate * 2 * (w - 3),
                "This goes uphill. A nudge goes against the slope.",
            ),
            "the 2 forgotten": (
                lambda w, rate: w - rate * (w - 3),
                "The slope of a square is twice the number: 2 (w - 3).",
            ),
            "by the loss": (
                lambda w, rate: w - rate * (w - 3) ** 2,
                "The nudge is a share of the slope, not of the loss.",
            ),
            "the learning rate forgotten": (
                lambda w, rate: w - 2 * (w - 3),
                "Only a share of the slope is taken, here a quarter.",
            ),
        },
    ),
]

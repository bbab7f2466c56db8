"""Exercises of the lesson "Adam and the warm-up"."""

import numpy as np

from exercises import Exercise, Numbers

SLOPES = np.array([8.0, 0.02])


EXERCISES = [
    Exercise(
        name="plain-nudges",
        question="Two numbers have the slopes 8 and 0.02, and the learning rate is 0.01. How far do plain nudges move"
        " them? (Say how far, not which way.)",
        asks=Numbers(("first", "second"), digits=4),
        given=(SLOPES, 0.01),
        right=lambda slopes, rate: rate * slopes,
        because="A plain nudge is the slope times the learning rate: the first goes 400 times as far as the second.",
        mistakes={
            "Adam": (
                lambda slopes, rate: rate * slopes / slopes,
                "That is how far Adam would go. A plain nudge knows nothing of usual slopes.",
            ),
            "the learning rate forgotten": (
                lambda slopes, rate: slopes,
                "Only a share of the slope is taken, here a hundredth.",
            ),
            "divided": (
                lambda slopes, rate: rate / slopes,
                "A steeper slope moves its number farther, not less far.",
            ),
        },
    ),
    Exercise(
        name="the-root-of-the-mean-square",
        question="A number had the slopes 3 and -3, one after the other. What usual size does Adam divide by at the"
        " second step?",
        asks=Numbers(("",), digits=1),
        given=(np.array([3.0, -3.0]),),
        right=lambda slopes: np.sqrt(np.mean(slopes**2)),
        because="Both squares are 9, so every mean of them is 9. Its root is 3, the usual size of a slope.",
        mistakes={
            "mean of the slopes": (lambda slopes: np.mean(slopes), "Squares have no sign, so they do not cancel."),
            "no root": (lambda slopes: np.mean(slopes**2), "That is the mean of the squares, before the root."),
            "sum of the squares": (
                lambda slopes: np.sqrt(np.sum(slopes**2)),
                "You need a mean here, not a sum.",
            ),
        },
    ),
    Exercise(
        name="on-the-way-up",
        question="The learning rate grows in a straight line from 0 to 0.004 in 150 steps. How large is it at step 75,"
        " and at step 150?",
        asks=Numbers(("step 75", "step 150"), digits=4),
        given=(np.array([75, 150]), 0.004, 150),
        right=lambda steps, peak, warmup: peak * steps / warmup,
        because="Step 75 is half-way up, and step 150 is the top. After that the rate shrinks.",
        mistakes={
            "no warm-up": (
                lambda steps, peak, warmup: peak * np.ones(2),
                "It is this large only when the warm-up is over.",
            ),
            "upside down": (
                lambda steps, peak, warmup: peak * (1 - steps / warmup),
                "Your rate shrinks. A warm-up begins at 0.",
            ),
        },
    ),
]

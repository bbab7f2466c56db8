"""Exercises of the lesson "Writing"."""

import numpy as np

from exercises import Choice, Exercise, Numbers, softmax, table

FIRST = {"A": 0.5, "B": 0.4, "C": 0.1}
BEST_AFTER = {"A": 0.4, "B": 0.6, "C": 1.0}
LOGITS = np.array([2.0, 0.0])
TAKEN, LEFT = [0.9, 0.6, 1.0], [0.1, 0.4, 0.0]


def whole(first, after):
    return {letter: first[letter] * after[letter] for letter in first}


def most(found):
    return max(found, key=found.get)


def bound(taken, left):
    """Return the most that an answer can have which leaves the taken letters somewhere."""
    return max(np.prod(taken[:step]) * left[step] for step in range(len(left)))


EXERCISES = [
    Exercise(
        name="greedy-or-beam",
        question="Answers have two letters. These are the probabilities of the first, and of the best that can follow"
        " it. Which first letter does a beam of width 2 choose in the end?",
        shown=table(
            [list(FIRST.values()), list(BEST_AFTER.values())],
            head=list(FIRST),
            side=["first letter", "the best after it"],
        ),
        asks=Choice(("A", "B", "C")),
        given=(FIRST, BEST_AFTER),
        right=lambda first, after: most({x: whole(first, after)[x] for x in sorted(first, key=first.get)[-2:]}),
        because="The beam keeps A and B. A ends with 0.5 times 0.4 = 0.2, B with 0.4 times 0.6 = 0.24.",
        mistakes={
            "greedy search": (
                lambda first, after: most(first),
                "Greedy search takes A, and ends with 0.2. The beam also follows the second best letter.",
            ),
            "only the second letter counts": (
                lambda first, after: most(after),
                "C is not among the two best beginnings, so it is dropped. And its whole answer has only 0.1.",
            ),
        },
    ),
    Exercise(
        name="temperature",
        question="Two letters have the logits 2 and 0. Which probabilities do they get at temperature 2? (e is about"
        " 2.718.)",
        asks=Numbers(("first", "second"), digits=2),
        given=(LOGITS, 2.0),
        right=lambda z, t: softmax(z / t),
        because="The logits are divided by 2: 1 and 0. Then 2.718 / 3.718 is 0.73.",
        mistakes={
            "multiplied": (lambda z, t: softmax(z * t), "This is temperature 0.5: it makes likely letters likelier."),
            "in the other order": (
                lambda z, t: softmax(z / t)[::-1],
                "The numbers are right, but the larger logit gets the larger probability.",
            ),
            "temperature forgotten": (lambda z, t: softmax(z), "This is temperature 1."),
            "the probabilities were divided": (
                lambda z, t: softmax(z) / t,
                "The logits are divided, before the softmax. These two don't add up to one.",
            ),
            "fair": (lambda z, t: np.full(2, 0.5), "At a very high temperature it would be fair. 2 is not that high."),
        },
    ),
    Exercise(
        name="no-better-answer",
        question="Greedy search takes letters with the probabilities 0.9, 0.6 and 1. In these three steps the second"
        " choice has 0.1, 0.4 and 0. How probable can any other answer be at most?",
        shown=table([TAKEN, LEFT], head=["1", "2", "3"], side=["taken", "second choice"]),
        asks=Numbers(("",), digits=2),
        given=(TAKEN, LEFT),
        right=bound,
        because="It must leave greedy search's answer somewhere. At the first letter it then has at most 0.1, and at"
        " the second 0.9 times 0.4 = 0.36. Whatever follows can't make it more probable.",
        mistakes={
            "the answer of greedy search": (
                lambda taken, left: np.prod(taken),
                "That is what greedy search's own answer has, 0.9 times 0.6.",
            ),
            "only the first letter": (
                lambda taken, left: left[0],
                "That is so if it leaves at the first letter. But it may also leave at the second, after 0.9.",
            ),
            "the second choice alone": (
                lambda taken, left: max(left),
                "The first letter comes before the second, and it has only 0.9.",
            ),
        },
    ),
]

"""Exercises of the lesson "Writing"."""

import numpy as np

from exercises import Choice, Exercise, Numbers, Shape, softmax, table

FIRST = {"A": 0.5, "B": 0.4, "C": 0.1}
BEST_AFTER = {"A": 0.4, "B": 0.6, "C": 1.0}
LOGITS = np.array([2.0, 0.0])


def whole(first, after):
    return {letter: first[letter] * after[letter] for letter in first}


def most(found):
    return max(found, key=found.get)


EXERCISES = [
    Exercise(
        name="greedy-or-beam",
        question="Answers of two letters: these are the probabilities of the first, and of the best that can follow it."
        " Which first letter does a beam of width 2 end with?",
        shown=table(
            [list(FIRST.values()), list(BEST_AFTER.values())],
            head=list(FIRST),
            side=["first letter", "the best after it"],
        ),
        asks=Choice(("A", "B", "C")),
        given=(FIRST, BEST_AFTER),
        right=lambda first, after: most({x: whole(first, after)[x] for x in sorted(first, key=first.get)[-2:]}),
        because="It keeps A and B. A ends with 0.5 times 0.4 = 0.2, B with 0.4 times 0.6 = 0.24.",
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
            "multiplied": (lambda z, t: softmax(z * t), "This is temperature 0.5: it makes the likely likelier."),
            "in the other order": (
                lambda z, t: softmax(z / t)[::-1],
                "The right numbers, but the larger logit gets the larger probability.",
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
        name="shape-with-a-cache",
        question="One text, one head. A decoder was given the start mark and has written nine letters. The keys of"
        " all these but the last letter are in its cache, and now this letter goes in. Which shape do the weights of"
        " its self-attention have in this step?",
        asks=Shape(),
        given=(10,),
        right=lambda n: (1, n),
        because="Only the last letter asks. It sees itself and the nine before it, whose keys were kept.",
        mistakes={
            "no cache": (lambda n: (n, n), "So it is without a cache: all letters ask again."),
            "the letter that is not yet written": (
                lambda n: (1, n + 1),
                "The letter that is asked for is not there yet, so it has no key. There are ten: the start mark and"
                " nine letters.",
            ),
            "only itself": (lambda n: (1, 1), "What was kept is looked at: keys and values of all letters so far."),
            "its own key forgotten": (lambda n: (1, n - 1), "The last letter also sees itself."),
        },
    ),
]

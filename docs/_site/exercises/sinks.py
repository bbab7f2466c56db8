"""Exercises of the lesson "Attention sinks"."""

import numpy as np

from exercises import Choice, Exercise, Numbers, softmax

SCORES = np.array([1.0, 1.0])
LOW = np.full(9, -3.0)
ANSWERS = {
    "none": "All three.",
    "vowels": "Only the vowel.",
    "others": "Only the letters that are no vowels.",
    "marked": "None of them.",
}

EXERCISES = [
    Exercise(
        name="with-a-sink",
        question="A query has two keys with the score 1 each, and a sink with the score 1. Which weights do the two"
        " keys get?",
        asks=Numbers(("first", "second"), digits=2),
        given=(SCORES, 1.0),
        right=lambda s, sink: softmax(np.append(s, sink))[:2],
        because="Three equal scores share the weight, and the share of the sink is thrown away.",
        mistakes={
            "sink forgotten": (lambda s, sink: softmax(s), "Without a sink each would get a half."),
            "given back to the keys": (
                lambda s, sink: softmax(np.append(s, sink))[:2] + softmax(np.append(s, sink))[2],
                "The weight of the sink is not given to anybody.",
            ),
        },
    ),
    Exercise(
        name="none-of-you",
        question="Nine keys have the score -3 each, and the sink has the score 0. How much of the weight goes to the"
        " sink? (e to the power of -3 is 0.0498.)",
        asks=Numbers(("",), digits=2),
        given=(LOW, 0.0),
        right=lambda s, sink: softmax(np.append(s, sink))[-1],
        because="1 / (1 + 9 · 0.0498) = 1 / 1.448.",
        mistakes={
            "one key only": (
                lambda s, sink: softmax(np.append(s[:1], sink))[-1],
                "That is its share against one such key. But there are nine, and their powers add up.",
            ),
            "scores in place of powers": (
                lambda s, sink: 1 / (1 + len(s)),
                "That is its share if all scores are equal. The powers of the keys are much smaller than its 1.",
            ),
            "what the keys get": (
                lambda s, sink: 1 - softmax(np.append(s, sink))[-1],
                "That is what the nine keys get together.",
            ),
        },
    ),
    Exercise(
        name="who-goes-wrong",
        question="In the small machine with the start mark the letter before each vowel is hidden, and the start mark"
        " can be seen. In a text such as •dox, which answers will suffer?",
        asks=Choice(),
        right=lambda: ANSWERS["vowels"],
        because="The vowel can't fetch the letter before it. The others send their weight to the start mark, as ever.",
        mistakes={
            "all": (lambda: ANSWERS["none"], "The d and the x need no letter, and the start mark is still there."),
            "those without a look": (
                lambda: ANSWERS["others"],
                "These go wrong if the start mark is hidden. Here it is not.",
            ),
            "nobody": (lambda: ANSWERS["marked"], "The vowel has to write the letter before it, and can't see it."),
        },
    ),
]

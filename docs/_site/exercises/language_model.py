"""Exercises of the lesson "From here to GPT"."""

import numpy as np

from exercises import Cells, Exercise, Numbers

P = np.array([0.25, 0.5, 1.0, 0.125])
LETTERS = ("a", "b", "c", "d")
SHARES = np.array([0.5, 0.3, 0.15, 0.05])


def kept(shares, p):
    """Return which letters top-p keeps: as few as together reach p."""
    before = np.cumsum(shares) - shares
    return (before < p).astype(int)


EXERCISES = [
    Exercise(
        name="bits-a-letter",
        question="Four letters came, and a model had given them the probabilities 1/4, 1/2, 1 and 1/8. How many bits is"
        " that for a letter, on average?",
        asks=Numbers(("",), digits=2),
        given=(P,),
        right=lambda p: -np.log2(p).mean(),
        because="2, 1, 0 and 3 bits make 6 bits, and there are four letters.",
        mistakes={
            "the sum": (
                lambda p: -np.log2(p).sum(),
                "These are all the bits together. The question is how many a letter has.",
            ),
            "bits of the mean": (lambda p: -np.log2(p.mean()), "First take the bits of each letter, then their mean."),
            "the natural logarithm": (
                lambda p: -np.log(p).mean(),
                "This is the loss of training. Bits need logarithms to the base 2.",
            ),
        },
    ),
    Exercise(
        name="what-top-p-keeps",
        question="Four letters have the probabilities 0.5, 0.3, 0.15 and 0.05. Which of them does top-p 0.9 keep?",
        asks=Cells(("",), LETTERS, on="kept", off="cut off"),
        given=(SHARES, 0.9),
        right=kept,
        because="0.5 and 0.3 are 0.8, which is not enough. With c it is 0.95.",
        mistakes={
            "stopped too early": (
                lambda s, p: (np.cumsum(s) <= p).astype(int),
                "Together these have 0.8. Letters are kept until they reach 0.9.",
            ),
            "nothing cut off": (lambda s, p: np.ones(4), "Three of them already have 0.95 together."),
            "only the best": (lambda s, p: np.eye(4)[0], "That would be greedy search. 0.5 does not reach 0.9."),
        },
    ),
    Exercise(
        name="after-top-p",
        question="Of three letters with the probabilities 0.6, 0.2 and 0.2 only the first two are kept. With what"
        " probabilities are they drawn?",
        asks=Numbers(("first", "second"), digits=2),
        given=(np.array([0.6, 0.2, 0.2]),),
        right=lambda p: p[:2] / p[:2].sum(),
        because="They are divided by their sum, 0.8, so that they add up to one again.",
        mistakes={
            "not divided": (lambda p: p[:2], "These add up to only 0.8, but some letter has to be drawn."),
            "the rest shared out equally": (
                lambda p: p[:2] + p[2] / 2,
                "The rest is not handed out in equal parts: the ratio 3 to 1 stays.",
            ),
            "a fair draw": (lambda p: np.full(2, 0.5), "The more probable one stays more probable."),
        },
    ),
    Exercise(
        name="examples-in-a-piece",
        question="A piece of 129 bytes is cut out of a text to train a language model. How many examples of 'what comes"
        " next?' are in it?",
        asks=Numbers(("",), digits=0),
        given=(129,),
        right=lambda n: n - 1,
        because="Each byte but the last has a next one in the piece.",
        mistakes={
            "the last has no next": (lambda n: n, "What comes after the last byte was cut off."),
            "one too few": (lambda n: n - 2, "The first byte is seen, and the second one must be said: that counts."),
            "one example": (lambda n: 1, "The look-ahead mask turns each place into an example."),
            "every pair": (lambda n: n * (n - 1) // 2, "At each place only the next byte is asked for."),
        },
    ),
]

"""Exercises of the lesson "From here to GPT"."""

import numpy as np

from exercises import Exercise, Numbers

P = np.array([0.25, 0.5, 1.0, 0.125])

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
        name="counted",
        question="A table of two letters has met “th” ten times. An e came next three times, and never a q. It knows no"
        " doubt: each probability is a share of what it has counted. How probable is an e after “th”, and how probable"
        " is a q?",
        asks=Numbers(("e", "q"), digits=2),
        given=(3, 10),
        right=lambda e, th: (e / th, 0),
        because="3 of 10 are 0.3. A q would cost infinitely many bits, so a table had better keep a doubt.",
        mistakes={
            "among all letters": (lambda e, th: (1 / 26, 1 / 26), "That is a guess by one who has counted nothing."),
            "against the others": (
                lambda e, th: (e / (th - e), 0),
                "This compares the e with the seven others. Its share is taken of all ten.",
            ),
            "the rest for the q": (lambda e, th: (e / th, 1 - e / th), "The other seven times other letters came."),
        },
    ),
    Exercise(
        name="perplexity",
        question="A model gives each letter that comes the probability 1/16. How many bits is that a letter, and what"
        " is its perplexity?",
        asks=Numbers(("bits", "perplexity"), digits=1),
        given=(1 / 16,),
        right=lambda p: (-np.log2(p), 1 / p),
        because="Halving 1 four times gives 1/16. It is as unsure as one who has to choose between 16 equal letters.",
        mistakes={
            "the other way round": (lambda p: (1 / p, -np.log2(p)), "Perplexity is 2 to the power of the bits."),
            "the natural logarithm": (
                lambda p: (-np.log(p), 1 / p),
                "This is the loss of training. Bits need logarithms to the base 2.",
            ),
            "twice the bits": (lambda p: (-np.log2(p), -2 * np.log2(p)), "Each bit doubles it: 2, 4, 8, 16."),
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

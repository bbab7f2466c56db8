"""Exercises of the lesson "A machine that reads dates"."""

import numpy as np

from exercises import Choice, Exercise, Numbers, table

VECTORS = np.array([[2.0, 0.0], [0.0, 4.0], [4.0, 2.0]])
WEIGHTS = np.array([0.5, 0.25, 0.25])
TEXT = "12.11.2010"


def puddle(text):
    """Return what a plain average still knows of a text: which letters occur, and how often."""
    return sorted(text)


def turned(text):
    return text[1] + text[0] + text[2:]


def one_changed(text):
    return text[:-1] + "1"


def day_twice(text):
    return text[:3] + text[:2] + text[5:]


EXERCISES = [
    Exercise(
        name="weighted-average",
        question="Three letters have these vectors, and a machine looks at them with these weights. Which two numbers"
        " does it bring back, if each vector is multiplied by its weight and all are added up?",
        shown=table(np.column_stack([VECTORS, WEIGHTS]), head=["first", "second", "weight"], side=["3", "m", "a"]),
        asks=Numbers(("first", "second"), digits=1),
        given=(VECTORS, WEIGHTS),
        right=lambda x, w: w @ x,
        because="Each letter adds its vector times its weight: 0.5 times (2, 0), 0.25 times (0, 4), 0.25 times (4, 2).",
        mistakes={
            "a plain average": (
                lambda x, w: x.mean(axis=0),
                "Each letter got a third. But the weights say that the 3 counts twice as much as the others.",
            ),
            "a plain sum": (lambda x, w: x.sum(axis=0), "The weights are missing: this adds up the three vectors."),
            "only the best one": (
                lambda x, w: x[w.argmax()],
                "That takes only the letter with the largest weight. The others have a weight, too.",
            ),
        },
    ),
    Exercise(
        name="same-puddle",
        question="Take the plain average of the vectors that the embedding has for the letters of a text, before any"
        f" place is added. Which text has exactly the same average as `{TEXT}`?",
        asks=Choice(),
        given=(TEXT,),
        right=lambda text: next(
            x for x in (day_twice(text), one_changed(text), turned(text)) if puddle(x) == puddle(text)
        ),
        because="It has the same letters, and each of them as often. Only their order is different.",
        mistakes={
            "one letter is another": (
                one_changed,
                "The last 0 has become a 1. The average counts how often each letter occurs, so it has changed a"
                " little.",
            ),
            "the same digits, but not as often": (
                day_twice,
                "Here the month is 12, too. So there is one more 2 and one 1 less, and an average counts them.",
            ),
        },
    ),
    Exercise(
        name="share-of-each",
        question="The averaging machine reads `3 may 2018`, blanks included. What weight does each letter get?",
        asks=Numbers(("",), digits=2),
        given=("3 may 2018",),
        right=lambda text: 1 / len(text),
        because="There are ten letters, since a blank is a letter, too, and the weights add up to one.",
        mistakes={
            "blanks forgotten": (
                lambda text: 1 / len(text.replace(" ", "")),
                "A blank is a letter like the others: it has an id and a vector.",
            ),
            "counted by words": (lambda text: 1 / len(text.split()), "This machine reads letters, not words."),
            "a weight of one for each": (lambda text: 1.0, "All the letters share a weight of one."),
        },
    ),
]

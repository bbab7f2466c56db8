"""Exercises of the lesson "How heads share the numbers"."""

import numpy as np

from clear_attention import split_heads
from exercises import Cells, Exercise, Numbers, Shape

NUMBERED = np.arange(12).reshape(1, 3, 4)  # a text of 3 letters, 4 numbers each


def split(x, heads):
    return np.asarray(split_heads(x.astype("float32"), heads))


EXERCISES = [
    Exercise(
        name="shape-after-split",
        question="Your `split` cuts a text of 5 letters, each with 12 numbers, for 3 heads. What shape comes out? (It"
        " has no axis for texts.)",
        asks=Shape(),
        given=(np.zeros((5, 12)), 3),
        right=lambda x, heads: split(x, heads).shape,
        because="The axes are heads, letters, numbers of a head. The 12 numbers are shared out: 4 for each head.",
        mistakes={
            "heads not moved": (
                lambda x, heads: (5, heads, 12 // heads),
                "Here the heads come after the letters, so the matrix product would compare heads, not letters.",
            ),
            "full width for each head": (
                lambda x, heads: (heads, 5, 12),
                "Each head gets a part of the 12 numbers, not all of them.",
            ),
            "heads and numbers exchanged": (
                lambda x, heads: (12 // heads, 5, heads),
                "There are 3 heads of 4 numbers each, not 4 heads of 3.",
            ),
            "heads mixed with letters": (
                lambda x, heads: (heads * 5, 12 // heads),
                "These are rows of the right width. But the heads have an axis of their own.",
            ),
        },
    ),
    Exercise(
        name="who-gets-which",
        question="A text of 3 letters, whose numbers are 0 to 3, 4 to 7 and 8 to 11, is split into 2 heads. Which two"
        " numbers of the first letter does the second head get?",
        asks=Numbers(("first", "second"), digits=0),
        given=(NUMBERED,),
        right=lambda x: split(x, 2)[0, 1, 0],
        because="The first letter is 0, 1, 2, 3. The first half goes to the first head, the second half to the second.",
        mistakes={
            "heads mixed": (
                lambda x: x.reshape(1, 2, 3, 2)[0, 1, 0],
                "That is what a plain reshape does: it reads on, and the second head gets numbers of another letter.",
            ),
            "every second number": (
                lambda x: x[0, 0, 1::2],
                "The numbers are not dealt out one by one: a head gets neighbours.",
            ),
            "the first head's": (lambda x: split(x, 2)[0, 0, 0], "These belong to the first head."),
        },
    ),
    Exercise(
        name="divided-by",
        question="A layer has `d_model = 64` and 4 heads. What are the scores of a head divided by?",
        asks=Numbers(("",), digits=0),
        given=(64, 4),
        right=lambda width, heads: np.sqrt(width / heads),
        because="A key of a head has 64 / 4 = 16 numbers, and the root of 16 is 4.",
        mistakes={
            "the root of the whole width": (
                lambda width, heads: np.sqrt(width),
                "A head's keys have 16 numbers, not 64.",
            ),
            "no root": (
                lambda width, heads: width / heads,
                "This is how many numbers a key has. The scores are divided by the root.",
            ),
            "the root of the heads": (
                lambda width, heads: np.sqrt(heads),
                "What counts is how many numbers a key of one head has.",
            ),
            "scale forgotten": (lambda width, heads: 1, "Scores are divided in every head, too."),
        },
    ),
    Exercise(
        name="mask-of-a-batch",
        question="Two texts of 6 letters go through 4 heads. Each text has a mask of its own with a row for each query,"
        " and all heads share it. Mark the axes of the masks that have length 1.",
        asks=Cells(("",), ("texts", "heads", "queries", "keys"), on="length 1", off="full"),
        given=((2, 1, 6, 6),),
        right=lambda shape: [int(size == 1) for size in shape],
        because="`(2, 1, 6, 6)`: the heads share the mask of their text.",
        mistakes={
            "texts and heads exchanged": (
                lambda shape: [int(size == 1) for size in (shape[1], shape[0], *shape[2:])],
                "That would be one mask for both texts, with a mask for each head.",
            ),
            "one mask for everything": (
                lambda shape: [1, 1, 0, 0],
                "Each text has a mask of its own, so the axis of texts is full.",
            ),
            "one row for all queries": (
                lambda shape: [0, 1, 1, 0],
                "That is enough for padding. But here each text has a whole mask, with a row for each query.",
            ),
        },
    ),
]

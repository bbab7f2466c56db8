"""Exercises of the lesson "Masks"."""

import numpy as np

from clear_attention import create_padding_mask, scaled_dot_product_attention
from exercises import Cells, Exercise, Numbers, Shape, softmax

IDS = np.array([[7, 6, 3, 0]])
PLACES = ("7", "6", "3", "pad")
SCORES = np.array([1.0, 1.0, 2.0])
HIDDEN = np.array([0, 0, 1])


def whole_mask(ids):
    return np.tile(create_padding_mask(ids).numpy()[0, 0], (ids.shape[1], 1))


def attended(scores, hidden):
    """Return the weights of the package's function for one query with these scores."""
    return (
        scaled_dot_product_attention(np.ones((1, 1)), scores[:, None], np.eye(len(scores)), hidden).weights[0].numpy()
    )


EXERCISES = [
    Exercise(
        name="cells-of-padding",
        question="The ids of a text are `[7, 6, 3, 0]`, and 0 is padding. Which cells must be blocked? A row is a"
        " letter that looks, a column one that is looked at.",
        asks=Cells(PLACES, PLACES),
        given=(IDS,),
        right=whole_mask,
        because="Nobody may look at the padding, so its whole column is blocked. The padding itself may look: its"
        " output is not used.",
        mistakes={
            "transposed": (
                lambda ids: whole_mask(ids).T,
                "You blocked the row: now the padding sees nothing, and every letter still sees the padding.",
            ),
            "inverted": (
                lambda ids: 1 - whole_mask(ids),
                "You pressed what may be seen. A blocked cell is one that must not be looked at.",
            ),
            "row and column": (
                lambda ids: np.maximum(whole_mask(ids), whole_mask(ids).T),
                "The column is right. The row does no harm, but a padding mask leaves it alone, because its output is"
                " not used.",
            ),
            "only its own cell": (
                lambda ids: whole_mask(ids) * whole_mask(ids).T,
                "The padding no longer sees itself, but the letters still see it.",
            ),
        },
    ),
    Exercise(
        name="weights-behind-a-mask",
        question="A letter has the scores 1, 1 and 2. The third belongs to a place of padding, which is hidden. Which"
        " weights does it give?",
        asks=Numbers(("first", "second", "padding"), digits=2),
        given=(SCORES, HIDDEN),
        right=attended,
        because="The hidden score drops out of the sum. The two that are left are equal, so they share the weight.",
        mistakes={
            "hidden after the division": (
                lambda s, m: softmax(s) * (1 - m),
                "The padding's weight is 0, but its share is lost: the weights no longer add up to one.",
            ),
            "padding forgotten": (
                lambda s, m: softmax(s),
                "The padding got more than half of the weight. It must get none.",
            ),
            "a score of 0": (
                lambda s, m: softmax(s * (1 - m)),
                "You gave the padding the score 0. That is a score like any other, and brings a weight.",
            ),
        },
    ),
    Exercise(
        name="shape-of-a-padding-mask",
        question="Three texts were filled up to 7 ids each. What shape does `create_padding_mask` give, for texts,"
        " heads, queries and keys? (All heads and all queries of a text share one row of the mask.)",
        asks=Shape(),
        given=(np.zeros((3, 7), int),),
        right=lambda ids: create_padding_mask(ids).shape,
        because="The axes are texts, heads, queries, keys. One row serves all heads and all queries of a text.",
        mistakes={
            "the shape of the ids": (
                lambda ids: ids.shape,
                "As a mask this would be read as 3 queries and 7 keys. Axes of length 1 are needed for heads and"
                " queries.",
            ),
            "an axis for each query": (
                lambda ids: (*ids.shape, ids.shape[1]),
                "Each query would get the same row, so one row is enough: NumPy and TensorFlow repeat it.",
            ),
            "no axis for heads": (
                lambda ids: create_padding_mask(ids)[:, 0].shape,
                "This is enough for attention without heads. The function keeps an axis for heads, too.",
            ),
        },
    ),
    Exercise(
        name="outvoted",
        question="A text of 24 letters stands in a row of 100 places. A letter gives each of the 24 letters the score"
        " 2, and each place of padding the score 0. If nothing is hidden, what share of the weight goes to the padding?"
        " (e to the power of 2 is 7.39.)",
        asks=Numbers(("",), digits=2),
        given=(np.repeat([2.0, 0.0], [24, 76]), np.repeat([0, 1], [24, 76])),
        right=lambda s, padding: (softmax(s) * padding).sum(),
        because="24 letters bring 24 times 7.39, which is 177, and 76 places of padding bring 76 times 1. So 76 of 253"
        " go to padding, which means nothing.",
        mistakes={
            "a score of 0 as no weight": (
                lambda s, padding: 0.0,
                "A score of 0 is not a weight of 0: e to the power of 0 is 1, and there are 76 such places.",
            ),
            "places counted": (
                lambda s, padding: padding.mean(),
                "You counted the places. But a letter has a higher score, and 7.39 times the weight of a place of"
                " padding.",
            ),
            "one against one": (
                lambda s, padding: softmax(np.array([2.0, 0.0]))[1],
                "That is one place of padding beside one letter. Here 76 stand beside 24.",
            ),
            "what the letters keep": (
                lambda s, padding: (softmax(s) * (1 - padding)).sum(),
                "That is the share of the letters. The padding gets the rest.",
            ),
        },
    ),
]

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
                "The column is right. The row does no harm, but a padding mask leaves it: what comes out there is not"
                " used.",
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
        because="What is hidden leaves the sum. Two equal scores are left, and they share the weight.",
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
        question="Three texts were filled up to 7 ids each. Which shape does `create_padding_mask` give, for texts,"
        " heads, queries and keys?",
        asks=Shape(),
        given=(np.zeros((3, 7), int),),
        right=lambda ids: create_padding_mask(ids).shape,
        because="Texts, heads, queries, keys. One row holds for all heads and all queries of a text.",
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
                "This does for attention without heads. The function leaves an axis for them, too.",
            ),
        },
    ),
    Exercise(
        name="nothing-left",
        question="A letter has the scores 3, 1, 0 and 0, and all four keys are hidden from it. Which weights does the"
        " softmax give that you have mended?",
        asks=Numbers(("1", "2", "3", "4"), digits=2),
        given=(np.array([3.0, 1.0, 0.0, 0.0]), np.ones(4, int)),
        right=attended,
        because="No power is left, so the sum is 0, and 0 is divided by 1. With 1/4 each, the letter would read the"
        " mean of four values that were hidden from it.",
        mistakes={
            "drowned scores": (
                lambda s, m: softmax((s - 1e9 * m).astype("float32").astype(float)),
                "That is what adding -1e9 to every score does: they are all alike then, and the padding is read.",
            ),
            "no mask at all": (lambda s, m: softmax(s), "These are the weights if nothing is hidden."),
        },
    ),
]

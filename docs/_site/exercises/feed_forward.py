"""Exercises of the lesson "The feed-forward network"."""

import numpy as np

from exercises import Cells, Exercise, Numbers, table

X = np.array([1.0, 2.0])
W_1 = np.array([[1.0, 2.0, -1.0], [1.0, -2.0, 1.0]])
B_1 = np.array([-1.0, 0.0, 0.0])
W_2 = np.array([[1.0], [3.0], [2.0]])


def relu(x):
    return np.maximum(x, 0)


EXERCISES = [
    Exercise(
        name="by-hand",
        question="A letter is (1, 2). It is multiplied by `W_1`, `b_1` is added, ReLU sets what is negative to 0, and"
        " the result is multiplied by `W_2`. Which number comes out?",
        shown=table(
            [*W_1.tolist(), B_1.tolist(), W_2[:, 0].tolist()],
            side=["W_1, first row", "W_1, second row", "b_1", "W_2, a column"],
        ),
        asks=Numbers(("",), digits=0),
        given=(X, W_1, B_1, W_2),
        right=lambda x, w, b, v: relu(x @ w + b) @ v,
        because="(1, 2) times W_1 is (3, -2, 1). With b_1 it is (2, -2, 1), ReLU turns that into (2, 0, 1), and 2 + 2 ="
        " 4.",
        mistakes={
            "ReLU forgotten": (
                lambda x, w, b, v: (x @ w + b) @ v,
                "The -2 went on to the second matrix. ReLU makes it 0.",
            ),
            "bias forgotten": (lambda x, w, b, v: relu(x @ w) @ v, "`b_1` is added before ReLU."),
            "the sign turned round": (
                lambda x, w, b, v: np.abs(x @ w + b) @ v,
                "ReLU turns -2 into 0, not into 2.",
            ),
        },
    ),
    Exercise(
        name="which-letters-change",
        question="Five letters go through the feed-forward network alone. The letter at place 1 is changed. Which"
        " outputs change?",
        asks=Cells(("",), tuple("01234"), on="can change", off="stays"),
        given=(1, 5),
        right=lambda place, n: np.eye(n)[place],
        because="The network works on each letter by itself. No letter sees another.",
        mistakes={
            "that is attention": (lambda place, n: np.ones(n), "In attention all letters meet. Here each is alone."),
            "that is causal attention": (
                lambda place, n: (np.arange(n) >= place).astype(int),
                "The network has no before and after, so later letters don't see place 1 here.",
            ),
            "all others": (
                lambda place, n: 1 - np.eye(n)[place],
                "It is the other way round: the letter's own output changes.",
            ),
        },
    ),
    Exercise(
        name="numbers-to-train",
        question="The letters have 8 numbers, and the network is 32 wide in the middle. How many numbers must be"
        " trained, both biases included?",
        asks=Numbers(("",), digits=0),
        given=(8, 32),
        right=lambda d, wide: d * wide + wide + wide * d + d,
        because="There are two matrices of 8 times 32, a bias of 32 in the middle and one of 8 at the end.",
        mistakes={
            "biases forgotten": (lambda d, wide: 2 * d * wide, "These are the two matrices. Each has a bias, too."),
            "one matrix": (
                lambda d, wide: d * wide + wide,
                "This is the way in. There is a way back to 8 numbers, too.",
            ),
            "the second bias as wide as the first": (
                lambda d, wide: 2 * (d * wide + wide),
                "The second bias is added to a letter of 8 numbers.",
            ),
        },
    ),
]

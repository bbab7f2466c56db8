"""Exercises of the lesson "Fewer keys than queries"."""

import numpy as np

from exercises import Exercise, Numbers, Shape

EXERCISES = [
    Exercise(
        name="who-meets-whom",
        question="6 query heads share 3 key heads, all numbered from 1. Which key head does each query head meet?",
        asks=Numbers(tuple(f"head {i}" for i in range(1, 7)), digits=0),
        given=(6, 3),
        right=lambda heads, keys: np.repeat(np.arange(keys), heads // keys) + 1,
        because="Neighbours share: the first two meet head 1, the next two head 2, and the last two head 3.",
        mistakes={
            "tiled": (
                lambda heads, keys: np.tile(np.arange(keys), heads // keys) + 1,
                "They don't take turns. Some programs do it that way, and then weights trained the other way do not"
                " fit.",
            ),
            "counted from zero": (
                lambda heads, keys: np.repeat(np.arange(keys), heads // keys),
                "Here the key heads are numbered from 1.",
            ),
            "groups of three": (
                lambda heads, keys: np.arange(heads) // keys + 1,
                "That makes two groups of 3. There are 3 key heads, so you need three groups of 2.",
            ),
        },
    ),
    Exercise(
        name="bytes-of-a-letter",
        question="A layer has 8 query heads, 2 key heads and 16 numbers a head; a number takes 4 bytes. How many bytes"
        " are kept for each letter?",
        asks=Numbers(("",), digits=0),
        given=(8, 2, 16, 4),
        right=lambda heads, keys, numbers, size: 2 * keys * numbers * size,
        because="Keys and values make 2 times 2 heads times 16 numbers times 4 bytes.",
        mistakes={
            "values forgotten": (
                lambda heads, keys, numbers, size: keys * numbers * size,
                "The values are kept as well as the keys.",
            ),
            "all heads": (
                lambda heads, keys, numbers, size: 2 * heads * numbers * size,
                "Only the key heads are kept. That is what sharing saves.",
            ),
            "queries kept, too": (
                lambda heads, keys, numbers, size: (2 * keys + heads) * numbers * size,
                "A query is needed once, when its letter looks. It is not kept.",
            ),
            "bytes of a number forgotten": (
                lambda heads, keys, numbers, size: 2 * keys * numbers,
                "Each number takes 4 bytes.",
            ),
        },
    ),
    Exercise(
        name="shape-of-shared-keys",
        question="One text of 5 letters goes through a layer with 8 query heads, 2 key heads and 16 numbers a head."
        " What shape do its attention weights have? (Count the axis of texts, too.)",
        asks=Shape(),
        given=(1, 8, 2, 5),
        right=lambda texts, heads, keys, n: (texts, heads, n, n),
        because="Each query head has weights of its own. Only keys and values are shared.",
        mistakes={
            "one for each key head": (
                lambda texts, heads, keys, n: (texts, keys, n, n),
                "Heads that share their keys still ask different questions, so their weights differ.",
            ),
            "shorter rows": (
                lambda texts, heads, keys, n: (texts, heads, n, keys),
                "There are fewer key heads, not fewer keys: each letter still has one.",
            ),
            "heads forgotten": (lambda texts, heads, keys, n: (texts, n, n), "Each head has weights of its own."),
            "the axis of texts forgotten": (
                lambda texts, heads, keys, n: (heads, n, n),
                "A layer gets a batch of texts, even if there is only one in it.",
            ),
            "the outputs": (
                lambda texts, heads, keys, n: (texts, heads, n, 16),
                "These are the outputs of the heads, 16 numbers a letter. Weights say who looks at whom.",
            ),
        },
    ),
]

"""Exercises of the lesson "The whole Transformer, on a map"."""

import numpy as np

from exercises import Cells, Choice, Exercise, Shape

SOURCE = np.array([[5, 6, 0]])
TARGET = np.array([[1, 7, 0]])
READS = ("5", "6", "pad")
WRITES = ("start", "7", "pad")
SIZES = {"texts": 2, "heads": 4, "source": 7, "target": 5, "width": 8}


def cross(source, target):
    return np.tile(source == 0, (target.shape[1], 1)).astype(int)


EXERCISES = [
    Exercise(
        name="shape-of-cross-attention",
        question="There are 2 texts, 4 heads, 7 letters in each text and 5 in each answer. What shape do the weights of"
        " cross-attention have?",
        asks=Shape(),
        given=(SIZES,),
        right=lambda n: (n["texts"], n["heads"], n["target"], n["source"]),
        because="The axes are texts, heads, queries, keys. The letters of the answer ask, and those of the text are"
        " looked at.",
        mistakes={
            "transposed": (
                lambda n: (n["texts"], n["heads"], n["source"], n["target"]),
                "Those who look make the rows, and in cross-attention it is the answer that looks.",
            ),
            "the decoder's self-attention": (
                lambda n: (n["texts"], n["heads"], n["target"], n["target"]),
                "This is the answer looking at itself. Here it looks at the text.",
            ),
            "the encoder's self-attention": (
                lambda n: (n["texts"], n["heads"], n["source"], n["source"]),
                "This is the text looking at itself.",
            ),
            "heads forgotten": (lambda n: (n["texts"], n["target"], n["source"]), "Each head has weights of its own."),
        },
    ),
    Exercise(
        name="mask-of-cross-attention",
        question="The ids of a text are `[5, 6, 0]`, the answer so far is `[1, 7, 0]`; 0 is padding, and 1 the start"
        " mark. Which cells of cross-attention are blocked? A row is a letter of the answer, a column one of the text.",
        asks=Cells(WRITES, READS),
        given=(SOURCE, TARGET),
        right=cross,
        because="Nobody may look at the padding of the text. The text is given as a whole, so it has no future.",
        mistakes={
            "look-ahead added": (
                lambda s, t: np.maximum(cross(s, t), np.triu(np.ones((3, 3)), k=1)),
                "The future of the answer is hidden in the decoder's self-attention. The text is all there from the"
                " start.",
            ),
            "the answer's padding": (
                lambda s, t: cross(s, t).T,
                "You blocked the row of the answer's padding. The padding that must not be seen is in the text, so it"
                " is a column.",
            ),
            "both paddings": (
                lambda s, t: np.maximum(cross(s, t), cross(t, s).T),
                "The column is right. The row does no harm, but no padding mask blocks it: its output is not used.",
            ),
            "inverted": (lambda s, t: 1 - cross(s, t), "You pressed what may be seen."),
        },
    ),
    Exercise(
        name="who-asks",
        question="In cross-attention, where do queries, keys and values come from?",
        asks=Choice(),
        given=("answer", "text"),
        right=lambda answer, text: f"queries from the {answer}, keys and values from the {text}",
        because="The letter that is being written asks, and the letters that were read are looked at and handed over.",
        mistakes={
            "the wrong way round": (
                lambda answer, text: f"queries from the {text}, keys and values from the {answer}",
                "Then the text would look at the answer.",
            ),
            "self-attention": (
                lambda answer, text: f"all three from the {text}",
                "That is the encoder's attention: the text looks at itself.",
            ),
            "keys and values apart": (
                lambda answer, text: f"queries and values from the {answer}, keys from the {text}",
                "What is compared and what is handed over belong to the same letter: each key has its value.",
            ),
        },
    ),
]

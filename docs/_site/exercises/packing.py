"""Exercises of the lesson "Packed documents"."""

import numpy as np

from clear_attention import combine_masks, create_document_mask, create_document_positions, create_look_ahead_mask
from exercises import Cells, Exercise, Numbers

DOCUMENTS = np.array([[1, 1, 2, 2]])
PLACES = ("1a", "1b", "2a", "2b")
ROW = np.array([[3, 3, 3, 4, 4]])


def apart(documents):
    return create_document_mask(documents).numpy()[0, 0]


def ahead(documents):
    return create_look_ahead_mask(documents.shape[1]).numpy()


def counts(documents):
    """Return at which places the loss counts: where the next letter belongs to the same document."""
    row = documents[0]
    return np.append(row[1:] == row[:-1], False).astype(int)


EXERCISES = [
    Exercise(
        name="causal-and-packed",
        question="A row holds two texts of two letters, and the machine is causal. Which cells are hidden?",
        asks=Cells(PLACES, PLACES, on="hidden"),
        given=(DOCUMENTS,),
        right=lambda d: combine_masks(apart(d), ahead(d)).numpy(),
        because="A key is hidden if it belongs to another text or lies in the future.",
        mistakes={
            "documents not kept apart": (
                ahead,
                "This is the look-ahead mask alone: 2a still reads the first text.",
            ),
            "look-ahead forgotten": (
                apart,
                "This keeps the texts apart, but 1a still sees 1b, which is its future.",
            ),
            "both reasons at once": (
                lambda d: np.minimum(apart(d), ahead(d)),
                "Either reason is enough: another text, or the future.",
            ),
            "inverted": (lambda d: 1 - combine_masks(apart(d), ahead(d)).numpy(), "You pressed what may be seen."),
        },
    ),
    Exercise(
        name="positions-in-a-row",
        question="The numbers of the texts in a row are 3, 3, 3, 4, 4. Which positions do the letters get?",
        asks=Numbers(tuple(f"place {i}" for i in range(5)), digits=0),
        given=(ROW,),
        right=lambda d: create_document_positions(d).numpy()[0],
        because="Each text counts from 0, as if it had a row of its own.",
        mistakes={
            "counted on": (lambda d: np.arange(d.shape[1]), "Then the second text would begin at place 3."),
            "counted from one": (
                lambda d: create_document_positions(d).numpy()[0] + 1,
                "The first letter is at place 0.",
            ),
            "the number of the document": (
                lambda d: d[0],
                "These say which text it is, not where a letter stands in it.",
            ),
        },
    ),
    Exercise(
        name="where-the-loss-counts",
        question="Now the same row, 3, 3, 3, 4, 4, holds answers, and the half that writes learns from them. At which"
        " places does the loss count? (At each place the machine predicts the next letter.)",
        asks=Cells(("",), tuple("01234"), on="counts", off="left out"),
        given=(ROW,),
        right=counts,
        because="At places 2 and 4 the next letter belongs to another text, or there is none.",
        mistakes={
            "all of them": (
                lambda d: np.ones(d.shape[1]),
                "At place 2 the machine would have to guess how another text begins.",
            ),
            "only the row's end left out": (
                lambda d: np.append(np.ones(d.shape[1] - 1), 0),
                "The end of the first text has no next letter of its own, either.",
            ),
            "only the document's end left out": (
                lambda d: np.append(counts(d)[:-1], 1),
                "After the last place of the row there is no next letter at all.",
            ),
            "off by one": (
                lambda d: np.append(False, counts(d)[:-1]).astype(int),
                "You left out where a text begins. Leave out where it ends: there is nothing to predict there.",
            ),
        },
    ),
]

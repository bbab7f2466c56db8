"""The lesson on causal attention: letters that are given, and what two trained machines say after each."""

from itertools import pairwise

import numpy as np
import pytest

import trained
from clear_attention import date_tokenizers

SOURCE, TARGET = date_tokenizers()
TEXT, ANSWER = "thursday 3rd of may 2018", "2018-05-03▪"


def said(name, given):
    """Return what a machine says after each of the letters that are given."""
    model, _ = trained.load(name)
    letters = TARGET.encode([ANSWER[:-1]])[:, : given + 1]
    best = np.argmax(model((SOURCE.encode([TEXT]), letters))[0], axis=-1)
    return ["▪" if x == TARGET.end_id else TARGET.decode([[x]])[0] for x in best]


def rows(given):
    """Return the letters that are drawn, row by row."""
    names = given.element.locator("svg text").all_text_contents()
    starts = [names.index(name) for name in ("ours", "peeking", "given")] + [len(names)]
    return [names[i + 1 : j] for i, j in pairwise(starts)]


@pytest.mark.parametrize("count", [0, 1, 3, 10])
def test_the_machines_say_what_the_trained_ones_say(piece, count):
    given = piece("causal", "given")
    given.slide("Letters given", count)
    whole, forgetful, letters = rows(given)
    assert whole == said("dates", count) == list(ANSWER[: count + 1])
    assert forgetful == said("dates-forgetful", count)
    assert letters == ["•", *ANSWER[:count]]
    assert given.element.locator("path:not(.dashed)").count() == count  # a line for each place that can peek
    right = forgetful[-1] == ANSWER[count]
    assert ("and that is right." in given.says()) == right
    assert right == (count == 10)
    counted = {
        0: "The only place",
        1: "1 place sees the next letter, and says it.",
        3: "3 places see",
        10: "10 places see",
    }
    assert given.says().startswith(counted[count])


def test_another_text_can_be_chosen(piece):
    given = piece("causal", "given")
    given.press("22.12.1960")
    given.slide("Letters given", 10)
    assert "".join(rows(given)[1]) == "1960-12-22▪"
    assert given.says().startswith("10 places see the next letter, and say it. The last place sees nothing after it")

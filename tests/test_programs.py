"""Programs written by hand: exact on all inputs, against plain Python; certified; what they refuse."""

import itertools

import numpy as np
import pytest

from clear_attention import aggregate, certify, select
from clear_attention.programs import (
    addition,
    balanced,
    columns,
    features,
    histogram,
    induction,
    look_up,
    reverse,
    rows,
    running_average,
    shift,
    sort,
)

LONGEST = 8  # letters of a text, without the sign ^ at its beginning


def all_texts(letters, longest=LONGEST, begin=""):
    """Return all texts of one to `longest` letters."""
    counted = range(1, longest + 1)
    return [begin + "".join(text) for n in counted for text in itertools.product(letters, repeat=n)]


def what_came_behind(text, i):
    earlier = [j for j in range(1, i + 1) if text[j - 1] == text[i]]
    return text[earlier[-1]] if earlier else "^"


def is_balanced(text):
    heights = list(itertools.accumulate({"(": 1, ")": -1, "^": 0}[letter] for letter in text))
    return min(heights) >= 0 and heights[-1] == 0


def one_hot(kinds, number):
    return np.eye(number)[[*kinds]]


def letters_of(answers, alphabet):
    return one_hot([alphabet.index(letter) for letter in answers], len(alphabet))


LETTERS, WITH_BEGIN, BRACKETS = "abc", "^abc", "^()"
TASKS = {  # program, alphabet, texts, the answer for each token in plain Python
    "shift": (shift, WITH_BEGIN, lambda text: letters_of("^" + text[:-1], WITH_BEGIN)),
    "reverse": (reverse, LETTERS, lambda text: letters_of(text[::-1], LETTERS)),
    "running_average": (
        running_average,
        LETTERS,
        lambda text: [[text[: i + 1].count(letter) / (i + 1) for letter in LETTERS] for i in range(len(text))],
    ),
    "histogram": (
        histogram,
        WITH_BEGIN,
        lambda text: one_hot([text.count(letter) if letter != "^" else 0 for letter in text], 9),
    ),
    "sort": (sort, WITH_BEGIN, lambda text: letters_of(sorted(text, key=WITH_BEGIN.index), WITH_BEGIN)),
    "balanced": (balanced, BRACKETS, lambda text: [[is_balanced(text[: i + 1])] for i in range(len(text))]),
    "induction": (
        induction,
        WITH_BEGIN,
        lambda text: letters_of((what_came_behind(text, i) for i in range(len(text))), WITH_BEGIN),
    ),
}


def depth_of(program):
    return program.heads[0].project_queries.kernel.shape[0]


def places_of(name):
    """Return the number of places, and the first one whose answer counts."""
    return (9, int(name == "sort")) if "^" in TASKS[name][1] else (8, 0)


@pytest.mark.parametrize("name", TASKS)
def test_is_exact_on_all_texts_up_to_eight_letters(name):
    make, alphabet, in_python = TASKS[name]
    length, first = places_of(name)
    texts = all_texts(alphabet.strip("^"), begin="^" if "^" in alphabet else "")
    program = make()
    tokens, mask = rows(texts, alphabet, length, depth_of(program))
    answers = program(tokens, mask=mask).numpy()
    for text, answer in zip(texts, answers, strict=True):
        wrong = np.abs(answer[first : len(text)] - np.array(in_python(text))[first:])
        assert wrong.max(initial=0) < 1e-4, text

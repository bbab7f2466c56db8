import html
import json
import re
from pathlib import Path

import exercises
import numpy as np
import pytest
from exercises import Cells, Choice, Exercise, Numbers, Shape

ROOT = next(p for p in Path(__file__).resolve().parents if (p / "docs" / "learn").is_dir())
LESSONS = sorted(path.stem for path in (ROOT / "docs" / "learn").glob("*.py"))
ALL = [(lesson, exercise) for lesson in exercises.lessons() for exercise in exercises.exercises_of(lesson)]


def small(asks=None, right=(0.5, 0.5), mistakes=None, **changes):
    """Return an exercise with answers that are written down, to be changed by a test."""
    mistakes = mistakes or {"inverted": (1, 0), "a mistake": (0, 1)}
    functions = {name: (lambda answer=answer: answer, f"This is {name}.") for name, answer in mistakes.items()}
    defaults = {"name": "small", "question": "Which?", "asks": asks or Numbers(("a", "b")), "because": "So it is."}
    return Exercise(right=lambda: right, mistakes=functions, **{**defaults, **changes})


def test_each_lesson_has_its_exercises_and_shows_them():
    assert exercises.lessons() == LESSONS
    for lesson in LESSONS:
        text = (ROOT / "docs" / "learn" / f"{lesson}.py").read_text(encoding="utf-8")
        assert re.findall(r'^exercises\.show\("(\w+)"\)$', text, re.M) == [lesson]
        assert len(exercises.exercises_of(lesson)) >= 3
    assert len(ALL) >= 40


@pytest.mark.parametrize(("lesson", "exercise"), ALL, ids=lambda x: getattr(x, "name", x))
def test_no_two_answers_of_an_exercise_coincide(lesson, exercise):
    answers = list(exercise.answers().values())
    assert len(answers) >= 3
    for i, one in enumerate(answers):
        for other in answers[:i]:
            assert not exercise.asks.alike(one, other)
    for _, says in exercise.mistakes.values():
        assert says.endswith((".", "?", ")"))
    assert exercise.because.endswith((".", ")"))


@pytest.mark.parametrize(
    ("lesson", "name", "expected"),  # found with a pencil
    [
        ("reading_dates", "weighted-average", [2, 1.5]),
        ("attention", "row-to-weights", [1 / 23.804, 2.7183 / 23.804, 20.0855 / 23.804]),
        ("attention", "which-key", ["a"]),
        ("masks", "cells-of-padding", [0, 0, 0, 1] * 4),
        ("masks", "outvoted", [76 / 253.337]),
        ("causal", "look-ahead-cells", [0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0]),
        ("causal", "decoder-with-padding", [0, 1, 1, 0, 0, 1, 0, 0, 1]),
        ("multi_head", "both-digits", [7, 3]),
        ("multi_head", "how-many-texts", [9]),
        ("multi_head", "who-wins", [-0.5]),
        ("split_heads", "who-gets-which", [2, 3]),
        ("positions", "place-one", [np.sin(1), np.cos(1), 0.01, 1]),
        ("positions", "shuffled", ["y m a"]),
        ("transformer_layer", "residual-and-norm", np.array([-1, 2, 0, -1]) * 2 / 6**0.5),
        ("transformer_layer", "how-many-norms", [12, 18]),
        ("norm_first", "left-of-the-letter", [0.4096]),
        ("norm_first", "left-with-the-norm-first", [1 / 3]),
        ("feed_forward", "by-hand", [4]),
        ("recap", "mask-of-cross-attention", [0, 0, 1] * 3),
        ("training", "mean-loss", [0.9242]),
        ("training", "one-nudge", [4.5]),
        ("adam", "plain-nudges", [0.08, 0.0002]),
        ("adam", "the-root-of-the-mean-square", [3]),
        ("writing", "greedy-or-beam", ["B"]),
        ("writing", "no-better-answer", [0.36]),
        ("cache", "the-newest-letter", [24.223]),
        ("long_sequences", "scores-of-a-block", [32]),
        ("online_softmax", "carry-over", [2 * np.exp(-2) + 1]),
        ("online_softmax", "two-workers", [25]),
        ("turning_positions", "same-product", [1, 1, 1, 0, 0]),
        ("fewer_keys", "who-meets-whom", [1, 1, 2, 2, 3, 3]),
        ("windows", "how-far", [17]),
        ("sinks", "with-a-sink", [1 / 3, 1 / 3]),
        ("packing", "where-the-loss-counts", [1, 1, 0, 1, 0]),
        ("language_model", "bits-a-letter", [1.5]),
        ("language_model", "counted", [0.3, 0]),
        ("by_heart", "what-top-p-keeps", [1, 1, 1, 0]),
        ("by_heart", "where-it-was-best", [300]),
        ("pieces_of_words", "after-two-rounds", [8]),
        ("pieces_of_words", "cut-by-rules", ["th | es | e"]),
        ("induction", "where-it-looks", ["a at 1"]),
        ("programs", "no-wish", [0.25, 0.5, 0.25]),
        ("sorting", "notes", [3, 1, 0, 1, 3]),
        ("sorting", "one-wish-missing", [1 / 3, 2 / 3, 0]),
        ("twins", "made-even", [0.4]),
        ("twins", "where-the-carry-comes-from", ["column 2"]),
        ("twins", "what-the-shortcut-gets-wrong", [0, 0, 1, 0, 0]),
    ],
)
def test_the_right_answer_is_right(lesson, name, expected):
    found = next(each for each in exercises.exercises_of(lesson) if each.name == name).answers()[""]
    if isinstance(expected[0], str):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, atol=2e-4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"right": (0.5, 0.5), "mistakes": {"a": (0.51, 0.49), "b": (1, 0)}}, "'a' comes to the right answer"),
        ({"mistakes": {"a": (0, 1), "b": (0, 1.01)}}, "'b' comes to 'a'"),
        ({"mistakes": {"a": (0, 1)}}, "has 1 mistakes"),
        ({"name": "Not so"}, "can't stand in an address"),
        ({"right": (1, 2, 3)}, "does not fit the labels"),
        ({"mistakes": {"a": (0, 1), "b": (np.nan, 1)}}, "does not fit the labels"),
        ({"asks": Cells(("",), ("a", "b")), "right": (0, 2)}, "does not fit the cells"),
        ({"asks": Cells(("",), ("a", "b")), "right": (0, 0)}, "not begun would give.*the right answer"),
        ({"asks": Choice(("x", "y")), "right": "x", "mistakes": {"a": "y", "b": "z"}}, "names others"),
        ({"asks": Shape(), "right": (2, 3), "mistakes": {"a": (3, 2), "b": (2, 3)}}, "'b' comes to the right answer"),
    ],
)
def test_an_exercise_that_can_not_be_checked_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        small(**changes).answers()


def test_a_number_may_be_rounded_either_way_and_whole_numbers_may_not():
    assert Numbers(("",), digits=2).tolerance == pytest.approx(0.006)
    assert not Numbers(("",), digits=0).alike([3], [4])
    assert Numbers(("",), digits=1).alike([0.25], [0.3])


def test_the_page_gets_what_it_compares_and_the_answer_without_a_script():
    exercise = small(question="Is `a < b`?", shown="<table></table>")
    text = exercises.element("masks", exercise, 1, 3)
    state = json.loads(re.search(r'<script type="application/json">(.*?)</script>', text)[1])
    assert state["name"] == "masks/small"
    assert state["right"] == [0.5, 0.5]
    assert state["mistakes"][0] == {"name": "inverted", "says": "This is inverted.", "answer": [1, 0]}
    assert "<p><strong>1 of 3.</strong> Is <code>a &lt; b</code>?</p><table></table>" in text
    assert "<summary>Answer</summary><p>a 0.50, b 0.50. So it is.</p>" in text
    assert "<li>a 1.00, b 0.00: inverted. This is inverted.</li>" in text


def test_answers_in_words():
    assert Cells(("x", "y"), ("a", "b")).words([1, 1, 0, 0]) == "blocked: x: a, b; y: none"
    assert Shape().words([3]) == "<code>(3,)</code>"
    assert Numbers(("",), digits=0).words([-0.0]) == "0"
    assert html.unescape(Choice().words(["a < b"])) == "a < b"


def test_progress_lists_every_exercise():
    shown = exercises.progress(
        {"masks": "Masks", "causal": "Causal attention"}, {"masks": ["masks/empty"], "causal": []}
    ).data
    found = json.loads(re.search(r"<script[^>]*>(.*?)</script>", shown)[1])["lessons"]
    assert [each["lesson"] for each in found] == ["Masks", "Causal attention"]
    assert found[0]["names"][0] == "masks/cells-of-padding"
    assert '<a href="../learn/masks/#exercise-cells-of-padding">Masks</a>' in shown

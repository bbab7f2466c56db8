"""Exercises that the page checks: what a reader predicts meets the right answer and the answers of named mistakes.

A lesson's exercises stand in the file of its name, and its page shows them with `exercises.show("masks")`. Nobody
writes an answer down: the right one is a function, each mistake is another, and both get the same numbers. So the build
can prove that no two answers coincide.
"""

from __future__ import annotations

import html
import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from IPython.display import HTML
from live import data

from exercises.asks import Cells, Choice, Numbers, Shape, refusal

__all__ = ["Cells", "Choice", "Exercise", "Numbers", "Shape", "exercises_of", "lessons", "progress", "show"]
FEWEST = 3  # exercises of a lesson
NAME = re.compile(r"[a-z]+(-[a-z]+)*")


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """One question.

    `right` and the functions in `mistakes` get `given`, and return what a reader would answer. `mistakes` holds for
    each name of a mistake its function and what the page says to a reader who made it.
    """

    name: str
    question: str  # `code` stands in backticks
    asks: Cells | Choice | Numbers | Shape
    given: tuple[Any, ...] = ()
    right: Callable[..., Any]
    because: str
    mistakes: dict[str, tuple[Callable[..., Any], str]]
    shown: str = ""  # HTML between the question and what is asked

    def answers(self):
        """Return the right answer and that of each mistake, or say in a ValueError what is wrong with this exercise."""
        if not NAME.fullmatch(self.name):
            raise refusal(f"The name {self.name!r} can't stand in an address.", "words of small letters, joined by -")
        if len(self.mistakes) < 2:
            raise refusal(f"The exercise {self.name!r} has {len(self.mistakes)} mistakes.", "at least two")
        found = {"": self.right(*self.given)} | {
            name: function(*self.given) for name, (function, _) in self.mistakes.items()
        }
        found = {name: self.asks.answer(value) for name, value in found.items()}
        names = list(found)
        for i, one in enumerate(names):
            for other in names[:i]:
                if self.asks.alike(found[one], found[other]):
                    what = "the right answer" if not other else f"{other!r}"
                    raise refusal(f"In the exercise {self.name!r} {one!r} comes to {what}.", "answers that differ")
        self.asks.check(found)
        return found

    def state(self, lesson):
        answers = self.answers()
        mistakes = [
            {"name": name, "says": with_code(says), "answer": answers[name]}
            for name, (_, says) in self.mistakes.items()
        ]
        facts = {"name": f"{lesson}/{self.name}", "right": answers[""], "because": with_code(self.because)}
        return facts | {"mistakes": mistakes} | self.asks.facts(answers)


def exercises_of(lesson):
    """Return the exercises of a lesson, by the name of its file."""
    found = importlib.import_module(f"exercises.{lesson}").EXERCISES
    names = [exercise.name for exercise in found]
    if len(found) < FEWEST or len({*names}) < len(names):
        raise refusal(f"{lesson} has the exercises {', '.join(names)}.", f"at least {FEWEST}, each with its own name")
    return found


def lessons():
    """Return the names of the lessons that have exercises."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in ("__init__", "asks"))


def show(lesson):
    """Show a lesson's exercises."""
    found = exercises_of(lesson)
    return HTML("\n".join(element(lesson, each, n, len(found)) for n, each in enumerate(found, start=1)))


def element(lesson, exercise, number, count):
    """Return an exercise as HTML: the page's script checks it, and without the script its answer is folded."""
    question = f"<p><strong>{number} of {count}.</strong> {with_code(exercise.question)}</p>{exercise.shown}"
    state = exercise.state(lesson)
    wrong = "".join(
        f"<li>{exercise.asks.words(mistake['answer'])}: {html.escape(mistake['name'])}. {mistake['says']}</li>"
        for mistake in state["mistakes"]
    )
    words = exercise.asks.words(state["right"])
    folded = f"<p>{words}. {state['because']}</p><p>Mistakes, and what they lead to:</p><ul>{wrong}</ul>"
    return (
        f'<page-exercise id="exercise-{exercise.name}" data-search-exclude>{data(state)}'
        f'<div slot="question">{question}</div><details><summary>Answer</summary>{folded}</details></page-exercise>'
    )


def progress(titles, bets):
    """Show what the reader has solved and guessed; `titles` and `bets` (their names) are those of the lessons."""
    listed = [
        {
            "lesson": title,
            "at": f"../learn/{lesson}/",
            "names": [f"{lesson}/{each.name}" for each in exercises_of(lesson)],
            "bets": bets[lesson],
        }
        for lesson, title in titles.items()
    ]
    rows = "".join(
        f'<li><a href="{each["at"]}#exercise-{each["names"][0].split("/")[1]}">{html.escape(each["lesson"])}</a>:'
        f" {len(each['names'])}</li>"
        for each in listed
    )
    return HTML(f"<exercise-progress>{data({'lessons': listed})}<ol>{rows}</ol></exercise-progress>")


def with_code(text):
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


def table(rows, *, head=(), side=(), caption=""):
    """Return a table of numbers or words as HTML, to be shown with a question."""
    cells = [["" if x is None else f"{x:g}" if not isinstance(x, str) else html.escape(x) for x in row] for row in rows]
    titles = "".join(f'<th scope="col">{html.escape(h)}</th>' for h in head)
    corner = "<td></td>" if side else ""
    top = f"<thead><tr>{corner}{titles}</tr></thead>" if head else ""
    names = [f'<th scope="row">{html.escape(name)}</th>' for name in side] or [""] * len(cells)
    lines = (name + "".join(f"<td>{x}</td>" for x in row) for name, row in zip(names, cells, strict=True))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    said = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f'<table class="mask-report">{said}{top}<tbody>{body}</tbody></table>'


def softmax(scores, axis=-1):
    """Return shares of the exponentials; a score of minus infinity has none."""
    scores = np.asarray(scores, float)
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)

"""What an exercise asks for: cells of a grid, numbers, a shape, or one of a few answers.

Each kind turns what a function returns into the answer that the page compares, tells whether two answers are alike, and
says an answer in words.
"""

from __future__ import annotations

import html
from dataclasses import dataclass

import numpy as np


def refusal(law, expected, received=None):
    said = "" if received is None else f" Received: {received}."
    return ValueError(f"{law} Expected of an exercise: {expected}.{said}")


class Asked:
    """What most kinds have in common."""

    def alike(self, one, other):
        return one == other

    def check(self, answers):
        """Say in a ValueError what is wrong with all answers together, by the names of the mistakes; '' is right."""


@dataclass(frozen=True)
class Cells(Asked):
    """Cells of a grid that are pressed or not: rows and columns have names."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    on: str = "blocked"
    off: str = "visible"

    def answer(self, value):
        shape, grid = (len(self.rows), len(self.columns)), np.atleast_2d(np.asarray(value, float))
        if grid.shape != shape or not np.isin(grid, (0, 1)).all():
            raise refusal("An answer does not fit the cells.", f"0 and 1 in the shape {shape}", grid.tolist())
        return grid.astype(int).ravel().tolist()

    def check(self, answers):
        if empty := [name or "the right answer" for name, answer in answers.items() if not any(answer)]:
            raise refusal("Who has not begun would give an answer.", "at least one pressed cell", ", ".join(empty))

    def facts(self, answers):
        return {"kind": "cells", "rows": self.rows, "columns": self.columns, "on": self.on, "off": self.off}

    def words(self, answer):
        grid = np.reshape(answer, (len(self.rows), len(self.columns)))
        pressed = [", ".join(name for name, x in zip(self.columns, row, strict=True) if x) or "none" for row in grid]
        lines = [f"{row}: {cells}" if row else cells for row, cells in zip(self.rows, pressed, strict=True)]
        return html.escape(f"{self.on}: {'; '.join(lines)}")


@dataclass(frozen=True)
class Numbers(Asked):
    """Numbers that are typed, each beside its label, to so many digits behind the point."""

    labels: tuple[str, ...]
    digits: int = 2

    @property
    def tolerance(self):
        return 0.6 * 10**-self.digits if self.digits else 0.25  # whoever rounds the last digit up or down is right

    def answer(self, value):
        found = np.asarray(value, float).ravel()
        if found.shape != (len(self.labels),) or not np.isfinite(found).all():
            raise refusal("An answer does not fit the labels.", f"{len(self.labels)} finite numbers", found.tolist())
        return (np.round(found, self.digits + 2) + 0.0).tolist()

    def alike(self, one, other):
        return np.abs(np.subtract(one, other)).max() <= 2 * self.tolerance

    def facts(self, answers):
        return {"kind": "numbers", "labels": self.labels, "digits": self.digits, "tolerance": self.tolerance}

    def words(self, answer):
        shown = [f"{x:.{self.digits}f}" for x in np.round(answer, self.digits) + 0.0]
        return html.escape(", ".join(f"{label} {x}".strip() for label, x in zip(self.labels, shown, strict=True)))


@dataclass(frozen=True)
class Shape(Asked):
    """The shape of an array, typed as `2, 5, 3`."""

    def answer(self, value):
        return [int(size) for size in value]

    def facts(self, answers):
        return {"kind": "shape"}

    def words(self, answer):
        return f"<code>{tuple(answer)}</code>"


@dataclass(frozen=True)
class Choice(Asked):
    """One of a few answers, that is the right one and those of the mistakes: sorted, or in the order that is given."""

    order: tuple[str, ...] = ()

    def answer(self, value):
        return [str(value)]

    def check(self, answers):
        texts = sorted(text for (text,) in answers.values())
        if self.order and sorted(self.order) != texts:
            raise refusal("The order of the answers names others.", f"{texts}", sorted(self.order))

    def facts(self, answers):
        return {"kind": "choice", "options": [*(self.order or sorted(text for (text,) in answers.values()))]}

    def words(self, answer):
        return html.escape(answer[0])

"""The HTML of what computes in a lesson, the Mask Lab and pieces to touch: numbers, and what is there without it."""

from __future__ import annotations

import html
import json

import numpy as np
from head_puzzles import PUZZLES
from IPython.display import HTML

START = {"padding": [], "lookAhead": False, "prefix": 0, "window": 0, "flipped": []}  # nothing is hidden
START |= {"how": "select", "dtype": "float32", "step": "weights"}


def situation(title, tokens, q, k, v, **choices):
    """Return one situation of the lab: tokens, their numbers as lists of lists, and what is chosen."""
    grids = {name: numbers(x) for name, x in zip("qkv", (q, k, v), strict=True)}
    return {"title": title, "state": {**START, "tokens": list(tokens), **grids, **choices}}


def numbers(x):
    """Round to what a reader can read."""
    return np.round(np.asarray(x, float), 3).tolist()


def lab(situations, without, piece=None, title=""):
    """Show the element; `without` is the HTML that stands there without JavaScript, and in search."""
    kind = "shared" if piece is None else f'piece="{piece}"'
    head = f"<p><strong>{title}</strong></p>" if title else ""
    return HTML(f"{head}<mask-lab {kind}>{data(situations)}{without}</mask-lab>")


def touch(piece, without, **state):
    """Show a piece to touch, one of live/touch/; `without` is the HTML that stands there without JavaScript."""
    return HTML(f'<lesson-piece piece="{piece}">{data(state)}{without}</lesson-piece>')


def bet(name, lines, *, low=0, high=100, step=1, unit=" %"):
    """Ask for a guess before the fold that follows tells what was measured.

    `name` is "lesson/what". Each line is (label, measured) or (label, measured, what to say to a guess below it, and
    to one above). The guesses run from `low` to `high`.
    """
    told = [dict(zip(("label", "measured", "below", "above"), line, strict=False)) for line in lines]
    for line in told:
        line["measured"] = round(float(line["measured"]), 3)  # a float32 has digits that nobody measured
    labels = "".join(f"<li>{html.escape(line['label'])}</li>" for line in told)
    without = f"<ul>{labels}</ul>"
    return touch("bet", without, name=name, lines=told, low=low, high=high, step=step, unit=unit)


def sketch(name, x, y, *, across, upwards, low=0, high=100, step=1, unit="", log=False, below="", above=""):
    """Let the reader draw how a curve goes on, before the fold that follows tells how `y` was measured at `x`.

    `name` is "lesson/what". The first point is shown. `below` is said to who draws far too low, and `above` to who
    draws far too high.
    """
    x, y = ([round(float(value), 3) for value in values] for values in (x, y))
    without = f"<p>{html.escape(upwards)}, at {x[0]:g}: {y[0]:g}{unit}. How does it go on to {x[-1]:g}?</p>"
    told = {"x": x, "measured": y, "across": across, "upwards": upwards, "low": low, "high": high}
    return touch("sketch", without, name=name, **told, step=step, unit=unit, log=log, below=below, above=above)


def text_machine(beginnings, without):
    """Show the element in which the trained language model writes; a reader can begin with one of the beginnings."""
    return HTML(f"<text-machine>{data({'beginnings': beginnings})}{without}</text-machine>")


def head_designer(without):
    """Show the element in which a reader designs a head; `without` is mostly `head_puzzles.still()`."""
    return HTML(f"<head-designer>{data(PUZZLES)}{without}</head-designer>")


def bug_detective(facts, without):
    """Show the element in which a reader names bugs: `bug_detective.facts()`, and mostly `bug_detective.still()`."""
    return HTML(f"<bug-detective>{data(facts)}{without}</bug-detective>")


def data(value):
    text = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")  # "</script>" would end it
    return f'<script type="application/json">{text}</script>'


def grid(caption, rows, tokens, columns=(), blocked=None):
    """Draw a grid of numbers as a table; a blocked cell holds a dash."""
    shown = [[f"{x:g}" if x == int(x) else f"{x:.2f}" for x in row] for row in np.asarray(rows, float)]
    if blocked is not None:
        shown = np.where(blocked, "-", shown)
    head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row">{html.escape(token)}</th>' + "".join(f"<td>{x}</td>" for x in row) + "</tr>"
        for token, row in zip(tokens, shown, strict=True)
    )
    head = f"<thead><tr><td></td>{head}</tr></thead>" if columns else ""
    return f'<table class="mask-report"><caption>{caption}</caption>{head}<tbody>{body}</tbody></table>'


def coded(weights):
    """Write a map as a text for each row, a sign for each of 500 levels: `decoded` in live/touch/draw.js reads it."""
    return ["".join(chr(256 + round(500 * float(x))) for x in row) for row in weights]


CODES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"  # 64 levels of colour


def journey(text, stations, letter, other, first=1):
    """Show a letter's numbers, and another's, at each station: {name: (vectors (length, d_model), a sentence)}.

    The stations are counted from `first`.
    """
    found, alike = [], []
    for name, (vectors, says) in stations.items():
        x = np.asarray(vectors)[: len(text)]
        most = float(np.quantile(np.abs(x), 0.98))
        levels = np.rint((np.clip(x / most, -1, 1) + 1) * 31.5).astype(int)
        words = ["".join(CODES[level] for level in row) for row in levels]
        unit = x / np.linalg.norm(x, axis=1, keepdims=True)
        alike.append((unit @ unit.T).round(2))
        found.append({"name": name, "says": says, "words": words, "alike": alike[-1].tolist()})
    begin, end = alike[0][letter, other], alike[-1][letter, other]
    without = (
        f"<p>“{text[letter]}” at place {letter} and “{text[other]}” at place {other} have a similarity of {begin:.2f}"
        f" at the first step and of {end:.2f} at the last. (1 is the same direction, 0 is nothing in common.)</p>"
    )
    return touch("journey", without, text=text, stations=found, letter=letter, other=other, first=first)

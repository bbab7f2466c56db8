"""The HTML of a Mask Lab, or of a small piece of it, in a lesson: its numbers, and a table for readers without it."""

from __future__ import annotations

import html
import json

import numpy as np
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
    data = json.dumps(situations, ensure_ascii=False).replace("<", "\\u003c")  # "</script>" would end it
    head = f"<p><strong>{title}</strong></p>" if title else ""
    return HTML(f'{head}<mask-lab {kind}><script type="application/json">{data}</script>{without}</mask-lab>')


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

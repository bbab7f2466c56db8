"""Attention in one drawing, with every number of the example that the lesson on attention computes by hand, as SVG."""

from __future__ import annotations

from html import escape

import numpy as np
from drawing import arrow, label, themed
from IPython.display import HTML

import clear_attention as ca

TEXT = "may"
GIVEN = {
    "x": np.array([[1, 0], [0, 1], [1, 1]], np.float32),
    "wq": np.array([[1, 0, 0, 1], [1, 0, 1, -1]], np.float32),
    "wk": np.array([[2, 0, 2, 0], [-2, 1, 0, 3]], np.float32),
    "wv": np.array([[10, 0], [0, 10]], np.float32),
}
HIGH, NARROW, WIDE = 18, 24, 38  # a square's height, and its width for whole numbers and for fractions
X_LEFT, MADE, LOOKED = 20, 108, 252  # the left edges of the three columns
TOPS = (30, 142, 254)  # of the three tables in a column
LIT = len(TEXT) - 1  # the row that the lesson computes


def drawn():
    """Draw x, q, k and v, the scores, the weights and the output of "may"; the row of the y is framed."""
    found = calculation()
    says = (
        "Attention of the three letters of may, in numbers: from x come q, k and v; q and k give the scores, softmax "
        "makes weights of each row of scores, and the weights mix the rows of v. The y has the weights "
        f"{', '.join(shown(x, 4) for x in found['weights'][LIT])} and the output "
        f"{' and '.join(shown(x, 3) for x in found['output'][LIT])}."
    )
    tables = [
        *table("x", X_LEFT, TOPS[1], found["x"], lit=True),
        *table("q", MADE, TOPS[0], found["q"], "queries", lit=True),
        *table("k", MADE, TOPS[1], found["k"], "keys"),
        *table("v", MADE, TOPS[2], found["v"], "values"),
        *table("scores = q · k / √4", LOOKED, TOPS[0], found["scores"], wide=WIDE, lit=True),
        *table("weights = softmax", LOOKED, TOPS[1], found["weights"], wide=WIDE, digits=2, lit=True),
        *table("output = weights · v", LOOKED, TOPS[2], found["output"], "values", wide=WIDE, digits=2, lit=True),
    ]
    middles = [top + HIGH * len(TEXT) / 2 for top in TOPS]
    right, before = MADE + 4 * NARROW + 6, LOOKED - 18
    arrows = [arrow(X_LEFT + 2 * NARROW + 6, middles[1], MADE - 18, middle) for middle in middles]
    arrows += [arrow(right, middles[0], before, middles[0]), arrow(right, middles[1], before, middles[0] + 10)]
    arrows.append(arrow(MADE + 2 * NARROW + 6, middles[2], before, middles[2]))
    arrows += [arrow(LOOKED + WIDE, top - 54, LOOKED + WIDE, top - 32) for top in TOPS[1:]]
    letters = [
        label(letter, left - 8, top + (i + 0.72) * HIGH, size=10)
        for left, top in ((X_LEFT, TOPS[1]), (MADE, TOPS[0]), (MADE, TOPS[1]), (MADE, TOPS[2]))
        for i, letter in enumerate(TEXT)
    ]
    letters += [
        label(letter, LOOKED - 8, top + (i + 0.72) * HIGH, size=10) for top in TOPS for i, letter in enumerate(TEXT)
    ]
    letters += [
        label(letter, LOOKED + (j + 0.5) * WIDE, top - 5, size=10) for top in TOPS[:2] for j, letter in enumerate(TEXT)
    ]
    return HTML(
        f'<svg class="diagram" viewBox="0 0 376 314" width="560" role="img" aria-label="{escape(says)}" fill="none" '
        f'stroke="currentColor" font-family="system-ui, sans-serif">{"".join([*arrows, *tables, *letters])}</svg>'
    )


def calculation():
    """Compute the example with the package: arrays of (letters, numbers), or (letters, letters)."""
    x = GIVEN["x"]
    q, k, v = (x @ GIVEN[name] for name in ("wq", "wk", "wv"))
    output, weights = ca.scaled_dot_product_attention(q, k, v)
    found = {"x": x, "q": q, "k": k, "v": v, "scores": q @ k.T / q.shape[-1] ** 0.5}
    return found | {"weights": weights.numpy(), "output": output.numpy()}


def table(title, left, top, numbers, colour="", wide=NARROW, digits=None, lit=False):
    """Yield the marks of one table of numbers; the larger a number is in it, the darker is its square."""
    low, most = numbers.min(), numbers.max()
    fill = themed(colour) if colour else "currentColor"
    for (i, j), x in np.ndenumerate(numbers):
        opacity = 0.04 + 0.36 * (x - low) / (most - low)
        corner = f'x="{left + j * wide}" y="{top + i * HIGH}" width="{wide}" height="{HIGH}"'
        yield f'<rect {corner} style="fill:{fill}" fill-opacity="{opacity:.2f}" stroke-opacity=".25"/>'
        yield label(shown(x, digits), left + (j + 0.5) * wide, top + (i + 0.7) * HIGH, size=11)
    yield label(title, left, top - (6 if colour or wide == NARROW else 19), anchor="start")
    if lit:
        size = f'width="{numbers.shape[1] * wide}" height="{HIGH}"'
        yield f'<rect class="lit" x="{left}" y="{top + LIT * HIGH}" {size} rx="2" stroke="#d9a800" stroke-width="2"/>'


def shown(x, digits=None):
    """Write a number: with so many digits behind the point, or with as many as it has."""
    return (f"{x:g}" if digits is None else f"{x:.{digits}f}").replace("-", "−")

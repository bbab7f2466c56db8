"""How the pictures of `plots` are drawn: axes, colours, hatching, the values in the cells."""

from __future__ import annotations

import numpy as np

from clear_attention._checks import options
from clear_attention.plots import refusals

COLOURS = {  # Okabe and Ito's colours, which colour-blind readers can tell apart
    "queries": "#0072b2",
    "keys": "#d55e00",
    "values": "#009e73",
    "visible": "#56b4e9",
    "blocked": "#808080",
    "not finite": "#cc0000",
}
WEIGHTS_MAP = "cividis"
SIGNED_MAP = "PuOr"
MOST_CELLS_WITH_TEXT = 12  # a side; more would not be legible


def matrix(name, values, axes="(query_length, key_length)"):
    """Drop leading axes of length 1, and refuse what is then not one matrix."""
    matrix = values.reshape(values.shape[-2:]) if values.ndim >= 2 and values[..., 0, 0].size == 1 else values
    refusals.one_matrix(name, matrix.shape, axes)
    return matrix


def labels_of(shape, tokens, key_tokens):
    """Return the labels of a matrix's rows and columns, which are the same tokens unless told otherwise."""
    rows, columns = shape
    if key_tokens is None and tokens is not None and rows == columns:
        key_tokens = tokens
    labels = {
        "tokens": range(rows) if tokens is None else tokens,
        "key_tokens": range(columns) if key_tokens is None else key_tokens,
    }
    options.one_label_each("tokens", labels["tokens"], "query", rows)
    options.one_label_each("key_tokens", labels["key_tokens"], "key", columns)
    return labels


def axes(ax, shape, tokens, key_tokens):
    """Label the axes of a matrix: queries from top to bottom, keys from left to right."""
    rows, columns = shape
    labels = labels_of(shape, tokens, key_tokens)
    if ax is None:
        size = (1.6 + 0.5 * min(columns, 14), 1.1 + 0.42 * min(rows, 14))
        ax = pyplot().subplots(figsize=size, layout="constrained")[1]
    every = [max(1, -(-n // 40)) for n in shape]  # on a large matrix not every position gets its label
    as_it_is = {"parse_math": False}  # a $ is a token, not the beginning of a formula
    ax.set_yticks(np.arange(rows)[:: every[0]] + 0.5, list(labels["tokens"])[:: every[0]], **as_it_is)
    ax.set_xticks(np.arange(columns)[:: every[1]] + 0.5, list(labels["key_tokens"])[:: every[1]], **as_it_is)
    ax.set(xlabel="key", ylabel="query", xlim=(0, columns), ylim=(rows, 0), aspect="equal")
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    if max((len(str(label)) for label in labels["key_tokens"]), default=0) > 4:
        ax.tick_params(axis="x", rotation=45)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax


def pyplot():
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Pictures need matplotlib: pip install matplotlib.") from error
    return plt


def one_colour(name):
    from matplotlib.colors import ListedColormap

    return ListedColormap([COLOURS[name]])


def hatch(ax, blocked):
    """Hatch the blocked cells: a pattern is seen on paper, in dark mode and by colour-blind readers."""
    if blocked.any():
        ax.pcolor(
            np.where(blocked, 1.0, np.nan),
            facecolor="none",
            edgecolor=COLOURS["blocked"],
            hatch="////",
            linewidth=0.5,
        )


def write(ax, texts, ink, quiet):
    """Write the value into each cell of a small matrix, except where `quiet`: on hatching digits are hard to read."""
    if max(texts.shape) > MOST_CELLS_WITH_TEXT:
        return
    for (row, column), text in np.ndenumerate(texts):
        if not quiet[row, column]:
            ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=ink[row, column], size=9)


def short(value):
    """Write a weight in four characters, never rounding one that is not 0 or 1 to 0.00 or 1.00."""
    if value in (0, 1) or not np.isfinite(value):
        return f"{value:g}"
    if value < 0.005:
        return "<.01"
    return ">.99" if 0.995 <= value < 1 else f"{value:.2f}"

"""The picture that a link to this site shows elsewhere, drawn from the package's own numbers.

The weights are those of the home page, computed by `by_hand`. The same input gives the same bytes: no date, no version,
no personal matplotlibrc.
"""

from __future__ import annotations

import functools
import importlib
import io
import sys
import textwrap
import types
from pathlib import Path
from unittest import mock

import numpy as np

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "clear_attention"
PATH = "assets/card.png"
SIZE = (1200, 630)
DPI = 100
TOKENS = ("the", "cat", "sat", "down")
ALT = "Heat map of causal attention over the words the, cat, sat, down; what lies in a query's future is hatched."
INK, QUIET, LINE, BLUE = "#1f2933", "#52606d", "#8a94a0", "#0072b2"  # of assets/site.css


def facts(config):
    width, height = SIZE
    return {"url": config.site_url + PATH, "alt": ALT, "width": width, "height": height}


def causal_weights():
    package = types.ModuleType(PACKAGE.name)  # an empty one around `by_hand`: ours would import TensorFlow
    package.__path__ = [str(PACKAGE)]
    others = {name: module for name, module in sys.modules.items() if name.partition(".")[0] != PACKAGE.name}
    with mock.patch.dict(sys.modules, {**others, PACKAGE.name: package}, clear=True):
        by_hand = importlib.import_module(f"{PACKAGE.name}.by_hand")
    x = np.random.default_rng(3).normal(size=(len(TOKENS), 8)).tolist()
    mask = np.triu(np.ones((len(TOKENS), len(TOKENS)), int), 1).tolist()
    return np.array(by_hand.attention_by_hand(x, x, x, mask)[1])


@functools.cache  # `mkdocs serve` builds again and again
def picture(name, sentence):
    """Return the PNG."""
    from matplotlib import style  # slow to import

    file = io.BytesIO()
    with style.context("default"):
        draw(name, sentence).savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def draw(name, sentence):
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    figure = Figure(figsize=[side / DPI for side in SIZE], dpi=DPI, facecolor="white")
    figure.text(0.06, 0.68, name, fontsize=43, fontweight="bold", color=INK, va="center")
    figure.text(0.062, 0.42, textwrap.fill(sentence, 26), fontsize=27, color=QUIET, va="center", linespacing=1.5)
    figure.add_artist(Rectangle((0, 0), 0.015, 1, facecolor=BLUE, linewidth=0))
    heat_map(figure.add_axes((0.61, 0.08, 0.36, 0.72)), causal_weights())
    return figure


def heat_map(axes, weights):
    blocked = np.triu(np.ones(weights.shape, bool), 1)
    shown = np.where(blocked, np.nan, weights)
    axes.pcolormesh(shown, cmap="cividis", vmin=0, vmax=1, edgecolor="white", linewidth=4)
    axes.pcolor(np.where(blocked, 1, np.nan), facecolor="none", edgecolor=LINE, hatch="//", linewidth=0)
    for row, column in zip(*np.nonzero(~blocked), strict=True):
        ink = "white" if weights[row, column] < 0.47 else "black"
        place = {"ha": "center", "va": "center"}
        axes.text(column + 0.5, row + 0.5, short(weights[row, column]), color=ink, fontsize=20, **place)
    places = np.arange(len(TOKENS)) + 0.5
    axes.set(xticks=places, yticks=places, xlim=(0, len(TOKENS)), ylim=(len(TOKENS), 0), aspect="equal")
    axes.set_xticklabels(TOKENS, fontsize=20, color=QUIET)
    axes.set_yticklabels(TOKENS, fontsize=20, color=QUIET)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, pad=10)
    axes.spines[:].set_visible(False)


def short(weight):
    """Write a weight as the package's pictures do: none that is not 0 or 1 looks like it."""
    if weight in (0, 1):
        return f"{weight:g}"
    if weight < 0.005:
        return "<.01"
    return ">.99" if weight >= 0.995 else f"{weight:.2f}"

"""The waves of a positional encoding as a picture."""

from __future__ import annotations

import numpy as np

from clear_attention._checks import options, tensors
from clear_attention._types import Axes, TensorLike
from clear_attention.plots import drawing


def plot_positions(encoding: TensorLike, ax: Axes | None = None, colour_bar: bool = True) -> Axes:
    """Draw a positional encoding: a row for each position, a column for each channel.

    Args:
        encoding: `(length, depth)`, after any leading axes of length 1; floating-point in [-1, 1].
        ax: the matplotlib Axes to draw into; a new figure when left out.
        colour_bar: draw the scale beside the heat map.

    Returns:
        The matplotlib Axes.

    Raises:
        ImportError: matplotlib is not installed.
        TypeError: the encoding is not floating-point, or `colour_bar` is not a bool.
        ValueError: the encoding is more than one matrix.

    Examples:
        >>> from clear_attention import plot_positions, sinusoidal_encoding
        >>> ax = plot_positions(sinusoidal_encoding(length=50, depth=64))
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('channel', 'position')
    """
    options.flag("colour_bar", colour_bar)
    values = tensors.float_tensor("encoding", encoding).numpy().astype(np.float64)
    values = drawing.matrix("encoding", values, "(length, depth)")
    if ax is None:
        ax = drawing.pyplot().subplots(figsize=(6.4, 4.2), layout="constrained")[1]
    mesh = ax.pcolormesh(values, cmap=drawing.SIGNED_MAP, vmin=-1, vmax=1, rasterized=True)  # else hairlines show
    ax.set(xlabel="channel", ylabel="position", xlim=(0, values.shape[1]), ylim=(values.shape[0], 0))
    ax.spines[:].set_visible(False)
    if colour_bar:
        ax.figure.colorbar(mesh, ax=ax, label="value")
    return ax

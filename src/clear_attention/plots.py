"""Heat maps of masks and weights that say which axis is the query.

Rows are queries, columns are keys. A blocked cell is hatched, not merely dark. Every function draws into the `ax`
it is given, or into a new figure, and returns the Axes. matplotlib is imported when a picture is asked for, not
before; install it with `pip install "clear-attention[plots]"`.
"""

from __future__ import annotations

import numpy as np

from clear_attention import _checks

COLOURS = {  # Okabe and Ito's colours, which colour-blind readers can tell apart
    "queries": "#0072b2",
    "keys": "#d55e00",
    "values": "#009e73",
    "visible": "#56b4e9",
    "blocked": "#808080",
    "not finite": "#cc0000",
}
WEIGHTS_MAP = "cividis"
MOST_CELLS_WITH_TEXT = 12  # a side; more would not be legible


def plot_mask(mask, tokens=None, key_tokens=None, ax=None):
    """Draw a mask: filled cells may be attended to, hatched ones are blocked.

    Args:
        mask: `(query_length, key_length)`, after any leading axes of length 1; bool, integers or floats that hold 1
            where a key is blocked and 0 where it may be attended to.
        tokens: `query_length` labels for the queries, and for the keys too unless `key_tokens` are given; positions
            when left out.
        key_tokens: `key_length` labels for the keys.
        ax: the matplotlib Axes to draw into; a new figure when left out.

    Returns:
        The matplotlib Axes.

    Raises:
        ImportError: matplotlib is not installed.
        TypeError: the mask is not made of numbers or bools.
        ValueError: the mask is more than one matrix or holds anything but 0 and 1, or there are too few or too many
            tokens.

    Examples:
        >>> from clear_attention import create_look_ahead_mask, plot_mask
        >>> ax = plot_mask(create_look_ahead_mask(3), tokens=["the", "cat", "sat"])
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('key', 'query')
    """
    blocked = _matrix("mask", _checks.mask_tensor(mask).numpy())
    ax = _axes(ax, blocked.shape, tokens, key_tokens)
    ax.pcolormesh(np.where(blocked, np.nan, 1.0), cmap=_one_colour("visible"), edgecolor="white", linewidth=1)
    _hatch(ax, blocked)
    _write(ax, np.where(blocked, "1", "0"), np.full(blocked.shape, "black"), blocked)
    return ax


def plot_weights(weights, tokens=None, key_tokens=None, mask=None, ax=None, colour_bar=True):
    """Draw attention weights as a heat map from 0 to 1, with blocked cells hatched.

    Args:
        weights: `(query_length, key_length)`, after any leading axes of length 1; floating-point in [0, 1]. A cell
            that is NaN or infinite is drawn red.
        tokens: `query_length` labels for the queries, and for the keys too unless `key_tokens` are given; positions
            when left out.
        key_tokens: `key_length` labels for the keys.
        mask: as in [`scaled_dot_product_attention`][clear_attention.scaled_dot_product_attention], broadcast to the
            weights.
        ax: the matplotlib Axes to draw into; a new figure when left out.
        colour_bar: draw the scale beside the heat map.

    Returns:
        The matplotlib Axes.

    Raises:
        ImportError: matplotlib is not installed.
        TypeError: the weights are not floating-point, or the mask is not made of numbers or bools.
        ValueError: the weights are more than one matrix, the mask does not fit them or is not ours, or there are too
            few or too many tokens.

    Examples:
        >>> from clear_attention import plot_weights
        >>> ax = plot_weights([[0.9, 0.1]], tokens=["it"], key_tokens=["cat", "mat"])
        >>> [label.get_text() for label in ax.get_xticklabels()]
        ['cat', 'mat']
        >>> [text.get_text() for text in ax.texts]
        ['0.90', '0.10']
    """
    values = _matrix("weights", _checks.float_tensor("weights", weights).numpy()).astype(np.float64)
    blocked = np.zeros(values.shape, bool)
    if mask is not None:
        mask = _matrix("mask", _checks.mask_tensor(mask).numpy())
        _checks.same_matrix("mask", mask.shape, "weights", values.shape)
        blocked = np.broadcast_to(mask, values.shape)
    ax = _axes(ax, values.shape, tokens, key_tokens)
    shown = np.where(blocked, np.nan, values)
    mesh = ax.pcolormesh(shown, cmap=WEIGHTS_MAP, vmin=0, vmax=1, edgecolor="white", linewidth=1)
    _hatch(ax, blocked)
    broken = ~np.isfinite(values)
    if broken.any():
        ax.pcolormesh(np.where(broken, 1.0, np.nan), cmap=_one_colour("not finite"))
    ink = np.where(broken | (values < 0.45), "white", "black")
    _write(ax, np.vectorize(_short, otypes=[str])(values), ink, blocked & (values == 0))
    if colour_bar:
        ax.figure.colorbar(mesh, ax=ax, label="weight")
    return ax


def plot_heads(weights, tokens=None, key_tokens=None, mask=None, columns=4):
    """Draw the weights of all heads in a grid with shared axes and one colour bar.

    Args:
        weights: `(heads, query_length, key_length)`, after any leading axes of length 1; floating-point in [0, 1].
        tokens: `query_length` labels for the queries, and for the keys too unless `key_tokens` are given; positions
            when left out.
        key_tokens: `key_length` labels for the keys.
        mask: broadcasts to the weights; 1 marks a blocked key.
        columns: how many heads stand side by side.

    Returns:
        A NumPy array of matplotlib Axes, one for each head.

    Raises:
        ImportError: matplotlib is not installed.
        TypeError: the weights are not floating-point, `columns` is not an integer.
        ValueError: the weights are those of more than one sentence, the mask does not fit them or is not ours, there
            are too few or too many tokens, `columns` is below 1.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import plot_heads
        >>> axes = plot_heads(np.full((3, 2, 2), 0.5))
        >>> [ax.get_title() for ax in axes]
        ['head 0', 'head 1', 'head 2']
    """
    values = _checks.float_tensor("weights", weights).numpy()
    while values.ndim > 3 and values.shape[0] == 1:
        values = values[0]
    _checks.one_sentence("weights", values.shape)
    blocked = None
    if mask is not None:
        mask = _checks.mask_tensor(mask).numpy()
        while mask.ndim > 3 and mask.shape[0] == 1:
            mask = mask[0]
        _checks.same_matrix("mask", (1,) * (3 - mask.ndim) + mask.shape, "weights", values.shape)
        blocked = np.broadcast_to(mask, values.shape)
    heads, rows, keys = values.shape
    columns = min(_checks.size("columns", columns), heads)
    lines = -(-heads // columns)
    size = (columns * (0.6 + 0.4 * min(keys, 10)) + 1.4, lines * (0.9 + 0.4 * min(rows, 10)))
    figure, grid = _pyplot().subplots(
        lines, columns, figsize=size, layout="constrained", sharex=True, sharey=True, squeeze=False
    )
    axes = grid.ravel()
    for head, ax in enumerate(axes[:heads]):
        head_mask = None if blocked is None else blocked[head]
        plot_weights(values[head], tokens, key_tokens, head_mask, ax, colour_bar=False)
        ax.set_title(f"head {head}")
        ax.label_outer()
    for ax in axes[heads:]:
        ax.remove()
    figure.colorbar(axes[0].collections[0], ax=list(axes[:heads]), label="weight")
    return axes[:heads]


def _matrix(name, values):
    """Drop leading axes of length 1, and refuse what is then not one matrix."""
    matrix = values.reshape(values.shape[-2:]) if values.ndim >= 2 and values[..., 0, 0].size == 1 else values
    _checks.one_matrix(name, matrix.shape)
    return matrix


def _axes(ax, shape, tokens, key_tokens):
    """Label the axes of a matrix: queries from top to bottom, keys from left to right."""
    rows, columns = shape
    if key_tokens is None and tokens is not None and rows == columns:
        key_tokens = tokens
    labels = {
        "tokens": range(rows) if tokens is None else tokens,
        "key_tokens": range(columns) if key_tokens is None else key_tokens,
    }
    _checks.one_label_each("tokens", labels["tokens"], "query", rows)
    _checks.one_label_each("key_tokens", labels["key_tokens"], "key", columns)
    if ax is None:
        size = (1.6 + 0.5 * min(columns, 14), 1.1 + 0.42 * min(rows, 14))
        ax = _pyplot().subplots(figsize=size, layout="constrained")[1]
    every = [max(1, -(-n // 32)) for n in shape]  # on a large matrix not every position gets its label
    ax.set_yticks(np.arange(rows)[:: every[0]] + 0.5, list(labels["tokens"])[:: every[0]])
    ax.set_xticks(np.arange(columns)[:: every[1]] + 0.5, list(labels["key_tokens"])[:: every[1]])
    ax.set(xlabel="key", ylabel="query", xlim=(0, columns), ylim=(rows, 0), aspect="equal")
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    if max((len(str(label)) for label in labels["key_tokens"]), default=0) > 4:
        ax.tick_params(axis="x", rotation=45)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax


def _pyplot():
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('Pictures need matplotlib: pip install "clear-attention[plots]".') from error
    return plt


def _one_colour(name):
    from matplotlib.colors import ListedColormap

    return ListedColormap([COLOURS[name]])


def _hatch(ax, blocked):
    """Hatch the blocked cells: a pattern is seen on paper, in dark mode and by colour-blind readers."""
    if blocked.any():
        ax.pcolor(
            np.where(blocked, 1.0, np.nan),
            facecolor="none",
            edgecolor=COLOURS["blocked"],
            hatch="////",
            linewidth=0.5,
        )


def _write(ax, texts, ink, quiet):
    """Write the value into each cell of a small matrix, except where `quiet`: on hatching digits are hard to read."""
    if max(texts.shape) > MOST_CELLS_WITH_TEXT:
        return
    for (row, column), text in np.ndenumerate(texts):
        if not quiet[row, column]:
            ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=ink[row, column], size=9)


def _short(value):
    """Write a weight in four characters, never rounding one that is not 0 or 1 to 0.00 or 1.00."""
    if value in (0, 1) or not np.isfinite(value):
        return f"{value:g}"
    if value < 0.005:
        return "<.01"
    return ">.99" if 0.995 <= value < 1 else f"{value:.2f}"

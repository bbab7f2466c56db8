"""Heat maps of masks and of weights: of one head, of all heads, of two sentences."""

from __future__ import annotations

import numpy as np

from clear_attention._checks import masks, numbers, options, tensors
from clear_attention._types import Axes, Labels, Mask, TensorLike
from clear_attention.plots import drawing, refusals


def plot_mask(
    mask: TensorLike, tokens: Labels | None = None, key_tokens: Labels | None = None, ax: Axes | None = None
) -> Axes:
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
        TypeError: the mask is not made of numbers or bools, or labels are no list.
        ValueError: the mask is more than one matrix or holds anything but 0 and 1, or there are too few or too many
            tokens.

    Examples:
        >>> from clear_attention import create_look_ahead_mask, plot_mask
        >>> ax = plot_mask(create_look_ahead_mask(3), tokens=["the", "cat", "sat"])
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('key', 'query')
    """
    blocked = drawing.matrix("mask", masks.mask_tensor(mask).numpy())
    ax = drawing.axes(ax, blocked.shape, tokens, key_tokens)
    ax.pcolormesh(np.where(blocked, np.nan, 1.0), cmap=drawing.one_colour("visible"), edgecolor="white", linewidth=1)
    drawing.hatch(ax, blocked)
    drawing.write(ax, np.where(blocked, "1", "0"), np.full(blocked.shape, "black"), blocked)
    return ax


def plot_weights(
    weights: TensorLike,
    tokens: Labels | None = None,
    key_tokens: Labels | None = None,
    mask: Mask = None,
    ax: Axes | None = None,
    colour_bar: bool = True,
) -> Axes:
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
        TypeError: the weights are not floating-point, the mask is not made of numbers or bools, labels are no list, or
            `colour_bar` is not a bool.
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
    options.flag("colour_bar", colour_bar)
    values = drawing.matrix("weights", tensors.float_tensor("weights", weights).numpy()).astype(np.float64)
    blocked = np.zeros(values.shape, bool)
    if mask is not None:
        hidden = drawing.matrix("mask", masks.mask_tensor(mask).numpy())
        refusals.same_matrix("mask", hidden.shape, "weights", values.shape)
        blocked = np.broadcast_to(hidden, values.shape)
    ax = drawing.axes(ax, values.shape, tokens, key_tokens)
    shown = np.where(blocked, np.nan, values)
    mesh = ax.pcolormesh(shown, cmap=drawing.WEIGHTS_MAP, vmin=0, vmax=1, edgecolor="white", linewidth=1)
    drawing.hatch(ax, blocked)
    broken = ~np.isfinite(values)
    if broken.any():
        ax.pcolormesh(np.where(broken, 1.0, np.nan), cmap=drawing.one_colour("not finite"))
    ink = np.where(broken | (values < 0.45), "white", "black")
    drawing.write(ax, np.vectorize(drawing.short, otypes=[str])(values), ink, blocked & (values == 0))
    if colour_bar:
        ax.figure.colorbar(mesh, ax=ax, label="weight")
    return ax


def plot_heads(
    weights: TensorLike,
    tokens: Labels | None = None,
    key_tokens: Labels | None = None,
    mask: Mask = None,
    columns: int = 4,
) -> np.ndarray:
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
        TypeError: the weights are not floating-point, `columns` is not an integer, labels are no list.
        ValueError: the weights are those of more than one sentence, the mask does not fit them or is not ours, there
            are too few or too many tokens, `columns` is below 1.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import plot_heads
        >>> axes = plot_heads(np.full((3, 2, 2), 0.5))
        >>> [ax.get_title() for ax in axes]
        ['head 0', 'head 1', 'head 2']
    """
    values = tensors.float_tensor("weights", weights).numpy()
    while values.ndim > 3 and values.shape[0] == 1:
        values = values[0]
    refusals.one_sentence("weights", values.shape)
    blocked = None
    if mask is not None:
        hidden = masks.mask_tensor(mask).numpy()
        while hidden.ndim > 3 and hidden.shape[0] == 1:
            hidden = hidden[0]
        refusals.same_matrix("mask", (1,) * (3 - hidden.ndim) + hidden.shape, "weights", values.shape)
        blocked = np.broadcast_to(hidden, values.shape)
    heads, rows, keys = values.shape
    drawing.labels_of((rows, keys), tokens, key_tokens)  # refused before a figure is there
    columns = min(numbers.size("columns", columns), heads)
    lines = -(-heads // columns)
    size = (columns * (0.6 + 0.4 * min(keys, 10)) + 1.4, lines * (0.9 + 0.4 * min(rows, 10)))
    figure, grid = drawing.pyplot().subplots(
        lines, columns, figsize=size, layout="constrained", sharex=True, sharey=True, squeeze=False
    )
    axes = grid.ravel()
    for head, ax in enumerate(axes[:heads]):
        head_mask = None if blocked is None else blocked[head]
        plot_weights(values[head], tokens, key_tokens, head_mask, ax, colour_bar=False)
        ax.set_title(f"head {head}")
        ax.tick_params(labeltop=True)  # shared axes take the letters from all rows but the last, where they are below
        ax.label_outer()
    for ax in axes[heads:]:
        ax.remove()
    figure.colorbar(axes[0].collections[0], ax=list(axes[:heads]), label="weight")
    return axes[:heads]


def plot_alignment(
    weights: TensorLike, source_tokens: Labels, target_tokens: Labels, ax: Axes | None = None, colour_bar: bool = True
) -> Axes:
    """Draw where each token of the target looks in the source, and frame the place it looks at most.

    Args:
        weights: cross-attention weights `(target_length, source_length)`, or `(heads, target_length, source_length)`,
            of which the mean is drawn; after any leading axes of length 1; floating-point in [0, 1].
        source_tokens: `source_length` labels for the keys; a text is taken letter by letter.
        target_tokens: `target_length` labels for the queries; a text is taken letter by letter.
        ax: the matplotlib Axes to draw into; a new figure when left out.
        colour_bar: draw the scale beside the heat map.

    Returns:
        The matplotlib Axes.

    Raises:
        ImportError: matplotlib is not installed.
        TypeError: the weights are not floating-point, labels are no list, or `colour_bar` is not a bool.
        ValueError: the weights are those of more than one sentence, or there are too few or too many tokens.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import plot_alignment
        >>> ax = plot_alignment(np.eye(3)[::-1], "may", "123")
        >>> ax.get_xlabel(), [label.get_text() for label in ax.get_yticklabels()]
        ('key (source)', ['1', '2', '3'])
        >>> [frame.get_x() for frame in ax.patches]
        [2.0, 1.0, 0.0]
    """
    values = tensors.float_tensor("weights", weights).numpy().astype(np.float64)
    while values.ndim > 3 and values.shape[0] == 1:
        values = values[0]
    values = values.mean(axis=0) if values.ndim == 3 else drawing.matrix("weights", values)
    refusals.one_matrix("weights", values.shape)
    refusals.labels("source_tokens", source_tokens, "key", values.shape[1])
    refusals.labels("target_tokens", target_tokens, "query", values.shape[0])
    queries, keys = (["␣" if token == " " else token for token in tokens] for tokens in (target_tokens, source_tokens))
    ax = plot_weights(values, queries, keys, ax=ax, colour_bar=colour_bar)
    ax.set(xlabel="key (source)", ylabel="query (target)")
    for row, column in enumerate(values.argmax(axis=1)):
        if not values[row].any():
            continue  # it looks nowhere
        frame = {"fill": False, "edgecolor": drawing.COLOURS["keys"], "linewidth": 1.5}
        ax.add_patch(drawing.pyplot().Rectangle((float(column), row), 1, 1, **frame))
    return ax

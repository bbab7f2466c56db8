"""Heat maps of masks and weights that say which axis is the query.

Rows are queries, columns are keys. A blocked cell is hatched, not merely dark. Every function draws into the `ax`
it is given, or into a new figure, and returns the Axes. matplotlib is imported when a picture is asked for, not
before; install it with `pip install matplotlib`.
"""

# The rooms:
#
#     heat_maps   masks, weights, heads, alignments
#     waves       positional encodings
#     drawing     axes, colours, hatching, the values in the cells
#     refusals    what plots refuse

from clear_attention.plots.heat_maps import plot_alignment, plot_heads, plot_mask, plot_weights
from clear_attention.plots.waves import plot_positions

__all__ = ["plot_mask", "plot_weights", "plot_heads", "plot_positions", "plot_alignment"]  # noqa: RUF022 - as on the site

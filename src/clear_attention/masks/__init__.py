"""Who may not look where: masks that say 1 where a key is blocked and 0 where it may be attended to.

This is the one convention of the package. Every mask broadcasts to the scores
`(batch, heads, query_length, key_length)`: rows are the queries that look, columns the keys that are looked at.
"""

# The rooms:
#
#     create        masks from ids and lengths, and several joined to one
#     conventions   what other libraries mean by a mask, and how to convert
#     findings      what describe_mask looks for
#     report        what describe_mask says

from clear_attention.masks.conventions import convert_mask
from clear_attention.masks.create import (
    combine_masks,
    create_document_mask,
    create_document_positions,
    create_look_ahead_mask,
    create_padding_mask,
    create_prefix_mask,
    create_window_mask,
)
from clear_attention.masks.findings import describe_mask
from clear_attention.masks.report import Finding, MaskReport

__all__ = [  # noqa: RUF022 - made, joined, converted, described
    "create_padding_mask",
    "create_look_ahead_mask",
    "create_prefix_mask",
    "create_window_mask",
    "create_document_mask",
    "create_document_positions",
    "combine_masks",
    "convert_mask",
    "describe_mask",
    "MaskReport",
    "Finding",
]

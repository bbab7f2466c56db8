"""The refusals of blockwise attention, in the same voice as `_checks`."""

from __future__ import annotations

import numpy as np

from clear_attention import _layer_checks
from clear_attention._refusal import refusal, shown


def flags(causal, return_weights):
    _layer_checks.flag("causal", causal)
    if _layer_checks.flag("return_weights", return_weights):
        law = "Blockwise attention never holds all weights, which is why it needs little memory: it can't return them."
        expected = "return_weights=False; scaled_dot_product_attention returns them"
        raise ValueError(refusal(law, expected, "return_weights=True"))


def choice(blockwise, dropout):
    """Return what a layer was told: True, False or "auto"."""
    if not (isinstance(blockwise, (bool, np.bool_)) or blockwise == "auto"):
        law = "blockwise says whether a layer attends by blocks."
        raise ValueError(refusal(law, "True, False or 'auto'", f"blockwise={shown(blockwise)}"))
    if blockwise is True and dropout:
        law = "Dropout drops weights, and attention by blocks never holds all of them."
        raise ValueError(refusal(law, "blockwise='auto', False, or dropout=0", f"blockwise=True, dropout={dropout}"))
    return blockwise if blockwise == "auto" else bool(blockwise)

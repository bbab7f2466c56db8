"""The refusals of blockwise attention, in the same voice as `_checks`."""

from __future__ import annotations

from clear_attention import _layer_checks
from clear_attention._checks import refusal


def flags(causal, return_weights):
    _layer_checks.flag("causal", causal)
    if return_weights is not False:
        law = "Blockwise attention never holds all weights, which is why it needs little memory: it can't return them."
        expected = "return_weights=False; scaled_dot_product_attention returns them"
        raise ValueError(refusal(law, expected, f"return_weights={return_weights!r}"))

"""What rotary positions are made with: pairs of channels, and numbers that go together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from clear_attention._checks.numbers import divisor, size
from clear_attention._checks.sentence import refusal, shown
from clear_attention._checks.tensors import tensor


def channels_to_turn(name, channels, depth=None):
    """Return how many channels are turned: an even number, and all of the depth when None."""
    if channels is None and depth is None:
        return None
    number = depth if channels is None else size(name, channels)
    if number % 2 or (depth is not None and number > depth):
        law = "Channels are turned in pairs, so their number is even."
        known = "" if depth is None else f" of at most {depth}, the depth of a head"
        received = f"{name}={channels}" if depth is None else f"{name}={channels}, a depth of {depth}"
        raise ValueError(refusal(law, f"an even number{known}", received))
    return number


def known_scaling(rotary):
    """Refuse a scaling that lacks a number it needs, and numbers that nothing uses."""
    received = f"scaling={rotary.scaling!r}, factor={rotary.factor}, original_length={rotary.original_length}"
    if rotary.scaling is None and (rotary.factor != 1 or rotary.original_length is not None):
        law = "A factor and an original length are used by a scaling."
        raise ValueError(refusal(law, "scaling='interpolation', 'ntk', 'by_parts' or 'yarn'", received))
    if rotary.scaling in ("by_parts", "yarn") and rotary.original_length is None:
        law = "How often a hand turns in the texts of the training depends on their length."
        raise ValueError(refusal(law, "original_length in tokens", received))
    if rotary.fast <= rotary.slow:
        law = "Quick hands stay as they are, slow ones are slowed down, and between the two is a range."
        raise ValueError(refusal(law, "fast > slow", f"fast={rotary.fast}, slow={rotary.slow}"))


def known_positions(positions, max_length, self_attention, rotary):
    """Return how a model tells places apart, and how many places it learns."""
    names = ("rotary", "sinusoidal", "learned")
    if not (positions is None or isinstance(positions, rotary) or (isinstance(positions, str) and positions in names)):
        law = "A language model tells its tokens apart by place in one of four ways, or not at all."
        expected = f"None, {', '.join(map(repr, names))} or RotaryPositions()"
        raise ValueError(refusal(law, expected, f"positions={shown(positions)}"))
    if isinstance(self_attention, Mapping) and self_attention.get("rotary") is not None and positions is not None:
        law = "A model has one kind of positions, so they are chosen in one place."
        expected = "positions=RotaryPositions(...) without the option rotary, or positions=None with it"
        raise ValueError(refusal(law, expected, f"positions={shown(positions)}, self_attention with 'rotary'"))
    if (positions == "learned") != (max_length is not None):
        law = "max_length is the number of positions that are learned."
        expected = "positions='learned' and max_length, or neither"
        raise ValueError(refusal(law, expected, f"positions={shown(positions)}, max_length={shown(max_length)}"))
    return positions, None if max_length is None else size("max_length", max_length)


def kernel_of_heads(weights, num_heads):
    weights = np.asarray(tensor("weights", weights, "weights of shape (..., num_heads * d_k)"))
    if weights.ndim == 0:
        law = "The last axis of weights holds the channels of all heads."
        raise ValueError(refusal(law, "weights of shape (..., num_heads * d_k)", "a single number"))
    return weights, divisor("num_heads", num_heads, "the last axis of weights", weights.shape[-1])

"""Positions as turns: a query and a key are turned by where they stand, so that their product tells how far apart.

Nothing is added to the tokens, and the values are left alone. Positions shifted by the same number change nothing.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import keras
import numpy as np
import tensorflow as tf

from clear_attention._checks import numbers, tensors
from clear_attention._checks.options import one_of
from clear_attention._checks.rotary import channels_to_turn, kernel_of_heads, known_scaling
from clear_attention._types import LayerInput, Shape, TensorLike

LAYOUTS = ("halves", "interleaved")
SCALINGS = ("interpolation", "ntk", "by_parts", "yarn")


@keras.saving.register_keras_serializable(package="clear_attention")
class RotaryPositions(keras.Layer):
    r"""Turn queries and keys by where they stand: each pair of channels as the hand of a dial, at its own speed.

    $$ \begin{pmatrix} a_p \\ b_p \end{pmatrix} = \begin{pmatrix} \cos p\theta_i & -\sin p\theta_i \\
       \sin p\theta_i & \cos p\theta_i \end{pmatrix} \begin{pmatrix} a \\ b \end{pmatrix}, \qquad
       \theta_i = \text{base}^{-2i / d}, \quad i = 0, \dots, d/2 - 1 $$

    The product of a query and a key then depends on the difference of their positions only. Give it to a layer,
    `MultiHeadAttention(..., rotary=RotaryPositions())`; it holds no weights.

    The two layouts differ in which channels are a pair, and a model only works with the one it was trained with:
    `"halves"` pairs channel i with i + d/2, `"interleaved"` pairs 2i with 2i + 1.
    [`convert_rotary`][clear_attention.convert_rotary] changes a layer's weights from one to the other.

    For texts that are longer than those of the training (`original_length`) by a `factor` s, angles are made smaller:

    * `"interpolation"`: all positions are divided by s.
    * `"ntk"`: the base becomes $\text{base} \cdot s^{d / (d - 2)}$, so that the slowest hand is s times as slow, and
      the quickest stays as it is.
    * `"by_parts"`: a hand that turns more than `fast` times in the original length stays as it is, one that turns less
      than `slow` times is s times as slow, and those between go over from one to the other with the number of turns.
    * `"yarn"`: the same, but those between go over with their number i, rounded outwards, and all is multiplied by
      $0.1 \ln s + 1$, which makes the softmax a little steeper. This is what the authors' program does.

    Args:
        layout: `"halves"` or `"interleaved"`.
        base: how much slower the slowest hand is than the first, about; above 1.
        scaling: one of the four above, or None.
        factor: how many times longer the texts are; at least 1.
        original_length: tokens that the model was trained with; needed for `"by_parts"` and `"yarn"`.
        fast: turns in the original length from which on a hand stays as it is.
        slow: turns below which a hand is slowed down in full.
        channels: how many channels of each head are turned, the first ones; all when left out. An even number.
        **kwargs: what every `keras.Layer` takes, such as `name`.

    Call arguments:
        x: queries or keys of heads, `(batch, heads, length, d_k)`, or with other leading axes.
        positions: integers `(length,)`, or `(batch, length)` where each text has its own.

    Returns:
        As `x`, turned, in its dtype. Angles are computed in float64.

    Raises:
        TypeError: `positions` are not integers, a number is none.
        ValueError: a layout or scaling that is not known, an odd number of channels, a number out of its range.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import RotaryPositions
        >>> x = np.array([[[[1.0, 0.0]], [[0.0, 2.0]]]], "float32")  # two heads, one token
        >>> RotaryPositions()(x, positions=[1]).numpy().round(4)  # cos 1 = 0.5403, sin 1 = 0.8415
        array([[[[ 0.5403,  0.8415]],
        <BLANKLINE>
                [[-1.6829,  1.0806]]]], dtype=float32)

    References:
        Su et al. (2021), *RoFormer*; Chen et al. (2023), *Extending Context Window of Large Language Models via
        Position Interpolation*; Peng et al. (2023), *YaRN: Efficient Context Window Extension*.
    """

    def __init__(
        self,
        layout: Literal["halves", "interleaved"] = "halves",
        base: float = 10000.0,
        scaling: Literal["interpolation", "ntk", "by_parts", "yarn"] | None = None,
        factor: float = 1.0,
        original_length: int | None = None,
        fast: float = 32.0,
        slow: float = 1.0,
        channels: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(autocast=False, **kwargs)  # what is turned keeps its type
        self.layout = one_of("layout", layout, LAYOUTS)
        self.base = numbers.above("base", base, 1)
        self.scaling = None if scaling is None else one_of("scaling", scaling, SCALINGS)
        self.factor = numbers.at_least_one("factor", factor)
        self.original_length = None if original_length is None else numbers.size("original_length", original_length)
        self.fast, self.slow = numbers.positive("fast", fast), numbers.positive("slow", slow)
        known_scaling(self)
        self.channels = channels_to_turn("channels", channels)
        self.supports_masking = True

    def __call__(self, x: LayerInput, positions: LayerInput, **kwargs: Any) -> tf.Tensor:
        x, positions = tensors.from_lists(x=x, positions=positions)
        return super().__call__(x, positions=positions, **kwargs)

    def call(self, x: tf.Tensor, positions: TensorLike) -> tf.Tensor:
        depth = channels_to_turn("channels", self.channels, x.shape[-1])
        positions = tensors.positions_of_heads(positions, x)
        angles = tf.cast(positions, tf.float64)[..., tf.newaxis] * self.speeds(depth)  # (..., length, depth / 2)
        wide = x.dtype if x.dtype.size >= 4 else tf.float32
        cos, sin = (tf.cast(self.size * part(angles), wide) for part in (tf.cos, tf.sin))
        turned = turn(tf.cast(x[..., :depth], wide), cos, sin, self.layout)
        return tf.concat([tf.cast(turned, x.dtype), x[..., depth:]], axis=-1)

    @property
    def size(self) -> float:
        """What everything is multiplied by: longer texts need a steeper softmax, says YaRN."""
        return 0.1 * math.log(self.factor) + 1 if self.scaling == "yarn" else 1.0

    def speeds(self, depth: int) -> np.ndarray:
        """Return how far each hand turns from one position to the next, `(depth / 2,)`, in radians."""
        number = np.arange(depth // 2)
        speeds = self.base ** (-2 * number / depth)
        if self.scaling == "interpolation":
            return speeds / self.factor
        if self.scaling == "ntk":
            return (self.base * self.factor ** (depth / max(depth - 2, 1))) ** (-2 * number / depth)
        if self.scaling is None:
            return speeds
        if self.scaling == "by_parts":
            turns = self.original_length * speeds / (2 * math.pi)
            kept = np.clip((turns - self.slow) / (self.fast - self.slow), 0, 1)
        else:
            first, last = math.floor(self.hand(self.fast, depth)), math.ceil(self.hand(self.slow, depth))
            first, last = max(first, 0), min(last, depth - 1)
            kept = 1 - np.clip((number - first) / max(last - first, 0.001), 0, 1)
        return kept * speeds + (1 - kept) * speeds / self.factor

    def hand(self, turns: float, depth: int) -> float:
        """Return the number, with a fraction, of the hand that turns so many times in the original length."""
        length: int = self.original_length  # type: ignore[assignment]  # known_scaling has seen to it
        return depth * math.log(length / (turns * 2 * math.pi)) / (2 * math.log(self.base))

    def compute_output_shape(self, x_shape: Shape, positions_shape: Shape | None = None) -> Shape:
        return tuple(x_shape)

    def get_config(self) -> dict[str, Any]:
        names = ("layout", "base", "scaling", "factor", "original_length", "fast", "slow", "channels")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


def turn(x, cos, sin, layout):
    """Turn each pair of channels of `(..., depth)` by an angle of `(..., depth / 2)`."""
    if layout == "halves":
        a, b = tf.split(x, 2, axis=-1)
        return tf.concat([a * cos - b * sin, a * sin + b * cos], axis=-1)
    a, b = x[..., ::2], x[..., 1::2]
    pairs = tf.stack([a * cos - b * sin, a * sin + b * cos], axis=-1)  # (..., depth / 2, 2)
    return tf.ensure_shape(tf.reshape(pairs, tf.shape(x)), x.shape)


def convert_rotary(
    weights: TensorLike,
    num_heads: int,
    source: Literal["halves", "interleaved"],
    target: Literal["halves", "interleaved"],
    channels: int | None = None,
) -> np.ndarray:
    r"""Reorder what makes queries or keys, for the other layout of rotary positions.

    $$ \text{halves}_i = \text{interleaved}_{2i}, \qquad \text{halves}_{i + d/2} = \text{interleaved}_{2i + 1} $$

    If the projections of queries and keys are reordered alike, all scores stay what they were, to the last bit but for
    the order in which products are added. Values are not turned, so their projection stays as it is.

    Args:
        weights: a kernel `(depth, num_heads * d_k)` or a bias `(num_heads * d_k,)`, any dtype.
        num_heads: how many heads the last axis holds: those of the keys for the projection of keys.
        source: the layout that the weights were made for.
        target: the layout that is wanted.
        channels: how many channels of each head are turned, the first ones; all when left out.

    Returns:
        An array of the shape and dtype of `weights`, its last axis in another order.

    Raises:
        TypeError: `num_heads` or `channels` is not an integer.
        ValueError: a layout that is not known, heads that do not divide the last axis, an odd number of channels.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import convert_rotary
        >>> convert_rotary(np.arange(8), num_heads=2, source="interleaved", target="halves")
        array([0, 2, 1, 3, 4, 6, 5, 7])

    References:
        Su et al. (2021), *RoFormer*, section 3.2.2, pairs neighbours; halves came with the first implementations.
    """
    source, target = one_of("source", source, LAYOUTS), one_of("target", target, LAYOUTS)
    weights, num_heads = kernel_of_heads(weights, num_heads)
    d_k = weights.shape[-1] // num_heads
    channels = channels_to_turn("channels", channels, d_k)
    order = np.arange(d_k)
    if source != target:
        pairs = order[:channels].reshape((2, -1) if source == "halves" else (-1, 2))
        order[:channels] = pairs.T.ravel()
    heads = weights.reshape(*weights.shape[:-1], num_heads, d_k)
    return heads[..., order].reshape(weights.shape)

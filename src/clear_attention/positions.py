"""Where a token stands: waves of different lengths, added to its embedding.

Attention compares contents and sees no order. These numbers bring it in; they hold no weights and know no words.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf

from clear_attention._checks import numbers, tensors
from clear_attention._token_layer import TokenLayer
from clear_attention._types import LayerInput, Output, Size, TensorLike


def sinusoidal_encoding(length: Size, depth: int, n: float = 10000) -> tf.Tensor:
    r"""Write each position as sines and cosines of slower and slower waves.

    $$ PE_{p,\,2i} = \sin\frac{p}{n^{2i/d}}, \qquad PE_{p,\,2i+1} = \cos\frac{p}{n^{2i/d}} $$

    Sine and cosine of one wave stand side by side. An odd depth ends with a sine. A longer encoding begins with the
    shorter one.

    Args:
        length: number of positions, a positive integer (or a scalar integer tensor in a graph).
        depth: number of channels $d$, a positive integer.
        n: how much slower the slowest wave is than the first, a number above 0.

    Returns:
        `(length, depth)`, float32 in [-1, 1], computed in float64 and rounded once.

    Raises:
        TypeError: `length` or `depth` is not an integer, `n` is not a number.
        ValueError: `length` or `depth` is below 1, `n` is not above 0 or not finite.

    Examples:
        >>> from clear_attention import sinusoidal_encoding
        >>> sinusoidal_encoding(length=3, depth=4).numpy().round(2)
        array([[ 0.  ,  1.  ,  0.  ,  1.  ],
               [ 0.84,  0.54,  0.01,  1.  ],
               [ 0.91, -0.42,  0.02,  1.  ]], dtype=float32)

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.5.
    """
    length, depth = numbers.length("length", length), numbers.size("depth", depth)
    return tf.cast(waves(tf.range(length), depth, numbers.positive("n", n)), tf.float32)


def waves(positions, depth, n):
    """Sines and cosines in turns: (..., length) to (..., length, depth) in float64."""
    rates = float(n) ** (-np.arange(0, depth, 2) / depth)  # (waves,)
    angles = tf.cast(positions, tf.float64)[..., tf.newaxis] * rates  # (..., waves)
    pairs = tf.stack([tf.sin(angles), tf.cos(angles)], axis=-1)  # (..., waves, 2)
    shape = tf.concat([tf.shape(angles)[:-1], [2 * len(rates)]], axis=0)
    in_turns = tf.reshape(pairs, shape)[..., :depth]  # (..., depth), odd too
    return tf.ensure_shape(in_turns, (*angles.shape[:-1], depth))


@keras.saving.register_keras_serializable(package="clear_attention")
class PositionalEncoding(TokenLayer):
    r"""Add to each token the waves of its position.

    $$ y_{p} = x_{p} + PE_{p} $$

    The length is read from the axis before the last. Waves are computed once and kept: again only for a longer input.

    Args:
        n: how much slower the slowest wave is than the first, a number above 0.
        dropout: share of the sums that are dropped in training, in [0, 1).
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        x: `(..., length, depth)`, floating-point.
        positions: integers `(length,)` or `(..., length)`; 0, 1, 2, ... when left out. Sentences that are padded on the
            left, or continued, begin elsewhere.
        training: whether dropout is active.

    Returns:
        `(..., length, depth)` in the dtype of the layer; the mask that Keras attached to `x` stays.

    Raises:
        TypeError: `n` is not a number, `x` is not floating-point (token ids are embedded first), `positions` are not
            integers.
        ValueError: `n` is not above 0, `dropout` is outside [0, 1), `x` has fewer than two axes or one of size 0,
            `positions` do not fit.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import PositionalEncoding
        >>> PositionalEncoding()(np.zeros((1, 2, 3))).numpy()
        array([[[0.    , 1.    , 0.    ],
                [0.8415, 0.5403 , 0.0022]]], dtype=float32)

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.5.
    """

    def __init__(self, n: float = 10000, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n = numbers.positive("n", n)
        self.dropout = numbers.rate("dropout", dropout)
        self.drop = keras.layers.Dropout(self.dropout, dtype=self.dtype_policy)
        self.supports_masking = True
        self._longest = np.zeros((0, 0))  # a table that is kept, no part of what the layer computes

    def __call__(self, x: LayerInput, positions: LayerInput | None = None, **kwargs: Any) -> Output:
        x, positions = tensors.from_lists(x=x, positions=positions)
        return super().__call__(x, positions=positions, **kwargs)

    def call(self, x: tf.Tensor, positions: TensorLike | None = None, training: bool | None = None) -> tf.Tensor:
        tensors.tokens("x", x)
        encoding = self.encoding_of(x) if positions is None else self.encoding_at(positions, x)
        return self.drop(x + tf.cast(encoding, x.dtype), training=training)

    def encoding_of(self, x: tf.Tensor) -> TensorLike:
        length, depth = x.shape[-2:]
        if length is None:
            return waves(tf.range(tf.shape(x)[-2]), depth, self.n)
        longest = self._longest  # read once: another thread may put another one in its place
        if longest.shape[0] < length or longest.shape[1] != depth:
            with tf.init_scope():  # outside of any graph, so that all graphs can use it
                self._longest = longest = waves(np.arange(length), depth, self.n).numpy()
        return longest[:length]

    def encoding_at(self, positions: TensorLike, x: tf.Tensor) -> tf.Tensor:
        return waves(tensors.positions(positions, x), x.shape[-1], self.n)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "n": self.n, "dropout": self.dropout}

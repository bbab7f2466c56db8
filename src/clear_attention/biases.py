"""Numbers that are added to the scores because of how far a key stands from a query.

Such a bias says nothing about a pair of places but its distance. So one number for each distance is enough, and nothing
of the size of the scores has to be held.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import keras
import numpy as np
import tensorflow as tf

from clear_attention._checks import numbers, tensors
from clear_attention._checks.biases import built_for, distances_fit, has_buckets
from clear_attention._checks.options import flag
from clear_attention._types import Shape, Size, TensorLike


class DistanceBias(NamedTuple):
    """Hold one number for each distance between a query and a key, for `scaled_dot_product_attention` and others.

    The distance of key j from query i is how far it stands behind it: negative for earlier keys. The last query stands
    on the last key, so distances go from `1 - key_length` to `query_length - 1`, and so do the numbers.

    Attributes:
        values: `(..., query_length + key_length - 1)`, floating-point, the axes before it broadcast to those of the
            scores: `(heads, distances)` for one row for each head.

    Examples:
        >>> from clear_attention import DistanceBias
        >>> DistanceBias([-2.0, -1.0, 0.0, 9.0, 9.0]).between(query_length=3, key_length=3).numpy()
        array([[ 0.,  9.,  9.],
               [-1.,  0.,  9.],
               [-2., -1.,  0.]], dtype=float32)
    """

    values: Any

    def between(self, query_length: Size, key_length: Size) -> tf.Tensor:
        """Return the numbers between all queries and keys, `(..., query_length, key_length)`."""
        values = tf.convert_to_tensor(self.values)
        distances_fit(values, query_length, key_length)
        return on_diagonals(values, query_length)


def on_diagonals(values, rows):
    """Write numbers `(..., n)` along diagonals: row i of `(..., rows, n - rows + 1)` begins at number `rows - 1 - i`.

    Written `rows` times in a row with one 0 more each time, and read in rows one shorter, they are shifted by one from
    row to row. Its gradient is a sum, where that of a selection of single numbers would be a loop over all of them.
    """
    *leading, n = [tf.shape(values)[a] if size is None else size for a, size in enumerate(values.shape)]
    longer = tf.pad(values, [[0, 0]] * len(leading) + [[0, 1]])  # (..., n + 1)
    repeated = tf.tile(longer, [1] * len(leading) + [rows])[..., : rows * n]
    return tf.reshape(repeated, (*leading, rows, n))[..., rows - 1 :]


def diagonal_sums(matrix):
    """Add up along the diagonals on which `on_diagonals` writes: `(..., rows, columns)` to one number for each."""
    *leading, rows, columns = [tf.shape(matrix)[a] if size is None else size for a, size in enumerate(matrix.shape)]
    axes, n = [[0, 0]] * len(leading), rows + columns - 1
    wide = tf.reshape(tf.pad(matrix, [*axes, [0, 0], [rows - 1, 0]]), (*leading, rows * n))
    return tf.reduce_sum(tf.reshape(tf.pad(wide, [*axes, [0, rows]]), (*leading, rows, n + 1)), axis=-2)[..., :n]


def alibi_bias(num_heads: int, query_length: Size, key_length: Size | None = None) -> tf.Tensor:
    r"""Subtract from each score in proportion to the distance, in each head by another factor.

    $$ \text{bias}_{hij} = -m_h\, |j - i|, \qquad m_h = 2^{-8h / \text{heads}}, \quad h = 1, 2, \dots $$

    For a number of heads that is no power of two, the factors are those of the next smaller power, and then every other
    one of the next larger. The last query stands on the last key. [`AlibiBias`][clear_attention.AlibiBias] gives the
    same to a layer, without holding it whole.

    Args:
        num_heads: number of heads, a positive integer.
        query_length: number of queries, a positive integer (or a scalar integer tensor in a graph).
        key_length: number of keys; as many as queries when left out.

    Returns:
        `(num_heads, query_length, key_length)`, float32, 0 or below.

    Raises:
        TypeError: a number is not an integer.
        ValueError: a number is below 1.

    Examples:
        >>> from clear_attention import alibi_bias
        >>> alibi_bias(num_heads=2, query_length=3)[0].numpy()
        array([[ 0.    , -0.0625, -0.125 ],
               [-0.0625,  0.    , -0.0625],
               [-0.125 , -0.0625,  0.    ]], dtype=float32)

    References:
        Press et al. (2022), *Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation*.
    """
    num_heads = numbers.size("num_heads", num_heads)
    query_length = numbers.length("query_length", query_length)
    key_length = query_length if key_length is None else numbers.length("key_length", key_length)
    distances = tf.abs(distances_between(query_length, key_length))
    values = 0 - alibi_slopes(num_heads)[:, np.newaxis] * tf.cast(distances, tf.float64)
    return DistanceBias(tf.cast(values, tf.float32)).between(query_length, key_length)


def distances_between(queries, keys, behind=0):
    """List all distances of keys from queries, the last of which stands `behind` the last key."""
    return tf.range(queries + keys - 1) - (keys - 1) + behind


def alibi_slopes(num_heads):
    """Return the factor of each head, `(num_heads,)`."""
    power = 2 ** int(math.log2(num_heads))

    def slopes(heads):
        return 2.0 ** (-8 * np.arange(1, heads + 1) / heads)

    return np.concatenate([slopes(power), slopes(2 * power)[::2][: num_heads - power]])


def relative_position_buckets(
    distances: TensorLike, num_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True
) -> tf.Tensor:
    r"""Sort distances into buckets: one for each small distance, wider and wider ones for larger distances.

    $$ \text{bucket} = \begin{cases} n & n < e \\ e + \left\lfloor (b - e)\,
       \frac{\ln(n / e)}{\ln(\text{max\_distance} / e)} \right\rfloor & \text{else} \end{cases}
       \qquad e = \lfloor b / 2 \rfloor $$

    Here n is how far a key stands before its query, b the number of buckets, and all from `max_distance` on share the
    last one. With `bidirectional`, half of the buckets are for keys that stand before and half for those behind;
    without, those behind share bucket 0.

    Args:
        distances: integers of any shape, key minus query: negative for earlier keys.
        num_buckets: how many buckets, at least 2, or an even number of at least 4 with `bidirectional`.
        max_distance: from here on all distances share one bucket; more than the buckets with one distance each.
        bidirectional: tell keys behind the query apart, too.

    Returns:
        int32 in [0, num_buckets), of the shape of `distances`.

    Raises:
        TypeError: `distances` or a size are not integers, `bidirectional` is not a bool.
        ValueError: too few buckets, or a `max_distance` that leaves no room for them.

    Examples:
        >>> from clear_attention import relative_position_buckets
        >>> relative_position_buckets([0, -1, -7, -8, -16, -64, -500]).numpy()
        array([ 0,  1,  7,  8, 10, 14, 15], dtype=int32)
        >>> relative_position_buckets([1, 7, 8, 500]).numpy()
        array([17, 23, 24, 31], dtype=int32)

    References:
        Raffel et al. (2020), *Exploring the Limits of Transfer Learning with T5*, section 2.1.
    """
    num_buckets, max_distance = numbers.size("num_buckets", num_buckets), numbers.size("max_distance", max_distance)
    per_side, exact = has_buckets(num_buckets, max_distance, flag("bidirectional", bidirectional))
    distances = tensors.integers("distances", distances)
    before = tf.abs(distances) if bidirectional else tf.maximum(-distances, 0)
    # The first distance of each wide bucket, as an integer: a logarithm would be rounded just where a bucket begins.
    steps = np.arange(1, per_side - exact) / (per_side - exact)
    starts = np.ceil(exact * (max_distance / exact) ** steps - 1e-9).astype("int32")
    wide = exact + tf.reduce_sum(tf.cast(before[..., tf.newaxis] >= starts, tf.int32), axis=-1)
    bucket = tf.where(before < exact, before, wide)
    return bucket + tf.where((distances > 0) & bidirectional, per_side, 0)


class PositionBias(keras.Layer):
    """A bias that follows from distances: `MultiHeadAttention(..., position_bias=...)` builds it for its heads."""

    def build(self, shape: Shape) -> None:
        """Make what belongs to each head; `shape` is `(num_heads, None)`."""
        self.num_heads = shape[0]
        self.built = True

    def for_heads(self, num_heads: int) -> None:
        if not self.built:
            self.build((num_heads, None))
        built_for(self, num_heads)

    def __call__(self, distances: TensorLike, **kwargs: Any) -> tf.Tensor:
        return super().__call__(tensors.integers("distances", distances), **kwargs)

    def compute_output_shape(self, shape: Shape) -> Shape:
        return (self.num_heads, *shape)


@keras.saving.register_keras_serializable(package="clear_attention")
class AlibiBias(PositionBias):
    r"""Give a layer the bias of [`alibi_bias`][clear_attention.alibi_bias], which holds no weights.

    $$ \text{bias}_h(\text{distance}) = -m_h\, |\text{distance}| $$

    Args:
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        distances: integers `(distances,)`, key minus query.

    Returns:
        `(num_heads, distances)`, float64: what is added to the scores, in their own type.

    Raises:
        TypeError: `distances` are not integers.
        ValueError: it is given to layers with different numbers of heads.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import AlibiBias, MultiHeadAttention
        >>> attention = MultiHeadAttention(d_model=8, num_heads=2, position_bias=AlibiBias())
        >>> attention(np.ones((1, 3, 8)), return_weights=True).weights[0, 0, 2].numpy()  # all tokens are equal
        array([0.3127, 0.3329, 0.3544], dtype=float32)

    References:
        Press et al. (2022), *Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation*.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def call(self, distances: tf.Tensor) -> tf.Tensor:
        return 0 - alibi_slopes(self.num_heads)[:, np.newaxis] * tf.cast(tf.abs(distances), tf.float64)


@keras.saving.register_keras_serializable(package="clear_attention")
class RelativePositionBias(PositionBias):
    r"""Learn a number for each head and bucket of distances.

    $$ \text{bias}_h(\text{distance}) = \text{table}_{\text{bucket}(\text{distance}),\, h} $$

    The buckets are those of [`relative_position_buckets`][clear_attention.relative_position_buckets]. One object that
    is given to several layers, as a stack does with its options, is one table that all of them share.

    Args:
        num_buckets: how many buckets, at least 2, or an even number of at least 4 with `bidirectional`.
        max_distance: from here on all distances share one bucket.
        bidirectional: tell keys behind the query apart, too; a causal layer does not need it.
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        distances: integers `(distances,)`, key minus query.

    Returns:
        `(num_heads, distances)`, floating-point: what is added to the scores.

    Raises:
        TypeError: a size is not an integer, `bidirectional` is not a bool.
        ValueError: too few buckets, a `max_distance` that leaves no room for them, or it is given to layers with
            different numbers of heads.

    Examples:
        >>> from clear_attention import MultiHeadAttention, RelativePositionBias
        >>> bias = RelativePositionBias(num_buckets=8, max_distance=20)
        >>> attention = MultiHeadAttention(d_model=8, num_heads=2, position_bias=bias)
        >>> attention.build((None, None, 8))
        >>> bias.table.numpy().shape
        (8, 2)

    References:
        Raffel et al. (2020), *Exploring the Limits of Transfer Learning with T5*, section 2.1.
    """

    def __init__(
        self, num_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.num_buckets = numbers.size("num_buckets", num_buckets)
        self.max_distance = numbers.size("max_distance", max_distance)
        self.bidirectional = flag("bidirectional", bidirectional)
        has_buckets(self.num_buckets, self.max_distance, self.bidirectional)

    def build(self, shape: Shape) -> None:
        self.table = self.add_weight(name="table", shape=(self.num_buckets, shape[0]), initializer="glorot_uniform")
        super().build(shape)

    def call(self, distances: tf.Tensor) -> tf.Tensor:
        buckets = relative_position_buckets(distances, self.num_buckets, self.max_distance, self.bidirectional)
        chosen = tf.one_hot(buckets, self.num_buckets, dtype=self.compute_dtype)  # (distances, num_buckets)
        return tf.transpose(tf.matmul(chosen, self.table))

    def get_config(self) -> dict[str, Any]:
        names = ("num_buckets", "max_distance", "bidirectional")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}

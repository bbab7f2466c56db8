"""Multi-head attention: split the width into heads, attend in each, merge them again.

`split_heads` and `merge_heads` move numbers and change none. The layer holds four projections; its arithmetic is theirs
and that of [`scaled_dot_product_attention`][clear_attention.scaled_dot_product_attention].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import keras
import tensorflow as tf

from clear_attention._checks import masks, numbers, options, tensors
from clear_attention._nonfinite import token_by_token
from clear_attention._token_layer import TokenLayer
from clear_attention._types import LayerInput, Mask, Output, Shape, TensorLike
from clear_attention.attention import Attention, add_keras_masks, scaled_dot_product_attention
from clear_attention.blockwise import blockwise_attention, pays
from clear_attention.masks import combine_masks, create_look_ahead_mask


def split_heads(x: TensorLike, num_heads: int) -> tf.Tensor:
    r"""Cut the last axis into heads and bring them next to the batch.

    $$ x \in \mathbb{R}^{n \times d} \;\to\; \mathbb{R}^{h \times n \times d/h} $$

    Head 0 gets the first `d/h` numbers of each token, head 1 the next: nothing is mixed, only moved.

    Args:
        x: `(..., length, depth)`, any dtype.
        num_heads: how many heads; must divide `depth`.

    Returns:
        `(..., num_heads, length, depth // num_heads)`, same dtype.

    Raises:
        TypeError: `num_heads` is not an integer.
        ValueError: `num_heads` is below 1 or does not divide `depth`, or `x` has fewer than two axes.

    Examples:
        >>> from clear_attention import split_heads
        >>> split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], num_heads=2).numpy()
        array([[[1, 2],
                [5, 6]],
        <BLANKLINE>
               [[3, 4],
                [7, 8]]], dtype=int32)

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.2.2.
    """
    x = tensors.at_least_rank("x", x, 2, "(..., length, depth)")
    num_heads = numbers.divisor("num_heads", num_heads, "the depth (last axis) of x", x.shape[-1])
    *leading, length, depth = sizes(x)
    x = tf.reshape(x, (*leading, length, num_heads, depth // num_heads))  # (..., length, heads, depth / heads)
    return swap_axes(x, -3, -2)  # (..., heads, length, depth / heads)


def merge_heads(x: TensorLike) -> tf.Tensor:
    r"""Bring the heads back behind the length and join them: the inverse of `split_heads`.

    $$ x \in \mathbb{R}^{h \times n \times d/h} \;\to\; \mathbb{R}^{n \times d} $$

    Args:
        x: `(..., num_heads, length, depth_per_head)`, any dtype.

    Returns:
        `(..., length, num_heads * depth_per_head)`, same dtype.

    Raises:
        TypeError: `x` is not a tensor of numbers.
        ValueError: `x` has fewer than three axes.

    Examples:
        >>> from clear_attention import merge_heads, split_heads
        >>> merge_heads(split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], num_heads=2)).numpy()
        array([[1, 2, 3, 4],
               [5, 6, 7, 8]], dtype=int32)

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.2.2.
    """
    x = tensors.at_least_rank("x", x, 3, "(..., num_heads, length, depth_per_head)")
    x = swap_axes(x, -3, -2)  # (..., length, heads, depth / heads)
    *leading, num_heads, depth = sizes(x)
    return tf.reshape(x, (*leading, num_heads * depth))  # (..., length, depth)


def sizes(x):
    """List the sizes of the axes: as numbers where they are known, else as tensors."""
    dynamic = tf.shape(x)
    return [dynamic[axis] if n is None else n for axis, n in enumerate(x.shape)]


def swap_axes(x, a, b):
    order = list(range(x.shape.rank))
    order[a], order[b] = order[b], order[a]
    return tf.transpose(x, order)


def on_rows(dense, x):
    """Apply a Dense layer to all tokens as the rows of one matrix.

    On three axes its gradient would be formed once for each sentence and summed, which is several times slower.
    """
    rows = dense(tf.reshape(x, (-1, x.shape[-1])))
    return tf.reshape(rows, (*sizes(x)[:-1], dense.units))


@keras.saving.register_keras_serializable(package="clear_attention")
class MultiHeadAttention(TokenLayer):
    r"""Attend in several heads side by side, each with its own projection of queries, keys and values.

    $$ \operatorname{MultiHead}(Q, K, V) = \operatorname{Concat}(\text{head}_1, \dots, \text{head}_h)\, W^O, \qquad
       \text{head}_i = \operatorname{Attention}(Q W^Q_i, K W^K_i, V W^V_i) $$

    One Dense layer holds the projections of all heads. On the same weights the layer equals
    `keras.layers.MultiHeadAttention`, except for a query with no key left: it gets weights 0 here, and its output is
    the bias of the last projection. Masks that layers such as `Embedding(mask_zero=True)` attach are honoured: masked
    keys and values are blocked, and a masked query sees nothing.

    Args:
        d_model: depth of the output.
        num_heads: number of heads; must divide `d_model` unless `d_k` is given.
        d_k: depth of the queries and keys *of each head*; `d_model // num_heads` when left out.
        d_v: depth of the values of each head; `d_k` when left out.
        dropout: share of the weights that are dropped in training, in [0, 1). The returned weights are those before.
        use_bias: add a bias in all four projections.
        blockwise: attend as [`blockwise_attention`][clear_attention.blockwise_attention], in memory that grows with
            the length: `True`, `False` or `"auto"`, which does so where it pays and nobody asks for weights or dropout:
            with `causal` from 2,048 keys on (4,096 in eager execution), else where all weights would take over 2 GiB.
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        queries: `(batch, query_length, depth)`.
        keys: `(batch, key_length, depth_of_keys)`; the queries when left out.
        values: `(batch, key_length, depth_of_values)`; the keys when left out.
        mask: broadcasts to `(batch, heads, query_length, key_length)`; 1 blocks a key.
        causal: hide later keys, too; the last query stands on the last key.
        return_weights: return the weights `(batch, heads, query_length, key_length)` too, and the same output.
        training: whether dropout is active.

    Returns:
        The output `(batch, query_length, d_model)`; with `return_weights=True` an
            [`Attention`][clear_attention.Attention] of output and weights.

    Raises:
        TypeError: a size that is not an integer, a flag that is not a bool, inputs that are not floating-point.
        ValueError: a size below 1, heads that do not divide `d_model`, a dropout outside [0, 1), an input that does not
            have the depth the layer was built with, inputs of different batches, a mask that is not ours or does not
            fit, `blockwise=True` with `return_weights=True` or a dropout: both need the weights.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import MultiHeadAttention, create_look_ahead_mask
        >>> attention = MultiHeadAttention(d_model=8, num_heads=2)
        >>> x = np.ones((1, 3, 8))
        >>> output, weights = attention(x, mask=create_look_ahead_mask(3), return_weights=True)
        >>> output.shape
        TensorShape([1, 3, 8])
        >>> weights[0, 1].numpy()
        array([[1.  , 0.  , 0.  ],
               [0.5 , 0.5 , 0.  ],
               [0.33, 0.33, 0.33]], dtype=float32)

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.2.2.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_k: int | None = None,
        d_v: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        blockwise: bool | Literal["auto"] = "auto",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.d_model = numbers.size("d_model", d_model)
        self.num_heads = numbers.size("num_heads", num_heads)
        if d_k is None:
            when = " when d_k is not given"
            d_k = self.d_model // numbers.divisor("num_heads", num_heads, "d_model", self.d_model, when)
        self.d_k = numbers.size("d_k", d_k)
        self.d_v = self.d_k if d_v is None else numbers.size("d_v", d_v)
        self.dropout = numbers.rate("dropout", dropout)
        self.use_bias = options.flag("use_bias", use_bias)
        self.blockwise = options.choice(blockwise, self.dropout)
        self.supports_masking = True
        self.seeds = keras.random.SeedGenerator() if self.dropout else None
        names = {
            "project_queries": self.num_heads * self.d_k,
            "project_keys": self.num_heads * self.d_k,
            "project_values": self.num_heads * self.d_v,
            "project_output": self.d_model,
        }
        for name, units in names.items():
            setattr(self, name, keras.layers.Dense(units, use_bias=use_bias, name=name, dtype=self.dtype_policy))

    def build(self, queries_shape: Shape, keys_shape: Shape | None = None, values_shape: Shape | None = None) -> None:
        keys_shape = keys_shape or queries_shape
        self.project_queries.build((None, queries_shape[-1]))
        self.project_keys.build((None, keys_shape[-1]))
        self.project_values.build((None, (values_shape or keys_shape)[-1]))
        self.project_output.build((None, self.num_heads * self.d_v))
        self.built = True

    def __call__(
        self,
        queries: LayerInput,
        keys: LayerInput | None = None,
        values: LayerInput | None = None,
        mask: LayerInput | None = None,
        **kwargs: Any,
    ) -> Output:
        # Keras takes a lone tensor's implicit mask for `mask`, in its own convention: so it gets three tensors.
        keys = queries if keys is None else keys
        values = keys if values is None else values
        queries, keys, values, mask = tensors.from_lists(queries=queries, keys=keys, values=values, mask=mask)
        return super().__call__(queries, keys, values, mask=mask, **kwargs)

    def call(
        self,
        queries: tf.Tensor,
        keys: tf.Tensor,
        values: tf.Tensor,
        mask: Mask = None,
        causal: bool = False,
        return_weights: bool = False,
        training: bool | None = None,
        queries_mask: tf.Tensor | None = None,
        keys_mask: tf.Tensor | None = None,
        values_mask: tf.Tensor | None = None,
    ) -> tf.Tensor | Attention:
        tensors.as_built(self.project_queries.kernel, queries=queries)
        tensors.as_built(self.project_keys.kernel, keys=keys)
        tensors.as_built(self.project_values.kernel, values=values)
        tensors.same_number(0, queries=queries, keys=keys, values=values)
        tensors.same_number(1, keys=keys, values=values)
        masks.mask_with_heads(mask)
        causal = options.flag("causal", causal)
        return_weights = options.flag("return_weights", return_weights)
        implicit = (None if m is None else m[:, tf.newaxis] for m in (queries_mask, keys_mask, values_mask))
        mask = add_keras_masks(mask, *implicit)

        masked = causal or (mask is not None and mask is not False)
        q = self.to_heads(self.project_queries, queries, masked)  # (batch, heads, query_length, d_k)
        k = self.to_heads(self.project_keys, keys, masked)  # (batch, heads, key_length, d_k)
        v = self.to_heads(self.project_values, values, masked)  # (batch, heads, key_length, d_v)
        dropout = self.drop if training and self.dropout else None
        if self.goes_blockwise(q, k, causal, return_weights, dropout):
            return self.from_heads(blockwise_attention(q, k, v, mask, causal, return_weights=return_weights), masked)
        if causal:
            mask = combine_masks(mask, create_look_ahead_mask(sizes(q)[-2], sizes(k)[-2]))
        result = scaled_dot_product_attention(q, k, v, mask, dropout=dropout)
        output = self.from_heads(result.output, masked)  # (batch, query_length, d_model)
        return Attention(output, result.weights) if return_weights else output

    def goes_blockwise(
        self, q: tf.Tensor, k: tf.Tensor, causal: bool, return_weights: bool, dropout: Callable | None
    ) -> bool:
        if self.blockwise != "auto":
            return self.blockwise
        return not return_weights and dropout is None and pays(q, k, causal)

    def to_heads(self, project: keras.layers.Dense, x: tf.Tensor, masked: bool = False) -> tf.Tensor:
        return split_heads(self.project(project, x, masked), self.num_heads)

    def from_heads(self, x: tf.Tensor, masked: bool = False) -> tf.Tensor:
        return self.project(self.project_output, merge_heads(x), masked)

    def project(self, dense: keras.layers.Dense, x: tf.Tensor, masked: bool) -> tf.Tensor:
        return token_by_token(lambda x: on_rows(dense, x), x) if masked else on_rows(dense, x)

    def compute_output_shape(  # type: ignore[override]  # a layer's inputs have names of its own
        self, queries_shape: Shape, keys_shape: Shape | None = None, values_shape: Shape | None = None
    ) -> Shape:
        return (*queries_shape[:-1], self.d_model)

    def drop(self, weights: tf.Tensor) -> tf.Tensor:
        return keras.random.dropout(weights, self.dropout, seed=self.seeds)

    def get_config(self) -> dict[str, Any]:
        names = ("d_model", "num_heads", "d_k", "d_v", "dropout", "use_bias", "blockwise")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}

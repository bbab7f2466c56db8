"""Scaled dot-product attention: scores, softmax, weighted sum, as a function and as a Keras layer.

The function is the formula. What correctness asks for beyond it (queries with no key, numbers hidden under a
mask that are not finite, 16-bit inputs) is kept out of it, in private helpers. This module makes no masks and
holds no weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Never

import keras
import tensorflow as tf

from clear_attention._checks import tensors
from clear_attention._checks.attention import attention_inputs, same_depth
from clear_attention._checks.biases import score_rules
from clear_attention._checks.masks import mask_of_keras
from clear_attention._checks.options import flag, function_of_weights, not_built_with_data
from clear_attention._nonfinite import marked, without_nonfinite
from clear_attention._token_layer import TokenLayer, ours, padding_of
from clear_attention._types import Bias, LayerInput, Mask, Output, Shape, Size, TensorLike, Weights
from clear_attention._xla import on_gpu
from clear_attention.biases import DistanceBias
from clear_attention.masks.create import blocked_by_any


class Attention(NamedTuple):
    """Name the two results of attention, so that `output, weights = ...` and `result.weights` both work.

    Attributes:
        output: `(..., query_length, d_v)`, the weighted sums of the values.
        weights: `(..., query_length, key_length)`, in [0, 1]; each row sums to 1, or to 0 where no key is visible.

    Examples:
        >>> from clear_attention import scaled_dot_product_attention
        >>> result = scaled_dot_product_attention([[0.0]], [[1.0], [2.0]], [[10.0], [30.0]])
        >>> result.weights.numpy()
        array([[0.5, 0.5]], dtype=float32)
        >>> result.output.numpy()
        array([[20.]], dtype=float32)
    """

    output: tf.Tensor
    weights: Weights


def packed(output, weights=None, cache=None):
    """Return what a layer returns: its output, with weights and with a cache if there are any."""
    result = output if weights is None else Attention(output, weights)
    return result if cache is None else (result, cache)


def unpacked(result, has_weights, has_cache):
    """Return what a layer returned as output, weights and cache, None for what was not asked for."""
    result, cache = result if has_cache else (result, None)
    output, weights = result if has_weights else (result, None)
    return output, weights, cache


def scaled_dot_product_attention(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    mask: Mask = None,
    *,
    bias: Bias = None,
    softcap: float | None = None,
    sink: TensorLike | None = None,
    grouped: bool = False,
    dropout: Callable[[tf.Tensor], tf.Tensor] | None = None,
    check_finite: bool = True,
) -> Attention:
    r"""Compare every query with every key, and average the values by what comes out.

    $$ \operatorname{Attention}(Q, K, V) = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V $$

    The mask is applied before the softmax, by selection: a blocked key gets weight 0 exactly, and whatever it
    holds (NaN and infinity too) changes no output and no gradient. A query with no key left gets weights 0,
    output 0 and gradient 0. A NaN or infinity that *is* visible shows: the outputs that see it are not finite.

    What else goes into the scores goes in in this order: scale, soft cap, bias, mask, sink, softmax. So no rule can
    bring a blocked key back.

    Args:
        q: queries `(..., query_length, d_k)`, float16, bfloat16, float32 or float64; NumPy arrays and nested
            lists are converted.
        k: keys `(..., key_length, d_k)`, leading axes and dtype as `q`.
        v: values `(..., key_length, d_v)`, leading axes and dtype as `q`.
        mask: broadcasts to `(..., query_length, key_length)`; bool, integers or floats that hold 1 where a key is
            blocked and 0 where it may be attended to. `None` and zeros are the same in everything. In a graph the
            values can't be checked: there everything but 0 blocks.
        bias: floating-point numbers that are added to the scores; broadcasts as a mask does. Or a
            [`DistanceBias`][clear_attention.DistanceBias], which holds one number for each distance. It has gradients.
            Infinity hides nothing here: it shows, as NaN does.
        softcap: the largest score c, a number above 0: a score s becomes $c \tanh(s / c)$.
        sink: the score of one more key that has no value: what it takes, the others lack, so that weights sum to less
            than 1. Floating-point, broadcasts to `(..., query_length, 1)`: one number for each head is `sink[:, None,
            None]`. A query with no key left then gives all its weight to the sink.
        grouped: let `k` and `v` have fewer heads (the axis before the length) than `q`: with 6 and 2, the first three
            heads of queries meet the first head of keys.
        dropout: a function from weights to weights, applied before they meet the values; the returned weights are
            those it was given.
        check_finite: look for NaN and infinity, so that hidden ones change nothing. `False` saves a pass over `q`, `k`
            and `v` where they are known to be finite.

    Returns:
        An [`Attention`][clear_attention.Attention] with `output` `(..., query_length, d_v)` and `weights`
            `(..., query_length, key_length)`, both in the dtype of `q`. 16-bit inputs are computed in float32.

    Raises:
        TypeError: inputs that are not floating-point or not of one dtype, a mask that is not numbers or bools, a
            `dropout` that is not a function, a flag that is not a bool.
        ValueError: shapes that do not fit together, no key, a depth of 0, a mask or a bias that would enlarge the
            scores, a mask that holds anything but 0 and 1, a `softcap` that is not above 0. In a graph, lengths that
            are not known yet are not checked.

    Examples:
        >>> from clear_attention import create_look_ahead_mask, scaled_dot_product_attention
        >>> tokens = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [2.0, 3.0, 4.0, 5.0]]
        >>> mask = create_look_ahead_mask(3)
        >>> output, weights = scaled_dot_product_attention(tokens, tokens, tokens, mask)
        >>> output.numpy()
        array([[1., 2., 3., 4.],
               [5., 6., 7., 8.],
               [5., 6., 7., 8.]], dtype=float32)

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.2.1; soft cap: Gemma Team (2024), *Gemma 2*; bias:
        Raffel et al. (2020), *T5*; sink: OpenAI (2025), *gpt-oss model card*; groups: Ainslie et al. (2023), *GQA*.
    """
    q, k, v, blocked = attention_inputs(q, k, v, mask, flag("grouped", grouped))
    bias, softcap, sink = score_rules(q, k, bias, softcap, sink)
    function_of_weights("dropout", dropout)
    flag("check_finite", check_finite)
    wide = widened(q, k, v, whole(bias, q, k), sink)
    (safe_q, safe_k, safe_v, bias, sink), strange = without_nonfinite(*wide) if check_finite else (wide, None)

    scores = grouped_matmul(safe_q / depth(q) ** 0.5, safe_k, transpose_b=True)  # (..., query_length, key_length)
    scores = scores if softcap is None else softcap * tf.tanh(scores / softcap)
    scores = scores if bias is None else scores + bias
    weights = softmax_of_visible(scores, blocked, sink)  # (..., query_length, key_length)
    kept = weights if dropout is None else dropout(weights)
    output = grouped_matmul(kept, safe_v)  # (..., query_length, d_v)

    output, weights = marked([output, weights], strange, Visible(wide, blocked))
    return Attention(*narrowed(q.dtype, output, weights))


def grouped_matmul(x, y, transpose_b=False):
    """Multiply heads of `x` with those of `y`, of which there may be fewer: each serves as many of `x`, in a row.

    The rows of all heads that share one are put below each other, which moves nothing, and so nothing is repeated.
    """
    if heads_of(x) == heads_of(y):
        return tf.matmul(x, y, transpose_b=transpose_b)
    product = tf.matmul(tf.reshape(x, (*full_shape(y)[:-2], -1, full_shape(x)[-1])), y, transpose_b=transpose_b)
    return tf.reshape(product, (*full_shape(x)[:-1], full_shape(product)[-1]))


def heads_of(x):
    """Read the axis before the length, None where there is none or it is not known."""
    return x.shape[-3] if x.shape.rank and x.shape.rank > 2 else None


def whole(bias, q, k):
    """Return a bias as an array, if it is given by distances."""
    if not isinstance(bias, DistanceBias):
        return bias
    return bias.between(full_shape(q)[-2], full_shape(k)[-2])


def full_shape(x):
    """List the lengths of the axes: as numbers where they are known, else as tensors."""
    if x.shape.is_fully_defined():
        return list(x.shape)
    dynamic = tf.shape(x)
    return [dynamic[axis] if n is None else n for axis, n in enumerate(x.shape)]


def widened(*tensors):
    """Return float32 for 16-bit tensors, since 16-bit sums lose digits. None stays None."""
    return [x if x is None or x.dtype.size >= 4 else tf.cast(x, tf.float32) for x in tensors]


def narrowed(dtype, *tensors):
    return [tf.cast(x, dtype) for x in tensors]


def depth(x):
    """Read the last axis, as a number if it is known and as a tensor if it is not."""
    return x.shape[-1] if x.shape[-1:].is_fully_defined() else tf.cast(tf.shape(x)[-1], x.dtype)


def softmax_of_visible(scores, blocked, sink=None):
    """Make weights of the visible scores by selecting them. NaN times 0 is NaN, so a factor hides nothing, and a large
    negative summand hides nothing in a row where everything is blocked: such a row gets zeros."""
    if sink is not None:  # one more key, which is never blocked and has no value
        return softmax_of_visible(*with_sink(scores, blocked, sink))[..., :-1]
    if blocked is None:
        return tf.nn.softmax(scores)
    zero = tf.constant(0, scores.dtype)
    sees_nothing = tf.reduce_all(blocked, axis=-1, keepdims=True)
    fill = tf.where(sees_nothing, zero, tf.constant(float("-inf"), scores.dtype))  # a row of -inf would become NaN

    @tf.custom_gradient
    def softmax(scores):
        weights = tf.nn.softmax(tf.where(blocked, fill, scores))
        if on_gpu():
            weights = tf.where(sees_nothing, zero, weights)
        else:
            some_row_sees_nothing = tf.reduce_any(sees_nothing)
            weights = tf.cond(some_row_sees_nothing, lambda: tf.where(sees_nothing, zero, weights), lambda: weights)

        def backward(upstream):  # a weight of 0 passes nothing on, not even infinity, so nothing is selected again
            mean = tf.reduce_sum(tf.math.multiply_no_nan(upstream, weights), axis=-1, keepdims=True)
            return tf.math.multiply_no_nan(upstream - mean, weights)

        return weights, backward

    return softmax(scores)


def with_sink(scores, blocked, sink):
    """Return scores and mask with a last key that everybody sees."""
    *rows, keys = full_shape(scores)
    scores = tf.concat([scores, tf.broadcast_to(sink, (*rows, 1))], axis=-1)
    if blocked is not None:
        blocked = tf.broadcast_to(blocked, tf.broadcast_dynamic_shape(tf.shape(blocked), [keys]))
        blocked = tf.pad(blocked, [[0, 0]] * (blocked.shape.rank - 1) + [[0, 1]])
    return scores, blocked


class Visible(NamedTuple):
    """Find the outputs and weights that see a NaN or an infinity."""

    tensors: list[tf.Tensor | None]  # q, k, v, and a bias and a sink if there are any
    blocked: tf.Tensor | None
    cheap: bool = False

    def places(self):
        bad_q, bad_k, bad_v, bad_bias, bad_sink = (None if x is None else ~tf.math.is_finite(x) for x in self.tensors)
        bad_queries = tf.reduce_any(bad_q, axis=-1, keepdims=True)  # (..., query_length, 1)
        bad_keys = tf.expand_dims(tf.reduce_any(bad_k, axis=-1), axis=-2)  # (..., 1, key_length)
        visible = tf.constant([True]) if self.blocked is None else ~self.blocked
        bad_weights = bad_queries | for_each_head(bad_keys, bad_q)
        bad_weights = (bad_weights if bad_bias is None else bad_weights | bad_bias) & visible
        bad_rows = tf.reduce_any(bad_weights, axis=-1, keepdims=True)  # (..., query_length, 1)
        bad_rows = bad_rows if bad_sink is None else bad_rows | bad_sink
        seen = tf.cast(tf.broadcast_to(visible, tf.shape(bad_weights)), tf.float32)
        return [bad_rows | (grouped_matmul(seen, tf.cast(bad_v, tf.float32)) > 0), bad_rows & visible]


def for_each_head(x, q):
    """Repeat what belongs to heads of keys for all the heads of queries that share them."""
    if heads_of(x) == heads_of(q):
        return x
    return tf.repeat(x, heads_of(q) // heads_of(x), axis=-3)


@keras.saving.register_keras_serializable(package="clear_attention")
class DotProductAttention(TokenLayer):
    r"""Attend as a Keras layer: scaled dot-product attention without weights of its own.

    $$ \operatorname{Attention}(Q, K, V) = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V $$

    Build it first, then call it with data: `DotProductAttention()(queries, keys, values)`. Like every Keras layer it
    computes in the dtype of its policy (float32 unless told otherwise) and casts floating-point inputs to it. It
    honours the masks that layers such as `Embedding(mask_zero=True)` attach to their outputs: masked keys and
    values are blocked, and a masked query gets weights 0 and output 0.

    Args:
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        queries: `(..., query_length, d_k)`.
        keys: `(..., key_length, d_k)`.
        values: `(..., key_length, d_v)`.
        d_k: the depth of the keys; read from them when left out, refused when it contradicts them.
        mask: as in [`scaled_dot_product_attention`][clear_attention.scaled_dot_product_attention].
        return_weights: return the weights too. This never changes the output.

    Returns:
        The output `(..., query_length, d_v)`; with `return_weights=True` an
            [`Attention`][clear_attention.Attention] of output and weights.

    Raises:
        TypeError: the layer is built with data, an input is not floating-point, or `return_weights` is not a bool.
        ValueError: shapes that do not fit together, a `d_k` that is not that of the keys, a mask that is not ours.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import DotProductAttention
        >>> attention = DotProductAttention()
        >>> queries, keys, values = np.zeros((2, 3, 4)), np.ones((2, 5, 4)), np.ones((2, 5, 6))
        >>> attention(queries, keys, values).shape
        TensorShape([2, 3, 6])
        >>> attention(queries, keys, values, return_weights=True).weights[0, 0].numpy()
        array([0.2, 0.2, 0.2, 0.2, 0.2], dtype=float32)

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.2.1.
    """

    def __init__(self, *data: Never, **kwargs: Any) -> None:
        not_built_with_data("DotProductAttention", data)
        super().__init__(**kwargs)
        self.supports_masking = True

    def __call__(
        self,
        queries: LayerInput,
        keys: LayerInput,
        values: LayerInput,
        d_k: Size | None = None,
        mask: LayerInput | None = None,
        **kwargs: Any,
    ) -> Output:
        # Keras takes nothing but tensors by position, and the published call gives d_k there.
        given = {"queries": queries, "keys": keys, "values": values, "mask": ours(mask, queries)}
        queries, keys, values, mask = tensors.from_lists(**given)
        masks = {} if mask is None else {"blocked_mask": mask}
        flag("return_weights", kwargs.get("return_weights", False))
        return super().__call__(queries, keys, values, d_k=d_k, **masks, **kwargs)

    def call(
        self,
        queries: tf.Tensor,
        keys: tf.Tensor | None = None,
        values: tf.Tensor | None = None,
        d_k: Size | None = None,
        mask: tf.Tensor | None = None,
        return_weights: bool = False,
        queries_mask: tf.Tensor | None = None,
        keys_mask: tf.Tensor | None = None,
        values_mask: tf.Tensor | None = None,
        blocked_mask: Mask = None,
    ) -> tf.Tensor | Attention:
        mask_of_keras(mask, keys)
        if keys is None or values is None:  # a wrapper of Keras knows one tensor, and hands over its mask
            keys = values = queries
            queries_mask = keys_mask = values_mask = mask
        same_depth(d_k, keys)
        masks = (for_inner_axes(m, queries) for m in (queries_mask, keys_mask, values_mask))
        mask = add_keras_masks(blocked_mask, *masks)
        result = scaled_dot_product_attention(queries, keys, values, mask)
        return result if return_weights else result.output

    def compute_output_shape(  # type: ignore[override]  # a layer's inputs have names of its own
        self, queries_shape: Shape, keys_shape: Shape | None = None, values_shape: Shape | None = None
    ) -> Shape:
        return (*queries_shape[:-1], (values_shape or keys_shape or queries_shape)[-1])


def add_keras_masks(mask, queries_mask=None, keys_mask=None, values_mask=None):
    """Add the masks that Keras attaches to tensors, `(..., length)` with True where a token is real, to ours."""
    if queries_mask is keys_mask is values_mask is None:
        return mask
    rows = None if queries_mask is None else tf.expand_dims(padding_of(queries_mask), axis=-1)
    columns = (None if m is None else tf.expand_dims(padding_of(m), axis=-2) for m in (keys_mask, values_mask))
    return blocked_by_any(mask, rows, *columns)


def for_inner_axes(mask, x):
    """Return a mask `(batch, length)` as it fits tensors with axes between these two, such as heads."""
    while mask is not None and mask.shape.rank < x.shape.rank - 1:
        mask = tf.expand_dims(mask, axis=1)
    return mask

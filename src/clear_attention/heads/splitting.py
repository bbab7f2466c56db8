"""Cut the width of tokens into heads, and join them again: numbers are moved, and none is changed."""

from __future__ import annotations

import tensorflow as tf

from clear_attention._checks import numbers, tensors
from clear_attention._types import TensorLike
from clear_attention.attention import full_shape


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
    *leading, length, depth = full_shape(x)
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
    *leading, num_heads, depth = full_shape(x)
    return tf.reshape(x, (*leading, num_heads * depth))  # (..., length, depth)


def swap_axes(x, a, b):
    order = list(range(x.shape.rank))
    order[a], order[b] = order[b], order[a]
    return tf.transpose(x, order)

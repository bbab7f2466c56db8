"""Attention in memory that grows with the length, not with its square: a block of queries at a time.

The weights of one block of queries are made, used and thrown away. The backward pass makes them again. Each block meets
whole rows of keys, so that its softmax is the ordinary one; where nobody in a block sees a key, it is not read at all.
Where rows are long, heads attend in groups, so that the weights of a block stay few.
"""

from __future__ import annotations

import math

import tensorflow as tf

from clear_attention._checks import numbers
from clear_attention._checks.attention import attention_inputs, known_axes
from clear_attention._checks.biases import score_rules
from clear_attention._checks.ids import documents_fit
from clear_attention._checks.options import flag, flags
from clear_attention._nonfinite import marked, without_nonfinite
from clear_attention._types import Bias, Mask, TensorLike
from clear_attention._xla import in_xla, on_gpu
from clear_attention.attention import heads_of, narrowed, widened
from clear_attention.biases import DistanceBias
from clear_attention.blockwise.blocks import Hiding, QueryBlocks, with_axes
from clear_attention.blockwise.groups import queries_at_once
from clear_attention.blockwise.passes import VisibleByBlocks, attend_by_blocks

BLOCK = 256  # queries: their weights stay in the cache, and the products are still large
BLOCK_ON_GPU = 1024  # queries: there fewer steps are worth more than small ones
CAUSAL_FROM = 2048  # keys: from here on the half that is skipped is worth more than the loop costs
EAGER_FROM = 4096  # in eager execution, where each step of the loop costs more
LARGEST = 2**29  # weights: all at once they would take 2 GiB, several times


def blockwise_attention(
    q: TensorLike,
    k: TensorLike,
    v: TensorLike,
    mask: Mask = None,
    causal: bool = False,
    window: int | None = None,
    block_size: int | None = None,
    *,
    bias: Bias = None,
    softcap: float | None = None,
    sink: TensorLike | None = None,
    grouped: bool = False,
    first_keys: int = 0,
    segment_ids: TensorLike | None = None,
    return_weights: bool = False,
    check_finite: bool = True,
) -> tf.Tensor:
    r"""Attend as `scaled_dot_product_attention` does, without ever holding all weights.

    $$ \operatorname{Attention}(Q, K, V) = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V $$

    Numbers, gradients and promises are those of
    [`scaled_dot_product_attention`][clear_attention.scaled_dot_product_attention]. With `causal` and `window` no mask
    is built, and keys that a whole block of queries doesn't see are skipped. Under XLA they are not skipped, since
    there all slices must have sizes known beforehand.

    Args:
        q: queries `(..., query_length, d_k)`, float16, bfloat16, float32 or float64.
        k: keys `(..., key_length, d_k)`, leading axes and dtype as `q`.
        v: values `(..., key_length, d_v)`, leading axes and dtype as `q`.
        mask: broadcasts to `(..., query_length, key_length)`; 1 blocks a key. A padding mask
            `(batch, 1, 1, key_length)` stays as small as it is.
        causal: hide later keys; the last query stands on the last key.
        window: hide keys that are this far from a query's position, or farther; a positive integer. So a query sees at
            most `window` keys on each side, its own counted.
        block_size: how many queries are computed together; when left out 256, 1,024 on a GPU, or fewer where rows are
            very long. Memory grows with it.
        bias: as in `scaled_dot_product_attention`. A [`DistanceBias`][clear_attention.DistanceBias] stays as small as
            it is.
        softcap: as in `scaled_dot_product_attention`.
        sink: as in `scaled_dot_product_attention`.
        grouped: as in `scaled_dot_product_attention`.
        first_keys: so many keys at the beginning stay visible beside a window; not a `sink`, which is no key.
        segment_ids: `(batch, key_length)`, integers: a query sees the keys of its own document only, as with
            [`create_document_mask`][clear_attention.create_document_mask], of which nothing is held here.
        return_weights: refused, since the weights are what is never held.
        check_finite: as in `scaled_dot_product_attention`.

    Returns:
        The output `(..., query_length, d_v)`, in the dtype of `q`. 16-bit inputs are computed in float32.

    Raises:
        TypeError: inputs that are not floating-point or not of one dtype, a mask that is not numbers or bools, a flag
            or a size of another type.
        ValueError: shapes that do not fit together, no key, a depth of 0, a mask that is not ours, a size below 1,
            `return_weights=True`, `first_keys` without a window.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import blockwise_attention, create_look_ahead_mask, scaled_dot_product_attention
        >>> q, k, v = np.random.default_rng(0).normal(size=(3, 1, 8, 1000, 64))
        >>> expected = scaled_dot_product_attention(q, k, v, create_look_ahead_mask(1000)).output
        >>> bool(np.allclose(blockwise_attention(q, k, v, causal=True), expected))
        True

    References:
        Rabe and Staats (2021), *Self-attention Does Not Need O(n²) Memory*; Dao et al. (2022), *FlashAttention*.
    """
    q, k, v, blocked = attention_inputs(q, k, v, mask, flag("grouped", grouped))
    flags(causal=causal, return_weights=return_weights, check_finite=check_finite)
    window = None if window is None else numbers.within(numbers.size("window", window), numbers.FARTHEST)
    first_keys = numbers.beside_a_window(first_keys, window)
    block = None if block_size is None else min(numbers.known_size("block_size", block_size), numbers.FARTHEST)
    known_axes(q=q, k=k, v=v)
    bias, softcap, sink = score_rules(q, k, bias, softcap, sink)
    documents = None if segment_ids is None else documents_fit(segment_ids, q, k)
    hiding = Hiding(blocked, causal, window, first_keys, documents)
    blocks = QueryBlocks.of(q, k, hiding, softcap, sink is not None, block or block_that_fits(q, k, hiding))
    by_distance, axes = isinstance(bias, DistanceBias), q.shape.rank
    added = with_axes(bias.values, axes - 1) if by_distance else with_axes(bias, axes)
    wide = widened(q, k, v, added, with_axes(sink, axes))
    safe, strange = without_nonfinite(*wide) if check_finite else (wide, None)

    output = attend_by_blocks(blocks, by_distance, *safe)  # (..., query_length, d_v)

    (output,) = marked([output], strange, VisibleByBlocks(blocks, by_distance, wide))
    return narrowed(q.dtype, output)[0]


def block_that_fits(q, k, hiding):
    """Return how many queries to compute together: fewer where their scores would be too many in a single head."""
    keys, sharing = k.shape[-2], (heads_of(q) or 1) // (heads_of(k) or 1)
    size = BLOCK_ON_GPU if on_gpu() else BLOCK
    if keys is None:
        return size
    return queries_at_once(size, lambda size: sharing * hiding.reach(keys, size) * max(4, q.dtype.size))


def blockwise_pays(q, k, causal):
    """Tell whether attention by blocks is quicker than all at once, or all at once would need too much memory.

    The numbers are those of the committed benchmark. Lengths that are not known yet decide nothing.
    """
    *leading, queries, _ = q.shape
    if None in (queries, k.shape[-2]):
        return False
    causal_from = EAGER_FROM if tf.executing_eagerly() else CAUSAL_FROM
    if causal and k.shape[-2] >= causal_from and not in_xla() and not on_gpu():
        return True
    cells = math.prod(n or 1 for n in leading) * queries * k.shape[-2]
    return cells > LARGEST

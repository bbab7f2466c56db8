"""What other libraries mean by a mask: how to read their values and axes, and how to write them.

Between reading and writing there is only our own form: bool, `True` where a key is blocked, broadcasting to
`(batch, heads, query_length, key_length)`.
"""

from __future__ import annotations

import tensorflow as tf

from clear_attention._checks import masks, options, tensors
from clear_attention._checks.sentence import refusal, shown
from clear_attention._types import Convention, MaskAxes, TensorLike

TRUE_BLOCKS = ("blocked", "torch_mha")
TRUE_ATTENDS = ("keras", "torch_sdpa", "jax", "huggingface")
CONVENTIONS = (*TRUE_BLOCKS, *TRUE_ATTENDS, "additive")
AXES = ("batch keys", "queries keys")


def convert_mask(mask: TensorLike, source: Convention, target: Convention, axes: MaskAxes | None = None) -> tf.Tensor:
    """Translate a mask between our convention and those of other libraries.

    | name | values | axes of the result |
    | --- | --- | --- |
    | `"blocked"` | ours: 1 blocks, float32 | `(batch, 1, 1, keys)`, `(queries, keys)`, ... |
    | `"keras"` | `True` may be attended to | `attention_mask`: `(batch, queries, keys)` |
    | `"torch_sdpa"` | `True` may be attended to | as ours |
    | `"torch_mha"` | `True` blocks | `key_padding_mask` `(batch, keys)`, `attn_mask` `(queries, keys)` |
    | `"jax"` | `True` may be attended to | as ours, with 4 axes |
    | `"huggingface"` | 1 is a real token, int64 | `attention_mask`: `(batch, keys)` |
    | `"additive"` | 0 keeps, -inf blocks, float32 | as ours |

    There and back gives the same mask, except that `"jax"` adds leading axes of length 1.

    Args:
        mask: a mask in the convention `source`; an additive one may use any number of -100 or below for -inf.
        source: the convention of `mask`, a name from the table.
        target: the convention of the result, a name from the table.
        axes: what the two axes of a rank-2 mask are, `"batch keys"` or `"queries keys"`. Needed for `"torch_mha"`,
            whose two kinds of mask look alike; `"huggingface"` is always the first, the others are the second.

    Returns:
        The mask in the values, dtype and axes of `target`.

    Raises:
        TypeError: the mask is not made of numbers or bools.
        ValueError: an unknown convention, values that are not those of `source`, or a mask that `target` can't say,
            such as a look-ahead mask for `"huggingface"`.

    Examples:
        >>> from clear_attention import convert_mask
        >>> convert_mask([[1, 1, 0]], source="huggingface", target="blocked").numpy()
        array([[[[0., 0., 1.]]]], dtype=float32)
        >>> convert_mask([[0.0, -1e9]], source="additive", target="keras").numpy()
        array([[ True, False]])
    """
    options.one_of("source", source, CONVENTIONS)
    options.one_of("target", target, CONVENTIONS)
    if axes is not None:
        options.one_of("axes", axes, AXES)
    return write(read(mask, source, axes), target)


def read(mask, source, axes=None):
    """Make our bool mask of a mask in the convention `source`."""
    if source == "additive":
        blocked = masks.additive_mask(mask)
    else:
        blocked = masks.mask_tensor(mask, convention=source)
        blocked = ~blocked if source in TRUE_ATTENDS else blocked
    rank = blocked.shape.rank
    if source == "huggingface" and rank != 2:
        law = "Hugging Face's attention_mask says which tokens of each sentence are real."
        raise ValueError(refusal(law, "a mask of shape (batch, keys)", tensors.shapes(mask=blocked)))
    if source == "torch_mha" and (rank == 3 or (rank == 2 and axes is None)):
        law = (
            "torch's MultiheadAttention takes two kinds of mask: say axes='batch keys' for a key_padding_mask or "
            "axes='queries keys' for an attn_mask; batch and heads merged into one axis must be taken apart first."
        )
        expected = "a mask of rank 2 with axes, or of shape (batch, heads, queries, keys)"
        raise ValueError(refusal(law, expected, f"{tensors.shapes(mask=blocked)}, axes={shown(axes)}"))
    if rank == 2 and (axes == "batch keys" or source == "huggingface"):
        return blocked[:, tf.newaxis, tf.newaxis, :]
    if rank == 3 and source == "keras":
        return blocked[:, tf.newaxis]  # (batch, 1, queries, keys)
    return blocked


def write(blocked, target):
    """Write our bool mask in the values, dtype and axes of the convention `target`."""
    return values(_axes_for(blocked, target), target)


def _axes_for(blocked, target):
    shape = blocked.shape
    if shape.rank is None:
        return blocked
    is_padding = shape.rank == 4 and shape[1] == shape[2] == 1
    if target == "huggingface":
        if not is_padding:
            law = "Hugging Face's attention_mask can only say which tokens are real: it has no axis for queries."
            raise ValueError(refusal(law, "a mask of shape (batch, 1, 1, keys)", tensors.shapes(mask=blocked)))
        return blocked[:, 0, 0]
    if target == "keras" and shape.rank == 4 and shape[1] == 1:
        return blocked[:, 0]
    if target == "jax" and shape.rank < 4:
        return tf.reshape(blocked, tf.concat([[1] * (4 - shape.rank), tf.shape(blocked)], axis=0))
    if target == "torch_mha" and shape.rank == 4:
        if is_padding:
            return blocked[:, 0, 0]
        if shape[0] == shape[1] == 1:
            return blocked[0, 0]
        if shape[1] == 1:
            law = "torch's MultiheadAttention wants one mask for each sentence and head, and doesn't broadcast heads."
            expected = "a mask of shape (batch, heads, queries, keys): tf.repeat(mask, heads, axis=1) makes it"
            raise ValueError(refusal(law, expected, tensors.shapes(mask=blocked)))
        return tf.reshape(blocked, tf.concat([[-1], tf.shape(blocked)[2:]], axis=0))  # (batch * heads, queries, keys)
    return blocked


def values(blocked, target):
    """Write our bool mask in the values and dtype of the convention `target`; its axes stay."""
    if target == "blocked":
        return tf.cast(blocked, tf.float32)
    if target == "additive":
        return tf.where(blocked, tf.constant(float("-inf")), tf.constant(0.0))
    if target == "huggingface":
        return tf.cast(~blocked, tf.int64)
    return blocked if target in TRUE_BLOCKS else ~blocked

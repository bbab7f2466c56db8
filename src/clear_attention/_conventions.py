"""What other libraries mean by a mask: how to read their values and axes, and how to write them.

Between reading and writing there is only our own form: bool, `True` where a key is blocked, broadcasting to
`(batch, heads, query_length, key_length)`.
"""

from __future__ import annotations

import tensorflow as tf

from clear_attention._checks import masks, tensors
from clear_attention._checks.sentence import refusal, shown

TRUE_BLOCKS = ("blocked", "torch_mha")
TRUE_ATTENDS = ("keras", "torch_sdpa", "jax", "huggingface")
CONVENTIONS = (*TRUE_BLOCKS, *TRUE_ATTENDS, "additive")
AXES = ("batch keys", "queries keys")


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

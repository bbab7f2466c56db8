"""Make masks from token ids and lengths, and join several to one."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from clear_attention._checks import ids, numbers
from clear_attention._checks.masks import mask_tensor, masks_fit_together
from clear_attention._types import Mask, Size, TensorLike


def create_padding_mask(token_ids: TensorLike, pad_id: int = 0) -> tf.Tensor:
    r"""Block every key that is padding.

    $$ \text{mask}_{b,1,1,j} = 1 \text{ if } \text{token}_{b,j} = \text{pad}, \text{ else } 0 $$

    It blocks padded *keys*. A padded *query* still attends to the real tokens, so its output is not zero.

    Args:
        token_ids: `(batch, length)`, integers.
        pad_id: the id that stands for padding.

    Returns:
        `(batch, 1, 1, length)`, float32, holding 0 and 1. The axes of length 1 stand for all heads and all
            queries; for tensors without a head axis use `mask[:, 0]`, of shape `(batch, 1, length)`.

    Raises:
        TypeError: `token_ids` or `pad_id` are not integers.
        ValueError: `token_ids` are not of rank 2.

    Examples:
        >>> from clear_attention import create_padding_mask
        >>> mask = create_padding_mask([[7, 6, 0, 0, 1], [1, 2, 3, 0, 0]])
        >>> mask.shape
        TensorShape([2, 1, 1, 5])
        >>> mask[:, 0, 0].numpy()
        array([[0., 0., 1., 1., 0.],
               [0., 0., 0., 1., 1.]], dtype=float32)

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.2.3, speaks of the look-ahead mask only:
        padding comes from putting sentences of different lengths in one batch.
    """
    token_ids = ids.token_ids(token_ids)
    pad_id = numbers.integer("pad_id", pad_id)
    is_padding = ids.equal_to(pad_id, token_ids)
    return tf.cast(is_padding, tf.float32)[:, tf.newaxis, tf.newaxis, :]  # (batch, 1, 1, length)


def create_look_ahead_mask(length: Size, key_length: Size | None = None) -> tf.Tensor:
    r"""Block every key that comes after its query.

    $$ \text{mask}_{ij} = 1 \text{ if } j > i + (\text{key\_length} - \text{length}), \text{ else } 0 $$

    With more keys than queries the last query lines up with the last key, so the mask stays right when earlier
    keys come from a cache. With fewer keys than queries the first queries see no key at all.

    Args:
        length: number of queries, a positive integer (or a scalar integer tensor in a graph).
        key_length: number of keys; as many as queries when left out.

    Returns:
        `(length, key_length)`, float32, holding 0 and 1.

    Raises:
        TypeError: a length is not an integer.
        ValueError: a length is below 1 or above 2³¹ - 1.

    Examples:
        >>> from clear_attention import create_look_ahead_mask
        >>> create_look_ahead_mask(3).numpy()
        array([[0., 1., 1.],
               [0., 0., 1.],
               [0., 0., 0.]], dtype=float32)
        >>> create_look_ahead_mask(1, key_length=3).numpy()
        array([[0., 0., 0.]], dtype=float32)

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.2.3.
    """
    length = numbers.length("length", length)
    key_length = length if key_length is None else numbers.length("key_length", key_length)
    return tf.cast(look_ahead(length, key_length), tf.float32)


def create_prefix_mask(length: Size, prefix_length: Size) -> tf.Tensor:
    r"""Let every query see the whole prefix, and after it only what came before.

    $$ \text{mask}_{ij} = 1 \text{ if } j > i \text{ and } j \ge \text{prefix\_length}, \text{ else } 0 $$

    A prefix of length 0 or 1 gives the look-ahead mask; a prefix as long as the sequence blocks nothing.

    Args:
        length: number of tokens, a positive integer (or a scalar integer tensor in a graph).
        prefix_length: how many of them are given at once, from 0 to `length`.

    Returns:
        `(length, length)`, float32, holding 0 and 1.

    Raises:
        TypeError: a length is not an integer.
        ValueError: `length` is below 1, or `prefix_length` is below 0 or above `length`.

    Examples:
        >>> from clear_attention import create_prefix_mask
        >>> create_prefix_mask(4, prefix_length=2).numpy()
        array([[0., 0., 1., 1.],
               [0., 0., 1., 1.],
               [0., 0., 0., 1.],
               [0., 0., 0., 0.]], dtype=float32)

    References:
        Dong et al. (2019), *Unified Language Model Pre-training*, section 2.3; Raffel et al. (2020), *Exploring
        the Limits of Transfer Learning with T5*, section 3.2.1.
    """
    length = numbers.length("length", length)
    prefix_length = numbers.size("prefix_length", prefix_length, minimum=0)
    numbers.at_most("prefix_length", prefix_length, "length", length)
    queries, keys = _positions(length, length)
    return tf.cast((keys > queries) & (keys >= numbers.within(prefix_length, length)), tf.float32)


def create_window_mask(length: Size, window: Size, first_keys: Size = 0) -> tf.Tensor:
    r"""Block every key that is `window` or more positions away from its query, on either side.

    $$ \text{mask}_{ij} = 1 \text{ if } |i - j| \ge \text{window} \text{ and } j \ge \text{first\_keys},
       \text{ else } 0 $$

    The far end is open: the key at a distance of exactly `window` is the first that is blocked. So a window of 1 leaves
    each query only its own key. Combined with the look-ahead mask it leaves each query the last `window` tokens, its
    own among them.

    Args:
        length: number of tokens, a positive integer (or a scalar integer tensor in a graph).
        window: how far a query looks, its own position counted, a positive integer.
        first_keys: so many keys at the beginning are never blocked. (They are keys with values, unlike the `sink` of
            `scaled_dot_product_attention`.)

    Returns:
        `(length, length)`, float32, holding 0 and 1.

    Raises:
        TypeError: `length`, `window` or `first_keys` is not an integer.
        ValueError: `length` or `window` is below 1, `first_keys` below 0.

    Examples:
        >>> from clear_attention import combine_masks, create_look_ahead_mask, create_window_mask
        >>> create_window_mask(4, window=2).numpy()
        array([[0., 0., 1., 1.],
               [0., 0., 0., 1.],
               [1., 0., 0., 0.],
               [1., 1., 0., 0.]], dtype=float32)
        >>> combine_masks(create_window_mask(4, window=2), create_look_ahead_mask(4))[3].numpy()
        array([1., 1., 0., 0.], dtype=float32)

    References:
        Beltagy et al. (2020), *Longformer: The Long-Document Transformer*, section 3.1; first keys: Xiao et al. (2023),
        *Efficient Streaming Language Models with Attention Sinks*.
    """
    length, window = numbers.length("length", length), numbers.size("window", window)
    first_keys = numbers.within(numbers.size("first_keys", first_keys, minimum=0), length)
    queries, keys = _positions(length, length)
    far = abs(keys - queries) >= numbers.within(window, length)
    return tf.cast(far & (keys >= first_keys), tf.float32)


def create_document_mask(segment_ids: TensorLike) -> tf.Tensor:
    r"""Block every key that belongs to another document than its query, where several are packed in one row.

    $$ \text{mask}_{b,1,i,j} = 1 \text{ if } \text{segment}_{b,i} \ne \text{segment}_{b,j}, \text{ else } 0 $$

    Combine it with the look-ahead mask for a decoder. Give padding a number of its own, which no document has.
    [`blockwise_attention`][clear_attention.blockwise_attention] takes the ids themselves, and holds no mask.

    Args:
        segment_ids: `(batch, length)`, integers: which document each token belongs to.

    Returns:
        `(batch, 1, length, length)`, float32, holding 0 and 1.

    Raises:
        TypeError: `segment_ids` are not integers.
        ValueError: `segment_ids` are not of rank 2.

    Examples:
        >>> from clear_attention import create_document_mask
        >>> create_document_mask([[1, 1, 2]])[0, 0].numpy()
        array([[0., 0., 1.],
               [0., 0., 1.],
               [1., 1., 0.]], dtype=float32)

    References:
        Krell et al. (2021), *Efficient Sequence Packing without Cross-contamination*.
    """
    segment_ids = ids.token_ids(segment_ids, "segment_ids")
    others = segment_ids[:, :, tf.newaxis] != segment_ids[:, tf.newaxis, :]
    return tf.cast(others, tf.float32)[:, tf.newaxis]  # (batch, 1, length, length)


def create_document_positions(segment_ids: TensorLike) -> tf.Tensor:
    r"""Number the tokens of each document from 0, where several are packed in one row.

    $$ \text{position}_{b,i} = i - \min \{ j : \text{segment}_{b,j} = \dots = \text{segment}_{b,i} \} $$

    Args:
        segment_ids: `(batch, length)`, integers: which document each token belongs to. Where the number changes,
            another document begins.

    Returns:
        `(batch, length)`, int32, for the argument `positions` of layers.

    Raises:
        TypeError: `segment_ids` are not integers.
        ValueError: `segment_ids` are not of rank 2.

    Examples:
        >>> from clear_attention import create_document_positions
        >>> create_document_positions([[7, 7, 7, 8, 8, 0]]).numpy()
        array([[0, 1, 2, 0, 1, 0]], dtype=int32)

    References:
        Krell et al. (2021), *Efficient Sequence Packing without Cross-contamination*.
    """
    segment_ids = ids.token_ids(segment_ids, "segment_ids")
    begins = tf.concat([tf.ones_like(segment_ids[:, :1], tf.bool), segment_ids[:, 1:] != segment_ids[:, :-1]], axis=1)
    documents = tf.cumsum(tf.reshape(tf.cast(begins, tf.int32), [-1])) - 1  # of all rows, numbered
    places = tf.range(tf.size(documents))
    first = tf.math.unsorted_segment_min(places, documents, tf.size(documents))
    return tf.reshape(places - tf.gather(first, documents), tf.shape(segment_ids))


def combine_masks(*masks: Mask) -> tf.Tensor | Any:  # a checker can't tell whether all are None
    r"""Block every key that any of the masks blocks.

    $$ \text{mask} = \max(\text{mask}_1, \text{mask}_2, \dots) $$

    The masks are broadcast to one shape first: padding `(batch, 1, 1, length)` and look-ahead `(length, length)`
    give `(batch, 1, length, length)`. A query for which nothing is left gets weights 0 and output 0.

    Args:
        *masks: bool, integers or floats that hold only 0 and 1; `None` blocks nothing and is skipped.

    Returns:
        float32, holding 0 and 1, of the shape the masks broadcast to; `None` if all masks are `None`.

    Raises:
        TypeError: a mask is not made of numbers or bools.
        ValueError: a mask holds anything but 0 and 1, or the masks do not broadcast to one shape.

    Examples:
        >>> from clear_attention import combine_masks, create_look_ahead_mask, create_padding_mask
        >>> padding = create_padding_mask([[0, 4, 5]])
        >>> combine_masks(padding, create_look_ahead_mask(3), None)[0, 0].numpy()
        array([[1., 1., 1.],
               [1., 0., 1.],
               [1., 0., 0.]], dtype=float32)

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.2.3.
    """
    blocked = blocked_by_any(*masks)
    return None if blocked is None else tf.cast(blocked, tf.float32)


def blocked_by_any(*masks):
    """Combine masks to one of bools, whose values nobody has to check again."""
    named = {f"masks[{i}]": mask for i, mask in enumerate(masks) if mask is not None}
    if not named:
        return None
    blocked = {name: mask_tensor(mask, name) for name, mask in named.items()}
    masks_fit_together(blocked)
    combined, *others = blocked.values()
    for mask in others:
        combined = combined | mask
    return combined


def look_ahead(length, key_length):
    """Tell which keys come after their query."""
    queries, keys = _positions(length, key_length)
    return keys > queries


def _positions(length, key_length):
    """Number queries and keys so that the last query stands on the last key."""
    queries = tf.range(length)[:, tf.newaxis] + (key_length - length)  # (length, 1)
    keys = tf.range(key_length)[tf.newaxis, :]  # (1, key_length)
    return queries, keys

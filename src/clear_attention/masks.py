"""Who may not look where: masks that say 1 where a key is blocked and 0 where it may be attended to.

This is the one convention of the package. Every mask broadcasts to the scores
`(batch, heads, query_length, key_length)`: rows are the queries that look, columns the keys that are looked at.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from clear_attention import _conventions, _mask_findings
from clear_attention._checks import ids, numbers, options
from clear_attention._checks.masks import mask_tensor, mask_to_describe, masks_fit_together
from clear_attention._types import Convention, Labels, Mask, MaskAxes, Size, TensorLike
from clear_attention.mask_report import MaskReport


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
    is_padding = token_ids == tf.cast(pad_id, token_ids.dtype)
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
        ValueError: a length is below 1.

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
    length = numbers.size("length", length)
    key_length = length if key_length is None else numbers.size("key_length", key_length)
    queries, keys = _positions(length, key_length)
    return tf.cast(keys > queries, tf.float32)


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
    length = numbers.size("length", length)
    prefix_length = numbers.size("prefix_length", prefix_length, minimum=0)
    numbers.at_most("prefix_length", prefix_length, "length", length)
    queries, keys = _positions(length, length)
    return tf.cast((keys > queries) & (keys >= prefix_length), tf.float32)


def create_window_mask(length: Size, window: Size) -> tf.Tensor:
    r"""Block every key that is `window` or more positions away from its query, on either side.

    $$ \text{mask}_{ij} = 1 \text{ if } |i - j| \ge \text{window}, \text{ else } 0 $$

    A window of 1 leaves each query only its own key. Combined with the look-ahead mask it leaves each query the
    last `window` tokens, its own among them.

    Args:
        length: number of tokens, a positive integer (or a scalar integer tensor in a graph).
        window: how far a query looks, its own position counted, a positive integer.

    Returns:
        `(length, length)`, float32, holding 0 and 1.

    Raises:
        TypeError: `length` or `window` is not an integer.
        ValueError: `length` or `window` is below 1.

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
        Beltagy et al. (2020), *Longformer: The Long-Document Transformer*, section 3.1.
    """
    length, window = numbers.size("length", length), numbers.size("window", window)
    queries, keys = _positions(length, length)
    return tf.cast(abs(keys - queries) >= window, tf.float32)


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
    named = {f"masks[{i}]": mask for i, mask in enumerate(masks) if mask is not None}
    if not named:
        return None
    blocked = {name: mask_tensor(mask, name) for name, mask in named.items()}
    masks_fit_together(blocked)
    combined, *others = blocked.values()
    for mask in others:
        combined = combined | mask
    return tf.cast(combined, tf.float32)


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
    options.one_of("source", source, _conventions.CONVENTIONS)
    options.one_of("target", target, _conventions.CONVENTIONS)
    if axes is not None:
        options.one_of("axes", axes, _conventions.AXES)
    return _conventions.write(_conventions.read(mask, source, axes), target)


def describe_mask(mask: TensorLike, tokens: Labels | None = None) -> MaskReport:
    """Draw a mask with its tokens, and say in plain words what it does.

    It never refuses the values of a mask: other conventions are recognised and named. Found are:

    | name | meaning |
    | --- | --- |
    | `causal`, `causal_upper_left` | no query sees a later key; the same with the first query on the first key |
    | `padding` | keys blocked for every query |
    | `padding_visible` | a token such as `[PAD]` is not hidden from every query |
    | `prefix`, `window` | as `create_prefix_mask` and `create_window_mask` make them |
    | `future_visible`, `empty_rows` | cells where a query sees a later key; queries with no key left |
    | `own_hidden` | no query sees its own token, as if a look-ahead mask were off by one |
    | `looks_inverted`, `not_binary` | blocks what others show; holds values other than 0 and 1 |
    | `ambiguous_shape` | could be read in two ways, such as `(batch, keys)` as `(queries, keys)` |
    | `blocks_everything`, `blocks_nothing` | holds only 1, only 0 |

    Args:
        mask: `(query_length, key_length)`, or with leading axes; bool, integers or floats.
        tokens: `key_length` labels; positions when left out.

    Returns:
        A [`MaskReport`][clear_attention.MaskReport]: print it, or ask it by name.

    Raises:
        TypeError: the mask is not made of numbers or bools, or `tokens` are no list.
        ValueError: the mask has fewer than two axes or an axis of length 0, or there are too few or too many tokens.

    Examples:
        >>> from clear_attention import create_look_ahead_mask, describe_mask
        >>> print(describe_mask(create_look_ahead_mask(3), tokens=["the", "cat", "sat"]))
        query \\ key the cat sat
        the           .   #   #
        cat           .   .   #
        sat           .   .   .
        <BLANKLINE>
        causal: no query sees a later key; the last query stands on the last key.
    """
    values = mask_to_describe(mask)
    if tokens is not None:
        options.one_label_each("tokens", tokens, "key", values.shape[-1])
    return _mask_findings.read(values, tokens)


def _positions(length, key_length):
    """Number queries and keys so that the last query stands on the last key."""
    queries = tf.range(length)[:, tf.newaxis] + (key_length - length)  # (length, 1)
    keys = tf.range(key_length)[tf.newaxis, :]  # (1, key_length)
    return queries, keys

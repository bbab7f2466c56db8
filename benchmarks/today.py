"""Attention as it is built today: shared heads against repeated ones, a bias against a mask, packed rows and padded."""

from __future__ import annotations

import functools

import keras
import numpy as np
import tensorflow as tf
import torch

from benchmarks.contenders import tf_call, torch_call
from benchmarks.texts import LENGTHS, ROW, rows_of
from clear_attention import (
    DistanceBias,
    EncoderLayer,
    MultiHeadAttention,
    RotaryPositions,
    blockwise_attention,
    create_look_ahead_mask,
    create_padding_mask,
    scaled_dot_product_attention,
)

HEADS, GROUPS, DEPTH = 8, 2, 64
TORCH = torch.nn.functional.scaled_dot_product_attention


def cells():
    """List what is measured: a name, the passes, and a function that makes the contenders."""
    for passes in ("forward", "both"):
        yield "2 heads of keys for 8, 2,048 tokens, causal", passes, functools.partial(shared_heads, 2048, 2048, passes)
        yield "bias, 8 texts of 512 tokens", passes, functools.partial(bias, 8, 512, passes)
        yield "bias by distance, 4,096 tokens", passes, functools.partial(long_bias, 4096, passes)
        yield "rotary positions in a layer, 8 texts of 512 tokens", passes, functools.partial(rotary, 8, 512, passes)
    yield "2 heads of keys for 8, one query, 4,096 keys", "forward", functools.partial(shared_heads, 1, 4096, "forward")
    yield "64 texts of 16 to 128 tokens through a layer", "both", packed


def tensors(seed, *sizes):
    rng = np.random.default_rng(seed)
    return [tf.constant(rng.normal(size=size).astype("float32")) for size in sizes]


def shared_heads(queries, keys, passes):
    q, k, v = tensors(0, (1, HEADS, queries, DEPTH), *[(1, GROUPS, keys, DEPTH)] * 2)
    mask = create_look_ahead_mask(queries, keys) if queries > 1 else None
    visible = None if mask is None else mask == 0

    def repeated(x):
        return tf.repeat(x, HEADS // GROUPS, axis=1)

    def in_groups(q, k, v):
        return scaled_dot_product_attention(q, k, v, mask, grouped=True).output

    def by_repeating(q, k, v):
        return scaled_dot_product_attention(q, repeated(k), repeated(v), mask).output

    def keras_ops(q, k, v):
        q, k, v = (tf.transpose(x, [0, 2, 1, 3]) for x in (q, repeated(k), repeated(v)))
        return keras.ops.dot_product_attention(q, k, v, mask=visible)

    found = {name: tf_call(f, (q, k, v), "graph", passes) for name, f in named(in_groups, by_repeating, keras_ops)}
    if queries > 1:

        def blocks_in_groups(q, k, v):
            return blockwise_attention(q, k, v, causal=True, grouped=True)

        def blocks_by_repeating(q, k, v):
            return blockwise_attention(q, repeated(k), repeated(v), causal=True)

        blocks = named(blocks_in_groups, blocks_by_repeating)
        found |= {name: tf_call(f, (q, k, v), "graph", passes) for name, f in blocks}
    attend = functools.partial(TORCH, is_causal=queries > 1, enable_gqa=True)
    return found | {"torch": torch_call(attend, [torch.tensor(x.numpy()) for x in (q, k, v)], passes)}


def bias(batch, n, passes):
    q, k, v = tensors(1, *[(batch, HEADS, n, DEPTH)] * 3)
    (matrix,) = tensors(2, (1, HEADS, n, n))
    (values,) = tensors(3, (HEADS, 2 * n - 1))
    mask = create_look_ahead_mask(n)

    def no_bias(q, k, v, *_):
        return scaled_dot_product_attention(q, k, v).output

    def a_mask(q, k, v, *_):
        return scaled_dot_product_attention(q, k, v, mask).output

    def an_array(q, k, v, matrix, _):
        return scaled_dot_product_attention(q, k, v, bias=matrix).output

    def by_distance(q, k, v, _, values):
        return scaled_dot_product_attention(q, k, v, bias=DistanceBias(values)).output

    def keras_ops(q, k, v, matrix, _):
        q, k, v = (tf.transpose(x, [0, 2, 1, 3]) for x in (q, k, v))
        return keras.ops.dot_product_attention(q, k, v, bias=matrix)

    rules = named(no_bias, a_mask, an_array, by_distance, keras_ops)
    found = {name: tf_call(f, (q, k, v, matrix, values), "graph", passes) for name, f in rules}
    given = [torch.tensor(x.numpy()) for x in (q, k, v, matrix)]
    return found | {"torch": torch_call(lambda q, k, v, m: TORCH(q, k, v, attn_mask=m), given, passes)}


def long_bias(n, passes):
    q, k, v = tensors(1, *[(1, HEADS, n, DEPTH)] * 3)
    (matrix,) = tensors(2, (1, HEADS, n, n))
    (values,) = tensors(3, (HEADS, 2 * n - 1))

    def no_bias(q, k, v, *_):
        return blockwise_attention(q, k, v, causal=True)

    def an_array(q, k, v, matrix, _):
        return blockwise_attention(q, k, v, causal=True, bias=matrix)

    def by_distance(q, k, v, _, values):
        return blockwise_attention(q, k, v, causal=True, bias=DistanceBias(values))

    rules = named(no_bias, an_array, by_distance)
    return {name: tf_call(f, (q, k, v, matrix, values), "graph", passes) for name, f in rules}


def rotary(batch, n, passes):
    (x,) = tensors(4, (batch, n, HEADS * DEPTH))
    found = {}
    for name, turns in {"no positions": None, "rotary": RotaryPositions()}.items():
        layer = MultiHeadAttention(HEADS * DEPTH, HEADS, rotary=turns)
        layer.build(x.shape)
        found[name] = tf_call(functools.partial(layer, causal=True), [x, *layer.variables], "graph", passes)
    return found


def packed():
    """The same texts, one in each row with padding behind it, and packed in as few rows as they need."""
    layer = EncoderLayer(HEADS * DEPTH, HEADS, 4 * HEADS * DEPTH, dropout=0.0)
    layer.build((None, None, HEADS * DEPTH))
    segments = rows_of(LENGTHS, ROW)
    (alone, together) = tensors(6, (len(LENGTHS), ROW, HEADS * DEPTH), (*segments.shape, HEADS * DEPTH))
    padding = create_padding_mask((np.arange(ROW) < LENGTHS[:, None]).astype("int32"))

    def padded_rows(x):
        return layer(x, mask=padding, causal=True)

    def packed_rows(x):
        return layer(x, causal=True, segment_ids=segments)

    return {
        "padded rows": tf_call(padded_rows, [alone, *layer.variables], "graph", "both"),
        "packed rows": tf_call(packed_rows, [together, *layer.variables], "graph", "both"),
    }


def named(*functions):
    return [(f.__name__.replace("_", " ").replace("keras ops", "keras.ops"), f) for f in functions]

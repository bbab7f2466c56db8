"""Who is compared: our functions and layer, Keras's, torch's and JAX's, each in the layout that it likes best.

A contender is a function without arguments that computes once and waits for the result.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import keras
import numpy as np
import tensorflow as tf
import torch

from clear_attention import (
    MultiHeadAttention,
    blockwise_attention,
    create_look_ahead_mask,
    scaled_dot_product_attention,
)

SIZES = (
    (64, 8, 5, 64),
    (64, 8, 64, 64),
    (64, 8, 128, 64),
    (8, 8, 512, 64),
    (1, 8, 2048, 64),
    (1, 8, 4096, 64),
    (1, 8, 8192, 64),
    (1, 8, 16384, 64),
    (1, 8, 32768, 64),
)
MASKS = ("none", "padding", "causal")
PASSES = ("forward", "both")  # "both": forward and backward
MODES = ("graph", "eager", "xla")


class Case(NamedTuple):
    """One cell of the tables: what is computed, of which size, under which mask, with gradients or without."""

    what: str  # "function" or "layer"
    size: tuple[int, int, int, int]  # batch, heads, length, depth of a head
    mask: str
    passes: str

    @property
    def length(self):
        return self.size[2]

    @property
    def plain_gigabytes(self):
        """What attention needs that holds all weights: about six matrices of scores with gradients, three without."""
        batch, heads, n, _ = self.size
        return batch * heads * n * n * 4 * (6 if self.passes == "both" else 3) / 2**30


def contenders(case, memory, modes=MODES):
    """Name those that fit into so many GB, leaving out combinations that no one would wait for."""
    return (functions if case.what == "function" else layers)(case, memory, modes)


def functions(case, memory, modes):
    batch, _, n, _ = case.size
    arrays = np.random.default_rng(0).normal(size=(3, *case.size)).astype("float32")
    q, k, v = (tf.constant(x) for x in arrays)
    swapped = [tf.constant(x.swapaxes(1, 2)) for x in arrays]
    pads = padding(case)
    causal = case.mask == "causal"
    plain_mask = None if pads is None else tf.constant(pads[:, None, None])
    visible = None if pads is None else tf.constant(~pads[:, None, None])

    def ours(q, k, v):
        mask = create_look_ahead_mask(n) if causal else plain_mask
        return scaled_dot_product_attention(q, k, v, mask).output

    def by_blocks(q, k, v):
        return blockwise_attention(q, k, v, plain_mask, causal=causal)

    def keras_ops(q, k, v):
        return keras.ops.dot_product_attention(q, k, v, mask=visible, is_causal=causal)

    fits = case.plain_gigabytes < memory
    found = {}
    for mode in modes:
        compiled_long = mode == "xla" and n > 4096
        if fits and not compiled_long and not (mode == "eager" and n > 8192):
            found[f"ours {mode}"] = tf_call(ours, (q, k, v), mode, case.passes)
            found[f"keras.ops {mode}"] = tf_call(keras_ops, swapped, mode, case.passes)
        if n >= 128 and not compiled_long and not (mode == "eager" and n > 16384):
            found[f"blockwise {mode}"] = tf_call(by_blocks, (q, k, v), mode, case.passes)
    if "graph" in modes:
        tensors = [torch.tensor(x) for x in arrays]
        attend = torch.nn.functional.scaled_dot_product_attention
        mask = None if pads is None else torch.tensor(~pads[:, None, None]).expand(batch, 1, n, n)
        found["torch"] = torch_call(functools.partial(attend, attn_mask=mask, is_causal=causal), tensors, case.passes)
        if fits and n <= 4096:
            mask = None if pads is None else jax.numpy.asarray(~pads[:, None, None])
            attend = functools.partial(jax.nn.dot_product_attention, mask=mask, is_causal=causal)
            found["JAX"] = jax_call(attend, [jax.numpy.asarray(x) for x in swapped], case.passes)
    return found


def layers(case, memory, modes):
    batch, heads, n, depth = case.size
    width = heads * depth
    array = np.random.default_rng(0).normal(size=(batch, n, width)).astype("float32")
    x, pads, causal = tf.constant(array), padding(case), case.mask == "causal"
    theirs = keras.layers.MultiHeadAttention(heads, depth)
    theirs.build(x.shape, x.shape)
    plain_mask = None if pads is None else tf.constant(pads[:, None, None])
    visible = None if pads is None else tf.constant(~pads[:, None])
    fits = case.plain_gigabytes < memory
    found = {}

    def ours(layer):
        return lambda x, *_: layer(x, mask=plain_mask, causal=causal)

    for mode in modes:
        if (mode == "xla" and n > 512) or (mode == "eager" and n > 8192):
            continue
        for name, choice in {"auto": "auto", "plain": False, "blockwise": True}.items():
            if (choice is not False or fits) and (n >= 128 or choice is not True):
                layer = MultiHeadAttention(width, heads, blockwise=choice)
                layer.build(x.shape)
                found[f"{name} {mode}"] = tf_call(ours(layer), [x, *layer.variables], mode, case.passes)
        if fits:

            def keras_layer(x, *_):
                return theirs(x, x, attention_mask=visible, use_causal_mask=causal)

            found[f"keras layer {mode}"] = tf_call(keras_layer, [x, *theirs.variables], mode, case.passes)
    if "graph" in modes and fits:
        module = torch.nn.MultiheadAttention(width, heads, batch_first=True)
        ahead = torch.nn.Transformer.generate_square_subsequent_mask(n) if causal else None
        masks = {"key_padding_mask": None if pads is None else torch.tensor(pads), "attn_mask": ahead}

        def torch_layer(x, *_):
            return module(x, x, x, need_weights=False, is_causal=causal, **masks)[0]

        found["torch layer"] = torch_call(torch_layer, [torch.tensor(array), *module.parameters()], case.passes)
    return found


def padding(case):
    """Pad the last quarter of each sequence: `(batch, length)`, or None."""
    batch, _, n, _ = case.size
    return np.broadcast_to(np.arange(n) >= n - n // 4, (batch, n)) if case.mask == "padding" else None


def tf_call(f, inputs, mode, passes):
    inputs = list(inputs)

    def with_gradients(*tensors):
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            loss = tf.reduce_sum(f(*inputs))
        return tape.gradient(loss, inputs)

    if passes == "forward":
        run, arguments = f, inputs
    else:
        run, arguments = with_gradients, inputs
    if mode == "eager":
        return lambda: run(*arguments)
    variables = [x for x in inputs if not tf.is_tensor(x)]
    tensors = [x for x in inputs if tf.is_tensor(x)]

    def of_tensors(*tensors):
        if passes == "forward":
            return f(*tensors, *variables)
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            loss = tf.reduce_sum(f(*tensors, *variables))
        return tape.gradient(loss, [*tensors, *(v.value for v in variables)])

    graph = tf.function(of_tensors, jit_compile=mode == "xla", autograph=False)
    return lambda: graph(*tensors)


def torch_call(f, inputs, passes):
    if passes == "forward":

        def forward():
            with torch.no_grad():
                return f(*inputs)

        return forward
    inputs = [x.detach().requires_grad_() if not isinstance(x, torch.nn.Parameter) else x for x in inputs]
    return lambda: torch.autograd.grad(f(*inputs).sum(), inputs)


def jax_call(f, inputs, passes):
    run = jax.jit(f if passes == "forward" else jax.grad(lambda *x: f(*x).sum(), argnums=(0, 1, 2)))
    return lambda: jax.block_until_ready(run(*inputs))

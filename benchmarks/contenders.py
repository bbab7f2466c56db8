"""Who is compared: our functions and layer, Keras's, torch's and JAX's, each in the layout that it likes best.

A contender is a function without arguments that computes once and waits for the result.
"""

from __future__ import annotations

import functools
import itertools
from typing import NamedTuple

import jax
import keras
import numpy as np
import tensorflow as tf
import torch

from benchmarks import floor
from clear_attention import (
    MultiHeadAttention,
    blockwise_attention,
    create_look_ahead_mask,
    scaled_dot_product_attention,
)
from clear_attention.blockwise import BLOCK

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
PASSES = ("forward", "both")  # "both": forward and backward, from a sum of the output
FROM_INPUT = "both, from an input"  # the gradient of the output is the last input, as it comes from outside in a model
MODES = ("graph", "eager", "xla")
TORCH = "cuda" if torch.cuda.is_available() else "cpu"  # TensorFlow and JAX take a GPU by themselves


class Case(NamedTuple):
    """One cell of the tables: what is computed, of which size, under which mask, with gradients or without."""

    what: str  # "function" or "layer"
    size: tuple[int, int, int, int]  # batch, heads, length, depth of a head
    mask: str
    passes: str

    def gigabytes(self, matrices):
        """What so many matrices of all weights take."""
        batch, heads, n, _ = self.size
        return matrices * batch * heads * n * n * 4 / 2**30


def cases():
    """List the cells of the tables; the longest ones only where somebody would wait for them."""
    for what, longest in {"function": 32768, "layer": 4096}.items():
        for size, passes, mask in itertools.product(SIZES, PASSES, MASKS):
            n = size[2]
            if n <= longest and not (n >= 16384 and mask == "padding") and not (n >= 32768 and mask == "none"):
                yield Case(what, size, mask, passes)


def contenders(case, memory, modes=MODES, only=None):
    """Name those that fit into so many GB, leaving out combinations that no one would wait for."""
    found = functions(case, memory, modes, only) if case.what == "function" else layers(case, modes)
    return {name: call for name, call in found if only in (None, name)}


def functions(case, memory, modes, only=None):
    batch, _, n, _ = case.size
    arrays = np.random.default_rng(0).normal(size=(3 + (case.passes == FROM_INPUT), *case.size)).astype("float32")
    given = [tf.constant(x) for x in arrays]  # q, k, v, and a gradient if one is wanted
    # TensorFlow keeps what is freed, and would use it again: a figure of memory must not begin with copies for others
    swapped = [tf.constant(x.swapaxes(1, 2)) for x in arrays] if only is None or "keras" in only else arrays
    pads = padding(case)
    causal = case.mask == "causal"
    plain_mask = None if pads is None else tf.constant(pads[:, None, None])
    visible = None if pads is None else tf.constant(~pads[:, None, None])

    def ours(q, k, v):
        mask = create_look_ahead_mask(n) if causal else plain_mask
        return scaled_dot_product_attention(q, k, v, mask).output

    def unchecked(q, k, v):
        mask = create_look_ahead_mask(n) if causal else plain_mask
        return scaled_dot_product_attention(q, k, v, mask, check_finite=False).output

    def by_blocks(q, k, v):
        return blockwise_attention(q, k, v, plain_mask, causal=causal)

    whole = causal and n <= floor.LONGEST and (only is None or "floor" in only)
    blocked = tf.constant(np.triu(np.ones((n, n), bool), 1)) if whole else plain_mask

    def floor_of_plain(q, k, v):
        return floor.all_at_once(q, k, v, blocked)

    def keras_ops(q, k, v):
        return keras.ops.dot_product_attention(q, k, v, mask=visible, is_causal=causal)

    backward = case.passes != "forward"
    ours_fit, theirs_fit = (case.gigabytes(m) < memory for m in ((4, 5) if backward else (1.5, 3)))
    for mode in modes:
        if n > {"eager": 4096, "xla": 2048}.get(mode, n):
            continue
        if ours_fit:
            yield f"ours {mode}", tf_call(ours, given, mode, case.passes)
        if ours_fit and n <= 512:
            yield f"unchecked {mode}", tf_call(unchecked, given, mode, case.passes)
        if ours_fit and n <= floor.LONGEST and mode == "graph":
            yield "floor graph", tf_call(floor_of_plain, given, mode, case.passes)
            yield "floor again graph", tf_call(floor_of_plain, given, mode, case.passes)  # how far chance goes
        if causal and 2048 <= n <= floor.LONGEST and mode == "graph":
            yield "floor of blocks graph", tf_call(floor.by_blocks, given, mode, case.passes)
            yield "floor of blocks again graph", tf_call(floor.by_blocks, given, mode, case.passes)
        if theirs_fit:
            yield f"keras.ops {mode}", tf_call(keras_ops, swapped, mode, case.passes)
        if n >= 128:
            yield f"blockwise {mode}", tf_call(by_blocks, given, mode, case.passes)
        if causal and (n == 4096 or only) and mode == "graph":  # fewer queries, so that all heads fit
            halves = functools.partial(blockwise_attention, causal=True, block_size=BLOCK // 2)
            yield "halves graph", tf_call(halves, given, mode, case.passes)
    if "graph" in modes:
        tensors = [torch.tensor(x, device=TORCH) for x in arrays]
        attend = torch.nn.functional.scaled_dot_product_attention
        mask = None if pads is None else torch.tensor(~pads[:, None, None], device=TORCH).expand(batch, 1, n, n)
        yield "torch", torch_call(functools.partial(attend, attn_mask=mask, is_causal=causal), tensors, case.passes)
        if n <= 2048 or TORCH == "cuda":
            mask = None if pads is None else jax.numpy.asarray(~pads[:, None, None])
            attend = functools.partial(jax.nn.dot_product_attention, mask=mask, is_causal=causal)
            yield "JAX", jax_call(attend, [jax.numpy.asarray(x) for x in swapped], case.passes)


def layers(case, modes):
    batch, heads, n, depth = case.size
    width = heads * depth
    array = np.random.default_rng(0).normal(size=(batch, n, width)).astype("float32")
    x, pads, causal = tf.constant(array), padding(case), case.mask == "causal"
    theirs = keras.layers.MultiHeadAttention(heads, depth)
    theirs.build(x.shape, x.shape)
    plain_mask = None if pads is None else tf.constant(pads[:, None, None])
    visible = None if pads is None else tf.constant(~pads[:, None])

    def ours(layer):
        return lambda x: layer(x, mask=plain_mask, causal=causal)

    def keras_layer(x):
        return theirs(x, x, attention_mask=visible, use_causal_mask=causal)

    blocked = tf.constant(np.triu(np.ones((n, n), bool), 1)) if causal else plain_mask
    dense = [keras.layers.Dense(width) for _ in range(4)]
    for projection in dense:
        projection.build(x.shape)

    def floor_of_layer(x):
        q, k, v = (tf.transpose(tf.reshape(d(x), (batch, n, heads, depth)), (0, 2, 1, 3)) for d in dense[:3])
        output = tf.transpose(floor.all_at_once(q, k, v, blocked), (0, 2, 1, 3))
        return dense[3](tf.reshape(output, (batch, n, width)))

    for mode in modes:
        if mode != "graph" and n > 512:
            continue
        for name, choice in {"auto": "auto", "plain": False, "blockwise": True}.items():
            if n >= 128 or choice == "auto":
                layer = MultiHeadAttention(width, heads, blockwise=choice)
                layer.build(x.shape)
                yield f"{name} {mode}", tf_call(ours(layer), [x, *layer.variables], mode, case.passes)
        yield f"keras layer {mode}", tf_call(keras_layer, [x, *theirs.variables], mode, case.passes)
        if n <= 512:
            variables = [v for d in dense for v in d.variables]
            yield f"floor {mode}", tf_call(floor_of_layer, [x, *variables], mode, case.passes)
    if "graph" in modes:
        module = torch.nn.MultiheadAttention(width, heads, batch_first=True)
        ahead = torch.nn.Transformer.generate_square_subsequent_mask(n) if causal else None
        masks = {"key_padding_mask": None if pads is None else torch.tensor(pads), "attn_mask": ahead}

        def torch_layer(x, *_parameters):
            return module(x, x, x, need_weights=False, is_causal=causal, **masks)[0]

        yield "torch layer", torch_call(torch_layer, [torch.tensor(array), *module.parameters()], case.passes)


def padding(case):
    """Pad the last quarter of each sequence: `(batch, length)`, or None."""
    batch, _, n, _ = case.size
    return np.broadcast_to(np.arange(n) >= n - n // 4, (batch, n)) if case.mask == "padding" else None


def tf_call(f, inputs, mode, passes):
    """Call f with tensors and variables; in a graph the variables are captured, as they are in a model."""
    variables = [x for x in inputs if isinstance(x, keras.Variable)]
    tensors = [x for x in inputs if not isinstance(x, keras.Variable)]

    def run(*tensors):
        if passes == "forward":
            return f(*tensors)
        *tensors, upstream = tensors if passes == FROM_INPUT else (*tensors, None)
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            y = tf.reduce_sum(f(*tensors)) if upstream is None else f(*tensors)
        return tape.gradient(y, [*tensors, *(v.value for v in variables)], upstream)

    if mode != "eager":
        run = tf.function(run, jit_compile=mode == "xla", autograph=False)
    return lambda: run(*tensors)


def torch_call(f, inputs, passes):
    if passes == "forward":

        def forward():
            with torch.no_grad():
                return f(*inputs)

        return forward
    inputs = [x.detach().requires_grad_() if not isinstance(x, torch.nn.Parameter) else x for x in inputs]
    if passes == FROM_INPUT:
        *inputs, upstream = inputs
        return lambda: torch.autograd.grad(f(*inputs), inputs, upstream.detach())
    return lambda: torch.autograd.grad(f(*inputs).sum(), inputs)


def jax_call(f, inputs, passes):
    run = jax.jit(f if passes == "forward" else jax.grad(lambda *x: f(*x).sum(), argnums=(0, 1, 2)))
    return lambda: jax.block_until_ready(run(*inputs))

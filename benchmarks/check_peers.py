"""Call the attention of other libraries with a converted mask and with the opposite one: `make check-peers`.

The page "Which way round is this mask?" shows what is kept in benchmarks/peers.json, since the site is built without
these libraries. It shows the calls below, too, so each of them imports what it needs. Models are tiny and random.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from benchmarks.machine import facts, keep
from benchmarks.peer_conventions import tried
from clear_attention import (
    MultiHeadAttention,
    combine_masks,
    convert_mask,
    create_look_ahead_mask,
    create_padding_mask,
    scaled_dot_product_attention,
    weights_to_torch,
)

RESULTS = Path(__file__).with_name("peers.json")
IDS = np.array([[7, 6, 5, 4, 0], [1, 2, 0, 0, 0], [8, 9, 3, 0, 0]])  # those of the page
ROUNDING = 2e-6  # of float32, where values are about 1
WRONG = 0.1


def heads_last(attention, q, k, v, **mask):
    """Call a function that wants (batch, length, heads, depth)."""
    output = attention(*(a.swapaxes(1, 2) for a in (q, k, v)), **mask)
    return np.swapaxes(output, 1, 2)


def jax_mask(q, k, v, mask):
    """`jax.nn.dot_product_attention(mask=)`"""
    import jax

    return heads_last(jax.nn.dot_product_attention, q, k, v, mask=mask)


def jax_bias(q, k, v, mask):
    """`jax.nn.dot_product_attention(bias=)`"""
    import jax

    return heads_last(jax.nn.dot_product_attention, q, k, v, bias=mask)


def flax_linen(q, k, v, mask):
    """`linen.dot_product_attention(mask=)`"""
    from flax import linen

    return heads_last(linen.dot_product_attention, q, k, v, mask=mask)


def flax_nnx(q, k, v, mask):
    """`nnx.dot_product_attention(mask=)`"""
    from flax import nnx

    return heads_last(nnx.dot_product_attention, q, k, v, mask=mask)


def torch_function(q, k, v, mask):
    """`scaled_dot_product_attention(attn_mask=)`"""
    import torch

    q, k, v, mask = map(torch.tensor, (q, k, v, mask))
    attention = torch.nn.functional.scaled_dot_product_attention
    return attention(q, k, v, attn_mask=mask).numpy()


def torch_layer(x, weights, **mask):
    import torch

    layer = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    layer.load_state_dict({n: torch.tensor(w) for n, w in weights.items()})
    mask = {name: torch.tensor(m) for name, m in mask.items()}
    return layer(*[torch.tensor(x)] * 3, **mask)[0].detach().numpy()


def torch_key_padding_mask(x, weights, mask):
    """`MultiheadAttention(key_padding_mask=)`"""
    return torch_layer(x, weights, key_padding_mask=mask)


def torch_attn_mask(x, weights, mask):
    """`MultiheadAttention(attn_mask=)`"""
    return torch_layer(x, weights, attn_mask=mask)


def equinox_layer(x, weights, mask):
    """`MultiheadAttention(mask=)`"""
    import equinox
    import jax

    def places(layer):
        names = ("query_proj", "key_proj", "value_proj", "output_proj")
        return [getattr(layer, name).weight for name in names]

    layer = equinox.nn.MultiheadAttention(2, 8, key=jax.random.key(0))
    arrays = *np.split(weights["in_proj_weight"], 3), weights["out_proj.weight"]
    layer = equinox.tree_at(places, layer, [jax.numpy.asarray(a) for a in arrays])
    return jax.vmap(layer)(x, x, x, mask)  # it takes one sentence and its mask


def x_transformers_layer(x, weights, mask):
    """`Attention(mask=)`"""
    import torch
    from x_transformers.x_transformers import Attention

    layer = Attention(8, heads=2, dim_head=4)
    names = [f"{name}.weight" for name in ("to_q", "to_k", "to_v", "to_out")]
    arrays = *np.split(weights["in_proj_weight"], 3), weights["out_proj.weight"]
    layer.load_state_dict(dict(zip(names, map(torch.tensor, arrays), strict=True)))
    mask = torch.tensor(mask[:, 0, 0])  # (batch, keys)
    return layer(torch.tensor(x), mask=mask).detach().numpy()


def hugging_face(config, ids, mask):
    import torch
    from transformers import AutoModel

    torch.manual_seed(0)
    sizes = {"vocab_size": 16, "hidden_size": 8, "intermediate_size": 16}
    numbers = {"num_hidden_layers": 2, "num_attention_heads": 2}
    config = config(**sizes, **numbers, initializer_range=1.0)
    model = AutoModel.from_config(config).eval()  # random weights
    ids, mask = torch.tensor(ids), torch.tensor(mask)
    with torch.no_grad():
        return model(ids, attention_mask=mask).last_hidden_state.numpy()


def bert(ids, mask):
    """`BertModel(attention_mask=)`, padding last"""
    from transformers import BertConfig

    return hugging_face(BertConfig, ids, mask)


def llama(ids, mask):
    """`LlamaModel(attention_mask=)`, padding first"""
    from transformers import LlamaConfig

    return hugging_face(LlamaConfig, ids, mask)


CALLS = (  # in the order of the page
    *(heads_last, jax_mask, jax_bias, flax_linen, flax_nnx),
    *(torch_function, torch_layer, torch_key_padding_mask, torch_attn_mask),
    *(equinox_layer, x_transformers_layer, hugging_face, bert, llama),
)


def from_ours(call, inputs, name, mask, ours):
    """Return how far a call is from our output, with the converted mask and with the opposite one.

    The opposite mask must give what it says: our output with that mask.
    """
    right, opposite = (np.asarray(call(*inputs, convert_mask(m, "blocked", name).numpy())) for m in (mask, 1 - mask))
    np.testing.assert_allclose(opposite, ours(1 - mask), atol=ROUNDING)
    return [float(np.max(np.abs(output - ours(mask)))) for output in (right, opposite)]


def from_itself(call, ids, name, mask):
    """Return how far the outputs of real tokens move when the hidden tokens are exchanged for others."""
    hidden = mask.numpy()[:, 0, 0] == 1
    others = np.where(hidden, ids + 11, ids)
    moved = []
    for m in (mask, 1 - mask):
        theirs = convert_mask(m, "blocked", name).numpy()
        moved.append(float(np.max(np.abs(call(ids, theirs) - call(others, theirs))[~hidden])))
    return moved


def measure():
    """Yield the library, the call, the name of its convention, what is compared, and both differences."""
    keras.utils.set_random_seed(0)
    rng = np.random.default_rng(0)
    qkv = rng.normal(size=(3, 3, 2, 5, 4)).astype("float32")
    x = rng.normal(size=(3, 5, 8)).astype("float32")
    layer = MultiHeadAttention(d_model=8, num_heads=2)
    layer(x)
    inputs = x, weights_to_torch(layer)
    padding = create_padding_mask(IDS)
    both = combine_masks(padding, create_look_ahead_mask(5))
    per_head = tf.repeat(both, 2, axis=1)  # torch's layer does not broadcast heads, nor does Equinox's

    def our_function(mask):
        return scaled_dot_product_attention(*qkv, mask).output.numpy()

    def our_layer(mask):
        return layer(x, mask=mask).numpy()

    def our_layer_or_0(mask):
        """What x-transformers promises: hidden tokens have the output 0."""
        return our_layer(mask) * (1 - mask.numpy()[:, 0, 0, :, None])

    for library, call, name in (
        ("jax", jax_mask, "jax"),
        ("jax", jax_bias, "additive"),
        ("flax", flax_linen, "jax"),
        ("flax", flax_nnx, "jax"),
        ("torch", torch_function, "torch_sdpa"),
        ("torch", torch_function, "additive"),
    ):
        yield library, call, name, "our output", from_ours(call, qkv, name, both, our_function)
    for library, call, name, mask in (
        ("torch", torch_key_padding_mask, "torch_mha", padding),
        ("torch", torch_attn_mask, "torch_mha", per_head),
        ("equinox", equinox_layer, "jax", per_head),
    ):
        yield library, call, name, "our output", from_ours(call, inputs, name, mask, our_layer)
    call, name = x_transformers_layer, "torch_sdpa"
    found = from_ours(call, inputs, name, padding, our_layer_or_0)
    yield "x-transformers", call, name, "our output, 0 for hidden tokens", found
    for call, ids in ((bert, IDS), (llama, IDS[:, ::-1].copy())):
        found = from_itself(call, ids, "huggingface", create_padding_mask(ids))
        yield "transformers", call, "huggingface", "real tokens", found


def main():
    rows = []
    for library, call, name, compared, (converted, opposite) in measure():
        row = {"library": library, "version": version(library), "call": call.__doc__, "mask": name}
        print(*row.values(), f"converted: off by {converted:.1e}, opposite: off by {opposite:.2f}", sep=", ")
        assert converted <= ROUNDING, "the converted mask gives something else"
        assert opposite > WRONG, "the opposite mask makes no difference"
        rows.append(row | {"compared": compared, "converted": converted, "opposite": opposite})
    versions = ("tensorflow", "keras", "numpy", *dict.fromkeys(row["library"] for row in rows))
    beyond = tried()
    for trial, found in beyond.items():
        print(trial, *(f"{name}: {what}" for name, what in found.items()), sep="\n  ")
    keep(facts(versions) | {"rows": rows, "beyond_masks": beyond}, RESULTS, "the page on mask conventions")


if __name__ == "__main__":
    main()

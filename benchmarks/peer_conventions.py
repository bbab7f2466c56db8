"""Try conventions beyond masks in other libraries: windows, rotary pairs, shared heads, alignment, soft caps.

Each trial is a few numbers that say which convention a library has. `make check-peers` runs them and keeps what came
out in benchmarks/peers.json; the guide on conventions shows it, since the site is built without these libraries.
"""

from __future__ import annotations

import numpy as np

DEPTH = 8
EYE = np.eye(DEPTH, dtype="float32")  # as values they say which keys a query sees


def seen(output):
    """List the keys that each query sees, from an output whose values are the rows of EYE."""
    return [np.flatnonzero(np.asarray(row) > 1e-6).tolist() for row in np.asarray(output)]


def windows():
    """Query 5 of 8 is to see keys 3, 4 and 5; without causality query 4 is to see as far on both sides."""
    from transformers import masking_utils

    def of_transformers(rule, query):
        import torch

        return [key for key in range(8) if rule(0, 0, torch.tensor(query), torch.tensor(key))]

    return {
        "jax local_window_size=2, causal": jax_sees(8, 8, local_window_size=2, is_causal=True)[5],
        "jax local_window_size=2": jax_sees(8, 8, local_window_size=2)[4],
        "transformers sliding_window=3, causal": of_transformers(
            masking_utils.sliding_window_causal_mask_function(3), 5
        ),
        "transformers sliding_window=3": of_transformers(
            masking_utils.sliding_window_bidirectional_mask_function(3), 4
        ),
    }


def jax_sees(queries, keys, **options):
    import jax
    import jax.numpy as jnp

    q, k = (jnp.zeros((1, n, 1, DEPTH)) for n in (queries, keys))
    return seen(jax.nn.dot_product_attention(q, k, jnp.asarray(EYE[:keys])[None, :, None], **options)[0, :, 0])


def alignment():
    """Two causal queries and five keys: which keys does each query see?"""
    import torch
    from torch.nn.attention.bias import causal_lower_right
    from torch.nn.functional import scaled_dot_product_attention
    from x_transformers.attend import Attend

    q, k, v = torch.zeros(1, 1, 2, DEPTH), torch.zeros(1, 1, 5, DEPTH), torch.tensor(EYE[:5])[None, None]
    lower_right = scaled_dot_product_attention(q, k, v, attn_mask=causal_lower_right(2, 5))
    return {
        "jax is_causal": jax_sees(2, 5, is_causal=True),
        "torch is_causal": seen(scaled_dot_product_attention(q, k, v, is_causal=True)[0, 0]),
        "torch causal_lower_right": seen(lower_right[0, 0]),
        "x-transformers causal": seen(Attend(causal=True)(q, k, v)[0][0, 0]),
    }


def shared_heads():
    """Four heads of queries, two of keys, whose values are their numbers: which one does each query use?"""
    import jax
    import torch
    from torch.nn.attention.flex_attention import flex_attention
    from torch.nn.functional import scaled_dot_product_attention
    from transformers.models.llama.modeling_llama import repeat_kv
    from x_transformers.attend import Attend

    q, k, v = np.zeros((1, 4, 1, DEPTH)), np.zeros((1, 2, 1, DEPTH)), np.arange(2.0)[None, :, None, None] * EYE[:1]
    ours = [torch.tensor(x, dtype=torch.float32) for x in (q, k, v)]
    heads_last = [jax.numpy.asarray(x.swapaxes(1, 2), "float32") for x in (q, k, v)]
    found = {
        "torch enable_gqa": scaled_dot_product_attention(*ours, enable_gqa=True),
        "torch flex_attention": flex_attention(*ours, enable_gqa=True),
        "transformers repeat_kv": repeat_kv(ours[2], 2),
        "x-transformers": Attend()(*ours)[0],
        "jax": np.swapaxes(jax.nn.dot_product_attention(*heads_last), 1, 2),
    }
    return {name: np.asarray(output)[0, :, 0, 0].astype(int).tolist() for name, output in found.items()}


def rotary_pairs():
    """A vector that is 1 in channel 0 stands at place 2: into which channel is it turned?"""
    import equinox
    import jax.numpy as jnp
    import torch
    from transformers import LlamaConfig
    from transformers.models.gptj import modeling_gptj as gptj
    from transformers.models.llama import modeling_llama as llama
    from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb

    one = np.zeros((1, 1, 3, DEPTH), "float32")
    one[..., 0] = 1
    places, x = torch.arange(3)[None], torch.tensor(one)
    config = LlamaConfig(hidden_size=DEPTH, num_attention_heads=1, num_key_value_heads=1, intermediate_size=8)
    waves = llama.LlamaRotaryEmbedding(config)(x[0], places)
    sines, cosines = torch.split(gptj.create_sinusoidal_positions(3, DEPTH), DEPTH // 2, dim=-1)
    angles, _ = RotaryEmbedding(DEPTH).forward_from_seq_len(3)
    found = {
        "transformers Llama": llama.apply_rotary_pos_emb(x, x, *waves)[0],
        "transformers GPT-J": gptj.apply_rotary_pos_emb(x.transpose(1, 2), sines[None], cosines[None]),
        "x-transformers": apply_rotary_pos_emb(x, angles),
        "equinox": equinox.nn.RotaryPositionalEmbedding(DEPTH)(jnp.asarray(one[0, 0])),
    }
    turned = {name: np.asarray(output).reshape(3, DEPTH)[2] for name, output in found.items()}
    return {name: [i for i in range(1, DEPTH) if abs(row[i]) > 1e-3] for name, row in turned.items()}


def weight_of_a_hidden_key():
    """One visible key, one hidden one, equal scores, and a cap of 2: what does the hidden one weigh?"""
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    from transformers.models.gemma2.modeling_gemma2 import eager_attention_forward
    from x_transformers.attend import Attend

    class Layer:
        num_key_value_groups, head_dim, training = 1, DEPTH, False

    def capped(score, *_):
        return 2 * torch.tanh(score / 2)

    q, k, v = torch.zeros(1, 1, 1, DEPTH), torch.zeros(1, 1, 2, DEPTH), torch.tensor(EYE[:2])[None, None]
    hidden = torch.tensor([[[[0.0, torch.finfo(torch.float32).min]]]])
    first = create_block_mask(lambda batch, head, query, key: key < 1, 1, 1, 1, 2, device="cpu")
    soft = Attend(softclamp_logits=True, logit_softclamp_value=2.0)
    found = {
        "transformers Gemma 2": eager_attention_forward(Layer(), q, k, v, hidden, softcap=2.0)[0],
        "x-transformers softclamp_logits": soft(q, k, v, mask=torch.tensor([[[[True, False]]]]))[0],
        "torch flex_attention": flex_attention(q, k, v, score_mod=capped, block_mask=first),
    }
    return {name: float(np.asarray(output).reshape(DEPTH)[1]) for name, output in found.items()}


TRIALS = (windows, alignment, shared_heads, rotary_pairs, weight_of_a_hidden_key)


def tried():
    """Run all trials: the name of each, and what came out of each call."""
    return {trial.__name__: trial() for trial in TRIALS}

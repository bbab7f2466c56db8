"""How to call the layers of this package and of Keras: one line each."""

from __future__ import annotations

import keras

from clear_attention.attention import DotProductAttention, scaled_dot_product_attention
from clear_attention.blocks import CrossAttentionBlock, FeedForwardBlock, SelfAttentionBlock
from clear_attention.encoder_decoder import Decoder, Encoder
from clear_attention.heads import MultiHeadAttention
from clear_attention.layers import DecoderLayer, EncoderLayer
from clear_attention.positions import PositionalEncoding
from clear_attention.transformer import Transformer

ops = keras.ops


def ours(call, **more):
    return {"call": call, "convention": "blocked", "depth": configured("d_model"), **more}


def configured(name):
    return lambda layer: layer.get_config()[name] if name in getattr(layer, "get_config", dict)() else None


def from_keras(call):
    return {"call": call, "convention": "keras"}


ON_ITSELF = ours(lambda layer, x, mask, return_weights: layer(x, mask=mask[:, None], return_weights=return_weights))
ON_ITSELF_AND_A_CONTEXT = ours(
    lambda layer, x, mask, return_weights: layer(
        x, ops.ones_like(x[:, :1]), mask=mask[:, None], return_weights=return_weights
    )
)
WITH_KEYS_IN_A_MATRIX = from_keras(
    lambda layer, q, k, v, mask, causal, return_weights: layer(
        q, v, k, attention_mask=mask, use_causal_mask=causal, return_attention_scores=return_weights
    )
)
WITH_KEYS_IN_A_LIST = from_keras(
    lambda layer, q, k, v, padding, causal, return_weights: layer(
        [q, v, k], mask=[None, padding], use_causal_mask=causal, return_attention_scores=return_weights
    )
)
ADAPTERS = {
    DotProductAttention: ours(
        lambda layer, q, k, v, mask, return_weights: layer(q, k, v, mask=mask, return_weights=return_weights)
    ),
    MultiHeadAttention: ours(
        lambda layer, q, k, v, mask, causal, return_weights: layer(
            q, k, v, mask=mask[:, None], causal=causal, return_weights=return_weights
        )
    ),
    SelfAttentionBlock: ON_ITSELF,
    CrossAttentionBlock: ours(
        lambda layer, q, k, mask, return_weights: layer(q, k, mask=mask[:, None], return_weights=return_weights)
    ),
    FeedForwardBlock: ours(lambda layer, x: layer(x)),
    PositionalEncoding: ours(lambda layer, x: layer(x), positions=True),
    EncoderLayer: ON_ITSELF,
    DecoderLayer: ON_ITSELF_AND_A_CONTEXT,
    Encoder: ON_ITSELF,
    Decoder: ON_ITSELF_AND_A_CONTEXT,
    Transformer: ours(  # its decoder, on a source of one word; what follows the start id is free
        lambda layer, ids: layer(
            ops.zeros_like(ids[:, :1]) + (layer.pad_id + 1) % layer.source_vocab,
            ops.concatenate([ops.zeros_like(ids[:, :1]) + layer.start_id, ids], axis=1),
        )[:, 1:],
        vocab=configured("target_vocab"),
        pad_id=configured("pad_id"),
        causal=True,
        positions=True,
    ),
    keras.layers.MultiHeadAttention: WITH_KEYS_IN_A_MATRIX,
    keras.layers.GroupQueryAttention: WITH_KEYS_IN_A_MATRIX,
    keras.layers.Attention: WITH_KEYS_IN_A_LIST,
}


def adapter_of(layer):
    """Find how to call a layer: what is known of its class, or of any model with one input."""
    if layer is scaled_dot_product_attention:
        return ours(
            lambda layer, q, k, v, mask, return_weights: (
                layer(q, k, v, mask) if return_weights else layer(q, k, v, mask).output
            )
        )
    for cls in type(layer).__mro__:
        if cls in ADAPTERS:
            return ADAPTERS[cls]
    inputs = getattr(layer, "inputs", None)
    if isinstance(layer, keras.Model) and inputs and len(inputs) == 1:
        fixed = inputs[0].shape[1] and (inputs[0].shape[1],)
        if len(inputs[0].shape) == 2:
            return {"call": lambda layer, ids: layer(ids), "lengths": lambda _: fixed}
        return {"call": lambda layer, x: layer(x), "depth": lambda _: inputs[0].shape[-1], "lengths": lambda _: fixed}
    return {}

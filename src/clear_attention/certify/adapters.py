"""How to call the layers of this package and of Keras, one line each, and how to guess it of others."""

from __future__ import annotations

import inspect

import keras

from clear_attention.attention import DotProductAttention, scaled_dot_product_attention
from clear_attention.blocks import CrossAttentionBlock, FeedForwardBlock, SelfAttentionBlock
from clear_attention.certify.framework import inner_layers
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
    keras.layers.AdditiveAttention: WITH_KEYS_IN_A_LIST,
}
IDS = ("token_ids", "input_ids", "ids", "decoder_token_ids", "encoder_token_ids")
PADDINGS = ("padding_mask", "attention_mask", "decoder_padding_mask", "encoder_padding_mask")
OUTPUTS = ("sequence_output", "last_hidden_state", "decoder_sequence_output")


def adapter_of(layer):
    """Find how to call a layer: what is known of exactly its class, or what its inputs and its signature say."""
    if layer is scaled_dot_product_attention:
        return ours(
            lambda layer, q, k, v, mask, return_weights: (
                layer(q, k, v, mask) if return_weights else layer(q, k, v, mask).output
            )
        )
    if type(layer) in ADAPTERS:
        return ADAPTERS[type(layer)]
    inputs = getattr(layer, "inputs", None) if isinstance(layer, keras.Model) else None
    if inputs and isinstance(getattr(layer, "input", None), dict):
        return of_a_dictionary(layer)
    if inputs and len(inputs) == 1:
        fixed = inputs[0].shape[1] and (inputs[0].shape[1],)
        if len(inputs[0].shape) == 2:
            return {"call": lambda layer, ids: layer(ids), "lengths": lambda _: fixed, "vocab": words_of}
        return {"call": lambda layer, x: layer(x), "depth": lambda _: inputs[0].shape[-1], "lengths": lambda _: fixed}
    return of_one_tensor(layer) if callable(layer) and takes_one_tensor(layer) else {}


def of_one_tensor(layer):
    """Call a layer with its one tensor: ids if it embeds them, else tokens, and the other if that fails."""
    calls = [lambda layer, x: layer(x), lambda layer, ids: layer(ids)]
    first, second = reversed(calls) if words_of(layer) else calls
    return {"call": first, "guesses": (second,), "vocab": words_of}


def takes_one_tensor(layer):
    try:
        found = inspect.signature(layer.call if isinstance(layer, keras.Layer) else layer).parameters.values()
    except (TypeError, ValueError):  # some functions have no signature
        return False
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in found) == 1


def words_of(layer):
    """Return how many ids the first table of embeddings knows, if there is one."""
    tables = (inner for inner in inner_layers(layer) if isinstance(inner, keras.layers.Embedding))
    return next((table.input_dim for table in tables), None)


def of_a_dictionary(model):
    """Call a model that takes a dictionary of ids and their padding, such as the backbones of KerasHub."""
    names = [*model.input]
    ids = next((n for n in IDS if n in names), None)
    if ids is None:
        return {}
    padding = next((n for n in PADDINGS if n in names and n.startswith(ids.partition("token")[0])), None)
    padding = padding or next((n for n in PADDINGS if n in names), None)
    entries = {n: "ids" if n in IDS else "padding" if n == padding else "ops.zeros_like(ids)" for n in names}
    entries |= {n: "ops.ones_like(ids)" for n in names if n in PADDINGS and n != padding}
    text = f"layer({{{', '.join(f'{n!r}: {value}' for n, value in entries.items())}}})"
    output = next((n for n in OUTPUTS if isinstance(model.output, dict) and n in model.output), None)
    text += f"[{output!r}]" if output else ""
    arguments = "layer, ids, padding" if padding else "layer, ids"
    call = eval(f"lambda {arguments}: {text}", {"ops": ops})  # so that an example can show it
    return {"call": call, "text": text, "convention": "huggingface" if padding else None, "vocab": words_of}


def name_of(layer):
    """Return what a user calls it."""
    if type(layer) in (keras.Model, keras.Sequential) or type(layer).__name__ == "Functional":
        return f"the model {layer.name!r}"
    if isinstance(layer, keras.Layer):
        home = type(layer).__module__.split(".")[0]
        name = type(layer).__name__.replace("GroupedQuery", "GroupQuery")  # as Keras exports it
        return f"{'keras.layers.' if home == 'keras' else ''}{name}"
    return getattr(layer, "__name__", type(layer).__name__)

"""The graphs that a model keeps: each is traced once for its options, and goes when the model goes."""

from __future__ import annotations

import threading

import tensorflow as tf

from clear_attention._checks.ids import has_one_text, is_model, places_enough, prompts, vocabulary_ids
from clear_attention._checks.options import flag

KEPT = 8  # graphs of one model
ONE_BY_ONE = threading.Lock()  # threads build a model and trace its graphs, so that none finds half of them
IDS = tf.TensorSpec((None, None), tf.int32)
PLAIN = {bool, int, float, str}
UNASKED = {  # attributes that every layer has and that say nothing about what it computes
    *("build", "built", "quantize", "name", "activity_regularizer", "autocast", "supports_jit"),
    *("call_signature_parameters", "compiled", "history", "loss", "optimizer", "steps_per_execution", "stop_training"),
    *("unrolled_steps_per_execution", "train_function", "test_function", "predict_function"),
}


def ready(model, ids, max_length, name="source_ids"):
    """Build the model if it is not built, and return the ids as all graphs take them."""
    is_model(model)
    with ONE_BY_ONE:
        if not model.built:
            model.build()
    one_text = has_one_text(model)
    ids = vocabulary_ids(name, ids, model.vocab if one_text else model.source_vocab)
    if one_text:
        ids = prompts(name, ids, model.pad_id)
        places_enough(model, ids, max_length)
    return tf.cast(ids, tf.int32)


def kept_graph(model, options, jit_compile, make):
    """Return what `make` makes; the model keeps it, so that it is traced once and goes when the model goes."""
    flag("jit_compile", jit_compile)
    kept = vars(model).setdefault("_searches", {})  # past Keras, which would take a dict for a part of the model
    parts = parts_of(model)
    plain = tuple(part if type(part) in PLAIN else id(part) for part in parts)
    key = (*options, bool(jit_compile), plain)
    with ONE_BY_ONE:
        if key not in kept:
            # as long as the parts are kept, nothing else gets their addresses
            kept[key] = make(), parts
            while len(kept) > KEPT:
                del kept[next(iter(kept))]
        kept[key] = kept.pop(key)  # the last one used goes last
        return kept[key][0]


def graph_of(function, signature, jit_compile):
    graph = tf.function(function, signature, autograph=False, jit_compile=jit_compile)
    return graph.get_concrete_function()  # a tf.function would warn when many models are searched


def parts_of(model):
    """Return what a graph takes from a model for good: its variables, not their values, and its layers' attributes.

    LoRA and quantisation bring other variables; a special id, a dtype policy or an activation is an attribute.
    """
    layers = model._flatten_layers()
    attributes = [
        value
        for layer in layers
        for name, value in vars(layer).items()
        if name[0] != "_" and name not in UNASKED  # of some thousand, at every call
    ]
    listed = [item for value in attributes if isinstance(value, (list, tuple)) for item in value]
    return [*model.variables, *(layer.dtype_policy.name for layer in layers), *attributes, *listed]

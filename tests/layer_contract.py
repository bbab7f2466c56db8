"""What the laws of test_layer_contract.py know of each public layer: a table, and what is made from it."""

import functools
import inspect
from typing import NamedTuple

import keras
import numpy as np
import pytest
import tensorflow as tf
from samples import random_tensors, shake
from test_heads import OPTIONS

import clear_attention

D, D_FF, VOCAB = 8, 12, 9


class Cannot(NamedTuple):
    """A law that a layer cannot keep. It is run nevertheless and must break, so that no reason outlives its cause."""

    why: str
    error: type


class Entry(NamedTuple):
    sizes: dict  # the arguments that have no default
    options: dict  # all others, away from their defaults
    inputs: str  # a letter for each: x for the tokens that the output stands for, c for the context
    weights: dict  # paths and shapes in the order of get_weights
    cannot: dict | None = None
    takes_ids: bool = False
    depth: int = D  # of the output


def inside(name, *parts):
    return {f"{name}/{path}": shape for part in parts for path, shape in part.items()}


def dense(name, depth, units):
    return inside(name, {"kernel": (depth, units), "bias": (units,)})


PROJECTIONS = [dense(f"project_{name}", D, D) for name in ("queries", "keys", "values", "output")]
NORM = inside("norm", {"gamma": (D,), "beta": (D,)})
ATTENTION = {**NORM, **inside("attention", *PROJECTIONS)}
FEED_FORWARD = {**NORM, **dense("widen", D, D_FF), **dense("narrow", D_FF, D)}
ENCODER = {**inside("self_attention", ATTENTION), **inside("feed_forward", FEED_FORWARD)}
TWO_LAYERS = {**inside("layer_0", ENCODER), **inside("layer_1", ENCODER)}
DECODER = {
    **inside("self_attention", ATTENTION),
    **inside("cross_attention", ATTENTION),
    **inside("feed_forward", FEED_FORWARD),
}
TRANSFORMER = {
    **inside("encoder/layer_0", ENCODER),
    **inside("decoder/layer_0", DECODER),
    **inside("embed_source", {"embeddings": (VOCAB, D)}),
    **inside("embed_target", {"embeddings": (VOCAB, D)}),
    **dense("project_logits", D, VOCAB),
}
LANGUAGE_MODEL = {
    **inside("stack", inside("layer_0", ENCODER), NORM),
    **inside("embed", {"embeddings": (VOCAB, D), "reverse_embeddings": (D, VOCAB)}),
}

HEADS = {"d_model": D, "num_heads": 2}
LAYER = {**HEADS, "d_ff": D_FF}
MODEL = {"num_layers": 1, **LAYER, "source_vocab": VOCAB, "target_vocab": VOCAB}
# one table for ids and logits would show in the logit of padding what padding is embedded as
ONE_TEXT = {"num_layers": 1, **LAYER, "vocab": VOCAB, "tie_embeddings": False}
BLOCK_OPTIONS = {"dropout": 0.25, "norm_first": True, "epsilon": 1e-3}
LAYER_OPTIONS = {**BLOCK_OPTIONS, "activation": "gelu"}
INSIDE = {"self_attention": {"d_k": 3, "use_bias": False}}  # options of the attention inside
ACROSS = {"cross_attention": {"d_v": 5}}
DECODER_OPTIONS = {**LAYER_OPTIONS, **INSIDE, **ACROSS}
MODEL_OPTIONS = {**DECODER_OPTIONS, "pad_id": 3, "start_id": 0, "end_id": 4}
TEXT_OPTIONS = {**LAYER_OPTIONS, **INSIDE, "norm_first": False, "activation": "relu", "positions": "learned"}
TEXT_OPTIONS |= {"max_length": 7, "pad_id": 3, "start_id": 0, "end_id": 4}

ALONE = {"unmasked tokens are seen": Cannot("works on each token alone", AssertionError)}
NO_DROPOUT = {"dropout": Cannot("has none: MultiHeadAttention drops its weights", ValueError)}
IDS_ONLY = {
    "autocast": Cannot("takes ids, which no policy casts", TypeError),
    "unmasked tokens are seen": Cannot("makes its masks from the ids: there is no call without them", TypeError),
    "16 bits out": Cannot("logits have 32 bits at least, so that the loss keeps its digits", AssertionError),
}

ENTRIES = {
    "DotProductAttention": Entry({}, {}, "xcc", {}, NO_DROPOUT),
    "MultiHeadAttention": Entry(HEADS, OPTIONS, "xcc", {k: v for p in PROJECTIONS for k, v in p.items()}),
    "PositionalEncoding": Entry({}, {"n": 77, "dropout": 0.25}, "x", {}, ALONE),
    "SelfAttentionBlock": Entry(HEADS, {**BLOCK_OPTIONS, **INSIDE}, "x", ATTENTION),
    "CrossAttentionBlock": Entry(HEADS, {**BLOCK_OPTIONS, **ACROSS}, "xc", ATTENTION),
    "FeedForwardBlock": Entry({"d_model": D, "d_ff": D_FF}, LAYER_OPTIONS, "x", FEED_FORWARD, ALONE),
    "EncoderLayer": Entry(LAYER, {**LAYER_OPTIONS, **INSIDE}, "x", ENCODER),
    "DecoderLayer": Entry(LAYER, DECODER_OPTIONS, "xc", DECODER),
    "Encoder": Entry({"num_layers": 2, **LAYER}, {**LAYER_OPTIONS, **INSIDE}, "x", TWO_LAYERS),
    "Decoder": Entry({"num_layers": 1, **LAYER}, DECODER_OPTIONS, "xc", inside("layer_0", DECODER)),
    "Transformer": Entry(MODEL, MODEL_OPTIONS, "cx", TRANSFORMER, IDS_ONLY, takes_ids=True, depth=VOCAB),
    "LanguageModel": Entry(ONE_TEXT, TEXT_OPTIONS, "x", LANGUAGE_MODEL, IDS_ONLY, takes_ids=True, depth=VOCAB),
}

IDS = {
    "x": [[1, 2, 3, 4, 5], [1, 6, 7, 2, 0], [1, 8, 0, 0, 0]],
    "c": [[3, 4, 5, 6, 7, 8, 2], [6, 5, 4, 0, 0, 0, 0], [5, 0, 0, 2, 3, 7, 0]],
}
SHORT_IDS = {"x": [[1, 4, 0], [1, 2, 3]], "c": [[5, 6, 7, 8], [2, 0, 0, 0]]}


PARTS = {"RotaryPositions", "AlibiBias", "RelativePositionBias"}  # are called by attention, not with tokens


def public_layers():
    public = {name: getattr(clear_attention, name) for name in clear_attention.__all__}
    return {name for name, value in public.items() if inspect.isclass(value) and issubclass(value, keras.Layer)} - PARTS


def each_layer(law=None):
    """Parametrise a test by all layers; those that cannot keep the law must break it as the table says."""

    def case(name, cannot):
        mark = pytest.mark.xfail(reason=cannot.why, raises=cannot.error, strict=True) if cannot else ()
        return pytest.param(name, marks=mark)

    cases = [case(name, (entry.cannot or {}).get(law)) for name, entry in ENTRIES.items()]
    return pytest.mark.parametrize("name", cases)


def ids_of(name, /, short=False, start_id=1, **_):
    """Return ids for each input; the tokens x begin with the start id, as targets do."""
    ids = {letter: np.array(rows, "int32") for letter, rows in (SHORT_IDS if short else IDS).items()}
    ids["x"][:, 0] = start_id
    return [ids[letter] for letter in ENTRIES[name].inputs]


def example(name, /, short=False, **options):
    """Return what the layer is called with: ids, or vectors in their place."""
    ids = ids_of(name, short, **options)
    return ids if ENTRIES[name].takes_ids else random_tensors(*((*i.shape, D) for i in ids))


def shaken(name, /, **options):
    """Make a layer in which no weight is what it was initialised to: no bias 0, no scale 1."""
    return shake(getattr(clear_attention, name)(**ENTRIES[name].sizes, **options), *example(name, **options))


def takes_a_pair(name):
    """Tell whether Keras calls it with all inputs as one: a model of ids with more than one text."""
    return ENTRIES[name].takes_ids and len(ENTRIES[name].inputs) == 2


def inputs_of(name, ids=False):
    """Return symbolic inputs of unknown lengths: what the layer takes, or ids."""
    ids = ids or ENTRIES[name].takes_ids
    return [keras.Input((None,), dtype="int32") if ids else keras.Input((None, D)) for _ in ENTRIES[name].inputs]


@functools.cache
def modelled(name):
    """Return a layer with all its options, and a functional model of it: laws that only read share them."""
    layer, inputs = shaken(name, **ENTRIES[name].options), inputs_of(name)
    return layer, keras.Model(inputs, layer(*inputs))


def model_from_ids(name, layer):
    """Put an Embedding that masks 0 before each input; return the model and all its embeddings."""
    ids = inputs_of(name, ids=True)
    if ENTRIES[name].takes_ids:
        tables = [layer.embed_source, layer.embed_target] if len(ids) == 2 else [layer.embed]
        return keras.Model(ids, layer(*ids)), tables
    embeds = [keras.layers.Embedding(VOCAB, D, "normal", mask_zero=True) for _ in ids]
    return keras.Model(ids, layer(*(embed(i) for embed, i in zip(embeds, ids, strict=True)))), embeds


def graph_of(name, layer, **options):
    spec = [tf.TensorSpec(x.shape, x.dtype) for x in inputs_of(name)]
    return tf.function(lambda *inputs: layer(*inputs), spec, **options)


def counted(layer):
    """Return a list that grows with each call of the layer's `call`, which in a graph is each trace."""
    calls, call = [], layer.call

    def counting(*args, **kwargs):
        calls.append(1)
        return call(*args, **kwargs)

    layer.call = counting
    return calls


@functools.cache
def fitted(name):
    """Fit on a pipeline of two batches, the second of other lengths; return model, loss, and after each batch weights
    and calls so far."""
    layer = shaken(name)
    calls, (model, _), depth = counted(layer), model_from_ids(name, layer), ENTRIES[name].depth

    def batches():
        for short in (False, True):
            ids = ids_of(name, short)
            yield tuple(ids), np.random.default_rng(3).normal(size=(*ids[ENTRIES[name].inputs.index("x")].shape, depth))

    spec = tuple(tf.TensorSpec((None, None), "int32") for _ in model.inputs), tf.TensorSpec((None, None, depth))
    data = tf.data.Dataset.from_generator(batches, output_signature=spec)
    data = data.apply(tf.data.experimental.assert_cardinality(2)).prefetch(1)
    seen = [({v.path: v.numpy() for v in model.variables}, len(calls))]

    def look(batch, logs):
        seen.append(({v.path: v.numpy() for v in model.variables}, len(calls)))

    model.compile(keras.optimizers.SGD(0.1), "mse", jit_compile=False)  # XLA has a test of its own
    look_each_time = keras.callbacks.LambdaCallback(on_train_batch_end=look)
    losses = model.fit(data, shuffle=False, verbose=0, callbacks=[look_each_time])
    return model, losses.history["loss"], seen


def real_outputs(call, embeds, name):
    """Return the outputs of real tokens, with two different vectors in the place of padding."""
    real, outputs = ids_of(name)[ENTRIES[name].inputs.index("x")] != 0, []
    for filler in (0.5, -3.0):
        for embed in embeds:
            table = np.array(embed.embeddings)
            table[0] = filler * np.cos(np.arange(D))  # a norm would take the same number everywhere for 0
            embed.embeddings.assign(table)
        outputs.append(np.asarray(call(ids_of(name)))[real])
    return outputs


def close(actual, expected, tolerance):
    """Compare in units of the largest number, or of 1 if all are smaller."""
    actual, expected = np.asarray(actual, "float64"), np.asarray(expected, "float64")
    scale = max(1.0, np.max(np.abs(expected)))
    np.testing.assert_allclose(actual / scale, expected / scale, rtol=0, atol=tolerance)

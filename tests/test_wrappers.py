"""Every layer inside what Keras wraps around it gives the numbers of the bare layer, with the masks Keras attached."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from layer_contract import ENTRIES, VOCAB, D, close, each_layer, ids_of, model_from_ids, shaken

import clear_attention

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
ALONE = [name for name, entry in ENTRIES.items() if entry.inputs == "x" and not entry.takes_ids] + [
    "MultiHeadAttention"
]
IDS = np.array([[1, 2, 3, 0], [4, 0, 0, 0], [5, 6, 7, 8], [1, 3, 0, 0]])  # as many sentences as tokens


def alone(name):
    """Return a layer of one tensor and an embedding that masks 0."""
    embed = keras.layers.Embedding(VOCAB, D, "normal", mask_zero=True)
    options = {**ENTRIES[name].options, "dropout": 0.0} if "dropout" in ENTRIES[name].options else {}
    layer = getattr(clear_attention, name)(**ENTRIES[name].sizes, **options)
    layer(embed(IDS))
    return layer, embed


def real(outputs, ids=IDS):
    return np.asarray(outputs)[ids != 0]


class Untold(keras.layers.Layer):
    """A layer that says no shape beforehand, so that Sequential calls its layers one by one."""

    def __init__(self):
        super().__init__()
        self.supports_masking = True

    def call(self, x):
        return x + 0

    def compute_output_spec(self, *args, **kwargs):
        raise NotImplementedError


@pytest.mark.parametrize("sentences", [1, 3, 4])
@pytest.mark.parametrize("name", [*ALONE, "DotProductAttention"])
def test_time_distributed(name, sentences):
    if name == "DotProductAttention":
        layer, embed = clear_attention.DotProductAttention(), keras.layers.Embedding(VOCAB, D, mask_zero=True)
        bare = lambda x: layer(x, x, x)  # noqa: E731
    else:
        layer, embed = alone(name)
        bare = layer
    ids = np.stack([np.roll(IDS, i, axis=0)[:sentences] for i in range(3)], axis=1)  # (sentences, 3, length)
    expected = np.stack([bare(embed(ids[:, i])) for i in range(3)], axis=1)
    found = keras.layers.TimeDistributed(layer)(embed(ids))
    close(real(found, ids), real(expected, ids), 1e-6)


@pytest.mark.parametrize("name", ["SelfAttentionBlock", "EncoderLayer"])
def test_time_distributed_over_a_number_of_texts_that_is_not_known(name):
    layer, embed = alone(name)
    ids = np.stack([IDS, IDS[::-1]], axis=1)
    texts = keras.Input((None, 4), dtype="int32")
    model = keras.Model(texts, keras.layers.TimeDistributed(layer)(embed(texts)))
    expected = np.stack([layer(embed(ids[:, i])) for i in range(2)], axis=1)
    close(real(model(ids), ids), real(expected, ids), 1e-6)


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("name", ALONE)
def test_sequential_with_and_without_shapes_known_beforehand(name, told):
    layer, embed = alone(name)
    expected = layer(embed(IDS))
    model = keras.Sequential([embed, *([] if told else [Untold()]), layer])
    close(real(model(IDS)), real(expected), 1e-6)
    assert bool(model._functional) == told
    model.compile("sgd", "mse", jit_compile=False)
    close(real(model.predict(IDS, verbose=0)), real(expected), 1e-6)


@pytest.mark.parametrize("name", ALONE)
def test_between_layers_that_read_both_ways(name):
    layer, embed = alone(name)
    lstm = keras.layers.LSTM(D // 2, return_sequences=True)
    first, last = keras.layers.Bidirectional(lstm), keras.layers.Bidirectional(lstm)
    x = first(embed(IDS))
    y = layer(x)
    expected = last(y, mask=tf.constant(IDS != 0))
    close(last(y), expected, 1e-6)  # the mask went on
    ids = keras.Input((None,), dtype="int32")
    model = keras.Model(ids, last(layer(first(embed(ids)))))
    close(model(IDS), expected, 1e-6)


class Held(keras.Model):
    """A model that hands its layer what it gets."""

    def __init__(self, layer, embeds):
        super().__init__()
        self.layer, self.embeds = layer, embeds

    def call(self, ids):
        inputs = [embed(i) for embed, i in zip(self.embeds, ids, strict=True)] if self.embeds else ids
        return self.layer(*inputs)


@each_layer()
def test_functional_subclassed_cloned_and_shared_models(name):
    layer = shaken(name)
    model, embeds = model_from_ids(name, layer)
    first = [tf.constant(ids) for ids in ids_of(name)]
    other = [tf.constant(ids) for ids in ids_of(name, short=True)]
    mine = [] if ENTRIES[name].takes_ids else embeds
    bare = [layer(*(embed(i) for embed, i in zip(mine, ids, strict=True)) if mine else ids) for ids in (first, other)]
    held = Held(layer, mine)
    cloned = keras.models.clone_model(model)
    cloned.set_weights(model.get_weights())
    inputs = model.inputs
    more = [keras.Input(x.shape[1:], dtype=x.dtype) for x in inputs]
    twice = keras.Model([*inputs, *more], [model(inputs), model(more)])
    for found in (model(first), held(first), cloned(first), twice([*first, *other])[0]):
        close(found, bare[0], 1e-6)
    for found in (model(other), held(other), cloned(other), twice([*first, *other])[1]):
        close(found, bare[1], 1e-6)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "int64", "float16", "float32"])
@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("name", [*ALONE, "DecoderLayer"])
def test_masks_of_other_layers_may_hold_numbers(name, dtype, graph):
    class Masking(keras.layers.Layer):
        def call(self, x):
            return x + 0

        def compute_mask(self, x, previous):
            return tf.cast(IDS != 0, dtype)

    x = np.random.default_rng(0).normal(size=(4, 4, D)).astype("float32")
    layer = shaken(name)
    inputs = 2 if name == "DecoderLayer" else 1

    def run(masking, x):
        return layer(*[masking(x)] * inputs)

    embedded = keras.layers.Embedding(VOCAB, D, mask_zero=True).compute_mask(IDS)
    plain = tf.constant(x)
    plain._keras_mask = embedded
    expected = layer(*[plain] * inputs)
    found = (tf.function(run) if graph else run)(Masking(), tf.constant(x))
    close(real(found), real(expected), 1e-6)


def test_a_mask_of_sentences_is_not_taken_for_one_of_heads():
    x = np.random.default_rng(0).normal(size=(3, 3, 4, D)).astype("float32")  # as many heads as sentences
    tensor, ids = tf.constant(x), IDS[:3]
    tensor._keras_mask = tf.constant(ids != 0)
    found = clear_attention.DotProductAttention()(tensor, tensor, tensor)
    mask = clear_attention.create_padding_mask(ids)
    expected = clear_attention.scaled_dot_product_attention(x, x, x, mask).output
    close(np.moveaxis(found, 1, 2)[ids != 0], np.moveaxis(expected, 1, 2)[ids != 0], 1e-6)


def test_keras_has_its_own_door_and_our_mask_does_not_fit_through_it():
    layer, embed = alone("EncoderLayer")
    x = embed(IDS)
    close(real(layer(x, mask=x._keras_mask)), real(layer(x)), 0)  # it is Keras's own, and stays so
    with pytest.raises(ValueError, match=r"call the layer itself, layer\(x, mask=mask\)"):
        layer.call(x, mask=clear_attention.create_padding_mask(IDS))

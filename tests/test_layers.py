"""Layers: the parts of Keras in the paper's order on the same weights, each mask in its place, and every refusal."""

import re

import keras
import numpy as np
import pytest
import tensorflow as tf
from compare import close, hidden_changes_nothing
from samples import CONTEXT_IDS, CONTEXT_REAL, IDS, REAL, random_tensors, saved_and_loaded, shake
from test_blocks import by_keras as block_by_keras

from clear_attention import DecoderLayer, EncoderLayer, combine_masks, create_look_ahead_mask, create_padding_mask

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
SIZES = {"d_model": 12, "num_heads": 2, "d_ff": 13, "dropout": 0.0}
IDS_OF = {EncoderLayer: [IDS], DecoderLayer: [IDS, CONTEXT_IDS]}
LATER = create_look_ahead_mask(5)
MASKS = {EncoderLayer: {"mask": combine_masks(create_padding_mask(IDS), LATER)}}
MASKS[DecoderLayer] = {**MASKS[EncoderLayer], "cross_mask": create_padding_mask(CONTEXT_IDS)}
DECODER = [DecoderLayer]
BOTH = pytest.mark.parametrize("kind", MASKS)
NORM_FIRST = pytest.mark.parametrize("norm_first", [False, True])


def example(kind):
    """Return what a layer is called with: x, and for a decoder a context of its own length and depth."""
    x, context = random_tensors((3, 5, 12), (3, 7, 11))
    return [x, context] if kind is DecoderLayer else [x]


def shaken(kind, **options):
    """Make a layer in which no weight is what it was initialised to: no bias 0, no scale 1."""
    return shake(kind(**{**SIZES, **options}), *example(kind))


def blocks_of(layer):
    names = ("self_attention", "cross_attention", "feed_forward")
    return [getattr(layer, name) for name in names if hasattr(layer, name)]


def maps_of(weights):
    return weights if isinstance(weights, dict) else {"self": weights}


# Keras: the same numbers from its own layers


def by_keras(layer, norm_first, **options):
    """Write a layer out as its blocks in keras.layers: a function, its dropouts and pairs of variables."""
    blocks = [block_by_keras(block, norm_first, **options) for block in blocks_of(layer)]
    parts, dropouts, pairs = zip(*blocks, strict=True)

    def call(x, *context, training=None, mask=None, cross_mask=None):
        maps, cross = [], [(context, {"mask": cross_mask})] if context else []
        for part, (others, masks) in zip(parts, [((), {"mask": mask}), *cross, ((), {})], strict=True):
            x, weights = part(x, *others, training=training, **masks)
            maps.append(weights)
        return x, dict(zip(("self", "cross"), maps[:-1], strict=False))

    return call, dropouts, [pair for some in pairs for pair in some]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("options", [{"activation": "gelu"}, {"epsilon": 0.3}, {"dropout": 0.5}], ids=str)
@NORM_FIRST
@BOTH
def test_equals_the_layers_of_keras_with_their_gradients(kind, norm_first, options, masked):
    layer = shaken(kind, norm_first=norm_first, **options)
    reference, dropouts, pairs = by_keras(layer, norm_first, **options)
    assert sorted(id(mine) for mine, _ in pairs) == sorted(map(id, layer.trainable_variables))  # none is shared
    results, inputs = [], list(map(tf.constant, example(kind)))
    calls = [(lambda *x, **m: layer(*x, **m, return_weights=True), [block.drop for block in blocks_of(layer)])]
    for (call, drops), variables in zip([*calls, (reference, dropouts)], zip(*pairs, strict=True), strict=True):
        for seed, drop in enumerate(drops if "dropout" in options else []):
            drop.seed_generator.state.assign([seed, 2])
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            output, weights = call(*inputs, training="dropout" in options, **(MASKS[kind] if masked else {}))
            loss = tf.reduce_sum(tf.sin(output))
        results.append([output, *maps_of(weights).values(), *tape.gradient(loss, [*inputs, *variables])])
    for mine, yours in zip(*results, strict=True):
        size = max(1, np.abs(yours).max())  # Keras's norm rounds elsewhere
        close(tf.reshape(mine, yours.shape) / size, yours / size, 1e-5)


# Weights and masks


@BOTH
def test_masks_block_and_asking_for_weights_never_changes_the_output(kind):
    layer, inputs = shaken(kind), example(kind)
    output, weights = layer(*inputs, **MASKS[kind], return_weights=True)
    assert isinstance(weights, dict) == (kind is DecoderLayer)
    for (name, map_), mask in zip(maps_of(weights).items(), MASKS[kind].values(), strict=True):
        assert map_.shape == (3, 2, 5, {"self": 5, "cross": 7}[name])
        np.testing.assert_array_equal(np.asarray(map_) == 0, np.broadcast_to(mask == 1, map_.shape))
        close(np.sum(map_, axis=-1), np.ones((3, 2, 5)))
    np.testing.assert_array_equal(layer(*inputs, **MASKS[kind]), output)
    close(layer(*inputs), layer(*inputs, **{name: tf.zeros_like(m) for name, m in MASKS[kind].items()}))


@NORM_FIRST
@BOTH
def test_a_sentence_with_no_key_is_finite_with_its_gradients(kind, norm_first):
    layer, inputs = shaken(kind, norm_first=norm_first), list(map(tf.constant, example(kind)))
    nothing = np.zeros((3, 1, 1, 1)) == [[[[0]]], [[[1]]], [[[1]]]]  # for sentence 0
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        output, weights = layer(*inputs, **dict.fromkeys(MASKS[kind], nothing), return_weights=True)
        loss = tf.reduce_sum(tf.sin(output))
    for map_ in maps_of(weights).values():
        close(np.sum(map_, axis=-1), np.broadcast_to(~nothing[..., 0], (3, 2, 5)))
    assert all(np.all(np.isfinite(x)) for x in [output, *tape.gradient(loss, [*inputs, *layer.trainable_variables])])


def masked_model(kind, **options):
    """Make a functional model whose masks Keras attaches: an Embedding before the layer."""
    ids = [keras.Input((None,), dtype="int32") for _ in MASKS[kind]]
    vectors = [keras.layers.Embedding(8, d, "normal", mask_zero=True)(i) for i, d in zip(ids, (12, 11), strict=False)]
    output, weights = kind(**{**SIZES, "name": "layer", **options})(*vectors, return_weights=True)
    return keras.Model(ids, {"vectors": vectors, "output": output, "weights": maps_of(weights)})


@pytest.mark.parametrize(("policy", "norm_first"), [("float32", True), ("mixed_float16", False)])
@BOTH
def test_honours_the_masks_that_keras_attaches_and_hands_on_that_of_x(kind, policy, norm_first):
    model = masked_model(kind, norm_first=norm_first, dtype=policy)
    result, layer = model(IDS_OF[kind]), model.get_layer("layer")
    hidden = [~REAL[:, None, :, None] | (ids == 0)[:, None, None, :] for ids in IDS_OF[kind]]
    for map_, mask in zip(result["weights"].values(), hidden, strict=True):
        np.testing.assert_array_equal(np.asarray(map_) == 0, np.broadcast_to(mask, map_.shape))
    np.testing.assert_array_equal(result["output"]._keras_mask, REAL)
    plain = layer(*(tf.constant(v.numpy()) for v in result["vectors"]), *hidden)
    np.testing.assert_array_equal(result["output"], plain)
    assert getattr(plain, "_keras_mask", None) is None
    both = maps_of(layer(*result["vectors"], mask=LATER, return_weights=True).weights)["self"]
    np.testing.assert_array_equal(np.asarray(both) == 0, np.broadcast_to(hidden[0] | (LATER == 1), both.shape))


@pytest.mark.parametrize("implicit", [False, True])
@BOTH
def test_hidden_nan_changes_no_real_token_and_no_gradient(kind, implicit):
    layer = shaken(kind, norm_first=implicit)  # both places of the norm
    hidden_changes_nothing(layer, example(kind), (REAL, CONTEXT_REAL), None if implicit else MASKS[kind])


@NORM_FIRST
@BOTH
def test_a_visible_nan_shows_where_it_is_seen_and_nowhere_else(kind, norm_first):
    (x, *context), layer = example(kind), shaken(kind, norm_first=norm_first)
    x[0, 3, 2] = np.nan
    finite = np.isfinite(layer(x, *context, mask=LATER))
    np.testing.assert_array_equal(finite[0], np.repeat([[True], [True], [True], [False], [False]], 12, axis=1))
    assert finite[1:].all()


@NORM_FIRST
@BOTH
def test_sentences_do_not_meet_and_the_order_of_tokens_counts_only_for_the_mask(kind, norm_first):
    (x, *context), layer, order = example(kind), shaken(kind, norm_first=norm_first), [3, 0, 4, 1, 2]
    expected = layer(x, *context).numpy()
    close(layer(x[:, order], *(c[:, ::-1] for c in context)), expected[:, order], 1e-5)
    before, x[0] = layer(x, *context, mask=LATER), x[0] + [[0], [0], [0], [1], [1]] * np.arange(12)
    after = layer(x, *context, mask=LATER)
    np.testing.assert_array_equal(after[1:], before[1:])
    np.testing.assert_array_equal(after[0, :3], before[0, :3])
    assert np.all(np.any(after[0, 3:] != before[0, 3:], axis=-1))


# In Keras models


@BOTH
def test_dropout_acts_only_in_training_and_follows_the_seed(kind):
    inputs, seen = example(kind), []
    assert kind(12, 2, 13).get_config()["dropout"] == 0.1
    for _ in range(2):
        keras.utils.set_random_seed(3)
        layer = shaken(kind, dropout=0.5)
        seen.append([layer(*inputs, training=True) for _ in range(2)])
    np.testing.assert_array_equal(*seen)
    assert np.any(seen[0][0] != seen[0][1])
    np.testing.assert_array_equal(layer(*inputs), shaken(kind)(*inputs))


@pytest.mark.parametrize("jit_compile", [False, True])
@BOTH
def test_lists_arrays_graphs_of_unknown_length_and_xla_agree(kind, jit_compile):
    inputs, layer, masks = example(kind), shaken(kind), [np.array(m, float) for m in MASKS[kind].values()]
    specs = [tf.TensorSpec((None, None, x.shape[-1])) for x in inputs], [tf.TensorSpec([None] * 4) for _ in masks]
    graph = tf.function(lambda x, m: layer(*x, *m), specs, jit_compile=jit_compile)
    expected = layer(*inputs, **MASKS[kind])
    close(graph(inputs, [m.astype("float32") for m in masks]), expected, 5e-6)
    assert graph.get_concrete_function().output_shapes.as_list() == [None, None, 12]
    np.testing.assert_array_equal(layer(*(x.tolist() for x in [*inputs, *masks])), expected)


@pytest.mark.parametrize("policy", ["float16", "mixed_float16", "bfloat16", "mixed_bfloat16", "float64"])
@BOTH
def test_trains_in_the_dtype_of_its_policy(kind, policy):
    dtype, layer = policy.removeprefix("mixed_"), shaken(kind, dtype=policy)
    output, weights = layer(*example(kind), **MASKS[kind], return_weights=True)
    assert {t.dtype.name for t in [output, *maps_of(weights).values()]} == {dtype}
    assert {v.dtype for v in layer.weights} == {"float32" if "mixed" in policy else dtype}
    tolerance = {"float64": 1e-5, "float16": 2e-2, "bfloat16": 0.15}[dtype]
    close(output, shaken(kind)(*example(kind), **MASKS[kind]), tolerance)
    if "mixed" in policy:
        model = masked_model(kind, dtype=policy, dropout=0.1)
        model = keras.Model(model.inputs, keras.layers.Dense(1, dtype="float32")(model.output["output"]))
        model.compile(keras.optimizers.SGD(0.1), "mse")
        before = [w.numpy() for w in model.trainable_variables]
        model.fit(IDS_OF[kind], np.ones((3, 5, 1)), verbose=0)
        for variable, old in zip(model.trainable_variables, before, strict=True):
            assert np.all(np.isfinite(variable.numpy()))
            # the bias of the keys moves all scores of a row alike, so the softmax does not see it
            assert np.any(variable.numpy() != old) or "project_keys/bias" in variable.path


@BOTH
def test_saves_and_loads_bit_identically_with_the_same_config(kind, tmp_path):
    options = {"dropout": 0.2, "activation": "gelu", "norm_first": True, "epsilon": 1e-5}
    model = shake(masked_model(kind, **options), scale=1.0)
    config = model.get_layer("layer").get_config()
    assert {**config, **SIZES, **options} == config == kind.from_config(config).get_config()
    loaded = saved_and_loaded(model, tmp_path)
    assert loaded.get_layer("layer").get_config() == config
    for before, after in zip(*(tf.nest.flatten(m(IDS_OF[kind])) for m in (model, loaded)), strict=True):
        np.testing.assert_array_equal(after, before)


# Refusals


@BOTH
def test_bad_options_are_refused_in_words(kind):
    bad = {"d_model": [0], "num_heads": [5, -1], "d_ff": [0], "dropout": [-0.1, 1.0], "epsilon": [-1, np.inf]}
    bad_types = {"d_model": [12.0], "d_ff": [None], "dropout": ["half"], "norm_first": ["yes", 1], "epsilon": ["small"]}
    for error, table in ((ValueError, {**bad, "activation": ["bend"]}), (TypeError, bad_types)):
        for name, value in [(name, value) for name, values in table.items() for value in values]:
            with pytest.raises(error, match=re.escape(f"{name}={value!r}")):
                kind(**{**SIZES, name: value})


@pytest.mark.parametrize(
    ("kinds", "call", "error", "words"),
    [
        (MASKS, lambda f, x, *c: f(x[..., 1:], *c), ValueError, r"must be d_model.*12\).*x.shape=\(3, 5, 11\)"),
        (MASKS, lambda f, x, *c: f(x[0], *c), ValueError, r"one row of tokens.*x.shape=\(5, 12\)"),
        (MASKS, lambda f, x, *c: f(x.astype(int), *c), TypeError, r"x\.dtype=int64"),
        (MASKS, lambda f, *x: f(*x, mask=np.full((5, 1), -1e9)), ValueError, "convert_mask"),
        (MASKS, lambda f, *x: f(*x, mask=np.zeros((3, 5))), ValueError, r"reshape it to \(3, 1, 1, 5\)"),
        (DECODER, lambda f, x, c: f(x, None), TypeError, "context=None"),
        (DECODER, lambda f, x, c: f(x, c[..., 1:]), ValueError, r"built with.*context.shape=\(3, 7, 10\)"),
        (DECODER, lambda f, x, c: f(x, c[:2]), ValueError, r"x and context must hold the same number of sentences"),
        (DECODER, lambda f, x, c: f(x, c, cross_mask=np.zeros((5, 5))), ValueError, r"to \(3, 2, 5, 7\)"),
    ],
)
def test_bad_calls_are_refused_in_words(kinds, call, error, words):
    for kind in kinds:
        with pytest.raises(error, match=words):
            call(shaken(kind), *example(kind))


def test_a_hidden_token_may_be_nan_as_a_query_of_cross_attention_too():
    layer, x = DecoderLayer(8, 2, 16, dropout=0.0), np.ones((1, 3, 8), "float32")
    x[0, 2] = np.nan
    with tf.GradientTape() as tape:
        y = layer(x, np.ones((1, 4, 8)), mask=create_look_ahead_mask(3))
        loss = tf.reduce_sum(tf.sin(y[:, :2]))
    assert all(np.all(np.isfinite(g)) for g in tape.gradient(loss, layer.trainable_variables))

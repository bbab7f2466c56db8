"""Stacks: layers one after the other, masks that reach each of them, and every refusal."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from compare import close, hidden_changes_nothing
from samples import CONTEXT_IDS, CONTEXT_REAL, IDS, REAL, random_tensors, saved_and_loaded, shake

from clear_attention import Decoder, Encoder, combine_masks, create_look_ahead_mask, create_padding_mask

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
SIZES = {"num_layers": 2, "d_model": 24, "num_heads": 4, "d_ff": 13}
MASKS = {
    "mask": combine_masks(create_padding_mask(IDS), create_look_ahead_mask(5)),
    "cross_mask": create_padding_mask(CONTEXT_IDS),
}
MODES = {"eager": lambda f: f, "XLA": lambda f: tf.function(f, jit_compile=True)}
KINDS = [Encoder, Decoder]


def example(kind):
    """Return what a stack is called with: x, and for a decoder a context of its own length and depth."""
    x, context = random_tensors((3, 5, 24), (3, 7, 10))
    return [x, context] if kind is Decoder else [x]


def masks_of(kind):
    return {name: m for name, m in MASKS.items() if kind is Decoder or name == "mask"}


def shaken(kind, **options):
    """Make a stack in which no weight is what it was initialised to: no bias 0, no scale 1."""
    return shake(kind(**{**SIZES, **options}), *example(kind))


# One after the other


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_stack_is_its_layers_one_after_the_other(kind, norm_first):
    (x, *context), masks = example(kind), masks_of(kind)
    stack = shaken(kind, norm_first=norm_first, num_layers=3)
    output, weights = stack(x, *context, **masks, return_weights=True)
    assert len(stack.layers) == 3
    for name, layer in enumerate(stack.layers):
        x, maps = layer(x, *context, **masks, return_weights=True)
        maps = {f"{name}.{part}": m for part, m in maps.items()} if kind is Decoder else {f"{name}": maps}
        for key, expected in maps.items():
            np.testing.assert_array_equal(weights.pop(key), expected)
    assert not weights
    if norm_first:
        x = np.asarray(x, "float64")
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6)
        x = x * np.asarray(stack.norm.gamma) + np.asarray(stack.norm.beta)
        close(output, x, 1e-5)
    else:
        assert stack.norm is None
        np.testing.assert_array_equal(output, x)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_each_layer_has_weights_of_its_own(kind, norm_first):
    stack = shaken(kind, norm_first=norm_first, num_layers=3)
    one = stack.layers[0].count_params()
    assert stack.count_params() == 3 * one + (48 if norm_first else 0)
    assert len({id(w) for w in stack.weights}) == len(stack.weights)
    assert len({w.path for w in stack.weights}) == len(stack.weights)
    before = [w.numpy() for w in stack.layers[0].weights]
    for variable in stack.layers[1].weights:
        variable.assign(tf.zeros_like(variable))
    for variable, old in zip(stack.layers[0].weights, before, strict=True):
        np.testing.assert_array_equal(variable, old)


def test_weights_are_named_by_layer_and_kind():
    encoder_maps = shaken(Encoder)(*example(Encoder), return_weights=True).weights
    assert {name: tuple(w.shape) for name, w in encoder_maps.items()} == {"0": (3, 4, 5, 5), "1": (3, 4, 5, 5)}
    decoder_maps = shaken(Decoder)(*example(Decoder), return_weights=True).weights
    assert {name: tuple(w.shape) for name, w in decoder_maps.items()} == {
        "0.self": (3, 4, 5, 5),
        "0.cross": (3, 4, 5, 7),
        "1.self": (3, 4, 5, 5),
        "1.cross": (3, 4, 5, 7),
    }
    assert list(decoder_maps) == ["0.self", "0.cross", "1.self", "1.cross"]


@pytest.mark.parametrize("kind", KINDS)
def test_asking_for_weights_never_changes_the_output(kind):
    stack = shaken(kind)
    np.testing.assert_array_equal(stack(*example(kind)), stack(*example(kind), return_weights=True).output)


@pytest.mark.parametrize("kind", KINDS)
def test_dropout_acts_only_in_training(kind):
    inputs, stack = example(kind), shaken(kind, dropout=0.5)
    np.testing.assert_array_equal(stack(*inputs), stack(*inputs, training=False))
    assert np.any(stack(*inputs, training=True) != stack(*inputs))


# Masks


@pytest.mark.parametrize("kind", KINDS)
def test_masks_reach_every_layer(kind):
    hidden = {
        "self": np.broadcast_to(MASKS["mask"] == 1, (3, 4, 5, 5)),
        "cross": np.broadcast_to(MASKS["cross_mask"] == 1, (3, 4, 5, 7)),
    }
    maps = shaken(kind)(*example(kind), **masks_of(kind), return_weights=True).weights
    for name, weights in maps.items():
        expected = hidden["cross" if name.endswith("cross") else "self"]
        np.testing.assert_array_equal(np.asarray(weights) == 0, expected)
        close(np.sum(weights, axis=-1), ~expected.all(-1))


def test_each_decoder_mask_blocks_its_own_attention_only():
    decoder, inputs = shaken(Decoder), example(Decoder)
    for given, other in (("mask", "cross"), ("cross_mask", "self")):
        maps = decoder(*inputs, **{given: MASKS[given]}, return_weights=True).weights
        for layer in range(2):
            assert np.all(maps[f"{layer}.{other}"] != 0)
    assert all(np.all(w != 0) for w in decoder(*inputs, return_weights=True).weights.values())


def masked_model(kind, **options):
    """Make a functional model whose masks Keras attaches: an Embedding before the stack."""
    embed = {"mask_zero": True, "embeddings_initializer": keras.initializers.RandomNormal(stddev=1.0, seed=0)}
    ids = [keras.Input((None,), dtype="int32") for _ in range(1 if kind is Encoder else 2)]
    vectors = [keras.layers.Embedding(8, depth, **embed)(i) for i, depth in zip(ids, (24, 10), strict=False)]
    stack = kind(**{**SIZES, "dropout": 0.1, "name": "stack", **options})
    output, weights = stack(*vectors, return_weights=True)
    return keras.Model(ids, {"vectors": vectors, "output": output, "weights": weights})


@pytest.mark.parametrize("kind", KINDS)
def test_masks_that_keras_attaches_reach_every_layer(kind):
    model = masked_model(kind)
    result = model([IDS] if kind is Encoder else [IDS, CONTEXT_IDS])
    hidden = ~REAL[:, None, :, None] | ~REAL[:, None, None, :]
    cross_hidden = ~REAL[:, None, :, None] | ~CONTEXT_REAL[:, None, None, :]
    for name, weights in result["weights"].items():
        expected = np.broadcast_to(cross_hidden if name.endswith("cross") else hidden, weights.shape)
        np.testing.assert_array_equal(np.asarray(weights) == 0, expected)
    np.testing.assert_array_equal(result["output"]._keras_mask, REAL)
    explicit = {"mask": hidden} if kind is Encoder else {"mask": hidden, "cross_mask": cross_hidden}
    plain = [tf.constant(v.numpy()) for v in result["vectors"]]
    np.testing.assert_array_equal(result["output"], model.get_layer("stack")(*plain, **explicit))


@pytest.mark.parametrize(
    ("kind", "implicit", "mode"),
    [(k, i, "eager") for k in KINDS for i in (False, True)] + [(Decoder, False, "XLA")],
)
def test_hidden_nan_changes_no_real_token_and_no_gradient(kind, implicit, mode):
    stack, masks = shaken(kind, norm_first=implicit), None if implicit else masks_of(kind)  # both places of the norm
    hidden_changes_nothing(stack, example(kind), (REAL, CONTEXT_REAL), masks, MODES[mode])


@pytest.mark.parametrize("norm_first", [False, True])
def test_no_token_changes_with_a_later_one(norm_first):
    x, context = example(Decoder)
    decoder = shaken(Decoder, norm_first=norm_first)
    before = decoder(x, context, mask=create_look_ahead_mask(5))
    x[:, 3:] += 1
    after = decoder(x, context, mask=create_look_ahead_mask(5))
    np.testing.assert_array_equal(after[:, :3], before[:, :3])
    assert np.all(np.any(after[:, 3:] != before[:, 3:], axis=-1))


# In Keras models


@pytest.mark.parametrize(("kind", "norm_first"), [(Encoder, True), (Decoder, False)])
def test_saves_and_loads_bit_identically(kind, norm_first, tmp_path):
    options = {"dropout": 0.2, "activation": "gelu", "norm_first": norm_first, "epsilon": 1e-5}
    model = shake(masked_model(kind, **options), scale=1.0)
    loaded = saved_and_loaded(model, tmp_path)
    config = loaded.get_layer("stack").get_config()
    assert config == model.get_layer("stack").get_config()
    assert {**config, **SIZES, **options} == config
    ids = [IDS] if kind is Encoder else [IDS, CONTEXT_IDS]
    for before, after in zip(*(tf.nest.flatten(m(ids)) for m in (model, loaded)), strict=True):
        np.testing.assert_array_equal(after, before)


def test_symbolic_shapes_are_the_real_ones():
    x, context = keras.Input((None, 24)), keras.Input((7, 10))
    assert Encoder(**SIZES)(x).shape == (None, None, 24)
    output, weights = Decoder(**SIZES)(x, context, return_weights=True)
    assert output.shape == (None, None, 24)
    assert weights["1.self"].shape == (None, 4, None, None)
    assert weights["1.cross"].shape == (None, 4, None, 7)


@pytest.mark.parametrize(("kind", "jit_compile"), [(Encoder, False), (Decoder, True)])
def test_unknown_lengths_in_a_graph(kind, jit_compile):
    inputs, masks, stack = example(kind), masks_of(kind), shaken(kind, norm_first=True)
    signature = [[tf.TensorSpec((None, None, x.shape[-1])) for x in inputs], [tf.TensorSpec([None] * 4) for _ in masks]]
    call = tf.function(lambda x, m: stack(*x, **dict(zip(masks, m, strict=True))), signature, jit_compile=jit_compile)
    close(call(inputs, [tf.broadcast_to(m, (3, *m.shape[1:])) for m in masks.values()]), stack(*inputs, **masks))
    assert call.get_concrete_function().output_shapes.as_list() == [None, None, 24]


@pytest.mark.parametrize(("kind", "policy"), [(Encoder, "mixed_float16"), (Decoder, "float32")])
def test_trains_with_fit(kind, policy):
    keras.utils.set_random_seed(0)
    model = masked_model(kind, dtype=policy)
    say = keras.layers.Dense(1, dtype="float32")(model.output["output"])
    model = keras.Model(model.inputs, say)
    model.compile(keras.optimizers.SGD(0.1), "mse")
    before = [w.numpy() for w in model.trainable_variables]
    ids = IDS if kind is Encoder else [IDS, CONTEXT_IDS]
    history = model.fit(ids, np.ones((3, 5, 1)), epochs=2, verbose=0)
    assert np.all(np.isfinite(history.history["loss"]))
    changed = {w.path for w, old in zip(model.trainable_variables, before, strict=True) if np.any(w.numpy() != old)}
    # the bias of the keys moves all scores of a row alike, so the softmax does not see it
    assert all("project_keys/bias" in w.path for w in model.trainable_variables if w.path not in changed)


def test_nested_lists_come_in():
    for kind in KINDS:
        stack, inputs = shaken(kind), example(kind)
        listed = [x.tolist() for x in inputs]
        np.testing.assert_array_equal(stack(*listed, mask=[[0, 0, 0, 0, 1]]), stack(*inputs, mask=[0, 0, 0, 0, 1]))


# Refusals


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"num_layers": 0}, ValueError, "num_layers=0"),
        ({"num_layers": -1}, ValueError, "num_layers=-1"),
        ({"num_layers": 1.0}, TypeError, "num_layers=1.0"),
        ({"num_layers": True}, TypeError, "num_layers=True"),
        ({"num_layers": None}, TypeError, "num_layers=None"),
        ({"num_heads": 5}, ValueError, "num_heads must divide d_model.*num_heads=5"),
        ({"d_ff": 0}, ValueError, "d_ff=0"),
        ({"norm_first": "yes"}, TypeError, "norm_first='yes'"),
        ({"epsilon": 0}, ValueError, "epsilon=0"),
        ({"activation": "bend"}, ValueError, "activation='bend'"),
    ],
)
def test_bad_options_are_refused_in_words(kind, options, error, words):
    with pytest.raises(error, match=words):
        kind(**{**SIZES, **options})


@pytest.mark.parametrize("kind", KINDS)
def test_bad_inputs_are_refused_in_words(kind):
    (x, *context), stack = example(kind), shaken(kind)
    with pytest.raises(ValueError, match=r"must be d_model.*x.shape=\(3, 5, 23\)"):
        stack(x[..., 1:], *context)
    with pytest.raises(ValueError, match="convert_mask"):
        stack(x, *context, mask=np.full((5, 5), -1e9))
    with pytest.raises(TypeError, match=r"x\.dtype=int64"):
        stack(x.astype(int), *context)
    with pytest.raises(TypeError, match=r"context=None|x=None"):
        stack(*[x][: len(context)], None)

"""Heads: nothing is mixed, the layer is Keras's own on the same weights, and every refusal."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from compare import close
from samples import IDS, random_tensors, saved_and_loaded, shake

from clear_attention import (
    AlibiBias,
    MultiHeadAttention,
    RotaryPositions,
    attention_by_hand,
    combine_masks,
    create_look_ahead_mask,
    create_padding_mask,
    merge_heads,
    scaled_dot_product_attention,
    split_heads,
    weights_from_keras,
)
from clear_attention.heads.steps import blocked_by_keras

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
# all options, away from their defaults: the laws of test_layer_contract.py hold with them, and ask for new ones here
OPTIONS = {"d_k": 6, "d_v": 5, "dropout": 0.25, "use_bias": False, "blockwise": False, "softcap": 3.0}
OPTIONS |= {"num_key_value_heads": 1, "sink": True, "position_bias": AlibiBias(name="bias")}
OPTIONS |= {"rotary": RotaryPositions(base=100.0, name="turns"), "window": 4, "first_keys": 1}


def example(dtype="float32", queries=5, keys=7, depth=12, depths=(None, None)):
    sizes = (3, queries, depth), (3, keys, depths[0] or depth), (3, keys, depths[1] or depth)
    return random_tensors(*sizes, dtype=dtype)


# split_heads and merge_heads


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
@pytest.mark.parametrize("heads", [1, 2, 3, 6])
def test_split_then_merge_is_the_same_to_the_bit(leading, heads):
    x = np.random.default_rng(0).normal(size=(*leading, 5, 6))
    split = split_heads(x, heads)
    assert split.shape == (*leading, heads, 5, 6 // heads)
    np.testing.assert_array_equal(merge_heads(split), x)


def test_head_0_gets_the_first_channels_of_every_token():
    x = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    split = split_heads(x, 2)
    for head in range(2):
        np.testing.assert_array_equal(split[:, head], x[:, :, 2 * head : 2 * head + 2])


def test_split_and_merge_keep_dtypes():
    for dtype in (tf.int32, tf.float16, tf.bfloat16, tf.float64, tf.bool):
        x = tf.cast(tf.ones((1, 2, 4)), dtype)
        assert split_heads(x, 2).dtype == merge_heads(split_heads(x, 2)).dtype == dtype


@pytest.mark.parametrize("jit_compile", [False, True])
def test_split_and_merge_in_a_graph_with_unknown_lengths(jit_compile):
    signature = [tf.TensorSpec((None, None, 6))]
    there_and_back = tf.function(lambda x: merge_heads(split_heads(x, 3)), signature, jit_compile=jit_compile)
    x = np.random.default_rng(0).normal(size=(2, 5, 6)).astype("float32")
    np.testing.assert_array_equal(there_and_back(x), x)
    assert there_and_back.get_concrete_function().output_shapes.as_list() == [None, None, 6]


# The layer, by its parts and by hand


def test_is_project_split_attend_merge_project():
    q, k, v = example()
    layer = MultiHeadAttention(d_model=10, num_heads=2, d_k=3, d_v=4)
    mask = create_look_ahead_mask(5, 7)
    output, weights = layer(q, k, v, mask=mask, return_weights=True)
    assert output.shape == (3, 5, 10)
    assert weights.shape == (3, 2, 5, 7)
    parts = [layer.project_queries, layer.project_keys, layer.project_values]
    projected = [x @ np.asarray(p.kernel) + np.asarray(p.bias) for x, p in zip((q, k, v), parts, strict=True)]
    heads = []
    for head in range(2):
        cut = [x[1, :, head * d : (head + 1) * d].tolist() for x, d in zip(projected, (3, 3, 4), strict=True)]
        by_hand, by_hand_weights = attention_by_hand(*cut, mask.numpy().tolist())
        close(weights[1, head], by_hand_weights)
        heads.append(by_hand)
    expected = np.concatenate(heads, axis=-1) @ np.asarray(layer.project_output.kernel)
    close(output[1], expected + np.asarray(layer.project_output.bias), 1e-5)


def test_keys_default_to_queries_and_values_to_keys():
    q, k, _ = example()
    layer = MultiHeadAttention(12, 3)
    np.testing.assert_array_equal(layer(q), layer(q, q, q))
    np.testing.assert_array_equal(layer(q, k), layer(q, k, k))
    assert layer.count_params() == 4 * (12 * 12 + 12)
    bare = MultiHeadAttention(12, 3, use_bias=False)
    bare(q)
    assert bare.count_params() == 4 * 12 * 12


def test_asking_for_weights_never_changes_the_output():
    q, k, v = example()
    for training in (False, True):
        keras.utils.set_random_seed(0)
        layer = MultiHeadAttention(12, 3, dropout=0.5)
        layer(q, k, v)
        layer.seeds.state.assign([1, 2])
        plain = layer(q, k, v, training=training)
        layer.seeds.state.assign([1, 2])
        output, weights = layer(q, k, v, return_weights=True, training=training)
        np.testing.assert_array_equal(output, plain)
        close(tf.reduce_sum(weights, axis=-1), np.ones((3, 3, 5)))


def test_dropout_acts_only_in_training():
    q, k, v = example()
    layer = MultiHeadAttention(12, 3, dropout=0.5)
    np.testing.assert_array_equal(layer(q, k, v), layer(q, k, v, training=False))
    assert np.any(layer(q, k, v, training=True) != layer(q, k, v))
    assert np.any(layer(q, k, v, training=True) != layer(q, k, v, training=True))


def test_a_query_with_no_key_gives_the_bias_of_the_last_projection():
    q, k, v = example()
    layer = MultiHeadAttention(12, 3)
    mask = np.zeros((5, 7))
    mask[2] = 1
    layer(q, k, v)
    layer.project_output.bias.assign(np.arange(12))
    output, weights = layer(q, k, v, mask=mask, return_weights=True)
    assert np.all(weights[:, :, 2] == 0)
    np.testing.assert_array_equal(output[:, 2], np.tile(np.arange(12), (3, 1)))


@functools.cache
def step_over_padding(mode, implicit):
    """Return an input and a step of training with padding in it: one graph for all that the padding may hold."""
    x = example(keys=5)[0]
    layer = MultiHeadAttention(12, 3)
    layer(x)
    mask = create_padding_mask(IDS)
    real = tf.constant(IDS != 0)

    def step(filled):
        with tf.GradientTape() as tape:
            tape.watch(filled)
            if implicit:  # masked tokens are hidden as queries too
                output = layer(filled, queries_mask=real, keys_mask=real)
            else:
                output = layer(tf.constant(x), filled, mask=mask)
            loss = tf.reduce_sum(output**2)
        return output, tape.gradient(loss, [filled, *layer.trainable_variables])

    return x, real, MODES[mode](step)


@pytest.mark.parametrize("strange", [np.nan, np.inf, 1e10])
@pytest.mark.parametrize("mode", ["eager", "graph", "XLA"])
@pytest.mark.parametrize("implicit", [False, True])
def test_what_is_hidden_changes_no_output_and_no_gradient_of_any_weight(strange, mode, implicit):
    x, real, step = step_over_padding(mode, implicit)
    plain, spoiled = (step(tf.where(real[..., None], x, np.float32(filler))) for filler in (0.5, strange))
    np.testing.assert_array_equal(plain[0], spoiled[0])
    for before, after in zip(plain[1], spoiled[1], strict=True):
        assert np.all(np.isfinite(after))
        close(after, before)


def test_a_mask_that_is_just_true_hides_everything_nan_too():
    x = example(keys=5)[0]
    layer = MultiHeadAttention(12, 3)
    layer(x)
    bias = layer.project_output.bias
    bias.assign(np.arange(12))
    with tf.GradientTape() as tape:
        output = layer(x + np.nan, mask=True)
        loss = tf.reduce_sum(output**2)
    np.testing.assert_array_equal(output, np.broadcast_to(bias, (3, 5, 12)))
    assert all(np.all(np.isfinite(gradient)) for gradient in tape.gradient(loss, layer.trainable_variables))


def test_a_visible_nan_still_shows():
    x = example(keys=5)[0]
    layer = MultiHeadAttention(12, 3)
    x[0, 0, 0] = np.nan
    finite = np.isfinite(layer(x, mask=create_look_ahead_mask(5)))
    assert not finite[0].any()
    assert finite[1:].all()


# Keras: the same numbers


MASKS = {
    "none": None,
    "look-ahead": create_look_ahead_mask(5).numpy(),
    "padding": create_padding_mask(IDS).numpy(),
    "both": combine_masks(create_padding_mask(IDS), create_look_ahead_mask(5)).numpy(),
    "per head": (np.random.default_rng(0).random((3, 4, 5, 5)) < 0.3) * (1 - np.eye(5)),
}
MODES = {
    "eager": lambda f: f,
    "graph": tf.function,
    "XLA": lambda f: tf.function(f, jit_compile=True),
}


def pair(dtype, heads=4, d_k=3, d_v=None, use_bias=True, inputs=None):
    theirs = keras.layers.MultiHeadAttention(heads, d_k, d_v, use_bias=use_bias, dtype=dtype)
    shake(theirs, *(inputs[i] for i in (0, 2, 1)), scale=0.5)
    theirs._inverse_sqrt_key_dim = tf.constant(d_k**-0.5, tf.float64)  # Keras rounds it to float32
    ours = MultiHeadAttention(inputs[0].shape[-1], heads, d_k, d_v, use_bias=use_bias, dtype=dtype)
    return weights_from_keras(ours, theirs), theirs


def test_float64_is_exact_where_keras_rounds_its_scale_to_float32():
    inputs = example("float64", keys=5)
    ours, theirs = pair("float64", d_k=2, inputs=inputs)
    fresh = keras.layers.MultiHeadAttention(4, 2, dtype="float64")
    fresh(inputs[0], inputs[2], inputs[1])
    fresh.set_weights(theirs.get_weights())
    expected = np.asarray(theirs(inputs[0], inputs[2], inputs[1]))
    close(ours(*inputs), expected, 1e-12)
    assert np.max(np.abs(fresh(inputs[0], inputs[2], inputs[1]) - expected)) > 1e-10


def both_with_gradients(ours, theirs, inputs, mask, mode):
    """Return output, weights and the gradients of inputs and all parameters, of both layers, in the same layout."""
    q, k, v = map(tf.convert_to_tensor, inputs)
    allowed = None if mask is None else tf.constant(mask == 0)

    def run(layer, call):
        def step(q, k, v):
            with tf.GradientTape() as tape:
                tape.watch([q, k, v])
                output, weights = call(q, k, v)
                loss = tf.reduce_sum(tf.sin(output))
            return output, weights, tape.gradient(loss, [q, k, v, *layer.trainable_variables])

        return MODES[mode](step)(q, k, v)

    mine = run(ours, lambda q, k, v: ours(q, k, v, mask=mask, return_weights=True))
    yours = run(theirs, lambda q, k, v: theirs(q, v, k, attention_mask=allowed, return_attention_scores=True))
    names = [w.path.split("/")[-2:] for w in ours.trainable_variables]
    part = {"query": "queries", "key": "keys", "value": "values", "attention_output": "output"}
    by_name = {}
    for variable, gradient in zip(theirs.trainable_variables, yours[2][3:], strict=True):
        owner, kind = variable.path.split("/")[-2:]
        by_name[f"project_{part[owner]}", kind] = gradient
    ordered = [tf.reshape(by_name[tuple(n)], g.shape) for n, g in zip(names, mine[2][3:], strict=True)]
    return [*mine[:2], *mine[2]], [*yours[:2], *yours[2][:3], *ordered]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equals_keras_with_every_mask(kind, dtype, mode):
    inputs = example(dtype, keys=5)
    mine, yours = both_with_gradients(*pair(dtype, inputs=inputs), inputs, MASKS[kind], mode)
    largest = max(1.0, *(float(np.max(np.abs(b))) for b in yours))
    for a, b in zip(mine, yours, strict=True):
        close(a / largest, b / largest, 1e-6 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("heads", [1, 2, 3, 8])
@pytest.mark.parametrize("use_bias", [True, False])
def test_equals_keras_for_every_number_of_heads_and_free_depths(heads, use_bias):
    inputs = example("float64", queries=5, keys=7, depths=(10, 9))
    options = {"heads": heads, "d_k": 2, "d_v": 5, "use_bias": use_bias}
    mine, yours = both_with_gradients(*pair("float64", inputs=inputs, **options), inputs, None, "graph")
    for a, b in zip(mine, yours, strict=True):
        close(a, b, 1e-12)


# In Keras models


def masked_model(**options):
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(8, 12, mask_zero=True)(ids)
    return keras.Model(ids, [x, *MultiHeadAttention(12, 3, **options)(x, return_weights=True)])


def test_honours_the_masks_that_keras_attaches():
    model = masked_model()
    x, output, weights = model(IDS)
    real = IDS != 0
    hidden = np.broadcast_to((~real[:, None, None, :]) | (~real[:, None, :, None]), weights.shape)
    np.testing.assert_array_equal(np.asarray(weights) == 0, hidden)
    np.testing.assert_array_equal(output._keras_mask, real)
    explicit = model.layers[-1](np.asarray(x), mask=hidden)
    np.testing.assert_array_equal(output, explicit)


@keras.saving.register_keras_serializable(package="test_heads")
class Tagger(keras.Model):
    """A user's own model: embed with a mask, look back only, say one number for each token."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.embed = keras.layers.Embedding(8, 12, mask_zero=True)
        self.attend = MultiHeadAttention(12, 3, dropout=0.1)
        self.say = keras.layers.Dense(1)

    def call(self, ids):
        x = self.embed(ids)
        return self.say(self.attend(x, mask=create_look_ahead_mask(tf.shape(ids)[1])))


def test_trains_and_saves_inside_a_users_own_model(tmp_path):
    model = Tagger()
    model.compile("adam", "mse")
    losses = model.fit(IDS, np.ones((3, 5, 1)), epochs=3, verbose=0).history["loss"]
    assert np.all(np.isfinite(losses))
    np.testing.assert_array_equal(saved_and_loaded(model, tmp_path)(IDS), model(IDS))
    np.testing.assert_array_equal(model.attend(model.embed(IDS), mask=create_look_ahead_mask(5))._keras_mask, IDS != 0)


def test_nested_lists_come_in():
    x, k, _ = example(keys=5)
    layer = MultiHeadAttention(12, 3)
    np.testing.assert_array_equal(
        layer(x.tolist(), k.tolist(), mask=[[0, 0, 0, 0, 1]]), layer(x, k, mask=[0, 0, 0, 0, 1])
    )


def test_symbolic_shapes_are_the_real_ones():
    q, k, v = keras.Input((None, 12)), keras.Input((7, 10)), keras.Input((7, 9))
    output, weights = MultiHeadAttention(8, 2)(q, k, v, return_weights=True)
    assert output.shape == (None, None, 8)
    assert weights.shape == (None, 2, None, 7)


def test_saves_and_loads_bit_identically(tmp_path):
    model = masked_model(d_k=5, d_v=2, dropout=0.1, use_bias=False, name="look")
    loaded = saved_and_loaded(model, tmp_path)
    assert loaded.get_layer("look").get_config() == model.get_layer("look").get_config()
    for before, after in zip(model(IDS), loaded(IDS), strict=True):
        np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize("policy", ["float32", "float64", "mixed_float16", "mixed_bfloat16"])
def test_trains_with_fit_in_every_precision(policy):
    keras.utils.set_random_seed(0)
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(8, 12, mask_zero=True, dtype=policy)(ids)
    x = MultiHeadAttention(12, 3, dropout=0.1, dtype=policy)(x)
    model = keras.Model(ids, keras.layers.Dense(1, dtype="float32")(x))
    model.compile("adam", "mse")
    before = [w.numpy() for w in model.trainable_variables]
    history = model.fit(IDS, np.ones((3, 5, 1)), epochs=3, verbose=0)
    assert np.all(np.isfinite(history.history["loss"]))
    changed = {w.path for w, old in zip(model.trainable_variables, before, strict=True) if np.any(w.numpy() != old)}
    # the bias of the keys moves all scores of a row alike, so the softmax does not see it
    assert all("project_keys/bias" in w.path for w in model.trainable_variables if w.path not in changed)


def test_weights_under_16_bits_are_those_of_the_function():
    layer = MultiHeadAttention(12, 3, dtype="mixed_float16")
    q, k, v = example()
    output, weights = layer(q, k, v, return_weights=True)
    assert output.dtype == weights.dtype == tf.float16
    plain = scaled_dot_product_attention(*(tf.zeros((3, 3, 5, 4), tf.float16) for _ in range(3)))
    assert plain.output.dtype == tf.float16


# Refusals


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: split_heads(x, 5), ValueError, "must divide.*among 1, 2, 3, 4, 6, 12.*num_heads=5"),
        (lambda x: split_heads(x, 0), ValueError, "num_heads=0"),
        (lambda x: split_heads(x, 2.0), TypeError, "num_heads=2.0"),
        (lambda x: split_heads(x[0, 0], 2), ValueError, r"at least 2 axes.*x.shape=\(12,\)"),
        (lambda x: merge_heads(x[0]), ValueError, r"at least 3 axes.*x.shape=\(5, 12\)"),
        (lambda x: merge_heads("x"), TypeError, "x='x'"),
        (lambda x: MultiHeadAttention(12, 5), ValueError, "d_model when d_k is not given.*num_heads=5, d_model=12"),
        (lambda x: MultiHeadAttention(0, 1), ValueError, "d_model=0"),
        (lambda x: MultiHeadAttention(12, -2), ValueError, "num_heads=-2"),
        (lambda x: MultiHeadAttention(12, True), TypeError, "num_heads=True"),
        (lambda x: MultiHeadAttention(12, 3, d_k=0), ValueError, "d_k=0"),
        (lambda x: MultiHeadAttention(12, 3, d_v=1.5), TypeError, "d_v=1.5"),
        (lambda x: MultiHeadAttention(12, 3, dropout=1.0), ValueError, "dropout=1.0"),
        (lambda x: MultiHeadAttention(12, 3, dropout="half"), TypeError, "dropout='half'"),
        (lambda x: MultiHeadAttention(12, 3)(x.astype(int)), TypeError, "queries.dtype=int64"),
        (lambda x: MultiHeadAttention(12, 3)(x, mask=np.zeros((3, 5, 5)).tolist()), ValueError, "three axes"),
        (lambda x: MultiHeadAttention(12, 3)(None), TypeError, "queries=None"),
        (
            lambda x: MultiHeadAttention(12, 3)(x, x[:1]),
            ValueError,
            r"queries, keys and values.*keys.shape=\(1, 5, 12\)",
        ),
        (lambda x: MultiHeadAttention(12, 3)(x, return_weights="x"), TypeError, "return_weights='x'"),
        (lambda x: MultiHeadAttention(12, 3, use_bias="yes"), TypeError, "use_bias='yes'"),
        (lambda x: MultiHeadAttention(12, 3)(x[0]), ValueError, r"\(batch, length, 12\)"),
        (
            lambda x: MultiHeadAttention(12, 3)(x, x, x[:, :3]),
            ValueError,
            r"each key comes with one value.*values.shape=\(3, 3, 12\)",
        ),
        (lambda x: MultiHeadAttention(12, 3)(x, mask=np.zeros((3, 5, 5))), ValueError, r"three axes.*mask\[:, None\]"),
        (lambda x: MultiHeadAttention(12, 3)(x, mask=np.zeros((3, 5))), ValueError, r"reshape it to \(3, 1, 1, 5\)"),
        (lambda x: MultiHeadAttention(12, 3)(x, mask=np.zeros((3, 2, 5, 5))), ValueError, r"\(3, 3, 5, 5\)"),
        (lambda x: MultiHeadAttention(12, 3)(x, mask=np.full((5, 5), -1e9)), ValueError, "convert_mask"),
    ],
)
def test_bad_input_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call(example()[0])


def test_an_input_of_another_depth_than_the_built_one_is_refused():
    layer = MultiHeadAttention(12, 3)
    q, k, v = example()
    layer(q, k, v)
    for i, name in enumerate(["queries", "keys", "values"]):
        inputs = [q, k, v]
        inputs[i] = inputs[i][..., :8]
        with pytest.raises(ValueError, match=rf"{name} of shape \(batch, length, 12\).*{name}.shape=\(3, ., 8\)"):
            layer(*inputs)


def test_a_token_is_blocked_if_its_key_or_its_value_was_masked():
    keys, values = tf.constant([[True, True, False]]), tf.constant([[True, False, True]])
    np.testing.assert_array_equal(blocked_by_keras(keys, values), [[False, True, True]])
    np.testing.assert_array_equal(blocked_by_keras(keys, None), [[False, False, True]])
    np.testing.assert_array_equal(blocked_by_keras(None, values), [[False, True, False]])
    assert blocked_by_keras(None, None) is None

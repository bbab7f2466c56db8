"""Blocks: numbers by pencil, the parts of Keras on the same weights, what is hidden or visible, and every refusal."""

import re

import keras
import numpy as np
import pytest
import tensorflow as tf
from compare import close, hidden_changes_nothing
from samples import CONTEXT_IDS, CONTEXT_REAL, IDS, REAL, random_tensors, saved_and_loaded, shake

from clear_attention import (
    CrossAttentionBlock,
    FeedForwardBlock,
    SelfAttentionBlock,
    combine_masks,
    create_look_ahead_mask,
    create_padding_mask,
)
from clear_attention._nonfinite import Tokens

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
SIZES = {
    SelfAttentionBlock: {"d_model": 12, "num_heads": 2},
    CrossAttentionBlock: {"d_model": 12, "num_heads": 2},
    FeedForwardBlock: {"d_model": 12, "d_ff": 13},
}
MASKS = {
    SelfAttentionBlock: combine_masks(create_padding_mask(IDS), create_look_ahead_mask(5)),
    CrossAttentionBlock: combine_masks(create_padding_mask(CONTEXT_IDS), create_look_ahead_mask(5, 7)[::-1]),
}
LENGTHS = {SelfAttentionBlock: 5, CrossAttentionBlock: 7}  # of the keys
MASKED = {kind: {"mask": MASKS[kind]} if kind in MASKS else {} for kind in SIZES}
X_SHAPE, CROSS = (None, None, 12), [CrossAttentionBlock]
ALL = pytest.mark.parametrize("kind", SIZES)
ATTENTION = pytest.mark.parametrize("kind", MASKS)
NORM_FIRST = pytest.mark.parametrize("norm_first", [False, True])


def example(kind):
    """Return what a block is called with: x, and for cross-attention a context of its own length and depth."""
    x, context = random_tensors((3, 5, 12), (3, 7, 11))
    return [x, context] if kind is CrossAttentionBlock else [x]


def shaken(kind, **options):
    """Make a block in which no weight is what it was initialised to: no bias 0, no scale 1."""
    return shake(kind(**{**SIZES[kind], **options}), *example(kind))


def run(block, *inputs, **options):
    """Return output and weights; a feed-forward block has none."""
    return block(*inputs, **options, return_weights=True) if type(block) in MASKS else (block(*inputs, **options), None)


# Tokens


def test_tokens_keep_nan_to_themselves_and_out_of_the_gradient_of_the_weights():
    w, x = tf.Variable([[2.0], [3.0]]), tf.constant([[1.0, 1.0], [np.nan, 1.0], [1.0, -np.inf], [0.0, 2.0]])
    with tf.GradientTape() as tape:
        tokens = Tokens.of(x)
        y = tokens.marked(tokens.finite @ w)
        loss = tf.reduce_sum(tf.where([[True], [False], [False], [True]], y, 0.0))
    np.testing.assert_array_equal(y, [[5], [np.nan], [np.nan], [6]])
    np.testing.assert_array_equal(tape.gradient(loss, w), [[1], [3]])
    for dtype in (tf.float16, tf.bfloat16, tf.float64):
        tokens = Tokens.of(tf.cast(x, dtype))
        assert tokens.marked(tf.sin(tokens.finite)).dtype == dtype


def test_a_tensor_that_is_given_twice_is_looked_at_once():
    x, y = tf.ones((2, 3)), tf.ones((2, 3))
    queries, keys, values = Tokens.of_each(x, x, y)
    assert queries is keys
    assert values is not keys


# By pencil: a norm of [5, 3] with epsilon 3 is [1, -1] / sqrt(1 + 3) = [0.5, -0.5]


def by_pencil(kind, size, *inputs, gamma=(1, 1), beta=(0, 0), **options):
    """Make a block of depth 2 in which attention is the mean of what is visible, since queries are 0."""
    block = kind(2, size, **options)
    block(*inputs)
    if kind is FeedForwardBlock:
        block.widen.set_weights([np.eye(2), np.array([1, -4])])
        block.narrow.set_weights([2 * np.eye(2), np.array([0, 1])])
    else:
        block.attention.set_weights([np.eye(2), np.zeros(2)] * 4)
        block.attention.project_queries.kernel.assign(np.zeros((2, 2)))
    block.norm.set_weights([np.array(gamma), np.array(beta)])
    return block


def test_feed_forward_by_pencil():
    x, options = [[[1.0, 3.0]]], {"gamma": (2, 4), "beta": (1, 0)}
    # relu([2, -1]) = [2, 0]; twice that plus [0, 1] plus x is [5, 4]; its norm with epsilon 0.75: [0.5, -0.5]
    close(by_pencil(FeedForwardBlock, 2, x, epsilon=0.75, **options)(x), [[[2, -2]]])
    # norm: [-0.5, 0.5] * [2, 4] + [1, 0] = [0, 2]; relu([1, -2]) = [1, 0]; then [2, 1]; plus x
    close(by_pencil(FeedForwardBlock, 2, x, epsilon=3, norm_first=True, **options)(x), [[[3, 4]]])


def test_self_attention_by_pencil():
    x, later = [[[1.0, 3.0], [5.0, 3.0]]], [[0, 1], [0, 0]]
    # token 0 sees itself: [2, 6], token 1 both: [5, 3] + [3, 3]; their norms: [-2, 2] / 4 and [1, -1] / sqrt(1 + 12)
    output, weights = by_pencil(SelfAttentionBlock, 1, x, epsilon=12)(x, mask=later, return_weights=True)
    close(output, [[[-0.5, 0.5], [1 / 13**0.5, -1 / 13**0.5]]])
    close(weights, [[[[1, 0], [0.5, 0.5]]]])
    # the norms are [-0.5, 0.5] and [0.5, -0.5]: token 0 adds its own, token 1 the mean, which is 0
    first = by_pencil(SelfAttentionBlock, 1, x, epsilon=3, norm_first=True)
    close(first(x, mask=later), [[[0.5, 3.5], [5, 3]]])


def test_cross_attention_by_pencil_does_not_norm_the_context():
    x, context = [[[1.0, 3.0]]], [[[10.0, 20.0], [30.0, 60.0]]]
    first = by_pencil(CrossAttentionBlock, 1, x, context, norm_first=True)
    close(first(x, context), [[[21, 43]]])  # the mean, [20, 40], plus x
    close(first(x, context, mask=[[0, 1]]), [[[11, 23]]])
    post = by_pencil(CrossAttentionBlock, 1, x, context, epsilon=28)
    close(post(x, context, mask=[[0, 1]]), [[[-0.75, 0.75]]])  # of [11, 23]: 6 / sqrt(36 + 28)


# Keras: the same numbers from its own layers


def by_keras(block, norm_first, dropout=0.0, activation="relu", epsilon=1e-6):
    """Write a block out in keras.layers with the weights of ours: a function, its dropout and pairs of variables."""
    pairs, drop = [], keras.layers.Dropout(dropout)

    def copy(theirs, variables, *shapes):
        theirs.build(*shapes)
        for mine, yours in zip(variables, theirs.trainable_variables, strict=True):
            yours.assign(tf.reshape(mine, yours.shape))
            pairs.append((mine, yours))
        return theirs

    norm = copy(keras.layers.LayerNormalization(epsilon=epsilon), block.norm.weights, X_SHAPE)
    if isinstance(block, FeedForwardBlock):
        theirs = keras.Sequential([keras.layers.Dense(13, activation), keras.layers.Dense(12)])
        ffn = copy(theirs, block.widen.weights + block.narrow.weights, X_SHAPE)
    else:
        shapes = [X_SHAPE] + [(None, None, 11) if type(block) in CROSS else X_SHAPE] * 2
        attention = copy(keras.layers.MultiHeadAttention(2, 6), block.attention.trainable_variables, *shapes)

    def sublayer(x, *context, mask=None):
        if isinstance(block, FeedForwardBlock):
            return ffn(x), None
        keys, allowed = context[0] if context else x, None if mask is None else tf.equal(mask, 0)
        return attention(x, keys, keys, attention_mask=allowed, return_attention_scores=True)

    def call(x, *context, training=None, **mask):
        output, weights = sublayer(norm(x) if norm_first else x, *context, **mask)
        output = x + drop(output, training=training)
        return output if norm_first else norm(output), weights

    return call, drop, pairs


OPTIONS = [{}, {"epsilon": 0.3}, {"dropout": 0.5}]
CASES = [(kind, options, masked) for kind in MASKS for options in OPTIONS for masked in (False, True)]
CASES += [(FeedForwardBlock, options, False) for options in [*OPTIONS, {"activation": "gelu"}]]


@pytest.mark.parametrize(("kind", "options", "masked"), CASES)
@NORM_FIRST
def test_equals_the_layers_of_keras_with_their_gradients(kind, norm_first, options, masked):
    block = shaken(kind, norm_first=norm_first, **options)
    reference, drop, pairs = by_keras(block, norm_first, **options)
    assert sorted(id(ours) for ours, _ in pairs) == sorted(map(id, block.trainable_variables))
    inputs, results = list(map(tf.constant, example(kind))), []
    calls = ((lambda *x, **m: run(block, *x, **m), block.drop), (reference, drop))
    for (call, dropout), variables in zip(calls, zip(*pairs, strict=True), strict=True):
        if block.dropout:
            dropout.seed_generator.state.assign([1, 2])
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            output, weights = call(*inputs, training="dropout" in options, **(MASKED[kind] if masked else {}))
            loss = tf.reduce_sum(tf.sin(output))
        gradients = tape.gradient(loss, [*inputs, *variables])
        results.append([output, *([] if weights is None else [weights]), *gradients])
    for ours, theirs in zip(*results, strict=True):
        close(tf.reshape(ours, theirs.shape), theirs, 1e-5)


# Masks


@ATTENTION
def test_the_mask_blocks_and_asking_for_weights_never_changes_the_output(kind):
    inputs, block = example(kind), shaken(kind)
    output, weights = block(*inputs, mask=MASKS[kind], return_weights=True)
    hidden = np.broadcast_to(MASKS[kind] == 1, (3, 2, 5, LENGTHS[kind]))
    np.testing.assert_array_equal(np.asarray(weights) == 0, hidden)
    close(np.sum(weights, axis=-1), np.ones((3, 2, 5)))
    np.testing.assert_array_equal(block(*inputs, mask=MASKS[kind]), output)
    close(block(*inputs), block(*inputs, mask=np.zeros((5, LENGTHS[kind]))))


@NORM_FIRST
@ATTENTION
def test_a_query_with_no_key_adds_the_bias_of_the_last_projection(kind, norm_first):
    inputs, block = example(kind), shaken(kind, norm_first=norm_first)
    with tf.GradientTape() as tape:
        output, weights = block(*inputs, mask=np.eye(5)[[2]].T * np.ones(LENGTHS[kind]), return_weights=True)
        loss = tf.reduce_sum(tf.sin(output[:, 2]))
    assert np.all(weights[:, :, 2] == 0)
    expected = inputs[0] + block.attention.project_output.bias
    close(output[:, 2], (expected if norm_first else block.norm(expected))[:, 2])
    projections = [block.attention.project_queries, block.attention.project_keys, block.attention.project_values]
    gradients = tape.gradient(loss, [p.kernel for p in projections] + [block.attention.project_output.bias])
    assert all(np.all(g == 0) for g in gradients[:3])
    assert np.all(np.isfinite(gradients[3]))


@pytest.mark.parametrize(("policy", "norm_first"), [("float32", True), ("mixed_float16", False)])
@ALL
def test_honours_the_masks_that_keras_attaches_and_hands_on_that_of_x(kind, policy, norm_first):
    embed = [keras.layers.Embedding(8, depth, "normal", mask_zero=True) for depth in (12, 11)]
    vectors = [e(ids) for e, ids, _ in zip(embed, (IDS, CONTEXT_IDS), example(kind), strict=False)]
    block, explicit = kind(**SIZES[kind], norm_first=norm_first, dtype=policy), {}
    output, weights = run(block, *vectors)
    if kind in MASKS:
        columns = CONTEXT_REAL if kind is CrossAttentionBlock else REAL
        hidden = np.broadcast_to(~REAL[:, None, :, None] | ~columns[:, None, None, :], weights.shape)
        np.testing.assert_array_equal(np.asarray(weights) == 0, hidden)
        both = block(*vectors, mask=MASKS[kind], return_weights=True).weights
        np.testing.assert_array_equal(np.asarray(both) == 0, hidden | (MASKS[kind] == 1))
        explicit = {"mask": hidden}
    plain = block(*(tf.constant(v.numpy()) for v in vectors), **explicit)
    np.testing.assert_array_equal(output, plain)
    np.testing.assert_array_equal(output._keras_mask, REAL)
    assert getattr(plain, "_keras_mask", None) is None


@pytest.mark.parametrize("implicit", [False, True])
@ALL
def test_hidden_nan_changes_no_real_token_and_no_gradient(kind, implicit):
    block = shaken(kind, norm_first=implicit)  # both places of the norm
    hidden_changes_nothing(block, example(kind), (REAL, CONTEXT_REAL), None if implicit else MASKED[kind])


@NORM_FIRST
@ALL
def test_a_visible_nan_shows_where_it_is_seen_and_nowhere_else(kind, norm_first):
    inputs, block = example(kind), shaken(kind, norm_first=norm_first)
    inputs[-1][0, 1, 3] = np.nan
    finite = np.isfinite(run(block, *inputs, **({"mask": np.eye(5, LENGTHS[kind])} if kind in MASKS else {}))[0])
    sees = {
        SelfAttentionBlock: [1, 1, 1, 1, 1],
        CrossAttentionBlock: [1, 0, 1, 1, 1],
        FeedForwardBlock: [0, 1, 0, 0, 0],
    }
    np.testing.assert_array_equal(finite[0], np.tile(np.equal(sees[kind], 0)[:, None], (1, 12)))
    assert finite[1:].all()


# Laws


@ALL
def test_tokens_come_in_any_order_and_sentences_do_not_meet(kind):
    (x, *context), block, order = example(kind), shaken(kind), [3, 0, 4, 1, 2]
    expected = block(x, *context)
    close(block(x[:, order], *context), np.asarray(expected)[:, order], 1e-5)
    if kind is not SelfAttentionBlock:  # tokens of x don't meet, and those of the context come in any order
        close(block(x[:, :2], *(c[:, ::-1] for c in context)), expected[:, :2], 1e-5)
    x[0] += 1
    np.testing.assert_array_equal(block(x, *context)[1:], expected[1:])


@ALL
def test_dropout_acts_only_in_training_and_follows_the_seed(kind):
    inputs, seen = example(kind), []
    for _ in range(2):
        keras.utils.set_random_seed(3)
        block = shaken(kind, dropout=0.5)
        seen.append([block(*inputs, training=True) for _ in range(2)])
    np.testing.assert_array_equal(*seen)
    assert np.any(seen[0][0] != seen[0][1])
    np.testing.assert_array_equal(block(*inputs), shaken(kind)(*inputs))


@pytest.mark.parametrize("jit_compile", [False, True])
@ALL
def test_lists_arrays_graphs_of_unknown_length_and_xla_agree(kind, jit_compile):
    inputs, block = example(kind), shaken(kind)
    signature = [tf.TensorSpec((None, None, x.shape[-1])) for x in inputs]
    expected = block(*inputs, **MASKED[kind])
    graph = tf.function(lambda *x: block(*x, **MASKED[kind]), signature, jit_compile=jit_compile)
    close(graph(*inputs), expected, 2e-6)
    lists = {name: mask.numpy().tolist() for name, mask in MASKED[kind].items()}
    np.testing.assert_array_equal(block(*(x.tolist() for x in inputs), **lists), expected)


@pytest.mark.parametrize("policy", ["float16", "mixed_float16", "bfloat16", "mixed_bfloat16", "float64"])
@ALL
def test_computes_in_the_dtype_of_its_policy(kind, policy):
    block, dtype = shaken(kind, dtype=policy), policy.removeprefix("mixed_")
    output, weights = run(block, *example(kind), **MASKED[kind])
    assert {output.dtype.name, (output if weights is None else weights).dtype.name} == {dtype}
    assert {v.dtype for v in block.weights} == {"float32" if "mixed" in policy else dtype}
    tolerance = {"float64": 1e-5, "float16": 2e-2, "bfloat16": 0.15}[dtype]
    close(output, shaken(kind)(*example(kind), **MASKED[kind]), tolerance)


@ALL
def test_saves_and_loads_bit_identically_with_the_same_config(kind, tmp_path):
    options = {"dropout": 0.2, "norm_first": True, "epsilon": 1e-5}
    options |= {"activation": "gelu"} if kind is FeedForwardBlock else {}
    block, inputs = shaken(kind, **options), [keras.Input((None, x.shape[-1])) for x in example(kind)]
    assert {**block.get_config(), **SIZES[kind], **options} == block.get_config()
    model = keras.Model(inputs, block(*inputs))
    loaded = saved_and_loaded(model, tmp_path)
    assert loaded.layers[-1].get_config() == kind.from_config(block.get_config()).get_config() == block.get_config()
    np.testing.assert_array_equal(loaded(list(example(kind))), block(*example(kind)))


# Refusals


@ALL
def test_bad_options_are_refused_in_words(kind):
    bad = {"d_model": [0], "num_heads": [5, -1], "d_ff": [0], "dropout": [-0.1, 1.0], "epsilon": [0.0, np.nan]}
    bad_types = {"d_model": [12.0], "num_heads": [True], "d_ff": [None], "dropout": ["half"], "norm_first": ["yes", 1]}
    for error, table in ((ValueError, {**bad, "activation": ["bend"]}), (TypeError, {**bad_types, "epsilon": ["1"]})):
        for name, value in [(name, value) for name, values in table.items() for value in values]:
            if name in kind(**SIZES[kind]).get_config():
                with pytest.raises(error, match=re.escape(f"{name}={value!r}")):
                    kind(**{**SIZES[kind], name: value})


@pytest.mark.parametrize(
    ("kinds", "call", "error", "words"),
    [
        (SIZES, lambda b, x, *c: b(x[..., 1:], *c), ValueError, r"must be d_model.*12\).*x.shape=\(3, 5, 11\)"),
        (SIZES, lambda b, x, *c: b(x[0], *c), ValueError, r"one row of tokens.*x.shape=\(5, 12\)"),
        (SIZES, lambda b, x, *c: b(x.astype(int), *c), TypeError, r"floating-point.*x\.dtype=int64"),
        (MASKS, lambda b, *x: b(*x, mask=np.full((5, 1), -1e9)), ValueError, "convert_mask"),
        (MASKS, lambda b, *x: b(*x, mask=np.zeros((3, 5, 1))), ValueError, r"three axes.*mask\[:, None\]"),
        (MASKS, lambda b, *x: b(*x, mask=np.zeros((5, 3))), ValueError, r"to \(3, 2, 5, [57]\).*mask.shape=\(5, 3\)"),
        (MASKS, lambda b, *x: b(*x, mask="later"), TypeError, "mask must be a tensor.*mask='later'"),
        (CROSS, lambda b, x, c: b(x, None), TypeError, "context=None"),
        (CROSS, lambda b, x, c: b(x, c[..., 1:]), ValueError, r"built with.*11\).*context.shape=\(3, 7, 10\)"),
        (CROSS, lambda b, x, c: b(x, c[0]), ValueError, r"context.shape=\(7, 11\)"),
        (
            CROSS,
            lambda b, x, c: b(x, c[:2]),
            ValueError,
            r"same number of sentences.*batch of 3.*context.shape=\(2, 7, 11\)",
        ),
        (CROSS, lambda b, x, c: b(x, c[:, :0]), ValueError, "at least one key"),
        (CROSS, lambda b, x, c: b(x, c.astype(int)), TypeError, r"context\.dtype=int64"),
    ],
)
def test_bad_calls_are_refused_in_words(kinds, call, error, words):
    for kind in kinds:
        with pytest.raises(error, match=words):
            call(shaken(kind), *example(kind))


@pytest.mark.parametrize("loaded", [False, True])
def test_a_functional_model_keeps_the_mask_that_it_is_given(loaded, tmp_path):
    given, hides = keras.Input((4, 8)), keras.Input((1, 1, 4))
    model = keras.Model([given, hides], SelfAttentionBlock(8, 2)(given, mask=hides))
    model = saved_and_loaded(model, tmp_path) if loaded else model
    block = next(layer for layer in model.layers if isinstance(layer, SelfAttentionBlock))
    x, mask = random_tensors((2, 4, 8))[0], np.array([0, 1, 0, 0, 0, 0, 1, 1], "float32").reshape(2, 1, 1, 4)
    found, seen = np.array(model([x, mask])), np.array(block(x, mask=mask))
    close(found, seen, 1e-6)
    assert np.max(np.abs(seen - block(x))) > 1e-3

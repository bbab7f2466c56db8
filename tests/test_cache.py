"""The cache: a text in pieces gets the numbers of one call, whatever is masked, padded or strange, in every layer."""

import functools
import itertools

import keras
import numpy as np
import pytest
import tensorflow as tf
from layer_contract import D_FF, D, close
from samples import saved_and_loaded, shake

from clear_attention import (
    ContextCache,
    CrossAttentionBlock,
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    KeyValueCache,
    MultiHeadAttention,
    SelfAttentionBlock,
    combine_masks,
    create_look_ahead_mask,
    create_padding_mask,
    create_window_mask,
    scaled_dot_product_attention,
)

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
LENGTH = 7
PIECES = [(7,), (3, 4), (1,) * 7, (2, 1, 4), (5, 1, 1)]
IDS = np.array([[0, 0, 3, 4, 5, 6, 7], [0, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7]])  # padded on the left
SELF = {
    "attention": lambda **options: MultiHeadAttention(D, 2, d_k=3, d_v=5, **options),
    "block": lambda **options: SelfAttentionBlock(D, 2, norm_first=True, **options),
    "layer": lambda **options: EncoderLayer(D, 2, D_FF, **options),
    "encoder": lambda **options: Encoder(2, D, 2, D_FF, norm_first=True, **options),
}
CROSS = {
    "layer": lambda **options: DecoderLayer(D, 2, D_FF, **options),
    "decoder": lambda **options: Decoder(2, D, 2, D_FF, norm_first=True, **options),
}
MASKS = {
    "causal": {"causal": True},
    "look-ahead": {"mask": create_look_ahead_mask(LENGTH)},
    "window": {"mask": combine_masks(create_window_mask(LENGTH, 3), create_look_ahead_mask(LENGTH))},
    "left padding": {"mask": create_padding_mask(IDS), "causal": True},
    "window and padding": {
        "mask": combine_masks(create_padding_mask(IDS), create_window_mask(LENGTH, 4)),
        "causal": True,
    },
}


def tokens(length=LENGTH, dtype="float32", seed=0):
    return np.random.default_rng(seed).normal(size=(3, length, D)).astype(dtype)


def rows(options, first, last):
    """Return the options of a piece: its rows of the mask, over all places of the cache."""
    mask = options.get("mask")
    if mask is None or mask.shape[-2] == 1:
        return options
    return {**options, "mask": mask[..., first:last, :]}


def in_pieces(layer, pieces, x, *context, cache, **options):
    outputs, first = [], 0
    for length in pieces:
        last = first + length
        output, cache = layer(x[:, first:last], *context, cache=cache, **rows(options, first, last))
        outputs.append(output)
        first = last
    return np.array(tf.concat(outputs, axis=1)), cache


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-6), ("float64", 1e-12)])
@pytest.mark.parametrize("masked", MASKS)
@pytest.mark.parametrize("kind", SELF)
def test_a_text_in_pieces_gets_the_numbers_of_one_call(kind, masked, dtype, tolerance):
    x = tokens(dtype=dtype)
    layer = shake(SELF[kind](dtype=dtype), x)
    expected = np.array(layer(x, **MASKS[masked]))
    for pieces in PIECES:
        found, _ = in_pieces(layer, pieces, x, cache=layer.create_cache(3, LENGTH), **MASKS[masked])
        close(found, expected, tolerance * max(1, np.abs(expected).max()))


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-6), ("float64", 1e-12)])
@pytest.mark.parametrize("masked", MASKS)
@pytest.mark.parametrize("kind", CROSS)
def test_so_it_is_with_a_context(kind, masked, dtype, tolerance):
    x, context = tokens(dtype=dtype), tokens(5, dtype, seed=2)
    layer = shake(CROSS[kind](dtype=dtype), x, context)
    options = {**MASKS[masked], "cross_mask": create_padding_mask([[1, 1, 0, 0, 0], [0, 1, 1, 1, 1], [1] * 5])}
    expected = np.array(layer(x, context, **options))
    for pieces in PIECES:
        found, _ = in_pieces(layer, pieces, x, context, cache=layer.create_cache(context, LENGTH), **options)
        close(found, expected, tolerance * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("kind", SELF)
def test_weights_of_a_piece_are_rows_of_the_weights_of_one_call(kind):
    x = tokens()
    layer = shake(SELF[kind](), x)
    expected = layer(x, causal=True, return_weights=True).weights
    _, cache = layer(x[:, :4], causal=True, cache=layer.create_cache(3, LENGTH))
    (_, weights), _ = layer(x[:, 4:], causal=True, cache=cache, return_weights=True)
    keras.tree.map_structure(lambda one, all_: close(one, all_[..., 4:, :], 1e-6), weights, expected)


def test_masks_that_keras_attached_are_remembered():
    embed = keras.layers.Embedding(9, D, mask_zero=True)
    layer = EncoderLayer(D, 2, D_FF)
    expected = layer(embed(IDS), causal=True)
    real = IDS != 0
    cache, outputs = layer.create_cache(3, LENGTH), []
    for ids in np.split(IDS, [3, 4], axis=1):
        output, cache = layer(embed(ids), causal=True, cache=cache)
        outputs.append(output)
    close(np.concatenate(outputs, axis=1)[real], np.array(expected)[real], 1e-6)
    np.testing.assert_array_equal(cache.blocked, ~real)


def test_a_longer_cache_than_the_text_changes_nothing():
    x = tokens()
    layer = shake(EncoderLayer(D, 2, D_FF), x)
    short, _ = in_pieces(layer, (3, 4), x, cache=layer.create_cache(3, LENGTH), causal=True)
    long, cache = in_pieces(layer, (3, 4), x, cache=layer.create_cache(3, 20), causal=True)
    close(long, short, 1e-6)
    assert cache.length == LENGTH
    np.testing.assert_array_equal(cache.blocked[:, LENGTH:], True)
    np.testing.assert_array_equal(cache.keys[:, :, LENGTH:], 0)


@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf, 3e38])
def test_a_hidden_strange_token_changes_nothing_and_a_visible_one_shows(strange):
    x = tokens()
    layer = shake(MultiHeadAttention(D, 2), x)
    bad = x.copy()
    bad[:, 1] = strange
    mask = combine_masks(create_look_ahead_mask(LENGTH), np.eye(LENGTH)[1] * np.arange(LENGTH)[:, None].clip(0, 4) // 4)
    hidden = np.arange(LENGTH) >= 4  # from query 4 on nobody sees token 1
    expected = np.array(layer(x, mask=mask))
    for pieces in PIECES:
        found, _ = in_pieces(layer, pieces, bad, cache=layer.create_cache(3, LENGTH), mask=mask)
        close(found[:, 0], expected[:, 0], 1e-6)
        close(found[:, hidden], expected[:, hidden], 1e-6)
        assert strange == 3e38 or not np.isfinite(found[:, 1:4]).any()


def test_weights_of_a_query_that_sees_a_strange_token_are_nan_where_it_looks():
    x = tokens()
    layer = shake(MultiHeadAttention(D, 2), x)
    x[0, 1] = np.nan
    _, cache = layer(x[:, :3], causal=True, cache=layer.create_cache(3, 5))
    (_, weights), _ = layer(x[:, 3:4], causal=True, cache=cache, return_weights=True)
    assert np.isnan(weights[0, :, 0, :4]).all()
    np.testing.assert_array_equal(weights[0, :, 0, 4:], 0)
    assert np.isfinite(weights[1:]).all()


@pytest.mark.parametrize("jit_compile", [False, True])
def test_a_loop_in_a_graph_gives_the_same(jit_compile):
    x = tokens()
    layer = shake(Encoder(2, D, 2, D_FF), x)

    @tf.function(jit_compile=jit_compile)
    def run(x):
        def step(i, cache, outputs):
            output, cache = layer(tf.gather(x, [i], axis=1), causal=True, cache=cache)
            return i + 1, cache, outputs.write(i, output[:, 0])

        outputs = tf.TensorArray(tf.float32, LENGTH, element_shape=(3, D))
        _, _, outputs = tf.while_loop(lambda i, *_: i < LENGTH, step, (0, layer.create_cache(3, LENGTH), outputs))
        return tf.transpose(outputs.stack(), (1, 0, 2))

    close(run(x), layer(x, causal=True), 1e-6)


def test_one_trace_serves_pieces_of_all_lengths():
    x = tokens()
    layer = shake(EncoderLayer(D, 2, D_FF), x)
    expected, empty = layer(x, causal=True), layer.create_cache(3, LENGTH)
    specs = [tf.TensorSpec(c.shape, c.dtype) for c in empty]
    run = tf.function(
        lambda x, cache: layer(x, causal=True, cache=cache), [tf.TensorSpec((3, None, D)), KeyValueCache(*specs)]
    )
    for pieces in PIECES:
        cache, outputs = empty, []
        for first, last in itertools.pairwise(np.cumsum([0, *pieces])):
            output, cache = run(tf.constant(x[:, first:last]), cache)
            outputs.append(output)
        close(np.concatenate(outputs, axis=1), expected, 1e-6)
    assert run.experimental_get_tracing_count() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="room for as many tokens"):
        run(tf.constant(x[:, :1]), cache)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_mixed_precision_keeps_16_bits(policy):
    x = tokens()
    layer = shake(EncoderLayer(D, 2, D_FF, dtype=policy), x)
    cache = layer.create_cache(3, LENGTH)
    found, cache = in_pieces(layer, (3, 4), x, cache=cache, causal=True)
    assert cache.keys.dtype == layer.compute_dtype
    close(found.astype("float32"), np.array(layer(x, causal=True), "float32"), 0.1)


def test_a_context_is_projected_once():
    x, context = tokens(), tokens(5, seed=2)
    block = shake(CrossAttentionBlock(D, 2), x, context)
    expected = block(x, context)
    cache = block.create_cache(context)
    assert isinstance(cache, ContextCache)
    calls = []
    project, block.attention.project_keys.call = block.attention.project_keys.call, lambda x: calls.append(x)
    output, again = block(x, context, cache=cache)
    assert not calls
    block.attention.project_keys.call = project
    close(output, expected, 1e-6)
    np.testing.assert_array_equal(again.keys, cache.keys)


class Turned(MultiHeadAttention):
    """Turn queries and keys by their positions, as rotary positions do."""

    def at_positions(self, heads, start):
        angles = tf.cast(start + tf.range(tf.shape(heads)[2]), heads.dtype)[:, tf.newaxis]
        x, y = tf.split(heads, 2, axis=-1)
        return tf.concat([x * tf.cos(angles) - y * tf.sin(angles), x * tf.sin(angles) + y * tf.cos(angles)], axis=-1)


def test_heads_can_be_turned_by_their_positions_and_the_cache_keeps_them_turned():
    x = tokens()
    layer, plain = shake(Turned(D, 2), x), shake(MultiHeadAttention(D, 2), x)
    expected = np.array(layer(x, causal=True))
    assert np.abs(expected - plain(x, causal=True)).max() > 0.01
    for pieces in PIECES:
        found, _ = in_pieces(layer, pieces, x, cache=layer.create_cache(3, LENGTH), causal=True)
        close(found, expected, 1e-6)


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("piece", [1, 2])
def test_a_piece_that_returns_weights_says_what_one_call_says_of_nan(piece, graph):
    """Token 1 is NaN: as a query of its own piece, and as a key that later pieces find in the cache."""
    x = tokens()
    layer = shake(MultiHeadAttention(D, 2), x)
    x[0, 1] = np.nan
    whole, cache = layer(x, causal=True, return_weights=True), layer.create_cache(3, LENGTH)
    call = functools.partial(layer, causal=True, return_weights=True)
    call = tf.function(call) if graph else call
    for first in range(0, LENGTH - 1, piece):
        part = slice(first, first + piece)
        (output, weights), cache = call(tf.constant(x[:, part]), cache=cache)
        close(output, whole.output[:, part], 1e-6)
        close(weights, whole.weights[:, :, part], 1e-6)


@pytest.mark.parametrize("return_weights", [False, True])
def test_a_strange_token_at_the_end_of_a_kept_context_shows_to_all_who_see_it(return_weights):
    x, context = tokens(), tokens(5, seed=2)
    layer = shake(MultiHeadAttention(D, 2), x, context)
    context[0, 4] = x[1, 2] = np.nan
    found, _ = layer(x, context, cache=layer.create_context_cache(context), return_weights=return_weights)
    expected = layer(x, context, return_weights=return_weights)
    for one, other in zip(*([y] if not return_weights else y for y in (found, expected)), strict=True):
        close(one, other, 1e-6)
    assert np.isnan(found[0] if not return_weights else found.output[0]).all()


def test_keys_and_values_of_a_context_are_equally_many():
    layer = shake(MultiHeadAttention(D, 2), tokens(), tokens(5))
    with pytest.raises(ValueError, match="keys and values must hold the same number of tokens"):
        layer.create_context_cache(tokens(5), tokens(4))


@pytest.mark.parametrize("blockwise", [False, True])
def test_the_step_attend_sees_everything_unless_it_is_told(blockwise):
    q, k, v = np.random.default_rng(3).normal(size=(3, 2, 2, 5, 4))
    layer = MultiHeadAttention(8, 2, blockwise=blockwise)
    output, weights = layer.attend(q, k, v)
    expected = scaled_dot_product_attention(q, k, v)
    close(output, expected.output, 1e-12)
    assert (weights is None) == blockwise


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_weights_of_a_query_that_is_nan_itself_are_nan_only_where_it_looks(dtype, jit_compile):
    x = tokens(dtype=dtype)
    layer = shake(MultiHeadAttention(D, 2, dtype=dtype), x)
    x[0, 1] = np.nan
    run = tf.function(
        lambda x: layer(x, causal=True, return_weights=True, cache=layer.create_cache(3, LENGTH))[0].weights,
        jit_compile=jit_compile,
    )
    np.testing.assert_array_equal(np.isnan(run(x)), np.isnan(layer(x, causal=True, return_weights=True).weights))


def test_causal_means_the_same_with_a_context_and_with_its_cache():
    x, context = tokens(), tokens(5, seed=2)
    layer = shake(MultiHeadAttention(D, 2), x, context)
    output, _ = layer(x, context, causal=True, cache=layer.create_context_cache(context))
    close(output, layer(x, context, causal=True), 1e-6)


def test_a_mask_on_the_context_counts_when_the_cache_is_used_too():
    x, ids = tokens(), np.array([[3, 4, 0], [5, 0, 0], [1, 2, 3]])
    context = keras.layers.Embedding(9, D, mask_zero=True)(ids)
    layer = shake(CrossAttentionBlock(D, 2), x, context)
    expected = layer(x, context)
    for made_of in (context, np.array(context)):
        output, _ = layer(x, context, cache=layer.create_cache(made_of))
        close(output, expected, 1e-6)


def test_a_functional_model_with_a_cache_saves_and_loads(tmp_path):
    x = tokens()
    layer = shake(EncoderLayer(D, 2, D_FF), x)
    empty = layer.create_cache(3, LENGTH)
    inputs = keras.Input(batch_shape=(3, LENGTH, D))
    past = KeyValueCache(*(keras.Input(batch_shape=c.shape, dtype=c.dtype.name) for c in empty))
    output, _ = layer(inputs, causal=True, cache=past)
    model = keras.Model([inputs, *past], output)
    loaded = saved_and_loaded(model, tmp_path)
    close(loaded([tf.constant(x), *empty]), layer(x, causal=True), 1e-6)


def test_what_is_too_long_for_a_cache_of_unknown_capacity_is_refused_in_a_graph():
    x = tokens()
    layer = shake(MultiHeadAttention(D, 2), x)
    run = tf.function(lambda x, n: layer(x, causal=True, cache=layer.create_cache(3, n))[0])
    close(run(x, tf.constant(LENGTH)), layer(x, causal=True), 1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError, match="room for as many tokens"):
        run(x, tf.constant(5))


def test_a_graph_of_unknown_length_takes_a_cache_that_was_made_outside():
    x = tokens()
    layer = shake(MultiHeadAttention(D, 2), x)
    cache = layer.create_cache(3, LENGTH)
    run = tf.function(lambda x: layer(x, causal=True, cache=cache)[0], [tf.TensorSpec((3, None, D))])
    close(run(x), layer(x, causal=True), 1e-6)


def test_by_blocks_a_strange_token_shows_too():
    x = tokens()
    layer = shake(MultiHeadAttention(D, 2, blockwise=True), x)
    x[0, 1] = np.nan
    output, _ = layer(x, causal=True, cache=layer.create_cache(3, LENGTH))
    np.testing.assert_array_equal(np.isnan(output), np.isnan(layer(x, causal=True)))


def test_caches_of_other_layers_are_refused_in_words():
    x, context = tokens(), tokens(5, seed=2)
    cross, decoder = shake(CrossAttentionBlock(D, 2), x, context), shake(DecoderLayer(D, 2, D_FF), x, context)
    encoder, block = shake(Encoder(2, D, 2, D_FF), x), shake(SelfAttentionBlock(D, 2), x)
    with pytest.raises(TypeError, match=r"a KeyValueCache.*cache=ContextCache"):
        block(x, cache=cross.create_cache(context))
    with pytest.raises(TypeError, match=r"a ContextCache.*cache=KeyValueCache"):
        cross(x, context, cache=block.create_cache(3, LENGTH))
    for bad in (block.create_cache(3, LENGTH), {"0": block.create_cache(3, LENGTH)}, True):
        with pytest.raises(TypeError, match="a dict of 0, 1"):
            encoder(x, cache=bad)
    with pytest.raises(TypeError, match="a dict of self, cross"):
        decoder(x, context, cache=block.create_cache(3, LENGTH))
    with pytest.raises(ValueError, match=r"a context of 5 tokens.*Received: 7 tokens"):
        decoder(x, x, cache=decoder.create_cache(context, LENGTH))
    with pytest.raises(ValueError, match="a column for each of its places"):
        block(x[:, :1], mask=create_padding_mask(IDS[:, :1]), cache=block.create_cache(3, LENGTH))
    listed = decoder.create_cache(context.tolist(), LENGTH)
    close(decoder(x, context, cache=listed)[0], decoder(x, context), 1e-6)


def test_refusals():
    x = tokens()
    layer = shake(EncoderLayer(D, 2, D_FF), x)
    cache = layer.create_cache(3, 5)
    with pytest.raises(ValueError, match=r"room.*Received: 0 kept tokens and 7 more"):
        layer(x, cache=cache)
    _, cache = layer(x[:, :4], cache=cache)
    with pytest.raises(ValueError, match=r"room.*Received: 4 kept tokens and 2 more"):
        layer(x[:, :2], cache=cache)
    with pytest.raises(ValueError, match=r"keys of a cache.*\(3, 2, capacity, 4\).*cache.keys.shape=\(2, 2, 5, 4\)"):
        layer(x, cache=layer.create_cache(2, 5))
    with pytest.raises(ValueError, match=r"keys of a cache.*cache.keys.shape=\(3, 4, 5, 2\)"):
        layer(x, cache=SelfAttentionBlock(D, 4).create_cache(3, 5))
    with pytest.raises(TypeError, match=r"A cache is what create_cache.*cache=int"):
        layer(x, cache=3)
    with pytest.raises(ValueError, match="at least one token"):
        layer(x[:, :0], cache=cache)
    with pytest.raises(ValueError, match="capacity is a size"):
        layer.create_cache(3, 0)
    with pytest.raises(ValueError, match="no weights before it is built"):
        CrossAttentionBlock(D, 2).create_cache(x)


@pytest.mark.parametrize("name", ["keys", "values"])
def test_0_is_kept_for_what_is_not_finite_and_that_it_was_so(name):
    rng = np.random.default_rng(9)
    given = {"keys": rng.normal(size=(1, 2, 3, 4)), "values": rng.normal(size=(1, 2, 3, 5))}
    given[name][0, 1, 2, 3] = np.nan
    kept = ContextCache.of(tf.constant(given["keys"]), tf.constant(given["values"]), None)
    np.testing.assert_array_equal(kept.strange, [[False, False, True]])
    assert getattr(kept, name)[0, 1, 2, 3] == 0
    for key, array in given.items():
        np.testing.assert_array_equal(getattr(kept, key), np.nan_to_num(array))


def test_nothing_strange_is_kept_before_something_is_kept():
    cache = MultiHeadAttention(8, 2).create_cache(batch=2, capacity=3)
    assert not cache.strange.numpy().any()
    assert cache.blocked.numpy().all()

"""Positions as turns: the formula, shifts that change nothing, layouts, longer texts, caches and padding."""

import math

import keras
import numpy as np
import pytest
import tensorflow as tf

from clear_attention import Encoder, MultiHeadAttention, RotaryPositions, convert_rotary

LAYOUTS = ("halves", "interleaved")

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def turned_by_hand(x, position, layout, base=10000.0):
    """Turn the channels of one token, pair by pair."""
    d, out = len(x), np.empty(len(x))
    for i in range(d // 2):
        a, b = (i, i + d // 2) if layout == "halves" else (2 * i, 2 * i + 1)
        angle = position * base ** (-2 * i / d)
        out[a] = x[a] * math.cos(angle) - x[b] * math.sin(angle)
        out[b] = x[a] * math.sin(angle) + x[b] * math.cos(angle)
    return out


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_pair_of_channels_turns_at_its_own_speed(layout):
    x = np.random.default_rng(0).normal(size=(2, 3, 4, 8))
    positions = [0, 1, 5, 4000]
    found = RotaryPositions(layout)(x, positions)
    for b, h, i in np.ndindex(2, 3, 4):
        np.testing.assert_allclose(found[b, h, i], turned_by_hand(x[b, h, i], positions[i], layout), atol=1e-12)


@pytest.mark.parametrize(("dtype", "bound"), [("float64", 1e-12), ("float32", 1e-6)])
@pytest.mark.parametrize("shift", [1, 100, 10_000])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_uniform_shift_changes_no_score(layout, shift, dtype, bound):
    """Angles are computed in float64, so that in float32 the bound is a few roundings, however far the shift."""
    q, k = np.random.default_rng(1).normal(size=(2, 1, 2, 9, 32)).astype(dtype)
    rotary, places = RotaryPositions(layout), np.arange(9)

    def scores(start):
        return tf.matmul(rotary(q, places + start), rotary(k, places + start), transpose_b=True).numpy()

    size = np.linalg.norm(q, axis=-1)[..., :, None] * np.linalg.norm(k, axis=-1)[..., None, :]
    assert np.max(np.abs(scores(shift) - scores(0)) / size) < bound
    assert np.max(np.abs(scores(0) - q @ np.swapaxes(k, -1, -2))) > 0.1  # positions do count


def speeds(d=8, **options):
    return RotaryPositions(**options).speeds(d)


def test_longer_texts_turn_more_slowly_as_the_papers_say():
    plain = 10000.0 ** (-np.arange(4) / 4)
    np.testing.assert_allclose(speeds(), plain)
    np.testing.assert_allclose(speeds(scaling="interpolation", factor=4), plain / 4)
    ntk = speeds(scaling="ntk", factor=4)
    np.testing.assert_allclose(ntk, (10000 * 4 ** (8 / 6)) ** (-np.arange(4) / 4))
    np.testing.assert_allclose(
        [ntk[0], ntk[-1]], [plain[0], plain[-1] / 4]
    )  # the quickest stays, the slowest is 4 times as slow

    parts = speeds(scaling="by_parts", factor=8, original_length=8192, fast=4, slow=1, base=500000.0, d=128)
    plain = 500000.0 ** (-np.arange(64) / 64)
    for i, turns in enumerate(8192 * plain / (2 * math.pi)):
        kept = 1 if turns > 4 else 0 if turns < 1 else (turns - 1) / 3
        np.testing.assert_allclose(parts[i], (1 - kept) * plain[i] / 8 + kept * plain[i])
    assert parts[0] == plain[0]
    assert parts[-1] == plain[-1] / 8


def test_yarn_goes_over_from_hand_to_hand():
    rotary = RotaryPositions(scaling="yarn", factor=16, original_length=4096)
    found, plain = rotary.speeds(128), 10000.0 ** (-np.arange(64) / 64)
    # hands that turn 32 times and once in 4096 tokens: 20.95 and 45.03, rounded outwards
    ramp = np.clip((np.arange(64) - 20) / (46 - 20), 0, 1)
    np.testing.assert_allclose(found, plain * (1 - ramp) + plain / 16 * ramp)
    assert rotary.size == pytest.approx(0.1 * math.log(16) + 1)
    x = np.random.default_rng(2).normal(size=(1, 1, 3, 128))
    longer = np.linalg.norm(rotary(x, [0, 1, 2]), axis=-1) / np.linalg.norm(x, axis=-1)
    np.testing.assert_allclose(longer, rotary.size, rtol=1e-5)


def test_two_channels_are_one_hand_which_ntk_leaves_alone():
    np.testing.assert_array_equal(speeds(d=2, scaling="ntk", factor=4), [1.0])


@pytest.mark.parametrize(
    ("length", "first", "last"),
    [
        (64, 0, 2),  # the hand that turns 32 times would be number -0.49
        (6, 0, 0),  # all hands are slow: only the first one is kept
        (10**9, 6, 7),  # the hand that turns once would be number 8.2
    ],
)
def test_yarn_goes_over_within_the_hands_that_there_are(length, first, last):
    found = speeds(scaling="yarn", factor=16, original_length=length)
    plain, hands = 10000.0 ** (-np.arange(4) / 4), np.arange(4)
    ramp = np.clip((hands - first) / (last - first), 0, 1) if last > first else np.minimum(hands - first, 1)
    np.testing.assert_allclose(found, plain * (1 - ramp) + plain / 16 * ramp, rtol=1e-12)


def test_yarn_goes_over_to_no_hand_behind_the_last_channel():
    """The hands that turn 32 times and once would be number 1.99 and 11.99, of 4 in 8 channels."""
    found = speeds(base=4.0, scaling="yarn", factor=16, original_length=400)
    plain, ramp = 4.0 ** (-np.arange(4) / 4), np.clip((np.arange(4) - 1) / (7 - 1), 0, 1)
    np.testing.assert_allclose(found, plain * (1 - ramp) + plain / 16 * ramp, rtol=1e-12)


def test_what_is_not_said_is_what_the_papers_say():
    config = RotaryPositions().get_config()
    expected = {"base": 10000.0, "fast": 32.0, "slow": 1.0, "factor": 1.0, "scaling": None, "channels": None}
    assert {name: config[name] for name in expected} == expected


def test_the_base_is_above_1():
    assert RotaryPositions(base=1.5).speeds(4)[1] == pytest.approx(1.5**-0.5)
    with pytest.raises(ValueError, match="base"):
        RotaryPositions(base=1.0)


def test_masks_that_keras_attached_go_through():
    x = keras.layers.Embedding(5, 8, mask_zero=True)(np.array([[3, 4, 0]]))
    np.testing.assert_array_equal(RotaryPositions()(x, [0, 1, 2])._keras_mask, [[True, True, False]])


@pytest.mark.parametrize("channels", [None, 4])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_weights_in_the_other_layout_give_the_same_numbers(groups, channels):
    x = np.random.default_rng(3).normal(size=(2, 6, 32))
    options = {"num_key_value_heads": groups, "dtype": "float64"}
    layers = [
        MultiHeadAttention(32, 4, rotary=RotaryPositions(layout, channels=channels), **options) for layout in LAYOUTS
    ]
    for layer in layers:
        layer.build(x.shape)
    weights = {w.path.partition("/")[2]: np.random.default_rng(4).normal(size=w.shape) for w in layers[0].weights}
    for w in layers[0].weights:
        w.assign(weights[w.path.partition("/")[2]])
    for w in layers[1].weights:
        value = weights[w.path.partition("/")[2]]
        heads = {"project_queries": 4, "project_keys": groups}.get(w.path.split("/")[1])
        w.assign(value if heads is None else convert_rotary(value, heads, "halves", "interleaved", channels))
    np.testing.assert_allclose(layers[0](x), layers[1](x), atol=1e-12)
    there = convert_rotary(weights["project_queries/kernel"], 4, "halves", "interleaved", channels)
    back = convert_rotary(there, 4, "interleaved", "halves", channels)
    np.testing.assert_array_equal(back, weights["project_queries/kernel"])
    assert not np.array_equal(there, back)


@pytest.mark.parametrize("options", [{}, {"num_key_value_heads": 1, "sink": True, "softcap": 2.0}, {"blockwise": True}])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_pieces_with_a_cache_get_the_numbers_of_the_whole(layout, options):
    x = np.random.default_rng(5).normal(size=(2, 7, 16))
    layer = MultiHeadAttention(16, 4, rotary=RotaryPositions(layout), dtype="float64", **options)
    expected = layer(x, causal=True)
    cache, pieces = layer.create_cache(2, 8), []
    for first, last in ((0, 3), (3, 4), (4, 7)):
        piece, cache = layer(x[:, first:last], causal=True, cache=cache)
        pieces.append(piece)
    np.testing.assert_allclose(np.concatenate(pieces, axis=1), expected, atol=1e-12)


def test_padding_on_the_left_changes_no_real_token_if_positions_say_so():
    rng = np.random.default_rng(6)
    x, junk = rng.normal(size=(1, 4, 16)), rng.normal(size=(1, 3, 16))
    encoder = Encoder(2, 16, 4, 24, self_attention={"rotary": RotaryPositions()}, dtype="float64")
    expected = encoder(x, causal=True)
    padded = np.concatenate([junk, x], axis=1)
    mask = np.array([1, 1, 1, 0, 0, 0, 0])[None, None, None]
    positions = np.maximum(np.arange(7) - 3, 0)
    found = encoder(padded, mask=mask, causal=True, positions=positions)
    np.testing.assert_allclose(found[:, 3:], expected, atol=1e-12)
    np.testing.assert_allclose(encoder(padded, mask=mask, causal=True)[:, 3:], expected, atol=1e-12)  # a uniform shift


def test_positions_of_each_text_and_of_all_are_the_same_if_they_are_equal():
    x = np.random.default_rng(7).normal(size=(2, 5, 16))
    layer = MultiHeadAttention(16, 2, rotary=RotaryPositions(), dtype="float64")
    places = np.array([3, 4, 9, 10, 30])
    np.testing.assert_array_equal(layer(x, positions=places), layer(x, positions=np.tile(places, (2, 1))))
    other = layer(x, positions=np.stack([places, places * 2]))
    assert np.array_equal(other[0], layer(x, positions=places)[0])
    assert not np.allclose(other[1], layer(x, positions=places)[1])


def test_fewer_queries_stand_at_the_end():
    x = np.random.default_rng(8).normal(size=(1, 6, 16))
    layer = MultiHeadAttention(16, 2, rotary=RotaryPositions(), dtype="float64")
    whole = layer(x, causal=True)
    np.testing.assert_allclose(layer(x[:, 4:], x, x, causal=True), whole[:, 4:], atol=1e-12)


def test_fewer_queries_stand_at_the_last_of_the_positions_that_were_given():
    x = np.random.default_rng(12).normal(size=(2, 6, 16))
    layer = MultiHeadAttention(16, 2, rotary=RotaryPositions(), dtype="float64")
    for places in (np.array([0, 2, 3, 7, 8, 20]), np.array([[0, 2, 3, 7, 8, 20], [5, 6, 7, 9, 11, 12]])):
        whole = layer(x, causal=True, positions=places)
        found = layer(x[:, 4:], x, x, causal=True, positions=places)
        np.testing.assert_allclose(found, whole[:, 4:], atol=1e-12)


@pytest.mark.parametrize("pieces", [(6,), (2, 4), (1,) * 6])
def test_a_cache_keeps_tokens_where_they_were_said_to_stand(pieces):
    x = np.random.default_rng(12).normal(size=(2, 6, 16))
    layer = MultiHeadAttention(16, 2, rotary=RotaryPositions(), dtype="float64")
    places = np.array([0, 2, 3, 7, 8, 20])
    whole, cache, first = layer(x, causal=True, positions=places), layer.create_cache(2, 6), 0
    for length in pieces:
        part = slice(first, first + length)
        found, cache = layer(x[:, part], causal=True, cache=cache, positions=places[part])
        np.testing.assert_allclose(found, whole[:, part], atol=1e-12)
        first += length


def test_values_are_not_turned():
    x = np.random.default_rng(9).normal(size=(1, 4, 8))
    layer = MultiHeadAttention(8, 1, rotary=RotaryPositions(), dtype="float64")
    only_itself = 1 - np.eye(4)
    plain = MultiHeadAttention(8, 1, dtype="float64")
    plain.build(x.shape)
    layer.build(x.shape)
    plain.set_weights(layer.get_weights())
    np.testing.assert_allclose(layer(x, mask=only_itself), plain(x, mask=only_itself), atol=1e-12)


def test_sixteen_bits_and_xla_and_files(tmp_path):
    x = np.random.default_rng(10).normal(size=(2, 5, 16)).astype("float32")
    layer = MultiHeadAttention(
        16, 4, rotary=RotaryPositions("interleaved", scaling="yarn", factor=2, original_length=64)
    )
    expected = layer(x)
    compiled = tf.function(layer, jit_compile=True)(tf.constant(x))
    np.testing.assert_allclose(compiled, expected, atol=1e-6)
    inputs = keras.Input((None, 16))
    model = keras.Model(inputs, layer(inputs))
    model.save(tmp_path / "model.keras")
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "model.keras")(x), model(x))
    half = RotaryPositions()(tf.cast(x[:, None], "bfloat16"), np.arange(5) + 1000)
    exact = RotaryPositions()(x[:, None], np.arange(5) + 1000)
    assert half.dtype == tf.bfloat16
    assert np.max(np.abs(tf.cast(half, "float32") - exact)) < 0.03


def test_a_nan_stays_in_its_token_and_out_of_shared_gradients():
    x = np.random.default_rng(11).normal(size=(1, 4, 16)).astype("float32")
    x[0, 3] = np.nan
    layer = MultiHeadAttention(16, 2, rotary=RotaryPositions())
    mask = np.array([0, 0, 0, 1])
    with tf.GradientTape() as tape:
        output = layer(x, mask=mask)[:, :3]
    assert np.isfinite(output).all()
    assert all(np.isfinite(g).all() for g in tape.gradient(output, [w.value for w in layer.trainable_weights]))


def test_positions_do_not_reach_cross_attention():
    from clear_attention import CrossAttentionBlock

    with pytest.raises(ValueError, match="cross_attention"):
        CrossAttentionBlock(8, 2, cross_attention={"rotary": RotaryPositions()})
    layer = MultiHeadAttention(8, 2, rotary=RotaryPositions())
    layer.build((None, None, 8))
    with pytest.raises(ValueError, match="one sequence"):
        layer.create_context_cache(np.ones((1, 3, 8)))

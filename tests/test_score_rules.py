"""What goes into the scores beside queries and keys: by hand, in its order, under masks, in 16 bits; shared heads."""

import numpy as np
import pytest
import tensorflow as tf

from clear_attention import (
    DistanceBias,
    Encoder,
    MultiHeadAttention,
    RotaryPositions,
    attention_by_hand,
    blockwise_attention,
    create_document_mask,
    create_document_positions,
    create_look_ahead_mask,
    create_window_mask,
    scaled_dot_product_attention,
)

RULES = [
    {"bias": True},
    {"softcap": 1.5},
    {"sink": 0.7},
    {"bias": True, "softcap": 0.8, "sink": -1.0},
]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("masked", [False, True])
def test_the_function_is_the_definition(rules, masked):
    rng = np.random.default_rng(0)
    q, k, v, bias = (rng.normal(size=size) for size in ((4, 3), (5, 3), (5, 2), (4, 5)))
    mask = (rng.random((4, 5)) < 0.4).astype(int) if masked else None
    if masked:
        mask[2] = 1  # a query with no key left
    given = {**rules, "bias": bias} if "bias" in rules else dict(rules)
    lists = {**given, "bias": bias.tolist()} if "bias" in rules else given
    expected = attention_by_hand(q.tolist(), k.tolist(), v.tolist(), None if mask is None else mask.tolist(), **lists)
    given |= {"sink": np.float64(given["sink"])} if "sink" in given else {}
    output, weights = scaled_dot_product_attention(q, k, v, mask, **given)
    np.testing.assert_allclose(weights, expected[1], atol=1e-14)
    np.testing.assert_allclose(output, expected[0], atol=1e-14)


def test_the_order_is_scale_cap_bias_mask_sink_softmax():
    """Each step moved before or after its neighbour gives other numbers."""
    q, k, v = np.array([[4.0, 0.0]]), np.array([[3.0, 1.0], [1.0, 2.0], [0.5, 9.0]]), np.eye(3)
    bias, mask, cap, sink = np.array([[0.5, -3.0, 7.0]]), np.array([[0, 0, 1]]), 2.0, np.float64(0.3)
    scores = cap * np.tanh(q @ k.T / np.sqrt(2) / cap) + bias
    powers = np.exp(np.where(mask == 1, -np.inf, scores))
    expected = powers / (powers.sum() + np.exp(sink))
    weights = scaled_dot_product_attention(q, k, v, mask, bias=bias, softcap=cap, sink=sink).weights
    np.testing.assert_allclose(weights, expected, atol=1e-15)
    assert weights[0, 2] == 0
    others = [
        cap * np.tanh(q @ k.T / cap) / np.sqrt(2) + bias,  # capped before it is scaled
        cap * np.tanh((q @ k.T / np.sqrt(2) + bias) / cap),  # capped after the bias
    ]
    for other in others:
        powers = np.exp(np.where(mask == 1, -np.inf, other))
        assert np.abs(powers / (powers.sum() + np.exp(sink)) - expected).max() > 0.01


def test_a_sink_takes_what_an_empty_query_has():
    x = np.random.default_rng(1).normal(size=(2, 3, 4))
    mask = np.array([[0, 1, 1], [1, 1, 1], [0, 0, 0]])
    with tf.GradientTape() as tape:
        sink = tf.Variable(0.5, dtype="float64")
        result = scaled_dot_product_attention(x, x, x, mask, sink=sink)
        taken = 1 - tf.reduce_sum(result.weights, axis=-1)
        total = tf.reduce_sum(result.output[:, 1])
    assert not np.any(result.weights[:, 1])
    assert not np.any(result.output[:, 1])
    np.testing.assert_allclose(taken[:, 1], 1)
    assert np.all(taken.numpy()[:, [0, 2]] < 1)
    assert tape.gradient(total, sink) == 0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_type_that_goes_in_comes_out(dtype):
    q, k, v = np.random.default_rng(2).normal(size=(3, 1, 2, 4, 8))
    rules = {
        "bias": np.random.default_rng(3).normal(size=(2, 4, 4)).astype("float32"),
        "softcap": 3.0,
        "sink": np.float32(1),
    }
    exact = scaled_dot_product_attention(q, k, v, **rules)
    cast = [tf.cast(x, dtype) for x in (q, k, v)]
    output, weights = scaled_dot_product_attention(*cast, **rules)
    assert output.dtype == weights.dtype == dtype
    atol = {"float16": 5e-3, "bfloat16": 5e-2}.get(dtype, 1e-6)
    np.testing.assert_allclose(tf.cast(output, "float64"), exact.output, atol=atol)
    blocks = blockwise_attention(*cast, **rules, block_size=3)
    assert blocks.dtype == dtype
    np.testing.assert_allclose(tf.cast(blocks, "float64"), exact.output, atol=atol)


@pytest.mark.parametrize("function", [scaled_dot_product_attention, blockwise_attention])
@pytest.mark.parametrize("strange", [np.nan, np.inf])
def test_a_strange_number_in_a_bias_or_a_sink_shows_where_it_is_seen(function, strange):
    rng = np.random.default_rng(6)
    q, k, v = rng.normal(size=(3, 1, 2, 4, 3))
    mask = create_look_ahead_mask(4)
    bias, sink = rng.normal(size=(2, 4, 4)), rng.normal(size=(2, 1, 1))
    bias[0, 2, 1] = bias[1, 0, 3] = strange  # seen by query 2 of head 0; hidden from query 0 of head 1
    rows = output_of(function(q, k, v, mask, bias=bias))
    expected = np.zeros((1, 2, 4), bool)
    expected[0, 0, 2] = True
    np.testing.assert_array_equal(np.isnan(rows).any(-1), expected)
    np.testing.assert_array_equal(np.isnan(rows).all(-1), expected)
    sink[1] = strange
    rows = output_of(function(q, k, v, mask, sink=sink))
    np.testing.assert_array_equal(np.isnan(rows).all(-1), np.broadcast_to([[[False], [True]]], (1, 2, 4)))
    assert np.isfinite(rows[:, 0]).all()


@pytest.mark.parametrize("function", [scaled_dot_product_attention, blockwise_attention])
def test_a_bias_by_distance_and_shared_heads_need_no_batch(function):
    rng = np.random.default_rng(7)
    q, k, v = rng.normal(size=(4, 3, 2)), rng.normal(size=(2, 5, 2)), rng.normal(size=(2, 5, 2))
    distances = DistanceBias(rng.normal(size=(4, 7)))
    found = output_of(function(q, k, v, bias=distances, grouped=True))
    whole, repeated = distances.between(3, 5), [np.repeat(x, 2, axis=0) for x in (k, v)]
    np.testing.assert_allclose(found, output_of(function(q, *repeated, bias=whole)), atol=1e-12)
    more = [np.stack([x, x + 1])[np.newaxis] for x in (q, k, v)]  # two axes before the heads
    found = output_of(function(*more, bias=distances, grouped=True))
    repeated = [np.repeat(x, 2, axis=2) for x in more[1:]]
    np.testing.assert_allclose(found, output_of(function(more[0], *repeated, bias=whole)), atol=1e-12)


def output_of(result):
    return np.asarray(result.output if hasattr(result, "output") else result)


@pytest.mark.parametrize("name", ["q", "k", "v", "bias", "sink"])
def test_gradients_are_finite_differences(name):
    rng = np.random.default_rng(4)
    given = {"q": rng.normal(size=(1, 4, 3, 2)), "k": rng.normal(size=(1, 2, 4, 2)), "v": rng.normal(size=(1, 2, 4, 2))}
    given |= {"bias": rng.normal(size=(4, 3, 4)), "sink": rng.normal(size=(4, 1, 1))}
    mask, upstream = create_look_ahead_mask(3, 4), rng.normal(size=(1, 4, 3, 2))

    def loss(**tensors):
        result = scaled_dot_product_attention(**tensors, mask=mask, softcap=1.3, grouped=True)
        return tf.reduce_sum(result.output * upstream)

    with tf.GradientTape() as tape:
        x = tf.Variable(given[name])
        value = loss(**{**given, name: x})
    slope = tape.gradient(value, x).numpy()
    for place in [tuple(rng.integers(0, n) for n in given[name].shape) for _ in range(6)]:
        moved = []
        for sign in (1, -1):
            other = given[name].copy()
            other[place] += sign * 1e-5
            moved.append(float(loss(**{**given, name: other})))
        np.testing.assert_allclose(slope[place], (moved[0] - moved[1]) / 2e-5, atol=1e-7)


class TestSharedHeads:
    @pytest.mark.parametrize("function", [scaled_dot_product_attention, blockwise_attention])
    def test_equal_repeating_the_heads(self, function):
        """On whole numbers products are exact, so nothing but the order of heads could differ."""
        rng = np.random.default_rng(5)
        q, k, v = (rng.integers(-3, 4, size=(2, n, 5, 4)).astype("float64") for n in (6, 2, 2))
        repeated = [np.repeat(x, 3, axis=1) for x in (k, v)]
        found, expected = function(q, k, v, grouped=True), function(q, *repeated)
        np.testing.assert_allclose(getattr(found, "output", found), getattr(expected, "output", expected), atol=1e-15)
        tiled = function(q, *(np.tile(x, (1, 3, 1, 1)) for x in (k, v)))
        assert not np.allclose(getattr(found, "output", found), getattr(tiled, "output", tiled))

    @pytest.mark.parametrize("groups", [1, 2, 4])
    @pytest.mark.parametrize("blockwise", [False, True])
    def test_the_layer_equals_one_with_repeated_projections(self, groups, blockwise):
        x = np.random.default_rng(6).normal(size=(2, 5, 16))
        few = MultiHeadAttention(16, 4, num_key_value_heads=groups, blockwise=blockwise, dtype="float64")
        expected = few(x, causal=True)
        whole = MultiHeadAttention(16, 4, blockwise=False, dtype="float64")
        whole.build(x.shape)
        for name in ("project_queries", "project_keys", "project_values", "project_output"):
            for kind in ("kernel", "bias"):
                value = getattr(getattr(few, name), kind).numpy()
                if name in ("project_keys", "project_values"):
                    heads = value.reshape(*value.shape[:-1], groups, 4)
                    value = np.repeat(heads, 4 // groups, axis=-2).reshape(*value.shape[:-1], 16)
                getattr(getattr(whole, name), kind).assign(value)
        np.testing.assert_allclose(whole(x, causal=True), expected, atol=1e-12)

    def test_keys_values_and_caches_are_smaller(self):
        layer = MultiHeadAttention(16, 4, num_key_value_heads=1)
        layer.build((None, None, 16))
        assert layer.project_keys.kernel.shape == layer.project_values.kernel.shape == (16, 4)
        cache = layer.create_cache(2, 10)
        assert cache.keys.shape == cache.values.shape == (2, 1, 10, 4)

    def test_nan_in_a_shared_head_shows_in_the_heads_that_share_it(self):
        q, k, v = (np.random.default_rng(7).normal(size=(1, n, 3, 2)) for n in (4, 2, 2))
        k[0, 1, 2] = np.nan
        for function in (scaled_dot_product_attention, blockwise_attention):
            result = function(q, k, v, np.triu(np.ones((3, 3)), 1), grouped=True)
            output = getattr(result, "output", result).numpy()
            assert np.isnan(output[0, 2:, 2]).all()
            assert np.isfinite(output[0, :2]).all()
            assert np.isfinite(output[0, 2:, :2]).all()


class TestDocuments:
    IDS = np.array([[1, 1, 1, 2, 2, 2, 2], [4, 4, 5, 5, 5, 6, 6]])

    def encoder(self, **options):
        self_attention = {"rotary": RotaryPositions(), **options}
        return Encoder(2, 16, 4, 24, norm_first=True, self_attention=self_attention, dtype="float64")

    @pytest.mark.parametrize("blockwise", [False, True])
    def test_a_packed_document_gets_the_numbers_it_gets_alone(self, blockwise):
        x = np.random.default_rng(8).normal(size=(2, 7, 16))
        encoder = self.encoder(blockwise=blockwise)
        places = create_document_positions(self.IDS)
        found = encoder(x, causal=True, segment_ids=self.IDS, positions=places).numpy()
        for row, first, last in ((0, 0, 3), (0, 3, 7), (1, 0, 2), (1, 2, 5), (1, 5, 7)):
            alone = encoder(x[row : row + 1, first:last], causal=True)
            np.testing.assert_allclose(found[row, first:last], alone[0], atol=1e-12)
        mask = create_document_mask(self.IDS)
        np.testing.assert_allclose(encoder(x, mask=mask, causal=True, positions=places), found, atol=1e-12)

    def test_changing_one_document_leaves_its_neighbours_bit_identical(self):
        x = np.random.default_rng(9).normal(size=(2, 7, 16))
        encoder = self.encoder()
        before = encoder(x, causal=True, segment_ids=self.IDS).numpy()
        x[0, :3] = np.nan
        x[1, 2:5] += 5
        after = encoder(x, causal=True, segment_ids=self.IDS).numpy()
        np.testing.assert_array_equal(after[0, 3:], before[0, 3:])
        np.testing.assert_array_equal(after[1, [0, 1, 5, 6]], before[1, [0, 1, 5, 6]])
        assert np.isnan(after[0, :3]).all()

    def test_positions_begin_again_with_each_document(self):
        found = create_document_positions([[7, 7, 7, 8, 8, 0], [1, 2, 2, 2, 2, 1]])
        np.testing.assert_array_equal(found, [[0, 1, 2, 0, 1, 0], [0, 0, 1, 2, 3, 0]])
        compiled = tf.function(create_document_positions, jit_compile=True, autograph=False)
        np.testing.assert_array_equal(compiled(tf.constant([[3, 3, 4]])), [[0, 1, 0]])


def test_fewer_than_no_first_keys_are_refused():
    x = np.zeros((1, 5, 2))
    for call in (
        lambda: create_window_mask(5, 2, first_keys=-1),
        lambda: blockwise_attention(x, x, x, window=2, first_keys=-1),
        lambda: MultiHeadAttention(8, 2, window=2, first_keys=-1),
    ):
        with pytest.raises(ValueError, match=r"first_keys.*Received: .*-1"):
            call()


def test_first_keys_stay_visible_beside_a_window():
    mask = create_window_mask(6, 2, first_keys=2).numpy()
    for i, j in np.ndindex(6, 6):
        assert mask[i, j] == (abs(i - j) >= 2 and j >= 2)
    np.testing.assert_array_equal(create_window_mask(6, 2, first_keys=0), create_window_mask(6, 2))


class TestWindowOfALayer:
    X = np.random.default_rng(8).normal(size=(2, 9, 8)).astype("float32")

    @pytest.mark.parametrize("blockwise", [True, False])
    @pytest.mark.parametrize("first_keys", [0, 2])
    @pytest.mark.parametrize("causal", [True, False])
    @pytest.mark.parametrize("jit_compile", [None, True, False])
    def test_is_the_mask(self, blockwise, first_keys, causal, jit_compile):
        layer = MultiHeadAttention(8, 2, window=3, first_keys=first_keys, blockwise=blockwise)
        plain = MultiHeadAttention(8, 2)
        layer.build(self.X.shape), plain.build(self.X.shape)
        plain.set_weights(layer.get_weights())
        run = layer if jit_compile is None else tf.function(layer, jit_compile=jit_compile)
        expected = plain(self.X, mask=create_window_mask(9, 3, first_keys), causal=causal)
        np.testing.assert_allclose(run(self.X, causal=causal), expected, atol=1e-6)

    @pytest.mark.parametrize("first_keys", [0, 2])
    @pytest.mark.parametrize("pieces", [(9,), (4, 5), (1,) * 9])
    def test_holds_for_a_text_in_pieces(self, first_keys, pieces):
        layer = MultiHeadAttention(8, 2, window=3, first_keys=first_keys)
        left_padding = np.zeros((2, 1, 1, 9), int)
        left_padding[1, ..., :2] = 1
        expected = layer(self.X, mask=left_padding, causal=True)
        cache, outputs, start = layer.create_cache(2, 11), [], 0
        blocked = np.concatenate([left_padding, np.zeros((2, 1, 1, 2), int)], axis=-1)
        for length in pieces:
            piece = self.X[:, start : start + length]
            (output, weights), cache = layer(piece, mask=blocked, causal=True, cache=cache, return_weights=True)
            outputs.append(output)
            far = np.abs(np.arange(11) - np.arange(start, start + length)[:, None]) >= 3
            far[:, :first_keys] = False
            assert not weights.numpy()[np.broadcast_to(far, weights.shape)].any()
            start += length
        np.testing.assert_allclose(np.concatenate(outputs, axis=1), expected, atol=1e-6)

    def test_fewer_queries_stand_on_the_last_keys(self):
        layer = MultiHeadAttention(8, 2, window=3)
        whole = layer(self.X, causal=True)
        np.testing.assert_allclose(layer(self.X[:, 5:], self.X, causal=True), whole[:, 5:], atol=1e-6)

    def test_comes_back_from_the_config_and_reaches_a_whole_encoder(self):
        options = {"window": 2, "first_keys": 1}
        encoder = Encoder(2, 8, 2, 16, dropout=0.0, self_attention=options)
        again = Encoder.from_config(encoder.get_config())
        for layer in again.layers:
            config = layer.self_attention.attention.get_config()
            assert {name: config[name] for name in options} == options
        changed = self.X.copy()
        changed[:, 4] += 1
        moved = np.abs(encoder(changed, causal=True) - encoder(self.X, causal=True)).max(axis=(0, 2)) > 0
        assert moved.tolist() == [False] * 4 + [True] * 3 + [False] * 2  # two layers reach one farther each

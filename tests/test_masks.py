"""Masks: the published matrices, every edge of a length, and what is refused."""

import numpy as np
import pytest
import tensorflow as tf

from clear_attention import (
    MultiHeadAttention,
    combine_masks,
    convert_mask,
    create_look_ahead_mask,
    create_padding_mask,
    create_prefix_mask,
    create_window_mask,
    describe_mask,
    scaled_dot_product_attention,
)

IDS = [[7, 6, 0, 0, 1], [1, 2, 3, 0, 0], [0, 0, 0, 4, 5]]


def blocked_where(rule, length, key_length=None):
    """Write a mask from its rule, cell by cell."""
    return np.array([[float(rule(i, j)) for j in range(key_length or length)] for i in range(length)], np.float32)


def same(mask, expected):
    assert mask.dtype == tf.float32
    np.testing.assert_array_equal(mask, np.asarray(expected, np.float32))


def test_padding_is_the_published_matrix():
    mask = create_padding_mask(IDS)
    assert mask.shape == (3, 1, 1, 5)
    same(mask[:, 0, 0], [[0, 0, 1, 1, 0], [0, 0, 0, 1, 1], [1, 1, 1, 0, 0]])


@pytest.mark.parametrize("ids", [np.array(IDS, np.uint8), np.array(IDS, np.int64), tf.constant(IDS)])
def test_padding_takes_every_kind_of_ids(ids):
    same(create_padding_mask(ids), create_padding_mask(IDS))


def test_padding_id_can_be_chosen_so_that_0_is_a_word():
    same(create_padding_mask([[0, 5, -1]], pad_id=-1)[0, 0], [[0, 0, 1]])


def test_look_ahead_is_the_published_matrix():
    same(create_look_ahead_mask(3), [[0, 1, 1], [0, 0, 1], [0, 0, 0]])


@pytest.mark.parametrize(("length", "key_length"), [(1, 1), (5, 5), (1, 7), (3, 7), (7, 3)])
def test_look_ahead_lines_up_the_last_query_with_the_last_key(length, key_length):
    expected = blocked_where(lambda i, j: j - key_length > i - length, length, key_length)
    same(create_look_ahead_mask(length, key_length), expected)


def test_look_ahead_with_a_cache_is_the_last_rows_of_the_whole():
    same(create_look_ahead_mask(2, key_length=7), create_look_ahead_mask(7)[-2:])


@pytest.mark.parametrize("prefix", [0, 1, 3, 5])
def test_prefix_sees_itself_whole_and_the_rest_only_backwards(prefix):
    same(create_prefix_mask(5, prefix), blocked_where(lambda i, j: j > i and j >= prefix, 5))


@pytest.mark.parametrize("window", [1, 2, 4, 9])
def test_window_is_symmetric_and_counts_its_own_position(window):
    same(create_window_mask(5, window), blocked_where(lambda i, j: abs(i - j) >= window, 5))


def test_sizes_can_be_tensors_in_a_graph():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
    def masks(ids):
        length = tf.shape(ids)[1]
        return (
            combine_masks(create_padding_mask(ids), create_look_ahead_mask(length)),
            create_look_ahead_mask(1, key_length=length),
            create_prefix_mask(length, 2),
            create_window_mask(length, 2),
        )

    both, one, prefix, window = masks(tf.constant(IDS))
    same(both, combine_masks(create_padding_mask(IDS), create_look_ahead_mask(5)))
    same(one, np.zeros((1, 5)))
    same(prefix, create_prefix_mask(5, 2))
    same(window, create_window_mask(5, 2))


def test_combined_padding_and_look_ahead_leave_left_padded_queries_without_a_key():
    both = combine_masks(create_padding_mask(IDS), create_look_ahead_mask(5))
    assert both.shape == (3, 1, 5, 5)
    same(both[2, 0], [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 0, 1], [1, 1, 1, 0, 0]])


def test_combine_skips_none_and_takes_every_dtype():
    assert combine_masks() is None
    assert combine_masks(None, None) is None
    parts = [np.array([True, False, False]), None, np.array([0, 1, 0], np.int8), np.array([0, 0, 0], np.float64)]
    same(combine_masks(*parts), [1, 1, 0])
    same(combine_masks([[0, 1]]), [[0, 1]])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: create_padding_mask([[1.0, 0.0]]), TypeError, r"token_ids\.dtype=float32"),
        (lambda: create_padding_mask([["a", ""]]), TypeError, r"token_ids\.dtype=string"),
        (lambda: create_padding_mask([1, 0]), ValueError, r"\(batch, length\).*token_ids\.shape=\(2,\)"),
        (lambda: create_padding_mask([[[1]]]), ValueError, r"token_ids\.shape=\(1, 1, 1\)"),
        (lambda: create_padding_mask([[1, 2], [3]]), ValueError, "evenly nested"),
        (lambda: create_padding_mask(None), TypeError, "token_ids=None"),
        (lambda: create_padding_mask([[1]], pad_id=0.0), TypeError, "pad_id"),
        (lambda: create_look_ahead_mask(0), ValueError, "positive integer.*length=0"),
        (lambda: create_look_ahead_mask(-3), ValueError, "length=-3"),
        (lambda: create_look_ahead_mask(2.0), TypeError, "length=2.0 of type float"),
        (lambda: create_look_ahead_mask("3"), TypeError, "length='3'"),
        (lambda: create_look_ahead_mask(True), TypeError, "length=True"),
        (lambda: create_look_ahead_mask(None), TypeError, "length=None"),
        (lambda: create_look_ahead_mask(tf.constant(0)), ValueError, "length=0"),
        (lambda: create_look_ahead_mask(tf.constant(2.0)), TypeError, "float32"),
        (lambda: create_look_ahead_mask(tf.constant([2])), TypeError, r"shape \(1,\)"),
        (lambda: create_look_ahead_mask(3, key_length=0), ValueError, "key_length=0"),
        (lambda: create_prefix_mask(3, -1), ValueError, "non-negative integer.*prefix_length=-1"),
        (lambda: create_prefix_mask(3, 4), ValueError, "prefix_length=4, length=3"),
        (lambda: create_window_mask(3, 0), ValueError, "window=0"),
        (lambda: create_window_mask(np.float32(3), 1), TypeError, "length"),
        (lambda: combine_masks([[0, 1]], [[0, 1, 0]]), ValueError, r"masks\[0\]\.shape=\(1, 2\), masks\[1\]\.shape"),
        (lambda: combine_masks([[0.0, 0.5]]), ValueError, r"convert_mask.*masks\[0\] holding 0.5"),
        (lambda: combine_masks(None, [[0.0, -1e9]]), ValueError, r"looks additive.*masks\[1\] holding -1e\+09"),
        (lambda: combine_masks([["1"]]), TypeError, "string"),
    ],
)
def test_bad_input_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words) as refused:
        call()
    assert "Expected: " in str(refused.value)
    assert "Received: " in str(refused.value)


LOOK_AHEAD = create_look_ahead_mask(3)
PADDING = create_padding_mask([[7, 6, 0], [7, 0, 0]])
BOTH = combine_masks(PADDING, LOOK_AHEAD)
PER_HEAD = tf.repeat(BOTH, 5, axis=1)


def test_conversion_changes_polarity_dtype_and_axes():
    real = [[1, 1, 0], [1, 0, 0]]
    for target, dtype, values in [
        ("blocked", tf.float32, PADDING),
        ("huggingface", tf.int64, real),
        ("keras", tf.bool, np.array(real, bool)[:, None]),
        ("torch_sdpa", tf.bool, np.array(real, bool)[:, None, None]),
        ("jax", tf.bool, np.array(real, bool)[:, None, None]),
        ("torch_mha", tf.bool, ~np.array(real, bool)),
        ("additive", tf.float32, np.where(real, 0, -np.inf)[:, None, None]),
    ]:
        converted = convert_mask(PADDING, "blocked", target)
        assert converted.dtype == dtype, target
        np.testing.assert_array_equal(converted, values, err_msg=target)


MASKS = {"padding": PADDING, "look-ahead": LOOK_AHEAD, "both": BOTH, "per head": PER_HEAD}
CAN_SAY = {"huggingface": ["padding"], "torch_mha": ["padding", "look-ahead"]}  # the others can say every mask
ROUND_TRIPS = [
    (name, other)
    for other in ("keras", "torch_sdpa", "torch_mha", "jax", "huggingface", "additive", "blocked")
    for name in CAN_SAY.get(other, MASKS)
]


@pytest.mark.parametrize(("name", "other"), ROUND_TRIPS)
def test_there_and_back_is_the_same_mask(name, other):
    axes = {"padding": "batch keys", "look-ahead": "queries keys"}[name] if other == "torch_mha" else None
    back = convert_mask(convert_mask(MASKS[name], "blocked", other), other, "blocked", axes=axes)
    same(back[0, 0] if (name, other) == ("look-ahead", "jax") else back, MASKS[name])


def test_additive_masks_of_every_size_of_minus_infinity_are_read():
    for low in (-np.inf, -1e9, -65504.0, -1e4):
        same(convert_mask([[0.0, low]], "additive", "blocked"), [[0, 1]])


def test_a_keras_padding_mask_says_its_axes():
    same(convert_mask([[True, False]], "keras", "blocked", axes="batch keys"), [[[[0, 1]]]])


def test_torch_merges_batch_and_heads():
    merged = convert_mask(PER_HEAD, "blocked", "torch_mha")
    np.testing.assert_array_equal(merged, tf.reshape(PER_HEAD, (10, 3, 3)))


@pytest.mark.parametrize(
    ("mask", "source", "target", "error", "words"),
    [
        ([[0.0, -1e9]], "keras", "blocked", ValueError, "looks additive"),
        ([[0, 1]], "additive", "blocked", ValueError, "one of the others.*holding 1"),
        ([[0.0, -0.5]], "additive", "blocked", ValueError, "holding -0.5"),
        ([[True]], "additive", "blocked", TypeError, "numbers"),
        ([[0, 1]], "pytorch", "blocked", ValueError, "'torch_sdpa'.*source='pytorch'"),
        ([[0, 1]], "keras", "tf", ValueError, "target='tf'"),
        ([[[0, 1]]], "huggingface", "blocked", ValueError, r"\(batch, keys\)"),
        ([[0, 1]], "torch_mha", "blocked", ValueError, "axes='batch keys'"),
        (LOOK_AHEAD, "blocked", "huggingface", ValueError, "no axis for queries"),
        (BOTH, "blocked", "torch_mha", ValueError, "tf.repeat"),
    ],
)
def test_bad_conversions_are_refused_in_words(mask, source, target, error, words):
    with pytest.raises(error, match=words):
        convert_mask(mask, source, target)


def test_a_masked_array_is_not_read_without_its_mask():
    half = np.ma.array(np.eye(3), mask=[[0, 1, 0]] * 3)
    whole = np.ma.array(np.eye(3))
    x = np.ones((1, 3, 4), "float32")
    layer = MultiHeadAttention(4, 2)
    calls = [
        combine_masks,
        describe_mask,
        lambda mask: scaled_dot_product_attention(x, x, x, mask),
        lambda mask: convert_mask(mask, source="blocked", target="keras"),
        lambda mask: layer(x, mask=mask),
    ]
    for call in calls:
        call(whole)
        with pytest.raises(ValueError, match=r"hides some of its numbers.* Expected: .*\.filled\(\.\.\.\)\."):
            call(half)
    with pytest.raises(ValueError, match="q hides some of its numbers"):
        scaled_dot_product_attention(np.ma.array(x, mask=x == 1), x, x)

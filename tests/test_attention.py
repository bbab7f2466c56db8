"""The function: shapes, pencil values, the oracle, laws, edges, refusals."""

import functools
import math

import keras
import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf
from compare import close
from samples import random_tensors

from clear_attention import (
    Attention,
    attention_by_hand,
    create_look_ahead_mask,
    create_padding_mask,
    create_prefix_mask,
    create_window_mask,
    scaled_dot_product_attention,
)

DTYPES = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-6, "float64": 1e-14}
MODES = {
    "eager": lambda f: f,
    "graph": tf.function,
    "unknown lengths": lambda f: tf.function(f, reduce_retracing=True),
    "XLA": lambda f: tf.function(f, jit_compile=True),
}


def example(*leading, queries=5, keys=7, d_k=11, d_v=13, dtype=np.float32, seed=0):
    shapes = (*leading, queries, d_k), (*leading, keys, d_k), (*leading, keys, d_v)
    return random_tensors(*shapes, dtype=dtype, seed=seed)


def gradients(f, *tensors):
    tensors = [tf.convert_to_tensor(x) for x in tensors]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        loss = f(*tensors)
    return tape.gradient(loss, tensors)


# Shapes


@pytest.mark.parametrize("leading", [(), (2,), (2, 3), (2, 3, 17), (0,)])
def test_shapes_with_any_leading_axes(leading):
    result = scaled_dot_product_attention(*example(*leading))
    assert isinstance(result, Attention)
    assert result.output.shape == (*leading, 5, 13)
    assert result.weights.shape == (*leading, 5, 7)


def test_no_query_gives_no_output():
    output, weights = scaled_dot_product_attention(*example(2, queries=0))
    assert (output.shape, weights.shape) == ((2, 0, 13), (2, 0, 7))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_dtype_that_goes_in_comes_out(dtype):
    q, k, v = (tf.cast(x, dtype) for x in example(2))
    with_mask, without = (scaled_dot_product_attention(q, k, v, mask) for mask in (np.zeros((5, 7)), None))
    assert {x.dtype.name for x in (*with_mask, *without)} == {dtype}


def test_arrays_lists_and_tensors_come_in():
    q, k, v = example()
    expected = scaled_dot_product_attention(q, k, v).output
    np.testing.assert_array_equal(scaled_dot_product_attention(*map(tf.constant, (q, k, v))).output, expected)
    np.testing.assert_array_equal(scaled_dot_product_attention(q.tolist(), k.tolist(), v.tolist()).output, expected)
    np.testing.assert_array_equal(scaled_dot_product_attention(tf.Variable(q), k, v).output, expected)


# Values


def test_pencil_values():
    # scores 2 * ln(3) / sqrt(4) = ln(3) and 0: weights 3/4 and 1/4
    q, k, v = [[2.0, 0, 0, 0]], [[math.log(3), 0, 0, 0], [0.0] * 4], [[8.0, 0.0], [4.0, 1.0]]
    output, weights = scaled_dot_product_attention(q, k, v)
    close(weights, [[0.75, 0.25]])
    close(output, [[7.0, 0.25]])


PUBLISHED = {
    0: """.42829984 .5291363  .48467717 .60236526 .6314437  .36796492
          .42059597 .51898783 .46809804 .59751767 .63140476 .39604473
          .45291767 .53372955 .4822161  .5861658  .61705434 .35611778
          .43538865 .52972203 .47826144 .5917443  .6259302  .36665624
          .42998832 .5189111  .48113108 .61032706 .63044846 .39192218""",
    1: """.6105153  .50249505 .40130395 .71487725 .36341453 .5512418
          .58420086 .5239525  .4311911  .72335523 .36001056 .5697574
          .5644941  .5598139  .44120124 .69758904 .34060007 .57147545
          .58783877 .5212065  .42275837 .70439875 .34812242 .5561169
          .5880349  .52016133 .43390357 .70503277 .35547623 .56170976""",
}


@pytest.mark.parametrize("batch", PUBLISHED)
def test_the_published_seed_42_table(batch):
    rng = np.random.RandomState(42)
    q, k, v = (rng.random_sample((64, 5, 64)).astype(np.float32) for _ in range(3))
    output = scaled_dot_product_attention(q, k, v).output
    assert output.shape == (64, 5, 64)
    expected = np.array(PUBLISHED[batch].split(), float).reshape(5, 6)
    close(tf.gather(output[batch], [0, 1, 2, -3 % 64, -2 % 64, -1 % 64], axis=-1), expected)


PREFIX = [[1.0, 2, 3, 4], [5.0, 6, 7, 8], [2.0, 3, 4, 5]]


def test_the_published_causal_prefix():
    output, weights = scaled_dot_product_attention(PREFIX, PREFIX, PREFIX, create_look_ahead_mask(3))
    published = [[1, 0, 0], [2.6102792e-23, 1, 0], [6.9143996e-13, 1, 7.5825607e-10]]
    np.testing.assert_allclose(weights, published, rtol=1e-5)
    close(output, [[1, 2, 3, 4], [5, 6, 7, 8], [5, 6, 7, 8]])
    exact = scaled_dot_product_attention(*[np.array(PREFIX)] * 3, create_look_ahead_mask(3)).weights
    np.testing.assert_allclose(exact[1, 0], math.exp(-52), rtol=1e-13)
    np.testing.assert_allclose([exact[2, 0], exact[2, 2]], np.exp([-28, -21]), rtol=1e-8)


def test_the_published_prefix_without_a_mask():
    row = scaled_dot_product_attention(PREFIX, PREFIX, PREFIX).weights[0]
    np.testing.assert_allclose(row, [2.06e-9, 0.9999996, 3.06e-7], rtol=2e-3)


def masks_for(queries, keys):
    rng = np.random.default_rng(1)
    cells = rng.random((queries, keys)) < 0.4
    return {
        "none": None,
        "look-ahead": create_look_ahead_mask(queries, keys).numpy(),
        "random": cells,
        "empty rows": np.where(np.arange(queries)[:, None] % 2, 1, cells),
        "everything": np.ones((queries, keys), np.int64),
        "nothing": np.zeros((1, 1), np.float16),
        "one row": rng.random((1, keys)) < 0.5,
        "one column": rng.random((queries, 1)) < 0.5,
        "rank 1": rng.random(keys) < 0.5,
        "rank 0": np.True_,
    }


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", masks_for(5, 7))
@pytest.mark.parametrize(("queries", "keys"), [(5, 7), (1, 1), (7, 3)])
def test_agrees_with_by_hand(kind, dtype, queries, keys):
    mask = masks_for(queries, keys)[kind]
    q, k, v = (tf.cast(x, dtype) for x in example(queries=queries, keys=keys, seed=queries))
    as_lists = [x.numpy().astype(float).tolist() for x in (q, k, v)]
    rows = None if mask is None else np.broadcast_to(mask, (queries, keys)).tolist()
    output, weights = attention_by_hand(*as_lists, rows)
    result = scaled_dot_product_attention(q, k, v, mask)
    close(result.output, output, DTYPES[dtype])
    close(result.weights, weights, DTYPES[dtype])


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_16_bit_results_are_the_rounded_float32_ones(dtype):
    halves = [tf.cast(x, dtype) for x in example(2, 3)]
    whole = scaled_dot_product_attention(*(tf.cast(x, tf.float32) for x in halves))
    for half, exact in zip(scaled_dot_product_attention(*halves), whole, strict=True):
        np.testing.assert_array_equal(half.numpy().astype(float), tf.cast(exact, dtype).numpy().astype(float))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", masks_for(5, 7))
def test_eager_graph_and_xla_agree(mode, kind):
    q, k, v = example(2, 3)
    mask = masks_for(5, 7)[kind]
    expected = scaled_dot_product_attention(q, k, v, mask)
    actual = MODES[mode](lambda q, k, v: scaled_dot_product_attention(q, k, v, mask))(q, k, v)
    close(actual.output, expected.output)
    close(actual.weights, expected.weights)


def test_lengths_and_even_ranks_may_be_unknown_in_a_graph():
    for shape in [(None, None, None), None]:
        signature = [tf.TensorSpec(shape, tf.float32)] * 3 + [tf.TensorSpec(None, tf.float32)]
        attend = tf.function(scaled_dot_product_attention, input_signature=signature)
        for queries, keys in [(5, 7), (2, 3)]:
            q, k, v = example(2, queries=queries, keys=keys)
            mask = create_look_ahead_mask(queries, keys)
            close(attend(q, k, v, mask).output, scaled_dot_product_attention(q, k, v, mask).output)


# Laws


def test_rows_of_weights_sum_to_one_and_empty_rows_to_zero():
    mask = masks_for(5, 7)["empty rows"]
    weights = scaled_dot_product_attention(*example(2), mask).weights
    assert np.all(weights >= 0)
    assert np.all(np.asarray(weights)[:, mask == 1] == 0)
    close(tf.reduce_sum(weights, axis=-1), [[1, 0, 1, 0, 1]] * 2)


def test_permuting_keys_with_their_values_changes_nothing():
    q, k, v = example(2)
    order = np.random.default_rng(0).permutation(7)
    mask = masks_for(5, 7)["random"]
    plain = scaled_dot_product_attention(q, k, v, mask)
    permuted = scaled_dot_product_attention(q, k[:, order], v[:, order], mask[:, order])
    close(permuted.output, plain.output)
    close(permuted.weights, tf.gather(plain.weights, order, axis=-1))


def test_leading_axes_do_not_mix():
    q, k, v = example(2, 3)
    mask = create_look_ahead_mask(5, 7)
    whole = scaled_dot_product_attention(q, k, v, mask).output
    for i, j in np.ndindex(2, 3):
        close(whole[i, j], scaled_dot_product_attention(q[i, j], k[i, j], v[i, j], mask).output)


def test_a_padding_mask_is_read_by_sentence_and_key():
    q, k, v = example(3, 2, queries=5, keys=5)
    ids = [[7, 6, 0, 0, 1], [1, 2, 3, 0, 0], [0, 0, 0, 4, 5]]
    weights = scaled_dot_product_attention(q, k, v, create_padding_mask(ids)).weights
    for sentence, row in enumerate(ids):
        shut = np.array(row) == 0
        assert np.all(np.asarray(weights)[sentence][..., shut] == 0)
        assert np.all(np.asarray(weights)[sentence][..., ~shut] > 0)


HIDING_THE_LAST = [create_look_ahead_mask(7), create_prefix_mask(7, 3), create_window_mask(7, 2)]


@functools.cache
def loss_without_the_last_key(number, mode):
    """Return a loss over queries that may not see the last key: one graph for all that it may hold."""
    mask = HIDING_THE_LAST[number]
    hidden_from = np.asarray(mask)[:, 6] == 1

    def loss(q, k, v):
        output = scaled_dot_product_attention(q, k, v, mask).output
        return (
            tf.reduce_sum(tf.boolean_mask(output, hidden_from, axis=1) ** 2)
            if mode == "eager"
            else tf.reduce_sum(tf.gather(output, np.flatnonzero(hidden_from), axis=1) ** 2)
        )

    return MODES[mode](loss), mask, hidden_from


@pytest.mark.parametrize("number", range(3), ids="mask{}".format)
@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf, 1e10, 0.0])
@pytest.mark.parametrize("mode", ["eager", "graph", "XLA"])
def test_what_is_hidden_changes_no_visible_output_and_no_gradient(number, strange, mode):
    q, k, v = example(2, queries=7, keys=7)
    loss, mask, hidden_from = loss_without_the_last_key(number, mode)
    changed_k, changed_v = k.copy(), v.copy()
    changed_k[:, 6], changed_v[:, 6] = strange, strange
    visible = [
        scaled_dot_product_attention(q, *kv, mask).output.numpy()[:, hidden_from]
        for kv in ((k, v), (changed_k, changed_v))
    ]
    np.testing.assert_array_equal(*visible)
    for plain, changed in zip(gradients(loss, q, k, v), gradients(loss, q, changed_k, changed_v), strict=True):
        np.testing.assert_array_equal(changed, plain)


@pytest.mark.parametrize("mode", ["eager", "graph", "XLA"])
def test_nan_in_a_query_that_sees_nothing_stays_there(mode):
    q, k, v = example(queries=3, keys=3)
    q[0] = np.nan
    mask = np.array([[1, 1, 1], [0, 0, 0], [0, 0, 0]])
    attend = MODES[mode](lambda q, k, v: scaled_dot_product_attention(q, k, v, mask))
    output, weights = attend(q, k, v)
    assert np.all(output[0] == 0)
    assert np.all(weights[0] == 0)
    for gradient in gradients(lambda *x: tf.reduce_sum(attend(*x).output), q, k, v):
        assert np.all(np.isfinite(gradient))


@pytest.mark.parametrize("broken", ["q", "k", "v"])
@pytest.mark.parametrize("strange", [np.nan, np.inf])
def test_a_visible_nan_is_not_swept_under_the_carpet(broken, strange):
    tensors = dict(zip("qkv", example(queries=3, keys=3), strict=True))
    tensors[broken][1, 0] = strange
    output, weights = scaled_dot_product_attention(**tensors, mask=create_look_ahead_mask(3))
    sees = [False, True, False] if broken == "q" else [False, True, True]
    np.testing.assert_array_equal(~np.isfinite(output[:, 0]), sees)
    np.testing.assert_array_equal(~np.isfinite(weights[:, 0]), sees if broken != "v" else [False] * 3)
    if broken == "v":  # only the channel that is broken
        assert np.all(np.isfinite(output[:, 1:]))
    assert np.all(np.asarray(weights)[np.triu_indices(3, 1)] == 0)


# Edges


def test_a_query_with_no_key_gets_weights_output_and_gradient_zero():
    q, k, v = example(2)
    mask = np.zeros((5, 7))
    mask[1] = 1
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    assert np.all(output[:, 1] == 0)
    assert np.all(weights[:, 1] == 0)
    dq, dk, dv = gradients(lambda *x: tf.reduce_sum(scaled_dot_product_attention(*x, mask).output[:, 1] * 3.0), q, k, v)
    assert all(np.all(x == 0) for x in (dq, dk, dv))


@pytest.mark.parametrize("dtype", DTYPES)
def test_huge_scores_do_not_overflow(dtype):
    q, k, v = (tf.constant(x, dtype) for x in ([[200.0] * 4], [[200.0] * 4, [-200.0] * 4], [[1.0], [2.0]]))
    output, weights = scaled_dot_product_attention(q, k, v, [[0, 0]])
    np.testing.assert_array_equal(weights.numpy().astype(float), [[1, 0]])
    np.testing.assert_array_equal(output.numpy().astype(float), [[1]])


def test_float64_is_computed_in_float64():
    q, k, v = example(dtype=np.float64)
    scores = q @ k.T / np.sqrt(11)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    close(scaled_dot_product_attention(q, k, v).output, weights @ v, 1e-14)


def test_gradients_match_finite_differences():
    q, k, v = example(queries=3, keys=4, d_k=2, d_v=2, dtype=np.float64)
    mask = np.array([[0, 1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 1]])
    attend = tf.function(lambda q, k, v: scaled_dot_product_attention(q, k, v, mask).output)
    theoretical, numerical = tf.test.compute_gradient(attend, [q, k, v])
    for exact, estimate in zip(theoretical, numerical, strict=True):
        close(exact, estimate, 1e-6)


def test_the_mask_is_not_read_as_a_weight_but_as_a_choice():
    q, k, v = example()
    for dtype in (bool, np.int8, np.uint8, np.int64, np.float16, ml_dtypes.bfloat16, np.float64):
        mask = np.asarray(create_look_ahead_mask(5, 7)).astype(dtype)
        expected = scaled_dot_product_attention(q, k, v, create_look_ahead_mask(5, 7)).output
        np.testing.assert_array_equal(scaled_dot_product_attention(q, k, v, mask).output, expected)


def test_in_a_graph_any_other_value_blocks():
    q, k, v = example()
    attend = tf.function(scaled_dot_product_attention)
    additive = np.where(create_look_ahead_mask(5, 7), -np.inf, 0)
    close(attend(q, k, v, tf.constant(additive)).output, attend(q, k, v, create_look_ahead_mask(5, 7)).output)


# Refusals


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


GOOD = zeros(2, 3, 5, 8)
REFUSED = {
    "depths differ": (
        (zeros(2, 5, 8), zeros(2, 7, 16), zeros(2, 7, 8)),
        ValueError,
        "depth.*dot product.*key_length, 8",
    ),
    "lengths differ": ((zeros(2, 5, 8), zeros(2, 7, 8), zeros(2, 6, 8)), ValueError, r"length.*\(..., 7, d_v\)"),
    "length 1 does not broadcast": ((zeros(5, 8), zeros(7, 8), zeros(1, 8)), ValueError, "length.*one value"),
    "batches differ": ((zeros(2, 5, 8), zeros(3, 5, 8), zeros(2, 5, 8)), ValueError, r"leading axes.*\(2, key_length"),
    "batch 1 does not broadcast": (
        (zeros(2, 5, 8), zeros(1, 5, 8), zeros(2, 5, 8)),
        ValueError,
        "nothing is broadcast",
    ),
    "heads differ": ((GOOD, GOOD, zeros(2, 1, 5, 8)), ValueError, "leading axes"),
    "ranks differ": ((GOOD, zeros(3, 5, 8), GOOD), ValueError, "number of axes.*k and v with 4 axes"),
    "rank 1": ((zeros(8), zeros(8), zeros(8)), ValueError, r"length axis and a depth axis.*q.shape=\(8,\)"),
    "rank 0": ((1.0, 1.0, 1.0), ValueError, r"q.shape=\(\)"),
    "no keys": ((zeros(5, 8), zeros(0, 8), zeros(0, 8)), ValueError, "at least one key"),
    "depth 0": ((zeros(5, 0), zeros(5, 0), zeros(5, 8)), ValueError, "d_k >= 1"),
    "d_v 0": ((zeros(5, 8), zeros(5, 8), zeros(5, 0)), ValueError, "d_v >= 1"),
    "integers": ((zeros(5, 8, dtype=int),) * 3, TypeError, r"write 1.0 for 1.*q.dtype=int64, q.shape=\(5, 8\)"),
    "lists of integers": (([[1, 2]],) * 3, TypeError, "q.dtype=int32"),
    "bools": ((GOOD, GOOD, GOOD > 0), TypeError, "v.dtype=bool"),
    "complex": ((GOOD, GOOD.astype(complex), GOOD), TypeError, "k.dtype=complex128"),
    "strings": ((GOOD, GOOD, "values"), TypeError, "v='values'"),
    "arrays of strings": (([["a"]], GOOD, GOOD), TypeError, "q.dtype=string"),
    "None": ((GOOD, None, GOOD), TypeError, "k=None"),
    "objects": ((object(), GOOD, GOOD), TypeError, "q of type object"),
    "ragged lists": (([[1.0], [1.0, 2.0]], GOOD, GOOD), ValueError, "evenly nested"),
    "ragged tensors": ((tf.ragged.constant([[1.0], []]), GOOD, GOOD), TypeError, "q=<RaggedTensor of shape"),
    "mixed dtypes": ((GOOD, GOOD, GOOD.astype(np.float64)), TypeError, "one dtype.*v.dtype=float64"),
    "symbolic": ((keras.KerasTensor((2, 5, 8)), GOOD, GOOD), TypeError, "in a functional model call a layer"),
    "mask does not broadcast": ((GOOD, GOOD, GOOD, zeros(5, 4)), ValueError, r"\(2, 3, 5, 5\).*mask.shape=\(5, 4\)"),
    "mask enlarges": ((zeros(5, 8),) * 3 + (zeros(2, 5, 5),), ValueError, "without enlarging"),
    "mask enlarges a length of 1": ((zeros(1, 8),) * 3 + (zeros(5, 1),), ValueError, "without enlarging"),
    "mask with a head axis": ((zeros(2, 5, 8),) * 3 + (zeros(2, 1, 1, 5),), ValueError, r"mask\[:, 0\] drops it"),
    "mask of (batch, keys)": ((zeros(2, 5, 8),) * 3 + (zeros(2, 5),), ValueError, r"reshape it to \(2, 1, 5\)"),
    "mask of (batch, keys), heads": ((GOOD, GOOD, GOOD, zeros(2, 5)), ValueError, r"reshape it to \(2, 1, 1, 5\)"),
    "additive mask": ((GOOD, GOOD, GOOD, zeros(5, 5) - 1e9), ValueError, "looks additive: convert_mask"),
    "-inf mask": ((GOOD, GOOD, GOOD, zeros(5, 5) - np.inf), ValueError, "convert_mask.*mask holding -inf"),
    "mask of halves": ((GOOD, GOOD, GOOD, zeros(5, 5) + 0.5), ValueError, "convert_mask.*mask holding 0.5"),
    "mask of NaN": ((GOOD, GOOD, GOOD, zeros(5, 5) + np.nan), ValueError, "convert_mask.*mask holding nan"),
    "mask of lengths": ((GOOD, GOOD, GOOD, np.full((5, 5), 3)), ValueError, "convert_mask.*mask holding 3"),
    "mask is a string": ((GOOD, GOOD, GOOD, "causal"), TypeError, "mask='causal'"),
    "mask of strings": ((GOOD, GOOD, GOOD, [["1"]]), TypeError, "mask.dtype=string"),
    "complex mask": ((GOOD, GOOD, GOOD, zeros(5, 5, dtype=complex)), TypeError, "mask.dtype=complex128"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_in_words(case):
    arguments, error, words = REFUSED[case]
    with pytest.raises(error, match=words) as refused:
        scaled_dot_product_attention(*arguments)
    assert "Expected: " in str(refused.value)
    assert "Received: " in str(refused.value)


SHAPE_CASES = [case for case, (_, error, words) in REFUSED.items() if error is ValueError and "holding" not in words]


@pytest.mark.parametrize("case", [c for c in SHAPE_CASES if c not in ("ragged lists", "additive mask")])
def test_shapes_are_checked_inside_a_graph_too(case):
    arguments, error, words = REFUSED[case]
    with pytest.raises(error, match=words):
        tf.function(scaled_dot_product_attention)(*map(tf.constant, arguments))


def test_a_depth_that_no_shape_tells_is_read_when_it_is_there():
    spec = tf.TensorSpec((None, None, None), tf.float64)
    graph = tf.function(scaled_dot_product_attention, input_signature=[spec] * 3)
    q, k, v = example(2, queries=3, keys=4, d_k=5, d_v=7, dtype=np.float64)
    for found, expected in zip(graph(q, k, v), scaled_dot_product_attention(q, k, v), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14)

"""NaN and infinity keep to themselves: in graphs without optional values, and with second derivatives."""

import functools

import numpy as np
import pytest
import tensorflow as tf

from clear_attention import MultiHeadAttention, Transformer, blockwise_attention, scaled_dot_product_attention
from clear_attention._nonfinite import Tokens, all_finite, marked, without_nonfinite

NAN, INF = float("nan"), float("inf")
HIDDEN = np.array([[0, 1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 1], [0, 0, 1, 0]])


# all_finite, without_nonfinite, marked


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("strange", [NAN, INF, -INF])
def test_one_strange_number_anywhere_is_found(dtype, strange):
    fine, bad = tf.ones((3, 4), dtype), tf.cast([1.0, strange, 1.0], dtype)
    assert all_finite(fine, fine)
    assert not all_finite(fine, bad)
    assert not all_finite(bad, fine)


def test_infinities_of_both_signs_do_not_cancel():
    assert not all_finite(tf.constant([INF, -INF]))
    assert not all_finite(tf.constant([INF]), tf.constant([-INF]))


def test_a_sum_that_overflows_costs_no_number():
    large = tf.fill((4, 4), tf.constant(3e38))
    assert not all_finite(large)
    (same,), found = without_nonfinite(large)
    assert found
    np.testing.assert_array_equal(same, large)


def test_many_16_bit_numbers_are_summed_in_32():
    assert all_finite(tf.fill((1000,), tf.constant(60_000, tf.float16)))


class Marks:
    def __init__(self):
        self.asked = []

    def places(self):
        self.asked.append(True)
        return [tf.constant([True, False, False]), tf.constant([False, False, True])]


@pytest.mark.parametrize("graph", [False, True])
def test_it_is_computed_with_zeros_and_marked_where_strange_numbers_are_seen(graph):
    def run(x, y):
        (x, y), found = without_nonfinite(x, y)
        return marked([x + y, x * y], found, Marks())

    run = tf.function(run) if graph else run
    total, product = run(tf.constant([1.0, NAN, 3.0]), tf.constant([1.0, 2.0, -INF]))
    np.testing.assert_array_equal(total, [NAN, 2.0, 3.0])
    np.testing.assert_array_equal(product, [1.0, 0.0, NAN])
    total, product = run(tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(total, [2.0, 4.0, 6.0])


def test_layers_of_one_shape_share_what_is_traced():
    @tf.function
    def four(x):
        for _ in range(4):
            tokens = Tokens.of(x)
            x = tokens.marked(tokens.finite * 2)
        return x

    operations = four.get_concrete_function(tf.ones((3, 2))).graph.get_operations()
    calls = [op.get_attr("f").name for op in operations if op.type == "PartitionedCall"]
    assert len(calls) == 8
    assert len(set(calls)) == 2
    result = four(tf.constant([[1.0, NAN], [INF, 2.0], [1.0, 2.0]]))
    np.testing.assert_array_equal(result, [[NAN, NAN], [NAN, NAN], [16, 32]])


def test_known_sizes_stay_known_whatever_was_traced_before():
    def twice(x):
        tokens = Tokens.of(x)
        return tokens.marked(tokens.finite + tokens.finite)

    for shape in ((None, 7), (5, 7), (None, None), (5, None)):
        traced = tf.function(twice, input_signature=[tf.TensorSpec(shape)]).get_concrete_function()
        assert traced.output_shapes.as_list() == [*shape]


def test_while_all_is_finite_nothing_is_copied_and_nobody_asks_where():
    x, marks = tf.ones((3,)), Marks()
    (same,), found = without_nonfinite(x)
    assert same is x
    assert found is None
    assert marked([same], found, marks)[0] is x
    assert not marks.asked


# One rule for "nothing is blocked"


NOTHING = {"None": None, "False": False, "zeros": np.zeros((4, 4))}


@functools.cache
def both_ways(mask, graph):
    def run(q, k, v):
        plain = scaled_dot_product_attention(q, k, v, NOTHING[mask])
        return *plain, blockwise_attention(q, k, v, NOTHING[mask], block_size=2)

    return tf.function(run) if graph else run


@pytest.mark.parametrize("mask", NOTHING)
@pytest.mark.parametrize("strange", [NAN, INF, -INF])
@pytest.mark.parametrize("which", ["queries", "keys", "values"])
@pytest.mark.parametrize("graph", [False, True])
def test_without_a_mask_everybody_sees_it(mask, strange, which, graph):
    tensors = {name: np.random.default_rng(0).normal(size=(2, 4, 3)) for name in ("queries", "keys", "values")}
    output, weights = scaled_dot_product_attention(*tensors.values())
    output, weights = output.numpy(), weights.numpy()
    tensors[which][1, 2, 0] = strange
    place = {"queries": (1, 2), "keys": (1,), "values": (1, slice(None), 0)}[which]
    output[place] = NAN
    if which != "values":
        weights[place] = NAN
    found, found_weights, by_blocks = both_ways(mask, graph)(*map(tf.constant, tensors.values()))
    np.testing.assert_allclose(found, output, atol=1e-12)
    np.testing.assert_allclose(found_weights, weights, atol=1e-12)
    np.testing.assert_allclose(by_blocks, output, atol=1e-12)


# Graphs


def operations(graph):
    """List the types of all operations of a graph and of the functions it calls."""
    definition = graph.as_graph_def()
    nodes = [*definition.node, *(node for function in definition.library.function for node in function.node_def)]
    return {node.op for node in nodes}


def gradients_of(f, *variables):
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(f(x))
        return tape.gradient(loss, [x, *variables])

    return tf.function(run, autograph=False)


@pytest.mark.parametrize("attend", ["function", "blockwise", "layer"])
def test_gradient_graphs_hold_no_optional_values_of_which_tensorflow_warns(attend):
    layer = MultiHeadAttention(4, 2)
    layer.build((None, None, 4))
    calls = {
        "function": lambda x: scaled_dot_product_attention(x, x, x, HIDDEN).output,
        "blockwise": lambda x: blockwise_attention(x, x, x, HIDDEN, causal=True),
        "layer": lambda x: layer(x, mask=HIDDEN),
    }
    variables = [v.value for v in layer.trainable_variables] if attend == "layer" else []
    graph = gradients_of(calls[attend], *variables).get_concrete_function(tf.TensorSpec((2, 4, 4))).graph
    assert not [op for op in operations(graph) if "Optional" in op]


def test_neither_does_a_transformer_that_trains():
    model = Transformer(1, d_model=4, num_heads=2, d_ff=8, source_vocab=9, target_vocab=9)
    model.build()
    sources, targets = tf.constant([[4, 5, 0]]), tf.constant([[1, 6, 0]])

    @tf.function(autograph=False)
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(sources, targets, training=True))
        return tape.gradient(loss, [v.value for v in model.trainable_variables])

    assert not [op for op in operations(step.get_concrete_function().graph) if "Optional" in op]


# Second derivatives


def by_formula(q, k, v):
    """Attend without a softmax operation and without a custom gradient."""
    visible = tf.constant(1.0 - HIDDEN, q.dtype)
    terms = tf.exp(tf.matmul(q, k, transpose_b=True) / q.shape[-1] ** 0.5) * visible
    return tf.matmul(terms, v) / (tf.reduce_sum(terms, axis=-1, keepdims=True) + 1e-300)


def second_derivatives(f):
    def run(*tensors):
        with tf.GradientTape() as outer:
            outer.watch(tensors)
            with tf.GradientTape() as inner:
                inner.watch(tensors)
                loss = tf.reduce_sum(f(*tensors) ** 2)
            first = inner.gradient(loss, tensors)
            mixed = tf.add_n([tf.reduce_sum(g**3) for g in first])
        return outer.gradient(mixed, tensors)

    return run


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("blockwise", [False, True])
def test_second_derivatives_are_those_of_the_formula(blockwise, graph):
    def ours(q, k, v):
        if blockwise:
            return blockwise_attention(q, k, v, HIDDEN, block_size=2)
        return scaled_dot_product_attention(q, k, v, HIDDEN).output

    tensors = [tf.constant(x) for x in np.random.default_rng(0).normal(size=(3, 2, 4, 3))]
    found = second_derivatives(ours)
    found = tf.function(found, autograph=False) if graph else found
    for one, other in zip(found(*tensors), second_derivatives(by_formula)(*tensors), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)

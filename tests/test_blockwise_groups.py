"""Heads that attend in groups: the same numbers as all at once, and no tensor that is larger than the limit."""

import numpy as np
import pytest
import tensorflow as tf
from test_blockwise_rules import ATOL, MODES, Drawn

from clear_attention import (
    DistanceBias,
    blockwise,
    blockwise_attention,
    create_look_ahead_mask,
    scaled_dot_product_attention,
)
from clear_attention.blockwise import groups

TINY = 1200  # bytes: a block of a few queries of one head


@pytest.fixture(autouse=True)
def on_a_processor(monkeypatch):
    """Cut as without a GPU; what is otherwise there is tried in test_gpu.py."""
    for module in (blockwise, groups):
        monkeypatch.setattr(module, "on_gpu", lambda: False)


@pytest.fixture
def tiny(monkeypatch):
    for name in ("LARGEST_BLOCK", "LARGEST_OF_A_HEAD", "LARGEST_IN_EAGER"):
        monkeypatch.setattr(groups, name, TINY)
    monkeypatch.setattr(groups, "FEWEST", 2)


def cuts(leading, score_bytes, keys=None):
    q, k = (tf.zeros((*axes, 4, 2)) for axes in (leading, keys or leading))
    return {cut.axis: cut.number for cut in groups.cuts_of(q, k, score_bytes)}


@pytest.mark.parametrize(
    ("leading", "score_bytes", "keys", "expected"),
    [
        ((2, 8), 100, None, {0: 2}),  # all heads of one text fit
        ((2, 8), 75, None, {}),  # all heads of both
        ((1, 16), 150, None, {1: 2}),  # eight heads
        ((1, 8), 300, None, {1: 8}),  # one, since four at a time would hardly be quicker
        ((3, 8), 700, None, {0: 3, 1: 8}),
        ((1, 8), 5000, None, {1: 8}),  # a single head is too much, and there is nothing else to cut
        ((1, 12), 200, None, {1: 2}),
        ((1, 14), 220, None, {1: 7}),  # groups are equally large: two heads, since seven are too many
        ((1, 8), 5000, (1, 2), {1: 2}),  # four heads of queries share one of keys
        ((1, 8), 5000, (1, 1), {}),
        ((2, 3, 4), 300, None, {0: 2, 1: 3}),
        ((), 5000, None, {}),
    ],
)
def test_heads_are_cut_until_a_block_fits(tiny, leading, score_bytes, keys, expected):
    assert cuts(leading, score_bytes, keys) == expected


def test_there_are_fewer_groups_in_eager_execution(tiny, monkeypatch):
    monkeypatch.setattr(groups, "LARGEST_IN_EAGER", 2 * TINY)
    assert cuts((1, 16), 150) == {}
    in_graph = tf.function(lambda: cuts((1, 16), 150)[1]).get_concrete_function()
    assert in_graph().numpy() == 2


def test_a_block_shrinks_where_the_rows_of_one_head_are_too_long(tiny):
    assert groups.queries_at_once(256, lambda size: 4) == 256
    assert groups.queries_at_once(256, lambda size: 5) == 128
    assert groups.queries_at_once(256, lambda size: 10**9) == 2


def cuts_in_graph(leading, score_bytes, batch=None):
    """Return the axes that are cut in a graph, and into how many groups if that is known there."""
    found = {}

    def cut(q):
        found.update({cut.axis: cut.number for cut in groups.cuts_of(q, q, score_bytes)})

    tf.function(cut, [tf.TensorSpec((batch, *leading, 4, 2))], autograph=False).get_concrete_function()
    return {axis: number if isinstance(number, int) else None for axis, number in found.items()}


def test_how_large_a_block_may_be():
    """16 MB of several heads and 64 MB in eager execution, 32 MB of one head, but no fewer than 16 queries."""
    megabyte = 2**20
    assert cuts_in_graph((8,), 2 * megabyte, batch=1) == {}
    assert cuts_in_graph((8,), 2 * megabyte + 1, batch=1) == {1: 2}
    assert cuts((1, 8), 8 * megabyte) == {}
    assert cuts((1, 8), 8 * megabyte + 1) == {1: 2}
    assert groups.queries_at_once(256, lambda size: megabyte // 8) == 256
    assert groups.queries_at_once(256, lambda size: megabyte // 8 + 1) == 128
    assert groups.queries_at_once(256, lambda size: 10 * megabyte) == 16
    assert groups.queries_at_once(34, lambda size: 10 * megabyte) == 9  # 17 are too many, and half of them are 9


def test_texts_of_an_unknown_number_attend_one_at_a_time_where_two_do_not_fit(tiny):
    assert cuts_in_graph((3,), TINY // 6) == {}
    assert cuts_in_graph((3,), TINY // 6 + 1) == {0: None}


def test_what_is_large_has_one_room_and_what_is_small_a_place_for_each():
    """2 MB are large: in between what is thrown away, so much would keep freed memory from being used again."""
    places = 2**21 // (4 * 64)
    tensors = tf.function(lambda n: groups.room(n, (64,), tf.float32).stack(), autograph=False)
    kinds = [{op.type for op in tensors.get_concrete_function(n).graph.get_operations()} for n in (places - 1, places)]
    assert ["Empty" in kind for kind in kinds] == [False, True]


@pytest.mark.parametrize("axes", [(1, 1), (2, 1), (1, 4), (2, 4)])
def test_a_mask_may_turn_out_to_have_one_row_for_all_groups(tiny, axes):
    """Its leading axes are not known while the graph is made."""
    mask = RNG.random((*axes, 40, 40)) > 0.6
    signature = [tf.TensorSpec((None, None, 40, 40), tf.bool)]
    attend = tf.function(lambda m: blockwise_attention(Q, K, V, m), signature, autograph=False)
    expected = scaled_dot_product_attention(Q, K, V, mask).output
    np.testing.assert_allclose(attend(mask), expected, atol=ATOL)


@pytest.mark.filterwarnings("ignore:.*retracing")
@pytest.mark.parametrize("mode", ["eager", "graph", "XLA"])
@pytest.mark.parametrize("seed", range(20, 32))
def test_equals_the_plain_function_in_output_and_all_gradients(tiny, seed, mode):
    drawn = Drawn([seed, 25])
    tensors = {name: tf.constant(x) for name, x in drawn.tensors.items()}
    expected = drawn.results(scaled_dot_product_attention, {"mask": drawn.blocked}, tensors)
    if MODES[mode] is None:
        found = drawn.results(blockwise_attention, drawn.hiding, tensors)
    else:
        found = drawn.of_blocks(**MODES[mode]).get_concrete_function()(tensors)
    assert found.keys() == expected.keys()
    for name, x in expected.items():
        np.testing.assert_allclose(found[name], x, atol=ATOL, err_msg=name)


RNG = np.random.default_rng(3)
Q, K, V = (RNG.normal(size=(2, 4, 40, 6)) for _ in range(3))
RULES = {
    "causal": {"causal": True},
    "a mask without heads": {"mask": RNG.random((2, 1, 1, 40)) > 0.6},
    "a mask of heads": {"mask": RNG.random((4, 40, 40)) > 0.6, "causal": True},
    "a mask of all": {"mask": RNG.random((2, 4, 40, 40)) > 0.6},
    "documents": {"segment_ids": np.sort(RNG.integers(0, 3, (2, 40)), axis=1), "causal": True},
    "a window": {"causal": True, "window": 5, "first_keys": 2},
    "a bias that texts share": {"bias": RNG.normal(size=(4, 40, 40))},
    "a bias that heads share": {"bias": RNG.normal(size=(2, 1, 40, 40))},
    "distances": {"bias": DistanceBias(RNG.normal(size=(4, 79))), "sink": RNG.normal(size=(4, 1, 1)), "softcap": 2.0},
}


def results(q, k, v, block_size=None, bias=None, sink=None, **rules):
    """Return the output and the gradients of everything that has one."""
    by_distance = isinstance(bias, DistanceBias)
    given = {"bias": bias.values if by_distance else bias, "sink": sink}
    given = {name: tf.convert_to_tensor(x) for name, x in given.items() if x is not None}
    tensors = [tf.convert_to_tensor(x) for x in (q, k, v)]
    with tf.GradientTape() as tape:
        tape.watch([tensors, given])
        added = given | ({"bias": DistanceBias(given["bias"])} if by_distance else {})
        output = blockwise_attention(*tensors, block_size=block_size, **added, **rules)
        loss = tf.reduce_sum(tf.sin(output))
    return [output, *tape.gradient(loss, [*tensors, *given.values()])]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("block_size", [None, 7])
def test_groups_change_no_number(name, block_size, monkeypatch):
    expected = results(Q, K, V, **RULES[name])
    monkeypatch.setattr(groups, "LARGEST_IN_EAGER", TINY)
    for one, other in zip(results(Q, K, V, block_size, **RULES[name]), expected, strict=True):
        np.testing.assert_allclose(one, other, atol=ATOL)


@pytest.mark.parametrize("name", RULES)
def test_a_visible_nan_shows_in_its_group_only(tiny, name, monkeypatch):
    q, k, v = (x.copy() for x in (Q, K, V))
    k[1, 2, 30], v[0, 3, 20, 1] = np.nan, np.inf
    rules = dict(RULES[name])
    found = blockwise_attention(q, k, v, **rules).numpy()
    monkeypatch.undo()
    expected = blockwise_attention(q, k, v, **rules).numpy()
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    assert np.isnan(found).any()
    assert np.isfinite(found[0, :3]).all()


def test_the_batch_may_be_unknown(tiny):
    signature = [tf.TensorSpec((None, *x.shape[1:]), x.dtype) for x in (Q, K, V)]
    for name in ("causal", "a mask of heads", "distances"):
        attend = tf.function(lambda *x, name=name: results(*x, **RULES[name]), signature, autograph=False)
        for one, other in zip(attend(Q, K, V), results(Q, K, V, **RULES[name]), strict=True):
            np.testing.assert_allclose(one, other, atol=ATOL)
        assert attend(Q[:0], K[:0], V[:0])[0].shape == (0, 4, 40, 6)


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"window": 9, "causal": True}])
def test_no_tensor_holds_more_scores_than_the_limit(options, monkeypatch):
    limit = 5 * 64 * 512  # numbers: 64 queries in five heads, so that four of eight attend together
    monkeypatch.setattr(groups, "LARGEST_BLOCK", 4 * limit)
    spec = tf.TensorSpec((2, 8, 512, 4))
    step = tf.function(lambda *x: results(*x, block_size=64, **options), autograph=False)
    graph = step.get_concrete_function(spec, spec, spec).graph
    functions = [graph, *(graph._get_function(name).graph for name in graph._functions)]
    tensors = [t for g in functions for op in g.get_operations() for t in op.outputs]
    sizes = [int(np.prod(t.shape)) for t in tensors if t.shape.is_fully_defined()]
    assert len(functions) > 4
    assert max(sizes) <= limit


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("graph", [False, True])
def test_second_derivatives_are_those_of_the_plain_function(tiny, graph, causal):
    def second(attend, *tensors):
        with tf.GradientTape() as outer:
            outer.watch(tensors)
            with tf.GradientTape() as tape:
                tape.watch(tensors)
                loss = tf.reduce_sum(tf.sin(attend(*tensors)))
            slopes = tape.gradient(loss, tensors)
            total = tf.add_n([tf.reduce_sum(x**2) for x in slopes])
        return outer.gradient(total, tensors)

    def found(*tensors):
        return second(lambda *x: blockwise_attention(*x, block_size=8, causal=causal), *tensors)

    tensors = [tf.constant(x) for x in (Q, K, V)]
    run = tf.function(found, autograph=False) if graph else found
    mask = create_look_ahead_mask(40) if causal else None
    expected = second(lambda *x: scaled_dot_product_attention(*x, mask).output, *tensors)
    for one, other in zip(run(*tensors), expected, strict=True):
        np.testing.assert_allclose(one, other, atol=ATOL)

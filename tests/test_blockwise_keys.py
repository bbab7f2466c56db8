"""Which keys a block reads: the same numbers as NumPy takes, and puts back, by their places."""

import numpy as np
import pytest
import tensorflow as tf

from clear_attention.blockwise.keys import Keys

NUMBER, DEPTH = 9, 3
CUTS = [(0, 0, 9), (0, 0, 4), (0, 2, 6), (0, 5, 9), (2, 2, 9), (2, 4, 7), (1, 3, 3), (3, 8, 9)]
CASES = pytest.mark.parametrize("cut", CUTS, ids=str)
KNOWN = pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
RNG = np.random.default_rng(0)


def places(few, first, last):
    return [*range(few), *range(first, last)]


def run(function, cut, *arrays, known=True, unknown_axes=()):
    """Call it eagerly with numbers, or in a graph that knows neither the places nor the sizes of some axes."""
    if known:
        return function(Keys(*cut), *map(tf.constant, arrays)).numpy()
    few, *rest = cut
    shapes = [[None if i - x.ndim in unknown_axes else n for i, n in enumerate(x.shape)] for x in arrays]
    signature = [*[tf.TensorSpec((), tf.int32)] * 2, *map(tf.TensorSpec, shapes)]
    in_graph = tf.function(lambda first, last, *x: function(Keys(few, first, last), *x), signature, autograph=False)
    return in_graph(*rest, *arrays).numpy()


def drawn(*shape):
    return RNG.normal(size=shape).astype("float32")


@CASES
def test_the_places(cut):
    np.testing.assert_array_equal(Keys(*cut).places, places(*cut))


@CASES
@KNOWN
@pytest.mark.parametrize("leading", [(), (1,), (1, 1), (2,), (2, 4)])
def test_keys_are_taken(cut, known, leading):
    x = drawn(*leading, NUMBER, DEPTH)
    taken = run(Keys.taken, cut, x, known=known)
    np.testing.assert_array_equal(taken, x[..., places(*cut), :])


@pytest.mark.parametrize("leading", [(1, 1), (2, 4)])
def test_what_is_known_of_a_shape_stays_known(leading):
    def both(first, x):
        keys = Keys(2, first, first + 3)
        taken = keys.taken(x)
        return taken, keys.added(x, taken)

    spec = tf.TensorSpec((*leading, NUMBER, DEPTH))
    graph = tf.function(both, autograph=False).get_concrete_function(tf.TensorSpec((), tf.int32), spec)
    taken, added = graph.output_shapes
    assert taken.as_list() == [*leading, None, DEPTH]
    assert added.as_list() == [*leading, NUMBER, DEPTH]


@CASES
@KNOWN
@pytest.mark.parametrize("leading", [(), (2,), (2, 1, 4)])
@pytest.mark.parametrize("unknown_axes", [(), (-1,)])
def test_columns_are_taken_and_a_single_one_is_for_all(cut, known, leading, unknown_axes):
    x, one = drawn(*leading, NUMBER), drawn(*leading, 1)
    found = run(Keys.columns, cut, x, known=known, unknown_axes=unknown_axes)
    np.testing.assert_array_equal(found, x[..., places(*cut)])
    found = run(Keys.columns, cut, one, known=known, unknown_axes=unknown_axes)
    assert found.shape[-1] in (1, len(places(*cut)))
    np.testing.assert_array_equal(found, np.broadcast_to(one, found.shape))


@CASES
@KNOWN
@pytest.mark.parametrize("leading", [(), (2,), (2, 1, 4)])
def test_columns_are_spread_with_zeros_elsewhere(cut, known, leading):
    part = drawn(*leading, len(places(*cut)))
    expected = np.zeros((*leading, NUMBER), "float32")
    expected[..., places(*cut)] = part
    found = run(lambda keys, x: keys.spread(x, NUMBER), cut, part, known=known)
    np.testing.assert_array_equal(found, expected)


@CASES
@KNOWN
@pytest.mark.parametrize("leading", [(), (2,), (2, 1, 4)])
def test_what_a_block_says_is_added_to_its_keys(cut, known, leading):
    total, part = drawn(*leading, NUMBER, DEPTH), drawn(*leading, len(places(*cut)), DEPTH)
    expected = total.copy()
    expected[..., places(*cut), :] += part
    found = run(Keys.added, cut, total, part, known=known)
    np.testing.assert_array_equal(found, expected)


def test_as_many_keys_as_numbers_in_each():
    """Sizes that are equal by chance say nothing of the others."""
    total, part = drawn(NUMBER, NUMBER), drawn(4, NUMBER)
    found = run(Keys.added, (0, 0, 4), total, part)
    np.testing.assert_array_equal(found, np.concatenate([total[:4] + part, total[4:]]))
    total, part = drawn(NUMBER, 4), drawn(4, 4)
    found = run(Keys.added, (0, 0, 4), total, part)
    np.testing.assert_array_equal(found, np.concatenate([total[:4] + part, total[4:]]))


def test_two_columns_are_not_one_for_all():
    x = drawn(3, 2)
    np.testing.assert_array_equal(run(Keys.columns, (0, 0, 2), x, known=False, unknown_axes=(-1,)), x)

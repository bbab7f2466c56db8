"""What may not change a single bit: the future, the padding, how a mask is written, time and company."""

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from strategies import (
    GRADIENTS,
    MASK_DTYPES,
    MASKS,
    STRANGE,
    attend,
    everything,
    held_by,
    hiding,
    numpy_dtype,
    recipes,
    upstream_of,
    ways,
)

from clear_attention import merge_heads, split_heads

HIDING = [name for name in MASKS if name != "nothing"]
SPOILT = [x for x in STRANGE if x is not None]
# There 0 times a negative number, if it is the only key, stays -0, and a query without a key has an output of -0.
KEEPS_SIGNS = tf.__version__.startswith("2.16.") or tf.config.list_physical_devices("GPU")


def assert_same_bits(found, expected, part=...):
    assert found.keys() == expected.keys()
    for name in found:
        one, other = (x[name].numpy()[part] for x in (found, expected))
        if name in GRADIENTS or KEEPS_SIGNS:  # one that is hidden is 0, whose sign nobody needs
            one, other = one + one.dtype.type(0), other + other.dtype.type(0)
        if one.tobytes() != other.tobytes():
            np.testing.assert_array_equal(one, other, err_msg=name, strict=True)
            raise AssertionError(f"{name}: a sign of 0 or the bits of a NaN differ")


# The past and the padding


CAUSAL = ["look-ahead", "combined"]


@given(recipes(longest=12, masks=CAUSAL, stranges=[None]), ways(), st.integers(0, 2**16), st.sampled_from(STRANGE))
def test_the_past_does_not_change_when_the_future_does(recipe, way, cut, strange):
    if way is not None:
        way = way | {"causal": True}
        recipe = replace(recipe, mask="padding")
    case = recipe.build()
    now = cut % recipe.keys
    late = np.arange(recipe.queries) + recipe.keys - recipe.queries >= now
    other = replace(recipe, seed=recipe.seed // 2, mask="none").build()
    future = [x if strange is None else np.full_like(x, held_by(recipe.dtype, strange)) for x in other[:3]]
    changed = [x.copy() for x in case[:3]]
    changed[0][..., late, :] = future[0][..., late, :]
    for x, y in zip(changed[1:], future[1:], strict=True):
        x[..., now:, :] = y[..., now:, :]
    found, expected = (attend(way, *tensors, case.mask) for tensors in (changed, case[:3]))
    assert_same_bits(found, expected, (..., ~late, slice(None)))


@given(recipes(masks=HIDING, stranges=SPOILT, longest=12), ways())
def test_what_nobody_sees_changes_no_result_and_no_gradient(recipe, way):
    upstream = upstream_of(recipe)
    spoilt, plain = (r.build(**hiding(way)) for r in (recipe, replace(recipe, strange=None)))
    assert_same_bits(everything(way, spoilt, upstream), everything(way, plain, upstream))


# The mask


@given(recipes(masks=HIDING, longest=12), ways(), st.sampled_from(MASK_DTYPES))
def test_the_dtype_of_the_mask_does_not_matter(recipe, way, dtype):
    case = recipe.build(**hiding(way))
    assert_same_bits(attend(way, *case[:3], case.mask.astype(numpy_dtype(dtype))), attend(way, *case[:4]))


@given(recipes(masks=HIDING, longest=12), ways(), st.integers(0, 31))
def test_nor_does_it_matter_whether_the_mask_is_broadcast(recipe, way, axes):
    case = recipe.build(**hiding(way))
    upstream = upstream_of(recipe)
    scores = case.visible.shape
    short = (1,) * (len(scores) - case.mask.ndim) + case.mask.shape
    shape = [n if axes >> i & 1 else m for i, (m, n) in enumerate(zip(short, scores, strict=True))]
    tiled = case._replace(mask=np.broadcast_to(case.mask, shape).copy())
    assert_same_bits(everything(way, tiled, upstream), everything(way, case, upstream))


# Time and company


def as_tensors(case):
    return [None if x is None else tf.constant(x) for x in case[:4]]


@given(recipes(longest=8, stranges=[None]), ways(8, smallest_block=8, plain=7))
def test_ten_calls_give_ten_times_the_same(recipe, way):
    tensors = as_tensors(recipe.build(**hiding(way)))
    first = attend(way, *tensors)
    for _ in range(9):
        assert_same_bits(attend(way, *tensors), first)


@pytest.fixture(scope="module")
def threads():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)  # so that they really get into each other's way
    with ThreadPoolExecutor(8) as pool:
        yield pool
    sys.setswitchinterval(interval)


def test_eight_threads_do_not_disturb_each_other(threads):
    @given(recipes(longest=8, stranges=[None]), ways(8, smallest_block=8, plain=7))
    def law(recipe, way):
        cases = [as_tensors(replace(recipe, seed=recipe.seed + i).build(**hiding(way))) for i in range(2)]
        alone = [attend(way, *tensors) for tensors in cases]
        together = list(threads.map(lambda tensors: attend(way, *tensors), cases * 4))
        for found, expected in zip(together, alone * 4, strict=True):
            assert_same_bits(found, expected)

    law()


# Heads


NUMBERS = ("float16", "bfloat16", "float32", "float64", "int8", "int32", "int64", "bool")


@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(0, 3), max_size=3),
    st.integers(0, 9),
    st.integers(1, 6),
    st.integers(1, 6),
    st.sampled_from(NUMBERS),
)
def test_merging_what_was_split_gives_it_back(seed, leading, length, heads, depth, dtype):
    x = np.random.default_rng(seed).integers(-99, 99, (*leading, length, heads * depth)).astype(numpy_dtype(dtype))
    split = split_heads(tf.constant(x), heads)
    assert split.shape == (*leading, heads, length, depth)
    for head, part in enumerate(np.moveaxis(split.numpy(), -3, 0)):
        np.testing.assert_array_equal(part, x[..., head * depth : (head + 1) * depth])
    assert_same_bits({"x": merge_heads(split)}, {"x": tf.constant(x)})

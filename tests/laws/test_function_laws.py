"""Both functions against the reference, within the bound of their arithmetic; gradients too."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from reference import FUNCTION, TANH, TF32, TINY, UNIT, Reference, Within, WithRules, assert_within, long, off, rounded
from strategies import (
    CONTENTS,
    GRADIENTS,
    HALVES,
    MASK_DTYPES,
    MASKS,
    SCALES,
    STRANGE,
    WHOLES,
    attend,
    everything,
    flags,
    hiding,
    numpy_dtype,
    recipes,
    upstream_of,
    ways,
)

from clear_attention import attention_by_hand, scaled_dot_product_attention

# Results


def check_results(recipe, way):
    case = recipe.build(**hiding(way))
    half = recipe.dtype in HALVES
    exact = Reference(case.q, case.k, case.v, case.visible, "float32" if half else recipe.dtype).results()
    for name, found in attend(way, *case[:4]).items():
        assert found.dtype.name == recipe.dtype
        assert_within(found, rounded(exact[name], recipe.dtype) if half else exact[name], name)


@given(recipes())
def test_the_function_is_within_the_bound(recipe):
    check_results(recipe, None)


@given(recipes(), flags(20, 1))
def test_blockwise_attention_is_within_the_bound(recipe, way):
    check_results(recipe, way)


def rules_of(recipe):
    """Draw what else goes into the scores of a case, in its own type."""
    rng = np.random.default_rng(recipe.seed + 7)
    scores = (*recipe.leading, recipe.queries, recipe.keys)

    def drawn(shape):
        shape = [n if rng.random() < 0.6 else 1 for n in shape][int(rng.integers(len(shape))) :]
        return (rng.normal(size=shape) * rng.choice([0.1, 3.0, 30.0])).astype(numpy_dtype(recipe.dtype))

    rules = {
        "bias": drawn(scores) if rng.random() < 0.6 else None,
        "softcap": float(rng.choice([0.5, 5.0, 50.0])) if rng.random() < 0.6 else None,
        "sink": drawn((*scores[:-1], 1))[..., :1] if rng.random() < 0.6 else None,
    }
    return {name: rule for name, rule in rules.items() if rule is not None}


@given(recipes(stranges=[None]), ways())
def test_with_a_cap_a_bias_and_a_sink_results_are_within_the_bound(recipe, way):
    case, rules = recipe.build(**hiding(way)), rules_of(recipe)
    half = recipe.dtype in HALVES
    exact = WithRules(case.q, case.k, case.v, case.visible, "float32" if half else recipe.dtype, **rules).results()
    for name, found in attend(way, *case[:4], **rules).items():
        assert found.dtype.name == recipe.dtype
        assert_within(found, rounded(exact[name], recipe.dtype) if half else exact[name], name)


@pytest.mark.parametrize("dtype", WHOLES)
def test_tanh_is_within_its_ulps(dtype):
    x = np.random.default_rng(0).normal(size=200_000).astype(dtype) * np.array([0.01, 1, 5, 20], dtype)[:, np.newaxis]
    exact = np.tanh(long(x))
    assert np.max(np.abs(long(tf.tanh(x)) - exact) / np.abs(exact)) <= TANH * UNIT[dtype]


@given(recipes(WHOLES, longest=5, deepest=4))
def test_by_hand_agrees_and_is_within_the_bound_itself(recipe):
    case = recipe.build()
    found = attend(None, *case[:4])
    for i in np.ndindex(recipe.leading):
        q, k, v = (x[i].astype(float) for x in case[:3])
        output, weights = attention_by_hand(q.tolist(), k.tolist(), v.tolist(), (~case.visible[i]).tolist())
        by_hand = {"output": np.array(output), "weights": np.array(weights)}
        exact = Reference(q, k, v, case.visible[i], "float64").results()
        allowed = Reference(q, k, v, case.visible[i], recipe.dtype).results()
        for name in by_hand:
            assert_within(by_hand[name], exact[name], f"{name} by hand")
            both = Within(long(by_hand[name]), exact[name].error + allowed[name].error)
            assert_within(found[name].numpy()[i], both, name)


@given(recipes(HALVES, longest=12), ways())
def test_16_bit_results_are_the_rounded_float32_ones(recipe, way):
    case = recipe.build(**hiding(way))
    wide = attend(way, *(x.astype(np.float32) for x in case[:3]), case.mask)
    for name, found in attend(way, *case[:4]).items():
        expected = wide[name].numpy().astype(numpy_dtype(recipe.dtype))
        np.testing.assert_array_equal(found.numpy().view(np.uint16), expected.view(np.uint16))


@given(recipes(WHOLES, longest=12, masks=list(MASKS), stranges=[None]), ways(), st.sampled_from("qkv"))
def test_a_strange_number_reaches_those_who_see_it_and_nobody_else(recipe, way, broken):
    case = recipe.build(**hiding(way))
    rng = np.random.default_rng(recipe.seed)
    tensors = dict(zip("qkv", case[:3], strict=True))
    place = tuple(int(rng.integers(n)) for n in tensors[broken].shape)
    tensors[broken][place] = 0
    exact = Reference(**tensors, visible=case.visible, dtype=recipe.dtype).results()
    tensors[broken][place] = rng.choice([np.nan, np.inf, -np.inf])
    for name, found in attend(way, **tensors, mask=case.mask).items():
        seen = who_sees(case.visible, broken, place, exact["output"].value.shape)[name]
        np.testing.assert_array_equal(~np.isfinite(found), seen)
        assert_within(np.where(seen, exact[name].value, found), exact[name], name)


def who_sees(visible, broken, place, shape):
    """Tell which outputs and weights may not be finite if one number of q, k or v is not."""
    *leading, token, channel = place
    output, weights = np.zeros(shape, bool), np.zeros(visible.shape, bool)
    here = visible[tuple(leading)]
    if broken == "v":
        output[(*leading, here[:, token], channel)] = True
    else:
        rows = here.any(axis=-1) & (np.arange(len(here)) == token) if broken == "q" else here[:, token]
        output[(*leading, rows)] = True
        weights[tuple(leading)] = here & rows[:, np.newaxis]
    return {"output": output, "weights": weights}


# How large errors are


def moderate(seed, dtype, keys, depth, values):
    """Draw scores of about 1."""
    rng = np.random.default_rng(seed)
    queries, keys, d_k, d_v = (int(n) for n in rng.integers(1, [17, keys + 1, depth + 1, 9]))
    q, k = (rng.normal(size=(n, d_k)).astype(dtype) for n in (queries, keys))
    return q, k, values(rng, (keys, d_v)).astype(dtype), rng.random((queries, keys)) < 0.8


def in_ulps(found, exact, of):
    seen = exact.value != 0
    unit = np.spacing(np.maximum(np.abs(of), TINY[found.dtype.name]).astype(found.dtype))
    return (np.abs(long(found) - exact.value) / unit)[seen]


not_of_tf32 = pytest.mark.skipif(TF32, reason="the factors of a product have 10 bits of fraction")


def check_typical_and_largest(errors):
    errors = np.concatenate(errors)
    assert np.median(errors) <= 0.6
    assert errors.max() <= 8


@not_of_tf32
@pytest.mark.parametrize("dtype", WHOLES)
def test_the_error_of_a_short_average_is_half_an_ulp_and_never_eight(dtype):
    errors = []
    for seed in range(300):
        q, k, v, visible = moderate(seed, dtype, 10, 8, lambda rng, shape: rng.uniform(1, 2, shape))  # nothing cancels
        exact = Reference(q, k, v, visible, dtype).output
        found = scaled_dot_product_attention(q, k, v, ~visible).output.numpy()
        errors.append(in_ulps(found, exact, exact.value))
    check_typical_and_largest(errors)


@not_of_tf32
@pytest.mark.parametrize("dtype", WHOLES)
def test_so_it_is_with_more_keys_and_any_values_in_ulps_of_the_largest_value_seen(dtype):
    errors = []
    for seed in range(150):
        q, k, v, visible = moderate(seed, dtype, 64, 64, lambda rng, shape: rng.normal(size=shape))
        exact = Reference(q, k, v, visible, dtype)
        found = scaled_dot_product_attention(q, k, v, ~visible).output.numpy()
        errors.append(in_ulps(found, exact.output, np.abs(exact.v).max(axis=-2)))
    check_typical_and_largest(errors)


@not_of_tf32
@pytest.mark.parametrize(("dtype", "narrower"), [("float64", "float32"), ("float32", "bfloat16")])
def test_the_bound_refuses_the_next_narrower_arithmetic(dtype, narrower):
    refused = []
    for seed in range(50):
        q, k, v, visible = moderate(seed, dtype, 64, 64, lambda rng, shape: rng.normal(size=shape))
        scores = (q @ k.T / np.sqrt(q.shape[-1])).astype(numpy_dtype(narrower)).astype(dtype)
        weights = np.where(visible, np.exp(scores), 0)
        weights = weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-30)
        exact = Reference(q, k, v, visible, dtype).results()
        refused.append(min(off(weights, exact["weights"]).max(), off(weights @ v, exact["output"]).max()) > 1)
    assert np.mean(refused) > 0.9


@pytest.mark.parametrize("dtype", WHOLES)
def test_exp_and_the_reciprocal_are_as_good_as_the_bound_assumes(dtype):
    x = np.geomspace(1e-9, {"float32": 87.0, "float64": 708.0}[dtype], 300_001).astype(dtype)
    allowed = FUNCTION * UNIT[dtype]
    for found, exact in ((tf.exp(-x), np.exp(-long(x))), (tf.math.reciprocal(1 + x), 1 / long(1 + x))):
        assert np.max(np.abs(long(found) / exact - 1)) <= allowed


# Gradients


@given(recipes(WHOLES, longest=12), ways(smallest_block=3, plain=2))
def test_gradients_are_those_of_the_closed_form_and_zero_where_hidden(recipe, way):
    case = recipe.build(**hiding(way))
    upstream = upstream_of(recipe)
    found = everything(way, case, upstream)
    exact = Reference(*case[:3], case.visible, recipe.dtype).gradients(upstream)
    unseen = {"dq": ~case.visible.any(axis=-1), "dk": ~case.visible.any(axis=-2), "dv": ~case.visible.any(axis=-2)}
    for name in GRADIENTS:
        assert_within(found[name], exact[name], name)
        assert np.all(found[name].numpy()[unseen[name]] == 0), name


STEP = 2.0**-17  # x + STEP and x + STEP / 2 are exact for a float64 x that was a float32


SMOOTH = ("normal", "small", "zeros", "ties")


@given(recipes(["float64"], longest=8, deepest=5, contents=SMOOTH), ways(8))
def test_gradients_are_those_of_finite_differences(recipe, way):
    """The error of D(h / 2) is a quarter of that of D(h), so it is below |D(h) - D(h / 2)| and what was rounded."""
    case = recipe.build(**hiding(way))
    with np.errstate(over="ignore"):  # the largest number that may be hidden becomes infinity
        case = case._replace(**{name: getattr(case, name).astype(np.float32).astype(float) for name in "qkv"})
    upstream = upstream_of(recipe)
    rng = np.random.default_rng(recipe.seed)
    ways_to_go = [rng.choice([-1.0, 1.0], x.shape) for x in case[:3]]

    def loss(step):
        moved = [x + step * way_to_go for x, way_to_go in zip(case[:3], ways_to_go, strict=True)]
        return (long(upstream) * long(attend(way, *moved, case.mask)["output"])).sum()

    coarse, fine = ((loss(h) - loss(-h)) / (2 * h) for h in (STEP, STEP / 2))
    found = everything(way, case, upstream)
    slope = sum((long(found[name]) * w).sum() for name, w in zip(GRADIENTS, ways_to_go, strict=True))
    exact = Reference(*case[:3], case.visible, "float64")
    of_slope = sum(part.error.sum() for part in exact.gradients(upstream).values())
    of_losses = (np.abs(upstream) * exact.output.error).sum() * 4 / STEP
    assert abs(fine - slope) <= abs(coarse - fine) + of_losses + of_slope


# The cases


def test_the_cases_are_many_and_different():
    met = []

    @given(recipes())
    def meet(recipe):
        met.append((recipe, recipe.build()))

    meet()
    drawn, cases = zip(*met, strict=True)
    assert {len(recipe.leading) for recipe in drawn} == {0, 1, 2, 3}
    for field, choices in {"dtype": HALVES + WHOLES, "content": CONTENTS, "mask": ("none", *MASKS)}.items():
        assert {getattr(recipe, field) for recipe in drawn} == set(choices)
    assert {recipe.mask_dtype for recipe in drawn} == set(MASK_DTYPES)
    assert {case.mask.ndim for case in cases if case.mask is not None} == {0, 1, 2, 3, 4, 5}
    assert {str(recipe.strange) for recipe in drawn} == {str(x) for x in STRANGE}
    assert sum(recipe.d_k != recipe.d_v for recipe in drawn) > len(drawn) / 2
    assert sum(1 in (recipe.queries, recipe.keys) for recipe in drawn) > len(drawn) / 50
    assert sum(c.mask is not None and c.mask.shape != c.visible.shape for c in cases) > len(drawn) / 5
    assert sum(not c.visible.any(axis=-1).all() for c in cases) > len(drawn) / 5
    assert sum(not all(np.isfinite(x.astype(float)).all() for x in c[:3]) for c in cases) > len(drawn) / 10
    assert max(largest_score(c) for r, c in met if r.dtype == "float64" and r.content in SCALES) > 8e3


def largest_score(case):
    return np.abs(Reference(*case[:3], case.visible, "float64").scores.value).max()

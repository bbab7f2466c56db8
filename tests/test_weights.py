"""Carrying weights: there and back to the bit, torch's own arithmetic, and nothing changed by a refused call."""

import keras
import numpy as np
import pytest
from samples import shake

from clear_attention import (
    MultiHeadAttention,
    weights_from_keras,
    weights_from_matrices,
    weights_from_torch,
    weights_to_keras,
    weights_to_matrices,
    weights_to_torch,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 5, 12)).astype("float32")


def torch_arrays(d=12, bias=True):
    arrays = {"in_proj_weight": (3 * d, d), "out_proj.weight": (d, d)}
    arrays |= {"in_proj_bias": (3 * d,), "out_proj.bias": (d,)} if bias else {}
    return {name: RNG.normal(size=shape).astype("float32") for name, shape in arrays.items()}


def torch_by_hand(x, arrays, heads):
    """Compute what torch documents: y = x W^T + b, with queries, keys and values stacked in one matrix."""
    d = x.shape[-1]
    bias = arrays.get("in_proj_bias", np.zeros(3 * d))
    q, k, v = np.split(x @ arrays["in_proj_weight"].T + bias, 3, axis=-1)
    out = []
    for head in np.split(np.arange(d), heads):
        scores = q[:, head] @ k[:, head].T / np.sqrt(d // heads)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        out.append(weights / weights.sum(-1, keepdims=True) @ v[:, head])
    return np.concatenate(out, -1) @ arrays["out_proj.weight"].T + arrays.get("out_proj.bias", np.zeros(d))


@pytest.mark.parametrize("use_bias", [True, False])
def test_keras_to_ours_and_back_to_the_bit(use_bias):
    theirs, copy = (keras.layers.MultiHeadAttention(3, 4, 5, use_bias=use_bias) for _ in range(2))
    shake(theirs, X, X)
    copy(X, X)
    ours = weights_from_keras(MultiHeadAttention(12, 3, 4, 5, use_bias=use_bias), theirs)
    np.testing.assert_allclose(ours(X), theirs(X, X), atol=1e-5)
    assert weights_to_keras(ours, copy) is copy
    for before, after in zip(theirs.variables, copy.variables, strict=True):
        np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize("bias", [True, False])
def test_torch_to_ours_and_back_to_the_bit(bias):
    arrays = torch_arrays(bias=bias)
    ours = weights_from_torch(MultiHeadAttention(12, 3, use_bias=bias), arrays)
    for sentence in range(2):
        np.testing.assert_allclose(ours(X)[sentence], torch_by_hand(X[sentence], arrays, 3), rtol=1e-4, atol=1e-4)
    back = weights_to_torch(ours)
    assert set(back) == set(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(back[name], array)


def test_a_built_layer_gets_the_weights_too():
    layer = MultiHeadAttention(12, 3)
    layer(X)
    arrays = torch_arrays()
    weights_from_torch(layer, arrays)
    np.testing.assert_array_equal(weights_to_torch(layer)["in_proj_weight"], arrays["in_proj_weight"])


def built(*args, **kwargs):
    layer = keras.layers.MultiHeadAttention(*args, **kwargs)
    layer(X, X)
    return layer


def ours(*args, **kwargs):
    layer = MultiHeadAttention(*args, **kwargs)
    layer(X)
    return layer


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: weights_from_keras(ours(12, 3), keras.layers.MultiHeadAttention(3, 4)), "keras_layer built"),
        (lambda: weights_to_keras(MultiHeadAttention(12, 3), built(3, 4)), "layer built"),
        (lambda: weights_to_torch(MultiHeadAttention(12, 3)), "layer built"),
        (
            lambda: weights_from_keras(ours(12, 2), built(3, 4)),
            r"query_dense.kernel of shape \(12, 2, 6\).*\(12, 3, 4\)",
        ),
        (lambda: weights_to_keras(ours(12, 3), built(3, 4, 5)), r"value_dense.kernel.*\(12, 3, 4\).*\(12, 3, 5\)"),
        (
            lambda: weights_from_keras(ours(12, 3), built(3, 4, use_bias=False)),
            "keras_layer.query_dense with use_bias=True",
        ),
        (lambda: weights_from_torch(ours(12, 3), torch_arrays(bias=False)), "in_proj_bias"),
        (lambda: weights_from_torch(ours(12, 3), torch_arrays(8)), r"in_proj_weight.*\(36, 12\).*\(24, 8\)"),
        (lambda: weights_from_torch(ours(12, 3, d_k=5), torch_arrays()), "d_k=5"),
        (lambda: weights_to_torch(ours(12, 3, d_v=5)), "d_v=5"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: weights_from_keras(3, 4), "clear_attention.MultiHeadAttention.*layer=3 of type int"),
        (lambda: weights_from_keras(built(3, 4), ours(12, 3)), "of type keras.MultiHeadAttention"),
        (lambda: weights_to_keras(ours(12, 3), ours(12, 3)), "keras.layers.MultiHeadAttention.*Received: keras_layer="),
        (lambda: weights_from_torch(ours(12, 3), None), "a dict of in_proj_weight.*state_dict=None"),
        (lambda: weights_from_torch(3, torch_arrays()), "layer=3"),
        (lambda: weights_to_torch(None), "layer=None"),
    ],
)
def test_what_is_no_layer_is_refused_in_words(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_a_refused_call_changes_nothing():
    layer = ours(12, 3)
    before = [w.numpy() for w in layer.weights]
    arrays = torch_arrays()
    arrays["out_proj.bias"] = np.zeros(5)
    with pytest.raises(ValueError, match=r"out_proj.bias of shape \(12,\)"):
        weights_from_torch(layer, arrays)
    theirs = built(3, 4, 4, output_shape=7)
    with pytest.raises(ValueError, match="output_dense"):
        weights_from_keras(layer, theirs)
    for old, new in zip(before, layer.weights, strict=True):
        np.testing.assert_array_equal(new, old)


def quantized(layer):
    (layer.project_queries if hasattr(layer, "project_queries") else layer.query_dense).quantize("int8")
    return layer


def pair_of_layers():
    ours, theirs = MultiHeadAttention(12, 3), keras.layers.MultiHeadAttention(3, 4)
    return shake(ours, X), shake(theirs, X, X)


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda ours, theirs: weights_from_keras(ours, quantized(theirs)), "keras_layer.query_dense not quantized"),
        (lambda ours, theirs: weights_from_keras(quantized(ours), theirs), "layer.project_queries not quantized"),
        (lambda ours, theirs: weights_to_keras(quantized(ours), theirs), "layer.project_queries not quantized"),
        (lambda ours, theirs: weights_to_keras(ours, quantized(theirs)), "keras_layer.query_dense not quantized"),
        (lambda ours, theirs: weights_to_torch(quantized(ours)), "layer.project_queries not quantized"),
        (lambda ours, theirs: weights_from_torch(quantized(ours), torch_arrays()), "layer.project_queries not quan"),
    ],
)
def test_codes_are_not_carried_as_weights(call, words):
    with pytest.raises(ValueError, match=f"holds codes, not weights.*Expected: {words}"):
        call(*pair_of_layers())


def test_lora_is_read_whole_and_never_written_half():
    ours, theirs = pair_of_layers()
    ours.project_keys.enable_lora(2)
    ours.project_keys.lora_kernel_b.assign(RNG.normal(size=(2, 12)))
    before = [w.numpy() for w in ours.weights]
    for call in (lambda: weights_from_keras(ours, theirs), lambda: weights_from_torch(ours, torch_arrays())):
        with pytest.raises(
            ValueError, match=r"Expected: layer\.project_keys without LoRA\. Received: .* lora_rank=2\."
        ):
            call()
    for weight, value in zip(ours.weights, before, strict=True):
        np.testing.assert_array_equal(weight, value)
    expected = ours(X)
    np.testing.assert_allclose(weights_to_keras(ours, theirs)(X, X), expected, atol=1e-5)
    plain = weights_from_torch(MultiHeadAttention(12, 3), weights_to_torch(ours))
    np.testing.assert_allclose(plain(X), expected, atol=1e-5)
    theirs.query_dense.enable_lora(2)
    with pytest.raises(ValueError, match=r"Expected: keras_layer\.query_dense without LoRA"):
        weights_to_keras(plain, theirs)


@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("use_bias", [True, False])
def test_grouped_queries_of_keras_to_ours_and_back_to_the_bit(groups, use_bias):
    options = {"head_dim": 6, "num_query_heads": 4, "num_key_value_heads": groups, "use_bias": use_bias}
    theirs, copy = (keras.layers.GroupQueryAttention(**options) for _ in range(2))
    shake(theirs, X, X)
    copy(X, X)
    ours = MultiHeadAttention(12, 4, d_k=6, num_key_value_heads=groups, use_bias=use_bias)
    weights_from_keras(ours, theirs)
    np.testing.assert_allclose(ours(X), theirs(X, X), atol=1e-4, rtol=1e-4)
    assert weights_to_keras(ours, copy) is copy
    for before, after in zip(theirs.variables, copy.variables, strict=True):
        np.testing.assert_array_equal(after, before)


def matrices_by_hand(x, arrays, heads, groups, d_k):
    """Compute what a checkpoint means: y = W x + b, and head i of queries meets head i // (heads / groups) of keys."""
    made = {n: x @ arrays[f"{n}_proj.weight"].T + arrays.get(f"{n}_proj.bias", 0) for n in "qkv"}
    out = []
    for head in range(heads):
        own, shared = (slice(i * d_k, (i + 1) * d_k) for i in (head, head // (heads // groups)))
        scores = made["q"][:, own] @ made["k"][:, shared].T / np.sqrt(d_k)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        out.append(weights / weights.sum(-1, keepdims=True) @ made["v"][:, shared])
    return np.concatenate(out, -1) @ arrays["o_proj.weight"].T + arrays.get("o_proj.bias", 0)


@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("bias", [True, False])
def test_matrices_of_a_checkpoint_to_ours_and_back_to_the_bit(groups, bias):
    rows = {"q": 24, "k": 6 * groups, "v": 6 * groups}
    arrays = {f"{n}_proj.weight": RNG.normal(size=(size, 12)).astype("float32") for n, size in rows.items()}
    arrays["o_proj.weight"] = RNG.normal(size=(12, 24)).astype("float32")
    if bias:
        arrays |= {n.replace("weight", "bias"): RNG.normal(size=len(a)).astype("float32") for n, a in arrays.items()}
    ours = MultiHeadAttention(12, 4, d_k=6, num_key_value_heads=groups, use_bias=bias)
    assert weights_from_matrices(ours, arrays) is ours
    for sentence in range(2):
        expected = matrices_by_hand(X[sentence], arrays, 4, groups, 6)
        np.testing.assert_allclose(ours(X)[sentence], expected, rtol=1e-4, atol=1e-4)
    back = weights_to_matrices(ours)
    assert set(back) == set(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(back[name], array)


def test_a_refused_checkpoint_changes_nothing():
    ours = MultiHeadAttention(12, 4, num_key_value_heads=2, use_bias=False)
    ours.build((None, None, 12))
    before = ours.get_weights()
    arrays = weights_to_matrices(ours)
    for broken in ({**arrays, "k_proj.weight": np.ones((12, 12))}, {**arrays, "q_proj.bias": np.ones(12)}):
        with pytest.raises(ValueError, match="must h"):
            weights_from_matrices(ours, broken)
    for old, new in zip(before, ours.get_weights(), strict=True):
        np.testing.assert_array_equal(new, old)

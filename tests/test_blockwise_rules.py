"""Blockwise attention gives the plain function's numbers with everything that goes into the scores, in every mode."""

import numpy as np
import pytest
import tensorflow as tf

from clear_attention import DistanceBias, blockwise_attention, scaled_dot_product_attention

ATOL = 1e-12  # in float64


def one_or_all(rng, *sizes, drop=True):
    """Draw a shape that broadcasts to these sizes: axes of 1, and leading ones left out."""
    shape = [int(rng.choice([1, n])) for n in sizes]
    return shape[int(rng.integers(0, len(shape))) :] if drop else shape


class Drawn:
    """A call with random sizes and rules, the same for both functions."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        heads = int(rng.choice([2, 4]))
        groups, batch = int(rng.choice([g for g in (1, 2, 4) if heads % g == 0])), int(rng.integers(1, 3))
        queries = int(rng.integers(1, 14))
        keys = int(rng.integers(queries, 16)) if rng.random() < 0.8 else int(rng.integers(1, 16))
        sizes = {"q": (heads, queries, 3), "k": (groups, keys, 3), "v": (groups, keys, 2)}
        self.tensors = {name: rng.normal(size=(batch, *size)) for name, size in sizes.items()}
        self.upstream = tf.constant(rng.normal(size=(batch, heads, queries, 2)))
        self.by_distance = bool(rng.random() < 0.4)
        if self.by_distance:
            self.tensors["bias"] = rng.normal(size=[*one_or_all(rng, batch, heads), queries + keys - 1])
        elif rng.random() < 0.6:
            self.tensors["bias"] = rng.normal(size=one_or_all(rng, batch, heads, queries, keys))
        if rng.random() < 0.5:
            self.tensors["sink"] = rng.normal(size=[*one_or_all(rng, batch, heads, queries), 1])
        self.rules = {"grouped": True, "softcap": float(rng.uniform(0.5, 3)) if rng.random() < 0.5 else None}
        self.hide(rng, batch, queries, keys)

    def hide(self, rng, batch, queries, keys):
        causal, window = bool(rng.random() < 0.5), int(rng.integers(1, 8)) if rng.random() < 0.5 else None
        first_keys, block = int(rng.integers(0, 4)) if window else 0, int(rng.integers(1, queries + 2))
        rows, columns = int(rng.choice([1, queries])), int(rng.choice([1, keys]))
        mask = rng.random((batch, 1, rows, columns)) < 0.3 if rng.random() < 0.4 else None
        documents = np.sort(rng.integers(0, 3, size=(batch, keys)), axis=1) if rng.random() < 0.4 else None
        if documents is not None and (rng.random() < 0.3):
            documents = rng.permuted(documents, axis=1)  # one document in several pieces
        if queries > keys:
            documents = None
        self.hiding = {"mask": mask, "causal": causal, "window": window, "first_keys": first_keys}
        self.hiding |= {"segment_ids": documents, "block_size": block}

        places, columns = np.arange(queries)[:, None] + keys - queries, np.arange(keys)
        self.blocked = (
            np.zeros((batch, 1, queries, keys), bool) if mask is None else mask | np.zeros((queries, keys), bool)
        )
        if causal:
            self.blocked |= columns > places
        if window:
            self.blocked |= (np.abs(columns - places) >= window) & (columns >= first_keys)
        if documents is not None:
            own = np.take_along_axis(documents, np.broadcast_to(places.T, (batch, queries)), axis=1)
            self.blocked |= (own[:, :, None] != documents[:, None])[:, None]

    def results(self, function, hiding, tensors):
        """Return the output and the gradients of everything that goes in."""
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            given = dict(tensors)
            if self.by_distance:
                given["bias"] = DistanceBias(given["bias"])
            result = function(**given, **self.rules, **hiding)
            output = getattr(result, "output", result)
        slopes = tape.gradient(output, tensors, self.upstream)
        return {"output": output, **slopes}

    def of_blocks(self, **mode):
        """Trace the blockwise function, with lengths that are known only when it runs if `mode` says so."""
        signature, unknown = {}, mode.pop("unknown", False)
        for name, x in self.tensors.items():
            axes = [None if unknown and axis == 2 and n > 1 else n for axis, n in enumerate(x.shape)]
            signature[name] = tf.TensorSpec(axes, tf.float64)

        def run(tensors):
            return self.results(blockwise_attention, self.hiding, tensors)

        return tf.function(run, input_signature=[signature], autograph=False, **mode)


MODES = {"eager": None, "graph": {}, "lengths not known": {"unknown": True}, "XLA": {"jit_compile": True}}


@pytest.mark.filterwarnings("ignore:.*retracing")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(12))
def test_equals_the_plain_function_in_output_and_all_gradients(seed, mode):
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


def test_the_draws_hold_every_rule():
    drawn = [Drawn([seed, 25]) for seed in range(12)]
    for rule in ("bias", "sink"):
        assert any(rule in d.tensors for d in drawn)
        assert not all(rule in d.tensors for d in drawn)
    assert any(d.rules["softcap"] for d in drawn)
    assert any(d.by_distance for d in drawn)
    for rule in ("mask", "window", "segment_ids"):
        assert any(d.hiding[rule] is not None for d in drawn), rule
    assert any(d.hiding["first_keys"] for d in drawn)
    assert len({d.tensors["k"].shape[1] / d.tensors["q"].shape[1] for d in drawn}) > 2


def test_blocks_of_other_documents_are_not_read():
    """NaN in the keys of a document that no query of the block belongs to would show if it were multiplied."""
    q, k, v = np.random.default_rng(0).normal(size=(3, 1, 2, 64, 4)).astype("float32")
    documents = np.repeat([[1, 2, 3, 4]], 16, axis=1)
    documents = np.sort(documents, axis=1)
    clean = blockwise_attention(q, k, v, segment_ids=documents, block_size=16, check_finite=False)
    k[:, :, 32:] = np.nan
    found = blockwise_attention(q, k, v, segment_ids=documents, block_size=16, check_finite=False)
    np.testing.assert_array_equal(found[:, :, :32], clean[:, :, :32])


@pytest.mark.parametrize("strange", [np.nan, np.inf])
def test_a_strange_number_shows_where_it_is_visible_and_nowhere_else(strange):
    rng = np.random.default_rng(1)
    q, k, v = (rng.normal(size=(1, n, 6, 4)) for n in (4, 2, 2))
    bias, sink = np.zeros((4, 11)), np.zeros((4, 1, 1))
    bias[1, 5 - 2] = strange  # head 1, a key two places before its query
    for causal in (True, False):
        plain_mask = np.triu(np.ones((6, 6)), 1) if causal else None
        rules = {"bias": DistanceBias(bias), "sink": sink, "grouped": True}
        expected = scaled_dot_product_attention(q, k, v, plain_mask, **rules).output.numpy()
        found = blockwise_attention(q, k, v, causal=causal, block_size=4, **rules).numpy()
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
        assert np.isnan(found[0, 1, 2:]).all()
        assert np.isfinite(found[0, 1, :2]).all()
        assert np.isfinite(found[0, [0, 2, 3]]).all()
    sink[3] = strange
    found = blockwise_attention(q, k, v, sink=sink, grouped=True, block_size=4).numpy()
    assert np.isnan(found[0, 3]).all()
    assert np.isfinite(found[0, :3]).all()

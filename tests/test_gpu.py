"""What is done otherwise where TensorFlow has a GPU, tried without one: the same numbers, in fewer and larger steps."""

import numpy as np
import pytest
import tensorflow as tf
from compare import close

from clear_attention import MultiHeadAttention, _nonfinite, attention, blockwise, create_look_ahead_mask
from clear_attention.blockwise import block_that_fits, blocks, blockwise_pays, groups

RNG = np.random.default_rng(0)
USERS = (_nonfinite, attention, blockwise, groups)


@pytest.fixture
def gpu(monkeypatch):
    """Let the package believe that there is a GPU, and forget what it has traced."""
    for module in USERS:
        monkeypatch.setattr(module, "on_gpu", lambda: True)
    monkeypatch.setattr(_nonfinite, "replace", _nonfinite.replace.__wrapped__)


def spec(*shape):
    return tf.TensorSpec(shape, tf.float32)


def results(f, *tensors):
    """Compute an output and its gradients in a graph."""

    @tf.function(autograph=False)
    def run(*tensors):
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            output = f(*tensors)
            loss = tf.reduce_sum(tf.sin(tf.where(tf.math.is_finite(output), output, 0)))
        return output, *tape.gradient(loss, tensors)

    return run(*tensors)


def inputs(shape=(2, 4, 40, 8)):
    return [tf.constant(RNG.normal(size=shape), tf.float32) for _ in "qkv"]


def spoilt(visible):
    """Make inputs of which a key holds NaN; the mask hides it, or lets the last query see it. Query 3 sees nothing."""
    q, k, v = (x.numpy() for x in inputs())
    k[:, :, 20], v[:, :, 20] = np.nan, np.inf
    mask = np.array(create_look_ahead_mask(40))
    mask[:, 20] = True
    mask[3] = True
    mask[-1, 20] = not visible
    return [tf.constant(x) for x in (q, k, v)], mask


@pytest.mark.parametrize("visible", [False, True])
def test_selections_give_the_bits_that_branches_give(gpu, monkeypatch, visible):
    tensors, mask = spoilt(visible)
    attend = lambda q, k, v: attention.scaled_dot_product_attention(q, k, v, mask).output  # noqa: E731
    found = results(attend, *tensors)
    for module in USERS:
        monkeypatch.setattr(module, "on_gpu", lambda: False)
    expected = results(attend, *tensors)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.all(found[0].numpy()[:, :, 3] == 0)
    assert np.isnan(found[0].numpy()[:, :, -1]).all() == visible
    assert np.isfinite(found[0].numpy()[:, :, :-1]).all()


def branches(check_finite):
    """Count the branches of a graph that attends."""
    _, mask = spoilt(visible=False)
    attend = lambda x: attention.scaled_dot_product_attention(x, x, x, mask, check_finite=check_finite)  # noqa: E731
    graph = tf.function(attend, autograph=False).get_concrete_function(spec(2, 4, 40, 8)).graph
    functions = [graph, *(graph._get_function(name).graph for name in graph._functions)]
    return sum(op.type in ("If", "StatelessIf") for function in functions for op in function.get_operations())


def test_nothing_waits_for_the_card_while_all_is_finite(gpu, monkeypatch):
    monkeypatch.setattr(_nonfinite, "mark", _nonfinite.mark.__wrapped__)
    assert (branches(check_finite=False), branches(check_finite=True)) == (
        0,
        1,
    )  # whether to write NaN where it was seen
    for module in USERS:
        monkeypatch.setattr(module, "on_gpu", lambda: False)
    assert (branches(check_finite=False), branches(check_finite=True)) == (1, 3)


@pytest.mark.parametrize("limit", [2**29, 20_000, 500])  # bytes: all at once, some heads, a few queries of one
def test_blocks_of_any_size_give_what_the_plain_function_gives(gpu, monkeypatch, limit):
    monkeypatch.setattr(groups, "LARGEST_ON_GPU", limit)
    monkeypatch.setattr(groups, "FEWEST", 2)
    tensors, mask = spoilt(visible=True)
    found = results(lambda *x: blockwise.blockwise_attention(*x, mask, causal=True), *tensors)
    expected = results(lambda *x: attention.scaled_dot_product_attention(*x, mask).output, *tensors)
    for one, other in zip(found, expected, strict=True):
        close(one, other, 2e-6)


def test_steps_are_few_and_large(gpu):
    hiding = blocks.Hiding(causal=True)
    assert block_that_fits(spec(1, 8, 4096, 64), spec(1, 8, 4096, 64), hiding) == 1024
    assert block_that_fits(spec(1, 8, None, 64), spec(1, 8, None, 64), hiding) == 1024
    assert block_that_fits(spec(1, 1, 2**18, 64), spec(1, 1, 2**18, 64), hiding) == 512  # 512 MiB of one head
    q = tf.zeros((1, 8, 4, 2))
    assert groups.cuts_of(q, q, 2**26) == []  # eight heads of 64 MiB
    assert [cut.number for cut in groups.cuts_of(q, q, 2**27)] == [2]
    assert [cut.number for cut in groups.cuts_of(q, q, 2**30)] == [8]


def test_blocks_pay_only_where_the_weights_are_too_many(gpu):
    assert not blockwise_pays(spec(1, 8, 8192, 64), spec(1, 8, 8192, 64), causal=True)
    assert blockwise_pays(spec(1, 8, 8193, 64), spec(1, 8, 8193, 64), causal=True)
    assert MultiHeadAttention(8, 2)(tf.zeros((1, 2048, 8)), causal=True).shape == (1, 2048, 8)


@pytest.mark.skipif(bool(tf.config.list_physical_devices("GPU")), reason="there is one")
def test_without_a_gpu_nothing_changes():
    assert not groups.on_gpu()
    assert blockwise_pays(spec(1, 8, 8192, 64), spec(1, 8, 8192, 64), causal=True)

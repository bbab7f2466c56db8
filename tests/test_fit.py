"""Every layer learns the same in all the ways in which Keras trains, and has the derivatives of its formula."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from layer_contract import ENTRIES, close, each_layer, example, inputs_of, shaken

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
LAYERS = [name for name, entry in ENTRIES.items() if not entry.takes_ids]


def sure(name, **options):
    """Return a layer that drops nothing."""
    return shaken(name, **options, **({"dropout": 0.0} if "dropout" in ENTRIES[name].options else {}))


def learner(name, **options):
    """Return a layer behind one that learns, as a model: a layer without weights has something to hand gradients to."""
    layer, inputs = sure(name, **options), inputs_of(name)
    policy = options.get("dtype", "float32")
    scales = [] if ENTRIES[name].takes_ids else [keras.layers.Dense(x.shape[-1], dtype=policy) for x in inputs]
    model = keras.Model(inputs, layer(*(s(x) for s, x in zip(scales, inputs, strict=True)) if scales else inputs))
    rng = np.random.default_rng(4)
    for variable in model.trainable_variables[: 2 * len(scales)]:
        variable.assign(rng.normal(size=variable.shape) * 0.3)
    return model


@functools.cache
def data(name):
    inputs = [np.concatenate([x] * 2) for x in example(name)]  # two batches
    outputs = sure(name)(*example(name))
    return inputs, np.random.default_rng(3).normal(size=(2 * outputs.shape[0], *outputs.shape[1:])).astype("float32")


def fitted(name, weights=None, inputs=None, targets=None, policy="float32", optimizer=None, **options):
    model = learner(name, **({} if policy == "float32" else {"dtype": policy}))
    model.compile(optimizer or keras.optimizers.SGD(0.01), "mse", **{"jit_compile": False, **options})
    known_inputs, known_targets = data(name)
    inputs, targets = inputs or known_inputs, known_targets if targets is None else targets
    losses = model.fit(inputs, targets, len(targets) // 2, epochs=2, shuffle=False, verbose=0, sample_weight=weights)
    return losses.history["loss"], [v.numpy() for v in model.trainable_variables]


@functools.cache
def plain(name):
    return fitted(name)


def alike(name, found, tolerance=1e-5):
    losses, weights = plain(name)
    close(found[0], losses, tolerance)
    assert losses[1] < losses[0]
    for one, other in zip(found[1], weights, strict=True):
        close(one, other, tolerance)


@each_layer()
def test_several_steps_at_once(name):
    alike(name, fitted(name, steps_per_execution=2))


@each_layer()
def test_compiled_by_xla(name):
    alike(name, fitted(name, jit_compile=True))


@each_layer()
def test_without_graphs(name):
    alike(name, fitted(name, run_eagerly=True))


@each_layer()
def test_mixed_precision_with_a_scaled_loss(name):
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.01), initial_scale=2.0**10)
    alike(name, fitted(name, policy="mixed_float16", optimizer=optimizer), 0.02)
    assert float(optimizer.dynamic_scale) == 2.0**10  # no gradient overflowed


@each_layer()
def test_a_sample_of_weight_0_teaches_nothing(name):
    inputs, targets = data(name)
    weights = np.ones(targets.shape[:2])  # one for each token
    weights[::2] = 0
    others, other = [x.copy() for x in inputs], targets.copy()
    other[::2] = 77
    if not ENTRIES[name].takes_ids:  # of which others have other padding, over which Keras takes the mean
        for x, given in zip(others, inputs, strict=True):
            x[::2] = given[1::2]
    found, expected = fitted(name, weights, others, other), fitted(name, weights)
    close(found[0], expected[0], 1e-6)
    for one, same in zip(found[1], expected[1], strict=True):
        close(one, same, 1e-6)
    assert any(np.any(one != two) for one, two in zip(found[1], plain(name)[1], strict=True))


def scalar_of(name, layer):
    """Return a function of the inputs to one number, and inputs in float64."""
    inputs = [tf.constant(x, tf.float64) for x in example(name)]
    probe = tf.constant(np.random.default_rng(5).normal(size=layer(*inputs).shape))
    return lambda *x: tf.reduce_sum(tf.sin(layer(*x)) * probe), inputs


@pytest.mark.parametrize("name", LAYERS)
def test_second_derivatives_are_the_slopes_of_the_first(name):
    f, inputs = scalar_of(name, sure(name, dtype="float64"))
    directions = [tf.constant(np.random.default_rng(6).normal(size=x.shape)) for x in inputs]

    @tf.function(autograph=False)
    def first(*x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(*x)
        return tape.gradient(y, x)

    @tf.function(autograph=False)
    def second(*x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            along = tf.add_n([tf.reduce_sum(g * d) for g, d in zip(first(*x), directions, strict=True)])
        return tape.gradient(along, x, unconnected_gradients="zero")

    step = 1e-5
    above, below = (first(*(x + sign * step * d for x, d in zip(inputs, directions, strict=True))) for sign in (1, -1))
    for found, high, low in zip(second(*inputs), above, below, strict=True):
        close(found, (high - low) / (2 * step), 1e-6)


@pytest.mark.parametrize("name", LAYERS)
def test_a_jacobian_holds_the_gradient_of_each_output(name):
    layer = sure(name, dtype="float64")
    inputs = [tf.constant(x[:2, :2], tf.float64) for x in example(name)]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(inputs)
        output = layer(*inputs)
        number = output[0, 1, 2]
    for jacobian, gradient in zip(tape.jacobian(output, inputs), tape.gradient(number, inputs), strict=True):
        close(jacobian[0, 1, 2], gradient, 1e-12)
        np.testing.assert_array_equal(jacobian[0, :, :, 1], np.zeros_like(jacobian[0, :, :, 1]))  # another sentence


@pytest.mark.parametrize("name", LAYERS)
def test_forgetting_and_computing_again_gives_the_same_gradients(name):
    layer = sure(name, dtype="float64")
    f, inputs = scalar_of(name, layer)
    again, _ = scalar_of(name, tf.recompute_grad(layer))

    def gradients(f):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = f(*inputs)
        return tape.gradient(y, [*inputs, *layer.trainable_variables])

    for found, expected in zip(gradients(again), gradients(f), strict=True):
        close(found, expected, 1e-12)

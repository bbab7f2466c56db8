"""What is done to a layer: twins, weights, and a look at what goes on inside."""

from __future__ import annotations

import contextlib
import functools
import inspect
from unittest import mock

import keras
import numpy as np
import tensorflow as tf

SMALL = 0.3  # weights below this part of what an initializer makes are made larger where they hide what happens


def is_layer(layer):
    return isinstance(layer, keras.Layer)


def variables(layer):
    found = getattr(layer, "trainable_variables", [])
    return [v for v in found if tf.as_dtype(v.dtype).is_floating]


def built_depth(layer):
    """Return the last axis of the tokens `(batch, length, depth)` that a layer was built with, or None."""
    if not is_layer(layer) or not layer.built:
        return None
    try:
        config = layer.get_build_config() or {}
        shape = config.get("shapes_dict") or config.get("input_shape") or [x.shape for x in layer.inputs]
        while isinstance(shape, dict) or isinstance(shape[0], (list, tuple, dict)):  # the first of several
            shape = next(iter(shape.values())) if isinstance(shape, dict) else shape[0]
        return int(shape[2]) if len(shape) == 3 else None
    except Exception:  # a class of somebody else's may write down what it likes
        return None


def inner_layers(layer):
    """Return a layer and all layers inside."""
    return list(layer._flatten_layers()) if is_layer(layer) else []


def twin(layer, policy=None):
    """Make another layer of the same config, in another dtype policy if one is given, or None."""
    before = keras.config.dtype_policy()
    try:
        config = layer.get_config()
        if policy is not None:
            keras.config.set_dtype_policy(policy)
            config = {**config, "dtype": policy}
        return type(layer).from_config(config)
    except Exception:  # a class of somebody else's may raise anything
        return None
    finally:
        keras.config.set_dtype_policy(before)


def twin_of_unbuilt(layer):
    """Return a twin of a layer that was never called, if one can be made: the layer stays as it is."""
    return (twin(layer) or layer) if is_layer(layer) and not layer.built else layer


def make_weights_random(layer, seed):
    """Give a twin random weights: biases of 0 would hide faults."""
    rng = np.random.default_rng(seed)
    for variable in variables(layer):
        noise, rows = rng.normal(size=variable.shape), int(np.prod(variable.shape[:-1]))
        # kernels as large as any initializer makes them; biases and scales near what they begin with
        value = noise / rows**0.5 if len(variable.shape) > 1 else np.array(variable) + 0.3 * noise
        variable.assign(value)


ENLARGING = """\
for w in layer.trainable_variables:  # made larger, so that a change can be seen
    if len(w.shape) > 1 and np.std(w.numpy()) > 0:
        w.assign(w / np.std(w.numpy()) / np.prod(w.shape[:-1]) ** 0.5)"""


def enlarge_small_weights(layer):
    """Make kernels that are smaller than any initializer makes them as large as those; tell whether there were any."""
    kernels = [v for v in variables(layer) if len(v.shape) > 1 and np.std(np.array(v)) > 0]
    if not any(np.std(np.array(v)) < SMALL * np.prod(v.shape[:-1]) ** -0.5 for v in kernels):
        return False
    exec(ENLARGING, {"layer": layer, "np": np})  # the very lines that an example shows
    return True


@contextlib.contextmanager
def unchanged(layer):
    """Give a layer its numbers back: a call in training moves the statistics of a norm, and the state of a seed."""
    before = [(v, v.numpy()) for v in getattr(layer, "variables", ())] if is_layer(layer) else []
    try:
        yield
    finally:
        for variable, value in before:
            variable.assign(value)


@contextlib.contextmanager
def without_dropout():
    """Let whatever draws a dropout return its input, in the layers of Keras and in functions of TensorFlow."""

    def same(x, *_, **__):
        return x

    names = ["tensorflow.nn.dropout", "tensorflow.nn.experimental.stateless_dropout", "keras.random.dropout"]
    with contextlib.ExitStack() as stack:
        for name in names:
            stack.enter_context(mock.patch(name, same))
        yield


class MaskWatch:
    """Note which layers inside make a mask, and which could use one and get none."""

    def __init__(self, layer):
        self.layer, self.makers, self.deprived = layer, [], []

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        for inner in inner_layers(self.layer):
            if inner is not self.layer:
                self.stack.enter_context(mock.patch.object(inner, "call", self.watched(inner, inner.call)))
        return self

    def __exit__(self, *_):
        self.stack.close()

    def watched(self, inner, call):
        uses = {"mask", "query_mask", "key_mask"} & {*inspect.signature(call).parameters}

        @functools.wraps(call)
        def watching(*args, **kwargs):
            has = any(getattr(x, "_keras_mask", None) is not None for x in tf.nest.flatten((args, kwargs)))
            masks = [x for name, x in kwargs.items() if "mask" in name and not isinstance(x, bool)]
            told = any(x is not None for x in tf.nest.flatten(masks))
            if isinstance(inner, keras.layers.Embedding) and inner.mask_zero:
                self.makers.append(inner.name)
            elif uses and self.makers and not has and not told:
                self.deprived.append(inner.name)
            return call(*args, **kwargs)

        return watching


@contextlib.contextmanager
def embedded_and(layer, ids):
    """Add a tensor of zeros to what the first embedding inside returns, and hand it out, to take gradients to."""
    table = next((x for x in inner_layers(layer) if isinstance(x, keras.layers.Embedding)), None)
    if table is None:
        yield None
        return
    zeros, embed = tf.zeros((*ids.shape, table.output_dim)), table.call

    def embedded(x, *args, **kwargs):
        found = embed(x, *args, **kwargs)
        return found + tf.cast(zeros, found.dtype) if found.shape == zeros.shape else found

    with mock.patch.object(table, "call", embedded):
        yield zeros

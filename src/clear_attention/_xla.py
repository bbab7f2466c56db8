"""Find out where what is traced will run, under XLA or on a GPU, and trace only once what many layers do."""

from __future__ import annotations

import functools

import tensorflow as tf


def in_xla():
    """Tell whether this is traced to be compiled by XLA, where all sizes must be known beforehand."""
    graph = None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()
    while graph is not None:
        context = graph._get_control_flow_context()
        while context is not None:
            if type(context).__name__ == "XLAControlFlowContext":
                return True
            context = context.outer_context
        graph = getattr(graph, "outer_graph", None)
    return False


@functools.cache
def on_gpu():
    """Tell whether TensorFlow puts operations on a GPU by itself.

    There a step of a loop, or a branch, costs more than large tensors do: the processor must wait for the card to know
    which way to go.
    """
    return bool(tf.config.list_logical_devices("GPU"))


def traced_once(function):
    """Call a function of tensors from graphs as one operation: then only its first use, for each shape, is traced.

    To trace a branch takes milliseconds, and an attention has nine. XLA needs none, and inlines everything anyway. Each
    shape has a function of its own, since TensorFlow would take one that knows less of it, and forget the rest.
    """
    traced = functools.lru_cache(maxsize=1024)(lambda shapes: tf.function(function, autograph=False))

    @functools.wraps(function)
    def call(*args):
        inline = tf.executing_eagerly() or in_xla()
        return (function if inline else traced(shapes_of(args)))(*args)

    return call


def shapes_of(args):
    """Return what tells one structure of tensors from another: what is known of their shapes, and all else as it is."""
    return tuple((x.dtype, str(x.shape)) if tf.is_tensor(x) else x for x in tf.nest.flatten(args))

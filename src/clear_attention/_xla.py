"""Find out whether XLA compiles what is traced, and trace only once what many layers do."""

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


def traced_once(function):
    """Call a function of tensors from graphs as one operation: then only its first use, for each shape, is traced.

    To trace a branch takes milliseconds, and an attention has nine. XLA needs none, and inlines everything anyway.
    """
    traced = tf.function(function, autograph=False)

    @functools.wraps(function)
    def call(*args):
        return (function if tf.executing_eagerly() or in_xla() else traced)(*args)

    return call

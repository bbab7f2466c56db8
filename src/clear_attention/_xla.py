"""Find out whether XLA compiles what is traced."""

from __future__ import annotations

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

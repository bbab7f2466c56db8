"""Measure what the page "Benchmarks" says about whole rows and pieces of keys: `make bench-softmax`.

One block of queries meets all keys in both ways, and a softmax runs in one kernel and in separate steps; each with
oneDNN and without, in a process of its own. The medians are kept in benchmarks/softmax.json, which the page shows.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import tensorflow as tf

from benchmarks.machine import facts, keep
from benchmarks.timing import by_turns

RESULTS = Path(__file__).with_name("softmax.json")
SECONDS = 15  # for each comparison


def whole_rows(q, k, v):
    """One block of queries against all keys."""
    return tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True)), v)


def in_pieces(q, k, v, size=256):
    """The same, with a running maximum and a running sum."""
    m = tf.fill([*q.shape[:-1], 1], tf.constant(-np.inf, q.dtype))
    total, output = tf.zeros_like(m), tf.zeros_like(q)
    for first in range(0, k.shape[-2], size):
        s = tf.matmul(q, k[..., first : first + size, :], transpose_b=True)
        new = tf.maximum(m, tf.reduce_max(s, axis=-1, keepdims=True))
        weights, mend = tf.exp(s - new), tf.exp(m - new)
        total = total * mend + tf.reduce_sum(weights, axis=-1, keepdims=True)
        output = output * mend + tf.matmul(weights, v[..., first : first + size, :])
        m = new
    return output / total


def separate_steps(s):
    """An ordinary softmax, each step a kernel of its own."""
    weights = tf.exp(s - tf.reduce_max(s, axis=-1, keepdims=True))
    return weights / tf.reduce_sum(weights, axis=-1, keepdims=True)


def measure():
    """Return the median milliseconds of each way, by name."""
    q, k, v = np.random.default_rng(0).normal(size=(3, 1, 8, 1024, 64))
    q, k, v = (tf.constant(x, tf.float32) for x in (q[..., :256, :] / 8, k, v))
    scores = tf.matmul(q, k, transpose_b=True)
    found = {}
    for ways, inputs in (((whole_rows, in_pieces), (q, k, v)), ((tf.nn.softmax, separate_steps), (scores,))):
        graphs = {way.__name__.removesuffix("_v2"): tf.function(way) for way in ways}
        calls = {name: partial(graph, *inputs) for name, graph in graphs.items()}
        times, _ = by_turns(calls, SECONDS)
        found |= {name: float(f"{statistics.median(ms):.3g}") for name, ms in times.items()}
    return found


def main():
    if "--here" in sys.argv:
        return print(json.dumps(measure()))
    found = facts(("tensorflow",))
    for name, flag in {"with oneDNN": "1", "without": "0"}.items():
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.softmax", "--here"],
            env={**os.environ, "TF_ENABLE_ONEDNN_OPTS": flag},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        found[name] = json.loads(done.stdout)
        print(name, *(f"{way} {ms} ms" for way, ms in found[name].items()), sep=", ")
    keep(found, RESULTS, "the lesson")


if __name__ == "__main__":
    main()

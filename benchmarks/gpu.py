"""Measure the functions on a GPU, in about two minutes: `make bench-gpu`, which `make bench` calls where it sees one.

Times and memory are kept in benchmarks/gpu.json with the card's name, each with float32 products and with TF32 ones,
whose factors have 10 bits of fraction. The page shows it if it exists.
"""

from __future__ import annotations

import itertools
import random
import subprocess
import time
from pathlib import Path

import jax
import tensorflow as tf
import torch

from benchmarks import machine
from benchmarks.contenders import PASSES, Case, contenders

RESULTS = Path(__file__).with_name("gpu.json")
SIZES = ((64, 8, 5, 64), (64, 8, 64, 64), (8, 8, 512, 64), *((1, 8, n, 64) for n in (4096, 8192, 16384, 32768)))
WANTED = ("ours graph", "unchecked graph", "blockwise graph", "keras.ops graph", "torch", "JAX")
COMPILED = ("ours xla", "keras.ops xla")
LONGEST_COMPILED = 64  # tokens
LONGEST_AT_ONCE = 8192  # tokens: with the 2**31 weights of 16,384 in eight heads a run ended in an error of the card
BURST, ROUNDS = 0.03, 7  # seconds that a contender gets in a round
GIGABYTES = 60  # what a cell may take


def main():
    gpus = tf.config.list_physical_devices("GPU") or stopped("TensorFlow finds no GPU here.")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    if not torch.cuda.is_available() or jax.default_backend() != "gpu":
        stopped("torch or JAX finds no GPU here: install the builds that are made for it.")
    found = machine.facts() | {"card": card(), "cells": []}
    work = [Case("function", *rest) for rest in itertools.product(SIZES, ("none", "causal"), PASSES)]
    work = [case for case in work if case.mask == "causal" or case.size[2] <= 4096]
    start = time.monotonic()
    for done, case in enumerate(work):
        left = f"{(time.monotonic() - start) / done * (len(work) - done):.0f} s left" if done else "starting"
        print(f"[{('#' * round(20 * done / len(work))).ljust(20, '.')}] {left}: {case}", flush=True)
        found["cells"] += rows(case)
        machine.keep(found, RESULTS, "the page on benchmarks")


def stopped(why):
    raise SystemExit(why)


def card():
    """Name the card and its driver."""
    command = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def use_tf32(chosen):
    """Let all libraries make their float32 products in the same way."""
    tf.config.experimental.enable_tensor_float_32_execution(chosen)
    torch.backends.cuda.matmul.allow_tf32 = chosen
    jax.config.update("jax_default_matmul_precision", "tensorfloat32" if chosen else "float32")


def rows(case):
    """Return for both kinds of products the milliseconds of a call, one for each round, and the MB that it takes."""
    modes = ("graph", "xla") if case.size[2] <= LONGEST_COMPILED else ("graph",)
    wanted = WANTED + COMPILED if case.size[2] <= LONGEST_AT_ONCE else ("blockwise graph", "torch")
    calls = {n: c for n, c in contenders(case, GIGABYTES, modes).items() if n in wanted}
    found = []
    for tf32 in (False, True):
        use_tf32(tf32)
        here = {n: c for n, c in calls.items() if not (tf32 and n in COMPILED)}  # which stay as they were compiled
        memory = {name: peak_or_nothing(name, call) for name, call in here.items()}
        here = {n: c for n, c in here.items() if memory[n] != "failed"}
        found.append({**case._asdict(), "tf32": tf32, "times_ms": by_turns(here), "megabytes": memory})
    return found


def by_turns(calls):
    repeats = {name: max(1, round(BURST / seconds(name, call, 2))) for name, call in calls.items()}
    times, order = {name: [] for name in calls}, random.Random(0)
    for _ in range(ROUNDS):
        for name in order.sample(list(calls), len(calls)):
            times[name].append(float(f"{seconds(name, calls[name], repeats[name]) * 1000:.4g}"))
    return times


def seconds(name, call, repeats):
    """Return what a call takes in a row of calls: the card is waited for once, after the last."""
    wait(name)
    start = time.perf_counter()
    for _ in range(repeats):
        result = call()
    wait(name)
    del result
    return (time.perf_counter() - start) / repeats


def wait(name):
    if name == "torch":
        torch.cuda.synchronize()
    elif name != "JAX":  # whose calls wait for themselves
        tf.test.experimental.sync_devices()


def peak_or_nothing(name, call):
    try:
        call(), call()
        return peak(name, call)
    except (tf.errors.OpError, RuntimeError) as failed:
        print(f"  {name}: {str(failed)[:200]}", flush=True)
        return "failed"


def peak(name, call):
    """Return the MB on the card at most above what was there before; None for JAX, which begins no count anew."""
    if name == "JAX":
        return None
    if name == "torch":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        result = call()
        wait(name)
        most = torch.cuda.max_memory_allocated()
    else:
        tf.config.experimental.reset_memory_stats("GPU:0")
        before = tf.config.experimental.get_memory_info("GPU:0")["current"]
        result = call()
        wait(name)
        most = tf.config.experimental.get_memory_info("GPU:0")["peak"]
    del result
    return round((most - before) / 1e6, 1)


if __name__ == "__main__":
    tf.get_logger().setLevel("ERROR")
    main()

"""What the numbers were measured on, and how fast it could be at best."""

from __future__ import annotations

import ctypes
import datetime
import json
import os
import platform
import time
from importlib.metadata import version
from pathlib import Path

import tensorflow as tf

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of malloc.h
PACKAGES = ("tensorflow", "keras", "numpy", "torch", "jax")


def facts(packages=PACKAGES):
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": {
            "processor": processor(),
            "vector_bits": vector_bits(cpuinfo("flags") or cpuinfo("Features")),
            "cores": os.cpu_count(),
            "memory_gigabytes": round(memory(), 1),
            "system": platform.system(),
            "python": platform.python_version(),
        },
        "versions": {name: version(name) for name in packages},
    }


def keep(found, path, page):
    """Write what was measured, whole or not at all, and name the page that shows it."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    part.replace(path)
    print(f"Kept in {path.relative_to(Path(__file__).parents[1])}; {page} shows it")


def processor():
    return cpuinfo("model name") or platform.processor() or platform.machine()


def cpuinfo(name):
    """Return what the system says of its first core, or nothing where it doesn't."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.split(":")[0].strip() == name), "")


def vector_bits(flags):
    """Return how many bits the processor's widest vectors have: 512 are 16 float32 numbers in one step."""
    widths = {"avx512f": 512, "avx": 256, "sse": 128, "asimd": 128}
    return next((bits for name, bits in widths.items() if name in flags.split()), None)


def memory():
    """Return the GB of the machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def available():
    """Return the GB that a new process may use without anybody being stopped for it."""
    meminfo = Path("/proc/meminfo")
    if not meminfo.exists():
        return memory() / 2
    lines = dict(line.split(":") for line in meminfo.read_text().splitlines())
    return int(lines["MemAvailable"].split()[0]) / 2**20


def keep_freed_memory():
    """Tell the C library to keep up to 64 MB of what is freed in each of its arenas.

    By default it decides by what was freed before. Where it keeps too little, each block of scores is asked for anew:
    (1, 8, 2048, 64) by blocks takes 39 ms in one process and 66 ms in the next.
    """
    if platform.libc_ver()[0] == "glibc":
        library = ctypes.CDLL(None)
        library.mallopt(M_MMAP_THRESHOLD, 2**25)
        library.mallopt(M_TRIM_THRESHOLD, 2**26)


def limits():
    """Measure what bounds attention: matrix products, large and of attention's depth, and exponentials."""
    square = tf.random.normal((2048, 2048))
    queries, keys = tf.random.normal((8, 256, 64)), tf.random.normal((8, 4096, 64))
    scores = tf.random.normal((8, 256, 4096))
    return {
        "gemm_gflops": 2 * 2048**3 / best(lambda: tf.matmul(square, square)) / 1e9,
        "scores_gflops": 2 * 8 * 256 * 4096 * 64 / best(lambda: tf.matmul(queries, keys, transpose_b=True)) / 1e9,
        "exp_per_second": scores.shape.num_elements() / best(lambda: tf.exp(scores)),
    }


def best(f, repeats=30):
    """Return the seconds of the fastest call: a limit is what is possible, not what is usual."""
    graph, times = tf.function(f), []
    graph()
    for _ in range(repeats):
        start = time.perf_counter()
        graph()
        times.append(time.perf_counter() - start)
    return min(times)

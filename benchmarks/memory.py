"""Memory above inputs and results, in processes of its own.

`python -m benchmarks.memory WHO PASSES LENGTH LIMIT` prints the MB of one; it may use LIMIT GB. It is the
first call that is measured. A second one takes nothing anew, since TensorFlow keeps what is freed.
"""

from __future__ import annotations

import ctypes
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import machine

REPEATS, PATIENCE = 3, 60  # processes; seconds after which none is begun
WHO = ("blockwise", "ours", "keras.ops", "torch")
# Freed memory, at once. With oneDNN it stays with an allocator of TensorFlow's own.
GIVEN_BACK = {"MALLOC_MMAP_THRESHOLD_": "1048576", "MALLOC_TRIM_THRESHOLD_": "131072", "TF_ENABLE_ONEDNN_OPTS": "0"}
STATUS = Path("/proc/self/status")


def figure(who, passes, length, program="benchmarks.memory"):
    """Measure in a process of its own; None where it doesn't fit or the system can't tell."""
    if not STATUS.exists():
        return None
    limit = 0.85 * machine.available()
    changed = GIVEN_BACK if who == "given back" else {}
    who = "blockwise" if who in ("given back", "short") else who
    command = [sys.executable, "-m", program, who, passes, str(length), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | changed)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None


def row(who, passes, length, program="benchmarks.memory"):
    """Take the median of some processes, or of fewer where they take long; one that does not fit is not tried again."""
    start, figures = time.monotonic(), []
    while len(figures) < REPEATS and (not figures or time.monotonic() - start < PATIENCE):
        figures.append(figure(who, passes, length, program))
        if figures[-1] is None:
            return {"who": who, "passes": passes, "length": length, "megabytes": None}
    return {"who": who, "passes": passes, "length": length, "megabytes": statistics.median(figures)}


def main(who, passes, length, limit):
    import resource

    from benchmarks.contenders import FROM_INPUT, Case, contenders

    name = who if who == "torch" else f"{who} graph"
    kind = FROM_INPUT if passes == "both" else passes
    cases = (Case("function", (1, 8, n, 64), "causal", kind) for n in (length, 256))
    run, small = (contenders(case, 1e9, ("graph",), only=name)[name] for case in cases)
    small()  # libraries allocate what they always need
    ctypes.CDLL(None).malloc_trim(0)  # what was freed goes back to the system, and counts when it is taken again
    used = kilobytes("VmSize") * 1024
    resource.setrlimit(resource.RLIMIT_AS, (used + int(limit * 2**30), -1))
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = kilobytes("VmRSS")
    results = run()
    inputs_and_results = (1 if passes == "forward" else 3) * 8 * length * 64 * 4 / 1e6
    print(round((kilobytes("VmHWM") - before) * 1024 / 1e6 - inputs_and_results, 1))
    del results


def kilobytes(name):
    return next(int(line.split()[1]) for line in STATUS.read_text().splitlines() if line.startswith(name + ":"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))

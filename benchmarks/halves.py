"""What blocks of half the size would save, and what they would cost: why memory is not lower.

`python -m benchmarks.halves LENGTH LIMIT` prints the MB with halved blocks, as benchmarks.memory does for whole ones.
"""

from __future__ import annotations

import statistics
import subprocess
import sys

from benchmarks import machine, memory
from benchmarks.contenders import Case, contenders
from benchmarks.timing import by_turns
from clear_attention.blockwise import groups


def row(length, seconds):
    """Measure blocks of half the size against those of the package, forward and backward."""
    case = Case("function", (1, 8, length, 64), "causal", "both")
    whole = traced(case)
    groups.LARGEST_BLOCK //= 2
    halved = traced(case)
    groups.LARGEST_BLOCK *= 2
    times, thrown = by_turns({"blockwise": whole, "halved blocks": halved}, seconds)
    figures = {name: megabytes(name, length) for name in times}
    return {"length": length, "times_ms": times, "thrown": thrown, "megabytes": figures}


def traced(case):
    run = contenders(case, 1e9, ("graph",), only="blockwise graph")["blockwise graph"]
    run()
    return run


def megabytes(name, length):
    program = ["benchmarks.halves"] if name == "halved blocks" else ["benchmarks.memory", "blockwise", "both"]
    command = [sys.executable, "-m", *program, str(length), str(0.85 * machine.available())]
    done = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(memory.REPEATS)]
    return statistics.median(float(text.split()[-1]) for text in done)


if __name__ == "__main__":
    groups.LARGEST_BLOCK //= 2
    memory.main("blockwise", "both", int(sys.argv[1]), float(sys.argv[2]))

"""What blocks of half the size would save, and what they would cost: why memory is not lower.

`python -m benchmarks.halves` prints the MB with halved blocks, as `python -m benchmarks.memory` does with whole ones.
"""

from __future__ import annotations

import sys

from benchmarks import memory
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
    programs = {"blockwise": "benchmarks.memory", "halved blocks": "benchmarks.halves"}
    rows = {name: memory.row("blockwise", "both", length, program) for name, program in programs.items()}
    figures = {name: row["megabytes"] for name, row in rows.items()}
    return {"length": length, "times_ms": times, "thrown": thrown, "megabytes": figures}


def traced(case):
    run = contenders(case, 1e9, ("graph",), only="blockwise graph")["blockwise graph"]
    run()
    return run


if __name__ == "__main__":
    groups.LARGEST_BLOCK //= 2
    memory.main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))

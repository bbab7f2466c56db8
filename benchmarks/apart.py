"""A cell of the tables in a process of its own: `python -m benchmarks.apart CASE GB SECONDS` prints its row.

TensorFlow keeps what is freed, and cuts it into pieces. After the cells of 8,192 tokens nothing is left in one piece
that would hold all weights of 16,384.
"""

from __future__ import annotations

import json
import subprocess
import sys

from benchmarks import machine
from benchmarks.contenders import Case, contenders
from benchmarks.timing import by_turns

FROM = 8192  # tokens


def row(case, memory, seconds):
    """Measure a cell here if it is small. If a process of its own dies, for want of memory, nothing was measured."""
    if case.size[2] < FROM:
        return here(case, memory, seconds)
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.apart", json.dumps(case), str(memory), str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"  {case}: ended with {done.returncode}", flush=True)
        return {**case._asdict(), "times_ms": {}, "thrown": 0}
    return json.loads(done.stdout.splitlines()[-1])


def here(case, memory, seconds):
    times, thrown = by_turns(contenders(case, memory), seconds)
    return {**case._asdict(), "times_ms": times, "thrown": thrown}


if __name__ == "__main__":
    machine.keep_freed_memory()
    what, size, mask, passes = json.loads(sys.argv[1])
    print(json.dumps(here(Case(what, tuple(size), mask, passes), float(sys.argv[2]), float(sys.argv[3]))))

"""Measure everything, in about 70 minutes on two cores: `make bench`, or in two: `make bench QUICK=1`.

The full run writes benchmarks/results.json, the quick one .cache/bench/quick.json.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import tensorflow as tf

from benchmarks import apart, machine, memory, models, report, today, wholes
from benchmarks.contenders import PASSES, Case, cases
from benchmarks.timing import by_turns

ROOT = Path(__file__).resolve().parents[1]


class Plan(NamedTuple):
    """What is measured, and for how long."""

    cases: list[Case]
    seconds: float  # for a cell of the tables; the slow ones take longer
    memory: list[tuple[str, str, int]]  # who, passes, length
    models: list[str]
    batches: list[int]  # of decoding
    imports: int  # repeats
    site: bool  # whether to build it, cold and warm
    today: int | None = None  # how many cells of attention as it is built today; all when None


QUICK = Plan(
    cases=[
        Case("function", (64, 8, 5, 64), "padding", "both"),
        Case("function", (8, 8, 512, 64), "causal", "forward"),
        Case("function", (1, 8, 2048, 64), "causal", "both"),
        Case("layer", (64, 8, 5, 64), "none", "both"),
    ],
    seconds=0.3,
    memory=[("blockwise", "both", 2048), ("keras.ops", "both", 2048)],
    models=["lesson"],
    batches=[1],
    imports=1,
    site=False,
    today=1,
)
FULL = Plan(
    cases=list(cases()),
    seconds=2,
    memory=[
        ("halves", "both", 4096),
        *product(("given back",), ("both",), (4096, 8192)),
        ("short", "both", 512),
        *product(memory.WHO, PASSES, (4096, 8192, 16384, 32768)),
        *product(("blockwise", "torch"), ("forward",), (65536,)),
    ],
    models=[*models.MODELS, "language model"],
    batches=[1, 64],
    imports=5,
    site=True,
)


def main():
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few cases, in two minutes")
    parser.add_argument("--only", metavar="GROUP", help="measure this group anew and keep the others' results")
    arguments = parser.parse_args()
    target = ROOT / (".cache/bench/quick.json" if arguments.quick else "benchmarks/results.json")
    groups = jobs(QUICK if arguments.quick else FULL)
    machine.keep_freed_memory()
    results = machine.facts()
    if arguments.only:
        if arguments.only not in groups:
            parser.error(f"a group is one of {', '.join(groups)}")
        groups, results = {arguments.only: groups[arguments.only]}, kept(target, results)
    else:
        results["limits"] = machine.limits()
    target.parent.mkdir(parents=True, exist_ok=True)
    for _ in with_progress(groups, results):
        write(results, target)  # what was measured stays, and the site, measured last, shows it
    print(report.text(results))
    print(f"The results are in {target.relative_to(ROOT)}")


def kept(target, facts):
    """Return the results that stand in a file, if they are of this machine and these versions."""
    old = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    if differing := [name for name in ("machine", "versions") if old.get(name) != facts[name]]:
        raise SystemExit(f"{target.name} is of another {' and other '.join(differing)}: measure all of it anew.")
    return old | facts


def jobs(plan):
    """Return each group its list of (name, seconds it may take, function); memory first, while none is in use here."""
    limit = 0.85 * machine.available()

    def today_row(name, passes, make):
        times, thrown = by_turns(make(), plan.seconds)
        return {"what": name, "passes": passes, "times_ms": times, "thrown": thrown}

    return {
        "memory": [
            (f"memory {who} {passes} {n}", 12 + n * n / 5e7, partial(memory.row, who, passes, n))
            for who, passes, n in plan.memory
        ],
        "attention": [
            (f"{c.what} {c.size} {c.mask} {c.passes}", weight(c), partial(apart.row, c, limit, plan.seconds))
            for c in plan.cases
        ],
        "training": [(f"training {m}", 30, partial(models.training_row, m, 5 * plan.seconds)) for m in plan.models],
        "decoding": [
            (f"decoding {batch}", 30, partial(models.decoding_row, batch, 2 * plan.seconds)) for batch in plan.batches
        ],
        "writing": [
            (f"writing {batch}", 30, partial(models.writing_row, batch, 2 * plan.seconds)) for batch in plan.batches
        ],
        "today": [(f"{n}, {p}", 12, partial(today_row, n, p, make)) for n, p, make in [*today.cells()][: plan.today]],
        "imports": [("imports", 30, partial(wholes.imports, plan.imports))],
    } | ({"site": [("site, cold and warm", 300, wholes.site)]} if plan.site else {})


def weight(case):
    """Guess the seconds of a cell, for the time left."""
    batch, heads, n, _ = case.size
    return 5 + batch * heads * n * n / 3e7 * (3 if case.passes == "both" else 1)


def with_progress(groups, results):
    """Run group after group, add what they measure to the results, and yield after each figure."""
    start, done = time.monotonic(), 0
    total = sum(guess for work in groups.values() for _, guess, _ in work)
    for group, work in groups.items():
        results[group] = []
        for name, guess, run in work:
            left = f"{(time.monotonic() - start) / done * (total - done) / 60:.0f} min left" if done else "starting"
            print(f"[{('#' * round(20 * done / total)).ljust(20, '.')}] {left}: {name}", flush=True)
            results[group].append(run())
            done += guess
            yield
        print(f"{group}: done", flush=True)


def write(results, target):
    part = target.with_suffix(".part")
    part.write_text(json.dumps(results), encoding="utf-8")
    part.replace(target)


if __name__ == "__main__":
    tf.get_logger().setLevel("ERROR")  # it warns of many traced functions, which are the point here
    main()

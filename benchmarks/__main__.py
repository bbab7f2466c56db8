"""Measure everything, in about half an hour on two cores: `make bench`, or in two minutes: `make bench QUICK=1`.

The full run writes benchmarks/results.json, the quick one .cache/bench/quick.json.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import tensorflow as tf

from benchmarks import machine, memory, models, report, wholes
from benchmarks.contenders import Case, cases, contenders
from benchmarks.timing import by_turns

ROOT = Path(__file__).resolve().parents[1]
QUICK_CASES = [
    Case("function", (64, 8, 5, 64), "padding", "both"),
    Case("function", (8, 8, 512, 64), "causal", "forward"),
    Case("function", (1, 8, 2048, 64), "causal", "both"),
    Case("layer", (64, 8, 5, 64), "none", "both"),
]


def main():
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few cases, in two minutes")
    quick = parser.parse_args().quick
    target = ROOT / (".cache/bench/quick.json" if quick else "benchmarks/results.json")
    results = machine.facts() | {"limits": machine.limits()}
    target.parent.mkdir(parents=True, exist_ok=True)
    for group in with_progress(jobs(quick), results):
        write(results, target)  # the site, measured last, shows all before it
        print(f"{group}: done", flush=True)
    print(report.text(results))
    print(f"The results are in {target.relative_to(ROOT)}")


def jobs(quick):
    """Give each group its list of (name, seconds it may take, function)."""
    limit, seconds = 0.85 * machine.available(), 0.3 if quick else 2.0
    chosen = QUICK_CASES if quick else list(cases())
    attention = [
        (f"{c.what} {c.size} {c.mask} {c.passes}", weight(c), lambda c=c: cell(c, limit, seconds)) for c in chosen
    ]
    lengths = [2048] if quick else [4096, 8192, 16384, 32768]
    who = [(w, p, n) for p in ("forward", "both") for n in lengths for w in memory.WHO]
    who += [] if quick else [("blockwise", "forward", 65536), ("torch", "forward", 65536)]
    if quick:
        who = [("blockwise", "both", 2048), ("keras.ops", "both", 2048)]
    sizes = ["lesson"] if quick else list(models.MODELS)
    groups = {
        "memory": [
            (f"memory {w} {p} {n}", 12 + n * n / 5e7, lambda w=w, p=p, n=n: memory.row(w, p, n)) for w, p, n in who
        ],  # first, while this process needs none itself
        "attention": attention,
        "training": [(f"training {m}", 30, lambda m=m: models.training_row(m, 2 if quick else 10)) for m in sizes],
        "decoding": [
            (f"decoding {b}", 30, lambda b=b: models.decoding_row(b, 1 if quick else 5))
            for b in ([1] if quick else [1, 64])
        ],
        "imports": [("imports", 30, lambda: wholes.imports(1 if quick else 5))],
    }
    return groups if quick else groups | {"site": [("site, cold and warm", 300, wholes.site)]}


def weight(case):
    """Guess the seconds of a cell, for the time left."""
    batch, heads, n, _ = case.size
    return 5 + batch * heads * n * n / 3e7 * (3 if case.passes == "both" else 1)


def cell(case, limit, seconds):
    times, thrown = by_turns(contenders(case, limit), seconds)
    return {**case._asdict(), "times_ms": times, "thrown": thrown}


def with_progress(groups, results):
    """Run group after group, add what they measure to the results, and say so."""
    start, done = time.monotonic(), 0
    total = sum(guess for work in groups.values() for _, guess, _ in work)
    for group, work in groups.items():
        results[group] = []
        for name, guess, run in work:
            left = f"{(time.monotonic() - start) / done * (total - done) / 60:.0f} min left" if done else "starting"
            print(f"[{('#' * round(20 * done / total)).ljust(20, '.')}] {left}: {name}", flush=True)
            results[group].append(run())
            done += guess
        yield group


def write(results, target):
    part = target.with_suffix(".part")
    part.write_text(json.dumps(results), encoding="utf-8")
    part.replace(target)


if __name__ == "__main__":
    tf.get_logger().setLevel("ERROR")  # it warns of many traced functions, which are the point here
    main()

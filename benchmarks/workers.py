"""Measure what the guide "Train on many machines" shows: `make bench-workers`.

How fast one worker and two are, each on one core and the two on one machine; and how much memory a process takes that
streams records from files larger than all the memory there is. The result is kept in benchmarks/workers.json.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.machine import facts, keep, memory
from examples.date_records import SOURCE, TARGET, worker_batches

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_name("workers.json")
SIZES = ((64, 64), (64, 512), (256, 64))  # d_model and the pairs of a global batch
WORKERS = (1, 2)
ROUNDS, STEPS, EPOCHS = 3, 30, 3


def seconds_a_step(workers, d_model, batch, data):
    """Time steps after the first epoch, in which TensorFlow traces and starts up."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--data", data, "--folder", folder, "--epochs", EPOCHS, "--steps", STEPS]
        options += ["--batch", batch, "--d-model", d_model]
        command = [sys.executable, "-m", "examples.start_workers", workers, "--pin", "--restarts", 0, *options]
        subprocess.run(list(map(str, command)), check=True, capture_output=True, cwd=ROOT)
        epochs = json.loads((Path(folder) / "losses.json").read_text())
    return min(epoch["seconds"] for epoch in epochs[1:]) / STEPS


def scaling():
    """Return rows of d_model, batch, workers, parameters and milliseconds a step, the median of rounds in turns."""
    found = {(d_model, batch, workers): [] for d_model, batch in SIZES for workers in WORKERS}
    with tempfile.TemporaryDirectory() as data:
        run = [sys.executable, "-m", "examples.date_records", data, "--pairs", str(max(b for _, b in SIZES) * STEPS)]
        subprocess.run(run, check=True, cwd=ROOT)
        for number in range(ROUNDS):
            for (d_model, batch, workers), times in found.items():
                times.append(1000 * seconds_a_step(workers, d_model, batch, data))
                what = f"round {number + 1} of {ROUNDS}: d_model {d_model}, batch {batch}, {workers} worker(s)"
                print(f"{what}: {times[-1]:.1f} ms a step", flush=True)
    return [
        {"d_model": d, "batch": b, "workers": w, "parameters": parameters(d), "milliseconds": statistics.median(times)}
        for (d, b, w), times in found.items()
    ]


def parameters(d_model):
    from examples.train_workers import make_model

    model, _ = make_model(argparse.Namespace(d_model=d_model, dtype="float32"))
    return model.count_params()


def streaming(gigabytes):
    """Stream files of that size through a pipeline; give the size, the seconds, and the memory on the way."""
    needed = int(gigabytes * 2**30)
    folder = Path(tempfile.mkdtemp(dir=ROOT / ".cache"))
    try:
        if shutil.disk_usage(folder).free < needed + 2**32:
            sys.exit(f"{gigabytes:.0f} GB of records and 4 GB to spare do not fit on this disk.")
        rng = np.random.default_rng(0)
        block = rng.integers(3, 14, (2**20, SOURCE + TARGET), np.uint8)
        block[:, SOURCE] = 1
        written, number = 0, 0
        while written < needed:  # files of 1 GB
            with (folder / f"{number:03}.ids").open("wb") as file:
                for _ in range(2**30 // block.nbytes + 1):
                    block.tofile(file)
                    written += block.nbytes
            number += 1
            print(f"\r{written / needed:4.0%} written", end="", flush=True)
        program = [sys.executable, "-m", "benchmarks.workers", "--read", folder]
        done = subprocess.run(list(map(str, program)), check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        return {"bytes": written, "machine_bytes": int(memory() * 2**30), **json.loads(done.stdout.splitlines()[-1])}
    finally:
        shutil.rmtree(folder)


def read(folder):
    """Read all records, shuffled and decoded, and note the resident memory after each tenth."""
    total = sum(path.stat().st_size for path in Path(folder).glob("*.ids"))
    start, seen, noted = time.monotonic(), 0, []
    for source, _, _ in worker_batches(folder, 8192, epoch=0):
        seen += len(source) * (SOURCE + TARGET)
        if seen >= (len(noted) + 1) * total / 10 or not noted:
            noted.append(resident())
            print(f"\r{seen / total:4.0%} read, {noted[-1] / 2**20:.0f} MB resident", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(json.dumps({"seconds": time.monotonic() - start, "resident": noted}))


def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def main():
    parser = argparse.ArgumentParser(description="Measure workers and streaming.")
    parser.add_argument("--read", help=argparse.SUPPRESS)
    parser.add_argument("--gigabytes", type=float, default=memory() * 1.1, help="of records to stream")
    parser.add_argument("--only", choices=["scaling", "streaming"])
    options = parser.parse_args()
    if options.read:
        return read(options.read)
    found = {}
    if options.only != "streaming":
        found["scaling"] = facts(("tensorflow", "keras")) | {"rows": scaling()}
    if options.only != "scaling":
        found["streaming"] = facts(("tensorflow", "keras")) | streaming(options.gigabytes)
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    keep(kept | found, RESULTS, "the guide")


if __name__ == "__main__":
    main()

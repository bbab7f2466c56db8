"""Train models: `python -m trained` those that are missing, `python -m trained NAME`, or all `--again`, to compare."""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import trained

WORKERS = 2
MEMORY = {  # glibc keeps what is freed, or every step would ask for the same pages again
    "MALLOC_MMAP_THRESHOLD_": "1000000000",
    "MALLOC_TRIM_THRESHOLD_": "1000000000",
    "MALLOC_TOP_PAD_": "100000000",
}


def main():
    parser = argparse.ArgumentParser(prog="python -m trained", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(trained.PROGRAMS))
    parser.add_argument("--again", action="store_true", help="train once more, and compare every byte")
    parser.add_argument("--to", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    names = arguments.names or [*trained.PROGRAMS]
    if unknown := sorted({*names} - {*trained.PROGRAMS}):
        parser.error(
            f"There is no such model. Expected: {', '.join(trained.PROGRAMS)}. Received: {', '.join(unknown)}."
        )
    if arguments.to:
        queue = iter(partial(os.read, sys.stdin.fileno(), 1), b"")
        return write_all((names[number] for (number,) in queue), arguments.to)
    if arguments.again:
        return compare(names)
    train_missing(names)
    print(f"The trained models are in {os.path.relpath(trained.FOLDER)}")


def train_missing(names):
    train_all([name for name in names if not trained.is_trained(name)], trained.FOLDER)


def train_all(names, folder):
    """Train the models in few processes, the environment of which is always the same: starting one takes seconds."""
    command = [sys.executable, "-W", "ignore", "-m", "trained", *names, "--to", folder]
    environment = {**os.environ, **trained.ENVIRONMENT, **MEMORY}
    queue, end = os.pipe()  # which models are not yet begun, for whichever process reads first
    os.write(end, bytes(range(len(names))))
    os.close(end)

    def run(_):
        subprocess.run(command, cwd=trained.ROOT, env=environment, stdin=queue, check=True)

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(run, range(min(WORKERS, len(names)))))
    os.close(queue)


def write_all(names, folder):
    """Train models here, one after the other."""
    for name in names:
        start = time.monotonic()
        write(name, folder / trained.path_of(name).name)
        print(f"Trained {name} in {time.monotonic() - start:.0f} s", flush=True)


def write(name, path):
    """Train a model here, and write all that is kept of it in one go."""
    import numpy as np

    from trained.recipes import arrays_of

    file = io.BytesIO()
    np.savez(file, **arrays_of(trained.recipe(name)), program=np.array(trained.program_of(name)))
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(file.getvalue())
    part.replace(path)


def compare(names):
    """Train again what there is, and say whether it is the same; what is missing is trained first."""
    train_missing(names)
    kept = {name: trained.path_of(name) for name in names}
    with TemporaryDirectory() as folder:
        train_all(names, Path(folder))
        different = [name for name in names if Path(folder, kept[name].name).read_bytes() != kept[name].read_bytes()]
    if different:
        sys.exit(
            f"Trained again, these are other models: {', '.join(different)}. (So it may be on another kind of processor"
            " than theirs, which adds in another order.)"
        )
    print(f"Trained again, all {len(names)} models are the same, byte by byte")


if __name__ == "__main__":
    main()

"""Plant in each law's way the fault that it should catch, and see it caught: `make laws`.

A law that cannot fail proves nothing. laws.toml says for each test of tests/laws which line becomes which other one.
The tests run on the cases of `make test`, without the fault too. The result is kept for the page "How it is tested".
"""

from __future__ import annotations

import os
import sys
import time
import tomllib

from checks.plant import ROOT, fork, wait
from checks.record import record

FAULTS = ROOT / "checks" / "laws.toml"
FAILED = 1  # pytest's exit code: tests ran, and one failed
LIMIT = 600  # seconds


def faults():
    """Give for each law where its fault is planted, what becomes what, and why that is wrong."""
    return tomllib.loads(FAULTS.read_text(encoding="utf-8"))


def planted(fault):
    """Give the path of the changed module, and its text."""
    path = ROOT / fault["file"]
    source = path.read_text(encoding="utf-8")
    if source.count(fault["before"]) != 1:
        sys.exit(f"{fault['file']} must hold the line of a fault once. Received: {fault['before']!r}.")
    return path, source.replace(fault["before"], fault["after"])


def main():
    os.chdir(ROOT)
    os.environ |= {"LAWS_PROFILE": "planted", "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0"}
    import keras  # noqa: F401 - imported before all forks, and with it TensorFlow

    start, running, missed, done = time.monotonic(), {}, [], 0
    todo = {law: (*planted(fault), ["tests/laws", "-k", law]) for law, fault in faults().items()}
    jobs = [*todo.items(), *((None, (path, path.read_text(), tests)) for path, _, tests in todo.values())]
    jobs.sort(key=lambda job: job[0] is not None)
    print(f"{len(todo)} laws, each without its fault and with it", flush=True)
    while running or done + len(running) < len(jobs):
        while len(running) < (os.cpu_count() or 1) and done + len(running) < len(jobs):
            law, (path, source, tests) = jobs[done + len(running)]
            running[fork(path, source, tests)] = ((law, tests[-1]), time.monotonic())
        (law, name), code = wait(running, LIMIT)
        done += 1
        wanted = FAILED if law else 0
        if code != wanted:
            missed.append(f"{name} {'with' if law else 'without'} its fault: exit code {code}, not {wanted}")
        left = (time.monotonic() - start) / done * (len(jobs) - done) / 60
        print(f"\r{done}/{len(jobs)}, {len(missed)} missed, about {left:.0f} min left ", end="", flush=True)
    print()
    if missed:
        sys.exit("\n".join(missed))
    record("laws", caught=sorted(todo))


if __name__ == "__main__":
    main()

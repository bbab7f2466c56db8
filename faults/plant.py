"""Run tests on a source that stands in no file: one module is imported from a text, in a fork of this process.

TensorFlow takes seconds to import, so the process that forks has imported it before.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import linecache
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOT_USED = 70  # exit code of a process in which the fault was not even imported
FAILED = 1  # pytest's: tests ran, and one failed
LATE = 124
LONGEST = 90  # seconds that one test may take: a fault that makes a loop endless is found sooner
ORDER = ROOT / ".cache" / "order.json"  # what each test took, in seconds; of one that found faults, minus their number

update_cache = linecache.updatecache


class Planted:
    """Import one module from a text instead of from its file: a plugin of pytest, which imports in a way of its own.

    Tests that have found faults go first, then the quick ones.
    """

    def __init__(self, name, path, source):
        self.name, self.path, self.source, self.used = name, str(path), source, False
        self.took, self.failed = Counter(), []

    def pytest_collection_modifyitems(self, items):
        order = read_order()
        items.sort(key=lambda item: order.get(item.nodeid, 0))

    def pytest_runtest_logstart(self):
        signal.alarm(LONGEST)  # nobody handles it, so it ends the process, even within a kernel of TensorFlow

    def pytest_runtest_logreport(self, report):
        self.took[report.nodeid] += report.duration
        self.failed += [report.nodeid] if report.failed else []

    def pytest_sessionfinish(self):
        before = read_order()  # anew: other processes have written, too
        order = self.took | {name: n for name, n in before.items() if n < 0}
        order |= {name: min(before.get(name, 0), 0) - 1 for name in self.failed}
        ORDER.parent.mkdir(exist_ok=True)
        part = ORDER.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(before | order))
        part.replace(ORDER)

    def pytest_configure(self):
        sys.meta_path.insert(0, self)

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.name:
            return None
        self.used = True
        linecache.updatecache = self.lines_of  # AutoGraph compiles for graphs what it reads there
        loader = importlib.machinery.SourceFileLoader(fullname, self.path)
        loader.get_code = lambda _: compile(self.source, self.path, "exec")
        return importlib.util.spec_from_file_location(fullname, self.path, loader=loader)

    def lines_of(self, path, names=None):
        if path != self.path:
            return update_cache(path, names)
        lines = self.source.splitlines(keepends=True)
        linecache.cache[path] = (len(self.source), None, lines, path)
        return lines


def read_order():
    return json.loads(ORDER.read_text()) if ORDER.exists() else {}


def fork(path, source, tests):
    """Run tests up to the first failure in a process of their own, with the module at `path` made of this source."""
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    code = NOT_USED
    try:
        import pytest

        planted = Planted(name_of(path), path, source)
        options = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
        code = int(pytest.main([*options, *tests], plugins=[planted]))
        code = code if planted.used else NOT_USED
    finally:
        os._exit(code)


def name_of(path):
    """Return the name that a module is imported by; helpers of tests have no package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[1:]) if parts[0] == "src" else parts[-1]


def run_all(jobs, limit=None):
    """Run jobs of (name, path, source, tests), one a core; yield each name and exit code, and show the time left."""
    jobs, running, done, start = list(jobs), {}, 0, time.monotonic()
    while done < len(jobs):
        while len(running) < (os.cpu_count() or 1) and done + len(running) < len(jobs):
            name, *job = jobs[done + len(running)]
            running[fork(*job)] = (name, time.monotonic())
        yield wait(running, limit)
        done += 1
        left = (time.monotonic() - start) / done * (len(jobs) - done) / 60
        print(f"\r{done}/{len(jobs)}, about {left:.0f} min left ", end="\n" if done == len(jobs) else "", flush=True)


def wait(running, limit):
    """Wait for one of the processes; return its name and pytest's exit code, or LATE."""
    while True:
        for pid, (name, start) in running.items():
            done, status = os.waitpid(pid, os.WNOHANG)
            late = limit and time.monotonic() - start > limit
            if late and not done:
                os.killpg(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            if done or late:
                del running[pid]
                code = LATE if late else os.waitstatus_to_exitcode(status)
                if code == NOT_USED:
                    sys.exit("the fault was not imported: see fork in faults/plant.py")
                return name, code
        time.sleep(0.05)

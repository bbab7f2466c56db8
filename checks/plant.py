"""Run tests on a source that stands in no file: one module is imported from a text, in a fork of this process.

TensorFlow takes seconds to import, so the process that forks has imported it before.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import signal
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOT_USED = 70  # exit code of a process in which the fault was not even imported


class Planted:
    """Import one module from a text instead of from its file: a plugin of pytest, which imports in a way of its own."""

    def __init__(self, name, path, source):
        self.name, self.path, self.source, self.used = name, str(path), source, False

    def pytest_configure(self):
        sys.meta_path.insert(0, self)

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.name:
            return None
        self.used = True
        loader = importlib.machinery.SourceFileLoader(fullname, self.path)
        loader.get_code = lambda _: compile(self.source, self.path, "exec")
        return importlib.util.spec_from_file_location(fullname, self.path, loader=loader)


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
    """Give the name that a module is imported by; helpers of tests have no package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[1:]) if parts[0] == "src" else parts[-1]


def wait(running, limit):
    """Wait for one of the processes; give its job and its exit code, 1 if a test failed or took too long."""
    while True:
        for pid, (job, start) in running.items():
            done, status = os.waitpid(pid, os.WNOHANG)
            late = limit and time.monotonic() - start > limit
            if late and not done:
                os.killpg(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            if done or late:
                del running[pid]
                code = 1 if late else os.waitstatus_to_exitcode(status)
                if code == NOT_USED:
                    sys.exit("the fault was not imported: see fork in checks/plant.py")
                return job, code
        time.sleep(0.05)

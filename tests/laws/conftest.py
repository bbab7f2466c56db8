"""How many cases the laws are tried on: the same 500 each time, or with LAWS_PROFILE=fuzz 20,000 new ones.

The profiles short and planted are those of faults/, which plants faults: a case that fails there stays as it is.

On a GPU, `make laws-gpu` tries them with float32 products, and with LAWS_TF32=1 with TF32 ones, whose bound is wider.

A fuzz run says which seed it draws them from, how far it is, and when it will be done; LAWS_SEED=... repeats it.
"""

import os
import secrets
import time
from pathlib import Path

import pytest
import tensorflow as tf
from hypothesis import HealthCheck, Phase, seed, settings

PROFILE = os.environ.get("LAWS_PROFILE", "fixed")
SEED = int(os.environ.setdefault("LAWS_SEED", str(secrets.randbits(32))))  # workers get the same
HERE = Path(__file__).parent

COMMON = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("fixed", max_examples=500, derandomize=True, **COMMON)
settings.register_profile("fuzz", max_examples=20_000, print_blob=True, **COMMON)
settings.register_profile("planted", max_examples=500, derandomize=True, phases=[Phase.generate], **COMMON)
settings.register_profile("short", max_examples=60, derandomize=True, phases=[Phase.generate], **COMMON)
settings.load_profile(PROFILE)

# On a GPU TensorFlow takes TF32 for products by itself. The laws are tried without, and with LAWS_TF32=1 with it.
tf.config.experimental.enable_tensor_float_32_execution(os.environ.get("LAWS_TF32") == "1")


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent != HERE:
            continue
        item.add_marker("no_cover")  # which lines they take is known from the other tests, and to watch costs time
        if PROFILE == "fuzz" and hasattr(item.obj, "hypothesis"):
            seed(SEED)(item.obj)


def pytest_configure(config):
    if PROFILE == "fuzz" and "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(Progress())


class Progress:
    """Say after each law how many are left, and for how long."""

    def __init__(self):
        self.start, self.done, self.all, self.laws = time.monotonic(), 0, 0, 0
        print(f"20,000 cases a law; LAWS_SEED={SEED} repeats this run", flush=True)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids):
        self.all = len(ids)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if exitstatus == 0 and self.all == self.done and not session.config.option.keyword:
            from faults.record import record

            record("fuzz", laws=self.laws, cases=20_000, seed=SEED, minutes=round((time.monotonic() - self.start) / 60))

    def pytest_runtest_logreport(self, report):
        if report.when != "call":
            return
        self.done += 1
        self.laws += "hypothesis" in report.keywords  # the others draw no cases
        minutes = (time.monotonic() - self.start) / 60
        left = f"about {minutes / self.done * (self.all - self.done):.0f} min left" if self.all else ""
        print(f"\n{self.done}/{self.all or '?'} {report.outcome} {report.nodeid.partition('::')[2]} {left}", flush=True)

"""Time things against each other in one run: by turns, in medians, and only while nobody else is at work."""

from __future__ import annotations

import itertools
import os
import random
import time
from pathlib import Path

BURST = 0.02  # seconds: calls shorter than this are repeated
SLOW = 0.5  # seconds: calls longer than this need none before them that is not counted
REST = 0.005  # seconds between contenders: the threads of the last one may still be waiting for work
TICKS = 0.03  # seconds: the system counts in hundredths
FOREIGN = 0.05  # share of all cores that others may use while a round runs


def by_turns(contenders, seconds, fewest=3, most=40, timed_within=False):
    """Call each contender in turn, round after round, for about so many seconds.

    Returns the milliseconds of a call, `{name: [one for each round]}`, and how many rounds were thrown away because
    other processes were busy. With `timed_within` a contender returns its own seconds.
    """
    calls = {name: None if timed_within else calls_of_a_burst(call) for name, call in contenders.items()}
    times, thrown = {name: [] for name in contenders}, 0
    start, order = time.perf_counter(), random.Random(0)
    for done in itertools.count():
        began = time.perf_counter()
        kept = done - thrown
        if kept >= most or (kept >= fewest and began - start > seconds):
            return times, thrown
        before = other_work()
        names = order.sample(list(contenders), len(contenders))  # nobody always comes after the same one
        one_round = {name: burst(contenders[name], calls[name]) for name in names}
        busy = other_work() - before > FOREIGN * (os.cpu_count() or 1) * (time.perf_counter() - began) + TICKS
        if busy and thrown < 3 * fewest:  # a machine that is never quiet is measured as it is
            thrown += 1
            continue
        for name, milliseconds in one_round.items():
            times[name].append(float(f"{milliseconds:.4g}"))


def calls_of_a_burst(call):
    """Call once to trace, compile and allocate, and again to see how often to repeat what is short; 0: it is slow."""
    start = time.perf_counter()
    call()
    if time.perf_counter() - start > 5:
        return 0
    start = time.perf_counter()
    call()
    seconds = time.perf_counter() - start
    return 0 if seconds > SLOW else max(1, round(BURST / seconds))


def burst(call, calls):
    """Return the milliseconds of one call."""
    time.sleep(REST)
    if calls is None:
        return call() * 1000
    if calls > 0:
        call()  # whatever ran before has left its own data in the caches and in the allocator
    calls = max(calls, 1)
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls * 1000


def other_work():
    """Return the seconds of processor time that other processes have used; 0 where the system doesn't say."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return 0.0
    user, nice, system, _idle, _iowait, irq, softirq, *_ = map(int, stat.read_text().split("\n", 1)[0].split()[1:])
    own = os.times()
    busy = (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
    return busy - own.user - own.system - own.children_user - own.children_system

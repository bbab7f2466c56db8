"""Start workers on this machine, each a process with its TF_CONFIG, and start them again when one is lost.

    python -m examples.start_workers 2 --data data/dates --folder runs/dates

What stands behind the number of workers goes to examples.train_workers, or to the program that --program names.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time

from examples import TRY_AGAIN


def free_ports(number):
    """Find ports that nobody uses, all open at once so that they differ."""
    probes = [socket.socket() for _ in range(number)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def run(program, number, arguments, pin, patience):
    """Run all workers to their end; whatever ends this process, but for a kill, ends them first."""
    processes = []
    try:
        start(processes, program, number, arguments, pin)
        return wait(processes, patience)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def start(processes, program, number, arguments, pin):
    """Start one process for each worker."""
    addresses = [f"127.0.0.1:{port}" for port in free_ports(number)]
    for index in range(number):
        config = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        environment = os.environ | ({"TF_CONFIG": json.dumps(config)} if number > 1 else {})
        command = [sys.executable, "-m", f"examples.{program}", *arguments]
        process = subprocess.Popen(command, env=environment)
        processes.append(process)
        if pin:
            os.sched_setaffinity(process.pid, {sorted(os.sched_getaffinity(0))[index]})
        print(f"worker {index}: process {process.pid}", flush=True)


def wait(processes, patience):
    """Wait until all have ended; once one has failed, the others get some seconds to notice."""
    deadline = None
    while any(process.poll() is None for process in processes):
        if deadline is None and any(process.poll() for process in processes):
            deadline = time.monotonic() + patience
        if deadline and time.monotonic() > deadline:
            for process in processes:
                process.kill()
        time.sleep(0.1)
    return [process.returncode for process in processes]


def main():
    parser = argparse.ArgumentParser(description="Start workers on this machine.")
    parser.add_argument("workers", type=int)
    parser.add_argument("--restarts", type=int, default=3, help="how often all are started again")
    parser.add_argument("--notice", type=float, default=60, help="seconds for the others to notice a lost worker")
    parser.add_argument("--pin", action="store_true", help="one core for each worker")
    programs = ["train_workers", "train_language_model"]
    parser.add_argument("--program", choices=programs, default=programs[0], help="what each worker runs")
    options, arguments = parser.parse_known_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    for restarts in range(options.restarts + 1):
        codes = run(options.program, options.workers, arguments, options.pin, options.notice)
        if not any(codes):
            return
        lost = [code for code in codes if code < 0 or code == TRY_AGAIN]
        if len(lost) < len([code for code in codes if code]):
            sys.exit("A worker refused to go on; its sentence stands above.")
        if restarts < options.restarts:
            print(f"A worker was lost (exit codes {codes}): all are started again", flush=True)
    sys.exit(f"Workers were lost {options.restarts + 1} times: no further start.")


if __name__ == "__main__":
    main()

"""Join the workers that TF_CONFIG names, or say in a sentence why not, within a bounded time.

TensorFlow itself waits for a missing worker without end, and a bad TF_CONFIG gets a KeyError.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from typing import NamedTuple

EXAMPLE = '{"cluster": {"worker": ["host0:2222", "host1:2222"]}, "task": {"type": "worker", "index": 0}}'


class ClusterError(Exception):
    """Say what is wrong with the cluster: the law, what was expected, what was received."""

    def __init__(self, law, expected, received):
        super().__init__(f"{law} Expected: {expected}. Received: {received}.")


class Cluster(NamedTuple):
    """Name the workers' addresses, and which of them this process is. Worker 0 writes the checkpoints."""

    workers: list[str]
    index: int


def read_cluster(text):
    """Read TF_CONFIG; without it this process is all there is."""
    if not text:
        return Cluster(["localhost:0"], 0)
    try:
        config = json.loads(text)
        workers, task = config["cluster"]["worker"], config["task"]
        kind, index = task["type"], task["index"]
    except (ValueError, KeyError, TypeError):
        law = "TF_CONFIG must be a JSON object that names all workers and says which of them this one is."
        raise ClusterError(law, EXAMPLE, f"TF_CONFIG={text[:200]}") from None
    if kind != "worker" or set(config["cluster"]) != {"worker"}:
        law = "All machines do the same work: this program knows workers only, and worker 0 is the chief."
        raise ClusterError(law, 'only "worker" in cluster and as type', f"{sorted(config['cluster'])}, type {kind!r}")
    if not isinstance(workers, list) or not workers or not all(map(is_address, workers)):
        law = "The workers are a list of addresses, each with its port."
        raise ClusterError(law, '["host0:2222", ...]', json.dumps(workers)[:200])
    if len(set(workers)) < len(workers):
        raise ClusterError("Each worker has an address of its own.", "no address twice", json.dumps(workers)[:200])
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(workers):
        law = "The index says which of the workers this one is."
        raise ClusterError(law, f"an integer in [0, {len(workers)})", f"index {index!r}")
    return Cluster(workers, index)


def is_address(text):
    host, _, port = text.rpartition(":") if isinstance(text, str) else ("", "", "")
    return bool(host) and port.isdecimal() and 0 < int(port) < 65536


def join(cluster, patience):
    """Return the strategy of a cluster once all its workers are there."""
    import tensorflow as tf

    if len(cluster.workers) == 1:
        return tf.distribute.get_strategy()
    refuse_used_port(cluster)
    watch = [sys.executable, "-m", "examples.cluster", str(os.getpid()), str(patience), *cluster.workers]
    watch = subprocess.Popen(watch)
    options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=patience)
    try:
        return tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    except (tf.errors.OpError, RuntimeError, ValueError) as error:
        law = "TensorFlow could not join the workers."
        received = str(error).strip().splitlines()[0][:200]
        raise ClusterError(law, "workers with equal TF_CONFIGs but for the index", received) from None
    finally:
        watch.terminate()
        watch.wait()


def refuse_used_port(cluster):
    address = cluster.workers[cluster.index]
    port = int(address.rpartition(":")[2])
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # one that is only closing is free
        try:
            probe.bind(("", port))
        except OSError as error:
            law = f"Worker {cluster.index} listens on port {port}, so nothing else may."
            raise ClusterError(law, "a free port in TF_CONFIG", f"{address}: {error.strerror}") from None


def answers(address):
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=2).close()
    except OSError:
        return False
    return True


def end_a_hanging_worker(process, patience, workers):
    """Wait, then end a worker: from outside, since TensorFlow waits for the others without letting Python run."""
    time.sleep(patience)
    silent = [f"worker {i} at {address}" for i, address in enumerate(workers) if not answers(address)]
    law = "All workers must be running before the first step."
    received = f"no answer from {' or '.join(silent)}" if silent else "answers from all, but no agreement to begin"
    print(ClusterError(law, f"all within {patience:g} seconds", received), file=sys.stderr, flush=True)
    os.kill(process, signal.SIGKILL)  # TensorFlow catches the gentler ones


if __name__ == "__main__":
    end_a_hanging_worker(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])

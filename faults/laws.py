"""Plant in each law's way the fault that it should catch, and see it caught: `make laws`.

A law that cannot fail proves nothing. laws.toml says for each test of tests/laws, and of the other files that hold
laws, which line becomes which other one.
The tests run on the cases of `make test`, without the fault too. The result is kept for the page "How it is tested".
`python -m faults.laws test_several_steps_at_once` tries one of them.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib

from faults.plant import FAILED, ROOT, run_all
from faults.record import RESULTS, record

FILES = ["tests/laws", "tests/test_wrappers.py", "tests/test_edges.py", "tests/test_fit.py"]
FAULTS = ROOT / "faults" / "laws.toml"
LIMIT = 600  # seconds


def faults():
    """Return for each law where its fault is planted, what becomes what, and why that is wrong."""
    return tomllib.loads(FAULTS.read_text(encoding="utf-8"))


def planted(fault):
    """Return the path of the changed module, and its text."""
    path = ROOT / fault["file"]
    source = path.read_text(encoding="utf-8")
    if source.count(fault["before"]) != 1:
        sys.exit(f"{fault['file']} must hold the line of a fault once. Received: {fault['before']!r}.")
    return path, source.replace(fault["before"], fault["after"])


def main():
    os.chdir(ROOT)
    os.environ |= {"LAWS_PROFILE": "planted", "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0"}
    import keras  # noqa: F401 - imported before all forks, and with it TensorFlow

    only = sys.argv[1:] or faults()
    laws = {law: (*planted(faults()[law]), [*FILES, "-k", law]) for law in only}
    sound = [((law, 0), path, path.read_text(encoding="utf-8"), tests) for law, (path, _, tests) in laws.items()]
    print(f"{len(laws)} laws, each without its fault and with it", flush=True)
    codes = dict(run_all([*sound, *(((law, FAILED), *job) for law, job in laws.items())], LIMIT))
    if missed := [f"{law}: exit code {code}, not {wanted}" for (law, wanted), code in codes.items() if code != wanted]:
        sys.exit("\n".join(missed))
    before = json.loads(RESULTS.read_text(encoding="utf-8"))["laws"]["caught"] if sys.argv[1:] else []
    record("laws", caught=sorted({*laws, *before} & {*faults()}))


if __name__ == "__main__":
    main()

"""Models that pages show: trained by seeded programs, and kept in weights/ until their program changes.

    import trained

    model, record = trained.load("dates")

The weights are part of the repository, because the same program gives slightly other ones on another kind of processor,
which adds in another order. `make trained` trains models whose program changed, several at a time; `make trained-again`
trains everything once more and compares every number.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "trained" / "weights"
PROGRAMS = {  # the name of a model -> the module with its recipe; those that take longest go first
    "language": "language",
    "language-one-layer": "language",
    "repeats": "language",
    "repeats-one-layer": "language",
    "dates": "dates",
    "dates-forgetful": "dates",
    "dates-brief": "dates",
    "dates-one-head": "dates",
    "dates-no-positions": "dates",
    "dates-no-residual": "dates",
    "dates-no-attention": "dates",
    "dates-wrong-reshape": "dates",
    "dates-padding-seen": "dates",
    "today-rotary": "dates",
    "today-buckets": "dates",
    "today-sinks": "dates",
    "today-one-key-head": "dates",
    "digits-1": "digits",
    "digits-8": "digits",
    "digits-1-longer": "longer",
    "twin-shift": "programs",
    "twin-reverse": "programs",
    "twin-running_average": "programs",
    "twin-histogram": "programs",
    "twin-sort": "programs",
    "twin-balanced": "programs",
    "twin-induction": "programs",
    "twin-addition": "programs",
    "spare-start": "spare",
    "spare-sink": "spare",
}
ENVIRONMENT = {  # in which the same program gives the same bytes, on the same kind of processor
    "CUDA_VISIBLE_DEVICES": "-1",
    "KERAS_BACKEND": "tensorflow",
    "PYTHONHASHSEED": "0",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "ONEDNN_MAX_CPU_ISA": "AVX2",  # matrix products are cut into other parts where vectors are wider
    "TF_ENABLE_ONEDNN_OPTS": "0",  # these kernels round differently from machine to machine
    "TF_NUM_INTEROP_THREADS": "1",  # so does a sum that is cut into as many parts as there are cores
    "TF_NUM_INTRAOP_THREADS": "1",
}


def load(name):
    """Return a trained model, and what was noted on the way as a dict of arrays; train it if that was not yet done."""
    arrays = arrays_of(name)
    model = recipe(name).build()
    model.set_weights([arrays[f"weight {i}"].astype("float32") for i in range(len(model.weights))])
    return model, record_in(arrays)


def kept(name):
    """Return a model's weights by name in float16, its config and its record: all that a program without Keras needs.

    Nothing is lost in float16: the weights were rounded to it before the model was measured.
    """
    arrays = arrays_of(name)
    weights = {str(path): arrays[f"weight {i}"] for i, path in enumerate(arrays["names"])}
    return weights, json.loads(str(arrays["config"])), record_in(arrays)


def arrays_of(name):
    """Return all that is kept of a model; train it if that was not yet done."""
    import numpy as np

    if not is_trained(name):
        # its progress is not for the page that asked
        subprocess.run([sys.executable, "-m", "trained", name], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    with np.load(path_of(name)) as arrays:
        return dict(arrays)


def record_in(arrays):
    return {key.removeprefix("record "): value for key, value in arrays.items() if key.startswith("record ")}


def recipe(name):
    """Return the recipe of a model: see trained/recipes.py."""
    return import_module(f"trained.{PROGRAMS[name]}").RECIPES[name]


def path_of(name):
    return FOLDER / f"{name}.npz"


def is_trained(name):
    """Say whether a model's weights were made by its program as it is now."""
    import numpy as np

    try:
        with np.load(path_of(name)) as arrays:
            return str(arrays["program"]) == program_of(name)
    except FileNotFoundError:
        return False


def program_of(name):
    """Return what tells one program from another: the module with a model's recipe, and those that it imports."""
    found, todo = {}, ["recipes", PROGRAMS[name]]
    while todo:
        module = todo.pop()
        if module not in found:
            found[module] = (ROOT / "trained" / f"{module}.py").read_text(encoding="utf-8")
            todo += re.findall(r"^from trained\.(\w+) import", found[module], re.M)
    return hashlib.sha256("\0".join(found[module] for module in sorted(found)).encode()).hexdigest()[:16]


def digest_of(libraries, programs):
    """Return what tells one state of things from another: Python, libraries, programs, the package."""
    digest = hashlib.sha256(sys.version.encode())
    for library in libraries:
        digest.update(f"{library}={version(library)}\n".encode())
    for path in [*programs, *sorted((ROOT / "src").rglob("*.py"))]:
        digest.update(path.relative_to(path.parents[1]).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()

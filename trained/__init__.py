"""Models that pages show: trained by seeded programs, and kept until something they depend on changes.

    import trained

    model, record = trained.load("dates")

`make trained` trains what is missing, several at a time; `make trained-again` trains everything once more and compares
every number. The weights lie in .cache/trained, which `make site-again` leaves alone.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".cache" / "trained"
PROGRAMS = {"dates": "dates", "dates-forgetful": "dates"}  # the name of a model -> the module with its recipe
ENVIRONMENT = {  # in which the same program gives the same bytes
    "CUDA_VISIBLE_DEVICES": "-1",
    "KERAS_BACKEND": "tensorflow",
    "PYTHONHASHSEED": "0",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",  # these kernels round differently from machine to machine
    "TF_NUM_INTEROP_THREADS": "1",  # so does a sum that is cut into as many parts as there are cores
    "TF_NUM_INTRAOP_THREADS": "1",
}


def load(name):
    """Return a trained model, and what was noted on the way as a dict of arrays; train it if that was not yet done."""
    import numpy as np

    if not path_of(name).exists():
        subprocess.run([sys.executable, "-m", "trained", name], cwd=ROOT, check=True)
    model = recipe(name).build()
    with np.load(path_of(name)) as arrays:
        model.set_weights([arrays[f"weight {i}"] for i in range(len(model.weights))])
        record = {key.removeprefix("record "): arrays[key] for key in arrays if key.startswith("record ")}
    return model, record


def recipe(name):
    """Return the recipe of a model: `build()` makes it, and `train(model)` trains it and returns a record."""
    return import_module(f"trained.{PROGRAMS[name]}").RECIPES[name]


def path_of(name):
    """Return where a model's weights lie. The file's name covers the programs, the package and its libraries."""
    digest = digest_of(("tensorflow", "keras", "numpy"), [Path(__file__), ROOT / "trained" / f"{PROGRAMS[name]}.py"])
    return FOLDER / f"{name}-{digest[:16]}.npz"


def digest_of(libraries, programs):
    """Return what tells one state of things from another: Python, libraries, programs and the whole package."""
    digest = hashlib.sha256(sys.version.encode())
    for library in libraries:
        digest.update(f"{library}={version(library)}\n".encode())
    for path in [*programs, *sorted((ROOT / "src").rglob("*.py"))]:
        digest.update(path.relative_to(path.parents[1]).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()

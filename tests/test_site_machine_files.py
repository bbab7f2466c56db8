"""What the date machine fetches: the weights that are kept, to the last bit."""

import base64
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

with pytest.MonkeyPatch.context() as patch:
    patch.setattr(sys, "path", [str(Path(__file__).parents[1] / "docs" / "_site"), *sys.path])
    import machine_files

WEIGHTS = {
    "embed/embeddings": np.array([[1.5, -2.0], [65504.0, 6e-8]], np.float16),
    "norm/gamma": np.array([0.25], np.float16),
}


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """Return a function that says which models have been trained."""
    monkeypatch.setattr(machine_files.trained, "path_of", lambda name: tmp_path / name)
    monkeypatch.setattr(machine_files.trained, "kept", lambda name: (WEIGHTS, {"kind": "transformer"}, {}))
    return lambda name: (tmp_path / name).write_bytes(b"")


def test_only_trained_models_have_a_script(trained):
    assert list(machine_files.scripts()) == []
    trained("dates")
    assert [name for name, _ in machine_files.scripts()] == ["assets/machine/dates.js"]


def test_a_script_holds_names_shapes_and_all_bits(trained):
    name, file = re.fullmatch(r'trainedModels\.receive\("(.+?)", (\{.+\})\);\n', machine_files.script("dates")).groups()
    file = json.loads(file)
    assert (name, file["config"]) == ("dates", {"kind": "transformer"})
    assert file["weights"] == [["embed/embeddings", [2, 2]], ["norm/gamma", [1]]]
    numbers = np.frombuffer(base64.b64decode(file["numbers"]), "<f2")
    np.testing.assert_array_equal(numbers, np.concatenate([weight.ravel() for weight in WEIGHTS.values()]))

"""The programs that train the models of the pages: what they keep, and what they compare."""

import subprocess
import sys

import numpy as np
import pytest

import trained
from trained import __main__ as program

ROOT = trained.ROOT

RECIPE = """
import numpy as np
from trained.recipes import Recipe


class Weight:
    path = "tiny/query/kernel"


class Tiny:
    name = "tiny"

    def __init__(self):
        self.values = [np.zeros(2)]

    weights = [Weight]

    def get_weights(self):
        return self.values

    def set_weights(self, values):
        self.values = values


def train(model):
    model.values = [np.array([1.0, NUMBER])]
    return {"steps": np.arange(3)}


RECIPES = {"tiny": Recipe(Tiny, train, lambda model: {"second": model.values[0][1]}, {"kind": "tiny", "lacks": []})}
"""


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Return a function that writes the recipe of a model that is trained in no time."""
    monkeypatch.setattr(trained, "FOLDER", tmp_path / "kept")
    monkeypatch.setattr(trained, "ROOT", tmp_path)
    monkeypatch.setattr(trained, "PROGRAMS", {"tiny": "tiny_recipe"})
    (tmp_path / "trained").mkdir()
    (tmp_path / "trained" / "recipes.py").write_text("", encoding="utf-8")

    def write(number):
        text = RECIPE.replace("NUMBER", number)
        (tmp_path / "trained" / "tiny_recipe.py").write_text(text, encoding="utf-8")
        module = type(sys)("trained.tiny_recipe")
        exec(text, module.__dict__)
        monkeypatch.setitem(sys.modules, "trained.tiny_recipe", module)

    return write


def test_a_model_comes_back_with_its_record(tiny):
    tiny("2.0")
    program.write_all(["tiny"], trained.FOLDER)
    model, record = trained.load("tiny")
    np.testing.assert_array_equal(model.get_weights(), [[1.0, 2.0]])
    np.testing.assert_array_equal(record["steps"], [0, 1, 2])
    assert [path.suffix for path in trained.FOLDER.iterdir()] == [".npz"]


def test_what_is_kept_was_rounded_and_then_measured(tiny):
    tiny("0.1")
    program.write_all(["tiny"], trained.FOLDER)
    weights, config, record = trained.kept("tiny")
    assert config == {"kind": "tiny", "lacks": []}
    assert weights["query/kernel"].dtype == np.float16
    np.testing.assert_array_equal(weights["query/kernel"], np.float16([1.0, 0.1]))
    model, loaded = trained.load("tiny")
    np.testing.assert_array_equal(model.get_weights(), [weights["query/kernel"]])
    assert float(record["second"]) == float(loaded["second"]) == float(weights["query/kernel"][1]) != 0.1


def test_what_is_kept_is_read_without_keras(tiny):
    tiny("2.0")
    program.write_all(["tiny"], trained.FOLDER)
    text = f"""
import sys
from pathlib import Path
import trained
trained.PROGRAMS, trained.is_trained = {{"tiny": "tiny_recipe"}}, lambda name: True
trained.path_of = lambda name: Path({str(trained.path_of("tiny"))!r})
assert trained.kept("tiny")[1]["kind"] == "tiny"
assert not {{"keras", "tensorflow"}} & {{*sys.modules}}
"""
    subprocess.run([sys.executable, "-c", text], cwd=ROOT, check=True)


def test_another_recipe_is_another_model(tiny):
    tiny("2.0")
    assert not trained.is_trained("tiny")
    program.write_all(["tiny"], trained.FOLDER)
    assert trained.is_trained("tiny")
    tiny("3.0")
    assert not trained.is_trained("tiny")


def test_a_program_that_another_one_imports_belongs_to_it(tiny):
    tiny("2.0")
    (trained.ROOT / "trained" / "base.py").write_text("a = 1\n", encoding="utf-8")
    path = trained.ROOT / "trained" / "tiny_recipe.py"
    path.write_text(path.read_text(encoding="utf-8") + "\nfrom trained.base import a\n", encoding="utf-8")
    before = trained.program_of("tiny")
    (trained.ROOT / "trained" / "other.py").write_text("b = 1\n", encoding="utf-8")
    assert trained.program_of("tiny") == before
    (trained.ROOT / "trained" / "base.py").write_text("a = 2\n", encoding="utf-8")
    assert trained.program_of("tiny") != before


def test_training_again_gives_the_same_or_names_what_differs(tiny, monkeypatch, capsys):
    monkeypatch.setattr(program, "train_all", program.write_all)
    tiny("2.0")
    program.compare(["tiny"])
    assert "all 1 models are the same" in capsys.readouterr().out
    tiny("np.random.default_rng().random()")
    with pytest.raises(SystemExit, match="these are other models: tiny"):
        program.compare(["tiny"])


@pytest.mark.parametrize("name", trained.PROGRAMS)
def test_the_kept_model_is_of_its_program_and_does_what_is_noted(name):
    """Whoever changes a program trains anew; and a model does the same with the package as it is now."""
    assert trained.is_trained(name)
    model, record = trained.load(name)
    for fact, value in trained.recipe(name).measure(model).items():
        np.testing.assert_allclose(value, record[fact], atol=2e-3, err_msg=fact)


def test_an_unknown_name_is_refused():
    run = subprocess.run([sys.executable, "-m", "trained", "dat"], cwd=trained.ROOT, capture_output=True, text=True)
    assert run.returncode == 2
    assert "There is no such model. Expected: language, language-one-layer, " in run.stderr
    assert run.stderr.endswith("spare-sink. Received: dat.\n")

"""The planted faults fit the source they are planted in."""

import importlib
import linecache
import re
import sys

import pytest
import tensorflow as tf

from faults.laws import FILES, ROOT, faults, planted
from faults.plant import Planted, name_of

PATHS = [p for name in FILES for p in ((ROOT / name).glob("test_*.py") if "." not in name else [ROOT / name])]
LAWS = "".join(path.read_text(encoding="utf-8") for path in PATHS)


def test_each_law_has_a_fault_to_catch():
    assert sorted(faults()) == sorted(re.findall(r"^def (test_\w+)", LAWS, re.M))


@pytest.mark.parametrize("law", faults())
def test_a_fault_stands_in_its_file_once_and_leaves_it_a_program(law):
    path, source = planted(faults()[law])
    compile(source, path, "exec")
    assert source != path.read_text(encoding="utf-8")


def test_a_fault_whose_line_is_gone_is_said():
    with pytest.raises(SystemExit, match=r"must hold the line of a fault once\. Received: 'no such line'"):
        planted({"file": "faults/laws.py", "before": "no such line", "after": ""})


def test_modules_have_the_names_they_are_imported_by():
    assert name_of(ROOT / "src/clear_attention/certify/case.py") == "clear_attention.certify.case"
    assert name_of(ROOT / "tests/laws/reference.py") == "reference"


def test_graphs_are_made_of_the_planted_source_too(tmp_path, monkeypatch):
    path = tmp_path / "sound_here.py"
    path.write_text("def f(x):\n    return x\n", encoding="utf-8")
    for kept in ((sys, "meta_path", [*sys.meta_path]), (linecache, "updatecache", linecache.updatecache)):
        monkeypatch.setattr(*kept)  # as they are now: what is planted is taken away afterwards
    Planted("sound_here", path, path.read_text(encoding="utf-8").replace("return x", "return x + 1")).pytest_configure()
    f = importlib.import_module("sound_here").f
    monkeypatch.delitem(sys.modules, "sound_here")
    assert tf.function(f)(tf.constant(1)) == f(1) == 2

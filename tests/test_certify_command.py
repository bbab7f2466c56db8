"""The certifier's command and its pytest fixture, used from a project of their own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from clear_attention.certify.__main__ import main

PROJECT = """
import keras
import clear_attention


def ours():
    return clear_attention.DotProductAttention()


def keras_layer():
    return {"layer": keras.layers.Attention(), "only": ["empty_query", "lengths"]}
"""
SUITE = """
import keras
from models import ours


def test_ours(assert_certified):
    assert assert_certified(ours(), only=["no_future_leak", "empty_query"]).broken == ()


def test_keras(assert_certified):
    assert_certified(keras.layers.Attention(), only=["empty_query"])


def test_keras_with_an_exception(assert_certified):
    assert_certified(keras.layers.Attention(), only=["empty_query", "lengths"], allow=["empty_query"])
"""


def run(folder, *command):
    return subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True)


def test_the_command_prints_writes_and_exits(tmp_path, monkeypatch, capsys):
    (tmp_path / "models.py").write_text(PROJECT)
    bad = run(tmp_path, "clear_attention.certify", "models:keras_layer", "--json", "-")
    assert bad.returncode == 1, bad.stderr
    assert [row["verdict"] for row in json.loads(bad.stdout)["rows"]] == ["held", "broken"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["models:ours", "--json", "ours.json"]) == 0  # here, for TensorFlow takes seconds to start
    monkeypatch.delitem(sys.modules, "models")
    printed = capsys.readouterr().out
    assert "15 held, 0 broken" in printed
    assert "Written to ours.json" in printed
    assert json.loads((tmp_path / "ours.json").read_text())["certified"] is True
    assert sorted(p.name for p in tmp_path.glob("ours*")) == ["ours.json"]


def test_the_command_says_what_is_wrong(capsys):
    cases = {
        ("models",): "colon",
        ("nowhere:x",): "nowhere",
        ("json:nothing",): "nothing",
        ("json:dumps",): "takes obj",
        ("os:getcwd",): "something that can be called",
        ("os:abort.nothing",): "nothing",
        ("os:getcwd", "--json", "no/folder.json"): "folder that exists",
    }
    for arguments, words in cases.items():
        with pytest.raises(SystemExit) as exited:
            main(list(arguments))
        assert exited.value.code == 2
        assert words in capsys.readouterr().err, arguments


def test_the_fixture_works_in_another_project(tmp_path):
    (tmp_path / "models.py").write_text(PROJECT)
    (tmp_path / "test_models.py").write_text(SUITE)
    result = run(tmp_path, "pytest", "-q", "-p", "no:cacheprovider")
    assert "1 failed, 2 passed" in result.stdout, result.stdout + result.stderr
    assert "BROKEN  empty_query" in result.stdout
    assert "it gets the mean of all values" in result.stdout


FALSE_GREENS = """
import sys
import keras
import clear_attention as ca

def leaves():
    sys.exit(0)

def leaves_in_the_call():
    return {"layer": keras.layers.Dense(8), "call": lambda layer, x: sys.exit(0)}

def prints():
    print("hello")
    return {"layer": ca.DotProductAttention(), "only": ["weights_flag"]}
"""


@pytest.mark.parametrize("factory", ["doubtful:leaves", "doubtful:leaves_in_the_call", "gone:anything"])
def test_what_ends_python_gets_no_green(factory, tmp_path, monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "doubtful", raising=False)
    (tmp_path / "doubtful.py").write_text(FALSE_GREENS)
    (tmp_path / "gone.py").write_text("raise SystemExit(0)")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SystemExit) as exited:
        main([factory])
    assert exited.value.code == 2
    assert "SystemExit: 0" in capsys.readouterr().err


def test_the_command_asks_for_some_rows_or_for_a_level(tmp_path, monkeypatch, capsys):
    (tmp_path / "models.py").write_text(PROJECT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "models", raising=False)
    assert main(["models:ours", "--only", "lengths", "--only", "empty_query", "--json", "-"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)["rows"]] == ["lengths", "empty_query"]
    assert main(["models:ours", "--level", "correct", "--json", "-"]) == 0
    assert "hidden_nan" not in capsys.readouterr().out
    monkeypatch.delitem(sys.modules, "models")


def test_what_a_factory_prints_is_not_in_the_json_and_a_full_disk_is_no_verdict(tmp_path, monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "doubtful", raising=False)
    (tmp_path / "doubtful.py").write_text(FALSE_GREENS)
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["doubtful:prints", "--json", "-"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["certified"] is True
    assert "hello" in printed.err

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(SystemExit) as exited:
        main(["doubtful:prints", "--json", str(tmp_path / "ours.json")])
    assert exited.value.code == 2
    assert "can't be written: No space left on device" in capsys.readouterr().err

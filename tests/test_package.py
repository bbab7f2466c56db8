"""What users install: built twice with the same bytes, complete, and enough with NumPy and TensorFlow alone."""

import importlib
import importlib.metadata
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import keras
import pytest
from packaging.requirements import Requirement

import clear_attention

ROOT = Path(__file__).parents[1]
SOURCES = {p.relative_to(ROOT / "src").as_posix() for p in (ROOT / "src").rglob("*") if p.suffix in (".py", ".typed")}
DATE = {"SOURCE_DATE_EPOCH": "1700000000"}
USE = """
import sys
import clear_attention as ca
import clear_attention_pytest
assert "matplotlib" not in sys.modules
output, weights = ca.scaled_dot_product_attention([[1.0, 0.0]], [[1.0, 0.0]] * 2, [[2.0], [4.0]], [[0, 1]])
assert output.numpy().tolist() == [[2.0]]
ca.certify(ca.MultiHeadAttention(8, 2)).raise_for_failures()
try:
    ca.plot_mask([[0, 1]])
except ImportError as error:
    print(ca.__file__, error, sep="\\n")
"""


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build the wheel and the sdist, twice, as somebody else with other files and another umask would."""
    folders = [tmp_path_factory.mktemp(name) for name in ("once", "again")]
    for folder in folders:
        run(sys.executable, "-m", "hatchling", "build", "--directory", str(folder), **DATE)
    return folders


def test_both_builds_have_the_same_bytes(built):
    once, again = ({p.name: p.read_bytes() for p in folder.iterdir()} for folder in built)
    assert sorted(re.sub(r"-[\d.]+\d", "", name) for name in once) == [
        "clear_attention-py3-none-any.whl",
        "clear_attention.tar.gz",
    ]
    assert once == again


def test_the_wheel_holds_the_package_and_nothing_else(built):
    (wheel,) = built[0].glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    others = {name for name in names if ".dist-info/" not in name}
    assert others == SOURCES
    assert "clear_attention/py.typed" in others
    assert {name.partition(".dist-info/")[2] for name in names - others} == {
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "licenses/LICENSE",
    }


def test_the_sdist_holds_what_builds_the_wheel(built):
    (sdist,) = built[0].glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    extra = {"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "pyproject.toml", "PKG-INFO", ".gitignore"}
    assert names == {f"src/{name}" for name in SOURCES} | extra


def test_the_sdist_builds_the_same_wheel(built, tmp_path):
    (sdist,), (wheel,) = built[0].glob("*.tar.gz"), built[0].glob("*.whl")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path / "dist")]
    subprocess.run(command, cwd=unpacked, check=True, capture_output=True, env={**os.environ, **DATE})
    assert (tmp_path / "dist" / wheel.name).read_bytes() == wheel.read_bytes()


def closure(*names):
    """Return the installed distributions that these need, and what those need."""
    found, todo = {}, [*names]
    while todo:
        name = todo.pop().lower().replace("_", "-")
        if name in found:
            continue
        try:
            found[name] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # for another platform
        required = (re.match(r"[\w.-]+", r)[0] for r in found[name].requires or [] if "extra ==" not in r)
        todo += required
    return found.values()


def test_the_wheel_works_with_numpy_and_tensorflow_alone(built, tmp_path):
    run(sys.executable, "-m", "venv", "--without-pip", str(tmp_path))
    (packages,) = tmp_path.glob("lib/python*/site-packages")
    for distribution in closure("tensorflow", "keras", "numpy"):
        for top in {file.parts[0] for file in distribution.files if file.parts[0] not in ("..", "__pycache__")}:
            (packages / top).symlink_to(Path(distribution.locate_file(top)))
    (wheel,) = built[0].glob("*.whl")
    run(sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(packages), str(wheel))
    (packages / "pytest.py").write_text("def fixture(**options):\n    return lambda function: function\n")
    home, sentence = run(str(tmp_path / "bin" / "python"), "-I", "-c", USE).splitlines()[-2:]
    assert Path(home).is_relative_to(packages)
    assert "pip install" in sentence


def test_on_another_backend_the_import_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(keras.backend, "backend", lambda: "jax")
    with pytest.raises(ImportError, match=r"Expected: KERAS_BACKEND=tensorflow, set before .* Received: jax\."):
        importlib.reload(clear_attention._checks)


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-oldest.lock"])
def test_a_lock_names_the_extras_that_locked_packages_ask_of_each_other(lock):
    """Older pips look for a package with its extra anew, and refuse what they find as soon as there is a newer one."""
    named = re.findall(r"^([\w.-]+)(\[[\w,-]+\])?==", (ROOT / lock).read_text(encoding="utf-8"), re.M)
    locked = {name: Requirement(name + extras).extras for name, extras in named}
    asked = [Requirement(line) for found in importlib.metadata.distributions() for line in found.requires or ()]
    with_extras = [each for each in asked if each.extras and (not each.marker or each.marker.evaluate({"extra": ""}))]
    assert {"coverage", "bleach"} <= {each.name for each in with_extras}
    assert not [str(each) for each in with_extras if each.name in locked and not each.extras <= locked[each.name]]

"""What is said of the project outside its code: how to install it, which version it is, what changed."""

import re
import shutil
import sys
import tomllib
from pathlib import Path

import install
import pytest
import yaml

ROOT = Path(__file__).parents[1]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
with pytest.MonkeyPatch.context() as patch:
    patch.setattr(sys, "path", [str(ROOT / ".ci"), *sys.path])
    import release_notes


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_place_says_how_to_install_the_package_in_the_same_words():
    for name in ("README.md", "docs/index.py"):
        found = re.findall(r'pip install "([^"]*clear-attention[^"]*)"', read(name))
        assert found == [install.PACKAGE], name
    assert install.CELL.startswith(f'# %pip install "{install.PACKAGE}"\n')


def test_before_a_release_nobody_is_told_to_ask_an_index():
    released = re.search(r"^## \[?\d", read("CHANGELOG.md"), re.M)
    assert (install.PACKAGE == "clear-attention[plots]") == bool(released)


def test_the_citation_names_this_version_and_what_pyproject_says():
    citation = yaml.safe_load(read("CITATION.cff"))
    project = tomllib.loads(read("pyproject.toml"))["project"]
    assert citation["version"] == VERSION
    assert citation["license"] == project["license"]
    assert citation["keywords"] == project["keywords"]
    assert [author["name"] for author in citation["authors"]] == [author["name"] for author in project["authors"]]


def test_the_changelog_begins_with_what_is_not_released():
    headings = re.findall(r"^## (.+)$", read("CHANGELOG.md"), re.M)
    assert headings[0] == "Unreleased"
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d", heading) for heading in headings[1:])


def test_workflows_name_commands_that_exist():
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.M))
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
        commands = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
        made = " ".join(re.findall(r"\bmake ([a-z -]+)", "\n".join(commands))).split()
        assert set(made) <= targets, path.name
        files = [word for command in commands for word in re.findall(r"[\w./-]+\.py\b|\.ci/run\b", command)]
        assert all((ROOT / file).is_file() for file in files), path.name


@pytest.fixture
def ready(tmp_path):
    """Return a tree that is ready to be released as 0.1.0, as docs/contributing.md says."""
    for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md", "docs/_site/install.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    change(tmp_path / "pyproject.toml", r'^version = ".*"', 'version = "0.1.0"')
    change(tmp_path / "CITATION.cff", "^version: .*", "version: 0.1.0")
    change(tmp_path / "docs/_site/install.py", '^PACKAGE = ".*"', 'PACKAGE = "clear-attention[plots]"')
    news = "## Unreleased\n\n## 0.1.0 - 2027-01-02\n\n### Added\n\n* All.\n\n## 0.0.9 - 2027-01-01\n\n* Less.\n"
    (tmp_path / "CHANGELOG.md").write_text(news, encoding="utf-8")
    return tmp_path


def change(path, old, new):
    text, count = re.subn(old, new, path.read_text(encoding="utf-8"), flags=re.M)
    assert count == 1, path
    path.write_text(text, encoding="utf-8")


def test_the_notes_of_a_release_are_its_section_of_the_changelog(ready):
    assert release_notes.main("v0.1.0", ready) == "### Added\n\n* All."


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence"),
    [
        ("pyproject.toml", '^version = ".*"', 'version = "0.2.0"', r"0\.1\.0 in pyproject\.toml\. Received: 0\.2\.0\."),
        ("CITATION.cff", "^version: .*", "version: 0.2.0", r"0\.1\.0 in CITATION\.cff\. Received: 0\.2\.0\."),
        ("docs/_site/install.py", "^PACKAGE = .*", 'PACKAGE = "a/path[plots]"', r"Received: a/path\[plots\]\."),
        ("CHANGELOG.md", r"^## 0\.1\.0 .*", "## 0.1.1 - 2027-01-02", r"Expected: a section 0\.1\.0\. Received: none\."),
    ],
)
def test_a_tree_that_is_not_ready_is_refused(ready, name, old, new, sentence):
    change(ready / name, old, new)
    with pytest.raises(SystemExit, match=sentence):
        release_notes.main("v0.1.0", ready)

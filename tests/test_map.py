"""The tree holds together: each public name has one home, a docstring, tests, a page; lessons keep their shape."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import jupytext
import keras
import pytest
import yaml

import clear_attention

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "clear_attention"
FILES = [*SOURCE.glob("*.py"), *(init.parent for init in SOURCE.glob("*/__init__.py"))]  # packages are modules, too
MODULES = sorted(path.stem for path in FILES if not path.stem.startswith("_"))
PRIVATE = 5  # entries of the package's folder that a reader may leave alone
RESULTS = ("MaskReport", "Certificate")  # classes that the package makes and its users read
LESSONS = sorted((ROOT / "docs" / "learn").glob("*.py"))
PAGES = [path for path in sorted((ROOT / "docs").rglob("*.py")) if path.parent.name != "_site"]
SECTIONS = ["Args", "Returns", "Raises", "Attributes", "Examples", "References"]
OURS = ("convert_mask", "describe_", "certify", "plot_", "weights_", "date_", "create_date")  # there is nothing to cite


def wanted_sections(public):
    """Tuples list their fields, all else says what comes in, what comes out, what is refused, and where it is from."""
    if inspect.isclass(public) and (issubclass(public, tuple) or public.__name__ in RESULTS):
        return ["Attributes", "Examples"]
    arguments = ["Args", "Raises"] if inspect.signature(public).parameters else []
    if inspect.isclass(public) and not issubclass(public, keras.Layer):
        return [*arguments, "Attributes", "Examples"]
    source = [] if public.__name__.startswith(OURS) else ["References"]
    return [s for s in SECTIONS if s in (*arguments, "Returns", "Examples", *source)]


def nav():
    class Loader(yaml.SafeLoader):
        pass

    Loader.add_multi_constructor("!", lambda *_: None)
    tree = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader)["nav"]

    def paths(node):
        if isinstance(node, str):
            return [node]
        return [p for child in (node.values() if isinstance(node, dict) else node) for p in paths(child)]

    return paths(tree)


def home(name):
    return getattr(clear_attention, name).__module__.removeprefix("clear_attention.").split(".")[0]


def test_all_names_exist_and_nothing_else_is_public():
    assert len(set(clear_attention.__all__)) == len(clear_attention.__all__)
    found = {n for n in vars(clear_attention) if not n.startswith("_")}
    assert found - set(MODULES) | {"certify"} == set(clear_attention.__all__)  # a function named after its module


@pytest.mark.parametrize("module", MODULES)
def test_one_stem_in_every_room(module):
    assert (ROOT / "tests" / f"test_{module}.py").exists()
    page = (ROOT / "docs" / "reference" / f"{module}.md").read_text(encoding="utf-8")
    assert f"::: clear_attention.{module}" in page
    assert f"reference/{module}.md" in nav()


def test_nav_is_in_the_order_of_all():
    order = list(dict.fromkeys(home(name) for name in clear_attention.__all__))
    pages = [
        Path(p).stem
        for p in nav()
        if p.startswith("reference/") and p not in ("reference/index.md", "reference/refusals.py")
    ]
    assert pages == order
    assert sorted(order) == MODULES


def test_every_page_is_in_the_nav():
    pages = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")}
    pages |= {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.py")}
    assert {p for p in pages if not p.startswith("_")} == set(nav())


@pytest.mark.parametrize("name", clear_attention.__all__)
def test_docstrings_have_their_sections_and_examples_that_paste(name):
    doc = inspect.getdoc(getattr(clear_attention, name))
    first = doc.splitlines()[0]
    assert first.endswith((".", ",")) or "\n\n" in doc
    sections = re.findall(r"^(\w[\w ]*):$", doc, re.M)
    assert [s for s in sections if s in SECTIONS] == wanted_sections(getattr(clear_attention, name))
    example = doc.split("Examples:")[1].split("References:")[0]
    lines = [line.strip() for line in example.splitlines() if line.strip().startswith((">>>", "..."))]
    assert lines[0].startswith((">>> from clear_attention import", ">>> import"))
    assert len(lines) <= 8


def docstring_lines(tree):
    """Count the lines of the docstrings of a module, of its classes and functions."""
    scopes = (node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)))
    docs = (scope.body[0] for scope in scopes if ast.get_docstring(scope) is not None)
    return sum(doc.end_lineno - doc.lineno + 1 for doc in docs)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: p.relative_to(SOURCE).as_posix())
def test_no_source_file_has_over_300_lines_of_code(path):
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) - docstring_lines(ast.parse(source)) <= 300


def test_few_entries_of_the_package_are_private():
    names = {path.name for path in SOURCE.iterdir() if path.name.startswith("_") and not path.name.startswith("__")}
    assert len(names) <= PRIVATE, sorted(names)


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)
def test_a_page_reads_no_clock(path):
    """Even a comparison of two times comes out differently one day; pages show measurements that are kept."""
    assert not re.search(r"^\s*(import time|from time|import timeit)|%time", path.read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)
def test_a_page_prints_no_size_of_a_rounding(path):
    """The last bits of a sum depend on where its numbers lie in memory: a page says below what they are."""
    assert not re.search(r":\.\de\}", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
class TestLesson:
    def test_is_short(self, path):
        cells = [
            c for c in jupytext.read(path).cells if c.cell_type == "code" and "live" not in c.metadata.get("tags", [])
        ]
        assert len(cells) <= 12

    def test_keeps_its_shape(self, path):
        text = "\n".join(c.source for c in jupytext.read(path).cells if c.cell_type == "markdown")
        assert text.startswith("# ")
        assert re.search(r"^title: .+\ndescription: .+", path.read_text(encoding="utf-8").replace("# ", ""), re.M)
        assert len(re.findall(r"^### Exercise \d", text, re.M)) == 2
        assert "## Where to go next" in text
        further = re.sub(r"\s+", " ", text.partition("Read on elsewhere:")[2])
        assert len(re.findall(r"\((?:19|20)\d\d\), |Keras's guide", further)) == 3, "three links, each with its year"
        assert len(re.findall(r"\]\(https://", further)) == 3

    def test_tells_who_found_this_and_when(self, path):
        """Under a heading of its own, or where the story turns: somebody of those to read on, and a year."""
        text = "\n".join(c.source for c in jupytext.read(path).cells if c.cell_type == "markdown")
        told, _, further = re.sub(r"\s+", " ", text).partition("## Exercises")
        cited = re.split(r"\((?:19|20)\d\d\)[^;]*;?", further.partition("Read on elsewhere:")[2])
        authors = {name for who in cited[:-1] for name in re.findall(r"[A-Z][\w-]{2,}", who)}
        near = r"\b%s\b.{0,160}\b(?:19|20)\d\d\b|\b(?:19|20)\d\d\b.{0,160}\b%s\b"
        assert any(re.search(near % (name, name), told) for name in authors), f"none of {authors} is named with a year"

    def test_answers_its_exercises_and_asserts_its_claims(self, path):
        cells = jupytext.read(path).cells
        text = "\n".join("<answer>" if "answer" in c.metadata.get("tags", []) else c.source for c in cells)
        for exercise in re.split(r"^### Exercise \d", text.partition("## Check yourself")[0], flags=re.M)[1:]:
            assert "<answer>" in exercise or "<details" in exercise
        assert sum("assert" in c.source or "np.testing" in c.source for c in cells if c.cell_type == "code") >= 2

    def test_does_not_retype_the_package(self, path):
        code = "\n".join(c.source for c in jupytext.read(path).cells if c.cell_type == "code")
        defined = set(re.findall(r"^\s*(?:def|class) (\w+)", code, re.M))
        assert not defined & set(clear_attention.__all__)


def test_every_module_says_what_it_is_for():
    for module in MODULES:
        assert importlib.import_module(f"clear_attention.{module}").__doc__
        assert module in clear_attention.__doc__

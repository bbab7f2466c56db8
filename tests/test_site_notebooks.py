"""The notebooks that readers download: without the pieces of the site, and with all that their cells need."""

import ast
import base64
import builtins
import json
import re
import sys
from pathlib import Path

import jupytext
import pytest

DOCS = Path(__file__).parents[1] / "docs"
with pytest.MonkeyPatch.context() as patch:
    patch.setattr(sys, "path", [str(DOCS / "_site"), *sys.path])
    import plain


def downloaded(path):
    notebook = jupytext.read(path)
    for cell in notebook["cells"]:
        cell.setdefault("outputs", [])
    return json.loads(plain.to_notebook(notebook, lambda link: link))


def names_of(code):
    """Return the names that code reads, and those that it binds."""
    read, bound = set(), set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name):
            (bound if isinstance(node.ctx, ast.Store) else read).add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
            bound |= {node.module} if isinstance(node, ast.ImportFrom) else set()
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return read, bound


@pytest.mark.parametrize("lesson", sorted((DOCS / "learn").glob("*.py")), ids=lambda path: path.stem)
def test_a_downloaded_lesson_defines_every_name_before_it_is_used(lesson):
    known, codes = set(dir(builtins)), []
    for cell in downloaded(lesson)["cells"]:
        if cell["cell_type"] == "code":
            read, bound = names_of(cell["source"])
            assert read - bound - known == set(), cell["source"]
            known |= bound
            codes.append(cell["source"])
    assert len(codes) > 4
    assert not {"live", "exercises"} & names_of("\n".join(codes))[1]


def test_of_a_piece_remains_what_others_need():
    source = """
import sys

# in a clone
sys.path.append("..")
import numpy as np
from live import touch
from date_machine import comparison, machine

model = np.eye(3)
rows = comparison("a")  # a table of the site
lines = [rows] * 2
text = "may"  # a letter
touch("nudge", f"<p>{lines}</p>", x=model.tolist())
""".strip()
    gone = set()
    assert plain.without_pieces(source, gone).splitlines() == [
        "import sys",
        "",
        "# in a clone",
        'sys.path.append("..")',
        "import numpy as np",
        "",
        "model = np.eye(3)",
        'text = "may"  # a letter',
    ]
    assert gone == {"touch", "comparison", "machine", "rows", "lines"}
    assert plain.without_pieces('machine("a")\nrows = 1', gone) == "rows = 1"
    assert gone == {"touch", "comparison", "machine", "lines"}
    own = "def double(rows):\n    touch = 2 * rows\n    return touch"
    assert plain.without_pieces(f"{own}\n\n\ndouble(lines)", gone) == own
    assert plain.without_pieces(f"{own} * machine\n\n\ndouble(1)", gone) == ""
    assert gone == {"touch", "comparison", "machine", "lines", "double"}
    assert plain.without_pieces('import exercises\n\nexercises.show("masks")', set()) == ""


def test_an_answer_is_folded_behind_a_cell_for_the_readers_own():
    answer = {"cell_type": "code", "metadata": {"tags": ["answer"]}, "source": "x = 1", "outputs": [], "id": "masks-3"}
    shown = {**answer, "metadata": {}, "id": "masks-4"}
    found = json.loads(plain.to_notebook({"cells": [answer, shown], "metadata": {}}, str))["cells"]
    assert [cell["id"] for cell in found[1:]] == ["masks-3-own", "masks-3", "masks-4"]
    assert found[1]["source"].startswith("# Your answer")
    assert found[2]["metadata"]["jupyter"] == {"source_hidden": True, "outputs_hidden": True}
    assert (found[2]["source"], found[3]["metadata"]) == ("x = 1", {})


def test_a_piece_that_left_nothing_has_no_cell():
    outputs = [{"data": {"text/html": "<lesson-piece></lesson-piece>"}}]
    cells = [
        {"cell_type": "code", "metadata": {"tags": ["live"]}, "source": source, "outputs": outputs, "id": name}
        for name, source in {
            "a": "from live import touch\ntouch(1)",
            "b": "x = 1\nfrom live import touch\ntouch(x)",
        }.items()
    ]
    found = json.loads(plain.to_notebook({"cells": cells, "metadata": {}}, str))["cells"]
    assert [cell["source"] for cell in found[1:]] == ["x = 1"]
    assert found[1]["outputs"] == []


def test_a_drawing_that_is_computed_comes_along():
    drawing = '<svg class="diagram" aria-label="A map &amp; a row"><path d="M0 0"/></svg>'
    cell = {
        "cell_type": "code",
        "metadata": {"tags": ["live", "remove-input"]},
        "source": 'from drawing import attention_drawn\n\nattention_drawn("masks")',
        "outputs": [
            {
                "output_type": "execute_result",
                "metadata": {},
                "data": {"text/html": f"<div>{drawing}{drawing[:-6]} more</svg></div>"},
            }
        ],
        "id": "masks-7",
    }
    notebook = {"cells": [cell], "metadata": {}}
    _, found = json.loads(plain.to_notebook(notebook, str))["cells"]
    assert (found["cell_type"], found["id"]) == ("markdown", "masks-7-drawn")
    label, carried = re.fullmatch(r"!\[(.*)\]\(data:image/svg\+xml;base64,(.*)\)", found["source"]).groups()
    assert label == "A map & a row"
    assert base64.b64decode(carried).decode() == drawing.replace("<svg ", '<svg style="background: #fff" ')
    assert plain.to_text(notebook, str) == "(Drawing: A map & a row)"


def test_attributes_that_only_the_site_understands_do_not_stand_in_a_notebook_or_a_text():
    links, rest = "[A link](a.md){ .md-button } [B](b.md){ .md-button }", "$x \\in \\{0, 1\\}$\n\n`{ #code }` stays"
    page = f"## A title {{ #its-anchor }}\n\n{links}\n\n{rest}"
    for shown in (plain.for_jupyter(page, str), plain.described(page, str)):
        assert shown == f"## A title\n\n[A link](a.md) [B](b.md)\n\n{rest}"

"""The table of refusals: each call gets its sentence, each place that refuses is reached, each name has its rows."""

import ast
import builtins
import functools
import inspect
import re
import sys
import tomllib
from pathlib import Path

import jupytext
import keras
import numpy as np
import pytest
import tensorflow as tf

import clear_attention
from clear_attention._checks import sentence

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "clear_attention"
PAGE = ROOT / "docs" / "reference" / "refusals.py"
TABLE = tomllib.loads(PAGE.with_suffix(".toml").read_text(encoding="utf-8"))
ROWS = [(name, row) for name, rows in TABLE["refused"].items() for row in rows]
READ = ("MaskReport", "Certificate")  # made by the package, and asked by name
IN_PARTS = re.compile(r".+[.)] Expected: .+\. Received: .+\.", re.DOTALL)
NOT_REACHED = {  # by module and function
    "_checks.__init__.": "only on another backend; see test_package",
    "plots.drawing.pyplot": "only where matplotlib is not installed",
    "certify.certificate.raise_for_failures": "broken promises are a verdict: what is raised is the certificate",
    "certify.__main__.make": "the command prints it; see test_certify_command",
}


def page_functions():
    """Return what the page itself runs its calls with."""
    (cell,) = [cell.source for cell in jupytext.read(PAGE).cells if "def outcome" in cell.source]
    names = {"re": re}
    exec(cell, names)
    return names


@functools.cache
def run():
    """Run every row once: give the outcomes, and the lines of src that were reached."""
    reached, outcomes, page, names = set(), [], page_functions(), {}
    sentence_of = page["sentence_of"]

    def noting(law, expected, received):
        frame = sys._getframe(1)
        reached.add((Path(frame.f_code.co_filename), frame.f_lineno))
        return refusal(law, expected, received)

    def noting_sentence_of(error):
        trace = error.__traceback__
        while trace is not None:
            reached.add((Path(trace.tb_frame.f_code.co_filename), trace.tb_lineno))
            trace = trace.tb_next
        return sentence_of(error)

    refusal, page["sentence_of"] = sentence.refusal, noting_sentence_of
    exec(TABLE["prepare"], names)
    with pytest.MonkeyPatch.context() as patch:
        for module in [m for name, m in sys.modules.items() if name.startswith("clear_attention")]:
            if hasattr(module, "refusal"):
                patch.setattr(module, "refusal", noting)
        for _, row in ROWS:
            outcomes.append(page["outcome"](row["call"], names))
    return outcomes, reached


def makes_refusal(node):
    function = getattr(node, "func", None)
    return isinstance(node, ast.Call) and getattr(function, "id", getattr(function, "attr", None)) == "refusal"


def raises_in_its_own_words(node):
    """Tell whether an error of Python's is raised here, without `refusal`. (Those of `certify` it catches itself.)"""
    if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name)):
        return False
    return hasattr(builtins, node.exc.func.id) and not any(makes_refusal(inner) for inner in ast.walk(node))


@functools.cache
def places():
    """Return every line of src that refuses something, with its module and function."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for scope in ast.walk(tree):  # from the outside in: the innermost function gives the name
            if isinstance(scope, (ast.Module, ast.FunctionDef)):
                for node in ast.walk(scope):
                    if makes_refusal(node) or raises_in_its_own_words(node):
                        found[path, node.lineno] = f"{module}.{getattr(scope, 'name', '')}"
    return found


@pytest.mark.parametrize("number", range(len(ROWS)), ids=lambda number: ROWS[number][1]["call"])
def test_the_call_gets_its_sentence(number):
    row = ROWS[number][1]
    assert run()[0][number] == (row["error"], row["sentence"])


def test_every_place_that_refuses_is_reached():
    assert len(places()) > 80
    missing = {place: name for place, name in places().items() if place not in run()[1]}
    assert {name: line for (_, line), name in missing.items() if name not in NOT_REACHED} == {}
    assert set(NOT_REACHED) <= set(missing.values())  # what is reached by now leaves the list


def test_every_name_that_can_refuse_has_rows_in_the_order_of_all():
    documented = {n for n in clear_attention.__all__ if "Raises:" in inspect.getdoc(getattr(clear_attention, n))}
    assert list(TABLE["refused"]) == [n for n in clear_attention.__all__ if n in documented.union(READ)]


def test_every_sentence_has_three_parts_unless_it_is_a_verdict():
    others = [row["error"] for _, row in ROWS if not IN_PARTS.fullmatch(row["sentence"])]
    assert others == ["AssertionError"]


def test_what_is_shown_of_a_received_value_is_short_and_on_one_line():
    values = [np.zeros((9, 9)), tf.ragged.constant([[1], []]), keras.Input((5,)), tf.TensorSpec(None), list(range(999))]
    for value in (*values, "long " * 99, dict.fromkeys(range(99), "text"), np.float32(2), None, ["a", "b"]):
        text = sentence.shown(value)
        assert len(text) <= sentence.LONGEST
        assert "\n" not in text
    assert sentence.shown(values[0]) == "<ndarray of shape (9, 9)>"
    assert sentence.shown(values[3]) == "<TensorSpec of shape unknown>"
    assert sentence.shown(values[4]).endswith("... (999 in all)")


def test_no_call_is_listed_twice():
    calls = [row["call"] for _, row in ROWS]
    assert sorted(set(calls)) == sorted(calls)

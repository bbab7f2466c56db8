"""What the reference shows of the package: docs/_site/public.py."""

from pathlib import Path

import griffe
import pytest
from public import Public

SOURCE = Path(__file__).parents[1] / "src"


@pytest.fixture(scope="module")
def package():
    return griffe.load("clear_attention", search_paths=[SOURCE], extensions=griffe.load_extensions(Public))


def test_call_arguments_are_a_list_of_names(package):
    text = package["heads.MultiHeadAttention"].docstring.value
    assert "    - `queries`: `(batch, query_length, depth)`.\n" in text
    assert "\n    - `d_model`" not in text


def test_bases_are_those_that_users_know(package):
    names = ("encoder_decoder.Encoder", "transformer.Transformer")
    bases = {name: [str(b) for b in package[name].bases] for name in names}
    assert bases == dict(zip(names, (["keras.Layer"], ["keras.Model"]), strict=True))


def test_what_takes_the_rest_has_no_default(package):
    parameters = package["heads.MultiHeadAttention.__init__"].parameters
    assert (parameters["dropout"].default, parameters["kwargs"].default) == ("0.0", None)


def test_helpers_are_not_shown(package):
    assert package["heads"].exports.count("split_heads") == 1
    assert "project_rows" not in package["heads"].exports

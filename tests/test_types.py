"""Type hints: whatever users call says what it takes and gives, and their tools can read it at run time."""

import inspect
import typing
from importlib import resources

import pytest

import clear_attention
import clear_attention_pytest
from clear_attention import _types, dates
from clear_attention.certify import certificate
from clear_attention.masks import conventions

PUBLIC = {name: getattr(clear_attention, name) for name in clear_attention.__all__}
CLASSES = {name: public for name, public in PUBLIC.items() if inspect.isclass(public)}


def is_ours(thing):
    return thing.__module__.startswith("clear_attention")


def methods_of(cls):
    """Return the methods and properties that this package defines, those of shared base classes too."""
    for base in filter(is_ours, reversed(cls.__mro__)):
        for name, member in vars(base).items():
            function = inspect.unwrap(getattr(member, "fget", getattr(member, "__func__", member)))
            if inspect.isfunction(function) and is_ours(function):  # a NamedTuple has some of Python's, too
                yield name, function


FUNCTIONS = {name: public for name, public in PUBLIC.items() if inspect.isfunction(public)}
FUNCTIONS |= {f"{name}.{method}": f for name, cls in CLASSES.items() for method, f in methods_of(cls)}
FUNCTIONS |= {"assert_certified": inspect.unwrap(clear_attention_pytest.assert_certified)}


def without_hint(function):
    hints = typing.get_type_hints(function)  # raises where a name can't be resolved
    names = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    return [name for name in [*names, "return"] if name not in hints]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_and_result_has_a_hint(name):
    assert without_hint(FUNCTIONS[name]) == []


def test_so_has_what_the_fixture_gives(assert_certified):
    assert without_hint(assert_certified) == []


@pytest.mark.parametrize("name", CLASSES)
def test_every_field_has_a_hint(name):
    cls = CLASSES[name]
    assert set(getattr(cls, "_fields", ())) <= set(typing.get_type_hints(cls))


def test_methods_are_found_wherever_they_are_defined():
    assert {"Encoder.__init__", "Encoder.__call__", "Encoder.call", "Encoder.compute_output_shape"} < set(FUNCTIONS)
    assert {"MaskReport.names", "MaskReport._repr_html_", "certify", "combine_masks"} < set(FUNCTIONS)


def test_a_choice_lists_what_is_accepted():
    split = typing.get_type_hints(clear_attention.create_date_pairs)["split"]
    verdict = typing.get_type_hints(clear_attention.Row)["verdict"]
    assert set(typing.get_args(_types.Convention)) == set(conventions.CONVENTIONS)
    assert typing.get_args(_types.MaskAxes) == conventions.AXES
    assert typing.get_args(split) == dates.SPLITS
    assert typing.get_args(verdict) == tuple(certificate.MARKS)


def test_checkers_are_told_that_there_are_hints():
    assert resources.files("clear_attention").joinpath("py.typed").is_file()

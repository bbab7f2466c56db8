"""Every test, doctest and page snippet runs quietly, without a display, and with warnings as errors."""

import functools
import gc
import os
import sys
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from unittest import mock

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ["MPLBACKEND"] = "agg"

import pytest
from sybil import Sybil
from sybil.evaluators.doctest import NUMBER
from sybil.integration.pytest import SybilItem
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=NUMBER | ELLIPSIS | NORMALIZE_WHITESPACE), SkipParser()],
    patterns=["README.md", "docs/*.md", "docs/**/*.md"],
).pytest()


# Files of tests whose cases differ in numbers, layers and modes, not in the lines that they take.
WATCHED_ONCE = "attention blocks blockwise blockwise_layer blockwise_random cache certify edges encoder_decoder fit"
WATCHED_ONCE += " generation heads language_model layer_contract layers nonfinite options_inside positions prompts"
WATCHED_ONCE += " sampling transformer wrappers"

# Files with tests of ten seconds and more: begun first, so that at the end no worker waits for another.
LONG = "many_machines package transformer_saving transformer certify_command"


def pytest_collection_modifyitems(items):
    """Put the pages' snippets first: they build on each other, and pytest-xdist leaves one process the first tests.

    To see which lines a test takes costs more than half of what the test does, so of like cases only the first is
    watched, and no law, since the other tests take its lines too.
    """
    items.sort(key=lambda item: (not isinstance(item, SybilItem), name_of(item) not in LONG.split()))
    watched = set()
    for item in items:
        test = (item.path, getattr(item, "originalname", None) or item.name)
        like = name_of(item) in WATCHED_ONCE.split() and not item.get_closest_marker("watched")
        if item.path.parent.name == "laws" or (like and test in watched):
            item.add_marker("no_cover")
        watched.add(test)


def name_of(item):
    return item.path.stem.removeprefix("test_")


@functools.cache
def seed_tensorflow():
    import tensorflow as tf

    tf.random.set_seed(0)
    if "LAWS_TF32" not in os.environ:  # a GPU would take it by itself, and tests count digits
        tf.config.experimental.enable_tensor_float_32_execution(False)
    gc.freeze()  # what importing has made stays: garbage need not be looked for in it


@pytest.fixture(autouse=True)
def same_numbers():
    """A layer's random weights are the same in every run: a test fails for everybody or for nobody.

    TensorFlow gets its seed once: with each new one it throws away all kernels, and to make them again for every test
    took a quarter of the time. So no test may draw with TensorFlow, but for its stateless functions.
    """
    if keras := sys.modules.get("keras"):
        seed_tensorflow()
        with mock.patch("tensorflow.random.set_seed"):
            keras.utils.set_random_seed(0)


@pytest.fixture(autouse=True)
def close_figures():
    """Figures are kept open by pyplot until somebody closes them."""
    yield
    import matplotlib.pyplot as plt

    plt.close("all")

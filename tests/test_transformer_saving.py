"""The Transformer in a file: saved, loaded elsewhere with the same numbers, exported."""

import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from compare import close
from samples import saved_and_loaded
from test_transformer import SIZES, SOURCE, TARGET, shaken

from clear_attention import greedy_search

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
CONFIG = {"dropout": 0.2, "activation": "gelu", "norm_first": True, "epsilon": 1e-5, "pad_id": 3, "start_id": 0}
LOAD = """
import json, sys, keras, clear_attention
model = keras.models.load_model(sys.argv[1])
ids = clear_attention.greedy_search(model, json.loads(sys.argv[2]), max_length=9, jit_compile=False)
print(json.dumps(ids.numpy().tolist()))
"""


def test_loads_in_a_fresh_process_and_says_the_same_there(tmp_path):
    model = shaken(seed=6, **CONFIG)
    expected = greedy_search(model, SOURCE, max_length=9, jit_compile=False).numpy().tolist()
    assert len(set(expected[0])) > 2  # not one word again and again
    model.save(tmp_path / "model.keras")
    command = [sys.executable, "-c", LOAD, str(tmp_path / "model.keras"), str(SOURCE.tolist())]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.stdout.strip() == str(expected), found.stderr


def test_loads_bit_identically_with_the_same_config(tmp_path):
    model, target = shaken(**CONFIG), np.where(TARGET == 1, 0, TARGET)
    loaded = saved_and_loaded(model, tmp_path)
    assert loaded.get_config() == model.get_config()
    assert {**loaded.get_config(), **SIZES, **CONFIG, "end_id": 2} == loaded.get_config()
    np.testing.assert_array_equal(loaded(SOURCE, target), model(SOURCE, target))


def test_is_exported_for_ids_and_served_with_the_same_numbers(tmp_path):
    model = shaken()
    model.export(tmp_path, verbose=False)
    served = tf.saved_model.load(tmp_path)
    for length in (3, 5):
        close(served.serve((SOURCE, TARGET[:, :length])), model(SOURCE, TARGET[:, :length]))

"""What version 0.1 saved, in tests/saved, is loaded today, although modules and attributes have other names."""

from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from layer_contract import ENTRIES, example, takes_a_pair

from clear_attention import DecoderLayer, Encoder, Transformer

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
SAVED = Path(__file__).parent / "saved"
OUTPUTS = np.load(SAVED / "outputs.npz")


@pytest.mark.parametrize("name", ENTRIES)
def test_a_saved_layer_gives_the_same_numbers(name):
    model = keras.models.load_model(SAVED / f"{name}.keras")
    given = example(name, **ENTRIES[name].options)
    output = model(*given) if ENTRIES[name].takes_ids and not takes_a_pair(name) else model(given)
    np.testing.assert_allclose(output, OUTPUTS[name], rtol=0, atol=1e-6)


@pytest.mark.filterwarnings("ignore:Layer 'inner' .* was passed an input with a mask:UserWarning")
def test_so_does_a_model_of_models():
    model = keras.models.load_model(SAVED / "nested.keras")
    ids = np.array([[1, 2, 3, 4, 0], [5, 6, 0, 0, 0]], "int32")
    np.testing.assert_allclose(model(ids), OUTPUTS["nested"], rtol=0, atol=1e-6)


def test_a_checkpoint_of_a_model_with_its_optimizer_and_of_a_layer_is_restored():
    model, layer, optimizer = Transformer(2, 8, 2, 12, 9, 9), DecoderLayer(8, 2, 12), keras.optimizers.SGD()
    model.build()
    optimizer.build(model.trainable_variables)
    layer.build((None, None, 8), (None, None, 8))
    tf.train.Checkpoint(model=model, optimizer=optimizer, layer=layer).restore(str(SAVED / "checkpoint"))
    np.testing.assert_allclose(model(*example("Transformer")), OUTPUTS["checkpoint model"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(layer(*example("DecoderLayer")), OUTPUTS["checkpoint layer"], rtol=0, atol=1e-6)


def test_a_checkpoint_of_a_model_alone_holds_every_weight(tmp_path):
    """Version 0.1 left out all layers of encoder and decoder, without a word."""
    models = [Transformer(2, 8, 2, 12, 9, 9, norm_first=True) for _ in range(2)]
    for model in models:
        model.build()
        for variable in model.weights:
            variable.assign(np.random.default_rng(len(variable.path)).normal(size=variable.shape) + models.index(model))
    path = tf.train.Checkpoint(model=models[0]).save(str(tmp_path / "model"))
    tf.train.Checkpoint(model=models[1]).restore(path).assert_existing_objects_matched()
    for one, other in zip(*(model.weights for model in models), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_old_name_of_the_layers_is_still_known():
    encoder = Encoder(2, 8, 2, 12)
    assert [id(layer) for layer in encoder.stack] == [id(layer) for layer in encoder.layers]

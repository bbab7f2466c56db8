"""What tests are tried on: ids with padding, random tensors, layers with random weights, models back from a file."""

import keras
import numpy as np

IDS = np.array([[7, 6, 0, 0, 1], [1, 2, 3, 0, 0], [4, 0, 0, 4, 5]])
CONTEXT_IDS = np.array([[3, 0, 0, 0, 0, 0, 2], [6, 5, 4, 3, 2, 1, 7], [0, 1, 2, 3, 0, 0, 0]])
REAL, CONTEXT_REAL = IDS != 0, CONTEXT_IDS != 0


def random_tensors(*shapes, dtype="float32", seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def shake(layer, *inputs, seed=1, scale=0.4):
    """Set every weight to a random value: no bias stays 0, no scale 1. A call with inputs builds the layer; a model
    builds itself. A generator for a seed is drawn from on."""
    if inputs:
        layer(*inputs)
    elif not layer.built:
        layer.build()
    rng = np.random.default_rng(seed)
    for variable in layer.weights:
        variable.assign(rng.normal(size=variable.shape) * scale)
    return layer


def saved_and_loaded(model, folder):
    model.save(folder / "model.keras")
    return keras.models.load_model(folder / "model.keras")

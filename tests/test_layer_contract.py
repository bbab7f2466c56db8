"""Every public layer keeps the same laws in Keras; what cannot apply to one is in the table of layer_contract.py."""

import functools
import inspect
import json
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf
from layer_contract import (
    ENTRIES,
    D,
    close,
    counted,
    each_layer,
    example,
    fitted,
    graph_of,
    ids_of,
    inputs_of,
    model_from_ids,
    modelled,
    public_layers,
    real_outputs,
    shaken,
    takes_a_pair,
)

import clear_attention

# Keras saves through NumPy's old __array__ protocol, which NumPy 2 warns about; nothing of ours is involved.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
KERAS_OPTIONS = {"name": "mine", "trainable": False, "dtype": "float64"}
UNMOVED = "project_keys/bias"  # it moves all scores of a row alike, so the softmax does not see it
same = np.testing.assert_array_equal
built = functools.cache(shaken)  # for laws that leave a layer as it is


def test_the_table_holds_every_public_layer():
    assert set(ENTRIES) == public_layers()


# What a layer is: its arguments, its weights, its shapes


@each_layer()
def test_config_holds_every_argument_and_rebuilds_the_layer(name):
    kind, (sizes, options, *_) = getattr(clear_attention, name), ENTRIES[name]
    arguments = inspect.signature(kind.__init__).parameters.values()
    defaults = {a.name: a.default for a in arguments if a.kind == a.POSITIONAL_OR_KEYWORD and a.name != "self"}
    assert set(defaults) == set(sizes) | set(options)  # the table has an example of each
    assert not any(defaults[key] == value for key, value in options.items())

    layer, inputs = shaken(name, **options, **KERAS_OPTIONS), example(name, **options)
    config = json.loads(json.dumps(layer.get_config()))
    parts = {k: config[k] for k, v in options.items() if isinstance(v, keras.Layer)}
    assert all(part["config"] == options[k].get_config() for k, part in parts.items())
    assert {**config, **sizes, **options, **parts, "name": "mine", "trainable": False} == config
    again = kind.from_config(config)
    assert again.get_config() == layer.get_config()
    again(*inputs)
    again.set_weights(layer.get_weights())
    same(again(*inputs), layer(*inputs))


@each_layer()
def test_weights_have_these_names_shapes_and_order(name):
    layer = built(name)
    assert [(w.path.split("/", 1)[1], tuple(w.shape)) for w in layer.weights] == [*ENTRIES[name].weights.items()]
    assert layer.count_params() == sum(np.prod(shape) for shape in ENTRIES[name].weights.values())
    assert [w.path for w in layer.trainable_weights] == [w.path for w in layer.weights]


@each_layer()
def test_symbolic_and_eager_shapes_agree_where_lengths_are_unknown(name):
    (layer, model), depth = modelled(name), ENTRIES[name].depth
    symbolic = model.outputs[0]
    assert symbolic.shape == (None, None, depth)
    for short in (False, True):
        output = layer(*example(name, short, **ENTRIES[name].options))
        assert output.shape == ((2, 3, depth) if short else (3, 5, depth))
        assert output.dtype == symbolic.dtype


@pytest.mark.watched
@each_layer()
def test_compute_output_shape_is_the_symbolic_shape(name):
    shapes = [x.shape for x in inputs_of(name)]
    arguments = [shapes] if takes_a_pair(name) else shapes
    assert built(name).compute_output_shape(*arguments) == (None, None, ENTRIES[name].depth)


@pytest.mark.parametrize("name", [name for name, entry in ENTRIES.items() if not entry.takes_ids])
def test_a_symbolic_input_times_a_number_is_taken(name):
    first, *others = inputs = inputs_of(name)
    model = keras.Model(inputs, built(name)(first * 3.0, *others))
    arguments = example(name)
    np.testing.assert_array_equal(model(list(arguments)), built(name)(arguments[0] * 3.0, *arguments[1:]))


@each_layer()
def test_symbolic_outputs_are_those_of_call(name):
    layer, inputs = built(name, dtype="mixed_float16"), inputs_of(name)
    assert layer(*inputs).dtype == layer(*example(name)).dtype
    if "return_weights" in inspect.signature(layer.call).parameters:
        symbolic, eager = layer(*inputs, return_weights=True), layer(*example(name), return_weights=True)
        assert symbolic.output.shape == (None, None, ENTRIES[name].depth)
        keras.tree.assert_same_structure(symbolic.weights, eager.weights)


@pytest.mark.parametrize(
    "name", [name for name, entry in ENTRIES.items() if entry.inputs == "x" and not entry.takes_ids]
)
def test_time_distributed_takes_a_layer(name):
    layer, texts = built(name), np.stack(example(name) * 2, axis=1)
    distributed = keras.layers.TimeDistributed(layer)
    assert distributed.compute_output_shape((None, 2, None, D)) == (None, 2, None, D)
    close(distributed(texts)[:, 1], layer(texts[:, 1]), 1e-6)


# Precision


@pytest.mark.parametrize("given", ["float16", "float64"])
@each_layer("autocast")
def test_inputs_are_cast_to_the_dtype_of_the_layer(name, given):
    layer, inputs = built(name), [x.astype(given) for x in example(name)]
    output = layer(*inputs)
    assert output.dtype == "float32"
    same(output, layer(*(x.astype("float32") for x in inputs)))


@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 0.02), ("bfloat16", 0.1)])
@each_layer()
def test_mixed_precision_keeps_weights_and_digits(name, dtype, tolerance):
    layer = built(name, dtype=f"mixed_{dtype}")
    assert layer.compute_dtype == dtype
    assert {w.dtype for w in layer.variables if w.dtype.startswith(("float", "bfloat"))} <= {"float32"}
    output = np.asarray(layer(*example(name)), "float64")
    expected = built(name)(*example(name))
    close(output, expected, tolerance)
    assert np.any(output != expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@each_layer("16 bits out")
def test_mixed_precision_gives_16_bits(name, dtype):
    assert built(name, dtype=f"mixed_{dtype}")(*example(name)).dtype == dtype


@each_layer()
def test_float64_is_computed_in_float64(name):
    layer, takes_ids = shaken(name, dtype="float64"), ENTRIES[name].takes_ids
    inputs = [tf.Variable(x if takes_ids else x.astype("float64")) for x in example(name)]
    close(layer(*map(tf.identity, inputs)), built(name)(*example(name)), 1e-5)
    assert {w.dtype for w in layer.weights} <= {"float64"}
    moving = [*([] if takes_ids else inputs), *layer.trainable_variables]
    rng, step = np.random.default_rng(2), 1e-5
    ways = [rng.normal(size=v.shape) / len(moving) for v in moving]

    def height(by):
        for variable, way in zip(moving, ways, strict=True):
            variable.assign_add(by * way)
        output = layer(*map(tf.identity, inputs))
        assert output.dtype == "float64"
        return tf.reduce_sum(tf.sin(output))

    with tf.GradientTape() as tape:
        start = height(0)
    slopes = map(tf.convert_to_tensor, tape.gradient(start, moving))
    slope = sum(np.sum(s * way) for s, way in zip(slopes, ways, strict=True))
    # one number rounded to float32 on the way would be off by 1e-7, and the quotient of differences by 1e-2
    rise = float(height(step) - height(-2 * step))
    assert rise / (2 * step) == pytest.approx(slope, rel=1e-6, abs=1e-6)


# Training


@each_layer()
def test_one_step_of_fit_changes_every_weight_by_a_finite_gradient(name):
    model, losses, [(before, _), (after, _), _] = fitted(name)
    assert np.all(np.isfinite(losses))
    paths = [v.path for v in model.trainable_variables]
    assert len(paths) >= len(ENTRIES[name].inputs)  # the embeddings in front of a layer without weights
    assert all(np.all(np.isfinite(after[path])) for path in paths)
    assert {p for p in paths if np.all(after[p] == before[p])} <= {p for p in paths if p.endswith(UNMOVED)}


@each_layer()
def test_fit_on_a_pipeline_takes_batches_of_other_lengths_without_a_new_trace(name):
    model, _, [_, (first, calls), (last, calls_later)] = fitted(name)
    assert calls_later == calls
    assert all(np.all(np.isfinite(last[v.path])) for v in model.trainable_variables)
    assert any(np.any(last[v.path] != first[v.path]) for v in model.trainable_variables)


@each_layer("dropout")
def test_dropout_acts_only_in_training_and_follows_the_seed(name):
    inputs, seen = example(name), []
    for _ in range(2):
        keras.utils.set_random_seed(3)
        layer = shaken(name, dropout=0.5)
        seen.append([layer(*inputs, training=True).numpy() for _ in range(2)])
    same(*seen)
    assert np.any(seen[0][0] != seen[0][1])
    for options in ({}, {"training": False}):
        same(layer(*inputs, **options), built(name)(*inputs))


# Batches and masks


@each_layer()
def test_a_sentence_alone_gets_what_it_gets_in_a_batch(name):
    layer, inputs = built(name), example(name)
    together = layer(*inputs)
    for row in range(3):
        close(layer(*(x[row : row + 1] for x in inputs)), together[row : row + 1], 1e-6)


@each_layer()
def test_masks_of_keras_hide_tokens_and_go_on_with_the_output(name):
    layer = shaken(name)
    model, embeds = model_from_ids(name, layer)
    ids = ids_of(name)
    real = ids[ENTRIES[name].inputs.index("x")] != 0
    same(model(ids)._keras_mask, real)
    assert model.outputs[0]._keras_mask is not None  # the next layer of a functional model gets it
    given = ids[0] if ENTRIES[name].takes_ids else embeds[0](ids[0])
    same(layer.compute_mask(tuple(ids) if takes_a_pair(name) else given, None), real)
    same(*real_outputs(model, embeds, name))


@each_layer("unmasked tokens are seen")
def test_without_masks_the_same_tokens_are_seen(name):
    layer = shaken(name)
    _, embeds = model_from_ids(name, layer)

    def unmasked(ids):
        return layer(*(np.asarray(embed(i)) for embed, i in zip(embeds, ids, strict=True)))

    before, after = real_outputs(unmasked, embeds, name)
    assert np.any(np.abs(before - after) > 1e-3)


# Graphs, and files that others read


@each_layer()
def test_one_trace_serves_all_lengths(name):
    layer = shaken(name)
    expected = [layer(*example(name, short)) for short in (False, True)]
    calls, graph = counted(layer), graph_of(name, layer)
    for short in (False, True, False):
        close(graph(*example(name, short)), expected[short], 1e-6)
    assert graph.experimental_get_tracing_count() == len(calls) == 1


@each_layer()
def test_xla_agrees_with_eager(name):
    layer = built(name)
    close(graph_of(name, layer, jit_compile=True)(*example(name)), layer(*example(name)), 1e-5)


LOAD = """
import pathlib, sys, traceback
import keras, numpy as np
import clear_attention
for path in pathlib.Path(sys.argv[1]).glob("*.keras"):
    try:
        inputs = np.load(path.with_suffix(".npz"))
        np.save(path.with_suffix(".npy"), keras.models.load_model(path)([inputs[key] for key in inputs]))
    except Exception:
        path.with_suffix(".txt").write_text(traceback.format_exc())
"""


@pytest.fixture(scope="session")
def reloaded(tmp_path_factory):
    """Save all layers and load them in one other process, for TensorFlow takes seconds to import; return the folder and
    what each gave before."""
    folder, outputs = tmp_path_factory.mktemp("saved"), {}
    for name, entry in ENTRIES.items():
        (_, model), inputs = modelled(name), example(name, **entry.options)
        outputs[name] = model(inputs).numpy()
        model.save(folder / f"{name}.keras")
        np.savez(folder / f"{name}.npz", *inputs)
    done = subprocess.run([sys.executable, "-c", LOAD, folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder, outputs


@each_layer()
def test_loads_bit_identically_in_a_fresh_process(name, reloaded):
    folder, outputs = reloaded
    failure = folder / f"{name}.txt"
    assert not failure.exists(), failure.read_text()
    same(np.load(folder / f"{name}.npy"), outputs[name])


@each_layer()
def test_an_exported_layer_is_served_with_the_same_numbers(name, tmp_path):
    layer, model = modelled(name)
    model.export(tmp_path / "served", verbose=False)
    served = tf.saved_model.load(tmp_path / "served")
    for short in (False, True):
        inputs = example(name, short, **ENTRIES[name].options)
        close(served.serve(inputs), layer(*inputs), 1e-6)

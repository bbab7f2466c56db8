"""The Transformer: its parts put together by hand, masks from ids, no look at the future, training."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from compare import assert_padding_is_not_seen, close
from samples import saved_and_loaded, shake

from clear_attention import (
    Transformer,
    combine_masks,
    create_look_ahead_mask,
    create_padding_mask,
    create_window_mask,
    sinusoidal_encoding,
)

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
SIZES = {"num_layers": 2, "d_model": 24, "num_heads": 4, "d_ff": 13, "source_vocab": 17, "target_vocab": 19}
SOURCE = np.array([[5, 6, 7, 0, 8, 0, 0], [16, 3, 4, 9, 9, 2, 10], [0, 0, 0, 0, 0, 0, 0]])  # the last is all padding
TARGET = np.array([[1, 18, 4, 0, 0], [1, 3, 5, 7, 9], [1, 2, 0, 6, 8]])
LABELS = np.array([[18, 4, 2, 0, 0], [3, 5, 7, 9, 2], [2, 0, 6, 8, 2]])
REAL = TARGET != 0
LOSS = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def shaken(cls=Transformer, seed=1, **options):
    """Make a model in which no weight is what it was initialised to: no bias 0, no scale 1."""
    return shake(cls(**{**SIZES, **options}), seed=seed)


@functools.cache
def shared():
    """Return one model for all tests that change nothing about it."""
    return shaken()


# The parts


@pytest.mark.parametrize("norm_first", [False, True])
def test_logits_are_the_parts_put_together_by_hand(norm_first):
    model = shaken(norm_first=norm_first)
    source = np.asarray(model.embed_source.embeddings)[SOURCE] * np.sqrt(24) + sinusoidal_encoding(7, 24)
    target = np.asarray(model.embed_target.embeddings)[TARGET] * np.sqrt(24) + sinusoidal_encoding(5, 24)
    blocked = create_padding_mask(SOURCE)
    context = model.encoder(source, mask=blocked)
    look_back = combine_masks(create_padding_mask(TARGET), create_look_ahead_mask(5))
    x = np.asarray(model.decoder(target, context, mask=look_back, cross_mask=blocked))
    expected = x @ np.asarray(model.project_logits.kernel) + np.asarray(model.project_logits.bias)
    close(model(SOURCE, TARGET), expected, 1e-5)


@pytest.mark.parametrize("norm_first", [False, True])
def test_nothing_is_shared_silently(norm_first):
    model, d, d_ff = shaken(norm_first=norm_first), 24, 13
    attention, feed_forward, norm = 4 * (d * d + d), d * d_ff + d_ff + d_ff * d + d, 2 * d
    encoder = 2 * (attention + feed_forward + 2 * norm) + norm * norm_first
    decoder = 2 * (2 * attention + feed_forward + 3 * norm) + norm * norm_first
    assert model.count_params() == 17 * d + 19 * d + encoder + decoder + (d * 19 + 19)
    assert len({id(w) for w in model.weights}) == len({w.path for w in model.weights}) == len(model.weights)
    same_vocab = shaken(target_vocab=17)
    before = np.asarray(same_vocab.embed_target.embeddings)
    same_vocab.embed_source.embeddings.assign(np.zeros((17, d)))
    np.testing.assert_array_equal(same_vocab.embed_target.embeddings, before)


def test_all_attention_maps_come_by_name():
    logits, weights = shared()(SOURCE, TARGET, return_weights=True)
    pad_source, pad_target = SOURCE == 0, TARGET == 0
    later = np.triu(np.ones((5, 5), bool), 1)
    encoder = np.broadcast_to(pad_source[:, None, None, :], (3, 4, 7, 7))
    itself = np.broadcast_to(pad_target[:, None, None, :] | later, (3, 4, 5, 5))
    cross = np.broadcast_to(pad_source[:, None, None, :], (3, 4, 5, 7))
    blocked = {
        "encoder.0": encoder,
        "encoder.1": encoder,
        "decoder.0.self": itself,
        "decoder.0.cross": cross,
        "decoder.1.self": itself,
        "decoder.1.cross": cross,
    }
    assert list(weights) == list(blocked)
    for name, expected in blocked.items():
        np.testing.assert_array_equal(np.asarray(weights[name]) == 0, expected)
        close(np.sum(weights[name], axis=-1), ~expected.all(axis=-1))  # 1, or 0 where nothing is visible
    np.testing.assert_array_equal(shared()(SOURCE, TARGET), logits)


def test_dropout_acts_only_in_training_and_on_the_embeddings_too():
    model = shaken(dropout=0.5)
    np.testing.assert_array_equal(model(SOURCE, TARGET), model(SOURCE, TARGET, training=False))
    assert np.any(model(SOURCE, TARGET, training=True) != model(SOURCE, TARGET))
    for layer in (model.source_positions, model.target_positions):
        assert np.mean(layer(np.ones((1, 40, 24)), training=True) == 0) == pytest.approx(0.5, abs=0.1)


# Masks from ids


def test_more_padding_changes_nothing():
    expected = shared()(SOURCE, TARGET)
    longer = [np.pad(ids, [(0, 0), (0, n)]) for ids, n in ((SOURCE, 4), (TARGET, 2))]
    close(shared()(longer[0], TARGET), expected, 1e-5)
    close(shared()(SOURCE, longer[1])[:, :5], expected, 1e-5)


@pytest.mark.parametrize("strange", [np.nan, np.inf, 1e10])
def test_what_padding_is_embedded_as_changes_no_real_logit_and_no_gradient(strange):
    model = shaken()
    tables = [model.embed_source, model.embed_target]
    assert_padding_is_not_seen(model, tables, strange, lambda: tf.where(REAL[..., None], model(SOURCE, TARGET), 0.0))


def test_no_logit_changes_with_a_later_target_id():
    before = shared()(SOURCE, TARGET)
    for first in range(1, 5):
        ids = TARGET.copy()
        ids[:, first:] = (ids[:, first:] + 7) % 19
        after = shared()(SOURCE, ids)
        np.testing.assert_array_equal(after[:, :first], before[:, :first])
        assert np.all(np.any(after[:, first] != before[:, first], axis=-1))


def test_every_logit_changes_with_a_real_source_id_of_its_sentence_only():
    before, ids = shared()(SOURCE, TARGET), SOURCE.copy()
    ids[0, 4] = 9
    after = shared()(ids, TARGET)
    assert np.all(np.any(after[0] != before[0], axis=-1))
    np.testing.assert_array_equal(after[1:], before[1:])


def test_special_ids_may_be_others():
    model = shaken(pad_id=4, start_id=9, end_id=0)
    source, target = SOURCE.copy(), np.where(TARGET == 1, 9, TARGET)
    weights = model(source, target, return_weights=True).weights
    np.testing.assert_array_equal(np.all(weights["encoder.1"] == 0, axis=(1, 2)), source == 4)
    np.testing.assert_array_equal(np.all(weights["decoder.1.self"] == 0, axis=(1, 2)), target == 4)
    np.testing.assert_array_equal(model(source, target)._keras_mask, target != 4)


class Nearsighted(Transformer):
    """A user's own model: no target token sees more than the one before it."""

    def target_mask(self, target_ids):
        return combine_masks(super().target_mask(target_ids), create_window_mask(target_ids.shape[1], 2))


def test_a_subclass_may_make_other_masks():
    weights = shaken(Nearsighted)(SOURCE, TARGET, return_weights=True).weights
    near = np.tril(np.ones((5, 5), bool)) & ~np.tril(np.ones((5, 5), bool), -2)
    for layer in range(2):
        np.testing.assert_array_equal(weights[f"decoder.{layer}.self"][1] != 0, np.broadcast_to(near, (4, 5, 5)))


# Ways to call it


@pytest.mark.parametrize(
    "call",
    [
        lambda model: model((SOURCE, TARGET)),
        lambda model: model([SOURCE, TARGET]),
        lambda model: model(SOURCE.tolist(), TARGET.tolist()),
        lambda model: model((SOURCE.tolist(), TARGET.tolist())),
        lambda model: model(tf.constant(SOURCE), target_ids=tf.constant(TARGET, tf.int64)),
        lambda model: model(SOURCE.astype("uint8"), TARGET.astype("int16")),
    ],
)
def test_the_pair_comes_in_every_form(call):
    np.testing.assert_array_equal(call(shared()), shared()(SOURCE, TARGET))


def test_inside_a_functional_model_that_saves_and_loads(tmp_path):
    source, target = (keras.Input((None,), dtype="int32") for _ in range(2))
    logits, weights = shared()(source, target, return_weights=True)
    assert logits.shape == (None, None, 19)
    model = keras.Model([source, target], [logits, weights["decoder.1.cross"]])
    expected = shared()(SOURCE, TARGET, return_weights=True)
    for m in (model, saved_and_loaded(model, tmp_path)):
        found = m([SOURCE, TARGET])
        np.testing.assert_array_equal(found[0], expected.output)
        np.testing.assert_array_equal(found[1], expected.weights["decoder.1.cross"])


def test_eager_graph_and_xla_agree():
    expected = shared()(SOURCE, TARGET)
    signature = [tf.TensorSpec((None, None), tf.int32)] * 2
    graph, xla = (tf.function(lambda s, t: shared()(s, t), signature, jit_compile=jit) for jit in (False, True))
    scale = np.max(np.abs(expected))
    for call in (graph, xla):
        close(call(SOURCE, TARGET) / scale, expected / scale)
    assert graph.get_concrete_function().output_shapes.as_list() == [None, None, 19]


@pytest.mark.parametrize("policy", ["float32", "float64", "mixed_float16", "mixed_bfloat16", "float16"])
def test_logits_have_32_bits_at_least(policy):
    model = shaken(dtype=policy)
    logits, weights = model(SOURCE, TARGET, return_weights=True)
    assert logits.dtype == ("float64" if policy == "float64" else "float32")
    assert {w.dtype for w in weights.values()} == {tf.as_dtype(model.compute_dtype)}
    close(logits, shared()(SOURCE, TARGET), 1e-5 if "16" not in policy else 0.6 if "b" in policy else 0.1)


# Training


@functools.cache
def trained(policy="float32"):
    """Return a compiled model after one step of fit, and its weights before it."""
    model = shaken(dtype=policy, num_layers=1)
    model.compile(keras.optimizers.SGD(1.0), LOSS, weighted_metrics=["accuracy"])
    before = {w.path: w.numpy() for w in model.trainable_variables}
    history = model.fit((SOURCE, TARGET), LABELS, batch_size=3, verbose=0).history
    assert np.all(np.isfinite(history["loss"]))
    return model, before


@pytest.mark.parametrize("policy", ["float32", "float64", "mixed_float16", "mixed_bfloat16"])
def test_one_step_of_fit_changes_every_weight(policy):
    model, before = trained(policy)
    for variable in model.trainable_variables:
        assert np.all(np.isfinite(variable.numpy()))
        # the bias of the keys moves all scores of a row alike, so the softmax does not see it
        assert np.any(variable.numpy() != before[variable.path]) or "project_keys/bias" in variable.path


def test_padded_targets_are_left_out_of_loss_and_metrics():
    model, _ = trained()
    logits = np.asarray(model(SOURCE, TARGET), "float64")
    np.testing.assert_array_equal(model(SOURCE, TARGET)._keras_mask, REAL)
    chances = logits - np.log(np.sum(np.exp(logits), axis=-1, keepdims=True))
    loss = -np.take_along_axis(chances, LABELS[..., None], axis=-1)[..., 0]
    results = model.evaluate((SOURCE, TARGET), LABELS, batch_size=3, verbose=0, return_dict=True)
    assert results["loss"] == pytest.approx(loss[REAL].mean(), rel=1e-5)
    assert results["accuracy"] == pytest.approx((logits.argmax(-1) == LABELS)[REAL].mean())
    assert abs(loss[REAL].mean() - loss.mean()) > 1e-2


def test_fit_and_predict_take_tf_data_too():
    model, _ = trained()
    data = tf.data.Dataset.from_tensor_slices(((SOURCE, TARGET), LABELS)).batch(3)
    assert np.all(np.isfinite(model.fit(data, shuffle=False, verbose=0).history["loss"]))
    for logits in (model.predict((SOURCE, TARGET), verbose=0), model.predict(data, verbose=0)):
        close(logits, model(SOURCE, TARGET), 1e-5)


def test_ids_that_a_graph_gets_as_whole_floats_are_ids():
    """As Keras hands them over when it builds a model for more than one device."""
    model = shared()
    graph = tf.function(lambda source, target: model((source, target)))
    np.testing.assert_array_equal(
        graph(tf.cast(SOURCE, tf.float32), tf.cast(TARGET, tf.float32)), graph(SOURCE, TARGET)
    )

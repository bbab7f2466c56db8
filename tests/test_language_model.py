"""The language model: what Keras's own layers give, no look at the future, padding, packed documents, pieces, files."""

import functools
import json
import os
import subprocess
import sys
import textwrap

import keras
import numpy as np
import pytest
import tensorflow as tf
from compare import assert_padding_is_not_seen, close
from samples import saved_and_loaded, shake

from clear_attention import (
    AlibiBias,
    LanguageModel,
    RotaryPositions,
    bits_per_byte,
    certify,
    sinusoidal_encoding,
    token_losses,
    weights_to_keras,
)

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
SIZES = {"num_layers": 2, "d_model": 12, "num_heads": 3, "d_ff": 13, "vocab": 17}
IDS = np.array([[1, 7, 8, 9, 2, 0, 0], [1, 5, 6, 5, 6, 16, 2], [0, 0, 3, 4, 9, 9, 10]])  # the last begins with padding
REAL = IDS != 0
LOSS = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
KINDS = {
    "rotary": {},
    "own rotary": {"positions": RotaryPositions("interleaved", base=50.0)},
    "rotary of attention": {"positions": None, "self_attention": {"rotary": RotaryPositions(base=9.0)}},
    "sinusoidal": {"positions": "sinusoidal"},
    "learned": {"positions": "learned", "max_length": 9},
    "none": {"positions": None},
    "biased": {"positions": None, "self_attention": {"position_bias": AlibiBias()}},
    "untied": {"tie_embeddings": False},
    "grouped": {"self_attention": {"num_key_value_heads": 1, "sink": True, "softcap": 5.0}},
    "norm last": {"norm_first": False, "activation": "relu"},
}
each_kind = pytest.mark.parametrize("kind", KINDS)


def shaken(cls=LanguageModel, seed=1, **options):
    """Make a model in which no weight is what it was initialised to: no bias 0, no scale 1."""
    return shake(cls(**{**SIZES, **options}), seed=seed)


@functools.cache
def shared(kind="rotary"):
    """Return one model for all tests that change nothing about it."""
    return shaken(**KINDS[kind])


# Values


def in_layers_of_keras(model, norm_first, activation):
    """Return the same model, written in Keras's own layers, with the same weights."""
    x = ids = keras.Input((7,), dtype="int32")
    embed = keras.layers.Embedding(17, 12)
    x, after = embed(ids) * 12**0.5, []

    def copied(layer, x, original):
        y = layer(x)
        after.append(lambda: layer.set_weights(original.get_weights()))
        return y

    def norm(x, original):
        return copied(keras.layers.LayerNormalization(epsilon=1e-6), x, original)

    def attend(x, original):
        attention = keras.layers.MultiHeadAttention(3, 4)
        y = attention(x, x, use_causal_mask=True)
        after.append(lambda: weights_to_keras(original, attention))
        return y

    def feed_forward(x, block):
        x = copied(keras.layers.Dense(13, activation), x, block.widen)
        return copied(keras.layers.Dense(12), x, block.narrow)

    if model.positions == "learned":
        x = x + np.asarray(model.learned.embeddings)[:7]
    elif model.positions == "sinusoidal":
        x = x + sinusoidal_encoding(7, 12).numpy()
    for layer in model.stack.layers:
        attention, forward = layer.self_attention, layer.feed_forward
        if norm_first:
            x = x + attend(norm(x, attention.norm), attention.attention)
            x = x + feed_forward(norm(x, forward.norm), forward)
        else:
            x = norm(x + attend(x, attention.attention), attention.norm)
            x = norm(x + feed_forward(x, forward), forward.norm)
    if norm_first:
        x = norm(x, model.stack.norm)
    table = model.embed.embeddings if model.tie_embeddings else tf.transpose(model.embed.reverse_embeddings)
    theirs = keras.Model(ids, x)
    embed.set_weights([np.asarray(model.embed.embeddings)])
    for copy in after:
        copy()
    return lambda ids: np.asarray(theirs(ids)) @ np.asarray(table).T


@pytest.mark.parametrize("positions", [None, "sinusoidal", "learned"])
@pytest.mark.parametrize(("tied", "norm_first", "activation"), [(True, True, "gelu"), (False, False, "silu")])
def test_logits_are_those_of_the_same_model_in_layers_of_keras(positions, tied, norm_first, activation):
    options = {"positions": positions, "tie_embeddings": tied, "norm_first": norm_first, "activation": activation}
    model = shaken(**options, max_length=7 if positions == "learned" else None)
    ids = np.random.default_rng(0).integers(1, 17, (5, 7))
    close(model(ids), in_layers_of_keras(model, norm_first, activation)(ids), 1e-5)


def test_tied_embeddings_are_one_table_that_learns_from_both_ends():
    tied, untied = shared(), shared("untied")
    assert untied.count_params() - tied.count_params() == 17 * 12
    assert len({id(w) for w in tied.weights}) == len({w.path for w in tied.weights}) == len(tied.weights)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tied(IDS)[:, :, 13])  # no text holds 13: it learns from the logits only, 7 from both
    slope = tf.convert_to_tensor(tape.gradient(loss, tied.embed.embeddings))
    assert np.all(np.any(slope.numpy()[[7, 13]] != 0, axis=-1))
    assert not np.any(slope[14])


@pytest.mark.parametrize(("tied", "more"), [(False, 0.5), (True, 1.4)])  # tied, each token is like itself
def test_a_new_model_is_about_as_unsure_as_one_that_knows_nothing(tied, more):
    model = LanguageModel(2, 64, 4, 128, 100, tie_embeddings=tied)
    ids = np.random.default_rng(0).integers(3, 100, (8, 30))
    assert np.mean(token_losses(model, ids)) == pytest.approx(np.log(100) + more, abs=0.3)


def test_rotary_positions_are_shared_by_all_layers():
    model = shared("own rotary")
    assert {id(layer.self_attention.attention.rotary) for layer in model.stack.layers} == {id(model.positions)}
    other = shaken(positions=RotaryPositions("interleaved", base=5000.0))
    assert np.any(np.abs(other(IDS) - model(IDS)) > 1e-2)


# Who sees whom


@each_kind
def test_no_logit_changes_with_a_later_id(kind):
    before = shared(kind)(IDS)
    for first in range(3, 7):
        ids = IDS.copy()
        ids[:, first:] = (ids[:, first:] + 7) % 17
        after = shared(kind)(ids)
        np.testing.assert_array_equal(after[:, :first], before[:, :first])
        changed = np.any(after[:, first] != before[:, first], axis=-1)
        assert np.all(changed[IDS[:, first] != 0])


@each_kind
def test_padding_on_either_side_changes_nothing(kind):
    text = np.array([[1, 7, 8, 9, 5]])
    expected = shared(kind)(text)
    for left, right in ((0, 2), (3, 0), (2, 2)):
        logits = shared(kind)(np.pad(text, [(0, 0), (left, right)]))
        close(logits[:, left : left + 5], expected, 1e-5)


@each_kind
def test_packed_documents_are_as_alone_and_their_neighbours_change_no_bit(kind):
    model = shared(kind)
    packed, segment_ids = np.array([[1, 7, 8, 1, 5, 6, 9]]), np.array([[1, 1, 1, 2, 2, 2, 2]])
    before = model(packed, segment_ids=segment_ids)
    close(before[:, 3:], model(packed[:, 3:]), 1e-5)
    close(before[:, :3], model(packed[:, :3]), 1e-5)
    for mine, theirs in ((slice(3, 7), slice(0, 3)), (slice(0, 3), slice(3, 7))):
        ids = packed.copy()
        ids[:, theirs] = (ids[:, theirs] + 2) % 17
        after = model(ids, segment_ids=segment_ids)
        np.testing.assert_array_equal(after[:, mine], before[:, mine])
        assert np.all(np.any(after[:, theirs] != before[:, theirs], axis=-1))


def test_padding_inside_a_document_that_is_packed_shifts_nothing():
    model = shared("learned")
    packed = model([[1, 7, 0, 0, 1, 5, 6]], segment_ids=[[1, 1, 2, 2, 2, 2, 2]])
    close(packed[:, 4:], model([[1, 5, 6]]), 1e-5)


def test_positions_can_be_given():
    for kind in ("rotary", "sinusoidal", "learned"):
        model = shared(kind)
        text, shifted = IDS[1:2, :4], [0, 1, 5, 6]
        np.testing.assert_array_equal(model(text, positions=[0, 1, 2, 3]), model(text))
        other = model(text, positions=shifted)
        np.testing.assert_array_equal(other, model(text, positions=[shifted]))
        close(other[:, :2], model(text)[:, :2], 1e-6)
        assert np.all(np.any(np.abs(other[:, 2:] - model(text)[:, 2:]) > 1e-3, axis=-1))


def test_all_attention_maps_come_by_name_and_block_padding_and_the_future():
    logits, weights = shared()(IDS, return_weights=True)
    blocked = ~REAL[:, None, :] | ~REAL[:, :, None] | np.triu(np.ones((7, 7), bool), 1)
    assert list(weights) == ["0", "1"]
    for w in weights.values():
        np.testing.assert_array_equal(np.asarray(w) == 0, np.broadcast_to(blocked[:, None], (3, 3, 7, 7)))
    close(logits, shared()(IDS), 1e-6)
    np.testing.assert_array_equal(shared()(IDS)._keras_mask, REAL)


@pytest.mark.parametrize("strange", [np.nan, np.inf, 1e10])
def test_what_padding_is_embedded_as_changes_no_real_logit_and_no_gradient(strange):
    model = shaken(tie_embeddings=False)
    assert_padding_is_not_seen(model, [model.embed], strange, lambda: tf.where(REAL[..., None], model(IDS), 0.0))


def test_special_ids_may_be_others():
    model = shaken(pad_id=4, start_id=9, end_id=None)
    np.testing.assert_array_equal(model(IDS)._keras_mask, IDS != 4)
    weights = model(IDS, return_weights=True).weights["1"]
    np.testing.assert_array_equal(np.all(weights == 0, axis=(1, 2)), IDS == 4)
    assert model.end_id is None


@pytest.mark.parametrize("kind", ["rotary", "learned"])
def test_it_is_certified(kind):
    options = {"positions": "learned", "max_length": 40} if kind == "learned" else {}
    certificate = certify(shaken(**options), vocab=17, causal=True, positions=True, pad_id=0)
    certificate.raise_for_failures()


# Pieces


@each_kind
def test_pieces_over_a_cache_are_the_whole(kind):
    model = shared(kind)
    expected = np.asarray(model(IDS))
    for cuts in ((3,), (1, 2, 6), range(1, 7)):
        cache, found = model.create_cache(batch=3, capacity=8), []
        for piece in np.split(IDS, cuts, axis=1):
            logits, cache = model(piece, cache=cache)
            found.append(logits)
        close(np.concatenate(found, axis=1)[REAL], expected[REAL], 1e-5)


def test_a_piece_gives_weights_too():
    model = shared()
    (_, weights), cache = model(IDS, cache=model.create_cache(3, 9), return_weights=True)
    assert weights["1"].shape == (3, 3, 7, 9)
    assert list(cache) == ["0", "1"]


# Modes


@pytest.mark.parametrize("kind", ["rotary", "learned", "biased", "grouped"])
def test_eager_graph_and_xla_agree(kind):
    model, segments = shared(kind), np.array([[1, 1, 1, 2, 2, 2, 2]] * 3)
    expected = model(IDS), model(IDS, segment_ids=segments)
    signature = [tf.TensorSpec((None, None), tf.int32)] * 2
    for jit in (False, True):
        call = tf.function(lambda i, s: (model(i), model(i, segment_ids=s)), signature, jit_compile=jit)
        for found, wanted in zip(call(IDS, segments), expected, strict=True):
            close(found, wanted, 1e-5)


@pytest.mark.parametrize("policy", ["float64", "mixed_float16", "mixed_bfloat16", "float16"])
@pytest.mark.parametrize("kind", ["rotary", "learned", "sinusoidal", "untied"])
def test_logits_have_32_bits_at_least(policy, kind):
    model = shaken(**KINDS[kind], dtype=policy)
    logits, weights = model(IDS, return_weights=True)
    assert logits.dtype == ("float64" if policy == "float64" else "float32")
    assert {w.dtype for w in weights.values()} == {tf.as_dtype(model.compute_dtype)}
    close(logits, shared(kind)(IDS), 1e-5 if "16" not in policy else 0.3 if "b" in policy else 0.05)


def test_the_last_product_is_in_32_bits():
    """Weights of 16 bits would be off in the third digit."""
    model = shaken(dtype="mixed_bfloat16")
    x = np.random.default_rng(0).normal(size=(1, 2, 12)).astype("float32")
    close(model.to_logits(tf.constant(x)), x @ np.asarray(model.embed.embeddings).T, 1e-6)


def test_dropout_acts_only_in_training_and_on_the_embeddings_too():
    model = shaken(dropout=0.5)
    np.testing.assert_array_equal(model(IDS), model(IDS, training=False))
    assert np.any(model(IDS, training=True) != model(IDS))
    assert np.mean(model.drop(np.ones((1, 40, 24)), training=True) == 0) == pytest.approx(0.5, abs=0.1)


# Training


@pytest.mark.parametrize(
    ("kind", "policy"),
    [("rotary", "float32"), ("rotary", "float64"), ("learned", "mixed_float16"), ("untied", "mixed_bfloat16")],
)
def test_one_step_of_fit_changes_every_weight(kind, policy):
    model = shaken(**KINDS[kind], dtype=policy)
    model.compile(keras.optimizers.SGD(1.0), LOSS)
    before = {w.path: w.numpy() for w in model.trainable_variables}
    assert np.all(np.isfinite(model.fit(IDS[:, :-1], IDS[:, 1:], verbose=0).history["loss"]))
    for variable in model.trainable_variables:
        assert np.all(np.isfinite(variable.numpy()))
        # the bias of the keys moves all scores of a row alike, so the softmax does not see it (turned keys do)
        assert np.any(variable.numpy() != before[variable.path]) or "project_keys/bias" in variable.path


@pytest.mark.parametrize("given", ["arrays", "tf.data"])
def test_padded_targets_are_left_out_of_loss_and_metrics(given):
    model = shaken()
    model.compile("sgd", LOSS, weighted_metrics=["accuracy"])
    ids, targets = IDS[:, :-1], IDS[:, 1:]
    data = {"x": ids, "y": targets, "batch_size": 3}
    if given == "tf.data":
        data = {"x": tf.data.Dataset.from_tensor_slices((ids, targets)).batch(3)}
    counts = (ids != 0) & (targets != 0)
    assert np.any((ids != 0) & (targets == 0))  # what follows the last token of a text is padding
    losses = np.asarray(token_losses(model, IDS))
    np.testing.assert_array_equal(losses != 0, counts)
    results = model.evaluate(**data, verbose=0, return_dict=True)
    assert results["loss"] == pytest.approx(losses[counts].mean(), rel=1e-5)
    right = np.argmax(model(ids), axis=-1) == targets
    assert results["accuracy"] == pytest.approx(right[counts].mean())


def test_fit_learns_to_repeat():
    rng = np.random.default_rng(0)
    words = rng.integers(3, 17, (256, 4))
    texts = np.concatenate([np.ones((256, 1), int), words, words, np.full((256, 1), 2)], axis=1)
    model = LanguageModel(2, 32, 4, 64, 17, dropout=0.0)
    model.compile(keras.optimizers.Adam(5e-3), LOSS)
    model.fit(texts[:, :-1], texts[:, 1:], batch_size=64, epochs=40, verbose=0)
    losses = np.asarray(token_losses(model, texts))
    assert losses[:, 4:].mean() < 0.2  # the second half can be read off the first
    assert losses[:, :4].mean() > 2.0  # which is drawn by chance


MIRRORED = """
    import json
    import keras
    import numpy as np
    import tensorflow as tf
    from clear_attention import LanguageModel

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    texts = np.random.default_rng(0).integers(1, 17, (32, 9))


    def fit(strategy):
        keras.utils.set_random_seed(0)
        with strategy.scope():
            model = LanguageModel(1, 16, 2, 32, 17, dropout=0.0, dtype="float64")
            model.build()
            optimizer = keras.optimizers.Adam(1e-2)
            optimizer.build(model.trainable_variables)
            model.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=False)
        return model.fit(texts[:, :-1], texts[:, 1:], batch_size=16, epochs=3, verbose=0, shuffle=False).history["loss"]


    two = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    print(json.dumps([fit(tf.distribute.get_strategy()), fit(two)]))
"""


def test_two_devices_give_the_losses_of_one():
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(MIRRORED)],
        env=os.environ | {"CUDA_VISIBLE_DEVICES": "-1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    one, two = json.loads(done.stdout.splitlines()[-1])
    np.testing.assert_allclose(two, one, rtol=1e-6)  # Keras's mean of the losses is in float32
    assert one[-1] < one[0]


# Files


@each_kind
def test_loads_bit_identically_with_the_same_config(kind, tmp_path):
    model = shared(kind)
    loaded = saved_and_loaded(model, tmp_path)
    assert loaded.get_config() == model.get_config()
    assert LanguageModel.from_config(json.loads(json.dumps(model.get_config()))).get_config() == model.get_config()
    np.testing.assert_array_equal(loaded(IDS), model(IDS))


@pytest.mark.parametrize("kind", ["rotary", "learned", "untied"])
def test_is_exported_for_ids_and_served_with_the_same_numbers(kind, tmp_path):
    model = shaken(**KINDS[kind])
    model.export(tmp_path, verbose=False)
    served = tf.saved_model.load(tmp_path)
    for length in (3, 7):
        close(served.serve(IDS[:, :length].astype("int32")), model(IDS[:, :length]), 1e-5)


def test_inside_a_functional_model_that_saves_and_loads(tmp_path):
    ids, segment_ids = (keras.Input((None,), dtype="int32") for _ in range(2))
    logits, weights = shared()(ids, segment_ids=segment_ids, return_weights=True)
    assert logits.shape == (None, None, 17)
    model = keras.Model([ids, segment_ids], [logits, weights["1"]])
    given = IDS, np.cumsum(IDS == 9, axis=1)
    expected = shared()(given[0], segment_ids=given[1], return_weights=True)
    for m in (model, saved_and_loaded(model, tmp_path)):
        found = m(given)
        np.testing.assert_array_equal(found[0], expected.output)
        np.testing.assert_array_equal(found[1], expected.weights["1"])


# What a text costs


def test_token_losses_are_the_logarithms_of_the_probabilities():
    model = shared()
    logits = np.asarray(model(IDS), "float64")
    chances = logits - np.log(np.sum(np.exp(logits), axis=-1, keepdims=True))
    expected = -np.take_along_axis(chances[:, :-1], IDS[:, 1:, None], axis=-1)[..., 0]
    counts = REAL[:, 1:] & REAL[:, :-1]
    for ids in (IDS, IDS.tolist(), IDS.astype("uint8"), tf.constant(IDS)):
        close(token_losses(model, ids), np.where(counts, expected, 0), 1e-5)
    graph = tf.function(lambda ids: token_losses(model, ids), [tf.TensorSpec((None, None), tf.int32)])
    close(graph(IDS), np.where(counts, expected, 0), 1e-5)


def test_the_first_token_of_a_packed_document_costs_nothing():
    model = shared()
    losses = token_losses(model, [[1, 7, 8, 1, 5, 6]], segment_ids=[[1, 1, 1, 2, 2, 2]])
    alone = token_losses(model, [[1, 7, 8], [1, 5, 6]])
    close(losses, [[*alone[0], 0.0, *alone[1]]], 1e-5)


def test_bits_per_byte_are_all_bits_over_all_bytes():
    model = shared()
    bits = np.sum(token_losses(model, IDS)) / np.log(2)
    assert float(bits_per_byte(model, IDS, num_bytes=23)) == pytest.approx(bits / 23, rel=1e-6)
    packed, segments = [[1, 7, 8, 1, 5, 6]], [[1, 1, 1, 2, 2, 2]]
    both = float(bits_per_byte(model, packed, 4, segment_ids=segments))
    assert both == pytest.approx(float(bits_per_byte(model, [[1, 7, 8], [1, 5, 6]], 4)), rel=1e-5)


def test_a_model_that_knows_nothing_needs_eight_bits_for_a_byte():
    model = LanguageModel(1, 8, 2, 8, vocab=256 + 3)
    model.build()
    model.embed.embeddings.assign(tf.zeros_like(model.embed.embeddings))
    text = "as many as there are"
    ids = [[1, *(byte + 3 for byte in text.encode())]]
    assert float(bits_per_byte(model, ids, len(text))) == pytest.approx(np.log2(259), rel=1e-5)


# Refusals: all sentences are in docs/reference/refusals.toml


@functools.cache
def graph():
    """Return a model as one graph for ids of all lengths."""
    return tf.function(lambda ids: shared("learned")(ids), [tf.TensorSpec((None, None), tf.int32)])


@pytest.mark.parametrize(
    ("sentence", "ids"),
    [
        ("ids are positions in a vocabulary of 17 ids", IDS + 1),
        ("ids are positions in a vocabulary of 17 ids", IDS - 1),
        ("This model has learned 9 positions", np.ones((1, 10))),
    ],
)
def test_bad_ids_are_refused_in_the_same_words_everywhere(sentence, ids):
    model = shared("learned")
    with pytest.raises(ValueError, match=sentence):
        model(ids.astype("int32"))
    with pytest.raises(tf.errors.InvalidArgumentError, match=sentence):
        graph()(ids.astype("int32"))


def test_padding_needs_no_learned_position():
    model = shared("learned")
    text = np.array([[1, 7, 8, 9, 5, 3, 3, 3, 3]])
    close(model(np.pad(text, [(0, 0), (4, 2)]))[:, 4:13], model(text), 1e-5)
    with pytest.raises(ValueError, match=r"learned 9 positions.*holding 9"):
        model(text, cache=model(text[:, :1], cache=model.create_cache(1, 12))[1])

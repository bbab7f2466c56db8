"""A Transformer that is trained in the page: its slopes against finite differences and TensorFlow, and Adam."""

from functools import partial

import keras
import numpy as np
import pytest
import tensorflow as tf

from clear_attention import Transformer

from .test_touch_numerals import roman

SIZES = {"d_model": 32, "num_heads": 4, "d_ff": 64, "source_vocab": 10, "target_vocab": 13}
NUMBERS = [1994, 4, 3888, 27, 500, 1, 3999, 162]  # short and long ones, so that there is padding
MODULES = """
const { Adam, freshWeights, lossOf } = await import("/modules/engine/training.js");
const { pointers } = await import("/modules/engine/language.js");
const { Transformer } = await import("/modules/engine/transformer.js");
const { greedySearch } = await import("/modules/engine/generation.js");
const { Weights } = await import("/modules/engine/weights.js");
const batchOf = (pairs) => ({ sources: pairs.map(([source]) => source), answers: pairs.map(([, answer]) => answer) });
"""


@pytest.fixture
def run(beside_modules):
    return partial(beside_modules, MODULES)


def ids_of(n):
    """Return the ids of a numeral and of its number, without padding and marks."""
    return ["ivxlcdm".index(c) + 3 for c in roman(n)], [int(c) + 3 for c in str(n)]


def padded(rows):
    return keras.utils.pad_sequences(rows, padding="post")


@pytest.fixture(scope="module")
def model():
    """Return a Transformer in which no weight is 0 or 1, so that each one counts."""
    model = Transformer(1, **SIZES, dropout=0.0)
    model.build()
    random = np.random.default_rng(3)
    for weight in model.trainable_variables:
        weight.assign(weight + random.normal(scale=0.15, size=weight.shape))
    model.compile(loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def named(model, values):
    """Name values as the browser's engine names the weights to which they belong."""
    names = [weight.path.partition("/")[2] for weight in model.trainable_variables]
    return {name: np.asarray(tf.convert_to_tensor(value)) for name, value in zip(names, values, strict=True)}


def test_loss_and_all_slopes_are_those_of_tensorflow(run, model):
    pairs = [ids_of(n) for n in NUMBERS]
    x = padded([source for source, _ in pairs])
    given = padded([[1, *answer] for _, answer in pairs])  # nothing is asked after the end
    wanted = padded([[*answer, 2] for _, answer in pairs])
    with tf.GradientTape() as tape:
        loss = model.compute_loss(x, wanted, model((x, given)))
    slopes = named(model, tape.gradient(loss, model.trainable_variables))
    weights = named(model, model.trainable_variables)
    found = run(
        """const parts = new Map(given.weights.map(([path, shape, numbers]) => [path, partOf(shape, numbers)]));
        const { loss, back } = lossOf(parts, given.sizes, batchOf(given.pairs));
        back();
        return { loss, slopes: [...parts].map(([path, { slopes }]) => [path, [...slopes]]) };""",
        {"weights": [(k, w.shape, w.ravel().tolist()) for k, w in weights.items()], "sizes": SIZES, "pairs": pairs},
    )
    np.testing.assert_allclose(found["loss"], loss, rtol=1e-5)
    assert len(found["slopes"]) == len(slopes) == 46
    for path, numbers in found["slopes"]:
        largest = np.abs(slopes[path]).max()
        np.testing.assert_allclose(np.reshape(numbers, slopes[path].shape), slopes[path], atol=1e-4 * largest + 1e-6)


def test_fresh_weights_have_the_shapes_and_the_spread_of_the_package(run):
    fresh = Transformer(1, **SIZES)
    fresh.build()
    weights = named(fresh, fresh.trainable_variables)
    found = run(
        """return [...freshWeights(given, pointers(1))].map(([path, { shape, data }]) => [path, shape, [...data]]);""",
        SIZES,
    )
    assert {path: tuple(shape) for path, shape, _ in found} == {path: w.shape for path, w in weights.items()}
    for path, _, numbers in found:
        expected = weights[path]
        if path.endswith(("bias", "beta", "gamma")):
            np.testing.assert_array_equal(numbers, expected)
        else:
            np.testing.assert_allclose([np.mean(numbers), np.std(numbers)], [0, expected.std()], atol=0.03)
            assert np.abs(numbers).max() == pytest.approx(np.abs(expected).max(), rel=0.3)


def test_each_slope_is_what_a_small_step_shows(run):
    """In small: every part is moved at a few places, a little up and a little down."""
    found = run(
        """const config = { d_model: 8, num_heads: 2, d_ff: 12, source_vocab: 10, target_vocab: 13 };
        const [random, batch, step] = [pointers(5), batchOf(given), 1e-5];
        const parts = freshWeights(config, random);
        for (const { data } of parts.values()) data.forEach((_, i) => { data[i] += 0.3 * (random() - 0.5); });
        lossOf(parts, config, batch).back();
        return [...parts].flatMap(([path, { data, slopes }]) => Array.from({ length: 8 }, () => {
          const [i, loss] = [Math.floor(random() * data.length), () => lossOf(parts, config, batch).loss];
          const kept = data[i];
          data[i] = kept + step;
          const above = loss();
          data[i] = kept - step;
          const below = loss();
          data[i] = kept;
          return [path, slopes[i], (above - below) / (2 * step)];
        }));""",
        [ids_of(n) for n in NUMBERS[:4]],
    )
    assert len(found) == 8 * 46
    for path, slope, measured in found:
        assert slope == pytest.approx(measured, rel=1e-5, abs=1e-8), path


def test_adam_moves_weights_as_keras_does(run):
    steps, rate, moves = 140, 6e-3, 120  # beyond the warm-up
    slopes = np.random.default_rng(0).normal(size=(moves, 6)) * [1, 1e-3, 10, 1e-6, 0, 1]
    weight = keras.Variable(np.ones(6))
    schedule = keras.optimizers.schedules.CosineDecay(0.0, steps - 100, warmup_target=rate, warmup_steps=100)
    adam = keras.optimizers.Adam(schedule, beta_2=0.98)
    for row in slopes:
        adam.apply([tf.constant(row, tf.float32)], [weight])
    found = run(
        """const part = partOf([6], [1, 1, 1, 1, 1, 1]);
        const adam = new Adam(new Map([["w", part]]), { steps: given.steps, rate: given.rate });
        for (const row of given.slopes) {
          part.slopes.set(row);
          adam.move();
        }
        return { data: [...part.data], slopes: [...part.slopes] };""",
        {"steps": steps, "rate": rate, "slopes": slopes.tolist()},
    )
    np.testing.assert_allclose(found["data"], weight, atol=1e-4)
    assert found["data"][0] != pytest.approx(1, abs=0.01)
    assert found["slopes"] == [0] * 6  # the next batch begins anew


def test_it_learns_and_what_is_called_right_is_what_the_machine_writes(run):
    found = run(
        """const [config, steps] = [{ ...given.sizes, num_layers: 1 }, 120];
        const random = pointers(2);
        const parts = freshWeights(config, random);
        const adam = new Adam(parts, { steps, rate: 6e-3, warmUp: 20 });
        const losses = Array.from({ length: steps }, () => {
          const drawn = Array.from({ length: 16 }, () => given.pairs[Math.floor(random() * 16)]);
          const { loss, back } = lossOf(parts, config, batchOf(drawn));
          back();
          adam.move();
          return loss;
        });
        parts.get("project_logits/bias").data.fill(50, 0, 2); // padding and the start are never said, however probable
        const model = new Transformer(new Weights(parts), config);
        const wrote = given.pairs.map(([source]) => greedySearch(model, source, 5).ids);
        return { losses, wrote, right: lossOf(parts, config, batchOf(given.pairs)).right };""",
        {"sizes": SIZES, "pairs": [ids_of(n) for n in range(1, 4000, 61)]},
    )
    assert found["losses"][0] == pytest.approx(np.log(13), abs=0.8)
    assert found["losses"][-1] < 0.2
    answers = [ids_of(n)[1] for n in range(1, 4000, 61)]
    right = [wrote == [*answer, 2] for wrote, answer in zip(found["wrote"], answers, strict=True)]
    assert found["right"] == right
    assert 10 < sum(right) < 50  # of both kinds

"""Half a Transformer that is trained in the page: its slopes, what it writes, and its rival, the table."""

import math
from collections import Counter, defaultdict
from functools import partial

import numpy as np
import pytest
import tensorflow as tf

from clear_attention import LanguageModel

SIZES = {"num_layers": 2, "d_model": 32, "num_heads": 4, "d_ff": 64, "vocab": 20}
PIECES = np.random.default_rng(1).integers(3, 20, size=(5, 13)).tolist()
MODULES = """
const { freshHalf, surpriseOf } = await import("/modules/engine/training-half.js");
const { LanguageModel, pointers } = await import("/modules/engine/language.js");
const { Weights } = await import("/modules/engine/weights.js");
const { Writer } = await import("/modules/writer.js");
"""


@pytest.fixture
def run(beside_modules):
    return partial(beside_modules, MODULES)


@pytest.fixture(scope="module")
def model():
    """Return a language model in which no weight is 0 or 1, so that each one counts."""
    model = LanguageModel(**SIZES, dropout=0.0)
    model.build()
    random = np.random.default_rng(3)
    for weight in model.trainable_variables:
        weight.assign(weight + random.normal(scale=0.15, size=weight.shape))
    return model


def named(model, values):
    """Name values as the browser's engine names the weights to which they belong."""
    names = [weight.path.partition("/")[2] for weight in model.trainable_variables]
    return {name: np.asarray(tf.convert_to_tensor(value)) for name, value in zip(names, values, strict=True)}


def test_loss_and_all_slopes_are_those_of_tensorflow(run, model):
    ids = np.array(PIECES)
    with tf.GradientTape() as tape:
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(ids[:, 1:], model(ids[:, :-1]))
        loss = tf.reduce_mean(each)
    slopes = named(model, tape.gradient(loss, model.trainable_variables))
    weights = named(model, model.trainable_variables)
    found = run(
        """const parts = new Map(given.weights.map(([path, shape, numbers]) => [path, partOf(shape, numbers)]));
        const { loss, each, back } = surpriseOf(parts, given.sizes, given.pieces);
        back();
        return { loss, each: [...each], slopes: [...parts].map(([path, { slopes }]) => [path, [...slopes]]) };""",
        {"weights": [(k, w.shape, w.ravel().tolist()) for k, w in weights.items()], "sizes": SIZES, "pieces": PIECES},
    )
    np.testing.assert_allclose(found["loss"], loss, rtol=1e-5)
    np.testing.assert_allclose(found["each"], np.ravel(each), atol=1e-4)
    assert len(found["slopes"]) == len(slopes) == 35
    for path, numbers in found["slopes"]:
        largest = np.abs(slopes[path]).max()
        np.testing.assert_allclose(np.reshape(numbers, slopes[path].shape), slopes[path], atol=1e-4 * largest + 1e-6)


def test_fresh_weights_have_the_shapes_and_the_spread_of_the_package(run):
    fresh = LanguageModel(**SIZES)
    fresh.build()
    weights = named(fresh, fresh.trainable_variables)
    found = run("return [...freshHalf(given, pointers(1))].map(([path, w]) => [path, w.shape, [...w.data]]);", SIZES)
    assert {path: tuple(shape) for path, shape, _ in found} == {path: w.shape for path, w in weights.items()}
    for path, _, numbers in found:
        expected = weights[path]
        if path.endswith(("bias", "beta", "gamma")):
            np.testing.assert_array_equal(numbers, expected)
        else:
            np.testing.assert_allclose([np.mean(numbers), np.std(numbers)], [0, expected.std()], atol=0.03)


def test_each_slope_is_what_a_small_step_shows(run):
    """In small, with pieces of several lengths: every part is moved at a few places, a little up and a little down."""
    found = run(
        """const config = { num_layers: 2, d_model: 8, num_heads: 2, d_ff: 12, vocab: 20 };
        const [random, step] = [pointers(5), 1e-5];
        const parts = freshHalf(config, random);
        for (const { data } of parts.values()) data.forEach((_, i) => { data[i] += 0.3 * (random() - 0.5); });
        surpriseOf(parts, config, given).back();
        return [...parts].flatMap(([path, { data, slopes }]) => Array.from({ length: 8 }, () => {
          const [i, loss] = [Math.floor(random() * data.length), () => surpriseOf(parts, config, given).loss];
          const kept = data[i];
          data[i] = kept + step;
          const above = loss();
          data[i] = kept - step;
          const below = loss();
          data[i] = kept;
          return [path, slopes[i], (above - below) / (2 * step)];
        }));""",
        [PIECES[0], PIECES[1][:4], PIECES[2][:8]],
    )
    assert len(found) == 8 * 35
    for path, slope, measured in found:
        assert slope == pytest.approx(measured, rel=1e-4, abs=2e-6), path


def test_what_is_trained_is_the_machine_that_writes(run):
    found = run(
        """const parts = freshHalf(given.sizes, pointers(7));
        const model = new LanguageModel(new Weights(parts), given.sizes);
        const { logits } = model.call(given.piece.slice(0, -1));
        const nats = logits.map((row, i) => {
          const total = row.reduce((sum, x) => sum + Math.exp(x), 0);
          return Math.log(total) - row[given.piece[i + 1]];
        });
        return { nats, each: [...surpriseOf(parts, given.sizes, [given.piece]).each] };""",
        {"sizes": SIZES, "piece": PIECES[0]},
    )
    np.testing.assert_allclose(found["each"], found["nats"], rtol=1e-6)


def bits_of_table(known, unseen, letters, order=4):
    """Return what the lesson's counter takes, as in its cell, in a text whose letters are so many."""
    tables = [defaultdict(Counter) for _ in range(order + 1)]
    for n, table in enumerate(tables):
        for i in range(n, len(known)):
            table[tuple(known[i - n : i])][known[i]] += 1
    bits = 0.0
    for i in range(order, len(unseen)):
        p = 1 / letters
        for n in range(order + 1):
            if after := tables[n].get(tuple(unseen[i - n : i])):
                p = (after[unseen[i]] + len(after) * p) / (after.total() + len(after))
        bits -= math.log2(p)
    return bits / (len(unseen) - order)


def test_the_table_is_the_one_of_the_lesson(run):
    text = "the cat and the bear went out in the blue boat, to ask where the sea goes. Then they came back. " * 6
    cut = int(0.9 * len(text))
    shuffled = text[:cut] + text[cut:][::-1]  # so that it is not all known
    found = run(
        """const writer = new Writer({ text: given, beginning: "the ", moments: [0, 20], seed: 1 });
        return [writer.table, writer.signs.length];""",
        shuffled,
    )
    letters = len({*shuffled}) + 1  # and what stands for rare ones
    assert found == [pytest.approx(bits_of_table(shuffled[:cut], shuffled[cut:], letters), rel=1e-9), letters]


class TestWriter:
    BEGIN = """const given_ = { text: given, beginning: "the ", moments: [0, 20], seed: 1 };
    const writer = (more) => new Writer({ ...given_, ...more });
    const sea = writer();"""
    TEXT = "the sea goes out in the morning and it comes back in the evening. " * 20

    def test_it_puts_the_last_tenth_away(self, run):
        found = run(f"{self.BEGIN} return [sea.known.length, sea.unseen.length, sea.text];", self.TEXT)
        cut = int(0.9 * len(self.TEXT))
        assert found == [cut, len(self.TEXT) - cut, self.TEXT[:cut]]

    def test_it_learns_and_looks_and_writes_at_its_moments(self, run):
        found = run(
            f"""{self.BEGIN.replace("[0, 20]", "[0, 20, 150]")} for (const _ of sea.train());
            return {{ looks: sea.looks, wrote: sea.wrote, table: sea.table }};""",
            self.TEXT,
        )
        assert [step for step, _, _ in found["looks"]] == [0, 20, 50, 100, 150]
        assert [step for step, _ in found["wrote"]] == [0, 20, 150]
        assert [len(text) for _, text in found["wrote"]] == [90] * 3
        assert found["looks"][0][1] > 4
        assert found["looks"][-1][2] < 0.5  # the unseen tenth says the same once more
        assert "the sea" in found["wrote"][-1][1] or "the evening" in found["wrote"][-1][1]

    def test_it_is_the_same_again_and_another_from_another_seed(self, run):
        code = f"""{self.BEGIN} return [writer(), writer(), writer({{ seed: 2 }})].map((one) => {{
          for (const _ of one.train());
          return one.looks;
        }});"""
        first, again, other = run(code, self.TEXT)
        assert first == again != other

    def test_what_it_took_over_letter_by_letter_is_marked(self, run):
        found = run(f'{self.BEGIN} return sea.byHeart("xx", "the morning and it comes qthe evening. q");', self.TEXT)
        assert "".join("x" if one else "." for one in found) == "x" * 25 + "." * 15

    def test_letters_that_are_rare_or_not_known_are_boxes_and_never_written(self, run):
        text = self.TEXT + "".join(chr(0x4E00 + i) for i in range(200))
        found = run(
            f"""{self.BEGIN} const wrote = sea.write({{ beginning: "Q", number: 300, temperature: 5, seed: 1 }});
            return {{ signs: sea.signs, ids: sea.toIds("Qt"), wrote }};""",
            text,
        )
        assert len(found["signs"]) == 151
        assert found["signs"][0] == "□"
        assert found["ids"][0] == 3
        assert found["ids"][1] > 3
        assert len(found["wrote"]) == 300
        assert "□" not in found["wrote"]

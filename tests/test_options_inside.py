"""Options of attention reach it through every layer around it, which hand them down unopened."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from layer_contract import ENTRIES, D, example

import clear_attention
from clear_attention import MultiHeadAttention, blocks

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
SELF, CROSS = {"d_k": 3, "use_bias": False}, {"d_v": 5, "dropout": 0.25, "blockwise": False}
AROUND = {
    "SelfAttentionBlock": {"self_attention": SELF},
    "CrossAttentionBlock": {"cross_attention": CROSS},
    "EncoderLayer": {"self_attention": SELF},
    "DecoderLayer": {"self_attention": SELF, "cross_attention": CROSS},
    "Encoder": {"self_attention": SELF},
    "Decoder": {"self_attention": SELF, "cross_attention": CROSS},
    "Transformer": {"self_attention": SELF, "cross_attention": CROSS},
    "LanguageModel": {"self_attention": SELF},
}


def made(name, **options):
    own = {"positions": None} if name == "LanguageModel" else {}  # else it gives its attention an option itself
    return getattr(clear_attention, name)(**ENTRIES[name].sizes, **own, **options)


def inside(layer):
    """Return every attention inside a layer, by its path."""
    found = [part for part in layer._flatten_layers() if isinstance(part, MultiHeadAttention)]
    layer(*example(type(layer).__name__))
    return {part.weights[0].path.rpartition("/attention/")[0]: part for part in found}


@pytest.mark.parametrize("name", AROUND)
def test_each_attention_gets_its_own_options(name):
    layer, plain = made(name, **AROUND[name]), inside(made(name))
    found = inside(layer)
    assert len(found) == len(plain)
    for path, attention in found.items():
        own = AROUND[name].get("cross_attention" if "cross" in path or name[0] == "C" else "self_attention")
        config, default = attention.get_config(), next(iter(plain.values())).get_config()
        assert {k: config[k] for k in own} == own
        rest = {k: v for k, v in default.items() if k not in (*own, "name", "d_v", "dtype")}
        assert {k: config[k] for k in rest} == rest


@pytest.mark.parametrize("name", AROUND)
def test_they_are_in_the_config_and_come_back(name):
    layer = made(name, **AROUND[name])
    config = layer.get_config()
    assert {k: config[k] for k in AROUND[name]} == AROUND[name]
    assert type(layer).from_config(config).get_config() == config


def test_a_model_with_options_saves_and_loads_bit_identically(tmp_path):
    model, ids = made("Transformer", **AROUND["Transformer"]), example("Transformer")
    expected = model(*ids)
    model.save(tmp_path / "model.keras")
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "model.keras")(*ids), expected)


@keras.saving.register_keras_serializable(package="tests")
class Tempered(MultiHeadAttention):
    """An attention with an option that no layer around it knows."""

    def __init__(self, d_model, num_heads, temperature=1.0, **kwargs):
        super().__init__(d_model, num_heads, **kwargs)
        self.temperature = temperature

    def to_queries(self, x, start=0):
        return super().to_queries(x, start) / self.temperature

    def get_config(self):
        return {**super().get_config(), "temperature": self.temperature}


@pytest.mark.parametrize("name", AROUND)
def test_a_new_option_of_attention_reaches_it_without_a_change_elsewhere(name, monkeypatch, tmp_path):
    monkeypatch.setattr(blocks, "MultiHeadAttention", Tempered)
    given = {key: {"temperature": 0.1} for key in AROUND[name]}
    keras.utils.set_random_seed(0)
    plain = made(name)(*example(name))
    keras.utils.set_random_seed(0)
    layer = made(name, **given)
    output = layer(*example(name))
    assert np.abs(output - plain).max() > 1e-3
    assert {key: layer.get_config()[key] for key in given} == given
    model = layer if isinstance(layer, keras.Model) else keras.Sequential([layer])
    model = model if ENTRIES[name].takes_ids or ENTRIES[name].inputs == "x" else None
    if model is not None:
        model(*example(name))
        model.save(tmp_path / "model.keras")
        np.testing.assert_array_equal(keras.models.load_model(tmp_path / "model.keras")(*example(name)), output)


def test_options_for_a_sequence_of_its_own_do_not_reach_the_context():
    layer = made("DecoderLayer", self_attention={"d_k": 7})
    assert layer.self_attention.attention.d_k == 7
    assert layer.cross_attention.attention.d_k == D // 2


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"depth": 3}, ValueError, r"self_attention holds options.*some of d_k, d_v.*self_attention with 'depth'"),
        ({"num_heads": 3}, ValueError, r"self_attention with 'num_heads'"),
        ({"name": "x"}, ValueError, r"self_attention with 'name'"),
        (["d_k"], TypeError, r"a dict of some of d_k.*self_attention=\['d_k'\] of type list"),
        ({"d_k": 0}, ValueError, "d_k is a size"),
    ],
)
@pytest.mark.parametrize("name", [name for name in AROUND if name != "CrossAttentionBlock"])
def test_refusals(name, options, error, words):
    with pytest.raises(error, match=words):
        made(name, self_attention=options)


def test_generation_takes_a_model_with_other_depths():
    model = made("Transformer", self_attention={"d_k": 3, "d_v": 2}, cross_attention={"d_k": 5})
    model.build()
    ids = clear_attention.greedy_search(model, tf.constant(example("Transformer")[0]), max_length=4, jit_compile=False)
    assert ids.shape == (3, 4)
    logits = model(*example("Transformer"))[:, 0, 2:]  # what follows the start id; padding and start are never said
    np.testing.assert_array_equal(ids[:, 0], np.argmax(logits, axis=-1) + 2)

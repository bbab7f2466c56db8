"""The certifier: nothing sound is accused, its words help, and what cannot be judged is said."""

import functools
import json

import keras
import numpy as np
import pytest
import tensorflow as tf
from samples import shake
from test_certify_faults import CAUSAL, ON_X, PADDED, attend, pooled, scores_of

import clear_attention as ca
from clear_attention import certify

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def sound(q, k, v):
    return ca.scaled_dot_product_attention(q, k, v, ca.create_look_ahead_mask(q.shape[1], k.shape[1])).output


SOUND = {
    "a sound function": (sound, *CAUSAL, {"causal": True}),
    "sound pooling of the past": (lambda x: tf.cumsum(x, axis=1), *ON_X, {"causal": True}),
    "positions": (lambda x: x + ca.sinusoidal_encoding(x.shape[1], x.shape[2]), *ON_X, {"positions": True}),
}


def windowed(x, mask):
    return ca.scaled_dot_product_attention(x, x, x, tf.maximum(mask, ca.create_window_mask(x.shape[1], 2))).output


PLAIN = ["no_future_leak", "padding_invariance", "visible_keys_count", "key_permutation", "batch_independence"]


@pytest.mark.parametrize(
    ("layer", "call", "options"),
    [
        (lambda q, k, v, m: 1e3 * ca.scaled_dot_product_attention(q, k, v, m).output, PADDED[0], {}),
        (lambda q, k, v, m: 1e-4 * ca.scaled_dot_product_attention(q, k, v, m).output, PADDED[0], {}),
        (lambda q, k, v, m: ca.scaled_dot_product_attention(50 * q, k, v, m).output, PADDED[0], {}),
        (windowed, lambda layer, x, mask: layer(x, mask), {"only": PLAIN[:3]}),
        (keras.layers.LSTM(8, return_sequences=True), ON_X[0], {"causal": True}),
        (keras.layers.Dense(8), ON_X[0], {}),
        (ca.MultiHeadAttention(512, 8), None, {"only": PLAIN}),
        (ca.EncoderLayer(64, 4, 256), None, {"only": PLAIN}),
        (ca.EncoderLayer(128, 4, 512, norm_first=True), None, {"only": PLAIN, "seed": 3}),
        (ca.MultiHeadAttention(8, 2, dtype="mixed_bfloat16"), None, {}),
        (keras.layers.MultiHeadAttention(8, 64), None, {"only": PLAIN, "depth": 512}),
    ],
)
def test_scales_widths_saturation_and_16_bits_accuse_nobody(layer, call, options):
    certificate = certify(layer, call, None if call in (None, ON_X[0]) else "blocked", **options)
    assert certificate.broken == (), certificate
    assert any(row.verdict == "held" for row in certificate.rows)


def test_what_draws_random_numbers_is_told_so_and_not_judged_further():
    certificate = certify(keras.layers.Dropout(0.5), lambda layer, x: layer(x, training=True))
    assert certificate.broken == ("repeatable",)
    assert certificate.cause.name == "dropout_at_inference"
    assert {row.verdict for row in certificate.rows if row.name != "repeatable"} == {"not applicable"}


def test_a_function_of_ids_has_no_gradient_and_no_dtype():
    certificate = certify(lambda ids: tf.one_hot(ids, 7), lambda layer, ids: layer(ids), vocab=7)
    assert "nothing to take a gradient to" in certificate["finite_gradients"].detail
    assert "no dtype to choose" in certificate["float16"].detail
    assert not certificate.broken


def test_what_leaves_tensorflow_is_not_accused_of_it():
    certificate = certify(lambda x: np.asarray(x) * 2, ON_X[0], only=["modes_agree", "batch_independence"])
    assert [row.verdict for row in certificate.rows] == ["held", "not applicable"]


def scaled(factor):
    return lambda layer, x: factor * layer(x)


def described(layer, x):
    return layer(x)


@pytest.mark.watched
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda layer, x: layer(x), "layer(x)"),
        (
            lambda layer, x: layer(
                x + 0,  # the queries
            ),
            "layer(x + 0)",
        ),
        (lambda model, x: model(x), "(lambda model: model(x))(layer)"),
        (lambda layer, x: tf.identity(layer(x), name="( a , )"), 'tf.identity(layer(x), name="( a , )")'),
        (lambda layer, x: attend(x, x, x), "call(layer, x)"),
        (scaled(2), "call(layer, x)"),
        (described, "call(layer, x)"),
    ],
)
def test_examples_hold_the_call_as_it_is_typed_or_say_where_it_is(call, text):
    example = certify(pooled, call, causal=True, only=["no_future_leak"])["no_future_leak"].example
    if call.__code__.co_names == ("attend",):
        example = certify(pooled, call, positions=True, only=["positions"])["positions"].example
    assert f"before = np.array({text})" in example
    assert ("# call is the function" in example) == text.startswith("call(")
    with pytest.raises(AssertionError):
        exec(example, {"layer": pooled, "call": call})


def test_errors_are_told_without_what_frameworks_wrap_around_them():
    model = keras.Sequential([keras.Input((None,), dtype="int32"), keras.layers.Embedding(4, 8)])
    with pytest.raises(ValueError, match=r"Received: InvalidArgumentError: indices\[0,0\] = . is not in \[0, 4\)"):
        certify(model, vocab=30)
    with pytest.raises(ValueError, match=r"a tensor: take \[0\].*a tuple of 2"):
        certify(lambda x: (x, x), ON_X[0])
    with pytest.raises(ValueError, match=r"a pair of output and weights\. Received: a tensor alone"):
        certify(lambda x: x, lambda layer, x, return_weights: layer(x))
    with pytest.raises(
        ValueError, match=r"Received: InvalidArgumentError: Incompatible shapes: \[2,5,8\] vs\. \[7,5\]\.$"
    ):
        certify(lambda x: x * tf.ones((7, 5)), ON_X[0])


@pytest.mark.watched
@pytest.mark.parametrize("name", SOUND)
def test_sound_functions_are_not_accused(name):
    layer, call, convention, options = SOUND[name]
    assert certify(layer, call, convention, **options).broken == ()


def built_heads():
    return shake(ca.MultiHeadAttention(8, 2, dropout=0.5), np.ones((1, 2, 8), "float32"))


OURS = {
    "function": lambda: ca.scaled_dot_product_attention,
    "DotProductAttention": ca.DotProductAttention,
    "MultiHeadAttention": built_heads,
    "SelfAttentionBlock": lambda: ca.SelfAttentionBlock(8, 2, norm_first=True),
    "CrossAttentionBlock": lambda: ca.CrossAttentionBlock(8, 2),
    "FeedForwardBlock": lambda: ca.FeedForwardBlock(8, 16),
    "PositionalEncoding": ca.PositionalEncoding,
    "EncoderLayer": lambda: ca.EncoderLayer(8, 2, 16),
    "DecoderLayer": lambda: ca.DecoderLayer(8, 2, 16, norm_first=True),
    "Transformer": lambda: ca.Transformer(1, 8, 2, 16, 12, 12),
}


@functools.cache
def certified(name):
    """Return one of our layers, its weights before it was certified, and its certificate."""
    layer = OURS[name]()
    before = [w.numpy().copy() for w in getattr(layer, "weights", ())]
    return layer, before, certify(layer, lengths=(2,) if name == "Transformer" else None)


WATCHED = ["SelfAttentionBlock", "Transformer"]  # with them certify takes lines that it takes with no other
OTHERS = [name for name in OURS if name not in WATCHED]


@pytest.mark.parametrize("name", [*OTHERS, *(pytest.param(name, marks=pytest.mark.watched) for name in WATCHED)])
def test_none_of_our_layers_is_accused(name):
    _, _, certificate = certified(name)
    assert certificate.broken == ()
    held = {row.name for row in certificate.rows if row.verdict == "held"}
    assert {"finite_gradients", "batch_independence", "lengths", "modes_agree", "float16"} <= held
    if "Attention" in name or "coder" in name:
        assert len(held) == 15 + (name == "MultiHeadAttention")  # which can hide the future from queries of its own


def heads_of_keras():
    return keras.layers.MultiHeadAttention(2, 4)


@functools.cache
def certified_keras(make):
    layer, shape = make(), [(1, 2, 8)] * 3
    takes_two = "Query" in type(layer).__name__ or "Multi" in type(layer).__name__
    layer.build(*shape[:2]) if takes_two else layer.build(shape)
    return layer, certify(layer)


LIST = ("alignment", "hidden_nan", "empty_query")
MATRIX = ("weights_flag", *LIST)


@pytest.mark.parametrize(
    ("make", "broken"),
    [
        (heads_of_keras, MATRIX),
        (lambda: keras.layers.GroupQueryAttention(4, 4, 2), MATRIX),
        pytest.param(keras.layers.Attention, LIST, marks=pytest.mark.watched),  # the only one with padding alone
        (lambda: keras.layers.Attention(use_scale=True, score_mode="concat"), LIST),
        (keras.layers.AdditiveAttention, LIST),
    ],
)
def test_keras_disagrees_where_it_was_measured_to(make, broken):
    layer, certificate = certified_keras(make)
    assert certificate.broken == broken
    assert "mean of all values" in certificate["empty_query"].detail
    for row in (certificate[name] for name in broken):
        with pytest.raises(AssertionError):
            exec(row.example, {"layer": layer})


@keras.saving.register_keras_serializable(package="test")
class Bigram(keras.Layer):
    """A user's language model: embeds ids, attends to the past, gives logits. A switch opens the future."""

    def __init__(self, vocab, leaky=False, **kwargs):
        super().__init__(**kwargs)
        self.vocab, self.leaky = vocab, leaky
        self.embed = keras.layers.Embedding(vocab, 8)
        self.attention = keras.layers.MultiHeadAttention(2, 4)
        self.logits = keras.layers.Dense(vocab)

    def call(self, ids):
        x = self.embed(ids)
        return self.logits(x + self.attention(x, x, use_causal_mask=not self.leaky))

    def get_config(self):
        return {**super().get_config(), "vocab": self.vocab, "leaky": self.leaky}


@pytest.mark.watched
@pytest.mark.parametrize("leaky", [False, True])
def test_a_language_model_on_ids(leaky):
    options = {"call": lambda layer, ids: layer(ids), "causal": True, "vocab": 11}
    certificate = certify(Bigram(11, leaky), **options)
    assert certificate.broken == (("no_future_leak",) if leaky else ())
    assert certificate["hidden_nan"].verdict == "not applicable"


def test_a_functional_model_needs_no_description():
    x = keras.Input((None, 6))
    model = keras.Model(x, keras.layers.Conv1D(6, 3, padding="causal")(x))
    certificate = certify(model, causal=True, lengths=(3, 4), window=3)
    assert {"no_future_leak", "save_load"}.isdisjoint(certificate.broken)
    leaky = keras.Model(x, keras.layers.Conv1D(6, 3, padding="same")(x))
    assert "no_future_leak" in certify(leaky, causal=True, only=["no_future_leak"]).broken


@pytest.mark.watched
@pytest.mark.parametrize("convention", ["blocked", "keras", "torch_mha", "huggingface", "additive"])
def test_every_convention_reaches_the_layer_in_its_own_values(convention):
    dtypes = {"blocked": "float32", "keras": "bool", "torch_mha": "bool", "huggingface": "int64", "additive": "float32"}
    names = ["no_future_leak", "padding_invariance", "visible_keys_count"]
    hidden_by = {
        "blocked": lambda m: m == 1,
        "keras": lambda m: ~m,
        "torch_mha": lambda m: m,
        "huggingface": lambda m: m == 0,
        "additive": lambda m: m < 0,
    }[convention]
    seen = []

    def call(layer, x, mask):
        seen.append(mask.dtype.name)
        return attend(x, x, x, hidden_by(mask))

    assert certify(attend, call, convention, only=names).broken == ()
    assert set(seen) == {dtypes[convention]}


def test_the_layer_stays_as_it_is_and_the_seed_decides():
    layer = ca.MultiHeadAttention(8, 2)
    certify(layer, only=["no_future_leak"])
    assert not layer.built
    layer, before, _ = certified("MultiHeadAttention")
    assert before
    for old, new in zip(before, layer.weights, strict=True):
        np.testing.assert_array_equal(old, new)
    texts = [str(certify(keras.layers.MultiHeadAttention(2, 4), only=["hidden_nan"], seed=s)) for s in (3, 3, 4)]
    assert texts[0] == texts[1] != texts[2]


def test_a_layer_that_cannot_be_saved_or_made_again_is_told_so():
    class Unsaveable(keras.Layer):
        def __init__(self, width):
            super().__init__()
            self.dense = keras.layers.Dense(width)

        def call(self, x):
            return self.dense(x)

    certificate = certify(Unsaveable(8), call=lambda layer, x: layer(x))
    assert certificate.broken == ("save_load",)
    assert certificate["float16"].verdict == "not applicable"


def test_the_certificate_prints_and_becomes_json_and_html():
    _, certificate = certified_keras(heads_of_keras)
    data = json.loads(json.dumps(certificate.to_dict()))
    assert data["certified"] is False
    assert [row["name"] for row in data["rows"]] == [row.name for row in certificate.rows]
    assert set(data["versions"]) == {"clear_attention", "keras", "tensorflow"}
    page = certificate._repr_html_()
    assert page.count("<tr") == len(certificate.rows) + 1
    assert page.count("<details>") == 4
    assert "BROKEN  hidden_nan" in str(certificate)
    assert "12 held, 4 broken, 1 not applicable." in str(certificate)
    with pytest.raises(AssertionError, match=r"(?s)\A.*breaks weights_flag, align.*import numpy.*BROKEN  hidden_nan"):
        certificate.raise_for_failures()
    certificate.raise_for_failures(allow=MATRIX)
    with pytest.raises(ValueError, match=r"allow names rows.*allow=\('hidden',\)"):
        certificate.raise_for_failures(allow=["hidden"])
    nothing_applies = certify(ca.DotProductAttention(), only=["positions"])
    assert nothing_applies.to_dict()["certified"] is False
    with pytest.raises(AssertionError, match="no promise was held"):
        nothing_applies.raise_for_failures()
    with pytest.raises(KeyError, match="no row of this certificate"):
        certificate["hidden"]


def test_progress_is_shown_with_the_time_left(capsys):
    certify(ca.DotProductAttention(), only=["lengths", "empty_query"], progress=True)
    shown = capsys.readouterr().err
    assert "█░ empty_query" in shown
    assert "s left" in shown
    assert "2 promises in" in shown
    certify(ca.DotProductAttention(), only=["lengths"])
    assert capsys.readouterr().err == ""


def nothing(layer, x):
    return layer(x)


def speechless(layer, x):
    raise AssertionError


@pytest.mark.watched
@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"layer": 5}, TypeError, "something that can be called. Received: layer=5 of type int"),
        ({"layer": nothing}, ValueError, "how to call nothing: say it in one line.*call=None"),
        ({"layer": nothing, "call": lambda layer, y: y}, ValueError, "some of x, q, k, v, ids.*Received: layer, y"),
        ({"layer": nothing, "call": lambda layer, q: q}, ValueError, "q and k"),
        ({"layer": nothing, "call": lambda layer, x, ids: x}, ValueError, "queries are keys"),
        ({"layer": nothing, "call": lambda layer, mask: mask}, ValueError, "Received: layer, mask"),
        ({"layer": nothing, "call": lambda layer, x, mask: x}, ValueError, "a 1 or a True.*convention=None"),
        ({"layer": nothing, "call": nothing, "convention": "mine"}, ValueError, "convention='mine'"),
        ({"layer": nothing, "call": nothing}, ValueError, "could not be called as described.*TypeError"),
        ({"layer": ca.DotProductAttention(), "only": ["leak"]}, ValueError, r"only=\('leak',\)"),
        ({"layer": ca.DotProductAttention(), "only": 5}, TypeError, "only=5 of type int"),
        ({"layer": ca.DotProductAttention(), "call": 5}, TypeError, "call=5 of type int"),
        ({"layer": ca.DotProductAttention(), "causal": "yes"}, TypeError, "causal='yes'"),
        ({"layer": ca.DotProductAttention(), "vocab": 2}, ValueError, "an integer of at least 3.*vocab=2"),
        ({"layer": ca.DotProductAttention(), "only": []}, ValueError, r"only=\(\)"),
        ({"layer": nothing, "call": lambda layer, ids: ids, "pad_id": 99}, ValueError, "pad_id=99"),
        ({"layer": ca.DotProductAttention(), "only": "lengths"}, ValueError, "only='lengths'"),
        ({"layer": ca.DotProductAttention(), "lengths": (1, 2)}, ValueError, r"two or more tokens.*\(1, 2\)"),
        ({"layer": ca.DotProductAttention(), "lengths": 3}, ValueError, "lengths=3"),
        ({"layer": ca.DotProductAttention, "call": nothing}, TypeError, "not its class.*DotProductAttention(...)"),
        ({"layer": nothing, "call": lambda layer, x: x, "pad_id": 0}, ValueError, "pad_id=0 and a call with x"),
        ({"layer": ca.DotProductAttention(), "progress": "yes"}, TypeError, "progress='yes'"),
        ({"layer": nothing, "call": speechless}, ValueError, r"Received: AssertionError\.$"),
        ({"layer": ca.MultiHeadAttention(8, 2), "depth": 0}, ValueError, "depth=0"),
        ({"layer": ca.MultiHeadAttention(8, 2), "seed": -1}, ValueError, "seed is a non-negative integer.*seed=-1"),
        ({"layer": ca.MultiHeadAttention(8, 2), "vocab": 1.5}, TypeError, "vocab=1.5"),
    ],
)
def test_bad_calls_are_refused_in_words(arguments, error, words):
    with pytest.raises(error, match=f"(?s){words}"):
        certify(**arguments)


def test_the_example_shows_the_weights_that_are_meant():
    def layer(q, k, v, mask):
        return attend(q, k, v, mask), {"across": tf.ones((*q.shape[:2], 1)), "self": 2 * tf.nn.softmax(scores_of(q, k))}

    def call(layer, q, k, v, mask, return_weights):
        output, weights = layer(q, k, v, mask)
        return (output, weights) if return_weights else output

    row = certify(layer, call, "blocked", only=["weights_sum_to_one"])["weights_sum_to_one"]
    assert "sum to 2" in row.detail
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        exec(row.example, {"layer": layer, "call": call})


def test_a_layer_that_learns_while_it_is_asked_keeps_its_statistics():
    model = keras.Sequential([keras.Input((None, 8)), keras.layers.BatchNormalization(), keras.layers.Dropout(0.5)])
    before = [v.numpy() for v in model.variables]
    certify(model.layers[0], lambda layer, x: layer(x, training=True), only=["lengths"])
    for variable, value in zip(model.variables, before, strict=True):
        np.testing.assert_array_equal(variable, value)


def test_an_error_that_cannot_say_what_it_is_breaks_a_promise_like_any_other():
    class SpeechlessError(Exception):
        def __str__(self):
            raise RuntimeError

    def short(layer, x):
        if x.shape[1] > 5:
            raise SpeechlessError
        return layer(x)

    row = certify(keras.layers.Dense(8), short, only=["lengths"])["lengths"]
    assert row.verdict == "broken"
    assert "SpeechlessError" in row.detail

"""What is sound is not accused, and no cause is named that is not there: layers that certify once got wrong."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers, ops

import clear_attention as ca
from clear_attention import certify

ON_X = lambda layer, x: layer(x)  # noqa: E731 - as it is typed
ON_PADDING = lambda layer, x, padding: layer(x, padding)  # noqa: E731
ON_KERAS = lambda layer, q, k, v, mask: layer(q, v, k, attention_mask=mask)  # noqa: E731


def attend(x, blocked=None):
    return ca.scaled_dot_product_attention(x, x, x, blocked).output


class OfItsWidth(layers.Layer):
    """Reads its width when it is built."""

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], 5))

    def call(self, x):
        return x @ self.kernel


def built_on(layer, *shapes):
    layer(*(np.ones(shape, "float32") for shape in shapes))
    return layer


WIDE = (1, 2, 16)


@pytest.mark.parametrize(
    ("layer", "call", "convention"),
    [
        (lambda: built_on(layers.MultiHeadAttention(2, 4), WIDE, WIDE), ON_KERAS, "keras"),
        (lambda: built_on(OfItsWidth(), WIDE), ON_X, None),
        (lambda: keras.Sequential([keras.Input((None, 16)), layers.Dense(3)]), ON_X, None),
        (lambda: built_on(OfItsWidth(), WIDE), lambda layer, x: layer(tf.tile(x, (1, 1, 2))), None),
    ],
)
def test_the_width_is_that_which_the_layer_was_built_with(layer, call, convention):
    certificate = certify(layer(), call, convention, level="correct")
    assert certificate.broken == (), certificate


def test_of_a_width_that_does_not_fit_a_sound_layer_it_is_not_accused():
    layer = built_on(layers.MultiHeadAttention(2, 4), WIDE, WIDE)
    with pytest.raises(ValueError, match="could not be called as described"):
        certify(layer, ON_KERAS, "keras", depth=8)


def cause_of(layer, call=ON_X, convention=None, **options):
    certificate = certify(layer, call, convention, level="correct", **options)
    assert certificate.broken, certificate
    return certificate.cause and certificate.cause.name, certificate


def past(x, ahead=1):
    return np.triu(np.ones((x.shape[1], x.shape[1]), "float32"), ahead)[None]


def hides_padding_only(x, padding):
    return attend(x, padding[:, None])


def hides_the_past_only(x, padding):
    return attend(x, past(x))


def hides_nothing(x, padding):
    return attend(x)


def conv_before(x, padding):
    x = x + tf.concat([x[:, 1:], tf.zeros_like(x[:, :1])], axis=1)
    return attend(x, tf.maximum(past(x), padding[:, None]))


@pytest.mark.parametrize(
    ("layer", "cause"),
    [
        (hides_padding_only, "future_not_hidden"),  # its padding mask is right
        (hides_the_past_only, "nothing_hidden"),
        (hides_nothing, "nothing_hidden"),
        (conv_before, None),
    ],
)
def test_a_causal_layer_with_padding_gets_the_cause_of_the_mask_that_is_wrong(layer, cause):
    found, certificate = cause_of(layer, ON_PADDING, "blocked", causal=True)
    assert found == cause, certificate.headline


def conv_and_recurrence():
    return keras.Sequential([layers.Conv1D(8, 3, padding="same"), layers.LSTM(8, return_sequences=True)])


def one_too_far_with_positions(x):
    x = x + ca.sinusoidal_encoding(x.shape[1], x.shape[2])
    return attend(x, past(x, 2))


class Backwards(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.lstm = layers.LSTM(8, return_sequences=True, go_backwards=True)

    def call(self, x):
        return ops.flip(self.lstm(x), axis=1)


@pytest.mark.parametrize(
    ("layer", "options", "cause", "ruled_out"),
    [
        (conv_and_recurrence, {"positions": True}, None, False),
        (lambda: one_too_far_with_positions, {"positions": True}, None, False),
        (Backwards, {"positions": True}, "runs_backwards", False),
        (lambda: lambda x: tf.cumsum(x, axis=1, reverse=True), {}, "runs_backwards", False),
        (lambda: layers.GroupNormalization(groups=-1), {}, "future_not_hidden", False),
        (conv_and_recurrence, {}, None, True),
    ],
)
def test_where_call_takes_no_mask_no_mask_is_blamed_that_nobody_saw(layer, options, cause, ruled_out):
    found, certificate = cause_of(layer(), causal=True, **options)
    assert found == cause, certificate.headline
    assert ("look_ahead_off_by_one" in certificate.ruled_out) == ruled_out
    assert "scores" not in certificate.headline.partition("ruled out")[0]


def causal_but_for_the_padding(x, padding):
    return attend(x, tf.maximum(past(x), padding[:, :, None]))


def test_padding_of_queries_is_told_from_padding_that_no_earlier_query_could_see():
    assert cause_of(causal_but_for_the_padding, ON_PADDING, "blocked", causal=True)[0] == "padding_of_queries"


@pytest.mark.parametrize(
    ("call", "first"),
    [
        (lambda layer, x, mask: layer(x), "query 0 does not notice key 1, which it may see"),
        (lambda layer, q, k, v, mask: layer(q), "query 0 does not notice key 0, which it may see"),
    ],
)
def test_a_layer_that_notices_no_other_token_is_told_so_and_no_mask_is_blamed(call, first):
    found, certificate = cause_of(layers.Dense(8), call, "keras")
    assert found is None
    assert "nothing_hidden" not in certificate.ruled_out
    assert certificate["visible_keys_count"].detail.startswith(f"{first}; it notices no other token at all: is it")


def test_a_window_that_nobody_spoke_of_is_asked_for():
    conv = layers.Conv1D(8, 3, padding="causal")
    detail = cause_of(conv, causal=True)[1]["visible_keys_count"].detail
    assert detail.endswith("it notices the last 3 places only: if it should, say window=3")
    assert certify(conv, causal=True, window=3, level="correct").broken == ()
    both_ways = cause_of(layers.Conv1D(8, 3, padding="same"), causal=True)[1]["visible_keys_count"].detail
    assert "window" not in both_ways


class FirstToken(layers.Layer):
    """As BERT: the first token gives the answer."""

    def __init__(self, places=True, **kwargs):
        super().__init__(**kwargs)
        self.places, self.attend = places, layers.MultiHeadAttention(2, 4)

    def call(self, x, padding):
        if self.places:
            x = x + ops.convert_to_tensor(ca.sinusoidal_encoding(x.shape[1], x.shape[2]))
        return (x + self.attend(x, x, attention_mask=padding[:, None]))[:, 0]


@pytest.mark.parametrize("places", [False, True])
def test_where_the_first_token_gives_the_answer_it_is_not_padded(places):
    certificate = certify(FirstToken(places), ON_PADDING, "keras", positions=True, level="correct")
    assert certificate.broken == (), certificate
    unsaid = certify(FirstToken(places), ON_PADDING, "keras", level="correct")
    assert unsaid.broken == ("key_permutation",)
    assert "say positions=True" in unsaid["key_permutation"].detail


@pytest.mark.parametrize("make", [lambda x: x[..., 0] > 0, lambda x: tf.argmax(x, axis=-1)])
def test_what_answers_in_integers_has_no_gradient_and_is_not_accused(make):
    certificate = certify(make, call=ON_X, recompute=True)
    assert certificate.broken == (), certificate
    assert "has no gradient" in certificate["finite_gradients"].detail
    assert certificate["checkpointing"].verdict == "not applicable"


def test_a_causal_layer_that_answers_in_integers_is_judged_by_its_values():
    latest = lambda x: tf.cast(1e3 * tf.cumsum(x, axis=1), tf.int32)  # noqa: E731
    assert certify(latest, ON_X, causal=True).broken == ()
    assert "no_future_leak" in certify(lambda x: latest(x)[:, ::-1], ON_X, causal=True).broken

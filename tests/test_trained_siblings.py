"""Each sibling of the date machine lacks what it says, and nothing else; none is trained here."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf

import clear_attention
import trained
from clear_attention import MultiHeadAttention, Transformer, create_date_pairs, greedy_search, merge_heads
from clear_attention._nonfinite import Tokens
from clear_attention.blocks import ResidualBlock
from trained import dates, digits, spare
from trained.recipes import arrays_of, shares_right

WRITERS = [name for name, module in trained.PROGRAMS.items() if module == "dates"]
SOURCES, TARGETS = create_date_pairs(4, split="test")
X = dates.source_tokenizer.encode(SOURCES, length=dates.LENGTH)
Y = dates.target_tokenizer.encode(TARGETS)[:, :-1]
VISIBLE = (X != 0)[:, np.newaxis, np.newaxis]


@pytest.fixture(scope="module")
def models():
    keras.utils.set_random_seed(0)
    return {name: trained.recipe(name).build() for name in trained.PROGRAMS}


@pytest.fixture(scope="module")
def run(models):
    """Return a function that gives what a model makes of the dates: logits, and weights by name."""
    return lambda name, x=X, y=Y: models[name](x, y, return_weights=True)


def padded(length):
    return dates.source_tokenizer.encode(SOURCES, length=length)


def reordered():
    """The dates with their letters the other way round, padding where it was."""
    return dates.source_tokenizer.encode([text[::-1] for text in SOURCES], length=dates.LENGTH)


@pytest.mark.parametrize("name", trained.PROGRAMS)
def test_the_config_says_what_was_built(models, name):
    config, model = trained.recipe(name).config, models[name]
    shapes = {weight.path.removeprefix(f"{model.name}/"): tuple(weight.shape) for weight in model.weights}
    assert len(shapes) == len(model.weights)
    assert json.loads(json.dumps(config)) == config
    if config["kind"] == "language model":
        assert shapes["embed/embeddings"] == (config["vocab"], config["d_model"])
        assert shapes["stack/layer_0/feed_forward/widen/kernel"] == (config["d_model"], config["d_ff"])
        assert [layer.self_attention.attention.num_heads for layer in model.stack.layers] == [
            config["num_heads"]
        ] * config["num_layers"]
        return
    if config["kind"] == "twin":
        written = getattr(clear_attention.programs, config["program"])()
        attention = [step.num_heads for step in model.steps if isinstance(step, MultiHeadAttention)]
        assert attention == [head.num_heads for head in written.heads] == [1] * len(attention)
        assert shapes["widen/kernel"] == (written.heads[0].project_queries.kernel.shape[0], config["width"])
        return
    if config["kind"] == "spare":
        assert shapes["embed/embeddings"] == (27, 32)
        assert (model.attention.sink is not None) == config["sink"] == name.endswith("-sink")
        return
    assert shapes["embed_source/embeddings"] == (config["source_vocab"], config["d_model"])
    assert shapes["encoder/layer_0/feed_forward/widen/kernel"] == (config["d_model"], config["d_ff"])
    assert model.encoder.layers[0].self_attention.attention.num_heads == config["num_heads"]
    if config["kind"] == "digits":
        heads, *longer = name.removeprefix("digits-").split("-")
        assert model.attention.num_heads == config["heads_of_query"] == int(heads)
        assert config["steps"] == digits.STEPS * (3 if longer == ["longer"] else 1)


def test_only_what_is_said_to_lack_is_lacking():
    lacks = {name: trained.recipe(name).config["lacks"] for name in trained.PROGRAMS}
    assert {name: parts for name, parts in lacks.items() if parts} == {
        "dates-forgetful": ["look-ahead mask"],
        "dates-no-positions": ["positions"],
        "dates-no-residual": ["residual"],
        "dates-wrong-reshape": ["the swap of axes"],
        "dates-padding-seen": ["padding mask"],
    }


@pytest.mark.parametrize("name", WRITERS)
def test_without_positions_the_order_of_letters_is_nothing(run, name):
    same = np.allclose(run(name).output, run(name, reordered()).output, atol=1e-5)
    assert same == (name == "dates-no-positions")


@pytest.mark.parametrize("name", WRITERS)
def test_only_siblings_that_see_padding_or_cut_the_row_change_with_it(run, name):
    same = np.allclose(run(name).output, run(name, padded(60)).output, atol=1e-5)
    assert same == (name not in ("dates-padding-seen", "dates-wrong-reshape"))


@pytest.mark.parametrize("name", WRITERS)
def test_only_the_forgetful_sibling_sees_what_comes(run, name):
    changed = Y.copy()
    changed[:, -1] = dates.target_tokenizer.ids["7"]
    same = np.allclose(run(name).output[:, :-1], run(name, y=changed).output[:, :-1], atol=1e-5)
    assert same == (name != "dates-forgetful")


@pytest.mark.parametrize("name", WRITERS)
def test_plain_attention_averages_over_what_is_visible(run, name):
    weights = run(name).weights
    average = VISIBLE / VISIBLE.sum(-1, keepdims=True)
    plain = {kind for kind in ("encoder.0", "decoder.0.cross") if np.allclose(weights[kind], average, atol=1e-6)}
    assert plain == ({"encoder.0", "decoder.0.cross"} if name == "dates-no-attention" else set())
    assert np.ptp(weights["decoder.0.self"][:, :, -1]) > 1e-3


def test_plain_attention_stays_plain_in_training(models):
    still = [weight for weight in models["dates-no-attention"].weights if not weight.trainable]
    assert len(still) == 4
    assert all("project_queries" in weight.path and not np.any(weight) for weight in still)


def test_without_residual_a_block_gives_the_norm_of_its_sublayer(models):
    block = models["dates-no-residual"].encoder.layers[0].feed_forward
    x = np.random.default_rng(0).normal(size=(1, 3, 64)).astype(np.float32)
    np.testing.assert_allclose(block(x), block.norm(block.narrow(block.widen(x))), atol=1e-5)
    for name in ("dates", "dates-no-residual"):
        blocks = [layer for layer in models[name]._flatten_layers() if isinstance(layer, ResidualBlock)]
        through = [np.allclose(block.after(x, np.zeros_like(x)), block.norm(x), atol=1e-5) for block in blocks]
        assert through == [name == "dates"] * 5


@pytest.mark.parametrize("name", WRITERS)
def test_generation_takes_the_sibling_as_it_is(models, run, name):
    """What greedy search writes first is what the whole model gives, encodings by position and masks alike."""
    ids = greedy_search(models[name], X, 3, jit_compile=False).numpy()
    logits = np.array(run(name, y=np.concatenate([Y[:, :1], ids[:, :2]], axis=1)).output)
    logits[..., :2] = -np.inf  # padding and start are never chosen
    written = ids != 0
    # no search asks for the mask of the one, and one letter at a time the other is cut as it should be
    if name not in ("dates-forgetful", "dates-wrong-reshape"):
        np.testing.assert_array_equal(ids[written], logits.argmax(-1)[written])


def test_the_whole_machine_is_a_plain_transformer(models):
    assert type(models["dates"]) is type(models["dates-one-head"]) is Transformer


@pytest.mark.parametrize("heads", [1, 8])
def test_one_query_fetches_from_letters_alone(models, heads):
    model = models[f"digits-{heads}"]
    logits, weights = model(X, return_weights=True)
    assert logits.shape == (4, 8, 10)
    assert weights.shape == (4, heads, 1, dates.LENGTH)
    assert not np.any(np.where(VISIBLE, 0, weights))
    np.testing.assert_allclose(logits, model(padded(40)), atol=1e-5)


def test_dates_become_digits():
    np.testing.assert_array_equal(digits.digits_of(["2018-05-03"]), [[2, 0, 1, 8, 0, 5, 0, 3]])


def test_shares_are_those_of_the_whole_and_of_its_parts():
    shares = shares_right(["2018-05-03", "2018-06-03", "2-2-2     "], ["2018-05-03", "2018-05-03", "2018-05-03"])
    assert shares == {"exact": 1 / 3, "year": 2 / 3, "month": 1 / 3, "day": 2 / 3}


def test_every_weight_has_its_name(models):
    model = models["dates"]
    recipe = trained.recipe("dates")
    arrays = arrays_of(recipe._replace(train=lambda model: {}, measure=lambda model: {}))
    assert len(arrays["names"]) == len(model.weights)
    assert "encoder/layer_0/self_attention/attention/project_queries/kernel" in arrays["names"]
    assert np.array_equal(arrays["weight 0"], np.float16(arrays["weight 0"]))


def test_a_wrong_reshape_gives_each_head_a_part_of_the_letters(models, run):
    attention = models["dates-wrong-reshape"].encoder.layers[0].self_attention.attention
    x = np.random.default_rng(0).normal(size=(1, 6, 64)).astype(np.float32)
    tokens = Tokens.unchecked(tf.constant(x))
    heads = attention.to_heads(attention.project_queries, tokens, 4)
    np.testing.assert_allclose(heads, np.reshape(attention.project_queries(x), (1, 4, 6, 16)), atol=1e-6)
    joined = attention.to_output(Tokens.unchecked(merge_heads(heads)))
    np.testing.assert_allclose(joined, attention.project_output(np.reshape(heads, (1, 6, 64))), atol=1e-6)

    x = dates.source_tokenizer.encode(["30.11.1999"], length=dates.LENGTH)
    for name, unseen in (("dates-wrong-reshape", [3, 4, 5, 6, 7]), ("dates", [])):
        found = []
        for place in range(10):
            changed = x.copy()
            changed[:, place] = dates.source_tokenizer.ids["4"]
            found.append(np.array_equal(run(name, x, Y[:1]).output, run(name, changed, Y[:1]).output))
        assert np.flatnonzero(found).tolist() == unseen


def test_spare_looks_are_asked_for_the_letter_before_a_vowel():
    for start in (True, False):
        ids, answers = spare.texts(200, seed=7, start=start)
        for row, answer in zip(ids, answers, strict=True):
            signs, written = ("".join([*spare.LETTERS, "^"][i] for i in each) for each in (row, answer))
            assert (signs[0] == "^") == start
            assert signs[1] not in "aeiou"
            for i in range(1, 17):
                wanted = signs[i - 1] if signs[i] in "aeiou" else chr(ord("a") + (ord(signs[i]) - 96) % 26)
                assert written[i] == wanted


@pytest.mark.parametrize("name", ["spare-start", "spare-sink"])
def test_spare_looks_see_only_what_stands_before(models, name):
    ids, _ = spare.texts(3, seed=7, start=name == "spare-start")
    for dropped in (False, True):
        weights = np.array(models[name](ids, dropped=dropped, return_weights=True)[1])[:, 0]
        seen = np.tri(17, k=-1)
        seen[1:, 0] = not dropped
        seen[0, 0] = 1
        np.testing.assert_array_equal(weights > 0, np.broadcast_to(seen > 0, weights.shape))

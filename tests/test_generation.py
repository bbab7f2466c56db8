"""Generation: the cached searches do what the whole model says, token by token, and every refusal."""

import functools
import gc
import itertools
import weakref
from concurrent.futures import ThreadPoolExecutor

import keras
import numpy as np
import pytest
import tensorflow as tf
from compare import close
from samples import saved_and_loaded, shake

from clear_attention import Transformer, beam_search, greedy_search
from clear_attention.generation import graphs, searches, steps

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
SIZES = {"num_layers": 1, "d_model": 6, "num_heads": 2, "d_ff": 17, "source_vocab": 13, "target_vocab": 11}
SOURCE = np.array([[5, 6, 12, 0, 0], [8, 3, 4, 10, 2], [7, 0, 9, 1, 0]])
OTHER_IDS = {"pad_id": 4, "start_id": 9, "end_id": 0}
MODELS = [{}, {"norm_first": True}, {"num_layers": 2}, {"num_layers": 3, "norm_first": True, "seed": 3, **OTHER_IDS}]


def shaken(seed=4, **options):
    """Make a model with random weights, and logits that differ: else it would say one word again and again."""
    model = Transformer(**{**SIZES, "dropout": 0.5, **options})
    model.build()
    rng = np.random.default_rng(seed)
    shake(model, seed=rng, scale=0.6)
    targets = rng.integers(0, model.target_vocab, (3, 40))
    targets[:, 0] = model.start_id
    logits = np.asarray(model(SOURCE, targets))[:, 1:]
    last, scale = model.project_logits, 2.5 / logits.std(axis=(0, 1))
    last.kernel.assign(last.kernel * scale)
    last.bias.assign((last.bias - logits.mean(axis=(0, 1))) * scale)
    return model


@functools.cache
def shared(**options):
    """Return one model for all tests that change nothing about it."""
    return shaken(**options)


@functools.cache
def whole(model):
    """Return the whole model, which knows nothing of caches and steps."""
    return tf.function(lambda *ids: model(ids), [tf.TensorSpec((None, None), tf.int32)] * 2)


def chances(model, source, targets):
    logits = np.array(whole(model)(np.array(source, np.int32), np.array(targets, np.int32)), "float64")
    logits[..., [model.pad_id, model.start_id]] = -np.inf
    logits -= logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.sum(np.exp(logits), axis=-1, keepdims=True))


def scored(model, beam, length_penalty):
    ids, total = beam
    length = ids.index(model.end_id) if model.end_id in ids else len(ids) - 1  # without the start id
    return total / ((5 + length) / 6) ** length_penalty


def by_definition(model, max_length=7, width=1, length_penalty=0.0):
    """Search without a cache: write out all hypotheses, and keep the best."""
    best = [[((model.start_id,), 0.0)] for _ in SOURCE]
    for _ in range(max_length):
        rows = [row for row, beams in zip(SOURCE, best, strict=True) for _ in beams]
        following = iter(chances(model, rows, [ids for beams in best for ids, _ in beams])[:, -1])
        for beams in best:
            longer = []
            for (ids, total), row in zip(list(beams), following, strict=False):
                if model.end_id in ids:
                    longer.append(((*ids, model.pad_id), total))
                else:
                    longer += [((*ids, word), total + row[word]) for word in np.flatnonzero(np.isfinite(row))]
            beams[:] = sorted(longer, key=lambda beam: -scored(model, beam, length_penalty))[:width]
    ids = [[beam[0][1:] for beam in beams] for beams in best]
    return np.array(ids), np.array([[scored(model, beam, length_penalty) for beam in beams] for beams in best])


def greedy(model, source=SOURCE, max_length=7, jit_compile=False):
    return greedy_search(model, source, max_length, jit_compile).numpy()


def beams_of(model, source=SOURCE, max_length=7, width=3, length_penalty=0.6, jit_compile=False):
    return beam_search(model, source, max_length, width, length_penalty, jit_compile)


def same(actual, expected):
    """Compare beams: the ids are equal, the scores nearly."""
    np.testing.assert_array_equal(actual[0], expected[0])
    close(actual[1], expected[1], 5e-5)  # sums over all tokens, in float32


# One step over the cache


@pytest.mark.parametrize("options", [{}, *({**options, "dtype": "float64"} for options in MODELS)])
def test_every_step_gives_the_logits_of_the_whole_model(options):
    model, width = shared(**options), 2
    targets = np.random.default_rng(0).integers(5, 9, (3, width, 7))  # no padding, as in a search
    targets[:, :, 0] = model.start_id
    *source, pasts = steps.prepare(model, SOURCE, 7, width)
    expected = np.stack([model(SOURCE, targets[:, i]) for i in range(width)], axis=1)
    size = np.abs(expected).max()
    for position in range(7):
        tokens = tf.constant(targets[:, :, position])
        logits, pasts = steps.step(model, tokens, tf.constant(position), *source, pasts)
        close(logits / size, expected[:, :, position] / size, 1e-10 if "dtype" in options else 1e-5)


# Greedy


@pytest.mark.parametrize("options", MODELS)
def test_greedy_is_the_whole_model_asked_again_and_again(options):
    expected = by_definition(shared(**options))[0][:, 0]
    assert len(np.unique(expected)) > 3  # not one word again and again
    np.testing.assert_array_equal(greedy(shared(**options)), expected)


def test_each_row_stops_at_its_end_and_the_rest_is_padding():
    for options, ends in ((MODELS[0], [None, 1, 5]), (MODELS[3], [3, 4, 5])):
        model = shared(**options)
        for row, end in zip(greedy(model), ends, strict=True):
            assert (list(row).index(model.end_id) if model.end_id in row else None) == end
            assert end is None or set(row[end + 1 :]) == {model.pad_id}


def test_padding_and_start_are_never_chosen_however_probable():
    model = shaken(**OTHER_IDS)
    expected = greedy(model), beams_of(model)
    bias = model.project_logits.bias
    bias.assign(tf.tensor_scatter_nd_add(bias, [[model.pad_id], [model.start_id]], [50.0, 60.0]))
    np.testing.assert_array_equal(greedy(model), expected[0])
    same(beams_of(model), expected[1])


def test_one_token_at_most():
    ids, scores = beams_of(shared(), max_length=1, width=9)  # all words but padding and start
    first = chances(shared(), SOURCE, [[1]] * 3)[:, 0]
    same((ids[..., 0], scores), (np.argsort(-first)[:, :9], -np.sort(-first)[:, :9]))
    np.testing.assert_array_equal(ids[:, 0], greedy(shared(), max_length=1))


# Beams


@pytest.mark.parametrize(("options", "length_penalty"), [({}, 0.0), ({}, 2.0), (MODELS[2], 0.6), (MODELS[3], 0.6)])
def test_beams_are_those_of_the_definition(options, length_penalty):
    model = shared(**options)
    ids, scores = beams_of(model, length_penalty=length_penalty)
    same((ids, scores), by_definition(model, 7, 3, length_penalty))
    assert np.all(np.diff(scores) < 0)
    assert all(len(set(map(tuple, hypotheses))) == 3 for hypotheses in ids.numpy())
    ended = np.any(ids == model.end_id, axis=-1)
    assert ended.any(), "none ended"
    assert options or not ended.all(), "none ran on"


@pytest.mark.parametrize(("special", "length_penalty"), [((0, 1, 2), 0.0), ((2, 4, 1), 1.0)])
def test_a_beam_that_is_wide_enough_finds_the_best_of_all(special, length_penalty):
    pad, start, end = special
    model = shared(target_vocab=5, pad_id=pad, start_id=start, end_id=end)
    words = {0, 1, 2, 3, 4} - set(special)
    every = [(*y, end) for n in range(4) for y in itertools.product(words, repeat=n)]
    every += itertools.product(words, repeat=4)
    assert len(every) == 31
    lengths = np.array([len(y) for y in every])
    padded = np.array([[start, *y, *[pad] * (4 - len(y))] for y in every])
    ids, scores = beams_of(model, max_length=4, width=32, length_penalty=length_penalty)
    for row, found, score in zip(SOURCE, ids, scores.numpy(), strict=True):
        steps = np.take_along_axis(chances(model, [row] * 31, padded)[:, :-1], padded[:, 1:, None], axis=-1)[..., 0]
        totals = np.sum(np.where(np.arange(4) < lengths[:, None], steps, 0), axis=1)
        assert np.sum(np.exp(totals)) == pytest.approx(1)
        expected = totals / ((5 + lengths) / 6) ** length_penalty
        order = np.argsort(-expected)
        same((found[:31], score[:31]), (padded[order, 1:], expected[order]))
        assert score[31] == -np.inf  # there is no such hypothesis


def test_a_beam_of_one_is_greedy_search():
    ids, _ = beams_of(shared(), width=1, length_penalty=1.5)
    np.testing.assert_array_equal(ids[:, 0], greedy(shared()))


# What must not matter


def test_a_row_alone_or_with_more_padding_is_the_same():
    ids, scores = beams_of(shared())
    for i, row in enumerate(SOURCE):
        for alone in (row, [*row, 0, 0, 0], np.trim_zeros(row, "b")):
            np.testing.assert_array_equal(greedy(shared(), [alone]), greedy(shared())[[i]])
            same(beams_of(shared(), [alone]), (ids[i : i + 1], scores[i : i + 1]))


def test_again_and_in_every_form_of_ids():
    expected = beams_of(shared())
    for source in (SOURCE, SOURCE.tolist(), tf.constant(SOURCE, tf.int64), SOURCE.astype("uint8")):
        found = beams_of(shared(), source)
        assert found.ids.dtype == greedy(shared(), source).dtype == np.int32
        for actual, before in zip(found, expected, strict=True):
            np.testing.assert_array_equal(actual, before)


def test_xla_and_graphs_agree():
    model = shared()
    same(beams_of(model, jit_compile=True), beams_of(model))

    @tf.function(input_signature=[tf.TensorSpec((None, None), tf.int32)])
    def graph(source):
        return greedy_search(model, source, 6, False), beams_of(model, source, 6)

    ids, beams = graph(SOURCE)
    np.testing.assert_array_equal(ids, greedy(model, max_length=6))  # traced inside, and then used outside
    same(beams, beams_of(model, max_length=6))


@pytest.mark.parametrize(("policy", "tolerance"), [("mixed_float16", 0.05), ("mixed_bfloat16", 0.5)])
def test_with_16_bits_the_words_are_among_the_most_probable(policy, tolerance):
    model = shared(dtype=policy)
    ids, scores = beams_of(model, length_penalty=0.0)
    assert scores.dtype == "float32"
    says = np.concatenate([greedy(model)[:, None], ids], axis=1).reshape(12, 7)  # 4 for each sentence
    targets = np.pad(says, [(0, 0), (1, 0)], constant_values=1)[:, :-1]
    following = chances(model, np.repeat(SOURCE, 4, axis=0), targets)
    chosen = np.where(says == 0, 0, np.take_along_axis(following, says[..., None], axis=-1)[..., 0])
    assert np.all((chosen + tolerance >= following.max(axis=-1))[::4])
    close(scores, chosen.sum(axis=-1).reshape(3, 4)[:, 1:], tolerance)


# The graph that the model keeps


def test_changed_weights_are_seen():
    model, before = shaken(), greedy(shared())
    np.testing.assert_array_equal(greedy(model), before)
    for variable in model.variables:
        variable.assign(tf.reverse(variable, [0]))
    assert np.any(greedy(model) != before)
    np.testing.assert_array_equal(greedy(model), beams_of(model, width=1).ids[:, 0])  # compiled after the change


def test_traced_once_for_the_same_options_and_all_shapes(monkeypatch):
    traced, search = [], searches.search
    monkeypatch.setattr(searches, "search", lambda *args: traced.append(args[2:]) or search(*args))
    model = Transformer(**SIZES)
    for source in (SOURCE, SOURCE[:, :2], SOURCE[:1], SOURCE):
        assert greedy(model, source, max_length=3).shape == (len(source), 3)
        beams_of(model, source, max_length=2, width=2)
    assert traced == [(3, 1, 0.0), (2, 2, 0.6)]


def relearnt(model):
    """Return what a model says without any graph."""
    return searches.search(model, tf.constant(SOURCE, tf.int32), 7, 1, 0.0).ids[:, 0]


CHANGES = {
    "LoRA": lambda model: model.project_logits.enable_lora(2),
    "LoRA in a layer": lambda model: model.decoder.layers[0].feed_forward.widen.enable_lora(2),
    "int8": lambda model: model.quantize("int8"),
    "end id": lambda model: setattr(model, "end_id", 7),
    "pad id": lambda model: setattr(model, "pad_id", 3),
    "norm first": lambda model: setattr(model.decoder.layers[0].cross_attention, "norm_first", True),
    "dtype policy": lambda model: setattr(
        model.decoder.layers[0].feed_forward.widen, "dtype_policy", keras.DTypePolicy("mixed_bfloat16")
    ),
    "order of layers": lambda model: model.decoder.layers.reverse(),
    "activation": lambda model: setattr(model.decoder.layers[0].feed_forward.widen, "activation", tf.sin),
}


@pytest.fixture
def little_garbage():
    """Keras collects garbage for each variable that int8 replaces: it need not look at what other tests have left."""
    gc.collect()
    gc.freeze()


@pytest.mark.filterwarnings("ignore:Layer .* does not have a `quantize` method:UserWarning")
@pytest.mark.usefixtures("little_garbage")
@pytest.mark.parametrize("change", CHANGES)
def test_a_model_that_changed_is_searched_as_it_is_now(change):
    model = shaken(num_layers=2 if change == "order of layers" else 1)
    before = greedy(model)
    CHANGES[change](model)
    rng = np.random.default_rng(0)
    for layer in (model.project_logits, model.decoder.layers[0].feed_forward.widen):
        if getattr(layer, "lora_enabled", False):
            layer.lora_kernel_b.assign(rng.normal(size=layer.lora_kernel_b.shape))
    after = greedy(model)
    assert len(vars(model)["_searches"]) == 2
    np.testing.assert_array_equal(after, relearnt(model))
    assert change in ("int8", "dtype policy") or np.any(after != before)  # these may say the same in other numbers


class Swish:
    """An activation that can't be hashed."""

    __hash__ = None

    def __call__(self, x):
        return x * tf.sigmoid(x)


def test_training_and_what_cannot_be_hashed_need_no_other_graph():
    model = shaken(activation=Swish())
    greedy(model)
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    targets = np.array([[model.start_id, 3, 4]] * 3)
    model.fit((SOURCE, targets), targets, verbose=0)
    after = greedy(model)
    assert len(vars(model)["_searches"]) == 1
    np.testing.assert_array_equal(after, relearnt(model))


def test_calls_with_other_lengths_need_no_other_graph():
    model = shaken()
    before = greedy(model)
    model(np.tile(SOURCE, 5), np.full((3, 40), model.start_id))  # more positions than were ever asked for
    np.testing.assert_array_equal(greedy(model), before)
    assert len(vars(model)["_searches"]) == 1


def test_values_of_weights_are_read_anew_without_a_new_graph():
    model = shaken()
    before = greedy(model)
    model.project_logits.bias.assign(model.project_logits.bias[::-1])
    after, graphs = greedy(model), len(vars(model)["_searches"])
    assert np.any(after != before)
    assert graphs == 1
    np.testing.assert_array_equal(after, relearnt(model))


def test_no_more_than_a_few_graphs_are_kept_and_the_last_ones_used_stay(monkeypatch):
    monkeypatch.setattr(graphs, "KEPT", 4)  # to trace more of them takes its time
    model = Transformer(**SIZES)
    for max_length in [*range(1, graphs.KEPT + 1), 1, graphs.KEPT + 1]:
        greedy_search(model, SOURCE, max_length, jit_compile=False)
    kept = [key[0] for key in vars(model)["_searches"]]
    assert kept == [*range(3, graphs.KEPT + 1), 1, graphs.KEPT + 1]


def test_a_searched_model_saves_and_loads_and_goes(tmp_path):
    model = shared()
    expected = beams_of(model)
    loaded = saved_and_loaded(model, tmp_path)
    same(beams_of(loaded), expected)
    gone = weakref.ref(loaded)
    del loaded
    gc.collect()
    assert gone() is None


# Refusals


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"transformer": keras.Sequential()}, TypeError, "parts of a Transformer.*Received: a Sequential"),
        ({"source_ids": SOURCE.astype(float)}, TypeError, "source_ids.dtype=float64"),
        ({"source_ids": SOURCE + 1}, ValueError, r"vocabulary of 13 ids.*in \[0, 13\).*holding 13"),
        ({"source_ids": -SOURCE}, ValueError, "holding -5"),
        ({"source_ids": SOURCE[:, :0]}, ValueError, r"at least one token.*source_ids.shape=\(3, 0\)"),
        ({"source_ids": SOURCE[0]}, ValueError, r"source_ids.shape=\(5,\)"),
        ({"max_length": 0}, ValueError, "max_length=0"),
        ({"max_length": 2.0}, TypeError, r"max_length=2\.0"),
        ({"width": 0}, ValueError, "width=0"),
        ({"width": True}, TypeError, "width=True"),
        ({"length_penalty": -0.1}, ValueError, r"in \[0, 10\].*length_penalty=-0\.1"),
        ({"length_penalty": 1e3}, ValueError, "overflow.*length_penalty=1000"),
        ({"jit_compile": "yes"}, TypeError, "jit_compile='yes'"),
        ({"length_penalty": "long"}, TypeError, "length_penalty='long'"),
        ({"length_penalty": float("nan")}, ValueError, "length_penalty=nan"),
    ],
)
def test_bad_calls_are_refused_in_words(options, error, words):
    call = {"transformer": shared(), "source_ids": SOURCE, "max_length": 2, **options}
    with pytest.raises(error, match=words):
        beam_search(**call)
    if not {"width", "length_penalty"} & set(options):
        with pytest.raises(error, match=words):
            greedy_search(**call)


def test_small_integers_may_number_a_large_vocabulary():
    model = Transformer(**{**SIZES, "source_vocab": 300, "target_vocab": 300})
    np.testing.assert_array_equal(
        greedy_search(model, np.array([[100, 40]], "uint8"), 2, jit_compile=False),
        greedy_search(model, np.array([[100, 40]]), 2, jit_compile=False),
    )


def test_beams_without_a_hypothesis_hold_padding():
    model = Transformer(**{**SIZES, "target_vocab": 5})
    ids, scores = beam_search(model, SOURCE, 2, width=12, jit_compile=False)
    nothing = np.isinf(scores)
    assert nothing.any()
    assert np.all(ids[nothing] == model.pad_id)
    assert np.all(np.any(ids[~nothing] != model.pad_id, axis=-1))


def test_threads_search_one_model_that_is_not_built():
    expected = Transformer(**SIZES)
    greedy(expected)
    for _ in range(3):
        model = Transformer(**SIZES)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda length, model=model: greedy(model, max_length=length).shape[1], [2, 3, 2, 3]))
        assert found == [2, 3, 2, 3]
        assert len(model.variables) == len(expected.variables)
        assert len(vars(model)["_searches"]) == 2

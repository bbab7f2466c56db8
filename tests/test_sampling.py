"""Sampling: rules by pencil, statistics against exact probabilities, rows that do not know of each other, streams."""

import functools
import itertools

import keras
import numpy as np
import pytest
import tensorflow as tf
from compare import close
from samples import saved_and_loaded, shake
from test_generation import SOURCE
from test_generation import shared as translator

from clear_attention import LanguageModel, greedy_search, sample, stream
from clear_attention.generation import graphs, steps
from clear_attention.generation.chances import Rules, candidates, drawn, penalised, pointers

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
PROMPTS = np.array([[0, 0, 1, 7], [1, 5, 6, 5], [0, 3, 9, 9]])
EVERY_RULE = {"temperature": 1.3, "top_k": 7, "top_p": 0.9, "min_p": 0.05, "repetition_penalty": 1.5}
EACH_RULE = [{}, *({name: value} for name, value in EVERY_RULE.items()), EVERY_RULE, {"temperature": 0}]
EACH_RULE += [{"temperature": 0, "repetition_penalty": 1.5}]


def shaken(**options):
    """Make a model with random weights, and logits that differ: else it would say one word again and again."""
    model = LanguageModel(1, 12, 2, 17, 13, dropout=0.5, tie_embeddings=False, **options)
    model.build()
    shake(model, seed=4, scale=0.6)
    kernel = model.embed.reverse_embeddings
    kernel.assign(kernel * 1.5 / np.std(model(PROMPTS)))
    return model


@functools.cache
def shared(**options):
    """Return one language model for all tests that change nothing about it."""
    return shaken(**options)


def sampled(model, ids, max_length=6, jit_compile=False, **options):
    return sample(model, ids, max_length, jit_compile=jit_compile, **{"seed": 3, **options}).numpy()


def streamed(model, ids, max_length=6, jit_compile=False, **options):
    tokens = stream(model, ids, max_length, jit_compile=jit_compile, **{"seed": 3, **options})
    return np.stack([t.numpy() for t in tokens], axis=1)


# The rules, by pencil: probabilities 1/2, 1/4, 1/8, 1/8 of ids 4, 1, 0, 3; id 2 can't be said

LOGITS = np.log([0.125, 0.25, 0.0, 0.125, 0.5], where=[1, 1, 0, 1, 1], out=np.full(5, -np.inf))
OFF = dict.fromkeys(Rules._fields) | {"temperature": 1.0}


def left(logits=LOGITS, **rules):
    """Return what the rules leave, as a dict of ids and probabilities."""
    given = tf.constant(logits[np.newaxis], tf.float32)
    probabilities, ids = candidates(given, Rules(**{**OFF, **rules}))
    return {int(i): float(p) for i, p in zip(ids[0], probabilities[0], strict=True) if p > 0}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({}, {4: 1 / 2, 1: 1 / 4, 0: 1 / 8, 3: 1 / 8}),
        ({"temperature": 0.5}, {4: 16 / 22, 1: 4 / 22, 0: 1 / 22, 3: 1 / 22}),
        ({"top_k": 1}, {4: 1}),
        ({"top_k": 2}, {4: 2 / 3, 1: 1 / 3}),
        ({"top_k": 3}, {4: 4 / 7, 1: 2 / 7, 0: 1 / 7}),  # of 0 and 3, which are equal, the lowest
        ({"top_k": 99}, {4: 1 / 2, 1: 1 / 4, 0: 1 / 8, 3: 1 / 8}),
        ({"top_p": 1e-9}, {4: 1}),
        ({"top_p": 0.5}, {4: 1}),  # reaches it
        ({"top_p": 0.51}, {4: 2 / 3, 1: 1 / 3}),
        ({"top_p": 0.75}, {4: 2 / 3, 1: 1 / 3}),
        ({"top_p": 0.76}, {4: 4 / 7, 1: 2 / 7, 0: 1 / 7}),
        ({"top_p": 0.875}, {4: 4 / 7, 1: 2 / 7, 0: 1 / 7}),
        ({"top_p": 0.9}, {4: 1 / 2, 1: 1 / 4, 0: 1 / 8, 3: 1 / 8}),
        ({"min_p": 1.0}, {4: 1}),
        ({"min_p": 0.5}, {4: 2 / 3, 1: 1 / 3}),
        ({"min_p": 0.26}, {4: 2 / 3, 1: 1 / 3}),
        ({"min_p": 0.25}, {4: 1 / 2, 1: 1 / 4, 0: 1 / 8, 3: 1 / 8}),  # equal ones stay together
        ({"min_p": 1e-9}, {4: 1 / 2, 1: 1 / 4, 0: 1 / 8, 3: 1 / 8}),
        ({"temperature": 0.5, "top_p": 0.7}, {4: 1}),  # the temperature comes first
        ({"temperature": 0.5, "min_p": 0.2}, {4: 16 / 20, 1: 4 / 20}),
        ({"top_k": 2, "top_p": 0.6}, {4: 1}),  # of what top_k has left, 2/3 is enough
        ({"top_k": 3, "top_p": 0.6, "min_p": 0.5}, {4: 2 / 3, 1: 1 / 3}),
        ({"temperature": 1e-300}, {4: 1}),
    ],
)
def test_rules_leave_what_a_pencil_says(rules, expected):
    found = left(**rules)
    if {"top_k", "top_p"} & set(rules):
        assert list(found) == list(expected)  # the most probable first, of equal ones the lowest
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("number", [3, 7, 10])
def test_of_equal_probabilities_the_lowest_ids_are_kept_at_every_edge(number):
    for kept in range(1, number + 1):
        rules = [{"top_k": kept}, {"top_p": kept / number}, {"top_p": (kept - 0.5) / number}]
        for rule in rules:
            assert list(left(np.full(number, 1.7), **rule)) == list(range(kept))
    assert list(left(np.full(number, 1.7), min_p=1.0)) == list(range(number))


def by_definition(logits, temperature=1.0, top_k=None, top_p=None, min_p=None):
    """Apply the rules one by one to one row of logits, in Python's numbers."""
    if temperature == 0:
        return {int(np.argmax(logits)): 1.0}
    chances = np.exp((logits - logits.max()) / temperature)
    order = sorted(range(len(logits)), key=lambda i: -logits[i])  # stable: of equal ones the lowest first
    kept = [i for i in order if chances[i] > 0][:top_k]
    kept = sorted(kept) if top_k is None and top_p is None else kept
    if top_p is not None:
        shares = np.cumsum(chances[kept]) / np.sum(chances[kept])
        kept = kept[: 1 + int(np.sum(shares < top_p - 1e-6))]
    if min_p is not None:
        kept = [i for i in kept if chances[i] >= (min_p - 1e-6) * max(chances)]
    total = sum(chances[i] for i in kept)
    return {i: chances[i] / total for i in kept}


def test_rules_leave_what_the_definition_says():
    rng = np.random.default_rng(0)
    names = {"temperature": (0.3, 1.0, 2.0), "top_k": (None, 1, 4, 9), "top_p": (None, 0.3, 0.8), "min_p": (None, 0.2)}
    for values in itertools.product(*names.values()):
        rules, logits = dict(zip(names, values, strict=True)), np.round(rng.normal(size=9), 1)  # some are equal
        expected = by_definition(logits, **rules)
        found = left(logits, **rules)
        assert list(found) == list(expected)
        assert found == pytest.approx(expected, abs=1e-6)


def test_what_was_said_becomes_less_probable_whatever_the_sign_of_its_logit():
    logits, said = tf.constant([[3.0, -3.0, 3.0, -3.0, 0.0, -np.inf]]), [[True, True, False, False, True, True]]
    np.testing.assert_array_equal(penalised(logits, said, 1.5), [[2.0, -4.5, 3.0, -3.0, 0.0, -np.inf]])


def test_a_pointer_hits_each_id_as_often_as_it_is_probable():
    probabilities = np.array([0.5, 0.25, 0.25, 0.0])
    where = np.array([0.0, 0.4999, 0.5, 0.7499, 0.75, 1 - 2**-53])
    rows = [tf.repeat([x], len(where), axis=0) for x in (probabilities, [8, 6, 7, 9])]
    np.testing.assert_array_equal(drawn(*rows, where), [8, 8, 6, 6, 7, 7])


def test_pointers_of_a_row_depend_on_the_seed_and_its_number_only():
    all_rows = pointers(5, 0, rows=4, length=6)
    assert all_rows.dtype == np.float64
    assert len(np.unique(all_rows)) == 24
    np.testing.assert_array_equal(pointers(5, 2, 2, 6), all_rows[2:])
    np.testing.assert_array_equal(pointers(5, 0, 4, 3), all_rows[:, :3])
    assert np.all(pointers(6, 0, 4, 6) != all_rows)
    assert pointers(5, 0, 0, 6).shape == (0, 6)
    # as every machine and every version draws them
    np.testing.assert_allclose(pointers(0, 0, 1, 2), [[0.63696169, 0.26978671]], atol=1e-8)


def test_pointers_are_spread_evenly_in_every_direction():
    table = pointers(1, 0, 500, 40)
    for numbers in (table.ravel(), table[:, 0], table[0]):
        counts = np.bincount((numbers * 10).astype(int), minlength=10)
        assert_as_probable(counts, np.full(10, 0.1))
    pairs = (table[:, 0] * 5).astype(int) * 5 + (table[:, 1] * 5).astype(int)
    assert_as_probable(np.bincount(pairs, minlength=25), np.full(25, 0.04))


# Statistics


def chi_square(counts, probabilities):
    """Return the statistic, and below which value it lies in 9,999 of 10,000 cases (Wilson and Hilferty's formula)."""
    assert not np.any(counts[probabilities == 0])
    expected = counts.sum() * probabilities[probabilities > 0]
    freedom = len(expected) - 1
    limit = freedom * (1 - 2 / (9 * freedom) + 3.72 * np.sqrt(2 / (9 * freedom))) ** 3 if freedom else 1e-9
    return np.sum((counts[probabilities > 0] - expected) ** 2 / expected), limit


def assert_as_probable(counts, probabilities):
    statistic, limit = chi_square(counts, probabilities)
    assert statistic < limit


def whole(model, source, said):
    """Return the logits that follow, of the whole model, which knows nothing of caches and steps."""
    if isinstance(model, LanguageModel):
        logits = model(np.concatenate([source, said], axis=1))[:, -1]
    else:
        logits = model(source, np.concatenate([np.full((len(source), 1), model.start_id), said], axis=1))[:, -1]
    logits = np.array(logits, "float64")
    logits[:, [model.pad_id, model.start_id]] = -np.inf
    return logits


def probabilities_of(model, source, said=(), **rules):
    said = np.array([said], int).reshape(1, -1)
    logits = whole(model, source, said)[0]
    kept = by_definition(logits, **rules)
    return np.array([kept.get(i, 0.0) for i in range(len(logits))])


@pytest.mark.parametrize("rules", [{}, {"temperature": 0.6}, {"top_k": 4}, {"top_p": 0.8}, {"min_p": 0.15}])
@pytest.mark.parametrize("make", [shared, translator])
def test_tokens_come_as_often_as_they_are_probable(make, rules):
    model, prompt = make(), PROMPTS[1:2] if make is shared else SOURCE[1:2]
    said = sampled(model, np.repeat(prompt, 5000, axis=0), max_length=2, seed=11, **rules)
    first = probabilities_of(model, prompt, **rules)
    assert_as_probable(np.bincount(said[:, 0], minlength=len(first)), first)
    wrong = probabilities_of(model, prompt, temperature=0.8)
    statistic, limit = chi_square(np.bincount(said[:, 0], minlength=len(wrong)), wrong)
    assert statistic > 3 * limit  # a wrong temperature is noticed
    for token in [i for i in np.argsort(-first)[:2] if i != model.end_id and first[i] > 0.1]:
        following = said[said[:, 0] == token, 1]
        second = probabilities_of(model, prompt, [token], **rules)
        assert_as_probable(np.bincount(following, minlength=len(second)), second)


# All of it, against the definition


def sampled_by_definition(model, source, max_length=6, seed=3, repetition_penalty=1.0, stop_ids=(), **rules):
    """Ask the whole model again and again, and apply the rules row by row."""
    chances, said = pointers(seed, 0, len(source), max_length), np.zeros((len(source), 0), int)
    for step in range(max_length):
        logits, column = whole(model, source, said), []
        for row, before in enumerate(said):
            text = {*before, *(source[row] if isinstance(model, LanguageModel) else ())}
            if {model.end_id, *stop_ids} & set(before):
                column.append(model.pad_id)
                continue
            for i in text:
                logits[row, i] *= 1 / repetition_penalty if logits[row, i] > 0 else repetition_penalty
            kept = by_definition(logits[row], **rules)
            place = np.searchsorted(np.cumsum([*kept.values()]), chances[row, step], side="right")
            column.append([*kept][place])
        said = np.concatenate([said, np.array(column)[:, None]], axis=1)
    return said


@pytest.mark.parametrize("rules", EACH_RULE, ids=str)
@pytest.mark.parametrize("make", [shared, translator])
def test_samples_are_those_of_the_whole_model_asked_again_and_again(make, rules):
    model, source = make(), PROMPTS if make is shared else SOURCE
    expected = sampled_by_definition(model, source, **rules)
    assert len(np.unique(expected)) > 3  # not one word again and again
    np.testing.assert_array_equal(sampled(model, source, **rules), expected)


@pytest.mark.parametrize("make", [shared, translator])
def test_temperature_0_is_greedy_search(make):
    model, source = make(), PROMPTS if make is shared else SOURCE
    expected = greedy_search(model, source, 6, jit_compile=False)
    for rules in ({"temperature": 0}, {"top_k": 1}, {"top_p": 1e-9}, {"min_p": 1.0}, {"temperature": 0, "top_k": 3}):
        np.testing.assert_array_equal(sampled(model, source, **rules), expected)


def test_of_equal_logits_temperature_0_takes_the_lowest():
    model = LanguageModel(1, 8, 2, 8, 9, tie_embeddings=False)
    model.build()
    model.embed.reverse_embeddings.assign(tf.zeros((8, 9)))
    np.testing.assert_array_equal(sampled(model, [[1, 5]], temperature=0), [[2, 0, 0, 0, 0, 0]])  # 2 ends the text
    np.testing.assert_array_equal(sampled(model, [[1, 5]], top_k=1), [[2, 0, 0, 0, 0, 0]])


@pytest.mark.parametrize(("make", "rules"), [(shared, {}), (shared, EVERY_RULE), (translator, EVERY_RULE)])
def test_xla_and_streams_say_the_same(make, rules):
    model, source = make(), PROMPTS if make is shared else SOURCE
    expected = sampled(model, source, **rules)
    np.testing.assert_array_equal(sampled(model, source, jit_compile=True, **rules), expected)
    for jit_compile in (False, True):
        found = streamed(model, source, jit_compile=jit_compile, **rules)
        np.testing.assert_array_equal(found, expected[:, : found.shape[1]])
        assert not np.any(expected[:, found.shape[1] :])


@pytest.mark.parametrize("policy", ["float64", "mixed_float16", "mixed_bfloat16"])
def test_every_precision_is_sampled(policy):
    model = shaken(dtype=policy)
    np.testing.assert_array_equal(sampled(model, PROMPTS)[:, 0], sampled(shared(), PROMPTS)[:, 0])


# Rows


def test_a_row_alone_or_with_more_padding_or_in_a_piece_of_the_batch_is_the_same():
    for model, source, pad in ((shared(), PROMPTS, (2, 0)), (translator(), SOURCE, (0, 2))):
        expected = sampled(model, source)
        for i, row in enumerate(source):
            for alone in (row, np.pad(row, pad)):
                np.testing.assert_array_equal(sampled(model, [alone], first_row=i), expected[[i]])
        np.testing.assert_array_equal(sampled(model, source[1:], first_row=1), expected[1:])
        assert np.any(sampled(model, source[1:]) != expected[1:])


def test_more_tokens_begin_with_fewer_and_rows_of_one_prompt_differ():
    np.testing.assert_array_equal(sampled(shared(), PROMPTS, 9)[:, :6], sampled(shared(), PROMPTS))
    assert len(np.unique(sampled(shared(), PROMPTS[[1] * 8]), axis=0)) > 5  # short ones are alike


def test_the_seed_decides_and_none_follows_keras():
    assert np.any(sampled(shared(), PROMPTS, seed=4) != sampled(shared(), PROMPTS))
    np.testing.assert_array_equal(sampled(shared(), PROMPTS, seed=2**70), sampled(shared(), PROMPTS, seed=2**70))
    seen = []
    for _ in range(2):
        keras.utils.set_random_seed(8)
        seen.append([sampled(shared(), PROMPTS, seed=None) for _ in range(2)])
    np.testing.assert_array_equal(*seen)
    assert np.any(seen[0][0] != seen[0][1])


# Where texts end


@pytest.mark.parametrize("rules", [{}, {"repetition_penalty": 1.5}])
def test_texts_end_at_the_end_id_and_at_stop_ids(rules):
    model, many = shared(), np.repeat(PROMPTS[1:2], 40, axis=0)
    b, a = np.argsort(np.bincount(sampled(model, many, 8, **rules)[:, 0], minlength=13))[-2:].tolist()  # said often
    for stop_ids in ((), (a, b), [a, a], {a, b}, np.array([b])):
        ends = {model.end_id, *map(int, stop_ids)}
        said = sampled(model, many, 8, stop_ids=stop_ids, **rules)
        assert ends <= set(said.ravel())
        for row in said.tolist():
            first = min((row.index(end) for end in ends if end in row), default=8)
            assert not any(row[first + 1 :])
            assert all(row[: first + 1])


def test_a_model_without_an_end_goes_on():
    model = shared(end_id=None)
    said = sampled(model, np.repeat(PROMPTS, 20, axis=0), 8)
    assert 2 in said
    assert np.all(said > 1)  # neither padding nor the start id
    assert np.all(greedy_search(model, PROMPTS, 8, jit_compile=False) > 1)


def test_a_stream_hands_over_each_token_and_ends_with_the_last_text():
    model = shared()
    ends = [7, 9, 5, 12, 2]
    expected = sampled(model, PROMPTS, 30, stop_ids=ends)
    length = int(np.max(np.argmin(np.pad(expected, [(0, 0), (0, 1)]) != 0, axis=1)))
    assert 1 < length < 30
    tokens = stream(model, PROMPTS, 30, stop_ids=ends, seed=3, jit_compile=False)
    first = next(tokens)
    assert first.dtype == tf.int32
    assert first.shape == (3,)
    np.testing.assert_array_equal(np.stack([first, *tokens], axis=1), expected[:, :length])


def test_a_stream_is_checked_when_it_is_made():
    with pytest.raises(ValueError, match=r"temperature=-1"):
        stream(shared(), PROMPTS, 4, temperature=-1)


def test_two_streams_do_not_disturb_each_other():
    one, two = (stream(shared(), PROMPTS, 6, seed=seed, jit_compile=False) for seed in (3, 4))
    found = list(zip(one, two, strict=False))
    for i, seed in enumerate((3, 4)):
        said = np.stack([pair[i] for pair in found], axis=1)
        np.testing.assert_array_equal(said, sampled(shared(), PROMPTS, seed=seed)[:, : said.shape[1]])


# Prompts and graphs


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 128])
@pytest.mark.parametrize("length", [1, 2, 6, 7])
def test_prompts_are_read_in_chunks_of_any_size(chunk, length, monkeypatch):
    monkeypatch.setattr(steps, "CHUNK", chunk)
    model, ids = shared(), np.random.default_rng(0).integers(3, 13, (2, length)).astype("int32")
    ids[0, : length // 2] = 0
    cache = steps.prepare(model, tf.constant(ids), max_length=3)[0]
    assert 0 <= int(cache["0"].length) - (length - 1) <= max(1, length - 2)  # padding in front
    np.testing.assert_array_equal(np.sum(~cache["0"].blocked.numpy(), axis=1), np.sum(ids[:, :-1] != 0, axis=1))
    logits, _ = steps.step(model, tf.constant(ids[:, -1:]), tf.constant(0), cache)
    close(logits[:, 0], model(ids)[:, -1], 1e-5)


@pytest.mark.parametrize("jit_compile", [False, True])
def test_a_long_prompt_is_read_in_several_chunks_in_a_graph(jit_compile):
    model, ids = shared(), np.random.default_rng(0).integers(3, 13, (2, 2 * steps.CHUNK + 9))
    found = greedy_search(model, ids, 2, jit_compile)
    logits = np.asarray(model(ids))[:, -1, 2:]
    np.testing.assert_array_equal(found[:, 0], np.argmax(logits, axis=-1) + 2)


def test_other_numbers_need_no_new_graph_and_other_rules_do():
    model = shaken()
    for options in ({"temperature": 0.7}, {"temperature": 1.9, "seed": 8}, {"stop_ids": [4]}):
        sampled(model, PROMPTS, **options)
        sampled(model, PROMPTS[:1, 1:], **options)
    assert len(vars(model)["_searches"]) == 1
    np.testing.assert_array_equal(sampled(model, PROMPTS, top_p=0.6), sampled(shared(), PROMPTS, top_p=0.6))
    np.testing.assert_array_equal(sampled(model, PROMPTS, top_p=0.3), sampled(shared(), PROMPTS, top_p=0.3))
    assert len(vars(model)["_searches"]) == 2
    sampled(model, PROMPTS, top_p=1)
    sampled(model, PROMPTS, min_p=0, top_k=None, repetition_penalty=1)  # rules that change nothing
    assert len(vars(model)["_searches"]) == 2
    assert len(vars(model)["_searches"]) < graphs.KEPT


def test_changed_weights_are_seen():
    model, before = shaken(), sampled(shared(), PROMPTS)
    np.testing.assert_array_equal(sampled(model, PROMPTS), before)
    model.embed.reverse_embeddings.assign(-model.embed.reverse_embeddings)
    assert np.any(sampled(model, PROMPTS) != before)


def test_a_sampled_model_saves_and_loads(tmp_path):
    model = shaken()
    expected = sampled(model, PROMPTS)
    np.testing.assert_array_equal(sampled(saved_and_loaded(model, tmp_path), PROMPTS), expected)


def test_learned_positions_are_used_to_the_last_one():
    model = shared(positions="learned", max_length=8)
    text = np.array([[0, 0, 1, 7, 5]])
    expected = sampled_by_definition(model, text, 6)
    np.testing.assert_array_equal(sampled(model, text, 6), expected)
    for jit_compile in (False, True):
        with pytest.raises(ValueError, match=r"learned 8 positions.*max_length <= 6 for prompts of 3 tokens"):
            sampled(model, text, 7, jit_compile=jit_compile)

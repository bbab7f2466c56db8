"""Greedy and beam search of a language model: what the whole model says when it is asked again and again."""

import functools

import numpy as np
import pytest
import tensorflow as tf
from samples import saved_and_loaded, shake
from test_generation import same, scored

from clear_attention import AlibiBias, LanguageModel, beam_search, greedy_search

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
PROMPTS = np.array([[0, 0, 1, 7], [1, 5, 6, 5], [0, 3, 9, 9]])
KINDS = {
    "rotary": {},
    "others": {"pad_id": 4, "start_id": 9, "end_id": 0, "num_layers": 2},
    "learned": {"positions": "learned", "max_length": 12},
    "tied": {"tie_embeddings": True},
    "sinusoidal": {"positions": "sinusoidal", "norm_first": False},
    "grouped": {"self_attention": {"num_key_value_heads": 1, "softcap": 4.0, "sink": True}},
    "biased": {"positions": None, "self_attention": {"position_bias": AlibiBias()}},
    "endless": {"end_id": None},
}


def prompts_of(model):
    """Return the prompts with the model's own special ids."""
    return np.select([PROMPTS == 0, PROMPTS == 1], [model.pad_id, model.start_id], PROMPTS)


@functools.cache
def shared(kind="rotary", **options):
    """Return one model for all tests that change nothing about it."""
    sizes = {"num_layers": 1, "d_model": 12, "num_heads": 2, "d_ff": 17, "vocab": 13, "dropout": 0.5}
    model = LanguageModel(**{**sizes, "tie_embeddings": False, **KINDS[kind], **options})
    model.build()
    shake(model, seed=4, scale=0.6)
    if not model.tie_embeddings:  # else it would say one word again and again
        logits = np.asarray(model(np.random.default_rng(0).integers(5, 9, (9, 6))))
        kernel = model.embed.reverse_embeddings
        kernel.assign(kernel * 1.5 / logits.std())
    return model


def chances(model, texts):
    logits = np.array(model(np.array(texts)), "float64")[:, -1]
    logits[:, [model.pad_id, model.start_id]] = -np.inf
    logits -= logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.sum(np.exp(logits), axis=-1, keepdims=True))


def by_definition(model, max_length=6, width=1, length_penalty=0.0):
    """Search without a cache: write out all hypotheses, and keep the best."""
    prompts = prompts_of(model).tolist()
    best = [[((model.start_id,), 0.0)] for _ in prompts]  # `scored` does not count the first token
    for _ in range(max_length):
        texts = [[*p, *said[1:]] for p, beams in zip(prompts, best, strict=True) for said, _ in beams]
        texts = [sorted(text, key=lambda i: i != model.pad_id) for text in texts]  # padding to the left
        following = iter(chances(model, texts))
        for beams in best:
            longer = []
            for (said, total), row in zip(list(beams), following, strict=False):
                if model.end_id is not None and model.end_id in said:
                    longer.append(((*said, model.pad_id), total))
                else:
                    longer += [((*said, word), total + row[word]) for word in np.flatnonzero(np.isfinite(row))]
            beams[:] = sorted(longer, key=lambda beam: -scored(model, beam, length_penalty))[:width]
    scores = [[scored(model, beam, length_penalty) for beam in beams] for beams in best]
    return np.array([[said[1:] for said, _ in beams] for beams in best]), np.array(scores)


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_is_the_whole_model_asked_again_and_again(kind):
    model = shared(kind)
    found = greedy_search(model, prompts_of(model), 6, jit_compile=False)
    np.testing.assert_array_equal(found, by_definition(model)[0][:, 0])


@pytest.mark.parametrize(
    ("kind", "length_penalty"), [("rotary", 0.0), ("others", 2.0), ("learned", 0.6), ("endless", 1)]
)
def test_beams_are_those_of_the_definition(kind, length_penalty):
    model = shared(kind)
    found = beam_search(model, prompts_of(model), 6, 3, length_penalty, jit_compile=False)
    same(found, by_definition(model, 6, 3, length_penalty))
    assert len(np.unique(found.ids)) > 3  # not one word again and again


def test_a_prompt_alone_or_with_more_padding_is_the_same_and_so_is_xla():
    model = shared()
    ids, scores = beam_search(model, PROMPTS, 6, 3, jit_compile=False)
    same(beam_search(model, PROMPTS, 6, 3), (ids, scores))
    for i, row in enumerate(PROMPTS):
        for alone in (row, [0, 0, 0, *row], np.trim_zeros(row)):
            same(beam_search(model, [alone], 6, 3, jit_compile=False), (ids[i : i + 1], scores[i : i + 1]))
            found = greedy_search(model, [alone], 6, jit_compile=False)
            np.testing.assert_array_equal(found, greedy_search(model, PROMPTS, 6, jit_compile=False)[i : i + 1])


def test_padding_in_a_prompt_is_not_seen():
    model = shared()
    found = greedy_search(model, [[1, 0, 5, 0, 0, 6]], 6, jit_compile=False)
    np.testing.assert_array_equal(found, greedy_search(model, [[1, 5, 6]], 6, jit_compile=False))


def test_inside_a_graph():
    model = shared()

    @tf.function(input_signature=[tf.TensorSpec((None, None), tf.int32)])
    def graph(ids):
        return greedy_search(model, ids, 6, False), beam_search(model, ids, 6, jit_compile=False)

    ids, beams = graph(PROMPTS)
    np.testing.assert_array_equal(ids, greedy_search(model, PROMPTS, 6, jit_compile=False))
    same(beams, beam_search(model, PROMPTS, 6, jit_compile=False))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Prompts are padded on the left"):
        graph(PROMPTS[:, ::-1])


@pytest.mark.parametrize("policy", ["float64", "mixed_float16", "mixed_bfloat16"])
def test_every_precision_searches(policy):
    ids, scores = beam_search(shared(dtype=policy), PROMPTS, 4, 2, jit_compile=False)
    assert scores.dtype == ("float64" if policy == "float64" else "float32")
    np.testing.assert_array_equal(ids[:, 0, 0], beam_search(shared(), PROMPTS, 4, 2, jit_compile=False).ids[:, 0, 0])


def test_a_searched_model_saves_and_loads(tmp_path):
    expected = greedy_search(shared(), PROMPTS, 6, jit_compile=False)
    loaded = saved_and_loaded(shared(), tmp_path)
    np.testing.assert_array_equal(greedy_search(loaded, PROMPTS, 6, jit_compile=False), expected)


def test_learned_positions_reach_as_far_as_they_say():
    model = shared("learned")
    assert greedy_search(model, PROMPTS, 9, jit_compile=False).shape == (3, 9)
    for search in (greedy_search, beam_search):
        with pytest.raises(ValueError, match=r"learned 12 positions.*max_length <= 9 for prompts of 4 tokens"):
            search(model, PROMPTS, 10)

"""Sampling: draw each token as the model says how probable it is, all at once or token by token."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import tensorflow as tf

from clear_attention._checks import numbers
from clear_attention._checks.ids import has_one_text, stopping_ids, to_be_drawn
from clear_attention._types import TensorLike
from clear_attention.generation.chances import Rules, candidates, drawn, penalised, pointers
from clear_attention.generation.graphs import IDS, graph_of, kept_graph, ready
from clear_attention.generation.steps import first_tokens, prepare, sayable, step, vocab_of
from clear_attention.language_model import LanguageModel
from clear_attention.transformer import Transformer

DRAWING = [
    tf.TensorSpec((None,), tf.int32),  # the ids that end a text
    tf.TensorSpec((4,), tf.float64),  # the numbers of the rules
]


def sample(
    model: Transformer | LanguageModel,
    ids: TensorLike,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    repetition_penalty: float = 1.0,
    stop_ids: Sequence[int] = (),
    seed: int | None = None,
    jit_compile: bool = True,
    first_row: int = 0,
) -> tf.Tensor:
    r"""Draw each token by chance, as probable as the model says that it is.

    $$ p(y_t) = \operatorname{softmax}(\text{logits}_t / T) $$

    Before a token is drawn its logits go through these rules, in this order, and each sees what the rules before it
    have left:

    1. `repetition_penalty` divides the logits of ids that were said if they are above 0, and multiplies them if not.
    2. `temperature` divides all logits: below 1 the probable becomes more probable.
    3. `top_k` keeps the `top_k` most probable ids.
    4. `top_p` keeps the most probable ids, as few as together reach the probability `top_p`.
    5. `min_p` keeps ids that are at least `min_p` times as probable as the most probable one.

    Of ids that are equally probable at the edge of `top_k` or `top_p` the lowest are kept; `min_p` keeps all of them.
    Sums and products reach a limit if they do to within 1e-6. Padding and the start id are never drawn.

    The same seed draws the same numbers on every machine, compiled or not. Row i of the batch has numbers of its own,
    which depend on the seed and on its number, `first_row` + i: a row alone, with its number as `first_row`, says what
    it says in the batch, up to rounding.

    The whole loop is one compiled graph. It is compiled once for each shape of `ids`, each `max_length` and `top_k`,
    and each choice of rules; other numbers of the same rules need no new graph.

    Args:
        model: a [`LanguageModel`][clear_attention.LanguageModel] or a [`Transformer`][clear_attention.Transformer].
        ids: `(batch, length)`, integers: the prompts of a language model, padded on the left, or the sources of a
            Transformer.
        max_length: how many tokens to generate at most.
        temperature: T, at least 0. At 0 the most probable id is taken, as in greedy search.
        top_k: how many ids are kept, or None for all.
        top_p: which probability the kept ids reach together, in (0, 1], or None.
        min_p: how probable kept ids are, compared with the most probable one, in [0, 1], or None.
        repetition_penalty: above 0; above 1 what was said becomes less probable. What was said is the prompt of a
            language model and what was generated.
        stop_ids: ids after which a text ends, beside the model's `end_id`.
        seed: a non-negative integer; None draws one with Python's `random`, which `keras.utils.set_random_seed` seeds.
        jit_compile: compile with XLA. Without it the first call is quicker and all others are slower.
        first_row: the number of the first row, if the batch is a piece of a larger one.

    Returns:
        `(batch, max_length)`, int32, without the prompt; after an id that ends the text comes padding.

    Raises:
        TypeError: `model` is neither of the two, ids or sizes that are not integers, a number that is none, a call
            inside a `tf.function`.
        ValueError: ids that are not in the vocabulary, a prompt that ends with padding, a number out of its range, more
            tokens than the model has learned positions.

    Examples:
        >>> from clear_attention import LanguageModel, sample
        >>> model = LanguageModel(1, d_model=8, num_heads=2, d_ff=32, vocab=20)
        >>> prompts = [[1, 7, 8], [0, 1, 5]]  # 0 is padding
        >>> sample(model, prompts, max_length=4, temperature=0.8, top_p=0.9, seed=0, jit_compile=False).shape
        TensorShape([2, 4])

    References:
        Holtzman et al. (2020), *The Curious Case of Neural Text Degeneration*, for top_p; Fan et al. (2018),
        *Hierarchical Neural Story Generation*, for top_k; Nguyen et al. (2024), *Turning Up the Heat: Min-p Sampling*;
        Keskar et al. (2019), *CTRL*, section 4.1, for the repetition penalty.
    """
    ids, max_length, rules, stops, numbers_drawn = checked(
        model, ids, max_length, temperature, top_k, top_p, min_p, repetition_penalty, stop_ids, seed, first_row
    )

    def make():
        def run(ids, pointers, stops, numbers):
            return sampled(model, ids, max_length, pointers, stops, rules.with_numbers(numbers))

        return graph_of(run, [IDS, tf.TensorSpec((None, None), tf.float64), *DRAWING], jit_compile)

    graph = kept_graph(model, (max_length, *rules.kind, "sample"), jit_compile, make)
    return graph(ids, tf.constant(numbers_drawn), stops, tf.constant(rules.numbers, tf.float64))


def stream(
    model: Transformer | LanguageModel,
    ids: TensorLike,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    repetition_penalty: float = 1.0,
    stop_ids: Sequence[int] = (),
    seed: int | None = None,
    jit_compile: bool = True,
    first_row: int = 0,
) -> Iterator[tf.Tensor]:
    r"""Draw tokens as [`sample`][clear_attention.sample] does, and hand over each one as soon as it is drawn.

    $$ y_1, y_2, \dots \quad\text{one after the other} $$

    With the same seed the ids are those of `sample`, up to rounding. Reading the prompt and one step are compiled. The
    iterator ends when all texts have ended, or after `max_length` tokens. The arguments are checked at the call, before
    the first token is asked for.

    Args:
        model: a [`LanguageModel`][clear_attention.LanguageModel] or a [`Transformer`][clear_attention.Transformer].
        ids: `(batch, length)`, integers: the prompts of a language model, padded on the left, or the sources of a
            Transformer.
        max_length: how many tokens to generate at most.
        temperature: as in `sample`, like all that follow.
        top_k: how many ids are kept, or None for all.
        top_p: which probability the kept ids reach together, in (0, 1], or None.
        min_p: how probable kept ids are, compared with the most probable one, in [0, 1], or None.
        repetition_penalty: above 0; above 1 what was said becomes less probable.
        stop_ids: ids after which a text ends, beside the model's `end_id`.
        seed: a non-negative integer, or None.
        jit_compile: compile with XLA.
        first_row: the number of the first row, if the batch is a piece of a larger one.

    Returns:
        An iterator of `(batch,)`, int32: the next token of each text, padding for those that have ended.

    Raises:
        TypeError: as `sample`.
        ValueError: as `sample`.

    Examples:
        >>> from clear_attention import LanguageModel, sample, stream
        >>> model = LanguageModel(1, d_model=8, num_heads=2, d_ff=32, vocab=20, end_id=None)
        >>> options = {"max_length": 3, "seed": 5, "jit_compile": False}
        >>> said = [int(token[0]) for token in stream(model, [[1, 7, 8]], **options)]
        >>> said == sample(model, [[1, 7, 8]], **options)[0].numpy().tolist()
        True

    References:
        As for `sample`.
    """
    ids, max_length, rules, stops, numbers_drawn = checked(
        model, ids, max_length, temperature, top_k, top_p, min_p, repetition_penalty, stop_ids, seed, first_row
    )

    def make():
        return two_graphs(model, max_length, rules, jit_compile)

    first, following, form = kept_graph(model, (max_length, *rules.kind, "stream"), jit_compile, make)
    return token_by_token(first, following, form, ids, numbers_drawn, stops, rules.numbers)


def checked(model, ids, max_length, temperature, top_k, top_p, min_p, repetition_penalty, stop_ids, seed, first_row):
    """Return ids, length, rules, the ids that end a text, and a number in [0, 1) for each token."""
    max_length = numbers.length("max_length", max_length)
    ids = to_be_drawn("ids", ready(model, ids, max_length, "ids"))
    temperature = numbers.at_least_zero("temperature", temperature)
    top_k = None if top_k is None else numbers.size("top_k", top_k)
    top_p = None if top_p is None else numbers.probability("top_p", top_p)
    min_p = None if min_p is None else numbers.share("min_p", min_p)
    penalty = numbers.positive("repetition_penalty", repetition_penalty)
    penalty = None if penalty == 1 else penalty
    if temperature:
        rules = Rules(temperature, top_k, None if top_p == 1 else top_p, min_p or None, penalty)
    else:
        rules = Rules(None, None, None, None, penalty)  # no rule forbids the most probable id
    stops = stopping_ids(stop_ids, vocab_of(model))
    stops += [] if model.end_id is None else [model.end_id]
    seed = random.getrandbits(63) if seed is None else numbers.non_negative("seed", seed)
    drawn_numbers = pointers(seed, numbers.non_negative("first_row", first_row), ids.shape[0], max_length)
    return ids, max_length, rules, tf.constant(stops, tf.int32), drawn_numbers


def begin(model, ids, max_length, rules):
    """Return what stays as it is, and what changes with each token."""
    *fixed, pasts = prepare(model, ids, max_length)
    state = {
        "position": tf.constant(0),
        "tokens": first_tokens(model, ids),
        "ended": tf.zeros_like(ids[:, 0], tf.bool),
        "pasts": pasts,
    }
    if rules.repetition_penalty is not None:
        state["said"] = said_before(model, ids)
    return fixed, state


def said_before(model, ids):
    """Tell which ids a prompt holds: bool `(batch, vocab)`. A Transformer's source is in another vocabulary."""
    shape = (tf.shape(ids)[0], vocab_of(model))
    if not has_one_text(model):
        return tf.fill(shape, False)
    rows = tf.broadcast_to(tf.range(shape[0])[:, tf.newaxis], tf.shape(ids))
    return tf.scatter_nd(tf.stack([rows, ids], axis=-1), tf.ones_like(ids), shape) > 0


def advance(model, fixed, state, pointer, stops, rules):
    """Draw one token for each text; return what has changed."""
    logits, pasts = step(model, state["tokens"][:, tf.newaxis], state["position"], *fixed, state["pasts"])
    logits = sayable(model, logits[:, 0])  # (batch, vocab)
    if rules.repetition_penalty is not None:
        logits = penalised(logits, state["said"], rules.repetition_penalty)
    if rules.temperature is None:
        tokens = tf.math.top_k(logits, 1).indices[:, 0]  # of equal ones the lowest, which argmax does not promise
    else:
        probabilities, candidate_ids = candidates(logits, rules)
        tokens = drawn(probabilities, candidate_ids, pointer)
    tokens = tf.where(state["ended"], model.pad_id, tokens)
    following = {
        "position": state["position"] + 1,
        "tokens": tokens,
        "ended": state["ended"] | tf.reduce_any(tokens[:, tf.newaxis] == stops, axis=1),
        "pasts": pasts,
    }
    if rules.repetition_penalty is not None:
        following["said"] = state["said"] | tf.one_hot(tokens, vocab_of(model), True, False)
    return tf.nest.map_structure(lambda new, old: tf.ensure_shape(new, old.shape), following, state)


def sampled(model, ids, max_length, pointers, stops, rules):
    """Run the loop: `(batch, max_length)`."""
    fixed, state = begin(model, ids, max_length, rules)
    said = tf.fill((tf.shape(ids)[0], max_length), model.pad_id)

    def go_on(state, said):
        return (state["position"] < max_length) & ~tf.reduce_all(state["ended"])

    def longer(state, said):
        position = state["position"]
        state = advance(model, fixed, state, pointers[:, position], stops, rules)
        return state, tf.where(tf.range(max_length) == position, state["tokens"][:, tf.newaxis], said)

    _, said = tf.while_loop(go_on, longer, (state, said), parallel_iterations=1)
    return said


def two_graphs(model, max_length, rules, jit_compile):
    """Return a graph that begins and one that goes on by one token, and the form of what lies between them."""
    forms = []

    def first(ids):
        between = begin(model, ids, max_length, rules)
        forms.append(between)
        return tf.nest.flatten(between)

    def following(pointer, stops, numbers, *between):
        fixed, state = tf.nest.pack_sequence_as(forms[0], between)
        return tf.nest.flatten(advance(model, fixed, state, pointer, stops, rules.with_numbers(numbers)))

    first_graph = graph_of(first, [IDS], jit_compile)
    between = [tf.TensorSpec(x.shape, x.dtype) for x in first_graph.outputs]
    form = tf.nest.map_structure(lambda _: 0, forms[0])
    forms[0] = form  # without the tensors of the first graph
    return first_graph, graph_of(following, [tf.TensorSpec((None,), tf.float64), *DRAWING, *between], jit_compile), form


def token_by_token(first_graph, following_graph, form, ids, numbers_drawn, stops, rules):
    rules = tf.constant(rules, tf.float64)
    fixed, state = tf.nest.pack_sequence_as(form, first_graph(ids))
    for pointer in numbers_drawn.T:
        between = tf.nest.flatten((fixed, state))
        state = tf.nest.pack_sequence_as(form[1], following_graph(tf.constant(pointer), stops, rules, *between))
        yield state["tokens"]
        if tf.reduce_all(state["ended"]):
            return

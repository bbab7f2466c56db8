"""Greedy and beam search: say what is most probable, over cached keys and values."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from clear_attention._checks import numbers
from clear_attention._types import TensorLike
from clear_attention.generation.graphs import IDS, graph_of, kept_graph, ready
from clear_attention.generation.steps import first_tokens, log_probabilities, logits_dtype, prepare, step, vocab_of
from clear_attention.language_model import LanguageModel
from clear_attention.transformer import Transformer


class Beams(NamedTuple):
    """Name the two results of beam search, so that `ids, scores = ...` works.

    Attributes:
        ids: `(batch, width, max_length)`, int32, the best hypothesis of each sentence first; padded after the end id.
        scores: `(batch, width)`: logarithm of the probability, divided by the length penalty; -inf where there are
            fewer hypotheses than beams.

    Examples:
        >>> from clear_attention import Transformer, beam_search
        >>> model = Transformer(1, d_model=8, num_heads=2, d_ff=32, source_vocab=20, target_vocab=30)
        >>> beams = beam_search(model, [[5, 6, 7]], max_length=4, width=3, jit_compile=False)
        >>> beams.ids.shape, beams.scores.shape
        (TensorShape([1, 3, 4]), TensorShape([1, 3]))
    """

    ids: tf.Tensor
    scores: tf.Tensor


def greedy_search(
    transformer: Transformer | LanguageModel, source_ids: TensorLike, max_length: int, jit_compile: bool = True
) -> tf.Tensor:
    r"""Take the most probable token at every step.

    $$ y_t = \arg\max_y\, p(y \mid y_{<t}, \text{source}) $$

    A [`Transformer`][clear_attention.Transformer] translates sources. A
    [`LanguageModel`][clear_attention.LanguageModel] goes on with prompts, which are padded on the left so that each of
    them ends with its last token.

    The whole loop is one compiled graph. It is compiled once for each shape of `source_ids` and each `max_length`,
    which takes some seconds; pad the sources to few lengths. Padding and the start id are never chosen, and the others'
    probabilities are those without them. Each token sees all before it: a subclass's `target_mask` is not asked.

    Args:
        transformer: a `Transformer` or a `LanguageModel`.
        source_ids: `(batch, source_length)`, integers: the sources, or the prompts of a language model.
        max_length: how many tokens to generate at most, the end id counted.
        jit_compile: compile with XLA. Without it the first call is quicker and all others are slower.

    Returns:
        `(batch, max_length)`, int32, without the start id and the prompt; after the end id comes padding.

    Raises:
        TypeError: `transformer` is neither of the two, `source_ids` or `max_length` are not integers, `jit_compile` is
            not a bool.
        ValueError: ids that are not in the vocabulary, a length of 0, a prompt that ends with padding, `max_length`
            below 1, more tokens than a language model has learned positions.

    Examples:
        >>> from clear_attention import Transformer, greedy_search
        >>> model = Transformer(1, d_model=8, num_heads=2, d_ff=32, source_vocab=20, target_vocab=30)
        >>> greedy_search(model, [[5, 6, 7]], max_length=4).shape
        TensorShape([1, 4])

    References:
        Shazeer (2019), *Fast Transformer Decoding: One Write-Head is All You Need*, section 2.4, for the cache.
    """
    max_length = numbers.length("max_length", max_length)
    source_ids = ready(transformer, source_ids, max_length)
    return compiled(transformer, max_length, 1, 0.0, jit_compile)(source_ids).ids[:, 0]


def beam_search(
    transformer: Transformer | LanguageModel,
    source_ids: TensorLike,
    max_length: int,
    width: int = 4,
    length_penalty: float = 0.6,
    jit_compile: bool = True,
) -> Beams:
    r"""Keep the `width` best beginnings at every step, and return the best hypotheses.

    $$ \text{score}(y) = \log p(y \mid \text{source}) \Big/ \left(\frac{5 + |y|}{6}\right)^{\alpha} $$

    Hypotheses that have ended keep their place while they are among the best; the length counts the end id. A width of
    1 is greedy search. Compilation is as in [`greedy_search`][clear_attention.greedy_search].

    Args:
        transformer: a `Transformer` or a `LanguageModel`.
        source_ids: `(batch, source_length)`, integers: the sources, or the prompts of a language model.
        max_length: how many tokens to generate at most, the end id counted.
        width: how many hypotheses are kept.
        length_penalty: the exponent $\alpha$, in [0, 10]. At 0 short hypotheses win more often.
        jit_compile: compile with XLA. Without it the first call is quicker and all others are slower.

    Returns:
        [`Beams`][clear_attention.Beams]: ids `(batch, width, max_length)` and scores `(batch, width)`, best first.

    Raises:
        TypeError: `transformer` is neither of the two, `source_ids` or a size are not integers, `length_penalty` is not
            a number, `jit_compile` is not a bool.
        ValueError: ids that are not in the vocabulary, a length of 0, a prompt that ends with padding, a size below 1,
            `length_penalty` outside [0, 10], more tokens than a language model has learned positions.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import Transformer, beam_search, greedy_search
        >>> model = Transformer(1, d_model=8, num_heads=2, d_ff=32, source_vocab=20, target_vocab=30)
        >>> ids, scores = beam_search(model, [[5, 6, 7]], max_length=4, width=1)
        >>> np.array_equal(ids[:, 0], greedy_search(model, [[5, 6, 7]], max_length=4))
        True

    References:
        Wu et al. (2016), *Google's Neural Machine Translation System*, section 7, for the length penalty.
    """
    max_length, width = numbers.length("max_length", max_length), numbers.size("width", width)
    source_ids = ready(transformer, source_ids, max_length)
    alpha = float(numbers.exponent("length_penalty", length_penalty))
    return compiled(transformer, max_length, width, alpha, jit_compile)(source_ids)


def compiled(model, max_length, width, length_penalty, jit_compile):
    """Return the search as one graph."""

    def make():
        def run(ids):
            return search(model, ids, max_length, width, length_penalty)

        return graph_of(run, [IDS], jit_compile)

    return kept_graph(model, (max_length, width, length_penalty, "search"), jit_compile, make)


def search(model, ids, max_length, width, length_penalty):
    """Run the loop of both searches: greedy search is a beam of 1."""
    batch, pad, vocab = tf.shape(ids)[0], model.pad_id, vocab_of(model)
    *fixed, pasts = prepare(model, ids, max_length, width)
    first = tf.concat([tf.zeros((batch, 1)), tf.fill((batch, width - 1), float("-inf"))], axis=1)
    state = {
        "position": tf.constant(0),
        "tokens": tf.repeat(first_tokens(model, ids)[:, tf.newaxis], width, axis=1),
        "ids": tf.fill((batch, width, max_length), pad),
        "totals": tf.cast(first, logits_dtype(model)),  # log-probabilities; at first all are alike
        "lengths": tf.zeros((batch, width), tf.int32),
        "ended": tf.zeros((batch, width), tf.bool),
        "pasts": pasts,
    }

    def go_on(state):
        return (state["position"] < max_length) & ~tf.reduce_all(state["ended"])

    def longer(state):
        logits, pasts = step(model, state["tokens"], state["position"], *fixed, state["pasts"])
        chances = log_probabilities(model, logits)  # (batch, width, vocab)
        stay = tf.where(tf.range(vocab) == pad, 0.0, float("-inf"))
        chances = tf.where(state["ended"][..., tf.newaxis], tf.cast(stay, chances.dtype), chances)
        totals = state["totals"][..., tf.newaxis] + chances
        lengths = state["lengths"] + tf.cast(~state["ended"], tf.int32)
        scores = totals / penalty(lengths, length_penalty, totals.dtype)[..., tf.newaxis]
        best = tf.math.top_k(tf.reshape(scores, (batch, -1)), width).indices  # (batch, width)
        tokens, parents = best % vocab, best // vocab

        def of_parents(x):
            return x if width == 1 else tf.gather(x, parents, batch_dims=1)

        def rows_of_parents(x):
            if width == 1 or x.shape.rank == 0:  # the length of a past
                return x
            return tf.gather(x, tf.reshape(tf.range(batch)[:, tf.newaxis] * width + parents, [-1]))

        following = {
            "position": state["position"] + 1,
            "tokens": tokens,
            "ids": write(of_parents(state["ids"]), tokens, state["position"]),
            "totals": tf.gather(tf.reshape(totals, (batch, -1)), best, batch_dims=1),
            "lengths": of_parents(lengths),
            "ended": of_parents(state["ended"]) | ends(model, tokens),
            "pasts": tf.nest.map_structure(rows_of_parents, pasts),
        }
        return tf.nest.map_structure(lambda new, old: tf.ensure_shape(new, old.shape), following, state)

    (state,) = tf.while_loop(go_on, lambda state: (longer(state),), (state,), parallel_iterations=1)
    impossible = tf.math.is_inf(state["totals"])[..., tf.newaxis]  # more places than hypotheses
    return Beams(
        tf.where(impossible, pad, state["ids"]),
        state["totals"] / penalty(state["lengths"], length_penalty, state["totals"].dtype),
    )


def write(ids, tokens, position):
    """Put tokens `(...,)` at a position of ids `(..., max_length)`."""
    return tf.where(tf.range(ids.shape[-1]) == position, tokens[..., tf.newaxis], ids)


def ends(model, tokens):
    return tf.zeros_like(tokens, tf.bool) if model.end_id is None else tokens == model.end_id


def penalty(lengths, exponent, dtype):
    return ((5 + tf.cast(lengths, dtype)) / 6) ** exponent

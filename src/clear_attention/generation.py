"""Generate a target, one token after the other, over cached keys and values.

A token's keys and values do not change when later tokens come, since no token sees a later one. So each step computes
those of one token, and looks back at the kept ones: its cost grows with the length, not with its square.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import tensorflow as tf

from clear_attention._checks import numbers
from clear_attention._checks.ids import is_model, vocabulary_ids
from clear_attention._checks.options import flag
from clear_attention._types import TensorLike
from clear_attention.transformer import Transformer

KEPT = 8  # graphs of one model
ONE_BY_ONE = threading.Lock()  # threads build a model and trace its graphs, so that none finds half of them
PLAIN = {bool, int, float, str}
UNASKED = {  # attributes that every layer has and that say nothing about what it computes
    *("build", "built", "quantize", "name", "activity_regularizer", "autocast", "supports_jit"),
    *("call_signature_parameters", "compiled", "history", "loss", "optimizer", "steps_per_execution", "stop_training"),
    *("unrolled_steps_per_execution", "train_function", "test_function", "predict_function"),
}


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
    transformer: Transformer, source_ids: TensorLike, max_length: int, jit_compile: bool = True
) -> tf.Tensor:
    r"""Take the most probable token at every step.

    $$ y_t = \arg\max_y\, p(y \mid y_{<t}, \text{source}) $$

    The whole loop is one compiled graph. It is compiled once for each shape of `source_ids` and each `max_length`,
    which takes some seconds; pad the sources to few lengths. Padding and the start id are never chosen, and the others'
    probabilities are those without them. Each token sees all before it: a subclass's `target_mask` is not asked.

    Args:
        transformer: a [`Transformer`][clear_attention.Transformer].
        source_ids: `(batch, source_length)`, integers.
        max_length: how many tokens to generate at most, the end id counted.
        jit_compile: compile with XLA. Without it the first call is quicker and all others are slower.

    Returns:
        `(batch, max_length)`, int32, without the start id; after the end id comes padding.

    Raises:
        TypeError: `transformer` is not one, `source_ids` or `max_length` are not integers, `jit_compile` is not a bool.
        ValueError: ids that are not in the vocabulary, a length of 0, `max_length` below 1.

    Examples:
        >>> from clear_attention import Transformer, greedy_search
        >>> model = Transformer(1, d_model=8, num_heads=2, d_ff=32, source_vocab=20, target_vocab=30)
        >>> greedy_search(model, [[5, 6, 7]], max_length=4).shape
        TensorShape([1, 4])

    References:
        Shazeer (2019), *Fast Transformer Decoding: One Write-Head is All You Need*, section 2.4, for the cache.
    """
    source_ids = ready(transformer, source_ids)
    max_length = numbers.length("max_length", max_length)
    return compiled(transformer, max_length, 1, 0.0, jit_compile)(source_ids).ids[:, 0]


def beam_search(
    transformer: Transformer,
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
        transformer: a [`Transformer`][clear_attention.Transformer].
        source_ids: `(batch, source_length)`, integers.
        max_length: how many tokens to generate at most, the end id counted.
        width: how many hypotheses are kept.
        length_penalty: the exponent $\alpha$, in [0, 10]. At 0 short hypotheses win more often.
        jit_compile: compile with XLA. Without it the first call is quicker and all others are slower.

    Returns:
        [`Beams`][clear_attention.Beams]: ids `(batch, width, max_length)` and scores `(batch, width)`, best first.

    Raises:
        TypeError: `transformer` is not one, `source_ids` or a size are not integers, `length_penalty` is not a number,
            `jit_compile` is not a bool.
        ValueError: ids that are not in the vocabulary, a length of 0, a size below 1, `length_penalty` outside [0, 10].

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
    source_ids = ready(transformer, source_ids)
    max_length, width = numbers.length("max_length", max_length), numbers.size("width", width)
    alpha = float(numbers.exponent("length_penalty", length_penalty))
    return compiled(transformer, max_length, width, alpha, jit_compile)(source_ids)


def ready(transformer, source_ids):
    is_model(transformer)
    with ONE_BY_ONE:
        if not transformer.built:
            transformer.build()
    source_ids = vocabulary_ids("source_ids", source_ids, transformer.source_vocab)
    return tf.cast(source_ids, tf.int32)


def compiled(transformer, max_length, width, length_penalty, jit_compile):
    """Return the search as one graph; the model keeps it, so that it is traced once and goes when the model goes."""
    flag("jit_compile", jit_compile)
    kept = vars(transformer).setdefault("_searches", {})  # past Keras, which would take a dict for a part of the model
    parts = parts_of(transformer)
    plain = tuple(part if type(part) in PLAIN else id(part) for part in parts)
    key = (max_length, width, length_penalty, bool(jit_compile), plain)
    with ONE_BY_ONE:
        if key not in kept:
            # as long as the parts are kept, nothing else gets their addresses
            kept[key] = graph_of(transformer, *key[:4]), parts
            while len(kept) > KEPT:
                del kept[next(iter(kept))]
        kept[key] = kept.pop(key)  # the last one used goes last
        return kept[key][0]


def graph_of(transformer, max_length, width, length_penalty, jit_compile):
    def run(source_ids):
        return search(transformer, source_ids, max_length, width, length_penalty)

    graph = tf.function(run, [tf.TensorSpec((None, None), tf.int32)], autograph=False, jit_compile=jit_compile)
    return graph.get_concrete_function()  # a tf.function would warn when many models are searched


def parts_of(transformer):
    """Return what a graph takes from a model for good: its variables, not their values, and its layers' attributes.

    LoRA and quantisation bring other variables; a special id, a dtype policy or an activation is an attribute.
    """
    layers = transformer._flatten_layers()
    attributes = [
        value
        for layer in layers
        for name, value in vars(layer).items()
        if name[0] != "_" and name not in UNASKED  # of some thousand, at every call
    ]
    listed = [item for value in attributes if isinstance(value, (list, tuple)) for item in value]
    return [*transformer.variables, *(layer.dtype_policy.name for layer in layers), *attributes, *listed]


def prepare(transformer, source_ids, max_length, width=1):
    """Encode once; return the context, its mask, and for every decoder layer what it keeps of the context and an empty
    past."""
    context = transformer.encode(source_ids, training=False).output
    layers, rows = transformer.decoder.layers, tf.shape(source_ids)[0] * width
    contexts = [layer.cross_attention.create_cache(context) for layer in layers]
    pasts = [layer.self_attention.create_cache(rows, max_length) for layer in layers]
    return context, transformer.source_mask(source_ids), contexts, pasts


def step(transformer, tokens, position, context, source_mask, contexts, pasts):
    """Return the logits `(batch, width, target_vocab)` that follow `tokens` `(batch, width)`, and the longer pasts."""
    batch, width = tf.shape(tokens)[0], tokens.shape[1]
    x = transformer.embed_target(tokens) * transformer.d_model**0.5  # (batch, width, d_model)
    x = transformer.target_positions(x, positions=tf.fill([width], position), training=False)
    longer = []
    for layer, kept, past in zip(transformer.decoder.layers, contexts, pasts, strict=True):
        x = tf.reshape(x, (-1, 1, transformer.d_model))  # a hypothesis sees its own past only
        x, past = layer.self_attention(x, cache=past, training=False)
        x = tf.reshape(x, (batch, width, transformer.d_model))  # and all of them one context
        x, _ = layer.cross_attention(x, context, mask=source_mask, cache=kept, training=False)
        x = layer.feed_forward(x, training=False)
        longer.append(past)
    return transformer.to_logits(transformer.decoder.final_norm(x)), longer


def log_probabilities(transformer, logits):
    """Forbid what is never said: padding and the start id."""
    ids = tf.range(transformer.target_vocab)
    never = (ids == transformer.pad_id) | (ids == transformer.start_id)
    return tf.nn.log_softmax(tf.where(never, tf.constant(float("-inf"), logits.dtype), logits))


def write(ids, tokens, position):
    """Put tokens `(...,)` at a position of ids `(..., max_length)`."""
    return tf.where(tf.range(ids.shape[-1]) == position, tokens[..., tf.newaxis], ids)


def search(transformer, source_ids, max_length, width, length_penalty):
    """Run the loop of both searches: greedy search is a beam of 1."""
    batch, pad = tf.shape(source_ids)[0], transformer.pad_id
    context, source_mask, contexts, pasts = prepare(transformer, source_ids, max_length, width)
    first = tf.concat([tf.zeros((batch, 1)), tf.fill((batch, width - 1), float("-inf"))], axis=1)
    state = {
        "position": tf.constant(0),
        "tokens": tf.fill((batch, width), transformer.start_id),
        "ids": tf.fill((batch, width, max_length), pad),
        "totals": tf.cast(first, transformer.project_logits.compute_dtype),  # log-probabilities; at first all are alike
        "lengths": tf.zeros((batch, width), tf.int32),
        "ended": tf.zeros((batch, width), tf.bool),
        "pasts": pasts,
    }

    def go_on(state):
        return (state["position"] < max_length) & ~tf.reduce_all(state["ended"])

    def longer(state):
        logits, pasts = step(
            transformer, state["tokens"], state["position"], context, source_mask, contexts, state["pasts"]
        )
        chances = log_probabilities(transformer, logits)  # (batch, width, target_vocab)
        stay = tf.where(tf.range(transformer.target_vocab) == pad, 0.0, float("-inf"))
        chances = tf.where(state["ended"][..., tf.newaxis], tf.cast(stay, chances.dtype), chances)
        totals = state["totals"][..., tf.newaxis] + chances
        lengths = state["lengths"] + tf.cast(~state["ended"], tf.int32)
        scores = totals / penalty(lengths, length_penalty, totals.dtype)[..., tf.newaxis]
        best = tf.math.top_k(tf.reshape(scores, (batch, -1)), width).indices  # (batch, width)
        tokens, parents = best % transformer.target_vocab, best // transformer.target_vocab

        def of_parents(x):
            return x if width == 1 else tf.gather(x, parents, batch_dims=1)

        def rows_of_parents(x):
            if width == 1 or x.shape.rank == 0:  # the length of a past
                return x
            return tf.reshape(of_parents(tf.reshape(x, (batch, width, *x.shape[1:]))), tf.shape(x))

        following = {
            "position": state["position"] + 1,
            "tokens": tokens,
            "ids": write(of_parents(state["ids"]), tokens, state["position"]),
            "totals": tf.gather(tf.reshape(totals, (batch, -1)), best, batch_dims=1),
            "lengths": of_parents(lengths),
            "ended": of_parents(state["ended"]) | (tokens == transformer.end_id),
            "pasts": tf.nest.map_structure(rows_of_parents, pasts),
        }
        return tf.nest.map_structure(lambda new, old: tf.ensure_shape(new, old.shape), following, state)

    (state,) = tf.while_loop(go_on, lambda state: (longer(state),), (state,), parallel_iterations=1)
    impossible = tf.math.is_inf(state["totals"])[..., tf.newaxis]  # more places than hypotheses
    ids = tf.where(impossible, pad, state["ids"])
    return Beams(ids, state["totals"] / penalty(state["lengths"], length_penalty, state["totals"].dtype))


def penalty(lengths, exponent, dtype):
    return ((5 + tf.cast(lengths, dtype)) / 6) ** exponent

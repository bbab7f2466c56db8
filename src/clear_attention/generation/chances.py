"""Which ids may be drawn, and drawing one of them: rules that lower or forbid, and a pointer that is thrown.

The order is: repetition penalty, temperature, top_k, top_p, min_p. Each rule sees what those before it have left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf

SLACK = 1e-6  # sums of float32 probabilities reach a limit only about


class Rules(NamedTuple):
    """Hold the numbers of all rules; None for a rule that changes nothing."""

    temperature: float | tf.Tensor | None  # None takes the most probable
    top_k: int | None
    top_p: float | tf.Tensor | None
    min_p: float | tf.Tensor | None
    repetition_penalty: float | tf.Tensor | None

    @property
    def numbers(self) -> list[float]:
        """What a graph is called with: it is made for rules, not for their numbers, except for top_k."""
        return [0.0 if x is None else float(x) for x in (self.temperature, *self[2:])]

    @property
    def kind(self) -> tuple:
        return (self.top_k, *(x is None for x in self))

    def with_numbers(self, numbers: tf.Tensor) -> Rules:
        """Return the same rules, their numbers taken from a tensor of a graph."""
        temperature, *others = tf.unstack(numbers)
        new = (temperature, self.top_k, *others)
        return Rules._make([None if old is None else x for old, x in zip(self, new, strict=True)])


def penalised(logits, said, penalty):
    """Make what was said already less probable: lower its logits, whose sign decides how."""
    penalty = tf.cast(penalty, logits.dtype)
    return tf.where(said, tf.where(logits > 0, logits / penalty, logits * penalty), logits)


def candidates(logits, rules):
    """Return the probabilities of the ids that are left, and these ids, both `(batch, number)`.

    Where top_k or top_p ask who is how probable, the most probable comes first, of equal ones the lowest; elsewhere the
    ids come in their order, since sorting a large vocabulary takes longer than all else. What top_p and min_p forbid
    has probability 0.
    """
    vocab = logits.shape[-1]
    if rules.top_k is None and rules.top_p is None:
        ids = tf.broadcast_to(tf.range(vocab), tf.shape(logits))
    else:
        logits, ids = tf.math.top_k(logits, vocab if rules.top_k is None else min(rules.top_k, vocab))
    logits = tf.cast(logits, tf.float64)
    scores = logits - tf.reduce_max(logits, axis=-1, keepdims=True)  # 0 at most, so that nothing overflows
    scores /= rules.temperature
    kept = tf.ones_like(scores, tf.bool)
    if rules.top_p is not None:
        before = tf.cumsum(tf.nn.softmax(scores), axis=-1, exclusive=True)
        kept &= (before < rules.top_p - SLACK) | (tf.range(scores.shape[-1]) == 0)
    if rules.min_p is not None:
        kept &= scores >= tf.math.log(tf.cast(rules.min_p, tf.float64)) - SLACK
    return tf.nn.softmax(tf.where(kept, scores, tf.constant(-np.inf, tf.float64))), ids


def drawn(probabilities, ids, pointer):
    """Return the ids that pointers in [0, 1) hit on lines where each id is as long as it is probable."""
    ends = tf.cumsum(probabilities, axis=-1)
    place = tf.reduce_sum(tf.cast(ends <= pointer[:, tf.newaxis] * ends[:, -1:], tf.int32), axis=-1)
    return tf.gather(ids, place, batch_dims=1)


def pointers(seed, first_row, rows, length):
    """Return numbers in [0, 1), `(rows, length)` in float64: those of a row depend on the seed and on its number only.

    NumPy promises that these bits stay the same in all its versions.
    """
    bits = [np.random.PCG64([seed, first_row + row]).random_raw(length) for row in range(rows)]
    return (np.array(bits, np.uint64).reshape(rows, length) >> np.uint64(11)) * 2.0**-53

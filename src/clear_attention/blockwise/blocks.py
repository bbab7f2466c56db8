"""How the queries are cut into blocks, which keys are hidden from one, and what its weights are."""

from __future__ import annotations

import math
from typing import NamedTuple

import tensorflow as tf

from clear_attention._xla import in_xla
from clear_attention.attention import grouped_matmul, with_sink
from clear_attention.biases import DistanceBias, on_diagonals
from clear_attention.blockwise.groups import cuts_of, room, written
from clear_attention.blockwise.keys import Keys, is_zero

LENGTHS = 48  # of rows of keys: for each length that it meets, oneDNN compiles and keeps kernels of their own
PIECE = 8  # keys: shorter pieces of rows would take longer to overwrite one by one than whole rows to copy


class Hiding(NamedTuple):
    """Say which keys are hidden, none of it as large as the scores unless the mask is."""

    blocked: tf.Tensor | None = None
    causal: bool = False
    window: int | None = None
    first_keys: int = 0
    documents: tf.Tensor | None = None  # (batch, 1, ..., key_length): each place's document

    @property
    def by_places(self):
        return self.causal or self.window is not None

    @property
    def by_order_alone(self):
        return self.causal and self.window is None and self.blocked is None and self.documents is None

    @property
    def tensors(self):
        return self.blocked, self.documents

    def reach(self, keys, size):
        """Return how many of so many keys a block may see at most, as far as that is known beforehand."""
        if not isinstance(self.window, int) or not isinstance(self.first_keys, int) or in_xla():
            return keys
        return min(keys, size + (self.window - 1) * (1 if self.causal else 2) + self.first_keys)


class Scored(NamedTuple):
    """What a block computes of its scores, and needs again on the way back."""

    weights: tf.Tensor
    sees_nothing: tf.Tensor | None  # (..., size, 1), where the weights are useless
    to_sink: tf.Tensor | None  # (..., size, 1), the weight of the sink
    slope: tf.Tensor | None  # of the soft cap, as the scores


class QueryBlocks(NamedTuple):
    """Say how the queries are cut into blocks, and which keys a block sees."""

    queries: tf.Tensor  # query_length
    keys: tf.Tensor  # key_length
    size: tf.Tensor  # queries in a block
    number: tf.Tensor  # of blocks
    hiding: Hiding
    softcap: float | None
    skips: bool
    may_be_empty: bool

    @classmethod
    def of(cls, q, k, hiding, softcap, has_sink, size):
        queries, keys = (x.shape[-2] or tf.shape(x)[-2] for x in (q, k))
        known = isinstance(queries, int) and isinstance(keys, int)
        size = max(1, min(size, queries)) if isinstance(queries, int) else tf.maximum(1, tf.minimum(size, queries))
        sees_itself = hiding.blocked is None and hiding.window is None and known and keys >= queries
        number = -(-queries // size)  # one of padding where there are no queries
        number = max(1, number) if isinstance(number, int) else tf.maximum(1, number)
        if hiding.blocked is not None:
            hiding = hiding._replace(blocked=with_axes(whole_blocks(hiding.blocked, number * size), q.shape.rank))
        return cls(queries, keys, size, number, hiding, softcap, not in_xla(), not (sees_itself or has_sink))

    def hiding_with(self, blocked, documents):
        return self._replace(hiding=self.hiding._replace(blocked=blocked, documents=documents))

    def cuts(self, q, k, v, *given):
        """Cut the heads into groups, if all sizes are known; that of the first axis, which is the batch, may be not."""
        known = all(x.shape[1:].is_fully_defined() for x in (q, k, v))
        known = known and all(x is None or x.shape.is_fully_defined() for x in given)
        if not known or 0 in q.shape or q.shape.rank < 3:
            return []
        return cuts_of(q, k, self.size * self.hiding.reach(self.keys, self.size) * q.dtype.size)

    @property
    def known_size(self):
        return self.size if isinstance(self.size, int) else None

    def padded(self, x):
        """Lengthen the axis of queries to whole blocks."""
        more = self.number * self.size - self.queries
        return tf.pad(x, [[0, 0]] * (x.shape.rank - 2) + [[0, more], [0, 0]])

    def cut(self, x, i):
        """Take block i of queries out of a padded tensor."""
        size = tf.concat([tf.shape(x)[:-2], [self.size, tf.shape(x)[-1]]], axis=0)
        begin = tf.concat([tf.zeros(x.shape.rank - 2, tf.int32), [i * self.size, 0]], axis=0)
        return tf.ensure_shape(tf.slice(x, begin, size), [*x.shape[:-2], self.known_size, x.shape[-1]])

    def rows(self, x, i):
        """Take the rows of block i; a single row is for all."""
        if x.shape[-2] is not None:
            return x if x.shape[-2] == 1 else self.cut(x, i)
        one = tf.shape(x)[-2] == 1
        begin = tf.concat([tf.zeros(x.shape.rank - 2, tf.int32), [tf.where(one, 0, i * self.size), 0]], axis=0)
        size = tf.concat([tf.shape(x)[:-2], [tf.where(one, 1, self.size), tf.shape(x)[-1]]], axis=0)
        return tf.slice(x, begin, size)

    def places(self, i):
        """Return where the queries of block i stand among the keys; those of padding stand nowhere behind them."""
        return i * self.size + tf.range(self.size) + self.keys - self.queries

    def seen(self, i):
        """Return the keys that somebody in block i sees, as far as that is known without the mask."""
        hiding, first, last, ahead = self.hiding, 0, self.keys, 0
        if not self.skips:
            return Keys(0, first, last)
        if hiding.by_places:
            place = i * self.size + self.keys - self.queries  # of the block's first query among the keys
            if hiding.window is not None:
                first = tf.clip_by_value(place - hiding.window + 1, 0, self.keys - 1)
                ahead = 0 if hiding.causal else hiding.window - 1
            else:  # some blocks after each other read as many keys as the last of them
                ahead = (self.run - 1 - i % self.run) * self.size
            last = tf.clip_by_value(place + self.size + ahead, first + 1, self.keys)
        few = 0 if hiding.window is None else hiding.first_keys
        if hiding.documents is not None:
            first, last = self.of_documents(i, 0 if few else first, last)
            few = 0
        if not is_zero(few):
            few = tf.minimum(few, self.keys - 1)
            first = tf.maximum(first, few)
            last = tf.maximum(last, first + 1)
        return Keys(few, first, last)

    def of_documents(self, i, first, last):
        """Narrow a range of keys to those of the documents that are in block i."""
        same = self.same_document(i, self.hiding.documents)
        same = tf.reduce_any(same, axis=list(range(same.shape.rank - 1)))
        places = tf.where(same)[:, 0]
        lowest, highest = (tf.cast(f(places), tf.int32) for f in (tf.reduce_min, tf.reduce_max))
        first = tf.clip_by_value(tf.maximum(first, lowest), 0, last - 1)
        return first, tf.clip_by_value(tf.minimum(last, highest + 1), first + 1, self.keys)

    def same_document(self, i, documents):
        """Tell which of the keys' documents are those of the queries of block i: `(batch, ..., size, keys)`."""
        places = tf.clip_by_value(self.places(i), 0, self.keys - 1)
        mine = tf.gather(self.hiding.documents, places, axis=-1)  # (batch, 1, ..., size)
        return mine[..., tf.newaxis] == documents[..., tf.newaxis, :]

    def hidden(self, i, keys):
        """Tell which of these keys are hidden from block i: `(..., size, keys)`, or None if none are."""
        hiding = self.hiding
        hidden = None if hiding.blocked is None else keys.columns(self.rows(hiding.blocked, i))
        if hiding.by_places:
            ahead = keys.places - self.places(i)[:, tf.newaxis]  # (size, keys)
            far = tf.zeros_like(ahead, tf.bool)
            if hiding.window is not None:
                far = (ahead <= -hiding.window) | (ahead >= hiding.window)
                far = far & (keys.places >= hiding.first_keys) if hiding.first_keys else far
            far = far | (ahead > 0) if hiding.causal else far
            hidden = far if hidden is None else hidden | far
        if hiding.documents is not None:
            others = ~self.same_document(i, keys.columns(hiding.documents))
            hidden = others if hidden is None else hidden | others
        return hidden

    def bias(self, bias, i, keys):
        """Return what is added to the scores of block i."""
        if not isinstance(bias, DistanceBias):
            return keys.columns(self.rows(bias, i))
        if not is_zero(keys.few):
            return keys.columns(self.bias(bias, i, Keys(0, 0, self.keys)))
        values, number = bias.values, self.size + keys.last - keys.first - 1
        begin = tf.concat([tf.zeros(values.shape.rank - 1, tf.int32), [self.begin(i, keys)]], axis=0)
        taken = tf.slice(values, begin, tf.concat([tf.shape(values)[:-1], [number]], axis=0))
        return on_diagonals(tf.ensure_shape(taken, [*values.shape[:-1], None]), self.size)

    def begin(self, i, keys):
        """Return which number of a bias by distance belongs to a block's last query and its first key."""
        return (self.number - 1 - i) * self.size + keys.first

    def scored(self, q, k, bias, sink, i, keys):
        """Return the weights `(..., size, keys)` of block i."""
        scores, slope = grouped_matmul(q, k, transpose_b=True), None
        if self.softcap is not None:
            bent = tf.tanh(scores / self.softcap)
            scores, slope = self.softcap * bent, 1 - bent * bent
        if bias is not None:
            scores += self.bias(bias, i, keys)
        scores, sees_nothing = self.without_hidden(scores, i, keys)
        if sink is None:
            return Scored(tf.nn.softmax(scores), sees_nothing, None, slope)
        weights = tf.nn.softmax(with_sink(scores, None, self.rows(sink, i))[0])
        return Scored(weights[..., :-1], None, weights[..., -1:], slope)

    def without_hidden(self, scores, i, keys):
        """Fill the scores of hidden keys, and tell which queries see none."""
        if self.softcap is None and self.piece >= PIECE:
            return self.without_later(scores, i, keys), None
        hidden = self.hidden(i, keys)
        if hidden is None:
            return scores, None
        sees_nothing, fill = None, tf.constant(float("-inf"), scores.dtype)
        if self.may_be_empty:
            sees_nothing = tf.reduce_all(hidden, axis=-1, keepdims=True)  # (..., size, 1)
            fill = tf.where(sees_nothing, tf.constant(0, scores.dtype), fill)
        return tf.where(hidden, fill, scores), sees_nothing

    @property
    def run(self):
        """Return how many blocks of a causal order read as many keys as the last of them."""
        return -(-self.number // LENGTHS)

    @property
    def piece(self):
        """Return a length that divides every row of scores, or 0 where more is hidden than later keys."""
        known = all(isinstance(n, int) for n in (self.queries, self.keys, self.size))
        if not (known and self.skips and self.hiding.by_order_alone and self.keys >= self.queries):
            return 0
        return math.gcd(self.size, self.keys, self.queries)

    def without_later(self, scores, i, keys):
        """Overwrite the scores of later keys. They are all at the end of the rows; the rest of a row stays."""
        end, in_a_row = min(self.run * self.size, self.keys), keys.last // self.piece  # keys; pieces
        later = self.hidden(i, Keys(0, keys.last - end, keys.last))  # (size, end)
        ends = tf.where(later, tf.constant(float("-inf"), scores.dtype), scores[..., -end:])
        rows = tf.range(1, tf.size(scores) // keys.last + 1)[:, tf.newaxis]
        places = rows * in_a_row - tf.range(end // self.piece, 0, -1)  # (rows, pieces at the end of one)
        parts, ends = (tf.reshape(x, [-1, self.piece]) for x in (scores, ends))
        parts = written(parts, tf.reshape(places, [-1]), ends)
        return tf.ensure_shape(tf.reshape(parts, tf.shape(scores)), scores.shape)

    def whole(self, x):
        return whole_blocks(x, self.number * self.size)

    def whole_distances(self, values):
        """Add distances for the queries of padding, which stand behind all others."""
        more = self.number * self.size - self.queries
        return tf.pad(values, [[0, 0]] * (values.shape.rank - 1) + [[more, 0]])

    def results(self, leading, depth, dtype):
        """Return room for what is computed of each block, `(*leading, size, depth)`."""
        return room(self.number, [*leading, self.known_size, depth], dtype)

    def joined(self, results, leading, depth):
        """Join what was computed of each block: `(*leading, query_length, depth)`, as far as these are known."""
        results = results.stack()  # (number, *leading, size, depth)
        rank = len(leading) + 2
        results = tf.transpose(results, [*range(1, rank - 1), 0, rank - 1, rank])  # (*leading, number, size, depth)
        sizes = tf.shape(results)
        shape = tf.concat([sizes[: rank - 2], [self.number * self.size], sizes[-1:]], axis=0)
        known = self.queries if isinstance(self.queries, int) else None
        results = tf.reshape(results, shape)[..., : self.queries, :]
        return tf.ensure_shape(results, [*leading, known, depth])

    def repeat(self, step, *start):
        """Take a step for each block, one after the other, so that one block at a time is held."""
        once = {"parallel_iterations": 1, "maximum_iterations": self.number}
        _, *results = tf.while_loop(lambda i, *_: i < self.number, step, (0, *start), **once)
        return results


def with_axes(x, rank):
    """Give a bias or a sink all axes; None stays None."""
    while x is not None and x.shape.rank < rank:
        x = x[tf.newaxis]
    return x


def whole_blocks(mask, length):
    """Lengthen a mask's axis of queries, once; an axis of length 1 is for all."""
    while mask.shape.rank < 2:
        mask = mask[tf.newaxis]
    if mask.shape[-2] == 1:
        return mask
    rows = tf.shape(mask)[-2]
    more = length - rows if mask.shape[-2] else tf.where(rows == 1, 0, length - rows)
    return tf.pad(mask, [[0, 0]] * (mask.shape.rank - 2) + [[0, more], [0, 0]])

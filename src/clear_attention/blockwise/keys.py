"""Which keys a block of queries reads: to take them out of all, and to put what is found of them back among all."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf


class Keys(NamedTuple):
    """The keys that a block reads: the first few of all, and those from `first` to before `last`."""

    few: int | tf.Tensor
    first: int | tf.Tensor
    last: int | tf.Tensor

    @property
    def places(self):
        places = tf.range(self.first, self.last)
        return places if is_zero(self.few) else tf.concat([tf.range(self.few), places], axis=0)

    def taken(self, x):
        """Take these keys out of `(..., key_length, depth)`."""
        if x.shape[:-2].num_elements() == 1:  # a single head: rows of the first axis, and so without a copy
            rows = tf.reshape(x, tf.shape(x)[-2:])[self.first : self.last]
            taken = tf.reshape(rows, tf.concat([tf.shape(x)[:-2], tf.shape(rows)], axis=0))
            taken = tf.ensure_shape(taken, [*x.shape[:-2], None, x.shape[-1]])
        else:
            taken = x[..., self.first : self.last, :]
        return taken if is_zero(self.few) else tf.concat([x[..., : self.few, :], taken], axis=-2)

    def columns(self, x):
        """Take the columns of these keys out of a tensor; a single one is for all."""
        if x.shape[-1] == 1:
            return x
        number = tf.shape(x)[-1]
        if not is_zero(self.few):
            return tf.gather(x, tf.minimum(self.places, number - 1), axis=-1)
        if x.shape[-1] is None:
            return x[..., tf.where(number == 1, 0, self.first) : tf.where(number == 1, 1, self.last)]
        return x[..., self.first : self.last]

    def spread(self, part, keys):
        """Put columns `(..., keys)` where they belong among all columns, with 0 elsewhere."""
        axes = [[0, 0]] * (part.shape.rank - 1)
        if is_zero(self.few):
            return tf.pad(part, [*axes, [self.first, keys - self.last]])
        later = tf.pad(part[..., self.few :], [*axes, [self.first - self.few, keys - self.last]])
        return tf.concat([part[..., : self.few], later], axis=-1)

    def added(self, total, part):
        """Add to all keys `(..., key_length, depth)` what a block says about those it reads."""
        if is_zero(self.few) and is_zero(self.first) and total.shape[-2] == part.shape[-2] is not None:
            return total + part
        few = self.few
        pieces = [] if is_zero(few) else [total[..., :few, :] + part[..., :few, :]]
        pieces += [] if is_zero(self.first) else [total[..., few : self.first, :]]
        pieces += [total[..., self.first : self.last, :] + part[..., few:, :], total[..., self.last :, :]]
        return tf.ensure_shape(tf.concat(pieces, axis=-2), total.shape)


def is_zero(number):
    return isinstance(number, int) and number == 0

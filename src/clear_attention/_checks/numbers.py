"""What must be one number: sizes, counts, rates."""

from __future__ import annotations

import operator

import numpy as np
import tensorflow as tf

from clear_attention._checks.sentence import refusal, shown
from clear_attention._checks.tensors import shape_of

LONGEST = 2**31 - 1
FARTHEST = 2**30  # keys: no window has to be wider


def size(name, value, minimum=1):
    """Return a size, which is an integer of at least `minimum`."""
    kind = {0: "a non-negative integer", 1: "a positive integer"}.get(minimum, f"an integer of at least {minimum}")
    return at_least(name, value, minimum, f"{name} is a size, so it must be {kind}.")


def known_size(name, value):
    """Return a size that may not be a tensor of a graph, since the graph is made by it."""
    value = size(name, value)
    if tf.is_tensor(value):
        law = f"{name} decides how the graph is made, so it must be known when it is traced."
        raise TypeError(refusal(law, f"a Python integer {name}", f"a tensor of dtype {value.dtype.name} in a graph"))
    return value


def length(name, value):
    """Return the length of an axis, as an int32 tensor if it is one of a graph."""
    value = size(name, value)
    if tf.is_tensor(value):
        return tf.cast(value, tf.int32)
    if value > LONGEST:
        law = "An axis is numbered in 32 bits."
        raise ValueError(refusal(law, f"an integer {name} <= {LONGEST}", f"{name}={value}"))
    return value


def within(value, limit):
    """Return a size as it is, or the limit, above which it makes no difference: so no large number wraps around."""
    if not tf.is_tensor(value) and not tf.is_tensor(limit):
        return min(value, limit)
    return tf.cast(tf.minimum(tf.cast(value, tf.int64), tf.cast(limit, tf.int64)), tf.int32)


def non_negative(name, value):
    """Return an integer of at least 0 that is no size, such as an id or a seed."""
    return at_least(name, value, 0, f"{name} is a non-negative integer.")


def at_least(name, value, minimum, law):
    expected = f"an integer {name} >= {minimum}"
    value = integer(name, value, law, expected)
    if not tf.is_tensor(value) and value < minimum:
        raise ValueError(refusal(law, expected, f"{name}={value}"))
    return value


def integer(name, value, law=None, expected=None):
    """Return a Python integer, or the scalar integer tensor of a graph, whose value can't be read."""
    law = law or f"{name} must be one integer."
    expected = expected or f"an integer {name}"
    if tf.is_tensor(value):
        if not value.dtype.is_integer or value.shape.rank not in (0, None):
            raise TypeError(refusal(law, expected, f"a tensor of dtype {value.dtype.name} and shape {shape_of(value)}"))
        if not hasattr(value, "numpy"):
            return value
        value = value.numpy()
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, (bool, np.bool_)):
        raise TypeError(refusal(law, expected, f"{name}={shown(value, with_type=True)}"))
    return number


def at_most(name, value, limit_name, limit):
    if not tf.is_tensor(value) and not tf.is_tensor(limit) and value > limit:
        law = f"{name} can't be larger than {limit_name}."
        raise ValueError(refusal(law, f"{name} <= {limit}", f"{name}={value}, {limit_name}={limit}"))


def divisor(name, value, whole_name, whole, when=""):
    """Return a size that divides another one."""
    value = size(name, value)
    if whole is not None and whole % value:
        law = f"{name} must divide {whole_name}{when}, so that each head gets the same number of channels."
        choices = ", ".join(str(n) for n in range(1, whole + 1) if whole % n == 0)
        received = f"{name}={value}, {whole_name}{'=' if whole_name.isidentifier() else ' is '}{whole}"
        raise ValueError(refusal(law, f"{name} among {choices}", received))
    return value


def shared_heads(value, num_heads):
    """Return the number of heads of keys: as many as of queries, or fewer that serve equally many each."""
    if value is None:
        return num_heads
    value = size("num_key_value_heads", value)
    if num_heads % value:
        law = "Each head of keys and values serves equally many heads of queries."
        choices = ", ".join(str(n) for n in range(1, num_heads + 1) if num_heads % n == 0)
        received = f"num_key_value_heads={value}, num_heads={num_heads}"
        raise ValueError(refusal(law, f"num_key_value_heads among {choices}", received))
    return value


def beside_a_window(first_keys, window):
    """Return how many first keys stay visible beside a window."""
    first_keys = size("first_keys", first_keys, minimum=0)
    if window is None and not tf.is_tensor(first_keys) and first_keys:
        law = "first_keys stay visible beside a window; without a window every key is."
        raise ValueError(refusal(law, "a window, or first_keys=0", f"first_keys={first_keys}, window=None"))
    return within(first_keys, FARTHEST)


def rate(name, value):
    law = f"{name} is the share that is dropped in training."
    return number(name, value, law, f"{name} in [0, 1)", lambda x: 0 <= x < 1)


def positive(name, value):
    return number(name, value, f"{name} is a finite number above 0.", f"{name} > 0", lambda x: x > 0)


def above(name, value, limit):
    return number(name, value, f"{name} is a finite number above {limit}.", f"{name} > {limit}", lambda x: x > limit)


def at_least_one(name, value):
    return number(name, value, f"{name} is a finite number of at least 1.", f"{name} >= 1", lambda x: x >= 1)


def at_least_zero(name, value):
    return number(name, value, f"{name} is a finite number of at least 0.", f"{name} >= 0", lambda x: x >= 0)


def probability(name, value):
    law = f"{name} is the probability that is reached."
    return number(name, value, law, f"{name} in (0, 1]", lambda x: 0 < x <= 1)


def share(name, value):
    law = f"{name} is a share of the highest probability."
    return number(name, value, law, f"{name} in [0, 1]", lambda x: 0 <= x <= 1)


def exponent(name, value):
    law = f"{name} is an exponent of lengths, which must not overflow."
    return number(name, value, law, f"{name} in [0, 10]", lambda x: 0 <= x <= 10)


def number(name, value, law, expected, fits):
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(refusal(law, expected, f"{name}={shown(value, with_type=True)}"))
    if not np.isfinite(value) or not fits(float(value)):
        raise ValueError(refusal(law, expected, f"{name}={value}"))
    return float(value)

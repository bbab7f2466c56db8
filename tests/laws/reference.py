r"""Masked attention in extended precision, and how far arithmetic with unit roundoff u may end up from it.

A case passes by a bound that is derived from the arithmetic, not by a tolerance that somebody picked. With
gamma(n) = n u / (1 - n u) and H = Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition (2002):

* score: a dot product of d terms, in any order, with or without FMA, is off by gamma(d) sum |q||k| at most (H, section
  3.1). Rounding sqrt(d), or its reciprocal, and multiplying by it are 3 more (H, lemma 3.1).
* exp: the maximum is exact, its subtraction off by u |s - max|. An error b in an exponent is a factor e^b (Blanchard,
  Higham and Higham, Accurately computing the log-sum-exp and softmax functions, IMA J. Numer. Anal. 41 (2021),
  2311-2330, section 4). exp and the reciprocal are off by 2 ulp at most (Eigen, MathFunctionsImpl.h); a test holds it.
* weights: if all exponents are off by b_i at most, a weight is off by a factor of e^b_j sum_i w_i e^b_i at most, up or
  down, since (sum w e^-b)(sum w e^b) >= 1 (Cauchy and Schwarz). All terms of the sum are positive, so that summing,
  inverting and multiplying add gamma(n + 4) (H, section 4.2).
* soft cap: dividing is off by u |s|, tanh is nowhere steeper than 1, and itself off by 6 ulp at most; a test holds it.
  bias: one more rounding. sink: one more key in the sum, whose score is exact.
* output and gradients: products of these, each sum again with its own gamma (H, section 3.1).

n counts the visible keys only: adding 0 is exact. So a query without a key has the bound 0. Numbers below the smallest
normal one may be flushed to 0 on the way, which `tiny` allows for. The reference makes the same errors with the u of
long double, so that is added to u.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
import tensorflow as tf

LONG = np.longdouble
UNIT = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}  # rounding to nearest
TINY = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022}
TF32 = bool(tf.config.list_physical_devices("GPU")) and tf.config.experimental.tensor_float_32_execution_enabled()
PRODUCT = UNIT | ({"float32": 2.0**-10} if TF32 else {})  # two factors rounded to 10 bits of fraction
FUNCTION = 4  # exp and the reciprocal, in units of u: 2 ulp


class Within(NamedTuple):
    """A value, and how far from it one may be."""

    value: np.ndarray
    error: np.ndarray


def long(x):
    x = np.asarray(x)
    return (x if x.dtype.kind == "f" else x.astype(np.float64)).astype(LONG)  # bfloat16 goes by float64


def off(found, exact):
    """Tell by how many bounds each number is off: 0 is exact, above 1 is wrong."""
    distance = np.abs(long(found) - exact.value)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(distance == 0, 0, np.where(np.isnan(distance), np.inf, distance / exact.error))


def assert_within(found, exact, name=""):
    assert np.shape(found) == exact.value.shape, f"{name}: shape {np.shape(found)}, not {exact.value.shape}"
    parts = off(found, exact)
    if parts.size and parts.max() > 1:
        worst = np.unravel_index(parts.argmax(), parts.shape)
        raise AssertionError(
            f"{name}{list(map(int, worst))} is off by {parts.max():.3g} bounds: "
            f"{long(found)[worst]}, not {exact.value[worst]} +- {exact.error[worst]:.3g}"
        )


def rounded(exact, dtype):
    """Allow for rounding to a narrower type."""
    return Within(exact.value, exact.error + UNIT[dtype] * (np.abs(exact.value) + exact.error) + TINY[dtype])


class Reference:
    """Masked attention of one case, computed from what is visible only, with what it is allowed to be off by."""

    def __init__(self, q, k, v, visible, dtype):
        self.u = PRODUCT[dtype] + float(np.finfo(LONG).eps)
        self.tiny = 4 * TINY[dtype]
        self.visible = visible  # (..., query_length, key_length)
        seen = visible[..., np.newaxis]
        self.q = np.where(seen, long(q)[..., :, np.newaxis, :], 0)  # (..., query_length, key_length, d_k)
        self.k = np.where(seen, long(k)[..., np.newaxis, :, :], 0)  # (..., query_length, key_length, d_k)
        self.v = np.where(seen, long(v)[..., np.newaxis, :, :], 0)  # (..., query_length, key_length, d_v)
        self.scale = 1 / np.sqrt(LONG(q.shape[-1]))
        self.keys = visible.sum(axis=-1, keepdims=True)  # that each query sees
        self.queries = visible.sum(axis=-2)[..., np.newaxis]  # that see each key

    def gamma(self, n):
        return n * self.u / (1 - n * self.u)

    def slack(self, *tensors):
        """What sums over the last axis may lose below the smallest normal number."""
        return self.tiny * sum(1 + np.abs(x).sum(axis=-1) for x in tensors) * self.visible

    @cached_property
    def scores(self):
        d_k = self.q.shape[-1]
        error = self.gamma(d_k + 3) * (np.abs(self.q) * np.abs(self.k)).sum(axis=-1) * self.scale
        return Within((self.q * self.k).sum(axis=-1) * self.scale, error + d_k * self.slack(self.q, self.k))

    @cached_property
    def weights(self):
        scores, error = self.scores
        value = softmax(scores, self.visible)
        highest = np.where(self.visible, scores + error, -np.inf).max(axis=-1, keepdims=True)
        distance = np.where(self.visible, highest - (scores - error), 0)  # to the highest of the rounded scores
        exponents = error + self.u * distance + self.gamma(FUNCTION) + self.tiny
        others = (value * np.expm1(exponents)).sum(axis=-1, keepdims=True)
        relative = np.expm1(exponents + np.log1p(others) + np.log1p(self.gamma(self.keys + FUNCTION)))
        return Within(value, np.where(self.visible, value * relative + self.tiny * (self.keys + FUNCTION), 0))

    @cached_property
    def output(self):
        weights, error = (x[..., np.newaxis] for x in self.weights)
        size = np.abs(self.v)
        rounding = self.gamma(self.keys) * ((weights + error) * size).sum(axis=-2)
        flushed = self.tiny * (self.visible[..., np.newaxis] * (1 + size)).sum(axis=-2)
        return Within((weights * self.v).sum(axis=-2), (error * size).sum(axis=-2) + rounding + flushed)

    def results(self):
        return {"output": self.output, "weights": self.weights}

    def gradients(self, upstream):
        """Return the gradients of sum(upstream * output) by the closed form."""
        g = np.where(self.visible[..., np.newaxis], long(upstream)[..., :, np.newaxis, :], 0)
        ds = self.scores_gradient(g)
        weights, error = (x[..., np.newaxis] for x in self.weights)
        return {
            "dq": self.total(ds, self.k, -2, self.keys),
            "dk": self.total(ds, self.q, -3, self.queries),
            "dv": self.summed(weights * g, error * np.abs(g), weights + error, g, -3, self.queries),
        }

    def scores_gradient(self, g):
        """ds = weights * (dw - sum(weights * dw)) with dw = upstream . v; blockwise the sum is upstream . output."""
        weights, error = self.weights
        largest = weights + error
        dw = (g * self.v).sum(axis=-1)
        size = (np.abs(g) * np.abs(self.v)).sum(axis=-1)
        d_v, slack = g.shape[-1], g.shape[-1] * self.slack(g, self.v)
        mean = (weights * dw).sum(axis=-1, keepdims=True)
        mean_size = (largest * size).sum(axis=-1, keepdims=True)
        mean_error = (error * size + largest * slack).sum(axis=-1, keepdims=True)
        mean_error = mean_error + self.gamma(self.keys + d_v + 1) * mean_size + self.tiny * self.keys
        inner = self.gamma(d_v) * size + slack + mean_error
        whole = size + mean_size + inner
        bound = error * whole + largest * inner + self.gamma(2) * largest * whole + self.tiny
        return Within(weights * (dw - mean), np.where(self.visible, bound, 0))

    def total(self, ds, x, axis, number):
        value, error = (part[..., np.newaxis] * self.scale for part in ds)
        return self.summed(value * x, error * np.abs(x), np.abs(value) + error, x, axis, number + 3)

    def summed(self, terms, errors, factor, x, axis, number):
        rounding = self.gamma(number) * (factor * np.abs(x)).sum(axis=axis)
        flushed = self.tiny * (self.visible[..., np.newaxis] * (1 + np.abs(x))).sum(axis=axis)
        return Within(terms.sum(axis=axis), errors.sum(axis=axis) + rounding + flushed)


def softmax(scores, visible):
    """Make weights of the visible scores; a row without any gets zeros."""
    highest = np.where(visible, scores, -np.inf).max(axis=-1, keepdims=True)
    powers = np.where(visible, np.exp(np.where(visible, scores - np.where(np.isinf(highest), 0, highest), 0)), 0)
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


TANH = 12  # tanh, in units of u: 6 ulp, where Eigen's rational function says 4; a test holds it


class WithRules(Reference):
    """The same with what else goes into the scores: a soft cap, then a bias, and a sink as one more key."""

    def __init__(self, q, k, v, visible, dtype, bias=None, softcap=None, sink=None):
        super().__init__(q, k, v, visible, dtype)
        self.bias, self.softcap, self.sink = bias, softcap, sink

    @cached_property
    def scores(self):
        """tanh is nowhere steeper than 1, so it passes on no more than the error that it gets."""
        value, error = super().scores
        if self.softcap is not None:
            cap = LONG(self.softcap)
            bent = cap * np.tanh(value / cap)
            error = error + self.gamma(2) * np.abs(value) + self.gamma(TANH + 1) * np.abs(bent) + cap * self.tiny
            value = bent
        if self.bias is not None:
            value = value + np.where(self.visible, long(self.bias), 0)
            error = error + self.gamma(1) * (np.abs(value) + error)
        return Within(value, error)

    @cached_property
    def weights(self):
        if self.sink is None:
            return super().weights
        one = (*self.visible.shape[:-1], 1)
        wider = GivenScores(np.concatenate([self.visible, np.ones(one, bool)], axis=-1), self.u, self.tiny)
        sinks = np.broadcast_to(long(self.sink), one)
        value, error = self.scores
        wider.scores = Within(np.concatenate([value, sinks], axis=-1), np.concatenate([error, np.zeros(one)], axis=-1))
        value, error = wider.weights
        return Within(value[..., :-1], error[..., :-1])


class GivenScores(Reference):
    """Weights of scores that are given."""

    scores = None

    def __init__(self, visible, u, tiny):
        self.visible, self.u, self.tiny = visible, u, tiny
        self.keys = visible.sum(axis=-1, keepdims=True)

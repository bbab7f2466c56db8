"""Inputs that a layer is tried with, and what changes when one of its keys changes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np

from clear_attention.masks.findings import future


@dataclass(frozen=True, eq=False)  # a case is a key of what was measured with it
class Case:
    """Tensors by name, and who may not see whom: `blocked` is the truth, the rest is how the layer is told.

    All masks are bool with True where something is blocked: `mask` and `blocked` `(batch, query_length, key_length)`,
    `padding` `(batch, key_length)`. A layer with one answer for each sentence has one query in `blocked`.
    """

    tensors: dict
    blocked: np.ndarray
    mask: np.ndarray
    padding: np.ndarray
    causal: bool = False

    @property
    def shape(self):
        return self.blocked.shape

    @property
    def padded(self):
        """Which keys no query may see, `(batch, key_length)`."""
        return self.blocked.all(axis=1)

    def having(self, **tensors):
        """Return the same case with other tensors."""
        return replace(self, tensors={**self.tensors, **tensors})


def case_sizes(subject, hidden=""):
    """Yield `(batch, query_length, key_length)` from small to large, so that the first failure is the smallest.

    Where a layer hides the future by itself there are as many queries as keys: for others see the row `alignment`.
    """
    by_itself = subject.causal or (hidden == "future" and "mask" not in subject.names)
    for number, length in enumerate(subject.lengths):
        rows = min(length, 3 if length == 3 else 2) if number or len(subject.lengths) == 1 else 1
        if subject.crosses and not by_itself:
            yield rows, length - 1, length
        yield rows, length, length


def case(subject, size, hidden=""):
    """Make a case, once: `hidden` says what the layer is told to hide, "future", "padding" or nothing."""
    key = size, hidden, subject.pooled
    if key not in subject.cases:
        subject.cases[key] = make_case(subject, size, hidden)
    return subject.cases[key]


def make_case(subject, size, hidden):
    batch, queries, keys = size
    rng = np.random.default_rng([subject.seed, *size])
    tensors = {name: numbers(subject, name, rng, size) for name in subject.tensor_names}
    mask = np.zeros(size, bool)
    padding = np.zeros((batch, keys), bool)
    causal = False
    if "future" in hidden:
        if "mask" in subject.names:
            mask |= future(queries, keys)
        causal = "causal" in subject.names and "mask" not in subject.names
    if "padding" in hidden:
        padded = padded_keys(batch, keys, subject.padded_last)
        if "padding" in subject.names:
            padding |= padded
        elif "mask" in subject.names:
            mask |= padded[:, None]
        else:
            tensors["ids"] = np.where(padded, subject.pad_id, tensors["ids"])
    else:
        padded = padding
    return Case(tensors, truth(subject, mask | padded[:, None], causal), mask, padding, causal)


def truth(subject, told, causal=False):
    """Add what the layer hides by itself to what it is told."""
    _, queries, keys = told.shape
    blocked = told | future(queries, keys) if causal or subject.causal else told
    if subject.window:
        blocked = blocked | (np.abs(np.arange(queries)[:, None] + keys - queries - np.arange(keys)) >= subject.window)
    return blocked.all(axis=1, keepdims=True) if subject.pooled else blocked


def padded_keys(batch, keys, last):
    """Pad the end of even sentences and the start of odd ones, or the end of all if it is the last, never all of it."""
    padded = np.zeros((batch, keys), bool)
    for row in range(batch):
        count = min(1 + row // 2, keys - 1)
        at_the_start = row % 2 and not last
        padded[row, :count] = at_the_start
        padded[row, keys - count :] = not at_the_start
    return padded


def numbers(subject, name, rng, size):
    batch, queries, keys = size
    length = keys if name in ("k", "v") else queries
    if name == "ids":
        return rng.choice(words(subject), (batch, length)).astype("int32")
    if name == "position_ids":
        return np.tile(np.arange(length, dtype="int32"), (batch, 1))
    if name == "segment_ids":
        return np.zeros((batch, length), "int32")
    return rng.normal(size=(batch, length, subject.depth)).round(1).astype("float32")


def words(subject):
    return np.array([i for i in range(subject.vocab) if i != subject.pad_id])


def changed_key(subject, case, row, j, rng, amount):
    """Return the case with other content in key j of one sentence."""
    tensors = {}
    for name in subject.content:
        x = case.tensors[name].copy()
        token = x[row, j]
        if name != "ids":
            x[row, j] += (amount * (1 + np.abs(rng.normal(size=token.shape)))).round(1).astype("float32")
        elif token != subject.pad_id:
            x[row, j] = rng.choice([word for word in words(subject) if word != token])
        tensors[name] = x
    return case.having(**tensors)


def influence(subject, case):
    """Measure by perturbation how much each output changes with each key of its sentence.

    Of the numbers `(batch, query_length, key_length)` 0 is no change at all, and above 1 is more than rounding.
    """
    if case in subject.measured:
        return subject.measured[case]
    rng = np.random.default_rng([subject.seed, 7])
    before = subject.run(case)
    found = np.zeros(case.shape)
    scale = subject.tolerance(before)  # so that 1 is a change that counts
    for row, j, amount in itertools.product(range(case.shape[0]), range(case.shape[2]), (1, 30)):
        after = subject.run(changed_key(subject, case, row, j, rng, amount))
        found[row, :, j] = np.maximum(found[row, :, j], difference(before[row], after[row]).max(axis=-1) / scale)
    subject.measured[case] = found
    return found


def difference(a, b):
    """Subtract, with NaN equal to NaN and to nothing else."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(a - b)
    return np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.where(np.isfinite(gap), gap, np.inf))


def own_place(subject, case):
    """Mark what says nothing about attention: where queries are keys, a token always changes its own output."""
    same = np.zeros(case.shape, bool)
    if not (subject.crosses or subject.pooled):
        same |= np.eye(case.shape[1], case.shape[2], dtype=bool)
    return same


def real_queries(subject, case):
    """Mark the outputs that count: where queries are keys, those of padding do not."""
    if subject.crosses or subject.pooled:
        return np.ones(case.shape[:2], bool)
    return ~case.padded  # (batch, query_length)

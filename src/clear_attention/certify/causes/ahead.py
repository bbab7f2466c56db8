"""Causes about the look-ahead mask: missing, off by one, in the wrong corner."""

from __future__ import annotations

import numpy as np

from clear_attention.certify import framework
from clear_attention.certify.case import Case, case, difference, influence, make_case
from clear_attention.certify.causes import tools
from clear_attention.certify.causes.tools import masked, padded
from clear_attention.certify.own_token import cases_of_two, tells_places_apart


def own_token_hidden(subject):
    if subject.pooled or not subject.can_hide_the_future:
        return None
    given = tools.future_case(subject)
    length = given.shape[1]
    strict = np.tri(length, k=-1, dtype=bool)
    output = subject.run(given)[0]
    if subject.crosses:
        if not np.isfinite(output).all():
            return None
        return "query i notices keys 0 to i - 1, and never key i" if tools.agrees(subject, given, strict) else False
    if not np.isfinite(output[0]).all() and np.isfinite(output[1:]).all():
        return "only the first query gives NaN: it has no key left"
    if not np.isfinite(output).all():
        return False
    found = tools.sees(subject, given)[1:]
    if not (found == strict[1:])[:, :][tools.off_diagonal(subject, given)[1:]].all():
        return False
    first = tools.sees(subject, given)[0, 1:]
    if first.all():
        return "only the first query sees later keys, all of them: it has no key left and gets their mean"
    if first.any() or tells_places_apart(subject):
        return False
    for draw in range(4):
        with_one, with_two, without = (subject.run(x)[0, -1] for x in cases_of_two(subject, draw))
        atol = subject.tolerance(with_one)
        if difference(with_one, with_two).max() > atol or difference(with_one, without).max() <= 10 * atol:
            return False
    return "the last of (a, b) gets what the last of (a, a, b) gets: b is not among its keys"


def look_ahead_off_by_one(subject):
    if subject.pooled or not subject.can_hide_the_future:
        return None
    given = tools.future_case(subject)
    length = given.shape[1]
    for ahead in range(1, length - 2):
        expected = np.tri(length, k=ahead, dtype=bool)
        if tools.agrees(subject, given, expected):
            which = "one later key" if ahead == 1 else f"{ahead} later keys"
            alike = tools.averages(subject, given, expected)
            return f"each query notices {which}, and no more" if alike else alike
    return False


def nothing_hidden(subject):
    """Tell whether no mask changes anything, though hidden keys are noticed."""
    if not {"mask", "padding"} & set(subject.names):
        return None
    given = masked(subject) if "mask" in subject.names else padded(subject)
    told = given.mask[0] | given.padding[0]
    hidden = (told.all(axis=0) if subject.pooled else told) & tools.off_diagonal(subject, given)
    if not (tools.sees(subject, given) & hidden).any():
        return None
    open_to_all = Case(given.tensors, given.blocked & False, given.mask & False, given.padding & False)
    if difference(subject.run(open_to_all), subject.run(given)).max() == 0:
        return "with the mask and without it the outputs are the same, bit by bit"
    return False


def future_not_hidden(subject):
    if subject.pooled or not (subject.causal or "causal" in subject.names):
        return None
    length = tools.length_of(subject)
    given = case(subject, (1, length, length), "" if subject.causal else "future")
    if not tools.sees(subject, given)[tools.off_diagonal(subject, given)].all():
        return False
    with framework.places_alike(subject, given.shape[1]):
        if symmetric(subject, given):
            return "tokens in another order give the same outputs in that order, so no key is later than another"
    return None


def runs_backwards(subject):
    """Tell whether each place sees itself and all that is later, in a layer that hides the past by itself."""
    if subject.pooled or subject.crosses or subject.is_told_of_the_future or not subject.causal:
        return None
    given = tools.future_case(subject)
    if tools.agrees(subject, given, ~np.tri(given.shape[1], k=-1, dtype=bool)):
        return "each place notices all later ones, and none before it"
    return False


def symmetric(subject, given):
    order = np.roll(np.arange(given.shape[1]), 1)
    moved = given.having(**{name: x[:, order] for name, x in given.tensors.items()})
    before = subject.run(given)[:, order]
    return bool(difference(before, subject.run(moved)).max() < 10 * subject.tolerance(before))


def upper_left(subject):
    """Keys are counted from the first query, whatever the numbers of queries and keys are."""
    if not subject.crosses:
        return None
    for queries, keys in ((1, 2), (2, 3), (2, 5)):
        size = (1, queries, keys)
        causal = "causal" in subject.names
        given = make_case(subject, size, "future")
        if causal:
            blocked = ~np.tri(queries, keys, dtype=bool)[None]
            given = Case(given.tensors, blocked, np.zeros(size, bool), given.padding, True)
        if not np.array_equal(influence(subject, given)[0] > 1, np.tri(queries, keys, dtype=bool)):
            return False
    return "with 1 query and 2 keys, 2 and 3, 2 and 5, query i notices keys 0 to i"

"""Causes about the softmax and what is done before and after it."""

from __future__ import annotations

import numpy as np

from clear_attention.certify import framework
from clear_attention.certify.case import case, changed_key, difference, make_case
from clear_attention.certify.causes import tools
from clear_attention.certify.causes.tools import masked, padded_with, padding_can_be_perturbed
from clear_attention.certify.order import of_equal_tokens
from clear_attention.certify.own_token import tells_places_apart


def softmax_over_queries(subject):
    """Another query's input, or another query's mask, changes what a query gets."""
    if subject.pooled:
        return None
    if subject.crosses:
        length = tools.length_of(subject)
        given = case(subject, (1, length, length))
        before = subject.run(given)
        q = given.tensors["q"].copy()
        q[:, 1] += 1
        gap = difference(before, subject.run(given.having(q=q)))[0, 0].max()
        return gap > subject.tolerance(before) and "query 0 changes with query 1, though only keys and values are mixed"
    if "mask" in subject.names:
        given = tools.random_mask_case(subject)
        mask = given.mask.copy()
        mask[0, 1, 3] = not mask[0, 1, 3]
        before = subject.run(given)
        gap = difference(before, subject.run(tools.with_mask(given, mask)))[0].max(axis=-1)
        others = np.arange(len(gap)) != 1
        if (gap[others] > subject.tolerance(before)).any():
            return "the mask of query 1 changes what other queries get"
        return False
    if not subject.any_length:
        return None
    return column_sums(subject) if subject.causal else adds_up(subject)


def adds_up(subject):
    """With nothing hidden, all outputs together are a sum of what each token gives alone, though none of them is."""
    if subject.query == "ids":
        return None
    rng = np.random.default_rng(subject.seed)
    given = make_case(subject, (1, 2, 2), "")
    a, b = (given.tensors["x"][:, i : i + 1] for i in range(2))
    c, d = (rng.normal(size=a.shape).astype("float32") for _ in range(2))
    (ab, cb, ad, cd) = (
        subject.run(given.having(x=np.concatenate(pair, axis=1)))[0] for pair in ((a, b), (c, b), (a, d), (c, d))
    )
    each = ab - cb - ad + cd  # 0 if no token minds another
    atol = 10 * subject.tolerance(ab)
    if np.abs(each).max() > 10 * atol and np.abs(each.sum(axis=0)).max() < atol:
        return "all outputs add up to what the tokens give one by one: each key shares out a weight of 1"
    return False


def column_sums(subject):
    """Of equal tokens, query i of n gets 1/n + 1/(n-1) + ... + 1/(n-i) values if each key shares itself out."""
    sums, found = [], []
    with framework.places_alike(subject, 4):
        for length in (2, 3, 4):
            shares = 1 / (length - np.arange(length))
            sums += [*np.cumsum(shares)]
            found += [*of_equal_tokens(subject, length, "future")]
    outputs, design = np.array(found), np.stack([np.ones(len(sums)), sums], axis=1)
    line, *_ = np.linalg.lstsq(design, outputs, rcond=None)
    atol = 10 * subject.tolerance(outputs)
    if np.abs(line[1]).max() > 10 * atol and np.abs(design @ line - outputs).max() < atol:
        return "of equal tokens the outputs grow as 1/n + 1/(n-1) + ...: each key shares out a weight of 1"
    return False


def mask_after_softmax(subject):
    """Hidden values change nothing, and hidden keys do."""
    if "v" in subject.names:
        return values_hidden_keys_not(subject, masked(subject))
    if subject.pooled or not subject.any_length:
        return None
    with framework.places_alike(subject, 4):
        parts = [*parts_of_a_whole(subject)]
    if not parts:
        return None
    (half, also_half, other) = parts
    atol = 10 * subject.tolerance(half)
    if difference(half, also_half).max() < atol < difference(half, other).max():
        return "of equal tokens a query gets 1/2 where it sees 1 of 2 and where it sees 2 of 4: hidden keys count below"
    return few_directions(subject)


def parts_of_a_whole(subject):
    """Yield outputs of equal tokens: of a query that sees 1 of 2, of one that sees 2 of 4, and of one that sees 1 of 4
    or 2 of 3."""
    if subject.can_hide_the_future:
        two, four = (of_equal_tokens(subject, length, "future") for length in (2, 4))
        yield from (two[0], four[1], four[0])
    elif padding_can_be_perturbed(subject):
        for real, length in ((1, 2), (2, 4), (2, 3)):
            given = case(subject, (1, length, length))
            tensors = {subject.query: np.repeat(given.tensors[subject.query][:, :1], length, axis=1)}
            if length == 2:
                token = tensors[subject.query][:, :1]
            tensors = {subject.query: np.repeat(token, length, axis=1)}
            yield subject.run(padded_with(subject, given.having(**tensors), np.arange(length)[None] >= real))[0, 0]


def few_directions(subject):
    """Only the denominators of the heads are left: an output moves in so many directions, after a norm as well."""
    given = masked(subject)
    query = int(given.blocked[0].sum(axis=-1).argmax())
    found = tools.jacobian_rank(subject, given, query)
    if found is None:
        return None
    rank, most = found
    heads = tools.heads_known(subject, usual=())
    if not tells_places_apart(subject) or not heads:
        return False  # the parts of a whole would have shown it
    if 0 < rank <= max(heads) < most:
        directions = "one direction" if rank == 1 else f"{rank} directions"
        return f"{subject.whom(query)} moves in {directions} of {most} with the keys hidden from it, as many as heads"
    return False


def values_hidden_keys_not(subject, given):
    row, rng = 0, np.random.default_rng(subject.seed)
    before = subject.run(given)
    atol = subject.tolerance(before)
    moved = {"k": 0.0, "v": 0.0}
    for query in range(given.shape[1]):
        for key in np.flatnonzero(given.blocked[0, query]):
            changed = changed_key(subject, given, row, key, rng, 1)
            for name in moved:
                after = subject.run(given.having(**{name: changed.tensors[name]}))
                moved[name] = max(moved[name], difference(before, after)[0, query].max())
    if moved["v"] <= atol < moved["k"]:
        return "hidden keys change an output, and hidden values do not: only the denominator is left of them"
    return False


def cap_after_mask(subject):
    """Where all tokens are equal, the factor by which a hidden key weighs less depends on how large the tokens are.

    What is subtracted from a score is always the same factor. A cap leaves a hidden score where it is, and lets the
    visible ones grow. That the weights of all queries add up to the same shows that there is a softmax.
    """
    if subject.query == "ids":
        return None
    shares = []
    for size in (0.5, 1.0, 2.0):
        found = factors_of_hidden(subject, masked(subject), size)
        if found is None:
            return None
        factors, sums = found
        if max(sums) > 1.05 * min(sums) or any(of_query.max() > 1.05 * of_query.min() for of_query in factors):
            return False
        shares.append([of_query.mean() for of_query in factors])
    spread = np.max(shares, axis=0) / np.min(shares, axis=0)
    query = int(spread.argmax())
    if 1e-6 < np.max(shares) < 1 and spread[query] > 1.2:
        small, _, large = np.array(shares)[:, query]
        return (
            f"of equal keys a hidden one weighs {small:.2g} of a visible one, and {large:.2g} where all numbers are 4 "
            "times as large, as if its score could not fall any lower"
        )
    return False


def factors_of_hidden(subject, given, size=1.0):
    """Return, where all tokens are equal, how much of a visible key's weight each hidden key has, an array for each
    query, and the sum of each query's weights; None if that can't be measured."""
    factors, sums = [], []
    for query in range(given.shape[1]):
        hidden = given.blocked[0, query]
        visible = ~hidden & tools.off_diagonal(subject, given)[query]
        weights = tools.weights_on_equal_tokens(subject, given, query, size)
        if weights is None:
            return None
        if hidden.any() and visible.any():
            one = weights[visible].mean()
            factors.append(weights[hidden] / one)
            sums.append(weights[hidden].sum() + one * (~hidden).sum())
    return (factors, sums) if factors else None


def mask_too_soft(subject):
    """Where all tokens are equal, a hidden key weighs less than a visible one, always by the same factor, and not 0."""
    if subject.query == "ids" and not subject.can_hide_the_future:
        return None
    found = factors_of_hidden(subject, masked(subject))
    if found is None:
        return None
    factors = np.concatenate(found[0])
    if factors.min() > 1e-6 and factors.max() < 0.9 and factors.max() / factors.min() < 1.05:
        weight = factors.mean()
        return f"of equal keys a hidden one weighs {weight:.2g} of a visible one: {-np.log(weight):.2g} is taken off"
    return False

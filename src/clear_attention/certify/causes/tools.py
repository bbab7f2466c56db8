"""What the experiments measure."""

from __future__ import annotations

import numpy as np

from clear_attention.certify import framework
from clear_attention.certify.case import Case, case, difference, influence, own_place, truth

LENGTH = 5


def length_of(subject):
    return LENGTH if subject.any_length else max(subject.lengths)


def future_case(subject, length=None):
    """A case with the future hidden, on as many queries as keys."""
    length = length or length_of(subject)
    return case(subject, (1, length, length), "future")


def random_mask_case(subject):
    """A case with a mask that is no other mask: neither its transpose nor its inverse, nor any with a pattern."""
    length = length_of(subject)
    told = np.zeros((1, length, length), bool)
    if "mask" in subject.names:
        rng = np.random.default_rng(29)
        while True:
            told[0] = rng.random((length, length)) < 0.45
            np.fill_diagonal(told[0], False)
            if all(1 <= n <= length - 2 for n in (*told[0].sum(axis=0), *told[0].sum(axis=1))):
                break
    given = case(subject, told.shape)
    return Case(given.tensors, truth(subject, told), told, given.padding, given.causal)


def with_mask(given, mask):
    return Case(given.tensors, mask, mask, given.padding, given.causal)


def sees(subject, given):
    return influence(subject, given)[0] > 1


def off_diagonal(subject, given):
    return ~own_place(subject, given)[0]


def agrees(subject, given, expected):
    """Tell whether every query notices the keys that it would notice, wherever it has keys left at all."""
    judged = off_diagonal(subject, given) & expected.any(axis=-1)[:, None]
    return bool((sees(subject, given) == expected)[judged].all() and judged.any())


def runs_equal(subject, one, other):
    before = subject.run(one)
    return bool(difference(before, subject.run(other)).max() <= subject.tolerance(before))


def jacobian_rank(subject, given, query):
    """Count the directions in which the output of a query moves with the keys that are hidden from it, and the most
    that there could be."""
    hidden = given.blocked[0, query]
    width = subject.run(given).shape[-1]
    judged = np.zeros((width, *given.shape[:2], width), bool)
    for number in range(width):
        judged[number, 0, query, number] = True
    found = framework.slopes(subject, given, judged)
    if found is None:
        return None
    matrix = found[:, 0, hidden].reshape(width, -1)
    sizes = np.linalg.svd(matrix, compute_uv=False)
    return int((sizes > 1e-3 * sizes[0]).sum()) if sizes[0] > 1e-6 else 0, min(matrix.shape)


def weights_on_equal_tokens(subject, given, query):
    """Measure how much a query's output moves with each key where all tokens are equal: as much as the key weighs.

    Then every value is the average, so that a change of a score changes nothing; what is left is the weight.
    """
    tensors = {n: np.repeat(given.tensors[n][:, :1], given.tensors[n].shape[1], axis=1) for n in subject.content}
    given = given.having(**tensors)
    width = subject.run(given).shape[-1]
    judged = np.zeros((width, *given.shape[:2], width), bool)
    for number in range(width):
        judged[number, 0, query, number] = True
    found = framework.slopes(subject, given, judged)
    return None if found is None else np.abs(found[:, 0]).sum(axis=(0, -1))  # one number for each key


def weigh_alike(subject, given, expected):
    """Tell whether of equal tokens those that a query notices weigh the same; True where nobody can tell."""
    if subject.positions:
        return True
    for query in range(1, given.shape[1]):
        size = weights_on_equal_tokens(subject, given, query)
        if size is None:
            return True
        size = size[expected[query] & off_diagonal(subject, given)[query]]
        if size.size and size.max() > 1.05 * size.min():
            return False
    return True


def heads_known(subject, usual=(2, 4, 8)):
    """Return the numbers of heads that layers inside are said to have, or the usual ones."""
    found = set()
    for layer in framework.inner_layers(subject.layer):
        found |= {
            getattr(layer, name) for name in ("num_heads", "heads", "n_heads", "n_head", "h") if hasattr(layer, name)
        }
    return sorted(n for n in found if isinstance(n, int) and n > 1) or [*usual]


def masked(subject):
    """Return the case that tells most: with a mask of its own, or with the future hidden, or with padding."""
    if subject.pooled:
        return padded(subject)
    if "mask" in subject.names:
        return random_mask_case(subject)
    if subject.can_hide_the_future:
        return future_case(subject)
    return padded(subject)


def padded(subject):
    length = length_of(subject)
    given = case(subject, (1, length, length))
    hidden = np.arange(length) >= length - 2
    return padded_with(subject, given, hidden[None])


def padded_with(subject, given, hidden):
    """Return a case with these keys padded, told in the layer's own way."""
    tensors, mask, padding = dict(given.tensors), given.mask & False, given.padding & False
    if "padding" in subject.names:
        padding = padding | hidden
    elif "mask" in subject.names:
        mask = mask | hidden[:, None]
    else:
        tensors["ids"] = np.where(hidden, subject.pad_id, tensors["ids"])
    told = np.broadcast_to(hidden[:, None], given.mask.shape)
    return Case(tensors, truth(subject, told), mask, padding, given.causal)


def padding_can_be_perturbed(subject):
    return subject.can_hide_padding and (subject.query != "ids" or "padding" in subject.names)

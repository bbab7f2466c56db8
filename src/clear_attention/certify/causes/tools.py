"""What the experiments measure."""

from __future__ import annotations

import numpy as np

from clear_attention.certify import framework
from clear_attention.certify.case import Case, case, difference, influence, own_place, truth, words
from clear_attention.certify.own_token import tells_places_apart

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


def weights_on_equal_tokens(subject, given, query, size=1.0):
    """Measure how much a query's output moves with each key where all tokens are equal: as much as the key weighs.

    Then every value is the average, so that a change of a score changes nothing; what is left is the weight. All
    numbers of the tokens can be `size` times as large.
    """
    alike = [*subject.content, *(["position_ids"] if "position_ids" in subject.names else [])]
    given = given.having(**{n: np.repeat(x[:, :1], x.shape[1], axis=1) for n, x in given.tensors.items() if n in alike})
    if size != 1.0:
        given = given.having(**{name: size * given.tensors[name] for name in subject.content})
    width = subject.run(given).shape[-1]
    judged = np.zeros((width, *given.shape[:2], width), bool)
    for number in range(width):
        judged[number, 0, query, number] = True
    found = framework.slopes(subject, given, judged)
    return None if found is None else np.abs(found[:, 0]).sum(axis=(0, -1))  # one number for each key


def weigh_alike(subject, given, expected):
    """Tell whether of equal tokens those that a query notices weigh the same; None where nobody can tell."""
    with framework.places_alike(subject, given.shape[1]):
        for query in range(1, given.shape[1]):
            size = weights_on_equal_tokens(subject, given, query)
            size = changes_of_equal_tokens(subject, given, query) if size is None else size
            size = size[expected[query] & off_diagonal(subject, given)[query]]
            if size.size and not size.max():
                return None
            if size.size and size.max() > 1.05 * size.min():
                return None if subject.positions else False
    return True


def changes_of_equal_tokens(subject, given, query):
    """Measure how much a query's output changes if one of many equal tokens becomes another, for each place."""
    name = subject.query
    token, other = words(subject)[:2]
    given = given.having(**{name: np.full_like(given.tensors[name], token)})
    before, found = subject.run(given)[0, query], []
    for key in range(given.shape[2]):
        ids = given.tensors[name].copy()
        ids[0, key] = other
        found.append(difference(before, subject.run(given.having(**{name: ids}))[0, query]).max())
    return np.array(found)


def averages(subject, given, expected):
    """Tell whether a layer averages what a query notices, as attention does; None where nobody can tell.

    Of equal tokens each weighs the same, and if no mask is handed over, their average is the same at every place.
    """
    alike = weigh_alike(subject, given, expected)
    if not alike or {"mask", "causal"} & set(subject.names) or subject.crosses:
        return alike
    with framework.places_alike(subject, given.shape[1]):
        return not tells_places_apart(subject) or None


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
    """Return a case with one or two keys padded at the end, or where the future is hidden as well before the end."""
    length = length_of(subject)
    given = case(subject, (1, length, length))
    count = max(1, min(2, length - 2))
    first = 1 if subject.causal else length - count
    hidden = (np.arange(length) >= first) & (np.arange(length) < first + count)
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

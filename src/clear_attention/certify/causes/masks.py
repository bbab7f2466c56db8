"""Causes about how a mask is read: the wrong way round, transposed, or for padding that hides from padding only."""

from __future__ import annotations

import numpy as np

from clear_attention.certify import framework
from clear_attention.certify.case import Case, case, changed_key, difference, make_case
from clear_attention.certify.causes import tools
from clear_attention.certify.causes.tools import masked, padded, padding_can_be_perturbed


def mask_inverted(subject):
    if subject.query == "ids" and not {"mask", "padding"} & set(subject.names):
        return inverted_among_ids(subject)
    given = masked(subject)
    if not tools.agrees(subject, given, given.blocked[0]):
        return False
    if by_itself(subject) and not subject.crosses and not tools.sees(subject, given)[-1, :-1].all():
        return False  # the last query keeps its own token: the other triangle, see mask_transposed
    return "every query notices the keys that are hidden from it, and none of the others"


def by_itself(subject):
    return not {"mask", "padding"} & set(subject.names)


def inverted_among_ids(subject):
    """Ids of padding can't be changed: ask by gradients whether words or padding are noticed."""
    if subject.pad_id is None or subject.causal:
        return None
    given = padded(subject)
    width = subject.run(given).shape[-1]
    judged = np.zeros((1, *given.shape[:2], width), bool)
    judged[0, 0, 0] = True
    found = framework.slopes(subject, given, judged)
    if found is None:
        return None
    size = np.abs(found[0, 0]).max(axis=-1)
    hidden = given.tensors["ids"][0] == subject.pad_id
    others = ~hidden & (np.arange(len(hidden)) > 0)
    if (size[hidden] > 1e-5).any() and (size[others] < 1e-7).all():
        return "real tokens have a gradient to padding, and none to each other"
    return False


def additive_read_as_bool(subject):
    if subject.convention != "additive" or "mask" not in subject.names:
        return None
    if not mask_inverted(subject):
        return False
    given = tools.random_mask_case(subject)
    before = subject.run(given)
    after = framework.flat(
        framework.evaluate(subject, given, tensors={"mask": framework.scaled_mask(subject, given)})[0]
    )
    if difference(before, after).max() == 0:
        return "-1 in the mask does exactly what -inf does, and hidden keys are the ones that are seen"
    return False


def mask_transposed(subject):
    if subject.pooled or not ("mask" in subject.names or subject.can_hide_the_future):
        return None
    given = masked(subject)
    expected = ~given.blocked[0].T
    if not tools.agrees(subject, given, expected):
        return False
    if {"mask", "causal"} & set(subject.names) or subject.crosses or tools.averages(subject, given, expected):
        return "query i notices key j where key i is hidden from query j, and nowhere else"
    return None


def real_queries_mind_the_padding_not(subject, given):
    """Tell whether telling the layer of the padding changes nothing for real tokens."""
    open_to_all = Case(given.tensors, given.blocked & False, given.mask & False, given.padding & False, given.causal)
    before, after = subject.run(open_to_all), subject.run(given)
    return difference(before, after)[0].max(axis=-1), subject.tolerance(before)


def padding_hidden_only_from_padding(subject):
    if subject.pooled or subject.crosses or not subject.can_hide_padding:
        return None
    if not padding_can_be_perturbed(subject):
        if only_from_padding_among_ids(subject):
            return "more padding changes every real token, and padding not, though padding notices the real tokens"
        return False
    given = padded(subject)
    hidden = given.padded[0]
    gap, atol = real_queries_mind_the_padding_not(subject, given)
    found = tools.sees(subject, given)
    among = found[np.ix_(hidden, hidden)] & ~np.eye(hidden.sum(), dtype=bool)
    if not (gap[~hidden] <= atol).all() or not found[np.ix_(~hidden, hidden)].all():
        return False
    if not among.any() and found[np.ix_(hidden, ~hidden)].all():
        return "real tokens get the same with and without the padding hidden; padded tokens do not see each other"
    return False


def only_from_padding_among_ids(subject):
    """More padding changes the real tokens, and the padding not."""
    size = tools.length_of(subject)
    given = case(subject, (1, size, size))
    outputs = []
    for count in (1, 2):
        ids = np.concatenate([given.tensors["ids"], np.full((1, count), subject.pad_id, "int32")], axis=1)
        longer = make_case(subject, (1, size + count, size + count), "").having(ids=ids)
        outputs.append(subject.run(longer)[0, : size + 1])
    gap = difference(*outputs).max(axis=-1)
    atol = 10 * subject.tolerance(outputs[0])
    if (gap[:size] > atol).all() and gap[size] <= atol:
        return padding_notices_words(subject, given, size)
    return None


def padding_notices_words(subject, given, size):
    """Tell whether the output of padding changes with the real tokens."""
    ids = np.concatenate([given.tensors["ids"], np.full((1, 1), subject.pad_id, "int32")], axis=1)
    longer = make_case(subject, (1, size + 1, size + 1), "").having(ids=ids)
    changed = changed_key(subject, longer, 0, 0, np.random.default_rng(subject.seed), 1)
    before = subject.run(longer)
    return bool(difference(before, subject.run(changed))[0, -1].max() > subject.tolerance(before))


def padding_of_queries(subject):
    if subject.pooled or not subject.can_hide_padding:
        return None
    if not padding_can_be_perturbed(subject):
        if only_from_padding_among_ids(subject) is False:
            return "more padding changes every real token; the outputs of padding notice nothing at all"
        return False
    given = padded(subject)
    hidden = given.padded[0]
    if not tools.sees(subject, given)[np.ix_(~hidden, hidden)].any():
        return False
    gap, atol = real_queries_mind_the_padding_not(subject, given)
    if (gap[~hidden] <= atol).all() and (gap[hidden] > atol).any():
        return "real queries get the same with and without the padding hidden; only the padded ones change"
    return False

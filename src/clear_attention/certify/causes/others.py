"""Causes that show in numbers, batches, files and positions."""

from __future__ import annotations

import numpy as np

from clear_attention.certify import framework
from clear_attention.certify.case import Case, case, changed_key, difference, make_case
from clear_attention.certify.order import moves_with_its_tokens, of_equal_tokens, places_that_agree


def dropout_at_inference(subject):
    """Take every dropout away, and the outputs are others."""
    length = subject.lengths[0]
    given = case(subject, (2, length, length))
    before = subject.run(given)
    with framework.without_dropout():
        if difference(before, subject.run(given)).max() > 0 and np.array_equal(subject.run(given), subject.run(given)):
            return "without any dropout its outputs are others, and the same at every call"
    return False


def infinity_times_zero(subject):
    """Nothing hidden, and the first number that is none comes out of a multiplication."""
    if not {"mask", "padding", "causal"} & set(subject.names) and not subject.causal:
        return None
    given = case(subject, (1, 3, 3) if subject.any_length else (1, subject.lengths[0], subject.lengths[0]))
    if np.isfinite(subject.run(given)).all():
        return False
    operation = framework.first_nan(subject, given)
    if operation == "Mul":
        return "with a mask that hides nothing, the first NaN comes out of a multiplication"
    return False


def batch_and_length_swapped(subject):
    """A token notices the token at its own place in the other sentence, and no token of its own sentence."""
    if subject.pooled or subject.query == "ids":
        return None
    length = subject.lengths[-1]
    given = case(subject, (2, length, length))
    before = subject.run(given)
    atol, rng = subject.tolerance(before), np.random.default_rng(subject.seed)
    noticed = np.zeros((2, 2, length, length), bool)  # (changed sentence, sentence, query, key)
    for row, key in np.ndindex(2, length):
        gap = difference(before, subject.run(changed_key(subject, given, row, key, rng, 1))).max(axis=-1)
        noticed[row, :, :, key] = gap > atol
    same = np.eye(length, dtype=bool)
    within = noticed[0, 0] | noticed[1, 1]
    across = noticed[0, 1] | noticed[1, 0]
    if (across == same).all() and not within[~same].any():
        return "a token notices the token at its place in the other sentence, and none of its own sentence"
    return False


def batch_statistics(subject):
    """Other sentences change a sentence at every place, and a batch that is there twice gives the same."""
    length = subject.lengths[-1]
    given = case(subject, (2, length, length))
    before, rng = subject.run(given), np.random.default_rng(subject.seed)
    atol = subject.tolerance(before)
    changed = changed_key(subject, given, 1, length - 1, rng, 30)
    gap = difference(before, subject.run(changed))[0].max(axis=-1)
    if not (gap > atol).all():
        return False
    tensors = {name: np.concatenate([x, x]) for name, x in given.tensors.items()}
    blocked, mask, padding = (np.concatenate([x, x]) for x in (given.blocked, given.mask, given.padding))
    twice = Case(tensors, blocked, mask, padding, given.causal)
    if difference(before, subject.run(twice)[:2]).max() < 100 * atol:
        return "one token changes every place of the other sentence, and the same batch twice over changes nothing"
    return False


def position_axes_swapped(subject):
    """Equal sentences of a batch differ, and equal tokens of a sentence do not."""
    if subject.crosses or subject.pooled:
        return None
    length = subject.lengths[-1]
    given = make_case(subject, (3, length, length), "")
    name = subject.query
    token = np.broadcast_to(given.tensors[name][:1, :1], given.tensors[name].shape).copy()
    output = subject.run(given.having(**{name: token}))
    atol = 10 * subject.tolerance(output)
    within, across = difference(output, output[:, :1]).max(), difference(output, output[:1]).max()
    if across > atol >= within:
        return "equal sentences of a batch come out differently, and equal tokens of a sentence do not"
    if subject.positions and within <= atol and not subject.causal and moves_with_its_tokens(subject):
        return "equal tokens get equal outputs at every place"
    if subject.positions and within <= atol and subject.causal:
        return "equal tokens get equal outputs at every place"
    return False


def mask_lost_inside(subject):
    """Keras says so itself, or a layer that would use a mask gets none, though one was made before it."""
    for text in subject.warnings:
        if "does not support mask" in text or "destroy the mask" in text:
            return f"Keras warns: {text}"
    if subject.query != "ids":
        return None
    length = subject.lengths[0]
    with framework.MaskWatch(subject.layer) as watch:
        subject.run(case(subject, (1, length, length), "padding"))
    if watch.deprived:
        return f"{watch.makers[0]} makes a mask, and {watch.deprived[0]}, which would use one, gets none"
    return False


def positions_undeclared(subject):
    """Of equal tokens every place gets another output."""
    if subject.causal or not subject.any_length:
        return None
    if subject.pooled:
        return not moves_with_its_tokens(subject) and "the answer changes with the order of the tokens"
    if subject.crosses:
        return equal_keys(subject)
    if moves_with_its_tokens(subject) or places_that_agree(subject):
        return False
    output = of_equal_tokens(subject, 5)
    if difference(output[:1], output).max() <= subject.tolerance(output):
        return "equal tokens get equal outputs, and the order of others matters: it tells distances apart"
    gap = difference(output[:, None], output).max(axis=-1) + np.eye(5)
    if (gap > 10 * subject.tolerance(output)).all():
        return "of equal tokens every place gets an output of its own"
    return False


def equal_keys(subject):
    """Where all keys are equal, and it still matters where a value stands, keys have positions."""
    if "v" not in subject.names:
        return None
    given = case(subject, (1, 4, 5))
    alike = given.having(k=np.repeat(given.tensors["k"][:, :1], 5, axis=1))
    moved = alike.having(v=np.roll(alike.tensors["v"], 1, axis=1))
    before = subject.run(alike)
    if difference(before, subject.run(moved)).max() > 10 * subject.tolerance(before):
        return "all keys are equal, and still it matters at which of them a value stands"
    return False

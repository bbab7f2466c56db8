"""The promises about order: who notices when tokens change places."""

from __future__ import annotations

import numpy as np

from clear_attention.certify import framework, snippets
from clear_attention.certify.case import Case, case, case_sizes, difference, influence, make_case, numbers
from clear_attention.certify.numerics import told
from clear_attention.certify.verdicts import BrokenError, NotApplicableError
from clear_attention.certify.visibility import finite, judgeable


def key_permutation(subject):
    if subject.causal:
        raise NotApplicableError("a causal layer knows an order")
    if subject.positions or subject.window:
        raise NotApplicableError("it is said to know positions")
    if not subject.crosses:
        judgeable(subject)
        if not moves_with_its_tokens(subject):
            raise BrokenError(*undeclared(subject))
        return f"tokens in another order give the same {'answer' if subject.pooled else 'outputs in that order'}"
    for size in case_sizes(subject):
        if size[2] < 2:
            continue
        for hidden in ("", "padding") if subject.can_hide_padding else ("",):
            given = case(subject, size, hidden)
            order = np.roll(np.arange(size[2]), 1)
            moved = {n: given.tensors[n][:, order] for n in subject.content}
            masks = given.blocked[..., order], given.mask[..., order], given.padding[:, order]
            after = Case({**given.tensors, **moved}, *masks, given.causal)
            before = finite(subject, given)
            gap, atol = difference(before, subject.run(after)).max(axis=-1), 10 * subject.tolerance(before)
            if (gap > atol).any():
                query = int(np.argwhere(gap > atol)[0][1])
                names = [n for n in (*subject.content, "mask", "padding") if n in subject.names]
                steps = {
                    "before": f"np.array({subject.text()})",
                    "moved": [
                        f"{n} = tf.gather({n}, {order.tolist()}, axis=-1)" for n in names if n in ("mask", "padding")
                    ]
                    + [
                        f"{n} = tf.gather({n}, {order.tolist()}, axis=1)" for n in names if n not in ("mask", "padding")
                    ],
                    "after": f"np.array({subject.text()})",
                }
                check = snippets.equal("after", "before", atol)
                example = snippets.must_hold(subject, given, check, "keys and values moved together", **steps)
                words = f"query {query} changes when keys and values are moved together, {told(hidden)}"
                raise BrokenError(words, example)
    return None


def moved(subject, size):
    """Return a case, the same with its tokens in another order, and that order."""
    given = case(subject, size)
    order = np.roll(np.arange(size[1]), 1)
    return given, given.having(**{subject.query: given.tensors[subject.query][:, order]}), order


def moves_with_its_tokens(subject):
    length = subject.lengths[-1]
    given, after, order = moved(subject, (1, length, length))
    before, now = finite(subject, given), subject.run(after)
    before = before if subject.pooled else before[:, order]
    return difference(before, now).max() < 10 * subject.tolerance(before)


def undeclared(subject):
    """Say that a layer tells positions apart, though nobody said that it adds them."""
    given, _, order = moved(subject, (1, subject.lengths[-1], subject.lengths[-1]))
    name, atol = subject.query, 10 * subject.tolerance(subject.run(given))
    steps = {
        "before": f"np.array({subject.text()})",
        "moved": [f"{name} = tf.gather({name}, {order.tolist()}, axis=1)"],
        "after": f"np.array({subject.text()})",
    }
    check = snippets.equal("after", "before" if subject.pooled else f"before[:, {order.tolist()}]", atol)
    words = "it tells positions apart, though nobody said so"
    if places_that_agree(subject):
        words += (
            "; of equal tokens some places get the same and others not, as when heads are reshaped and not transposed"
        )
    elif subject.pooled:
        words += ": say positions=True if it should"
    else:
        words += ": either it adds positions (then say positions=True), or it reshapes its heads without transposing"
    return words, snippets.must_hold(subject, given, check, "another order, the same tokens", **steps)


def places_that_agree(subject):
    """Tell whether of equal tokens some places get the same output, and others another one."""
    if subject.pooled:
        return False
    found = []
    for length in (4, 6) if subject.any_length else subject.lengths:
        output = of_equal_tokens(subject, length)
        same = difference(output[:, None], output).max(axis=-1) < subject.tolerance(output)
        found.append(same.sum() > length and not same.all())
    return all(found)


def of_equal_tokens(subject, length, hidden=""):
    """Return the outputs `(length, numbers)` of a sentence of equal tokens."""
    token = numbers(subject, subject.query, np.random.default_rng(subject.seed), (1, 1, 1))  # the same in every length
    given = make_case(subject, (1, length, length), hidden)
    return subject.run(given.having(**{subject.query: np.repeat(token, length, axis=1)}))[0]


def positions(subject):
    if subject.crosses or not subject.positions:
        raise NotApplicableError("it is not said to know positions: say positions=True if it does")
    judgeable(subject)
    if moves_with_its_tokens(subject) and not shows_with_larger_weights(subject):
        if subject.lengths[-1] == 2:
            raise NotApplicableError("two tokens are as far apart in either order: say lengths= with 3 or more")
        size = (1, subject.lengths[0], subject.lengths[0])
        given, _, order = moved(subject, size)
        name, order = subject.query, order.tolist()
        steps = {
            "before": f"np.array({subject.text()})",
            "moved": [f"{name} = tf.gather({name}, {order}, axis=1)"],
            "after": f"np.array({subject.text()})",
        }
        later = "before" if subject.pooled else f"before[:, {order}]"
        check = f"assert not np.allclose(after, {later}, atol=1e-4)"
        example = snippets.must_hold(subject, given, check, "another order, another meaning", **steps)
        raise BrokenError("tokens in another order give the same outputs in that order", example)
    minds_its_position_ids(subject)
    begins_alike(subject)


def minds_its_position_ids(subject):
    """Demand that a layer which tells places apart does so by the `position_ids` it is given: if neither an output nor
    a gradient changes with them, it counts the places itself."""
    if "position_ids" not in subject.names:
        return
    length = subject.lengths[-1]
    given = case(subject, (1, length, length))
    places = given.tensors["position_ids"]
    before, slopes = framework.gradients(subject, given)
    for other in (np.roll(places, 1, axis=1), places * 0):  # turned round they might keep their distances
        after, others = framework.gradients(subject, given.having(position_ids=other))
        unequal = (difference(x, others[name]).max() > 0 for name, x in slopes.items() if name in others)
        if difference(before, after).max() > 0 or {*slopes} != {*others} or any(unequal):
            return
    steps = {
        "before": f"np.array({subject.text()})",
        "other": ["position_ids = tf.roll(position_ids, 1, axis=1)"],
        "after": f"np.array({subject.text()})",
    }
    check = "assert np.any(after != before)"
    example = snippets.must_hold(subject, given, check, "other positions for the same tokens", **steps)
    raise BrokenError("other position_ids change nothing: it counts the places itself", example)


def shows_with_larger_weights(subject):
    """Try larger weights, from here on, before saying that positions change nothing."""
    if subject.enlarged or not framework.enlarge_small_weights(subject.layer):
        return False
    subject.enlarged, subject.measured = True, {}
    return not moves_with_its_tokens(subject)


def begins_alike(subject):
    """Where no token depends on a later one, the first places of a long text are those of a short one."""
    if not subject.any_length or subject.pooled:
        return
    long = case(subject, (1, 6, 6))
    later = np.triu(np.ones((6, 6), bool), k=1) if subject.causal else ~np.eye(6, dtype=bool)
    if (influence(subject, long) > 1)[0][later].any():
        return
    begins = {n: x[:, :3] for n, x in long.tensors.items()}
    short = Case(begins, long.blocked[:, :3, :3], long.mask[:, :3, :3], long.padding[:, :3], long.causal)
    before, after = finite(subject, long)[:, :3], subject.run(short)
    atol = 10 * subject.tolerance(before)
    gap = difference(before, after).max(axis=-1)[0]
    if (gap > atol).any():
        place = int(np.argmax(gap > atol))
        shorter = [line for line in snippets.given(subject, short) if line.partition(" = ")[0] in subject.names]
        steps = {"long": f"np.array({subject.text()})", "shorter": shorter, "short": f"np.array({subject.text()})"}
        check = snippets.equal(f"short[0, {place}]", f"long[0, {place}]", atol)
        words = f"place {place} of 3 tokens is not place {place} of the same tokens with 3 more behind"
        raise BrokenError(words, snippets.must_hold(subject, long, check, "the same beginning", **steps))

"""Whether a token attends to itself, where queries are keys and its output changes with it anyway."""

from __future__ import annotations

import numpy as np

from clear_attention.certify import snippets
from clear_attention.certify.case import case, difference, influence, make_case, numbers, words
from clear_attention.certify.verdicts import BrokenError

DRAWS = 6  # all of them must say the same


def is_noticed(subject):
    """Demand that a token attends to itself, where queries are keys.

    The last of (a, b) may not get the same as the last of (a, a, b): among a, a and b each a counts less. Only if b
    is hidden from itself are both the average of what stands before it.
    """
    if subject.crosses or subject.pooled or not subject.any_length or tells_places_apart(subject):
        return
    if not influence(subject, case(subject, (1, 3, 3), "future"))[0, 2, 0] > 1:
        return  # a window so narrow that a second a would not be seen
    for draw in range(DRAWS):
        short, long, other = cases_of_two(subject, draw)
        with_one, with_two, without = (subject.run(given)[0, -1] for given in (short, long, other))
        atol = subject.tolerance(with_one)
        if difference(with_one, with_two).max() > atol or difference(with_one, without).max() <= 10 * atol:
            return
    found = "query 1 does not attend to its own token: the look-ahead mask is off by one"
    longer = [line for line in snippets.given(subject, long) if line.partition(" = ")[0] in subject.names]
    steps = {
        "with_one": f"np.array({subject.text()})[0, -1]",
        "longer": longer,
        "with_two": f"np.array({subject.text()})[0, -1]",
    }
    check = f"assert np.abs(with_one - with_two).max() > {atol:.3g}"
    why = "twice the first token, and half as much of its own"
    raise BrokenError(found, snippets.must_hold(subject, short, check, why, **steps))


def cases_of_two(subject, draw):
    """Make (a, b), (a, a, b) and (c, b), with the future hidden."""
    name, hidden = subject.query, "future"
    rng = np.random.default_rng([subject.seed, 19, draw])
    size = (1, 3, 3)
    drawn = numbers(subject, name, rng, size)
    if name == "ids":
        drawn[0] = rng.permutation(words(subject))[:3]
    a, c, b = (drawn[:, i : i + 1] for i in range(3))
    found = []
    for parts in ((a, b), (a, a, b), (c, b)):
        length = len(parts)
        found.append(make_case(subject, (1, length, length), hidden).having(**{name: np.concatenate(parts, axis=1)}))
    return found


def tells_places_apart(subject):
    """Tell whether equal tokens get outputs that differ from place to place, the future hidden."""
    length = max(subject.lengths)
    given = make_case(subject, (1, length, length), "future")
    same = {n: np.repeat(x[:, :1], length, axis=1) for n, x in given.tensors.items() if n == subject.query}
    output = subject.run(given.having(**same))[0]
    return bool(difference(output[1], output[2:]).max(initial=0) > 10 * subject.tolerance(output))

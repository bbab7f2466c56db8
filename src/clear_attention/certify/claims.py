"""Promises that only some layers make: about windows, caches, grouped heads, positions, packed texts, memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clear_attention.certify import framework, snippets
from clear_attention.certify.case import case, case_sizes, difference, influence, make_case, own_place
from clear_attention.certify.verdicts import BrokenError, NotApplicableError, blaming
from clear_attention.certify.visibility import another, finite, judgeable


class Claims(NamedTuple):
    """What a layer is said to do besides."""

    causal: bool = False
    positions: bool = False
    window: int | None = None
    cache: Callable[..., Any] | None = None
    grouped: Callable[..., Any] | None = None
    groups: str = "repeat"
    relative: bool = False
    recompute: Callable[..., Any] | bool = False
    like: Callable[..., Any] | None = None


def window_extent(subject):
    if not subject.window:
        raise NotApplicableError("it is not said to have a window: say window= if it has")
    judgeable(subject)
    length, hidden = subject.window + 3, "future" if subject.can_hide_the_future else ""
    given = case(subject, (1, length, length), hidden)
    finite(subject, given)
    sees, judged = influence(subject, given) > 1, ~own_place(subject, given)
    wrong = judged & (sees == given.blocked)
    if not wrong.any():
        return f"a window of {subject.window}"
    row, query, key = map(int, np.argwhere(wrong)[0])
    distance, why = abs(query - key), f"a window of {subject.window}"
    changed = another(subject, given, row, query, key)
    verb, example = "does not notice", snippets.must_change(subject, given, changed, row, query, why)
    if sees[row, query, key]:
        atol = subject.tolerance(subject.run(given))
        verb, example = "notices", snippets.must_stay(subject, given, changed, row, query, why, atol)
    raise BrokenError(f"with a window of {subject.window} query {query} {verb} key {key}, {distance} away", example)


def cache_equals_full(subject):
    call = subject.claims.cache
    if call is None:
        raise NotApplicableError("it is not said to have a cache: say cache= if it has")
    length = 6 if subject.any_length else subject.lengths[-1]
    given = case(subject, (2, length, length), "future")
    whole, name = finite(subject, given), subject.query
    atol = 10 * subject.tolerance(whole)
    for size, what in ((1, "step by step"), (2, "in chunks of 2"), (length, "in one piece")):
        lines = [
            "kept, pieces = None, []",
            f"for start in range(0, {length}, {size}):",
            f"    piece, kept = cache(layer, {name}[:, start : start + {size}], kept)",
            "    pieces.append(piece)",
        ]
        steps = {"whole": f"np.array({subject.text()})", "in pieces": lines}
        check = snippets.equal("np.concatenate(pieces, axis=1)", "whole", atol)
        example = snippets.must_hold(subject, given, check, "cache is the function certify was given", **steps)
        with blaming("cache", example):
            pieces = framework.in_pieces(call, subject.layer, given.tensors[name], size)
        if pieces.shape != whole.shape:
            raise BrokenError(f"{what}, with its cache, it gives {pieces.shape} and not {whole.shape}", example)
        gap = difference(whole, pieces).max(axis=(0, -1))
        if (gap > atol).any():
            place = int(np.argmax(gap > atol))
            raise BrokenError(f"{what}, with its cache, place {place} is not that of the whole text", example)
    return "step by step, in chunks and in one piece"


def head_groups(subject):
    """Change a value or a key of one head of keys, and see which heads of queries notice."""
    call, groups = subject.claims.grouped, subject.claims.groups
    if call is None:
        raise NotApplicableError("it is not said to group its heads: say grouped= if it does")
    heads, shared, length, depth = 4, 2, 3, subject.depth
    rng = np.random.default_rng([subject.seed, 23])
    shapes = {"q": (1, heads, length, depth), "k": (1, shared, length, depth), "v": (1, shared, length, depth)}
    tensors = {name: rng.normal(size=shape).round(1).astype("float32") for name, shape in shapes.items()}
    for name, head in itertools.product(("v", "k"), range(shared)):
        share = heads // shared
        due = [*range(head * share, head * share + share)] if groups == "repeat" else [*range(head, heads, shared)]
        change = np.zeros(shapes[name], "float32")
        change[:, head, 0] = rng.normal(size=depth).round(1)
        found, examples = [], []
        for scale in (1, 0.1, 0.01):  # the smaller the queries, the less a head looks at one key only
            examples.append(groups_example(tensors, scale, name, change, due))
            with blaming("grouped", examples[-1]):
                found.append(heads_that_notice(subject, call, tensors, scale, name, change, examples[-1]))
        every = sorted({*itertools.chain(*found)})
        if every != due:
            worst = next((i for i, some in enumerate(found) if {*some} - {*due}), 0)
            what = "values" if name == "v" else "keys"
            words = (
                f"the {what} of head {head} serve the query heads {every}, and with groups={groups!r} it would be {due}"
            )
            raise BrokenError(words, examples[worst])
    return f"4 heads of queries over 2 of keys, {groups}"


def heads_that_notice(subject, call, tensors, scale, name, change, example):
    tensors = {**tensors, "q": tensors["q"] * np.float32(scale)}
    before = framework.called_with(call, subject.layer, tensors)
    if before.shape[:2] != tensors["q"].shape[:2]:
        raise BrokenError(f"grouped gives {before.shape} and not (batch, 4, length, ...)", example)
    after = framework.called_with(call, subject.layer, {**tensors, name: tensors[name] + change})
    gap = difference(before, after).reshape(before.shape[1], -1).max(axis=-1)
    return np.flatnonzero(gap > 1e-5).tolist()


def groups_example(tensors, scale, name, change, due):
    lines = ["import numpy as np", "import tensorflow as tf", ""]
    lines += [f"{n} = {snippets.tensor(x)}" for n, x in tensors.items()]
    lines += [f"q *= {scale}"] if scale != 1 else []
    lines += [
        "before = np.array(grouped(layer, q, k, v))",
        f"{name} += {snippets.tensor(change)}",
        "after = np.array(grouped(layer, q, k, v))",
        "assert before.shape[:2] == (1, 4)",
        "found = np.abs(after - before).reshape(4, -1).max(axis=1) > 1e-5",
        f"assert np.flatnonzero(found).tolist() == {due}  # grouped is the function certify was given",
    ]
    return "\n".join(lines)


def position_shift(subject):
    if not subject.claims.relative:
        raise NotApplicableError("it is not said to know relative positions only: say relative=True if it does")
    if "position_ids" not in subject.names:
        raise NotApplicableError("its call takes no position_ids that could be shifted")
    judgeable(subject)
    for hidden in ("", "future") if subject.can_hide_the_future else ("",):
        for size in case_sizes(subject, hidden):
            given = case(subject, size, hidden)
            before = finite(subject, given)
            atol = 100 * subject.tolerance(before)  # angles grow with the position
            for shift in (1, 7, 100):
                moved = given.having(position_ids=given.tensors["position_ids"] + np.int32(shift))
                gap = difference(before, subject.run(moved)).max(axis=-1)
                if (gap > atol).any():
                    row, query = map(int, np.argwhere(gap > atol)[0])
                    words = f"query {query} changes when all positions are shifted by {shift}"
                    why = "the same distances"
                    raise BrokenError(words, snippets.must_stay(subject, given, moved, row, query, why, atol))
    return "shifted by 1, 7 and 100"


def packing_isolation(subject):
    if "segment_ids" not in subject.names:
        raise NotApplicableError("its call takes no segment_ids: name them if several texts are packed in one row")
    judgeable(subject)
    hidden = "future" if subject.can_hide_the_future else ""
    for first, second in ((1, 1), (1, 2), (3, 2)):
        length = first + second
        given = make_case(subject, (1, length, length), hidden)
        segments = np.repeat([[0, 1]], 1, axis=0).repeat([first, second], axis=1).astype("int32")
        given = given.having(segment_ids=segments)
        finite(subject, given)
        apart = segments[:, :, None] != segments[:, None, :]
        sees = (influence(subject, given) > 1) & apart
        if sees.any():
            row, query, key = map(int, np.argwhere(sees)[0])
            words = f"query {query} of one text changes with key {key} of another in the same row"
            atol = subject.tolerance(subject.run(given))
            changed = another(subject, given, row, query, key, 2 * atol)
            example = snippets.must_stay(subject, given, changed, row, query, "another text", atol)
            raise BrokenError(words, example)


def checkpointing(subject):
    call = subject.claims.recompute
    if not call:
        raise NotApplicableError("it is not said to compute anything again: say recompute= if it does")
    if subject.query == "ids":
        raise NotApplicableError("ids have no gradient")
    for hidden in ("", "future") if subject.can_hide_the_future else ("",):
        given = case(subject, next(case_sizes(subject, hidden)), hidden)
        atol = 10 * subject.tolerance(finite(subject, given))
        example = again_example(subject, given, call)
        with blaming("tf.recompute_grad" if call is True else "recompute", example):
            kept, again = framework.recomputed(subject, given, call)
        for number, (one, other) in enumerate(zip(kept, again, strict=True)):
            if one.shape != other.shape or difference(one, other).max(initial=0) > atol * max(1, np.abs(one).max()):
                what = "the output" if not number else "a gradient"
                raise BrokenError(f"{what} is another one when it is computed again", example)


def again_example(subject, given, call):
    tensors = [n for n, x in given.tensors.items() if x.dtype.kind == "f"]
    text = subject.text()
    other = f"recompute(layer, {', '.join(subject.names)})"
    again = f"tf.recompute_grad(lambda {', '.join(tensors)}: {text})({', '.join(tensors)})" if call is True else other
    steps: dict[str, str | list[str]] = {"variables": [f"{n} = tf.Variable({n})" for n in tensors]}
    for name, code in (("kept", text), ("again", again)):
        steps[f"{name} tape"] = [
            "with tf.GradientTape() as tape:",
            f"    output_{name} = {code}",
            f"    total = tf.reduce_sum(tf.sin(output_{name}))",
            f"slopes_{name} = tape.gradient(total, [{', '.join(tensors)}], unconnected_gradients='zero')",
        ]
    check = (
        "np.testing.assert_allclose(np.concatenate([np.ravel(x) for x in [output_again, *slopes_again]]), "
        "np.concatenate([np.ravel(x) for x in [output_kept, *slopes_kept]]), rtol=1e-5, atol=1e-4)"
    )
    return snippets.must_hold(subject, given, check, "recompute is the call certify was given", **steps)

"""The promises about who sees whom, found out by perturbation and by gradients."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from clear_attention.certify import snippets
from clear_attention.certify.case import (
    Case,
    case,
    case_sizes,
    changed_key,
    difference,
    flat,
    influence,
    numbers,
    own_token,
    real_queries,
)
from clear_attention.certify.subject import NoQueryAxisError
from clear_attention.masks.findings import future

SLOPE = 1e-5  # a gradient below this is none


class NotApplicableError(Exception):
    """The promise says nothing about this subject."""


class BrokenError(Exception):
    """The promise is broken; the second argument is the smallest example."""


def finite_to_begin_with(subject, given):
    if not np.isfinite(flat(subject.run(given))).all():
        raise NotApplicableError("its output is not finite to begin with, see finite_gradients")


def gradient_influence(subject, given):
    """Measure by gradients how much each output changes with each key; None where ids have no gradient."""
    if subject.query == "ids":
        return None
    tensors = {name: tf.constant(given.tensors[name]) for name in subject.content}
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        output = subject.run(given, tensors=tensors)
        output = tf.reshape(output, (*given.shape[:2], -1))
        places = list(np.ndindex(given.shape[:2]))
        sums = [tf.reduce_sum(tf.sin(output[place])) for place in places]
    found = np.zeros(given.shape)
    for (row, query), total in zip(places, sums, strict=True):
        for g in tape.gradient(total, list(tensors.values()), unconnected_gradients="zero"):
            size = np.abs(np.array(g, "float64")[row]).max(axis=-1)
            found[row, query] = np.maximum(found[row, query], np.where(np.isfinite(size), size, np.inf))
    return found


def leak(subject, hidden):
    """Look for a query that notices a hidden key, in ever larger cases."""
    for size in case_sizes(subject, hidden):
        given = case(subject, size, hidden)
        finite_to_begin_with(subject, given)
        judged = given.blocked & ~own_token(subject, given) & real_queries(subject, given)[..., None]
        by_value = judged & (influence(subject, given) > 1)
        slope = gradient_influence(subject, given)
        by_gradient = judged & (slope > SLOPE) if slope is not None else np.zeros_like(judged)
        for found, how in ((by_value, "changes with"), (by_gradient, "has a gradient to")):
            if found.any():
                row, query, key = map(int, np.argwhere(found)[0])
                words = f"query {query} {how} key {key}, which is hidden from it"
                raise BrokenError(words, leak_example(subject, given, row, query, key, found is by_value))


def leak_example(subject, given, row, query, key, by_value):
    why = f"query {query} may not see key {key}"
    if by_value:
        atol = subject.tolerance(flat(subject.run(given)))
        changed = another(subject, given, row, query, key, 2 * atol)
        return snippets.must_stay(subject, given, changed, row, query, why, atol)
    names = ", ".join(subject.content)
    steps = {
        "variables": [f"{n} = tf.Variable({n})" for n in subject.content],
        "tape": ["with tf.GradientTape() as tape:", f"    total = tf.reduce_sum({subject.text()}[{row}, {query}])"],
        "slopes": f"[g.numpy()[{row}, {key}] for g in tape.gradient(total, [{names}])]",
    }
    check = snippets.equal("slopes", 0, SLOPE)
    return snippets.must_hold(subject, given, check, why, **steps)


def another(subject, given, row, query, key, least=0.0):
    """Change the key, by as little as shows."""
    rng = np.random.default_rng([subject.seed, 1])
    before = flat(subject.run(given))[row, query]
    for amount in (1, 30, 30, 30):
        changed = changed_key(subject, given, row, key, rng, amount)
        after = flat(subject.run(changed))[row, query]
        if difference(before, after).max() > least:
            break
    return changed


def no_future_leak(subject):
    if not subject.can_hide_the_future:
        raise NotApplicableError("it takes no mask and is not said to be causal: say causal=True if it is")
    try:
        leak(subject, "future")
    except NoQueryAxisError as error:
        if subject.causal:
            example = no_axis_example(subject, case(subject, next(case_sizes(subject)), "future"))
            raise BrokenError(f"{error}, so it mixes all positions", example) from error
        raise


def no_axis_example(subject, given):
    shape = given.shape[:2]
    return snippets.must_hold(
        subject, given, f"assert output.ndim > 2 and output.shape[:2] == {shape}", "one output for each query"
    )


def padding_invariance(subject):
    if not subject.can_hide_padding:
        raise NotApplicableError("it takes no mask, and no padding")
    leak(subject, "padding")
    if not subject.any_length or (subject.crosses and subject.causal):
        return
    for size in case_sizes(subject):
        given = case(subject, size, "padding")
        more = padded_further(subject, given)
        queries = size[1]
        before, after = flat(subject.run(given)), flat(subject.run(more))[:, :queries]
        atol = 10 * subject.tolerance(before)
        changed = real_queries(subject, given) & (difference(before, after).max(axis=-1) > atol)
        if changed.any():
            row, query = map(int, np.argwhere(changed)[0])
            words = f"query {query} changes when the sentence is padded further"
            tensors = [line for line in snippets.given(subject, more) if " = " in line]
            steps = {
                "before": f"np.array({subject.text()})",
                "longer": tensors,
                "after": f"np.array({subject.text()})",
            }
            check = snippets.equal(f"after[{row}, {query}]", f"before[{row}, {query}]", atol)
            raise BrokenError(words, snippets.must_hold(subject, given, check, "padding is nothing", **steps))


def padded_further(subject, given, count=2):
    batch, _, keys = given.shape
    rng = np.random.default_rng([subject.seed, 3])
    more = {}
    for name, x in given.tensors.items():
        if name == "q":
            more[name] = x
            continue
        extra = numbers(subject, name, rng, (batch, count, count))
        extra = np.full_like(extra, subject.pad_id) if name == "ids" and subject.pad_id is not None else extra
        more[name] = np.concatenate([x, extra], axis=1)
    grow = [(0, 0), (0, 0 if subject.crosses else count), (0, count)]
    mask = np.pad(given.mask, grow, mode="edge")
    padding = np.pad(given.padding, [(0, 0), (0, count)])
    if "padding" in subject.names:
        padding[:, keys:] = True
    else:
        mask[:, :, keys:] = True
    return Case(more, np.pad(given.blocked, grow, constant_values=True), mask, padding, given.causal)


def visible_keys_count(subject):
    hidings = [""]
    hidings += ["future"] if subject.is_told_of_the_future else []
    hidings += ["padding"] if subject.can_hide_padding else []
    if hidings == [""]:
        raise NotApplicableError("nothing tells it who may see whom")
    for hidden in reversed(hidings[1:]):
        for size in case_sizes(subject, hidden):
            given, open_to_all = case(subject, size, hidden), case(subject, size)
            finite_to_begin_with(subject, given)
            judged = real_queries(subject, given)[..., None] & ~own_token(subject, given)
            found, before = influence(subject, given), influence(subject, open_to_all) > 1
            if not (before & judged).any():  # perhaps what should hide nothing hides everything
                before = influence(subject, all_hidden(open_to_all)) > 1
            missing = judged & ~given.blocked & (found == 0) & before  # some layers look at few keys, mask or no mask
            if missing.any():
                row, query, key = map(int, np.argwhere(missing)[0])
                words = f"query {query} notices key {key} with nothing hidden, and no more with {hidden} hidden"
                if (found > 1)[judged & given.blocked & before].all() and (judged & given.blocked & before).any():
                    words += "; hidden keys count, so the mask looks inverted"
                changed = another(subject, given, row, query, key)
                why = f"query {query} may see key {key}"
                raise BrokenError(words, snippets.must_change(subject, given, changed, row, query, why))


def all_hidden(given):
    """Return the same case with every key hidden, as far as the layer can be told so."""
    return Case(given.tensors, given.blocked | True, given.mask | True, given.padding | True, given.causal)


def alignment(subject):
    if not subject.crosses:
        raise NotApplicableError("its queries are its keys")
    if not (subject.causal or "causal" in subject.names):
        raise NotApplicableError("it was called without a causal switch: masks say who sees whom")
    for queries, keys in ((1, 2), (2, 3), (2, 5)):
        size = (1, queries, keys)
        given = case(subject, size, "future")
        if "causal" in subject.names:
            mask = np.zeros(size, bool)
            given = Case(given.tensors, np.broadcast_to(future(queries, keys), size), mask, given.padding, True)
        sees = influence(subject, given) > 1
        wrong = sees == given.blocked
        if wrong.any():
            row, query, key = map(int, np.argwhere(wrong)[-1])
            upper_left = np.tri(queries, keys, dtype=bool)
            verb = "sees" if sees[row, query, key] else "does not see"
            which = "the last query" if query == queries - 1 else f"query {query}"
            words = f"with {queries} quer{'y' if queries == 1 else 'ies'} and {keys} keys {which} {verb} key {key}"
            if np.array_equal(sees[0], upper_left):
                words += "; its first query stands on the first key (upper left)"
            changed = another(subject, given, row, query, key)
            why, atol = "the last query stands on the last key", subject.tolerance(flat(subject.run(given)))
            if sees[row, query, key]:
                raise BrokenError(words, snippets.must_stay(subject, given, changed, row, query, why, atol))
            raise BrokenError(words, snippets.must_change(subject, given, changed, row, query, why))

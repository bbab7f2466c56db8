"""The promises about who sees whom, found out by perturbation and by gradients."""

from __future__ import annotations

import itertools

import numpy as np

from clear_attention.certify import framework, own_token, snippets
from clear_attention.certify.case import (
    Case,
    case,
    case_sizes,
    changed_key,
    difference,
    influence,
    make_case,
    numbers,
    own_place,
    real_queries,
)
from clear_attention.certify.framework import NoQueryAxisError
from clear_attention.certify.verdicts import BrokenError, NotApplicableError
from clear_attention.masks.findings import future

SLOPE = 1e-5  # a gradient below this is none
DRAWS = 6  # so many inputs does a key have to be noticed in
TOO_SMALL = "its weights are too small to judge: changes stay below rounding"


def finite(subject, given):
    """Return the output, if there is one to compare with."""
    output = subject.run(given)
    if not np.isfinite(output).all():
        raise NotApplicableError("its output is not finite to begin with, see finite_gradients")
    return output


def judgeable(subject):
    if subject.too_small:
        raise NotApplicableError(TOO_SMALL)


def gradient_influence(subject, given):
    """Measure by gradients how much each output changes with each key; None where there is none, as for ids."""
    if subject.query == "ids":
        return None
    batch, queries, keys = given.shape
    width = subject.run(given).shape[-1]
    judged = np.zeros((batch * queries, batch, queries, width), bool)
    places = list(np.ndindex(batch, queries))
    for number, place in enumerate(places):
        judged[(number, *place)] = True
    slopes = framework.slopes(subject, given, judged)
    if slopes is None:
        return None
    found = np.abs(slopes).max(axis=-1)  # (places, batch, keys)
    found = np.where(np.isfinite(found), found, np.inf)
    return np.stack([found[number, row] for number, (row, _) in enumerate(places)]).reshape(batch, queries, keys)


def leak(subject, hidden):
    """Look for a query that notices a hidden key, in ever larger cases."""
    for size in case_sizes(subject, hidden):
        given = case(subject, size, hidden)
        finite(subject, given)
        meant = future(*given.shape[1:]) if hidden == "future" else given.padded[:, None]
        judged = given.blocked & meant & ~own_place(subject, given) & real_queries(subject, given)[..., None]
        by_value = judged & (influence(subject, given) > 1)
        slope = gradient_influence(subject, given)
        by_gradient = judged & (slope > SLOPE) if slope is not None else np.zeros_like(judged)
        for found, how in ((by_value, "changes with"), (by_gradient, "has a gradient to")):
            if found.any():
                row, query, key = map(int, np.argwhere(found)[0])
                words = f"{subject.whom(query)} {how} key {key}, which is hidden from it"
                raise BrokenError(words, leak_example(subject, given, row, query, key, found is by_value))


def leak_example(subject, given, row, query, key, by_value):
    why = f"{subject.whom(query)} may not see key {key}"
    if by_value:
        atol = subject.tolerance(subject.run(given))
        changed = another(subject, given, row, query, key, 2 * atol)
        return snippets.must_stay(subject, given, changed, row, query, why, atol)
    names, place = ", ".join(subject.content), subject.place(row, query)
    steps = {
        "variables": [f"{n} = tf.Variable({n})" for n in subject.content],
        "tape": ["with tf.GradientTape() as tape:", f"    total = tf.reduce_sum({subject.text()}{place})"],
        "slopes": f"[g.numpy()[{row}, {key}] for g in tape.gradient(total, [{names}])]",
    }
    check = snippets.equal("slopes", 0, SLOPE)
    return snippets.must_hold(subject, given, check, why, **steps)


def another(subject, given, row, query, key, least=0.0):
    """Change the key, by as little as shows."""
    rng = np.random.default_rng([subject.seed, 1])
    before = subject.run(given)[row, query]
    for amount in (1, 30, 30, 30):
        changed = changed_key(subject, given, row, key, rng, amount)
        after = subject.run(changed)[row, query]
        if difference(before, after).max() > least:
            break
    return changed


def no_future_leak(subject):
    if not subject.can_hide_the_future:
        raise NotApplicableError("it takes no mask and is not said to be causal: say causal=True if it is")
    judgeable(subject)
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
    judgeable(subject)
    leak(subject, "padding")
    if not subject.any_length or (subject.crosses and subject.causal):
        return
    for size, hidden in itertools.product(case_sizes(subject), ("padding", "")):
        given = case(subject, size, hidden)
        more = padded_further(subject, given)
        queries = given.shape[1]
        before, after = finite(subject, given), subject.run(more)[:, :queries]
        atol = 10 * subject.tolerance(before)
        changed = real_queries(subject, given) & (difference(before, after).max(axis=-1) > atol)
        if changed.any():
            row, query = map(int, np.argwhere(changed)[0])
            words = f"{subject.whom(query)} changes when the sentence is padded{' further' if hidden else ''}"
            tensors = [line for line in snippets.given(subject, more) if line.partition(" = ")[0] in subject.names]
            steps = {
                "before": f"np.array({subject.text()})",
                "longer": tensors,
                "after": f"np.array({subject.text()})",
            }
            place = subject.place(row, query)
            check = snippets.equal(f"after{place}", f"before{place}", atol)
            raise BrokenError(words, snippets.must_hold(subject, given, check, "padding is nothing", **steps))


def padded_further(subject, given, count=2):
    batch, _, keys = given.mask.shape
    rng = np.random.default_rng([subject.seed, 3])
    more = {}
    for name, x in given.tensors.items():
        if name == "q":
            more[name] = x
            continue
        extra = numbers(subject, name, rng, (batch, count, count))
        extra = np.full_like(extra, subject.pad_id) if name == "ids" and subject.pad_id is not None else extra
        extra = extra + keys if name == "position_ids" else extra
        more[name] = np.concatenate([x, extra], axis=1)
    grow = [(0, 0), (0, 0 if subject.crosses else count), (0, count)]
    mask = np.pad(given.mask, grow, mode="edge")
    padding = np.pad(given.padding, [(0, 0), (0, count)])
    if "padding" in subject.names:
        padding[:, keys:] = True
    else:
        mask[:, :, keys:] = True
    grow[1] = (0, 0) if subject.pooled else grow[1]
    return Case(more, np.pad(given.blocked, grow, constant_values=True), mask, padding, given.causal)


def visible_keys_count(subject):
    told = ["future"] if subject.is_told_of_the_future or subject.causal else []
    told += ["padding"] if subject.can_hide_padding else []
    if not told:
        raise NotApplicableError("nothing tells it who may see whom")
    judgeable(subject)
    for hidden in reversed(told):
        for size in case_sizes(subject, hidden):
            notices_what_it_may(subject, size, hidden)
    if "future" in told:
        own_token.is_noticed(subject)


def notices_what_it_may(subject, size, hidden):
    """Demand that every key that may be seen is noticed: in one of several draws, if the layer hides by itself."""
    given = case(subject, size, hidden)
    finite(subject, given)
    judged = real_queries(subject, given)[..., None] & ~own_place(subject, given) & ~given.blocked
    found = influence(subject, given)
    missing, by_itself = judged & (found == 0), subject.causal
    if missing.any() and not by_itself:
        open_to_all = case(subject, size)
        expected = influence(subject, open_to_all) > 1
        if not (expected & judged).any():  # perhaps what should hide nothing hides everything
            expected = influence(subject, all_hidden(open_to_all)) > 1
        by_itself = not (expected & judged).any()  # it notices no key at all
        missing &= expected | by_itself  # some layers look at few keys, mask or no mask
    if missing.any() and by_itself:
        noticed = noticed_in_other_draws(subject, size, hidden)
        missing &= ~noticed
    if missing.any():
        row, query, key = map(int, np.argwhere(missing)[0])
        whom = subject.whom(query)
        words = f"{whom} notices key {key} with nothing hidden, and no more with {hidden} hidden"
        if by_itself:
            words = f"{whom} does not notice key {key}, which it may see"
            others = (noticed | (found > 0)) & ~own_place(subject, given)
            if subject.crosses and query == key and others.any():
                words = f"{whom} does not notice its own token, key {key}: the look-ahead mask is off by one"
            if not ((found > 1) & given.blocked & ~own_place(subject, given)).any():
                words += hint(subject, others, judged)
        hidden_ones = given.blocked & real_queries(subject, given)[..., None] & ~own_place(subject, given)
        if not by_itself and hidden_ones.any() and (found > 1)[hidden_ones].all():
            words += "; hidden keys count, so the mask looks inverted"
        changed = another(subject, given, row, query, key)
        why = f"{whom} may see key {key}"
        raise BrokenError(words, snippets.must_change(subject, given, changed, row, query, why))


def hint(subject, noticed, judged):
    """Say what a layer may be that notices no other token, or only those of a window."""
    if not noticed.any():
        other = "" if subject.pooled else "other "
        return f"; it notices no {other}token at all: is it the layer that attends, and does call give it all it needs?"
    _, queries, keys = noticed.shape
    distance = np.arange(queries)[:, None] + keys - queries - np.arange(keys)
    for reach in range(2, keys) if subject.causal and not subject.window else ():
        if (noticed == (distance < reach))[judged].all():
            return f"; it notices the last {reach} places only: if it should, say window={reach}"
    return ""


def noticed_in_other_draws(subject, size, hidden):
    """Tell which keys are noticed with other tensors, small ones among them: a steep softmax looks at few keys."""
    found = False
    for draw in range(1, DRAWS):
        rng = np.random.default_rng([subject.seed, 17, draw])
        given = make_case(subject, size, hidden)
        kept = given.tensors
        fresh = {n: numbers(subject, n, rng, size) for n in kept}
        if "ids" in fresh and subject.pad_id is not None:
            fresh["ids"] = np.where(kept["ids"] == subject.pad_id, subject.pad_id, fresh["ids"])
        small = {n: (x * 0.1).astype("float32") if x.dtype.kind == "f" and draw % 2 else x for n, x in fresh.items()}
        found = found | (influence(subject, given.having(**small)) > 0)
    return found


def all_hidden(given):
    """Return the same case with every key hidden, as far as the layer can be told so."""
    return Case(given.tensors, given.blocked | True, given.mask | True, given.padding | True, given.causal)


def alignment(subject):
    if not subject.crosses:
        raise NotApplicableError("its queries are its keys")
    if not (subject.causal or "causal" in subject.names):
        raise NotApplicableError("it was called without a causal switch: masks say who sees whom")
    judgeable(subject)
    for queries, keys in ((1, 2), (2, 3), (2, 5)):
        size = (1, queries, keys)
        given = case(subject, size, "future")
        if "causal" in subject.names:
            mask = np.zeros(size, bool)
            given = Case(given.tensors, np.broadcast_to(future(queries, keys), size), mask, given.padding, True)
        finite(subject, given)
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
            why, atol = "the last query stands on the last key", subject.tolerance(subject.run(given))
            if sees[row, query, key]:
                raise BrokenError(words, snippets.must_stay(subject, given, changed, row, query, why, atol))
            raise BrokenError(words, snippets.must_change(subject, given, changed, row, query, why))

"""Causes that show in who sees whom. Each experiment returns its evidence, False if ruled out, None if it can't tell."""

from __future__ import annotations

import numpy as np

from clear_attention.certify import framework
from clear_attention.certify.case import Case, case, changed_key, difference, influence, make_case, truth
from clear_attention.certify.causes import tools
from clear_attention.certify.order import moves_with_its_tokens, of_equal_tokens, places_that_agree
from clear_attention.certify.visibility import own_token_cases, tells_places_apart


def is_square(subject):
    return not subject.pooled


def masked(subject):
    """Return the case that tells most: with a mask of its own, or with the future hidden, or with padding."""
    if subject.pooled:
        return padded(subject)
    if "mask" in subject.names:
        return tools.random_mask_case(subject)
    if subject.can_hide_the_future:
        return tools.future_case(subject)
    return padded(subject)


def padded(subject):
    length = tools.length_of(subject)
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


# --- the mask, read in another way


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
    after = framework.flat(framework.evaluate(subject, given, tensors={"mask": framework.scaled_mask(subject, given)})[0])
    if difference(before, after).max() == 0:
        return "-1 in the mask does exactly what -inf does, and hidden keys are the ones that are seen"
    return False


def mask_transposed(subject):
    if subject.pooled or not ("mask" in subject.names or subject.can_hide_the_future):
        return None
    given = masked(subject)
    if tools.agrees(subject, given, ~given.blocked[0].T):
        return "query i notices key j where key i is hidden from query j, and nowhere else"
    return False


def heads_not_transposed(subject):
    """Compare who sees whom with what reshaping alone would do: with the future hidden, or with nothing hidden."""
    if subject.pooled:
        return None
    hidden = "future" if subject.can_hide_the_future else ""
    length = tools.length_of(subject)
    cases = [case(subject, (1, n, n), hidden) for n in ((length, 4, 6) if subject.any_length else (length,))]
    for heads in tools.heads_known(subject):
        for way in (split_wrong, split_and_join_wrong, join_wrong):
            if all(explains(subject, given, way, heads) for given in cases):
                return f"who sees whom is what reshaping to {heads} heads, without transposing, makes of it"
    return scrambled(subject)


def explains(subject, given, way, heads):
    """Tell whether a mistake predicts who sees whom, and the right way does not."""
    told, size = ~given.blocked[0], given.shape[1]
    expected = way(told, heads, size, not subject.crosses)
    others = ~np.eye(size, dtype=bool)
    telling = (expected != told)[others].any() and expected[others].any() and not expected.all()
    return telling and tools.agrees(subject, given, expected)


def split_wrong(told, heads, length, own):
    """`(length, heads * depth)` read as `(heads, length, depth)`, and put back with a transpose."""
    return rows_to_tokens(told, heads, length, own, lambda token, head: (head, token))


def split_and_join_wrong(told, heads, length, own):
    return rows_to_tokens(told, heads, length, own, lambda token, head: divmod(token * heads + head, length))


def join_wrong(told, heads, length, own):
    """The right heads, and their outputs put side by side without a transpose."""
    expected = np.zeros((length, length), bool)
    for token in range(length):
        for part in range(heads):
            row = (token * heads + part) % length
            expected[token] |= told[row]
            expected[token, row] |= own
    return expected


def rows_to_tokens(told, heads, length, own, place):
    """Follow the rows of each head back to the tokens that they were cut from."""
    expected = np.zeros((length, length), bool)
    for token in range(length):
        for part in range(heads):
            head, row = place(token, part)
            for other in range(length):
                if told[row, other]:
                    expected[token, (head * length + other) // heads] = True
            expected[token, (head * length + row) // heads] |= own  # the token that the query was cut from
    return expected


def scrambled(subject):
    """Of equal tokens only some places get the same output; or all do, though the order of others is noticed."""
    if subject.causal or subject.positions or subject.crosses or not subject.any_length or moves_with_its_tokens(subject):
        return False
    output = of_equal_tokens(subject, 6)
    if difference(output[:1], output).max() <= subject.tolerance(output):
        length = tools.length_of(subject)
        everyone = tools.sees(subject, case(subject, (1, length, length)))
        if everyone.all():
            return "the order of the tokens matters, yet equal tokens get equal outputs, so nothing was added to them"
        return False
    if places_that_agree(subject):
        return "of equal tokens some places get the same output and others another one"
    return False


# --- padding


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
    gap, atol = real_queries_mind_the_padding_not(subject, given)
    if (gap[~hidden] <= atol).all() and (gap[hidden] > atol).any():
        return "real queries get the same with and without the padding hidden; only the padded ones change"
    return False


# --- the look-ahead mask


def own_token_hidden(subject):
    if subject.pooled or not subject.can_hide_the_future:
        return None
    given = tools.future_case(subject)
    length = given.shape[1]
    strict = np.tri(length, k=-1, dtype=bool)
    output = subject.run(given)[0]
    if subject.crosses:
        if not np.isfinite(output).all():
            return None
        return "query i notices keys 0 to i - 1, and never key i" if tools.agrees(subject, given, strict) else False
    if not np.isfinite(output[0]).all() and np.isfinite(output[1:]).all():
        return "only the first query gives NaN: it has no key left"
    if not np.isfinite(output).all():
        return False
    found = tools.sees(subject, given)[1:]
    if not (found == strict[1:])[:, :][tools.off_diagonal(subject, given)[1:]].all():
        return False
    first = tools.sees(subject, given)[0, 1:]
    if first.all():
        return "only the first query sees later keys, all of them: it has no key left and gets their mean"
    if first.any() or tells_places_apart(subject):
        return False
    for draw in range(4):
        with_one, with_two, without = (subject.run(x)[0, -1] for x in own_token_cases(subject, draw))
        atol = subject.tolerance(with_one)
        if difference(with_one, with_two).max() > atol or difference(with_one, without).max() <= 10 * atol:
            return False
    return "the last of (a, b) gets what the last of (a, a, b) gets: b is not among its keys"


def look_ahead_off_by_one(subject):
    if subject.pooled or not subject.can_hide_the_future:
        return None
    given = tools.future_case(subject)
    length = given.shape[1]
    for ahead in range(1, length - 2):
        expected = np.tri(length, k=ahead, dtype=bool)
        if tools.agrees(subject, given, expected):
            if not tools.weigh_alike(subject, given, expected):
                return False
            which = "one later key" if ahead == 1 else f"{ahead} later keys"
            return f"each query notices {which}, and no more"
    return False


def nothing_hidden(subject):
    given = masked(subject)
    if {"mask", "padding"} & set(subject.names):
        return mask_unused(subject, given)
    if subject.query == "ids" and not subject.can_hide_the_future:
        return None
    if not tools.sees(subject, given)[tools.off_diagonal(subject, given)].all():
        return False
    with framework.places_alike(subject, given.shape[1]):
        if symmetric(subject, given):
            return "tokens in another order give the same outputs in that order, so no key is later than another"
    return False


def mask_unused(subject, given):
    """Tell whether no mask changes anything."""
    open_to_all = Case(given.tensors, given.blocked & False, given.mask & False, given.padding & False, given.causal)
    before, after = subject.run(open_to_all), subject.run(given)
    if difference(before, after).max() == 0:
        return "with the mask and without it the outputs are the same, bit by bit"
    return False


def symmetric(subject, given):
    order = np.roll(np.arange(given.shape[1]), 1)
    moved = given.having(**{name: x[:, order] for name, x in given.tensors.items()})
    before = subject.run(given)[:, order]
    return bool(difference(before, subject.run(moved)).max() < 10 * subject.tolerance(before))


# --- the softmax


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
        return "query 0 changes with query 1, though only keys and values are mixed" if gap > subject.tolerance(before) else False
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
    sums, outputs = [], []
    with framework.places_alike(subject, 4):
        for length in (2, 3, 4):
            shares = 1 / (length - np.arange(length))
            sums += [*np.cumsum(shares)]
            outputs += [*of_equal_tokens(subject, length, "future")]
    outputs, design = np.array(outputs), np.stack([np.ones(len(sums)), sums], axis=1)
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
    """The denominators of the heads are the only way: so many directions are left to move in, before and after a norm."""
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


def mask_too_soft(subject):
    """Where all tokens are equal, a hidden key weighs less than a visible one, always by the same factor, and not 0."""
    given = masked(subject)
    if subject.query == "ids" and not subject.can_hide_the_future:
        return None
    found = []
    for query in range(given.shape[1]):
        hidden = given.blocked[0, query]
        visible = ~hidden & tools.off_diagonal(subject, given)[query]
        size = tools.weights_on_equal_tokens(subject, given, query)
        if size is None:
            return None
        if hidden.any() and visible.any():
            found.append(size[hidden] / size[visible].mean())
    if not found:
        return None
    factors = np.concatenate(found)
    if 1e-6 < factors.min() and factors.max() < 0.9 and factors.max() / factors.min() < 1.05:
        return f"of equal keys a hidden one weighs {factors.mean():.2g} of a visible one: about {-np.log(factors.mean()):.2g} is taken off"
    return False


def upper_left(subject):
    """Keys are counted from the first query, whatever the numbers of queries and keys are."""
    if not subject.crosses:
        return None
    for queries, keys in ((1, 2), (2, 3), (2, 5)):
        size = (1, queries, keys)
        causal = "causal" in subject.names
        given = make_case(subject, size, "future")
        if causal:
            blocked = ~np.tri(queries, keys, dtype=bool)[None]
            given = Case(given.tensors, blocked, np.zeros(size, bool), given.padding, True)
        if not np.array_equal(influence(subject, given)[0] > 1, np.tri(queries, keys, dtype=bool)):
            return False
    return "with 1 query and 2 keys, 2 and 3, 2 and 5, query i notices keys 0 to i"

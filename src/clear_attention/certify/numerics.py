"""The promises about numbers: finite ones, under masks and in 16 bits, and weights that are an average."""

from __future__ import annotations

import numpy as np

from clear_attention.certify import framework, snippets
from clear_attention.certify.case import Case, case, case_sizes, difference, numbers, truth
from clear_attention.certify.verdicts import BrokenError, NotApplicableError, first_line
from clear_attention.certify.visibility import finite


def hidings(subject):
    """Return what the subject can be told to hide, from nothing to padding."""
    found = [""]
    found += ["future"] if subject.can_hide_the_future else []
    return found + (["padding"] if subject.can_hide_padding else [])


def cases(subject):
    for hidden in hidings(subject):
        for size in case_sizes(subject, hidden):
            yield hidden, case(subject, size, hidden)


def told(hidden):
    return f"with {hidden} hidden" if hidden else "with nothing hidden"


def finite_gradients(subject):
    for hidden, given in cases(subject):
        output, found = framework.gradients(subject, given)
        if not np.isfinite(output).all():
            check = "assert np.isfinite(output).all()"
            words = f"its output is not finite {told(hidden)}"
            raise BrokenError(words, snippets.must_hold(subject, given, check, told(hidden)))
        for name, g in found.items():
            if not np.isfinite(g).all():
                example = gradient_example(subject, given, told(hidden))
                raise BrokenError(f"the gradient to {name} is not finite {told(hidden)}", example)
    if subject.query == "ids" and not framework.variables(subject.layer):
        return "outputs; there is nothing to take a gradient to"
    return None


def gradient_example(subject, given, why, poison=(), judged="output"):
    tensors = [n for n, x in given.tensors.items() if x.dtype.kind == "f"]
    steps = {
        "poison": list(poison),
        "variables": [f"{n} = tf.Variable({n})" for n in tensors],
        "tape": [
            "with tf.GradientTape() as tape:",
            f"    output = {subject.text()}",
            f"    total = tf.reduce_sum(tf.sin({judged}))",
        ],
        "weights": f"[{', '.join(tensors)}, *getattr(layer, 'trainable_variables', [])]",
        "slopes": "[g for g in tape.gradient(total, weights) if g is not None]",
    }
    check = "assert all(np.isfinite(np.array(tf.convert_to_tensor(g))).all() for g in slopes)"
    return snippets.must_hold(subject, given, check, why, **steps)


def hidden_nan(subject):
    if subject.query == "ids":
        raise NotApplicableError("ids cannot be NaN")
    for hidden, given in cases(subject):
        if not hidden:
            continue
        keys = given.mask.shape[2]
        before = finite(subject, given)
        hidden_keys = given.padded if hidden == "padding" else given.blocked.any(axis=1)
        hidden_keys &= np.arange(keys) == keys - 1 if hidden == "future" else True
        judged = ~(~given.blocked & hidden_keys[:, None]).any(axis=-1)  # queries that see none of them
        if not (subject.crosses or subject.pooled):
            judged &= ~hidden_keys
        if not (hidden_keys.any() and judged.any()):
            continue
        for strange in (np.nan, np.inf, 1e10):
            poisoned = given.having(
                **{n: np.where(hidden_keys[..., None], np.float32(strange), given.tensors[n]) for n in subject.content}
            )
            after, slopes = framework.gradients(subject, poisoned, judged)
            atol = 10 * subject.tolerance(before)
            changed = judged & (difference(before, after).max(axis=-1) > atol)
            if changed.any():
                row, query = map(int, np.argwhere(changed)[0])
                words = f"{strange:g} in a hidden key changes {subject.whom(query)}, {told(hidden)}"
                why = f"{subject.whom(query)} may not see it"
                raise BrokenError(words, snippets.must_stay(subject, given, poisoned, row, query, why, atol))
            if hidden == "future" and not subject.is_told_of_the_future:
                continue  # nothing is masked that a gradient could be kept from
            for name, g in slopes.items():
                if not np.isfinite(g[~hidden_keys] if name in subject.content else g).all():
                    words = f"{strange:g} in a hidden key spoils the gradient to {name}, {told(hidden)}"
                    poison = snippets.changes(given, poisoned)
                    seen = f"tf.boolean_mask(output, np.array({judged.tolist()}))"
                    example = gradient_example(subject, given, "what is hidden reaches no weight", poison, seen)
                    raise BrokenError(words, example)
    if hidings(subject) == [""]:
        raise NotApplicableError("nothing tells it what to hide")
    return None


def emptied(subject):
    """Yield cases in which one query has no key left, and where that query stands: each query once."""
    if "mask" in subject.names:
        for size in ((1, 1, 2) if subject.crosses else (1, 2, 2), (1, 3, 3)):
            for query in range(1 if subject.pooled else size[1]):
                given, mask = case(subject, size), np.zeros(size, bool)
                mask[0, slice(None) if subject.pooled else query] = True
                yield Case(given.tensors, truth(subject, mask), mask, given.padding), (0, query)
    elif "padding" in subject.names:
        size = (2, 1, 2) if subject.crosses else (2, 2, 2)
        for row in range(2):
            given, padding = case(subject, size), np.arange(2)[:, None] == np.full(2, row)
            blocked = truth(subject, np.broadcast_to(padding[:, None], size))
            for query in range(given.shape[1]):
                yield Case(given.tensors, blocked, given.mask, padding), (row, query)


def empty_query(subject):
    found = [*emptied(subject)]
    if not found or subject.query == "ids":
        raise NotApplicableError("no mask can take all keys from a query")
    finite(subject, case(subject, next(case_sizes(subject))))
    words = [without_a_key(subject, given, row, query) for given, (row, query) in found]
    return words[0]


def without_a_key(subject, given, row, query):
    whole, slopes = framework.gradients(subject, given)
    output, place, why = whole[row, query], subject.place(row, query), f"{subject.whom(query)} sees no key"
    if not np.isfinite(output).all():
        check = f"assert np.isfinite(output{place}).all()"
        raise BrokenError("its output is NaN", snippets.must_hold(subject, given, check, "no key left"))
    for name, g in slopes.items():
        if not np.isfinite(g).all():
            raise BrokenError(f"the gradient to {name} is not finite", gradient_example(subject, given, "no key left"))
    rng = np.random.default_rng([subject.seed, 5])
    others = {n: numbers(subject, n, rng, given.mask.shape) for n in subject.content}
    if not (subject.crosses or subject.pooled):
        for name, x in others.items():
            x[:, query] = given.tensors[name][:, query]
    elsewhere = given.having(**others)
    atol = subject.tolerance(whole)
    if difference(output, subject.run(elsewhere)[row, query]).max() > atol:
        words = "it changes with keys that are hidden from it"
        if subject.crosses and gets_the_mean(subject, given, row, query):
            words = "it gets the mean of all values, of hidden ones too"
        raise BrokenError(words, snippets.must_stay(subject, given, elsewhere, row, query, why, atol))
    return "its output is 0" if (output == 0).all() else "its output does not depend on any key"


def gets_the_mean(subject, given, row, query):
    """Compare with a query that sees all keys, when all keys are alike and only values differ."""
    if "v" not in subject.names:
        return False
    keys = given.tensors["k"]
    alike = given.having(k=np.broadcast_to(keys[:, :1], keys.shape).copy())
    open_to_all = Case(alike.tensors, given.blocked & False, given.mask & False, given.padding & False)
    found = difference(subject.run(alike)[row, query], subject.run(open_to_all)[row, query])
    return bool(found.max() < 1e-3)


def weights_sum_to_one(subject):
    if "return_weights" not in subject.names:
        return through_values(subject)
    for hidden, given in cases(subject):
        finite(subject, given)
        found = subject.run_with_weights(given)[1]
        fit = [i for i, w in enumerate(found) if w.shape[0] == given.shape[0] and w.shape[-2:] == given.shape[1:]]
        if not fit:
            words = f"weights have shape {found[0].shape}, not (batch, ..., query_length, key_length) = {given.shape}"
            raise BrokenError(words, weights_example(subject, given, 0, f"assert w.shape[-2:] == {given.shape[1:]}"))
        for number in fit:  # others are those of another attention, such as cross-attention to a fixed context
            w = found[number]
            blocked = given.blocked.reshape(given.shape[0], *[1] * (w.ndim - 3), *given.shape[1:])
            if (np.abs(w) * blocked > 1e-5).any():
                check = f"assert not (w * np.array({blocked.astype(int).tolist()})).any()"
                words = f"a hidden key has a weight, {told(hidden)}"
                raise BrokenError(words, weights_example(subject, given, number, check))
            sums = w.sum(axis=-1)
            some = np.broadcast_to(~blocked.all(axis=-1), sums.shape)
            atol = max(1e-3, subject.rounding)
            if (w < -1e-5).any() or (np.abs(sums - 1) * some > atol).any():
                worst = sums[some][np.abs(sums[some] - 1).argmax()]
                over = np.allclose(w.sum(axis=-2), 1, atol=1e-3) and not hidden
                words = f"a query's weights sum to {worst:.3g}, {told(hidden)}" + ("; the keys' do" if over else "")
                check = snippets.equal(f"w.sum(-1)[np.array({some.tolist()})]", 1, atol)
                raise BrokenError(words, weights_example(subject, given, number, check))
    return None


def weights_example(subject, given, number, check):
    lines = {
        "return_weights": "True",
        "result": subject.text(),
        "w": f"np.array(tf.nest.flatten(result[1])[{number}])",
    }
    return snippets.must_hold(subject, given, check, "one weight for each query and key", **lines)


def through_values(subject):
    """Without weights: where all values are alike, their average is no matter of keys."""
    if "v" not in subject.names:
        raise NotApplicableError("it does not return its weights, and has no values of their own")
    for hidden, given in cases(subject):
        values = np.broadcast_to(given.tensors["v"][:, :1], given.tensors["v"].shape).copy()
        given = given.having(v=values)
        rng = np.random.default_rng([subject.seed, 11])
        other = given.having(k=numbers(subject, "k", rng, given.shape))
        before, after = finite(subject, given), subject.run(other)
        some = ~given.blocked.all(axis=-1)
        atol = 10 * subject.tolerance(before)
        changed = some & (difference(before, after).max(axis=-1) > atol)
        if changed.any():
            row, query = map(int, np.argwhere(changed)[0])
            words = f"all values are alike, yet their average changes with the keys, {told(hidden)}"
            why = "an average of equal values"
            raise BrokenError(words, snippets.must_stay(subject, given, other, row, query, why, atol))
    return "seen through equal values, since it does not return its weights"


def weights_flag(subject):
    if "return_weights" not in subject.names:
        raise NotApplicableError("it cannot be asked for its weights")
    finite(subject, case(subject, next(case_sizes(subject))))
    for hidden, given in [*cases(subject), *(("all keys", given) for given, _ in emptied(subject))]:
        without, asked = subject.run(given), subject.run_with_weights(given)[0]
        atol = subject.tolerance(without)
        if difference(without, asked).max() > atol:
            lines = {
                "without": f"np.array({subject.text()})",
                "return_weights": "True",
                "asked": f"np.array(({subject.text()})[0])",
            }
            check = snippets.equal("asked", "without", atol)
            example = snippets.must_hold(subject, given, check, "the same output", **lines)
            raise BrokenError(f"the output changes when weights are asked for, {told(hidden)}", example)


def finite_in_16_bits(subject):
    half = framework.InHalf(subject)
    if half.impossible:
        raise NotApplicableError("it cannot be made again from its config")
    if subject.query == "ids" and not half.is_layer:
        raise NotApplicableError("a function of ids has no dtype to choose")
    for hidden, given in cases(subject):
        finite(subject, given)
        try:
            output, dtype = half.run(given)
        except Exception as error:
            if not half.is_layer:
                raise NotApplicableError(f"it does not take float16: {first_line(error)}") from error
            words = f"with the policy mixed_float16 it raises {first_line(error)}"
            raise BrokenError(words, half_example(subject, given, told(hidden), half.is_layer)) from error
        if dtype != "float16" and subject.query != "ids":
            raise NotApplicableError(f"asked for float16 it gives {dtype}")
        if not np.isfinite(output).all():
            example = half_example(subject, given, told(hidden), half.is_layer)
            raise BrokenError(f"its output is not finite {told(hidden)}", example)


def half_example(subject, given, why, is_layer):
    steps: dict[str, str | list[str]] = {}
    if is_layer:
        steps["layer"] = [
            "weights = layer.get_weights()",
            "keras.config.set_dtype_policy('mixed_float16')",
            "layer = type(layer).from_config({**layer.get_config(), 'dtype': 'mixed_float16'})",
            "keras.config.set_dtype_policy('float32')",
            f"{subject.text()}  # which builds it",
            "layer.set_weights(weights or layer.get_weights())",
        ]
    arguments = subject.arguments(given)
    steps["cast"] = [f"{n} = tf.cast({n}, 'float16')" for n, x in arguments.items() if framework.is_float(x)]
    steps["output"] = f"np.array({subject.text()})"
    imports = ["import keras"] if is_layer else []
    return snippets.must_hold(subject, given, "assert np.isfinite(output).all()", why, imports, **steps)

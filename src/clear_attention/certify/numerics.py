"""The promises about numbers: finite ones, weights, batches, lengths, modes, 16 bits, files."""

from __future__ import annotations

import copy

import keras
import numpy as np
import tensorflow as tf

from clear_attention.certify import snippets
from clear_attention.certify.case import Case, case, case_sizes, difference, flat, numbers
from clear_attention.certify.subject import first_line
from clear_attention.certify.visibility import BrokenError, NotApplicableError


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


def gradients(subject, given, judged=None):
    """Return output and the gradients of all judged outputs to tensors and weights, by name."""
    tensors = {n: tf.constant(x) for n, x in given.tensors.items() if x.dtype.kind == "f"}
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        output = subject.run(given, tensors=tensors)
        outputs = output if judged is None else tf.boolean_mask(output, judged)
        total = tf.reduce_sum(tf.sin(outputs))
    wanted = {**tensors, **{v.path if hasattr(v, "path") else v.name: v for v in subject.variables()}}
    found = tape.gradient(total, list(wanted.values()))
    return output, {name: g for name, g in zip(wanted, found, strict=True) if g is not None}


def finite_gradients(subject):
    for hidden, given in cases(subject):
        output, found = gradients(subject, given)
        if not np.isfinite(flat(output)).all():
            check = "assert np.isfinite(output).all()"
            words = f"its output is not finite {told(hidden)}"
            raise BrokenError(words, snippets.must_hold(subject, given, check, told(hidden)))
        for name, g in found.items():
            if not np.isfinite(np.array(tf.convert_to_tensor(g), "float64")).all():
                example = gradient_example(subject, given, told(hidden))
                raise BrokenError(f"the gradient to {name} is not finite {told(hidden)}", example)
    if subject.query == "ids" and not subject.variables():
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
        size = given.shape
        before = flat(subject.run(given))
        if not np.isfinite(before).all():
            raise NotApplicableError("its output is not finite to begin with, see finite_gradients")
        hidden_keys = given.blocked.all(axis=1) if hidden == "padding" else given.blocked.any(axis=1)
        hidden_keys &= np.arange(size[2]) == size[2] - 1 if hidden == "future" else True
        judged = ~(~given.blocked & hidden_keys[:, None]).any(axis=-1)  # queries that see none of them
        if not subject.crosses:
            judged &= ~hidden_keys
        if not (hidden_keys.any() and judged.any()):
            continue
        for strange in (np.nan, np.inf, 1e10):
            poisoned = given.having(
                **{n: np.where(hidden_keys[..., None], np.float32(strange), given.tensors[n]) for n in subject.content}
            )
            after, slopes = gradients(subject, poisoned, judged)
            atol = 10 * subject.tolerance(before)
            changed = judged & (difference(before, flat(after)).max(axis=-1) > atol)
            if changed.any():
                row, query = map(int, np.argwhere(changed)[0])
                words = f"{strange:g} in a hidden key changes query {query}, {told(hidden)}"
                why = f"query {query} may not see it"
                raise BrokenError(words, snippets.must_stay(subject, given, poisoned, row, query, why, atol))
            if hidden == "future" and not subject.is_told_of_the_future:
                continue  # nothing is masked that a gradient could be kept from
            for name, g in slopes.items():
                size_of = np.array(tf.convert_to_tensor(g), "float64")
                size_of = size_of[~hidden_keys] if name in subject.content else size_of
                if not np.isfinite(size_of).all():
                    words = f"{strange:g} in a hidden key spoils the gradient to {name}, {told(hidden)}"
                    poison = snippets.changes(given, poisoned)
                    seen = f"tf.boolean_mask(output, np.array({judged.tolist()}))"
                    example = gradient_example(subject, given, "what is hidden reaches no weight", poison, seen)
                    raise BrokenError(words, example)
    if hidings(subject) == [""]:
        raise NotApplicableError("nothing tells it what to hide")
    return None


def emptied(subject):
    """Make a case in which the first query of the first sentence has no key left."""
    if "mask" in subject.names:
        size = (1, 1, 2) if subject.crosses else (1, 2, 2)
        given = case(subject, size)
        mask = np.zeros(size, bool)
        mask[0, 0] = True
        return Case(given.tensors, mask, mask, given.padding)
    if "padding" in subject.names:
        size = (2, 1, 2) if subject.crosses else (2, 2, 2)
        given = case(subject, size)
        padding = np.array([[True] * 2, [False] * 2])
        blocked = np.broadcast_to(padding[:, None], size)
        return Case(given.tensors, blocked, given.mask, padding)
    return None


def empty_query(subject):
    given = emptied(subject)
    if given is None or subject.query == "ids":
        raise NotApplicableError("no mask can take all keys from a query")
    output, slopes = gradients(subject, given)
    output = flat(output)[0, 0]
    finite = "assert np.isfinite(output[0, 0]).all()"
    if not np.isfinite(output).all():
        raise BrokenError("its output is NaN", snippets.must_hold(subject, given, finite, "no key left"))
    for name, g in slopes.items():
        if not np.isfinite(np.array(tf.convert_to_tensor(g), "float64")).all():
            raise BrokenError(f"the gradient to {name} is not finite", gradient_example(subject, given, "no key left"))
    rng = np.random.default_rng([subject.seed, 5])
    others = {n: numbers(subject, n, rng, given.shape) for n in subject.content}
    if not subject.crosses:
        others = {n: np.concatenate([given.tensors[n][:, :1], x[:, 1:]], axis=1) for n, x in others.items()}
    elsewhere = given.having(**others)
    atol = subject.tolerance(output)
    if difference(output, flat(subject.run(elsewhere))[0, 0]).max() > atol:
        words = "it changes with keys that are hidden from it"
        if subject.crosses and gets_the_mean(subject, given):
            words = "it gets the mean of all values, of hidden ones too"
        why = "query 0 sees no key"
        raise BrokenError(words, snippets.must_stay(subject, given, elsewhere, 0, 0, why, atol))
    if (output == 0).all():
        return "its output is 0"
    return "its output does not depend on any key"


def gets_the_mean(subject, given):
    """Compare with a query that sees all keys, when all keys are alike and only values differ."""
    if "v" not in subject.names:
        return False
    keys = given.tensors["k"]
    alike = given.having(k=np.broadcast_to(keys[:, :1], keys.shape).copy())
    open_to_all = Case(alike.tensors, given.blocked & False, given.mask & False, given.padding & False)
    found = difference(flat(subject.run(alike))[0, 0], flat(subject.run(open_to_all))[0, 0])
    return bool(found.max() < 1e-3)


def weights_sum_to_one(subject):
    if "return_weights" not in subject.names:
        return through_values(subject)
    for hidden, given in cases(subject):
        found = [np.array(w, "float64") for w in subject.run(given, return_weights=True)[1]]
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
        before, after = flat(subject.run(given)), flat(subject.run(other))
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
    empty = emptied(subject)
    for hidden, given in [*cases(subject), *([("all keys", empty)] if empty else [])]:
        without = flat(subject.run(given))
        asked = flat(subject.run(given, return_weights=True)[0])
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
    if isinstance(subject.layer, keras.Layer):
        half = copy.copy(subject)
        half.layer = subject.twin("mixed_float16")
        if half.layer is None:
            raise NotApplicableError("it cannot be made again from its config")
    elif subject.query == "ids":
        raise NotApplicableError("a function of ids has no dtype to choose")
    else:
        half = subject
    for number, (hidden, given) in enumerate(cases(subject)):
        cast = {n: tf.cast(x, tf.float16) for n, x in given.tensors.items() if x.dtype.kind == "f"}
        try:
            if half is not subject and not number:
                half.run(given)  # which builds it
                half.layer.set_weights(subject.layer.get_weights())
            output = half.run(given, tensors={**cast, **half.masks_as(given, tf.float16)})
        except Exception as error:
            if half is subject:
                raise NotApplicableError(f"it does not take float16: {first_line(error)}") from error
            raise BrokenError(f"it raises {first_line(error)}", half_example(subject, given, told(hidden))) from error
        if output.dtype != tf.float16 and subject.query != "ids":
            raise NotApplicableError(f"asked for float16 it gives {output.dtype.name}")
        if not np.isfinite(flat(output)).all():
            raise BrokenError(f"its output is not finite {told(hidden)}", half_example(subject, given, told(hidden)))
    return None


def half_example(subject, given, why):
    cast = [f"{n} = tf.cast({n}, 'float16')" for n, x in subject.arguments(given).items() if is_float(x)]
    steps: dict[str, str | list[str]] = {"cast": cast}
    if isinstance(subject.layer, keras.Layer):
        steps["layer"] = "type(layer).from_config({**layer.get_config(), 'dtype': 'mixed_float16'})"
    steps["output"] = f"np.array({subject.text()})"
    return snippets.must_hold(subject, given, "assert np.isfinite(output).all()", why, **steps)


def is_float(x):
    return not isinstance(x, bool) and np.asarray(x).dtype.kind == "f"

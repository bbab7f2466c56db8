"""The promises about what changes nothing: other sentences, lengths, modes, a file."""

from __future__ import annotations

import numpy as np

from clear_attention.certify import framework, snippets
from clear_attention.certify.case import Case, case, case_sizes, difference, numbers
from clear_attention.certify.framework import NoQueryAxisError
from clear_attention.certify.numerics import hidings, told
from clear_attention.certify.verdicts import BrokenError, NotApplicableError, blaming, first_line
from clear_attention.certify.visibility import finite


def repeatable(subject):
    if not subject.unsteady:
        return
    given = case(subject, next(case_sizes(subject)))
    steps = {"before": f"np.array({subject.text()})", "after": f"np.array({subject.text()})"}
    example = snippets.must_hold(
        subject, given, "np.testing.assert_array_equal(after, before)", "the same call", **steps
    )
    raise BrokenError("two equal calls give other numbers, as with a dropout that is active at inference", example)


def like_another(subject):
    """Compare with a layer or function that is right, called as it is known to be, or in the same way."""
    other = subject.claims.like
    if other is None:
        raise NotApplicableError("there is nothing to compare it with: say like= a layer or function that is right")
    twin = subject.called_like(other)
    for hidden in hidings(subject):
        for size in case_sizes(subject, hidden):
            given = case(subject, size, hidden)
            before, ours = finite(subject, given), twin.arguments(given)
            steps = {
                "output": f"np.array({subject.text()})",
                "masks": [f"{n} = {snippets.tensor(ours[n])}" for n in ("mask", "padding") if n in ours],
                "switch": ["return_weights = False"] if "return_weights" in ours else [],
                "due": f"np.array({twin.text('like')})",
            }
            why, check = "like is what certify was given", "assert output.shape == due.shape"
            example = snippets.must_hold(subject, given, check, why, **steps)
            with blaming("like", example):
                try:
                    due = twin.run(given)
                except NoQueryAxisError as error:
                    raise BrokenError(f"{twin.name} gives another shape: {error}", example) from error
            if due.shape != before.shape:
                raise BrokenError(f"{twin.name} gives {due.shape[-1]} numbers, and it {before.shape[-1]}", example)
            atol = 10 * subject.tolerance(before)
            gap = difference(before, due)
            if (gap > atol).any():
                row, query = map(int, np.argwhere(gap.max(axis=-1) > atol)[0])
                place = subject.place(row, query)
                check = snippets.equal(f"output{place}", f"due{place}", atol)
                example = snippets.must_hold(subject, given, check, why, **steps)
                words = f"{subject.whom(query)} is {gap.max():.2g} away from {twin.name}, {told(hidden)}"
                raise BrokenError(words, example)
    return f"those of {twin.name}"


def batch_independence(subject):
    for length in subject.lengths:
        for hidden in hidings(subject):
            given = with_places_of_their_own(case(subject, (2, length, length), hidden), hidden)
            rng = np.random.default_rng([subject.seed, 13])
            other = {n: x.copy() for n, x in given.tensors.items()}
            for name, x in other.items():
                fresh = numbers(subject, name, rng, given.shape)
                x[1] = np.where(x[1] == subject.pad_id, x[1], fresh[1]) if name == "ids" else fresh[1]
            changed = given.having(**other)
            before, after = finite(subject, given), subject.run(changed)
            gap, atol = difference(before[0], after[0]).max(axis=-1), subject.tolerance(before)
            if (gap > atol).any():
                query = int(np.argmax(gap > atol))
                words = f"sentence 0 changes with sentence 1, at {subject.whom(query)}, {told(hidden)}"
                why = "another sentence"
                raise BrokenError(words, snippets.must_stay(subject, given, changed, 0, query, why, atol))
            for row in range(2):
                first = one_sentence(given, row)
                gap = difference(before[row : row + 1], subject.run(first)).max(axis=-1)
                if (gap > 10 * atol).any():
                    lines = snippets.given(subject, first)
                    arguments = [line for line in lines if line.partition(" = ")[0] in subject.names]
                    steps = {
                        "together": f"np.array({subject.text()})",
                        "first": arguments,
                        "alone": f"np.array({subject.text()})",
                    }
                    check = snippets.equal("alone[0]", f"together[{row}]", 10 * atol)
                    example = snippets.must_hold(subject, given, check, "the same sentence", **steps)
                    words = f"sentence {row} of a batch gives other outputs than alone, {told(hidden)}"
                    raise BrokenError(words, example)


def with_places_of_their_own(given, hidden):
    """Give the second of two sentences other places, and two texts packed in it, unless padding could empty one."""
    tensors = {n: x.copy() for n, x in given.tensors.items()}
    if "position_ids" in tensors:
        tensors["position_ids"][1] = np.roll(tensors["position_ids"][1], 1)
    if "segment_ids" in tensors and hidden != "padding":
        tensors["segment_ids"][1, -1] = 1
    return given.having(**tensors)


def one_sentence(given, row):
    tensors = {n: x[row : row + 1] for n, x in given.tensors.items()}
    blocked, mask, padding = (x[row : row + 1] for x in (given.blocked, given.mask, given.padding))
    return Case(tensors, blocked, mask, padding, given.causal)


def lengths(subject):
    tried = sorted({1, *subject.lengths, subject.depth, subject.depth + 1} if subject.any_length else subject.lengths)
    for length in tried:
        for queries in {length, 1} if subject.crosses and not subject.causal else {length}:
            given = case(subject, (2, queries, length))
            check = f"assert output.ndim > 2 and output.shape[:2] == (2, {queries})"
            check = "assert output.shape[0] == 2" if subject.pooled or subject.one_number_each else check
            example = snippets.must_hold(subject, given, check, "one output for each query")
            try:
                subject.run(given)
            except NoQueryAxisError as error:
                raise BrokenError(f"with length {length} {error}", example) from error
            except Exception as error:
                words = f"with length {length} it raises {first_line(error)} (if it has a largest length, say lengths=)"
                raise BrokenError(words, example) from error
    return f"lengths {', '.join(map(str, tried))}"


def modes_agree(subject):
    length = subject.lengths[0]
    traced: dict = {}
    for hidden in dict.fromkeys((hidings(subject)[0], hidings(subject)[-1])):
        given = case(subject, (1, length, length), hidden)
        eager = finite(subject, given)
        atol = subject.tolerance(eager)
        names = ", ".join(n for n, x in subject.arguments(given).items() if not isinstance(x, bool))
        for name, compiled in (("graph", False), ("XLA", True)):
            steps = {
                "eager": f"np.array({subject.text()})",
                name: f"np.array(tf.function(lambda {names}: {subject.text()}, jit_compile={compiled})({names}))",
            }
            check = snippets.equal(name, "eager", atol)
            example = snippets.must_hold(subject, given, check, "the same numbers", **steps)
            try:
                other = framework.trace(subject, given, compiled, traced)
            except Exception as error:
                if "symbolic" in str(error) and "numpy" in str(error):
                    raise NotApplicableError(f"it leaves TensorFlow: {first_line(error)}") from error
                raise BrokenError(f"in {name} it raises {first_line(error)}", example) from error
            if difference(eager, other).max() > atol:
                raise BrokenError(f"in {name} it gives other numbers than eagerly, {told(hidden)}", example)


def save_load(subject):
    if not framework.is_layer(subject.layer):
        raise NotApplicableError("a function holds nothing to save")
    length = subject.lengths[0]
    given = case(subject, (1, length, length), hidings(subject)[-1])
    finite(subject, given)
    arguments = subject.arguments(given)
    switches = [name for name, x in arguments.items() if isinstance(x, bool)]
    data = [name for name in arguments if name not in switches]
    steps = {
        "data": f"dict({', '.join(f'{n}={n}' for n in data)})",
        "before": f"np.array({subject.text()})",
        **{n: f"keras.Input({n}.shape[1:], batch_size=1, dtype={n}.dtype.name)" for n in data},
        "inputs": f"dict({', '.join(f'{n}={n}' for n in data)})",
        "model": f"keras.Model(inputs, {subject.text()})",
        "file": ["model.save('layer.keras')"],
        "after": "np.array(keras.models.load_model('layer.keras')(data))",
    }
    check = "np.testing.assert_array_equal(after, before)"
    example = snippets.must_hold(subject, given, check, "the same bits", ["import keras"], **steps)
    try:
        before, after, registered = framework.saved_and_loaded(subject, given)
    except Exception as error:
        raise BrokenError(f"it raises {first_line(error)}", example) from error
    if before.shape != after.shape or difference(before, after).max() > 0:
        raise BrokenError("a loaded layer gives other numbers", example)
    return None if registered else "with custom_objects; keras.saving.register_keras_serializable makes it load without"

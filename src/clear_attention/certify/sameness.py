"""The promises about what changes nothing: order, other sentences, lengths, modes, a file."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from clear_attention.certify import snippets
from clear_attention.certify.case import Case, case, case_sizes, difference, flat, numbers
from clear_attention.certify.numerics import hidings, told
from clear_attention.certify.subject import NoQueryAxisError, first_line
from clear_attention.certify.visibility import BrokenError, NotApplicableError, finite_to_begin_with


def key_permutation(subject):
    if subject.causal:
        raise NotApplicableError("a causal layer knows an order")
    if not subject.crosses:
        if moves_with_its_tokens(subject):
            return "tokens in another order give the same outputs in that order"
        raise NotApplicableError("it tells positions apart")
    for size in case_sizes(subject):
        if size[2] < 2:
            continue
        for hidden in ("", "padding") if subject.can_hide_padding else ("",):
            given = case(subject, size, hidden)
            order = np.roll(np.arange(size[2]), 1)
            moved = {n: given.tensors[n][:, order] for n in subject.content}
            masks = given.blocked[..., order], given.mask[..., order], given.padding[:, order]
            after = Case({**given.tensors, **moved}, *masks, given.causal)
            before = flat(subject.run(given))
            gap, atol = difference(before, flat(subject.run(after))).max(axis=-1), 10 * subject.tolerance(before)
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


def moves_with_its_tokens(subject):
    given = case(subject, (1, subject.lengths[-1], subject.lengths[-1]))
    order = np.roll(np.arange(given.shape[1]), 1)
    moved = given.having(**{subject.query: given.tensors[subject.query][:, order]})
    before = flat(subject.run(given))
    return difference(before[:, order], flat(subject.run(moved))).max() < 10 * subject.tolerance(before)


def positions(subject):
    if subject.crosses or not subject.positions:
        raise NotApplicableError("it is not said to know positions: say positions=True if it does")
    if moves_with_its_tokens(subject):
        size = (1, subject.lengths[0], subject.lengths[0])
        given, name = case(subject, size), subject.query
        order = np.roll(np.arange(size[1]), 1).tolist()
        steps = {
            "before": f"np.array({subject.text()})",
            "moved": [f"{name} = tf.gather({name}, {order}, axis=1)"],
            "after": f"np.array({subject.text()})",
        }
        check = f"assert not np.allclose(after, before[:, {order}], atol=1e-4)"
        example = snippets.must_hold(subject, given, check, "another order, another meaning", **steps)
        raise BrokenError("tokens in another order give the same outputs in that order", example)


def batch_independence(subject):
    for length in subject.lengths:
        for hidden in hidings(subject):
            given = case(subject, (2, length, length), hidden)
            rng = np.random.default_rng([subject.seed, 13])
            other = {n: x.copy() for n, x in given.tensors.items()}
            for name, x in other.items():
                fresh = numbers(subject, name, rng, given.shape)
                x[1] = np.where(x[1] == subject.pad_id, x[1], fresh[1]) if name == "ids" else fresh[1]
            changed = given.having(**other)
            before, after = flat(subject.run(given)), flat(subject.run(changed))
            gap, atol = difference(before[0], after[0]).max(axis=-1), subject.tolerance(before)
            if (gap > atol).any():
                query = int(np.argmax(gap > atol))
                words = f"sentence 0 changes with sentence 1, at query {query}, {told(hidden)}"
                why = "another sentence"
                raise BrokenError(words, snippets.must_stay(subject, given, changed, 0, query, why, atol))
            first = first_sentence(given)
            gap = difference(before[:1], flat(subject.run(first))).max(axis=-1)
            if (gap > 10 * atol).any():
                arguments = [line for line in snippets.given(subject, first) if " = " in line]
                steps = {
                    "together": f"np.array({subject.text()})",
                    "first": arguments,
                    "alone": f"np.array({subject.text()})",
                }
                check = snippets.equal("alone[0]", "together[0]", 10 * atol)
                example = snippets.must_hold(subject, given, check, "the same sentence", **steps)
                raise BrokenError(f"a sentence alone gives other outputs than in a batch, {told(hidden)}", example)


def first_sentence(given):
    tensors = {n: x[:1] for n, x in given.tensors.items()}
    return Case(tensors, given.blocked[:1], given.mask[:1], given.padding[:1], given.causal)


def lengths(subject):
    tried = sorted({1, *subject.lengths, subject.depth, subject.depth + 1} if subject.any_length else subject.lengths)
    for length in tried:
        for queries in {length, 1} if subject.crosses and not subject.causal else {length}:
            given = case(subject, (2, queries, length))
            check = f"assert output.ndim > 2 and output.shape[:2] == (2, {queries})"
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
    traced: dict[tuple[bool, bool], tf.types.experimental.ConcreteFunction] = {}
    for hidden in dict.fromkeys((hidings(subject)[0], hidings(subject)[-1])):
        given = case(subject, (1, length, length), hidden)
        finite_to_begin_with(subject, given)
        eager, tensors = flat(subject.run(given)), subject.tensors(given)
        atol, names = subject.tolerance(eager), ", ".join(tensors)
        for name, compiled in (("graph", False), ("XLA", True)):
            steps = {
                "eager": f"np.array({subject.text()})",
                name: f"np.array(tf.function(lambda {names}: {subject.text()}, jit_compile={compiled})({names}))",
            }
            check = snippets.equal(name, "eager", atol)
            example = snippets.must_hold(subject, given, check, "the same numbers", **steps)
            try:
                other = flat(in_mode(subject, given, tensors, compiled, traced))
            except Exception as error:
                if "symbolic" in str(error) and "numpy" in str(error):
                    raise NotApplicableError(f"it leaves TensorFlow: {first_line(error)}") from error
                raise BrokenError(f"in {name} it raises {first_line(error)}", example) from error
            if difference(eager, other).max() > atol:
                raise BrokenError(f"in {name} it gives other numbers than eagerly, {told(hidden)}", example)


def in_mode(subject, given, tensors, compiled, traced):
    """Call the subject as a graph, which is traced once for all masks; XLA compiles the same graph."""
    key = (compiled, given.causal)
    if key not in traced:
        run = traced[False, given.causal] if compiled else lambda tensors: subject.run(given, tensors=tensors)
        traced[key] = tf.function(run, jit_compile=compiled).get_concrete_function(tensors)
    return traced[key](tensors)


def save_load(subject):
    if not isinstance(subject.layer, keras.Layer):
        raise NotApplicableError("a function holds nothing to save")
    length = subject.lengths[0]
    given = case(subject, (1, length, length), hidings(subject)[-1])
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
        before, after, registered = subject.saved_and_loaded(given)
    except Exception as error:
        raise BrokenError(f"it raises {first_line(error)}", example) from error
    if before.shape != after.shape or difference(before, after).max() > 0:
        raise BrokenError("a loaded layer gives other numbers", example)
    return None if registered else "with custom_objects; keras.saving.register_keras_serializable makes it load without"

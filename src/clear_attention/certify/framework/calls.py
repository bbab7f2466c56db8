"""How a layer is called with arrays, and what it and its gradients answer."""

from __future__ import annotations

import contextlib
import copy
import re
import tempfile
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from clear_attention.certify import refusals
from clear_attention.certify.framework.layers import embedded_and, is_layer, twin, variables
from clear_attention.certify.verdicts import NotApplicableError
from clear_attention.masks import conventions

ROUNDING = {"float16": 1e-2, "bfloat16": 8e-2}  # about ten units in the last place; else 1e-5


class NoQueryAxisError(Exception):
    """The output has no axis for queries, so nothing can be said about what one of them sees."""


class PooledError(NoQueryAxisError):
    """The output is one row of numbers for each sentence; the second argument says how many."""

    def __str__(self):
        return self.args[0]


class NoGradientError(NotApplicableError):
    """The output is made of integers or of True and False."""

    def __init__(self, output):
        super().__init__(f"its output is {output.dtype.name}, which has no gradient")


def in_convention(blocked, convention):
    """Write a bool mask in the values of a convention, as an array."""
    with tf.init_scope():  # at once, in a graph too
        return conventions.values(tf.constant(blocked), convention).numpy()


def evaluate(subject, case, return_weights=False, tensors=None):
    """Call the layer with tensors; return output and weights as tensors, the output `(batch, query_length, ...)`."""
    arguments = subject.arguments(case, return_weights)
    arguments = {n: tf.constant(x) if isinstance(x, np.ndarray) else x for n, x in arguments.items()}
    subject.last = case
    result = subject.call(subject.layer, **{**arguments, **(tensors or {})})
    output, weights = refusals.results(result, return_weights)
    subject.rounding = ROUNDING.get(getattr(subject.layer, "compute_dtype", output.dtype.name), 1e-5)
    output = subject.lift(output)
    batch, length = case.shape[:2]
    if tuple(output.shape[:2]) != (batch, length) or output.shape.rank < 3:
        words = f"its output has shape {tuple(output.shape)}, not (batch, query_length, ...) = ({batch}, {length}, ...)"
        pooled = output.shape.rank == 2 and output.shape[0] == batch
        raise PooledError(words, output.shape[-1]) if pooled else NoQueryAxisError(words)
    return output, weights


def array(tensor):
    return np.array(tf.convert_to_tensor(tensor), "float64")


def flat(output):
    """Return an output as an array `(batch, query_length, numbers)`."""
    output = array(output)
    return output.reshape(*output.shape[:2], -1)


def weights_of(weights):
    return [array(w) for w in tf.nest.flatten(weights)]


def gradients(subject, given, judged=None):
    """Return the output and the gradients of all judged outputs to tensors and weights, as arrays by name."""
    tensors = {n: tf.constant(x) for n, x in given.tensors.items() if x.dtype.kind == "f"}
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        output, _ = evaluate(subject, given, tensors=tensors)
        if not output.dtype.is_floating:
            raise NoGradientError(output)
        total = tf.reduce_sum(tf.sin(output if judged is None else tf.boolean_mask(output, judged)))
    wanted = {**tensors, **{v.path if hasattr(v, "path") else v.name: v for v in variables(subject.layer)}}
    found = tape.gradient(total, list(wanted.values()))
    return flat(output), {name: array(g) for name, g in zip(wanted, found, strict=True) if g is not None}


def slopes(subject, given, judged):
    """Return the gradients of sums of outputs, one for each row of `judged`, to the tokens that keys are made of.

    `judged` is `(count, batch, query_length, numbers)`, bool; the result `(count, batch, key_length, numbers)`. For ids
    it is the gradient to what their embedding returns; None if there is no layer that embeds them, or no gradient.
    """
    names = [n for n in subject.content if n != "ids"]
    tensors = {n: tf.constant(given.tensors[n]) for n in names}
    with contextlib.ExitStack() as stack, tf.GradientTape(persistent=True) as tape:
        wanted = list(tensors.values()) or [stack.enter_context(embedded_and(subject.layer, given.tensors["ids"]))]
        if wanted == [None]:
            return None
        tape.watch(wanted)
        output, _ = evaluate(subject, given, tensors=tensors)
        if not output.dtype.is_floating:
            return None
        waves = tf.sin(tf.reshape(output, (*output.shape[:2], -1)))
        totals = [tf.reduce_sum(waves * chosen) for chosen in tf.unstack(tf.cast(judged, waves.dtype))]
    found = []
    for total in totals:
        parts = [array(g) for g in tape.gradient(total, wanted, unconnected_gradients="zero")]
        found.append(np.concatenate(parts, axis=-1))
    return np.array(found)


def trace(subject, given, compiled, traced):
    """Call the layer as a graph, which is traced once for all masks; XLA compiles the same graph."""
    arguments = subject.arguments(given)
    tensors = {n: tf.convert_to_tensor(x) for n, x in arguments.items() if not isinstance(x, bool)}
    key = (compiled, given.causal)
    if key not in traced:
        run = traced[False, given.causal] if compiled else lambda tensors: evaluate(subject, given, tensors=tensors)[0]
        traced[key] = tf.function(run, jit_compile=compiled).get_concrete_function(tensors)
    return flat(traced[key](tensors))


def in_pieces(call, layer, x, size):
    """Call a layer with its cache, so many tokens at a time; return all outputs as one array."""
    kept, outputs = None, []
    for start in range(0, x.shape[1], size):
        output, kept = call(layer, tf.constant(x[:, start : start + size]), kept)
        outputs.append(flat(output))
    return np.concatenate(outputs, axis=1)


def called_with(call, layer, tensors):
    return array(call(layer, **{name: tf.constant(x) for name, x in tensors.items()}))


def recomputed(subject, given, call):
    """Return output and gradients to the tensors, kept as usual, and computed again on the way back."""
    tensors = {n: tf.constant(x) for n, x in given.tensors.items() if x.dtype.kind == "f"}
    arguments = {n: tf.constant(x) if isinstance(x, np.ndarray) else x for n, x in subject.arguments(given).items()}
    rest = {n: x for n, x in arguments.items() if n not in tensors}

    def kept(*values):
        return subject.call(subject.layer, **rest, **dict(zip(tensors, values, strict=True)))

    def again(*values):
        return call(subject.layer, **rest, **dict(zip(tensors, values, strict=True)))

    both = []
    for run in (kept, tf.recompute_grad(kept) if call is True else again):
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            output = run(*tensors.values())
            if not output.dtype.is_floating:
                raise NoGradientError(output)
            total = tf.reduce_sum(tf.sin(output))
        found = tape.gradient(total, [*tensors.values(), *variables(subject.layer)], unconnected_gradients="zero")
        both.append([array(output), *map(array, found)])
    return both


class InHalf:
    """A subject in 16 bits: a layer's twin with the dtype policy mixed_float16, or a function given float16."""

    def __init__(self, subject):
        self.subject, self.is_layer = copy.copy(subject), is_layer(subject.layer)
        if self.is_layer:
            self.subject.layer = twin(subject.layer, "mixed_float16")
        self.weights = subject.layer.get_weights() if self.is_layer else None

    @property
    def impossible(self):
        return self.subject.layer is None

    def run(self, given):
        """Return the output and the name of its dtype."""
        tensors = {n: tf.cast(x, tf.float16) for n, x in self.subject.arguments(given).items() if is_float(x)}
        if self.weights is not None:
            evaluate(self.subject, given)  # which builds it
            self.subject.layer.set_weights(self.weights)
            self.weights = None
        output, _ = evaluate(self.subject, given, tensors=tensors)
        return flat(output), output.dtype.name


def is_float(x):
    return not isinstance(x, bool) and np.asarray(x).dtype.kind == "f"


def saved_and_loaded(subject, given):
    """Return outputs before saving and after loading: the whole way through a `.keras` file."""
    arguments = subject.arguments(given)
    switches = {name: x for name, x in arguments.items() if isinstance(x, bool)}
    data = {name: tf.convert_to_tensor(x) for name, x in arguments.items() if name not in switches}
    inputs = {n: keras.Input(x.shape[1:], batch_size=x.shape[0], dtype=x.dtype.name) for n, x in data.items()}
    model = keras.Model(inputs, subject.call(subject.layer, **inputs, **switches))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "layer.keras"
        model.save(path)
        try:
            loaded, registered = keras.models.load_model(path), True
        except Exception:
            cls = type(subject.layer)
            loaded, registered = keras.models.load_model(path, custom_objects={cls.__name__: cls}), False
    return array(model(data)), array(loaded(data)), registered


def first_nan(subject, given):
    """Return which operation gives the first number that is none, such as "Mul", or None."""
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel("ERROR")  # the watch tells everybody that it is on
    tf.debugging.enable_check_numerics()
    try:
        evaluate(subject, given)
    except tf.errors.InvalidArgumentError as error:
        found = re.search(r'op "(\w+)"', str(error))
        return found and found[1]
    finally:
        tf.debugging.disable_check_numerics()
        logger.setLevel(level)


def scaled_mask(subject, given):
    """Return an additive mask with -1 where it holds -inf."""
    mask = subject.arguments(given)["mask"]
    return tf.constant(np.where(np.isinf(mask), -1, mask).astype(mask.dtype))


@contextlib.contextmanager
def places_alike(subject, length):
    """Give all places the same row in the tables of positions that a model has learned."""
    tables = []
    if subject.query == "ids" and subject.vocab > 2 * length:
        given = subject.with_ids(np.arange(length, 2 * length)[None].astype("int32"))
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(tf.sin(evaluate(subject, given)[0]))
        found = zip(variables(subject.layer), tape.gradient(total, variables(subject.layer)), strict=True)
        for variable, g in found:
            rows = set() if g is None or len(variable.shape) != 2 else {*np.flatnonzero(np.abs(array(g)).sum(axis=-1))}
            if rows and rows <= {*range(length)}:  # not those of the ids
                tables.append((variable, array(variable)))
    try:
        for variable, value in tables:
            variable.assign(np.broadcast_to(value[:1], value.shape))
        yield
    finally:
        for variable, value in tables:
            variable.assign(value)

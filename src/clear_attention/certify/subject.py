"""What is certified: how to call it, in its own mask convention, and its twins in other dtypes and from a file."""

from __future__ import annotations

import inspect
import io
import linecache
import re
import tempfile
import tokenize
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from clear_attention.certify import refusals
from clear_attention.certify.adapters import adapter_of
from clear_attention.masks import conventions

ROUNDING = {"float16": 1e-2, "bfloat16": 8e-2}  # about ten units in the last place; else 1e-5
IMPORTS = {"keras": "import keras", "ops": "from keras import ops", "tf": "import tensorflow as tf"}


class NoQueryAxisError(Exception):
    """The output has no axis for queries, so nothing can be said about what one of them sees."""


class Subject:
    """A layer, how to call it, and what it is said to do."""

    def __init__(self, layer, call, convention, depth, lengths, vocab, pad_id, causal, positions, seed):
        known = adapter_of(layer) if call is None else {}
        self.layer, self.name = layer, name_of(layer)
        self.call = refusals.described(layer, known.get("call") if call is None else call, self.name)
        self.names = refusals.arguments(inspect.signature(self.call).parameters)
        self.convention = refusals.convention(self.names, convention or known.get("convention"))
        self.depth = depth or known.get("depth", lambda _: None)(layer) or 8
        self.vocab = vocab or known.get("vocab", lambda _: None)(layer) or 10
        pad_id = known.get("pad_id", lambda _: None)(layer) if pad_id is None else pad_id
        self.pad_id = refusals.known_pad_id(pad_id, self.vocab)
        self.seed = seed
        self.cases, self.measured = {}, {}  # what was made and found out once
        self.causal = causal or known.get("causal", False)
        self.positions = positions or known.get("positions", False)
        lengths = lengths or known.get("lengths", lambda _: None)(layer)
        self.lengths, self.any_length = lengths or (2, 3, 5), lengths is None
        self.last, self.rounding = None, 1e-5

    @property
    def query(self):
        """The tensor that queries are made of."""
        return next(name for name in ("x", "q", "ids") if name in self.names)

    @property
    def content(self):
        """The tensors that keys and values are made of."""
        return [name for name in ("k", "v") if name in self.names] or [self.query]

    @property
    def crosses(self):
        return self.query == "q"

    @property
    def is_told_of_the_future(self):
        return bool({"mask", "causal"} & set(self.names))

    @property
    def can_hide_the_future(self):
        return self.causal or self.is_told_of_the_future

    @property
    def can_hide_padding(self):
        if self.query == "ids" and self.pad_id is not None:
            return True
        return bool({"mask", "padding"} & set(self.names))

    def arguments(self, case, return_weights=False):
        """Return the arguments of `call` by name, masks in the layer's own convention."""
        blocked = {"mask": case.mask, "padding": case.padding}
        masks = {name: conventions.values(tf.constant(m), self.convention) for name, m in blocked.items()}
        everything = {**case.tensors, **masks, "causal": case.causal, "return_weights": return_weights}
        return {name: everything[name] for name in self.names}

    def tensors(self, case):
        """Return the arguments that are tensors, masks among them."""
        return {n: tf.convert_to_tensor(x) for n, x in self.arguments(case).items() if not isinstance(x, bool)}

    def run(self, case, return_weights=False, tensors=None):
        """Call the layer; return the output `(batch, query_length, ...)`, and a list of the weights if asked for."""
        arguments = self.arguments(case, return_weights)
        arguments |= {name: tf.constant(x) for name, x in arguments.items() if isinstance(x, np.ndarray)}
        arguments |= tensors or {}
        self.last = case
        result = self.call(self.layer, **arguments)
        output, weights = refusals.results(result, return_weights)
        batch, length = case.shape[:2]
        if tuple(output.shape[:2]) != (batch, length) or output.shape.rank < 3:
            raise NoQueryAxisError(
                f"its output has shape {tuple(output.shape)}, not (batch, query_length, ...) = ({batch}, {length}, ...)"
            )
        self.rounding = ROUNDING.get(getattr(self.layer, "compute_dtype", output.dtype.name), 1e-5)
        return (output, tf.nest.flatten(weights)) if return_weights else output

    def tolerance(self, output):
        """Return how far two equal computations may be apart: relative to the largest output, in its precision."""
        return self.rounding * max(1.0, np.abs(output[np.isfinite(output)]).max(initial=0))

    def masks_as(self, case, dtype):
        """Return floating-point masks in another dtype."""
        found = {n: x for n, x in self.arguments(case).items() if n in ("mask", "padding")}
        return {n: tf.cast(x, dtype) for n, x in found.items() if x.dtype.is_floating}

    def variables(self):
        found = getattr(self.layer, "trainable_variables", [])
        return [v for v in found if tf.as_dtype(v.dtype).is_floating]

    def build(self, case):
        """Replace a layer that was never called by a twin whose weights are all random: biases 0 would hide faults.

        The layer that was handed in stays as it is. Tell whether two equal calls give the same numbers.
        """
        if isinstance(self.layer, keras.Layer) and not self.layer.built:
            twin = self.twin(None)
            if twin is not None:
                self.layer = twin
                self.run(case)
                rng = np.random.default_rng(self.seed)
                for variable in self.variables():
                    noise, rows = rng.normal(size=variable.shape), int(np.prod(variable.shape[:-1]))
                    # kernels as large as any initializer makes them; biases and scales near what they begin with
                    value = noise / rows**0.5 if len(variable.shape) > 1 else np.array(variable) + 0.3 * noise
                    variable.assign(value)
        first, again = self.run(case), self.run(case)
        if not np.array_equal(first, again, equal_nan=True):
            return False
        if "return_weights" in self.names:
            self.run(case, return_weights=True)
        return True

    def twin(self, policy):
        """Make another layer of the same config, in another dtype policy if one is given, or None."""
        before = keras.config.dtype_policy()
        try:
            config = self.layer.get_config()
            if policy is not None:
                keras.config.set_dtype_policy(policy)
                config = {**config, "dtype": policy}
            return type(self.layer).from_config(config)
        except Exception:  # a class of somebody else's may raise anything
            return None
        finally:
            keras.config.set_dtype_policy(before)

    def saved_and_loaded(self, case):
        """Return outputs before saving and after loading: the whole way through a `.keras` file."""
        arguments = self.arguments(case)
        data = {name: x for name, x in arguments.items() if not isinstance(x, bool)}
        switches = {name: x for name, x in arguments.items() if isinstance(x, bool)}
        data = {name: tf.convert_to_tensor(x) for name, x in data.items()}
        inputs = {n: keras.Input(x.shape[1:], batch_size=x.shape[0], dtype=x.dtype.name) for n, x in data.items()}
        model = keras.Model(inputs, self.call(self.layer, **inputs, **switches))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "layer.keras"
            model.save(path)
            try:
                loaded, registered = keras.models.load_model(path), True
            except Exception:
                loaded = keras.models.load_model(path, custom_objects={type(self.layer).__name__: type(self.layer)})
                registered = False
        return np.array(model(data)), np.array(loaded(data)), registered

    def text(self):
        """Write the call as it would be typed."""
        source = body_of(self.call)
        if source is None:
            return f"call(layer, {', '.join(self.names)})"
        own = next(iter(inspect.signature(self.call).parameters))
        return source if own == "layer" else f"(lambda {own}: {source})(layer)"

    def preamble(self):
        """Write the imports that the call needs, or where it is to be found."""
        if body_of(self.call) is None:
            return ["# call is the function that certify was given"]
        return [line for name, line in IMPORTS.items() if name in self.call.__code__.co_names]


def first_line(error):
    """Return an error in one line, without what frameworks wrap around it."""
    try:
        words = str(error)
    except Exception:  # an error of somebody else's may not even be able to say what it is
        words = ""
    words = re.sub(r"\x1b\[\d*m|\{\{.*?\}\}\s*", "", words).partition("\n\nArguments received")[0]
    words = re.sub(r"\A.*Exception encountered: |\s*\[Op:\w+\] name:\s*", "", words, flags=re.S)
    lines = [x.strip() for x in words.splitlines() if x.strip() and not x.startswith("Exception encountered when")]
    line = "" if not lines else lines[-1] if lines[0] == "in user code:" else lines[0]
    return f"{type(error).__name__}: {line[:300].rstrip('.')}"


def name_of(layer):
    if type(layer) in (keras.Model, keras.Sequential) or type(layer).__name__ == "Functional":
        return f"the model {layer.name!r}"
    if isinstance(layer, keras.Layer):
        home = type(layer).__module__.split(".")[0]
        name = type(layer).__name__.replace("GroupedQuery", "GroupQuery")  # as Keras exports it
        return f"{'keras.layers.' if home == 'keras' else ''}{name}"
    return getattr(layer, "__name__", type(layer).__name__)


def body_of(function):
    """Read what a lambda returns, as it stands in its file or cell; None for what would not paste."""
    code = getattr(function, "__code__", None)
    if code is None or function.__name__ != "<lambda>" or code.co_freevars:
        return None
    if any(n in function.__globals__ and n not in IMPORTS for n in code.co_names):
        return None
    places = [p for p in code.co_positions() if None not in p and p[3] > 0]
    lines = [line.encode() for line in linecache.getlines(code.co_filename)]
    if not places or not lines:
        return None
    first, last = min(p[0] for p in places), max(p[1] for p in places)
    lines = lines[first - 1 : last]
    lines[-1] = lines[-1][: max(p[3] for p in places if p[1] == last)]
    lines[0] = lines[0][min(p[2] for p in places if p[0] == first) :]
    return on_one_line(b"".join(lines).decode())


def on_one_line(source):
    """Join the lines of an expression, without comments; what is inside quotes stays as it is."""
    text, end = "", (1, 1)
    for token in tokenize.generate_tokens(io.StringIO(f"({source})").readline):
        if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER):
            continue
        if token.start[0] == end[0]:
            gap = " " * (token.start[1] - end[1])
        else:
            gap = "" if text.endswith(("(", "[", "{")) or token.string in ")]}" else " "
            text = text.removesuffix(",") if token.string == ")" else text
        text, end = text + gap + token.string, token.end
    return text[1:-1].strip()

"""What is certified: how to call it, in its own mask convention, and what it is said to do."""

from __future__ import annotations

import copy
import inspect
import io
import linecache
import tokenize

import numpy as np

from clear_attention.certify import framework, refusals
from clear_attention.certify.adapters import adapter_of, name_of
from clear_attention.certify.case import make_case

IMPORTS = {"keras": "import keras", "ops": "from keras import ops", "tf": "import tensorflow as tf"}
TENSORS = ("x", "q", "k", "v", "ids", "position_ids", "segment_ids")
WIDER = {"mask": ("", "[:, None]"), "padding": ("", "[:, None]", "[:, None, None]")}


class Subject:
    """A layer, how to call it, and what it is said to do."""

    def __init__(self, layer, call, convention, sizes, claims):
        known = adapter_of(layer) if call is None else {}
        self.layer, self.name = layer, name_of(layer)
        self.typed = known.get("text")
        self.guesses = known.get("guesses", ())  # other ways to call it, if the first one fails
        self.use(refusals.described(layer, known.get("call") if call is None else call, self.name))
        if sizes.pad_id is not None:  # then it is called with ids, if it can be
            first, *others = sorted((self.call, *self.guesses), key=lambda way: "ids" not in argument_names(way))
            self.use(first)
            self.guesses = others
        self.convention = refusals.convention(self.names, convention or known.get("convention"))
        read = known.get("depth", lambda _: None)(layer) or framework.built_depth(layer)
        self.depths = [sizes.depth] if sizes.depth else [*dict.fromkeys((read or 8, 8))]  # tried in this order
        self.depth = self.depths[0]
        self.vocab = sizes.vocab or known.get("vocab", lambda _: None)(layer) or 10
        pad_id = known.get("pad_id", lambda _: None)(layer) if sizes.pad_id is None else sizes.pad_id
        self.pad_id, self.is_told_the_pad_id = refusals.known_pad_id(pad_id, self.vocab), sizes.pad_id is not None
        self.seed = sizes.seed
        self.cases, self.measured = {}, {}  # what was made and found out once
        self.claims = claims
        self.window = claims.window
        self.causal = claims.causal or known.get("causal", False)
        self.positions = claims.positions or known.get("positions", False) or "position_ids" in self.names
        lengths = sizes.lengths or known.get("lengths", lambda _: None)(layer)
        self.lengths, self.any_length = lengths or (2, 3, 5), lengths is None
        self.last, self.rounding = None, 1e-5
        self.wider = {"mask": "", "padding": ""}  # the axes that its masks need besides
        self.pooled = self.one_number_each = False
        self.padded_last = False  # no token stands behind the padding, as where the first one gives the answer
        self.enlarged = self.too_small = self.unsteady = False
        self.notes, self.warnings = [], []

    def use(self, call):
        self.call = call
        self.names = refusals.arguments(inspect.signature(call).parameters)

    def called_like(self, other):
        """Return another layer or function as a subject that takes the same cases."""
        known, twin = adapter_of(other), copy.copy(self)
        fits = known and {*self.tensor_names, *self.names} & {*TENSORS} == {*argument_names(known["call"])} & {*TENSORS}
        twin.layer, twin.name = other, name_of(other)
        twin.cases, twin.measured, twin.wider = {}, {}, dict(self.wider)
        if fits and "guesses" not in known:
            twin.use(known["call"])
            twin.typed, twin.convention = known.get("text"), known.get("convention") or "blocked"
            twin.wider = {"mask": "", "padding": ""}
        return twin

    @property
    def query(self):
        """The tensor that queries are made of."""
        return next(name for name in ("x", "q", "ids") if name in self.names)

    @property
    def content(self):
        """The tensors that keys and values are made of."""
        return [name for name in ("k", "v") if name in self.names] or [self.query]

    @property
    def tensor_names(self):
        return [name for name in self.names if name in TENSORS]

    @property
    def crosses(self):
        return self.query == "q"

    @property
    def is_told_of_the_future(self):
        return bool({"mask", "causal"} & set(self.names)) and not self.pooled

    @property
    def can_hide_the_future(self):
        return self.causal or self.is_told_of_the_future

    @property
    def can_hide_padding(self):
        if self.query == "ids" and self.pad_id is not None:
            return True
        return bool({"mask", "padding"} & set(self.names))

    def arguments(self, case, return_weights=False):
        """Return the arguments of `call` by name, as arrays and bools, masks in the layer's own convention."""
        masks = {"mask": case.mask, "padding": case.padding}
        masks = {name: self.mask_for_the_layer(name, m) for name, m in masks.items() if name in self.names}
        everything = {**case.tensors, **masks, "causal": case.causal, "return_weights": return_weights}
        return {name: everything[name] for name in self.names}

    def mask_for_the_layer(self, name, blocked):
        axes = range(1, 1 + self.wider[name].count("None"))
        return np.expand_dims(framework.in_convention(blocked, self.convention), tuple(axes))

    def lift(self, output):
        """Give an output the axes of queries and numbers, if it lacks one that it is known to lack."""
        if self.pooled and output.shape.rank == 2:
            return output[:, None]
        return output[..., None] if self.one_number_each and output.shape.rank == 2 else output

    def run(self, case):
        """Call the layer; return its output as an array `(batch, query_length, numbers)`."""
        return framework.flat(framework.evaluate(self, case)[0])

    def with_ids(self, ids):
        """Return a case of these ids, with nothing hidden."""
        length = ids.shape[1]
        return make_case(self, (1, length, length), "").having(ids=ids)

    def run_with_weights(self, case):
        """Call the layer; return its output as above, and a list of all the weights it returns."""
        output, weights = framework.evaluate(self, case, return_weights=True)
        return framework.flat(output), framework.weights_of(weights)

    def tolerance(self, output):
        """Return how far two equal computations may be apart: relative to the largest output, in its precision."""
        return self.rounding * max(1.0, np.abs(output[np.isfinite(output)]).max(initial=0))

    def place(self, row, query):
        """Write where an output stands."""
        return f"[{row}]" if self.pooled else f"[{row}, {query}]"

    def whom(self, query):
        return "the answer" if self.pooled else f"query {query}"

    def text(self, name="layer"):
        """Write the call as it would be typed."""
        if self.typed is not None:
            return self.typed.replace("layer", name)
        source = body_of(self.call)
        if source is None:
            return f"call({name}, {', '.join(self.names)})"
        own = next(iter(inspect.signature(self.call).parameters))
        return source if own == name else f"(lambda {own}: {source})({name})"

    def preamble(self):
        """Write the imports that the call needs, or where it is to be found."""
        if self.typed is None and body_of(self.call) is None:
            lines = ["# call is the function that certify was given"]
        else:
            lines = [line for name, line in IMPORTS.items() if name in self.call.__code__.co_names]
        return lines


def argument_names(call):
    return inspect.signature(call).parameters


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

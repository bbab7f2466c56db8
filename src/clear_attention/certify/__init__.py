"""Find out whether a layer keeps its promises about masks, whoever wrote it."""

# The rooms, in the order of work:
#
#     refusals      what certify refuses
#     framework     all that it knows of TensorFlow and Keras; the rest speaks of arrays
#     adapters      how to call the layers of this package and of Keras
#     subject       a layer with the way to call it
#     first_call    how the way to call it is found
#     case          inputs that a layer is tried with
#     visibility    promises about who sees whom
#     numerics      promises about numbers
#     order         promises about who notices another order
#     sameness      promises about what changes nothing
#     claims        promises that only some layers make
#     notes         what is worth knowing, and no broken promise
#     causes        experiments that tell which bug it is
#     snippets      a broken promise as code that pastes
#     certificate   the result

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Collection, Sequence
from importlib import metadata
from typing import Any, Literal, NamedTuple

import keras
import tensorflow as tf

from clear_attention._checks import options
from clear_attention._types import Convention
from clear_attention.certify import (
    causes,
    claims,
    first_call,
    framework,
    notes,
    numerics,
    order,
    refusals,
    sameness,
    snippets,
    visibility,
)
from clear_attention.certify.causes import Cause
from clear_attention.certify.certificate import BROKEN, HARDENING, HELD, NOT_APPLICABLE, Certificate, Row
from clear_attention.certify.claims import Claims
from clear_attention.certify.framework import NoQueryAxisError
from clear_attention.certify.subject import Subject
from clear_attention.certify.verdicts import BrokenError, NotApplicableError, first_line

__all__ = ["Cause", "Certificate", "Row", "certify"]

PROMISES = {
    "repeatable": ("Called twice with the same it gives the same", sameness.repeatable),
    "finite_gradients": ("Outputs and gradients are finite", numerics.finite_gradients),
    "no_future_leak": ("No query is changed by a later key", visibility.no_future_leak),
    "padding_invariance": (
        "Neither what padding holds nor more of it changes a real output",
        visibility.padding_invariance,
    ),
    "visible_keys_count": ("Every key that may be seen changes the output", visibility.visible_keys_count),
    "weights_sum_to_one": ("A query's weights sum to 1, and hidden keys have none", numerics.weights_sum_to_one),
    "weights_flag": ("Asking for the weights does not change the output", numerics.weights_flag),
    "key_permutation": ("Moving keys and values together changes nothing", order.key_permutation),
    "positions": ("Tokens in another order mean something else", order.positions),
    "alignment": ("With fewer queries than keys, the last query stands on the last key", visibility.alignment),
    "batch_independence": ("Each sentence of a batch is on its own", sameness.batch_independence),
    "lengths": ("Any length goes in, and one output for each query comes out", sameness.lengths),
    "modes_agree": ("Eager, graph and XLA give the same numbers", sameness.modes_agree),
    "like": ("It gives the numbers of what it is compared with", sameness.like_another),
    "window_extent": ("A query notices exactly the keys of its window", claims.window_extent),
    "cache_equals_full": ("With a cache, pieces give the numbers of the whole", claims.cache_equals_full),
    "head_groups": ("Each head of keys serves the heads of queries that it should", claims.head_groups),
    "position_shift": ("Shifting all positions changes nothing", claims.position_shift),
    "packing_isolation": ("Texts packed in one row do not see each other", claims.packing_isolation),
    "checkpointing": ("Computed again on the way back, outputs and gradients are the same", claims.checkpointing),
    "hidden_nan": ("NaN, infinity and 1e10 under the mask stay there, in gradients too", numerics.hidden_nan),
    "empty_query": ("A query with no key left is finite and sees nothing", numerics.empty_query),
    "float16": ("In float16 outputs are finite", numerics.finite_in_16_bits),
    "save_load": ("Saved and loaded it gives the same bits", sameness.save_load),
}


class Sizes(NamedTuple):
    """What a layer is tried with."""

    depth: int | None
    lengths: tuple[int, ...] | None
    vocab: int | None
    pad_id: int | None
    seed: int


def certify(
    layer: keras.Layer | Callable[..., Any],
    call: Callable[..., Any] | None = None,
    convention: Convention | None = None,
    *,
    causal: bool = False,
    positions: bool = False,
    window: int | None = None,
    cache: Callable[..., Any] | None = None,
    grouped: Callable[..., Any] | None = None,
    groups: Literal["repeat", "tile"] = "repeat",
    relative: bool = False,
    recompute: Callable[..., Any] | bool = False,
    like: Callable[..., Any] | None = None,
    depth: int | None = None,
    lengths: Sequence[int] | None = None,
    vocab: int | None = None,
    pad_id: int | None = None,
    seed: int = 0,
    level: Literal["correct", "all"] = "all",
    only: Collection[str] | None = None,
    progress: bool | None = None,
) -> Certificate:
    """Find out by perturbation and by gradients which promises about masks a layer keeps.

    Layers of this package and the attention layers of Keras are known, and so is every layer, model or function of one
    tensor. Of any other say in one line how it is called, and what a 1 or a `True` in its mask means:

        certify(layer, call=lambda layer, x, mask: layer(x, attention_mask=mask), convention="keras")

    If something is wrong, experiments look for the cause, and the certificate begins with it. A cause is named only if
    an experiment proves it.

    The layer stays as it is; one that was never called is tried as a twin with random weights, or built if it can't
    be made again from its config. The same seed gives the same certificate.

    Args:
        layer: a Keras layer or model, or a function from tensors to tensors.
        call: a function of the layer and of some of: `x` (queries are keys) or `q`, `k` and `v`, all float32
            `(batch, length, depth)`, or `ids` `(batch, length)`; `mask` `(batch, query_length, key_length)`; `padding`
            `(batch, key_length)`; `position_ids` and `segment_ids` `(batch, length)`; `causal` and `return_weights`,
            both bool. It returns the output `(batch, query_length, ...)` or one answer for each sentence,
            `(batch, features)`, or with `return_weights` a pair of output and weights. A mask is handed over with one
            or two more axes if the layer takes it only so.
        convention: what `mask` and `padding` mean to the layer; one of those of `convert_mask`.
        causal: whether the layer hides the future by itself: then query i must notice keys 0 to i, and no other.
        positions: whether the layer is said to know positions.
        window: how far a query looks, its own position counted, if the layer is said to have a window.
        cache: a function of the layer, `x` or `ids`, and what it returned before (first None); it returns the output
            of these tokens and what is to be kept. Its pieces must give the numbers of one call.
        grouped: a function of the layer, `q` `(batch, 4, length, depth)`, and `k`, `v` `(batch, 2, length, depth)`, if
            heads of queries share heads of keys. It returns `(batch, 4, length, ...)`.
        groups: how they share them: `"repeat"` (0, 0, 1, 1) or `"tile"` (0, 1, 0, 1).
        relative: whether only distances count, so that shifting all `position_ids` changes nothing.
        recompute: True if the layer must bear `tf.recompute_grad`, or another `call` that computes again by itself.
        like: a layer or function that is right; it must give the same numbers, called in the same way if it is not
            known. Such as `like=scaled_dot_product_attention`.
        depth: of the tensors; read from the layer, or from what it was built with, where it can be, else 8.
        lengths: what to try it with; 2, 3 and 5 when left out, and a few others in the row `lengths`.
        vocab: number of ids.
        pad_id: the id of padding, if the layer takes ids and knows one.
        seed: of the random numbers it is tried with.
        level: `"correct"` asks for leaks and numbers only, not for `hidden_nan`, `empty_query`, `float16`, `save_load`.
        only: names of rows, such as `no_future_leak`; when left out, all that `level` asks for.
        progress: whether to show a bar on stderr; when left out, if that is a terminal.

    Returns:
        A [`Certificate`][clear_attention.Certificate]: print it, or let `raise_for_failures()` raise.

    Raises:
        TypeError: `layer` is a class, it or `call` cannot be called, a size is not an integer, a flag is not a bool.
        ValueError: nothing says how to call it, a first call fails, an argument or a name is not known.

    Examples:
        >>> import keras
        >>> from clear_attention import certify
        >>> certificate = certify(keras.layers.MultiHeadAttention(2, 4), only=["alignment", "weights_flag"])
        >>> certificate.broken
        ('weights_flag', 'alignment')
        >>> certificate["alignment"].detail.partition("; ")[0]
        'with 1 query and 2 keys the last query does not see key 1'
    """
    options.one_of("level", level, ("correct", "all"))
    options.one_of("groups", groups, ("repeat", "tile"))
    names = PROMISES if only is None else refusals.row_names("only", only, PROMISES)
    lengths = None if lengths is None else refusals.lengths(lengths)
    sizes = Sizes(*refusals.input_sizes(depth, vocab, pad_id, seed, lengths))
    window = None if window is None else refusals.window(window)
    flags = {"causal": causal, "positions": positions, "relative": relative}
    flags = {name: options.flag(name, value) for name, value in flags.items()}
    functions = {"cache": cache, "grouped": grouped, "recompute": recompute, "like": like}
    refusals.functions(functions)
    progress = None if progress is None else options.flag("progress", progress)
    said = Claims(**flags, window=window, cache=cache, grouped=grouped, groups=groups, recompute=recompute, like=like)
    subject = Subject(layer, call, convention, sizes, said)
    with warnings.catch_warnings(record=True) as heard, framework.unchanged(layer):
        warnings.simplefilter("always")
        first_call.begin(subject)
        wanted = names if only is not None else asked_for(subject, level)
        rows = [judge(subject, name) for name in shown(wanted, progress)]
        subject.warnings += [str(warning.message) for warning in heard]
        broken = {row.name for row in rows if row.verdict == BROKEN} - {*HARDENING}
        cause, ruled_out = causes.find(subject, broken) if broken else (None, ())
        noted = notes.find(subject, rows) if only is None else ()
    return Certificate(subject.name, rows, seed, versions(), cause, ruled_out, (*subject.notes, *noted))


def asked_for(subject, level):
    """Return the rows of a certificate: promises that only some layers make stand there if this one makes them."""
    claimed = {
        "like": subject.claims.like is not None,
        "window_extent": bool(subject.window),
        "cache_equals_full": subject.claims.cache is not None,
        "head_groups": subject.claims.grouped is not None,
        "position_shift": subject.claims.relative,
        "packing_isolation": "segment_ids" in subject.names,
        "checkpointing": bool(subject.claims.recompute),
    }
    return [n for n in PROMISES if claimed.get(n, True) and (level == "all" or n not in HARDENING)]


def judge(subject, name):
    """Fill in one row."""
    promise, find_out = PROMISES[name]
    if subject.unsteady and name != "repeatable":
        return Row(name, promise, NOT_APPLICABLE, "its numbers are others at every call, see repeatable")
    try:
        return Row(name, promise, HELD, find_out(subject) or "")
    except (NotApplicableError, NoQueryAxisError) as reason:
        return Row(name, promise, NOT_APPLICABLE, str(reason))
    except BrokenError as broken:
        return Row(name, promise, BROKEN, *broken.args)
    except Exception as error:  # whatever a layer raises where others answer is a broken promise
        example = snippets.must_hold(subject, subject.last, "assert True", "it raises before this")
        return Row(name, promise, BROKEN, f"it raises {first_line(error)}", example)


def shown(names, progress):
    """Yield the wanted rows in the order of the certificate, with a bar and the time left."""
    names = [name for name in PROMISES if name in names]
    if not (sys.stderr.isatty() if progress is None else progress):
        yield from names
        return
    start = time.monotonic()
    for done, name in enumerate(names):
        left = f", {(time.monotonic() - start) * (len(names) / done - 1):.0f} s left" if done else ""
        bar = "█" * done + "░" * (len(names) - done)
        print(f"\r{bar} {name}{left}\033[K", end="", file=sys.stderr, flush=True)
        yield name
    print(f"\r\033[K{len(names)} promises in {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)


def versions():
    return {
        "clear_attention": metadata.version("clear-attention"),
        "keras": keras.__version__,
        "tensorflow": tf.__version__,
    }

"""Find out whether a layer keeps its promises about masks, whoever wrote it."""

# The rooms, in the order of work:
#
#     refusals      what certify refuses
#     case          inputs that a layer is tried with
#     adapters      how to call the layers of this package and of Keras
#     subject       a layer with the way to call it
#     visibility    promises about who sees whom
#     numerics      promises about numbers
#     sameness      promises about what changes nothing
#     snippets      a broken promise as code that pastes
#     certificate   the result

from __future__ import annotations

import contextlib
import sys
import time
import warnings
from collections.abc import Callable, Collection, Sequence
from importlib import metadata
from typing import Any

import keras
import tensorflow as tf

from clear_attention._checks import options
from clear_attention._types import Convention
from clear_attention.certify import numerics, refusals, sameness, snippets, visibility
from clear_attention.certify.case import case, case_sizes
from clear_attention.certify.certificate import BROKEN, HELD, NOT_APPLICABLE, Certificate, Row
from clear_attention.certify.subject import NoQueryAxisError, Subject, first_line
from clear_attention.certify.visibility import BrokenError, NotApplicableError

__all__ = ["Certificate", "Row", "certify"]

PROMISES = {
    "finite_gradients": ("Outputs and gradients are finite", numerics.finite_gradients),
    "no_future_leak": ("No query is changed by a later key", visibility.no_future_leak),
    "padding_invariance": (
        "Neither what padding holds nor more of it changes a real output",
        visibility.padding_invariance,
    ),
    "visible_keys_count": ("Every key that may be seen changes the output", visibility.visible_keys_count),
    "hidden_nan": ("NaN, infinity and 1e10 under the mask stay there, in gradients too", numerics.hidden_nan),
    "empty_query": ("A query with no key left is finite and sees nothing", numerics.empty_query),
    "weights_sum_to_one": ("A query's weights sum to 1, and hidden keys have none", numerics.weights_sum_to_one),
    "weights_flag": ("Asking for the weights does not change the output", numerics.weights_flag),
    "key_permutation": ("Moving keys and values together changes nothing", sameness.key_permutation),
    "positions": ("Tokens in another order mean something else", sameness.positions),
    "alignment": ("With fewer queries than keys, the last query stands on the last key", visibility.alignment),
    "batch_independence": ("Each sentence of a batch is on its own", sameness.batch_independence),
    "lengths": ("Any length goes in, and one output for each query comes out", sameness.lengths),
    "modes_agree": ("Eager, graph and XLA give the same numbers", sameness.modes_agree),
    "float16": ("In float16 outputs are finite", numerics.finite_in_16_bits),
    "save_load": ("Saved and loaded it gives the same bits", sameness.save_load),
}


def certify(
    layer: keras.Layer | Callable[..., Any],
    call: Callable[..., Any] | None = None,
    convention: Convention | None = None,
    *,
    causal: bool = False,
    positions: bool = False,
    depth: int | None = None,
    lengths: Sequence[int] | None = None,
    vocab: int | None = None,
    pad_id: int | None = None,
    seed: int = 0,
    only: Collection[str] | None = None,
    progress: bool | None = None,
) -> Certificate:
    """Find out by perturbation and by gradients which promises about masks a layer keeps.

    Layers of this package and the attention layers of Keras are known. Of any other layer, model or function say in
    one line how it is called, and what a 1 or a `True` in its mask means:

        certify(layer, call=lambda layer, x, mask: layer(x, attention_mask=mask), convention="keras")

    The layer stays as it is; one that was never called is tried as a twin with random weights, or built if it can't
    be made again from its config. The same seed gives the same certificate.

    Args:
        layer: a Keras layer or model, or a function from tensors to tensors.
        call: a function of the layer and of some of: `x` (queries are keys) or `q`, `k` and `v`, all float32
            `(batch, length, depth)`, or `ids` `(batch, length)`; `mask` `(batch, query_length, key_length)`; `padding`
            `(batch, key_length)`; `causal` and `return_weights`, both bool. It returns the output
            `(batch, query_length, ...)`, or with `return_weights` a pair of output and weights.
        convention: what `mask` and `padding` mean to the layer; one of those of `convert_mask`.
        causal: whether the layer hides the future by itself.
        positions: whether the layer is said to know positions.
        depth: of the tensors; read from the layer where it can be, else 8.
        lengths: what to try it with; 2, 3 and 5 when left out, and a few others in the row `lengths`.
        vocab: number of ids.
        pad_id: the id of padding, if the layer knows one.
        seed: of the random numbers it is tried with.
        only: names of rows, such as `no_future_leak`; all when left out.
        progress: whether to show a bar on stderr; when left out, if that is a terminal.

    Returns:
        A [`Certificate`][clear_attention.Certificate]: print it, or let `raise_for_failures()` raise.

    Raises:
        TypeError: `layer` or `call` cannot be called, a size is not an integer, a flag is not a bool.
        ValueError: nothing says how to call it, the first call fails, an argument or a name is not known.

    Examples:
        >>> import keras
        >>> from clear_attention import certify
        >>> certificate = certify(keras.layers.MultiHeadAttention(2, 4), only=["alignment", "weights_flag"])
        >>> certificate.broken
        ('weights_flag', 'alignment')
        >>> certificate["alignment"].detail.partition("; ")[0]
        'with 1 query and 2 keys the last query does not see key 1'
    """
    names = refusals.row_names("only", PROMISES if only is None else only, PROMISES)
    lengths = None if lengths is None else refusals.lengths(lengths)
    depth, vocab, pad_id, seed = refusals.input_sizes(depth, vocab, pad_id, seed)
    causal, positions = options.flag("causal", causal), options.flag("positions", positions)
    subject = Subject(layer, call, convention, depth, lengths, vocab, pad_id, causal, positions, seed)
    with warnings.catch_warnings(), unchanged(layer):
        warnings.simplefilter("ignore")
        begin(subject)
        rows = [judge(subject, name) for name in shown(names, progress)]
    return Certificate(subject.name, rows, seed, versions())


@contextlib.contextmanager
def unchanged(layer):
    """Give a layer its numbers back: a call in training moves the statistics of a norm, and the state of a seed."""
    before = [(v, v.numpy()) for v in getattr(layer, "variables", ())] if isinstance(layer, keras.Layer) else []
    try:
        yield
    finally:
        for variable, value in before:
            variable.assign(value)


def begin(subject):
    """Make the first call; what goes wrong there is a wrong description, not a broken promise."""
    try:
        repeats = subject.build(case(subject, next(case_sizes(subject))))
    except NoQueryAxisError:
        return  # the rows say so
    except Exception as error:
        usual, subject.lengths = subject.lengths, (subject.depth,)  # all that a layer takes which mixes up its axes
        try:
            repeats = subject.build(case(subject, next(case_sizes(subject))))
        except Exception:
            subject.lengths = usual
            raise refusals.wrongly_described(subject.name, first_line(error)) from error
    if not repeats:
        raise refusals.not_the_same_twice(subject.name)


def judge(subject, name):
    """Fill in one row."""
    promise, find_out = PROMISES[name]
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

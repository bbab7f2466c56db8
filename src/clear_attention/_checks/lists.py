"""What must be lists: the rows that `attention_by_hand` takes. It needs no TensorFlow."""

from __future__ import annotations

import math

from clear_attention._checks.sentence import refusal, shown


def lists_fit(q, k, v, mask, bias=None):
    """Refuse lists that should be equally long and are not."""
    given = {"mask": mask, "bias": bias}
    named = {"q": q, "k": k, "v": v} | {name: rows for name, rows in given.items() if rows is not None}
    lengths = {name: lengths_of(name, rows) for name, rows in named.items()}
    if not lengths["k"]:
        law = "There must be at least one key to attend to. To hide keys use the mask."
        raise ValueError(refusal(law, "len(k) >= 1", "len(k)=0"))
    have_length("Each key comes with one value.", {"v": len(lengths["v"])}, len(lengths["k"]))
    d_k = [*lengths["q"], *lengths["k"]][0]
    if d_k == 0:
        raise ValueError(refusal("A depth must be at least 1.", "d_k >= 1", "d_k=0"))
    law = "The depth of queries and keys must be equal, since each score is the dot product of a query and a key."
    have_length(law, rows_of("q", lengths["q"]) | rows_of("k", lengths["k"]), d_k)
    have_length("Values are summed, so they must be equally long.", rows_of("v", lengths["v"]), lengths["v"][0])
    for name in (n for n in given if given[n] is not None):
        have_length(f"A {name} has one row for each query.", {name: len(lengths[name])}, len(lengths["q"]))
        law = f"Each row of a {name} has one entry for each key."
        have_length(law, rows_of(name, lengths[name]), len(lengths["k"]))


def scores_bent(softcap, sink):
    """Refuse a soft cap and a sink that are no numbers of their range."""
    for name, value, fits in (("softcap", softcap, lambda x: x > 0), ("sink", sink, lambda x: True)):
        if value is None:
            continue
        kind = "a finite number above 0" if name == "softcap" else "a finite number"
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(refusal(f"{name} is {kind}.", kind, f"{name}={shown(value, with_type=True)}"))
        if not math.isfinite(value) or not fits(value):
            raise ValueError(refusal(f"{name} is {kind}.", kind, f"{name}={value}"))


def lengths_of(name, rows):
    try:
        return [len(row) for row in rows]
    except TypeError:
        law = f"{name} is a list of rows, each of them a list of numbers."
        raise TypeError(refusal(law, "such as [[1.0, 2.0], [3.0, 4.0]]", f"{name}={shown(rows)}")) from None


def rows_of(name, lengths):
    return {f"{name}[{i}]": length for i, length in enumerate(lengths)}


def have_length(law, lengths, expected):
    for name, length in lengths.items():
        if length != expected:
            raise ValueError(refusal(law, f"len({name})={expected}", f"len({name})={length}"))

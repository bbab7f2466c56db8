"""What must be lists: the rows that `attention_by_hand` takes. It needs no TensorFlow."""

from __future__ import annotations

from clear_attention._checks.sentence import refusal, shown


def lists_fit(q, k, v, mask):
    """Refuse lists that should be equally long and are not."""
    named = {"q": q, "k": k, "v": v} | ({} if mask is None else {"mask": mask})
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
    if mask is not None:
        have_length("A mask has one row for each query.", {"mask": len(lengths["mask"])}, len(lengths["q"]))
        law = "Each row of a mask has one entry for each key."
        have_length(law, rows_of("mask", lengths["mask"]), len(lengths["k"]))


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

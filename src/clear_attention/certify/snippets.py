"""Write a broken promise down as code that fails when it is pasted below a line that makes `layer`."""

from __future__ import annotations

import numpy as np

from clear_attention.certify.framework import ENLARGING


def given(subject, case, more_imports=()):
    """Write the imports and everything the call takes."""
    lines = [*sorted({"import numpy as np", "import tensorflow as tf", *more_imports, *subject.preamble()}), ""]
    lines += ENLARGING.splitlines() if subject.enlarged else []
    for name, value in subject.arguments(case).items():
        lines.append(f"{name} = {value if isinstance(value, bool) else tensor(value)}")
    return lines


def tensor(value):
    """Write a tensor so that it can be read back."""
    value = np.asarray(value)
    if not value.any():
        return f'tf.zeros({value.shape}, "{value.dtype.name}")'
    return f'tf.constant({numbers(value)}, "{value.dtype.name}")'


def numbers(value):
    if value.dtype.kind != "f":
        return str(value.tolist())
    text = str((np.round(value.astype("float64"), 1) + 0.0).tolist())
    return text.replace("nan", "np.nan").replace("inf", "np.inf")


def result(subject, name="output", call=None):
    return f"{name} = np.array({call or subject.text()})"


def changes(before, after):
    """Write which tokens of which tensors change."""
    lines = []
    for name, x in after.tensors.items():
        places = difference_of_rows(before.tensors[name], x)
        if len(places) == x.shape[0] * x.shape[1]:
            lines.append(f"{name} = {tensor(x)}")
        elif places:
            tokens = np.stack([x[place] for place in places])
            lines.append(f"{name} = tf.tensor_scatter_nd_update({name}, {list(map(list, places))}, {numbers(tokens)})")
    return lines


def difference_of_rows(a, b):
    unequal = ~((a == b) | ((a != a) & (b != b)))
    return [tuple(map(int, index)) for index in np.argwhere(unequal.reshape(*a.shape[:2], -1).any(axis=-1))]


def must_stay(subject, before, after, row, query, why, atol):
    """Change something that `(row, query)` may not notice."""
    lines = [*given(subject, before), result(subject, "before"), *changes(before, after), result(subject, "after")]
    check = equal(f"after{subject.place(row, query)}", f"before{subject.place(row, query)}", atol)
    return "\n".join([*lines, f"{check}  # {why}"])


def equal(one, other, atol):
    return f"np.testing.assert_allclose({one}, {other}, rtol=0, atol={atol:.3g})"


def must_change(subject, before, after, row, query, why):
    """Change something that `(row, query)` has to notice."""
    lines = [*given(subject, before), result(subject, "before"), *changes(before, after), result(subject, "after")]
    place = subject.place(row, query)
    return "\n".join([*lines, f"assert np.any(after{place} != before{place})  # {why}"])


def must_hold(subject, case, check, why, more_imports=(), **steps):
    """Compute each step, a name and its code, and check the last."""
    lines = given(subject, case, more_imports)
    for name, code in (steps or {"output": f"np.array({subject.text()})"}).items():
        lines += code if isinstance(code, list) else [f"{name} = {code}"]
    return "\n".join([*lines, f"{check}  # {why}"])

"""What is worth knowing of a layer, and is no broken promise."""

from __future__ import annotations

import numpy as np

from clear_attention.certify import framework
from clear_attention.certify.case import make_case


def find(subject, rows):
    """Return sentences."""
    if subject.unsteady:
        return ()
    try:
        return tuple(filter(None, [scale(subject)]))
    except Exception:  # a note is not worth an error
        return ()


def scale(subject):
    """Read the weights of a bare attention off one-hot values, and by what its scores were divided off the weights."""
    if subject.query != "q" or "v" not in subject.names or framework.variables(subject.layer):
        return None
    length = min(subject.depth, 5)
    given = make_case(subject, (1, length, length), "")
    one_hot = np.eye(length, subject.depth, dtype="float32")[None]
    weights = subject.run(given.having(v=one_hot))[0, :, :length]
    if not (np.abs(weights.sum(axis=-1) - 1) < 1e-4).all() or (weights <= 0).any() or subject.causal:
        return None
    dots = given.tensors["q"][0].astype("float64") @ given.tensors["k"][0].T.astype("float64")
    logs = np.log(weights)
    x, y = (m - m.mean(axis=-1, keepdims=True) for m in (dots, logs))
    factor = (x * y).sum() / (x * x).sum()
    if np.abs(y - factor * x).max() > 1e-3 * max(1, np.abs(y).max()):
        return None  # its scores are no dot products
    depth = subject.depth
    if abs(factor * depth**0.5 - 1) < 1e-3:
        return None
    if abs(factor - 1) < 1e-3:
        found = f"its scores are not divided by the root of the depth ({depth})"
    elif abs(factor * depth - 1) < 1e-3:
        found = f"its scores are divided by the depth ({depth}) and not by its root"
    else:
        found = f"its scores are multiplied by {factor:.3g}, and not by 1 / sqrt({depth}) = {depth**-0.5:.3g}"
    return f"{found}; see guides/museum/#no-scale"

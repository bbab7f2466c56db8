"""The form of every refusal: the law in axis words, what was expected, what was received. It needs no TensorFlow."""

from __future__ import annotations

LONGEST = 60  # letters of a received value


def refusal(law, expected, received):
    """Join the three parts of every error message of the package."""
    return f"{law} Expected: {expected}. Received: {received}."


def shown(value, with_type=False):
    """Write any received value on one short line: what has axes by its type and shape."""
    kind = type(value)
    home = kind.__module__.partition(".")[0]
    name = kind.__name__ if home == "builtins" else f"{home}.{kind.__name__}"
    shape: tuple | str
    try:
        shape = tuple(getattr(value, "shape", ()))
    except (TypeError, ValueError):  # the rank is not known
        shape = "unknown"
    if shape:
        return f"<{kind.__name__} of shape {shape}>"
    text = " ".join(repr(value).split())
    if len(text) > LONGEST:
        count = f" ({len(value)} in all)" if isinstance(value, (list, tuple, dict, set)) else ""
        text = f"{text[: LONGEST - 3 - len(count)]}...{count}"
    return f"{text} of type {name}" if with_type else text

"""What a promise may raise instead of being held."""

from __future__ import annotations

import contextlib
import re


class NotApplicableError(Exception):
    """The promise says nothing about this subject."""


class BrokenError(Exception):
    """The promise is broken; the second argument is the smallest example."""


@contextlib.contextmanager
def blaming(function, example):
    """Break the promise if a function raises that certify was given besides the layer; the example calls it."""
    try:
        yield
    except (BrokenError, NotApplicableError):
        raise
    except Exception as error:  # a function of somebody else's may raise anything
        raise BrokenError(f"{function} raises {first_line(error)}", example) from error


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
    return f"{type(error).__name__}{f': {line[:300]}' if line else ''}".rstrip(".")

"""The command: python -m clear_attention.certify package.module:factory [--json FILE]."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import json
import os
import sys
from pathlib import Path
from typing import Any

import keras

from clear_attention.certify import Certificate, certify
from clear_attention.certify.verdicts import first_line

WHAT = """Print the certificate of what FACTORY returns: a layer, a model or a function, or a dictionary of the
arguments of clear_attention.certify, such as {"layer": ..., "call": ..., "convention": ...}. Exit 0 if every promise
that applies is held, 1 if one is broken, 2 if the certificate could not be made."""


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m clear_attention.certify", description=WHAT)
    parser.add_argument("factory", metavar="package.module:factory", help="a function without arguments")
    parser.add_argument("--json", metavar="FILE", help="write the certificate as JSON too; - prints it instead")
    parser.add_argument("--only", metavar="ROW", action="append", help="ask for this promise alone; may be repeated")
    parser.add_argument("--level", choices=["correct", "all"], help="correct: leaks and numbers, no hardening")
    parser.add_argument("--allow", metavar="ROW", action="append", default=[], help="this promise may be broken")
    parser.add_argument("--seed", type=int, help="of the numbers it is tried with")
    chosen = parser.parse_args(arguments)
    file = None if chosen.json in (None, "-") else Path(chosen.json)
    if file and (file.is_dir() or not file.parent.is_dir()):
        parser.exit(2, f"{parser.prog}: --json {file} is not a file in a folder that exists.\n")
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what a factory prints is not the certificate
            made = make(chosen.factory)
            wanted = {"seed": chosen.seed, "only": chosen.only, "level": chosen.level}
            certificate = certified(made, {name: value for name, value in wanted.items() if value is not None})
            allowed = failures(certificate, chosen.allow)
    except (Exception, SystemExit) as error:  # other people's modules and factories may raise anything, or end Python
        parser.exit(2, f"{parser.prog}: {chosen.factory}: {first_line(error)}.\n")
    if chosen.json == "-":
        print(json.dumps(certificate.to_dict(), indent=2))
    else:
        print(certificate)
    if file:
        try:
            write(file, json.dumps(certificate.to_dict(), indent=2) + "\n")
        except OSError as error:
            parser.exit(2, f"{parser.prog}: --json {file} can't be written: {error.strerror}.\n")
        print(f"Written to {file}")
    return int(bool(allowed))


def make(name):
    module, _, attribute = name.partition(":")
    if not (module and attribute):
        raise ValueError(f"Write the module and the factory with a colon between them. Received: {name!r}.")
    found: Any = importlib.import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    if isinstance(found, (keras.Layer, dict, Certificate)):
        return found
    wanted = [p.name for p in inspect.signature(found).parameters.values() if p.default is p.empty and p.kind < 2]
    if wanted:
        raise TypeError(f"a factory takes no arguments and returns what to certify; this takes {', '.join(wanted)}")
    return found()


def certified(made, options):
    if isinstance(made, Certificate):
        return made
    return certify(**{**made, **options}) if isinstance(made, dict) else certify(made, **options)


def failures(certificate, allow):
    try:
        certificate.raise_for_failures(allow=allow)
    except AssertionError as error:
        return str(error)
    return ""


def write(path, text):
    """Write to a temporary file and rename it, so that nothing is ever half-written."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())

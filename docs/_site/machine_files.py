"""The weights of the trained models, as scripts that the date machine fetches.

A page that was opened from a folder can load nothing else.
"""

from __future__ import annotations

import base64
import itertools
import json
import re

import trained


def scripts():
    """Yield the name and the text of a script for each model that has been trained, and that a machine shows."""
    for name in trained.PROGRAMS:
        if trained.PROGRAMS[name] in ("programs", "spare") or name == "dates-wrong-reshape":
            continue  # no machine of the site shows these
        if trained.path_of(name).exists():  # while the site is served, a page may come before its models
            yield f"assets/machine/{name}.js", script(name)


def script(name):
    """Write a model's weights in float16: their names and shapes, then all numbers in one row."""
    weights, config, _ = trained.kept(name)
    file = {"config": config, **packed(weights)}
    return f"trainedModels.receive({json.dumps(name)}, {json.dumps(file)});\n"


def twin(name):
    """Write the weights of a program's twin for a lesson. Layers of Keras without a name get those of the package."""
    weights, *_ = trained.kept(name)
    numbered = dict.fromkeys(re.findall(r"dense\w*", " ".join(weights)))  # two in each feed-forward network
    called = dict(zip(numbered, itertools.cycle(("widen", "narrow")), strict=False))
    return packed({re.sub(r"dense\w*", lambda found: called[found[0]], path): w for path, w in weights.items()})


def packed(weights):
    shapes = [[path, weight.shape] for path, weight in weights.items()]
    numbers = b"".join(weight.astype("<f2").tobytes() for weight in weights.values())
    return {"weights": shapes, "numbers": base64.b64encode(numbers).decode()}

"""The parts of the language model of the lessons in NumPy alone; the lesson "From here to GPT" puts them together.

What the lessons before have written comes from `numpy_machine`. `w` holds the trained numbers by name.
"""

from __future__ import annotations

import numpy as np

from examples.numpy_machine import PARTS, attention, linear, look_ahead, merge, split


def turn_all(x, places):
    """Turn each pair of numbers: number i makes a pair with number i + d/2."""
    a, b = np.split(x, 2, axis=-1)
    pairs = a.shape[-1]
    angles = np.outer(places, 10000.0 ** (-np.arange(pairs) / pairs))
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def look(x, w, name, heads=4):
    """Let each letter look at itself and at those before it."""
    q, k, v = (split(linear(x, w[f"{name}.{part}"]), heads) for part in PARTS[:3])
    places = np.arange(len(x))
    found = attention(turn_all(q, places), turn_all(k, places), v, look_ahead(len(x)))
    return linear(merge(found), w[f"{name}.output"])


def gelu(x):
    """Bend as a ReLU does, but softly: as GPT-2 computes it, within a thousandth of the exact one."""
    return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2


def think(x, w, name):
    return linear(gelu(linear(x, w[f"{name}.widen"])), w[f"{name}.narrow"])


def weights_of(model):
    """Return the numbers of a trained language model: those of layer 0 begin with "0.look" and "0.think"."""
    parts = {"norm": model.stack.norm}
    for i, layer in enumerate(model.stack.layers):
        looking, thinking = layer.self_attention, layer.feed_forward
        parts |= {f"{i}.look.{part}": getattr(looking.attention, f"project_{part}") for part in PARTS}
        parts |= {f"{i}.look.norm": looking.norm, f"{i}.think.norm": thinking.norm}
        parts |= {f"{i}.think.widen": thinking.widen, f"{i}.think.narrow": thinking.narrow}
    numbers = {name: [weight.numpy() for weight in part.weights] for name, part in parts.items()}
    return numbers | {"table": model.embed.embeddings.numpy(), "layers": len(model.stack.layers)}

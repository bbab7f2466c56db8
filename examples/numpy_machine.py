"""The date machine of the lessons in NumPy alone: what the lessons write piece by piece, put together.

One text at a time, so nothing is padded. `w` holds the trained numbers by name: matrix and bias, or the two of a norm.
"""

import numpy as np


def softmax(scores, mask):
    scores = np.where(mask == 1, -np.inf, scores)  # e to this power is 0
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(largest == -np.inf, 0, largest))  # no overflow; changes no weight
    sums = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(sums == 0, 1, sums)


def attention(q, k, v, mask):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
    return softmax(scores, mask) @ v


def look_ahead(length):
    return np.triu(np.ones((length, length)), k=1)


def split(x, heads):
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)  # (heads, length, depth)


def merge(x):
    return x.swapaxes(0, 1).reshape(x.shape[1], -1)  # (length, d_model)


def linear(x, pair):
    return x @ pair[0] + pair[1]


def multi_head(x, seen, w, name, mask, heads=4):
    q = split(linear(x, w[f"{name}.queries"]), heads)
    k, v = split(linear(seen, w[f"{name}.keys"]), heads), split(linear(seen, w[f"{name}.values"]), heads)
    found = attention(q, k, v, mask)
    return linear(merge(found), w[f"{name}.output"])


def positions(length, depth):
    angles = np.arange(length)[:, None] * 10000.0 ** (-np.arange(0, depth, 2) / depth)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(length, depth)


def norm(x, scale=1, shift=0):
    x = x - x.mean(axis=-1, keepdims=True)
    return scale * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6) + shift


def feed_forward(x, w, name):
    return linear(np.maximum(0, linear(x, w[f"{name}.widen"])), w[f"{name}.narrow"])


def enter(ids, table):
    d_model = table.shape[1]
    return table[ids] * np.sqrt(d_model) + positions(len(ids), d_model)


def encode(ids, w):
    x = enter(ids, w["source"])
    found = multi_head(x, x, w, "encoder.self", mask=0)
    x = norm(x + found, *w["encoder.self.norm"])
    found = feed_forward(x, w, "encoder.forward")
    return norm(x + found, *w["encoder.forward.norm"])


def decode(ids, context, w):
    y = enter(ids, w["target"])
    found = multi_head(y, y, w, "decoder.self", look_ahead(len(ids)))
    y = norm(y + found, *w["decoder.self.norm"])
    found = multi_head(y, context, w, "decoder.cross", mask=0)
    y = norm(y + found, *w["decoder.cross.norm"])
    found = feed_forward(y, w, "decoder.forward")
    y = norm(y + found, *w["decoder.forward.norm"])
    return linear(y, w["logits"])


def write(ids, w, start, end, most=11):
    context, answer = encode(ids, w), [start]
    while len(answer) <= most and answer[-1] != end:
        answer.append(int(np.argmax(decode(answer, context, w)[-1])))
    return answer[1:]


def weights_of(model):
    """Return the numbers of a trained Transformer of one layer, by the names that are used above."""
    encoder, decoder = model.encoder.layers[0], model.decoder.layers[0]
    looking = {"encoder.self": encoder.self_attention, "decoder.self": decoder.self_attention}
    looking["decoder.cross"] = decoder.cross_attention
    parts = {"logits": model.project_logits}
    for name, block in looking.items():
        parts |= {f"{name}.{part}": getattr(block.attention, f"project_{part}") for part in PARTS}
        parts[f"{name}.norm"] = block.norm
    for name, block in {"encoder.forward": encoder.feed_forward, "decoder.forward": decoder.feed_forward}.items():
        parts |= {f"{name}.widen": block.widen, f"{name}.narrow": block.narrow, f"{name}.norm": block.norm}
    tables = {"source": model.embed_source, "target": model.embed_target}
    embeddings = {name: table.embeddings.numpy() for name, table in tables.items()}
    return embeddings | {name: [weight.numpy() for weight in part.weights] for name, part in parts.items()}


PARTS = ("queries", "keys", "values", "output")

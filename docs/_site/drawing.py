"""Attention drawn once, from x to the output, and once more on each lesson that changes it, with the changed part lit.

The squares are numbers, the stronger the larger: what `scaled_dot_product_attention` makes of five letters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

import numpy as np
from IPython.display import HTML

import clear_attention as ca

LENGTH, WIDTH = 5, 4  # letters; numbers in each of their vectors
SIDE = 8  # of a square
HIGH = LENGTH * SIDE
MIDDLE = 94  # the height on which x and the maps stand
QKV = {"q": 34, "k": 94, "v": 154}  # heights of their middles
LEFT = {"x": 16, "qkv": 86, "scores": 162, "weights": 270, "output": 342}
COLOURS = {"q": "queries", "k": "keys", "v": "values"}
PAPER = {"queries": "#0072b2", "keys": "#b34a00", "values": "#007a59", "fourth": "#97336f"}  # without the site's theme
LIGHT = 'fill="#fee838" fill-opacity=".3" stroke="#d9a800" stroke-width="2"'
SINK = 0.5  # its score
WHOLE = (
    "Attention, from left to right. Each letter has a row of numbers, x. Of it a query q, a key k and a value v are "
    "made. Queries and keys make a map of scores, softmax makes weights of each of its rows, and the weights mix the "
    "values"
)


@dataclass
class Change:
    """A lesson's change: what is lit, the word below it, what to say to who can't see it; how it is computed."""

    lit: tuple[str, ...] = ()
    word: str = ""
    says: str = ""
    letters: str = "3/5/2"
    options: dict = field(default_factory=dict)  # of scaled_dot_product_attention
    before: dict = field(default_factory=dict)  # the options without the change
    heads: int = 1
    key_heads: int | None = None
    glued: bool = False  # the two heads are one
    turn: float = 0  # of the first two numbers of queries and keys, in radians for each place
    made: range | None = None  # the rows of x and q that are there
    looking: tuple[range | None, range | None] = (None, None)  # the rows and columns of the maps that are there
    answered: range | None = None  # the rows of the output that are there


MAPS = ("scores", "weights")
CAUSAL = ca.create_look_ahead_mask(LENGTH)
PLACES = ca.sinusoidal_encoding(LENGTH, WIDTH).numpy()
HIDDEN = {"mask": CAUSAL}
NEWEST = range(LENGTH - 1, LENGTH)
CHANGES = {
    "masks": Change(
        MAPS,
        "hidden",
        "The scores of two empty places are hidden, and their weights are 0",
        letters="3/5··",
        options={"mask": ca.create_padding_mask([[1, 1, 1, 0, 0]])[0, 0]},
    ),
    "causal": Change(
        MAPS,
        "hidden",
        "The scores of later letters are hidden, so that a triangle of weights is left",
        letters="2018-",
        options={"mask": CAUSAL},
    ),
    "multi_head": Change(MAPS, "two heads", "There are two maps, one for each head", heads=2),
    "split_heads": Change(("q", "k", "v"), "cut", "Queries, keys and values are cut, a part for each head", heads=2),
    "positions": Change(("places",), "positions", "Numbers that tell its place are added to those of each letter"),
    "turning_positions": Change(
        ("q", "k"), "turned", "Each query and key is turned, the further, the later it stands", turn=0.6
    ),
    "cache": Change(
        ("k", "v"),
        "kept",
        "The keys and values of the letters before are kept, and all else is made for the newest letter only",
        letters="2018-",
        before=HIDDEN,
        made=NEWEST,
        looking=(NEWEST, None),
        answered=NEWEST,
    ),
    "long_sequences": Change(
        MAPS,
        "one row",
        "Only one row of the maps is there at a time",
        looking=(range(2, 3), None),
        answered=range(3),
    ),
    "packing": Change(
        MAPS,
        "hidden",
        "The scores between letters of two texts are hidden",
        letters="catto",
        options={"mask": ca.combine_masks(CAUSAL, ca.create_document_mask([[1, 1, 1, 2, 2]])[0, 0])},
        before=HIDDEN,
    ),
    "fewer_keys": Change(
        ("k", "v"),
        "shared",
        "Two heads of queries share the same keys and values",
        letters="the␣c",
        options=HIDDEN,
        before=HIDDEN,
        heads=2,
        key_heads=1,
    ),
    "windows": Change(
        MAPS,
        "hidden",
        "All scores but those of the letter itself and of the one before are hidden",
        letters="later",
        options={"mask": ca.combine_masks(CAUSAL, ca.create_window_mask(LENGTH, 2))},
        before=HIDDEN,
    ),
    "sinks": Change(
        ("sink",),
        "sink",
        "There is one more column of scores and weights, which belongs to no letter",
        letters="the␣c",
        options={"mask": CAUSAL, "sink": np.full((1, 1), SINK, np.float32)},
        before=HIDDEN,
    ),
}


def attention_drawn(name):
    """Show attention as the lesson `name` changes it, and a box to untick: then it is as it was before."""
    change = CHANGES[name]
    says = f"{WHOLE}. Lit, because it is new: {change.says}."
    box = f'<input type="checkbox" id="drawn-{name}" checked><label for="drawn-{name}">{change.word}</label>'
    after = svg(change, f'role="img" aria-label="{escape(says)}"')
    before = svg(without(change), 'aria-hidden="true"')
    return HTML(f'<div class="drawn">{box}{after}{before}</div>')


def without(change):
    """Return the same letters in attention as it is without the change."""
    one_of_two = change.heads == 2 and change.key_heads is None
    return Change(letters=change.letters, options=change.before, heads=change.heads, glued=one_of_two)


def svg(change, described):
    numbers = calculation(change)
    drawn = "".join(mark for column in (letters, vectors, maps, output) for mark in column(change, numbers))
    return (
        f'<svg class="diagram" viewBox="0 0 382 194" width="590" {described} fill="none" stroke="currentColor" '
        f'font-family="system-ui, sans-serif">{drawn}</svg>'
    )


def calculation(change):
    """Compute attention as the change has it: x (letters, WIDTH), and arrays with an axis of heads before the rows."""
    random = np.random.default_rng(11)
    depth = 3 if change.heads == 1 else 2
    rows = {letter: random.normal(size=WIDTH) for letter in change.letters}
    x = np.array([rows[letter] for letter in change.letters], np.float32)
    placed = x + PLACES if "places" in change.lit else x
    key_heads = change.key_heads or change.heads
    projections = random.normal(size=(3, 2, WIDTH, 3)).astype(np.float32)[..., :depth]
    q, k, v = (placed @ w[:n] for w, n in zip(projections, (change.heads, key_heads, key_heads), strict=True))
    if change.glued:
        q, k, v = (np.concatenate([*each], axis=-1)[np.newaxis] for each in (q, k, v))
    turned_q, turned_k = (turned(each, change.turn) for each in (q, k))
    found = ca.scaled_dot_product_attention(turned_q, turned_k, v, grouped=True, **change.options)
    scores = turned_q @ np.repeat(turned_k, len(q) // len(k), axis=0).swapaxes(1, 2) / q.shape[-1] ** 0.5
    blocked = np.broadcast_to(change.options.get("mask", np.zeros((1, LENGTH))), (LENGTH, LENGTH)) == 1
    return {"x": x, "q": q, "k": k, "v": v, "scores": scores, "blocked": blocked} | {
        name: getattr(found, name).numpy() for name in ("weights", "output")
    }


def turned(x, angle):
    """Turn the first two numbers of each row, the further, the later it stands."""
    pairs = (x[..., 0] + 1j * x[..., 1]) * np.exp(1j * angle * np.arange(LENGTH))
    return np.stack([pairs.real, pairs.imag, *np.moveaxis(x[..., 2:], -1, 0)], axis=-1).astype(np.float32)


def letters(change, numbers):
    left, centre = LEFT["x"], LEFT["x"] + WIDTH * SIDE / 2
    top = MIDDLE - HIGH / 2
    if "places" in change.lit:
        top, below = MIDDLE - HIGH - 9, MIDDLE + 9
        yield lit(left, below, WIDTH) + grid(left, below, PLACES, colour="fourth")
        yield label("+", centre, MIDDLE + 4) + word(change, centre, below + HIGH + 16)
    yield grid(left, top, numbers["x"], rows=change.made) + label("x", centre, top - 6)
    for i, letter in enumerate(change.letters):
        yield label(letter, 6, top + (i + 0.9) * SIDE, size=9)
    for y in QKV.values():
        yield arrow(left + WIDTH * SIDE + 5, MIDDLE + (y - MIDDLE) / 8, LEFT["qkv"] - 6, y)


def vectors(change, numbers):
    """The queries, keys and values: two heads stand side by side."""
    room = 11 if change.turn else 0  # for hands
    for name, middle in QKV.items():
        heads, left, top = numbers[name], LEFT["qkv"], middle - HIGH / 2
        wide = heads.shape[2] * len(heads) + 0.5 * (len(heads) - 1)
        if name in change.lit:
            yield lit(left, top, wide + room / SIDE)
        for i, head in enumerate(heads):
            beside = left + i * (heads.shape[2] + 0.5) * SIDE
            yield grid(beside, top, head, COLOURS[name], rows=change.made if name == "q" else None)
        if change.turn and name in change.lit:
            yield hands(left + wide * SIDE + 6, top, change.turn, COLOURS[name])
        yield label(name, left + wide * SIDE / 2, top - 6)
    if change.turn:
        yield word(change, LEFT["qkv"] + 46, QKV["q"] - HIGH / 2 + 4, "start")
    elif "k" in change.lit:
        yield word(change, LEFT["qkv"] + 14, QKV["v"] + HIGH / 2 + 16)


def maps(change, numbers):
    tops = [MIDDLE - HIGH - 8, MIDDLE + 8] if len(numbers["q"]) > 1 else [MIDDLE - HIGH / 2]
    has_sink = "sink" in change.lit
    for top in tops:
        middle = top + HIGH / 2
        for name in ("q", "k"):
            yield arrow(LEFT["scores"] - 32, QKV[name], LEFT["scores"] - 6, middle + (QKV[name] - middle) / 8)
        yield arrow(LEFT["scores"] + HIGH + (18 if has_sink else 5), middle, LEFT["weights"] - 6, middle)
    for name in MAPS:
        left, centre = LEFT[name], LEFT[name] + HIGH / 2
        for top, head in zip(tops, numbers[name], strict=True):
            if name in change.lit:
                yield lit(left, top, LENGTH)
            yield grid(left, top, head, rows=change.looking[0], columns=change.looking[1], blocked=numbers["blocked"])
            if has_sink:
                aside = left + HIGH + 4
                left_over = 1 - head.sum(axis=1, keepdims=True)
                yield lit(aside, top, 1)
                yield grid(aside, top, left_over if name == "weights" else np.full((LENGTH, 1), SINK), within=(0, 1))
        yield label(name, centre, tops[0] - 6)
    between = (LEFT["scores"] + HIGH + LEFT["weights"]) / 2
    if change.lit == MAPS:
        yield word(change, between, tops[0] - 20 if len(tops) > 1 else tops[0] + HIGH + 16)
    elif has_sink:
        yield word(change, LEFT["weights"] + HIGH + 4 + SIDE / 2, tops[0] - 6, anchor="start")
    yield label("softmax", between + (7 if has_sink else 0), tops[0] + HIGH / 2 + 15)


def output(change, numbers):
    heads, left = numbers["output"], LEFT["output"]
    wide = heads.shape[2] * len(heads) + 0.5 * (len(heads) - 1)
    top = QKV["v"] - HIGH / 2
    yield arrow(LEFT["qkv"] + 48, QKV["v"], left - 6, QKV["v"])
    lowest = MIDDLE + 8 if len(heads) > 1 else MIDDLE - HIGH / 2
    # what goes to a sink is thrown away, so with one the arrow begins below the letters
    begins = (HIGH - 5, lowest + HIGH + 4) if "sink" in change.lit else (HIGH + 8, lowest + HIGH / 2)
    yield arrow(LEFT["weights"] + begins[0], begins[1], left - 5, top + 8)
    for i, head in enumerate(heads):
        yield grid(left + i * (heads.shape[2] + 0.5) * SIDE, top, head, "values", rows=change.answered)
    yield label("output", left + wide * SIDE / 2, top - 6)


def grid(left, top, numbers, colour="", rows=None, columns=None, blocked=None, within=None):
    """Draw numbers as squares; those out of `rows` and `columns` are not there, and blocked ones are struck out."""
    numbers = np.asarray(numbers, float)
    high, wide = numbers.shape
    is_there = np.zeros(numbers.shape, bool)
    is_there[np.ix_(rows or range(high), columns or range(wide))] = True
    if blocked is not None:
        is_there &= ~blocked
    low, most = within or (numbers[is_there].min(), numbers[is_there].max())
    squares, strokes = [], []
    for i, j in np.ndindex(high, wide):
        x, y = left + j * SIDE, top + i * SIDE
        if is_there[i, j]:
            opacity = 0.08 + 0.87 * (numbers[i, j] - low) / (most - low)
            squares.append(f'<rect x="{x:g}" y="{y:g}" width="{SIDE}" height="{SIDE}" fill-opacity="{opacity:.2f}"/>')
        elif blocked is not None and blocked[i, j]:
            strokes.append(f"M{x + 1:g} {y + SIDE - 1:g}l{SIDE - 2} {2 - SIDE}")
    fill = themed(colour) if colour else "currentColor"
    size = f'width="{wide * SIDE}" height="{high * SIDE}"'
    return (
        f'<rect class="paper" x="{left:g}" y="{top:g}" {size} stroke-opacity=".5"/>'
        f'<g stroke="none" style="fill:{fill}">{"".join(squares)}</g><path d="{"".join(strokes)}" stroke-opacity=".6"/>'
    )


def lit(left, top, wide):
    size = f'width="{wide * SIDE + 8:g}" height="{HIGH + 8}"'
    return f'<rect class="lit" x="{left - 4:g}" y="{top - 4:g}" {size} rx="4" {LIGHT}/>'


def themed(colour):
    return f"var(--ca-{colour},{PAPER[colour]})"


def hands(x, top, turn, colour):
    """A hand for each row, turned by its place."""
    half = [3.5 * np.exp(-1j * turn * i) for i in range(LENGTH)]
    middles = [complex(x, top + (i + 0.5) * SIDE) for i in range(LENGTH)]
    ends = [(middle - end, middle + end) for middle, end in zip(middles, half, strict=True)]
    drawn = "".join(f"M{a.real:.1f} {a.imag:.1f}L{b.real:.1f} {b.imag:.1f}" for a, b in ends)
    return f'<path style="stroke:{themed(colour)}" stroke-width="1.5" d="{drawn}"/>'


def arrow(x, y, to_x, to_y):
    along = complex(to_x - x, to_y - y)
    unit = along / abs(along)
    barbs = "".join(
        f"M{to_x:g} {to_y:.1f}l{4 * back.real:.1f} {4 * back.imag:.1f}" for back in (-unit * 1j**0.4, -unit * 1j**-0.4)
    )
    return f'<path d="M{x:g} {y:.1f}L{to_x:g} {to_y:.1f}{barbs}" stroke-opacity=".7"/>'


def label(text, x, y, size=11, anchor="middle", weight=400):
    how = f'font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" fill="currentColor" stroke="none"'
    return f'<text x="{x:g}" y="{y:g}" {how}>{text}</text>'


def word(change, x, y, anchor="middle"):
    return label(change.word, x, y, anchor=anchor, weight=700)

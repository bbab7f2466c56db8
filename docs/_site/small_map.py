"""A small map at the head of each lesson: the machine, with the part lit that the lesson is about."""

from __future__ import annotations

from pathlib import PurePosixPath

ENCODER = ["places", "self", "norm", "feed", "norm"]  # from below, as on the map of all lessons
DECODER = ["places", "self", "norm", "cross", "norm", "feed", "norm", "out"]
HALF = ["places", "self", "norm", "feed", "norm", "out"]  # a language model has nothing to read

CALLED = {
    "places": "letters and places",
    "self": "attention to its own letters",
    "cross": "attention to the text that it reads",
    "norm": "add and norm",
    "feed": "the feed-forward network",
    "out": "what writes the next letter",
}
ALL = set(CALLED)
LOOKING = {"self", "cross"}
LIT = {  # in the encoder and in the decoder
    "reading_dates": (ALL, ALL),
    "attention": (LOOKING, LOOKING),
    "masks": (LOOKING, {"cross"}),
    "causal": (set(), {"self"}),
    "multi_head": (LOOKING, LOOKING),
    "split_heads": (LOOKING, LOOKING),
    "positions": ({"places"}, {"places"}),
    "transformer_layer": ({"norm"}, {"norm"}),
    "feed_forward": ({"feed"}, {"feed"}),
    "recap": (ALL, ALL),
    "training": (ALL, ALL),
    "adam": (ALL, ALL),
    "writing": (set(), {"out"}),
    "roman": (ALL, ALL),
    "cache": (set(), LOOKING),
    "long_sequences": (LOOKING, LOOKING),
    "online_softmax": (LOOKING, LOOKING),
    "norm_first": ({"norm"}, {"norm"}),
    "turning_positions": ({"self"}, {"self"}),
    "packing": (LOOKING, LOOKING),
    "score_rules": (LOOKING, LOOKING),
}
LIT_IN_HALF = {
    "language_model": ALL,
    "by_heart": ALL,
    "pieces_of_words": {"places"},
    "fewer_keys": {"self"},
    "windows": {"self"},
    "sinks": {"self"},
    "induction": {"self"},
    "programs": {"self", "feed"},
    "sorting": {"self", "feed"},
    "twins": ALL,
}

WIDE, HIGH, GAP, FLOOR, AISLE = 44, 8, 4, 96, 16


def add_map(page):
    """Give a lesson's page its map, as a link to its card on the map of all lessons."""
    path = PurePosixPath(page.file.src_uri)
    if path.suffix == ".py" and path.parent.name == "learn":
        page.meta["small_map"] = small_map(path.stem)


def small_map(lesson):
    if lesson in LIT_IN_HALF:
        lit = LIT_IN_HALF[lesson]
        drawn, width = column(HALF, lit, 1), WIDE + 2
    else:
        left, right = LIT[lesson]
        lit = {part for part in left if part in ENCODER} | right
        width = 2 * WIDE + AISLE + 2
        drawn = column(ENCODER, left, 1) + column(DECODER, right, WIDE + AISLE + 1) + across()
    named = "all of it" if lit >= {*HALF} else ", ".join(name for part, name in CALLED.items() if part in lit)
    return (
        f'<a class="lesson-where" href="../#{lesson}" title="In the machine: {named}" '
        'aria-label="This lesson on the map">'
        f'<svg viewBox="0 0 {width} {FLOOR + 2}" style="width:{width / 20:g}rem" aria-hidden="true">{drawn}</svg></a>'
    )


def height(i):
    return FLOOR - (i + 1) * (HIGH + GAP) + GAP


def column(parts, lit, x):
    boxes = []
    for i, part in enumerate(parts):
        kind = ' class="lit"' if part in lit else ""
        boxes.append(f'<rect{kind} x="{x}" y="{height(i)}" width="{WIDE}" height="{HIGH}" rx="2"/>')
    middle = x + WIDE / 2
    steps = "".join(f"M{middle:g} {height(i)}v-{GAP}" for i in range(len(parts) - 1))
    return f'<path d="{steps}"/>{"".join(boxes)}'


def across():
    """What the encoder has read goes to the attention of the decoder that looks at it."""
    top, cross = height(len(ENCODER) - 1), height(DECODER.index("cross")) + HIGH / 2
    return f'<path d="M{1 + WIDE / 2:g} {top}v-{GAP + 2}H{1 + WIDE + AISLE / 2:g}V{cross:g}h{AISLE / 2:g}"/>'

"""Exercises of the lesson "Pieces of words"."""

from collections import Counter
from itertools import pairwise

from exercises import Choice, Exercise, Numbers

TEXT = "banana bandana"
RULES = ("es", "th", "the", "se")  # in the order in which they were learnt
WORD = "these"


def glued(pieces, pair):
    """Return the pieces with each two neighbours that make up the pair glued."""
    found = []
    for piece in pieces:
        if found and found[-1] + piece == pair:
            found[-1] += piece
        else:
            found.append(piece)
    return found


def ranked(text):
    """Return the pairs of letters, the commonest first."""
    return [" + ".join(pair) for pair, _ in Counter(pairwise(text)).most_common()]


def rounds(text, number):
    pieces = [*text]
    for _ in range(number):
        ((a, b), _), *_ = Counter(pairwise(pieces)).most_common()
        pieces = glued(pieces, a + b)
    return len(pieces)


def cut(word, rules):
    pieces = [*word]
    for rule in rules:
        pieces = glued(pieces, rule)
    return " | ".join(pieces)


EXERCISES = [
    Exercise(
        name="first-pair",
        question="Which pair is glued first in `banana bandana`?",
        asks=Choice(),
        given=(TEXT,),
        right=lambda text: ranked(text)[0],
        because="a and n stand together four times: twice in banana, and twice in bandana.",
        mistakes={
            "the second": (
                lambda text: "n + a",
                "n and a stand together three times, because in bandana a d comes between.",
            ),
            "how it begins": (lambda text: "b + a", "The first pair wins only when pairs are equally common."),
        },
    ),
    Exercise(
        name="after-two-rounds",
        question="How many pieces does `banana bandana` have, space and all, after two rounds?",
        asks=Numbers(("",), digits=0),
        given=(TEXT,),
        right=lambda text: rounds(text, 2),
        because="There are 14 letters. First a + n is glued four times, then b + an twice: 14 - 4 - 2.",
        mistakes={
            "one round": (lambda text: rounds(text, 1), "That is after the first round."),
            "one piece a round": (lambda text: len(text) - 2, "A round glues a pair wherever it stands."),
            "the old counts": (
                lambda text: len(text) - 4 - 3,
                "n + a stood there three times at first. Then each n was glued to an a, so count again.",
            ),
        },
    ),
    Exercise(
        name="cut-by-rules",
        question="The rules are, in this order: e + s, t + h, th + e, s + e. How is `these` cut?",
        asks=Choice(),
        given=(WORD, RULES),
        right=cut,
        because="e + s comes first. Then t + h is glued, and there is no th + e any more, since the e is in es.",
        mistakes={
            "the longest first": (
                lambda word, rules: cut(word, rules[1:]),
                "A reader would cut it like that. The rules are applied in the order in which they were learnt.",
            ),
            "one rule only": (lambda word, rules: cut(word, rules[:1]), "Go on after e + s: t + h is there as well."),
            "one rule back": (
                lambda word, rules: cut(word, rules[1:3]),
                "The first rule, e + s, was left out.",
            ),
        },
    ),
    Exercise(
        name="rows-of-the-table",
        question="A model begins with 256 bytes and has learnt 744 rules. Its vectors have 64 numbers. How many numbers"
        " does its table have?",
        asks=Numbers(("",), digits=0),
        given=(256, 744, 64),
        right=lambda letters, rules, d_model: (letters + rules) * d_model,
        because="256 bytes and 744 glued pieces are 1,000 rows of 64 numbers.",
        mistakes={
            "without the bytes": (lambda b, r, d: r * d, "The single bytes stay in the table, too."),
            "pairs": (lambda b, r, d: (b + 2 * r) * d, "A rule names two pieces, and makes only one new one."),
            "rows": (lambda b, r, d: b + r, "These are the rows. Each has 64 numbers."),
        },
    ),
]

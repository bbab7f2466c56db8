"""What a reader can do to a box: each probe changes the input in one way, and says what came of it.

A probe gets a box and the numbers of its words, and returns a `Finding`. Two findings are the same if their `key` is:
it says what kind of thing happened, and leaves out by how much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

WORDS, DEPTH = 5, 8
SEEN = 1e-4  # a change that counts
CLEAR = 0.1  # a change that is clear, where it matters how large it is
HIDDEN = 2  # words of padding, at the beginning
LAST = WORDS - 1


@dataclass(frozen=True)
class Finding:
    """What came of a probe: how much for each word (None: not asked, NaN: not a number), in kind, and in words."""

    numbers: list[float | None]
    key: str
    says: str


@dataclass(frozen=True)
class Probe:
    """`does` says what is done, `measures` what the numbers are."""

    name: str
    title: str
    does: str
    measures: str
    run: Callable[[Callable[..., object], np.ndarray], Finding]

    def __call__(self, box, x):
        tf.random.set_seed(int(1000 * abs(x[0, 0])))  # a box may draw by chance
        try:
            return self.run(box, x)
        except (ValueError, tf.errors.InvalidArgumentError):
            return Finding([None] * WORDS, "error", "It stops with an error: the shapes do not fit.")


def words(number):
    """Return the numbers of a sentence, and of another that takes words from it: `(words, depth)` each."""
    rng = np.random.default_rng(number)
    return rng.normal(0, 1.2, (WORDS, DEPTH)).astype("float32")


def others(x):
    """Return as many other words, always the same ones for the same sentence."""
    return words(int(1e4 * abs(x[0, 0])))


def ask(box, x, padding=None, queries=None):
    """Return what a box gives for a sentence, `(words, depth)`, or for several."""
    batch = np.asarray(x).reshape(-1, WORDS, DEPTH)
    padding = np.zeros(batch.shape[:2]) if padding is None else np.asarray(padding).reshape(batch.shape[:2])
    queries = batch if queries is None else np.asarray(queries).reshape(len(batch), -1, DEPTH)
    inputs = [tf.constant(t, tf.float32) for t in (queries, batch, batch, padding)]
    output = np.asarray(box(*inputs))
    return output if np.ndim(x) == 3 else output[0]


def moved(before, after, places=range(WORDS)):
    """Say which words give something else than before."""
    gap = [float(np.abs(after[i] - before[i]).max()) if i in places else None for i in range(WORDS)]
    if all(np.isnan(g) for g in gap if g is not None):
        return Finding(gap, "nan", f"{named(places)} {verb('give NaN', places)}.")
    lost = [i for i in places if np.isnan(gap[i])]
    there = [i for i in places if i not in lost and gap[i] > SEEN]
    still = [i for i in places if i not in lost and i not in there]
    said = {"change": there, "stay": still, "give NaN": lost}
    parts = [f"{named(some)} {verb(word, some)}" for word, some in said.items() if some]
    key = "".join("n" if i in lost else "m" if i in there else "s" for i in places)
    return Finding(gap, key, ". ".join(parts) + ".")


def verb(words, places):
    """Put the first word into the singular if there is one place."""
    first, *rest = words.split(" ")
    return " ".join([first + "s" if len(places) == 1 else first, *rest])


def named(places):
    """Name words by their place: Words 1 and 2; Word 5."""
    numbers = [str(i + 1) for i in places]
    if len(numbers) == 1:
        return f"Word {numbers[0]}"
    if len(numbers) == WORDS:
        return "All words"
    return f"Words {', '.join(numbers[:-1])} and {numbers[-1]}"


def left(count=HIDDEN):
    """Return a padding mask of one sentence: its first words are padding."""
    return (np.arange(WORDS) < count).astype("float32")


# The probes.


def twice(box, x):
    return moved(ask(box, x), ask(box, x))


def future(box, x):
    changed = x.copy()
    changed[3] = others(x)[3]
    return moved(ask(box, x), ask(box, changed))


def padding(box, x):
    changed = x.copy()
    changed[:HIDDEN] = others(x)[:HIDDEN]
    return moved(ask(box, x, left()), ask(box, changed, left()), range(HIDDEN, WORDS))


def nan(box, x):
    spoiled = x.copy()
    spoiled[:HIDDEN] = np.nan
    return moved(ask(box, x, left()), ask(box, spoiled, left()), range(HIDDEN, WORDS))


def order(box, x):
    return moved(ask(box, x), ask(box, x[[3, 2, 1, 0, 4]]), [LAST])


def equal(box, x):
    """All words are the first one: any mean of them is this word again."""
    same = np.repeat(x[:1], WORDS, axis=0)
    found = moved(same, ask(box, same))
    off = [i for i in range(WORDS) if found.key[i : i + 1] == "m"]
    if "n" in found.key:
        return found
    what = f"{named(off)} {verb('give', off)} something else than this word" if off else "Every word gives this word"
    return Finding(found.numbers, found.key, f"{what}.")


def double(box, x):
    found = moved(ask(box, x), ask(box, x, queries=2 * x))
    if found.key == "nan":
        return found
    first, most = found.numbers[0], max(found.numbers[1:])
    how = "stay" if most <= SEEN else "change clearly" if most > CLEAR else "hardly change"
    who = "Word 1 stays" if first <= SEEN else "Word 1 changes"
    others = "At least one other word changes clearly" if most > CLEAR else f"The others {how}"
    says = "All words stay." if first <= SEEN and most <= SEEN else f"{who}. {others}."
    return Finding(found.numbers, f"{who}, {how}", says)


def empty(box, x):
    """Everything is padding: no query may see anything."""
    output, open_ = ask(box, x, left(WORDS)), ask(box, x)
    sizes = [float(np.abs(row).max()) for row in output]
    kinds = {
        "only NaN": np.isnan(output[LAST]).any(),
        "0": sizes[LAST] <= SEEN,
        "the mean of all words": np.allclose(output[LAST], x.mean(axis=0), atol=SEEN),
        "the same as if nothing were padding": np.allclose(output[LAST], open_[LAST], atol=SEEN),
    }
    kind = next((kind for kind, fits in kinds.items() if fits), "some mixture of words")
    return Finding(sizes, kind, f"Word 5 gives {kind}.")


def batch(box, x):
    """A second sentence whose first words are padding stands in the batch."""
    both = ask(box, np.stack([x, others(x)]), [np.zeros(WORDS), left()])
    return moved(ask(box, x), both[0])


def last(box, x):
    """Only the last word asks, as in writing, where the keys of earlier words are kept."""
    whole, alone = ask(box, x), ask(box, x, queries=x[LAST:])
    return moved(whole, np.concatenate([whole[:LAST], alone]), [LAST])


CHANGE = "change of the output"
PROBES = [
    Probe("again", "Ask twice", "The same sentence goes in a second time.", CHANGE, twice),
    Probe("future", "Change a later word", "Word 4 is replaced by another word.", CHANGE, future),
    Probe(
        "padding",
        "Change the padding",
        "Words 1 and 2 are marked as padding. Then other words are put in their place.",
        CHANGE,
        padding,
    ),
    Probe(
        "nan",
        "Spoil the padding",
        "Words 1 and 2 are marked as padding. Then their numbers become NaN, which is “not a number”.",
        CHANGE,
        nan,
    ),
    Probe("empty", "Leave nothing to see", "All words are marked as padding.", "size of the output", empty),
    Probe("order", "Change the order", "Words 1 to 4 are put in the opposite order. Word 5 asks.", CHANGE, order),
    Probe("equal", "Make all words equal", "Word 1 is put in all five places.", "distance from that word", equal),
    Probe("double", "Double the queries", "All queries are multiplied by 2.", CHANGE, double),
    Probe("batch", "Add a second sentence", "Another sentence, with padding, joins the batch.", CHANGE, batch),
    Probe("last", "Ask with the last word only", "Word 5 is the only query. All five keys are kept.", CHANGE, last),
]

"""What the laws are tried on: Hypothesis draws seeds, and NumPy makes sizes, kinds and arrays from them.

Hypothesis itself likes to draw a size of 1 and to repeat what it drew, so that of 500 cases few would differ. It still
shrinks: to a quarter of the cases that is tiny, and to a small seed. A failing case prints as the recipe that makes it
again.
"""

import functools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from hypothesis import strategies as st
from reference import TF32

from clear_attention import (
    blockwise_attention,
    combine_masks,
    create_look_ahead_mask,
    create_padding_mask,
    create_prefix_mask,
    create_window_mask,
    scaled_dot_product_attention,
)

HALVES, WHOLES = ("float16", "bfloat16"), ("float32", "float64")
MASK_DTYPES = ("bool", "int8", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64")
SCALES = {"normal": 1.0, "small": 1e-3, "wide": 5.0, "scores to 1e4": 50.0, "zeros": 0.0}  # of queries and keys
SHIFTS = {"far from 0": (30.0, 30.0), "scores below -1e4": (110.0, -110.0)}  # of queries, and of keys
CONTENTS = (*SCALES, *SHIFTS, "ties")
GRADIENTS = ("dq", "dk", "dv")
LARGEST = np.finfo(np.float64).max  # stands for the largest number of any dtype
LARGEST_TF32 = (2 - 2.0**-10) * 2.0**127
STRANGE = (None, np.nan, np.inf, -np.inf, 1e10, -1e10, LARGEST, -LARGEST)


class Case(NamedTuple):
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    mask: np.ndarray | None
    visible: np.ndarray  # bool, (..., query_length, key_length)


@dataclass(frozen=True)
class Recipe:
    seed: int
    leading: tuple
    queries: int
    keys: int
    d_k: int
    d_v: int
    dtype: str
    content: str
    mask: str
    mask_dtype: str
    thin: int  # the bits say which axes of a random mask have length 1
    shorter: int  # how many axes it lacks; with none left it is one number
    empties: bool  # some queries are left without any key
    strange: float | None  # what stands where nobody looks

    def build(self, causal=False, window=None):
        """Make the arrays; `causal` and `window` hide keys too, without being in the mask."""
        rng = np.random.default_rng(self.seed)
        shifts = SHIFTS.get(self.content, (0.0, 0.0))
        scale = SCALES.get(self.content, 1.0)
        q = self.numbers(rng, self.queries, self.d_k, scale, shifts[0])
        k = self.numbers(rng, self.keys, self.d_k, scale, shifts[1])
        v = self.numbers(rng, self.keys, self.d_v)
        mask = self.make_mask(rng)
        visible = np.broadcast_to(True if mask is None else mask == 0, (*self.leading, self.queries, self.keys))
        visible = visible & ~hidden_by(self.queries, self.keys, causal, window)
        if self.strange is not None:
            self.spoil(rng, q, ~visible.any(axis=-1))
            for x in (k, v):
                self.spoil(rng, x, ~visible.any(axis=-2))
        return Case(*(x.astype(numpy_dtype(self.dtype)) for x in (q, k, v)), mask, visible)

    def numbers(self, rng, length, depth, scale=1.0, shift=0.0):
        """Draw numbers that the dtype holds, as float64."""
        shape = (*self.leading, length, depth)
        if self.content == "ties":
            return rng.integers(-1, 2, shape).astype(np.float64)
        return (shift + scale * rng.normal(size=shape)).astype(numpy_dtype(self.dtype)).astype(np.float64)

    def spoil(self, rng, x, rows):
        """Write what is strange into some numbers of the rows."""
        x[rows[..., np.newaxis] & (rng.random(x.shape) < 0.7)] = held_by(self.dtype, self.strange)

    def make_mask(self, rng):
        if self.mask == "none":
            return None
        mask = np.asarray(MASKS[self.mask](self, rng)) != 0
        if self.empties:
            mask = mask | (rng.random((*mask.shape[:-1], 1)) < 0.4)
        return mask.astype(numpy_dtype(self.mask_dtype))

    def random_shape(self):
        shape = (*self.leading, self.queries, self.keys)[self.shorter :]
        return tuple(1 if self.thin >> i & 1 else n for i, n in enumerate(shape))

    def padding(self, rng):
        """One row of tokens for each sentence of the batch, whatever other leading axes there are."""
        sentences = self.leading[:1]
        mask = create_padding_mask(rng.integers(0, 3, (*(sentences or (1,)), self.keys)))
        return tf.reshape(mask, (*sentences, *(1 for _ in self.leading[1:]), 1, self.keys))

    def square(self, make, size):
        """Cut the last rows and columns out of a square mask."""
        longest = max(self.queries, self.keys)
        return make(longest, size(longest))[-self.queries :, -self.keys :]


MASKS = {
    "random": lambda r, rng: rng.random(r.random_shape()) < rng.choice([0.1, 0.5, 0.9]),
    "nothing": lambda r, rng: np.zeros(r.random_shape()),
    "everything": lambda r, rng: np.ones(r.random_shape()),
    "padding": Recipe.padding,
    "look-ahead": lambda r, rng: create_look_ahead_mask(r.queries, r.keys),
    "prefix": lambda r, rng: r.square(create_prefix_mask, lambda n: int(rng.integers(0, n + 1))),
    "window": lambda r, rng: r.square(create_window_mask, lambda n: int(rng.integers(1, n + 1))),
    "combined": lambda r, rng: combine_masks(r.padding(rng), create_look_ahead_mask(r.queries, r.keys)),
}


@functools.cache
def numpy_dtype(name):
    return tf.as_dtype(name).as_numpy_dtype


def held_by(dtype, x):
    """Return infinity for 1e10 where the type ends before. TF32 products take the last float32 numbers for infinite."""
    if abs(x) == LARGEST:
        largest = LARGEST_TF32 if TF32 and dtype == "float32" else float(tf.as_dtype(dtype).max)
        return np.copysign(largest, x)
    return np.copysign(np.inf, x) if dtype == "float16" and abs(x) == 1e10 else x


def hidden_by(queries, keys, causal=False, window=None):
    """What the flags of blockwise attention hide: the last query stands on the last key."""
    ahead = np.arange(keys) - np.arange(queries)[:, np.newaxis] - (keys - queries)
    return ((ahead > 0) & causal) | (np.abs(ahead) >= (window or np.inf))


SEEDS = st.integers(0, 2**24 - 1)  # all are equally likely, which they would not be in a larger range


def recipes(
    dtypes=HALVES + WHOLES,
    longest=20,
    deepest=10,
    contents=CONTENTS,
    masks=("none", *MASKS),
    stranges=STRANGE,
):
    choices = {
        "dtype": dtypes,
        "content": contents,
        "mask": masks,
        "mask_dtype": MASK_DTYPES,
        "thin": range(32),
        "shorter": range(4),
        "empties": (False, True),
        "strange": stranges,
    }

    def draw(seed, longest):
        rng = np.random.default_rng(seed)
        leading = tuple(int(n) for n in rng.integers(1, 3, rng.integers(4)))
        sizes = [int(n) for n in rng.integers(1, [longest + 1] * 2 + [min(longest, deepest) + 1] * 2)]
        picked = {name: several[rng.integers(len(several))] for name, several in choices.items()}
        return Recipe(seed, leading, *sizes, **picked)

    return st.builds(draw, SEEDS, st.sampled_from((3, longest, longest, longest)))


def flags(longest=12, smallest_block=6):
    """Draw what blockwise attention is told besides its tensors."""

    def draw(seed):
        rng = np.random.default_rng(seed)
        window = int((longest + 2) ** rng.random()) if rng.random() < 0.5 else None  # rather small
        block_size = int(rng.integers(smallest_block, longest + 2))
        return {"causal": bool(rng.random() < 0.5), "window": window, "block_size": block_size}

    return st.builds(draw, SEEDS)


def ways(longest=12, smallest_block=6, plain=5):
    """Draw which function attends: None is the plain one, else the flags of blockwise attention, which is slower."""
    numbers = st.integers(0, 2**20 - 1)  # of which Hypothesis doesn't prefer any
    return st.builds(lambda n, way: None if n % (plain + 1) else way, numbers, flags(longest, smallest_block))


def hiding(way):
    """Pick the flags that hide keys."""
    return {} if way is None else {name: way[name] for name in ("causal", "window")}


def attend(way, q, k, v, mask=None, **rules):
    """Return the results by name."""
    if way is not None:
        return {"output": blockwise_attention(q, k, v, mask, **way, **rules)}
    return scaled_dot_product_attention(q, k, v, mask, **rules)._asdict()


def everything(way, case, upstream):
    """Return all results and all gradients by name."""
    tensors = [tf.constant(x) for x in case[:3]]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        results = attend(way, *tensors, case.mask)
    gradients = tape.gradient(results["output"], tensors, upstream)
    return results | dict(zip(GRADIENTS, gradients, strict=True))


def upstream_of(recipe):
    """Draw what a loss would send back to the output."""
    shape = (*recipe.leading, recipe.queries, recipe.d_v)
    return np.random.default_rng(recipe.seed + 1).normal(size=shape).astype(numpy_dtype(recipe.dtype))

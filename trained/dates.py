"""The Transformer that writes dates as ISO 8601, and siblings of it, each of which lacks one part."""

from __future__ import annotations

from functools import cache, partial
from types import MethodType

import numpy as np
import tensorflow as tf

from clear_attention import (
    PositionalEncoding,
    RelativePositionBias,
    RotaryPositions,
    Transformer,
    create_date_pairs,
    date_tokenizers,
    greedy_search,
    merge_heads,
    split_heads,
)
from trained.recipes import Curve, Recipe, fit, shares_right

SEED, BATCH, STEPS, LENGTH = 0, 64, 1000, 34
PADDINGS = (34, 40, 60, 100)
SHIFTS = (0, 5, 20, 40)  # places by which texts are moved to the right
source_tokenizer, target_tokenizer = date_tokenizers()
SIZES = {
    "num_layers": 1,
    "d_model": 64,
    "num_heads": 4,
    "d_ff": 256,
    "source_vocab": source_tokenizer.vocab_size,
    "target_vocab": target_tokenizer.vocab_size,
    "dropout": 0.0,
}


class Forgetful(Transformer):
    """A Transformer whose target tokens see the ones after them."""

    def target_mask(self, target_ids):
        return self.source_mask(target_ids)  # padding only


class PaddingSeen(Transformer):
    """A Transformer that takes the padding of its sources for letters."""

    def source_mask(self, source_ids):
        return tf.zeros_like(super().source_mask(source_ids))


class NoEncoding(PositionalEncoding):
    """An encoding that adds nothing."""

    def encoding_of(self, x):
        return 0.0

    def encoding_at(self, positions, x):
        return 0.0


class NoPositions(Transformer):
    """A Transformer that is not told where its tokens stand."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.source_positions = NoEncoding(name="source_positions")
        self.target_positions = NoEncoding(name="target_positions")


class NoResidual(Transformer):
    """A Transformer whose blocks keep nothing of what went in: Norm(sublayer(x)) instead of Norm(x + sublayer(x))."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        for layer in (*self.encoder.layers, *self.decoder.layers):
            blocks = [layer.self_attention, getattr(layer, "cross_attention", None), layer.feed_forward]
            for block in filter(None, blocks):
                block.after = MethodType(norm_alone, block)


def norm_alone(block, x, output, training=None):
    """Take the place of a block's `after`, which would add x first."""
    return block.norm(block.drop(output, training=training))


class WrongReshape(Transformer):
    """A Transformer whose heads are cut and joined by a reshape alone, so that a head holds a part of the letters."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        for layer in (*self.encoder.layers, *self.decoder.layers):
            for block in filter(None, [layer.self_attention, getattr(layer, "cross_attention", None)]):
                block.attention.to_heads = MethodType(cut_by_a_reshape, block.attention)
                block.attention.to_output = MethodType(joined_by_a_reshape, block.attention)


def cut_by_a_reshape(attention, dense, x, num_heads):
    """Take the place of an attention's `to_heads`, which would move the axis of the heads to the front."""
    whole = merge_heads(type(attention).to_heads(attention, dense, x, num_heads))
    batch, length, width = tf.unstack(tf.shape(whole))
    return tf.reshape(whole, (batch, num_heads, length, width // num_heads))


def joined_by_a_reshape(attention, x):
    heads = split_heads(x.given, attention.num_heads)
    return type(attention).to_output(attention, type(x).of(tf.reshape(heads, tf.shape(x.given))))


class NoFeedForward(Transformer):
    """A Transformer in which no letter is worked on alone: its feed-forward blocks return what they got."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        for layer in (*self.encoder.layers, *self.decoder.layers):
            layer.feed_forward.after = lambda x, output, training=None: x


class NoFactor(Transformer):
    """A Transformer whose embeddings are not multiplied by the root of d_model: here they are divided by it first."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        for embed in (self.embed_source, self.embed_target):
            embed.call = partial(divided, embed.call, self.d_model**0.5)


def divided(call, divisor, ids):
    return call(ids) / divisor


class NoAttention(Transformer):
    """A Transformer that averages its source plainly, in encoder and decoder: queries stay 0, and so do all scores.

    So every letter it writes gets the same from the source. Only what is written still attends to itself.
    """

    def build(self, input_shape=None):
        super().build(input_shape)
        for queries in (block.attention.project_queries for block in self.averaging()):
            queries.set_weights([np.zeros(weight.shape) for weight in queries.weights])
            queries.trainable = False

    def averaging(self):
        encoder = [layer.self_attention for layer in self.encoder.layers]
        return encoder + [layer.cross_attention for layer in self.decoder.layers]


class EncoderAverages(NoAttention):
    def averaging(self):
        return super().averaging()[: len(self.encoder.layers)]


class CrossAverages(NoAttention):
    def averaging(self):
        return super().averaging()[len(self.encoder.layers) :]


def train(model, steps=STEPS, peak=4e-3, warmup=150, beta_2=0.98, seed=SEED, diary=()):
    """Fit a model to fresh dates; return the share of wrong letters, and what it writes of a diary, every 50 steps."""
    x, y = pairs_to_train(BATCH * steps, seed)
    curve = Curve(partial(write, model, diary) if diary else None)
    fit(model, (x, y[:, :-1]), y[:, 1:], curve, BATCH, peak, warmup, beta_2)
    record = {"steps": np.array(curve.steps), "wrong": np.array(curve.wrong)}
    return record | ({"diary": np.array(diary), "written": np.array(curve.written)} if diary else {})


@cache
def pairs_to_train(number, seed):
    sources, targets = create_date_pairs(number, seed=seed)
    return source_tokenizer.encode(sources, length=LENGTH), target_tokenizer.encode(targets)


def write(model, texts, length=LENGTH, shift=0):
    ids = np.pad(source_tokenizer.encode(texts, length=length), [(0, 0), (shift, 0)])
    return target_tokenizer.decode(greedy_search(model, ids, 11, jit_compile=False))


def measure(model, paddings=(), shifts=()):
    """Let a model write unseen dates; return what is right, also when sources are padded further, or moved."""
    sources, targets = create_date_pairs(2000, seed=1, split="test")

    def written(length, shift=0):
        return shares_right([text.ljust(10) for text in write(model, sources, length, shift)], targets)

    x, y = source_tokenizer.encode(sources, length=LENGTH), target_tokenizer.encode(targets)
    letters = np.mean(np.argmax(model(x, y[:, :-1], training=False), axis=-1) == y[:, 1:])
    right = {length: written(length) for length in {LENGTH, *paddings}}
    padded = {"paddings": paddings, "padded": [right[length]["exact"] for length in paddings]} if paddings else {}
    moved = {"shifts": shifts, "shifted": [written(LENGTH, shift)["exact"] for shift in shifts]} if shifts else {}
    return {**right[LENGTH], "letters": letters, **padded, **moved}


def sibling(name, kind=Transformer, lacks=(), paddings=(), shifts=(), num_heads=4, attention=dict, **training):
    """Return the recipe of one model of the family; `attention` makes the options of its attention."""
    sizes = {**SIZES, "num_heads": num_heads}

    def build():
        model = kind(**sizes, **attention(), name=name.replace("-", "_"))
        model.build()
        return model

    config = {"kind": "transformer", "lacks": [*lacks], "steps": training.get("steps", STEPS), **sizes}
    return Recipe(build, partial(train, **training), partial(measure, paddings=paddings, shifts=shifts), config)


def rotary():
    return {"self_attention": {"rotary": RotaryPositions()}}


def buckets(sink=False):
    """Return what T5 adds to the scores and, if asked for, one more score that leads nowhere."""
    bias = RelativePositionBias(num_buckets=16, max_distance=32)
    return {"self_attention": {"position_bias": bias, "sink": sink}, "cross_attention": {"sink": sink}}


def one_key_head():
    return {name: {"num_key_value_heads": 1} for name in ("self_attention", "cross_attention")}


DIARY = ("thursday 3rd of may 2018", "5/3/2018", "3. mai '18", "22.12.1960", "march 9th, 2001", "christmas 2018")
BRIEF = {"steps": 500, "peak": 6e-3}  # the same for all that are compared; each step more is paid in every build
RECIPES = {
    name: sibling(name, **options)
    for name, options in {
        "dates": {"paddings": PADDINGS, "diary": DIARY},
        "dates-brief": {"shifts": SHIFTS, **BRIEF},
        "dates-one-head": {"num_heads": 1, **BRIEF},
        "dates-no-positions": {"kind": NoPositions, "lacks": ["positions"], **BRIEF},
        "dates-no-residual": {"kind": NoResidual, "lacks": ["residual"], **BRIEF},
        "dates-no-attention": {"kind": NoAttention, **BRIEF},
        "dates-wrong-reshape": {"kind": WrongReshape, "lacks": ["the swap of axes"], **BRIEF},
        "dates-forgetful": {"kind": Forgetful, "lacks": ["look-ahead mask"], "steps": STEPS // 3},
        "dates-padding-seen": {"kind": PaddingSeen, "lacks": ["padding mask"], "paddings": PADDINGS, **BRIEF},
        "today-rotary": {"kind": NoPositions, "attention": rotary, "shifts": SHIFTS, **BRIEF},
        "today-buckets": {"kind": NoPositions, "attention": buckets, "shifts": SHIFTS, **BRIEF},
        "today-sinks": {"kind": NoPositions, "attention": partial(buckets, sink=True), **BRIEF},
        "today-one-key-head": {"attention": one_key_head, **BRIEF},
    }.items()
}

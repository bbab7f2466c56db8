# ---
# title: How do I use it in my own model?
# description: Our attention layers in a functional Keras model and in a subclass, with Keras's mask and with ours, with options and with a cache, trained, saved, exported, served, and converted to LiteRT, each step executed and compared with the model it came from.
# slow: true
# ---

# %% [markdown]
# # How do I use it in my own model?
#
# Our layers are used like every other layer of Keras. This page shows that with small models: a functional one is trained,
# exported and converted to LiteRT, and one of a class of its own is saved, loaded and exported. The numbers are compared
# after each step. Pasted from top to bottom the page runs as one file.
#
# ## In a functional model
#
# The task is made up, so that a model that looks at each token alone cannot solve it. A sentence is a letter that asks,
# then three to five pairs of a letter and a digit; the class is the digit of the letter that asks. One pair is one id,
# and id 0 is padding.

# %%
import keras
import numpy as np

WORDS = ["-", *"abcde", *(letter + digit for letter in "abcde" for digit in "0123")]


def make(number, seed):
    """Sentences `(number, 6)`, padded with 0 on the right, and their answers."""
    rng = np.random.default_rng(seed)
    ids, answers = np.zeros((number, 6), "int32"), np.zeros(number, "int32")
    for row in range(number):
        letters = rng.permutation(5)[: rng.integers(3, 6)]
        digits = rng.integers(4, size=len(letters))
        asked = rng.integers(len(letters))
        pairs = 6 + 4 * letters + digits
        ids[row, : len(pairs) + 1] = [1 + letters[asked], *pairs]
        answers[row] = digits[asked]
    return ids, answers


ids, answers = make(3000, seed=0)
new_ids, new_answers = make(1000, seed=1)
for sentence, answer in zip(ids[:3], answers, strict=False):
    print(f"{' '.join(WORDS[i] for i in sentence):16} answer {answer}")

# %% [markdown]
# `Embedding(mask_zero=True)` attaches a mask to its output. [`PositionalEncoding`][clear_attention.PositionalEncoding] and
# [`EncoderLayer`][clear_attention.EncoderLayer] honour it and pass it on, and Keras's pooling averages over the real tokens
# only. Nothing is to be done by hand. Beside it stands the same model with a feed-forward block instead, which sees
# one token at a time.

# %%
from clear_attention import EncoderLayer, FeedForwardBlock, PositionalEncoding


def classifier(middle):
    ids = keras.Input((None,), dtype="int32", name="ids")
    x = keras.layers.Embedding(len(WORDS), 32, mask_zero=True)(ids)
    x = PositionalEncoding()(x)
    x = middle(x)  # (batch, length, 32), and so before and after
    x = keras.layers.GlobalAveragePooling1D()(x)  # (batch, 32)
    return keras.Model(ids, keras.layers.Dense(4)(x))  # (batch, digits)


def trained(make_middle):
    keras.utils.set_random_seed(0)
    model = classifier(make_middle())
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, jit_compile=False)
    model.fit(ids, answers, batch_size=64, epochs=6, verbose=0)
    return model


def accuracy(model):
    return np.mean(np.argmax(model(new_ids), axis=-1) == new_answers)


alone = trained(lambda: FeedForwardBlock(d_model=32, d_ff=64, dropout=0.0))
model = trained(lambda: EncoderLayer(d_model=32, num_heads=2, d_ff=64, dropout=0.0))
print(f"each token alone: {accuracy(alone):.0%} of new sentences")
print(f"with attention:   {accuracy(model):.0%}")
assert accuracy(alone) < 0.65
assert accuracy(model) > 0.97

# %% [markdown]
# Chance would be 25 %. Without attention a model can still name the digit that occurs most often, which is right about half of
# the time:

# %%
digit_of = (np.arange(len(WORDS)) - 6) % 4
is_pair = new_ids >= 6
counts = np.stack(
    [np.sum(is_pair & (digit_of[new_ids] == digit), axis=1) for digit in range(4)]
)
shares = np.max(counts, axis=0) / np.sum(counts, axis=0)
print(f"the most frequent digit: {np.mean(shares):.0%}")

# %% [markdown]
# ## Padding behind a sentence changes nothing
#
# The logits depend neither on how much padding stands behind a sentence nor on what stands in it. To see the latter,
# 1000 is written everywhere into the vector that the embedding keeps for id 0.

# %%
expected = model(new_ids).numpy()


def off(logits):
    return np.max(np.abs(logits - expected))


for length in (7, 12, 60):
    longer = np.pad(new_ids, [(0, 0), (0, length - 6)])
    print(f"padded to {length:2}: off by {off(model(longer)):.1g}")
    assert off(model(longer)) < 1e-5

embedding = model.layers[1]
before = embedding.get_weights()[0]
other = before.copy()
other[0] = 1000
embedding.set_weights([other])
print(f"other padding: off by {off(model(new_ids)):.1g}")
np.testing.assert_array_equal(model(new_ids), expected)
embedding.set_weights([before])

# %% [markdown]
# Other padding gives the same logits to the bit. With more of it some differ in their last digits, since a larger matrix
# may be summed in another order.
#
# ## Two masks, two conventions
#
# Keras's mask and our argument say opposite things:
#
# | What | the mask that Keras attaches | our argument `mask` |
# | --- | --- | --- |
# | made by | `Embedding(mask_zero=True)`, `keras.layers.Masking` | `create_padding_mask`, `create_look_ahead_mask`, ... |
# | means | `True`: a real token | 1: a blocked key |
# | shape | `(batch, length)` | broadcasts to `(batch, heads, queries, keys)` |
# | travels | with the tensor, unseen | as you hand it over |
#
# Our layers translate the first, and block what either of them blocks. So only what Keras cannot know is handed over,
# here the future. A token that Keras calls padding sees nothing itself: its row of weights is 0.

# %%
from clear_attention import MultiHeadAttention, create_look_ahead_mask

keras.utils.set_random_seed(0)
embed = keras.layers.Embedding(10, 8, mask_zero=True)
attention = MultiHeadAttention(d_model=8, num_heads=2)
x = embed(np.array([[5, 6, 7, 0, 0]]))  # (1, 5, 8), with a mask attached
_, weights = attention(x, mask=create_look_ahead_mask(5), return_weights=True)
print(np.round(weights[0, 0], 2))
np.testing.assert_array_equal(np.array(weights[0, 0])[:, 3:], 0)

# %% [markdown]
# Two mistakes raise no error. **The mask gets lost**: it is attached to one tensor, and a layer that supports masking
# passes it on, but plain arithmetic does not. To scale an embedding, take `keras.layers.Rescaling`.

# %%
by_hand = attention(x * 8**0.5, return_weights=True).weights
by_layer = keras.layers.Rescaling(8**0.5)(x)
by_layer = attention(by_layer, return_weights=True).weights
for name, weights in {"x * 8**0.5": by_hand, "Rescaling": by_layer}.items():
    on_padding = np.sum(weights[0, 0, 0, 3:])
    print(f"{name:10}: {on_padding:.0%} of the first query's weight on padding")
assert np.sum(by_hand[0, 0, 0, 3:]) > 0.1
assert np.sum(by_layer[0, 0, 0, 3:]) == 0

# %% [markdown]
# **The mask gets turned round**: in a layer of your own, Keras fills an argument named `mask` by itself, with the
# mask that is attached to `x`. If the layer is called directly, this argument is the same object that is attached, so our
# layers recognise it and read it as Keras means it. In a functional model it is a copy. Our layers cannot tell the copy from
# a mask of yours, so they read its True as blocked, and block the real tokens. Give the argument another name; what is attached still arrives.


# %%
class Turned(keras.Layer):
    def __init__(self, attention):
        super().__init__()
        self.attention, self.supports_masking = attention, True

    def call(self, x, mask=None):
        return self.attention(x, mask=mask)


class Right(Turned):
    def call(self, x, blocked=None):
        return self.attention(x, mask=blocked)


expected, far = attention(x), {}
for layer in (Turned(attention), Right(attention)):
    inputs = keras.Input((None,), dtype="int32")
    wrapped = keras.Model(inputs, layer(embed(inputs)))
    output = wrapped(np.array([[5, 6, 7, 0, 0]]))
    far[type(layer)] = np.max(np.abs(output - expected))
    print(f"{type(layer).__name__:6}: off by {far[type(layer)]:.1g}")
assert far[Right] == 0
assert far[Turned] > 1e-3

# %% [markdown]
# [Which way round is this mask?](mask_conventions.py) goes through the conventions library by library.
#
# ## In a model of your own class
#
# Here the mask is made from the ids and handed over: this model says which id comes next, and may see neither padding nor
# the future. The class is registered, `get_config` returns every argument, and `build` builds the parts: that is what a
# file needs to be loaded again.

# %%
import tempfile
from pathlib import Path

from clear_attention import combine_masks, create_padding_mask


@keras.saving.register_keras_serializable(package="my_project")
class NextWord(keras.Model):
    def __init__(self, vocab, d_model, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.vocab, self.d_model, self.num_heads = vocab, d_model, num_heads
        self.embed = keras.layers.Embedding(vocab, d_model)  # no mask: ours is made
        self.place = PositionalEncoding()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm = keras.layers.LayerNormalization()
        self.to_logits = keras.layers.Dense(vocab)

    def build(self, ids_shape):
        tokens = (*ids_shape, self.d_model)
        self.embed.build()
        for part in (self.attention, self.norm, self.to_logits):
            part.build(tokens)
        self.built = True

    def call(self, ids):
        future = create_look_ahead_mask(keras.ops.shape(ids)[1])
        mask = combine_masks(create_padding_mask(ids), future)
        x = self.place(self.embed(ids))  # (batch, length, d_model)
        x = self.norm(x + self.attention(x, mask=mask))
        return self.to_logits(x)  # (batch, length, vocab)

    def get_config(self):
        names = ("vocab", "d_model", "num_heads")
        return {**super().get_config(), **{n: getattr(self, n) for n in names}}


keras.utils.set_random_seed(0)
next_word = NextWord(vocab=len(WORDS), d_model=16, num_heads=2)
logits = next_word(new_ids).numpy()  # (1000, 6, 26)

changed = new_ids.copy()
changed[:, 3:] = 1
np.testing.assert_array_equal(next_word(changed)[:, :3], logits[:, :3])

with tempfile.TemporaryDirectory() as folder:
    next_word.save(Path(folder) / "model.keras")
    loaded = keras.models.load_model(Path(folder) / "model.keras")
np.testing.assert_array_equal(loaded(new_ids), logits)
print("other tokens later: the first three outputs are the same to the bit")
print("saved and loaded:   the same to the bit")

# %% [markdown]
# Does a class of your own keep what it promises about masks? [Certify your layer](certify_your_layer.py) finds out in one call.
#
# ## Options for the attention inside a layer
#
# A layer or a model builds its attention layers itself. The dictionaries `self_attention` and, where tokens look at a
# context, `cross_attention` hold arguments that are passed on to
# [`MultiHeadAttention`][clear_attention.MultiHeadAttention].

# %%
from clear_attention import Transformer

layer = EncoderLayer(
    d_model=32, num_heads=4, d_ff=64, self_attention={"d_k": 3, "dropout": 0.1}
)
layer.build((None, None, 32))
queries = layer.self_attention.attention.project_queries.kernel.shape
print("queries are projected from 32 to 4 heads times 3:", queries)

transformer = Transformer(
    num_layers=1,
    d_model=32,
    num_heads=4,
    d_ff=64,
    source_vocab=20,
    target_vocab=20,
    cross_attention={"use_bias": False},
)
transformer.build()
across = transformer.decoder.layers[0].cross_attention.attention.weights
print("attention to the context has no bias:", [w.name for w in across])
assert (queries, len(across)) == ((32, 12), 4)

# %% [markdown]
# Without `d_k` each head would have 32 / 4 = 8 numbers, and with biases there would be 8 weights. The options reach every
# layer of the model, and are saved with it.
#
# ## Write a text in pieces, with a cache
#
# In a causal encoder, as in a language model, no token sees a later one. So the keys and values of a token never change,
# and what comes later need not compute them again: `create_cache` makes room for them, and each call returns the cache
# with the new tokens in it. Here two texts come in pieces of 5, 3 and 1 tokens; the second begins with padding.

# %%
from clear_attention import Encoder

encoder = Encoder(num_layers=2, d_model=32, num_heads=4, d_ff=64)
x = np.random.default_rng(0).normal(size=(2, 9, 32))  # (batch, length, depth)
mask = np.zeros((2, 1, 1, 9))
mask[1, ..., :2] = 1
whole = encoder(x, mask=mask, causal=True)
cache, pieces = encoder.create_cache(batch=2, capacity=9), []
for piece in np.split(x, [5, 8], axis=1):
    output, cache = encoder(piece, mask=mask, causal=True, cache=cache)
    pieces.append(output)
largest = np.max(np.abs(np.concatenate(pieces, axis=1) - whole))
assert largest < 1e-5
print("largest difference between pieces and one call: below 1e-5")

# %% [markdown]
# The pieces get the numbers of one call, up to rounding. A mask spans all places of the cache, here 9, also when the piece
# is one token. `capacity` is how many tokens fit in all.
#
# [`PositionalEncoding`][clear_attention.PositionalEncoding] keeps no cache. Without its argument `positions` each piece
# begins at 0. So hand it the position of each token of the piece, `(length,)`, or `(batch, length)` where sentences
# differ, as these two do: the second begins with two tokens of padding.

# %%
place, real = PositionalEncoding(), mask[:, 0, 0] == 0  # real: (batch, length)
positions = np.maximum(np.cumsum(real, axis=1) - 1, 0)  # (batch, length)
print(positions)
at_once = place(x, positions=positions)
in_pieces = [
    place(x[:, start:end], positions=positions[:, start:end])
    for start, end in ((0, 5), (5, 8), (8, 9))
]
np.testing.assert_allclose(np.concatenate(in_pieces, axis=1), at_once, atol=1e-6)
assert not np.allclose(place(x[:, 5:8]), at_once[:, 5:8], atol=0.1)

# %% [markdown]
# ## Export and serve
#
# `export` writes a SavedModel. What serves it needs TensorFlow, but neither this package nor your class. A functional model
# knows the dtype of its ids. For a class of your own Keras would guess float32, so give the dtype in `input_signature`.
# There `None` stands for any batch and any length.
#
# `tf.saved_model.load` reads the folder, and what it returns has a function `serve`, which computes the outputs. Keep
# what `load` returns: `serve` alone does not keep the weights.

# %%
import tensorflow as tf

tf.get_logger().setLevel("ERROR")  # it would log the name of the folder
any_ids = keras.InputSpec(shape=(None, None), dtype="int32", name="ids")
with tempfile.TemporaryDirectory() as folder:
    model.export(folder, verbose=False)
    served_classifier = tf.saved_model.load(folder)
with tempfile.TemporaryDirectory() as folder:
    next_word.export(folder, input_signature=[any_ids], verbose=False)
    served_next_word = tf.saved_model.load(folder)

pairs = [(model, served_classifier), (next_word, served_next_word)]
for batch, length in [(1, 4), (7, 6), (1000, 20)]:
    sample = np.pad(new_ids, [(0, 0), (0, 14)])[:batch, :length]
    for original, served in pairs:
        there, here = served.serve(sample), original(sample)
        np.testing.assert_allclose(there, here, atol=1e-5)
    print(f"batch {batch:4}, length {length:2}: both served within 1e-5")

# %% [markdown]
# ## LiteRT, on a phone or a small board
#
# LiteRT is the new name of TensorFlow Lite, and `export` with `format="litert"` writes its files. Two things decide whether
# such a file will run:
#
# * **The operations.** LiteRT has a set of its own. Others can be borrowed from TensorFlow through an extra library,
#   the Flex delegate, which must then be on the phone too. Keras's export allows these without telling you. The
#   `target_spec` below forbids them, so a model that needs them is refused here and not on the phone.
# * **The length.** With a fixed length our layers need no operation but LiteRT's own. The batch may still vary. Your
#   program pads a shorter sentence to that length, on the right, before it calls the model. Such padding changes
#   nothing; on the left it would move the positions.

# %% tags=["hide-input"]
import contextlib
import os
import warnings


@contextlib.contextmanager
def quiet():
    """Drop what C++ logs to stderr, and collect warnings. Errors come through."""
    kept = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        with warnings.catch_warnings(record=True) as collected:
            warnings.simplefilter("always")
            yield collected
    finally:
        os.dup2(kept, 2)
        os.close(kept)


# %%
LITERT_ONLY = {"supported_ops": [tf.lite.OpsSet.TFLITE_BUILTINS]}


def to_litert(model, signature=None, **options):
    """The bytes of a LiteRT file."""
    if signature is not None:
        options["input_signature"] = [signature]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.tflite"
        model.export(path, format="litert", verbose=False, **options)
        return path.read_bytes()


six_ids = keras.InputSpec(shape=(None, 6), dtype="int32", name="ids")
expected = model(new_ids)
with quiet() as collected:  # the cell above: what is logged stays off the page
    converted = to_litert(model, six_ids, target_spec=LITERT_ONLY)
    run = tf.lite.Interpreter(model_content=converted).get_signature_runner()
    logits = run(ids=new_ids)["output_0"]

right = np.mean(np.argmax(logits, axis=-1) == new_answers)
print(f"{len(converted) / 1024:.0f} KiB, {right:.0%} of new sentences")
assert right == accuracy(model)
np.testing.assert_allclose(logits, expected, atol=1e-4)

# %% [markdown]
# The file gives the same answers, and its logits agree to 1e-4. Of the warnings that were collected, the cell below
# shows the one about the interpreter:

# %% tags=["wrap"]
print(tf.__version__)
for warning in collected:
    if "tf.lite.Interpreter" in str(warning.message):
        print(" ".join(str(warning.message).split()))

# %% [markdown]
# The announced version has come and gone, and 2.21 still ships the interpreter. Its successor has the same methods: install
# `ai-edge-litert` and write `from ai_edge_litert.interpreter import Interpreter`. Run by hand with its version 2.3.0, apart
# from this build, the file above gave the same answers. Converting stays with TensorFlow.
#
# Without the two precautions the conversion succeeds, and the file does not run. The Python packages have no Flex
# delegate: not TensorFlow 2.21, and not `ai-edge-litert` 2.3.0.

# %% tags=["wrap"]
with quiet():
    converted = to_litert(model)  # any length, any operation
    interpreter = tf.lite.Interpreter(model_content=converted)
    try:
        interpreter.allocate_tensors()
        raise AssertionError("the Flex delegate is there")
    except RuntimeError as error:
        refusal = str(error)
print(refusal.split(".")[0])
assert "Flex" in refusal

# %% [markdown]
# Which layers can do without a fixed length? Each but the last is converted twice, with LiteRT's own operations only:
# for length 5, and for any length. A file for any length is run on lengths 5 and 10. The last is the Transformer: it
# adds positions, so it is converted for length 5 only, and the table says "not tried". The table shows the largest
# difference from the layer itself, or the operations that LiteRT lacks.

# %%
import re


def on_vectors(layer, **options):
    x = keras.Input((None, 8), name="x")
    return keras.Model(x, layer(x, **options))


def compared(model, inputs, length):
    """Convert, run, and say how far off it is, or which operations are missing."""
    specs = []
    for name, array in inputs.items():  # the axes of 5 are lengths
        shape = (None, *(length if n == 5 else n for n in array.shape[1:]))
        specs.append(keras.InputSpec(shape=shape, dtype=array.dtype, name=name))
    signature = tuple(specs) if len(specs) > 1 else specs[0]
    try:
        with quiet():
            converted = to_litert(model, signature, target_spec=LITERT_ONLY)
    except Exception as error:
        missing = set(re.findall(r"^\ttf\.(\w+)[(]", str(error), re.M))
        if not missing:
            raise
        return ", ".join(sorted(missing))
    difference = 0
    for times in (1,) if length else (1, 2):
        sample = {
            name: np.repeat(x, times, axis=x.shape.index(5))
            for name, x in inputs.items()
        }
        with quiet():
            interpreter = tf.lite.Interpreter(model_content=converted)
            output = interpreter.get_signature_runner()(**sample)["output_0"]
        arrays = tuple(sample.values())
        expected = model(arrays if len(arrays) > 1 else arrays[0])
        difference = max(difference, np.max(np.abs(output - expected)))
    assert difference < 1e-5
    return f"{difference:.1g}"


keras.utils.set_random_seed(0)
x = {"x": np.random.default_rng(0).normal(size=(3, 5, 8)).astype("float32")}
blocked = np.zeros((3, 1, 1, 5), "float32")
blocked[1, ..., 3:] = 1
source = np.array([[3, 4, 5, 6, 0]], "int32")
target = np.array([[1, 6, 5, 4, 3]], "int32")
pair = {"source_ids": source, "target_ids": target}
transformer = Transformer(1, 8, 2, 16, source_vocab=10, target_vocab=10)
transformer(source, target)
causal = on_vectors(MultiHeadAttention(8, 2), causal=True)
inputs = keras.Input((None, 8), name="x"), keras.Input((1, 1, None), name="mask")
ours = MultiHeadAttention(8, 2)(inputs[0], mask=inputs[1])
ours = keras.Model(inputs, ours)
input_ids = keras.Input((None,), dtype="int32", name="ids")
attached = keras.layers.Embedding(10, 8, mask_zero=True)(input_ids)
attached = keras.Model(input_ids, MultiHeadAttention(8, 2)(attached))
needs = {}
print(f"{'':19}  length 5  any length")
for name, made, inputs, lengths in [
    ("MultiHeadAttention", on_vectors(MultiHeadAttention(8, 2)), x, (5, None)),
    ("  with causal=True", causal, x, (5, None)),
    ("  with our mask", ours, {**x, "mask": blocked}, (5, None)),
    ("  with Keras's mask", attached, {"ids": source}, (5, None)),
    ("EncoderLayer", on_vectors(EncoderLayer(8, 2, 16)), x, (5, None)),
    ("PositionalEncoding", on_vectors(PositionalEncoding()), x, (5, None)),
    ("Transformer", transformer, pair, (5,)),
]:
    cells = [compared(made, inputs, length) for length in lengths]
    print(f"{name:19}  {cells[0]:8}  {cells[1] if len(cells) > 1 else 'not tried'}")
    assert float(cells[0]) < 1e-5
    needs[name] = cells[-1]

lacking = {name: cell for name, cell in needs.items() if re.search("[A-Z]", cell)}
assert list(lacking) == ["PositionalEncoding"]
assert "Sin" in needs["PositionalEncoding"]

# %% [markdown]
# With a fixed length everything converts, the whole Transformer too. For any length attention converts as well: plain,
# with `causal=True`, with a mask of ours that is handed over, and with the mask that Keras attaches. So does an encoder
# layer. Only the positions do not: without a fixed length their sines and cosines are computed in the graph, in float64, for
# which LiteRT lacks these and other operations. With a fixed length they are numbers in the file.
#
# ## What to remember
#
# * Our layers go where any Keras layer goes. The mask of `Embedding(mask_zero=True)` reaches them by itself, as long
#   as only layers that support masking stand between. Keras warns of one that does not; `x * 2.0` loses the mask
#   without a warning.
# * Keras's mask says `True` for a real token, our argument says 1 for a blocked key. Never pass on what Keras puts into an
#   argument named `mask`. More in [Which way round is this mask?](mask_conventions.py)
# * `self_attention={...}` and `cross_attention={...}` hold the options of the attention inside a layer or a model. With
#   a cache a causal layer takes a text in pieces.
# * A class of your own needs the decorator, `get_config` and `build` to be loaded again, and an `input_signature` of
#   int32 to be exported.
# * A SavedModel takes any batch and any length. For LiteRT fix the length if there are positions, pad,
#   and forbid the operations of TensorFlow.
# * Compare the numbers after each step: a mask that was lost on the way raises no error.
#   [Certify your layer](certify_your_layer.py) looks for such mistakes, and [Carry weights over](carry_weights.py) brings weights
#   that were trained elsewhere.

# ---
# title: Which way round is this mask?
# description: Whether 1 blocks or shows a key in Keras, JAX, Flax, torch, Hugging Face and additive masks, the shape each wants, the line that converts, each one executed, how to find out which way round yours is, and six conventions beyond masks.
# ---

# %% [markdown]
# # Which way round is this mask?
#
# You have a mask of 0 and 1, and the layer takes it without a word. Does a 1 hide the key or show it? No rule holds
# everywhere; torch alone has both. Here a 1 hides, and [`convert_mask`][clear_attention.convert_mask] translates to this
# rule and back. Its `axes` names the axes of your mask, where the table says so. To convert from our rule to theirs, swap
# the two names; then no `axes` is needed.
#
# | the mask | hides a key | its shape | the line that makes it ours |
# | --- | --- | --- | --- |
# | this package; the usual `create_padding_mask` of TensorFlow tutorials | 1, `True` | broadcasts to `(batch, heads, queries, keys)` | none: it is `"blocked"` |
# | Keras `MultiHeadAttention`: `attention_mask` | `False` | `(batch, queries, keys)` | `convert_mask(m, "keras", "blocked")` |
# | Keras `value_mask`, `key_mask`, and the mask of an `Embedding` | `False` | `(batch, keys)` | `convert_mask(m, "keras", "blocked", axes="batch keys")` |
# | `dot_product_attention` of `keras.ops`, JAX and Flax | `False` | broadcasts to `(batch, heads, queries, keys)` | `convert_mask(m, "jax", "blocked")` |
# | Equinox `MultiheadAttention` | `False` | `(queries, keys)` or `(heads, queries, keys)` | `convert_mask(m, "jax", "blocked")` |
# | torch `scaled_dot_product_attention`: `attn_mask`, bool | `False` | broadcasts to `(batch, heads, queries, keys)` | `convert_mask(m, "torch_sdpa", "blocked")` |
# | x-transformers: `mask` | `False` | `(batch, keys)` | `convert_mask(m, "torch_sdpa", "blocked", axes="batch keys")` |
# | torch `MultiheadAttention`: `key_padding_mask` | `True` | `(batch, keys)` | `convert_mask(m, "torch_mha", "blocked", axes="batch keys")` |
# | torch `MultiheadAttention`: `attn_mask`, bool | `True` | `(queries, keys)`; one of `(batch * heads, queries, keys)` must be reshaped to 4 axes first | `convert_mask(m, "torch_mha", "blocked", axes="queries keys")` |
# | Hugging Face: `attention_mask` | 0 | `(batch, keys)` | `convert_mask(m, "huggingface", "blocked")` |
# | additive: a float `attn_mask` in torch, `bias` in JAX | -inf, or a large negative number | broadcasts to the scores | `convert_mask(m, "additive", "blocked")` |
# | Dive into Deep Learning: `valid_lens` | a key from place `valid_len` on | `(batch,)` or `(batch, queries)` | `tf.sequence_mask`, [see below](#lengths-instead-of-a-mask) |
#
# ## One sentence in every notation
#
# Three sentences of 4, 2 and 3 real tokens are padded to 5. Printed is the padding mask of the second one in each
# convention, then the dtype, the shape for the batch of three, and the shape of a look-ahead mask. The conversion needs
# none of the other libraries; a torch tensor may go in as it is. Both masks come back unchanged.

# %%
from clear_attention import (
    convert_mask,
    create_look_ahead_mask,
    create_padding_mask,
)

ids = [[7, 6, 5, 4, 0], [1, 2, 0, 0, 0], [8, 9, 3, 0, 0]]
padding = create_padding_mask(ids)
causal = create_look_ahead_mask(5)


def there_and_back(mask, name, axes):
    """Convert a mask, and see that it comes back."""
    theirs = convert_mask(mask, "blocked", name)
    back = convert_mask(theirs, name, "blocked", axes=axes)
    assert (back.numpy().ravel() == mask.numpy().ravel()).all()
    return theirs


for name in (
    *("blocked", "keras", "jax", "torch_sdpa"),
    *("torch_mha", "huggingface", "additive"),
):
    m = there_and_back(padding, name, "batch keys")
    row = " ".join(f"{value!s:5}" for value in m.numpy().reshape(3, 5)[1])
    if name == "huggingface":
        shape = "no axis for queries"
    else:
        shape = there_and_back(causal, name, "queries keys").shape
    print(f"{name:11} {row}  {m.dtype.name:7}  {m.shape!s:12}  {shape}")

# %% [markdown]
# ## The same attention, computed by each of them
#
# One mask of padding and look-ahead, converted for each library, must give the attention that
# [`scaled_dot_product_attention`][clear_attention.scaled_dot_product_attention] gives with the mask as it is. Whole layers
# get the weights of our [`MultiHeadAttention`][clear_attention.MultiHeadAttention] first. Here are the calls of Keras, the
# additive formula in plain TensorFlow, and ours:

# %%
import keras
import numpy as np
import tensorflow as tf
from clear_attention import (
    MultiHeadAttention,
    combine_masks,
    scaled_dot_product_attention,
    weights_to_keras,
)

keras.utils.set_random_seed(0)
both = combine_masks(padding, causal)  # (batch, 1, queries, keys)
rng = np.random.default_rng(0)
q, k, v = rng.normal(size=(3, 3, 2, 5, 4)).astype("float32")
x = rng.normal(size=(3, 5, 8)).astype("float32")
layer = MultiHeadAttention(d_model=8, num_heads=2)
keras_layer = keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
layer(x), keras_layer(x, x)  # a layer has no weights before its first call
weights_to_keras(layer, keras_layer)


def our_function(mask):
    return scaled_dot_product_attention(q, k, v, mask).output


def our_layer(mask):
    return layer(x, mask=mask)


def heads_last(attention, mask):
    """Call a function that wants (batch, length, heads, depth)."""
    output = attention(*(a.swapaxes(1, 2) for a in (q, k, v)), mask=np.array(mask))
    return np.swapaxes(output, 1, 2)


def keras_function(mask):
    """`ops.dot_product_attention`"""
    return heads_last(keras.ops.dot_product_attention, mask)


def keras_attention_mask(mask):
    """`MultiHeadAttention(attention_mask=)`"""
    return keras_layer(x, x, attention_mask=mask)


def keras_value_mask(mask):
    """`MultiHeadAttention(value_mask=)`"""
    return keras_layer(x, x, value_mask=mask[:, 0])  # (batch, keys)


scores = q @ k.swapaxes(2, 3) / 2  # the root of the depth, 4


def additive(mask):
    """`softmax(scores + mask) @ v`"""
    return tf.nn.softmax(scores + mask) @ v


# %% [markdown]
# This site is built without the other libraries. `make check-peers` calls them in an environment of their own, with the same
# masks and the same numbers, and keeps what comes out.
#
# <details class="lesson-more" markdown="1"><summary>The calls of JAX, Flax, torch, Equinox, x-transformers and Hugging Face</summary>

# %% tags=["source", "hide-input"]
import inspect
import sys
from pathlib import Path

# These calls are in the repository and not in the package, so this cell needs a clone.
root = Path("../..").resolve()
sys.path.append(str(root))
from benchmarks import check_peers

print("\n\n".join(inspect.getsource(call) for call in check_peers.CALLS))

# %% [markdown]
# </details>
#
# Each one is called twice: with the converted mask, and with the opposite one, which is what it sees when a mask goes in
# the wrong way round. "Off by" is the largest difference from our output. x-transformers sets the outputs of hidden tokens
# to 0, and so ours are set to 0 before the two are compared.
#
# The two models of Hugging Face's transformers are tiny and random, and ours are built otherwise. So their outputs are not
# compared with ours. Instead, the hidden tokens are exchanged for others, and "off by" says how far the outputs of the real
# tokens move.

# %% tags=["hide-input"]
import json
from importlib.metadata import version

from IPython.display import Markdown

ROWS = [
    ("keras", keras_function, "jax", both, our_function),
    ("keras", keras_attention_mask, "keras", both, our_layer),
    ("keras", keras_value_mask, "keras", padding, our_layer),
    ("tensorflow", additive, "additive", both, our_function),
]
head = """| library | call | the mask as | converted: off by | opposite: off by |
| --- | --- | --- | --- | --- |
"""


def line(library, number, call, name, right, opposite):
    assert right <= 2e-6
    assert opposite > 0.1
    said = f"{library} {number.partition('+')[0]} | {call} | `{name}`"
    return f"| {said} | less than 0.00001 | {opposite:.2f} |\n"


computed = ""
for library, theirs, name, mask, ours in ROWS:
    right = theirs(convert_mask(mask, "blocked", name))
    opposite = theirs(convert_mask(1 - mask, "blocked", name))
    np.testing.assert_allclose(opposite, ours(1 - mask), atol=2e-6)
    off = [np.abs(output - ours(mask)).max() for output in (right, opposite)]
    computed += line(library, version(library), theirs.__doc__, name, *off)

peers = json.loads((root / "benchmarks/peers.json").read_text("utf-8"))
names = ("library", "version", "call", "mask", "converted", "opposite")
measured = "".join(line(*(row[n] for n in names)) for row in peers["rows"])

per_head = tf.repeat(both, 2, axis=1)
merged = convert_mask(per_head, "blocked", "torch_mha")  # (batch * heads, 5, 5)
apart = tf.reshape(merged, (3, 2, 5, 5))
np.testing.assert_array_equal(convert_mask(apart, "torch_mha", "blocked"), per_head)
Markdown(f"""Computed by the build of this page:

{head}{computed}
Measured apart from the build, on {peers["date"]}, with Python {peers["machine"]["python"]}:

{head}{measured}""")

# %% [markdown]
# The lengths of Dive into Deep Learning are no mask. [Below](#lengths-instead-of-a-mask) they become one.
#
# How wrong is the opposite mask? All of the weight lies on what should be hidden:

# %%
weights = scaled_dot_product_attention(q, k, v, 1 - both).weights
on_hidden = tf.reduce_sum(weights * both, axis=-1)
print(f"weight on hidden keys: {np.min(on_hidden):.0%} for every query")
np.testing.assert_allclose(on_hidden, 1, atol=1e-6)

# %% [markdown]
# ## Which shapes are taken?
#
# A mask broadcasts to the scores, `(..., queries, keys)`. So which shape fits depends on how many axes the scores have, and
# that is not the same everywhere. The functions have the axes that you give them. The layers from
# [`MultiHeadAttention`][clear_attention.MultiHeadAttention] on make heads of their own, so their scores have four axes:
# `(batch, heads, queries, keys)`. Here every shape was handed to every entry point, with 2 texts, 3 heads, 4 queries and 5
# keys (4 where a layer looks at itself).

# %% tags=["hide-input"]
from clear_attention import (
    CrossAttentionBlock,
    Decoder,
    DecoderLayer,
    DotProductAttention,
    Encoder,
    EncoderLayer,
    SelfAttentionBlock,
    blockwise_attention,
)

B, H, Q, K, D = 2, 3, 4, 5, 12
rng = np.random.default_rng(1)
text, other = rng.normal(size=(B, Q, D)), rng.normal(size=(B, K, D))
with_heads = [rng.normal(size=(B, H, n, 4)) for n in (Q, K, K)]
text, other, *with_heads = (a.astype("float32") for a in (text, other, *with_heads))
one, stack = DecoderLayer(D, H, 24), Decoder(1, D, H, 24)
ENTRIES = {  # the name, a call with a mask, and how many keys it has
    "`scaled_dot_product_attention`, no heads": (
        lambda m: scaled_dot_product_attention(text, other, other, m),
        K,
    ),
    "`scaled_dot_product_attention`, heads": (
        lambda m: scaled_dot_product_attention(*with_heads, m),
        K,
    ),
    "`blockwise_attention`, heads": (
        lambda m: blockwise_attention(*with_heads, m),
        K,
    ),
    "`DotProductAttention`, no heads": (
        lambda m: DotProductAttention()(text, other, other, mask=m),
        K,
    ),
    "`MultiHeadAttention`": (
        lambda m: MultiHeadAttention(D, H)(text, other, mask=m),
        K,
    ),
    "`SelfAttentionBlock`": (lambda m: SelfAttentionBlock(D, H)(text, mask=m), Q),
    "`CrossAttentionBlock`": (
        lambda m: CrossAttentionBlock(D, H)(text, other, mask=m),
        K,
    ),
    "`EncoderLayer`": (lambda m: EncoderLayer(D, H, 24)(text, mask=m), Q),
    "`DecoderLayer`, `mask`": (lambda m: one(text, other, mask=m), Q),
    "`DecoderLayer`, `cross_mask`": (lambda m: one(text, other, cross_mask=m), K),
    "`Encoder`": (lambda m: Encoder(1, D, H, 24)(text, mask=m), Q),
    "`Decoder`, `mask`": (lambda m: stack(text, other, mask=m), Q),
    "`Decoder`, `cross_mask`": (lambda m: stack(text, other, cross_mask=m), K),
}
SHAPES = {
    "queries, keys": (Q, -1),
    "batch, keys": (B, -1),
    "batch, 1, keys": (B, 1, -1),
    "batch, queries, keys": (B, Q, -1),
    "batch, 1, 1, keys": (B, 1, 1, -1),
    "batch, 1, queries, keys": (B, 1, Q, -1),
    "batch, heads, queries, keys": (B, H, Q, -1),
}


def taken(call, shape, keys):
    mask = np.zeros([keys if n == -1 else n for n in shape], "float32")
    mask[..., -1] = 1
    try:
        call(mask)
    except ValueError:
        return False
    return True


found = {
    entry: [taken(call, shape, keys) for shape in SHAPES.values()]
    for entry, (call, keys) in ENTRIES.items()
}
lines = [
    "| entry point | " + " | ".join(f"({shape})" for shape in SHAPES) + " |",
    "| --- " * (1 + len(SHAPES)) + "|",
    *(
        f"| {entry} | "
        + " | ".join("taken" if t else "refused" for t in row)
        + " |"
        for entry, row in found.items()
    ),
]
four_axes = [True, False, False, False, True, True, True]
assert all(
    row
    == (
        [True, False, True, True, False, False, False]
        if "no heads" in entry
        else four_axes
    )
    for entry, row in found.items()
)
Markdown("\n".join(lines))

# %% [markdown]
# So `(batch, 1, 1, keys)`, which [`create_padding_mask`][clear_attention.create_padding_mask] makes, and `(queries, keys)`
# fit wherever there are heads. Without heads leave one axis of length 1 out: `mask[:, 0]`. And
# `(batch, keys)` is never read as such. It is refused here, where there are 2 texts and 4 queries. But with as many texts as
# queries it would be taken for `(queries, keys)`, without an error.

# %% [markdown]
# ## What comes out of a padded row? { #padded-rows }
#
# A padding mask hides padded **keys**. A padded place stays a query, and something comes out in its row. Nobody looks
# there, but if each row gives an answer, leave these rows out when you judge the answers.
#
# What comes out depends on how the mask reached the layer. Here are three cases: a padding mask that you hand to our
# layer, the mask that Keras attaches to an embedding with `mask_zero=True`, and the same attached mask with Keras's own
# layer. The text is one letter and two places of padding, and what is printed belongs to the row of the last place.

# %%
short = np.array([[7, 0, 0]])
embedded = keras.layers.Embedding(9, 8, mask_zero=True)(
    short
)  # has a mask of Keras
ours = MultiHeadAttention(d_model=8, num_heads=2)
theirs = keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
plain = tf.constant(embedded.numpy())  # the same numbers without that mask
ours.build(plain.shape)
ours.project_output.bias.assign(np.arange(8.0))  # a trained layer has some
handed = ours(plain, mask=create_padding_mask(short), return_weights=True)
attached = ours(embedded, return_weights=True)
keras_own = theirs(embedded, embedded, return_attention_scores=False)
mean = tf.reduce_mean(plain, axis=1, keepdims=True)
everything = theirs(
    mean, mean
)  # a single key, the mean of all: its value is the mean of all values

print(
    "ours, mask handed in:  ",
    handed.weights[0, 0, 2].numpy(),
    "looks at the one real letter",
)
print(
    "ours, Keras's mask:    ", attached.weights[0, 0, 2].numpy(), "looks at nothing"
)
print(
    "its output is the last bias:",
    np.array_equal(attached.output[0, 2], ours.project_output.bias),
)
same = np.allclose(keras_own[0, 2], everything[0, 0], atol=1e-6)
print("Keras's own: the mean of all values, padding too:", same)
assert handed.weights[0, 0, 2, 0] == 1
assert not np.any(attached.weights[0, :, 2])
assert same
np.testing.assert_array_equal(attached.output[0, 2], ours.project_output.bias)

# %% [markdown]
# The attached mask hides the padded queries as well as the padded keys. So in the second and the third case the row has
# nothing left. In the second, attention gives 0 for it. `MultiHeadAttention` then multiplies by one more matrix and
# adds a *bias*, a vector of trained numbers, so what you see in its output is that bias. In a layer that is not trained
# yet the bias is 0. In the third case Keras's layer gives all keys the same weight, so it reads the padding.
#
# ## Two mistakes that raise no error
#
# **An additive mask for Keras.** Its layer turns every mask into bool: 0, which should keep, becomes `False`, and -inf becomes
# `True`. The mask is the wrong way round.
#
# **A mask of 0 and 1 where an additive one belongs.** It adds 1 to the scores it should remove, so the hidden keys get more
# weight than without any mask.

# %%
minus_infinity = convert_mask(both, "blocked", "additive")
from_keras = keras_attention_mask(minus_infinity[:, 0])
np.testing.assert_allclose(from_keras, our_layer(1 - both), atol=2e-6)
print("an additive mask in Keras: the same as the opposite mask")

share = {}
for words, added in {"no mask": 0, "0 and 1 added": both}.items():
    hidden = tf.reduce_sum(tf.nn.softmax(scores + added) * both, axis=-1)
    share[words] = float(tf.reduce_mean(hidden))
    print(f"{words}: {share[words]:.0%} of the weight on hidden keys")
assert share["0 and 1 added"] > share["no mask"]

# %% [markdown]
# The functions and layers here refuse the first. The second is somebody's own sum, and nobody can refuse that, nor an
# opposite mask: its values are in order.

# %% tags=["wrap"]
try:
    our_function(minus_infinity)
    raise AssertionError("an additive mask was taken")
except ValueError as error:
    print(error)

# %% [markdown]
# ## Lengths instead of a mask
#
# Dive into Deep Learning hands over the number of real tokens in each sentence. `tf.sequence_mask` turns lengths into `True`
# for a real token: the rule of Keras. One length for each *query* works as well; 1, 2, 3, ... is the look-ahead mask.

# %%
real = tf.sequence_mask([4, 2, 3], maxlen=5)  # (batch, keys)
ours = convert_mask(real, "keras", "blocked", axes="batch keys")
print(ours.shape)
np.testing.assert_array_equal(ours, padding)

seen = tf.sequence_mask([1, 2, 3, 4, 5], maxlen=5)  # (queries, keys)
np.testing.assert_array_equal(convert_mask(seen, "keras", "blocked"), causal)

# %% [markdown]
# ## Beyond masks
#
# A layer that reads your mask as you mean it can still differ from another one, without any error. Six more conventions are
# set out below. For Keras and for this package the next cell tries them. What is marked *read* was not tried, but read on
# 2026-11-23 in the library's own source.

# %% tags=["remove-input"]
beyond = peers["beyond_masks"]
assert beyond == {
    "windows": {
        "jax local_window_size=2, causal": [3, 4, 5],
        "jax local_window_size=2": [2, 3, 4, 5, 6],
        "transformers sliding_window=3, causal": [3, 4, 5],
        "transformers sliding_window=3": [1, 2, 3, 4, 5, 6, 7],
    },
    "alignment": {
        "jax is_causal": [[0], [0, 1]],
        "torch is_causal": [[0], [0, 1]],
        "torch causal_lower_right": [[0, 1, 2, 3], [0, 1, 2, 3, 4]],
        "x-transformers causal": [[0, 1, 2, 3], [0, 1, 2, 3, 4]],
    },
    "shared_heads": {
        "torch enable_gqa": [0, 0, 1, 1],
        "torch flex_attention": [0, 0, 1, 1],
        "transformers repeat_kv": [0, 0, 1, 1],
        "x-transformers": [0, 1, 0, 1],
        "jax": [0, 0, 1, 1],
    },
    "rotary_pairs": {
        "transformers Llama": [4],
        "transformers GPT-J": [1],
        "x-transformers": [1],
        "equinox": [4],
    },
    "weight_of_a_hidden_key": dict.fromkeys(
        (
            "transformers Gemma 2",
            "x-transformers softclamp_logits",
            "torch flex_attention",
        ),
        0.0,
    ),
}, "the tables below say something else than what was measured: change them"
versions = {
    row["library"]: row["version"].partition("+")[0] for row in peers["rows"]
}
said = [
    f"{name} {versions[name]}"
    for name in ("torch", "transformers", "x-transformers", "equinox")
]
Markdown(
    f"The other libraries were tried apart from this build, on {peers['date']}, by `make check-peers`: jax "
    f"{versions['jax']}, {', '.join(said[:-1])} and {said[-1]}."
)

# %%
from clear_attention import RotaryPositions, create_window_mask

ops = keras.ops


def seen(weights):
    """List the keys that each query sees."""
    return [np.flatnonzero(row).tolist() for row in np.array(weights)]


def weights_of_keras(queries, keys, **options):
    causal = keras.layers.MultiHeadAttention(1, 2, **options)
    queries, keys = (np.zeros((1, n, 2), "float32") for n in (queries, keys))
    told = {"use_causal_mask": True, "return_attention_scores": True}
    return causal(queries, keys, **told)[1][0, 0]


def weights_of_ours(queries, keys, mask=None):
    queries, keys = (np.zeros((n, 2), "float32") for n in (queries, keys))
    ahead = create_look_ahead_mask(len(queries), len(keys))
    mask = combine_masks(mask, ahead)
    return scaled_dot_product_attention(queries, keys, keys, mask).weights


print("window of 3, query 5 sees:")
of_keras = seen(weights_of_keras(6, 6, sliding_window=3))[5]
of_ours = seen(weights_of_ours(6, 6, create_window_mask(6, 3)))[5]
print("  Keras", of_keras, " ours", of_ours)
assert of_keras == of_ours == [3, 4, 5]
both_sides = np.array(create_window_mask(9, 3))[4]
assert np.flatnonzero(both_sides == 0).tolist() == [2, 3, 4, 5, 6]

print("2 queries, 5 keys, causal:")
of_keras, of_ours = seen(weights_of_keras(2, 5)), seen(weights_of_ours(2, 5))
print("  Keras", of_keras, " ours", of_ours)
assert of_keras == [[0], [0, 1]]
assert of_ours == [[0, 1, 2, 3], [0, 1, 2, 3, 4]]

print("4 heads of queries, 2 of keys; each query uses head:")
number = np.arange(2.0, dtype="float32")[:, None, None]  # (heads, length, depth)
four, two = np.zeros((1, 4, 1, 1), "float32"), np.zeros((1, 2, 1, 1), "float32")
of_ours = scaled_dot_product_attention(four, two, number[None], grouped=True).output
heads_last_of = [a.swapaxes(1, 2) for a in (four, two, number[None])]
of_keras = ops.dot_product_attention(*heads_last_of)
print("  Keras", np.ravel(of_keras), " ours", np.ravel(of_ours))
assert np.ravel(of_keras).tolist() == np.ravel(of_ours).tolist() == [0, 0, 1, 1]
assert np.array([0, 1, 0, 1])[[0, 2, 1, 3]].tolist() == [
    0,
    0,
    1,
    1,
]  # tiled, mended

print("rotary pair of channel 0 of 8:")
one = np.eye(8, dtype="float32")[None, :1]  # (1, length, depth)
for layout, partner in {"halves": 4, "interleaved": 1}.items():
    turned = RotaryPositions(layout)(one, positions=[1])[0, 0]
    print(f"  ours, {layout}: with channel", *np.flatnonzero(turned)[1:])
    assert np.flatnonzero(turned).tolist() == [0, partner]

try:
    ops.dot_product_attention(*heads_last_of, attn_logits_soft_cap=2.0)
    raise AssertionError("the cap was taken")
except ValueError as error:
    print("soft cap in Keras:", str(error).partition(".")[0])

# %% [markdown]
# ### Where a window ends
#
# A query is to see its own token and the two before it. What must be written?
#
# | library | argument |
# | --- | --- |
# | this package | `create_window_mask(length, 3)`, `window=3` |
# | Keras `MultiHeadAttention` | `sliding_window=3` |
# | transformers, causal | `sliding_window=3` |
# | JAX `dot_product_attention` | `local_window_size=2` |
# | FlashAttention (*read*) | `window_size=(2, 0)` |
#
# So the number counts the query's own token, or it does not. Where nothing is causal, transformers changes its rule: there
# a `sliding_window` of 3 lets in three tokens on each side. With our 3 and with Keras's it is two.
#
# ### Which channels are a rotary pair
#
# | pairs of 8 channels | library |
# | --- | --- |
# | halves: 0 with 4, 1 with 5 | ours by default; Llama in transformers; Equinox; KerasHub (*read*) |
# | interleaved: 0 with 1, 2 with 3 | ours with `"interleaved"`; GPT-J in transformers; x-transformers; Meta's own program for Llama (*read*) |
#
# So even one library has both, and the weights of Llama exist in both orders.
# [`convert_rotary`][clear_attention.convert_rotary] reorders them. [What goes wrong](museum.py#rotary-layout) if nobody does.
#
# ### Which heads share keys
#
# | 4 heads of queries use | library |
# | --- | --- |
# | repeated: 0, 0, 1, 1 | ours; Keras; torch with `enable_gqa=True`, and its `flex_attention`; JAX; transformers; FlashAttention (*read*) |
# | tiled: 0, 1, 0, 1 | x-transformers |
#
# To carry weights from the second row to the first, take the heads of the queries in the order 0, 2, 1, 3, and so the rows of
# the last projection that belong to them.
#
# ### Which axis holds the heads
#
# | shape of the queries | library |
# | --- | --- |
# | `(batch, heads, length, depth)` | ours; torch; x-transformers' `Attend` |
# | `(batch, length, heads, depth)` | `keras.ops`; JAX; Flax; FlashAttention (*read*) |
#
# With the wrong one, each token meets nobody but itself: its heads are taken for tokens, and attend to each other. The output
# has the right shape all the same. Only a mask may not fit.
#
# ### Where the first query stands
#
# There are fewer queries than keys, because the earlier keys come from a cache. Which key is the last one that a causal
# query sees?
#
# | alignment | library |
# | --- | --- |
# | the last query on the last key | ours; torch's `causal_lower_right`; x-transformers; FlashAttention (*read*) |
# | the first query on the first key | Keras `use_causal_mask`; JAX and torch `is_causal=True` |
#
# In the second row the newest token [sees only the oldest key](museum.py#alignment) if it comes alone. There, make the mask
# yourself.
#
# ### Where the soft cap stands
#
# | place | library |
# | --- | --- |
# | before the mask | ours; Gemma 2 in transformers; x-transformers `softclamp_logits`; torch's `flex_attention`, if the cap is its `score_mod` and the mask its `block_mask` |
# | refused | `keras.ops`, unless it runs JAX on a TPU |
# | no such argument | `dot_product_attention` of JAX; torch's `scaled_dot_product_attention` |
#
# Nobody here caps after the mask. Who writes it by hand [may](museum.py#softcap).

# %% [markdown]
# ## Ask the mask
#
# [`describe_mask`][clear_attention.describe_mask] reads any mask as if it were ours and says what stands out. A look-ahead
# mask the Keras way round:

# %%
from clear_attention import describe_mask

four = create_look_ahead_mask(4)
from_keras = convert_mask(four, "blocked", "keras")
report = describe_mask(from_keras, tokens=["the", "cat", "sat", "down"])
assert "looks_inverted" in report
report

# %% [markdown]
# An additive one, as a tutorial makes it. Drawn is what it would block here:

# %%
report = describe_mask(np.where(four == 1, -1e9, 0.0))
assert report.names == ("not_binary", "causal")
report

# %% [markdown]
# And the `attention_mask` of a Hugging Face tokenizer, of shape `(batch, keys)`. Three sentences of five tokens look like
# three queries and five keys, so the rows count as the last three positions:

# %%
attention_mask = np.array([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]])
report = describe_mask(attention_mask)
assert "ambiguous_shape" in report
report

# %% [markdown]
# Only with the axes it asks for can it tell the second fault. `convert_mask` mends both.

# %% tags=["wrap"]
report = describe_mask(attention_mask[:, None, None, :])
print(report["looks_inverted"].sentence)
ours = convert_mask(attention_mask, "huggingface", "blocked")
assert describe_mask(ours).names == ("padding",)

# %% [markdown]
# A single mask can still be innocent both ways: `[[0, 0, 1, 1]]` is padding on the right, or padding on the left the other
# way round. Hand over its `tokens`, so that padding is recognised by name:

# %%
row = [[[[0, 0, 1, 1]]]]
for tokens in (["a", "cat", "[PAD]", "[PAD]"], ["[PAD]", "[PAD]", "a", "cat"]):
    print(tokens, describe_mask(row, tokens=tokens).names)
assert "looks_inverted" in describe_mask(row, tokens=tokens)

# %% [markdown]
# ## How to find out which way round mine is
#
# 1. **Describe the mask**: `describe_mask(mask, tokens=tokens)`. If it finds only `causal` or `padding`, the mask is as ours.
#    If it finds `looks_inverted`, `not_binary` or `ambiguous_shape`, it names the line that mends it.
# 2. **Certify the layer.** The mask may be fine and the layer want another. [`certify`][clear_attention.certify] changes keys
#    and looks which outputs move. Try `blocked`, `keras` and `additive`, and see which one the layer keeps.

# %%
from clear_attention import certify

PROMISES = ["no_future_leak", "visible_keys_count"]


def rules_of(layer, call):
    """Name the conventions in which a layer hides what it should, and shows the rest."""
    found = []
    for name in ("blocked", "keras", "additive"):
        certificate = certify(layer, call, name, only=PROMISES)
        if all(row.verdict == "held" for row in certificate.rows):
            found.append(name)
    return found


def attend(x, mask):  # somebody's function: what does its mask mean?
    scores = tf.matmul(x, x, transpose_b=True)
    return tf.nn.softmax(scores + tf.cast(mask, tf.float32) * -1e9) @ x


of_keras = rules_of(
    keras_layer, lambda layer, x, mask: layer(x, x, attention_mask=mask)
)
of_attend = rules_of(attend, lambda f, x, mask: f(x, mask))
print("keras_layer:", of_keras)
print("attend:", of_attend)
assert of_keras == ["keras"]
assert of_attend == ["blocked"]

# %% [markdown]
# With the wrong rule the certificate says so, each broken row with a snippet that shows it.

# %%
certificate = certify(attend, lambda f, x, mask: f(x, mask), "keras", only=PROMISES)
assert certificate.broken == ("no_future_leak", "visible_keys_count")
assert "inverted" in certificate["visible_keys_count"].detail
certificate

# %% [markdown]
# The [guide on certificates](certify_your_layer.py) has the other promises. [Masks](../learn/masks.py) shows how a mask works, and
# [Notation](../notation.md) holds our own rule on one page.

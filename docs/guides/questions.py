# ---
# title: Questions people ask
# description: Short answers with a snippet that runs alone, on masks the wrong way round, NaN, masks that block nothing, padded rows, 100 % accuracy, key_dim, what heads cost, left padding, pre-norm, saving custom layers, moving weights from torch to Keras, temperature and top-p, repetition, padded prompts and the bytes of a cache.
# ---

# %% [markdown]
# # Questions people ask
#
# Each answer is a few sentences and one snippet. Every snippet imports what it needs: copy it into a new file and it
# runs. In this package a mask holds 1 where a key is *blocked*.
#
# ## Is my attention mask the wrong way round?
#
# The dtype does not tell. In Keras, JAX and torch's `scaled_dot_product_attention`, `True` means *may attend*. In
# torch's `MultiheadAttention` and in this package it means *blocked*. The pattern tells: a look-ahead mask must not
# block the past, and a padding mask must not block the words. [`describe_mask`][clear_attention.describe_mask] reads a
# mask as ours and says if it seems inverted. Give it the tokens: without them nobody can know which keys are padding.

# %%
import numpy as np
from clear_attention import describe_mask

words = ["the", "cat", "sat", "[PAD]"]
assert "looks_inverted" not in describe_mask([[1, 1, 1, 0]])  # who can tell?
assert "looks_inverted" in describe_mask([[1, 1, 1, 0]], tokens=words)

assert "looks_inverted" in describe_mask(np.tril(np.ones((4, 4))))

mask = np.tril(np.ones((4, 4)))  # put yours here
print(describe_mask(mask))  # "#" is a blocked key

# %% [markdown]
# Deeper: [Mask conventions](mask_conventions.py), library by library; [certify your layer](certify_your_layer.py) finds
# out what a *layer* makes of a mask.
#
# ## How do I combine a padding mask and a causal mask in Keras?
#
# In Keras alone it is one call, because the layer makes the causal half itself:
# `layer(x, x, attention_mask=(ids != 0)[:, None, :], use_causal_mask=True)`.
#
# A key is blocked if it is padding *or* in the future. `keras.layers.MultiHeadAttention` wants the opposite, `True`
# where a query may look, with the shape `(batch, queries, keys)`. So a mask that is combined here can be converted, too:

# %%
import keras
import numpy as np
from clear_attention import (
    combine_masks,
    convert_mask,
    create_look_ahead_mask,
    create_padding_mask,
)

ids = np.array([[5, 6, 7, 0, 0], [1, 2, 3, 4, 5]])
blocked = combine_masks(create_padding_mask(ids), create_look_ahead_mask(5))
mask = convert_mask(blocked, source="blocked", target="keras")
print(mask.shape)
print(mask.numpy().astype(int))

x = np.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")
layer = keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
output, weights = layer(x, x, attention_mask=mask, return_attention_scores=True)
for head in (0, 1):
    np.testing.assert_array_equal(np.array(weights)[:, head] > 0, mask)

real = (ids != 0)[:, None, :]
same = layer(x, x, attention_mask=real, use_causal_mask=True)
np.testing.assert_allclose(same, output, atol=1e-6)

# %% [markdown]
# Deeper: [Masks, both at once](../learn/causal.py#both-at-once).
#
# ## Why are the outputs of padded tokens not zero?
#
# A padding mask, as `create_padding_mask` makes it, blocks padded *keys*. A padded token still asks, as a *query*, and
# gets an answer. (The mask that `Embedding(mask_zero=True)` attaches does more: with it, a padded query of our layers
# sees nothing, and its weights are 0.) The answer is harmless if nobody uses it: whatever stands in the padding, the
# outputs of the real tokens stay the same to the bit. But the loss must leave padded tokens out. With `sample_weight`
# alone Keras still divides by all of them; the reduction below divides by the real ones.

# %%
import keras
import numpy as np
from clear_attention import (
    DotProductAttention,
    create_padding_mask,
    scaled_dot_product_attention,
)

ids = np.array([[5, 6, 7, 0, 0]])
real = ids != 0
mask = create_padding_mask(ids)[:, 0]  # (batch, 1, keys)
x = np.random.default_rng(0).normal(size=(1, 5, 2)).astype("float32")
y = np.where(real[..., None], x, np.float32(9))  # other numbers in the padding
output, other = (
    scaled_dot_product_attention(t, t, t, mask).output.numpy() for t in (x, y)
)
print(output[0].round(2))
assert np.all(output[~real] != 0)
np.testing.assert_array_equal(output[real], other[real])

t = keras.layers.Embedding(10, 2, mask_zero=True)(ids)  # Keras attaches its mask
attached = DotProductAttention()(t, t, t, return_weights=True).weights.numpy()
assert np.all(attached[~real] == 0)
np.testing.assert_allclose(np.sum(attached[real], axis=-1), 1, atol=1e-6)

target = np.ones_like(output)
expected = np.mean((output[real] - 1) ** 2)
loss = keras.losses.MeanSquaredError(reduction="mean_with_sample_weight")
of_real = loss(target, output, sample_weight=real)
np.testing.assert_allclose(of_real, expected, rtol=1e-5)
default = keras.losses.MeanSquaredError()(target, output, sample_weight=real)
np.testing.assert_allclose(default, expected * 3 / 5, rtol=1e-5)

# %% [markdown]
# Deeper: [what comes out of a padded row](mask_conventions.py#padded-rows), with our layer, Keras's mask, and Keras's own
# layer side by side.
#
# ## Why is my attention output NaN?
#
# Four causes are common:
#
# * **A mask times -inf.** The mask holds 0 at every key that is *visible*, and $0 \cdot (-\infty)$ is NaN.
# * **-1e9 in float16.** The number is too large and becomes $-\infty$: a mask times it is the first cause again.
# * **A query with no key left.** Its softmax gets nothing but $-\infty$.
# * **A NaN in the padding.** Its score is NaN, and NaN minus 1e9 is still NaN, so the softmax spoils the whole row.
#   Even where a weight is exactly 0, 0 times the NaN in a value is NaN.
#
# In the output below, the mask is first *added* to the scores, times a number, as many tutorials do. Then *this package* gets
# it, which leaves a blocked key out instead.
# [`describe_mask`][clear_attention.describe_mask] finds queries with no key left.

# %%
import numpy as np
import tensorflow as tf
from clear_attention import describe_mask, scaled_dot_product_attention

tokens = np.random.default_rng(0).normal(size=(3, 4)).astype("float32")
hidden_nan = tokens.copy()
hidden_nan[2] = np.nan
last, all_keys = np.array([[0, 0, 1]] * 2), np.ones((2, 3))  # blocked


def by_adding(q, k, v, mask, number):
    scores = tf.matmul(q, k, transpose_b=True) / 2
    return tf.matmul(tf.nn.softmax(scores + tf.cast(mask, q.dtype) * number), v)


for cause, x, mask, number in [
    ("-inf times a mask", tokens, last, -np.inf),
    ("-1e9 in float16", tokens.astype("float16"), last, -1e9),
    ("no key left", tokens, all_keys, -np.inf),
    ("NaN in the padding", hidden_nan, last, -1e9),
]:
    added = by_adding(x[:2], x, x, mask, number)
    here = scaled_dot_product_attention(x[:2], x, x, mask).output
    print(f"{cause:19} mask added: {added[0, 0]}, this package: {here[0, 0]:.2f}")
    assert np.all(np.isnan(added))
    assert np.all(np.isfinite(here))
assert "empty_rows" in describe_mask(all_keys)

# %% [markdown]
# Deeper: [four ways to hide a score](hiding_scores.py); the [museum of
# bugs](museum.py).
#
# ## Does a mask that blocks nothing change anything?
#
# In this package it does not: `None`, `False` and a mask of zeros all say that nothing is blocked. In the example they
# give the same numbers, to the last bit.
#
# That holds with NaN and infinity, too. The package has one rule for them, with a mask and without: **they show, as
# NaN, in every output that sees them, and in no other.** A product of matrices would carry a NaN into every
# output, because 0 times NaN is NaN. So the package computes with 0 in its place, and then writes NaN into the outputs that
# see one.
# That is why an infinity shows as NaN as well. In the example one number of the last value is infinite.

# %%
import numpy as np
from clear_attention import (
    MultiHeadAttention,
    create_look_ahead_mask,
    scaled_dot_product_attention,
)

q, k, v = np.random.default_rng(0).normal(size=(3, 1, 3, 4)).astype("float32")
v[0, 2, 0] = np.inf
layer = MultiHeadAttention(d_model=4, num_heads=2)
masks = {"None": None, "False": False, "zeros": np.zeros((3, 3))}
masks["look-ahead"] = create_look_ahead_mask(3)

of_function, of_layer = {}, {}
for name, mask in masks.items():
    output = scaled_dot_product_attention(q, k, v, mask).output.numpy()
    of_function[name], of_layer[name] = output, layer(q, k, v, mask=mask).numpy()
    print(f"{name:10} first output {output[0, 0].round(2)}")
for found in (of_function, of_layer):
    np.testing.assert_array_equal(found["False"], found["None"])
    np.testing.assert_array_equal(found["zeros"], found["None"])
    assert np.isnan(found["None"][0, :, 0]).all()
    assert np.isfinite(found["look-ahead"][0, :2]).all()  # these don't see it
assert np.isfinite(of_function["None"][..., 1:]).all()
assert np.isnan(of_layer["None"]).all()

# %% [markdown]
# In the function the other channels stay finite. The layer's projections mix the channels of a token, so there all
# channels of such an output are NaN.
#
# Deeper: [more about the function](../learn/attention.py#the-function-read).
#
# ## Why does my causal model reach 100 % accuracy?
#
# It sees the answer: the mask is missing, or the wrong way round, or the targets are not shifted by one. Train it on
# *random* ids. Nothing can be learned there, so on new ones no honest model does better than chance, here 1/8, give or
# take a few percent. A missing or inverted mask gets everything right but the last token, which has nothing to its
# right. With targets that were never shifted, the last is right, too. [`certify`][clear_attention.certify] finds a leak
# without training, but not targets that were never shifted.

# %%
import keras
import numpy as np
from clear_attention import (
    MultiHeadAttention,
    PositionalEncoding,
    certify,
    create_look_ahead_mask,
)

ids = np.random.default_rng(0).integers(8, size=(8500, 9))
given, expected = ids[:, :-1], ids[:, 1:]  # shifted by one
mask = create_look_ahead_mask(8)
for name, m in {"right": mask, "wrong way round": 1 - mask}.items():
    keras.utils.set_random_seed(0)
    inputs = keras.Input((8,), dtype="int32")
    x = PositionalEncoding()(keras.layers.Embedding(8, 32)(inputs))
    x = MultiHeadAttention(d_model=32, num_heads=1)(x, mask=m)
    model = keras.Model(inputs, keras.layers.Dense(8)(x))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss)
    model.fit(given[500:], expected[500:], batch_size=64, verbose=0)

    said = np.argmax(model(given[:500]), axis=-1)  # of ids it was not trained on
    right = np.mean(said == expected[:500], axis=0)
    row = certify(model, causal=True, vocab=8, lengths=[8], only=["no_future_leak"])
    verdict = row["no_future_leak"].verdict
    print(f"mask {name}: no_future_leak is {verdict}, ids that are right:")
    print(
        f"  {right[:-1].mean():.0%} of the first seven, {right[-1]:.0%} of the last"
    )
    leaks = m is not mask
    assert verdict == ("broken" if leaks else "held")
    assert np.all(right[:-1] > 0.99 if leaks else right[:-1] < 0.2)
    assert right[-1] < 0.2

# %% [markdown]
# Deeper: [the look-ahead mask forgotten](../learn/causal.py#writing-without-peeking), on a model that translates;
# [certify your layer](certify_your_layer.py).
#
# ## How does a causal mask align with fewer queries than keys?
#
# A model that writes a text token by token keeps the keys and values of the earlier tokens, in a *cache*, and only the
# new tokens ask. These are the *last* tokens, so the last query must line up with the last key.
# [`create_look_ahead_mask`][clear_attention.create_look_ahead_mask] does that. Keras's `use_causal_mask` lines up the
# first query with the first key. `is_causal=True` does the same in torch's `scaled_dot_product_attention`, as [its
# documentation](https://docs.pytorch.org/docs/stable/generated/torch.nn.attention.bias.causal_upper_left.html) says,
# and in JAX's `dot_product_attention` (0.10.2, which was run apart from this page). So give Keras the mask yourself.

# %%
import keras
import numpy as np
from clear_attention import convert_mask, create_look_ahead_mask

keras.utils.set_random_seed(0)  # the layer's weights are random
x = np.random.default_rng(0).normal(size=(1, 5, 8)).astype("float32")
layer = keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
whole = layer(x, x, use_causal_mask=True)  # five queries, five keys

new = x[:, -2:]  # two queries, five keys
theirs, weights = layer(new, x, use_causal_mask=True, return_attention_scores=True)
mask = convert_mask(
    create_look_ahead_mask(2, key_length=5), source="blocked", target="keras"
)
given = layer(new, x, attention_mask=mask)
print("use_causal_mask sees\n", (np.array(weights)[0, 0] > 0).astype(int))
print("these queries may see\n", mask.numpy().astype(int))
assert not np.allclose(theirs, whole[:, -2:], atol=0.1)
np.testing.assert_allclose(given, whole[:, -2:], atol=1e-6)

# %% [markdown]
# Deeper: [what a cache saves](../learn/cache.py).
#
# ## What is `key_dim`, and how many parameters does attention have?
#
# In Keras's `MultiHeadAttention` it is the depth of the queries and keys *of each head*, usually `d_model / num_heads`.
# With `key_dim=d_model` nothing fails, but a layer of eight heads gets eight times as wide inside. Its parameters are
# three projections in and one out, each with its bias.

# %%
import keras


def parameters(d_model, num_heads, key_dim):
    inside = num_heads * key_dim
    return 3 * (d_model * inside + inside) + inside * d_model + d_model


for key_dim in (128 // 8, 128):
    layer = keras.layers.MultiHeadAttention(num_heads=8, key_dim=key_dim)
    layer.build((None, None, 128), (None, None, 128))
    print(f"key_dim {key_dim:3}: {layer.count_params():7,} parameters")
    assert layer.count_params() == parameters(128, 8, key_dim)
assert parameters(128, 8, 16) == 66_048
assert parameters(128, 8, 128) == 527_488

# %% [markdown]
# Deeper: [the whole width for each head](museum.py#key_dim), in the museum of bugs.
#
# ## Do more heads cost more?
#
# Hardly, as long as the width stays the same. Each head gets a smaller part of the numbers, so a layer with more heads
# has no more numbers to train, and the products of matrices take no more multiplications. But every head has a map of
# its own. So if the maps are kept, more heads take more memory for them, and the softmax has more work.
# [Attention by blocks](../learn/long_sequences.py) keeps no whole map.
#
# Here is a layer of width 512 that reads 64 tokens. `d_k` says how many numbers a head's query and key have, and
# *weights* are the cells of all maps together.

# %%
from clear_attention import MultiHeadAttention

d_model, n = 512, 64
print("heads  d_k  parameters  multiplications  weights")
costs = set()
for heads in (1, 2, 4, 8):
    layer = MultiHeadAttention(d_model, heads)
    layer.build((None, n, d_model))
    # four products with a matrix; for each head one for its scores, one for its output
    multiplications = 4 * n * d_model**2 + heads * (2 * n * n * layer.d_k)
    numbers = f"{layer.count_params():11,} {multiplications:16,}"
    print(f"{heads:5} {layer.d_k:4} {numbers} {heads * n * n:8,}")
    costs.add(numbers)
assert len(costs) == 1

# %% [markdown]
# Deeper: [how heads share the numbers](../learn/split_heads.py#how-the-numbers-are-shared).
#
# ## Why does `keras.layers.Attention` give different numbers?
#
# It does not divide the scores by $\sqrt{d_k}$. `use_scale=True` does not mend that: it multiplies by a weight that
# starts at 1 and is trained. Divide the queries yourself. Mind the order too, `[query, value, key]`, and that no
# projections are learned.

# %%
import keras
import numpy as np
from clear_attention import scaled_dot_product_attention

q, k, v = np.random.default_rng(0).normal(size=(3, 1, 5, 16)).astype("float32")
expected = scaled_dot_product_attention(q, k, v).output
layer = keras.layers.Attention()
scaled = layer([q / np.float32(16**0.5), v, k])
np.testing.assert_allclose(scaled, expected, atol=1e-6)
print("as it is, off by", np.max(np.abs(layer([q, v, k]) - expected)).round(2))

trained = keras.layers.Attention(use_scale=True)
np.testing.assert_array_equal(trained([q, v, k]), layer([q, v, k]))
assert trained.get_weights() == [1]
assert layer.get_weights() == []
assert not np.allclose(layer([q, v, k]), expected, atol=0.1)

# %% [markdown]
# Deeper: [why divide by the root of d_k?](../learn/attention.py#why-divide-by-the-root-of-d_k)
#
# ## How do I save and load a custom Keras layer?
#
# Register the class, pass `**kwargs` on, let `get_config` return every argument of `__init__`, and build the parts in
# `build`, so that their weights exist when the file is read. Then `load_model` needs no `custom_objects`, as long as
# the program that loads has imported the class. Without the decorator the model is saved, and refused when it is
# loaded: "Could not locate class".

# %%
import tempfile
from pathlib import Path

import keras
import numpy as np
from clear_attention import MultiHeadAttention


@keras.saving.register_keras_serializable(package="my_project")
class Looking(keras.Layer):
    def __init__(self, d_model, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.d_model, self.num_heads = d_model, num_heads
        self.attention = MultiHeadAttention(d_model, num_heads)

    def build(self, shape):
        self.attention.build(shape)

    def call(self, x):
        return x + self.attention(x)

    def get_config(self):
        own = {"d_model": self.d_model, "num_heads": self.num_heads}
        return {**super().get_config(), **own}


class Undecorated(Looking):
    """The same without the decorator."""


x = np.random.default_rng(0).normal(size=(1, 5, 8)).astype("float32")
for layer in (Looking(d_model=8, num_heads=2), Undecorated(d_model=8, num_heads=2)):
    model, refused = keras.Sequential([keras.Input((None, 8)), layer]), ""
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.keras")
        try:
            loaded = keras.models.load_model(Path(folder) / "model.keras")
        except TypeError as error:
            refused = str(error)
    if isinstance(layer, Undecorated):
        assert "Could not locate class 'Undecorated'" in refused
    else:
        np.testing.assert_array_equal(loaded(x), model(x))
        print("the same to the bit")

# %% [markdown]
# Every layer of this package is registered: see the [reference](../reference/index.md).
#
# ## How do I use left padding with positional encoding?
#
# The first word then is not at position 0, so the same sentence gets other outputs with padding than without. Count the
# real tokens and hand their places over. The padding gets place 0 too, which does no harm: the mask hides it.

# %%
import keras
import numpy as np
from clear_attention import (
    MultiHeadAttention,
    PositionalEncoding,
    create_look_ahead_mask,
)

ids = np.array([[0, 0, 4, 5, 6]])
positions = np.maximum(np.cumsum(ids != 0, axis=1) - 1, 0)
print("positions", positions[0])

keras.utils.set_random_seed(0)
embed = keras.layers.Embedding(10, 8, mask_zero=True)  # its mask goes along
place, attention = PositionalEncoding(), MultiHeadAttention(d_model=8, num_heads=2)


def run(ids, positions=None):
    x = place(embed(ids), positions=positions)
    return attention(x, mask=create_look_ahead_mask(ids.shape[1]))


unpadded = run(ids[:, 2:])
np.testing.assert_allclose(run(ids, positions)[:, 2:], unpadded, atol=1e-6)
assert not np.allclose(run(ids)[:, 2:], unpadded, atol=0.01)

# %% [markdown]
# Deeper: [the reference of positions](../reference/positions.md).
#
# ## What is the difference between pre-norm and post-norm?
#
# A Transformer layer consists of sub-layers: two in an encoder, three in a decoder. Each is attention or a feed-forward
# network, and its result is added to the tokens. Post-norm, as in *Attention Is All You Need* (2017), normalises this
# sum. Pre-norm normalises only what the sub-layer reads, so the sum itself is never normalised, and a stack needs one
# more norm at its end. Weights of one load into the other without complaint, and give other numbers: their shapes are
# the same.

# %%
import keras
import numpy as np
from clear_attention import SelfAttentionBlock

keras.utils.set_random_seed(0)  # the block's weights are random
x = np.random.default_rng(0).normal(size=(1, 5, 8)).astype("float32") * 3
post = SelfAttentionBlock(d_model=8, num_heads=2)
pre = SelfAttentionBlock(d_model=8, num_heads=2, norm_first=True)
for block in (post, pre):
    block.build(x.shape)
pre.set_weights(post.get_weights())

attention, norm = post.attention, post.norm
np.testing.assert_allclose(post(x), norm(x + attention(x)), atol=1e-5)
np.testing.assert_allclose(pre(x), x + attention(norm(x)), atol=1e-5)
print("variance of each token")
print("post-norm", np.var(post(x)[0], axis=-1).round(2))
print("pre-norm ", np.var(pre(x)[0], axis=-1).round(2))
np.testing.assert_allclose(np.var(post(x), axis=-1), 1, atol=1e-3)
assert np.min(np.var(pre(x), axis=-1)) > 2

# %% [markdown]
# Deeper: [norm before or after?](../learn/norm_first.py), through twelve layers.
#
# ## Are the sines and cosines interleaved or concatenated?
#
# Both are in use. The formula of *Attention Is All You Need* (2017) interleaves them, and so does this package; other
# code writes all sines first, then all cosines. The numbers are the same with the channels in another order. A trained
# model depends on its order, and one line translates.

# %%
import numpy as np
from clear_attention import sinusoidal_encoding

interleaved = sinusoidal_encoding(length=50, depth=6).numpy()
angles = np.arange(50)[:, None] * 10000 ** (-np.arange(0, 6, 2) / 6)
concatenated = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)

translated = np.concatenate([interleaved[:, 0::2], interleaved[:, 1::2]], axis=1)
np.testing.assert_allclose(translated, concatenated, atol=1e-6)
assert not np.allclose(interleaved, concatenated, atol=0.5)
print("interleaved ", interleaved[1].round(2))
print("concatenated", concatenated[1].round(2))

# %% [markdown]
# Deeper: [interleaved or in halves?](../learn/positions.py#does-the-trained-machine-rely-on-it), with a model that
# notices.
#
# ## How do I convert attention weights from torch to Keras?
#
# torch keeps the weights that project queries, keys and values in one matrix, one below the other, and multiplies by
# its transpose. Keras keeps the heads on an axis of their own. Here the weights go from torch's layout to ours, from
# ours to Keras, and back. The arrays are random, and what torch computes with them is written out below: torch itself
# is not needed.

# %%
import keras
import numpy as np
from clear_attention import (
    MultiHeadAttention,
    merge_heads,
    scaled_dot_product_attention,
    split_heads,
    weights_from_keras,
    weights_from_torch,
    weights_to_keras,
    weights_to_torch,
)

rng = np.random.default_rng(0)
shapes = {"in_proj_weight": (24, 8), "in_proj_bias": (24,)}
shapes |= {"out_proj.weight": (8, 8), "out_proj.bias": (8,)}
torch_weights = {n: rng.normal(size=s).astype("float32") for n, s in shapes.items()}
# with torch: {name: t.numpy() for name, t in module.state_dict().items()}

ours = weights_from_torch(MultiHeadAttention(d_model=8, num_heads=2), torch_weights)
theirs = keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
x = rng.normal(size=(1, 5, 8)).astype("float32")
theirs(x, x)  # a layer has no weights before its first call
weights_to_keras(ours, theirs)

w_in, b_in, w_out, b_out = torch_weights.values()
q, k, v = (split_heads(t, 2) for t in np.split(x @ w_in.T + b_in, 3, axis=-1))
heads = scaled_dot_product_attention(q, k, v).output
in_torch = merge_heads(heads).numpy() @ w_out.T + b_out
np.testing.assert_allclose(theirs(x, x), in_torch, atol=1e-4)

back = weights_to_torch(weights_from_keras(MultiHeadAttention(8, 2), theirs))
assert all(np.array_equal(back[name], torch_weights[name]) for name in shapes)
print("the same numbers, there and back")

# %% [markdown]
# Deeper: [Carry weights over](carry_weights.py).
#
# ## Which axis of the attention weights is the query?
#
# The one before the last, in Keras's layer and here; the last axis is the key. If you do not know, sum: the weights of
# *one query* sum to 1. So a heat map has its queries as rows, and is read row by row.
# [`plot_weights`][clear_attention.plot_weights] writes both names on the axes.

# %% alt="Heat map with an axis named query and an axis named key. Each of the rows le, chat and dort puts most of its weight on one key: the, cat, asleep."
import keras
import matplotlib.pyplot as plt
import numpy as np
from clear_attention import plot_weights, scaled_dot_product_attention

k = np.eye(4)  # the, cat, is, asleep
q = 6 * np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0.4, 1]])  # le, chat, dort
weights = scaled_dot_product_attention(q, k, k).weights  # (3 queries, 4 keys)
np.testing.assert_allclose(np.sum(weights, axis=-1), 1)
assert not np.allclose(np.sum(weights, axis=-2), 1, atol=0.1)

layer = keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
_, theirs = layer(q[None], k[None], return_attention_scores=True)
assert theirs.shape == (1, 2, 3, 4)  # (batch, heads, queries, keys)
np.testing.assert_allclose(np.sum(theirs, axis=-1), 1, atol=1e-6)

plot_weights(weights, ["le", "chat", "dort"], ["the", "cat", "is", "asleep"])
plt.show()

# %% [markdown]
# Deeper: [Attention](../learn/attention.py); [Notation](../notation.md).
#
# ## Temperature or top-p?
#
# Temperature changes how large the differences between probabilities are. Top-p cuts off the improbable end, however
# many tokens that is. Usually both: a temperature a little below 1 against nonsense, and a top-p of 0.9 against the
# rare token that spoils everything after it. In this package the temperature comes first.

# %%
import numpy as np
from clear_attention import LanguageModel, sample

p = np.array([0.55, 0.25, 0.12, 0.05, 0.03])  # of five tokens
for temperature in (0.5, 1.0, 2.0):
    powers = p ** (1 / temperature)
    heated = powers / powers.sum()
    kept = 1 + np.flatnonzero(np.cumsum(heated) >= 0.9)[0]
    print(f"temperature {temperature}: {heated.round(2)}, top-p 0.9 keeps {kept}")

model = LanguageModel(1, d_model=8, num_heads=2, d_ff=16, vocab=20)
ids = sample(
    model,
    [[1, 7]],
    max_length=5,
    temperature=0.8,
    top_p=0.9,
    seed=0,
    jit_compile=False,
)
assert ids.shape == (1, 5)

# %% [markdown]
# Deeper: [drawing a letter](../learn/by_heart.py#drawing-a-letter).
#
# ## Why does my language model repeat itself?
#
# Because what it has just written makes the same more probable again, and because the most probable token was taken
# each time. As soon as the tokens in view are those of a moment ago, everything goes on as before. Draw with `sample`
# in place of `greedy_search`, or make what was said less probable with `repetition_penalty`. Here is a model that has
# read one sentence again and again:

# %%
import keras
import numpy as np
from clear_attention import LanguageModel, greedy_search, sample

rng = np.random.default_rng(0)
words = ["she ", "sells ", "sea ", "shells ", "by ", "the ", "shore "]
texts = ["".join(rng.choice(words, size=40))[:120] for _ in range(32)]
ids = np.array([[ord(c) for c in text] for text in texts])
keras.utils.set_random_seed(0)
model = LanguageModel(1, 32, 2, 64, vocab=128, end_id=None, dropout=0.0)
model.compile(
    keras.optimizers.Adam(1e-2),
    keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)
model.fit(ids[:, :-1], ids[:, 1:], epochs=60, verbose=0)
prompt = [[ord(c) for c in "she "]]
written = {
    "greedy": greedy_search(model, prompt, 60, jit_compile=False),
    "drawn": sample(model, prompt, 60, seed=2, jit_compile=False),
    "penalty": sample(
        model, prompt, 60, repetition_penalty=1.3, seed=2, jit_compile=False
    ),
}
for name, tokens in written.items():
    print(f"{name:8}", "".join(map(chr, np.array(tokens[0]))))

# %% [markdown]
# Deeper: [exercise 1 of From here to GPT](../learn/language_model.py#exercise-1).
#
# ## Why is my prompt's padding seen?
#
# Because the padding stands on the right, between the prompt and what is to be written, or because nobody told the
# model which ids are padding. Pad prompts on the **left**. A `LanguageModel` hides its `pad_id`, and its positions
# count real tokens only, so a padded prompt gets the numbers that it gets alone. With padding on the right, the last place
# of a row is padding, and what is written would come after a gap. So `sample` refuses it:

# %% tags=["wrap"]
import numpy as np
from clear_attention import LanguageModel, sample

model = LanguageModel(2, d_model=8, num_heads=2, d_ff=16, vocab=20)
alone = model([[5, 6, 7]])[:, -1]
padded = model([[0, 0, 5, 6, 7]])[:, -1]
np.testing.assert_allclose(padded, alone, atol=1e-5)
try:
    sample(model, [[5, 6, 7, 0, 0]], max_length=3)
except ValueError as error:
    print(error)

# %% [markdown]
# Deeper: [the reference of writing](../reference/generation.md).
#
# ## How many bytes does the cache take?
#
# Two vectors for each token, a key and a value, in each layer and each head of keys: 2 · layers · heads of keys ·
# numbers a head · bytes of a number. Times the tokens, times the texts.

# %%
from clear_attention import LanguageModel

for key_heads in (8, 2, 1):
    options = {"num_key_value_heads": key_heads}
    model = LanguageModel(4, 256, 8, 1024, vocab=99, self_attention=options)
    cache = model.create_cache(batch=1, capacity=1000)
    bytes_kept = sum(
        part.numpy().nbytes
        for layer in cache.values()
        for part in (layer.keys, layer.values)
    )
    assert bytes_kept == 2 * 4 * key_heads * 32 * 4 * 1000
    print(f"{key_heads} heads of keys: {bytes_kept / 1e6:.1f} MB for 1,000 tokens")

# %% [markdown]
# Deeper: [Fewer keys than queries](../learn/fewer_keys.py).

# ---
# title: Masks
# description: Padding and look-ahead masks as numbers, both combined for a padded batch, queries with no key left, and three ways to apply a mask, two of which fail.
# ---

# %% [markdown]
# # How do you stop attention from looking somewhere?
#
# **In one sentence:** a mask holds 1 where a key is blocked and 0 where it may be attended to, and the weight of a
# blocked key is set to exactly 0: it is left out, not given a large negative score.
#
# There are two reasons to block a key. It is *padding*, filler that makes sentences of different lengths fit into one
# batch. Or it lies in the *future*, and a model that learns to write the next word must not read it first.

# %% [markdown]
# ## The formula
#
# $$
# w_{ij} = \begin{cases} 0 & \text{if } \text{mask}_{ij} = 1 \\[4pt]
# \dfrac{e^{s_{ij}}}{\sum_{m:\, \text{mask}_{im} = 0} e^{s_{im}}} & \text{if } \text{mask}_{ij} = 0 \end{cases}
# $$
#
# | symbol | what it is | shape |
# | --- | --- | --- |
# | $s_{ij}$ | the score of query $i$ and key $j$ | `(batch, heads, query_length, key_length)` |
# | $\text{mask}_{ij}$ | 1: query $i$ may not see key $j$ | broadcasts to the scores |
# | $w_{ij}$ | the weight; if a whole row is blocked, the whole row is 0 | as the scores |

# %% [markdown]
# ## Tiny numbers: padding and looking ahead
#
# Three sentences of token ids, padded with 0. The first has its padding in the middle, the second at the end, the third
# on the *left*: remember it. The padding mask has shape `(batch, 1, 1, length)`, so that one row serves all heads and
# all queries. If 0 is a real token in your vocabulary, it would be lost here: pass your own `pad_id`.
#
# The look-ahead mask is a square. Row 0 is the first query: it may see key 0 and nothing after it.

# %%
import numpy as np
from clear_attention import create_look_ahead_mask, create_padding_mask

ids = [[7, 6, 0, 0, 1], [1, 2, 3, 0, 0], [0, 0, 0, 4, 5]]
padding = create_padding_mask(ids)
look_ahead = create_look_ahead_mask(3)
print("padding", padding.shape)
print(padding[:, 0, 0].numpy())
print("look-ahead", look_ahead.shape)
print(look_ahead.numpy())
np.testing.assert_array_equal(
    padding[:, 0, 0], [[0, 0, 1, 1, 0], [0, 0, 0, 1, 1], [1, 1, 1, 0, 0]]
)
np.testing.assert_array_equal(look_ahead, [[0, 1, 1], [0, 0, 1], [0, 0, 0]])

# %% [markdown]
# ## Both at once
#
# In a decoder both hold: a key is blocked if it is padding *or* in the future.
# [`combine_masks`][clear_attention.combine_masks] broadcasts the two, `(3, 1, 1, 5)` and `(5, 5)`, to `(3, 1, 5, 5)`:
# one matrix for each sentence. Here are all three.

# %%
from clear_attention import combine_masks

both = combine_masks(padding, create_look_ahead_mask(5))
print(both.shape)
print(both[:, 0].numpy().astype(int))

# %% alt="The three combined masks. The first sentence hatches columns 2 and 3 and everything above the diagonal. The second hatches columns 3 and 4 and everything above the diagonal. The third hatches its first three rows completely."
import matplotlib.pyplot as plt
from clear_attention import plot_mask

figure, axes = plt.subplots(1, 3, figsize=(9.5, 3.2), layout="constrained")
for sentence, ax in enumerate(axes):
    plot_mask(both[sentence], tokens=[str(token) for token in ids[sentence]], ax=ax)
    ax.set_title(f"sentence {sentence}")
plt.show()

# %% tags=["live", "hide-input"]
import sys

import clear_attention

sys.path.append("../_site")
from live import grid, lab, situation


def try_masks():
    words = ["the", "cat", "sat", "<pad>", "<pad>"]
    x = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [0, 0]], float)
    weights = clear_attention.scaled_dot_product_attention(
        x, x, x, both[1, 0]
    ).weights
    return lab(
        [situation("sentence 1", words, x, x, x, padding=[3, 4], lookAhead=True)],
        grid("Weights", weights, words, words, both[1, 0]),
        piece="mask",
        title="Try it: hide tokens, and watch whom each query can still see. Which choice leaves a query with no key?",
    )


try_masks()

# %% [markdown]
# ## Queries with no key left
#
# In sentence 2 the first three rows are hatched from end to end: these queries may see *no key at all*. There is no
# average of nothing. Our rule is that such a query gets weights 0, output 0 and gradient 0.
#
# Now look at query 3 of sentence 1. Its own token is padding, yet its row is not empty: a padding mask blocks padded
# **keys**, not padded **queries**. So the output of a padded position is *not* zero. That is harmless: nobody may look
# at it, and the loss must leave it out.

# %%
from clear_attention import scaled_dot_product_attention

x = np.random.default_rng(0).normal(size=(3, 1, 5, 4)).astype("float32")
output, weights = scaled_dot_product_attention(x, x, x, both)
with np.printoptions(precision=2, suppress=True):
    print("sentence 2, weights\n", weights[2, 0].numpy())
    print("sentence 1, output of the padded query 3\n", output[1, 0, 3].numpy())
assert np.all(weights[2, 0, :3] == 0)
assert np.all(output[2, 0, :3] == 0)
assert np.any(output[1, 0, 3] != 0)

# %% [markdown]
# ## The package's own source
#
# All of this is one choice before the softmax and one after it. The second is for rows that are blocked from end to end.

# %% tags=["source"]
import inspect

from clear_attention import attention

print(inspect.getsource(attention.softmax_of_visible))

# %% [markdown]
# ## Three ways to fill a blocked score, two of them traps
#
# The tutorials add something to the scores instead. Here are the three ways on sentence 2: query 4, which sees two
# keys, and query 0, which sees none. Each is run in float32 and in float16.

# %%
import tensorflow as tf


def with_infinity(scores, mask):
    return tf.nn.softmax(scores + mask * tf.constant(-np.inf, scores.dtype))


def with_a_large_number(scores, mask):
    return tf.nn.softmax(scores + mask * tf.cast(-1e9, scores.dtype))


def by_selection(scores, mask):
    return attention.softmax_of_visible(scores, mask == 1)


filled = {}
for dtype in ("float32", "float16"):
    scores = tf.constant([[1, 2, 3, 1, 3], [3, 1, 2, 2, 1]], dtype)
    mask = tf.cast(tf.gather(both[2, 0], [4, 0]), dtype)
    for fill in (with_infinity, with_a_large_number, by_selection):
        filled[fill.__name__, dtype] = rows = fill(scores, mask).numpy()
        print(
            f"{dtype}  {fill.__name__:19}  sees two {rows[0].round(2)}  sees none {rows[1].round(2)}"
        )

assert np.isnan(filled["with_infinity", "float32"]).any()
assert np.isnan(filled["with_a_large_number", "float16"]).any()
assert np.all(filled["with_a_large_number", "float32"][1] > 0)
assert np.all(filled["by_selection", "float16"][1] == 0)

# %% [markdown]
# * **`-inf * mask`** is NaN at every key that is *allowed*, since $-\infty \cdot 0$ is NaN. Nothing survives.
# * **`-1e9`** works for query 4 in float32. Query 0, which should see nothing, quietly attends to padding *and* to the
#   future. In float16 the number -1e9 does not exist: it becomes $-\infty$, and we are back at NaN.
# * **Selection** is right for both queries in both types. It is what this package does, everywhere.
#
# A mask that is already additive, or comes from another library, is refused with a sentence that names
# [`convert_mask`][clear_attention.convert_mask]:

# %% tags=["wrap"]
from clear_attention import convert_mask

additive = np.where(both == 1, -1e9, 0.0).astype("float32")
try:
    scaled_dot_product_attention(x, x, x, additive)
except ValueError as error:
    print(error)
np.testing.assert_array_equal(
    convert_mask(additive, source="additive", target="blocked"), both
)

# %% [markdown]
# ## Exercises
#
# ### Exercise 1
#
# `keras.layers.MultiHeadAttention` reads a mask the other way round: `True` means *may attend*. What would a model see
# if it were given our look-ahead mask as it is?

# %% tags=["answer"]
misread = (
    create_look_ahead_mask(4).numpy() == 1
)  # what Keras takes for "may attend"
print(
    misread.astype(int)
)  # each token sees the future and nothing else; the last sees nothing at all
right = convert_mask(create_look_ahead_mask(4), source="blocked", target="keras")
np.testing.assert_array_equal(right, ~misread)

# %% [markdown]
# ### Exercise 2
#
# A batch of 2 sentences of 5 tokens, and a mask of shape `(2, 5)`. Why is it refused, and what is the shape it needs?

# %% tags=["answer", "wrap"]
y = np.zeros((2, 5, 4), "float32")
mask = np.array([[0, 0, 0, 1, 1], [0, 0, 0, 0, 1]])
try:
    scaled_dot_product_attention(
        y, y, y, mask
    )  # read from the right, (2, 5) would be (queries, keys)
except ValueError as error:
    print(error)
assert scaled_dot_product_attention(y, y, y, mask[:, None, :]).weights.shape == (
    2,
    5,
    5,
)

# %% [markdown]
# ## Check yourself
#
# ```self-check
# ? The ids are `[[0, 0, 7, 8]]`, and padding and look-ahead are combined. What weights has query 1?
# - `[0.5, 0.5, 0, 0]` | Keys 0 and 1 are padding. Look-ahead lets query 1 see them, the padding mask does not.
# - `[0.25, 0.25, 0.25, 0.25]` | To this `-1e9` leads in float32: it drowns the scores, and all come out equal.
# + `[0, 0, 0, 0]` | Padding blocks keys 0 and 1, look-ahead 2 and 3. No key is left, so all is 0.
# - NaN | The softmax of nothing but `-inf` is NaN. Here such a row gets zeros instead.
# ? The ids are `[[5, 6, 0]]`, the mask is their padding mask, all scores are equal. What weights has query 2?
# + `[0.5, 0.5, 0]` | A padding mask blocks padded keys. The padded query looks at the real tokens like any other.
# - `[0, 0, 0]` | A padded query is not blocked. Only a row with no key left gets zeros, and this one has two.
# - `[0, 0, 1]` | Its own token is padding, so this very key is blocked.
# ? 4 sentences of 4 tokens without heads; a padding mask of shape `(4, 4)`, a row for each sentence. What happens?
# - Each sentence's padding is blocked. | For that the shape must be `(4, 1, 4)`: one row for all queries of a sentence.
# - It is refused. | When the sizes differ, yes, as in exercise 2. Here they agree, and nobody can tell.
# + Row 2 becomes the mask of query 2, in every sentence. | The last two axes are queries and keys.
# ```
#
# ## Where to go next
#
# * [Causal attention](causal.py): the look-ahead mask at work, and what the early tokens lose.
# * [Reference: masks](../reference/masks.md): windows, prefixes, and the conventions of other libraries.
# * [Which way round is this mask?](../guides/mask_conventions.py): every library's rule, and the line that converts.
# * [Notation](../notation.md): the one mask convention of this site, on one page.

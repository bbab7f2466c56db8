# ---
# title: Multi-head attention
# description: The four parts of multi-head attention as numbers and pictures, what split_heads moves and what the classic wrong reshape mixes, what heads cost, and the proof that our layer equals Keras's.
# ---

# %% [markdown]
# # What do heads do, and what do they cost?
#
# **In one sentence:** each token is projected once to the full width, the width is cut into heads that attend
# separately, and their outputs are joined and projected once more, at the cost of a single head of full width.
#
# One attention gives each token one set of weights. But "it" may have to look at "cat" to know what it is, and at "tired"
# to know how it feels. Several heads look at different things at the same time.
#
# ## The formula
#
# $$
# \operatorname{MultiHead}(Q, K, V) = \operatorname{Concat}(\text{head}_1, \dots, \text{head}_h)\, W^O
# $$
#
# $$
# \text{head}_i = \operatorname{Attention}(Q W^Q_i, K W^K_i, V W^V_i)
# $$
#
# | symbol | what it is | shape |
# | --- | --- | --- |
# | $W^Q_i$, $W^K_i$ | the projections of head $i$ to its queries and keys | `(d_model, d_k)` |
# | $W^V_i$ | its projection to values | `(d_model, d_v)` |
# | $W^O$ | the projection of all heads' outputs, joined | `(heads * d_v, d_model)` |

# %% [markdown]
# ## Tiny numbers: four parts
#
# Three tokens, $d_{\text{model}} = 8$, two heads, so $d_k = d_v = 4$. **Part 1** projects: one Dense layer holds the
# queries of *all* heads, side by side. **Part 2** splits: [`split_heads`][clear_attention.split_heads] cuts the last axis
# and brings the heads next to the batch. **Part 3** attends in every head, in one call. **Part 4** joins the heads again
# with [`merge_heads`][clear_attention.merge_heads], and projects.

# %%
import keras
import numpy as np
from clear_attention import (
    MultiHeadAttention,
    merge_heads,
    scaled_dot_product_attention,
    split_heads,
)

keras.utils.set_random_seed(1)
x = np.random.default_rng(1).normal(size=(1, 3, 8)).astype("float32")
layer = MultiHeadAttention(d_model=8, num_heads=2)
expected, weights = layer(x, return_weights=True)

projected = layer.project_queries(x)  # keys and values likewise
q = split_heads(projected, num_heads=2)
k = split_heads(layer.project_keys(x), num_heads=2)
v = split_heads(layer.project_values(x), num_heads=2)
attended = scaled_dot_product_attention(q, k, v)
joined = merge_heads(attended.output)
output = layer.project_output(joined)
np.testing.assert_allclose(output, expected, atol=1e-6)

with np.printoptions(precision=1, suppress=True):  # numbers of token 1, "cat"
    print("1 project", projected.shape, projected[0, 1].numpy())
    print("2 split  ", q.shape, q[0, 0, 1].numpy(), q[0, 1, 1].numpy())
    print(
        "3 attend ",
        attended.output.shape,
        attended.output[0, 0, 1].numpy(),
        attended.output[0, 1, 1].numpy(),
    )
    print("4 merge  ", joined.shape, joined[0, 1].numpy())
    print("  project", output.shape, output[0, 1].numpy())

# %% tags=["hide-input"] alt="The four parts for three tokens. Project: a 3 by 8 matrix. Split: two 3 by 4 matrices, its left and its right half. Attend: the weights of head 0 and head 1, two different 3 by 3 heat maps. Merge: a 3 by 8 matrix again."
import matplotlib.pyplot as plt
from clear_attention import plot_weights

words = ["the", "cat", "sat"]
figure, panels = plt.subplot_mosaic(
    "ABDF;ACEF",
    figsize=(10, 4.2),
    layout="constrained",
    width_ratios=[2, 1, 1.2, 2],
)
matrices = {
    "A": (projected[0], "1 project: queries"),
    "B": (q[0, 0], "2 split: head 0"),
    "C": (q[0, 1], "2 split: head 1"),
    "F": (joined[0], "4 merge: outputs"),
}
for name, (matrix, title) in matrices.items():
    panels[name].pcolormesh(matrix, cmap="PuOr", vmin=-2, vmax=2, edgecolor="white")
    panels[name].set(
        title=title,
        aspect="equal",
        ylim=(3, 0),
        xticks=[],
        yticks=[0.5, 1.5, 2.5],
        yticklabels=words,
    )
    panels[name].spines[:].set_visible(False)
for head, name in enumerate("DE"):
    plot_weights(
        weights[0, head], words, ax=panels[name], colour_bar=False
    ).set_title(f"3 attend: head {head}")
plt.show()

# %% [markdown]
# The two heads look at the same tokens and see different things, since each has its own projection. For a model with many
# heads, [`plot_heads`][clear_attention.plot_heads] draws them all in one grid.
#
# ## What `split_heads` moves
#
# To see it, number the channels instead of projecting. Here is token 1 with its eight channels, before and after: head 0
# gets the first four, head 1 the others, and no token touches another.

# %%
numbered = np.arange(24).reshape(1, 3, 8)
split = split_heads(numbered, num_heads=2).numpy()
print("token 1:        ", numbered[0, 1])
print("in head 0:      ", split[0, 0, 1])
print("in head 1:      ", split[0, 1, 1])
np.testing.assert_array_equal(merge_heads(split), numbered)

# %% tags=["hide-input"] alt="Left: three tokens as rows of eight numbered channels, the first four blue for head 0, the last four orange for head 1. Middle: the right split, every head is one colour and keeps one row for each token. Right: a plain reshape, in which both heads hold both colours and rows mix tokens."


def draw(ax, rows, title):
    for y, row in enumerate(rows):
        for x_, value in enumerate(row):
            colour = "#0072b2" if value % 8 < 4 else "#d55e00"
            ax.add_patch(
                plt.Rectangle((x_, y), 1, 1, facecolor=colour, edgecolor="white")
            )
            ax.text(
                x_ + 0.5,
                y + 0.5,
                value,
                ha="center",
                va="center",
                color="#fdfdfd",
                size=9,
            )
    ax.set(xlim=(0, len(rows[0])), ylim=(len(rows), 0), aspect="equal", title=title)
    ax.axis("off")


wrong = numbered.reshape(1, 2, 3, 4)
figure, grid = plt.subplot_mosaic("ABD;ACE", figsize=(9, 3.2), layout="constrained")
draw(grid["A"], numbered[0], "three tokens")
draw(grid["B"], split[0, 0], "split: head 0")
draw(grid["C"], split[0, 1], "split: head 1")
draw(grid["D"], wrong[0, 0], "reshape: head 0")
draw(grid["E"], wrong[0, 1], "reshape: head 1")
plt.show()

# %% tags=["live", "hide-input"]
import sys

sys.path.append("../_site")
from live import grid, lab

lab(
    [
        {
            "state": {
                "tokens": words,
                "x": numbered[0].tolist(),
                "choices": [1, 2, 4, 8],
                "heads": 2,
            }
        }
    ],
    grid("head 0 of 2", split[0, 0], words)
    + grid("head 1 of 2", split[0, 1], words),
    piece="heads",
    title="Try it: the same 24 numbers, shared among more heads or fewer.",
)

# %% tags=["live", "hide-input"]
sys.path.append("../..")
import trained
from date_machine import machine, still

model, _ = trained.load("dates")
machine(
    "dates",
    piece="head",
    head=0,
    without=still(model, "thursday 3rd of may 2018"),
    title="What does a head do once it is trained? Here is one head of a Transformer that "
    "reads dates, trained before this page was built. It is one of the four with which the "
    "answer looks at the text. Press the letters of the answer.",
)

# %% [markdown]
# ## A published trap: reshape without transpose
#
# The picture's right side is the classic mistake: `reshape(batch, heads, length, depth)` in one go. The shape is right, so
# nothing complains. But the rows of a "head" are now halves of tokens: its first row is channels 0 to 3 of token 0, its
# second row channels 4 to 7 of the *same* token. What stands at a position no longer belongs to the token of that
# position, and every mask blocks the wrong thing.
#
# The package's own source takes two steps, a reshape and a swap of axes:

# %% tags=["source"]
import inspect
import re

docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)  # left out here
print(docstring.sub("", inspect.getsource(split_heads)))

# %% [markdown]
# One test tells the two ways apart: change the last token, and see at which positions the heads change.

# %%
changed = numbered.copy()
changed[0, 2] += 100  # the last token only


def touched(before, after):
    """Positions, over all heads, at which anything changed."""
    return sorted(
        {int(position) for position in np.argwhere(before != after)[:, 2]}
    )


right = touched(split, split_heads(changed, 2).numpy())
broken = touched(wrong, changed.reshape(1, 2, 3, 4))
print("split_heads: changed positions", right, "  plain reshape:", broken)
assert right == [2]
assert broken != [2]

# %% [markdown]
# ## What heads cost
#
# More heads are narrower. Counted for a width of 512 and a sentence of 64 tokens, parameters and multiplications are
# the same for 1, 2, 4 and 8 heads. The catch is elsewhere: there are as many weights matrices as heads.
#
# In Keras's layer the depth is called `key_dim`, and it is meant **per head**. Giving it the whole width is a popular and
# silent mistake: with 8 heads it makes nearly eight times as many parameters, as the last two
# lines show.

# %%
d_model, n = 512, 64
print("heads  d_k  parameters  multiplications  weights")
costs = set()
for heads in (1, 2, 4, 8):
    model = MultiHeadAttention(d_model, heads)
    model.build((None, n, d_model))
    d_k = model.d_k
    projections = 4 * n * d_model * d_model
    attention = heads * (n * n * d_k + n * n * d_k)  # scores, weighted sums
    costs.add((model.count_params(), projections + attention))
    print(
        f"{heads:5} {d_k:4}  {model.count_params():10,}  {projections + attention:15,}"
        f"  {heads * n * n:7,}"
    )
assert len(costs) == 1

print()
for key_dim in (128 // 8, 128):
    theirs = keras.layers.MultiHeadAttention(num_heads=8, key_dim=key_dim)
    theirs.build((None, None, 128), (None, None, 128))
    print(
        f"d_model 128, 8 heads, key_dim {key_dim:3}: {theirs.count_params():7,} parameters"
    )
assert theirs.count_params() == 527_488

# %% [markdown]
# ## A check: Keras's layer, with the same weights
#
# [`weights_from_keras`][clear_attention.weights_from_keras] copies the weights. Then both layers must give the same
# numbers. Mind the mask: Keras wants `True` where a query *may* look.

# %%
from clear_attention import convert_mask, create_look_ahead_mask, weights_from_keras

tokens = np.random.default_rng(2).normal(size=(4, 6, 128)).astype("float32")
mask = create_look_ahead_mask(6)
theirs = keras.layers.MultiHeadAttention(num_heads=8, key_dim=16)
keras_mask = convert_mask(mask, source="blocked", target="keras")
expected = theirs(tokens, tokens, attention_mask=keras_mask)
ours = weights_from_keras(MultiHeadAttention(d_model=128, num_heads=8), theirs)
difference = np.max(np.abs(ours(tokens, mask=mask) - expected))
assert difference < 1e-6
print("largest difference: below 1e-6")

# %% [markdown]
# ## Exercises
#
# ### Exercise 1
#
# With which number of heads does `MultiHeadAttention` equal a single attention between two projections? Check it.

# %% tags=["answer"]
single = MultiHeadAttention(d_model=8, num_heads=1)
single(x)
by_parts = scaled_dot_product_attention(
    single.project_queries(x), single.project_keys(x), single.project_values(x)
)
np.testing.assert_allclose(
    single(x), single.project_output(by_parts.output), atol=1e-6
)
print("one head: the same")  # splitting into one head moves nothing

# %% [markdown]
# ### Exercise 2
#
# The width is 12. Which numbers of heads are allowed, and what does the layer say about 5?

# %% tags=["answer", "wrap"]
try:
    MultiHeadAttention(d_model=12, num_heads=5)
except ValueError as error:
    print(error)
assert (
    MultiHeadAttention(d_model=12, num_heads=5, d_k=7).d_k == 7
)  # free, if you say d_k

# %% [markdown]
# ## Check yourself
#
# ```self-check
# ? `numbered.reshape(1, 2, 3, 4)` without a transpose, as above. What stands in head 1, row 0?
# - channels 4 to 7 of token 0 | So it would be after `split_heads`. The plain reshape has put them into head 0, row 1.
# + channels 4 to 7 of token 1 | Numbers 12 to 15: the numbers are only read on, and 0 to 11 went into head 0.
# - channels 0 to 3 of token 1 | Numbers 8 to 11. They are the last row of head 0.
# ? `d_model` is 512, and there are 8 heads. Which `key_dim` makes Keras's layer as large as ours?
# - 512 | It is meant per head: this makes eight heads of full width, and about eight times the parameters.
# - 8 | That is the number of heads. Each would get 8 channels instead of 64.
# + 64 | 512 channels, shared by 8 heads.
# ? 2 sentences, 4 heads, 6 tokens. Each sentence has a mask of its own. In which shape does the layer take them?
# + `(2, 1, 6, 6)` | Batch, heads, queries, keys: the 1 stands for all heads.
# - `(2, 6, 6)` | It is refused: three axes could mean sentences or heads.
# - `(1, 2, 6, 6)` | The second axis is that of the heads, and there are 4 of them.
# - `(8, 6, 6)` | A mask for each head of each sentence, as torch's layer wants it. Here heads have an axis.
# ```
#
# ## Where to go next
#
# * [Carry weights over](../guides/carry_weights.py): from Keras and torch to here, and back.
# * [Masks](masks.py): the same masks work for every head.
# * [Reference: heads](../reference/heads.md): every argument and error of the layer.

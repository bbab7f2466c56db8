# ---
# title: Causal attention
# description: What attention gives when no token may look ahead, an example small enough to work out by hand to e^-52, what the early tokens lose, and the prefix mask.
# ---

# %% [markdown]
# # What does a token know if it may not look ahead?
#
# **In one sentence:** under a look-ahead mask each output is made of its own token and the ones before it, so the
# first token knows only itself and no output changes when the future does.
#
# A model that writes text one word after another is trained on whole sentences at once. The mask is what keeps it from
# copying the answer. This lesson looks at the numbers that come out.
#
# ## The formula
#
# $$
# \text{mask}_{ij} = \begin{cases} 1 & j > i \\ 0 & j \le i \end{cases}
# \qquad
# \text{output}_i = \sum_{j \le i} w_{ij}\, v_j
# $$
#
# | symbol | what it is | shape |
# | --- | --- | --- |
# | $i$ | the token that looks: a row | `query_length` of them |
# | $j$ | the token that is looked at: a column | `key_length` of them |
# | $w_{ij}$ | how much of token $j$ is in output $i$ | `(query_length, key_length)` |
#
# The mask is one comparison of positions. This is the package's own source:

# %% tags=["source"]
import inspect
import re

from clear_attention import create_look_ahead_mask
from clear_attention.masks import create

docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)  # left out here
print(docstring.sub("", inspect.getsource(create_look_ahead_mask)))
print(inspect.getsource(create._positions))

# %% [markdown]
# ## Tiny numbers, by hand
#
# Three tokens of depth 4, used as queries, keys and values alike. The root of 4 is 2, so every score is an integer. Row
# 1 is the second token: its score with the first is $(5\cdot 1 + 6\cdot 2 + 7\cdot 3 + 8\cdot 4)/2 = 35$, with itself
# $(25 + 36 + 49 + 64)/2 = 87$.

# %%
import numpy as np

tokens = np.array(
    [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [2.0, 3.0, 4.0, 5.0]]
)
scores = tokens @ tokens.T / 2
print(scores)
np.testing.assert_array_equal(scores, [[15, 35, 20], [35, 87, 48], [20, 48, 27]])

# %% [markdown]
# The mask removes what is right of the diagonal. What is left can be worked out with a pencil, because a softmax only
# depends on differences:
#
# * row 0 has one key left, so its weight is 1;
# * row 1 has 35 and 87 left: the first weight is $e^{35-87} = e^{-52}$ beside 1;
# * row 2 has 20, 48 and 27 left: $e^{-28}$, 1 and $e^{-21}$.

# %%
import math

from clear_attention import scaled_dot_product_attention

mask = create_look_ahead_mask(3)
x = tokens.astype("float32")
output, weights = scaled_dot_product_attention(x, x, x, mask)
print("weights\n", weights.numpy())
print("output\n", output.numpy())
np.testing.assert_allclose(weights[1, 0], math.exp(-52), rtol=1e-5)
np.testing.assert_allclose(weights[2], [math.exp(-28), 1, math.exp(-21)], rtol=1e-5)
np.testing.assert_allclose(
    output, [[1, 2, 3, 4], [5, 6, 7, 8], [5, 6, 7, 8]], rtol=1e-6
)

# %% [markdown]
# These are the numbers of the published tutorial: $e^{-52} \approx 2.61 \cdot 10^{-23}$, $e^{-28} \approx 6.91 \cdot
# 10^{-13}$, $e^{-21} \approx 7.58 \cdot 10^{-10}$.
#
# ## A check: the output is weights times values
#
# And the definition in plain Python gives the same.

# %%
from clear_attention import attention_by_hand

np.testing.assert_allclose(weights.numpy() @ tokens, output, rtol=1e-6)
rows = tokens.tolist()
by_hand, _ = attention_by_hand(rows, rows, rows, mask.numpy().tolist())
np.testing.assert_allclose(output, by_hand, rtol=1e-6)
print(np.round(by_hand, 6))

# %% [markdown]
# ## A published trap: the mask is not why rows 1 and 2 are equal
#
# Both come out as the second token. It is tempting to explain this by the mask. It is not so: the scores are large, so
# the softmax is *saturated* and takes nearly all from the key with the largest score. Divide the tokens by 10, and the
# same mask gives three different rows.

# %%
small = tokens / 10
gentle = scaled_dot_product_attention(small, small, small, mask)
with np.printoptions(precision=3, suppress=True):
    print("weights\n", gentle.weights.numpy())
    print("output\n", gentle.output.numpy())
assert np.any(abs(gentle.output[1] - gentle.output[2]) > 0.02)

# %% alt="Two heat maps of causal weights, hatched above the diagonal. With the tokens as they are, rows 1 and 2 put all their weight on token 1. With the tokens divided by 10 the weights are spread evenly over the visible keys."
import matplotlib.pyplot as plt
from clear_attention import plot_weights

figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
plot_weights(weights, mask=mask, ax=axes[0], colour_bar=False).set_title(
    "saturated"
)
plot_weights(gentle.weights, mask=mask, ax=axes[1]).set_title("divided by 10")
plt.show()

# %% [markdown]
# The tutorial also prints masked scores of -9.9999994e+08 beside -1e9. Near $10^9$ neighbouring float32 numbers are 64
# apart, so adding -1e9 rounds the score away. Selection never meets this.

# %%
print("next float32 number after 1e9 is away by", np.spacing(np.float32(1e9)))
print("15, 35, 87 after adding -1e9:", np.float32([15, 35, 87]) + np.float32(-1e9))
assert np.spacing(np.float32(1e9)) == 64

# %% [markdown]
# ## What the early tokens lose
#
# Change a token and nothing before it moves, not by a single bit. For training this is what we want. But if the
# whole text is *given*, for example a question to be answered, the first tokens of the question still do not know how
# it ends. A **prefix mask** mends that: the tokens of the given part see each other in both directions, and what is
# written after them stays causal. Prefix language models such as UniLM use it.

# %%
from clear_attention import create_prefix_mask

prefix = create_prefix_mask(3, prefix_length=2)
print(prefix.numpy())
changed = small.copy()
changed[1] = [0.9, -0.4, 0.3, 0.1]  # the second token says something else
for name, m in {"causal": mask, "prefix": prefix}.items():
    before = scaled_dot_product_attention(small, small, small, m).output[0]
    after = scaled_dot_product_attention(changed, changed, changed, m).output[0]
    print(
        f"{name}: the first token's output changes by at most {np.max(abs(after - before)):.4f}"
    )
    assert np.array_equal(before, after) == (name == "causal")

# %% [markdown]
# ## Exercises
#
# ### Exercise 1
#
# While generating, a model keeps old keys and values and asks with *one* new query. Which mask does this query need?

# %% tags=["answer"]
last = create_look_ahead_mask(1, key_length=3)
print(
    last.numpy()
)  # none: the newest token may see all that came before; it lines up with the last key
np.testing.assert_array_equal(last, mask[-1:])
cached = scaled_dot_product_attention(small[-1:], small, small, last).output
np.testing.assert_allclose(cached, gentle.output[-1:], rtol=1e-12)

# %% [markdown]
# ### Exercise 2
#
# "An encoder needs no mask", says the tutorial. Put a padded sentence through attention without one. What changes in
# the outputs of the real tokens when only the padding's content changes?

# %% tags=["answer"]
padded = np.vstack([small, np.zeros((1, 4))])
filled = np.vstack([small, np.full((1, 4), 3.0)])
block = np.array([0, 0, 0, 1])
for name, m in {"no mask": None, "padding mask": block}.items():
    outputs = [
        scaled_dot_product_attention(x, x, x, m).output[:3]
        for x in (padded, filled)
    ]
    print(
        f"{name}: real tokens change by at most {np.max(abs(outputs[0] - outputs[1])):.3f}"
    )
assert np.array_equal(*outputs)  # with the mask: not by a bit

# %% [markdown]
# ## Check yourself
#
# ```self-check
# ? Five tokens go through one self-attention with a look-ahead mask. Token 2 is changed. Which outputs can change?
# - output 2 only | Later queries look at token 2, too.
# - outputs 3 and 4 | Token 2 sees itself: no key on the diagonal is blocked.
# - outputs 0, 1 and 2 | That is the wrong way round, as with an inverted mask: it is later tokens that look back.
# + outputs 2, 3 and 4 | Its own, and those of all that come after it.
# ? Three keys are kept, two more tokens come. What is row 0 of `create_look_ahead_mask(2, key_length=5)`?
# - `[0, 1, 1, 1, 1]` | This puts the first query on the first key, and hides what was kept. Some libraries do so.
# + `[0, 0, 0, 0, 1]` | The last query stands on the last key, so query 0 stands on key 3. Only key 4 is later.
# - `[0, 0, 0, 0, 0]` | That is row 1. Query 0 has one key after it.
# - `[1, 1, 1, 1, 0]` | 1 is a key that is blocked. This query would see nothing but the future.
# ? A query has the scores 3 and 5, and 90 with a key that is hidden. What is the weight of the first key?
# + about 0.12 | The softmax of 3 and 5 alone. The hidden key is out before the softmax.
# - about 0 | So it would be if the mask came after the softmax: the 90 would have taken all.
# - 0.375 | That is 3 / (3 + 5). Weights are shares of the exponentials, not of the scores.
# ```
#
# ## Where to go next
#
# * [Multi-head attention](multi_head.py): several attentions side by side, each with its own view of the tokens.
# * [Masks](masks.py): padding and look-ahead combined, and queries with no key left.
# * [Reference: masks](../reference/masks.md): `create_prefix_mask` and `create_window_mask`.
# * [Notation](../notation.md): rows, columns and the names of the axes.

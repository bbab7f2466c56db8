# ---
# title: Attention
# description: What scaled dot-product attention computes, by hand with small integers, then as a function and as a Keras layer, and why it divides by the root of d_k.
# ---

# %% [markdown]
# # How does attention decide what to look at?
#
# **In one sentence:** each query is compared with every key by a dot product, the scores become weights that
# sum to one, and the output is the average of the values under these weights.
#
# A *query* says what a token is looking for, a *key* what a token offers, a *value* what it hands over when it is
# chosen. It works like a search in a library: your question (query) is held against the label of every book (key),
# and you take home a mixture of what the books say (values), most of it from the books whose labels fit best.

# %% [markdown]
# ## The formula
#
# $$
# \operatorname{Attention}(Q, K, V) = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V
# $$
#
# | symbol | what it is | shape |
# | --- | --- | --- |
# | $Q$ | the queries | `(query_length, d_k)` |
# | $K$ | the keys | `(key_length, d_k)` |
# | $V$ | the values, one for each key | `(key_length, d_v)` |
# | $Q K^\top / \sqrt{d_k}$ | the scores: how well each key fits each query | `(query_length, key_length)` |
# | $\operatorname{softmax}(\dots)$ | the weights: each row sums to one | `(query_length, key_length)` |
#
# The softmax turns each row of scores into weights. A weight is $e$ to the power of its score, divided by the sum of
# these powers over the row. So all weights are positive, and they sum to one:
#
# $$
# \operatorname{softmax}(s)_j = \frac{e^{s_j}}{\sum_i e^{s_i}}
# $$
#
# $d_k$ is how many numbers a query and a key have, $d_v$ how many a value has. Any axes in front, such as `batch` and `heads`, are
# carried along. A mask, which is optional, acts on the scores *before* the softmax: the lesson on [masks](masks.py) is
# about that.

# %% [markdown]
# ## Tiny numbers, by hand
#
# The token "it", whose query is $(2, 0, 1, 0)$, looks at three tokens:
#
# | token | key | value |
# | --- | --- | --- |
# | "cat" | $(2, 0, 2, 0)$ | $(10, 0)$ |
# | "sat" | $(0, 1, 2, 3)$ | $(0, 10)$ |
# | "mat" | $(1, 5, 0, 0)$ | $(0, 20)$ |
#
# With $d_k = 4$ the root is 2, so every score is easy:
#
# * "cat": $(2\cdot 2 + 0\cdot 0 + 1\cdot 2 + 0\cdot 0)/2 = 3$
# * "sat": $(2\cdot 0 + 0\cdot 1 + 1\cdot 2 + 0\cdot 3)/2 = 1$
# * "mat": $(2\cdot 1 + 0\cdot 5 + 1\cdot 0 + 0\cdot 0)/2 = 1$
#
# The weights are $e^3 : e^1 : e^1$, which is $e^2 : 1 : 1$. So "cat" gets $e^2/(e^2+2) \approx 0.787$, and "sat" and
# "mat" get $1/(e^2+2) \approx 0.1065$ each. The output is the average of the values under these weights:
#
# $$
# 0.787 \cdot (10, 0) + 0.1065 \cdot (0, 10) + 0.1065 \cdot (0, 20) \approx (7.87, 3.20)
# $$

# %%
import math

from clear_attention import attention_by_hand

q = [[2.0, 0.0, 1.0, 0.0]]  # it
k = [
    [2.0, 0.0, 2.0, 0.0],
    [0.0, 1.0, 2.0, 3.0],
    [1.0, 5.0, 0.0, 0.0],
]  # cat, sat, mat
v = [[10.0, 0.0], [0.0, 10.0], [0.0, 20.0]]
output, weights = attention_by_hand(q, k, v)
print("weights", [round(w, 4) for w in weights[0]])
print("output ", [round(x, 4) for x in output[0]])
assert math.isclose(weights[0][0], math.exp(2) / (math.exp(2) + 2))
assert [round(x, 2) for x in output[0]] == [7.87, 3.2]

# %% [markdown]
# ## The function, read
#
# [`scaled_dot_product_attention`][clear_attention.scaled_dot_product_attention] is the same in TensorFlow. This is
# the whole function, printed from the package without its docstring. The comments at the ends of the lines give the
# shape after each step.

# %% tags=["source"]
import inspect
import re

from clear_attention import scaled_dot_product_attention

docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)
print(docstring.sub("", inspect.getsource(scaled_dot_product_attention)))

# %% [markdown]
# The formula stands in the middle: the lines that make scores, weights and the output. Line by line:
#
# * `attention_inputs` makes tensors of the inputs and refuses bad ones, with a sentence that says why.
#   `function_of_weights` refuses a `dropout` that is not a function, and `flag` a `check_finite` that is not `True` or
#   `False`. `blocked` is the mask as `True` and `False`, or `None`.
# * `widened` turns 16-bit tensors into float32, in which a sum loses fewer digits. Tensors of 32 and 64 bits stay as
#   they are.
# * `without_nonfinite` has nothing to do while all numbers are finite. If one is NaN or infinity, it puts 0 in its place,
#   because a weight of 0 times NaN would be NaN. With `check_finite=False` nobody looks, which saves time where all
#   numbers are known to be finite.
# * **The scores.** `depth(q)` is $d_k$. The queries are divided by its root *before* the product. That is the same in
#   exact arithmetic, and it keeps the scores small: an overflow in the product can't be mended by dividing afterwards.
# * **The weights** are the softmax of the scores that the mask leaves. `kept` are the weights after dropout, if there is
#   any; those that are returned are the weights before it.
# * **The output** is the weighted sum of the values.
# * `Visible` finds the results that *see* a NaN or an infinity, and `marked` writes NaN there. If a query holds such a
#   number and sees any key, or if it sees a key that holds one, the query's whole output and all its visible weights
#   become NaN. If a query sees a value that holds one, the same channel of the query's output becomes NaN. Behind a mask
#   such a number leaves no trace.
# * `narrowed` turns the results back into the dtype that came in.
# * **`Attention`** is the pair that is returned: `result.output` and `result.weights`, or `output, weights = ...`.

# %% alt="Heat map of the weights of the query it: cat 0.79, sat 0.11, mat 0.11"
import matplotlib.pyplot as plt
import numpy as np
from clear_attention import plot_weights

result = scaled_dot_product_attention(q, k, v)
np.testing.assert_allclose(
    result.weights, weights, atol=1e-6
)  # the same as by hand
np.testing.assert_allclose(result.output, output, atol=1e-5)
plot_weights(result.weights, tokens=["it"], key_tokens=["cat", "sat", "mat"])
plt.show()

# %% [markdown]
# ## At the paper's sizes, with numbers you can reproduce
#
# $d_k = d_v = 64$ are the sizes of the paper, *Attention Is All You Need* (Vaswani et al., 2017). The tutorial *How to
# Implement Scaled Dot-Product Attention from Scratch in TensorFlow and Keras* (Machine Learning Mastery) gives its
# layer a batch of 64 sentences of 5 tokens, made of random numbers without a seed. So nobody can repeat the output that
# it shows, and a reader asked for numbers to compare with. With seed 42 and NumPy's legacy generator they are these, in
# columns 0, 1, 2 and the last three of the first two sentences:

# %%
from clear_attention import DotProductAttention

rng = np.random.RandomState(42)
queries = rng.random_sample((64, 5, 64)).astype("float32")
keys = rng.random_sample((64, 5, 64)).astype("float32")
values = rng.random_sample((64, 5, 64)).astype("float32")
attention = DotProductAttention()
output = attention(queries, keys, values, 64)

columns = np.take(output, [0, 1, 2, 61, 62, 63], axis=-1)
with np.printoptions(precision=6, floatmode="fixed"):
    print(columns[0])
    print(columns[1])
np.testing.assert_allclose(
    columns[0, 0, :3], [0.42829984, 0.5291363, 0.48467717], 2e-6
)
np.testing.assert_allclose(
    columns[1, 4, 3:], [0.70503277, 0.35547623, 0.56170976], 2e-6
)

# %% [markdown]
# [`DotProductAttention`][clear_attention.DotProductAttention] is the function as a Keras layer. Its fourth argument is
# the depth, as in the tutorial, and not the mask, which you give by name: `mask=...`. The depth may be left out, because
# it is read from the keys. `return_weights=True` returns the weights too, and never changes the output.
#
# ## Why divide by the root of d_k?
#
# A dot product is a sum of $d_k$ terms. If the terms are independent, of mean 0 and variance 1, the sum has variance
# $d_k$: the larger the depth, the larger the scores. Large scores push the softmax into a corner where one weight is
# nearly 1, and there the gradient vanishes. Dividing by $\sqrt{d_k}$ brings the variance back to 1 at every depth.
# Below it is measured: 500 queries meet 16 keys each, all of random numbers.
#
# * *variance* is the variance of the scores.
# * *largest weight* is the largest of a query's 16 weights: the mean over all queries.
# * *its gradient* is the derivative of this largest weight by the scores. It has an entry for each of the 16 scores;
#   the table has the size of the largest entry, as a mean over all queries. For the largest weight $w$ that entry is
#   $w(1 - w)$, which is small where $w$ is near 0 or 1, and largest where $w$ is one half.

# %%
import tensorflow as tf

depths = [1, 4, 16, 64, 256, 1024]


def measure(d_k, scale):
    """Variance of the scores, mean largest weight, mean size of its gradient."""
    rng = np.random.default_rng(d_k)  # the same numbers, divided or not
    q = tf.constant(rng.normal(size=(500, 1, d_k)), tf.float32)
    k = tf.constant(rng.normal(size=(500, 16, d_k)), tf.float32)
    scores = tf.matmul(q, k, transpose_b=True) * scale
    with tf.GradientTape() as tape:
        tape.watch(scores)
        largest = tf.reduce_max(tf.nn.softmax(scores), axis=-1)
    gradient = tf.reduce_max(abs(tape.gradient(largest, scores)), axis=-1)
    np.testing.assert_allclose(gradient, largest * (1 - largest), atol=1e-6)
    return np.var(scores), np.mean(largest), np.mean(gradient)


plain = np.array([measure(d, 1.0) for d in depths])
scaled = np.array([measure(d, d**-0.5) for d in depths])
print("        variance        largest weight  its gradient")
print(" d_k   plain  scaled    plain  scaled    plain  scaled")
for d, (a, b, c), (x, y, z) in zip(depths, plain, scaled, strict=True):
    print(f"{d:4}  {a:6.1f}  {x:6.2f}   {b:6.3f}  {y:6.3f}   {c:6.3f}  {z:6.3f}")
assert np.all(abs(scaled[:, 0] - 1) < 0.2)  # variance 1 at every depth
assert plain[-1, 1] > 0.9 > 0.5 > scaled[-1, 1]  # saturated, against not
assert plain[-1, 2] < scaled[-1, 2] / 3  # the gradient has all but gone
peak = np.argmax(plain[:, 2])
print(
    f"not divided, the gradient grows up to d_k = {depths[peak]}, then it shrinks"
)
assert np.all(np.diff(plain[: peak + 1, 2]) > 0)
assert np.all(np.diff(plain[peak:, 2]) < 0)

# %% tags=["hide-input"] alt="Three line charts against d_k from 1 to 1024. Without scaling the variance of the scores grows from 1 to about 1000, the largest weight climbs towards 1 and its gradient rises a little, then falls. With scaling all three stay level."
figure, axes = plt.subplots(1, 3, figsize=(9.5, 2.8), layout="constrained")
for column, (ax, title) in enumerate(
    zip(
        axes,
        ["variance of the scores", "largest weight", "its gradient"],
        strict=True,
    )
):
    ax.plot(depths, plain[:, column], "o--", color="#d55e00", label="as they are")
    ax.plot(
        depths,
        scaled[:, column],
        "s-",
        color="#0072b2",
        label="divided by the root of d_k",
    )
    ax.set(
        xscale="log", xticks=depths, xticklabels=depths, xlabel="d_k", title=title
    )
    ax.minorticks_off()
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_yscale("log")
axes[0].legend(frameon=False, fontsize=8)
plt.show()

# %% tags=["live", "hide-input"]
import sys

# The lab is in the repository and not in the package, so this cell needs a clone.
sys.path.append("../_site")
from live import grid, lab, numbers


def try_divisors():
    words = ["the", "cat", "sat", "down"]
    query, *keys = np.random.default_rng(0).normal(size=(5, 64))
    scores = numbers(keys @ query)
    weights = np.exp(np.divide(scores, 8))
    return lab(
        [{"state": {"tokens": words, "scores": scores, "depth": 64, "divisor": 1}}],
        grid(
            "Weights, the scores divided by 8",
            [weights / weights.sum()],
            ["query"],
            words,
        ),
        piece="scale",
        title="Try it: one query and four keys, random, of 64 numbers each. Which divisor keeps all keys in play?",
    )


try_divisors()

# %% [markdown]
# ## A published trap: built with data
#
# A reader of the tutorial that is named above wrote `DotProductAttention(q, k, v, d_k)` and got `__init__() takes 1
# positional argument but 5 were given`. The comments below the tutorial leave this unexplained. A Keras
# layer is *built* first and *called* afterwards: two pairs of parentheses. Our layer says so:

# %% tags=["wrap"]
try:
    DotProductAttention(queries, keys, values, 64)
except TypeError as error:
    print(error)

mended = DotProductAttention()(queries, keys, values, 64)
np.testing.assert_array_equal(mended, output)

# %% [markdown]
# ## Exercises
#
# ### Exercise 1
#
# What are the weights when all keys are equal? What is then the output? Predict it, then run it.

# %% tags=["answer"]
equal_keys = [[1.0, 2.0]] * 4
result = scaled_dot_product_attention(
    [[5.0, -3.0]], equal_keys, [[0.0], [4.0], [8.0], [12.0]]
)
print(
    result.weights.numpy(), result.output.numpy()
)  # equal weights, so the mean of the values
np.testing.assert_allclose(result.output, [[6.0]])

# %% [markdown]
# ### Exercise 2
#
# Shuffle the keys, and the values in the same order. Does the output change? What does this say about word order?

# %% tags=["answer"]
order = [2, 0, 1]
shuffled = scaled_dot_product_attention(
    q, [k[i] for i in order], [v[i] for i in order]
)
print(
    shuffled.output.numpy()
)  # the same: attention sees a set of tokens, not a sequence, unless positions are added
np.testing.assert_allclose(
    shuffled.output, scaled_dot_product_attention(q, k, v).output, rtol=1e-6
)

# %% [markdown]
# ## Check yourself
#
# ```self-check
# ? A query has the scores 0 and 1.1 with two keys, whose values are 0 and 8. `exp(1.1)` is about 3. What is the output?
# - about 8.8 | That is 1.1 times 8. Scores become weights first: the softmax comes before the values.
# - 8 | A score of 0 is not a weight of 0: `exp(0)` is 1, and a quarter of the weight stays with the first key.
# - 4 | The plain mean would need equal weights, and so equal scores.
# + about 6 | The weights are 1 : 3, so it is `(1 * 0 + 3 * 8) / 4`.
# ? `queries` `(2, 3, 64)`, `keys` `(2, 5, 64)`, `values` `(2, 5, 32)`: what is the shape of the output?
# - `(2, 3, 64)` | The output is a mixture of values, so its depth is theirs.
# + `(2, 3, 32)` | A row for each query, of the values' depth.
# - `(2, 5, 32)` | That is a row for each key. The keys are summed over.
# - none: the depths of keys and values differ | They may. Queries and keys share a depth, keys and values a length.
# ? `d_k` grows from 64 to 256; all numbers are independent, of mean 0 and variance 1. How do unscaled scores change?
# + They get about 2 times as large. | The variance is 4 times as large, the size is its root. Hence the root of `d_k`.
# - They get about 4 times as large. | That is the variance. Terms of either sign cancel in part.
# - They stay as large, since each term does. | But four times as many terms are summed.
# ```
#
# ## Where to go next
#
# * [Masks](masks.py): which keys a query may not look at, and what goes wrong when that is said badly.
# * [Causal attention](causal.py): what a model sees if it may not look ahead.
# * [Reference](../reference/attention.md): every argument, error and promise of the function and the layer.

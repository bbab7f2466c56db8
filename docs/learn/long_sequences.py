# ---
# title: Long sequences
# description: Why the matrix of weights is what limits the length, a softmax over pieces by hand, attention a block of queries at a time read from its source, the blocks a causal mask skips, the backward pass that computes again, and what it all costs.
# ---

# %% [markdown]
# # Does attention need the whole matrix of weights?
#
# **In one sentence:** no: each query needs only its own row of weights, so a block of queries can make its rows, use
# them and throw them away, and the backward pass makes them again.
#
# ## What n times n costs
#
# Every query has a weight for every key. For $n$ tokens and 8 heads in float32 that is $8 \cdot n \cdot n \cdot 4$
# bytes, in every layer, for one text. Training keeps the weights for the backward pass. There the gradients of the
# weights and of the scores are two more matrices of this size.
#
# | symbol | what it is | shape |
# | --- | --- | --- |
# | $n$ | the length: as many queries as keys | a number |
# | $w$ | the weights: the softmax of the scores $s$, row by row | `(n, n)` in each head |
# | $o$ | the output: weights times values | `(n, d_v)` in each head |

# %%
HEADS, DEPTH, BYTES = 8, 64, 4

print("length   queries, keys, values   weights")
for n in (512, 2048, 8192, 32768):
    inputs, weights = 3 * HEADS * n * DEPTH * BYTES, HEADS * n * n * BYTES
    print(f"{n:6}{inputs / 1e6:19,.0f} MB{weights / 1e6:10,.0f} MB")
assert weights > 34e9

# %% [markdown]
# Four times the tokens are four times the inputs, and sixteen times the weights. The output is as small as the inputs.
# Only what lies between is large, so we look for a way not to hold it.
#
# ## A softmax over pieces, by hand
#
# The matrix can be cut in two ways: into pieces of keys, or into blocks of queries. FlashAttention cuts the keys, and
# the queries too; this package cuts only the queries. Pieces of keys come first here because they need a new idea: the
# softmax of a row that never lies in memory as a whole. The section after this one measures which way suits TensorFlow.
#
# A softmax needs the sum over the whole row. It also subtracts the row's largest score $m$ before it exponentiates,
# because the exponential of a large score would overflow. The weights stay the same: $e^{-m}$ stands above and below
# the fraction line. Now let the row come in pieces. Keep the largest score so far, $m$, and
# the sum so far, $\sigma$ (`total` in the code), of $e^{s - m}$. When a larger score comes, the old sum is too large by
# a factor that we know. So multiply it by $e^{m_{\text{old}} - m_{\text{new}}}$, which is `mend` in the code. The
# weighted sum of the values is multiplied by the same factor. Four scores in two pieces:

# %%
import math

scores, values = [1.0, 3.0, 2.0, 5.0], [10.0, 20.0, 30.0, 40.0]

m, total, output = -math.inf, 0.0, 0.0
for piece in (slice(0, 2), slice(2, 4)):
    new = max(m, *scores[piece])
    mend = math.exp(m - new)  # 0 for the first piece
    weights = [math.exp(s - new) for s in scores[piece]]  # not yet divided
    total = total * mend + sum(weights)
    pairs = zip(weights, values[piece], strict=True)
    output = output * mend + sum(w * v for w, v in pairs)
    m = new
    print(
        f"largest {m}, mended by {mend:.4f}, sum {total:.4f}, output {output:.4f}"
    )

whole = sum(math.exp(s) for s in scores)
expected = sum(math.exp(s) / whole * v for s, v in zip(scores, values, strict=True))
print(f"output / sum = {output / total:.6f}, ordinary softmax {expected:.6f}")
assert math.isclose(total * math.exp(m), whole, rel_tol=1e-12)
assert math.isclose(output / total, expected, rel_tol=1e-12)

# %% [markdown]
# This is the *online softmax* of Milakov and Gimelshein (2018). FlashAttention (Dao et al., 2022) does it inside one
# *kernel*, which is a compiled routine that reads its inputs from memory and writes its result back. There a piece of
# scores is made, used and forgotten without leaving the chip's fast memory.
#
# ## Measured: pieces of keys, or whole rows?
#
# In plain TensorFlow each step is a kernel of its own. For every piece there are five passes over memory: find the
# largest score, subtract it, exponentiate, sum, and mend what was there. TensorFlow's usual kernels on x86 processors,
# oneDNN, have a softmax that does the first four and the division in one. Rabe and Staats (2021)
# cut queries and keys. We cut only the *queries* and leave the rows of keys whole: then the ordinary softmax will do.
#
# Below are both ways, and an ordinary softmax in separate steps. First they must give the same numbers. Then comes how long
# each takes where one block of 256 queries meets 1,024 keys, with oneDNN and without. That was measured beforehand, with
# `make bench-softmax`, because times change from run to run and from machine to machine.

# %% tags=["source"]
import inspect
import json
import sys
from pathlib import Path

import clear_attention
import numpy as np
import tensorflow as tf

# This cell needs a clone of the repository: measurements are not in the package.
root = Path(clear_attention.__file__).parents[2]
sys.path.insert(0, str(root))
from benchmarks.softmax import RESULTS, in_pieces, separate_steps, whole_rows

for way in (whole_rows, in_pieces, separate_steps):
    print(inspect.getsource(way))

# %%
q, k, v = np.random.default_rng(0).normal(size=(3, 1, 8, 1024, 64))
np.testing.assert_allclose(in_pieces(q, k, v), whole_rows(q, k, v), atol=1e-12)
np.testing.assert_allclose(separate_steps(q), tf.nn.softmax(q), atol=1e-12)

kept = json.loads(RESULTS.read_text("utf-8"))
machine = kept["machine"]
print(f"{machine['processor']}, {machine['cores']} cores, {kept['date']}")
for name in ("with oneDNN", "without"):
    ms = kept[name]
    pieces, steps = (
        ms["in_pieces"] / ms["whole_rows"],
        ms["separate_steps"] / ms["softmax"],
    )
    print(
        f"{name:11}  pieces take {pieces:.1f} times as long as whole rows,", end=" "
    )
    print(f"separate steps {steps:.1f} times as long as one softmax")

# %% [markdown]
# With oneDNN the softmax in one kernel takes about half the time of its five steps, and whole rows are quicker than
# pieces. Without oneDNN there is little between them. So whole rows suit the kernels that TensorFlow uses by itself on
# these processors.
#
# **Memory.** What is held at a time is 256 rows of weights in each head, one for each query of the block. A row has $n$ weights, so
# the memory grows with $n$ and not with $n^2$.
#
# **Time.** The time still grows with $n^2$ where each query meets each key. Keys that a whole block may not see are
# skipped. Under a causal mask these are nearly half of them, and the time still grows with $n^2$. Under a *window*, where
# a query sees only the keys near it, all but a strip is skipped, and the time grows with $n$.
#
# ## The source, line by line
#
# `QueryBlocks` says how the queries are cut into blocks. Its method `seen` says what block $i$ may see: from which key on,
# and up to which. Below is the package's own source of that, then of a block's weights, then of the whole computation.

# %% tags=["source"]
from clear_attention import blockwise

print(inspect.getsource(blockwise.QueryBlocks.seen))
print(inspect.getsource(blockwise.QueryBlocks.weights))
print(inspect.getsource(blockwise.attend_by_blocks))

# %% [markdown]
# The function that you call is `blockwise_attention(q, k, v, mask, causal=…, window=…, block_size=…)`. Two of its options
# hide keys. `causal=True` hides all keys after a query, and `window=w` hides the keys that are `w` or more
# places away from it.
#
# Read `seen` first. `place` is where the block's first query stands among the keys, because the last query stands on
# the last key. With `causal=True` no query of the block sees a key after the block's last query. A window also leaves
# out the keys too far before the block's first query and, without `causal`, the keys too far after its last query
# (`ahead`). So the block meets one slice of the keys. Without `causal` and without a window a block meets all keys.
# Under XLA, a compiler for TensorFlow's graphs, `skips` is False, and every block meets all keys too.
#
# Then `weights`: scores, hidden scores set to minus infinity, softmax. A query that sees no key at all gets finite scores
# here, and its output is set to 0 afterwards.
#
# The forward pass is a loop. A block of queries is cut out, meets its slice of keys, and only its output is kept. The
# queries are scaled before, once, so that no pass over the scores is needed for it.
#
# The small helpers do what their names say. `padded` adds rows of zeros until the blocks fit, and `joined` takes them
# off again; `cut` takes out the rows of block $i$; `repeat` runs the loop, and `results` is the list in which it leaves
# the blocks' outputs. `hidden` is the mask of a block, and `may_be_empty` says whether a query may see no key at all;
# `zero_where` sets the outputs of such queries to 0. `add_at` adds what a block says about its slice of the keys.
# `tf.custom_gradient` tells TensorFlow to use the function `backward` instead of a backward pass of its own; a later
# section explains it.
#
# ## Which blocks a causal mask skips
#
# Here are 32 queries in blocks of 4. Blue is computed and visible. Grey is computed and then hidden, as in the blocks
# on the diagonal. Hatched is never read.

# %% alt="A grid of 32 queries by 32 keys in eight by eight blocks. Below the diagonal all blocks are blue: computed and visible. The blocks on the diagonal are half blue, half grey: computed, partly hidden. Above the diagonal 28 of 64 blocks are hatched: skipped."
import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap

n, block = 32, 4
tokens = tf.zeros((n, 1))
cut = blockwise.QueryBlocks.of(tokens, tokens, None, True, None, block)
state = np.full((n, n), 2)  # 0 visible, 1 computed but hidden, 2 skipped
for i in range(n // block):
    first, last = (int(key) for key in cut.seen(i))
    state[i * block : (i + 1) * block, first:last] = cut.hidden(i, first, last)

np.testing.assert_array_equal(state == 0, np.tri(n, dtype=bool))  # nothing is lost
skipped = np.mean(state == 2)
blocks = n // block
assert skipped == (blocks - 1) / (2 * blocks)
print(f"{skipped:.1%} skipped with {blocks} blocks, nearly half with many")

figure, ax = plt.subplots(figsize=(4.2, 4.2), layout="constrained")
ax.pcolormesh(
    np.ma.masked_equal(state, 2), cmap=ListedColormap(["#56b4e9", "#808080"])
)
for edge in range(block, n, block):
    ax.axhline(edge, xmax=(edge + block) / n, color="white", linewidth=1)
    ax.axvline(edge, ymax=1 - (edge - block) / n, color="white", linewidth=1)
for top, left in np.argwhere(state[::block, ::block] == 2) * block:
    ax.add_patch(
        plt.Rectangle((left, top), block, block, color="#808080", fill=False)
    ).set(hatch="///", linewidth=0.5)
ax.set(
    xlabel="key",
    ylabel="query",
    xlim=(0, n),
    ylim=(n, 0),
    aspect="equal",
    xticks=range(0, n + 1, block),
    yticks=range(0, n + 1, block),
)
ax.xaxis.tick_top()
ax.xaxis.set_label_position("top")
ax.spines[:].set_visible(False)
plt.show()

# %% [markdown]
# ## The backward pass that computes again
#
# The backward pass needs the weights, and they are gone. So it loops over the blocks once more and makes them again
# from queries and keys. That is one product more than usual. Below, $dx$ stands for the gradient of the loss by $x$. What
# arrives from the layers behind is $do$, the gradient of the output. Then
#
# $$
# dw = do\, V^\top \qquad ds_{ij} = w_{ij} \Bigl(dw_{ij} - \sum_k w_{ik}\, dw_{ik}\Bigr)
# = w_{ij} \Bigl(dw_{ij} - \sum_c do_{ic}\, o_{ic}\Bigr)
# $$
#
# The first sum runs over all keys. The second, which is equal, runs over the depth and needs only the output, which was
# kept, and $do$. It is computed once, before the loop, and is called `delta` in the source. The rest is products: $dQ = ds\, K$ and $dK = ds^\top Q$, both scaled, and
# $dV = w^\top do$. What a block says about keys is added to what the others said.
#
# Checked in float64: first the formula against TensorFlow's own gradient, then the function's output and gradients,
# with padding, and blocks that don't divide the length. At the end two
# layers with the same weights are compared in float32: one attends by blocks, the other does not. The code counts how
# often each of them calls the function `blockwise_attention`.

# %%
from unittest import mock

from clear_attention import (
    MultiHeadAttention,
    blockwise_attention,
    create_look_ahead_mask,
    heads,
    scaled_dot_product_attention,
)

q, k, v, do = tf.constant(np.random.default_rng(1).normal(size=(4, 2, 3, 100, 8)))
scores = tf.matmul(q, k, transpose_b=True)
with tf.GradientTape() as tape:
    tape.watch(scores)
    weights = tf.nn.softmax(scores)
    output = tf.matmul(weights, v)
dw = tf.matmul(do, v, transpose_b=True)
ds = weights * (dw - tf.reduce_sum(do * output, axis=-1, keepdims=True))
np.testing.assert_allclose(tape.gradient(output, scores, do), ds, atol=1e-12)

padding = np.zeros((2, 1, 1, 100))
padding[1, ..., 60:] = 1  # the second text has 60 tokens


def plain(q, k, v):
    mask = np.maximum(padding, create_look_ahead_mask(100))
    return scaled_dot_product_attention(q, k, v, mask).output


def by_blocks(q, k, v):
    return blockwise_attention(q, k, v, padding, causal=True, block_size=48)


found = []
for attend in (plain, by_blocks):
    with tf.GradientTape() as tape:
        tape.watch([q, k, v])
        output = attend(q, k, v)
    found.append([output, *tape.gradient(output, [q, k, v], do)])
for name, one, other in zip(["output", "dQ", "dK", "dV"], *found, strict=True):
    np.testing.assert_allclose(one, other, atol=1e-12)
    print(f"{name:6} differs by less than 1e-12")

x = tf.random.stateless_normal((2, 300, 48), seed=(0, 0))
layers = [MultiHeadAttention(48, 4, blockwise=choice) for choice in (True, False)]
for layer in layers:
    layer.build(x.shape)
layers[1].set_weights(layers[0].get_weights())
outputs = []
for layer, calls in zip(layers, (1, 0), strict=True):
    with mock.patch.object(
        heads, "blockwise_attention", wraps=blockwise_attention
    ) as spy:
        outputs.append(layer(x, causal=True))
    assert spy.call_count == calls
np.testing.assert_allclose(*outputs, atol=1e-6)
print("layer  differs by less than 1e-6")

# %% [markdown]
# ## Memory and time against length
#
# Drawn from the benchmark that is committed with the package: 8 heads of depth 64, one text, causal, forward and
# backward, in float32 on a CPU. "Plain" is `scaled_dot_product_attention`; "torch" is its fused attention, in the
# manner of FlashAttention. A line ends where its memory would not have been enough, or where nobody measured. The
# dashed line, named "limit", is the time of the arithmetic alone. Times hold for the machine that is named; what
# carries over is how the lines rise.

# %% tags=["hide-input"] alt="Two charts against the length, both axes logarithmic. Left, time: one rising line for each contender, all about equally steep, above a dashed line, the limit of the arithmetic. Right, memory above inputs and results: the lines of plain attention and keras.ops rise twice as steeply as that of blockwise. The numbers are printed below."
from benchmarks import pictures

results = json.loads((root / "benchmarks/results.json").read_text("utf-8"))

time_of, memory_of = pictures.against_length(results)

machine = results["machine"]
print(f"{machine['processor']}, {machine['cores']} cores, {results['date']}")
for what, lines in {"time": time_of, "memory": memory_of}.items():
    for name in ("ours", "keras.ops", "torch"):
        shared = set(lines[name]) & set(lines["blockwise"])
        for n in sorted(shared)[-1:]:
            ratio = lines[name][n] / lines["blockwise"][n]
            print(
                f"{what:6} at {n:6,}: {pictures.STYLES[name][0]:9} takes {ratio:4.1f} times blockwise's"
            )
for name, line in memory_of.items():
    for n in sorted(line)[-1:]:
        if n // 2 in line:
            print(
                f"memory of {pictures.STYLES[name][0]:9} grows {line[n] / line[n // 2]:.1f} times from {n // 2:,} to {n:,}"
            )

# %% [markdown]
# ## When to use it
#
# Mostly it is not for you to decide. `MultiHeadAttention(..., blockwise="auto")`, which is the default, attends by
# blocks with `causal=True` from 2,048 keys in a graph and from 4,096 in eager execution, or wherever all weights at
# once would take over 2 GiB. It does so only if nobody asks for the weights and no dropout acts on them. The weights
# cannot be returned, because they are never held all at once. And the backward pass makes the weights again: dropout
# would have to drop the same ones again, which `blockwise_attention` does not do. Short texts are quicker all at once,
# and without `causal` the layer has nothing to skip. In a graph that must fit any length, `"auto"` never attends by blocks:
# say `blockwise=True` there. Under XLA nothing is skipped either, because there all slices must have
# sizes that are known beforehand.
#
# ## Exercises
#
# ### Exercise 1
#
# How many bytes *for each key* are the weights of one block of 256 queries, with 8 heads in float32? Up to
# which power of two of keys do they stay below 1 GB? And the whole matrix?


# %% tags=["answer"]
def largest(bytes_of):
    """The longest power of two whose weights take less than 1 GB."""
    return max(n for n in 2 ** np.arange(30) if bytes_of(int(n)) < 1e9)


one_block = largest(lambda n: 8 * 256 * n * 4)  # 8,192 bytes for each key
whole_matrix = largest(lambda n: 8 * n * n * 4)
print(f"one block: {one_block:,} keys, the whole matrix: {whole_matrix:,}")
assert (one_block, whole_matrix) == (65_536, 4_096)

# %% [markdown]
# ### Exercise 2
#
# Each token looks at itself and the 63 before it: `causal=True, window=64`. In blocks of 64 queries, which share of
# 1,024 by 1,024 scores is computed? First with a pencil, then from the blocks. And does the output stay right?

# %% tags=["answer"]
from clear_attention import create_window_mask

n, block = 1024, 64
q, k, v = tf.constant(np.random.default_rng(2).normal(size=(3, 1, 2, n, 8)))
cut = blockwise.QueryBlocks.of(q, k, None, True, 64, block)
slices = [cut.seen(i) for i in range(n // block)]
computed = sum(block * int(last - first) for first, last in slices)
print(f"computed: {computed / n**2:.1%}")
# a block meets its own 64 keys and the 63 before; the first has none before
assert computed == block * (16 * 64 + 15 * 63)

hidden = np.maximum(create_window_mask(n, 64), create_look_ahead_mask(n))
np.testing.assert_allclose(
    blockwise_attention(q, k, v, causal=True, window=64, block_size=block),
    scaled_dot_product_attention(q, k, v, hidden).output,
    atol=1e-12,
)

# %% [markdown]
# ## Check yourself
#
# ```self-check
# ? For 2,000 tokens all weights take 128 MB. How much do they take for 6,000?
# - 384 MB | So grow queries, keys and values: three times the tokens. Weights have a row and a column for each token.
# - 768 MB | Rows and columns are three times as many each. That is 3 times 3, not 3 plus 3.
# + 1,152 MB | Nine times as many: three times the rows, three times as long.
# ? The largest score so far is 2, the sum so far 1.5. A piece comes with the score 4. What becomes of the 1.5?
# + about 0.2 | Its terms were measured from 2, and must be measured from 4: times `exp(2 - 4)`.
# - about 11 | The wrong way round: that is times `exp(4 - 2)`. From a larger maximum, old terms are smaller.
# - 1.5 | New terms are measured from 4. Terms measured from different maxima can't be added.
# - 0.75 | Two scores differ by a factor in their exponentials: it is `exp(2 - 4)`, not 2 / 4.
# ? 1,024 tokens in 4 blocks of 256 queries, causal. Which share of the scores is not computed?
# - 50 % | Nearly half are hidden. But the blocks on the diagonal are computed whole, and then half hidden.
# - 62.5 % | That is the share that is computed: 10 of 16 blocks.
# - 25 % | That is the blocks on the diagonal, 4 of 16. They are computed.
# + 37.5 % | The blocks above the diagonal: 6 of 16.
# ```
#
# ## Where to go next
#
# * [Reference: blockwise](../reference/blockwise.md): every argument and error of the function.
# * [Reference: heads](../reference/heads.md): the layer's argument `blockwise`.
# * [Causal attention](causal.py): what the mask does that makes half of the blocks needless.
# * [Benchmarks](../about/benchmarks.py): all cells, all contenders, and how to measure them on your machine.

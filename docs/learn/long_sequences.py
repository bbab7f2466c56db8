# ---
# title: Long sequences
# description: The matrix of weights that does not fit, and how to do without it. Attention one block of queries at a time in ten lines of NumPy, a softmax over pieces with a pencil, and what it saves.
# ---

# %% [markdown]
# # Long sequences: what if the matrix does not fit? { #what-if-the-matrix-does-not-fit }
#
# [GPT-3](https://arxiv.org/abs/2005.14165) (2020) could read 2,048 pieces of words at once, about four pages. [Gemini
# 1.5](https://arxiv.org/abs/2403.05530) (2024) read a million, a small shelf of books. More than one wall stood between
# the two. One is time, and to get past it many machines had to work at once. Another is memory, and the trick that
# takes this wall down fits into ten lines of NumPy. In this last lesson of the first part you will write them.
#
# First see the wall. A text is a line of **places**, and each place holds a letter, or a piece of a word. (To attention
# that is all the same.) Our dates have 34 places, and each place looks at each, so that there are 34 times 34 weights
# in every head. These are few. How many would the million places of Gemini need? Let us count the bytes for the sizes
# of the first Transformer, which has 8 heads of 64 numbers, with four bytes for a number. The inputs, which are the
# queries, keys and values of all heads, stand beside them:

# %% tags=["hide-input"]
import math

HEADS, DEPTH, BYTES = 8, 64, 4  # as in the first Transformer; four bytes a number


def bytes_in_words(count):
    """Say how many bytes, in the unit that fits."""
    unit = int(math.log10(count) // 3)
    return f"{count / 1000**unit:.0f} {['bytes', 'kB', 'MB', 'GB', 'TB'][unit]}"


print("   length   inputs   weights")
for n in (34, 1_000, 30_000, 1_000_000):
    inputs, weights = 3 * HEADS * n * DEPTH * BYTES, HEADS * n * n * BYTES
    print(f"{n:9,}{bytes_in_words(inputs):>9}{bytes_in_words(weights):>10}")
assert bytes_in_words(weights) == "32 TB"

# %% [markdown]
# At 34 places the weights are still the smaller part. But from 1,000 to 30,000 places the inputs grow 30-fold, and the
# weights 900-fold. For a million places the weights take 32 terabytes, in every layer. Yet what comes *out* of
# attention is no larger than what goes in. Only the matrix between the two is so large. Must it ever be there?
#
# ## One row at a time
#
# The whole matrix need never be there. Each place has one query, and this query has one **row** in the matrix, with a
# weight for each key. For its output it needs this row, and no other. So make one row, multiply it with the values,
# keep the output and throw the row away. Then make the next row.
#
# One row after the other would be slow, because processors are fastest at large products. So we take a **block** of
# neighbouring queries, say 256. Then 256 rows are in memory at a time, instead of a million. That is 8 · 256 ·
# 1,000,000 · 4 bytes, or 8 GB in place of 32 TB. If we also take one head at a time, it is 1 GB.
#
# Here are 32 queries. Step through the blocks, and watch what is in memory. Then make the blocks smaller. Last, switch
# on the look-ahead mask. What does it save?

# %% tags=["live", "hide-input"]
import sys

sys.path.append("../_site")
from live import touch

touch(
    "rows",
    "<p>With blocks of 4 queries, 4 rows of 32 weights are in memory at a time, which is 128 instead of 1,024. Their"
    " outputs stay, and the rows are thrown away. With a look-ahead mask, a block never meets the keys that come after"
    " its last query.</p>",
    length=32,
    block=4,
    step=2,
    causal=False,
)

# %% [markdown]
# A mask says what must not be seen. Now it also saves work: a block never reads the keys that come after its last
# query, so these scores are not even computed. With many blocks that is nearly half of all scores.
#
# ## Your machine so far { #your-machine-so-far }
#
# Take your `softmax` and `attention`. Write `by_blocks`, which calls `attention` for one block of queries after the
# other. With `causal=True` a query must not see later keys, and a block gets only those keys that at least one of its
# queries may see. Before you write, draw the mask of the block with the queries 4 to 7. It has four rows, and eight
# columns for the keys 0 to 7.
#
# ```python
# def by_blocks(q, k, v, block, causal=False):
#     outputs = []
#     for first in range(0, len(q), block):
#         last = min(first + block, len(q))  # this block: q[first:last]
#         end, mask = len(k), 0  # it sees all keys k[:end], and nothing is hidden
#         if causal:
#             end, mask = ...
#         outputs.append(...)
#     return np.concatenate(outputs)
# ```

# %% tags=["answer"]
import numpy as np


def softmax(scores, mask):
    powers = np.where(mask == 1, 0, np.exp(scores))
    sums = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(sums == 0, 1, sums)


def attention(q, k, v, mask=0):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
    return softmax(scores, mask) @ v


def by_blocks(q, k, v, block, causal=False):
    outputs = []
    for first in range(0, len(q), block):
        last = min(first + block, len(q))  # this block: q[first:last]
        end, mask = len(k), 0  # it sees all keys k[:end], and nothing is hidden
        if causal:  # no key from last on; 1 where a key comes after the query
            end, mask = last, np.arange(last) > np.arange(first, last)[:, None]
        outputs.append(attention(q[first:last], k[:end], v[:end], mask))
    return np.concatenate(outputs)


q, k, v = np.random.default_rng(1).normal(size=(3, 100, 8))  # random numbers
np.testing.assert_allclose(by_blocks(q, k, v, block=24), attention(q, k, v))
hidden = np.triu(np.ones((100, 100)), k=1)
np.testing.assert_allclose(
    by_blocks(q, k, v, block=24, causal=True), attention(q, k, v, hidden)
)
print("100 queries in blocks of 24: the same numbers as all at once")
print(f"weights held at a time: {24 * len(k):,} instead of {len(q) * len(k):,}")

# %% [markdown]
# That is all. Nothing is approximated, and nothing has to be trained again. The same numbers come out, because they are
# only computed in another order. The formula of attention holds for each block of queries $Q_b$ by itself, with the
# keys $K_b$ and the values $V_b$ that the block may see:
#
# $$
# O_b = \operatorname{softmax}\left(\frac{Q_b K_b^\top}{\sqrt{d_k}}\right) V_b
# $$
#
# With `causal`, a block still needs a mask of its own. The block 4 to 7 reads key 7, for example, which only its last
# query may see.
#
# ## Even a row can come in pieces, by hand
#
# The question of memory is solved. What follows is a second trick, for speed. If you are in a hurry, go on with the
# [measurements](#how-much-memory-blocks-save). (One task at the end of the page needs the trick.)
#
# So far each row was whole. Fast programs for graphics processors cut the rows into **pieces**, too. Such a processor
# has a small, fast memory on the chip and a large, slow one beside it, and on the chip there is no room for a row of a
# million numbers. But a softmax divides by the sum over the whole row. So it seems that it must see the whole row at
# once. It can be done in pieces all the same, and a pencil is enough for it.
#
# Such programs have a habit. Before they take the powers, they subtract the largest score $m$ of the row from all its
# scores $s$. So no power is larger than 1, and no weight changes.
#
# <details class="lesson-more" markdown="1"><summary>Why do they subtract it, and why does no weight change?</summary>
#
# Machines are trained with numbers of four bytes, and $e^{100}$ is too large for such a number. (NumPy's eight bytes
# last up to $e^{709}$.) No weight changes because $e^{s - m} = e^s \cdot e^{-m}$, and the second factor cancels. Here
# it is with two scores, $a$ and $b$:
#
# $$
# \frac{e^{a - m}}{e^{a - m} + e^{b - m}} = \frac{e^a \cdot e^{-m}}{(e^a + e^b) \cdot e^{-m}} = \frac{e^a}{e^a + e^b}
# $$
#
# </details>
#
# But while a row comes in pieces, its largest score is not yet known. Let the scores 1, 3, 2, 6 with the values 10, 20,
# 30, 40 come in two pieces. After the first piece the largest score so far is 3, so $m = 3$. Two sums are kept. One is
# the sum of the powers. In the other one each power is multiplied with its value $v$:
#
# | after | largest | sum of $e^{s - m}$ | sum of $e^{s - m} \cdot v$ |
# | --- | --- | --- | --- |
# | first piece: 1, 3 | 3 | $e^{-2} + 1 = 1.1353$ | $10\,e^{-2} + 20 = 21.3534$ |
#
# Then comes the second piece, 2 and 6. Its 6 is a new largest score. From the scores so far 3 was subtracted, and it
# should have been 6. So both sums are too large by the factor $e^{6 - 3}$. But we *know* this factor, and
# $e^{s - 3} \cdot e^{3 - 6} = e^{s - 6}$. So mend both sums: multiply them with $e^{3 - 6} = 0.049787$. Then add the
# second piece:
#
# | after | largest | sum of $e^{s - m}$ | sum of $e^{s - m} \cdot v$ |
# | --- | --- | --- | --- |
# | mended | 6 | $1.1353 \cdot 0.049787 = 0.0565$ | $21.3534 \cdot 0.049787 = 1.0631$ |
# | second piece: 2, 6 | 6 | $0.0565 + e^{-4} + 1 = 1.0748$ | $1.0631 + 30\,e^{-4} + 40 = 41.6126$ |
#
# The second sum divided by the first is the output, $41.6126 / 1.0748 = 38.72$, which is what the ordinary softmax
# gives. It is like adding up a long bill page by page. Three numbers are carried over, the largest score and the two
# sums, and the page itself can be thrown away. In Python:

# %%
scores, values = [1.0, 3.0, 2.0, 6.0], [10.0, 20.0, 30.0, 40.0]

m, total, output = -math.inf, 0.0, 0.0
for piece in (slice(0, 2), slice(2, 4)):
    new = max(m, *scores[piece])
    mend = math.exp(m - new)  # 0 for the first piece
    weights = [math.exp(s - new) for s in scores[piece]]  # not yet divided
    total = total * mend + sum(weights)
    pairs = zip(weights, values[piece], strict=True)
    output = output * mend + sum(w * v for w, v in pairs)
    m = new
    print(f"largest {m}, sum {total:.4f}, times values {output:.4f}")

whole = sum(math.exp(s) for s in scores)
expected = sum(math.exp(s) / whole * v for s, v in zip(scores, values, strict=True))
print(f"in pieces {output / total:.4f}, ordinary softmax {expected:.4f}")

# %% tags=["remove-input"]
np.testing.assert_allclose(output / total, expected, rtol=1e-12)
assert round(math.exp(-3), 6) == 0.049787
assert (round(total, 4), round(output, 4)) == (1.0748, 41.6126)
assert round(output / total, 2) == 38.72

# %% [markdown]
# This is the *online softmax*. *FlashAttention*, which many large models use, cuts queries and keys alike. So its
# blocks are small rectangles of the matrix, and not whole rows. All the mending is done on the chip, and no score ever
# travels to the slow memory.
#
# ## How much memory blocks save
#
# Here is the memory that attention needs besides its inputs and outputs, in a step of training. There is one text, with
# 8 heads of 64 numbers, and the future is hidden. All was measured beforehand. "Plain" attention makes the whole
# matrix, and "blockwise" is that of our package. Beside them stand the attention of Keras (`keras.ops`) and that of
# PyTorch (`torch`). Where a line ends early, the matrix did not fit into the machine any more. Both axes are
# logarithmic: each horizontal line stands for ten times the memory of the one below it.

# %% tags=["hide-input"] alt="Memory against length, both axes logarithmic. The lines of plain attention and of keras.ops rise three to four times at each doubling of the length; that of torch rises about twice; that of blockwise attention rises less than twice, on average."
import json
from pathlib import Path

import matplotlib.pyplot as plt

# Measurements are in the repository and not in the package, so this cell needs a clone.
root = Path("../..").resolve()
sys.path.append(str(root))
from benchmarks import pictures

results = json.loads((root / "benchmarks/results.json").read_text("utf-8"))
times, memory = pictures.lines(results)
figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
pictures.draw(ax, memory, "memory, in MB")
ax.yaxis.set_major_formatter("{x:,.0f}")
ax.grid(axis="y", color="#808080", alpha=0.4)
plt.show()

for name, lines in {"memory": memory, "time": times}.items():
    longest = max(set(lines["ours"]) & set(lines["blockwise"]))
    ratio = lines["ours"][longest] / lines["blockwise"][longest]
    times_as_much = f"plain takes {ratio:.1f} times that of blockwise"
    print(f"{name} at {longest:,} keys: {times_as_much}")
print("measured on", results["date"])


def growth(line):
    """By how much a doubling of the length multiplies the memory, in the mean."""
    shortest, longest = min(line), max(line)
    return (line[longest] / line[shortest]) ** (1 / np.log2(longest / shortest))


assert growth(memory["blockwise"]) < 2 < 3 < growth(memory["ours"])

# %% [markdown]
# Where the matrix fits, a doubling of the length makes the memory of plain attention three to four times as large, and
# that of the blocks less than twice, on average. (The figures are peaks of whole processes. The printed ratios are
# those at the last length that plain attention could do.) Plain attention needs several times what we counted for the
# matrix, because a step of training keeps more than one of that size: the scores, the weights, the slopes of both.
# PyTorch's own attention needs less still, because it cuts the keys as well.
#
# The *time* is another matter. Some is saved, because nearly half of the scores lie in the future and are never
# computed. But it still grows with the square, since each query meets all keys before it. A **window** changes that. It
# is a mask that hides all but the nearest keys. In the picture of the blocks above, only a band along the diagonal
# would be left, and scores outside of it would never be computed. The band is equally wide for every length, so the
# time grows only in proportion to the length. The price is that in one layer no letter sees farther than the window.
# Through several layers news travels farther, a window at a time.
#
# ## Is this how a chat machine works?
#
# It is a machine of the same kind, a stack of layers with attention. But it has more of everything, and some parts were
# exchanged. The last column says what is common:
#
# | part | ours | the first, of 2017 | common today |
# | --- | --- | --- | --- |
# | [tokens](reading_dates.py#what-goes-in) | letters | pieces of words | pieces of words |
# | [halves](recap.py) | encoder and decoder | encoder and decoder | decoder only |
# | layers | 1 in each half | 6 in each half | dozens |
# | [positions](positions.py) | added | added | queries and keys [are turned](turning_positions.py) (*rotary*) |
# | [norm](norm_first.py) | after each part | after each part | before each part, and no mean is subtracted (*RMSNorm*) |
# | [feed-forward](feed_forward.py) | ReLU | ReLU | a smoother bend, and a third matrix (a *gate*) |
# | [heads](multi_head.py) | 4 | 8 | many, of which several share their keys and values |
# | [choosing the next token](writing.py#a-dead-end-by-hand) | the likeliest | by beam search | drawn, with a temperature |
# | [trained numbers](recap.py#where-the-numbers-are) | 121,422 | 65 million | billions |
#
# (A gate works like this: the vector of a letter is multiplied with the third matrix, too, which gives one number for
# each alarm. Then each alarm is multiplied with its number.)
#
# One thing is not in the table. Such a machine first learns to go on with texts of every kind, and is then trained
# further to answer as people want it to. That second training is not a matter of attention, and not in these lessons.

# %% tags=["remove-input"]
from clear_attention import Transformer
from trained import dates

ours = Transformer(**dates.SIZES)
ours.build()
layers, heads = len(ours.encoder.layers), dates.SIZES["num_heads"]

assert (layers, heads, ours.count_params()) == (1, 4, 121_422)

# %% [markdown]
# ## In the package { #the-function-read }
#
# [`blockwise_attention`][clear_attention.blockwise_attention] is your `by_blocks` for whole batches, with one addition:
# a model can be trained with it. A training needs the weights once more, for the gradient, but by then each block has
# thrown its weights away. So the function makes them again. The layer of the package switches to blocks by itself when
# a text is long and the future is hidden.
#
# <details class="lesson-more" markdown="1"><summary>When exactly</summary>
#
# The default is `MultiHeadAttention(..., blockwise="auto")`. With `causal=True` it attends by blocks from 2,048 keys on
# inside a `tf.function`, which TensorFlow turns into one program, and from 4,096 on outside. In all other cases it does
# so where all weights at once would take over 2 GiB (a good 2 GB). There are two exceptions. One is a call that asks
# for the weights, because they are never there all at once. The other is *dropout*, which in a training sets some
# weights to 0 at random: the way back would have to drop the same ones again. [Benchmarks](../about/benchmarks.py) has
# all times, and compares [whole rows with pieces](../about/benchmarks.py#pieces-of-keys-or-whole-rows). Here rows stay
# whole, because from TensorFlow's Python we cannot reach into the chip.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>The function, read: the way forward</summary>
#
# This is the step that it does for each block. Can you find the two lines that do what your `attention` does?

# %% tags=["source", "hide-input"]
import inspect
import re
import textwrap

from clear_attention.blockwise import passes

function = inspect.getsource(passes)
step = re.search(r"^ +def forward.*?return[^\n]*\n", function, re.DOTALL | re.M)
print(textwrap.dedent(step[0]))

# %% [markdown]
# They begin with `scored` and `output`. `seen` says which keys block `i` reads, and `keys.taken` takes them out of all
# keys. `padded` holds all queries, filled up to whole blocks. `cut` takes those of one block, `* scale` divides them by
# the root, and `scored` makes their weights. (`added`, and the `taken` just behind it, belong to what [a later
# lesson](score_rules.py) brings.) Then comes the product of these weights with the values. `write` keeps the output,
# and `zero_where` sets it to 0 where a query sees no key. When the step ends, the weights are gone. Around this step
# runs another loop, which takes only some of the heads at a time.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>The way back, and a check</summary>
#
# On the way back the same step begins again: the weights are made a second time, from queries and keys. That costs one
# more product and saves the matrix. Then come the slopes. They are called `do` for the output, `dw` for the weights,
# `ds` for the scores, and `dq`, `dk` and `dv` for queries, keys and values:

# %% tags=["source", "remove-input"]
for start in ("dw =", "ds = tf", "dq = dq", "dk =", "dv ="):
    (line,) = re.findall(rf"^ +({re.escape(start)}.*)", function, re.M)
    print(line.split("  #")[0])

# %% [markdown]
# Each line is a product turned around. The output was weights times values, so the slope of a weight is the slope of
# the output times a value, and the slope of a value is a weight times the slope of the output. Scores were queries
# times keys, so queries get the slopes of the scores times keys, and keys get them times queries. (`seen_k` and
# `seen_v` are what the block reads, `q_block` are its queries, and in `multiply_no_nan` a weight of 0 stays 0.) Only
# `of_rows` is new. A softmax divides by the sum of its row, so the slope of a score needs a sum over the whole row, of
# each weight times its slope. It equals a shorter sum: each number of the output times the slope of this number. For
# this the output was kept. `keys.added` adds up what each block says about the keys that it read.
#
# **A check.** The whole matrix and the blocks get the same padded batch, of a length that the blocks do not divide. The
# outputs are compared, and the gradients:

# %% tags=["hide-input"]
import tensorflow as tf
from clear_attention import (
    blockwise_attention,
    create_look_ahead_mask,
    scaled_dot_product_attention,
)

q, k, v, do = tf.constant(np.random.default_rng(1).normal(size=(4, 2, 3, 100, 8)))
padding = np.zeros((2, 1, 1, 100))
padding[1, ..., 60:] = 1  # the second text has 60 letters


def at_once(q, k, v):
    mask = np.maximum(padding, create_look_ahead_mask(100))
    return scaled_dot_product_attention(q, k, v, mask).output


def in_blocks(q, k, v):
    return blockwise_attention(q, k, v, padding, causal=True, block_size=48)


found = []
for attend in (at_once, in_blocks):
    with tf.GradientTape() as tape:
        tape.watch([q, k, v])
        output = attend(q, k, v)
    found.append([output, *tape.gradient(output, [q, k, v], do)])
names = ["output", "gradient of the queries", "of the keys", "of the values"]
for name, one, other in zip(names, *found, strict=True):
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
    print(f"{name}: the same to twelve places")

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# Milakov and Gimelshein published the online softmax in 2018, for the last layer of language models. Rabe and Staats
# built attention in little memory with the same trick in 2021. In 2022 Dao and others made it fast, with
# FlashAttention. It does *more* arithmetic than plain attention and still takes less time, because on a graphics
# processor moving numbers costs more than multiplying them.
#
# ## Exercises
#
# ### Exercise 1
#
# A block of 256 queries meets $n$ keys, in 8 heads, with four bytes for a number. How many bytes do its weights take?
# What is the largest power of two for $n$ with which they take less than 1 GB? And what is it for the whole matrix,
# with $n$ queries?


# %% tags=["answer"]
def largest(bytes_of):
    """The longest power of two whose weights take less than 1 GB."""
    return max(n for n in 2 ** np.arange(30) if bytes_of(int(n)) < 1e9)


one_block = largest(lambda n: 8 * 256 * n * 4)  # 8,192 bytes for each key
whole_matrix = largest(lambda n: 8 * n * n * 4)
print(f"one block takes {8 * 256 * 4:,} bytes for each key")
print(f"one block: up to {one_block:,} keys, the whole matrix: {whole_matrix:,}")
assert (one_block, whole_matrix) == (65_536, 4_096)

# %% [markdown]
# ### Exercise 2
#
# Each place looks at itself and at the 63 before it, which is called `causal=True, window=64` in the package. There are
# 1,024 places, in blocks of 64 queries. A block reads only those keys that at least one of its queries may see. Which
# share of 1,024 by 1,024 scores is computed? A drawing of the first three blocks helps.

# %% tags=["answer"]
n, block, window = 1024, 64, 64
computed = 0
for first in range(0, n, block):
    keys = range(max(0, first - window + 1), first + block)  # that some query sees
    computed += block * len(keys)
print(f"computed: {computed / n**2:.1%}")
assert computed == 64 * (64 + 15 * 127)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# A block reads its own 64 keys, and the 63 before its first query. Only the first block has none before. So 15 blocks
# have 64 rows of 127 scores, and one block has 64 rows of 64 scores.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("long_sequences")

# %% [markdown]
# ```self-check
# ? Attention by blocks needs less memory than plain attention. What does it give up for that?
# - some digits of the result | The numbers are the same, but for rounding. Nothing is approximated.
# - places that are far away | That is what a window gives up. Here each query still sees all its keys.
# + the weights: they are never there all at once | In a training it has to make them a second time, for the gradient.
# ? A text gets twice as long. What does attention by blocks, without a window, need?
# - twice the memory and twice the time | Each query still meets all the keys that it may see, so the time grows with the square.
# + about twice the memory, and about four times the time | Blocks save memory. Of the time they save only what lies in the future.
# - four times the memory, and four times the time | So it would be with the whole matrix.
# ? 1,024 places in 4 blocks of 256 queries, causal. Which share of the scores is not computed?
# - 50 % | Nearly half are hidden. But a block reads all of its own 256 keys, so half of these scores are computed and then hidden.
# - 62.5 % | That is the share that is computed: the blocks read 1, 2, 3 and 4 times 256 keys, which is 10 of 16.
# - 25 % | That is the share of each block's own 256 keys, 4 of 16. They are read.
# + 37.5 % | The four blocks leave out 3, 2, 1 and 0 times 256 keys. That is 6 of 16.
# ```
#
# ## Where to go next
#
# You now know every part of the machine, and what to do when a text is too long for it. There is one thing that you have
# not yet done. You have trained no machine of your own.
#
# * [Now you: Roman numerals](roman.py): a project. Can you teach it something else?
# * [Reference: blockwise](../reference/blockwise.md): every argument and error of the function.
#
# Read on elsewhere: Milakov and Gimelshein (2018), [Online normalizer calculation for
# softmax](https://arxiv.org/abs/1805.02867); Rabe and Staats (2021), [Self-attention Does Not Need O(n²)
# Memory](https://arxiv.org/abs/2112.05682); Dao and others (2022), [FlashAttention](https://arxiv.org/abs/2205.14135).

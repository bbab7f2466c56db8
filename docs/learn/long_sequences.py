# ---
# title: Long sequences
# description: The matrix of weights that does not fit, and how to do without it. Attention one block of queries at a time, in ten lines of NumPy, and what it saves.
# ---

# %% [markdown]
# # What if the matrix does not fit? { #what-if-the-matrix-does-not-fit }
#
# Let a machine read a whole book, a million letters long. While it *writes*, only the newest letter asks, thanks to
# [the cache](cache.py), and its weights are a single row. But while it reads, or is trained, all letters ask at once.
# Then the weights are a square: a million rows, with a million weights in each. Where do you put such a square?
#
# In 2020, [GPT-3](https://arxiv.org/abs/2005.14165) could read 2,048 **places** at once, where a place holds a letter
# or a piece of a word. In 2024, [Gemini 1.5](https://arxiv.org/abs/2403.05530) could read a million. One wall between
# the two is memory.
#
# Run into the wall yourself, with eight heads of 64 numbers. The inputs are the queries, keys and values. **Let the
# text grow, and watch for the moment when the weights outgrow the laptop:**

# %% tags=["live", "hide-input"]
import math
import sys

sys.path.append("../_site")
from live import touch

HEADS, DEPTH, BYTES = 8, 64, 4  # as in the first Transformer; four bytes a number


def bytes_in_words(count):
    """Say how many bytes, in the unit that fits."""
    unit = int(math.log10(count) // 3)
    return f"{count / 1000**unit:.0f} {['bytes', 'kB', 'MB', 'GB', 'TB'][unit]}"


def weights(n):
    return HEADS * n * n * BYTES


def inputs(n):
    return 3 * HEADS * n * DEPTH * BYTES


lengths = [round(1_000 ** (1 + i / 30)) for i in range(31)]
lengths = sorted({*(round(n, 2 - len(str(n))) for n in lengths), 2_048, 30_000})
rows = [
    f"<tr><td>{n:,}</td><td>{bytes_in_words(inputs(n))}</td><td>{bytes_in_words(weights(n))}</td></tr>"
    for n in (1_000, 30_000, 1_000_000)
]
assert bytes_in_words(weights(1_000_000)) == "32 TB"
assert weights(22_000) < 16e9 < weights(23_000)
block, beside = HEADS * 10e6 * BYTES, inputs(1_000_000) * 4 / 3  # and the outputs
assert [round(n / 1e9) for n in (3 * block, beside)] == [1, 8]
assert 3 * block + beside < 16e9
touch(
    "wall",
    "<table><thead><tr><th>places</th><th>inputs</th><th>weights</th></tr></thead>"
    f"<tbody>{''.join(rows)}</tbody></table>",
    lengths=lengths,
    now=0,
    known={2_048: "GPT-3", 1_000_000: "Gemini 1.5"},
    heads=HEADS,
    depth=DEPTH,
    bytes=BYTES,
    laptop=16e9,
)

# %% [markdown]
# **Beyond about 22,400 places, the weights of one layer no longer fit into a laptop.** Take a text that is 10 times as
# long: its inputs are 10 times as large, but it has 100 times as many weights. And the whole book? With eight heads,
# and four bytes a number, its weights take 32 terabytes in every layer, the memory of two thousand laptops.
#
# What goes into attention would have fitted, and so would what comes out. Only the square between the two is too large.
# Must it ever be there?
#
# ## One row at a time
#
# No, and the reason is simple. The output of a query needs the **row** of its own weights, and no other row. So make
# one row, multiply it with the values, and keep the output. Then throw the row away, and make the next.
#
# Processors are fastest at large products, so in practice we take a **block** of neighbouring queries at a time. **Step
# through the blocks of these 32 queries, and watch how little is in memory. Then switch the look-ahead mask on, and see
# what is hatched.**

# %% tags=["live", "hide-input"]
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
# **Without a mask the whole square is still computed, from its top to its bottom, but it is never in memory as a
# whole.** (With a look-ahead mask and small blocks, nearly half of the work falls away, too.)
#
# As a formula: a block of queries $Q_b$, of $d_k$ numbers each, meets the keys $K_b$ and the values $V_b$ that at least
# one of its queries may see. (If the future is hidden, there is a mask inside the block, too, which is left out here.)
# The block finds
#
# $$
# O_b = \operatorname{softmax}\left(\frac{Q_b K_b^\top}{\sqrt{d_k}}\right) V_b .
# $$
#
# In this drawing a block is a single row. Untick the box, and the squares come back:

# %% tags=["live", "remove-input"]
from drawing import attention_drawn

attention_drawn("long_sequences")

# %% [markdown]
# ## Your machine so far { #your-machine-so-far }
#
# Write `by_blocks`, which calls your `attention` for one block of queries after the other. With `causal=True` a block
# gets only the keys up to its last query. Inside the block the future must still be hidden, and that mask is made for
# you. So what does each block hand to `attention`?
#
# ```python
# def by_blocks(q, k, v, block, causal=False):
#     outputs = []
#     for first in range(0, len(q), block):
#         last = min(first + block, len(q))  # this block: q[first:last]
#         end, mask = len(k), 0  # it sees all keys k[:end], and nothing is hidden
#         if causal:  # no key from last on; 1 where a key comes after the query
#             keys, queries = np.arange(last), np.arange(first, last)[:, None]
#             end, mask = last, keys > queries
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
    scores = q @ np.swapaxes(k, -1, -2) / k.shape[-1] ** 0.5  # keeps float32
    return softmax(scores, mask) @ v


def by_blocks(q, k, v, block, causal=False):
    outputs = []
    for first in range(0, len(q), block):
        last = min(first + block, len(q))  # this block: q[first:last]
        end, mask = len(k), 0  # it sees all keys k[:end], and nothing is hidden
        if causal:  # no key from last on; 1 where a key comes after the query
            keys, queries = np.arange(last), np.arange(first, last)[:, None]
            end, mask = last, keys > queries
        outputs.append(attention(q[first:last], k[:end], v[:end], mask))
    return np.concatenate(outputs)


# %%
# by_blocks gives what attention gives, and with causal=True what the mask gives:
q, k, v = np.random.default_rng(1).normal(size=(3, 100, 8))  # random numbers
np.testing.assert_allclose(by_blocks(q, k, v, block=24), attention(q, k, v))
hidden = np.triu(np.ones((100, 100)), k=1)
np.testing.assert_allclose(
    by_blocks(q, k, v, block=24, causal=True), attention(q, k, v, hidden)
)
print("100 queries in blocks of 24: the same numbers as all at once")

# %% [markdown]
# **Blocks approximate nothing: they only change the order of the work.** So let us try one block of the book. In one
# head, ten queries meet a million keys:

# %% tags=["hide-input"]
import tracemalloc

rng = np.random.default_rng(1)
k, v = (rng.standard_normal((1_000_000, 64), dtype=np.float32) for _ in range(2))
tracemalloc.start()
output = attention(k[:10], k, v)
peak = tracemalloc.get_traced_memory()[1]
tracemalloc.stop()
print(f"a block that meets a million keys: {peak / 1e6:.0f} MB at its peak")
assert output.dtype == np.float32
assert 115e6 < peak < 125e6  # three strips of ten rows

# %% [markdown]
# At its peak it holds scores, powers and weights, 40 MB each. For eight heads that is about 1 GB. Queries, keys, values
# and outputs take about 2 GB each, 8 GB together, and a laptop has 16. **So the attention of one layer over a whole
# book fits into a laptop, where its square would have filled two thousand.**
#
# ## What blocks save in training { #how-much-memory-blocks-save }
#
# And in training? There the machine also goes [back](training.py#all-numbers-at-once) through the layer, to find the
# slopes. The way back needs the weights once more: the output is weight times value, and the slope of a factor is the
# [other factor](training.py#all-numbers-at-once), so the slope of a value contains its weight. But the blocks have
# thrown them away, so they make them a second time. **We measured one layer in training, with 8,192 places: blocks need
# about one eightieth of the memory of *plain* attention, which makes the whole square.** To make the weights twice
# costs some time. But where the future is hidden, blocks skip nearly half of them, and that saves more.
#
# <details class="lesson-more" markdown="1"><summary>For the curious: what was measured</summary>
#
# We measured the attention of one layer in one step, there and back. It had eight heads and 8,192 keys, and the future
# was hidden. This is the memory that it took beside inputs and outputs:

# %% tags=["hide-input"]
import json
import statistics
from pathlib import Path

# Measurements are in the repository and not in the package, so this cell needs a clone.
root = Path("../..").resolve()
sys.path.append(str(root))
from benchmarks import pictures

results = json.loads((root / "benchmarks/results.json").read_text("utf-8"))
times, memory = pictures.lines(results)
longest = max(set(memory["ours"]) & set(memory["blockwise"]))
both = ("ours", "blockwise")
megabytes = [memory[who][longest] for who in both]
for way, size in zip(("plain", "in blocks"), megabytes, strict=True):
    print(f"{way:9} {size:6,.0f} MB")
assert longest == 8192  # as the text says
assert 75 < megabytes[0] / megabytes[1] < 85


def seconds_of(mask, passes):
    """Return how long plain attention and attention in blocks take."""
    (row,) = (
        row
        for row in results["attention"]
        if (row["what"], row["mask"], row["passes"]) == ("function", mask, passes)
        and row["size"][:3] == [1, 8, longest]
    )
    return [
        statistics.median(row["times_ms"][f"{who} graph"]) / 1000 for who in both
    ]


times_of = (
    [times[who][longest] for who in both],  # a step, future hidden
    seconds_of("none", "both"),  # a step, nothing hidden
)
forward = seconds_of("causal", "forward")  # without the way back
assert [round(x, 1) for pair in times_of for x in pair] == [2.9, 2.1, 2.7, 3.2]
assert round(forward[1], 1) == 0.5
assert 2 < forward[1] * (1e6 / longest) ** 2 / 3600 < 2.3  # hours
doubled = [memory[who][longest] / memory[who][longest // 2] for who in both]
slower = [times[who][longest] / times[who][longest // 2] for who in both]
assert 2.8 < doubled[0] < 3.3
assert doubled[1] < 2
assert 3.6 < min(slower) <= max(slower) < 4.7
assert results["machine"]["cores"] == 2


# %% [markdown]
# And this is the time. Plain attention computes the hidden scores, too, and then the mask on top:
#
# | a step, there and back | plain | in blocks |
# | --- | --- | --- |
# | nothing hidden | 2.7 s | 3.2 s |
# | the future hidden | 2.9 s | 2.1 s |
#
# Other settings give other factors. Rabe and Staats (2021) cut the keys as well, and needed 59 times less memory for
# the way forward with 16,384 places.
#
# </details>
#
# <details class="lesson-more" markdown="1" id="the-function-read"><summary>For the curious: how blocks find the way back</summary>
#
# How does [`blockwise_attention`](../reference/blockwise.md) of our package walk
# [back](training.py#all-numbers-at-once), block by block? The slope of a score needs one sum over the whole row, in
# which each weight $p_k$ is multiplied by its own slope. You met this sum in [the lesson on
# training](training.py#where-to-look), where it was the mixture. Now the slope of a weight is the dot product of its
# value $v_k$ and the slopes of the output, $g$. So the sum is
#
# $$
# \sum_k p_k \, (g \cdot v_k) = g \cdot \sum_k p_k v_k = g \cdot o ,
# $$
#
# where $o$ is the output. A block has $g$ and $o$, so it needs nothing new. Does it come out right?

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
print("the same to twelve places:")
for name, one, other in zip(names, *found, strict=True):
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
    print(f"  {name}")

# %% [markdown]
# </details>
#
# ## What blocks do not cure
#
# **Blocks save memory, but the time still grows with the square of the length.** Each query still meets all keys before
# it. With 8,192 places and the future hidden, our eight heads took half a second for the way forward, on our two cores.
# A million places are 122 times as many, and would take 122² times as long: over two hours, for one layer. If that is
# too long, letters [must see less](windows.py).
#
# ## Who found this, and when
#
# In 2020 Kitaev, Kaiser and Levskaya wrote that attention can be computed for each query by itself. A year later Rabe
# and Staats cut the keys as well, and measured how little memory that takes.
#
# ## Exercises
#
# ### Exercise 1
#
# A block of 256 queries meets $n$ keys, in 8 heads, with four bytes for a number. How many bytes do its weights take
# for each key? What is the largest power of two for $n$ with which they take less than 1 GB? And what is it for the
# whole matrix?


# %% tags=["answer"]
def largest(bytes_of):
    """The longest power of two whose weights take less than 1 GB."""
    return max(n for n in 2 ** np.arange(30) if bytes_of(int(n)) < 1e9)


one_block = largest(lambda n: 8 * 256 * n * 4)  # 8,192 bytes for each key
whole_matrix = largest(lambda n: 8 * n * n * 4)
print(f"one block takes {8 * 256 * 4:,} bytes for each key")
print(f"one block: up to {one_block:,} keys")
print(f"the whole matrix: up to {whole_matrix:,}")
assert (one_block, whole_matrix) == (65_536, 4_096)

# %% [markdown]
# ### Exercise 2
#
# A text with the future hidden is cut into equal blocks of queries. What share of all scores is computed with 2 blocks,
# with 8, and with 32? And where does the share go as blocks get more and more? A drawing of two blocks helps.

# %% tags=["answer"]
shares = []
for count in (2, 8, 32):
    read = sum(range(1, count + 1))  # block 1 reads 1 part, block 2 reads 2, ...
    shares.append(read / count**2)
    print(f"{count:2} blocks: {read} of {count**2} parts, {shares[-1]:.1%}")
assert shares == [3 / 4, 36 / 64, 528 / 1024]

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# Cut the keys like the queries. Then the square has a part for each pair, and a block reads the parts up to the
# diagonal. With $b$ blocks these are $b (b + 1) / 2$ of $b^2$ parts, which is $1/2 + 1/(2b)$. So the share goes towards
# one half.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("long_sequences")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? Attention by blocks needs less memory than plain attention. What does it give up for that?
# - some digits of the result | The numbers are the same, but for rounding.
# - places that are far away | Each query still sees all its keys.
# + arithmetic in training: it makes the weights twice | It threw them away, and the gradient needs them once more. It is faster only where nearly half of the scores are hidden, and skipped.
# ? A text gets twice as long. What does attention by blocks need?
# - twice the memory and twice the time | Each query still meets all the keys that it may see, so the time grows with the square.
# + about twice the memory, and about four times the time | Blocks save memory. They save time only where they leave out hidden scores.
# - four times the memory, and four times the time | That is plain attention, whose whole square grows fourfold. A block only gets longer rows.
# ? Why are the outputs the same as with the whole square?
# - because the blocks are small | A block of any size gives the same numbers.
# + because each row of weights is made as a whole, only not all rows at once | A softmax needs its own row, and no other.
# - because training corrects what is lost | Nothing is lost, and nothing has to be trained again.
# ```
#
# </details>
#
# ## Where to go next
#
# A square of 32 terabytes has become a strip that fits into a laptop. But each row of the strip is still whole, because
# a softmax divides by the sum of its row: before the last score has come, it cannot name a single weight. Or can it?
# Suppose that it must begin with the first few scores, and throw them away before the others come. What would you write
# down about them?
#
# * [A softmax in pieces](online_softmax.py): the trick behind FlashAttention.
# * [A window on the past](windows.py): how far must a letter see?
# * [Reference: blockwise](../reference/blockwise.md): the function in our package.
#
# Read on elsewhere: Chen and others (2016), [Training Deep Nets with Sublinear Memory
# Cost](https://arxiv.org/abs/1604.06174); Kitaev, Kaiser and Levskaya (2020), [Reformer: The Efficient
# Transformer](https://arxiv.org/abs/2001.04451); Rabe and Staats (2021), [Self-attention Does Not Need O(n²)
# Memory](https://arxiv.org/abs/2112.05682).

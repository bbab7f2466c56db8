# ---
# title: Long sequences
# description: The matrix of weights that does not fit, and how to do without it. Attention one block of queries at a time, in ten lines of NumPy, and what it saves.
# ---

# %% [markdown]
# # Long sequences: what if the matrix does not fit? { #what-if-the-matrix-does-not-fit }
#
# Let a machine read a whole book, a million letters long. While it writes, only the newest letter asks, thanks to [the
# cache](cache.py), and its weights are a single row. But when it reads a text, or is trained, no cache helps: all
# letters ask at once, and each looks at all. Their weights are a square of a million rows, of a million weights each.
# Where does one put such a square?
#
# In 2020, [GPT-3](https://arxiv.org/abs/2005.14165) could read 2,048 **places** at once, where a place holds a letter
# or a piece of a word. In 2024, [Gemini 1.5](https://arxiv.org/abs/2403.05530) could read a million. One wall between
# the two is memory. Ten lines of NumPy get a laptop past it, if you give them hours for each layer.
#
# But first run into the wall. The squares show three sizes: the memory of a laptop, then the queries, keys and values
# that go in, and the weights. There are eight heads of 64 numbers, as in the first Transformer. **Let the text grow,
# and watch for the moment when the weights break out of the laptop:**

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
# The weights alone break out a little after 22,000 places, which is about a dozen pages if a place is a letter. A text
# that is 30 times as long has inputs 30 times as large, but 900 times as many weights. And the whole book? In every
# layer its weights take 32 terabytes, the memory of two thousand laptops.
#
# What goes into attention would have fitted easily, and so would what comes out. Must the huge square between the
# two ever be there?
#
# ## One row at a time
#
# No, and the reason is a small one: the output of a query needs the **row** of its own weights, and no other row. So
# make one row, multiply it with the values, keep the output, and throw the row away before you make the next.
#
# Processors are fastest at large products, so one takes a **block** of neighbouring queries at a time. Here are 32
# queries. **Step through their blocks, and watch how little is in memory at a time. Then switch the look-ahead mask on:
# what is hatched is never computed at all.**

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
# The square is still computed from its top to its bottom, but nobody ever sees it whole. And with the mask and small
# blocks, nearly half of it need not be computed.
#
# Does the book fit now? In blocks of ten queries there are ten rows of each head at a time, and not a million. A
# program holds about three such strips at once, of scores, powers and weights:
#
# $$
# 3 \cdot 8 \cdot 10 \cdot 1{,}000{,}000 \cdot 4 \text{ bytes} \approx 1 \text{ GB}
# $$
#
# The laptop has 16 GB, and inputs and outputs take 8 of them. **The attention of one layer fits.**
#
# As a formula, with a block of queries $Q_b$, and with the keys $K_b$ and the values $V_b$ that it may see:
#
# $$
# O_b = \operatorname{softmax}\left(\frac{Q_b K_b^\top}{\sqrt{d_k}}\right) V_b .
# $$
#
# ## Your machine so far { #your-machine-so-far }
#
# Write `by_blocks`, which calls your `attention` for one block of queries after the other. With `causal=True` a block
# gets only the keys up to its last query. It still needs a mask: of the queries 4 to 7, only the last may see key 7.
# Draw this mask first.
#
# ```python
# def by_blocks(q, k, v, block, causal=False):
#     outputs = []
#     for first in range(0, len(q), block):
#         last = min(first + block, len(q))  # this block: q[first:last]
#         end, mask = len(k), 0  # it sees all keys k[:end], and nothing is hidden
#         if causal:
#             end, mask = ...  # x[:, None] makes a column of a row x
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


# %% [markdown]
# Does it find the same as before?

# %%
# With by_blocks the outputs are those of attention, and with causal=True those of the look-ahead mask:
q, k, v = np.random.default_rng(1).normal(size=(3, 100, 8))  # random numbers
np.testing.assert_allclose(by_blocks(q, k, v, block=24), attention(q, k, v))
hidden = np.triu(np.ones((100, 100)), k=1)
np.testing.assert_allclose(
    by_blocks(q, k, v, block=24, causal=True), attention(q, k, v, hidden)
)
print("100 queries in blocks of 24: the same numbers as all at once")

# %% [markdown]
# It does: nothing is approximated, and only the order of the work has changed. And does a block of the book run? For
# one head, ten queries meet a million keys:

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
# That is what we said: three strips of 40 MB for one head, so about 1 GB for eight.
#
# ## How much memory blocks save
#
# And in training? The way back needs the weights once more. Blocks have thrown them away, and make them a second time.
#
# We measured such a step of training, there and back, with 8,192 keys and the future hidden. How much memory did it
# take beside inputs and outputs?

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
square = 8 * longest**2 * 4 / 1e6  # the weights of eight heads, in MB
assert round(square / 1000, 1) == 2.1
assert 3.8 < megabytes[0] / square < 4.4


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


seconds = [times[who][longest] for who in both]  # a step, future hidden
open_ = seconds_of("none", "both")  # nothing is hidden


# %% [markdown]
# **About eighty times less, with these 8,192 keys.** The weights alone are one square of 2.1 GB, but on the way back
# plain attention holds about four of that size.
#
# But there is no free lunch, is there? Blocks make every weight twice. **If a step of plain attention takes 100 % of
# the time, how much does a step in blocks take, with the future hidden, and with nothing hidden?**

# %% tags=["live", "hide-input"]
doubled = [memory[who][longest] / memory[who][longest // 2] for who in both]
slower = [times[who][longest] / times[who][longest // 2] for who in both]
by_blocks_take = [100 * blocks / plain for plain, blocks in (seconds, open_)]
assert by_blocks_take[0] < 90 < 110 < by_blocks_take[1]
assert 2.8 < doubled[0] < 3.3
assert doubled[1] < 2
assert 3.6 < min(slower) <= max(slower) < 4.7

from live import bet

bet(
    "long_sequences/slower",
    [
        (
            "with the future hidden",
            round(by_blocks_take[0]),
            "That would be faster still: the weights are made twice.",
            "They make the weights twice, but of nearly half of the scores they compute nothing.",
        ),
        (
            "with nothing hidden",
            round(by_blocks_take[1]),
            "Here nothing is skipped, and the weights are made twice.",
            "Making the weights twice is only a part of the work.",
        ),
    ],
    high=200,
    step=5,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# Three comparisons, of which the last is without the way back:

# %% tags=["hide-input"]
from IPython.display import Markdown, display

forward = seconds_of("causal", "forward")  # without the way back
rows = [
    f"| with {longest:,} keys | plain | in blocks |",
    "| --- " * 3 + "|",
    f"| time of a step, future hidden | {seconds[0]:.1f} s | {seconds[1]:.1f} s |",
    f"| time of a step, nothing hidden | {open_[0]:.1f} s | {open_[1]:.1f} s |",
    f"| only the way forward, future hidden | {forward[0]:.1f} s | {forward[1]:.1f} s |",
]
display(Markdown("\n".join(rows)))
computer = results["machine"]
print(f"measured on {results['date'].split(',')[0]}: {computer['processor']},")
print(
    f"{computer['cores']} cores, {computer['memory_gigabytes']:.0f} GB, float32, no GPU"
)
assert round(forward[1], 1) == 0.5
assert 2 < forward[1] * (1e6 / longest) ** 2 / 3600 < 2.3  # hours
assert 1.1 < seconds[0] / seconds[1] < 2
assert 1.8 < forward[0] / forward[1] < 2.2
assert [round(x, 1) for x in (*seconds, *open_)] == [2.9, 2.1, 2.7, 3.2]
assert computer["cores"] == 2

# %% [markdown]
# </details>
#
# The lunch is free only where the future is hidden, because there nearly half is skipped: a step in blocks took 2.1
# seconds in place of 2.9. Otherwise you pay: 3.2 seconds in place of 2.7.
#
# ## What blocks do not cure
#
# **Blocks help with the memory, and not with how the time grows**, since each query still meets all keys before it.
# With 8,192 places the way forward took half a second on our two cores. A million places, 122 times as many, would take
# 122² times as long, over two hours for one layer. If that is to be less, letters [must see less](windows.py).
#
# <details class="lesson-more" markdown="1" id="the-function-read"><summary>For the curious: how memory grows, and how blocks find the way back</summary>
#
# In this picture "plain" attention makes the whole matrix, and "blockwise" is the one of our package. Beside them are
# Keras (`keras.ops`) and PyTorch (`torch`), which cuts the keys, too, as the [next lesson](online_softmax.py) does.
# Each horizontal line stands for ten times the memory of the one below it. Where a line ends early, the matrix did not
# fit into the machine any more:

# %% tags=["hide-input"] alt="Memory against length, both axes logarithmic. The lines of plain attention and of keras.ops rise three to four times at each doubling of the length; that of torch rises about twice; that of blockwise attention rises less than twice, on average."
import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(4.8, 3.6), layout="constrained")
pictures.draw(ax, memory, "memory, in MB")
ax.yaxis.set_major_formatter("{x:,.0f}")
ax.grid(axis="y", color="#808080", alpha=0.4)
plt.show()


def growth(line):
    """By how much a doubling of the length multiplies the memory, in the mean."""
    shortest, longest = min(line), max(line)
    return (line[longest] / line[shortest]) ** (1 / np.log2(longest / shortest))


assert growth(memory["blockwise"]) < 1.8 < growth(memory["torch"]) < 2
assert all(3 < growth(memory[who]) < 4 for who in ("ours", "keras.ops"))
assert {row["who"] for row in results["memory"] if row["megabytes"] is None} == {
    "ours",
    "keras.ops",
}  # what did not fit

# %% [markdown]
# How does [`blockwise_attention`](../reference/blockwise.md) of our package walk
# [back](training.py#all-numbers-at-once), block by block? Say that a value has the weight 0.3, and that the slope of
# the loss along the output is 2. If the value grows by a little, the output grows by 0.3 of it, so the slope of the
# value is 0.3 · 2 = 0.6. The slope of a score needs one sum over the whole row, in which each weight $p_k$ is
# multiplied by its own slope. This sum is what the mixture was in [the lesson on training](training.py#where-to-look).
# Now the slope of a weight is the dot product of its value $v_k$ and the slopes of the output, $g$. So the sum is
#
# $$
# \sum_k p_k \, (g \cdot v_k) = g \cdot \sum_k p_k v_k = g \cdot o ,
# $$
#
# where $o$ is the output. A block has $g$ and $o$, so it needs no more than it needed before. Does it come out right?
# Here the whole matrix and the blocks get the same padded batch, of a length that the blocks do not divide:

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
# ## Who found this, and when
#
# In 2016 Chen and others threw away what a whole layer had found, and made it once more on the way back. In 2020
# Kitaev, Kaiser and Levskaya wrote that attention can be had for each query by itself. Rabe and Staats measured in 2021
# how little memory that needs if the keys are cut as well: with 16,384 places 59 times less than before.
#
# ## Exercises
#
# ### Exercise 1
#
# A block of 256 queries meets $n$ keys, in 8 heads, with four bytes for a number. How many bytes do its weights take
# for each key? Up to which power of two for $n$ do they take less than 1 GB? And up to which does the whole matrix?


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
# A text with the future hidden is cut into equal blocks of queries. Which share of all scores is computed with 2
# blocks, with 8, and with 32? And towards which share does it go? A drawing of two blocks helps.

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
# Cut the keys like the queries. Then the square has a part for each pair, and a block reads those up to the diagonal.
# With $b$ blocks these are $b (b + 1) / 2$ of $b^2$ parts, which is $1/2 + 1/(2b)$. So it goes towards one half.
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
# - some digits of the result | The numbers are the same, but for rounding. Nothing is approximated.
# - places that are far away | Each query still sees all its keys.
# + arithmetic in training: it makes the weights twice | They are thrown away, and the gradient needs them once more. Only where nearly half of the scores are hidden, and skipped, is it faster all the same.
# ? A text gets twice as long. What does attention by blocks need?
# - twice the memory and twice the time | Each query still meets all the keys that it may see, so the time grows with the square.
# + about twice the memory, and about four times the time | Blocks save memory. They save time only where they leave out hidden scores.
# - four times the memory, and four times the time | The weights grow like that, and all of the memory here about threefold.
# ? Why is no number approximated?
# - because the blocks are small | A block of any size gives the same numbers.
# + because each row of weights is made as a whole, only not all rows at once | A softmax needs its own row, and no other.
# - because training corrects what is lost | Nothing is lost, and nothing has to be trained again.
# ```
#
# </details>
#
# ## Where to go next
#
# A square of 32 terabytes has become a strip that fits into a laptop. But each row of the strip is still there as a
# whole, because a softmax divides by the sum of its row: before the last score has come, it cannot say a single weight.
# Or can it? Suppose that it must begin with the first few scores, and throw them away before the others come. How?
#
# * [A softmax in pieces](online_softmax.py): the trick behind FlashAttention.
# * [A window on the past](windows.py): how far must a letter see?
# * [Reference: blockwise](../reference/blockwise.md): the function in our package.
#
# Read on elsewhere: Chen and others (2016), [Training Deep Nets with Sublinear Memory
# Cost](https://arxiv.org/abs/1604.06174); Kitaev, Kaiser and Levskaya (2020), [Reformer: The Efficient
# Transformer](https://arxiv.org/abs/2001.04451); Rabe and Staats (2021), [Self-attention Does Not Need O(n²)
# Memory](https://arxiv.org/abs/2112.05682).

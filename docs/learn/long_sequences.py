# ---
# title: Long sequences
# description: The matrix of weights that does not fit, and how to do without it. Attention one block of queries at a time, in ten lines of NumPy, and what it saves.
# ---

# %% [markdown]
# # Long sequences: what if the matrix does not fit? { #what-if-the-matrix-does-not-fit }
#
# A machine that writes with a [cache](cache.py) needs one row of weights for each new letter. But a text that is *read*
# goes in as a whole. Then all its letters ask at once, and their rows are a square. What if the text is a book, with a
# million letters?
#
# [GPT-3](https://arxiv.org/abs/2005.14165) (2020) could read 2,048 pieces of words at once, and [Gemini
# 1.5](https://arxiv.org/abs/2403.05530) (2024) a million. One wall between the two is memory. Ten lines of NumPy get a
# laptop past it.
#
# First run into the wall. A text is a line of **places**, each with a letter, or a piece of a word. Let it grow, from
# the 34 places of our dates on. Three squares show bytes: those of a laptop, 16 GB, those of the inputs, which are the
# queries, keys and values, and those of the weights. (There are 8 heads of 64 numbers, as in the first Transformer,
# with four bytes for a number.)
#
# 1. At how many places do the weights break out of the laptop?
# 2. Guess before you go on to a million: how many laptops would have to lend all their memory?

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


lengths = [round(34 * (1e6 / 34) ** (i / 40)) for i in range(41)]
lengths = [n if n < 100 else round(n, 2 - len(str(n))) for n in lengths]
lengths = sorted({*lengths, 1_000, 2_048, 30_000})
rows = [
    f"<tr><td>{n:,}</td><td>{bytes_in_words(inputs(n))}</td><td>{bytes_in_words(weights(n))}</td></tr>"
    for n in (34, 1_000, 30_000, 1_000_000)
]
touch(
    "wall",
    "<table><thead><tr><th>places</th><th>inputs</th><th>weights</th></tr></thead>"
    f"<tbody>{''.join(rows)}</tbody></table>",
    lengths=lengths,
    now=0,
    known={34: "a date", 2_048: "GPT-3", 1_000_000: "Gemini 1.5"},
    heads=HEADS,
    depth=DEPTH,
    bytes=BYTES,
    laptop=16e9,
)

# %% tags=["remove-input"]
assert bytes_in_words(weights(1_000_000)) == "32 TB"
assert weights(1_000_000) / 16e9 == 2000  # laptops
assert weights(22_000) < 16e9 < weights(23_000)
assert inputs(30_000) == 30 * inputs(1_000)
assert weights(30_000) == 900 * weights(1_000)
block, beside = HEADS * 64e6 * BYTES, inputs(1_000_000) * 4 / 3  # and the outputs
assert [round(n / 1e9) for n in (block, 3 * block, beside)] == [2, 6, 8]
assert round((3 * block + beside) / 1e9) == 14 < 16

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Where, and how many?</summary>
#
# 1. On the slider, between 21,000 and 27,000 places; computed, at a little over 22,000. That is about forty pages if a
#    place is a piece of a word, and a dozen if it is a letter. From 1,000 to 30,000 places the inputs grow 30-fold, but
#    the weights 900-fold.
# 2. Two thousand: the weights of a million places take 32 terabytes, in every layer.
#
# </details>
#
# What comes *out* of attention is no larger than what goes in. Must the huge matrix between the two ever be there?
#
# ## One row at a time
#
# No. The output of a query needs the **row** of its own weights, and no other row. So make one row, multiply it with
# the values, keep the output, and throw the row away.
#
# One row after the other would be slow, because processors are fastest at large products. So we take a **block** of
# neighbouring queries at a time.
#
# Here are 32 queries. Step through the blocks, or let them run, and watch what is in memory. Then switch the look-ahead
# mask on. With small blocks, which share of all scores is never computed: none, a quarter, or nearly half?

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
# <details class="lesson-answer" markdown="1"><summary>Which share?</summary>
#
# With small blocks nearly half: a block never reads the keys that come after its last query.
#
# </details>
#
# And the book? Take blocks of 64 queries. Then 64 rows are in memory at a time, and not a million:
#
# $$
# 8 \cdot 64 \cdot 1{,}000{,}000 \cdot 4 \text{ bytes} \approx 2 \text{ GB}
# $$
#
# A program holds about three such matrices at a time, the scores, the powers and the weights. That is 6 GB, if all
# eight heads are computed at once. With the inputs and the outputs, which take 8 GB, it makes 14, and the laptop has
# 16. **The attention of one layer fits.**
#
# ## Your machine so far { #your-machine-so-far }
#
# Write `by_blocks`, which calls your `attention` for one block of queries after the other. With `causal=True` a block
# gets only the keys up to its last query. But a mask is still needed: in the block of the queries 4 to 7, key 7 may be
# seen by the last query only. Draw this mask first. (In NumPy `[:, None]` makes a column of a row, and a row can be
# compared with a column.)
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
            keys, queries = np.arange(last), np.arange(first, last)[:, None]
            end, mask = last, keys > queries
        outputs.append(attention(q[first:last], k[:end], v[:end], mask))
    return np.concatenate(outputs)


# %%
# With by_blocks the outputs are those of attention, and with causal=True those of the look-ahead mask:
q, k, v = np.random.default_rng(1).normal(size=(3, 100, 8))  # random numbers
np.testing.assert_allclose(by_blocks(q, k, v, block=24), attention(q, k, v))
hidden = np.triu(np.ones((100, 100)), k=1)
np.testing.assert_allclose(
    by_blocks(q, k, v, block=24, causal=True), attention(q, k, v, hidden)
)
print("100 queries in blocks of 24:")
print("the same numbers as all at once")
print(f"weights held: {24 * len(k):,} instead of {len(q) * len(k):,}")

# %% [markdown]
# The same numbers come out, because they are only computed in another order. Nothing is approximated, and nothing has
# to be trained again.
#
# As a formula: for each block of queries $Q_b$, with the keys $K_b$ and the values $V_b$ that the block may see, the
# output is
#
# $$
# O_b = \operatorname{softmax}\left(\frac{Q_b K_b^\top}{\sqrt{d_k}}\right) V_b .
# $$
#
# ## How much memory blocks save
#
# What do blocks cost? They throw their weights away. But in training the gradient needs the weights once more, so they
# are computed twice.
#
# We measured a step of training with blocks, with the future hidden. Let its text get twice as long, from 4,096 to
# 8,192 keys. How many times the memory does it take, besides inputs and outputs, and how many times the time?

# %% tags=["live", "hide-input"]
import json
from pathlib import Path

# Measurements are in the repository and not in the package, so this cell needs a clone.
root = Path("../..").resolve()
sys.path.append(str(root))
from benchmarks import pictures

results = json.loads((root / "benchmarks/results.json").read_text("utf-8"))
times, memory = pictures.lines(results)
longest = max(set(memory["ours"]) & set(memory["blockwise"]))
both = ("ours", "blockwise")
doubled = [memory[who][longest] / memory[who][longest // 2] for who in both]
slower = [times[who][longest] / times[who][longest // 2] for who in both]
assert longest == 8192  # as the text says

from live import bet

bet(
    "long_sequences/twice",
    [
        (
            "memory of blocks",
            round(doubled[1], 1),
            "A block has as many rows as before, but each row gets twice as long.",
            "A block has as many rows as before, and each row gets only twice as long.",
        ),
        (
            "time of blocks",
            round(slower[1], 1),
            "Blocks mend the memory only. Twice as many queries still meet twice as many keys.",
        ),
    ],
    low=0,
    high=5,
    step=0.5,
    unit=" times",
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# With blocks the longer text takes less than twice the memory, but about four times the time. (With the whole matrix it
# takes about three times the memory.)
#
# In the picture "plain" attention makes the whole matrix, and "blockwise" is that of our package. Beside them are Keras
# (`keras.ops`) and PyTorch (`torch`). Each horizontal line stands for ten times the memory of the one below it. Where a
# line ends early, the matrix did not fit into the machine any more:

# %% tags=["hide-input"] alt="Memory against length, both axes logarithmic. The lines of plain attention and of keras.ops rise three to four times at each doubling of the length; that of torch rises about twice; that of blockwise attention rises less than twice, on average."
import matplotlib.pyplot as plt
from IPython.display import Markdown, display

figure, ax = plt.subplots(figsize=(4.8, 3.6), layout="constrained")
pictures.draw(ax, memory, "memory, in MB")
ax.yaxis.set_major_formatter("{x:,.0f}")
ax.grid(axis="y", color="#808080", alpha=0.4)
plt.show()

megabytes, seconds = (
    [line[who][longest] for who in both] for line in (memory, times)
)
faster = seconds[0] / seconds[1]
rows = [
    f"| with {longest:,} keys | plain | blockwise |",
    "| --- " * 3 + "|",
    f"| memory | {megabytes[0]:,.0f} MB | {megabytes[1]:,.0f} MB |",
    f"| time | {seconds[0]:.1f} s | {seconds[1]:.1f} s |",
]
display(Markdown("\n".join(rows)))
computer = results["machine"]
print(f"measured on {results['date'].split(',')[0]}: {computer['processor']},")
print(
    f"{computer['cores']} cores, {computer['memory_gigabytes']:.0f} GB, float32, no GPU"
)


def growth(line):
    """By how much a doubling of the length multiplies the memory, in the mean."""
    shortest, longest = min(line), max(line)
    return (line[longest] / line[shortest]) ** (1 / np.log2(longest / shortest))


assert growth(memory["blockwise"]) < 2 < 3 < growth(memory["ours"])
assert 2.7 < doubled[0] < 3.7
assert doubled[1] < 2
assert round(seconds[1], 1) == 2.1
assert 8.5 < seconds[1] * (1e6 / longest) ** 2 / 3600 < 9  # hours
assert 3.6 < min(slower) <= max(slower) < 4.7
assert 1.1 < faster < 2

# %% [markdown]
# Blocks also took less time here than plain attention, though they make the weights twice. Nearly half of the scores
# are skipped, which may be why. PyTorch needs less memory still, because it cuts the keys as well, as you will do
# below.
#
# </details>
#
# <details class="lesson-more" markdown="1" id="the-function-read"><summary>The way back, and a check</summary>
#
# The package makes the weights a second time in [`blockwise_attention`](../reference/blockwise.md), and computes the
# gradient block by block, too.
#
# A query has the weights $p_j$ and the output $o = \sum_j p_j v_j$. Walk [back](training.py#all-numbers-at-once) from
# the slopes $do$ of the output. The slope $dp_j$ of a weight is the product of $do$ and its value. The slope $ds_j$ of
# a score needs a sum over the whole row, since a softmax divides by one. (It is the weight · (value - mean) of [the
# lesson on training](training.py#where-to-look).) But this sum equals a much shorter one:
#
# $$
# ds_j = p_j \Big( dp_j - \sum_k p_k \, dp_k \Big), \qquad \sum_k p_k \, dp_k = \sum_k p_k \, (do \cdot v_k) = do \cdot
# o
# $$
#
# So a block needs on the way back what it needed before, and its outputs and their slopes. Does it come out right? Here
# the whole matrix and the blocks get the same padded batch, of a length that the blocks do not divide:

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
# ## Fewer scores: a window
#
# **Blocks mend the memory, and not the time**, since each query still meets all keys before it. With 8,192 places such
# a step took 2.1 s here. With a million it would take 122² times as long: nearly nine hours, for one layer, once.
#
# So a layer that is to be faster must compute fewer scores. A **window** is a mask that hides all but the nearest keys.
# Here are 16 queries in blocks of 4, with the look-ahead mask:

# %% tags=["hide-input"] alt="Two maps of 16 queries by 16 keys, in blocks of 4 queries. Without a window the blocks read all keys up to their last query, a staircase of which about half is computed. With a window of 4 each block reads only a band along the diagonal, at most 7 keys wide."
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

count, size = 16, 4
query, key = np.arange(count)[:, None], np.arange(count)
last = query // size * size + size - 1  # the last query of the block
figure, axes = plt.subplots(1, 2, figsize=(4.6, 3), layout="constrained")
colours = ["#80808018", "#0072b255", "#0072b2"]
for ax, window in zip(axes, (count, size), strict=True):
    read = (key <= last) & (key > last - size + 1 - window)
    seen = (key <= query) & (key > query - window)
    grid = read.astype(int) + seen
    ax.pcolormesh(
        grid, cmap=ListedColormap(colours), edgecolors="#80808060", lw=0.3
    )
    ax.set(xticks=[], yticks=[], aspect="equal", xlabel="keys", ylabel="queries")
    name = "no window" if window == count else "a window of 4"
    ax.set_title(f"{name}:\n{read.sum()} of {count**2} scores", fontsize=10)
    ax.hlines(np.arange(size, count, size), 0, count, color="#808080", lw=1)
    ax.invert_yaxis()
said = ["never computed", "computed, then hidden", "seen"]
figure.legend(
    [Patch(facecolor=c, edgecolor="#808080") for c in colours],
    said,
    loc="outside lower center",
    ncols=2,
    frameon=False,
    fontsize=9,
)
plt.show()

# %% [markdown]
# The band is equally wide for every length, so the time grows only in proportion to the length. The price is that in
# one layer no letter sees farther than the window.
#
# ## Even a row can come in pieces, by hand
#
# You have passed the wall, and this section is for the curious. A row of a million numbers is still too long for the
# fast memory on a graphics processor. So fast programs, such as *FlashAttention*, cut the rows into **pieces**, too.
# But a softmax divides by the sum of the whole row. How can it begin before the row is there?
#
# It can begin as one adds up a long bill, page by page, with the sum carried over. Carry two sums: of the powers, and
# of each power times its value. At the end the second sum divided by the first is the output.
#
# There is one catch. Before the powers are taken, the largest score $m$ of the row is subtracted from each score $s$,
# so that no power becomes too large for its four bytes. (No weight changes, since all powers shrink by the same
# factor.) And the largest score may come last. So measure from the *largest so far*: each power is $e^{s - m}$.
#
# Let the scores 1, 3, 2, 6 with the values 10, 20, 30, 40 come in two pieces. In the first piece the largest is 3, so
# its powers are $e^{1 - 3} = 0.1353$ and $e^0 = 1$. The second piece holds 2 and 6, so now the largest is 6. Both sums
# were measured from 3, so they are too large. But we *know* by which factor, and mend them: times $e^{3 - 6} =
# 0.049787$.
#
# --8<-- "diagrams/long_bill.svg"
#
# The output is $41.6126 / 1.0748 = 38.72$, which is what the ordinary softmax gives. Only the largest score and both
# sums were carried over, and the page itself could be thrown away. This is the *online softmax*.
#
# Below, the bars are the powers. Read the second piece, and watch the two bars of the first. With a last score of 2, is
# anything mended?

# %% tags=["live", "hide-input"]
touch(
    "mending",
    "<p>After the first piece, 1 and 3, the sums are 1.1353 and 21.3534, both measured from 3. The second piece brings a"
    " 6. So both are multiplied by 0.049787, and the new powers are added: 1.0748 and 41.6126. The bars of the first"
    " piece, which stood at 0.14 and 1, fall to 0.007 and 0.05. With a last score of 2 nothing is mended, because no"
    " score is larger than 3.</p>",
    scores=[1, 3, 2, 6],
    values=[10, 20, 30, 40],
    size=2,
    step=1,
)

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>In Python, and a word on the subtraction</summary>
#
# Your short `softmax` does not subtract the largest score, so with four bytes a score of 89 would be too much for it.
# Here are the two pieces:

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
    print(f"largest {m:.0f}: {total:.4f}, times values {output:.4f}")

whole = sum(math.exp(s) for s in scores)
expected = sum(math.exp(s) / whole * v for s, v in zip(scores, values, strict=True))
print(f"in pieces {output / total:.4f}, ordinary {expected:.4f}")

# %% tags=["remove-input"]
import re

np.testing.assert_allclose(output / total, expected, rtol=1e-12)
assert math.exp(88) < float(np.finfo("float32").max) < math.exp(89)
assert round(math.exp(-3), 6) == 0.049787
assert (round(total, 4), round(output, 4)) == (1.0748, 41.6126)
assert round(output / total, 2) == 38.72

# The bill of the drawing: each score's power, and this times its value; and the sums, mended and added up.
drawn = Path("../diagrams/long_bill.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number[^>]*>([^<]+)<', drawn)
bill, carried = [], np.zeros(2)
for first in (0, 2):
    largest_so_far = scores[first + 1]
    if first:
        carried = carried * math.exp(scores[first - 1] - largest_so_far)
        bill.append(carried)
    for s, v in zip(scores[first:][:2], values[first:][:2], strict=True):
        bill.append(math.exp(s - largest_so_far) * np.array([1, v]))
        carried = carried + bill[-1]
    bill.append(carried)
np.testing.assert_allclose(np.array(drawn, float), np.ravel(bill), atol=5.1e-5)

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# Milakov and Gimelshein published the online softmax in 2018, for the last layer of machines that guess the next word.
# In 2021 Rabe and Staats built attention in little memory with the same trick. Dao and others made it fast in 2022,
# with FlashAttention. It does *more* arithmetic than plain attention and still takes less time, because on a graphics
# processor moving numbers costs more.
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
# Each place looks at itself and at the 63 before it. There are 1,024 places, in blocks of 64 queries. A block reads
# only those keys that at least one of its queries may see. Which share of 1,024 by 1,024 scores is computed? A drawing
# of the first three blocks helps.

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
# A block reads its own 64 keys, and the 63 before its first query. So 15 blocks have 64 rows of 127 scores, and the
# first one has 64 rows of 64.
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
# + time in training: it makes the weights twice | They are thrown away, and the gradient needs them once more. Here blocks were faster all the same, perhaps because they skip the hidden scores.
# ? A text gets twice as long. What does attention by blocks, without a window, need?
# - twice the memory and twice the time | Each query still meets all the keys that it may see, so the time grows with the square.
# + about twice the memory, and about four times the time | Blocks save memory. They save time only where they leave out hidden scores.
# - four times the memory, and four times the time | The memory of the whole matrix grows more like that: here about threefold.
# ? 1,024 places in 4 blocks of 256 queries, causal. Which share of the scores is not computed?
# - 50 % | Nearly half are hidden. But a block reads all of its own 256 keys, so half of these scores are computed and then hidden.
# - 62.5 % | That is the share that is computed: the blocks read 1, 2, 3 and 4 times 256 keys, which is 10 of 16.
# - 25 % | That is the share of each block's own 256 keys, 4 of 16. They are read.
# + 37.5 % | The four blocks leave out 3, 2, 1 and 0 times 256 keys. That is 6 of 16.
# ```
#
# ## Where to go next
#
# Is a chat machine made of the parts that you know? Nearly. It is [the half that writes](language_model.py), with many
# more layers. Three parts are exchanged: the [norm comes first](norm_first.py), [positions turn](turning_positions.py),
# and heads [share their keys](fewer_keys.py). Later lessons explain them. But you have trained no machine for a task of
# your own yet.
#
# * [Now you: Roman numerals](roman.py): a project. Can you teach it something else?
# * [Reference: blockwise](../reference/blockwise.md): every argument and error of the function.
#   [`MultiHeadAttention`][clear_attention.MultiHeadAttention] says when a layer takes blocks by itself.
#
# Read on elsewhere: Milakov and Gimelshein (2018), [Online normalizer calculation for
# softmax](https://arxiv.org/abs/1805.02867); Rabe and Staats (2021), [Self-attention Does Not Need O(n²)
# Memory](https://arxiv.org/abs/2112.05682); Dao and others (2022), [FlashAttention](https://arxiv.org/abs/2205.14135).

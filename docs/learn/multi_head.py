# ---
# title: Multi-head attention
# description: When one look is not enough. A machine that must read a date in one look, what a single average cannot carry, what trained heads look at, how heads share the numbers of a vector, and the reshape that runs and is wrong.
# ---

# %% [markdown]
# # When is one look not enough?
#
# In the last lesson the machine had four maps for one answer, because it looks in four ways at once. Each way is a
# **head**, which is an attention of its own with a map of its own. What is that good for? To find out, let us take
# nearly all of it away: here is a machine whose whole answer comes from one last look, by one head.
#
# An encoder with four heads reads the text, as in our machine. But nothing is written letter by letter. A single
# query looks at what the encoder made of the letters, and from what comes back one last matrix must read all eight
# digits of the date. (The query is a trained vector, the same for every text. But where it looks depends on the text,
# because the keys are made of the letters.) Here is how it reads a date:

# %% tags=["hide-input"]
import sys

import numpy as np

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from clear_attention import create_date_pairs, date_tokenizers
from date_machine import comparison, machine
from trained.ablations import shares
from trained.digits import digits_of, reader

tokenizer, _ = date_tokenizers()
one, _ = trained.load("digits-1")
eight, _ = trained.load("digits-8")
texts, dates = create_date_pairs(2000, seed=1, split="test")
texts, right = ["may 14th, 1967", *texts], digits_of(["1967-05-14", *dates])
by_one, by_eight = (
    np.argmax(model(tokenizer.encode(texts)), axis=-1) for model in (one, eight)
)

year, last, before = by_one[:, :4], right[:, [0, 1, 3, 3]], right[:, [0, 1, 2, 2]]
wrong = (year != right[:, :4]).any(axis=1)
last_twice = wrong & (year == last).all(axis=1)  # 1977 for 1967
before_twice = wrong & (year == before).all(axis=1)  # 1966 for 1967
swapped = wrong & (year == right[:, [0, 1, 3, 2]]).all(axis=1)  # 1976 for 1967
rest_right = (by_one == right)[:, 4:].all(axis=1) & (by_eight == right).all(axis=1)
four_digits = np.array([len({*row[:4]}) == 4 for row in right])
chosen = np.flatnonzero(last_twice & rest_right & four_digits)[0]
text, said = texts[chosen], "".join(map(str, by_one[chosen]))
print(f"{text}   is read as   {said[:4]}-{said[4:6]}-{said[6:]}")
print("\nof 2,000 unseen dates")
for words, which in {
    "right": (by_one == right).all(axis=1),
    "year wrong": wrong,
    "  last digit twice, as above": last_twice,
    "  digit before it twice": before_twice,
    "  these two swapped": swapped,
    "last digit but one wrong": year[:, 2] != right[:, 2],
    "last digit wrong": year[:, 3] != right[:, 3],
}.items():
    print(f"{words:28} {which[1:].mean():4.0%}")
assert 0.4 < (by_one == right).all(axis=1).mean() < 0.6
assert (last_twice | before_twice).sum() / wrong.sum() > 0.8
assert last_twice.sum() > 2 * before_twice.sum()
assert last_twice.sum() > 4 * swapped.sum()
assert np.mean(year[:, 2] != right[:, 2]) > 2 * np.mean(year[:, 3] != right[:, 3])

# %% [markdown]
# It reads one date in two. Look at the year: its last digit stands there twice, and the one before it is lost. Most of
# the wrong years are of this kind. Why does the machine lose a digit, and say another one twice? Keep this riddle in
# mind. Below, this machine stands beside ours, which was trained for longer. Try a few dates:

# %% tags=["live", "hide-input"]
machine(
    "dates",
    "digits-1",
    piece="beside",
    sibling="digits-1",
    text=text,
    without=comparison("dates", "digits-1"),
)

# %% [markdown]
# ## One head, two, four, eight
#
# Now let the query have more heads. Each machine was trained three times, and a dot is one training, computed
# beforehand. Each took 700 steps, where our machine took 1,000, so compare the dots only with each other.

# %% tags=["hide-input"] alt="Three dots a row, from 0 to 100 % of unseen dates right. One head: about 50 %. Two heads: about 60 %. Four heads: about 68 %. Eight heads: about 72 %."
import matplotlib.pyplot as plt

BLUE, ORANGE = "#0072b2", "#d55e00"


def dots(*names):
    """Draw three trainings a row, and return the mean of each row."""
    _, ax = plt.subplots(
        figsize=(5.5, 0.5 + 0.4 * len(names)), layout="constrained"
    )
    for row, name in enumerate(names):
        ax.plot(shares(name), [row] * 3, "o", color=BLUE, alpha=0.6)
    ax.set(xlim=(0, 1), ylim=(len(names) - 0.5, -0.5), xlabel="unseen dates right")
    ax.set_yticks(range(len(names)), names)
    ax.xaxis.set_major_formatter("{x:.0%}")
    ax.grid(axis="x", alpha=0.3)
    ax.spines[["top", "right", "left"]].set_visible(False)
    plt.show()
    return [sum(shares(name)) / 3 for name in names]


means = dots("1 head", "2 heads", "4 heads", "8 heads")
print("on average:", ", ".join(f"{mean:.0%}" for mean in means))
assert means == sorted(means)
assert [round(100 * mean) for mean in means] == [50, 60, 68, 72]

# %% [markdown]
# Each training with two heads reads more than each training with one. From two heads to four the dots just overlap, and
# from four to eight they mix. The mean rises each time, though the last rise may be chance. Here heads matter.
#
# ## What trained heads look at
#
# Why do they matter? Here is the date from above again. On top is the look of the single head, and below are the looks
# of a machine with eight heads, which reads this date right. Each row is one head, and shows how it shares its weight
# among the letters. (The numbers are per cent, from 10 on.) Nobody told the eight heads to divide the work. Do they?

# %% tags=["hide-input"] alt="Heat map: the letters of a date from left to right, and nine rows. The single head, on top, spreads its weight over many letters. Of the eight heads below, most put their weight on one letter or two, and not all on the same."
from clear_attention import plot_weights

looks = [
    model(tokenizer.encode([text]), return_weights=True)[1][0, :, 0].numpy()
    for model in (one, eight)
]
rows = np.vstack(looks)[:, : len(text)]  # (1 + 8, letters)
figure, ax = plt.subplots(figsize=(5, 3.5), layout="constrained")
plot_weights(
    rows,
    tokens=["one head", *(f"{head} of 8" for head in range(1, 9))],
    key_tokens=[*text.replace(" ", "␣")],
    ax=ax,
    colour_bar=False,
)
for number in [*ax.texts]:  # a small map has numbers of its own
    number.remove()
for (row, letter), share in np.ndenumerate(rows):
    if share >= 0.1:
        ink = "white" if share < 0.45 else "black"
        place = (letter + 0.5, row + 0.5)
        ax.annotate(
            f"{100 * share:.0f}", place, ha="center", va="center", size=8, color=ink
        )
ax.axhline(1, color="white", linewidth=6)
ax.set(xlabel="", ylabel="")
plt.show()
assert rows[0].max() < 0.4
assert (rows[1:].max(axis=1) > 0.5).sum() >= 3
assert len({*rows[1:].argmax(axis=1)}) >= 4

# %% [markdown]
# They do, more or less. The single head spreads its weight over many letters. Of the eight, some have a letter of
# their own, and others share one. (A letter may bring more than itself, because the encoder has mixed the letters
# before.) For another date, or after another training, they may divide the work in another way.
#
# ## What one average cannot carry
#
# What is lost when one head must spread its weight? Say the text holds a 3 and a 5, and the head must bring back both.
# Let the value of each digit be the digit itself. The head shares out its weight, and what comes back is one number:
#
# * the text "3 5", a half of each: $0.5 \cdot 3 + 0.5 \cdot 5 = 4$
# * the text "4 4", a half of each: $0.5 \cdot 4 + 0.5 \cdot 4 = 4$
#
# The two texts cannot be told apart any more. Here are all hundred texts of two digits, in a square. The green ones
# bring the same number as "3 5", or one that is at most 0.1 away, since so small a difference is easily lost. Try other
# weights. Then give the machine a second head.

# %% tags=["live", "hide-input"]
from live import touch

touch(
    "crossing",
    "<p>From “3 5” a head that gives half of its weight to each digit brings 4. So do eight other texts, from “0 8” to"
    " “8 0”. A second head with other weights brings a second number, and only “3 5” has both.</p>",
    text=[3, 5],
    first=0.5,
    second=0.65,
    both=False,
)

# %% [markdown]
# One head draws a line through the square, and all texts on the line are the same to it. Two heads draw two lines, a
# blue and an orange one. Unless both share out their weight nearly alike, these cross in one place, the green one. In the
# simplest pair, each head looks at one digit:
#
# * "3 5": head 1 brings $1 \cdot 3 + 0 \cdot 5 = 3$, head 2 brings $0 \cdot 3 + 1 \cdot 5 = 5$
#
# But is this fair? In the machine above a value is not one number, but 64. So the encoder may put the
# two digits into different numbers. Let the value of the first digit be $(3, 0)$ and that of the second $(0, 5)$. Then
# a half of each is $(1.5, 2.5)$, from which both digits can be read.
#
# So one head *can* bring both. But however long its values are, **a head has one set of weights, so it brings back one
# average.** A head that gives 0.9 to the day has 0.1 left for the year, in all 64 numbers. Then 5 differs from 6 by
# only 0.1, unless the year's values are made ten times as large, and such small steps drown in what the other letters
# bring. And if the head shares out its weight equally,
# the encoder must give each of the eight digits numbers of its own, whatever the form of the date. Probably that is
# hard to learn.
#
# This fits the riddle. In the picture the single head gives most of its weight to the year, and yet the year is what
# goes wrong, because several of its digits share one average. They are not mixed up: if the machine knew both digits,
# and only not their order, it would double the one as often as the other. But it nearly always knows the last digit,
# and loses the one before it. Perhaps what is left of that one in the average drowns in what its
# neighbour brings, which is then said in its place as well. The weights alone do not say why this digit is lost and not
# the other. Eight heads bring back eight averages, and each can look closely at another place.
#
# There is another remedy, which is more room in one average. In a machine twice as *wide*, with 128 numbers for each
# letter where ours has 64, a single head reads more dates on average than eight heads do at our width. But such a
# machine has more than three times as many numbers to train. So heads are no magic. Here they are the cheaper way.
#
# <details class="lesson-more" markdown="1"><summary>More heads or a wider machine, in numbers</summary>
#
# Eight heads of 8 numbers have as many numbers to train as one head of 64. A machine half as wide has about a third of
# them. The numbers to train stand in the order of the rows:

# %% tags=["hide-input"] alt="Three dots a row, from 0 to 100 % of unseen dates right. One head: about 50 %. Eight heads: about 72 %. One head in a machine twice as wide: about 80 %. Eight heads in a machine half as wide: about 33 %."
means = dots("1 head", "8 heads", "1 head, twice as wide", "8 heads, half as wide")
print("on average:", ", ".join(f"{mean:.0%}" for mean in means))
assert [round(100 * mean) for mean in means] == [50, 72, 80, 33]
kinds = ((1, 64), (8, 64), (1, 128), (8, 32))
sizes = [
    reader(heads, d_model=wide).build().count_params() for heads, wide in kinds
]
print("numbers to train:", "   ".join(f"{size:,}" for size in sizes))
assert sizes[0] == sizes[1]
assert 3 < sizes[2] / sizes[0] < 3.5
assert 0.3 < sizes[3] / sizes[0] < 0.37

# %% [markdown]
# With half the width, eight heads are worse than one of full width, perhaps because each has only four numbers to
# compare with, or because the whole machine is so much smaller.
#
# </details>
#
# ## Letter by letter, one head will do
#
# Now a surprise. Our own machine, which writes, was trained again with a single head everywhere. Both kinds were
# trained three times, from different random numbers. Here is what they read of 2,000 unseen dates:

# %% tags=["hide-input"]
for words, name in {"4 heads": "whole", "1 head": "one head"}.items():
    print(f"{words:8}", "   ".join(f"{share:.2%}" for share in shares(name)))
assert min(shares("one head")) > 0.99

# %% [markdown]
# It hardly needs its heads! And now you can say why: it looks anew for every letter that it writes. One letter needs
# one place of the text, or a few that lie together, and one average can carry that. So heads, which are often presented
# as essential, matter where one look must bring back many things.
#
# ## How the numbers are shared
#
# Four attentions with queries of 64 numbers would cost four times as much as one, so each head gets shorter queries. A
# letter's vector is multiplied by $W_Q$ once, and the *result* is cut into as many pieces as there are heads. With keys
# and values it is the same. Here is such a result for three letters of eight numbers. The numbers are simply 0 to 23,
# so that you see where each of them goes. Give them to two heads, then to four:

# %% tags=["live", "hide-input"]
from clear_attention import split_heads
from live import grid, lab

x = np.arange(24).reshape(3, 8)
apart = split_heads(x[None], num_heads=2)[0].numpy()
letters = ["m", "a", "y"]
lab(
    [
        {
            "state": {
                "tokens": letters,
                "x": x.tolist(),
                "choices": [1, 2, 4, 8],
                "heads": 2,
            }
        }
    ],
    grid("head 1 of 2", apart[0], letters) + grid("head 2 of 2", apart[1], letters),
    piece="heads",
)

# %% [markdown]
# No number is lost, and none is moved to another letter. When all heads have attended, what they found is put side by
# side again. Left like this, what the first head found would stand only in the first numbers of the letter's vector,
# and what the last head found only in the last ones. So one last matrix $W_O$ mixes what the heads found, so that each
# head can change all numbers.
#
# So more heads bring no more numbers to train. But every head has a map of its own, so the maps take more memory ([a
# count](../guides/questions.py#do-more-heads-cost-more)).
#
# In your own machine, `reshape` cuts each letter's numbers into pieces, and `swapaxes` then moves the axis of the heads
# to the front. (A program counts from 0, so `cut[0]` below belongs to head 1. In the comments, `d_model` is how many
# numbers a letter has, and `depth` how many a piece has.) To put the pieces together, `merge` does the same backwards:


# %%
import numpy as np


def split(x, heads):
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)  # (heads, length, depth)


def merge(x):
    return x.swapaxes(0, 1).reshape(x.shape[1], -1)  # (length, d_model)


numbered = np.arange(24).reshape(3, 8)
cut = split(numbered, 2)
print("a:            ", numbered[1])
print("a, in head 1: ", cut[0, 1])
print("a, in head 2: ", cut[1, 1])

# %% [markdown]
# ## The formula: one matrix or many?
#
# We have one $W_Q$ for all heads, and cut what comes out. The paper of 2017 gives every head small matrices of its own:
#
# $$
# \operatorname{MultiHead}(Q, K, V) = \operatorname{Concat}(\text{head}_1, \dots, \text{head}_h)\, W^O
# $$
#
# $$
# \text{head}_i = \operatorname{Attention}(Q W^Q_i, K W^K_i, V W^V_i)
# $$
#
# Careful: here $Q$, $K$ and $V$ stand for what comes in, the letters' vectors, *before* any matrix. The small matrices
# $W^Q_i$, $W^K_i$ and $W^V_i$ are those of head $i$, and there are $h$ heads. $\operatorname{Concat}$ puts what they
# found side by side, and $W^O$ is the last matrix, our $W_O$. A letter's vector has $d_{\text{model}}$ numbers, 64 in
# our machine. Each of the machine's four heads sees all 64, and makes a query and a key of $d_k = 16$ numbers from
# them. So it divides its scores by the root of 16.
#
# <details class="lesson-more" markdown="1"><summary>Every symbol and its shape</summary>
#
# | symbol | what it is | shape |
# | --- | --- | --- |
# | $d_{\text{model}}$ | how many numbers a letter's vector has, its *width*; ours has 64 | a number |
# | $h$ | how many heads there are | a number |
# | $d_k$, $d_v$ | numbers of a head: `d_model / h`, which is 16 with four heads; a head divides its scores by the root of *this* | numbers |
# | $W^Q_i$, $W^K_i$, $W^V_i$ | the matrices of head $i$ | `(d_model, d_k)`, the last `(d_model, d_v)` |
# | $\operatorname{Concat}$ | the heads' outputs side by side | `(length, h * d_v)` |
# | $W^O$ | the last matrix | `(h * d_v, d_model)` |
#
# </details>
#
# One large matrix does the same as many small ones. Put the small matrices side by side, and you have the large one.
# Then cut the result instead of the matrix:


# %% tags=["hide-input"] alt="Left: the matrix W_Q, 8 rows by 8 columns, its left half blue for head 1 and its right half orange for head 2. A vector of eight numbers times this matrix gives eight numbers, of which the first four are blue and the last four orange: the queries of the two heads, side by side."
def cells(ax, rows, columns, colour, left, top, name=""):
    for i in range(rows):
        for j in range(columns):
            square = plt.Rectangle(
                (left + j, top + i), 1, 1, facecolor=colour(j), edgecolor="white"
            )
            ax.add_patch(square)
    ax.text(left + columns / 2, top + rows + 0.8, name, ha="center", va="center")


from clear_attention import merge_heads, split_heads

np.testing.assert_array_equal(merge(cut), numbered)
np.testing.assert_array_equal(cut, split_heads(numbered[None], 2)[0])
np.testing.assert_array_equal(merge_heads(cut[None])[0], numbered)
figure, ax = plt.subplots(figsize=(7.5, 2.9), layout="constrained")
half = lambda j: BLUE if j < 4 else ORANGE  # noqa: E731
cells(ax, 1, 8, lambda j: "#999999", 0, 3.5, "a letter, d_model = 8")
ax.text(9, 4, "·", fontsize=16, ha="center", va="center")
cells(ax, 8, 8, half, 10, 0, "W_Q: two matrices, glued together")
ax.text(19, 4, "=", fontsize=14, ha="center", va="center")
cells(ax, 1, 8, half, 20, 3.5, "queries of head 1 and head 2")
ax.set(xlim=(-1, 29), ylim=(9.6, -0.4), aspect="equal")
ax.axis("off")
plt.show()

# %% [markdown]
# ## Your machine so far { #your-machine-so-far }
#
# Now the heads can go into your machine. `softmax` is the one that you mended in the lesson on [masks](masks.py). In
# `attention` one thing changes. Queries and keys now have three axes: one for the heads, one for the letters, one for
# the numbers. `k.T` would reverse the order of all three, so only the last two are swapped.
#
# Then `multi_head` takes four lines. `x` are the letters that look, and `seen` are those that are looked at. The mask
# has no axis for the heads, so NumPy uses it for all of them. (The mask of a batch has such an axis, of length 1.) The
# last five lines compare your function with the package's layer.


# %%
from clear_attention import MultiHeadAttention


def softmax(scores, mask):
    powers = np.where(mask == 1, 0, np.exp(scores))
    sums = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(sums == 0, 1, sums)


def attention(q, k, v, mask=0):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
    return softmax(scores, mask) @ v


def multi_head(x, seen, W_Q, W_K, W_V, W_O, mask=0, heads=4):
    q = split(x @ W_Q, heads)
    k, v = split(seen @ W_K, heads), split(seen @ W_V, heads)
    found = attention(q, k, v, mask)  # in all heads at once
    return merge(found) @ W_O


rng = np.random.default_rng(0)
x = rng.normal(size=(3, 8))  # three letters; random numbers
matrices = rng.normal(size=(4, 8, 8))  # W_Q, W_K, W_V, W_O
hidden = np.triu(np.ones((3, 3)), k=1)  # the look-ahead mask
ours = multi_head(x, x, *matrices, mask=hidden, heads=2)

layer = MultiHeadAttention(d_model=8, num_heads=2, use_bias=False, dtype="float64")
layer.build((None, None, 8))
layer.set_weights([*matrices])
np.testing.assert_allclose(layer(x[None], mask=hidden)[0], ours, atol=1e-12)
print("your function and the layer: the same", ours.shape)

# %% [markdown]
# Now you: the formula takes small matrices, one head after the other. Can you write it that way, without `split` and
# `merge`? The small matrices of head $i$ are columns of the large ones, and the mask is `hidden`.
#
# ```python
# outputs = []
# for i in range(2):
#     mine = slice(4 * i, 4 * i + 4)  # the columns of head i
#     outputs.append(...)
# by_formula = ...
# ```

# %% tags=["answer"]
W_Q, W_K, W_V, W_O = matrices
outputs = []
for i in range(2):
    mine = slice(4 * i, 4 * i + 4)  # the columns of head i
    q, k, v = x @ W_Q[:, mine], x @ W_K[:, mine], x @ W_V[:, mine]
    outputs.append(attention(q, k, v, hidden))
by_formula = np.concatenate(outputs, axis=1) @ W_O
np.testing.assert_allclose(by_formula, ours, atol=1e-12)
print("one head after the other: the same", by_formula.shape)

# %% [markdown]
# The package's layer, [`MultiHeadAttention`][clear_attention.MultiHeadAttention], does the same five things as your
# function: it multiplies, splits, attends, merges, and multiplies once more. It also cuts in the same two steps. Here
# they are, from [`split_heads`][clear_attention.split_heads]. `leading` are the axes before the letters, such as the
# batch, and `swap_axes` exchanges two axes, the third and the second from the end.

# %% tags=["source", "hide-input"]
import inspect
import re
import textwrap

code = inspect.getsource(split_heads)
middle = re.search(r"^ +x = tf\.reshape.*?^ +return .*?\n", code, re.DOTALL | re.M)
print(textwrap.dedent(middle[0]))

# %% [markdown]
# ## The wrong reshape, which runs { #a-published-trap-reshape-without-transpose }
#
# Your `split` gives the heads an axis of their own, and then moves it to the front. Many want to do both in one step,
# and write `x.reshape(heads, len(x), -1)`. The shape is right, so nothing complains. But look where the numbers went:


# %%
def wrong_split(x, heads):
    return x.reshape(heads, len(x), -1)


print("right, head 1, a row for each letter:", split(numbered, 2)[0].tolist())
print("wrong, head 1:                       ", wrong_split(numbered, 2)[0].tolist())

changed = numbered.copy()
changed[2] += 100  # change the last letter only
for name, cutting in {"right": split, "wrong": wrong_split}.items():
    moved = np.argwhere(cutting(numbered, 2) != cutting(changed, 2))
    print(f"places that change, {name}:", np.unique(moved[:, 1]))
np.testing.assert_array_equal(np.unique(moved[:, 1]), [1, 2])  # of the wrong one

# %% [markdown]
# The three letters are m, a and y again. In the wrong version the second row of head 1, which is place 1, is *the other
# half of the m*, where the a should stand. In head 2 it is half of the y, and that is why place 1 changes, too, when
# the y is changed. So every mask blocks the wrong thing: to hide place 1 would hide half of the m in head 1, and half
# of the y in head 2. This makes a test for any layer: change one letter, and see which places change.
#
# ## Who found this, and when
#
# Several looks side by side were tried by Lin and others early in 2017. The Transformer (Vaswani and others, 2017) made
# them the rule, with eight heads of 64 numbers each. In 2019 Michel, Levy and Neubig switched heads off in trained
# machines, and found that about 20 % of them could go without harm in a model that translates, and about 40 % in BERT.
# The same year Voita and others found a few heads with a clear task, and many without one.
#
# ## Exercises
#
# ### Exercise 1
#
# In [the date machine](../machine.py), under "Take it apart", switch off one head after the other, and then two at
# once. Then choose the machine that was *trained* with one head. Why is a head that is switched off worse than a head
# that never was?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# The four heads were trained together, so each relies on what the others bring, and $W_O$ expects all of them. A head
# that is switched off leaves a hole. A machine that never had it has learnt to do without.
#
# </details>
#
# ### Exercise 2
#
# The width is 12. Which numbers of heads are allowed, and what does the layer say about 5?

# %% tags=["answer", "wrap"]
try:
    MultiHeadAttention(d_model=12, num_heads=5)
except ValueError as error:
    print(error)
assert MultiHeadAttention(d_model=12, num_heads=5, d_k=7).d_k == 7

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# Twelve numbers can be shared among 1, 2, 3, 4, 6 or 12 heads, but not among 5. If you say how many numbers each head
# gets, say 7, any count is allowed: $W_Q$ then has 5 times 7 columns, and $W_O$ brings the result back to 12.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("multi_head")

# %% [markdown]
# ```self-check
# ? A head gives 0.9 of its weight to a letter of the day. How much of a letter of the year can it bring back at most?
# + 0.1, in every number that it brings back | A head has one set of weights, and they hold for all numbers of the values.
# - all of it, in the numbers that the day does not need | A weight counts for a whole value. No number of it has a weight of its own.
# - 0.9 as well, in another head | Another head may. But this one has only 0.1 left.
# ? The machine that writes reads nearly as well with one head as with four. Why?
# - One head of 64 numbers does the same as four of 16. | They have equally many numbers to train. But four heads bring back four averages, and one head brings back one.
# + It looks anew for each letter, so one look need not bring back much. | The machine that must read the whole date in one look is better with more heads.
# - Dates are so easy that heads never matter. | They do when all eight digits must come back in one look.
# ? A layer of width 64 gets eight heads instead of four. What becomes of a head?
# - It sees half as many letters. | Every head sees all letters, and all numbers of each. What is shared out are the numbers that it makes of them.
# + It gets half as many numbers of each query, key and value. | 64 numbers, shared by eight heads, are 8 for each instead of 16.
# - It keeps its 16 numbers, and the layer grows. | The width stays 64, and so do the matrices. More heads cost no more numbers to train.
# ```
#
# ## Where to go next
#
# You can now say when one look is enough and when it is not, and build a layer with heads. One debt is left from the
# lesson on attention, where "may" and "yam" were the same. What must a machine be told, so that it can tell them apart?
#
# * [Positions](positions.py): how the machine knows what comes first.
# * [Carry weights over](../guides/carry_weights.py): from Keras and torch to here, and back.
# * [Reference: heads](../reference/heads.md): every argument and error of the layer.
#
# Read on elsewhere: Vaswani and others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section
# 3.2.2; Michel, Levy and Neubig (2019), [Are Sixteen Heads Really Better than One?](https://arxiv.org/abs/1905.10650);
# Voita and others (2019), [Analyzing Multi-Head Self-Attention: Specialized Heads Do the Heavy Lifting, the Rest Can Be
# Pruned](https://arxiv.org/abs/1905.09418).

# ---
# title: Multi-head attention
# description: When one look is not enough. What a single average cannot carry, how heads share the numbers of a vector, what trained heads look at, the reshape that runs and is wrong, and what heads cost.
# ---

# %% [markdown]
# # When is one look not enough?
#
# In the last lesson the machine had four maps for one answer. The reason is that it attends with four **heads**, which
# are four attentions side by side, each with a map of its own. Does it need them?
#
# ## Letter by letter, one head will do
#
# The machine was trained again with a single head. Both kinds were trained three times, from different random numbers.
# Here is what they read of 2,000 unseen dates:

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from date_machine import comparison, machine
from trained.ablations import shares

for words, name in {"4 heads": "whole", "1 head": "one head"}.items():
    print(f"{words:8}", "   ".join(f"{share:.2%}" for share in shares(name)))
assert min(shares("one head")) > 0.99

# %% [markdown]
# So the machine hardly needs them, although heads are often presented as essential. To write one letter of a date, it
# must look at one place, or at a few that lie together. One head can do that, and for the next letter it looks
# elsewhere.
#
# ## The whole date in one look
#
# So let us ask for more. Here is a machine that does not write letter by letter. An encoder reads the text, as in our
# machine. Then a single query looks at what the encoder made of the letters, *once*, and from what comes back one last
# matrix must read all eight digits of the date. The query is a trained vector, the same for every text. But where it
# looks depends on the text, because the keys are made of the letters.
#
# The encoder keeps its four heads, and we change only how many heads the query has. With one head, the machine reads
# one date in two. Try a few:

# %% tags=["live", "hide-input"]
machine(
    "dates",
    "digits-1",
    piece="beside",
    sibling="digits-1",
    text="may 14th, 1959",
    without=comparison("dates", "digits-1"),
)

# %% [markdown]
# ## One head, two, four, eight
#
# Here is the machine that looks once, with one head and with more. Each was trained three times, and a dot is one
# training. It took 700 steps, where our machine took 1,000. More steps may move all dots to the right, so compare them
# only with each other. They were computed beforehand, in twenty minutes of training.

# %% tags=["hide-input"] alt="Three dots a row, from 0 to 100 % of unseen dates right. One head: about 50 %. Two heads: about 60 %. Four heads: about 68 %. Eight heads: about 72 %."
import matplotlib.pyplot as plt

BLUE, ORANGE = "#0072b2", "#d55e00"


def dots(*names):
    """Draw three trainings a row, and return the mean of each row."""
    _, ax = plt.subplots(
        figsize=(6.5, 0.5 + 0.4 * len(names)), layout="constrained"
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
# from four to eight they mix. The mean rises each time, though the last rise may be chance. Here heads matter. Why?
#
# ## What one average cannot carry
#
# Say the text holds a 3 and a 5, and a head must bring back both. Let the value of each digit be the digit itself. The
# head shares out its weight, and what comes back is one number:
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
# blue and an orange one, and these cross in one place, the green one. In the simplest pair, each head looks at one
# digit:
#
# * "3 5": head 1 brings $1 \cdot 3 + 0 \cdot 5 = 3$, head 2 brings $0 \cdot 3 + 1 \cdot 5 = 5$
#
# But is this fair? In our machine a value is not one number: with a single head it has 64. That helps, if an earlier
# part of the machine puts the two digits into different numbers. Let the value of the first digit be $(3, 0)$ and that
# of the second $(0, 5)$. Then a half of each is $(1.5, 2.5)$, from which both digits can be read.
#
# So one head *can* bring both. But however long its values are, **a head has one set of weights, so it brings back one
# average.** A head that gives 0.9 to the day has 0.1 left for the year, in all 64 numbers. A tenth of a digit can be
# read, too, but then 5 differs from 6 by only 0.1, and such small steps drown in what the other letters bring.
#
# And if the head shares out its weight equally? Then each of the eight digits needs numbers of its own among the 64,
# whatever the form of the date. The encoder must learn this first, and probably that is hard. Eight heads bring back
# eight averages, and each of them can look closely at another place.
#
# There is another remedy: more room in one average. A machine twice as *wide* has 128 numbers for each letter, where
# ours has 64. With a single head it reads 80 % of the dates on average, more than the 72 % of eight heads. But it has
# more than three times as many numbers to train. So heads are no magic. They are the cheap way.
#
# <details class="lesson-more" markdown="1"><summary>More heads or a wider machine, in numbers</summary>
#
# Eight heads of 8 numbers and one head of 64 have equally many numbers to train. A machine twice as wide has more than
# three times as many, and a machine half as wide has about a third. The numbers to train stand in the order of the
# rows:

# %% tags=["hide-input"] alt="Three dots a row, from 0 to 100 % of unseen dates right. One head: about 50 %. Eight heads: about 72 %. One head in a machine twice as wide: about 80 %. Eight heads in a machine half as wide: about 33 %."
from trained.digits import reader

means = dots("1 head", "8 heads", "1 head, twice as wide", "8 heads, half as wide")
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
# ## How the numbers are shared
#
# Four attentions with queries of 64 numbers would cost four times as much as one, so each head gets shorter queries. A
# letter's vector is multiplied by $W_Q$ once, and the *result* is cut into as many pieces as there are heads. With keys
# and values it is the same. Here is such a result for three letters of eight numbers. The numbers are simply 0 to 23,
# so that you see where each of them goes. Give them to two heads, then to four:

# %% tags=["live", "hide-input"]
import numpy as np
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
# our machine. Each of its four heads sees all 64, and makes a query and a key of $d_k = 16$ numbers from them. So it
# divides its scores by the root of 16.
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
# function: it multiplies, splits, attends, merges, and multiplies once more.
#
# <details class="lesson-more" markdown="1"><summary>How the package cuts</summary>
#
# Cutting takes two steps: give the heads an axis of their own, then move that axis beside the batch, so that one call
# of attention serves all heads.

# %% tags=["source", "hide-input"]
import inspect
import re
import textwrap

source = inspect.getsource(split_heads)
middle = re.search(
    r"^ +x = tf\.reshape.*?^ +return .*?\n", source, re.DOTALL | re.M
)
print(textwrap.dedent(middle[0]))

# %% [markdown]
# `leading` are the axes before the letters, such as the batch, and `swap_axes` exchanges two axes.
#
# </details>
#
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

# %% [markdown]
# The three letters are m, a and y again. In the wrong version the second row of head 1, which is place 1, is *the other
# half of the m*, where the a should stand. In head 2 the second row is half of the y. So what stands at a place no
# longer belongs to the letter of that place, and every mask blocks the wrong thing: to hide place 1 would hide half of
# the m in head 1, and half of the y in head 2. That is why place 1 changes, too, when the y is changed. This makes a
# test for any layer: change one letter, and see which places change.
#
# ## What trained heads look at
#
# Here is the machine that looks once, with eight heads. Each row is one head, and shows how it shared its weight among
# the letters. Nobody told the heads to divide the work. Do they?

# %% tags=["hide-input"] alt="Heat map of eight heads, a row each, and the letters of a date. Most heads put their weight on few letters, and not all on the same."
from clear_attention import create_date_pairs, date_tokenizers, plot_weights

np.testing.assert_array_equal(np.unique(moved[:, 1]), [1, 2])  # as said above
source, _ = date_tokenizers()
eight, _ = trained.load("digits-8")
unseen, right = create_date_pairs(200, seed=1, split="test")
logits, weights = eight(source.encode(unseen), return_weights=True)
said = ["".join(map(str, digits)) for digits in np.argmax(logits, axis=-1)]
chosen = next(  # the first with a month in words that it reads right
    i
    for i, text in enumerate(unseen)
    if said[i] == right[i].replace("-", "") and sum(map(str.isalpha, text)) > 4
)
text = unseen[chosen]
shares_of = weights[chosen, :, 0, : len(text)].numpy()  # (heads, letters)
figure, ax = plt.subplots(figsize=(9, 3.6), layout="constrained")
plot_weights(
    shares_of,
    tokens=[f"head {head}" for head in range(1, 9)],
    key_tokens=[*text.replace(" ", "␣")],
    ax=ax,
    colour_bar=False,
)
ax.set_ylabel("")
plt.show()
print("text:", text, "  read:", said[chosen])
head, letter = np.unravel_index(shares_of.argmax(), shares_of.shape)
print(
    f"sharpest is head {head + 1}: {shares_of.max():.2f} for the {text[letter]!r} at place {letter}, counted from 0"
)
assert shares_of.max() > 0.4
assert len({*shares_of.argmax(axis=1)}) > 2  # not all heads look at one letter

# %% [markdown]
# They do, more or less: some heads have a place of their own, and others look at the same letters. But do not read too
# much into such pictures. For another date, or after another training, the heads may divide the work in another way.
#
# ## What heads cost
#
# Splitting is nearly free: as long as the width stays the same, more heads mean no more numbers to train, and the
# products of matrices take no more multiplications. But every head has a map of its own, so more heads take more memory
# for their maps, and the softmax has more work.
#
# <details class="lesson-more" markdown="1"><summary>Counted, for a width of 512 and 64 letters</summary>
#
# `d_k` says how many numbers a head's query and key have, and *numbers* are those to train. *Weights* are the cells of
# all maps together, and only they become more:

# %% tags=["hide-input"]
d_model, n = 512, 64
print("heads  d_k    numbers  multiplications  weights")
costs = set()
for count in (1, 2, 4, 8):
    layer = MultiHeadAttention(d_model, count)
    layer.build((None, n, d_model))
    # four products with a matrix; for each head one for its scores, one for its output
    multiplications = 4 * n * d_model**2 + count * (2 * n * n * layer.d_k)
    costs.add((layer.count_params(), multiplications))
    print(
        f"{count:5} {layer.d_k:4} {layer.count_params():10,} {multiplications:16,} {count * n * n:8,}"
    )
assert len(costs) == 1

# %% [markdown]
# </details>
#
# <details class="lesson-more" markdown="1"><summary>A trap in Keras's layer: key_dim</summary>
#
# Keras's layer wants to know how many numbers a head gets, and calls this `key_dim`. It is meant **per head**: if you
# give it the whole width, eight heads get [eight times as many numbers](../guides/museum.py#key_dim). With `key_dim`
# right and the same weights it gives [the same numbers](../guides/carry_weights.py) as ours.
#
# </details>
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
# gets, any count is allowed: $W_Q$ then has 5 times 7 columns, and $W_O$ brings the result back to 12.
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
# ? (This one needs the fold “A trap in Keras's layer”.) `d_model` is 512, and there are 8 heads. Which `key_dim` makes Keras's layer as large as ours?
# - 512 | It is meant per head: this makes eight heads of full width, and about eight times the numbers to train.
# - 8 | That is the number of heads. Each would get 8 numbers instead of 64.
# + 64 | 512 numbers, shared by 8 heads.
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

# ---
# title: How heads share the numbers
# description: Four heads cost no more numbers than one. How a vector is cut among them, the formula of multi-head attention, your own, and a reshape that runs, trains, and hardly reads a date.
# ---

# %% [markdown]
# # How do four heads share one vector?
#
# Here are two machines, with four heads each and equally many numbers. Both were trained for 500 steps, and neither
# ever raised an error. Their programs differ only in how they share out a vector among the heads. The first machine
# reads 98 of 100 dates. How many does the second one read?
#
# And how many single letters does it get right? For these it is given the right beginning of the answer, and names the
# next letter.

# %% tags=["live", "remove-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import matplotlib.pyplot as plt
import numpy as np
import trained
from clear_attention import create_date_pairs, date_tokenizers
from IPython.display import Markdown
from live import bet, touch

first, first_record = trained.load("dates-brief")
second, second_record = trained.load("dates-wrong-reshape")
source, target = date_tokenizers()
texts, dates = create_date_pairs(2000, seed=1, split="test")
START = target.encode(dates[:1])[0, 0]


def written(model, texts):
    """Let a machine write, letter by letter. It always gets a row of 11 places, as in its training."""
    ids, row = source.encode(texts, length=34), np.zeros((len(texts), 12), int)
    row[:, 0] = START
    for i in range(11):
        row[:, i + 1] = np.argmax(model((ids, row[:, :11])), axis=-1)[:, i]
    return target.decode(row)


by_first, by_second = (written(model, texts) for model in (first, second))
exact = [np.mean(np.array(each) == dates) for each in (by_first, by_second)]
letters = float(second_record["letters"])
bet(
    "split_heads/one-line",
    [
        (
            "whole dates, of 100",
            round(100 * exact[1], 1),
            None,
            "It was trained as long as the other one, and nothing complained. But it has hardly read the text.",
        ),
        (
            "letters, of 100",
            round(100 * letters, 1),
            "Many letters can be written without reading: the two dashes and the end, and a 9 behind a 1.",
            "It guesses well, and does not read well.",
        ),
    ],
    unit="",
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What it reads</summary>

# %% tags=["hide-input"]
some = ["30.11.1999", "3 may 2018", "thursday 3rd of may 2018", "22.12.1960"]
lines = ["| text | first machine | second machine |", "| --- | --- | --- |"]
lines += [
    f"| {text} | {a} | {b} |"
    for text, a, b in zip(
        some, written(first, some), written(second, some), strict=True
    )
]
right = np.sum(np.array(by_second) == dates)
lines += [
    "",
    f"Of {len(dates):,} dates the second machine reads {right} right. Of 100 letters it gets {100 * letters:.0f}, since"
    " with the right beginning given many can be guessed. But a date needs all ten of its letters.",
]
assert 0.975 < exact[0] < 0.985
assert round(2000 * exact[1]) == 2
assert round(100 * first_record["exact"]) == 98
assert 0.5 < letters < 0.75
assert [date[-2:] for date in written(second, some)] == ["25", "25", "26", "25"]
assert first_record["wrong"][-1] < 0.03 < 0.3 < second_record["wrong"][-1] < 0.45
Markdown("\n".join(lines))

# %% [markdown]
# </details>
#
# What is the mistake? To find it, we need to know how a vector should be shared out.
#
# ## Cut, and put side by side { #how-the-numbers-are-shared }
#
# A letter's vector is multiplied by $W_Q$ once, and the *result* is cut into as many pieces as there are heads. Keys
# and values are made and cut in the same way.
#
# Here are three letters, and their numbers are simply 0 to 23. Give them to two heads, then to four. What does each
# head get of the "a"?

# %% tags=["live", "hide-input"]
from clear_attention import split_heads
from live import grid, lab

x = np.arange(24).reshape(3, 8)
apart = split_heads(x[None], num_heads=2)[0].numpy()
may = ["m", "a", "y"]
lab(
    [
        {
            "state": {
                "tokens": may,
                "x": x.tolist(),
                "choices": [1, 2, 4, 8],
                "heads": 2,
            }
        }
    ],
    grid("head 1 of 2", apart[0], may) + grid("head 2 of 2", apart[1], may),
    piece="heads",
)

# %% [markdown]
# So each head gets a piece of *every* letter. What the heads found is put side by side again, and one last matrix $W_O$
# mixes it. More heads only make the pieces smaller. They add no numbers to train, but each has a map of its own, and
# that takes [memory](../guides/questions.py#do-more-heads-cost-more).
#
# In NumPy this takes two steps: `reshape` cuts each letter's numbers into pieces, and `swapaxes` moves the axis of the
# heads to the front. `merge` does the same backwards. In the comments, `d_model` is how many numbers a letter has, and
# `depth` how many a piece has:

# %%
import numpy as np


def split(x, heads):
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)  # (heads, length, depth)


def merge(x):
    return x.swapaxes(0, 1).reshape(x.shape[1], -1)  # (length, d_model)


numbered = np.arange(24).reshape(3, 8)
head_1, head_2 = split(numbered, 2)
print("a:            ", numbered[1])
print("a, in head 1: ", head_1[1])
print("a, in head 2: ", head_2[1])

# %% [markdown]
# ## The wrong reshape, which runs { #a-published-trap-reshape-without-transpose }
#
# Why two steps? One seems enough: `x.reshape(heads, len(x), -1)` has the right shape, so nothing complains. But look
# where the numbers go:


# %%
def wrong_split(x, heads):
    return x.reshape(heads, len(x), -1)


print("wrong, head 1:", wrong_split(numbered, 2)[0], sep="\n")

# %% [markdown]
# A reshape takes the numbers in their order, one letter after the other. So head 1 gets the first half of *everything*:
# all of the m, and half of the a.
#
# --8<-- "diagrams/two_cuts.svg"
#
# Where the a should stand, there is now the other half of the m. And of the y this head has nothing.
#
# The second machine cuts its vectors in this way. It also joins what its heads have found in this way, by a reshape
# alone.
#
# ## What the second machine sees
#
# No number is lost. So why does the machine read next to nothing?
#
# Look at the padding mask. Our machine's texts stand in rows of 34 places, filled up with padding. In each head the
# mask hides the last places, however the numbers were cut.
#
# Below is a strip for each of four heads. In a cell stands the letter whose piece it holds, and hatched cells are
# hidden. Now tick "cut by a reshape alone". Is it still only padding that is hidden?

# %% tags=["live", "hide-input"]
import re
from pathlib import Path

# The numbers of the drawing, head 1 of both cuts.
drawn = Path("../diagrams/two_cuts.svg").read_text(encoding="utf-8")
for kind, piece in {"right": head_1, "wrong": wrong_split(numbered, 2)[0]}.items():
    shown = re.findall(rf'class="{kind}">(\d+)<', drawn)
    np.testing.assert_array_equal(np.array(shown, int), piece.ravel())


def seen_by(text, heads=4, places=34):
    """Return which letters of a text stand in a cell that is not hidden, if it is cut by a reshape alone."""
    cells = np.arange(heads * places).reshape(heads, places)  # pieces, in order
    return np.isin(np.arange(len(text)), cells[:, : len(text)] // heads)


text = "30.11.1999"
unseen = "".join(text[i] for i in np.flatnonzero(~seen_by(text)))
touch(
    "strips",
    f"<p>Cut by a reshape alone, no head sees the “{unseen}” in the middle of “{text}”: its pieces stand where the"
    " mask thinks that padding stands.</p>",
    text=text,
    places=34,
    heads=4,
    bare=False,
)

# %% [markdown]
# With the box ticked, a head has all pieces of a few letters, in place of a piece of every letter. It can look only
# within its own quarter of the row. In a short text head 1 has most of its letters hidden by mistake, and heads 3 and 4
# look at padding that nobody hides.
#
# <details class="lesson-more" markdown="1"><summary>Why did it write the 25th so often?</summary>
#
# In the table at the top the second machine wrote three times the day 25, and once 26. Its answer is cut in the same
# way. The day is written last, so it is asked for almost only in head 4. Head 4 sees only the last quarter of the
# text's row, and in most texts that is padding. So it can only guess the day, and guesses nearly the same each time.
#
# </details>
#
# ## A check: change one letter
#
# How could anybody notice? There is a test for any layer, your own as well: **change one letter, and see what
# changes.**
#
# We replace each letter of "30.11.1999" by all ten digits in turn, and watch the probabilities of the answer. A letter
# is covered here if not one bit of them ever changes:

# %% tags=["hide-input"] alt="The text 30.11.1999 twice, each letter in a box. For the first machine all ten boxes can be read. For the second machine the five boxes in the middle, 11.19, are covered, and only 30. and 99 can be read."
ids, given = source.encode([text], length=34), target.encode(["1999-11-30"])[:, :-1]
ten = source.encode([*"0123456789"])[:, 0]


def softmax_of(logits):
    powers = np.exp(logits - np.max(logits, axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def largest_changes(model):
    """Return for each letter of the text how much a probability changes, if it is replaced by some digit."""
    before = softmax_of(
        model((np.repeat(ids, 10, axis=0), np.repeat(given, 10, axis=0)))
    )
    found = []
    for place in range(len(text)):
        others = np.repeat(ids, 10, axis=0)
        others[:, place] = ten
        after = softmax_of(model((others, np.repeat(given, 10, axis=0))))
        found.append(float(np.abs(after - before).max()))
    return np.array(found)


changes = {"first": largest_changes(first), "second": largest_changes(second)}
_, ax = plt.subplots(figsize=(4.8, 1.3), layout="constrained")
for row, (name, found) in enumerate(changes.items()):
    ax.text(-0.3, row + 0.5, f"{name} machine", ha="right", va="center")
    for place, change in enumerate(found):
        colour = "#0072b233" if change else "0.5"
        ax.add_patch(
            plt.Rectangle((place, row + 0.08), 0.92, 0.84, facecolor=colour)
        )
        if change:
            ax.text(place + 0.46, row + 0.5, text[place], ha="center", va="center")
ax.set(xlim=(-4.4, 10), ylim=(2, 0), aspect="equal")
ax.axis("off")
plt.show()
assert min(changes["first"]) > 0.3
np.testing.assert_array_equal(changes["second"] > 0, seen_by(text))
assert unseen == "11.19"

# %% [markdown]
# To the second machine the text is "30.?????99". The five covered letters are just those that no strip showed.
#
# ## The formula
#
# Now the right way, in the signs of the paper. There are $h$ heads, and head $i$ has three small matrices, $W^Q_i$,
# $W^K_i$ and $W^V_i$. Side by side, the small matrices of all heads are our large $W_Q$, $W_K$ and $W_V$.
# $\operatorname{Concat}$ is `merge`, and $W^O$ is our $W_O$:
#
# $$
# \operatorname{MultiHead}(Q, K, V) = \operatorname{Concat}(\text{head}_1, \dots, \text{head}_h)\, W^O
# $$
#
# $$
# \text{head}_i = \operatorname{Attention}(Q W^Q_i, K W^K_i, V W^V_i)
# $$
#
# Careful: here $Q$, $K$ and $V$ stand for what comes in, the letters' vectors, *before* any matrix.
#
# In our machine each of the four heads makes a query and a key of $d_k = 16$ numbers from all 64 numbers of a letter.
# So each head divides its scores by the root of 16.
#
# <details class="lesson-more" markdown="1"><summary>One matrix or many?</summary>
#
# The paper of 2017 gives every head small matrices of its own. One large matrix does the same. Put the small ones side
# by side, and then cut the result instead of the matrix:


# %% tags=["hide-input"] alt="Left: the matrix W_Q, 8 rows by 8 columns, its left half blue for head 1 and its right half orange for head 2. A vector of eight numbers times this matrix gives eight numbers, of which the first four are blue and the last four orange: the queries of the two heads, side by side."
def cells(ax, rows, columns, colour, left, top, name=""):
    for i in range(rows):
        for j in range(columns):
            square = plt.Rectangle(
                (left + j, top + i), 1, 1, facecolor=colour(j), edgecolor="white"
            )
            ax.add_patch(square)
    ax.text(left + columns / 2, top + rows + 0.8, name, ha="center", va="center")


from clear_attention import merge_heads

cut = split(numbered, 2)
np.testing.assert_array_equal(merge(cut), numbered)
np.testing.assert_array_equal(cut, split_heads(numbered[None], 2)[0])
np.testing.assert_array_equal(merge_heads(cut[None])[0], numbered)
_, ax = plt.subplots(figsize=(4.8, 2.2), layout="constrained")
half = lambda j: "#0072b2" if j < 4 else "#d55e00"  # noqa: E731
cells(ax, 1, 8, lambda j: "#999999", 0, 3.5, "a letter")
ax.text(9, 4, "·", fontsize=16, ha="center", va="center")
cells(ax, 8, 8, half, 10, 0, "W_Q: two matrices")
ax.text(19, 4, "=", fontsize=14, ha="center", va="center")
cells(ax, 1, 8, half, 20, 3.5, "two queries")
ax.set(xlim=(-1, 29), ylim=(9.6, -0.4), aspect="equal")
ax.axis("off")
plt.show()

# %% [markdown]
# </details>
#
# ## Your machine so far { #your-machine-so-far }
#
# Now the heads can go into your machine. `softmax` is the one that you mended in the lesson on [masks](masks.py). In
# `attention` one thing changes: queries and keys now have three axes (heads, letters and numbers), and only the last
# two are swapped. The mask has no axis for the heads, so NumPy uses it for all of them. (With a batch of texts it needs
# one, of length 1.)
#
# Is it right? The last lines compare it with the package's layer,
# [`MultiHeadAttention`][clear_attention.MultiHeadAttention].

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
    # x asks, and seen is asked
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
batch = np.array([x])  # the layer takes a batch of texts: here it is one
layer(batch)  # it makes its matrices when it first sees a text
layer.set_weights([*matrices])
np.testing.assert_allclose(layer(batch, mask=hidden)[0], ours, atol=1e-12)
print("your function and the layer: the same", ours.shape)

# %% [markdown]
# ## Who found this, and when
#
# The first Transformer (Vaswani and others, 2017) describes a small matrix for each head. Programs have long made one
# large matrix of them, because one large product is faster than many small ones. So they have to cut.
#
# And they cut axes that have only an order, and no names. That has annoyed many. In 2021 Chiang, Rush and Barak
# proposed a notation in which every axis has its name. Rogozhnikov's einops (2018, described in 2022) lets a program
# say which axis is which: `"length (heads depth) -> heads length depth"`. With such words nobody throws letters and
# pieces together without saying so.
#
# ## Exercises
#
# ### Exercise 1
#
# Somebody tests `wrong_split` on a text of one letter, and then on three letters with one head. Both times it agrees
# with `split`. Is that chance? Find all sizes up to four letters and four heads where the two agree. (Let each head
# have two numbers of a letter.)

# %% tags=["answer"]
for length in range(1, 5):
    for heads in range(1, 5):
        any_text = np.arange(length * heads * 2).reshape(length, heads * 2)
        same = np.array_equal(split(any_text, heads), wrong_split(any_text, heads))
        if same:
            print(f"letters: {length}, heads: {heads}: the same")
        assert same == (length == 1 or heads == 1)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Where do they agree?</summary>
#
# Only where there is one letter or one head. Then one of the two axes has length 1, and it makes no difference which of
# them comes first. So a test needs at least two of each. It also needs numbers that tell the letters apart: with zeros
# everywhere any two functions agree.
#
# </details>
#
# ### Exercise 2
#
# The formula takes small matrices, one head after the other. Can you write it that way, without `split` and `merge`?
# The small matrices of head $i$ are columns of the large ones, and the mask is the array `hidden` from above.
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
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("split_heads")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? Somebody cuts `W_Q` into pieces of rows, one for each head, in place of columns. What has gone wrong?
# + A head would see only a part of each letter's vector. | Rows belong to the numbers that come in. Each head must see all of them.
# - Nothing, since a matrix can be cut either way. | Columns belong to the numbers that come out, and these are shared among heads.
# - The heads would mix letters. | A product with `W_Q` mixes no letters, since each is multiplied on its own.
# ? A letter has 64 numbers. You go from 4 heads to 8, and change nothing else. How many numbers are there to train in `W_Q`?
# - Twice as many. | Each head gets half as many numbers as before.
# + As many as before. | 64 times 64, whatever the heads. Only the cutting changes.
# - Half as many. | The pieces become smaller, but there are twice as many of them.
# ? Your layer passes a test which says that the output has the shape `(3, 8)`. What does this tell of your `split`?
# - That it is right, since a wrong cut gives a wrong shape. | The wrong cut of this page gives the right shape.
# + Next to nothing. | Both cuts give this shape. A test must look at numbers.
# - That the mask fits, too. | The mask may well hide pieces of the wrong letters.
# ```
#
# </details>
#
# ## Where to go next
#
# One debt is left from the lesson on attention, where "may" and "yam" were the same. What must a machine be told, so
# that it can tell them apart?
#
# * [Positions](positions.py): how the machine knows what comes first.
# * [Carry weights over](../guides/carry_weights.py): from Keras and torch to here, and back.
# * [Reference: heads](../reference/heads.md): every argument and error of the layer.
#
# Read on elsewhere: Vaswani and others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section
# 3.2.2; Chiang, Rush and Barak (2021), [Named Tensor Notation](https://arxiv.org/abs/2102.13196); Rogozhnikov (2022),
# [Einops: Clear and Reliable Tensor Manipulations with Einstein-like
# Notation](https://openreview.net/forum?id=oapKSVM2bcj).

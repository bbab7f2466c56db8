# ---
# title: How heads share the numbers
# description: Four heads cost no more numbers than one. How a vector is cut among them, the formula of multi-head attention, your own, and a reshape that runs, trains, and hardly reads a date.
# ---

# %% [markdown]
# # How do four heads share one vector?
#
# Two machines have equally many numbers to train, and were trained equally long. They differ only in how a letter's
# numbers are cut, and shared out among four heads. The first, our yardstick, reads 1,958 of 2,000 unseen dates.
#
# How many does the second machine read? Below you see both cuts, and then you bet.
#
# ## Cut, and put side by side { #how-the-numbers-are-shared }
#
# If each of four heads had a full matrix $W_Q$, they would cost four times as many numbers as one head. So they share
# one $W_Q$. A letter's vector is multiplied by it, and the *result* is cut into as many pieces as there are heads.
#
# Here are the queries of three letters, with the numbers 0 to 23, so that you can follow each of them. **Give them to
# two heads, then to four. What does each head get of the "a"?** (A letter has `d_model` numbers, and a piece has
# `depth`.)

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
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
# **Each head gets a piece of every letter.** With more heads the pieces only become smaller, so more heads add no
# numbers to train. Keys and values are cut in the same way. In a chat program the vectors have thousands of numbers,
# and the queries are cut among dozens of heads.
#
# Now each head can look by itself. Here our machine is about to write the 5 of the month, and mixes the letters'
# values, cut into four pieces. **Let it look. Are the four pieces of one letter equally wide?**

# %% tags=["live", "remove-input"]
import trained
from clear_attention import date_tokenizers
from live import touch

model, _ = trained.load("dates")
source, target = date_tokenizers()
text, answer = "thursday 3rd of may 2018", "2018-05-03"
ids, given = source.encode([text]), target.encode([answer])[:, :-1]
maps = model(ids, given, return_weights=True).weights["decoder.0.cross"][0]
maps = maps[:, : len(answer), : len(text)].numpy()  # (heads, answer, text)
cross = model.decoder.layers[0].cross_attention.attention
values = cross.project_values(model.encode(ids).output)[0, : len(text)].numpy()
pieces = values.reshape(len(text), 4, 16)[..., :4]  # what is drawn
most = [text[row.argmax()] for row in maps[:, 6]]
assert most == ["y", "r", "y", "m"]
assert min(maps[:, 6].max(axis=-1)) > 0.35
assert (
    round(float(maps[:, 6, 18].mean()), 3) == 0.295
)  # the y, as in the first lesson
touch(
    "mixing",
    f"<p>To write the 5, the heads look most at {', '.join(most)}.</p>",
    kind="heads",
    text=text,
    looks=[
        {
            "answer": answer,
            "vectors": pieces.reshape(len(text), 16)
            .astype(float)
            .round(2)
            .tolist(),
            "weights": maps.swapaxes(0, 1).astype(float).round(4).tolist(),
        }
    ],
    look=0,
    numbers=64,
    chosen=6,
    stage=0,
)

# %% [markdown]
# **Each head gives the letters weights of its own, so each piece of a letter has its own width.** Head 1 mostly takes
# the y, head 2 the r, and head 4 the m. (The mean of the four widths of the y is 0.295, the one width that you saw in
# the [first lesson](reading_dates.py#the-one-idea-look-at-the-right-letters).) The four mixtures, one below the other,
# are a vector again.
#
# But in this vector each number comes from one head only. What head 1 has found of the y and head 4 of the m stand
# apart. So one last matrix, $W_O$, mixes the numbers of all heads.
#
# In NumPy the cut takes two steps. `reshape` cuts each letter's numbers into pieces, and `swapaxes` moves the axis of
# the heads to the front. `merge` goes the same way backwards:

# %%
import numpy as np


def split(x, heads):
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)  # (heads, length, depth)


def merge(x):
    return x.swapaxes(0, 1).reshape(x.shape[1], -1)  # (length, d_model)


numbered = np.arange(24).reshape(3, 8)
head_1, head_2 = split(numbered, 2)
print("a, in head 1: ", head_1[1])
print("a, in head 2: ", head_2[1])

# %% [markdown]
# ## The wrong reshape, which runs { #a-published-trap-reshape-without-transpose }
#
# Why two steps? A `reshape` alone seems to be enough, since it gives the right shape, too:


# %%
def wrong_split(x, heads):
    return x.reshape(heads, len(x), -1)


# %% [markdown]
# But a reshape takes the numbers in their order, one letter after the other. So head 1 gets the first half of
# *everything*:
#
# --8<-- "diagrams/two_cuts.svg"
#
# **Cut by a reshape alone, head 1 holds both halves of the m, and nothing of the y.**
#
# What becomes of a machine that cuts in this way? Our second machine cuts, and joins again, by a reshape alone. All
# else is as in the yardstick: 500 steps, in rows that padding fills up to 34 places. **How many of the 2,000 dates does
# it read?**

# %% tags=["live", "remove-input"]
import matplotlib.pyplot as plt
import trained
from clear_attention import create_date_pairs, date_tokenizers
from IPython.display import Markdown
from live import bet

first, first_record = trained.load("dates-brief")
second, second_record = trained.load("dates-wrong-reshape")
assert first.count_params() == second.count_params()
assert first_record["steps"][-1] == second_record["steps"][-1] == 500
source, target = date_tokenizers()
texts, dates = create_date_pairs(2000, seed=1, split="test")


def written(model, texts):
    """Let a machine write, letter by letter. It always gets a row of 11 places, as in its training."""
    ids, row = source.encode(texts, length=34), np.zeros((len(texts), 12), int)
    row[:, 0] = model.start_id
    for i in range(11):
        row[:, i + 1] = np.argmax(model((ids, row[:, :11])), axis=-1)[:, i]
    return target.decode(row)


by_first, by_second = (written(model, texts) for model in (first, second))
exact = [np.mean(np.array(each) == dates) for each in (by_first, by_second)]
bet(
    "split_heads/second-machine",
    [
        (
            "dates that the second machine reads",
            round(2000 * exact[1]),
            None,
            "It was trained as long as the other one, and no error was raised. But it has hardly read the text.",
        ),
    ],
    high=2000,
    step=10,
    unit=" of 2,000",
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What it reads</summary>

# %% tags=["hide-input"]
some = ["30.11.1999", "3 may 2018", "thursday 3rd of may 2018", "22.12.1960"]
lines = ["| text | first machine | second machine |", "| --- | --- | --- |"]
rightly, wrongly = written(first, some), written(second, some)
lines += [
    f"| {text} | {a} | {b} |"
    for text, a, b in zip(some, rightly, wrongly, strict=True)
]
assert round(2000 * exact[0]) == 1958
assert round(2000 * exact[1]) == 2
assert [date[-2:] for date in wrongly] == ["25", "25", "26", "25"]
assert rightly[1] == "2018-05-03"
assert wrongly[1] == "1-01-03-25"
days = [date[-2:] for date in by_second]
assert 0.5 < np.mean(np.array(days) == "25") < 0.6  # more than half
last_places = {cell // 4 for cell in range(3 * 34, 4 * 34)}  # of head 4
assert len(last_places) == 9
assert len(some[0]) <= min(last_places)  # only padding
Markdown("\n".join(lines))

# %% [markdown]
# </details>
#
# **The second machine reads 2 of 2,000 dates, and yet no error was raised.** So we must find out ourselves what it
# sees.
#
# ## What the second machine sees
#
# There is a test that works for any layer, your own as well: **change one letter, and see what changes.** We replace
# each letter of "30.11.1999" by all ten digits in turn, and watch the probabilities of the answer. If not one bit of
# them ever changes, the machine does not see this letter, and we cover it:

# %% tags=["hide-input"] alt="The text 30.11.1999 twice, each letter in a box. For the first machine all ten boxes can be read. For the second machine the five boxes in the middle, 11.19, are covered, and only 30. and 99 can be read."
text = "30.11.1999"
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
unchanged = [i for i, change in enumerate(changes["second"]) if not change]
assert "".join(text[i] for i in unchanged) == "11.19"

# %% [markdown]
# **To the second machine "30.11.1999" is "30.?????99".** Why does it miss just these five letters?
#
# Each head has a strip of 34 cells, one for each place, and a cell holds one piece of 16 numbers. The text has ten
# letters, so the padding mask leaves ten cells of each strip open, and hides the rest. Cut rightly, these ten hold a
# piece of each letter.
#
# A reshape alone fills the strips with the pieces in their order, one letter after the other. The 64 numbers of a
# letter make four pieces of 16. So in strip 1 come four pieces of the 3, four of the 0 and two of the point. That makes
# ten, and the open cells are full. So head 1 sees "30.". **Tick "cut by a reshape alone". Which letters do the other
# heads see?**

# %% tags=["live", "hide-input"]
import re
from pathlib import Path

from live import touch

# The numbers of the drawing, head 1 of both cuts.
drawn = Path("../diagrams/two_cuts.svg").read_text(encoding="utf-8")
for kind, piece in {"right": head_1, "wrong": wrong_split(numbered, 2)[0]}.items():
    shown = re.findall(rf'class="{kind}">(\d+)<', drawn)
    np.testing.assert_array_equal(np.array(shown, int), piece.ravel())


def seen_by(text, heads=4, places=34):
    """Return which letters of a text stand in a cell that is not hidden, if it is cut by a reshape alone."""
    cells = np.arange(heads * places).reshape(heads, places)  # pieces, in order
    return np.isin(np.arange(len(text)), cells[:, : len(text)] // heads)


# whose pieces stand in the cells of each head, if it is cut by a reshape alone
owners = np.arange(4 * 34).reshape(4, 34) // 4
assert np.bincount(owners[0]).tolist() == [4] * 8 + [2]
assert "".join(text[place] for place in owners[0, :10]) == "3333" + "0000" + ".."
assert {text[place] for place in owners[1, :10] if place < 10} == {"9"}
assert owners[2:].min() >= len(text)  # heads 3 and 4 have only padding
cut = split(numbered, 2)
np.testing.assert_array_equal(merge(cut), numbered)
np.testing.assert_array_equal(cut, split_heads(numbered[None], 2)[0])
np.testing.assert_array_equal(changes["second"] > 0, seen_by(text))
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
# **The mask hides the five letters, because all their pieces lie behind the tenth cell of strip 1.** Head 2 sees the 99
# and some padding. In the strips of heads 3 and 4 all ten open cells hold padding: the mask counts cells, and does not
# know what lies in them.
#
# All this comes from one step left out. **Nothing complained, because only shapes are checked, and the shape was right
# all along.**
#
# <details class="lesson-more" markdown="1"><summary>For the curious: why it so often writes the 25th</summary>
#
# No mask could mend the other half of the trouble. The answer's queries are cut in the same way, and in each head they
# meet only the keys of that head. Eleven queries write "1999-11-30" and the end mark. They make 44 pieces, eleven for
# each head:

# %% tags=["hide-input"] alt="Four strips of eleven cells, one for each head. Each cell names what its query writes. Head 1: four times 1, four times 9, three times 9. Head 2: one 9, four times 9, four hyphens, two times 1. Head 3: two times 1, four times 1, four hyphens, and one 3 of the day. Head 4: three times the 3 and four times the 0 of the day, and four times the end mark."
signs = [*"1999-11-30", "end"]
pieces = np.arange(4 * 11).reshape(4, 11) // 4  # whose query each piece is
of_day = np.isin(pieces, (8, 9))
assert of_day.sum(axis=1).tolist() == [0, 0, 1, 7]
_, ax = plt.subplots(figsize=(4.8, 1.75), layout="constrained")
for row, owner in enumerate(pieces):
    ax.text(-0.3, row + 0.5, f"head {row + 1}", ha="right", va="center")
    for column, i in enumerate(owner):
        colour = "#d55e0055" if of_day[row, column] else "#0072b233"
        ax.add_patch(
            plt.Rectangle((column, row + 0.06), 0.94, 0.88, facecolor=colour)
        )
        ax.text(
            column + 0.47,
            row + 0.5,
            signs[i],
            ha="center",
            va="center",
            fontsize=8 if i == 10 else None,
        )
ax.text(
    0, 4.35, "what the query of each piece writes; the day is orange", va="center"
)
ax.set(xlim=(-2.4, 11), ylim=(4.8, 0), aspect="equal")
ax.axis("off")
plt.show()

# %% [markdown]
# **All pieces of the day but one fall to head 4, which has only padding to look at.** So the machine can hardly do more
# than guess the day. For more than half of all texts its guess is the 25th.
#
# </details>
#
# ## The formula
#
# Back to the right cut. This is how the paper writes it, for $h$ heads, of which head $i$ is one. Here $Q$, $K$ and $V$
# are what comes in, *before* any matrix. In [attention](attention.py#the-formula) the same symbols stood for queries,
# keys and values:
#
# $$
# \operatorname{MultiHead}(Q, K, V) = \operatorname{Concat}(\text{head}_1, \dots, \text{head}_h)\, W^O
# $$
#
# $$
# \text{head}_i = \operatorname{Attention}(Q W^Q_i, K W^K_i, V W^V_i)
# $$
#
# | in the paper | here |
# | --- | --- |
# | $Q$, $K$ and $V$ | the vectors that come in |
# | $W^Q_i$ | the columns of our $W_Q$ that make the queries of head $i$; the same for keys and values |
# | $\operatorname{Concat}$ and $W^O$ | `merge` and $W_O$ |
#
# In our machine a letter has 64 numbers. So each of its four heads has queries and keys of $d_k = 16$, the `depth` from
# above, and divides its scores by the root of 16. Here is the drawing of attention with two heads, and q, k and v are
# cut. (What the heads find is not put together yet.)

# %% tags=["live", "remove-input"]
from drawing import attention_drawn

attention_drawn("split_heads")

# %% [markdown]
# ## Your machine so far { #your-machine-so-far }
#
# Now the heads can go into your machine. Its `softmax` is the one from [masks](masks.py), and its `attention` now swaps
# only the last two axes of the keys:


# %%
def softmax(scores, mask):
    powers = np.where(mask == 1, 0, np.exp(scores))
    sums = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(sums == 0, 1, sums)


def attention(q, k, v, mask=0):
    # k.T would turn the axis of the heads, too
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
    return softmax(scores, mask) @ v


# %% [markdown]
# And `multi_head` does all this in five lines:


# %%
def multi_head(x, seen, W_Q, W_K, W_V, W_O, mask=0, heads=4):
    # queries are made of x, keys and values of seen
    q = split(x @ W_Q, heads)
    k, v = split(seen @ W_K, heads), split(seen @ W_V, heads)
    found = attention(q, k, v, mask)  # in all heads at once
    return merge(found) @ W_O


rng = np.random.default_rng(0)
x = rng.normal(size=(3, 8))  # three letters; random numbers
matrices = rng.normal(size=(4, 8, 8))  # W_Q, W_K, W_V, W_O
hidden = np.triu(np.ones((3, 3)), k=1)  # the look-ahead mask
ours = multi_head(x, x, *matrices, mask=hidden, heads=2)
print("three letters go in, three come out:", ours.shape)

# %% tags=["live", "remove-input"]
masks = np.tile(hidden, (5, 1, 1, 1))  # of five texts
assert masks.shape == (5, 1, 3, 3)
in_heads = np.zeros((5, 2, 3, 4))
assert attention(in_heads, in_heads, in_heads, masks).shape == in_heads.shape

# %% [markdown]
# The mask has no axis for the heads, so NumPy uses it for all of them. In a batch it needs such an axis, of length 1.
# For five texts of three letters its shape is `(5, 1, 3, 3)`: texts, heads, queries and keys.
#
# ## Who found this, and when
#
# In the first Transformer (2017) each head has a small matrix of its own. Programs make one large matrix of them, and
# cut what comes out. But an axis of an array has no name, so nothing keeps you from cutting the wrong one. In 2021
# Chiang, Rush and Barak proposed a notation in which every axis has its name.
#
# ## Exercises
#
# ### Exercise 1
#
# A friend tests `wrong_split` on a text of one letter, and then on three letters with one head. Both times it agrees
# with `split`. Was that luck? Give each head two numbers of a letter, and try all sizes up to four letters and four
# heads. Where do the two agree?

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
# They agree only where there is one letter or one head. Then one of the two axes has length 1, and it makes no
# difference which of them comes first. So a test needs at least two of each.
#
# </details>
#
# ### Exercise 2
#
# The formula uses small matrices, one head after the other. Can you write it that way, without `split` and `merge`? The
# small matrices of head $i$ are columns of the large ones, and the mask is the array `hidden` from above. (The answer
# also asks the package's [`MultiHeadAttention`][clear_attention.MultiHeadAttention].)
#
# ```python
# outputs = []
# for i in range(2):
#     mine = slice(4 * i, 4 * i + 4)  # the columns of head i
#     outputs.append(...)
# by_formula = ...
# ```

# %% tags=["answer"]
from clear_attention import MultiHeadAttention

W_Q, W_K, W_V, W_O = matrices
outputs = []
for i in range(2):
    mine = slice(4 * i, 4 * i + 4)  # the columns of head i
    q, k, v = x @ W_Q[:, mine], x @ W_K[:, mine], x @ W_V[:, mine]
    outputs.append(attention(q, k, v, hidden))
by_formula = np.concatenate(outputs, axis=1) @ W_O
np.testing.assert_allclose(by_formula, ours, atol=1e-12)
print("one head after the other: the same", by_formula.shape)

layer = MultiHeadAttention(d_model=8, num_heads=2, use_bias=False, dtype="float64")
batch = np.array([x])  # the layer takes a batch of texts: here it is one
layer(batch)  # it makes its matrices when it first sees a text
layer.set_weights([*matrices])
np.testing.assert_allclose(layer(batch, mask=hidden)[0], ours, atol=1e-12)
print("the package's layer: the same", ours.shape)

# %% [markdown]
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("split_heads")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? A friend cuts `W_Q` into pieces of rows, one for each head, and not into pieces of columns. What goes wrong?
# + A head would see only a part of each letter's vector. | Rows belong to the numbers that come in. Each head must see all of them.
# - Nothing, since a matrix can be cut either way. | Columns belong to the numbers that come out, and these are shared among heads.
# - The heads would mix letters. | A product with `W_Q` mixes no letters, since each is multiplied on its own.
# ? A letter has 64 numbers. You go from 4 heads to 8, and change nothing else. How many numbers are there to train in `W_Q`?
# - Twice as many. | Each head gets half as many numbers as before.
# + As many as before. | 64 times 64, whatever the heads. Only the cutting changes.
# - Half as many. | The pieces become smaller, but there are twice as many of them.
# ? Your layer passes a test which says that the output has the shape `(3, 8)`. What does this tell you about your `split`?
# - That it is right, since a wrong cut gives a wrong shape. | The wrong cut of this page gives the right shape.
# + Next to nothing. | Both cuts give this shape. A test must look at numbers.
# - That the mask fits, too. | The mask may well hide pieces of the wrong letters.
# ```
#
# </details>
#
# ## Where to go next
#
# One debt is left from the lesson on attention: there "may" and "yam" were the same. What must a machine be told, so
# that it can tell them apart?
#
# * [Positions](positions.py): how the machine knows what comes first.
#
# Read on elsewhere: Vaswani and others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section
# 3.2.2; Chiang, Rush and Barak (2021), [Named Tensor Notation](https://arxiv.org/abs/2102.13196); Rogozhnikov (2022),
# [Einops: Clear and Reliable Tensor Manipulations with Einstein-like
# Notation](https://openreview.net/forum?id=oapKSVM2bcj).

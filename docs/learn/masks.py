# ---
# title: Masks
# description: What must not be looked at. Why texts are padded, what a machine does that sees the padding, how to hide it, and what becomes of a row in which nothing is left.
# ---

# %% [markdown]
# # What must not be looked at?
#
# "22.12.1960" is the 22nd of December. Hand it over together with a sentence of 100 letters, and a machine that nobody
# has warned reads the 2nd of January. No letter of the date has changed. What has changed is the emptiness behind it.
#
# Texts are handed to a machine many at a time, because one large matrix is multiplied faster than many small ones. Such
# a *batch* must be a rectangle. So the shorter texts are filled up with a letter that means nothing, the **padding**,
# which has the id 0. Our machine was trained on texts of 34 places, so that every date fits. Here are three in a batch:
#
# --8<-- "diagrams/batch.svg"
#
# What if nobody tells the machine that the padding is not text? One machine was trained like that, for 500 steps. At 34
# places, as in its training, nobody would notice. It even reads a few more dates than the whole machine after 500
# steps:

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
import trained
from clear_attention import create_date_pairs, date_tokenizers, greedy_search
from date_machine import percent

model, record = trained.load("dates")
brief, brief_record = trained.load("dates-brief")  # trained as long as the other
seeing, seeing_record = trained.load("dates-padding-seen")
source, target = date_tokenizers()
lengths = record["paddings"]
texts, dates = create_date_pairs(2000, seed=1, split="test")


def right(places):
    ids = source.encode(texts, length=places)
    written = target.decode(greedy_search(brief, ids, max_length=11))
    return np.mean([a == b for a, b in zip(written, dates, strict=True)])


rows = {
    "the whole machine": np.array([right(places) for places in lengths]),
    "the machine that was not told": seeing_record["padded"],  # of the same dates
}
assert np.ptp(rows["the whole machine"]) < 0.001
assert abs(rows["the whole machine"][0] - brief_record["exact"]) < 0.001
assert max(np.ptp(record["padded"]), 0.98 - min(record["padded"])) < 0.001
assert seeing_record["padded"][0] > 0.97 > 0.6 > seeing_record["padded"][-1]
assert seeing_record["steps"][-1] == brief_record["steps"][-1] == 500
print("of 2,000 unseen dates, at 34 places:")
for name, shares in rows.items():
    print(f"{percent(shares[0])} right, {name}")

# %% [markdown]
# Now the same dates are filled up to more places. **How many of them do the two machines still read?**

# %% tags=["live", "remove-input"]
from live import bet

whole, untold = ((100 * shares).tolist() for shares in rows.values())
bet(
    "masks/padding",
    [
        (
            "the whole machine after 500 steps, 100 places",
            round(whole[-1], 1),
            "What it was told not to look at can't confuse it, however much of it there is.",
        ),
        (
            "not told of padding, 60 places",
            round(untold[2], 1),
            "It has learnt to live with some padding. In most dates 26 more places do not yet outvote the letters.",
            "Every place of padding gets a little weight, and there are many more of them than in its training.",
        ),
        (
            "not told of padding, 100 places",
            round(untold[3], 1),
            "It has learnt to live with some padding, so even now it reads many of the dates.",
            "A little weight for each place of padding adds up: the letters that matter are outvoted.",
        ),
    ],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# The whole machine stays where it was, and the other one falls:

# %% tags=["hide-input"] alt="Unseen dates right against the places to which a text is filled up, 34, 40, 60 and 100. The line of the whole machine stays near 100 %. That of the machine that was not told begins beside it and falls to less than half at 100 places."
import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(4.6, 2.5), layout="constrained")
styles = ("#0072b2", 104, "bottom"), ("#d55e00", 50, "top")
for (name, shares), (colour, y, side) in zip(rows.items(), styles, strict=True):
    ax.plot(lengths, 100 * shares, "o-", color=colour)
    ax.text(36, y, name, color=colour, va=side)
    last = 100, 100 * shares[-1] + (4 if side == "bottom" else -4)
    ax.text(*last, percent(shares[-1]), color=colour, ha="center", va=side)
ax.set(xticks=lengths, ylim=(0, 119), xlim=(31, 108), yticks=range(0, 101, 20))
ax.set(xlabel="places, text and padding", ylabel="unseen dates right, in %")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# Try a text of your own at 100 places, with the machine of lesson 1, which had 1,000 steps, and the one that was not
# told:

# %% tags=["live", "hide-input"]
from date_machine import machine

text = "22.12.1960"
ids = source.encode([text], length=100)
assert lengths[-1] == 100
lines, writes = "", []
for name, (reader, found) in zip(
    rows, ((model, record), (seeing, seeing_record)), strict=True
):
    writes += target.decode(greedy_search(reader, ids, max_length=11))
    cells = (writes[-1], percent(found["padded"][-1]))
    lines += (
        f'<tr><th scope="row">{name}</th>'
        + "".join(f"<td>{x}</td>" for x in cells)
        + "</tr>"
    )
assert writes == ["1960-12-22", "1960-01-02"]
for below, kept in ((3, 0.86), (1, 0.46)):  # as the text says
    assert round(24 / (24 + 76 * np.exp(-below)), 2) == kept
head = "".join(
    f'<th scope="col">{x}</th>' for x in ("machine", "writes", "unseen dates right")
)
machine(
    "dates",
    "dates-padding-seen",
    piece="beside",
    sibling="dates-padding-seen",
    places=100,
    called={
        "dates-padding-seen": (
            "the machine that was not told",
            "trained without being told",
        )
    },
    without=f'<table class="comparison"><caption>“{text}” and 76 places of padding'
    f"</caption><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>",
)

# %% [markdown]
# **The answers just get worse when somebody puts a longer text into the same batch.**
#
# </details>
#
# Whatever you found: there was no error and no warning.
#
# ## Hide it
#
# Why does emptiness do harm? The softmax gives every letter some weight. In a row of 100 places a text of 24 letters
# has 76 places of padding. If the score of each is 3 below those of the letters, its weight is 0.05 times theirs, and
# the text keeps 24 / (24 + 76 · 0.05) of all weight, or 86 %. If it is 1 below, the text keeps 46 %: it is outvoted by
# emptiness.
#
# So the padding must get a weight of exactly 0. A **mask** holds a 1 where a key must not be looked at, and we say that
# this key is *blocked*. Elsewhere it holds a 0. (Some other libraries, Keras among them, count [the other way
# round](../guides/mask_conventions.py).)
#
# Here are the weights that head 1 of the trained machine's encoder gives for a short text with two places of padding. A
# row is a letter that looks, and a column one that is looked at. What is hidden is hatched.
#
# Uncover one place of padding: above the grid, press the first button "pad". How much weight does it take from the
# letters? Then hide it again. **A dare: leave a letter with nothing to look at.** Press more of these buttons, or
# single cells. What becomes of its row? We come back to it [below](#queries-with-no-key-left).

# %% tags=["live", "hide-input"]
from clear_attention import create_padding_mask, scaled_dot_product_attention
from live import grid, lab, situation

ids = source.encode(["3 may"], length=7)
x = model.source_positions(model.embed_source(ids) * 8.0)
attention = model.encoder.layers[0].self_attention.attention
q, k, v = (
    project(x)[0, :, :16].numpy()  # the first of four heads
    for project in (
        attention.project_queries,
        attention.project_keys,
        attention.project_values,
    )
)
letters = ["3", "␣", "m", "a", "y", "pad", "pad"]
blocked = create_padding_mask(ids)[0, 0, 0]
weights = scaled_dot_product_attention(q, k, v, blocked).weights
lab(
    [situation("3 may", letters, q, k, v, padding=[5, 6], paddingOnly=True)],
    grid("Weights", weights, letters, letters, np.tile(blocked, (7, 1)) == 1),
    piece="mask",
)

# %% [markdown]
# The last two rows show that a place of padding may still *look*. But nobody looks at it, and its own answers must not
# be counted.
#
# ## By hand
#
# A letter looks at three letters and one place of padding. Its scores are 2, 1, 0 and, for the padding, 3. Seen, the
# padding takes most of the weight. Hidden, it is left out of the sum, and its weight is exactly 0:
#
# --8<-- "diagrams/mask_by_hand.svg"
#
# The padding leaves *before* the division, so that the other weights still add up to one. If its weight were set to 0
# afterwards, the others would add up to only 0.356. So your softmax needs the mask, and your attention hands it on.
# Where it gets no mask, `mask=0` blocks nothing.

# %%
scores = np.array([2.0, 1.0, 0.0, 3.0])
mask = np.array([0, 0, 0, 1])


def softmax(scores, mask):
    powers = np.where(mask == 1, 0, np.exp(scores))
    return powers / powers.sum(axis=-1, keepdims=True)


def attention(q, k, v, mask=0):
    scores = q @ k.T / np.sqrt(k.shape[-1])
    return softmax(scores, mask) @ v


print("weights", softmax(scores, mask).round(3))

# %% [markdown]
# ## The formula
#
# $$
# w_{ij} = \begin{cases} 0 & \text{if } \text{mask}_{ij} = 1 \\[4pt]
# \dfrac{e^{s_{ij}}}{\sum_{l:\, \text{mask}_{il} = 0} e^{s_{il}}} & \text{if } \text{mask}_{ij} = 0 \end{cases}
# $$
#
# Here $s_{ij}$ is the score of query $i$ and key $j$, and $w_{ij}$ is its weight. The sum runs over the keys $l$ that
# query $i$ may see.
#
# Who makes the mask? [`create_padding_mask`][clear_attention.create_padding_mask] puts a 1 wherever an id is 0. In the
# picture a row is a whole text, and a 1 is hatched.

# %% alt="A grid with a row for each of three texts. Hatched are the places 2 and 3 of text 0, the places 3 and 4 of text 1, and the places 0, 1 and 2 of text 2."
import matplotlib.pyplot as plt
from clear_attention import create_padding_mask, plot_mask

ids = [[7, 6, 0, 0, 1], [1, 2, 3, 0, 0], [0, 0, 0, 4, 5]]
padding = create_padding_mask(ids)
print(padding.shape)
print(padding[:, 0, 0].numpy())
figure, ax = plt.subplots(figsize=(3.2, 2), layout="constrained")
names = ["text 0", "text 1", "text 2"]
plot_mask(padding[:, 0, 0], names, ["0", "1", "2", "3", "4"], ax=ax)
ax.set(ylabel="")
plt.show()

# %% tags=["live", "remove-input"]
import re
from pathlib import Path

expected = [[0, 0, 1, 1, 0], [0, 0, 0, 1, 1], [1, 1, 1, 0, 0]]
np.testing.assert_array_equal(padding[:, 0, 0], expected)
# The numbers of the drawing are those that the functions of this page compute.
drawn = Path("../diagrams/mask_by_hand.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number"[^>]*>([^<]+)<', drawn)
steps = [*scores]
for hidden in (0 * mask, mask):
    powers = np.where(hidden == 1, 0, np.exp(scores))
    steps += [*hidden] if hidden.any() else []
    steps += [*powers, powers.sum(), *softmax(scores, hidden), 1]
np.testing.assert_allclose(np.array(drawn, float), steps, atol=5.01e-4)

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Its axes, and padding that is not behind a text</summary>
#
# The axes are texts, heads, queries and keys, and size 1 means that all heads share the mask, or all queries.
#
# In text 0 the 7 and the 6 are a question that was filled up to four places, and the 1 is an answer that was put behind
# it. Text 2 is filled up on the left, as is done where texts are to end together.
#
# </details>
#
# ## A row with nothing left { #queries-with-no-key-left }
#
# And the dare? Say that one text is empty, like a blank line in a file. In the batch it is nothing but padding, and its
# places may look at no key at all. What will your own attention say of it?
#
# Here two letters look at three places. In row 0 of the mask one place is hidden, in row 1 all three. All keys are
# equal, and the values are chosen so that the output is just the weights:

# %%
mask = np.array([[0, 0, 1], [1, 1, 1]])  # a row for each letter that looks
with np.errstate(invalid="ignore"):
    output = attention(np.ones((2, 4)), np.ones((3, 4)), np.eye(3), mask)
print(output)

# %% tags=["live", "remove-input"]
np.testing.assert_array_equal(output, [[0.5, 0.5, 0], [np.nan] * 3])

# %% [markdown]
# NaN means "not a number", and what is computed with it is NaN, too. **A single empty line can turn a whole training
# into NaN**, because the next nudge is computed from all texts of the batch together.
#
# There is no average of nothing, so somebody has to decide what comes out. Our rule is: **a query with no key left gets
# weights 0, output 0 and gradient 0.** (The *gradient* says how the output changes if a number is nudged.) Mend your
# `softmax`, so that it keeps this rule. One expression is missing:
#
# ```python
# def softmax(scores, mask):
#     powers = np.where(mask == 1, 0, np.exp(scores))
#     sums = powers.sum(axis=-1, keepdims=True)
#     return ...  # powers / sums, and 0 where the sum is 0
# ```


# %% tags=["answer"]
def softmax(scores, mask):
    powers = np.where(mask == 1, 0, np.exp(scores))
    sums = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(sums == 0, 1, sums)  # 0 / 1 where nothing is left


print(softmax(np.zeros((2, 3)), mask))
np.testing.assert_array_equal(
    softmax(np.zeros((2, 3)), mask), [[0.5, 0.5, 0], [0, 0, 0]]
)

# %% [markdown]
# <details class="lesson-more" markdown="1" id="a-check-what-is-hidden-does-not-matter"><summary>Does what is hidden really not matter?</summary>
#
# Put anything you like under the mask, even NaN, and no real letter's output changes. This is a promise of the package.
# (Your own `attention` does not keep it, because 0 times NaN is NaN.) Here all of the padding becomes NaN:

# %%
ids = source.encode(["3 may 2018"], length=34)
mask = create_padding_mask(ids)[:, 0]  # for a single head
x = np.array(model.embed_source(ids))
before = scaled_dot_product_attention(x, x, x, mask).output
x[:, 10:] = np.nan  # all of the padding
after = scaled_dot_product_attention(x, x, x, mask).output
np.testing.assert_array_equal(before[:, :10], after[:, :10])
print("the ten letters: not one bit has changed")

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# Many programs hide a score differently: before the softmax they make it so negative that $e$ to its power is 0. How
# negative? The paper of the first Transformer (Vaswani and others, 2017) says −∞, with which an empty row becomes NaN.
# The program of its authors added -1,000,000,000. With that an empty row looks at its padding, and nobody is warned. A
# guide tries the [four ways to hide a score](../guides/hiding_scores.py), and what becomes of them in 16 bits.
#
# ## Exercises
#
# ### Exercise 1
#
# The scores of a row are 2, 1, 0 and 3, and the last belongs to padding. Which weights change,
#
# 1. if 5 is added to every score?
# 2. if 5 is added to the padding's score, before it is hidden?
# 3. if 5 is added to the score 0?

# %% tags=["answer"]
scores, hidden = np.array([2.0, 1.0, 0.0, 3.0]), np.array([0, 0, 0, 1])
more = {"nothing": 0, "all": 5, "the padding": [0, 0, 0, 5], "the 0": [0, 0, 5, 0]}
for name, added in more.items():
    print(f"{name:11}", softmax(scores + added, hidden).round(3))
same = [softmax(scores + more[name], hidden) for name in ("all", "the padding")]
np.testing.assert_allclose(same, [softmax(scores, hidden)] * 2)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# None in the first case, because $e^5$ stands above and below the fraction line. None in the second, because what is
# hidden is out of the sum. In the third, all but that of the padding: the 5 takes nearly all of the weight.
#
# </details>
#
# ### Exercise 2
#
# Instead of a mask, a friend sets the padding's key and value to 0. What weight does the padding of exercise 1 get now?

# %% tags=["answer"]
zeroed = np.array([2.0, 1.0, 0.0, 0.0])  # a key of zeros has the score 0
print("weights", softmax(zeroed, 0 * hidden).round(3))
np.testing.assert_allclose(softmax(zeroed, 0 * hidden)[3], 0.083, atol=5e-4)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# A score of 0 is a score like any other, and $e^0 = 1$. The padding hands over nothing, but takes 8 % from the others.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("masks")

# %% [markdown]
# ```self-check
# ? The weight of a hidden key is set to 0 only behind the softmax. What goes wrong?
# - Nothing: hidden is hidden. | Its weight is 0. But what it took from the others is lost.
# + The other weights add up to less than 1. | The hidden key was in the sum by which they were divided.
# - The row becomes NaN. | It would if nothing were left in the sum. Here the hidden key is still in it.
# ? A machine that was trained without a padding mask reads dates well at 34 places. What makes it read them worse?
# + one longer text in the batch | All others get more padding behind them than in the training, and it takes padding for letters.
# - the same texts in another order | Each text is read by itself, so its answer stays the same.
# - texts of equal length | Padded to 34 places, they are what it was trained on.
# ? Scores have the axes (texts, queries, keys). For four texts of four letters somebody makes a padding mask of shape `(4, 4)`, a row for each text. NumPy adds the missing axis in front and stretches it. What happens?
# - Each text's padding is blocked. | For that the shape must be `(4, 1, 4)`: one row for all queries of a text.
# - It is refused. | It would be if the sizes did not fit, say with 3 texts of 4 letters. Here nobody can tell.
# + The row of text 2 becomes the mask of query 2, in every text. | The last two axes are queries and keys.
# ```
#
# ## Where to go next
#
# Padding is not the only thing to hide. The decoder writes one letter after the other, but while it is trained, the
# whole answer lies before it. What keeps it from copying?
#
# * [Causal attention](causal.py): the second thing that must be hidden is the future.
# * [The Mask Lab](../lab.py): your own mask, cell by cell.
# * [The museum](../guides/museum.py#masks): more than ten ways to get a mask wrong.
#
# Read on elsewhere: Vaswani and others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section
# 3.2.3, where the mask takes two sentences; Micikevicius and others (2017), [Mixed Precision
# Training](https://arxiv.org/abs/1710.03740), on 16 bits; Keras's guide [Understanding masking and
# padding](https://keras.io/guides/understanding_masking_and_padding/).

# ---
# title: Masks
# description: What must not be looked at. Why texts are padded, what a machine does that sees the padding, how to hide it, and what becomes of a row in which nothing is left.
# ---

# %% [markdown]
# # What must not be looked at?
#
# "22.12.1960" is the 22nd of December. Hand this date to a machine together with a sentence of 100 letters, and if
# nobody has warned the machine, it reads the 2nd of January. Not one letter of the date has changed. Only the emptiness
# behind it has grown.
#
# Below, two machines read this date. One, our yardstick, was **told** which places are empty. The other was **not
# told**. **Once they have loaded, drag the slider to the right until the second one makes a mistake, and watch its look
# wander off into the emptiness.** Then type a date of your own.

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from clear_attention import (
    Transformer,
    create_date_pairs,
    date_tokenizers,
    greedy_search,
)
from date_machine import machine, strip

brief, brief_record = trained.load("dates-brief")
seeing, seeing_record = trained.load("dates-padding-seen")
source, target = date_tokenizers()
text = "22.12.1960"
called = {
    "dates-brief": ("told", ""),
    "dates-padding-seen": ("not told", "not told"),
}
writes = {}
for places in (34, 60, 80, 100):
    ids = source.encode([text], length=places)
    found = [
        greedy_search(x, ids, max_length=11, jit_compile=False)
        for x in (brief, seeing)
    ]
    writes[places] = [target.decode(x)[0] for x in found]
assert {told for told, _ in writes.values()} == {"1960-12-22"}
assert writes[34][1] == "1960-12-22"
assert writes[100][1] == "1960-01-02"
machine(
    "dates-brief",
    "dates-padding-seen",
    piece="places",
    whole="dates-brief",  # trained as long as the other
    sibling="dates-padding-seen",
    text=text,
    at=5,  # the first digit of the month, which goes wrong
    called=called,
    without=f"<p>What two machines make of “{text}” in 34 places:</p>"
    + strip("places", [*text, *"\u00a0" * (34 - len(text))])
    + strip("told", writes[34][0])  # the reader is about to find the others
    + strip("not told", writes[34][1], chosen=5),
)

# %% [markdown]
# **A machine that is not told which places are empty lets emptiness into its averages.**
#
# But where does the emptiness come from? Texts are handed to a machine many at a time, in a *batch*, and a batch must
# be a rectangle. So the shorter texts are filled up with a letter that means nothing: the **padding**, which has the id
# 0.
#
# --8<-- "diagrams/batch.svg"
#
# For our machine every row is filled up to 34 places, because its longest date has 34 letters. Elsewhere the longest
# text of a batch decides.
#
# At 34 places both machines read nearly all unseen dates. Now fill these up to 100. The machine that was told reads as
# many dates as before. The other one reads only 33 of 100. There is no error and no warning. **If emptiness is not
# hidden, the answers just get worse when somebody puts a longer text into the same batch.**
#
# <details class="lesson-more" markdown="1"><summary>For the curious: the same dates in 34, 40, 60 and 100 places</summary>

# %% tags=["hide-input"]
import numpy as np
from date_machine import percent

lengths = seeing_record["paddings"]
texts, dates = create_date_pairs(2000, seed=1, split="test")


def right(places):
    ids = source.encode(texts, length=places)
    written = target.decode(greedy_search(brief, ids, max_length=11))
    return np.mean([a == b for a, b in zip(written, dates, strict=True)])


rows = {
    "told": np.array([right(n) for n in lengths]),
    "not told": seeing_record["padded"],  # of the same dates
}
told, untold = rows.values()
assert max(map(len, texts)) == 34  # as many as the longest date needs
assert np.ptp(told) < 0.001
assert abs(told[0] - brief_record["exact"]) < 0.001
assert min(told[0], untold[0]) > 0.97  # nearly all
assert percent(untold[-1]) == "32.7 %"  # 33 of 100, as the text says


def taken(places):
    """Return how much weight the padding takes, in the mean, when the machine that was not told writes."""
    ids, given = (
        source.encode(texts[:100], length=places),
        target.encode(dates[:100]),
    )
    maps = seeing((ids, given[:, :-1]), return_weights=True).weights
    weights = maps["decoder.0.cross"].numpy().mean(axis=(1, 2))  # (text, place)
    return (weights * (ids == 0)).sum(axis=1).mean()


assert taken(34) < taken(60) < taken(100)  # more weight is taken
assert seeing_record["steps"][-1] == brief_record["steps"][-1] == 500

# %% [markdown]
# Each point is a share of the same 2,000 unseen dates:

# %% tags=["hide-input"] alt="Unseen dates right against the places to which a text is filled up, 34, 40, 60 and 100. The line of the machine that was told stays near 100 %. That of the machine that was not told begins beside it and falls to less than half at 100 places."
import matplotlib.pyplot as plt

_, ax = plt.subplots(figsize=(4.6, 2.5), layout="constrained")
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
# </details>
#
# ## Hide it
#
# How can emptiness do harm? Here is one look of the machine that was not told, when it is about to write the first
# digit of the month. **Press "Side by side". How much of the mixture is made of padding, in 34 places, and in 100? And
# what is left of it in the machine that was told?**

# %% tags=["live", "remove-input"]
from live import touch


def look(name, model, places):
    """Return what a machine writes, where it looks for each letter, and what it mixes."""
    ids = source.encode([text], length=places)
    found = greedy_search(model, ids, max_length=11, jit_compile=False)
    answer = target.decode(found)[0]
    given = target.encode([answer])[:, :-1]
    maps = model(ids, given, return_weights=True).weights["decoder.0.cross"]
    vectors = model.encode(ids).output[0, :, :16].numpy().astype(float).round(1)
    mean = maps[0].numpy().mean(axis=0)[: len(answer)]  # of four heads
    weights = mean.astype(float).round(4).tolist()
    return {
        "name": name,
        "answer": answer,
        "vectors": vectors.tolist(),
        "weights": weights,
    }


looks = [
    look("not told, 34 places", seeing, 34),
    look("not told, 100 places", seeing, 100),
    look("told, 100 places", brief, 100),
]
taken = [round(sum(one["weights"][5][len(text) :]), 2) for one in looks]
assert taken == [0.11, 0.63, 0]
assert [one["answer"][5:7] for one in looks] == ["12", "01", "12"]
# A mask that comes after the training: the same weights, with the padding hidden.
hiding = Transformer(**trained.dates.SIZES)
hiding.build()
hiding.set_weights(seeing.get_weights())
few, right_few = create_date_pairs(300, seed=1, split="test")
ids = source.encode(few, length=34)
found = target.decode(greedy_search(hiding, ids, max_length=11, jit_compile=False))
late = np.mean([one == date for one, date in zip(found, right_few, strict=True)])
assert abs(late - 1 / 3) < 0.06

touch(
    "mixing",
    f"<p>The padding takes {taken[0]:.2f} of the weight in 34 places, and {taken[1]:.2f} in 100. From the machine that"
    " was told it takes none.</p>",
    kind="padding",
    text=text,
    looks=looks,
    look=0,
    rest="padding",
    numbers=64,
    chosen=5,  # the first digit of the month
    stage=0,
)

# %% [markdown]
# **What the empty places take, the letters lose.** The softmax gives every place some weight. With 34 places the
# padding takes a tenth of the mixture, and with this the machine has learnt to live. With 100 places it takes nearly
# two thirds, and the 1 of the month becomes a 0. From the machine that was told it takes exactly 0, however many places
# there are.
#
# (Hide the padding in the training, too. We hid it from the other machine only afterwards, in 34 places, and then it
# read one date in three in place of nearly all. It seems to have learnt to use the padding.)
#
# A **mask** gives the padding its 0. It holds a 1 for each key that must not be looked at, and a 0 for the others. A
# key with a 1 is *blocked*. Here are the weights of a head of our machine, with its padding blocked. **Press the first
# blue "pad" button to let one place in: what does it take from the letters? Then try to leave a letter with nothing to
# look at.**

# %% tags=["live", "hide-input"]
import numpy as np
from clear_attention import create_padding_mask, scaled_dot_product_attention
from live import grid, lab, situation

model, _ = trained.load("dates")
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
let_in = np.array(blocked) * [1, 1, 1, 1, 1, 0, 1]
let_in = scaled_dot_product_attention(q, k, v, let_in).weights.numpy()
np.testing.assert_allclose(let_in[0, 5], 0.44, atol=0.005)  # of the 3
assert all(let_in[0, :5] < weights[0, :5])  # what the letters lose
lab(
    [
        situation(
            "3 may",
            letters,
            q,
            k,
            v,
            padding=[5, 6],
            paddingOnly=True,
            dare={
                "goal": "empty",
                "says": "You have made a row with nothing to look at. Here it becomes zeros. In many programs it is NaN,"
                " not a number, and can take the whole training with it.",
            },
        )
    ],
    grid("Weights", weights, letters, letters, np.tile(blocked, (7, 1)) == 1),
    piece="mask",
)

# %% [markdown]
# **Padding is hidden as a key, but not as a query.** The two rows called pad still *look*. That does no harm, because
# what comes out of them is used nowhere. But the first of them, once let in as a key, takes a good part of the weight
# of the 3 from the letters.
#
# ## By hand
#
# What happens to the numbers when a key is hidden? Take a letter that looks at three letters and one place of padding.
# Its scores are 2, 1, 0 and, for the padding, 3.
#
# --8<-- "diagrams/mask_by_hand.svg"
#
# As long as the padding is seen, it takes nearly two thirds of the weight. **The padding leaves the sum before the
# division, so that the other weights still add up to one.** That is why in your code `softmax` gets the mask:

# %%
scores = np.array([2.0, 1.0, 0.0, 3.0])
mask = np.array([0, 0, 0, 1])


def softmax(scores, mask):
    powers = np.where(mask == 1, 0, np.exp(scores))
    return powers / powers.sum(axis=-1, keepdims=True)


def attention(q, k, v, mask=0):  # 0 hides nothing
    scores = q @ k.T / np.sqrt(k.shape[-1])
    return softmax(scores, mask) @ v


print("weights", softmax(scores, mask).round(3))

# %% tags=["live", "remove-input"]
import re
from pathlib import Path

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
# ## The formula
#
# $$
# w_{ij} = \frac{(1 - m_{ij})\, e^{s_{ij}}}{\sum_l (1 - m_{il})\, e^{s_{il}}}
# $$
#
# Here $s_{ij}$ is the score of query $i$ and key $j$, $w_{ij}$ is its weight, and $m_{ij}$ is the mask, 1 or 0. The sum
# runs over all keys $l$.
#
# In this site's package, [`create_padding_mask`][clear_attention.create_padding_mask] puts a 1 wherever an id is 0. Some
# other libraries count [the other way round](../guides/mask_conventions.py): there a 0 hides.
#
# But if all keys are blocked, the sum is 0, and the weight is 0/0. Can that happen?
#
# <details class="lesson-more" markdown="1"><summary>Numbers to test your own mask against</summary>
#
# For three texts of five letters the shape is `(3, 1, 1, 5)`: texts, [heads](multi_head.py), which come in lesson 5,
# queries and keys. The two 1s say that all heads and all queries of a text share one row. Every id 0 is hidden, wherever
# it stands: in text 0 in the middle, in text 2 on the left. In the picture a 1 is hatched:

# %% alt="A grid with a row for each of three texts. Hatched are the places 2 and 3 of text 0, the places 3 and 4 of text 1, and the places 0, 1 and 2 of text 2."
import matplotlib.pyplot as plt
from clear_attention import create_padding_mask, plot_mask

padding = create_padding_mask([[7, 6, 0, 0, 1], [1, 2, 3, 0, 0], [0, 0, 0, 4, 5]])
print(padding.shape)
print(padding[:, 0, 0].numpy())
_, ax = plt.subplots(figsize=(3.2, 2), layout="constrained")
names = ["text 0", "text 1", "text 2"]
plot_mask(padding[:, 0, 0], names, ["0", "1", "2", "3", "4"], ax=ax)
ax.set(ylabel="")
plt.show()

# %% tags=["live", "remove-input"]
expected = [[0, 0, 1, 1, 0], [0, 0, 0, 1, 1], [1, 1, 1, 0, 0]]
np.testing.assert_array_equal(padding[:, 0, 0], expected)
assert padding.shape == (3, 1, 1, 5)

# %% [markdown]
# </details>
#
# ## A row with nothing left { #queries-with-no-key-left }
#
# **A single blank line in a file can turn a whole training into NaN**, which means "not a number". All places of an
# empty text are padding, so nothing is left that may be looked at. Then your own attention divides by 0:

# %%
mask = np.array([[0, 0, 1], [1, 1, 1]])  # the second letter may look at nothing
with np.errstate(invalid="ignore"):  # equal keys; the output is just the weights
    output = attention(np.ones((2, 4)), np.ones((3, 4)), np.eye(3), mask)
print(output)

# %% tags=["live", "remove-input"]
np.testing.assert_array_equal(output, [[0.5, 0.5, 0], [np.nan] * 3])
far = np.float32(-1e9)
np.testing.assert_array_equal(np.float32([3, 1]) + far, [far, far])
assert 3 + int(far) == -999_999_997
for hides, shares in (([0, 1], [1, 0]), ([1, 1], [0.5, 0.5])):
    added = np.float32([3, 1]) + np.float32(hides) * far
    powers = np.exp(added - added.max())
    np.testing.assert_array_equal(powers / powers.sum(), shares)

# %% [markdown]
# Why the whole training, if each text of a batch is read by itself? Because each step of the training changes the
# numbers by what all texts of the batch say together. So one such row can spoil every number of the machine.
#
# The Transformer's paper (Vaswani and others, 2017) sets a hidden score to −∞. Then $e$ to its power is 0, and an empty
# row becomes NaN. Its program [added](../guides/hiding_scores.py) -1,000,000,000 instead. It also subtracts the largest
# score of a row from all its scores, as most programs do, which changes no weight. Here are two keys with the scores 3
# and 1:
#
# | hidden | scores, with the large number | minus the largest | weights |
# | --- | --- | --- | --- |
# | the second | 3 and -1,000,000,000 | 0 and -1,000,000,000 | 1 and 0 |
# | both | -1,000,000,000 and -1,000,000,000 | 0 and 0 | 0.5 and 0.5 |
#
# A number of 32 bits keeps only about seven digits, so the large number wipes out the 3 and the 1. **No NaN appears. But
# an empty row looks at its padding after all, and nobody is warned.**
#
# There is no average of nothing, so somebody has to decide. **Our rule is that a query with no key left gets weights 0
# and output 0.** Mend your `softmax`, so that it keeps this rule. One expression is missing:
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
# In the first case none, because $e^5$ stands above and below the fraction line. In the second none, because what is
# hidden is not in the sum. In the third all but that of the padding: the third letter has the score 5 now, and takes
# nearly everything.
#
# </details>
#
# ### Exercise 2
#
# A friend says that nobody needs a mask, and sets the padding's key and value to 0 instead. What weight does the
# padding of exercise 1 get now?

# %% tags=["answer"]
zeroed = np.array([2.0, 1.0, 0.0, 0.0])  # a key of zeros has the score 0
print("weights", softmax(zeroed, 0 * hidden).round(3))
np.testing.assert_allclose(softmax(zeroed, 0 * hidden)[3], 0.083, atol=5e-4)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# A score of 0 is a score like any other, and $e^0 = 1$. So the padding hands over nothing, but takes 8 % from the
# others.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("masks")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? The weight of a hidden key is set to 0 only after the softmax. What goes wrong?
# - Nothing: hidden is hidden. | Its weight is 0. But what it took from the others is lost.
# + The other weights add up to less than 1. | The hidden key was in the sum by which they were divided.
# - The row becomes NaN. | It would if nothing were left in the sum. Here the hidden key is still in it.
# ? A machine that was trained without a padding mask reads dates well at 34 places. What makes it read them worse?
# + one longer text in the batch | All others get more padding behind them than in the training, and this machine takes padding for letters.
# - the same texts in another order | Each text is read by itself, so its answer stays the same.
# - texts of equal length | Padded to 34 places, they are what it was trained on.
# ? A batch has a padding mask. What may a place of padding still do?
# - be looked at, if its score is high | Its weight is 0, whatever its score is.
# + look at the letters | It is hidden as a key, not as a query. But its own answer is not used.
# - nothing: its row becomes NaN | That would happen if no key were left. Here it may look at the letters.
# ```
#
# </details>
#
# ## Where to go next
#
# What a mask hides is gone before anything is shared out. In the drawing of attention the last two of five places are
# empty. Untick "hidden", and they get their weight back:

# %% tags=["live", "remove-input"]
from drawing import attention_drawn

attention_drawn("masks")

# %% [markdown]
# Padding is not the only thing to hide. The decoder writes one letter after the other, but while it is trained, the
# whole answer lies before it. What keeps it from copying?
#
# * [Causal attention](causal.py): the second thing that must be hidden is the future.
# * [The Mask Lab](../lab.py): your own mask, cell by cell.
# * [The museum](../guides/museum.py#masks): many ways to get a mask wrong.
#
# Read on elsewhere: Vaswani and others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section
# 3.2.3, where the mask takes two sentences; Micikevicius and others (2017), [Mixed Precision
# Training](https://arxiv.org/abs/1710.03740), which computes in 16 bits, where -1,000,000,000 becomes −∞; Keras's guide
# [Understanding masking and padding](https://keras.io/guides/understanding_masking_and_padding/).

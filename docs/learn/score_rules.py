# ---
# title: What else goes into the scores
# description: A number for each distance, a limit, and a place for weight that nobody needs. Bias, soft cap and sink, their order, by hand and as the date machine has learnt them.
# ---

# %% [markdown]
# # What can a score not say?
#
# A score is the product of a query and a key. It says how well the two fit, and by itself it says nothing else. But
# three more things can matter to the letter that looks: that a key is **near**, that it fits **well enough**, and that
# **none of them** fits. On this page each of the three gets a rule, which stands between the product
# and the softmax.
#
# You have seen what becomes of a machine that can't say the first. [Without positions](positions.py) it reads a text as
# a bag of letters, and gets few dates right. One remedy was to turn queries and keys. Here is a simpler one, on the
# date machine with its two halves. To each score of self-attention, in both halves, a number is added that depends on
# nothing but *how far* the key stands from the query, and on which side. Here are a machine without positions and one
# with such numbers, each trained for 500 steps. For the last line, the texts begin 40 places later in the row than in
# the training:

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from date_machine import percent
from IPython.display import Markdown, display

bag, bag_record = trained.load("dates-no-positions")
model, record = trained.load("today-buckets")
lines = [
    "| machine | dates right |",
    "| --- | --- |",
    f"| without positions | {percent(bag_record['exact'])} |",
    f"| a number by distance | {percent(record['exact'])} |",
    f"| the same, texts moved by 40 places | {percent(record['shifted'][-1])} |",
]
display(Markdown("\n".join(lines)))
assert bag_record["exact"] < 0.3
assert min(record["exact"], *record["shifted"]) > 0.97

# %% [markdown]
# Nothing was added to the letters, and nothing was turned. Fifteen numbers for each head, which are explained below,
# are enough to put the letters in order. And because only distances count, it does not matter where in the row a text
# begins.
#
# ## Near: a bias by distance
#
# What is added to a score is called a **bias**. (The vector that is added after a product with a matrix is called so,
# too; the two have nothing else in common.) A key with a bias of -1 gets the same weight as a key without a bias whose
# score is lower by 1. Where do the numbers come from? Here are two ways.
#
# * **A straight line.** Each place of distance costs the same price, which is subtracted from the score. Each head has
#   a different price, so that some heads look near and others far. With four heads the prices are 1/4, 1/16, 1/64 and
#   1/256. Nothing is learnt. This is called **ALiBi**.
# * **Learnt buckets.** Near distances have a learnt number each. Far distances share one, since it hardly matters
#   whether a letter is 20 or 22 places away. Such a group of distances is called a *bucket*. This is how **T5** does it, a
#   Transformer of 2020. Our machine has one bucket for distance 0. For the letters before the one that looks it has
#   seven, which are for the distances 1, 2, 3, 4 to 6, 7 to 11, 12 to 19, and 20 or more. For the letters after it
#   there are seven more, so that each head has 1 + 7 + 7 = 15 numbers.
#
# Here is what each head of the encoder has learnt to add. Right of 0 are the letters that come after the one that
# looks:

# %% tags=["hide-input"] alt="Four lines, one for each head of the encoder: what is added to a score, against the distance of the key from -12 to 12. The lines differ much from head to head, and change most near 0."
import matplotlib.pyplot as plt
import numpy as np
from clear_attention import alibi_bias

bias = model.encoder.layers[0].self_attention.attention.position_bias
distances = np.arange(-12, 13)
added = bias(distances).numpy()
figure, ax = plt.subplots(figsize=(6.5, 3), layout="constrained")
for number, (line, style) in enumerate(
    zip(added, (".-", "x--", "s:", "^-."), strict=True), start=1
):
    ax.plot(distances, line, style, label=f"head {number}", markersize=4)
ax.axvline(0, linewidth=0.8, color="0.5")
ax.set(xlabel="distance of the key", ylabel="added to the score")
ax.legend(ncols=2)
plt.show()
for number, line in enumerate(added, start=1):
    best = distances[line == line.max()]
    places = f"{best[0]} to {best[-1]}" if len(best) > 1 else f"{best[0]}"
    print(f"head {number} likes best the distance", places)
assert np.ptp(added, axis=1).max() > 0.5
buckets = [0, 1, 2, 3, *[4] * 3, *[5] * 5, *[6] * 8, *[7] * 20]
for side in (1, -1):
    along = bias(side * np.arange(40)).numpy()[0]
    same = along[:, None] == along
    np.testing.assert_array_equal(same, np.equal.outer(buckets, buckets))
np.testing.assert_allclose(
    alibi_bias(4, 2)[:, 1, 0], [-1 / 4, -1 / 16, -1 / 64, -1 / 256]
)

# %% [markdown]
# Each head has its own taste for distances: where its line is high, it likes to look. The lines printed below the
# picture say where each peak is. A peak can be flat, say from 4 to 6, where distances share a bucket. Four more such
# lines belong to the heads with which the answer looks at itself. These eight lines and the look-ahead mask are all
# that the machine knows about order.
#
# ## Well enough: the soft cap { #a-limit-the-soft-cap }
#
# A small bias counts only as long as no product is far ahead of the others. Dividing by the root of $d_k$ keeps the
# scores small at the beginning of a training, when the numbers are random. But the training can make them as large as
# it likes. If one key is ahead by 50, the softmax gives it nearly everything, near or far. The other keys get so little
# that the training can hardly lift them again.
#
# What is missing is a way to say that a key fits well enough, so that above some score a better fit hardly counts any
# more. A **soft cap** $c$ does this. It lets no score be larger than $c$ or smaller than $-c$, and leaves small scores
# nearly as they are:
#
# $$
# \text{score} \;\to\; c \, \tanh\left(\frac{\text{score}}{c}\right)
# $$
#
# The function $\tanh$ runs from -1 to 1, and near 0 it is nearly a straight line. With a cap of 2, a score of 4 becomes
# $2 \cdot \tanh(4/2) = 1.928$, and a score of 1 becomes 0.924.
#
# The blue line is the cap. The dashed line is what the scores would be without it:

# %% tags=["hide-input"] alt="Score after the cap against the score before it, from -10 to 10, for a cap of 2. Between -1 and 1 the line runs along the diagonal. Then it bends, and it never goes above 2 or below -2. Two dots mark the scores 1 and 4, which become 0.92 and 1.93."
before = np.linspace(-10, 10, 201)
figure, ax = plt.subplots(figsize=(5, 2.6), layout="constrained")
ax.plot(before, before, "--", color="0.5", linewidth=1)
ax.plot(before, 2 * np.tanh(before / 2), color="#0072b2", linewidth=2)
for height in (-2, 2):
    ax.axhline(height, color="0.7", linewidth=0.8)
for score in (1, 4):
    after = 2 * np.tanh(score / 2)
    ax.plot(score, after, "o", color="#0072b2")
    ax.annotate(f"{after:.2f}", (score, after), (score + 0.4, after - 0.9))
ax.set(xlabel="score", ylabel="after a cap of 2", xlim=(-10, 10), ylim=(-4, 4))
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# Now comes a trap. There is a fourth thing that no product says, which is **never**: this key must not be read. For
# that you have the mask, and one way of masking is to set the score to [minus infinity](masks.py). Some programs have
# applied the cap *after* the mask. What becomes of minus infinity then, if the cap is 2? Guess before you read what the
# cell prints. The third of its three keys is hidden.


# %%
def capped(scores, c=2.0):
    return c * np.tanh(scores / c)


def softmax(scores):
    powers = np.exp(scores)
    return powers / powers.sum()


scores, hidden = np.array([1.0, 0.0, 3.0]), np.array([False, False, True])
right = softmax(np.where(hidden, -np.inf, capped(scores)))
wrong = softmax(capped(np.where(hidden, -np.inf, scores)))
print("cap, then mask:", right.round(3))
print("mask, then cap:", wrong.round(3))

# %% [markdown]
# Minus infinity comes back as -2, which is a score like any other, and the hidden key is read. There is no error and no
# NaN. So the order matters. The cap must come first, and the mask must have the last word.
#
# ## None of them: the sink
#
# Now a score can say *near* and *well enough*. But whatever the scores are, the weights of a query add up to 1. So a
# letter *must* look at something, even if there is nothing in the text that it needs. Trained machines find a way out:
# they look at some letter that says little, the first one for example. A **sink** is an honest way out. It is one more
# score in each row, without a key or a value. It is learnt, and the same for all rows of a head. It takes part in the
# softmax, and the weight that it gets is thrown away.
#
# Say that four keys have the same score, and the sink has the score 0. Then $e^0 = 1$ goes into the sum for it, and it
# gets $1 / (1 + 4 e^{\text{score}})$ of the weight:
#
# | all four scores | each key gets | the sink gets |
# | --- | --- | --- |
# | 5 | 25.0 % | 0.2 % |
# | 0 | 20.0 % | 20.0 % |
# | -5 | 0.7 % | 97.4 % |
#
# As a picture, with the four keys in blue and the sink in grey:

# %% tags=["hide-input"] alt="Three bars, each cut into five pieces: four equal blue ones for the keys and a grey one for the sink. If all four scores are 5, the sink is a hair. At 0 all five pieces are equal. At -5 nearly the whole bar is the sink."
figure, ax = plt.subplots(figsize=(6.5, 1.9), layout="constrained")
for row, score in enumerate((-5, 0, 5)):
    powers = np.exp([score] * 4 + [0])
    shares = powers / powers.sum()
    colours = ["#0072b2"] * 4 + ["0.6"]
    ax.barh([row] * 5, shares, left=np.cumsum(shares) - shares, color=colours)
    for edge in np.cumsum(shares)[:4]:
        ax.plot([edge, edge], [row - 0.4, row + 0.4], color="white", linewidth=1)
ax.set_yticks(range(3), ["scores −5", "scores 0", "scores 5"])
ax.set(xlim=(0, 1))
ax.xaxis.set_major_formatter("{x:.0%}")
ax.spines[["top", "right", "left"]].set_visible(False)
plt.show()

# %% [markdown]
# If the keys fit, the sink gets next to nothing. If none of them fits, the sink gets nearly all, and the output is
# nearly 0. Without a sink the four keys would get 25 % each in all three cases, because the softmax sees only
# differences. By itself the softmax can't say "none of them".
#
# The machine at the top of this page has no sinks. Here is its sister, trained in the same way, but with a sink in
# every head. Does it read dates better? And how much of their weight do its heads give to the sink?

# %% tags=["hide-input"]
from clear_attention import create_date_pairs, date_tokenizers

source, target = date_tokenizers()
texts, dates = create_date_pairs(200, seed=1, split="test")
ids, answers = source.encode(texts, length=34), target.encode(dates)[:, :-1]
sister, sister_record = trained.load("today-sinks")
maps = sister((ids, answers), return_weights=True).weights
lines = [
    "| attention | head 1 | head 2 | head 3 | head 4 | if all scores were 0 |",
    "| --- " * 6 + "|",
]
given = {}
letters = (ids != 0).sum(axis=1)  # of each text
seen = {
    "encoder.0": np.average(1 / (letters + 1), weights=letters),
    "decoder.0.self": np.mean(1 / (np.arange(1, 12) + 1)),  # 1 to 11 keys
    "decoder.0.cross": np.mean(1 / (letters + 1)),
}
for name, title in {
    "encoder.0": "text looks at text",
    "decoder.0.self": "answer looks at answer",
    "decoder.0.cross": "answer looks at text",
}.items():
    taken = 1 - np.sum(maps[name], axis=-1)  # (texts, heads, queries)
    if name == "encoder.0":
        taken = np.where((ids != 0)[:, None], taken, np.nan)  # letters, no padding
    given[name] = np.nanmean(taken, axis=(0, 2))
    shown = [*given[name], seen[name]]
    lines.append(f"| {title} | " + " | ".join(f"{x:.0%}" for x in shown) + " |")
print(f"dates right without sinks: {percent(record['exact'])},", end=" ")
print(f"with sinks: {percent(sister_record['exact'])}")
display(Markdown("\n".join(lines)))
assert abs(record["exact"] - sister_record["exact"]) < 0.02
taken = np.mean(1 - np.sum(maps["decoder.0.self"], axis=-1), axis=(0, 1))
print(
    f"answer looks at answer: the sink gets {taken[0]:.0%} at the first place",
    end="",
)
print(f" and {taken[-1]:.0%} at the last")
assert all(x.min() > 0 and x.max() < 0.5 for x in given.values())
assert given["decoder.0.cross"].mean() < 0.75 * seen["decoder.0.cross"]
assert abs(given["decoder.0.self"].mean() - seen["decoder.0.self"]) < 0.06
assert abs(given["encoder.0"].mean() - seen["encoder.0"]) < 0.03
assert taken.argmax() == 0
assert taken[0] > 0.6 > 0.2 > taken[-1]
assert right[2] == 0 < 0.02 < wrong[2]
for score, key, sink in ((5, 25.0, 0.2), (0, 20.0, 20.0), (-5, 0.7, 97.4)):
    all_powers = 1 + 4 * np.exp(score)
    np.testing.assert_allclose(100 / all_powers, sink, atol=0.05)
    np.testing.assert_allclose(100 * np.exp(score) / all_powers, key, atol=0.05)

# %% [markdown]
# The sister reads as well, so this task does not need sinks. Are they used? The last column of the table says what a
# sink would get if it and all keys had the score 0: with $n$ keys it is $1 / (n + 1)$, and the fewer keys there are,
# the more. Most of the shares are about that large. But where the answer looks at the text, the sink gets clearly less:
# the text nearly always holds what is looked for. And it gets more than its even share of a half at the first place of
# the answer, where only the start mark can be seen. So our machine learnt to use its sinks, but gently.
#
# ## All four, by hand
#
# In this package the order is: divide by the root, **cap, bias, mask, sink**, softmax. The cap comes before the bias,
# so that the bias is not made smaller by it. The mask comes after everything that changes a score, so that nothing can
# bring a hidden key back.
#
# Here is a query at the third of four places in a machine that writes. The fourth key comes later, so it is hidden. The
# query and the keys have four numbers each, so the root is 2. The cap is 2, each place of distance costs 0.5, and the
# sink has the score 0:
#
# | step | key 1 | key 2 | key 3 | key 4 | sink |
# | --- | --- | --- | --- | --- | --- |
# | query · key | 8 | 2 | 0 | 18 | |
# | divided by 2 | 4 | 1 | 0 | 9 | |
# | capped | 1.928 | 0.924 | 0 | 2.000 | |
# | bias | -1 | -0.5 | 0 | -0.5 | |
# | sum | 0.928 | 0.424 | 0 | hidden | 0 |
# | $e^{\text{sum}}$ | 2.530 | 1.528 | 1 | 0 | 1 |
# | weight | 0.418 | 0.252 | 0.165 | 0 | 0.165 |
#
# All powers together, with that of the sink, add up to 6.058, and each power is divided by this sum. With the values
# 10, 20, 30 and 40 the output is $4.176 + 5.046 + 4.952 = 14.174$. (Numbers are rounded only when they are shown.) The
# package says:

# %%
from clear_attention import scaled_dot_product_attention

q = np.array([[2.0, 2, 2, 2]])
k = np.array([[1.0, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0], [3, 2, 2, 2]])
v = np.array([[10.0], [20.0], [30.0], [40.0]])
output, weights = scaled_dot_product_attention(
    q,
    k,
    v,
    mask=np.array([[0, 0, 0, 1]]),
    bias=np.array([[-1, -0.5, 0, -0.5]]),
    softcap=2.0,
    sink=np.float64(0),
)
print("products", (q @ k.T)[0])
print("weights", weights[0].numpy().round(3), " output", output[0].numpy().round(3))

# %% [markdown]
# ## One rule after the other
#
# Here is the same query. At first only the root is ticked. Tick the other rules from top to bottom, and look at the
# weights. But predict first:
#
# 1. Key 4 gets nearly everything. Tick the cap, and move it. Can a cap, however small, make another key win?
# 2. Set the cap back to 2, and tick the bias. How much must a place cost until the query looks most at its own place, key 3?
#    Then untick the cap. Does the slider still reach such a price?
# 3. Set the price back to 0.5. Tick the cap again, and then the mask. When the sink comes on as well, what becomes of the output?
# 4. Tick "mask before the cap". What becomes of key 4?

# %% tags=["live", "remove-input"]
from live import touch

np.testing.assert_array_equal((q @ k.T)[0], [8, 2, 0, 18])
np.testing.assert_allclose(weights[0], [0.418, 0.252, 0.165, 0], atol=5e-4)
np.testing.assert_allclose(output[0], [14.174], atol=5e-4)
np.testing.assert_allclose(capped(np.array([4.0, 1.0])), [1.928, 0.924], atol=5e-4)
place_costs = np.abs(np.arange(4) - 2)


def wins(price=0.0, **options):
    bias = -price * place_costs[np.newaxis]
    found = scaled_dot_product_attention(q, k, v, bias=bias, **options).weights
    return 1 + int(np.argmax(found))


assert {wins(softcap=cap) for cap in (1.0, 2.0, 5.0, 10.0)} == {4}
assert wins(1.75, softcap=2.0) == 4 != wins(2.0, softcap=2.0) == 3
assert wins(8.75) == 4 != wins(9.25) == 3
touch(
    "rules",
    "<p>With a root of 2, a cap of 2, a price of 0.5 for each place, a mask and a sink, the keys get "
    + ", ".join(f"{weight:.2f}" for weight in weights[0].numpy())
    + f" of the weight, and the output is {output[0, 0]:.2f}.</p>",
    products=[8, 2, 0, 18],
    values=[10, 20, 30, 40],
    place=2,
    hidden=3,
    root=2,
    cap=2,
    price=0.5,
    sink=0,
    scaled=True,
    capped=False,
    biased=False,
    masked=False,
    sunk=False,
    early=False,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# 1. No. A larger score stays larger under the cap, so the order of the keys never changes. A cap only brings their
#    scores nearer to each other.
# 2. With the cap, key 4 is ahead of key 3 by a little less than 2, so a price of 2 is enough. Without it key 4 is ahead
#    by 9, which is more than the slider allows. This is what a cap is good for: no key can get so far ahead that the
#    bias no longer counts.
# 3. It gets smaller. No key gets the weight that the sink takes, so the weights of the keys add up to less than 1.
# 4. It is read again, because the cap has made -2 of minus infinity.
#
# </details>
#
# ## Your machine so far
#
# Your [`softmax`](multi_head.py#your-machine-so-far) gets the sink, and your `attention` the cap and the bias. Three
# places are to be filled in. Compare with the table:
#
# ```python
# def softmax(scores, mask, sink=-np.inf):
#     powers = np.where(mask == 1, 0, np.exp(scores))
#     # The sink has a power, and no value:
#     sums = powers.sum(axis=-1, keepdims=True) + ...
#     return powers / np.where(sums == 0, 1, sums)
#
#
# def attention(q, k, v, mask=0, bias=0.0, cap=None, sink=-np.inf):
#     scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
#     if cap is not None:
#         scores = ...
#     return softmax(..., mask, sink) @ v
# ```


# %% tags=["answer"]
def softmax(scores, mask, sink=-np.inf):
    powers = np.where(mask == 1, 0, np.exp(scores))
    sums = powers.sum(axis=-1, keepdims=True) + np.exp(sink)
    return powers / np.where(sums == 0, 1, sums)


def attention(q, k, v, mask=0, bias=0.0, cap=None, sink=-np.inf):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
    if cap is not None:
        scores = cap * np.tanh(scores / cap)
    return softmax(scores + bias, mask, sink) @ v


yours = attention(
    q,
    k,
    v,
    mask=np.array([[0, 0, 0, 1]]),
    bias=np.array([[-1, -0.5, 0, -0.5]]),
    cap=2.0,
    sink=0.0,
)
np.testing.assert_allclose(yours, output, atol=1e-6)
nothing_left = attention(q, k, v, mask=np.ones((1, 4)))  # without a sink
np.testing.assert_array_equal(nothing_left, [[0.0]])
print("your attention has a cap, a bias and a sink")

# %% [markdown]
# Why is minus infinity given where there is no sink? Its power is 0, so nothing is added to the sum.
#
# ## Reading the function
#
# Here are the steps of the table as four lines of the package. The first is the product, divided by the root. The
# second is the cap and the third the bias. The fourth does mask, sink and softmax in one. `grouped_matmul` is the
# product, and `transpose_b=True` transposes the keys for it. `depth(q)` is $d_k$, and `blocked` is the mask. A rule
# that is not asked for is `None`. In `safe_q` and `safe_k` infinity and NaN have been made harmless.

# %% tags=["source", "hide-input"]
import inspect
import re
import textwrap

function = inspect.getsource(scaled_dot_product_attention)
heart = re.search(
    r"^ +scores = grouped_matmul.*?weights = soft.*?\n", function, re.M | re.S
)
print(textwrap.dedent(heart[0]))

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>How a layer gets them, and the matrix of a long text</summary>
#
# A layer gets them by name: `MultiHeadAttention(..., position_bias=AlibiBias(), softcap=50.0, sink=True)`.
#
# A bias for 100,000 letters would be a matrix of ten billion numbers for each head. This matrix is never needed. All
# its cells on one diagonal have the same distance, so one number for each distance says everything. That is a
# `DistanceBias`, and [attention by blocks](long_sequences.py) takes of it what it needs for a block. In the cell below
# both ways give the same output:

# %%
from clear_attention import DistanceBias, blockwise_attention

x = np.random.default_rng(0).normal(size=(1, 2, 500, 8))
slopes = np.array([2.0**-4, 2.0**-8])[:, np.newaxis]
by_distance = DistanceBias(-slopes * abs(np.arange(-499, 500)))
print(
    "matrix:", alibi_bias(2, 500).shape, " by distance:", by_distance.values.shape
)
whole = scaled_dot_product_attention(x, x, x, bias=alibi_bias(2, 500)).output
np.testing.assert_allclose(
    blockwise_attention(x, x, x, bias=by_distance), whole, atol=1e-6
)

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# Shaw and others (2018) were the first to let a Transformer learn something for each distance. Raffel and others (2020)
# gave T5 its buckets, in place of positions that are added to the words. Press and others
# (2022) wanted to train on short texts and read long ones, and for this they made ALiBi. Gemma 2 (2024) brought the
# soft cap to a widely used model, to keep its training stable. Xiao and others (2023) saw that language models put much
# weight on the first words of a text, whatever these are, and called them *attention sinks*. In 2025 gpt-oss had a
# learnt sink for each head.
#
# To say *near*, most models of today turn queries and keys. Why they do is partly a matter of opinion. On long texts a
# straight line lets far letters fade, and buckets take all far letters for equally far. Besides, a fast program for
# attention must add a bias to every score, while queries and keys are turned before such a program begins.
#
# ## Exercises
#
# ### Exercise 1
#
# Somebody hides keys with a bias of -1,000,000,000 in place of a mask. There are two queries and three keys. All
# products are equal. For the first query the last key is hidden, and for the second query all three are. In which of
# the two rows do the weights differ from those with a mask, and how?

# %% tags=["answer"]
hide = np.array([[0, 0, -1e9], [-1e9, -1e9, -1e9]])
three = np.ones((3, 1))
by_bias = scaled_dot_product_attention(three[:2], three, three, bias=hide).weights
by_mask = scaled_dot_product_attention(three[:2], three, three, hide < 0).weights
print("bias:", by_bias.numpy().round(3).tolist())
print("mask:", by_mask.numpy().round(3).tolist())
np.testing.assert_allclose(by_bias[1], 1 / 3, atol=1e-6)
assert not np.any(by_mask[1])

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>In which?</summary>
#
# In the second, which is an [empty row](masks.py#queries-with-no-key-left). All its scores are equally low, so all its
# keys get the same weight, and what should be hidden is read. A bias says how much something is liked, and only a mask
# says no.
#
# </details>
#
# ### Exercise 2
#
# Four keys have the score 0 each. Which score must the sink have to get half of the weight? And with a thousand such
# keys? Guess first.

# %% tags=["answer"]
for keys in (4, 1000):
    score = np.log(keys)
    share = np.exp(score) / (np.exp(score) + keys)
    print(f"{keys:4} keys: a sink of {score:.2f} gets {share:.0%}")
    assert np.isclose(share, 0.5)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why the logarithm?</summary>
#
# The power of the sink must be as large as those of the keys together, and these are 1 each. So its score is the
# logarithm of the number of keys. The more keys there are, the less a
# sink of a given score can take.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("score_rules")

# %% [markdown]
# ```self-check
# ? Somebody adds 3 to the bias of every key, near or far. There is no sink. What becomes of the weights?
# + They stay as they are. | The softmax sees only differences, and these are the same.
# - They all get larger. | They add up to 1 before and after.
# - The far keys catch up with the near ones. | Then the far ones would have to get more than the near ones.
# ? The cap is 50, and all scores lie between -3 and 3. What does the cap do?
# - It divides all scores by 50. | Inside the tanh it does. But the result is multiplied by 50 again.
# + Next to nothing. | Near 0 the tanh is nearly a straight line, so small scores stay nearly as they are.
# - It makes all scores equal to 50. | 50 is the most that a score can become, and these are far from it.
# ? A machine with learnt buckets gets a text ten times as long as those of its training. Which bias has a key that is 300 places away?
# - None, because it never saw this distance. | All far distances share a bucket, and that one was trained.
# - A much lower one than a key 30 places away. | So it would be with a straight line. In the buckets of this page both count as equally far.
# + The one that all far keys have. | It hardly matters how far is far: that was the idea of a bucket.
# ```
#
# ## Where to go next
#
# What can a score not say? Four things, and each has its rule: *near* is the bias, *well enough* the cap, *none of
# them* the sink, and *never* the mask, which alone has the last word about a key.
#
# **Your machine so far:** half of the Transformer of [lesson 9](recap.py#put-together-by-hand), with attention by blocks,
# the norm first, queries and keys that turn, heads that share their keys, and now scores with a cap, a bias and a sink.
#
# The mask, our *never*, has one more use. With short texts much of a batch is padding. Could several short texts stand in one row?
#
# * [Packed documents](packing.py): several texts in one row that do not read each other.
# * [The museum](../guides/museum.py#softcap): the cap that lifts the mask.
# * [What does a model's configuration mean?](../guides/model_configuration.py)
#
# Read on elsewhere: Raffel and others (2020), [Exploring the Limits of Transfer
# Learning](https://arxiv.org/abs/1910.10683), section 2.1; Press and others (2022), [Train Short, Test
# Long](https://arxiv.org/abs/2108.12409); Xiao and others (2023), [Efficient Streaming Language Models with Attention
# Sinks](https://arxiv.org/abs/2309.17453).

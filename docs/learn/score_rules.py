# ---
# title: What else goes into the scores
# description: What a score cannot say, and the rules that say it. A bias by distance, a soft cap, a mask and a sink, and their order.
# ---

# %% [markdown]
# # What can a score not say?
#
# A machine is trained to write, and one query stands at the third of four places. Its scores for the four keys are 4,
# 1, 0 and 9, so that key 4 gets 0.99 of the weight. But key 4 belongs to a letter that it must not see, because it
# comes later.
#
# A score is the product of a query and a key, divided by a root. It says how well the two fit, and hardly anything
# else. Four things are left to say, of which you know the third and the fourth: *enough*, *you are far away*, *never*,
# and *none of you*. For each of them there is a rule between the score and the softmax. Here they are at work on our
# query, one after the other. Each row shows its weights, and keeps the rules of the rows above. Watch key 4:
#
# --8<-- "diagrams/rule_by_rule.svg"
#
# ## “Enough”: the soft cap { #a-limit-the-soft-cap }
#
# In training scores often grow, because the more the score of the right key leads, the more probable is the right
# letter. Nothing says: enough. In large machines scores have grown until nearly all weights were 0 or 1, and then the
# training broke down. A **soft cap** $c$ stops them. It uses the tanh, a curve that is nearly a straight line near 0
# and stays between -1 and 1:
#
# $$
# \text{score} \;\to\; c \, \tanh\left(\frac{\text{score}}{c}\right)
# $$
#
# So no score is larger than $c$ or smaller than $-c$, and small scores hardly change. With $c = 2$ our 9 becomes 2.000,
# and our 4 becomes 1.928. Now key 1 gets nearly as much weight as key 4.
#
# Does a machine need its high scores? Take two date machines with a cap of 5. One gets it only after its training, and
# the other had it from the beginning. How many of 100 dates does each of them read?

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import matplotlib.pyplot as plt
import numpy as np
import trained
from clear_attention import create_date_pairs, date_tokenizers
from live import bet
from trained.ablations import shares as shares_of

model, _ = trained.load("dates")
source, target = date_tokenizers()
many, right_dates = create_date_pairs(1000, seed=1, split="test")
many, right_dates = source.encode(many), target.encode(right_dates)
blocks = (
    model.encoder.layers[0].self_attention,
    model.decoder.layers[0].self_attention,
    model.decoder.layers[0].cross_attention,
)


def read_with(cap):
    """Return the share of dates that are right to the last letter, if all scores are capped."""
    for block in blocks:
        block.attention.softcap = cap
    found = np.argmax(model((many, right_dates[:, :-1])), axis=-1)
    return (found == right_dates[:, 1:]).all(axis=1).mean()


caps = [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0, 50.0]
by_cap, uncapped = [read_with(cap) for cap in caps], read_with(None)
taught = {cap: shares_of(f"cap of {cap}") for cap in (3, 5)}
bet(
    "score_rules/capped-at-5",
    [
        (
            "capped afterwards",
            round(100 * by_cap[caps.index(5.0)], 1),
            "The cap spoils much, but not everything.",
            "This machine has learnt to be right with high scores, and under the cap they hardly differ.",
        ),
        (
            "trained with the cap",
            round(100 * float(np.mean(taught[5])), 1),
            "The training knew the cap from the beginning, and found numbers that do without high scores.",
        ),
    ],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured, with this cap and others</summary>
#
# There are three orange machines for each cap, but their dots lie on one another:

# %% tags=["hide-input"] alt="A dot for each cap from 1 to 50, how many dates are read right. With a cap of 20 or 50 as many as without one, over 99 %. With 10 a little less, with 7 about 80 %, with 5 about half, and with 2 hardly any. Orange dots at 3 and 5, for machines trained with such a cap, lie above 99 %."
BLUE, ORANGE = "#0072b2", "#d55e00"
_, ax = plt.subplots(figsize=(4.6, 2.5), layout="constrained")
ax.axhline(uncapped, color="0.5", linestyle="--", linewidth=1)
ax.plot(caps, by_cap, "o", color=BLUE)
for cap, found in taught.items():
    ax.plot([cap] * 3, found, "o", color=ORANGE)
ax.text(4, 0.93, "trained with it", color=ORANGE, ha="center", va="top")
ax.text(7.6, by_cap[5], "capped afterwards", color=BLUE, va="center")
ax.set(xscale="log", xlabel="cap", ylabel="dates right", ylim=(-0.04, 1.16))
ax.set_xticks(caps, [f"{cap:g}" for cap in caps])
ax.minorticks_off()
ax.text(0.9, uncapped + 0.03, "without a cap", va="bottom")
ax.yaxis.set_major_formatter("{x:.0%}")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
assert uncapped > 0.99
assert by_cap[caps.index(20.0)] > 0.99
assert by_cap[caps.index(10.0)] > 0.95
assert 0.3 < by_cap[caps.index(5.0)] < 0.7 < by_cap[caps.index(7.0)]
assert by_cap[caps.index(2.0)] < 0.15
assert min(taught[3] + taught[5]) > 0.99

# %% [markdown]
# With a cap of 20 the trained machine loses next to nothing, but with 5 it loses about half of the dates. So *this*
# machine needs its high scores. And yet all that were trained with a cap of 5, or even of 3, read over 99 of 100. It is
# not the task that needs high scores: the training only went where nothing stopped it.
#
# </details>
#
# ## “You are far away”: the bias
#
# Under the cap our query likes key 1 nearly as well as key 4. But key 1 stands two places away from it, and key 4 only
# one. A product does not know where a key stands, unless positions were [added](positions.py) or
# [turned](turning_positions.py).
#
# So to each score a number is added that depends only on *how many places* away the key stands: a **bias**. In the
# simplest one, called **ALiBi**, each place costs the same, and nothing is learnt. (Each head has its own price.) In
# our example a place costs 0.5. So key 1 loses 1, and key 4, which is nearer, only 0.5. The bias comes after the cap,
# so that the cap does not shrink it.
#
# A bias can also be learnt. A date machine without positions reads fewer than 20 of 100 dates. Another one has a learnt
# bias, and nothing else tells its encoder about places. It reads over 99 of 100. Here is what two of its four heads
# have learnt to add. Which letters does each of them favour? (Far distances are put together in groups, called
# *buckets*, that share one number.)

# %% tags=["hide-input"] alt="Two small pictures, of head 3 and head 4 of the encoder: what is added to a score, against the distance of the key from -12 to 12. In head 3 the highest dot stands at -1, and in head 4 the highest stand at 4, 5 and 6."
_, bag_record = trained.load("dates-no-positions")
_, added_record = trained.load("dates-brief")
plain, plain_record = trained.load("today-buckets")
for record in (added_record, plain_record):
    assert bag_record["steps"][-1] == record["steps"][-1]
assert bag_record["exact"] < 0.2 < 0.95 < added_record["exact"]
assert added_record["shifted"][-1] < 0.1
assert min(plain_record["exact"], *plain_record["shifted"]) > 0.998
bias = plain.encoder.layers[0].self_attention.attention.position_bias
distances = np.arange(-12, 13)
added = bias(distances).numpy()
figure, axes = plt.subplots(
    1, 2, figsize=(4.6, 2.1), layout="constrained", sharey=True
)
for ax, number in zip(axes, (3, 4), strict=True):
    ax.plot(distances, added[number - 1], "o", color=BLUE, markersize=4)
    ax.axvline(0, linewidth=0.8, color="0.5")
    ax.axhline(0, linewidth=0.8, color="0.8")
    ax.set_title(f"head {number}", size=10)
    ax.spines[["top", "right"]].set_visible(False)
figure.supxlabel("distance of the key (negative: before the letter)", size=10)
figure.supylabel("added to the score", size=10)
plt.show()
assert np.ptp(added, axis=1).max() > 0.5
assert distances[added[2].argmax()] == -1
assert distances[added[3] == added[3].max()].tolist() == [4, 5, 6]
buckets = [0, 1, 2, 3, *[4] * 3, *[5] * 5, *[6] * 8, *[7] * 20]
for side in (1, -1):
    along = bias(side * np.arange(40)).numpy()[0]
    same = along[:, None] == along
    np.testing.assert_array_equal(same, np.equal.outer(buckets, buckets))

# %% [markdown]
# The bias of head 3 favours the letter just to its left, and that of head 4 most of all the three that stand four to
# six places to its right. (These three are a bucket.)
#
# Only distances count. So the machine reads as many dates if each text begins 40 places further right than in the
# training.
#
# ## “Never”: the mask has the last word
#
# Key 4 still leads, although its letter comes later. Both rules have lowered its score, and yet the bias has even
# raised its weight, because key 1, farther away, lost more. However low a score is, a softmax gives it some weight, at
# least on paper. To forbid a key takes a [mask](masks.py). One way is to set the score to minus infinity.
#
# Some programs have applied the cap *after* the mask. Then with a cap of 2 minus infinity comes back as -2, a score
# like any other, and the hidden key is read, without an error. So the mask must come after the cap.
#
# <details class="lesson-more" markdown="1"><summary>Both orders, with three keys, of which the third is hidden</summary>


# %%
def softmax(scores):
    powers = np.exp(scores - np.max(scores))
    return powers / powers.sum()


def capped(scores, c=2.0):
    return c * np.tanh(scores / c)


scores, hidden = np.array([1.0, 0.0, 3.0]), np.array([False, False, True])
capped_first = softmax(np.where(hidden, -np.inf, capped(scores)))
masked_first = softmax(capped(np.where(hidden, -np.inf, scores)))
print("cap, then mask:", capped_first.round(3))
print("mask, then cap:", masked_first.round(3))
assert capped_first[2] == 0 < 0.02 < masked_first[2]

# %% [markdown]
# </details>
#
# ## All four, by hand
#
# The last rule you know: a [sink](sinks.py) is one more score in the softmax, for a query that wants *none of you*.
# What it gets is thrown away.
#
# Our package takes them in this order: divide by the root, **cap, bias, mask, sink**, softmax. What matters most is
# that the mask comes after the cap. Here is our query, number by number. The root is 2, the cap is 2, each place costs
# 0.5, and the sink has the score 0:
#
# | step | key 1 | key 2 | key 3 | key 4 | sink |
# | --- | --- | --- | --- | --- | --- |
# | query · key | 8 | 2 | 0 | 18 | |
# | divided by 2 | 4 | 1 | 0 | 9 | |
# | capped, $2 \tanh(\text{score} / 2)$ | 1.928 | 0.924 | 0 | 2.000 | |
# | bias | -1 | -0.5 | 0 | -0.5 | |
# | sum | 0.928 | 0.424 | 0 | hidden | 0 |
# | $e^{\text{sum}}$ | 2.530 | 1.528 | 1 | 0 | 1 |
# | weight | 0.418 | 0.252 | 0.165 | 0 | 0.165 |
#
# The powers add up to 6.058, by which each is divided. With the values 10, 20, 30 and 40 the output is, computed before
# rounding, $4.176 + 5.046 + 4.952 = 14.174$.
#
# <details class="lesson-more" markdown="1"><summary>What the package says</summary>

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
print("weights", weights[0].numpy().round(3))
print("output", output[0].numpy().round(3))

# %% [markdown]
# </details>
#
# Here is our query to play with. Let the rules come one after the other, then start again:
#
# 1. Key 4 gets nearly everything. Can a cap alone, however small, make another key win?
# 2. Tick the mask, so that key 4 is hidden. A dare: make the query read it all the same, and leave the mask ticked.

# %% tags=["live", "remove-input"]
import re
from pathlib import Path

from live import touch

np.testing.assert_array_equal((q @ k.T)[0], [8, 2, 0, 18])
assert round(capped(9.0), 3) == 2
np.testing.assert_allclose(weights[0], [0.418, 0.252, 0.165, 0], atol=5e-4)
np.testing.assert_allclose(output[0], [14.174], atol=5e-4)
np.testing.assert_allclose(capped(np.array([4.0, 1.0])), [1.928, 0.924], atol=5e-4)
# The numbers of the drawing, and its bars: row by row one more rule.
rows, rules = [], {}
for rule in (
    {},
    {"softcap": 2.0},
    {"bias": np.array([[-1, -0.5, 0, -0.5]])},
    {"mask": np.array([[0, 0, 0, 1]])},
    {"sink": np.float64(0)},
):
    rules |= rule
    row = scaled_dot_product_attention(q, k, v, **rules).weights[0].numpy()
    rows += [*row[: 3 if "mask" in rules else 4]]
rows.append(1 - row.sum())  # what the sink gets
drawn = Path("../diagrams/rule_by_rule.svg").read_text(encoding="utf-8")
shown = re.findall(r'class="number">([\d.]+)<', drawn)
assert shown == [f"{weight:.2f}" for weight in rows]
bars = re.findall(r'class="(?:keys )?weight".+? height="([\d.]+)"', drawn)
np.testing.assert_allclose(np.array(bars, float) / 48, rows, atol=1e-3)
for cap in (1.0, 2.0, 5.0, 10.0):
    found = scaled_dot_product_attention(q, k, v, softcap=cap).weights
    assert np.argmax(found) == 3  # key 4, whatever the cap
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
# 1. No. A larger score stays larger under the cap, until the computer can no longer tell them apart. The scores only
#    come nearer to each other.
# 2. Tick cap and mask, and then "mask before the cap".
#
# </details>
#
# ## Your machine so far
#
# Your [`softmax`](sinks.py#your-machine-so-far) knows the mask and the sink. Now your `attention` gets the cap and the
# bias. Fill in the two places:
#
# ```python
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
# ## Who found this, and when
#
# A learnt bias, in which far distances share a number, came with T5 (Raffel and others, 2020). Press and others (2022)
# proposed one in which each place costs the same. Still, most models of today turn queries and keys.
#
# Why cap at all? When Dehghani and others (2023) trained large machines to look at pictures, the loss shot up after a
# few thousand steps, because nearly all weights had become 0 or 1. Their remedy was a norm for queries and keys, so
# that no product grows large. Gemma 2 (2024) took a cap, of 50, which is so high that it hardly changes scores of the
# usual size. Gemma 3 (2025) gave it up for the norm.
#
# ## Exercises
#
# ### Exercise 1
#
# Somebody has no mask, and adds -1,000,000,000 to the scores of the keys that should be hidden. Three keys have equal
# scores. One query must not see the last key, and another must not see any. Which weights does each query get? And with
# a mask?

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
# <details class="lesson-answer" markdown="1"><summary>Which weights?</summary>
#
# The first query gets the same both times: a half, a half, and nothing. The second has no key left, which is an [empty
# row](masks.py#queries-with-no-key-left). With a mask all its weights are 0. With the bias all its scores are equally
# low, so each key gets a third, and what should be hidden is read.
#
# </details>
#
# ### Exercise 2
#
# Two keys have the scores 30 and 20. With a cap of 5, how much weight does the first one get? With which cap, whole
# numbers only, does it first get more than 90 %?

# %% tags=["answer"]
for cap in range(5, 31):
    first, second = cap * np.tanh(np.array([30.0, 20.0]) / cap)
    share = 1 / (1 + np.exp(second - first))
    if cap == 5 or share > 0.9:
        print(
            f"cap {cap}: {first:.3f} and {second:.3f}, the first gets {share:.1%}"
        )
    if share > 0.9:
        break
assert cap == 18

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why so little?</summary>
#
# Far above the cap all scores become nearly the cap itself, so that 30 and 20 hardly differ. The softmax sees only the
# difference. Without a cap it is 10, and the first key gets all but about one part in 22,000.
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
# ? A machine has a sink of score 0. Somebody adds 3 to the bias of every key, near or far. What happens?
# - Nothing, since the softmax sees only differences. | That is so among the keys, but the sink does not get the 3.
# + The sink gets less. | All keys move away from it by 3.
# - The far keys catch up with the near ones. | Then the far ones would have to get more than the near ones.
# ? The cap is 50, and all scores lie between -3 and 3. What does the cap do?
# - It divides all scores by 50. | Only inside the tanh. The result is multiplied by 50 again.
# + Next to nothing. | Near 0 the tanh is nearly a straight line, so small scores stay nearly as they are.
# - It makes all scores equal to 50. | 50 is the most that a score can become.
# ? A machine has no positions, but a bias in which each place of distance costs the same. Its text is moved 100 places to the right, behind padding that is hidden. What becomes of its weights?
# + They stay as they are. | All distances between letters are the same as before.
# - The letters at the right get less, since they are far away. | Far from the beginning, but not from each other.
# - It reads a bag of letters. | It would without the bias. Distances are what tells it the order.
# ```
#
# ## Where to go next
#
# **Your machine so far:** half of [the whole Transformer](recap.py#put-together-by-hand), with heads that share their
# keys, and now scores with a sink, a bias and a cap.
#
# With short texts much of a batch is padding. Could several short texts stand in one row?
#
# * [Packed documents](packing.py): several texts in one row that do not read each other.
# * [The museum of bugs](../guides/museum.py#softcap): the cap that lifts the mask.
#
# Read on elsewhere: Raffel and others (2020), [Exploring the Limits of Transfer
# Learning](https://arxiv.org/abs/1910.10683), section 2.1; Press and others (2022), [Train Short, Test Long: Attention
# with Linear Biases Enables Input Length Extrapolation](https://arxiv.org/abs/2108.12409); Dehghani and others (2023),
# [Scaling Vision Transformers to 22 Billion Parameters](https://arxiv.org/abs/2302.05442), section 2.

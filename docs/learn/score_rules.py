# ---
# title: What else goes into the scores
# description: Four things that a score cannot say, and the rules that say them. A sink, a bias by distance, a soft cap and a mask, and their order.
# ---

# %% [markdown]
# # What can a score not say?
#
# The date machine writes 2026-05-14. Every answer has two dashes, always in the same places. Where in the text does the
# machine look when it writes one?
#
# A score is the product of a query and a key. There are four things that such a product can't say: *none of you*, *you
# are far away* (unless both were [turned](turning_positions.py)), *enough*, and *never*. For each of them there is a
# rule between the product and the softmax. A bar is the score of one key:
#
# --8<-- "diagrams/four_rules.svg"
#
# ## “None of you”: the sink
#
# Press the other dash below, and then some digits. The brightest letter of the text has most weight, even where that is
# little.

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import matplotlib.pyplot as plt
import numpy as np
import trained
from clear_attention import create_date_pairs, date_tokenizers
from date_machine import machine, still

BLUE, ORANGE = "#0072b2", "#d55e00"
model, _ = trained.load("dates")
text, answer = "thursday 14th of may 2026", "2026-05-14"
machine(
    "dates",
    piece="looks",
    text=text,
    at=4,
    without=still(model, text, at=4),
)

# %% [markdown]
# A dash looks a little at many letters. None gets more than 17 % of the first dash's weight (the piece adds up the
# letters of a word). The 6 of 2026 gives 77 % to a single one. Do the dashes need any letter? Let the machine read
# *another* date, but hand it at each place the right answer so far. It still gets all dashes right, and only about a
# third of the digits.
#
# <details class="lesson-more" markdown="1"><summary>The picture of this, and why a third</summary>

# %% tags=["hide-input"] alt="Two pairs of bars. Right with the right text: all dashes, and nearly all digits. Right with the text of another date: all dashes, and about a third of the digits."
from date_machine import percent

source, target = date_tokenizers()
texts, dates = create_date_pairs(200, seed=1, split="test")
ids, answers = source.encode(texts, length=34), target.encode(dates)
given, asked = answers[:, :-1], answers[:, 1:]
dash = np.isin(np.arange(11), (4, 7))  # places of the answer
digit = np.arange(11) < 10  # and no end mark
digit[dash] = False


def right(reader, ids):
    """Return the shares of dashes and digits that are right."""
    found = np.argmax(reader((ids, given)), axis=-1) == asked
    return found[:, dash].mean(), found[:, digit].mean()


def looks(reader, name, ids=ids, given=given):
    """Return the weights of one attention, (texts, heads, queries, keys)."""
    return reader((ids, given), return_weights=True).weights[name].numpy()


of_one = looks(
    model, "decoder.0.cross", source.encode([text]), target.encode([answer])[:, :-1]
)
most = of_one[0].mean(axis=0).max(axis=-1)
assert most[dash].max() < 0.3 < 0.6 < most[3]  # 0.17 and 0.11, and 0.77

own, wrong = right(model, ids), right(model, np.roll(ids, 1, axis=0))
shown = {"its own text": own, "another text": wrong}
_, ax = plt.subplots(figsize=(4.6, 1.9), layout="constrained")
for y, each in enumerate(shown.values()):
    for shift, share, colour, kind in zip(
        (-0.2, 0.2), each, (ORANGE, BLUE), ("dashes", "digits"), strict=True
    ):
        ax.barh(y + shift, share, 0.36, color=colour)
        ax.text(share + 0.02, y + shift, f"{share:.0%} of {kind}", va="center")
ax.set(xlim=(0, 1.5), ylim=(1.6, -0.6), xticks=[], title="right")
ax.set_yticks(range(2), shown)
ax.spines[["top", "right", "bottom"]].set_visible(False)
plt.show()
assert own[0] == 1
assert wrong[0] > 0.99 > 0.5 > wrong[1] > 0.25

# %% [markdown]
# Some digits can be guessed, because nearly every year here begins with 19 or 20.
#
# </details>
#
# So a dash needs none of the letters. And yet it must look, because the weights of a query add up to 1. In large models
# such looks go to the first words of a chat, whatever these are, since every later word can see them. If a program
# drops these words to save memory, the model writes nonsense. For the weight must go somewhere: it falls on other
# words, and mixes in what was not meant.
#
# So give such weight a place of its own. A **sink** is one more score in each row, without a key or a value, learnt for
# each head. It takes part in the softmax, and the weight that it gets is thrown away. Say that four keys have the same
# score, and the sink has the score 0. Then it gets $1 / (1 + 4 e^{\text{score}})$ of the weight, which is 97.4 % if the
# keys' scores are -5.
#
# Our dash could use such a place, too. So one more machine was trained, with a sink in every head. How much of its
# weight does a dash give to the sink?

# %% tags=["live", "hide-input"]
from live import bet

sister, sister_record = trained.load("today-sinks")
to_sink = 1 - looks(sister, "decoder.0.cross").sum(axis=-1)  # texts, heads, queries
shares = to_sink.mean(axis=(0, 1))
bet(
    "score_rules/to-the-sink",
    [
        (
            "a dash gives to the sink",
            round(100 * float(shares[dash].mean()), 1),
            None,
            "It could. But a dash is right anyway, so the training probably has no reason to push it there.",
        ),
    ],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What it gives</summary>
#
# Next to nothing. It isn't that a dash can't: add 10 to the scores of these sinks, and the dashes give them nearly all
# of their weight, and are still right (the last lines below). The dashed line says what a letter would give if all
# scores were 0:

# %% tags=["hide-input"] alt="Eleven bars, what each place of the answer gives to the sink. The first digits of year, month and day have the highest bars, which hardly reach the dashed line. Those of the two dashes are far below it, as are those of most other digits."
untrained = np.mean([1 / (len(each) + 1) for each in texts])
figure, ax = plt.subplots(figsize=(4.6, 2.5), layout="constrained")
ax.bar(range(11), shares, color=np.where(dash, ORANGE, BLUE))
ax.axhline(untrained, color="0.4", linestyle="--", linewidth=1)
ax.set_xticks(range(11), [*answer, "end"])
ax.set(ylabel="to the sink", xlabel=f"written, as in {answer}")
ax.text(10.6, untrained, "all scores 0", ha="right", va="bottom")
ax.yaxis.set_major_formatter("{x:.0%}")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
first = np.isin(np.arange(11), (0, 5, 8))
print("what goes to the sink, of the weight of")
print(f"  a dash:        {percent(shares[dash].mean())}")
print(f"  a first digit: {percent(shares[first].mean())}")
print(f"  other digits:  {percent(shares[digit & ~first].mean())}")

sinks = sister.decoder.layers[0].cross_attention.attention.sink
kept = sinks.numpy()
sinks.assign(kept + 10)
pushed = 1 - looks(sister, "decoder.0.cross").sum(axis=-1).mean(axis=(0, 1))
with_push = right(sister, ids)
sinks.assign(kept)
print(f"10 more for the sinks: a dash {pushed[dash].mean():.0%}")
print(f"right then: {with_push[0]:.0%} of dashes, {with_push[1]:.0%} of digits")

assert shares[dash].max() < 0.5 * untrained
assert shares.max() < 1.3 * untrained
assert {*np.argsort(shares)[-3:]} == {0, 5, 8}
assert shares[digit & ~first].mean() < 2 * shares[dash].mean()
assert min(shares[first]) > 2 * shares[digit & ~first].mean()
assert np.mean([date[:2] in ("19", "20") for date in dates]) > 0.95
assert np.allclose(5 * np.tanh([0.2, 2, 4]), [0.99, 4.82, 5], atol=5e-3)
assert shares[dash].mean() < shares[digit].mean() < 0.6 * untrained
assert np.median(shares[digit]) < 0.4 * untrained  # most digits, too
assert pushed[dash].min() > 0.85
assert with_push[0] > 0.98 > 0.85 > with_push[1]
assert right(sister, np.roll(ids, 1, axis=0))[0] > 0.99  # whatever it fetches
for score, key, sink in ((5, 25.0, 0.2), (0, 20.0, 20.0), (-5, 0.7, 97.4)):
    powers = 1 + 4 * np.exp(score)
    np.testing.assert_allclose(100 / powers, sink, atol=0.05)
    np.testing.assert_allclose(100 * np.exp(score) / powers, key, atol=0.05)

# %% [markdown]
# So why does a dash hardly use its sink? The training probably had no reason: it changes a number if this makes the
# right letter more probable, and a dash is right anyway. Most digits, which need the text, give as little. Why the
# first digits of year, month and day give a little more, we do not know.
#
# </details>
#
# ## “You are far away”: the bias
#
# Without positions the date machine reads fewer than 20 of 100 dates. It can look for a letter, but not for one that
# stands near: the score of a key is the same wherever the key stands. One remedy: to each score of self-attention a
# number is added that depends only on *how many places* left or right of the query the key stands. It is called a
# **bias**, too, but of a score. Nothing else tells its encoder about places, and yet the machine reads all dates but a
# few, if any. It reads as many if each text begins 40 places further right than in the training, because only distances
# count. Positions that are added lose nearly everything when a text moves:

# %% tags=["hide-input"] alt="Five bars, dates read right. Without positions 18 %. With positions that are added 99 %, and nearly none if the texts stand 40 places further right. With a bias 100 %, and 100 % as well with the texts further right."
_, bag_record = trained.load("dates-no-positions")
_, added_record = trained.load("dates-brief")
plain, plain_record = trained.load("today-buckets")
bars = {
    "without positions": bag_record["exact"],
    "positions that are added": added_record["exact"],
    "added, 40 places further right": added_record["shifted"][-1],
    "a bias": plain_record["exact"],
    "bias, 40 places further right": plain_record["shifted"][-1],
}
_, ax = plt.subplots(figsize=(5.2, 2.1), layout="constrained")
colours = ["0.6", BLUE, BLUE, ORANGE, ORANGE]
ax.barh(range(5), bars.values(), color=colours)
for y, share in enumerate(bars.values()):
    ax.text(share + 0.015, y, percent(share), va="center")
ax.set(xlim=(0, 1.2), ylim=(4.6, -0.6), xticks=[])
ax.set_yticks(range(5), bars)
ax.spines[["top", "right", "bottom"]].set_visible(False)
plt.show()
for record in (added_record, plain_record):
    assert bag_record["steps"][-1] == record["steps"][-1]
assert bag_record["exact"] < 0.2 < 0.95 < added_record["exact"]
assert added_record["shifted"][-1] < 0.1
assert min(plain_record["exact"], *plain_record["shifted"]) > 0.97
assert abs(plain_record["exact"] - sister_record["exact"]) < 0.02

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>What has the machine learnt to add?</summary>
#
# Here are two of the four heads of its encoder. A dot is what is added for one distance. Head 3 likes the letter just
# to its left best, and head 4 those four to six places to its right. The three machines of the picture above were
# trained equally long.

# %% tags=["hide-input"] alt="Two small pictures, of head 3 and head 4 of the encoder: what is added to a score, against the distance of the key from -12 to 12. In head 3 the highest dot stands at -1, and in head 4 the highest stand at 4, 5 and 6."
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
figure.supxlabel("distance of the key: left before, right after", size=10)
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
# Each head has 15 numbers: one for distance 0, and seven for each side. Each near distance has its own, and far ones
# share one, a *bucket*. Simpler still is a straight line, called **ALiBi**: each place of distance costs the same, and
# nothing is learnt.
#
# </details>
#
# ## “Enough”: the soft cap { #a-limit-the-soft-cap }
#
# In a training scores grow, because the further the right key is ahead, the more probable is the right letter. Nothing
# says: enough. A **soft cap** $c$ does. It lets no score be larger than $c$ or smaller than $-c$, and leaves small
# scores nearly as they are:
#
# $$
# \text{score} \;\to\; c \, \tanh\left(\frac{\text{score}}{c}\right)
# $$
#
# With $c = 5$ a score of 1 becomes 0.99, but 10 and 20 become 4.82 and 5.00, which hardly differ.
#
# Does the task need high scores? Take two date machines with a cap of 5. One was trained without a cap and gets it
# afterwards. The other had it from the beginning of its training. How many of 100 dates does each of them read?

# %% tags=["live", "hide-input"]
from trained.ablations import shares as shares_of

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
# Blue is the machine that was capped afterwards. The orange machines had the cap from the beginning of their training.
# There are three for each cap, but their dots lie on one another:

# %% tags=["hide-input"] alt="A dot for each cap from 1 to 50, how many dates are read right. With a cap of 20 or 50 as many as without one, over 99 %. With 10 a little less, with 7 about 80 %, with 5 about 44 %, and with 2 hardly any. Orange dots at 3 and 5, for machines trained with such a cap, lie above 99 %."
figure, ax = plt.subplots(figsize=(4.6, 2.5), layout="constrained")
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
assert by_cap[caps.index(5.0)] < 0.5 < by_cap[caps.index(7.0)]
assert by_cap[caps.index(2.0)] < 0.05
assert min(taught[3] + taught[5]) > 0.99

# %% [markdown]
# With a cap of 20 the trained machine loses nothing, but with 5 it reads fewer than half of the dates. So *this*
# machine needs its high scores. And yet all that were trained with a cap of 5, or even of 3, read over 99 of 100. It is
# not the task that needs high scores: the training only went where nothing stopped it.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>Who caps, then, and why?</summary>
#
# Those who cap large models set the cap high, so that it only stops what runs away. When Dehghani and others (2023)
# trained large machines to look at pictures, the loss shot up after a few thousand steps, because nearly all weights
# were 0 or 1. Their remedy was a norm for queries and keys, so that no product grows large. Gemma 2 (2024) took a cap,
# of 50, and Gemma 3 (2025) gave it up for the norm.
#
# </details>
#
# ## “Never”: the mask has the last word
#
# The fourth rule you know: a mask forbids a key. One way is to set its score to [minus infinity](masks.py). Some
# programs have applied the cap *after* the mask. Then with a cap of 2 minus infinity comes back as -2, a score like any
# other, and the hidden key is read, without an error. So the mask must come after the cap.
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
# The order is: divide by the root, **cap, bias, mask, sink**, softmax. The cap comes before the bias, so that it does
# not make the bias smaller. Here is a query at the third of four places in a machine that writes, so the fourth key is
# hidden. The root is 2, the cap is 2, each place of distance costs 0.5, and the sink has the score 0:
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
# The powers add up to 6.058, by which each is divided. With the values 10, 20, 30 and 40 the output is $4.176 + 5.046 +
# 4.952 = 14.174$.
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
# Here is the same query to play with. Let the rules come one after the other, then start again:
#
# 1. Key 4 gets nearly everything. Can a cap, however small, make another key win?
# 2. Key 4 is hidden by the mask. A dare: make the query read it all the same.

# %% tags=["live", "remove-input"]
from live import touch

np.testing.assert_array_equal((q @ k.T)[0], [8, 2, 0, 18])
np.testing.assert_allclose(weights[0], [0.418, 0.252, 0.165, 0], atol=5e-4)
np.testing.assert_allclose(output[0], [14.174], atol=5e-4)
np.testing.assert_allclose(capped(np.array([4.0, 1.0])), [1.928, 0.924], atol=5e-4)
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
# 1. No. A larger score stays larger under the cap. The scores only come nearer to each other.
# 2. Tick cap and mask, and then "mask before the cap".
#
# </details>
#
# ## Your machine so far
#
# Your [`softmax`](multi_head.py#your-machine-so-far), which knows the mask, gets the sink, and your `attention` the cap
# and the bias. Fill in the three places:
#
# ```python
# def softmax(scores, mask, sink=-np.inf):
#     powers = np.where(mask == 1, 0, np.exp(scores))
#     # The sink has a power, and no value. Minus infinity stands for no sink, because its power is 0.
#     sums = powers.sum(axis=-1, keepdims=True) + ...
#     return powers / np.where(sums == 0, 1, sums)
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
# ## Who found this, and when
#
# The chat that forgets its first words is from Xiao and others (2023), who called these words *attention sinks*. With
# four of them kept, it went on for millions of words. In 2025 gpt-oss was trained with a learnt sink for each head. A
# learnt bias, in which far distances share a number, came with T5 (Raffel and others, 2020), and one in which each
# place costs the same from [Press and others](https://arxiv.org/abs/2108.12409) (2022). Still, most models of today
# turn queries and keys.
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
# <details class="lesson-answer" markdown="1"><summary>Which?</summary>
#
# The first query gets the same both times: a half, a half, and nothing. The second has no key left, which is an [empty
# row](masks.py#queries-with-no-key-left). With a mask all its weights are 0. With the bias all its scores are equally
# low, so each key gets a third, and what should be hidden is read.
#
# </details>
#
# ### Exercise 2
#
# Four keys have the score 0 each. Which score must the sink have to get half of the weight? And with a thousand such
# keys?

# %% tags=["answer"]
for keys in (4, 1000):
    score = np.log(keys)
    share = np.exp(score) / (np.exp(score) + keys)
    print(f"{keys:4} keys: a sink of {score:.2f} gets {share:.0%}")
    assert np.isclose(share, 0.5)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why the logarithm?</summary>
#
# The power of the sink must be as large as those of the keys together, which are 1 each. So its score is the logarithm
# of their number.
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
# - Nothing, since the softmax sees only differences. | Among the keys. But the sink does not get the 3.
# + The sink gets less. | All keys move away from it by 3.
# - The far keys catch up with the near ones. | Then the far ones would have to get more than the near ones.
# ? The cap is 50, and all scores lie between -3 and 3. What does the cap do?
# - It divides all scores by 50. | Inside the tanh. But the result is multiplied by 50 again.
# + Next to nothing. | Near 0 the tanh is nearly a straight line, so small scores stay nearly as they are.
# - It makes all scores equal to 50. | 50 is the most that a score can become.
# ? In a machine's bias each place of distance costs the same, and it has no positions. Its text is moved 100 places to the right, behind padding that is hidden. What becomes of its weights?
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
# Learning](https://arxiv.org/abs/1910.10683), section 2.1; Xiao and others (2023), [Efficient Streaming Language Models
# with Attention Sinks](https://arxiv.org/abs/2309.17453); Dehghani and others (2023), [Scaling Vision Transformers to
# 22 Billion Parameters](https://arxiv.org/abs/2302.05442), section 2.

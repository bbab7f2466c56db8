# ---
# title: What else goes into the scores
# description: What a score cannot say, and the rules that say it. A cap that lifts a mask, a bias that reads further than it was trained, and the order of all four.
# ---

# %% [markdown]
# # What can a score not say?
#
# A machine that writes must not see what comes later, so a [look-ahead mask](causal.py) hides it. Here a head of our
# trained date machine looks, with such a mask, at the letters of a date. We gave it one more step, which it did not
# have in its training: no score may be farther from 0 than 2. Both pictures have the same numbers and the same steps.
# But on the right two of the steps are swapped:

# %% tags=["hide-input"] alt="Two maps of weights of the letters of 2018-05-03, with a start mark in front. Left, all that comes later is hatched. Right, there is no hatching: the start mark gives as much weight to each of the ten letters behind it, and the letters of the rows below look at what comes later, too."
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import matplotlib.pyplot as plt
import numpy as np
import trained
from clear_attention import create_date_pairs, date_tokenizers, greedy_search

model, _ = trained.load("dates")
source, target = date_tokenizers()
blocks = (
    model.encoder.layers[0].self_attention,
    model.decoder.layers[0].self_attention,
    model.decoder.layers[0].cross_attention,
)
answer, HEAD, CAP = "2018-05-03", 1, 2.0  # the second of four heads
letters = ["•", *answer]
given = target.encode([answer])[:, :-1]
x = model.target_positions(model.embed_target(given) * 8.0)  # 8, root of 64
looking = blocks[1].attention
own_q, own_k = (
    project(x)[0].numpy().reshape(11, 4, 16)[:, HEAD]
    for project in (looking.project_queries, looking.project_keys)
)
own_scores = own_q @ own_k.T / 4  # 4, root of 16
future = np.triu(np.ones((11, 11), bool), k=1)


def weights_of(scores):
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


in_order = weights_of(np.where(future, -np.inf, CAP * np.tanh(own_scores / CAP)))
swapped = weights_of(CAP * np.tanh(np.where(future, -np.inf, own_scores) / CAP))
figure, axes = plt.subplots(1, 2, figsize=(5.4, 2.9), layout="constrained")
for ax, seen, name in zip(
    axes, (in_order, swapped), ("in order", "two steps swapped"), strict=True
):
    ax.imshow(np.sqrt(seen), cmap="Blues", vmin=0, vmax=1)
    if seen is in_order:
        for row in range(10):
            low, wide = (row + 0.5, row - 0.5), (10 - row, 1)
            hidden = plt.Rectangle(
                low, *wide, facecolor="white", edgecolor="0.6", hatch="///", lw=0
            )
            ax.add_patch(hidden)
    ax.set_xticks(range(11), letters)
    ax.set_yticks(range(11), letters)
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    ax.set_title(name, size=10)
axes[0].set_ylabel("who looks")
plt.show()
blocks[1].attention.softcap = CAP
capped_model = model((source.encode(["3 may '18"]), given), return_weights=True)
np.testing.assert_allclose(
    in_order, capped_model.weights["decoder.0.self"][0, HEAD], atol=1e-5
)
blocks[1].attention.softcap = None
assert round(swapped[0, 1:].sum(), 2) == 0.83
assert in_order[0, 0] == 1

# %% [markdown]
# The darker a cell, the more weight it has. The dot • is the start mark, which may see nothing but itself. On the
# right it gives 83 % of its weight to letters that come later, although they are masked. And there is no error. **Which
# two steps were swapped?**
#
# A score says how well a query and a key fit. It cannot say *enough*, *never*, or *you are far away*. Three rules say
# it, between the score and the softmax, and two of them are our two steps.
#
# ## “Enough”: the soft cap { #a-limit-the-soft-cap }
#
# Training often makes scores grow: the farther the right key is ahead, the more probable the right letter becomes. This
# push stops only when the weights are nearly 0 or 1. By then scores can be very large, and each query looks at a single
# key. In some large machines the training broke down at that point. A **soft cap** $c$ stops the scores before. It uses
# the tanh, a curve that is nearly a straight line near 0 and stays between -1 and 1:
#
# $$
# \text{score} \;\to\; c \, \tanh\left(\frac{\text{score}}{c}\right)
# $$
#
# So no score is larger than $c$ or smaller than $-c$, and small scores hardly change. With $c = 2$ a score of 9 becomes
# 1.9995, and a score of 4 becomes 1.928.
#
# Does a machine need its high scores? Take two date machines with a cap of 5. One gets it only after its training, and
# the other had it from the beginning. How many of 100 dates does each of them read?

# %% tags=["live", "hide-input"]
from live import bet
from trained.ablations import shares as shares_of

many, right_dates = create_date_pairs(1000, seed=1, split="test")
many, right_dates = source.encode(many), target.encode(right_dates)


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
# Capped afterwards at 5, the machine loses about half of the dates. Trained with that cap, it reads over 99 of 100.
#
# The orange machines were trained with their cap. There are three for each cap, but their dots lie on one another:

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
# So *this* machine needs its high scores. The task does not: even with a cap of 3 a training finds a way.
#
# </details>
#
# ## “Never”: the mask has the last word
#
# However low a score is, a softmax gives it some weight, at least on paper. To forbid a key takes a [mask](masks.py),
# and one way to mask is to set the score to minus infinity, so that its power is $e^{-\infty} = 0$.
#
# Now let the cap come *after* that. The tanh of minus infinity is -1. So with a cap of 2 the hidden key comes back with
# a score of -2, which is a score like any other. That is what happened above: **the cap and the mask were swapped.**
# The start mark's own score, capped, is -1.293, and $e^{-1.293} = 0.274$. The ten letters behind it come back with a
# score of -2 each, and $10 \cdot e^{-2} = 1.353$. So they get $1.353 / (0.274 + 1.353) = 0.83$ of the weight.
#
# Here is the same head, to touch. Predict first:
#
# 1. With a larger cap, does the future get more of the weight, or less?
# 2. Take the tick away, so that the mask comes last. What does the cap still do to the map?

# %% tags=["live", "remove-input"]
from live import touch

own = float(CAP * np.tanh(own_scores[0, 0] / CAP))
assert f"{own:.3f} {np.exp(own):.3f} {10 * np.exp(-2):.3f}" == "-1.293 0.274 1.353"
leaked = [
    10
    * np.exp(-cap)
    / (np.exp(cap * np.tanh(own_scores[0, 0] / cap)) + 10 * np.exp(-cap))
    for cap in (2.0, 5.0, 20.0)
]
assert [round(share, 2) for share in leaked[:2]] == [0.83, 0.23]
assert 0 < leaked[2] < 1e-6
touch(
    "capping",
    "<p>If the mask comes before the cap, the start mark gives "
    + ", ".join(
        f"{100 * share:.0f} % of its weight to later letters with a cap of {cap}"
        for cap, share in zip((2, 5, 20), leaked, strict=True)
    )
    + ". If the mask comes after the cap, it gives them nothing.</p>",
    letters=letters,
    scores=own_scores.round(2).tolist(),
    caps=[1, 2, 3, 4, 5, 7, 10, 20],
    cap=1,
    early=True,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# 1. Less: 23 % with a cap of 5, and with 20 less than a millionth. So with a high cap the mistake hardly shows, unless
#    all that a query may see has very low scores.
# 2. The smaller the cap, the more evenly each letter shares its weight. But no letter looks ahead.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>Both orders in code, with three keys, of which the third is hidden</summary>


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
# ## “You are far away”: the bias
#
# A cap does not know where a key stands, and a look-ahead mask knows before from after, but not how far. Nor does a
# product of query and key, unless positions were [added](positions.py) or [turned](turning_positions.py).
#
# So a **bias** is added to each score. It depends only on where the key stands, as seen from the query: how many places
# away and, in some, on which side. The simplest one, called **ALiBi**, learns nothing. Each place costs the same, say
# 0.5, so that a key two places away loses 1. (Each head has its own price.) With one price for both sides, and no
# look-ahead mask, a text cannot be told from its mirror image.
#
# One of our machines has the older kind, which came with the model T5. It *learns* a number for each distance and side,
# and far ones share a number. Is that as good as adding positions? Here are two date machines, trained equally long.
# One adds positions to the letters of the text. The other has the learnt bias, and nothing else tells its encoder about
# places. They read "3 may '18", which begins further and further to the right. In their training each text began at
# place 0:

# %% tags=["hide-input"]
from IPython.display import Markdown, display

adding, added_record = trained.load("dates-brief")
plain, plain_record = trained.load("today-buckets")
shifts = plain_record["shifts"].tolist()
(date_ids,) = source.encode(["3 may '18"])
ids = [np.pad(date_ids, (shift, 40 - shift)) for shift in shifts]
wrote = [
    target.decode(greedy_search(reader, ids, max_length=11))
    for reader in (adding, plain)
]
table = [["the text begins at place", "positions added", "bias"], ["---"] * 3]
table += [[str(shift), *both] for shift, *both in zip(shifts, *wrote, strict=True)]
table = [f"| {' | '.join(line)} |" for line in table]
display(Markdown("\n".join(table)))
assert added_record["steps"][-1] == plain_record["steps"][-1]
assert shifts == [0, 5, 20, 40]
assert wrote[1] == ["2018-05-03"] * 4
assert [date == "2018-05-03" for date in wrote[0]] == [True, True, False, False]
assert added_record["exact"] > 0.95
assert added_record["shifted"][-1] < 0.01
assert min(plain_record["exact"], *plain_record["shifted"]) > 0.998

# %% [markdown]
# As seen from a letter, the others stand where they stood, and the bias sees nothing else. Of 100 unseen dates that
# begin at place 40, the machine with the bias reads over 99, and the other fewer than one.
#
# <details class="lesson-more" markdown="1"><summary>What has the bias learnt to add?</summary>
#
# Here are two of the four heads. Which letters does each of them favour?

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
# Head 3 favours the letter just to the left of the one that looks, and head 4 the three that stand four to six places
# to the right of it. (The three share one number: they are a *bucket*.)
#
# </details>
#
# ## All four, by hand
#
# A fourth rule you know: a [sink](sinks.py) is one more score in the softmax, for a query that wants *none of you*.
# What it gets is thrown away.
#
# Between the root and the softmax our package takes the four in this order: **cap, bias, mask, sink**. The cap comes
# before the bias, so that the bias is not shrunk, and before the mask, as you saw.
#
# Take a query at the third of four places, with the scores 4, 1, 0 and 9. Key 4 comes later, and must not be seen. Each
# row of the picture has one rule more. (Its numbers are rounded, so a row may add up to 1.01.) Watch key 4:
#
# --8<-- "diagrams/rule_by_rule.svg"
#
# The bias even raises the weight of key 4, from 0.42 to 0.47, because key 1 stands farther away and loses more. Only
# the mask takes key 4 out. Number by number, with a root of 2, a cap of 2, a price of 0.5 for each place, and a sink
# with the score 0:
#
# | step | key 1 | key 2 | key 3 | key 4 | sink |
# | --- | --- | --- | --- | --- | --- |
# | query · key | 8 | 2 | 0 | 18 | |
# | divided by 2 | 4 | 1 | 0 | 9 | |
# | capped, $2 \tanh(\text{score} / 2)$ | 1.928 | 0.924 | 0 | 1.9995 | |
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
# Now play with this query. Let the rules come one after the other, then start again:
#
# 1. Can a cap alone, however small, make another key win?
# 2. Tick the mask, so that key 4 is hidden. A dare: make the query read it all the same, and leave the mask ticked.

# %% tags=["live", "remove-input"]
import re
from pathlib import Path

np.testing.assert_array_equal((q @ k.T)[0], [8, 2, 0, 18])
assert round(capped(9.0), 4) == 1.9995
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
assert (rows[3], rows[7], rows[11]) == (
    max(rows[:4]),
    max(rows[4:8]),
    max(rows[8:12]),
)
assert [f"{rows[7]:.2f}", f"{rows[11]:.2f}"] == ["0.42", "0.47"]
# The dare: cap and mask alone, in the wrong order.
dared = softmax(capped(np.where([0, 0, 0, 1], -np.inf, [4.0, 1, 0, 9])))
assert f"{dared[3]:.3f}" == "0.013"
# One price for both sides: the mirrored text has the mirrored outputs. Another price to the left tells them apart.
text = np.random.default_rng(0).normal(size=(5, 3))
away = np.arange(5) - np.arange(5)[:, None]
for price, told in (
    (-0.5 * np.abs(away), False),
    (0.5 * np.minimum(away, 0), True),
):
    this, mirrored = (
        scaled_dot_product_attention(x, x, x, bias=price).output.numpy()
        for x in (text, text[::-1])
    )
    assert np.allclose(this, mirrored[::-1], atol=1e-5) is not told
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
# 2. Tick cap and mask, and then "mask before the cap". Key 4 comes back with a score of -2, and gets 0.013 of the
#    weight.
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
    # Our scores are small. Large ones need the largest subtracted, from the sink's score as well.
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
# The learnt bias came with T5 (Raffel and others, 2020), and ALiBi with Press and others (2022). Still, most models of
# today turn queries and keys.
#
# Bello and others ([2016](https://arxiv.org/abs/1611.09940)) put a tanh with a factor on the scores of a network that
# plans round trips. Grok-1 (2024) took a cap of 30, and then Google's Gemma 2 one of 50 ("logit soft-capping"). Another
# remedy is a norm for queries and keys, so that no product grows large ("QK-norm", Henry and others, 2020). Dehghani
# and others (2023), whose large machines broke down, took it, and Gemma 3 (2025) gave up the cap for it.
#
# ## Exercises
#
# ### Exercise 1
#
# Somebody has no mask, and adds -1,000,000,000 to the scores of the keys that should be hidden. Three keys have the
# scores 2, 1 and 0. One query must not see the last key, and another must not see any. Which weights does each query
# get on paper, and in numbers of 32 and of 16 bits? And with a mask?

# %% tags=["answer"]
three = np.array([[2.0], [1.0], [0.0]])
hide = np.array([[0, 0, -1e9], [-1e9, -1e9, -1e9]])
by_bias = {}
for bits in ("float64", "float32", "float16"):
    with np.errstate(over="ignore", invalid="ignore"):  # float16 cannot hold -1e9
        sums = three.T.astype(bits) + hide.astype(bits)
        powers = np.exp(sums - sums.max(axis=-1, keepdims=True))
    by_bias[bits] = powers / powers.sum(axis=-1, keepdims=True)
    print(bits, by_bias[bits].astype(float).round(3).tolist())
by_mask = scaled_dot_product_attention(
    np.ones((2, 1)), three, three, hide < 0
).weights
print("mask   ", by_mask.numpy().astype(float).round(3).tolist())
on_paper = weights_of(three[:, 0])
for bits in by_bias:  # the first query
    np.testing.assert_allclose(by_bias[bits][0], by_mask[0], atol=1e-3)
np.testing.assert_allclose(by_bias["float64"][1], on_paper)
np.testing.assert_allclose(by_bias["float32"][1], 1 / 3, atol=1e-6)
assert on_paper.round(3).tolist() == [0.665, 0.245, 0.09]
assert np.isnan(by_bias["float16"][1]).all()
assert not np.any(by_mask[1])

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Which weights?</summary>
#
# The first query gets the same each time, 0.731, 0.269 and nothing (on paper, next to nothing). The second has no key
# left, which is an [empty row](masks.py#queries-with-no-key-left). With a mask all its weights are 0. On paper the
# large number changes nothing, because all three keys lose the same: 0.665, 0.245 and 0.090. With 32 bits the
# differences are rounded away, and each key gets a third. With 16 bits the number becomes minus infinity, and the
# weights NaN.
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
# - It reads a bag of letters. | It would without the bias. Distances tell what stands close together (left from right only if each side has its own price, or with a look-ahead mask).
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

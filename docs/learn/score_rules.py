# ---
# title: What else goes into the scores
# description: What a score cannot say, and the rules that say it. A cap that lifts a mask, a price on distance, and the order of all four.
# ---

# %% [markdown]
# # What can a score not say?
#
# Put two steps in the wrong order, and the start mark of our machine gives 83 % of its weight to letters that it must
# not see. No error says so.
#
# A score says how well a key fits, and nothing else. To say *never*, *enough* or *far away*, a machine needs extra
# steps, and these can undo each other.

# %% tags=["live", "remove-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
import trained
from clear_attention import create_date_pairs, date_tokenizers
from trained.ablations import shares as shares_of

model, _ = trained.load("dates")
source, target = date_tokenizers()
blocks = (
    model.encoder.layers[0].self_attention,
    model.decoder.layers[0].self_attention,
    model.decoder.layers[0].cross_attention,
)


def softmax(scores):
    powers = np.exp(scores - np.max(scores))
    return powers / powers.sum()


def capped(scores, c):
    return c * np.tanh(scores / c)


many, right_dates = create_date_pairs(1000, seed=1, split="test")
many, right_dates = source.encode(many), target.encode(right_dates)


def read_with(cap):
    """Return the share of dates that are right to the last letter, if all scores are capped."""
    for block in blocks:
        block.attention.softcap = cap
    found = np.argmax(model((many, right_dates[:, :-1])), axis=-1)
    return (found == right_dates[:, 1:]).all(axis=1).mean()


assert round(np.exp(13.0 - 3.0), -3) == 22_000
led = capped(np.array([13.0, 3.0]), c=3.0)
assert [f"{score:.2f}" for score in led] == ["3.00", "2.28"]
assert f"{softmax(led)[0]:.2f}" == "0.67"

caps = [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0, 50.0]
by_cap, uncapped = [read_with(cap) for cap in caps], read_with(None)
taught = {cap: shares_of(f"cap of {cap}") for cap in (3, 5)}

# %% [markdown]
# ## “Never”: a cap in the wrong place
#
# One step is the [mask](masks.py), which says *never*. It sets a score to minus infinity, so that its power is
# $e^{-\infty} = 0$. The other is a *cap*, with which some large models keep all scores between two bounds, here -2 and
# 2. (It is a soft one, which bends even scores inside the bounds a little.) While our machine writes 2018-05-03, its start mark may see nothing but itself, so the 2 that comes next is hidden. In one head the start mark gives one score to itself and one to the 2. What becomes of the two, if the cap comes *after* the mask?
#
# | two scores | the start mark itself | the 2, which comes later |
# | --- | --- | --- |
# | divided by 4 | -1.54 | -1.27 |
# | then the mask | -1.54 | -∞ |
# | then the cap | -1.29 | -2.00 |
#
# **A cap after the mask lifts minus infinity to -2, and that is a score like any other.** The same happens to all ten
# hidden letters. Each has the power $e^{-2} = 0.135$, which makes 1.35 together, and the start mark's own power is only
# 0.27. So the ten get $1.35 / (1.35 + 0.27)$, and that is the 83 %.
#
# Here the steps stand on cards, and the start mark is drawn as a dot. **Swap two cards, so that nobody looks ahead.
# Then a dare: find an order in which nobody looks ahead, and the weights are still wrong.**

# %% tags=["live", "hide-input"]
from examples.numpy_machine import softmax as weights_of
from live import grid, touch

answer, HEAD = "2018-05-03", 1  # the second of four heads
letters = ["•", *answer]
given = target.encode([answer])[:, :-1]
x = model.target_positions(model.embed_target(given) * 8.0)  # 8, root of 64
looking = blocks[1].attention
own_q, own_k = (
    project(x)[0].numpy().reshape(11, 4, 16)[:, HEAD]
    for project in (looking.project_queries, looking.project_keys)
)
products = own_q @ own_k.T  # the scores, not yet divided
own_scores = products / 4  # root of 16
future = np.triu(np.ones((11, 11), bool), k=1)


CAP = 2.0
steps = {
    "÷ 4": lambda scores: scores / 4,
    "cap": lambda scores, cap=CAP: cap * np.tanh(scores / cap),
    "mask": lambda scores: np.where(future, -np.inf, scores),
}


def in_order(*names):
    """Return the weights after these steps, in this order."""
    scores = products
    for name in names:
        scores = steps[name](scores)
    return weights_of(scores, mask=0)


orders = [
    ("÷ 4", "mask", "cap"),
    ("÷ 4", "cap", "mask"),
    ("cap", "÷ 4", "mask"),
    ("mask", "cap", "÷ 4"),
]
swapped, right, late, worst = (in_order(*order) for order in orders)
blocks[1].attention.softcap = CAP
capped_model = model((source.encode(["3 may '18"]), given), return_weights=True)
np.testing.assert_allclose(
    right, capped_model.weights["decoder.0.self"][0, HEAD], atol=1e-5
)
blocks[1].attention.softcap = None
assert round(swapped[0, 1:].sum(), 2) == 0.83
assert right[0, 0] == 1
assert not np.any(late[future])
touch(
    "cards",
    grid(
        "The start mark's weight on letters that come later, in %.",
        [
            [round(100 * each[0, 1:].sum())]
            for each in (swapped, right, late, worst)
        ],
        [", ".join(order) for order in orders],
    ),
    letters=letters,
    scores=products.round(2).tolist(),
    root=4,
    caps=[1, 2, 3, 4, 5, 7, 10, 20],
    cap=1,
    order=["divide", "mask", "cap"],
    swapped=-2,
    turn=0,
)

# %% [markdown]
# In the first order a high cap hides the mistake: at 20 the future still gets some weight, but less than a millionth.
#
# **No finite score can say *never*. The mask can, if no step after it changes its scores.**

# %% tags=["live", "remove-input"]
masked = steps["mask"](own_scores)[0]
leaked = weights_of(steps["cap"](masked, cap=20.0), mask=0)[1:].sum()
assert 0 < leaked < 1e-6
own, hidden = own_scores[0, :2]
lifted = [steps["cap"](score) for score in (own, -np.inf)]
shown = [own, hidden, *lifted]
assert [f"{score:.2f}" for score in shown] == ["-1.54", "-1.27", "-1.29", "-2.00"]
powers = np.exp(lifted)
assert (f"{powers[0]:.2f}", f"{powers[1]:.3f}") == ("0.27", "0.135")
assert f"{10 * powers[1]:.2f}" == "1.35"
assert round(1.35 / (1.35 + 0.27), 2) == 0.83

# %% [markdown]
# ## “Enough”: why cap at all? { #a-limit-the-soft-cap }
#
# Scores can grow without end, and then one key takes everything. Say two keys have the scores 13 and 3. With a lead of
# 10 the first key gets $e^{10}$ times the weight of the second, about 22,000 times. A small change of a score hardly
# changes a weight then, so training has little to push on. That happened to the large machines of Dehghani and others
# (2023), whose training broke down as their scores grew.
#
# A **soft cap** $c$ stops the scores before that. It takes the tanh, a curve that is nearly a straight line near 0 and
# stays between -1 and 1:
#
# $$
# \text{score} \;\to\; c \, \tanh\left(\frac{\text{score}}{c}\right)
# $$
#
# Small scores hardly notice it, and no score gets beyond $c$ or below $-c$. With a cap of 3 our 13 becomes 3.00, and
# the 3 becomes 2.28. **Under a cap the best key still leads, here with 0.67 of the weight, and the other is heard,
# too.**
#
# In 2024 Google capped the scores of Gemma 2, at 50.
#
# <details class="lesson-more" markdown="1"><summary>For the curious: does our machine need its high scores?</summary>
#
# We cap all scores of our finished machine, lower and lower, and count the dates that it still reads (blue). The orange
# dots at 3 and 5 are machines that were trained with this cap. At each of the two, three dots lie on one another:

# %% tags=["hide-input"] alt="A dot for each cap from 1 to 50, how many dates are read right. With a cap of 20 or 50 as many as without one, over 99 %. With 10 a little less, with 7 about 83 %, with 5 about 56 %, and with 2 hardly any. Orange dots at 3 and 5, for machines trained with such a cap, lie above 99 %."
import matplotlib.pyplot as plt

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
assert abs(by_cap[caps.index(5.0)] - 0.56) < 0.01
assert abs(by_cap[caps.index(7.0)] - 0.83) < 0.01
assert by_cap[caps.index(2.0)] < 0.15
assert min(taught[3] + taught[5]) > 0.99

# %% [markdown]
# **Capped at 5 after its training, our machine loses nearly half of its dates.** Trained with a cap of 5 or of 3, six
# machines out of six read over 99 of 100. A year after Gemma 2, Gemma 3 gave up the cap for the remedy of Dehghani and
# others, a norm of queries and keys.
#
# </details>

# %% [markdown]
# ## “Far away”: a price
#
# Two keys fit equally well, so each has the score 3 and half of the weight. But one is a close neighbour, and the other
# stands far off. [Turned keys](turning_positions.py) let a score know the distance, but nothing forces it to prefer
# what is near.
#
# So distance gets a price. Let each place cost 0.5. A key that stands 1 place away keeps 2.5 of its 3, and one that
# stands 4 places away keeps 1. **At this price the near key gets 0.82 of the weight, though both fit equally well.**
#
# A number that is added to a score because of where its key stands, here minus the price, is called a **bias**. (The
# bias of a matrix is something else.) T5 learnt its biases (Raffel and others, 2020). With a fixed price the bias is
# called **ALiBi** (Press and others, 2022), and nothing in it is learnt.
#
# <details class="lesson-more" markdown="1"><summary>For the curious: what a price makes of the map</summary>
#
# Here is the head from above at the same price, without a cap. **Change the price of a place, and watch the map of
# weights.**

# %% tags=["live", "hide-input"]
two = softmax(np.array([3 - 0.5 * 1, 3 - 0.5 * 4]))
assert f"{two[0]:.2f}" == "0.82"
apart = np.subtract.outer(np.arange(11), np.arange(11))
near = []
for each in (0.0, 0.5, 2.0):
    paid = weights_of(own_scores - each * apart, future)
    near.append(np.trace(paid) + np.trace(paid, offset=-1))
assert [round(100 * share / 11) for share in near] == [62, 81, 98]
touch(
    "price",
    grid(
        "How much of its weight a letter gives to itself and its neighbour, in % (the mean).",
        [[round(100 * share / 11)] for share in near],
        ["no price", "0.5 a place", "2 a place"],
    ),
    letters=letters,
    scores=own_scores.round(2).tolist(),
    price=0.5,
)

# %% [markdown]
# **As the price rises, the map shrinks to a band.** At 2 a place a letter gives 98 % of its weight to itself and its
# neighbour, on average.
#
# </details>
#
# ## In which order?
#
# So who goes first? With the [sink](sinks.py) four things come after the division, and this is their order:
#
# | A score can't say | What says it | For example in |
# | --- | --- | --- |
# | enough | a cap | Gemma 2 (2024) |
# | far away | a bias | T5 (2020), which learns it |
# | never | a mask | our machine |
# | none of you | a sink | the [machine with a sink](sinks.py#a-place-of-its-own) |
#
# **First divide, then cap, bias, mask, sink.** If the cap came before the division, all scores would lie between -2 / 4
# and 2 / 4, and hardly differ. (That was the dare at the cards.) If it came after the bias, it would shrink the price.
# If it came after the mask, it would bring the future back. (Only bias and mask may be swapped, because minus infinity
# minus a price is still minus infinity.)
#
# ## Your machine so far
#
# Your [`softmax`](sinks.py#your-machine-so-far) knows the mask and the sink. Now your `attention` gets the cap and the
# bias:
#
# ```python
# def attention(q, k, v, mask=0, bias=0.0, cap=None, sink=-np.inf):
#     scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
#     if cap is not None:
#         scores = ...
#     return softmax(..., mask, sink) @ v
#
# # four keys, with the scores 4, 1, 0 and 9, and a query at the third place
# # a place costs 0.5, and the last key is hidden
# q = np.array([[2.0, 2, 2, 2]])
# k = np.array([[1.0, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0], [3, 2, 2, 2]])
# v = np.array([[10.0], [20.0], [30.0], [40.0]])
# mask, bias = np.array([[0, 0, 0, 1]]), np.array([[-1, -0.5, 0, -0.5]])
# print(attention(q, k, v, mask, bias, cap=2.0, sink=0.0).round(2))  # [[14.17]]
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


# four keys, with the scores 4, 1, 0 and 9, and a query at the third place
# a place costs 0.5, and the last key is hidden
q = np.array([[2.0, 2, 2, 2]])
k = np.array([[1.0, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0], [3, 2, 2, 2]])
v = np.array([[10.0], [20.0], [30.0], [40.0]])
mask, bias = np.array([[0, 0, 0, 1]]), np.array([[-1, -0.5, 0, -0.5]])
yours = attention(q, k, v, mask, bias, cap=2.0, sink=0.0)
print(yours.round(2))
np.testing.assert_allclose(yours, [[14.17]], atol=0.005)
nothing_left = attention(q, k, v, mask=np.ones((1, 4)))  # without a sink
np.testing.assert_array_equal(nothing_left, [[0.0]])
print("your attention has a cap, a bias and a sink")

# %% [markdown]
# ## Exercises
#
# ### Exercise 1
#
# How far does a price let a head see? A query stands at the end of a long text. All keys fit equally well, and each
# place costs 0.5. How many letters, counted from the query itself, get 99 % of its weight? And at a price of 0.05?

# %% tags=["answer"]
for each in (0.5, 0.05):
    shares = softmax(
        -each * np.arange(10_000.0), mask=0
    )  # the nearest letter first
    nearest = int(np.argmax(shares.cumsum() >= 0.99)) + 1
    print(f"a price of {each}: the nearest {nearest} letters")
    assert nearest == {0.5: 10, 0.05: 93}[each]
    np.testing.assert_allclose(
        shares.cumsum()[:99], 1 - np.exp(-each * np.arange(1, 100))
    )


# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why ten times as far?</summary>
#
# With each place the power shrinks by the same factor, $e^{-0.5} = 0.61$. So the nearest $k$ letters have $1 - e^{-0.5
# k}$ of the weight together, and at a tenth of the price the same share takes about ten times as many letters. ALiBi
# gives each head a price of its own. So some heads look near, and others far.
#
# </details>
#
# ### Exercise 2
#
# Two keys have the scores 30 and 20. How much weight does the first one get with a cap of 5? Now raise the cap, one by
# one: when does it first get more than 90 %?

# %% tags=["answer"]
for cap in range(5, 31):
    first, second = capped(np.array([30.0, 20.0]), cap)
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
# Far above the cap all scores become nearly the cap itself, so 30 and 20 hardly differ any more, and the softmax sees
# only their difference. Without a cap the difference is 10. Then the first key gets all but about one part in 22,000.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("score_rules")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? A head has a sink of score 0. You add 3 to the bias of every key, near or far. What happens?
# - Nothing, since the softmax sees only differences. | That is so among the keys, but the sink does not get the 3.
# + The sink gets less. | All keys move away from it by 3.
# - The far keys catch up with the near ones. | They all get the same 3, so the near ones stay ahead.
# ? The cap is 50, and all scores lie between -3 and 3. What does the cap do?
# - It divides all scores by 50. | Only inside the tanh. The result is multiplied by 50 again.
# + Next to nothing. | Near 0 the tanh is nearly a straight line, so small scores stay nearly as they are.
# - It makes all scores equal to 50. | 50 is only the most that a score can become.
# ? A machine has no positions, but a bias in which each place of distance costs the same. You move its text 100 places to the right, behind padding that is hidden. What becomes of its weights?
# + They stay as they are. | All distances between letters are the same as before.
# - The letters at the right get less, since they are far away. | Far from the beginning, but not from each other.
# - It reads a bag of letters. | Without the bias it would. But the distances tell it what stands close together.
# ```
#
# </details>
#
# ## Where to go next
#
# **Your machine so far:** half of [the whole Transformer](recap.py#put-together-by-hand), with heads that share their
# keys, and scores that can say *never*, *enough*, *far away* and *none of you*.
#
# All this happens in the scores of one layer. Is there anything that two layers can do, and one can't?
#
# * [A head that copies](induction.py): it looks for what came next the last time.
# * [The museum of bugs](../guides/museum.py#softcap): the cap that lifts the mask.
#
# Read on elsewhere: Raffel and others (2020), [Exploring the Limits of Transfer
# Learning](https://arxiv.org/abs/1910.10683), section 2.1; Press and others (2022), [Train Short, Test Long: Attention
# with Linear Biases Enables Input Length Extrapolation](https://arxiv.org/abs/2108.12409); Dehghani and others (2023),
# [Scaling Vision Transformers to 22 Billion Parameters](https://arxiv.org/abs/2302.05442), section 2.

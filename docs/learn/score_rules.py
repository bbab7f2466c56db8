# ---
# title: What else goes into the scores
# description: What a score cannot say, and the steps that say it. A cap that lifts a mask, a price on distance, and the orders in which all of them work.
# ---

# %% [markdown]
# # What can a score not say?
#
# Two lines of code have changed places. Nothing complains: all shapes are right, and all weights add up to 1. And yet a
# letter now gives 83 % of its weight to letters that are not written yet.
#
# See for yourself, on one head of our machine, while it writes `2018-05-03`. Below are the steps that take it from the
# product of a query and a key to a weight. It divides the product by 4, the root of the 16 numbers of a key, and has
# the score. Then comes a guest, the **cap**, which squeezes all scores between -2 and 2, so that none can drown out the
# others. Small scores change a little, and large ones most. Some large models have one, with wider bounds. At last the
# [mask](masks.py) hides what comes later.
#
# The dot is the start mark, which may see only itself. (A card whose work is undone by a later card gets a broken orange
# edge.) **Nobody looks ahead. Now swap the cap and the mask. What becomes of the first row of the map?**

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

# %% tags=["live", "hide-input"]
from examples.numpy_machine import softmax as weights_of
from live import grid, touch

answer, HEAD = "2018-05-03", 1  # the second of four heads
letters = ["•", *answer]
given = target.encode([answer])[:, :-1]
embedded = model.embed_target(given) * 8.0  # 8, root of 64
looking = blocks[1].attention


def products_of(x):
    """Return the scores of the head, not yet divided."""
    q, k = (
        project(x)[0].numpy().reshape(11, 4, 16)[:, HEAD]
        for project in (looking.project_queries, looking.project_keys)
    )
    return q @ k.T


products = products_of(model.target_positions(embedded))
future = np.triu(np.ones((11, 11), bool), k=1)


CAP = 2.0
steps = {
    "÷ 4": lambda scores: scores / 4,  # root of 16
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
    ("÷ 4", "cap", "mask"),
    ("÷ 4", "mask", "cap"),
    ("cap", "÷ 4", "mask"),
    ("mask", "cap", "÷ 4"),
]
right, swapped, late, worst = (in_order(*order) for order in orders)
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
            for each in (right, swapped, late, worst)
        ],
        [", ".join(order) for order in orders],
    ),
    letters=letters,
    scores=products.round(2).tolist(),
    root=4,
    caps=[1, 2, 3, 4, 5, 7, 10, 20],
    cap=1,
    moves="cap",
    who="the start mark",
    row=0,
    keys={"itself": 0, "the 2, later": 1},
    order=["divide", "cap", "mask"],
    swapped=-2,
    turn=0,
)

# %% [markdown]
# **The start mark gives 83 % of its weight to letters that it must not see.** No error says so.
#
# Both steps are good ones. A score says how well a key fits, and nothing else. What else a machine has to say, it says
# with a further step. But one step can undo another.
#
# ## “Never”: the step that was undone
#
# The mask says *never*. It sets a hidden score to minus infinity, and the power of that is $e^{-\infty} = 0$.
#
# Leave the two cards swapped, and follow the 2 down its column. The mask turns its -1.27 into minus infinity. But then
# comes the cap, which lets no score lie below -2, and makes a -2 of it. **A cap after the mask lifts minus infinity to
# -2, and that is a score like any other.** The same happens to all ten hidden letters. Each has the power $e^{-2} =
# 0.135$, which makes 1.35 together, and the start mark's own power is only $e^{-1.29} = 0.27$. So the ten get $1.35 /
# (1.35 + 0.27)$, and that is the 83 %.
#
# Now move the cap up to 20. The mistake only hides: the future still gets 0.00001 % of the weight. **No finite score
# can say *never*. The mask can, if no step after it changes its scores.**

# %% tags=["live", "remove-input"]
own_scores = products / 4
masked = steps["mask"](own_scores)[0]
leaked = weights_of(steps["cap"](masked, cap=20.0), mask=0)[1:].sum()
assert f"{100 * leaked:.5f}" == "0.00001"
own, hidden = own_scores[0, :2]
lifted = [steps["cap"](score) for score in (own, -np.inf)]
shown = [own, hidden, *lifted]
assert [f"{score:.2f}" for score in shown] == ["-1.54", "-1.27", "-1.29", "-2.00"]
powers = np.exp(lifted)
assert (f"{powers[0]:.2f}", f"{powers[1]:.3f}") == ("0.27", "0.135")
assert f"{10 * powers[1]:.2f}" == "1.35"
assert round(1.35 / (1.35 + 0.27), 2) == 0.83
pushed = np.array([[13.0, 3.0], [13.0, 4.0]])
for cap, shares in ((None, ("0.005 %", "0.012 %")), (3.0, ("33 %", "40 %"))):
    for pair, share, digits in zip(
        pushed, shares, (3, 3) if cap is None else (0, 0), strict=True
    ):
        weight = softmax(pair if cap is None else capped(pair, cap))[1]
        assert f"{100 * weight:.{digits}f} %" == share
assert [round(50 * np.tanh(score / 50), 1) for score in (13, 100)] == [12.7, 48.2]
for score, moves in ((3.0, 0.3), (13.0, 0.0)):  # a push by 1, under a cap of 3
    assert round(capped(score + 1, 3.0) - capped(score, 3.0), 1) == moves

# %% [markdown]
# ## “Enough”: why cap at all? { #a-limit-the-soft-cap }
#
# The cap says: enough, a score need not grow any further. A **soft cap** $c$ takes the tanh, a curve that is nearly a
# straight line near 0 and stays between -1 and 1:
#
# $$
# \text{score} \;\to\; c \, \tanh\left(\frac{\text{score}}{c}\right)
# $$
#
# Small scores hardly notice the cap, and no score gets beyond $c$ or below $-c$. With a cap of 3 a score of 13 becomes
# 3.00, and a score of 3 becomes 2.28.
#
# But if it makes such trouble, why not throw the cap away? Say two keys have these scores, 13 and 3, and the second key
# would be right. Training asks of each number: if I move you, does the answer improve? So let us move the score of the
# second key up by 1, to 4. What becomes of its weight?
#
# | scores | weight of the second key at 3 | at 4 |
# | --- | --- | --- |
# | without a cap | 0.005 % | 0.012 % |
# | with a cap of 3 | 33 % | 40 % |
#
# Without a cap the answer hardly improves. The weight more than doubles, but 0.012 % of the whole is still next to
# nothing. So training hardly moves this score. **Under a cap the best key still leads, and the other is heard, too.** So
# training can move it up, step by step. That has its price: the curve is flat near its bounds, so a score far above the
# cap, like the 13, can hardly be pushed any more.
#
# In the large machines of Dehghani and others (2023) the scores grew until training broke down. Their remedy was a norm
# of queries and keys, so that a score can't grow by longer and longer vectors. Gemma 2 (2024) took a cap of 50 against
# the same trouble. It makes 12.7 of our 13, but 48.2 of a 100, so it stops only scores that have run away.
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
# machines out of six read over 99 of 100. A year after Gemma 2, Google's Gemma 3 gave up the cap for the norm of
# queries and keys.
#
# </details>
#
# ## “Far away”: three 0s that look the same
#
# Our machine adds to each letter its place. Take the places away, and a 0 is a 0, wherever it stands. The 3 at the end
# looks back at three of them, near and far, and all three get the same score. ([Turned keys](turning_positions.py)
# would tell the distance, but nothing would force the head to prefer what is near.)
#
# So let distance cost something: for each place that a key stands away, its score loses a price. That is a new card,
# the **bias**. **The price is still 0. Raise it to 0.5, and look how the three columns part.**

# %% tags=["live", "hide-input"]
placeless = products_of(embedded)
zeros = [place for place, letter in enumerate(letters) if letter == "0"]
apart = np.abs(np.subtract.outer(np.arange(11), np.arange(11)))
assert zeros == [2, 6, 9]
assert (10 - np.array(zeros)).tolist() == [8, 4, 1]
np.testing.assert_allclose(placeless[10, zeros], placeless[10, 2], rtol=1e-5)


def at_price(price):
    """Return what the 3 at the end gives to the three 0s, in %."""
    scores = steps["cap"](placeless / 4) - price * apart
    return [
        round(100 * x) for x in weights_of(steps["mask"](scores), mask=0)[10, zeros]
    ]


assert at_price(0) == [18, 18, 18]
assert at_price(0.5) == [1, 11, 49]

touch(
    "cards",
    grid(
        "What the 3 at the end gives to the three 0s, in %.",
        [at_price(price) for price in (0, 0.5, 1, 2)],
        ["no price", "0.5 a place", "1 a place", "2 a place"],
        ["8 back", "4 back", "1 back"],
    ),
    letters=letters,
    scores=placeless.round(2).tolist(),
    root=4,
    caps=[2],
    cap=0,
    price=0,
    moves="price",
    who="the 3 at the end",
    row=10,
    keys={"0, 8 back": 2, "0, 4 back": 6, "0, 1 back": 9},
    order=["divide", "cap", "bias", "mask"],
    swapped=-2,
    turn=0,
)

# %% [markdown]
# **At a price of 0.5 a place, the nearest 0 gets 49 % of the weight, and the farthest 1 %, though all fit equally
# well.**
#
# A **bias** is any number that is added to a score because of where its key stands. (The bias of a matrix is something
# else.) T5 learnt its biases (Raffel and others, 2020). With a fixed price the bias is called **ALiBi** (Press and
# others, 2022), and nothing in it is learnt.
#
# ## In which order?
#
# From the last lesson you know the [sink](sinks.py), which says *none of you*. It is one more score and belongs to no
# letter, so its card adds a column. Its score is 1 here, and no other card may change it. Now there are five cards, and
# 120 orders.
#
# As before, the letters have no places, a place costs 0.5, and the cap is 2. Now the 0 of the month looks, and you see
# its scores for a 0 before it, for itself, and for a 0 that comes later. A card is green if no later card changes what
# it has set: the cap its bounds, the mask its minus infinity, the bias its price, the sink its 1. **Swap cards until
# all five are green. How many such orders can you find?**

# %% tags=["live", "hide-input"]
from itertools import permutations

PRICE, SINK, MONTH = 0.5, 1.0, 6  # the 0 of the month stands at place 6
SINK_COLUMN = 11
price_of, hidden = (np.pad(grid_, [(0, 0), (0, 1)]) for grid_ in (apart, future))
does = {
    "divide": lambda scores: scores / 4,
    "cap": lambda scores: CAP * np.tanh(scores / CAP),
    "bias": lambda scores: scores - PRICE * price_of,
    "mask": lambda scores: np.where(hidden, -np.inf, scores),
    "sink": lambda scores: np.where(np.arange(12) == SINK_COLUMN, SINK, scores),
}


def laid(order):
    """Return the weights when the cards lie in this order; the last column is the sink's."""
    scores = np.pad(placeless, [(0, 0), (0, 1)])
    for name in order:
        scores = does[name](scores)
    return weights_of(scores, mask=0)


all_orders = list(permutations(does))
usual = laid(["divide", "cap", "bias", "mask", "sink"])
works = [order for order in all_orders if np.allclose(laid(order), usual)]
assert (len(all_orders), len(works)) == (120, 6)
assert {order[:2] for order in works} == {("divide", "cap")}
assert letters[MONTH] == "0"
at_first = ("mask", "sink", "divide", "bias", "cap")
shown = [at_first, works[0]]
touch(
    "cards",
    grid(
        "What the 0 of the month gives to letters that come later, and to the sink, in %.",
        [
            [
                round(100 * laid(order)[MONTH, 7:11].sum()),
                round(100 * laid(order)[MONTH, 11]),
            ]
            for order in shown
        ],
        [", ".join(order) for order in shown],
        ["later", "sink"],
    ),
    letters=letters,
    scores=placeless.round(2).tolist(),
    root=4,
    caps=[2],
    cap=0,
    price=PRICE,
    sink=SINK,
    who="the 0 of the month",
    row=MONTH,
    keys={"0, 4 back": 2, "itself": MONTH, "0, later": 9, "sink": 11},
    order=list(at_first),
    swapped=-2,
    turn=0,
    found=[],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>How many such orders are there?</summary>
#
# **If no card may undo another, six of the 120 orders are right: first divide, then cap, and after them bias, mask and
# sink in any order.** A model may also be trained with the cap after the bias. But a lifted mask is a bug in any model.
#
# Division and cap change every score that they find, also what an earlier card has put there, like the sink's 1. If the
# cap came before the division, all scores would lie between -0.5 and 0.5, and hardly differ. If it came after the bias,
# it would bend the price, and after the mask it would bring the future back. The other three undo nothing. Minus
# infinity minus a price is still minus infinity. And a sink is no key, so it pays no price, and no mask hides it.
#
# </details>
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

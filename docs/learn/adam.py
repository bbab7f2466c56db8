# ---
# title: Adam and the warm-up
# description: How far each number of a machine should go in a step. A valley that no learning rate suits, Adam, the whole program that trains the date machine, and what its warm-up is for.
# slow: true
# ---

# %% [markdown]
# # How far should each number go?
#
# The [slopes](training.py) of the loss say which way each of the 121,422 numbers must go. A plain nudge takes the same
# share of each slope, the learning rate. With too large a share a number jumps back and forth across its valley, and
# with too small a share it hardly moves.
#
# At the first step a tenth of our machine's slopes is more than fifty times as steep as another tenth. Can one learning
# rate suit both?
#
# Here is a valley of two numbers, seen from above, a hundred times as steep across as along. A ring joins places of
# equal loss, and the cross is the lowest point. Sixty plain nudges begin on the left, where the loss is 80. Can you
# find a learning rate that brings it below 0.5?


# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import keras
import numpy as np
import tensorflow as tf
import trained
from clear_attention import (
    Transformer,
    create_date_pairs,
    date_tokenizers,
    greedy_search,
)
from live import bet, touch
from trained import dates
from trained.ablations import shares

model, record = trained.load("dates")
source, target = date_tokenizers()
unseen, right = create_date_pairs(2000, seed=1, split="test")
unseen_ids, right_ids = source.encode(unseen, length=34), target.encode(right)


def slopes_at_first():
    """Return the untrained machine, and its slopes for a first batch of 64 texts."""
    keras.utils.set_random_seed(0)
    fresh = Transformer(**dates.SIZES)
    fresh.build()
    texts, answers = create_date_pairs(64)
    x, y = source.encode(texts, length=34), target.encode(answers)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    with tf.GradientTape() as tape:
        now = loss(y[:, 1:], fresh((x, y[:, :-1])))
    return fresh, tape.gradient(now, fresh.trainable_variables)


fresh, slopes = slopes_at_first()
sizes = np.abs(np.concatenate([np.ravel(tf.convert_to_tensor(s)) for s in slopes]))
low, high = np.quantile(sizes, [0.1, 0.9])
assert high > 50 * low  # as the text says


def sixty(nudge, rate, steep):
    slopes, w = np.array([1.0, steep]), np.array([-4.0, 1.2])
    kept = (0.0, 0.0)
    for step in range(1, 61):
        change, kept = nudge(slopes * w, kept, step)
        w = w - rate * change
    return float((slopes @ w**2) / 2)


def plain(slope, kept, step):
    return slope, kept


def by_adam(slope, kept, step):
    mean, square = 0.9 * kept[0] + 0.1 * slope, 0.98 * kept[1] + 0.02 * slope**2
    usual = np.sqrt(square / (1 - 0.98**step))
    return mean / (1 - 0.9**step) / usual, (mean, square)


small, large = (0.005, 0.01, 0.015, 0.019, 0.02, 0.021), (0.05, 0.1, 0.2, 0.5, 1)
with np.errstate(over="ignore"):
    best = min(sixty(plain, rate, 100) for rate in (*small, *large))
assert 0.7 < best < 0.9
assert all(sixty(by_adam, rate, 100) < best / 5 for rate in (0.2, 0.5, 1))
assert sixty(plain, 0.021, 100) > 1e3
assert sixty(plain, 1, 1) == 0


def aslant(rate):
    """Sixty nudges of Adam in the same valley, turned by 45 degrees."""
    turn = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
    slopes, w, kept = (
        turn.T @ np.diag([1.0, 100]) @ turn,
        turn.T @ [-4, 1.2],
        (0, 0),
    )
    for step in range(1, 61):
        change, kept = by_adam(slopes @ w, kept, step)
        w = w - rate * change
    return w @ slopes @ w / 2


along = min(sixty(by_adam, rate, 100) for rate in large)
assert min(map(aslant, large)) > 2 * along  # as the text says
np.testing.assert_allclose(
    [aslant(0.2), sixty(by_adam, 0.2, 100)], [3.2, 0.05], atol=0.05
)
assert round(((-4) ** 2 + 100 * 1.2**2) / 2, 9) == 80
touch(
    "valley",
    f"<p>At the start the loss is 80. Sixty plain nudges bring it down to {best:.2f} at best; with a learning rate of"
    f" 0.021 they fly out of the valley. Adam, with 0.2, brings it down to {sixty(by_adam, 0.2, 100):.2f}.</p>",
    start=[-4, 1.2],
    how="plain",
    plain=0,
    adam=8,
    steep=3,
    turn=0,
    both=False,
)

# %% [markdown]
# There is none, since what is small enough for the steep direction is much too small for the other one. A steep slope
# alone would do no harm, because the floor may be far away. The trouble is a slope that also *changes* fast, as it does
# across this valley.
#
# Now press "Adam". **Adam** keeps two means for each number: one of its slopes, and one of their squares, whose root
# says how large the slopes usually are. Adam divides the first mean by this root. The quotient is mostly between -1 and
# 1, and near 0 if the sign of the slope changes from step to step. It is multiplied by the learning rate, and that is
# the nudge. So a steep number is nudged no further than a flat one. Change the steepness, and Adam's path stays as it
# is, because the factor is in the mean and in the root, and cancels. But Adam treats each number alone, and here the
# valley lies along x. Turn x and y by 45 degrees, so that it lies aslant: which of the two paths changes?
#
# <details class="lesson-answer" markdown="1"><summary>Which?</summary>
#
# Adam's. With a learning rate of 0.2 sixty nudges now end at a loss of about 3.2, and not of 0.05, because each of the
# two slopes has become a mixture of the steep direction and the flat one. Plain nudges go where they went: to them x and
# y are only names.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>How Adam takes its two means</summary>
#
# Let $g_t$ be the slope at step $t$, $m_t$ the mean of the slopes and $v_t$ that of their squares. Both begin at 0, and
# the newest slope counts most:
#
# $$
# m_t = 0.9\, m_{t-1} + 0.1\, g_t \qquad v_t = 0.98\, v_{t-1} + 0.02\, g_t^2
# $$
#
# Since they begin at 0, both are too small at first: $m_1$ is a tenth of the slope. Adam therefore divides $m_t$ by
# $1 - 0.9^t$, which is 0.1 at first, and $v_t$ by $1 - 0.98^t$. So the first nudge is the learning rate times
# $g_1 / \sqrt{g_1^2}$, which is 1 or -1. The 0.98 is `beta_2` below.
#
# In the valley above, the loss is $(x^2 + 100\, y^2) / 2$, and its slopes are $x$ and $100\, y$. Adam swings past the
# cross, because the mean of the slopes is slow to turn.
#
# </details>
#
# ## The program
#
# Now take such a step a thousand times, with Adam, and each time with 64 new examples. This program trained our
# machine, with other examples and more `STEPS`. `fit` gets what goes in, the texts *and* the answers that the decoder
# is given, and what should come out. `from_logits=True` leaves the softmax to the loss. What will the machine write
# after a tenth of its training?

# %%
STEPS = 100  # of the 1,000
texts, answers = create_date_pairs(64 * STEPS)
x, y = source.encode(texts, length=34), target.encode(answers)

keras.utils.set_random_seed(0)
machine = Transformer(**dates.SIZES)
rate = keras.optimizers.schedules.CosineDecay(
    0.0, 850, warmup_target=0.004, warmup_steps=150
)
adam = keras.optimizers.Adam(rate, beta_2=0.98)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
machine.compile(adam, loss)
machine.fit((x, y[:, :-1]), y[:, 1:], batch_size=64, verbose=0)

logits = machine.predict((unseen_ids, right_ids[:, :-1]), batch_size=500, verbose=0)
adams_loss = float(loss(right_ids[:, 1:], logits))
print(f"loss {adams_loss:.3f}")
texts = record["diary"][:5].tolist()
written = target.decode(greedy_search(machine, source.encode(texts, length=34), 11))
for text, answer in zip(texts, written, strict=True):
    print(f"{text:24} {answer}")

# %% tags=["live", "remove-input"]
import inspect
import re

from trained import recipes

form = re.compile(r"(19|20)\d\d-\d\d-\d\d")

program, inside = inspect.getsource(dates.train), inspect.getsource(recipes.fit)
assert "fit(model, (x, y[:, :-1]), y[:, 1:], " in program  # the same program
assert "peak=4e-3, warmup=150, beta_2=0.98" in program
assert (
    "CosineDecay(0.0, steps - warmup, warmup_target=peak, warmup_steps=warmup)"
    in inside
)
assert "SparseCategoricalCrossentropy(from_logits=True)" in inside
assert (dates.STEPS, dates.BATCH) == (1000, 64)
assert adams_loss < 0.7  # as the text says
curve = [float(rate(step)) for step in (75, 150, 575, 1000)]
np.testing.assert_allclose(curve, [0.002, 0.004, 0.002, 0], atol=1e-6)
from IPython.display import Markdown

like_dates = sum(bool(form.fullmatch(answer)) for answer in written)
assert like_dates >= 2
Markdown(
    f"An untrained machine has a loss of about 3. After 100 steps it is {adams_loss:.3f}, and"
    f" {('two', 'three', 'four', 'all')[like_dates - 2]} of the five answers look like dates. (In our machine's own"
    " training all five did.)"
)

# %% [markdown]
# Run the cell with 1,000 steps, and you have trained a machine like ours, in about a minute on two cores.
#
# ## Warm-up
#
# One line of the program is strange: `rate` is a curve. It grows from 0 to 0.004 for 150 steps, which is the
# **warm-up**, and then shrinks to 0 again, so that the machine comes to rest. Our 100 steps above were all warm-up.
#
# Why begin so timidly? At its first step Adam has seen one slope of each number, and a slope divided by the root of its
# own square is 1 or -1. So without a warm-up more than nine tenths of our machine's numbers would jump by nearly the
# whole learning rate, before anybody knows whether the direction is good for more than the first 64 texts. (Where a
# slope is nearly 0, a small constant that Adam adds to the divisor makes the jump shorter.)
#
# Does that do lasting harm? Let the largest learning rate be 0.01 in place of 0.004, once reached by a warm-up and once
# from the first step on. After a thousand steps, how many of 100 unseen dates does the machine read?


# %% tags=["live", "remove-input"]
def all_numbers(machine):
    return np.concatenate([np.ravel(v) for v in machine.trainable_variables])


before = all_numbers(fresh)
first_nudge = keras.optimizers.Adam(0.01, beta_2=0.98)
first_nudge.apply(slopes, fresh.trainable_variables)
moved = np.abs(all_numbers(fresh) - before) / 0.01
assert np.mean(moved > 0.99) > 0.92  # as the text says

bet(
    "adam/warm_up",
    [
        (
            "0.01, reached by a warm-up",
            round(100 * np.mean(shares("larger nudges")), 1),
            "Large nudges do little harm here, if the first ones are small.",
        ),
        (
            "0.01 from the first step on",
            round(100 * np.mean(shares("larger nudges, no warm-up")), 1),
            "Large first nudges spoil much, but the machine still reads many dates.",
            "What large first nudges spoil, all the later steps do not make good.",
        ),
    ],
    low=0,
    high=100,
    step=1,
    unit="",
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# With the warm-up it reads nearly all, and without it only about half. These are four ways to train, each tried three
# times:

# %% tags=["hide-input"] alt="Dots on a scale from 40 to 100 of 100 dates, three for each kind of training. Ours, no warm-up and larger nudges: all near 100, but for one of 98 without warm-up. Larger nudges without warm-up: 48, 50 and 51."
import matplotlib.pyplot as plt

names = {
    "whole": "ours",
    "no warm-up": "no warm-up",
    "larger nudges": "larger nudges",
    "larger nudges, no warm-up": "larger nudges, no warm-up",
}
_, ax = plt.subplots(figsize=(4.6, 1.8), layout="constrained")
for place, name in enumerate(names):
    right_of_100 = [100 * share for share in shares(name)]
    ax.plot(right_of_100, [place] * 3, "o", color="#0072b2", alpha=0.6)
ax.set_yticks(range(len(names)), names.values())
ax.set(xlim=(40, 101), ylim=(3.5, -0.5), xlabel="of 100 unseen dates, read right")
ax.grid(axis="x", alpha=0.3)
ax.spines[["top", "right", "left"]].set_visible(False)
plt.show()
assert max(shares("larger nudges, no warm-up")) < 0.6
for name in ("whole", "larger nudges"):
    assert min(shares(name)) > 0.99
assert min(shares("no warm-up")) > 0.97

# %% [markdown]
# The jump of all numbers at once is probably why. Nudges as large as ours need the warm-up far less: without it fewer
# than three dates in a hundred are lost. So why is it in our program? It is a habit from 2017, costs little, and saves
# the search for a learning rate that does no harm at the first step.
#
# </details>
#
#
# ## Who found this, and when
#
# To divide by the root of a mean of squares was an idea of Hinton's, who showed it in a lecture of 2012 and called it
# RMSProp. Kingma and Ba (2014) added the mean of the slopes and published Adam with a proof. Four years later Reddi,
# Kale and Kumar found a mistake in it, and an example in which Adam walks to the worst place there is. People use it all
# the same.
#
# Kaiming He and others (2016) began a training with small steps, because a very deep network would not begin otherwise.
# The paper of the first Transformer (2017) trained with Adam and a warm-up. It also set numbers to 0 by chance
# (*dropout*) and did not ask for full certainty (*label smoothing*). Our small task needs neither. The curve that
# shrinks to 0 like a cosine comes from Loshchilov and Hutter (2016).
#
# ## Exercises
#
# ### Exercise 1
#
# A number has the slope 2 at the first step and -2 at the second. Compute Adam's quotient for both, with the formulas of
# the fold above. How far does it go at the second step, if the learning rate is 0.004?

# %% tags=["answer"]
kept = (0.0, 0.0)
for step, slope in enumerate((2.0, -2.0), start=1):
    quotient, kept = by_adam(slope, kept, step)
    print(f"step {step}: quotient {quotient:.4f}, nudge {-0.004 * quotient:.6f}")
assert round(quotient, 3) == -0.053

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why so little?</summary>
#
# The two slopes contradict each other, so their mean is nearly 0. How large they are does not matter, since both means
# grow with them: with 200 and -200 the quotients are the same.
#
# </details>
#
# ### Exercise 2
#
# How far does one come without Adam? Put `keras.optimizers.SGD(0.1)`, which nudges plainly, in its place in the
# program. Is the loss after 100 steps larger than Adam's? Try 0.3 and 1, too.


# %% tags=["answer"]
def after_100_plain_steps(rate):
    keras.utils.set_random_seed(0)
    machine = Transformer(**dates.SIZES)
    machine.compile(keras.optimizers.SGD(rate), loss)
    machine.fit((x, y[:, :-1]), y[:, 1:], batch_size=64, verbose=0)
    given = (unseen_ids, right_ids[:, :-1])
    logits = machine.predict(given, batch_size=500, verbose=0)
    return float(loss(right_ids[:, 1:], logits))


plain_losses = {rate: after_100_plain_steps(rate) for rate in (0.1, 0.3, 1.0)}
for rate, value in plain_losses.items():
    print(f"learning rate {rate}: loss {value:.2f}")
assert min(plain_losses[0.1], plain_losses[0.3]) > 1.3 * adams_loss
assert not plain_losses[1.0] < plain_losses[0.3]

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Does it come as far?</summary>
#
# No: the best loss here is about twice Adam's. With 1 the numbers fly out of the valley, and what is left may be
# "nan", not a number.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("adam")

# %% [markdown]
# ```self-check
# ? Of two numbers one always has the slope 8, and the other always 0.02. How far does Adam nudge them, with a learning rate of 0.004?
# + both by 0.004 | 8 divided by 8 and 0.02 by 0.02 are 1, and what is left is the learning rate.
# - 0.032 and 0.00008 | These are plain nudges. Adam divides each by how large the slopes usually are.
# - the first one 400 times as far | Plain nudges go that far. Adam divides 8 by 8, and 0.02 by 0.02.
# ? All losses are multiplied by 1,000, and so are all slopes. What becomes of Adam's nudges?
# - They are 1,000 times as large. | So it would be with plain nudges.
# + Nothing. | Both means grow together, and their quotient stays as it is.
# - They become smaller, since Adam divides by the slopes. | It divides slopes by slopes.
# ? Why does a warm-up help most at the very beginning?
# - Because the loss is largest there. | A large loss could be a reason to hurry.
# + Probably because Adam has seen only one batch, and would move nearly all numbers by the whole learning rate. | Whether that direction is good for other texts, nobody knows yet.
# - Because the machine still has no numbers. | It has random ones.
# ```
#
# ## Where to go next
#
# In its training the machine was given the right letters so far. Nobody gives it these when it answers you. How does
# it write then?
#
# * [Writing](writing.py): how probabilities become an answer.
# * [Now you: Roman numerals](roman.py): train a machine of your own with this program.
#
# Read on elsewhere: Kingma and Ba (2014), [Adam](https://arxiv.org/abs/1412.6980); Vaswani and others (2017),
# [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 5; Reddi, Kale and Kumar (2018), [On the
# Convergence of Adam and Beyond](https://openreview.net/forum?id=ryQu7f-RZ).

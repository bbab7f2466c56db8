# ---
# title: Training
# description: How a Transformer is trained, from a valley and one nudge to the lines of the program; the loss by hand, Adam, and what the warm-up is for.
# slow: true
# ---

# %% [markdown]
# # How is it trained?
#
# At first the machine of all these lessons was 121,422 random numbers, and it read no date at all. A thousand times,
# each of its numbers was made a little larger or a little smaller. After that it read more than 99 dates of 100. Nobody
# had told it what a month is, or where to look.
#
# But which numbers had to become larger, and which smaller? To try out each one would take 121,422 trials, and that for
# the first of a thousand *steps*.
#
# First watch it learn. Here are its answers to six texts, kept at every 50th step, with the wrong letters underlined.
# What does it learn first: what a date looks like, or which date it is? Guess, and then move the slider.

# %% tags=["live", "hide-input"]
import re
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from live import touch
from trained.ablations import shares

model, record = trained.load("dates")
wanted = ["2018-05-03", "2018-05-03", "2018-05-03", "1960-12-22", "2001-03-09", ""]
diary = [answers.tolist() for answers in record["written"]]
first, early, last = (diary[i] for i in (0, 4, -1))
form = re.compile(r"(19|20)\d\d-\d\d-\d\d")
in_form = [all(form.fullmatch(answer) for answer in row[:5]) for row in diary]
assert min(shares("whole")) > 0.99  # as the text says
good = [sum(a == b for a, b in zip(row, wanted, strict=True)) for row in diary]
assert good[0] == 0
assert good[-1] >= 4
assert good[in_form.index(True)] < good[-1]  # the form comes before the letters
touch(
    "growth",
    f"<p>“5/3/2018” gives {first[1]} at the start, {early[1]} after 200 steps, and {last[1]} after 1,000.</p>",
    texts=record["diary"].tolist(),
    right=wanted,
    steps=[0, *record["steps"].tolist()],
    written=record["written"].tolist(),
    wrong=[round(float(share), 4) for share in record["wrong"]],
    now=0,
)

# %% [markdown]
# At first it writes whatever an answer can be made of, digits and dashes, in any order. By step 100 or so most answers
# look like dates, and most of them are wrong. So it first learns what an answer looks like. To find the right letters
# in the text takes longer. (The last text has no mark, because no text of the training had such a form. The curve
# counts wrong letters in the training itself, where the machine is always given the right letters so far.)
#
# The little change of a number is called a *nudge*. A nudge is good if it makes the machine less wrong, so we must
# first say *how* wrong it is. To count wrong letters will not do: a small nudge mostly changes no letter, and then the
# count says nothing.
#
# ## How wrong is it? By hand
#
# At each place of the answer the machine gives a probability to each letter that could come next. Only one of these
# matters here: the probability $p$ of the right letter. Say an answer has three letters, and the machine gives the
# right ones 0.9, 0.5 and 0.9. Then it gives the whole right answer the probability $0.9 \cdot 0.5 \cdot 0.9 = 0.405$.
#
# How much of this has each letter spoilt? From a product that is hard to see. So we take logarithms, which add up where
# probabilities multiply. The logarithm of a number below 1 is negative, and a minus sign in front makes a positive
# *price* of it. The three prices add up to $0.1054 + 0.6931 + 0.1054 = 0.9039$, which is $-\ln 0.405$. The doubtful
# letter pays most.
#
# The price $-\ln p$ is called the **loss** of the letter:

# %% tags=["hide-input"] alt="The loss of a letter against the probability of the right letter: a curve that falls steeply at first and then ever more gently. At a probability of 0.001 the loss is 6.91, at 1/14 it is 2.64, at 0.5 it is 0.69, at 0.9 it is 0.11 and at 1 it is 0."
import matplotlib.pyplot as plt
import numpy as np

figure, ax = plt.subplots(figsize=(5.2, 2.7), layout="constrained")
probability = np.linspace(0.0007, 1, 1500)
ax.plot(probability, -np.log(probability), color="#0072b2")
for p, says in (
    (0.001, "0.001: certain, and wrong"),
    (1 / 14, "1/14: all 14 equally probable"),
    (0.5, "0.5: in doubt"),
    (0.9, "0.9"),
    (1, "1: certain, and right"),
):
    ax.plot(p, -np.log(p), "o", color="#d55e00", clip_on=False)
    label = f"{says}\ncosts {-np.log(p):.3g}" if p < 1 else f"{says}\ncosts 0"
    place = (-14, 30) if p == 0.9 else (9, 2)
    ax.annotate(
        label, (p, -np.log(p)), place, textcoords="offset points", fontsize=9
    )
ax.set(xlim=(0, 1.25), ylim=(0, 7.4), xticks=np.linspace(0, 1, 6))
ax.set(xlabel="probability of the right letter", ylabel="loss")
ax.spines[["top", "right"]].set_visible(False)
ax.spines["bottom"].set_bounds(0, 1)
plt.show()

# %% [markdown]
# To be certain and right costs nothing, and to be certain and wrong costs a lot. The loss of a machine is the mean over
# all letters of all its answers. For our three letters it is $0.9039 / 3 = 0.301$. (In books this mean is also called
# the *cross-entropy*. Our answers are all of one length. Where answers are padded, the mean leaves the padding out.)
#
# An untrained machine cannot know which of the 14 ids is right (ten digits, the dash, and the marks for start, end and
# padding). Is its loss 2.639, as if it found all of them equally probable? Or is it less, or more? Guess first. Then
# two machines, an untrained one and ours, are given 2,000 unseen dates and the right letters so far. Their *logits*
# from the [lesson before](recap.py) become probabilities, and these become prices:

# %% tags=["hide-input"]
import keras
from clear_attention import (
    Transformer,
    create_date_pairs,
    date_tokenizers,
    greedy_search,
)
from trained import dates

source, target = date_tokenizers()
keras.utils.set_random_seed(0)
untrained = Transformer(**dates.SIZES)
untrained.build()

unseen, right = create_date_pairs(2000, seed=1, split="test")
unseen_ids, right_ids = source.encode(unseen, length=34), target.encode(right)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
for name, candidate in {"untrained": untrained, "trained": model}.items():
    logits = candidate.predict(
        (unseen_ids, right_ids[:, :-1]), batch_size=500, verbose=0
    )
    print(f"{name:10} loss {loss(right_ids[:, 1:], logits):.6f}")
print(f"all equally probable: {-np.log(1 / 14):.6f}")
assert loss(right_ids[:, 1:], logits) < 0.01
three = np.array([0.9, 0.5, 0.9])  # as the text says
assert round(-np.log(three).sum(), 4) == 0.9039 == round(-np.log(three.prod()), 4)

# %% tags=["live", "remove-input"]
from pathlib import Path

# The drawing's probabilities and prices, and how many numbers the machine has.
prices = -np.log(three)
drawn = Path("../diagrams/one_step.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number"[^>]*>([^<]+)<', drawn)
steps = [*three, *prices, prices.mean()]
np.testing.assert_allclose(np.array(drawn, float), steps, atol=5e-4)
assert untrained.count_params() == 121_422

# %% [markdown]
# The untrained machine has a larger loss than one that finds all ids equally probable. By chance it prefers some ids,
# and that costs more than it gains. If one of two letters gets 0.9 and the other 0.1, the loss is 0.105 or 2.303, which
# is 1.2 on average. With 0.5 and 0.5 it is always 0.69.
#
# ## A nudge
#
# How does a loss become smaller? Let us pretend for a moment that a machine has a single number $w$, and that its loss
# is $(w - 3)^2$. Drawn, this is a valley whose floor is at 3. Let $w$ be 1. There the loss is 4, and the slope of the
# valley, which is the derivative of the loss, is $2 (w - 3) = -4$. It is negative, so the valley goes down to the
# right.
#
# So $w$ is nudged against the slope, by a small share of it, say a tenth. That makes it $1 - 0.1 \cdot (-4) = 1.4$.
# There the loss is only 2.56, and the next nudge starts from there. The share is called the *learning rate*. Below you
# can choose it, and the dashed line shows the slope. Which learning rate is the fastest, and which is too large?

# %% tags=["live", "hide-input"]
from live import touch

assert round((3 * 1.01) ** 2, 2) == 9.18  # as the text below says
drawn = Path("../diagrams/walking_back.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number"[^>]*>([^<]+)<', drawn)
assert [float(x) for x in drawn] == [1, 3, 3**2, 3 * 2 * 3, 2 * 3, 1]
w = [1.0]
for _ in range(10):
    w.append(w[-1] - 0.1 * 2 * (w[-1] - 3))
touch(
    "nudge",
    f"<p>With a learning rate of 0.1, w goes {', '.join(f'{x:.2f}' for x in w[:4])} and so on; after ten nudges it is"
    f" {w[-1]:.2f}, and the loss is {(w[-1] - 3) ** 2:.3f}. With 1.1 it goes farther away each time.</p>",
    best=3,
    path=[1],
    rate=0.1,
)

# %% [markdown]
# With 0.5 one nudge is enough, because this valley is so simple. Above 0.5 each nudge jumps across to the other side,
# and above 1 it lands higher than where it began.
#
# ## All numbers at once
#
# Our machine has 121,422 such numbers, and each has a slope of its own. All slopes together are called the *gradient*.
# How can they be found without 121,422 trials? By walking backwards through the calculation, once.
#
# Let $w$ be multiplied by 3, and let the loss be the square of the result $r$. What is the slope of $w$ at $w = 1$?
# Read the upper row from left to right, and then the lower one from right to left:
#
# --8<-- "diagrams/walking_back.svg"
#
# Begin at the end. A small change of $r$ changes the loss by $2r$ times as much, because that is the slope of a square.
# Here this is 6. A small change of $w$ changes $r$ by 3 times as much. So it changes the loss by $3 \cdot 6 = 18$ times
# as much. Try it: $w = 1.01$ gives $3.03^2 = 9.18$, which is 0.18 more.
#
# However long the calculation is, each operation on the way back multiplies by one such factor. This is the *chain
# rule*, and one walk passes by all numbers of the machine. Where a number is used in several places, the slopes that it
# gets there add up. TensorFlow does all this for us.
#
# Then all numbers are nudged at once. That is one of the thousand steps. Here it is with a single text, and with the
# three probabilities and prices from above. Our machine takes the mean loss of 64 texts, which are called a *batch*:
#
# --8<-- "diagrams/one_step.svg"
#
# ## How it learns where to look { #where-to-look }
#
# The first lesson promised that the machine finds out by itself where to look. Now you can see how. Take a query whose
# scores with three keys are 2, 1 and 0. Its weights are 0.665, 0.245 and 0.090. Say that it should have looked at the
# *second* key, and let the loss be $-\ln 0.245 = 1.41$.
#
# The slope of each score turns out to be very simple. It is the weight of its key, and for the right key it is the
# weight less 1. (For with the scores $s_1$, $s_2$ and $s_3$ the loss is $\ln(e^{s_1} + e^{s_2} + e^{s_3}) - s_2$. The
# slopes of the logarithm are the weights, and the slope of $-s_2$ is -1.)
#
# $$
# (0.665, \quad 0.245 - 1, \quad 0.090) = (0.665, \; -0.755, \; 0.090)
# $$
#
# A nudge goes against the slopes. So the score of the right key rises, the scores of all others fall, and the one that
# wrongly got most falls most. With a learning rate of 1, the scores become 1.335, 1.755 and -0.090. How much of the
# weight does the right key have then, and how many nudges does it take to get nine tenths? Guess first.


# %%
def weights_of(scores):
    powers = np.exp(scores)
    return powers / powers.sum()


scores, right_key = np.array([2.0, 1.0, 0.0]), np.array([0, 1, 0])
slopes_of_scores = weights_of(scores) - right_key
print("slopes:", slopes_of_scores.round(3))
print("weights after one nudge:", weights_of(scores - slopes_of_scores).round(3))

# %% tags=["hide-input"] alt="Four bar charts of the weights of three keys. Before: 0.67, 0.24 and 0.09. After 1 nudge: 0.36, 0.55, 0.09. After 3: 0.14, 0.80, 0.05. After 7: 0.06, 0.91, 0.03. The bar of the second key, the right one, grows from panel to panel, and the first shrinks."
path = [scores]
for _ in range(7):
    path.append(path[-1] - (weights_of(path[-1]) - right_key))
shown = {"before": 0, "after 1 nudge": 1, "after 3 nudges": 3, "after 7 nudges": 7}
figure, axes = plt.subplots(
    1, 4, figsize=(5.2, 1.9), sharey=True, layout="constrained"
)
for ax, (title, n) in zip(axes, shown.items(), strict=True):
    colours = np.where(right_key, "#0072b2", "#bbbbbb")
    bars = ax.bar(["1", "2", "3"], weights_of(path[n]), color=colours)
    ax.bar_label(bars, fmt="%.2f", fontsize=8)
    ax.set_title(title, fontsize=9)
    ax.set(ylim=(0, 1.1), yticks=[])
    ax.spines[["top", "right", "left"]].set_visible(False)
axes[0].set_ylabel("weight")
figure.supxlabel("key (the second is the right one)", fontsize=9)
plt.show()
assert weights_of(path[6])[1] < 0.9 < weights_of(path[7])[1]

# %% tags=["live", "remove-input"]
for j in range(3):  # a small change of each score, and what becomes of the loss
    nudged = -np.log(weights_of(scores + 1e-6 * (np.arange(3) == j))[1])
    slope = (nudged + np.log(weights_of(scores)[1])) / 1e-6
    np.testing.assert_allclose(slope, slopes_of_scores[j], atol=1e-5)
np.testing.assert_allclose(
    weights_of(scores - slopes_of_scores)[1], 0.551, atol=5e-4
)

# %% [markdown]
# One nudge gives it more than half, and seven give it nine tenths. The last ones change less and less, because the
# slopes themselves become small.
#
# A score is a product of query and key. So, one operation further back, the nudge adds keys to the *query*: 0.755 times
# the second key, and -0.665 and -0.090 times the others. (The fixed divisor of the scores makes all three smaller.) So
# the query turns towards the right key. Further back still, the matrices that make queries and keys are nudged in the
# same way. In the machine nobody says which key is right. The loss asks for a letter, and its slope comes back through
# the values: a key was right if its value helped to make the right letter more probable.
#
# ## Adam
#
# Real valleys are less kind. Here is one with two numbers, seen from above. A ring joins places of equal loss, and the
# cross is the lowest point. The valley is a hundred times as steep across as along. Sixty plain nudges begin on the
# left, where the loss is 80. Can you find a learning rate on the slider with which they bring it below 0.5?


# %% tags=["live", "hide-input"]
def sixty(nudge, rate, steep):
    slopes, w = np.array([1.0, steep]), np.array([-4.0, 1.2])
    kept = (0.0, 0.0)
    for step in range(1, 61):
        change, kept = nudge(slopes * w, kept, step)
        w = w - rate * change
    return float((slopes @ w**2) / 2)


def plain(slope, kept, step):
    return slope, kept


def adam(slope, kept, step):
    mean, square = 0.9 * kept[0] + 0.1 * slope, 0.98 * kept[1] + 0.02 * slope**2
    usual = np.sqrt(square / (1 - 0.98**step))
    return mean / (1 - 0.9**step) / usual, (mean, square)


small, large = (0.005, 0.01, 0.015, 0.019, 0.02, 0.021), (0.05, 0.1, 0.2, 0.5, 1)
with np.errstate(over="ignore"):
    best = min(sixty(plain, rate, 100) for rate in (*small, *large))
assert 0.7 < best < 0.9
assert all(sixty(adam, rate, 100) < best / 5 for rate in (0.2, 0.5, 1))
assert sixty(plain, 0.021, 100) > 1e3
assert sixty(plain, 1, 1) == 0
touch(
    "valley",
    f"<p>At the start the loss is 80. Sixty plain nudges bring it down to {best:.2f} at best; with a learning rate of"
    f" 0.021 they fly out of the valley. Adam, with 0.2, brings it down to {sixty(adam, 0.2, 100):.2f}.</p>",
    start=[-4, 1.2],
    how="plain",
    plain=3,
    adam=8,
    steep=3,
    both=False,
)

# %% [markdown]
# There is none. Plain nudges jump across the valley, to and fro. At 0.02 they hardly come down, above it they fly out,
# and below it they only creep along the floor. A learning rate that is small enough for the steep direction is much too
# small for the other one. Only where the valley is round (steeper 1 time) does one learning rate suit both: 1, with
# which a single nudge arrives.
#
# Now press "Adam". **Adam** keeps two means for each number of the machine: one of its last slopes, and one of how
# large they usually are. It nudges by the first, divided by the second. So every number gets a nudge of about the same
# size, whether its slopes are small or large, and the learning rate now *is* that size. Change the steepness, and
# Adam's path stays as it is. Most Transformers are trained with Adam or a relative of it.
#
# But how do nudges of one size come to rest? Beyond the floor the slopes have the other sign, so the first mean becomes
# smaller, and with it the nudge. (Such a mean is slow to turn, which is why Adam swings past the cross.) And in the
# program below the learning rate shrinks to 0 on the way.
#
# ## One step, in code
#
# Here is one step of the untrained machine, with a plain nudge. `text_ids` holds 64 texts, and `answer_ids` the right
# answers. The decoder is given the answers without their last id, which is `[:, :-1]`, and must say them without their
# first, which is `[:, 1:]`: [one place further](causal.py#one-date-is-eleven-examples). The cell computes the loss,
# takes a tenth of its slope away from each number, and computes the loss of the same dates again:

# %%
import tensorflow as tf

texts, answers = create_date_pairs(64)
text_ids, answer_ids = source.encode(texts, length=34), target.encode(answers)
numbers = untrained.trainable_variables

with tf.GradientTape() as tape:  # it watches, to be able to walk backwards
    now = loss(answer_ids[:, 1:], untrained((text_ids, answer_ids[:, :-1])))
slopes = tape.gradient(now, numbers)
for number, slope in zip(numbers, slopes, strict=True):
    # the slopes of an embedding come in a short form
    number.assign_sub(0.1 * tf.convert_to_tensor(slope))

after = loss(answer_ids[:, 1:], untrained((text_ids, answer_ids[:, :-1])))
print(f"loss {now:.3f}, and after one nudge {after:.3f}")

# %% tags=["remove-input"]
assert after < now - 0.2

# %% [markdown]
# One nudge has made the loss smaller. (It did not begin at quite the loss printed above, because the dates are others.)
#
# ## The program
#
# Now do this a thousand times, with Adam for the nudge, and each time with 64 examples that are drawn anew. There are
# 29,220 dates to draw from, and many ways to write each. So in 64,000 examples each date comes about twice, mostly in
# another form, and there is little to learn by heart. (The unseen dates of the tests are never among them: one date in
# five of the century is kept out.)
#
# This is the program that trained our machine. Only `STEPS` is smaller here, so that you need not wait. (With fewer
# steps other examples are drawn, so the answers are not quite those of the slider at step 100.) `compile` tells the
# model what is to be made small, and by which method. `fit` hands it one batch of 64 after the other: what goes in,
# which is the texts *and* the answers that the decoder is given, and what should come out. `from_logits=True` says that
# the loss has to do the softmax itself. What will the machine write after a tenth of its training?

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
print(f"loss {loss(right_ids[:, 1:], logits):.3f}")
texts = record["diary"][:5].tolist()
written = target.decode(greedy_search(machine, source.encode(texts, length=34), 11))
for text, answer in zip(texts, written, strict=True):
    print(f"{text:24} {answer}")

# %% tags=["live", "remove-input"]
import inspect

from trained import recipes

program, inside = inspect.getsource(dates.train), inspect.getsource(recipes.fit)
assert "fit(model, (x, y[:, :-1]), y[:, 1:], " in program  # the same program
assert "peak=4e-3, warmup=150, beta_2=0.98" in program
assert (
    "CosineDecay(0.0, steps - warmup, warmup_target=peak, warmup_steps=warmup)"
    in inside
)
assert "SparseCategoricalCrossentropy(from_logits=True)" in inside
assert (dates.STEPS, dates.BATCH) == (1000, 64)
assert loss(right_ids[:, 1:], logits) < 1  # as the text says
curve = [float(rate(step)) for step in (75, 150, 575, 1000)]
np.testing.assert_allclose(curve, [0.002, 0.004, 0.002, 0], atol=1e-6)

# %% [markdown]
# The loss is no longer 3 but far below 1, and the answers begin to look like dates. The other 900 steps are for the
# right letters. Run the cell with 1,000 in place of 100, and you have trained a machine like ours yourself.
#
# ## Warm-up
#
# One line of the program is strange: `rate` is a curve and not a number. It begins at 0 and grows for 150 steps, up to
# 0.004. Then it shrinks for 850 steps, down to 0 again, so that the machine can settle. (The 100 steps above end while
# it still grows.)
#
# The growing is called **warm-up**. Why not begin with the full learning rate? Two reasons are given. At the start Adam
# has means of only a few slopes. So it divides by a poor estimate, and every number takes a full step in a direction
# that is hardly known (Liu and others, 2020). And where the norms stand behind the parts, as in ours, large first steps
# can push a machine to a place from which it does not come back. ([A later lesson](norm_first.py) puts the norms before
# the parts.)
#
# Does our machine need it? We train it in four ways, with and without warm-up, and with a learning rate as large as
# ours or two and a half times as large:

# %% tags=["hide-input"] alt="Four curves of the learning rate over 1,000 steps. Whole: up from 0 to 0.004 in 150 steps, then down to 0. No warm-up: from 0.004 down to 0. Larger nudges: up to 0.010, then down. Larger nudges, no warm-up: from 0.010 down to 0."
ways = {
    "whole": (0.004, 150),
    "no warm-up": (0.004, 1),
    "larger nudges": (0.01, 150),
    "larger nudges, no warm-up": (0.01, 1),
}
figure, axes = plt.subplots(
    2, 2, figsize=(5.2, 3), sharex=True, sharey=True, layout="constrained"
)
for ax, (name, (peak, warmup)) in zip(axes.flat, ways.items(), strict=True):
    curve = keras.optimizers.schedules.CosineDecay(
        0.0, 1000 - warmup, warmup_target=peak, warmup_steps=warmup
    )
    steps = np.array([0, 1, *range(10, 1001, 10)])
    rates = [float(curve(step)) for step in steps]
    ax.fill_between(steps, rates, color="#0072b2", alpha=0.15)
    ax.plot(steps, rates, color="#0072b2")
    ax.set_title(f"{name} (ours)" if name == "whole" else name, fontsize=9)
    ax.set(yticks=[0, 0.004, 0.01], xticks=[0, 150, 500, 1000], ylim=(0, 0.011))
    ax.spines[["top", "right"]].set_visible(False)
figure.supxlabel("step", fontsize=9)
figure.supylabel("learning rate", fontsize=9)
plt.show()

# %% [markdown]
# Each is done three times, from other random numbers. Which of the four spoils the machine, and how much? Guess before
# you look.
#
# <details class="lesson-more" markdown="1"><summary>How many of 2,000 unseen dates each reads</summary>

# %% tags=["hide-input"]
for name in ways:
    print(f"{name:26}", "   ".join(f"{share:.2%}" for share in shares(name)))
assert max(shares("larger nudges, no warm-up")) < min(shares("larger nudges"))

# %% [markdown]
# Each line has three trainings. With nudges as large as ours, machines without a warm-up are nearly as good, and at
# worst a few dates in a hundred are lost. With larger nudges and no warm-up, about half of the dates are lost. So a
# warm-up allows larger nudges. Our machine gains nothing by these. In a large one, whose training takes months, they
# can save time.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>More choices: beta_2, a factor of 8, and smoothed labels</summary>
#
# * **`beta_2=0.98`**. Adam's second mean is one of the squares of the slopes, and Adam divides by its root. `beta_2`
#   says how long the second mean remembers. With 0.98 it remembers about the last 1 / (1 - 0.98) = 50 steps, and with
#   the usual 0.999 about the last 1,000.
# * **The factor** is $\sqrt{d_{\text{model}}}$, here √64 = 8. The model multiplies its embeddings by it. Their
#   numbers start small. Without the factor, the positions that are added would at first be much larger than they.
#
# Three machines with the usual `beta_2`, three without the factor, and again the shares of unseen dates that are read
# right:

# %% tags=["hide-input"]
for name in ("whole", "beta_2 of 0.999", "no factor"):
    print(f"{name:26}", "   ".join(f"{share:.2%}" for share in shares(name)))
    assert min(shares(name)) > 0.99

# %% [markdown]
# Neither choice shows here. In larger machines they may matter.
#
# A third choice is not in our program. With **label smoothing**, the right letter should get 0.9 and not 1, and all
# letters share the last tenth. The authors of the first Transformer report that it made the loss larger, because the
# machine becomes less sure, and the translations better.
#
# </details>
#
# ## Who found this, and when
#
# Cauchy (1847) wanted to solve many equations at once, such as those for the orbit of a planet, and went down a slope
# step by step. Linnainmaa (1970) asked how rounding errors add up in a long calculation, and found that one walk
# backwards gives all slopes. Rumelhart, Hinton and Williams (1986) trained networks by such a walk, and showed that
# numbers inside come to stand for something that nobody had told them.
#
# Kingma and Ba (2014) published Adam with a proof that it comes to rest. Four years later Reddi, Kale and Kumar found a
# mistake in the proof, and an example with a single number in which Adam walks to the worst place there is. People use
# it all the same. And the first Transformer (2017) has a warm-up, with hardly a word about why. Xiong and others (2020)
# found the reason that lies in the norms.
#
# ## Exercises
#
# ### Exercise 1
#
# The loss of the trained machine is printed above. If every letter had that loss, what probability would the machine
# give a right letter? And eleven in a row, which are the ten letters of a date and the end mark?

# %% tags=["answer"]
logits = model.predict((unseen_ids, right_ids[:, :-1]), batch_size=500, verbose=0)
mean = float(loss(right_ids[:, 1:], logits))
print(f"loss {mean:.6f}")
print(f"one letter: {np.exp(-mean):.4f}, eleven: {np.exp(-11 * mean):.4f}")
right_letters = np.argmax(logits, axis=-1) == right_ids[:, 1:]
print(f"share of right dates: {np.mean(np.all(right_letters, axis=1)):.4f}")

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Is that the share of right dates?</summary>
#
# Not quite: more dates are right. Our machine writes a letter if it is the *most* probable one, and for that 0.6 is as
# good as 0.999.
#
# </details>
#
# ### Exercise 2
#
# Take the step above again, from the same random numbers, with learning rates of 0.01, 0.1, 0.3 and 1 for the nudge.
# Which of them makes the loss smallest, and what do the large ones do? Guess first.


# %% tags=["answer"]
def after_one_nudge(rate):
    keras.utils.set_random_seed(0)
    machine = Transformer(**dates.SIZES)
    machine.build()
    numbers = machine.trainable_variables
    with tf.GradientTape() as tape:
        now = loss(answer_ids[:, 1:], machine((text_ids, answer_ids[:, :-1])))
    for number, slope in zip(numbers, tape.gradient(now, numbers), strict=True):
        number.assign_sub(rate * tf.convert_to_tensor(slope))
    return float(loss(answer_ids[:, 1:], machine((text_ids, answer_ids[:, :-1]))))


losses = {rate: after_one_nudge(rate) for rate in (0.01, 0.1, 0.3, 1.0)}
for rate, value in losses.items():
    print(f"learning rate {rate:4}: loss {value:.2f}")
assert min(losses, key=losses.get) == 0.1
assert losses[1.0] > losses[0.3] > now

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# It is as in the valley. A small nudge goes down a little. A large one jumps across the valley and lands higher than
# where it began. There is also a second reason. A slope says what happens if one number is nudged and the others stay
# where they are, but 121,422 numbers are nudged at once. The larger the nudges, the less each slope still holds.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("training")

# %% [markdown]
# ```self-check
# ? What does Adam do that a plain nudge does not?
# - It finds the slopes. | TensorFlow finds them for both, by walking backwards through the calculation.
# - It adds a warm-up. | The warm-up is a curve of the learning rate. It can be combined with any kind of nudge.
# + It makes the nudges of all numbers about equally large. | It divides each number's nudge by how large the slopes of this number usually are.
# ? One machine always gives the right letter a probability of 0.9. Another one gives it 0.999 and 0.5 in turn. Whose mean loss is larger?
# - the first's, since it is never sure | Its loss is 0.105 everywhere. The other's is 0.001 and 0.693 alternately.
# + the second's | Its mean is 0.347. The loss punishes one bad doubt more than it rewards certainty.
# - both are equal | Not even the mean probabilities are: 0.9 and 0.75.
# ? The loss of a machine with 14 ids is 2.64 and does not fall. What has it learnt?
# + nothing, or at most to prefer no id | 2.639 is the loss of a machine that finds all 14 ids equally probable. Ours began a little above it.
# - the form of a date, but not its letters | Whoever knows where the dashes stand has a smaller loss: a dash costs it nothing.
# - nearly everything, since a loss near 3 is small | A machine that gives every right letter a probability of 0.9 has a loss of 0.105.
# ```
#
# ## Where to go next
#
# You can now build this machine and train it. In its training it was always given the right letters so far. When it
# answers you, nobody gives it these. How does it write an answer then?
#
# * [Writing](writing.py): how probabilities become an answer.
# * [Use it in a model of your own](../guides/use_it.py).
# * [Reference: transformer](../reference/transformer.md): every argument.
#
# Read on elsewhere: Rumelhart and others (1986), [Learning Representations by Back-Propagating
# Errors](https://doi.org/10.1038/323533a0); Kingma and Ba (2014), [Adam](https://arxiv.org/abs/1412.6980); Vaswani and
# others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 5.

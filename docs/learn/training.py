# ---
# title: Training
# description: How a Transformer is trained. The loss by hand, a nudge, one walk backwards for all slopes, and how a machine learns where to look.
# slow: true
# ---

# %% [markdown]
# # How is it trained?
#
# At first the machine of all these lessons was 121,422 numbers, most of them drawn at random, and it read no date at
# all. A thousand times, nearly every one of them was made a little larger or smaller. Then it read more than 99 dates
# of 100.
#
# **Let it learn, and watch the wrong letters, which are underlined.** What comes first, the form of a date or the right
# date?

# %% tags=["live", "hide-input"]
import re
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import keras
import numpy as np
import trained
from clear_attention import Transformer, create_date_pairs, date_tokenizers
from live import touch
from trained import dates
from trained.ablations import shares

model, record = trained.load("dates")
wanted = ["2018-05-03", "2018-05-03", "2018-05-03", "1960-12-22", "2001-03-09"]
diary = [answers.tolist() for answers in record["written"]]
first, early, last = (diary[i] for i in (0, 4, -1))
assert (record["steps"][3], record["steps"][-1]) == (200, 1000)  # as the text says
form = re.compile(r"(19|20)\d\d-\d\d-\d\d")
in_form = [all(form.fullmatch(answer) for answer in row[:5]) for row in diary]
assert min(shares("whole")) > 0.99  # as the text says
good = [sum(a == b for a, b in zip(row[:5], wanted, strict=True)) for row in diary]
assert good[0] == 0
assert good[-1] >= 4
assert good[in_form.index(True)] < good[-1]  # the form comes before the letters

# The training counts wrong letters from its first step on; here is the share before it.
keras.utils.set_random_seed(0)
random = Transformer(**dates.SIZES)
source, target = date_tokenizers()
texts, answers = create_date_pairs(2000, seed=1, split="test")
x, y = source.encode(texts, length=34), target.encode(answers)
guessed = random.predict((x, y[:, :-1]), batch_size=500, verbose=0).argmax(axis=-1)
wrong = [np.mean(guessed != y[:, 1:]), *record["wrong"]]
assert wrong[0] > 0.9
touch(
    "growth",
    f"<p>“5/3/2018” gives {first[1]} at the start, {early[1]} after 200 steps, and {last[1]} after 1,000.</p>",
    texts=record["diary"].tolist()[:5],
    right=wanted,
    steps=[0, *record["steps"].tolist()],
    written=[answers[:5] for answers in diary],
    wrong=[round(float(share), 4) for share in wrong],
    now=0,
)

# %% [markdown]
# **In these five texts the form mostly comes first, and only then the right date.** But which numbers had to become
# larger, and which smaller? To try each number by itself would take 121,422 trials, and that only for the first of a
# thousand *steps*.
#
# ## How wrong is it? By hand
#
# How do we tell whether a change helps? Counting wrong letters is too coarse: a small change of one number mostly
# changes no letter at all. But it changes how probable the right letters are.
#
# Suppose the right letters of an answer get the probabilities 0.9, 0.5 and 0.9. Then the whole right answer has $0.9
# \cdot 0.5 \cdot 0.9 = 0.405$. How much does each letter cost us? The probabilities multiply, but their logarithms add
# up. With a minus sign each logarithm is the *price* of a letter:
#
# $$
# 0.1054 + 0.6931 + 0.1054 = 0.9039 = -\ln 0.405
# $$
#
# If $p$ is the probability of the right letter, the price $-\ln p$ is called its **loss**:

# %% tags=["hide-input"] alt="The loss of a letter against the probability of the right letter: a curve that falls steeply at first and then ever more gently. At a probability of 0.001 the loss is 6.91, at 1/14 it is 2.64, at 0.5 it is 0.69, at 0.9 it is 0.11 and at 1 it is 0. Two ticks show the mean loss of our machine: 3.02 untrained, and 0.0009 trained."
import matplotlib.pyplot as plt
import numpy as np

figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
probability = np.linspace(0.0007, 1, 1500)
ax.plot(probability, -np.log(probability), color="#0072b2")
for p, says in (
    (0.001, "0.001: certain, and wrong"),
    (1 / 14, "1/14: all 14 signs equally probable"),
    (0.5, "0.5: in doubt"),
    (0.9, "0.9"),
    (1, "1: certain, and right"),
):
    ax.plot(p, -np.log(p), "o", color="#d55e00", clip_on=False)
    label = f"{says}\ncosts {-np.log(p):.3g}" if p < 1 else f"{says}\ncosts 0"
    if p in (0.5, 0.9):  # above the curve, with a thin line down to the point
        line = {"arrowstyle": "-", "color": "#80808080", "shrinkB": 4}
        place, how = (p - 0.05, 1.15 if p == 0.5 else 0.95), {"arrowprops": line}
    else:
        place, how = (9, 0), {"textcoords": "offset points"}
    ax.annotate(label, (p, -np.log(p)), place, fontsize=9, **how)
untrained_loss, trained_loss = 3.02, 0.0009  # the next cell computes them
for name, height, place in (
    ("untrained", untrained_loss, (0.09, 3.9)),
    ("trained", trained_loss, (1.05, -0.75)),
):
    at = np.exp(-height)
    ax.plot([at, at], [height - 0.3, height + 0.3], color="#009e73", lw=3)
    ax.text(*place, f"{name}: {height}", color="#009e73", fontsize=9)
ax.set(xlim=(0, 1.25), ylim=(0, 7.4), xticks=np.linspace(0, 1, 6))
ax.set(xlabel="probability of the right letter", ylabel="loss")
ax.spines[["top", "right"]].set_visible(False)
ax.spines["bottom"].set_bounds(0, 1)
plt.show()

# %% [markdown]
# **A machine pays little for being in doubt, and a lot for being certain and wrong.**
#
# The loss of a machine, also called *cross-entropy*, is the mean over all letters. The green bars stand at the height
# of this mean for our machine, on 2,000 dates that were kept out of its training: 3.02 before it, and 0.0009 after.
# **Training lowers the loss on the dates that the machine is shown, and we hope that it falls on all others, too.**
# Here it did.
#
# So we know what should fall. How do we make it fall?
#
# <details class="lesson-more" markdown="1"><summary>For the curious: worse than undecided</summary>

# %% tags=["hide-input"]
import keras
from clear_attention import (
    Transformer,
    create_date_pairs,
    date_tokenizers,
)
from trained import dates

source, target = date_tokenizers()
keras.utils.set_random_seed(0)
untrained = Transformer(**dates.SIZES)
untrained.build()

unseen, right = create_date_pairs(2000, seed=1, split="test")
unseen_ids, right_ids = source.encode(unseen, length=34), target.encode(right)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
drawn = {"untrained": untrained_loss, "trained": trained_loss}
for name, candidate in {"untrained": untrained, "trained": model}.items():
    logits = candidate.predict(
        (unseen_ids, right_ids[:, :-1]), batch_size=500, verbose=0
    )
    print(f"{name:10} loss {loss(right_ids[:, 1:], logits):.6f}")
    found = float(loss(right_ids[:, 1:], logits))
    assert float(f"{found:.3g}" if found > 1 else f"{found:.1g}") == drawn[name]

# %% tags=["live", "remove-input"]
from pathlib import Path

# The text's numbers and the drawings', and how many numbers the machine has.
prices = -np.log([0.9, 0.5, 0.9])
np.testing.assert_allclose(prices, [0.1054, 0.6931, 0.1054], atol=5e-5)
np.testing.assert_allclose([prices.sum(), -np.log(0.405)], 0.9039, atol=5e-5)
drawn = Path("../diagrams/matrix_back.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number"[^>]*>([^<]+)<', drawn.replace("−", "-"))
slopes_out, came_in = np.array(drawn[:2], float), np.array(drawn[2:4], float)
assert [*came_in, *slopes_out] == [1, 3, 6, -2]
assert np.outer(came_in, slopes_out).ravel().tolist() == [
    float(x) for x in drawn[4:]
]
assert untrained.count_params() == 121_422

# %% [markdown]
# Before its training the machine is even worse than undecided, which would cost 2.64. Its random numbers make it a
# little sure of one letter, and mostly that is a wrong one.
#
# </details>
#
# ## A nudge
#
# Let a machine be one number, $w$, and its loss $(w - 3)^2$, a valley with its floor at 3. Its slope, the derivative,
# is $2 (w - 3)$, and at $w = 1$ this is $-4$: a step of 0.01 to the right takes 0.04 off the loss. So the ground falls
# to the right. We *nudge* $w$: we move it against the slope, by a share of the slope. This share is the *learning
# rate*. With a tenth, $w$ becomes $1 - 0.1 \cdot (-4) = 1.4$.
#
# **Nudge with a learning rate of 1.** Then find the rate that needs just one.

# %% tags=["live", "hide-input"]
w = [1.0]
for _ in range(10):
    w.append(w[-1] - 0.1 * 2 * (w[-1] - 3))
touch(
    "nudge",
    f"<p>With a learning rate of 0.1, w goes {', '.join(f'{x:.2f}' for x in w[:4])} and so on; after ten nudges it is"
    f" {w[-1]:.2f}, and the loss is {(w[-1] - 3) ** 2:.3f}. With 1.1 it goes farther away each time.</p>",
    best=3,
    path=[1],
    rate=1,
)

# %% [markdown]
# With 1, $w$ jumps from 1 to 5 and back for ever. With a half it is at the floor at once. **The slope says which way to
# go, and how steep it is. The learning rate says how much of the slope to take.**
#
# ## All numbers at once
#
# For one number that was easy. But our machine has 121,422, each with a slope of its own. All of them come from one
# walk, which begins at the loss and goes backwards through the calculation. Each operation has a factor: if what goes
# in grows by 0.01, the result grows by nearly 0.01 times this factor. Squaring a 4 has the factor $2 \cdot 4 = 8$. On
# the way back we multiply by each factor that we pass.
#
# **Walk back yourself, factor by factor, and then nudge.** Here $r = x \cdot w + b$, with an input $x$ and two numbers,
# $w$ and $b$, and the loss is $r^2$:

# %% tags=["live", "hide-input"]
w, x, b = 2, 3, -1
r = x * w + b
slope_of_r = 2 * r
slope_of_w = x * slope_of_r
nudged = x * (w - 0.02 * slope_of_w) + (b - 0.02 * slope_of_r)
assert round(nudged, 6) == 3
touch(
    "backwards",
    f"<p>With w = {w}, x = {x} and b = {b}, r is {r} and the loss is {r**2}. Backwards: the square makes 2 · {r} ="
    f" {slope_of_r} of the slope 1, the sum hands {slope_of_r} on to b and to x · w, and the product makes {x} ·"
    f" {slope_of_r} = {slope_of_w} of it for w. A nudge of both by 0.02 of their slopes brings the loss down to"
    f" {nudged**2:.0f}.</p>",
    w=w,
    x=x,
    b=b,
    done=0,
    missed="",
    before=None,
)

# %% [markdown]
# **One walk gave the slopes of both numbers, and in our machine one walk gives all 121,422.** That costs only about as
# much as computing two or three losses, because the numbers share most of the way, and each piece of it is walked only
# once. Nobody has to try a single number. Linnainmaa found it in 1970, when he asked how rounding errors add up in a
# long calculation.
#
# To multiply factor by factor is the *chain rule*, and the whole walk is called *backpropagation*. All slopes together
# are the *gradient*, and to nudge all numbers against them is *gradient descent*. In 1986 Rumelhart, Hinton and
# Williams trained networks by such walks, and saw that inner numbers came to stand for something in the task, such as
# the generation that a person of a family belongs to. Nobody had told them to.
#
# Does it work for real? We took our untrained machine, and 64 texts at once, a *batch*. **One walk back, one nudge for
# each number, and the machine's loss fell from 3.0 to 2.6.** A training repeats this, each time with 64 other texts.
# Chat programs begin in the same way, with pieces of words in place of letters, and billions of numbers.
#
# <details class="lesson-more" markdown="1"><summary>This walk and this nudge, in a few lines</summary>
#
# The decoder gets the answers without their last id, `[:, :-1]`, and what it must say stands [one place
# further](causal.py#one-date-is-eleven-examples), `[:, 1:]`:

# %%
import tensorflow as tf

texts, answers = create_date_pairs(64)
text_ids, answer_ids = source.encode(texts, length=34), target.encode(answers)
numbers = untrained.trainable_variables

with tf.GradientTape() as tape:  # it watches, to be able to walk backwards
    now = loss(answer_ids[:, 1:], untrained((text_ids, answer_ids[:, :-1])))
slopes = tape.gradient(now, numbers)
for number, slope in zip(numbers, slopes, strict=True):
    # a tenth of its slope; those of an embedding come in a short form
    number.assign_sub(0.1 * tf.convert_to_tensor(slope))

after = loss(answer_ids[:, 1:], untrained((text_ids, answer_ids[:, :-1])))
print(f"loss {now:.3f}, and after one nudge {after:.3f}")

# %% tags=["live", "remove-input"]
np.testing.assert_allclose([now, after], [3.003, 2.625], atol=0.005)

# %% [markdown]
# Every letter uses the numbers of $W_K$. A number that is used several times adds up what comes back from each place.
# But is such a slope right? In Exercise 2 you test one.
#
# </details>
#
# ## How it learns where to look { #where-to-look }
#
# Nobody tells our machine which key is the right one. How does it learn that?
#
# Here a query mixes the values of three keys, and the loss is the square of the distance from the mixture to a flag.
# The arrow of a key shows its *effect*: how the mixture would move if this key got a little more score. So a nudge
# raises the scores of the keys that pull towards the flag, and lowers the others.
#
# **Nudge, and watch the key b, the heaviest one.** Why does its arrow turn round? Then start again, and move b so that
# it loses weight at the first nudge.

# %% tags=["live", "hide-input"]
from date_machine import tabled


def shares_of(scores):
    return np.exp(scores) / np.exp(scores).sum()


def pulls_of(scores, values):
    """Return by how much the mixture moves for each score that rises."""
    share = shares_of(scores)
    return share * (values - share @ values)


keys, values, flag, rate = "abc", np.array([0.1, 0.65, 0.95]), 0.9, 6.0
path = [np.array([0.0, 1.0, 0.0])]
for nudged, pulled in zip(1e-6 * np.eye(3), pulls_of(path[0], values), strict=True):
    moved = (shares_of(path[0] + nudged) - shares_of(path[0])) @ values
    np.testing.assert_allclose(moved / 1e-6, pulled, atol=1e-5)
for _ in range(6):  # the loss is the square of the distance from the flag
    mixture = shares_of(path[-1]) @ values
    path.append(path[-1] + rate * 2 * (flag - mixture) * pulls_of(path[-1], values))
of_c = shares_of(path[0])[2], values[2], shares_of(path[0]) @ values
np.testing.assert_allclose(of_c, [0.21, 0.95, 0.60], atol=5e-3)
assert round(pulls_of(path[0], values)[2], 2) == 0.07  # as the text says
off = shares_of(path[0]) @ values - flag
by_factors = 2 * off * pulls_of(path[0], values)
for score, slope in zip(np.eye(3), by_factors, strict=True):
    tried = shares_of(path[0] + 1e-6 * score) @ values - flag
    np.testing.assert_allclose((tried**2 - off**2) / 1e-6, slope, atol=1e-5)
assert by_factors[2] < 0  # of c, as the text says
of_b = [shares_of(scores)[1] for scores in path]
assert of_b[0] == max(shares_of(path[0]))
assert of_b[1] > of_b[0]  # at first it gains
assert of_b[6] < of_b[5]
assert shares_of(path[6]) @ values > 0.65
low = np.array([0.1, 0.3, 0.95])  # with b on the other side of the mixture
assert pulls_of(path[0], low)[1] < 0 < flag - shares_of(path[0]) @ low
columns = (
    values,
    shares_of(path[0]),
    pulls_of(path[0], values),
    shares_of(path[1]),
)
touch(
    "pull",
    f"<p>Three keys, whose mixture is {shares_of(path[0]) @ values:.2f}, and should be {flag}:</p>"
    + tabled(
        ("key", "value", "weight", "effect", "weight after a nudge"),
        [
            (key, *(f"{x:.2f}" for x in row))
            for key, *row in zip(keys, *columns, strict=True)
        ],
    ),
    names=list(keys),
    scores=path[0].tolist(),
    values=values.tolist(),
    flag=flag,
    rate=rate,
    nudges=0,
    before=None,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# At first b pulls the mixture towards the flag. But as soon as the mixture has passed the value of b, b pulls it back,
# and loses weight. If the value of b lies left of the mixture from the start, b loses weight at once.
#
# </details>
#
# **No key is right in itself: b helped until the mixture had passed it, and then it was in the way.** Our machine has
# no flag, but the slope that comes back from the layers above says which way the mixture should move. So the same walk
# teaches it where to look.
#
# <details class="lesson-more" markdown="1"><summary>How hard does a key pull? And what of a matrix?</summary>
#
# **The effect** of a key is how far the mixture moves, for each unit of score. A heavy key pulls hard, and so does one
# whose value is far away:
#
# $$
# \text{effect} = \text{weight} \cdot (\text{value} - \text{mixture})
# $$
#
# For c, at the start, it is $0.21 \cdot (0.95 - 0.60) = 0.07$.
#
# Why is it so? If a score rises by 0.01, the weight of its key grows by about a hundredth of itself, and then the
# softmax divides by the new sum of all weights:
#
# $$
# \frac{\text{mixture} + 0.01 \cdot \text{weight} \cdot \text{value}}{1 + 0.01 \cdot \text{weight}}
# \approx \text{mixture} + 0.01 \cdot \text{weight} \cdot (\text{value} - \text{mixture})
# $$
#
# **The slope** of a score is again a product of factors. The square has the factor $2 \cdot (\text{mixture} -
# \text{flag})$, and from a score to the mixture the factor is the effect:
#
# $$
# \text{slope} = 2 \cdot (\text{mixture} - \text{flag}) \cdot \text{effect}
# $$
#
# At the start the mixture lies below the flag, so the slope of c is negative, and a nudge raises its score.
#
# **A matrix** is many products at once. So the slope of each of its numbers is what came in, times the slope of what
# came out. Here 1 and 3 came in:
#
# --8<-- "diagrams/matrix_back.svg"
#
# </details>
#
# ## Exercises
#
# ### Exercise 1
#
# The trained machine has a mean loss of 0.000878. If every letter had just this loss, how probable would a right letter
# be? And eleven of them in a row, the ten letters of a date and the end mark?

# %% tags=["answer"]
logits = model.predict((unseen_ids, right_ids[:, :-1]), batch_size=500, verbose=0)
mean = float(loss(right_ids[:, 1:], logits))
print(f"loss {mean:.6f}")
assert round(mean, 6) == 0.000878  # as the exercise says
print(f"one letter: {np.exp(-mean):.4f}, eleven: {np.exp(-11 * mean):.4f}")
right_letters = np.argmax(logits, axis=-1) == right_ids[:, 1:]
right_dates = np.mean(np.all(right_letters, axis=1))
print(f"share of right dates: {right_dates:.4f}")
assert right_dates > np.exp(-11 * mean)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Is that the share of right dates?</summary>
#
# Not quite: more dates are right than that. Our machine writes the *most* probable letter, and to be that, 0.6 is as
# good as 0.999.
#
# </details>
#
# ### Exercise 2
#
# Did the walk back find the right slope? (Open "This walk and this nudge" first: what you need stands there.) Test it
# for the bias of the letter 0, in `untrained.project_logits.bias`. Compute the loss with this bias 0.01 larger, and
# 0.01 smaller. What should the difference be, divided by 0.02?

# %% tags=["answer"]
bias, zero = untrained.project_logits.bias, target.encode(["0"])[0, 1]
kept = bias.numpy()


def loss_now():
    return loss(answer_ids[:, 1:], untrained((text_ids, answer_ids[:, :-1])))


with tf.GradientTape() as tape:
    now = loss_now()
by_walking = tape.gradient(now, bias).numpy()[zero]
tried = []
for change in (0.01, -0.01):
    bias.assign(kept + change * np.eye(len(kept))[zero])
    tried.append(float(loss_now()))
bias.assign(kept)
by_trying = (tried[0] - tried[1]) / 0.02
print(f"by walking back: {by_walking:.5f}")
print(f"by trying:       {by_trying:.5f}")
np.testing.assert_allclose([by_walking, by_trying], 0.090, atol=1e-3)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What should it be?</summary>
#
# It should be the slope, and up to rounding it is. This is how one tests a program that walks backwards. But it is
# slow: each trial computes two losses, so 121,422 trials would compute 242,844. The walk takes about as many products
# as two or three losses.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("training")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? One machine always gives the right letter 0.8. Another one gives it 1 and 0.6 in turn. Whose mean loss is larger?
# - the first one's, since it is never sure | It pays 0.22 at each letter. The other one pays nothing and 0.51 in turn.
# + the second one's | It pays 0.26 on average, and the first one 0.22: its doubt costs more than its certainty saves.
# - they are equal, since both give it 0.8 on average | The logarithms count, not the probabilities. The mean of 0 and 0.51 is 0.26.
# ? A query mixes the values 1, 0.4 and 0 of three keys, and the mixture is 0.5. The loss would fall if the mixture became larger. Whose scores does a nudge raise?
# + only the first key's | Only its value lies above the mixture, so only it pulls the mixture up. More weight on 0.4 or 0 would lower the mixture.
# - the first and the second key's, since both values are above 0 | What counts is on which side of the mixture a value lies, and 0.4 lies below 0.5.
# - those of the key that has the most weight | A larger weight makes the slope larger, but whether a score rises depends on the key's value.
# ? A machine has a million numbers. How many walks backwards does it take to find all their slopes for one batch?
# - A million, one for each number. | That would be trying out. One walk passes by all of them.
# + One. | On its way back it meets every number, and leaves its slope there.
# - Two, one with each number larger and one with each smaller. | That is how one tests a single slope.
# ```
#
# </details>
#
# ## Where to go next
#
# A loss, a walk back, and a nudge for each number: that is how a machine that knew nothing learnt to read. But why
# should one learning rate suit all of its numbers? How far should each number go?
#
# * [Adam and the warm-up](adam.py): how far, and the program that trained our machine.
#
# Read on elsewhere: Linnainmaa (1976), [Taylor Expansion of the Accumulated Rounding
# Error](https://doi.org/10.1007/BF01931367); Rumelhart and others (1986), [Learning Representations by Back-Propagating
# Errors](https://doi.org/10.1038/323533a0); Baydin and others (2018), [Automatic Differentiation in Machine Learning: a
# Survey](https://arxiv.org/abs/1502.05767).

# ---
# title: Training
# description: How a Transformer is trained. The loss by hand, a nudge, one walk backwards for all slopes, and how a machine learns where to look.
# slow: true
# ---

# %% [markdown]
# # How is it trained?
#
# At first the machine of all these lessons was 121,422 numbers, most of them drawn at random, and it read no date at
# all. A thousand times, nearly each was made a little larger or smaller. Then it read more than 99 dates of 100. Nobody
# had told it what a month is, or where to look.
#
# But which numbers had to become larger, and which smaller? To try out each would take 121,422 trials, for the first of
# a thousand *steps*.
#
# First watch it learn. Here are its answers to six texts, with the wrong letters underlined. (Do not count "christmas
# 2018": nothing like it is in the training.) What does it learn first: what a date looks like, or which date it is? Let
# it learn, or move the slider.

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
assert all(map(form.fullmatch, diary[2]))  # at step 100
assert good[2] == 1
assert diary[2][2] == wanted[2]  # right at step 100
assert diary[3][2] == "1981-05-33"  # and at 150

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
    texts=record["diary"].tolist(),
    right=wanted,
    steps=[0, *record["steps"].tolist()],
    written=record["written"].tolist(),
    wrong=[round(float(share), 4) for share in wrong],
    now=0,
)

# %% [markdown]
# It first learns what an answer looks like: at step 100 all answers look like dates, and only one is right. And the way
# goes up and down: "3. mai '18" is right at step 100, and at 150 it is read as a day that no calendar has.
#
# A small change of one number is called a *nudge*. A nudge is good if it makes the machine less wrong. But to count
# wrong letters will not do, because a small nudge mostly changes none. So what shall we count?
#
# ## How wrong is it? By hand
#
# At each place of the answer the machine gives a probability to each letter that could come next. Say the right letters
# of an answer get 0.9, 0.5 and 0.9. Then the whole right answer has $0.9 \cdot 0.5 \cdot 0.9 = 0.405$.
#
# How much of this fall from 1 to 0.405 is the fault of each letter? Factors do not add up, but their logarithms do.
# These are negative, so we take them with a minus sign, and have a *price* for each letter: $0.1054 + 0.6931 + 0.1054 =
# 0.9039$, which is $-\ln 0.405$. The doubtful letter pays most.
#
# If $p$ is the probability of the right letter, the price $-\ln p$ is called its **loss**:

# %% tags=["hide-input"] alt="The loss of a letter against the probability of the right letter: a curve that falls steeply at first and then ever more gently. At a probability of 0.001 the loss is 6.91, at 1/14 it is 2.64, at 0.5 it is 0.69, at 0.9 it is 0.11 and at 1 it is 0. Two ticks show the mean loss of our machine: 3.02 untrained, and 0.0007 trained."
import matplotlib.pyplot as plt
import numpy as np

figure, ax = plt.subplots(figsize=(4.6, 2.7), layout="constrained")
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
    place = {0.5: (-24, 9), 0.9: (-14, 21)}.get(p, (9, 2))
    ax.annotate(
        label, (p, -np.log(p)), place, textcoords="offset points", fontsize=9
    )
untrained_loss, trained_loss = 3.02, 0.0009  # the fold below computes them
for height in (untrained_loss, trained_loss):
    at = np.exp(-height)
    ax.plot([at, at], [height - 0.3, height + 0.3], color="#009e73", lw=3)
ax.text(
    1.25,
    4.2,
    f"green: our machine,\nuntrained {untrained_loss},\ntrained {trained_loss}",
    color="#009e73",
    ha="right",
    fontsize=9,
)
ax.set(xlim=(0, 1.25), ylim=(0, 7.4), xticks=np.linspace(0, 1, 6))
ax.set(xlabel="probability of the right letter", ylabel="loss")
ax.spines[["top", "right"]].set_visible(False)
ax.spines["bottom"].set_bounds(0, 1)
plt.show()

# %% [markdown]
# The loss of a machine, also called *cross-entropy*, is the mean over all letters of all its answers, for our three
# $0.9039 / 3 = 0.301$.
#
# <details class="lesson-more" markdown="1"><summary>How large is the loss of our machine?</summary>
#
# Here it is before the training and after it, for 2,000 dates that were kept out of the training. A softmax makes
# probabilities of the machine's [logits](recap.py):

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
    np.testing.assert_allclose(
        loss(right_ids[:, 1:], logits), drawn[name], rtol=0.03
    )
print(f"all equally probable: {-np.log(1 / 14):.6f}")
assert loss(right_ids[:, 1:], logits) < 0.01
three = np.array([0.9, 0.5, 0.9])  # as the text says
assert round(-np.log(three).sum(), 4) == 0.9039 == round(-np.log(three.prod()), 4)

# %% tags=["live", "remove-input"]
from pathlib import Path

# The drawings' numbers, and how many numbers the machine has.
prices = -np.log(three)
drawn = Path("../diagrams/one_step.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number"[^>]*>([^<]+)<', drawn)
steps = [*three, *prices, prices.mean()]
np.testing.assert_allclose(np.array(drawn, float), steps, atol=5e-4)
drawn = Path("../diagrams/walking_back.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number"[^>]*>([^<]+)<', drawn)
assert [float(x) for x in drawn] == [1, 3, 3**2, 3 * 2 * 3, 2 * 3, 1]
assert round((3 * 1.01) ** 2, 2) == 9.18
assert untrained.count_params() == 121_422
assert 100 * 365 + 25 == 36_525 == 29_220 + 36_525 // 5  # 1950 to 2049

# %% [markdown]
# Why is the untrained machine worse than pure chance? If all 14 ids (ten digits, the dash and three marks) were equally
# probable, the loss would be 2.639, as the last line says. The untrained machine has more, because by chance it prefers
# some ids, and the curve is steeper on the left. A preference that lifts a right letter from 0.5 to 0.9 saves 0.6, and
# one that pushes it down to 0.1 costs 1.6.
#
# </details>
#
# ## A nudge
#
# How does a loss become smaller? Let a machine have a single number $w$ and the loss $(w - 3)^2$, a valley whose floor
# is at 3. At $w = 1$ the loss is 4, and its slope, the derivative, is $2 (w - 3) = -4$: to the right it goes down.
#
# So $w$ is nudged against the slope, by a share of it. This share is the *learning rate*. With a tenth, $w$ becomes $1
# - 0.1 \cdot (-4) = 1.4$. There the loss is only 2.56, and the next nudge starts from there.
#
# Below, the learning rate is 1. Press "Nudge" a few times. What goes wrong? Then find the learning rate that needs one
# nudge only.

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
# With 1, $w$ jumps across and back for ever, and above 1 it climbs. With 0.5 one nudge is enough, because this valley
# is so simple. But where do the slopes of 121,422 numbers come from?
#
# ## All numbers at once
#
# All slopes together are called the *gradient*. They are found without 121,422 trials, by walking backwards through the
# calculation, once.
#
# Let $w$ be multiplied by 3, and let the loss be the square of the result $r$. What is the slope of $w$ at $w = 1$?
# Read the upper row from left to right, and then the lower one from right to left:
#
# --8<-- "diagrams/walking_back.svg"
#
# A small change of $r$ changes the loss by $2r = 6$ times as much, because that is the slope of a square. A small
# change of $w$ changes $r$ by 3 times as much, and so the loss by $3 \cdot 6 = 18$ times as much. Try it: $w = 1.01$
# gives $3.03^2 = 9.18$, which is 0.18 more.
#
# So on the way back each operation hands a slope to each of its inputs: the slope that came in, times one factor. This
# is the *chain rule*. Now walk back yourself: the input $x$ is given, and the machine has two numbers, $w$ and $b$.

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
# One walk gave the slopes of both numbers, and one walk gives those of 121,422. A matrix is many such products: each of
# its numbers gets what came in, times the slope of what came out. Where a number is used in several places, as a matrix
# is at each letter, its slopes add up. This walk is called *backpropagation*, and to nudge all numbers at once against
# their slopes is *gradient descent*.
#
# Here is one of the thousand steps, drawn with a single text and three letters of its answer, at the prices from above.
# Our machine takes the mean loss of 64 texts, a *batch*.
#
# --8<-- "diagrams/one_step.svg"
#
# ## How it learns where to look { #where-to-look }
#
# Say that one of the keys is the *right* one, and that $-\ln$ of its weight is the loss. Then the slopes of the scores
# are the weights themselves, less 1 for the right key. So a nudge, which goes against the slopes, raises the score of
# the right key and lowers the others.
#
# <details class="lesson-more" markdown="1"><summary>Why these slopes? And how many nudges to nine tenths?</summary>
#
# A query has the scores 2, 1 and 0 with three keys, so that their weights are 0.665, 0.245 and 0.090. If the second key
# is the right one, the loss is $-\ln 0.245 = 1.41$, and the slopes are 0.665, $0.245 - 1 = -0.755$ and 0.090.
#
# Why? Let $s_j$ be the score of key $j$, and $a_j$ its weight: $e^{s_j}$, divided by the sum of all three powers. Let
# $r_j$ be 1 for the right key and 0 for the others. A logarithm makes a difference of a quotient, and $\ln e^{s_2}$ is
# $s_2$:
#
# $$
# -\ln a_2 = \ln(e^{s_1} + e^{s_2} + e^{s_3}) - s_2 \qquad \text{has the slopes} \qquad a_j - r_j
# $$
#
# The last term, $-s_2$, gives the right key its -1. The rest is the slope of a logarithm, which is the slope of what
# stands in it, divided by what stands in it, here the sum:
#
# $$
# \frac{\mathrm{d}}{\mathrm{d}s_j} \ln(e^{s_1} + e^{s_2} + e^{s_3}) = \frac{e^{s_j}}{e^{s_1} + e^{s_2} + e^{s_3}} = a_j
# $$
#
# Check the first slope: with 2.01 in place of 2 the loss is 1.4143 in place of 1.4076, which is 0.67 times the change.
#
# One nudge with a learning rate of 1 gives the right key more than half of the weight:


# %%
def weights_of(scores):
    powers = np.exp(scores)
    return powers / powers.sum()


scores, right_key = np.array([2.0, 1.0, 0.0]), np.array([0, 1, 0])
slopes_of_scores = weights_of(scores) - right_key
print("slopes:", slopes_of_scores.round(3))
print("after one nudge:", weights_of(scores - slopes_of_scores).round(3))

# %% tags=["hide-input"] alt="The weights of three keys against the number of nudges, from 0 to 8. The second key, the right one, rises from 0.24 over 0.55 after one nudge to 0.91 after seven, ever more slowly. The first falls from 0.67 over 0.36 to 0.06, and the third from 0.09 to 0.03."
path = [scores]
for _ in range(8):
    path.append(path[-1] - (weights_of(path[-1]) - right_key))
lines = np.array([weights_of(each) for each in path]).T
figure, ax = plt.subplots(figsize=(4.6, 2.3), layout="constrained")
for j, (line, colour) in enumerate(
    zip(lines, ("#d55e00", "#0072b2", "#999999"), strict=True)
):
    name = f"key {j + 1}" + (", the right one" if right_key[j] else "")
    ax.plot(line, "o-", color=colour, markersize=4)
    above = ((0.1, 0.69), (2.3, 0.62), (0.2, 0.12))[j]
    ax.text(*above, name, color=colour)
ax.axhline(0.9, color="#999999", linestyle=":")
ax.set(xlabel="nudges", ylabel="weight", ylim=(0, 1), yticks=[0, 0.5, 0.9])
ax.spines[["top", "right"]].set_visible(False)
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
sums = [np.exp([first, 1.0, 0.0]).sum() for first in (2, 2.01)]  # as the text says
assert round(sums[0], 3) == 11.107
for nudged, slope in zip(1e-6 * np.eye(2), (-0.25, 0.25), strict=True):
    brought = weights_of(nudged) @ [1, 0]  # two keys with the values 1 and 0
    np.testing.assert_allclose(-(brought - 0.5) / 1e-6, slope, atol=1e-5)
np.testing.assert_allclose(np.log(sums) - 1, [1.4076, 1.4143], atol=5e-5)

# %% [markdown]
# It takes seven, because the nearer the right key comes to 1, the smaller its slope becomes.
#
# </details>
#
# **But in the machine, who says which key is right?** Nobody. The weights mix the values of the keys, and the loss
# tells which way this mixture should move. If the score of one key rises a little, the mixture moves towards the value
# of that key, because the key takes weight from all others. So a key whose value is better than the mixture is pushed
# towards a higher score, through the matrices that make it.
#
# <details class="lesson-more" markdown="1"><summary>By how much? An example with two keys</summary>
#
# Let two keys with half of the weight each have the values 1 and 0. So their mixture is 0.5. If the first score rises
# by 0.01, the mixture moves towards 1, by weight · (value - mixture) times the rise, which is 0.5 · (1 - 0.5) · 0.01.
# Let the loss have the slope -1 for the mixture. Then the two scores have the slopes -1 · 0.5 · (1 - 0.5) = -0.25 and
# -1 · 0.5 · (0 - 0.5) = 0.25, and the first key, whose value helps, gets more weight.
#
# </details>
#
# Where to look is learnt like everything else: by walking back from the loss.
#
# <details class="lesson-more" markdown="1"><summary>One step, in code</summary>
#
# This is one step of the untrained machine. The decoder is given the right answers without their last id, `[:, :-1]`,
# and must say them [one place further](causal.py#one-date-is-eleven-examples), `[:, 1:]`. Each number loses a tenth of
# its slope:

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
sizes = np.abs(np.concatenate([np.ravel(tf.convert_to_tensor(s)) for s in slopes]))
low, high = np.quantile(sizes, [0.1, 0.9])
print(f"a tenth of the slopes is steeper than {high:.5f},")
print(f"and another tenth flatter than {low:.7f}")

# %% tags=["live", "remove-input"]
assert after < now - 0.2
assert high > 50 * low  # as the text says

# %% [markdown]
# </details>
#
# **Now you know which way each number must go. How far is another question**, and the [next lesson](adam.py) is about
# it.
#
# ## Who found this, and when
#
# Linnainmaa (1970, in English 1976) asked how rounding errors add up in a long calculation, and found that one walk
# backwards gives all slopes. Rumelhart, Hinton and Williams (1986) trained networks by such a walk, and the inner
# numbers of these networks came to stand for something that nobody had told them.
#
# ## Exercises
#
# ### Exercise 1
#
# The trained machine has a mean loss of 0.000878. If every letter had just this loss, what probability would a right
# letter have? And eleven in a row, the ten letters of a date and the end mark?

# %% tags=["answer"]
logits = model.predict((unseen_ids, right_ids[:, :-1]), batch_size=500, verbose=0)
mean = float(loss(right_ids[:, 1:], logits))
print(f"loss {mean:.6f}")
assert round(mean, 6) == 0.000878  # as the exercise says
print(f"one letter: {np.exp(-mean):.4f}, eleven: {np.exp(-11 * mean):.4f}")
right_letters = np.argmax(logits, axis=-1) == right_ids[:, 1:]
print(f"share of right dates: {np.mean(np.all(right_letters, axis=1)):.4f}")

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Is that the share of right dates?</summary>
#
# Not quite: more dates are right. Our machine writes the *most* probable letter, and for that 0.6 is as good as
# 0.999.
#
# </details>
#
# ### Exercise 2
#
# The walk backwards gives the slope of every number. Is it right? Take one number of the untrained machine, that of the
# letter 0 in the last bias, `untrained.project_logits.bias`. Make it larger by 0.01 and then smaller by 0.01, and
# compute the loss each time. What should the difference be, divided by 0.02?

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
np.testing.assert_allclose(by_walking, by_trying, atol=1e-3)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What should it be?</summary>
#
# The slope, and so it is, up to rounding. This is how one tests a program that walks backwards. To try out all 121,422
# numbers in this way would take 242,844 losses, and the walk takes about as long as two or three.
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
# ? One machine always gives the right letter 0.8, and another one gives it 1 and 0.6 in turn. Whose mean loss is larger?
# - the first's, since it is never sure | It pays 0.22 at each letter. The other pays nothing and 0.51 in turn.
# + the second's | 0.26 against 0.22: one doubt costs more than a certainty saves.
# - they are equal, since both give it 0.8 on average | The logarithms count. 0 and 0.51 have the mean 0.26.
# ? A query gives three keys the weights 0.7, 0.3 and 0. A mask blocks the third, and the second is the right one. What is the slope of the third score?
# - -0.7 | That is the slope of the second score, 0.3 less 1.
# - 0.7, like the first | The slope of a wrong key is its own weight, and the third has none.
# + 0 | The slope of a wrong key is its weight. What a mask hides changes no loss, and gets no nudge.
# ? A machine has a million numbers. How many walks backwards does it take to find all their slopes for one batch?
# - A million, one for each number. | That would be trying out. One walk passes by all of them.
# + One. | On its way back it meets every number, and leaves its slope there.
# - Two, one with each number larger and one with each smaller. | That is how one tests a single slope.
# ```
#
# ## Where to go next
#
# If all numbers go by the same share of their slopes, some jump much too far, and others hardly move.
#
# * [Adam and the warm-up](adam.py): how far, and the program that trained our machine.
# * [Use it in a model of your own](../guides/use_it.py).
# * [Reference: transformer](../reference/transformer.md): every argument.
#
# Read on elsewhere: Linnainmaa (1976), [Taylor Expansion of the Accumulated Rounding
# Error](https://doi.org/10.1007/BF01931367); Rumelhart and others (1986), [Learning Representations by Back-Propagating
# Errors](https://doi.org/10.1038/323533a0); Baydin and others (2018), [Automatic Differentiation in Machine Learning: a
# Survey](https://arxiv.org/abs/1502.05767).

# ---
# title: Training
# description: How a Transformer is trained, from a valley and one nudge to the lines of the program; the loss by hand, Adam, and what the warm-up is for.
# ---

# %% [markdown]
# # How is it trained?
#
# Before its training, the machine of all these lessons had every part in its place, and every matrix in it was random.
# Then it was trained for a thousand *steps*. In one step it is shown 64 texts and their answers, and all its numbers
# are changed a little. After the last step it read nearly every date.
#
# Watch it learn. Here are its answers to six texts, kept at every 50th step, with the wrong letters underlined. The
# last text gets no mark, because no text of the training had such a form. The curve below the answers shows how many
# letters were wrong in the training itself. There the task is easier, because the machine is always given the right
# letters so far. And one wrong letter spoils a date. So even with one letter in twenty wrong, about half of the dates
# are wrong, and by chance it may be all that you see here.

# %% tags=["live", "hide-input"]
import re
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from live import touch

model, record = trained.load("dates")
wanted = ["2018-05-03", "2018-05-03", "2018-05-03", "1960-12-22", "2001-03-09", ""]
diary = [answers.tolist() for answers in record["written"]]
first, early, last = (diary[i] for i in (0, 4, -1))
form = re.compile(r"(19|20)\d\d-\d\d-\d\d")
in_form = [all(form.fullmatch(answer) for answer in row[:5]) for row in diary]
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
# Go slowly through the first 200 steps. At first it writes whatever an answer can be made of, digits and dashes, in any
# order. By step 100 or so the answers look like
# dates, though one or another may still fall apart again, and most of them are wrong. So the machine first learns what
# an answer looks like. To find the right letters in the text takes longer.
#
# In each step, every number of the machine gets a *nudge*, which makes it a little larger or a little smaller. But
# which of the two? The machine should become less wrong, so we must first say *how* wrong it is.
#
# ## How wrong is it? By hand
#
# At each place of the answer the machine gives a probability to each letter that could come next. Only one of these
# matters here: the probability $p$ of the right letter. Say an answer has three letters, and the machine gives the
# right ones 0.9, 0.5 and 0.9. Then it gives the whole right answer the probability $0.9 \cdot 0.5 \cdot 0.9 = 0.405$.
#
# At best it would be 1. We want to know how much each letter has spoilt, and from a product that is hard to see. So we
# take logarithms, which add up where probabilities multiply. The logarithm of a number below 1 is negative, and a minus
# sign in front makes a positive *price* of it. The three prices add up to $0.1054 + 0.6931 + 0.1054 = 0.9039$, and this
# sum is $-\ln 0.405$. So each letter pays its own share, and the doubtful one pays most.
#
# The price $-\ln p$ is called the **loss** of the letter:
#
# | probability of the right letter | loss |
# | --- | --- |
# | 1 | 0 |
# | 0.9 | 0.105 |
# | 0.5 | 0.693 |
# | 1/14: all equally probable | 2.639 |
# | 0.001 | 6.908 |
#
# To be certain and right costs nothing, and to be certain and wrong costs a lot. The loss of a machine is the mean over
# all letters of all its answers. For our three letters it is $0.9039 / 3 = 0.301$. (In books this mean is also called
# the *cross-entropy*.)
#
# Where do the probabilities come from? The machine gives a number of any size to each of 14 ids, the *logits* from the
# [lesson before](recap.py), and the softmax makes probabilities of them. An untrained machine cannot know which of the
# 14 ids is right. Is its loss 2.639, as if it found all of them equally probable? Or is it less, or more? Guess first.
# Then two machines, an untrained one and ours, are given 2,000 unseen dates and the right letters so far:

# %% tags=["hide-input"]
import keras
import numpy as np
from clear_attention import Transformer, create_date_pairs, date_tokenizers
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
# and that costs more than it gains. Say a machine gives 0.9 to one of two letters and 0.1 to the other. Then its loss
# is 0.1 or 2.3, depending on which of the two is right, and that is 1.2 on average. With 0.5 and 0.5 it is always 0.69.
#
# ## A nudge
#
# How does a loss become smaller? Let us pretend for a moment that a machine has a single number $w$, and that its loss
# happens to be $(w - 3)^2$. Drawn, this is a valley whose floor is at 3. Let $w$ be 1. There the loss is 4, and the
# slope of the valley, which is the derivative of the loss, is $2 (w - 3) = -4$. It is negative, so the valley goes down
# to the right.
#
# So $w$ is nudged against the slope, by a small share of it, say a tenth. That makes it $1 - 0.1 \cdot (-4) = 1.4$.
# There the loss is only 2.56, and the next nudge starts from there. The share is called the *learning rate*. Below you
# can choose it, and the dashed line shows the slope. Which learning rate is the fastest, and which is too large?

# %% tags=["live", "hide-input"]
from live import touch

assert round((3 * 1.01) ** 2, 2) == 9.18  # the nudge of 0.01 above
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
# Our machine has 121,422 such numbers. In each step there is one loss, which is the mean over all letters of 64
# answers. Such a group of examples is called a *batch*. Each of the numbers has a slope of its own, which says how the
# loss changes with it. All the slopes together are called the *gradient*, and TensorFlow finds them in one go, by
# walking backwards through the calculation. (The fold below the drawing shows how, by the *chain rule*. It can be left
# out.) Then all numbers are nudged at once.
#
# That is one step of the thousand. Here it is in a drawing, with a single text in place of 64, and with the three
# probabilities and prices from above:
#
# --8<-- "diagrams/one_step.svg"
#
# <details class="lesson-more" markdown="1"><summary>How does one find a slope by walking backwards?</summary>
#
# Let a number $w$ be multiplied by 3, and let the loss be the square of the result: $r = 3w$, and the loss is $r^2$.
# Begin at the end. A small change of $r$ changes the loss by $2r$ times as much, because that is the slope of a square.
# Now go back by one operation. A small change of $w$ changes $r$ by 3 times as much. So a small change of $w$ changes
# the loss by $3 \cdot 2r$ times as much, and this is the slope of $w$.
#
# For $w = 1$ we have $r = 3$, a loss of 9 and a slope of $3 \cdot 6 = 18$. Try it: $w = 1.01$ gives $3.03^2 = 9.18$.
# The loss has changed by 0.18, which is 18 times the change of $w$. However long the calculation is, going backwards
# means multiplying such factors, one for each operation on the way. This is the *chain rule*.
#
# </details>
#
# ## How it learns where to look { #where-to-look }
#
# The first lesson promised that the machine finds out by itself where to look. Now you can see how. Take a query whose
# scores with three keys are 2, 1 and 0. Its weights are 0.665, 0.245 and 0.090. Say that it should have looked at the
# *second* key. Let the loss be $-\ln 0.245 = 1.41$.
#
# If a score is nudged, by how much does this loss change? The slope of each score turns out to be very simple. It is
# the weight of its key, and for the right key it is the weight less 1:
#
# $$
# (0.665, \quad 0.245 - 1, \quad 0.090) = (0.665, \; -0.755, \; 0.090)
# $$
#
# A nudge goes against the slopes. So the score of the right key rises, the scores of all others fall, and the one that
# wrongly got most falls most. With a learning rate of 1 they become 1.335, 1.755 and -0.090, and the right key has
# 0.551 of the weight.
#
# A score is a product of query and key. So, one operation further back, the *query* is nudged towards the key that was
# right, and away from the average of all keys, weighted as it looked. And further back still, the matrices that make
# queries and keys are nudged in the same way. In the machine nobody says which key is right. The loss asks for a
# letter, and its slope comes back through the values: a key was right if its value helped to make the right letter more
# probable.


# %%
def weights_of(scores):
    powers = np.exp(scores)
    return powers / powers.sum()


scores, right_key = np.array([2.0, 1.0, 0.0]), np.array([0, 1, 0])
slopes_of_scores = weights_of(scores) - right_key
print("slopes:", slopes_of_scores.round(3))
print("weights after one nudge:", weights_of(scores - slopes_of_scores).round(3))

# %% tags=["live", "remove-input"]
for j in range(3):  # a small change of each score, and what becomes of the loss
    nudged = -np.log(weights_of(scores + 1e-6 * (np.arange(3) == j))[1])
    slope = (nudged + np.log(weights_of(scores)[1])) / 1e-6
    np.testing.assert_allclose(slope, slopes_of_scores[j], atol=1e-5)
np.testing.assert_allclose(
    weights_of(scores - slopes_of_scores)[1], 0.551, atol=5e-4
)

# %% [markdown]
# ## Adam
#
# Real valleys are less kind. They are narrow in one direction and wide in another. A learning rate that is small enough
# for the narrow direction, where slopes are large, is much too small for the wide one. So no learning rate suits all
# numbers of a machine at once.
#
# A method called **Adam** helps. For each number of the machine it remembers how large the slopes of this number
# usually are, and divides the slope by that. So every number gets a nudge of about the same size, whether its slopes
# are small or large, and the learning rate now *is* that size. Most Transformers are trained with Adam or with a
# relative of it.
#
# But how do nudges of one size come to rest on the floor of a valley? What Adam divides is not the last slope but a
# mean of the last few slopes. On the other side of the floor the slopes have the other sign, so their mean becomes
# smaller, and with it the nudge. That is not enough. It helps to let the learning rate shrink, too, and the program
# below does so.
#
# Here is such a valley, seen from above. A line joins places of equal loss, and the cross is the lowest point. The
# valley is a hundred times as steep across as along. Plain nudges and Adam begin at the same place, on the left, and
# make sixty nudges. The learning rate of the plain nudges is nearly the largest with which they do not fly out of the
# valley:

# %% tags=["hide-input"] alt="A long narrow valley from above, as rings of equal loss, with two paths of sixty nudges from the same point on the left. The plain nudges jump from one slope to the other and back, then creep along the floor and stop two thirds of the way. The nudges of Adam swing across the floor in wide curves and end at the lowest point."
import matplotlib.pyplot as plt

steep, start, nudges = np.array([1.0, 100.0]), np.array([-4.0, 1.2]), 60


def plain(w, rate=0.0185):
    for _ in range(nudges):
        w = w - rate * steep * w  # the loss is half of steep times w squared
        yield w


def adam(w, rate=0.2, beta_1=0.9, beta_2=0.98):
    mean = square = 0.0
    for step in range(1, nudges + 1):
        slope = steep * w
        mean = beta_1 * mean + (1 - beta_1) * slope
        square = beta_2 * square + (1 - beta_2) * slope**2
        usual = np.sqrt(square / (1 - beta_2**step))
        shrinking = rate * (1 - (step - 1) / nudges)
        w = w - shrinking * mean / (1 - beta_1**step) / usual
        yield w


figure, ax = plt.subplots(figsize=(6.5, 2.6), layout="constrained")
x, y = np.meshgrid(np.linspace(-4.6, 1.2, 150), np.linspace(-1.5, 1.5, 150))
height = (steep[0] * x**2 + steep[1] * y**2) / 2
ax.contour(x, y, height, [0.2, 2, 8, 25, 60], colors="0.6", linewidths=0.8)
ends = {}
for name, way, style, colour in (
    ("plain nudges", plain, "o--", "#d55e00"),
    ("Adam", adam, "s-", "#0072b2"),
):
    path = np.array([start, *way(start)])
    ends[name] = path[-1]
    ax.plot(*path.T, style, color=colour, label=name, markersize=3, linewidth=1)
ax.plot(0, 0, "x", color="0.4", markersize=10)
ax.set(xlabel="one number of the machine", ylabel="another")
ax.legend(frameon=False, loc="lower right", fontsize=8)
plt.show()
assert np.abs(ends["Adam"]).max() < 0.2
assert ends["plain nudges"][0] < -1.2

# %% [markdown]
# Plain nudges jump across the valley, to and fro, and hardly get ahead along it. Adam's first nudges are as large along
# the valley as across it. It overshoots the floor, because a mean of old slopes is slow to turn, and comes back.
#
# ## One step, in code
#
# Here is one step of the untrained machine, without Adam, and with a nudge as simple as that of the valley. `text_ids`
# holds 64 texts, and `answer_ids` the right answers. The decoder is given the answers without their last id, which is
# `[:, :-1]`, and must say them without their first, which is `[:, 1:]`: [one place
# further](causal.py#one-date-is-eleven-examples).
#
# The cell computes the loss, then the slope of each number, and takes a tenth of the slope away from the number. Then
# it computes the loss of the same 64 dates again:

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
# One nudge has made the loss smaller. (Before it, the loss is not quite the one printed further above, because these
# are other dates.)
#
# ## The program
#
# Now do this a thousand times, with Adam for the nudge, and each time with 64 examples that are drawn anew. There are
# 29,220 dates to draw from, and many ways to write each. In 64,000 examples each date comes about twice, mostly in
# another form, so there is little to learn by heart.
#
# These are the lines of the program that trained our machine. The first three make the learning rate, Adam and the
# loss. `compile` tells the model what is to be made small, which is the loss, and by which method, which is Adam. `fit`
# hands it one batch of 64 after the other. Here `x` is all that goes in, the texts *and* the answers that the decoder
# is given, and `y` is the answers one place further. `from_logits=True` says that the loss has to do the softmax
# itself. (You can pass over `accuracy`, `steps_per_execution` and `curve`. They are only there for the pictures at the
# top of this page.)

# %% tags=["source", "hide-input"]
import inspect

from trained import recipes

recipe, inside = inspect.getsource(dates.train), inspect.getsource(recipes.fit)
for start in ("rate =", "adam =", "loss =", "model.compile", "model.fit"):
    (line,) = re.findall(rf"^    ({re.escape(start)}.*)", inside, re.M)
    print(line.replace(", warmup_target", ",\n    warmup_target"))  # a long line
assert "fit(model, (x, y[:, :-1]), y[:, 1:], " in recipe  # as the text says
assert "peak=4e-3, warmup=150, beta_2=0.98" in recipe
rate = keras.optimizers.schedules.CosineDecay(
    0.0, dates.STEPS - 150, warmup_target=4e-3, warmup_steps=150
)
curve = [float(rate(step)) for step in (75, 150, 575, 1000)]
np.testing.assert_allclose(curve, [0.002, 0.004, 0.002, 0], atol=1e-6)

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>The two whole functions</summary>

# %% tags=["source", "remove-input"]
print(recipe, inside, sep="\n")

# %% [markdown]
# The letters have two meanings here. In `train`, `x` is the texts alone, and `y` is the whole answers. In `fit`, `x` is
# all that goes into the model, and `y` is what should come out of it.
#
# </details>
#
# ## Warm-up
#
# The first line of the program is strange, because it makes the learning rate a curve and not a number. It begins at 0
# and grows for `warmup` = 150 steps, up to `peak` = 0.004. Then it shrinks for 850 steps, down to 0 again, so that the
# machine can settle. At step 75, half-way up, and at step 575, half-way down, it is 0.002.
#
# The growing is called **warm-up**. Why not begin with the full learning rate? Two reasons are known. The first is that
# Adam has seen few slopes at the start, and judges badly how large they usually are. The second is that in a machine
# whose norms stand behind the parts, as in ours, the slopes of the last layers are large at the start. [A later
# lesson](norm_first.py) compares this with norms that come first.
#
# Does our machine need it? We train it in four ways. Each is done three times, from other random numbers, so that we
# see how much is chance:
#
# | name | how it was trained |
# | --- | --- |
# | whole | as our machine was |
# | no warm-up | the same, but it begins with the full learning rate, which only shrinks |
# | larger nudges | as our machine was, but with a learning rate that is two and a half times as large all the time |
# | larger nudges, no warm-up | with both changes |
#
# What share of 2,000 unseen dates does each read? Guess before you look.
#
# <details class="lesson-more" markdown="1"><summary>How many each reads</summary>

# %% tags=["hide-input"]
from trained.ablations import shares

for name in ("whole", "no warm-up", "larger nudges", "larger nudges, no warm-up"):
    print(f"{name:26}", "   ".join(f"{share:.2%}" for share in shares(name)))
assert max(shares("larger nudges, no warm-up")) < min(shares("larger nudges"))

# %% [markdown]
# A line has a number for each of the three trainings. Compare the lines with and without a warm-up. With nudges as
# large as ours, machines without it are nearly as good, and at worst a few dates in a hundred are lost. With larger
# nudges and no warm-up, about half of the dates are lost.
#
# So with larger nudges the warm-up decides between a good machine and a bad one. That is its use: it allows larger
# nudges. Our machine gains nothing by these. In a large one, whose training takes months, they can save time.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>Two more choices: beta_2, and a factor of 8</summary>
#
# * **`beta_2=0.98`**. Adam keeps two means for each number of the machine, one of its last slopes and one of their
#   squares. It nudges by the first, divided by the root of the second. `beta_2` says how long the second mean
#   remembers. With 0.98 it remembers about the last 1 / (1 - 0.98) = 50 steps, and with the usual 0.999 about the last
#   1,000.
# * **The factor** is $\sqrt{d_{\text{model}}}$, here √64 = 8. The model itself multiplies its embeddings by it. Their
#   numbers start small. Without the factor, the positions that are added would at first be much larger than they.
#
# The second line below is for machines with the usual `beta_2`, and the third for machines without the factor. Each was
# trained three times, and again the shares are those of unseen dates that are read right:

# %% tags=["hide-input"]
for name in ("whole", "beta_2 of 0.999", "no factor"):
    print(f"{name:26}", "   ".join(f"{share:.2%}" for share in shares(name)))
    assert min(shares(name)) > 0.99

# %% [markdown]
# Neither choice makes a difference that would show here. In larger machines they may matter.
#
# </details>
#
# ## Who found this, and when
#
# To go down a slope step by step is an idea of Cauchy's (1847). Linnainmaa (1970) found how to get all slopes at once
# by walking backwards, and Rumelhart, Hinton and Williams (1986) made it the way in which networks are trained. Adam is
# by Kingma and Ba (2014). Warm-up for it, and the two choices in the fold above, are in the first Transformer (2017),
# with hardly a word about why. The reason that lies in the norms is by Xiong and others (2020).
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
# + nothing yet | 2.639 is the loss of a machine that finds all 14 ids equally probable.
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
# <details class="lesson-more" markdown="1"><summary>The model's own source</summary>
#
# These are the methods of the model. `encode` reads the text, and `decode` takes what was encoded and the answer so
# far, and makes the logits. The other two make the masks:

# %% tags=["source"]
docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)  # left out here
masks = (Transformer.source_mask, Transformer.target_mask)
for method in (Transformer.encode, Transformer.decode, *masks):
    print(docstring.sub("", inspect.getsource(method)))

# %% [markdown]
# `vocabulary_ids` and `begins_with` refuse ids that are not in the vocabulary, and answers that do not begin with the
# start mark. `source_mask` hides padding, and `target_mask` hides padding and the future. With `return_weights=True`
# the encoder and the decoder also return their maps, and `unpacked` takes apart what they returned. `to_logits` is the
# last projection.
#
# </details>
#
# Read on elsewhere: Rumelhart and others (1986), [Learning Representations by Back-Propagating
# Errors](https://doi.org/10.1038/323533a0); Kingma and Ba (2014), [Adam](https://arxiv.org/abs/1412.6980); Vaswani and
# others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 5.

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
# of 100. Nobody had told it what a month is, or where to look.
#
# But which numbers had to become larger, and which smaller? To try out each would take 121,422 trials, for the first of
# a thousand *steps*.
#
# First watch it learn. Here are its answers to six texts, with the wrong letters underlined. ("christmas 2018" does not
# count: nothing like it is in the training.) What does it learn first: what a date looks like, or which date it is?

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
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# First what a date looks like: at step 100 all answers do, and only one is right. And the way goes up and down: "3. mai
# '18" is right at step 100, and wrong at 150. (One reason comes [below](#one-step).)
#
# </details>
#
# A small change of one number is called a *nudge*. A nudge is good if it makes the machine less wrong. But to count
# wrong letters will not do, because a small nudge mostly changes none. So what shall we count?
#
# ## How wrong is it? By hand
#
# Say the machine gives the right letters of an answer the probabilities 0.9, 0.5 and 0.9. Then the whole right answer
# has $0.9 \cdot 0.5 \cdot 0.9 = 0.405$.
#
# How much of this fall from 1 to 0.405 is the fault of each letter? Factors do not add up, but their logarithms do.
# These are negative, so we take them with a minus sign, and have a *price* for each letter: $0.1054 + 0.6931 + 0.1054 =
# 0.9039$, which is $-\ln 0.405$. The doubtful letter pays most.
#
# If $p$ is the probability of the right letter, the price $-\ln p$ is called its **loss**:

# %% tags=["hide-input"] alt="The loss of a letter against the probability of the right letter: a curve that falls steeply at first and then ever more gently. At a probability of 0.001 the loss is 6.91, at 1/14 it is 2.64, at 0.5 it is 0.69, at 0.9 it is 0.11 and at 1 it is 0. Two ticks show the mean loss of our machine: 3.02 untrained, and 0.0009 trained."
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
    place = {0.5: (-44, 14), 0.9: (-54, 13)}.get(p, (9, 2))
    ax.annotate(
        label, (p, -np.log(p)), place, textcoords="offset points", fontsize=9
    )
untrained_loss, trained_loss = 3.02, 0.0009  # the fold below computes them
for name, height, place in (
    ("untrained", untrained_loss, (0.1, 4.1)),
    ("trained", trained_loss, (1.03, 1.25)),
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
assert round(-np.log(1 / 14) + np.log(2 / 14), 2) == 0.69

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
drawn = Path("../diagrams/matrix_back.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number"[^>]*>([^<]+)<', drawn.replace("−", "-"))
slopes_out, came_in = np.array(drawn[:2], float), np.array(drawn[2:4], float)
assert [*came_in, *slopes_out] == [1, 3, 6, -2]
assert np.outer(came_in, slopes_out).ravel().tolist() == [
    float(x) for x in drawn[4:]
]
assert untrained.count_params() == 121_422
assert 100 * 365 + 25 == 36_525 == 29_220 + 36_525 // 5  # 1950 to 2049

# %% [markdown]
# Why is the untrained machine worse than pure chance? If all 14 ids (ten digits, the dash and three marks) were equally
# probable, the loss would be 2.639, as the last line says. The untrained machine has more, because by chance it prefers
# some ids. A preference that lifts a right letter from 1/14 to 2/14 saves 0.69. But one that pushes it down from 1/14
# to nearly 0 can cost any amount.
#
# </details>
#
# ## A nudge
#
# How does a loss become smaller? Let a machine have a single number $w$ and the loss $(w - 3)^2$, a valley whose floor
# is at 3. At $w = 1$ the loss is 4, and its slope, the derivative, is $2 (w - 3) = -4$: to the right it goes down.
#
# So $w$ is nudged against the slope, by a share of it, the *learning rate*. With a tenth, $w$ becomes $1 - 0.1 \cdot
# (-4) = 1.4$. There the loss is only 2.56, and the next nudge starts from there.
#
# Below, the learning rate is 1. What goes wrong? Then find the learning rate that needs one nudge only.

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
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# With 1, $w$ jumps across and back for ever, and above 1 it goes farther away each time, and the loss climbs. With 0.5
# one nudge is enough, because the slope of a square is exactly twice the distance, so half of it leads to the floor.
#
# </details>
#
# ## All numbers at once
#
# But where do the slopes of 121,422 numbers come from? All together they are called the *gradient*, and they are found
# without 121,422 trials, by walking backwards through the calculation, once.
#
# Let $w$ be multiplied by 3, and let the loss be the square of the result $r$. What is the slope of $w$ at $w = 1$?
# Read the upper row from left to right, and then the lower one from right to left:
#
# --8<-- "diagrams/walking_back.svg"
#
# A small change of $r$ changes the loss by $2r = 6$ times as much, because that is the slope of a square. A small
# change of $w$ changes $r$ by 3 times as much, and so the loss by $3 \cdot 6 = 18$ times as much.
#
# So on the way back each operation hands a slope to each of its inputs: the slope that came in, times one factor. This
# is the *chain rule*. Now walk back yourself, with a given input $x$ and two numbers, $w$ and $b$.

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
# One walk gave the slopes of both numbers, and one walk gives those of 121,422. It is called *backpropagation*, and to
# nudge all numbers at once against their slopes is *gradient descent*.
#
# <details class="lesson-more" markdown="1"><summary>And in a matrix?</summary>
#
# A matrix is many such products: each of its numbers gets what came in, times the slope of what came out. Here 1 and 3
# came in:
#
# --8<-- "diagrams/matrix_back.svg"
#
# And a matrix is used at each letter. If $w$ is used twice, as in $w \cdot 2 + w \cdot 3$, a small change arrives
# twice, so its slope is $2 + 3$.
#
# </details>
#
# ## How it learns where to look { #where-to-look }
#
# Who tells the machine which key is the right one? Nobody. The loss tells only which way the mixture of the values
# should move: in the picture below, towards the flag. If the score of a key rises a little, the key takes weight from
# all others, and pulls the mixture towards its value.
#
# How hard does it pull? By weight · (value - mixture). Let two keys have half of the weight each, and the values 1 and
# 0. Their mixture is 0.5, so one pulls by $0.5 \cdot (1 - 0.5) = 0.25$, and the other by $0.5 \cdot (0 - 0.5) = -0.25$.
#
# A nudge raises the scores of all keys that pull towards the flag, and lowers the others. **Nudge, and watch b**, the
# heaviest key. Why does its arrow turn round? Then start again, and make b lose weight at the very first nudge.

# %% tags=["live", "hide-input"]
from date_machine import tabled


def shares_of(scores):
    return np.exp(scores) / np.exp(scores).sum()


def pulls_of(scores, values):
    """Return by how much the mixture moves for each score that rises."""
    share = shares_of(scores)
    return share * (values - share @ values)


for nudged, pulled in zip(1e-6 * np.eye(2), (0.25, -0.25), strict=True):
    brought = shares_of(nudged) @ [1, 0]  # two keys with the values 1 and 0
    np.testing.assert_allclose((brought - 0.5) / 1e-6, pulled, atol=1e-5)
keys, values, flag, rate = "abc", np.array([0.1, 0.65, 0.95]), 0.9, 6.0
path = [np.array([0.0, 1.0, 0.0])]
for _ in range(6):  # the loss is the square of the distance from the flag
    mixture = shares_of(path[-1]) @ values
    path.append(path[-1] + rate * 2 * (flag - mixture) * pulls_of(path[-1], values))
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
        ("key", "value", "weight", "pull", "weight after a nudge"),
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
# Each key pulls towards its own value. At first b pulls towards the flag. But as soon as the mixture has passed its
# value, b pulls back, and loses weight. It loses weight at once if its value lies left of the mixture from the start.
# So no key is right in itself. (The loss is the square of the distance from the flag. In our machine the values are
# nudged, too.)
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>And if somebody did tell which key is right?</summary>
#
# Then $-\ln$ of its weight would be the loss, and the slopes of the scores would be the weights themselves, less 1 for
# the right key. With the weights 0.665, 0.245 and 0.090 and the second key right, they are 0.665, -0.755 and 0.090. So
# a nudge, which goes against the slopes, raises the score of the right key and lowers the others:


# %%
def weights_of(scores):
    powers = np.exp(scores)
    return powers / powers.sum()


scores, right_key = np.array([2.0, 1.0, 0.0]), np.array([0, 1, 0])
slopes_of_scores = weights_of(scores) - right_key
print("slopes:", slopes_of_scores.round(3))
print("after one nudge:", weights_of(scores - slopes_of_scores).round(3))

# %% tags=["live", "remove-input"]
for j in range(3):  # a small change of each score, and what becomes of the loss
    nudged = -np.log(weights_of(scores + 1e-6 * (np.arange(3) == j))[1])
    slope = (nudged + np.log(weights_of(scores)[1])) / 1e-6
    np.testing.assert_allclose(slope, slopes_of_scores[j], atol=1e-5)
np.testing.assert_allclose(weights_of(scores), [0.665, 0.245, 0.090], atol=5e-4)
np.testing.assert_allclose(slopes_of_scores, [0.665, -0.755, 0.090], atol=5e-4)

# %% [markdown]
# </details>
#
# ## One step { #one-step }
#
# A step takes 64 texts at once, a *batch*. Here are 60 of the 121,422 slopes of the untrained machine for the first
# batch, from the flattest to the steepest. Each arrow points against its slope, because its number must go that way.
# **Nudge them all.** With which learning rate is the loss lowest?

# %% tags=["live", "hide-input"]
import tensorflow as tf

first_texts, first_answers = create_date_pairs(64)
x, y = source.encode(first_texts, length=34), target.encode(first_answers)
variables = untrained.trainable_variables
started = [variable.numpy() for variable in variables]


def loss_of_64():
    return loss(y[:, 1:], untrained((x, y[:, :-1])))


with tf.GradientTape() as tape:
    at_first = loss_of_64()
downhill = [
    -tf.convert_to_tensor(slope) for slope in tape.gradient(at_first, variables)
]
rates, losses = [round(0.02 * i, 2) for i in range(13)], []
for rate in rates:
    for variable, start, way in zip(variables, started, downhill, strict=True):
        variable.assign(start + rate * way)
    losses.append(float(loss_of_64()))
for variable, start in zip(variables, started, strict=True):
    variable.assign(start)
all_slopes = -np.concatenate([np.ravel(way) for way in downhill])
all_slopes = all_slopes[np.argsort(np.abs(all_slopes))]
every = len(all_slopes) / 60
sixty = [float(all_slopes[int(every * (i + 0.5))]) for i in range(60)]
flattest, steepest = np.quantile(np.abs(all_slopes), [0.1, 0.9])
zoom = 60
assert 0.9 * zoom < steepest / flattest < 1.1 * zoom
assert rates[5] == 0.1
np.testing.assert_allclose([losses[0], losses[5]], [3.003, 2.625], atol=0.005)
assert rates[np.argmin(losses)] == 0.06
np.testing.assert_allclose(min(losses), 2.507, atol=0.005)
assert rates[-1] == 0.24
assert min(losses) < losses[5] < losses[0] < losses[-1]  # too far spoils it
touch(
    "gradient",
    f"<p>Of the slopes a tenth is steeper than {steepest:.4f}, and another tenth flatter than {flattest:.4f}. If each number"
    f" goes by a tenth of its slope, the loss falls from {losses[0]:.3f} to {losses[5]:.3f}. With a learning rate of {rates[-1]} it"
    f" rises to {losses[-1]:.3f}.</p>",
    slopes=[round(slope, 6) for slope in sixty],
    all=len(all_slopes),
    rates=rates,
    losses=[round(value, 6) for value in losses],
    now=0,
    zoom=zoom,
    close=False,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# At 0.06 it is lowest, 2.507. At 0.24 it is higher than before the nudge: too large a nudge spoils what a small one
# wins, because a slope holds for a short way only. (The code below takes a round 0.1, because
# the best rate of this step need not be the best of the next one.)
#
# </details>
#
# The next step takes 64 other texts, so its slopes are other ones: each batch is only a sample of all texts. That is
# one reason why a training goes up and down on its way. And now look 60 times as closely: a tenth of the numbers hardly
# moves at all.
#
# <details class="lesson-more" markdown="1"><summary>One step, drawn and in code</summary>
#
# Here is a step with a single text and three letters of its answer, at the prices from above:
#
# --8<-- "diagrams/one_step.svg"
#
# The decoder is given the right answers without their last id, `[:, :-1]`, and must say them [one place
# further](causal.py#one-date-is-eleven-examples), `[:, 1:]`. Each number loses a tenth of its slope:

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
np.testing.assert_allclose([now, after], [losses[0], losses[5]], rtol=1e-3)

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# To go downhill step by step, against the slopes, was an idea of Cauchy (1847), for calculations of astronomy.
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
# Is a slope right that the walk backwards found? Take the bias of the letter 0, in `untrained.project_logits.bias`.
# Compute the loss with 0.01 more and with 0.01 less. What should the difference be, divided by 0.02?

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
# The slope, and so it is, up to rounding. This is how one tests a program that walks backwards. Such a trial computes
# two losses, so 121,422 trials would compute 242,844, and the walk takes about as long as two or three.
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
# ? One machine always gives the right letter 0.8, and another one gives it 1 and 0.6 in turn. Whose mean loss is larger?
# - the first's, since it is never sure | It pays 0.22 at each letter. The other pays nothing and 0.51 in turn.
# + the second's | 0.26 against 0.22: one doubt costs more than a certainty saves.
# - they are equal, since both give it 0.8 on average | The logarithms count. 0 and 0.51 have the mean 0.26.
# ? A query mixes the values 1, 0.4 and 0 of three keys, and the mixture is 0.5. The loss would fall if the mixture became larger. Whose scores does a nudge raise?
# + only the first key's | Its value is above the mixture, so the mixture rises with its weight. More weight on 0.4 or 0 would lower it.
# - the first and the second key's, since both values are above 0 | What counts is the distance from the mixture, and 0.4 lies below 0.5.
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
# You know now which way each number must go. But one learning rate for all leaves a tenth of them nearly where they
# were. How far should each number go?
#
# * [Adam and the warm-up](adam.py): how far, and the program that trained our machine.
# * [Use it in a model of your own](../guides/use_it.py).
# * [Reference: transformer](../reference/transformer.md): every argument.
#
# Read on elsewhere: Linnainmaa (1976), [Taylor Expansion of the Accumulated Rounding
# Error](https://doi.org/10.1007/BF01931367); Rumelhart and others (1986), [Learning Representations by Back-Propagating
# Errors](https://doi.org/10.1038/323533a0); Baydin and others (2018), [Automatic Differentiation in Machine Learning: a
# Survey](https://arxiv.org/abs/1502.05767).

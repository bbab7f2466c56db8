# ---
# title: Norm first or norm last?
# description: Why a tower of twelve layers learns nothing in 800 steps with the norm after each part, and what moving it to the front changes. By hand, drawn, tried out, and the norm of today.
# slow: true
# ---

# %% [markdown]
# # Why does a tall tower forget its letters? { #how-tall-can-a-tower-be }
#
# A tower of six [layers](transformer_layer.py#which-towers-need-the-norm) learns in 800 steps to write eight digits
# backwards. Now put six more on top. The tall tower gets about 30 of 100 digits right, as many as if it only repeated
# the commonest digit of each text. A [warm-up](adam.py#warm-up) does not help. Yet the machines behind the chat
# programs have dozens of layers.
#
# After each part of a layer stands a plus, the *residual*, which carries the letter past the part. With a plus after
# every part, no letter should get lost. **Where have the letters gone?**

# %% tags=["remove-input"]
import sys

# The towers are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import matplotlib.pyplot as plt
import numpy as np
from examples.towers import (
    alikeness,
    cosines,
    of_different,
    tower,
    train,
    unseen,
    what_is_left,
)
from IPython.display import Markdown, display
from trained.ablations import shares

commonest = np.mean([np.bincount(row).max() / 8 for row in unseen])
assert min(shares("six layers, norm last")) == 1
assert 0.25 < min(shares("norm last")) <= max(shares("norm last, warm-up")) < 0.32
assert 0.27 < commonest < 0.32

# %% [markdown]
# ## The letter fades
#
# A norm divides the *whole* sum by its size, and so it divides the letter, too. Do it once by hand, with four numbers.
# The *size* of a vector is here the root of the mean of its squares, so our letter $x = (1, -1, 1, -1)$ has size 1.
# (The letters of this task are digits.) A part finds $(0.75, 0.75, -0.75, -0.75)$. The dot product of the two is 0, so
# they stand at a right angle, and then the *squares* of their sizes add up, as Pythagoras knew: $\sqrt{1^2 + 0.75^2} =
# 1.25$.
#
# --8<-- "diagrams/right_angle.svg"
#
# Now the norm divides the sum $(1.75, -0.25, 0.25, -1.75)$, whose mean is 0 already, by 1.25. That makes $(1.4, -0.2,
# 0.2, -1.4)$. The sum holds the letter once, so $1 / 1.25 = 0.8$ of it is left. One can also measure that: multiply the
# divided sum with the letter, number by number, and take the mean of the four:
#
# $$
# \frac{1.4 \cdot 1 + (-0.2)(-1) + 0.2 \cdot 1 + (-1.4)(-1)}{4} = \frac{3.2}{4} = 0.8
# $$
#
# (For the letter itself this mean is 1.) So one part and its norm leave 0.8 of the letter, and by "the letter" we still
# mean the vector that came in at the bottom. That sounds like plenty. But twelve layers have 24 parts, and before its
# training each part of our tower adds about 0.75. And each adds it nearly at a right angle, because two vectors of 32
# numbers that have nothing to do with each other mostly stand like that. (Measured between each letter and what is
# added to it, it is 88° on average.)
#
# What do 24 of them leave? Here are two towers of such triangles. On the left the norm divides the sum after each part,
# and on the right only once, at the top. **Climb both: how long is the letter in the end, compared with the sum?**

# %% tags=["live", "remove-input"]
import re
from pathlib import Path

from live import touch


def left(parts, adds, first):
    if first:
        return 1 / np.sqrt(1 + parts * adds**2)
    return (1 + adds**2) ** (-parts / 2)


assert round(left(24, 0.75, True), 2) == 0.26  # about a quarter
assert round(left(24, 0.75, False), 4) == 0.0047
assert round(left(12, 0.75, False), 2) == 0.07
assert round(left(48, 0.15, False), 2) == 0.59
assert round(left(48, 0.2, False), 2) == 0.39
assert left(48, 0.15, False) > 0.5 > left(48, 0.2, False)  # so the dare can be met
# Without scripts a drawing stands there: where the sum ends after each part, with 60 for a letter of size 1.
drawn = Path("../diagrams/letter_left.svg").read_text(encoding="utf-8")
for kind in ("last", "first"):
    ends = [1 + 0j]  # of the sum, with the letter along the real axis
    for _ in range(24):
        leg = 0.75 / (abs(ends[-1]) if kind == "first" else 1)
        ends.append(ends[-1] * (1 + 1j * leg))
    shrunk = 0.8**24 if kind == "last" else 1
    points = re.search(f'class="{kind}" d="M(.+?)"', drawn)[1].split("L")
    found = np.array([point.split() for point in points], float) / 60
    expected = shrunk * np.array([(end.real, -end.imag) for end in ends])
    np.testing.assert_allclose(found, expected, atol=1e-3)
    assert np.isclose(
        shrunk / abs(shrunk * ends[-1]), left(24, 0.75, kind == "first")
    )
triangle = Path("../diagrams/right_angle.svg").read_text(encoding="utf-8")
triangle = re.findall(r'class="number">([^<]+)<', triangle)
assert triangle == ["1", "0.75", f"{np.hypot(1, 0.75):.2f}"]
rounded = [f"{0.8**24:.3f}", "1", "1", f"{np.sqrt(1 + 24 * 0.75**2):.2f}"]
assert re.findall(r'class="number"[^>]*>([^<]+)<', drawn) == rounded
touch("tower", drawn, layers=12, adds=0.75, height=1)

# %% [markdown]
# **With a norm after each of 24 parts half a percent of the letter arrives at the top, and with a single norm about a
# quarter.** On the left each part leaves 0.8 of what has come to it, and $0.8^{24} = 0.0047$. On the right the squares
# add up, and $1 / \sqrt{1 + 24 \cdot 0.75^2} = 0.26$. (There each part reads a copy of the sum that was brought to size
# 1, so it adds as much as on the left. How, you will see below.)
#
# A dare: set "Layers" to 24, and find the largest "A part adds" with which more than half of the letter still arrives
# on the left.
#
# <details class="lesson-answer" markdown="1"><summary>How much may a part add?</summary>
#
# It is 0.15. Each of the 48 parts then leaves $1 / \sqrt{1 + 0.15^2} = 0.989$, and $0.989^{48} = 0.59$. With 0.2 only
# 0.39 arrives.
#
# </details>
#
# What arrives at the top instead of the letter? Mostly averages of the text, which the attentions add. Each layer turns
# its average with matrices of its own, so it points elsewhere than the letter. But it is nearly the same for all
# digits. So the more of these averages there is, and the less of the letter, the more alike all digits become. At the
# top of the left tower two digits of a text can hardly be told apart. Measured before the training, their cosine is
# 0.999 on average, where 1 would be the same direction. In the tower on the right it is 0.86, which leaves a difference
# to learn from.
#
# **So a tall tower with the norm last starts its training nearly blind.** The tower does learn, but slowly: with a
# third of the learning rate and three times as many steps, one such tower got all digits. But who would wait three
# times as long, if it were enough to move the norm?
#
# ## The norm in front
#
# The paper of 2017 draws the norm last. But its authors' own program soon had a second version, in which the norm
# stands **in front of each part**, and a note: "This version seems to cure failure-to-learn bugs."
#
# In this version the part reads the normed letter, and what it finds is added to the letter *as it is*. With $f$ for
# the part, *post-norm* is $\operatorname{Norm}(x + f(x))$, and *pre-norm* is $x + f(\operatorname{Norm}(x))$:
#
# --8<-- "diagrams/transformer_layer.svg"
#
# On the right nothing is divided on the way up. A single norm above the last layer brings the sum back to size 1.
#
# Only a quarter of the letter is left then. Is that enough? At least the digits of a text still differ there, so there
# is something to learn from. We trained three towers of each kind, and three more with a warm-up. Each dot is one
# tower:

# %% tags=["hide-input"] alt="Share of the digits that towers of twelve layers get right, four rows of three dots each. With the norm last, with and without a warm-up, all six dots stand near 30 %, at the line for whoever writes the commonest digit everywhere. With the norm first all six stand at or near 100 %."
rows = [f"norm {n}{more}" for n in ("last", "first") for more in ("", ", warm-up")]
_, ax = plt.subplots(figsize=(4.6, 2.3), layout="constrained")
for height, row in enumerate(rows):
    spread = height + np.array([-0.15, 0, 0.15])  # three dots, none hidden
    colour = "#009e73" if "first" in row else "#0072b2"
    ax.plot(shares(row), spread, "o", color=colour, ms=6, clip_on=False)
for at, says, start in (
    (0.1, "guessing", 0.0),
    (commonest, "the commonest digit", commonest - 0.03),
):
    ax.axvline(at, color="#808080", lw=1, ls=":")
    ax.text(start, -0.75, says, color="#808080", fontsize=9)
ax.set(xlim=(0, 1), ylim=(3.5, -0.5), yticks=range(4), yticklabels=rows)
ax.set_xlabel("digits right")
ax.set(xticks=(0, 0.25, 0.5, 0.75, 1), xticklabels=("0", "", "50 %", "", "100 %"))
ax.spines[["top", "right"]].set_visible(False)
plt.show()
assert min(shares("norm first")) > 0.95
assert min(shares("norm first, warm-up")) > 0.995
assert round(100 * np.mean(shares("norm first"))) == 99

# %% [markdown]
# **A quarter is enough: with the norm first, towers of twelve layers get 99 of 100 digits on average in the same 800
# steps, even without a warm-up.** "Probably this should become the default", the note went on, and in large language
# models it did.
#
# So put the norm first if your machine is deep. With few layers the norm last does no harm, and our date machine has
# it.

# %% tags=["live", "remove-input"]
# Dated trainings, once each, of twelve layers with the norm last: the fit of train for 2,400 steps on new examples, with
# rates of 1e-3 / 3 (all digits) and 1e-3 (89 of 100).
last, first = tower(12), tower(12, norm_first=True)
alike = [round(float(alikeness(model)), 3) for model in (last, first)]
assert alike[0] == 0.999
assert abs(alike[1] - 0.86) < 0.005
assert last.layers[0].output_dim == 32
left_last, left_first = what_is_left(last, 1, False), what_is_left(first, 1, True)
assert 0.003 < left_last < 0.008  # half a percent
assert 0.78 < left_last ** (1 / 24) < 0.82
assert 0.2 < left_first < 0.35  # about a quarter


def added(model):
    """What the parts of an untrained tower add: attention and feed-forward in turn."""
    model(unseen)  # to build it
    found, met = [], []
    for layer in model.layers[2].layers:
        for part in (layer.self_attention, layer.feed_forward):

            def listen(x, output, training=None, add=part.after):
                found.append(np.asarray(output))
                met.append(angle(np.asarray(x), found[-1]))
                return add(x, output)

            part.after = listen
    model(unseen)
    return found, met


def angle(x, output):
    """Return the mean angle between letters and what is added to them, without their means."""
    x, output = (each - each.mean(axis=-1, keepdims=True) for each in (x, output))
    lengths = np.linalg.norm(x, axis=-1) * np.linalg.norm(output, axis=-1)
    return np.degrees(np.arccos((x * output).sum(axis=-1) / lengths)).mean()


parts, angles = added(tower(12))
assert round(np.mean(angles)) == 88
sizes = [np.sqrt(np.mean(part**2, axis=-1)).mean() for part in parts]
assert 0.65 < np.mean(sizes) < 0.85  # the 0.75 of the lesson
same = [of_different(cosines(part)) for part in parts[::2]]
assert np.mean(same) > 0.95  # of attention: nearly the same for every digit
assert min(same[4:]) > 0.98

# %% [markdown]
# ## Your machine so far
#
# Your [`block`](transformer_layer.py#your-machine-so-far) has the norm last. Write the other one, and then a tower of
# such blocks (`parts` is a list of functions):
#
# ```python
# def block_first(x, part):
#     return ...  # the part reads the normed letter
#
# def tower_first(x, parts):
#     for part in parts:
#         x = block_first(x, part)
#     return ...
# ```
#
# Test it with the letter from above and with two parts that find $(0.75, 0.75, -0.75, -0.75)$ and $(0.75, -0.75, -0.75,
# 0.75)$, whatever they read. Then 0.686 of the letter should be left.


# %% tags=["answer"]
from examples.numpy_machine import norm  # as you know it


def block_first(x, part):
    return x + part(norm(x))


def tower_first(x, parts):
    for part in parts:
        x = block_first(x, part)
    return norm(x)


letter = np.array([1.0, -1, 1, -1])
finds = [np.array([0.75, 0.75, -0.75, -0.75]), np.array([0.75, -0.75, -0.75, 0.75])]
top = tower_first(letter, [lambda _, find=find: find for find in finds])
print(top.round(3))
print("of the letter:", (top @ letter / 4).round(3))

# %% tags=["live", "remove-input"]
np.testing.assert_allclose(top @ letter / 4, 0.686, atol=5e-4)
x = letter
for find, after, share in zip(
    finds,
    ([1.4, -0.2, 0.2, -1.4], [1.72, -0.76, -0.44, -0.52]),
    (0.8, 0.64),
    strict=True,
):
    assert find @ letter == 0
    x = norm(x + find)  # with the norm last
    np.testing.assert_allclose(x, after, atol=1e-5)
    assert np.isclose(x @ letter / 4, share, atol=1e-5)

# %% [markdown]
# In the package this is `EncoderLayer(..., norm_first=True)`.
#
# ## Which norm?
#
# The norm itself has changed as well. Most large language models whose recipe is known have **RMSNorm**, which divides
# by the root of the mean square, and does not subtract the mean first.
#
# <details class="lesson-more" markdown="1" id="the-norm-of-today"><summary>RMSNorm: what is given up?</summary>


# %%
def rms_norm(x, scale=1):
    return scale * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6)


lines = ["| numbers | norm | RMSNorm |", "| --- " * 3 + "|"]
for x in (np.array([1, 3, 5, 7]), np.array([101, 103, 105, 107])):
    row = [" ".join(f"{n:.2f}" for n in by(x)) for by in (norm, rms_norm)]
    lines.append(f"| {' '.join(map(str, x))} | {row[0]} | {row[1]} |")
display(Markdown("\n".join(lines)))
np.testing.assert_allclose(rms_norm(np.array([1.0, 3, 5, 7]))[0], 1 / np.sqrt(21))

# %% [markdown]
# Zhang and Sennrich (2019) found that machines trained as well with it as with the norm, and that each norm took less
# time.
#
# In the first line the mean square of 1, 3, 5 and 7 is $(1 + 9 + 25 + 49) / 4 = 21$, and $1 / \sqrt{21} = 0.22$. In the
# last line RMSNorm keeps the 100 that all numbers have in common, and the differences shrink to a few hundredths.
#
# </details>
#
# ## Exercises
#
# ### Exercise 1
#
# A tower with the norm first has a single part, which adds numbers of size 2 to letters of size 1. How much of the
# letter is left at the top? Would it be more or less with the norm last?

# %% tags=["answer"]
parts, adds = 1, 2.0
norm_first = 1 / np.sqrt(1 + parts * adds**2)
norm_last = (1 / np.sqrt(1 + adds**2)) ** parts
print(f"norm first: {norm_first:.3f}, norm last: {norm_last:.3f}")
assert np.isclose(norm_first, norm_last)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why are they the same?</summary>
#
# The squares add up to $1 + 4 = 5$, and $1 / \sqrt{5} = 0.447$. With a single part the letter is divided once in both
# cases, by the size of the same sum.
#
# </details>
#
# ### Exercise 2
#
# Is it really the letter's share that counts? Moving the norm may change more than that. So leave the norm last, and
# only make the letter louder: $\operatorname{Norm}(3x + f(x))$. Of this sum the letter is a share of $3 / \sqrt{3^2 +
# s^2}$. If each part adds numbers of size $s = 0.75$, how much should be left after 24 parts? And how many digits does
# such a tower get? (`tower` and `train` stand in `examples/towers.py`.)

# %% tags=["answer"]
share = (3 / np.sqrt(3**2 + 0.75**2)) ** 24
right = train(tower(12, residual=3), steps=300)[1]
print(f"left of the letter: {share:.2f}")
print(f"after 300 steps {100 * right:.0f} of 100 digits are right")
assert np.isclose(share, 0.48, atol=5e-3)  # about half, as the text says
assert right > 0.9  # as the text says

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What did you find?</summary>
#
# About half should be left, $0.97^{24}$. And one such tower got over 90 of 100 digits after 300 steps, where without
# the 3 it had learnt hardly anything in 800. So the share does count.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("norm_first")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? In an encoder with the norm last each part adds numbers as large as the letter, so about 0.7 of it is left each time. You go from two layers to four. How much of the letter is left at the top?
# - Half of what two layers leave. | Two more layers are four more parts, and each of them takes its share of what is left.
# + A quarter of what two layers leave. | Four more parts: 0.7 to the power of 4 is about 1/4.
# - As much as before, since the residuals carry the letter past the parts. | The residuals do carry it, but each norm divides the sum, and the letter with it.
# ? You swap the first two letters of a text. What happens at the top of a tower in which only averages of the text are left?
# + Hardly anything. | An average does not ask for the order. Such a tower can tell which digit is the commonest, and not where it stands.
# - The first two vectors swap. | So it would be if the letters themselves arrived at the top.
# - The first two vectors change their size. | With the norm last every vector has size 1, whatever it says.
# ? In a tower with the norm first, what grows from part to part?
# - The letter itself. | It goes up as it is.
# + What stands beside the letter in the sum. | Each part adds something, and nothing is divided until the top.
# - The scores of attention, since the sum grows. | A part reads normed numbers, whose size is always 1. Without any norm its scores would grow.
# ```
#
# </details>
#
# ## Where to go next
#
# Now a tower may be tall, and its letters still arrive. Their positions go up with them past all parts, since they are
# added only once, at the bottom. What if the same text begins a little further right?
#
# * [Positions that turn](turning_positions.py): why turn a vector, where one could simply add?
# * [What does a model's configuration mean?](../guides/model_configuration.py)
# * [Reference: blocks](../reference/blocks.md) and [layers](../reference/layers.md)
#
# Read on elsewhere: Xiong and others (2020), [On Layer Normalization in the Transformer
# Architecture](https://arxiv.org/abs/2002.04745); Liu and others (2020), [Understanding the Difficulty of Training
# Transformers](https://arxiv.org/abs/2004.08249); Zhang and Sennrich (2019), [Root Mean Square Layer
# Normalization](https://arxiv.org/abs/1910.07467).

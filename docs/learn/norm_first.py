# ---
# title: Norm first or norm last?
# description: Why a tower of twelve layers learns nothing with the norm behind each part, and nearly everything with the norm before it. By hand, drawn, tried out, and the norm of today.
# slow: true
# ---

# %% [markdown]
# # How tall can a tower be?
#
# Our date machine has one layer in each half. The machines behind the chat programs have dozens. In [the lesson on the
# layer](transformer_layer.py#a-tower-of-four) a tower of four layers learnt to write eight digits backwards, as long as
# each part had its residual. Now let the tower grow to twelve layers. The task, the residuals and the norms stay as
# they were, and the training is twice as long. Here is the share of the digits that the tower gets right, in three
# trainings that began with different random numbers. In the second line the training had a
# [warm-up](training.py#warm-up): its first 200 nudges were smaller, and grew from step to step.

# %% tags=["hide-input"]
import sys

# The towers are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
from IPython.display import Markdown, display
from trained.ablations import shares


def race(*names):
    for name in names:
        print(f"{name:20}", "   ".join(f"{share:4.0%}" for share in shares(name)))


race("norm last", "norm last, warm-up")
assert 0.25 < min(shares("norm last")) <= max(shares("norm last, warm-up")) < 0.32

# %% [markdown]
# Three digits in ten: that is about what the tower of four *without residuals* got right, which wrote the commonest
# digit of the text in all eight places. But this tower has its residuals. What has become of them?
#
# ## The letter fades
#
# Follow one letter on its way up. (In this task a letter is a digit. By "the letter" we mean what came in at the
# bottom.) At each part two things happen to it. First something is **added**: what the part
# found. Then the norm **divides** the sum by its size, so that its size is 1 again. And it divides *everything*, the
# letter too. In our tower, before its training, about 0.8 of the letter is left each time, on average. (How this is
# measured, you will see [below](#by-hand).)
#
# If that happened once, it would do no harm. Four layers have 8 parts, and leave $0.8^8 = 0.17$ of the letter. That was
# enough: the tower of four learnt its task. But twelve layers have 24 parts, and $0.8^{24}$ is 0.0047. Look at the
# left half of the drawing, and read it from below. Each bar is the sum after one more part, and its dark end is what
# is left of the letter:
#
# --8<-- "diagrams/letter_left.svg"
#
# The letter arrives at the top with half a percent of its size. All else was added on the way: averages of averages, in
# which all letters are alike, and what the networks made of them. The residuals are there, but what they carry does not
# survive the norms. (The bars are sizes, and not pieces of a cake: 0.8 of the letter and 0.6 of something else make a
# sum of size 1, because $0.8^2 + 0.6^2 = 1$.)
#
# So the norm has to stand somewhere else. In the right half of the drawing it stands **in front of each part**: the
# part reads the normed letter, and what it found is added to the letter *as it is*. Nothing divides the letter on its
# way. The sum grows, to nearly four times the letter, and a single norm above the last layer brings it back to size 1.
# The letter still has about a quarter of its size there, fifty times as much as with the norm last.
#
# The norm behind each part is called *post-norm*, and the norm in front of each part *pre-norm*. Here is one layer of
# each kind. Read it from below: the line that runs past a part is its residual.
#
# --8<-- "diagrams/transformer_layer.svg"
#
# Now the same race with the norm first. Is a quarter of the letter enough, or will it be three digits in ten again?

# %% tags=["answer"]
race("norm first", "norm first, warm-up")
print("nearly all digits are right, and with a warm-up all of them")
assert min(shares("norm first")) > 0.95 > 0.32 > max(shares("norm last, warm-up"))
assert min(shares("norm first, warm-up")) > 0.995

# %% [markdown]
# ## By hand
#
# A letter has the vector $x = (1, -1, 1, -1)$. Its mean is 0 and its size is 1. (As before, the size is the root of the
# mean square. All means in this section are 0.) Above it stand two parts. The first one finds $(0.75, 0.75, -0.75,
# -0.75)$, and the second one finds $(0.75, -0.75, -0.75, 0.75)$. Both vectors have nothing in common with the letter,
# and nothing with each other: all these dot products are 0.
#
# **Norm last.** The first sum is $(1.75, -0.25, 0.25, -1.75)$. Its mean square is
#
# $$
# \frac{3.0625 + 0.0625 + 0.0625 + 3.0625}{4} = 1.5625,
# $$
#
# so its size is 1.25, and the norm makes $(1.4, -0.2, 0.2, -1.4)$ of it. How much of the letter is in there? Multiply
# with the letter, number by number, and take the mean:
#
# $$
# \frac{1.4 \cdot 1 + (-0.2)(-1) + 0.2 \cdot 1 + (-1.4)(-1)}{4} = \frac{3.2}{4} = 0.8
# $$
#
# The second part adds its numbers, which gives $(2.15, -0.95, -0.55, -0.65)$. The size is 1.25 again, and after the
# norm $(1.72, -0.76, -0.44, -0.52)$ there is $2.56 / 4 = 0.64$ of the letter left. That is $0.8 \cdot 0.8$.
#
# **Norm first.** Both finds are simply added to the letter: $(2.5, -1, -0.5, -1)$. Measured in the same way, there is
# $(2.5 + 1 - 0.5 + 1) / 4 = 1$ of the letter in it, all of it. Only now the norm at the top divides by the size, which
# is $\sqrt{8.5 / 4} = 1.458$. So $1 / 1.458 = 0.686$ of the letter is left.
#
# After two parts the two ways hardly differ: 0.64 and 0.69. What makes the difference is the height.
#
# ## The formula
#
# With $f$ for a part, the two ways are
#
# $$
# \text{norm last: } \operatorname{Norm}(x + f(x)) \qquad\qquad \text{norm first: } x + f(\operatorname{Norm}(x))
# $$
#
# Why was the size 1.25, and not 1.75? For a number $a$ of the letter and a number $b$ that is added to it,
# $(a + b)^2 = a^2 + 2ab + b^2$. The products $ab$ are as often negative as positive, and cancel, if what is added
# has nothing to do with the letter. (That is an assumption. Exercise 2 shows how far it carries.) (The coins in the [lesson on
# attention](attention.py#why-divide-by-the-root-of-d_k) cancelled in the same way.) So only the *squares* add up:
# $\sqrt{1^2 + 0.75^2} = 1.25$. If each part adds numbers of size $s$, this is left of the letter after $n$ parts:
#
# $$
# \text{norm last: } \left(\frac{1}{\sqrt{1 + s^2}}\right)^{n} \qquad\qquad
# \text{norm first: } \frac{1}{\sqrt{1 + n s^2}}
# $$
#
# With the norm last it is a power, which halves after every third part. With the norm first it is a root, which falls
# ever more slowly. In our tower $s$ is about 0.75 before the training, which gives the 0.8. To measure the 0.8, we
# let the untrained tower read 500 texts, and write down the size of each sum before its norm divides it: about 1.25, and
# $1 / 1.25 = 0.8$.
#
# Try it out. At first you see our twelve layers with the norm last. But predict first:
#
# 1. Take away layers. At how many is a tenth of the letter left?
# 2. Take 24 layers with the norm *first*. How much is left of the letter?
# 3. Back to 24 layers with the norm last. Can the parts be made so quiet that half of the letter arrives at the top?

# %% tags=["live", "remove-input"]
from live import touch


def left(parts, adds, first):
    if first:
        return 1 / np.sqrt(1 + parts * adds**2)
    return (1 + adds**2) ** (-parts / 2)


np.testing.assert_allclose(left(24, 0.75, False), 0.8**24)
assert left(10, 0.75, False) > 0.1 > left(12, 0.75, False)
assert round(left(48, 0.75, True), 2) == 0.19
assert left(48, 0.15, False) > 0.5 > left(48, 0.2, False)
touch(
    "tower",
    f"<p>After 24 parts that add numbers of size 0.75, {left(24, 0.75, False):.2%} of the letter is left with the norm"
    f" last, and {left(24, 0.75, True):.0%} with the norm first.</p>",
    layers=12,
    adds=0.75,
    first=False,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# 1. At five, which leave 0.11. Six leave less than 0.07.
# 2. 0.19. With twelve layers it was 0.26, and with the norm last it would be 0.00002.
# 3. Yes, if each part adds numbers of size 0.17 or less, which is 0.15 on the slider. Quiet parts are a second
#    remedy, and the next section tries a relative of it.
#
# </details>
#
# ## A check: make the letter louder
#
# So far this is a story. It fits what we saw, but many stories would. Here is a way to test it. If towers with the norm
# last fail because the letter fades, they should succeed as soon as the letter is made *louder* than what is added to
# it, and nothing else is changed. So let what comes into each part count three times, and what the part adds only once:
# $\operatorname{Norm}(3x + f(x))$. The norm divides both alike, so at each part less of what came in is lost.
#
# Before the training we measure how much of the letter is left at the top, and how alike two letters are there: 1 means
# that their vectors have the same direction. Then the tower is trained:

# %% tags=["hide-input"]
from examples.towers import alikeness, tower, train, unseen, what_is_left

found_left, found_alike = {}, {}
lines = [
    "| twelve layers | left of the letter | alike | steps | digits right |",
    "| --- " * 5 + "|",
]
for name, times, norm_first in (
    ("norm last", 1, False),
    ("norm first", 1, True),
    ("norm last, letter three times", 3, False),
):
    model = tower(12, residual=times, norm_first=norm_first)
    found_alike[name] = alikeness(model)
    found_left[name] = what_is_left(model, times, norm_first)
    learnt = train(model, steps=300)[1] if times == 3 else np.mean(shares(name))
    lines.append(
        f"| {name} | {found_left[name]:.1%} | {found_alike[name]:.3f} |"
        f" {300 if times == 3 else 800} | {learnt:.0%} |"
    )
display(Markdown("\n".join(lines)))
assert 0.78 < found_left["norm last"] ** (1 / 24) < 0.82
assert found_left["norm first"] > 20 * found_left["norm last"]
assert found_alike["norm last"] > 0.99 > 0.95 > found_alike["norm first"]
assert found_alike["norm last, letter three times"] < 0.9 < learnt
assert 0.2 < found_left["norm first"] < 0.35  # about a quarter

# %% tags=["live", "remove-input"]
import re
from pathlib import Path

# The bars and the numbers of the drawing: parts add numbers of size 0.75.
drawn = Path("../diagrams/letter_left.svg").read_text(encoding="utf-8")
parts = np.arange(25)
expected = {"last": 0.8**parts, "whole": np.sqrt(1 + parts * 0.75**2)}
for name, lengths in expected.items():
    bars = re.findall(
        r"h([\d.]+)", re.search(f'class="{name}" d="(.+?)"', drawn)[1]
    )
    np.testing.assert_allclose(np.array(bars, float) / 56, lengths, atol=1e-3)
rounded = [
    f"{0.8**n:.{places}f}" for n, places in ((1, 1), (6, 2), (8, 2), (24, 3))
]
assert re.findall(r'class="number"[^>]*>([^<]+)<', drawn) == rounded

# %% [markdown]
# It learns, and in less than half of the steps. (The last line is one training. Each of the others is the mean of its
# three trainings in the race.) So the story has passed a test that it could have failed.
#
# Why does the training of the first tower not help itself, by making its parts quieter? We think the reason is that a
# training tries small changes. If one part gets a little quieter, then still hardly more than half a percent gets
# through, which hardly changes the loss. And there may be a second reason. What divides the letter on its way up also
# divides the [slopes](training.py#a-nudge) of the first layers on their way down, so that these layers hardly learn. A
# louder letter mends both, so neither our race nor our check can tell the two reasons apart.
#
# ## And without any norm?
#
# If norms divide the letter, why not leave them out? A tower of four layers [can do
# without](transformer_layer.py#a-tower-of-four). Here is the same race for twelve layers without any norm:

# %% tags=["hide-input"]
race("no norm", "no norm, warm-up")
assert max(shares("no norm") + shares("no norm, warm-up")) < 0.2

# %% [markdown]
# They do hardly better than one who guesses among ten digits. The picture shows why. It is the size of the numbers in
# towers that are not trained yet. With the norm last it stays at 1. With the norm first it grows, but ever more slowly,
# because each part reads normed numbers. Without a norm it grows by about the same factor in each layer, because each
# part reads what has already grown:

# %% tags=["hide-input"] alt="Size of the numbers after each of 12 layers, on a logarithmic axis. With the norm last it stays at 1. With the norm first it grows slowly, ever more slowly. Without a norm it grows by about the same factor in each layer, nearly a straight line."
import matplotlib.pyplot as plt

sizes = {}
for name, how in {
    "norm last": {},
    "norm first": {"norm_first": True},
    "no norm": {"norm": False},
}.items():
    model = tower(12, **how)
    stream = model.layers[1](model.layers[0](unseen))
    stages = [stream := layer(stream) for layer in model.layers[2].layers]
    sizes[name] = [
        float(np.sqrt(np.mean(stage**2, axis=-1)).mean()) for stage in stages
    ]
    print(f"{name:10}  size after layers 1, 6 and 12:", end=" ")
    print(np.round([sizes[name][i] for i in (0, 5, 11)], 1))
assert sizes["no norm"][-1] > 10 * sizes["norm first"][-1]

figure, ax = plt.subplots(figsize=(5, 2.8), layout="constrained")
for (name, size), dash in zip(sizes.items(), ("-.", "-", "--"), strict=True):
    ax.semilogy(range(1, 13), size, dash, lw=2, label=name)
ax.set(xlabel="after layer", ylabel="size", xlim=(1, 12))
ax.set_xticks(range(2, 13, 2))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, fontsize=8)
plt.show()

# %% [markdown]
# So the norm has a task that nothing else here takes over: it keeps the numbers that a *part reads* at one size. It
# only must not stand where it divides the letter.
#
# ## Which should you take?
#
# In a deep machine, put the **norm first**. With few layers, as in our date machine, it may stand first or last,
# because enough of the letter is left.
#
# This is good advice and no law. BERT (2018) stacked 24 layers with the norm last, and trained them with warm-up, small
# nudges and a million steps. We did not try so many. And a louder letter helps in far taller towers than ours: with a
# factor that grows with the number of layers, and with smaller numbers at the beginning, Wang and others (2022) trained
# a thousand layers with the norm last.
#
# There is a trap. A single layer of one kind takes the weights of the other kind without complaint, because their
# shapes are the same, and then computes something else. (Only a whole tower complains, because of the one norm at its
# top.)
#
# ## Your machine so far
#
# Your [`block`](transformer_layer.py#your-machine-so-far) has the norm last. Write the other one, and a tower of such
# blocks. `parts` is a list of functions, such as attention. Do not forget the norm at the top:
#
# ```python
# def block_first(x, part):
#     return ...  # the part reads the normed letter
#
#
# def tower_first(x, parts):
#     for part in parts:
#         x = block_first(x, part)
#     return ...
# ```
#
# Test it with the two parts of the calculation above, which find the same whatever they read.


# %% tags=["answer"]
def norm(x, scale=1, shift=0):
    x = x - x.mean(axis=-1, keepdims=True)
    return scale * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6) + shift


def block_first(x, part):
    return x + part(norm(x))


def tower_first(x, parts):
    for part in parts:
        x = block_first(x, part)
    return norm(x)


letter = np.array([1.0, -1, 1, -1])
finds = [np.array([0.75, 0.75, -0.75, -0.75]), np.array([0.75, -0.75, -0.75, 0.75])]
top = tower_first(letter, [lambda _, find=find: find for find in finds])
print(top.round(3), " of the letter:", (top @ letter / 4).round(3))
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
# In the package this is `EncoderLayer(..., norm_first=True)`, and [here](transformer_layer.py#the-function-read) are
# the two functions that read this switch. `Encoder` and `Decoder` add the norm at the top.
#
# ## The norm of today
#
# A deep machine computes a norm at every part. So people asked which half of a norm is needed: that the mean becomes 0,
# or that the size becomes 1? Zhang and Sennrich (2019) left out the mean. Their **RMSNorm** divides by the root of the
# mean square, and subtracts nothing. (RMS is short for *root mean square*.) It has a `scale` to be trained, and no
# `shift`. Machines trained as well as before, and each norm took less time. Most of the large language models whose
# recipe is known have it now.


# %%
def rms_norm(x, scale=1):
    return scale * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6)


for x in (np.array([1.0, 3, 5, 7]), np.array([101.0, 103, 105, 107])):
    print(x, " norm:", norm(x).round(2), " RMSNorm:", rms_norm(x).round(2))
np.testing.assert_allclose(rms_norm(np.array([1.0, 3, 5, 7]))[0], 1 / np.sqrt(21))

# %% [markdown]
# The mean square of 1, 3, 5 and 7 is $(1 + 9 + 25 + 49) / 4 = 21$, and $1 / \sqrt{21} = 0.22$. The second line shows
# what is given up. When all numbers have 100 in common, the norm takes the 100 away. RMSNorm keeps it, and the
# differences shrink to a few hundredths.
#
# ## Who found this, and when
#
# The Transformer of 2017 had six layers, and the norm last. Programs for it soon moved the norm to the front, because
# this trained more easily, and GPT-2 (2019) had 48 layers with the norm first. Xiong and others explained in 2020 why
# post-norm needs warm-up, and pre-norm does not. With the norm last, a nudge of the last layers changes the loss very
# much when the training begins. In our tower of twelve layers, warm-up alone was not enough. That letters become alike
# in towers of attention, without residuals and networks, was proved by Dong and others (2021).
#
# ## Exercises
#
# ### Exercise 1
#
# A part of a tower with the norm first has learnt to add numbers of size 2 to letters of size 1. There is only this one
# part. How much of the letter is left at the top? And would it be more or less with the norm last?

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
# cases, by the size of the same sum: here by the norm behind the part, there by the norm at the top. From the second
# part on they differ.
#
# </details>
#
# ### Exercise 2
#
# For the check the letter counted three times in every sum. Why three? With the norm last and twelve layers, how much
# of the letter should be left at the top if it counts twice, three times, five times? (Each part adds numbers of size
# 0.75.) Compare with what was measured.

# %% tags=["answer"]
for times in (1, 2, 3, 5):
    share = times / np.sqrt(times**2 + 0.75**2)  # after one part
    print(f"{times} times: {share:.3f} after a part, {share**24:.1%} after 24")
assert 0.4 < (3 / np.sqrt(9 + 0.75**2)) ** 24 < 0.5

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why three?</summary>
#
# It is the first whole number with which about half of the letter arrives. The measured share is larger. So in
# that tower the parts add less than 0.75, or what they add has a little in common with the letter.
#
# </details>
#
# ### An open question
#
# In the towers of this page every letter counts once in the sum, or three times. One can also let the tower *learn* how
# much each part adds: what a part found is multiplied with a trained number, which begins at 0. (Bachlechner and others
# did this in 2020, and left out the norm.) What does such a tower hand on before its training? What do you expect of
# twelve layers? The towers are in `examples/towers.py` of the repository, less than a hundred lines with everything.
# The line to change is the one that makes `total`. We give no answer here.
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("norm_first")

# %% [markdown]
# ```self-check
# ? A tower of twelve layers, with the norm last, learns next to nothing. Which change helped in our race?
# - The norms go: they divide the letter on its way. | Without norms the numbers grow from layer to layer, and twelve such layers do no better than guessing.
# - Warm-up comes in: smaller nudges at first. | In our race, warm-up alone was not enough for twelve layers.
# - The residuals go, since they don't help here. | They are there, but do not survive the norms. Without them all letters look alike even in four layers.
# + The norms move in front of the parts. | Then nothing divides the letter on its way, and it arrives at the top.
# ? Why does a date machine with one layer in each half work with the norm last?
# - Its letters are louder than those of the tower. | Their size is 1 after each norm, as in the tower.
# + With two or three parts, enough of the letter is left. | 0.8 times 0.8 is 0.64. It takes many parts until next to nothing is left.
# - It has no residuals. | It has one around each part. Without them it loses many dates.
# ? In a tower with the norm first, what grows from part to part?
# - The letter itself. | It goes up as it is.
# + What stands beside the letter in the sum. | Each part adds something, and nothing is divided until the top.
# - The numbers that a part reads. | A part reads normed numbers, whose size is always 1.
# ```
#
# ## Where to go next
#
# **Your machine so far:** the whole Transformer of [lesson 9](recap.py#put-together-by-hand), attention by blocks, and
# now blocks with the norm first, which can be stacked as high as you like.
#
# The norm is what nearly everybody has moved since 2017. The positions are next. In our machine they are added to the
# letter once, at the bottom of the tower. What if a letter stands further right than any letter of the training did?
#
# * [Positions that turn](turning_positions.py): why turn a vector, where one could simply add?
# * [What does a model's configuration mean?](../guides/model_configuration.py) There `rms_norm_eps` says that the norm
#   is RMSNorm.
# * [Reference: blocks](../reference/blocks.md) and [layers](../reference/layers.md): `norm_first` among all arguments.
#
# Read on elsewhere: Xiong and others (2020), [On Layer Normalization in the Transformer
# Architecture](https://arxiv.org/abs/2002.04745); Zhang and Sennrich (2019), [Root Mean Square Layer
# Normalization](https://arxiv.org/abs/1910.07467); Wang and others (2022), [DeepNet: Scaling Transformers to 1,000
# Layers](https://arxiv.org/abs/2203.00555).

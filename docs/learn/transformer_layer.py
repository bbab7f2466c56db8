# ---
# title: The Transformer layer
# description: What holds a deep machine together. Residual and norm, each switched off in a tower of layers, computed by hand and in the source.
# slow: true
# ---

# %% [markdown]
# # What holds a deep machine together?
#
# We took one sign out of the program of our date machine, a plus that stands after every part. Trained for only 500
# steps, it reads 70 of 100 dates, where a machine *with* this plus, trained as long, reads 98. Here are some of its
# mistakes:

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
import trained
from clear_attention import create_date_pairs, date_tokenizers, greedy_search
from date_machine import comparison, machine
from IPython.display import Markdown, display
from trained.ablations import shares

source, target = date_tokenizers()


def written(name, texts):
    ids = source.encode(texts, length=34)
    return target.decode(greedy_search(trained.load(name)[0], ids, max_length=11))


texts, right = create_date_pairs(500, seed=1, split="test")
answers = zip(texts, written("dates-no-residual", texts), right, strict=True)
wrong = [row for row in answers if row[1] != row[2]]
mixed_up = [row for row in wrong if sorted(row[1]) == sorted(row[2])]
lines = ["| text | it writes | right |", "| --- | --- | --- |"]
lines += [
    f"| {text} | {answer} | {meant} |" for text, answer, meant in mixed_up[:3]
]
display(Markdown("\n".join(lines)))
assert 0.6 < len(mixed_up) / len(wrong) < 0.72  # two of three
_, brief, brief_record = trained.kept("dates-brief")
_, without_plus, record = trained.kept("dates-no-residual")
assert brief["steps"] == without_plus["steps"] == 500
assert 0.975 < brief_record["exact"] < 0.985
assert 0.695 < record["exact"] < 0.705
assert "2003" in mixed_up[0][0]  # as the text says
assert mixed_up[0][1].startswith("2030")
assert ("1958", "1985") in [
    (meant[:4], answer[:4]) for _, answer, meant in mixed_up[:3]
]
# %% [markdown]
# The year 2003 becomes 2030, and 1958 becomes 1985. In two of three mistakes the machine has found every digit, and has
# forgotten their order. It errs like a machine [without positions](positions.py), but it is told every
# position. **What did this plus do?**

# %% tags=["live", "remove-input"]
from live import bet, touch

texts, right = create_date_pairs(4000, seed=2, split="test")
chosen = [pair for pair in zip(texts, right, strict=True) if pair[1][:4] in pair[0]]
texts, right = zip(*chosen, strict=True)
answers = written("dates-no-residual", [*texts])
year = np.array([a[:4] == b[:4] for a, b in zip(answers, right, strict=True)])
turned = np.array([int(date[:2] + date[3] + date[2]) for date in right])
double = np.array([date[2] == date[3] for date in right])
ours = (turned >= 1950) & (turned < 2050)
assert (
    {date[:4] >= "1950" for date in right} == {True} == {d < "205" for d in right}
)
assert min(year[double].mean(), year[~ours].mean()) > 0.97
assert abs(year[ours & ~double].mean() - 0.5) < 0.1

# %% [markdown]
# ## Add, do not replace
#
# Attention brings each letter an average of what the letters say. And what becomes of the letter itself?
#
# In our mistaken machine the average *replaces* it. The missing plus *adds* the average to the letter, so that a letter
# keeps what it was, and each part has to find only what is still missing. This plus after each part is called the
# **residual**.
#
# Here a whole machine stands beside the one without residuals. **Press one date after the other: which years does it
# get wrong?**

# %% tags=["live", "hide-input"]
names = ["dates", "dates-brief", "dates-no-residual"]
assert trained.kept("dates")[1]["steps"] == 1000
called = {"dates": ("whole", "")}
years = ("1962", "1973", "1978", "1987", "1957", "1975")
tries = [f"may 5th, {year}" for year in years]
its_years = [answer[:4] for answer in written("dates-no-residual", tries)]
assert its_years == ["1962", "1973", "1987", "1987", "1975", "1975"]
machine(
    *names,
    piece="beside",
    sibling="dates-no-residual",
    text=mixed_up[0][0],
    tries=tries,
    called=called,
    without=comparison(*names, called=called),
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# Of 1978 and 1987 it makes the same year. But then why is 1962 right? All our dates lie between 1950 and 2049, and 1926
# is none of these years, so only one order is left. Where both orders are possible, it gets only half of the years
# right.
#
# </details>
#
# So it finds the digits of the year, and can only guess their order.
#
# ## A tower of four
#
# Our date machine is shallow: one **layer** reads, and one writes. A layer has two *parts*, an attention and then a
# small network that works on each letter alone. Now we stack four such layers, and train this *tower* for a task in
# which the place is everything: eight digits go in at the bottom, and at the top they must stand there backwards.
#
# --8<-- "diagrams/digit_tower.svg"
#
# With its residuals the tower learns that in 400 steps. Without them we train it for twice as long. **How many
# of 100 digits does it get right?** Pure guessing gets ten.

# %% tags=["live", "hide-input"]
import keras
from examples.towers import (
    EVERY,
    alikeness,
    tower,
    train,
    unseen,
)

towers = {
    "whole": tower(),
    "without the norms": tower(norm=False),
    "without the residuals": tower(residual=0),
}


def stations(model, text):
    """What the digits of texts are, before the layers and after each of them."""
    model(text)
    embed, place, encoder, _ = model.layers
    found = [place(embed(text))]
    for layer in encoder.layers:
        found.append(layer(found[-1]))
    return [x.numpy() for x in found]


compared = ("whole", "without the residuals")
before = {name: alikeness(towers[name]) for name in compared}
results = {name: train(model) for name, model in towers.items()}
curve, _ = results["without the residuals"]
longer, share = train(towers["without the residuals"])  # the same examples again
results["without the residuals"] = curve + longer, share
after = {name: alikeness(towers[name]) for name in compared}
# two digits of one text, above the last layer, before the training and after it
assert min(when["without the residuals"] for when in (before, after)) > 0.98
assert after["whole"] < 0.2 < 0.5 < before["whole"] < 0.95
without_residuals = round(100 * float(results["without the residuals"][1]), 1)
bet(
    "transformer_layer/tower",
    [
        (
            "without the residuals",
            without_residuals,
            "It does better than guessing, because a mixture still tells which digit is common.",
            "Where each average replaces the digit, soon all digits are alike, and none knows its place.",
        ),
    ],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# About 30. Here is what it writes for the first eight digits of π:

# %% tags=["hide-input"]
text = np.array([[3, 1, 4, 1, 5, 9, 2, 6]])
wrote = {name: np.argmax(model(text)[0], axis=-1) for name, model in towers.items()}
print("the text             ", *text[0])
print("backwards            ", *text[0, ::-1])
for name in ("whole", "without the residuals"):
    print(f"{name:21}", *wrote[name])
commonest = np.mean([np.bincount(row).max() / 8 for row in unseen])
assert results["whole"][1] > 0.95
assert results["without the norms"][1] > 0.8
assert 0.25 < results["without the residuals"][1] < 0.35  # about 30
assert 0.27 < commonest < 0.32  # about three in ten
assert abs(results["without the residuals"][1] - commonest) < 0.05
answers = np.argmax(towers["without the residuals"](unseen), axis=-1)
assert np.mean(answers == answers[:, :1]) > 0.8  # the same digit everywhere
assert (wrote["without the residuals"] == 1).all()
assert (wrote["whole"] == text[0, ::-1]).all()
learnt = {  # the first step at which the loss is below 1
    name: EVERY * (1 + int(np.argmax(np.array(curve) < 1)))
    for name, (curve, _) in results.items()
}
assert learnt["whole"] < learnt["without the norms"]  # which learns later

# %% [markdown]
# Of eight random digits one nearly always comes twice or more, and whoever writes that one everywhere gets about three
# in ten right.
#
# </details>
#
# The trained tower without residuals writes the commonest digit in nearly every place.
#
# ### Why are the places lost?
#
# To see it, go back to the *untrained* tower. Give each digit a drop of its own paint. In each layer a digit fetches
# paint from all eight, from each as much as its attention weight says.
#
# **Add layers until all drops have one colour. Then tick the residual, and look again.**


# %% tags=["live", "hide-input"]
from live import coded, grid


def size(x):
    return np.sqrt((x**2).mean(axis=-1)).mean()


def painted(residual):
    """What each layer of an untrained tower mixes: the weights, and the share that its residual keeps."""
    layers, model = [], tower(residual=residual)
    for layer, x in zip(
        model.layers[2].layers, stations(model, text)[:-1], strict=True
    ):
        read = keras.ops.convert_to_tensor(x)
        found, weights = layer.self_attention.attention(read, return_weights=True)
        kept = residual * size(x)
        keeps = kept / (kept + size(found.numpy()))
        layers.append((weights.numpy()[0, 0], float(keeps)))
    return layers


def mixed(layers):
    """Which share of each paint is in each drop above the layers."""
    drops = np.eye(8)
    for weights, keeps in layers:
        drops = keeps * drops + (1 - keeps) * weights @ drops
    return drops


def in_common(drops):
    both = np.minimum(drops[:, None], drops[None]).sum(axis=-1)
    return both[~np.eye(8, dtype=bool)].mean()


paints = {residual: painted(residual) for residual in (0, 1)}
digits = [str(digit) for digit in text[0]]
assert in_common(mixed(paints[0][:1])) < 0.8
assert in_common(mixed(paints[0][:2])) > 0.99  # from the second layer on
kept_up = np.prod([keeps for _, keeps in paints[1]])
assert 0.08 < kept_up < 0.12  # a tenth
assert all(0.5 < keeps < 0.6 for _, keeps in paints[1])
touch(
    "paint",
    grid(
        "Shares of each paint, after two layers without residuals",
        mixed(paints[0][:2]),
        digits,
        digits,
    ),
    letters=digits,
    residual=False,
    layer=1,
    row=1,
    place=0,
    towers={
        str(residual): [
            {"weights": coded(weights), "keeps": round(keeps, 3)}
            for weights, keeps in layers
        ]
        for residual, layers in paints.items()
    },
)

# %% [markdown]
# Averages of averages differ less and less: after one layer the drops are similar, and after two you see only one
# brown. The 800 steps of training did not pull them apart again. And a digit whose drop looks like all the others
# cannot say where it stands.
#
# With the residual, what is fetched turns brown as well. But in the middle of each drop stands the digit's own paint,
# carried past every part. **After four layers it is only a tenth of the drop, and you can still tell the drops apart.**
#
# The plus also helps the [training](training.py#a-nudge). There each trained number is told, from the top of the tower
# downwards, which way to change, by its *slope*. A sum passes this on unchanged.
#
# ## Back to size
#
# So the plus saves the digits. But whoever only adds gets larger and larger numbers. Is that any harm?
#
# Here the 5 of 31415926 climbs twelve layers with residuals, again *untrained*. The *size* of a digit is the root of
# the mean square of its numbers, and the disc shows the mean size of many digits. **Climb, and watch the disc and the
# weights. Then tick the norms.**


# %% tags=["live", "hide-input"]
def climbed(model):
    """How large digits are before and after each layer, and what weights the chosen one gives there."""
    weights = []
    for layer, x in zip(
        model.layers[2].layers, stations(model, text)[:-1], strict=True
    ):
        read = keras.ops.convert_to_tensor(x)
        _, found = layer.self_attention.attention(read, return_weights=True)
        weights.append(found.numpy()[0, 0, 4].astype(float).round(3).tolist())
    sizes = [round(float(size(x)), 3) for x in stations(model, unseen)]
    return {"sizes": sizes, "weights": weights}


heights = {str(int(norm)): climbed(tower(12, norm=norm)) for norm in (False, True)}
(sizes, weights), (calm, even) = ([*found.values()] for found in heights.values())
grown = sizes[-1] / sizes[0]
assert round(grown) == 184
assert min(max(row) for row in weights[5:]) > 0.98
assert abs(np.array(even[-1]) - 1 / 8).max() < 0.02
np.testing.assert_allclose(calm[1:], 1, atol=0.01)
touch(
    "bursting",
    grid(
        "Size after each of twelve layers, and the largest of eight weights",
        [
            sizes[1:],
            [max(row) for row in weights],
            calm[1:],
            [max(row) for row in even],
        ],
        ["size, no norms", "largest weight", "size, with norms", "largest weight"],
        [str(n) for n in range(1, 13)],
    ),
    letters=digits,
    place=4,
    layer=4,
    norm=False,
    towers=heights,
)

# %% [markdown]
# On average each layer makes the digits about one and a half times as large, as with interest on interest. After twelve
# layers the digits are **184 times** as large.
#
# And that is harm. A [score](attention.py) is a product of a query and a key, and both are made of digits, so large
# digits have huge scores. The 5 gives nearly all of its weight to one digit, before it has learnt to which.
#
# So divide. The **norm**, short for *layer normalization*, does that after each plus: it divides the numbers of each
# digit by their own size, so that this size is always 1. So they never grow, and even in the twelfth layer the 5 gives
# every digit about an eighth of its weight. It has not chosen yet, and the training may still teach it whom to choose.
#
# From here on we say *letter* again. Here is one whole layer, to be read from below. *Feed-forward* is the small
# network:
#
# --8<-- "diagrams/layer.svg"
#
# ## By hand
#
# For the letter $(1, 2, 0, 1)$ attention found $(0, 1, 5, 6)$. **The residual** adds the two:
#
# $$
# (1, 2, 0, 1) + (0, 1, 5, 6) = (1, 3, 5, 7)
# $$
#
# **The norm** brings this sum to size 1. But first it takes away what all its numbers have in common, their mean.
# Against growth that is not needed, and many [newer models](norm_first.py#which-should-you-take) leave it out. The mean
# is 4. Subtract it: $(-3, -1, 1, 3)$. The size is $\sqrt{(9 + 1 + 1 + 9) / 4} = \sqrt{5} = 2.236$. Divide by it:
#
# $$
# (-1.342, -0.447, 0.447, 1.342)
# $$
#
# **Now with your own numbers: can you bring one larger than 2 *out* of the norm?**

# %% tags=["live", "hide-input"]
touch(
    "norm",
    "<p>The numbers 1, 3, 5, 7 become −1.34, −0.45, 0.45, 1.34. So do 10, 30, 50, 70, and so do 101, 103, 105, 107.</p>",
    x=[1, 3, 5, 7],
    plus=0,
    times=1,
)

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Can you?</summary>
#
# Of four numbers none comes out larger than √3 = 1.73. The four that come out add up to 0, and their squares add up to
# 4. If one of them is $a$, the other three add up to $-a$. A given sum has the smallest squares when it is shared
# equally, so theirs add up to at least $3 \cdot (a/3)^2 = a^2/3$. So $a^2 + a^2/3$ is at most 4, and $a^2$ at most 3.
#
# </details>
#
# You cannot. Only the pattern of the numbers is left.
#
# ### Which towers need the norm?
#
# A tower of four, *trained* without norms, learns its task all the same, only later. Is it the same higher up? We
# trained towers of six, three of each kind, for 800 steps. Of 100 digits they get:

# %% tags=["hide-input"]
lines = ["| tower | without norms | with norms |", "| --- | --- | --- |"]
names = "six layers, no norm", "six layers, norm last"
row = [", ".join(f"{100 * share:.0f}" for share in shares(name)) for name in names]
lines.append(f"| six layers | {row[0]} | {row[1]} |")
display(Markdown("\n".join(lines)))
assert min(shares("six layers, norm last")) == 1
no_norm = shares("six layers, no norm")
assert 0.28 < min(no_norm) <= max(no_norm) < 0.34

# %% [markdown]
# **In 800 steps six layers learn it with norms, and without them they do little better than the commonest digit.**
#
# And a tower of twelve? It has a secret of its own, which [lesson 18](norm_first.py) tells.
#
# ## Your machine so far
#
# Here is the norm. `scale` and `shift` are two vectors that may be trained, and the `1e-6` keeps 0
# from being divided by 0.


# %%
def norm(x, scale=1, shift=0):
    x = x - x.mean(axis=-1, keepdims=True)
    return scale * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6) + shift


x, found = np.array([1.0, 2, 0, 1]), np.array([0.0, 1, 5, 6])
total = x + found
print(total, "->", norm(total).round(3))
layer_norm = keras.layers.LayerNormalization(epsilon=1e-6)
np.testing.assert_allclose(layer_norm(total[None])[0], norm(total), atol=1e-6)
np.testing.assert_allclose(norm(total), [-1.342, -0.447, 0.447, 1.342], atol=5e-4)

# %% tags=["live", "remove-input"]
import re
from pathlib import Path

# the largest that one of four numbers can become
assert np.isclose(norm(np.array([3.0, -1, -1, -1])).max(), np.sqrt(3))

# The digits of the tower that is drawn, above it backwards
drawn = Path("../diagrams/digit_tower.svg").read_text(encoding="utf-8")
there = re.findall(r'class="digit"[^>]*>(\d)<', drawn)
assert there == [str(digit) for digit in (*text[0, ::-1], *text[0])]

# The numbers of the drawing: the letter, what was found, the sum, and after the norm.
drawn = Path("../diagrams/layer.svg").read_text(encoding="utf-8")
vectors = re.findall(r'class="number">\((.+?)\)', drawn)
for vector, expected in zip(vectors, (x, found, total, norm(total)), strict=True):
    read = [float(number.replace("−", "-")) for number in vector.split(",")]
    np.testing.assert_allclose(read, expected, atol=5e-4)

# %% [markdown]
# Now you: write a *block*, a part with its residual and its norm. `part` is any function of the letters.
#
# ```python
# def block(x, part):
#     ...  # the letters after a part, with its residual and its norm
# ```
#
# Test it with a part that always finds $(0, 1, 5, 6)$.


# %% tags=["answer"]
def block(x, part):
    return norm(x + part(x))


print(block(x, lambda _: found).round(3))
np.testing.assert_array_equal(block(x, lambda _: found), norm(total))

# %% [markdown]
# Two such blocks are a layer of the encoder, the first around attention and the second around the [network of the next
# lesson](feed_forward.py), called FFN. A letter $x$ goes in, and $y$ comes out:
#
# $$
# a = \operatorname{Norm}(x + \operatorname{MultiHead}(x, x, x)), \qquad y = \operatorname{Norm}(a +
# \operatorname{FFN}(a))
# $$
#
# The decoder has a third block between the two, which looks at the text.
#
# <details class="lesson-more" markdown="1" id="the-function-read"><summary>How the package writes a block</summary>
#
# Your one line is two functions there, for the part's input and for its output. `self.drop` sets some numbers to 0 at
# random, in training only. `norm_first` is False here ([lesson 18](norm_first.py)), and `normed` applies the norm:

# %% tags=["source", "remove-input"]
import inspect

from clear_attention.blocks import ResidualBlock

# docstrings and types are left out here
docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)
hint = re.compile(r": tf\.Tensor|: bool \| None(?= = )| -> tf\.Tensor")
for method in (ResidualBlock.before, ResidualBlock.after):
    shown = hint.sub("", docstring.sub("", inspect.getsource(method)))
    print(shown.replace(" = None", "=None"))

# %% [markdown]
# </details>
#
# <details class="lesson-more" markdown="1"><summary>For the curious: a longer training, and how the paint is mixed</summary>
#
# **A longer training** mends the machine without residuals, but slowly: after 1,000 steps two machines of three still
# lose one date in nine.
#
# **The paint.** The small network is left out there, because it works on each digit alone and mixes nothing. With the
# residual a digit and what it fetches are about equally large, as measured, so each layer keeps between 0.5 and 0.6 of
# the drop. Without it, two digits at the top have a similarity of over 0.98, before the 800 steps of training and after
# them. In 2021 Dong, Cordonnier and Loukas proved that without residuals and feed-forward networks they become alike
# very quickly, which they called *rank collapse*.

# %% tags=["live", "remove-input"]
first, second, third = shares("no residual")  # trained for as long as ours
assert 0.88 < second <= first < 0.9 < third  # one date in nine

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# 56 layers can do whatever 20 can, if the other 36 just hand on what they get. But in 2015 Kaiming He and others saw a
# network of 56 layers read pictures worse than one of 20, even the pictures that it had been trained on. They built the
# handing-on in, as a residual around every few layers, and could then train 152. Ba, Kiros and Hinton proposed this
# norm in 2016.
#
# ## Exercises
#
# ### Exercise 1
#
# A letter looks at three others with the scores 0.4, 0.2 and 0. How much of its weight does the first one get? And if
# all letters become five times as large? And after twelve layers, if each makes the letters 1.5 times as large?

# %% tags=["answer"]
for name, larger in {
    "as they are": 1,
    "5 times": 5,
    "1.5 ** 12 times": 1.5**12,
}.items():
    scores = larger**2 * np.array([0.4, 0.2, 0.0])
    powers = np.exp(scores - scores.max())
    print(f"{name}:\n  scores  {scores.round(1)}")
    print(f"  weights {(powers / powers.sum()).round(3)}")

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why so much?</summary>
#
# Query and key both become five times as large, and their product 25 times. What was a gentle preference is now a
# decision: the first letter gets over 99 %. After twelve layers scores are nearly 17,000 times as large.
#
# </details>
#
# ### Exercise 2
#
# A letter's vector is $(3, 3, 3, 3)$. What does the norm make of it, and what of $(300, 300, 300, 301)$?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# Of the first, zeros, since everything is equal to the mean. Of the second, $(-0.577, -0.577, -0.577, 1.732)$: the
# 300 is gone, and the small difference is all that counts.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("transformer_layer")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? Two letters have the vectors (0, 2, 0, 2) and (5, 25, 5, 25), and a part answers zeros for both. How do they differ after its block, `norm(x + part(x))`?
# - Both are zeros, like what the part answered. | That is `norm(part(x))`, without the residual.
# - The second is ten times as large. | It was, in its differences. After a norm every letter has size 1.
# + Not at all. | Both become (-1, 1, -1, 1). The residual keeps the letter, and the norm keeps only its pattern.
# ? A head gives each of the eight letters of a text the weight 1/8, whoever looks. There is no residual. How many different letters leave this part?
# - eight | Each of them is replaced by an average, and it is the same average for all.
# + one | All eight fetch the same average. There a tower without residuals ends.
# - none, since they cancel to zeros | An average of eight values is as a rule not zero.
# ? The letters that go into an attention become three times as large. Its scores are divided by √d_k, as always. What becomes of them?
# - Nothing: the √d_k divides the size away. | It divides by how many numbers a key has, and not by how large they are.
# - They become three times as large. | That would be so if only the queries grew. The keys are made of letters, too.
# + They become nine times as large. | Queries and keys both become three times as large, and a score is their product.
# ```
#
# </details>
#
# ## Where to go next
#
# You can now build high: the plus keeps the letter, and the norm keeps its size. But one part of the layer is still in
# the dark. What does a letter do in the small network, where it looks at nobody?
#
# * [The feed-forward network](feed_forward.py)
# * [Bugs of published layers](../guides/museum.py#shapes-and-layers)
# * [Reference: blocks](../reference/blocks.md) and [layers](../reference/layers.md)
#
# Read on elsewhere: He and others (2015), [Deep Residual Learning for Image
# Recognition](https://arxiv.org/abs/1512.03385); Ba, Kiros and Hinton (2016), [Layer
# Normalization](https://arxiv.org/abs/1607.06450); Dong, Cordonnier and Loukas (2021), [Attention is Not All You
# Need](https://arxiv.org/abs/2103.03404).

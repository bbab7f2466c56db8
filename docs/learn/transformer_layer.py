# ---
# title: The Transformer layer
# description: What holds a deep machine together. Residual and norm, each switched off in a tower of layers, computed by hand and in the source.
# slow: true
# ---

# %% [markdown]
# # What holds a deep machine together?
#
# In our date machine a plus stands after each of its parts, of which attention is one. We took it out everywhere, and
# trained the machine for 500 steps. It reads 70 of 100 dates. The yardstick, which has the plus and the same training,
# reads 98. Here are three mistakes of the commonest kind:

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
import trained
from clear_attention import create_date_pairs, date_tokenizers, greedy_search
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
# The year 2003 becomes 2030, and 1958 becomes 1985. Two thirds of the mistakes are like that: every digit is found, but
# the order is forgotten. Yet the machine is told the [position](positions.py) of every letter. **What does this plus
# do, and why does the order need it?**
#
# ## Add, do not replace
#
# When a letter looks around, attention brings it an average of what the letters say. But what becomes of the letter
# itself?
#
# Without the plus the average *replaces* it. (The letter can look at itself as well, but only with a share of its
# weight.) **The missing plus adds what a part finds to the letter, so that the letter keeps what it was.** This plus is
# called the **residual**. If a letter is $(1, 2, 0, 1)$, and attention found $(0, 1, 5, 6)$, the residual makes
#
# $$
# (1, 2, 0, 1) + (0, 1, 5, 6) = (1, 3, 5, 7)
# $$
#
# Each part then has to find only what is still missing. How much depends on it?
#
# ## A tower of four
#
# Our date machine is shallow: one **layer** reads, and one writes. A layer has two *parts*, an attention and then a
# small network that works on each letter alone. To see what the plus does in a deep machine, we stack four such layers
# into a *tower*. (They have norms, too, which come later on this page.) The tower must write eight digits backwards, so
# that the place is everything:
#
# --8<-- "diagrams/digit_tower.svg"
#
# With its residuals the tower learns that in 400 steps. Without them we train it for twice as long. Then both read the
# first eight digits of π:

# %% tags=["live", "remove-input"]
import keras
from examples.towers import alikeness, cosines, of_different, tower, train, unseen

towers = {
    "whole": tower(),
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


before = {name: alikeness(model) for name, model in towers.items()}
results = {name: train(model)[1] for name, model in towers.items()}
# the same examples again
results["without the residuals"] = train(towers["without the residuals"])[1]
after = {name: alikeness(model) for name, model in towers.items()}
# two digits of one text, above the last layer, before the training and after it
assert min(when["without the residuals"] for when in (before, after)) > 0.98
assert after["whole"] < 0.2 < 0.5 < before["whole"] < 0.95

# %% tags=["hide-input"]
text = np.array([[3, 1, 4, 1, 5, 9, 2, 6]])
wrote = {name: np.argmax(model(text)[0], axis=-1) for name, model in towers.items()}
print("the text             ", *text[0])
print("backwards            ", *text[0, ::-1])
for name in towers:
    print(f"{name:21}", *wrote[name])
commonest = np.mean([np.bincount(row).max() / 8 for row in unseen])
assert results["whole"] > 0.95
assert 0.25 < results["without the residuals"] < 0.35  # about 30
assert 0.27 < commonest < 0.32  # about three in ten
assert abs(results["without the residuals"] - commonest) < 0.05
answers = np.argmax(towers["without the residuals"](unseen), axis=-1)
assert np.mean(answers == answers[:, :1]) > 0.8  # the same digit everywhere
assert (wrote["without the residuals"] == 1).all()
assert np.sum(wrote["without the residuals"] == text[0, ::-1]) == 2
assert (wrote["whole"] == text[0, ::-1]).all()

# %% [markdown]
# **Without residuals the tower writes the commonest digit of a text in nearly every place.** Here it writes eight 1s.
# It still knows which digit is the commonest, but no longer where each one stands. The commonest of eight random digits
# fills nearly a third of their places, so it gets about 30 of 100 digits right. Somebody who guesses blindly would get
# ten.
#
# ### Why are the places lost?
#
# To see it, we go back to the *untrained* tower, and give each digit a drop of its own paint. In each layer a digit
# fetches paint from all eight, from each as much as its attention weight says. The small network never brings paint
# from one digit to another, so we leave it out.
#
# **Add layers until all drops have one colour. Then tick the residual, and look again.**


# %% tags=["live", "hide-input"]
from live import coded, grid, touch


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
# **Averages of averages differ less and less: after two layers you see only one brown.** A digit whose drop looks like
# all the others cannot say where it stands. The training began with this brown, and 800 steps did not undo it.
#
# **With the residual, a core of its own paint stays longer in each drop.** After four layers this core is only a tenth
# of the drop, but it tells the drops apart. So that is what the missing plus does for the order: in each digit it keeps
# something of its own, and with it the place. Our date machine has fewer averages, which may be why it still read 70 of
# 100 dates without the plus.
#
# In 2015 Kaiming He and others met similar trouble with pictures: 56 layers read them worse than 20, even the pictures
# of the training. The 56 would read as well as the 20, if 36 of them just handed on what they get. Training did not
# find that. So they built it in, as a residual around every few layers: then a layer that finds nothing but zeros hands
# everything on. And they could train 152.
#
# ## Why a norm? { #back-to-size }
#
# So the plus saves the digits. But if we only ever add, the numbers get larger and larger. Does that do any harm? Each
# part has a **norm**, which brings the digits back to one size. Without its norms our tower of four still learns the
# task, but a tower of six no longer does, as you will see. So we take six layers with residuals, again *untrained*, and
# let the 6 of 31415926 climb them.
#
# **Climb, and watch two things: how large the digits become, and how the 6 shares out its weight. Then tick the norms,
# and climb again.**


# %% tags=["live", "hide-input"]
def looks(model):
    """What weights the digits of the text give in each layer."""
    weights = []
    for layer, x in zip(
        model.layers[2].layers, stations(model, text)[:-1], strict=True
    ):
        read = keras.ops.convert_to_tensor(x)
        _, found = layer.self_attention.attention(read, return_weights=True)
        weights.append(found.numpy()[0, 0])
    return np.array(weights)  # (layers, who looks, at whom)


def climbed(model):
    """How large digits are before and after each layer, and what weights the chosen one gives there."""
    sizes = [round(float(size(x)), 3) for x in stations(model, unseen)]
    weights = looks(model)[:, 7].astype(float).round(3).tolist()
    largest, alike, rng = [], [], np.random.default_rng(0)
    for _ in range(20):
        for numbers in model.trainable_variables:  # shuffled: another tower
            shuffled = rng.permutation(numbers.numpy().ravel())
            numbers.assign(shuffled.reshape(numbers.shape))
        largest.append(looks(model).max(axis=-1).mean(axis=-1))
        alike.append([of_different(cosines(x)) for x in stations(model, text)])
    assert (np.diff(np.mean(alike, axis=0)) > 0).all()  # with norms and without
    means = np.mean(largest, axis=0).astype(float).round(3).tolist()
    return {"sizes": sizes, "weights": weights}, means


(plain, means), (normed, left) = (climbed(tower(6, norm=n)) for n in (False, True))
heights = {"0": plain, "1": normed}
(sizes, weights), (calm, even) = plain.values(), normed.values()
grown = sizes[-1] / sizes[0]
assert round(grown) == 13
tops = [max(row) for row in weights]
assert tops == sorted(tops)
assert [f"{tops[0]:.0%}", f"{max(even[0]):.0%}", f"{max(even[-1]):.0%}"] == [
    "35%",
    "35%",
    "18%",
]
assert tops[-1] > 0.99
assert [round(100 * x) for x in (means[0], means[-1])] == [41, 96]
assert means == sorted(means)  # it grows with every layer
assert [round(100 * x) for x in (left[0], left[-1])] == [38, 17]
assert left == sorted(left, reverse=True)  # and with norms it falls
assert round(calm[1] / calm[0], 1) == 0.8
np.testing.assert_allclose(calm[1:], 1, atol=0.01)
assert train(tower(norm=False))[1] > 0.8  # four layers learn without norms, too
touch(
    "bursting",
    grid(
        "Size after each of six layers, and the largest of eight weights",
        [
            sizes[1:],
            [max(row) for row in weights],
            calm[1:],
            [max(row) for row in even],
        ],
        ["size, no norms", "largest weight", "size, with norms", "largest weight"],
        [str(n) for n in range(1, 7)],
    ),
    letters=digits,
    place=7,
    layer=0,
    norm=False,
    towers=heights,
)

# %% [markdown]
# **After six layers the digits are 13 times as large as at the start.** Why is that bad? A [score](attention.py) is a
# product of a query and a key, and both are made of the vectors of digits. So large vectors have huge scores, and the
# softmax of huge scores gives nearly everything to one. The largest weight of our 6 grows from 35 % to nearly 100 %,
# though nobody has learnt yet whom to choose.
#
# So take the size away. After each residual stands the norm, short for *layer normalization* or *layer norm*. It
# subtracts the mean from the numbers of a digit, and divides what is left by its *size*, the root of the mean square.
# Now the digits are equally large after every layer. (The piece compares with the start, where they are a little larger
# than 1, and so it shows 0.8.)
#
# With norms the largest weight stays small: it even falls, from 35 % to 18 %. That is a good start, because the
# training can still move such weights. A weight of nearly 100 % it can hardly move.
#
# <details class="lesson-more" markdown="1"><summary>For the curious: why does it fall? And in other towers?</summary>
#
# The residual only slows the mixing: the digits still grow more alike with every layer, so their keys get nearly equal
# scores. Without norms they do so, too, but their size outweighs it.
#
# In most towers it is so. Over the eight digits of 20 untrained towers the largest weight grows on average from 41 % to
# 96 % without norms, and falls from 38 % to 17 % with them.
#
# </details>
#
# <div id="which-towers-need-the-norm" markdown="1">
#
# We *trained* six such towers, of six layers each, for 800 steps. **The three with norms got 100 of 100 digits right,
# and the three without got 30 to 34.**
#
# </div>
#
# Here is one whole layer, to be read from below. *Feed-forward* is the small network:
#
# --8<-- "diagrams/layer.svg"
#
# ## By hand
#
# Now do one norm with a pencil. The residual made $(1, 3, 5, 7)$ of our letter. The mean of these numbers is 4, and
# without it they are $(-3, -1, 1, 3)$. Their size is $\sqrt{(9 + 1 + 1 + 9) / 4} = \sqrt{5} = 2.236$. Divide by it:
#
# $$
# (-1.342, -0.447, 0.447, 1.342)
# $$
#
# **A norm leaves only the pattern of the numbers, and takes away their size.** It makes the same of 10, 30, 50 and 70,
# and of 101, 103, 105 and 107.
#
# ## Your machine so far
#
# Here is the norm in NumPy. Its `scale` and `shift` may be trained, and the `1e-6` keeps 0 from being divided by 0:


# %%
def norm(x, scale=1, shift=0):
    x = x - x.mean(axis=-1, keepdims=True)
    return scale * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6) + shift


x, found = np.array([1.0, 2, 0, 1]), np.array([0.0, 1, 5, 6])
total = x + found
print(total, "->", norm(total).round(3))

# %% tags=["live", "remove-input"]
import re
from pathlib import Path

layer_norm = keras.layers.LayerNormalization(epsilon=1e-6)
np.testing.assert_allclose(layer_norm(total[None])[0], norm(total), atol=1e-6)
np.testing.assert_allclose(norm(total), [-1.342, -0.447, 0.447, 1.342], atol=5e-4)

# what has the same pattern
for alike in ([10.0, 30, 50, 70], [101.0, 103, 105, 107]):
    np.testing.assert_allclose(norm(np.array(alike)), norm(total), atol=1e-5)

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
# Now you: write a *block*, a part with its residual and its norm. `part` is any function of the letters. With a part
# that always finds $(0, 1, 5, 6)$ you must get the four numbers from above.
#
# ```python
# def block(x, part):
#     ...  # the letters after a part, with its residual and its norm
# ```


# %% tags=["answer"]
def block(x, part):
    return norm(x + part(x))


print(block(x, lambda _: found).round(3))
np.testing.assert_array_equal(block(x, lambda _: found), norm(total))

# %% [markdown]
# **A layer of the encoder is two such blocks, the first around attention, the second around the small network.** So you
# have built a layer, but for this network, which comes next.
#
# Now build the tower that turned brown, and let your block mend it. What climbs it are eight drops of paint:
# `np.eye(8)` has a row for each drop and a column for each paint. Nobody has trained this tower, so its weights are
# your `softmax` of random scores. The part is the average, `weights @ x`.
#
# ```python
# def paint_tower(layers, residual):
#     rng = np.random.default_rng(0)  # so that you and we draw the same scores
#     x = np.eye(8)
#     for _ in range(layers):
#         weights = softmax(rng.normal(size=(8, 8)), mask=0)
#         ...  # your block, or the same without the residual (the norm stays)
#     return ...  # in how many drops the own paint is the strongest
# ```
#
# In how many drops is the own paint the strongest? **After four layers it must be one drop of eight without the
# residual, and all eight with your block.** Then build higher. From which layer on are there fewer than eight after
# all?


# %% tags=["answer"]
from examples.numpy_machine import softmax  # as you know it


def paint_tower(layers, residual):
    rng = np.random.default_rng(0)
    x = np.eye(8)
    for _ in range(layers):
        weights = softmax(rng.normal(size=(8, 8)), mask=0)
        average = weights @ x
        x = norm(x + average) if residual else norm(average)
    return (x.argmax(axis=1) == np.arange(8)).sum()


print("layers             ", *range(1, 7))
own = {plus: [paint_tower(n, plus) for n in range(1, 7)] for plus in (False, True)}
print("without a residual ", *own[False])
print("with a residual    ", *own[True])
assert own[False][3] == 1
assert own[True] == [8, 8, 8, 8, 5, 1]

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why just one drop, and why not all eight for ever?</summary>
#
# Without the residual all drops become the same brown, and one of the eight paints is the strongest in it. The drop of
# this paint only seems to keep its colour. It is like the tower that wrote eight 1s: two of them were right.
#
# With the residual the first drops lose their colour in layer 5. Each layer adds a whole average to a drop, so the core
# of its own paint gets smaller.
#
# </details>
#
# **So the residual only slows the browning down, and training does the rest.** In our tower of four the training made
# the digits less alike again, and the towers of six with norms got all digits right.
#
# <details class="lesson-more" markdown="1" id="the-function-read"><summary>The same as a formula, and in the package</summary>
#
# A letter $x$ goes in, and FFN is the small network:
#
# $$
# a = \operatorname{Norm}(x + \operatorname{MultiHead}(x, x, x)), \qquad y = \operatorname{Norm}(a +
# \operatorname{FFN}(a))
# $$
#
# In the package, two functions do the work of your one line: the first prepares what goes into a part, the second adds
# what comes out. `self.drop` sets some numbers to 0 at random, in training only. `norm_first` is False here, and
# `normed` applies the norm:

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
# <details class="lesson-more" markdown="1"><summary>For the curious: a longer training, and a proof</summary>
#
# **A longer training** mends the machine without residuals, but slowly. After 1,000 steps two machines of three still
# read one date in nine wrong.
#
# **A proof.** In 2021 Dong, Cordonnier and Loukas proved that without residuals and feed-forward networks the letters
# become alike very quickly. They called it *rank collapse*.

# %% tags=["live", "remove-input"]
first, second, third = shares("no residual")  # trained for as long as ours
assert 0.88 < second <= first < 0.9 < third  # one date in nine
assert [round(100 * share) for share in shares("six layers, no norm")] == [
    30,
    32,
    34,
]
assert min(shares("six layers, norm last")) == 1
assert max(shares("six layers, no norm")) - commonest < 0.05

# %% [markdown]
# </details>
#
# ## Exercises
#
# ### Exercise 1
#
# A letter looks at three others with the scores 0.4, 0.2 and 0. How much of its weight does the first one get? And how
# much if the vectors of all letters, its own among them, become five times as large?

# %% tags=["answer"]
for name, larger in {"as they are": 1, "5 times": 5}.items():
    scores = larger**2 * np.array([0.4, 0.2, 0.0])
    powers = np.exp(scores - scores.max())
    print(f"{name}:\n  scores  {scores.round(1)}")
    print(f"  weights {(powers / powers.sum()).round(3)}")

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why so much?</summary>
#
# Query and key both become five times as large, so their product becomes 25 times as large. What was a gentle
# preference is now a decision: the first letter gets over 99 %.
#
# </details>
#
# ### Exercise 2
#
# A letter's vector is $(3, 3, 3, 3)$. What does the norm make of it, and what of $(300, 300, 300, 301)$?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# It makes zeros of the first, because every number is equal to the mean. Of the second it makes $(-0.577, -0.577,
# -0.577, 1.732)$: the 300 is gone, and the small difference is all that counts.
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
# ? The letters that go into an attention become three times as large. Its scores are divided by √d_k, as always. What becomes of the scores?
# - Nothing: the √d_k divides the size away. | It divides by how many numbers a key has, and not by how large they are.
# - They become three times as large. | That would be so if only the queries grew. The keys are made of letters, too.
# + They become nine times as large. | Queries and keys both become three times as large, and a score is their product.
# ```
#
# </details>
#
# ## Where to go next
#
# You can now build high: the plus keeps the letter, and the norm keeps it small. But one part of the layer is still in
# the dark. What does a letter do in the small network, where it looks at nobody?
#
# * [The feed-forward network](feed_forward.py)
# * [Norm first or norm last?](norm_first.py): the secret of a tower of twelve.
# * [Bugs of published layers](../guides/museum.py#shapes-and-layers)
# * [Reference: blocks](../reference/blocks.md) and [layers](../reference/layers.md)
#
# Read on elsewhere: He and others (2015), [Deep Residual Learning for Image
# Recognition](https://arxiv.org/abs/1512.03385); Ba, Kiros and Hinton (2016), [Layer
# Normalization](https://arxiv.org/abs/1607.06450); Dong, Cordonnier and Loukas (2021), [Attention is Not All You
# Need](https://arxiv.org/abs/2103.03404).

# ---
# title: The Transformer layer
# description: What holds a deep machine together. Residual and norm, each switched off in a tower of layers, computed by hand and in the source.
# slow: true
# ---

# %% [markdown]
# # What holds a deep machine together?
#
# Attention brings each letter an average of values. But if this average *replaces* the letter, what the letter was is
# gone. Below is a machine in which each attention passes on only the averages that it has fetched, and
# nothing of what came in. The other parts, too, pass on only what they have computed. It was trained for half as long
# as ours. Here are three of its mistakes with unseen dates, all of one kind:

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from clear_attention import create_date_pairs, date_tokenizers, greedy_search
from date_machine import comparison, machine
from IPython.display import Markdown, display
from trained.ablations import shares

source, target = date_tokenizers()
texts, right = create_date_pairs(500, seed=1, split="test")


def written(name):
    ids = source.encode(texts, length=34)
    return target.decode(greedy_search(trained.load(name)[0], ids, max_length=11))


# the first ones that the whole machine, trained as briefly, gets right
answers = zip(
    texts, written("dates-no-residual"), right, written("dates-brief"), strict=True
)
wrong = [row for row in answers if row[1] != row[2] == row[3]]
mixed_up = [row for row in wrong if sorted(row[1]) == sorted(row[2])]
lines = ["| text | it writes | right |", "| --- | --- | --- |"]
lines += [
    f"| {text} | {answer} | {meant} |" for text, answer, meant, _ in mixed_up[:3]
]
display(Markdown("\n".join(lines)))
assert len(mixed_up) > len(wrong) / 3
assert "2003" in mixed_up[0][0]  # as the text says
assert mixed_up[0][1].startswith("2030")

# %% [markdown]
# It has found the right digits, and mixes up their order: it makes 2030 of 2003. More than a third of the mistakes that
# only this machine makes are of this kind. (Trained as briefly, the whole machine makes hardly any mistakes. Its share
# stands in the table below.) We think that this is why: when the decoder looks for the last digit of "2003", it no
# longer finds a 3 there. It finds mixtures, in each of which there is a bit of everything. A mixture still tells which
# digits there are, but not which of them stood where: it is the [puddle of paint](reading_dates.py#take-it-away) again.
#
# In our own machine, what comes into a part is added to what the part found. This is the *residual*. The machine above
# lacks that. Here it stands beside ours, and beside a whole machine that was trained as briefly. Try a date of your own:

# %% tags=["live", "hide-input"]
names = ["dates", "dates-brief", "dates-no-residual"]
called = {"dates": ("whole", "")}
machine(
    *names,
    piece="beside",
    sibling="dates-no-residual",
    text=mixed_up[0][0],
    called=called,
    without=comparison(*names, called=called),
)

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Trained for as long as the whole machine, does it catch up?</summary>
#
# None of the three does, and one comes near. These are three machines of each kind, each begun from other random
# numbers, and their shares of 2,000 unseen dates:

# %% tags=["hide-input"]
for name in ("whole", "no residual"):
    print(f"{name:12}", "   ".join(f"{share:.2%}" for share in shares(name)))
first, second, third = shares("no residual")
assert 0.88 < second <= first < 0.9 < 0.98 < third

# %% [markdown]
# Two of the three lose one date in nine, the third nearly one in fifty. A whole machine loses about one in a thousand.
#
# </details>
#
# And this machine has only one layer to read with, and one to write. What about a tower of many layers?
#
# ## A tower of four
#
# A **layer** has two *parts*: an attention and, behind it, a small network that works on each letter alone, which is
# the subject of the next lesson. Layers can be put on top of each other, so that each works on what the one below has
# found. Two things stand around each part, and keep the tower upright:
#
# * the **residual**: what comes in is added to what the part found. Think of notes in the margin: the text stays, and
#   something is written beside it.
# * the **norm**: after that, the numbers of each letter are brought to mean 0 and size 1, so that they do not get out
#   of hand on their way up. Their size is the root of the mean square, once the mean is 0; below you compute it by
#   hand. "Norm" is short for *layer normalization*, and is not the length of a vector, for which mathematics has the
#   same word.
#
# Here is one layer. For now, look at its left half only, and read it from below. (*Self-attention* is the attention
# of a text that looks at itself, *feed-forward* is the small network, and ⊕ adds.) The line that runs past a part is
# its residual, and the norm stands where the two have met:
#
# --8<-- "diagrams/transformer_layer.svg"
#
# Here is such a tower with a task of its own: four layers of an encoder must write eight digits backwards, all at once,
# so that 3 1 4 1 5 9 2 6 becomes 6 2 9 5 1 4 1 3. (We go on calling each of them a letter.) We train it three times,
# from the same random numbers and on the same examples: whole, without the norms, and without the residuals. Which of
# the two would you miss more?

# %% tags=["hide-input"] alt="Loss over 400 steps. The whole tower falls to 0 first. Without the norms it falls later. Without the residuals it stays on a plateau to the end."
import itertools

import keras
import matplotlib.pyplot as plt
import numpy as np
from clear_attention import PositionalEncoding
from examples.towers import (
    EVERY,
    STEPS,
    alikeness,
    cosines,
    of_different,
    tower,
    train,
    unseen,
)

towers = {
    "whole": tower(),
    "without the norms": tower(norm=False),
    "without the residuals": tower(residual=0),
}
before = {name: alikeness(model) for name, model in towers.items()}
results = {name: train(model) for name, model in towers.items()}
after = {name: alikeness(model) for name, model in towers.items()}
for name, (_, share) in results.items():
    print(f"{name:22} digits right: {share:.0%}")
commonest = np.mean([np.bincount(row).max() / 8 for row in unseen])
assert results["whole"][1] > 0.95
assert results["without the norms"][1] > 0.8
assert abs(results["without the residuals"][1] - commonest) < 0.05
assert results["without the residuals"][1] < 0.5
assert 1.7 < results["without the residuals"][0][-1] < 1.85  # as the text says
assert results["without the norms"][0][0] > 5
answers = np.argmax(towers["without the residuals"](unseen), axis=-1)
assert np.mean(answers == answers[:, :1]) > 0.8  # the same digit everywhere
STYLES = {
    "whole": ("#0072b2", "-"),
    "without the norms": ("#d55e00", "--"),
    "without the residuals": ("#009e73", ":"),
}
figure, ax = plt.subplots(figsize=(5, 2.8), layout="constrained")
for name, (curve, _) in results.items():
    colour, dash = STYLES[name]
    ax.plot(
        np.arange(1, len(curve) + 1) * EVERY,
        curve,
        dash,
        color=colour,
        label=name,
        lw=2,
    )
ax.set(xlabel="step of the training", ylabel="loss", xlim=(0, STEPS), ylim=0)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, fontsize=8)
plt.show()

# %% [markdown]
# The lines show the *loss*, a number that falls as the answers get better. ([A later
# lesson](training.py#how-wrong-is-it-by-hand) computes it by hand.) It is 0 for a perfect machine and 2.3, the natural
# logarithm of 10, for one that guesses among ten digits. The blue line of the whole tower is the first to reach 0. The
# dashed line of the tower without norms starts far above 2.3, because its numbers are so large that it is sure of wrong
# digits. It learns the task, only later. The dotted line of the tower without residuals stops near 1.8, and this tower
# gets three digits in ten right.
#
# Three in ten is what one gets without knowing the order: in most texts the commonest digit stands two or three times,
# so whoever writes it in all eight places has 30 % of the digits right. The tower does nearly that, because inside it
# all letters have become alike. Each of them is an average of the text, which tells which digit is common, and not
# where it stands. At the top of the tower the vectors of any two letters point in nearly the same direction. (The fold below
# measures it.)
#
# How does that happen? Before the training the scores are small, so the weights of attention are nearly equal. Each
# letter fetches nearly the same average, and averages of averages all look alike. With residuals each letter keeps
# something of its own.
#
# You can watch it. Below are the letters of the text 3 1 4 1 5 9 2 6 as arrows, before the layers and after each of the
# four. The tower is not trained yet. The letter that you press points up. Between it and every other letter is the true
# angle of their vectors, which have 32 numbers each. (So left and right mean nothing.) *Alike* is 1 for two arrows that
# point in the same direction, and 0 for two at a right angle. (Where the names of two arrows would
# cover each other, one is left out.) The bar shows how large the numbers of a letter are. Predict first:
#
# 1. Untick the residual. After how many layers can you no longer tell the letters apart?
# 2. Tick it again, and untick the norm. What becomes of the size?
# 3. Untick both. What is left at the top?

# %% tags=["live", "hide-input"]
from live import touch

text = np.array([[3, 1, 4, 1, 5, 9, 2, 6]])


def stations(model):
    """What the letters of the text are, before the layers and after each of them."""
    model(text)
    embed, place, encoder, _ = model.layers
    found = [place(embed(text))]
    for layer in encoder.layers:
        found.append(layer(found[-1]))
    return [x[0].numpy() for x in found]


def size(x):
    return np.sqrt((x**2).mean(axis=-1)).mean()


untrained = {
    f"{residual}{norm}": stations(tower(residual=residual, norm=bool(norm)))
    for residual in (1, 0)
    for norm in (1, 0)
}
mean = {
    kind: [of_different(cosines(x)) for x in found]
    for kind, found in untrained.items()
}
sizes = {kind: [size(x) for x in found] for kind, found in untrained.items()}
touch(
    "folding",
    f"<p>Two letters of the text are {mean['11'][0]:.2f} alike before the layers. Behind four layers with residual and"
    f" norm they are {mean['11'][-1]:.2f} alike, and without residuals {mean['01'][-1]:.2f}. Without norms the size of a"
    f" letter grows from {sizes['10'][0]:.2f} to {sizes['10'][-1]:.2f}.</p>",
    letters=[str(digit) for digit in text[0]],
    chosen=0,
    residual=True,
    norm=True,
    towers={
        kind: [
            {
                "cosines": np.round(cosines(x), 4).tolist(),
                "size": round(float(size(x)), 4),
            }
            for x in found
        ]
        for kind, found in untrained.items()
    },
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# 1. After two. After one they are already close together. From the second layer on all arrows lie on one another,
#    whichever letter you press.
# 2. The letters stay about as far apart as with the norm, but each layer makes them about half as large again, because
#    each part adds something and nobody divides. After four layers they are about five times as large.
# 3. Next to nothing: the letters are all alike, and so small that hardly anything of them is left.
#
# </details>
#
# With the residual the letters become alike, too, but far more slowly, and the training can pull them apart again. And
# the norm keeps them at one size. A tower of four can live with letters
# that are five times as large. What about a tower of twelve without norms? Here it is, before its training. Whoever
# guesses has a loss of 2.3:

# %% tags=["hide-input"]
tall = tower(12, norm=False)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
top = keras.Sequential(tall.layers[:-1])(unseen).numpy()
print("size of a letter at the top:", round(size(top)))
print(
    "loss before the training:   ",
    round(float(loss(unseen[:, ::-1], tall(unseen)))),
)
assert mean["01"][1] > 0.9
assert mean["01"][2] > 0.99
assert mean["11"][-1] < 0.95
assert 4 < sizes["10"][-1] / sizes["10"][0] < 6
assert all(1.3 < b / a < 1.8 for a, b in itertools.pairwise(sizes["10"]))
assert sizes["00"][-1] < 0.05
assert size(top) > 100

# %% [markdown]
# This tower is perfectly sure of wrong digits. It learns nothing, not even in a training twice as long as that above,
# as [a later lesson](norm_first.py#and-without-any-norm) shows.
#
# What is left of a letter, training can pull apart again. Where nothing is left, it has nothing to pull at. The date
# machine at the top, with so few layers, can live without residuals, if mostly badly. A tower of four cannot.
#
# <details class="lesson-more" markdown="1"><summary>How alike are the letters? Measured, and the name of it</summary>
#
# Take two letters of a text and compare the directions of their vectors: 1 means "the same direction", and 0 means
# "nothing in common". This number is the *cosine* of the angle between them. Here is the mean over all pairs of
# letters of 500 texts, at the top of each tower, before the training and after it:

# %% tags=["hide-input"]
lines = ["| tower | alike before training | and after |", "| --- | --- | --- |"]
lines += [f"| {name} | {before[name]:.2f} | {after[name]:.2f} |" for name in towers]
display(Markdown("\n".join(lines)))
assert before["without the residuals"] > 0.98 > 0.95 > before["whole"]
assert after["without the residuals"] > 0.98
assert after["whole"] < 0.2

# %% [markdown]
# Training pulls the letters of the whole tower apart. In the tower without norms it pulls them apart less far, but far
# enough. That all letters become alike has a name, *rank collapse* (Dong and others, 2021), because a matrix whose rows
# are all alike has rank 1.
#
# </details>
#
# ## By hand
#
# A letter has the vector $(1, 2, 0, 1)$, and attention found $(0, 1, 5, 6)$ for it. **The residual** adds the two:
#
# $$
# (1, 2, 0, 1) + (0, 1, 5, 6) = (1, 3, 5, 7)
# $$
#
# **The norm** brings this sum to mean 0 and size 1. The mean is 4. Subtract it: $(-3, -1, 1, 3)$. The size is the root
# of the mean square, $\sqrt{(9 + 1 + 1 + 9) / 4} = \sqrt{5} = 2.236$. Divide by it:
#
# $$
# (-1.342, -0.447, 0.447, 1.342)
# $$
#
# Each letter is treated by itself, with its own mean and its own size. Now try to get a large number through the norm:

# %% tags=["live", "hide-input"]
touch(
    "norm",
    "<p>The numbers 1, 3, 5, 7 become −1.34, −0.45, 0.45, 1.34. So do 10, 30, 50, 70, and so do 101, 103, 105, 107.</p>",
    x=[1, 3, 5, 7],
    plus=0,
    times=1,
)

# %% [markdown]
# You cannot: of four numbers none comes out larger than √3 = 1.73. What all numbers of a letter have in common is taken
# away, and their differences are brought to one size. Only the pattern is left.
#
# <details class="lesson-more" markdown="1"><summary>Why √3, and how a trained machine gets larger numbers all the same</summary>
#
# The four numbers that come out add up to 0. Their mean square is 1, so their squares add up to 4. If one of the
# numbers is $a$, the other three add up to $-a$. The squares of these three are smallest if each of the three is
# $-a/3$, and then they add up to $a^2/3$. So $a^2 + a^2/3$ is at most 4, and $a^2$ is at most 3.
#
# A machine may need larger numbers. So the norm has two vectors of its own, which are trained like everything else.
# Each number is multiplied by its entry in $\gamma$ ("gamma", `scale` below), and then its entry in $\beta$ ("beta",
# `shift` below) is added. At first $\gamma$ is all ones and $\beta$ all zeros.
#
# </details>
#
# ## Your machine so far
#
# You have `softmax`, `attention`, `look_ahead`, `split`, `merge` and `multi_head`, and `positions`. Here is the norm.
# `scale` and `shift` are the two trained vectors of the fold above, and change nothing at first. The `1e-6` keeps 0
# from being divided by 0.


# %%
def norm(x, scale=1, shift=0):
    x = x - x.mean(axis=-1, keepdims=True)
    return scale * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6) + shift


x, found = np.array([1.0, 2, 0, 1]), np.array([0.0, 1, 5, 6])
total = x + found
normed = norm(total)
print(total, "->", normed.round(3))
layer_norm = keras.layers.LayerNormalization(epsilon=1e-6)
np.testing.assert_allclose(layer_norm(total[None])[0], normed, atol=1e-6)
np.testing.assert_allclose(normed, [-1.342, -0.447, 0.447, 1.342], atol=5e-4)
# the largest that one of four numbers can become
assert np.isclose(norm(np.array([3.0, -1, -1, -1])).max(), np.sqrt(3))

# %% [markdown]
# Now you: write what stands around a part, residual and norm together. We call it a *block*. `part` is any function of
# the letters, such as attention of a text with itself.
#
# ```python
# def block(x, part):
#     ...  # the letters after a part, with its residual and its norm
# ```
#
# Test it with a part that always finds $(0, 1, 5, 6)$. You know the answer from above.


# %% tags=["answer"]
def block(x, part):
    return norm(x + part(x))


print(block(x, lambda _: found).round(3))
np.testing.assert_array_equal(block(x, lambda _: found), normed)

# %% [markdown]
# Two such blocks are a layer of the encoder, the first around attention and the second around the [network of the next
# lesson](feed_forward.py), called FFN. The letters come in as $x$. After attention they are $a$, and they go out as
# $y$. All three have the shape `(batch, length, d_model)`. Queries, keys and values all come from $x$:
#
# $$
# a = \operatorname{Norm}(x + \operatorname{MultiHead}(x, x, x)), \qquad y = \operatorname{Norm}(a +
# \operatorname{FFN}(a))
# $$
#
# In the decoder a second attention stands between the two, the one that looks at the text. It has its own residual and
# norm.
#
# <details class="lesson-more" markdown="1" id="the-function-read"><summary>How the package writes a block</summary>
#
# Your `block` is one line. In the package it is these two functions, which stand around every part. The first prepares
# the part's input, the second deals with its output:

# %% tags=["source", "remove-input"]
import inspect
import re

from clear_attention.blocks import ResidualBlock

# docstrings and types are left out here
docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)
hint = re.compile(r": tf\.Tensor|: bool \| None(?= = )| -> tf\.Tensor")
for method in (ResidualBlock.before, ResidualBlock.after):
    shown = hint.sub("", docstring.sub("", inspect.getsource(method)))
    print(shown.replace(" = None", "=None"))

# %% [markdown]
# `normed` applies the norm. If `norm_first` is true, it stands in front of the part, of which more below. `drop` does
# nothing here. If you ask for it, it sets some numbers to 0 at random during the training, so that the machine does not
# rely on single ones.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>A check: two blocks are the layer of the package</summary>
#
# Here a model is made of two blocks of the package. Its weights are given to the package's layer, and both get the same
# random numbers for a text, with positions added:

# %%
from clear_attention import EncoderLayer, FeedForwardBlock, SelfAttentionBlock

inputs = keras.Input((None, 128))
rows = SelfAttentionBlock(d_model=128, num_heads=1)(PositionalEncoding()(inputs))
rows = FeedForwardBlock(d_model=128, d_ff=4 * 128)(rows)
by_blocks = keras.Model(inputs, rows)
layer = EncoderLayer(128, num_heads=1, d_ff=512, dropout=0.0)
layer.build((None, None, 128))
layer.set_weights(by_blocks.get_weights())
text = np.random.default_rng(6).normal(size=(2, 5, 128)).astype("float32")
np.testing.assert_allclose(
    by_blocks(text), layer(PositionalEncoding()(text)), atol=1e-6
)
print("the same numbers:", by_blocks(text).shape)

# %% [markdown]
# </details>
#
# ## First or last?
#
# In our layers the norm comes last, behind each part, as in the first Transformer. It can also stand in front of a
# part: then the part reads the normed letter, and the sum goes on as it is. In your `block` that would be `x +
# part(norm(x))`. With one layer, or with four, either will do: our tower of four gets all digits right with the norm
# first, too. In our tests with twelve layers one of the two failed, and [a later lesson](norm_first.py) lets them race.
#
# ## Who found this, and when
#
# Kaiming He and others found in 2015 that a picture-reading network of 56 layers did worse than one of 20. They put a
# residual around every few layers, and could then train 152. Ba, Kiros and Hinton proposed this norm in 2016. The
# Transformer of 2017 took both, had six layers in each half, and put the norm last. Dong, Cordonnier and Loukas asked
# in 2021 what a tower of attention does without residuals. They proved that its letters become alike very quickly, as
# long as there is no network between the attentions either. (Our tower has its networks, and its letters become alike
# as well.)
#
# ## Exercises
#
# ### Exercise 1
#
# The tower of four without norms learnt the task in the end, only later. Would larger nudges have helped it catch up?
# (A *nudge* is the small change of a number
# in one step of a training. `rate` says how large it is.) Train it and the whole tower with nudges *ten times* as
# large, for 220 steps: `train(tower(norm=False), rate=1e-2, steps=220)`. The two functions are in
# `examples/towers.py` of the repository, and are printed below the answer. Guess first.

# %% tags=["answer"]
quick = {}
for name, has_norm in {"whole": True, "without the norms": False}.items():
    _, quick[name] = train(tower(norm=has_norm), rate=1e-2, steps=220)
    print(f"{name:18} {quick[name]:.0%} of the digits right")
assert quick["without the norms"] > 0.8 > 0.4 > quick["whole"]

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Did you expect that?</summary>
#
# With such nudges the tower without norms learns quickly, and it is the whole tower that breaks! (With nudges three
# times as large the whole tower is still ahead.) So norms do not simply allow larger steps. When the training begins,
# and the norm stands last, a nudge of the last layers changes the loss very much, so that large nudges do harm. (We do
# not show here why. Xiong and others found it in 2020.) That is why such towers are trained with a
# [warm-up](training.py#warm-up): the first nudges are small. So in a tower of four the norm is a convenience, and
# whoever praises it should say for which size of the nudges. A tower of twelve cannot do without, and there it even
# matters where the norm stands.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>The tower and its training, in code</summary>

# %% tags=["source", "remove-input"]
print(inspect.getsource(tower), inspect.getsource(train), sep="\n")

# %% [markdown]
# </details>
#
# ### Exercise 2
#
# A letter's vector is $(3, 3, 3, 3)$. What does the norm make of it, and what of $(300, 300, 300, 301)$?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# Of the first, zeros: everything is equal to the mean, and only the tiny `1e-6` keeps 0 from being divided by 0. Of the
# second, $(-0.577, -0.577, -0.577, 1.732)$: the 300 is gone, and the small difference is all that counts. A norm
# forgets how large the numbers are and what they have in common, and keeps how they differ.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("transformer_layer")

# %% [markdown]
# ```self-check
# ? Two letters have the vectors (1, 3, 5, 7) and (10, 30, 50, 70), and a part answers zeros for both. How do they differ behind its block?
# - The second is ten times as large. | Behind a norm every letter has size 1.
# + Not at all. | Both become (-1.34, -0.45, 0.45, 1.34). The norm keeps the pattern only.
# - In their means. | Behind a norm every letter has mean 0.
# ? What happens to the letters of a text in a tower of attention without residuals?
# - They are lost, since the tower has fewer numbers to train. | It has exactly as many. A residual has no numbers to train.
# + They come to look alike. | What each letter was is averaged away, and nothing brings it back.
# - Their numbers grow too large. | That is what happens without the norm.
# ? A part has learnt to answer zeros for every letter. What does its block `norm(x + part(x))` hand on?
# - zeros | That is what `norm(part(x))` would hand on, without the residual.
# - the letter, exactly as it came in, whatever its numbers were | It would with the norm first, `x + part(norm(x))`. Here the sum is normed.
# + the letter, brought to mean 0 and size 1 | The residual adds the letter to the zeros, and the norm comes last.
# ```
#
# ## Where to go next
#
# You can now stack layers, and say what keeps the tower upright. One thing should bother you: we keep speaking of "a
# small network that works on each letter alone". What does a letter do in that network?
#
# * [The feed-forward network](feed_forward.py): the part that does not look anywhere.
# * [Bugs of published layers](../guides/museum.py#shapes-and-layers), among them one that saves and no longer loads.
# * [Reference: blocks](../reference/blocks.md) and [layers](../reference/layers.md): every argument.
#
# Read on elsewhere: He and others (2015), [Deep Residual Learning for Image
# Recognition](https://arxiv.org/abs/1512.03385); Ba, Kiros and Hinton (2016), [Layer
# Normalization](https://arxiv.org/abs/1607.06450); Dong, Cordonnier and Loukas (2021), [Attention is Not All You
# Need](https://arxiv.org/abs/2103.03404).

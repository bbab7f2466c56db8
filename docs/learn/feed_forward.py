# ---
# title: The feed-forward network
# description: What a letter does while nobody looks. A secret table of 676 entries, learnt with and without the feed-forward network, by hand, and how 128 alarms can hold it.
# ---

# %% [markdown]
# # What does a letter do while nobody looks?
#
# After attention, each layer has a second part, the *feed-forward network*. Each letter's vector goes through two more
# matrices, by itself. More than half of the trained numbers in our machine are there. Let us take this part out. Three
# machines were trained with it and three without. A dot is one of them, and shows how many of 1,000 unseen dates it
# reads wrong:

# %% tags=["hide-input"] alt="Dots: how many of 1,000 dates each of six machines gets wrong. The whole ones: 1.5, 1.5 and 0.5. Without feed-forward networks: 4.5, 4.5 and 3."
import sys

# The measurements are in the repository and not in the package, so this cell needs a clone.
sys.path.append("../..")
import matplotlib.pyplot as plt
import numpy as np
from trained.ablations import shares

_, ax = plt.subplots(figsize=(4.4, 1.4), layout="constrained")
for height, name in enumerate(("whole", "no feed-forward")):
    missed = [1000 * (1 - share) for share in shares(name)]
    spread = height + np.array([-0.15, 0, 0.15])  # three dots, none hidden
    ax.plot(
        missed, spread, "o", color=("#0072b2", "#d55e00")[height], clip_on=False
    )
ax.set(xlim=(0, 10), ylim=(1.5, -0.5), xlabel="of 1,000 unseen dates, read wrong")
ax.set_yticks((0, 1), ("whole", "no feed-forward"))
ax.grid(axis="x", alpha=0.3)
ax.spines[["top", "right", "left"]].set_visible(False)
plt.show()
assert 0.002 < (sum(shares("whole")) - sum(shares("no feed-forward"))) / 3 < 0.004

# %% [markdown]
# Without it there are about three more mistakes in 1,000 dates: four, where there was one.
#
# More than half of the numbers, for so little? Reading dates is mostly copying: find the right digit, and write it
# down. So why does nearly every Transformer have this part?
#
# ## Finding is not answering
#
# Attention brings back a mixture of values, which lies *between* the values, as green lies between blue and yellow.
# That answers "what stands there?", if nearly all of it comes from the right letter. But a child who reads "7 times 8"
# finds a 7 and an 8, and the answer is in neither of them. It has to be looked up in a table, *under both at once*.
#
# Here is such a task: a secret table. For every pair of letters it names a third one, drawn at random, so it has 26
# times 26 = 676 entries. The machine sees eight letters. Below each but the first it must write what the table says of
# this letter and the one before it:

# %%
LETTERS = "abcdefghijklmnopqrstuvwxyz"
table = np.random.default_rng(5).integers(0, 26, size=(26, 26))


def task(examples, seed):
    """Eight letters, and what the table says of each and the one before."""
    texts = np.random.default_rng(seed).integers(0, 26, size=(examples, 8))
    return texts, table[texts[:, 1:], texts[:, :-1]]


text, answer = (row[0] for row in task(1, seed=0))
print("reads ", " ".join(LETTERS[i] for i in text))
print("writes", " ".join([" ", *(LETTERS[i] for i in answer)]))

# %% [markdown]
# Below the q stands what the table says of w and q, and so on. A head that knows [positions](positions.py) finds the
# letter before, and the residual keeps the letter itself. So both meet in one vector. What is left is to know the table
# by heart.
#
# We train one layer on it without the feed-forward network, and then with networks of *width* 8, 32 and 128, which is
# how many numbers stand between the two matrices. One more layer has no network, but its attention is so wide that it
# has about as many numbers to train as the layer with width 128. How many of 100 letters does each get right?

# %% tags=["live", "hide-input"]
sys.path.append("../_site")
import keras
from clear_attention import EncoderLayer, PositionalEncoding
from live import bet, touch


def share_right(width, d_k=16, rate=3e-3, batch=64, steps=500):
    """Train one layer whose feed-forward network has this width; test it."""
    keras.utils.set_random_seed(0)
    heads = {"d_k": d_k, "d_v": d_k}
    layer = EncoderLayer(32, 2, d_ff=width or 1, dropout=0.0, self_attention=heads)
    if not width:  # hand on what comes in
        layer.feed_forward.after = lambda x, output, training=None: x
        layer.feed_forward.trainable = False
    start = keras.initializers.RandomNormal(stddev=1.0)
    model = keras.Sequential(
        [
            keras.layers.Embedding(26, 32, start),
            PositionalEncoding(),
            layer,
            keras.layers.Dense(26),
            keras.layers.Cropping1D((1, 0)),  # the first letter has none before it
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate), loss)
    model.fit(*task(batch * steps, seed=1), batch_size=batch, verbose=0)
    unseen, right = task(1000, seed=2)
    return np.mean(np.argmax(model(unseen), axis=-1) == right), model


trained_with = {width: share_right(width) for width in (0, 8, 32, 128)}
found = {width: share for width, (share, _) in trained_with.items()}
wider, wide = share_right(0, d_k=48)  # about as many numbers as with a width of 128
bet(
    "feed_forward/table",
    [
        (
            "no network",
            round(100 * float(found[0]), 1),
            "Each of the two letters alone already makes some answers likelier. Guessing blindly would give 4 %.",
            "Attention brings both letters together, but an answer that depends on the pair is in neither of them.",
        ),
        (
            "no network, wide attention",
            round(100 * float(wider), 1),
            "More numbers to train do help, even without a network.",
            "More numbers help. But a mixture of values is still no table that is looked up by both letters.",
        ),
        (
            "network of width 128",
            round(100 * float(found[128]), 1),
            "128 numbers in the middle are enough for 676 entries. How that can be, the rest of the page tells.",
        ),
    ],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# Without the network three letters in ten are right. The wide attention gets about half. A network of width 128 knows
# nearly the whole table:

# %% tags=["hide-input"] alt="Bars: how many letters each machine gets right. No network: about 30 %. Attention three times as wide: about half. Networks of width 8, 32 and 128: about 43 %, 66 % and nearly all."
bars = {"no network": found[0], "no network,\nwide attention": wider}
bars |= {f"network of width {width}": found[width] for width in (8, 32, 128)}
_, ax = plt.subplots(figsize=(4.4, 2.4), layout="constrained")
colours = ["#d55e00"] * 2 + ["#0072b2"] * 3
drawn = ax.barh(list(bars), bars.values(), color=colours, height=0.65)
labels = [
    f"{share:.1%}" if share > 0.99 else f"{share:.0%}" for share in bars.values()
]
ax.bar_label(drawn, labels, padding=3)
ax.axvline(1 / 26, color="#808080", lw=1, ls=":")
ax.set(xlim=(0, 1.15), xticks=[], xlabel="letters right (dotted: guessing)")
ax.invert_yaxis()
ax.spines[["top", "right", "bottom"]].set_visible(False)
plt.show()
assert found[128] > 0.95 > found[32] > wider + 0.05
assert wider > found[8]


def with_mean_weights(model):
    """The share of right answers if each place has the same weights in all texts."""
    embed, place, layer, dense, _ = model.layers
    unseen, right = task(1000, seed=2)
    x, part = place(embed(unseen)), layer.self_attention
    _, weights = part.attention(x, return_weights=True)
    values = np.reshape(part.attention.project_values(x), (1000, 8, 2, -1))
    mixed = np.einsum("hqk,nkhd->nqhd", np.mean(weights, axis=0), values)
    mixture = part.attention.project_output(mixed.reshape(1000, 8, -1))
    answers = dense(part.norm(x + mixture))[:, 1:]
    return np.mean(np.argmax(answers, axis=-1) == right)


assert with_mean_weights(wide) < 0.25 < wider - 0.15


def more(model):
    """How many trained numbers it has more than the layer without a network."""
    counts = [
        sum(np.prod(v.shape) for v in m.trainable_variables)
        for m in (model, trained_with[0][1])
    ]
    return counts[0] - counts[1]


assert more(wide) == 8_384
assert (more(trained_with[8][1]), more(trained_with[32][1])) == (616, 2_176)
assert 0.4 > found[0] < found[8] < found[32] < found[128]

# %% [markdown]
# Even without a network some come right, because each of the two letters alone makes some answers likelier: among 26
# answers drawn at random some letters come three or four times. And how can the wide attention know half of a random
# table? Its weights depend on both letters, too, through the softmax, which is a bend, though a clumsy one. To test
# this, we replaced its weights by their means over all texts, so that they no longer depend on the letters. Then it
# gets fewer than 25 of 100. (It was not trained for that, so the test is a little unfair.)
#
# More numbers do help: the wide attention has 8,384 more than the first layer, and knows more than the network of width
# 8, which has 616. But the network of width 32 knows more than either, with 2,176. So it is not only how *many* numbers
# there are. **With about as many, the wide attention gets half of the letters right, and the network nearly all.**
#
# </details>
#
# ## By hand
#
# How can two matrices look something up? Here are six **alarms**, one for each pair of two different digits from 5 to
# 8. A 7 and an 8 were found, and only the alarm of this pair rings:
#
# --8<-- "diagrams/alarms.svg"
#
# Take this alarm. $x_1$ is 1 if a 7 was found, and $x_2$ is 1 if an 8 was found. The first matrix adds the two. The
# alarm must ring only if both were found, so a fixed number is added, too, its *bias* of $-1$. If the result is above 0
# it rings, the louder the larger the result, and else it is silent: $\max(0, x_1 + x_2 - 1)$. That is the line in each
# box. The dot shows where the alarm stands now, and only one dot has left the flat part. To set everything negative to
# 0 is called *ReLU*, rectified linear unit. The second matrix says what an alarm adds to the answer. It multiplies this
# one by 56:
#
# | found | x₁ | x₂ | x₁ + x₂ - 1 | ReLU | times 56 |
# | --- | --- | --- | --- | --- | --- |
# | neither | 0 | 0 | -1 | 0 | 0 |
# | a 7 | 1 | 0 | 0 | 0 | 0 |
# | an 8 | 0 | 1 | 0 | 0 | 0 |
# | both | 1 | 1 | 1 | 1 | 56 |
#
# In a trained network the first matrix, too, holds any numbers, and not only 0 and 1. The first one *widens* a vector
# to many alarms, and the second one makes it narrow again.
#
# Without the ReLU this cannot be done, whatever the numbers. **In a plain sum an 8 changes the answer by the same
# amount, whether the 7 is there or not.** Here it must change it by 0 without the 7, and by 56 with it. And two
# matrices would be no more than one, because $(x W_1) W_2$ is $x (W_1 W_2)$.
#
# ### Many alarms, one table
#
# A table of pairs is hard to draw. But an alarm hears both things as one number, their sum. So let us take a table over
# a single number $s$ from 0 to 7. Its answers go up and down, which no plain sum does. The points are what the table
# answers, and you can drag them. The thick line is what a network answers, at first with a single alarm. Add alarms,
# one by one, until it knows all eight answers. Where does the line bend?

# %% tags=["live", "hide-input"]
touch(
    "bends",
    "<p>The table 2, 5, 3, 8, 8, 1, 4, 6 needs seven alarms, one for each answer but the first. With one, two of the"
    " eight answers are right.</p>",
    table=[2, 5, 3, 8, 8, 1, 4, 6],
    alarms=1,
    parts=True,
    place=1,
)

# %% [markdown]
# In the lower picture each alarm is a thin line: flat, and from some place on a ramp. Its bias $b_1$ sets where the
# ramp begins: with $b_1 = -3$ at 3. Its number in the second matrix sets how steep the ramp is, up or down. The network
# adds all ramps to the dashed line, which is the bias $b_2$ of the answer.
#
# In general it takes one ramp for each answer but the first. A dare: make a table that two alarms know.
#
# In the secret table each alarm gets one number from each of the two letters, and adds them up. How, then, can 128
# alarms be enough for its 676 entries?
#
# **An alarm can ring for many.** Here are four of the 128 in our trained layer. The darker a pair, the louder the alarm
# rings there, and an orange circle marks the loudest pair. In each map the letters are sorted by how loud they make it
# on average, the loudest first, so the top left is mostly dark. Look at the edge of the dark area:

# %% tags=["hide-input"] alt="Four squares of 26 by 26 cells: how loud four alarms are for each pair of letters. In each the upper left corner is darkest, and the dark area ends at a slanting edge. It is small in the first square, and more than half of the last."
from matplotlib.colors import LinearSegmentedColormap

_, model = trained_with[128]
embed, place, layer, dense, _ = model.layers
network = layer.feed_forward
unseen, right = task(1000, seed=2)
met = layer.self_attention(place(embed(unseen)))
alarms = network.widen(met).numpy()
pair = (unseen[:, :-1], unseen[:, 1:])
loud, times = np.zeros((26, 26, 128)), np.zeros((26, 26, 1))
np.add.at(loud, pair, alarms[:, 1:])
np.add.at(times, pair, 1)
loud /= times
rings = np.mean(alarms[:, 1:] > 0, axis=(0, 1))  # for which share of the pairs

_, axes = plt.subplots(2, 2, figsize=(4.4, 4.6), layout="constrained")
clear = LinearSegmentedColormap.from_list("loud", [("#0072b2", 0.0), "#0072b2"])
for ax, wanted in zip(axes.flat, (0.15, 0.3, 0.45, 0.6), strict=True):
    one = np.argmin(np.abs(rings - wanted))
    map_ = loud[..., one]
    rows, columns = np.argsort(-map_.mean(axis=1)), np.argsort(-map_.mean(axis=0))
    map_ = map_[rows][:, columns]
    assert map_[:13, :13].sum() > 2 * map_[13:, 13:].sum()
    ax.imshow(map_, cmap=clear, vmin=0, interpolation="none")
    at, to = np.unravel_index(map_.argmax(), map_.shape)
    loudest = f"{LETTERS[rows[at]]}, then {LETTERS[columns[to]]}"
    ax.plot(to, at, "o", mfc="none", mec="#d55e00", ms=9, mew=2, clip_on=False)
    ax.set_title(f"rings for {rings[one]:.0%},\nloudest: {loudest}", fontsize=10)
    ax.set(xticks=[], yticks=[], xlabel="letter here", ylabel="letter before")
plt.show()

# %% [markdown]
# In the top left corner both letters say yes. Where the edge runs nearly straight down or across, as in the first map,
# the alarm hears hardly more than one of the two letters. Where it runs aslant it hears both, and is a soft "7 and 8",
# for many letters at once. It votes for some answers and against others, and the votes of all that ring are added up.
# An alarm that rings for many also disturbs many. But the right letter's sum need only be the largest of 26.
#
# Now we break it, and switch alarms off. How many of 100 answers are still right with one of the 128 alarms off, and
# how many with half of them off?


# %% tags=["live", "hide-input"]
def right_without(*silent):
    """The share of right answers if some alarms are switched off."""
    heard = alarms.copy()
    heard[..., silent] = 0
    answers = dense(network.norm(met + network.narrow(heard)))[:, 1:]
    return np.mean(np.argmax(answers, axis=-1) == right)


orders = [np.random.default_rng(seed).permutation(128) for seed in range(5)]
lost = right_without() - np.array([right_without(alarm) for alarm in range(128)])
off = [0, 1, 4, 8, 16, 32, 48, 64, 96, 128]
kept = [np.mean([right_without(*order[:n]) for order in orders]) for n in off]
bet(
    "feed_forward/alarms-off",
    [
        (
            "one alarm of 128 off",
            round(100 * float(right_without() - lost.mean()), 1),
            "Few entries hang on one alarm. Others ring for the same pairs, and their votes are mostly enough.",
        ),
        (
            "half of the alarms off",
            round(100 * float(kept[7]), 1),
            "Some answers survive, because for them the remaining votes still make the right letter the largest.",
            "Half of the alarms do not keep half of the table. Every answer needs the votes of many.",
        ),
    ],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# With one alarm off 99 of 100 answers are still right, and with half of them off fewer than 30:

# %% tags=["hide-input"] alt="How many of 100 answers are right, against how many of the 128 alarms are switched off. With none nearly all, with one 99, with 8 about 90, with 16 about 74, with half of the alarms fewer than 30, and with all of them about 11."
_, ax = plt.subplots(figsize=(4.4, 2.4), layout="constrained")
ax.plot(off, [100 * share for share in kept], "o-", color="#0072b2")
ax.axhline(100 / 26, color="#808080", lw=1, ls=":")
ax.text(1, 100 / 26 + 2, "guessing", color="#808080")
ax.set(
    xlabel="alarms switched off (means of five draws)",
    ylabel="of 100 answers, right",
    ylim=(0, 102),
)
ax.set(
    xticks=[0, 1, 16, 32, 64, 96, 128],
    xticklabels=["0", "", "16", "32", "64", "96", "128"],
)
ax.spines[["top", "right"]].set_visible(False)
plt.show()
assert 0.3 < rings.mean() < 0.55
assert np.isclose(right_without(), found[128])
assert lost.mean() < 0.03
assert lost.max() < 0.12
assert kept[0] - kept[7] > 0.4
assert kept[-1] < found[0] - 0.1

# %% [markdown]
# With all of them off about 11 are right, and not 30 as in the layer without a network: that one was trained to do
# without, and this one never had to.
#
# No alarm keeps a corner of the table to itself. The table lies in all alarms together, and small errors in the sum do
# no harm.
#
# </details>
#
# ## The formula
#
# $$
# \operatorname{FFN}(x) = \max(0,\, x W_1 + b_1)\, W_2 + b_2
# $$
#
# | symbol | what it is |
# | --- | --- |
# | $x$ | the vector of a letter, `d_model` numbers |
# | $W_1$, $b_1$ | widen to `d_ff` numbers, and move the point at which each alarm begins |
# | $\max(0, \dots)$ | set negative numbers to 0 |
# | $W_2$, $b_2$ | narrow to `d_model` again: what each alarm says |
# | `d_ff` | the width: how many alarms there are |
# | elsewhere | an alarm is a *neuron* or a *hidden unit*, and the network an *MLP* |
#
# With ReLU the width is usually four times `d_model`, which is a habit since 2017, and no law.
#
# ## Your machine so far
#
# The last part of a layer takes one line. Write it:
#
# ```python
# def feed_forward(x, W_1, b_1, W_2, b_2):
#     ...  # widen, set negative numbers to 0, narrow
# ```
#
# The example has $W_1 = (1, 1)^\top$, $b_1 = -1$, $W_2 = 56$, $b_2 = 0$. For "neither", "a 7", "an 8" and "both" it
# must answer 0, 0, 0 and 56.


# %% tags=["answer"]
def feed_forward(x, W_1, b_1, W_2, b_2):
    return np.maximum(0, x @ W_1 + b_1) @ W_2 + b_2


W_1, b_1, W_2, b_2 = np.array([[1.0], [1.0]]), -1.0, np.array([[56.0]]), 0.0
x = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
answers = feed_forward(x, W_1, b_1, W_2, b_2)
for name, row in zip(("neither", "a 7", "an 8", "both"), answers, strict=True):
    print(f"{name:8} {row[0]:.0f}")
np.testing.assert_array_equal(answers[:, 0], [0, 0, 0, 56])

# %% [markdown]
# The part in the package, [`FeedForwardBlock`][clear_attention.FeedForwardBlock], is your `feed_forward` with residual
# and norm.

# %% tags=["remove-input"]
from clear_attention import FeedForwardBlock

block = FeedForwardBlock(d_model=8, d_ff=32)
x = np.random.default_rng(0).normal(size=(1, 5, 8)).astype("float32")
changed = x.copy()
changed[0, 2] += 1  # a letter changes, and only what comes out for this letter
moved = np.flatnonzero(np.any(block(x) != block(changed), axis=-1)[0])
np.testing.assert_array_equal(moved, [2])
widen, narrow = block.widen.get_weights(), block.narrow.get_weights()
by_hand = x + feed_forward(x, *widen, *narrow)
np.testing.assert_allclose(block(x), block.norm(by_hand), atol=1e-5)

# %% tags=["live", "remove-input"]
import itertools
import re
from pathlib import Path

# The drawing's numbers: what was found, each alarm and its answer, the sum.
digits, was_found = (5, 6, 7, 8), np.array([0, 0, 1, 1])
pairs = list(itertools.combinations(digits, 2))
W_1 = np.array([[digit in pair for pair in pairs] for digit in digits], int)
W_2 = np.array([a * b for a, b in pairs])
ringing = np.maximum(0, was_found @ W_1 - 1)
drawn = Path("../diagrams/alarms.svg").read_text(encoding="utf-8")
assert re.findall(r">(\d · \d+)<", drawn) == [
    f"{alarm} · {answer}" for alarm, answer in zip(ringing, W_2, strict=True)
]
numbers = re.findall(r'class="number"[^>]*>([^<]+)<', drawn)
assert numbers == [str(n) for n in (*was_found, ringing @ W_2)]

# %% [markdown]
# ## Who found this, and when
#
# In 1969 Minsky and Papert showed that a *single* layer of sums cannot even say whether exactly one of two things is
# there. A second matrix behind a bend mends it. In 1989 Cybenko proved for one kind of bend that with enough alarms
# they come as near as you like to any function without jumps, if its inputs lie between 0 and 1. In 2021 Geva and
# others read what the alarms of a trained language model hear. Many ring at something a person can name, such as a text
# about television, and then make certain next words likelier.
#
# ## Exercises
#
# ### Exercise 1
#
# Let the table hold the last digit of a sum: 7 and 8 give 5. A layer without the network can only add the two digits.
# It gives each of the ten answers a number, which is a straight line over the sum, and at each sum the highest line
# wins. How many of the 100 pairs of digits can it get right? (To try it, change `table` and `task`, and train a layer
# without the network and one of width 32.)

# %% tags=["answer"]
table = (np.arange(26)[:, None] + np.arange(26)) % 10


def task(examples, seed):
    """Eight digits, and what the table says of each and the one before."""
    texts = np.random.default_rng(seed).integers(0, 10, size=(examples, 8))
    return texts, table[texts[:, 1:], texts[:, :-1]]


sums_right = {width: share_right(width)[0] for width in (0, 32)}
for width, share in sums_right.items():
    name = f"width {width}" if width else "no network"
    print(f"{name:10}: {share:.0%} of the sums right")
assert sums_right[32] > 0.97 > 0.9 > sums_right[0] > 0.6
pairs = np.bincount(np.add.outer(np.arange(10), np.arange(10)).ravel())
print("pairs of the ten best sums in a row:", pairs[4:14].sum())
assert pairs[4:14].sum() == max(pairs[i : i + 10].sum() for i in range(10)) == 75

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# Even without the network the layer gets most pairs right. If a 7 is handed over as the number 7 and an 8 as an 8, a
# mixture of the two carries their sum. Of several straight lines over this sum, each is the highest in one stretch at
# most. So an answer cannot win at two sums that lie ten apart, such as 3 and 13, without winning at all nine between
# them, where it is wrong. Best are the sums 4 to 13, which belong to 75 of the 100 pairs. (The trained layer may get
# one or two more. Its weights change with the letters, so what it hands on is not quite a sum.) For the rest it needs a
# bend.
#
# </details>
#
# ### Exercise 2
#
# How many numbers does the layer have with `d_model=128`, one head and `d_ff=512`? Count the attention and the
# feed-forward network separately, each with its biases and its norm, before you ask the layer.

# %% tags=["answer"]
d = 128
# four matrices with their biases, and the two vectors of the norm
attention = 4 * (d * d + d) + 2 * d
# the way in and the way back, each with its bias, and the norm again
network = (d * 4 * d + 4 * d) + (4 * d * d + d) + 2 * d
layer = EncoderLayer(d_model=d, num_heads=1, d_ff=4 * d)
layer.build((None, None, d))
print(f"attention    {attention:,}")
print(f"feed-forward {network:,}")
print(f"the layer    {layer.count_params():,}")
assert layer.count_params() == attention + network

# %% [markdown]
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("feed_forward")

# %% [markdown]
# ```self-check
# ? An alarm is max(0, x₁ + x₂ + x₃ - 2), and each x is 0 or 1. When does it ring?
# - if at least two of the three are there | Two make the sum 2, and 2 - 2 is 0. At 0 it is silent.
# - if any of them is there | That would be a bias of 0.
# + if all three are there | Then the sum is 3 - 2 = 1. A bias of -2.5 would do the same, and ring more softly.
# ? A trained network of 128 alarms knows 676 entries that were drawn at random. One alarm is switched off. What do you expect?
# + Few are lost, and not all of those for which it rang. | The right letter's sum mostly stays the largest, without this vote.
# - Exactly those for which it rang are lost. | So it would be if it rang alone. Many others ring for each of these pairs, and their votes are mostly enough.
# - All are lost, since the sum is wrong now. | The sums change a little. The right letter mostly keeps the largest.
# ? A machine of attention without feed-forward networks must answer "7 times 8". The head finds both digits. What is missing?
# - a second head, so that each finds one digit | Then both are found, and their values are added or mixed: what the 8 adds is the same with and without the 7.
# + a part in which an 8 counts differently with a 7 than without | That needs a bend. Mixtures with fixed weights are plain sums.
# - positions, since the digits stand side by side | They help to find a digit. What follows from both digits they do not know.
# ```
#
# ## Where to go next
#
# You have now met every part of a layer. It is time to see the whole machine at once.
#
# * [The whole Transformer, on a map](recap.py): all parts, put together by hand.
# * [Reference: blocks](../reference/blocks.md): every argument of the block.
#
# Read on elsewhere: Cybenko (1989), [Approximation by Superpositions of a Sigmoidal
# Function](https://doi.org/10.1007/BF02551274); Vaswani and others (2017), [Attention Is All You
# Need](https://arxiv.org/abs/1706.03762), section 3.3; Geva and others (2021), [Transformer Feed-Forward Layers Are
# Key-Value Memories](https://arxiv.org/abs/2012.14913).

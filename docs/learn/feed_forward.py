# ---
# title: The feed-forward network
# description: What a letter does while nobody looks. A secret table of 676 entries, learnt with and without the feed-forward network, by hand, and how 128 alarms can hold it.
# ---

# %% [markdown]
# # What does a letter do while nobody looks?
#
# After attention, each layer has a second part, the *feed-forward network*. Each letter's vector goes through two more
# matrices, by itself, without looking at any other letter. More than half of the trained numbers in our machine are
# there. So let us take this part out and see. Three machines were trained with it and three without, each begun from
# other random numbers. Here is the share of 2,000 unseen dates that each of them gets right:

# %% tags=["hide-input"]
import sys

# The measurements are in the repository and not in the package, so this cell needs a clone.
sys.path.append("../..")
from trained.ablations import shares

for name in ("whole", "no feed-forward"):
    print(f"{name:16}", "   ".join(f"{share:.2%}" for share in shares(name)))
assert 0.002 < (sum(shares("whole")) - sum(shares("no feed-forward"))) / 3 < 0.004

# %% [markdown]
# Without it there are about four mistakes in a thousand dates, where there was one. Half of the machine, for so little?
# Reading dates is mostly copying: find the right digit, and write it down. So why does every Transformer have this
# part?
#
# ## Finding is not answering
#
# Attention brings back a mixture of values, and a mixture lies *between* the values, as green lies between blue and
# yellow. For the question "what stands there?" that is a good answer, if nearly all of it comes from the right letter.
# But a child who reads "7 times 8" finds a 7 and an 8, and the answer is in neither of them. It has to be looked up in
# a table, *by both of them*.
#
# Here is such a task, in its purest form: a secret table. For every pair of letters it names a third one, drawn at
# random, so it has 26 times 26 = 676 entries. The machine sees eight letters. Below each but the first it must write
# what the table says of this letter and the one before it:

# %%
import numpy as np

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
# Below the q stands what the table says of w and q, below the n what it says of q and n, and so on. To find the letter
# before is easy for a head that knows [positions](positions.py), and the residual keeps the letter itself. So both
# letters meet in one vector. (Which of them came first is not lost: the head can write the letter before into other
# numbers of the vector.) What is left is to know the table.
#
# We train one layer on it, first without the feed-forward network, then with a network of width 8, 32 and 128. The
# width is how many numbers stand between its two matrices; the letters stay 32 numbers wide. A fifth machine has no
# such network, but an attention that is three times as wide. How many of the letters does each get right? Guess first.
#
# <details class="lesson-more" markdown="1"><summary>How much each gets right</summary>

# %% tags=["hide-input"] alt="Bars: how many letters each machine gets right. No network: about 30 %. Attention three times as wide: about half. Networks of width 8, 32 and 128: about 43 %, 66 % and nearly all."
import keras
import matplotlib.pyplot as plt
from clear_attention import EncoderLayer, PositionalEncoding


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
# So even the layer without a network knows something. The wider the network, the more of the table the layer knows, up
# to nearly all of it. Is it only that there are more numbers to train? With the wide attention there are 8,384 more
# than in the first layer, and it beats the network of width 8, with 616 more. But the one of width 32 knows more than
# it does, with 2,176. (The texts of the test are new, but the pairs in them are not: the task *is* to know the table by
# heart.)
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>How can it be right at all without the network?</summary>
#
# By a vote. Each of the two letters votes for some answers, and the answer with the most votes wins. No pair is known
# in this way. Below, the votes are nudged until they fit the table as well as they can:

# %% tags=["hide-input"]
before, here = np.divmod(np.arange(26 * 26), 26)
pairs = np.concatenate([np.eye(26)[before], np.eye(26)[here]], axis=1)
answers = table[here, before]
votes = np.zeros((52, 26))
for _ in range(4000):
    sums = pairs @ votes
    powers = np.exp(sums - sums.max(axis=1, keepdims=True))
    probable = powers / powers.sum(axis=1, keepdims=True)
    votes -= pairs.T @ (probable - np.eye(26)[answers]) / 13
added = np.mean(np.argmax(sums, axis=1) == answers)
print(f"votes added up: {added:.0%} of the pairs right")
assert 0.25 < added < 0.27 < found[0]

# %% [markdown]
# A layer of attention alone gets a little further, because its weights change with the letters.
#
# </details>
#
# ## By hand
#
# So this is what a letter does while nobody looks: it looks up what follows from the things it has found. But how can
# two matrices look something up?
#
# The first one makes many numbers out of a vector: it *widens* it. Each of them is an **alarm**. An alarm adds up what
# it hears, and rings if the sum is above 0, the louder the larger the sum. At a sum below 0 it is silent. (To set
# everything negative to 0 is called *ReLU*, rectified linear unit. Elsewhere an alarm is called a neuron or a hidden
# unit, and the whole network an MLP.) The second matrix says what each alarm adds to the answer. Here are six alarms,
# one for each pair of two different digits from 5 to 8. In each box the horizontal axis is the sum. The line shows how
# loud the alarm is at which sum, and the dot shows where it stands now. A 7 and an 8 were found:
#
# --8<-- "diagrams/alarms.svg"
#
# Only one dot has left the flat part. In the first matrix the column of this alarm has a 1 for the 7, a 1 for the 8 and
# 0 elsewhere. So it gets the sum $x_1 + x_2$, where $x_1$ is 1 if a 7 was found, and $x_2$ is 1 if an 8 was found. It
# must ring only if both were. So a fixed number is added, its *bias* of $-1$, and the alarm is
# $\max(0, x_1 + x_2 - 1)$. The second matrix multiplies it by 56:
#
# | found | x₁ | x₂ | x₁ + x₂ - 1 | ReLU | times 56 |
# | --- | --- | --- | --- | --- | --- |
# | neither | 0 | 0 | -1 | 0 | 0 |
# | a 7 | 1 | 0 | 0 | 0 | 0 |
# | an 8 | 0 | 1 | 0 | 0 | 0 |
# | both | 1 | 1 | 1 | 1 | 56 |
#
# Without the ReLU this cannot be done. Then "neither" would give -56. Other numbers do not help: in a plain sum, an 8
# changes the answer by the same amount whether the 7 is there or not. Here an 8 must change it by 0 without the 7, and
# by 56 with it. And without the ReLU the second matrix would be of no use: $(x W_1) W_2$ is $x (W_1 W_2)$, which is a
# product with a single matrix.
#
# ### Many alarms, one table
#
# How many alarms does a table need? Take a table for a single number first, the sum $s$, so that each alarm is one of
# the ramps in the boxes above, only larger. The points are its answers for $s$ from 0 to 7, and you can drag them. The
# thick line is what a network answers, at first with a single alarm. Its ramp begins at 0, the left edge. Add a second
# one. Where does the line bend, and what decides how far it turns? How many alarms does the network need until it knows
# the whole table?

# %% tags=["live", "hide-input"]
sys.path.append("../_site")
from live import touch

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
# In the lower picture each alarm is a thin line: flat, and from some place on a ramp. Where it begins is set by its
# bias $b_1$: with $b_1 = -3$ it is at 3, where $s - 3$ is 0. How steep it is, and whether it goes up or down, is set by
# the alarm's number in the second matrix. The dashed line is the bias $b_2$ of the answer. The network adds all ramps
# to it, and gets the thick line.
#
# With enough ramps every table of this kind can be drawn. It takes one for each answer but the first. But the secret
# table asks for a pair, which is two inputs and not one. How can 128 alarms be enough for its 676 entries?
#
# An alarm need not stand for one entry. It can ring for many. Here are four of the 128 in our trained layer, those that
# ring for a share of the pairs nearest to 15, 30, 45 and 60 %. The sum of an alarm has a part from the letter before
# and a part from the letter here. In each map both are sorted, so that the letters which make the alarm louder stand at
# the top and on the left. The darker a pair, the louder it rings there:

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
    map_ = map_[np.argsort(-map_.mean(axis=1))][:, np.argsort(-map_.mean(axis=0))]
    assert map_[:13, :13].sum() > 2 * map_[13:, 13:].sum()
    ax.imshow(map_, cmap=clear, vmin=0, interpolation="none")
    ax.set_title(f"rings for {rings[one]:.0%}", fontsize=10)
    ax.set(xticks=[], yticks=[], xlabel="letter here", ylabel="letter before")
plt.show()


# %% [markdown]
# The dark area ends at a slanting edge, where the two parts add up to 0. In the corner both letters say yes. A letter
# at the very top says it so loudly that it needs little help from the letter here, and one further down needs more.
# (Where the edge is steep, the letter here counts for more.) So an alarm is a soft "7 and 8", for many letters at once.
# It votes for some answers and against others, and the votes of all that ring are added up. If an entry hung on one
# alarm, switching it off would lose all the pairs for which it rings. Here is what happens:
# %% tags=["hide-input"]
def right_without(*silent):
    """The share of right answers if some alarms are switched off."""
    heard = alarms.copy()
    heard[..., silent] = 0
    answers = dense(network.norm(met + network.narrow(heard)))[:, 1:]
    return np.mean(np.argmax(answers, axis=-1) == right)


order = np.random.default_rng(0).permutation(128)
lost = right_without() - np.array([right_without(alarm) for alarm in range(128)])
print(f"an alarm rings for {rings.mean():.0%} of the pairs, on average")
print(
    f"one alarm switched off: {lost.mean():.1%} of the answers lost, at most {lost.max():.1%}"
)
print(
    f"half of the alarms off: {right_without() - right_without(*order[:64]):.0%} lost"
)
assert 0.3 < rings.mean() < 0.55
assert np.isclose(right_without(), found[128])
assert lost.mean() < 0.03
assert lost.max() < 0.12
assert right_without() - right_without(*order[:64]) > 0.4

# %% [markdown]
# Hardly anything is lost with one alarm, and most of it with half of them. The table lies in all alarms together.
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
#
# The width $d_{\text{ff}}$ is how many alarms there are. With ReLU it is usually four times `d_model`, as 128 above is
# four times 32. That is a habit since 2017, and no law.
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
# The example above is this formula with $W_1 = (1, 1)^\top$, $b_1 = -1$, $W_2 = 56$, $b_2 = 0$. For "neither", "a 7",
# "an 8" and "both" it must answer 0, 0, 0 and 56.


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
# ## A check: nobody looks
#
# The part in the package is your `feed_forward` with residual and norm. Change one letter, and only that letter's
# output changes. Attention is the only part in which letters meet.

# %%
from clear_attention import FeedForwardBlock

block = FeedForwardBlock(d_model=8, d_ff=32)
x = np.random.default_rng(0).normal(size=(1, 5, 8)).astype("float32")
changed = x.copy()
changed[0, 2] += 1
moved = np.flatnonzero(np.any(block(x) != block(changed), axis=-1)[0])
print("letter 2 was changed; outputs that moved:", moved)

# %% tags=["remove-input"]
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
# Can so simple a thing hold any table? In 1969 Minsky and Papert showed in a book what a *single* layer of sums cannot
# do: it cannot even say whether exactly one of two things is there. Many took that for the end of such networks. But a
# second matrix behind a bend mends it. In 1989 Cybenko proved for one kind of bend that with enough alarms they come as
# near as you like to any function without jumps, if its inputs lie between 0 and 1. The Transformer (2017) put such a
# network into each layer. What the alarms of a trained language model hear was read in 2021 by Geva and others. Many
# ring at something a person can name, such as a text about television, and then make certain next words likelier.
#
# ## Exercises
#
# ### Exercise 1
#
# Let the table hold the last digit of a sum: 7 and 8 give 5. How many of the 100 pairs of digits can a layer get right
# that only adds the two digits, so that each of the ten answers can win at one sum and no other? (To try it, change
# `table` and `task`, and train a layer without the network and one of width 32.)

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
print("pairs of the ten commonest sums in a row:", pairs[4:14].sum())
assert pairs[4:14].sum() == max(pairs[i : i + 10].sum() for i in range(10)) == 75

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# A width of 32 is plenty for 100 pairs with a rule. And even without the network the layer gets most of them right. If
# a 7 is handed over as the number 7 and an 8 as an 8, a mixture of the two carries their sum. From it the last matrix
# makes a logit for each answer, a straight line over the sum. Of several straight lines, each is the highest in one
# stretch at most. So an answer can win at one sum, but not at two that lie ten apart, such as 3 and 13. Best are the
# sums 4 to 13, which belong to 75 of the 100 pairs. The layer gets about as many. (It may get a few more, because its
# weights change with the letters, so it does a little more than add.) For the rest it needs a bend.
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
print(
    f"attention {attention:,} + feed-forward {network:,} = {layer.count_params():,}"
)
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
# + Few are lost, and not all of those for which it rang. | Other alarms ring for the same pairs, and their votes are mostly enough.
# - About 5 entries are lost, since 676 / 128 is about 5. | So it would be if each entry were kept by one alarm. Each alarm rings for hundreds of pairs, and many ring for each pair.
# - All are lost, since the sum is wrong now. | The sums change a little. The right letter mostly keeps the largest.
# ? A machine of attention without feed-forward networks must answer "7 times 8". The head finds both digits. What is missing?
# - a second head, so that each finds one digit | Then both are found, and their values are added or mixed: what the 8 adds is the same with and without the 7.
# + a part in which an 8 counts differently with a 7 than without | That needs a bend. Mixtures with fixed weights are plain sums.
# - positions, since the digits stand side by side | They say where a digit stands, and help to find it. What follows from both digits they do not know.
# ```
#
# ## Where to go next
#
# You have now met every part of a layer, and all that goes into the first layer. It is time to see the whole machine at
# once, and to follow one letter from the bottom to the top.
#
# * [The whole Transformer, on a map](recap.py): all parts, put together by hand.
# * [Reference: blocks](../reference/blocks.md): every argument of the block.
#
# Read on elsewhere: Cybenko (1989), [Approximation by Superpositions of a Sigmoidal
# Function](https://doi.org/10.1007/BF02551274); Vaswani and others (2017), [Attention Is All You
# Need](https://arxiv.org/abs/1706.03762), section 3.3; Geva and others (2021), [Transformer Feed-Forward Layers Are
# Key-Value Memories](https://arxiv.org/abs/2012.14913).

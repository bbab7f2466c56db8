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
# Without it there are about four mistakes in a thousand dates, where there was one. Still, over 99 of 100 are right.
# Half of the machine, for so little? Reading dates is mostly copying: find the right digit, and write it down. So why
# does every Transformer have this part?
#
# ## Finding is not answering
#
# Attention brings back a mixture of values, and a mixture lies *between* the values, as green lies between blue and
# yellow. For the question "what stands there?" a mixture is a good answer, if nearly all of it comes from the right
# letter. But suppose the answer is not among what was found, and follows only from two things together. A child who
# reads "7 times 8" finds a 7 and an 8, and the answer is in neither of them. It has to be looked up in a table, *by
# both of them*.
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
# numbers of the vector than those that hold the letter itself.) What is left is to know the table.
#
# We train one layer on it, first without the feed-forward network, then with a network of width 8, 32 and 128. The
# width is how many numbers stand between its two matrices. The letters themselves stay 32 numbers wide. A fifth machine
# has no such network, but an attention that is three times as wide. Guess first: how many of the letters does each get
# right?
#
# <details class="lesson-more" markdown="1"><summary>How much each gets right</summary>

# %% tags=["hide-input"]
import keras
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
for width, share in found.items():
    name = f"width {width}" if width else "no network"
    print(f"{name:10}: {share:.0%} of the letters right")
wider, _ = share_right(0, d_k=48)  # about as many numbers as with a width of 128
print(f"no network, attention three times as wide: {wider:.0%}")
assert found[128] > 0.95 > 0.65 > wider > found[0]
assert 0.4 > found[0] < found[8] < found[32] < found[128]

# %% [markdown]
# Whoever guesses among 26 letters is right in 4 % of all cases. So even the layer without a network knows something.
#
# The wider the network, the more of the table the layer knows, up to nearly all of it. (The texts of the test are new,
# but the pairs in them are not: the task *is* to know the table by heart.)
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>How can it be right at all without the network?</summary>
#
# By a vote. Each of the two letters votes for some answers more than for others. The votes are added up, and the answer
# with the most votes wins. No pair is known in this way, only what a letter means on its own. Below, the votes are
# nudged until they fit the table as well as they can:

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
# A layer of attention alone gets a little further, because its weights change with the letters. But it can only choose
# what to mix, which is a clumsy way to hold a table.
#
# </details>
#
# ## By hand
#
# With the widest network the layer knows nearly the whole table. The layer with the wide attention has about as many
# numbers to train, and knows far less of it. So this is what a letter does while nobody looks: it looks up what follows
# from the things it has found. But how can two matrices look something up?
#
# The first one makes many numbers out of a vector: it *widens* it. Then everything negative is set to 0, which is
# called *ReLU* (rectified linear unit). So each of the many numbers becomes an alarm, which is silent at 0 and rings
# above. (Elsewhere it is called a neuron or a hidden unit, and the whole network an MLP.) The second matrix says what
# each alarm adds to the answer. Here are six alarms, one for each pair of two different digits from 5 to 8. A 7 and an
# 8 were found:
#
# --8<-- "diagrams/alarms.svg"
#
# Only one of them rings. In the first matrix its column has a 1 for the 7, a 1 for the 8 and 0 elsewhere. So it gets
# the sum $x_1 + x_2$, where $x_1$ is 1 if a 7 was found, and $x_2$ is 1 if an 8 was found. It must ring only if both
# were. So a fixed number is added to the sum, its *bias* of $-1$, and the alarm is $\max(0, x_1 + x_2 - 1)$. The second
# matrix multiplies it by 56:
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
# by 56 with it. The ReLU breaks that rule by cutting off what is negative. Without it, the second matrix $W_2$ behind
# the first, $W_1$, would be of no use: $(x W_1) W_2$ is $x (W_1 W_2)$, which is a product with a single matrix.
#
# ### Many alarms, one table
#
# How many alarms does a table need? To draw it, let what was found be a single number $x$. The points are the answers
# of a small table for $x$ from 0 to 7, and you can drag them. The thick line is what a network answers, at first with a
# single alarm (ReLU). This one bends at 0, the left edge, so the line can only go straight on. Add a second one. Where
# does the line bend, and what decides how far it turns? How many alarms does the network need until it knows the whole
# table?

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
# In the lower picture each alarm is a thin line. It lies flat up to some place, and there it bends and becomes a ramp,
# because an alarm is not only on or off: once it rings, it rings the louder the larger $x$ is. Where it bends is set by
# its bias $b_1$. All numbers in $W_1$ are 1 here, so with $b_1 = -3$ it bends at 3, where $x - 3$ is 0. How steep it
# is, and whether it goes up or down, is set by the alarm's number in the second matrix.
#
# The dashed line is the bias $b_2$ of the answer, here as high as the first point. The network adds all ramps to it,
# and gets the thick line. The bold sentence under the pictures does this sum at one place.
#
# With enough ramps every table of this kind can be drawn. Here it took one for each answer but the first. How, then,
# can 128 alarms be enough for the 676 entries of the secret table?
#
# An alarm need not stand for one entry. It may ring for hundreds of pairs at once, and vote for some answers and
# against others. Where only single letters have a vote, adding up votes is right for one pair in four, as the fold
# about the vote shows. But an alarm can ring for *combinations*, as that for 7 and 8 did.
#
# What the ringing alarms say is added up, and for each of the 676 pairs the right letter must get the largest sum. How
# many alarms that takes was measured above: in these trainings 32 were too few, and 128 were enough. And in our trained
# layer many alarms do ring for each pair:

# %% tags=["hide-input"]
_, model = trained_with[128]
embed, place, layer, *_ = model.layers
unseen, _ = task(1000, seed=2)
alarms = layer.feed_forward.widen(layer.self_attention(place(embed(unseen))))
ringing = np.mean(np.sum(alarms[:, 1:] > 0, axis=-1))
print(f"of 128 alarms, {ringing:.0f} ring for a pair, on average")
assert 30 < ringing < 90

# %% [markdown]
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
# four times 32. That is a habit since 2017, and no law. Many machines of today have [a third
# matrix](long_sequences.py#is-this-how-a-chat-machine-works) in this part. Their width is about 8/3 times `d_model`,
# because three matrices of 8/3 hold as many numbers as two of 4.
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
# <details class="lesson-more" markdown="1"><summary>How the package writes it</summary>
#
# The package does what you have just written, with the residual and the norm of the [page
# before](transformer_layer.py), which are `before` and `after`. The first line makes the first matrix, the others use
# it. Can you find the ReLU?

# %% tags=["source", "hide-input"]
import inspect

from clear_attention import FeedForwardBlock

made = inspect.getsource(FeedForwardBlock)
print(
    next(line for line in made.splitlines() if "self.widen = " in line), end="\n\n"
)
print(inspect.getsource(FeedForwardBlock.call))
assert FeedForwardBlock(d_model=8, d_ff=32).activation is keras.activations.relu

# %% [markdown]
# It is in `widen`, as its `activation`, which is ReLU if nobody asks for another one. `narrow` is the second matrix.
#
# </details>
#
# ## A check: nobody looks
#
# Change one letter, and only that letter's output changes. Attention is the only part in which letters meet.

# %%
block = FeedForwardBlock(d_model=8, d_ff=32)
x = np.random.default_rng(0).normal(size=(1, 5, 8)).astype("float32")
changed = x.copy()
changed[0, 2] += 1
moved = np.flatnonzero(np.any(block(x) != block(changed), axis=-1)[0])
print("letter 2 was changed; outputs that moved:", moved)

# %% tags=["remove-input"]
np.testing.assert_array_equal(moved, [2])

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
# Networks of two matrices with a bend between them are far older than attention. In 1989 Cybenko proved for one kind of
# bend that with enough alarms they can come as near as you like to any function without jumps, if its inputs lie
# between 0 and 1. Later proofs cover ReLU. The Transformer (2017) put such a network into each layer. In 2021 Geva and
# others read the alarms of a trained language model, and found that many of them ring at something a person can name,
# such as a text about television, and then make certain next words likelier.
#
# ## Exercises
#
# ### Exercise 1
#
# Our table has 676 entries. Learn the sum of two digits instead, and forget the tens: 7 and 8 give 5. How far does a
# layer without the network come now, and is a width of 32 enough? Change `table` and `task`, and run it. (Only the
# first ten rows and columns of `table` are needed.) Say the layer can only add the two digits, so that each answer can
# win at one sum and no other. Which ten sums are best, and how many of the 100 pairs have them? Compute it first.

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
# There are only 100 pairs and 10 answers, with a rule behind them, so a width of 32 is plenty. And even without the
# network the layer gets most of them right. If a 7 is handed over as the number 7 and an 8 as an 8, a mixture of the
# two carries their sum. From it the last matrix makes a logit for each answer, which is a straight line over the sum.
# Of several straight lines, each is the highest in one stretch at most. So an answer can win at one sum, but not at
# two that lie ten apart, such as 3 and 13. Best are the sums 4 to 13, one for each answer, which belong to 75 of the
# 100 pairs. The layer gets about as many. For the rest it needs a bend.
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
# ? The secret table has 676 entries. Why are 128 alarms enough for it?
# - because the table has a rule, which the network has found | Its entries were drawn at random: there is no rule to find.
# + because each alarm rings for many pairs, and for each pair many alarms ring | An answer is what all ringing alarms say together, and there are far more sets of alarms than pairs.
# - because only about 128 of the pairs occur | All pairs occur in the test, and nearly all are answered right.
# ? What would the network be without the ReLU?
# + one matrix | Two matrices in a row are one, the product of both. It cannot tell what two things mean only together.
# - the same, only slower to train | The bend is what lets an alarm stay silent until two things come together.
# - attention with one head | Attention mixes letters. This works on each of them alone.
# ? A machine must answer "7 times 8". Which part turns the two digits that were found into 56?
# - the attention weights | They say where to look. For each text they are computed anew.
# + the feed-forward network | It is the part in which both digits together decide the answer.
# - the positions | They say where a digit stands, and know no digits.
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

# ---
# title: The feed-forward network
# description: What a letter does while nobody looks. A secret table of 676 entries, learnt with and without the feed-forward network. Two alarms that you set by hand, and 128 that hold the table.
# ---

# %% [markdown]
# # What does a letter do while nobody looks?
#
# After attention, each layer has a second part, the *feed-forward network*. There each letter is alone, and its vector
# goes through two more matrices. More than half of the trained numbers in our machine are there. How many dates do we
# lose without it? Each dot is a new machine, trained like ours:

# %% tags=["hide-input"] alt="Dots: how many of 2,000 dates each of six machines gets wrong. The whole ones: 3, 3 and 1. Without feed-forward networks: 9, 9 and 6."
import sys

# The measurements are in the repository and not in the package, so this cell needs a clone.
sys.path.append("../..")
import matplotlib.pyplot as plt
import numpy as np
import trained
from trained.ablations import shares

_, ax = plt.subplots(figsize=(4.4, 1.4), layout="constrained")
for height, name in enumerate(("whole", "no feed-forward")):
    missed = [2000 * (1 - share) for share in shares(name)]
    spread = height + np.array([-0.15, 0, 0.15])  # three dots, none hidden
    ax.plot(
        missed, spread, "o", color=("#0072b2", "#d55e00")[height], clip_on=False
    )
ax.set(xlim=(0, 10), ylim=(1.5, -0.5), xlabel="of 2,000 unseen dates, read wrong")
ax.set_yticks((0, 1), ("whole", "no feed-forward"))
ax.grid(axis="x", alpha=0.3)
ax.spines[["top", "right", "left"]].set_visible(False)
plt.show()
of_2000 = 2000 - 2000 * np.array([shares(n) for n in ("whole", "no feed-forward")])
np.testing.assert_allclose(of_2000, [[3, 3, 1], [9, 9, 6]], atol=0.01)
assert of_2000.mean(axis=1).round().tolist() == [2, 8]
assert 3 < np.divide(*of_2000.mean(axis=1)[::-1]) < 4
counts = {name: w.size for name, w in trained.kept("dates")[0].items()}
forward = sum(size for name, size in counts.items() if "feed_forward" in name)
assert forward > sum(counts.values()) / 2  # more than half

# %% [markdown]
# **Hardly any: without the network 1,992 of 2,000 dates are still right, on average.** It makes three to four times as
# many mistakes, with more than half of its numbers gone. Reading dates is mostly copying: find the right digit, and
# write it down. But then why does nearly every Transformer have this part?
#
# ## Finding is not answering
#
# It has this part because not every answer can be copied. A child who reads "7 times 8" finds a 7 and an 8, and the
# answer is in neither of them. The 56 has to be looked up in a table, *under both at once*. But attention only brings
# back a mixture of values, which lies *between* the values.
#
# So let us give a machine a secret table to learn. For every pair of letters it names a third one, drawn at random,
# which makes 26 times 26 = 676 entries. The machine reads eight letters, and must write what the table says of each of
# them and the one before it:


# %% tags=["hide-input"]
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
# Below the q stands what the table says of the q and of the w before it, and so on. Attention can bring the letter
# before, and the residual keeps the letter itself, so both meet in one vector. What is left is to know the table by
# heart.
#
# We train three machines of one layer, each for 500 steps:
#
# * The first has no network.
# * The second has none either, but a wider attention, so that it has about as many numbers to train as the third.
# * The third has a network of *width* 128, which means that 128 numbers stand between its two matrices.
#
# **How many of 100 letters does each get right?**

# %% tags=["live", "hide-input"]
sys.path.append("../_site")
import keras
from clear_attention import EncoderLayer, PositionalEncoding
from live import bet, grid, touch

unseen, right = task(1000, seed=2)


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
    return np.mean(np.argmax(model(unseen), axis=-1) == right), model


trained_with = {width: share_right(width) for width in (0, 128)}
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
# Even the machine without a network does better than blind guessing, because each letter alone already makes some
# answers likelier.

# %% tags=["hide-input"] alt="Bars: how many letters each machine gets right. No network: about 30 %. Attention three times as wide: about half. A network of width 128: nearly all."
bars = {"no network": found[0], "no network,\nwide attention": wider}
bars |= {"network of width 128": found[128]}
_, ax = plt.subplots(figsize=(4.4, 1.8), layout="constrained")
colours = ["#d55e00", "#d55e00", "#0072b2"]
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
assert found[128] > 0.95


def more(model):
    """How many trained numbers it has more than the layer without a network."""
    counts = [
        sum(np.prod(v.shape) for v in m.trainable_variables)
        for m in (model, trained_with[0][1])
    ]
    return counts[0] - counts[1]


assert more(wide) == 8_384
assert abs(found[0] - 0.3) < 0.06
assert 0.45 < wider < 0.57  # half of the table

# %% [markdown]
# </details>
#
# **After 500 steps, a layer with a network knows nearly the whole table. With a wider attention in its place it knows
# half, and with neither it gets three letters in ten.** So it is not only how *many* numbers there are. (A wide
# attention helps, too, because its weights depend on both letters.) What can two matrices do that a mixture cannot?
#
# ## An alarm for each pair
#
# Take a smaller table, the products of two different digits from 5 to 8. For each of the six pairs there is one
# **alarm**, which rings if both digits were found. So far only a 7 was found, and all is quiet. **Now let the machine
# find an 8, too. Which alarms ring?**

# %% tags=["live", "hide-input"]
digits = (5, 6, 7, 8)
pairs = [(a, b) for a in digits for b in digits if a < b]
products = np.array([a * b for a, b in pairs])


def says(*found, relu=True):
    """What the six alarms say together if these digits were found."""
    heard = np.array([sum(d in found for d in pair) - 1 for pair in pairs])
    return int((np.maximum(0, heard) if relu else heard) @ products)


for a, b in pairs:
    assert says(a, b) == a * b != says(a, b, relu=False)
assert [says(*found) for found in ((), (7,), (8,), (7, 8))] == [0, 0, 0, 56]
by_an_8 = [
    says(8, *others, relu=False) - says(*others, relu=False)
    for others in ((), (5,), (6,), (7,))
]
assert by_an_8 == [144] * 4
assert [says(*on, relu=False) for on in ((7,), (7, 8), (), (8,))] == [
    -118,
    26,
    -251,
    -107,
]
assert -products.sum() == -251
rows = {"nothing": (), "a 7": (7,), "an 8": (8,), "a 7 and an 8": (7, 8)}
touch(
    "ringing",
    grid(
        "What the six alarms say",
        [[says(*found), says(*found, relu=False)] for found in rows.values()],
        list(rows),
        ["with the ReLU", "without"],
    ),
    digits=digits,
    on=[7],
    relu=True,
    tried=[],
)

# %% [markdown]
# **Only the alarm for 7 and 8 rings, and it says 56.** How does this alarm know that both are there? $x_1$ is 1 if a 7
# was found, and $x_2$ is 1 if an 8 was found. The first matrix adds the two. One digit alone must not be enough, so a
# fixed number is added, the *bias* of $-1$. Whatever is still above 0 rings:
#
# $$
# \max(0,\, x_1 + x_2 - 1)
# $$
#
# Setting everything negative to 0 is called *ReLU*. The second matrix says what a ringing alarm adds to the answer.
#
# **Now take the ReLU away, and look for a product that the alarms still know.**
#
# <details class="lesson-answer" markdown="1"><summary>Is there one?</summary>
#
# There is none. Switch the 8 on: with a 7 the answer goes from −118 to 26. Without the 7 nothing is found at first, so
# each alarm says −1 times its product. All six together say −(30 + 35 + 40 + 42 + 48 + 56) = −251, and the 8 makes that
# −107. Both times its three alarms add 40 + 48 + 56 = 144.
#
# </details>
#
# **In a plain sum an 8 changes the answer by the same amount, whether a 7 is there or not.** But the 8 must change the
# answer by 0 without the 7, and by 56 with it. For that, something has to bend. Without a bend, two matrices one after
# the other are no more than one.
#
# ### Exactly one of two
#
# An alarm rings if both digits are there. But what if the answer should be 1 for *exactly one* of them, and 0 for
# neither and for both? In 1969 Minsky and Papert showed that a *single* layer of sums cannot do that, whatever its
# numbers are. With two alarms it can be done, and you can find out how.
#
# Here are two alarms, with four numbers each. Three of them are what a 7 adds, what an 8 adds, and the bias. The fourth
# is the alarm's **vote**, by which the second matrix multiplies what the alarm says. The sum of both is the answer. So
# far alarm 1 rings only if both digits are there, and alarm 2 is silent.
#
# **First change only alarm 1. How many of the four answers can you get right? Then let alarm 2 help, until all four
# are.**

# %% tags=["live", "hide-input"]
from itertools import product

cases = ((0, 0), (1, 0), (0, 1), (1, 1))


def answered(*alarms):
    """What alarms with these numbers answer in the four cases."""
    return tuple(
        sum(
            vote * max(0, seven * a + eight * b + bias)
            for seven, eight, bias, vote in alarms
        )
        for a, b in cases
    )


exactly_one = (0, 1, 1, 0)
assert answered((1, 1, 0, 1)) == (0, 1, 1, 2)
assert answered((1, 1, 0, 1), (1, 1, -1, -2)) == exactly_one
assert answered((1, -1, 0, 1), (-1, 1, 0, 1)) == exactly_one
by_one = {answered(alarm) for alarm in product(range(-2, 3), repeat=4)}
by_two = {
    tuple(map(sum, zip(*both, strict=True))) for both in product(by_one, repeat=2)
}
assert max(sum(map(int.__eq__, one, exactly_one)) for one in by_one) == 3
tables = set(product((0, 1), repeat=4))
assert [len(tables & reached) for reached in (by_one, by_two)] == [10, 16]
start = [[1, 1, -1, 1], [0, 0, 0, 0]]
touch(
    "wiring",
    grid(
        "What alarm 1 says, and what is wanted",
        list(zip(answered(*start), exactly_one, strict=True)),
        ["neither", "a 7", "an 8", "both"],
        ["alarm 1", "wanted"],
    ),
    alarms=start,
    wanted=exactly_one,
    made=[],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Two ways, and why one alarm is not enough</summary>
#
# Let alarm 1 count. With a bias of 0 it says 0, 1, 1 and 2, so three answers are right, and only the 2 is wrong. Then
# let alarm 2 ring only if both are there, and vote −2. That takes the 2 away.
#
# Or let each alarm ring for one case. If a 7 adds 1, an 8 adds −1, and the bias is 0, then an alarm rings for a 7
# without an 8. The other alarm does it the other way round, and both vote 1.
#
# A single alarm gets three answers right at most. If both digits raise its sum, or both lower it, the two together do
# so even more. And if one raises the sum and the other lowers it, then "neither" lies between "a 7" and "an 8", and
# cannot be lower than both.
#
# </details>
#
# **Two alarms together hold a table that no single alarm can hold.**
#
# Now press the numbers under "wanted": each turns from 0 to 1 and back, so you can ask for a table of your own. There
# are 16 of them. One alarm can make 10, and two alarms can make all 16.
#
# ### Many alarms, one table
#
# Six pairs took six alarms, so 676 pairs should take 676. Why are our 128 enough?
#
# **The alarms vote, as your two did.** Each of them rings for many pairs. But here it has 26 votes, one for or against
# each answer. (What an alarm adds to the vector goes through one last matrix, which makes 26 numbers of it, and these
# are its votes. The norm between the two makes all votes larger or smaller alike, so it does not change who leads.) The
# largest sum wins, even if it is no alarm's first choice. The letters vote, too, by the residual.
#
# Our layer reads "hi", and the table says c. **Let its alarms be heard, the loudest first. Who leads?**

# %% tags=["live", "hide-input"]
from live import CODES

_, model = trained_with[128]
embed, place, layer, dense, _ = model.layers
network = layer.feed_forward
met = layer.self_attention(place(embed(unseen)))
alarms = network.widen(met).numpy()
assert more(model) == 8_416
assert round(np.log2(26), 1) == 4.7
assert round(676 * np.log2(26), -1) == 3_180

# What comes in for a pair, as a mean over texts. Norm and last matrix come after the
# sum, and all they do to it is linear, but for a factor that is the same for all answers,
# `size`: of that we take the mean.
pair = (unseen[:, :-1], unseen[:, 1:])
comes, times = np.zeros((26, 26, 32)), np.zeros((26, 26, 1))
np.add.at(comes, pair, met.numpy()[:, 1:])
np.add.at(times, pair, 1)
comes = (comes / times).reshape(676, 32)
hears, b_1, says_, b_2 = (
    w.numpy() for w in (*network.widen.weights, *network.narrow.weights)
)
gamma, beta = (w.numpy() for w in network.norm.weights)
last, b = (w.numpy() for w in dense.weights)
own = gamma[:, None] * last
own -= own.mean(axis=0)
size = np.std(comes + network.narrow(network.widen(comes)), axis=-1).mean()
given = b_2 @ own + (beta @ last + b) * size


def signs(numbers):
    """Write numbers as signs for 64 levels; return what they say when they are read, too."""
    most = float(np.abs(numbers).max().round(4))
    levels = np.clip(np.rint((numbers / most + 1) * 31.5), 0, 63).astype(int)
    text = "".join(CODES[level] for level in levels.ravel())
    read = {"signs": text, "most": most, "wide": numbers.shape[-1]}
    return read, (levels / 31.5 - 1) * most


parts = {"comes": comes, "hears": hears, "votes": says_ @ own, "own": own}
written = {name: signs(numbers) for name, numbers in parts.items()}
comes, hears, voted, own = (numbers for _, numbers in written.values())
loud = np.maximum(0, comes @ hears + b_1)
alone = comes @ own + given
assert np.mean(loud > 0, axis=0).min() > 0.05  # each alarm rings for many pairs,
assert np.sum(loud > 0, axis=1).min() > 30  # and for each pair many ring
wanted = table.T.ravel()  # the right answer of each pair, by the letter before
assert np.mean(np.argmax(alone + loud @ voted, axis=1) == wanted) > 0.97

one = 26 * LETTERS.index("h") + LETTERS.index("i")
loudest_first = np.argsort(-loud[one])
ringing = int(np.sum(loud[one] > 0))
heard = [alone[one]]
for alarm in loudest_first[:ringing]:
    heard.append(heard[-1] + loud[one, alarm] * voted[alarm])
leads = np.argmax(heard, axis=1) == wanted[one]
assert leads[-1]
without = heard[-1] - loud[one][:, None] * voted  # each alarm alone is silent
assert (np.argmax(without, axis=1) == wanted[one]).all()
assert not leads[0]
its_votes = loud[one, loudest_first, None] * voted[loudest_first]
after = np.argmax(heard[-1] - np.cumsum(its_votes, axis=0), axis=1)
falls = 1 + np.argmax(after != wanted[one])  # the loudest are silenced
assert 5 <= falls <= 7  # about six, as the text says
for_good = ringing + 1 - int(np.argmin(leads[::-1]))  # from here on it leads
assert for_good < ringing
assert LETTERS[wanted[one]] == "c"
stops = [*range(0, ringing, 8), ringing]
best_other = [np.delete(heard[n], wanted[one]).max() for n in stops]
touch(
    "votes",
    grid(
        "“hi”: how many votes the right answer has, and the best of the others",
        [
            [heard[n][wanted[one]], other]
            for n, other in zip(stops, best_other, strict=True)
        ],
        [f"{n} alarms heard" for n in stops],
        [f"{LETTERS[wanted[one]]}, which is right", "the best other"],
    ),
    letters=LETTERS,
    table="".join(LETTERS[answer] for answer in wanted),
    before=LETTERS.index("h"),
    here=LETTERS.index("i"),
    heard=0,
    silenced=[],
    biases=b_1.round(3).tolist(),
    given=given.round(3).tolist(),
    **{name: read for name, (read, _) in written.items()},
)


# %% tags=["live", "remove-input"]
def right_without(*silent):
    """The share of right answers if some alarms are switched off."""
    heard = alarms.copy()
    heard[..., silent] = 0
    answers = dense(network.norm(met + network.narrow(heard)))[:, 1:]
    return np.mean(np.argmax(answers, axis=-1) == right)


orders = [np.random.default_rng(seed).permutation(128) for seed in range(5)]
all_on = right_without()
one_off = np.mean([right_without(alarm) for alarm in range(128)])
half_off = np.mean([right_without(*order[:64]) for order in orders])
assert np.isclose(all_on, found[128])
assert round(100 * one_off) == 99
assert half_off < 0.3

# %% [markdown]
# **Before all alarms are heard, the c has taken the lead for good.** Until then the lead goes from letter to letter.
#
# **Now press "Silence the loudest", one press after the other: when does the c lose? Then silence a random half.**
#
# <details class="lesson-answer" markdown="1"><summary>When does the c lose?</summary>
#
# It outlives the loss of any single alarm, and here it loses with about the sixth. Most answers outlive one alarm, too:
# without it, on average still 99 of 100 are right. But without a random half, fewer than 30 are.
#
# </details>
#
# **No single alarm holds an entry of the table.**
#
# <details class="lesson-more" markdown="1"><summary>For the curious: alarms of a language model, and room for the table</summary>
#
# **What do the alarms hear?** A language model, the machine behind a chat program, has such alarms, too. In 2021 Geva
# and others found that many of them ring at something a person can name, such as a text about television.
#
# **Is there room for the table?** To name one of 26 letters takes 4.7 answers of yes or no, since $2^{4.7} = 26$, and
# the whole table takes about 3,180. Our network has 8,416 trained numbers. Even if each held no more than one such
# answer, there would be room.
#
# </details>
#
# ## Your machine so far
#
# The last part of a layer takes one line. Here it is as a formula:
#
# $$
# \operatorname{FFN}(x) = \max(0,\, x W_1 + b_1)\, W_2 + b_2
# $$
#
# $W_1$ widens the `d_model` numbers of a letter to `d_ff`, one for each alarm, and $b_1$ moves the point at which each
# alarm begins. $W_2$ and $b_2$ turn what the alarms say into `d_model` numbers again. Elsewhere an alarm is a *neuron*,
# and the network an *MLP*. Now write it:
#
# ```python
# def feed_forward(x, W_1, b_1, W_2, b_2):
#     ...  # widen, set negative numbers to 0, narrow
# ```
#
# Test it with the two alarms that you set above. For "neither", "a 7", "an 8" and "both" it must answer 0, 1, 1 and 0.


# %% tags=["answer"]
def feed_forward(x, W_1, b_1, W_2, b_2):
    return np.maximum(0, x @ W_1 + b_1) @ W_2 + b_2


W_1 = np.array([[1, 1], [1, 1]])  # a column for each alarm
b_1 = np.array([0, -1])
W_2 = np.array([[1], [-2]])  # their votes
x = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
answers = feed_forward(x, W_1, b_1, W_2, b_2=0)
for name, row in zip(("neither", "a 7", "an 8", "both"), answers, strict=True):
    print(f"{name:8} {row[0]}")
np.testing.assert_array_equal(answers[:, 0], [0, 1, 1, 0])

# %% [markdown]
# Our layer needed 500 steps to learn nearly all of the secret table. **Can you write the whole table into a network,
# without any training?** Take an alarm for each of the 676 pairs, as with the six products. A pair comes in as 52
# numbers, which are 0 except for two ones: among the first 26 a 1 says which letter stands before, and among the last
# 26 which letter is read.
#
# ```python
# table = np.random.default_rng(5).integers(0, 26, size=(26, 26))  # the secret one
# before, here = np.divmod(np.arange(676), 26)
# x = np.concatenate([np.eye(26)[before], np.eye(26)[here]], axis=1)  # (676, 52)
# wanted = table[here, before]  # first the letter itself, then the one before it
# W_1, b_1, W_2, b_2 = ...
# answers = feed_forward(x, W_1, b_1, W_2, b_2).argmax(axis=1)
# print((answers == wanted).sum(), "of 676")
# ```

# %% tags=["answer"]
before, here = np.divmod(np.arange(676), 26)
x = np.concatenate([np.eye(26)[before], np.eye(26)[here]], axis=1)
wanted = table[here, before]  # first the letter itself, then the one before it
W_1 = x.T  # each alarm hears the two letters of its pair,
b_1 = -1  # and rings only if both are there
W_2 = np.eye(26)[wanted]  # it votes for one answer
answers = feed_forward(x, W_1, b_1, W_2, b_2=0).argmax(axis=1)
print((answers == wanted).sum(), "of 676")
assert (answers == wanted).all()

# %% [markdown]
# In the package, [`FeedForwardBlock`][clear_attention.FeedForwardBlock] is your `feed_forward` with residual and norm.

# %% tags=["remove-input"]
from clear_attention import FeedForwardBlock

block = FeedForwardBlock(d_model=8, d_ff=32)
five = np.random.default_rng(0).normal(size=(1, 5, 8)).astype("float32")
changed = five.copy()
changed[0, 2] += 1  # a letter changes, and only what comes out for this letter
moved = np.flatnonzero(np.any(block(five) != block(changed), axis=-1)[0])
np.testing.assert_array_equal(moved, [2])
widen, narrow = block.widen.get_weights(), block.narrow.get_weights()
by_hand = five + feed_forward(five, *widen, *narrow)
np.testing.assert_allclose(block(five), block.norm(by_hand), atol=1e-5)

# %% [markdown]
# ## Exercises
#
# ### Exercise 1
#
# You used 676 alarms. Now build a network that gets all 676 answers right with only 26 alarms, one for each letter that
# can stand before.
#
# Number the answers from 0 for a to 25 for z. Then two hints will help. An alarm can be as loud as the number $t$ of
# the right answer. And let an answer $c$ get the votes $c\,t - c^2 / 2$: this is a parabola in $c$ with its top at $c =
# t$, so the right answer wins. (Try $t = 3$.)

# %% tags=["answer"]
W_1 = np.concatenate([26 * np.eye(26), table])
b_1 = -26
W_2 = np.tile(np.arange(26), (26, 1))
b_2 = -(np.arange(26) ** 2) / 2
answers = feed_forward(x, W_1, b_1, W_2, b_2).argmax(axis=1)
print((answers == wanted).sum(), "of 676")
assert (answers == wanted).all()

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>How does it work?</summary>
#
# An alarm gets 26 from its own letter before, and its bias is −26. So after any other letter it is silent, because what
# the letter here adds is at most 25. That is the number of the right answer, and it stands in $W_1$. So each alarm
# holds 26 entries of the table, one in each of 26 weights.
#
# $W_2$ gives each answer $c$ the votes $c\,t$, and $b_2$ takes $c^2 / 2$ away. Since $c\,t - c^2 / 2 = (t^2 - (t -
# c)^2) / 2$, nobody gets more than $c = t$.
#
# </details>
#
# ### Exercise 2
#
# How many numbers has an `EncoderLayer` with `d_model=128`, one head and `d_ff=512`? Count first the attention, then
# the network, each with its biases and its norm, before you ask the layer.

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

# %% tags=["live", "remove-input"]
import exercises

exercises.show("feed_forward")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? An alarm is max(0, x₁ + x₂ + x₃ - 2), and each x is 0 or 1. When does it ring?
# - if at least two of the three are there | Two make the sum 2, and 2 - 2 is 0. At 0 it is silent.
# - if any of them is there | That would be a bias of 0.
# + if all three are there | Then the sum is 3 - 2 = 1. With a bias of -2.5 it would do the same, and ring more softly.
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
# </details>
#
# ## Where to go next
#
# Attention finds, and the network knows. Now you have met every part of a layer. Can you follow one letter through the
# whole machine?
#
# * [The whole Transformer, on a map](recap.py): all parts, put together by hand.
# * [Reference: blocks](../reference/blocks.md): every argument of the block.
#
# Read on elsewhere: Cybenko (1989), [Approximation by Superpositions of a Sigmoidal
# Function](https://doi.org/10.1007/BF02551274); Vaswani and others (2017), [Attention Is All You
# Need](https://arxiv.org/abs/1706.03762), section 3.3; Geva and others (2021), [Transformer Feed-Forward Layers Are
# Key-Value Memories](https://arxiv.org/abs/2012.14913).

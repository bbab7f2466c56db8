# ---
# title: Positions
# description: How a machine knows what comes first. A text as a bag of letters, why a counter will not do, dials that turn at different speeds, and distance as a turn.
# ---

# %% [markdown]
# # How does it know what comes first?
#
# Here is a machine that was trained without *positions*: nothing in a letter's vector says where the letter stands.
# **Type a date, and then type it backwards. What becomes of the answer?**

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from date_machine import comparison, machine

names = ["dates", "dates-brief", "dates-no-positions"]
called = {"dates": ("whole", "")}
machine(
    *names,
    piece="beside",
    sibling="dates-no-positions",
    called=called,
    without=comparison(*names, called=called).replace(">right<", ">whole date<"),
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What it answers</summary>

# %% tags=["hide-input"]
import numpy as np
from clear_attention import create_date_pairs, date_tokenizers, greedy_search

source, target = date_tokenizers()
lost, _ = trained.load("dates-no-positions")


def read(model, texts):
    ids = source.encode(texts, length=34)
    return target.decode(greedy_search(model, ids, max_length=11))


texts = [
    "thursday 3rd of may 2018",
    "8102 yam fo dr3 yadsruht",
    "5/3/2018",
    "3/5/2018",
    "22.12.1960",
    "20.12.1962",
]
answers = read(lost, texts)
for text, answer in zip(texts, answers, strict=True):
    print(f"{text:25} {answer}")
assert answers[::2] == answers[1::2]

# %% [markdown]
# </details>
#
# The machine does not even notice. Attention is a sum over keys, and a sum does not mind the order: shuffle the letters
# of "may" to ["yam"](attention.py#exercise-2), and each letter still gets the same mixture. Everything else in the
# encoder is done to each letter by itself. So to this machine a text is a *bag of letters*. It still writes the year in
# front, because the look-ahead mask gives the order of its *answer* away: each letter of the answer sees one key more
# than the letter before it, and can tell by that where it stands.
#
# **Which other date lies in the bag of your birthday?**

# %% tags=["live", "remove-input"]
from live import grid, touch

pair = "22.12.1960", "20.12.1962"
signs = sorted(set("".join(pair)))
touch(
    "bags",
    grid(
        "Two dates, and how often each sign is in them",
        [[date.count(sign) for sign in signs] for date in pair],
        pair,
        signs,
    ),
    text=pair[0],
    choices=[pair[0], "03.05.2018", "22.02.2022"],
    other=pair[1],
    fallen=False,
)

# %% [markdown]
# No training can tell two such dates apart. What is not in the bag cannot be learnt from it.
#
# ## Say where it stands
#
# So the machine must be told. To the vector of each letter we add something that depends only on its place. Why add?
# Beside the letter's numbers it would need room. Added, it needs none. The *place* is a number, counted from 0, and the
# *position* is the vector that we add for it. What shall we add?
#
# * **A counter**, 0, 1, 2, ..., added to each of the 64 numbers? That is the crudest way.
# * **A fraction**, from 0 at the first place of the row to 1 at its last?
#
# With nothing added, machines read fewer than 20 of 100 dates. Three machines were trained with each of the two. **How
# many dates do they read with a counter, and how many with a fraction?**

# %% tags=["live", "remove-input"]
from live import bet
from trained.ablations import shares as shares_of

measured = {
    name: round(100 * sum(shares_of(name)) / 3, 1)
    for name in ("a counter", "a fraction")
}
bet(
    "positions/what-to-add",
    [
        (
            "a counter",
            measured["a counter"],
            "It is crude, but most dates survive it.",
            "A counter grows with the text. At place 30 it adds 30 to each number of the letter.",
        ),
        (
            "a fraction",
            measured["a fraction"],
            "A fraction stays small, and in rows of the usual length it tells the places apart.",
        ),
    ],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# A dot is one training. Rows of 40 have six more empty places behind the text than the rows of the training. Trained
# three times as long, the counter still loses about one in ten.

# %% tags=["hide-input"] alt="Dots, three trainings in each row, how many unseen dates are right. Nothing: from 19 to 20 %. A counter: from 72 to 83 %. A fraction: above 98 %. The same in rows of 40 places: from 86 to 93 %."
import matplotlib.pyplot as plt

told = {
    "nothing": shares_of("no positions"),
    "a counter": shares_of("a counter"),
    "a fraction": shares_of("a fraction"),
    "the same, rows of 40": shares_of("a fraction, rows of 40"),
}
_, ax = plt.subplots(figsize=(4.6, 1.8), layout="constrained")
for height, shares in enumerate(told.values()):
    spread = height + np.array([-0.15, 0, 0.15])  # three dots, none hidden
    ax.plot(shares, spread, "o", color="#0072b2", clip_on=False)
ax.set(xlim=(0, 1), ylim=(3.5, -0.5), xlabel="unseen dates right")
ax.set_yticks(range(4), told)
ax.xaxis.set_major_formatter("{x:.0%}")
ax.grid(axis="x", alpha=0.3)
ax.spines[["top", "right", "left"]].set_visible(False)
plt.show()
assert 0.7 < sum(told["a counter"]) / 3 < 0.8  # loses about a quarter
assert 0.9 < sum(shares_of("a counter, three times as long")) / 3 < 0.92
assert 0.88 < sum(told["the same, rows of 40"]) / 3 < 0.92
assert max(told["nothing"]) < 0.2
least, most = ([round(100 * f(x)) for x in told.values()] for f in (min, max))
assert least == [19, 72, 98, 86]
assert most == [20, 83, 100, 93]
assert min(shares_of("whole")) > 0.99
_, config, record = trained.kept("dates")
assert config["steps"] == 1000
assert record["paddings"][-1] == 100
assert record["padded"].min() > 0.99  # with the dials, in rows of 34 to 100 places

# %% [markdown]
# </details>
#
# In 1,000 steps of training the counter loses about a quarter of the dates. The fraction loses hardly any, but in a row
# of 40 places it loses about one in ten. There "the next place" is a smaller step than in the training.
#
# Why not add 0.03 for each place, whatever the row? In rows of 34 places that is just our fraction. But at place 1000
# it has grown to 30, and with a smaller step neighbours would hardly differ. So we have three wishes: what we add stays
# small, each place is the same step, and no two places are alike.
#
# What fits? **The dial of a clock.** Its hand never leaves it, and each place turns the hand by the same angle. But one
# hand soon comes round again, and then two places look alike. So we take several dials, from a fast one to slow ones.
#
# **Press a letter, and compare it with the same letter at other places. Then let the text walk.**

# %% tags=["live", "remove-input"]
speeds = np.array([1, 0.1, 0.01])  # by how much a hand turns from place to place
walked = "22.12.1960"
turned = np.degrees(np.arange(len(walked))[:, None] * speeds)
touch(
    "clocks",
    grid(
        "By how many degrees the three hands are turned",
        turned.round() % 360,
        [f"{letter} at place {place}" for place, letter in enumerate(walked)],
        [f"dial {i}" for i in range(3)],
    ),
    text=walked,
    chosen=0,
    moved=0,
)

# %% [markdown]
# The fast dial tells neighbours apart, and the slow ones tell the beginning from the end. With 32 such dials our
# machine reads over 99 of 100 dates, in rows of 34 places as in [rows of 100](masks.py), because a dial does not ask
# how long the row is. Whether it can read a text that stands further right is [another lesson](turning_positions.py).
#
# ## By hand
#
# How does a hand become numbers? Let it have length 1, and count its angle from 12 o'clock. Then two numbers say where
# it points. How far its tip is to the right of the middle is the *sine* of the angle, and how far above the middle is
# the *cosine*. Each is added to a number of the letter's vector.
#
# Our three dials turn by 1, 0.1 and 0.01 from place to place. These are radians, as in NumPy, and an angle of 1 is 57
# degrees:
#
# | at place 2 | dial 0 | dial 1 | dial 2 |
# | --- | --- | --- | --- |
# | angle | 2 | 0.2 | 0.02 |
# | sine | 0.909 | 0.199 | 0.020 |
# | cosine | -0.416 | 0.980 | 1.000 |
#
# Let the letter "m" have a vector of six numbers, all of them 0.5, and read the table dial by dial, each time the sine
# and then the cosine. The first two numbers become $0.5 + 0.909 = 1.409$ and $0.5 - 0.416 = 0.084$.
#
# `positions` makes such a row of numbers for each place, and is the next piece of your machine. `n` sets how slow the
# slow dials are:

# %%
from clear_attention import sinusoidal_encoding


def positions(length, depth, n):
    speeds = n ** (-np.arange(0, depth, 2) / depth)  # one for each dial
    angles = np.arange(length)[:, None] * speeds
    pairs = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return pairs.reshape(length, depth)


places = positions(length=61, depth=6, n=1000)  # speeds 1, 0.1 and 0.01
np.testing.assert_allclose(places, sinusoidal_encoding(61, 6, n=1000), atol=1e-5)
print("m at place 2:", (0.5 + places[2]).round(3))
print("m at place 0:", (0.5 + places[0]).round(3))

# %% [markdown]
# The letter is the same, and yet it is another vector at each place.
#
# <div id="the-layer-in-use" markdown="1">
#
# In the machine this is done once, right after the embedding, by the layer
# [`PositionalEncoding`][clear_attention.PositionalEncoding]. When padding stands on the left, the layer must be told
# where the letters stand.
#
# </div>
#
# ## The formula
#
# At place $p$ the hand of dial $i$ stands at the angle $\omega_i\, p$, and fills two of the $d$ numbers of a vector.
# Each dial is slower than the one before it by the same factor, which was 10 above. The result is called the
# *positional encoding*, or $PE$:
#
# $$
# PE_{p,\,2i} = \sin(\omega_i\, p), \qquad PE_{p,\,2i+1} = \cos(\omega_i\, p), \qquad \omega_i = n^{-2i/d}
# $$
#
# With $d = 6$ and $n = 1000$ the speeds are $1000^0 = 1$, $1000^{-2/6} = 0.1$ and $1000^{-4/6} = 0.01$, our three
# dials. The machine has 32 of them, and its $n$ is 10000.
#
# ## Distance is a turn
#
# Often the useful question is not "what stands at place 12?", but "what stands three places before me?". Can a head ask
# that?
#
# Let query and key be nothing but the positions of their places. The blue hands are the query's, and the orange ones
# the key's. **Let both walk: what does the dot product do? Then turn the query's hands back by three places. Where must
# the key stand now to fit best?**

# %% tags=["live", "hide-input"]
fits = places @ places.T  # (query, key)
np.testing.assert_allclose(fits[12, 20], fits[52, 60])
by_hand = [0.909, -0.416, 0.199, 0.980, 0.020, 1.000]
np.testing.assert_allclose(places[2], by_hand, atol=5e-4)  # the table
assert round(np.cos(8), 3) == -0.146
touch(
    "dials",
    "<p>Three dials turn by 1, 0.1 and 0.01 from place to place. Of the places 12 and 20 the dot product"
    f" is {fits[12, 20]:.3f}, and of 52 and 60 it is {fits[52, 60]:.3f}, too. With the query's hands turned back by 3"
    f" places, place 12 fits place 9 best of all: {fits[12 - 3, 9]:.3f}, and 3.000 is the most.</p>",
    count=3,
    query=12,
    key=20,
    together=False,
    back=False,
)

# %% [markdown]
# When both walk, all hands turn, and the dot product stands still. Why? Say that on one dial the query's hand stands at
# the angle $a$ and the key's hand at $b$. This dial adds $\sin a \sin b + \cos a \cos b$ to the dot product, and by a
# rule of trigonometry that is $\cos(a - b)$. For the places 12 and 20, dial 0 adds
#
# $$
# \cos(12 - 20) = -0.146
# $$
#
# and for 52 and 60 it adds the same. **Only the angle *between* the hands counts, and so only the distance.**
#
# So three places back is the same turn, wherever you stand. A query that is turned by it fits best with the key three
# places before it, and the matrix $W_Q$ can learn such a turn. **So a head can *learn* to look three places back,
# anywhere in the text, as far as it can silence what the letters themselves add to the score.**
#
# <details class="lesson-more" markdown="1" id="does-the-trained-machine-rely-on-it"><summary>For the curious: a matrix that turns, and the order of sines and cosines</summary>
#
# **How does a matrix turn a hand?** A hand is two numbers, its sine and its cosine. When it is turned back by 3, each
# of the two new numbers is a sum of multiples of the two old ones:
#
# $$
# \sin(a - 3) = \cos 3 \cdot \sin a - \sin 3 \cdot \cos a
# $$
#
# $$
# \cos(a - 3) = \sin 3 \cdot \sin a + \cos 3 \cdot \cos a
# $$
#
# The factors of $\sin(a - 3)$ are the first column of a small matrix, and those of $\cos(a - 3)$ the second:
#
# $$
# (\sin a, \cos a) \begin{pmatrix} \cos 3 & \sin 3 \\ -\sin 3 & \cos 3 \end{pmatrix} = (\sin(a - 3), \cos(a - 3))
# $$
#
# The next dials have 0.3 and 0.03 instead of 3. Put the small matrices along the diagonal of one large matrix, with 0
# everywhere else, and you have a $W_Q$ that turns them all. Here it takes place 12 to place 9, and place 52 to 49:


# %%
def turn_back(angles):
    large = np.zeros((2 * len(angles), 2 * len(angles)))
    for i, angle in enumerate(angles):
        sine, cosine = np.sin(angle), np.cos(angle)
        large[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [
            [cosine, sine],
            [-sine, cosine],
        ]
    return large


W_Q = turn_back(3 * np.array([1, 0.1, 0.01]))  # three places back
for place in (12, 52):
    print(f"place {place} @ W_Q, and place {place - 3}:")
    print((places[place] @ W_Q).round(2))
    print(places[place - 3].round(2))
np.testing.assert_allclose(places[3:] @ W_Q, places[:-3], atol=1e-12)

# %% [markdown]
# In the machine $W_Q$ gets the sum of letter and position, so the letter adds something of its own to each score. [A
# later lesson](turning_positions.py) takes the two apart.
#
# **Does the order of sines and cosines matter?** Our machine was trained with sine and cosine in turns. Some programs
# have first all sines, and then all cosines. We gave the encoder of the trained machine the same numbers in that other
# order, and changed nothing else. As it was trained, it reads 498 of 500 unseen dates:

# %% tags=["hide-input"]
import tensorflow as tf

whole, _ = trained.load("dates")
in_order = sinusoidal_encoding(34, 64).numpy()
in_halves = np.concatenate([in_order[:, 0::2], in_order[:, 1::2]], axis=1)
texts, right = create_date_pairs(500, seed=1, split="test")


def number_right(model):
    return sum(a == b for a, b in zip(read(model, texts), right, strict=True))


in_turns = number_right(whole)
rearranged, _ = trained.load("dates")
rearranged.source_positions.encoding_of = lambda x: tf.constant(in_halves)
after = number_right(rearranged)
assert (in_turns, after) == (498, 0)
print("of 500 unseen dates")
print(f"in turns, as trained: {in_turns}")
print(f"first all the sines:  {after}")

# %% [markdown]
# No number is lost, but each weight now meets another number than the one that it was learnt for. So if you carry
# weights from one program to another, check which of the two orders each uses.
#
# </details>
#
# ## Who found this, and when
#
# The first Transformer, of Vaswani and others in 2017, added these sines and cosines. Positions that are learnt like an
# embedding were about as good. In a machine that only writes, the look-ahead mask gives the order away. Could it do
# without any positions? Kazemnejad and others tried in 2023, and on texts longer than in training their machines
# without positions did better than machines with the usual ones.
#
# ## Exercises
#
# ### Exercise 1
#
# With `n=1` all dials turn equally fast. For which of the places 1 to 49 is the position most like that of place 0? And
# with `n=10000`?

# %% tags=["answer"]
nearest = {}
for n in (1, 10000):
    encoding = sinusoidal_encoding(50, depth=32, n=n).numpy()
    distances = np.linalg.norm(encoding[1:] - encoding[0], axis=1)
    nearest[n] = int(np.argmin(distances)) + 1
    print(f"n={n}: place {nearest[n]}, at a distance of {distances.min():.2f}")
assert nearest == {1: 44, 10000: 1}

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# With a single speed, all hands come round together. 44 places are almost exactly seven full turns, because $7 \cdot
# 2\pi = 43.98$, so place 44 looks like place 0. With different speeds the hands never all come round at once, so place
# 1 is the one most like place 0.
#
# </details>
#
# ### Exercise 2
#
# How many dates from 1950 to 2049, written like `22.12.1960`, are alone in their bag, so that no other date has the
# same letters? Find one by hand, other than `22.02.2022`, and try it in the picture of the bags.

# %% tags=["answer"]
from collections import Counter
from datetime import date, timedelta

days = [date(1950, 1, 1) + timedelta(days=n) for n in range(36525)]
bags = [f"{day:%d.%m.%Y}" for day in days]
bags = Counter("".join(sorted(text)) for text in bags)
alone = [bag for bag, count in bags.items() if count == 1]
print(f"{len(alone)} of {len(days):,} dates")
print(f"in {len(bags):,} bags")
assert str(days[-1]) == "2049-12-31"
assert len(alone) == 168
for text in ("22.02.2022", "25.12.1955"):
    assert bags["".join(sorted(text))] == 1

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# There are 168. Besides `22.02.2022` there is `25.12.1955`: its letters can be put together to no other date of the
# century.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("positions")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? Why not give the last letter the place 0, the one before it -1, and so on, and add this number to each letter?
# - because a machine cannot add negative numbers | Many numbers in its vectors are negative.
# + because it grows with the text, as the counter of this page does | It is a counter, only from the other end.
# - because two letters would get the same number | In a counter no two places are alike. That is not its trouble.
# ? A head turns the hands of each query back by 3 places. The places alone decide. Which key fits the query of place 20 best?
# - the key of place 20 | It would without the turn, because then the two hands point the same way.
# - the key of place 23 | That needs a turn the other way, forward by 3 places.
# + the key of place 17 | The hands of place 20, turned back by 3 places, point as those of place 17 do.
# ? A machine has only the fast dial, which turns by an angle of 1. What can it hardly tell apart?
# - neighbours, such as places 3 and 4 | Between them the hand turns by 57 degrees.
# - nothing, because the hand never points twice in exactly the same direction | Never exactly. But at places 0 and 44 it points nearly the same way.
# + some places that are far apart, such as 0 and 44 | 44 is almost exactly seven full turns. A slow dial would tell them apart.
# ```
#
# </details>
#
# ## Where to go next
#
# Our text now knows its order. But it has looked at itself only once, and in a large machine it does so a hundred
# times, one after the other. What keeps such a tower from falling over?
#
# * [The Transformer layer](transformer_layer.py): what stands around attention.
# * [Positions that turn](turning_positions.py): what many models do today instead of adding.
#
# Read on elsewhere: Vaswani and others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section
# 3.5; Su and others (2021), [RoFormer: Enhanced Transformer with Rotary Position
# Embedding](https://arxiv.org/abs/2104.09864); Kazemnejad and others (2023), [The Impact of Positional Encoding on
# Length Generalization in Transformers](https://arxiv.org/abs/2305.19466).

# ---
# title: Positions
# description: How a machine knows what comes first. A text as a bag of letters, why a counter will not do, dials that turn at different speeds, and distance as a turn.
# ---

# %% [markdown]
# # How does it know what comes first?
#
# Two machines stand below. One is the yardstick. The other was trained as long, but without *positions*: nothing in a
# letter's vector says where the letter stands. **Type a date, and then type it backwards. Which machine notices?**

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from date_machine import comparison, machine

names = ["dates-brief", "dates-no-positions"]
called = {"dates-brief": ("the yardstick", "")}
machine(
    *names,
    piece="beside",
    whole="dates-brief",
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


def read(model, texts, row=34):
    ids = source.encode(texts, length=row)
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
# **The machine without positions gives the same answer to a date and to its mirror image.** Attention adds up values,
# and a sum does not mind the order: shuffle the letters of "may" to ["yam"](attention.py#exercise-2), and each letter
# still gets the same mixture. So to this machine a text is a *bag of letters*.
#
# **Type your birthday: which other date lies in the same bag?**

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
# **If all letters of a text see each other, no machine without positions can tell two dates with the same letters
# apart, however long it is trained.**
#
# ## Say where it stands
#
# So we tell the machine each letter's *place*, a number counted from 0. We make a vector of it, the *position*, and add
# it to the letter's own vector. (Can anybody tell the two apart again? Yes: the letters' vectors are trained, and in 64
# numbers there is room for both.) But which vector?
#
# **A counter** adds 0 to each of the 64 numbers at place 0, then 1, then 2. Beside the 30 of place 30, the letter's own
# numbers can hardly be seen. After 1,000 steps of training such machines still misread about a quarter of the dates.
#
# **A fraction** adds 0 at the first place of the row and 1 at its last. That stays small, and the machines read 99 of
# 100 dates. But now the length of the row decides how large a step is. In rows of 40 places instead of 34 the steps are
# smaller than in training, and the same machines read only 89.
#
# So we have three wishes. What we add stays small, it changes by the same step from each place to the next, however
# long the row, and no two places are alike.
#
# What counts on in equal steps, and never grows? **The hand of a clock.** It stays on its dial, and each place turns it
# by the same angle. But one hand soon comes round again, and then two places look alike. So we take several dials, from
# a fast one to slow ones. Their hands start at 3 o'clock and turn anticlockwise, as angles do in mathematics.
#
# **Press a letter, and compare its hands with those of the same letter elsewhere. Then push the text to the right:
# which hands turn most?**

# %% tags=["live", "remove-input"]
from trained.ablations import shares as shares_of

assert 0.7 < sum(shares_of("a counter")) / 3 < 0.8  # loses about a quarter
assert min(shares_of("whole")) > 0.99
assert round(100 * np.mean(shares_of("a fraction"))) == 99
assert round(100 * np.mean(shares_of("a fraction, rows of 40"))) == 89
_, config, _ = trained.kept("dates")
assert config["steps"] == 1000
dials, _ = trained.load("dates")
unseen, meant = create_date_pairs(500, seed=1, split="test")
in_rows = [
    sum(a == b for a, b in zip(read(dials, unseen, row), meant, strict=True))
    for row in (34, 40)
]
assert in_rows == [498, 498]

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
# **The fast dial tells neighbours apart, and the slow ones tell the beginning from the end.** With 32 such dials our
# machine reads over 99 of 100 dates, even in rows of 40 places. But a vector is made of numbers, and a hand is not one.
#
# ## From hands to numbers
#
# How does a hand become numbers? Give it the length 1, and look at its tip. How far the tip is above the middle is the
# *sine* of the hand's angle, and how far it is to the right is the *cosine*. The sine of dial 0 is added to the first
# number of the letter's vector, its cosine to the second, and so on.
#
# Our three dials turn by 1, 0.1 and 0.01 from place to place. These are radians, as in NumPy, where an angle of 1 is 57
# degrees. At place 2 each hand has turned twice:
#
# | at place 2 | dial 0 | dial 1 | dial 2 |
# | --- | --- | --- | --- |
# | angle | 2 | 0.2 | 0.02 |
# | sine | 0.909 | 0.199 | 0.020 |
# | cosine | -0.416 | 0.980 | 1.000 |
#
# Let the letter "m" be six numbers, all of them 0.5. At place 2 its first two become $0.5 + 0.909 = 1.409$ and $0.5 -
# 0.416 = 0.084$.
#
# The next piece of your machine, `positions`, makes such a row of numbers for each place. `n` sets how slow the slow
# dials are. With `n=1000` and six numbers, dial 1 turns by $1000^{-2/6} = 0.1$, and dial 2 by $1000^{-4/6} = 0.01$. So
# each dial is slower by the same factor. We make 61 places, 0 to 60, for the walk below:

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
# **The same letter is now another vector at each place.**
#
# <div id="the-layer-in-use" markdown="1">
#
# In the machine the layer [`PositionalEncoding`][clear_attention.PositionalEncoding] does this once, right after the
# embedding.
#
# </div>
#
# ## Distance is a turn
#
# So each place has its vector. But often the useful question is not "what stands at place 12?". It is "what stands
# three places before me?". Can a head ask that?
#
# Let query and key be nothing but the positions of their places. **Let both walk, and watch the dot product.**

# %% tags=["live", "hide-input"]
fits = places @ places.T  # (query, key)
np.testing.assert_allclose(fits[12, 20], fits[52, 60])
# the other peak, six places off, of the 3 (or 32) that is the most
of_32 = sinusoidal_encoding(61, 64).numpy()
peaks = fits[12, 18] / 3, of_32[12] @ of_32[18] / 32
np.testing.assert_allclose(peaks, (0.93, 0.74), atol=0.005)
np.testing.assert_allclose(fits[12, 18], 2.8, atol=0.05)
assert of_32[12] @ of_32[13] > 0.95 * 32  # neighbours fit almost as well
np.testing.assert_allclose(1000 ** -np.array([2 / 6, 4 / 6]), [0.1, 0.01])
by_hand = [0.909, -0.416, 0.199, 0.980, 0.020, 1.000]
np.testing.assert_allclose(places[2], by_hand, atol=5e-4)  # the table
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
# **All hands turn, and the dot product stays the same.** Why? On one dial let the query's hand stand at the angle $a$
# and the key's hand at $b$. This dial adds $\sin a \sin b + \cos a \cos b = \cos(a - b)$ to the dot product.
#
# **The dot product of two positions depends only on the angles *between* their hands, and so only on their distance.**
# Three places back is the same turn wherever you stand.
#
# And $W_Q$ can learn to turn a hand, because a turn is a matrix. This one turns the hand of dial 0 back by 3. That is
# three places, because dial 0 turns by 1 from place to place:
#
# $$
# (\sin a, \cos a) \begin{pmatrix} \cos 3 & \sin 3 \\ -\sin 3 & \cos 3 \end{pmatrix} = (\sin(a - 3), \cos(a - 3))
# $$
#
# Go back to the dials, and turn the query's hands back by three places. **Where must the key stand now to fit best?**
#
# <details class="lesson-answer" markdown="1"><summary>Where it fits best</summary>
#
# Three places before the query, anywhere in the text. With its hands turned back, the query points as that key does.
#
# </details>
#
# **So a head can ask for a letter by its distance, wherever in the text the two stand.** At least it can learn to. How
# well ours did comes to light in [a later lesson](turning_positions.py), where a text is moved.
#
# <details class="lesson-more" markdown="1"><summary>For the curious: a false peak, and the letters</summary>
#
# **A false peak.** A key six places beside the best one still reaches 2.8 of 3. If you add dials, this peak sinks. But
# even with 32 dials the best key's neighbours fit almost as well as the best key itself. So the query must be long,
# since a longer query [chooses more sharply](attention.py).
#
# **The letters themselves** have a say, too: they add to the score, so the head must learn to silence them.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>The same, as the paper writes it</summary>
#
# The paper calls a row of such sines and cosines the *positional encoding*, or $PE$. At place $p$ the hand of dial $i$
# stands at the angle $\omega_i\, p$, and fills two of the $d$ numbers:
#
# $$
# PE_{p,\,2i} = \sin(\omega_i\, p), \qquad PE_{p,\,2i+1} = \cos(\omega_i\, p), \qquad \omega_i = n^{-2i/d}
# $$
#
# With $d = 6$ and $n = 1000$ these are our three dials. The machine has 32 of them, and its $n$ is 10000.
#
# </details>
#
# <details class="lesson-more" markdown="1" id="does-the-trained-machine-rely-on-it"><summary>For the curious: one matrix for all dials, and the order of sines and cosines</summary>
#
# **How does one matrix turn all hands?** For the next two dials the matrix above has 0.3 and 0.03 in place of 3. Put
# all three along the diagonal of one large matrix. This is a $W_Q$ that takes place 12 to place 9, and place 52 to 49.

# %% tags=["live", "remove-input"]
turning_back = np.zeros((6, 6))
for i, angle in enumerate([3, 0.3, 0.03]):
    sine, cosine = np.sin(angle), np.cos(angle)
    turning_back[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [
        [cosine, sine],
        [-sine, cosine],
    ]
np.testing.assert_allclose(places[3:] @ turning_back, places[:-3], atol=1e-12)

# %% [markdown]
# **Does the order of sines and cosines matter?** In our vectors they take turns. Some programs put all sines first, and
# then all cosines. So we gave the encoder of the trained machine the same numbers in that other order, and changed
# nothing else:

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
# Not one date is left, because each weight now meets another number than the one that it was learnt for. So if you
# carry weights from one program to another, check which of the two orders each uses.
#
# </details>
#
# This is all that the page has added to attention, before any letter looks:

# %% tags=["live", "remove-input"]
from drawing import attention_drawn

attention_drawn("positions")

# %% [markdown]
# ## Who found this, and when
#
# The first Transformer (2017) added these sines and cosines. Could a machine that only writes do without them? Its
# look-ahead mask gives the order away, because each letter sees one key more than the letter before it. Kazemnejad and
# others tried it in 2023. On texts longer than in training, machines without positions did better than machines with
# the usual ones.
#
# ## Exercises
#
# ### Exercise 1
#
# Take positions of 32 numbers, which are 16 dials. With `n=1` all dials turn equally fast. For which of the places 1 to
# 49 is the position most like that of place 0? And with `n=10000`?

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
# With a single speed, all hands come round together. And 44 places are almost exactly seven full turns, because $7
# \cdot 2\pi = 43.98$. So place 44 looks like place 0. With different speeds the hands never all come round at once, so
# place 1 is the one most like place 0.
#
# </details>
#
# ### Exercise 2
#
# Some dates from 1950 to 2049, written like `22.12.1960`, are alone in their bag: no other date has their letters. How
# many? Find one other than `22.02.2022` by hand, and try it in the picture of the bags.

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
# There are 168. One of them, besides `22.02.2022`, is `25.12.1955`: its letters make no other date of the century.
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
# The machine now knows the order of its letters. But they have looked at each other only once, and in a large machine
# they do so a hundred times. What keeps such a tower from falling over?
#
# * [The Transformer layer](transformer_layer.py): what stands around attention.
# * [Positions that turn](turning_positions.py): what many models do today instead of adding.
#
# Read on elsewhere: Vaswani and others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section
# 3.5; Su and others (2021), [RoFormer: Enhanced Transformer with Rotary Position
# Embedding](https://arxiv.org/abs/2104.09864); Kazemnejad and others (2023), [The Impact of Positional Encoding on
# Length Generalization in Transformers](https://arxiv.org/abs/2305.19466).

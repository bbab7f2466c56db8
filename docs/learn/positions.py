# ---
# title: Positions
# description: How a machine knows what comes first. What can be read without positions, why a counter will not do, dials that turn at different speeds, distance as a turn, and rotary positions.
# ---

# %% [markdown]
# # How does it know what comes first?
#
# Shuffle the letters of a date, and the machine below does not even notice. It was trained without *positions*: nothing
# tells it where a letter of the text or of the answer stands. Type a date, then type it backwards.

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from date_machine import comparison, machine

names = ["dates", "dates-brief", "dates-no-positions"]
machine(
    *names, piece="beside", sibling="dates-no-positions", without=comparison(*names)
)

# %% tags=["hide-input"]
import numpy as np
from clear_attention import create_date_pairs, date_tokenizers, greedy_search

source, target = date_tokenizers()
lost, record = trained.load("dates-no-positions")


def read(model, texts):
    ids = source.encode(texts, length=34)
    return target.decode(greedy_search(model, ids, max_length=11))


texts = [
    "thursday 3rd of may 2018",
    "8102 yam fo dr3 yadsruht",
    "5/3/2018",
    "3/5/2018",
]
answers = read(lost, texts)
for text, answer in zip(texts, answers, strict=True):
    print(f"{text:25} {answer}")
assert answers[0] == answers[1]
assert answers[2] == answers[3]

# %% [markdown]
# You have met the reason in [an exercise](attention.py#exercise-2): attention is a sum over keys, and a sum does not
# mind the order. Everything else in the half that reads is done to each letter by itself. So to this machine a text is
# a *bag of letters*.
#
# Before you read on, guess: which parts of which dates can such a machine still read?

# %% tags=["hide-input"]
texts, right = create_date_pairs(2000, seed=1, split="test")
written = read(lost, texts)
has_name = np.array([sum(map(str.isalpha, text)) > 2 for text in texts])
parts = {"year": slice(0, 4), "month": slice(5, 7), "day": slice(8, 10)}
print("                       right, of 2,000 unseen dates")
for name, part in parts.items():
    fits = np.array(
        [a[part] == b[part] for a, b in zip(written, right, strict=True)]
    )
    print(
        f"{name:6}  month by name: {fits[has_name].mean():4.0%}   by number: {fits[~has_name].mean():4.0%}"
    )
    if name == "month":
        assert fits[has_name].mean() > 0.98 > 0.4 > fits[~has_name].mean()
print(f"the whole date: {record['exact']:.1%}")

# %% [markdown]
# Months that are written as words are read right, because each has letters of its own, which give it away even in a bag
# with those of "thursday". Digits are another matter. The bag of "22.12.1960" and the bag of "20.12.1962" are the same,
# and the machine can only guess.
#
# ## Say where it stands
#
# The fix is simple: add something to the vector of each letter that depends only on its place. Two letters that are
# alike but stand in different places are then no longer alike. The question is *what* to add.
#
# * **A counter**, 0, 1, 2, ...? It grows with the text. At place 400 it adds 400, and the letter itself, whose numbers
#   are about 1 large (those of the embedding, times 8), is drowned.
# * **A fraction** from 0 at the beginning to 1 at the end? Then "the next place" is a small step in a long text and a
#   large one in a short text, and what is learnt from texts of one length does not hold for another.
#
# What we want stays small, and makes the same step everywhere. A clock does that. Its hand never leaves the dial, and
# each minute turns it by the same angle. One hand comes round again too soon, so we take several: a fast one, which
# tells neighbours apart, and slower ones, which tell the beginning from the end.

# %% tags=["hide-input"] alt="Three rows of eight dials, for places 0 to 7. In the first row the hand turns by 57 degrees from place to place, in the second by 18 degrees, in the third by 6 degrees."
import matplotlib.pyplot as plt

BLUE, GREY = "#0072b2", "#999999"
figure, axes = plt.subplots(3, 8, figsize=(8, 3.4), layout="constrained")
for i, (row, speed) in enumerate(zip(axes, (1, 10**-0.5, 0.1), strict=True)):
    for place, ax in enumerate(row):
        ax.add_patch(plt.Circle((0, 0), 1, fill=False, edgecolor=GREY))
        ax.plot(
            [0, np.sin(place * speed)], [0, np.cos(place * speed)], color=BLUE, lw=2
        )
        ax.set(
            xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal", xticks=[], yticks=[]
        )
        ax.spines[:].set_visible(False)
        if i == 0:
            ax.set_title(f"place {place}", fontsize=9)
    row[0].set_ylabel(f"dial {i}", fontsize=9)
plt.show()

# %% [markdown]
# (The speeds of these three dials were chosen so that you see the hands move. The formula below sets the real ones.)
#
# Count the angle of a hand from 12 o'clock, as on a clock. Then two numbers say where it points: how far its tip is to
# the right, which is the *sine* of the angle, and how far up, the *cosine*. So each dial gives two numbers between -1
# and 1, and these are added to two numbers of the letter's vector.
#
# ## By hand
#
# Take vectors of four numbers, so there are two dials. The first turns by an angle of 1 from place to place, which is
# 57 degrees, and the second by 1/100 of that. At place 2 the angles are 2 and 0.02:
#
# $$
# (\sin 2, \cos 2, \sin 0.02, \cos 0.02) = (0.909, -0.416, 0.020, 1.000)
# $$
#
# If the letter "m" has the vector $(0.5, 0.5, 0.5, 0.5)$, then an "m" at place 2 enters the machine as $(1.409, 0.084,
# 0.520, 1.500)$, and an "m" at place 0, where all hands point up, as $(0.5, 1.5, 0.5, 1.5)$.

# %%
from clear_attention import sinusoidal_encoding


def positions(length, depth):
    speeds = 10000.0 ** (-np.arange(0, depth, 2) / depth)  # one for each dial
    angles = np.arange(length)[:, None] * speeds
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(
        length, depth
    )


places = positions(length=3, depth=4)
np.testing.assert_allclose(places, sinusoidal_encoding(3, 4), atol=1e-6)
print("place 2:    ", places[2].round(3))
print("m at place 2:", (0.5 + places[2]).round(3))
print("m at place 0:", (0.5 + places[0]).round(3))
np.testing.assert_allclose(places[2], [0.909, -0.416, 0.020, 1.000], atol=5e-4)

# %% [markdown]
# ## The formula
#
# $$
# PE_{p,\,2i} = \sin(\omega_i\, p), \qquad PE_{p,\,2i+1} = \cos(\omega_i\, p), \qquad \omega_i = n^{-2i/d}
# $$
#
# | symbol | what it is |
# | --- | --- |
# | $p$ | the place: 0, 1, 2, ... |
# | $i$ | the number of the dial; each dial fills two of the vector's numbers |
# | $\omega_i$ | the angle by which dial $i$ turns from place to place; $\omega_0 = 1$ is the fastest |
# | $d$ | how many numbers the vector has, so that there are $d / 2$ dials |
# | $n$ | the larger it is, the slower the slow dials are; 10000 in the paper |
# | $PE$ | the *positional encoding*, shape `(length, d)`, added to the letters' vectors |
#
# You wrote it above, in a few lines.
#
# <details class="lesson-more" markdown="1"><summary>How the package computes it</summary>

# %% tags=["source", "remove-input"]
import inspect

from clear_attention.positions import waves

print(inspect.getsource(waves))

# %% [markdown]
# </details>
#
# This is what it looks like for 50 places and vectors of 32 numbers. Read a row from left to right. The fast dials come
# first: there the colours change from place to place. On the right are dials so slow that 50 places hardly turn them.

# %% tags=["hide-input"] alt="Heat map of 50 places, downwards, and 32 numbers. The first columns change sign every few places, the last ones hardly change at all."
from clear_attention import plot_positions

plot_positions(sinusoidal_encoding(length=50, depth=32))
plt.show()

# %% [markdown]
# ## Distance is a turn
#
# The dials have one more virtue. Going three places further turns each hand by the same angle, *wherever you start*.
# Now take the dot product of two encodings. A dial that stands at the angles $a$ and $b$ adds $\sin a \sin b + \cos a
# \cos b = \cos(a - b)$ to it: only the difference counts. Move one of the two places. Then move both together, and
# watch the dot product. (These four dials have $n = 100$, so that you see all of them move.)

# %% tags=["live", "hide-input"]
from live import touch

four = sinusoidal_encoding(length=61, depth=8, n=100).numpy()
speeds = 100.0 ** (-np.arange(0, 8, 2) / 8)
np.testing.assert_allclose(four[12] @ four[9], np.cos(3 * speeds).sum(), atol=1e-5)
np.testing.assert_allclose(four[12] @ four[9], four[52] @ four[49], atol=1e-5)
touch(
    "dials",
    "<p>Four dials turn by 1, 0.32, 0.1 and 0.03 from place to place. Of the places 12 and 9 the dot product is"
    f" {four[12] @ four[9]:.2f}, and of 52 and 49 it is {four[52] @ four[49]:.2f}, too.</p>",
    speeds=speeds.round(6).tolist(),
    query=12,
    key=9,
    together=False,
)

# %% [markdown]
# Both hands of a dial turn, and the angle between them stays. So the dot product depends only on how far apart the
# places are. Here it is for 16 dials:

# %% tags=["hide-input"] alt="Dot product of the encoding of place 50 with those of its neighbours, against the distance: highest at distance 0, and falling in waves to both sides alike. A second, dashed curve, the same with all hands of the query turned back by three places, has its peak at minus 3."
encoding = sinusoidal_encoding(length=100, depth=32).numpy()


def turned_back(encoding, places, n=10000):
    """Turn every hand back by some places: the same turn for each place."""
    turned = np.empty_like(encoding)
    for i in range(0, encoding.shape[1], 2):
        angle = places * n ** (-i / encoding.shape[1])
        sin, cos = encoding[:, i], encoding[:, i + 1]
        turned[:, i] = sin * np.cos(angle) - cos * np.sin(angle)
        turned[:, i + 1] = cos * np.cos(angle) + sin * np.sin(angle)
    return turned


plain = encoding @ encoding.T
three_back = turned_back(encoding, 3) @ encoding.T  # (query, key)
for scores in (
    plain,
    three_back,
):  # the same along each diagonal: only distance counts
    assert all(np.ptp(np.diagonal(scores, k)) < 1e-4 for k in range(-99, 100))
assert np.all(three_back.argmax(axis=1)[3:] == np.arange(97))
# a head of our machine: 34 places, and the 8 fastest of 32 dials
wide = sinusoidal_encoding(length=34, depth=64).numpy()
for back in (3, -1):
    best = (turned_back(wide, back)[:, :16] @ wide[:, :16].T).argmax(axis=1)
    assert np.all(best[3:33] == np.arange(3, 33) - back)

figure, ax = plt.subplots(figsize=(6, 2.9), layout="constrained")
distance = np.arange(100) - 50
ax.plot(distance, plain[50], color=BLUE, label="as they are")
ax.plot(
    distance,
    three_back[50],
    "--",
    color="#d55e00",
    label="the query's hands turned back by 3",
)
ax.set(
    xlabel="place of the key - place of the query",
    ylabel="dot product",
    xlim=(-20, 20),
)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, fontsize=8, loc="upper right")
plt.show()

# %% [markdown]
# Can a head look three places back? Turn all hands of the query back by three places. Now it fits best the key that
# stands three before it: this is the dashed curve, with its peak at −3. Turning a hand is a product with a small
# matrix, and the turn is the same at every place, so one big matrix can turn all hands. In a head that has as many
# numbers as the letter, $W_Q$ can be that matrix, and $W_K$ leaves the keys as they are. A head of our machine has 16
# of the 64 numbers, so its $W_Q$ and $W_K$ can keep eight of the 32 dials. The eight fastest are enough to find a
# neighbour among 34 places.
#
# So, as far as positions go, a head can *learn* to look three places back, anywhere in the text, or, with a turn the
# other way, at the next letter.
#
# ## Does the trained machine rely on its positions? { #does-the-trained-machine-rely-on-it }
#
# It does. There is a second way to lay out the numbers: all sines first, then all cosines. It holds the same numbers in
# another order, and other programs use it. Give the trained machine its positions in that order, change nothing else,
# and let it read 500 dates:

# %% tags=["hide-input"]
import tensorflow as tf

whole, _ = trained.load("dates")
places = sinusoidal_encoding(34, 64).numpy()
in_halves = np.concatenate([places[:, 0::2], places[:, 1::2]], axis=1)


def share_right(model):
    pairs = zip(read(model, texts[:500]), right[:500], strict=True)
    return np.mean([a == b for a, b in pairs])


print(f"sine and cosine in turns, as trained: {share_right(whole):6.1%} right")
rearranged, _ = trained.load("dates")
rearranged.source_positions.encoding_of = lambda x: tf.constant(in_halves)
after = share_right(rearranged)
print(f"first all sines, then all cosines:    {after:6.1%} right")
assert after < 0.05

# %% [markdown]
# A trained machine expects each dial in its place. If you carry weights from one program to another, check this.
#
# ## Positions that turn
#
# The sum mixes what a letter is with where it stands, and the machine has to take the two apart again. *Rotary
# positions* (2021) go one step further. Nothing is added. Instead every query and every key is cut into pairs of
# numbers, and each pair is turned by its place, like the hand of a dial. Then the dot product of a query and a key
# depends on their contents and on how far one stands before the other, and on nothing else:

# %%
rng = np.random.default_rng(0)
q, k = rng.normal(size=(2, 8))  # one query and one key; random numbers


def turned(x, place, n=10000):
    """Turn each pair of numbers by the angle of its dial at this place."""
    a, b = x[0::2], x[1::2]
    angles = place * n ** (-np.arange(len(a)) / len(a))
    cos, sin = np.cos(angles), np.sin(angles)
    return np.stack([a * cos - b * sin, a * sin + b * cos])


def score(query_place, key_place):
    return np.sum(turned(q, query_place) * turned(k, key_place))


for query_place, key_place in ((5, 3), (105, 103), (5, 1)):
    print(
        f"query at {query_place:3}, key at {key_place:3}: {score(query_place, key_place):.4f}"
    )
np.testing.assert_allclose(score(5, 3), score(105, 103))
assert abs(score(5, 3) - score(5, 1)) > 0.1

# %% [markdown]
# Many language models of today use rotary positions: [LLaMA (2023)](https://arxiv.org/abs/2302.13971) is one.
#
# ## The layer in use
#
# [`PositionalEncoding`][clear_attention.PositionalEncoding] goes between the embedding and the first layer, once.
#
# <details class="lesson-more" markdown="1"><summary>Where letters stand when the padding comes first</summary>
#
# The layer does two things that a plain `+` does not: it keeps the padding mask that Keras attaches to an embedding,
# and it can be told where letters stand. That is needed when the padding stands on the left, because then the first
# letter is not at place 0:

# %%
import keras
from clear_attention import MultiHeadAttention, PositionalEncoding

add_positions, attention = PositionalEncoding(), MultiHeadAttention(8, num_heads=2)
embed = keras.layers.Embedding(10, 8, mask_zero=True)
ids = np.array([[0, 0, 4, 5, 6]])
where = np.maximum(
    np.cumsum(ids != 0, axis=1) - 1, 0
)  # counts the real letters from 0
print("places:", where[0])
alone = attention(add_positions(embed(np.array([[4, 5, 6]]))))
told = attention(add_positions(embed(ids), positions=where))[:, 2:]
untold = attention(add_positions(embed(ids)))[:, 2:]
np.testing.assert_allclose(told, alone, atol=1e-6)
assert np.max(np.abs(untold - alone)) > 0.01
print("told its places, the padded text gives what the text alone gives")

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# Machines that read one word after the other knew the order without being told. The first Transformer (Vaswani and
# others, 2017) needed to be told, and introduced the dials; its authors also tried positions that are learnt like an
# embedding, and found them as good. Su and others turned queries and keys in 2021. A machine with a look-ahead mask can
# do without positions. This was found more than once, and studied by Kazemnejad and others in 2023: a letter that sees
# five others can learn that it is the sixth. Ours reads its text without such a mask, so it cannot.
#
# ## Exercises
#
# ### Exercise 1
#
# With `n=1` all dials turn equally fast. Which of the places 1 to 49 looks most like place 0? And with `n=10000`?

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
# With a single speed, all hands come round together. 44 places are nearly seven full turns, because $7 \cdot 2\pi =
# 43.98$, so place 44 looks like place 0. With different speeds they never all come round at once, and the next place is
# the most alike.
#
# </details>
#
# ### Exercise 2
#
# Find two different dates that the machine without positions must answer alike, both written like `12.11.2010`. Then
# type both at the top of this page.
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# Any two with the same digits and dots, such as `12.11.2010` and `21.11.2010`, or `10.12.1985` and `12.10.1958`. The
# machine gets the same sum from both.
#
# </details>
#
# ## Check yourself
#
# ```self-check
# ? What does `sinusoidal_encoding(3, depth=4)` hold for place 0?
# - `[0, 0, 0, 0]` | Place 0 is not nothing: each hand points up, and the cosine of 0 is 1.
# - `[0, 0, 1, 1]` | That is the layout in halves: first the sines, then the cosines.
# + `[0, 1, 0, 1]` | Sine and cosine in turns, and both dials begin at angle 0.
# - `[1, 0, 1, 0]` | The sine stands first in each pair.
# ? Code takes the depth for the length, `x.shape[2]`, and adds that many positions to `x` of shape `(batch, length, depth)`. For which `x` is it wrong without an error?
# - `(4, 10, 16)` | There is an error: `(10, 16)` and `(16, 16)` don't fit.
# + `(4, 1, 16)` | The one token is broadcast, and out come 16, at 16 places.
# - `(4, 16, 16)` | Length and depth are equal, so this comes out right. That is why a test misses it.
# ? `[[0, 0, 4, 5, 6]]` is padded on the left, and masked. With which `positions` does it give what `[[4, 5, 6]]` gives?
# - `[[0, 1, 2, 3, 4]]` | That is what you get without the argument: the first word stands at 2.
# - `[[0, 0, 1, 2, 3]]` | A running count of the real tokens is one too large: the first word stands at 1.
# - `[[1, 1, 0, 0, 0]]` | That is a mask, and would put all three words at place 0.
# + `[[0, 0, 0, 1, 2]]` | The first word stands at 0. Where padding stands does not matter: the mask hides it.
# ```
#
# ## Where to go next
#
# You can now tell a machine where its letters stand, and say what it can read if you do not. One thing should bother
# you: all our attention so far was one step. A large machine takes a hundred of them, one after the other. What keeps
# such a tower from falling over?
#
# * [The Transformer layer](transformer_layer.py): what stands around attention.
# * [Bugs with positions](../guides/museum.py#length): the wrong axis, the odd depth, positions added in every layer.
# * [Reference: positions](../reference/positions.md): every argument and error of the layer.
#
# Read on elsewhere: Vaswani and others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section
# 3.5; Su and others (2021), [RoFormer: Enhanced Transformer with Rotary Position
# Embedding](https://arxiv.org/abs/2104.09864); Kazemnejad and others (2023), [The Impact of Positional Encoding on
# Length Generalization in Transformers](https://arxiv.org/abs/2305.19466).

# ---
# title: Positions that turn
# description: Why a machine loses its way when a text stands further right than in training, and how turning queries and keys by their place mends it. By hand, in the source, with both layouts.
# ---

# %% [markdown]
# # What if the text stands further right?
#
# To each letter our machine adds where the hands of its dials point, and so it knows [where the letter
# stands](positions.py). In a long text the same sentence may stand at the beginning or at the end. Does our machine
# still read a text that begins somewhere else? We take 2,000 unseen dates and put a few empty places before each text,
# which are hidden by a mask. No letter has changed, and none can see the empty places. But every letter stands further
# right.
#
# Two machines read these dates. Both were trained for 500 steps on the same dates, in texts of at most 34 places, and
# both have equally many trained numbers. The first one adds positions, as you know it. The second one is told of
# positions in another way, which is the subject of this lesson. The table says which share of the dates they get right
# if the text is moved by 0, 5, 20 or 40 places. Below it, each machine reads "3 may 2018", at place 0 and at place 20:

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
import trained
from clear_attention import create_date_pairs, date_tokenizers, greedy_search
from date_machine import percent
from IPython.display import Markdown, display

added, added_record = trained.load("dates-brief")
turning, turning_record = trained.load("today-rotary")
lines = [
    "| moved by | " + " | ".join(f"{n}" for n in added_record["shifts"]) + " |",
    "| --- " * (1 + len(added_record["shifts"])) + "|",
]
for name, record in {
    "positions added": added_record,
    "positions that turn": turning_record,
}.items():
    shares = " | ".join(map(percent, record["shifted"]))
    lines.append(f"| {name} | {shares} |")
display(Markdown("\n".join(lines)))
source, target = date_tokenizers()
ids = source.encode(["3 may 2018"])
for name, model in {
    "positions added": added,
    "positions that turn": turning,
}.items():
    for moved in (0, 20):
        further = np.pad(ids, [(0, 0), (moved, 0)])
        (written,) = target.decode(greedy_search(model, further, max_length=11))
        print(f"{name + ', moved by':30} {moved:2}: {written}")
assert added_record["shifted"][0] > 0.95
assert max(added_record["shifted"][2:]) < 0.1
assert min(turning_record["shifted"]) > 0.98
texts, _ = create_date_pairs(2000, seed=1, split="test")
short = np.mean([len(text) <= 34 - 20 for text in texts])
assert 0.45 < short < 0.6
assert added_record["shifted"][2] < 0.1 * short
assert added.count_params() == turning.count_params()

# %% [markdown]
# Twenty places to the right, the first machine reads next to nothing. And yet many of these places are not new to it.
# About half of the texts have at most 14 letters, so that even now they end within the 34 places. But in its training
# all texts *began* at place 0, so it had no reason to learn to read one that begins elsewhere.
#
# The second machine does not even notice. The way in which it is told of positions is used by most large language
# models today. (Each was trained once, so one per cent more or less says nothing.)
#
# ## Turn, don't add
#
# What does a head need to know about places? Whether a 5 is a day or a month depends on what stands just before it and
# just behind it. So what counts is how far away the other letter stands, and on which side, and not where in the text
# the two of them are.
#
# You have seen that [distance is a turn](positions.py#distance-is-a-turn): if each place is shown by the hand of a
# dial, then three places further is the same turn of the hand, wherever you begin. There the dials were added to the
# letter. Now don't add anything. A query or a key of two numbers can be drawn as a hand itself. **Turn it by its
# place**: a little at place 1, twice as far at place 2, and so on. Then compare query and key as always, by their dot
# product, here called their product for short. It is the length of the one times the length of the other, times the
# cosine of the angle between them.
#
# Here are a query in blue and a key in orange. At place 0 both point to the right, and from place to place they turn by
# 30 degrees. The query has the length 2 and the key the length 1. Beside the dial is a text of 24 places. The bar at
# each place is the product that a key would have if it stood there. Predict first, then touch:
#
# 1. Move the text by 20. What happens to the product?
# 2. Move the key. Where must it stand for the largest product, and is there only one such place?
# 3. Let the place be *added*, as in our first machine. The dashed lines are what the place adds. Now move the text
#    again.

# %% tags=["live", "remove-input"]
from live import touch


def product(query_place, key_place, added):
    hands = np.exp(1j * np.radians(30 * np.array([query_place, key_place])))
    own = np.array([2, 1])  # both point to the right
    query, key = own + hands if added else own * hands
    return (query * key.conjugate()).real


moves = range(25)
turned, summed = (
    np.array([product(5 + n, 3 + n, added) for n in moves]) for added in (0, 1)
)
np.testing.assert_allclose(turned, 1)
assert summed.min() < 0 < 5 < summed.max()
assert np.abs(np.diff(summed)).min() > 0.05
bars = np.array(
    [[product(5 + n, n + i, added=1) for i in range(24)] for n in moves]
)
assert len({*bars.argmax(axis=1)}) > 5
bars = np.array([product(5, place, added=0) for place in range(24)])
assert [*np.flatnonzero(np.isclose(bars, bars.max()))] == [5, 17]
touch(
    "turning",
    "<p>A query at place 5 and a key at place 3 have the product"
    f" {turned[0]:.2f} if their places turn them, and {summed[0]:.2f} if their places are added to them. Twenty places"
    f" to the right the products are {turned[20]:.2f} and {summed[20]:.2f}.</p>",
    step=30,
    length=24,
    query=5,
    key=3,
    moved=0,
    added=0,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# 1. If places turn, the product stays 1.00 wherever the text stands. Both hands turn by the same angle, so the angle
#    between them stays as it is, and the bars move along with the text. Only if one of the two moves away from the
#    other does the product change.
# 2. There are two best places for the key: where the query stands, and 12 places further, because there the dial has
#    come round again. One dial alone can't tell the two apart. The [formula](#the-formula) has a remedy.
# 3. If places are added, the product changes with every move, and the highest bar jumps from place to place. Something
#    like this happens in our first machine. There the place is added to the letter, and the query is made of the sum,
#    so that a part of each query comes from the place.
#
# The hands turn against the clock, as angles do in mathematics. The dials of the [first lesson on
# positions](positions.py) turn the other way, because there the angle is counted from 12 o'clock, as on a clock.
#
# </details>
#
# Here is the first question as a still picture. On the right both hands stand 20 places further, and below each dial
# stands their product:

# %% tags=["hide-input"] alt="Two dials, each with a long blue hand, the query, and a shorter orange hand, the key. Left, query at place 5 and key at place 3: the hands point to 150 and to 90 degrees. Right, both 20 places further: the hands point elsewhere, and the angle between them is 60 degrees again. The product is 1.00 in both."
import matplotlib.pyplot as plt

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#999999"
figure, axes = plt.subplots(1, 2, figsize=(6.4, 3.2), layout="constrained")
between = []
for ax, (query_place, key_place) in zip(axes, [(5, 3), (25, 23)], strict=True):
    angles = np.radians(30 * np.array([query_place, key_place]))
    hands = np.array([2, 1])[:, None] * np.stack(
        [np.cos(angles), np.sin(angles)], 1
    )
    between.append(hands[0] @ hands[1])
    ax.add_patch(plt.Circle((0, 0), 2.1, fill=False, edgecolor=GREY))
    for tip, colour in zip(hands, (BLUE, ORANGE), strict=True):
        ax.annotate(
            "",
            tip,
            (0, 0),
            arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 2.5},
        )
    arc = np.linspace(angles[1], angles[0])
    ax.plot(0.5 * np.cos(arc), 0.5 * np.sin(arc), color=GREY)
    ax.set_title(f"query at {query_place}, key at {key_place}", fontsize=10)
    ax.text(0, -2.6, f"product {between[-1]:.2f}", ha="center")
    ax.set(xlim=(-2.2, 2.2), ylim=(-2.8, 2.2), aspect="equal")
    ax.axis("off")
plt.show()
np.testing.assert_allclose(between[0], between[1], atol=1e-12)
assert np.degrees(angles[0] - angles[1]).round() == 60

# %% [markdown]
# So the product of a turned query and a turned key depends only on how far apart they stand. The values are not turned.
# A value is what a letter hands over, and it should be the same from wherever it comes.
#
# ## By hand
#
# As above, vectors turn by 30 degrees from place to place. The query is (2, 0) before it is turned, and it stands at
# place 5. So it turns by 150 degrees, to 2 · (cos 150°, sin 150°) = (-1.732, 1). There are three keys, at the places 3,
# 4 and 5, and each is (1, 0) before it is turned.
#
# | what | place | turned by | vector | product with the query |
# | --- | --- | --- | --- | --- |
# | query | 5 | 150° | (-1.732, 1) | |
# | first key | 3 | 90° | (0, 1) | 1 |
# | second key | 4 | 120° | (-0.5, 0.866) | 1.732 |
# | third key | 5 | 150° | (-0.866, 0.5) | 2 |
#
# The first product is $-1.732 \cdot 0 + 1 \cdot 1 = 1$. The angle between the two says the same: it is 60 degrees, and
# 2 · 1 · cos 60° = 1. The three keys differ only by their places, and the one at the query's own place has
# the largest product.
#
# Divide by $\sqrt 2$, since this head has two numbers. Then take the softmax and average the values 1, 2 and 3:
#
# | step | first | second | third | sum |
# | --- | --- | --- | --- | --- |
# | score | 0.707 | 1.225 | 1.414 | |
# | $e^{\text{score}}$ | 2.028 | 3.403 | 4.113 | 9.545 |
# | weight | 0.212 | 0.357 | 0.431 | 1 |
# | weight · value | 0.212 | 0.713 | 1.293 | **2.218** |
#
# (The table shows rounded numbers, but each step goes on with the exact ones.) The output is 2.218. Now move the query
# and the keys by 20 places, so that all of them point elsewhere. What comes out?
#
# <details class="lesson-more" markdown="1"><summary>What comes out</summary>


# %%
def turn(vector, degrees):
    a, b = vector
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([a * cos - b * sin, a * sin + b * cos])


for moved in (0, 20):
    query = turn([2, 0], 30 * (5 + moved))
    keys = np.array([turn([1, 0], 30 * (place + moved)) for place in (3, 4, 5)])
    scores = keys @ query / np.sqrt(2)
    weights = np.exp(scores) / np.exp(scores).sum()
    print("query", query.round(3), " weights", weights.round(3), end=" ")
    print(" output", (weights @ [1, 2, 3]).round(3))

# %% [markdown]
# </details>
#
# Must a head always prefer the nearest key? No, because $W_Q$ is learnt. It can turn each query by a fixed angle before
# the place turns it, say by 60 degrees back. Then the query at place 5 points to $150 - 60 = 90$ degrees, and so does
# the key at place 3. So this head prefers the key two places back, wherever the text stands.
#
# ## The formula
#
# A head has more than two numbers. So they are taken in pairs, and each pair turns on a dial of its own. As with the
# dials that were added, the first dial is quick and the last one slow. With the quick dials a head can tell small
# distances apart, and with the slow ones large distances. The dials are counted from 0. At place $p$ the pair of dial
# $i$, with the numbers $a$ and $b$, becomes
#
# $$
# \begin{pmatrix} a_p \\ b_p \end{pmatrix} =
# \begin{pmatrix} \cos p\,\theta_i & -\sin p\,\theta_i \\ \sin p\,\theta_i & \cos p\,\theta_i \end{pmatrix}
# \begin{pmatrix} a \\ b \end{pmatrix} \qquad \theta_i = 10000^{-2i/d}
# $$
#
# This is called **rotary positions**, or RoPE. $d$ is how many numbers a head has. $\theta_i$ is how far dial $i$ turns
# from one place to the next, and was called $\omega_i$ in the first lesson on positions. It is counted in radians: a
# whole turn is $2\pi$, about 6.28, so that $\theta_0 = 1$ is 57 degrees. For a key of $a = 1$ and $b = 0$, as above,
# only the first column of the matrix is left. (As in the paper of Su and others, 2021, the pair is a column here, and
# stands to the right of the matrix.)
#
# ## Your machine so far
#
# In your [`multi_head`](multi_head.py#your-machine-so-far) queries and keys are turned after the heads are split and
# before they look. They are turned only where a text looks at itself (`seen is x`), since between the letters of two
# texts there is no distance. `v` is not turned:
#
# ```python
# q = split(x @ W_Q, heads)
# k, v = split(seen @ W_K, heads), split(seen @ W_V, heads)
# if seen is x:
#     q, k = turn_all(q, np.arange(len(x))), turn_all(k, np.arange(len(x)))
# ```
#
# What is left to write is `turn_all`, which turns all pairs of a head at once. Which two numbers are a pair? Here the
# first half of a head's numbers are the $a$ and the second half are the $b$, so that with 16 numbers the first and the
# ninth are a pair. `speeds` holds the $\theta_i$: since $a$ has the length $d/2$, the $2i/d$ of the formula is $i$
# divided by this length. `np.outer` multiplies each place by each speed, so `cos` and `sin` have a row for each place
# and a column for each dial. Two expressions are missing: the two rows of the formula.
#
# ```python
# def turn_all(x, places):  # (..., letters, numbers): heads may stand in front
#     a, b = np.split(x, 2, axis=-1)
#     speeds = 10000.0 ** (-np.arange(a.shape[-1]) / a.shape[-1])
#     cos, sin = np.cos(np.outer(places, speeds)), np.sin(np.outer(places, speeds))
#     return np.concatenate([..., ...], axis=-1)
# ```


# %% tags=["answer"]
def turn_all(x, places):
    a, b = np.split(x, 2, axis=-1)
    speeds = 10000.0 ** (-np.arange(a.shape[-1]) / a.shape[-1])
    cos, sin = np.cos(np.outer(places, speeds)), np.sin(np.outer(places, speeds))
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


from clear_attention import RotaryPositions

q, k = np.random.default_rng(0).normal(size=(2, 6, 16))  # six letters
here = np.arange(6)
products = turn_all(q, here) @ turn_all(k, here).T
there = turn_all(q, here + 10_000) @ turn_all(k, here + 10_000).T
np.testing.assert_allclose(there, products, atol=1e-9)
swapped = turn_all(q, here[::-1]) @ turn_all(k, here[::-1]).T
assert not np.allclose(swapped, products, atol=0.1)
package = RotaryPositions()(q[None, None], positions=here)[0, 0]
np.testing.assert_allclose(turn_all(q, here), package, atol=1e-5)
print("moved by 10,000 places: the same products, and the package's numbers")
print("in the other order: other products")

# %% tags=["remove-input"]
np.testing.assert_array_equal(turn_all(q[None], here)[0], turn_all(q, here))
np.testing.assert_allclose(np.exp(scores), [2.028, 3.403, 4.113], atol=5e-4)
np.testing.assert_allclose(np.exp(scores).sum(), 9.545, atol=5e-4)
np.testing.assert_allclose(weights, [0.212, 0.357, 0.431], atol=1e-3)
np.testing.assert_allclose(weights @ [1, 2, 3], 2.218, atol=1e-3)
two_back = turn(turn([2, 0], -60), 30 * (5 + moved))
assert (keys @ two_back).argmax() == 0

# %% [markdown]
# ## Reading the function
#
# This is how the package turns a query or a key, when it has the cosines and sines. Which two lines are yours?

# %% tags=["source", "hide-input"]
import inspect

from clear_attention import rotary

print(inspect.getsource(rotary.turn))

# %% [markdown]
# The two lines below the `if` are yours. The three lines at the end are for a second layout, in which each $b$ stands
# directly behind its $a$. Below you will see why that matters. Nothing is learnt here: none of these numbers is
# trained.
#
# <details class="lesson-more" markdown="1"><summary>How a layer is told to turn, and who is not turned</summary>
#
# This fold can be left out. A layer of attention is told to turn with `rotary=RotaryPositions()`, and an encoder hands
# this on to its layers with `self_attention={"rotary": RotaryPositions()}`.
#
# Only self-attention is turned. In cross-attention the query has a place in the answer and the key a place in the text,
# and between these two there is no distance. How does the decoder then find the right digit of a year? In the encoder,
# self-attention was turned. So what the encoder hands over for the 0 of 2018 already says what stands around this 0.
#
# </details>
#
# ## What the two machines see
#
# What changes inside the machines when a text is moved? Let both read "3 may" twice, at place 0, where all texts of the
# training began, and 20 places further right. Each map shows the weights of one head in the encoder. A row is a letter
# that looks, and a column is a letter that is looked at. Of the first machine you see the head whose weights change
# most, and of the second the head with the same number. Below stands the largest change of a weight in any head:

# %% tags=["hide-input"] alt="Four heat maps of the weights for the letters of 3 may, two machines by two places. Above, positions added: the two maps differ clearly. Below, positions that turn: the two maps are the same."
from clear_attention import plot_weights

letters = ["3", "␣", "m", "a", "y"]
ids = source.encode(["3 may"])
figure, axes = plt.subplots(2, 2, figsize=(7, 6.4), layout="constrained")
changes, head = {}, None
for row, (name, model) in zip(
    axes, {"added": added, "turning": turning}.items(), strict=True
):
    maps = []
    for moved in (0, 20):
        further = np.pad(ids, [(0, 0), (moved, 0)])
        result = model.encode(further, return_weights=True)
        maps.append(result.weights["0"][0, :, moved:, moved:].numpy())
    change = np.abs(maps[1] - maps[0]).max(axis=(1, 2))  # of each head
    head = int(change.argmax()) if head is None else head
    changes[name] = change.max()
    for ax, seen, moved in zip(row, maps, (0, 20), strict=True):
        plot_weights(seen[head], letters, ax=ax, colour_bar=False)
        ax.set_title(f"{name}, moved by {moved}")
plt.show()
for name, change in changes.items():
    said = "added" if name == "added" else "that turn"
    print(f"positions {said}: the largest change of a weight is {change:.2f}")
assert changes["turning"] < 1e-4 < 0.1 < changes["added"]

# %% [markdown]
# The upper two maps differ, and the lower two are the same. Nothing that the second machine sees depends on where the
# text begins. So a text that is padded on the left needs its mask, but nobody has to tell the machine where its first
# letter stands.
#
# There is one trap. When a machine writes, a [cache](writing.py#what-a-cache-saves) keeps each key as it is after its
# turn. So the machine must remember how many letters there are already, in order to give the next one the next place.
# If each new letter is called place 0 again, all of them stand at the same place, and the machine [reads as if it had
# no positions](../guides/museum.py#cache-positions). The package's layer goes on counting by itself.
#
# ## Two layouts, and a machine that is silently wrong
#
# You need this section only if you load weights that were trained with other code. Which two numbers of a head are a
# pair? Count its 16 numbers from 0. Number 0 may be paired with number 8, and number 1 with number 9, as in your
# `turn_all`. This layout is called *halves*. Or number 0 is paired with number 1, and number 2 with number 3, which is
# called *interleaved*. Both layouts are in use, and [libraries
# differ](../guides/mask_conventions.py#which-channels-are-a-rotary-pair).
#
# A machine only works with the layout it was trained with, and ours was trained with halves. What happens if its layers
# use the other one? All shapes fit, and nothing complains. We let the machine read 500 dates three times: as it was
# trained, then with its layers set to interleaved, and finally with its weights reordered, too, so that they fit the
# new layout. (With 500 dates in place of 2,000, the first row may differ a little from the first table.)

# %% tags=["hide-input"]
from clear_attention import convert_rotary

texts, right = create_date_pairs(500, seed=1, split="test")


def share_right(model):
    ids = source.encode(texts, length=34)
    written = target.decode(greedy_search(model, ids, max_length=11))
    return np.mean([a == b for a, b in zip(written, right, strict=True)])


mixed, _ = trained.load("today-rotary")
layers = [*mixed.encoder.layers, *mixed.decoder.layers]
attentions = [layer.self_attention.attention for layer in layers]
found = {"halves (0 with 8), as trained": share_right(mixed)}
for attention in attentions:
    attention.rotary.layout = "interleaved"
found["interleaved (0 with 1)"] = share_right(mixed)
for attention in attentions:
    for dense in (attention.project_queries, attention.project_keys):
        old = dense.get_weights()
        dense.set_weights(
            [convert_rotary(w, 4, "halves", "interleaved") for w in old]
        )
found["interleaved, and the weights are reordered"] = share_right(mixed)
lines = ["| how the layers pair | dates right |", "| --- | --- |"]
lines += [f"| {name} | {percent(share)} |" for name, share in found.items()]
display(Markdown("\n".join(lines)))
first, wrong, mended = found.values()
assert first > 0.98
assert wrong < 0.2
assert abs(mended - first) < 0.01

# %% [markdown]
# In the second row every number has the wrong partner, and most turn on the wrong dial. Number 1, for example, was
# trained to turn on dial 1 with number 9, and now it turns on dial 0 with number 0. For the third row,
# [`convert_rotary`][clear_attention.convert_rotary] reorders the numbers of queries and keys in each head, so that
# those which were trained as a pair are a pair again.
#
# <details class="lesson-more" markdown="1"><summary>What if the text is longer than any in training?</summary>
#
# This fold can be left out, too. A longer text is harder than a moved one, because it has distances that the machine
# has never met. A quick dial has gone round many times in training, so the machine knows every angle of it. But a slow
# dial has not gone round even once, so between letters that are far apart it now shows angles that it never showed
# before. The remedy is to make dials slower, so that far letters, too, show angles that are known. For texts of four
# times the length, `RotaryPositions` has `factor=4` and three ways:
#
# * `scaling="interpolation"` (Chen and others, 2023) slows all dials down alike. Then no angle is new, but neighbours
#   are harder to tell apart.
# * `scaling="ntk"` slows the last dial down by 4, the first not at all, and of the others a slow one more than a quick
#   one. So neighbours stay easy to tell apart.
# * `scaling="yarn"` leaves the quick dials alone, slows the slow ones down by 4, and makes the softmax a little
#   steeper, because among more keys each gets less.
#
# All of them work better if the machine is trained a little further with the slower dials.

# %% tags=["hide-input"] alt="How much slower each of 32 dials turns, for three remedies. Interpolation: four times for all. NTK: from one to four, rising steadily. YaRN: one for the quick dials, then rising, four for the slow ones."
figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
plain = RotaryPositions().speeds(64)
for scaling in ("interpolation", "ntk", "yarn"):
    length = {"original_length": 2048} if scaling == "yarn" else {}
    speeds = RotaryPositions(scaling=scaling, factor=4, **length).speeds(64)
    ax.plot(plain / speeds, ".-", label=scaling)
    assert np.isclose((plain / speeds)[-1], 4)
ax.set(xlabel="dial, from quick to slow", ylabel="times as slow")
ax.legend()
plt.show()

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# Shaw, Uszkoreit and Vaswani (2018) were the first to give the Transformer distances instead of places. They learnt a
# vector for each distance and added it to the keys, and another one that they added to the values. Su and others (2021)
# looked for a way to put the place into queries and keys themselves, so that their product knows the distance and
# attention stays as it is. They found the turn.
#
# GPT-J (2021), PaLM (2022) and Llama (2023) took it over, and since then most language models have it. Their texts grew
# from 2,048 pieces of words to many times that. This is why Peng and others (2023) asked how slow the dials should be,
# and made YaRN.
#
# ## Exercises
#
# ### Exercise 1
#
# Turn the values by their places, too: let each of the three keys above have the value (1, 0), turned as the keys are.
# Is the output still the same when the text moves?

# %% tags=["answer"]
outputs = []
for moved in (0, 20):
    turned = [turn([1.0, 0.0], 30 * (place + moved)) for place in (3, 4, 5)]
    outputs.append(weights @ turned)
    print(f"moved by {moved:2}: {outputs[-1].round(3)}")
assert not np.allclose(*outputs, atol=0.1)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What happened?</summary>
#
# The output is not the same. The weights are, because only distances go into them. But the output is a sum of the
# values, and these now point elsewhere. So a letter would hand over something else at each place. This mistake is in
# [the museum](../guides/museum.py#rotated-values).
#
# </details>
#
# ### Exercise 2
#
# A dial of 30 degrees comes back to where it was after 12 places. So for a single pair, a key 12 places away looks as
# near as can be. Add a second pair that turns by 5 degrees a place. In both pairs the query is (2, 0) and the key (1,
# 0). The product of the head is the sum of the products of its pairs. Which of the distances 0 to 40 has the largest
# product now, and which the second largest?

# %% tags=["answer"]
distances = np.arange(41)
one = 2 * np.cos(np.radians(30 * distances))
both = one + 2 * np.cos(np.radians(5 * distances))
print("one dial: distances", np.flatnonzero(np.isclose(one, one.max())))
for place in np.argsort(-both)[:3]:
    print(f"two dials: distance {place:2}, product {both[place]:.2f}")
assert [*np.flatnonzero(np.isclose(one, one.max()))] == [0, 12, 24, 36]
assert [*np.argsort(-both)[:4]] == [0, 1, 12, 2]

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why several speeds?</summary>
#
# With one dial the distances 0, 12, 24 and 36 all get the same product. With a slow dial beside it 0 and 1 come first,
# because the quick dial tells neighbours apart and the slow one tells near from far. Two dials are not many, so
# distance 12 still comes third, just before 2. A head of our machine has eight dials.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("turning_positions")

# %% [markdown]
# ```self-check
# ? A slow dial turns by 1 degree a place. What do you learn from the angle between the query's hand and the key's?
# - Whether a key is one place away or two. | The cosine of 1 degree and that of 2 differ by less than 0.001. Quick dials tell neighbours apart.
# + Whether a key is near or far. | 5 places apart the hands nearly agree, and 90 places apart they are at a right angle. A quick dial would have come round many times.
# - Which letter stands there. | A dial turns by the place alone. What the letter is, the query and the key say before they are turned.
# ? A machine with positions that turn keeps its keys, and calls each new letter that it writes place 0. What goes wrong?
# - Nothing, because only distances count. | The distances are what is wrong: between two letters of place 0 it is 0.
# - Only the first letters, whose keys are kept longest. | A kept key stays as it was turned. It was turned by the wrong place from the beginning.
# + It can't tell which letter came when. | All hands stand at place 0, so that every distance is 0.
# ? How many numbers to be trained do rotary positions add to a machine?
# + None. | The angles follow from the place and the number of the pair.
# - One for each pair of numbers. | The speeds of the dials are given by a formula, and not learnt.
# - One vector for each distance. | That is how Shaw and others did it, whose distances are learnt.
# ```
#
# ## Where to go next
#
# **Your machine so far:** the whole Transformer of [lesson 9](recap.py#put-together-by-hand), attention by blocks, blocks
# with the norm first, and now queries and keys that turn.
#
# These are the two parts in which a language model of today differs most from our date machine. So you are nearer to
# one than you may think. What is left of our machine if there is no text to read?
#
# * [From here to GPT](language_model.py): half of the machine, trained on nothing but text.
# * [The reference](../reference/rotary.md): every argument of `RotaryPositions`, and the formulas for longer texts.
# * [What is wrong with my rotary positions?](../guides/museum.py#rotary-layout)
#
# Read on elsewhere: Shaw and others (2018), [Self-Attention with Relative Position
# Representations](https://arxiv.org/abs/1803.02155); Su and others (2021), [RoFormer: Enhanced Transformer with Rotary
# Position Embedding](https://arxiv.org/abs/2104.09864); Peng and others (2023), [YaRN: Efficient Context Window
# Extension of Large Language Models](https://arxiv.org/abs/2309.00071).

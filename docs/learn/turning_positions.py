# ---
# title: Positions that turn
# description: Why a machine loses its way when a text stands further right than in training, and how turning queries and keys by their place mends it. By hand, in the source, with both layouts.
# ---

# %% [markdown]
# # What if the text stands further right?
#
# Our machine adds a pattern of waves to each letter, so that it knows [where the letter stands](positions.py). It was
# trained on texts of at most 34 places. Now somebody puts a few empty places before the text, hidden by a mask. No letter
# has changed, and none can see the empty places. But every letter stands further right:

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
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
assert added_record["shifted"][0] > 0.95
assert max(added_record["shifted"][2:]) < 0.1
assert min(turning_record["shifted"]) > 0.98

# %% [markdown]
# These are shares of 2,000 unseen dates. Both machines have as many weights, and both were trained for 500 steps on the
# same dates. Twenty places to the right, the first one reads next to nothing: it has never met these waves. The second
# one does not even notice. It was told of positions in another way, and nearly every large language model of today is
# told of them in this way.
#
# ## Turn, don't add
#
# What should a position do? "Day" and "month" are told apart by which number comes *before* the other. What counts is how
# far two letters are apart, and not where the two of them stand.
#
# You have seen that [distance is a turn](positions.py#distance-is-a-turn): if each place is the hand of a dial, then three
# places further is the same turn of the hand, wherever you begin. So let us take this literally. Don't add the dial to
# the letter. **Turn the letter's query and its key by its place**, as the hand of a dial. Then compare them as always, by
# their product.
#
# The product of two vectors depends on how long they are and on the angle between them. Turn both by the same angle, and
# it stays as it is. So if the whole text moves, nothing changes. And if one letter moves away from the other, the angle
# between them grows, and the product changes.
#
# The values are not turned. A value is what a letter hands over, and it should be the same from wherever it comes.
#
# ## By hand
#
# Take a query and keys of two numbers, and a dial that turns by 30 degrees from place to place. The query is (2, 0), each
# key is (1, 0) before it is turned. The query stands at place 5.
#
# | | place | turned by | vector | product with the query |
# | --- | --- | --- | --- | --- |
# | query | 5 | 150° | (-1.732, 1) | |
# | first key | 3 | 90° | (0, 1) | 1 |
# | second key | 4 | 120° | (-0.5, 0.866) | 1.732 |
# | third key | 5 | 150° | (-0.866, 0.5) | 2 |
#
# The first product is $-1.732 \cdot 0 + 1 \cdot 1 = 1$. The keys are all the same letter, and the nearest one wins. Now
# divide by $\sqrt 2$, take the softmax and average the values 1, 2 and 3: the weights are 0.212, 0.357 and 0.431, and the
# output is 2.218. Then move everything by 20 places. All the vectors are other ones, and what comes out?

# %%
import numpy as np


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
    np.testing.assert_allclose(weights, [0.212, 0.357, 0.431], atol=1e-3)
    np.testing.assert_allclose(weights @ [1, 2, 3], 2.218, atol=1e-3)

# %% [markdown]
# ## The formula
#
# A head has more than two numbers, so they are taken in pairs, and each pair is a dial of its own. As with the added
# waves, the first dial is quick and the last one slow, so that small and large distances can be told apart. At place $p$
# the pair number $i$, with the numbers $a$ and $b$, becomes
#
# $$
# \begin{pmatrix} a' \\ b' \end{pmatrix} =
# \begin{pmatrix} \cos p\,\theta_i & -\sin p\,\theta_i \\ \sin p\,\theta_i & \cos p\,\theta_i \end{pmatrix}
# \begin{pmatrix} a \\ b \end{pmatrix} \qquad \theta_i = 10000^{-2i/d}
# $$
#
# where $d$ is how many numbers a head has, and $\theta_i$ is how far dial $i$ turns from one place to the next. (It is
# counted in radians: a whole turn is $2\pi$, about 6.28.) This is called **rotary positions**, or RoPE.
#
# ## Reading the function
#
# This is the heart of the package's layer, `RotaryPositions`. Which numbers are a pair? In the layout `"halves"` the
# first half of a head holds all the $a$ and the second half all the $b$. In `"interleaved"` they take turns.

# %% tags=["source"]
import inspect

from clear_attention import rotary

print(inspect.getsource(rotary.turn))

# %% [markdown]
# `cos` and `sin` have a row for each place and a column for each dial. There is nothing to learn in this: no weight was
# added to the machine. A layer gets it with `rotary=RotaryPositions()`, and an encoder hands it on to its layers with
# `self_attention={"rotary": RotaryPositions()}`.
#
# ## What the two machines see
#
# Here is what the letters of "3 may" look at in one head of each machine, where the text was in training and 20 places
# further right. A row is a letter that looks, a column a letter that is looked at.

# %% tags=["hide-input"] alt="Four heat maps of the weights for the letters of 3 may, two machines by two places. Above, positions added: the two maps differ clearly. Below, positions that turn: the two maps are the same."
import matplotlib.pyplot as plt
from clear_attention import date_tokenizers, plot_weights

source, target = date_tokenizers()
letters = ["3", "␣", "m", "a", "y"]
ids = source.encode(["3 may"])
figure, axes = plt.subplots(2, 2, figsize=(7, 6.4), layout="constrained")
changes = {}
for row, (name, model) in zip(
    axes, {"added": added, "turning": turning}.items(), strict=True
):
    maps = []
    for moved in (0, 20):
        further = np.pad(ids, [(0, 0), (moved, 0)])
        result = model.encode(further, return_weights=True)
        maps.append(result.weights["0"][0, :, moved:, moved:].numpy())
    head = int(np.abs(maps[1] - maps[0]).max(axis=(1, 2)).argmax())
    changes[name] = np.abs(maps[1] - maps[0]).max()
    for ax, seen, moved in zip(row, maps, (0, 20), strict=True):
        plot_weights(seen[head], letters, ax=ax, colour_bar=False)
        ax.set_title(f"{name}, moved by {moved}")
plt.show()
for name, change in changes.items():
    print(f"{name:8} the largest change of a weight: {change:.2f}")
assert changes["turning"] < 1e-4 < 0.1 < changes["added"]

# %% [markdown]
# Nothing in the second machine depends on where the text begins. So a text that is padded on the left needs no special
# care, and neither does a machine that has [kept the keys](transformer.py#what-a-cache-saves) of the letters so far: a
# key is turned once, by its place, and then it stays as it is.
#
# ## A check: only distance counts
#
# The same with the layer itself, on vectors that are not trained at all, and moved by 10,000 places:

# %%
import keras
from clear_attention import MultiHeadAttention, RotaryPositions

keras.utils.set_random_seed(0)
x = np.random.default_rng(0).normal(size=(1, 6, 16))
layer = MultiHeadAttention(16, 2, rotary=RotaryPositions(), dtype="float64")
places = np.arange(6)
here, there = layer(x, positions=places), layer(x, positions=places + 10_000)
np.testing.assert_allclose(here, there, atol=1e-10)
assert not np.allclose(layer(x, positions=places[::-1]), here, atol=1e-3)
print("moved by 10,000 places: the same outputs")
print("in the other order: other outputs")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Two layouts, and a model that is silently wrong</summary>
#
# Both layouts are in use, and a model only works with the one it was trained with. If you load weights made for
# neighbours into a layer that pairs halves, nothing complains: all shapes fit.
# [`convert_rotary`][clear_attention.convert_rotary] reorders the weights of queries and keys. The output is then the same.

# %%
from clear_attention import convert_rotary

other = MultiHeadAttention(
    16, 2, rotary=RotaryPositions("interleaved"), dtype="float64"
)
other.build(x.shape)
other.set_weights(layer.get_weights())
wrong = np.abs(other(x) - layer(x)).max()
for dense in (other.project_queries, other.project_keys):
    dense.set_weights(
        [convert_rotary(w, 2, "halves", "interleaved") for w in dense.get_weights()]
    )
np.testing.assert_allclose(other(x), layer(x), atol=1e-10)
assert wrong > 0.01
print(f"mixed up: off by {wrong:.2f}; reordered: the same")

# %% [markdown]
# </details>
#
# <details class="lesson-more" markdown="1"><summary>What if the text is longer than any in training?</summary>
#
# Moving a text is one thing, a longer text another: there are distances in it that the machine has never met. Slow dials
# then point where they never pointed. Three remedies make all dials, or only the slow ones, turn more slowly, so that a
# text of four times the length stays within the angles of the training. With `factor=4`:
#
# * `scaling="interpolation"` slows all dials down alike. Neighbours then are hard to tell apart.
# * `scaling="ntk"` slows the last dial down by 4, the first not at all, and those between little by little.
# * `scaling="yarn"` leaves the quick dials alone, slows the slow ones down by 4, and makes the softmax a little steeper.

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
# Shaw, Uszkoreit and Vaswani (2018) were the first to give the Transformer distances in place of places: they learnt a
# vector for each distance and added it to the keys. Su and others (2021) found that a turn does the same without
# anything to learn, and that the past can be kept as it is. PaLM (2022) and Llama (2023) took it over, and since then
# most language models have it. Peng and others (2023) asked what to do with longer texts, which gave YaRN.
#
# ## Exercises
#
# ### Exercise 1
#
# Turn the values by their places, too. Is the output still the same when the text moves?

# %% tags=["answer"]
for moved in (0, 20):
    turned = [turn([1.0, 0.0], 30 * (place + moved)) for place in (3, 4, 5)]
    print(f"moved by {moved:2}: {(weights @ turned).round(3)}")

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What happened?</summary>
#
# It is not. The weights are the same, because only distances go into them. But the output is a sum of the values, and
# these now point elsewhere. A letter would hand over something else at each place. This mistake is in
# [the museum](../guides/museum.py#rotated-values).
#
# </details>
#
# ### Exercise 2
#
# A dial of 30 degrees comes back to where it was after 12 places. So for a single pair, a key 12 places away looks as
# near as can be. Add a second pair that turns by 5 degrees a place, with the same numbers. Which of the distances 0 to
# 40 gets the largest score now, and which the second largest?

# %% tags=["answer"]
distances = np.arange(41)
one = 2 * np.cos(np.radians(30 * distances))
both = one + 2 * np.cos(np.radians(5 * distances))
print("one dial: ", np.flatnonzero(np.isclose(one, one.max())))
print("two dials:", np.argsort(-both)[:3], both[np.argsort(-both)[:3]].round(2))
assert [*np.flatnonzero(np.isclose(one, one.max()))] == [0, 12, 24, 36]
assert [*np.argsort(-both)[:2]] == [0, 1]

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why several speeds?</summary>
#
# With one dial the distances 0, 12, 24 and 36 all get the same. With a slow one beside it only the nearest keys do: the
# quick dial tells neighbours apart, and the slow one tells near from far.
#
# </details>
#
# ## Check yourself
#
# ```self-check
# ? A query stands at place 7, a key at place 4. Both move by 100. What happens to their score?
# + It stays as it is. | Both are turned further by the same angle, and the angle between them is as before.
# - It gets smaller, because the places are larger. | Only the difference of the two places counts: 3 before and 3 after.
# - It changes, because the waves at place 107 are other ones. | That would be so if the waves were added to the letters.
# ? What is turned?
# - Queries, keys and values. | If values were turned, what a letter hands over would depend on where it stands.
# + Queries and keys. | Their product then tells how far apart they are. The values are averaged as they are.
# - The letters' vectors, before anything else. | Then the values, which are made of them, would be turned as well.
# ? How many weights do rotary positions add to a machine?
# + None. | The angles follow from the place and the number of the pair.
# - One for each pair of numbers. | The speeds of the dials are given by a formula, and not learnt.
# - One vector for each distance. | So it was before, with relative positions that are learnt.
# ```
#
# ## Where to go next
#
# A key is turned once and then kept. But how much is it, that a machine has to keep? In a long chat it is more than the
# machine itself.
#
# * [Fewer keys than queries](fewer_keys.py): how the past becomes small enough to keep.
# * [The reference](../reference/rotary.md): every argument of `RotaryPositions`, and the formulas for longer texts.
# * [What is wrong with my rotary positions?](../guides/museum.py#rotary-layout)
#
# Read on elsewhere: Shaw and others (2018), [Self-Attention with Relative Position
# Representations](https://arxiv.org/abs/1803.02155); Su and others (2021), [RoFormer: Enhanced Transformer with Rotary
# Position Embedding](https://arxiv.org/abs/2104.09864); Peng and others (2023), [YaRN: Efficient Context Window Extension
# of Large Language Models](https://arxiv.org/abs/2309.00071).

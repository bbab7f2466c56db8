# ---
# title: Positions that turn
# description: Why a machine loses its way when a text stands further right than in training, and how turning queries and keys by their place mends it. By hand, in your own machine, with both layouts.
# ---

# %% [markdown]
# # What if the text stands further right?
#
# Our yardstick, the whole machine after a brief training, reads 98 of 100 dates. It knows [where a letter
# stands](positions.py), because a pattern for its place was added to its vector. In its training every text began at
# place 0. Now we put 20 empty places before each of 2,000 unseen dates, and hide these places by a mask. No letter has
# changed. **How many of 100 dates does the machine still read?**

# %% tags=["live", "remove-input"]
import sys

sys.path += ["../_site", "../.."]
import trained
from date_machine import percent
from live import bet

_, _, first = trained.kept("dates-brief")
assert first["shifts"][2] == 20
bet(
    "turning_positions/moved",
    [
        (
            "dates that are still read",
            float(percent(first["shifted"][2]).split()[0]),
            None,
            "It looks as if little had changed. But its scores mix letters with places, and every place has changed.",
        ),
    ],
    unit=" of 100",
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>One text, at both places</summary>

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
import trained
from clear_attention import create_date_pairs, date_tokenizers, greedy_search
from date_machine import percent

added, added_record = trained.load("dates-brief")
source, target = date_tokenizers()
ids = source.encode(["3 may 2018"])
for moved in (0, 20):
    further = np.pad(ids, [(0, 0), (moved, 0)])
    (written,) = target.decode(greedy_search(added, further, max_length=11))
    print(f"3 may 2018, moved by {moved:2}: {written}")
assert round(100 * float(added_record["shifted"][0])) == 98
assert round(100 * float(added_record["shifted"][2])) == 1
assert max(added_record["shifted"][2:]) < 0.01
texts, _ = create_date_pairs(2000, seed=1, split="test")
short = np.mean([len(text) <= 34 - 20 for text in texts])
assert 0.45 < short < 0.6
assert added_record["shifted"][2] < 0.1 * short

# %% [markdown]
# </details>
#
# **When the text is moved by 20 places, the machine reads about one date of 100.** Were the places simply too new? No:
# about half of the moved texts still end within the 34 places of the training, and of these, too, it reads hardly any.
#
# ## Turn, don't add
#
# How do *you* read "5 may"? The 5 is a day, because "may" stands two places after it. Now write "see you on" in front.
# The 5 is still a day, and for the same reason. You never asked whether it was the first letter of the line or the
# twelfth. A head that asks as you do has to learn this only once, and not anew for each place.
#
# A head asks with the product of a query and a key (the score, before it is divided). So this product should know how
# far apart the two stand, and not where.
#
# Can query and key both know their place, and their product only the distance? Let the place **turn** them. Here a
# query of length 2 and a key of length 1 point to the right at place 0, and each further place turns both by 30 degrees
# to the left. **Let the text walk. What happens to the hands, and what to their product?**

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
# Both hands turn by the same angle. So the angle *between* them stays, and the product stays with it. **The product of
# a turned query and a turned key depends only on how far apart their two places are.**
#
# Now press "is added to it", and let the text walk again. The product changes with every move. (After 12 moves it is
# the same again, because the dial has come round.) But [added positions](positions.py#distance-is-a-turn) let a head
# ask by distance, too. So why does the product change? Multiply (letter + place) with (letter + place). That makes four
# products. Letter · letter knows no place, and place · place knows just the distance. But in two others a letter meets
# a place, and they change wherever the text goes. That is one thing that went wrong in the machine at the top.
#
# Now by hand. The query $(2, 0)$ stands at place 5. It turns by 5 · 30 = 150 degrees, and becomes 2 · cos 150° = −1.732
# and 2 · sin 150° = 1. Before they are turned, the three keys are all $(1, 0)$:
#
# | what | place | turned by | vector | product with the query |
# | --- | --- | --- | --- | --- |
# | query | 5 | 150° | (-1.732, 1) | |
# | first key | 3 | 90° | (0, 1) | 1 |
# | second key | 4 | 120° | (-0.5, 0.866) | 1.732 |
# | third key | 5 | 150° | (-0.866, 0.5) | 2 |
#
# The first product is $-1.732 \cdot 0 + 1 \cdot 1 = 1$, which is also 2 · 1 · cos 60°. Now the text moves by 20 places,
# and the code computes the products once more:


# %%
def turn(vector, degrees):
    a, b = vector
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([a * cos - b * sin, a * sin + b * cos])


for moved in (0, 20):
    query = turn([2, 0], 30 * (5 + moved))
    keys = np.array([turn([1, 0], 30 * (place + moved)) for place in (3, 4, 5)])
    products = keys @ query
    print(
        f"moved by {moved:2}: query {query.round(3)}, products {products.round(3)}"
    )

# %% [markdown]
# **After the move the query points elsewhere, and its three products are the same.** But one dial alone has a fault.
#
# ## Quick dials and slow ones
#
# After 12 places our dial has come round again. So for a query at place 5, a key at place 17 fits as well as one at
# place 5. A slower dial, which turns by 10 degrees a place, has not come round by then, but it hardly tells place 5
# from place 6. So we take both, and add their products. Among the places drawn here, the sum is now largest at one
# only:

# %% tags=["hide-input"] alt="Three curves over the place of the key, 0 to 23, for a query at place 5. The product of a dial that turns by 30 degrees a place is largest at 5 and again at 17. That of a dial with 10 degrees a place is largest at 5 and falls from there. Their sum is largest at 5 only, and at 17 it is far lower."
import matplotlib.pyplot as plt

_, axes = plt.subplots(3, 1, figsize=(4.8, 3.4), sharex=True, layout="constrained")
place_of_key = np.arange(24)
quick, slow = (
    2 * np.cos(np.radians(step * (place_of_key - 5))) for step in (30, 10)
)
named = {
    "30 degrees a place": quick,
    "10 degrees a place": slow,
    "sum": quick + slow,
}
for ax, (name, its) in zip(axes, named.items(), strict=True):
    highest = np.flatnonzero(np.isclose(its, its.max()))
    ax.bar(place_of_key, its, color="#56b4e9")
    ax.bar(highest, its[highest], color="#0072b2")
    ax.axhline(0, color="0.5", lw=0.8)
    ax.set_title(name, loc="left", size=10)
    ax.set_yticks([])
    ax.spines[["top", "right", "left", "bottom"]].set_visible(False)
axes[-1].set_xticks([0, 5, 10, 17, 23])
axes[-1].set_xlabel("place of the key; the query stands at place 5")
plt.show()
assert [*np.flatnonzero(np.isclose(quick, quick.max()))] == [5, 17]
assert (quick + slow).argmax() == 5
assert (quick + slow)[17] < 0.4 * (quick + slow)[5]

# %% [markdown]
# So a head gets several dials. In the machine that we try next, a query has 16 numbers. They make eight pairs, and each
# pair turns on a dial of its own, more slowly than the one before:

# %% tags=["hide-input"] alt="Eight dials in a row, from the quickest to the slowest, at the places 0, 1, 5 and 20. At place 0 all hands point to the right. At place 1 only the first two or three have turned visibly. At place 20 the first hand has gone round three times, the fourth has turned by about 36 degrees, and the last three have hardly turned."
import re
from pathlib import Path

turning, turning_record = trained.load("today-rotary")
depth = turning.encoder.layers[0].self_attention.attention.d_k  # numbers of a head
pairs = depth // 2
assert (depth, pairs) == (16, 8)
drawn = Path("../diagrams/pairs.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number[^>]*>(\d+)<', drawn)
assert [*map(int, drawn)] == [*range(depth)]
speeds = 10000.0 ** (-np.arange(pairs) / pairs)
rows = (0, 1, 5, 20)
_, ax = plt.subplots(figsize=(4.8, 2.7), layout="constrained")
for y, place in enumerate(rows):
    ax.text(-0.75, y, f"place {place}", ha="right", va="center")
    for i, angle in enumerate(place * speeds):
        ax.add_patch(plt.Circle((i, y), 0.4, fill=False, edgecolor="0.6"))
        tip = i + 0.4 * np.cos(angle), y - 0.4 * np.sin(angle)
        ax.plot(*zip((i, y), tip, strict=True), color="#0072b2", lw=2)
for i in range(pairs):
    ax.text(i, -0.75, f"{i}", ha="center", va="center")
ax.text(-0.75, -0.75, "dial", ha="right", va="center")
ax.set(xlim=(-2.3, 7.6), ylim=(3.6, -1.1), aspect="equal")
ax.axis("off")
plt.show()
assert int(20 * speeds[0] / (2 * np.pi)) == 3  # times round
assert round(np.degrees(20 * speeds[3])) == 36
assert np.degrees(20 * speeds[5:]).max() < 5
assert np.degrees(speeds[3:]).max() < 2 < 5 < np.degrees(speeds[:3]).min()

# %% [markdown]
# **The quick hands tell small distances apart, and in long texts the slow hands tell near from far.** Positions that
# turn like this are called **rotary positions**, or RoPE.
#
# ## Now move the text again
#
# Does it help? We trained a second machine on the same dates, for as long as the yardstick. It has just as many
# numbers, but it turns its queries and keys, and adds nothing. Then we moved the text:

# %% tags=["hide-input"] alt="The share of right dates if the text is moved by 0, 5, 20 or 40 places. With positions that turn it stays over 99 per cent. With added positions it falls from nearly 100 to less than half at 5 places, and to about 1 per cent at 20 and at 40."
moves_by = added_record["shifts"]
figure, ax = plt.subplots(figsize=(4.8, 2.5), layout="constrained")
for name, record, colour, height in (
    ("positions that turn", turning_record, "#0072b2", 0.8),
    ("positions added", added_record, "#d55e00", 0.28),
):
    shares = np.array(record["shifted"])
    ax.plot(moves_by, shares, "o-", color=colour, clip_on=False)
    ax.text(30, height, name, color=colour, ha="center")
    for place, share in zip(moves_by, shares, strict=True):
        if record is turning_record and place < moves_by[-1]:
            continue  # its line is flat, and one label is enough
        beside = (7, -12) if place == 0 else (0, 7)
        ha = "center" if record is turning_record else "left"
        ax.annotate(
            percent(share),
            (place, share),
            beside,
            textcoords="offset points",
            ha=ha,
            color=colour,
        )
ax.set(xticks=moves_by, xlim=(-6, 46))
ax.set(xlabel="places that the text is moved by", ylim=(0, 1.12))
ax.set_yticks([0, 0.5, 1])
ax.yaxis.set_major_formatter("{x:.0%}")
ax.set_ylabel("dates right")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
assert [*moves_by] == [*turning_record["shifts"]] == [0, 5, 20, 40]
assert min(turning_record["shifted"]) > 0.99
assert added.count_params() == turning.count_params()
assert {
    trained.kept(name)[1]["steps"] for name in ("dates-brief", "today-rotary")
} == {500}

# %% [markdown]
# **The machine whose positions turn still reads over 99 of 100 dates when the text moves by up to 40 places.** It
# *cannot* notice the move, since every product is what it was. Most large language models of today turn, too.
#
# In attention only one thing has changed: queries and keys are turned, right before they meet. The values stay as they
# are, because what a letter hands over should be the same wherever it stands.

# %% tags=["live", "remove-input"]
from drawing import attention_drawn

attention_drawn("turning_positions")

# %% [markdown]
# ## Your machine so far
#
# Which numbers make a pair? The first of one half with the first of the other, and so on:
#
# --8<-- "diagrams/pairs.svg"
#
# At place $p$ the pair of dial $i$, with the numbers $a$ and $b$, becomes
#
# $$
# \begin{pmatrix} a_p \\ b_p \end{pmatrix} =
# \begin{pmatrix} \cos p\,\omega_i & -\sin p\,\omega_i \\ \sin p\,\omega_i & \cos p\,\omega_i \end{pmatrix}
# \begin{pmatrix} a \\ b \end{pmatrix} \qquad \omega_i = 10000^{-2i/d}
# $$
#
# This is the turn that you did by hand. (The pair stands in a column here, so the matrix is on its left.) Here $d$ is
# how many numbers a head has, and $\omega_i$ is how far dial $i$ turns from one place to the next, in radians. Dial 0
# turns by 1, which makes 57 degrees. The 10000 is a choice.
#
# In your [`multi_head`](split_heads.py#your-machine-so-far) queries and keys are turned before the heads look.
#
# Only where the answer looks at the text they are not turned. A place in the answer and a place in the text have no
# distance, so there the answer asks by what it has written: after "2018-" it asks for a month. (Which digit of it comes
# first, the encoder has told the letters.)
#
# ```python
# q = split(x @ W_Q, heads)
# k, v = split(seen @ W_K, heads), split(seen @ W_V, heads)
# if seen is x:
#     q, k = turn_all(q, np.arange(len(x))), turn_all(k, np.arange(len(x)))
# ```
#
# In `turn_all`, `np.outer` multiplies each place by each speed. **The two rows of the formula are missing.**
#
# ```python
# def turn_all(x, places):  # x: letters, numbers; heads may stand in front
#     a, b = np.split(x, 2, axis=-1)  # number i makes a pair with number i + d/2
#     pairs = a.shape[-1]  # d/2
#     speeds = 10000.0 ** (-np.arange(pairs) / pairs)  # -2i/d is -i/pairs
#     cos, sin = np.cos(np.outer(places, speeds)), np.sin(np.outer(places, speeds))
#     return np.concatenate([..., ...], axis=-1)
# ```


# %% tags=["answer"]
def turn_all(x, places):
    a, b = np.split(x, 2, axis=-1)  # number i makes a pair with number i + d/2
    pairs = a.shape[-1]  # d/2
    speeds = 10000.0 ** (-np.arange(pairs) / pairs)
    cos, sin = np.cos(np.outer(places, speeds)), np.sin(np.outer(places, speeds))
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


from clear_attention import RotaryPositions

q, k = np.random.default_rng(0).normal(size=(2, 6, 16))  # six letters
here = np.arange(6)
scores = turn_all(q, here) @ turn_all(k, here).T
there = turn_all(q, here + 10_000) @ turn_all(k, here + 10_000).T
np.testing.assert_allclose(there, scores, atol=1e-9)
swapped = turn_all(q, here[::-1]) @ turn_all(k, here[::-1]).T
assert not np.allclose(swapped, scores, atol=0.1)
package = RotaryPositions()(q[None, None], positions=here)[0, 0]
np.testing.assert_allclose(turn_all(q, here), package, atol=1e-5)
print("moved by 10,000: the same products")
print("in the other order: other products")
print("turned: the package's numbers")

# %% tags=["remove-input"]
np.testing.assert_array_equal(turn_all(q[None], here)[0], turn_all(q, here))
np.testing.assert_allclose(products, [1, 3**0.5, 2])
np.testing.assert_allclose(turn([2, 0], 150), [-1.732, 1], atol=5e-4)
np.testing.assert_allclose(turn([1, 0], 30 * (7 + moved)) @ query, products[0])

# %% [markdown]
# The package has it as [`RotaryPositions`][clear_attention.RotaryPositions].
#
# <details class="lesson-more" markdown="1"><summary>For the curious: two ways to make pairs</summary>
#
# Some machines pair the two halves of a head's numbers, as your `turn_all` does, while others pair neighbours. The
# second machine was trained with halves. Here we set its layers to neighbours, and let it read 500 dates. All shapes
# fit, so nothing warns us:

# %% tags=["hide-input"]
texts, right = create_date_pairs(500, seed=1, split="test")
ids = source.encode(texts, length=34)


def share_right(model):
    written = target.decode(greedy_search(model, ids, max_length=11))
    return np.mean([a == b for a, b in zip(written, right, strict=True)])


halves = share_right(turning)
for layer in [*turning.encoder.layers, *turning.decoder.layers]:
    layer.self_attention.attention.rotary.layout = "interleaved"
neighbours = share_right(turning)
print(f"pairs of halves, as trained: {percent(halves)} right")
print(f"pairs of neighbours:         {percent(neighbours)} right")
assert halves > 0.98
assert neighbours < 0.2

# %% [markdown]
# The museum shows [how to find it, and how to mend it](../guides/museum.py#rotary-layout).
#
# </details>
#
# ## Who found this, and when
#
# Shaw, Uszkoreit and Vaswani were the first to give the Transformer distances instead of places. In 2018 they learnt a
# vector for each distance, and added it to the keys. In 2021 Su and others looked for a way to put the place into
# queries and keys themselves, and found the turn.
#
# ## Exercises
#
# ### Exercise 1
#
# Let the values turn, too: each of the three keys above has the value $(1, 0)$, turned as the key is. Is the output
# still the same when the text moves?

# %% tags=["answer"]
weights = np.exp(products / np.sqrt(2))  # a head of two numbers
weights /= weights.sum()
outputs = []
for moved in (0, 20):
    turned = [turn([1.0, 0.0], 30 * (place + moved)) for place in (3, 4, 5)]
    outputs.append(weights @ turned)
    print(f"moved by {moved:2}: {outputs[-1].round(3)}")
assert not np.allclose(*outputs, atol=0.1)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What happened?</summary>
#
# No. The weights are the same, because only distances go into them. But the output is a sum of the values, and these
# now point elsewhere. You can meet this mistake in [the museum](../guides/museum.py#rotated-values).
#
# </details>
#
# ### Exercise 2
#
# Beside the dial of 30 degrees let a second pair turn by 5 degrees a place. In both pairs the query is $(2, 0)$ and the
# key $(1, 0)$, and the head adds the products of its pairs. Which of the distances 0 to 40 has the largest product now,
# and which the second largest?

# %% tags=["answer"]
distances = np.arange(41)
one = 2 * np.cos(np.radians(30 * distances))
both = one + 2 * np.cos(np.radians(5 * distances))
largest, order = np.flatnonzero(np.isclose(one, one.max())), np.argsort(-both)
print("one dial: distances", largest)
for place in order[:3]:
    print(f"two dials: distance {place:2}, product {both[place]:.2f}")
assert [*largest] == [0, 12, 24, 36]
assert [*order[:4]] == [0, 1, 12, 2]

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why several speeds?</summary>
#
# With one dial the distances 0, 12, 24 and 36 get the same product. With a slow dial beside it 0 and 1 come first. But
# 12 still comes third, just before 2, because two dials are not many. A head of our machine has eight.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("turning_positions")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? A slow dial turns by 1 degree a place. What do you learn from the angle between the query's hand and the key's?
# - Whether a key is one place away or two. | The cosines of 1 and of 2 degrees differ by less than 0.001. Quick dials tell neighbours apart.
# + Whether a key is near or far. | 5 places apart the hands nearly agree, and 90 places apart they are at a right angle.
# - Which letter stands there. | A dial turns by the place alone. The query and the key say what the letter is, before they are turned.
# ? A machine with positions that turn gives each new letter that it writes the place 0. What goes wrong?
# - Nothing, because only distances count. | The distances are what is wrong: between two letters of place 0 it is 0.
# - Only the first letters. | Every letter is turned by the same wrong place.
# + It can't tell which letter came when. | All hands stand at place 0, so that every distance is 0.
# ? How many numbers to be trained do rotary positions add to a machine?
# + None. | The angles follow from the place and the number of the pair.
# - One for each pair of numbers. | The speeds of the dials are given by a formula, and not learnt.
# - One vector for each distance. | That is how Shaw and others did it, whose distances are learnt.
# ```
#
# </details>
#
# ## Where to go next
#
# **Your machine so far:** [the whole Transformer](recap.py#put-together-by-hand), the norm first, and now queries and
# keys that turn. Where a text stands no longer matters to it. So may two texts stand in one row?
#
# * [Packed documents](packing.py): several texts in one row that do not read each other.
# * [Longer texts](language_model.py#and-if-the-text-is-longer): there some *distances* are new.
# * [The reference](../reference/rotary.md): every argument of `RotaryPositions`.
#
# Read on elsewhere: Shaw and others (2018), [Self-Attention with Relative Position
# Representations](https://arxiv.org/abs/1803.02155); Su and others (2021), [RoFormer: Enhanced Transformer with Rotary
# Position Embedding](https://arxiv.org/abs/2104.09864); Peng and others (2023), [YaRN: Efficient Context Window
# Extension of Large Language Models](https://arxiv.org/abs/2309.00071).

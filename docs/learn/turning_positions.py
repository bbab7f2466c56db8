# ---
# title: Positions that turn
# description: Why a machine loses its way when a text stands further right than in training, and how turning queries and keys by their place mends it. By hand, in the source, with both layouts.
# ---

# %% [markdown]
# # What if the text stands further right?
#
# To each letter our machine adds where the hands of its dials point, and so it knows [where the letter
# stands](positions.py). Does it still read a text that begins somewhere else? We take 2,000 unseen dates and put a few
# empty places before each text, which are hidden by a mask. No letter has changed, and none can see the empty places.
# But every letter stands further right.
#
# Two machines read these dates. Both were trained once, for 500 steps, on the same dates, in texts of at most 34
# places, and both have equally many trained numbers. The first one adds positions, as you know it. The second one is
# told of positions in another way, which is the subject of this lesson. The table says which share of the dates they
# get right if the text is moved by 0, 5, 20 or 40 places. Below it, each machine reads "3 may 2018", at place 0 and at
# place 20:

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
        print(f"{name:19}  moved by {moved:2}: {written}")
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
# About half of the texts have at most 14 letters, so that even now they end within the 34 places. But its queries and
# keys are made of sums, letter plus place. So a score is not only a product of two places, which would [know the
# distance](positions.py#distance-is-a-turn). There are also products of a letter with a place, and these change with
# every move. In the training all texts *began* at place 0, so there was no reason to become independent of them.
#
# The second machine does not even notice. The way in which it is told of positions is used by most large language
# models today.
#
# ## Turn, don't add
#
# What does a head need to know about places? Whether a 5 is a day or a month depends on what stands just before it and
# just behind it. So what counts is how far away the other letter stands, and on which side.
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
# 3. Let the place be *added*. The dashed lines are what it adds. Now move the text again. (In our first machine the
#    place is added to the letter, from which the query is then made. Here, to keep it simple, it is added to the query
#    itself.)

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
# 2. There are two best places for the key: where the query stands, and 12 places away, because there the dial has come
#    round again. One dial alone can't tell the two apart. The [formula](#the-formula) has a remedy.
# 3. If places are added, the product changes with every move, and the highest bar jumps from place to place.
#
# The hands turn against the clock, as angles do in mathematics. The dials of the [first lesson on
# positions](positions.py) turn the other way, because there the angle is counted from 12 o'clock, as on a clock.
#
# </details>
#
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
# before they look. They are turned only where a text looks at itself (`seen is x`). In cross-attention the query's
# place is counted in the answer and the key's place in the text, so their difference is not a distance. `v` is not
# turned:
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
# directly behind its $a$. Nothing here is trained. (A layer is told to turn with `rotary=RotaryPositions()`.)
#
# <details class="lesson-more" markdown="1"><summary>How does the decoder then find the right digit?</summary>
#
# Only self-attention is turned, but that of the encoder, too. So what the encoder hands over for the 0 of 2018 already
# says what stands around this 0.
#
# </details>
#
# ## What the two machines see
#
# What changes inside the machines when a text is moved? Let both read "3 may" twice, at place 0 and 20 places further
# right. Each map shows the weights of one head in the encoder. A row is a letter that looks, and a column is a letter
# that is looked at. Of the first machine you see the head whose weights change most, and of the second the head with
# the same number. Below stands the largest change of a weight in any head:

# %% tags=["hide-input"] alt="Four heat maps of the weights for the letters of 3 may, at place 0 and moved by 20. Above, positions added: the two maps differ clearly. Below, positions that turn: the two maps are the same."
import matplotlib.pyplot as plt
from clear_attention import plot_weights

letters = ["3", "␣", "m", "a", "y"]
ids = source.encode(["3 may"])
changes, head = {}, None
whole = plt.figure(figsize=(4.8, 5.8), layout="constrained")
for part, (name, model) in zip(
    whole.subfigures(2, 1),
    {"positions added": added, "positions that turn": turning}.items(),
    strict=True,
):
    maps = []
    for moved in (0, 20):
        further = np.pad(ids, [(0, 0), (moved, 0)])
        result = model.encode(further, return_weights=True)
        maps.append(result.weights["0"][0, :, moved:, moved:].numpy())
    change = np.abs(maps[1] - maps[0]).max(axis=(1, 2))  # of each head
    head = int(change.argmax()) if head is None else head
    changes[name] = change.max()
    part.suptitle(name, fontsize=11, fontweight="bold")
    for ax, seen, moved in zip(part.subplots(1, 2), maps, (0, 20), strict=True):
        plot_weights(seen[head], letters, ax=ax, colour_bar=False)
        ax.set_title(f"moved by {moved}", fontsize=10)
plt.show()
for name, change in changes.items():
    print(f"{name}: the largest change of a weight is {change:.2f}")
assert changes["positions that turn"] < 1e-4 < 0.1 < changes["positions added"]

# %% [markdown]
# The upper two maps differ, and the lower two are the same. Nothing that the second machine sees depends on where the
# text begins.
#
# There is one trap. When a machine writes, a [cache](writing.py#what-a-cache-saves) keeps each key as it is after its
# turn. So the machine must remember how many letters there are already, in order to give the next one the next place.
# If each new letter is called place 0 again, all of them stand at the same place, and the machine [reads as if it had
# no positions](../guides/museum.py#cache-positions). The package's layer goes on counting by itself.
#
# ## And if the text is longer?
#
# A longer text is harder than a moved one, because it has distances that the machine has never met. The language model
# of the next lesson has positions that turn, and was trained with pieces of 128 letters. Here it reads 512. The numbers
# are bits a letter, which that lesson explains: the fewer, the better, and who guesses has 8. In the second row all
# dials turn four times as slowly, so that 512 places show no new angle. In the third row only the slow dials do. None
# of the three was trained any further. Which row reads best?

# %% tags=["hide-input"]
from clear_attention import token_losses
from trained.language import texts as manual

_, unseen = manual()
pieces = unseen[: len(unseen) // 513 * 513].reshape(-1, 513)[::2]
parts = {"1 to 128": (0, 128), "129 to 256": (128, 256), "257 to 512": (256, 512)}


def bits(**slower):
    """Bits a letter in three parts of long pieces, with the dials set to turn otherwise."""
    model, _ = trained.load("language")
    for name, value in slower.items():
        setattr(model.rotary, name, value)
    found = token_losses(model, pieces).numpy() / np.log(2)
    return [found[:, start:end].mean() for start, end in parts.values()]


found = {
    "as trained": bits(),
    "all dials slower": bits(scaling="interpolation", factor=4.0),
    "only slow dials slower": bits(scaling="yarn", factor=4.0, original_length=128),
}
lines = ["| dials | letters " + " | ".join(parts) + " |", "| --- " * 4 + "|"]
for name, row in found.items():
    lines.append(f"| {name} | " + " | ".join(f"{n:.1f}" for n in row) + " |")
display(Markdown("\n".join(lines)))
plain, all_slower, some_slower = found.values()
assert plain[0] < 2 < 3.3 < plain[2]
assert min(all_slower) > 3.3
assert plain[0] < some_slower[0] < 2.4
assert some_slower[2] < 2.7

# %% [markdown]
# As trained, the machine loses its way behind the places that it knows. A quick dial has gone round many times in 128
# places, but a slow dial not even once, so far letters now show angles that it never met. With all dials slower no
# angle is new, but neighbours are a quarter as far apart as they were, and then it can't read at all. Only to slow the
# slow dials down costs a little at the beginning, and holds to the end. (So it does not break. That a longer look pays
# is not shown: read afresh every 128 letters, the first row would have its 1.9 everywhere.) That recipe is YaRN, and [the
# reference](../reference/rotary.md) has its formula beside those of others. All of them work better if the machine is
# trained a little further.
#
# <details class="lesson-more" markdown="1"><summary>Two layouts, and a machine that is silently wrong</summary>
#
# For those who load weights of other code: which two numbers of a head are a pair? Count its 16 numbers from 0. In the
# layout *halves* number 0 is paired with number 8, and number 1 with number 9, as in your `turn_all`. In the layout
# *interleaved* number 0 is paired with number 1, and number 2 with number 3. Both are in use, and [libraries
# differ](../guides/mask_conventions.py#which-channels-are-a-rotary-pair).
#
# Ours was trained with halves. What happens if its layers use the other layout? All shapes fit, and nothing complains.
# We let the machine read 500 dates three times: as it was trained, then with its layers set to interleaved, and finally
# with its weights reordered, too, so that they fit the new layout:

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
# In the second row every number has the wrong partner, and most turn on the wrong dial. For the third row
# [`convert_rotary`][clear_attention.convert_rotary] reorders the numbers of queries and keys in each head, so that
# those which were trained as a pair are a pair again.
#
# </details>
#
# ## Who found this, and when
#
# Shaw, Uszkoreit and Vaswani (2018) were the first to give the Transformer distances instead of places. They learnt a
# vector for each distance and added it to the keys, and another one that they added to the values. Su and others (2021)
# looked for a way to put the place into queries and keys themselves, so that their product knows the distance and
# attention stays as it is. They found the turn.
#
# GPT-J (2021), PaLM (2022) and Llama (2023) took it over, and since then most language models have it. Their texts have
# grown to many times the length of then. This is why Peng and others (2023) asked how slow the dials should be, and
# made YaRN.
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
# because the quick dial tells neighbours apart and the slow one near from far. Two dials are not many: 12 still comes
# third, just before 2. A head of our machine has eight.
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
# The norm in front of each part, and positions that turn: in these two parts a language model of today differs most
# from our date machine. What is left of our machine if there is no text to read?
#
# * [From here to GPT](language_model.py): half of the machine, trained on nothing but text.
# * [The reference](../reference/rotary.md): every argument of `RotaryPositions`, and the formulas for longer texts.
# * [What is wrong with my rotary positions?](../guides/museum.py#rotary-layout)
#
# Read on elsewhere: Shaw and others (2018), [Self-Attention with Relative Position
# Representations](https://arxiv.org/abs/1803.02155); Su and others (2021), [RoFormer: Enhanced Transformer with Rotary
# Position Embedding](https://arxiv.org/abs/2104.09864); Peng and others (2023), [YaRN: Efficient Context Window
# Extension of Large Language Models](https://arxiv.org/abs/2309.00071).

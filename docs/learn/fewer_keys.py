# ---
# title: Fewer keys than queries
# description: Why the past of a long text takes more memory than the model, and how query heads share key heads. By hand, to touch, measured on the date machine and on large models.
# ---

# %% [markdown]
# # What if the past does not fit?
#
# As a text, the word "the" is three bytes. But a machine that writes keeps the word's [keys and values](cache.py),
# because every later word will look back at them. How many bytes are those?
#
# Take the smallest Llama 3.1, a language model of 2024. It has 32 layers of 32 heads. Suppose for now that each head
# keeps a key and a value of 128 numbers, and that a number takes two bytes:

# %%
def kept(layers, heads, numbers, length, bytes_each=2):
    keys_and_values = 2
    return keys_and_values * layers * heads * numbers * length * bytes_each


print(f"{kept(32, 32, 128, length=1):,} bytes")

# %% [markdown]
# **To remember a word of three letters, the machine keeps half a million bytes.** Here are both to scale. Can you see
# the word?
#
# --8<-- "diagrams/kept_of_the.svg"
#
# And "the" is only one of the [pieces of words](pieces_of_words.py) in a chat. The model reads up to 131,072 of them.
# Its own numbers take 16 GB. At half a million bytes for each piece, the past of a single chat would take more than
# four times as much. Yet Llama 3.1 does read such texts, and all of its 32 heads look back. So what does it leave out?
#
# ## Share the keys
#
# A letter that looks at [several things at once](multi_head.py) needs several *queries*. But does each query need keys
# and values of its own? In a library, readers with different questions use the same catalogue.
#
# So let several **query heads** ask the same **key head**. On this page query heads are blue, key heads are orange, and
# we count both from 1:

# %% tags=["hide-input"] alt="Three drawings. In each, four blue squares in a row above are query heads, numbered 1 to 4, and orange squares below are key heads. Left, each head has its own: four orange squares. Middle, in groups: heads 1 and 2 lead to the first of two orange squares, heads 3 and 4 to the second. Right, one for all: all four lead to a single orange square. Below stands what is kept: 4 key heads, 2, and 1."
import re
from pathlib import Path

import matplotlib.pyplot as plt

drawn = Path("../diagrams/kept_of_the.svg").read_text(encoding="utf-8")
dot, block = (
    [float(side) for side in sides]
    for sides in re.findall(
        r'class="\w+" [^>]*width="([\d.]+)" height="([\d.]+)"', drawn
    )
)
one = kept(32, 32, 128, length=1)
assert abs(block[0] * block[1] / (dot[0] * dot[1]) / (one / 3) - 1) < 0.01
assert one == 524_288
assert kept(32, 32, 128, 131_072) / 1e9 > 4 * 16
assert kept(32, 8, 128, 131_072) == kept(32, 32, 128, 131_072) / 4

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#999999"
_, axes = plt.subplots(1, 3, figsize=(5.2, 2.1), layout="constrained")
serves = {"each its own": [0, 1, 2, 3], "in groups": [0, 0, 1, 1]}
serves["one for all"] = [0, 0, 0, 0]
for ax, (name, partners) in zip(axes, serves.items(), strict=True):
    size = partners.count(0)  # of a group
    middle = [size * key + (size - 1) / 2 for key in partners]
    for head, x in enumerate(middle):
        ax.plot([head, x], [1, 0], color=GREY, zorder=0)
        label = {"color": "white", "ha": "center", "va": "center", "zorder": 3}
        ax.text(head, 1, head + 1, **label)
    for x, key in sorted({*zip(middle, partners, strict=True)}):
        ax.text(x, 0, key + 1, ha="center", va="center", zorder=3)
    ax.scatter(range(4), [1] * 4, 330, BLUE, marker="s")
    ax.scatter(middle, [0] * 4, 330, "#f0a070", marker="s")
    ax.text(1.5, -0.75, f"{4 // size} kept", ha="center", va="center")
    ax.set(xlim=(-0.6, 3.6), ylim=(-1, 1.4), title=name)
    ax.axis("off")
    assert partners == [head // size for head in range(4)]
plt.show()

# %% [markdown]
# Only what is orange is kept. (An orange square stands for the keys of a head and the values that go with them.) It is
# the [*KV cache*](cache.py).
#
# In 2019 Shazeer, an author of the Transformer, asked why the Transformer learns so fast and writes so slowly. While it
# writes, it waits for the memory, because all that is kept must be fetched for each new letter. So he kept one key head
# for all eight query heads, and the translations were hardly worse. This is *multi-query attention*. Ainslie and others
# (2023) tried what lies between one and all. If query heads share in groups, it is called **grouped-query attention**.
#
# In Llama 3.1, 32 query heads share 8 key heads. **A letter still asks 32 questions, but its past takes only a quarter
# of the room.** Where is the catch?
#
# ## What do heads lose?
#
# Let four query heads share two key heads. Queries, keys and values are single numbers here. This is kept of two
# letters:
#
# | key head | asked by query heads | keys | values |
# | --- | --- | --- | --- |
# | first | 1 and 2 | 3, 6 | 10, 20 |
# | second | 3 and 4 | 2, 0 | 30, 50 |
#
# Now the last letter looks back. A score is query times key, and the softmax turns two scores into two weights:
#
# | query head | query | scores | weights | output |
# | --- | --- | --- | --- | --- |
# | 1 | 1 | 3, 6 | 0.047, 0.953 | 19.53 |
# | 2 | -1 | -3, -6 | 0.953, 0.047 | 10.47 |
# | 3 | 1 | 2, 0 | 0.881, 0.119 | 32.38 |
# | 4 | 0 | 0, 0 | 0.5, 0.5 | 40 |
#
# The scores of head 1 differ by 3, so its first weight is $1 / (1 + e^3) = 0.047$. Its output is $0.047 \cdot 10 +
# 0.953 \cdot 20 = 19.53$. Head 2 meets the same keys and values, but finds 10.47. **Heads that share can bring back
# different things, because they ask differently.**
#
# How different? **Head 1 should bring back about 15, and head 2 about 35. Move their queries: can both do it? Then let
# each head have its own keys and values, and try again.** (Head 2 then gets the keys 1 and 5 and the values 20 and 40.)

# %% tags=["live", "remove-input"]
import sys

sys.path.append("../_site")
import numpy as np
from clear_attention import scaled_dot_product_attention
from live import touch

q = np.array([[1.0], [-1.0], [1.0], [0.0]])[..., None]  # (heads, queries, numbers)
k = np.array([[3.0, 6.0], [2.0, 0.0]])[..., None]  # (heads, keys, numbers)
v = np.array([[10.0, 20.0], [30.0, 50.0]])[..., None]
output, weights = scaled_dot_product_attention(q, k, v, grouped=True)
shares = [[0.047, 0.953], [0.953, 0.047], [0.881, 0.119], [0.5, 0.5]]
np.testing.assert_allclose(weights[:, 0], shares, atol=6e-4)
np.testing.assert_allclose(output[:, 0, 0], [19.53, 10.47, 32.38, 40], atol=6e-3)
# the same for each head, if none shares: heads 1 and 3 keep what they have
owned = {
    "keys": [[3, 6], [1, 5], [2, 0], [1, 3]],
    "values": [[10, 20], [20, 40], [30, 50], [0, 40]],
}
for part, shared in (("keys", k), ("values", v)):
    assert owned[part][::2] == shared[..., 0].tolist()
for values, reach in ((v[0, :, 0], [15]), (owned["values"][1], [35])):
    assert [n for n in (15, 35) if min(values) < n < max(values)] == reach
touch(
    "asking",
    "<p>With the queries 1, −1, 1 and 0 the four heads bring back 19.53, 10.47, 32.38 and 40. Heads 1 and 2 can reach"
    " what lies between 10 and 20, and heads 3 and 4 what lies between 30 and 50. If head 2 had values of its own, say"
    " 20 and 40, it could reach 35, too.</p>",
    queries=q[:, 0, 0].tolist(),
    keys=k[..., 0].tolist(),
    values=v[..., 0].tolist(),
    owned=owned,
    own=False,
)

# %% [markdown]
# **A mixture of two values lies between them, whatever the head asks.** With shared values head 1 gets its 15, but head
# 2 can't have 35, because both mix 10 and 20. With values of its own, head 2 gets it. So heads that share can ask for
# different things, but only what lies between the same values comes back.
#
# ## What does sharing cost?
#
# But no head works alone: $W_O$ mixes what all bring, and can make a 35 of other numbers. It only can't bring back what
# no head has fetched. So how much does sharing cost?
#
# Three teams measured it. Google took a trained model, T5, averaged the matrices of keys and values of heads that were
# to share, and trained it a little longer. Meta and DeepSeek trained new models, one for each way of sharing. Fewer
# keys mean fewer numbers to train, so to be fair, DeepSeek gave the models with fewer keys more layers, until all had
# about 7 billion numbers. Here is how many marks of 100 each model won or lost in tests by sharing, on average:

# %% tags=["hide-input"] alt="Three rows of points, one for each team, for the marks lost against models in which each head has its own keys. All are orange, full for 8 key heads and rings for one. T5: 0.1 with 8 heads, 0.6 with one. Llama 2: a gain of 0.1 with 8 heads, a loss of 0.4 with one. DeepSeek: a loss of 3.9 with 8 heads, of 8.2 with one."
# A list for each test, with one key head, 8 and all. Ainslie and others (2023), table 1, give only the mean. The sizes
# of Llama 3.1 are from its published configuration.
tests = {"T5\n(2023)": [[46.6, 47.1, 47.2]]}
with_one = [70.6, 79.0, 47.9, 74.5, 71.6, 41.9, 14.5, 42.8, 26.5, 4.8, 7.3]
with_8 = [69.4, 78.8, 48.6, 75.4, 72.1, 42.5, 14.0, 46.2, 26.9, 5.3, 7.9]
with_all = [71.0, 79.3, 48.2, 75.1, 71.2, 43.0, 12.4, 44.7, 28.0, 4.9, 7.9]
# Touvron and others (2023), table 18; DeepSeek-AI (2024), table 8
tests["Llama 2\n(2023)"] = list(zip(with_one, with_8, with_all, strict=True))
tests["DeepSeek\n(2024)"] = [
    [33.2, 35.6, 37.0],
    [37.9, 41.2, 45.2],
    [30.0, 37.7, 42.9],
    [34.6, 38.4, 43.5],
]
means = [np.mean(table, axis=0) for table in tests.values()]
changes = [  # with 8 key heads, and with one
    (round(eight - full, 1), round(one_head - full, 1))
    for one_head, eight, full in means
]
assert changes == [(-0.1, -0.6), (0.1, -0.4), (-3.9, -8.2)]
one_head, eight, full = means[2]
assert round(full) == 42
assert 0.9 < eight / full < 0.92
assert 0.79 < one_head / full < 0.82

_, ax = plt.subplots(figsize=(5.2, 2.4), layout="constrained")
for y, marks in enumerate(changes):
    for change, label, inside in zip(  # orange as key heads are: points and rings
        marks, ("8 key heads", "one key head"), (ORANGE, "none"), strict=True
    ):
        ring = {"facecolors": inside, "edgecolors": ORANGE, "linewidths": 1.5}
        ax.scatter(change, y, 45, **ring, label=None if y else label)
        side = 9 if label == "8 key heads" else -9
        ax.annotate(
            f"{change:+.1f}".replace("-", "−"),
            (change, y),
            (side, 0),
            textcoords="offset points",
            ha="left" if side > 0 else "right",
            va="center",
        )
ax.axvline(0, color=GREY, zorder=0)
ax.set(xlim=(-15, 2.4), ylim=(2.5, -0.5), xlabel="marks won or lost by sharing")
ax.set_yticks(range(3), tests)
ax.tick_params(axis="y", length=0)
ax.spines[["top", "right", "left"]].set_visible(False)
ax.legend(frameon=False, loc="upper left")
plt.show()

# %% [markdown]
# **Google and Meta lost less than one mark, even with a single key head. DeepSeek lost 3.9 marks with 8 key heads, and
# 8.2 with one.** That is much: DeepSeek chose four hard tests, in which the model with keys for each head got only 42
# of 100 marks, and 8.2 are a fifth of 42.
#
# Models and tests differ from team to team, and so does the price of sharing. (Not all papers say how many query heads
# share the 8.) Many models pay it. What do they get?
#
# ## And now it fits
#
# A graphics card of 24 GB holds Llama 3.1 and the past of a text. There are always 32 query heads. **How long may the
# text be with 32 key heads, where nobody shares? And with 8?** Then a dare: get eight chats of 50,000 pieces onto the
# card, and look up in the chart above what DeepSeek paid for as few key heads.

# %% tags=["live", "remove-input"]
reads = 1000  # gigabytes a second


def pieces_a_second(heads, length):
    return reads / (16 + kept(32, heads, 128, length) / 1e9)


speeds = [pieces_a_second(heads, 50_000) for heads in (32, 8)]

room = 24 - 16  # gigabytes of the card that the model leaves
fits = [1e9 * room / kept(32, heads, 128, length=1) for heads in (32, 8)]
assert [round(length, -3) for length in fits] == [15_000, 61_000]
chats = [8 * kept(32, heads, 128, 50_000) / 1e9 for heads in (1, 2)]
assert chats[0] < room < chats[1]  # the dare takes a single key head
touch(
    "sharing",
    f"<p>With 32 key heads {kept(32, 32, 128, 50_000) / 1e9:.1f} GB are kept of a chat of 50,000 pieces of words,"
    f" with 8 heads {kept(32, 8, 128, 50_000) / 1e9:.1f} GB, and with a single one"
    f" {kept(32, 1, 128, 50_000) / 1e9:.1f} GB. If 1,000 GB can be read in a second, that allows at most"
    f" {speeds[0]:.1f}, {speeds[1]:.1f} and {pieces_a_second(1, 50_000):.1f} new pieces in a second.</p>",
    queries=32,
    keys=32,
    head=13,
    layers=32,
    numbers=128,
    bytes=2,
    length=49,
    chats=0,
    model=16,
    card=24,
    reads=reads,
    whose={"8": "Llama 3.1"},
)

# %% [markdown]
# **With 8 key heads the card holds a text of about 61,000 pieces, and without sharing only 15,000.** Writing gets
# faster, too: for each new piece the machine reads all that is kept, and now that is less.
#
# <details class="lesson-answer" markdown="1"><summary>The dare</summary>
#
# It takes a single key head, and that cost DeepSeek 8.2 marks.
#
# </details>
#
# Here two query heads share keys and values, and nothing else has changed. Untick the box, and each has its own:

# %% tags=["live", "remove-input"]
from drawing import attention_drawn

attention_drawn("fewer_keys")

# %% [markdown]
# ## Your machine so far
#
# In the [formula of heads](split_heads.py#the-formula) only the keys and values change. There are $h$ query heads and
# $h_{\text{kv}}$ key heads, and we still count from 1: query head $i$ asks key head $i / (h / h_{\text{kv}})$, rounded
# up. Head 3 of our four asks $3 / 2$, rounded up, which is 2.
#
# In your [`multi_head`](split_heads.py#your-machine-so-far), `W_K` and `W_V` now have columns for two heads only. One
# line hands each query head the keys of its group. NumPy counts from 0, so our 1, 1, 2, 2 is `0, 0, 1, 1` there:
#
# ```python
# def multi_head(x, seen, W_Q, W_K, W_V, W_O, mask=0, heads=4, key_heads=2):
#     q = split(x @ W_Q, heads)
#     k, v = split(seen @ W_K, key_heads), split(seen @ W_V, key_heads)
#     group = ...  # for each query head the number of its key head, counted from 0
#     # k[group] has a row for each number in group: some keys come twice
#     found = attention(q, k[group], v[group], mask)
#     return merge(found) @ W_O
# ```

# %% tags=["answer"]
import sys

# The parts are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
from clear_attention import MultiHeadAttention
from examples.numpy_machine import attention, merge, split  # those of your machine


def multi_head(x, seen, W_Q, W_K, W_V, W_O, mask=0, heads=4, key_heads=2):
    q = split(x @ W_Q, heads)
    k, v = split(seen @ W_K, key_heads), split(seen @ W_V, key_heads)
    group = np.arange(heads) // (heads // key_heads)
    found = attention(q, k[group], v[group], mask)
    return merge(found) @ W_O


# %% [markdown]
# With the same numbers your heads and the layer of the package must find the same:

# %%
rng = np.random.default_rng(0)
x, W_Q, W_O = rng.normal(size=(3, 8, 8))  # eight letters of eight numbers
W_K, W_V = rng.normal(size=(2, 8, 4))
layer = MultiHeadAttention(
    8, 4, num_key_value_heads=2, use_bias=False, dtype="float64"
)
layer.build((None, None, 8))
layer.set_weights([W_Q, W_K, W_V, W_O])
yours = multi_head(x, x, W_Q, W_K, W_V, W_O)
np.testing.assert_allclose(layer(x[None])[0], yours, atol=1e-12)
print("your heads share keys as the package's do")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>For the curious: four heads with the same keys</summary>
#
# We trained our date machine once more, with a single key head in each attention in place of four. All four query heads
# then meet the same keys. Do they look at the same letters? The encoder reads "3 may", and each row shows where one
# head looks from the "3":

# %% tags=["hide-input"] alt="Where the 3 of 3 may looks in the encoder of the machine with one key head, a row for each of its four heads, with a weight for each letter. Head 1 looks at the space most, and head 2 hardly looks there at all."
import trained
from clear_attention import date_tokenizers

source, _ = date_tokenizers()
letters = ["3", "␣", "m", "a", "y"]
shared, _ = trained.load("today-one-key-head")
result = shared.encode(source.encode(["3 may"]), return_weights=True)
three = result.weights["0"][0, :, 0].numpy()  # (4 heads, 5 letters)
_, ax = plt.subplots(figsize=(4.2, 2.7), layout="constrained")
ax.imshow(three, cmap="Blues", vmin=0, vmax=1, aspect="auto")
for (head, letter), weight in np.ndenumerate(three):
    colour = "white" if weight > 0.5 else "black"
    ax.text(letter, head, f"{weight:.2f}", ha="center", va="center", color=colour)
ax.set_xticks(range(5), letters)
ax.set_yticks(range(4), [f"head {head}" for head in (1, 2, 3, 4)])
ax.tick_params(length=0, labeltop=True, labelbottom=False)
ax.spines[:].set_visible(False)
plt.show()

assert three.argmax(axis=1)[::2].tolist() == [1, 1]  # heads 1 and 3
assert three[1::2, 2:].sum(axis=1).min() > 0.5  # heads 2 and 4: m, a and y


# %% [markdown]
# They don't. Heads 1 and 3 look most at the space, and heads 2 and 4 mostly at the month. **Heads with the same keys
# look at different letters, because their questions differ.**
#
# </details>
#
# ## Exercises
#
# ### Exercise 1
#
# The smallest Llama 2 (2023) has 32 layers of 32 heads, and each head keeps keys of its own. The largest has 80 layers
# of 64 query heads, but only 8 key heads. In both a head has 128 numbers. Which of the two keeps more bytes of each
# piece? And what if the large one did not share?

# %% tags=["answer"]
print("smallest, 32 key heads", f"{kept(32, 32, 128, 1):9,} bytes")
for heads in (8, 64):
    print(f"largest, {heads:3} key heads {kept(80, heads, 128, 1):9,} bytes")
assert kept(80, 8, 128, 1) == 327_680 < kept(32, 32, 128, 1) == 524_288
assert kept(80, 64, 128, 1) == 5 * kept(32, 32, 128, 1)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>How to count</summary>
#
# The small one keeps more. The large one keeps 2 · 80 · 8 · 128 numbers of two bytes, which is 327,680 bytes. Without
# sharing it would keep five times as much as the small one.
#
# </details>
#
# ### Exercise 2
#
# Would it not be simpler to have fewer heads of *queries* as well? Take 8 heads of 128 numbers for everything, or 32
# query heads that share 8 key heads. Both keep the same. What is different?
#
# <details class="lesson-answer" markdown="1"><summary>What is different</summary>
#
# With 32 query heads a letter asks 32 questions in place of 8, and gets 32 averages. A query is used once and thrown
# away. So more query heads take time, and more numbers to train, but no memory of the past.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("fewer_keys")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? A model takes 4 GB, and 12 GB are kept of a chat. Now four query heads share each key head. How many times as fast can it write, if only reading takes time?
# - 4 times | The model is read for each piece, too, and it is as large as before.
# + 2.3 times | 16 GB were read for each piece, and now it is 4 + 3 = 7 GB.
# - as fast as before, since there are as many scores | What takes the time is to read what is kept.
# ? A layer has 64 numbers a letter and 8 heads, so W_Q, W_K, W_V and W_O have 64 columns. Now there are 2 key heads. What happens to the matrices?
# - All four become narrower. | Eight heads still ask, and eight averages come together in W_O.
# + W_K and W_V have 16 columns. | They make 2 heads of 8 numbers. W_Q and W_O serve all 8 query heads.
# - Nothing, only what is kept becomes less. | What is kept is what W_K and W_V make.
# ? A program hands out its key heads in turn, where neighbours should share. Its author tests it with 4 query heads and 4 key heads, and all numbers are right. Would another test have shown the mistake?
# - No, its groups are right. | Each group is a single head here, and both orders are 1, 2, 3, 4.
# - Yes, one with a single key head. | Copies of a single head have no order: both are 1, 1, 1, 1.
# + Yes, one with 2 key heads. | If neighbours share, they are 1, 1, 2, 2, and in turn 1, 2, 1, 2.
# ```
#
# </details>
#
# ## Where to go next
#
# **Your machine so far:** half of [the Transformer](recap.py#put-together-by-hand), with heads that share their keys.
#
# Your machine asks as many questions as before, and keeps a fraction of the past. But even a fraction grows with every
# word. Could a machine also forget?
#
# * [A window on the past](windows.py): how far must a letter see?
# * [The configuration of a current model](../guides/model_configuration.py): where it says how many heads share.
#
# Read on elsewhere: Shazeer (2019), [Fast Transformer Decoding: One Write-Head is All You
# Need](https://arxiv.org/abs/1911.02150); Ainslie and others (2023), [GQA: Training Generalized Multi-Query Transformer
# Models from Multi-Head Checkpoints](https://arxiv.org/abs/2305.13245); DeepSeek-AI (2024), [DeepSeek-V2: A Strong,
# Economical, and Efficient Mixture-of-Experts Language Model](https://arxiv.org/abs/2405.04434).

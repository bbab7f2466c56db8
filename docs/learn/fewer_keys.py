# ---
# title: Fewer keys than queries
# description: Why the past of a long text takes more memory than the model, and how heads of queries share heads of keys. By hand, to touch, measured on the date machine and on large models.
# ---

# %% [markdown]
# # What if the past does not fit?
#
# As a text, the word "the" is three bytes. A machine that writes makes [keys and values](writing.py#what-a-cache-saves)
# of it and keeps them, because every later word looks back at them. How many bytes does it keep? Take a published
# model, the smallest Llama 2 (2023). It has 32 layers of 32 heads, and in each head a key of 128 numbers and a value of
# 128 numbers. A number takes two bytes. Guess before you read on.

# %%
def kept(layers, heads, numbers, length, bytes_each=2):
    keys_and_values = 2
    return keys_and_values * layers * heads * numbers * length * bytes_each


print(f"{kept(32, 32, 128, length=1):,} bytes")

# %% [markdown]
# Half a million bytes, for three letters. For Llama 2 this word is a single
# [piece](language_model.py#pieces-of-words), and it reads up to 4,096 pieces. The smallest Llama 3.1, a year younger,
# reads up to 131,072. It, too, has 32 layers of 32 heads. The model itself, 8 billion numbers of two bytes, takes 16
# GB. If it kept as much of each piece as Llama 2, how much would it keep of its longest text? Is that less than the
# model or more, and how many times? Guess again.
#
# <details class="lesson-more" markdown="1"><summary>How much it would be, and how much it is</summary>

# %% tags=["hide-input"] alt="Three bars. The model takes 16 GB. What Llama 3.1 would keep of its longest text, if it kept as much as Llama 2, is 68.7 GB. What it keeps is 17.2 GB."
import matplotlib.pyplot as plt

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#999999"
would, does = (kept(32, heads, 128, 131_072) / 1e9 for heads in (32, 8))
figure, ax = plt.subplots(figsize=(5.2, 1.6), layout="constrained")
names = ["the model", "kept, as Llama 2 does it", "kept, in truth"]
bars = ax.barh(names, [16, would, does], color=[GREY, ORANGE, ORANGE])
ax.bar_label(bars, fmt="%.1f GB", padding=4)
ax.set(xlim=(0, 82), xticks=[])
ax.invert_yaxis()
ax.spines[["top", "right", "bottom"]].set_visible(False)
plt.show()
assert 4 < would / 16 < 4.5
assert would == 4 * does
assert f"{would:.1f} {does:.1f}" == "68.7 17.2"
assert 11 < 1000 / (16 + would) < 12 < 30 < 1000 / (16 + does) < 31

# %% [markdown]
# It would be 68.7 GB, more than four times the model, and that for a single reader.
#
# </details>
#
# In truth Llama 3.1 keeps a quarter of that. This also makes it faster, because for each new piece the model and all
# that is kept are read from memory again. If 1,000 GB can be read in a second, the model and the whole past allow at
# most 11 new pieces in a second. With a quarter of the past it is 30. Yet Llama 3.1 looks back with as many heads as
# Llama 2. So what did it leave out? (The sizes are from the published configurations, and from [the report on Llama
# 3](https://arxiv.org/abs/2407.21783) of 2024.)
#
# ## Share the keys
#
# To look at [several things at once](multi_head.py), a letter needs several *queries*, which are several questions
# about one text. But does each question need keys and values of its own? A library has many readers and one catalogue.
#
# So let us count two things apart. A *head of queries* asks. A *head of keys* is a set of keys and values that can be
# asked. Let several heads of queries **share** one head of keys. Those that share it are a *group*, and this is called
# **grouped-query attention**. If all share a single one, it is called *multi-query attention*. Here are four heads of
# queries, in blue, above the heads of keys that they ask, in orange:

# %% tags=["hide-input"] alt="Three drawings. In each, four blue squares in a row above are heads of queries, numbered 1 to 4, and orange squares below are heads of keys and values. Left, each head has its own: four orange squares. Middle, in groups: heads 1 and 2 lead to the first of two orange squares, heads 3 and 4 to the second. Right, one for all: all four lead to a single orange square."
figure, axes = plt.subplots(1, 3, figsize=(5.2, 1.9), layout="constrained")
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
    ax.set(xlim=(-0.6, 3.6), ylim=(-0.4, 1.4), title=name)
    ax.axis("off")
    assert partners == [head // size for head in range(4)]
plt.show()

# %% [markdown]
# This is the riddle's answer. Llama 3.1 has 32 heads of queries and only 8 heads of keys, so that four heads of queries
# ask the same keys. Only what is orange has to be kept. Below are its 32 heads of queries, and a graphics card with 24
# GB for the model and what is kept. Predict first, then press:
#
# 1. With 8 heads of keys, does a chat of 100,000 pieces of words fit on the card? And one of 50,000?
# 2. With how many heads of keys do 100,000 pieces fit? Take as many as you can.
# 3. Go back to 8. Which head of keys does head 13 of the queries meet? (Heads are counted from 1.)

# %% tags=["live", "remove-input"]
import sys

sys.path.append("../_site")
from live import touch

room = 24e9 - 16e9
assert kept(32, 8, 128, 50_000) < room < kept(32, 8, 128, 100_000)
assert kept(32, 4, 128, 100_000) < room
assert f"{kept(32, 8, 128, 100_000) / 1e9:.1f}" == "13.1"
assert f"{kept(32, 8, 128, 50_000) / 1e9:.1f}" == "6.6"
assert kept(32, 4, 128, 100_000) == kept(32, 8, 128, 50_000)
assert 1 + (13 - 1) // (32 // 8) == 4
touch(
    "sharing",
    f"<p>With 32 heads of keys {kept(32, 32, 128, 100_000) / 1e9:.1f} GB are kept of a chat of 100,000 pieces of words,"
    f" with 8 heads {kept(32, 8, 128, 100_000) / 1e9:.1f} GB, and with a single one"
    f" {kept(32, 1, 128, 100_000) / 1e9:.1f} GB.</p>",
    queries=32,
    keys=32,
    head=13,
    layers=32,
    numbers=128,
    bytes=2,
    length=6,
    model=16,
    card=24,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# 1. No. Of 100,000 pieces 13.1 GB are kept, and beside the model there is room for 8 GB. Of 50,000 pieces it is 6.6 GB,
#    and that fits.
# 2. With 4. Half as many heads of keys leave room for a text that is twice as long.
# 3. The fourth. Four neighbours make a group, and head 13 begins the fourth group.
#
# </details>
#
# ## By hand
#
# Now let four heads of queries share two heads of keys. There are two letters, and each query, key and value is a
# single number. (Scores would be divided by the root of 1, so this step is left out.) This is kept of the two letters:
#
# | head of keys | asked by | keys | values |
# | --- | --- | --- | --- |
# | first | heads 1 and 2 | 3, 4 | 10, 20 |
# | second | heads 3 and 4 | 2, 0 | 30, 50 |
#
# The last letter looks, with a query in each of the four heads. A score is query times key, and the softmax makes two
# weights of two scores:
#
# | head of queries | query | scores | weights | output |
# | --- | --- | --- | --- | --- |
# | 1 | 1 | 3, 4 | 0.269, 0.731 | 17.31 |
# | 2 | -1 | -3, -4 | 0.731, 0.269 | 12.69 |
# | 3 | 1 | 2, 0 | 0.881, 0.119 | 32.38 |
# | 4 | 0 | 0, 0 | 0.5, 0.5 | 40 |
#
# The first output is $0.269 \cdot 10 + 0.731 \cdot 20 = 17.31$. Heads 1 and 2 have the same keys and values, and still
# they bring back different things, because they ask differently. The package's function, which is told with
# `grouped=True` that heads share, finds the same:

# %%
import numpy as np
from clear_attention import scaled_dot_product_attention

q = np.array([[1.0], [-1.0], [1.0], [0.0]])[..., None]  # (heads, queries, numbers)
k = np.array([[3.0, 4.0], [2.0, 0.0]])[..., None]  # (heads, keys, numbers)
v = np.array([[10.0, 20.0], [30.0, 50.0]])[..., None]
output, weights = scaled_dot_product_attention(q, k, v, grouped=True)
print(weights[:, 0].numpy().round(3))
print(output[:, 0, 0].numpy().round(2))

# %% [markdown]
# What can't they do any more? Below are these four heads. A blue point is what a head brings back, and an orange bar
# reaches from one of its two values to the other. Answer before you move a query:
#
# 1. Which query must head 1 have, so that it brings back 15?
# 2. Can head 1 bring back 25?
# 3. All four queries are 2. Which heads bring back the same?

# %% tags=["live", "remove-input"]
np.testing.assert_allclose(output[:, 0, 0], [17.31, 12.69, 32.38, 40], atol=6e-3)
touch(
    "asking",
    "<p>With the queries 1, −1, 1 and 0 the four heads bring back 17.31, 12.69, 32.38 and 40. Heads 1 and 2 can reach"
    " what lies between 10 and 20, and heads 3 and 4 what lies between 30 and 50.</p>",
    queries=q[:, 0, 0].tolist(),
    keys=k[..., 0].tolist(),
    values=v[..., 0].tolist(),
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# 1. The query 0, which makes both scores 0 and both weights 0.5.
# 2. Never. Whatever it asks, it mixes 10 and 20.
# 3. Heads 1 and 2 do, and heads 3 and 4. The same question to the same catalogue has the same answer.
#
# </details>
#
# That is the price. With values of its own, say 60 and 80, head 2 could bring back 70. Now it finds nothing that head 1
# could not find as well.
#
# ## The formula
#
# $$
# \text{head}_i = \operatorname{Attention}\left(Q W^Q_i,\; K W^K_{g(i)},\; V W^V_{g(i)}\right), \qquad
# g(i) = \left\lceil \frac{i}{h / h_{\text{kv}}} \right\rceil
# $$
#
# As in [lesson 5](multi_head.py), $Q$, $K$ and $V$ stand for what comes in. There are $h$ heads of queries and
# $h_{\text{kv}}$ heads of keys, so a group has $h / h_{\text{kv}}$ heads, which must be a whole number. $g(i)$ is the
# head of keys that head $i$ asks: divide $i$ by the size of a group, and round up. For head 13 of Llama 3.1 that is
# $\lceil 13 / 4 \rceil = 4$.
#
# ## What does sharing cost?
#
# Our date machine was trained once more, with a single head of keys in each of its attentions. The machine in the first
# row has four, one for each head of queries. Both had 500 steps. The last column is what the decoder keeps of its own
# answer. In the first row that is `kept(1, 4, 16, 11, bytes_each=4)`: one layer, four heads of 16 numbers, 11 places
# (ten signs and a mark), and four bytes a number. (This machine [hardly needs several heads](multi_head.py), so don't
# expect a loss.)

# %% tags=["hide-input"]
# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from date_machine import percent
from IPython.display import Markdown, display

lines = [
    "| heads of keys | dates right | trained numbers | kept, bytes |",
    "| --- " * 4 + "|",
]
found = {}
for name, heads in {"dates-brief": 4, "today-one-key-head": 1}.items():
    model, record = trained.load(name)
    cache = model.decoder.layers[0].self_attention.create_cache(1, 11)
    size = 4 * int(np.prod(cache.keys.shape) + np.prod(cache.values.shape))
    found[heads] = (float(record["exact"]), model.count_params(), size)
    lines.append(
        f"| {heads} | {percent(record['exact'])} | {model.count_params():,} | {size:,} |"
    )
display(Markdown("\n".join(lines)))
assert found[1][0] > found[4][0] - 0.05
assert found[4][2] == kept(1, 4, 16, 11, bytes_each=4) == 4 * found[1][2]
assert found[1][1] < found[4][1]

# %% [markdown]
# A quarter is kept, and about as many dates are read right. (Each machine was trained once.) There are fewer trained
# numbers, too, because the matrices that make keys and values are narrower.
#
# All four heads have the same keys now. Do they look at the same letters? Guess, then look at the maps of the encoder's
# four heads for "3 may". A row is a letter that looks, a column one that is looked at.

# %% tags=["hide-input"] alt="Four heat maps of the weights for the letters of 3 may in the encoder of the machine with one head of keys: the four heads look at different letters."
from clear_attention import date_tokenizers, plot_heads

source, _ = date_tokenizers()
letters = ["3", "␣", "m", "a", "y"]
shared, _ = trained.load("today-one-key-head")
result = shared.encode(source.encode(["3 may"]), return_weights=True)
maps = result.weights["0"][0].numpy()
for number, ax in enumerate(plot_heads(maps, letters), start=1):
    ax.set_title(f"head {number}")
plt.show()
apart = maps[:, None] - maps  # of each head and each other
one, other, row, column = np.unravel_index(apart.argmax(), apart.shape)
print(
    f"{letters[row]} looks at {letters[column]} with a weight of {maps[one, row, column]:.2f} in head {one + 1}"
    f" and of {maps[other, row, column]:.2f} in head {other + 1}"
)
assert apart.max() > 0.2

# %% [markdown]
# They differ, because the four questions differ. (Below the maps stands the largest difference.)
#
# What about large models? On the left, a trained T5, a Transformer with 11 billion numbers, was converted and trained a
# little longer. You see its mean mark in seven tasks, and its time for one text. On the right, three models of 7
# billion numbers were trained from the beginning. You see their marks in MMLU, an exam in which guessing gets 25. The
# number at a point is how many heads of keys there are. How many would you take after the left picture, and how many
# after the right one? (Both are 9 marks high, but their marks are of different kinds. For T5 "all" is 64.)

# %% tags=["hide-input"] alt="Two pictures. Left, the mean mark against the seconds for a text: with one head of keys 46.6 in 0.24 seconds, with 8 heads 47.1 in 0.28 seconds, with all heads 47.2 in 1.51 seconds. Right, the marks in MMLU: 37.9 with one head of keys, 41.2 with 8, 45.2 with all."
figure, (left, right) = plt.subplots(1, 2, figsize=(5.2, 2.7), layout="constrained")
heads = ["1", "8", "all"]
# Ainslie and others (2023), table 1; DeepSeek-AI (2024), table 8
seconds, marks, exam = [0.24, 0.28, 1.51], [46.6, 47.1, 47.2], [37.9, 41.2, 45.2]
for ax, at in ((left, seconds), (right, [0, 1, 2])):
    points = marks if ax is left else exam
    ax.scatter(at, points, 60, ORANGE)
    for x, y, name in zip(at, points, heads, strict=True):
        shift = (8, {"1": -12, "8": 4, "all": -4}[name])
        ax.annotate(name, (x, y), shift, textcoords="offset points")
left.set(xlim=(0, 1.9), ylim=(42, 51))
left.set_title("T5,\nconverted (2023)", fontsize=10)
left.set(xlabel="seconds for a text", ylabel="mean mark")
right.set(xlim=(-0.4, 2.5), ylim=(37, 46), xticks=[])  # the same span
right.set_title("7 billion numbers,\nfrom the beginning (2024)", fontsize=10)
right.set(ylabel="MMLU")
right.set(xlabel="more heads of keys →")
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# On the left, 8 heads of keys take less than a fifth of the time and lose 0.1 of a mark. (A single one loses 0.6.) On
# the right, 8 heads lose 4 marks. So one would take 8 after the left picture, and all after the right one. What sharing
# costs is not settled by one measurement. Many published models have 8 heads of keys. (Left: Ainslie and others, 2023,
# table 1. Right: DeepSeek-AI, 2024, table 8.)
#
# ## Your machine so far
#
# In your `multi_head` from [Multi-head attention](multi_head.py#your-machine-so-far), `W_K` and `W_V` become narrower,
# so that they make fewer heads of keys. But your `attention` compares each head of queries with the head of keys of the
# same number. So each head of queries must first be handed the keys of its group. One line is missing, the array
# `group`. (A program counts heads from 0, and rounds down.)
#
# ```python
# def multi_head(x, seen, W_Q, W_K, W_V, W_O, mask=0, heads=4, key_heads=2):
#     q = split(x @ W_Q, heads)
#     k, v = split(seen @ W_K, key_heads), split(seen @ W_V, key_heads)
#     group = ...  # for each head of queries the number of its head of keys
#     found = attention(q, k[group], v[group], mask)
#     return merge(found) @ W_O
# ```


# %% tags=["answer"]
from clear_attention import MultiHeadAttention
from examples.numpy_machine import attention, merge, split  # those of your machine


def multi_head(x, seen, W_Q, W_K, W_V, W_O, mask=0, heads=4, key_heads=2):
    q = split(x @ W_Q, heads)
    k, v = split(seen @ W_K, key_heads), split(seen @ W_V, key_heads)
    group = np.arange(heads) // (heads // key_heads)
    found = attention(q, k[group], v[group], mask)
    return merge(found) @ W_O


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
print("your heads share their keys, as the package's layer does")

# %% [markdown]
# Your `group` is 0, 0, 1, 1. Why not 0, 1, 0, 1? Copies in the first order are *repeated*, and in the second *tiled*.
# Here is the head of keys that each of six heads of queries is handed. The model was trained with the upper row, and
# somebody's program does the lower one. How many of the six heads still meet their own keys?

# %% tags=["hide-input"] alt="Two rows of six squares, one for each head of queries. Above, repeated: the heads of keys 1, 1, 1, 2, 2, 2. Below, tiled: 1, 2, 1, 2, 1, 2."
repeated, tiled = np.repeat([1, 2], 3), np.tile([1, 2], 3)
figure, ax = plt.subplots(figsize=(5, 1.7), layout="constrained")
for y, row in ((1, repeated), (0, tiled)):
    colours = np.where(row == 1, "#f0a070", "#f0d8a0")
    ax.scatter(range(6), [y] * 6, 420, colours, marker="s")
    for head, key in enumerate(row):
        ax.text(head, y, key, ha="center", va="center", color="black")
ax.set(xlim=(-0.6, 5.6), ylim=(-0.5, 1.5), yticks=[0, 1])
ax.set_xticks(range(6), range(1, 7))
ax.set_xlabel("head of queries")
ax.set_yticklabels(["tiled", "repeated"])
ax.tick_params(length=0)
ax.spines[:].set_visible(False)
plt.show()
rng = np.random.default_rng(0)
q, k, v = (rng.normal(size=(1, heads, 7, 4)) for heads in (6, 2, 2))
own = scaled_dot_product_attention(q, k, v, grouped=True).output
wrong = {}
for name, order in {"repeated": repeated, "tiled": tiled}.items():
    copies = (x[:, order - 1] for x in (k, v))
    other = scaled_dot_product_attention(q, *copies).output
    wrong[name] = [
        h + 1 for h in range(6) if not np.allclose(other[0, h], own[0, h])
    ]
assert wrong == {"repeated": [], "tiled": [2, 5]}

# %% [markdown]
# Four of six. Only heads 2 and 5 meet keys that they were never trained with, and every shape is right. So a test of
# shapes, or of the first head, sees nothing. Nor does a test with a single head of keys, where both orders are the
# same. Either order would do if a model were trained with it, but in nearly all models neighbours share. (The mistake
# is [in the museum](../guides/museum.py#tiled-groups).)
#
# <details class="lesson-more" markdown="1"><summary>Without a copy</summary>
#
# Less is kept, but your `k[group]` copies it again. No copy is needed. All heads of a group ask the *same* keys, so
# their queries can be put below each other, as if they were more letters of one head. In the example by hand:

# %%
q = np.array([1.0, -1.0, 1.0, 0.0])  # four heads
k = np.array([[3.0, 4.0], [2.0, 0.0]])  # two heads of keys, two letters
in_groups = q.reshape(2, 2, 1)  # two groups of two queries of one number
scores = in_groups @ k[:, None, :]
print(scores.reshape(4, 2))
np.testing.assert_array_equal(scores.reshape(4, 2)[:3], [[3, 4], [-3, -4], [2, 0]])

# %% [markdown]
# The package's function does the same.
#
# </details>
#
# ## Who found this, and when
#
# In 2019 Shazeer, one of the authors of the Transformer, asked why it is trained so fast and writes so slowly. Writing
# waits for the memory. So he kept one head of keys for eight heads of queries. The decoder's time for a word fell from
# 46 microseconds to 3.8, a twelfth, and the translations became a little worse. He called the paper *One Write-Head is
# All You Need*. PaLM, Google's model of 540 billion numbers, took it over in 2022.
#
# But one head loses quality, and such models can be hard to train. Must it be one or all? Ainslie and others (2023)
# tried what lies between, and did not even train anew: they took the average of the heads of keys in each group, and
# went on training for a twentieth of the steps. In the same year Llama 2 had groups in its largest models, and a year
# later Llama 3 had them in all.
#
# DeepSeek-AI (2024) lost too much with groups in their measurement, the right picture. Their models keep one short
# vector of each piece of a word, and compute keys and values for every head from it, so that no two heads have to
# share: *multi-head latent attention*.
#
# ## Exercises
#
# ### Exercise 1
#
# The largest Llama 2 has ten times as many trained numbers as the smallest: 80 layers, 64 heads of queries, and again
# 128 numbers a head. But it has 8 heads of keys. Which of the two keeps more of a piece of a word? And if the large one
# did not share?

# %% tags=["answer"]
print("smallest, 32 heads of keys", f"{kept(32, 32, 128, 1):9,} bytes")
for heads in (8, 64):
    print(f"largest, {heads:3} heads of keys {kept(80, heads, 128, 1):9,} bytes")
assert kept(80, 8, 128, 1) == 327_680 < kept(32, 32, 128, 1) == 524_288
assert kept(80, 64, 128, 1) == 5 * kept(32, 32, 128, 1)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>How to count</summary>
#
# The large one keeps less: 2 · 80 · 8 · 128 numbers of two bytes, which is 327,680 bytes. Without sharing it would
# keep eight times as much, five times what the small one keeps.
#
# </details>
#
# ### Exercise 2
#
# Would it not be simpler to have fewer heads of *queries* as well? Take 8 heads of 128 numbers for everything, or 32
# heads of queries that share 8 heads of keys. What is kept is the same. What is different?
#
# <details class="lesson-answer" markdown="1"><summary>What is different</summary>
#
# A letter that looks can ask 32 questions in place of 8, and gets 32 averages. Queries are never kept: they are used
# once and thrown away. So they cost time and numbers to train, but no memory of the past.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("fewer_keys")

# %% [markdown]
# ```self-check
# ? Fewer heads of keys also make writing faster. Why?
# - There are fewer scores to compute. | There are as many as before: one for each head of queries, query and key.
# + Less has to be read for each new piece. | All that is kept is read again for each piece that is written. A quarter of it is read in a quarter of the time.
# - The model has fewer layers. | It has as many as before, and in each of them as many heads of queries.
# ? A program tiles where it should repeat. Its author tests it with one head of keys for 8 heads of queries, and all numbers are right. What does that tell?
# - Its groups are right. | Copies of a single head have no order. It takes two heads of keys to see one.
# - The test must be wrong. | The numbers are right here, since there is only one head to meet.
# + Nothing about groups. | With a single head of keys, repeating and tiling are the same. With two or more they are not.
# ? Two heads share their keys and values. Can they bring back different things?
# + Yes. | They ask with different queries, so their weights differ, and so do their averages.
# - No, because keys and values are the same. | The weights come from the query as well.
# - Only if there is a mask. | A mask hides keys, but the queries differ without one.
# ```
#
# ## Where to go next
#
# **Your machine so far:** half of the Transformer of [lesson 9](recap.py#put-together-by-hand), with attention by
# blocks, the norm first, queries and keys that turn, and now heads that share their keys.
#
# Keys can be shared, and they can be turned by their place. What else do people do to a score, before the softmax makes
# a weight of it?
#
# * [What else goes into the scores](score_rules.py): where does a letter look that needs nothing?
# * [The configuration of a current model](../guides/model_configuration.py): where it says how many heads share.
# * [Benchmarks](../about/benchmarks.py#attention-as-it-is-built-today): shared heads against repeated ones.
#
# Read on elsewhere: Shazeer (2019), [Fast Transformer Decoding: One Write-Head is All You
# Need](https://arxiv.org/abs/1911.02150); Ainslie and others (2023), [GQA: Training Generalized Multi-Query Transformer
# Models from Multi-Head Checkpoints](https://arxiv.org/abs/2305.13245); DeepSeek-AI (2024), [DeepSeek-V2: A Strong,
# Economical, and Efficient Mixture-of-Experts Language Model](https://arxiv.org/abs/2405.04434).

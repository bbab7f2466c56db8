# ---
# title: Fewer keys than queries
# description: Why the past of a long text takes more memory than the model, and how heads of queries share heads of keys. By hand, in the source, measured on the date machine.
# ---

# %% [markdown]
# # What if the past does not fit?
#
# A machine that writes keeps [the keys and values](writing.py#what-a-cache-saves) of all the letters so far, because
# each new letter looks back at them. For a date that is nothing. But take an invented model of a common size. It has 7
# billion trained numbers, and each number takes two bytes, which makes 14 GB. There are 32 layers of 32 heads, and in
# each head a key of 128 numbers and a value of 128 numbers for each piece of a word. Somebody has a chat with it, which
# is 100,000 [pieces of words](language_model.py#pieces-of-words) long. Which is larger: the model with its 14 GB, or
# what it must keep of this chat? Guess first. This function counts the bytes:

# %%
def kept(layers, heads, numbers, length, bytes_each=2):
    keys_and_values = 2
    return keys_and_values * layers * heads * numbers * length * bytes_each


# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>How much it is</summary>

# %%
for length in (1_000, 10_000, 100_000):
    gigabytes = kept(32, 32, 128, length) / 1e9
    print(f"{length:7,} pieces of words: {gigabytes:5.1f} GB")

# %% [markdown]
# One piece of a word needs 2 · 32 · 32 · 128 numbers of two bytes, which is about half a million bytes. A hundred
# thousand of them need more than three times as much as the model itself, and that for a single chat. On a graphics
# card with 24 GB the model fits, and its past does not.
#
# </details>
#
# Memory is one price, and time is another. For each piece that is written, all that is kept must travel from the memory
# to the processor, and this makes writing slow. What of it can be left out?
#
# ## Share the keys
#
# Heads were introduced so that a letter can look at [several things at once](multi_head.py). For that it needs several
# *queries*, which are several questions about the same text. But does each question need keys and values of its own? A
# library has one catalogue, and its readers have different questions.
#
# So far each head had queries, keys and values of its own. From here on we count them apart. A *head of queries* asks.
# A *head of keys* is a set of keys and values that can be asked. Let several heads of queries **share** one head of
# keys. Those which share one are called a *group*. This is called **grouped-query attention**. If there is only one
# group, because all share a single head of keys, it is called *multi-query attention*. With 8 heads of keys for 32
# heads of queries, a group has 4 heads of queries, and only a quarter has to be kept.
#
# Here are four heads of queries, in blue, with the heads of keys that they ask, in orange:

# %% tags=["hide-input"] alt="Three drawings. In each, four blue squares in a row above are heads of queries, numbered 1 to 4, and orange squares below are heads of keys and values. Left, each head has its own: four orange squares. Middle, in groups: heads 1 and 2 lead to the first of two orange squares, heads 3 and 4 to the second. Right, one for all: all four lead to a single orange square."
import matplotlib.pyplot as plt

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#999999"
figure, axes = plt.subplots(1, 3, figsize=(7.5, 2.1), layout="constrained")
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
# Here are the 32 heads of queries of our example, blue, and below them the heads of keys, orange. Only what is orange
# has to be kept, in each of the 32 layers. The bar is a graphics card with 24 GB. The model takes up a part of it, and
# what is kept of the chat comes beside the model. Heads are counted from 1. Predict first, then press:
#
# 1. With how many heads of keys does a chat of 100,000 pieces of words fit on the card? Take as many as you can.
# 2. Choose this number. Which head of keys does head 13 of the queries meet then?
# 3. If all share a single head of keys, does even a chat of half a million pieces fit?

# %% tags=["live", "remove-input"]
import sys

sys.path.append("../_site")
from live import touch

assert kept(32, 32, 128, 100_000) > 3 * 14e9
assert kept(32, 8, 128, 1) * 4 == kept(32, 32, 128, 1)
room = 24e9 - 14e9
fits = [
    heads for heads in (32, 16, 8, 4, 2, 1) if kept(32, heads, 128, 100_000) < room
]
assert fits == [4, 2, 1]
assert f"{kept(32, 8, 128, 100_000) / 1e9:.1f}" == "13.1"
assert f"{kept(32, 4, 128, 100_000) / 1e9:.1f}" == "6.6"
assert kept(32, 1, 128, 500_000) < room < kept(32, 1, 128, 1_000_000)
assert kept(32, 1, 128, 1) == 16_384
assert round(room / kept(32, 1, 128, 1), -4) == 610_000
assert 1 + (13 - 1) // (32 // 4) == 2
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
    model=14,
    card=24,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# 1. With 8 heads of keys it is 13.1 GB, which is still too much beside the model. With 4 heads it is 6.6 GB, and that
#    fits.
# 2. With 4 heads of keys, eight neighbours make a group. Head 13 is in the second one, with all heads from 9 to 16, so
#    it meets the second head of keys.
# 3. It fits. One piece of a word needs 16,384 bytes then, and into the 10 GB beside the model go about 610,000 of them.
#
# </details>
#
# ## By hand
#
# Four heads of queries share two heads of keys. There are two letters. So that everything can be computed by hand, each
# query, key and value is a single number. (Then scores are divided by the root of 1, which is 1, so this step is left
# out.) This is what is kept of the two letters:
#
# | head of keys | asked by | keys | values |
# | --- | --- | --- | --- |
# | first | heads 1 and 2 | 3, 4 | 10, 20 |
# | second | heads 3 and 4 | 2, 0 | 30, 50 |
#
# Now the last letter looks. It has a query in each of the four heads. A score is query times key, and the softmax makes
# two weights of two scores:
#
# | head of queries | query | scores | weights | output |
# | --- | --- | --- | --- | --- |
# | 1 | 1 | 3, 4 | 0.269, 0.731 | 17.31 |
# | 2 | -1 | -3, -4 | 0.731, 0.269 | 12.69 |
# | 3 | 1 | 2, 0 | 0.881, 0.119 | 32.38 |
# | 4 | 0 | 0, 0 | 0.5, 0.5 | 40 |
#
# The first output is $0.269 \cdot 10 + 0.731 \cdot 20 = 17.31$. Heads 1 and 2 have the same keys and values, and still
# they bring back different things, because they ask differently.
#
# But whatever these two ask, they only mix 10 and 20. That is the price of sharing. With keys and values of its own,
# head 2 could have looked for something else, and handed over something else.
#
# The function of the package is told to share with `grouped=True`. The cell hands it the numbers of the tables, four
# heads of queries and two heads of keys, and prints the weights and the outputs:

# %%
import numpy as np
from clear_attention import scaled_dot_product_attention

q = np.array([[1.0], [-1.0], [1.0], [0.0]])[..., None]  # (heads, queries, numbers)
k = np.array([[3.0, 4.0], [2.0, 0.0]])[..., None]  # (heads, keys, numbers)
v = np.array([[10.0, 20.0], [30.0, 50.0]])[..., None]
# grouped: heads share their keys
output, weights = scaled_dot_product_attention(q, k, v, grouped=True)
print(weights[:, 0].numpy().round(3))
print(output[:, 0, 0].numpy().round(2))

# %% [markdown]
# ## The formula
#
# $$
# \text{head}_i = \operatorname{Attention}\left(Q W^Q_i,\; K W^K_{g(i)},\; V W^V_{g(i)}\right), \qquad
# g(i) = \left\lceil \frac{i}{h / h_{\text{kv}}} \right\rceil
# $$
#
# As in [lesson 5](multi_head.py), $Q$, $K$ and $V$ stand for what comes in. $h$ is the number of heads of queries, and
# $h_{\text{kv}}$ that of heads of keys. So a group has $h / h_{\text{kv}}$ heads, which must be a whole number. $g(i)$
# says which head of keys head $i$ of the queries meets, and for that $i$ is divided by the size of a group and rounded
# up. For head 13 above this is $\lceil 13 / 8 \rceil = 2$. (In a program, which counts heads from 0, it is rounded
# down.) With $h_{\text{kv}} = h$ each group has one head, and the formula is the one that you know.
#
# ## What does it cost the date machine?
#
# Our date machine was trained once more, with a single head of keys in each of its three attentions. The machine in the
# first row has four, one for each head of queries. Both were trained for 500 steps. The table compares how many unseen
# dates they read right, how many trained numbers they have, and how much they keep. Here "kept" is what the decoder
# keeps of its own answer, which has 11 places, the start mark and ten letters. A number takes four bytes, so for the
# first row it is `kept(1, 4, 16, 11, bytes_each=4)`.

# %% tags=["hide-input"]
import sys

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
np.testing.assert_allclose(output[:, 0, 0], [17.31, 12.69, 32.38, 40], atol=6e-3)
assert found[1][0] > found[4][0] - 0.05
assert found[1][2] * 4 == found[4][2]
assert found[1][1] < found[4][1]

# %% [markdown]
# A quarter has to be kept, and the machine reads about as well as before. (Each was trained once, so how small the
# difference is may be chance.) There are fewer trained numbers, too, because the matrices that make keys and values
# have become narrower.
#
# Little or nothing is lost, because this machine [hardly needs several heads](multi_head.py). In large models a single
# head of keys does cost something. Ainslie and others (2023) converted a large T5, a Transformer of 2020, after its
# training. With a single head of keys its average mark in seven tasks fell from 47.2 to 46.6, and with eight heads of
# keys only to 47.1. This is one reason why most large models today have a few heads of keys. 8 is a common number.
#
# But can four heads still look at different letters, if they all have the same keys? The machine with a single head of
# keys reads "3 may", and here is what the four heads of its encoder look at. A row is a letter that looks, a column a
# letter that is looked at. Which head looks least at the y, in the last column? (Look for
# the head whose brightest cell in this column is the darkest.) Look before you open the fold below the four maps.

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
apart = max(np.abs(a - b).max() for a in maps for b in maps)
assert apart > 0.2

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Which head it is</summary>

# %% tags=["hide-input"]
least = maps[:, :, 4].max(axis=1).argmin()
print(f"Head {least + 1} looks least at the y")

# %% [markdown]
# </details>
#
# So four heads can look at different letters. Their keys are the same, but their questions differ, and so do their
# maps.
#
# ## Your machine so far
#
# Your `multi_head` from [Multi-head attention](multi_head.py#your-machine-so-far) splits queries, keys and values into
# equally many heads. Now `W_K` and `W_V` are narrower, so that they make fewer heads of keys. Your `attention` compares
# each head of queries with the head of keys that has the same number. So before that, each head of queries must
# be given the head of keys of its group. One line is missing, the array `group`. It has an entry for each head of
# queries, which says the number of its head of keys. (A program counts heads from 0.)
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
# Your `k[group]` makes a copy of a head of keys for each head of queries. Why in the order 0, 0, 1, 1, and why not as
# 0, 1, 0, 1? Take six heads of queries and two heads of keys, where one sees more. The heads of keys can be copied as
# 0, 0, 0, 1, 1, 1. Then they are *repeated*. Or they can be copied as 0, 1, 0, 1, 0, 1. Then they are *tiled*.
#
# To compare the two, we draw queries, keys and values at random, for six heads of queries and two heads of keys. The
# package's function shares them, which gives the right outputs. Then keys and values are copied, once repeated and once
# tiled, and the outputs are compared with the right ones. In how many of the six heads does it matter?
#
# <details class="lesson-more" markdown="1"><summary>In how many</summary>

# %% tags=["hide-input"]
rng = np.random.default_rng(0)
q, k, v = (rng.normal(size=(1, heads, 7, 4)) for heads in (6, 2, 2))
shared_output = scaled_dot_product_attention(q, k, v, grouped=True).output
repeated = [np.repeat(x, 3, axis=1) for x in (k, v)]
np.testing.assert_allclose(
    shared_output, scaled_dot_product_attention(q, *repeated).output, atol=1e-12
)
tiled = [np.tile(x, (1, 3, 1, 1)) for x in (k, v)]
other = scaled_dot_product_attention(q, *tiled).output
heads_off = [
    h + 1 for h in range(6) if not np.allclose(other[0, h], shared_output[0, h])
]
print("repeated: the same numbers")
print("tiled: other numbers in the heads", heads_off)
assert heads_off == [2, 5]

# %% [markdown]
# Here the heads are counted from 1 again. With tiling the shapes are the same, and four of the six heads are right. So
# a test that looks at shapes only, or at the first head, does not see it. In a trained model the other two would meet
# keys that they were never trained with.
#
# </details>
#
# Either order would do, if a model were trained with it. But in nearly all models neighbours share, as here, so to
# repeat is right and to tile is not. With a single head of keys, as in the machine of this page, both orders are the
# same. So test your program with more. This mistake is [in the museum](../guides/museum.py#tiled-groups).
#
# <details class="lesson-more" markdown="1"><summary>How the package shares without a copy</summary>
#
# This fold can be left out. Your `k[group]` repeats the keys. So less is kept, but during the computation all the
# copies are in memory. Yet nothing has to be repeated. All heads of a group meet the *same* keys, so their queries can
# be put below each other, as if they were more letters of one head. In the example by hand, the queries 1 and -1 of
# heads 1 and 2 become a matrix of two rows, and one product with the keys 3 and 4 gives the scores of both heads.

# %% tags=["source"]
import inspect

from clear_attention.attention import grouped_matmul

print(inspect.getsource(grouped_matmul))

# %% [markdown]
# `heads_of` reads how many heads there are. If `x` has as many heads as `y`, the result is the product that you know.
# (`transpose_b=True` transposes `y` before it.) Otherwise the first `tf.reshape` makes one long head of each group.
# `full_shape` lists the lengths of all axes, and the `-1` says "as many rows as there are". In memory the heads of a
# group lie one behind the other anyway, so no number is moved. The second `tf.reshape` cuts the result into heads
# again.
#
# </details>
#
# ## Who found this, and when
#
# Shazeer (2019) noticed that writing is slow because the keys and values of the past have to be read again for each new
# word, and kept only one head of them. Ainslie and others (2023) found the middle. With a few heads of keys, nearly all
# of the speed is gained and nearly no quality is lost. They also showed how to convert a trained model: take the
# average of the heads of keys in each group, and train on for a little. Llama 2 (2023) had grouped-query attention in
# its larger models, and since then most language models have it.
#
# There is another road. DeepSeek-V2 (2024) keeps one short vector of each piece of a word, and the keys and values of
# all heads are computed from it when they are needed. This is called *multi-head latent attention*.
#
# ## Exercises
#
# ### Exercise 1
#
# A model has 32 layers, 32 heads of queries and 8 of keys, 128 numbers a head. How many pieces of words fit into 8 GB,
# at two bytes a number? And how many with a single head of keys?

# %% tags=["answer"]
print("heads of keys   pieces of words")
for heads in (8, 1):
    print(f"{heads:13} {8e9 / kept(32, heads, 128, 1):17,.0f}")
assert kept(32, 8, 128, 1) == 131_072
assert round(8e9 / kept(32, 8, 128, 1)) == 61_035

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>How to count</summary>
#
# One piece of a word needs 2 · 32 · 8 · 128 numbers of two bytes, which is 131,072 bytes. 8 GB hold about 61,000 of
# them, and with a single head of keys eight times as many.
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
# ? A program tiles where it should repeat. Its author compares it with a program that repeats, with one head of keys for 8 of queries, and finds the same numbers. What does that tell?
# - Its groups are right. | Copies of a single head have no order. It takes two heads of keys to see one.
# - The other program must be wrong as well. | Both are right here, since there is only one head to meet.
# + Nothing about groups. | With a single head of keys, repeating and tiling are the same. With two or more they are not.
# ? Two heads share their keys and values. Can they bring back different things?
# + Yes. | They ask with different queries, so their weights differ, and so do their averages.
# - No, because keys and values are the same. | The weights come from the query as well.
# - Only if there is a mask. | A mask hides keys, but the queries differ without one.
# ```
#
# ## Where to go next
#
# **Your machine so far:** half of the Transformer of [lesson 9](recap.py#put-together-by-hand), with attention by blocks,
# the norm first, queries and keys that turn, and now heads that share their keys.
#
# Keys can be shared, and they can be turned by their place. What else do people do to a score, before the softmax makes
# a weight of it?
#
# * [What else goes into the scores](score_rules.py): a distance, a limit, and a place for weight that nobody needs.
# * [The configuration of a current model](../guides/model_configuration.py): where it says how many heads share.
# * [Benchmarks](../about/benchmarks.py#attention-as-it-is-built-today): shared heads against repeated ones.
#
# Read on elsewhere: Shazeer (2019), [Fast Transformer Decoding: One Write-Head is All You
# Need](https://arxiv.org/abs/1911.02150); Ainslie and others (2023), [GQA: Training Generalized Multi-Query Transformer
# Models from Multi-Head Checkpoints](https://arxiv.org/abs/2305.13245); Touvron and others (2023), [Llama 2: Open
# Foundation and Fine-Tuned Chat Models](https://arxiv.org/abs/2307.09288).

# ---
# title: Attention
# description: How a query decides where to look. From three letters and three small matrices to the last digit of the output, then a trained machine, the formula, and why it divides by the root of d_k.
# ---

# %% [markdown]
# # How does attention decide where to look?
#
# "05.03.2018" and "03.05.2018" are two months apart. But they have the same letters, and so [nearly the same
# average](reading_dates.py#take-it-away): the averaging machine writes 2008-05-13 for both. To tell a day from a month,
# some letters must count more than others. Which ones, and who decides?
#
# ## Ask, compare, fetch
#
# Think of a shelf of folders, each with a label on its spine. You come with a question, and hold it against every
# label. Where the two fit well you take much of what is inside, and elsewhere a little. Attention does just this, with
# three vectors:
#
# * the **query** is the question: what am I looking for?
# * the **key** is the label: what do I offer?
# * the **value** is what is inside: what do I hand over when I am chosen?
#
# But when does a key *fit* a query? Take vectors of two numbers, because we can draw them as arrows. A long key that
# points where the query points fits best. How well it fits is its *score*: multiply query and key, number by number,
# add up, and divide by √2. (Why, you will see below.) A high score brings a large *weight*. With these weights all
# values are mixed, and the mixture is the *output*.
#
# **Turn the query, and watch the output walk from value to value. Then make the query longer, and shorter: what
# changes?**

# %% tags=["live", "hide-input"]
import sys

# Parts of the site are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
from date_machine import tabled
from live import touch

arrows = {"keys": [[2, 0.5], [-1, 1.5], [0.5, -1.5]], "angle": 45, "length": 2.8}
turn = np.deg2rad(arrows["angle"])
asks = arrows["length"] * np.array([np.cos(turn), np.sin(turn)])
fits = np.array(arrows["keys"]) @ asks / np.sqrt(2)
shares = np.exp(fits) / np.exp(fits).sum()
assert np.allclose(asks, 1.98, atol=0.005)
touch(
    "arrows",
    tabled(
        ("key, for the query (1.98, 1.98)", "score", "weight"),
        [
            (f"{x} ({a:g}, {b:g})", f"{score:.2f}", f"{share:.3f}")
            for x, (a, b), score, share in zip(
                "ABC", arrows["keys"], fits, shares, strict=True
            )
        ],
    ),
    names=[*"ABC"],
    values=[[10, 0], [0, 10], [10, 10]],
    **arrows,
)

# %% [markdown]
# **The direction of the query decides where to look, and its length decides how firmly.** A machine can learn both.
#
# ## By hand, to the last digit
#
# Where do query, key and value come from? A letter has only one vector, its own. But what it looks for, what it offers
# and what it hands over are three different things. So we multiply its vector by three different matrices. In a real
# machine the training finds them. Here we choose small ones, for a pencil:
#
# | letter | its vector $x$ |
# | --- | --- |
# | m | $(1, 0)$ |
# | a | $(0, 1)$ |
# | y | $(1, 1)$ |
#
# $$
# W_Q = \begin{pmatrix} 1 & 0 & 0 & 1 \\ 1 & 0 & 1 & -1 \end{pmatrix} \quad
# W_K = \begin{pmatrix} 2 & 0 & 2 & 0 \\ -2 & 1 & 0 & 3 \end{pmatrix} \quad
# W_V = \begin{pmatrix} 10 & 0 \\ 0 & 10 \end{pmatrix}
# $$
#
# Now let "y" look at all three letters of "may".
#
# **First it asks.** The vector of "y" is $(1, 1)$. Vectors are rows here, so vector times matrix adds up the rows of
# $W_Q$, each as often as the vector says: here each once. The sum is its query:
#
# $$
# (1, 0, 0, 1) + (1, 0, 1, -1) = (2, 0, 1, 0)
# $$
#
# With $W_K$ we make the keys in the same way, and with $W_V$ the values.
#
# Let the first number of a key say "I am a consonant", and the third "I stand at an edge of the word". Then "y" asks
# for both. (The other two numbers do not matter to "y".)
#
# **Then it compares.** The key of "m" is $(2, 0, 2, 0)$. We multiply query and key number by number, and add up: this
# is the *dot product*. A key has four numbers, so we divide by the root of 4, for a reason that comes below, and have
# the **score**:
#
# $$
# \frac{2 \cdot 2 + 0 \cdot 0 + 1 \cdot 2 + 0 \cdot 0}{\sqrt{4}} = \frac{6}{2} = 3
# $$
#
# The keys of "a" and "y" get −2 and 1, so "m" fits best: it is a consonant, and stands at an edge.
#
# **The scores become weights.** How much of each value may "y" take? A cake can't be cut into slices of 3, −2 and 1,
# because no slice is less than nothing. So we raise $e$ to the power of each score. The powers are always positive, and
# keep the order of the scores. Then we divide by their sum, so that the slices are one cake. This is called the
# **softmax**, and the slice of "m" is
#
# $$
# \frac{e^3}{e^3 + e^{-2} + e^1} = \frac{20.086}{22.939} = 0.8756
# $$
#
# The slices of "a" and "y" are 0.0059 and 0.1185.
#
# **At last it fetches.** We mix the values with these weights, and the mixture is the **output**:
#
# $$
# 0.8756 \cdot (10, 0) + 0.0059 \cdot (0, 10) + 0.1185 \cdot (10, 10) = (9.941, 1.244)
# $$
#
# **Press "Next step" until the row of "y" is done. Then do the row of "a" with a pencil: its scores are 2, −2.5 and
# −0.5. When you have its first weight, press "a" and "Let it run".**

# %% tags=["live", "remove-input"]
import drawing_by_hand

touch(
    "by_hand",
    "<p>The drawing below has all rows: their first weights are 0.31 for m, 0.91 for a and 0.88 for y.</p>",
    letters=[*drawing_by_hand.TEXT],
    **{
        name: matrix.astype(int).tolist()
        for name, matrix in drawing_by_hand.GIVEN.items()
    },
    row=2,
    step=0,
    done=[],
)

# %% [markdown]
# **So "y" looks mostly at "m", but no letter is left out altogether.** When all three have looked, their weights fill a
# square, the **map**: a row for each letter that looks, a column for each that is looked at. Each row adds up to one,
# but for rounding.
#
# **Ask, compare, share out, fetch: that is the whole of attention.** Here are all the numbers of "may" in one drawing,
# with the row of "y" framed. Later lessons draw it again, smaller and without numbers, and light up what they change:

# %% tags=["live", "remove-input"]
drawing_by_hand.drawn()

# %% [markdown]
# In NumPy it takes two short functions. Keep them: each of the next lessons adds a few lines, and [at the
# end](recap.py#put-together-by-hand) they are a machine that reads dates.

# %%
import numpy as np


def softmax(scores):
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


def attention(q, k, v):
    scores = q @ k.T / np.sqrt(k.shape[-1])  # a row for each query
    return softmax(scores) @ v


x = np.array([[1, 0], [0, 1], [1, 1]])  # m, a, y
W_Q = np.array([[1, 0, 0, 1], [1, 0, 1, -1]])
W_K = np.array([[2, 0, 2, 0], [-2, 1, 0, 3]])
W_V = np.array([[10, 0], [0, 10]])

q, k, v = x @ W_Q, x @ W_K, x @ W_V
weights = softmax(q @ k.T / 2)  # √4 is 2
output = attention(q, k, v)
print("weights of y", weights[2].round(4))
print("output of y ", output[2].round(3))

# %% tags=["live", "remove-input"]

# The numbers in the text and in the drawing are those that the cell above computed.
np.testing.assert_allclose(q[2], [2, 0, 1, 0])
np.testing.assert_allclose(k, [[2, 0, 2, 0], [-2, 1, 0, 3], [0, 1, 2, 3]])
np.testing.assert_allclose((q @ k.T / 2)[2], [3, -2, 1])
np.testing.assert_allclose(
    [np.exp(3), np.exp([3, -2, 1]).sum()], [20.086, 22.939], atol=5e-4
)
np.testing.assert_allclose(v, [[10, 0], [0, 10], [10, 10]])
np.testing.assert_allclose(weights[2], [0.8756, 0.0059, 0.1185], atol=5e-5)
np.testing.assert_allclose(output[2], [9.941, 1.244], atol=5e-4)
np.testing.assert_allclose((q @ k.T / 2)[1], [2, -2.5, -0.5])
found = drawing_by_hand.calculation()
for name, computed in {
    "q": q,
    "k": k,
    "weights": weights,
    "output": output,
}.items():
    np.testing.assert_allclose(found[name], computed, atol=1e-5)

# %% [markdown]
# ## The same in the trained machine
#
# So far the matrices were made up. In our machine the training found them, because they help to write the right letter.
# The machine looks in four ways at once, its *heads*. This is head 1, and its keys have 16 numbers ([lesson
# 6](split_heads.py) says why). The asking vector is made of what was written so far.
#
# **Press a letter of the answer, and see whose keys fit its query best.**

# %% tags=["live", "hide-input"]
import trained
from clear_attention import date_tokenizers, greedy_search
from date_machine import machine
from live import grid

model, _ = trained.load("dates")
source, target = date_tokenizers()
text, answer = "thursday 3rd of may 2018", "2018-05-03"
ids, given = source.encode([text]), target.encode([answer])[:, :-1]
maps = model(ids, given, return_weights=True).weights
looked = maps["decoder.0.cross"][0, 0, 6].numpy()  # head 1, for the 5
best = np.argsort(-looked)[:3]
assert best[0] == text.index("may") + 2  # its y

# The same from queries and keys: the letters of the answer look at each other, and then at the text.
decoder = model.decoder.layers[0]
letters = model.target_positions(model.embed_target(given) * 8.0)
letters = decoder.self_attention(letters, blocked_mask=model.target_mask(given))
cross = decoder.cross_attention.attention
asks = cross.project_queries(letters)[0, 6, :16]
offers = cross.project_keys(model.encode(ids).output)[0, :, :16]
fit = offers.numpy() @ asks.numpy() / 4
np.testing.assert_allclose(softmax(fit), looked, atol=1e-5)

# And as the page begins.
averages, _ = trained.load("dates-no-attention")
alike = source.encode(["05.03.2018", "03.05.2018"], length=34)
written = target.decode(
    greedy_search(averages, alike, max_length=11, jit_compile=False)
)
assert written == ["2008-05-13"] * 2
machine(
    "dates",
    piece="fits",
    head=0,
    at=6,
    without=grid(
        "Head 1, for the 5",
        np.transpose([fit[best], looked[best]]),
        [text[j].replace(" ", "␣") for j in best],
        ["score", "weight"],
    ),
)

# %% [markdown]
# **For the 5 of 2018-05-03, the key of the "y" in "may" fits best.** Here the answer asks, and the text offers the keys
# and the values. This is called **cross-attention**. When the letters of one text look at each other, as in "may", it
# is **self-attention**.
#
# ## The formula
#
# All letters can ask at once. Let the queries, keys and values be the rows of $Q$, $K$ and $V$, and let a key have
# $d_k$ numbers. Then everything above is one line:
#
# $$
# \operatorname{Attention}(Q, K, V) = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V
# $$
#
# Read it from the inside: compare, divide, share out, fetch. A chat program computes this line many times for each
# piece of a word that it writes.
#
# <details class="lesson-more" markdown="1"><summary>Every symbol, and its shape</summary>
#
# The softmax does to each row of scores $s_1, \dots, s_n$ what you did by hand:
#
# $$
# \operatorname{softmax}(s)_j = \frac{e^{s_j}}{e^{s_1} + e^{s_2} + \dots + e^{s_n}}
# $$
#
# | symbol | what it is | shape |
# | --- | --- | --- |
# | $Q$ | the queries, one in each row | `(query_length, d_k)` |
# | $K$ | the keys | `(key_length, d_k)` |
# | $V$ | the values, one for each key | `(key_length, d_v)` |
# | $d_k$, $d_v$ | how many numbers a key has, and a value: 4 and 2 above (a query has $d_k$, too) | numbers |
# | $Q K^\top / \sqrt{d_k}$ | the scores | `(query_length, key_length)` |
# | $\operatorname{softmax}(\dots)$ | the weights | `(query_length, key_length)` |
#
# </details>
#
# ## Why divide by √d? { #why-divide-by-the-root-of-d_k }
#
# One part of the formula is still unexplained: the root. In 2014 Bahdanau, Cho and Bengio computed each score with a
# small trained network. In 2015 Luong, Pham and Manning tried the dot product, which is cheaper. But it has a weakness.
#
# If one score is 10 above another, it gets $e^{10}$ times the weight, about 22,000 times. Move this score a little, and
# its weight stays near 1: the slope of the weight, drawn against the score, is nearly 0. But the training asks of each
# number: if I move you a little, does the answer improve? Where nothing changes, the machine learns hardly anything.
# The softmax is then called *saturated*.
#
# With long keys a softmax saturates by itself, as Vaswani and others suspected in 2017. A dot product is a sum, and
# long sums grow large. How large? Each term is a number of the query times a number of the key. Before the training
# these are random, and the simplest random number is a coin. So let each term be +1 or −1.
#
# **Toss 64 coins 1,000 times. Then take more coins: how wide does the hill of their sums become? At last, tick
# "divide".**

# %% tags=["live", "hide-input"]
from math import comb

roots = [4, 8, 16]
lie_within = [
    sum(comb(n**2, k) for k in range(n**2 + 1) if abs(2 * k - n**2) <= n) / 2**n**2
    for n in range(4, 17)
]
assert min(lie_within) > 0.7  # most of them
coins = np.random.default_rng(0).choice([-1.0, 1.0], (10000, 64))
assert abs(np.mean(coins.sum(axis=1) ** 2) ** 0.5 - 8) < 0.2
assert round(np.exp(10), -3) == 22000
assert np.ptp([1 / (1 + np.exp(-x)) for x in (10, 10.1)]) < 1e-5  # of a nudge
touch(
    "coins",
    tabled(
        ("coins", "their root", "sums within ± the root"),
        [(f"{n * n}", n, f"{100 * lie_within[n - 4]:.0f} %") for n in roots],
    ),
    root=8,
    tossed=1,
    seed=2,
    divided=False,
)

# %% [markdown]
# **Most sums are no farther from 0 than the root of the number of coins.** Why the root? Square the sum of two coins:
# $(a + b)^2 = 1 + 1 + 2ab$. Now $2ab$ is −2 as often as 2, so on average the square is 2. With 64 coins all such
# products cancel in the same way. What is left is 64 times 1, so the sum is typically √64 = 8 away from 0.
#
# That is why Vaswani and others divided by $\sqrt{d_k}$. **Divided by the root, the scores keep their size, however
# long the keys are.**
#
# <details class="lesson-more" markdown="1"><summary>For the curious: our machine with a wrong divisor</summary>
#
# Can a finished machine do without the root? In all looks of our trained machine we leave the division out, or divide
# by 16 in place of √16 = 4. Then we give it 500 unseen dates.

# %% tags=["hide-input"]
from clear_attention import create_date_pairs
from date_machine import percent

texts, dates = create_date_pairs(500, seed=1, split="test")
unseen = source.encode(texts, length=34)
divisors = {"not divided": 1, "divided by √16 = 4": 4, "divided by 16": 16}
given = target.encode(dates)[:, :-1]
read, wrote, largest = {}, {}, {}
for name, divisor in divisors.items():
    changed, _ = trained.load("dates")
    encoder, decoder = changed.encoder.layers[0], changed.decoder.layers[0]
    looks = encoder.self_attention, decoder.self_attention, decoder.cross_attention
    for queries in (look.attention.project_queries for look in looks):
        # the layer still divides by 4, so its queries make up for the rest
        queries.set_weights([4 / divisor * x for x in queries.get_weights()])
    maps = changed((unseen, given), return_weights=True).weights
    largest[divisor] = maps["decoder.0.cross"].numpy().max(axis=-1).mean()
    written = target.decode(greedy_search(changed, unseen, max_length=11))
    read[name] = np.mean([a == b for a, b in zip(written, dates, strict=True)])
    wrote[name] = written[0]
undivided, rooted, blurred = read.values()
assert rooted > 0.98 > 2 / 3 > undivided > 0.3 > 0.02 > blurred
assert abs(largest[4] - 0.64) < 0.01
assert abs(largest[16] - 0.19) < 0.01

# %% tags=["live", "remove-input"]
from IPython.display import Markdown, display

display(
    Markdown(
        f"Not divided, it still reads {percent(undivided)} of the dates: the first look prefers the same letters as"
        " before, only more sharply. But the sharper mixtures are other vectors than those that the next looks were"
        f" trained with. Divided by 16, it reads {percent(blurred)}: where the answer looks at the text,"
        f" the largest weight falls from {largest[4]:.2f} to {largest[16]:.2f} in the mean, and the mixtures are"
        f" blurred. As it was trained, it reads {percent(rooted)}."
    )
)

# %% tags=["hide-input"] alt="Three bars for the unseen dates that the trained machine reads right. Divided by 4, the root of 16, as in its training: nearly all. Not divided: less than two in three. Divided by 16: none, or hardly any."
import matplotlib.pyplot as plt

print(texts[0])
for name, letters in wrote.items():
    print(f"  {name:18} {letters}")

_, ax = plt.subplots(figsize=(4.8, 1.5), layout="constrained")
bars = ax.barh([*read], [*read.values()], color=["#d55e00", "#0072b2", "#d55e00"])
ax.bar_label(bars, [percent(share) for share in read.values()], padding=3)
ax.set(xlim=(0, 1.15), xticks=[], xlabel="of 500 unseen dates right")
ax.invert_yaxis()
ax.spines[["top", "right", "bottom"]].set_visible(False)
plt.show()

# %% [markdown]
# </details>
#
# ## Exercises
#
# ### Exercise 1
#
# Four keys are equal, and their values are 0, 4, 8 and 12. What are the weights, and what is the output?

# %% tags=["answer"]
asks = np.array([[5.0, -3.0]])
equal = np.array([[1.0, 2.0]] * 4)
output = attention(asks, equal, np.array([[0.0], [4.0], [8.0], [12.0]]))
print("weights", softmax(asks @ equal.T / np.sqrt(2)))
print("output ", output)
np.testing.assert_allclose(output, [[6.0]])

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# Equal keys have equal scores, whatever the query asks. So all weights are 1/4, and the output is the plain mean of the
# values, 6. That is what the averaging machine of the last lesson does.
#
# </details>
#
# ### Exercise 2
#
# Shuffle the keys of the example above, and their values in the same way. Does the output of "y" change? What does this
# tell you about "may" and "yam"?

# %% tags=["answer"]
order = [2, 1, 0]  # y, a, m
shuffled = attention(q[2:], k[order], v[order])
print("output of y:", shuffled.round(3))
np.testing.assert_allclose(shuffled[0], [9.941, 1.244], atol=5e-4)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# The output does not change. Each key keeps its score and its value, and a sum does not mind the order. So to attention
# "may" and "yam" are the same bag of letters, until [positions](positions.py) are added.
#
# </details>
#
# <details class="lesson-more" markdown="1" id="the-function-read"><summary>Numbers to test your own attention against</summary>
#
# [`scaled_dot_product_attention`][clear_attention.scaled_dot_product_attention] is the same formula in TensorFlow. It
# computes 16-bit numbers in 32 bits. What else it does, and every argument, is in the
# [reference](../reference/attention.md).
#
# The first line is the package's output of y. Each row under it shows the first three and the last three numbers of one
# output: of the first letter of text 0, of the first of text 1, and of the last of text 1. Queries, keys and values of
# 64 texts of 5 letters are drawn from seed 42, and $d_k = d_v = 64$.

# %%
from clear_attention import DotProductAttention, scaled_dot_product_attention

result = scaled_dot_product_attention(
    q.astype(float), k.astype(float), v.astype(float)
)
print("output of y", result.output[2].numpy().round(3))
np.testing.assert_allclose(result.weights, weights, atol=1e-12)
np.testing.assert_allclose(result.output, attention(q, k, v), atol=1e-12)

rng = np.random.RandomState(42)
queries, keys, values = rng.random_sample((3, 64, 5, 64)).astype("float32")
output = DotProductAttention()(queries, keys, values, 64)  # d_k is 64
rows = np.array(output)[[0, 1, 1], [0, 0, 4]]
with np.printoptions(precision=6, floatmode="fixed"):
    print(rows[:, [0, 1, 2, 61, 62, 63]])
np.testing.assert_allclose(rows[0, :3], [0.42829984, 0.5291363, 0.48467717], 2e-6)
np.testing.assert_allclose(rows[2, 61:], [0.70503277, 0.35547623, 0.56170976], 2e-6)

# %% [markdown]
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("attention")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? A query of length 2 becomes one of length 6, in the same direction. What becomes of its weights?
# - They are three times as large. | Then they would add up to 3. The scores are three times as large.
# + The largest one grows, and the smallest one shrinks. | All differences between scores are three times as large.
# - They stay as they are. | It prefers the same key as before, but more sharply.
# ? Why does a letter have a key and a value, and not one vector for both?
# - because the key is for the encoder, the value for the decoder | Wherever attention is used, it uses both.
# + so that what finds a letter can differ from what it hands over | A key may say "I belong to a month", and the value which month it is.
# - because a vector can be used only once | It can be used as often as one likes.
# ? `d_k` grows from 64 to 256; all numbers are like coins, +1 or -1 at random. How do the dot products change, before they are divided?
# + They get about 2 times as large. | From about √64 = 8 to about √256 = 16.
# - They get about 4 times as large. | There are 4 times as many terms, but terms of either sign cancel in part.
# - They stay as large, since each term does. | Each term stays as large, but four times as many of them are added up.
# ```
#
# </details>
#
# ## Where to go next
#
# With three matrices a letter can ask, compare and fetch. But the softmax has a trap: it gives *every* letter some
# weight. What if there are letters that must not be looked at, not even a little?
#
# * [Masks](masks.py): what must not be looked at.
# * [The museum](../guides/museum.py): what goes wrong in other people's attention.
#
# Read on elsewhere: Bahdanau, Cho and Bengio (2014), [Neural Machine Translation by Jointly Learning to Align and
# Translate](https://arxiv.org/abs/1409.0473); Britz and others (2017), [Massive Exploration of Neural Machine
# Translation Architectures](https://arxiv.org/abs/1703.03906); Vaswani and others (2017), [Attention Is All You
# Need](https://arxiv.org/abs/1706.03762), section 3.2.1.

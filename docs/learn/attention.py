# ---
# title: Attention
# description: How a query decides where to look. From three letters and three small matrices to the last digit of the output, then the formula, why it divides by the root of d_k, the function, and a trained machine.
# ---

# %% [markdown]
# # How does attention decide where to look?
#
# A machine that may only take the plain average of a text [mixes up its digits](reading_dates.py#take-it-away), because
# it gives each letter the same weight. What it needs are weights that depend on what it is looking *for*: to write a
# month, look at "may", and to write a day, look somewhere else. Where do such weights come from?
#
# ## Ask, compare, fetch
#
# Think of a shelf of folders. You come with a question, and each folder has a label on its spine. You hold your
# question against every label. Where the two fit well, you take much of what is inside. From the others you take a
# little, and then you mix it all. In attention each of these is a vector:
#
# * the **query** is the question: what am I looking for?
# * the **key** is a label: what do I offer?
# * the **value** is what is inside: what do I hand over when I am chosen?
#
# Every letter has a key and a value, and whoever looks has a query. Here is our trained machine doing just that. It is
# the decoder that looks, once for each letter that it writes, so each letter of the answer has a query of its own.
# Press a letter of the answer. The brightest letter of the text is the one whose key fits that query best. How much of
# the weight it got, its row in the picture below shows. (The machine looks in four ways at the same time, which are
# called its *heads*. This is head 1.)

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from date_machine import machine, still

model, _ = trained.load("dates")
machine(
    "dates",
    piece="head",
    head=0,
    at=6,
    without=still(model, "thursday 3rd of may 2018", head=0),
)

# %% [markdown]
# What does it mean that a key fits a query? Here is a smaller case, which can be drawn. Each vector has two numbers, so
# it is an arrow. A key fits well, and gets a high *score*, when it points where the query points; a longer key that
# points there gets a higher one. The score is computed from the numbers of the two arrows: multiply the first numbers,
# multiply the second numbers, add up, and divide by √2. (Why, you will see below.) At the start the query is about (2,
# 2), and the key of "m" is (2, 0.5), so the score of "m" is about $(2 \cdot 2 + 2 \cdot 0.5) / \sqrt{2} = 5 / 1.41$,
# which is 3.5. The largest score gets the most weight.
#
# What is fetched is the *output*: a mixture of all values, most of it from the key that fits best. Turn the query, and
# watch the output move from value to value. (The thicker the line to a green dot, the more of this value is fetched.)
# Then make the query longer, and make it shorter: what changes?

# %% tags=["live", "hide-input"]
import numpy as np
from live import grid, touch

arrows = {"keys": [[2, 0.5], [-1, 1.5], [0.5, -1.5]], "angle": 45, "length": 2.8}
turn = np.deg2rad(arrows["angle"])
asks = arrows["length"] * np.array([np.cos(turn), np.sin(turn)])
fits = np.array(arrows["keys"]) @ asks / np.sqrt(2)
shares = np.exp(fits) / np.exp(fits).sum()
assert np.allclose(asks, 2, atol=0.021)
assert np.allclose(fits[0], 3.5)
touch(
    "arrows",
    grid(
        "The query (1.98, 1.98), which points up and to the right, and three keys",
        np.transpose([fits, shares]),
        [
            f"{x} ({a:g}, {b:g})"
            for x, (a, b) in zip("may", arrows["keys"], strict=True)
        ],
        ["score", "weight"],
    ),
    names=["m", "a", "y"],
    values=[[10, 0], [0, 10], [10, 10]],
    **arrows,
)

# %% [markdown]
# A longer query does not look elsewhere. It chooses more sharply, and a query of length 0 does not choose at all: its
# output is the plain average. So a machine can learn where to look, and how firmly.
#
# ## By hand, to the last digit
#
# Where do queries, keys and values come from? Each is the letter's vector times a matrix. There are three matrices, one
# for each role, so that what a letter looks for, what it offers and what it hands over can be three different things.
# (The first lesson said that the letters' vectors are mixed. To be exact, their values are.) The training finds the
# matrices. Here we choose small ones for m, a and y, so that you can follow with a pencil. (These are not the arrows
# from above.)
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
# The matrices decide how many numbers a query, a key and a value have. Queries and keys must have equally many, because
# they are compared: we take four. Our values have two.
#
# In the machine at the top, the answer looked at the text. The letters of a text may also look at each other, and at
# themselves, which is called **self-attention**. It needs only one text, so let us take it: "y" looks at all three
# letters. **Its query** is $x W_Q$. Its vector $x$ is $(1, 1)$, so the two rows of $W_Q$ are added:
#
# $$
# q_y = (1, 0, 0, 1) + (1, 0, 1, -1) = (2, 0, 1, 0)
# $$
#
# **The keys** are made in the same way with $W_K$, and **the values** with $W_V$. For "m" that is the first row of the
# matrix, for "a" the second, for "y" the sum of both:
#
# | letter | key | value |
# | --- | --- | --- |
# | m | $(2, 0, 2, 0)$ | $(10, 0)$ |
# | a | $(-2, 1, 0, 3)$ | $(0, 10)$ |
# | y | $(0, 1, 2, 3)$ | $(10, 10)$ |
#
# **How well does each key fit the query?** Multiply the two vectors number by number, and add up: the *dot product*. It
# is large where both vectors have large numbers of the same sign at the same places. Then divide the product by [the
# root](#why-divide-by-the-root-of-d_k) of how many numbers they have, which is √4 = 2. The results are called
# **scores**.
#
# * m: $(2\cdot 2 + 0\cdot 0 + 1\cdot 2 + 0\cdot 0) / 2 = 3$
# * a: $(2\cdot (-2) + 0\cdot 1 + 1\cdot 0 + 0\cdot 3) / 2 = -2$
# * y: $(2\cdot 0 + 0\cdot 1 + 1\cdot 2 + 0\cdot 3) / 2 = 1$
#
# **From scores to weights.** Scores may be negative. We want shares, positive ones that add up to one. So raise $e$ to
# the power of each score, which makes all of them positive and keeps their order, and divide by the sum. This step is
# called the **softmax**.
#
# | letter | score | e to this power | divided by the sum |
# | --- | --- | --- | --- |
# | m | 3 | 20.0855 | 0.8756 |
# | a | -2 | 0.1353 | 0.0059 |
# | y | 1 | 2.7183 | 0.1185 |
# | | | sum: 22.9391 | sum: 1 |
#
# **The output** is the average of the values with these weights:
#
# $$
# 0.8756 \cdot (10, 0) + 0.0059 \cdot (0, 10) + 0.1185 \cdot (10, 10) = (9.941, 1.244)
# $$
#
# **That is the whole of attention.** Here it is for all three letters at once. A row belongs to a letter, and the
# marked ones to "y", which you have computed. Behind each name stands its *shape*: (3, 2) are three rows and two
# columns.
#
# --8<-- "diagrams/attention_by_hand.svg"
#
# And here it is in NumPy. Keep the two functions! Each of the next lessons adds a few lines to them, and [at the
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
weights, output = softmax(q @ k.T / 2), attention(q, k, v)  # √4 is 2
print("weights of y", weights[2].round(4))
print("output of y ", output[2].round(3))

# %% tags=["live", "remove-input"]
import re
from pathlib import Path

# The numbers in the text and in the diagram are those that the cell above computed.
np.testing.assert_allclose(weights[2], [0.8756, 0.0059, 0.1185], atol=5e-5)
np.testing.assert_allclose(output[2], [9.941, 1.244], atol=5e-4)
drawn = Path("../diagrams/attention_by_hand.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number"[^>]*>([^<]+)<', drawn.replace("−", "-"))
steps = np.concatenate(
    [s.ravel() for s in (x, q, k, v, q @ k.T / 2, weights, output)]
)
np.testing.assert_allclose(np.array(drawn, float), steps, atol=5.01e-3)

# %% tags=["hide-input"] alt="Heat map of the weights of m, a and y, a row for each letter that looks. m looks at all three, a little more at y; a looks almost only at m; y looks mostly at m."
import matplotlib.pyplot as plt
from clear_attention import plot_weights

figure, ax = plt.subplots(figsize=(3.4, 3), layout="constrained")
plot_weights(weights, tokens=["m", "a", "y"], ax=ax)
plt.show()

# %% [markdown]
# In such a picture a row is a letter that looks, and a column a letter that is looked at. We call it a **map**. Each
# row adds up to one (but for rounding).
#
# ## The formula
#
# Write the queries as the rows of a matrix $Q$, the keys as those of $K$, the values as those of $V$, and let $d_k$ be
# how many numbers a key has. Then $Q K^\top$ holds the dot product of every query with every key, and all of the above
# is one line:
#
# $$
# \operatorname{Attention}(Q, K, V) = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V
# $$
#
# <details class="lesson-more" markdown="1"><summary>Every symbol, its shape, and the softmax as a formula</summary>
#
# | symbol | what it is | shape |
# | --- | --- | --- |
# | $Q$ | the queries, one in each row | `(query_length, d_k)` |
# | $K$ | the keys | `(key_length, d_k)` |
# | $V$ | the values, one for each key | `(key_length, d_v)` |
# | $d_k$, $d_v$ | how many numbers a key has, and a value: 4 and 2 above | numbers |
# | $Q K^\top / \sqrt{d_k}$ | the scores | `(query_length, key_length)` |
# | $\operatorname{softmax}(\dots)$ | the weights: each row is positive and adds up to one | `(query_length, key_length)` |
#
# The softmax of $n$ scores $s_1, \dots, s_n$:
#
# $$
# \operatorname{softmax}(s)_j = \frac{e^{s_j}}{e^{s_1} + e^{s_2} + \dots + e^{s_n}}
# $$
#
# A key whose score is larger by 1 than another's gets $e$ times its weight, which is about 2.7 times.
#
# </details>
#
# Each query gets a row of the output. Nothing in the formula asks that there are as many queries as keys, and **queries
# may come from another text than keys and values.** In self-attention all three come from one text: so the encoder
# reads a date. When the decoder writes, the query comes from the answer, and keys and values come from the text. This
# is *cross-attention*, and it is what you saw at the top. The formula stays the same.
#
# Here is the machine from the top again, now with the numbers behind its weights. Its keys have 16 numbers each, so the
# products are divided by 4. Press a letter of the answer. The table shows the three keys that fit its query best. (␣ is
# a space.) Take two of them: by how much do their scores differ, and how many times as large is the one weight as the
# other?

# %% tags=["live", "hide-input"]
from clear_attention import date_tokenizers

source, target = date_tokenizers()
text, answer = "thursday 3rd of may 2018", "2018-05-03"
ids, given = source.encode([text]), target.encode([answer])[:, :-1]
maps = model(ids, given, return_weights=True).weights
looked = maps["decoder.0.cross"][0, 0, 6].numpy()  # head 1, for the 5
best = np.argsort(-looked)[:3]
seen = [text[j].replace(" ", "␣") for j in best]
machine(
    "dates",
    piece="fits",
    head=0,
    at=6,
    without=grid("Head 1, for the 5", looked[best][:, None], seen, ["weight"]),
)

# %% [markdown]
# If the scores differ by 1, the one weight is $e$ times the other, 2.7 times. If they differ by 2, it is $e^2$ times,
# 7.4 times, and so on. The 8 of the year is written with a sharp look at one key, and the first dash with a blurred
# one.
#
# ## Why divide by the root of d_k?
#
# A dot product is a sum of $d_k$ terms. The more numbers a key has, the larger the sums become, and the softmax
# exaggerates large differences. Say there are two keys, and the score of one is larger by 10 than that of the other.
# Then its weight is $e^{10}$ times as large, which is about 22,000 times: it gets 0.99995 of the weight. If the
# training raises this score by 0.2, then 0.99995 becomes 0.99996. Between two *equal* scores, the same 0.2 turns 0.50
# into 0.55. Now the machine learns from how much the output changes when a number is nudged. Where one key has nearly
# all of the weight, hardly anything changes, so it learns next to nothing. (One says that the softmax is *saturated*.)
# That is why the dot products are divided. But by what?
#
# Here are one query and four keys of random numbers. Change $d_k$, and look for one rule that suits *every* $d_k$: in
# which column do the weights always differ clearly, while none takes nearly everything?

# %% tags=["live", "hide-input"]
from live import grid, lab

depths = [4, 16, 64, 256, 1024]
words = ["key 1", "key 2", "key 3", "key 4"]
query, *keys = np.random.default_rng(1).normal(size=(5, depths[-1]))
by_depth = [[float((key[:d] @ query[:d]).round(3)) for key in keys] for d in depths]


def shares(scores):
    return np.exp(scores) / np.exp(scores).sum()


lab(
    [
        {
            "state": {
                "tokens": words,
                "depths": depths,
                "scores": by_depth,
                "chosen": 3,
            }
        }
    ],
    grid(
        "Weights at d_k = 256: divided by nothing, by its root, by d_k",
        np.transpose([shares(np.array(by_depth[3]) / n) for n in (1, 16, 256)]),
        words,
        ["nothing", "√256", "256"],
    ),
    piece="scale",
)

# %% [markdown]
# Divided by nothing, one of the keys takes nearly everything when keys are long. Divided by $d_k$, all weights become
# alike, and the query might as well not ask. The root keeps the balance.
#
# Why the root, of all things? Throw 64 coins, and count +1 for one side and -1 for the other. Most throws cancel each
# other: typically the sum is about 8 away from 0, and 8 is √64. A dot product of random numbers is such a sum. If the
# numbers are about 1 in size and as often negative as positive, its terms are like coins. With $d_k$ terms it is about
# $\sqrt{d_k}$ in size. Divided by $\sqrt{d_k}$ it is about 1, whatever $d_k$ is. That is why this attention is called
# *scaled* dot-product attention.
#
# <details class="lesson-more" markdown="1"><summary>Why coins cancel</summary>
#
# Take numbers that are 0 on average, and whose squares are 1 on average. A product of two such numbers is of the same
# kind. Now square a sum of $d_k$ such products. Besides the $d_k$ squares, each 1 on average, you get products of
# *different* terms. These are as often negative as positive, and cancel. What is left is $d_k$ on average, so the sum
# itself is about $\sqrt{d_k}$ in size. This holds for numbers that know nothing of each other, such as those with which
# a training begins.
#
# </details>

# %% tags=["live", "remove-input"]
# What the text says of e, of two keys, of coins, and of the three columns, for 500 queries and 16 keys each.
assert round(np.exp(10), -3) == 22000
nudged = 1 / (1 + np.exp([-10, -10.2, 0, -0.2]))
assert [f"{w:.5f}" for w in nudged[:2]] == ["0.99995", "0.99996"]
assert [f"{w:.2f}" for w in nudged[2:]] == ["0.50", "0.55"]
coins = np.random.default_rng(0).choice([-1.0, 1.0], (10000, 64))
assert abs(np.mean(coins.sum(axis=1) ** 2) ** 0.5 - 8) < 0.2
one, *others = np.random.default_rng(0).normal(size=(17, 500, depths[-1]))
largest = []
for d in depths:
    products = np.einsum("qd,kqd->qk", one[:, :d], np.array(others)[..., :d])
    largest.append(
        [softmax(products / n).max(axis=1).mean() for n in (1, d**0.5, d)]
    )
assert np.ptp(np.array(largest)[:, 1]) < 0.05
assert largest[-1][0] > 0.9 > 0.1 > largest[-1][2]

# %% [markdown]
# ## Reading the function { #the-function-read }
#
# [`scaled_dot_product_attention`][clear_attention.scaled_dot_product_attention] is the same formula in TensorFlow. It
# gives a pair, the output and the weights, and for our three letters the numbers from above:

# %%
from clear_attention import scaled_dot_product_attention

result = scaled_dot_product_attention(
    q.astype(float), k.astype(float), v.astype(float)
)
print("the function's output of y:", result.output[2].numpy().round(3))

# %% [markdown]
# The trained machine computes its weights in the same way. When its encoder reads "thursday 3rd of may 2018", 24
# letters look at 24 letters, in four heads, and each of these 2,304 weights is what the formula gives for the trained
# vectors and matrices.
#
# <details class="lesson-more" markdown="1"><summary>The whole function, and numbers to test your own against</summary>

# %% tags=["source", "remove-input"]
import inspect
import re

np.testing.assert_allclose(result.weights, weights, atol=1e-12)
np.testing.assert_allclose(result.output, output, atol=1e-12)
docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)
print(docstring.sub("", inspect.getsource(scaled_dot_product_attention)))

# %% [markdown]
# Your two functions are the lines from `scores` to `output`. The queries are divided *before* the product: the result
# is the same, but the product stays smaller on its way, and large numbers overflow less easily. `blocked` is the mask
# of the [next lesson](masks.py). `dropout` sets some weights to 0 at random while a machine is trained, so that it does
# not rely on single ones. `bias`, `softcap` and `sink` are [rules for the scores](score_rules.py), and `grouped` is for
# [fewer keys](fewer_keys.py). They all come later, and do nothing unless asked for.
#
# The lines before refuse bad inputs with an error message, make 32-bit numbers of 16-bit ones, since sums of 16-bit
# numbers lose digits, and take infinity and NaN out (`safe_q` and so on). NaN, "not a number", is what a computer gives
# for 0 divided by 0. The lines after put a NaN back into the output of each query that saw one, so that a bad number is
# not hidden from you, and the numbers return to the type in which they came.
#
# Here are 64 texts of 5 letters, drawn at random from a fixed seed, with the sizes of the first Transformer, $d_k = d_v
# = 64$. Printed are the first three and the last three numbers of each output, for the first two texts.
# `DotProductAttention` is the function as a layer of Keras, which takes $d_k$ as a last input.

# %%
from clear_attention import DotProductAttention

rng = np.random.RandomState(42)
queries, keys, values = rng.random_sample((3, 64, 5, 64)).astype("float32")
output = DotProductAttention()(queries, keys, values, 64)
columns = np.take(output, [0, 1, 2, 61, 62, 63], axis=-1)
with np.printoptions(precision=6, floatmode="fixed"):
    print(columns[0])
    print(columns[1])
np.testing.assert_allclose(
    output[0, 0, :3], [0.42829984, 0.5291363, 0.48467717], 2e-6
)
np.testing.assert_allclose(
    output[1, 4, 61:], [0.70503277, 0.35547623, 0.56170976], 2e-6
)

# %% [markdown]
# </details>
#
# <details class="lesson-more" markdown="1"><summary>For the doubtful: the trained weights, recomputed</summary>
#
# Take the trained machine's vectors for this text and its trained matrices, and compute the weights of its encoder with
# the formula. Three things in this cell belong to later lessons: four [heads](multi_head.py) have 16 of the 64 numbers
# each; the letters' vectors are multiplied by 8 and get their [positions](positions.py) added; and a *bias*, one more
# trained vector, is added to each query, key and value.

# %% tags=["hide-input"]
vectors = model.source_positions(model.embed_source(ids) * 8.0)  # √64 = 8
vectors = vectors[0].numpy()

matrices = model.encoder.layers[0].self_attention.attention
all_queries = (
    vectors @ matrices.project_queries.kernel + matrices.project_queries.bias
)
all_keys = vectors @ matrices.project_keys.kernel + matrices.project_keys.bias
for head in range(4):
    own = slice(16 * head, 16 * head + 16)
    by_formula = softmax(all_queries[:, own] @ np.transpose(all_keys[:, own]) / 4)
    np.testing.assert_allclose(by_formula, maps["encoder.0"][0, head], atol=1e-5)
assert maps["encoder.0"].shape == (1, 4, 24, 24)
assert 4 * 24 * 24 == 2304
print("the same weights in all four heads:", maps["encoder.0"].shape)

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# In 2014 Bahdanau, Cho and Bengio computed the score of a query $q$ and a key $k$ with a small network, $v \cdot
# \tanh(W q + U k)$. The matrices $W$ and $U$ and the vector $v$ were trained together with all the rest. In 2015 Luong,
# Pham and Manning compared several ways to score, the bare dot product among them. In 2017 Vaswani and others divided
# the dot product by $\sqrt{d_k}$, because they suspected that with large products the slope of the softmax becomes very
# small, and built a whole machine of this attention. The words key and value come from networks that look things up in
# a memory (Graves and others, 2014; Miller and others, 2016).
#
# ## Exercises
#
# ### Exercise 1
#
# What are the weights when all keys are equal? What is the output then? Predict it, then look.

# %% tags=["answer"]
asks = np.array([[5.0, -3.0]])
equal = np.array([[1.0, 2.0]] * 4)
output = attention(asks, equal, np.array([[0.0], [4.0], [8.0], [12.0]]))
print("weights", softmax(asks @ equal.T / np.sqrt(2)), "output", output)
np.testing.assert_allclose(output, [[6.0]])

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# Equal keys have equal scores, whatever the query asks, so all weights are 1/4 and the output is the plain mean of the
# values, 6. This is what the averaging machine of the lesson before does.
#
# </details>
#
# ### Exercise 2
#
# Shuffle the letters of the example above, so that keys and values come in another order. Does the output of "y"
# change? What does this tell you about "may" and "yam"?

# %% tags=["answer"]
order = [2, 1, 0]  # y, a, m
shuffled = attention(q[2:], k[order], v[order])
print("output of y:", shuffled.round(3))
np.testing.assert_allclose(shuffled[0], [9.941, 1.244], atol=5e-4)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# It does not change. Each key keeps its score and its value, and a sum does not mind the order. So attention sees a bag
# of letters: for it, "may" and "yam" are the same. The [lesson on positions](positions.py) mends that.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("attention")

# %% [markdown]
# ```self-check
# ? A query of length 2 becomes one of length 6, in the same direction. What becomes of its weights?
# - They are three times as large. | Then they would add up to 3. It is the scores that are three times as large.
# + The largest one grows, and the smallest one shrinks. | All differences between scores are three times as large, and the softmax makes larger factors of them.
# - They stay as they are, since it looks at the same keys. | It prefers the same key as before, but more sharply.
# ? Why does a letter have a key and a value, and not one vector for both?
# - because the key is for the encoder, the value for the decoder | Wherever attention is used, it uses both.
# + so that what finds a letter can differ from what it hands over | The key says "I belong to a month", and the value may say which month it is.
# - because the key must be multiplied by the query, and a vector can be used only once | A vector can be used as often as one likes.
# ? `d_k` grows from 64 to 256; all numbers are random, 0 on average, and their squares 1 on average. How do the dot products change, before they are divided?
# + They get about 2 times as large. | Their squares are about 4 times as large, so they themselves are about √4 = 2 times as large. That is why we divide by the root of `d_k`.
# - They get about 4 times as large. | Their squares do. They themselves do not, because terms of either sign cancel in part.
# - They stay as large, since each term does. | Each term stays as large, but four times as many of them are added up.
# ```
#
# ## Where to go next
#
# You can now compute attention with a pencil, and it fits into two short functions. There is a trap in it, though: the
# softmax gives *every* letter some weight. What if there are letters that must not be looked at, not even a little?
#
# * [Masks](masks.py): what must not be looked at.
# * [Reference](../reference/attention.md): every argument, error and promise of the function and the layer.
# * [The museum](../guides/museum.py): what goes wrong in other people's attention.
#
# Read on elsewhere: Bahdanau, Cho and Bengio (2014), [Neural Machine Translation by Jointly Learning to Align and
# Translate](https://arxiv.org/abs/1409.0473); Luong, Pham and Manning (2015), [Effective Approaches to Attention-based
# Neural Machine Translation](https://arxiv.org/abs/1508.04025); Vaswani and others (2017), [Attention Is All You
# Need](https://arxiv.org/abs/1706.03762), section 3.2.1.

# ---
# title: Programs with attention
# description: Heads whose numbers are written and not learnt. Puzzles of who looks at whom, from the letter before to counting and sorting, each right on all 9,840 texts.
# ---

# %% [markdown]
# # What would you have to write into W_Q and W_K?
#
# In the [last lesson](induction.py) it took training to find a head that looks at the letter before, and this head gave
# only about half of its weight to it. Here are three heads that nobody has trained. Their numbers were written down,
# and all three are right on every one of the 9,840 texts of one to eight letters a, b and c.
#
# A row is a letter that looks, and its bright cells are what it looks at. (In C the *places* 1 to 6 look.) The number
# in a cell is the weight, and the sign `^` stands before the text. What is each head good for? Guess:

# %% tags=["hide-input"] alt="Three maps of weights for the text cabacb with the sign ^ before it. In map A each letter gives the weight 1 to the sign before it. In map B each letter gives 1/3 to ^ and 1/3 to each of the two letters like itself. In map C the first two rows give 1/2 to each a, the next two 1/2 to each b, and the last two 1/2 to each c."
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
from clear_attention import plot_weights, programs


def look(ax, weights, title, queries, keys):
    """Draw who looks at whom, with the weights as fractions."""
    weights = np.asarray(weights, float)[: len(queries), : len(keys)].round(6)
    plot_weights(weights, queries, keys, ax=ax, colour_bar=False)
    for cell, weight in zip(ax.texts, weights.ravel(), strict=True):
        cell.set_text(str(Fraction(weight).limit_denominator(9)) if weight else "")
    ax.set_title(title)


TEXT, LONG = "^cabacb", 9  # the longest texts have ^ and eight letters


def maps_of(program):
    """Return the weights of each head of a program at the text."""
    depth = program.heads[0].project_queries.kernel.shape[0]
    tokens, mask = programs.rows([TEXT], "^abc", LONG, depth)
    found = program(tokens, mask=mask, return_weights=True).weights
    return [weights.numpy()[0, 0] for weights in found]


below, for_place = maps_of(programs.sort())
(before_me,), (like_me,) = maps_of(programs.shift()), maps_of(programs.histogram())
_, axes = plt.subplots(1, 3, figsize=(10, 3.5), layout="constrained")
for ax, name, weights in zip(
    axes, "ABC", (before_me, like_me, for_place), strict=True
):
    look(ax, weights[1:], name, [*("123456" if name == "C" else TEXT[1:])], [*TEXT])
plt.show()
assert np.allclose(before_me[1:7, :6], np.eye(6))
assert np.allclose(like_me[1:7, 0], 1 / 3)
assert (for_place[1:7, 1:7] > 0.4).sum() == 12

# %% [markdown]
# Keep your guesses. You will build A first, B needs a trick, and C needs a second head.
#
# ## Yes and no
#
# Head A looks at the place before. When we built it by hand in the last lesson, we cheated a little: we gave it its
# scores. A real head makes its scores from its matrices. Which numbers must stand in these?
#
# Each letter becomes a *token*, which is a row of numbers. The token says which letter it is and at which place it
# stands, each by zeros with a single 1. (This is called *one-hot*.) In the text `cab` the b at place 2 is
#
# | stands for | a | b | c | at 0 | at 1 | at 2 |
# | --- | --- | --- | --- | --- | --- | --- |
# | number | 0 | 1 | 0 | 0 | 0 | 1 |
#
# Who looks at whom depends on the places alone. So we write a *table of wishes*, with a row for each place that looks
# and a column for each place that is looked at. A 1 says yes, and a 0 says no. (Before place 0 there is nobody, so
# place 0 looks at itself.) The table goes into $W_Q$, below three rows of zeros that ignore the letter. $W_K$ only cuts
# the place out of a token:
#
# --8<-- "diagrams/table_of_wishes.svg"
#
# A one-hot row times the table is one row of the table, and this is the query. The query times a one-hot key is one
# number of this row. So **a score is an entry of the table.** That is the whole idea, so let us try it. What will the
# weights of place 2 be?

# %%
import numpy as np

tokens = np.array([[0, 0, 1, 1, 0, 0], [1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1]])
nothing = np.zeros((3, 3))
W_Q = np.vstack([nothing, [[1, 0, 0], [1, 0, 0], [0, 1, 0]]])
W_K = np.vstack([nothing, np.eye(3)])

scores = (tokens @ W_Q) @ (tokens @ W_K).T
powers = np.exp(scores)
weights = powers / powers.sum(axis=-1, keepdims=True)
print("scores of place 2: ", scores[2])
print("weights of place 2:", weights[2].round(3))

# %% [markdown]
# The scores are as we wanted them. But place 2 gives only 0.576 to the a before it, and the rest to the others: a
# softmax turns a lead of 1 into a factor of $e = 2.718$ and no more, and $2.718 / (2.718 + 1 + 1) = 0.576$.
#
# So a yes must be worth more than 1. How much? Turn it up below. Then press the wishes until each letter fetches the
# one *after* it, and the last one itself. What does a place fetch that has two wishes, or none?

# %% tags=["live", "remove-input"]
import re
import sys
from pathlib import Path

sys.path.append("../_site")  # in a clone
from live import touch

# The drawing's numbers: the token of place 2 becomes a query, that of place 1 a key.
drawn = Path("../diagrams/table_of_wishes.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number"[^>]*>([^<]+)<', drawn)
looks, looked_at = tokens[[2, 1]]
query, key = looks @ W_Q, looked_at @ W_K
steps = (looks, W_Q.ravel(), query, looked_at, W_K.ravel(), key, [query @ key])
np.testing.assert_array_equal(np.array(drawn, float), np.concatenate(steps))
np.testing.assert_allclose(weights[2], [0.212, 0.576, 0.212], atol=5e-4)
assert np.exp(np.float32(-128)) == 0 < np.exp(np.float32(-20))
assert round(float(np.exp(-10)), 5) == 0.00005
touch(
    "wishes",
    "<p>With the wishes from above, and 1 for a yes, each place fetches a mixture. With 128, place 0 fetches the c, place"
    " 1 the c, and place 2 the a.</p>",
    text="cab",
    wishes=W_Q[3:].astype(int).tolist(),
    worth=0,
)

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>What came out</summary>
#
# From 10 on the picture shows 1.00, but this is rounded: at 10 each of the others still gets $e^{-10}$ times as much,
# about 0.00005. At 128 they get $e^{-128}$ times as much, which is smaller than any number that 32 bits can hold, and
# becomes 0.
#
# To fetch the letter after it, place 0 wishes for place 1, and the two others wish for place 2. Two wishes share the
# weight, so half of each letter comes back. Where there is no wish all scores are equal, and the place takes the
# average of all letters.
#
# </details>
#
# ## A real head
#
# Does this work in the layer that we have trained so often? Take an empty `MultiHeadAttention` and, in place of
# training, write its four matrices. Texts may have up to eight letters now, and `^` stands before them, so that the
# first letter has something to fetch. So a token has 4 numbers for the letter (`^`, a, b, c) and 9 for its place. $W_V$
# cuts out the letter, and $W_O$ hands it on as it is:

# %%
from clear_attention import MultiHeadAttention

table = np.eye(9, k=-1)  # each place wishes for the place before
table[0, 0] = 1  # and ^ for itself
W_Q = np.vstack([np.zeros((4, 9)), table])
W_K = np.vstack([np.zeros((4, 9)), np.eye(9)])
W_V = np.vstack([np.eye(4), np.zeros((9, 4))])
W_O = np.eye(4)

head = MultiHeadAttention(4, num_heads=1, d_k=9, d_v=4, use_bias=False)
head.build((None, None, 13))
# It divides its scores by the root of d_k = 9, so 3 is put in first.
head.set_weights([128 * 3 * W_Q, W_K, W_V, W_O])

cab = np.hstack([np.eye(4)[[0, 3, 1, 2]], np.eye(9)[:4]])  # ^cab
found = head(cab[np.newaxis].astype("float32"))[0].numpy().argmax(axis=-1)
print("^cab fetches", "".join("^abc"[i] for i in found))

# %% [markdown]
# It runs, and it has not seen a single example. Is it right for every text? There are only 9,840, so try them all.
# (`rows` writes them as tokens, with a mask that hides the places behind a shorter text.)

# %%
from itertools import product

from clear_attention.programs import rows

sizes = range(1, 9)
texts = ["^" + "".join(t) for n in sizes for t in product("abc", repeat=n)]
tokens, mask = rows(texts, "^abc", length=9)
fetched = head(tokens, mask=mask).numpy().argmax(axis=-1)
right = [
    "".join("^abc"[i] for i in line[: len(text)]) == "^" + text[:-1]
    for line, text in zip(fetched, texts, strict=True)
]
print(f"{sum(right):,} of {len(texts):,} texts are right")

# %% [markdown]
# All of them. And here we know more than a test can tell. The rows of $W_Q$ and $W_K$ that belong to letters are zeros,
# so the map is the same whatever the text says. This head can't be wrong.
#
# ## Select and aggregate
#
# Only two things in that cell needed thought: who looks at whom, and what is brought back. Two functions do the rest.
# [`select`][clear_attention.select] asks a function of yours about each pair, fills the table of wishes, and returns
# $W_Q$ and $W_K$. [`aggregate`][clear_attention.aggregate] supplies the 128, the root, $W_V$ and $W_O$, and returns the
# layer. So our head is one line, "look by your place at the place before, and bring its letter":

# %%
from clear_attention import aggregate, select
from clear_attention.programs import features

letter, place = features(4, 9)  # which numbers of a token mean what
before = select(place, place, lambda query, key: key == max(query - 1, 0))
written = aggregate(before, letter)

pairs = zip(head.get_weights(), written.get_weights(), strict=True)
print("the same numbers:", all(np.array_equal(a, b) for a, b in pairs))

# %% [markdown]
# The first `place` says by what a token looks, and the second by what it is looked at. Your function gets both as
# numbers. Letters are numbers, too: `^` is 0, a is 1, and so on. Now a puzzle: here are four lines, and below them
# their maps on the text `cabba`. There is no `^` this time, so a is 0, b is 1 and c is 2. Which line made which map?
#
# ```python
# 1  select(letter, letter, lambda query, key: key == query)
# 2  select(place, letter, lambda query, key: key == 1)
# 3  select(place, place, lambda query, key: key <= query)
# 4  select(letter, letter, lambda query, key: key > query)
# ```

# %% tags=["hide-input"] alt="Four maps of weights for the text cabba. In map P each letter looks at itself and at all letters before it. In map Q the c looks at all five letters, each a at the c and the two b's, and each b at the c. In map R each letter looks at the letters like itself. In map S all letters look at the two b's."
assert right == [True] * 9840
assert found.tolist() == [0, 0, 3, 1]
for a, b in zip(head.get_weights(), written.get_weights(), strict=True):
    np.testing.assert_array_equal(a, b)
kind, where = features(3, 5)
tokens, mask = rows(["cabba"], "abc", length=5)
lines = {
    "P": select(where, where, lambda query, key: key <= query),
    "Q": select(kind, kind, lambda query, key: key > query),
    "R": select(kind, kind, lambda query, key: key == query),
    "S": select(where, kind, lambda query, key: key == 1),
}
_, axes = plt.subplots(1, 4, figsize=(10, 2.9), layout="constrained")
for ax, (name, line) in zip(axes, lines.items(), strict=True):
    _, weights = aggregate(line, kind)(tokens, return_weights=True)
    look(ax, weights[0, 0], name, [*"cabba"], [*"cabba"])
    if name == "Q":
        assert np.allclose(weights[0, 0, 0], 1 / 5)
plt.show()

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>The solution</summary>
#
# Line 1 made R, line 2 made S, line 3 made P, and line 4 made Q. In Q the c finds nobody who is larger, so all its
# scores are equal, and it takes the average of everybody. (In P each letter looks at what a look-ahead mask would
# leave.)
#
# </details>
#
# ## What a head can't do: count
#
# Now map B. Each letter shall say how often it occurs in the text. Line 1 of the puzzle finds all letters like itself,
# its own place included. Let each of them hand over a 1. What comes back to an a in `abca`, and what to the b? Guess.
#
# To both a 1. What comes back is an *average*, and the average of two ones is 1, like that of a single one. Attention
# cannot add up.
#
# And yet map B counts. Find out how. In the next piece `^` hands over a 1 and the letters hand over 0, so what comes
# back is the weight that `^` gets. It is read like this: 1 means none, 1/2 means one, 1/3 means two, and so on. At the
# beginning each letter looks at letters like itself. What is missing? When the count is right, there is a second task,
# which we shall need for map C.

# %% tags=["live", "remove-input"]
touch(
    "looks",
    "<p>While each letter looks only at letters like itself, ^ gets 0. If each looks at ^, too, an a of abca gives ^ the"
    " weight 1/3, and the b gives it 1/2.</p>",
    text="abca",
    texts=["abca", "cabacb", "bbb"],
    task=0,
    wishes=np.eye(4)[1:].astype(int).tolist(),
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What is missing</summary>
#
# Each letter must look at the letters like itself *and at* `^`. If there are n such letters, n + 1 tokens share the
# weight, and `^` gets $1 / (n + 1)$ of it. In the second task each letter looks at the smaller ones and at `^`.
#
# </details>
#
# Here is the head that counts. What a token hands over is a single number, 1 for `^` and 0 for all others. (`letter` is
# a matrix with 13 rows and 4 columns: `token @ letter` cuts the four numbers of the letter out of a token. Its first
# column cuts out the number for `^`.)

# %%
is_begin = letter[:, :1]
like_me = select(letter, letter, lambda query, key: key in (0, query))
counting = aggregate(like_me, is_begin)

tokens, mask = rows(["^abca"], "^abc", length=9)
shares = counting(tokens, mask=mask)[0, 1:5, 0].numpy()
for sign, share in zip("abca", shares, strict=True):
    print(f"{sign} gives ^ {share:.3f}   count: {1 / share - 1:.0f}")

tokens, mask = rows(texts, "^abc", length=9)
counted = (1 / counting(tokens, mask=mask).numpy()[..., 0] - 1).round()
right = [
    line[1 : len(text)].tolist() == [text.count(sign) for sign in text[1:]]
    for line, text in zip(counted, texts, strict=True)
]
print(f"{sum(right):,} of {len(texts):,} texts are counted")

# %% [markdown]
# Here Python has turned the share into a count. In a Transformer a feed-forward network does it, because it can
# [hold a table](feed_forward.py#many-alarms-one-table): at 1/3 it says 2.
#
# ## Two heads: sorting
#
# Map C sorts. Its rows fetch a, a, b, b, c and c. But how can place 3 know that a b belongs there?
#
# **First, each letter counts the smaller ones.** This was your second task. In `cabacb` a b finds two, the a's. They
# will fill the places 1 and 2, so the b's begin at place 3. In the same way, the letters that count n begin at
# place n + 1. A feed-forward network turns the share into the count, which is written into free columns of the token as
# a **note**, as in the last lesson.
#
# **Then each place looks at these notes.** Place 3 wants the count 2. Place 4 shall get a b, too, although no letter
# has counted 3. So each place looks for *the largest count below its own number*. Which letters does place 5 find?
# Guess, and then look at the map on the right. The notes stand above it.

# %% tags=["hide-input"] alt="Two maps for sorting cabacb. Left, the first head: each c looks at ^ and the four smaller letters, each a only at ^, each b at ^ and the two a's. Right, the second head, with the notes 4, 0, 2, 0, 4, 2 above the letters c, a, b, a, c, b: places 1 and 2 look at both a's, 3 and 4 at both b's, 5 and 6 at both c's."
assert right == [True] * 9840
smaller = [sum(other < sign for other in TEXT[1:]) for sign in TEXT[1:]]
noted = ["^", *(f"{s}\n{n}" for s, n in zip(TEXT[1:], smaller, strict=True))]
counted = [f"{s} counts {n}" for s, n in zip(TEXT[1:], smaller, strict=True)]
_, axes = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
look(axes[0], below[1:], "each letter counts", counted, [*TEXT])
ranks = [f"place {i}" for i in range(1, 7)]
look(axes[1], for_place[1:], "each place fetches", ranks, noted)
plt.show()
np.testing.assert_allclose(shares, [1 / 3, 1 / 2, 1 / 2, 1 / 3], atol=1e-6)
np.testing.assert_allclose(below[1:7, 0], 1 / (np.array(smaller) + 1), atol=1e-6)
for place_, row in enumerate(for_place[1:7, 1:7], start=1):
    best = max(n for n in smaller if n < place_)
    assert [n == best for n in smaller] == (row > 0.4).tolist()

# %% [markdown]
# Place 5 looks at both c's, since 4 is the largest count below 5. They share its weight, and the average of two c's is
# a c.
#
# "The largest" is more than yes or no. So your function may also return a number that says *how much* a key is wanted.
# The highest number wins, because each lead of 1 becomes a lead of 128 in the scores. Here `smaller` is the feature
# that holds the count:
#
# ```python
# select(place, smaller, lambda query, key: key if key < query else -9)
# ```
#
# But `^` has counted 0, as the a's have, and so it would be fetched with them. Therefore the program adds a second
# selection, for which `^` is the least wanted, whoever looks.
#
# The list of all the steps, a head, a network and another head, is called a **program**. The package keeps this one as
# `sort`. Its tokens have room for two notes: 1 number for the share, and 9 for the count, which is one-hot, 0 to 8:

# %%
from clear_attention.programs import sort

tokens, mask = rows(texts, "^abc", length=9, depth=4 + 9 + 1 + 9)
fetched = sort()(tokens, mask=mask).numpy().argmax(axis=-1)
right = [
    "".join("^abc"[i] for i in line[1 : len(text)]) == "".join(sorted(text[1:]))
    for line, text in zip(fetched, texts, strict=True)
]
print(f"{sum(right):,} of {len(texts):,} texts are sorted")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>The whole program</summary>
#
# You can leave this out. It is the source of `sort`:

# %% tags=["source", "hide-input"]
import inspect

docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)
print(docstring.sub("", inspect.getsource(sort)))
assert right == [True] * 9840

# %% [markdown]
# The four features of a token are its letter, its place and two notes. `into` says in which columns a head writes, and
# `look_up` is the network, which holds the table `counts`. The second head adds two selections, which adds their
# scores, and `not_begin` is the one against `^`. (It needs a feature that is 1 in every token. Places are one-hot, so
# their sum is 1, and it is written `place @ np.ones((length, 1))`.)
#
# </details>
#
# [Eight programs](../reference/programs.md) are kept like this. One tells whether brackets are balanced, and one adds
# two numbers.
#
# ## Who found this, and when
#
# A recurrent network has a model that one can draw on paper, a machine that goes from state to state. For the
# Transformer there was none. So Gail Weiss, Yoav Goldberg and Eran Yahav proposed one in 2021: a small programming
# language, RASP. `select` and `aggregate` are its words, and our counting and our sorting come from it.
#
# How far does it carry? Michael Hahn had shown a limit in 2020: the longer a text is, the less a single letter moves
# the answer of a Transformer. But whether the number of ones in a row of zeros and ones is odd depends on every one of
# them. So on a long row it could hardly be sure. David Chiang and Peter Cholak
# [answered](https://arxiv.org/abs/2202.12172) in 2022 in the manner of this page, with weights that nobody had trained.
# Their Transformer gets it right at every length, and a layer norm makes it as sure as one likes.
#
# Such heads are also good for testing. If somebody claims to read from a trained machine what it does, who can say
# whether this is so? In 2023 David Lindner and others wrote Tracr, which makes Transformers out of RASP programs, so
# that one knows what they do.
#
# ## Exercises
#
# ### Exercise 1
#
# Write a causal head: each token finds out at which place the last a stood, its own place included. (If there was none
# so far, any answer will do.) You need two selections. One says *how much* the letter a is wanted, and the other how
# much a place is wanted. The `+` between them adds their scores. It doesn't matter who looks, so the feature by which a
# token looks is 1 in every token.
#
# ```python
# letter, place = features(3, 8)
# one = place @ np.ones((8, 1))  # places are one-hot, so their sum is 1
# last_a = aggregate(select(one, ...) + select(one, ...), place)
# tokens, mask = rows(["bacabb"], "abc", length=8)
# last_a(tokens, mask=mask, causal=True)[0].numpy().argmax(axis=-1)
# ```

# %% tags=["answer"]
letter, place = features(3, 8)
one = place @ np.ones((8, 1))
an_a = select(one, letter, lambda query, key: 8 if key == 0 else 0)
latest = select(one, place, lambda query, key: key)
last_a = aggregate(an_a + latest, place)

text = "bacabb"
tokens, mask = rows([text], "abc", length=8)
fetched = last_a(tokens, mask=mask, causal=True)[0].numpy()
found = fetched[1 : len(text)].argmax(axis=-1)
print("place of the last a:", found)
expected = [text.rindex("a", 0, i + 1) for i in range(1, len(text))]
assert found.tolist() == expected

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why 8?</summary>
#
# Being an a must count for more than standing as far to the right as possible. The best place alone brings 7, so an a
# at place 0 needs 8 to lead by 1. (The printed list begins with place 1, because at place 0 no a has come yet.)
#
# </details>
#
# ### Exercise 2
#
# Let tokens have a letter, but no place and no sign `^`. Why does every head, whatever its weights, say the same of the
# texts `a` and `aa`?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# All tokens are alike, so their values are alike, and every average of equal values is this value. It doesn't matter
# who gets which weight. With `^` there are two different values, and then the weights show. Places help, too: with
# them a head can find the last place.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("programs")

# %% [markdown]
# ```self-check
# ? What does select write?
# + W_Q and W_K | From them come the scores, so they say who looks at whom.
# - W_V and W_O | They say what is brought back, which is the part of aggregate.
# - the mask | A mask forbids, scores choose.
# ? Why is a yes worth 128, and not 1?
# - because a score of 1 is a weight of 1 already | With three letters, a lead of 1 brought only 0.576 of the weight.
# + so that the others get a weight of exactly 0 | Their share is `exp(-128)`, which is 0 in numbers of 32 bits.
# - because attention divides by the root of `d_k` | It does, and `aggregate` multiplies by this root besides.
# ? Each of three letters looks at all letters like itself. Why can't the average tell how many these are?
# - the softmax is too soft for that | With a yes of 128 the weights are as sharp as can be, and the average is still 1.
# + the average of three ones is 1, and so is the average of two | The sign `^` hands over another number, and then the share tells.
# - a head can't find letters like itself | It can, with `key == query`.
# ```
#
# ## Where to go next
#
# You can now write a head, and you know why the heads on this page are right. In [A head that copies](induction.py)
# nobody had written the two heads that the training found, and yet they do what one would write. Was that luck?
#
# * [What training finds](twins.py): would it have written the same heads?
# * [Design a head](../design_a_head.py): ten more puzzles, each checked on all texts of up to five letters.
#
# Read on elsewhere: Weiss, Goldberg and Yahav (2021), [Thinking Like Transformers](https://arxiv.org/abs/2106.06981);
# Lindner and others (2023), [Tracr: Compiled Transformers as a Laboratory for
# Interpretability](https://arxiv.org/abs/2301.05062); Rush and Weiss (2023), [Thinking Like Transformers, with pictures
# and a small library](https://srush.github.io/raspy/).

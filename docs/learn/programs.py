# ---
# title: Programs with attention
# description: Heads whose numbers are written and not learnt. Puzzles of who looks at whom, from the letter before to counting and sorting, each right on all 9,840 texts.
# ---

# %% [markdown]
# # What would you have to write into W_Q and W_K?
#
# In the [last lesson](induction.py) training found a head that looks at the letter before, and it gave this letter only
# about half of its weight. Here are three heads that nobody has trained. Their numbers were written down, and all three
# are right on all 9,840 texts of one to eight letters a, b and c.
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
        cell.set_size(10)
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
figure, axes = plt.subplots(2, 2, figsize=(5, 4.8), layout="constrained")
axes[1, 1].remove()
for ax, name, weights in zip(
    figure.axes, "ABC", (before_me, like_me, for_place), strict=True
):
    look(ax, weights[1:], name, [*("123456" if name == "C" else TEXT[1:])], [*TEXT])
plt.show()
assert np.allclose(before_me[1:7, :6], np.eye(6))
assert np.allclose(like_me[1:7, 0], 1 / 3)
assert (for_place[1:7, 1:7] > 0.4).sum() == 12

# %% [markdown]
# You will build A first. B needs a trick, and C a second head.
#
# ## Yes and no
#
# Head A looks at the place before. When we built it by hand in the last lesson, we gave it its scores. A real head
# makes its scores from its matrices. Which numbers must stand in these?
#
# Each letter becomes a *token*, a row of numbers that says which letter it is and at which place it stands, each by
# zeros with a single 1. (This is called *one-hot*.) In the text `cab` the b at place 2 is
#
# | stands for | a | b | c | at 0 | at 1 | at 2 |
# | --- | --- | --- | --- | --- | --- | --- |
# | number | 0 | 1 | 0 | 0 | 0 | 1 |
#
# Who looks at whom depends on the places alone. So we write a *table of wishes*, with a row for each place that looks
# and a column for each place that is looked at: 1 for yes, 0 for no. (Before place 0 there is nobody, so place 0 looks
# at itself.) The table goes into $W_Q$, below three rows of zeros that ignore the letter. $W_K$ only cuts the place out
# of a token:
#
# --8<-- "diagrams/table_of_wishes.svg"
#
# A one-hot row times the table is one row of the table, and this is the query. The query times a one-hot key is one
# number of this row. So **a score is an entry of the table.** What will the weights of place 2 be?

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
# The scores are as we wanted them. But place 2 gives only 0.576 to the a before it: a softmax turns a lead of 1 into a
# factor of $e = 2.718$ and no more, and $2.718 / (2.718 + 1 + 1) = 0.576$.
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
# From 10 on the picture shows 1.00, but this is rounded: each of the others still gets $e^{-10}$ times as much, about
# 0.00005. At 128 it is $e^{-128}$, which in 32 bits becomes 0.
#
# To fetch the letter after it, place 0 wishes for place 1, and the two others wish for place 2. Two wishes share the
# weight, so half of each letter comes back. Where there is no wish all scores are equal, and the place takes the
# average of all letters.
#
# </details>
#
# ## A real head
#
# Take an empty `MultiHeadAttention`, and write its four matrices. Texts may have up to eight letters now, and `^`
# stands before them, so that the first letter has something to fetch. So a token has 4 numbers for the letter (`^`, a,
# b, c) and 9 for its place. $W_V$ cuts out the letter, and $W_O$ hands it on as it is:

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
# Is it right for all 9,840 texts? (`rows` writes them as tokens, with a mask that hides the places behind a shorter
# text.)

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
# All of them, as must be: the rows of $W_Q$ and $W_K$ that belong to letters are zeros, so the map is the same
# whatever the text says.
#
# ## Select and aggregate
#
# Only two things needed thought: who looks at whom, and what is brought back. [`select`][clear_attention.select] asks a
# function of yours about each pair, and returns $W_Q$ and $W_K$. [`aggregate`][clear_attention.aggregate] supplies the
# 128, the root, $W_V$ and $W_O$, and returns the layer. So our head is one line, "look by your place at the place
# before, and bring its letter":

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
# numbers. Now a puzzle: here are four lines, and below them their maps on the text `cabba`. There is no `^`, so a is 0,
# b is 1 and c is 2. Which line made which map?
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
figure, _ = plt.subplots(2, 2, figsize=(4.8, 5), layout="constrained")
for ax, (name, line) in zip(figure.axes, lines.items(), strict=True):
    _, weights = aggregate(line, kind)(tokens, return_weights=True)
    look(ax, weights[0, 0], name, [*"cabba"], [*"cabba"])
    if name == "Q":
        assert np.allclose(weights[0, 0, 0], 1 / 5)
plt.show()

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>The solution</summary>
#
# Line 1 made R, line 2 made S, line 3 made P, and line 4 made Q. In Q the c finds nobody who is larger, so all its
# scores are equal, and it takes the average of everybody.
#
# </details>
#
# ## What a head can't do: add up { #what-a-head-cant-do-count }
#
# Now map B. Each letter shall say how often it occurs in the text. Line 1 of the puzzle finds all letters like itself,
# its own place included. Let each of them hand over a 1. What comes back to an a in `abca`, and what to the b? Guess.
#
# <details class="lesson-answer" markdown="1"><summary>What comes back</summary>
#
# To both a 1. What comes back is an *average*, and that of two ones is 1, like that of one. Attention cannot add up.
#
# </details>
#
# And yet map B counts. Find out how. In the next piece `^` hands over a 1 and the letters hand over 0, so what comes
# back is the weight that `^` gets. It is read like this: 1 means none, 1/2 means one, 1/3 means two, and so on. At the
# beginning each letter looks at letters like itself. What is missing? When the count is right, there is a second task,
# which we shall need for map C.

# %% tags=["live", "remove-input"]
# What the questions at the end of the page say.
assert round(np.exp(10)) == 22_026
assert round(np.exp(10) / (np.exp(10) + 99_999), 2) == 0.18
kind, where = features(3, 4)
both = select(kind, kind, lambda query, key: key == query)
both += select(where, where, lambda query, key: key == query - 1)
_, weights = aggregate(both, kind)(
    rows(["abba"], "abc", length=4)[0], return_weights=True
)
np.testing.assert_allclose(weights[0, 0, 3], [1 / 3, 0, 1 / 3, 1 / 3], atol=1e-6)
so_far = select(letter, letter, lambda query, key: key in (0, query))
tokens, mask = rows(["^abcaab"], "^abc", length=9)
so_far = aggregate(so_far, letter[:, :1])(tokens, mask=mask, causal=True)
np.testing.assert_allclose(so_far[0, 4, 0], 1 / 3, atol=1e-6)
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
# a matrix with 13 rows and 4 columns that cuts the four numbers of the letter out of a token. Its first column cuts out
# the number for `^`.)

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
# [hold a table](feed_forward.py#many-alarms-one-table): at 1/3 it says 2. How far does it count? The 9,840 texts say
# nothing of a thousand a's. [Exercise 2](#exercise-2) finds the limit.
#
# ## Two heads: sorting
#
# Map C sorts. Its rows fetch a, a, b, b, c and c. But how can place 3 know that a b belongs there?
#
# **First, each letter counts the smaller ones.** This was your second task. In `cabacb` a b finds two, the a's. They
# will fill the places 1 and 2, so the b's begin at place 3. A feed-forward network turns the share into the count,
# which is written into free columns of the token as a **note**, as in the last lesson. (`^` counts, too. It finds
# nobody but itself, so its note is 0.)
#
# **Then each place looks at these notes.** Place 3 wants the count 2. Place 4 shall get a b, too, although no letter
# has counted 3. So each place looks for *the largest count below its own number*. Try it with another text: which notes
# do the letters of `ccab` get, and at which does place 3 look?
#
# <details class="lesson-answer" markdown="1"><summary>The notes of ccab</summary>
#
# They are 2, 2, 0 and 1. Place 3 looks at the notes 2, as this is the largest count below 3, and fetches a c. So does
# place 4.
#
# </details>
#
# Here are both maps for `cabacb`. Above the lower one stand the notes:

# %% tags=["hide-input"] alt="Two maps for sorting cabacb. Above, the first head: each c looks at ^ and the four smaller letters, each a only at ^, each b at ^ and the two a's. Below, the second head, with the notes 4, 0, 2, 0, 4, 2 above the letters c, a, b, a, c, b: places 1 and 2 look at both a's, 3 and 4 at both b's, 5 and 6 at both c's."
assert right == [True] * 9840
smaller = [sum(other < sign for other in TEXT[1:]) for sign in TEXT[1:]]
noted = ["^\n0", *(f"{s}\n{m}" for s, m in zip(TEXT[1:], smaller, strict=True))]
counted = [f"{s} counts {m}" for s, m in zip(TEXT[1:], smaller, strict=True)]
_, axes = plt.subplots(2, 1, figsize=(4.4, 6.6), layout="constrained")
look(axes[0], below[1:], "each letter counts", counted, [*TEXT])
ranks = [f"place {i}" for i in range(1, 7)]
look(axes[1], for_place[1:], "each place fetches", ranks, noted)
plt.show()
np.testing.assert_allclose(shares, [1 / 3, 1 / 2, 1 / 2, 1 / 3], atol=1e-6)
np.testing.assert_allclose(below[1:7, 0], 1 / (np.array(smaller) + 1), atol=1e-6)
for place_, row in enumerate(for_place[1:7, 1:7], start=1):
    best = max(m for m in smaller if m < place_)
    assert [m == best for m in smaller] == (row > 0.4).tolist()

# %% [markdown]
# Place 5 looks at both c's, since 4 is the largest count below 5, and the average of two c's is a c.
#
# "The largest" is more than yes or no. So your function may also return a number that says *how much* a key is wanted.
# The highest number wins, because each lead of 1 becomes a lead of 128 in the scores. A count that is too large gets
# -9, which is less than any count. So the table of wishes begins like this:
#
# | who looks | note 0 | note 1 | note 2 | note 3 |
# | --- | --- | --- | --- | --- |
# | place 1 | 0 | -9 | -9 | -9 |
# | place 2 | 0 | 1 | -9 | -9 |
# | place 3 | 0 | 1 | 2 | -9 |
#
# One thing remains: `^` has the note 0, as the a's have, and would be fetched with them. So a second selection gives it
# -18, which makes it less wanted than any other, and `+` adds the scores of both.
#
# The list of all the steps, a head, a network and another head, is a **program**, and the package keeps this one as
# `sort`. Its tokens have room for two notes: 1 number for the share, and 9 for the count, one-hot. Here is the second
# head, and a test of the whole:

# %%
from clear_attention.programs import sort

letter, place, share, smaller = features(4, 9, 1, 9)
one = place @ np.ones((9, 1))  # 1 in each token, since it does not matter who looks
my_place = select(place, smaller, lambda query, key: key if key < query else -9)
not_begin = select(one, letter, lambda query, key: -18 if key == 0 else 0)
second_head = aggregate(my_place + not_begin, letter)

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
# It is the source of `sort`:

# %% tags=["source", "hide-input"]
import inspect
import re

docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)
print(docstring.sub("", inspect.getsource(sort)))
assert right == [True] * 9840
# The lines above make the same scores as the program's second head.
kept, mine = (
    layer.get_weights()[0] @ layer.get_weights()[1].T / layer.d_k**0.5
    for layer in (sort().heads[1], second_head)
)
np.testing.assert_allclose(kept, mine, rtol=1e-5)
scores = (place.T @ kept @ smaller)[1:4, :4] / 128
wished = [[0, -9, -9, -9], [0, 1, -9, -9], [0, 1, 2, -9]]
np.testing.assert_allclose(scores, wished, atol=1e-4)

# %% [markdown]
# `into` says where a head writes, and `look_up` is the network, with the table `counts`.
#
# </details>
#
# [Eight programs](../reference/programs.md) are kept like this:
#
# * `shift` fetches the letter before (map A),
# * `reverse` turns a text round,
# * `running_average` says which share of the letters so far is an a, a b and a c,
# * `histogram` counts how often each letter stands in the text (map B),
# * `sort` puts the letters in order (map C),
# * `balanced` tells whether the brackets so far are balanced,
# * `induction` says what came after this letter the last time,
# * `addition` adds two numbers.
#
# ## Who found this, and when
#
# A recurrent network can be drawn on paper, as a machine that goes from state to state. For the Transformer there was
# no such model, so Gail Weiss, Yoav Goldberg and Eran Yahav proposed one in 2021, a small programming language, RASP.
# `select` and `aggregate` are its words, and our counting and our sorting come from it.
#
# Is there something that nobody can write? In 2020 Michael Hahn took a simple question: is the number of ones in a row
# of zeros and ones odd? A single changed sign turns the yes into a no. But he proved that one sign of n moves the
# answer of a Transformer by a constant times 1/n at most, as one of many moves an average. So on a long row yes and no
# lie so close together that it can't be sure. In 2022 David Chiang and Peter Cholak [wrote the
# weights](https://arxiv.org/abs/2202.12172) all the same. Close together is not alike: theirs gets every row right, on
# paper, where numbers have digits without end.
#
# David Lindner and others (2023) wrote Tracr, which makes Transformers out of RASP programs. If somebody claims to read
# from weights what a machine does, here is one of which it is known.
#
# ## Exercises
#
# ### Exercise 1
#
# Write a causal head: each token finds out at which place the last a stood, its own place included. (If there was none
# so far, any answer will do.) You need two selections. One says *how much* the letter a is wanted, and the other how
# much a place is wanted.
#
# ```python
# letter, place = features(3, 8)
# one = place @ np.ones((8, 1))
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
# Being an a must count for more than standing far to the right. The best place alone brings 7, so an a at place 0 needs
# 8 to lead by 1. (The printed list begins with place 1, because at place 0 no a has come yet.)
#
# </details>
#
# ### Exercise 2
#
# The larger n is, the less one more changes $1 / (n + 1)$, and a number in a computer has only so many digits. Which is
# the first n for which n and n + 1 get the same share, in 16 bits and in 32? Guess, then compute it with `(1 / (n +
# 1)).astype("float16")`. (The third kind, bfloat16, has 16 bits, too: a larger range, and fewer digits.)

# %% tags=["answer"]
import ml_dtypes  # numbers that NumPy does not have

n = np.arange(1, 2**24)
alike = []
for kind in (ml_dtypes.bfloat16, np.float16, np.float32):
    share = (1 / (n + 1)).astype(kind)
    alike.append(int(n[np.argmax(share[1:] == share[:-1])]))
    print(f"{kind.__name__:8} {alike[-1]:,} and {alike[-1] + 1:,} look the same")
assert alike == [189, 1463, 11_864_337]

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What that means</summary>
#
# Where two shares are the same number, no table can tell the counts apart. From n to n + 1 the share loses about one of
# n parts, and the 11 binary digits of float16 can tell one of 1,024 to 2,048 parts.
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
# ? A head adds two selections, "letters like me" and "the place before me", each with a yes of 128. The text is `abba`, without `^`. At what does the last a look?
# - at everybody, because the place before it holds no a | Adding is not "and". One yes still leads none.
# + at both a's and at the b before it, a third each | Each of the three has one yes, and nobody has both.
# - at both a's, a half each | The b at the place before it has one yes as well.
# ? Somebody saves digits and lets a yes be worth 10. In a text of 100,000 letters a place wishes for one of them. How much of its weight does this letter get?
# - 1.00, as in the piece above | There the others were two.
# - 0.99995 | One other gets 0.00005 times as much. All others together get more than the letter itself.
# + 0.18 | It has 22,026 for each 1 of the others, but there are 99,999 of these.
# ? The head that counts gets a look-ahead mask. In `^abcaab`, which count does the a at place 4 find?
# + 2 | It sees `^`, the a at place 1 and itself. So `^` gets 1/3: how often has my letter occurred so far?
# - 3 | The a at place 5 comes later, and is hidden.
# - 1 | A look-ahead mask leaves its own place, and what comes before it.
# ```
#
# ## Where to go next
#
# You can now write a head. Training found two by itself that do what one would write. Was that luck?
#
# * [What training finds](twins.py): would it have written the same heads?
# * [Design a head](../design_a_head.py): ten more puzzles, each checked on all texts of up to five letters.
#
# Read on elsewhere: Weiss, Goldberg and Yahav (2021), [Thinking Like Transformers](https://arxiv.org/abs/2106.06981);
# Lindner and others (2023), [Tracr: Compiled Transformers as a Laboratory for
# Interpretability](https://arxiv.org/abs/2301.05062); Rush and Weiss (2023), [Thinking Like Transformers, with pictures
# and a small library](https://srush.github.io/raspy/).

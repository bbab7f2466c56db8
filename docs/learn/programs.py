# ---
# title: Programs with attention
# description: Heads whose numbers are written and not learnt. Select and aggregate, the letter before, counting and sorting, each right on every input that we tried.
# ---

# %% [markdown]
# # What would you have to write into W_Q and W_K?
#
# In the [last lesson](induction.py) training found a head that looks one place back. When we built it by hand, we
# cheated a little: we gave it its scores. A real head has no scores to fill in. It makes them from its matrices. Which
# numbers must you write into these, so that each letter fetches the letter before it? There is no training, and there
# are no examples, and yet the head must be right for every text.
#
# Here is a first try. Each letter becomes a *token*, which is a row of numbers. The token says which letter it is and
# at which place it stands, each by zeros with a single 1. (Numbers of this kind are called *one-hot*.) In the text
# `cab` the b at place 2 is
#
# | stands for | a | b | c | at 0 | at 1 | at 2 |
# | --- | --- | --- | --- | --- | --- | --- |
# | number | 0 | 1 | 0 | 0 | 0 | 1 |
#
# Who looks at whom depends on the places alone. So we write a table of wishes, with a row for the place that looks and
# a column for the place that is looked at. A 1 in it is a wish, and says yes. A 0 says no. Before place 0 there is
# nobody, so place 0 may look at itself.
#
# The cell takes these wishes as scores, makes weights of them with a softmax, and fetches the letters with the weights.
# It prints what place 2 gets. (To keep the cell short, letters and places stand in two arrays, and nothing is divided
# by a root.)

# %%
import numpy as np


def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


letters = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])  # c a b
places = np.eye(3)
wishes = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0]])  # place 2 wants place 1
weights = softmax((places @ wishes) @ places.T)
fetched = weights @ letters
print("weights of place 2:", weights[2].round(3))
print("it fetches a, b, c:", fetched[2].round(3))

# %% [markdown]
# Place 2 should have fetched the a, and got a mixture: 0.576 of an a, and 0.212 of each of the others. Its scores are
# 0, 1, 0, as we wanted. But a softmax turns a lead of 1 into a factor of $e = 2.718$ and no more, so that the weight is
# $2.718 / (2.718 + 1 + 1) = 0.576$.
#
# ## Yes and no
#
# In the cell above, `places @ wishes` are the queries, and the keys are the places themselves. So what you write into
# $W_Q$ is the table of wishes. A whole token has six numbers. The first three say which letter it is, and who looks at
# whom does not depend on the letter. So $W_Q$ begins with three rows of zeros, and the table comes below them. $W_K$
# only picks the place out of the token:
#
# --8<-- "diagrams/table_of_wishes.svg"
#
# Multiply a one-hot row with the table, and you get one row of the table. That is the query. Its product with a one-hot
# key is one number of this row. So **a score is an entry of the table.**
#
# That is the whole idea. What is missing is a yes that leaves nothing to the others. So let a yes be worth more than 1:
# multiply the table by 1, 5, 20 and 128, and look each time at the weights of place 2. (The numbers have 32 bits, as in
# our machines.)

# %%
for yes in (1, 5, 20, 128):
    w = softmax(np.float32(yes) * wishes.astype("float32"))[2]
    print(f"yes = {yes:3}   chosen: {w[1]:.4f}   others exactly 0: {w[0] == 0}")

# %% [markdown]
# At 128 the others get $e^{-128}$ times the weight of the chosen one. This is smaller than every number above 0 that 32
# bits can hold. So it becomes 0, and the head fetches the letter and nothing else. (This is so from 104 on, and 128
# is the next power of two.) The softmax has become a choice.
#
# Now write a head yourself. The first table holds the wishes of the three places. Press them until each letter fetches
# the one *after* it, and the last one itself. How much must a yes be worth? And what does a place fetch that has two
# wishes, or none?

# %% tags=["live", "remove-input"]
import re
import sys
from pathlib import Path

sys.path.append("../_site")  # in a clone
from live import touch

# The drawing's numbers: the token of place 2 becomes a query, that of place 1 a key.
drawn = Path("../diagrams/table_of_wishes.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number"[^>]*>([^<]+)<', drawn)
W_Q, W_K = (np.vstack([np.zeros((3, 3)), table]) for table in (wishes, places))
looks, looked_at = np.hstack([letters, places])[[2, 1]]
query, key = looks @ W_Q, looked_at @ W_K
steps = (looks, W_Q.ravel(), query, looked_at, W_K.ravel(), key, [query @ key])
np.testing.assert_array_equal(np.array(drawn, float), np.concatenate(steps))
np.testing.assert_allclose(weights[2], [0.212, 0.576, 0.212], atol=5e-4)
assert w[0] == 0
touch(
    "wishes",
    "<p>With the wishes from above, and 1 for a yes, each place fetches a mixture. With 128, place 0 fetches the c, place"
    " 1 the c, and place 2 the a.</p>",
    text="cab",
    wishes=wishes.tolist(),
    worth=0,
)

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>What came out</summary>
#
# Place 0 wishes for place 1, and the two others wish for place 2. From 10 on the table of weights shows 1.00, but it is
# rounded: in numbers of 32 bits the others get exactly 0 only at 128. Two wishes share the weight, so half of each
# letter comes back. Where there is no wish all scores are equal, and the place takes the average of all letters.
#
# </details>
#
# ## Select and aggregate
#
# Two functions of this package write such heads. They speak of *features*. A feature is a part of the token, such as
# its letter or its place. It is given as a matrix that cuts the numbers of this part out of the token, as $W_K$ above
# cuts out the place.
#
# [`select`][clear_attention.select] says who looks at whom:
#
# ```python
# select(place, place, lambda query, key: key == query - 1)
# ```
#
# Here a token looks by its place and is looked at by its place, and the function says yes to the place before. Its two
# arguments are plain numbers: the place that looks, and the place that is looked at. (For letters, these are their
# numbers in the alphabet, counted from 0.) `select` asks the function about each pair, which fills the table of wishes.
# It returns the matrices $W_Q$ and $W_K$, which together are called a *selector*.
#
# [`aggregate`][clear_attention.aggregate] says what is brought back. It takes a selector and the feature that is handed
# over, makes each yes a score of 128, and fills in the two other matrices, $W_V$ and $W_O$. The outcome is a real head,
# a `MultiHeadAttention` like all others.
#
# With these two let us write the head that we began with, for texts of up to eight letters. A sign `^` is put before
# each text, so that the first letter has something to fetch, and it counts as the first letter of the alphabet
# `^abc`. So there are four letters and nine places. In the cell `features` makes the two features. The function says
# yes to the place before, and `max` lets place 0 look at itself. `rows` writes the text as tokens, with a mask that
# hides the places that it leaves empty:

# %%
from clear_attention import aggregate, select
from clear_attention.programs import features, rows

letter, place = features(4, 9)  # four letters, nine places: tokens of 13 numbers
before = select(place, place, lambda query, key: key == max(query - 1, 0))
head = aggregate(before, letter)

tokens, mask = rows(["^cab"], "^abc", length=9)
fetched = head(tokens, mask=mask).numpy()[0, :4]
print(type(head).__name__, [weight.shape for weight in head.get_weights()])
print("fetched:", "".join("^abc"[i] for i in fetched.argmax(axis=-1)))

# %% [markdown]
# The letters c, a and b fetched `^`, c and a, and `^` fetched itself. The shapes belong to $W_Q$, $W_K$, $W_V$ and
# $W_O$. The 13 numbers of a token become 9 for the query and the key, which are places, and 4 for the value, a letter.
# The last matrix passes these 4 on.
#
# One right text does not make the head right for every text. But there are only 9,840 texts of one to eight letters a,
# b and c, so we try them all. The package has this head ready-made, as `shift`. A text is right if all its letters
# have fetched what stands before them:

# %% tags=["hide-input"]
import sys

# The texts are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
from clear_attention.programs import shift
from trained.programs import all_inputs, tokens_of

texts = all_inputs("shift")
tokens, mask = tokens_of("shift", texts)
answers = shift()(tokens, mask=mask).numpy().argmax(axis=-1)
right = [
    "".join("^abc"[i] for i in row[: len(text)]) == "^" + text[:-1]
    for row, text in zip(answers, texts, strict=True)
]
print(f"{sum(right):,} of {len(right):,} texts are right")
assert head.count_params() == 13 * 9 + 13 * 9 + 13 * 4 + 4 * 4
np.testing.assert_allclose(fetched, np.eye(4)[[0, 0, 3, 1]], atol=1e-6)
assert right == [True] * 9840

# %% [markdown]
# ## What a head can't do: count
#
# Now a harder task: each letter shall say how often it occurs in the text. If it looks by its letter, with the function
# `key == query`, it finds all letters like itself, its own place included. But what comes back is an *average*. If each
# of them hands over a 1, the average of three ones is 1, and so is the average of two. Attention cannot add up.
#
# The sign `^` helps. Let each letter look at all letters like itself, *and at* `^`. Let `^` hand over a 1, and all
# letters a 0. If there are n letters of this kind, n + 1 tokens share the weight, and what comes back is the share of
# `^`, which is $1 / (n + 1)$. In `^abca` an a looks at `^` and at two a's. It gets 1/3, so there are 2.
#
# To turn 1/3 into 2 we need a table, and a [feed-forward network](feed_forward.py#many-alarms-one-table) can
# hold a table. But how does the 1/3 get from the head into the network? Each token has free columns, in which there is
# a 0 at first. What is written into them is called a **note**. The head writes the 1/3 there, the
# [residual](transformer_layer.py) adds this note to the token, and the network reads it. Such a list of steps, of heads
# and networks with no norm between them, is called a *program*.
#
# The program `histogram` has two steps, a head and a network. The cell sends `^abca` through both. For each sign it
# prints the note of the head, and then what the network makes of it. (With a `depth` given, `rows` leaves room for
# notes. How much a program needs, its matrices tell.)

# %%
from clear_attention.programs import histogram


def with_notes(texts, program):
    depth = program.heads[0].project_queries.kernel.shape[0]
    return rows(texts, "^abc", length=9, depth=depth)


counting = histogram()
tokens, mask = with_notes(["^abca"], counting)
note = 4 + 9  # the column behind the numbers for four letters and nine places
share = counting.heads[0](tokens, mask=mask).numpy()[0, :5, note]
counts = counting(tokens, mask=mask).numpy()[0, :5].argmax(axis=-1)
for sign, part, count in zip("^abca", share, counts, strict=True):
    print(f"{sign}   ^ gets {part:.3f}   how often: {count}")

# %% [markdown]
# The sign `^` looks at itself only and gets 1, so it says 0. Nobody needs its answer.
#
# ## Two heads: sorting
#
# With notes, one head can also use what another has found out. Let us sort the letters of a text in this way. The first
# head and a network write a note, and the second head reads it.
#
# **First, each letter counts how many letters are smaller,** which means earlier in the alphabet. As before, it looks
# at these and at `^`. In `^cabacb` each b finds two, which are the a's. The count is its note. In the sorted text the
# a's fill the places 1 and 2 behind `^`, so the b's begin at place 3. In the same way, letters with the count n begin
# at place n + 1.
#
# **Then each place looks for its letter.** Place 3 must look for the count 2, because the b's begin there. Place 4 is
# still filled by a b, although no letter has the count 3. So each place looks for the largest count that is smaller
# than its own number, and fetches a letter that has it:
#
# | place | 1 | 2 | 3 | 4 | 5 | 6 |
# | --- | --- | --- | --- | --- | --- | --- |
# | letter | c | a | b | a | c | b |
# | its count: smaller letters | 4 | 0 | 2 | 0 | 4 | 2 |
# | largest count below the place | 0 | 0 | 2 | 2 | 4 | 4 |
# | fetched | a | a | b | b | c | c |
#
# Letters that are alike have the same count, so that they share the weight. What comes back is an average of equal
# letters, which is this letter.
#
# "The largest" is more than yes or no. So the function in `select` may also return a number that says *how much* a key
# is wanted. The highest number wins, because a lead of 1 becomes a lead of 128 in the scores.
#
# Here is the whole program on the text of the table:

# %%
from clear_attention.programs import sort

sorting = sort()
tokens, mask = with_notes(["^cabacb"], sorting)
ordered = sorting(tokens, mask=mask).numpy()[0, 1:7].argmax(axis=-1)
print("cabacb, sorted:", "".join("^abc"[i] for i in ordered))

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>select, aggregate and the whole program, line by line</summary>
#
# You can leave this out. It is the source, without the lines that check the arguments:

# %% tags=["source", "hide-input"]
import inspect
import re

docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)
checks = re.compile(r"^ *(of_one_depth|as_wide)\(.*\n", re.M)
for function in (select, aggregate, sort):
    source = docstring.sub("", inspect.getsource(function))
    print(checks.sub("", source).replace("128.0", "128"))
np.testing.assert_allclose(share, [1, 1 / 3, 1 / 2, 1 / 2, 1 / 3], atol=1e-6)
assert counts.tolist() == [0, 2, 1, 1, 2]
assert "".join("^abc"[i] for i in ordered) == "aabbcc"

# %% [markdown]
# In `select`, `query` is the feature by which a token looks, and no number. Times the table it is the $W_Q$ from above.
# `feature` and `table_of` make arrays of what you hand over. In place of a function, `select` also takes a finished
# table.
#
# In `aggregate`, `what` is the $W_V$, and `GAP` is our 128. Attention divides the scores by the root of `d_k`, so the
# queries are multiplied by this root first. `into` says in which columns of the token the outcome is written, so turned
# around it is the $W_O$.
#
# In `sort` the four features of a token are its letter, its place and two notes. The note `share` is the $1 / (n + 1)$
# of the first head. The note `smaller` is the count, which the network `look_up` reads from the table `counts`. `begin`
# is the first number of the letter, which is 1 for `^` only.
#
# The second head is made of two selectors. `my_place` says how much a place wants a count. If the count is smaller than
# the number of the place, a larger count is wanted more. All other counts get `-length`, which is less. But `^` has the
# count 0, as the a's have, and it must not be fetched. So `not_begin` subtracts so much from `^` that it is wanted
# least, whoever looks. For this it needs a feature that is 1 for every token, and `place @ np.ones((length, 1))` is
# one. The two selectors are added, which adds their scores.
#
# </details>
#
# The package has eight such programs, which stand in [the reference](../reference/programs.md). Each of them is right
# on every input that we tried. For the programs that read texts, these were all texts of up to eight letters.
#
# <details class="lesson-more" markdown="1"><summary>The eight programs, and what their heads look at</summary>
#
# | program | what its heads look at |
# | --- | --- |
# | `shift` | the place before |
# | `reverse` | the last token, to know the length; then the mirrored place |
# | `running_average` | everybody so far |
# | `histogram` | `^` and letters like mine |
# | `sort` | `^` and smaller letters; then the letter for my place |
# | `balanced` (brackets) | everybody so far; then any place with too many `)` |
# | `induction` | the place before; then the last place whose note is my letter |
# | `addition` | the other digit of my column; then the next lower column that decides on the carry |
#
# Each of these heads is a layer like others, so [`certify`](../guides/certify_your_layer.py) can test whether its masks
# leak, and in our tests it does. But most of the heads give their whole weight to few keys, and a mask that is wrong
# about another key would not show. So for these tests the scores are divided by 128 first.
#
# </details>
#
# ## Who found this, and when
#
# Gail Weiss, Yoav Goldberg and Eran Yahav described in 2021 what a Transformer does, as a small programming language,
# RASP. `select` and `aggregate` are their words, and the counting with a first token and the sorting by counts come
# from them, too. David Lindner and others wrote a compiler for it in 2023, Tracr, which turns such programs into the
# weights of a Transformer. Alexander Rush made puzzles of it.
#
# ## Exercises
#
# ### Exercise 1
#
# Write a causal head: each token finds out at which place the last a stood, its own place included. (If there was none
# so far, any answer will do.) You need two selectors. One says *how much* the letter a is wanted, and the other how
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
# Let tokens have a letter, but no place and no sign `^`. Why can no head, with whatever weights, tell the text `a` from
# the text `aa`?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# All tokens are alike, so their values are alike, and every average of equal values is this value. It doesn't matter
# who gets which weight. With `^` there are two different values, and then the weights show. Places help, too: in
# `reverse` the first head finds the last place.
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
# - the mask | A mask hides keys from everybody's choice. Here the scores do the choosing.
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
# You can now write a head, and you know why the programs on this page are right. In [induction](induction.py) nobody
# had written the two heads that the training found, and yet they work as the two heads of our program `induction` do.
# Was that luck?
#
# * [What training finds](twins.py): would it have written the same heads?
# * [Design a head](../design_a_head.py): puzzles in which you press a head's switches.
#
# Read on elsewhere: Weiss, Goldberg and Yahav (2021), [Thinking Like Transformers](https://arxiv.org/abs/2106.06981);
# Lindner and others (2023), [Tracr: Compiled Transformers as a Laboratory for
# Interpretability](https://arxiv.org/abs/2301.05062); Rush and Weiss (2023), [Thinking Like Transformers, with pictures
# and a small library](https://srush.github.io/raspy/).

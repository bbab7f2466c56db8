# ---
# title: Programs with attention
# description: Heads whose numbers are written and not learnt. Select and aggregate, the letter before, counting, sorting and adding, each right on every input, beside machines that were trained for the same.
# ---

# %% [markdown]
# # What would you have to write into W_Q and W_K?
#
# In the [last lesson](induction.py) training found two heads that work hand in hand. Nobody wrote their numbers. Could
# you? Suppose somebody asks you for a head by which each letter fetches the letter before it. No training, no examples:
# you fill in the matrices, and then it must be right for every text.
#
# Here is a first try. A token says which letter it is and at which place it stands, each as a row of zeros with a
# single one. (Such a row is called *one-hot*.) In the text `cab` the b at place 2 is
#
# | feature | a | b | c | at 0 | at 1 | at 2 |
# | --- | --- | --- | --- | --- | --- | --- |
# | number | 0 | 1 | 0 | 0 | 0 | 1 |
#
# The place is all that matters here. So we write a table of wishes: a row for the place that looks, a column for the
# place that is looked at, 1 for yes and 0 for no. Before place 0 there is nobody, so it may look at itself.

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
np.testing.assert_allclose(weights[2], [0.212, 0.576, 0.212], atol=5e-4)

# %% [markdown]
# It should have fetched an a, and got a mixture: 0.576 of an a, and 0.212 of each of the others. The scores of place 2
# are 0, 1, 0, as we wanted. But a softmax turns a lead of 1 into a factor of $e = 2.718$ and no more:
# $2.718 / (2.718 + 1 + 1) = 0.576$.
#
# ## Yes and no
#
# In the line above, `places @ wishes` are the queries, and the keys are the places themselves. So the table of wishes
# is $W_Q$ (with rows of zeros for the numbers that say which letter it is), and $W_K$ only picks the place from the
# token. Multiplying a one-hot row by a table picks a row of the table, and the key picks the column. **A score is an
# entry of the table.**
#
# That is the whole idea. What is missing is a clear no. Let a yes be worth more, and look again:

# %%
for yes in (1, 5, 20, 128):
    w = softmax(np.float32(yes) * wishes.astype("float32"))[2]
    print(f"yes = {yes:3}   chosen: {w[1]:.4f}   others exactly 0: {w[0] == 0}")
assert w[0] == 0

# %% [markdown]
# At 128 the others get $e^{-128}$, which is smaller than every number above 0 that 32 bits can hold. So it is 0, and
# the head fetches the letter and nothing else. The softmax has become a choice. (In a row without a yes all scores are
# equal. Such a place takes the average of all that is visible.)
#
# ## Select and aggregate
#
# Two functions of this package write such heads. [`select`][clear_attention.select] says who looks at whom: it takes
# the feature of the token that looks, the feature of the token that is looked at, and a function of both that says yes
# or no. A *feature* is a piece of the token, such as its letter or its place. [`aggregate`][clear_attention.aggregate]
# says what is brought back. The outcome is no sketch of a head. It is a `MultiHeadAttention` like all others, with its
# four matrices filled in:

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
assert head.count_params() == 13 * 9 + 13 * 9 + 13 * 4 + 4 * 4
np.testing.assert_allclose(fetched, np.eye(4)[[0, 0, 3, 1]], atol=1e-6)

# %% [markdown]
# The sign `^` stands for the beginning of the text, so that the first letter has something to fetch. It is the first
# letter of the alphabet `^abc`. Here is all that the two functions do, without their checks of what comes in:

# %% tags=["source", "hide-input"]
import inspect
import re

docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)
checks = re.compile(r"^ *(of_one_depth|as_wide)\(.*\n", re.M)
heads_of = re.compile(r"^def .*?:\n", re.M)
for function in (select, aggregate):
    source = docstring.sub("", inspect.getsource(function))
    print(checks.sub("", source).replace("128.0", "128"))

# %% [markdown]
# `GAP` is our 128, and the root of `d_k` takes back what attention divides by. One text that comes out right does not
# make it right for every text. But there are only 9,840 texts of at most eight letters a, b and c, so we try them all:

# %%
import sys

# The texts are those of the trained twins below, which are in the repository and not in
# the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
from clear_attention.programs import shift
from trained.programs import TASKS, all_inputs, answers_of, tokens_of

texts = all_inputs("shift")
tokens, mask = tokens_of("shift", texts)
answers = shift()(tokens, mask=mask).numpy().argmax(axis=-1)
right = [
    "".join("^abc"[i] for i in row[: len(text)]) == "^" + text[:-1]
    for row, text in zip(answers, texts, strict=True)
]
print(f"{sum(right):,} of {len(right):,} texts are right")
assert right == [True] * 9840

# %% [markdown]
# The texts are of different lengths. What lies behind them is hidden by a mask, as always. And since each of these
# heads is a layer like others, [`certify`](../guides/certify_your_layer.py) can test whether its masks leak, and our
# tests let it do so for every head on this page. (A head as sharp as ours looks at one key only, so that a wrong mask
# would not show. For these tests its scores are divided by 128 first.)
#
# ## What a head can't do: count
#
# Now a harder wish: each letter shall say how often it occurs in the text. Choosing is easy, with `key == query` on the
# letters. But what comes back is an *average*, and the average of three ones is 1, as is the average of two. Attention
# has no plus.
#
# The sign `^` helps. Let each letter look at all letters like itself, *and at* `^`, and bring back only whether a
# token is `^`. With n letters like itself there are n + 1 who share the weight, so what comes back is $1 / (n + 1)$.
# In `^abca` an a looks at `^` and two a's, and gets 1/3, so there are 2. From there a
# [feed-forward](feed_forward.py) reads n from a table. These are the two steps of the program `histogram`:

# %%
from clear_attention.programs import histogram

counting = histogram()
tokens, mask = tokens_of("histogram", ["^abca"])
share = counting.heads[0](tokens, mask=mask).numpy()[
    0, :5, 13
]  # the note in column 13
counts = counting(tokens, mask=mask).numpy()[0, :5].argmax(axis=-1)
for sign, part, count in zip("^abca", share, counts, strict=True):
    print(f"{sign}   ^ gets {part:.3f}   so it occurs {count} times")
np.testing.assert_allclose(share, [1, 1 / 3, 1 / 2, 1 / 2, 1 / 3], atol=1e-6)
assert counts.tolist() == [0, 2, 1, 1, 2]

# %% [markdown]
# (For `^` itself the rule gives 0: it looks at itself only.)
#
# ## Two heads: sorting
#
# One head can use what another has found out, if that stands in the token. So a token has free columns for notes. The
# first head writes into them, the residual connection adds the note to the token, and the second head reads it. Here
# is a program that sorts the letters of a text:

# %% tags=["source", "hide-input"]
from clear_attention.programs import sort

print(docstring.sub("", inspect.getsource(sort)))

# %% [markdown]
# First, each letter counts how many are *smaller*, with the trick from above. In `^cabacb` each b finds two, the a's.
# So the b's begin at the third place behind `^`. Then each place fetches the letter with the largest count that is
# smaller than the number of the place: places 1 and 2 get an a, places 3 and 4 a b. Here `select` gets more than yes or
# no: it gets *how much* a key is wanted, and the best one wins. Letters that are alike have the same count, and
# whichever of them is fetched is right. Two selectors can be added, as in the last lines: then their scores are added.
# And `place @ np.ones((length, 1))` is a feature that is 1 for every token.
#
# There are eight such programs in [the reference](../reference/programs.md). Each of them is right on every input that
# we could try, which for texts means all of up to eight letters:
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
# ## Does training find the same?
#
# For each program we made a twin: a machine with the same heads and feed-forwards, which reads the same tokens, and
# which was trained for 700 steps on what the program answers. It was not told how. Here are two programs beside their
# twins. A row is a token that looks:

# %% tags=["hide-input"] alt="Eight maps of weights in two rows. Upper row, induction on ^abcabc: written heads have one bright cell in each row; the twin's first head is bright left of the diagonal, too, but blurred, and its second head has the same bright cells in the rows of the second half. Lower row, sort on ^cabacb: the written first head has bright cells in the columns of ^ and of smaller letters, the twin's first head has nearly the same colour everywhere; their second heads differ, too."
import matplotlib.pyplot as plt
import trained
from clear_attention import plot_weights

twins = {
    "shift": trained.load("twin-shift"),
    "reverse": trained.load("twin-reverse"),
    "running_average": trained.load("twin-running_average"),
    "histogram": trained.load("twin-histogram"),
    "sort": trained.load("twin-sort"),
    "balanced": trained.load("twin-balanced"),
    "induction": trained.load("twin-induction"),
    "addition": trained.load("twin-addition"),
}
figure, axes = plt.subplots(2, 4, figsize=(11, 6), layout="constrained")
for row, (name, text) in zip(
    axes, {"induction": "^abcabc", "sort": "^cabacb"}.items(), strict=True
):
    tokens, mask = tokens_of(name, [text])
    written = TASKS[name].make()(tokens, mask=mask, return_weights=True).weights
    learnt = twins[name][0](tokens, return_weights=True)[1]
    for i in (0, 1):
        for ax, kind, maps in (
            (row[2 * i], "written", written),
            (row[2 * i + 1], "trained", learnt),
        ):
            n = len(text)
            plot_weights(
                np.round(maps[i][0, 0, :n, :n], 6),
                tokens=[*text],
                ax=ax,
                colour_bar=False,
            )
            ax.set_title(f"{name}, head {i + 1}, {kind}")
plt.show()

# %% [markdown]
# In the upper row they agree: the twin looks one place back, and then behind the last time, only less sharply. In the
# lower row they don't. Is the twin that sorts any worse? Below, "alike" is the share of the weight that program and
# twin give to the same keys, and "if even" is what a head would reach that gives all visible keys the same. (Where this
# is 100 %, the program's own head is even.)

# %% tags=["hide-input"]
print(f"{'twin':16} {'texts right':>11}   head 1, if even     head 2, if even")
for name, (_, record) in twins.items():
    pairs = zip(record["alike"], record["alike_if_even"], strict=True)
    shown = "   ".join(f"{a:6.0%} {b:10.0%}" for a, b in pairs)
    print(f"{name:16} {record['texts']:11.1%}   {shown}")
by_name = {name: record for name, (_, record) in twins.items()}
assert all(record["texts"] > 0.85 for record in by_name.values())
assert (by_name["induction"]["alike"] > 0.6).all()
assert by_name["sort"]["texts"] > 0.99 > 0.6 > by_name["sort"]["alike"].max()
assert by_name["addition"]["alike"][1] < 0.1 < 0.6 < by_name["addition"]["alike"][0]

# %% [markdown]
# (For addition a "text" is a pair of numbers below 5,000, and 5,000 pairs were tried.) Nearly all twins answer nearly
# everything right. But being right is not the same as having found the same program. The twin that sorts looks
# elsewhere with both heads.
#
# ## A check: what does it do instead?
#
# Nearly all cells of its first head have the same colour, about 1/7, so it seems to take the average of the whole text.
# That would be a program, too: the average says which share of the text is a, b and c. With the shares known, and its
# own place, a feed-forward can work out the letter that belongs there. It is how one sorts cards by counting them. If
# we are right, then nothing should be lost if that head gives *exactly* the same weight to all. So set its queries to
# 0, and ask again:


# %%
def texts_right(name, even=None):
    """Share of texts that a twin gets right, with one head's weights made even."""
    model, inputs = twins[name][0], all_inputs(name)
    heads = [step for step in model.steps if hasattr(step, "project_queries")]
    kept = None if even is None else heads[even].project_queries.get_weights()
    if kept:
        heads[even].project_queries.set_weights([0 * w for w in kept])
    tokens, mask = tokens_of(name, inputs)
    answers = answers_of(name, tokens, mask)
    asked = answers.sum(axis=-1) > 0.5
    same = model(tokens).numpy().argmax(axis=-1) == answers.argmax(axis=-1)
    if kept:
        heads[even].project_queries.set_weights(kept)
    return np.mean((same | ~asked).all(axis=1))


for name in ("sort", "induction"):
    shares = [texts_right(name), texts_right(name, 0), texts_right(name, 1)]
    print(f"{name:10} as it is {shares[0]:4.0%}, ", end="")
    print(f"head 1 even {shares[1]:4.0%}, head 2 even {shares[2]:4.0%}")
    assert shares[0] > 0.99
    assert shares[2] < 0.1
    assert (shares[1] > 0.6) == (name == "sort")

# %% [markdown]
# Most texts stay right, so most of what this head does is to take the average. (Where it is not quite even, it helps
# with the rest.) The twin of `induction`, whose maps look like ours, breaks down without either of its heads. So the
# training has found our program once, and once another one that is just as right.
#
# ## A twin that cuts a corner
#
# There is a third case. In the program that adds two numbers, each digit is a token that says in which column it
# stands, so two tokens share a column. Each column needs to know whether a 1 is carried over to it. Look at 299 + 301:
# the carry into the highest column comes from the *lowest*, because a column whose sum is 9 only hands on what it gets.
# So the second head of our program looks for the nearest lower column whose sum is not 9:
#
# * if the sum there is 10 or more, a 1 is carried over to me;
# * if it is 8 or less, none is;
# * if there is no such column, the head finds `^`, and none is.
#
# The twin adds nine pairs out of ten without a mistake. But its second head has nearly nothing in common with ours: it
# looks at its own column. Its first head looks there, too, and a little at the next lower column. Farther down neither
# looks much. What will the twin do when the next column has a 9?

# %% tags=["hide-input"]
pairs = np.random.default_rng(5).integers(0, 5000, size=(20000, 2))
digits = pairs[..., None] // 10 ** np.arange(4) % 10
nines = digits.sum(axis=1) == 9
passed = np.zeros_like(nines, int)  # so many columns below me have a 9, in a row
for column in range(1, 4):
    passed[:, column] = np.where(nines[:, column - 1], passed[:, column - 1] + 1, 0)

tokens, mask = tokens_of("addition", pairs)
sums = pairs.sum(axis=1)[:, None] // 10 ** np.arange(4) % 10
model = twins["addition"][0]
learnt = np.argmax(model(tokens)[:, 1:5], axis=-1) == sums
program = TASKS["addition"].make()
written = np.argmax(program(tokens, mask=mask)[:, 1:5], axis=-1) == sums
print("columns with a 9 below   digits   trained right   written right")
for number in (0, 1, 2):
    these = passed == number
    shares = learnt[these].mean(), written[these].mean()
    print(f"{number:22} {these.sum():8,} {shares[0]:15.1%} {shares[1]:15.1%}")
assert written.all()
assert learnt[passed == 0].mean() > 0.98 > 0.9 > learnt[passed == 1].mean()
assert learnt[passed == 1].mean() > learnt[passed == 2].mean()

# %% [markdown]
# It has mostly learnt that carries come from next door. For more than nine columns out of ten that is so, and the rest
# was too rare to be learnt in 700 steps. The share of right answers to random sums hardly shows it: one must know which
# sums to ask for. Of a program that somebody has written one knows what it does, and why it is right.
#
# ## Who found this, and when
#
# Gail Weiss, Yoav Goldberg and Eran Yahav described what a Transformer does as a small language in 2021, and called it
# RASP. `select` and `aggregate` are their words, and so are the counting with a first token and the sorting by counts.
# David Lindner and others wrote a compiler for it in 2023, Tracr, which turns such programs into the weights of a
# Transformer. Alexander Rush made puzzles of it. Also in 2023 Hattie Zhou and others proposed a rule of thumb: what a
# Transformer has learnt on short inputs tends to stay right on longer ones if a short program in this language does the
# task for every length.
#
# ## Exercises
#
# ### Exercise 1
#
# Write a causal head: each token finds out at which place the last a stood, its own place included. (If there was none
# so far, any answer will do.) You need two selectors, and may add them.

# %% tags=["answer"]
letter, place = features(3, 8)
one = place @ np.ones((8, 1))  # a feature that is 1 for every token
an_a = select(one, letter, lambda query, key: 8 if key == 0 else 0)
latest = select(one, place, lambda query, key: key)
last_a = aggregate(an_a + latest, place)

text = "bacabb"
tokens, mask = rows([text], "abc", length=8)
found = (
    last_a(tokens, mask=mask, causal=True)[0, : len(text)].numpy().argmax(axis=-1)
)
print("place of the last a:", found[1:])
assert [text.rindex("a", 0, i + 1) for i in range(1, len(text))] == found[
    1:
].tolist()

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why 8?</summary>
#
# Being an a must count for more than standing as far to the right as possible. The best place alone brings 7, so an a
# at place 0 needs at least 8.
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
# ? A query has chosen no key. What does its head bring back?
# - zeros | The weights of a row add up to 1, as long as a key is visible.
# + the average of all visible tokens | All scores are equal.
# - what the token itself holds | It is one of many, and its score is no better than the others.
# ? A twin answers as its program does, on every text. What follows for its heads?
# - they look where those of the program look | The twin that sorts does not.
# + nothing yet | One must change the heads, and see what breaks.
# - they are sharper than those of the program | Ours are as sharp as can be, and twins are more blurred.
# ```
#
# ## Where to go next
#
# You can now write a head, and not only train one. This was the last lesson so far. You have built every part of a
# model of today, and know how to ask of each part whether it is needed: take it out, and measure.
#
# * [Learn](index.md): all lessons.
# * [Design a head](../design_a_head.py): puzzles in which you press a head's switches.
#
# Read on elsewhere: Weiss, Goldberg and Yahav (2021), [Thinking Like Transformers](https://arxiv.org/abs/2106.06981);
# Lindner and others (2023), [Tracr: Compiled Transformers as a Laboratory for
# Interpretability](https://arxiv.org/abs/2301.05062); Zhou and others (2023), [What Algorithms can Transformers Learn?
# A Study in Length Generalization](https://arxiv.org/abs/2310.16028).

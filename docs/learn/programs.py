# ---
# title: Programs with attention
# description: Heads whose numbers are written and not learnt. A table of wishes becomes a head, one head counts, and two sort, each right on all 9,840 texts.
# ---

# %% [markdown]
# # What would you have to write into W_Q and W_K?
#
# In the [last lesson](induction.py) training found a head that looks at the letter before. Now nobody trains: **you**
# write the numbers. Can you write heads that *sort* a text, so that `cabacb` becomes `aabbcc`?
#
# Let us begin with the head that you know.
#
# ## Yes and no
#
# Take a short text, `cab`. Each letter becomes a row, its *token*: zeros, with a 1 for its letter (a, b or c) and a 1
# for its place, counted from 0.
#
# Now each place wishes for the place before it, and place 0 for itself. In a *table of wishes* a row is a place that
# looks, and a column is a place that is looked at: 1 for yes, 0 for no. The table goes into $W_Q$:
#
# --8<-- "diagrams/table_of_wishes.svg"
#
# In the token the place is a row of zeros with a single 1. Times the table it picks out one row, which is the query.
# The query times a key picks out one number of this row. So **a score is an entry of the table.**

# %%
import numpy as np

tokens = np.array([[0, 0, 1, 1, 0, 0], [1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1]])
nothing = np.zeros((3, 3))
W_Q = np.vstack([nothing, [[1, 0, 0], [1, 0, 0], [0, 1, 0]]])
W_K = np.vstack([nothing, np.eye(3)])

scores = (tokens @ W_Q) @ (tokens @ W_K).T  # no root, which would only shrink a yes
powers = np.exp(scores)
weights = powers / powers.sum(axis=-1, keepdims=True)
print("scores of place 2: ", scores[2])
print("weights of place 2:", weights[2].round(3))

# %% [markdown]
# The scores are as we wished, but the weights are not. Place 2 gives the a no more than 0.576, because a softmax turns
# a lead of 1 into a factor of only $e = 2.718$. So a yes must be worth more.
#
# **Turn the yes up, until each place fetches a single letter. Then press the wishes: what does a place fetch that has
# two of them, and what does one without any?**

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
# **Whoever is wished for gets an equal share, and where nobody is wished for, everybody gets one.**
#
# ## Select and aggregate
#
# Nobody wants to fill in such matrices for each new head. Four functions do it for us:
#
# | function | what it does |
# | --- | --- |
# | `features` | makes two matrices: one cuts the letter out of a token, the other the place |
# | [`select`][clear_attention.select] | asks your function who wishes for whom, and fills $W_Q$ and $W_K$ |
# | [`aggregate`][clear_attention.aggregate] | is told what to bring back, and makes a yes worth 128 |
# | `rows` | writes texts as tokens, with a mask for the places behind a shorter text |
#
# With 128 all others get nothing at all, because $e^{-128}$ is so small that the computer rounds it to 0. The names
# `select` and `aggregate` come from RASP, a small programming language for what a Transformer does, which Gail Weiss,
# Yoav Goldberg and Eran Yahav proposed in 2021.
#
# From now on each text begins with a sign `^`, so that the first letter, too, has somebody before it. The alphabet is
# `^`, a, b and c, which makes 4, and the places are 0 to 8, which makes 9:

# %%
from clear_attention import aggregate, select
from clear_attention.programs import features, rows

letter, place = features(4, 9)
# What counts of the query's token, what of the key's, and who wishes for whom:
before = select(place, place, lambda query, key: key == max(query - 1, 0))
head = aggregate(before, letter)

tokens, mask = rows(["^cab"], "^abc", length=9)
fetched = head(tokens, mask=mask)[0, :4].numpy().argmax(axis=-1)
print("^cab fetches", "".join("^abc"[i] for i in fetched))

# %% [markdown]
# Is this head right in each text of one to eight letters?

# %% tags=["hide-input"]
from itertools import product

sizes = range(1, 9)
texts = ["^" + "".join(t) for n in sizes for t in product("abc", repeat=n)]
signs = np.array([*"^abc"])


def check(answers, wanted):
    """Compare the answers of each text's letters with what a function of the text says."""
    pairs = zip(answers, texts, strict=True)
    right = [[*line[1 : len(text)]] == wanted(text[1:]) for line, text in pairs]
    print(f"{sum(right):,} of {len(texts):,} texts are right")
    return right


by_place = select(
    *[features(3, 3)[1]] * 2, lambda query, key: key == max(query - 1, 0)
)
np.testing.assert_array_equal(by_place.queries, W_Q)
np.testing.assert_array_equal(by_place.keys, W_K)
assert fetched.tolist() == [0, 0, 3, 1]
tokens, mask = rows(texts, "^abc", length=9)
fetched = head(tokens, mask=mask).numpy().argmax(axis=-1)
right = check(signs[fetched], lambda text: ["^", *text[:-1]])
assert right == [True] * 9840

# %% [markdown]
# **It is, and we know why:** each place wishes for one place, and a yes leaves the others nothing.
#
# ## Can a head count? { #what-a-head-cant-do-count }
#
# Looking back was easy. To sort a text, each letter must know how many are smaller. First an easier count: how often
# does each letter occur? Let each letter look at the letters like itself, which hand over a 1 each. To an a of `abca`
# comes back a 1, and not a 2, because attention takes an average, and the average of ones is 1.
#
# So a head can't count. But it can *share*. Think of a cake cut into equal pieces: whoever sees one piece knows how
# many share it. So let `^` have a piece, too, and see how large it is:
#
# --8<-- "diagrams/cake.svg"
#
# **Whom must each letter look at? Press the wishes until the count is right in all texts. Then take the second task,
# the one for sorting.**

# %% tags=["live", "remove-input"]
from fractions import Fraction

# What comes back to the letters of abca, where each hands over a 1 to those like itself.
like_itself = select(letter, letter, lambda query, key: key == query)
tokens, mask = rows(["^abca"], "^abc", length=9)
ones = letter @ np.array([[0.0], [1], [1], [1]])
back = aggregate(like_itself, ones)(tokens, mask=mask)[0, 1:5, 0].numpy()
np.testing.assert_allclose(back, 1, atol=1e-6)
# The pieces of the drawing, and what the questions at the end of the page say.
drawn = Path("../diagrams/cake.svg").read_text(encoding="utf-8")
pieces = re.findall(r'class="number"[^>]*>([^<]+)<', drawn)
assert pieces == [str(Fraction(1, n + 1)) for n in range(4)]
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
# **If it looks at `^`, too, a head can count in its own way: beside $n$ letters, `^` gets $1 / (n + 1)$.** A
# feed-forward network turns this into $n$, because it can [hold a table](feed_forward.py#many-alarms-one-table).
#
# ## Two heads: sorting
#
# When people line up by height, whoever counts those who are smaller knows that at least so many will stand before him.
# So in the first head each letter of `cabacb` counts the smaller ones. A feed-forward network writes the count into
# free columns of the letter's token, as a **note**:
#
# --8<-- "diagrams/line_up.svg"
#
# The second head looks at these notes. Place 3 fetches a b, because the first b has counted 2 before it. But place 4
# must get a b, too, and nobody has counted 3.
#
# **Let the places fetch one after the other. By which rule does each of them find its letter?**

# %% tags=["live", "remove-input"]
from clear_attention import programs
from head_puzzles import PUZZLES

TEXT = "^cabacb"
tokens, mask = rows([TEXT], "^abc", length=9, depth=4 + 9 + 1 + 9)
maps = programs.sort()(tokens, mask=mask, return_weights=True).weights
below, for_place = (weights.numpy()[0, 0] for weights in maps)
smaller = [sum(other < sign for other in TEXT[1:]) for sign in TEXT[1:]]
drawn = Path("../diagrams/line_up.svg").read_text(encoding="utf-8")
lined_up = {  # the letters, their notes, and who stands at the places
    "letter": [*TEXT[1:]],
    "note": [str(m) for m in smaller],
    "place": [*"123456"],
    "fetched": sorted(TEXT[1:]),
}
for name, row in lined_up.items():
    assert re.findall(rf'class="{name}"[^>]*>([^<]+)<', drawn) == row
np.testing.assert_allclose(below[1:7, 0], 1 / (np.array(smaller) + 1), atol=1e-6)
for place_, row in enumerate(for_place[1:7, 1:7], start=1):
    best = max(m for m in smaller if m < place_)
    assert [m == best for m in smaller] == (row > 0.4).tolist()
assert smaller == [4, 0, 2, 0, 4, 2]
assert len(PUZZLES) == 10
touch(
    "seats",
    "<p>In cabacb the notes are 4, 0, 2, 0, 4 and 2. Places 3 and 4 fetch a letter with the note 2, a b.</p>",
    text="cabacb",
    place=0,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>The rule</summary>
#
# **Each place looks for the largest note below its own number.** So one note can fill several places.
#
# </details>
#
# Now we write it down. The first head writes the share of `^` into each token. Then a feed-forward network turns this
# share into the count. It fills nine columns, called `smaller`, of which only that of the count gets a 1.
#
# <details class="lesson-more" markdown="1"><summary>For the curious: how ReLUs find the count</summary>
#
# Take the column for the count 1, and call the share $s$. The column must be 0 at $s = 1/3$, 1 at 1/2 and 0 at 1. That
# is a slope of 6 and then one of -2, which is 8 less: $6 \,\text{ReLU}(s - 1/3) - 8 \,\text{ReLU}(s - 1/2)$.
#
# </details>

# %% tags=["hide-input"]
from clear_attention.programs import Program, look_up

# Two more matrices cut out free columns for notes: 1 for the share of ^, 9 for the count.
letter, place, share, smaller = features(4, 9, 1, 9)
is_begin = letter[:, :1]  # the one number that is 1 for ^, and 0 for all others

# ^ is 0, a is 1, b is 2, c is 3. "into" says which columns the head writes.
below_me = select(letter, letter, lambda query, key: key < query or key == 0)
head_1 = aggregate(below_me, is_begin, into=share)

tokens, mask = rows(["^cabacb"], "^abc", length=9, depth=4 + 9 + 1 + 9)
# The residual: the note is added to the token.
tokens = np.array(tokens + head_1(tokens, mask=mask))

counts = np.arange(8, -1, -1)  # from 8 down to 0, so that the shares rise
network = look_up(share, 1 / (counts + 1), np.eye(9)[counts], into=smaller)

tokens = tokens + np.array(network(tokens))
print("notes:", (tokens @ smaller)[0, 1:7].argmax(axis=-1))
_, begins, bends, starts = network.get_weights()
np.testing.assert_allclose(begins[-3:], [-1 / 3, -1 / 2, -1])
of_count_1 = 4 + 9 + 1 + 1  # its column; above a share of 1 there is nothing to say
np.testing.assert_allclose(bends[:, of_count_1], [0] * 6 + [6, -8, 2], atol=1e-4)
assert starts[of_count_1] == 0
np.testing.assert_allclose(
    [6 * (1 / 2 - 1 / 3), 6 * (1 - 1 / 3) - 8 * (1 - 1 / 2)], [1, 0]
)

# %% [markdown]
# So far a wish was a yes or a no. In the second head it is a number: the larger, the more it is wanted. **Fill in what
# a place wishes, so that it finds its note by the rule:**
#
# ```python
# # query is the number of the place, key the note of a letter.
# my_place = select(place, smaller, lambda query, key: ...)
# # ^ has the note 0, too, so it must be unwanted: wishes can be added up.
# not_begin = select(place, letter, lambda query, key: -1 if key == 0 else 0)
# head_2 = aggregate(my_place + not_begin, letter)
# ```

# %% tags=["answer"]
# query is the number of the place, key the note of a letter: larger is better, below its number.
my_place = select(place, smaller, lambda query, key: key if key < query else -1)
# ^ has the note 0, too, so it must be unwanted.
not_begin = select(place, letter, lambda query, key: -1 if key == 0 else 0)
head_2 = aggregate(my_place + not_begin, letter)

fetched = head_2(tokens, mask=mask)[0, 1:7].numpy().argmax(axis=-1)
print("the places fetch", "".join("^abc"[i] for i in fetched))

# %% [markdown]
# Such a row of heads and networks is a **program**. Does it sort each of the 9,840 texts?

# %% tags=["hide-input"]
program = Program([head_1, network, head_2])
tokens, mask = rows(texts, "^abc", length=9, depth=4 + 9 + 1 + 9)
fetched = program(tokens, mask=mask).numpy().argmax(axis=-1)
right = check(signs[fetched], sorted)
assert right == [True] * 9840
kept = programs.sort()(tokens, mask=mask).numpy().argmax(axis=-1)
for ours, theirs, text in zip(fetched, kept, texts, strict=True):
    assert ours[1 : len(text)].tolist() == theirs[1 : len(text)].tolist()

# %% [markdown]
# **It does,** and there was nothing to train. You have written a machine that sorts, and can say what each of its
# numbers is for.
#
# Our counting and our sorting are from RASP. In 2023 David Lindner and others wrote Tracr, which turns such programs
# into the weights of a Transformer.
#
# <details class="lesson-more" markdown="1"><summary>For the curious: what nobody can write</summary>
#
# In 2020 Michael Hahn took a simple question: is the number of ones in a row of zeros and ones odd? Change one sign,
# and the right answer turns over. But the answer of a Transformer hardly moves on a long row, he proved, as an average
# hardly moves when one of many numbers changes. So it can't be sure. In 2022 David Chiang and Peter Cholak [wrote the
# weights](https://arxiv.org/abs/2202.12172) all the same: theirs gets every row right, on paper, where numbers have
# digits without end.
#
# </details>
#
# ## Exercises
#
# ### Exercise 1
#
# Write a causal head that tells each token at which place the last a stood, its own place included: how much is an a
# wanted, and how much a place? There is no `^` here, so in the code a is 0, b is 1 and c is 2. Before the first a any
# answer will do.
#
# ```python
# letter, place = features(3, 8)
# an_a = select(place, letter, lambda query, key: ...)
# latest = select(place, place, lambda query, key: ...)
# last_a = aggregate(an_a + latest, place)
# ```

# %% tags=["answer"]
letter, place = features(3, 8)
an_a = select(place, letter, lambda query, key: 8 if key == 0 else 0)
latest = select(place, place, lambda query, key: key)
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
# 8 to lead by 1.
#
# </details>
#
# ### Exercise 2
#
# Are there more a's than b's in a text? One head tells it, without counting: what comes back to each letter shall be
# above 0 for more a's, below 0 for more b's, and else 0. Whom does it look at, and what is handed over?
#
# ```python
# letter, place = features(4, 9)
# hands_over = letter @ np.array([[...], [...], [...], [...]])  # of ^, a, b and c
# voters = select(letter, letter, lambda query, key: ...)
# vote = aggregate(voters, hands_over)
# ```

# %% tags=["answer"]
letter, place = features(4, 9)
hands_over = letter @ np.array([[0], [1], [-1], [0]])
voters = select(letter, letter, lambda query, key: key in (1, 2))
vote = aggregate(voters, hands_over)

tokens, mask = rows(texts, "^abc", length=9)
said = np.sign(vote(tokens, mask=mask)[..., 0].numpy().round(3))
right = check(
    said, lambda text: [np.sign(text.count("a") - text.count("b"))] * len(text)
)
assert right == [True] * 9840

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why it also holds without a and b</summary>
#
# Each a hands over 1 and each b -1, so the average of them has the sign that is asked for. In `^cc` nobody is wished
# for, so each letter takes the average of everybody, and all of these hand over 0.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("programs")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? A head adds two selections, "letters like me" and "the place before me", each with a yes of 128. The text is `abba`, without `^`. At what does the last a look?
# - at everybody, because the place before it holds no a | Adding is not "and". One yes still beats no yes.
# + at both a's and at the b before it, a third each | Each of the three has one yes, and nobody has both.
# - at both a's, a half each | The b at the place before it has one yes as well.
# ? Somebody lets a yes be worth 10. In a text of 100,000 letters a place wishes for one of them. How much weight does this letter get?
# - 1.00, as in the first piece | There the others were two.
# - 0.99995 | One other gets 0.00005 times as much, but all others together get more.
# + 0.18 | It has 22,026 for each 1 of the others, but there are 99,999 of these.
# ? The head that counts gets a look-ahead mask. In `^abcaab`, which count does the a at place 4 find?
# + 2 | It sees `^`, the a at place 1 and itself. So `^` gets 1/3.
# - 3 | The a at place 5 comes later, and is hidden.
# - 1 | A look-ahead mask leaves its own place, and what comes before it.
# ```
#
# </details>
#
# ## Where to go next
#
# Training found two heads by itself. Was that luck?
#
# * [What training finds](twins.py): would it have written the same heads?
# * [Design a head](../design_a_head.py): ten more puzzles, each checked on all short texts.
#
# Read on elsewhere: Weiss, Goldberg and Yahav (2021), [Thinking Like Transformers](https://arxiv.org/abs/2106.06981);
# Lindner and others (2023), [Tracr: Compiled Transformers as a Laboratory for
# Interpretability](https://arxiv.org/abs/2301.05062); Rush and Weiss (2023), [Thinking Like Transformers, with pictures
# and a small library](https://srush.github.io/raspy/).

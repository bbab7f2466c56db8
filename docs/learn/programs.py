# ---
# title: Programs with attention
# description: Heads whose numbers are written and not learnt. A table of wishes becomes a head that is right in all 9,840 texts, and another one counts, though it only takes averages.
# ---

# %% [markdown]
# # What would you have to write into W_Q and W_K?
#
# The machine of the [last lesson](induction.py) is right 98 times in 100. In which texts will it be wrong? We found
# some of them, but nobody has a rule for all, because nobody wrote its numbers: training found them.
#
# Now **you** write the numbers. Your first head will look at the letter before, as a head of that machine does. But it
# never fails, and you will know why. Then we ask for something that seems out of reach for a machine that only takes
# averages: can a head count?
#
# ## Yes and no
#
# Take a short text, `cab`. Each letter becomes a row of six numbers, which we call the *token* of the letter. Three of them say which letter it is, a, b or c, and three say at which place it stands, counted from
# 0. In each three, one number is 1 and the others are 0.
#
# Now each place makes a wish: "I want to look at the place before me." (Place 0 has nobody before it, and wishes for
# itself. No mask hides anything here, so a place may look at any other.) We write these wishes into a table. A row is a
# place that looks, a column is a place that is looked at, and a 1 means yes:
#
# | who looks | place 0 | place 1 | place 2 |
# | --- | --- | --- | --- |
# | place 0 | 1 | 0 | 0 |
# | place 1 | 1 | 0 | 0 |
# | place 2 | 0 | 1 | 0 |
#
# A wish is nothing but a score, the one that we would like to get. So this *table of wishes* is a table of scores, and
# we need matrices that produce it. Put the table into the last three rows of $W_Q$, which belong to the place, and let
# $W_K$ do no more than cut out the place:
#
# --8<-- "diagrams/table_of_wishes.svg"
#
# Follow the b on the left. The part of its token that says "place 2" is 0, 0, 1. Times the table, this picks out one
# row: all wishes of place 2. They are the query. The key of the a is 0, 1, 0, and in the dot product it picks out one
# number of the query, the wish of place 2 for place 1. So **each score is an entry of the table of wishes.**
#
# Does NumPy agree?

# %%
import numpy as np

tokens = np.array([[0, 0, 1, 1, 0, 0], [1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1]])
nothing = np.zeros((3, 3))
W_Q = np.vstack([nothing, [[1, 0, 0], [1, 0, 0], [0, 1, 0]]])
W_K = np.vstack([nothing, np.eye(3)])

queries, keys = tokens @ W_Q, tokens @ W_K
scores = queries @ keys.T  # without the root, which would only shrink a yes
powers = np.exp(scores)
weights = powers / powers.sum(axis=-1, keepdims=True)
print("scores of place 2: ", scores[2])
print("weights of place 2:", weights[2].round(3))

# %% [markdown]
# The scores are as we wished, but the weights are not. Place 2 gives the a only 0.576 of its weight, because the
# softmax turns a lead of 1 into a factor of only $e = 2.718$. So a yes must be worth more than 1. How much more?
#
# **Turn the yes up until each place fetches a single letter. Then press the wishes: what does a place fetch that has
# two of them, and what does a place fetch that has none?**

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
# **With a large yes, a place shares its weight equally among all that it wishes for, and a place without a wish shares
# it among everybody.** That follows from the softmax, which gives equal weights to equal scores.
#
# ## Select and aggregate
#
# You would not want to fill in two matrices for each new head, so from now on four small functions do it. Let us write
# the same head once more. This time a sign `^` stands in front of each text, at place 0, so that the first letter, too,
# has somebody before it. That makes four signs, `^`, a, b and c, and for texts of up to eight letters nine places, 0 to
# 8:

# %%
from clear_attention import aggregate, select
from clear_attention.programs import features, rows

letter, place = features(4, 9)
before = select(place, place, lambda query, key: key == max(query - 1, 0))
head = aggregate(before, letter)

tokens, mask = rows(["^cab"], "^abc", length=9)
fetched = head(tokens, mask=mask)[0, :4].numpy()  # for each place four numbers
fetched = fetched.argmax(axis=-1)  # and the sign whose number is 1
print("^cab fetches", "".join("^abc"[i] for i in fetched))

# %% [markdown]
# Here is what the four functions did:
#
# | function | what it does |
# | --- | --- |
# | `features` | makes two matrices of 13 rows, for 4 signs and 9 places: `letter` has 4 columns and cuts the letter out of a token, and `place` has 9 and cuts out the place |
# | [`select`][clear_attention.select] | asks your function for each wish, and fills $W_Q$ and $W_K$ |
# | [`aggregate`][clear_attention.aggregate] | makes the head: it fetches what you name, here the letter, and a yes is worth 128 |
# | `rows` | writes texts as tokens, with a mask for the places behind a shorter text |
#
# The line with `select` is the one to understand. In the `lambda`, query and key are no vectors, but plain numbers.
# Because the first argument is `place`, the query is the number of the place that looks. Because the second is `place`,
# too, the key is the number of the place that is looked at. The `lambda` is the table of wishes: it says yes if the key
# is one less than the query (and `max` lets place 0 look at itself).
#
# Why 128? Even at 10 each of the others gets a hair of weight, and in a long text hairs add up. But $e^{-128}$ is so
# small that a number of four bytes rounds it to 0, so all others get nothing at all. The names `select` and `aggregate`
# come from RASP, a small programming language for what a Transformer does. Gail Weiss, Yoav Goldberg and Eran Yahav
# proposed it in 2021.
#
# Is this head right in each text of one to eight letters? There are $3 + 3^2 + \dots + 3^8 = 9{,}840$, few enough to
# try them all:

# %% tags=["hide-input"]
from itertools import product

sizes = range(1, 9)
texts = ["^" + "".join(t) for n in sizes for t in product("abc", repeat=n)]
signs = np.array([*"^abc"])


def check(answers, wanted, given=texts):
    """Compare the answers of each text's letters with what a function of the text says."""
    pairs = zip(answers, given, strict=True)
    right = [[*line[1 : len(text)]] == wanted(text[1:]) for line, text in pairs]
    print(f"{sum(right):,} of {len(given):,} texts are right")
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
# **The head is right in all of them, and we know why:** each place wishes for one place only, and the others get
# nothing.
#
# ## Can a head count? { #what-a-head-cant-do-count }
#
# Looking back was easy. Now each letter shall say how often it occurs in the text. In `abca` each a should say 2, and
# the b and the c should say 1.
#
# Here is a first idea. Let each letter look at all the letters like itself, and let each of these hand over a 1. In
# `abca` the first a looks at two a's, and gets a 1 from both. We hope that 2 comes back. But attention takes an
# average, and the average of ones is 1. With fifty a's it would still be 1.
#
# So a head can't add up. But it has to share its weight, and sharing leaves a trace. Think of a cake that is cut into
# equal pieces: once you see how large one piece is, you know how many people share the cake. So let us always invite
# one more guest, the sign `^`, and look at the size of its piece:
#
# --8<-- "diagrams/cake.svg"
#
# **Whom must each letter look at? Press the wishes until the count is right in all texts.**

# %% tags=["live", "remove-input"]
from fractions import Fraction

from clear_attention.programs import look_up

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
by_number = select(letter, place, lambda query, key: key == query)
tokens, mask = rows(["^cabb"], "^abc", length=9)
_, weights = aggregate(by_number, letter)(tokens, mask=mask, return_weights=True)
assert weights[0, 0, 3:5].numpy().argmax(axis=-1).tolist() == [2, 2]
so_far = select(letter, letter, lambda query, key: key in (0, query))
tokens, mask = rows(["^abcaab"], "^abc", length=9)
so_far = aggregate(so_far, letter[:, :1])(tokens, mask=mask, causal=True)
np.testing.assert_allclose(so_far[0, 4, 0], 1 / 3, atol=1e-6)
# The table of a feed-forward network: its bends for the count 1.
counts = np.arange(8, -1, -1)
table = look_up(np.eye(1), 1 / (counts + 1), np.eye(9)[counts], into=np.eye(9))
_, begins, bends, starts = table.get_weights()
np.testing.assert_allclose(begins[-3:], [-1 / 3, -1 / 2, -1])
np.testing.assert_allclose(bends[:, 1], [0] * 6 + [6, -8, 2], atol=1e-4)
assert starts[1] == 0
np.testing.assert_allclose(
    [6 * (1 / 2 - 1 / 3), 6 * (1 - 1 / 3) - 8 * (1 - 1 / 2)], [1, 0]
)
touch(
    "looks",
    "<p>If a letter looks at nobody in particular, it shares its weight among all. If each looks at letters like itself"
    " and at ^, an a of abca gives ^ the weight 1/3, and the b gives it 1/2.</p>",
    text="abca",
    texts=["abca", "cabacb", "bbb"],
    task=0,
    wishes=np.zeros((3, 4), int).tolist(),
)

# %% [markdown]
# **A head counts by sharing: if a letter looks at `^` and at all $n$ letters like itself, `^` gets $1 / (n + 1)$ of the
# weight.** From this share one reads off $n$: a half means 1, a third means 2.
#
# In the code only `^` hands over a 1, so what comes back to a letter is the share of `^`:

# %%
is_begin = letter[:, :1]  # the one number that is 1 for ^, and 0 for all others
like_me = select(letter, letter, lambda query, key: key in (0, query))  # ^ is 0
head = aggregate(like_me, is_begin)

# texts and check are those from "Show the code" above
tokens, mask = rows(texts, "^abc", length=9)
share = head(tokens, mask=mask)[..., 0].numpy()
counted = (1 / share - 1).round()
right = check(counted, lambda text: [text.count(sign) for sign in text])
assert right == [True] * 9840

# %% [markdown]
# **So a head that can only take averages counts right in all 9,840 texts.** The last step, from the share to the
# number, was ours: `1 / share - 1`. In a machine a feed-forward network takes it, because it can [hold a
# table](feed_forward.py#many-alarms-one-table).
#
# <details class="lesson-more" markdown="1"><summary>For the curious: how ReLUs find the count</summary>
#
# The network has an output for each count, which must be 1 for this count and 0 for all others. Take the one for the
# count 1, and call the share $s$. The output must be 0 at $s = 1/3$, 1 at 1/2 and 0 at 1. So it rises with a slope of 6
# and falls with one of -2, which is 8 less: $6 \,\text{ReLU}(s - 1/3) - 8 \,\text{ReLU}(s - 1/2)$.
#
# </details>
#
# The authors of RASP count in this way, too.
#
# Now go one step further. A letter that can count those like itself can also count the *smaller* ones. And when people
# line up by height, whoever knows how many are smaller knows where to stand. So a machine that counts can sort.
#
# ## Exercises
#
# ### Exercise 1
#
# Write a head that turns a text of six letters around, so that `cabacb` fetches `bcabac`. Then try it on texts of other
# lengths. Why do nearly all of these go wrong, and is there a table of wishes that turns texts of every length around?
#
# ```python
# letter, place = features(4, 9)
# mirror = select(place, place, lambda query, key: ...)
# turn_around = aggregate(mirror, letter)
# ```

# %% tags=["answer"]
letter, place = features(4, 9)
# 1 looks at 6, 2 at 5, and so on.
mirror = select(place, place, lambda query, key: key == 7 - query)
turn_around = aggregate(mirror, letter)


def turned(given):
    tokens, mask = rows(given, "^abc", length=9)
    fetched = turn_around(tokens, mask=mask).numpy().argmax(axis=-1)
    return check(signs[fetched], lambda text: [*text[::-1]], given)


of_six = [text for text in texts if len(text) == 7]  # with ^
assert turned(of_six) == [True] * 3**6
others = [text for text in texts if len(text) != 7]
by_luck = [
    text for text, right in zip(others, turned(others), strict=True) if right
]
print("by luck:", by_luck[:4])

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why only six letters?</summary>
#
# Place 1 must fetch the last letter. In texts of six letters that is place 6, and in texts of five it is place 5. But a
# wish knows only the two places, and not how long the text is, so no table gets both right. Somebody must find out the
# length first, and a second head can use it. The program [`reverse`](../reference/programs.md) does so.
#
# </details>
#
# ### Exercise 2
#
# Are there more a's than b's in a text? One head can tell, and it need not count. What it brings back to each letter
# should be above 0 if there are more a's, below 0 if there are more b's, and 0 if there are as many. Whom does each
# letter look at, and what do `^`, a, b and c hand over?
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
# <details class="lesson-answer" markdown="1"><summary>Why it is right even without an a and a b</summary>
#
# Each a hands over 1 and each b hands over -1, so their average has the sign that we want. In `^cc` nobody is wished
# for, so each letter takes the average of everybody, and here everybody hands over 0.
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
# ? A head is made with `select(letter, place, lambda query, key: key == query)`. The letters are numbered: ^ is 0, a is 1, b is 2 and c is 3. The text is `^cabb`. Where does each b look?
# - at both b's | For this the key would have to be a letter, too. Here it is a place.
# - at the place before it | For this the query would have to be the number of its own place. Here it is the number of its letter.
# + at the a at place 2 | The query of a b is 2, and the key is a place.
# ? Somebody lets a yes be worth 10. In a text of 100,000 letters a place wishes for one of them. How much weight does this letter get?
# - 1.00, as in the first piece | There were only two others there.
# - 0.99995 | One other letter gets 0.00005 times as much, but all the others together get more.
# + 0.18 | It gets 22,026 times as much as each other letter, but there are 99,999 of these.
# ? The head that counts gets a look-ahead mask. In `^abcaab`, which count does the a at place 4 find?
# + 2 | It sees `^`, the a at place 1 and itself. So `^` gets 1/3.
# - 3 | The a at place 5 comes later, and is hidden.
# - 1 | A look-ahead mask leaves its own place, and all that comes before it.
# ```
#
# </details>
#
# ## Where to go next
#
# You have written a head that looks back and a head that counts. Next you put two heads together.
#
# * [Heads that sort](sorting.py): how do two heads sort a text?
# * [Design a head](../design_a_head.py): ten more puzzles, each checked on all short texts.
#
# Read on elsewhere: Weiss, Goldberg and Yahav (2021), [Thinking Like Transformers](https://arxiv.org/abs/2106.06981);
# Rush and Weiss (2023), [Thinking Like Transformers, with pictures and a small
# library](https://srush.github.io/raspy/); Yehudai and others (2024), [When Can Transformers Count to
# n?](https://arxiv.org/abs/2407.15160).

# ---
# title: Heads that sort
# description: One head alone can't sort a text, and three short texts show why. Two heads and a small network, all written by hand, sort each of 9,840 texts.
# ---

# %% [markdown]
# # How do two heads sort a text?
#
# A machine gets `cabacb` and hands back `aabbcc`. Today you write it: two heads and a small network between them. Not
# one of its numbers is trained, and yet it must be right in all 9,840 texts of up to eight letters.
#
# You know the parts from the [last lesson](programs.py): tables of wishes, `select` and `aggregate`, and a head that
# counts. But why two heads? Let us first try with one.
#
# ## Is one head enough? { #why-one-head-is-not-enough }
#
# As in the last lesson, the sign `^` stands at place 0, and the text begins at place 1. In the sorted text place 1 must
# hold the smallest letter, place 2 the next one, and so on. So each place has to fetch its letter from somewhere in the
# text.
#
# For place 1 that is easy. A wish is a score, so it may be any number and not only yes or no. The largest wish takes
# all the weight, because a yes is worth 128, as before: a wish that is larger by 1 makes a score that is larger by 128.
# So let place 1 want an a by 3, a b by 2 and a c by 1, and it fetches the smallest letter of every text.
#
# Place 2 is harder. Here are three short texts, each with a b at place 2:
#
# | text | sorted | place 2 must fetch | so what must it want more? |
# | --- | --- | --- | --- |
# | `abc` | `abc` | `b` | its own b than the a at place 1 |
# | `cba` | `abc` | `b` | its own b than the a at place 3 |
# | `aba` | `aab` | `a` | one of the two a's than its own b |
#
# **Can you find three such wishes: how much should place 2 want its own b, an a at place 1, and an a at place 3?**
#
# <details class="lesson-answer" markdown="1"><summary>Can you?</summary>
#
# It can't be done. In `aba` both a's stand where they stood in the texts above, so all three wishes are the same as
# before, and the b wins again. Place 2 never notices that this time there are *two* a's.
#
# **One head alone, in which the largest wish takes all, can't sort, because a score compares two tokens and knows
# nothing of the rest of the text.**
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>For the curious: can't two a's outvote the b?</summary>
#
# With softer wishes they can. If the b has the power 1 and each a has 0.8, one a loses against the b, and two a's win.
# But in longer texts this fails, too. Let place 3 hold a c. In `aacbcccc` it must fetch a b, so one b must weigh more
# than two a's, wherever they stand. Then four b's weigh more than eight a's. But in `aacabbbb` three a's must win
# against four b's.
#
# And if a feed-forward network may follow? Then one head is enough: it brings back how much of the text is a, b and c,
# and a network can hold a table of all the rest. [A trained machine](twins.py#does-head-1-only-average) does something
# like it.
#
# </details>
#
# What place 2 lacks is some number about the whole text. One head has to find it out and write it down, before another
# head can use it. You know this from [the two layers that copy](induction.py#so-somebody-must-write-it-down). But which
# number?
#
# ## How many are smaller?
#
# Think of people who line up by height. If you count four who are smaller than you, you know that these four will stand
# in front of you. You stand fifth, or farther back if others are as tall as you. So each letter needs one number: how
# many letters are smaller? Here are the letters of `cabacb` as people. The sign `^` stands at place 0, and it isn't
# counted:
#
# --8<-- "diagrams/line_up.svg"
#
# Under each letter stands its number, and at the bottom all have lined up.
#
# A head can find these numbers, because it can count. In the last lesson each letter looked at `^` and at the letters
# like itself. **Press the wishes, so that each letter counts the smaller ones instead.**

# %% tags=["live", "remove-input"]
import itertools
import re
import sys
from pathlib import Path

import numpy as np

sys.path.append("../_site")  # in a clone
from clear_attention import aggregate, select
from clear_attention.programs import features, rows
from live import touch

# Three texts, and the order in which place 2 wants the letters of all of them.
WANTED = {"abc": "b", "cba": "b", "aba": "a"}
letters_at = sorted(
    {letter + str(i) for text in WANTED for i, letter in enumerate(text)}
)
most = max(
    sum(
        next(at[0] for at in order if text[int(at[1])] == at[0]) == wanted
        for text, wanted in WANTED.items()
    )
    for order in itertools.permutations(letters_at)
)
assert most == 2
for text, place_, wanted in (("aacbcccc", 3, "b"), ("aacabbbb", 3, "a")):
    assert (text[place_ - 1], sorted(text)[place_ - 1]) == ("c", wanted)
# What the questions at the end of the page say.
kind, where = features(3, 4)
both = select(kind, kind, lambda query, key: key == query)
both += select(where, where, lambda query, key: key == query - 1)
_, weights = aggregate(both, kind)(
    rows(["abba"], "abc", length=4)[0], return_weights=True
)
np.testing.assert_allclose(weights[0, 0, 3], [1 / 3, 0, 1 / 3, 1 / 3], atol=1e-6)
touch(
    "looks",
    "<p>If each letter looks at ^ and at all smaller letters, a c of cabacb gives ^ the weight 1/5, a b gives it 1/3,"
    " and an a gives it 1.</p>",
    text="cabacb",
    texts=["cabacb", "abca", "bbb"],
    task=1,
    wishes=[[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]],
)

# %% [markdown]
# **If a letter looks at `^` and at all smaller letters, the share of `^` tells how many these are:** the whole means 0,
# a third means 2, a fifth means 4.
#
# This number has to stand in the letter's token, or else the second head can't look at it. So we make the tokens
# longer, by ten numbers that are 0 at first: one for the share, and nine for the count. The first head writes the
# share:

# %%
import numpy as np
from clear_attention import aggregate, select
from clear_attention.programs import Program, features, look_up, rows

# 4 numbers say the letter, 9 the place, and the rest is free: 1 for the share, 9 for the count.
# Each of these four is a matrix: tokens @ share cuts the share out of each token,
# and into=share says that a head writes there.
letter, place, share, smaller = features(4, 9, 1, 9)
is_begin = letter[:, :1]  # the one number that is 1 for ^, and 0 for all others

# ^ is 0, a is 1, b is 2, c is 3. "into" says where the head writes.
below_me = select(letter, letter, lambda query, key: key < query or key == 0)
head_1 = aggregate(below_me, is_begin, into=share)

tokens, mask = rows(["^cabacb"], "^abc", length=9, depth=4 + 9 + 1 + 9)
tokens = tokens + np.array(head_1(tokens, mask=mask))  # the residual
print("shares:", (tokens @ share)[0, 1:7, 0].round(2))

# %% [markdown]
# Now a feed-forward network turns each share into the count. It [holds a table](programs.py#what-a-head-cant-do-count),
# and of the nine numbers it sets the one for this count to 1:

# %%
counts = np.arange(
    8, -1, -1
)  # from 8 down to 0: look_up wants the shares in rising order
shares = 1 / (counts + 1)  # for each count its share: 1/9, 1/8 ... 1
answers = np.eye(9)[counts]  # and a row with a single 1, at place 8, 7 ... 0
network = look_up(
    share, shares, answers, into=smaller
)  # reads a share, writes its row

tokens = tokens + np.array(network(tokens))
print("notes:", (tokens @ smaller)[0, 1:7].argmax(axis=-1))

# %% [markdown]
# Head and network have *added* what they found to the token, as a [residual](transformer_layer.py) does. They wrote
# only where the token was 0, so it still says which letter it is and where it stands. What they wrote is a **note**.
#
# ## Which letter does a place fetch?
#
# The second head reads the notes. Place 3 fetches a b, because the b's have noted 2: two letters stand in front of
# them, so the first b stands at place 3. But place 4 must get a b, too, and no letter has noted 3.
#
# **Let the places fetch one after the other. By which rule does each place find its letter?**

# %% tags=["live", "remove-input"]
from clear_attention import programs

TEXT = "^cabacb"
assert (tokens @ share)[0, 1:7, 0].round(2).tolist() == [0.2, 1, 0.33, 1, 0.2, 0.33]
long_tokens, long_mask = rows([TEXT], "^abc", length=9, depth=4 + 9 + 1 + 9)
maps = programs.sort()(long_tokens, mask=long_mask, return_weights=True).weights
below, for_place = (weights.numpy()[0, 0] for weights in maps)
notes = [sum("^" < other < sign for other in TEXT) for sign in TEXT]
assert (tokens @ smaller)[0, :7].argmax(axis=-1).tolist() == notes
drawn = Path("../diagrams/line_up.svg").read_text(encoding="utf-8")
lined_up = {  # the signs, their notes, and who stands at the places
    "letter": [*TEXT],
    "note": [str(note) for note in notes],
    "place": [*"0123456"],
    "fetched": sorted(TEXT),
}
for name, row in lined_up.items():
    assert re.findall(rf'class="{name}"[^>]*>([^<]+)<', drawn) == row
np.testing.assert_allclose(below[:7, 0], 1 / (np.array(notes) + 1), atol=1e-6)
notes = notes[1:]
for place_, row in enumerate(for_place[1:7, 1:7], start=1):
    best = max(note for note in notes if note < place_)
    assert [note == best for note in notes] == (row > 0.4).tolist()
assert notes == [4, 0, 2, 0, 4, 2]
touch(
    "seats",
    "<p>In cabacb the notes are 4, 0, 2, 0, 4 and 2. Places 3 and 4 fetch a letter with the note 2, a b.</p>",
    text="cabacb",
    place=0,
)

# %% [markdown]
# **Each place looks for the largest note below its own number.** At place 4 that is the 2 once more, since nobody has
# noted 3. So it fetches from both b's, and their average is a b. Why can that never fail? The next larger note is this
# note plus the number of equal letters. The b's have noted 2, and there are two of them, so the c's have noted 4.
# Places 3 and 4 find the 2, and the 4 is below a place only from place 5 on.
#
# ## Two wishes in one head
#
# What is left is to write this second head. Its query is the number of a place, and its keys are the notes. But there
# is a snag: `^` has noted a 0, because nothing is smaller, and so place 1 would fetch `^` along with the a's. Each
# place needs a second wish: "and nothing from `^`".
#
# Two wishes can be added. `select(...) + select(...)` lays the queries of both side by side, and the keys as well. Then
# the dot product of the longer rows is the sum of both dot products. So **when you add two selections, their scores add
# up.**
#
# **Now fill in the first wish: how much does a place want a note, so that it finds its letter by the rule?** (Take
# place 1, and the notes 0, 2 and 4. It looks for the 0, so it must want the 2 and the 4 less than the 0.)
#
# ```python
# # query is the number of the place, key is the note of a letter.
# my_place = select(place, smaller, lambda query, key: ...)
# # Key 0 is ^: it is wanted by 1 less than without this line.
# not_begin = select(place, letter, lambda query, key: -1 if key == 0 else 0)
# head_2 = aggregate(my_place + not_begin, letter)
# ```

# %% tags=["answer"]
# A larger note is wanted more, as long as it is below the number of the place. The others get -1,
# because a note of 0 may be the right one, and must be wanted more than they are.
my_place = select(place, smaller, lambda query, key: key if key < query else -1)
# ^ is 0: it is wanted by 1 less than without this line.
not_begin = select(place, letter, lambda query, key: -1 if key == 0 else 0)
head_2 = aggregate(my_place + not_begin, letter)

fetched = head_2(tokens, mask=mask)[0, 1:7].numpy().argmax(axis=-1)
print("the places fetch", "".join("^abc"[i] for i in fetched))

# %% [markdown]
# Head, network and head in a row make a **program**. Does it sort each of the 9,840 texts?

# %% tags=["hide-input"]
from itertools import product

sizes = range(1, 9)
texts = ["^" + "".join(t) for n in sizes for t in product("abc", repeat=n)]
signs = np.array([*"^abc"])


def check(program, wanted):
    """Compare what each place of each text fetches with what a function of the text says."""
    tokens, mask = rows(texts, "^abc", length=9, depth=4 + 9 + 1 + 9)
    fetched = signs[program(tokens, mask=mask).numpy().argmax(axis=-1)]
    pairs = zip(fetched, texts, strict=True)
    right = [[*line[1 : len(text)]] == wanted(text[1:]) for line, text in pairs]
    print(f"{sum(right):,} of {len(texts):,} texts are right")
    return right


program = Program([head_1, network, head_2])
right = check(program, sorted)
assert right == [True] * 9840

# %% [markdown]
# **Two heads and a small network sort all 9,840 texts, and nothing in them was trained.** You have written a machine
# that sorts, and you can say why it can't fail.
#
# This way of sorting comes from RASP, the language to which we owe `select` and `aggregate`. In 2023 David Lindner and
# others wrote Tracr, which turns programs in RASP into the weights of a whole Transformer.
#
# Is there anything that one can't write in this way?
#
# <details class="lesson-more" markdown="1"><summary>For the curious: a question that attention finds hard</summary>
#
# In 2020 Michael Hahn took a simple question: is the number of ones in a row of zeros and ones odd? Change a single
# sign, and the right answer turns into its opposite. But the output of a Transformer hardly moves, as an average of
# many numbers hardly moves when one of them changes. He proved that on long rows it can't be sure of its answer.
#
# In 2022 David Chiang and Peter Cholak [wrote the weights](https://arxiv.org/abs/2202.12172) nevertheless. Their
# machine gets every row right, on paper, where a number may have digits without end.
#
# </details>
#
# ## Exercises
#
# ### Exercise 1
#
# Let the program sort the other way round, so that `cabacb` becomes `ccbbaa`. You need to change only one of its lines.
# Which one?

# %% tags=["answer"]
above_me = select(letter, letter, lambda query, key: key > query or key == 0)
head_1 = aggregate(above_me, is_begin, into=share)

backwards = Program([head_1, network, head_2])
right = check(backwards, lambda text: sorted(text, reverse=True))
assert right == [True] * 9840

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why this is enough</summary>
#
# Now each letter counts the *larger* ones, because these will stand in front of it. The rest of the program only asks
# who has noted how many, and does not care what was counted.
#
# </details>
#
# ### Exercise 2
#
# Write a causal head that tells each token at which place the last a stood, its own place included. It needs two
# wishes: how much is an a wanted, and how much is a place? There is no `^` here, so a is 0, b is 1 and c is 2. What the
# head says before the first a does not matter.
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
# Being an a must count for more than standing far to the right. The last place alone is wanted by 7, so an a at place 0
# must be wanted by 8 to lead by 1.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("sorting")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? A head adds two selections, "letters like me" and "the place before me", each with yes and no. The text is `abba`, without `^`. At what does the last a look?
# - at everybody, because the place before it holds no a | Adding is not "and". One yes still beats no yes.
# + at both a's and at the b before it, a third each | Each of the three has one yes, and nobody has both.
# - at both a's, a half each | The b at the place before it has one yes as well.
# ? Can the two heads of the program stand side by side in one layer, as heads mostly do?
# + no | The second head asks for notes, and they must be written before it looks.
# - yes, if each has its own columns | They have them. But what the first one writes comes only after the layer.
# - yes, because a head never sees the other | That is just why it can't be. The second must see what the first has found.
# ? The text is `^bbbb`. What do the b's note, and what does place 3 fetch?
# - 0, 1, 2 and 3, and so the third b | Only smaller letters are counted, and a b is not smaller than a b.
# - all of them 0, and so nothing, because nobody has noted 2 | The largest note below 3 is 0. It need not be 2.
# + all of them 0, and so a quarter of each b | The four b's share the weight, and their average is a b.
# ```
#
# </details>
#
# ## Where to go next
#
# You found the two steps by thinking of people in a line. Training has never seen people in a line. Would it have found
# the same?
#
# * [What training finds](twins.py): would it have written the same heads?
# * [Programs](../reference/programs.md): eight of them are in the package, and one even adds numbers.
#
# Read on elsewhere: Lindner and others (2023), [Tracr: Compiled Transformers as a Laboratory for
# Interpretability](https://arxiv.org/abs/2301.05062); Hahn (2020), [Theoretical Limitations of Self-Attention in Neural
# Sequence Models](https://arxiv.org/abs/1906.06755); Chiang and Cholak (2022), [Overcoming a Theoretical Limitation of
# Self-Attention](https://arxiv.org/abs/2202.12172).

# ---
# title: Bug detective
# description: A box holds attention, sound or broken. Press probes, see what changes, and name the bug. Ten cases a game.
# hide: [toc]
# ---

# %% [markdown]
# # Bug detective
#
# A model trains, its loss falls, and still something is wrong inside. How do you find a bug in code that runs without
# complaint? You change what goes in, and watch what comes out. Here you can practise that.
#
# - The **box** is a function that somebody wrote. Five words go in, each as a list of numbers, and one output for each word
#   comes out. An output is a mean of the words, in which some count more than others. How much each one counts is
#   called its weight, and the code that finds the weights is called *attention*.
# - Each word has three lists of numbers. Its **query** asks, its **key** is what others find it by, and its **value** is what it
#   hands over. A query is compared with each key: this gives a score, and a function called softmax turns the scores into weights.
#   Here all three lists are the word itself.
# - The box makes **three promises**. A word is not told what comes later in the sentence: that is hidden by a look-ahead mask. No word is told what stands in the padding, which fills up a sentence that is too short: that is hidden by a padding mask. (Here padding stands in front, because at the end the look-ahead mask would hide it anyway.) And
#   nothing else counts: not chance, not the other sentences of the batch, and not the order of the words that come before.
# - A **probe** changes one thing in the input, and says which outputs changed. You also read what a healthy box would do.
# - The **suspects** are twenty bugs, and health: some boxes are sound. A broken box has one bug.
#
# Every box is code that really runs, and every number below was computed by it while this page was built.
#
# ## One case, step by step
#
# A box got the sentence "rain fell on the roof". These are three of its probes.

# %% tags=["hide-input"]
import sys

sys.path += ["../_site"]
from bug_detective import CASES, PROBES
from bug_detective.exhibits import findings, ruled_out, sentence_of
from IPython.display import Markdown, display

case = next(case for case in CASES if case.name == "one-step-ahead")
assert " ".join(sentence_of(case)) == "rain fell on the roof"
found = dict(zip([probe.name for probe in PROBES], findings(case), strict=True))
lines = ["| probe | what it does | what happens |", "| --- | --- | --- |"]
for probe in PROBES:
    if probe.name in ("padding", "equal", "future"):
        lines.append(f"| {probe.title} | {probe.does} | {found[probe.name].says} |")
display(Markdown("\n".join(lines)))

# %% [markdown]
# "Change the padding" shows nothing wrong: the real words stay as they were. So the padding is hidden, as promised.
# "Make all words equal" shows nothing wrong, either. A mean of five equal words is this word again, so the weights of
# each word sum to 1.
#
# "Change a later word" gives the bug away. Word 4 was replaced. Words 4 and 5 may notice that: word 4 *is* the new
# word, and word 5 comes after it. But word 3 changed too, and it should not have been told. Words 1 and 2 did not
# notice. If no mask hid the future at all, they would have noticed as well. So each word sees exactly one word too
# many, the next one: the mask begins one word too late. This is the code, and the line that is wrong:

# %%
import inspect

print(inspect.getsource(case.box))
print("mended:", case.mended)
assert found["future"].key == "ssmmm"  # s: the word stays; m: it changes
assert all(ruled_out(case, other) for other in ("healthy", "open", "lost", "after"))

# %% [markdown]
# ## Now you
#
# Ten cases are drawn for you. Press as many probes as you like, then choose from the list. Your first answer counts. If
# it is wrong, you are told which probe rules it out, and you can try again. All ten probes together always leave a
# single suspect: the build of this page fails if two of them cannot be told apart. After each case you also read what
# [`certify`][clear_attention.certify] would have asked, the tool of this package that checks such promises. If a word
# in the list is new to you, look it up in the [glossary](../glossary.md).

# %% tags=["live", "hide-input"]
from bug_detective import facts, still
from live import bug_detective

bug_detective(facts(), still())

# %% [markdown]
# The number of your game stands in the address of the page, so a link gives somebody else the same ten cases. Which
# cases you named at once is kept in this browser only, until you erase it.
#
# ## What the names in the code mean
#
# A box gets `q`, `k` and `v`, the queries, keys and values, and `padding`, which is 1 where padding stands. The boxes
# share a few functions: `blocked` makes the mask as it should be, in which 1 hides a key from a query. `scores_of`
# compares queries with keys, divided by the root of their width. `hide` puts a large negative number where the mask is
# 1. `triangle` makes a look-ahead mask that begins on a given diagonal, and `finite` puts 0 in the place of NaN ("not a
# number").
#
# ## And without a game?
#
# [`certify`][clear_attention.certify] presses such probes for you, on your own layer: it is told how the layer is
# called, and asks for each promise with many inputs. [Certify your layer](certify_your_layer.py) says how, and [the
# museum of bugs](museum.py) has a room for each of these bugs, and for more than thirty others. One of the bugs here is
# beyond it: the missing root breaks no promise, so only a comparison finds it. That is why "Double the queries" is
# among the probes.

# ---
# title: Design a head
# description: Ten puzzles. Press switches until a head of attention copies, reverses or counts, and see at once on which texts it fails.
# hide: [navigation, toc]
# ---

# %% [markdown]
# # Design a head
#
# Training finds the numbers of a head. Here you choose them yourself, until the head does what a puzzle asks for. Each
# change is tried at once on all texts of up to five letters a, b and c. A text begins with a start sign, written ^.
#
# - A **feature** is something that can be read in a token, such as "I am an a" or "I stand at place 2". It is 1 if that is so, and 0 if not. One feature is called "always", and it is 1 in every token.
# - A **switch** joins a feature of the query with a feature of the key. The switch where row a meets column b says: a
#   query that is an a looks for keys that are a b. Its **strength** is a number from −5 to 5. Strength 0 is off. Below 0,
#   the query looks away.
# - The **score** of a query and a key is 10 times the sum of the strengths of all switches that fit both. The softmax
#   turns the scores of a row into weights. A score that is higher by 10 gets [22,000 times](learn/attention.py#why-divide-by-the-root-of-d_k) the weight, so nearly all of it. Equal scores share it equally.
#
# Then the head sums what the keys hand over, by these weights. If nine tenths of what comes in are one letter, this
# letter is written. In some puzzles the keys hand over whether they are the start sign. Then what comes in is the share
# of the start sign, the small number beside the answer. Where the start sign and n letters share the weight equally, it
# is 1 / (n + 1). So a share of 1/2 is read as 1, a share of 1/3 as 2, and so on; a question mark stands where it fits
# no number. (In puzzle 7, "yes" is written below 0.4.)
#
# Press a switch to turn it on or off. Its strength is set below the table. Queries and keys may read several things at
# once: press all that you need. What you switch off there comes back when you press it again.

# %% tags=["live", "hide-input"]
import sys

sys.path += ["_site"]
from head_puzzles import still
from live import head_designer

head_designer(still())

# %% [markdown]
# With the keyboard, the arrows move, space turns a switch on or off, and + and − change its strength. **Par** is the
# fewest switches with which we could solve a puzzle. A solved puzzle earns one star, and a puzzle solved at par earns
# two. The stars stay in this browser until you erase them. The address of the page keeps your head, so a link shows it
# to somebody else.
#
# ## Four things to find out
#
# 1. **How can a head copy a letter without knowing its place?** The first puzzle takes three switches. With places it
#    takes five. Look at the weights of the text "aabaa" in both cases.
# 2. **How can a mean count?** The weights of a row sum to 1. If the start sign and n letters share them equally, the
#    start sign gets 1 / (n + 1). So a head that hands over "I am the start sign" tells n.
# 3. **Which puzzles need no place at all?** For these the head takes a text for a bag of letters: it would give the
#    same answers if the letters changed places. But one of them asks about the order all the same. What tells it the
#    order there?
# 4. **Why can "before me" not be said in one switch?** Every place is a feature of its own here, and nothing tells the
#    head that 2 comes after 1. [Positions that turn](learn/turning_positions.py) know distances.
#
# ## Where are W_Q and W_K?
#
# The table of switches is both of them, multiplied. Write the features of a token as a row of zeros and ones. Take
# "Copy myself": an a is (1, 0, 0), a b is (0, 1, 0). The matrix W_Q has the strengths in it, here 1 on its diagonal,
# times 10, times the root of d_k, by which the scores will be divided. So the query of an a is (10, 0, 0), but for this
# root. The matrix W_K only picks the features of the key, (1, 0, 0) for an a and (0, 1, 0) for a b. The dot products
# are 10 and 0. W_V picks what is handed over. Then the scores are those of [the
# formula](learn/attention.py#the-formula). Here are the solutions that we keep, tried on all texts with the function of
# the package:

# %% tags=["hide-input"]
from head_puzzles import PUZZLES, right, texts
from IPython.display import Markdown, display

rows = ["| puzzle | par | right on |", "| --- | --- | --- |"]
for puzzle in PUZZLES:
    solved = right(puzzle, puzzle["solution"])
    rows.append(f"| {puzzle['title']} | {puzzle['par']} | {solved} of {len(texts(puzzle))} texts |")
    assert solved == len(texts(puzzle))
    assert puzzle["solution"].count(":") == puzzle["par"]
display(Markdown("\n".join(rows)))

# %% [markdown]
# Two heads, one after the other, can do what none of these does alone: find an earlier place where the same letter
# stood, and write what came after it there. [Induction](learn/induction.py) is the lesson on such a pair.
# [Programs with attention](learn/programs.py) writes such heads, and [Heads that sort](learn/sorting.py) puts two of them together.

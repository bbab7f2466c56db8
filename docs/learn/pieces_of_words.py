# ---
# title: Pieces of words
# description: How a text becomes tokens. Glue the commonest pair by hand, cut your own words, see what a piece saves and what it costs, and why strawberry is hard to spell.
# ---

# %% [markdown]
# # How many r are in 73700?
#
# Somebody asks GPT-4 (2023) a question. What the model gets to see are seven numbers:
#
# **4438 · 1690 · 436 · 527 · 304 · 73700 · 30**
#
# Each number stands for a piece of the text. Number 436 is a letter, and number 73700 is a word. How often does the
# letter stand in the word? You see all that the model sees. What do you answer?
#
# The question is "How many r are in strawberry?" Number 436 is " r", and 73700 is " strawberry", each with the space
# before it. Now you see three r, and the model still sees none.
#
# [Our language model](language_model.py) reads letters, so nothing is hidden from it. Why is hardly any large machine
# built like that?
#
# ## Neither letters nor words
#
# **Letters are too short.** What a machine takes as one unit is a *token*, and our model looks back at 128 of them. If
# these are letters, they make about two lines of print, and if every letter looks back twice as far, in a text that is
# twice as long, that takes [four times as many scores](long_sequences.py#what-if-the-matrix-does-not-fit).
#
# **Words are too many.** Each would need a vector of its own in the table, and tomorrow somebody writes a new one.
#
# So we want something in between: common words in one piece, and rare ones in several. To find such pieces, you only
# have to count.
#
# ## Glue what stands together, by hand { #by-hand }
#
# Cut a text into letters. Find the two neighbours that stand side by side most often, and glue them together
# everywhere. Then begin again, and treat what is glued as one piece. This is *byte pair encoding*, or BPE. Philip Gage
# (1994) glued like this to make files smaller, and Sennrich and others (2016) to cut words.
#
# In "she sees these cheeses" an h stands before an e three times, but an e stands before an s four times. So the first
# piece is "es". The e of "these" is inside "es" now, so its h has lost it.
#
# It sounds best to glue the commonest pair first. If several are equally common, we take the one that comes first in
# the text. In three rounds, this turns 22 letters into 15 pieces. **Can you get to 14?**

# %% tags=["live", "remove-input"]
import sys

sys.path.append("../_site")
from live import touch

touch(
    "gluing",
    "<p>“she sees these cheeses” has 22 letters. Gluing the commonest pair in each of three rounds leaves 15 pieces.</p>",
    text="she sees these cheeses",
    chosen=[],
    rounds=3,
    first=15,
    best=14,
)

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>How to get to 14</summary>
#
# Begin with h and e, then glue e and s, then s and e: 22 letters become 19, 16 and 14 pieces. There is also a way that
# keeps to the rule, and chooses among equally common pairs: e and s, then e and "es", then e and the space.
#
# </details>
#
# **To glue the commonest pair first is not enough: with equally common ones, it depends on which you take, and this
# method never looks ahead.** But it is quick, and even a long text needs nothing else.
#
# Let your machine glue. What is missing?
#
# ```python
# def glued(pieces, a, b):  # each a that stands before a b is glued to it
#     found = []
#     for piece in pieces:
#         if found and (found[-1], piece) == (a, b):
#             ...
#         else:
#             ...
#     return found
#
# print(glued([*"she sees"], "e", "s"))  # ['s', 'h', 'e', ' ', 's', 'e', 'es']
# ```


# %% tags=["answer"]
def glued(pieces, a, b):
    found = []
    for piece in pieces:
        if found and (found[-1], piece) == (a, b):
            found[-1] += piece
        else:
            found.append(piece)
    return found


print(glued([*"she sees"], "e", "s"))
assert glued([*"she sees"], "e", "s") == [*"she se", "es"]

# %% [markdown]
# ## Rules from a manual
#
# What does the method find in a long text? Let it read the manual of Python, as our language model did. We cut the text
# into words first, so that no piece reaches into the next word:

# %% tags=["hide-input"]
import re
import sys
from collections import Counter
from itertools import pairwise

# The text is read by a program of the repository, so this cell needs a clone.
sys.path.append("../..")
from trained.language import decode, texts

train_ids, held_out = texts()
seen, unseen = decode(train_ids), decode(held_out)
WORD = re.compile(r" ?\w+| ?[^\w\s]+|\s+")  # a word, other signs, or space


def learn(words, rounds):
    """Return the pairs to glue, in their order; words: how often each word comes."""
    cuts, rules = {word: [*word] for word in words}, []
    for _ in range(rounds):
        pairs = Counter()
        for word, times in words.items():
            for pair in pairwise(cuts[word]):
                pairs[pair] += times
        a, b = pairs.most_common(1)[0][0]
        rules.append((a, b))
        for word in words:
            if a + b in word:
                cuts[word] = glued(cuts[word], a, b)
    return rules


def cut_word(word, rules):
    pieces = [*word]
    for a, b in rules:
        if a + b in word:
            pieces = glued(pieces, a, b)
    return pieces


def cut(text, rules):
    pieces = {word: cut_word(word, rules) for word in {*WORD.findall(text)}}
    return [piece for word in WORD.findall(text) for piece in pieces[word]]


rules = learn(Counter(WORD.findall(seen)), 2000)
new = [a + b for a, b in rules]
for ending in ("ing", "ment", "ation"):
    print(f"piece {new.index(ending) + 1}: {ending}")

# %% [markdown]
# **By counting alone, the method has found three endings of English words among its first hundred pieces.** Nobody told
# it what an ending is.
#
# Each pair that it has glued is a *rule*. To cut a new text, begin with its letters, and glue by the same rules in the
# same order. Letters stay pieces, so even a new word can be cut, as long as its letters are known. GPT begins with the
# 256 bytes, so that no letter is unknown.

# %% tags=["remove-input"]
pieces = [*"she sees these cheeses"]
assert Counter(pairwise(pieces))["h", "e"] == 3
assert Counter(pairwise(pieces)).most_common(1) == [(("e", "s"), 4)]
for _ in range(3):
    ((a, b), _), *_ = Counter(pairwise(pieces)).most_common()
    pieces = glued(pieces, a, b)
assert len(pieces) == 15
best = [*"she sees these cheeses"]
for pair, count, left in (("he", 3, 19), ("es", 3, 16), ("se", 2, 14)):
    assert Counter(pairwise(best))[tuple(pair)] == count
    best = glued(best, *pair)
    assert len(best) == left
assert len(best) == 14
assert "".join(cut(unseen, rules)) == unseen
assert {"ing", "ment", "ation"} <= {*new[:100]}
assert len(cut(" strawberry", rules)) == 7
per_piece = len(unseen) / len(cut(unseen, rules[:1000]))
assert 2.9 < per_piece < 3.4
assert f"{per_piece:.1f}" == "3.1"
assert round(per_piece**2) == 10
often = Counter(cut(seen, rules[:1000]))
assert (new[9], new[999]) == (" the", " into")
assert (round(often[" the"], -2), often[" into"]) == (3500, 36)
assert round(len(seen), -4) == 420_000

# %% [markdown]
# A space, ␣, belongs to the word after it, and may change how that is cut. **Press "Let it glue". Then cut your own
# name, and a sentence that is not English.**

# %% tags=["live", "remove-input"]
few = [
    len(cut(words, rules[:1000])) for words in (" functions", "functions", "zurück")
]
assert few == [1, 2, 4]
touch(
    "cutting",
    f"<p>With 1,000 rules “ functions”, with its space, is {few[0]} piece, “functions” without it is {few[1]} pieces, and"
    f" the German “zurück” is {few[2]}.</p>",
    text="The following functions return strawberries",
    rules=[list(rule) for rule in rules[:1000]],
    counts=[0, 10, 30, 100, 300, 1000],
    chosen=5,
    examples=[
        "strawberry",
        "x is not None",
        "functions",
        "Die folgenden Funktionen",
    ],
)

# %% [markdown]
# **Names and foreign languages fall into crumbs, because the pieces were made for this manual.** So in another language
# the same sentence has more tokens, and chat programs charge by the token.
#
# The strawberries stay in crumbs, too. GPT-4's table is public, and was made in about 100,000 rounds. It holds "
# strawberry" as one piece. Why not glue for as long, then?
#
# ## What pieces save, and what they cost
#
# **Pieces make attention cheaper.** In a tenth of the manual that was kept out, a piece holds 3.1 letters on average,
# if one cuts by the first 1,000 rules. So with the same number of tokens, a machine of pieces looks back 3.1 times as
# far. Or it reads the *same* text, and attention has only 1/3.1 · 1/3.1 ≈ 1/10 of the scores to compute.
#
# **But a rare piece is hard to learn.** Each piece needs a vector of its own, which is learnt only when this piece
# comes up. In the 420,000 letters of the training, piece 10, " the", comes up 3,500 times, and piece 1,000, " into",
# only 36 times. So with little to read, [more rules do not always help](#do-more-rules-always-help). GPT-4 has read so
# much that even its rare pieces came up often.
#
# And what of a piece that hardly ever comes up? In 2023 Rumbelow and Watkins found one that chat programs could not
# repeat. Asked for " SolidGoldMagikarp", a user's name on Reddit, some models grew rude. Probably the name was common
# in the texts from which the pieces were made, and hardly ever stood in those of the training.
#
# ## What can no longer be seen
#
# Back to the strawberry. A number does not say how its piece is spelled, so the **letters** are lost. The model may
# have read somewhere that strawberry is spelled s-t-r-a-w-b-e-r-r-y, but it cannot look.
#
# The **digits** are lost in the same way. GPT-4 cuts a number into groups of three, from the left. Let it add 1234567
# and 89. It sees three pieces, and the 89 as one:
#
# ```text
#   123|456|7
# +       8 9
# ```
#
# Ones must meet ones. The 9 belongs to the 7, which is a piece of its own. But the 8 belongs to the 6 left of the bar,
# which ends another piece. So the 89 would have to be split, and it is one piece. Now write 1,234,567, with commas, and
# it is cut as if from the right (here without its commas):
#
# ```text
#   1|234|567
# +        89
# ```
#
# **With commas, the whole 89 meets the 567.** GPT-3.5 adds much better when numbers are cut like this (Singh and
# Strouse, 2024). So bad arithmetic may be a bad cut.
#
# <details class="lesson-more" markdown="1" id="do-more-rules-always-help"><summary>For the curious: do more rules always help?</summary>
#
# No. Take the rival of [our language model](language_model.py#is-counting-enough), who only counts what came after the
# last tokens: one token, two or three. We count the bits by the letter, so that short pieces and long ones can be
# compared. The dashed line is our machine, which reads letters and has no rules:

# %% tags=["hide-input"] alt="Bits a letter against the number of rules, from none to 2,000. The line of one that sees one token falls from above 3 bits to 2, all the way. With two it falls from 2.5 to 1.8 at 1,000 rules and rises a little at 2,000. With three it begins at 2.0, is lowest between 300 and 1,000, and rises, too. A dashed line for our machine, which sees 128 letters, lies just below them."
import math
from collections import defaultdict

import matplotlib.pyplot as plt
import numpy as np
import trained


def bits_by_counting(order, read, test, kinds):
    """Bits a letter of one who sees so many tokens, and how often he never met them."""
    tables = [defaultdict(Counter) for _ in range(order + 1)]
    for n, table in enumerate(tables):
        for i in range(n, len(read)):
            table[tuple(read[i - n : i])][read[i]] += 1
    bits, strange = 0.0, 0
    for i in range(order, len(test)):
        p = 1 / kinds
        for n, table in enumerate(tables):
            if after := table.get(tuple(test[i - n : i])):
                fresh = len(after)  # as much weight for what was not yet seen here
                p = (after[test[i]] + fresh * p) / (after.total() + fresh)
        bits -= math.log2(p)
        strange += tuple(test[i - order : i]) not in tables[order]
    return bits / len(held_out), strange / (len(test) - order)


numbers = (0, 30, 100, 300, 1000, 2000)
found = {1: [], 2: [], 3: []}
for number in numbers:
    read, test = (cut(text, rules[:number]) for text in (seen, unseen))
    for order, line in found.items():
        line.append(bits_by_counting(order, read, test, 256 + number))
bits = {order: [b for b, _ in line] for order, line in found.items()}
ours = float(trained.load("language")[1]["bits"])
figure, ax = plt.subplots(figsize=(4.8, 3), layout="constrained")
for order, colour in ((1, "#999999"), (2, "#d55e00"), (3, "#0072b2")):
    ax.plot(range(6), bits[order], "o-", color=colour, label=f"sees {order} before")
ax.axhline(ours, color="#009e73", linestyle="--", label="our machine")
ax.set(xlabel="rules", ylabel="bits a letter", ylim=(1.5, 3.5))
ax.legend(frameon=False)
ax.set_xticks(range(6), [f"{number:,}" for number in numbers])
ax.spines[["top", "right"]].set_visible(False)
plt.show()
assert np.all(np.diff(bits[1]) < 0)
assert [round(bits[order][0], 1) for order in (2, 3)] == [2.5, 2.0]
assert bits[1][0] > 3 > 2.1 > bits[1][-1]
assert round(min(bits[2]), 1) == 1.8
assert np.argmin(bits[2]) == 4  # 1,000 rules
assert np.argmin(bits[3]) in (3, 4)
assert bits[3][3] - min(bits[3]) < 0.02  # hardly gains after 300
assert bits[2][-1] > min(bits[2])
assert bits[3][-1] > min(bits[3])
assert found[2][0][1] < 0.01
assert abs(found[2][5][1] - 0.25) < 0.04  # one in four
assert ours < min(map(min, bits.values())) < ours + 0.12

# %% [markdown]
# The one that sees a single token gains by all rules, because a token then holds more letters. The others are best with
# 300 to 1,000 rules. With 2,000 both have begun to lose, probably because they meet many pieces too rarely. With
# letters hardly any pair in the unseen tenth was new, and with 2,000 rules one in four is.
#
# </details>
#
# ## Exercises
#
# ### Exercise 1
#
# We let no piece reach into the next word. What would change if it might? With `learn` and `cut_word` of the folded
# code, learn 300 rules from the first 40,000 letters, once in words and once as if all were a single word. Compare the
# letters a piece, and the first ten pieces.


# %% tags=["answer"]
def shown(pieces):
    return "|".join(pieces).replace(" ", "␣").replace("\n", "⏎")


part = seen[:40_000]
for name, words in (("words", WORD.findall(part)), ("whole", [part])):
    ruled = learn(Counter(words), 300)
    pieces = [piece for word in words for piece in cut_word(word, ruled)]
    first = [shown([a + b]) for a, b in ruled[:10]]
    letters = f"{len(part) / len(pieces):.2f}"
    print(f"{name}: {letters} letters a piece, first:")
    print(" ", *first)
    assert letters == {"words": "2.44", "whole": "2.43"}[name]
assert "e␣" in first

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What does it say?</summary>
#
# The length hardly changes: a piece has 2.43 letters, and with words it had 2.44. But without words an "e" is glued to
# the space behind it. Then "the" is cut in one way before a space and in another before a comma, and the machine must
# learn each by itself.
#
# </details>
#
# ### Exercise 2
#
# Two models look back at 8,192 tokens. The pieces of the first have four letters on average. The second reads bytes.
# How many times as many scores does the second compute for the same text? And which can read a text of 30,000 letters
# at once?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# Four times as many tokens have 4 · 4 = 16 times as many scores. The text is 7,500 pieces, so the first can read it at
# once. The second sees about a quarter of it.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("pieces_of_words")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? `cat` is piece 12 and `cats` is piece 840. What have their two vectors in common before the training?
# - the first three letters | A vector is a row of numbers drawn at random.
# + nothing but chance | That they are nearly the same word must be learnt from texts.
# - all but the s, since 840 was glued from 12 and s | The rule is used for cutting only. The row of 840 is a row like any other.
# ? The order of the rules is lost, and somebody applies them in the order of the alphabet. What happens?
# - nothing, the same pieces come out | If you glue e and s first, no e is left for the h. You saw it with “these”.
# - some texts can't be cut any more | Letters are pieces, so each text can be cut in some way.
# + texts can still be cut, but often into other pieces | The model then gets tokens in places where it was never trained on them.
# ? A text is cut into pieces of 3 letters on average, and a model has a surprise of 4.5 bits a piece. A model of letters has 1.8 bits a letter. Which one plays better?
# - the one of letters, 1.8 is less than 4.5 | A piece holds three letters, so its surprise is that of three.
# + the one of pieces | 4.5 bits for three letters are 1.5 bits a letter.
# - that can't be said, since the tokens differ | Count both by the letter, then it can.
# ```
#
# </details>
#
# ## Where to go next
#
# **Your machine so far:** the half Transformer of two lessons ago, whose table has more rows.
#
# Cut into pieces, a text is shorter, and yet it is written one piece after the other. For each new piece your program
# sends all that is written through the machine once more. How much of that has it computed before?
#
# * [The cache](cache.py): what need not be computed twice.
# * [Train it on your own text](../guides/train_language_model.py): a program that reads bytes.
#
# Read on elsewhere: Sennrich and others (2016), [Neural Machine Translation of Rare Words with Subword
# Units](https://arxiv.org/abs/1508.07909); Watkins (2023), [SolidGoldMagikarp III: Glitch token
# archaeology](https://www.lesswrong.com/posts/8viQEp8KBg2QSW4Yc); Singh and Strouse (2024), [Tokenization counts: the
# impact of tokenization on arithmetic in frontier LLMs](https://arxiv.org/abs/2402.14903).

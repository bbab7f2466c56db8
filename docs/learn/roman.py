# ---
# title: "Now you: Roman numerals"
# description: A project. You teach a Transformer of your own to read Roman numerals, in seven steps with a check each, and find out what it gets wrong and why.
# slow: true
# ---

# %% [markdown]
# # Can you teach it something else?
#
# You have taken a machine apart and put it together again, and all the time it read dates. Is that all it is good for?
# Teach it another thing. It shall get `mcmxciv` and write `1994`.
#
# This lesson is a project. Each of its steps has a task for you, and our own answer is folded below the task. Press the
# button at the top of this page to get it as a notebook, and write your answers there. You need nothing but the package.
# The training takes half a minute on a laptop.
#
# In case you have forgotten them: the signs of Roman numerals are m = 1000, d = 500, c = 100, l = 50, x = 10, v = 5 and
# i = 1. They are written from the largest to the smallest and added up, so `mdclxvi` is 1666. Only if a smaller sign
# stands *before* a larger one is it subtracted: `iv` is 4, `xl` is 40 and `cm` is 900.
#
# ## Step 1: examples
#
# A machine learns from examples, so you need pairs of a numeral and its number. Write a function `roman(n)` that
# returns the numeral of n. (Begin with a table of thirteen signs, in which `cm`, `cd`, `xc`, `xl`, `ix` and `iv` have
# a line of their own. Take the largest sign as often as it fits.) Check: `roman(1994)` is `"mcmxciv"`.

# %% tags=["answer"]
SIGNS = {"m": 1000, "cm": 900, "d": 500, "cd": 400, "c": 100, "xc": 90, "l": 50}
SIGNS |= {"xl": 40, "x": 10, "ix": 9, "v": 5, "iv": 4, "i": 1}


def roman(n):
    text = ""
    for sign, worth in SIGNS.items():
        text += sign * (n // worth)
        n %= worth
    return text


print(roman(1994), roman(1666), roman(3888))
assert (roman(1994), roman(1666)) == ("mcmxciv", "mdclxvi")
assert max((len(roman(n)), roman(n)) for n in range(1, 4000)) == (15, roman(3888))

# %% [markdown]
# Seven signs reach to 3,999. Put 999 of the 3,999 numbers away, and train with the other 3,000. Why not train with all
# of them? Because then you could never tell whether the machine *reads* or has learnt 3,999 answers by heart. So:

# %%
import numpy as np

numbers = np.random.default_rng(0).permutation(np.arange(1, 4000))
known, unseen = numbers[:3000], numbers[3000:]

# %% [markdown]
# ## Step 2: letters become ids
#
# [`CharacterTokenizer`][clear_attention.CharacterTokenizer] gives each character of a text its id. You need two of
# them, one for the seven signs and one for the ten digits. One of the two must be *framed*, so that each of its texts
# begins with the start mark and ends with the end mark. Which one? And what shape do the ids of all numerals have, if
# the longest numeral has 15 letters?

# %% tags=["answer"]
from clear_attention import CharacterTokenizer

letters = CharacterTokenizer("ivxlcdm")
digits = CharacterTokenizer("0123456789", framed=True)
print(letters.encode(["mcmxciv"], length=15))
print(digits.encode(["1994"], length=6))
ids = letters.encode([roman(n) for n in range(1, 4000)])
print("all numerals:", ids.shape)
assert ids.shape == (3999, 15)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why the digits?</summary>
#
# They are the answer. The decoder begins from the start mark, and says the end mark when it has finished. The numeral
# is only read, so it needs neither.
#
# </details>
#
# ## Step 3: the machine and its training
#
# The package has the machine of these lessons as a class, [`Transformer`][clear_attention.Transformer]. It wants to
# know the number of layers, the width, the number of heads, the width of the feed-forward network, and how many ids
# there are on either side. Take the sizes of the date machine: one layer, width 64, four heads, 128. Write a function
# that makes a machine, trains it with pairs, and returns it. All that you need stands in [the program of the date
# machine](training.py#the-program): a learning rate with [warm-up](training.py#warm-up), Adam, the loss, `compile` and
# `fit`. Take 600 steps of 64 pairs each.
#
# Let the function have two arguments, `read` and `write`, which make the text and the answer of a number. You will see
# in step 6 what they are good for.

# %% tags=["answer"]
import keras
from clear_attention import Transformer


def taught(read, write, steps=600):
    """Return a machine that has learnt to go from the text `read(n)` to the text `write(n)`."""
    keras.utils.set_random_seed(0)
    machine = Transformer(
        num_layers=1,
        d_model=64,
        num_heads=4,
        d_ff=128,
        source_vocab=letters.vocab_size,
        target_vocab=digits.vocab_size,
    )
    chosen = np.random.default_rng(1).choice(known, 64 * steps)
    x = letters.encode([read(n) for n in chosen], length=15)
    y = digits.encode([write(n) for n in chosen], length=6)
    rate = keras.optimizers.schedules.CosineDecay(
        0.0, steps - 100, warmup_target=4e-3, warmup_steps=100
    )
    machine.compile(
        keras.optimizers.Adam(rate, beta_2=0.98),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    # the answer goes in without its last id, and must come out without its first
    machine.fit((x, y[:, :-1]), y[:, 1:], batch_size=64, verbose=0)
    return machine


machine = taught(roman, str)
print(f"numbers that were trained: {machine.count_params():,}")

# %% [markdown]
# ## Step 4: does it read?
#
# Let the machine write the 999 numbers that it has never seen. [`greedy_search`][clear_attention.greedy_search] does
# it, and `digits.decode` turns the ids into texts. How many are right? And look at the wrong ones, all of them. What do
# they have in common?

# %% tags=["answer"]
from clear_attention import greedy_search


def written(machine, read, numbers):
    ids = letters.encode([read(n) for n in numbers], length=15)
    return np.array(digits.decode(greedy_search(machine, ids, max_length=6)))


said = written(machine, roman, unseen)
right = said == unseen.astype(str)
print(f"right of 999 that it has not seen: {right.mean():.1%}\n")
wrong = [*zip(unseen[~right], said[~right], strict=True)]
for n, text in wrong[:8]:
    print(f"{roman(n):>12} is {n:4}, and it writes {text}")
lengths = np.array([len(roman(n)) for n in unseen])
for shortest, longest in ((1, 3), (4, 15)):
    these = (lengths >= shortest) & (lengths <= longest)
    print(f"{shortest} to {longest} letters: {right[these].mean():.0%} right")
print(
    "wrong with an ix:", sum("ix" in roman(n) for n, _ in wrong), "of", len(wrong)
)
short_ones = sum(len(roman(n)) <= 3 for n in known)
print("numerals of 1 to 3 letters in the training:", short_ones, "of 3,000")
assert right.mean() > 0.9
assert right[lengths <= 3].mean() < right[lengths > 3].mean()
assert short_ones < 120

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What we saw</summary>
#
# It reads nearly all of them, after half a minute of training. Among the mistakes there are two kinds.
#
# * **Short numerals.** It fails at `m`, which every child can read! But nearly all of the 3,000 numerals are long. A
#   machine learns what it sees often, and not what we find easy.
# * **Numerals with an ix**, where it often adds what should be subtracted: it makes 61 of `lix`, as if it had read
#   `lxi`. To tell the two apart one must know which of two neighbours comes first.
#
# Whether your machine makes the same mistakes depends on chance: with other random numbers at the beginning it makes
# others. Ours are printed above.
#
# </details>
#
# ## Step 5: where does it look?
#
# Call the machine with `return_weights=True`, and draw the weights of the cross-attention for `mcmxciv`, in each of the
# four heads. Which letters must it look at to write the second digit, a 9? Guess before you draw.

# %% tags=["answer"] alt="Four heat maps, one for each head. A row is a digit that is written, 1, 9, 9, 4 and the end, and a column is a letter of mcmxciv. From row to row the bright cells move from left to right through the numeral."
import matplotlib.pyplot as plt
from clear_attention import plot_heads

text_ids = letters.encode(["mcmxciv"])
given = digits.encode(["1994"])[:, :-1]
maps = machine((text_ids, given), return_weights=True).weights["decoder.0.cross"]
plot_heads(maps[0], [*"1994▪"], key_tokens=[*"mcmxciv"])
plt.show()
middle = np.array(maps[0].numpy().mean(axis=0) @ np.arange(7))
assert middle[0] < middle[2] < middle[3]

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Which letters?</summary>
#
# `cm`, the second and the third letter, because together they say 900. No single head has to look at both: one may
# bring back the c and another one the m. And from row to row the heads move to the right, as a finger does that follows
# the numeral. Nobody told them to. (A row is named by the digit that is written, and ▪ is the end mark.)
#
# </details>
#
# ## Step 6: take a part out
#
# How much of the numeral is in the *order* of its letters? Take the order away: *sort the letters* of each numeral before
# it is read, so that `iv` and `vi` both become `iv`. What is left is which letters there are, and how often.
#
# Now comes the best part. Before you train, say how good such a machine can be **at most**. For this, put all numbers
# whose sorted numerals are equal into one group. A machine that reads the same must write the same, so of each group it
# can get only one number right. How many groups are there? Then train, with `taught(shuffled, str)`, and compare.

# %% tags=["answer"]
from collections import defaultdict


def shuffled(n):
    return "".join(sorted(roman(n)))


groups = defaultdict(list)
for n in range(1, 4000):
    groups[shuffled(n)].append(n)
most = len(groups) / 3999
print(f"{len(groups):,} groups for 3,999 numbers: at most {most:.1%} can be right")
print("the largest group:", max(groups.values(), key=len))

orderless = taught(shuffled, str)
share = np.mean(written(orderless, shuffled, unseen) == unseen.astype(str))
print(f"trained without order: {share:.1%} of the unseen numbers are right")
assert most - 0.15 < share < most + 0.04
assert round(most, 3) == 0.565

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# It comes close to what is possible. So this machine has learnt nearly all that can be learnt without order, and no
# longer training, no larger machine would get it much farther. That is worth knowing *before* one trains: a bound that
# costs five lines can save a week. (Of the 999 unseen numbers it may get a little more or less than of all.)
#
# A machine [without positions](positions.py) would know less still. To it `x`, `xx` and `xxx` are the same, because the
# average of equal values is that value, however many there are.
#
# </details>
#
# ## Step 7: your own task
#
# That was ours. Now take one of your own. These four need nothing but another `read` and another `write`, and other
# letters in the tokenizers:
#
# | it reads | it writes | before you train, ask yourself |
# | --- | --- | --- |
# | `1994` | `mcmxciv` | Is this way harder, or easier? Can it count to three? |
# | `nineteen ninety-four` | `1994` | Which words mean two different digits? |
# | `listen` | `eilnst`, its letters sorted | Does it need positions in the encoder? In the decoder? |
# | `34+57` | `91` | Which digit of the sum is hardest, and why? |
#
# Say first what you expect, then train, then look at the mistakes. Take a part out. Whatever you find, you have found
# it as it is found elsewhere.
#
# ## Who found this, and when
#
# Small tasks whose right answer is known are the fruit flies of this field: they breed fast, and one can see inside.
# Zaremba and Sutskever (2014) had a recurrent network run short programs and add long numbers, and saw how much the
# order of the examples matters. Lake and Baroni (2018) made up a small language of commands such as "jump around left",
# and found that networks which read it without a mistake failed at combinations of words that were new to them. Power
# and others (2022) trained a small Transformer on tables of calculations. Long after it knew its own examples by heart
# it suddenly got the others right, too, which they called *grokking*.
#
# ## Exercises
#
# ### Exercise 1
#
# Somebody's machine has never understood subtraction: it reads each sign by itself and adds up all of them, so that
# `iv` is 6. How many of the numbers from 1 to 3,999 does it get right? Work it out with a pencil: which digits of a
# number bring a subtraction with them?

# %% tags=["answer"]
worth = {"m": 1000, "d": 500, "c": 100, "l": 50, "x": 10, "v": 5, "i": 1}
added = [sum(worth[sign] for sign in roman(n)) == n for n in range(1, 4000)]
print(f"{sum(added):,} of 3,999, which is {np.mean(added):.0%}")
assert sum(added) == 4 * 8 * 8 * 8 - 1 == 2047

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>With a pencil</summary>
#
# Only a 4 and a 9 are written with a subtraction. So hundreds, tens and ones may each be one of the other eight digits,
# and the thousands may be 0 to 3. That makes $4 \cdot 8 \cdot 8 \cdot 8 = 2048$, less one for the number 0, which has
# no numeral. So a machine with half of its answers right may have understood nothing of what makes these numerals hard.
#
# </details>
#
# ### Exercise 2
#
# We drew a quarter of all examples from the numerals of at most four letters, so that the machine sees the short ones
# more often. What do you expect for the short numerals, and what for all of them together?
#
# <details class="lesson-answer" markdown="1"><summary>What came out when we tried</summary>
#
# Of the numerals with at most three letters 85 % were right, in place of 74 %. But of all together only 95.6 % were
# right, in place of 97.3 %, because there were fewer examples left for the long ones. (This was one training of each
# kind, on another day, so it is a hint and no more.) What you show more often you buy with what you show less.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import sys

sys.path.append("../_site")
import exercises

exercises.show("roman")

# %% [markdown]
# ```self-check
# ? A machine gets 100 % of its 3,000 training numerals right. What do you know about the other 999?
# + nothing yet | It may have learnt to read, or it may have learnt 3,000 answers by heart.
# - it gets 100 % of them right, too | Only if it reads. By heart it would get none of them.
# - it gets them wrong, since it has not seen them | It may well have learnt to read.
# ? Why must the answer be framed, and not the numeral?
# - because the answer is longer | It is shorter than most numerals.
# + because it is written letter by letter, and somebody must begin and stop | The start mark is the first thing that the decoder is given, and the end mark the last that it says.
# - because digits have no order of their own | Neither have letters. Positions say the order of both.
# ? The letters are sorted before the machine reads them. What can it write at best for `xl` and for `lx`?
# - 40 for both, since `xl` is the right order | It does not know that. Both come to it as `lx`.
# + the same number for both, which is right for one of them | The two are one group.
# - 40 for `xl` and 60 for `lx` | For that it would have to know which letter came first.
# ```
#
# ## Where to go next
#
# This is the end of the first part. You took apart a machine that reads dates, wrote it again in NumPy, saw where its
# numbers come from, and have taught one yourself. When you hear of another machine that is called a Transformer, you can
# now ask which of these parts it has, and which it has exchanged.
#
# * [Norm first or norm last?](norm_first.py) One layer is not a tower. What goes wrong in a tower of twelve?
# * [Use it in a model of your own](../guides/use_it.py), or [check a layer](../guides/certify_your_layer.py) that you
#   have written.
# * [The museum](../guides/museum.py): other people's bugs, each as code that runs.
#
# Read on elsewhere: Zaremba and Sutskever (2014), [Learning to Execute](https://arxiv.org/abs/1410.4615); Lake and
# Baroni (2018), [Generalization without Systematicity](https://arxiv.org/abs/1711.00350); Power and others (2022),
# [Grokking](https://arxiv.org/abs/2201.02177).

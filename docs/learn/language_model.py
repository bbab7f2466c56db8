# ---
# title: From here to GPT
# description: Half of the Transformer, trained on nothing but text. How one text becomes examples, what a bit of surprise is, how letters are drawn with temperature and top-p, and the line from counting letters to GPT.
# ---

# %% [markdown]
# # What is left if nobody gives it anything to read?
#
# Our machine has two halves: one reads a text, the other writes an answer and looks at what was read. Now throw away
# the half that reads, and with it cross-attention, because there is nothing left to look at. What falls away is faint:
#
# --8<-- "diagrams/half.svg"
#
# The half that is left looks at nothing but the letters before, and says which letter comes next. In [your
# machine](recap.py#put-together-by-hand) you would delete `encode`, and in `decode` the argument `context` and the two
# lines of the cross-attention. This is left:
#
# ```python
# def decode(ids, w):
#     y = enter(ids, w["target"])
#     found = multi_head(y, y, w, "decoder.self", look_ahead(len(ids)))
#     y = norm(y + found, *w["decoder.self.norm"])
#     found = feed_forward(y, w, "decoder.forward")
#     y = norm(y + found, *w["decoder.forward.norm"])
#     return linear(y, w["logits"])
# ```
#
# Nobody gives this half a date any more. What can it learn? Train it on a long text.
#
# Here is such a half, which differs from yours in a few parts that are named below. It was trained for two minutes on
# one text, the reference of the Python language, which comes with every Python. Before the training, twice on the way
# and after it, the machine was given the same beginning, "The ", and wrote on. Such a beginning is called a *prompt*:

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import textwrap

import trained
from trained.language import decode as to_text
from trained.language import encode as to_ids
from trained.language import texts

model, record = trained.load("language")
for step, page in zip(record["written_at"], record["written"], strict=True):
    print(f"after {step} steps:" if step else "before the training:")
    shown = "".join(c if c.isprintable() else " " for c in str(page)[:210])
    print(textwrap.fill(shown, 72, initial_indent="    ", subsequent_indent="    "))

# %% [markdown]
# Before the training it mostly repeats its last letter. You will soon see why. (A � is something that is no letter at
# all.) Nobody told it what a word is. First it finds out which letters are common, then words, then how a sentence
# sounds in a manual. It means nothing by what it writes. But such a half, only far larger, is what stands behind the
# chat programs. The best known of them is called GPT, short for *generative pre-trained Transformer*. Pre-trained means
# that it first learns from texts of every kind, and only then, from far fewer examples, to answer questions.
#
# <details class="lesson-more" markdown="1"><summary>The four texts, 600 letters each</summary>

# %% tags=["remove-input"]
for step, page in zip(record["written_at"], record["written"], strict=True):
    shown = "".join(c if c.isprintable() or c == "\n" else " " for c in str(page))
    print(f"--- after {step} steps" if step else "--- before the training")
    for line in shown.split("\n"):
        print(textwrap.fill(line, 100, drop_whitespace=False))
    print()

# %% [markdown]
# </details>
#
# ## A text is full of examples
#
# For dates somebody had to write down right answers. Here the text is its own answer. Cut out any piece of it. At each
# place the machine sees the letters up to there, and has to say which one comes next. The [look-ahead mask](causal.py)
# makes sure that it can't peek. So a piece in which 128 letters are to be predicted is 128 examples at once:

# %% tags=["hide-input"]
train_ids, held_out = texts()
batch, context, steps = 16, 128, int(record["steps"][-1])
piece = "return x"
for place in (1, 2, 3, 7):
    print(f"sees {piece[:place]!r:12} and must say {piece[place]!r}")
print(f"\nexamples in the training: {batch * context * steps:,}")
print(f"letters to learn from:    {len(train_ids):,}")
print(f"letters kept out:         {len(held_out):,}")
assert batch * context * steps > 4 * len(train_ids)

# %% [markdown]
# In each of 1,100 steps the machine was shown 16 such pieces. So it had to predict each letter about five times. A
# tenth of the text was kept out of the training. (A token here is a *byte*, one of 256, and there are three marks
# besides, as for the dates. A letter of English is one byte, and an é is two. We go on calling a token a letter.)
#
# The package calls this half a [`LanguageModel`][clear_attention.LanguageModel]. Nearly all of it you have built: two
# [layers](transformer_layer.py) with the [norm first](norm_first.py), four heads, a look-ahead mask, and [positions
# that turn](turning_positions.py). *GELU*, a smoother bend, replaces ReLU. And the table that turns ids into vectors is
# used a second time, at the end: the logit of an id is the dot product of its vector with what came out of the last
# layer. Say a has the vector (2, 0), b has (1, 1), and (1, 3) came out. Then the logit of a is 2 and that of b is 4, so
# b is more probable. That saves a matrix, which is a large one where there are many tokens, and the table learns from
# both uses. This is called *tying*. It is also why the untrained machine repeats itself: its layers change little of
# what comes in, and the vector that fits a letter best is its own. (A piece is cut out anywhere and has no end mark, so
# `end_id` is `None`.)

# %%
from clear_attention import LanguageModel

fresh = LanguageModel(
    num_layers=2, d_model=128, num_heads=4, d_ff=512, vocab=259, end_id=None
)
fresh.build()
print(f"numbers to train: {fresh.count_params():,}")
probe = to_ids("The following functions return")
repeats = fresh(probe[None])[0].numpy().argmax(axis=-1) == probe
print(f"untrained, the last letter is the most probable: {repeats.mean():.0%}")

# %% [markdown]
# ## How surprised is it? By hand
#
# How do we judge a machine whose answers are not right or wrong? Look at the letter that really came, and at the
# probability that the machine had given it. If it was 1/2, we are as surprised as by the throw of a coin: that is 1
# **bit**. If it was 1/4, it is as with two coins, which is 2 bits. With each further halving there is one coin more. So
# for a probability $p$ the surprise is $-\log_2 p$. Three letters with probabilities 1/2, 1/4 and 1 have 1, 2 and 0
# bits, one bit each on average.
#
# Here is the trained machine, letter by letter. Below each letter stand its bits, and the more of them, the more yellow
# it is. The first letter, T, is given, and ␣ is a space. Where is the machine surprised?

# %% tags=["hide-input"]
import numpy as np
from clear_attention import token_losses
from IPython.display import HTML, Markdown, display

text = "The following functions return"
bits = token_losses(model, to_ids(text)[None])[0].numpy() / np.log(2)
boxes = "".join(
    f'<span style="--bits:{b:.1f}"><b>{c}</b><small>{b:.1f}</small></span>'
    for c, b in zip(text[1:].replace(" ", "␣"), bits, strict=True)
)
display(HTML(f'<div class="surprise">{boxes}</div>'))
rows = held_out[: len(held_out) // 129 * 129].reshape(-1, 129)
surprise = token_losses(model, rows).numpy() / np.log(2)
is_letter = np.char.isalpha((rows - 3).astype("uint8").view("S1"))
begins = is_letter[:, 1:] & ~is_letter[:, :-1]
first, others = surprise[begins].mean(), surprise[~begins].mean()
print("in the tenth of the text that was kept out:")
print(f"first letters of words {first:.1f} bits, all other signs {others:.1f}")
assert first > 2 * others
assert bits[6:12].mean() < 0.7  # inside "following"
assert fresh.count_params() == model.count_params()
assert repeats.mean() > 0.7

# %% [markdown]
# At the beginnings of words it does not know what comes. Once a word has begun, most of it is easy. (You can try this
# with a text of your own [further below](#drawing-a-letter).) And *fewer bits*
# are the whole aim of the training: the [loss](training.py#how-wrong-is-it-by-hand) that is made small is the same
# surprise, with the natural logarithm in place of $\log_2$.
#
# Now let it read the tenth of the text that it has never seen, beside some rivals. One is our machine with a single
# layer. Three rivals do no more than count in the other nine tenths, and make probabilities of their counts:
#
# * *Count letters* looks at no letter before. An e is always as probable as it is common.
# * *Count after two letters:* say that "th" stood there 100 times, and that 50 times an e came next. Then the e after
#   "th" has a probability of about 1/2, and a surprise of about 1 bit.
# * *Count after five* knows that after "funct" came an i in nearly every case.
#
# The two that look back also ask what followed fewer letters, most of all where the longer piece is rare. And each of
# the 256 bytes gets a little probability, so that none is impossible. (At the bottom stands one who only guesses among
# 256 bytes.)
#
# One more rival is `xz`, a program that makes files smaller. What it can guess, it stores in fewer bits. So the size of
# its file, in bits for each letter, can stand beside the surprise of the others. It plays twice: once it gets nothing
# but this tenth, and once it may read the other nine first. Who will win?

# %% tags=["hide-input"]
import lzma
import math
from collections import Counter, defaultdict

seen, unseen = (bytes([*(ids - 3)]) for ids in (train_ids, held_out))


def bits_by_counting(order):
    """Bits a byte of one who counts what came after the last bytes, most of all after the longest known piece."""
    tables = [defaultdict(Counter) for _ in range(order + 1)]
    for n, table in enumerate(tables):
        for i in range(n, len(seen)):
            table[seen[i - n : i]][seen[i]] += 1
    bits = 0.0
    for i in range(order, len(unseen)):
        p = 1 / 256
        for n, table in enumerate(tables):
            if after := table.get(unseen[i - n : i]):
                new = len(after)  # as much weight for what was not yet seen here
                p = (after[unseen[i]] + new * p) / (after.total() + new)
        bits -= math.log2(p)
    return bits / (len(unseen) - order)


def packed(data):
    return 8 * len(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


follows = Counter(piece[:1] for piece in seen.split(b"funct")[1:])
assert follows[b"i"] > 0.9 * follows.total()
small, one_layer = trained.load("language-one-layer")
found = {
    "guess among 256 bytes": 8.0,
    "count letters": bits_by_counting(0),
    "count after two letters": bits_by_counting(2),
    "count after five": bits_by_counting(5),
    "`xz`, alone with this tenth": packed(unseen) / len(unseen),
    "our machine with one layer": float(one_layer["bits"]),
    "**our machine, two layers**": float(record["bits"]),
    "`xz`, after reading the other nine tenths": (
        packed(seen + unseen) - packed(seen)
    )
    / len(unseen),
}
lines = ["| who | bits a letter |", "| --- | --- |"]
ranked = sorted(found.items(), key=lambda row: row[1], reverse=True)
lines += [f"| {who} | {bits:.2f} |" for who, bits in ranked]
display(Markdown("\n".join(lines)))
print(f"numbers to train: {small.count_params():,} with one layer,", end=" ")
print(f"{model.count_params():,} with two")
ours = found["**our machine, two layers**"]
assert ours < found["count after five"] < found["our machine with one layer"]
assert found["count after five"] < found["count after two letters"]
assert found["`xz`, after reading the other nine tenths"] < ours

# %% [markdown]
# Our machine beats all three who count. It beats `xz` as well, as long as `xz` may not read what our machine was
# trained on. If it may, `xz` wins by far. The reason is probably this. The manual repeats whole sentences, and `xz`
# keeps all of it to the letter: a sentence that has occurred before costs it next to nothing. Our machine has read the
# same 420,000 letters, but it has no copy of them. It sees at most 128 letters back, and all else that it kept is in
# its trained numbers. And look at the machine with one layer: it is hardly as good as counting what follows five
# letters. (Our machines read this tenth in rows of 129 letters, and begin each row without a past, which costs them a
# little. The rivals look across these borders.)
#
# Claude Shannon had people guess the next letter of English prose in 1951, and found between 0.6 and 1.3 bits. This
# can't be compared directly with ours. His texts had no capitals and no punctuation, which makes them easier. But ours
# repeats its phrases, which makes it easier, too.
#
# ## Drawing a letter
#
# The machine does not give letters. It gives probabilities. Whoever takes the most probable letter each time
# gets a dull text that goes round in circles. So the next letter is *drawn*, as if with a die that has 259 uneven
# sides. Two knobs are usual:
#
# * The **temperature** $T$ divides the logits, as in [Writing](writing.py#drawing). Below 1 the probable becomes more
#   probable, and above 1 the die becomes fairer. At 0, by which one can't divide, the most probable letter is taken.
# * **Top-p** cuts off the improbable letters. Each is rare, but there are so many that one is drawn now and then, and
#   the machine must go on from there. So only the most probable letters are kept, as few of them as are needed for
#   their probabilities to reach $p$ together, and one of these is drawn.
#
# Before anything is cut off, the probabilities are
#
# $$
# p_i = \frac{e^{z_i / T}}{\sum_j e^{z_j / T}}
# $$
#
# where $z_i$ is the logit of letter $i$. Three letters have the logits 2, 1 and 0. At $T = 1$ their probabilities are
# 0.665, 0.245 and 0.090. Then comes top-p 0.9. The first letter alone has less than 0.9, and the first two together
# have 0.910. So these two are kept. Divided by their sum, they become 0.731 and 0.269. At $T = 0.5$ all logits are
# doubled, which gives 0.867, 0.117 and 0.016. Again the first two are kept.

# %%
logits = np.array([2.0, 1.0, 0.0])
for heat in (1.0, 0.5):
    powers = np.exp(logits / heat)
    p = powers / powers.sum()  # the most probable letter comes first
    kept = p[np.cumsum(p) - p < 0.9]  # what comes before has not yet reached 0.9
    print(
        f"T = {heat}: {p.round(3)}, after top-p 0.9: {(kept / kept.sum()).round(3)}"
    )

# %% [markdown]
# Try both on a beginning of your own: press the button below. Under your beginning stands how much each letter of it
# surprised the machine, in bits. Type a line of Python, then your name. Which word of English surprises it most? The
# thick bars are the probabilities of the next letter at this temperature, and the thin ones are what top-p leaves of
# them. After which letters does turning the temperature change most? Which pair of settings would you take?

# %% tags=["live", "hide-input"]
from clear_attention import sample
from live import text_machine

np.testing.assert_allclose(powers / powers.sum(), [0.867, 0.117, 0.016], atol=5e-4)
prompt = to_ids("The value of the ")[None]
written = {
    heat: " ".join(
        to_text(
            sample(model, prompt, 60, heat, seed=1, jit_compile=False)[0]
        ).split()
    )
    for heat in (0.8, 1.5)
}
text_machine(
    ["The value of the ", "if x is not None", "raises a "],
    f"<p>With temperature 0.8 it goes on after “The value of the ” with “{written[0.8]}”,"
    f" with temperature 1.5 with “{written[1.5]}”.</p>",
)

# %% [markdown]
# With temperature 0 the machine repeats itself. With 1.5 it writes noise, and top-p takes some of it away. What lies in
# between is a matter of taste: 0.8 with a top-p of 0.9 is usual. Where the machine is sure, as inside "following",
# neither knob changes much. Where it is not, they decide.
#
# ## How far back does it look?
#
# Here is the surprise at each place of a piece of 128 letters, on average over the unseen text. With a single letter
# seen, the machine needs more than 3 bits. From how many letters on do more of them hardly help?

# %% tags=["hide-input"] alt="Bits a letter against the number of letters seen before, from 1 to 128. The line falls from above 3 bits to below 2 within the first ten letters, and then stays nearly level, with some noise."
import matplotlib.pyplot as plt

by_place = record["by_place"]
figure, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
ax.plot(np.arange(1, len(by_place) + 1), by_place, color="#0072b2")
ax.set(xlabel="letters seen before", ylabel="bits", xlim=(1, len(by_place)), ylim=0)
ax.spines[["top", "right"]].set_visible(False)
plt.show()
assert by_place[0] > 1.4 * by_place[8:16].mean()
assert 0 < by_place[8:16].mean() - by_place[64:].mean() < 0.3

# %% [markdown]
# About five or ten. The machine was trained on pieces of 128 letters and could use all of them, but it uses little more
# than the last word or two. That agrees with the nonsense that it writes: most words are right, most neighbours fit,
# and the whole sentence is about nothing. In larger machines the surprise goes on falling for thousands of letters.
#
# ## Pieces of words { #pieces-of-words }
#
# A machine that looks back at 128 tokens sees farther if each token is longer. So the tokens of large machines are not
# letters but *pieces of words*. Who decides which pieces there are? The usual way is simple enough to do it here. Take
# a text that is cut into letters, find the two neighbours that stand side by side most often, and glue them together
# wherever they do. Then begin again. Each round makes one new piece:


# %%
from itertools import pairwise


def glued(pieces, a, b):
    """Return the pieces with every a that stands before a b glued to it."""
    found = []
    for piece in pieces:
        if found and (found[-1], piece) == (a, b):
            found[-1] += piece
        else:
            found.append(piece)
    return found


pieces, rounds = [*bytes([*(train_ids[:40_000] - 3)]).decode(errors="ignore")], []
letters = len(pieces)
for _ in range(300):
    pairs = Counter(pairwise(pieces))
    rounds.append(pairs.most_common(1)[0][0])
    pieces = glued(pieces, *rounds[-1])
new = ["".join(pair).replace(" ", "␣").replace("\n", "⏎") for pair in rounds]
print("first pieces:", *new[:10])
print("last pieces: ", *new[-10:])
print(f"letters a piece: {letters / len(pieces):.1f}")
cut = [*"The following functions return strawberries"]
for pair in rounds:
    cut = glued(cut, *pair)
print("|".join(cut))
assert letters > 2 * len(pieces)
assert any(piece.strip() == "the" for piece in pieces)

# %% [markdown]
# After 300 rounds only the very commonest words are one piece, and many common ones are still cut. Large machines go on
# for tens of thousands of rounds. But already now this text has fewer than half as many tokens, so that more than twice
# as much of it fits into the same number of places. There are two prices. The table of vectors becomes longer, and the
# machine no longer sees letters. How many r are in "strawberries"? A machine that reads pieces can't look, so it must
# have learnt the answer. (Programs cut a text at its spaces first, so that no piece reaches from one word into the
# next. Our first pieces do.)
#
# <details class="lesson-more" markdown="1"><summary>In a program: drawing, the cache, prompts of many lengths</summary>
#
# To draw as above, call `sample(model, ids, max_length, temperature=0.8, top_p=0.9)`, or `stream(...)`, which hands
# over each token as soon as it is drawn. ([Reference](../reference/generation.md).)
#
# To write the next letter, the keys and values of all letters before are needed. They don't change, since no letter
# sees a later one. So `sample` and `stream` keep them, in a *cache*. Here these are two vectors of 128 numbers for each
# letter, in each of two layers. ([The next lesson](fewer_keys.py) makes it smaller.)
#
# Two things make writing fast, and they are easily mixed up: the cache, and *XLA*, a compiler that turns the whole loop
# into one program. Here they are apart, for 64 letters after a prompt of 64. The cache helps most where there is much
# to compute at each step, as with many prompts, and the compiler where there is little, as with one:

# %% tags=["remove-input"]
import json
import statistics
from pathlib import Path

results = json.loads(Path("../../benchmarks/results.json").read_text("utf-8"))
lines = [
    "| prompts at once | no cache | cache | cache and XLA |",
    "| --- " * 4 + "|",
]
saved = []
for row in results["writing"]:
    ms = {way: statistics.median(times) for way, times in row["times_ms"].items()}
    cells = [f"{ms[way]:,.0f} ms" for way in ("no cache", "cache", "cache and XLA")]
    lines.append(f"| {row['batch']} | " + " | ".join(cells) + " |")
    assert ms["no cache"] > ms["cache"] > ms["cache and XLA"]
    saved.append((ms["no cache"] / ms["cache"], ms["cache"] / ms["cache and XLA"]))
(cache_one, xla_one), (cache_many, xla_many) = saved
assert cache_one < cache_many
assert xla_one > xla_many
display(Markdown("\n".join(lines)))

# %% [markdown]
# (Measured apart from this page, on the computer that [Benchmarks](../about/benchmarks.py) names.)
#
# Several prompts go together in one batch. The shorter ones are filled up **on the left**, so that all end at the same
# place. The padding is hidden, and positions count real tokens only, so a prompt gets the same answer as alone:

# %%
short, long = to_ids("The "), to_ids("The value of ")
padded = np.pad(short, (len(long) - len(short), 0))[None]  # 0 is padding
alone, together = model(short[None])[0, -1], model(padded)[0, -1]
np.testing.assert_allclose(alone, together, atol=1e-4)
print("the short prompt, alone and beside the long one: the same logits")

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# | year | who | what was new |
# | --- | --- | --- |
# | 1913 | Markov | counted what follows a vowel and a consonant in a novel |
# | 1948, 1951 | Shannon | measured surprise in bits, and then let people guess letters |
# | 2003 | Bengio and others | words became vectors, and a network said what comes next |
# | 2014 | Bahdanau and others | a network that writes looks back: attention |
# | 2016 | Sennrich and others | pieces of words, glued as above, which they took from a method of making files smaller |
# | 2017 | Vaswani and others | nothing but attention: the Transformer |
# | 2018 | Radford and others | half a Transformer, trained on books, then taught other tasks: GPT |
# | 2020 | Holtzman and others | draw from the most probable only: top-p |
# | 2020 | Brown and others | GPT, a thousand times larger, does tasks of which it is only shown a few examples: GPT-3 |
#
# What each step changed is smaller than it looks from outside.
#
# ## Exercises
#
# ### Exercise 1
#
# What does the machine write if it always takes the most probable letter? Write 120 letters with `greedy_search`, and
# look for the loop. Why can't it get out?

# %% tags=["answer"]
from clear_attention import greedy_search

ids = greedy_search(model, to_ids("The ")[None], max_length=120, jit_compile=False)
print(to_text(ids[0]))

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# What it writes next depends on nothing but the letters before, and mostly on the last ten or so. Once these have
# occurred before, it goes on as it did then. And a phrase that has just occurred is likely to occur again, so each
# round makes the next one more certain.
#
# </details>
#
# ### Exercise 2
#
# A file holds random bytes, each of the 256 equally often. How many bits a byte does the best machine in the world need
# for it? And for a file of nothing but zeros?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# Eight, as many as there are in a byte: each has the probability 1/256, and $-\log_2 (1/256) = 8$. No training helps.
# For the zeros it needs nearly none, once it has noticed.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("language_model")

# %% [markdown]
# ```self-check
# ? Where is a trained language model most surprised?
# + at the first letters of words | Many words could come. Once a word has begun, there are few ways to go on.
# - at the last letters of words | By then there is hardly any choice left.
# - everywhere the same, since its training made the mean small | The mean is small because most letters are easy. The others still surprise it.
# ? At each place one letter has a probability of 0.95 at temperature 1. What does the machine write with a top-p of 0.9?
# + always its favourite | One letter alone reaches 0.9, so nothing else can be drawn.
# - in one case of twenty something else | So it would without top-p.
# - noise | Top-p leaves only what is probable.
# ? Which part of the Transformer does a model of the GPT kind not have?
# - the look-ahead mask | Without it, training would be copying.
# - positions | A look-ahead mask alone gives some order away, but nearly all large models say where a token stands.
# + the attention from the answer to the text | There is no other text. What was given and what was written are one sequence.
# ```
#
# ## Where to go next
#
# **Your machine so far:** half of the Transformer is enough, where there is nothing to read. What you have added since
# [lesson 9](recap.py#put-together-by-hand) fits into this half: attention by blocks, layers with the norm first, queries
# and keys that turn.
#
# You now know how half a Transformer is trained on any text, and how one says in bits how good it is. Ours looks back at 128 letters. A
# chat program looks back at a whole conversation, and at every book that was pasted into it. All of that has to be kept
# somewhere. How much is it?
#
# * [Fewer keys than queries](fewer_keys.py): how much memory does the past of a chat take?
# * [A head that copies](induction.py): what two layers can do and one can't.
# * [Train it on your own text](../guides/train_language_model.py): a program to copy.
# * [Reference: the language model](../reference/language_model.md).
#
# Read on elsewhere: Shannon (1951), [Prediction and Entropy of Printed
# English](https://doi.org/10.1002/j.1538-7305.1951.tb01366.x); Bengio and others (2003), [A Neural Probabilistic
# Language Model](https://www.jmlr.org/papers/v3/bengio03a.html); Radford and others (2018), [Improving Language
# Understanding by Generative
# Pre-Training](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf).

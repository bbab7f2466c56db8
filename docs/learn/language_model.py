# ---
# title: From here to GPT
# description: Half of the Transformer, trained on nothing but text. How one text becomes examples, what a bit of surprise is, and rivals that only count letters or pack files.
# ---

# %% [markdown]
# # What is left if nobody gives it anything to read?
#
# Which letter comes next?
#
# * `The following functions retur`
# * `The following␣`
#
# You know the first one. Nobody can know the second (␣ is a space), and yet you would bet on an f before a q. To play
# this game well, one must know words, and how sentences are built. Can a machine learn that from nothing but the game?
#
# A new machine, half of our Transformer, has played it for a while with one text, the reference of the Python language.
# Before its training, and at three moments of it, we gave it the same beginning, `The␣`, and it went on. Such a
# beginning is called a *prompt*. Here is what it wrote in the end. **Go back to the start, and read how it learnt.**

# %% tags=["hide-input"]
import re
import sys
from pathlib import Path

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
from html import escape

import numpy as np
import trained
from trained.language import BATCH, CONTEXT, FIRST, SIZES, STEPS, texts
from trained.language import decode as to_text
from trained.language import encode as to_ids

model, record = trained.load("language")
moments = []
for step, page in zip(record["written_at"], record["written"], strict=True):
    name = f"after {step:,} steps" if step else "before the training"
    wrote = (c if c.isprintable() and c != "�" else " " for c in str(page)[4:160])
    moments.append([name, "".join(wrote)])
assert [str(page)[:4] for page in record["written"]] == ["The "] * 4

# %% tags=["live", "remove-input"]
from live import touch

touch(
    "diary",
    "".join(
        f"<p><strong>{name}:</strong> The {escape(wrote)}</p>"
        for name, wrote in moments
    ),
    prompt="The ",
    moments=moments,
    now=len(moments) - 1,
)

# %% [markdown]
# **A machine that plays this game first finds the common letters, then words, and at last the tone of a manual.** Just
# don't listen too closely.
#
# Such a half, only far larger, stands behind the chat programs. A *generative pre-trained Transformer*, or GPT, plays
# this game before it learns to answer questions. Radford and others trained the first one in 2018, on books. In the next
# lesson you train a small one, on [any text that you like](by_heart.py#train-your-own).
#
# How well do *you* play? Under each letter that you find stands how many guesses you needed, and then how many the
# machine needed. **Can you beat it?**

# %% tags=["live", "hide-input"]
given, asked = "Return the ", "number of items"
logits = model(to_ids(given + asked)[None])[0].numpy()[len(given) - 1 : -1]
ids = to_ids(asked)
guesses = [int(sum(row > row[i])) + 1 for row, i in zip(logits, ids, strict=True)]
touch(
    "guessing",
    f"<p>For the {len(asked)} letters of “{asked}” after “{given}” the machine needs {sum(guesses)} guesses.</p>",
    given=given,
    text=asked,
    machine=guesses,
    guesses=[],
    missed=[],
    typed="",
)

# %% [markdown]
# ## Half a Transformer
#
# In this game there is no second text. So the half that would read it falls away, and cross-attention with it. What is
# left is called *decoder-only*. Ours has two layers of four heads, with the [norm first](norm_first.py) and [positions
# that turn](turning_positions.py).
#
# --8<-- "diagrams/half.svg"
#
# ## A text is full of examples
#
# But where do all the examples come from? From the text itself. At each place the letters up to there are the question,
# and the next letter is the answer. The [look-ahead mask](causal.py) lets no place peek.

# %% tags=["hide-input"]
train_ids, held_out = texts()
piece = "return x"
for place in (1, 2, 3, 7):
    print(f"sees {piece[:place]!r:12} and must say {piece[place]!r}")
print(f"\nexamples in the training: {BATCH * CONTEXT * STEPS:,}")
assert record["steps"][-1] == STEPS == 1100
assert 2e6 < BATCH * CONTEXT * STEPS < 2.5e6
assert round(BATCH * CONTEXT * STEPS / len(train_ids)) == 5
assert (CONTEXT, BATCH) == (128, 16)
assert (SIZES["num_layers"], SIZES["num_heads"]) == (2, 4)
assert round(len(train_ids), -4) == 420_000
assert round(len(train_ids) / (len(train_ids) + len(held_out)), 2) == 0.9

# %% [markdown]
# **In 1,100 steps, each with 16 pieces of 128 letters, this makes more than two million examples, and nobody had to
# write a single one.** (The text has 420,000 letters, so each came up about five times.)
#
# ## How surprised is it? By hand
#
# In your game we counted guesses. A finer measure is the surprise at the letter that really comes. If the machine gave
# it the probability 1, there is no surprise. If it gave it 1/2, the surprise is as large as at the throw of a coin.
# That is called 1 **bit**, and each further halving is one more coin:
#
# --8<-- "diagrams/halving.svg"
#
# So a probability $p$ has the surprise $-\log_2 p$. Three letters with the probabilities 1/2, 1/4 and 1 have 1, 2 and 0
# bits, or one bit a letter on average. With three bits a letter you are as unsure as if you had to choose between
# $2^3 = 8$ equally probable letters. This 8 is called the *perplexity*.
#
# Now the trained machine reads "The following functions return", which does not stand in its text. We give it the T.
# Where is it surprised most?

# %% tags=["hide-input"]
from clear_attention import token_losses
from IPython.display import HTML, display

text = "The following functions return"


def bits_of(text):
    return token_losses(model, to_ids(text)[None])[0].numpy() / np.log(2)


def boxes(bits):
    """Return the letters of the text but the first, each with its bits."""
    spans = "".join(
        f'<span style="--bits:{b:.1f}"><b>{c}</b><small>{b:.1f}</small></span>'
        for c, b in zip(text[1:].replace(" ", "␣"), bits, strict=True)
    )
    return f'<div class="surprise">{spans}</div>'


bits = bits_of(text)
below = "<p><small>Below each letter its bits: the more, the yellower.</small></p>"
display(HTML(boxes(bits) + below))
halving = Path("../diagrams/halving.svg").read_text(encoding="utf-8")
halves = re.findall(r'class="share [^>]* width="([\d.]+)"', halving)
assert halving.count('class="coin"') == 1 + 2 + 3 + 4
np.testing.assert_allclose(np.array(halves, float) / 256, 0.5 ** np.arange(5))
assert bits.argmax() == 23  # r
assert {*(1 + bits.argsort()[-3:])} == {4, 14, 24}  # f, f and r
assert bits[6:12].mean() < 0.7  # inside "following"
assert "The following functions return" not in to_text(train_ids)

# %% [markdown]
# **The machine is surprised most at the first letters of words, and above all at the r of "return".** Once a word has
# begun, most of it is easy. The hard part is to choose the word.
#
# In 1951 Claude Shannon, who had made surprise a number, let people play your game. They, too, erred mostly where words
# begin. From their guesses he found between 0.6 and 1.3 bits a letter, in books without capitals and punctuation.
#
# Training pushes down just these bits. Its [loss](training.py#how-wrong-is-it-by-hand) is this surprise, with the
# natural logarithm.
#
# <details class="lesson-more" markdown="1" id="surprise-it-yourself"><summary>For the curious: surprise it yourself</summary>
#
# Here you choose the text. **Type a line of Python, then your name: which costs more bits a letter?**

# %% tags=["live", "hide-input"]
from live import text_machine

each = bits_of("if x is not None")
line, name = each.mean(), bits_of("Ada Lovelace").mean()
berry, jazz = bits_of("strawberry").mean(), bits_of("jazz").mean()
assert name > 2 * line
assert line > float(record["bits"]) + 0.5
assert jazz > 1.2 * berry
assert each[[2, 11]].sum() > 0.4 * each.sum()  # x and N
assert to_text(train_ids).count("is not None") < 5
text_machine(
    [
        "The value of the ",
        "if x is not None",
        "raises a ",
    ],
    f"<p>“if x is not None” surprises it by {line:.1f} bits a letter, because the x and the N are hard to foresee."
    " And your name?</p>",
)

# %% [markdown]
# **Our try, "Ada Lovelace", cost the machine more than twice as many bits a letter as `if x is not None`, because
# nothing in a manual foretells a name.** Now a dare: find an English word that costs more bits a letter than
# "strawberry". A word of four letters does it. (Leave temperature and top-p for the [next lesson](by_heart.py#drawing-a-letter).)
#
# </details>
#
# ## Is counting enough?
#
# Does it take a Transformer to play like that? Its first rivals only count what came after the last letters. If "th"
# stood in the text 100 times, and an e came next 50 times, the counter of two letters gives that e about 1/2, and so 1
# bit. (A little less than 1/2, since it keeps something for letters that it has not met there.) Where it has never met
# the last two letters, it makes do with one.
#
# Now all of them read a tenth of the text that was kept out of the training.

# %% tags=["hide-input"]
import lzma
import math
from collections import Counter, defaultdict

seen, unseen = (bytes([*(ids - FIRST)]) for ids in (train_ids, held_out))

# what came after no byte, after one, and so on up to five
tables = [defaultdict(Counter) for _ in range(6)]
for n, table in enumerate(tables):
    for i in range(n, len(seen)):
        table[seen[i - n : i]][seen[i]] += 1


def surprise_of_counting(order, data, i):
    """Bits of byte i for one who counts what came after the last bytes, most of all after the longest known piece."""
    p = 1 / 256
    for n in range(min(order, i) + 1):
        if after := tables[n].get(data[i - n : i]):
            new = len(after)  # as much weight for what was not yet seen here
            p = (after[data[i]] + new * p) / (after.total() + new)
    return -math.log2(p)


def bits_by_counting(order):
    """Bits a byte, in the tenth that was kept out."""
    places = range(order, len(unseen))
    return sum(surprise_of_counting(order, unseen, i) for i in places) / len(places)


assert b"amou" not in seen  # as in "amount"


def packed(data):
    return 8 * len(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


_, one_layer = trained.load("language-one-layer")
found = {
    "count letters": bits_by_counting(0),
    "count after two": bits_by_counting(2),
    "count after four": bits_by_counting(4),
    "count after five": bits_by_counting(5),
    "our machine with one layer": float(one_layer["bits"]),
    "our machine, two layers": float(record["bits"]),
    "xz, after the other nine tenths": (packed(seen + unseen) - packed(seen))
    / len(unseen),
}


def called(rival):
    if rival == "count letters":
        return "count, no letter back"
    return re.sub(r"count after (\w+)", r"count, \1 letters back", rival)


assert found["count after two"] < 3 < 4 < found["count letters"] < 8

# %% [markdown]
# Blind guessing takes 8 bits, because a letter is a *byte* here, one of 256. Two letters of the past already bring it
# below 3. **How many bits a letter do you expect of these three?**
#
# * The counter that looks *four* letters back.
# * Our machine, which looks back at up to 128 letters.
# * A program that packs files, `xz`. Repeats cost it hardly any room. It packs the nine tenths, and then all ten. What the last tenth adds to the packed file, in bits, is divided by its letters. (A letter with the probability $p$ can be packed into about $-\log_2 p$ bits, so we may compare.)

# %% tags=["live", "remove-input"]
from live import bet

bet(
    "language_model/counting",
    [
        (
            "the counter of four letters",
            round(found["count after four"], 1),
            "Inside a word four letters say much. But which word comes next they hardly say.",
            "Four letters seem little. But inside a word they mostly say what comes, and most letters stand inside a"
            " word.",
        ),
        (
            "our machine",
            round(found["our machine, two layers"], 1),
            "Nobody can know which word comes next. So the first letters of words stay costly, however well it reads.",
            "It knows most of a word once that has begun. Only the first letters of words stay costly.",
        ),
        (
            "a program that packs files",
            round(found["xz, after the other nine tenths"], 1),
            "What the manual does not repeat, it can't foresee.",
            "Nothing in it is trained. But a manual repeats whole sentences, and probably it gains by keeping them to"
            " the letter.",
        ),
    ],
    low=0,
    high=3,
    step=0.1,
    unit=" bits",
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# Two more rivals stand in the picture: the counter of five letters, and our machine with one layer.

# %% tags=["hide-input"] alt="A bar for each rival, with its bits a letter, from the most to the fewest. Counting letters takes more than 4, and counting two letters back less than 3. Close together come our machine with one layer, and counting five and four letters back. Our machine with two layers takes fewer. The fewest are those of the xz that has read the other nine tenths."
import matplotlib.pyplot as plt

colours = {"our": "#0072b2", "xz": "#e69f00"}  # and those who count
ranked = sorted(found, key=found.get)
figure, ax = plt.subplots(figsize=(5.2, 2.5), layout="constrained")
bars = ax.barh(
    [called(who) for who in ranked],
    [found[who] for who in ranked],
    color=[colours.get(re.split(r"\W", who)[0], "#999999") for who in ranked],
)
ax.bar_label(bars, fmt="%.2f", padding=4)
ax.set(xlabel="bits a letter", xlim=(0, 5.5))
ax.spines[["top", "right"]].set_visible(False)
plt.show()
size = CONTEXT + 1
rows = held_out[: len(held_out) // size * size].reshape(-1, size)
surprise = token_losses(model, rows).numpy() / np.log(2)
is_letter = np.char.isalpha((rows - FIRST).astype("uint8").view("S1"))
begins = is_letter[:, 1:] & ~is_letter[:, :-1]
first, others = surprise[begins].mean(), surprise[~begins].mean()
assert first > 2 * others
ours = found["our machine, two layers"]
assert ours < found["count after four"] < found["count after five"]
assert ours < found["our machine with one layer"]
assert 0 < found["our machine with one layer"] - found["count after four"] < 0.15
assert found["count after five"] < found["count after two"] < found["count letters"]
assert found["xz, after the other nine tenths"] < ours
assert found["count after four"] - ours < 0.2
assert found["count after five"] < found["our machine with one layer"]
best_three = [
    found["xz, after the other nine tenths"],
    ours,
    found["count after four"],
]
assert [f"{bits:.2f}" for bits in best_three] == ["1.41", "1.76", "1.90"]

# %% [markdown]
# Why is the counter so good? Where it has never met the last four letters, it makes do with fewer. Here it reads our
# sentence, and below it our machine does:

# %% tags=["hide-input"]
sentence, readers = text.encode(), {}
readers["The counter of four letters"] = np.array(
    [surprise_of_counting(4, sentence, i) for i in range(1, len(sentence))]
)
readers["Our machine"] = bits
for name, found_bits in readers.items():
    display(HTML(f"<p>{name}:</p>{boxes(found_bits)}"))
    assert found_bits[[3, 13, 23]].min() > 3  # f, f and r
four = readers["The counter of four letters"]
assert four[6:12].mean() < 0.7  # inside "following"
assert four[14:21].mean() < 0.7  # and "functions"

# %% [markdown]
# Inside a word the last four letters say nearly all. Where a word begins, neither of the two knows what comes.
#
# </details>
#
# **A mere table that counts four letters comes close to our machine: 1.90 bits a letter against 1.76.** The packer,
# which had read the same nine tenths, even beat both with 1.41, probably because the manual repeats whole sentences.
# **Before you praise a model, ask a table.**
#
# <details class="lesson-more" markdown="1" id="and-if-the-text-is-longer"><summary>For the curious: and if the text is longer?</summary>
#
# Our machine was trained on 128 letters at a time, and its [positions turn](turning_positions.py). Within 128 places a
# quick dial has gone round many times, but a slow dial not even once. So letters further away show angles that the
# machine never met, and it loses its way. We could let all dials turn four times as slowly. Then no angle is new, but
# neighbours are only a quarter as far apart as they were. What helps is to slow only the slow dials. No machine was
# trained any further for this picture:

# %% tags=["hide-input"] alt="Bits a letter at each place from 1 to 512, in three lines. As trained: about 1.8 up to place 128, then rising to more than 3 beyond place 256. All dials slower: above 4 nearly everywhere. Only slow dials slower: near 2 from the beginning to the end."
pieces = held_out[: len(held_out) // 513 * 513].reshape(-1, 513)


def bits_at_each_place(**slower):
    """Bits a letter at each place of long pieces, with the dials set to turn otherwise."""
    slowed, _ = trained.load("language")
    for name, value in slower.items():
        setattr(slowed.rotary, name, value)
    return token_losses(slowed, pieces).numpy().mean(axis=0) / np.log(2)


plain = bits_at_each_place()
all_slower = bits_at_each_place(scaling="interpolation", factor=4.0)
some_slower = bits_at_each_place(scaling="yarn", factor=4.0, original_length=128)
figure, ax = plt.subplots(figsize=(4.8, 3), layout="constrained")
for line, name, colour, height in (
    (all_slower, "all dials slower", "#999999", 5.25),
    (plain, "as trained", "#d55e00", 3.0),
    (some_slower, "only slow dials slower", "#0072b2", 1.2),
):
    smooth = line.reshape(-1, 32).mean(axis=1)  # of 32 places each
    ax.plot(np.arange(16, 512, 32), smooth, "o-", ms=3.5, color=colour)
    ax.text(508, height, name, color=colour, ha="right")
ax.axvline(128, color="#808080", linestyle="--", linewidth=1)
ax.text(136, 0.3, "longer than in the training", color="#808080")
ax.set(
    xlabel="place of the letter", ylabel="bits a letter", xlim=(0, 512), ylim=(0, 6)
)
ax.set_xticks([0, 128, 256, 384, 512])
ax.spines[["top", "right"]].set_visible(False)
plt.show()
assert plain[:128].mean() + 1 < 3.3 < plain[256:].mean()
assert plain[:128].mean() + 0.2 < some_slower.mean()  # a longer look does not pay
assert all_slower.reshape(-1, 128).mean(axis=1).min() > 3.3
assert plain[:128].mean() < some_slower[:128].mean() < 2.4
assert some_slower[256:].mean() < 2.7
assert abs(plain[:128].mean() - 1.8) < 0.1
assert np.mean(all_slower.reshape(-1, 32).mean(axis=1) > 4) > 0.8
slow = some_slower.reshape(-1, 32).mean(axis=1)
assert 1.8 < slow.min() < slow.max() < 2.4
costs = some_slower[:128].mean() - plain[:128].mean()
print("only slow dials slower:")
print(f"  up to place 128: {costs:.2f} bits more")
print(f"  beyond place 256: {some_slower[256:].mean():.2f} bits in all")
assert 0.15 < costs < 0.35

# %% [markdown]
# If only the slow dials turn more slowly, the machine pays about a quarter of a bit already at the beginning, and then
# holds out to the end. This recipe, with scores that are also made a little larger, is [YaRN](../reference/rotary.md).
#
# </details>
#
# ## Exercises
#
# ### Exercise 1
#
# Let our machine (in the notebook it is `model`) write 120 letters with `greedy_search`, which always takes the most
# probable one, and look for the loop. Why can't the machine get out of it?

# %% tags=["answer"]
from textwrap import fill

from clear_attention import greedy_search

ids = greedy_search(model, to_ids("The ")[None], max_length=120, jit_compile=False)
print(fill("The " + to_text(ids[0]), 42))

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# What it writes next probably depends mostly on the last few letters. Once these have come up before, it goes on as it
# did then.
#
# </details>
#
# ### Exercise 2
#
# Let your own NumPy write. You have built all the parts, and they stand together in `examples/numpy_writer.py`: `look`
# is your `multi_head` with a [look-ahead mask](causal.py) and with queries and keys that
# [turn](turning_positions.py#your-machine-so-far), and `think` is your feed-forward network, with GELU in place of
# ReLU, a bend that is rounded off near 0. Here the [norm comes first](norm_first.py#your-machine-so-far). Only the two
# sums are missing:
#
# ```python
# def go_on(ids, w):
#     x = w["table"][ids] * np.sqrt(w["table"].shape[1])
#     for layer in range(w["layers"]):
#         # look(letters, w, f"{layer}.look")
#         # its norm: norm(letters, *w[f"{layer}.look.norm"])
#         x = ...
#         x = ...  # and here "think" in place of "look"
#     return norm(x, *w["norm"]) @ w["table"].T
# ```
#
# The factor in the first line is the root of the width, as in our Transformer. At the end the table of letters is used
# backwards: the logit of a letter is the dot product with its row.


# %% tags=["answer"]
from examples.numpy_machine import norm
from examples.numpy_writer import look, think, weights_of


def go_on(ids, w):
    x = w["table"][ids] * np.sqrt(w["table"].shape[1])
    for layer in range(w["layers"]):
        x = x + look(norm(x, *w[f"{layer}.look.norm"]), w, f"{layer}.look")
        x = x + think(norm(x, *w[f"{layer}.think.norm"]), w, f"{layer}.think")
    return norm(x, *w["norm"]) @ w["table"].T


w, ids = weights_of(model), to_ids("The ")
np.testing.assert_allclose(go_on(ids, w), model(ids[None])[0], atol=0.01)

random = np.random.default_rng(1)
while len(ids) < 200:
    # it was trained on 128 letters, but 64 are quicker
    points = np.exp(go_on(ids[-64:], w)[-1] / 0.8)
    ids = np.append(ids, random.choice(len(points), p=points / points.sum()))
print(fill(to_text(ids), 42))

# %% [markdown]
# **Only NumPy stands behind these lines, with sums, products and powers that you have written yourself.** Try another
# beginning, or another seed.
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("language_model")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? One model gives 1/8 to the letter that comes, at every place. Another gives it 1 at half of the places, and 1/256 at the others. Which is less surprised?
# + the first | 3 bits each time. The other has 0 and 8 bits, which are 4 on average.
# - the second, whose probabilities are higher on average | On average it gives 0.50 against 0.125. But the mean is taken of the bits, and there a small probability costs most.
# - both alike, since half of the places gain what the others lose | They gain 3 bits and lose 5.
# ? Another model needs 2 bits a letter where ours needs 3. How much smaller is its perplexity?
# - by a third | The bits are. Perplexity is 2 to the power of the bits.
# + it is half as large | 2 to the power of 2 is 4, and 2 to the power of 3 is 8. Each bit less halves it.
# - by one | The bits are. From 8 equally probable letters only 4 are left.
# ? Somebody trains such a half and forgets the look-ahead mask. What happens?
# - a loss that stays high, since too much is seen | A machine that sees the answer can copy it.
# - the same machine, only sooner | It learns to look at the next letter. When it writes, there is none yet.
# + a loss near 0, and nonsense when it writes | It copied what it had to say, and learnt nothing of what comes next.
# ```
#
# </details>
#
# ## Where to go next
#
# The packer, which learns nothing but repeats, beat the machine. So how much of what a machine writes is only repeated?
#
# * [Learning by heart](by_heart.py): you train a machine in the page, and catch it reciting.
# * [Train it on your own text](../guides/train_language_model.py): a program to copy, for texts of any length.
#
# Read on elsewhere: Shannon (1951), [Prediction and Entropy of Printed
# English](https://doi.org/10.1002/j.1538-7305.1951.tb01366.x); Bengio and others (2003), [A Neural Probabilistic
# Language Model](https://www.jmlr.org/papers/v3/bengio03a.html); Radford and others (2018), [Improving Language
# Understanding by Generative
# Pre-Training](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf).

# ---
# title: A window on the past
# description: What is lost if each letter sees only the last few, and what is saved. By hand, to touch, measured on trained machines, with a cache that runs in a ring.
# ---

# %% [markdown]
# # How far must a letter see?
#
# You can guess the last sign of the line `Calling "m(arg-1, arg-2, ..., arg-n)"`, because you saw a quotation begin.
# Our [language model](language_model.py) can guess it, too, if it sees far enough. How far is that?
#
# Let each letter see only the last few, itself among them. This is called a **window**. To say the last sign, the
# machine stands on the bracket before it. With a window of 5 it sees this bracket and the four letters before it. Below
# each sign stand the [bits](language_model.py#how-surprised-is-it-by-hand) that it costs. Watch only the last of these
# small numbers. **Make the window wider until the last sign becomes cheap. What has just come into sight?**

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
import trained
from clear_attention import token_losses
from live import sketch, touch
from trained.language import (
    CONTEXT,
    decode,
    encode,
    measure,
    measure_repeats,
    texts,
)


def look_through(model, window):
    """Give each layer of a trained machine a window; None takes it away."""
    for layer in model.stack.layers:
        layer.self_attention.attention.window = window


model, record = trained.load("language")
manual, held = texts()
line = 'Calling "m(arg-1, arg-2, ..., arg-n)"'
by_window = []
for window in range(1, len(line)):
    look_through(model, window)
    by_window.append(token_losses(model, encode(line)[None])[0].numpy() / np.log(2))
look_through(model, None)
by_window = np.array(by_window)
closing = by_window[:, -1]
opening = line.index('"')
assert len(line) - 1 - opening == 28
assert line not in decode(manual)
assert (round(closing[26], 1), round(closing[27], 1)) == (6.4, 0.4)
assert round(closing[0], 1) == 2.1
assert closing[0] < closing[1] < closing[15]
touch(
    "seeing",
    f"<p>The closing quotation mark costs {closing[26]:.1f} bits with a window of 27 letters, and {closing[27]:.1f}"
    " with 28.</p>",
    text=line,
    bits=np.round(by_window, 1).tolist(),
    window=16,
    place=len(line) - 1,
)

# %% [markdown]
# **When the opening quotation mark comes into sight, the closing one is suddenly cheap: it costs 6.4 bits with 27
# letters in sight, and 0.4 with 28.** So it stands at a *cliff*: what it needs is in sight, or it is not.
#
# <details class="lesson-more" markdown="1"><summary>For the curious: why is it cheap with a single letter in sight?</summary>
#
# With a window of 1 the mark costs only 2.1 bits, because the bracket alone makes the machine expect it. More letters
# without an opening mark speak against it.
#
# </details>
#
# ## What does it save?
#
# Why should a letter see less at all? Because looking back is work. When a chat has reached 100,000 pieces of words, a
# machine compares the newest with all of them, in every layer, although nearly all were said long ago. A window cuts
# this short. Here are maps of 16 letters, a row for each that looks:

# %% tags=["hide-input"] alt="Two maps of 16 rows and 16 columns. Left, without a window, each row has one more blue cell than the row above: a triangle of 136 cells. Right, with a window of 4, each row has at most four blue cells: a narrow band along the diagonal, 58 cells."
import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap

BLUE, ORANGE = "#0072b2", "#d55e00"
_, axes = plt.subplots(1, 2, figsize=(4.6, 2.6), layout="constrained")
back = np.arange(16)[:, None] - np.arange(16)  # so many places earlier
scores = []
for ax, window, name in zip(
    axes, (16, 4), ("all before", "a window of 4"), strict=True
):
    seen = (back >= 0) & (back < window)
    scores.append(int(seen.sum()))
    colours = ListedColormap(["#80808018", BLUE])
    ax.pcolormesh(seen, cmap=colours, edgecolors="#80808060", lw=0.3)
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.set_title(f"{name}:\n{scores[-1]} scores", fontsize=10)
    ax.invert_yaxis()
plt.show()
assert scores == [136, 58]

# %% [markdown]
# **With a window the rows soon stop growing, so twice the length takes only about twice the scores, and not four times
# as many.** Child and others tried such maps in 2019, with a few looks farther back.
#
# ## A ring of four rows
#
# A window saves memory, too. With a window of 4 nobody looks at the fifth-last letter any more. So the
# [cache](cache.py) needs only four rows, and the newest letter is written over the oldest. Divide its place $n$ by 4,
# and the remainder, $n \bmod 4$, is the row:
#
# --8<-- "diagrams/ring.svg"
#
# **However long the text gets, the cache of such a layer stays as large as its window.** In the first Mistral 7B (2023)
# every layer has such a ring. The rows of a ring are out of order, but attention only adds values up, and a sum does
# not mind the order. And each key still carries its place, by which it was [turned](turning_positions.py).

# %% tags=["live", "remove-input"]
import re
from pathlib import Path

earlier = np.arange(5)[:, None] - np.arange(5)
by_hand = [
    ", ".join(np.array([*"later"])[row]) for row in (earlier >= 0) & (earlier < 2)
]
assert by_hand == ["l", "l, a", "a, t", "t, e", "e, r"]


def drawn(name, kind):
    """Return what stands in a drawing with this class."""
    text = Path(f"../diagrams/{name}.svg").read_text(encoding="utf-8")
    return re.findall(rf'class="{kind}"[^>]*>([^<]+)<', text)


ring = [""] * 4
for n, letter in enumerate("windows"):
    ring[n % 4] = letter
assert drawn("ring", "kept") == ring == [*"owsd"]
assert drawn("ring", "number") == [str(n % 4) for n in range(7)]
assert drawn("ring", "place") == [str(n) for n in range(7)]

# %% [markdown]
# ## What does a window cost? { #what-does-it-cost }
#
# One sign stood at a cliff. Do most? Our language model has two layers, and sees up to 128 letters. In a text that it
# has never seen it needs 1.76 bits for a letter, on average. Now we give both layers a window, without any further
# training, and make it smaller and smaller. **How do the bits grow? Draw it.**

# %% tags=["live", "hide-input"]
bits = {}
for window in (1, 2, 4, 8, 16, 32, 64, 128):
    look_through(model, window)
    bits[window] = measure(model)["bits"]  # of letters with 64 others before them
look_through(model, None)
extra = {window: 100 * (b / bits[128] - 1) for window, b in bits.items()}
shrinking = [*reversed(bits)]
sketch(
    "windows/bits",
    shrinking,
    [bits[window] for window in shrinking],
    across="window, in letters",
    upwards="Bits that it needs for a letter, on average",
    high=4,
    step=0.1,
    log=True,
    below="A letter that sees only itself, or one more, knows hardly anything of its word.",
    above="Most letters stand inside a word, and there a few letters say much.",
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# With a window of one letter it needs twice as many bits. We counted only letters that have at least 64 others before
# them.

# %% tags=["hide-input"] alt="Bits a letter against the window, which doubles from mark to mark, from 128 on the left down to 1. The line is nearly level, from 1.8 bits at 128 to 1.9 at 8 and 2 at 4, and then rises to 3.5 at 1."
_, ax = plt.subplots(figsize=(4.8, 2.4), layout="constrained")
ax.plot(list(bits), list(bits.values()), "o-", color=BLUE)
ax.set_xscale("log", base=2)
ax.set_xticks(list(bits), list(bits))
ax.invert_xaxis()  # as it was drawn
ax.set(xlabel="window, in letters", ylabel="bits a letter", ylim=(0, 3.8))
ax.spines[["top", "right"]].set_visible(False)
plt.show()
assert abs(bits[128] - record["bits"]) < 1e-3
assert round(bits[128], 2) == 1.76
assert [round(bits[window], 1) for window in (1, 4, 8, 128)] == [3.5, 2, 1.9, 1.8]
assert 95 < extra[1] < 105
assert round(extra[4]) == 13
assert 0.5 < extra[32] < 1


def letter_by_letter(window):
    """Return the bits of each unseen letter with 64 others before it."""
    look_through(model, window)
    half = CONTEXT // 2
    starts = np.arange(0, len(held) - CONTEXT, half)
    ids = held[starts[:, np.newaxis] + np.arange(CONTEXT + 1)]
    found = [token_losses(model, ids[i : i + 64]) for i in range(0, len(ids), 64)]
    look_through(model, None)
    return np.concatenate(found)[:, half:] / np.log(2)


cliffs = letter_by_letter(32) - letter_by_letter(None) > 1
assert round(100 * cliffs.mean()) == 1

# %% [markdown]
# </details>
#
# **With 32 letters in sight our model needs less than 1 % more bits than with 128.** It gains hardly anything from
# looking farther back. And cliffs like that of the quotation mark are rare: of 100 letters only one needs a whole bit
# more.
#
# ## But layers stack
#
# Is everything outside the window lost, then? With a window of two, each letter of "later" sees itself and the one
# before it:
#
# | who looks | l | a | t | e | r |
# | --- | --- | --- | --- | --- | --- |
# | sees | l | l, a | a, t | t, e | e, r |
#
# The t does not see the l. But it sees the a, and in the layer below the a has seen the l. So a letter can *hear* of
# what lies outside its window, through the letters inside. **Set the window to 5, and stack layers until the question
# mark hears of all 20 letters:**

# %% tags=["live", "hide-input"]
sentence = "How far must it see?"
assert len(sentence) == 20
assert 4 * (5 - 1) + 1 < 20 <= 5 * (5 - 1) + 1
assert 2 * (27 - 1) + 1 == 53
assert 5**5 == 3125
touch(
    "reaching",
    "<p>With a window of 4 and two layers, the last letter has heard of 7 letters: 2 · (4 − 1) + 1. With five layers it"
    " is 16.</p>",
    text=sentence,
    place=19,
    window=4,
    layers=2,
    mixed=False,
)

# %% [markdown]
# **With a window of 5, each layer reaches four letters farther back, so five layers hear of all 20.**
#
# With a window of $w$ and $L$ layers, a letter can hear of this many, itself among them:
#
# $$
# L \cdot (w - 1) + 1 .
# $$
#
# So is the cliff gone? With a window of 27, the two layers of our model can hear of 53 letters, and yet the quotation
# mark cost 6.4 bits. The formula says how far news *can* come. But somebody has to pass it on: in the first layer a
# letter between must note that a quotation is open, and in the second the last one must find this note. Our machine was
# trained without a window. The mark itself was always in sight, so no letter had to learn to pass it on. A machine that
# is trained with windows can. **Each layer lets a letter hear from farther away, if the letters between pass it on.**
#
# And from very far little arrives, if the weights are spread evenly. In "later" the r hears of the t in only one way,
# through the e. If in both layers each letter gave half of its weight to itself and half to the one before, 1/2 · 1/2
# of the t would arrive. With a window of 5, five layers hear of a letter 20 places back, and again in only one way, so
# $1/5^5$ of it would arrive, or 1/3,125. [Gemma 3](https://arxiv.org/abs/2503.19786) (2025) does not rely on passing on
# alone: for five layers with a window it has one that sees all. (In the piece, "every second layer sees all" shows how
# soon that reaches everybody.)
#
# In each layer a window is only a mask. Here each letter of "later" sees two. Untick the box, and it sees all before
# it:

# %% tags=["live", "remove-input"]
from drawing import attention_drawn

attention_drawn("windows")

# %% [markdown]
# ## Your machine so far
#
# A letter at place $i$ with a window of $w$ sees place $j$ if
#
# $$
# i - w < j \le i .
# $$
#
# Here $j \le i$ is the [look-ahead mask](causal.py), and $i - w < j$ hides the far past as well. `hidden` makes this
# mask for a whole text, `True` where a letter must not look. And `look_back`, from [the lesson on the
# cache](cache.py#your-machine-so-far), gets rings:
#
# ```python
# def hidden(n, window):
#     place = np.arange(n)
#     back = place[:, None] - place  # how many places earlier a key stands
#     return ...
#
#
# def look_back(x, place, cache, W_Q, W_K, W_V):
#     keys, values = cache
#     row = ...
#     keys[row], values[row] = x @ W_K, x @ W_V
#     filled = min(place + 1, len(keys))
#     return attention(x @ W_Q, keys[:filled], values[:filled], mask=0)
# ```


# %% tags=["answer"]
from examples.numpy_machine import attention  # that of your machine


def hidden(n, window):
    place = np.arange(n)
    back = place[:, None] - place
    return (back < 0) | (back >= window)


def look_back(x, place, cache, W_Q, W_K, W_V):
    keys, values = cache
    row = place % len(keys)
    keys[row], values[row] = x @ W_K, x @ W_V
    filled = min(place + 1, len(keys))
    return attention(x @ W_Q, keys[:filled], values[:filled], mask=0)


# %%
from clear_attention import (
    combine_masks,
    create_look_ahead_mask,
    create_window_mask,
)

rng = np.random.default_rng(0)
x = rng.normal(size=(10, 8))  # ten letters of eight numbers
W_Q, W_K, W_V = rng.normal(size=(3, 8, 4))
rings = np.zeros((4, 4)), np.zeros((4, 4))  # a window of 4, keys of 4 numbers
one_by_one = [look_back(x[[n]], n, rings, W_Q, W_K, W_V) for n in range(10)]
at_once = attention(x @ W_Q, x @ W_K, x @ W_V, hidden(10, 4))
np.testing.assert_allclose(np.vstack(one_by_one), at_once)
ours = combine_masks(create_window_mask(10, 4), create_look_ahead_mask(10))
np.testing.assert_array_equal(hidden(10, 4), ours)
print("a ring of 4 rows finds what the mask finds for all 10 letters")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>For the curious: if all letters stand at the cliff</summary>
#
# A [later lesson](induction.py) has a machine that was trained, without a window, on random letters that come again. If
# they come again after 20, it gets 98 of 100 right. What if we give it a window?

# %% tags=["hide-input"] alt="Of 100 letters, how many are right, against the window from 9 to 30 letters. Up to a window of 19 the points lie near 4. From 20 on they lie near 98."
PERIOD = 20
copier, _ = trained.load("repeats")


def copied(window):
    """Return how many of 100 letters it says rightly from the second round on."""
    look_through(copier, window)
    right = measure_repeats(copier)["right_by_place"]
    look_through(copier, None)
    return 100 * right[PERIOD:].mean()


rightly = {window: copied(window) for window in range(9, 31)}
assert round(copied(None)) == 98
_, ax = plt.subplots(figsize=(4.8, 2.3), layout="constrained")
ax.plot(list(rightly), list(rightly.values()), "o", color=ORANGE)
ax.set(xlabel="window, in letters", ylabel="right, of 100", ylim=(0, 104))
ax.spines[["top", "right"]].set_visible(False)
plt.show()
assert max(rightly[w] for w in range(9, 20)) < 6
assert min(rightly[w] for w in range(20, 31)) > 96
assert (round(rightly[20]), round(rightly[19])) == (98, 5)

# %% [markdown]
# **With 20 letters in sight it still gets 98 of 100 right, and with 19 only 5.** One letter less, and everything is
# lost.
#
# </details>
#
# ## Exercises
#
# ### Exercise 1
#
# Mistral 7B has 32 layers, each with a window of 4,096 pieces. Of how many pieces can the last piece of a text hear, at
# the top? And how many keys does a layer need to keep of so long a text?

# %% tags=["answer"]
reach = 32 * (4096 - 1) + 1
print(f"it can hear of {reach:,} pieces, and a layer keeps 4,096 of them")
assert reach == 131_041

# %% [markdown]
# ### Exercise 2
#
# The last letter of a text must be able to hear of 100 letters, itself among them. How small may the window of each
# layer be, if there are 1, 3, 9 or 33 layers? And how many rows do the rings of all layers keep together?

# %% tags=["answer"]
for layers in (1, 3, 9, 33):
    window = 99 // layers + 1  # each layer reaches window - 1 letters farther
    print(f"{layers:2} layers: a window of {window:3}, {layers * window} rows")
    assert layers * (window - 1) + 1 == 100

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why hardly more than 100?</summary>
#
# Together the rings keep 99 rows and one more for each layer, because each layer keeps one row for the letter itself,
# which reaches nowhere back. If each of 33 layers kept all 100 letters, it would be 3,300 rows in place of 132.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("windows")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? A window of 32 costs a model less than 1 % on average. Can it harm a text?
# - No, less than 1 % is next to nothing. | Only on average. To close a quotation that was opened 40 letters back may cost 6 bits more.
# + It may ruin some texts. | Where all letters need what lies just out of sight, all of them go wrong.
# - It harms all texts a little. | Where all that is needed is near, hardly anything is lost.
# ? In a ring the keys do not lie in the order of the text. Why does attention not mind?
# + The output is a sum of values. | And each key carries its own place, since it was turned before it was kept.
# - It sorts them first. | Nobody sorts anything. A sum is the same in any order.
# - The mask says where each key belongs. | In the ring there is no mask: all that is there may be seen.
# ? Each layer has a window of 10. How many layers does it take until the last letter can hear of 100 letters?
# - two | Layers do not multiply: with two it is 2 · 9 + 1 = 19.
# - ten | Nearly. The windows share a letter from layer to layer, so each adds only 9: 10 · 9 + 1 = 91.
# + eleven | Each layer reaches 9 farther, and the letter itself is one: 11 · 9 + 1 = 100.
# ```
#
# </details>
#
# ## Where to go next
#
# One riddle is left. As the window moves on, the very first letter goes out of sight. Xiao and others (2023) found
# large models that write nonsense from this moment on, although that letter says nothing. What do they need it for?
#
# * [Attention sinks](sinks.py): where does a machine look that needs nothing?
# * [Long sequences](long_sequences.py): all scores, not all at once.
# * [Where a window ends](../guides/mask_conventions.py#where-a-window-ends): libraries that count differently.
#
# Read on elsewhere: Child and others (2019), [Generating Long Sequences with Sparse
# Transformers](https://arxiv.org/abs/1904.10509); Beltagy, Peters and Cohan (2020), [Longformer: The Long-Document
# Transformer](https://arxiv.org/abs/2004.05150); Jiang and others (2023), [Mistral
# 7B](https://arxiv.org/abs/2310.06825).

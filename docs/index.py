# ---
# title: clear-attention
# hide: [navigation, toc]
# description: Attention you can read, run and check, in TensorFlow and Keras. One rule and tests for each difficult case; the site's numbers are computed by its build, or say where they come from.
# ---

# %% [markdown]
# # Attention you can read, run and check
#
# <div class="riddle" markdown="1">
#
# <code><mark>3</mark>/5/2018</code> → <code>2018-<mark>03</mark>-05</code>
#
# <code><mark>3</mark>.5.2018</code> → <code>2018-05-<mark>03</mark></code>
#
# </div>
#
# A machine writes dates as a computer would. It gets both of these 3s as the same 64 numbers, and yet makes a month of
# one and a day of the other. How does it know? Before it writes, it lets the letters look at each other: the upper 3
# looks most at the two slashes, and the lower one at the two dots. Looking where it matters is called *attention*, and
# the chat programs of today are built of it.
#
# <div class="start" markdown="1">
#
# [Learn it](learn/reading_dates.py){ .md-button .md-button--primary } [Play with a mask](lab.py){ .md-button } [Find
# your answer](find.md){ .md-button }
#
# </div>
#
# ## A machine that reads dates
#
# Here it is, a trained Transformer that runs in this page. It has read 3/5/2018. To write the month it looked at the 3,
# and the 3 itself had looked at the slashes. **Change both slashes to dots. Where does it look for the month now?** Press
# any other letter, too, and type a date as you write it. Or [take the machine apart](machine.py): switch parts off, and
# watch what breaks.

# %% tags=["live", "hide-input"]
import sys

sys.path += ["_site", ".."]
from date_machine import machine, still

import trained
from clear_attention import date_tokenizers, greedy_search

model, _ = trained.load("dates")
source, target = date_tokenizers()
found = greedy_search(model, source.encode(["3/5/2018", "3.5.2018"]), max_length=11, jit_compile=False)
assert target.decode(found) == ["2018-03-05", "2018-05-03"]
for text, month in (("3/5/2018", 0), ("3.5.2018", 2)):  # where the number of the month stands
    date = "2018-03-05" if month == 0 else "2018-05-03"
    maps = model(source.encode([text]), target.encode([date])[:, :-1], return_weights=True).weights
    assert maps["decoder.0.cross"][0, :, 6].numpy().mean(axis=0).argmax() == month
    assert {*maps["encoder.0"][0, :, 0].numpy().mean(axis=0).argsort()[-2:]} == {1, 3}  # the marks, of the first letter
machine(
    "dates",
    piece="small",
    page="machine/",
    text="3/5/2018",
    at=6,
    without=still(model, "3/5/2018", at=6, each_row=True),
)

# %% [markdown]
# ## Which one are you?
#
# <div class="cards" markdown="1">
#
# <div markdown="1">
#
# ### You want to understand it
#
# [Thirteen lessons](learn/reading_dates.py) take the machine above apart, one part a lesson, until you could build it.
# In [a project](learn/roman.py) you teach one to read Roman numerals. [Six more](learn/norm_first.py) lead on to GPT,
# which is half of the machine, trained on a long text. [Seven](learn/cache.py) are about texts that grow long, and
# [four](learn/induction.py) about what heads can learn. Each checks what it claims, and each is a notebook to
# download. If you only want the map of a Transformer, [it is here](learn/recap.py).
#
# </div>
# <div markdown="1">
#
# ### Your mask is wrong, or it says NaN
#
# Click the cells of your mask in [the Mask Lab](lab.py) and watch the numbers. Read [which library means
# what](guides/mask_conventions.py) by True, or find your bug in [the museum](guides/museum.py), where each bug is code
# that runs.
#
# </div>
# <div markdown="1">
#
# ### You wrote a layer and have a doubt
#
# One line asks any Keras layer whether it leaks the future, padding or NaN:
# [`assert_certified(layer)`](guides/certify_your_layer.py), as a function or in pytest.
#
# </div>
# <div markdown="1">
#
# ### You need attention in a model of your own
#
# [`MultiHeadAttention`][clear_attention.MultiHeadAttention] goes [into your model](guides/use_it.py) like any Keras
# layer, takes [weights from Keras and torch](guides/carry_weights.py), trains [on many
# machines](guides/many_machines.py), and works through long sequences [block by block](learn/long_sequences.py). [The
# benchmarks](about/benchmarks.py) also show where it is slower than others.
#
# </div>
# </div>
#
# ## Install it and try it
#
# **clear-attention** is a small TensorFlow and Keras package, and this site is its textbook. The numbers and pictures
# on these pages were computed while the site was built, or say where they come from.
#
# Install the package from a copy of the project with `pip install "path/to/clear-attention[plots]"`; it needs Python
# 3.11 or newer.
#
# This is attention in four lines. Copy it, run it, change the numbers; the words are only labels here, and the numbers
# are random. In a script, `matplotlib.pyplot.show()` opens the picture.

# %% alt="Heat map of causal attention over the words the, cat, sat, down: each row is a query and is hatched to the right of the diagonal, where the keys lie in its future."
import numpy as np

from clear_attention import create_look_ahead_mask, plot_weights, scaled_dot_product_attention

x = np.random.default_rng(3).normal(size=(4, 8))  # four tokens, eight numbers each
mask = create_look_ahead_mask(4)  # 1 blocks a key: no token sees the ones after it
output, weights = scaled_dot_product_attention(x, x, x, mask)
plot_weights(weights, tokens=["the", "cat", "sat", "down"], mask=mask)

# %% [markdown]
# ## What does it promise?
#
# * **One mask convention**: 1 or True marks a key that is blocked, 0 or False one that may be seen, in every function,
#   layer and page. All other values are refused.
# * **A query with no key left** gets weights 0, output 0 and gradient 0. Never NaN, never a glance at padding. (In
#   `MultiHeadAttention` the last bias is added to that 0.)
# * **What is hidden does not matter**: NaN under a mask changes no visible output and no gradient.
# * **Bad input is refused in words** that say what was expected and what came.
#
# Here is the promise about a query with no key left. This package keeps it, `keras.ops` returns the mean of all values:

# %% tags=["wrap"]
import keras

nothing = np.ones((4, 4))  # every key is blocked
theirs = keras.ops.nn.dot_product_attention(*[x[None, :, None].astype("float32")] * 3, mask=nothing[None, None] == 0)
print("ours:     ", scaled_dot_product_attention(x, x, x, nothing).output[0, :3].numpy())
print("keras.ops:", np.array(theirs)[0, 0, 0, :3].round(2), "the mean of all values:", x.mean(axis=0)[:3].round(2))

# %% [markdown]
# **You want to change something here?** The commands and the map are [on one page](contributing.md).

# ---
# title: clear-attention
# hide: [navigation, toc]
# description: Attention you can read, run and check, in TensorFlow and Keras. One tested rule for every edge; every number on the site computed by its build.
# ---

# %% [markdown]
# # Attention you can read, run and check
#
# **clear-attention** is a small TensorFlow and Keras package, and this site is its textbook. The package has one tested
# rule for every edge: masks, empty rows, NaN, 16-bit numbers. Every number and every picture on these pages was computed
# from it while the site was built.
#
# <div class="start" markdown="1">
#
# [Learn it](learn/recap.py){ .md-button .md-button--primary }
# [Play with a mask](lab.py){ .md-button }
# [Find your answer](find.md){ .md-button }
#
# </div>
#
# This is attention in four lines. Copy it, run it, change the words:

# %% alt="Heat map of causal attention over the words the, cat, sat, down: each row is a query and is hatched to the right of the diagonal, where the keys lie in its future."
import numpy as np

from clear_attention import create_look_ahead_mask, plot_weights, scaled_dot_product_attention

x = np.random.default_rng(3).normal(size=(4, 8))  # four tokens, eight numbers each
mask = create_look_ahead_mask(4)  # 1 blocks a key: no token sees the ones after it
output, weights = scaled_dot_product_attention(x, x, x, mask)
plot_weights(weights, tokens=["the", "cat", "sat", "down"], mask=mask)

# %% [markdown]
# ## Which one are you?
#
# <div class="cards" markdown="1">
#
# <div markdown="1">
#
# ### You want to understand it
#
# Nine lessons, one question each, from [where attention sits](learn/recap.py) over
# [working it out by hand](learn/attention.py) to [a whole Transformer](learn/transformer.py) that is trained while this
# site is built. Each checks what it claims, and each is a notebook to download.
#
# </div>
# <div markdown="1">
#
# ### Your mask is wrong, or it says NaN
#
# Click the cells of your mask in [the Mask Lab](lab.py) and watch the numbers. Read
# [which library means what](guides/mask_conventions.py) by True, or find your bug in
# [the museum](guides/museum.py), where each of them runs.
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
# ### You need attention that holds
#
# [`MultiHeadAttention`][clear_attention.MultiHeadAttention] goes [into your model](guides/use_it.py) like any Keras layer,
# takes [weights from Keras and torch](guides/carry_weights.py), trains [on many machines](guides/many_machines.py), and
# goes [by blocks](learn/long_sequences.py) where sequences are long. [The benchmarks](about/benchmarks.py) show what we lose, too.
#
# </div>
# </div>
#
# ## What does it promise?
#
# * **One mask convention**: 1 marks a key that is blocked, in every function, layer and page. Other values are refused.
# * **A query with no key left** gets weights 0, output 0 and gradient 0. Never NaN, never a glance at padding.
# * **What is hidden does not matter**: NaN under a mask changes no visible output and no gradient.
# * **Bad input is refused in words** that say what was expected and what came.
#
# Here is the second promise, kept and broken:

# %% tags=["wrap"]
import keras

nothing = np.ones((4, 4))  # every key is blocked
theirs = keras.ops.nn.dot_product_attention(*[x[None, :, None].astype("float32")] * 3, mask=nothing[None, None] == 0)
print("ours:     ", scaled_dot_product_attention(x, x, x, nothing).output[0, :3].numpy())
print("keras.ops:", np.array(theirs)[0, 0, 0, :3].round(2), "the mean of all values:", x.mean(axis=0)[:3].round(2))

# %% [markdown]
# Install it from a copy of the project with `pip install "path/to/clear-attention[plots]"`; it needs Python 3.11 or newer.
#
# **You want to change something here?** The commands and the map fit [on one screen](contributing.md).

# ---
# title: clear-attention
# description: Attention you can read, run and check, in TensorFlow and Keras. One tested rule for every edge; every number on the site computed by its build.
# ---

# %% [markdown]
# # Attention you can read, run and check
#
# **clear-attention** is a small TensorFlow and Keras package, and this site is its textbook. The package has one tested
# rule for every edge: masks, empty rows, NaN, 16-bit numbers. Every number and every picture on these pages was computed
# from it while the site was built.
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
# ## Where to start
#
# <div class="start" markdown="1">
#
# **You want to understand attention.** Start with [where it sits in a Transformer](learn/recap.py), then
# [work it out by hand](learn/attention.py). Each lesson answers one question, checks what it claims, and can be
# downloaded as a notebook. The last one trains [a whole Transformer](learn/transformer.py) while the site is built.
#
# **You have a layer and a doubt.** [Which way round is this mask?](guides/mask_conventions.py) Does it see the future, where
# does the NaN come from? [`certify`](guides/certify_your_layer.py) finds out, for any Keras layer.
# [The museum](guides/museum.py) shows every bug we know, running; [these questions](guides/questions.py) are asked most.
#
# **You want to change something here.** The commands and the map fit [on one screen](contributing.md).
#
# </div>
#
# ## What it promises
#
# * **One mask convention**: 1 marks a key that is blocked, in every function, layer and page. Other values are refused.
# * **A query with no key left** gets weights 0, output 0 and gradient 0. Never NaN, never a glance at padding.
# * **What is hidden does not matter**: NaN under a mask changes no visible output and no gradient.
# * **Bad input is refused in words** that say what was expected and what came.
#
# Install it with `pip install "clear-attention[plots]"`; it needs Python 3.11 or newer and TensorFlow.

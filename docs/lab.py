# ---
# title: The Mask Lab
# description: Edit a mask and watch the numbers of attention, step by step, with every way of applying a mask that people use, in float32 and float16.
# hide: [navigation, toc]
# ---

# %% [markdown]
# # What does this mask do?
#
# Choose who is hidden, then how the mask is applied, and walk from the scores to the output. The address of the page
# keeps what you chose, so you can send it to somebody.

# %% tags=["live", "hide-input"]
import sys

import numpy as np

from clear_attention import (
    attention_by_hand,
    combine_masks,
    create_look_ahead_mask,
    create_padding_mask,
    date_tokenizers,
    scaled_dot_product_attention,
    split_heads,
)

sys.path += ["_site", ".."]
from live import grid, lab, situation

import trained

# A head to look into: the first of the four with which the date machine looks at what it has written.
model, _ = trained.load("dates")
written = "2018-05-03"
source_tokenizer, target_tokenizer = date_tokenizers()
given = target_tokenizer.encode([written])[:, :6]
attention = model.decoder.layers[0].self_attention.attention
projections = (
    attention.project_queries,
    attention.project_keys,
    attention.project_values,
)
embedded = model.target_positions(model.embed_target(given) * model.d_model**0.5)
head = [split_heads(p(embedded), num_heads=4)[0, 0].numpy() for p in projections]

numbers = [[1, 0], [0, 1], [1, 1], [0, 0]]
prefix = [[1, 2, 3, 4], [5, 6, 7, 8], [2, 3, 4, 5]]
left = [[0, 0], [0, 0], [0, 0], [1, 0], [1, 1]]
situations = [
    situation(
        "a sentence with padding",
        ["the", "cat", "sat", "<pad>"],
        numbers,
        numbers,
        [[1, 10], [2, 20], [3, 30], [0, 0]],
        padding=[3],
    ),
    situation(
        "the published causal prefix",
        ["first", "second", "third"],
        *[prefix] * 3,
        lookAhead=True,
    ),
    situation(
        "padding on the left, and look-ahead",
        ["<pad>", "<pad>", "<pad>", "he", "sat"],
        left,
        left,
        [[0, 0], [0, 0], [0, 0], [1, 10], [2, 20]],
        padding=[0, 1, 2],
        lookAhead=True,
    ),
    situation(
        f"a trained head, writing {written}",
        ["start", *written[:5]],
        *head,
        lookAhead=True,
    ),
]

first = situations[0]["state"]
mask = [[0, 0, 0, 1]] * 4
output, weights = attention_by_hand(first["q"], first["k"], first["v"], mask)
without = (
    "<p>Here you could edit a mask and watch every step, but this browser runs no JavaScript. "
    "These are the weights and the output of the first example, with its padding hidden.</p>"
    + grid("Weights", weights, first["tokens"], first["tokens"], mask)
    + grid("Output", output, first["tokens"], ["v1", "v2"])
)
lab(situations, without)

# %% [markdown]
# ## Four things to find out
#
# 1. **Add −inf × mask** and look at the step *Masked*. Where the mask is 0, the product is −∞ × 0, and that is NaN. The
#    mask destroys exactly the cells that it should leave alone.
# 2. Start from **padding on the left, and look-ahead**. The first three queries may not look ahead, and what lies behind
#    them is padding. No key is left. Ours gives them weights 0; go through the other ways and see what they give.
# 3. With the same example, **add −1e9 × mask** and look at the weights of the first rows. The same number was added
#    everywhere, so the softmax hides nothing. Then switch to **float16**, whose largest number is 65,504.
# 4. **Multiply after the softmax** and add up a row of weights. The hidden keys had taken their share before.
#
# The lesson [Masks](learn/masks.py) explains each of them, [the museum](guides/museum.py) shows them in real code, and
# [`describe_mask`][clear_attention.describe_mask] tells you the findings about your own mask.
#
# ## Are these numbers right?
#
# The page computes in your browser, in plain loops, rounding after each operation as float32 and float16 do. (Our own way
# computes float16 in float32 and rounds the results, as the package does.) The site's tests compare 300 random states
# with [`attention_by_hand`][clear_attention.attention_by_hand] and with NumPy's float16. And the head above is the
# model's own: from its rounded numbers come the weights that the model uses.

# %%
q, k, v = (situations[3]["state"][name] for name in "qkv")
look_ahead = create_look_ahead_mask(6)
shown = scaled_dot_product_attention(q, k, v, look_ahead).weights
used = attention(embedded, mask=look_ahead, return_weights=True).weights[0, 0]
print("largest difference to the model:", f"{np.abs(shown - used).max():.4f}")
assert np.abs(shown - used).max() < 0.01
padding = create_padding_mask([[0, 0, 0, 4, 5]])
both = combine_masks(padding, create_look_ahead_mask(5))
print("queries without a key:", int(np.all(both == 1, axis=-1).sum()))

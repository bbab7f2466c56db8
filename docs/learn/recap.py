# ---
# title: The Transformer, and where attention sits in it
# description: The encoder and the decoder in one picture, the three places where attention is used, and where queries, keys and values come from in each.
# ---

# %% [markdown]
# # Where does attention sit in a Transformer?
#
# **In one sentence:** in three places that compute the same thing and differ only in where the queries come from, where
# the keys and values come from, and what is masked.
#
# A Transformer turns one sequence into another, say a sentence into its translation. The *encoder* reads the source. The
# *decoder* writes the target, one token after the other. Neither has recurrence or convolution: attention is the only
# part in which tokens meet, and it looks at the whole sequence at once. Each token asks with a *query*. It is compared
# with the *keys* of the tokens it may look at, and what comes back is an average of their *values*.
#
# --8<-- "diagrams/encoder_decoder.svg"

# %% [markdown]
# ## The three places
#
# | where | queries from | keys and values from | mask |
# | --- | --- | --- | --- |
# | encoder **self-attention** | the source, embedded and position-encoded | the same | padding |
# | decoder **masked self-attention** | the target so far, embedded and position-encoded | the same | padding and look-ahead |
# | **cross-attention** | the decoder: the *normalised* output of the block below | the encoder's output | padding of the source |
#
# *Padding* is filler that makes the sentences of a batch equally long; *look-ahead* hides the tokens that are not written
# yet.
#
# After each one, the block's input is added to its output (the *residual*) and the sum is normalised. A feed-forward
# network then works on every token by itself. This site builds all of that; the first lessons stay with attention.
#
# ## The formula, the same in all three
#
# $$
# \operatorname{Attention}(Q, K, V) = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V
# $$
#
# | symbol | what it is | shape |
# | --- | --- | --- |
# | $Q$ | queries, one for each token that looks | `(batch, query_length, d_k)` |
# | $K$, $V$ | keys and values, one of each for each token that is looked at | `(batch, key_length, d_k)`, `(batch, key_length, d_v)` |
#
# The output has one row for each *query*: `(batch, query_length, d_v)`. In practice several such attentions run side by
# side, each on its own projection of the tokens. These are the *heads* of multi-head attention:
#
# --8<-- "diagrams/attention_and_heads.svg"

# %% [markdown]
# ## Tiny numbers: a source of 4 tokens, a target of 3
#
# The vectors are random: what matters here is who meets whom. The fourth source token is padding: in a mask, 1
# marks what may not be looked at.

# %%
import numpy as np
from clear_attention import (
    DotProductAttention,
    combine_masks,
    create_look_ahead_mask,
    create_padding_mask,
)

rng = np.random.default_rng(1)
source_tokens, target_tokens = (
    ["the", "cat", "sat", "<pad>"],
    ["<start>", "die", "Katze"],
)
source = rng.normal(size=(1, 4, 8)).astype(
    "float32"
)  # (batch, source_length, d_model), embedded and position-encoded
target = rng.normal(size=(1, 3, 8)).astype(
    "float32"
)  # (batch, target_length, d_model)
source_padding = create_padding_mask([[11, 12, 13, 0]])[
    :, 0
]  # (batch, 1, source_length)
attention = DotProductAttention()
print("padding of the source:", source_padding.numpy())

# %% [markdown]
# **Self-attention**, first in the encoder, then in the decoder. All three tensors come from one side. In the decoder no
# token sees a later one.

# %%
import keras

normalise = keras.layers.LayerNormalization(epsilon=1e-6)
attended, encoder_weights = attention(
    source, source, source, mask=source_padding, return_weights=True
)
encoded = normalise(source + attended)  # residual, then norm

target_mask = combine_masks(
    create_padding_mask([[1, 21, 22]])[:, 0], create_look_ahead_mask(3)
)
attended, decoder_weights = attention(
    target, target, target, mask=target_mask, return_weights=True
)
decoded = normalise(target + attended)
print(
    "encoder output:",
    encoded.shape,
    " decoder, after its first block:",
    decoded.shape,
)

# %% [markdown]
# **Cross-attention.** The decoder asks, the encoder answers: queries from the normalised output of the block before,
# keys and values from the encoder. The lengths differ, and the weights are 3 by 4.

# %%
translated, cross_weights = attention(
    decoded, encoded, encoded, mask=source_padding, return_weights=True
)
print("cross-attention:", translated.shape, "weights:", cross_weights.shape)
assert translated.shape == (1, 3, 8)
assert cross_weights.shape == (1, 3, 4)
assert np.all(cross_weights[..., 3] == 0)  # nobody looks at padding

# %% [markdown]
# ## The package's own source, and a picture
#
# The layer only hands on: the arithmetic is in [`scaled_dot_product_attention`][clear_attention.scaled_dot_product_attention],
# which the [next lesson](attention.py) reads. In the picture rows are the tokens that look and columns the tokens that are looked at. Hatched cells are blocked.

# %% tags=["source"]
import inspect

print(inspect.getsource(DotProductAttention.call))

# %% tags=["hide-input"] alt="Three heat maps. Encoder self-attention is 4 by 4 with the padding column hatched. Decoder self-attention is 3 by 3 with everything above the diagonal hatched. Cross-attention is 3 by 4 with the padding column hatched."
import matplotlib.pyplot as plt
from clear_attention import plot_weights

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
pictures = {
    "encoder": (encoder_weights, source_tokens, source_tokens, source_padding),
    "decoder": (decoder_weights, target_tokens, target_tokens, target_mask),
    "cross": (cross_weights, target_tokens, source_tokens, source_padding),
}
for ax, (title, picture) in zip(axes, pictures.items(), strict=True):
    plot_weights(*picture, ax=ax, colour_bar=False).set_title(title)
plt.show()

# %% [markdown]
# ## A check: the whole sequence at once
#
# A recurrent network must read token 1 before token 2. Attention treats every query by itself: asking with all queries at
# once gives what asking with one after the other gives. The definition in plain Python agrees.

# %%
from clear_attention import attention_by_hand

one_by_one = [
    attention(source[:, i : i + 1], source, source, mask=source_padding)
    for i in range(4)
]
at_once = attention(source, source, source, mask=source_padding)
np.testing.assert_allclose(np.concatenate(one_by_one, axis=1), at_once, atol=1e-6)
by_hand, _ = attention_by_hand(*[source[0].tolist()] * 3, mask=[[0, 0, 0, 1]] * 4)
np.testing.assert_allclose(at_once[0], by_hand, atol=1e-6)
print("largest difference:", "below 1e-6")

# %% [markdown]
# ## A trap: queries and keys the wrong way round
#
# Swap the two sides of cross-attention and nothing complains. The result has the length of the *source*, and where both
# lengths are equal not even that gives it away. Name the arguments, and it can't happen.

# %%
swapped = attention(encoded, decoded, decoded)
print("swapped:", swapped.shape, "instead of", translated.shape)
named = attention(
    queries=decoded, keys=encoded, values=encoded, mask=source_padding
)
assert swapped.shape == (1, 4, 8)
np.testing.assert_array_equal(named, translated)

# %% [markdown]
# ## Exercises
#
# ### Exercise 1
#
# The decoder is given one more target token. Which of the three attentions get larger weights matrices, and by how much?

# %% tags=["answer"]
longer = np.concatenate([target, target[:, :1]], axis=1)  # 4 target tokens
own = attention(
    longer, longer, longer, mask=create_look_ahead_mask(4), return_weights=True
).weights
cross = attention(
    longer, encoded, encoded, mask=source_padding, return_weights=True
).weights
print(
    "decoder self-attention", own.shape, "cross-attention", cross.shape
)  # a row and a column; one row
assert (own.shape, cross.shape) == ((1, 4, 4), (1, 4, 4))

# %% [markdown]
# ### Exercise 2
#
# Change what stands in the padded source token to something huge. Which of the outputs above change?

# %% tags=["answer"]
source[:, 3] = 1e10
again = attention(source, source, source, mask=source_padding)
np.testing.assert_array_equal(
    again[:, :3], at_once[:, :3]
)  # the real tokens do not change by a bit
print(
    "real tokens: unchanged"
)  # the padded token's own row does, and nobody may look at it

# %% [markdown]
# ## Check yourself
#
# ```self-check
# ? A source of 7 tokens, a target of 4, all of depth 8. What shape have the weights of cross-attention, for one text?
# - `(1, 7, 4)` | Rows are the tokens that look, and those are the target's. The 7 source tokens are the columns.
# - `(1, 4, 8)` | That is the shape of the output. The last axis of weights counts keys, not channels.
# + `(1, 4, 7)` | A row for each target token that looks, a column for each source token that is looked at.
# - `(1, 4, 4)` | That is the decoder's self-attention. Here the keys are the source's.
# ? Source and target of a batch are both padded. Which mask does cross-attention need?
# + the padding of the source | Its keys are the source tokens, and a mask says which keys are blocked.
# - the padding of the target | A mask blocks keys, and the target's tokens are the queries here.
# - padding of the source and look-ahead | The whole source is there before the first word is written: nothing to hide.
# - none, since the encoder had its padding mask | It kept padding out of real tokens. Padded rows still hold numbers.
# ? Source: 6 tokens, target: 4. Cross-attention is called as `attention(encoded, decoded, decoded)`. What comes out?
# - a `ValueError`, since 6 queries meet 4 keys | Lengths may differ. Only the depths of queries and keys have to agree.
# - 4 rows, with wrong numbers | There is one row for each query, and the queries are `encoded` here.
# + 6 rows, where 4 are wanted | The output follows the queries. With equal lengths nothing would show.
# ```
#
# ## Where to go next
#
# * [Attention](attention.py): the formula, number by number.
# * [Masks](masks.py): padding and look-ahead, and what goes wrong.
# * [Notation](../notation.md): every symbol and axis of this site.

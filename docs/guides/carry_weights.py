# ---
# title: Carry weights over
# description: Copy the weights of multi-head attention from Keras to clear-attention and back, and from torch's layout, executed, with the one case in which Keras disagrees with itself.
# ---

# %% [markdown]
# # How do I carry my weights over?
#
# You have a trained `keras.layers.MultiHeadAttention`, a torch checkpoint, or the four attention matrices of a current language model, and
# want the same numbers from
# [`MultiHeadAttention`][clear_attention.MultiHeadAttention]. One call does it, and another one takes them back. Both
# layers must have the same number of heads and the same depths; otherwise nothing is changed, and the error names the array
# and both shapes.
#
# ## From Keras to here

# %%
import keras
import numpy as np
from clear_attention import MultiHeadAttention, weights_from_keras

keras.utils.set_random_seed(0)
x = np.random.default_rng(0).normal(size=(2, 5, 64)).astype("float32")
theirs = keras.layers.MultiHeadAttention(num_heads=4, key_dim=16)
expected = theirs(x, x)

ours = weights_from_keras(MultiHeadAttention(d_model=64, num_heads=4), theirs)
print("same numbers:", np.allclose(ours(x), expected, atol=1e-6))
assert np.allclose(ours(x), expected, atol=1e-6)

# %% [markdown]
# Two things differ between the layers, and neither raises an error. Keras takes `(query, value, key)` in this order, ours takes
# `(queries, keys, values)`. And Keras's mask says `True` where a query may look, ours says 1 where it may not:
# [`convert_mask`][clear_attention.convert_mask] translates.
#
# ## And back

# %%
from clear_attention import weights_to_keras

fresh = keras.layers.MultiHeadAttention(num_heads=4, key_dim=16)
fresh(x, x)  # a layer has no weights before its first call
weights_to_keras(ours, fresh)
for before, after in zip(theirs.variables, fresh.variables, strict=True):
    np.testing.assert_array_equal(before, after)
print("the same to the bit")

# %% [markdown]
# ## From torch
#
# torch's `nn.MultiheadAttention` keeps queries, keys and values in one matrix, one below the other, and multiplies by the
# transpose. Take its state dict as NumPy arrays, `{name: t.numpy() for name, t in module.state_dict().items()}`, and hand
# it over. The arrays here are random; torch itself is not needed.

# %%
from clear_attention import weights_from_torch, weights_to_torch

rng = np.random.default_rng(1)
state_dict = {
    "in_proj_weight": rng.normal(size=(3 * 64, 64)).astype("float32") / 8,
    "in_proj_bias": rng.normal(size=3 * 64).astype("float32"),
    "out_proj.weight": rng.normal(size=(64, 64)).astype("float32") / 8,
    "out_proj.bias": rng.normal(size=64).astype("float32"),
}
layer = weights_from_torch(MultiHeadAttention(d_model=64, num_heads=4), state_dict)
back = weights_to_torch(layer)
assert all(np.array_equal(back[name], array) for name, array in state_dict.items())

q = x @ state_dict["in_proj_weight"][:64].T + state_dict["in_proj_bias"][:64]
np.testing.assert_allclose(layer.project_queries(x), q, atol=1e-5)
print("queries as torch computes them; there and back the same to the bit")

# %% [markdown]
# ## From a checkpoint of today
#
# Most decoders of today keep four matrices in each layer, `q_proj.weight` to `o_proj.weight`, without biases, and have
# fewer heads of keys than of queries: [why](../learn/fewer_keys.py).
# [`weights_from_matrices`][clear_attention.weights_from_matrices] takes the four arrays. The arrays here are random
# again. Those of a torch model become NumPy arrays with `t.float().cpu().numpy()`: NumPy has no bfloat16, so `float()` comes
# first.

# %%
from clear_attention import weights_from_matrices, weights_to_matrices

matrices = {
    "q_proj.weight": rng.normal(size=(64, 64)).astype("float32") / 8,
    "k_proj.weight": rng.normal(size=(32, 64)).astype("float32") / 8,
    "v_proj.weight": rng.normal(size=(32, 64)).astype("float32") / 8,
    "o_proj.weight": rng.normal(size=(64, 64)).astype("float32") / 8,
}
grouped = MultiHeadAttention(64, 4, num_key_value_heads=2, use_bias=False)
weights_from_matrices(grouped, matrices)
back = weights_to_matrices(grouped)
assert all(np.array_equal(back[name], array) for name, array in matrices.items())
k = x @ matrices["k_proj.weight"].T
np.testing.assert_allclose(grouped.project_keys(x), k, atol=1e-5)
print("4 heads of queries, 2 of keys, the same to the bit")

# %% [markdown]
# If the layer turns its queries and keys by position, ask which channels make a pair, too:
# [two layouts](mask_conventions.py#which-channels-are-a-rotary-pair) are in use, and
# [`convert_rotary`][clear_attention.convert_rotary] goes from one to the other.
#
# Keras has such a layer as well, `keras.layers.GroupQueryAttention`. The calls are those from above.

# %%
theirs_grouped = keras.layers.GroupQueryAttention(
    head_dim=16, num_query_heads=4, num_key_value_heads=2
)
expected = theirs_grouped(x, x)
ours_grouped = MultiHeadAttention(64, 4, num_key_value_heads=2)
weights_from_keras(ours_grouped, theirs_grouped)
assert np.allclose(ours_grouped(x), expected, atol=1e-6)
print("same numbers:", np.allclose(ours_grouped(x), expected, atol=1e-6))

# %% [markdown]
# ## What does not fit is refused

# %% tags=["wrap"]
try:
    weights_from_torch(MultiHeadAttention(d_model=32, num_heads=4), state_dict)
except ValueError as error:
    print(error)

# %% [markdown]
# ## Where Keras disagrees with itself
#
# The two layers agree wherever a query has a key to look at. If it has none, Keras gives two different answers: the mean
# of all values, or zeros, depending on whether you ask for the weights. Ours gives weights 0 either way. The output is then
# the bias of the last projection, which is 0 in a new layer.

# %%
nothing_allowed = np.zeros((2, 5, 5), bool)  # Keras: False may not be attended to
plain = theirs(x, x, attention_mask=nothing_allowed)
asked, _ = theirs(
    x, x, attention_mask=nothing_allowed, return_attention_scores=True
)
here = ours(x, mask=np.ones((5, 5)))
print("Keras:                       ", np.round(plain[0, 0, :4], 3))
print("Keras, asked for the weights:", np.round(asked[0, 0, :4], 3))
print("here, both ways:             ", np.round(here[0, 0, :4], 3))
assert not np.allclose(plain, asked, atol=1e-3)
assert np.all(here == 0)
assert np.all(ours(x, mask=np.ones((5, 5)), return_weights=True).output == here)

# %% [markdown]
# In float64 there is one more difference. Keras rounds the factor $1/\sqrt{d_k}$ to float32 first, so its results are exact
# to about eight digits unless $d_k$ is a power of 4. Ours are computed in float64 all the way.

# ---
# title: Positions
# description: Why attention alone sees a bag of words, the sinusoidal waves that say where a token stands, distance as a rotation, interleaved and halved layouts, and two published mistakes with axes and odd depths.
# ---

# %% [markdown]
# # How does attention know what comes first?
#
# **In one sentence:** it doesn't, so a vector that depends only on the position, made of sines and cosines of slower and
# slower waves, is added to each token before the first layer.
#
# ## The formula
#
# $$
# PE_{p,\,2i} = \sin(\omega_i\, p), \qquad PE_{p,\,2i+1} = \cos(\omega_i\, p)
# $$
#
# $$
# \omega_i = n^{-2i/d}
# $$
#
# | symbol | what it is | shape |
# | --- | --- | --- |
# | $p$ | the position: 0, 1, 2, ... | one number |
# | $i$ | the number of the wave; each wave fills two channels | one number |
# | $\omega_i$ | how fast wave $i$ turns; $\omega_0 = 1$ is the fastest | one number |
# | $n$ | sets the slowest wave; 10000 in the paper | one number |
# | $PE$ | the encoding, added to the embedded tokens | `(length, depth)` |
#
# ## What attention can't see
#
# "Dog bites man" and "man bites dog" hold the same words. Each query meets all keys, and a weighted sum doesn't depend on
# the order of its terms. So shuffling the tokens shuffles the outputs, and changes none of them. With positions added, even
# "bites" gets another output, though it stays in the middle.

# %%
import keras
import numpy as np
from clear_attention import MultiHeadAttention, PositionalEncoding

keras.utils.set_random_seed(0)
words = ["dog", "bites", "man"]
order = [2, 1, 0]  # man bites dog
x = np.random.default_rng(0).normal(size=(1, 3, 8)).astype("float32")
attention, add_positions = MultiHeadAttention(8, num_heads=2), PositionalEncoding()

output, shuffled = attention(x).numpy(), attention(x[:, order]).numpy()
np.testing.assert_allclose(shuffled, output[:, order], atol=1e-6)

output_pe = attention(add_positions(x)).numpy()
shuffled_pe = attention(add_positions(x[:, order])).numpy()
changes = np.max(np.abs(shuffled_pe - output_pe[:, order]), axis=-1)[0]
assert np.all(changes > 0.1)

print("word   positions dog bites man        man bites dog")
with np.printoptions(precision=2, suppress=True, floatmode="fixed"):
    for added, before, after in [
        ("none", output, shuffled),
        ("added", output_pe, shuffled_pe),
    ]:
        for word, old, new in zip(words, before[0], after[0, order], strict=True):
            print(f"{word:6} {added:9} {old[:3]} {new[:3]}")

# %% tags=["live", "hide-input"]
import sys

sys.path.append("../_site")
from date_machine import comparison, machine

siblings = ["dates", "dates-brief", "dates-no-positions"]
machine(
    *siblings,
    piece="beside",
    sibling="dates-no-positions",
    without=comparison(*siblings),
    title="What does that cost a trained model? Here is a Transformer that reads dates, "
    "beside one without positions. Both were trained before this page was built, in the "
    "same way. Type a date of your own.",
)

# %% [markdown]
# ## Tiny numbers: why waves rather than a counter?
#
# With $d = 4$ there are two waves: $\omega_0 = 1$ and $\omega_1 = 10000^{-2/4} = 1/100$. Position 2 is
# $(\sin 2, \cos 2, \sin 0.02, \cos 0.02)$.
#
# A counter 0, 1, 2, ... would be simpler. But it grows with the sentence: after 400 words it adds 399, and drowns the word.
# Divided by the last position it ends at 1, but then the step to the next word is another one in each sentence. The waves
# stay within -1 and 1, and every step has the same size.

# %%
import math

from clear_attention import sinusoidal_encoding

by_hand = [math.sin(2), math.cos(2), math.sin(0.02), math.cos(0.02)]
print("position 2:", [round(value, 3) for value in by_hand])
np.testing.assert_allclose(sinusoidal_encoding(3, depth=4)[2], by_hand, 1e-6)

numberings = {
    "counter": lambda length: np.arange(length)[:, None],
    "fraction": lambda length: np.arange(length)[:, None] / (length - 1),
    "waves": lambda length: sinusoidal_encoding(length, depth=4).numpy(),
}
largest, steps = {}, {}
print("\n          largest   step, 4 words   step, 400 words")
for name, number in numberings.items():
    numbers = [number(4), number(400)]
    largest[name] = np.max(np.abs(numbers[1]))
    steps[name] = [np.linalg.norm(np.diff(m, axis=0), axis=1) for m in numbers]
    of_4, of_400 = (step[0] for step in steps[name])
    print(f"{name:9}{largest[name]:8.0f}{of_4:16.4f}{of_400:18.4f}")
assert largest["counter"] == 399
assert steps["fraction"][0][0] > 100 * steps["fraction"][1][0]
assert largest["waves"] <= 1
np.testing.assert_allclose(np.concatenate(steps["waves"]), of_4, atol=1e-6)

# %% [markdown]
# ## The package's own source, and its picture
#
# Angles, sine and cosine, laid side by side. This is what
# [`sinusoidal_encoding`][clear_attention.sinusoidal_encoding] and the layer both call:

# %% tags=["source"]
import inspect

from clear_attention import positions

print(inspect.getsource(positions.waves))

# %% tags=["hide-input"] alt="Above: heat map of 50 positions, downwards, and 32 channels. The first channels change sign every few positions, the last ones not at all. Below: four sine waves against the position. Channel 0 turns about eight times in 50 positions, channels 4, 8 and 12 each more slowly."
import matplotlib.pyplot as plt
from clear_attention import plot_positions

encoding = sinusoidal_encoding(length=50, depth=32)
figure, (top, bottom) = plt.subplots(2, 1, figsize=(5, 5), layout="constrained")
plot_positions(encoding, ax=top)
colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]
styles = ["-", "--", "-.", ":"]
for channel, colour, style in zip([0, 4, 8, 12], colours, styles, strict=True):
    bottom.plot(encoding[:, channel], color=colour, ls=style, label=f"{channel}")
bottom.set(xlabel="position", ylabel="value", xlim=(0, 49), yticks=[-1, 0, 1])
bottom.spines[["top", "right"]].set_visible(False)
figure.legend(loc="outside lower center", ncols=4, title="channel", frameon=False)
plt.show()

# %% [markdown]
# Each position reads like the time on a clock with many hands: the fast ones tell neighbours apart, the slow ones tell the beginning
# from the end.
#
# ## Distance is a rotation
#
# The two channels of one wave are a point on a circle. Going $k$ places further turns the point by the angle
# $\omega_i k$, wherever it stands. So there is one matrix for each distance:
#
# $$
# PE_{p+k} = R_k\, PE_p
# $$
#
# $$
# R_k = \begin{pmatrix} R_k^{(0)} & & \\ & R_k^{(1)} & \\ & & \ddots \end{pmatrix}
# $$
#
# $$
# R_k^{(i)} = \begin{pmatrix} \cos \omega_i k & \sin \omega_i k \\ -\sin \omega_i k & \cos \omega_i k \end{pmatrix}
# $$
#
# Two things follow. The dot product of two encodings is $\sum_i \cos(\omega_i k)$: it depends on the distance only, and
# is the same forwards and backwards. And a projection can *learn* a distance: with $R_{-3}$ as the weights of the queries,
# each position, from 3 on, fits best the one three places before it.

# %% alt="Above: heat map of the dot products of 100 positions with 100 positions, the same along each diagonal, largest on the main diagonal. Below: dot product against the distance, in waves that fall from 16 at distance 0, alike to both sides. With the queries turned by three places the same curve has its peak at minus 3."
encoding = sinusoidal_encoding(length=100, depth=32).numpy()


def rotation(k, depth=32, n=10000):
    """Build R_k: a turn by its own angle for each pair of channels."""
    matrix = np.zeros((depth, depth))
    for i in range(0, depth, 2):
        angle = k * n ** (-i / depth)
        cos, sin = math.cos(angle), math.sin(angle)
        matrix[i : i + 2, i : i + 2] = [[cos, sin], [-sin, cos]]
    return matrix


for k in (1, 3, 17, 50):
    np.testing.assert_allclose(
        encoding[:-k] @ rotation(k).T, encoding[k:], atol=1e-5
    )

plain = encoding @ encoding.T
turned = (encoding @ rotation(-3).T) @ encoding.T  # (query_length, key_length)
for scores in (plain, turned):
    for k in range(-99, 100):
        assert np.ptp(np.diagonal(scores, k)) < 1e-4  # alike wherever it stands
waves = np.outer(np.arange(100), 10000 ** (-np.arange(0, 32, 2) / 32))
np.testing.assert_allclose(plain[0], np.cos(waves).sum(axis=1), atol=1e-4)
assert np.all(turned.argmax(axis=1)[3:] == np.arange(97))

figure, (top, bottom) = plt.subplots(2, 1, figsize=(5, 5.4), layout="constrained")
mesh = top.pcolormesh(plain, cmap="cividis", rasterized=True)
top.set(xlabel="key", ylabel="query", xlim=(0, 100), ylim=(100, 0))
figure.colorbar(mesh, ax=top, label="dot product")
distance = np.arange(100) - 50  # of each key from the query at position 50
bottom.plot(distance, plain[50], color="#0072b2", label="as they are")
bottom.plot(distance, turned[50], color="#d55e00", ls="--", label="queries turned")
bottom.set(
    xlabel="position of key - of query", ylabel="dot product", xlim=(-30, 30)
)
bottom.spines[["top", "right"]].set_visible(False)
figure.legend(loc="outside lower center", ncols=2, frameon=False)
plt.show()

# %% [markdown]
# ## Interleaved or in halves?
#
# The paper's formula interleaves sines and cosines. Other code writes all sines first, then all cosines. Both are in use,
# and hold the same numbers with the channels in another order. A model can be trained with either. But once it is trained
# its weights expect each wave in its channel.
#
# Here a model with one attention learns to say the word that stood three places before. Then its encoding is replaced. To
# compare, the same model is trained without positions.

# %%
LENGTH, DEPTH, VOCABULARY, BACK = 12, 32, 8, 3
interleaved = sinusoidal_encoding(LENGTH, DEPTH).numpy()
angles = np.arange(LENGTH)[:, None] * 10000 ** (-np.arange(0, DEPTH, 2) / DEPTH)
halves = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
to_halves = [*range(0, DEPTH, 2), *range(1, DEPTH, 2)]
np.testing.assert_allclose(interleaved[:, to_halves], halves, atol=1e-6)

rng = np.random.default_rng(0)
ids = rng.integers(VOCABULARY, size=(16_000, LENGTH))
test = rng.integers(VOCABULARY, size=(2_000, LENGTH))


def trained(place):
    """Fit a model to say the word that stood three places before."""
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.layers.Embedding(VOCABULARY, DEPTH, name="embed"),
            place,
            MultiHeadAttention(DEPTH, num_heads=1, name="attend"),
            keras.layers.Dense(VOCABULARY, name="say"),
            keras.layers.Cropping1D((BACK, 0)),  # the first three have no answer
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(3e-3), loss)
    model.fit(ids, ids[:, :-BACK], batch_size=64, epochs=2, verbose=0)
    return model


def share_right(model, encoding):
    """Run the model on unseen words with any encoding in the place of its own."""
    embed, attend, say = (model.get_layer(n) for n in ("embed", "attend", "say"))
    said = np.argmax(say(attend(embed(test) + encoding)), axis=-1)
    return np.mean(said[:, BACK:] == test[:, :-BACK])


model = trained(PositionalEncoding())
commonest = np.array([np.bincount(words).argmax() for words in test])
shares = {
    "the commonest word": np.mean(commonest[:, None] == test[:, :-BACK]),
    "trained without": share_right(trained(keras.layers.Identity()), 0),
    "interleaved, as trained": share_right(model, interleaved),
    "halves": share_right(model, halves.astype("float32")),
}
for name, share in shares.items():
    print(f"{name:24}{share:7.1%} of the words right")
assert shares["interleaved, as trained"] > 0.99
assert max(shares["trained without"], shares["halves"]) < 0.5
assert abs(shares["trained without"] - shares["the commonest word"]) < 0.05

# %% [markdown]
# Without positions the model can do no better than to say the commonest word of the sentence, everywhere. With halves,
# each wave stands in a channel where the weights expect another.
#
# ## Two published traps: the wrong axis, the odd depth
#
# A published Transformer layer reads the length from axis 2 of `(batch, length, depth)`. That is the depth. If both are
# equal nobody notices. A single token, as in generation, becomes as many as there are channels. And a model with an
# unknown length is built with a wrong one.
#
# An odd depth has one sine more than cosines. A loop over pairs leaves the last channel empty, so it never says anything
# about the position. Slices, as in other versions, crash. Ours ends with a sine.

# %%
import tensorflow as tf


def published(x):
    return x + sinusoidal_encoding(length=x.shape[2], depth=x.shape[2])


shapes = {}
for shape in [(2, 8, 8), (2, 1, 8), (2, 5, 8), (2, None, 8)]:
    x = keras.Input(batch_shape=shape) if None in shape else tf.zeros(shape)
    try:
        shapes[shape] = published(x).shape
    except tf.errors.InvalidArgumentError:
        shapes[shape] = "an error"
    print(
        f"{shape!s:13} published: {shapes[shape]!s:13} ours: {add_positions(x).shape}"
    )
    assert add_positions(x).shape == shape
assert shapes[2, 1, 8] == (2, 8, 8)
assert shapes[2, None, 8] == (2, 8, 8)


def by_pairs(angles, depth):
    encoding = np.zeros((len(angles), depth))
    for i in range(depth // 2):
        encoding[:, 2 * i] = np.sin(angles[:, i])
        encoding[:, 2 * i + 1] = np.cos(angles[:, i])
    return encoding


def by_slices(angles, depth):
    encoding = np.zeros((len(angles), depth))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return encoding


rates = 10000 ** (-np.arange(0, 5, 2) / 5)  # three waves
angles = np.arange(4)[:, None] * rates
pairs, ours = by_pairs(angles, depth=5), sinusoidal_encoding(4, depth=5).numpy()
print(
    "\nlast channel of 5, by pairs:", pairs[:, -1], " ours:", ours[:, -1].round(4)
)
assert np.all(pairs[:, -1] == 0)
np.testing.assert_allclose(ours[:, :4], pairs[:, :4], atol=1e-6)
np.testing.assert_allclose(ours[:, 4], np.sin(angles[:, 2]), atol=1e-6)
try:
    by_slices(angles, depth=5)
except ValueError as error:
    print("by slices:", error)
else:
    raise AssertionError("slices of an odd depth were accepted")

# %% [markdown]
# ## The layer in use
#
# [`PositionalEncoding`][clear_attention.PositionalEncoding] goes between the embedding and the first layer, once; a
# published layer adds the encoding again in every block. Three things are easily missed when you add it yourself:
#
# * **The mask.** `Embedding(mask_zero=True)` attaches one; `+` drops it, and padding gets attention.
# * **The dtype.** `+` refuses float16 beside float32. The layer rounds the encoding to its own dtype.
# * **Padding on the left.** The first word is not at position 0. Say with `positions=` where each token stands; padding may
#   stand anywhere, since the mask hides it.

# %%
embed = keras.layers.Embedding(10, 8, mask_zero=True)
ids = np.array([[0, 0, 4, 5, 6]])
embedded = embed(ids)
print("weights on the padding, for query 4")
on_padding = []
for name, summed in {
    "with +": embedded + sinusoidal_encoding(5, 8),
    "with the layer": add_positions(embedded),
}.items():
    weights = attention(summed, return_weights=True)[1]  # (batch, heads, 5, 5)
    on_padding.append(weights[0, :, 4, :2].numpy().sum(axis=-1))
    print(f"  {name:15}", on_padding[-1].round(2), "head 0, head 1")
assert np.all(on_padding[0] > 0.05)
assert np.all(on_padding[1] == 0)

half = PositionalEncoding(dtype="float16")(tf.zeros((1, 5, 8), tf.float16))
assert half.dtype == "float16"
try:
    tf.zeros((1, 5, 8), tf.float16) + sinusoidal_encoding(5, 8)
except tf.errors.InvalidArgumentError:
    print("float16 + float32 is refused; the layer gives", half.dtype.name)

places = np.maximum(np.cumsum(ids != 0, axis=1) - 1, 0)
print("positions", places)
at_start = attention(add_positions(embed(np.array([[4, 5, 6]]))))
padded = attention(add_positions(embedded, positions=places))[:, 2:]
unaware = attention(add_positions(embedded))[:, 2:]
np.testing.assert_allclose(padded, at_start, atol=1e-6)
assert np.max(np.abs(unaware - at_start)) > 0.01

# %% [markdown]
# ## Exercises
#
# ### Exercise 1
#
# With `n=1` all waves have the same length. Which of the positions 1 to 49 looks most like position 0? And with `n=10000`?

# %% tags=["answer"]
nearest = {}
for n in (1, 10000):
    encoding = sinusoidal_encoding(50, depth=32, n=n).numpy()
    distances = np.linalg.norm(encoding[1:] - encoding[0], axis=1)
    nearest[n] = int(np.argmin(distances)) + 1
    print(f"n={n}: position {nearest[n]}, at a distance of {distances.min():.2f}")
assert nearest == {1: 44, 10000: 1}  # 44 is nearly seven turns: 7 * 2 pi = 43.98

# %% [markdown]
# ### Exercise 2
#
# Move the trained model over to halves, without training it again. Which weights have to be put into another order?

# %% tags=["answer"]
table = model.get_layer("embed").embeddings
table.assign(table.numpy()[:, to_halves])  # a word's channels
attend = model.get_layer("attend")
for project in (attend.project_queries, attend.project_keys, attend.project_values):
    project.kernel.assign(
        project.kernel.numpy()[to_halves]
    )  # and all that read them
moved = share_right(model, halves.astype("float32"))
print(f"halves, weights moved: {moved:.1%} of the words right")
assert moved > 0.99

# %% [markdown]
# ## Check yourself
#
# ```self-check
# ? What does `sinusoidal_encoding(3, depth=4)` hold for position 0?
# - `[0, 0, 0, 0]` | Position 0 is not nothing: each cosine of 0 is 1.
# - `[0, 0, 1, 1]` | That is the layout in halves: first the sines, then the cosines.
# + `[0, 1, 0, 1]` | Sine and cosine in turns, and both waves begin at angle 0.
# - `[1, 0, 1, 0]` | The sine stands first in each pair.
# ? Code reads the length from `x.shape[2]` and adds that many positions. For which `x` is it wrong and silent?
# - `(4, 10, 16)` | Not silent: `(10, 16)` and `(16, 16)` don't fit, and that is an error.
# + `(4, 1, 16)` | The one token is broadcast, and out come 16, at 16 positions.
# - `(4, 16, 16)` | Length and depth are equal, so this comes out right. That is why a test misses it.
# ? `[[0, 0, 4, 5, 6]]` is padded on the left, and masked. With which `positions` is it attended to like `[[4, 5, 6]]`?
# - `[[0, 1, 2, 3, 4]]` | That is what you get without `positions`: the first word stands at 2.
# - `[[0, 0, 1, 2, 3]]` | A running count of the real tokens is one too large: the first word stands at 1.
# - `[[1, 1, 0, 0, 0]]` | That is a mask, and would put all three words at position 0.
# + `[[0, 0, 0, 1, 2]]` | The first word stands at 0. Where padding stands does not matter: the mask hides it.
# ```
#
# ## Where to go next
#
# * [The Transformer layer](transformer_layer.py): what the sum of word and position goes through.
# * [Multi-head attention](multi_head.py): heads that can each learn another distance.
# * [Reference: positions](../reference/positions.md): every argument and error of the layer.

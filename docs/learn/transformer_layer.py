# ---
# title: The Transformer layer
# description: What holds a deep machine together. Residual and norm, each switched off in a tower of layers, by hand and in the source, and whether the norm belongs before or after.
# ---

# %% [markdown]
# # What holds a deep machine together?
#
# Attention gives each letter an average of values. That average *replaces* the letter: what the letter was is gone,
# unless it looked at itself. Here is a machine trained like that, for half as long as ours. Each part passes on only
# what it found, and nothing of what came in. It still knows which letters there are, but it mixes up their order. Below
# are two of its wrong answers; then try your own.

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from clear_attention import create_date_pairs, date_tokenizers, greedy_search
from date_machine import comparison, machine
from trained.ablations import shares

mixed_up, _ = trained.load("dates-no-residual")
source, target = date_tokenizers()
texts, dates = create_date_pairs(300, seed=1, split="test")
ids = greedy_search(mixed_up, source.encode(texts, length=34), max_length=11)
shuffled = [
    (text, answer)
    for text, answer, date in zip(texts, target.decode(ids), dates, strict=True)
    if answer != date and sorted(answer) == sorted(date)
]
for text, answer in shuffled[:2]:
    print(f"{text:28} {answer}")
assert len(shuffled) > 10

# %% tags=["live", "hide-input"]
names = ["dates", "dates-brief", "dates-no-residual"]
machine(
    *names,
    piece="beside",
    sibling="dates-no-residual",
    text="april 26th, 2021",
    without=comparison(*names),
)

# %% [markdown]
# Trained as long as the whole one, three machines of each kind, each begun from other random numbers, read these shares
# of 2,000 unseen dates:

# %% tags=["hide-input"]
for name in ("whole", "no residual"):
    print(f"{name:12}", "   ".join(f"{share:.2%}" for share in shares(name)))
first, second, third = shares("no residual")
assert 0.88 < second <= first < 0.9 < 0.98 < third

# %% [markdown]
# Two of the three lose one date in ten, the third nearly one in fifty; a whole machine loses about one in a thousand.
# And all of them are only one layer deep. What about a tower?
#
# ## A tower of four
#
# Here is a harder task for a deeper machine: four layers on top of each other must write eight digits backwards. Each
# layer has two things around attention that keep it upright:
#
# * the **residual**: what comes in is added to what the part found. Think of notes in the margin: the text stays, and
#   something is written beside it.
# * the **norm**: the numbers of each letter are brought to one size before they are used, so that they do not get out
#   of hand from layer to layer. (Before or after: both exist, and the last section lets them race.)
#
# We train the tower three times from the same random numbers, on the same examples: whole, without the norms of its
# layers, and without the residuals. Guess first: which of the two would you miss more?

# %% tags=["hide-input"]
import keras
import numpy as np
import tensorflow as tf
from clear_attention import Encoder, PositionalEncoding

BATCH, STEPS, EVERY = 32, 400, 10
digits = np.random.default_rng(0).integers(0, 10, (BATCH * STEPS, 8))
unseen = np.random.default_rng(1).integers(0, 10, (500, 8))


def tower(residual=True, norm=True):
    """Four layers with the norm first, in which either part can be left out."""
    keras.utils.set_random_seed(0)
    encoder = Encoder(
        4, d_model=32, num_heads=1, d_ff=128, dropout=0.0, norm_first=True
    )
    for layer in encoder.layers:
        for block in (layer.self_attention, layer.feed_forward):
            if not norm:
                block.before = lambda x: x
                block.norm.trainable = False
            if not residual:
                block.after = lambda x, output, training=None: output
    start = keras.initializers.RandomNormal(stddev=1.0)
    return keras.Sequential(
        [
            keras.layers.Embedding(10, 32, start),
            PositionalEncoding(),
            encoder,
            keras.layers.Dense(10),
        ]
    )


class Losses(keras.callbacks.Callback):
    """Keep the mean loss of every few steps."""

    def __init__(self):
        super().__init__()
        self.sums, self.curve = 0.0, []

    def on_train_batch_end(self, batch, logs=None):
        total = logs["loss"] * (
            batch + 1
        )  # Keras gives the mean of all steps so far
        if (batch + 1) % EVERY == 0:
            self.curve.append((total - self.sums) / EVERY)
            self.sums = total


def train(model, rate=1e-3, steps=STEPS):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate), loss)
    losses = Losses()
    x = digits[: BATCH * steps]
    model.fit(x, x[:, ::-1], batch_size=BATCH, verbose=0, callbacks=[losses])
    right = np.mean(np.argmax(model(unseen), axis=-1) == unseen[:, ::-1])
    return losses.curve, right


towers = {
    "whole": tower(),
    "without the norms": tower(norm=False),
    "without the residuals": tower(residual=False),
}
results = {name: train(model) for name, model in towers.items()}
for name, (_, right) in results.items():
    print(f"{name:22} digits right: {right:.0%}")
commonest = np.mean([np.bincount(row).max() / 8 for row in unseen])
print(f"the commonest digit of each text, eight times: {commonest:.0%}")
assert results["whole"][1] > 0.95
assert abs(results["without the residuals"][1] - commonest) < 0.05
assert results["without the residuals"][1] < 0.5

# %% tags=["hide-input"] alt="Loss over 400 steps. The whole tower falls to 0 first. Without the norms it stays on a plateau for longer, then falls. Without the residuals it stays on that plateau to the end."
import matplotlib.pyplot as plt

STYLES = {
    "whole": ("#0072b2", "-"),
    "without the norms": ("#d55e00", "--"),
    "without the residuals": ("#009e73", ":"),
}
figure, ax = plt.subplots(figsize=(5, 2.8), layout="constrained")
for name, (curve, _) in results.items():
    colour, dash = STYLES[name]
    ax.plot(
        np.arange(1, len(curve) + 1) * EVERY,
        curve,
        dash,
        color=colour,
        label=name,
        lw=2,
    )
ax.set(xlabel="step of the training", ylabel="loss", xlim=(0, STEPS), ylim=0)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, fontsize=8)
plt.show()

# %% [markdown]
# The line falls as the answers get better: the *loss*, which [a later lesson](transformer.py#how-wrong-is-it-by-hand)
# computes by hand, is 0 for a perfect machine, and 2.3 for one that guesses among ten digits.
#
# Without norms the tower learns the task, only later; the first exercise shows when it fails. Without residuals it gets
# three digits in ten right, no more than one gets by writing the commonest of the eight digits in all eight places.
# Why? One reason has a name, *rank collapse* (Dong and others, 2021): after a few rounds of averaging all letters of a
# text look alike. That can be measured even before any training. How alike are two letters of one text? The cosine of
# the angle between their vectors is about 0 for "nothing in common" and 1 for "the same direction".
#
# Often a second reason is given. To train the first layer, one must know the *slope* of the loss: how much the loss
# changes if a number in that layer changes a little. This slope is found by going back from the answer through all
# layers above. A residual is a straight way back, since a sum hands on every change as it is. Without it, the slope may
# get lost in the layers between. Does it get lost here? We measure its size in the first layer, too.


# %% tags=["hide-input"]
def alikeness(x):
    """Mean cosine between two different letters of a text."""
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    cosines = x @ np.swapaxes(x, 1, 2)
    return np.mean(cosines[:, ~np.eye(x.shape[1], dtype=bool)])


alike, slope = {}, {}
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
for residual in (True, False):
    model = tower(residual)
    entered = model.layers[1](model.layers[0](unseen))
    stages = [entered, model.layers[2](entered)]
    alike[residual] = [alikeness(np.array(stage)) for stage in stages]
    with tf.GradientTape() as tape:
        wrong = loss(unseen[:, ::-1], model(unseen))
    first = model.layers[2].layers[0].trainable_weights
    slope[residual] = float(tf.linalg.global_norm(tape.gradient(wrong, first)))
    name = "with residuals" if residual else "without"
    print(
        f"{name:15} alike before the tower {alike[residual][0]:.2f}, after it "
        f"{alike[residual][1]:.2f}; slope in the first layer {slope[residual]:.1f}"
    )
assert alike[False][1] > 0.95 > alike[True][1]
assert slope[False] > 2 * slope[True]

# %% [markdown]
# So the letters do become alike, and the slope does not get lost: it is even larger without residuals. The norms keep
# the numbers at one size, and with them the slope. But it is of little use. If all letters look alike, a nudge moves
# the answers at all eight places in the same way, and they need different answers. (In deep networks without norms the
# slope can indeed get lost.)
#
# ## By hand
#
# A letter has the vector $(1, 2, 0, 1)$, and attention found $(0, 1, 5, 6)$ for it. **The residual** adds the two:
#
# $$
# (1, 2, 0, 1) + (0, 1, 5, 6) = (1, 3, 5, 7)
# $$
#
# **The norm** brings this sum to mean 0 and size 1. (Here the norm comes after the sum, as in the first Transformer. In
# our tower it comes before the part.) The mean is 4. Subtract it: $(-3, -1, 1, 3)$. The size is the root of the mean
# square, $\sqrt{(9 + 1 + 1 + 9) / 4} = \sqrt{5} = 2.236$. (Of numbers whose mean is 0 this is the *standard
# deviation*.) Divide by it:
#
# $$
# (-1.342, -0.447, 0.447, 1.342)
# $$
#
# Each letter is treated by itself, with its own mean and size. Two learnt vectors then scale and shift the result:
# $\gamma$ starts as all ones, $\beta$ as all zeros. Try to get a large number through the norm:

# %% tags=["live", "hide-input"]
from live import touch

touch(
    "norm",
    "<p>The numbers 1, 3, 5, 7 become −1.34, −0.45, 0.45, 1.34. So do 10, 30, 50, 70, and so do 101, 103, 105, 107.</p>",
    x=[1, 3, 5, 7],
    plus=0,
    times=1,
)

# %% [markdown]
# You cannot: of four numbers none comes out larger than √3 = 1.73. (Their sum is 0, and their squares add up to 4. If
# one of them is $a$, the other three must make up $-a$. Their squares are smallest if each of them is $-a/3$; together
# these are $a^2/3$. So $\frac43 a^2$ is at most 4.) What all numbers of a letter have in common is taken away, and
# their differences are brought to one size. Only the pattern is left. For your own machine (the `1e-6` keeps 0 from
# being divided by 0):


# %%
def norm(x, scale=1, shift=0):
    x = x - x.mean(axis=-1, keepdims=True)
    return scale * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6) + shift


x, found = np.array([1.0, 2, 0, 1]), np.array([0.0, 1, 5, 6])
total = x + found
normed = norm(total)
print(total, "->", normed.round(3))
layer_norm = keras.layers.LayerNormalization(epsilon=1e-6)
np.testing.assert_allclose(layer_norm(total[None])[0], normed, atol=1e-6)
np.testing.assert_allclose(normed, [-1.342, -0.447, 0.447, 1.342], atol=5e-4)
assert np.isclose(
    norm(np.array([3.0, -1, -1, -1])).max(), np.sqrt(3)
)  # the largest

# %% [markdown]
# ## The formula
#
# A layer of the encoder has two parts, attention and a network that works on each letter alone (the [next
# lesson](feed_forward.py)). In the decoder a second attention stands between them, the one that looks at the text.
# Around each part stand residual and norm:
#
# $$
# a = \operatorname{Norm}(x + \operatorname{MultiHead}(x, x, x)), \qquad y = \operatorname{Norm}(a +
# \operatorname{FFN}(a))
# $$
#
# | symbol | what it is | shape |
# | --- | --- | --- |
# | $x$, $a$, $y$ | the letters: coming in, after attention, going out | `(batch, length, d_model)` |
# | $\operatorname{Norm}$ | mean 0 and size 1 for each letter, then times $\gamma$, plus $\beta$ | as its input |
# | $\operatorname{FFN}$ | the network of the next lesson | as its input |
#
# That is the left side of the picture, as in the first Transformer. On the right, the norm comes *before* each part:
#
# --8<-- "diagrams/transformer_layer.svg"
#
# ## Reading the function { #the-function-read }
#
# What stands before and after attention is the same as what stands before and after the network, so the package writes
# it once, as two functions: what goes into a part, and what is made of that which comes out.
#
# <details class="lesson-more" markdown="1"><summary>Both functions, and a check from outside</summary>

# %% tags=["source"]
import inspect

from clear_attention.blocks import ResidualBlock

print(inspect.getsource(ResidualBlock.before))
print(inspect.getsource(ResidualBlock.after))

# %% [markdown]
# `normed` applies the norm. `drop` sets some of the numbers to 0 during a training if you ask for dropout, and does
# nothing otherwise. The layer itself is its two blocks in their order, and a check from outside says so:

# %% tags=["hide-input"]
from clear_attention import EncoderLayer, FeedForwardBlock, SelfAttentionBlock

inputs = keras.Input((None, 128))
x = SelfAttentionBlock(d_model=128, num_heads=1)(PositionalEncoding()(inputs))
x = FeedForwardBlock(d_model=128, d_ff=4 * 128)(x)
by_blocks = keras.Model(inputs, x)
layer = EncoderLayer(128, num_heads=1, d_ff=512, dropout=0.0)
layer.build((None, None, 128))
layer.set_weights(by_blocks.get_weights())
text = np.random.default_rng(6).normal(size=(2, 5, 128)).astype("float32")
np.testing.assert_allclose(
    by_blocks(text), layer(PositionalEncoding()(text)), atol=1e-6
)
print("two blocks are the layer:", by_blocks.output.shape)

# %% [markdown]
# </details>
#
# ## Norm first or norm last?
#
# *Post-norm*, as in 2017, norms the sum. *Pre-norm* (`norm_first=True`) norms only what a part reads, so that $x$
# itself runs through the whole tower as one growing sum, which is normed once, at the very end. Here is the size of the
# numbers in twelve layers that are not trained yet:

# %% tags=["hide-input"] alt="Size of the numbers after each of 12 layers, on a logarithmic axis. With the norm last it stays at 1. With the norm first it grows slowly, ever more slowly. Without a norm it grows by about the same factor in each layer, a straight line."
tokens = np.random.default_rng(5).normal(size=(8, 16, 64)).astype("float32")
sizes = {}
for name, first in {
    "norm last": False,
    "norm first": True,
    "no norm": True,
}.items():
    keras.utils.set_random_seed(5)
    deep = Encoder(12, 64, num_heads=4, d_ff=256, norm_first=first)
    deep.build((None, None, 64))
    stream, sizes[name] = tokens, [np.sqrt(np.mean(tokens**2))]
    for layer in deep.layers:
        if name == "no norm":
            for block in (layer.self_attention, layer.feed_forward):
                block.before = lambda x: x
        stream = layer(stream).numpy()
        sizes[name].append(np.sqrt(np.mean(stream**2)))
    print(
        f"{name:10}  size after layers 0, 6 and 12:", np.round(sizes[name][::6], 1)
    )
assert sizes["no norm"][-1] > 10 * sizes["norm first"][-1]

figure, ax = plt.subplots(figsize=(5, 2.8), layout="constrained")
for (name, size), dash in zip(sizes.items(), ("-.", "-", "--"), strict=True):
    ax.semilogy(size, dash, lw=2, label=name)
ax.set(xlabel="after layer", ylabel="size (root mean square)", xlim=(0, 12))
ax.set_xticks(range(0, 13, 2))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, fontsize=8)
plt.show()

# %% [markdown]
# Both keep the numbers in check. Which one learns? Here are twelve layers at the backwards task, each way, three times,
# with twice as many steps as above. *Warm-up* means that the first 200 steps nudge the numbers less.

# %% tags=["hide-input"]
for name in (
    "norm first",
    "norm first, warm-up",
    "norm last",
    "norm last, warm-up",
):
    print(f"{name:20}", "   ".join(f"{share:.2%}" for share in shares(name)))
assert min(shares("norm first")) > max(shares("norm last, warm-up"))

# %% [markdown]
# So in a deep machine, put the **norm first.** Most of today's large models do. Here not even warm-up saves post-norm.
# That is no law: BERT (2018) stacked 24 layers with the norm last, and trained them with warm-up, small nudges and a
# million steps. We did not try so many. With few layers, as in our date machine, either works; the Transformer of 2017
# had six layers and put the norm last. Careful when you carry weights from one model to another: both kinds have
# weights of the same shapes, so nothing complains if you mix them up, and the result is wrong.
#
# ## Your machine so far
#
# You have `softmax`, `attention`, `look_ahead`, `split` and `merge`, `positions` and now `norm`. What stands around
# each part, residual and norm together, is not written yet. Write it, for both kinds of layer. `part` is any function
# of the letters, such as attention of a text with itself:
#
# ```python
# def block(x, part, norm_first=False):
#     ...  # the letters after a part, with its residual and its norm
# ```
#
# Test it with a part that always finds $(0, 1, 5, 6)$. With the norm last you know the answer from above. And with the
# norm first?


# %% tags=["answer"]
def block(x, part, norm_first=False):
    return x + part(norm(x)) if norm_first else norm(x + part(x))


x = np.array([1.0, 2, 0, 1])
print("norm last: ", block(x, lambda _: found).round(3))
print("norm first:", block(x, lambda _: found, norm_first=True))
np.testing.assert_array_equal(block(x, lambda _: found), normed)
np.testing.assert_array_equal(block(x, lambda _: found, norm_first=True), total)

# %% [markdown]
# With the norm first the sum itself comes out, $(1, 3, 5, 7)$, and the next part will norm it. Two such lines, one with
# attention and one with the network of the next lesson, are a layer of the encoder.
#
# ## Who found this, and when
#
# Kaiming He and others found in 2015 that a picture-reading network of 56 layers did worse than one of 20, put a
# residual around every few layers, and went on to 152. Ba, Kiros and Hinton proposed the norm for each token in 2016.
# The Transformer took both. Xiong and others explained in 2020 why post-norm needs warm-up, where pre-norm does not.
#
# ## Exercises
#
# ### Exercise 1
#
# The tower without norms learnt the task in the end. Would larger nudges have helped it catch up? Train it and the
# whole tower with nudges three times as large, for 160 steps. Guess first.

# %% tags=["answer"]
quick = {}
for name, norm in {"whole": True, "without the norms": False}.items():
    _, quick[name] = train(tower(norm=norm), rate=3e-3, steps=160)
    print(f"{name:18} {quick[name]:.0%} of the digits right")
assert quick["whole"] > 0.9 > 0.6 > quick["without the norms"]

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# The whole tower gets there in less than half the steps. Without the norms the numbers grow from layer to layer, and
# larger nudges make that worse. That is the other half of what the norm is for: it lets one take larger steps.
#
# </details>
#
# ### Exercise 2
#
# A letter's vector is $(3, 3, 3, 3)$. What does the norm make of it, and what of $(300, 300, 300, 301)$?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# Of the first, zeros: everything is equal to the mean, and only the tiny `epsilon` keeps 0 from being divided by 0. Of
# the second, $(-0.577, -0.577, -0.577, 1.732)$: the 300 is gone, and the small difference is all that counts. A norm
# forgets how large the numbers are and what they have in common, and keeps how they differ.
#
# </details>
#
# ## Check yourself
#
# ```self-check
# ? Which line is a block with the norm first?
# - `norm(x + f(x))` | That is post-norm: it norms the sum.
# - `x + norm(f(x))` | This norms what the part says, not what it reads.
# - `norm(x) + f(norm(x))` | The residual must carry `x` itself, or the sum is normed in every block after all.
# + `x + f(norm(x))` | The part reads a normed `x`; the sum goes on as it is.
# ? What happens to the letters of a text in a tower of attention without residuals?
# - They are lost, since it has fewer numbers. | It has exactly as many. A residual holds none.
# + They come to look alike. | What each letter was is averaged away, and nothing brings it back.
# - Their numbers grow too large. | That is what happens without the norm.
# ? Two letters have the vectors `[1, 3, 5, 7]` and `[10, 30, 50, 70]`. How do they differ after the norm?
# + hardly at all | Both are brought to mean 0 and size 1, and become about -1.34, -0.45, 0.45 and 1.34.
# - The second is ten times as large. | So it was before. The norm divides by the size.
# - Both are all zeros. | That happens only where all numbers of a vector are equal.
# ```
#
# ## Where to go next
#
# You can now stack layers, and say what keeps the stack upright. One thing should bother you: we keep speaking of "a
# network that works on each letter alone". What does it do there?
#
# * [The feed-forward network](feed_forward.py): what a letter does while nobody looks.
# * [Bugs of published layers](../guides/museum.py#shapes-and-layers), among them one that saves and no longer loads.
# * [Reference: blocks](../reference/blocks.md) and [layers](../reference/layers.md): every argument.
#
# Read on elsewhere: He and others (2015), [Deep Residual Learning for Image
# Recognition](https://arxiv.org/abs/1512.03385); Ba, Kiros and Hinton (2016), [Layer
# Normalization](https://arxiv.org/abs/1607.06450); Xiong and others (2020), [On Layer Normalization in the Transformer
# Architecture](https://arxiv.org/abs/2002.04745).

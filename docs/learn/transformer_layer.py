# ---
# title: The Transformer layer
# description: One word followed through a Transformer layer number by number, what residual and norm are for, shown by switching each off, pre-norm and post-norm on the same weights, and five bugs of a published layer.
# ---

# %% [markdown]
# # What happens to a word in one Transformer layer?
#
# **In one sentence:** it looks at the other words and adds what it found to itself, then it is worked on alone and the
# result is added too, and a norm keeps the numbers at one size.
#
# ## The formula
#
# Two blocks, each a sub-layer with a *residual* (the input is added to the output) and a *norm*. As in the paper, with the
# norm after the sum:
#
# $$
# a = \operatorname{Norm}(x + \operatorname{MultiHead}(x, x, x))
# $$
#
# $$
# y = \operatorname{Norm}(a + \operatorname{FFN}(a))
# $$
#
# $$
# \operatorname{FFN}(a) = \max(0,\, a W_1 + b_1)\, W_2 + b_2
# $$
#
# | symbol | what it is | shape |
# | --- | --- | --- |
# | $x$, $a$, $y$ | the tokens: coming in, after the first block, going out | `(batch, length, d_model)` |
# | $W_1$, $W_2$ | widen each token, and narrow it again | `(d_model, d_ff)`, `(d_ff, d_model)` |
# | $\operatorname{Norm}$ | gives the channels of each token mean 0 and variance 1, then scales and shifts them with learned $\gamma$ and $\beta$ | as its input |
#
# On the left the layer of the formula; on the right the norm comes *before* each sub-layer:
#
# --8<-- "diagrams/transformer_layer.svg"

# %% [markdown]
# ## Tiny numbers: the story of "cat"
#
# Three words, four channels, one head. "cat" asks with its query. The query meets the key of every word, its own too. The
# scores are divided by $\sqrt{d_k} = 2$, and softmax makes weights of them *before* they touch the values. Then the query
# is done: what remains is a mixture of values. The layer is not trained, so whom "cat" looks at means nothing yet. Each step
# is written out in NumPy, and the last lines check it against the layer.

# %%
import keras
import numpy as np
from clear_attention import EncoderLayer, attention_by_hand

keras.utils.set_random_seed(7)
words = ["the", "cat", "sat"]
x = np.random.default_rng(7).normal(size=(1, 3, 4)).astype("float32")
layer = EncoderLayer(d_model=4, num_heads=1, d_ff=8, dropout=0.0)
output, weights = layer(x, return_weights=True)


def norm(a):
    return (a - a.mean()) / np.sqrt(a.var() + 1e-6)


attention, ffn = layer.self_attention.attention, layer.feed_forward
cat = x[0, 1]
q, k, v = (
    np.array(project(x)[0])
    for project in (
        attention.project_queries,
        attention.project_keys,
        attention.project_values,
    )
)
story = {"cat comes in": cat, "its query": q[1]}
story["scores"] = k @ q[1] / np.sqrt(4)
exponentials = np.exp(story["scores"])
story["weights"] = exponentials / exponentials.sum()
story["mixed values"] = story["weights"] @ v
story["projected"] = story["mixed values"] @ attention.project_output.kernel
story["+ residual"] = cat + story["projected"]
story["norm"] = a = norm(story["+ residual"])
widened = np.maximum(0, a @ ffn.widen.kernel)
story["fed forward"] = widened @ ffn.narrow.kernel  # all biases are 0
story["+ residual, again"] = a + story["fed forward"]
story["norm, again"] = norm(story["+ residual, again"])

with np.printoptions(precision=2, suppress=True, floatmode="fixed", sign=" "):
    for step, numbers in story.items():
        print(f"{step:17}", numbers, words if step in ("scores", "weights") else "")
np.testing.assert_allclose(story["norm, again"], output[0, 1], atol=1e-5)
np.testing.assert_allclose(story["weights"], weights[0, 0, 1], atol=1e-6)
by_hand, _ = attention_by_hand(q.tolist(), k.tolist(), v.tolist())
np.testing.assert_allclose(story["mixed values"], by_hand[1], atol=1e-6)

# %% [markdown]
# ## The package's own source
#
# The layer is its two blocks in their order. What comes before and after a sub-layer is the same in both, and is
# written once. `unpacked` sorts what a block returned into output, weights and cache; `normed` is the norm.

# %% tags=["source"]
import inspect

from clear_attention.blocks import ResidualBlock

print(inspect.getsource(EncoderLayer.attend))
print(inspect.getsource(ResidualBlock.before))
print(inspect.getsource(ResidualBlock.after))

# %% [markdown]
# ## What are residual and norm for?
#
# Switch each off and see. The task: write eight digits backwards. The stack has four layers, norm first. Each run starts
# from the same weights and sees the same 12,800 examples in the same order. Only the switches in the blocks differ; the
# norm at the end of the stack stays.

# %%
from types import MethodType

import tensorflow as tf
from clear_attention import Encoder, PositionalEncoding

RESIDUAL, NORM = (tf.Variable(1.0, trainable=False) for _ in range(2))


def before(block, x):
    """What pre-norm does before a sub-layer, with a switch for the norm."""
    return NORM * block.norm(x) + (1 - NORM) * x


def after(block, x, output, training=None):
    """What it does after a sub-layer, with a switch for the residual."""
    return RESIDUAL * x + output


def put_switches(encoder):
    for layer in encoder.layers:
        for block in (layer.self_attention, layer.feed_forward):
            block.before = MethodType(before, block)
            block.after = MethodType(after, block)


keras.utils.set_random_seed(0)
encoder = Encoder(
    4, d_model=32, num_heads=1, d_ff=128, dropout=0.0, norm_first=True
)
put_switches(encoder)
embed = keras.layers.Embedding(10, 32, keras.initializers.RandomNormal(stddev=1.0))
model = keras.Sequential(
    [embed, PositionalEncoding(), encoder, keras.layers.Dense(10)]
)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(keras.optimizers.Adam(), loss)

BATCH, STEPS, EVERY = 32, 400, 10
digits = np.random.default_rng(0).integers(0, 10, (BATCH * STEPS, 8))
unseen = np.random.default_rng(1).integers(0, 10, (500, 8))
data = tf.data.Dataset.from_tensor_slices((digits, digits[:, ::-1])).batch(BATCH)
model(unseen)
model.optimizer.build(model.trainable_variables)
variables = [*model.trainable_variables, *model.optimizer.variables]
beginning = [variable.numpy() for variable in variables]


def train(residual, norm, rate, steps=STEPS):
    """Train from the beginning: the loss over time, and the digits it gets right."""
    for variable, value in zip(variables, beginning, strict=True):
        variable.assign(value)
    RESIDUAL.assign(residual)
    NORM.assign(norm)
    model.optimizer.learning_rate = rate
    history = model.fit(
        data, epochs=steps // EVERY, steps_per_epoch=EVERY, shuffle=False, verbose=0
    )
    right = np.mean(np.argmax(model(unseen), axis=-1) == unseen[:, ::-1])
    return history.history["loss"], right


def alikeness(x):
    """Mean cosine between two tokens of a sentence: 1 if all are alike."""
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    cosines = x @ np.swapaxes(x, 1, 2)
    return np.mean(cosines[:, ~np.eye(x.shape[1], dtype=bool)])


alike = {}
for on in (1, 0):
    RESIDUAL.assign(on)
    alike[on] = alikeness(encoder(model.layers[1](embed(unseen))).numpy())
print(f"untrained, tokens alike: {alike[1]:.2f}, residual off: {alike[0]:.2f}\n")
assert alike[1] < 0.8
assert alike[0] > 0.95

SWITCHES = {"both on": (1, 1), "norm off": (1, 0), "residual off": (0, 1)}
results = {name: train(*on, rate=1e-3) for name, on in SWITCHES.items()}
learned = {}
for name, (curve, right) in results.items():
    below = np.flatnonzero(np.array(curve) < 1)  # guessing costs log(10) = 2.3
    learned[name] = (below[0] + 1) * EVERY if below.size else np.inf
    when = f"at step {learned[name]}" if below.size else "never"
    print(f"{name:13} loss below 1: {when:12} digits right: {right:.0%}")
assert results["both on"][1] > 0.95
assert results["norm off"][1] > 0.8
assert results["residual off"][1] < 0.5
assert learned["both on"] < learned["norm off"]

# %% tags=["hide-input"] alt="Loss over 400 steps. Both on falls to 0 first. Norm off stays on a plateau for much longer. Residual off stays on that plateau to the end."
import matplotlib.pyplot as plt

STYLES = {
    "both on": ("#0072b2", "-"),
    "norm off": ("#d55e00", "--"),
    "residual off": ("#009e73", ":"),
}
figure, ax = plt.subplots(figsize=(4.4, 2.8), layout="constrained")
for name, (curve, _) in results.items():
    colour, dash = STYLES[name]
    steps = np.arange(1, len(curve) + 1) * EVERY
    ax.plot(steps, curve, dash, color=colour, label=name, linewidth=2)
ax.set(xlabel="step", ylabel="loss", xlim=(0, STEPS), ylim=0)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="lower left")
plt.show()

# %% [markdown]
# Without the **residual** all that goes on is averages, and averages of averages: after four layers the tokens of a sentence
# are nearly alike (a cosine near 1, printed above), and which digit stood where is hard to tell. Without the **norm** the
# stack learns, but late. How late, or whether at all, depends on the learning rate (exercise 2). Its numbers grow from
# layer to layer, as the next picture shows.
#
# ## Norm before or after?
#
# Post-norm, as in the paper, norms the sum. Pre-norm (`norm_first=True`) norms only what the sub-layer reads, so $x$ itself
# runs through the stack as a sum that is never normed, the *residual stream*; one more norm stands at the end. The layers
# have the same weights, so either loads the other's without complaint, and computes something else. Here are 12 layers,
# untrained, each way and with the norm off.

# %%
tokens = np.random.default_rng(5).normal(size=(8, 16, 64)).astype("float32")
keras.utils.set_random_seed(5)
encoders = {}
for name, first in {"post-norm": False, "pre-norm": True, "norm off": True}.items():
    encoders[name] = Encoder(12, 64, num_heads=4, d_ff=256, norm_first=first)
    encoders[name].build((None, None, 64))
    for layer, source in zip(
        encoders[name].layers, encoders["post-norm"].layers, strict=True
    ):
        layer.set_weights(source.get_weights())
put_switches(encoders["norm off"])
RESIDUAL.assign(1)
NORM.assign(0)

sizes = {}
for name, deep in encoders.items():
    stream, sizes[name] = tokens, [np.sqrt(np.mean(tokens**2))]
    for layer in deep.layers:
        stream = layer(stream).numpy()
        sizes[name].append(np.sqrt(np.mean(stream**2)))
    print(f"{name:9} size after layers 0, 6, 12:", np.round(sizes[name][::6], 1))

post, pre = (encoders[name](tokens) for name in ("post-norm", "pre-norm"))
print(f"largest difference of the outputs: {np.max(np.abs(post - pre)):.1f}")
assert np.max(np.abs(post - pre)) > 1
np.testing.assert_allclose(sizes["post-norm"][1:], 1, atol=1e-3)
assert 2 < sizes["pre-norm"][-1] < 10
assert sizes["norm off"][-1] > 10 * sizes["pre-norm"][-1]

# %% tags=["hide-input"] alt="Size of the residual stream after each of 12 layers, on a logarithmic axis. Post-norm stays at 1. Pre-norm grows slowly, ever more slowly. With the norm off it grows by about the same factor in each layer, a straight line."
figure, ax = plt.subplots(figsize=(4.4, 2.8), layout="constrained")
STYLES |= {"pre-norm": STYLES["both on"], "post-norm": ("#cc79a7", "-.")}
for name in ("norm off", "pre-norm", "post-norm"):
    colour, dash = STYLES[name]
    ax.semilogy(sizes[name], dash, color=colour, label=name, linewidth=2)
ax.set(xlabel="after layer", ylabel="size (root mean square)", xlim=(0, 12))
ax.set_xticks(range(0, 13, 2))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

# %% [markdown]
# ## The tutorial's layer in five lines
#
# A published tutorial builds a layer with one head and $h = 128$: positions, then block A (attention) and block B (Dense
# $4h$ with ReLU, Dense $h$). From our blocks, which add one projection after the attention, as in the paper:

# %%
from clear_attention import FeedForwardBlock, SelfAttentionBlock

inputs = keras.Input((None, 128))
x = PositionalEncoding()(inputs)
x = SelfAttentionBlock(d_model=128, num_heads=1)(x)
x = FeedForwardBlock(d_model=128, d_ff=4 * 128)(x)
rebuilt = keras.Model(inputs, x)

sentence = np.random.default_rng(6).normal(size=(2, 5, 128)).astype("float32")
encoder_layer = EncoderLayer(128, num_heads=1, d_ff=512, dropout=0.0)
encoder_layer.build((None, None, 128))
encoder_layer.set_weights(rebuilt.get_weights())
np.testing.assert_allclose(
    rebuilt(sentence), encoder_layer(PositionalEncoding()(sentence)), atol=1e-6
)
print("the same as EncoderLayer after PositionalEncoding:", rebuilt.output.shape)

# %% [markdown]
# ## A published trap: five bugs in forty lines
#
# 1. `Dot()` without axes and `softmax()` without an argument: a TypeError, at once. The harmless one.
# 2. `output *= V` for weights times values multiplies element by element. It fails, unless the length equals the depth:
#    then it is silently wrong.
# 3. The length is read from axis 2, which is the depth. A sentence of one word becomes as many words as there are channels
#    ([Positions](positions.py) has more).
# 4. Positions are added again in every block, to tokens that have them already. Add them once, before the first layer.
# 5. No `get_config`, and an `__init__` without `**kwargs`: the model saves, and fails to load. That shows after the
#    training. Ours loads.

# %%
import tempfile

from clear_attention import scaled_dot_product_attention, sinusoidal_encoding

for call in (keras.layers.Dot, keras.activations.softmax):  # bug 1
    try:
        call()
    except TypeError as error:
        print("1", error)
    else:
        raise AssertionError("called without arguments")

square = np.random.default_rng(7).normal(size=(1, 8, 8)).astype("float32")
right, weights = scaled_dot_product_attention(square, square, square)  # bug 2
wrong = weights * square
print("2", wrong.shape, "wrong by up to", np.max(np.abs(wrong - right)).round(1))
assert wrong.shape == right.shape
assert np.max(np.abs(wrong - right)) > 0.5

word = np.ones((1, 1, 8), "float32")
long = word + sinusoidal_encoding(length=word.shape[2], depth=8)  # bug 3
print("3", word.shape, "becomes", long.shape)
assert PositionalEncoding()(word).shape == (1, 1, 8)
assert long.shape == (1, 8, 8)

once = sinusoidal_encoding(5, 128)
twice = PositionalEncoding()(PositionalEncoding()(np.zeros((5, 128))))  # bug 4
np.testing.assert_allclose(twice, 2 * once, atol=1e-6)
print("4", "added twice: two times the positions")


class Forgetful(keras.layers.Dense):
    """Takes a width and does not say so when it is saved."""

    def __init__(self, h):
        super().__init__(h)


with tempfile.TemporaryDirectory() as folder:  # bug 5
    path = f"{folder}/layer.keras"
    keras.Sequential([keras.Input((3, 8)), Forgetful(8)]).save(path)
    try:
        keras.models.load_model(path, custom_objects={"Forgetful": Forgetful})
    except TypeError:
        print("5", "saved, and can't be loaded")
    else:
        raise AssertionError("it could be loaded")
    rebuilt.save(path)
    loaded = keras.models.load_model(path)
np.testing.assert_array_equal(loaded(sentence), rebuilt(sentence))

# %% [markdown]
# ## Exercises
#
# ### Exercise 1
#
# How many parameters does the layer with $h = 128$ have? Count them before you ask it. Which block has more?

# %% tags=["answer"]
h = 128
block_a = 4 * (h * h + h) + 2 * h  # four projections with biases; gamma and beta
block_b = (h * 4 * h + 4 * h) + (4 * h * h + h) + 2 * h
print(f"A {block_a:,} + B {block_b:,} = {block_a + block_b:,}")
assert rebuilt.count_params() == block_a + block_b

# %% [markdown]
# ### Exercise 2
#
# Were the switched-off stacks only trained at the wrong rate? Train all three at 3e-3, for 160 steps.

# %% tags=["answer"]
for name, on in SWITCHES.items():
    _, right = train(*on, rate=3e-3, steps=160)
    print(f"{name:13} right: {right:.0%}")
    assert right > 0.9 if name == "both on" else right < 0.6

# %% [markdown]
# ## Check yourself
#
# ```self-check
# ? Which line is a block with the norm first?
# - `norm(x + f(x))` | That is post-norm: it norms the sum.
# - `x + norm(f(x))` | This norms what the sub-layer says, not what it reads.
# - `norm(x) + f(norm(x))` | The residual must carry `x` itself, or the stream is normed in every block after all.
# + `x + f(norm(x))` | The sub-layer reads a normed `x`; the sum goes on as it is.
# ? One sentence goes through the feed-forward block. Only its token 1 is changed. Which tokens come out changed?
# - all of them | That is attention without a mask. Here no token sees another.
# - token 1 and those after it | That is causal attention. Feed-forward knows no before and after.
# + token 1 only | Both projections and the norm work on each token by itself. Only in attention do tokens meet.
# ? Code says `output = weights * v` in one head of depth 64. For how many tokens does it run, and give wrong numbers?
# + 64 | Weights and values are both 64 by 64, so they are multiplied element by element, and nothing complains.
# - 50 | It fails: 50 by 50 and 50 by 64 don't fit. This bug is found at once.
# - 1 | It runs, but is right: the only weight is 1, and 1 times the value is the output.
# ```
#
# ## Where to go next
#
# * [The whole Transformer](transformer.py): layers stacked, trained, and asked for translations.
# * [Multi-head attention](multi_head.py): what changes with more heads.
# * [Reference: blocks](../reference/blocks.md) and [layers](../reference/layers.md): every argument.

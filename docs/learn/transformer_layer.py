# ---
# title: The Transformer layer
# description: What holds a deep machine together. Residual and norm, each switched off in a tower of layers, by hand and in the source, and why a tall tower wants the norm first.
# slow: true
# ---

# %% [markdown]
# # What holds a deep machine together?
#
# Attention brings each letter an average of values. But if this average *replaces* the letter, what the letter was is
# gone. To keep itself, a letter would have to give itself all of its weight in one head, and then that head would bring
# nothing else back. Below is a machine in which each part, such as an attention, passes on only what it found, and
# nothing of what came in. It was trained for half as long as ours. Here are some of its answers to unseen dates:

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from clear_attention import create_date_pairs, date_tokenizers, greedy_search
from date_machine import comparison, machine
from IPython.display import Markdown, display
from trained.ablations import shares

source, target = date_tokenizers()
texts, right = create_date_pairs(500, seed=1, split="test")


def written(name):
    ids = source.encode(texts, length=34)
    return target.decode(greedy_search(trained.load(name)[0], ids, max_length=11))


# the first ones that the whole machine, trained as briefly, gets right
answers = zip(
    texts, written("dates-no-residual"), right, written("dates-brief"), strict=True
)
wrong = [row for row in answers if row[1] != row[2] == row[3]]
mixed_up = [row for row in wrong if sorted(row[1]) == sorted(row[2])]
lines = ["| text | it writes | right |", "| --- | --- | --- |"]
lines += [
    f"| {text} | {answer} | {meant} |" for text, answer, meant, _ in mixed_up[:3]
]
display(Markdown("\n".join(lines)))
assert len(mixed_up) > len(wrong) / 3
assert "2003" in mixed_up[0][0]  # as the text says
assert mixed_up[0][1].startswith("2030")

# %% [markdown]
# It has found the right digits, and mixes up their order: it makes 2030 of 2003. Many of its mistakes are of this kind.
# We think that this is why: when the decoder looks for the last digit of "2003", it no longer finds a 3 there. It finds
# mixtures, in each of which there is a bit of everything. A mixture still tells which digits there are, but not which
# of them stood where: it is the [puddle of paint](reading_dates.py#take-it-away) again.
#
# In our own machine, what comes into a part is added to what the part found. This is the *residual*. The machine above
# lacks only that. Here it stands beside ours. Try a date of your own:

# %% tags=["live", "hide-input"]
names = ["dates", "dates-brief", "dates-no-residual"]
called = {"dates": ("whole", "")}
machine(
    *names,
    piece="beside",
    sibling="dates-no-residual",
    text=mixed_up[0][0],
    called=called,
    without=comparison(*names, called=called),
)

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Trained for as long as the whole machine, does it catch up?</summary>
#
# Not quite. These are three machines of each kind, each begun from other random numbers, and their shares of 2,000
# unseen dates:

# %% tags=["hide-input"]
for name in ("whole", "no residual"):
    print(f"{name:12}", "   ".join(f"{share:.2%}" for share in shares(name)))
first, second, third = shares("no residual")
assert 0.88 < second <= first < 0.9 < 0.98 < third

# %% [markdown]
# Two of the three lose one date in nine, the third nearly one in fifty. A whole machine loses about one in a thousand.
#
# </details>
#
# And this machine has only one layer to read with, and one to write. What about a tower of many layers?
#
# ## A tower of four
#
# A **layer** has two *parts*: an attention and, behind it, a small network that works on each letter alone, which is
# the subject of the next lesson. Layers can be put on top of each other, so that each works on what the one below has
# found. Two things stand around each part, and keep the tower upright:
#
# * the **residual**: what comes in is added to what the part found. Think of notes in the margin: the text stays, and
#   something is written beside it.
# * the **norm**: after that, the numbers of each letter are brought to mean 0 and size 1, so that they do not get out
#   of hand on their way up. Their size is their standard deviation; below you compute it by hand. "Norm" is short for
#   *layer normalization*, and is not the length of a vector, for which mathematics has the same word.
#
# Here is such a tower with a task of its own: four layers must write eight digits backwards. We train it three times,
# from the same random numbers and on the same examples: whole, without the norms, and without the residuals. Which of
# the two would you miss more?

# %% tags=["hide-input"] alt="Loss over 400 steps. The whole tower falls to 0 first. Without the norms it falls later. Without the residuals it stays on a plateau to the end."
import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from clear_attention import Encoder, PositionalEncoding

BATCH, STEPS, EVERY = 32, 400, 10
digits = np.random.default_rng(0).integers(0, 10, (BATCH * STEPS, 8))
unseen = np.random.default_rng(1).integers(0, 10, (500, 8))


def tower(layers=4, residual=1, norm=True, norm_first=False):
    """Layers in which the letter counts so many times in the residual."""
    keras.utils.set_random_seed(0)
    encoder = Encoder(
        layers, 32, num_heads=1, d_ff=128, dropout=0.0, norm_first=norm_first
    )

    def adding(block):
        def add(x, found, training=None):
            total = residual * x + found
            return block.norm(total) if norm and not norm_first else total

        return add

    for layer in encoder.layers:
        for block in (layer.self_attention, layer.feed_forward):
            block.after = adding(block)
            block.norm.trainable = norm
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
        total = logs["loss"] * (batch + 1)  # Keras gives the mean of all steps
        if (batch + 1) % EVERY == 0:
            self.curve.append((total - self.sums) / EVERY)
            self.sums = total


def train(model, rate=1e-3, steps=STEPS):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate), loss)
    losses = Losses()
    x = digits[: BATCH * steps]
    model.fit(x, x[:, ::-1], batch_size=BATCH, verbose=0, callbacks=[losses])
    share = np.mean(np.argmax(model(unseen), axis=-1) == unseen[:, ::-1])
    return losses.curve, share


def alikeness(model):
    """Mean cosine between two different letters of a text, after the tower."""
    x = keras.Sequential(model.layers[:-1])(unseen).numpy()
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    cosines = x @ np.swapaxes(x, 1, 2)
    return np.mean(cosines[:, ~np.eye(x.shape[1], dtype=bool)])


towers = {
    "whole": tower(),
    "without the norms": tower(norm=False),
    "without the residuals": tower(residual=0),
}
before = {name: alikeness(model) for name, model in towers.items()}
results = {name: train(model) for name, model in towers.items()}
after = {name: alikeness(model) for name, model in towers.items()}
for name, (_, share) in results.items():
    print(f"{name:22} digits right: {share:.0%}")
commonest = np.mean([np.bincount(row).max() / 8 for row in unseen])
assert results["whole"][1] > 0.95
assert results["without the norms"][1] > 0.8
assert abs(results["without the residuals"][1] - commonest) < 0.05
assert results["without the residuals"][1] < 0.5
assert 1.7 < results["without the residuals"][0][-1] < 1.85  # as the text says
assert results["without the norms"][0][0] > 5
answers = np.argmax(towers["without the residuals"](unseen), axis=-1)
assert np.mean(answers == answers[:, :1]) > 0.8  # the same digit everywhere
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
# The lines show the *loss*, a number that falls as the answers get better. ([A later
# lesson](training.py#how-wrong-is-it-by-hand) computes it by hand.) It is 0 for a perfect machine and 2.3, the natural
# logarithm of 10, for one that guesses among ten digits. The blue line of the whole tower is the first to reach 0. The
# dashed line of the tower without norms starts far above 2.3, because its numbers are so large that it is sure of wrong
# digits. It learns the task, only later. The dotted line of the tower without residuals stops near 1.8, and this tower
# gets three digits in ten right.
#
# Three in ten is what one gets without knowing the order: in most texts the commonest digit stands two or three times,
# so whoever writes it in all eight places has about three digits in ten right. The tower does nearly that, because
# inside it all letters have become alike.
#
# How does that happen? Before the training the weights of attention are nearly equal, so each letter fetches nearly the
# same average, and averages of averages all look alike. With residuals each letter keeps something of its own, and
# training can pull the letters apart. Without residuals nothing is left to pull at. The date machine at the top, with
# so few layers, can live without residuals, if badly. A tower of four cannot.
#
# <details class="lesson-more" markdown="1"><summary>How alike are the letters? Measured, and the name of it</summary>
#
# Take two letters of a text and compare the directions of their vectors: 1 means "the same direction", and 0 means
# "nothing in common". This number is the *cosine* of the angle between them. Here is the mean over all pairs of
# letters, at the top of each tower, before the training and after it:

# %% tags=["hide-input"]
lines = ["| tower | alike before training | and after |", "| --- | --- | --- |"]
lines += [f"| {name} | {before[name]:.2f} | {after[name]:.2f} |" for name in towers]
display(Markdown("\n".join(lines)))
assert before["without the residuals"] > 0.98 > 0.95 > before["whole"]
assert after["without the residuals"] > 0.98
assert after["whole"] < 0.2

# %% [markdown]
# Training pulls the letters of the whole tower apart. In the tower without norms it pulls them apart less far, but far
# enough. That all letters become alike has a name, *rank collapse* (Dong and others, 2021), because a matrix whose rows
# are all alike has rank 1.
#
# </details>
#
# ## By hand
#
# A letter has the vector $(1, 2, 0, 1)$, and attention found $(0, 1, 5, 6)$ for it. **The residual** adds the two:
#
# $$
# (1, 2, 0, 1) + (0, 1, 5, 6) = (1, 3, 5, 7)
# $$
#
# **The norm** brings this sum to mean 0 and size 1. The mean is 4. Subtract it: $(-3, -1, 1, 3)$. The size is the root
# of the mean square, $\sqrt{(9 + 1 + 1 + 9) / 4} = \sqrt{5} = 2.236$. Divide by it:
#
# $$
# (-1.342, -0.447, 0.447, 1.342)
# $$
#
# Each letter is treated by itself, with its own mean and its own size. Now try to get a large number through the norm:

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
# You cannot: of four numbers none comes out larger than √3 = 1.73. What all numbers of a letter have in common is taken
# away, and their differences are brought to one size. Only the pattern is left.
#
# <details class="lesson-more" markdown="1"><summary>Why √3, and how a trained machine gets larger numbers all the same</summary>
#
# The four numbers that come out add up to 0. Their mean square is 1, so their squares add up to 4. If one of the
# numbers is $a$, the other three add up to $-a$. The squares of these three are smallest if each of the three is
# $-a/3$, and then they add up to $a^2/3$. So $a^2 + a^2/3$ is at most 4, and $a^2$ is at most 3.
#
# A machine may need larger numbers. So the norm has two vectors of its own, which are trained like everything else.
# Each number is multiplied by its entry in $\gamma$ ("gamma", `scale` below), and then its entry in $\beta$ ("beta",
# `shift` below) is added. At first $\gamma$ is all ones and $\beta$ all zeros.
#
# </details>
#
# ## Your machine so far
#
# You have `softmax`, `attention`, `look_ahead`, `split`, `merge` and `multi_head`, and `positions`. Here is the norm.
# `scale` and `shift` are two more vectors that are trained, so that a number can become larger than the norm alone
# would let it. At first they change nothing. The `1e-6` keeps 0 from being divided by 0.


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
# the largest that one of four numbers can become
assert np.isclose(norm(np.array([3.0, -1, -1, -1])).max(), np.sqrt(3))

# %% [markdown]
# Now you: write what stands around a part, residual and norm together. We call it a *block*. `part` is any function of
# the letters, such as attention of a text with itself.
#
# ```python
# def block(x, part):
#     ...  # the letters after a part, with its residual and its norm
# ```
#
# Test it with a part that always finds $(0, 1, 5, 6)$. You know the answer from above.


# %% tags=["answer"]
def block(x, part):
    return norm(x + part(x))


print(block(x, lambda _: found).round(3))
np.testing.assert_array_equal(block(x, lambda _: found), normed)

# %% [markdown]
# Two such blocks are a layer of the encoder, the first around attention and the second around the [network of the next
# lesson](feed_forward.py), called FFN. The letters come in as $x$, are $a$ after attention, and go out as $y$, each
# time of shape `(batch, length, d_model)`. Queries, keys and values all come from $x$:
#
# $$
# a = \operatorname{Norm}(x + \operatorname{MultiHead}(x, x, x)), \qquad y = \operatorname{Norm}(a +
# \operatorname{FFN}(a))
# $$
#
# In the decoder a second attention stands between the two, the one that looks at the text. It has its own residual and
# norm.
#
# <details class="lesson-more" markdown="1" id="the-function-read"><summary>How the package writes a block</summary>
#
# Your `block` is one line. In the package it is these two functions, which stand around every part. The first prepares
# the part's input, the second deals with its output:

# %% tags=["source", "remove-input"]
import inspect
import re

from clear_attention.blocks import ResidualBlock

# docstrings and types are left out here
docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)
hint = re.compile(r": tf\.Tensor|: bool \| None(?= = )| -> tf\.Tensor")
for method in (ResidualBlock.before, ResidualBlock.after):
    shown = hint.sub("", docstring.sub("", inspect.getsource(method)))
    print(shown.replace(" = None", "=None"))

# %% [markdown]
# `normed` applies the norm, and `norm_first` is the question of the next section. `drop` does nothing here. If you ask
# for it, it sets some numbers to 0 at random during the training, so that the machine does not rely on single ones.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>A check: two blocks are the layer of the package</summary>
#
# Here a model is made of two blocks of the package. Its weights are given to the package's layer, and both get the same
# random numbers for a text, with positions added:

# %%
from clear_attention import EncoderLayer, FeedForwardBlock, SelfAttentionBlock

inputs = keras.Input((None, 128))
rows = SelfAttentionBlock(d_model=128, num_heads=1)(PositionalEncoding()(inputs))
rows = FeedForwardBlock(d_model=128, d_ff=4 * 128)(rows)
by_blocks = keras.Model(inputs, rows)
layer = EncoderLayer(128, num_heads=1, d_ff=512, dropout=0.0)
layer.build((None, None, 128))
layer.set_weights(by_blocks.get_weights())
text = np.random.default_rng(6).normal(size=(2, 5, 128)).astype("float32")
np.testing.assert_allclose(
    by_blocks(text), layer(PositionalEncoding()(text)), atol=1e-6
)
print("the same numbers:", by_blocks(text).shape)

# %% [markdown]
# </details>
#
# ## Norm first or norm last?
#
# So far the norm came last, as in the first Transformer. This is called *post-norm*. In most of today's large models it
# comes first (*pre-norm*): a part reads the normed letter, and the sum goes on as it is. In your `block` that would be
# `x + part(norm(x))`. The picture shows one layer of each kind. Read it from below: the line that runs past a part is
# its residual. With the norm first, one more norm, outside the picture, stands above the last layer.
#
# --8<-- "diagrams/transformer_layer.svg"
#
# Is that a matter of taste? Place your bet, and let the two race: twelve layers must write digits backwards, with twice
# as many steps of training as above. Each line is one kind of tower, and shows the digits right in three trainings.
# *Warm-up* means that the first 200 steps nudge the numbers less.

# %% tags=["hide-input"]
RACE = ("norm first", "norm first, warm-up", "norm last", "norm last, warm-up")
for name in RACE:
    print(f"{name:20}", "   ".join(f"{share:4.0%}" for share in shares(name)))
assert min(shares("norm first")) > 0.95 > 0.32 > max(shares("norm last, warm-up"))
assert min(shares("norm last")) > 0.25

# %% [markdown]
# With the norm first, the towers get nearly all digits right. With the norm last they end at about three digits in ten,
# as if they had no residuals. But they have them. What became of them?
#
# Follow one letter up the tower. Each part adds something, and then the norm divides *everything* by the new size, the
# letter too. In our tower, before its training, about 0.8 of the letter is left each time. If that happened once, it
# would do no harm. Four layers have 8 parts, and still leave $0.8^8 = 0.17$ of the letter. But twelve layers have 24
# parts, and leave $0.8^{24} = 0.0047$. Read the drawing from below. Each bar is the sum after one more part, and its
# left end is what is left of the letter:
#
# --8<-- "diagrams/letter_left.svg"
#
# On the left, half a percent of the letter arrives at the top. The rest was added on the way: averages of averages, in
# which all letters are alike, and what the small networks made of them. On the right nothing divides the letter on its
# way. The sum grows to nearly four times the letter, and the one norm at the top leaves about a quarter of the letter.
# That is plenty. So a residual does not help merely by being there: it has to survive the norms.
#
# In a deep machine, put the **norm first**. This is good advice and no law: one of the folds below tells of deep
# machines with the norm last. With few layers, as in our date machine, the norm may come first or last, because enough
# of the letter is left. You have now seen what a layer is made of. The next four folds are for those who want to know
# more about the race.
#
# <details class="lesson-more" markdown="1"><summary>Where the 0.8 comes from</summary>
#
# Say the letter has size 1, and a part adds numbers of size 0.75 that have nothing to do with it. How
# large is the sum? For a number $a$ of the letter and a number $b$ that is added to it, $(a + b)^2 = a^2 + 2ab + b^2$.
# The products $ab$ are as often negative as positive, and cancel, as the coins did in the [lesson on
# attention](attention.py#why-divide-by-the-root-of-d_k). So only the squares add up, and the sum has size
# $\sqrt{1^2 + 0.75^2} = 1.25$. After the norm $1 / 1.25 = 0.8$ of the letter is left. The 0.75 was chosen so that this
# 0.8 is about what we measure in our tower before its training. (Since the squares add up and not the sizes, the grey
# in the drawing is not the size of what was added.)
#
# Why does training not mend it, by making the parts quieter? We think the reason is that training tries small changes.
# If one part gets a little quieter, only a little more than half a percent gets through, which hardly changes the loss.
#
# There may be a second reason. Training finds a *slope* for each number, which says how much the loss changes when this
# number is nudged ([a later lesson](training.py#a-nudge) computes one). What divides the letter on its way up divides
# the slopes of the first layers, too, so that these layers hardly learn. Our race cannot tell the two reasons apart.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>If this is the reason, a louder letter must help. Does it?</summary>
#
# A tower with the norm last must learn as soon as the letter is made *louder* than what is added to it. Let the letter
# count three times in every sum, $\operatorname{Norm}(3x + \operatorname{part}(x))$, and change nothing else. Before
# the training we measure at the top how much of the letter is left, and how alike two letters are, by the cosine (1
# means alike). Then we train:

# %% tags=["hide-input"]


def what_is_left(model, times, norm_first):
    """How much of the letter is in what comes out, before any training."""
    left, stream = 1.0, model.layers[1](model.layers[0](unseen)).numpy()
    for layer in model.layers[2].layers:
        for part in (layer.self_attention, layer.feed_forward):
            add, size = part.after, []

            def listen(x, output, training=None, add=add, size=size):
                size.append((times * x + output).numpy().std(axis=-1).mean())
                return add(x, output)

            part.after = listen
            stream, part.after = part(stream), add
            left = 1 / size[0] if norm_first else left * times / size[0]
    return left


found_left, found_alike = {}, {}
lines = [
    "| twelve layers | left of the letter | alike | digits right |",
    "| --- | --- | --- | --- |",
]
for name, times, norm_first in (
    ("norm last", 1, False),
    ("norm first", 1, True),
    ("norm last, letter three times", 3, False),
):
    model = tower(12, residual=times, norm_first=norm_first)
    found_alike[name] = alikeness(model)
    found_left[name] = what_is_left(model, times, norm_first)
    learnt = train(model, steps=300)[1] if times == 3 else np.mean(shares(name))
    lines.append(
        f"| {name} | {found_left[name]:.1%} | {found_alike[name]:.3f} | {learnt:.0%} |"
    )
display(Markdown("\n".join(lines)))
assert 0.78 < found_left["norm last"] ** (1 / 24) < 0.82
assert found_left["norm first"] > 20 * found_left["norm last"]
assert found_alike["norm last"] > 0.99 > 0.95 > found_alike["norm first"]
assert found_alike["norm last, letter three times"] < 0.9 < learnt
assert 0.2 < found_left["norm first"] < 0.35  # about a quarter

# %% tags=["live", "remove-input"]
from pathlib import Path

# The bars and the numbers of the drawing: parts add numbers of size 0.75.
drawn = Path("../diagrams/letter_left.svg").read_text(encoding="utf-8")
parts = np.arange(25)
expected = {"last": 0.8**parts, "whole": np.sqrt(1 + parts * 0.75**2)}
for name, lengths in expected.items():
    bars = re.findall(
        r"h([\d.]+)", re.search(f'class="{name}" d="(.+?)"', drawn)[1]
    )
    np.testing.assert_allclose(np.array(bars, float) / 56, lengths, atol=1e-3)
rounded = [
    f"{0.8**n:.{places}f}" for n, places in ((1, 1), (6, 2), (8, 2), (24, 3))
]
assert re.findall(r'class="number"[^>]*>([^<]+)<', drawn) == rounded

# %% [markdown]
# It learns. The last line is one training, of fewer steps. Each of the others is the mean of its three trainings in the
# race.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>No law, and a trap</summary>
#
# That post-norm fails in a deep machine is no law. BERT (2018) stacked 24 layers with the norm last, and trained them
# with warm-up, small nudges and a million steps. We did not try so many steps. And a louder letter helps in far taller
# towers than ours: with a factor that grows with the number of layers, Wang and others (2022) trained [a thousand
# layers](https://arxiv.org/abs/2203.00555) with the norm last.
#
# The trap: both kinds have weights of the same shapes. If you carry weights from one to the other, nothing complains,
# and the result is wrong.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>How large the numbers get, with and without a norm</summary>
#
# Here is the size of the numbers in twelve layers that are not trained yet. With the norm last it stays at 1. With the
# norm first it grows, but ever more slowly, because each part reads normed numbers. Without a norm it grows by about
# the same factor in each layer. (We did not train twelve layers without any norm.)

# %% tags=["hide-input"] alt="Size of the numbers after each of 12 layers, on a logarithmic axis. With the norm last it stays at 1. With the norm first it grows slowly, ever more slowly. Without a norm it grows by about the same factor in each layer, nearly a straight line."
sizes = {}
for name, how in {
    "norm last": {},
    "norm first": {"norm_first": True},
    "no norm": {"norm": False},
}.items():
    model = tower(12, **how)
    stream = model.layers[1](model.layers[0](unseen))
    stages = [stream := layer(stream) for layer in model.layers[2].layers]
    sizes[name] = [float(tf.math.reduce_std(stage)) for stage in stages]
    print(f"{name:10}  size after layers 1, 6 and 12:", end=" ")
    print(np.round([sizes[name][i] for i in (0, 5, 11)], 1))
assert sizes["no norm"][-1] > 10 * sizes["norm first"][-1]

figure, ax = plt.subplots(figsize=(5, 2.8), layout="constrained")
for (name, size), dash in zip(sizes.items(), ("-.", "-", "--"), strict=True):
    ax.semilogy(range(1, 13), size, dash, lw=2, label=name)
ax.set(xlabel="after layer", ylabel="size", xlim=(1, 12))
ax.set_xticks(range(2, 13, 2))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, fontsize=8)
plt.show()

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# Kaiming He and others found in 2015 that a picture-reading network of 56 layers did worse than one of 20, put a
# residual around every few layers, and went on to 152. Ba, Kiros and Hinton proposed this norm in 2016. The Transformer
# of 2017 took both, had six layers, and put the norm last. Xiong and others explained in 2020 why post-norm needs
# warm-up, and pre-norm does not. With the norm last, a nudge of the last layers changes the loss very much when the
# training begins, so that large nudges do harm. In our tower of twelve layers, warm-up alone was not enough.
#
# ## Exercises
#
# ### Exercise 1
#
# The tower of four without norms learnt the task in the end. Would larger nudges have helped it catch up? Train it and
# the whole tower with nudges three times as large, for 160 steps: `train(tower(norm=False), rate=3e-3, steps=160)`. The
# two functions stand in the folded cell of [the tower of four](#a-tower-of-four). Guess first.

# %% tags=["answer"]
quick = {}
for name, has_norm in {"whole": True, "without the norms": False}.items():
    _, quick[name] = train(tower(norm=has_norm), rate=3e-3, steps=160)
    print(f"{name:18} {quick[name]:.0%} of the digits right")
assert quick["whole"] > quick["without the norms"]

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# The tower without norms does not catch up: the whole tower has nearly everything right after these few large steps.
# That is the other half of what the norm is for: where the numbers have one size, larger steps can be taken.
#
# </details>
#
# ### Exercise 2
#
# A letter's vector is $(3, 3, 3, 3)$. What does the norm make of it, and what of $(300, 300, 300, 301)$?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# Of the first, zeros: everything is equal to the mean, and only the tiny `1e-6` keeps 0 from being divided by 0. Of the
# second, $(-0.577, -0.577, -0.577, 1.732)$: the 300 is gone, and the small difference is all that counts. A norm
# forgets how large the numbers are and what they have in common, and keeps how they differ.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("transformer_layer")

# %% [markdown]
# ```self-check
# ? A tower of twelve layers, with the norm last, writes the same digit everywhere. Which change helped in our race?
# - The norms go: they divide the letter on its way. | It was not in the race. Without norms the numbers grow by about the same factor in each layer.
# - Warm-up comes in: smaller nudges at first. | In our race, warm-up alone was not enough for twelve layers.
# - The residuals go, since they don't help here. | They are there, but do not survive the norms. Without them all letters look alike even in four layers.
# + The norms move in front of the parts. | Then nothing divides the letter on its way, and it arrives at the top.
# ? What happens to the letters of a text in a tower of attention without residuals?
# - They are lost, since the tower has fewer numbers to train. | It has exactly as many. A residual has no numbers to train.
# + They come to look alike. | What each letter was is averaged away, and nothing brings it back.
# - Their numbers grow too large. | That is what happens without the norm.
# ? A part has learnt to answer zeros for every letter. What does its block `norm(x + part(x))` hand on?
# - zeros | That is what `norm(part(x))` would hand on, without the residual.
# - the letter, exactly as it came in, whatever its numbers were | It would with the norm first, `x + part(norm(x))`. Here the sum is normed.
# + the letter, brought to mean 0 and size 1 | The residual adds the letter to the zeros, and the norm comes last.
# ```
#
# ## Where to go next
#
# You can now stack layers, and say what keeps the tower upright. One thing should bother you: we keep speaking of "a
# small network that works on each letter alone". What does a letter do there, while nobody looks?
#
# * [The feed-forward network](feed_forward.py): the part that does not look anywhere.
# * [Bugs of published layers](../guides/museum.py#shapes-and-layers), among them one that saves and no longer loads.
# * [Reference: blocks](../reference/blocks.md) and [layers](../reference/layers.md): every argument.
#
# Read on elsewhere: He and others (2015), [Deep Residual Learning for Image
# Recognition](https://arxiv.org/abs/1512.03385); Ba, Kiros and Hinton (2016), [Layer
# Normalization](https://arxiv.org/abs/1607.06450); Xiong and others (2020), [On Layer Normalization in the Transformer
# Architecture](https://arxiv.org/abs/2002.04745).

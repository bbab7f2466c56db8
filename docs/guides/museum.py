# ---
# title: The museum of bugs
# description: Fifty-two ways in which attention goes wrong, each in a few lines that run, with its symptom, the check that finds it and the fix.
# ---

# %% [markdown]
# # The museum of bugs
#
# Your attention runs, or did until now. Is it one of these? Every exhibit is a few lines, executed while this page was
# built: the bug, what you see of it, the check that finds it, and the fix.
#
# "Row" is a row of [`certify`][clear_attention.certify], which tries a layer out; "finding" is one of
# [`describe_mask`][clear_attention.describe_mask], which reads a mask. If an experiment can prove which bug it is, the
# certificate names it in its first line, with a link to its room here. Where no check can see a bug, the table says what to
# compare.
#
# | masks | found by |
# | --- | --- |
# | [**Better than possible, and it cannot write a word: the mask is the wrong way round**](#star) | rows `no_future_leak`, `visible_keys_count`; finding `looks_inverted` |
# | [NaN as soon as I pass a mask](#infinity) | row `finite_gradients` |
# | [NaN, but only in float16](#float16) | row `float16` |
# | [A left-padded sentence reads its padding](#empty) | row `empty_query`; finding `empty_rows` |
# | [Masked scores print -9.9999994e+08](#step) | finding `not_binary` |
# | [Hidden keys keep a little weight](#soft) | row `padding_invariance` |
# | [One NaN in the padding spoils the sentence](#nan) | row `hidden_nan` |
# | [A (batch, keys) mask is read as (queries, keys)](#axes) | row `batch_independence`; finding `ambiguous_shape` |
# | [Token 0 is never looked at](#zero) | finding `padding` |
# | [Keras turns my additive mask round](#additive) | row `visible_keys_count`; finding `not_binary` |
# | [An attention_mask of 1s and 0s hides the words](#real) | finding `looks_inverted` |
# | [Hidden keys have weight 0, and still count](#after-softmax) | rows `weights_sum_to_one`, `no_future_leak` |
# | ["An encoder needs no mask"](#encoder) | row `padding_invariance` |
# | [There is a padding mask, and words read the padding](#only-from-padding) | row `padding_invariance`; finding `padding_visible` |
# | [Adding with + loses the padding mask](#plus) | row `padding_invariance` |
# | [A sibling layer loses its mask](#stripped) | the weight on padding |
# | [A mask of numbers is turned round bit by bit](#bitwise) | weights that are all 0 |
#
# | shapes and layers | found by |
# | --- | --- |
# | [cannot import name 'softmax'](#import) | Python |
# | [missing 1 required positional argument: 'axes'](#dot) | refusal of `certify` |
# | [takes 1 positional argument but 5 were given](#data) | refusal of `DotProductAttention` |
# | [Only input tensors may be passed](#d_k) | refusal of `certify` |
# | ["does not support masking"](#warning) | warnings as errors; row `lengths` |
# | [The output is weights times V, elementwise](#elementwise) | row `lengths` |
# | [The softmax runs over the queries](#softmax) | row `weights_sum_to_one` |
# | [Every call gives another answer](#dropout) | row `repeatable` |
# | [A sentence changes with the others in its batch](#batch) | row `batch_independence` |
# | [Heads are reshaped, not transposed](#heads) | row `key_permutation` |
# | [The length is read from axis 2](#length) | row `lengths` |
# | [With an odd depth the last channel is 0](#odd) | comparison with `sinusoidal_encoding` |
# | [A double loop makes float64](#loop) | refusal of `certify` |
# | [Positions are added in every block](#again) | an input of zeros |
# | [Equal sentences of a batch come out differently](#position-axes) | row `positions`; one sentence twice in a batch |
# | [Eight times as many parameters](#key_dim) | refusal of `weights_from_keras` |
# | [It works at width 128 only](#width) | refusal of `certify` |
# | [It saves and doesn't load](#config) | row `save_load` |
# | [Large scores overflow in float16](#overflow) | row `float16`, with larger inputs |
# | [A wide model looks at one word only, and hardly learns](#no-scale) | the largest weight at two depths |
# | [Keras normalises small numbers too little](#epsilon) | the standard deviation of the output |
#
# | causality, and Keras's own layers | found by |
# | --- | --- |
# | [With cached keys the last query sees only key 0](#alignment) | row `alignment`; finding `causal_upper_left` |
# | [The mask is off by one](#leak) | row `no_future_leak`; finding `future_visible` |
# | [No token sees itself, and the first sees nothing](#own-token) | row `visible_keys_count`; findings `own_hidden`, `empty_rows` |
# | [The loss is 0 at once, and it repeats one letter](#labels) | the loss of a model that sees only the current token |
# | [Two outputs are equal, and it is not the mask](#saturated) | taking the mask away |
# | [keras.layers.Attention gives other numbers](#scale) | comparison with this package |
# | [Asking for the weights changes the output](#flag) | row `weights_flag` |
#
# | positions that turn, shared heads, windows, packed texts, caches | found by |
# | --- | --- |
# | [The soft cap lifts the mask](#softcap) | rows `no_future_leak`, `padding_invariance` |
# | [Rotary layouts are mixed: only the first word is right](#rotary-layout) | row `like` |
# | [The values are turned, too](#rotated-values) | row `position_shift` |
# | [The second text of a row does not begin at 0](#packed-positions) | the text alone |
# | [Shared heads are tiled, not repeated](#tiled-groups) | row `head_groups` |
# | [The window is one token too wide](#window) | row `window_extent` |
# | [A cache forgets its positions](#cache-positions) | row `cache_equals_full` |
#
# The exhibits share a few imports, one batch `x`, and a few helpers. `broken` and `held` ask `certify` for one row, print it,
# and fail if the verdict is another. `refusal` prints the error that a call has to raise. `with_mask`, `crossing`, `alone` and `padded` say how a function is called.

# %% tags=["hide-input"]
import keras
import numpy as np
import tensorflow as tf
from clear_attention import (
    DotProductAttention,
    MultiHeadAttention,
    PositionalEncoding,
    RotaryPositions,
    certify,
    combine_masks,
    convert_mask,
    convert_rotary,
    create_document_mask,
    create_document_positions,
    create_look_ahead_mask,
    create_padding_mask,
    create_window_mask,
    describe_mask,
    merge_heads,
    scaled_dot_product_attention,
    sinusoidal_encoding,
    split_heads,
    weights_from_keras,
)

keras.utils.set_random_seed(0)
x = np.random.default_rng(0).normal(size=(2, 4, 8)).astype("float32")
transpose = tf.linalg.matrix_transpose


def broken(name, layer, call=None, convention=None, verdict="broken", **more):
    """Ask certify for one row, print it, and fail if the verdict is another."""
    row = certify(layer, call, convention, only=[name], **more)[name]
    print(f"{row.verdict:6}  {name}  {row.detail}".rstrip())
    assert row.verdict == verdict


def held(name, layer, *call, **more):
    broken(name, layer, *call, verdict="held", **more)


def refusal(function):
    """Print what an error says that a call has to raise."""
    try:
        function()
    except Exception as error:
        lines = [line.strip("\x1b[01m") for line in str(error).splitlines()]
        told = [x for x in lines if x and not x.startswith("Exception encountered")]
        print(f"{type(error).__name__}: {told[0]}")
        return error
    raise AssertionError("not refused")


def with_mask(f, q, k, v, mask):
    return f(q, k, v, mask)


def crossing(f, q, k, v):
    return f(q, k, v)


def alone(f, x):
    return f(x)


def padded(f, x, padding):
    return f(x, padding)


# %% [markdown]
# ## Better than possible, and it cannot write a word: the mask is the wrong way round { #star }
#
# Invented words of four letters, written over and over: after "kumo" comes "kumo" again. A small language model learns
# them, and is scored on words it never saw. Here are two copies of it. One converts our look-ahead mask for
# `keras.layers.MultiHeadAttention`. The other hands it over *as it is*: 1 means *blocked* in this package and *may
# attend* in Keras.


# %%
class LanguageModel(keras.Model):
    def __init__(self, hand_over):
        super().__init__()
        self.hand_over = hand_over
        self.embed = keras.layers.Embedding(26, 48)
        self.add_positions = PositionalEncoding()
        self.attention = keras.layers.MultiHeadAttention(4, key_dim=12)
        self.norm = keras.layers.LayerNormalization()
        self.letters = keras.layers.Dense(26)

    def call(self, ids):
        x = self.add_positions(self.embed(ids))
        mask = self.hand_over(create_look_ahead_mask(tf.shape(ids)[1]))
        x = x + self.attention(x, x, attention_mask=mask)
        return self.letters(self.norm(x))


def converted(mask):
    return convert_mask(mask, source="blocked", target="keras")


def as_it_is(mask):
    return mask  # the bug


# %% tags=["hide-input"]
consonants, vowels = "bdfgklmnprst", "aeiou"
syllables = [c + v for c in consonants for v in vowels]
words = np.random.default_rng(0).permutation(
    [a + b for a in syllables for b in syllables]
)
ids = np.array([[ord(letter) - 97 for letter in (word * 7)[:25]] for word in words])
known, unseen = ids[:-600].astype("int32"), ids[-600:].astype("int32")


def train(hand_over):
    """Fit a model by teacher forcing; return it and its curves."""
    keras.utils.set_random_seed(0)
    model = LanguageModel(hand_over)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(5e-3), loss, metrics=["accuracy"])
    history = model.fit(
        known[:, :-1],
        known[:, 1:],
        validation_data=(unseen[:, :-1], unseen[:, 1:]),
        epochs=5,
        batch_size=64,
        verbose=0,
    )
    return model, history.history


def write(model, letters=12):
    """Show it a word twice, and let it go on."""
    ids = unseen[:, :8]
    for _ in range(letters):
        ids = np.append(ids, np.argmax(model(ids)[:, -1], -1)[:, None], axis=1)
    return ids


def text(ids):
    return "".join(chr(97 + letter) for letter in ids)


right, right_curves = train(converted)
wrong, wrong_curves = train(as_it_is)
print(f"{'':17} converted  as it is")
for name, key in {
    "training accuracy": "accuracy",
    "on unseen words": "val_accuracy",
}.items():
    print(f"{name:17}{right_curves[key][-1]:10.1%}{wrong_curves[key][-1]:10.1%}")
ceiling = (21 + 1 / 5 + 1 / 12 + 1 / 5) / 24  # three of 24 letters can't be known
print(f"{'at best possible':17}{ceiling:10.1%}")
guesses = [
    np.argmax(m.predict(unseen[:, :-1], verbose=0), -1) for m in (right, wrong)
]
in_place = [np.mean(guess == unseen[:, 1:], axis=0) for guess in guesses]
print(f"{'the last letter':17}{in_place[0][-1]:10.1%}{in_place[1][-1]:10.1%}")
written = {"converted": write(right), "as it is": write(wrong)}
exact = [np.mean(np.all(w == unseen[:, :20], axis=1)) for w in written.values()]
print(f"{'continued right':17}{exact[0]:10.1%}{exact[1]:10.1%}\n")
for name, lines in written.items():
    for line in lines[:2]:
        print(f"{name:10} {text(line[:8])} -> {text(line[8:])}")
assert wrong_curves["accuracy"][-1] > 0.96
assert wrong_curves["val_accuracy"][-1] > 0.96
assert abs(right_curves["val_accuracy"][-1] - ceiling) < 0.02
assert round(ceiling, 3) == 0.895
assert np.all(in_place[1][:-1] > 0.99)
first, second = unseen[:, 0], unseen[:, 2]  # the consonants of each word
one_of_both = (guesses[1][:, -1] == first) | (guesses[1][:, -1] == second)
assert np.mean(one_of_both) > 0.99
assert abs(in_place[1][-1] - (1 + np.mean(first == second)) / 2) < 0.05
assert exact[0] > 0.95
assert exact[1] < 0.05

# %% tags=["hide-input"] alt="Training and validation loss over five epochs. The model whose mask was handed over as it is falls to nearly 0 within two epochs; the model whose mask was converted falls more slowly and stays above it."
import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(4.5, 2.8), layout="constrained")
for name, curves, colour in (
    ("converted", right_curves, "#0072b2"),
    ("as it is", wrong_curves, "#d55e00"),
):
    epochs = range(1, 6)
    ax.plot(epochs, curves["loss"], color=colour, label=f"{name}, training")
    ax.plot(epochs, curves["val_loss"], "--", color=colour, label=f"{name}, unseen")
ax.set(xlabel="epoch", ylabel="loss", ylim=0, xticks=epochs)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

# %% [markdown]
# How good can a model be that does not see the answer? Of the 24 letters it has to predict, three are the rest of a
# word that it never saw: two vowels, each one of five, and a consonant, one of twelve. These can only be guessed, and
# the other 21 can be known: (21 + 1/5 + 1/12 + 1/5) / 24 = 89.5 %. The converted model reaches that.
#
# The broken model has the better loss and the better accuracy, on unseen words too. It is better than possible: that is
# the alarm. Every token reads the answer to its right. Only the last one has nothing to its right, so its mask leaves
# it no key, and Keras gives a query without a key the mean of all values. The mean tells which two consonants the word
# has, and not which of them comes first. So the last letter is right about half of the time.
#
# When the model writes, nothing is to the right of the newest letter. So never believe an accuracy measured under
# teacher forcing, where the model is given the right letters: let it write its own. ([Another such
# model](../learn/causal.py#writing-without-peeking), whose mask was forgotten.)
#
# The check needs no training. `certify` tries the layer as the model calls it. `describe_mask` draws what Keras makes
# of our mask, in our convention: a 1, hatched, is a blocked key. The past is blocked, and the future is not.

# %% tags=["wrap"]
broken("no_future_leak", wrong, lambda f, ids: f(ids), vocab=26, causal=True)
held("no_future_leak", right, lambda f, ids: f(ids), vocab=26, causal=True)


def as_called(layer, x, mask):
    return layer(x, x, attention_mask=mask)


layer = keras.layers.MultiHeadAttention(4, key_dim=12)
broken("visible_keys_count", layer, as_called, "blocked")
held("visible_keys_count", layer, as_called, "keras")

# %%
look_ahead = create_look_ahead_mask(4)
report = describe_mask(
    convert_mask(look_ahead, "keras", "blocked"), tokens=list("kumo")
)
assert "looks_inverted" in report
report

# %% [markdown]
# ## Masks
#
# [The lesson on masks](../learn/masks.py) explains the first three at length; [Which way round?](mask_conventions.py) has
# every convention.
#
# ### NaN as soon as I pass a mask { #infinity }
#
# $-\infty \cdot 0$ is NaN, so `-inf * mask` spoils every key that is *allowed*: even a mask of zeros is fatal. Fix:
# add nothing. Replace the scores of blocked keys, as `tf.where(mask == 1, large_negative, scores)` does with a number
# that fits the dtype, or leave it to our function.


# %% tags=["wrap"]
def minus_infinity(q, k, v, mask):
    scores = q @ transpose(k) / q.shape[-1] ** 0.5
    return tf.nn.softmax(scores + mask * -np.inf) @ v


print(minus_infinity(x, x, x, create_look_ahead_mask(4))[0, :, 0].numpy())
broken("finite_gradients", minus_infinity, with_mask, "blocked")
held("finite_gradients", scaled_dot_product_attention)

# %% [markdown]
# ### NaN, but only in float16 { #float16 }
#
# In float32 -1e9 gives no NaN. The largest float16 is 65504, so there it becomes $-\infty$, and this is the exhibit
# above. Fix: replace the scores here too, or hand a bool mask to Keras's layer, which knows its dtype.


# %% tags=["wrap"]
def minus_1e9(q, k, v, mask):
    scores = q @ transpose(k) / q.shape[-1] ** 0.5
    return tf.nn.softmax(scores + mask * -1e9) @ v


half = tf.cast(x, "float16")
mask = tf.cast(create_look_ahead_mask(4), "float16")
print(minus_1e9(half, half, half, mask)[0, :, 0].numpy())
assert np.finfo("float16").max == 65504
broken("float16", minus_1e9, with_mask, "blocked")
held("float16", scaled_dot_product_attention)
held("float16", keras.layers.MultiHeadAttention(2, 4))

# %% [markdown]
# ### A left-padded sentence reads its padding { #empty }
#
# Padding on the left and the look-ahead mask together leave the first queries no key. Adding -1e9 to a whole row blocks
# nothing: they attend to padding and to the future. Keras's layer gives the mean of all values by default, ours gives weights 0.
# Mend with Keras's layer: set the outputs of such queries to 0 yourself.

# %% tags=["wrap"]
padding = create_padding_mask([[0, 0, 4, 5]])
mask = combine_masks(padding, create_look_ahead_mask(4))
scores = tf.constant([[1.0, 2.0, 1.0, 2.0]])
weights = tf.nn.softmax(scores + mask[0, 0, :1] * -1e9)
print("query 0, which sees no key:", weights[0].numpy())
assert np.all(weights > 0)
assert np.all(
    scaled_dot_product_attention(x[:1], x[:1], x[:1], mask[:, 0]).output[0, :2] == 0
)

print(describe_mask(mask)["empty_rows"].sentence)
broken("empty_query", minus_1e9, with_mask, "blocked")
theirs = keras.layers.MultiHeadAttention(2, 4)
broken("empty_query", theirs)
held("empty_query", MultiHeadAttention(8, 2))


def with_zeros(layer, q, k, v, mask, return_weights):
    """Keras's layer and mask; a query that sees no key gets output 0."""
    output, weights = layer(
        q, v, k, attention_mask=mask, return_attention_scores=True
    )
    output = tf.where(tf.reduce_any(mask, axis=-1, keepdims=True), output, 0)
    return (output, weights) if return_weights else output


held("empty_query", theirs, with_zeros, "keras")

# %% [markdown]
# ### Masked scores print -9.9999994e+08 { #step }
#
# Near 1e9 float32 numbers are 64 apart, so the score is rounded away: two masked scores can no longer be told apart.
# Where a query sees a key, that does no harm: both get weight 0. Where it sees none, its weights are made of the
# rounded scores. Fix: make a mask of 0 and 1, and replace the scores of the keys that it blocks. More in
# [Hiding scores](hiding_scores.py#four-ways-to-hide-a-score).

# %% tags=["wrap"]
additive = tf.constant([[0.0, -1e9, -1e9], [0.0, 0.0, -1e9], [0.0, 0.0, 0.0]])
masked = (tf.constant([15.0, 35.0, 87.0]) + additive)[0].numpy()
print(masked)
assert np.spacing(np.float32(1e9)) == 64
assert masked[1] == masked[2] == np.float32(-9.9999994e8)  # 35 and 87
print("weights, one key seen:", tf.nn.softmax(masked).numpy())
all_masked = tf.nn.softmax(tf.constant([15.0, 35.0, 87.0]) - 1e9).numpy()
print("weights, all masked:  ", all_masked.round(3), "for scores 15, 35, 87")
np.testing.assert_array_equal(tf.nn.softmax(masked), [1, 0, 0])
np.testing.assert_allclose(all_masked, [0, 0.5, 0.5], atol=1e-6)
np.testing.assert_allclose(tf.nn.softmax([15.0, 35, 87]), [0, 0, 1], atol=1e-6)

print(describe_mask(additive)["not_binary"].sentence)
mended = convert_mask(additive, source="additive", target="blocked")
np.testing.assert_array_equal(mended, create_look_ahead_mask(3))

# %% [markdown]
# ### Hidden keys keep a little weight { #soft }
#
# Somebody subtracts 5 instead of 1e9, because "the scores are small anyway". Then a hidden key keeps a factor of
# e<sup>-5</sup> of its weight, about 0.7 %, and much more as soon as its score is large. Nothing in the shapes tells you.


# %% tags=["wrap"]
def subtracting(amount):
    def attend(x, padding):
        scores = x @ transpose(x) / 8**0.5 - amount * padding[:, None]
        return tf.nn.softmax(scores) @ x

    return attend


equal = tf.ones((1, 2, 8))
scores = equal @ transpose(equal) / 8**0.5 - 5 * np.array([[[0, 1]]])
weight = float(tf.nn.softmax(scores)[0, 0, 1])
print(f"of two equal keys the hidden one gets {weight:.2%}")
assert 0.006 < weight < 0.007
told = certify(subtracting(5.0), padded, "blocked", only=["padding_invariance"])
print(told.headline)
assert told.cause.name == "mask_too_soft"
held("padding_invariance", subtracting(1e9), padded, "blocked")

# %% [markdown]
# ### One NaN in the padding spoils the sentence { #nan }
#
# A weight of 0 times NaN is NaN. What is masked must not reach the sum at all. Mend with Keras's layer: fill padding
# with zeros before it.

# %% tags=["wrap"]
poisoned = x.copy()
poisoned[:, 3] = np.nan
only_three = np.array([[[True, True, True, False]]])  # Keras: key 3 is hidden
theirs = keras.layers.MultiHeadAttention(2, 4)
seen = theirs(x, poisoned, attention_mask=only_three)
assert np.isnan(seen).all()


def filled(layer, x, padding):
    """Keras's convention: True is a real token."""
    x = tf.where(padding[..., None], x, 0)
    return layer(x, x, attention_mask=padding[:, None])


broken("hidden_nan", theirs)
held("hidden_nan", theirs, filled, "keras")
held("hidden_nan", MultiHeadAttention(8, 2))

# %% [markdown]
# ### A (batch, keys) mask is read as (queries, keys) { #axes }
#
# Shapes are compared from the right. With as many sentences as tokens nothing complains, and query $i$ gets the padding of
# sentence $i$. Fix: give it the missing axes.

# %% tags=["wrap"]
is_padding = np.array([[0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 1, 1]])
batch = np.zeros((4, 4, 8), "float32")
keras.layers.MultiHeadAttention(2, 4)(batch, batch, attention_mask=is_padding == 0)
print(describe_mask(is_padding)["ambiguous_shape"].sentence)
refusal(lambda: scaled_dot_product_attention(x, x, x, is_padding[:2]))


def without_axis(layer, x, padding):
    return layer(x, x, attention_mask=padding)


def with_axis(layer, x, padding):
    return layer(x, x, attention_mask=padding[:, None, :])


layer = keras.layers.MultiHeadAttention(2, 4)
broken("batch_independence", layer, without_axis, "keras", lengths=[2])
held("batch_independence", layer, with_axis, "keras", lengths=[2])

# %% [markdown]
# ### Token 0 is never looked at { #zero }
#
# 0 is padding by convention. If your vocabulary starts at 0, its first word is invisible. Fix: start at 1, or name your own
# `pad_id`. Keras's `mask_zero=True` knows only 0. In the printed report `#` is a blocked key and `.` a visible one.

# %% tags=["wrap"]
ids, tokens = [[3, 0, 1, 2]], ["cat", "the", "sat", "down"]
report = describe_mask(create_padding_mask(ids), tokens)
print(report)
assert [index[-1] for index in report["padding"].where] == [1]  # a word

mended = create_padding_mask(ids, pad_id=4)
assert "padding" not in describe_mask(mended, tokens)

# %% [markdown]
# ### Keras turns my additive mask round { #additive }
#
# Keras casts a mask to bool. 0 becomes `False`, -1e9 becomes `True`: exactly the opposite of what was meant, and no error.

# %% tags=["wrap"]
additive = np.array([[0.0, -1e9, -1e9], [0.0, 0.0, -1e9], [0.0, 0.0, 0.0]])
print(keras.ops.cast(additive, "bool").numpy().astype(int))
print(describe_mask(additive)["not_binary"].sentence)


def in_matrix(layer, q, k, v, mask):
    return layer(q, v, k, attention_mask=mask)


layer = keras.layers.MultiHeadAttention(2, 4)
broken("visible_keys_count", layer, in_matrix, "additive")
mended = convert_mask(additive, source="additive", target="keras")
np.testing.assert_array_equal(mended, np.tri(3, dtype=bool))

# %% [markdown]
# ### An attention_mask of 1s and 0s hides the words { #real }
#
# A tokenizer's `attention_mask` says 1 for a real token. In this package 1 is blocked, so all words are hidden and the
# padding is shown. With the tokens at hand the report sees it.
#
# Here the two missing axes were added by hand, so the report advises `source="keras"`, which only turns 0 and 1 round. For
# the tokenizer's own mask, which is `(batch, keys)`, take `source="huggingface"`: it adds the axes, too.

# %% tags=["wrap"]
tokens = ["the", "cat", "sat", "[pad]", "[pad]"]
attention_mask = np.array([[1, 1, 1, 0, 0]])
with_axes = attention_mask[:, None, None]
print(describe_mask(with_axes, tokens)["looks_inverted"].sentence)

mended = convert_mask(attention_mask, source="huggingface", target="blocked")
assert mended.shape == with_axes.shape == (1, 1, 1, 5)
advised = convert_mask(with_axes, source="keras", target="blocked")
np.testing.assert_array_equal(mended, advised)
assert describe_mask(mended, tokens).names == ("padding",)

# %% [markdown]
# ### Hidden keys have weight 0, and still count { #after-softmax }
#
# The mask is laid over the *weights*, after the softmax. Each hidden key then has weight 0, as a picture of the weights
# shows. But the softmax has divided by a sum in which the hidden keys stand. So the weights that are left no longer sum
# to 1, and how far they fall short tells each query what is hidden from it. In a causal model the future leaks in this
# way. Below only the last word is changed, and query 0 changes too. Fix: mask the scores, before the softmax. To divide
# the weights by their new sum is no safe fix: where a hidden score is large, all visible weights are rounded to 0.


# %% tags=["wrap"]
def masked_after(q, k, v, mask):
    weights = tf.nn.softmax(q @ transpose(k) / q.shape[-1] ** 0.5)
    return tf.where(mask == 1, 0.0, weights) @ v


look_ahead, ones = create_look_ahead_mask(4), np.ones((2, 4, 1), "float32")
other = x.copy()
other[:, 3] += 1  # another last word, which queries 0, 1 and 2 may not see
sums = [masked_after(x, words, ones, look_ahead)[0, :, 0] for words in (x, other)]
print("sums of the weights:    ", sums[0].numpy().round(2))
print("with another last word: ", sums[1].numpy().round(2))
first = [masked_after(t, t, t, look_ahead)[0, 0].numpy() for t in (x, other)]
print("output of query 0:      ", first[0][:4].round(2))
print("with another last word: ", first[1][:4].round(2))
assert np.max(sums[0][:3]) < 0.95
assert abs(sums[0][3] - 1) < 1e-6
assert abs(sums[1][0] - sums[0][0]) > 0.05
assert np.max(np.abs(first[1] - first[0])) > 0.05
mended = [
    scaled_dot_product_attention(t, t, t, look_ahead).output for t in (x, other)
]
np.testing.assert_array_equal(mended[0][:, :3], mended[1][:, :3])

visible = tf.nn.softmax([1.0, 2.0, 200.0])[:2].numpy()  # the third key is hidden
print("nothing left to divide: ", visible)
np.testing.assert_array_equal(visible, 0)

broken("weights_sum_to_one", masked_after, with_mask, "blocked")
broken("no_future_leak", masked_after, with_mask, "blocked")
held("weights_sum_to_one", scaled_dot_product_attention)
held("no_future_leak", scaled_dot_product_attention)

# %% [markdown]
# ### "An encoder needs no mask" { #encoder }
#
# It needs no look-ahead mask. In a batch of sentences of different lengths it needs the padding mask, or the padding becomes a
# part of every output.


# %% tags=["wrap"]
def encoder(mask_zero):
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(10, 8, mask_zero=mask_zero)(ids)
    return keras.Model(ids, keras.layers.MultiHeadAttention(2, 4)(x, x))


broken("padding_invariance", encoder(False), vocab=10, pad_id=0)
held("padding_invariance", encoder(True), vocab=10, pad_id=0)

# %% [markdown]
# ### There is a padding mask, and words read the padding { #only-from-padding }
#
# This mask blocks a cell where the query is padding *and* the key is padding. So padding is hidden from padding only,
# whose outputs nobody reads, and the words see all of it. Where 1 means *may attend*, `&` is right: a word may attend to
# a word. Where 1 means *blocked*, it has to be `|`, an "or". Better still, leave the queries out, and block every key that
# is padding.

# %% tags=["wrap"]
is_padding = np.array([[False, False, True, True]])
and_mask = is_padding[:, :, None] & is_padding[:, None, :]
report = describe_mask(and_mask, tokens=["the", "cat", "[pad]", "[pad]"])
print(report["padding_visible"].sentence)
weights = scaled_dot_product_attention(x[:1], x[:1], x[:1], and_mask).weights
weights = np.array(weights)[0]
print("weights of the words:", *weights[:2].round(2), sep="\n")
on_padding = np.sum(weights[:2, 2:], axis=-1)
print("their sums over the padding:", on_padding.round(2))
assert np.min(on_padding) > 0.05


def padding_from_padding(x, padding):
    mask = tf.minimum(padding[:, :, None], padding[:, None, :])  # "and"
    return scaled_dot_product_attention(x, x, x, mask).output


def padding_from_all(x, padding):
    return scaled_dot_product_attention(x, x, x, padding[:, None, :]).output


broken("padding_invariance", padding_from_padding, padded, "blocked")
held("padding_invariance", padding_from_all, padded, "blocked")

# %% [markdown]
# ### Adding with + loses the padding mask { #plus }
#
# `Embedding(mask_zero=True)` attaches a mask to its output. `+` between Keras tensors drops it without a word,
# `keras.layers.Add` keeps it.


# %% tags=["wrap"]
def residual(add):
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(10, 8, mask_zero=True)(ids)
    x = add(x, keras.layers.Dense(8)(x))
    return keras.Model(ids, keras.layers.MultiHeadAttention(2, 4)(x, x))


plus = residual(lambda a, b: a + b)
layer = residual(lambda a, b: keras.layers.Add()([a, b]))
broken("padding_invariance", plus, vocab=10, pad_id=0)
held("padding_invariance", layer, vocab=10, pad_id=0)

# %% [markdown]
# ### A sibling layer loses its mask { #stripped }
#
# `keras.layers.MultiHeadAttention` takes the masks off the tensors that it was called with. If two layers share one
# tensor, the first reads its mask, and the second sees the padding. While a functional model is built, the mask
# stays, so the bug shows only where the layers are called on a tensor that holds numbers, as below. Fix: hand a copy
# to each layer. Ours leave the masks where they are.

# %% tags=["wrap"]
ids = np.array([[5, 6, 7, 0]])
embed = keras.layers.Embedding(10, 8, mask_zero=True)
theirs, sibling = keras.layers.MultiHeadAttention(2, 4), MultiHeadAttention(8, 2)


def weight_on_padding(x):
    weights = np.array(sibling(x, return_weights=True).weights)
    return float(np.max(weights[:, :, :3, 3]))


shared = embed(ids)
assert weight_on_padding(shared) == 0
theirs(shared, shared)
share = weight_on_padding(shared)
print(f"after its sibling: {share:.0%} of a query's weight on padding")
assert share > 0.1

shared = embed(ids)
# a tensor of its own, to which the mask is passed on
copy = keras.layers.Rescaling(1.0)(shared)
theirs(copy, copy)
print(f"with a copy for the sibling: {weight_on_padding(shared):.0%}")
assert weight_on_padding(shared) == 0

# %% [markdown]
# ### A mask of numbers is turned round bit by bit { #bitwise }
#
# A `compute_mask` of your own may return 1 and 0 instead of `True` and `False`. To turn such a mask round with `~` flips
# each bit: `~1` is -2 and `~0` is -1, neither is 0, and so every token counts as hidden. Fix: cast the mask to bool
# first, as Keras's layers and ours do.

# %% tags=["wrap"]


class Numbered(keras.layers.Embedding):
    def compute_mask(self, ids, previous=None):
        return tf.cast(ids != 0, tf.int32)


def flipped(x):
    """Attend as a layer that takes the attached mask for bools."""
    hidden = tf.cast(~x._keras_mask, tf.bool)[:, tf.newaxis]
    return scaled_dot_product_attention(x, x, x, hidden)


x_numbered = Numbered(10, 8, mask_zero=True)(ids)
flips = ~x_numbered._keras_mask
print("~ of the mask:", flips.numpy()[0])
print("as bools:     ", tf.cast(flips, tf.bool).numpy()[0])
np.testing.assert_array_equal(flipped(x_numbered).weights, 0)
three = [x_numbered] * 3
mended = DotProductAttention()(*three, return_weights=True).weights
print("weights of query 0, mended:", np.array(mended)[0, 0].round(2))
np.testing.assert_allclose(np.sum(mended, axis=-1), ids != 0, atol=1e-6)
np.testing.assert_array_equal(np.array(mended)[0, :, 3], 0)

# %% [markdown]
# ## Shapes and layers
#
# ### cannot import name 'softmax' { #import }
#
# `keras.backend` has lost most of its functions in Keras 3. They live in `keras.ops`.

# %% tags=["wrap"]
try:
    from keras.backend import softmax
except ImportError as error:
    print(error.msg.split(" (")[0])
    from keras.ops import softmax
assert not hasattr(keras.backend, "softmax")
assert softmax(np.zeros(2))[0] == 0.5

# %% [markdown]
# ### missing 1 required positional argument: 'axes' { #dot }
#
# `Dot` must be told which axes to multiply, and a softmax must be given the scores. `certify` refuses what it can't call.


# %% tags=["wrap"]
def without_arguments(x):
    keras.layers.Dot()([x, x])
    return keras.activations.softmax() @ x


def mended(x):
    scores = keras.layers.Dot(axes=2)([x, x])
    return keras.activations.softmax(scores) @ x


refusal(keras.layers.Dot)
refusal(keras.activations.softmax)
refusal(lambda: certify(without_arguments, alone))
held("lengths", mended, alone)

# %% [markdown]
# ### takes 1 positional argument but 5 were given { #data }
#
# A layer is built first and called with data later. Python's message counts `self` too, and does not tell you that data
# belong in the second call.


# %% tags=["wrap"]
class Published(keras.Layer):
    def __init__(self):
        super().__init__()

    def call(self, queries, keys, values, d_k):
        return tf.nn.softmax(queries @ transpose(keys) / d_k**0.5) @ values


refusal(lambda: Published(x, x, x, 8))
refusal(lambda: DotProductAttention(x, x, x, 8))
expected = DotProductAttention()(x, x, x)

# %% [markdown]
# ### Only input tensors may be passed { #d_k }
#
# The published call `attention(queries, keys, values, d_k)` fails in Keras 3: a Keras layer takes nothing but tensors
# by position. Write `d_k=8`, or leave it out. Our [`DotProductAttention`][clear_attention.DotProductAttention] takes
# `d_k` by position too, and refuses a value that isn't the keys' depth.

# %% tags=["wrap"]
refusal(lambda: Published()(x, x, x, 8))
refusal(lambda: certify(Published(), lambda f, q, k, v: f(q, k, v, 8)))
refusal(lambda: DotProductAttention()(x, x, x, 3))
np.testing.assert_allclose(Published()(x, x, x, d_k=8), expected, atol=1e-6)
np.testing.assert_allclose(DotProductAttention()(x, x, x, 8), expected)

# %% [markdown]
# ### "does not support masking" { #warning }
#
# Keras takes an argument called `mask` for its own. So it warns that the mask is destroyed, though the layer uses it.
# `supports_masking = True` silences the warning, and is not enough. After `Embedding(mask_zero=True)` Keras fills any
# argument named `mask` with its own mask, `(batch, length)`, in which `True` is a real token. Our function reads it the
# other way round. With a single sentence it blocks the real tokens, so that each reads only the padding. With several
# sentences its shape does not fit the scores, and this error is what `certify` sees.
#
# The fix has two parts. Give the argument another name, here `blocked`. And call
# [`DotProductAttention`][clear_attention.DotProductAttention]: the mask that Keras attached to the tensor reaches this
# layer, which reads it as Keras means it.

# %% tags=["wrap"]
import warnings


class Masked(keras.Layer):
    def call(self, x, mask=None):
        return scaled_dot_product_attention(x, x, x, mask).output


class Declared(Masked):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True


class Renamed(Declared):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.attend = DotProductAttention()

    def call(self, x, blocked=None):
        return self.attend(x, x, x, mask=blocked)


look_ahead = create_look_ahead_mask(4)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    refusal(lambda: Masked()(x, mask=look_ahead))
    Declared()(x, mask=look_ahead)
    output = Renamed()(x, blocked=look_ahead)
expected = scaled_dot_product_attention(x, x, x, look_ahead).output
np.testing.assert_array_equal(output, expected)

ids = np.array([[5, 6, 7, 0]])
embedded = keras.layers.Embedding(10, 8, mask_zero=True)(ids)
expected = scaled_dot_product_attention(*[embedded] * 3, ids == 0).output[:, :3]
for layer in (Declared(), Renamed()):
    output = layer(embedded)[:, :3]  # of the real tokens
    difference = np.max(np.abs(output - expected))
    print(f"{type(layer).__name__:8}: off by {difference:.1g}")
    if isinstance(layer, Renamed):
        np.testing.assert_array_equal(output, expected)
    else:
        only_padding = np.repeat(embedded[:, 3:], 3, axis=1)
        np.testing.assert_array_equal(output, only_padding)


def with_embedding(layer):
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(10, 8, mask_zero=True)(ids)
    return keras.Model(ids, layer(x))


settings = {"vocab": 10, "pad_id": 0}
broken("lengths", with_embedding(Declared()), **settings)
held("lengths", with_embedding(Renamed()), **settings)

# %% [markdown]
# ### The output is weights times V, elementwise { #elementwise }
#
# `*` is not `@`. It goes through when the length equals the depth, and it is no attention.


# %% tags=["wrap"]
def elementwise(x):
    output = tf.nn.softmax(x @ transpose(x))
    output *= x
    return output


assert elementwise(np.zeros((2, 8, 8), "float32")).shape == (2, 8, 8)
broken("lengths", elementwise, alone)
held("lengths", lambda x: tf.nn.softmax(x @ transpose(x)) @ x, alone)

# %% [markdown]
# ### The softmax runs over the queries { #softmax }
#
# The weights of one *query* must sum to 1, so the softmax has to run over the last axis, the keys. Here it runs over
# `axis=-2`, the queries.


# %% tags=["wrap"]
def along(axis):
    def attend(q, k, v):
        return tf.nn.softmax(q @ transpose(k), axis=axis) @ v

    return attend


weights = tf.nn.softmax(x @ transpose(x), axis=-2)
print("sums of the rows:", tf.reduce_sum(weights, -1)[0].numpy().round(2))
broken("weights_sum_to_one", along(axis=-2), crossing)
held("weights_sum_to_one", along(axis=-1), crossing)

# %% [markdown]
# ### Every call gives another answer { #dropout }
#
# Dropout is for training. `training=True`, left in from an experiment, or a plain `tf.nn.dropout` that nobody switches
# off, goes on throwing weights away when the model is used.


# %% tags=["wrap"]
def dropping(always):
    def attend(x, training=False):
        weights = tf.nn.softmax(x @ transpose(x) / 8**0.5)
        if training or always:
            weights = tf.nn.dropout(weights, rate=0.2)
        return weights @ x

    return attend


told = certify(dropping(True), only=["repeatable"])
print(told.headline)
assert told.cause.name == "dropout_at_inference"
held("repeatable", dropping(False))

# %% [markdown]
# ### A sentence changes with the others in its batch { #batch }
#
# Two bugs end here. A norm, or a maximum, that is taken over the whole batch mixes all its sentences. And a layer
# written for `(length, batch, depth)` that gets `(batch, length, depth)` lets each word look at the words in the same
# place of the other sentences, and at none of its own.


# %% tags=["wrap"]
def normalised(axes):
    def attend(x):
        mean, variance = tf.nn.moments(x, axes, keepdims=True)
        x = (x - mean) / tf.sqrt(variance + 1e-3)
        return tf.nn.softmax(x @ transpose(x) / 8**0.5) @ x

    return attend


def length_first(x):
    scores = tf.einsum("qbd,kbd->bqk", x, x) / 8**0.5
    return tf.einsum("bqk,kbd->qbd", tf.nn.softmax(scores), x)


for layer, cause in [
    (normalised([0, -1]), "batch_statistics"),
    (length_first, "batch_and_length_swapped"),
]:
    told = certify(layer, only=["batch_independence"])
    print(told.headline)
    assert told.cause.name == cause
held("batch_independence", normalised([-1]))

# %% [markdown]
# ### Heads are reshaped, not transposed { #heads }
#
# `reshape(batch, heads, length, depth)` has the right shape and mixes tokens. [How heads share the
# numbers](../learn/split_heads.py#a-published-trap-reshape-without-transpose) shows what a machine reads that was
# trained with it. With two heads the first head then gets the first half of the sentence, each token cut in two, and the second head the second half. So a token never
# meets the other half of the sentence.


# %% tags=["wrap"]
def in_heads(split, merge):
    def attend(q, k, v):
        return merge(
            scaled_dot_product_attention(split(q), split(k), split(v)).output
        )

    return attend


reshaped = in_heads(
    lambda x: tf.reshape(x, (x.shape[0], 2, x.shape[1], 4)),
    lambda h: tf.reshape(h, (h.shape[0], h.shape[2], 8)),
)
mended = in_heads(lambda x: split_heads(x, 2), merge_heads)
broken("key_permutation", reshaped, crossing)
held("key_permutation", mended, crossing)

# %% [markdown]
# ### The length is read from axis 2 { #length }
#
# Axis 2 is the depth. One token of depth 8 becomes eight tokens. More in [positions](../learn/positions.py).


# %% tags=["wrap"]
def add_positions(axis):
    return lambda x: x + sinusoidal_encoding(x.shape[axis], x.shape[-1])


print(add_positions(axis=2)(np.zeros((2, 1, 8), "float32")).shape)
broken("lengths", add_positions(axis=2), alone)
held("lengths", add_positions(axis=1), alone)

# %% [markdown]
# ### With an odd depth the last channel is 0 { #odd }
#
# Channels come in pairs of sine and cosine, and the loop over `depth // 2` pairs forgets the last sine. No row sees it, since the
# other channels still tell positions apart.


# %%
def published_encoding(length, depth, n=10000):
    p = np.zeros((length, depth))
    for position in range(length):
        for i in range(depth // 2):
            angle = position / n ** (2 * i / depth)
            p[position, 2 * i : 2 * i + 2] = np.sin(angle), np.cos(angle)
    return p


print("published:", published_encoding(3, depth=5)[2].round(3))
print("mended:   ", sinusoidal_encoding(3, depth=5)[2].numpy().round(3))
assert np.all(published_encoding(3, depth=5)[:, 4] == 0)
assert sinusoidal_encoding(3, depth=5)[2, 4] > 0

# %% [markdown]
# ### A double loop makes float64 { #loop }
#
# The loop above runs again at each call. NumPy counts in float64, which does not add to float32; and in a model whose length is
# not known yet there is nothing to loop over.


# %% tags=["wrap"]
def looped(x):
    return x + tf.constant(published_encoding(x.shape[1], x.shape[2]))


refusal(lambda: certify(looped, alone))
refusal(lambda: looped(keras.Input((None, 8))))
layer = PositionalEncoding()
assert layer(keras.Input((None, 8))).shape == (None, None, 8)
held("lengths", layer)

# %% [markdown]
# ### Positions are added in every block { #again }
#
# They belong in front of the first block, once. A stack that adds them in each block shows it on an input of zeros. See [the
# Transformer layer](../learn/transformer_layer.py#the-function-read).

# %%
zeros = tf.zeros((1, 4, 8))
add = PositionalEncoding()
once = add(zeros)
twice = add(add(zeros))  # the second block adds them to what the first one gave
print("largest, once:", np.max(once), " twice:", np.max(twice))
np.testing.assert_array_equal(once[0], sinusoidal_encoding(4, 8))
np.testing.assert_array_equal(twice, 2 * once)

# %% [markdown]
# ### Equal sentences of a batch come out differently { #position-axes }
#
# The position is counted along the batch: sentence 0 gets position 0, sentence 1 gets position 1, and all words of a
# sentence get the same one. So two equal sentences come out differently, and within a sentence attention cannot tell which
# word comes first. This is what becomes of code for `(length, batch, depth)` when it gets `(batch, length, depth)`. With a
# batch of one nothing looks wrong, since every word gets position 0. Fix: count along the axis of the words.
#
# The row `positions` finds it, when you say that the layer knows positions. The row `batch_independence` asks whether a
# sentence changes with *another* sentence. That it does not: it changes with its place in the batch. So put one sentence
# into a batch twice, and compare.


# %% tags=["wrap"]
def along_the_batch(x):
    return x + sinusoidal_encoding(x.shape[0], x.shape[-1])[:, None]


def along_the_words(x):
    return x + sinusoidal_encoding(x.shape[1], x.shape[-1])


twice = np.stack([x[0], x[0]])  # one sentence, two times
for add in (along_the_batch, along_the_words):
    output, added = add(twice), add(np.zeros_like(twice))
    apart = np.max(np.abs(output[1] - output[0]))
    kinds = len(np.unique(added[1], axis=0))
    print(f"{add.__name__}: sentences differ by {apart:.2f}", end=", ")
    print(f"4 words get {kinds} position{'s' * (kinds > 1)}")
    assert (apart > 0.5) == (kinds == 1) == (add is along_the_batch)
    assert kinds in (1, 4)

broken("positions", along_the_batch, alone, positions=True)
held("positions", along_the_words, alone, positions=True)

# %% [markdown]
# ### Eight times as many parameters { #key_dim }
#
# `key_dim` is the depth of *one head*. Given the whole width, the layer still works, at eight times the cost.

# %% tags=["wrap"]
tokens = np.zeros((1, 2, 128), "float32")
theirs = {d: keras.layers.MultiHeadAttention(8, key_dim=d) for d in (128, 16)}
for key_dim, layer in theirs.items():
    layer(tokens, tokens)
    print(f"key_dim={key_dim:3}: {layer.count_params():7,} parameters")
refusal(lambda: weights_from_keras(MultiHeadAttention(128, 8), theirs[128]))
weights_from_keras(MultiHeadAttention(128, 8), theirs[16])
assert theirs[128].count_params() == 527_488
assert theirs[16].count_params() == 66_048

# %% [markdown]
# ### It works at width 128 only { #width }
#
# A width that is written into the code fails at every other one. Read it from the input.


# %% tags=["wrap"]
class Fixed(keras.Layer):
    def build(self, shape):
        self.dense = keras.layers.Dense(128)

    def call(self, x):
        return x + self.dense(x)


class Free(Fixed):
    def build(self, shape):
        self.dense = keras.layers.Dense(shape[-1])


refusal(lambda: certify(Fixed(), alone, depth=8))
held("lengths", Free(), alone, depth=8)

# %% [markdown]
# ### It saves and doesn't load { #config }
#
# Loading calls `__init__` with the layer's config, and that holds more than its own arguments: `name`, `dtype`, `trainable`.
# Saving does not complain. Fix: take `**kwargs`, and say in `get_config` what your own arguments were.


# %% tags=["wrap"]
class Forgetful(keras.Layer):
    def __init__(self, width):
        super().__init__()
        self.dense = keras.layers.Dense(width)

    def call(self, x):
        return self.dense(x)


@keras.saving.register_keras_serializable(package="museum")
class Remembering(Forgetful):
    def __init__(self, width, **kwargs):
        keras.Layer.__init__(self, **kwargs)
        self.width, self.dense = width, keras.layers.Dense(width)

    def get_config(self):
        return {**super().get_config(), "width": self.width}


refusal(lambda: Forgetful(**Forgetful(8).get_config()))
broken("save_load", Forgetful(8), alone)
held("save_load", Remembering(8), alone)

# %% [markdown]
# ### Large scores overflow in float16 { #overflow }
#
# Divided after the product, the product itself must fit below 65504. Scale the queries first. `certify` tries numbers near
# 1, so hand it larger ones.


# %% tags=["wrap"]
def divided_after(q, k, v):
    return tf.nn.softmax(q @ transpose(k) / 8.0) @ v


def scaled_first(q, k, v):
    return tf.nn.softmax((q / 8.0) @ transpose(k)) @ v


def large(f, q, k, v):
    return f(100.0 * q, 100.0 * k, v)


broken("float16", divided_after, large, depth=64)
held("float16", scaled_first, large, depth=64)

# %% [markdown]
# ### A wide model looks at one word only, and hardly learns { #no-scale }
#
# The scores are not divided by $\sqrt{d_k}$. A score is a sum of $d_k$ products, so wider keys mean larger scores, and
# the softmax turns a large lead into nearly all the weight. The gradient suffers too: if a weight is as good as 1, a nudge
# to the scores no longer changes it, so nothing is learnt from it. In a narrow model you don't see this. Here are 500
# queries with 16 keys each, of random numbers with variance 1. *Largest* is the mean of the largest weights, and *slope*
# is how much such a weight changes with its own score. No row of `certify` can tell: a small layer without the root does
# nothing forbidden. Compare two depths. [Why it is the root](../learn/attention.py#why-divide-by-the-root-of-d_k).


# %%
def largest_and_slope(d_k, divisor):
    numbers = np.random.default_rng(0).normal(size=(500, 17, d_k))
    scores = tf.constant(numbers[:, :1] @ transpose(numbers[:, 1:]) / divisor)
    with tf.GradientTape() as tape:
        tape.watch(scores)
        largest = tf.reduce_max(tf.nn.softmax(scores), axis=-1)
    slope = tf.reduce_max(tape.gradient(largest, scores), axis=-1)
    return np.mean(largest), np.mean(slope)


measured = {}
for d_k in (8, 512):
    for name, divisor in {"not divided": 1, "divided": d_k**0.5}.items():
        largest, slope = measured[d_k, name] = largest_and_slope(d_k, divisor)
        print(f"depth {d_k:3}, {name:11}: largest {largest:.2f}, slope {slope:.2f}")
assert measured[512, "not divided"][0] > 0.9
assert measured[512, "not divided"][1] < 0.06
assert measured[8, "not divided"][1] > 2 * measured[512, "not divided"][1]
both = [measured[d_k, "divided"] for d_k in (8, 512)]
np.testing.assert_allclose(*both, atol=0.05)  # the same at any depth

# %% [markdown]
# ### Keras normalises small numbers too little { #epsilon }
#
# `keras.layers.LayerNormalization` adds 1e-3 to the variance before it divides. Other code of Transformers adds 1e-5 or
# 1e-6. Where the numbers of a token are small, their variance is smaller than 1e-3, so the outputs of a carried-over
# model differ. Fix: give `epsilon` the value that the model was trained with.

# %%
small = 0.01 * np.array([[1.0, -1.0, 1.0, -1.0]], "float32")
spread = {}
assert np.var(small) < 1e-3
for epsilon in (keras.layers.LayerNormalization().epsilon, 1e-6):
    spread[epsilon] = np.std(
        keras.layers.LayerNormalization(epsilon=epsilon)(small)
    )
    print(f"epsilon {epsilon:g}: standard deviation {spread[epsilon]:.3f}")
assert spread[1e-3] < 0.31
assert spread[1e-6] > 0.99

# %% [markdown]
# ## Causality, and Keras's own layers
#
# ### With cached keys the last query sees only key 0 { #alignment }
#
# While generating, one new query meets many old keys. Keras's `use_causal_mask` puts the first query on the first key. Make
# the mask yourself: [`create_look_ahead_mask`][clear_attention.create_look_ahead_mask] puts the last query on the last key.

# %% tags=["wrap"]
keras.utils.set_random_seed(0)
theirs = keras.layers.MultiHeadAttention(2, 4)
_, weights = theirs(
    x[:, -1:], x, use_causal_mask=True, return_attention_scores=True
)
print("weights of the newest token:", weights[0, 0, 0].numpy())
broken("alignment", theirs)
print(describe_mask(np.triu(np.ones((2, 4)), k=1))["causal_upper_left"].sentence)

mended = convert_mask(create_look_ahead_mask(1, 4), "blocked", "keras")
_, weights = theirs(
    x[:, -1:], x, attention_mask=mended, return_attention_scores=True
)
assert np.all(weights > 0)

# %% [markdown]
# ### The mask is off by one { #leak }
#
# `np.triu(ones, k)` keeps the ones on the `k`-th diagonal above the main one, and right of it. With `k=1` all later
# keys are blocked. With `k=2` each token sees its successor, which is the answer.


# %% tags=["wrap"]
def causal(k):
    def attend(x):
        mask = np.triu(np.ones((x.shape[1], x.shape[1])), k)
        return scaled_dot_product_attention(x, x, x, mask).output

    return attend


print(describe_mask(np.triu(np.ones((4, 4)), k=2))["future_visible"].sentence)
broken("no_future_leak", causal(k=2), alone, causal=True)
held("no_future_leak", causal(k=1), alone, causal=True)

# %% [markdown]
# ### No token sees itself, and the first sees nothing { #own-token }
#
# This is the same slip in the other direction: `k=0` blocks the main diagonal too, so a token sees only what is before it.
# Nothing is before the first one, so it has no key left. What comes out then depends on how the mask is applied. Where
# -inf takes the place of the scores, the first row is NaN. Where -1e9 does, all weights of the row are equal, so the first
# output is the mean of all values, the future among them. Here it is 0. And no other token sees its own word, which can
# reach its output only around the attention, over the residual. Fix: `k=1`, or our mask.

# %% tags=["wrap"]
strict = np.triu(np.ones((4, 4)), k=0)
for number, expected in {-np.inf: np.nan, -1e9: 1 / 4}.items():
    scores = tf.where(strict == 1, number, x[0] @ x[0].T)
    row = tf.nn.softmax(scores)[0].numpy()
    print(f"query 0, with {number:6g}:", row)
    np.testing.assert_array_equal(row, np.full(4, expected))
ours = scaled_dot_product_attention(x, x, x, strict).weights[0].numpy()
print("all queries, here:", ours.round(2), sep="\n")
print(f"sum of the weights on the own token: {np.trace(ours):g}")
np.testing.assert_array_equal(ours[0], 0)
np.testing.assert_array_equal(np.diag(ours), 0)
np.testing.assert_allclose(ours[1:].sum(axis=-1), 1, atol=1e-6)

report = describe_mask(strict)
print(report["own_hidden"].sentence)
print(report["empty_rows"].sentence)


def triangle(diagonal):
    def attend(q, k, v, causal):
        mask = np.triu(np.ones((q.shape[1], k.shape[1])), diagonal) * causal
        return scaled_dot_product_attention(q, k, v, mask).output

    return attend


def with_switch(f, q, k, v, causal):
    return f(q, k, v, causal)


broken("visible_keys_count", triangle(0), with_switch)
held("visible_keys_count", triangle(1), with_switch)

# %% [markdown]
# ### The loss is 0 at once, and it repeats one letter { #labels }
#
# The labels are not shifted: the model is asked for the token that it is reading. For that it needs no attention, and
# nothing of what it learns helps to write. Here is a model that has no attention at all, a table with a row for each
# letter. It learns the words of [the star](#star), in which the next letter is one of five vowels or one of twelve
# consonants. Whoever sees only the current letter must guess among these, so the loss on unseen words cannot be clearly
# below (log 5 + log 12) / 2. Without the shift it is: this is the alarm. Fix: read `ids[:, :-1]`, and ask for
# `ids[:, 1:]`.
#
# `certify` sees nothing, because the model is innocent. What finds it is such a table: no model that sees only the
# current token may have a loss near 0.

# %%
guess = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
as_labels = {
    "not shifted": lambda ids: (ids[:, :-1], ids[:, :-1]),  # the bug
    "shifted": lambda ids: (ids[:, :-1], ids[:, 1:]),
}
floor = (np.log(5) + np.log(12)) / 2
tables = {}
for name, split in as_labels.items():
    keras.utils.set_random_seed(0)
    table = tables[name] = keras.Sequential([keras.layers.Embedding(26, 26)])
    table.compile(keras.optimizers.Adam(0.3), guess)
    for _ in range(40):
        table.train_on_batch(*split(known))
    loss = table.evaluate(*split(unseen), verbose=0)
    written = text(write(table)[0])
    print(f"{name:11}: loss {loss:.2f}, writes {written[:8]} -> {written[8:]}")
    if name == "shifted":
        assert abs(loss - floor) < 0.05
    else:
        assert loss < 0.01
        assert set(written[8:]) == {written[7]}
print(f"at best, from the current letter alone: {floor:.2f}")
wrong = tables["not shifted"]
held("no_future_leak", wrong, lambda f, ids: f(ids), vocab=26, causal=True)

# %% [markdown]
# ### Two outputs are equal, and it is not the mask { #saturated }
#
# Take the mask away: they are still equal. The scores are so large that one key gets all the weight. The numbers
# are in [causal attention](../learn/causal.py#exercise-1). Fix: smaller inputs.

# %% tags=["wrap"]
tokens = np.array([[1.0, 2, 3, 4], [5, 6, 7, 8], [2, 3, 4, 5]])
for size, inputs in {"as they are": tokens, "divided by 10": tokens / 10}.items():
    for name, mask in {
        "masked": create_look_ahead_mask(3),
        "no mask": None,
    }.items():
        output = scaled_dot_product_attention(inputs, inputs, inputs, mask).output
        same = np.allclose(output[1], output[2], atol=1e-6)
        print(f"{size}, {name}: rows 1 and 2 equal: {same}")
        assert same == (size == "as they are")

# %% [markdown]
# ### keras.layers.Attention gives other numbers { #scale }
#
# It does not divide by $\sqrt{d_k}$. No row can call that wrong, since it is a choice. But with keys of many numbers
# the scores are large, and nearly all weight goes to one key. Divide the queries yourself.

# %%
q, k = np.random.default_rng(1).normal(size=(2, 1, 4, 64)).astype("float32")
theirs = keras.layers.Attention()
ours, weights = scaled_dot_product_attention(q, k, k)
_, unscaled = theirs([q, k], return_attention_scores=True)
print("weights, Keras:", unscaled[0, 0].numpy().round(3))
print("weights, here: ", weights[0, 0].numpy().round(3))
assert np.max(unscaled[0, 0]) > 0.98
assert 0.1 < np.min(weights[0, 0]) < np.max(weights[0, 0]) < 0.5
assert not np.allclose(theirs([q, k]), ours, atol=1e-3)
np.testing.assert_allclose(theirs([q / 8, k]), ours, atol=1e-5)

# %% [markdown]
# ### Asking for the weights changes the output { #flag }
#
# `keras.layers.MultiHeadAttention` has two ways to compute the same thing, and they disagree about a query with no key.
# See [Carry weights over](carry_weights.py#where-keras-disagrees-with-itself). Ours has one way. Mend with Keras's
# layer: set the output of such a query to 0 yourself, as [`with_zeros`](#empty) does.

# %% tags=["wrap"]
layer = keras.layers.MultiHeadAttention(2, 4)
nothing = np.zeros((1, 4, 4), bool)
plain = layer(x, x, attention_mask=nothing)
asked, _ = layer(x, x, attention_mask=nothing, return_attention_scores=True)
print("not asked:", plain[0, 0, :3].numpy().round(3))
print("asked:    ", asked[0, 0, :3].numpy().round(3))
broken("weights_flag", layer)
held("weights_flag", layer, with_zeros, "keras")
held("weights_flag", MultiHeadAttention(8, 2))

# %% [markdown]
# ## Positions, shared heads, windows, packed texts and caches
#
# These parts came into models after the first Transformer. All layers below have random weights: what goes wrong
# goes wrong with any weights.
#
# ### The soft cap lifts the mask { #softcap }
#
# A soft cap c replaces each score s by c tanh(s / c), so that no score is above c or below -c. If it comes after
# the mask, it caps the large negative number of the hidden keys too: from -1e9 they are lifted to -c. With a cap of
# 5 the future then has weight. With a cap of 50, that of Gemma 2 (2024), a hidden key gets about e<sup>-50</sup> of the
# weight that a score of 0 gets. No test with small scores sees that. But where all visible scores are far below 0, they
# are capped to nearly the same -50. Fix: cap first, then mask, as `softcap=` does. More in
# [What else goes into the scores](../learn/score_rules.py).


# %% tags=["wrap"]
def capped(scores, most=5.0):
    return most * tf.tanh(scores / most)


def masked_first(q, k, v, mask):
    scores = q @ transpose(k) / q.shape[-1] ** 0.5
    scores = tf.where(mask == 1, -1e9, scores)
    return tf.nn.softmax(capped(scores)) @ v  # the bug


def capped_first(q, k, v, mask):
    return scaled_dot_product_attention(q, k, v, mask, softcap=5.0).output


print("-1e9, capped:", float(capped(-1e9)))
on_hidden = {}
for scores in ([0.0, -1e9], [-200.0, -1e9]):
    for most in (5.0, 50.0):
        weights = tf.nn.softmax(capped(tf.constant(scores), most))
        on_hidden[scores[0], most] = share = float(weights[1])
        print(f"visible score {scores[0]:4g}, cap {most:2g}:", end=" ")
        print(f"{share:.1%} of the weight on the hidden key")
assert 0.005 < on_hidden[0, 5] < 0.01
assert 0 < on_hidden[0, 50] < 1e-20
assert on_hidden[-200, 50] > 0.45
for name in ("no_future_leak", "padding_invariance"):
    broken(name, masked_first, with_mask, "blocked")
    held(name, capped_first, with_mask, "blocked")
told = certify(masked_first, with_mask, "blocked", only=["padding_invariance"])
print(told.headline)
assert told.cause.name == "cap_after_mask"

# %% [markdown]
# ### Rotary layouts are mixed: only the first word is right { #rotary-layout }
#
# [Rotary positions][clear_attention.RotaryPositions] turn channels in pairs. Some programs pair neighbours (0 with 1,
# 2 with 3), others pair the two halves of a head (0 with 2, 1 with 3, if a head has 4 channels). Both are in use, and
# weights fit only the pairs with which they were trained. Nothing complains. At position 0 nothing is turned, so the
# first word of a causal model comes out right, and the others do not.
#
# The scores still depend on distances only, so the row `position_shift` holds. What finds it is the comparison with a
# layer of the other layout. Fix: reorder the weights with [`convert_rotary`][clear_attention.convert_rotary], or give
# the layer the layout of the weights. [Which library pairs how](mask_conventions.py#which-channels-are-a-rotary-pair).

# %% tags=["wrap"]
keras.utils.set_random_seed(0)
theirs = MultiHeadAttention(8, 2, rotary=RotaryPositions("interleaved"))
mixed = MultiHeadAttention(8, 2, rotary=RotaryPositions("halves"))
mended = MultiHeadAttention(8, 2, rotary=RotaryPositions("halves"))
expected = theirs(x, causal=True)
for layer in (mixed, mended):
    layer(x)
    layer.set_weights(theirs.get_weights())
for dense in (mended.project_queries, mended.project_keys):
    old = dense.get_weights()
    dense.set_weights([convert_rotary(w, 2, "interleaved", "halves") for w in old])

for name, layer in {"mixed": mixed, "mended": mended}.items():
    apart = np.abs(layer(x, causal=True) - expected).max(axis=(0, 2))
    print(f"{name:6}: words off by", apart.round(4))
    assert apart[0] < 1e-6
    assert np.all(apart[1:] < 1e-6) == (layer is mended)


def at_positions(layer, x, position_ids):
    return layer(x, positions=position_ids)


held("position_shift", mixed, at_positions, relative=True)
broken("like", mixed, like=theirs)
held("like", mended, like=theirs)

# %% [markdown]
# ### The values are turned, too { #rotated-values }
#
# Queries and keys are turned so that their *product* tells how far apart they are. A value is in no such product: it is
# averaged and handed on. If it is turned, the output depends on where the text stands, and not only on distances. The
# weights are right, so no picture of them shows it. A text of a single word does: its output should be its value,
# wherever the word stands. Fix: turn `q` and `k` only, as `MultiHeadAttention(..., rotary=RotaryPositions())` does.
# More in [Positions that turn](../learn/turning_positions.py).


# %% tags=["wrap"]
def with_turns(values_too):
    rotary = RotaryPositions()

    def attend(x, position_ids):
        heads = split_heads(x, 2)
        turned = rotary(heads, position_ids)
        values = turned if values_too else heads
        return merge_heads(
            scaled_dot_product_attention(turned, turned, values).output
        )

    return attend


def placed(f, x, position_ids):
    return f(x, position_ids)


word = np.array([[[1.0, 0.0, 0.0, 0.0]]], "float32")  # two heads of depth 2
for values_too in (True, False):
    outputs = [with_turns(values_too)(word, [place])[0, 0] for place in (0, 3)]
    print(
        f"values turned: {values_too!s:5}", *(o.numpy().round(2) for o in outputs)
    )
    np.testing.assert_allclose(outputs[0], word[0, 0], atol=1e-6)
    assert np.allclose(outputs[1], word[0, 0], atol=1e-6) != values_too

broken("position_shift", with_turns(values_too=True), placed, relative=True)
held("position_shift", with_turns(values_too=False), placed, relative=True)

# %% [markdown]
# ### The second text of a row does not begin at 0 { #packed-positions }
#
# Several short texts are packed into one row, so that no place is lost to padding. A mask keeps them apart, and the row
# `packing_isolation` says that no text sees another. But the places are numbered through: the second text begins at 3
# here, and after a long first text at a place that no text of the training ever began at. So a text comes out
# differently behind another one, which is found by computing it alone. Fix: number each text from 0, with
# [`create_document_positions`][clear_attention.create_document_positions].
#
# With rotary positions in place of added ones only distances count, and both numberings give the same. More in
# [Packed documents](../learn/packing.py).

# %% tags=["wrap"]
keras.utils.set_random_seed(0)
add, attention = PositionalEncoding(), MultiHeadAttention(8, 2)
segment_ids = np.array([[1, 1, 1, 2], [1, 1, 1, 2]])  # a text of 3 words, one of 1
turning = MultiHeadAttention(8, 2, rotary=RotaryPositions())


def packed(restart):
    def read(x, segment_ids):
        places = create_document_positions(segment_ids) if restart else None
        mask = create_document_mask(segment_ids)
        return attention(add(x, positions=places), mask=mask)

    return read


def in_segments(f, x, segment_ids):
    return f(x, segment_ids)


second_alone = attention(add(x[:, 3:]))
print("places:", create_document_positions(segment_ids)[0].numpy())
for restart in (False, True):
    apart = np.abs(packed(restart)(x, segment_ids)[:, 3:] - second_alone).max()
    print(f"restarted: {restart!s:5}, second text off by {apart:.2f}")
    assert (apart < 1e-6) == restart
    held("packing_isolation", packed(restart), in_segments)
through = turning(x, segment_ids=segment_ids)
restarted = turning(
    x, segment_ids=segment_ids, positions=create_document_positions(segment_ids)
)
np.testing.assert_allclose(through, restarted, atol=1e-5)

# %% [markdown]
# ### Shared heads are tiled, not repeated { #tiled-groups }
#
# Four heads of queries share two heads of keys. Repeated, the keys stand as 0, 0, 1, 1: neighbours share. Tiled, they
# stand as 0, 1, 0, 1. The shapes are the same, and with a single head of keys, or as many as of queries, the numbers are
# too. In between, half of the heads meet keys with which they were not trained. Most libraries repeat, and
# [one tiles](mask_conventions.py#which-heads-share-keys), so weights that are carried over fall into this trap. Fix:
# `tf.repeat`, or `grouped=True`, which moves nothing at all. More in [Fewer keys than queries](../learn/fewer_keys.py).


# %% tags=["wrap"]
def tiled(q, k, v):
    times = q.shape[1] // k.shape[1]
    k, v = (tf.tile(t, [1, times, 1, 1]) for t in (k, v))
    return scaled_dot_product_attention(q, k, v).output


def grouped(q, k, v):
    return scaled_dot_product_attention(q, k, v, grouped=True).output


numbers = np.arange(2.0).reshape(1, 2, 1, 1)  # each head's value is its number
queries = np.zeros((1, 4, 1, 1))
for attend, expected in {tiled: [0, 1, 0, 1], grouped: [0, 0, 1, 1]}.items():
    served = attend(queries, numbers, numbers)[0, :, 0, 0].numpy()
    print(f"{attend.__name__:7}: heads of keys", served)
    np.testing.assert_array_equal(served, expected)


def one_head(f, q, k, v):
    return f(*(t[:, None] for t in (q, k, v)))[:, 0]


broken("head_groups", tiled, one_head, grouped=crossing)
held("head_groups", grouped, one_head, grouped=crossing)

# %% [markdown]
# ### The window is one token too wide { #window }
#
# A window of 3 is meant to be the last 3 tokens, the query's own among them. `> window` in place of `>= window` lets in a
# fourth one, 3 places away. During training nobody notices. It shows when the model writes: a cache that keeps just the
# last 3 tokens has no longer what the model was trained to see. Fix: `>=`, or
# [`create_window_mask`][clear_attention.create_window_mask]. Libraries
# [count differently](mask_conventions.py#where-a-window-ends), so the row `window_extent` must be told which window is meant.


# %% tags=["wrap"]
def last_words(is_far):
    def attend(x):
        places = np.arange(x.shape[1])
        far = is_far(places[:, None] - places)
        mask = combine_masks(far, create_look_ahead_mask(len(places)))
        return scaled_dot_product_attention(x, x, x, mask).output

    return attend


def ours_of(window):
    def attend(x):
        mask = combine_masks(
            create_window_mask(x.shape[1], window),
            create_look_ahead_mask(x.shape[1]),
        )
        return scaled_dot_product_attention(x, x, x, mask).output

    return attend


too_wide = last_words(lambda distance: distance > 3)
broken("window_extent", too_wide, alone, window=3, causal=True)
held("window_extent", last_words(lambda d: d >= 3), alone, window=3, causal=True)
held("window_extent", ours_of(3), alone, window=3, causal=True)

# %% [markdown]
# ### A cache forgets its positions { #cache-positions }
#
# A text comes in pieces, and the keys of earlier pieces are kept. Each piece numbers its own tokens from 0. Word by word,
# every word then stands at position 0, so the model reads a bag of words. The first piece is right, and so is a text that
# comes in one piece, as in training. Fix: go on counting behind what is kept. Our layer does so if you leave `positions`
# out.

# %% tags=["wrap"]
keras.utils.set_random_seed(0)
attention = MultiHeadAttention(8, 2, rotary=RotaryPositions())


def forgetting(layer, x, kept):
    kept = kept or layer.create_cache(batch=x.shape[0], capacity=8)
    places = tf.range(x.shape[1])  # the bug: what is kept is not counted
    return layer(x, causal=True, cache=kept, positions=places)


def counting(layer, x, kept):
    kept = kept or layer.create_cache(batch=x.shape[0], capacity=8)
    return layer(x, causal=True, cache=kept)


whole = attention(x, causal=True)
for read in (forgetting, counting):
    kept, pieces = None, []
    for place in range(4):
        piece, kept = read(attention, x[:, place : place + 1], kept)
        pieces.append(piece)
    apart = np.abs(tf.concat(pieces, axis=1) - whole).max(axis=(0, 2))
    print(f"{read.__name__:10}: words off by", apart.round(4))
    assert apart[0] < 1e-6
    assert np.all(apart < 1e-5) == (read is counting)


def at_once(layer, x):
    return layer(x, causal=True)


told = {"causal": True, "depth": 8}
broken("cache_equals_full", attention, at_once, cache=forgetting, **told)
held("cache_equals_full", attention, at_once, cache=counting, **told)

# %% [markdown]
# ## Is yours here?
#
# Run all rows on your layer: [Certify your layer](certify_your_layer.py) says how. To practise finding a bug by its
# symptoms, play the [Bug detective](detective.py).

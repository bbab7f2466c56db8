# ---
# title: Pack a stream of texts
# description: Put short texts together into full rows while they come in, hand segment ids and positions to layers and to the loss, and train on packed rows with the losses of padded ones, executed and compared.
# slow: true
# ---

# %% [markdown]
# # Pack a stream of texts for training
#
# The texts of a training come one after the other, each of another length, and there are more of them than fit into
# memory. If each gets a row of its own, much of the work is done on padding. So several texts should share a row. But
# into which row does a text go, as long as nobody knows which texts will follow? And how do you make sure that the
# model still learns the same?
#
# **In short:** keep a few rows open, put each text into the first one that has room for it, and note for each place the
# number of its text. Hand these numbers to the layers as `segment_ids`, and count the loss only where the next token
# belongs to the same text. Then the same texts give the same loss as padded rows, but for rounding. Why each of this is needed is the
# subject of a lesson: [How do several texts share a row?](../learn/packing.py)
#
# ## The function
#
# `pack` keeps up to `open_rows` rows open, and each text goes into the first of them that has room for it. If none has,
# and all open rows are in use, the fullest is handed on, because it would hardly ever get another text, and a new row
# is opened in its place:


# %%
import numpy as np


def pack(texts, length, open_rows=8):
    """Yield rows of ids, and for each place the number of its text, 0 for padding."""
    rows, sizes = [], []
    for text in texts:
        if len(text) > length:
            raise ValueError(f"cut it: a text of {len(text)} in a row of {length}")
        fits = (i for i, n in enumerate(sizes) if n + len(text) <= length)
        chosen = next(fits, None)
        if chosen is None and len(rows) == open_rows:
            chosen = int(np.argmax(sizes))  # the fullest row is handed on
            yield as_arrays(rows[chosen], length)
            rows[chosen], sizes[chosen] = [], 0
        if chosen is None:
            chosen = len(rows)
            rows.append([])
            sizes.append(0)
        rows[chosen].append(text)
        sizes[chosen] += len(text)
    for row in rows:  # the stream has ended
        yield as_arrays(row, length)


def as_arrays(row, length):
    ids = np.concatenate(row)
    numbers = np.repeat(np.arange(1, len(row) + 1), [len(text) for text in row])
    return tuple(
        np.pad(x, (0, length - len(x))).astype("int32") for x in (ids, numbers)
    )


# five texts, of 3, 4, 2, 4 and 1 ids
five = [[7, 7, 7], [8, 8, 8, 8], [9, 9], [5, 5, 5, 5], [6]]
for ids, segment_ids in pack(five, length=6):
    print("ids", ids, " segment_ids", segment_ids)

# %% [markdown]
# Each row numbers its texts from 1, and padding gets 0.
#
# In a training `pack` stands in a stream. Here it is one of `tf.data`, the part of TensorFlow that feeds a training.
# The texts are 10,000 dates, and each letter is a token. The ids 1 and 2 say where a text begins and where it ends. A
# row has 64 places, nearly twice as many as the longest text needs ([more would cost
# more](#how-many-rows-should-stay-open)). It holds texts that came in one soon after the other, so the rows are mixed
# once more after the packing:

# %%
import tensorflow as tf
from clear_attention import create_date_pairs, date_tokenizers

tokenizer, _ = date_tokenizers()
texts, _ = create_date_pairs(10_000, seed=1)
stream = [[1, *tokenizer.encode([text])[0], 2] for text in texts]
row = tf.TensorSpec(64, tf.int32)
dataset = tf.data.Dataset.from_generator(
    lambda: pack(stream, length=64), output_signature=(row, row)
)
for ids, segment_ids in dataset.shuffle(256, seed=0).batch(32).take(1):
    print("ids", ids.shape, " segment_ids", segment_ids.shape)

# %% [markdown]
# And here are the first twelve texts, each in a row of its own, and packed with 4 open rows. Each piece is a text:

# %% tags=["hide-input"] alt="Two pictures of rows. Left, twelve rows with one text each, and the rest of each row is empty. Right, the same texts in five longer rows, in which two or three texts stand one behind the other, with less room left."
import matplotlib.pyplot as plt

few, longest = stream[:12], max(map(len, stream))
packed_few = [
    np.bincount(numbers[numbers > 0])[1:]
    for _, numbers in pack(few, 64, open_rows=4)
]
figure, axes = plt.subplots(
    1, 2, figsize=(8.5, 2.7), layout="constrained", width_ratios=(longest, 64)
)
for ax, title, rows, width in (
    (axes[0], "a row for each", [[len(text)] for text in few], longest),
    (axes[1], "packed", packed_few, 64),
):
    for y, parts in enumerate(rows):
        lefts = np.cumsum(parts) - parts
        ax.barh(y, parts, left=lefts, color="#56b4e9", edgecolor="#00507f")
        ax.barh(y, width, color="none", edgecolor="0.6", zorder=0)
    ax.invert_yaxis()
    ax.set(title=title, yticks=[], xlabel="places", xlim=(0, width + 0.3))
    ax.set_ylim(11.6, -0.6)
    ax.spines[:].set_visible(False)
plt.show()
assert {*map(len, packed_few)} == {2, 3}

# %% [markdown]
# ## How many rows should stay open?
#
# More open rows give each text more choice, and longer rows do so, too. Here is the share of places that is left to
# padding, with the same 10,000 texts. The last column says what it costs: how many scores one head computes, for each
# token that is no padding, if the whole matrix is computed:

# %% tags=["hide-input"]
from IPython.display import Markdown, display

tokens = sum(map(len, stream))
choices, sizes = (1, 2, 4, 8, 20), (longest, 64, 256)
used = {
    (size, n): sum(1 for _ in pack(stream, size, n))
    for size in sizes
    for n in choices
}
left = {(size, n): 1 - tokens / (size * rows) for (size, n), rows in used.items()}
scores = {size: used[size, 8] * size**2 / tokens for size in sizes}
unpacked = len(stream) * longest
lines = [
    "| places in a row | "
    + " | ".join(f"{n} open" for n in choices)
    + " | scores for each token (8 open) |",
    "| ---: " * (2 + len(choices)) + "|",
]
for size in sizes:
    cells = " | ".join(f"{left[size, n]:.1%}" for n in choices)
    lines.append(f"| {size} | {cells} | {scores[size]:.0f} |")
display(Markdown("\n".join(lines)))
print(
    f"a row of {longest} places for each text:"
    f" {1 - tokens / unpacked:.1%} padding, {unpacked * longest / tokens:.0f} scores"
)
assert 0.4 < 1 - tokens / unpacked < 0.5
for size in (64, 256):
    assert left[size, 1] - left[size, 2] > left[size, 2] - left[size, 20]
    assert left[size, 8] - left[size, 20] < 0.005
assert left[longest, 8] > left[64, 8] > left[256, 8]
assert scores[longest] < 0.8 * unpacked * longest / tokens < scores[64]
assert scores[64] < 1.1 * unpacked * longest / tokens < scores[256] / 3

# %% [markdown]
# With a single open row, a text that does not fit closes the row, whatever room is left in it. The second open row
# helps most, and with these texts there is hardly anything left to win beyond eight.
#
# How long should a row be? All that is done to each place by itself, as in the feed-forward part, becomes less with the
# padding. But the scores grow with the length of the row, and most of those in a long row are between different texts
# and are hidden. So begin with rows that are little longer than your longest text. For much longer ones, see
# [below](#long-rows). And if nearly all your texts are as long as a row, there is little to pack.
#
# ## What the layers must know
#
# | what | how it is told |
# | --- | --- |
# | who belongs together | `layer(x, segment_ids=segment_ids)`, in attention, blocks, `Encoder` and `Decoder` |
# | in a machine that writes | `causal=True` beside it; a `LanguageModel` does so by itself |
# | positions that are added | `PositionalEncoding()(x, positions=create_document_positions(segment_ids))` |
# | positions that turn | nothing, since only distances count |
# | positions in a `LanguageModel` | nothing, since it counts in each text from 0 |
# | answers that share rows, too | a `cross_mask` that hides a text from the answers to others, as below |
#
# A row of answers has numbers of its own. The answer to text 2 has the number 2, wherever the two stand:

# %%
from clear_attention import Decoder

of_texts = np.array([[1, 1, 1, 2, 2, 0]])
of_answers = np.array([[1, 1, 2, 2]])
cross_mask = of_answers[:, None, :, None] != of_texts[:, None, None, :]
print(cross_mask[0, 0].astype(int))  # 1 hides

rng = np.random.default_rng(0)
x, context = rng.normal(size=(1, 4, 16)), rng.normal(size=(1, 6, 16))
decoder = Decoder(2, d_model=16, num_heads=4, d_ff=32, dtype="float64")
options = {"causal": True, "segment_ids": of_answers, "cross_mask": cross_mask}
together = decoder(x, context, **options)
alone = decoder(x[:, 2:], context[:, 3:5], causal=True)
np.testing.assert_allclose(together[:, 2:], alone, atol=1e-12)
print("packed or alone: the same numbers")

# %% [markdown]
# ## A training, packed and padded
#
# Do packed rows train the same model? Take the first 128 texts of the stream, once with a row for each and once packed.
# A padded row is nothing but a row that holds one text, so the same code serves both. `counts` says where the loss
# counts, which is where the next token belongs to the same text:

# %%
import keras
from clear_attention import LanguageModel


def counts(segment_ids):
    same = segment_ids[:, 1:] == segment_ids[:, :-1]
    return (same & (segment_ids[:, 1:] != 0)).astype("float32")


def train(ids, segment_ids, weights, steps=20):
    """Return a new model, trained with all rows in each step, and its losses."""
    keras.utils.set_random_seed(0)
    vocab = tokenizer.vocab_size
    model = LanguageModel(1, 32, num_heads=4, d_ff=64, vocab=vocab, dropout=0.0)
    inputs = [keras.Input((None,), dtype="int32") for _ in range(2)]
    with_numbers = keras.Model(inputs, model(inputs[0], segment_ids=inputs[1]))
    loss = keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, reduction="mean_with_sample_weight"
    )
    adam = keras.optimizers.Adam(5e-3)
    with_numbers.compile(adam, loss, jit_compile=False)
    history = with_numbers.fit(
        [ids[:, :-1], segment_ids[:, :-1]],
        ids[:, 1:],
        sample_weight=weights,
        batch_size=len(ids),
        epochs=steps,
        verbose=0,
    )
    return model, np.array(history.history["loss"])


first = stream[:128]
padded_ids = keras.utils.pad_sequences(first, padding="post")
padded_numbers = (padded_ids != 0).astype("int32")  # one text in each row
rows = pack(first, length=64)
ids, segment_ids = (np.stack(x) for x in zip(*rows, strict=True))
padded, of_padded = train(padded_ids, padded_numbers, counts(padded_numbers))
packed, of_packed = train(ids, segment_ids, counts(segment_ids))
for i in (0, 9, 19):
    print(f"step {i + 1:2}  padded {of_padded[i]:.4f}  packed {of_packed[i]:.4f}")
print(f"places in a step: padded {padded_ids.size:,}, packed {ids.size:,}")
np.testing.assert_allclose(of_padded, of_packed, rtol=1e-3)
assert ids.size < 2 / 3 * padded_ids.size
assert of_packed[-1] < 0.7 * of_packed[0]

# %% [markdown]
# The losses are the same but for rounding, with less than two thirds of the places. (That helps whatever is done token by
# token. In rows of 64 there are as many scores as before, or more: see the table above.) Four lines of the code do it:
#
# * **`segment_ids=inputs[1]`.** `fit` hands ids and numbers to a functional model, which calls the language model with
#   both.
# * **`ids[:, 1:]`** are the targets, since each token predicts the next one.
# * **`sample_weight=weights`** leaves out the ends of the texts, and padding.
# * **`reduction="mean_with_sample_weight"`** divides the sum of the losses by the sum of the weights. The default of
#   Keras divides by the number of places, so the two losses would differ, since more places are left out of padded
#   rows.
#
# And if you forget one of them? Here are two more trainings: one is not told which token belongs to which text, and the
# other also counts the loss where a text ends and the next one begins. Then all models are asked about 1,000 unseen
# dates, each in a row of its own:

# %% tags=["hide-input"]
from clear_attention import token_losses

unseen, _ = create_date_pairs(1000, seed=2, split="test")
unseen = keras.utils.pad_sequences(
    [[1, *tokenizer.encode([text])[0], 2] for text in unseen], padding="post"
)


def on_unseen(model):
    total = tf.reduce_sum(token_losses(model, unseen))
    return float(total) / np.sum(unseen[:, 1:] != 0)


real = (ids != 0).astype("int32")
mixed, of_mixed = train(ids, real, counts(segment_ids))
asked, of_asked = train(ids, segment_ids, counts(real))
found = {
    "a row for each": (of_padded, on_unseen(padded)),
    "packed": (of_packed, on_unseen(packed)),
    "packed, not kept apart": (of_mixed, on_unseen(mixed)),
    "packed, loss between texts counted": (of_asked, on_unseen(asked)),
}
lines = [
    "| training | its loss at step 20 | loss on unseen dates |",
    "| --- | ---: | ---: |",
]
lines += [
    f"| {name} | {losses[-1]:.3f} | {loss:.3f} |"
    for name, (losses, loss) in found.items()
]
display(Markdown("\n".join(lines)))
assert of_asked[-1] < of_packed[-1] - 0.02
assert on_unseen(mixed) > on_unseen(packed) + 0.02
assert on_unseen(asked) > on_unseen(packed) - 0.01

# %% [markdown]
# Neither of the two gives an error or a warning, and both learn. Each was trained once, for 20 steps, so we count two
# differences only. If the texts are not kept apart, unseen dates have a higher loss, since the model learned with
# neighbours that a date alone does not have. (The whole row counts as one text then, so
# positions are counted through, too. This model turns its queries and keys, and within a text that changes nothing.) And in the last line the loss of the training looks *better* than it should, because it
# is easy to say that after an end comes a beginning. So a falling loss does not tell you whether the packing is right.
# To know, compare a few packed steps with padded ones, as above.
#
# ## What the package promises
#
# A packed text gets the numbers that it gets alone (but for rounding, since sums of other lengths may round
# differently). And whatever becomes of one text, the others do not change by a single bit, even if somebody fills it
# with NaN to try it. Here is a row with three texts, of which the first is filled with NaN:

# %%
from clear_attention import Encoder, RotaryPositions

of_row = np.array([[1, 1, 1, 2, 2, 3]])
turns = {"rotary": RotaryPositions()}
encoder = Encoder(
    2, 16, num_heads=4, d_ff=32, self_attention=turns, dtype="float64"
)
x = rng.normal(size=(1, 6, 16))
together = encoder(x, segment_ids=of_row)
alone = encoder(x[:, 3:5])
np.testing.assert_allclose(together[:, 3:5], alone, atol=1e-12)
x[:, :3] = np.nan
after = encoder(x, segment_ids=of_row)
np.testing.assert_array_equal(after[:, 3:], together[:, 3:])
print("packed or alone: the same numbers")
print("a neighbour full of NaN: not one bit has changed")

# %% [markdown]
# Does a layer of your own keep these promises? [`certify`](certify_your_layer.py#claims) tries that, too, if its call
# takes `segment_ids`.
#
# ## Long rows
#
# A mask that keeps the texts apart has a cell for each two places of a row. With [attention by
# blocks](../learn/long_sequences.py) it is never in memory as a whole, and keys that all belong to other texts than a
# block of queries need not even be read. Layers do this by themselves where it pays, if they know how long a row is.
# You can also ask for it:

# %%
options = {"num_heads": 4, "d_ff": 64, "vocab": tokenizer.vocab_size}
by_blocks = LanguageModel(1, 32, **options, self_attention={"blockwise": True})
by_blocks.build()
by_blocks.set_weights(packed.get_weights())
for name, model in {"all at once": packed, "by blocks": by_blocks}.items():
    losses = token_losses(model, ids, segment_ids)
    loss = tf.reduce_sum(losses) / np.sum(counts(segment_ids))
    print(f"{name:11} loss {loss:.5f}")
np.testing.assert_allclose(
    losses, token_losses(packed, ids, segment_ids), atol=1e-4
)

# %% [markdown]
# (This loss was measured after step 20. A training loss in the tables above was measured before its step.)
#
# ## What to look out for
#
# * **Texts that are longer than a row** must be cut before, or `pack` refuses them. [Train it on your own
#   text](train_language_model.py) has a program that cuts files into rows and packs what is left.
# * **Batches hold different numbers of texts.** The loss is a mean over tokens, so a long text counts more than a short
#   one, packed or padded.
# * **The order changes a little.** Short texts fill the gaps of rows that were opened earlier. If the order of your
#   texts means something, keep fewer rows open.
# * **No packing while it writes.** A text that grows needs a row of its own. `MultiHeadAttention` refuses a cache
#   together with `segment_ids`, so call the model with `cache` alone, one text in each row.
#
# ## Where to go next
#
# * [How do several texts share a row?](../learn/packing.py) The lesson, with a trained machine that reads its
#   neighbour's date.
# * [The second text of a row does not begin at 0](museum.py#packed-positions): what happens if the positions are
#   counted through.
# * [Benchmarks](../about/benchmarks.py#attention-as-it-is-built-today): how much quicker packed rows are.
# * [Train it on your own text](train_language_model.py), with packed rows, and on [many machines](many_machines.py).

# ---
# title: Pack a stream of texts
# description: Put short texts together into full rows while they come in, hand segment ids and positions to layers and to the loss, and train on packed rows with the losses of padded ones, executed and compared.
# slow: true
# ---

# %% [markdown]
# # Pack a stream of texts for training
#
# The texts of a training come one after the other, each of another length. If each gets a row of its own, much of the
# work is done on padding. So several texts should share a row. But into which row does a text go, as long as nobody
# knows which texts will follow? And does the model still learn the same?
#
# **In short:** keep a few rows open, put each text into the first one that has room for it, and note for each place the
# number of its text. Hand these numbers to the layers as `segment_ids`, and count the loss only where the next token
# belongs to the same text. Then the same texts give the same loss as padded rows, but for rounding. Why each of this is
# needed is the subject of a lesson: [How do several texts share a row?](../learn/packing.py)
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
for ids, segment_ids in pack(five, length=6, open_rows=2):
    print("ids", ids, " segment_ids", segment_ids)

# %% [markdown]
# Each row numbers its texts from 1, and padding gets 0. The first row is handed on when the fourth text comes, which
# fits into none of the two open rows. The others are handed on at the end.
#
# In a training `pack` stands in a stream of `tf.data`, the part of TensorFlow that feeds a training. The texts are
# 10,000 dates, and each letter is a token. The ids 1 and 2 say where a text begins and where it ends. A row has 64
# places, nearly twice as many as the longest text needs ([why?](#how-many-rows-should-stay-open)). It holds texts that
# came in one soon after the other, so the rows are mixed once more after the packing:

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
rows = dataset.shuffle(256, seed=0).batch(32)
for ids, segment_ids in rows.take(1):
    print("ids", ids.shape, " segment_ids", segment_ids.shape)

# %% [markdown]
# And here are the first twelve texts, each in a row of its own, and packed with 4 open rows. The numbers say which text
# it is. Packed there are five rows, because the first was handed on when text 10 fitted nowhere, and text 10 began a
# new one in its place:

# %% tags=["hide-input"] alt="Two pictures of rows. Above, twelve rows with one text each, and the rest of each row is empty. Below, the same texts in five longer rows, in which two or three texts stand one behind the other, with less room left."
import matplotlib.pyplot as plt

few, longest = stream[:12], max(map(len, stream))
marked = [[number] * len(text) for number, text in enumerate(few, start=1)]
packed_few = [ids for ids, _ in pack(marked, 64, open_rows=4)]
for title, shown, width in (
    ("a row for each", marked, longest),
    ("packed", packed_few, 64),
):
    figure, ax = plt.subplots(
        figsize=(4.8, 0.6 + 0.21 * len(shown)), layout="constrained"
    )
    for y, one in enumerate(shown):
        left = 0
        for number in dict.fromkeys(n for n in one if n):
            size = list(one).count(number)
            ax.barh(y, size, left=left, color="#56b4e9", edgecolor="#00507f")
            ax.text(
                left + size / 2, y, number, ha="center", va="center", color="black"
            )
            left += size
        ax.barh(y, width, color="none", edgecolor="0.6", zorder=0)
    ax.set(title=title, xticks=[], yticks=[], xlim=(0, 64.3))
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.spines[:].set_visible(False)
    plt.show()
assert {len({*one} - {0}) for one in packed_few} == {2, 3}
assert len(packed_few) == 5
assert packed_few[1][0] == 10

# %% [markdown]
# ## How many rows should stay open?
#
# More open rows give each text more choice, and longer rows do so, too. The table says which share of the places is
# left to padding, with the same 10,000 texts. Longer rows have their price, because a row of twice the length has four
# times as many scores. So the last two columns count all multiplications of a layer, for two widths, against those with
# a row of its own for each text:

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
unpacked = len(stream) * longest


def work(places, size, width):
    """Count the multiplications of a layer: queries, keys, values, output, feed-forward; scores and means."""
    return places * (4 * width**2 + 8 * width**2 + 2 * size * width)


def against_unpacked(size, width):
    now = work(used[size, 8] * size, size, width)
    return now / work(unpacked, longest, width)


lines = [
    "| places in a row | "
    + " | ".join(f"{n} open" for n in choices)
    + " | work, width 64 | work, width 512 |",
    "| ---: " * (3 + len(choices)) + "|",
]
for size in sizes:
    cells = " | ".join(f"{left[size, n]:.1%}" for n in choices)
    costs = " | ".join(
        f"{against_unpacked(size, width):.0%}" for width in (64, 512)
    )
    lines.append(f"| {size} | {cells} | {costs} |")
display(Markdown("\n".join(lines)))
print(
    f"a row of {longest} places for each text: {1 - tokens / unpacked:.1%} padding"
)
assert 0.4 < 1 - tokens / unpacked < 0.5
for size in (64, 256):
    assert left[size, 1] - left[size, 2] > left[size, 2] - left[size, 20]
    assert left[size, 8] - left[size, 20] < 0.005
assert left[longest, 8] > left[64, 8] > left[256, 8]
for width in (64, 512):
    costs = [against_unpacked(size, width) for size in sizes]
    assert costs[1] == min(costs)
assert against_unpacked(256, 64) > 0.75 > 0.6 > against_unpacked(256, 512)
spent = against_unpacked(256, 64) - against_unpacked(64, 64)
assert 0.45 < spent / (1 - against_unpacked(64, 64)) < 0.6

# %% [markdown]
# With a single open row, a text that does not fit closes the row, whatever room is left in it. The second open row
# helps most, and with these texts there is hardly anything left to win beyond eight.
#
# How long should a row be? In rows of 36 much padding is left. In rows of 256 the narrow machine spends half of what it
# saved on scores between different texts, which are hidden. So rows of 64 are a good middle here, though the narrow
# machine hardly gains by them. (The work is counted with 8 open rows, for attention that computes the whole matrix, and
# a feed-forward network four times as wide as the layer.) Begin with twice your longest text. The scores cost as much
# as all the rest when a row is six times as long as the layer is wide, so stay well below. For longer rows, see
# [below](#long-rows).
#
# ## From the stream to `fit`
#
# `fit` hands ids and numbers to a functional model, which calls the language model with both. `batch` says what goes
# in, what should come out, and where the loss counts, which is where the next token belongs to the same text:

# %%
import keras
from clear_attention import LanguageModel


def batch(ids, segment_ids):
    """Return inputs, targets and weights of the loss, as `fit` wants them."""
    same = segment_ids[:, 1:] == segment_ids[:, :-1]
    counts = tf.cast(same & (segment_ids[:, 1:] != 0), "float32")
    return (ids[:, :-1], segment_ids[:, :-1]), ids[:, 1:], counts


def new_model():
    """Return a language model, and the same with two inputs, ready for `fit`."""
    keras.utils.set_random_seed(0)
    vocab = tokenizer.vocab_size
    # one layer of width 32, narrow, so that this page is soon executed
    model = LanguageModel(1, 32, num_heads=4, d_ff=64, vocab=vocab, dropout=0.0)
    inputs = tuple(keras.Input((None,), dtype="int32") for _ in range(2))
    trainer = keras.Model(inputs, model(inputs[0], segment_ids=inputs[1]))
    loss = keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, reduction="mean_with_sample_weight"
    )
    adam = keras.optimizers.Adam(5e-3)
    trainer.compile(adam, loss, jit_compile=False)
    return model, trainer


_, trainer = new_model()
batches = -(-used[64, 8] // 32)  # of 32 rows, counted for the table above
history = trainer.fit(
    rows.map(batch).repeat(),
    steps_per_epoch=batches // 2,
    epochs=2,
    shuffle=False,
    verbose=0,
).history["loss"]
print(f"{batches} batches; mean loss of the first half {history[0]:.2f},", end=" ")
print(f"of the second {history[1]:.2f}")
assert history[1] < history[0] - 0.3

# %% [markdown]
# (How many rows a stream gives is usually known only at its end. So it repeats, and `steps_per_epoch` says how many
# batches make an epoch: here half of the stream. It has been mixed already, hence `shuffle=False`.) Four lines do the
# rest:
#
# * **`segment_ids=inputs[1]`** hands the numbers to the language model.
# * **`ids[:, 1:]`** are the targets, since each token predicts the next one.
# * **`counts`** leaves out the ends of the texts, and padding.
# * **`reduction="mean_with_sample_weight"`** divides the sum of the losses by the sum of the weights. The default of
#   Keras divides by the number of places, so packed and padded rows would have different losses.
#
# ## What the layers must know
#
# With other models than a `LanguageModel`, this is how you say it:
#
# | what | how it is told |
# | --- | --- |
# | who belongs together | `layer(x, segment_ids=segment_ids)`, in attention, blocks, `Encoder` and `Decoder` |
# | in a machine that writes | `causal=True` beside it; a `LanguageModel` does so by itself |
# | positions that are added | `PositionalEncoding()(x, positions=create_document_positions(segment_ids))` |
# | positions that turn | nothing, since only distances count |
# | positions in a `LanguageModel` | nothing, since it counts in each text from 0 |
# | answers that share rows, too | a `cross_mask` that hides a text from the answers to others, as [below](#pairs-of-texts-and-answers) |
#
# ## A training, packed and padded
#
# Do packed rows train the same model? Take the first 128 texts, once with a row for each and once packed. A padded row
# is a row that holds one text, so the same code serves both:


# %%
def train(inputs, targets, counts, steps=20):
    """Return a new model, trained with all rows in each step, and its losses."""
    model, trainer = new_model()
    history = trainer.fit(
        inputs,
        targets,
        sample_weight=counts,
        batch_size=len(targets),
        epochs=steps,
        verbose=0,
    )
    return model, np.array(history.history["loss"])


first = stream[:128]
padded_ids = keras.utils.pad_sequences(first, padding="post")
padded_numbers = (padded_ids != 0).astype("int32")  # one text in each row
ids, segment_ids = (np.stack(x) for x in zip(*pack(first, length=64), strict=True))
padded, of_padded = train(*batch(padded_ids, padded_numbers))
packed, of_packed = train(*batch(ids, segment_ids))
for i in (0, 9, 19):
    print(f"step {i + 1:2}  padded {of_padded[i]:.4f}  packed {of_packed[i]:.4f}")
print(f"places in a step: padded {padded_ids.size:,}, packed {ids.size:,}")
np.testing.assert_allclose(of_padded, of_packed, rtol=1e-3)
assert ids.size < 2 / 3 * padded_ids.size
assert of_packed[-1] < 0.7 * of_packed[0]

# %% [markdown]
# The losses are the same but for rounding, with less than two thirds of the places.
#
# And if something is forgotten? Here are two more trainings: one is not told which token belongs to which text, and the
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
inputs, targets, inside = batch(ids, segment_ids)
everywhere = batch(ids, real)[2]
mixed, of_mixed = train((inputs[0], real[:, :-1]), targets, inside)
asked, of_asked = train(inputs, targets, everywhere)
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
assert -0.01 < on_unseen(asked) - on_unseen(packed) < 0.04

# %% [markdown]
# Neither of the two gives an error or a warning, and both learn. Two differences count. In the third line unseen dates
# have a higher loss, since the model learned with neighbours that a date alone does not have. And in the last line the
# loss of the training looks *better* than it should, because it is easy to say that after an end comes a beginning. (On
# unseen dates it is worse by about 0.02, which after one training of 20 steps may be chance.) So a falling loss does
# not tell you whether the packing is right. To know, compare a few packed steps with padded ones, as above.
#
# ## Pairs of texts and answers
#
# In an encoder and decoder a text and its answer must keep the same number. So a pair goes into a row only if there is
# room for both. Here is the simplest way, with one open row. More of them work as in `pack`:

# %%
from clear_attention import Decoder


def pack_pairs(pairs, length, answer_length):
    """Yield for each row of texts its ids and numbers, and those of the row of answers."""
    row = []
    for pair in pairs:
        if len(pair[0]) > length or len(pair[1]) > answer_length:
            raise ValueError(f"cut it: a pair of {len(pair[0])} and {len(pair[1])}")
        texts, answers = zip(*row, pair, strict=True)  # with the new one
        if sum(map(len, texts)) > length or sum(map(len, answers)) > answer_length:
            yield (
                *as_arrays(texts[:-1], length),
                *as_arrays(answers[:-1], answer_length),
            )
            row = []
        row.append(pair)
    if row:  # the stream has ended
        texts, answers = zip(*row, strict=True)
        yield *as_arrays(texts, length), *as_arrays(answers, answer_length)


two = [([7, 7, 7], [8, 8]), ([9, 9], [5, 5])]
_, of_texts, _, of_answers = next(pack_pairs(two, length=6, answer_length=4))
print("numbers of the texts:  ", of_texts)
print("numbers of the answers:", of_answers)
cross_mask = of_answers[None, None, :, None] != of_texts[None, None, None, :]
print(cross_mask[0, 0].astype(int))  # 1 hides

rng = np.random.default_rng(0)
x, context = rng.normal(size=(1, 4, 16)), rng.normal(size=(1, 6, 16))
decoder = Decoder(2, d_model=16, num_heads=4, d_ff=32, dtype="float64")
options = {
    "causal": True,
    "segment_ids": of_answers[None],
    "cross_mask": cross_mask,
}
together = decoder(x, context, **options)
alone = decoder(x[:, 2:], context[:, 3:5], causal=True)
np.testing.assert_allclose(together[:, 2:], alone, atol=1e-12)
print("packed or alone: the same numbers")

# %% [markdown]
# The answer to text 2 has the number 2, wherever the two stand, and looks at no other text.
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
    loss = tf.reduce_sum(losses) / tf.reduce_sum(inside)
    print(f"{name:11} loss {loss:.5f}")
np.testing.assert_allclose(
    losses, token_losses(packed, ids, segment_ids), atol=1e-4
)

# %% [markdown]
# (This loss was measured after step 20. A training loss in the tables above was measured before its step.)
#
# ## What to look out for
#
# * **Texts that are longer than a row** must be cut before, or both functions refuse them. [Train it on your own
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
